r"""Definiteness of an expression on one model, exact, with relations as the certificate; and whether it is singular.

S = E + Eᵀ for an expression E with a square value. S ⪰ 0 exactly if S = L diag(D) Lᵀ with L lower triangular, ones on
its diagonal, and D ≥ 0, and S ≻ 0 if D > 0: one relation for each entry, with the entries of L and D as numbers. Where
it is not, a vector x of whole numbers has xᵀSx < 0 (or ≤ 0), which is one relation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.definiteness import decide_positive_definite
from tdcert.theory.check.semidefiniteness import decide_positive_semidefinite
from tdcert.theory.expressions.notation import Expr, Name, entry_of, solution
from tdcert.theory.expressions.paths import total
from tdcert.theory.expressions.relations import Context, Expression, Relation, decide_relations, evaluate
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Status, Verdict


def decide_definite(
    model: Model, expression: Expression, states: Sequence[int], detail: str, *, strict: bool = True
) -> Verdict:
    """Whether S = E + Eᵀ is positive definite, or semidefinite where not ``strict``: holds or refuted, with ``detail``.

    ``expression``: E, or a list of the rows of its entries. ``states``: the recurrent class of its law. Raises
    SingularMatrixError where the expression has no value, BudgetExceededError as the exact decision does.
    """
    E = _value(expression, Context(model, tuple(states)))
    S = E + E.T
    vector = decide_positive_definite(S).vector if strict else decide_positive_semidefinite(S).vector
    if vector is None:
        relations = _factored(S, expression, strict)
        return decide_relations(model, relations, states=states, detail=f"{detail}: S = L diag(D) Lᵀ")
    x = [Fraction(value) for value in vector.column_entries(0)]
    places = [(i, j) for i in range(len(x)) for j in range(len(x)) if x[i] * x[j]]
    form = total([Expr(("*", Name(x[i] * x[j]), _entry(expression, i, j))) for i, j in places])
    wanted: Relation = (Name(0), "<" if strict else "<=", form)
    found = decide_relations(model, [wanted], states=states)
    assert found.status is Status.REFUTED
    value = str(S.quadratic_form(vector))
    told = f"{detail} fails: xᵀSx = {value} for S = E + Eᵀ and x = ({', '.join(map(str, x))})"
    return replace(found, detail=told, witness={"x": [str(entry) for entry in x], "xᵀSx": value}, failed=None)


def _value(expression: Expression, context: Context) -> RationalMatrix:
    if isinstance(expression, list):
        return RationalMatrix([[evaluate(entry, context)[0, 0] for entry in row] for row in expression])
    return evaluate(expression, context)


def _entry(expression: Expression, i: int, j: int) -> Expr:
    return expression[i][j] if isinstance(expression, list) else entry_of(expression, i, j)


def annuls(expression: Expression, x: RationalMatrix) -> list[Relation]:
    """The relations that say Ex = 0, entry by entry, for an expression E with a square value."""
    values = x.column_entries(0)
    rows = range(len(values))
    return [(total([Name(v) * entry_of(expression, i, j) for j, v in enumerate(values)]), "=", Name(0)) for i in rows]


def regular(expression: Expression, size: int) -> Relation:
    """A relation that has a value only where the expression, of so many rows and columns, is nonsingular."""
    one = Name(f"ones:{size}")
    return expression @ solution(expression, one), "=", one


def _factored(S: RationalMatrix, expression: Expression, strict: bool) -> list[Relation]:
    """Each entry of S (positive semidefinite) from L and D, and the signs of D."""
    n = S.shape[0]
    rest = [list(row) for row in S.rows]
    L = [[Fraction(int(i == j)) for j in range(n)] for i in range(n)]
    D = [Fraction(0)] * n
    for k in range(n):
        D[k] = rest[k][k]
        if D[k] == 0:  # then the whole row is zero, as S is semidefinite
            continue
        for i in range(k + 1, n):
            L[i][k] = rest[i][k] / D[k]
        for i in range(k + 1, n):
            for j in range(k + 1, n):
                rest[i][j] -= L[i][k] * D[k] * L[j][k]
    relations: list[Relation] = [(Name(0), "<" if strict else "<=", Name(D[k])) for k in range(n)]
    for i in range(n):
        for j in range(i + 1):
            parts = [Expr(("*", Name(L[i][k]), Expr(("*", Name(D[k]), Name(L[j][k]))))) for k in range(j + 1)]
            relations.append((_entry(expression, i, j) + _entry(expression, j, i), "=", total(parts)))
    return relations
