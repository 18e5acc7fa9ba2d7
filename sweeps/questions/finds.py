"""What a hunt reports: how much was searched, and every find in its smallest form with its certificates."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from tdcert.sweeps.hunt import Cell
from tdcert.sweeps.question import Result
from tdcert.sweeps.shrink import Asked, distinct, shrunk, size
from tdcert.sweeps.shrink_steps import Draft
from tdcert.theory.certificate.write import document as certificate_document
from tdcert.theory.certificate.write import text as certificate_text
from tdcert.theory.figures import Figure, Series
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Status, Verdict
from tdcert.verification.verify import describe, find_counterexample

SHRUNK = 4
"""How many finds of a cell are shrunk, smallest first; the smallest result is kept."""


LATER = "compared when the sweep is complete"
"""Searching the boxes of all claims takes longer than the end of a budget may."""

CERTIFICATES = ".certificate.json"
"""How the names of certificates end."""


@dataclass(frozen=True)
class Find:
    """A counterexample in its smallest form: the exact verdict, and the dropped hypotheses it violates."""

    model: Model
    verdict: Verdict
    violated: tuple[str, ...]


def report(cells: Sequence[Cell], table: pa.Table, complete: bool, compare: bool) -> Result:
    """The result of a hunt; ``compare``: finds of a complete one against the counterexamples in the claims' files."""
    columns = {name: table.column(name).to_pylist() for name in table.column_names}
    rows, files, unexpected, documents = [], {}, [], []
    totals = {"screened": 0, "met": 0, "decided": 0, "undecided": 0}
    for number, cell in enumerate(cells):
        here = [k for k, c in enumerate(columns["cell"]) if c == number]
        counts = {name: sum(columns[name][k] for k in here) for name in totals}
        totals = {name: totals[name] + counts[name] for name in totals}
        margins = [columns["margin"][k] for k in here if not np.isnan(columns["margin"][k])]
        texts = {columns["model"][k] for k in here if columns["status"][k] == "refuted"}
        find = _smallest(cell.asked, sorted(texts))
        body: dict[str, Any] = {
            "claim": cell.asked.claim.id,
            "kept": sorted(cell.asked.kept),
            "dropped": list(cell.asked.dropped),
            "batches": len(here),
            **counts,
            "least_margin": min(margins, default=None),
            "batches_with_a_find": sum(columns["status"][k] == "refuted" for k in here),
            "find": None,
        }
        if find is not None:
            stem = f"finds/{number + 1:03d}-{cell.asked.claim.id}" + "".join(f"-{name}" for name in cell.asked.dropped)
            body["find"], written = _written(cell.asked, find, stem)
            files.update(written)
            if not find.violated:
                unexpected.append(f"{cell.asked.claim.id} is refuted though all its hypotheses hold: see {stem}.json")
        if compare and len(cell.asked.dropped) == 1:
            body["own"] = _own(cell.asked, find) if complete else {"size": None, "find_is": LATER}
        documents.append(body)
        rows.append(_row(cell.title, body))
    found = sum(1 for body in documents if body["find"])
    searched = (
        f"{totals['screened']:,} models drawn, {totals['met']:,} of them met the hypotheses as far as was asked, "
        f"{totals['decided']:,} were decided exactly, {totals['undecided']:,} were left undecided"
    )
    answer = f"counterexamples for {found} of {len(cells)} questions" if found else "no counterexample was found"
    summary = [f"{searched}.", f"{answer[0].upper()}{answer[1:]}; what was not found is not thereby proved."]
    if any(path.endswith(CERTIFICATES) for path in files):
        summary.append(f"The certificates of the finds can be checked alone: tdcert check finds/*{CERTIFICATES}")
    bare = [body["claim"] for body in documents if body["find"] and not body["find"]["certificates"]]
    if bare:
        summary.append(
            f"Without a certificate, since the claim's check decides exactly and writes none there: finds for "
            f"{', '.join(dict.fromkeys(bare))}."
        )
    if not complete:
        summary.append("The sweep is not complete: these are the shards that are done.")
    titles = ["question", "drawn", "met", "decided", "undecided", "least margin", "smallest counterexample", "why"]
    titles += ["in the claim's file"] * compare
    return Result(
        {
            "summary": summary,
            "tables": [{"title": "What was searched", "columns": titles, "rows": rows}],
            "questions": documents,
        },
        _figures(documents),
        files,
        tuple(unexpected),
    )


def _smallest(asked: Asked, texts: Sequence[str]) -> Find | None:
    """The smallest of the finds once shrunk."""
    models = distinct([Draft.of_canonical(json.loads(text)).model() for text in texts])[:SHRUNK]

    small = [shrunk(model, partial(_still, asked, bool(asked.violated(model)))) for model in models]
    if not small:
        return None
    model = distinct(small)[0]
    return Find(model, asked.verdict(model), asked.violated(model))


def _still(asked: Asked, violates: bool, model: Model) -> bool:
    """Whether a smaller model is a counterexample of the same kind: one that violates a dropped hypothesis, or none."""
    return bool(asked.violated(model)) == violates and asked.verdict(model).status is Status.REFUTED


def _written(asked: Asked, find: Find, stem: str) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The find as data, and its files: the model, and its certificates, for ``tdcert check``."""
    model = find.model
    files = {f"{stem}.json": _json({**model.canonical, "name": f"counterexample to {asked.claim.id}"})}
    certificates = []
    for k, certificate in enumerate(find.verdict.certificates, start=1):
        path = f"{stem}-{k}{CERTIFICATES}"
        files[path] = certificate_text(certificate_document(certificate, model, asked.claim.id)).encode()
        certificates.append(path)
    body = {
        "model": model.canonical,
        "size": list(size(model)),
        "violated": list(find.violated),
        "why": find.verdict.detail,
        "witness": dict(find.verdict.witness),
        "path": f"{stem}.json",
        "certificates": certificates,
    }
    return body, files


def _own(asked: Asked, find: Find | None) -> dict[str, Any]:
    """The counterexample in the claim's file: its size, and whether the find is smaller."""
    for ablation in asked.claim.ablations:
        if ablation.hypothesis.id == asked.dropped[0] and ablation.supports is None:
            found = find_counterexample(asked.claim, ablation)
            if found is not None:
                own = size(found[0])
                word = "nothing found" if find is None else _compared(size(find.model), own)
                return {"size": list(own), "find_is": word}
    return {"size": None, "find_is": "nothing to compare with"}


def _compared(mine: tuple[int, ...], own: tuple[int, ...]) -> str:
    return "smaller" if mine < own else "larger" if mine > own else "equal"


def _row(title: str, body: dict[str, Any]) -> list[Any]:
    find, margin = body["find"], body["least_margin"]
    row = [
        title,
        body["screened"],
        body["met"],
        body["decided"],
        body["undecided"],
        "" if margin is None else f"{margin:.3g}",
        "none found" if find is None else _described(find),
        "" if find is None else find["why"],
    ]
    if "own" in body:
        own = body["own"]
        row.append(own["find_is"] if own["size"] is None else f"{own['find_is']} ({_sized(own['size'])})")
    return row


def _described(find: dict[str, Any]) -> str:
    model = Draft.of_canonical(find["model"]).model()
    return f"{describe(model)}; {_sized(find['size'])}"


def _sized(numbers: Sequence[int]) -> str:
    n, d, largest, total = numbers
    return f"n = {n}, d = {d}, largest number {largest}, sum {total}"


def _figures(documents: Sequence[dict[str, Any]]) -> tuple[Figure, ...]:
    """The least margin that each screened question met."""
    met = [(k, body["least_margin"]) for k, body in enumerate(documents, 1) if body["least_margin"] is not None]
    if not met:
        return ()
    series = Series("least margin", tuple(float(k) for k, _ in met), tuple(m for _, m in met), marks="points")
    return (
        Figure(
            "least_margins",
            None,
            "Least margin met, question by question",
            "question",
            "least margin",
            (series,),
            "Floats that say where to look: a margin below zero, beyond rounding, would point at a counterexample. "
            "Only exact arithmetic decides.",
        ),
    )


def _json(body: Any) -> bytes:
    return (json.dumps(body, sort_keys=True, indent=1) + "\n").encode()
