r"""GTD2's joint mean matrix is stable, and C ≻ 0 need not be asked.

Where: the matrix is [[0, −Aᵀ], [ηA, −ηC]].
Hypotheses: A nonsingular. Not needed: C nonsingular, an irreducible behaviour chain, coverage.
Model: any, with λ = 0; each recurrent class on its own.
Check: C ≻ 0; the mean of the shipped algorithm, entry by entry; X ≻ 0 with −XB − BᵀX ≻ 0.
Closed form: the form of ``gradient`` is −√η wᵀCw; Cx = 0 says Φx = 0 where d > 0, so that xᵀA = 0.
Proof: the form of the joint matrix, with any K.
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import Fraction, Model, Verdict, decide_definite, on_each_class, theta_to_two_theta, together
from tdcert.claims.sutton09 import s9_gtd
from tdcert.claims.sutton09.gradient import ANY_CHAIN, MET, NONSINGULAR, C, decide_joint


def check(model: Model) -> Verdict:
    definite = on_each_class(lambda states: decide_definite(model, C, states, "C ≻ 0", kernel=MET), model)
    return together((definite, decide_joint(model, "gtd2", C)), "C ≻ 0, and the joint mean matrix is Hurwitz")


def with_C_nonsingular() -> kit.Refutation:
    """θ→2θ, γ = 5/6: C = 5/2 and A = 0."""
    return kit.on(theta_to_two_theta(Fraction(5, 6)), decide_joint, "gtd2", C)


CLAIM = kit.Claim(
    id="s9_gtd2",
    stated=kit.Reading(
        r"If $A$ is nonsingular, then $C \succ 0$, and GTD2's joint mean matrix is Hurwitz for every $\eta > 0$."
    ),
    check=check,
    prove=s9_gtd.prove,
    variant=kit.FalseVariant("C nonsingular suffices.", with_C_nonsingular),
    ablations=(kit.Ablation(NONSINGULAR, box=models.ON_POLICY_BOX), *ANY_CHAIN),
    rests_on=("s9_gtd",),
)
