"""What a hunt reports: how much was searched, and every find in its smallest form with its certificates."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from tdcert.sweeps.hunt import Hunted
from tdcert.sweeps.question import PARTIAL, Result, ResultTable
from tdcert.sweeps.shrink import Challenge, distinct, shrunk, size
from tdcert.theory.certificate import write
from tdcert.theory.figures import Figure, Series
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Status, Verdict
from tdcert.verification.verify import describe, find_counterexample

if TYPE_CHECKING:
    from tdcert.theory.model.canonical import CanonicalModel

SHRUNK = 4
"""How many finds of a cell are shrunk, smallest first; the smallest result is kept."""


LATER = "compared when the sweep is complete"
"""Searching the boxes of all claims takes longer than the end of a budget may."""

COUNTED = ("screened", "met", "decided", "undecided")
"""Columns of shards that are added up."""

CERTIFICATES = ".certificate.json"
"""How the names of certificates end."""


@dataclass(frozen=True)
class Find:
    """A counterexample in its smallest form: the exact verdict, and the dropped hypotheses it violates."""

    model: Model
    verdict: Verdict
    violated: tuple[str, ...]


@dataclass(frozen=True)
class WrittenFind:
    """A find as documents have it: the model in canonical form, its size, and the paths of its files."""

    model: CanonicalModel
    size: tuple[int, int, int, int]
    violated: tuple[str, ...]
    why: str
    witness: Mapping[str, Any]
    path: str
    certificates: tuple[str, ...]


@dataclass(frozen=True)
class OwnCounterexample:
    """The counterexample in the claim's file: its size, and how the find compares."""

    size: tuple[int, int, int, int] | None
    find_is: str


@dataclass(frozen=True)
class Searched:
    """One claim with the hypotheses it was asked under: models drawn (``screened``), that met them, were decided and
    left undecided; the least margin; the smallest find; the claim's own counterexample, where finds are compared.
    """

    claim: str
    kept: tuple[str, ...]
    dropped: tuple[str, ...]
    batches: int
    screened: int
    met: int
    decided: int
    undecided: int
    least_margin: float | None
    batches_with_a_find: int
    find: WrittenFind | None
    own: OwnCounterexample | None = None

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """Models drawn, met, decided, left undecided."""
        return self.screened, self.met, self.decided, self.undecided


def report(cells: Sequence[Hunted], table: pa.Table, complete: bool, compare: bool) -> Result:
    """The result of a hunt; ``compare``: finds of a complete one against the counterexamples in the claims' files."""
    columns = {name: table.column(name).to_pylist() for name in table.column_names}
    files: dict[str, bytes] = {}
    searched = [
        _searched(number, cell, columns, files, complete, compare) for number, cell in enumerate(cells, start=1)
    ]
    drawn, met, decided, undecided = (sum(counts) for counts in zip(*(part.counts for part in searched), strict=True))
    finds = [(part.claim, part.find) for part in searched if part.find]
    answer = f"counterexamples for {len(finds)} of {len(cells)} questions" if finds else "no counterexample was found"
    summary = [
        f"{drawn:,} models drawn, {met:,} of them met the hypotheses as far as was asked, {decided:,} were decided "
        f"exactly, {undecided:,} were left undecided.",
        f"{answer[0].upper()}{answer[1:]}; what was not found is not thereby proved.",
    ]
    if any(path.endswith(CERTIFICATES) for path in files):
        summary.append(f"The certificates of the finds can be checked alone: tdcert check finds/*{CERTIFICATES}")
    bare = [claim for claim, find in finds if not find.certificates]
    if bare:
        summary.append(
            f"Without a certificate, since the claim's check decides exactly and writes none there: finds for "
            f"{', '.join(dict.fromkeys(bare))}."
        )
    titles = ["question", "drawn", "met", "decided", "undecided", "least margin", "smallest counterexample", "why"]
    titles += ["in the claim's file"] * compare
    rows = tuple(_row(cell.title, part) for cell, part in zip(cells, searched, strict=True))
    unexpected = (
        f"{claim} is refuted though all its hypotheses hold: see {find.path}"
        for claim, find in finds
        if not find.violated
    )
    return Result(
        (*summary, *([] if complete else [PARTIAL])),
        (ResultTable("What was searched", tuple(titles), rows),),
        {"questions": searched},
        _figures(searched),
        files,
        tuple(unexpected),
    )


def _searched(
    number: int,
    cell: Hunted,
    columns: Mapping[str, Sequence[Any]],
    files: dict[str, bytes],
    complete: bool,
    compare: bool,
) -> Searched:
    """What the shards say of one question; the files of its find are added to ``files``."""
    asked = cell.asked
    here = [k for k, c in enumerate(columns["cell"]) if c == number - 1]
    drawn, met, decided, undecided = (sum(columns[name][k] for k in here) for name in COUNTED)
    margins = [columns["margin"][k] for k in here if not np.isnan(columns["margin"][k])]
    refuted = [k for k in here if columns["status"][k] == "refuted"]
    find, written = _smallest(asked, sorted({columns["model"][k] for k in refuted})), None
    if find is not None:
        stem = f"finds/{number:03d}-{asked.claim.id}" + "".join(f"-{name}" for name in asked.dropped)
        written, new = _written(asked, find, stem)
        files |= new
    own = None
    if compare and len(asked.dropped) == 1:
        own = _own(asked, find) if complete else OwnCounterexample(None, LATER)
    kept, least = tuple(sorted(asked.kept)), min(margins, default=None)
    return Searched(
        asked.claim.id,
        kept,
        asked.dropped,
        len(here),
        drawn,
        met,
        decided,
        undecided,
        least,
        len(refuted),
        written,
        own,
    )


def _smallest(asked: Challenge, texts: Sequence[str]) -> Find | None:
    """The smallest of the finds once shrunk."""
    models = distinct([Model.of_canonical(json.loads(text)) for text in texts])[:SHRUNK]
    small = [shrunk(model, partial(still_of_its_kind, asked, bool(asked.violated(model)))) for model in models]
    if not small:
        return None
    model = distinct(small)[0]
    return Find(model, asked.verdict(model), asked.violated(model))


def still_of_its_kind(asked: Challenge, violates: bool, model: Model) -> bool:
    """Whether a smaller model is a counterexample of the same kind: one that violates a dropped hypothesis, or none."""
    return bool(asked.violated(model)) == violates and asked.verdict(model).status is Status.REFUTED


def _written(asked: Challenge, find: Find, stem: str) -> tuple[WrittenFind, dict[str, bytes]]:
    """The find as data, and its files: the model, and its certificates, for ``tdcert check``."""
    model, verdict = find.model, find.verdict
    certificates = {
        f"{stem}-{k}{CERTIFICATES}": write.text(write.document(certificate, model, asked.claim.id)).encode()
        for k, certificate in enumerate(verdict.certificates, start=1)
    }
    body = {**model.canonical, "name": f"counterexample to {asked.claim.id}"}
    text = (json.dumps(body, sort_keys=True, indent=1) + "\n").encode()
    written = WrittenFind(
        model.canonical,
        size(model),
        find.violated,
        verdict.detail,
        dict(verdict.witness),
        f"{stem}.json",
        tuple(certificates),
    )
    return written, {f"{stem}.json": text, **certificates}


def _own(asked: Challenge, find: Find | None) -> OwnCounterexample:
    """The counterexample in the claim's file: its size, and whether the find is smaller."""
    for ablation in asked.claim.ablations:
        if ablation.hypothesis.id == asked.dropped[0] and ablation.supports is None:
            found = find_counterexample(asked.claim, ablation)
            if found is not None:
                own = size(found[0])
                return OwnCounterexample(own, "nothing found" if find is None else _compared(size(find.model), own))
    return OwnCounterexample(None, "nothing to compare with")


def _compared(mine: tuple[int, ...], own: tuple[int, ...]) -> str:
    return "smaller" if mine < own else "larger" if mine > own else "equal"


def _row(title: str, part: Searched) -> tuple[Any, ...]:
    find, own, margin = part.find, part.own, "" if part.least_margin is None else f"{part.least_margin:.3g}"
    smallest = f"{describe(Model.of_canonical(find.model))}; {_sized(find.size)}" if find else "none found"
    row = (title, *part.counts, margin, smallest, find.why if find else "")
    return row if own is None else (*row, f"{own.find_is} ({_sized(own.size)})" if own.size else own.find_is)


def _sized(numbers: Sequence[int]) -> str:
    n, d, largest, total = numbers
    return f"n = {n}, d = {d}, largest number {largest}, sum {total}"


def _figures(searched: Sequence[Searched]) -> tuple[Figure, ...]:
    """The least margin that each screened question met."""
    met = [(float(k), part.least_margin) for k, part in enumerate(searched, 1) if part.least_margin is not None]
    if not met:
        return ()
    x, y = zip(*met, strict=True)
    return (
        Figure(
            "least_margins",
            None,
            "Least margin met, question by question",
            "question",
            "least margin",
            (Series("least margin", x, y, marks="points"),),
            "Floats that say where to look: a margin below zero, beyond rounding, would point at a counterexample. "
            "Only exact arithmetic decides.",
            x_names=tuple(" without ".join((part.claim, *part.dropped)) for part in searched),
        ),
    )
