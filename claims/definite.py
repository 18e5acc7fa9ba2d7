r"""Definiteness of an expression on one model, exact, with relations as the certificate; stability; and singularity.

S = E + Eᵀ for an expression E with a square value. S ⪰ 0 exactly if S = L diag(D) Lᵀ with L lower triangular, ones on
its diagonal, and D ≥ 0, and S ≻ 0 if D > 0: two relations, with L and D as tables of numbers. Where it is not, a vector
x of whole numbers has xᵀSx < 0 (or ≤ 0), which is one relation.

‖Xv‖_w ≤ q‖v‖_w for every v says that q² diag(w) − Xᵀ diag(w) X ⪰ 0 (:func:`norm_bound`), and every eigenvalue of B has
negative real part exactly if some X ≻ 0 has −XB − BᵀX ≻ 0 (:func:`decide_hurwitz`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from tdcert.claims.verdicts import refuted, undecided
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.definiteness import decide_positive_definite
from tdcert.theory.check.semidefiniteness import decide_positive_semidefinite
from tdcert.theory.check.stability import prove_stable, prove_unstable
from tdcert.theory.expressions.notation import Name, diagonal, entry_of, solution, table
from tdcert.theory.expressions.paths import together, total
from tdcert.theory.expressions.relations import Context, Expression, Relation, decide_relations, evaluate
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Status, Verdict


def literal(matrix: RationalMatrix) -> Expression:
    """A matrix of numbers as an expression."""
    return table(matrix.rows)


def identity(size: int) -> Expression:
    """I, of so many rows."""
    return diagonal(Name(f"ones:{size}"))


def blocks(rows: Sequence[Sequence[Expression]], size: int) -> Expression:
    """The matrix of these square blocks, each of so many rows; a number stands for that multiple of the identity."""

    def block(given: Expression) -> Expression:
        return Name(given) * identity(size) if isinstance(given, int | Fraction) else given

    return table([[block(given) for given in row] for row in rows])


def norm_bound(X: Expression, weights: Expression, square: Expression) -> Expression:
    """``square`` · diag(w) − Xᵀ diag(w) X, for weights w (n×1): semidefinite exactly if ‖Xv‖_w² ≤ square · ‖v‖_w²."""
    return square * diagonal(weights) - X.T @ diagonal(weights) @ X


def decide_definite(
    model: Model,
    expression: Expression,
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
    E = evaluate(expression, Context(model, tuple(states), kernel))
    S = E + E.T
    vector = decide_positive_definite(S).vector if strict else decide_positive_semidefinite(S).vector
    if vector is None:
        relations = _factored(S, expression, strict)
        return decide_relations(model, relations, states=states, kernel=kernel, detail=f"{detail}: S = L diag(D) Lᵀ")
    x = literal(vector)
    wanted: Relation = (Name(0), "<" if strict else "<=", x.T @ expression @ x)
    found = decide_relations(model, [wanted], states=states, kernel=kernel)
    assert found.status is Status.REFUTED
    value, entries = str(S.quadratic_form(vector)), [str(entry) for entry in vector.column_entries(0)]
    told = f"{detail} fails: xᵀSx = {value} for S = E + Eᵀ and x = ({', '.join(entries)})"
    return replace(found, detail=told, witness={"x": entries, "xᵀSx": value}, failed=None)


def decide_hurwitz(
    model: Model, matrix: Expression, states: Sequence[int], detail: str, *, kernel: str = "target"
) -> Verdict:
    """Whether every eigenvalue of the square expression B has a negative real part, by Lyapunov's theorem.

    Holds with X ≻ 0 and −(BᵀX + XB) ≻ 0; refuted with X, BᵀX + XB ≻ 0 (B − shift, shift ≥ 0) and a vector v,
    vᵀXv > 0, or with Bx = 0; undecided where nothing of that is found, as where eigenvalues lie on the imaginary axis.
    """
    B = evaluate(matrix, Context(model, tuple(states), kernel))
    proof = prove_stable(B) or prove_unstable(B)
    if proof is None:
        flat = singular(model, states, matrix, f"{detail} fails: Bx = 0", kernel=kernel)
        return flat or undecided(f"{detail}: no Lyapunov matrix was found")
    X = literal(proof.X)
    half = X @ (matrix - literal(B.identity(B.shape[0]).scaled(proof.shift)) if proof.shift else matrix)
    if proof.vector is None:
        parts = (decide_definite(model, Y, states, detail, kernel=kernel) for Y in (Name("1/2") * X, -half))
        return together(parts, f"{detail}: X ≻ 0 and −(BᵀX + XB) ≻ 0", {"X": proof.X.to_strings()})
    v = literal(proof.vector)
    growth = decide_definite(model, half, states, detail, kernel=kernel)
    start = decide_relations(model, [(Name(0), "<", v.T @ X @ v)], states=states, kernel=kernel)
    assert growth.status is start.status is Status.HOLDS
    witness: dict[str, object] = {"X": proof.X.to_strings(), "v": [str(x) for x in proof.vector.column_entries()]}
    told = f"{detail} fails: an eigenvalue has a real part above {proof.shift}"
    return refuted(told, witness, by=growth.certificates + start.certificates)


def singular(
    model: Model,
    states: Sequence[int],
    matrix: Expression,
    detail: str,
    *,
    undefined: str = "",
    kernel: str = "target",
) -> Verdict | None:
    """The refutation where Mx = 0 for an x ≠ 0, with ``detail``; None where the square expression M is nonsingular.

    ``undefined``: what the statement speaks of, and the model then does not have.
    """
    x = evaluate(matrix, Context(model, tuple(states), kernel)).null_vector()
    if x is None:
        return None
    kept = decide_relations(model, annuls(matrix, x), states=states, kernel=kernel)
    assert kept.status is Status.HOLDS
    witness = {"x": [str(entry) for entry in x.column_entries(0)]}
    return refuted(detail, witness, by=kept.certificates, undefined=undefined)


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
    """S (positive semidefinite) from L and D, and the signs of D."""
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
    lower, diagonal_of = table(L), table([[x] for x in D])
    signs: Relation = (Name(0) * diagonal_of, "<" if strict else "<=", diagonal_of)
    return [signs, (expression + expression.T, "=", lower @ diagonal(diagonal_of) @ lower.T)]
