r"""What the statements of Srikant and Ying 2019 share: Θ_{k+1} = Θ_k + ε(A(X_k)Θ_k + b(X_k)) of TD(0) along a chain,
X_k = (Z_k, Z_{k+1}), and the Lyapunov equation ĀᵀP + PĀ = −I (5).

Norms are compared by their squares. Where a norm itself is needed, a rational number below it takes its place on the
larger side of an inequality (:func:`below`), which says more.
"""

from math import ceil, isqrt

import numpy as np

from tdcert.claims import kit
from tdcert.claims.kit import Context, Expression, Fraction, Model, Name, Path, RationalMatrix, Verdict, evaluate, its
from tdcert.claims.means import MEAN, PAID
from tdcert.theory.check.stability import lyapunov_solution

UPDATE: Expression = -(its.phi(0) @ (its.phi(0) - its.discount(0) * its.phi(1)).T)
"""A(X_0) of TD(0) along a path."""
REWARDED: Expression = its.reward(0) * its.phi(0)
"""c(Z_0)φ(Z_0)."""
BITS = 20
"""Bits of the numbers below a norm."""
FEATURES = 3
"""How many features of a model take part where (5) is solved: its first ones, with the leading block of Ā."""


def transitions(model: Model, states: kit.States) -> list[Path]:
    """Every transition from these states: all values of X."""
    return [Path((s, after), (a,)) for s in states for a, after in kit.moves_from(model, s)]


def largest(square: Expression, steps: list[Path], context: Context) -> tuple[Path, Fraction]:
    """The transition with the largest value of an expression, and that value."""
    values = [(evaluate(square, context.along(step))[0, 0], -k) for k, step in enumerate(steps)]
    value, place = max(values)
    return steps[-place], value


def below(square: Fraction) -> Fraction:
    """A number whose square is no more than ``square`` (at least 0), near it; exact for squares of rationals."""
    p, q = square.numerator * square.denominator, square.denominator
    return Fraction(isqrt(p << 2 * BITS), q << BITS)


def unless_rounded(found: Verdict, *squares: Fraction) -> Verdict:
    """A refutation with numbers below the roots of ``squares`` is one only where these roots are exact."""
    if found.status is kit.Status.REFUTED and any(below(square) ** 2 != square for square in squares):
        return kit.undecided("the rational numbers below the norms are too small to decide")
    return found


def normalizer(model: Model, context: Context) -> Fraction:
    """s = 1/⌈A_max⌉, or 1 where A_max ≤ 1: Assumption 2 holds for sA(X), sb(X), as Remark 2 says."""
    _, square = largest(norm_squared(), transitions(model, tuple(range(model.n))), context)
    return Fraction(1, whole_above(square))


def whole_above(square: Fraction) -> int:
    """The least whole number from 1 on whose square is at least ``square``."""
    return isqrt(max(1, ceil(square)) - 1) + 1


def norm_squared() -> Expression:
    """‖A(X)‖² = ‖φ‖²‖φ − αφ'‖², as A(X) has rank one."""
    ahead = its.phi(0) - its.discount(0) * its.phi(1)
    return (its.phi(0).T @ its.phi(0)) * (ahead.T @ ahead)


def lyapunov(A: RationalMatrix) -> RationalMatrix | None:
    """The solution P of AᵀP + PA = −I (d×d), or None where there is not one."""
    return lyapunov_solution(A, A.identity(A.shape[0]).scaled(-1))


def form(P: RationalMatrix, x: Expression) -> Expression:
    """xᵀPx."""
    places = [(i, j) for i, row in enumerate(P.rows) for j, p in enumerate(row) if p]
    return kit.total([Name(P[i, j]) * (kit.entry_of(x, i) * kit.entry_of(x, j)) for i, j in places])


def below_eigenvalue(P: RationalMatrix) -> Fraction:
    """A number below γ_max of a symmetric P, as near as floats lead: the Rayleigh quotient of a rational vector."""
    vector = np.linalg.eigh(P.to_float())[1][:, -1]
    x = RationalMatrix.column([Fraction(round(float(entry) * 2**BITS)) for entry in vector])
    return P.quadratic_form(x) / (x.T @ x)[0, 0]


def below_least_eigenvalue(C: RationalMatrix) -> Fraction:
    """A number below the least eigenvalue of a positive definite C, near it."""
    return 1 / kit.largest_eigenvalue(C.solve(C.identity(C.shape[0])))


def leading(A: RationalMatrix) -> RationalMatrix:
    """The block of the first features."""
    first = range(min(FEATURES, A.shape[0]))
    return A.take(first, first)


def without(model: Model, states: kit.States, A: Expression, undefined: str) -> Verdict:
    """The refutation where Ax = 0 for an x ≠ 0: there is no θ*, and no P, as then xᵀ(AᵀP + PA)x = 0."""
    found = kit.singular(model, states, A, f"Ax = 0: there is no {undefined}", undefined=undefined)
    return found or kit.undecided("A is nonsingular, and AᵀP + PA = −I has not one solution")


def equilibrium(model: Model, states: kit.States) -> RationalMatrix | None:
    """θ* of TD(0) (d×1), or None where Ã is singular."""
    context = Context(model, states)
    A = evaluate(MEAN, context)
    return A.solve(-evaluate(PAID, context)) if A.is_regular else None


@kit.hypothesis("hurwitz", r"$\bar A$ is Hurwitz", "§2.1, Assumption 3")
def HURWITZ(model: Model) -> kit.Reply:
    for states in model.behaviour_chain.recurrent_classes:
        P = lyapunov(leading(evaluate(its.A, Context(model, states))))
        if P is None or not kit.is_positive_definite(P):
            return kit.Reply(False, "(5) has no positive definite solution: A is not Hurwitz")
    return kit.Reply(True, "(5) has a positive definite solution: A is Hurwitz")
