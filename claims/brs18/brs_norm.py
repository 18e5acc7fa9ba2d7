r"""The mean update is small where values are nearly right.

Hypotheses: on-policy; ‖φ(s)‖ ≤ 1. γ is the largest discount; not needed: an irreducible or aperiodic chain.
Model: any; TD(0) whatever its schedule is; each recurrent class on its own.
Check: (1 + γ)²C − AᵀA = L diag(D) Lᵀ with D ≥ 0, entry by entry.
Closed form: ‖ΦᵀDy‖ ≤ ‖y‖_D for ‖φ‖ ≤ 1, and ‖(γP − I)v‖_D ≤ (1 + γ)‖v‖_D.
"""

from tdcert.claims import kit, models
from tdcert.claims.box import Box
from tdcert.claims.brs18.projected import UNIT_FEATURES
from tdcert.claims.kit import APERIODIC, ON_POLICY, Fraction, Model, Name, Verdict, flip_chain, its, where
from tdcert.claims.means import MEAN
from tdcert.theory.identities import forms_and_norms


def with_factor(model: Model, factor: Fraction) -> Verdict:
    """(factor(1 + γ))²C − AᵀA positive semidefinite."""
    square = (factor * (1 + kit.largest_discount(model))) ** 2
    form = Name(square / 2) * its.C - Name(Fraction(1, 2)) * (MEAN.T @ MEAN)
    detail = f"{square}·C − AᵀA is positive semidefinite"
    return kit.on_each_class(lambda states: kit.decide_definite(model, form, states, detail, strict=False), model)


def one_percent_less() -> kit.Refutation:
    """Two states that alternate, φ = (1, −1): A = −(1 + γ), C = 1."""
    return kit.on(flip_chain(Fraction(9, 10), features=((1,), (-1,))), with_factor, Fraction(99, 100))


CLAIM = kit.Claim(
    id="brs_norm",
    stated=kit.Reading(
        r"$\|\bar g(\theta)\| \le (1 + \gamma)\|V_\theta - V_{\theta^*}\|_D$, as $A^\top A \preceq (1+\gamma)^2 C$."
    ),
    check=where(lambda model: with_factor(model, Fraction(1)), ON_POLICY),
    prove=lambda: kit.proved(
        "‖v‖²_D − ‖Pv‖²_D is a sum of squares, symbolic P, d, v, n = 2, 3: so ‖(γP − I)v‖_D ≤ (1 + γ)‖v‖_D, and "
        "uᵀΦᵀDy ≤ ‖Φu‖_D‖y‖_D ≤ ‖y‖_D for ‖u‖ = 1, ‖φ‖ ≤ 1",
        kit.shown(forms_and_norms.stationary_norm_identity, at=(2, 3)),
    ),
    variant=kit.FalseVariant("It holds with one percent less than 1 + γ.", one_percent_less),
    constants=(kit.NumericConstant("the 1 in 1 + γ", one_percent_less),),
    ablations=(
        kit.Ablation(UNIT_FEATURES, box=Box(entries=(1, 4))),
        kit.Ablation(APERIODIC.at("the draft's Assumption 2"), supports=lambda: models.periodic_models()[:3]),
    ),
)
