r"""Definiteness of an expression on one model, exact, with relations as the certificate; stability; and singularity.

S = E + Eᵀ for an expression E with a square value, or for a table of its entries. S ⪰ 0 exactly if S = L diag(D) Lᵀ
with L lower triangular, ones on its diagonal, and D ≥ 0, and S ≻ 0 if D > 0: one relation for each entry, with the
entries of L and D as numbers. Where it is not, a vector x of whole numbers has xᵀSx < 0 (or ≤ 0).

‖Xv‖_w ≤ q‖v‖_w for every v says that q² diag(w) − Xᵀ diag(w) X ⪰ 0 (:func:`norm_bound`), and every eigenvalue of B has
negative real part exactly if some X ≻ 0 has −XB − BᵀX ≻ 0 (:func:`decide_hurwitz`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.definiteness import decide_positive_definite
from tdcert.theory.check.semidefiniteness import decide_positive_semidefinite
from tdcert.theory.check.stability import prove_stable, prove_unstable
from tdcert.theory.expressions.notation import Expr, Name, diagonal, entry_of, solution
from tdcert.theory.expressions.paths import together, total
from tdcert.theory.expressions.relations import Context, Expression, Relation, decide_relations, evaluate
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Grade, Status, Verdict

Table = list[list[Expression]]
"""The entries of a square matrix, each an expression with one number as its value."""


def table(expression: Expression, size: int) -> Table:
    """The entries of an expression with a value of so many rows and columns."""
    return [[entry_of(expression, i, j) for j in range(size)] for i in range(size)]


def blocks(rows: Sequence[Sequence[Expression]], size: int) -> Table:
    """The matrix of these square blocks, each of so many rows; a number stands for that multiple of the identity."""

    def entry(block: Expression, i: int, j: int) -> Expression:
        return Name(block * int(i == j)) if isinstance(block, int | Fraction) else entry_of(block, i, j)

    return [[entry(block, i, j) for block in row for j in range(size)] for row in rows for i in range(size)]


def numbers(X: RationalMatrix) -> Table:
    """The entries of a matrix of numbers."""
    return [[Name(x) for x in row] for row in X.rows]


def norm_bound(X: Expression, weights: Expression, square: Expression) -> Expression:
    """``square`` · diag(w) − Xᵀ diag(w) X, for weights w (n×1): semidefinite exactly if ‖Xv‖_w² ≤ square · ‖v‖_w²."""
    return square * diagonal(weights) - X.T @ diagonal(weights) @ X


def decide_definite(
    model: Model,
    expression: Expression | Table,
    states: Sequence[int],
    detail: str,
    *,
    strict: bool = True,
    kernel: str = "target",
) -> Verdict:
    """Whether S = E + Eᵀ is positive definite, or semidefinite where not ``strict``: holds or refuted, with ``detail``.

    ``states``: the recurrent class of the expression's law. Raises SingularMatrixError where the expression has no
    value, BudgetExceededError as the exact decision does.
    """
    context = Context(model, tuple(states), kernel)
    if not isinstance(expression, list):
        expression = table(expression, evaluate(expression, context).shape[0])
    E = _value(expression, context)
    S = E + E.T
    vector = decide_positive_definite(S).vector if strict else decide_positive_semidefinite(S).vector
    if vector is None:
        relations = _factored(S, expression, strict)
        return decide_relations(model, relations, states=states, kernel=kernel, detail=f"{detail}: S = L diag(D) Lᵀ")
    x = [Fraction(value) for value in vector.column_entries(0)]
    kept = [i for i, entry in enumerate(x) if entry]
    facts: list[Relation] = [
        (expression[i][j] + expression[j][i], "=", Name(S[i, j])) for i in kept for j in kept if j <= i
    ]
    image = (S @ vector).column_entries(0)
    facts += [(total([Name(x[j]) * Name(S[i, j]) for j in kept]), "=", Name(image[i])) for i in kept]
    facts.append((total([Name(x[i]) * Name(image[i]) for i in kept]), "<=" if strict else "<", Name(0)))
    found = decide_relations(model, facts, states=states, kernel=kernel)
    assert found.status is Status.HOLDS
    value = str(S.quadratic_form(vector))
    told = f"{detail} fails: xᵀSx = {value} for S = E + Eᵀ and x = ({', '.join(map(str, x))})"
    witness = {"x": [str(entry) for entry in x], "xᵀSx": value}
    return replace(found, status=Status.REFUTED, detail=told, witness=witness)


def decide_hurwitz(model: Model, B: Table, states: Sequence[int], detail: str, *, kernel: str = "target") -> Verdict:
    """Whether every eigenvalue of the matrix with these entries has negative real part: holds or refuted, with
    ``detail``; undecided where neither a form that falls nor one that grows was found.
    """
    value = _value(B, Context(model, tuple(states), kernel))
    null = value.null_vector()
    if null is not None:
        relations: list[Relation] = [(image, "=", Name(0)) for image in _times(null.T, _transposed(B))[0]]
        found = decide_relations(model, relations, states=states, kernel=kernel)
        assert found.status is Status.HOLDS
        return replace(found, status=Status.REFUTED, detail=f"{detail} fails: Bx = 0", witness={"x": null.to_strings()})
    proof = prove_stable(value)
    if proof is not None:
        X = numbers(proof.X)
        falls = decide_definite(model, _times(proof.X.scaled(-1), B), states, "−XB − BᵀX ≻ 0", kernel=kernel)
        return together((decide_definite(model, X, states, "X ≻ 0", kernel=kernel), falls), detail)
    rise = prove_unstable(value)
    if rise is None or rise.vector is None:
        return Verdict(Status.UNDECIDED, detail=f"{detail}: no form was found that falls or grows along x' = Bx")
    shifted = [[cell - Name(rise.shift * int(i == j)) for j, cell in enumerate(row)] for i, row in enumerate(B)]
    grows = decide_definite(model, _times(rise.X, shifted), states, "XB + BᵀX ≻ 0", kernel=kernel)
    size = rise.X.quadratic_form(rise.vector)
    seen = decide_relations(model, [(Name(0), "<", Name(size))], states=states, kernel=kernel)
    assert grows.status is seen.status is Status.HOLDS
    kept = (*grows.certificates, *seen.certificates)
    witness = {"X": rise.X.to_strings(), "x": rise.vector.to_strings(), "xᵀXx": str(size)}
    told = f"{detail} fails: X(B − sI) + (B − sI)ᵀX ≻ 0 and xᵀXx > 0, s = {rise.shift}"
    return Verdict(Status.REFUTED, Grade.CERTIFIED, told, witness, certificates=kept)


def _times(X: RationalMatrix, B: Table) -> Table:
    """XB, entry by entry."""
    columns = _transposed(B)
    return [[total([Name(x) * cell for x, cell in zip(row, c, strict=True)]) for c in columns] for row in X.rows]


def _transposed(B: Table) -> Table:
    return [list(column) for column in zip(*B, strict=True)]


def _value(entries: Table, context: Context) -> RationalMatrix:
    return RationalMatrix([[evaluate(cell, context)[0, 0] for cell in row] for row in entries])


def annuls(expression: Expression, x: RationalMatrix) -> list[Relation]:
    """The relations that say Ex = 0, entry by entry, for an expression E with a square value."""
    values = x.column_entries(0)
    rows = range(len(values))
    return [(total([Name(v) * entry_of(expression, i, j) for j, v in enumerate(values)]), "=", Name(0)) for i in rows]


def regular(expression: Expression, size: int) -> Relation:
    """A relation that has a value only where the expression, of so many rows and columns, is nonsingular."""
    one = Name(f"ones:{size}")
    return expression @ solution(expression, one), "=", one


def _factored(S: RationalMatrix, entries: Table, strict: bool) -> list[Relation]:
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
            relations.append((entries[i][j] + entries[j][i], "=", total(parts)))
    return relations
