r"""TDC on two time scales is stable, and at a fixed ratio of its steps not always.

Where: θ falls by AᵀC⁻¹A once w follows.
Hypotheses: A nonsingular. Not needed: C nonsingular (it follows), an irreducible behaviour chain, coverage.
Model: any, with λ = 0; each recurrent class on its own.
Check: the form is L diag(D) Lᵀ with D > 0, entry by entry.
Closed form: xᵀAᵀC⁻¹Ax = (Ax)ᵀC⁻¹(Ax).
"""

from tdcert.algorithms import named
from tdcert.claims import kit, models
from tdcert.claims.kit import Fraction, Model, Verdict, decide_definite, literal, on_each_class, refuted, solution
from tdcert.claims.means import seen
from tdcert.claims.sutton09.gradient import ANY_CHAIN, MET, NONSINGULAR, A, C
from tdcert.theory.identities.forms_and_norms import tdc_form_identity


def slow(model: Model, states: kit.States) -> Verdict:
    """AᵀC⁻¹A, where C⁻¹ exists."""
    try:
        return decide_definite(model, A.T @ solution(C, A), states, "AᵀC⁻¹A ≻ 0", kernel=MET)
    except kit.SingularMatrixError:
        found = decide_definite(model, C, states, "C ≻ 0", kernel=MET)
        return refuted("C is singular", found.witness, by=found.certificates, undefined="C⁻¹")


def at_ratio(eta: Fraction) -> kit.Refutation:
    """θ→2θ, γ = 9/10: the joint matrix [[1/5, −27/10], [η/5, −5η/2]] that TDC's updates see."""
    model = kit.theta_to_two_theta(Fraction(9, 10))
    J = seen(model, named("tdc"), (0, 1), ratios=(1, eta))
    return kit.Refutation(kit.decide_hurwitz(model, literal(J), (0, 1), f"TDC's joint matrix at η = {eta}"), model)


CLAIM = kit.Claim(
    id="s9_tdc",
    stated=kit.Reading(
        r"If $A$ is nonsingular, TDC is stable on two time scales: $A^\top C^{-1} A$ is positive definite."
    ),
    check=lambda model: on_each_class(lambda states: slow(model, states), model),
    prove=lambda: kit.proved(
        "xᵀ(AᵀC⁻¹A)x = (Ax)ᵀC⁻¹(Ax) for free A, x and free symmetric C, d = 1, 2, 3; C ≻ 0 by s9_gtd2",
        kit.shown(tdc_form_identity, at=(1, 2, 3)),
    ),
    variant=kit.FalseVariant(
        "TDC is stable at every fixed ratio η = β/α of its steps.", lambda: at_ratio(Fraction(1, 20))
    ),
    ablations=(kit.Ablation(NONSINGULAR, box=models.ON_POLICY_BOX), *ANY_CHAIN),
    notes=("The model of the variant is stable exactly for η > 2/25, the trace of its joint matrix being 1/5 − 5η/2.",),
    rests_on=("s9_gtd2",),
)
