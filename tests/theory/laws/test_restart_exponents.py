"""Almost every path with a memory that moves cut: bounds against series written down, and their certificates."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import log

import pytest

from tdcert.algorithms.schedules import declared
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.engine.certificates import path_certificates, restart_certificates
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.paths import OnPaths, on_paths
from tdcert.theory.laws.path_exponents import PathSign, RestartDeterminants, ZeroProduct
from tdcert.theory.laws.restart_exponents import ContextMove, Restarts, by_determinants, intervals
from tdcert.theory.laws.restart_forms import decide_restarts
from tdcert.theory.model.gallery import bairds_star, theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tests.effort import by_default
from tests.replay import replay

F, HALF, ONE = Fraction, Fraction(1, 2), Fraction(1)


def asked(model: Model, name: str, alpha: Fraction) -> OnPaths:
    return on_paths(model, declared(name, model), model.behaviour_chain.recurrent_classes[0], [ONE], alpha)


def said(model: Model, found: OnPaths) -> list[str]:
    return [replay(one, model) for one in found.certificates]


def emphatic_td_on_the_star(gamma: float, alpha: float) -> float:
    """E log |det B| of ETD(0): the solid action, of probability 1/7 and ratio 7, from an outer state with F = 1, or
    from state 7 after K solid ones, with F = 1 + 7γF of before. φ(s)ᵀφ(s) = 5 in every state, and 2 between s and 7.
    """
    total, emphasis = 6 / 49 * log(abs(1 + 7 * alpha * (2 * gamma - 5))), 1.0
    for K in range(1, 60):
        emphasis = 1 + 7 * gamma * emphasis
        total += 6 / 7 ** (K + 2) * log(abs(1 - 35 * alpha * emphasis * (1 - gamma)))
    return total


@pytest.mark.parametrize(("gamma", "known"), [(F(9, 10), 0.0430), (F(99, 100), 0.0086)])
def test_emphatic_td_on_the_star_grows(gamma: Fraction, known: float) -> None:
    model = bairds_star(gamma)
    found = asked(model, "etd", F(1, 10))
    exact = emphatic_td_on_the_star(float(gamma), 0.1)
    assert exact == pytest.approx(known, abs=5e-5)  # as it is printed: to four places
    assert found.sign.sign == 1 and found.sign.from_time_zero and found.sign.low is not None
    # the tail has a law of at most 1e-7, and log |det| is below 30 there; six digits
    assert 0 <= exact / 7 - float(found.sign.low) < 1e-6
    (sentence,) = said(model, found)
    assert "almost every difference (in the sense of Lebesgue)" in sentence and "it grows" in sentence


@pytest.mark.thorough
def test_a_decay_of_its_own_is_asked_like_emphatic_td() -> None:
    model = bairds_star(F(9, 10))
    update, states = (
        declared("etd_beta", model).with_options(decay=F(9, 10)),
        model.behaviour_chain.recurrent_classes[0],
    )
    found = on_paths(model, update, states, [ONE], F(1, 10))
    assert found.sign.low == asked(model, "etd", F(1, 10)).sign.low and len(said(model, found)) == 1


def test_a_trace_without_end_is_cut_where_the_ratio_is_zero() -> None:
    """θ→2θ with λ = 1 and γ = 9/10: a cut leads to the state of φ = 1, the ratio 2 to that of φ = 2, taken evenly. So
    z = 2(φ + γz) of before, and θ is multiplied by 1 + αz(2γ − φ).
    """
    model = replace(theta_to_two_theta(F(9, 10)), schedule=Schedule.constant(ONE))
    found, exact, z = asked(model, "off_policy_td", F(3)), 0.0, 0.0
    for k in range(200):
        phi = 1.0 if k == 0 else 2.0
        z = 2 * (phi + 0.9 * z)
        exact += log(abs(1 + 3 * z * (1.8 - phi))) / 2 ** (k + 2)
    assert found.sign.sign == 1 and found.sign.low is not None and len(said(model, found)) == 1
    assert 0 <= exact - float(found.sign.low) < 1e-5  # six digits, and a tail of a law of 1e-7


@pytest.mark.parametrize("gamma", [F(19, 20), F(99, 100)])
def test_a_trace_that_hardly_contracts_stays_in_an_interval(gamma: Fraction) -> None:
    """The same with λ = 1/2 at the step 1/160: z = 2(φ + γz/2) of before stays below 4/(1 − γ)."""
    model = replace(theta_to_two_theta(gamma), schedule=Schedule.constant(HALF))
    found, exact, z = asked(model, "off_policy_td", F(1, 160)), 0.0, 0.0
    for k in range(200):
        phi = 1.0 if k == 0 else 2.0
        z = 2 * (phi + float(gamma) * z / 2)
        exact += log(abs(1 + z * (2 * float(gamma) - phi) / 160)) / 2 ** (k + 2)
    assert found.sign.sign == 1 and found.sign.low is not None and len(said(model, found)) == 1
    assert 0 <= exact - float(found.sign.low) < 1e-6  # a tail of a law of 1e-7


def of_one(p: Fraction, a: Fraction, s: Fraction, at_cut: Fraction, K: Sequence[Fraction]) -> Restarts:
    """One context: with 1 − p a cut, m' = 0, and θ multiplied by ``at_cut``; else m' = am + s and 1 + K₀ + K₁m."""
    factor, constant, slope = (RationalMatrix([[x]]) for x in (at_cut - 1, *K))
    cut = ContextMove(0, 0, 1 - p, {}, {}, {1: factor}, True)
    on = ContextMove(0, 0, p, {(0, 0): a}, {0: s}, {1: constant, 0: slope}, False)
    return Restarts((cut, on), 1, 1, 1, 1)


def series(p: Fraction, a: Fraction, s: Fraction, at_cut: Fraction, K: Sequence[Fraction]) -> float:
    total, m = float(1 - p) * log(abs(at_cut)), 0.0
    for k in range(400):
        total += float(1 - p) * float(p) ** (k + 1) * log(abs(1 + float(K[0]) + float(K[1]) * m))
        m = float(a) * m + float(s)
    return total


@pytest.mark.parametrize("grows", by_default(1, [False, True]))
def test_the_bound_is_below_the_series_and_comes_near(grows: bool) -> None:
    """A memory that grows or that comes to rest; numbers of one sign keep the determinant away from zero."""
    rng = random.Random(int(grows))
    for _ in range(12):
        a = F(rng.randint(5, 9), 4) if grows else F(rng.randint(-3, 3), 4)
        s, p = F(rng.randint(1, 4)), F(rng.randint(1, 5), 8)
        numbers = p, a, s, F(rng.randint(1, 9), 4), (F(rng.randint(1, 3)), F(rng.randint(1, 5), 3))
        exact, found = series(*numbers), by_determinants(of_one(*numbers))
        assert found is not None and float(found.bound) <= exact + 1e-9  # 400 terms, off by rounding alone
        # the tail has a law of 1e-3 or less, where logarithms are within ten of each other
        assert exact - float(found.bound) < 0.02 and found.regular


def test_growth_that_the_tail_alone_shows() -> None:
    """With layers cut off and nothing in their place a memory that comes to rest would seem to add nothing."""
    numbers = F(7, 8), HALF, ONE, ONE, (F(1), F(1))
    of = of_one(*numbers)
    layers = of.layers(1, begun=True)
    assert layers is not None and sum(layers.rest) == F(7, 8)
    ((ends,),) = (x for x in intervals(of, layers.entered) if x is not None)
    assert ends[0] == 1 and ends[1] is not None and 2 <= ends[1] < F(21, 10)  # 1, 3/2, 7/4, … to 2


@pytest.mark.thorough
def test_a_determinant_that_may_be_zero_in_the_tail_has_no_bound() -> None:
    """1 − m/3 for m = 0, 1, 2, 3: the fourth is zero; and for m = 0, 2, −2, 6, …, whose signs alternate."""
    assert by_determinants(of_one(HALF, ONE, ONE, F(2), (F(0), F(-1, 3)))) is None
    assert by_determinants(of_one(HALF, F(-2), F(2), F(2), (F(0), F(1, 3)))) is None
    found = decide_restarts(of_one(HALF, F(-2), F(2), F(2), (F(0), F(1, 3))))
    assert found.sign is None and found.low is None and found.high is not None


def test_a_memory_beyond_all_floats_is_followed() -> None:
    """m grows by 10¹⁵ a move, so it is beyond 10³⁰⁸ where the tail begins, 24 moves on: logarithms are of integers."""
    found, exact, m = by_determinants(of_one(HALF, F(10) ** 15, ONE, ONE, (F(0), ONE))), 0.0, 0
    for k in range(60):
        exact += log(1 + m) / 2 ** (k + 2)
        m = 10**15 * m + 1
    # the tail counts as at its begin, and log (1 + m) moves by 35 there: Σ 35 j/2^(24 + j + 1) is below 1e-5
    assert found is not None and found.depth == 24 and 0 <= exact - float(found.bound) < 1e-5 * exact + 1e-5


def test_a_memory_that_is_never_cut_is_undecided_with_that_reason() -> None:
    """On policy no ratio is zero, and the discount is 9/10."""
    model = replace(theta_to_two_theta(F(9, 10)), schedule=Schedule.constant(HALF))
    model = replace(model, target=model.behaviour)
    found = asked(model, "td", F(1, 10))
    assert found.sign.sign is None and found.sign.why == "the memory has no end and is never cut"
    assert not found.certificates


def test_whatever_was_shown_by_other_means_is_no_certificate() -> None:
    found = asked(bairds_star(F(9, 10)), "etd", F(1, 10))
    assert found.cut is not None
    (shown,) = found.sign.shown
    assert isinstance(shown, RestartDeterminants)
    cut = found.cut
    with pytest.raises(AssertionError, match="ZeroProduct"):
        other = PathSign(-1, shown=(ZeroProduct((0,)),))
        restart_certificates(cut.own, cut.columns, cut.T, [F(1, 10)], cut.system, other)
    few = on_paths(*_bounded(), [ONE], F(1, 10))
    assert few.found is not None and few.chain is not None
    with pytest.raises(AssertionError, match="RestartDeterminants"):
        path_certificates(few.found, few.chain, few.sizes, replace(few.sign, shown=(shown,)))


def _bounded() -> tuple[Model, Algorithm, tuple[int, ...]]:
    model = bairds_star(HALF)
    return model, declared("off_policy_td", model), model.behaviour_chain.recurrent_classes[0]
