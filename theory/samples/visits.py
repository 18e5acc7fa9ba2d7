"""How many more visits of which pairs would decide: an estimate, from sets as they would be if frequencies stay.

All rows are given more visits, a power of two times as many, with the frequencies that were seen (a row that was never
visited: even ones), until the verdict is decided. Then, pair by pair, the largest additions first, a pair is given back
what it had, where the verdict stays. What is left is the estimate. It is no statement about the true model, and has no
probability: the frequencies are not the law, and visits cannot always be chosen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.samples.row_set import RowSet
from tdcert.theory.samples.sampled_model import SampledModel
from tdcert.theory.samples.verdict import Update, not_begun, verdict
from tdcert.theory.words import Told

DOUBLINGS = 12
"""How often visits are doubled, at most."""
PAIRS = 60
"""Pairs that are given back their visits one by one, at most: for each the verdict is sought anew."""

Pair = tuple[int, int]
START: Pair = (-1, -1)
"""In the place of a pair: the row of the start."""


@dataclass(frozen=True, repr=False)
class VisitsEstimate(Told):
    """An estimate of the visits that would decide a verdict about ``update``.

    ``visits``: for each pair of state and action how many more, those that need none left out; empty where the verdict
    is decided; None where none is estimated, for the reason in ``why``. ``answer``: what the verdict would be.
    """

    update: Update
    visits: Mapping[Pair, int] | None
    answer: MeanDynamics
    why: str = ""
    starts: int = field(default=0, kw_only=True)

    @property
    def sentence(self) -> str:
        """The estimate in words."""
        if self.visits is None:
            return f"no estimate of the visits that would decide {self.update}: {self.why}"
        if not self.visits and not self.starts:
            return f"{self.update} is decided"
        most = sorted(self.visits.items(), key=lambda item: -item[1])
        shown = ", ".join(f"{count:,} of action {a} in state {s}" for (s, a), count in most[:5])
        others = f", and some of {len(most) - 5} more pairs" if len(most) > 5 else ""
        begun = [f"{self.starts:,} of the start"] * bool(self.starts)
        listed = ", ".join([part for part in (shown + others, *begun) if part])
        return f"an estimate, if frequencies stay as they are: {self.update} would be {self.answer} after {listed}"


def estimate_visits(found: SampledModel, update: Update) -> VisitsEstimate:
    """The estimate for one algorithm."""
    now = verdict(found, update)
    if now.answer is not MeanDynamics.UNDECIDED:
        return VisitsEstimate(update, {}, now.answer)
    if found.markov and found.markov_refuted:
        return VisitsEstimate(update, None, now.answer, "the data refute that these states are Markov")
    if why := not_begun(found):
        return VisitsEstimate(update, None, now.answer, why)
    pairs, then, changed = _unsure(found), now, dict[Pair, RowSet]()
    for doubled in range(1, DOUBLINGS + 1):
        changed = {pair: _visited(row, max(row.n, 1) << doubled) for pair, row in pairs.items()}
        then = verdict(_with_rows(found, changed), update)
        if then.answer is not MeanDynamics.UNDECIDED:
            break
    else:
        return VisitsEstimate(update, None, now.answer, f"{2**DOUBLINGS:,} times the visits would not decide either")
    for pair in sorted(changed, key=lambda pair: -changed[pair].n) if len(changed) <= PAIRS else ():
        less = {other: row for other, row in changed.items() if other != pair}
        if verdict(_with_rows(found, less), update).answer is then.answer:
            changed = less
    more = {pair: row.n - pairs[pair].n for pair, row in changed.items()}
    visits = {pair: count for pair, count in more.items() if pair != START}
    return VisitsEstimate(update, visits, then.answer, starts=more.get(START, 0))


def _unsure(found: SampledModel) -> dict[Pair, RowSet]:
    """The rows that visits narrow, by pair; the start's row at :data:`START`. The laws of actions of an unknown policy
    stay as they are.
    """
    rows = {
        (s, a): row
        for s, of_state in enumerate(found.rows)
        for a, row in enumerate(of_state)
        if row.k > 1 and s not in found.terminal
    }
    if found.terminal and (start := found.rows[found.terminal[0]][0]).k > 1:
        rows[START] = start
    return rows


def _visited(row: RowSet, n: int) -> RowSet:
    """A row with about n visits, its frequencies as they are."""
    return replace(row, counts=tuple(round(p * n) for p in row.centre))


def _with_rows(found: SampledModel, changed: Mapping[Pair, RowSet]) -> SampledModel:
    """A set with other rows in the places of some."""
    return replace(
        found,
        rows=tuple(
            tuple(changed.get(START if s in found.terminal else (s, a), row) for a, row in enumerate(of_state))
            for s, of_state in enumerate(found.rows)
        ),
    )
