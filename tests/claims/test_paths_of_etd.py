"""Emphatic TD(0) that contracts in the mean and grows on paths: numbers by hand, and a path that is run."""

from __future__ import annotations

from fractions import Fraction
from math import log

import numpy as np
import pytest

from tdcert.claims.p19170 import p19170_sign
from tdcert.claims.p19170.p19170_sign import CHAIN, factor, growing, grows, rarely_second
from tdcert.theory.expressions.relations import Context, evaluate
from tdcert.theory.verdict import Status

F = Fraction


def test_the_mean_by_hand() -> None:
    """A = Σ m φ(0.9·2 − φ), m = d + (0, 9/10/(1 − 9/10)) = (9/10, 91/10)."""
    A = evaluate(p19170_sign.A, Context(rarely_second(), (0, 1)))[0, 0]
    assert A == F(9, 10) * F(4, 5) + F(91, 10) * F(-2, 5) == F(-73, 25)
    assert [1 + alpha * A for alpha in p19170_sign.STEPS] == [F(31, 250), F(177, 250), F(2427, 2500)]


def test_the_factors_by_hand() -> None:
    assert [factor(F(3, 10), k) for k in range(3)] == [F(17, 5), 11, abs(1 - 3 * 91 * F(2, 5))]
    assert all(growing(alpha) for alpha in p19170_sign.STEPS) and not growing(F(1, 1000))


@pytest.mark.thorough
def test_the_exponent_is_that_of_a_path() -> None:
    """Σ_k (9/10)10⁻ᵏ⁻¹ log|…| is 0.1366 at α = 3/10, and a path of two million moves of the update agrees."""
    exponent = sum(0.9 * 10.0 ** (-k - 1) * log(factor(F(3, 10), k)) for k in range(30))
    assert exponent == pytest.approx(0.13665, abs=1e-5)
    second = np.random.default_rng(5).random(2_000_000) < 0.1
    grown, follow_on, state = 0.0, 0.0, 0
    for to_second in second:
        follow_on += 1
        if to_second:
            grown += log(abs(1 + 3 * follow_on * (1.8 - (1, 2)[state]) * (1, 2)[state]))
            follow_on *= 9
        else:
            follow_on = 0.0
        state = int(to_second)
    assert grown / len(second) == pytest.approx(exponent, abs=2e-3)  # about six standard deviations


def test_the_certified_sign() -> None:
    assert grows(rarely_second(), (0, 1), p19170_sign.STEPS[:1]).status is Status.HOLDS
    assert grows(rarely_second(F(1, 2)), (0, 1), p19170_sign.STEPS[:1]).status is Status.REFUTED
    assert CHAIN.ask(rarely_second()).satisfied and not CHAIN.ask(rarely_second(F(1, 4))).satisfied
