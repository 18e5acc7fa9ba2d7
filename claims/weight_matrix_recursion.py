r"""What the recursion of the return requires of Λ.

Place: §2, after the first display.
Statement: printed, with row sums one the recursion needs no more than Λ_{j,j−1} + Λ_jj = Λ_{j−1,j−1} for every j ≥ 2.
That is not sufficient: row 4 may split Λ_41 + Λ_42 in any way. Nor is it necessary at a single γ.
Corrected: the recursion holds at every γ in (0,1) exactly if every column of Λ is constant below its diagonal.
Hypotheses: none beyond a lower triangular, row-stochastic Λ.
Model: its schedule's Λ, and the discounts along one of its paths.
Check: columns constant below the diagonal, and the coefficient of R_{t+2}: γΛ_22, from the sum over lengths.
Closed form: coefficient of R_{t+2} − γΛ_22 = Σ_{i≥3} (1 − γ)γ^{i−1}(Λ_21 − Λ_i1).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from claims.claim import Claim, Finding, ProofError, Reading, Refutation, explained
from theory.check import identities_schedule as identities
from theory.check.mixtures import entry, over_lengths, rows_used, share
from theory.check.paths import decide_along, some_paths, total
from theory.check.relations import Expression, Relation
from theory.model.gallery import HALF, one_state
from theory.model.mdp import Model
from theory.model.schedule import weight_matrix
from theory.verdict import Grade, Scope, ScopedEvidence, Verdict

SPLIT_FREELY: tuple[tuple[int, ...], ...] = ((1,), (1, 0), (1, 0, 0), (0, 1, 0, 0))
"""Meets the printed condition (Λ_22 = Λ_33 = Λ_44 = 0), with Λ_41 ≠ Λ_31; its further rows are like the last."""
QUARTER = Fraction(1, 4)
AT_ONE_HALF = ((1,), (HALF, HALF), (3 * QUARTER, QUARTER, 0), (0, 1, 0, 0), (HALF, HALF, 0, 0, 0))
"""At γ = ½ the return of the schedule λ_1 = ½, though Λ_32 + Λ_33 ≠ Λ_22."""


def prove() -> tuple[ScopedEvidence, ...]:
    """Sufficient: the coefficients shift. Necessary at every γ: the defect. Not necessary at one γ: an example."""
    sizes = range(2, 6)
    if not all(identities.constant_columns_recur(size) for size in sizes):
        raise ProofError("columns constant below the diagonal do not give the recursion")
    if not all(identities.recursion_defect(size) for size in sizes):
        raise ProofError("the defect of the recursion differs")
    if not all(identities.one_gamma_condition(size) for size in sizes):
        raise ProofError("the condition at one γ differs")
    size = len(AT_ONE_HALF)
    same = identities.mixture_coefficients(square(AT_ONE_HALF), HALF)
    if same != identities.mixture_coefficients(weight_matrix((HALF,), size), HALF):
        raise ProofError("the example at γ = ½ has other coefficients than the schedule")
    if AT_ONE_HALF[2][1] + AT_ONE_HALF[2][2] == AT_ONE_HALF[1][1]:
        raise ProofError("the example at γ = ½ meets the printed condition")
    return (
        ScopedEvidence(
            Scope.SIZES, Grade.PROVED, len(sizes),
            "sufficient: columns constant below the diagonal shift every coefficient by γΛ_22; free columns and γ, 2 "
            "… 5 different rows",
        ),
        ScopedEvidence(
            Scope.SIZES, Grade.PROVED, len(sizes),
            "necessary at every γ: the defect is Σ (1 − γ)γ^(i−1)(Λ_21 − Λ_i1), a power series in γ; then the same "
            "for the next column; free row-stochastic Λ of 2 … 5 different rows",
        ),
        ScopedEvidence(
            Scope.SIZES, Grade.PROVED, len(sizes),
            "at one γ the return is a schedule's exactly if R_{t+k} has the coefficient γ^(k−1)Λ_kk for every k; an "
            "example at γ = ½ that breaks the printed condition",
        ),
    )  # fmt: skip


def square(rows: Sequence[Sequence[Fraction | int]]) -> list[list[Fraction]]:
    """The rows padded with zeros."""
    return [[Fraction(x) for x in (*row, *[0] * (len(rows) - len(row)))] for row in rows]


def given_share(rows: Sequence[Sequence[Fraction | int]], i: int, k: int) -> Expression:
    """Σ_{j≥k} Λ_ij of a Λ given as data."""
    return total([str(x) for x in rows[i - 1][k - 1 :]])


def check(model: Model) -> Verdict:
    """Columns constant below the diagonal, the printed condition as one consequence, γΛ_22 as the other."""
    size = rows_used(model)
    relations: list[Relation] = []
    for j in range(1, size):
        relations += [(entry(size, i, j), "=", entry(size, j + 1, j)) for i in range(j + 2, size + 1)]
        relations.append((("+", entry(size, j + 1, j), entry(size, j + 1, j + 1)), "=", entry(size, j, j)))
    amounts = [share(size, i, 2) for i in range(2, size + 1)]
    along: list[Relation] = [(over_lengths(amounts, 2), "=", entry(size, 2, 2))]
    detail = f"{size} rows of Λ: columns constant below the diagonal, and R_{{t+2}} has the coefficient γΛ_22"
    return decide_along(model, some_paths(model, size, 1), along, others=relations, detail=detail)


def judge_stated() -> Refutation:
    """Λ_22 = 0 makes the braces vanish, so R_{t+2} must have the coefficient 0; row 4 gives it γ³ = ⅛."""
    model = one_state(HALF)
    rows = SPLIT_FREELY
    meets = [(("+", str(rows[j][j - 1]), str(rows[j][j])), "=", str(rows[j - 1][j - 1])) for j in range(1, len(rows))]
    amounts = ["0", *[given_share(rows, i, 2) for i in range(2, len(rows) + 1)]]
    recursion = (over_lengths(amounts), "=", ("*", "gamma:0", str(rows[1][1])))
    verdict = decide_along(model, some_paths(model, len(rows), 1), [*meets, recursion])
    return explained(
        verdict, model, "R_{t+2} has a coefficient that is not γΛ_22, though the printed condition holds for every j",
        "coefficient of R_{t+2}", "γΛ_22", γ="1/2", Λ="(1), (1, 0), (1, 0, 0), (0, 1, 0, 0), then (0, 1, 0, …)",
    )  # fmt: skip


CLAIM = Claim(
    id="weight_matrix_recursion",
    stated=Reading(
        r"With rows that sum to one, the recursion of the return needs no more than "
        r"$\Lambda_{j,j-1} + \Lambda_{jj} = \Lambda_{j-1,j-1}$ for every $j \geq 2$."
    ),
    corrected=Reading(
        r"The recursion holds at every $\gamma \in (0,1)$ exactly if every column of $\Lambda$ is constant below its "
        r"diagonal; so it does for the $\Lambda$ of every $\lambda$-schedule."
    ),
    correction=Finding.FALSE,
    judge_stated=judge_stated,
    hypotheses=(),
    anchors=(
        r"In general we must ensure that $\Lambda_{j,j-1} + \Lambda_{j,j} = \Lambda_{j-1, j-1}$ $\forall j \geq 2$",
    ),
    check=check,
    prove=prove,
    notes=(
        "At a single γ the condition is not necessary: at γ = ½ the rows (1), (½, ½), (¾, ¼, 0), (0, 1, 0, 0), then "
        "(½, ½, 0, …) give the return of the schedule λ_1 = ½, and Λ_32 + Λ_33 = ¼ differs from Λ_22 = ½.",
        "At one γ the condition is Λ_kk = Σ_{j≥k} (1 − γ)γ^(j−k) Σ_{i≥k} Λ_ji for every k.",
    ),
)
