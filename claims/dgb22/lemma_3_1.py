r"""Lemma 3.1: J(θ) as a product of three expectations.

Place: §3, proof in A3.1.
Statement: J(θ) = ‖V_θ − ΠTV_θ‖²_D = (P_μ^π δφ)ᵀ E_μ[φφᵀ]⁻¹ (P_μ^π δφ). Printed with ‖·‖_D, which §2 defines with d^π;
the right side needs D_μ, in the norm and in Π. A3.1 loses the inverse in its last line, and φ_s in its third display.
Hypotheses: C = E_μ[φφᵀ] is positive definite (else the right side does not exist).
Model: any; each recurrent class on its own.
Check: both sides at one θ, exactly; the expectations over all paths of the target policy, where they are few.
Closed form: with e = TV_θ − V_θ and Π = ΦC⁻¹ΦᵀD: V_θ − ΠTV_θ = −Πe, and ‖Πe‖²_D = eᵀDΦ C⁻¹ ΦᵀDe.
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import HALF, Expression, Model, Relation, Status, Verdict, decide_relations, its, solution
from tdcert.claims.verdicts import decide_with_inverse_of_gram
from tdcert.theory.certificate.bodies import strings
from tdcert.theory.expressions.forward_views import BACKWARD, BELLMAN, V_THETA, forward_mean, summable
from tdcert.theory.identities import algebra as identities

PROJECTED: Expression = its.Phi @ solution(its.C, its.Phi.T @ its.D @ BELLMAN)
"""ΠTV_θ, the projection in the norm of D_μ."""
ERROR: Expression = V_THETA - PROJECTED
SQUARED_NORM: Expression = ERROR.T @ its.D @ ERROR


def product_of(mean: Expression, gram: Expression) -> Expression:
    """mᵀ G⁻¹ m."""
    return mean.T @ solution(gram, mean)


def prove() -> kit.Proof:
    """‖Πe‖²_D = eᵀDΦC⁻¹ΦᵀDe and V_θ − ΠTV_θ = −Πe, symbolic Φ, D, e, θ."""
    sizes = ((1, 1), (2, 1), (2, 2), (3, 1))
    return kit.proved(
        "V_θ − ΠTV_θ = −Πe and ‖Πe‖²_D = (ΦᵀDe)ᵀC⁻¹(ΦᵀDe), free Φ, D, e, θ, (n, d) = " + ", ".join(map(str, sizes)),
        kit.shown(identities.projected_error_identity, at=sizes),
    )


@kit.each_class
def check(model: Model, states: kit.States) -> Verdict:
    """‖V_θ − ΠTV_θ‖²_D against the product, on every recurrent class."""
    relations: list[Relation] = [(SQUARED_NORM, "=", product_of(BACKWARD, "C"))]
    length = summable(model, states, policies=("pi",))
    if length is not None:
        gram = kit.expected("mu", "d", 0, its.phi(0) @ its.phi(0).T)
        relations.append((SQUARED_NORM, "=", product_of(forward_mean("pi", length), gram)))
    without = "C is singular: its inverse does not exist"
    return decide_with_inverse_of_gram(model, relations, states, kit.some_theta(model.d), without)


def judge_stated() -> kit.Refutation:
    """θ→2θ, γ = ½, no rewards, θ = 1: the target's law is (0, 1), and with it the left side is 16/25, the right 2/5."""
    model = kit.theta_to_two_theta(HALF)
    # One step under π from d_μ ends in state 2 for good, so P_πᵀd_μ is the target's law: P_πᵀ keeps it.
    law: Expression = its.P_pi.T @ its.d
    kept: Relation = (its.P_pi.T @ law, "=", law)
    printed: Expression = ERROR.T @ kit.diagonal(law) @ ERROR
    grounds = decide_relations(model, [kept, (SQUARED_NORM, "=", product_of(BACKWARD, "C"))], theta=[1])
    verdict = decide_relations(model, [(printed, "=", product_of(BACKWARD, "C"))], theta=[1])
    if grounds.status is not Status.HOLDS or verdict.status is not Status.REFUTED:
        return kit.Refutation(kit.undecided("θ→2θ does not tell the two norms apart"), model)
    witness = {
        "θ": "1",
        "γ": "1/2",
        "d_μ": strings(model.behaviour_chain.stationary_law((0, 1))),
        "d_π": ["0", "1"],
        "norm of D_π": verdict.witness["left value"],
        "right side": verdict.witness["right value"],
    }
    detail = "with D from d^π, as §2 defines it, the two sides differ; with D_μ they agree"
    certificates = (*verdict.certificates, *grounds.certificates)
    return kit.Refutation(kit.refuted(detail, witness, by=certificates), model)


CLAIM = kit.Claim(
    id="lemma_3_1",
    stated=kit.Reading(
        r"$\|V_\theta - \Pi T V_\theta\|_D^2 = (P_\mu^\pi \delta_t \phi_t)^T E_\mu[\phi_t \phi_t^T]^{-1} (P_\mu^\pi "
        r"\delta_t \phi_t)$, where $D$ has $d^\pi$ on its diagonal (§2).",
        quote=(
            r"The objective function $J(\theta) = ||V_{\theta} - \Pi "
            r"T^{\pi,[\lambda_1:\lambda_L]}V_{\theta}||_{D}^{2}$ can be equivalently written as"
        ),
        place="§3, Lemma 3.1",
    ),
    corrected=kit.Reading(
        r"$\|V_\theta - \Pi T V_\theta\|_{D_\mu}^2 = (P_\mu^\pi \delta_t \phi_t)^T C^{-1} (P_\mu^\pi \delta_t "
        r"\phi_t)$, where $\Pi$ projects in the norm of $D_\mu$, if $C = E_\mu[\phi_t \phi_t^T] = \Phi^T D_\mu \Phi$, "
        "which is inverted, is positive definite."
    ),
    correction=kit.Finding.MISPRINT,
    judge_stated=judge_stated,
    anchors=(
        r"The objective function $J(\theta) = ||V_{\theta} - \Pi T^{\pi,[\lambda_1:\lambda_L]}V_{\theta}||_{D}^{2}$",
        r"\mathbb{E}_{\mu}\left[\Phi_{t}^T\Phi_{t}\right]\left(P_{\mu}^{\pi}",
    ),
    check=check,
    prove=prove,
    ablations=(
        kit.Ablation(kit.C_POSITIVE, box=models.ON_POLICY_BOX),
        kit.Ablation(
            kit.COVERAGE, supports=models.uncovered_models, note="both sides are means under the target policy itself"
        ),
        kit.Ablation(kit.LAMBDAS, supports=models.signed_lambda_models),
    ),
    notes=("A3.1 drops φ_s from its third display and the inverse from its last line, and writes Φ_t for φ_t there.",),
    rests_on=("bellman_operator",),
)
