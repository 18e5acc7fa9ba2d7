"""How far averages of TD's iterates are from the true value, exactly propagated, and from when first order holds.

The first-order form ‖Φθ* − V‖² + v/T is a statement about large T. Where it is drawn, the exact moments of the averages
have been propagated beside it, and from ``holds_from`` to the last of them the two differ by at most :data:`AGREES`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tdcert.algorithms.schedules import applicable, chain_of
from tdcert.analysis.advice.compared_schedules import Compared
from tdcert.analysis.facts import ModelFacts, Values
from tdcert.analysis.limits import AVERAGES_WORK
from tdcert.analysis.request import SimulationRequest
from tdcert.sims.step_sizes import Polynomial
from tdcert.sims.trajectories import uniform_start
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.errors import BudgetExceededError
from tdcert.theory.laws.averages import averaged_errors, work_of
from tdcert.theory.model.mdp import Model

AGREES = 0.1
"""Largest part by which the first-order form may differ from the exact error where it is drawn."""
STRETCH = 4
"""It must agree over at least so large a factor of T: one crossing of two curves is not an agreement."""
SHOWN = 6
"""Most schedules."""


@dataclass(frozen=True)
class AveragedErrors:
    """E ‖Φθ̄_T − V‖²_D at the ``times``, θ̄_T the average of θ_0 … θ_{T−1}; ``error`` and ``variance`` of the form to
    first order, which holds from T = ``holds_from`` on, None where it does not.
    """

    name: str
    times: tuple[int, ...]
    squared: tuple[float, ...]
    error: float
    variance: float

    def first_order(self, T: float) -> float:
        """‖Φθ* − V‖² + v/T."""
        return self.error + self.variance / T

    @property
    def holds_from(self) -> int | None:
        """The first of the times from which on all agree, over a factor of T of :data:`STRETCH` at least."""
        first = None
        for T, exact in reversed(list(zip(self.times, self.squared, strict=True))):
            if not abs(self.first_order(T) - exact) <= AGREES * exact:
                break
            first = T
        return first if first is not None and first * STRETCH <= self.times[-1] else None


def averages(
    model: Model, facts: ModelFacts, rows: Sequence[Compared], experiment: SimulationRequest
) -> tuple[AveragedErrors, ...]:
    """The averaged errors of the first schedules whose windows are few, under decreasing steps. Under constant steps
    averages have a limit of their own, which is not θ*.
    """
    if facts.single is None or not isinstance(facts.value, RationalMatrix):
        return ()
    found: list[AveragedErrors] = []
    for row in rows:
        inner = model.with_schedule(row.candidate.schedule)
        if row.error is None or row.variance is None or row.td is None or not row.td.is_stable:
            continue
        algorithm = applicable(model)[0]
        steps = experiment.step_sizes(inner, algorithm)
        if not inner.schedule.is_finite or not isinstance(steps.alpha, Polynomial) or len(found) == SHOWN:
            continue
        last = experiment.times[-1]
        most = int(AVERAGES_WORK / work_of(1, last, inner.d + 1))
        try:
            squared = averaged_errors(
                chain_of(inner, algorithm, uniform_start(inner), until=last, most=most),
                steps.arrays(last),
                experiment.times,
                theta0=[1.0] * inner.d,
                features=inner.features.to_float(),
                value=facts.value.to_float()[:, 0],
                law=_law(facts.single.stationary, inner, facts.single.states),
            )
        except BudgetExceededError:
            continue
        found.append(AveragedErrors(row.name, experiment.times, squared, row.error.middle, row.variance.middle))
    return tuple(found)


def _law(known: Values | None, model: Model, states: tuple[int, ...]) -> np.ndarray:
    exact = known if isinstance(known, RationalMatrix) else model.behaviour_chain.stationary_law(states)
    return np.asarray(exact.to_float()[:, 0])
