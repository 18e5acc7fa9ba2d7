r"""A is invertible, and ν is positive.

Model: any, with one λ; each recurrent class on its own.
Check: ΦᵀDΦ = L diag(D) Lᵀ with D > 0, and A is nonsingular.
Closed form: xᵀAx ≥ (1 − κ)‖Φx‖² (``prop_4_1``).
"""

from tdcert.claims import kit, models
from tdcert.claims.dgb22 import prop_4_1
from tdcert.claims.emphasis import every, mean_matrix
from tdcert.claims.kit import Fraction, Model, Name, Schedule, States, Status, Verdict, its, regular, singular, together


@kit.each_class
def check(model: Model, states: States) -> Verdict:
    A = -mean_matrix(every(models.lambda_of(model)), its.d)
    C = kit.decide_definite(model, Name(Fraction(1, 2)) * its.C, states, "ν > 0")
    if C.status is not Status.HOLDS:
        return C
    if (flat := singular(model, states, A, "Ax = 0")) is not None:
        return flat
    exists = kit.decide_relations(model, [regular(A, model.d)], states=states)
    return together((C, exists), "ν > 0 and A is nonsingular")


def on_an_absorbing_chain() -> kit.Refutation:
    """Two states, the first leads to the second for good, φ = (1, 0): μ = (0, 1), so that ν = A = 0."""
    return kit.on(kit.absorbing_pair(), check)


def at_four_ninths() -> Model:
    """θ→2θ off-policy, γ = 9/10, λ = 4/9: A = 0."""
    return kit.theta_to_two_theta(Fraction(9, 10), Schedule.constant(Fraction(4, 9)))


CLAIM = kit.Claim(
    id="ts_invertible",
    stated=kit.Reading(
        r"If the chain is ergodic and the columns of $\Phi$ are linearly independent, then $A$ is invertible and the "
        r"smallest eigenvalue $\nu$ of $\Phi^\top D_\mu\Phi$ is positive.",
        quote=r"it can be shown (Nedic & Bertsekas, 2002) that the matrix $A$ is invertible",
        place="§2, after (5)",
    ),
    anchors=("Under Assumption 1, it can be shown", "The constant ν is positive under Assumption 1"),
    check=check,
    prove=prop_4_1.prove,
    variant=kit.FalseVariant("It is so on every chain, by Assumption 1 alone.", on_an_absorbing_chain),
    ablations=(
        kit.Ablation(kit.FULL_COLUMN_RANK.at("§2, Assumption 1"), box=models.ON_POLICY_BOX),
        kit.Ablation(kit.IRREDUCIBLE.at("§2: ergodic"), box=models.ON_POLICY_BOX),
        kit.Ablation(kit.DISCOUNTED.at("§2"), box=models.UNDISCOUNTED),
        kit.Ablation(kit.ON_POLICY.at("§2: one Markov chain"), counterexample=at_four_ninths),
        kit.Ablation(kit.APERIODIC.at("§2: ergodic"), supports=models.periodic_models),
    ),
    rests_on=("prop_4_1",),
)
