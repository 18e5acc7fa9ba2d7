r"""The iteration matrix of averaged GTD.

Where: averaged GTD is y' = y + α(b_t − A_tθ − y), θ' = θ + αA_tᵀy', of Table 1, and x = (y, θ).
Model: any, A_t = φ(φ − γφ')ᵀ and b_t = Rφ on each transition of the behaviour policy; y = φ, θ = φ'.
Check: both halves of x', and xᵀ(H + Hᵀ − αHᵀH)x against the closed form, at α = ⅓, on up to six transitions.
Closed form: H + Hᵀ − αHᵀH = [[(2 − α)I − α(1 − α)²AAᵀ, α²(1 − α)AAᵀA], [·, αAᵀA − α³(AᵀA)²]].
"""

from typing import Any

from tdcert.claims import kit
from tdcert.claims.kit import HALF, Fraction, Model, Name, Relation, Verdict, free, its, one_state, some_paths
from tdcert.claims.ls18.ls_td_step import update

ALPHA = Name(Fraction(1, 3))


def half_of_image(A: Any, y: Any, theta: Any, alpha: Any) -> tuple[Any, Any]:
    """H(y, θ)."""
    return y + A @ theta, scaled(alpha - 1, A.T @ y) + scaled(alpha, A.T @ (A @ theta))


def scaled(number: Any, column: Any) -> Any:
    """A multiple of an expression or of a symbolic matrix."""
    return number * column if isinstance(column, tuple) else column.scaled(number)


def closed_form(A: Any, y: Any, theta: Any, alpha: Any) -> Any:
    """xᵀ(H + Hᵀ − αHᵀH)x by the closed form (1×1)."""
    back, ahead = A.T @ y, A.T @ (A @ theta)
    first = scaled(2 - alpha, y.T @ y) - scaled(alpha * (1 - alpha) ** 2, back.T @ back)
    mixed = scaled(2 * alpha**2 * (1 - alpha), back.T @ ahead)
    last = scaled(alpha, theta.T @ ahead) - scaled(alpha**3, ahead.T @ ahead)
    return first + mixed + last


def same_update(d: int) -> bool:
    """Both writings of x', and both of the form, for free A, b, y, θ (d features) and α."""
    _, A, b, y, theta, alpha = free(A=(d, d), b=(d, 1), y=(d, 1), t=(d, 1), a=())
    y_next = y + (b - A @ theta - y).scaled(alpha)
    theta_next = theta + (A.T @ y_next).scaled(alpha)
    fast, slow = half_of_image(A, y, theta, alpha)
    written = y + (b - fast).scaled(alpha), theta + ((A.T @ b).scaled(alpha) - slow).scaled(alpha)
    form = (y.T @ fast + theta.T @ slow).scaled(2) - (fast.T @ fast + slow.T @ slow).scaled(alpha)
    same = form - closed_form(A, y, theta, alpha)
    return bool(all((x - z).is_zero() for x, z in zip(written, (y_next, theta_next), strict=True)) and same.is_zero())


def with_fast_half(model: Model, late: bool) -> Verdict:
    """GTD whose θ moves by y' (``late``) or by y, against H."""
    A, y, theta = update(), its.phi(0), its.phi(1)
    b = its.reward(0) * its.phi(0)
    y_next = y + ALPHA * (b - A @ theta - y)
    theta_next = theta + ALPHA * (A.T @ (y_next if late else y))
    fast, slow = half_of_image(A, y, theta, ALPHA)
    form = 2 * (y.T @ fast + theta.T @ slow) - ALPHA * (fast.T @ fast + slow.T @ slow)
    statement: list[Relation] = [
        (y + ALPHA * (b - fast), "=", y_next),
        (theta + ALPHA * (ALPHA * (A.T @ b) - slow), "=", theta_next),
        (form, "=", closed_form(A, y, theta, ALPHA)),
    ]
    return kit.decide_along(model, some_paths(model, 1, 6), statement, detail="x + α(g − Hx) = x'")


def with_the_former_y() -> kit.Refutation:
    """One state, φ = 1, R = 1, γ = ½, y = θ = 1: θ' = 1 + 1/6 with y, and 1 + 7/36 with y'."""
    model = one_state(HALF)
    found = with_fast_half(model, late=False)
    return kit.explained(found, model, "one state, γ = ½, α = ⅓, y = θ = R = 1", "by H", "θ + αAᵀy")


CLAIM = kit.Claim(
    id="ls_gtd_h",
    stated=kit.Reading(
        r"Averaged GTD is $x_{t+1} = x_t + \alpha(g_t - H_t x_t)$, $H_t = \begin{pmatrix} I & A_t \\ "
        r"-(1-\alpha)A_t^\top & \alpha A_t^\top A_t \end{pmatrix}$, $g_t = (b_t, \alpha A_t^\top b_t)$.",
        quote=r"can be expressed as $x_{t+1} = x_t + \alpha(g_t - H_t x_t)$",
        place="App. C, proof of Theorem 5, part (ii)",
    ),
    anchors=("When α = β",),
    check=lambda model: with_fast_half(model, late=True),
    prove=lambda: kit.proved(
        "x + α(g − Hx) = x', and the form of H + Hᵀ − αHᵀH: symbolic A, b, y, θ, α, d = 1, 2, 3",
        kit.shown(same_update, at=(1, 2, 3)),
    ),
    variant=kit.FalseVariant("So is GTD whose θ moves by the y before its update.", with_the_former_y),
)
