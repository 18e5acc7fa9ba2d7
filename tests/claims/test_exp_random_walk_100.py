"""A5.1: where the paper's sentence holds, and the comparison sets and starts with which it fails."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tdcert.claims.dgb22 import exp_random_walk_100 as claim
from tdcert.sims.experiments import random_walk_100 as a51
from tdcert.sims.judge.agreement import ErrorBudget
from tdcert.sims.judge.replication import Share
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.model.gallery import flip_chain, one_state
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.verdict import Status

SEED = 31
EPISODES = 20


@pytest.fixture(scope="module")
def seen() -> a51.WalkExperiment:
    """The experiment on a smaller MDP, for a tenth of the steps."""
    problem = a51.draw_problem(SEED, 0, n=20, actions=2)
    runs = a51.draw_runs(problem, SEED, 0, episodes=EPISODES)
    times = [t for t in a51.TIMES if t <= EPISODES * a51.LENGTH]
    zero = tuple(a51.curves(problem, runs, alpha, 0.0, times) for alpha in a51.ALPHAS)
    level = (a51.curves(problem, runs, 0.02, problem.V.mean(), times),)
    return a51.WalkExperiment(problem, runs.law_distance, zero, level)


def test_it_holds_against_shorter_returns_and_fails_against_longer_ones(seen: a51.WalkExperiment) -> None:
    for curves in seen.from_zero:
        assert curves.lowest(a51.PAPER, tuple(a51.SHORTER)).all()
        for rival in a51.LONGER:
            assert not curves.lowest(a51.PAPER, (*a51.SHORTER, rival)).any()
            assert curves.lowest(rival, (a51.PAPER,)).all()


def test_the_verdicts_follow_the_runs(seen: a51.WalkExperiment) -> None:
    """The same statements, about runs in which another schedule takes the place of the paper's, or the longest is
    taken away: what was shown is shown no more.
    """
    budget = ErrorBudget()
    assert claim._shorter(seen, 0, budget).agreement.agrees
    longer = claim._longer(seen, 0, budget)
    assert longer.agreement.agrees
    exchanged = {"Monte Carlo (λ = 1)": a51.PAPER, a51.PAPER: "Monte Carlo (λ = 1)"}
    turned = tuple(
        a51.Curves(c.alpha, c.theta0, c.times, {exchanged.get(k, k): x for k, x in c.rmse.items()})
        for c in seen.from_zero
    )
    crooked = a51.WalkExperiment(seen.problem, seen.law_distance, turned, seen.from_level)
    again = claim._longer(crooked, 1, budget)
    assert not again.agreement.agrees
    first, c = seen.from_zero
    slow = a51.Curves(c.alpha, c.theta0, c.times, {**c.rmse, a51.PAPER: c.rmse["TD(0)"]})
    assert not claim._shorter(a51.WalkExperiment(seen.problem, 0.0, (first, slow), ()), 1, budget).agreement.agrees


def test_a_start_at_the_level_of_v_turns_the_order_round(seen: a51.WalkExperiment) -> None:
    assert claim._level(seen, 0, ErrorBudget()).agreement.agrees
    for crooked in (seen.from_zero, (*seen.from_level, seen.from_zero[-1])):  # at one α it is not so: not shown
        other = a51.WalkExperiment(seen.problem, seen.law_distance, seen.from_zero, crooked)
        assert not claim._level(other, 0, ErrorBudget()).agreement.agrees


def test_steps_ten_times_as_many_turn_the_order_round(seen: a51.WalkExperiment) -> None:
    """α T/n = 20 instead of the paper's 2, from θ_0 = 0: in the end the variance counts, and TD(0.9) is the lower."""
    runs = a51.draw_runs(seen.problem, SEED, 1, episodes=EPISODES)
    curves = a51.curves(seen.problem, runs, 0.2, 0.0, [100, EPISODES * a51.LENGTH])
    assert curves.lowest(a51.PAPER, tuple(a51.SHORTER), upto=100).all()
    late = curves.lowest("TD(0.9)", (a51.PAPER,), since=1_000)
    share = Share("late", "TD(0.9) below EqualWeights(30,60)", int(late.sum()), len(late), 1e-3)
    assert share.agrees, share.sentence()


def test_what_decides_the_printed_reading_is_named_only_if_every_mdp_shows_it(
    seen: a51.WalkExperiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tuple(a51.Curves(c.alpha, c.theta0, c.times, {**c.rmse, "45-step": c.rmse["TD(0)"]}) for c in seen.from_zero)
    other = a51.WalkExperiment(seen.problem, seen.law_distance, slow, seen.from_level)
    for name in ("_figure", "_gap_figure", "_level_figure"):
        monkeypatch.setattr(claim, name, lambda *given: None)
    for second, named in ((seen, True), (other, False)):
        monkeypatch.setattr(a51, "experiment", lambda seed, k, second=second: seen if k == 0 else second)
        found = claim.simulate(SEED, ErrorBudget())
        assert len(found) == 6 and all(s.agreement.agrees for s in found) is named
        (stated,) = (simulated.stated for simulated in found if simulated.stated is not None)
        assert stated.status is Status.UNDECIDED and "are not named" in stated.detail
        assert ("they decide" in stated.detail) is named


def test_figures_show_the_runs_and_the_exact_mean(seen: a51.WalkExperiment) -> None:
    figure = claim._figure(seen, 1)
    by_label = {series.label: series for series in figure.series}
    rmse = seen.from_zero[1].rmse
    for label in claim.DRAWN:
        series, samples = by_label[label], rmse[label]
        assert series.low is not None and series.high is not None
        assert series.y == tuple(np.median(samples, axis=0).tolist())
        assert all(a <= y <= b for a, y, b in zip(series.low, series.y, series.high, strict=True))
    # 20 states, 2,000 steps at α = 0.01: the runs of TD(0) scatter around an RMSE that is at least the exact one
    exact = by_label["TD(0): error of E θ_t, exact"]
    assert np.abs(np.array(exact.y) / rmse["TD(0)"].mean(axis=0) - 1).max() < 0.01
    assert "exact mean" in figure.caption and "48 runs" in figure.caption
    *ahead, flow = claim._gap_figure(seen).series
    assert all(max(series.y) < 0 for series in ahead)
    # first order in α: within a tenth of the gap in the middle of the runs
    assert abs(flow.y[3] / ahead[-1].y[3] - 1) < 0.1


@pytest.mark.parametrize("schedule", [Schedule.equal_weights(30, 60), Schedule.constant(Fraction(9, 10)), Schedule()])
def test_from_below_longer_returns_move_further(schedule: Schedule) -> None:
    model = flip_chain(Fraction(19, 20), schedule)
    assert claim.check(model).status is Status.HOLDS
    cost = Model.reward_process(
        model.transitions[0], RationalMatrix.column([1, -1]), Fraction(19, 20), None, schedule, "a cost"
    )
    assert claim.check(cost).status is Status.REFUTED


def test_what_has_no_value_is_compared_with_the_one_step_return_alone() -> None:
    assert claim.check(one_state(1, Schedule.constant(Fraction(1, 2)))).status is Status.HOLDS
