r"""Differential TD with features: stable on-policy at every η, and not off-policy.

Where: J = [[ΦᵀD(P − I)Φ, −Φᵀd], [ηdᵀ(P − I)Φ, −η]], of (θ, r̄).
Model: any.
Check: dᵀ(P − I)Φ = 0 and sym ΦᵀD(I − P)Φ ≻ 0; where one fails, an η at which J is not Hurwitz.
Closed form: θ→2θ: J = [[1/2, −3/2], [η/2, −η]], det J = η/4, trace 1/2 − η: unstable for η < 1/2.
Proof: J is triangular on-policy, and sym D(I − P) is a sum of squares (x_i − x_j)², zero on constants alone.
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import Expression, Fraction, Model, Name, Reply, Status, Verdict, its, table, theta_to_two_theta
from tdcert.theory.identities.forms_and_norms import dirichlet_identity

FLOW: Expression = (its.P_pi - its.I) @ its.Phi


@kit.hypothesis("constant_apart", "the features and the constant are independent", "our own")
def INDEPENDENT(model: Model) -> Reply:
    rank = kit.RationalMatrix([[*row, 1] for row in model.features.rows]).rank
    return Reply(rank == model.d + 1, f"the features and the constant have rank {rank} of {model.d + 1}")


def joint(eta: Fraction) -> Expression:
    """J ((d + 1)×(d + 1))."""
    flow, n = its.D @ FLOW, Name(eta)
    return table([[its.Phi.T @ flow, -(its.Phi.T @ its.d)], [n * (its.ones.T @ flow), -n]])


@kit.each_class
def check(model: Model, states: kit.States) -> Verdict:
    flow = its.D @ FLOW
    none = kit.decide_relations(model, [(its.ones.T @ flow, "=", Name(0) * (its.ones.T @ flow))], states=states)
    definite = kit.decide_definite(model, -(its.Phi.T @ flow), states, "sym ΦᵀD(I − P)Φ ≻ 0")
    if none.status is definite.status is Status.HOLDS:
        return kit.together((none, definite), "J is triangular, sym ΦᵀD(I − P)Φ ≻ 0: Hurwitz for every η > 0")
    if none.status is Status.HOLDS:
        return definite
    found = kit.decide_hurwitz(model, joint(Fraction(1, 4)), states, "J is Hurwitz at η = 1/4")
    return found if found.status is Status.REFUTED else kit.undecided("off-policy; J is not unstable at η = 1/4")


def off_policy() -> kit.Refutation:
    """θ→2θ at η = 1/4."""
    return kit.on(theta_to_two_theta(Fraction(1)), check)


CLAIM = kit.Claim(
    id="wan_features",
    stated=kit.Reading(r"With features independent of the constant, $J$ is Hurwitz for every $\eta > 0$."),
    corrected=kit.Reading(
        r"On-policy, on an irreducible chain, with features independent of the constant, $J$ of differential TD is "
        r"Hurwitz for every $\eta > 0$.",
        added_hypotheses=("on-policy",),
    ),
    judge_stated=off_policy,
    check=check,
    prove=kit.proof("xᵀD(I − P)x in squares: symbolic P, d, x, n = 1 … 4", dirichlet_identity, at=range(1, 5)),
    instances=lambda: (kit.fair_coin_chain(),),
    variant=kit.FalseVariant("It is so off-policy for one feature.", off_policy),
    ablations=(
        kit.Ablation(kit.ON_POLICY.at("our own"), counterexample=lambda: theta_to_two_theta(Fraction(1))),
        kit.Ablation(kit.IRREDUCIBLE.at("our own"), box=models.TWO_CLASSES),
        kit.Ablation(INDEPENDENT, box=models.ON_POLICY_BOX),
    ),
)
