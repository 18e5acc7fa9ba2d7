"""Which arithmetic is chosen for which size, what is refused and how, and numbers with error bounds as text."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import flint
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import diags_array

import tdcert.analysis.choose_arithmetic
from tdcert.analysis.analyse import Arithmetic, Request, analyse
from tdcert.analysis.choose_arithmetic import EXACT_STATES, bytes_needed, choose, exact_bits, in_floats, reachable
from tdcert.reports.number_texts import lower, texts, upper
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.errors import InputError
from tdcert.theory.files import LoadedSparse
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.model.sparse_model import SparseModel
from tests.effort import examples


def cycle(n: int, d: int | None = None) -> Model:
    """0 → 1 → … → 0, features of the first d states (default: all)."""
    P = RationalMatrix([[int(j == (s + 1) % n) for j in range(n)] for s in range(n)])
    features = P.identity(n).take(columns=range(d or n))
    return Model.reward_process(P, RationalMatrix.column([1] * n), Fraction(9, 10), features, Schedule.n_step(2))


def line(n: int) -> SparseModel:
    P = diags_array([np.full(n - 1, 0.5), np.full(n - 1, 0.5)], offsets=[-1, 1], shape=(n, n)).tolil()
    P[0, 0] = P[n - 1, n - 1] = 0.5
    return SparseModel.reward_process(P.tocsr(), np.ones(n), Fraction(9, 10), np.ones((n, 1)), Schedule())


def test_small_models_are_exact_more_states_are_enclosed_arrays_are_sparse() -> None:
    assert choose(cycle(6), Request()).arithmetic is Arithmetic.EXACT
    many = choose(cycle(EXACT_STATES + 1, 1), Request())
    assert many.arithmetic is Arithmetic.ENCLOSED and many.why.startswith("701 states are beyond exact arithmetic")
    assert choose(line(8), Request()).arithmetic is Arithmetic.SPARSE


def test_the_estimate_of_digits_and_what_exceeds_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Row denominators 2 and 1 (2 and 1 bits), that of N is 20 (5 bits, twice for L = 1), λ = 1, features 0 and 1.

    n·d·(n + d) is 16.
    """
    P = RationalMatrix([[Fraction(1, 2)] * 2, [1, 0]])
    model = Model.reward_process(P, ones(), Fraction(9, 10), schedule=Schedule.n_step(2))
    bits = 3 + 2 * 5 + 1 + 2 * 2
    assert exact_bits(model) == bits
    monkeypatch.setattr(tdcert.analysis.choose_arithmetic, "EXACT_WORK", 16 * bits)
    assert choose(model, Request()).arithmetic is Arithmetic.EXACT
    monkeypatch.setattr(tdcert.analysis.choose_arithmetic, "EXACT_WORK", 16 * bits - 1)
    beyond = choose(model, Request())
    assert beyond.arithmetic is Arithmetic.ENCLOSED and "about 18 bits would take" in beyond.why


@pytest.mark.parametrize("arithmetic", list(Arithmetic))
def test_what_is_asked_for_is_taken(arithmetic: Arithmetic) -> None:
    assert choose(cycle(6), Request(arithmetic)).arithmetic is arithmetic
    assert choose(line(6), Request(arithmetic)).arithmetic is arithmetic


def test_more_bits_mean_enclosures() -> None:
    assert choose(cycle(6), Request(bits=100)).arithmetic is Arithmetic.ENCLOSED
    with pytest.raises(InputError, match="52 bits were asked for; give 53 to 1,000,000"):
        Request(bits=52)
    with pytest.raises(InputError, match="100 bits were asked for in sparse arithmetic"):
        Request(Arithmetic.SPARSE, 100)
    with pytest.raises(InputError, match="no arithmetic 'float'; give exact, enclosed or sparse"):
        Request.of_words("float")


def test_exact_arithmetic_ends_somewhere_and_says_where() -> None:
    with pytest.raises(InputError, match="the model has 701 states, and exact arithmetic is offered up to 700"):
        choose(line(EXACT_STATES + 1), Request(Arithmetic.EXACT))


@pytest.mark.parametrize("arithmetic", list(Arithmetic))
def test_what_memory_does_not_hold_is_refused_with_the_estimate(
    arithmetic: Arithmetic, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = cycle(50)
    needed = bytes_needed(model, arithmetic)
    monkeypatch.setattr(tdcert.analysis.choose_arithmetic, "available_bytes", lambda: needed)
    assert choose(model, Request(arithmetic)).arithmetic is arithmetic
    monkeypatch.setattr(tdcert.analysis.choose_arithmetic, "available_bytes", lambda: needed - 1)
    with pytest.raises(InputError, match=rf"{arithmetic} arithmetic on 50 states and 50 features needs about .* GiB"):
        choose(model, Request(arithmetic))
    monkeypatch.setattr(
        tdcert.analysis.choose_arithmetic, "available_bytes", lambda: None
    )  # a system that does not say
    assert choose(model, Request(arithmetic)).arithmetic is arithmetic


def test_advice_never_names_what_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    """Too large for dense enclosures, an archive stays an archive; a model file may become one; bits that could not be
    asked for are not advised.
    """
    large, small = line(4_001), line(10)
    for asked in (Request(Arithmetic.ENCLOSED), Request(bits=106)):
        with pytest.raises(InputError, match=r"4,001 states.*up to 4,000; leave out --arithmetic and --bits"):
            choose(large, asked)
    monkeypatch.setattr(tdcert.analysis.choose_arithmetic, "available_bytes", lambda: 100)
    with pytest.raises(InputError, match="free; leave out --arithmetic and --bits"):
        choose(small, Request(bits=106))
    with pytest.raises(InputError, match=r"free; give a smaller model, or one with sparse transitions as \.npz"):
        choose(cycle(10), Request(bits=106))
    with pytest.raises(InputError, match=r"free; give a smaller model$"):
        choose(small, Request())
    assert reachable(small, 106) is reachable(cycle(10), 106) is None
    monkeypatch.setattr(tdcert.analysis.choose_arithmetic, "available_bytes", lambda: None)
    assert reachable(small, 106) == 106 and reachable(large, 106) is reachable(small, None) is None


@pytest.mark.parametrize("free", [10**12, 10**4])
def test_bits_are_advised_only_where_they_can_be_asked_for(free: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """γ = 1 and constant features: A = 0, which no enclosure decides. Three states in balls of 106 bits take 13 kB."""
    monkeypatch.setattr(tdcert.analysis.choose_arithmetic, "available_bytes", lambda: free)
    model = replace(line(3), discount=Fraction(1))
    found = analyse(LoadedSparse(model, [], [], "line"), lambda done, total, what: None).facts
    needed = {answer.verdict.precision_needed for answer in found.claims}
    needed |= {row.precision_needed for part in found.classes for row in part.algorithms.values() if row}
    assert needed == {None} if free == 10**4 else 106 in needed


def test_memory_grows_as_the_matrices_do() -> None:
    """n² numbers held 20 times by enclosures; sparse arithmetic is linear in n on a line."""
    assert bytes_needed(line(1000), Arithmetic.ENCLOSED) == 20 * 8 * 1000**2
    assert bytes_needed(line(1000), Arithmetic.ENCLOSED, 200) > 10 * bytes_needed(line(1000), Arithmetic.ENCLOSED)
    assert bytes_needed(line(2000), Arithmetic.SPARSE) < 2.01 * bytes_needed(line(1000), Arithmetic.SPARSE)


def test_a_model_of_floats_is_the_same_model_and_others_are_refused() -> None:
    half = Model.reward_process(
        RationalMatrix([[Fraction(1, 2)] * 2, [1, 0]]), RationalMatrix([[1, 2], [Fraction(1, 4), 0]]), Fraction(9, 10)
    )
    assert in_floats(half).exact().behaviour_chain.P == half.behaviour_chain.P
    assert in_floats(half).exact().target_kernel.r == half.target_kernel.r
    thirds = Model.reward_process(third(), ones(), Fraction(1, 3), third())
    assert in_floats(thirds).exact().canonical == thirds.canonical and set(in_floats(thirds).ratios) == {
        "transitions_0",
        "features",
    }
    with pytest.raises(
        InputError, match=r"row s1 of the features holds 1/36472996377170786403 .*no ratio of integers of 64 bits"
    ):
        in_floats(Model.reward_process(third(), ones(), Fraction(0), RationalMatrix([[1], [Fraction(1, 3**41)]])))
    assert in_floats(Model.reward_process(third(), ones(), Fraction(1, 3**41))).discount == Fraction(1, 3**41)
    by_state = Model.reward_process(third(), ones(), RationalMatrix.column([0, Fraction(1, 3)]))
    assert in_floats(by_state).exact().canonical == by_state.canonical and "discount" in in_floats(by_state).ratios
    discounts = RationalMatrix([[0, 1], [1, 1]])
    with pytest.raises(InputError, match="a discount that depends on the state left alone"):
        in_floats(Model.reward_process(RationalMatrix([[Fraction(1, 2)] * 2] * 2), ones(), discounts))


def third() -> RationalMatrix:
    return RationalMatrix([[Fraction(1, 3), Fraction(2, 3)], [1, 0]])


def ones() -> RationalMatrix:
    return RationalMatrix.column([1, 1])


FLOATS = st.floats(allow_nan=False, allow_infinity=False)


@settings(max_examples=examples(300), deadline=None)
@given(FLOATS, st.floats(min_value=0, allow_nan=False))
def test_the_text_of_an_enclosure_encloses_it(mid: float, rad: float) -> None:
    (text,) = texts(np.array([mid]), np.array([rad]))
    if text is None:  # nothing is known, or the sum leaves the range of floats
        assert rad > 1e307
        return
    middle, _, radius = text.partition(" +/- ")
    shown, exact = Fraction(radius or 0), Fraction(rad)
    assert abs(Fraction(middle) - Fraction(mid)) + exact <= shown
    ulp = Fraction(math.ulp(mid))
    assert shown <= Fraction(103, 100) * (exact + ulp) + Fraction(2, 10**300)  # tight, too


@given(FLOATS)
def test_the_ends_of_a_rate_are_rounded_outward(value: float) -> None:
    assert Decimal(lower(value)) <= Decimal(value) <= Decimal(upper(value))
    assert float(upper(value)) <= math.nextafter(value, math.inf)  # tight


def test_texts_as_they_look() -> None:
    """0.1 as a float is 1.4e-17 from it as a decimal (half an ulp of 2⁻⁴ … 2⁻³ is 2⁻⁵⁷ ≈ 6.94e-18)."""
    assert texts(np.array([[0.25, 3.0], [0.0, -2.0]]), np.zeros((2, 2))) == [["0.25", "3"], ["0", "-2"]]
    assert texts(np.array([0.1]), np.array([0.0])) == ["0.1 +/- 7.01e-18"]
    assert texts(np.array([1.0, 0.0]), np.array([1e-9, np.inf])) == ["1 +/- 1.01e-09", None]
    assert flint.arb(texts(np.array([1.5]), np.array([0.5]))[0]).contains(flint.arb(1))
