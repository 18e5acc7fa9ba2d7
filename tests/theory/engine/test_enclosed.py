"""The engine in balls: what it encloses holds what is exact, and what it decides is what exact arithmetic decides."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tdcert.algorithms import NAMES, for_model, named
from tdcert.analysis import choose_arithmetic
from tdcert.analysis.request import Arithmetic, Request
from tdcert.analysis.row import AlgorithmRow, Rows
from tdcert.analysis.updates import BALL_BITS, analyse_updates
from tdcert.sims.strategies import models
from tdcert.theory.arithmetic import BallMatrix, RationalMatrix
from tdcert.theory.arithmetic.ball import precision
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.check.trace_law import radius_below_one
from tdcert.theory.enclose.mean_matrix import is_stable
from tdcert.theory.engine.declare import Algorithm, algorithm
from tdcert.theory.engine.dynamics import Decided, at_ratios, rest_of, two_time_scales
from tdcert.theory.engine.means import Stationary, stationary
from tdcert.theory.engine.noise import noise_of
from tdcert.theory.errors import InputError
from tdcert.theory.model.gallery import boyan_chain, flip_chain, theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.progress import silently
from tests.effort import examples

F = Fraction
ONE = F(1)
LINEAR = [name for name in NAMES if name not in ("gtd2_mp", "gtd_momentum", "tdc_momentum", "true_online_td")]
DECIDED = (MeanDynamics.STABLE, MeanDynamics.STABLE_MODULO_NULL_SPACE, MeanDynamics.UNSTABLE)
STABLE = DECIDED[:2]
CLEAR = F(1, 1000)
"""Rates beyond it, of models with numbers such as those here, leave no doubt at 53 bits."""


def both(model: Model, declared: Algorithm, bits: int) -> tuple[Stationary[RationalMatrix], Stationary[BallMatrix]]:
    """Exact, and in balls; to be used within ``precision``."""
    chosen, states = for_model(declared, model)[0], model.behaviour_chain.recurrent_classes[0]
    with precision(bits):
        return stationary(model, chosen, states), stationary(model, chosen, states, kind=BallMatrix)


def agree(exact: Decided, enclosed: Decided) -> None:
    """The same verdict, or undecided; rates of one number meet; rates that are clear are decided."""
    if enclosed.mean_dynamics is not MeanDynamics.UNDECIDED:
        assert enclosed.mean_dynamics is exact.mean_dynamics
    if exact.rate is not None and enclosed.rate is not None:
        assert enclosed.rate[0] <= exact.rate[1] and exact.rate[0] <= enclosed.rate[1]
    if exact.rate is not None and exact.mean_dynamics in DECIDED:
        near = exact.rate[0] <= CLEAR and exact.rate[1] >= -CLEAR
        assert near or enclosed.mean_dynamics is exact.mean_dynamics


def sticky(leave: Fraction) -> Model:
    """Two states, each left with a small probability."""
    stay = RationalMatrix([[1 - leave, leave], [leave / 3, 1 - leave / 3]])
    one = RationalMatrix([[1], [1]])
    rewards, features = RationalMatrix([[1], [0]]), RationalMatrix([[1], [2]])
    return Model(("only",), (stay,), (rewards,), (one.scaled(F(1, 2)),), one, one, features, Schedule((), F(1, 2)))


@settings(max_examples=examples(60), deadline=None)
@given(models(endless=True), st.sampled_from(LINEAR), st.sampled_from((53, BALL_BITS)))
def test_enclosures_hold_what_is_exact(model: Model, name: str, bits: int) -> None:
    try:
        exact, enclosed = both(model, named(name), bits)
    except InputError:  # an algorithm for models on-policy, or with an option of its own
        return
    ratios = [ONE] * len(exact.algorithm.steps)
    with precision(bits):
        assert enclosed.law.contains(exact.law)
        assert enclosed.memory.exists in (exact.memory.exists, None)
        if exact.memory.exists is not None:
            assert enclosed.memory.has_second_moments in (exact.memory.has_second_moments, None)
        if not enclosed.memory.exists:
            return
        assert enclosed.by_exponents.keys() == exact.by_exponents.keys()
        assert all(part.contains(exact.by_exponents[key]) for key, part in enclosed.by_exponents.items())
        found = at_ratios(enclosed, ratios)
        agree(at_ratios(exact, ratios), found)
        fast, slow = two_time_scales(exact), two_time_scales(enclosed)
        assert (fast is None) == (slow is None)
        if fast is not None and slow is not None:
            agree(fast, slow)
        rest, within = rest_of(exact, ratios), rest_of(enclosed, ratios)
        if within.seen is None:
            return
        assert within.seen.contains(rest.seen) and within.drift.contains(rest.drift)
        assert within.predictions is None or within.predictions.contains(rest.predictions)
        if not enclosed.memory.has_second_moments:
            return
        for ball, second in zip(enclosed.memory.second, exact.memory.second, strict=True):
            assert ball.contains(second)
        if found.mean_dynamics in STABLE and enclosed.tables.D < 6:
            noise, about = noise_of(exact, ratios, rest), noise_of(enclosed, ratios, within)
            for part in ("long_run", "averaged", "at_small_steps", "predictions"):
                value, ball = getattr(noise, part), getattr(about, part)
                assert ball is None or ball.contains(value)


def test_opposite_eigenvalues_leave_no_doubt() -> None:
    """No P solves AᵀP + PA = −I where 3/2 and −3/2 are eigenvalues; 2 and 0 are opposite after a shift by 1."""
    first, second = RationalMatrix([[1, 0]] * 2), RationalMatrix([[0, 1]] * 2)
    rewards, ratios = RationalMatrix([[0], [1]]), RationalMatrix([[F(3, 4), F(1, 4)]] * 2)
    discount, features = RationalMatrix([[F(2, 3)]] * 2), RationalMatrix([[1], [3]])
    model = Model(
        ("first", "second"), (first, second), (rewards,) * 2, (discount,) * 2, ratios, second, features, Schedule(())
    )
    exact, enclosed = both(model, named("categorical_td"), BALL_BITS)
    with precision(BALL_BITS):
        agree(at_ratios(exact, [ONE]), at_ratios(enclosed, [ONE]))
        assert at_ratios(enclosed, [ONE]).mean_dynamics is MeanDynamics.UNSTABLE
        for diagonal in ((F(3, 2), F(-3, 2)), (2, -2, -1), (2, 0, -3)):
            rows = [[x if i == j else 0 for j in range(len(diagonal))] for i, x in enumerate(diagonal)]
            assert is_stable(BallMatrix(rows), BALL_BITS) is False
        assert is_stable(BallMatrix([[-1, 0], [0, 0]]), BALL_BITS) is None


def test_balls_are_narrow_where_nothing_is_nearly_singular() -> None:
    """A ball that holds everything would pass above."""
    for name in ("off_policy_td", "etd", "htd", "tdrc", "retrace"):
        _, enclosed = both(sticky(F(1, 7)), named(name), BALL_BITS)
        with precision(BALL_BITS):
            entries = [x for part in enclosed.by_exponents.values() for row in part.scalars for x in row]
        assert 0 < max(float(x.rad()) for x in entries) < 2.0**-100


# ---- what balls leave open ------------------------------------------------------------------------------------------


def test_a_radius_of_one_is_left_open() -> None:
    third = BallMatrix([[F(1, 3)]])
    assert radius_below_one(third) is True
    assert radius_below_one(BallMatrix([[F(4, 3)]])) is False
    assert radius_below_one(third + third + third) is None
    assert radius_below_one(RationalMatrix([[1]])) is False
    singular = BallMatrix([[1, F(1, 3)], [3, 1]])
    assert not singular.is_regular and (singular + third.identity(2)).is_regular


@algorithm(parameters={"theta": "d"}, memory={"m": 1})
def counts(t: Any, theta: Any, m: Any, alpha: Any, *, keep: Any = ONE) -> Any:
    return theta - alpha * t.phi * (t.phi @ theta) * m, keep * m + 1


def test_a_memory_at_the_edge_is_left_open() -> None:
    for keep, exactly, enclosed in ((F(2, 3), True, True), (ONE, False, None), (F(4, 3), False, False)):
        exact, balls = both(sticky(F(1, 7)), counts.with_options(keep=keep), BALL_BITS)
        assert exact.memory.exists is exactly
        with precision(BALL_BITS):
            assert balls.memory.exists is enclosed
            verdict = at_ratios(balls, [ONE])
        assert (verdict.mean_dynamics is MeanDynamics.UNDECIDED) == (exactly is False)
    assert answer(sticky(F(1, 7)), counts).memory_mean is None


def nearly(gap: Fraction) -> Algorithm:
    """The mean matrix [[−1, 1], [1, −1 − gap]] on a model whose only feature is 1."""

    @algorithm(parameters={"x": 1, "y": 1})
    def pulls(t: Any, x: Any, y: Any, alpha: Any) -> Any:
        third = Fraction(1, 3)  # so that balls have a radius
        return x + alpha * 3 * third * (y - x), y + alpha * (x - (1 + gap) * y)

    return pulls


def answer(model: Model, declared: Algorithm, **asked: Any) -> AlgorithmRow:
    (row,) = whole(model, declared, **asked).rows
    return row


def whole(model: Model, declared: Algorithm, bits: int = 53, **asked: Any) -> Rows:
    return analyse_updates(model, [declared], silently, request=Request(Arithmetic.ENCLOSED, bits), **asked)


@pytest.mark.parametrize(
    ("gap", "exactly", "enclosed"),
    [
        (F(1, 10**3), MeanDynamics.STABLE, MeanDynamics.STABLE),
        (F(1, 10**60), MeanDynamics.STABLE, MeanDynamics.UNDECIDED),
        (F(0), MeanDynamics.MARGINAL, MeanDynamics.MARGINAL),  # by what updates see, which is exact
        (-F(1, 10**60), MeanDynamics.UNSTABLE, MeanDynamics.UNDECIDED),
        (-F(1, 10**3), MeanDynamics.UNSTABLE, MeanDynamics.UNSTABLE),
    ],
)
def test_an_eigenvalue_near_zero_is_left_open(gap: Fraction, exactly: MeanDynamics, enclosed: MeanDynamics) -> None:
    exact, _ = both(flip_chain(), nearly(gap), BALL_BITS)
    assert at_ratios(exact, [ONE]).mean_dynamics is exactly
    verdict = answer(flip_chain(), nearly(gap)).verdict
    assert verdict is not None and verdict.mean_dynamics is enclosed
    assert ("too near to the imaginary axis" in verdict.reason) == (enclosed is MeanDynamics.UNDECIDED)


def test_a_law_that_balls_do_not_determine() -> None:
    """The probabilities vanish beside one in 128 bits, not in 512."""
    model = sticky(F(1, 10**60))
    row = answer(model, named("td"))
    assert row.verdict is not None and row.verdict.mean_dynamics is MeanDynamics.UNDECIDED
    assert row.verdict.reason.startswith("balls of 128 bits are too wide: ")
    assert row.rest is None and row.error_squared is None
    exact = analyse_updates(model, [named("td")], silently).rows[0]
    assert exact.verdict is not None and exact.verdict.mean_dynamics is MeanDynamics.STABLE
    more = answer(model, named("td"), bits=512)
    assert more.verdict is not None and more.verdict.mean_dynamics is MeanDynamics.STABLE
    assert isinstance(more.error_squared, BallMatrix) and isinstance(exact.error_squared, Fraction)
    with precision(512):
        assert more.error_squared.contains(RationalMatrix([[exact.error_squared]]))


# ---- answers --------------------------------------------------------------------------------------------------------


def test_the_answer_is_that_of_exact_arithmetic() -> None:
    spiral, slow = theta_to_two_theta(F(9, 10), rewards=(1, -1)), sticky(F(1, 7))
    cases = [(spiral, "off_policy_td", "unstable"), (spiral, "tdrc", "unstable"), (spiral, "htd", "stable")]
    cases += [(spiral, "etd", "stable"), (slow, "td", "stable"), (slow, "etd", "stable")]
    for model, name, words in cases:
        row, exact = answer(model, named(name)), analyse_updates(model, [named(name)], silently).rows[0]
        assert row.verdict is not None and exact.verdict is not None
        assert row.verdict.mean_dynamics == exact.verdict.mean_dynamics == words
        assert (row.memory_mean, row.memory_square) == (exact.memory_mean, exact.memory_square)
        assert not row.certificates and row.ratios is None
        steps = [(one.largest.low, one.largest.high) if one.largest else None for one in (row, exact)]
        assert steps[0] == steps[1] and row.safe == exact.safe
        for one, other in ((row.error_squared, exact.error_squared), (row.variance, exact.variance)):
            assert (one is None) == (other is None)
            if isinstance(one, BallMatrix) and isinstance(other, Fraction):
                assert one.contains(RationalMatrix([[other]]))
        assert (row.growth is None) == (exact.growth is None)


@pytest.mark.thorough
def test_constant_steps_are_those_of_exact_arithmetic() -> None:
    """Nodes and moves are those of the model: the law, which is enclosed, proposes and decides nothing."""
    for step, sign in ((F(1, 10), -1), (F(10), 1)):
        row = answer(boyan_chain(), named("td"), step=step)
        assert row.at_step is not None and (row.at_step.mean, row.at_step.mean_square) == (sign, sign)
        exact = analyse_updates(boyan_chain(), [named("td")], silently, step=step).rows[0].at_step
        assert exact is not None and (exact.mean, exact.mean_square) == (sign, sign)
    grows = answer(theta_to_two_theta(F(9, 10)), named("etd"), step=F(1, 10))
    assert grows.at_step is not None and grows.at_step.mean_square == 1


def test_the_arithmetic_is_chosen_by_size(monkeypatch: pytest.MonkeyPatch) -> None:
    model, declared = boyan_chain(), named("td")
    assert analyse_updates(model, [declared], silently).bits is None
    monkeypatch.setattr(choose_arithmetic, "EXACT_WORK", 0)
    found = analyse_updates(model, [declared], silently)
    assert found.bits == BALL_BITS and "would take exact arithmetic too long" in found.notes[0]
    assert analyse_updates(model, [declared], silently, request=Request(Arithmetic.EXACT)).bits is None
    sparse = analyse_updates(model, [declared], silently, request=Request(Arithmetic.SPARSE))
    assert (sparse.arithmetic, sparse.bits) == (Arithmetic.SPARSE, 53)
    assert "sparse matrices of floats" in sparse.notes[0]
