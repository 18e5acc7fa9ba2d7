r"""A is negative definite.

Model: any schedule of λ; each recurrent class on its own.
Check: that of ``prop_4_1``.
Closed form: −xᵀAx = (1 − κ)‖Φx‖²_D + squares.
"""

from tdcert.claims import kit
from tdcert.claims.dgb22 import prop_4_1
from tdcert.claims.kit import ON_POLICY, Fraction, theta_to_two_theta

KEPT = prop_4_1.CLAIM.ablations


def off_policy() -> kit.Refutation:
    """θ→2θ, γ = 9/10, TD(0): A = 1/5."""
    return kit.on(theta_to_two_theta(Fraction(9, 10)), prop_4_1.check)


CLAIM = kit.Claim(
    id="tvr_definite",
    stated=kit.Reading(r"The matrix $A = \Phi^\top D(M - I)\Phi$ of on-policy TD($\lambda$) is negative definite."),
    check=prop_4_1.check,
    prove=prop_4_1.prove,
    variant=kit.FalseVariant("So is that of off-policy TD(λ).", off_policy),
    ablations=(
        kit.Ablation(ON_POLICY.at("not seen"), counterexample=lambda: theta_to_two_theta(Fraction(9, 10))),
        *(x.at("not seen") for x in KEPT if x.hypothesis is not ON_POLICY),
    ),
    rests_on=("prop_4_1",),
)
