"""Bounds of stationary means: they hold for any h, whatever floats proposed, and are attained for the best one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tdcert.sims.streams import generator
from tdcert.theory.samples.extremes import Floats, Mixed
from tdcert.theory.samples.row_set import RowSet

F = Fraction
HALF = F(1, 2)
KNOWN = RowSet((0, 5), (1,), F(1, 10))
"""A row that leads to the second state."""


def chain(counts: tuple[int, int]) -> Mixed:
    """State 0 leads to state 1; from state 1 only counts are known."""
    return Mixed(((KNOWN,), (RowSet(counts, (0, 1), F(1, 10)),)), ((F(1),), (F(1),)))


NOTHING = [[F(0), F(0)]] * 2, [[F(0)]] * 2


@pytest.mark.parametrize("counts", [(0, 0), (3, 4), (400, 600)])
def test_the_weight_of_a_state_is_found_by_hand(counts: tuple[int, int]) -> None:
    """d_0 = p/(1 + p) with p the probability to go from state 1 to state 0, in the ends of its interval."""
    found = chain(counts)
    low, high = found.rows[1][0].bounds[0]
    most, least = found.most([F(1), F(0)], *NOTHING), -found.most([F(-1), F(0)], *NOTHING)
    assert 0 <= most - high / (1 + high) < F(1, 10**9) and 0 <= low / (1 + low) - least < F(1, 10**9)


@pytest.mark.parametrize("proposal", ["zeros", "far off", "random"])
def test_a_bound_holds_for_any_h(proposal: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """d_0 lies within bounds that come from an h that nobody would choose; a good h is closer."""
    rng, found = generator(3, proposal), chain((40, 60))
    good = found.most([F(1), F(0)], *NOTHING)

    def proposed(self: Mixed, c: Floats, slopes: Floats) -> Floats:
        if proposal == "random":
            return np.asarray(rng.standard_normal(2))
        return np.zeros(2) if proposal == "zeros" else np.array([1e6, -1e6])

    monkeypatch.setattr(Mixed, "proposed", proposed)
    high = found.rows[1][0].bounds[0][1]
    assert found.most([F(1), F(0)], *NOTHING) > good >= high / (1 + high)
    assert -found.most([F(-1), F(0)], *NOTHING) < F(2, 7)  # p = 2/5 is among the laws of the set


def test_what_a_law_gives_counts_beside_where_it_leads() -> None:
    """Leaving state 1 is worth ½·6 for each unit of probability to state 0: the mean is (1 − d_0)·3p = 3p/(1 + p)."""
    found = chain((40, 60))
    high = found.rows[1][0].bounds[0][1]
    worth = found.most([F(0), F(0)], [[F(0), F(0)], [F(6), F(0)]], [[HALF]] * 2)
    assert 0 <= worth - 3 * high / (1 + high) < F(1, 10**9)


def test_actions_are_mixed() -> None:
    """From state 1 two rows at even odds, one of which leads to state 1: p is half of the other's."""
    unsure = RowSet((40, 60), (0, 1), F(1, 10))
    found = Mixed(((KNOWN, KNOWN), (unsure, KNOWN)), ((HALF, HALF), (HALF, HALF)))
    p = unsure.bounds[0][1] / 2
    none = [[F(0), F(0)]] * 2, [[F(0), F(0)]] * 2
    assert 0 <= found.most([F(1), F(0)], *none) - p / (1 + p) < F(1, 10**9)
    laws = found.towards(np.array([1.0, 0.0]), np.zeros((2, 2, 2)))
    assert laws[0][0] == (0, 1) and F(2, 5) < laws[1][0][0] <= unsure.bounds[0][1]
