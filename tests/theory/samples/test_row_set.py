"""The set of a row: its Q against the product of the rules, its test against exact integers, its intervals from both
sides, and its misses."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import exp, log

import numpy as np
import pytest
from scipy import stats

from tdcert.sims.judge.agreement import ErrorBudget
from tdcert.sims.streams import generator
from tdcert.theory.arithmetic.ball import precision
from tdcert.theory.errors import InputError
from tdcert.theory.samples.row_set import BITS, RowSet
from tests.effort import by_default

F = Fraction
SEED = 20261127
SHARE = 1e-9
"""What each test of coverage spends of the false-alarm budget."""


def q_by_the_rules(draws: Sequence[int], k: int) -> Fraction:
    """(Q of Dirichlet ½ + Q of few of many)/2, one draw after the other."""
    dirichlet = few = F(1)
    counts = [0] * k
    for n, j in enumerate(draws):
        seen = sum(c > 0 for c in counts)
        dirichlet *= (counts[j] + F(1, 2)) / (n + F(k, 2))
        few *= F(counts[j], n + 1) if counts[j] else F(1, (n + 1) * (k - seen))
        counts[j] += 1
    return (dirichlet + few) / 2


def q_of_the_entry(count: int, n: int) -> Fraction:
    """Q of Dirichlet ½ with two categories, ``count`` draws of the first and then the others."""
    found = F(1)
    for i in range(n):
        before = min(i, count)
        found *= ((before if i < count else i - count) + F(1, 2)) / (i + 1)
    return found


def inside_exactly(row: RowSet, law: Sequence[Fraction]) -> bool:
    """M < 1/δ for the row and for each entry, in rational numbers."""
    draws = [j for j, c in enumerate(row.counts) for _ in range(c)]
    likelihood = F(1)
    for j in draws:
        likelihood *= law[j]
    if not q_by_the_rules(draws, row.k) < likelihood * 2 / row.delta:
        return False
    parts = 1 if row.k == 2 else row.k
    for j in row.possible:
        c, n = row.counts[j], row.n
        if not q_of_the_entry(c, n) < law[j] ** c * (1 - law[j]) ** (n - c) * 2 * parts / row.delta:
            return False
    return True


@pytest.mark.parametrize("draws", [(0,), (0, 0, 1), (2, 0, 1, 0, 0), (1,) * 9, (0, 1, 2, 3) * 3])
def test_closed_forms_of_q_are_their_products_in_every_order(draws: tuple[int, ...]) -> None:
    counts = tuple(draws.count(j) for j in range(4))
    row = RowSet(counts, (0, 1, 2, 3), F(1, 20))
    q = q_by_the_rules(draws, 4)
    assert q == q_by_the_rules(draws[::-1], 4)
    with precision(BITS):
        ball = row.log_mixture.exp()
    assert float(ball.rad()) < 1e-30 and abs(float(ball.mid()) - float(q)) < 1e-14 * float(q)


def test_the_rules_of_unequal_length_sum_to_one() -> None:
    for past in ((), (0,), (0, 1, 1), (2, 2, 2, 2)):
        before = q_by_the_rules(past, 3)
        assert sum(q_by_the_rules((*past, j), 3) for j in range(3)) == before


@pytest.mark.parametrize("counts", [(3, 1), (12, 0), (2, 5, 0), (0, 0, 40), (1, 0, 0, 7)])
def test_laws_are_excluded_exactly_where_the_supermartingale_reached_its_bound(counts: tuple[int, ...]) -> None:
    k = len(counts)
    row = RowSet(counts, tuple(range(k)), F(1, 5))
    some = 0
    for parts in product(range(13), repeat=k):
        if sum(parts) == 12:
            law = [F(x, 12) for x in parts]
            inside = inside_exactly(row, law)
            assert row.excludes(law) is not inside
            some += inside
            if inside:
                assert all(low <= p <= high for p, (low, high) in zip(law, row.bounds, strict=True))
    assert some > 0


@pytest.mark.parametrize(("count", "n", "k"), [(0, 30, 2), (7, 30, 2), (30, 30, 2), (1, 500, 5), (250, 500, 5)])
def test_ends_of_intervals_are_outside_and_close(count: int, n: int, k: int) -> None:
    """Beyond an end the entry is excluded exactly; a little further in it is not."""
    rest = [n - count] + [0] * (k - 2)
    row = RowSet((count, *rest), tuple(range(k)), F(1, 20))
    low, high = row._alone[count]
    step = F(1, 2 ** (24 + n.bit_length()))
    bound = 2 * (1 if k == 2 else k) / row.delta
    all_seen, draws = F(1), [0] * count + [1] * (n - count)
    for c in row.counts:
        all_seen *= F(c, n) ** c

    def out(p: Fraction) -> bool:
        mass = p**count * (1 - p) ** (n - count)
        alone = q_of_the_entry(count, n) >= mass * bound
        top = F(count, n) ** count * F(n - count, n) ** (n - count)
        of_row = top / mass >= (2 / row.delta) * all_seen / q_by_the_rules(draws, k) if mass else True
        return alone or of_row

    assert low == 0 if count == 0 else out(low) and not out(low + step)
    assert high == 1 if count == n else out(high) and not out(high - step)


def test_an_entry_that_was_never_seen_keeps_an_upper_end() -> None:
    row = RowSet((1000, 0, 0), (0, 1, 2), F(1, 20))
    low, high = row.bounds[1]
    assert low == 0 and 0 < high < F(2, 100)
    assert RowSet((1000, 0, 0), (0, 2), F(1, 20)).bounds[1] == (0, 0)


def test_the_width_that_the_design_states() -> None:
    """n = 1,000, S = 16, 64 rows, δ = 0.05, p̂ = 1/3: about ±0.08."""
    row = RowSet((333, 333, 334, *[0] * 13), tuple(range(16)), F(5, 100) / 64)
    low, high = row.bounds[0]
    assert 0.07 < 0.333 - float(low) < 0.09 and 0.07 < float(high) - 0.333 < 0.09


def test_few_of_many_is_narrow_where_few_of_500_came() -> None:
    """S = 500, three outcomes, n = 3,000: log Q lies 31 + log 2 below the largest likelihood, Dirichlet's 879."""
    row = RowSet((1000, 1000, 1000, *[0] * 497), tuple(range(500)), F(1, 20))
    with precision(BITS):
        regret = 3000 * log(1 / 3) - float(row.log_mixture.mid())
    assert regret < 40.5
    assert exp(-40.5 / 3000) < 1 - float(row.bounds[3][1]) < 1


def test_no_visit_and_one_successor() -> None:
    row = RowSet((0, 0, 0), (0, 2), F(1, 20))
    assert row.bounds == ((0, 1), (0, 0), (0, 1)) and row.centre == (F(1, 2), 0, F(1, 2))
    assert not row.excludes([F(1), F(0), F(0)]) and row.excludes([F(0), F(1), F(0)])
    assert RowSet((0, 4), (1,), F(1, 20)).bounds == ((0, 0), (1, 1))


def test_means_over_the_intervals_are_those_of_their_corners() -> None:
    """The largest Σ p_j v_j, against all corners: all but one entry at an end."""
    row = RowSet((4, 3, 2), (0, 1, 2), F(1, 5))
    ends = row.bounds
    for values in ((F(1), F(0), F(0)), (F(-2), F(5), F(1)), (F(1), F(1), F(-3))):
        corners = []
        for free in range(3):
            others = [j for j in range(3) if j != free]
            for picked in product(*(ends[j] for j in others)):
                rest = 1 - sum(picked)
                if ends[free][0] <= rest <= ends[free][1]:
                    law = dict(zip(others, picked, strict=True)) | {free: rest}
                    corners.append(sum(law[j] * values[j] for j in range(3)))
        assert row.most(values) == max(corners) and row.least(values) == min(corners)
        assert sum(row.extreme(values)) == 1


def test_the_way_to_a_corner_ends_in_the_set() -> None:
    row = RowSet((40, 30, 20), (0, 1, 2), F(1, 5))
    corner = row.extreme([F(1), F(0), F(0)])
    law = row.towards(corner)
    assert law is not None and not row.excludes(law) and law[0] > row.centre[0]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (lambda: RowSet((1, 2), (0, 1), F(0)), "delta is 0; give a probability above 0 and below 1"),
        (lambda: RowSet((1, 2), (0,), F(1, 2)), "state 1 came next, which was declared impossible"),
        (lambda: RowSet((1, -2), (0, 1), F(1, 2)), "a count is negative"),
        (lambda: RowSet((1, 2), (), F(1, 2)), "the possible successors must be some of the 2 states"),
    ],
)
def test_what_is_no_row(row: object, said: str) -> None:
    assert callable(row)
    with pytest.raises(InputError, match=said):
        row()


# ---- misses, looked for after every draw -----------------------------------------------------------------------

LAWS = {
    "even": (2, (0.5, 0.5)),
    "three of sixteen": (16, (1 / 3, 1 / 3, 1 / 3)),
    "nine tenths": (2, (0.9, 0.1)),
    "rare of four": (4, (0.997, 0.003)),
}
DELTA = F(1, 10)


def exact(k: int, law: Sequence[float]) -> tuple[Fraction, ...]:
    """The law in rational numbers that sum to one, with zeros to k."""
    first = [F(p).limit_denominator(1000) for p in law[:-1]]
    return (*first, 1 - sum(first, start=F(0)), *[F(0)] * (k - len(law)))


def missed(law: tuple[Fraction, ...], draws: Sequence[int], possible: tuple[int, ...] | None = None) -> bool:
    """Whether the law was outside the set after some of the draws; ``possible`` None: what was seen so far."""
    counts = [0] * len(law)
    for j in draws:
        counts[j] += 1
        seen = possible or tuple(i for i, c in enumerate(counts) if c)
        if RowSet(tuple(counts), seen, DELTA).excludes(law):
            return True
    return False


def most_misses(sets: int, budget: ErrorBudget, name: str) -> int:
    """How many misses of so many sets are no alarm."""
    return int(stats.binom.isf(budget.spend(name, SHARE), sets, float(DELTA)))


@pytest.mark.parametrize("name", by_default(1, LAWS))
@pytest.mark.parametrize("sets", [50, pytest.param(300, marks=pytest.mark.thorough)])
def test_the_true_law_is_missed_as_seldom_as_said(name: str, sets: int, error_budget: ErrorBudget) -> None:
    """A look after every draw: the worst time to stop is one of them."""
    k, law = LAWS[name]
    p, rng = exact(k, law), generator(SEED, f"row {name} {sets}")
    draws = rng.choice(len(law), p=law, size=(sets, 40))
    misses = sum(missed(p, row, tuple(range(k))) for row in draws.tolist())
    assert misses <= most_misses(sets, error_budget, f"samples: row, {name}, {sets} sets")


def test_successors_read_off_the_data_are_caught() -> None:
    """k := what was seen excludes the truth as soon as something was not."""
    _, law = LAWS["nine tenths"]
    draws = generator(SEED, "k read off").choice(2, p=law, size=(100, 5))
    misses = sum(missed(exact(2, law), row) for row in draws.tolist())
    assert misses > stats.binom.isf(SHARE, 100, float(DELTA))


@pytest.mark.thorough
def test_a_bound_for_one_time_that_is_looked_at_always_is_caught() -> None:
    """n·kl < log(2/δ) holds at each time with probability 1 − δ (Chernoff), not at all 20,000 at once."""
    sets, looks = 200, 20_000
    draws = generator(SEED, "one time").random((sets, looks)) < 0.5
    n = np.arange(1, looks + 1)
    share = np.cumsum(draws, axis=1) / n
    with np.errstate(divide="ignore", invalid="ignore"):
        kl = np.nan_to_num(share * np.log(2 * share)) + np.nan_to_num((1 - share) * np.log(2 * (1 - share)))
    out = n * kl >= log(2 / float(DELTA))
    allowed = stats.binom.isf(SHARE, sets, float(DELTA))
    assert np.sum(out[:, 99]) <= allowed < np.sum(out.any(axis=1))
