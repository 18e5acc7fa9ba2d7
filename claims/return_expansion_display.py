r"""The displayed expansion of the return: the coefficient of −V(s_{t+1}).

Place: §2, first display after Λ; A1, last display.
Statement: after adding and subtracting V(s_{t+1}), what is left beside R_{t+1} + γV(s_{t+1}) is γΛ_22 {… − V(s_{t+1})}.
It is printed for any row-stochastic Λ, before Λ_32 + Λ_33 = Λ_22 is asked for; but −V(s_{t+1}) has the coefficient
Σ_{i≥2} (1 − γ)γ^{i−1}(1 − Λ_i1). Corrected: the same, once the first column of Λ is constant below its diagonal.
Hypotheses: γ < 1, so that the episode lengths have total mass one.
Model: its schedule's Λ, and the discounts along two of its paths.
Check: the sum over lengths against γΛ_22, exact.
Closed form: the sum less γΛ_22 is Σ_{i≥3} (1 − γ)γ^{i−1}(Λ_21 − Λ_i1).
"""

from __future__ import annotations

from claims.claim import Ablation, Claim, Finding, ProofError, Reading, Refutation, explained
from claims.models import UNDISCOUNTED
from claims.weight_matrix_recursion import given_share
from theory.check import identities_schedule as identities
from theory.check.hypotheses import EPISODES_END
from theory.check.mixtures import entry, episodes_end, over_lengths, rows_used, share
from theory.check.paths import decide_along, some_paths
from theory.model.gallery import HALF, one_state
from theory.model.mdp import Model
from theory.verdict import Grade, Scope, ScopedEvidence, Verdict

UNEQUAL_COLUMN = ((1,), (HALF, HALF), (1, 0, 0))
"""Λ_21 = ½ and Λ_j1 = 1 for j ≥ 3."""


def prove() -> tuple[ScopedEvidence, ...]:
    """R_{t+2} stands wherever V(s_{t+1}) is subtracted: the two share one coefficient, decided by its defect."""
    sizes = range(2, 6)
    if not (identities.geometric_step() and all(identities.recursion_defect(size) for size in sizes)):
        raise ProofError("the coefficient differs from γΛ_22 + Σ (1 − γ)γ^{i−1}(Λ_21 − Λ_i1)")
    return (
        ScopedEvidence(
            Scope.SIZES, Grade.PROVED, len(sizes),
            "the coefficient is γΛ_22 + Σ_{i≥3} (1 − γ)γ^(i−1)(Λ_21 − Λ_i1), free row-stochastic Λ of 2 … 5 different "
            "rows, free γ: equal to γΛ_22 if Λ_i1 = Λ_21",
        ),
    )  # fmt: skip


def check(model: Model) -> Verdict:
    """Σ_{i≥2} (mass of length i)(1 − Λ_i1) = γΛ_22 for the Λ of the schedule."""
    size = rows_used(model)
    amounts = ["0", *[share(size, i, 2) for i in range(2, size + 1)]]
    relation = (over_lengths(amounts), "=", ("*", "gamma:0", entry(size, 2, 2)))
    paths = some_paths(model, size, 2)
    detail = f"−V(s_{{t+1}}) has the coefficient γΛ_22, from {size} rows of Λ along {len(paths)} paths"
    return decide_along(model, paths, [relation], others=episodes_end(model), detail=detail)


def judge_stated() -> Refutation:
    """γ = ½, Λ_21 = Λ_22 = ½, Λ_j1 = 1 for j ≥ 3: only length 2 counts, (1 − γ)γ(1 − ½) = ⅛; printed γΛ_22 = ¼."""
    model = one_state(HALF)
    rows = UNEQUAL_COLUMN
    amounts = ["0", *[given_share(rows, i, 2) for i in range(2, len(rows) + 1)]]
    relation = (over_lengths(amounts), "=", ("*", "gamma:0", str(rows[1][1])))
    return explained(
        decide_along(model, some_paths(model, len(rows), 1), [relation]), model,
        "the coefficient is not γΛ_22 where the first column of Λ is not constant below its diagonal",
        "coefficient of −V(s_{t+1})", "printed γΛ_22", γ="1/2", Λ="(1), (½, ½), (1, 0, 0), then (1, 0, …)",
    )  # fmt: skip


CLAIM = Claim(
    id="return_expansion_display",
    stated=Reading(
        r"For every row-stochastic $\Lambda$ the coefficient of $-V(s_{t+1})$ in the expanded return is "
        r"$\gamma \Lambda_{22}$."
    ),
    corrected=Reading(
        r"If $\Lambda_{j1} = \Lambda_{21}$ for every $j \geq 2$, the coefficient of $-V(s_{t+1})$ is "
        r"$\gamma \Lambda_{22}$.",
        added_hypotheses=(r"the first column of $\Lambda$ is constant below its diagonal",),
    ),
    correction=Finding.IMPLICIT_HYPOTHESIS,
    judge_stated=judge_stated,
    hypotheses=(EPISODES_END,),
    anchors=(r"+ \gamma\Lambda_{22}\{ (1-\gamma)(R_{t+2})", r"& \qquad + \cdots - V_{\theta}(s_{t+1})  \}."),
    check=check,
    prove=prove,
    ablations=(Ablation(EPISODES_END, box=UNDISCOUNTED),),
)
