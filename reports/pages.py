"""What all pages share: the templates, and how numbers, mathematics and words are written in them."""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemBytecodeCache, FunctionLoader, StrictUndefined
from jinja2.bccache import Bucket
from markupsafe import Markup

from tdcert.algorithms.schedules import TITLES
from tdcert.analysis.facts import ClassFacts
from tdcert.reports import (
    answer_words,
    evidence_lines,
    formal_theorems,
    mathml,
    number_texts,
    numbers,
    pictures,
    step_words,
)
from tdcert.reports.analysis_json import matrix_texts, plain_number
from tdcert.reports.corrections import unprinted, worked_out
from tdcert.reports.documents import pretty, shape_of
from tdcert.reports.labels import (
    BEYOND_IT,
    FINDINGS,
    GRADES,
    MEAN_DYNAMICS,
    NEEDED,
    SCOPES,
    SHARP,
    STATUSES,
    WHAT_IS_WRONG,
    WHAT_IS_WRONG_UNREAD,
    finding_words,
    label_of,
)
from tdcert.reports.latex_to_text import plain
from tdcert.theory.arithmetic import BallMatrix, RationalMatrix
from tdcert.theory.figures import Picture
from tdcert.theory.words import counted

if TYPE_CHECKING:
    from tdcert.verification.verification import ClaimVerdict

_SHOWN_MATRIX = 8
_EXACT_LENGTH = 12


def render(template: str, **given: Any) -> str:
    """A page from a template in ``reports/templates``; a name that is not given is a fault, never a blank."""
    return _environment().get_template(template).render(**given)


def drawn(figures: Iterable[Picture], files: Sequence[str] = pictures.KINDS) -> dict[str, dict[str, Any]]:
    """What templates need of figures, by name: the ``picture``, its ``kind``, how it is drawn as ``svg``, and the kinds
    of its ``files``.
    """
    return {
        picture.name: {
            "picture": picture,
            "kind": pictures.kind_of(picture),
            "svg": Markup(pictures.inline_svg(picture)),
            "files": files,
        }
        for picture in figures
    }


class _Compiled(FileSystemBytecodeCache):
    """Templates compiled once, kept where Python keeps the byte code of this module, and only if it keeps any."""

    def __init__(self) -> None:
        self.folder = Path(importlib.util.cache_from_source(__file__)).parent
        super().__init__(str(self.folder), "templates-%s.cache")

    def load_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError):
            super().load_bytecode(bucket)

    def dump_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError):  # a folder of another user's: the next page compiles again
            if not sys.dont_write_bytecode:
                self.folder.mkdir(parents=True, exist_ok=True)
                super().dump_bytecode(bucket)


@cache
def _environment() -> Environment:
    # Loaded as package data, so that an installed tdcert finds its templates too.
    folder = files("tdcert.reports") / "templates"
    environment = Environment(
        loader=FunctionLoader(lambda name: (folder / name).read_text(encoding="utf-8")),
        bytecode_cache=_Compiled(),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "rich": mathml.rich_text,
        "symbol": mathml.symbol,
        "decimal": numbers.decimal,
        "exact": numbers.exact_or_decimal,
        "shortened": numbers.shortened,
        "tex": mathml.math,
        "plain": plain,
        "between": numbers.between,
        "listed": numbers.listed,
        "probability": numbers.probability,
        "pretty": pretty,
        "counted": counted,
        "digest": _digest,
        "number": number_texts.number,
        "digits": number_texts.digits,
        "rate": number_texts.rate,
        "column": number_texts.column,
        "texts": _texts,
        "rounded_up": number_texts.upper,
        "plain_number": plain_number,
    }
    environment.globals |= {
        "style": Markup((folder / "style.css").read_text(encoding="utf-8")),
        "statuses": STATUSES,
        "grades": GRADES,
        "findings": FINDINGS,
        "scopes": SCOPES,
        "sharp": SHARP,
        "needs": dict(zip(NEEDED.values(), ("needed", "spare", "undecided"), strict=True)),
        "standing": evidence_lines.standing,
        "beyond_it": BEYOND_IT,
        "what_is_wrong": WHAT_IS_WRONG,
        "what_is_wrong_unread": WHAT_IS_WRONG_UNREAD,
        "statement_of": _statement_of,
        "worked_out": worked_out,
        "unprinted": unprinted,
        "formal": formal_theorems,
        "mean_dynamics": MEAN_DYNAMICS,
        "words": answer_words,
        "step_words": step_words,
        "algorithm_names": TITLES,
        "grades_of": evidence_lines.grades_of,
        "certificates_of": evidence_lines.certificates_of,
        "evidence_counts": evidence_lines.evidence_counts,
        "evidence_words": evidence_lines.evidence_words,
        "model_equations": mathml.model_equations,
        "matrix_equation": _matrix_equation,
        "is_exact": _is_exact,
        "entries_of": _entries_of,
        "words_of": _words_of,
        "label_of": label_of,
        "finding_words": finding_words,
        "here": None,
        "filter_script": Markup((folder / "filter.js").read_text(encoding="utf-8")),
        "check_script": Markup((folder / "check_here.js").read_text(encoding="utf-8")),
    }
    return environment


def _texts(found: RationalMatrix | BallMatrix | None) -> str:
    """A matrix in one line."""
    return "; ".join(", ".join(map(str, row)) for row in matrix_texts(found) or ())


def _entries_of(part: ClassFacts | None, key: str) -> list[Any] | None:
    """The numbers of a matrix of a recurrent class, or of a vector; None where there is none."""
    values = None if part is None else getattr(part, key)
    return (number_texts.matrix if key in ("A", "C") else number_texts.column)(values)


def _matrix_equation(name: str, value: Any) -> Markup | None:
    """A matrix or vector as an equation, exact where its entries are short; None where it is too large."""
    shape = shape_of(value) if isinstance(value, list) else None
    if shape is None or max(shape) > _SHOWN_MATRIX:
        return None
    if all(map(_is_exact, _leaves(value))):
        return mathml.equation(name, mathml.matrix(value))
    rounded = [[numbers.decimal(x) for x in row] if isinstance(row, list) else numbers.decimal(row) for row in value]
    return mathml.equation(name, mathml.matrix(rounded), "≈")


def _digest(script: str) -> str:
    """The SHA-256 of a script that a page lets run, in the Base64 that content policies use."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")


def _words_of(claim: ClaimVerdict) -> str:
    """What the filter looks for words in: id, place, title and statements, in small letters."""
    statements = (reading.reading.statement for reading in claim.readings.values())
    return " ".join(map(plain, (claim.entry.id, claim.entry.place, claim.entry.title, *statements))).lower()


def _statement_of(claim: ClaimVerdict, hypothesis_id: str) -> str:
    return next((found.statement for found in claim.hypotheses if found.id == hypothesis_id), hypothesis_id)


def _is_exact(value: object) -> bool:
    return len(str(value)) <= _EXACT_LENGTH and numbers.radius_of(value) is None


def _leaves(value: Any) -> list[Any]:
    return [leaf for entry in value for leaf in _leaves(entry)] if isinstance(value, list) else [value]
