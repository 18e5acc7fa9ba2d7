"""The engine against second writings: tables by hand, memory against the law of traces, means against the paper's
formulas, dynamics and constant steps against the decisions about the paper's four.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from flint import fmpq
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tdcert.algorithms import NAMES, for_model, named, schedules
from tdcert.sims.strategies import models
from tdcert.theory.arithmetic import BallMatrix, RationalMatrix
from tdcert.theory.arithmetic.ball import precision
from tdcert.theory.arithmetic.rational import to_fraction
from tdcert.theory.certificate import checker
from tdcert.theory.certificate.write import document, text
from tdcert.theory.check.fixed_point import predictions
from tdcert.theory.check.mean_dynamics import gradient_dynamics, td_dynamics
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.check.step_size_ratio import stable_intervals, stable_ratios
from tdcert.theory.check.trace_law import (
    has_second_moments,
    monomials,
    radius_below_one,
    ratio_kernel,
    reached,
    trace_moments,
)
from tdcert.theory.engine import memory as memory_module
from tdcert.theory.engine.certificates import time_scale_certificates
from tdcert.theory.engine.declare import Algorithm, algorithm
from tdcert.theory.engine.dynamics import TimeScales, at_ratios, ratio_set, rest_of, time_scales, two_time_scales
from tdcert.theory.engine.finite_times import moments_in_time
from tdcert.theory.engine.growth import growth_of
from tdcert.theory.engine.jumps import jump_system
from tdcert.theory.engine.means import Stationary, stationary
from tdcert.theory.engine.nodes import node_chain, nodes
from tdcert.theory.engine.noise import long_run_covariance, noise_of
from tdcert.theory.engine.paths import on_paths
from tdcert.theory.engine.second_moments import at_constant_step
from tdcert.theory.engine.small_steps import memory_bounds, safe_step
from tdcert.theory.engine.tables import tables
from tdcert.theory.engine.terms import Terms
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.laws import long_run_covariance as paper
from tdcert.theory.laws import mean_square, moments
from tdcert.theory.laws.mean_at_step import mean_signs
from tdcert.theory.model.gallery import HALF, fair_coin_chain, flip_chain, one_state, random_walk_5, theta_to_two_theta
from tdcert.theory.model.key_matrices import behaviour_matrices, gtd_matrix, joint_matrix, tdc_matrix
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tests.abilities_model import two_policies
from tests.algorithms.test_algorithms import stacked
from tests.chains import finite_time_moments, quotient_system
from tests.effort import examples

F = Fraction
ONE = F(1)
some = settings(max_examples=examples(30), deadline=None)
few = settings(max_examples=examples(8), deadline=None)
GAMMA = F(9, 10)


def scheduled(name: str, model: Model) -> Algorithm:
    """One of the four, with the model's schedule."""
    tail = (model.schedule.tail,) if model.schedule.tail else ()
    return named(name).with_options(lambdas=model.schedule.lambdas, tail=tail)


def on_class(model: Model, declared: Algorithm) -> Stationary[RationalMatrix]:
    return stationary(model, declared, model.behaviour_chain.recurrent_classes[0])


# ---- tables ---------------------------------------------------------------------------------------------------------


@algorithm(parameters={"theta": "d"}, memory={"z": "d"})
def remembers(t: Any, theta: Any, z: Any, alpha: Any, *, lam: Any = HALF) -> Any:
    z = t.rho * (t.discount_before * lam * z + t.phi)
    return theta + alpha * (t.reward - t.phi @ theta) * z, z


def test_a_table_by_hand() -> None:
    """θ→2θ, the second action out of the second state: ρ = 2, Γ = 9/10, φ = φ' = 2."""
    model = theta_to_two_theta(GAMMA, rewards=(3, 5))
    found = tables(model, remembers)
    assert found.fields == ("discount_before",)
    assert found.contexts == ((0, 0), (1, 0), (0, GAMMA), (1, GAMMA)) and found.starts == 2
    (edge,) = [e for e in found.edges if found.contexts[e.source] == (1, GAMMA) and e.outcome.after == 1]
    assert edge.outcome.rho == 2 and found.contexts[edge.target] == (1, GAMMA)
    # z' = 2(9/20 z + 2), θ' = θ + α(5 − 2θ)z'
    assert edge.recursion == ({(0, 0): fmpq(9, 10)}, {0: fmpq(4)})
    assert edge.increments == {
        (1,): {
            (0, 0, 1): fmpq(9, 2),
            (0, 0, 0): fmpq(-9, 5),
            (None, 0, 1): fmpq(20),
            (None, 0, 0): fmpq(-8),
        }
    }
    (first,) = [e for e in found.edges if found.contexts[e.source] == (1, 0) and e.outcome.after == 1]
    assert first.recursion == ({}, {0: fmpq(4)})  # no discount before the first transition


def test_what_the_transition_before_was_is_followed_only_where_it_is_read() -> None:
    @algorithm(parameters={"theta": 1})
    def reads_all(t: Any, theta: Any, alpha: Any) -> Any:
        return theta + alpha * (t.rho_before if not t.first else -t.rho_before)

    @algorithm(parameters={"theta": 1})
    def reads_nothing(t: Any, theta: Any, alpha: Any) -> Any:
        return theta + alpha * (t.pi - t.mu + t.interest + t.action - t.state - t.next_state)

    model = theta_to_two_theta(GAMMA)
    found = tables(model, reads_all)
    assert found.fields == ("rho_before", "first")
    assert sorted(found.contexts) == [(0, 0, False), (0, 1, True), (1, 1, True), (1, 2, False)]
    by_context = {found.contexts[e.source]: e.increments for e in found.edges}
    assert by_context[0, 1, True] == {(1,): {(None, 0, 1): fmpq(-1)}}
    assert by_context[1, 2, False] == {(1,): {(None, 0, 1): fmpq(2)}} and by_context[0, 0, False] == {}
    assert tables(model, reads_nothing).contexts == ((0,), (1,))
    twice = stationary(model, reads_nothing, (0, 1), interest=[F(3), F(5)])
    # E[π − μ] = 0, E[interest] = 4, and action, state and next state are ½ each in the mean
    assert twice.means[0] == RationalMatrix([[0, 4 - HALF]])
    assert stationary(model, reads_all, (0, 1)).means[0] == RationalMatrix([[0, 1]])


def edges_of(model: Model, declared: Algorithm, **more: Any) -> list[tuple[Any, ...]]:
    found = tables(model, declared, **more)
    return [
        (found.contexts[e.source], found.contexts[e.target], e.outcome, e.increments, e.recursion) for e in found.edges
    ]


@few
@given(models(discount="any", policy="any", endless=True), st.sampled_from(NAMES), st.booleans())
def test_successors_together_are_successors_one_by_one(model: Model, name: str, numbers: bool) -> None:
    """Who reads the next state is asked about every transition apart, and all else is the same."""
    declared = for_model(named(name), model)[0]

    def reads(t: Any, *inputs: Any, **options: Any) -> Any:
        assert t.next_state >= 0
        return declared.function(t, *inputs, **options)

    steps = dict.fromkeys(declared.steps, F(1, 8)) if numbers or name == "implicit_td" else None
    try:
        together = edges_of(model, declared, steps=steps)
    except InputError as error:  # steps in its memory
        with pytest.raises(InputError) as again:
            edges_of(model, replace(declared, function=reads), steps=steps)
        assert str(again.value).partition(" (")[0] == str(error).partition(" (")[0]
    else:
        assert together == edges_of(model, replace(declared, function=reads), steps=steps)


def test_what_an_update_looks_at_is_a_number() -> None:
    """Three states, each a successor of each. Rewards differ by successor, the discount does not."""
    third = [[F(1, 3)] * 3] * 3
    P, rewards = RationalMatrix(third), RationalMatrix([[F(1), F(-2), F(1)]] * 3)
    model = Model.reward_process(P, rewards, GAMMA, RationalMatrix([[F(1)], [F(2)], [F(-3)]]))
    calls: list[int] = []

    def asked(change: Callable[[Any], Any]) -> tuple[int, list[Fraction]]:
        @algorithm(parameters={"theta": 1})
        def moves(t: Any, theta: Any, alpha: Any) -> Any:
            calls.append(t.state)
            return theta + alpha * change(t)

        calls.clear()
        found = tables(model, moves)
        return len(calls), [to_fraction(e.increments[1,][None, 0, 1]) for e in found.leaving[0]]

    # for each state, and for the first transition once more
    assert asked(lambda t: t.reward**2 * t.phi_next[0]) == (3 + 1, [1, 8, -3])
    assert asked(lambda t: min(t.discount, 1) * t.reward) == (3 + 1, [F(9, 10), F(-9, 5), F(9, 10)])
    # a call that needs numbers, then one for each of two rewards
    assert asked(lambda t: max(t.reward, 0) + t.phi_next[0]) == (1 + 3 * 2 + 1, [2, 2, -2])
    # two calls that need more, then one for each of three successors
    assert asked(lambda t: abs(t.phi_next[0])) == (2 + 3 * 3 + 1, [1, 2, 3])
    assert asked(lambda t: (4, 5, 6)[t.next_state]) == (2 + 3 * 3 + 1, [4, 5, 6])
    assert asked(lambda t: 7 if t.next_state == 1 else 8) == (2 + 3 * 3 + 1, [8, 7, 8])


# ---- memory ---------------------------------------------------------------------------------------------------------


def test_a_memory_with_an_end_is_solved_level_by_level() -> None:
    """The strong components of its places give the same mean; a trace that feeds itself has no levels."""
    model = random_walk_5(Schedule((HALF, F(1, 3), F(1, 4))))
    found = on_class(model, scheduled("td", model)).memory
    plain = memory_module.Memory(found.tables, found.law, found.kind, found.begun)
    vars(plain)["_levels"] = None
    assert found._levels is not None and len(found._groups) > 1 and found.without_end is plain.without_end is None
    assert found.mean == plain.mean and any(found.mean.values())
    endless = random_walk_5(Schedule((), HALF))
    assert on_class(endless, scheduled("td", endless)).memory._levels is None


def test_a_trace_that_several_algorithms_keep_has_its_mean_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Off-policy TD, GTD and TDC keep the same trace; with another λ it is another process, of the same size."""
    model, solved, times = theta_to_two_theta(HALF), memory_module.solved, list[int]()

    def counted(*given: Any) -> Any:
        times.append(1)
        return solved(*given)

    monkeypatch.setattr(memory_module, "solved", counted)

    def memory(name: str, lam: F) -> memory_module.Memory[RationalMatrix]:
        return on_class(model, named(name).with_options(lambdas=(), tail=(lam,))).memory

    first, *others = (memory(name, HALF).mean for name in ("off_policy_td", "gtd", "tdc"))
    assert others == [first, first] and len(times) == 1
    other = memory("gtd", F(1, 4))
    alone = memory_module.Memory(other.tables, other.law, other.kind, other.begun)
    assert other.mean == alone.mean != first


@some
@given(models(discount="any", endless=True))
def test_the_mean_of_the_memory_is_that_of_the_trace(model: Model) -> None:
    """With memory λΓz̃…: E[ΓΡz̃ 1{s'}] = N_1ᵀ U_1, U_1 of ``trace_law``, which shares no code with it."""
    if not model.schedule.tail:
        return
    found, states = on_class(model, scheduled("off_policy_td", model)), tuple(range(model.n))
    inside = reached(model, states)
    kernel = ratio_kernel(model, 1).take(inside, inside).scaled(model.schedule.tail)
    exists = not inside or radius_below_one(kernel)
    assert found.memory.exists is (True if exists else found.memory.exists and None) or not exists
    if not exists:
        assert found.memory.exists is not True
        return
    moment = ratio_kernel(model, 1).T @ trace_moments(model, states, 1)[1]
    for (s,), h in {context: k for k, context in enumerate(found.tables.contexts)}.items():
        for i in range(model.d):
            assert (
                F(int(found.memory.mean.get((h, i), fmpq(0)).p), int(found.memory.mean.get((h, i), fmpq(0)).q))
                == (moment[s, i])
            )
    assert (found.memory.has_second_moments is True) == has_second_moments(model, states)


@some
@given(models(discount="any", policy="any", endless=True), st.sampled_from(NAMES))
def test_a_memory_that_has_an_end_has_every_moment(model: Model, name: str) -> None:
    """The same answers from the systems of the moments, which an end makes superfluous."""
    try:
        memory = on_class(model, for_model(named(name), model)[0]).memory
    except (BudgetExceededError, InputError):  # an algorithm for models on-policy
        return
    by_systems = replace(memory)
    vars(by_systems)["without_end"] = 0
    assert (memory.exists, memory.has_second_moments) == (by_systems.exists, by_systems.has_second_moments)


def test_an_end_is_seen_before_any_system_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nine λ's keep a trace of nine features; a trace that is kept along a cycle of two states has no end."""

    def refused(*_: object) -> None:
        raise AssertionError("a system was built")

    for part in ("contracts", "_squared"):
        monkeypatch.setattr(memory_module, part, refused)
    schedule = Schedule.n_step(10)
    found = on_class(flip_chain(GAMMA, schedule), scheduled("off_policy_td", flip_chain(GAMMA, schedule))).memory
    assert (found.without_end, found.exists, found.has_second_moments) == (None, True, True)
    endless = flip_chain(ONE, Schedule((), ONE))
    monkeypatch.undo()
    found = on_class(endless, scheduled("off_policy_td", endless)).memory
    assert (found.without_end, found.exists, found.has_second_moments) == (0, False, False)


def test_moments_that_are_infinite_are_told_from_undecided_ones() -> None:
    """φ > 0 and ρ = 2 half of the time: λγρ has mean λγ and square 2(λγ)², which passes one at λγ = 1/√2."""

    def kinds(lam: Fraction, sign: int = 1) -> tuple[bool | None, bool | None]:
        model = theta_to_two_theta(F(1))
        model = model.with_features(model.features.scaled(sign))
        memory = on_class(model, named("etd").with_options(lam=lam)).memory
        return memory.exists, memory.has_second_moments

    plain = named("gtd_lambda")
    for lam, second in ((F(7, 10), True), (F(71, 100), False)):
        model = theta_to_two_theta(F(1))
        memory = on_class(model, plain.with_options(lam=lam)).memory
        assert (memory.exists, memory.has_second_moments) == (True, second)
    model = theta_to_two_theta(F(1))
    negative = model.with_features(model.features.scaled(-1))
    memory = on_class(negative, plain.with_options(lam=F(71, 100))).memory
    assert (memory.exists, memory.has_second_moments) == (True, False)  # whatever the signs
    memory = on_class(negative, plain.with_options(lam=ONE)).memory  # |z| does not contract, and signs might cancel
    assert (memory.exists, memory.has_second_moments) == (None, None)
    assert kinds(F(0)) == (False, False)  # the follow-on trace at discount one has no mean
    assert at_ratios(on_class(model, named("etd")), [ONE]).mean_dynamics is MeanDynamics.UNDECIDED


@pytest.mark.parametrize(("first", "second"), [(F(1, 2), F(2)), (F(2), F(1, 2)), (F(1), F(1, 3))])
def test_one_entry_without_a_mean_is_enough(first: Fraction, second: Fraction) -> None:
    """m' = cm + 1 has a mean for c < 1 only, whichever entry it is."""

    @algorithm(parameters={"theta": 1}, memory={"m": 2})
    def two(t: Any, theta: Any, m: Any, alpha: Any) -> Any:
        return theta + alpha * m[0] * (1 - theta), [first * m[0] + 1, second * m[1] + 1]

    memory = on_class(one_state(GAMMA), two).memory
    assert (memory.exists, memory.has_second_moments) == (False, False)


def test_entries_of_the_memory_that_wait_for_each_other() -> None:
    """u = 1 + v/2, v = u/3 (of the step before): (I − B) solved where the components depend on each other."""

    @algorithm(parameters={"theta": 1}, memory={"m": 3})
    def waits(t: Any, theta: Any, m: Any, alpha: Any) -> Any:
        return theta + alpha * m[2] * (1 - theta), [1 + m[1] / 2, m[0] / 3, m[0] + m[1]]

    found = on_class(one_state(GAMMA), waits)
    assert [found.memory.mean[0, i] for i in range(3)] == [fmpq(6, 5), fmpq(2, 5), fmpq(8, 5)]
    assert found.means[0] == RationalMatrix([[F(-8, 5), F(8, 5)]])
    assert found.memory.has_second_moments is True


def test_what_the_first_transition_leaves_in_the_memory() -> None:
    """``on`` is 1 from the first transition on, or a power of ``keep``; later transitions add nothing to it."""

    @algorithm(parameters={"theta": "d"}, memory={"on": 1})
    def started(t: Any, theta: Any, on: Any, alpha: Any, *, keep: Any = 1, factor: Any = 3) -> Any:
        on = 1 if t.first else keep * on
        return theta + alpha * (factor * on - 1) * (t.phi @ theta) * t.phi, on

    model = theta_to_two_theta(GAMMA)
    for keep in (1, 2, -1):  # the memory of the stationary regime would be zero, and no run ever comes near it
        found = on_class(model, started.with_options(keep=keep))
        assert found.memory.exists is None and at_ratios(found, [ONE]).mean_dynamics is MeanDynamics.UNDECIDED
    answer = at_constant_step(model, started, (0, 1), [ONE], F(1, 10), 1000)
    assert (answer.mean, answer.mean_square) == (1, 1)
    forgets = started.with_options(keep=HALF)
    found, own = on_class(model, forgets), tables(model, forgets, (0, 1))
    assert found.memory.exists is True and at_ratios(found, [ONE]).mean_dynamics is MeanDynamics.STABLE
    assert not found.memory.mean or set(found.memory.mean.values()) == {fmpq(0)}
    # θ → (1 − α(1 − 3·2⁻ᵏ)φ²)θ; the form must carry what the start left, for E V' ≤ V holds from the first step on
    plain = forgets.with_options(factor=0)
    least, most = safe_step(found, own, [ONE]), safe_step(on_class(model, plain), tables(model, plain, (0, 1)), [ONE])
    assert least is not None and most is not None and least.upto < most.upto


def test_a_memory_without_a_mean_at_one_step() -> None:
    """On two states in turn ``on`` is 0, 1, 0, …: it depends on the start, so it has no mean."""
    turns = Model.reward_process(RationalMatrix([[0, 1], [1, 0]]), RationalMatrix([[1], [1]]), GAMMA)

    @algorithm(parameters={"theta": "d"}, memory={"on": 1})
    def toggles(t: Any, theta: Any, on: Any, alpha: Any) -> Any:
        return theta - alpha * on * theta, 1 - on

    assert on_class(turns, toggles).memory.exists is None
    answer = at_constant_step(turns, toggles, (0, 1), [ONE], F(1, 10), 1000)
    assert (answer.mean, answer.mean_square) == (-1, -1)


def test_signs_that_cancel_and_memory_without_chance() -> None:
    """m' = r m + s with E r < 1 < E r²: infinite second moments, unless m never varies given the state."""
    model = theta_to_two_theta(F(1))  # ρ is 0 or 2, and r = 4ρ/5 has the square 32/25 in the mean

    @algorithm(parameters={"theta": 1}, memory={"m": 2})
    def apart(t: Any, theta: Any, m: Any, alpha: Any, *, off: Any = 0) -> Any:
        r = F(4, 5) * t.rho
        # m[0] is −1 throughout, if off = 0; m[1] is its double
        return theta + alpha * m[0] * (1 - theta), [r * m[0] + r - 1 + off * t.phi[0], r * m[1] + 2 * (r - 1)]

    memory = on_class(model, apart).memory
    assert memory.exists is True and memory.has_second_moments is True
    assert sum(memory.second[1:], start=memory.second[0]) == RationalMatrix([[1, 2, -1], [2, 4, -2], [-1, -2, 1]])
    assert on_class(model, apart.with_options(off=1)).memory.has_second_moments is False

    @algorithm(parameters={"theta": 1}, memory={"m": 2})
    def turned(t: Any, theta: Any, m: Any, alpha: Any, *, c: Any = 0) -> Any:
        """Turned and stretched by c√2 half of the time, else (1, 0): E|m|² = 1/2 + c² E|m|², and 2c² for |R| ⊗ |R|."""
        r, kick = c * t.rho / 2, 1 - t.rho / 2
        return theta + alpha * m[0] * (1 - theta), [r * (m[0] - m[1]) + kick, r * (m[0] + m[1])]

    for c in (F(7, 10), F(4, 5), F(99, 100)):
        memory = on_class(model, turned.with_options(c=c)).memory
        assert memory.exists is True and memory.has_second_moments is True
        total = sum(memory.second[1:], start=memory.second[0])
        assert total[0, 0] + total[1, 1] == HALF / (1 - c * c)


@pytest.mark.parametrize("c", [F(1, 2), F(9, 10)])
def test_second_moments_by_hand(c: Fraction) -> None:
    """m[0]' = ±c m[0] + 1, m[1]' = ±1, both signs that of the action: E m[0]² = c² E m[0]² + 1."""

    @algorithm(parameters={"theta": 1}, memory={"m": 2})
    def chance(t: Any, theta: Any, m: Any, alpha: Any) -> Any:
        sign = 2 * t.action - 1
        return theta + alpha * m[0] * (1 - theta), [c * sign * m[0] + 1, 0 * m[1] + sign]

    memory = on_class(theta_to_two_theta(F(9, 10)), chance).memory
    assert memory.has_second_moments is True
    total = sum(memory.second[1:], start=memory.second[0])
    assert total == RationalMatrix([[1 / (1 - c * c), c, 1], [c, 1, 0], [1, 0, 1]])


def test_a_memory_that_ends_has_every_moment_without_a_look_at_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever ρ and γ are; where a slot returns to itself that is no answer, though its matrices are nilpotent."""

    @algorithm(parameters={"theta": "d"}, memory={"y": 1, "z": 1}, steps=("alpha",))
    def swapped(t: Any, theta: Any, y: Any, z: Any, alpha: Any) -> Any:
        y, z = (2 * z, 1) if t.action else (1, 2 * y)  # each matrix has the square zero, their product has not
        return theta + alpha * y * t.phi, y, z

    long = theta_to_two_theta(F(99, 100), Schedule.n_step(6))
    with monkeypatch.context() as patch:
        patch.setattr("tdcert.theory.engine.memory._squared", None)
        memory = stationary(long, for_model(named("off_policy_td"), long)[0], (0, 1)).memory
        assert memory.without_end is None and memory.has_second_moments is True
    memory = stationary(long, swapped, (0, 1)).memory
    assert memory.without_end is not None and memory.has_second_moments is False


@some
@given(models(discount="any", policy="any", endless=True))
def test_second_moments_are_those_of_the_trace(model: Model) -> None:
    """memory = Γρ z̃ of the step before: E[mmᵀ 1{s'}] = N_2ᵀ U_2, U_2 of ``trace_law``, which shares no code with it."""
    found, states = on_class(model, scheduled("off_policy_td", model)), tuple(range(model.n))
    if not model.schedule.tail or model.schedule.lambdas or not found.memory.has_second_moments:
        return
    moment = ratio_kernel(model, 2).T @ trace_moments(model, states, 2)[2]
    for h, (s,) in enumerate(found.tables.contexts):
        for k, (i, j) in enumerate(monomials(model.d, 2)):
            assert found.memory.second[h][i, j] == moment[s, k]
        assert found.memory.second[h][model.d, model.d] == to_fraction(found.memory.law[h])


# ---- noise ----------------------------------------------------------------------------------------------------------


@some
@example(two_policies(F(1, 2), Schedule((F(1, 2),))))
@given(models(discount="any", policy="any", rank="full", endless=True))
def test_the_long_run_covariance_is_that_of_the_paper_s_algorithms(model: Model) -> None:
    """``long_run_covariance`` goes through lags and kernels of the trace, and shares nothing with it but the model."""
    states = tuple(range(model.n))
    if not model.has_trace_sum_on(states) or not has_second_moments(model, states):
        return
    keys = behaviour_matrices(model, states)
    if keys.A.rank < model.d or keys.C.rank < model.d:
        return
    S = paper.ExactNoise(model, states).long_run()
    eta = F(3, 2)
    for name in ("off_policy_td", "gtd", "tdc"):
        found = on_class(model, scheduled(name, model))
        ratios = [ONE, eta][: len(found.algorithm.steps)]
        wanted = schedules.scheduled(name).noise(S, eta)
        rest = rest_of(found, ratios)
        assert long_run_covariance(found, ratios, rest)[0] == wanted
        if at_ratios(found, ratios).mean_dynamics is MeanDynamics.STABLE:
            noise, J = noise_of(found, ratios, rest), found.joint(ratios).take(columns=range(found.tables.D))
            assert noise.averaged is not None and noise.at_small_steps is not None
            assert J @ noise.averaged @ J.T == wanted
            moved = J @ noise.at_small_steps
            assert (moved + moved.T + wanted).is_zero() and noise.at_small_steps == noise.at_small_steps.T


def test_averages_and_small_steps_by_hand() -> None:
    """θ' = θ + α(x_{t−1} − θ), x = ±1 by the action, and remembered: Σ = 1, B = −1, so averages vary by 1/t, and the
    stationary variance α/(2 − α) is α/2 in the limit. Twice the same sum to 4, and x_{t−1} − x_t cancel in sums.
    """

    @algorithm(parameters={"theta": 1}, memory={"last": 1})
    def remembered(t: Any, theta: Any, last: Any, alpha: Any, *, back: Any = 0) -> Any:
        now = 2 * t.action - 1
        return theta + alpha * (last + back * now + 3 - theta), now

    for back, long_run in ((0, 1), (1, 4), (-1, 0)):
        found = on_class(theta_to_two_theta(F(9, 10)), remembered.with_options(back=back))
        noise = noise_of(found, [ONE], rest_of(found, [ONE]))
        one = RationalMatrix([[long_run]])
        assert (noise.long_run, noise.averaged, noise.at_small_steps) == (one, one, one.scaled(HALF))


@algorithm(parameters={"theta": "d", "total": 1}, memory={"z": 1})
def counts_too(t: Any, theta: Any, total: Any, z: Any, alpha: Any, *, lam: Any = 0) -> Any:
    """TD(0) beside a running total of rewards with a trace, which nothing sees."""
    z, delta = lam * z + t.reward, t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    return theta + alpha * delta * t.phi, total + alpha * z, z


@pytest.mark.parametrize("lam", [F(0), F(1, 3)])
def test_noise_is_about_the_drift_of_what_no_update_sees(lam: Fraction) -> None:
    """A fair coin c_t = ±1, φ = c, R = (1 + c)/2, γ = 1/2: θ* = E φR = 1/2, so δφ = c(1 + c)/2 − 1/2 + cc'/4, which is
    c/2 + cc'/4, with the variance 1/4 + 1/16. Terms cc' of neighbours have no covariance with others. Rewards have the
    variance 1/4, and the covariance 1/4 with c/2; sums of their traces are 1/(1 − λ) times theirs, ends apart.
    """
    coin = RationalMatrix([[HALF, HALF], [HALF, HALF]])
    model = Model.reward_process(coin, RationalMatrix([[1], [0]]), HALF).with_features(RationalMatrix([[1], [-1]]))
    many = 1 / (1 - lam)
    wanted = RationalMatrix([[F(5, 16), many / 4], [many / 4, many**2 / 4]])
    exact = on_class(model, counts_too.with_options(lam=lam))
    rest = rest_of(exact, [ONE])
    assert rest.parameters is None and rest.seen == RationalMatrix([[HALF]])
    assert rest.drift == RationalMatrix([[0], [many / 2]])
    assert long_run_covariance(exact, [ONE], rest)[0] == wanted
    with precision(128):
        enclosed = stationary(model, exact.algorithm, (0, 1), kind=BallMatrix)
        within = rest_of(enclosed, [ONE])
        assert within.drift.contains(rest.drift)
        Sigma = long_run_covariance(enclosed, [ONE], within)[0]
        assert Sigma.contains(wanted) and max(float(x.rad()) for row in Sigma.scalars for x in row) < 2.0**-100


def test_plain_runs_of_an_emphatic_trace() -> None:
    """ETD(1/2) on θ→2θ at γ = 1/2, written again with NumPy. With S_t the sum of t increments at rest, the mean of
    (S_2T² − S_T²)/T is Σ, less what decays like the lags of noise (a factor of at most 1/√2 a step: 2⁻⁵⁰ here). Fourth
    moments of the memory are finite (ργ is 1 half of the time), so those of S² are, and 6 standard errors suffice.
    """
    model, lam, gamma = theta_to_two_theta(HALF, rewards=(1, -1)), 0.5, 0.5
    found = on_class(model, named("etd").with_options(lam=HALF))
    rest = rest_of(found, [ONE])
    assert rest.parameters is not None
    theta, Sigma = float(rest.parameters[0, 0]), float(long_run_covariance(found, [ONE], rest)[0][0, 0])
    second = sum(found.memory.second[1:], start=found.memory.second[0]).to_float()
    runs, T, generator = 10_000, 100, np.random.default_rng(7)
    state = generator.integers(2, size=runs)
    still: Any = np.zeros(runs)
    follow = z = rho = total = half = still
    for t in range(3 * T):
        action = generator.integers(2, size=runs)
        follow = gamma * rho * follow + 1
        rho = 2.0 * action
        z = rho * (gamma * lam * z + (lam + (1 - lam) * follow) * (state + 1))
        if t >= T:
            total = total + (1 - 2 * state + gamma * (action + 1) * theta - (state + 1) * theta) * z
        half, state = total if t == 2 * T - 1 else half, action
    for sample, exact in (
        ((total**2 - half**2) / T, Sigma),
        ((gamma * z) ** 2, second[0, 0]),
        (gamma**2 * z * rho * follow, second[0, 1]),
        ((gamma * rho * follow) ** 2, second[1, 1]),
    ):
        assert abs(sample.mean() - exact) < 6 * sample.std() / runs**0.5 < 0.3 * exact


# ---- means ----------------------------------------------------------------------------------------------------------


@some
@given(models(discount="any", policy="any", rank="full", endless=True))
def test_lemma_a4_1_is_the_equality_of_the_mean_with_the_formula(model: Model) -> None:
    """The four: A, b, C of the paper's formulas are the means of the updates as they are printed."""
    states = tuple(range(model.n))
    if not model.has_trace_sum_on(states):
        return
    keys = behaviour_matrices(model, states)
    A, b, C = keys.A, keys.b, keys.C
    zero, none = A.scaled(0), b.scaled(0)
    wanted = {
        "off_policy_td": [stacked((A, b))],
        "gtd": [stacked((zero, -A.T, none), (zero, zero, none)), stacked((zero, zero, none), (A, -C, b))],
        "tdc": [stacked((A, -(A.T + C), b), (zero, zero, none)), stacked((zero, zero, none), (A, -C, b))],
    }
    if model.is_on_policy:
        wanted["td"] = wanted["off_policy_td"]
    for name, means in wanted.items():
        found = on_class(model, scheduled(name, model))
        if found.memory.exists:
            assert list(found.means) == means
            eta = F(3, 2)
            J = found.joint([ONE, eta][: len(means)]).take(columns=range(found.tables.D))
            assert schedules.scheduled(name).mean(A, C, eta) == J
            if name == "tdc":
                assert found.joint([ONE, eta]).take(columns=range(2 * model.d)) == joint_matrix(A, C, eta)
            if name == "gtd":
                assert found.joint([ONE, eta]).take(columns=range(2 * model.d)) == gtd_matrix(
                    A, C, eta, theta_first=True
                )


@some
@given(models(discount="any", policy="uncovered"))
def test_missing_coverage_is_seen_as_the_algorithm_sees_it(model: Model) -> None:
    keys = behaviour_matrices(model, tuple(range(model.n)))
    assert on_class(model, scheduled("off_policy_td", model)).means[0] == stacked((keys.A, keys.b))


def test_steps_that_are_no_steps() -> None:
    @algorithm(parameters={"theta": 1}, steps=("alpha", "beta"))
    def product(t: Any, theta: Any, alpha: Any, beta: Any) -> Any:
        return theta - alpha * beta**2 * theta

    @algorithm(parameters={"theta": 1})
    def drifts(t: Any, theta: Any, alpha: Any) -> Any:
        return theta / 2 + alpha

    model = one_state(GAMMA)
    with pytest.raises(
        InputError,
        match=r"'product' is not linear in its step sizes \(a term with alpha·beta·beta, test_engine\.py, line ",
    ):
        _ = on_class(model, product).means
    with pytest.raises(InputError, match="'drifts' moves its parameters by something that no step size multiplies"):
        _ = on_class(model, drifts).means
    with pytest.raises(InputError, match="not linear in its step sizes; give them as numbers"):
        _ = node_chain(tables(model, product)).exact
    with pytest.raises(InputError, match="give all step sizes of 'product' as numbers, alpha, beta, or none"):
        tables(model, product, steps={"alpha": ONE})
    numbers = tables(model, product, steps={"alpha": F(1, 2), "beta": F(1, 3)})
    assert numbers.edges[0].increments == {(0, 0): {(None, 0, 0): fmpq(-1, 18)}}


def test_what_is_too_large_is_refused_before_it_is_made() -> None:
    @algorithm(parameters={"theta": ("size", "size")})
    def wide(t: Any, theta: Any, alpha: Any, *, size: Any = 10**6) -> Any:
        return theta

    with pytest.raises(BudgetExceededError, match="'wide' has 1000000000000 parameters and numbers in its memory"):
        tables(one_state(HALF), wide)


def test_terms_that_cancel_in_the_mean_are_terms() -> None:
    """s' is 0 or 1 with equal chances out of either state, so ±1 by it has no mean; with α² it is not linear."""

    @algorithm(parameters={"theta": "d"})
    def squares(t: Any, theta: Any, alpha: Any) -> Any:
        return theta - alpha * theta + alpha**2 * (1 - 2 * t.next_state) * theta

    @algorithm(parameters={"theta": "d"})
    def unmeant(t: Any, theta: Any, alpha: Any) -> Any:
        return theta + alpha * (1 - 2 * t.next_state) * theta

    model = theta_to_two_theta(GAMMA)
    with pytest.raises(InputError, match=r"'squares' is not linear in its step sizes \(a term with alpha·alpha"):
        _ = on_class(model, squares).means

    @algorithm(parameters={"theta": "d"})
    def unseen(t: Any, theta: Any, alpha: Any) -> Any:
        return theta + alpha**2 * t.phi

    @algorithm(parameters={"theta": "d"})
    def of_successors(t: Any, theta: Any, alpha: Any) -> Any:  # φ' = ±1 with equal chances
        return theta - alpha * theta + alpha**2 * t.phi_next

    with pytest.raises(InputError, match=r"'of_successors' is not linear in its step sizes \(a term with alpha·alpha"):
        _ = on_class(fair_coin_chain(), of_successors).means
    with pytest.raises(InputError, match="'unseen' is not linear in its step sizes"):
        at_ratios(on_class(model, unseen), [ONE])
    # y' = (1 ± α)y: the mean stays as it is, and the mean square grows by 1 + α²
    assert at_ratios(on_class(model, unmeant), [ONE]).mean_dynamics is MeanDynamics.MARGINAL
    answer = at_constant_step(model, unmeant, (0, 1), [ONE], F(1, 10), 1000)
    assert (answer.mean, answer.mean_square) == (0, 1)


# ---- dynamics -------------------------------------------------------------------------------------------------------


@some
@given(models(rank="full"))
def test_verdicts_are_those_about_the_four(model: Model) -> None:
    states = tuple(range(model.n))
    keys = behaviour_matrices(model, states)
    td, (gtd, tdc) = td_dynamics(model, states), gradient_dynamics(model, states)
    found = on_class(model, scheduled("off_policy_td", model))
    verdict = at_ratios(found, [ONE])
    assert verdict.mean_dynamics == td.mean_dynamics and verdict.rate == td.rate
    assert at_ratios(on_class(model, scheduled("gtd", model)), [ONE, ONE]).mean_dynamics == gtd.mean_dynamics
    slow = two_time_scales(on_class(model, scheduled("tdc", model)))
    assert slow is not None and slow.mean_dynamics == tdc.mean_dynamics
    if slow.rate is not None and tdc.mean_dynamics is MeanDynamics.STABLE:
        assert slow.rate == tdc.rate
    rest = rest_of(found, [ONE])
    if keys.A.rank == model.d:
        assert rest.parameters == keys.theta_star
        if not model.uncovered:
            assert rest.predictions == predictions(model, states)


@some
@given(models(rank="deficient"))
def test_on_the_quotient_verdicts_are_those_about_the_four(model: Model) -> None:
    states = tuple(range(model.n))
    td = td_dynamics(model, states)
    found = on_class(model, scheduled("off_policy_td", model))
    verdict = at_ratios(found, [ONE])
    if not model.features.is_zero():
        assert verdict.mean_dynamics == td.mean_dynamics
    gtd, tdc = gradient_dynamics(model, states)
    assert at_ratios(on_class(model, scheduled("gtd", model)), [ONE, ONE]).mean_dynamics == gtd.mean_dynamics
    slow = two_time_scales(on_class(model, scheduled("tdc", model)))
    assert slow is not None
    if not model.features.is_zero():
        assert slow.mean_dynamics == tdc.mean_dynamics
    rest = rest_of(found, [ONE]).predictions
    if verdict.mean_dynamics is MeanDynamics.STABLE_MODULO_NULL_SPACE and not model.uncovered and rest is not None:
        assert rest == predictions(model, states)


def test_the_set_of_ratios_is_that_of_tdc() -> None:
    model = theta_to_two_theta(GAMMA)
    keys = behaviour_matrices(model, (0, 1))
    wanted = stable_intervals(keys.A, keys.C)
    found = ratio_set(on_class(model, scheduled("tdc", model)))
    assert found is not None and [part.stable for part in found] == [part.stable for part in wanted] == [False, True]
    (low, high), edge = found[1].left, keys.A[0, 0] / keys.C[0, 0]  # J(η) has trace A − ηC
    assert low <= edge <= high


def test_ratio_sets_by_hand() -> None:
    """[[1, −2], [η, −η]]: trace 1 − η, determinant η; stable for η > 1. Turned round: for η < 1."""
    slow, fast = RationalMatrix([[1, -2], [0, 0]]), RationalMatrix([[0, 0], [1, -1]])
    assert [(part.left[0] <= 1 <= part.left[1], part.stable) for part in stable_ratios(slow, fast)] == [
        (False, False),
        (True, True),
    ]
    assert [part.stable for part in stable_ratios(-slow, -fast)] == [True, False]
    assert [part.stable for part in stable_ratios(slow.scaled(0), fast)] == [False]
    # −I + η diag(1, −1): an eigenvalue passes zero at η = 1, where no pair is symmetric
    through_zero = stable_ratios(RationalMatrix([[-1, 0], [0, -1]]), RationalMatrix([[1, 0], [0, -1]]))
    assert [part.stable for part in through_zero] == [True, False]
    with pytest.raises(BudgetExceededError, match="up to 10 parameters; there are 11"):
        stable_ratios(RationalMatrix.zeros(11, 11), RationalMatrix.zeros(11, 11))


@algorithm(parameters={"theta": "d", "w": "d"}, steps=("alpha", "beta"))
def fast_first(t: Any, theta: Any, w: Any, alpha: Any, beta: Any, *, growth: Any = 0, gain: Any = 1) -> Any:
    return theta + alpha * (gain * w - theta), w + beta * (theta - (1 - growth) * w)


def test_two_time_scales_are_a_schur_complement() -> None:
    """Slow −1 + gain/(1 − growth), fast −(1 − growth)."""
    model = one_state(GAMMA)

    def word(**options: Any) -> str:
        verdict = two_time_scales(on_class(model, fast_first.with_options(**options)))
        assert verdict is not None
        return f"{verdict.mean_dynamics}: {verdict.reason}"

    assert word(gain=F(1, 2)).startswith("stable: the fast time scale is stable")
    assert word(gain=F(3, 2)).startswith("unstable: the fast time scale is stable; the slow one")
    assert word() == "undecided: slow and fast parameters are not seen apart"
    assert word(growth=2).startswith("unstable: the fast time scale: an")
    assert word(growth=F(1, 3), gain=F(3, 4)).startswith("unstable") and word(growth=F(1, 5), gain=F(3, 4)).startswith(
        "stable"
    )
    assert two_time_scales(on_class(model, named("ridge_td"))) is None

    @algorithm(parameters={"theta": 1}, steps=("alpha", "beta"))
    def both(t: Any, theta: Any, alpha: Any, beta: Any) -> Any:
        return theta - (alpha + beta) * theta

    mixed = two_time_scales(on_class(model, both))
    assert mixed is not None and mixed.reason == "the first step size and a later one move the same parameter"


@algorithm(parameters={"theta": "d", "u": "d", "v": "d"}, steps=("alpha", "beta", "zeta"))
def two_fast(t: Any, theta: Any, u: Any, v: Any, alpha: Any, beta: Any, zeta: Any, *, gain: Any = 0) -> Any:
    return theta + alpha * (gain * u + v / 4 - theta), u + (beta + zeta) * (theta - u), v + zeta * (theta - v)


def test_two_time_scales_of_three_step_sizes() -> None:
    """Slow −1 + gain + ¼, fast diag(−2, −1), where the later step sizes are equal; and the checker's own reading."""
    model = one_state(GAMMA)
    for gain, stable in ((F(1, 2), True), (F(1), False)):
        found = on_class(model, two_fast.with_options(gain=gain))
        verdict, scales = two_time_scales(found), time_scales(found)
        assert verdict is not None and verdict.mean_dynamics == ("stable" if stable else "unstable")
        assert isinstance(scales, TimeScales) and scales.places == ([0], [1, 2])
        assert scales.fast == RationalMatrix([[-2, 0], [0, -1]]) and scales.slow == RationalMatrix([[gain - F(3, 4)]])
        intervals = ratio_set(found)
        assert intervals is not None and [part.stable for part in intervals] == [stable]
        made = time_scale_certificates(found)
        assert [kept.kind for kept in made] == ["update_hurwitz", "update_hurwitz" if stable else "update_unstable"]
        for kept, name in zip(made, ("fast", "slow"), strict=True):
            said = checker.check_text(text(document(kept, model, "it")))
            assert f"the {name} time scale of" in said and "its later step sizes equal" in said


def test_what_no_update_sees() -> None:
    """Tabular features at discount one: constants are never seen, and predictions depend on them."""
    model = Model.reward_process(RationalMatrix([[HALF, HALF], [HALF, HALF]]), RationalMatrix([[1], [-1]]), ONE)
    found = on_class(model, named("off_policy_td"))
    verdict = at_ratios(found, [ONE])
    assert verdict.mean_dynamics is MeanDynamics.MARGINAL and "1 directions are never seen" in verdict.reason
    assert rest_of(found, [ONE]).parameters is None and rest_of(found, [ONE]).predictions is None
    # with the mean reward 1 the constant, which nothing sees, moves by 1 in each step: 1/2 in each of the states
    moved = Model.reward_process(RationalMatrix([[HALF, HALF], [HALF, HALF]]), RationalMatrix([[2], [0]]), ONE)
    found = on_class(moved, named("off_policy_td"))
    assert rest_of(found, [ONE]).drift == RationalMatrix([[HALF], [HALF]])

    @algorithm(parameters={"theta": "d"})
    def still(t: Any, theta: Any, alpha: Any) -> Any:
        return theta + alpha * t.phi

    nothing = on_class(model, still)
    assert at_ratios(nothing, [ONE]).mean_dynamics is MeanDynamics.MARGINAL  # θ drifts, and φᵀθ with it
    assert rest_of(nothing, [ONE]).parameters is None and ratio_set(nothing) is None
    assert rest_of(nothing, [ONE]).drift == RationalMatrix([[HALF], [HALF]])
    zero = on_class(model.with_features(RationalMatrix([[0], [0]])), still)
    verdict = at_ratios(zero, [ONE])
    assert verdict.mean_dynamics is MeanDynamics.STABLE_MODULO_NULL_SPACE
    assert verdict.reason == "no update depends on the parameters"


def test_what_stays_where_no_update_sees_it() -> None:
    """Undiscounted values move by differences alone: two runs come together up to a constant, for ever."""
    model, ratios = theta_to_two_theta(F(0)).with_features(RationalMatrix([[1, 0], [0, 1]])), [ONE, ONE]
    answer = at_constant_step(model, named("differential_td"), (0, 1), ratios, F(1, 10), 1000)
    assert (answer.mean, answer.mean_square) == (0, None) and answer.square is not None
    assert answer.why.endswith("of dimension 1, and predictions depend on them")
    assert ratio_set(answer.found) is None
    paths = on_paths(model, named("differential_td"), (0, 1), ratios, F(1, 10))
    assert paths.sign.sign is None and paths.sign.why == "predictions depend on what no update sees"
    assert paths.sign.found is not None and paths.sign.bounds_in_words == "" and paths.certificates == []
    wide = model.with_features(RationalMatrix([[1, 1], [2, 2]]))
    answer = at_constant_step(wide, named("averaging_target"), (0, 1), ratios, F(1, 10), 1000)
    assert (answer.mean, answer.mean_square) == (-1, -1) and answer.why.endswith("of dimension 1")


def test_two_time_scales_do_not_hide_what_no_update_sees() -> None:
    """u and w are stable; θ, which predicts, is never seen."""

    @algorithm(parameters={"theta": "d", "u": 1, "w": 1}, steps=("alpha", "beta"))
    def beside(t: Any, theta: Any, u: Any, w: Any, alpha: Any, beta: Any) -> Any:
        return theta + alpha * t.phi, u + alpha * (w - u), w + beta * (t.reward - w)

    found = two_time_scales(on_class(theta_to_two_theta(GAMMA), beside))
    assert found is not None and found.mean_dynamics is MeanDynamics.MARGINAL
    assert "1 directions are never seen" in found.reason


# ---- constant steps and finite times --------------------------------------------------------------------------------


SYSTEMS = [
    (theta_to_two_theta(GAMMA), "off_policy_td"),
    (theta_to_two_theta(GAMMA, Schedule((HALF, HALF))), "gtd"),
    (theta_to_two_theta(F(1, 2), Schedule((HALF,))), "tdc"),
]


@pytest.mark.parametrize(("model", "name"), SYSTEMS)
def test_jump_systems_are_those_of_the_four(model: Model, name: str) -> None:
    """One radius, one mean, one verdict at each step, whatever the nodes are called."""
    eta, states = F(3, 2), model.behaviour_chain.recurrent_classes[0]
    known = schedules.jump_system(model, schedules.scheduled(name), eta, states)
    declared = scheduled(name, model)
    ratios = [ONE, eta][: len(declared.steps)]
    chain = node_chain(tables(model, declared, states))
    found = jump_system(on_class(model, declared), chain, ratios)
    assert found.J == known.J and found.size == known.size and len(found.windows) <= len(known.windows)
    for alpha in (F(1, 100), F(1, 10), F(2)):
        for ask in (mean_square.show_bounded, mean_square.show_unbounded):
            assert (ask(found, alpha) is None) == (ask(known, alpha) is None)


@pytest.mark.parametrize(("model", "name"), SYSTEMS)
def test_at_one_step(model: Model, name: str) -> None:
    """The signs at a step, whether step sizes are symbols or numbers."""
    declared, eta, states = scheduled(name, model), F(3, 2), model.behaviour_chain.recurrent_classes[0]
    known = schedules.jump_system(model, schedules.scheduled(name), eta, states)
    for alpha in (F(1, 100), F(1, 10), F(2)):
        ratios = [ONE, eta][: len(declared.steps)]
        answer = at_constant_step(model, declared, states, ratios, alpha, 10_000)
        wanted = -1 if mean_square.show_bounded(known, alpha) is not None else 1
        assert answer.mean_square == wanted and answer.why == ""
        assert answer.mean == (-1 if wanted == -1 else mean_signs(known, alpha).time_zero)
    ratios = [ONE, eta][: len(declared.steps)]
    answer = at_constant_step(model, declared, states, ratios, ONE, 1)  # in floats with bounded roundings
    wanted = -1 if mean_square.show_bounded(known, ONE) is not None else 1
    assert answer.mean_square in (None, wanted) and answer.mean in (None, -1) and answer.square is None


def test_steps_may_enter_in_any_way_where_they_are_numbers() -> None:
    """θ' = θ − α²θ/2: differences shrink by 1 − α²/2, so up to α = 2, where they change sign, and not beyond."""

    @algorithm(parameters={"theta": 1})
    def squares(t: Any, theta: Any, alpha: Any) -> Any:
        return theta - alpha**2 * theta / 2

    model = one_state(GAMMA)
    for alpha, sign in ((F(199, 100), -1), (F(201, 100), 1)):
        answer = at_constant_step(model, squares, (0,), [ONE], alpha, 100)
        assert (answer.mean, answer.mean_square, answer.why) == (sign, sign, "")

    @algorithm(parameters={"theta": 1})
    def implicit(t: Any, theta: Any, alpha: Any) -> Any:
        return theta / (1 + alpha)

    answer = at_constant_step(model, implicit, (0,), [ONE], F(50), 100)
    assert (answer.mean, answer.mean_square) == (-1, -1)


@pytest.mark.parametrize("name", ["td", "tdc", "gtd2_lambda", "tdrc", "etd", "average_reward_td", "htd"])
def test_nodes_of_whole_vectors_are_those_of_the_tables(name: str) -> None:
    """Vector by vector, or entry by entry: the same nodes, transitions and matrices, in floats within their bounds."""
    features = RationalMatrix([[1, F(1, 2)], [2, -1]])
    model = theta_to_two_theta(GAMMA, Schedule((HALF, F(1, 3)))).with_features(features)
    declared, start = for_model(named(name), model)[0], [F(1, 3), F(2, 3)]
    one, other = nodes(model, declared, start, until=4), node_chain(tables(model, declared), start, until=4)
    assert isinstance(one.of, Terms)
    assert np.array_equal(one.source, other.source) and np.array_equal(one.target, other.target)
    assert [h for h, _ in one.nodes] == [h for h, _ in other.nodes]
    assert len(set(one.nodes)) == len(one.nodes) == len(set(other.nodes))
    assert all(map(np.array_equal, one.exact.parts, other.exact.parts)) and list(one.start) == list(other.start)
    for chain in (one, other):
        rounded = chain.floats
        for exact, found, plain in zip(chain.exact.parts, rounded.parts, rounded.plain, strict=True):
            off = np.array([abs(F(x) - to_fraction(y)) for x, y in zip(found.ravel(), exact.ravel(), strict=True)])
            most = np.array([F(moments.gamma(rounded.roundings)) * F(x) for x in plain.ravel()])
            assert (off <= most).all() and (np.abs(found) <= plain).all()


def test_a_memory_without_end_has_moments_for_a_while() -> None:
    """λ without end against the schedule cut at t, which is the same up to t."""
    model, T = theta_to_two_theta(GAMMA, Schedule.constant(HALF)), 4
    steps = [F(1, 7)] * T
    cut = model.with_schedule(Schedule((HALF,) * T))
    (wanted,) = finite_time_moments(cut, "off_policy_td", (steps,), [T], start=[HALF, HALF], exact=True)
    found = tables(model, scheduled("off_policy_td", model))
    chain = node_chain(found, until=T)
    (seen,) = moments.finite_time_moments(chain, (steps,), [T], exact=True)
    assert np.array_equal(seen.second, wanted.second)
    with pytest.raises(BudgetExceededError, match="state and memory take more than"):
        node_chain(found, most=1_000)


def test_bounds_on_nodes_and_windows_are_reached_and_not_passed() -> None:
    """TD(0) on the flip chain moves on two transitions, between two windows of one parameter."""
    model, (states,) = flip_chain(), flip_chain().behaviour_chain.recurrent_classes
    found, td = tables(model, scheduled("td", model)), schedules.scheduled("td")
    assert len(node_chain(found, most=2).source) == 2
    with pytest.raises(BudgetExceededError, match="more than 1 transitions"):
        node_chain(found, most=1)
    assert len(schedules.jump_system(model, td, ONE, states, entries=2).windows) == 2
    with pytest.raises(BudgetExceededError, match="at most 1 are solved for"):
        schedules.jump_system(model, td, ONE, states, entries=1)


def test_episodes_cut_the_memory() -> None:
    """Two states that alternate, with discount zero on the way back: λ without end has finitely many traces."""
    model = flip_chain(RationalMatrix([[0, GAMMA], [0, 0]]), Schedule.constant(GAMMA))
    declared = scheduled("td", model)
    chain = node_chain(tables(model, declared))
    # z before s_1 is 81/100, after s_0 alone; before s_0 it is cut, or nothing yet
    assert len(chain.nodes) == 3
    assert {chain.memory[memory[0]] for _, memory in chain.nodes} == {(fmpq(0),), (fmpq(9, 10),)}
    near = mean_square.decide_near_zero(jump_system(on_class(model, declared), chain, [ONE]))
    assert near is not None and near.vector is None


def test_differences_of_runs_live_on_the_quotient() -> None:
    wide = theta_to_two_theta(GAMMA).with_features(RationalMatrix([[1, 1], [2, 2]]))
    declared = named("off_policy_td")
    found = jump_system(on_class(wide, declared), node_chain(tables(wide, declared)), [ONE])
    narrow = quotient_system(wide, schedules.scheduled("off_policy_td"), ONE, (0, 1))
    assert found.size == 1 and found.J == narrow.J

    @algorithm(parameters={"theta": "d"})
    def still(t: Any, theta: Any, alpha: Any) -> Any:
        return theta

    with pytest.raises(InputError, match="no update depends on the parameters"):
        jump_system(on_class(wide, still), node_chain(tables(wide, still)), [ONE])

    @algorithm(parameters={"theta": "d"})
    def sees_more_at_first(t: Any, theta: Any, alpha: Any) -> Any:
        return theta - alpha * (theta if t.first else (t.phi @ theta) * t.phi)

    with pytest.raises(InputError, match="that later ones do not see"):
        chain = node_chain(tables(wide, sees_more_at_first))
        jump_system(on_class(wide, sees_more_at_first), chain, [ONE])


def test_tdc_on_two_time_scales_by_its_formula() -> None:
    model = theta_to_two_theta(GAMMA)
    keys = behaviour_matrices(model, (0, 1))
    slow = two_time_scales(on_class(model, scheduled("tdc", model)))
    assert slow is not None and slow.rate is not None
    assert slow.rate[0] <= tdc_matrix(keys.A, keys.C)[0, 0] <= slow.rate[1]


def test_covariances_on_two_time_scales() -> None:
    """Those of one scale tend to them as the ratio grows, at its rate; and averages are the same at every ratio."""
    model = theta_to_two_theta(HALF, rewards=(1, -1))
    for declared in (scheduled("tdc", model), named("tdrc").with_options(lam=HALF), named("gtd2")):
        found = on_class(model, declared)
        scales = time_scales(found)
        assert isinstance(scales, TimeScales) and scales.places == ([0], [1])
        (C, X), off = noise_of(found, [ONE, ONE], rest_of(found, [ONE, ONE]), True, scales).slow or (None, None), []
        assert C is not None and X is not None and X[0, 0] > 0
        for eta in (F(100), F(1_000), F(10_000)):
            noise = noise_of(found, [ONE, eta], rest_of(found, [ONE, eta]), True, scales)
            assert noise.averaged is not None and noise.at_small_steps is not None
            assert noise.slow == (C, X) and noise.averaged[0, 0] == C[0, 0]
            off.append(abs(noise.at_small_steps[0, 0] / X[0, 0] - 1))
        assert off[-1] < F(1, 500) and all(9 * b <= a <= 11 * b for a, b in pairwise(off))


# ---- memory without end, at constant steps and finite times ----------------------------------------------------------


@algorithm(parameters={"theta": 2}, memory={"m": 2})
def driven(t: Any, theta: Any, m: Any, alpha: Any, *, how: Any = "parameters", start: Any = 1) -> Any:
    """m[0] doubles with the second action out of the second state, and is forgotten with the first."""
    after = [t.rho * m[0] + start, m[1] / 2]
    if how == "not at all":
        return theta + alpha * (m[0] - theta), after
    if how == "nilpotent":
        return [theta[0] - alpha * (theta[0] - m[0] * theta[1]), theta[1] - alpha * theta[1]], after
    if how == "the other entry":
        return theta - alpha * (1 + m[1]) * theta, after
    return [theta[0] - alpha * (theta[0] - m[0] * theta[1]), theta[1] - alpha * (theta[1] - m[0] * theta[0])], after


def test_memory_that_grows_along_a_cycle_refutes_every_step() -> None:
    """ρ = 2 from the second state to itself: the memory doubles there."""
    model = theta_to_two_theta(F(9, 10), rewards=(1, -1))
    found = growth_of(tables(model, driven), [ONE])
    assert found is not None and found.factor == 2 and [e.outcome.state for e in found.cycle] == [1]
    assert found.gamma == RationalMatrix([[0, 1], [1, 0]]).scaled(found.gamma[0, 1]) and not found.gamma.is_zero()
    for how in ("not at all", "nilpotent", "the other entry"):
        assert growth_of(tables(model, driven.with_options(how=how)), [ONE]) is None
    assert growth_of(tables(model, driven.with_options(start=0)), [ONE]) is None  # and so it stays zero
    for name, lam, grows in (("etd", F(0), True), ("gtd_lambda", F(1, 2), False), ("gtd_lambda", F(3, 5), True)):
        own = tables(model, named(name).with_options(lam=lam))
        assert (growth_of(own, [ONE] * len(own.algorithm.steps)) is not None) == grows  # 2·λ·9/10 against 1

    @algorithm(parameters={"theta": 1}, memory={"m": 1})
    def there_and_back(t: Any, theta: Any, m: Any, alpha: Any) -> Any:
        return theta - alpha * m * theta, (3 - F(5, 2) * t.state) * m + 1 - t.state

    two = growth_of(tables(flip_chain(HALF), there_and_back), [ONE])
    assert two is not None and two.factor == F(3, 2) and len(two.cycle) == 2
    # m' = 3m/2 + 1/2 around from the first state, 3m/2 + 1 from the second: a = 1/2, then 3/2; or 1, then 1/2
    assert two.gamma == RationalMatrix([[F(3, 4) if two.cycle[0].outcome.state == 0 else HALF]])

    @algorithm(parameters={"theta": 1}, memory={"m": 2})
    def in_two_ways(t: Any, theta: Any, m: Any, alpha: Any, *, other: Any = -2) -> Any:
        return theta - alpha * (m[0] + m[1]) * theta, [2 * m[0] + 1, other * m[1] + 1]

    one = tables(one_state(HALF), in_two_ways.with_options(other=1))
    assert growth_of(one, [ONE]) is not None
    # 2 and −2: what does not belong to the eigenvalue 2 is never small beside it
    assert growth_of(tables(one_state(HALF), in_two_ways), [ONE]) is None
    # and so it goes: faster than any exponential
    plain = theta_to_two_theta(F(9, 10))
    own = tables(plain, named("etd"), steps={"alpha": F(1, 10)})
    squares = [at.covariance[0, 0] + at.mean[0, 0] ** 2 for at in moments_in_time(own, [HALF, HALF], [ONE], 14)]
    ratios = [b / a for a, b in pairwise(squares)]
    assert len(squares) == 14 and ratios[-1] > 50 and all(a < b for a, b in pairwise(ratios[4:]))


@some
@given(models(discount="any", policy="any", rank="full"))
def test_safe_steps_are_below_the_largest(model: Model) -> None:
    """A trace with an end is bounded memory too, and there the largest step is known."""
    states = tuple(range(model.n))
    found = on_class(model, scheduled("off_policy_td", model))
    own = tables(model, found.algorithm, states, known=found.tables)
    bounds = memory_bounds(own)
    assert bounds is not None
    chain = node_chain(own, [ONE], until=4)
    for h, memory in chain.nodes:
        assert all(abs(to_fraction(chain.memory[x][0])) <= w for x, w in zip(memory, bounds[h], strict=True))
    safe = safe_step(found, own, [ONE])
    stable = at_ratios(found, [ONE]).mean_dynamics is MeanDynamics.STABLE
    assert (safe is not None) == (stable and len(found.visible[0]) == model.d)
    if safe is not None and model.n * model.d**2 <= 20:
        assert mean_square.show_bounded(jump_system(found, node_chain(own), [ONE]), safe.upto) is not None


def test_a_safe_step_by_hand() -> None:
    """θ' = θ − αm θ, m' = (m + 1)/2 < 1: K = −m, J = −1, P_0 = 1/2, and H = −2m, so P_1 = −2m."""

    @algorithm(parameters={"theta": 1}, memory={"m": 1})
    def slow(t: Any, theta: Any, m: Any, alpha: Any, *, r: Any = HALF) -> Any:
        return theta - alpha * m * theta, r * m + 1 - r

    model = one_state(GAMMA)
    found = on_class(model, slow)
    own = tables(model, slow, known=found.tables)
    safe = safe_step(found, own, [ONE])
    # |K| ≤ 1, P_0 = 1/2, |P_1| ≤ 2 on |m| ≤ 1: 1 − α(1/2 + 2·2) − 2α² > 0 up to 0.2038
    assert safe is not None and F(17, 100) < safe.upto < F(2038, 10_000)
    assert [w for w, *_ in safe.bounds] == [pytest.approx(1, abs=1e-2)]
    unstable = on_class(model, slow.with_options(r=F(1)))
    assert unstable.memory.reached == frozenset()
    assert safe_step(unstable, tables(model, unstable.algorithm, known=unstable.tables), [ONE]) is None


@few
@given(models(discount="any", policy="any", endless=True))
def test_moments_in_time_are_those_of_every_path(model: Model) -> None:
    """``finite_time_moments`` goes forward through all values of the memory, this backward through polynomials."""
    for name, steps in (("off_policy_td", [F(1, 3)]), ("tdc", [F(1, 3), F(1, 5)])):
        declared = scheduled(name, model)
        found = tables(model, declared, steps=dict(zip(declared.steps, steps, strict=True)))
        start = [F(1, model.n)] * model.n
        y0 = [F(k + 1, 2) for k in range(found.D)]
        times = list(moments_in_time(found, start, y0, 3, terms=1_000))
        chain = node_chain(found, start, until=3)
        for at in times:
            (path,) = moments.finite_time_moments(chain, [[steps[0]] * at.t], [at.t], [*y0, 1], exact=True)
            assert list(path.mean) == list(at.mean.column_entries())
            assert path.covariance.tolist() == [list(row) for row in at.covariance.rows]


def test_moments_in_time_stop_where_they_are_too_many() -> None:
    model = theta_to_two_theta(F(9, 10), rewards=(1, -1))
    found = tables(model, named("etd").with_options(lam=HALF), steps={"alpha": HALF})
    early = list(moments_in_time(found, [HALF, HALF], [ONE], 9, terms=60))
    every = list(moments_in_time(found, [HALF, HALF], [ONE], 9))
    assert 0 < len(early) < len(every) == 9 and every[: len(early)] == early


def test_known_transitions_are_not_evaluated_again_and_change_nothing() -> None:
    model = two_policies(HALF, Schedule())
    classes = model.behaviour_chain.recurrent_classes[0]
    fresh = tables(model, named("etd"), classes)
    again = tables(model, named("etd"), classes, known=tables(model, named("etd"), classes, stationary=True))
    assert any(edge.recursion != fresh.edges[0].recursion for edge in fresh.edges)
    assert [(e.source, e.target, e.increments, e.recursion) for e in again.edges] == [
        (e.source, e.target, e.increments, e.recursion) for e in fresh.edges
    ]
