"""What all pages share: the templates, and how numbers, mathematics and words are written in them."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from tdcert.reports import evidence_lines, formal_theorems, mathml, numbers, pictures, step_words
from tdcert.reports.corrections import worked_out
from tdcert.reports.documents import LARGEST_INLINE, pretty, shape_of
from tdcert.reports.labels import (
    ALGORITHMS,
    BEYOND_IT,
    FINDINGS,
    GRADES,
    MEAN_DYNAMICS,
    NEEDS,
    SCOPES,
    STATUSES,
    WHAT_IS_WRONG,
    counted,
    finding_words,
    label_of,
)
from tdcert.reports.latex_to_text import plain

Document = Mapping[str, Any]

_SHOWN_MATRIX = 8
_EXACT_LENGTH = 12


def render(template: str, **given: Any) -> str:
    """A page from a template in ``reports/templates``; a name that is not given is a fault, never a blank."""
    return _environment().get_template(template).render(**given)


def drawn(figures: list[Document]) -> dict[str, dict[str, Any]]:
    """What templates need of figures, by name: the document of each, and its picture as ``svg``."""
    return {figure["name"]: {**figure, "svg": Markup(pictures.inline_svg(figure))} for figure in figures}


@cache
def _environment() -> Environment:
    # Loaded as package data, so that an installed tdcert finds its templates too.
    folder = files("tdcert.reports") / "templates"
    environment = Environment(
        loader=FunctionLoader(lambda name: (folder / name).read_text(encoding="utf-8")),
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
        "probability": numbers.probability,
        "pretty": pretty,
        "counted": counted,
        "digest": _digest,
    }
    environment.globals |= {
        "style": Markup((folder / "style.css").read_text(encoding="utf-8")),
        "statuses": STATUSES,
        "grades": GRADES,
        "findings": FINDINGS,
        "scopes": SCOPES,
        "needs": NEEDS,
        "standing": evidence_lines.standing,
        "beyond_it": BEYOND_IT,
        "what_is_wrong": WHAT_IS_WRONG,
        "statement_of": _statement_of,
        "worked_out": worked_out,
        "formal": formal_theorems,
        "mean_dynamics": MEAN_DYNAMICS,
        "steps": step_words,
        "algorithm_names": ALGORITHMS,
        "grades_of": evidence_lines.grades_of,
        "certificates_of": evidence_lines.certificates_of,
        "evidence_counts": evidence_lines.evidence_counts,
        "evidence_words": evidence_lines.evidence_words,
        "model_equations": mathml.model_equations,
        "matrix_equation": _matrix_equation,
        "is_exact": _is_exact,
        "LARGEST_INLINE": LARGEST_INLINE,
        "words_of": _words_of,
        "label_of": label_of,
        "finding_words": finding_words,
        "filter_script": Markup((folder / "filter.js").read_text(encoding="utf-8")),
    }
    return environment


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
    """Of the one script that a page lets run, as content policies name it."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")


def _words_of(claim: Document) -> str:
    """What the filter looks for words in: id, place, title and statements, in small letters."""
    statements = (reading["statement"] for kind in ("stated", "corrected") if (reading := claim.get(kind)))
    return " ".join(plain(text) for text in (claim["id"], claim["place"], claim["title"], *statements)).lower()


def _statement_of(claim: Document, hypothesis_id: str) -> str:
    statements = {hypothesis["id"]: hypothesis.get("statement") for hypothesis in claim.get("hypotheses", ())}
    return str(statements.get(hypothesis_id) or hypothesis_id)


def _is_exact(value: object) -> bool:
    return len(str(value)) <= _EXACT_LENGTH and numbers.radius_of(value) is None


def _leaves(value: Any) -> list[Any]:
    return [leaf for entry in value for leaf in _leaves(entry)] if isinstance(value, list) else [value]
