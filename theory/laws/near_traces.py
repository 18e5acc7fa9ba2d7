r"""Traces of a λ without end, up to a distance: finitely many nodes in the place of infinitely many traces.

The trace before its last ratio obeys z' = φ(s') + λρΓ z. A node is a state with a centre c, a float vector; a step
leads from c to the node that has the place of φ(s') + λρΓ c on a grid. Along any path the true trace then lies within
r_h of the centre of its node h, where

    r_{h'} ≥ |λρΓ| r_h + s,    s = |φ(s') + λρΓ c_h − c_{h'}|,    on every step h → h',

for it does so at the start, where both are φ(s). With G_j the largest product of j factors |ρΓ|, one such r is
max s · (1 + Σ_{j≥1} λʲ G_j); each round of r_{h'} ← max (|λρΓ| r_h + s) over the steps into h' gives a smaller one.
All of this is rounded upwards. There are as many nodes as places of the grid that traces visit: a power of the
accuracy, where windows of ℓ states grow exponentially with ℓ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tdcert.theory.arithmetic.float_enclosures import Floats
from tdcert.theory.errors import BudgetExceededError
from tdcert.theory.laws.schedule_update import Array, ScheduleUpdate
from tdcert.theory.laws.windows import StepOutcome, WindowChain, state_outcomes
from tdcert.theory.model.mdp import Model

UP = 1 + 2.0**-40
"""Covers what a few operations on floats of one sign round."""
ROUNDS = 200
"""Most rounds in which the distances from the centres are made smaller."""


@dataclass(frozen=True)
class NearTraces(WindowChain):
    """Nodes as windows without a past. ``centres`` (nodes × d); ``radius`` (nodes): how far a trace may be from one."""

    centres: Floats
    radius: Floats

    def _traces(self, plain: bool) -> Array:
        return np.abs(self.centres) if plain else self.centres


def largest_sum(outcomes: Sequence[StepOutcome], lam: float, states: Sequence[int]) -> float:
    """Σ_{j≥1} λʲ G_j, from above; infinite where no m up to twice the number of states has λᵐ G_m < 1."""
    place = {s: k for k, s in enumerate(states)}
    factor = np.zeros((len(place),) * 2)
    for o in outcomes:
        if o.state in place and o.after in place:
            at = place[o.state], place[o.after]
            factor[at] = max(factor[at], UP * lam * abs(float(o.rho * o.discount)))
    products, total = np.ones(len(place)), 0.0
    for _ in range(2 * len(place)):
        products = (products[:, None] * factor).max(axis=0)
        largest = float(products.max()) * UP
        total += largest
        if largest < 1:
            return UP * total / (1 - largest)
    return float("inf")


def has_bounded_traces(model: Model, algorithm: ScheduleUpdate, states: Sequence[int]) -> bool:
    """Whether λᵐ G_m < 1 is seen for some m: what :func:`near_traces` needs."""
    outcomes = [o for here in state_outcomes(model, importance=algorithm.off_policy) for o in here]
    return largest_sum(outcomes, abs(float(model.schedule.tail)), states) < float("inf")


def near_traces(
    model: Model, algorithm: ScheduleUpdate, states: Sequence[int], spacing: float, most: int
) -> NearTraces:
    """The nodes that are reached from the recurrent class ``states``, on a grid of ``spacing`` times the largest
    feature. The schedule is a constant λ without end, its traces are bounded.

    Raises :class:`BudgetExceededError` beyond ``most`` steps, and :class:`InputError` as
    :meth:`ScheduleUpdate.require_policies`.
    """
    algorithm.require_policies(model)
    outcomes = tuple(o for here in state_outcomes(model, importance=algorithm.off_policy) for o in here)
    Phi, lam = model.features.to_float(), float(model.schedule.tail)
    beyond = largest_sum(outcomes, abs(lam), states)
    leaving = [[k for k, o in enumerate(outcomes) if o.state == s] for s in range(model.n)]
    factor = np.array([lam * float(o.rho * o.discount) for o in outcomes])
    after = np.array([o.after for o in outcomes])
    grid = spacing * float(np.abs(Phi[list(states)]).max())
    nodes: dict[tuple[int, bytes], int] = {}
    found, centres = list[int](), list[Floats]()

    def node(state: int, trace: Floats, place: Floats) -> int:
        key = state, place.tobytes()
        index = nodes.setdefault(key, len(found))
        if index == len(found):
            found.append(state)
            centres.append(trace)
        return index

    for s in states:  # first, so that their centres are exact
        node(s, Phi[s], np.rint(Phi[s] / grid) + 0.0)
    moves = list[tuple[int, int, int]]()
    for h, s in enumerate(found):  # grows while it is read
        steps = leaving[s]
        ahead = Phi[after[steps]] + factor[steps, None] * centres[h]
        places = np.rint(ahead / grid) + 0.0  # no -0.0, which is another key
        moves += [(node(int(after[k]), z, place), h, k) for k, z, place in zip(steps, ahead, places, strict=True)]
        if len(moves) > most:
            raise BudgetExceededError(f"traces that differ by {grid:.2g} take more than {most} transitions")
    moves.sort()
    target, source, outcome = np.array(moves, dtype=np.int64).T
    C = np.array(centres)
    # the three terms of s are rounded by at most 2⁻⁵⁰ of their sizes
    parts = Phi[after[outcome]], factor[outcome, None] * C[source], C[target]
    off = np.abs(parts[0] + parts[1] - parts[2]) + 2.0**-50 * sum(np.abs(part) for part in parts)
    apart = UP * np.sqrt((off * off).sum(axis=1)) + 2.0**-500
    radius = _radii(source, target, UP * np.abs(factor[outcome]), apart, beyond)
    start = np.array([Fraction(1, len(states))] * len(states) + [Fraction(0)] * (len(C) - len(states)), dtype=object)
    windows = tuple((s, ()) for s in found)
    return NearTraces(model, algorithm, windows, 1, outcomes, source, target, outcome, start, C, radius)


def _radii(
    source: NDArray[np.int64], target: NDArray[np.int64], factor: Floats, apart: Floats, beyond: float
) -> Floats:
    """r of each node, from above; moves are sorted by ``target``, and every node but those of the start has one."""
    count = int(max(source.max(), target.max())) + 1
    r = np.full(count, UP * float(apart.max()) * (1 + beyond))
    entered = np.unique(target)
    first = np.searchsorted(target, entered)
    for _ in range(ROUNDS):
        smaller = r.copy()
        smaller[entered] = np.minimum(r[entered], UP * np.maximum.reduceat(factor * r[source] + apart, first))
        if (smaller > 0.99 * r).all():
            return smaller
        r = smaller
    return r
