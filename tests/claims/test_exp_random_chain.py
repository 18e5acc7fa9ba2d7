"""A5.2: the η at which the paper's sentence holds, the one at which it fails, and what follows from the runs."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from tdcert.algorithms import schedules
from tdcert.analysis.exact_analysis import asked_of_models
from tdcert.claims.dgb22 import exp_random_chain as claim
from tdcert.claims.models import uncovered_rewards
from tdcert.claims.paper import ENTRIES
from tdcert.sims.experiments import random_chain as a52
from tdcert.sims.judge.agreement import ErrorBudget
from tdcert.sims.kernels import simulate
from tdcert.sims.step_sizes import Constant, StepSizes
from tdcert.theory.identities import single_updates
from tdcert.theory.laws.schedule_update import PHI
from tdcert.theory.model.gallery import theta_to_two_theta
from tdcert.theory.verdict import Grade, Status
from tests.chains import finite_time_moments

SEED = 37


@pytest.fixture(scope="module")
def seen() -> a52.SchedulePair:
    """TDC at η = 1."""
    return a52.compare("tdc", 1.0, SEED)


def exchanged(both: a52.SchedulePair) -> a52.SchedulePair:
    """The schedule's runs and those without it, each under the other's name."""
    return replace(both, plain=both.scheduled, scheduled=both.plain)


@pytest.mark.thorough
def test_the_sentence_is_shown_where_it_holds_and_not_for_a_schedule_that_loses(seen: a52.SchedulePair) -> None:
    budget = ErrorBudget()
    assert claim._best("tdc", [seen], budget).agreement.agrees
    crooked = ErrorBudget()
    assert not claim._best("tdc", [seen, exchanged(seen)], crooked).agreement.agrees
    assert seen.plain.diverges_from is not None and seen.scheduled.diverges_from is not None
    assert seen.scheduled.diverges_from < seen.plain.diverges_from
    # small α: hardly anything is learnt, and the best α lies inside the grid
    for sweep in (seen.plain, seen.scheduled):
        assert sweep.alphas[0] < sweep.best_alpha < sweep.alphas[-1]


def test_the_printed_reading_holds_only_if_the_runs_say_so() -> None:
    """At α = 1/128 the order is the printed one at every η; one comparison with the names exchanged undoes it."""
    seen = a52.at_one_alpha(SEED)
    kept = claim._some_alpha(seen, ErrorBudget())
    assert kept.stated is not None and kept.agreement.agrees
    assert (kept.stated.status, kept.stated.grade) == (Status.HOLDS, Grade.CONSISTENT)
    fallen = claim._some_alpha([*seen[:-1], exchanged(seen[-1])], ErrorBudget())
    assert fallen.stated is not None and not fallen.agreement.agrees
    assert (fallen.stated.status, fallen.stated.grade) == (Status.UNDECIDED, None)


def test_each_at_its_best_step_size_the_order_is_read_off_the_runs(seen: a52.SchedulePair) -> None:
    """At η = 1 the schedule is lower; the statement about the small η, put to those runs, is not shown."""
    assert not claim._reversed(seen, ErrorBudget()).agreement.agrees
    assert claim._reversed(exchanged(seen), ErrorBudget()).agreement.agrees


def test_one_seed_and_name_walk_the_same_paths_whatever_the_steps() -> None:
    """With α = 0 θ stays, and w, which does not meet θ then, is β times what the path says: paths by their w."""
    fast, slow = (
        simulate(
            a52.chain(a52.PLAIN),
            "gtd",
            StepSizes(Constant(0.0), Constant(beta)),
            [1],
            64,
            SEED,
            "common",
            start=a52.START,
        ).ws
        for beta in (0.5, 0.25)
    )
    assert np.array_equal(fast, 2 * slow) and fast.any()
    setting = a52.Setting("gtd", a52.PLAIN, 1.0, 0.25)
    first, again, other = (a52.rmse(setting, 16, SEED, name, a52.TIMES[:3]) for name in ("one", "one", "two"))
    assert np.array_equal(first, again) and not np.array_equal(first, other)


def test_figures_show_the_groups_and_leave_out_what_diverges(seen: a52.SchedulePair) -> None:
    series = claim._series("made up", seen.scheduled.alphas, seen.scheduled.averages.T)
    medians = np.median(seen.scheduled.averages, axis=1)
    assert series.low is not None and series.high is not None
    assert series.y == tuple(y for y in medians.tolist() if y <= claim.SHOWN) and len(series.y) < len(medians)
    assert all(a <= y <= b for a, y, b in zip(series.low, series.y, series.high, strict=True))
    table = {("tdc", eta): seen for eta in a52.ETAS}
    figure = claim._figure("tdc", table)
    said = f"TDC(λ)-schedule at η = 1 from α = {seen.scheduled.diverges_from:.3g}"
    assert len(figure.series) == 6 and said in figure.caption


@pytest.mark.thorough
def test_the_course_is_drawn_through_what_is_exact() -> None:
    """The exact curve against moments with bounds at the first mark; the runs lie along it."""
    figure = claim._course(SEED)
    runs, exact, scheduled, mean = figure.series
    steps = ([0.5] * a52.TIMES[0],) * 2
    (moments,) = finite_time_moments(a52.chain(a52.PLAIN), "tdc", steps, [a52.TIMES[0]], start=a52.START)
    V, d = a52.value(), a52.STATES
    squared = np.trace(moments.second[:d, :d]) - 2 * V @ moments.mean[:d] + V @ V
    assert moments.second_rounding is not None
    # √x moves by half of what moves x ≥ 1; V and the sums here round by less than 1e-12
    assert abs(exact.y[0] - (squared / d) ** 0.5) < float(moments.second_rounding.max()) * d + 1e-12
    assert np.abs(np.array(runs.y) / np.array(exact.y) - 1).max() < 0.25
    assert len(mean.x) == claim.EXACT_MARKS and all(a < b for a, b in zip(mean.y, scheduled.y, strict=False))


def test_the_left_over_term_has_mean_zero_under_coverage_alone() -> None:
    assert claim.check(theta_to_two_theta(Fraction(1, 2))).status is Status.HOLDS
    assert claim.check(uncovered_rewards()).status is Status.REFUTED


def test_another_update_is_not_gtd2() -> None:
    """The identity is one about the suite's own updates: with the correction left out it fails."""
    gtd, tdc = map(schedules.scheduled, ("gtd", "tdc"))
    assert single_updates.length_zero_identity(gtd, tdc, 1)
    without = replace(gtd, terms=tuple(term for term in gtd.terms if term.a != PHI))
    assert not single_updates.length_zero_identity(without, tdc, 1)
    assert not single_updates.length_zero_identity(gtd, gtd, 1)


def test_a_users_model_is_not_asked_about_the_papers_experiments() -> None:
    asked = {row.id for row in asked_of_models()}
    assert "prop_4_1" in asked and "exp_random_chain" not in asked
    assert asked == {row.id for row in ENTRIES if not row.is_open and not row.id.startswith("exp_")}
