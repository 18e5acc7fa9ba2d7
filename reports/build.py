"""Documents to files: one HTML page that opens by itself, the JSON beside it, certificates and pictures.

Pure functions: the same document gives the same bytes. Every number on a page comes from the document.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from reports import formal, mathml, numbers, plots
from reports.corrections import corrections, worked_out
from reports.graph import drawing
from reports.plain import plain
from reports.words import ALGORITHMS, FINDINGS, GRADES, MEAN_DYNAMICS, NEEDS, SCOPES, STATUSES, counted
from theory.certificate import write

if TYPE_CHECKING:
    from claims.figures import Figure

Document = Mapping[str, Any]

LARGEST_INLINE = 100_000
"""Matrices with more entries go to a file of their own."""

_SHOWN_STATES = 100
_SHOWN_MATRIX = 8
_EXACT_LENGTH = 12


def verification_files(
    document: Document, certificates: Iterable[tuple[str, Document]], figures: Sequence[Figure]
) -> dict[str, bytes]:
    """A verification report's files, by their path inside the folder."""
    return {
        "verdicts.json": json_bytes(document),
        "index.html": verification_page(document, figures).encode(),
        **certificate_files(certificates),
        **formal.proof_files(document),
        **{f"figures/{figure.name}.png": plots.png(figure) for figure in figures},
    }


def analysis_files(
    document: Document, certificates: Iterable[tuple[str, Document]], figures: Sequence[Figure]
) -> dict[str, bytes]:
    """An analysis report's files, by their path inside the folder; large matrices in files of their own."""
    written, side_files = with_side_files(document, "matrices/")
    drawn = [*figures]
    if all(figure.name != "values" for figure in figures):
        drawn += values_figure(document)
    return {
        "analysis.json": json_bytes(written),
        "index.html": analysis_page(written, document, drawn).encode(),
        **side_files,
        **certificate_files(certificates),
        **{f"figures/{figure.name}.png": plots.png(figure) for figure in drawn},
    }


def certificate_files(certificates: Iterable[tuple[str, Document]]) -> dict[str, bytes]:
    """Certificates as the independent checker reads them."""
    return {path: write.text(dict(certificate)).encode("ascii") for path, certificate in certificates}


def json_bytes(document: Document) -> bytes:
    """A document as ASCII JSON, its format first, one line for each list of plain values."""
    ordered = {"format": document["format"], **document} if "format" in document else dict(document)
    return (_pretty(ordered, "") + "\n").encode("ascii")


def with_side_files(document: Document, prefix: str) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The document with each matrix of more than 100,000 entries replaced by ``{"file", "sha256", "shape"}``.

    ``prefix`` stands before every file's name, as the document names it.
    """
    side_files: dict[str, bytes] = {}

    def walk(value: Any, path: tuple[str, ...]) -> Any:
        if isinstance(value, dict):
            return {key: walk(entry, (*path, str(key))) for key, entry in value.items()}
        if not isinstance(value, list):
            return value
        shape = _shape(value)
        if shape is None:
            return [walk(entry, (*path, str(index))) for index, entry in enumerate(value)]
        if _entries(shape) <= LARGEST_INLINE:
            return value
        name = prefix + "-".join(path) + ".json"
        content = (json.dumps(value, allow_nan=False) + "\n").encode("ascii")
        side_files[name] = content
        return {"file": name, "sha256": hashlib.sha256(content).hexdigest(), "shape": list(shape)}

    return walk(dict(document), ()), side_files


def values_figure(document: Document) -> list[Figure]:
    """The fixed point beside the true value, state by state; empty where either does not exist."""
    from claims.figures import Figure, Series

    fixed, true = document.get("values_at_fixed_point"), document.get("value")
    if not isinstance(fixed, list) or not isinstance(true, list):
        return []
    states = tuple(float(s) for s in range(len(true)))
    return [
        Figure(
            name="values", claim=None, title="Value of each state", x_label="state", y_label="value",
            log_x=False, log_y=False,
            series=(
                Series("true value", states, tuple(map(numbers.to_float, true))),
                Series("value at the fixed point", states, tuple(map(numbers.to_float, fixed))),
            ),
            caption="The fixed point of the algorithms beside the true value of the target policy, by state.",
        )
    ]  # fmt: skip


def verification_page(document: Document, figures: Sequence[Figure]) -> str:
    """The page of ``tdcert verify``."""
    claims = document["claims"]
    known = {claim["id"] for claim in claims}
    rests = {claim["id"]: [name for name in claim.get("rests_on") or () if name in known] for claim in claims}
    return (
        _environment()
        .get_template("verification.html")
        .render(
            document=document,
            corrections=corrections(document),
            drawn=drawing(claims),
            proved=formal.overview(document),
            rests=rests,
            supports={name: [user for user, lemmas in rests.items() if name in lemmas] for name in rests},
            sections=[
                (name, list(group)) for name, group in groupby(claims, key=lambda claim: claim["section"])
            ],
            claims=claims,
            tally=tally(document),
            figures={figure.name: _drawing(figure) for figure in figures},
        )
    )


def analysis_page(written: Document, whole: Document, figures: Sequence[Figure]) -> str:
    """The page of ``tdcert analyze``; ``written`` names side files where ``whole`` holds the matrices."""
    n = whole["model"]["states"]
    names = list(whole.get("state_names") or (f"s{s}" for s in range(n)))
    columns = [
        (title, whole[key])
        for title, key in (
            ("stationary law", "stationary"),
            ("true value", "value"),
            ("at the fixed point", "values_at_fixed_point"),
        )
        if isinstance(whole.get(key), list)
    ]  # fmt: skip
    return (
        _environment()
        .get_template("analysis.html")
        .render(
            document=written,
            chain=whole["chain"],
            missing=whole.get("coverage", {}).get("missing") or [],
            names=names,
            columns=columns,
            shown=_SHOWN_STATES,
            figures=[_drawing(figure) for figure in figures],
        )
    )


def tally(document: Document) -> dict[str, Any]:
    """What the summary counts, taken from the claims themselves."""
    claims = document["claims"]
    decided = [claim for claim in claims if claim["finding"] != "open"]
    readings = [claim[kind] for claim in decided for kind in ("stated", "corrected") if claim.get(kind)]
    return {
        "decided": decided,
        "open": [claim for claim in claims if claim["finding"] == "open"],
        "findings": Counter(claim["finding"] for claim in decided),
        "stated": Counter(claim["stated"]["status"] for claim in decided if claim.get("stated")),
        "corrected": Counter(claim["corrected"]["status"] for claim in decided if claim.get("corrected")),
        "grades": Counter(grade for claim in decided for grade in grades_of(claim)),
        "hypotheses": Counter(
            hypothesis.get("needed") for claim in decided for hypothesis in claim.get("hypotheses", ())
        ),
        "witnesses": sum(bool(reading.get("witness")) for reading in readings),
        "certificates": len({path for claim in claims for path in certificates_of(claim)}),
    }


def scopes_of(claim: Document) -> list[Document]:
    """All evidence of a claim: of both readings and of its hypotheses."""
    parts = [claim.get("stated"), claim.get("corrected"), *claim.get("hypotheses", ())]
    return [scope for part in parts if part for scope in part.get("scopes", ())]


def grades_of(claim: Document) -> list[str]:
    """The grades of evidence that a claim's readings rest on, strongest first."""
    parts = [claim.get("stated"), claim.get("corrected")]
    found = {scope["grade"] for part in parts if part for scope in part.get("scopes", ())}
    return [grade for grade in GRADES if grade in found]


def certificates_of(claim: Document) -> list[str]:
    """The paths of all certificates of a claim, in order, each once."""
    return list(dict.fromkeys(path for scope in scopes_of(claim) for path in scope.get("certificates", ())))


def evidence_counts(claim: Document) -> list[tuple[str, int]]:
    """How many cases each grade covers, strongest first."""
    counts: Counter[str] = Counter()
    for scope in scopes_of(claim):
        counts[scope["grade"]] += scope["count"]
    return [(grade, counts[grade]) for grade in GRADES if counts[grade]]


def _drawing(figure: Figure) -> dict[str, Any]:
    return {
        "name": figure.name, "title": figure.title, "caption": figure.caption,
        "svg": Markup(plots.svg(figure)),
    }  # fmt: skip


@cache
def _environment() -> Environment:
    # Loaded as package data, so that an installed tdcert finds its templates too.
    folder = files("reports") / "templates"
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
        "probability": numbers.probability,
        "pretty": lambda value: _pretty(value, ""),
        "counted": counted,
    }
    environment.globals |= {
        "style": Markup((folder / "style.css").read_text(encoding="utf-8")),
        "statuses": STATUSES, "grades": GRADES, "findings": FINDINGS, "scopes": SCOPES, "needs": NEEDS,
        "statement_of": _statement_of, "worked_out": worked_out, "formal": formal,
        "mean_dynamics": MEAN_DYNAMICS, "algorithm_names": ALGORITHMS,
        "grades_of": grades_of, "certificates_of": certificates_of, "evidence_counts": evidence_counts,
        "model_equations": mathml.model_equations, "matrix_equation": _matrix_equation, "is_exact": _is_exact,
        "LARGEST_INLINE": LARGEST_INLINE,
    }  # fmt: skip
    return environment


def _matrix_equation(name: str, value: Any) -> Markup | None:
    """A matrix or vector as an equation, exact where its entries are short; None where it is too large."""
    shape = _shape(value) if isinstance(value, list) else None
    if shape is None or max(shape) > _SHOWN_MATRIX:
        return None
    if all(map(_is_exact, _leaves(value))):
        return mathml.equation(name, mathml.matrix(value))
    rounded = [
        [numbers.decimal(x) for x in row] if isinstance(row, list) else numbers.decimal(row) for row in value
    ]
    return mathml.equation(name, mathml.matrix(rounded), "≈")


def _statement_of(claim: Document, hypothesis_id: str) -> str:
    statements = {hypothesis["id"]: hypothesis.get("statement") for hypothesis in claim.get("hypotheses", ())}
    return str(statements.get(hypothesis_id) or hypothesis_id)


def _is_exact(value: object) -> bool:
    return len(str(value)) <= _EXACT_LENGTH and numbers.radius_of(value) is None


def _shape(value: list[Any]) -> tuple[int, ...] | None:
    """(n,) or (n, m) for lists of plain values or equally long lists of them; None for anything else."""
    if not value:
        return None
    if all(isinstance(entry, str | int | None) for entry in value):
        return (len(value),)
    if not all(isinstance(entry, list) and entry and len(entry) == len(value[0]) for entry in value):
        return None
    if all(isinstance(x, str | int | None) for entry in value for x in entry):
        return (len(value), len(value[0]))
    return None


def _entries(shape: tuple[int, ...]) -> int:
    return shape[0] * (shape[1] if len(shape) > 1 else 1)


def _leaves(value: Any) -> list[Any]:
    return [leaf for entry in value for leaf in _leaves(entry)] if isinstance(value, list) else [value]


def _pretty(value: Any, indent: str) -> str:
    """JSON with one line for each list of plain values: matrices read as matrices."""
    deeper = indent + "  "
    if isinstance(value, dict) and value:
        items = [f"{json.dumps(str(key))}: {_pretty(entry, deeper)}" for key, entry in value.items()]
        return "{\n" + ",\n".join(deeper + item for item in items) + "\n" + indent + "}"
    if isinstance(value, list | tuple) and any(isinstance(entry, dict | list | tuple) for entry in value):
        return "[\n" + ",\n".join(deeper + _pretty(entry, deeper) for entry in value) + "\n" + indent + "]"
    return json.dumps(value, allow_nan=False)
