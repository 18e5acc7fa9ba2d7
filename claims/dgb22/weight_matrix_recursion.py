r"""What the recursion of the return requires of Λ.

Place: §2, after the first display.
Statement: the recursion requires Λ_{j,j−1} + Λ_jj = Λ_{j−1,j−1} for every j ≥ 2. It does, if it is to hold at every γ.
Sharper: the recursion holds at every γ in (0,1) exactly if every column of Λ is constant below its diagonal. The
printed condition alone is not sufficient: row 4 may split Λ_41 + Λ_42 in any way. At a single γ it is not necessary.
Hypotheses: none beyond a lower triangular, row-stochastic Λ.
Model: its schedule's Λ, and the discounts along one of its paths.
Check: columns constant below the diagonal, and the coefficient of R_{t+2}: γΛ_22, from the sum over lengths.
Closed form: coefficient of R_{t+2} − γΛ_22 = Σ_{i≥3} (1 − γ)γ^{i−1}(Λ_21 − Λ_i1).
"""

from collections.abc import Sequence

from tdcert.claims import kit
from tdcert.claims.kit import HALF, Fraction, Model, Name, Relation, Verdict, decide_along, its, some_paths, total
from tdcert.theory.expressions.mixtures import entry, over_lengths, rows_used, share
from tdcert.theory.identities import return_weights as identities
from tdcert.theory.model.schedule import weight_matrix

SPLIT_FREELY: tuple[tuple[int, ...], ...] = ((1,), (1, 0), (1, 0, 0), (0, 1, 0, 0))
"""Meets the printed condition (Λ_22 = Λ_33 = Λ_44 = 0), with Λ_41 ≠ Λ_31; its further rows are like the last."""
QUARTER = Fraction(1, 4)
AT_ONE_HALF = ((1,), (HALF, HALF), (3 * QUARTER, QUARTER, 0), (0, 1, 0, 0), (HALF, HALF, 0, 0, 0))
"""At γ = ½ the return of the schedule λ_1 = ½, though Λ_32 + Λ_33 ≠ Λ_22."""


def prove() -> kit.Proof:
    """The columns: sufficient, as the coefficients shift; necessary at every γ, by the defect. The printed condition
    follows from them, and is not necessary at one γ: an example.
    """
    sizes = range(2, 6)
    kit.shown(identities.columns_give_the_printed_condition, at=sizes)
    size = len(AT_ONE_HALF)
    same = identities.mixture_coefficients(square(AT_ONE_HALF), HALF)
    kit.require(
        same == identities.mixture_coefficients(weight_matrix((HALF,), size), HALF),
        "the example at γ = ½ has other coefficients than the schedule",
    )
    kit.require(
        AT_ONE_HALF[2][1] + AT_ONE_HALF[2][2] != AT_ONE_HALF[1][1], "the example at γ = ½ meets the printed condition"
    )
    return (
        kit.proved(
            "sufficient: columns constant below the diagonal shift every coefficient by γΛ_22; free columns and γ, 2 "
            "… 5 different rows",
            kit.shown(identities.constant_columns_recur, at=sizes),
        )
        + kit.proved(
            "necessary at every γ: the defect is Σ (1 − γ)γ^(i−1)(Λ_21 − Λ_i1), a power series in γ; then the same "
            "for the next column; free row-stochastic Λ of 2 … 5 different rows; with constant columns "
            "Λ_(j,j−1) + Λ_jj = Λ_(j−1,j−1) for every j: the printed condition is necessary",
            kit.shown(identities.recursion_defect, at=sizes),
        )
        + kit.proved(
            "at one γ the return is a schedule's exactly if R_{t+k} has the coefficient γ^(k−1)Λ_kk for every k; an "
            "example at γ = ½ that breaks the printed condition",
            kit.shown(identities.one_gamma_condition, at=sizes),
        )
    )


def square(rows: Sequence[Sequence[Fraction | int]]) -> list[list[Fraction]]:
    """The rows padded with zeros."""
    return [[Fraction(x) for x in (*row, *[0] * (len(rows) - len(row)))] for row in rows]


def given_share(rows: Sequence[Sequence[Fraction | int]], i: int, k: int) -> kit.Expression:
    """Σ_{j≥k} Λ_ij of a Λ given as data."""
    return total([str(x) for x in rows[i - 1][k - 1 :]])


def check(model: Model) -> Verdict:
    """Columns constant below the diagonal, the printed condition as one consequence, γΛ_22 as the other."""
    size = rows_used(model)
    relations: list[Relation] = []
    for j in range(1, size):
        relations += [(entry(size, i, j), "=", entry(size, j + 1, j)) for i in range(j + 2, size + 1)]
        relations.append((entry(size, j + 1, j) + entry(size, j + 1, j + 1), "=", entry(size, j, j)))
    amounts = [share(size, i, 2) for i in range(2, size + 1)]
    along: list[Relation] = [(over_lengths(amounts, 2), "=", entry(size, 2, 2))]
    detail = f"{size} rows of Λ: columns constant below the diagonal, and R_{{t+2}} has the coefficient γΛ_22"
    return decide_along(model, some_paths(model, size, 1), along, others=relations, detail=detail)


def facts() -> Sequence[kit.Fact]:
    """Not sufficient: Λ_22 = 0 makes the braces vanish, so R_{t+2} would need the coefficient 0; row 4 gives it ⅛."""
    model = kit.one_state(HALF)
    rows = SPLIT_FREELY
    meets = [(Name(rows[j][j - 1]) + Name(rows[j][j]), "=", str(rows[j - 1][j - 1])) for j in range(1, len(rows))]
    amounts = ["0", *[given_share(rows, i, 2) for i in range(2, len(rows) + 1)]]
    broken: list[Relation] = [
        (over_lengths(amounts), "!=", its.discount(0) * Name(rows[1][1])),
        (over_lengths(amounts), "=", "1/8"),
    ]
    sentence = (
        "γ = ½: the rows (1), (1, 0), (1, 0, 0), (0, 1, 0, 0), then (0, 1, 0, …) meet the printed condition for every "
        "j, and R_{t+2} has the coefficient ⅛ where the recursion needs γΛ_22 = 0"
    )
    return [kit.Fact(sentence, model, decide_along(model, some_paths(model, len(rows), 1), [*meets, *broken]))]


CLAIM = kit.Claim(
    id="weight_matrix_recursion",
    stated=kit.Reading(
        r"To write the return recursively, in general (read: whatever $\gamma$ is) $\Lambda_{j,j-1} + \Lambda_{jj} = "
        r"\Lambda_{j-1,j-1}$ must hold for every $j \geq 2$.",
        quote=(
            r"In general we must ensure that $\Lambda_{j,j-1} + \Lambda_{j,j} = \Lambda_{j-1, j-1}$ $\forall j \geq 2$"
        ),
        place="§2, after the first display",
    ),
    sharper=kit.Reading(
        r"The recursion holds at every $\gamma \in (0,1)$ exactly if every column of $\Lambda$ is constant below its "
        r"diagonal, as it is for the $\Lambda$ of every $\lambda$-schedule; the printed condition alone is not "
        "sufficient."
    ),
    check=check,
    prove=prove,
    facts=facts,
    notes=(
        "At a single γ the printed condition is not necessary: at γ = ½ the rows (1), (½, ½), (¾, ¼, 0), (0, 1, 0, 0), "
        "then (½, ½, 0, …) give the return of the schedule λ_1 = ½, and Λ_32 + Λ_33 = ¼ differs from Λ_22 = ½.",
        "At one γ the condition is Λ_kk = Σ_{j≥k} (1 − γ)γ^(j−k) Σ_{i≥k} Λ_ji for every k.",
    ),
)
