"""The simulated halves of claims, two-sided: what must be noticed is noticed.

That the comparisons agree where theory is right is asked of every claim in ``test_claims.py``. Here a wrong
algorithm, a wrong formula or a model outside the hypotheses takes the place of the right one.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from tdcert.claims.dgb22 import algorithm_1_indices, clt_covariance, mean_square_stability, two_timescale_ratio
from tdcert.claims.dgb22.algorithm_1_indices import previous_steps, printed_process, simulated_model
from tdcert.claims.dgb22.clt_covariance import LAGS, walked_model
from tdcert.claims.dgb22.simulated_limit import STEPS, compare, larger_models, small_model
from tdcert.claims.dgb22.trace_variance import simulated_models
from tdcert.claims.models import HALF
from tdcert.sims import growth
from tdcert.sims.algorithm_1 import as_printed, outcomes
from tdcert.sims.algorithms import ALGORITHMS, Twin
from tdcert.sims.comparison_frame import Sampling, Target
from tdcert.sims.finite_time_comparison import simulate_against_moments, simulate_fixed_point
from tdcert.sims.judge.agreement import ErrorBudget
from tdcert.sims.mistakes import mistakes_in
from tdcert.sims.stationary_comparison import simulate_noise, simulate_trace
from tdcert.sims.trajectories import AliasTable, uniform_start
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.laws.long_run_covariance import ExactNoise
from tdcert.theory.model.gallery import theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tests.chains import convergence_series, distances_at_constant_steps, finite_time_moments
from tests.sims.readable import readable_simulator

SEED = 11
Array = np.ndarray


# ---- Theorems 4.3, 4.4 and 4.6 -----------------------------------------------------------------------


def wrong(algorithm: str, words: str) -> type[Twin]:
    """The variant with a mistake, by the beginning of its words."""
    return next(mistake.variant for mistake in mistakes_in(algorithm) if mistake.words.startswith(words))


def caught(algorithm: str, mistake: str) -> list[bool]:
    """Whether each comparison of the theorem notices the mistake: first the moments, then each kind of schedule."""
    simulator = readable_simulator({**ALGORITHMS, algorithm: wrong(algorithm, mistake)})
    found = compare(algorithm, SEED, ErrorBudget(), simulator)
    return [not simulated.agreement.agrees for simulated in found]


@pytest.mark.thorough
@pytest.mark.parametrize("algorithm", ["td", "gtd", "tdc"])
def test_a_shifted_schedule_is_noticed_under_every_kind_of_it(algorithm: str) -> None:
    _, *kinds = caught(algorithm, "the schedule shifted by one: λ_{k+1}")
    assert kinds == [True] * 4


@pytest.mark.thorough
@pytest.mark.parametrize("algorithm", ["gtd", "tdc"])
def test_a_missing_ratio_is_noticed_on_every_model(algorithm: str) -> None:
    assert caught(algorithm, "ρ missing") == [True] * 5


def test_every_kind_of_schedule_is_met_on_and_off_policy() -> None:
    for algorithm, on_policy in (("td", True), ("gtd", False), ("tdc", False)):
        models = [small_model(algorithm), *larger_models(algorithm).values()]
        assert all(model.is_on_policy is on_policy for model in models)
        schedules = [model.schedule for model in models]
        assert Schedule.equal_weights(2, 4) in schedules and Schedule.n_step(3) in schedules
        assert Schedule.constant(Fraction(3, 4), 2) in schedules and len({s.lambdas for s in schedules}) == 5
        assert any(model.gamma is None for model in models)


def test_outside_its_hypotheses_td_runs_away_and_the_judge_says_so() -> None:
    """Off-policy TD on θ→2θ: A > 0. The mean grows, and θ* is a point that iterates leave."""
    model = small_model("gtd")
    times = (0, 100, 1_000)
    series = convergence_series(model, "off_policy_td", STEPS.arrays(1_000), times, start=uniform_start(model))
    assert series.distance[-1] > 100 * series.distance[0]
    moved = simulate_fixed_point(
        Target(model, "off_policy_td"), [Fraction(0)], Sampling("not the fixed point", 100_000, SEED, ErrorBudget())
    )
    assert not moved.agrees


# ---- constant steps ----------------------------------------------------------------------------------


def test_paths_under_a_step_that_is_slightly_off_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """λ_1 = ½ log|(1 − 3α/2)(1 − α/2)|: a step of 1.005 α moves it by more than what is promised to be caught."""
    grow = growth.log_growth

    def faster(model: Model, algorithm: str, alpha: float, **given: Any) -> Any:
        return grow(model, algorithm, 1.005 * alpha, **given)

    monkeypatch.setattr(growth, "log_growth", faster)
    for simulated in mean_square_stability.simulate(SEED, ErrorBudget()):
        assert not simulated.agreement.agrees, simulated.agreement.sentence()


# ---- Algorithm 1 -------------------------------------------------------------------------------------


def test_the_pseudo_code_is_not_the_algorithm_as_meant(error_budget: ErrorBudget) -> None:
    """Held against the right algorithm's law and limit, each slip is seen; without slips it is the algorithm."""
    model = simulated_model()
    steps = previous_steps(model)
    meant = printed_process(model, late_reward=False, late_policy=False)
    theta = algorithm_1_indices.own_point(meant)
    assert theta == algorithm_1_indices.own_point(model)
    for slips in product((False, True), repeat=2):
        agrees = slips == (False, False)
        # only what is to agree can raise a false alarm
        budget = error_budget if agrees else ErrorBudget()
        simulator = as_printed(model, steps, *slips)
        law = simulate_against_moments(
            Target(meant, "td", STEPS, simulator=simulator),
            12,
            Sampling("Algorithm 1 as meant: moments", 20_000, SEED, budget, 4e-9),
        )
        point = simulate_fixed_point(
            Target(meant, "td", simulator=simulator),
            theta,
            Sampling("Algorithm 1 as meant: fixed point", 100_000, SEED, budget, 2e-9),
        )
        assert law.agrees is agrees and point.agrees is agrees, (slips, law.sentence(), point.sentence())


def test_the_draws_of_the_pseudo_code_have_exactly_their_law() -> None:
    model = simulated_model()
    rows = [*model.target.rows, *(P.rows[s] for P in model.transitions for s in range(model.n))]
    assert AliasTable.build(rows).distance == 0.0
    table = AliasTable.build([[Fraction(1, 8), Fraction(3, 8), HALF], [Fraction(1), Fraction(0), Fraction(0)]])
    words = np.array([0, 1 << 62, (1 << 62) + (1 << 61), 3 << 62, (1 << 64) - 1], dtype=np.uint64)
    for row in (0, 1):
        one_by_one = [table.outcome(row, int(word)) for word in words]
        assert outcomes(table, np.full(len(words), row), words).tolist() == one_by_one


# ---- traces and noise --------------------------------------------------------------------------------


IN_TRACES = ("ρ squared", "a window that is one too short", "γ missing in the trace")


@pytest.mark.parametrize("mistake", IN_TRACES)
@pytest.mark.parametrize("label", list(simulated_models()))
def test_wrong_traces_are_noticed(label: str, mistake: str) -> None:
    model = simulated_models()[label]
    (states,) = model.behaviour_chain.recurrent_classes
    simulator = readable_simulator({**ALGORITHMS, "off_policy_td": wrong("off_policy_td", mistake)})
    found = simulate_trace(model, states, Sampling("wrong trace", 200_000, SEED, ErrorBudget()), simulator=simulator)
    assert not found.agrees, found.sentence()


def test_wrong_autocovariances_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is zero after its time, and one whose lags are moved by one."""
    model, states = walked_model(True), (0, 1, 2, 3)
    straight = ExactNoise.lagged
    for wrong_lags in (
        lambda noise, lags: [gamma.scaled(int(k == 0)) for k, gamma in enumerate(straight(noise, lags))],
        lambda noise, lags: [*straight(noise, lags)[:1], *straight(noise, lags + 1)[2:]],
    ):
        monkeypatch.setattr(ExactNoise, "lagged", wrong_lags)
        found = simulate_noise(model, states, LAGS, Sampling("wrong lags", 200_000, SEED, ErrorBudget()))
        assert not found.agrees, found.sentence()


@pytest.mark.parametrize("mistake", IN_TRACES)
def test_wrong_noise_is_noticed(mistake: str) -> None:
    model, states = walked_model(False), (0, 1, 2, 3)
    found = simulate_noise(
        model,
        states,
        LAGS,
        Sampling("wrong noise", 200_000, SEED, ErrorBudget()),
        algorithm=wrong("off_policy_td", mistake),
    )
    assert not found.agrees, found.sentence()


def test_endless_traces_are_refused_in_one_sentence() -> None:
    model = walked_model(True).with_schedule(Schedule.constant(HALF))
    refusals: tuple[Callable[[], object], ...] = (
        lambda: simulate_trace(model, (0, 1, 2, 3), Sampling("endless", 10, SEED, ErrorBudget())),
        lambda: simulate_noise(model, (0, 1, 2, 3), 2, Sampling("endless", 10, SEED, ErrorBudget())),
    )
    for refused in refusals:
        with pytest.raises(InputError, match="give the schedule a length"):
            refused()


# ---- constant steps ----------------------------------------------------------------------------------


def test_powers_of_the_mean_map_are_the_mean_step_by_step() -> None:
    """Against the propagated moments at t = 0, 3, 6."""
    model = theta_to_two_theta(Fraction(9, 10), Schedule((HALF,)), (1, 0))
    start = uniform_start(model)
    steps = ([0.1] * 6, [0.03] * 6)
    far = distances_at_constant_steps(model, "tdc", 0.1, 0.03, 3, 3, start=start, theta0=[1.0])
    exact = finite_time_moments(model, "tdc", steps, [0, 3, 6], start=start, theta0=[1.0])
    theta = float(ExactNoise(model, (0, 1)).keys.theta_star[0, 0])
    # six steps of a 9×9 product, entries of size one
    assert far == pytest.approx([abs(float(m.mean[0]) - theta) for m in exact], abs=1e-13)


def test_six_states_decay_and_grow_by_their_intervals() -> None:
    model = two_timescale_ratio.six_state_model()
    for eta, stable in ((Fraction(1, 11), True), (Fraction(3, 20), False), (Fraction(1, 4), True), (Fraction(1), True)):
        first, last = distances_at_constant_steps(
            model,
            "tdc",
            0.002,
            0.002 * float(eta),
            2_000_000,
            2,
            start=uniform_start(model),
            theta0=[1.0] * 3,
        )
        assert last < first / 1000 if stable else last > 1000 * first


def test_a_map_too_large_is_refused() -> None:
    model = larger_models("tdc")["EqualWeights(2, 4)"]
    with pytest.raises(BudgetExceededError, match="at most 1000"):
        distances_at_constant_steps(model, "tdc", 0.1, 0.1, 2, 2, start=uniform_start(model), theta0=[0.0] * 3)


@pytest.mark.thorough
def test_averaged_iterates_come_near_the_limit() -> None:
    """The curve of the figure against the exact limit, within a factor of two at the end: a drawing, not a test."""
    figure = clt_covariance.averaged_figure(walked_model(True), SEED)
    seen, line = figure.series
    assert line.y[-1] / 2 < seen.y[-1] < 2 * line.y[-1]
