"""Errors of averaged iterates, exactly propagated: against a recursion by hand and against sums over all paths."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest

from tdcert.analysis.advice.advise import advise
from tdcert.analysis.averages import AGREES, STRETCH, AveragedErrors, averages
from tdcert.analysis.exact_analysis import exact_facts
from tdcert.analysis.request import SimulationRequest
from tdcert.theory.errors import BudgetExceededError
from tdcert.theory.model.gallery import flip_chain, one_state
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tests.analysis.test_schedule_comparison import coin
from tests.chains import averaged_errors

HALF = Fraction(1, 2)


def by_paths(model: Model, steps: list[float], T: int) -> float:
    """E‖Φθ̄_T − V‖²_D over all paths of T steps, TD written out; θ_0 = 1, s_0 even."""
    P, R, G = (matrices[0].to_float() for matrices in (model.transitions, model.rewards, model.discounts))
    n = model.n
    R, G = (M if M.shape[1] == n else M @ np.ones((1, n)) for M in (R, G))
    Phi = model.features.to_float()
    V = np.linalg.solve(np.eye(n) - P * G, np.sum(P * R, axis=1))
    law = model.behaviour_chain.stationary_law(tuple(range(n))).to_float()[:, 0]
    weights = [1.0]
    for lam in model.schedule.lambdas:
        weights.append(weights[-1] * float(lam))
    total = 0.0
    for path in product(range(n), repeat=T):
        probability = 1 / n * float(np.prod([P[a, b] for a, b in pairwise(path)]))
        theta, sum_ = np.ones(model.d), np.zeros(model.d)
        for t in range(T):
            sum_ += theta
            if t == T - 1:
                break
            z, discount = np.zeros(model.d), 1.0
            for k, weight in enumerate(weights[: t + 1]):
                z += weight * discount * Phi[path[t - k]]
                if t - k > 0:
                    discount *= G[path[t - k - 1], path[t - k]]
            s, after = path[t], path[t + 1]
            theta = theta + steps[t] * (R[s, after] + G[s, after] * Phi[after] @ theta - Phi[s] @ theta) * z
        total += probability * float(law @ (Phi @ sum_ / T - V) ** 2)
    return total


@pytest.mark.parametrize("schedule", [Schedule(), Schedule.n_step(3), Schedule((HALF,))])
def test_it_is_the_mean_over_all_paths(schedule: Schedule) -> None:
    model = flip_chain(Fraction(3, 4), schedule, ((1,), (2,)))
    steps = [0.3 / (t + 2) ** 0.75 for t in range(10)]
    classes = model.behaviour_chain.recurrent_classes
    facts = exact_facts(model)
    assert facts.value is not None and not isinstance(facts.value, tuple)
    value = facts.value.to_float()[:, 0]
    found = averaged_errors(
        model,
        steps,
        [1, 2, 5, 7],
        start=[HALF, HALF],
        theta0=[1.0],
        value=value,
        law=model.behaviour_chain.stationary_law(classes[0]).to_float()[:, 0],
    )
    assert found == pytest.approx([by_paths(model, steps, T) for T in (1, 2, 5, 7)], rel=1e-9)


@pytest.mark.parametrize(("model", "transitions"), [(one_state(HALF), 1), (flip_chain(), 2)], ids=["one", "two"])
def test_it_ends_where_work_does(model: Model, transitions: int) -> None:
    """Each transition takes two products of 2×2 matrices at each of nine times; one multiplication less is too few."""
    enough = 4 * 9 * 2**3 * transitions

    def averaged(work: float) -> tuple[float, ...]:
        n = model.n
        law, start = np.full(n, 1 / n), [Fraction(1, n)] * n
        return averaged_errors(model, np.ones(9), [9], start=start, theta0=[1.0], value=np.ones(n), law=law, work=work)

    assert len(averaged(enough)) == 1
    with pytest.raises(BudgetExceededError, match=f"more than {transitions - 1} transitions"):
        averaged(enough - 1)


def test_first_order_is_drawn_from_where_it_holds() -> None:
    """It must agree within a tenth from there on, and over a factor of four."""

    def drawn(*squared: float) -> int | None:
        return AveragedErrors("one", (1, 10, 100, 1_000), squared, 1.0, 10.0).holds_from  # 11, 2, 1.1, 1.01

    assert drawn(11.0, 2.0, 1.1, 1.01) == 1 and drawn(20.0, 2.0, 1.1, 1.01) == 10
    assert drawn(11.0, 3.0, 1.1, 1.01) == 100 and drawn(11.0, 2.0, 1.1, 2.0) is None
    assert drawn(0.0, 0.0, 0.0, 1.01) is None  # one time alone: too short a stretch
    assert drawn(20.0, 2.0 / 1.09, 1.1, 1.01) == 10 and drawn(20.0, 1.8, 1.1, 1.01) == 100
    assert STRETCH == 4


@pytest.mark.thorough
def test_an_analysis_draws_it_from_the_exact_moments() -> None:
    """The coin with mean rewards 3: the error is that of a constant, 36, so first order holds early."""
    facts = exact_facts(coin(3))
    rows = advise(facts).comparison.rows
    found = averages(coin(3), facts, rows, SimulationRequest(updates=1_000))
    assert [one.name for one in found][:2] == ["3-step", "TD(0)"] and all(one.times[-1] == 1_000 for one in found)
    for one in found:
        assert one.holds_from is not None
        late = [(T, exact) for T, exact in zip(one.times, one.squared, strict=True) if one.holds_from <= T]
        assert all(abs(one.first_order(T) - exact) <= AGREES * exact for T, exact in late)
    constant = SimulationRequest.of_words(0, "0.1", updates=100)
    assert averages(coin(3), facts, rows, constant) == ()
