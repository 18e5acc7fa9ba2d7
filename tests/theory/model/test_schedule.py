"""λ-schedules: weights, inverses, κ and Λ against the paper's own words, written out once more."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tdcert.sims.strategies import schedules, unit_rationals
from tdcert.theory.errors import InputError
from tdcert.theory.model.schedule import (
    MAX_LENGTH,
    Schedule,
    lambdas_from_weights,
    return_weights,
    trace_weights,
    weight_matrix,
)
from tests.effort import examples

F = Fraction

some = settings(max_examples=examples(60), deadline=None)
ANY_LAMBDAS = st.lists(st.builds(Fraction, st.integers(-5, 9), st.integers(1, 4)), max_size=5)
UNIT_LAMBDAS = st.lists(unit_rationals(), max_size=5)


def product(factors: list[Fraction]) -> Fraction:
    total = F(1)
    for factor in factors:
        total *= factor
    return total


def weight_of_return(lambdas: list[Fraction], n: int) -> Fraction:
    """The n-step return: taken up to step n (λ_1 … λ_{n−1}), then left (1 − λ_n); λ_j = 0 beyond the list."""
    padded = [*lambdas, *[F(0)] * n]
    return product(padded[: n - 1]) * (1 - padded[n - 1])


# ---- weights --------------------------------------------------------------------------------------


@some
@given(ANY_LAMBDAS)
def test_weights_from_lambdas(lambdas: list[Fraction]) -> None:
    """Whatever the λ's, the weights of the returns sum to one (telescoping)."""
    assert trace_weights(lambdas) == [product(lambdas[:k]) for k in range(len(lambdas) + 1)]
    weights = return_weights(lambdas)
    assert weights == [weight_of_return(lambdas, n) for n in range(1, len(lambdas) + 2)]
    assert sum(weights) == 1


@some
@given(UNIT_LAMBDAS)
def test_lambdas_to_weights_and_back(lambdas: list[Fraction]) -> None:
    """λ's in [0,1] give a law; the way back gives λ's with the same law, and the same λ's before a zero."""
    weights = return_weights(lambdas)
    assert all(w >= 0 for w in weights)
    back = list(lambdas_from_weights(weights))
    assert return_weights(back) == weights and len(back) == len(lambdas)
    kept = lambdas.index(Fraction(0)) + 1 if 0 in lambdas else len(lambdas)
    assert back[:kept] == lambdas[:kept] and not any(back[kept:])


@some
@given(st.lists(st.integers(0, 4), min_size=1, max_size=6).filter(any))
def test_weights_to_lambdas_and_back(counts: list[int]) -> None:
    """Every law on {1 … L + 1} comes from λ's in [0,1]."""
    law = [F(c, sum(counts)) for c in counts]
    lambdas = lambdas_from_weights(law)
    assert all(0 <= lam <= 1 for lam in lambdas)
    assert [weight_of_return(list(lambdas), n) for n in range(1, len(law) + 1)] == law
    assert Schedule.from_weights(law) == Schedule(lambdas)


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ([F(1, 2), F(1, 3)], r"weights of the returns sum to 5/6 .*; they must sum to exactly one"),
        ([F(3, 2), F(-1, 2)], r"the 2-step return has the weight -1/2 .*; give none below zero"),
        ([], "sum to 0; they must sum to exactly one"),
    ],
    ids=["short", "negative", "none"],
)
def test_what_is_not_a_law_is_refused(weights: list[Fraction], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        Schedule.from_weights(weights)


# ---- Λ --------------------------------------------------------------------------------------------


def test_weight_matrix_is_the_display_of_section_2() -> None:
    """§2, the four rows as printed; the fourth ends in λ_1λ_2λ_3, by Λ_jj of the text before it."""
    a, b, c = F(1, 3), F(2, 5), F(5, 7)
    assert weight_matrix([a, b, c], 4) == [
        [1, 0, 0, 0],
        [1 - a, a, 0, 0],
        [1 - a, a * (1 - b), a * b, 0],
        [1 - a, a * (1 - b), a * b * (1 - c), a * b * c],
    ]


@some
@given(UNIT_LAMBDAS, st.integers(1, 6))
def test_weight_matrix_rows_are_laws_and_obey_the_recursion(lambdas: list[Fraction], size: int) -> None:
    matrix = weight_matrix(lambdas, size)
    assert matrix[0][0] == 1
    for i, row in enumerate(matrix):
        assert len(row) == size and sum(row) == 1 and all(0 <= x <= 1 for x in row)
        assert not any(row[i + 1 :])
        if i > 0:
            assert row[i - 1] + row[i] == matrix[i - 1][i - 1]
    # A row that is long enough holds the weights of the returns.
    if size > len(lambdas) + 1:
        assert matrix[-1][: len(lambdas) + 1] == return_weights(lambdas)


# ---- κ --------------------------------------------------------------------------------------------


@some
@given(schedules(max_length=4), unit_rationals())
def test_kappa_is_the_direct_sum(schedule: Schedule, gamma: Fraction) -> None:
    lambdas = list(schedule.lambdas)
    terms = [weight_of_return(lambdas, n) * gamma**n for n in range(1, len(lambdas) + 2)]
    assert schedule.kappa(gamma) == sum(terms)
    assert 0 <= schedule.kappa(gamma) <= gamma


@some
@given(unit_rationals(), unit_rationals())
def test_kappa_without_end(lam: Fraction, gamma: Fraction) -> None:
    """κ(1 − λγ) = γ(1 − λ); and the finite κ's of length L leave exactly (λγ)^L (γ − κ): their limit."""
    schedule = Schedule.constant(lam)
    if lam * gamma == 1:
        with pytest.raises(InputError, match="give the schedule a length"):
            schedule.kappa(gamma)
        return
    kappa = schedule.kappa(gamma)
    assert kappa * (1 - lam * gamma) == gamma * (1 - lam)
    for length in range(5):
        finite = Schedule.constant(lam, length).kappa(gamma)
        assert finite - kappa == (lam * gamma) ** length * (gamma - kappa)


# ---- constructors ---------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_n_step_gives_all_weight_to_one_return(n: int) -> None:
    schedule = Schedule.n_step(n)
    assert schedule.lambdas == (1,) * (n - 1) and schedule.length == n - 1
    assert return_weights(schedule.lambdas) == [int(k == n) for k in range(1, n + 1)]


@pytest.mark.parametrize(("n1", "n2"), [(1, 1), (1, 4), (3, 5), (4, 4), (2, 7)])
def test_equal_weights_gives_each_return_the_same(n1: int, n2: int) -> None:
    schedule = Schedule.equal_weights(n1, n2)
    expected = [F(int(n1 <= n <= n2), n2 - n1 + 1) for n in range(1, n2 + 1)]
    assert return_weights(schedule.lambdas) == expected and schedule.length == n2 - 1
    assert Schedule.from_weights(expected) == schedule


def test_equal_weights_3_5_as_printed_in_section_2_1() -> None:
    """λ = (1, 1, 2/3, 1/2, 0); the full row of Λ is (0, 0, 1/3, 1/3, 1/3)."""
    schedule = Schedule.equal_weights(3, 5)
    assert schedule.lambdas == (1, 1, F(2, 3), F(1, 2))
    third = F(1, 3)
    assert weight_matrix(schedule.lambdas, 6) == [
        [1, 0, 0, 0, 0, 0],
        [0, 1, 0, 0, 0, 0],
        [0, 0, 1, 0, 0, 0],
        [0, 0, third, 2 * third, 0, 0],
        [0, 0, third, third, third, 0],
        [0, 0, third, third, third, 0],
    ]  # the last row by the schedule's rule, the others as printed


def test_constant_schedules() -> None:
    finite, endless = Schedule.constant(F(1, 2), 3), Schedule.constant(F(1, 2))
    assert finite.lambdas == (F(1, 2),) * 3 and finite.is_finite and finite.length == 3
    assert endless.lambdas == () and endless.tail == F(1, 2)
    assert not endless.is_finite and endless.length is None
    assert Schedule.constant(F(0)) == Schedule() == Schedule.n_step(1) and Schedule().length == 0


@some
@given(UNIT_LAMBDAS, st.integers(0, 3))
def test_trailing_zeros_change_nothing(lambdas: list[Fraction], zeros: int) -> None:
    padded = Schedule((*lambdas, *[F(0)] * zeros))
    assert padded == Schedule(tuple(lambdas)) and hash(padded) == hash(Schedule(tuple(lambdas)))
    assert not padded.lambdas or padded.lambdas[-1] != 0


@some
@given(ANY_LAMBDAS, ANY_LAMBDAS)
def test_what_follows_a_zero_never_acts(before: list[Fraction], after: list[Fraction]) -> None:
    """c_k = 0 from the first λ_k = 0 on, so the weights of the returns are those of the λ's before it."""
    cut, whole = Schedule(tuple(before)), Schedule((*before, F(0), *after))
    assert return_weights(whole.lambdas) == return_weights(cut.lambdas)
    assert whole.kappa(F(2, 3)) == cut.kappa(F(2, 3))


def test_lambdas_equal_to_the_tail_are_the_tail() -> None:
    assert Schedule((F(1, 2), F(1, 2)), F(1, 2)) == Schedule.constant(F(1, 2))
    with pytest.raises(InputError, match="a schedule that never ends must be constant"):
        Schedule((F(1, 3),), F(1, 2))


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Schedule.n_step(0), "n_step is 0; give a whole number from 1 on"),
        (lambda: Schedule.n_step(10**15), r"n_step is 10{15}; at most \d+ is accepted"),
        (lambda: Schedule.equal_weights(0, 2), "equal_weights starts at n1 = 0; give 1 ≤ n1 ≤ n2"),
        (lambda: Schedule.equal_weights(4, 2), "equal_weights has n1 = 4 above n2 = 2; give n1 ≤ n2"),
        (lambda: Schedule.equal_weights(1, 10**15), r"equal_weights has n2 = 10{15}; at most \d+"),
        (lambda: Schedule.constant(F(1, 2), -1), r"length -1; give a whole number from 0 to \d+"),
        (lambda: Schedule.constant(F(1, 2), 10**15), "give a whole number from 0 to"),
        (lambda: Schedule((F(1),) * (MAX_LENGTH + 1)), rf"{MAX_LENGTH + 1} λ's; at most {MAX_LENGTH}"),
    ],
    ids=["n = 0", "n huge", "n1 = 0", "n1 > n2", "n2 huge", "length −1", "length huge", "too many"],
)
def test_errors_say_what_to_give_instead(make: Callable[[], Schedule], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        make()


def test_the_longest_schedules_are_accepted() -> None:
    """MAX_LENGTH λ's: the (MAX_LENGTH + 1)-step return."""
    assert Schedule.n_step(MAX_LENGTH + 1).length == MAX_LENGTH
    assert Schedule.constant(F(1, 2), MAX_LENGTH).length == MAX_LENGTH
