r"""For independent samples TD(0) with any steps up to (1 − γ)/8 has differences that never grow in mean square.

Place: our own; the paper was not read.
Statement: ‖φ‖ ≤ 1, one γ < 1, independent pairs of the stationary law: E[A_t + A_tᵀ − αA_tᵀA_t] ⪰ 0 for α ≤ (1 − γ)/8.
Hypotheses: none. Not needed: one γ < 1 (the largest will do); C ≻ 0, so no bound on its least eigenvalue; a chain that
is irreducible or aperiodic.
Model: any, its pairs under the behaviour policy, features in the unit B = max ‖φ‖ of the recurrent class.
Check: the form at α = (1 − γ)/(8B²), below which it is larger.
Closed form: ls_td_step's: φφᵀ − γ²φ'φ'ᵀ + (1 − α‖φ‖²)ψψᵀ, in the mean at least (1 − γ²)C for every α ≤ 1/B².
"""

from __future__ import annotations

from tdcert.claims.definite import decide_definite
from tdcert.claims.harutyunyan16.sweep import DISCOUNTED, discount
from tdcert.claims.kit import Ablation, Claim, FalseVariant, Model, NumericConstant, Proof, Reading, proved, shown
from tdcert.claims.ls18.ls_td_step import form_identity, one_percent_more, update
from tdcert.claims.models import periodic_models, reducible_models, varying_discount_models
from tdcert.claims.verdicts import Verdict, on_each_class
from tdcert.theory.check.hypotheses import APERIODIC, C_POSITIVE, IRREDUCIBLE
from tdcert.theory.expressions.notation import Name, expected
from tdcert.theory.model.gallery import absorbing_pair


def prove() -> Proof:
    """The closed form, which is linear in α."""
    return proved("ls_td_step's form: symbolic φ, φ', γ, α, d = 1 … 3", shown(form_identity, at=range(1, 4)))


def check(model: Model) -> Verdict:
    """On every recurrent class."""

    def decide(states: tuple[int, ...]) -> Verdict:
        largest = max(sum(x * x for x in model.features.rows[s]) for s in states)
        alpha = (1 - discount(model)) / 8 / (largest or 1)
        mean = expected("mu", "d", 1, update() - Name(alpha / 2) * (update().T @ update()))
        return decide_definite(model, mean, states, f"E[A + Aᵀ − αAᵀA] ⪰ 0 for every α ≤ {alpha}", strict=False)

    return on_each_class(decide, model)


CLAIM = Claim(
    id="p02577_iid",
    stated=Reading(
        r"For independent samples with $\|\phi\| \le 1$, one $\gamma < 1$ and any steps up to $(1 - \gamma)/8$, "
        r"differences of two runs of TD(0) never grow in mean square, whatever the least eigenvalue of $C$ is."
    ),
    check=check,
    prove=prove,
    variant=FalseVariant("They never do at a step that is one percent larger than 1/B².", one_percent_more),
    constants=(NumericConstant("the 8", better=prove, note="every step up to 1/B² serves"),),
    ablations=(
        Ablation(DISCOUNTED, supports=varying_discount_models),
        Ablation(C_POSITIVE.at("our own"), supports=lambda: [absorbing_pair()]),
        Ablation(IRREDUCIBLE.at("our own"), supports=reducible_models),
        Ablation(APERIODIC.at("our own"), supports=periodic_models),
    ),
    rests_on=("ls_td_step",),
)
