"""Signs of polynomials on an interval: Sturm's count against isolated roots, and witnesses multiplied out."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import fmpq_poly
from hypothesis import given, settings
from hypothesis import strategies as st

from tdcert.theory.arithmetic.rational import to_fmpq
from tdcert.theory.check import one_parameter
from tdcert.theory.check.one_parameter import POSITIVE, Sign, Values, in_t, sign_on, sturm_count
from tdcert.theory.check.step_size_ratio import positive_roots
from tdcert.theory.errors import BudgetExceededError
from tests.effort import examples

F = Fraction
WHOLE = st.integers(-6, 6)


def value(p: list[Fraction], x: Fraction) -> Fraction:
    return sum((c * x**k for k, c in enumerate(p)), F(0))


def test_by_hand() -> None:
    """x² − 3x + 2 < 0 between 1 and 2; x² − x + 1 > 0, as (1 + t)(t² − t + 1) = t³ + 1; (x − 1)² is zero at 1."""
    assert sign_on([F(2), F(-3), F(1)], Values(F(2))).positive
    assert sign_on([F(2), F(-3), F(1)], Values(F(0), F(1))).positive
    assert sign_on([F(2), F(-3), F(1)], POSITIVE).value == F(3, 2)
    assert sign_on([F(1), F(-1), F(1)], POSITIVE) == Sign(1, (F(1), F(0), F(0), F(1)))
    assert sign_on([F(1), F(-2), F(1)], Values(F(1))).positive
    assert sign_on([F(1), F(-2), F(1)], Values(F(1, 2))).value == 1
    assert sign_on([F(0)], POSITIVE).value is not None
    assert sign_on([F(-1)], POSITIVE).value == 1
    assert sign_on([F(0), F(1)], POSITIVE).positive and not sign_on([F(0), F(1)], Values(F(-1))).positive


def test_zero_at_irrational_values_alone() -> None:
    """(x² − 2)² is never negative, and no rational value shows that it is not positive."""
    assert sign_on([F(4), F(0), F(-4), F(0), F(1)], POSITIVE) == Sign()
    assert not Sign().positive


def test_a_rational_value_at_which_it_touches_zero() -> None:
    """(3x − 1)²(x² + 1) is zero at 1/3 alone, which no enclosure of its root has as an end."""
    touching = [F(1), F(-6), F(10), F(-6), F(9)]
    assert value(touching, F(1, 3)) == 0
    assert sign_on(touching, POSITIVE).value == F(1, 3)
    assert sign_on(touching, Values(F(1, 3))).positive


def test_an_interval_in_t() -> None:
    """p = x on (1, 3): (1 + 3t)/(1 + t); at t = 1 the middle."""
    assert in_t([F(0), F(1)], Values(F(1), F(3))) == fmpq_poly([1, 3])
    assert Values(F(1), F(3)).at(F(1)) == 2 and Values(F(1)).at(F(1)) == 2
    assert str(Values(F(1), F(3))) == "(1, 3)" and str(POSITIVE) == "(0, ∞)"
    with pytest.raises(ValueError, match="no value lies between"):
        Values(F(1), F(1))


def test_a_root_too_near_is_a_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """x² − 2x + 1001/1000 needs a power beyond ten."""
    monkeypatch.setattr(one_parameter, "POLYA_POWER", 10)
    with pytest.raises(BudgetExceededError, match=r"positive by Sturm's theorem.*\^10 times .*give --limits 4"):
        sign_on([F(1001, 1000), F(-2), F(1)], POSITIVE)


@settings(max_examples=examples(50), deadline=None)
@given(st.lists(WHOLE, min_size=1, max_size=5), WHOLE, st.one_of(st.none(), st.integers(1, 5)))
def test_what_is_shown_is_so(whole: list[int], lower: int, width: int | None) -> None:
    """The count is that of isolated roots; coefficients belong to the polynomial; a value shows that it fails."""
    p = [F(x) for x in whole]
    values = Values(F(lower), None if width is None else F(lower + width))
    q = in_t(p, values)
    if q.degree() >= 0 and q[0] != 0:
        assert sturm_count(q) == len(positive_roots(q))
    found = sign_on(p, values)
    if found.positive:
        assert min(found.coefficients) >= 0 < max(found.coefficients)
        for x in values.some(7):
            assert value(p, x) > 0
        t = F(2, 3)
        scale = 1 if width is None else (1 + t) ** (len(p) - 1)
        assert sum(c * t**k for k, c in enumerate(found.coefficients)) == (1 + t) ** found.power * scale * value(
            p, values.at(t)
        )
    elif found.value is not None:
        assert value(p, found.value) <= 0 and values.lower < found.value
        assert values.upper is None or found.value < values.upper
    else:
        assert all(value(p, x) > 0 for x in values.some(9))
    assert q(1) == to_fmpq(value(p, values.at(F(1))) * (1 if width is None else 2 ** (len(p) - 1)))
