"""How often runs show something: exact binomial tails, against another formula and by hand."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from tdcert.sims.judge.agreement import MISS
from tdcert.sims.judge.replication import BAND, Share, median_band, needed, tail

HALF = Fraction(1, 2)


def test_tails_by_hand() -> None:
    assert tail(3, 0, HALF) == 1 and tail(3, 3, HALF) == Fraction(1, 8) and tail(3, 4, HALF) == 0
    assert tail(3, 2, Fraction(1, 3)) == 3 * Fraction(1, 9) * Fraction(2, 3) + Fraction(1, 27)
    assert tail(5, 1, Fraction(0)) == 0 and tail(5, 0, Fraction(0)) == 1


@pytest.mark.parametrize(("n", "k", "p"), [(40, 37, 0.5), (12, 3, 0.125), (200, 150, 0.75)])
def test_tails_against_scipy(n: int, k: int, p: float) -> None:
    assert float(tail(n, k, Fraction(p))) == pytest.approx(stats.binom.sf(k - 1, n, p), rel=1e-9)


def test_ten_of_ten_show_more_than_a_half_at_one_in_a_thousand() -> None:
    """2⁻¹⁰ < 0.001 < 11/2¹⁰; all ten at p allow p¹⁰ ≤ 0.001, p ≤ 0.5011…; nine do not show it."""
    assert needed(10, HALF, Fraction(1, 1000)) == 10 and needed(9, HALF, Fraction(1, 1000)) == 10
    ten = Share("ten", "heads", 10, 10, 0.001)
    assert ten.agrees and ten.at_least == Fraction(501, 1000) and "10 of 10" in ten.summary()
    nine = Share("nine", "heads", 9, 10, 0.001)
    assert not nine.agrees and nine.at_least < HALF and "is not shown" in nine.sentence()
    assert not Share("none", "heads", 0, 10, 0.001).at_least
    # what the law sampled differs by is taken off: 2⁻¹⁰ is more than 0.001 − 0.0001
    assert not Share("far", "heads", 10, 10, 0.001, law_distance=1e-4).agrees


def test_both_error_rates_are_what_they_are_called() -> None:
    """At the claimed share the runs show it no more often than α; at the one called enough, but for MISS."""
    share = Share("any", "x", 60, 60, 1e-4, claimed=Fraction(3, 5))
    k = needed(60, share.claimed, share.level)
    assert tail(60, k, share.claimed) <= Fraction(1e-4) < tail(60, k - 1, share.claimed)
    assert tail(60, k, share.enough) >= 1 - Fraction(MISS) > tail(60, k, share.enough - Fraction(1, 1000))
    assert tail(60, 60, share.at_least) <= share.level < tail(60, 60, share.at_least + Fraction(1, 1000))
    assert Share("few", "x", 3, 3, 1e-4).enough == 1


@pytest.mark.parametrize("given", [(-1, 3, 0.1), (4, 3, 0.1), (0, 0, 0.1), (1, 3, 0.0), (1, 3, 1.0)])
def test_numbers_that_do_not_fit_are_refused(given: tuple[int, int, float]) -> None:
    with pytest.raises(ValueError, match="'odd'"):
        Share("odd", "x", *given)


def test_a_band_has_the_median_between_its_ends() -> None:
    """32 runs: 7 on either side leave P(X ≤ 7) < 0.0005 < P(X ≤ 8), X binomial(32, ½)."""
    samples = np.random.default_rng(1).permutation(32).astype(float)
    low, middle, high = median_band(np.stack([samples, -samples], axis=1))
    k = int(low[0])
    assert stats.binom.cdf(k, 32, 0.5) <= (1 - BAND) / 2 < stats.binom.cdf(k + 1, 32, 0.5)
    assert (low.tolist(), middle.tolist(), high.tolist()) == ([k, k - 31], [15.5, -15.5], [31 - k, -k])
    with pytest.raises(ValueError, match="too few"):
        median_band(samples[:10])
    assert median_band(samples[:11])[0] == samples[:11].min()
