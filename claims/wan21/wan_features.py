r"""Differential TD with features: stable on-policy at every η, and not off-policy.

Place: our own; the paper was not read.
Statement: J = [[ΦᵀD(P − I)Φ, −Φᵀd], [ηdᵀ(P − I)Φ, −η]], of (θ, r̄), is Hurwitz for every η > 0: false off-policy.
Hypotheses: on-policy (of the corrected statement); irreducible; features and the constant are independent.
Model: any.
Check: dᵀ(P − I)Φ = 0 and sym ΦᵀD(I − P)Φ ≻ 0; where one fails, an η at which J is not Hurwitz.
Closed form: θ→2θ: J = [[1/2, −3/2], [η/2, −η]], det J = η/4, trace 1/2 − η: unstable for η < 1/2.
"""

from __future__ import annotations

from fractions import Fraction

from tdcert.claims.definite import decide_definite, decide_hurwitz
from tdcert.claims.kit import Ablation, Claim, FalseVariant, Model, Proof, Reading, Refutation, Status, proved, shown
from tdcert.claims.models import ON_POLICY_BOX, TWO_CLASSES
from tdcert.claims.verdicts import Verdict, on_each_class, undecided
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.hypotheses import IRREDUCIBLE, ON_POLICY, Hypothesis, Reply
from tdcert.theory.expressions.notation import Name, its, table
from tdcert.theory.expressions.paths import together
from tdcert.theory.expressions.relations import Expression, decide_relations
from tdcert.theory.identities.forms_and_norms import dirichlet_identity
from tdcert.theory.model.gallery import fair_coin_chain, theta_to_two_theta

FLOW: Expression = (its.P_pi - its.I) @ its.Phi


def _independent(model: Model) -> Reply:
    rank = RationalMatrix([[*row, 1] for row in model.features.rows]).rank
    return Reply(rank == model.d + 1, f"the features and the constant have rank {rank} of {model.d + 1}")


INDEPENDENT = Hypothesis("constant_apart", "the features and the constant are independent", "our own", _independent)


def joint(eta: Fraction) -> Expression:
    """J ((d + 1)×(d + 1))."""
    flow, n = its.D @ FLOW, Name(eta)
    return table([[its.Phi.T @ flow, -(its.Phi.T @ its.d)], [n * (its.ones.T @ flow), -n]])


def prove() -> Proof:
    """J is triangular on-policy, and sym D(I − P) is a sum of squares (x_i − x_j)², zero on constants alone."""
    return proved("xᵀD(I − P)x in squares: symbolic P, d, x, n = 1 … 4", shown(dirichlet_identity, at=range(1, 5)))


def check(model: Model) -> Verdict:
    """On every recurrent class."""

    def decide(states: tuple[int, ...]) -> Verdict:
        flow = its.D @ FLOW
        none = decide_relations(model, [(its.ones.T @ flow, "=", Name(0) * (its.ones.T @ flow))], states=states)
        definite = decide_definite(model, -(its.Phi.T @ flow), states, "sym ΦᵀD(I − P)Φ ≻ 0")
        if none.status is definite.status is Status.HOLDS:
            return together((none, definite), "J is triangular, sym ΦᵀD(I − P)Φ ≻ 0: Hurwitz for every η > 0")
        if none.status is Status.HOLDS:
            return definite
        found = decide_hurwitz(model, joint(Fraction(1, 4)), states, "J is Hurwitz at η = 1/4")
        return found if found.status is Status.REFUTED else undecided("off-policy; J is not unstable at η = 1/4")

    return on_each_class(decide, model)


def off_policy() -> Refutation:
    """θ→2θ at η = 1/4."""
    model = theta_to_two_theta(Fraction(1))
    return Refutation(check(model), model)


CLAIM = Claim(
    id="wan_features",
    stated=Reading(r"With features independent of the constant, $J$ is Hurwitz for every $\eta > 0$."),
    corrected=Reading(
        r"On-policy, on an irreducible chain, with features independent of the constant, $J$ of differential TD is "
        r"Hurwitz for every $\eta > 0$.",
        added_hypotheses=("on-policy",),
    ),
    judge_stated=off_policy,
    check=check,
    prove=prove,
    instances=lambda: (fair_coin_chain(),),
    variant=FalseVariant("It is so off-policy for one feature.", off_policy),
    ablations=(
        Ablation(ON_POLICY.at("our own"), counterexample=lambda: theta_to_two_theta(Fraction(1))),
        Ablation(IRREDUCIBLE.at("our own"), box=TWO_CLASSES),
        Ablation(INDEPENDENT, box=ON_POLICY_BOX),
    ),
)
