"""The propagated moments against the sum over all paths, in fractions; and one update against the key
matrices."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest

from tdcert.algorithms.schedules import PAPER as ALGORITHMS
from tdcert.algorithms.schedules import chain_of, scheduled
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.engine import nodes
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.laws.increments import increment_moments
from tdcert.theory.model.key_matrices import behaviour_matrices, theorem_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.returns import trace
from tdcert.theory.model.schedule import Schedule
from tests.chains import convergence_series, finite_time_moments
from tests.effort import by_default, later

F = Fraction
Vector = list[Fraction]


def two_states(on_policy: bool, d: int = 1, length: int = 1) -> Model:
    """Two states, two actions, discounts that depend on the transition (one of them zero), asymmetric
    everywhere."""
    first = RationalMatrix([[F(1, 3), F(2, 3)], [F(1), F(0)]])
    second = RationalMatrix([[F(0), F(1)], [F(1, 2), F(1, 2)]])
    behaviour = RationalMatrix([[F(1, 4), F(3, 4)], [F(2, 3), F(1, 3)]])
    target = behaviour if on_policy else RationalMatrix([[F(1, 2), F(1, 2)], [F(0), F(1)]])
    phi = RationalMatrix([[F(1), F(1, 2)], [F(-1, 2), F(2)]]).take(columns=list(range(d)))
    return Model(
        ("a", "b"),
        (first, second),
        (RationalMatrix([[F(1)], [F(-2)]]), RationalMatrix([[F(1, 2), F(0)], [F(3), F(1)]])),
        (RationalMatrix([[F(1, 2)], [F(3, 4)]]), RationalMatrix([[F(1), F(4, 5)], [F(0), F(1, 3)]])),
        behaviour,
        target,
        phi,
        Schedule((F(2, 3), F(1, 2))[:length]),
    )


def outcomes(model: Model, s: int) -> Iterator[tuple[Fraction, int, Fraction, Fraction, Fraction]]:
    """(probability, next state, reward, discount, ρ), read off the model directly."""
    for a in range(len(model.actions)):
        for after in range(model.n):
            p = model.behaviour[s, a] * model.transitions[a][s, after]
            if p:
                R, G = model.rewards[a], model.discounts[a]
                reward, discount = R[s, after if R.shape[1] > 1 else 0], G[s, after if G.shape[1] > 1 else 0]
                yield p, after, reward, discount, model.target[s, a] / model.behaviour[s, a]


def dot(x: Vector, y: Vector) -> Fraction:
    return sum((a * b for a, b in zip(x, y, strict=True)), F(0))


def updated(
    algorithm: str,
    theta: Vector,
    w: Vector,
    z: Vector,
    phi: Vector,
    after: Vector,
    reward: Fraction,
    gamma: Fraction,
    alpha: Fraction,
    beta: Fraction,
) -> tuple[Vector, Vector]:
    """One update as printed, written out once more."""
    delta = reward + gamma * dot(after, theta) - dot(phi, theta)
    zw, pw = dot(z, w), dot(phi, w)
    d = range(len(theta))
    dual = [w[i] + beta * (delta * z[i] - phi[i] * pw) for i in d]
    if algorithm == "gtd":
        return [theta[i] + alpha * (phi[i] - gamma * after[i]) * zw for i in d], dual
    if algorithm == "tdc":
        return [theta[i] + alpha * (delta * z[i] - (gamma * after[i] - phi[i]) * zw - phi[i] * pw) for i in d], dual
    return [theta[i] + alpha * delta * z[i] for i in d], w


def all_paths(
    model: Model, algorithm: str, start: Vector, alphas: Vector, betas: Vector, theta0: Vector, w0: Vector
) -> list[tuple[Fraction, Vector]]:
    """(probability, (θ_T, w_T)) of every path of T steps."""
    phi = [list(row) for row in model.features.rows]
    found: list[tuple[Fraction, Vector]] = []

    def extend(p: Fraction, states: list[int], gammas: Vector, rhos: Vector, theta: Vector, w: Vector) -> None:
        t = len(states) - 1
        if t == len(alphas):
            found.append((p, [*theta, *(w if algorithm in ("gtd", "tdc") else [])]))
            return
        for q, after, reward, gamma, rho in outcomes(model, states[-1]):
            ratios = [*rhos, rho]
            z = trace(
                [phi[s] for s in states],
                gammas,
                model.schedule.lambdas,
                t,
                None if algorithm == "td" else ratios,
            )
            new = updated(algorithm, theta, w, z, phi[states[-1]], phi[after], reward, gamma, alphas[t], betas[t])
            extend(p * q, [*states, after], [*gammas, gamma], ratios, *new)

    for s, p in enumerate(start):
        if p:
            extend(p, [s], [], [], theta0, w0)
    return found


def enumerated(paths: list[tuple[Fraction, Vector]], power: int) -> list[Fraction]:
    """E of all products of ``power`` entries of (y, 1), in the order of itertools.product."""
    width = len(paths[0][1]) + 1
    total = [F(0)] * width**power
    for p, y in paths:
        for k, places in enumerate(itertools.product([*y, F(1)], repeat=power)):
            value = p
            for x in places:
                value *= x
            total[k] += value
    return total


START = [F(1, 3), F(2, 3)]
ALPHAS = [F(1, 2), F(1, 3), F(1, 4), F(1, 5), F(1, 6), F(1, 7)]
BETAS = [F(1, 2), F(1, 2), F(1, 3), F(1, 3), F(1, 4), F(1, 4)]


@pytest.mark.parametrize("t", by_default(4, [0, 1, 2, 3, 6]))
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_moments_equal_the_sum_over_all_paths(algorithm: str, t: int) -> None:
    """Exactly in fractions; in floats within the stated rounding bound, which is far below any standard
    error."""
    model = two_states(on_policy=algorithm == "td")
    theta0, w0 = [F(1, 2)], [F(-1)]
    paths = all_paths(model, algorithm, START, ALPHAS[:t], BETAS[:t], theta0, w0)
    assert sum(p for p, _ in paths) == 1
    expected = enumerated(paths, 2)
    steps = (ALPHAS, BETAS)
    exact = finite_time_moments(model, algorithm, steps, [t], start=START, theta0=theta0, w0=w0, exact=True)[0]
    assert list(exact.second.ravel()) == expected
    steps_float = ([float(x) for x in ALPHAS], [float(x) for x in BETAS])
    # rational step sizes rounded to floats are other step sizes, so the bound is checked against those
    as_given = ([F(x) for x in steps_float[0]], [F(x) for x in steps_float[1]])
    again = finite_time_moments(model, algorithm, as_given, [t], start=START, theta0=theta0, w0=w0, exact=True)[0]
    rounded = finite_time_moments(model, algorithm, steps_float, [t], start=START, theta0=theta0, w0=w0)[0]
    assert rounded.second_rounding is not None
    for value, bound, true in zip(
        rounded.second.ravel(), rounded.second_rounding.ravel(), again.second.ravel(), strict=True
    ):
        assert abs(F(float(value)) - true) <= F(float(bound))
        assert bound < 1e-10


@pytest.mark.parametrize("algorithm", later(ALGORITHMS, lambda name: name == "tdc"))
def test_two_features_and_a_longer_window(algorithm: str) -> None:
    model = two_states(on_policy=algorithm == "td", d=2, length=2)
    paths = all_paths(model, algorithm, START, ALPHAS[:4], BETAS[:4], [F(0), F(1)], [F(0), F(0)])
    exact = finite_time_moments(
        model, algorithm, (ALPHAS, BETAS), [1, 4], start=START, theta0=[F(0), F(1)], exact=True
    )[-1]
    assert list(exact.second.ravel()) == enumerated(paths, 2)


@pytest.mark.parametrize("algorithm", by_default(2, ALGORITHMS))
def test_without_end_only_the_first_lambdas_act(algorithm: str) -> None:
    """A constant λ without end: the moments up to t are those of the sum over all paths with t λ's."""
    model = two_states(on_policy=algorithm == "td", d=2)
    long, endless = (model.with_schedule(Schedule.constant(F(2, 3), length)) for length in (9, None))
    paths = all_paths(long, algorithm, START, ALPHAS[:4], BETAS[:4], [F(0), F(1)], [F(0), F(0)])
    exact = finite_time_moments(
        endless, algorithm, (ALPHAS, BETAS), [0, 4], start=START, theta0=[F(0), F(1)], exact=True
    )[-1]
    assert list(exact.second.ravel()) == enumerated(paths, 2)


def test_a_late_time_without_end_is_refused_in_one_sentence() -> None:
    endless = two_states(on_policy=True).with_schedule(Schedule.constant(F(2, 3)))
    with pytest.raises(BudgetExceededError, match="more than 1000 transitions, too many for 1 parameters"):
        chain_of(endless, "td", START, until=5000, most=1000)


@pytest.mark.parametrize("algorithm", ["off_policy_td", "gtd", "tdc"])
def test_variances_of_products_equal_the_sum_over_all_paths(algorithm: str) -> None:
    model = two_states(on_policy=False)
    alphas, betas = [F(1, 2), F(1, 4), F(1, 4)], [F(1, 2), F(1, 2), F(1, 4)]
    paths = all_paths(model, algorithm, START, alphas, betas, [F(0)], [F(0)])
    moments = finite_time_moments(model, algorithm, (alphas, betas), [3], start=START, order=4)[0]
    center = moments.mean.astype(np.float64)
    mean, variance, mean_bound, variance_bound = moments.products_about(center)
    width = len(center)
    pairs = [(i, j) for i in range(width) for j in range(i, width)]
    for k, (i, j) in enumerate(pairs):
        values = [(p, (y[i] - F(center[i])) * (y[j] - F(center[j]))) for p, y in paths]
        first = sum(p * x for p, x in values)
        second = sum(p * (x - first) ** 2 for p, x in values)
        assert abs(F(mean[k]) - first) <= F(mean_bound[k])
        assert abs(F(variance[k]) - second) <= F(variance_bound[k])
        assert variance_bound[k] < 1e-9


def test_only_reachable_nodes_are_kept() -> None:
    """The flip chain from state 0 has one window for each length 0 … L, and then alternates between two."""
    flip = Model.reward_process(
        RationalMatrix([[0, 1], [1, 0]]), RationalMatrix.column([1, 0]), F(1, 2), schedule=Schedule.n_step(4)
    )
    assert len(chain_of(flip, "td", [F(1), F(0)]).nodes) == 5


def test_a_discount_of_zero_cuts_the_window() -> None:
    """With discount zero everywhere nothing of the past is needed."""
    model = Model.reward_process(
        RationalMatrix([[F(1, 2), F(1, 2)], [1, 0]]),
        RationalMatrix.column([1, 0]),
        F(0),
        schedule=Schedule.n_step(3),
    )
    assert len(chain_of(model, "td", [F(1, 2), F(1, 2)]).nodes) == 2


def test_too_many_nodes_are_refused_before_they_are_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodes, "PROPAGATED_MOVES", 1_000)  # the real bound takes seconds to reach
    n = 12
    uniform = RationalMatrix([[F(1, n)] * n] * n)
    model = Model.reward_process(uniform, RationalMatrix.column([1] * n), F(1, 2), schedule=Schedule.n_step(5))
    with pytest.raises(BudgetExceededError, match="more than 1000 transitions"):
        chain_of(model, "td", [F(1, n)] * n)


def test_too_much_work_is_refused() -> None:
    model = two_states(on_policy=True, d=2, length=2)
    with pytest.raises(BudgetExceededError, match="multiplications"):
        finite_time_moments(model, "td", ([], []), [10**9], start=START)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: chain_of(m, "sarsa", START), "no algorithm 'sarsa'"),
        (lambda m: chain_of(m, "gtd", [F(1, 2), F(1, 3)]), "start law"),
        (lambda m: finite_time_moments(m, "gtd", ([], []), [0], start=START, w0=[]), "must have 2 entries"),
    ],
)
def test_bad_input_is_one_sentence(change: object, message: str) -> None:
    assert callable(change)
    with pytest.raises(InputError, match=message):
        change(two_states(on_policy=False))


@pytest.mark.parametrize("length", [0, 1, 2])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_one_update_equals_the_sum_over_stationary_windows(algorithm: str, length: int) -> None:
    """Mean and covariance of an increment against the enumeration of L + 1 steps from the stationary law."""
    model = two_states(on_policy=algorithm == "td", d=2, length=length)
    theta, w = [F(1, 2), F(-1)], [F(1), F(1, 4)]
    law = list(model.behaviour_chain.stationary_law((0, 1)).column_entries())
    steps = [F(0)] * length + [F(1)]
    paths = all_paths(model, algorithm, law, steps, steps, theta, w)
    origin = [*theta, *w][: len(paths[0][1])]
    mean = [sum(p * (y[i] - x) for p, y in paths) for i, x in enumerate(origin)]
    found = increment_moments(model, scheduled(algorithm), [float(x) for x in theta], [float(x) for x in w])
    for i, x in enumerate(origin):
        assert abs(F(found.mean[i]) - mean[i]) <= F(found.mean_rounding[i])
        for j, y0 in enumerate(origin):
            second = sum(p * (y[i] - x) * (y[j] - y0) for p, y in paths) - mean[i] * mean[j]
            assert abs(F(found.covariance[i, j]) - second) <= F(found.covariance_rounding[i, j])
            assert found.covariance_rounding[i, j] < 1e-9


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_mean_of_one_update_is_that_of_the_key_matrices(algorithm: str) -> None:
    """h and g of §4: Aθ + b for TD; −Aᵀw; Aθ + b − (Aᵀ + C)w; Aθ + b − Cw."""
    model = two_states(on_policy=algorithm == "td", d=2, length=2)
    K = behaviour_matrices(model, (0, 1))
    theta, w = RationalMatrix.column([F(1, 2), F(-3)]), RationalMatrix.column([F(1), F(1, 4)])
    toward, gradient, gram = K.A @ theta + K.b, K.A.T @ w, K.C @ w
    parts = {"gtd": [-gradient, toward - gram], "tdc": [toward - gradient - gram, toward - gram]}
    expected = [x for part in parts.get(algorithm, [toward]) for x in part.column_entries()]
    found = increment_moments(model, scheduled(algorithm), theta.to_float()[:, 0], w.to_float()[:, 0])
    for value, bound, true in zip(found.mean, found.mean_rounding, expected, strict=True):
        assert abs(F(value) - true) <= F(bound)


def test_missing_coverage_is_seen_as_the_algorithm_sees_it() -> None:
    """With an action that is never taken, the mean update is that of the covered kernel, not of the
    theorem's."""
    model = two_states(on_policy=False, d=1)
    behaviour = RationalMatrix([[F(1), F(0)], [F(1, 2), F(1, 2)]])
    missing = Model(
        model.actions,
        model.transitions,
        model.rewards,
        model.discounts,
        behaviour,
        model.target,
        model.features,
        model.schedule,
    )
    covered, theorem = behaviour_matrices(missing, (0, 1)), theorem_matrices(missing, (0, 1))
    found = increment_moments(missing, scheduled("off_policy_td"), [1.0])
    value, bound = F(found.mean[0]), F(found.mean_rounding[0])
    assert abs(value - (covered.A + covered.b)[0, 0]) <= bound
    assert abs(value - (theorem.A + theorem.b)[0, 0]) > 10**6 * bound


def test_convergence_series_is_the_distance_of_the_propagated_mean() -> None:
    model = two_states(on_policy=False, d=2, length=2)
    times = [0, 1, 5]
    steps = ([float(a) for a in ALPHAS], [float(b) for b in BETAS])
    theta_star = behaviour_matrices(model, (0, 1)).theta_star.to_float()[:, 0]
    for algorithm in ("off_policy_td", "gtd", "tdc"):
        series = convergence_series(model, algorithm, steps, times, start=START)
        exact = finite_time_moments(model, algorithm, (ALPHAS, BETAS), times, start=START, exact=True)
        for moments, distance in zip(exact, series.distance, strict=True):
            mean = np.array([float(x) for x in moments.mean[:2]])
            # a handful of roundings in numbers of order 100: 1e-11 is thousands of units in the last place
            assert distance == pytest.approx(float(np.linalg.norm(mean - theta_star)), abs=1e-11)


@pytest.mark.parametrize("algorithm", by_default(1, ["off_policy_td", "gtd", "tdc"]))
def test_bounds_of_a_stable_system_stay_small(algorithm: str) -> None:
    """Errors are carried on by B, not by its magnitudes, which would grow. Held against fractions at t = 30."""
    model = two_states(on_policy=False, d=2)
    steps = ([0.015625] * 2000, [0.03125] * 2000)
    exact_steps = ([F(1, 64)] * 30, [F(1, 32)] * 30)
    early, late = finite_time_moments(model, algorithm, steps, [30, 2000], start=START, theta0=[1.0, -1.0])
    exact = finite_time_moments(model, algorithm, exact_steps, [30], start=START, theta0=[F(1), F(-1)], exact=True)[0]
    assert early.second_rounding is not None and late.second_rounding is not None
    for value, bound, true in zip(
        early.second.ravel(), early.second_rounding.ravel(), exact.second.ravel(), strict=True
    ):
        assert abs(F(float(value)) - true) <= F(float(bound))
    assert late.second_rounding.max() < 1e-9 * max(1.0, np.abs(late.second).max())


def test_what_each_step_rounds_is_counted() -> None:
    """One state, γ = ½, no reward: E θ_t² = (1 − α/2)^{2t}, and the factor, rounded, is always off the same way."""
    one = Model.reward_process(RationalMatrix([[1]]), RationalMatrix.column([0]), F(1, 2))
    found = finite_time_moments(one, "td", ([0.1] * 500, [0.0] * 500), [500], start=[F(1)], theta0=[1.0])[0]
    true = (1 - F(0.1) / 2) ** 1000
    assert found.second_rounding is not None
    assert abs(F(float(found.second[0, 0])) - true) <= F(float(found.second_rounding[0, 0])) < true / 10**9


def test_bounds_that_run_away_are_refused_before_they_overflow() -> None:
    model = two_states(on_policy=True, d=2)
    with pytest.raises(BudgetExceededError, match=r"bounds of their rounding, pass 1e\+150 by t"):
        finite_time_moments(model, "tdc", ([3.0] * 2000, [3.0] * 2000), [2000], start=START, theta0=[1.0, 1.0])


def test_a_mean_that_runs_away_is_reported_as_infinite() -> None:
    """One state, γ = 1/2, constant step 10: θ is multiplied by −4 each step."""
    one = Model.reward_process(RationalMatrix([[1]]), RationalMatrix.column([1]), F(1, 2))
    series = convergence_series(one, "td", ([10.0] * 1000, [0.0] * 1000), [0, 1, 1000], start=[F(1)])
    assert series.distance[:2] == (2.0, 8.0)
    assert series.distance[2] == float("inf")
