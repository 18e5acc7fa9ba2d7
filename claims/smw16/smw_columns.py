r"""On-policy, the columns of the key matrix have positive sums.

Model: any, with λ = 0.
Check: 0 < 1ᵀD(I − P_πΓ), entry by entry.
Closed form: 1ᵀD(I − γP) = (1 − γ)dᵀ, as dᵀP = dᵀ. docs/adding_a_claim.md decides it for every λ-schedule.
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import IRREDUCIBLE, ON_POLICY, Fraction, Model, Verdict, free, its, stationary_law


def column_sums(n: int) -> bool:
    """The closed form, for a free chain of n states."""
    _, P, gamma = free(P=("stochastic", n), g=())
    law = stationary_law(P)
    return bool((law.T @ (P.identity(n) - P.scaled(gamma)) - law.T.scaled(1 - gamma)).is_zero())


def check(model: Model) -> Verdict:
    sums = its.ones.T @ its.D @ (its.I - its.N)
    return kit.decide_relations(model, [(0 * sums, "<", sums)], detail="0 < 1ᵀD(I − P_πΓ)")


def off_policy() -> kit.Refutation:
    """θ→2θ, γ = 9/10: (½, −2/5)."""
    model = kit.theta_to_two_theta(Fraction(9, 10))
    return kit.explained(check(model), model, "θ→2θ, γ = 9/10", "0", "1ᵀD(I − γP)")


CLAIM = kit.Claim(
    id="smw_columns",
    stated=kit.Reading(r"On-policy, every column of $D(I - \gamma P)$ has a positive sum."),
    check=check,
    prove=kit.proof("1ᵀD(I − γP) = (1 − γ)dᵀ: symbolic P, γ, n = 1, 2, 3", column_sums, at=(1, 2, 3)),
    variant=kit.FalseVariant("So it is off-policy.", off_policy),
    ablations=(
        kit.Ablation(IRREDUCIBLE.at("as remembered"), box=models.ON_POLICY_BOX),
        kit.Ablation(ON_POLICY.at("as remembered"), box=models.OFF_POLICY),
        kit.Ablation(models.GAMMA_BELOW_ONE, box=models.UNDISCOUNTED),
    ),
)
