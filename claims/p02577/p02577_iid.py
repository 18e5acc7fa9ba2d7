r"""For independent samples TD(0) with any steps up to (1 − γ)/8 has differences that never grow in mean square.

Where: E[A_t + A_tᵀ − αA_tᵀA_t] ⪰ 0 for α ≤ (1 − γ)/8 says so.
Hypotheses: none. Not needed: one γ < 1 (the largest will do); C ≻ 0, so no bound on its least eigenvalue; a chain that
is irreducible or aperiodic.
Model: any, its pairs under the behaviour policy, features in the unit B = max ‖φ‖ of the recurrent class.
Check: the form at α = (1 − γ)/(8B²), below which it is larger.
Closed form: ls_td_step's: φφᵀ − γ²φ'φ'ᵀ + (1 − α‖φ‖²)ψψᵀ, in the mean at least (1 − γ²)C for every α ≤ 1/B².
"""

from tdcert.claims import kit, models
from tdcert.claims.harutyunyan16.sweep import DISCOUNTED, discount
from tdcert.claims.kit import APERIODIC, C_POSITIVE, IRREDUCIBLE, Model, Name, Verdict, expected
from tdcert.claims.ls18.ls_td_step import form_identity, one_percent_more, update


def prove() -> kit.Proof:
    """The closed form, which is linear in α."""
    return kit.proved("ls_td_step's form: symbolic φ, φ', γ, α, d = 1 … 3", kit.shown(form_identity, at=range(1, 4)))


@kit.each_class
def check(model: Model, states: kit.States) -> Verdict:
    largest = max(sum(x * x for x in model.features.rows[s]) for s in states)
    alpha = (1 - discount(model)) / 8 / (largest or 1)
    mean = expected("mu", "d", 1, update() - Name(alpha / 2) * (update().T @ update()))
    return kit.decide_definite(model, mean, states, f"E[A + Aᵀ − αAᵀA] ⪰ 0 for every α ≤ {alpha}", strict=False)


CLAIM = kit.Claim(
    id="p02577_iid",
    stated=kit.Reading(
        r"For independent samples with $\|\phi\| \le 1$, one $\gamma < 1$ and any steps up to $(1 - \gamma)/8$, "
        r"differences of two runs of TD(0) never grow in mean square, whatever the least eigenvalue of $C$ is."
    ),
    check=check,
    prove=prove,
    variant=kit.FalseVariant("They never do at a step that is one percent larger than 1/B².", one_percent_more),
    constants=(kit.NumericConstant("the 8", better=prove, note="every step up to 1/B² serves"),),
    ablations=(
        kit.Ablation(DISCOUNTED, supports=models.varying_discount_models),
        kit.Ablation(C_POSITIVE.at("our own"), supports=lambda: [kit.absorbing_pair()]),
        kit.Ablation(IRREDUCIBLE.at("our own"), supports=models.reducible_models),
        kit.Ablation(APERIODIC.at("our own"), supports=models.periodic_models),
    ),
    rests_on=("ls_td_step",),
)
