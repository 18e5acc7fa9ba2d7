r"""Corollary C.1: independent features among the states of interest make C negative definite.

Place: App. C, Corollary C.1, in the words of Remark C.2.
Statement: if {φ(s) : i(s) > 0} contains n linearly independent vectors, then C is negative definite.
Hypotheses: that; (I − P_πΓ)⁻¹ exists; λ(s) ∈ [0, 1]. Not needed: an irreducible behaviour chain, coverage.
Model: any, with one λ and the interest r(s)² in each state; each recurrent class on its own.
Check: −C − Cᵀ = L diag(D) Lᵀ with D > 0, entry by entry.
Closed form: m = d_i + Qᵀm ≥ d_i, so ΦᵀM̄Φ ⪰ Φᵀdiag(d_i)Φ ≻ 0, and Proposition C.2 applies.
"""

from __future__ import annotations

from tdcert.claims.emphasis import OF_INTEREST, ON_MODELS, OUTSIDE, C, law_identity
from tdcert.claims.kit import Ablation, Claim, FalseVariant, Model, Proof, Reading, proved, shown
from tdcert.claims.models import ON_POLICY_BOX, UNDISCOUNTED, reducible_models, uncovered_models
from tdcert.claims.verdicts import Verdict
from tdcert.claims.yu15.yu_definite import kept
from tdcert.claims.yu15.yu_rank import by_interest_alone
from tdcert.claims.yu15.yu_semidefinite import sign_of
from tdcert.theory.check.hypotheses import COVERAGE, EPISODES_END, IRREDUCIBLE, LAMBDAS, Hypothesis, Reply
from tdcert.theory.expressions.notation import diagonal, its
from tdcert.theory.expressions.relations import Context, evaluate


def _independent(model: Model) -> Reply:
    W = its.Phi.T @ diagonal(OF_INTEREST) @ its.Phi
    ranks = [evaluate(W, Context(model, states)).rank for states in model.behaviour_chain.recurrent_classes]
    return Reply(min(ranks) == model.d, f"the states of interest have {min(ranks)} independent feature vectors")


INTEREST = Hypothesis(
    "interest_rank", r"$\{\phi(s) : i(s) > 0\}$ contains $n$ independent vectors", "App. C, (C.4)", _independent
)


def prove() -> Proof:
    """m is no less than the law weighted with the interest."""
    sentence = "m_s = d_s i(s) + Σ_t m_tQ_ts ≥ d_s i(s): symbolic Q, m, n = 1 … 4; so ΦᵀM̄Φ ≻ 0, and yu_rank applies"
    return proved(sentence, shown(law_identity, at=range(1, 5)))


def check(model: Model) -> Verdict:
    """−C − Cᵀ on every recurrent class."""
    return sign_of(-C(model), model, "−C − Cᵀ is positive definite", strict=True)


CLAIM = Claim(
    id="yu_rank_interest",
    stated=Reading(
        r"If the feature vectors of the states with $i(s) > 0$ contain $n$ linearly independent ones, then $C$ is "
        r"negative definite.",
        quote="Then the matrix $C$ is negative definite",
        place="App. C, Corollary C.1",
    ),
    anchors=("Corollary C.1",),
    check=check,
    prove=prove,
    variant=FalseVariant("The condition is necessary too: C is singular where it fails.", by_interest_alone),
    ablations=(
        Ablation(INTEREST, box=ON_POLICY_BOX),
        Ablation(EPISODES_END.at("Assumption 2.1(i)"), box=UNDISCOUNTED),
        Ablation(LAMBDAS.at("§2.2"), box=OUTSIDE),
        Ablation(IRREDUCIBLE.at("Assumption 2.1(ii)"), supports=kept(reducible_models)),
        Ablation(COVERAGE.at("Assumption 2.1(ii)"), supports=kept(uncovered_models)),
    ),
    notes=(ON_MODELS,),
    rests_on=("yu_rank", "yu_definite"),
)
