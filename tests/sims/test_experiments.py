"""The experiments of appendix A5: their models against the text, their runs against slower writings of the same."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from sims.agreement import ErrorBudget, judge_mean
from sims.algorithms import TD, Transition
from sims.experiments import random_walk_100 as a51
from sims.experiments.episodes import Episodes, draw_episodes
from theory.arithmetic import RationalMatrix
from theory.check.moments import finite_time_moments
from theory.errors import InputError
from theory.model.schedule import Schedule

SEED = 23
SHORT = 3
"""Steps of an episode, in tests."""
ROUNDING = 1e-12
"""Two writings of the same numbers, of size 20 at most: under 100 roundings in a row, 100 · 20 · 2⁻⁵³ < 1e-12."""


@pytest.fixture(scope="module")
def small() -> a51.Problem:
    return a51.draw_problem(SEED, 0, n=4, actions=2)


# ---- A5.1 ----------------------------------------------------------------------------------------------


def test_the_random_walk_is_as_the_paper_says() -> None:
    problem = a51.draw_problem(SEED, 0)
    model = problem.model
    assert (model.n, model.d, len(model.actions), model.gamma) == (100, 100, 5, Fraction(19, 20))
    assert model.is_on_policy and model.features == model.features.identity(100)
    assert all(P.to_float().min() > 0 for P in model.transitions)
    assert all(R.to_float().min() >= 0 and 0.99 < R.to_float().max() <= 1 for R in model.rewards)
    assert sum(problem.start) == 1 and len(set(problem.start)) > 50
    # V solves V = r + γPV, and is ½/(1 − γ) up to what 500 uniform rewards leave of it
    assert np.abs(problem.r + problem.gamma * problem.P @ problem.V - problem.V).max() < ROUNDING
    assert problem.V.min() > 9.5 and problem.V.max() < 10.5
    assert a51.SCHEDULES[a51.PAPER] == Schedule.equal_weights(30, 60) and a51.ALPHAS == (0.005, 0.01)
    digests = {a51.draw_problem(SEED, k, n=2, actions=1).model.digest for k in (0, 1, 0)}
    assert len(digests) == 2


def one_after_the_other(runs: Episodes, schedule: Schedule, alpha: float, theta0: float) -> np.ndarray:
    """θ after each step: the readable TD, told at each episode's start that its trace begins anew."""
    path, found = runs.path, []
    algorithm = TD()
    algorithm.reset(
        n_features=runs.model.d, lambdas=[float(x) for x in schedule.lambdas],
        theta0=np.full((runs.runs, runs.model.d), theta0), tail=float(schedule.tail),
    )  # fmt: skip
    for episode, step in product(range(runs.count), range(runs.length)):
        t = episode * (runs.length + 1) + step
        s, after = path.states[:, t], path.states[:, t + 1]
        algorithm.step(
            Transition(
                s, path.actions[:, t], path.rewards[:, t], after, path.Phi[s], path.Phi[after], path.rho[:, t],
                path.discounts[:, t], step == 0,
            ),
            alpha, alpha,
        )  # fmt: skip
        found.append(algorithm.theta)
    return np.array(found).transpose(1, 0, 2)


@pytest.mark.parametrize(
    "schedule", [Schedule(), Schedule.equal_weights(2, 4), Schedule.constant(Fraction(9, 10)), Schedule.n_step(7)],
    ids=["TD(0)", "EqualWeights(2,4)", "λ = 0.9", "7-step"],
)  # fmt: skip
def test_joined_episodes_are_episodes_one_after_the_other(small: a51.Problem, schedule: Schedule) -> None:
    runs = draw_episodes(small.model, small.start, 5, 4, SHORT, SEED, "joined episodes")
    times = range(1, 4 * SHORT + 1)
    slow = one_after_the_other(runs, schedule, 0.1, 2.0)
    assert np.abs(runs.iterates(schedule, 0.1, list(times), 2.0) - slow).max() < ROUNDING
    # each episode is drawn anew: the joints are no transitions of the chain, and teach nothing
    joints = runs.path.discounts[:, SHORT :: SHORT + 1]
    assert joints.shape == (5, 4) and not joints.any()


def test_steps_beyond_the_episodes_are_refused(small: a51.Problem) -> None:
    runs = draw_episodes(small.model, small.start, 1, 2, SHORT, SEED, "too short")
    with pytest.raises(InputError, match="end before step 7"):
        runs.iterates(Schedule(), 0.1, [7], 0.0)
    with pytest.raises(InputError, match="at least one"):
        draw_episodes(small.model, small.start, 0, 2, SHORT, SEED, "none")


def paths(problem: a51.Problem, length: int) -> list[tuple[float, list[tuple[int, int, float]]]]:
    """Every episode with its probability: (s, s', R) step by step."""
    model, found = problem.model, [(float(p), s, []) for s, p in enumerate(problem.start)]
    moves = [
        [
            (float(model.target[s, a] * P[s, j]), j, float(R[s, j]))
            for a, (P, R) in enumerate(zip(model.transitions, model.rewards, strict=True))
            for j in range(model.n)
        ]
        for s in range(model.n)
    ]
    for _ in range(length):
        found = [(p * q, j, [*steps, (s, j, R)]) for p, s, steps in found for q, j, R in moves[s]]
    return [(p, steps) for p, _, steps in found]


def walked(steps, theta, alpha, c, gamma, frozen=None):
    """θ after an episode; δ at ``frozen`` instead of θ where that is given. Written out, entry by entry."""
    theta = theta.copy()
    for t, (s, after, R) in enumerate(steps):
        at = theta if frozen is None else frozen
        delta = R + gamma * at[after] - at[s]
        for k in range(min(t, len(c) - 1) + 1):
            theta[steps[t - k][0]] += alpha * delta * c[k] * gamma**k
    return theta


def test_the_exact_mean_of_td0_is_the_sum_over_all_paths() -> None:
    """Two episodes of two steps, two states: through a joint. And E θ_t within an episode as the moments have it."""
    problem = a51.draw_problem(SEED, 2, n=2, actions=2)
    every, mean = paths(problem, 2), np.zeros(2)
    for p, first in every:
        between = walked(first, np.full(2, 3.0), 0.2, [1.0], problem.gamma)
        for q, second in every:
            mean += p * q * walked(second, between, 0.2, [1.0], problem.gamma)
    found = a51.mean_of_td0(problem, 0.2, 3.0, [2, 4], length=2)
    assert np.abs(found[1] - mean).max() < ROUNDING
    exact = finite_time_moments(problem.model, "td", ([0.2] * 6, [0.2] * 6), [2, 6], start=problem.start)
    own = a51.mean_of_td0(problem, 0.2, 0.0, [2, 6])
    for row, moments in zip(own, exact, strict=True):
        assert np.abs(row - moments.mean).max() < ROUNDING


@pytest.mark.parametrize(
    ("schedule", "c"),
    [
        (Schedule(), [1.0]),
        (Schedule.equal_weights(1, 3), [1, 2 / 3, 1 / 3]),
        (Schedule.constant(Fraction(1)), [1.0] * 3),
    ],
    ids=["TD(0)", "EqualWeights(1,3)", "λ = 1"],
)
def test_the_mean_flow_is_the_mean_increment_over_all_paths(schedule: Schedule, c: list[float]) -> None:
    problem = a51.draw_problem(SEED, 2, n=2, actions=2)
    theta, mean = np.array([3.0, -1.0]), np.zeros(2)
    for p, steps in paths(problem, 3):
        mean += p * walked(steps, np.zeros(2), 1.0, c, problem.gamma, frozen=theta)
    A, b = a51.episode_increment(problem, schedule, length=3)
    assert np.abs(A @ theta + b - mean).max() < ROUNDING
    errors = a51.mean_flow(problem, schedule, 0.01, 0.0, episodes=2)
    assert errors.shape == (3,) and errors[0] == float(a51.rmse(problem, np.zeros(2))) > errors[2]


def drawn_means(problem: a51.Problem, simulated: a51.Problem, budget: ErrorBudget, name: str) -> bool:
    """Whether simulated runs of TD(0), one episode of six steps, agree with the exact mean of ``problem``."""
    runs = draw_episodes(simulated.model, simulated.start, 4_000, 1, 6, SEED, name)
    samples = runs.iterates(Schedule(), 0.5, [6], 0.0)[:, 0]
    (exact,) = finite_time_moments(problem.model, "td", ([0.5] * 6, [0.5] * 6), [6], start=problem.start)
    return judge_mean(
        samples, a51.mean_of_td0(problem, 0.5, 0.0, [6])[0], np.diag(exact.covariance), alpha=budget.spend(name, 1e-9),
        name=name, data_slack=ROUNDING, mean_slack=ROUNDING, variance_slack=ROUNDING, law_distance=runs.law_distance,
    ).agrees  # fmt: skip


def test_runs_agree_with_the_exact_mean_and_wrong_ones_do_not(small: a51.Problem, error_budget: ErrorBudget) -> None:
    """Wrong: another start law, rewards moved to the next state, and another draw of the MDP."""
    assert drawn_means(small, small, error_budget, "A5.1: mean of TD(0)")
    shifted = tuple(RationalMatrix([[*row[1:], row[0]] for row in R.rows]) for R in small.model.rewards)
    for wrong in (
        a51.Problem(small.model, (Fraction(1), *[Fraction(0)] * 3)),
        a51.Problem(replace(small.model, rewards=shifted), small.start),
        a51.draw_problem(SEED, 1, n=4, actions=2),
    ):
        assert not drawn_means(small, wrong, ErrorBudget(), "A5.1: wrong")


def test_orders_are_read_off_every_marked_step() -> None:
    """Three runs: always below, below but for the last mark, equal once."""
    own = np.array([[3.0, 2.0, 1.0], [3.0, 2.0, 1.0], [3.0, 2.0, 1.0]])
    other = np.array([[4.0, 3.0, 2.0], [4.0, 3.0, 0.5], [4.0, 2.0, 2.0]])
    found = a51.Curves(0.01, 0.0, (10, 20, 30), {"own": own, "other": other, "far": own + 9})
    assert found.lowest("own", ["other"]).tolist() == [True, False, False]
    assert found.lowest("own", ["far", "other"], upto=10).all() and not found.lowest("other", ["own"]).any()
    assert found.lowest("own", ["other"], since=30).tolist() == [True, False, True]
    assert found.lower_until("own", "other") == 30 and found.lower_until("other", "own") == 0
    late = a51.Curves(0.01, 0.0, (10, 20, 30), {"own": own, "other": other * [1, 1, 0.1]})
    assert late.lower_until("own", "other") == 20
