"""Every kind of schedule, path by path: kernels may have a recursion for each, the functions have Horner's rule."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tdcert.sims.algorithms import ALGORITHMS, run
from tdcert.sims.kernels import float_schedule, replay
from tdcert.sims.rounding import difference_bound
from tdcert.sims.step_sizes import Polynomial, StepSizes
from tdcert.theory.model.schedule import Schedule
from tests.sims.telling import START, drawn, telling

F = Fraction
SCHEDULES = {
    "one step": Schedule(),
    "n-step": Schedule.n_step(3),
    "constant": Schedule.constant(F(3, 4), 3),
    "without end": Schedule.constant(F(3, 4)),
    "EqualWeights": Schedule.equal_weights(2, 5),
    "any": Schedule((F(3, 4), F(1), F(1, 2), F(7, 8), F(2, 3))),
}
STEPS = StepSizes(Polynomial(0.3, 2.0, 0.9), Polynomial(0.6, 2.0, 0.7))
T = 70
RUNS = 17


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("schedule", SCHEDULES.values(), ids=SCHEDULES.keys())
def test_kernels_follow_the_readable_algorithm_on_every_schedule(schedule: Schedule, algorithm: str) -> None:
    """The first and the last of more runs than stand side by side, for longer than a tile of time: nothing is left over
    from one to the next. Restarts and ρ = 0 are on the way."""
    model = telling(algorithm == "td", schedule)
    path = drawn(model, START, RUNS, T, 5, "every schedule")
    (alphas, betas), theta0 = STEPS.arrays(T), np.array([1.0, -0.5])
    lambdas = [float(x) for x in schedule.lambdas]
    thetas, ws = run(ALGORITHMS[algorithm](), path, lambdas, alphas, betas, theta0, float(schedule.tail))
    fast = replay(path, model, algorithm, alphas, betas, range(T + 1), theta0=theta0)
    for r in (0, RUNS - 1):
        given = path.run(r), *float_schedule(model), alphas, betas, thetas[:, r], ws[:, r]
        theta_bound, w_bound = difference_bound(algorithm, *given)
        assert np.all(np.abs(thetas[:, r] - fast.thetas[r]) <= theta_bound)
        assert np.all(np.abs(ws[:, r] - fast.ws[r]) <= w_bound)
