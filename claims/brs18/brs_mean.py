r"""The mean update points to θ*.

Note: the draft's proof uses it, as a lemma of another section.
Hypotheses: on-policy. γ is the largest discount; not needed: γ < 1, irreducible or aperiodic chain, full rank.
Model: any; TD(0) whatever its schedule is; each recurrent class on its own.
Check: −A − (1 − γ)C = L diag(D) Lᵀ with D ≥ 0 for the symmetric part, entry by entry.
Closed form: −xᵀAx = (1 − γ)‖Φx‖²_D + ½γΣ d_iP_ij(V_i − V_j)².
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import APERIODIC, HALF, IRREDUCIBLE, ON_POLICY, Fraction, Model, Name, Verdict, its, one_state
from tdcert.claims.means import MEAN
from tdcert.theory.identities import forms_and_norms


def with_factor(model: Model, factor: Fraction) -> Verdict:
    """−A − factor · (1 − γ)C positive semidefinite."""
    share = factor * (1 - kit.largest_discount(model))
    form = -MEAN - Name(share) * its.C
    detail = f"−sym A − {share}·C is positive semidefinite"
    return kit.on_each_class(lambda states: kit.decide_definite(model, form, states, detail, strict=False), model)


def one_percent_more() -> kit.Refutation:
    """One state, φ = 1, γ = ½: −A = ½, C = 1."""
    return kit.on(one_state(HALF), with_factor, Fraction(101, 100))


CLAIM = kit.Claim(
    id="brs_mean",
    stated=kit.Reading(
        r"$\bar g(\theta)^\top(\theta^* - \theta) \ge (1 - \gamma)\|V_{\theta^*} - V_\theta\|_D^2$, as "
        r"$-\frac12(A + A^\top) - (1 - \gamma)C$ is positive semidefinite."
    ),
    check=lambda model: with_factor(model, Fraction(1)),
    prove=lambda: kit.proved(
        "−xᵀD(γP − I)x = (1 − γ)‖x‖²_D + squares, symbolic P, γ, x, its law as rational functions, n = 2, 3",
        kit.shown(forms_and_norms.key_matrix_identity, at=((2, 0), (3, 0))),
    ),
    variant=kit.FalseVariant("It holds with one percent more than 1 − γ.", one_percent_more),
    constants=(kit.NumericConstant("the 1 in 1 − γ", one_percent_more),),
    ablations=(
        kit.Ablation(ON_POLICY.at("the draft's Section 1"), box=models.OFF_POLICY_SURE),
        kit.Ablation(IRREDUCIBLE.at("not in the draft"), supports=models.reducible_models),
        kit.Ablation(APERIODIC.at("the draft's Assumption 2"), supports=models.periodic_models),
        kit.Ablation(kit.CONSTANT_DISCOUNT.at("the draft's Section 1"), supports=models.varying_discount_models),
    ),
)
