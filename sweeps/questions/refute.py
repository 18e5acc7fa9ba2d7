"""Refute: look for a model on which a claim fails.

    [refute]
    claims = ["prop_4_1"]      # ids; "all"; or "screened", those with a float margin
    drop = []                  # hypotheses that need not hold, or "each": the needed ones one at a time
    reading = "corrected"      # or "stated": without the hypotheses that the correction adds
    search = "margin"          # floats point at models; "exact": all are decided; "both": a batch of either in turn
    models = 50_000            # models of one index
    decided = 60               # models of one index whose batch is decided whole
    descent = 20               # steps of local descent from the model with the least margin
    compare = false            # whether finds are measured, at the end, against those in the claims' files

    [[family]]                 # as many as wanted, in turn; see sweeps.families
    kind = "garnet"
    states = [3, 4]            # every combination with width, in turn
    width = 2

Index i asks cell i mod c of the c cells (claim, dropped hypotheses), so a sweep cut short has asked all of them about
as often. A model is called a find only after the claim's own check has refuted it with exact numbers while every kept
hypothesis holds exactly; then it is shrunk (:mod:`tdcert.sweeps.shrink`). "Nothing found" is a count of models, never a
verdict.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from tdcert.claims.claim import Claim
from tdcert.claims.own import every
from tdcert.claims.paper import claims_with_forms
from tdcert.sweeps.draws import Draws
from tdcert.sweeps.families import Freedom, ModelFamily, family_of
from tdcert.sweeps.hunt import BatchOutcome, Hunted, decide_all, hunt
from tdcert.sweeps.question import Result, SweepQuestion, by_column
from tdcert.sweeps.questions.finds import report
from tdcert.sweeps.shrink import Challenge
from tdcert.sweeps.spec import Spec
from tdcert.sweeps.tables import Table
from tdcert.theory.errors import InputError

COLUMNS = (
    ("index", "int64"),
    ("cell", "int64"),
    ("screened", "int64"),
    ("met", "int64"),
    ("decided", "int64"),
    ("undecided", "int64"),
    ("margin", "float64"),
    ("status", "string"),
    ("states", "int64"),
    ("features", "int64"),
    ("model", "string"),
)
"""The columns of each index: models drawn, models that met the hypotheses as far as was asked, models decided exactly;
the least margin (not a number where there is none), and the model it belongs to or the smallest find, in canonical
form."""

ADDED = {
    "A nonsingular": "A_nonsingular",
    "coverage": "coverage",
    "one stationary law of X_t": "unique_law",
    "no negative feature, for the infinite half": "nonnegative_features",
}
"""Added hypotheses of corrected readings that are hypotheses about models. Others speak of steps or of the law's
definition, or replace the statement itself."""
SEARCHES = ("margin", "exact", "both")
DEFAULTS = {"margin": ("uniform", "garnet", "near_reducible", "birth_death"), "exact": ("tiny",), "both": ("tiny",)}
"""Families of each search where none are given."""


@dataclass(frozen=True)
class Refute:
    """The question; see the module docstring. ``key`` names its random numbers."""

    key: str
    cells: tuple[Hunted, ...]
    models: int
    decided: int
    descent: int
    compare: bool

    columns = COLUMNS

    def rows(self, first: int, count: int) -> Mapping[str, Sequence[Any]]:
        """One row for each index."""
        return by_column(COLUMNS, map(self._row, range(first, first + count)))

    def outcome(self, index: int) -> BatchOutcome:
        """What one index finds."""
        cell = self.cells[index % len(self.cells)]
        number, turn = divmod(index // len(self.cells), 2) if cell.search == "both" else (index // len(self.cells), 0)
        screened = cell.search == "margin" or (turn == 1 and cell.asked.claim.form is not None)
        family = cell.families[number % len(cell.families)]
        # Every second batch of a claim that allows both is on-policy: chains alone are the smaller models.
        on_policy = (
            None
            if cell.asked.kept & {"on_policy", "on_policy_everywhere"}
            else bool(number // len(cell.families) % 2 == 0)
        )
        if {"on_policy", "on_policy_everywhere", "coverage", "coverage_everywhere"} & set(cell.asked.dropped):
            on_policy = False
        name = f"{self.key}/{cell.title}/{screened or turn}"
        if screened:
            draws = Draws(name, number * self.models, self.models)
            return hunt(cell.asked, family, draws, on_policy, self.descent)
        return decide_all(cell.asked, family.batch(Draws(name, number * self.decided, self.decided), on_policy))

    def _row(self, index: int) -> tuple[Any, ...]:
        found = self.outcome(index)
        model, counts = found.model, (found.screened, found.met, found.decided, found.undecided)
        text = json.dumps(model.canonical, sort_keys=True, separators=(",", ":")) if model else ""
        sizes = (model.n, model.d) if model else (0, 0)
        return index, index % len(self.cells), *counts, found.margin, found.status, *sizes, text

    def finish(self, table: pa.Table, complete: bool) -> Result:
        """What was searched, cell by cell; finds shrunk, each with its certificates."""
        return report(self.cells, table, complete, self.compare)


def refute(spec: Spec) -> SweepQuestion:
    """The question of a spec of kind ``refute``. Raises :class:`InputError`."""
    top = Table(spec.question, "the sweep")
    table = top.table("refute")
    families = top.tables("family")
    top.done()
    reading = table.word("reading", "corrected", ("corrected", "stated"))
    search = table.word("search", "margin", SEARCHES)
    models, decided = table.whole("models", 50_000, most=10**7), table.whole("decided", 60, most=10**6)
    drop, compare = table.words("drop", ["none"]), table.flag("compare", False)
    descent = table.whole("descent", 20, least=0, most=1000)
    chosen = _claims(table.words("claims", ["all"]), search)
    table.done()
    cells = [
        Hunted(asked, tuple(_families(asked.kept, families, search)), search)
        for claim in chosen
        for asked in _asked(claim, drop, reading, lenient=len(chosen) > 1)
    ]
    if not cells:
        raise InputError("no claim is left to be asked about: none of them needs a hypothesis that was named in drop")
    return Refute(spec.digest, tuple(cells), models, decided, descent, compare)


def _claims(ids: list[str], search: str) -> list[Claim]:
    known, screened = {row.id: row for row in every() if not row.is_open}, claims_with_forms()
    if ids == ["all"]:
        ids = list(screened) if search == "margin" else list(known)
    elif ids == ["screened"]:
        ids = list(screened)
    for claim_id in ids:
        if claim_id not in known:
            if claim_id in ("all", "screened"):
                raise InputError(f'"{claim_id}" in claims stands alone; leave out the other ids')
            raise InputError(f"there is no decided claim '{claim_id}'; 'tdcert verify' lists them")
        if search == "margin" and claim_id not in screened:
            raise InputError(f'claim {claim_id} has no float margin to search by; give search = "exact"')
    return [known[claim_id].load() for claim_id in dict.fromkeys(ids)]


def _asked(claim: Claim, drop: list[str], reading: str, lenient: bool) -> list[Challenge]:
    """The claim without the named hypotheses; ``lenient``: not asked at all where it does not have them."""
    kept = [h.id for h in claim.hypotheses]
    if reading == "stated":
        named = () if claim.corrected is None else claim.corrected.added_hypotheses
        added = {ADDED[name] for name in named if name in ADDED}
        if not added:
            what = "is printed as it is decided" if claim.corrected is None else "is printed as another statement"
            raise InputError(f'claim {claim.id} {what}; give reading = "corrected"')
        kept = [name for name in kept if name not in added]
    if drop == ["each"]:
        return [Challenge(claim, frozenset(kept) - {name}) for name in kept]
    if drop == ["none"]:
        return [Challenge(claim, frozenset(kept))]
    for name in drop:
        if name not in kept:
            if lenient:
                return []
            raise InputError(f"claim {claim.id} has no hypothesis '{name}'; it has {', '.join(kept) or 'none'}")
    return [Challenge(claim, frozenset(kept) - set(drop))]


def _families(kept: frozenset[str], tables: list[Table], search: str) -> list[ModelFamily]:
    freedom = Freedom(kept)
    given = tables or [Table({"kind": kind}, "[family]") for kind in DEFAULTS[search]]
    return [family for table in given for family in family_of(table, freedom, endless=search != "margin")]
