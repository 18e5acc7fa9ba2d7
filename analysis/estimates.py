"""About how many seconds parts of an analysis take, by sizes of the model alone: mostly within a factor of three.

Measured on random dense chains of 5 to 40 states in fractions, and of 38 to 500 in floats, on a processor of 2020.
"""

from __future__ import annotations

from collections.abc import Sequence

from tdcert.analysis.advice.compared_schedules import Candidate
from tdcert.analysis.choose_arithmetic import exact_bits
from tdcert.theory.model.mdp import Model

OF_A_PATH = 1e-3
"""For the checker: each path of two transitions, in the relations of all claims together."""
OF_CLAIMS, OF_FRACTIONS = 6.5e-7, 8e-9
"""For each n·d·(n + d), or each multiplication of a comparison, × bits of the longest exact numbers."""
OF_FLOATS, OF_STEPS = 2e-9, 4.5e-9
"""For each multiplication of a comparison in floats with bounds, and for each n·d³ of a schedule's constant steps."""


def claims_seconds(model: Model) -> float:
    """Every claim of an exact model, with its certificates."""
    n, d = model.n, model.d
    return OF_A_PATH * paths_of_two(model) + OF_CLAIMS * n * d * (n + d) * exact_bits(model)


def schedules_seconds(model: Model, compared: Sequence[Candidate], exactly: bool) -> float:
    """The comparison of these schedules, in fractions or in floats with bounds."""
    return (OF_FRACTIONS * exact_bits(model) if exactly else OF_FLOATS) * work(model, compared)


def steps_seconds(model: Model, compared: Sequence[Candidate]) -> float:
    """The largest constant steps under these schedules, in floats with bounds."""
    finite = sum(one.schedule.is_finite for one in compared)
    return OF_STEPS * finite * model.n * model.d**3


def work(model: Model, compared: Sequence[Candidate]) -> float:
    """About how many multiplications a comparison takes: n²d Σ(L + 1); without end a solution takes the place."""
    n, d = model.n, model.d
    products = sum(n // d + 1 if c.schedule.tail else len(c.schedule.lambdas) + 1 for c in compared)
    return float(n) * n * d * products


def paths_of_two(model: Model) -> int:
    """How many paths of two transitions behaviour takes from all states together."""
    following: list[list[int]] = [[] for _ in range(model.n)]
    for a, P in enumerate(model.transitions):
        for s, row in enumerate(P.numerator.table()):
            following[s] += [t for t, x in enumerate(row) if x != 0 and model.behaviour[s, a]]
    return sum(len(following[t]) for ahead in following for t in ahead)
