"""Exact numbers made readable: never a wrong digit, and an enclosure never rounded inwards."""

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tdcert.reports.numbers import decimal, exact_or_decimal, probability, quotient, shortened, to_float


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("0", "0"),
        ("-24", "−24"),
        ("1/3", "0.333333"),
        ("-4/7", "−0.571429"),
        ("1/8", "0.125"),
        ("2/3", "0.666667"),
        ("100", "100"),
        ("1/1000000000", "1×10⁻⁹"),
        ("1234567890123", "1.23457×10¹²"),
        (None, "–"),
        ("0.25 ± 1e-9", "0.25 ± 1e-9"),
        ("999999999/1000000000", "1"),
    ],
)
def test_rationals_as_decimals(value: str | None, shown: str) -> None:
    assert decimal(value) == shown


@given(st.fractions())
def test_enclosures_are_rounded_outwards_and_by_less_than_their_last_digit(value: Fraction) -> None:
    lower, upper = quotient(str(value), 8, "down"), quotient(str(value), 8, "up")
    assert lower is not None and upper is not None
    assert Fraction(lower[0]) <= value <= Fraction(upper[0])
    # Eight significant digits: neighbouring decimals differ by at most 10^-7 of their size.
    assert Fraction(upper[0]) - Fraction(lower[0]) <= abs(value) / 10**7 * Fraction(11, 10)
    assert lower[1] == upper[1] == (lower[0] == upper[0])


def test_numbers_longer_than_python_reads_are_shown() -> None:
    long = "3" * 20_000
    assert decimal(f"{long}/1{'0' * 19_999}") == "3.33333"
    assert to_float(f"1/{long}") == 0.0
    assert math.isnan(to_float(long))  # beyond the range of floats: a gap in a plot, not a crash
    assert len(shortened(long)) < 160 and "20,000 characters" in shortened(long)


def test_short_rationals_stay_exact_and_rounded_ones_say_so() -> None:
    assert exact_or_decimal("-4/7") == "−4/7"
    assert exact_or_decimal("123456789/987654321") == "≈ 0.125"
    assert exact_or_decimal(f"{2**40}/{2**43}00") == "0.00125"
    assert quotient("1/0") is None and quotient("no number") is None and quotient(True) is None
    assert quotient("1/4") == (Decimal("0.25"), True)


def test_bounds_on_probabilities_are_rounded_up() -> None:
    assert probability(1e-8) == "1×10⁻⁸"
    assert probability(sum([1e-8] * 3)) == "3×10⁻⁸"
    assert probability(1.01e-6) == "1.1×10⁻⁶"
    assert probability(0) == "0" and probability(0.05) == "0.05"
