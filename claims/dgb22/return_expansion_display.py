r"""The displayed expansion of the return: the coefficient of −V(s_{t+1}).

Place: §2, first display after Λ; A1, last display.
Statement: after adding and subtracting V(s_{t+1}), what is left beside R_{t+1} + γV(s_{t+1}) is γΛ_22 {… − V(s_{t+1})}.
It is printed for any row-stochastic Λ, before Λ_32 + Λ_33 = Λ_22 is asked for; but −V(s_{t+1}) has the coefficient
Σ_{i≥2} (1 − γ)γ^{i−1}(1 − Λ_i1), and the braces hold quotients Λ_3j/Λ_22. Corrected: the same, once the first column of
Λ is constant below its diagonal and Λ_22 ≠ 0.
Hypotheses: γ < 1, so that the episode lengths have total mass one; λ_1 = Λ_22 ≠ 0.
Model: its schedule's Λ, and the discounts along two of its paths.
Check: Λ_22 ≠ 0, the quotients Λ_ij/Λ_22 of a row sum to one, and the sum over lengths against γΛ_22, exact.
Closed form: the sum less γΛ_22 is Σ_{i≥3} (1 − γ)γ^{i−1}(Λ_21 − Λ_i1).
"""

from dataclasses import replace

from tdcert.claims import kit, models
from tdcert.claims.dgb22.weight_matrix_recursion import given_share
from tdcert.claims.kit import HALF, Model, Name, Relation, Status, Verdict, decide_along, its, solution, some_paths
from tdcert.theory.check.hypotheses import LAMBDA_1_NOT_ZERO
from tdcert.theory.expressions import mixtures
from tdcert.theory.identities import return_weights as identities

UNEQUAL_COLUMN = ((1,), (HALF, HALF), (1, 0, 0))
"""Λ_21 = ½ and Λ_j1 = 1 for j ≥ 3."""


def prove() -> kit.Proof:
    """R_{t+2} stands wherever V(s_{t+1}) is subtracted: the two share one coefficient, decided by its defect."""
    kit.shown(identities.geometric_step)
    return kit.proved(
        "the coefficient is γΛ_22 + Σ_{i≥3} (1 − γ)γ^(i−1)(Λ_21 − Λ_i1), free row-stochastic Λ of 2 … 5 different "
        "rows, free γ: equal to γΛ_22 if Λ_i1 = Λ_21",
        kit.shown(identities.recursion_defect, at=range(2, 6)),
    )


def check(model: Model) -> Verdict:
    """Λ_22 ≠ 0, and Σ_{i≥2} (mass of length i)(1 − Λ_i1) = γΛ_22 for the Λ of the schedule."""
    size = mixtures.rows_used(model)
    divisor = mixtures.entry(size, 2, 2)
    undefined = kit.decide_relations(model, [(divisor, "=", "0")])
    if undefined.status is Status.HOLDS:
        detail = "Λ_22 = 0: the quotients Λ_32/Λ_22 and Λ_33/Λ_22 of the display do not exist"
        return replace(undefined, status=Status.REFUTED, detail=detail, witness={"Λ_22": "0"}, undefined="Λ_32/Λ_22")
    amounts = ["0", *[mixtures.share(size, i, 2) for i in range(2, size + 1)]]
    stated = its.discount(0) * divisor
    if model.gamma == 1:
        return mixtures.decide_without_lengths(model, amounts, stated, "the coefficient of −V(s_{t+1})")
    relation: Relation = (mixtures.over_lengths(amounts), "=", stated)
    shares: list[Relation] = [(solution(divisor, mixtures.share(size, i, 2)), "=", "1") for i in range(3, size + 1)]
    paths = some_paths(model, size, 2)
    detail = f"−V(s_{{t+1}}) has the coefficient γΛ_22, from {size} rows of Λ"
    return decide_along(model, paths, [relation], others=[*mixtures.episodes_end(model), *shares], detail=detail)


def judge_stated() -> kit.Refutation:
    """γ = ½, Λ_21 = Λ_22 = ½, Λ_j1 = 1 for j ≥ 3: only length 2 counts, (1 − γ)γ(1 − ½) = ⅛; printed γΛ_22 = ¼."""
    model = kit.one_state(HALF)
    rows = UNEQUAL_COLUMN
    amounts = ["0", *[given_share(rows, i, 2) for i in range(2, len(rows) + 1)]]
    relation = (mixtures.over_lengths(amounts), "=", its.discount(0) * Name(rows[1][1]))
    return kit.explained(
        decide_along(model, some_paths(model, len(rows), 1), [relation]),
        model,
        "the coefficient is not γΛ_22 where the first column of Λ is not constant below its diagonal",
        "coefficient of −V(s_{t+1})",
        "printed γΛ_22",
        γ="1/2",
        Λ="(1), (½, ½), (1, 0, 0), then (1, 0, …)",
    )


CLAIM = kit.Claim(
    id="return_expansion_display",
    stated=kit.Reading(
        r"For every row-stochastic $\Lambda$ the expanded return is $R_{t+1} + \gamma V(s_{t+1}) + \gamma "
        r"\Lambda_{22} \{ \cdots - V(s_{t+1}) \}$, with quotients by $\Lambda_{22}$ in the braces: $-V(s_{t+1})$ has "
        r"the coefficient $\gamma \Lambda_{22}$.",
        quote=r"$+ \gamma\Lambda_{22}\{ (1-\gamma)(R_{t+2})$",
        place="§2, first display; A1, last display",
    ),
    corrected=kit.Reading(
        r"If $\Lambda_{j1} = \Lambda_{21}$ for every $j \geq 2$ and $\Lambda_{22} \neq 0$, the quotients exist and "
        r"$-V(s_{t+1})$ has the coefficient $\gamma \Lambda_{22}$.",
        added_hypotheses=(r"the first column of $\Lambda$ is constant below its diagonal", r"$\Lambda_{22} \neq 0$"),
    ),
    correction=kit.Finding.IMPLICIT_HYPOTHESIS,
    judge_stated=judge_stated,
    anchors=(r"& \qquad + \cdots - V_{\theta}(s_{t+1})  \}.",),
    check=check,
    prove=prove,
    ablations=(
        kit.Ablation(kit.EPISODES_END, box=models.UNDISCOUNTED_TWO_STEPS),
        kit.Ablation(
            LAMBDA_1_NOT_ZERO, box=models.SHORT_SCHEDULES, note="a display with a zero divisor, not a false one"
        ),
    ),
)
