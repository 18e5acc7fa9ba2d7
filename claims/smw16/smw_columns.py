r"""On-policy, the columns of the key matrix have positive sums.

Place: not seen; as remembered.
Statement: on-policy, every column of D(I − γP) has a positive sum.
Hypotheses: irreducible chain, on-policy, γ < 1.
Model: any, with λ = 0.
Check: 0 < 1ᵀD(I − P_πΓ), entry by entry.
Closed form: 1ᵀD(I − γP) = (1 − γ)dᵀ, as dᵀP = dᵀ. docs/adding_a_claim.md decides it for every λ-schedule.
"""

from __future__ import annotations

from fractions import Fraction

from tdcert.claims.kit import Ablation, Claim, FalseVariant, Model, Proof, Reading, Refutation, explained, proved, shown
from tdcert.claims.models import GAMMA_BELOW_ONE, OFF_POLICY, ON_POLICY_BOX, UNDISCOUNTED
from tdcert.claims.verdicts import Verdict
from tdcert.theory.check.hypotheses import IRREDUCIBLE, ON_POLICY
from tdcert.theory.expressions.notation import its
from tdcert.theory.expressions.relations import decide_relations
from tdcert.theory.identities.symbols import free, stationary_law
from tdcert.theory.model.gallery import theta_to_two_theta


def column_sums(n: int) -> bool:
    """The closed form, for a free chain of n states."""
    _, P, gamma = free(P=("stochastic", n), g=())
    law = stationary_law(P)
    return bool((law.T @ (P.identity(n) - P.scaled(gamma)) - law.T.scaled(1 - gamma)).is_zero())


def prove() -> Proof:
    """The closed form on symbols."""
    return proved("1ᵀD(I − γP) = (1 − γ)dᵀ: symbolic P, γ, n = 1, 2, 3", shown(column_sums, at=(1, 2, 3)))


def check(model: Model) -> Verdict:
    """Every column sum."""
    sums = its.ones.T @ its.D @ (its.I - its.N)
    return decide_relations(model, [(0 * sums, "<", sums)], detail="0 < 1ᵀD(I − P_πΓ)")


def off_policy() -> Refutation:
    """θ→2θ, γ = 9/10: (½, −2/5)."""
    model = theta_to_two_theta(Fraction(9, 10))
    return explained(check(model), model, "θ→2θ, γ = 9/10", "0", "1ᵀD(I − γP)")


CLAIM = Claim(
    id="smw_columns",
    stated=Reading(r"On-policy, every column of $D(I - \gamma P)$ has a positive sum."),
    check=check,
    prove=prove,
    variant=FalseVariant("So it is off-policy.", off_policy),
    ablations=(
        Ablation(IRREDUCIBLE.at("as remembered"), box=ON_POLICY_BOX),
        Ablation(ON_POLICY.at("as remembered"), box=OFF_POLICY),
        Ablation(GAMMA_BELOW_ONE, box=UNDISCOUNTED),
    ),
)
