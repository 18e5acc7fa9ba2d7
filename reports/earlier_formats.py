"""``tdcert-analysis/1`` and ``tdcert-updates/1``, which ``tdcert-analysis/2`` replaces: made from it for one release,
and read where they were stored. docs/formats.md says which key has become which.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tdcert.algorithms.schedules import OFF_POLICY_TD, PAPER, TD
from tdcert.reports.analysis_document import FORMAT
from tdcert.reports.documents import Document, Row
from tdcert.theory.errors import InputError

ANALYSIS, UPDATES = "tdcert-analysis/1", "tdcert-updates/1"
FORMATS = (FORMAT, ANALYSIS, UPDATES)
"""What an analysis can be printed as."""


def as_format(document: Row, wanted: str) -> Row:
    """The document of an analysis in one of :data:`FORMATS`. Raises :class:`InputError` for another."""
    if wanted not in FORMATS:
        raise InputError(f"there is no format '{wanted}'; give {', '.join(FORMATS[:-1])} or {FORMATS[-1]}")
    if wanted == FORMAT:
        return document
    return _analysis(document) if wanted == ANALYSIS else _updates(document)


def _analysis(found: Document) -> Row:
    exact, sparse = (found["arithmetic"] == kind for kind in ("exact", "sparse"))
    made = {key: value for key, value in found.items() if key not in ("answer", "comparisons", "robustness", "for_all")}
    many = [_algorithms(found, k, exact) for k in range(len(found["classes"]) or 1)]
    made |= {
        "format": ANALYSIS,
        "algorithms": None if found["classes"] else many[0],
        "classes": [{**part, "algorithms": rows} for part, rows in zip(found["classes"], many, strict=False)],
        "claims": [_without(claim, "precision_needed") if exact else claim for claim in found["claims"]],
    }
    if not sparse:
        made["classes"] = [_without(part, "stationary_law") for part in made["classes"]]
    for key, there in (("bits", not exact), ("value_method", sparse), ("stationary_law", sparse)):
        if not there:
            made.pop(key, None)
    for key in ("simulation", "distances"):
        if not found[key]:
            made.pop(key)
    return made


def _algorithms(found: Document, place: int, exact: bool) -> Row:
    """By name, those of the paper; the one without importance ratios is null off-policy."""
    rows = {row["name"]: row for row in found["algorithms"] if row["recurrent_class"] == place}
    if found["model"]["on_policy"] and TD in rows:
        rows.setdefault(OFF_POLICY_TD, rows[TD])
    return {name: _dynamics(rows.get(name), exact) for name in PAPER}


def _dynamics(row: Mapping[str, Any] | None, exact: bool) -> Row | None:
    said = row and (row["mean_dynamics"] or row["two_time_scales"])
    if not said:
        return None
    order = ("mean_dynamics", "matrix", "rate", "reason", *(() if exact else ("precision_needed",)), "certificate")
    return {key: said["verdict" if key == "mean_dynamics" else key] for key in order}


def _updates(found: Document) -> Row:
    rows = found["algorithms"]
    return {
        "format": UPDATES,
        "model": {key: found["model"][key] for key in ("name", "digest")},
        "arithmetic": found["arithmetic"],
        "bits": next((row["bits"] for row in rows if row["bits"]), None),
        "notes": found["notes"],
        "algorithms": [_update(row, found["chain"]["recurrent_classes"]) for row in rows],
        **({"checker": found["checker"]} if "checker" in found else {}),
        "simulations": found["comparisons"],
        "reproduce": found["reproduce"] or "",
    }


def _update(row: Document, classes: list[list[int]]) -> Row:
    flat = [x for part in row["parameters"].values() for x in part]
    words = {key: row[key] and {k: row[key][k] for k in ("verdict", "reason", "rate")} for key in DYNAMICS}
    kept = _without(row, "label", "recurrent_class", "bits")
    return {**kept, **words, "class": classes[row["recurrent_class"]], "parameters": flat or None}


DYNAMICS = ("mean_dynamics", "two_time_scales")
"""What mean dynamics of a row there are."""


def _without(row: Document, *keys: str) -> Row:
    return {key: value for key, value in row.items() if key not in keys}


def _by_state(model: Document) -> Iterator[tuple[str, Sequence[object]]]:
    """λ and interest by state, of a model that has them."""
    if "by_state" in (model.get("lambdas") or ()):
        yield "λ by state", model["lambdas"]["by_state"]
    if "interest" in model:
        yield "interest", model["interest"]


AT_REST = "at rest: "
"""Stands before the name of a parameter whose point of rest is told."""


def told(document: Document) -> dict[str, str]:
    """What an analysis of any of :data:`FORMATS` says, in short: its verdicts on claims and algorithms, θ*, and
    which λ and interest are given by state.

    Raises what a document that is none of ours leads to.
    """
    found = {claim["id"]: str(claim["status"]) for claim in document.get("claims", ())}
    if document["format"] == ANALYSIS:
        parts = [part["algorithms"] for part in document["classes"]] or [document["algorithms"]]
        twice = OFF_POLICY_TD if document["model"]["on_policy"] else ""
        rows = [(name, k, row) for k, part in enumerate(parts) for name, row in part.items() if name != twice]
        found |= {f"{name}, class {k}": str(row["mean_dynamics"]) for name, k, row in rows if row}
    else:
        classes = list(dict.fromkeys(str(row.get("class")) for row in document["algorithms"]))
        for row in document["algorithms"]:
            said = row["mean_dynamics"] or row["two_time_scales"] or {"verdict": "none"}
            place = row.get("recurrent_class", classes.index(str(row.get("class"))))
            of = f"{row.get('label', row['name'])}, class {place}"
            found[of] = str(said["verdict"])
            rest = {} if document["format"] == UPDATES else row.get("parameters", {})  # a list of their names there
            for name, values in rest.items():
                if values is not None:
                    found[f"{of}, {AT_REST}{name}"] = ", ".join(map(str, values))
    if "sampling" in document.get("model", {}):
        found["sampling"] = str(document["model"]["sampling"])
    found |= {of: ", ".join(map(str, values)) for of, values in _by_state(document.get("model", {}))}
    for place, part in enumerate(document.get("classes") or ()):
        if part.get("theta_star") is not None:
            found[f"class {place}, {AT_REST}theta"] = ", ".join(map(str, part["theta_star"]))
    if document.get("theta_star") is not None:
        found["theta_star"] = ", ".join(map(str, document["theta_star"]))
    return found
