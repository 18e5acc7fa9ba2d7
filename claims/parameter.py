r"""A number that is a polynomial in one real parameter: positive for all its values, with relations as the certificate;
and so stability of a matrix for all of them.

The expression is N(x)/Q(x) with deg N ≤ n and deg Q ≤ q, which its operations say (:func:`degrees`). A polynomial p of
degree n or less that it equals at n + q + 1 values is it: pQ − N has that many roots, and degree n + q or less. Its
values at deg p + 1 of them are relations. The others are about numbers alone: coefficients of (1 + t)^N times the
polynomial, which are not negative (:mod:`tdcert.theory.check.one_parameter`). A matrix B of n rows that is Hurwitz at
one value is so at all of them where neither det B nor, of its second additive compound, det B⁽²⁾ vanishes: an
eigenvalue that meets the imaginary axis is zero, or has its conjugate beside it with the sum zero. The signs are (−1)ⁿ
and (−1)^(n(n−1)/2).
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
from tdcert.theory.errors import BudgetExceededError, SingularMatrixError
from tdcert.theory.expressions.notation import Name, determinant, diagonal, pairs_of
from tdcert.theory.expressions.paths import together, total
from tdcert.theory.expressions.relations import Context, Expression, Relation, decide_relations, evaluate
from tdcert.theory.model.mdp import Model

SHORT = 24
"""Digits and signs of a value that a sentence repeats; longer ones stand in the witness."""
Family = Callable[[Expression], Expression]
"""The expression with the parameter, itself an expression, in its places."""
PARAMETER = Name("the parameter")


def degrees(expression: Expression, context: Context, at: Fraction) -> tuple[int, int]:
    """(n, q): every entry is N(x)/Q(x) with the same Q, deg N ≤ n and deg Q ≤ q, x standing as :data:`PARAMETER`.

    ``at``: a value at which shapes are read off. Raises ValueError where the parameter stands in an expectation, or on
    a path, and for an operation that is not listed here.
    """
    if isinstance(expression, str):
        return (1 if expression == PARAMETER else 0), 0
    head, *rest = expression
    if head in ("E", "on"):
        if _holds(expression):
            raise ValueError(f"the parameter stands in '{head}'; keep it outside")
        return 0, 0
    parts = [degrees(part, context, at) for part in rest if isinstance(part, str | tuple)]
    below = sum(q for _, q in parts)
    match head:
        case "@" | "*":
            return sum(n for n, _ in parts), below
        case "+" | "-" | "beside" | "over":  # over one denominator
            return max(n + below - q for n, q in parts), below
        case "^":
            return int(rest[1]) * parts[0][0], int(rest[1]) * below
        case "det":
            size = evaluate(_with(rest[0], at), context).shape[0]
            return size * parts[0][0], size * below
        case "solve":  # the adjugate over the determinant
            size, (n, q), (right, under) = evaluate(_with(rest[0], at), context).shape[0], *parts
            return right + q + (size - 1) * n, size * n + under
        case "T" | "entry" | "sum" | "diag" | "pairs":  # entries are sums of entries
            return parts[0]
        case _:
            raise ValueError(f"the degree of '{head}' is not known")


def _holds(expression: Expression) -> bool:
    return expression == PARAMETER or (isinstance(expression, tuple) and any(map(_holds, expression)))


def _with(expression: Expression, x: Fraction) -> Expression:
    """The expression with x for the parameter."""
    if isinstance(expression, tuple):
        return type(expression)(_with(part, x) for part in expression)
    return Name(x) if expression == PARAMETER else expression


def decide_positive(model: Model, at: Family, values: Values, states: Sequence[int], detail: str) -> Verdict:
    """Whether the 1×1 expression, a polynomial in the parameter, is positive for all values at which it has one.

    ``states``: the recurrent class of the expression's law. Refuted with a value where it is not positive. Raises
    SingularMatrixError where it has a value nowhere, ValueError where it is no polynomial.
    """
    context = Context(model, tuple(states))
    over, under = degrees(at(PARAMETER), context, values.some(1)[0])
    points = list[tuple[Fraction, Fraction]]()
    for x in values.some(over + 2 * under + 1):  # where Q is zero there is no value
        try:
            points.append((x, evaluate(at(Name(x)), context)[0, 0]))
        except SingularMatrixError:
            continue
        if len(points) == over + under + 1:
            break
    else:
        raise SingularMatrixError(f"{detail}: the expression has no value")
    p = [to_fraction(x) for x in interpolated(points).coeffs()] or [Fraction(0)]
    if len(p) > over + 1:
        raise ValueError(f"{detail}: it is no polynomial")
    taken = [x for x, _ in points[: len(p)]]
    try:
        sign = sign_on(p, values)
    except BudgetExceededError as error:
        return undecided(f"{detail}: {error}")
    if sign.value is not None:
        found = decide_relations(model, [(Name(0), "<", at(Name(sign.value)))], states=states)
        witness = {"parameter": str(sign.value), "value": found.witness["right value"]}
        found_value = witness["value"] if len(witness["value"]) < SHORT else "negative"
        told = f"{detail} fails at {sign.value}, where it is {found_value}"
        return replace(found, detail=told, witness=witness, failed=None)
    if not sign.positive:
        return undecided(f"{detail}: it is zero at irrational values, and never negative")
    relations: list[Relation] = [(at(Name(x)), "=", _polynomial(p, x)) for x in taken]
    q = [to_fraction(x) for x in in_t(p, values).coeffs()]
    for k, c in enumerate(sign.coefficients):
        terms = [(comb(sign.power, k - i), q[i]) for i in range(len(q)) if 0 <= k - i <= sign.power]
        relations.append((Name(0), "<" if c else "<=", total([Name(Fraction(m)) * Name(x) for m, x in terms])))
    told = f"{detail}: (1 + t)^{sign.power} times it has no negative coefficient in t, for all values in {values}"
    return decide_relations(model, relations, states=states, detail=told)


def _polynomial(p: Sequence[Fraction], x: Fraction) -> Expression:
    """p at x, as a sum of powers."""
    return total([Name(c) * Name(x) ** k for k, c in enumerate(p)])


def _negative(family: Family) -> Family:
    return lambda x: -family(x)


def decide_stable(model: Model, at: Family, size: int, values: Values, states: Sequence[int], detail: str) -> Verdict:
    """Whether the matrix of so many rows, a polynomial in the parameter, is Hurwitz for all values.

    Refuted with a value where det B or det B⁽²⁾ has not the sign that it has of every Hurwitz matrix, or where B is
    unstable by a Lyapunov matrix.
    """
    first = values.some(1)[0]
    parts = [decide_hurwitz(model, at(Name(first)), states, f"{detail} at {first}")]
    signs: list[tuple[Family, int, str]] = [(lambda x: determinant(at(x)), size, "det B")]
    if size > 1:
        signs.append((lambda x: determinant(pairs_of(at(x))), size * (size - 1) // 2, "det B⁽²⁾"))
    for family, order, name in signs:
        signed = _negative(family) if order % 2 else family
        parts.append(decide_positive(model, signed, values, states, f"{detail}: {'−' * (order % 2)}{name} > 0"))
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
