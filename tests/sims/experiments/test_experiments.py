"""The experiments of appendix A5: their models against the text, their runs against slower writings of the same."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from tdcert.sims.algorithms import ALGORITHMS, TD, TDC, SimulatedTransition
from tdcert.sims.comparison_frame import Sampling, Target
from tdcert.sims.experiments import random_chain as a52
from tdcert.sims.experiments import random_walk_100 as a51
from tdcert.sims.experiments.episodes import Episodes, draw_episodes
from tdcert.sims.finite_time_comparison import simulate_against_moments
from tdcert.sims.judge.agreement import Agreement, ErrorBudget, judge_mean
from tdcert.sims.judge.replication import Share
from tdcert.sims.kernels import Replicates, simulate
from tdcert.sims.step_sizes import Constant, StepSizes
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.errors import InputError
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tests.chains import error_curve, finite_time_moments
from tests.sims.readable import readable_simulator

HALF = Fraction(1, 2)
SEED = 23
SHORT = 3
"""Steps of an episode, in tests."""
ROUNDING = 1e-12
"""Two writings of the same numbers, of size 20 at most: under 100 roundings in a row, 100 · 20 · 2⁻⁵³ < 1e-12."""


@pytest.fixture(scope="module")
def small() -> a51.DrawnProblem:
    return a51.draw_problem(SEED, 0, n=4, actions=2)


# ---- A5.1 ----------------------------------------------------------------------------------------------


@pytest.mark.thorough
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
        lambdas=[float(x) for x in schedule.lambdas],
        theta0=np.full((runs.runs, runs.model.d), theta0),
        tail=float(schedule.tail),
    )
    for episode, step in product(range(runs.count), range(runs.length)):
        t = episode * (runs.length + 1) + step
        s, after = path.states[:, t], path.states[:, t + 1]
        algorithm.step(
            SimulatedTransition(
                s,
                path.actions[:, t],
                path.rewards[:, t],
                after,
                path.Phi[s],
                path.Phi[after],
                path.rho[:, t],
                path.discounts[:, t],
                step == 0,
            ),
            alpha,
            alpha,
        )
        found.append(algorithm.theta)
    return np.array(found).transpose(1, 0, 2)


@pytest.mark.parametrize(
    "schedule",
    [Schedule(), Schedule.equal_weights(2, 4), Schedule.constant(Fraction(9, 10)), Schedule.n_step(7)],
    ids=["TD(0)", "EqualWeights(2,4)", "λ = 0.9", "7-step"],
)
def test_joined_episodes_are_episodes_one_after_the_other(small: a51.DrawnProblem, schedule: Schedule) -> None:
    runs = draw_episodes(small.model, small.start, 5, 4, SHORT, SEED, "joined episodes")
    times = range(1, 4 * SHORT + 1)
    slow = one_after_the_other(runs, schedule, 0.1, 2.0)
    assert np.abs(runs.iterates(schedule, 0.1, list(times), 2.0) - slow).max() < ROUNDING
    # each episode is drawn anew: the joints are not transitions of the chain, and teach nothing
    joints = runs.path.discounts[:, SHORT :: SHORT + 1]
    assert joints.shape == (5, 4) and not joints.any()


def test_steps_beyond_the_episodes_are_refused(small: a51.DrawnProblem) -> None:
    runs = draw_episodes(small.model, small.start, 1, 2, SHORT, SEED, "too short")
    with pytest.raises(InputError, match="end before step 7"):
        runs.iterates(Schedule(), 0.1, [7], 0.0)
    with pytest.raises(InputError, match="at least one"):
        draw_episodes(small.model, small.start, 0, 2, SHORT, SEED, "none")


def paths(problem: a51.DrawnProblem, length: int) -> list[tuple[float, list[tuple[int, int, float]]]]:
    """Every episode with its probability: (s, s', R) step by step."""
    model = problem.model
    found: list[tuple[float, int, list[tuple[int, int, float]]]] = []
    found += [(float(p), s, []) for s, p in enumerate(problem.start)]
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


def walked(
    steps: list[tuple[int, int, float]],
    theta: np.ndarray,
    alpha: float,
    c: list[float],
    gamma: float,
    frozen: np.ndarray | None = None,
) -> np.ndarray:
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


def drawn_means(problem: a51.DrawnProblem, simulated: a51.DrawnProblem, budget: ErrorBudget, name: str) -> bool:
    """Whether simulated runs of TD(0), one episode of six steps, agree with the exact mean of ``problem``."""
    runs = draw_episodes(simulated.model, simulated.start, 4_000, 1, 6, SEED, name)
    samples = runs.iterates(Schedule(), 0.5, [6], 0.0)[:, 0]
    (exact,) = finite_time_moments(problem.model, "td", ([0.5] * 6, [0.5] * 6), [6], start=problem.start)
    return judge_mean(
        samples,
        a51.mean_of_td0(problem, 0.5, 0.0, [6])[0],
        np.diag(exact.covariance),
        alpha=budget.spend(name, 1e-9),
        name=name,
        data_slack=ROUNDING,
        mean_slack=ROUNDING,
        variance_slack=ROUNDING,
        law_distance=runs.law_distance,
    ).agrees


def test_runs_agree_with_the_exact_mean_and_wrong_ones_do_not(
    small: a51.DrawnProblem, error_budget: ErrorBudget
) -> None:
    """Wrong: another start law, rewards moved to the next state, and another draw of the MDP."""
    assert drawn_means(small, small, error_budget, "A5.1: mean of TD(0)")
    shifted = tuple(RationalMatrix([[*row[1:], row[0]] for row in R.rows]) for R in small.model.rewards)
    for wrong in (
        a51.DrawnProblem(small.model, (Fraction(1), *[Fraction(0)] * 3)),
        a51.DrawnProblem(replace(small.model, rewards=shifted), small.start),
        a51.draw_problem(SEED, 1, n=4, actions=2),
    ):
        assert not drawn_means(small, wrong, ErrorBudget(), "A5.1: wrong")


def test_orders_are_read_off_every_marked_step() -> None:
    """Three runs: always below, below but for the last mark, equal once."""
    own = np.array([[3.0, 2.0, 1.0], [3.0, 2.0, 1.0], [3.0, 2.0, 1.0]])
    other = np.array([[4.0, 3.0, 2.0], [4.0, 3.0, 0.5], [4.0, 2.0, 2.0]])
    found = a51.Curves(0.01, 0.0, (10, 20, 30), {"own": own, "other": other, "far": own + 9})
    assert found.lowest("own", ["other"]).tolist() == [True, False, False]
    assert found.lowest("own", ["far", "other"]).tolist() == [True, False, False]
    assert found.lowest("own", ["far", "other"], upto=10).all() and not found.lowest("other", ["own"]).any()
    assert found.lowest("own", ["other"], since=30).tolist() == [True, False, True]


# ---- A5.2 ----------------------------------------------------------------------------------------------


def test_the_random_chain_is_as_the_paper_says() -> None:
    """V by the equations of the text, written out; and the mean length of an episode."""
    pi, gamma = (0.6, 0.4), 0.9
    A, b = np.eye(15), np.zeros(15)
    for s in range(1, 16):
        for move, chance in ((-1, pi[0] * 0.9 + pi[1] * 0.1), (1, pi[0] * 0.1 + pi[1] * 0.9)):
            b[s - 1] += chance * (s + move in (5, 10))
            if 1 <= s + move <= 15:
                A[s - 1, s + move - 1] -= gamma * chance
    # a system of condition below 20 in numbers below 3
    assert np.abs(np.linalg.solve(A, b) - a52.value()).max() < ROUNDING
    model = a52.chain(a52.SCHEDULED)
    assert model.schedule == Schedule.equal_weights(2, 4) and not model.features.to_float()[[0, 16]].any()
    assert set(model.behaviour.rows[3]) == {HALF} and model.target.rows[3] == (Fraction(3, 5), Fraction(2, 5))
    lengths = [1 + sum(Fraction(s * (16 - s)) for s in range(1, 16)) / 15]
    (restarts,) = [model.behaviour_chain.stationary_law(c) for c in model.behaviour_chain.recurrent_classes]
    assert lengths == [a52.MEAN_LENGTH] == [1 / (restarts[0, 0] + restarts[16, 0])]
    assert a52.TIMES[-1] == 2317 and len(a52.TIMES) == a52.EPISODES


def test_sweeps_average_marks_and_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two groups of two runs, two marks; the larger α diverges in one run."""
    made = {
        0.1: [[1.0, 3.0], [1.0, 1.0], [2.0, 2.0], [0.0, 0.0]],
        0.2: [[np.inf] * 2, [1.0, 1.0], [0.5, 0.5], [0.5, 0.5]],
    }
    monkeypatch.setattr(a52, "rmse", lambda setting, runs, seed, name: np.array(made[setting.alpha]))
    found = a52.sweep("tdc", a52.PLAIN, 1.0, 2, 2, SEED, "made up", (0.1, 0.2))
    assert found.averages.tolist() == [[1.5, 1.0], [np.inf, 0.5]]
    assert found.best.tolist() == [1.5, 0.5] and found.best_alpha == 0.1
    assert found.diverges_from == 0.2
    assert a52.Sweep((0.1, 0.2), np.array([[9.0, 9.0], [1.0, 1.0]])).diverges_from is None


def test_runs_that_diverge_are_infinite_from_there_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the kernels report it: −1, or the step from which on θ is not to be read."""
    thetas = np.tile(a52.value() + 3.0, (3, 2, 1))
    made = Replicates(thetas, thetas, np.array([-1, 5, 9]))
    monkeypatch.setattr(a52, "simulate", lambda *given, **named: made)
    errors = a52.rmse(a52.Setting("tdc", a52.PLAIN, 1.0, 1.0), 3, SEED, "made up", (4, 8))
    assert np.abs(errors[[0, 0, 1, 2, 2], [0, 1, 0, 0, 1]] - 3.0).max() < ROUNDING and errors[1, 1] == np.inf


def test_large_steps_diverge() -> None:
    errors = a52.rmse(a52.Setting("tdc", a52.SCHEDULED, 0.25, 1.0), 16, SEED, "diverging", (1, 2000))
    assert np.isfinite(errors[:, 0]).all() and np.isinf(errors[:, 1]).all()


@pytest.mark.thorough
@pytest.mark.parametrize("algorithm", ["gtd", "tdc"])
def test_the_chain_agrees_with_its_exact_mean_and_wrong_chains_do_not(
    algorithm: str, error_budget: ErrorBudget
) -> None:
    """E θ after 120 steps, its variance known exactly too. Wrong: the reward at 6 instead of 5, no ratios in trace and
    updates, L and R exchanged in the target, γ = 0.95.
    """
    model, runs, t = a52.chain(a52.PLAIN), 4_000, 120
    (exact,) = finite_time_moments(model, algorithm, ([0.25] * t, [0.25] * t), [t], start=a52.START)
    assert exact.second_rounding is not None
    slack, d = float(exact.second_rounding.max()), model.d

    def law(simulated: Model, budget: ErrorBudget, name: str) -> Agreement:
        steps = StepSizes(Constant(0.25))
        found = simulate(simulated, algorithm, steps, [t], runs, SEED, name, start=a52.START)
        return judge_mean(
            found.thetas[:, 0],
            exact.mean[:d],
            np.diag(exact.covariance)[:d],
            alpha=budget.spend(name, 1e-9),
            # 120 steps of fewer than 100 roundings in a row, in numbers below 5: 120 · 100 · 5 · 2⁻⁵³ < 1e-11
            name=name,
            data_slack=1e-11,
            mean_slack=slack,
            variance_slack=12 * slack,
            law_distance=a52.law_distance(runs),
        )

    right = law(model, error_budget, f"A5.2: mean of {algorithm}")
    assert right.agrees, right.sentence()
    moved = RationalMatrix([[int(0 < i < 16 and j in (6, 10)) for j in range(17)] for i in range(17)])
    exchanged = RationalMatrix([row[::-1] for row in model.target.rows])
    longer = RationalMatrix.column([Fraction(19, 20) if 0 < s < 16 else 0 for s in range(17)])
    for wrong in (
        replace(model, rewards=(moved, moved)),
        replace(model, target=model.behaviour),
        replace(model, target=exchanged),
        replace(model, discounts=(longer, longer)),
    ):
        assert not law(wrong, ErrorBudget(), "A5.2: wrong").agrees


@pytest.mark.thorough
def test_a_small_copy_agrees_with_its_whole_law(error_budget: ErrorBudget) -> None:
    """Three states between two ends, EqualWeights(2,4): means and covariances of (θ, w), fourth moments known."""
    model = small_chain(3, a52.SCHEDULED)
    found = simulate_against_moments(
        Target(model, "tdc", StepSizes(Constant(0.25)), start=(Fraction(0), *[Fraction(1, 3)] * 3, Fraction(0))),
        5,
        Sampling("A5.2: law of a small copy", 20_000, SEED, error_budget, 1e-9),
    )
    assert found.agrees, found.sentence()
    blind = readable_simulator({**ALGORITHMS, "tdc": WithoutRatio})
    wrong = simulate_against_moments(
        Target(
            model,
            "tdc",
            StepSizes(Constant(0.25)),
            start=(Fraction(0), *[Fraction(1, 3)] * 3, Fraction(0)),
            simulator=blind,
        ),
        5,
        Sampling("no ratio", 20_000, SEED, ErrorBudget(), 1e-9),
    )
    assert not wrong.agrees


def small_chain(states: int, schedule: Schedule) -> Model:
    """A Random Chain of fewer states, both ends without features, one reward in the middle."""
    ends, middle = (0, states + 1), (states + 1) // 2
    restart = [Fraction(0), *[Fraction(1, states)] * states, Fraction(0)]

    def walk(down: Fraction) -> RationalMatrix:
        rows = [[Fraction(0)] * (states + 2) for _ in range(states + 2)]
        for s in range(1, states + 1):
            rows[s][s - 1], rows[s][s + 1] = down, 1 - down
        rows[0] = rows[-1] = restart
        return RationalMatrix(rows)

    n, walks = states + 2, (walk(Fraction(9, 10)), walk(Fraction(1, 10)))
    inside = [s not in ends for s in range(n)]
    reward = RationalMatrix([[int(inside[i] and j == middle) for j in range(n)] for i in range(n)])
    discount = RationalMatrix.column([Fraction(9, 10) * inside[s] for s in range(n)])
    Phi = RationalMatrix([[int(s == j + 1) for j in range(states)] for s in range(n)])
    mu, pi = RationalMatrix([[HALF, HALF]] * n), RationalMatrix([[Fraction(3, 5), Fraction(2, 5)]] * n)
    return Model(("L", "R"), walks, (reward, reward), (discount, discount), mu, pi, Phi, schedule, "small chain")


def test_the_curve_of_a_small_copy_is_that_of_fractions() -> None:
    """Two states between two ends, EqualWeights(2,4), five steps: the same moments, not one of them rounded."""
    model, start, t = small_chain(2, a52.SCHEDULED), (Fraction(0), HALF, HALF, Fraction(0)), 5
    eighth = Fraction(1, 8)
    (exact,) = finite_time_moments(model, "off_policy_td", ([eighth] * t, [0] * t), [t], start=start, exact=True)
    curve = error_curve(model, "off_policy_td", 0.125, 0.0, [t], start=start, value=[3.0, -1.0])
    mean, second = exact.mean[:2], [exact.second[j, j] for j in range(2)]
    assert isinstance(second[0], Fraction) and 0 < mean[0] ** 2 < second[0]
    squared = (second[0] - 6 * mean[0] + 9 + second[1] + 2 * mean[1] + 1) / 2
    assert abs(curve.squared[0] - float(squared)) < ROUNDING
    assert abs(curve.of_mean[0] - float((mean[0] - 3) ** 2 + (mean[1] + 1) ** 2) / 2) < ROUNDING


@pytest.mark.thorough
@pytest.mark.parametrize("k", [2, 3, 4])
def test_other_draws_of_the_mdp_show_the_same_order(k: int) -> None:
    seen = a51.experiment(SEED, k)
    for curves in seen.from_zero:
        assert curves.lowest(a51.PAPER, tuple(a51.SHORTER)).all()
        assert all(curves.lowest(rival, (a51.PAPER,)).all() for rival in a51.LONGER)


class WithoutRatio(TDC):
    """TDC with 1 for every ρ."""

    def step(self, t: SimulatedTransition, alpha: float, beta: float) -> None:
        super().step(replace(t, rho=np.ones_like(t.rho)), alpha, beta)


class TextbookTDC(TDC):
    """TDC with every update weighted by ρ: without the (ρ − 1)φφᵀw of the printed TDC(λ)-schedule at L = 0."""

    def step(self, t: SimulatedTransition, alpha: float, beta: float) -> None:
        ahead = np.asarray(t.discount)[:, None] * t.phi_next - t.phi
        delta, along = t.reward + np.sum(ahead * self.theta, axis=-1), np.sum(t.phi * self.w, axis=-1)
        rho = np.asarray(t.rho)[:, None]
        moved = delta[:, None] * t.phi - np.asarray(t.discount)[:, None] * t.phi_next * along[:, None]
        self.theta = self.theta + alpha * rho * moved
        self.w = self.w + beta * (rho * delta[:, None] - along[:, None]) * t.phi


@pytest.mark.thorough
def test_the_schedule_is_ahead_of_textbook_tdc_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """η = 1: at every α of the grid, on common paths; the two TDC differ on paths, and hardly in what they reach."""
    scheduled = a52.sweep("tdc", a52.SCHEDULED, 1.0, 40, 1, SEED, "textbook")
    printed = a52.sweep("tdc", a52.PLAIN, 1.0, 40, 1, SEED, "textbook")
    monkeypatch.setattr(a52, "simulate", readable_simulator({**ALGORITHMS, "tdc": TextbookTDC}))
    textbook = a52.sweep("tdc", a52.PLAIN, 1.0, 40, 1, SEED, "textbook", [a for a in a52.ALPHAS if a < 1])
    assert not np.array_equal(textbook.best, printed.best)
    assert abs(np.median(textbook.best) / np.median(printed.best) - 1) < 0.1
    share = Share("textbook", "the schedule is lower", int((scheduled.best < textbook.best).sum()), 40, 1e-9)
    assert share.agrees, share.sentence()


@pytest.mark.thorough
def test_over_ten_times_the_episodes_the_order_turns_round_at_a_small_eta() -> None:
    """η = 1/16, 500 episodes: GTD2 and TDC at α = 2^(−13/4) end below the schedule at every α of the grid."""
    times = tuple(round(a52.MEAN_LENGTH * k * 10) for k in range(1, 51))
    alphas = (*a52.ALPHAS, *(2.0 ** (-k / 4) for k in range(20, 32)))
    for algorithm in ("gtd", "tdc"):

        def averaged(schedule: Schedule, alpha: float, algorithm: str = algorithm) -> np.ndarray:
            setting = a52.Setting(algorithm, schedule, 1 / 16, alpha)
            return np.asarray(a52.rmse(setting, 40, SEED, "500 episodes", times).mean(axis=1))

        plain = averaged(a52.PLAIN, 2.0 ** (-13 / 4))
        best = np.min([averaged(a52.SCHEDULED, alpha) for alpha in alphas], axis=0)
        share = Share("500 episodes", "lower without", int((plain < best).sum()), 40, 1e-9)
        assert share.agrees, share.sentence()
