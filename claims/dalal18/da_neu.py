r"""GTD(0) follows the gradient of the NEU.

Where: w = b − Aθ at rest, and h_1 = Aᵀw.
Model: any; θ = (1, −2, 3, …), and the step x = 3θ; each recurrent class on its own.
Check: J(θ + x) − J(θ) = −xᵀAᵀ(b − Aθ) + ½‖Ax‖².
Closed form: the same.
"""

from tdcert.claims import kit, models
from tdcert.claims.dalal18.gradient import A
from tdcert.claims.kit import HALF, IRREDUCIBLE, Expression, Model, Name, Verdict, free, its, some_theta
from tdcert.claims.ls18.ls_td_step import three_corners
from tdcert.claims.means import PAID


def expansion(d: int) -> bool:
    """The closed form, everything free, both sides twice."""
    _, M, b, t, x = free(a=(d, d), b=(d, 1), t=(d, 1), x=(d, 1))
    now, then, ahead = b - M @ t, b - M @ (t + x), M @ x
    slope = x.T @ M.T @ now
    return bool((then.T @ then - now.T @ now + slope + slope - ahead.T @ ahead).is_zero())


@kit.each_class
def falls(model: Model, states: kit.States, field: Expression) -> Verdict:
    """Whether a field is −∇J, by the expansion along one x."""
    x, now = Name(3) * its.theta, PAID - A @ its.theta
    then, ahead = now - A @ x, A @ x
    half = Name(HALF)
    relation = (half * (then.T @ then) - half * (now.T @ now), "=", half * (ahead.T @ ahead) - x.T @ field)
    return kit.decide_relations(model, [relation], states=states, theta=some_theta(model.d), detail="−∇J = h_1")


def without_transpose() -> kit.Refutation:
    """Three states in a circle: A is not symmetric."""
    found = falls(model := three_corners(), A @ (PAID - A @ its.theta))
    return kit.explained(
        found,
        model,
        "0 → 1 → 2 → 0, φ = (−1, 0), (0, −1), (½, ½), γ = 9/10",
        "J(θ + x) − J(θ)",
        "its expansion with A(b − Aθ)",
    )


CLAIM = kit.Claim(
    id="da_neu",
    stated=kit.Reading(
        r"$-\nabla\frac12(b - A\theta)^\top(b - A\theta) = A^\top(b - A\theta)$, which is $h_1$ where $w$ is at rest.",
        quote="GTD(0) is designed to minimize the objective function",
        place="§5.1",
    ),
    check=lambda model: falls(model, A.T @ (PAID - A @ its.theta)),
    prove=lambda: kit.proved(
        "J(θ + x) − J(θ) = −xᵀAᵀ(b − Aθ) + ½‖Ax‖², symbolic A, b, θ, x, d = 1, 2, 3", kit.shown(expansion, at=(1, 2, 3))
    ),
    variant=kit.FalseVariant("The field is A(b − Aθ).", without_transpose),
    ablations=(kit.Ablation(IRREDUCIBLE.at("not in the paper"), supports=models.reducible_models),),
    rests_on=("da_gtd0_display",),
)
