r"""Theorem 3.2: from the target policy to the behaviour policy.

Place: §3, proof in A3.2.
Statement: P_μ^π δ_t φ_t = E_μ[δ_t^ρ φ_t], with the per-decision return G^ρ of §3. Needs coverage, which the paper does
not state: without it the behaviour policy sees a part of the target's kernel only.
Hypotheses: coverage, μ(a|s) > 0 wherever π(a|s) > 0.
Model: any; each recurrent class on its own.
Check: both expectations over all paths at one θ, where the paths are few; above that bound both in matrix form, ΦᵀD(S r
+ MV − V) of the covered kernel against that of the target kernel.
Closed form: both are ΦᵀD(S r + MV − V), V = Φθ, of the kernel that the policy sees; coverage makes the kernels one.
"""

from __future__ import annotations

from dataclasses import replace

from claims.claim import Ablation, Claim, Finding, ProofError, Reading, Refutation
from claims.models import UNCOVERED, reducible_models, signed_lambda_models
from theory.check import identities_views as identities
from theory.check.hypotheses import COVERAGE, IRREDUCIBLE, LAMBDAS
from theory.check.paths import on_each_class, some_theta
from theory.check.relations import decide_relations
from theory.check.views import BACKWARD, FORWARD, decide_across_kernels, forward_mean, summable
from theory.model.gallery import uncovered_action
from theory.model.mdp import Model
from theory.verdict import Grade, Scope, ScopedEvidence, Status, Verdict


def prove() -> tuple[ScopedEvidence, ...]:
    """The mean of G^ρ over all paths under μ is S r + M V of the covered kernel; with ρ = 1 that is the mean under
    π."""
    sizes = ((1, 2, 1), (2, 1, 1), (2, 2, 0), (2, 2, 1), (3, 1, 1))
    if not all(identities.mean_return_identity(*size) for size in sizes):
        raise ProofError("the mean of the per-decision return is not S r + M V of the covered kernel")
    if not (identities.bellman_base() and identities.bellman_step()):
        raise ProofError("the induction over L fails")
    return (
        ScopedEvidence(
            Scope.SIZES, Grade.PROVED, len(sizes),
            "E_μ[G^ρ | s] = (S r + M V)(s) with π = μρ, free μ, ρ, P, rewards, γ, λ, V, summed over all paths, (n, "
            "actions, L) = "
            + ", ".join(map(str, sizes)),
        ),
        ScopedEvidence(
            Scope.ALL_SIZES, Grade.PROVED, 2,
            "by composition: E_μ[ρ_t(R + Γ X(s_{t+1})) | s] = (r + N X)(s) is one step of both means, and T V = S r + "
            "M V by induction over L",
        ),
    )  # fmt: skip


def check(model: Model) -> Verdict:
    """Both expectations, on every recurrent class."""

    def decide(states: tuple[int, ...]) -> Verdict:
        length = summable(model, states, policies=("mu", "pi"))
        if length is None:
            return decide_across_kernels(model, states, FORWARD, "in matrix form: above the bound on paths")
        under_mu, under_pi = forward_mean("mu", length), forward_mean("pi", length)
        relations = [(under_pi, "=", under_mu), (under_pi, "=", FORWARD), (under_pi, "=", BACKWARD)]
        return decide_relations(model, relations, states=states, theta=some_theta(model.d))

    return on_each_class(decide, model)


def judge_stated() -> Refutation:
    """One state, μ = (1, 0), π = (½, ½), reward 1, γ = ½, θ = 1: ½ against −¼."""
    model = uncovered_action()
    verdict = decide_relations(model, [(forward_mean("pi", 0), "=", forward_mean("mu", 0))], theta=[1])
    if verdict.status is Status.REFUTED:
        values = {"P δφ": verdict.witness["left value"], "E_μ[δ^ρ φ]": verdict.witness["right value"]}
        witness = {"μ": ["1", "0"], "π": ["1/2", "1/2"], "θ": "1", "γ": "1/2", **values}
        detail = "no coverage: the target takes an action that the behaviour policy never takes"
        verdict = replace(verdict, detail=detail, witness=witness)
    return Refutation(verdict, model)


CLAIM = Claim(
    id="thm_3_2",
    stated=Reading(r"$P_\mu^\pi \delta_t \phi_t = E_\mu[\delta_t^\rho \phi_t]$."),
    corrected=Reading(
        r"If $\mu(a|s) > 0$ wherever $\pi(a|s) > 0$, then $P_\mu^\pi \delta_t \phi_t = E_\mu[\delta_t^\rho \phi_t]$.",
        added_hypotheses=("coverage",),
    ),
    correction=Finding.IMPLICIT_HYPOTHESIS,
    judge_stated=judge_stated,
    hypotheses=(COVERAGE,),
    anchors=(r"\begin{theorem} \label{theorem_1}", r"\subsection*{A3.2 \quad Proof of Theorem 3.2}"),
    check=check,
    prove=prove,
    ablations=(
        Ablation(COVERAGE, box=UNCOVERED),
        Ablation(IRREDUCIBLE, supports=reducible_models, note="it holds from each state"),
        Ablation(LAMBDAS, supports=signed_lambda_models),
    ),
    notes=(
        "A3.2 expands δ^ρ as Σ γᵏc_k ρ…ρ δ, which is not so along a path (see off_policy_expansion), only in the mean.",
    ),
    rests_on=("bellman_operator", "return_recursion"),
)
