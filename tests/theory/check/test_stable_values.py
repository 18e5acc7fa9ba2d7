"""Roots in a domain, and where a matrix of polynomials is Hurwitz: by hand, by Sturm's theorem, by SymPy."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest
import sympy
from flint import fmpq_poly

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.functions import THE_NUMBER, UNIT, FunctionMatrix
from tdcert.theory.arithmetic.rational import to_fraction
from tdcert.theory.check.one_parameter import Values, in_t, sturm_count
from tdcert.theory.check.stability import spectral_abscissa
from tdcert.theory.check.stable_values import Algebraic, Domain, Stretch, critical, roots_in, samples, stretches
from tdcert.theory.errors import BudgetExceededError, InputError

F = Fraction
x = THE_NUMBER
UNIT_INTERVAL = Domain(F(0), True, F(1), False)


def test_roots_are_told_by_irreducible_polynomials_inside_the_domain() -> None:
    found = roots_in([(2 * x - 1) * (x * x - 2) * (x - 1) * x, (3 * x * x - 1) * (x - 5), 0 * UNIT], UNIT_INTERVAL)
    assert [one.polynomial for one in found] == [(-1, 2), (-1, 0, 3)]
    half, root = found
    assert half.exact == F(1, 2) and root.exact is None and root.low**2 < F(1, 3) < root.high**2
    assert root.high - root.low < F(1, 2**60)
    without_end = roots_in([(2 * x - 1) * (x * x - 2) * (x + 3)], Domain(F(0), False, None, False))
    assert [one.polynomial for one in without_end] == [(-1, 2), (-2, 0, 1)]
    assert roots_in([x, x - 1, UNIT], UNIT_INTERVAL) == []


def test_a_root_whose_enclosure_holds_an_end_is_on_one_side_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Enclosures of √(9/10) and √(11/10) that hold 1 are cut there, the second one away."""
    wide = [(F(1, 2), F(3, 2))]
    monkeypatch.setattr("tdcert.theory.check.stable_values.positive_roots", lambda _: wide)
    (inside,) = roots_in([10 * x * x - 9], UNIT_INTERVAL)
    assert (inside.low, inside.high) == (F(1, 2), F(1)) and roots_in([10 * x * x - 11], UNIT_INTERVAL) == []


@pytest.mark.parametrize("seed", range(6))
def test_roots_are_as_many_as_sturms_theorem_counts(seed: int) -> None:
    draw = Random(seed)
    p = fmpq_poly([1])
    for _ in range(3):
        p *= fmpq_poly([draw.choice((-3, -2, -1, 1, 2)), draw.randint(-4, 4), draw.randint(1, 5)])
    p = p // p.gcd(fmpq_poly([-1, 1]) ** 6)  # Sturm's chain is asked of the open interval
    q = in_t([to_fraction(c) for c in p.coeffs()], Values(F(0), F(1)))
    assert len(roots_in([p], UNIT_INTERVAL)) == sturm_count(q)


def test_beyond_the_limit_of_degrees_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tdcert.theory.check.stable_values.CRITICAL_DEGREE", 2)
    with pytest.raises(BudgetExceededError, match="degree 3, and they are sought up to 2; give --limits 2"):
        roots_in([x**3 - UNIT / 2], UNIT_INTERVAL)
    with pytest.raises(BudgetExceededError, match="degree 6, and they are sought up to 2; give --limits 3"):
        critical(FunctionMatrix([[x * x, UNIT, UNIT], [UNIT, 2 * x * x, UNIT], [0 * UNIT, UNIT, 3 * x * x]]))


def test_eigenvalues_meet_the_axis_where_one_polynomial_is_zero() -> None:
    """By hand: λ² + (1 − 2x)λ + x has the sum 0 of its roots at x = ½, and the root 0 at x = 0 alone."""
    found = critical(FunctionMatrix([[2 * x - 1, -x], [UNIT, 0 * UNIT]]))
    assert found.last == x and found.hurwitz == 1 - 2 * x and found.zeros == 0
    rotation = critical(FunctionMatrix([[0 * UNIT, UNIT], [-UNIT, 0 * UNIT]]))
    assert not rotation.hurwitz and rotation.last == UNIT
    flat = critical(FunctionMatrix([[x, x], [UNIT, UNIT]]))
    assert flat.zeros == 1 and flat.last == -(x + 1) and flat.hurwitz == UNIT


def answers(B: FunctionMatrix, domain: Domain) -> tuple[Stretch, ...]:
    """Where B is Hurwitz."""
    found = critical(B)

    def inside(value: Fraction) -> tuple[bool, str]:
        return spectral_abscissa(B.at(value)).sign < 0, ""

    cuts = roots_in([found.last, found.hurwitz], domain)
    return stretches(domain, cuts, inside, lambda end, _: inside(end.exact) if end.exact is not None else (False, ""))


def test_stretches_are_the_longest_of_one_answer() -> None:
    """By hand: −(x − ¼)²(x² − ½)·… is negative but for ¼ up to √½."""
    found = answers(FunctionMatrix([[(4 * x - 1) ** 2 * (2 * x * x - 1)]]), UNIT_INTERVAL)
    assert [(one.left.exact, one.left_in, one.right_in, one.stable) for one in found] == [
        (F(0), True, False, True),
        (F(1, 4), True, True, False),
        (F(1, 4), False, False, True),
        (None, True, False, False),
    ]
    assert found[2].right == found[3].left and found[3].left.polynomial == (-1, 0, 2)
    assert samples(UNIT_INTERVAL, [found[3].left]) == [F(1, 2), F(3, 4)]
    once = answers(FunctionMatrix([[-UNIT]]), Domain(F(0), False, None, False))
    assert once == (Stretch(Algebraic.rational(F(0)), False, None, False, True),)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(4))
def test_two_rows_are_decided_as_sympy_does(seed: int) -> None:
    """2×2: Hurwitz exactly if tr < 0 < det, whose roots SymPy isolates by itself."""
    draw, symbol = Random(40 + seed), sympy.Symbol("x")
    rows = [[[draw.randint(-3, 3) for _ in range(3)] for _ in range(2)] for _ in range(2)]
    found = answers(FunctionMatrix([[fmpq_poly(p) for p in row] for row in rows]), UNIT_INTERVAL)
    M = sympy.Matrix([[sum(c * symbol**k for k, c in enumerate(p)) for p in row] for row in rows])
    of_signs = [sympy.Poly(p, symbol) for p in (M.trace(), M.det())]
    roots = {F(str(sympy.Rational(str(root.evalf(40))))) for p in of_signs for root in p.real_roots()}
    ends = [F(0), *sorted(root for root in roots if 0 < root < 1), F(1)]
    wanted = [
        of_signs[0].eval(sympy.Rational(str((a + b) / 2))) < 0 < of_signs[1].eval(sympy.Rational(str((a + b) / 2)))
        for a, b in pairwise(ends)
    ]
    changes = [end for end, (a, b) in zip(ends[1:-1], pairwise(wanted), strict=True) if a != b]
    ours = [one for one in found if one.left != one.right]
    told = [after.left for before, after in pairwise(ours) if before.stable != after.stable]
    assert len(told) == len(changes) and ours[0].stable == wanted[0]
    for root, end in zip(told, changes, strict=True):
        assert root.low - F(1, 10**30) <= end <= root.high + F(1, 10**30)
        divisor = sympy.Poly(root.polynomial[::-1], symbol)
        assert any(p.rem(divisor).is_zero for p in of_signs)


def test_what_is_no_stretch_and_no_domain_is_refused() -> None:
    one, two = Algebraic.rational(F(1)), Algebraic.rational(F(2))
    with pytest.raises(InputError, match="from its left end"):
        Stretch(two, True, one, True, True)
    with pytest.raises(InputError, match="from its left end"):
        Stretch(one, True, one, False, True)
    with pytest.raises(InputError, match="no values lie between 1 and 1"):
        Domain(F(1), True, F(1), True)
    assert str(Domain(F(0), False, None, False)) == "(0, ∞)" and str(UNIT_INTERVAL) == "[0, 1)"
    assert RationalMatrix([[1]]) == FunctionMatrix.enclosing(RationalMatrix([[1]])).at(F(3))
