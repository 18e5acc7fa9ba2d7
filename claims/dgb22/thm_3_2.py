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

from tdcert.claims import kit, models
from tdcert.claims.kit import COVERAGE, IRREDUCIBLE, LAMBDAS, Model, Verdict, decide_relations, some_theta
from tdcert.theory.expressions.forward_views import BACKWARD, FORWARD, decide_across_kernels, forward_mean, summable
from tdcert.theory.identities import forward_backward as identities
from tdcert.theory.model.gallery import uncovered_action


def prove() -> kit.Proof:
    """The mean of G^ρ over all paths under μ is S r + M V of the covered kernel; with ρ = 1 that is the mean under
    π."""
    sizes = ((1, 2, 1), (2, 1, 1), (2, 2, 0), (2, 2, 1), (3, 1, 1))
    return kit.proved(
        "E_μ[G^ρ | s] = (S r + M V)(s) with π = μρ, free μ, ρ, P, rewards, γ, λ, V, summed over all paths, (n, "
        "actions, L) = " + ", ".join(map(str, sizes)),
        kit.shown(identities.mean_return_identity, at=sizes),
    ) + kit.proved_for_all(
        "by composition: E_μ[ρ_t(R + Γ X(s_{t+1})) | s] = (r + N X)(s) is one step of both means, and T V = S r + "
        "M V by induction over L",
        kit.shown(identities.bellman_base, identities.bellman_step),
    )


@kit.each_class
def check(model: Model, states: kit.States) -> Verdict:
    """Both expectations, on every recurrent class."""
    length = summable(model, states, policies=("mu", "pi"))
    if length is None:
        return decide_across_kernels(model, states, FORWARD, "in matrix form: above the bound on paths")
    under_mu, under_pi = forward_mean("mu", length), forward_mean("pi", length)
    relations = [(under_pi, "=", under_mu), (under_pi, "=", FORWARD), (under_pi, "=", BACKWARD)]
    return decide_relations(model, relations, states=states, theta=some_theta(model.d))


def judge_stated() -> kit.Refutation:
    """One state, μ = (1, 0), π = (½, ½), reward 1, γ = ½, θ = 1: ½ against −¼."""
    model = uncovered_action()
    verdict = decide_relations(model, [(forward_mean("pi", 0), "=", forward_mean("mu", 0))], theta=[1])
    detail = "no coverage: the target takes an action that the behaviour policy never takes"
    return kit.explained(verdict, model, detail, "P δφ", "E_μ[δ^ρ φ]", μ=["1", "0"], π=["1/2", "1/2"], θ="1", γ="1/2")


CLAIM = kit.Claim(
    id="thm_3_2",
    stated=kit.Reading(
        r"$P_\mu^\pi \delta_t \phi_t = E_\mu[\delta_t^\rho \phi_t]$.",
        quote=(
            r"$P_{\mu}^{\pi}\delta_{t}^{[\lambda_1:\lambda_L]}(\theta)\phi_{t} = \mathbb{E}_{\mu} "
            r"\left[\delta_{t}^{[\lambda_{1}:\lambda_{L}],\rho}(\theta)\phi_{t}\right]$"
        ),
        place="§3, Theorem 3.2",
    ),
    corrected=kit.Reading(
        r"If $\mu(a|s) > 0$ wherever $\pi(a|s) > 0$, then $P_\mu^\pi \delta_t \phi_t = E_\mu[\delta_t^\rho \phi_t]$.",
        added_hypotheses=("coverage",),
    ),
    correction=kit.Finding.IMPLICIT_HYPOTHESIS,
    judge_stated=judge_stated,
    anchors=(r"\begin{theorem} \label{theorem_1}", r"\subsection*{A3.2 \quad Proof of Theorem 3.2}"),
    check=check,
    prove=prove,
    ablations=(
        kit.Ablation(COVERAGE, box=models.UNCOVERED),
        kit.Ablation(IRREDUCIBLE, supports=models.reducible_models, note="it holds from each state"),
        kit.Ablation(LAMBDAS, supports=models.signed_lambda_models),
    ),
    notes=(
        "A3.2 expands δ^ρ as Σ γᵏc_k ρ…ρ δ inside of the expectation, which is right under coverage; along a path it "
        "would not be (off_policy_expansion).",
    ),
    rests_on=("bellman_operator", "return_recursion"),
)
