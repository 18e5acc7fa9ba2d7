r"""A and C are positive definite.

Note: that every state is visited, as on an irreducible chain, is not printed.
Model: any; each recurrent class on its own.
Check: A + Aᵀ = L diag(D) Lᵀ with D > 0, entry by entry, and C.
Closed form: θᵀAθ ≥ (1 − γ)‖Φθ‖_D², as ‖PV‖_D ≤ ‖V‖_D.
"""

from tdcert.claims import kit, models
from tdcert.claims.dalal18.gradient import A
from tdcert.claims.kit import APERIODIC, Fraction, Model, Verdict, absorbing_pair, its, theta_to_two_theta, together
from tdcert.theory.identities.forms_and_norms import stationary_norm_identity


@kit.each_class
def definite(model: Model, states: kit.States) -> Verdict:
    """A and C on every recurrent class."""
    pairs = ((its.C, "C"), (A, "A"))
    found = (kit.decide_definite(model, M, states, f"{name} is positive definite") for M, name in pairs)
    return together(found, "C and A are positive definite")


CLAIM = kit.Claim(
    id="da_a_definite",
    stated=kit.Reading(
        r"If $\Phi$ has full rank, $A$ and $C$ are positive definite.",
        quote="it is assumed that the feature matrix $\\Phi$ is full rank, so $A$ and $C$ are full rank",
        place="§5",
    ),
    corrected=kit.Reading(
        r"If $\Phi$ has full rank and the chain is irreducible, $A$ and $C$ are positive definite.",
        added_hypotheses=("the chain is irreducible",),
    ),
    correction=kit.Finding.IMPLICIT_HYPOTHESIS,
    judge_stated=lambda: kit.Refutation(definite(absorbing_pair()), absorbing_pair()),
    check=definite,
    prove=lambda: kit.proved(
        "‖V‖_D² − ‖PV‖_D² is a sum of squares for dP = d, n = 1 … 4, so θᵀAθ ≥ (1 − γ)‖Φθ‖_D²",
        kit.shown(stationary_norm_identity, at=(1, 2, 3, 4)),
    ),
    variant=kit.FalseVariant(
        "It holds off-policy.",
        lambda: kit.Refutation(definite(theta_to_two_theta(Fraction(9, 10))), theta_to_two_theta(Fraction(9, 10))),
    ),
    ablations=(
        kit.Ablation(kit.IRREDUCIBLE.at("not in the paper"), box=models.TWO_CLASSES),
        kit.Ablation(kit.FULL_COLUMN_RANK.at("§5"), box=models.ON_POLICY_BOX),
        kit.Ablation(kit.DISCOUNTED.at("§5"), box=models.UNDISCOUNTED),
        kit.Ablation(kit.ON_POLICY.at("App. A"), box=models.OFF_POLICY),
        kit.Ablation(APERIODIC.at("not in the paper"), supports=models.periodic_models),
    ),
    notes=(
        "It is asked only that the stationary law be positive at every state. An irreducible chain is a standing "
        "convention of this literature; the paper does not name it, and cites Bertsekas (2012) here.",
        "The page goes on “This assumption is standard”. Where that A and C have full rank is itself the assumption, "
        "nothing is missing.",
    ),
)
