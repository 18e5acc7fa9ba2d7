"""Runs, curves and schedules of any update: a function of the user's is answered as those that ship are."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tdcert.algorithms import NAMES, for_model, named
from tdcert.algorithms.schedules import compiled_as
from tdcert.algorithms.traces import schedule_trace
from tdcert.analysis.advice.advise import advise
from tdcert.analysis.advice.compared_schedules import COMPARED
from tdcert.analysis.advice.schedules_of import schedules_of
from tdcert.analysis.certify import distance_curves
from tdcert.analysis.exact_analysis import exact_facts
from tdcert.analysis.request import Part, SimulationRequest
from tdcert.analysis.simulated_runs import simulate_model
from tdcert.analysis.updates import analyse_updates
from tdcert.claims.models import two_absorbing_states
from tdcert.theory.engine.declare import Algorithm, algorithm
from tdcert.theory.engine.dynamics import rest_of
from tdcert.theory.engine.error_bound import ErrorBound, error_bound
from tdcert.theory.engine.first_order import with_mean_dynamics
from tdcert.theory.laws.decreasing_steps import DecreasingSteps
from tdcert.theory.model.gallery import fair_coin_chain, theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.progress import silently
from tdcert.theory.verdict import Status
from tests.abilities_model import two_policies

F = Fraction
HALF = F(1, 2)
SOME = ("retrace", "implicit_td", "vmtdc")


@algorithm(parameters={"theta": "d"})
def mine(t: Any, theta: Any, alpha: Any) -> Any:
    """Off-policy TD(0)."""
    return theta + alpha * t.rho * (t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta) * t.phi


def asked(steps: str | None = None, updates: int = 300) -> SimulationRequest:
    return SimulationRequest.of_words(1, steps, None, updates, 100)


@pytest.mark.thorough
def test_the_expectation_is_the_one_of_the_paper_s_code() -> None:
    """The same numbers as windows give for off-policy TD, GTD and TDC, at constant steps and at decreasing ones."""
    model = two_policies(HALF, Schedule.constant(HALF, 1))
    for words in ("1/16", "1,10,3/4"):
        for name in ("off_policy_td", "gtd", "tdc"):
            known, found = (simulate_model(model, asked(words, 30), [one]).runs[0] for one in (name, named(name)))
            assert known.exact_expectation and found.exact_expectation
            old, new = known.figure.series[1], found.figure.series[1]
            assert old.x == new.x and np.allclose(old.y, new.y, rtol=1e-9, atol=0)


@pytest.mark.parametrize("name", [pytest.param(x, marks=() if x in SOME else pytest.mark.thorough) for x in NAMES])
def test_every_algorithm_runs_against_its_moments(name: str) -> None:
    run = simulate_model(two_policies(HALF, Schedule.constant(HALF, 1)), asked(None, 100), [named(name)]).runs[0]
    assert run.judged.status is Status.HOLDS and run.judged.compared is not None
    drawn, *_ = run.figure.series
    assert len(drawn.x) > 10 and run.algorithm == name


@pytest.mark.thorough
def test_a_function_runs_and_diverges_as_it_should() -> None:
    found = simulate_model(theta_to_two_theta(F(9, 10)), asked("5", 1_000), [mine]).runs[0]
    assert found.diverged > 0 and found.diverged_by is not None and "runs diverged" in found.figure.caption
    several = simulate_model(two_absorbing_states(), asked(updates=20), [mine]).runs[0]
    assert several.judged.status is Status.HOLDS and "from zero, for no one point" in several.figure.caption


@algorithm(
    parameters={"v": "d"}, memory={"last": ("lambdas", "d"), "endless": ("tail", "d")}, schedule=("lambdas", "tail")
)
def by_hand(t: Any, v: Any, last: Any, endless: Any, alpha: Any, *, lambdas: Any = (), tail: Any = ()) -> Any:
    """Off-policy TD of a λ-schedule in other words."""
    z, last, endless = schedule_trace(t, last, endless, lambdas, tail, t.rho)
    return v - alpha * (t.phi @ v - t.reward - t.discount * (t.phi_next @ v)) * z, last, endless


def test_a_kernel_is_chosen_by_the_terms() -> None:
    """A function with the terms of one of the paper's runs as that does, bit by bit; with other λ's it runs itself."""
    model = two_policies(HALF, Schedule.constant(HALF, 1))
    known, found = (simulate_model(model, asked(None, 50), [one]).runs[0] for one in ("off_policy_td", by_hand))
    assert compiled_as(for_model(by_hand, model)[0], model.schedule) == "off_policy_td"
    assert compiled_as(by_hand.with_options(lambdas=(1,)), model.schedule) is None
    assert known.judged.compared == found.judged.compared and found.judged.status is Status.HOLDS
    assert known.figure.series[1:] == found.figure.series[1:]


@pytest.mark.thorough
def test_curves_are_those_of_any_update() -> None:
    """The root mean square error of a function is that of the algorithm it is; a memory without end says so."""
    steps, model = DecreasingSteps(F(2), F(100), F(3, 4)), fair_coin_chain(HALF)
    known, own = (distance_curves(model, one, steps, [F(1)], None) for one in (named("td"), mine))
    assert known.figure is not None and own.figure is not None and own.algorithm == "mine"
    assert known.figure.series[0].y == own.figure.series[0].y and own.last is not None
    endless = distance_curves(two_policies(HALF, Schedule()), named("etd"), steps, [F(1)] * 2, None)
    assert endless.figure is None and "has no end" in endless.why


def test_schedules_are_compared_for_any_update() -> None:
    """Under each λ the answer is that of the update with this λ; what has no λ, or was given one, says so."""
    model, half = two_policies(HALF, Schedule()), Schedule.constant(HALF)
    found = schedules_of(model, named("tdrc"), [half, Schedule.n_step(2)])
    assert [row.candidate.own for row in found.rows] == [True, False, False]
    for row, lam in zip(found.rows, (F(0), HALF), strict=False):
        known = analyse_updates(model, [named("tdrc").with_options(lam=lam)], silently).rows[0]
        assert row.answer is not None and row.answer.error_squared == known.error_squared
        assert row.answer.variance == known.variance
    assert found.rows[2].answer is None and "one λ for all steps" in found.rows[2].why
    assert "takes no schedule" in schedules_of(model, mine).why
    assert "was given lam" in schedules_of(model, named("tdrc").with_options(lam=HALF)).why
    assert "2 recurrent classes" in schedules_of(two_absorbing_states(), named("tdrc")).why


@pytest.mark.thorough
@pytest.mark.parametrize("on_policy", [True, False])
def test_both_comparisons_of_td_agree(on_policy: bool) -> None:
    """κ's table of TD and the rows of the engine have the same errors, variances and dynamics, and recommend alike."""
    model = two_policies(HALF, Schedule.constant(HALF, 1))
    model = replace(model, target=model.behaviour) if on_policy else model
    others = (*COMPARED[:2], *COMPARED[6:9], Schedule())
    known = advise(exact_facts(model), others, parts=frozenset([Part.SCHEDULES]))
    found = schedules_of(model, named("td" if on_policy else "off_policy_td"), others)
    assert [row.name for row in known.comparison.rows] == [row.name for row in found.rows] and len(found.rows) == 6
    for one, other in zip(known.comparison.rows, found.rows, strict=True):
        assert one.error == other.error and one.variance == other.variance
        assert one.dynamics is not None and other.dynamics is not None
        assert one.dynamics.mean_dynamics is other.dynamics.mean_dynamics
    first, second = known.recommended, found.recommended
    assert (first.matters, first.gain, first.sentence()) == (second.matters, second.gain, second.sentence())
    assert first.best is not None and second.best is not None and first.best.name == second.best.name


@pytest.mark.thorough
def test_a_schedule_is_recommended_to_a_function() -> None:
    """By error and variance of averages; without the model's own among what is known there is none."""
    model = two_policies(HALF, Schedule())
    found = schedules_of(model, named("tdrc"), [Schedule.constant(HALF), Schedule.n_step(2)]).recommended
    assert found.best is not None and found.gain is not None and "Over 40,000 steps" in found.sentence()
    ended = schedules_of(model.with_schedule(Schedule.n_step(2)), named("tdrc"), [Schedule()]).recommended
    assert ended.best is None and "the model's own schedule is not known" in ended.sentence()
    assert "no error of averages is known" in schedules_of(model, mine).recommended.sentence()


def test_the_bound_is_of_what_rests_where_td_does() -> None:
    """On-policy: TD, GTD, TDC and a function have the bound of TD; what rests elsewhere has none."""
    model = two_policies(HALF, Schedule.constant(HALF, 1))
    equal = replace(model, target=model.behaviour)
    facts = exact_facts(equal).single
    assert facts is not None and facts.error_bound_squared is not None

    def of(asked: Model, one: Algorithm) -> ErrorBound | str:
        declared, states = for_model(one, asked)[0], asked.behaviour_chain.recurrent_classes[0]
        rest = rest_of(with_mean_dynamics(asked, declared, states), [F(1)] * len(declared.steps))
        return error_bound(asked, declared, states, rest)

    for name in ("td", "gtd", "tdc"):
        found = of(equal, named(name))
        assert isinstance(found, ErrorBound) and found.bound == facts.error_bound_squared.lower
        assert found.kappa == equal.kappa
    own, known = of(equal, mine), exact_facts(equal.with_schedule(Schedule())).single
    assert isinstance(own, ErrorBound) and known is not None and known.error_bound_squared is not None
    assert own.bound == known.error_bound_squared.lower
    assert "elsewhere" in str(of(equal, named("residual_gradient"))) and "equal policies" in str(of(model, mine))
