r"""The mean update points to θ*.

Place: used in the draft's proof (a lemma of another section).
Statement: ḡ(θ)ᵀ(θ* − θ) ≥ (1 − γ)‖V_θ* − V_θ‖²_D.
Hypotheses: on-policy. γ is the largest discount; not needed: γ < 1, irreducible or aperiodic chain, full rank.
Model: any; TD(0) whatever its schedule is; each recurrent class on its own.
Check: −A − (1 − γ)C = L diag(D) Lᵀ with D ≥ 0 for the symmetric part, entry by entry.
Closed form: −xᵀAx = (1 − γ)‖Φx‖²_D + ½γΣ d_iP_ij(V_i − V_j)².
"""

from __future__ import annotations

from fractions import Fraction

from tdcert.claims.definite import decide_definite
from tdcert.claims.kit import (
    Ablation,
    Claim,
    FalseVariant,
    Model,
    NumericConstant,
    Proof,
    Reading,
    Refutation,
    proved,
    shown,
)
from tdcert.claims.means import MEAN
from tdcert.claims.models import OFF_POLICY_SURE, periodic_models, reducible_models, varying_discount_models
from tdcert.claims.verdicts import Verdict, on_each_class
from tdcert.theory.check.hypotheses import APERIODIC, CONSTANT_DISCOUNT, IRREDUCIBLE, ON_POLICY
from tdcert.theory.check.margins import largest_discount
from tdcert.theory.expressions.notation import Name, its
from tdcert.theory.identities import forms_and_norms
from tdcert.theory.model.gallery import HALF, one_state


def prove() -> Proof:
    """The closed form on symbols."""
    return proved(
        "−xᵀD(γP − I)x = (1 − γ)‖x‖²_D + squares, symbolic P, γ, x, its law as rational functions, n = 2, 3",
        shown(forms_and_norms.key_matrix_identity, at=((2, 0), (3, 0))),
    )


def check(model: Model) -> Verdict:
    """With 1 − γ, on every recurrent class."""
    return with_factor(model, Fraction(1))


def with_factor(model: Model, factor: Fraction) -> Verdict:
    """−A − factor · (1 − γ)C positive semidefinite."""
    share = factor * (1 - largest_discount(model))
    form = -MEAN - Name(share) * its.C
    detail = f"−sym A − {share}·C is positive semidefinite"
    return on_each_class(lambda states: decide_definite(model, form, states, detail, strict=False), model)


def one_percent_more() -> Refutation:
    """One state, φ = 1, γ = ½: −A = ½, C = 1."""
    model = one_state(HALF)
    return Refutation(with_factor(model, Fraction(101, 100)), model)


CLAIM = Claim(
    id="brs_mean",
    stated=Reading(
        r"$\bar g(\theta)^\top(\theta^* - \theta) \ge (1 - \gamma)\|V_{\theta^*} - V_\theta\|_D^2$, as "
        r"$-\frac12(A + A^\top) - (1 - \gamma)C$ is positive semidefinite."
    ),
    check=check,
    prove=prove,
    variant=FalseVariant("It holds with one percent more than 1 − γ.", one_percent_more),
    constants=(NumericConstant("the 1 in 1 − γ", one_percent_more),),
    ablations=(
        Ablation(ON_POLICY.at("the draft's Section 1"), box=OFF_POLICY_SURE),
        Ablation(IRREDUCIBLE.at("not in the draft"), supports=reducible_models),
        Ablation(APERIODIC.at("the draft's Assumption 2"), supports=periodic_models),
        Ablation(CONSTANT_DISCOUNT.at("the draft's Section 1"), supports=varying_discount_models),
    ),
)
