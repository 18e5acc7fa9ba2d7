"""Which recursion finds the traces of a schedule (``tdcert.sims.kernels.trace_kernels`` has the formulas)."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from tdcert.sims.kernels.records import BLOCKS, CARRIED, ENDLESS, WINDOW, TraceRecursion
from tdcert.theory.model.schedule import Schedule, as_equal_weights, trace_weights

MEMORY = 1000
"""Steps, 1/(1 − |q|), for which a carried trace may remember what rounding made of it."""

GROWTH = 64
"""Times that an epoch of ``lazy`` may enlarge what is rounded: less than the operations of which
``tdcert.sims.rounding`` makes up the bound of any path."""

LONGEST = 256
"""Steps of an epoch at most: it then costs next to nothing to end it."""

_NONE = np.zeros(3)


def recursion(schedule: Schedule) -> TraceRecursion:
    """Constant schedules, n-step returns and EqualWeights have one that costs O(d) a step; others sum their window."""
    c = np.array([float(x) for x in trace_weights(schedule.lambdas)])
    if schedule.tail:
        return TraceRecursion(ENDLESS, float(schedule.tail), 1, 1, c, _NONE, 0)
    if len(set(schedule.lambdas)) <= 1:
        lam = schedule.lambdas[0] if schedule.lambdas else Fraction(1)
        return TraceRecursion(BLOCKS, float(lam), len(c), 1, c, _NONE, 0)
    weights = as_equal_weights(schedule)
    if weights:
        n1, n2 = weights
        return TraceRecursion(BLOCKS, 1.0, n1, n2 - n1 + 1, c, _NONE, 0)
    return TraceRecursion(WINDOW, 1.0, 1, 1, c, _NONE, 0)


def steady(found: TraceRecursion, discount: float | None) -> TraceRecursion:
    """The recursion ``found`` on-policy with one ``discount`` for all transitions (None: there is none).

    Then q is a number, and a cheaper recursion can replace the blocks: it subtracts what leaves the window from what is
    carried. The rounding of what is carried decays with |q|, which must stay away from one (:data:`MEMORY`). |λ| ≤ 1 is
    needed because ``tdcert.sims.rounding`` bounds what is carried by products of discounts.
    """
    one_step = found.kind == BLOCKS and len(found.c) == 1
    if found.kind == WINDOW or one_step or discount is None or abs(found.lam) > 1:
        return found
    q = found.lam * discount
    if abs(q) > 1 - 1 / MEMORY:
        return found
    found = found._replace(epoch=epoch(q))
    if found.kind == ENDLESS:
        return found._replace(steady=np.array([q, 0.0, 0.0]))
    powers = q, q**found.flat / found.m, q ** (found.flat + found.m) / found.m
    return found._replace(kind=CARRIED, steady=np.array(powers))


def epoch(q: float) -> int:
    """The most steps K ≤ :data:`LONGEST` with |q|^−K ≤ :data:`GROWTH`, 0 for q = 0."""
    return min(LONGEST, int(math.log(GROWTH) / -math.log(abs(q)))) if q else 0
