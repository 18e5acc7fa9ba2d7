r"""Corollary C.1: independent features among the states of interest make C negative definite.

Note: in the words of Remark C.2.
Model: any, with one λ and the interest r(s)² in each state; each recurrent class on its own.
Check: −C − Cᵀ = L diag(D) Lᵀ with D > 0, entry by entry.
Closed form: m = d_i + Qᵀm ≥ d_i, so ΦᵀM̄Φ ⪰ Φᵀdiag(d_i)Φ ≻ 0, and Proposition C.2 applies.
"""

from tdcert.claims import kit, models
from tdcert.claims.emphasis import OF_INTEREST, ON_MODELS, OUTSIDE, C, law_identity
from tdcert.claims.kit import COVERAGE, LAMBDAS, Context, Model, Reply, diagonal, evaluate, its
from tdcert.claims.yu15.yu_definite import kept
from tdcert.claims.yu15.yu_rank import by_interest_alone
from tdcert.claims.yu15.yu_semidefinite import sign_of


@kit.hypothesis("interest_rank", r"$\{\phi(s) : i(s) > 0\}$ contains $n$ independent vectors", "App. C, (C.4)")
def INTEREST(model: Model) -> Reply:
    W = its.Phi.T @ diagonal(OF_INTEREST) @ its.Phi
    ranks = [evaluate(W, Context(model, states)).rank for states in model.behaviour_chain.recurrent_classes]
    return Reply(min(ranks) == model.d, f"the states of interest have {min(ranks)} independent feature vectors")


CLAIM = kit.Claim(
    id="yu_rank_interest",
    stated=kit.Reading(
        r"If the feature vectors of the states with $i(s) > 0$ contain $n$ linearly independent ones, then $C$ is "
        r"negative definite.",
        quote="Then the matrix $C$ is negative definite",
        place="App. C, Corollary C.1",
    ),
    anchors=("Corollary C.1",),
    check=lambda model: sign_of(-C(model), model, "−C − Cᵀ is positive definite", strict=True),
    prove=lambda: kit.proved(
        "m_s = d_s i(s) + Σ_t m_tQ_ts ≥ d_s i(s): symbolic Q, m, n = 1 … 4; so ΦᵀM̄Φ ≻ 0, and yu_rank applies",
        kit.shown(law_identity, at=range(1, 5)),
    ),
    variant=kit.FalseVariant("The condition is necessary too: C is singular where it fails.", by_interest_alone),
    ablations=(
        kit.Ablation(INTEREST, box=models.ON_POLICY_BOX),
        kit.Ablation(kit.EPISODES_END.at("Assumption 2.1(i)"), box=models.UNDISCOUNTED),
        kit.Ablation(LAMBDAS.at("§2.2"), box=OUTSIDE),
        kit.Ablation(kit.IRREDUCIBLE.at("Assumption 2.1(ii)"), supports=kept(models.reducible_models)),
        kit.Ablation(COVERAGE.at("Assumption 2.1(ii)"), supports=kept(models.uncovered_models)),
    ),
    notes=(ON_MODELS,),
    rests_on=("yu_rank", "yu_definite"),
)
