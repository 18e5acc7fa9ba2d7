r"""Theorem 3.4: the forward view equals the backward view.

Place: §3, proof in A3.4.
Statement: E_μ[δ_t^ρ φ_t] = E_μ[δ_t z_t], with the trace z_t of §3. Needs coverage, as Theorem 3.2.
Hypotheses: coverage.
Model: any; each recurrent class on its own.
Check: both expectations over all paths at one θ, where the paths are few; for every model both in matrix form, of the
kernel that the behaviour policy sees.
Closed form: the difference is ΦᵀD S((q − 1)∘V), q(s) = Σ π(a|s) over the actions with μ(a|s) > 0: zero under coverage.
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import COVERAGE, IRREDUCIBLE, LAMBDAS, Model, Relation, Verdict, decide_relations, some_theta
from tdcert.theory.expressions.forward_views import BACKWARD, FORWARD, backward_mean, forward_mean, summable
from tdcert.theory.identities import forward_backward as identities
from tdcert.theory.identities.forms_and_norms import telescoping_base, telescoping_step
from tdcert.theory.model.gallery import uncovered_action


def prove() -> kit.Proof:
    """Both views over all paths of two stationary states, with their difference; all L and n through telescoping."""
    sizes = ((1, 0), (2, 0), (1, 1), (1, 2), (2, 1))
    return kit.proved(
        "E_μ[δ^ρ φ] − E_μ[δ z] = φᵀD S((q − 1)∘V), π = μρ with free mass q, summed over all paths of two "
        "stationary states, (actions, L) = " + ", ".join(map(str, sizes)),
        kit.shown(identities.backward_view_identity, at=sizes),
    ) + kit.proved_for_all(
        "by composition: S r + MV − V (bellman_operator) and S(r + NV − V) (each term of δz, by stationarity) "
        "agree, as S(N − I) = M − I",
        kit.shown(telescoping_base, telescoping_step),
    )


@kit.each_class
def check(model: Model, states: kit.States) -> Verdict:
    """Forward against backward, on every recurrent class."""
    relations: list[Relation] = [(FORWARD, "=", BACKWARD)]
    length = summable(model, states)
    if length is not None:
        forward, backward = forward_mean("mu", length), backward_mean(length)
        relations = [(forward, "=", FORWARD), (backward, "=", BACKWARD), (forward, "=", backward), *relations]
    return decide_relations(model, relations, states=states, kernel="covered", theta=some_theta(model.d))


def judge_stated() -> kit.Refutation:
    """One state, μ = (1, 0), π = (½, ½), reward 1, γ = ½, θ = 1: −¼ against ¼."""
    model = uncovered_action()
    verdict = decide_relations(model, [(forward_mean("mu", 0), "=", backward_mean(0))], theta=[1])
    detail = "no coverage: E_μ[ρ_t | s_t] = ½, so E_μ[(ρ_t − 1)V(s_t)φ_t] does not vanish"
    return kit.explained(
        verdict, model, detail, "E_μ[δ^ρ φ]", "E_μ[δ z]", μ=["1", "0"], π=["1/2", "1/2"], θ="1", γ="1/2"
    )


CLAIM = kit.Claim(
    id="thm_3_4",
    stated=kit.Reading(
        r"$E_\mu[\delta_t^\rho \phi_t] = E_\mu[\delta_t z_t]$.",
        quote=(
            r"$\mathbb{E}_{\mu}\left[\delta_{t}^{[\lambda_{1}:\lambda_{L}],\rho}(\theta)\phi_{t}\right] = "
            r"\mathbb{E}_{\mu}\left[\delta_{t}(\theta)z_{t}\right]$"
        ),
        place="§3, Theorem 3.4",
    ),
    corrected=kit.Reading(
        r"If $\mu(a|s) > 0$ wherever $\pi(a|s) > 0$, then $E_\mu[\delta_t^\rho \phi_t] = E_\mu[\delta_t z_t]$.",
        added_hypotheses=("coverage",),
    ),
    correction=kit.Finding.IMPLICIT_HYPOTHESIS,
    judge_stated=judge_stated,
    anchors=(
        r"\label{Forward_to_Backward}",
        r"\mathbb{E}[(\rho_{t}-1)\theta^{T}\phi_{t}\phi_{k}] = 0$  $\forall k\leq t$",
    ),
    check=check,
    prove=prove,
    ablations=(
        kit.Ablation(COVERAGE, box=models.UNCOVERED),
        kit.Ablation(IRREDUCIBLE, supports=models.reducible_models, note="the law of one recurrent class is enough"),
        kit.Ablation(LAMBDAS, supports=models.signed_lambda_models),
    ),
    notes=(
        "A3.4 uses E[(ρ_t − 1)V(s_t)φ_k] = 0 where it needs that product times ρ_k…ρ_{t−1}: true as well, and by the "
        "same argument.",
        "A3.4 applies Lemma 3.3 to λ_2, λ_3, … one after another; the lemma is about λ_1 alone, and a display drops "
        "γλ_2ρ_{t+1}.",
        "If the return is defined by the display of §3 (with control variates), forward and backward view agree "
        "without coverage.",
    ),
    rests_on=("bellman_operator", "lemma_3_3", "telescoping"),
)
