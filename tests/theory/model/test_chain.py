"""Chains: classes, periods and laws against brute force, and evidence that is itself checked."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import gcd

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from tdcert.sims.strategies import chains, irreducible_chains, periodic_chains, reducible_chains
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.errors import InputError
from tdcert.theory.model.chain import Chain
from tests.effort import examples

F = Fraction
Booleans = list[list[bool]]

some = settings(max_examples=examples(60), deadline=None)


@st.composite
def any_chains(draw: DrawFn, *, max_states: int = 5) -> Chain:
    """Any support at all: each row has at least one successor."""
    n = draw(st.integers(1, max_states))
    weights = [[draw(st.sampled_from([0, 0, 1, 2])) for _ in range(n)] for _ in range(n)]
    for row in weights:
        row[draw(st.integers(0, n - 1))] += 1
    return Chain(RationalMatrix([[F(w, sum(row)) for w in row] for row in weights]))


def arrows(chain: Chain) -> Booleans:
    return [[p > 0 for p in row] for row in chain.P.rows]


def product(left: Booleans, right: Booleans) -> Booleans:
    n = range(len(left))
    return [[any(left[i][k] and right[k][j] for k in n) for j in n] for i in n]


def reaches(chain: Chain) -> Booleans:
    """(i, j): some power 0 … n of the chain has a positive entry there."""
    n = chain.n
    power = [[i == j for j in range(n)] for i in range(n)]
    total = power
    for _ in range(n):
        power = product(power, arrows(chain))
        total = [[a or b for a, b in zip(p, q, strict=True)] for p, q in zip(total, power, strict=True)]
    return total


def brute_force_period(chain: Chain, states: tuple[int, ...]) -> int:
    """The gcd of the lengths of closed walks up to n² + n; simple cycles are among them."""
    power, found = arrows(chain), 0
    for length in range(1, chain.n**2 + chain.n + 1):
        if any(power[s][s] for s in states):
            found = gcd(found, length)
        power = product(power, arrows(chain))
    return found


# ---- classes --------------------------------------------------------------------------------------


@some
@given(st.one_of(any_chains(), reducible_chains()))
def test_classes_against_the_closure_of_boolean_powers(chain: Chain) -> None:
    reached, n = reaches(chain), range(chain.n)
    together = {tuple(j for j in n if reached[i][j] and reached[j][i]) for i in n}
    assert set(chain.classes) == together and list(chain.classes) == sorted(chain.classes)
    closed = {states for states in together if all(j in states for i in states for j in n if reached[i][j])}
    assert set(chain.recurrent_classes) == closed
    assert chain.is_irreducible == all(all(row) for row in reached)
    assert set(chain.transient_states) == set(n) - {s for states in closed for s in states}
    assert chain.successors == tuple(tuple(j for j in n if chain.P[i, j] > 0) for i in n)


@some
@given(irreducible_chains())
def test_spanning_arborescences_of_irreducible_chains(chain: Chain) -> None:
    """Every edge of the trees is a transition, and both trees lead to state 0 without a cycle."""
    assert chain.is_irreducible
    from_root, to_root = chain.spanning_arborescences()
    for tree, forward in ((from_root, False), (to_root, True)):
        assert tree[0] is None and len(tree) == chain.n
        for state in range(1, chain.n):
            seen, here = {state}, state
            while here != 0:
                parent = tree[here]
                assert parent is not None
                assert chain.P[(here, parent) if forward else (parent, here)] > 0
                assert parent == 0 or parent not in seen
                seen.add(parent)
                here = parent


@given(reducible_chains())
@some
def test_strategies_named_reducible_are_not_irreducible(chain: Chain) -> None:
    assert not chain.is_irreducible


# ---- periods --------------------------------------------------------------------------------------


def assert_period(chain: Chain, states: tuple[int, ...], period: int) -> None:
    """The period, and the evidence for it from both sides."""
    evidence = chain.period(states)
    assert evidence.period == period
    # The period divides every closed walk: every transition goes from its phase to the next one.
    phase = dict(zip(states, evidence.phase, strict=True))
    assert all(0 <= p < period for p in evidence.phase)
    assert all((phase[i] + 1 - phase[j]) % period == 0 for i in states for j in chain.successors[i])
    # Nothing larger does: closed walks of the chain whose lengths have the period as their gcd.
    for walk in evidence.closed_walks:
        assert len(walk) > 1 and walk[0] == walk[-1] and set(walk) <= set(states)
        assert all(chain.P[i, j] > 0 for i, j in pairwise(walk))
    assert gcd(*(len(walk) - 1 for walk in evidence.closed_walks)) == period


@some
@given(st.one_of(any_chains(max_states=4), periodic_chains(), chains()))
def test_period_against_brute_force_and_its_evidence(chain: Chain) -> None:
    for states in chain.recurrent_classes:
        assert_period(chain, states, brute_force_period(chain, states))


@pytest.mark.parametrize(("lengths", "period"), [((6, 10, 15), 1), ((6, 9), 3), ((4, 6), 2), ((5,), 5)], ids=str)
def test_period_of_cycles_through_one_state(lengths: tuple[int, ...], period: int) -> None:
    """Cycles that share state 0 alone: the period is the gcd of their lengths."""
    n = 1 + sum(length - 1 for length in lengths)
    rows = [[F(0)] * n for _ in range(n)]
    following = 1
    for length in lengths:
        path = [0, *range(following, following + length - 1), 0]
        following += length - 1
        for i, j in pairwise(path):
            rows[i][j] += 1
    chain = Chain(RationalMatrix([[x / sum(row) for x in row] for row in rows]))
    assert_period(chain, tuple(range(n)), period)


def test_period_of_a_long_cycle_with_a_short_cut_off_the_root() -> None:
    """0→1→2→3→0 and 0→4→5→6→0 have length 4, the short cut 4→6 makes a 3: the walk that shows it is not
    among those through the transitions at which the gcd falls, it is the one they are compared with."""
    following = [(1, 4), (2,), (3,), (0,), (5, 6), (6,), (0,)]
    rows = [[F(j in after, len(after)) for j in range(7)] for after in following]
    assert_period(Chain(RationalMatrix(rows)), tuple(range(7)), 1)


# ---- stationary laws ------------------------------------------------------------------------------


@some
@given(st.one_of(any_chains(), periodic_chains(), reducible_chains()))
def test_stationary_laws(chain: Chain) -> None:
    """dP = d, Σ d = 1, positive exactly on the class: on a recurrent class there is only one such d."""
    for states in chain.recurrent_classes:
        d = chain.stationary_law(states).column_entries()
        assert sum(d) == 1
        assert all((x > 0) == (s in states) and x >= 0 for s, x in enumerate(d))
        for j in range(chain.n):
            assert sum(d[i] * chain.P[i, j] for i in range(chain.n)) == d[j]


def test_stationary_law_of_a_birth_death_chain() -> None:
    """Detailed balance: d_i up_i = d_{i+1} down_{i+1}, so d ∝ (1, ½/(1/3), …) = (1, 3/2, 9/4, 9/8)."""
    up, down, n = F(1, 2), F(1, 3), 4
    rows = [[F(0)] * n for _ in range(n)]
    for i in range(n):
        if i + 1 < n:
            rows[i][i + 1] = up
        if i > 0:
            rows[i][i - 1] = down if i + 1 < n else F(1)
        rows[i][i] = 1 - sum(rows[i], F(0))
    # d_1/d_0 = ½/⅓, d_2/d_1 = ½/⅓, d_3/d_2 = ½/1
    shape = [F(1), F(3, 2), F(9, 4), F(9, 8)]
    d = Chain(RationalMatrix(rows)).stationary_law((0, 1, 2, 3)).column_entries()
    assert [x / d[0] for x in d] == shape


def test_stationary_law_with_probabilities_of_very_different_size() -> None:
    """Two states that leave with p and q: d = (q, p)/(p + q), whatever their size."""
    p, q = F(1, 10**60), F(1, 3 * 10**5)
    chain = Chain(RationalMatrix([[1 - p, p], [q, 1 - q]]))
    assert chain.stationary_law((0, 1)).column_entries() == (q / (p + q), p / (p + q))


# ---- what is not a chain --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([[F(1, 2), F(1, 3)], [0, 1]], r"row s0 of the transition matrix sums to 5/6 \(about 0\.833333\)"),
        ([[1, 0], [F(3, 2), F(-1, 2)]], r"negative entry -1/2 \(about -0\.5\) in row s1, column 1"),
        ([[F(1, 2), F(1, 2)]], r"shape \(1, 2\); give a square one"),
        ([], "the transition matrix is empty; give at least one state"),
        ([[1, 0], [0, 2]], "row s1 of the transition matrix sums to 2, not to exactly one"),
        ([[1 - F(1, 10**30), 0], [0, 1]], "row s0 .* sums to .*, not to exactly one"),
    ],
    ids=["short row", "negative", "not square", "empty", "sum 2", "almost one"],
)
def test_what_is_not_a_chain_is_refused_in_one_sentence(rows: list[list[Fraction]], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence) as caught:
        Chain(RationalMatrix(rows))
    assert "\n" not in str(caught.value)
