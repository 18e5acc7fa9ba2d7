r"""A number that is a polynomial in one real parameter: positive for all its values, with relations as the certificate;
and so stability of a matrix for all of them.

The expression is evaluated at degree + 1 values, which give the polynomial; each of them is a relation. The others are
about numbers alone: coefficients of (1 + t)^N times the polynomial, which are not negative
(:mod:`tdcert.theory.check.one_parameter`). A matrix B of n rows that is Hurwitz at one value is so at all of them where
neither det B nor, of its second additive compound, det B⁽²⁾ vanishes: an eigenvalue that meets the imaginary axis is
zero, or has its conjugate beside it with the sum zero. The signs are (−1)ⁿ and (−1)^(n(n−1)/2).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from math import comb

from tdcert.claims.definite import decide_hurwitz, literal
from tdcert.claims.verdicts import Verdict, undecided
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.rational import to_fraction
from tdcert.theory.check.one_parameter import Values, in_t, sign_on
from tdcert.theory.check.step_size_ratio import interpolated
from tdcert.theory.errors import BudgetExceededError
from tdcert.theory.expressions.notation import Name, determinant, diagonal, pairs_of
from tdcert.theory.expressions.paths import together, total
from tdcert.theory.expressions.relations import Context, Expression, Relation, decide_relations, evaluate
from tdcert.theory.model.mdp import Model

SHORT = 24
"""Digits and signs of a value that a sentence repeats; longer ones stand in the witness."""
Family = Callable[[Fraction], Expression]
"""The expression at a value of the parameter."""


def decide_positive(
    model: Model, at: Family, degree: int, values: Values, states: Sequence[int], detail: str
) -> Verdict:
    """Whether the 1×1 expression, a polynomial of at most that degree in the parameter, is positive for all values.

    ``states``: the recurrent class of the expression's law. Refuted with a value where it is not positive. Raises
    SingularMatrixError where the expression has no value, ValueError where it is seen not to be such a polynomial.
    """
    context = Context(model, tuple(states))
    points = [(x, evaluate(at(x), context)[0, 0]) for x in values.some(degree + 2)]
    taken = [x for x, _ in points[:-1]]
    p = [to_fraction(x) for x in interpolated(points[:-1]).coeffs()] or [Fraction(0)]
    if sum(c * points[-1][0] ** k for k, c in enumerate(p)) != points[-1][1]:
        raise ValueError(f"{detail}: it is no polynomial of degree {degree} or less")
    try:
        sign = sign_on(p, values)
    except BudgetExceededError as error:
        return undecided(f"{detail}: {error}")
    if sign.value is not None:
        found = decide_relations(model, [(Name(0), "<", at(sign.value))], states=states)
        witness = {"parameter": str(sign.value), "value": found.witness["right value"]}
        found_value = witness["value"] if len(witness["value"]) < SHORT else "negative"
        told = f"{detail} fails at {sign.value}, where it is {found_value}"
        return replace(found, detail=told, witness=witness, failed=None)
    if not sign.positive:
        return undecided(f"{detail}: it is zero at irrational values, and never negative")
    relations: list[Relation] = [(at(x), "=", _polynomial(p, x)) for x in taken]
    q = [to_fraction(x) for x in in_t(p, values).coeffs()]
    for k, c in enumerate(sign.coefficients):
        terms = [(comb(sign.power, k - i), q[i]) for i in range(len(q)) if 0 <= k - i <= sign.power]
        relations.append((Name(0), "<" if c else "<=", total([Name(Fraction(m)) * Name(x) for m, x in terms])))
    told = f"{detail}: (1 + t)^{sign.power} times it has no negative coefficient in t, for all values in {values}"
    return decide_relations(model, relations, states=states, detail=told)


def _polynomial(p: Sequence[Fraction], x: Fraction) -> Expression:
    """p at x, as a sum of powers."""
    return total([Name(c) * Name(x) ** k for k, c in enumerate(p)])


def decide_stable(
    model: Model, at: Family, size: int, degrees: tuple[int, int], values: Values, states: Sequence[int], detail: str
) -> Verdict:
    """Whether the matrix of so many rows, a polynomial in the parameter, is Hurwitz for all values.

    ``degrees``: bounds on those of det B and det B⁽²⁾ in the parameter. Refuted with a value where one of them has not
    the sign that it has of every Hurwitz matrix, or where B is unstable by a Lyapunov matrix.
    """
    parts = [decide_hurwitz(model, at(values.some(1)[0]), states, f"{detail} at {values.some(1)[0]}")]
    signs: list[tuple[Family, int, str]] = [(lambda x: determinant(at(x)), size, "det B")]
    if size > 1:
        signs.append((lambda x: determinant(pairs_of(at(x))), size * (size - 1) // 2, "det B⁽²⁾"))
    for (family, order, name), degree in zip(signs, degrees[: len(signs)], strict=True):
        signed = (lambda x, f=family: -f(x)) if order % 2 else family
        parts.append(decide_positive(model, signed, degree, values, states, f"{detail}: {'−' * (order % 2)}{name} > 0"))
    told = f"{detail} for all values in {values}: at one, and det B and det B⁽²⁾ keep their signs"
    return together(parts[::-1], told)


def decide_max_norm(model: Model, matrix: Expression, bound: Expression, states: Sequence[int], detail: str) -> Verdict:
    """Whether every row of the expression, with ``states`` or more rows, has absolute values that sum to at most the
    bound (1×1): its maximum norm is at most that.

    Row by row: with the signs σ of the row, σ_j x_j ≥ 0 and Σ σ_j x_j ≤ bound.
    """
    value = evaluate(matrix, Context(model, tuple(states)))
    relations: list[Relation] = []
    unit = value.identity(value.shape[0])
    for i, row in enumerate(value.rows):
        sigma = literal(RationalMatrix.column([-1 if x < 0 else 1 for x in row]))
        picked = matrix.T @ literal(unit.take(columns=[i]))
        sizes = diagonal(sigma) @ picked
        relations += [(Name(0) * sigma, "<=", sizes), (sigma.T @ picked, "<=", bound)]
    return decide_relations(model, relations, states=states, detail=detail)
