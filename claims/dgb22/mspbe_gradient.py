r"""The gradient of J, and its TDC split.

Place: §3, after Theorem 3.4.
Statement: with J(θ) = E[δz]ᵀ E[φφᵀ]⁻¹ E[δz], −½∇J = E[(φ_t − γφ_{t+1})z_tᵀ] C⁻¹ E[δz] = −AᵀC⁻¹(Aθ + b), and the split
−½∇J = E[δz] − E[(γφ_{t+1} − φ_t)z_tᵀ + φφᵀ] C⁻¹E[δz].
Hypotheses: C is positive definite.
Model: any; each recurrent class on its own.
Check: J is quadratic, so J(θ + h) − J(θ − h) = 2hᵀ∇J exactly: along h = φ(s) for every state (they span ℝ^d); the
split; and the expectations over all paths, where they are few. A and b as the behaviour policy sees them, so coverage
is not needed.
Closed form: J(θ + h) = J(θ) + 2hᵀAᵀC⁻¹(Aθ + b) + hᵀAᵀC⁻¹Ah.
"""

from tdcert.claims import kit, models
from tdcert.claims.dgb22.lemma_3_1 import product_of
from tdcert.claims.kit import LAMBDAS, Expression, Model, Path, Relation, Verdict, along, expected, its, solution
from tdcert.claims.verdicts import decide_with_inverse_of_gram
from tdcert.theory.expressions.forward_views import BACKWARD, backward_mean, summable
from tdcert.theory.identities import algebra as identities

DIRECTIONS = 20
"""So many states at most give directions φ(s); the first of them whose features are independent."""
HALF_DESCENT: Expression = -(its.A.T @ solution(its.C, BACKWARD))
"""−AᵀC⁻¹(Aθ + b)."""


def J(theta: Expression) -> Expression:
    """(Aθ + b)ᵀC⁻¹(Aθ + b)."""
    return product_of(its.A @ theta + its.b, "C")


def prove() -> kit.Proof:
    """J(θ + h) − J(θ − h) = 4hᵀAᵀC⁻¹(Aθ + b) and the split, on symbols, by the suite's own J."""
    return kit.proved(
        "J(θ + h) − J(θ − h) = 4hᵀAᵀC⁻¹(Aθ + b) and Aθ + b − (Aᵀ + C)C⁻¹(Aθ + b) = −AᵀC⁻¹(Aθ + b), free A, b, θ, h "
        "and symmetric C, d = 1, 2",
        kit.shown(identities.mspbe_gradient_identity, identities.tdc_split_identity, at=(1, 2)),
    )


@kit.each_class
def check(model: Model, states: kit.States) -> Verdict:
    """The gradient along every φ(s), and the split, on every recurrent class."""
    spanning = model.features.T.independent_columns()[:DIRECTIONS]
    relations: list[Relation] = []
    for h in (along(Path((s,), ()), its.phi(0)) for s in spanning):
        change = J(its.theta + h) - J(its.theta - h)
        relations.append((change, "=", -4 * (h.T @ HALF_DESCENT)))
    correction = (its.A.T + its.C) @ solution(its.C, BACKWARD)
    relations.append((HALF_DESCENT, "=", BACKWARD - correction))
    relations += _expectations(model, states)
    without = "C is singular: J as displayed does not exist"
    return decide_with_inverse_of_gram(model, relations, states, kit.some_theta(model.d), without, "covered")


def _expectations(model: Model, states: kit.States) -> list[Relation]:
    """Both displays with their expectations over paths, where these are few."""
    t = summable(model, states)
    if t is None:
        return []
    step = its.phi(t) - its.discount(t) * its.phi(t + 1)
    product = step @ its.z_rho(t).T
    gram = expected("mu", "d", t + 1, its.phi(t) @ its.phi(t).T)
    weighted = solution(gram, backward_mean(t))
    split = expected("mu", "d", t + 1, its.phi(t) @ its.phi(t).T - product)
    return [
        (HALF_DESCENT, "=", expected("mu", "d", t + 1, product) @ weighted),
        (HALF_DESCENT, "=", backward_mean(t) - split @ weighted),
    ]


CLAIM = kit.Claim(
    id="mspbe_gradient",
    stated=kit.Reading(
        r"$-\frac12 \nabla J(\theta) = E[(\phi_t - \gamma \phi_{t+1}) z_t^T] C^{-1} E[\delta_t z_t] = -A^T C^{-1} "
        r"(A\theta + b)$, and it equals $E[\delta_t z_t] - E[(\gamma \phi_{t+1} - \phi_t) z_t^T + \phi_t \phi_t^T] "
        r"C^{-1} E[\delta_t z_t]$.",
        quote=(
            r"$\mathbb{E}\left[(\phi_t-\gamma\phi_{t+1})z_t^T\right]\mathbb{E}\left[\phi_t\phi_t^T\right]^{-1}\mathbb{E}\left[\delta_t(\theta)z_t\right]$"
        ),
        place="§3, after Theorem 3.4",
    ),
    anchors=(
        r"-\frac{1}{2}\nabla J(\theta) &= -\nabla\mathbb{E}\left[\delta_t(\theta)z_t^{T}\right]",
        r"an alternative is to express the gradient direction as",
    ),
    check=check,
    prove=prove,
    ablations=(
        kit.Ablation(kit.C_POSITIVE, box=models.ON_POLICY_BOX),
        kit.Ablation(
            kit.COVERAGE,
            supports=models.uncovered_models,
            note="J is the displayed product; that it is the MSPBE needs coverage (thm_3_4)",
        ),
        kit.Ablation(LAMBDAS, supports=models.signed_lambda_models),
    ),
    rests_on=("lemma_3_1", "thm_3_2", "thm_3_4"),
)
