"""Steps and the path: what a period does to averages, and what steps that follow the state do to the iterates."""

from __future__ import annotations

import re
from fractions import Fraction
from math import log

import pytest

from tdcert.claims.dgb22 import any_square_summable_steps, deterministic_steps, schedules_without_end
from tdcert.claims.models import periodic_models, uncovered_models
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.hypotheses import MOVED_REST_POINT
from tdcert.theory.expressions.forward_views import BACKWARD, MOVES
from tdcert.theory.expressions.relations import Context, _paths, evaluate
from tdcert.theory.identities import step_noise
from tdcert.theory.model.gallery import boyan_chain, fair_coin_chain, flip_chain, theta_to_two_theta
from tdcert.theory.model.returns import td_errors
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.verdict import Status


def test_any_square_summable_steps_what_a_periodic_chain_does() -> None:
    """The witness on models of period 2 and 3: the sum over the first 3,000 steps grows as (1 − 1/p) Σ 1/t."""
    for model in periodic_models():
        verdict = any_square_summable_steps.check(model)
        (states,) = model.behaviour_chain.recurrent_classes
        period = model.behaviour_chain.period(states).period
        assert verdict.status is Status.REFUTED and verdict.witness["E_0 f"] == f"1/{period}"
        there = {int(s) for s in re.findall(r"\d+", verdict.witness["s_0"])}
        reached, total = {min(there)}, 0.0
        for t in range(3_000):
            assert reached <= there or not reached & there  # all paths from s_0 are in the phase, or none
            f = float(reached <= there)
            total += (1 / max(t, 1) if t % period == 0 else 1 / t**2) * (f - 1 / period)
            reached = {j for i in reached for j in range(model.n) if model.behaviour_chain.P[i, j] > 0}
        # Σ_{t<T, p|t} 1/t ≥ ln(T/p)/p, and the other steps take at most π²/6/p
        assert total > (1 - 1 / period) * log(3_000 / period) / period - 2 / period


def test_any_square_summable_steps_look_ahead_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    assert step_noise.look_ahead(3)
    assert step_noise.weighted_rest_point()
    right = td_errors
    monkeypatch.setattr(step_noise, "td_errors", lambda R, gamma, V: right(R, [g * g for g in gamma], V))
    assert not step_noise.weighted_rest_point()


def test_schedules_without_end_asks_for_a_trace_that_fades() -> None:
    """Boyan's chain has no discount inside an episode: Monte Carlo is not covered, λ < 1 and a long schedule are."""
    endless = boyan_chain(Schedule.constant(Fraction(1)))
    assert endless.gamma is None and not schedules_without_end.fades(endless)
    assert schedules_without_end.check(endless).status is Status.UNDECIDED
    for schedule in (Schedule.constant(Fraction(99, 100)), Schedule.constant(Fraction(1), 5)):
        assert schedules_without_end.fades(boyan_chain(schedule))
        assert schedules_without_end.check(boyan_chain(schedule)).status is Status.HOLDS


@pytest.mark.parametrize("lambdas", [(), (Fraction(1, 2),), (Fraction(1, 3), Fraction(1))])
def test_deterministic_steps_moves_is_the_mean_over_paths(lambdas: tuple[Fraction, ...]) -> None:
    """E[δ_tz_t; s_t = i] summed over all paths, by the state at time t = L: on-policy, off-policy, without coverage."""
    schedule, length = Schedule(lambdas), len(lambdas)
    for plain in (flip_chain(), theta_to_two_theta(Fraction(9, 10), None, (1, 0)), *uncovered_models()):
        model = plain.with_schedule(schedule)
        theta = RationalMatrix.column([k + 2 for k in range(model.d)])
        context = Context(model, model.behaviour_chain.recurrent_classes[0], "covered", theta)
        sums = [RationalMatrix.zeros(model.d, 1)] * model.n
        law = [p for (p,) in context.keys.d.scalars]
        for probability, path in _paths(model, model.behaviour, law, length + 1):
            update = evaluate(("*", f"delta:{length}", f"zrho:{length}"), context.along(path))
            sums[path.states[length]] += update.scaled(probability)
        moves = evaluate(MOVES, context)
        assert [moves.take(columns=[i]) for i in range(model.n)] == sums
        assert sum(sums, start=RationalMatrix.zeros(model.d, 1)) == evaluate(BACKWARD, context)


def test_deterministic_steps_need_a_value_that_is_not_representable() -> None:
    """One feature for each state: δ has mean zero in every state. With φ = 1 it is ½ and −½ at θ* = 1."""
    tabular = fair_coin_chain(Fraction(1, 2)).with_features(RationalMatrix([[1, 0], [0, 1]]))
    assert not MOVED_REST_POINT.ask(tabular).satisfied
    assert deterministic_steps.check(tabular).status is Status.UNDECIDED
    model = deterministic_steps.two_states()
    assert MOVED_REST_POINT.ask(model).satisfied and deterministic_steps.check(model).status is Status.HOLDS
    endless = model.with_schedule(Schedule.constant(Fraction(-3)))  # |λγ| > 1: the trace grows without bound
    assert deterministic_steps.check(endless).status is Status.UNDECIDED


def test_deterministic_steps_lead_to_four_thirds() -> None:
    """The mean of θ_t under 2/(t + 1) and 1/(t + 1): m ← m + (1 − ¾m)/(t + 1), so |m − 4/3| falls as t^{−¾}."""
    mean, exact = 0.0, []
    for t in range(20_000):
        mean += sum((reward - mean / 2) * w / (t + 1) / 2 for reward, w in ((1, 2), (0, 1)))
        exact.append(mean)
    assert abs(exact[-1] - 4 / 3) < 2 * 20_000**-0.75
    (fact,) = deterministic_steps.facts()
    assert fact.verdict.status is Status.HOLDS
