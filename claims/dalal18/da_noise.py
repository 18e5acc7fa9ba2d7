r"""The constants of the noise of GTD(0), GTD2 and TDC.

Hypotheses: ‖φ‖ ≤ 1, |r| ≤ 1; one policy; independent samples. Not needed: A positive definite.
Model: any, features and rewards divided by whole numbers above their bounds; θ = (1, −2, 3, …), w = −2θ; each class.
Check: along three transitions, squares, with rational numbers below ‖A‖, ‖b‖, ‖C‖, ‖θ‖, ‖w‖ on the larger side; means.
Closed form: the triangle inequality, ‖φ(φ − γφ')ᵀ‖ ≤ 1 + γ, ‖φφᵀ‖ ≤ 1.
"""

from collections.abc import Sequence

from tdcert.claims import kit, models
from tdcert.claims.dalal18.gradient import A
from tdcert.claims.emphasis import lagrange_identity
from tdcert.claims.kit import HALF, Fraction, Model, Name, RationalMatrix, Relation, Verdict, expected, its, one_state
from tdcert.claims.means import PAID
from tdcert.claims.sy19 import recursion as sy

W: kit.Expression = Name(-2) * its.theta
"""w."""


def noise(k: Name, h: Name, sign: int = -1) -> dict[str, kit.Expression]:
    """M¹ of GTD(0) and GTD2, M² of both, M¹ and M² of TDC along a transition, with k = 1/f² and h = 1/(fq) for features
    φ/f and rewards r/q; ``sign``: of Cw in the last, where it is printed as 1. All but a factor 1/f² of φ is in k, h.
    """
    now, ahead = its.phi(0), its.discount(0) * its.phi(1)
    error = (h * its.reward(0) + k * ((ahead - now).T @ its.theta)) * now
    rest, fast, mean = h * PAID - k * (A @ its.theta), k * ((now.T @ W) * now), k * (its.C @ W)
    return {
        "M¹ of GTD": k * ((now.T @ W) * (now - ahead) - A.T @ W),
        "M² of GTD(0)": error - rest,
        "M² of GTD2": error - fast - (rest - mean),
        "M¹ of TDC": error - k * ((now.T @ W) * ahead) - (rest + k * (A.T @ W) - mean),
        "M² of TDC": error - fast - (rest + Name(sign) * mean),
    }


@kit.each_class
def bounded(
    model: Model, states: kit.States, theta: Sequence[Fraction | int], largest: tuple[int, int] | None = None
) -> Verdict:
    """Means and bounds on every recurrent class; ``largest``: f and q in the place of whole numbers above ‖φ‖, |r|."""
    context, steps = kit.Context(model, states, theta=RationalMatrix.column(theta)), sy.transitions(model, states)
    sizes = its.phi(0).T @ its.phi(0), its.reward(0) ** 2
    tops = (sy.largest(size, steps, context)[1] for size in sizes)
    f, q = largest or tuple(map(sy.whole_above, tops))
    k, h = Name(Fraction(1, f * f)), Name(Fraction(1, f * q))
    b, M, C, t = (kit.evaluate(x, context) for x in (h * PAID, k * A, k * its.C, its.theta))
    gamma, norm_b, norm_t = kit.largest_discount(model), sy.below((b.T @ b)[0, 0]), sy.below((t.T @ t)[0, 0])
    norm_A, norm_C = sy.below(sy.below_eigenvalue(M.T @ M)), sy.below_eigenvalue(C)
    m = [1 + gamma + norm_A, 1 + max(norm_b, gamma + norm_A), 1 + max(norm_b, gamma + norm_A, norm_C)]
    m += [2 + gamma + norm_A + norm_C] * 2
    means, bounds = list[Relation](), list[Relation]()
    for found, constant in zip(noise(k, h).values(), m, strict=True):
        means.append((expected("mu", "d", 1, found), "=", Name(0) * its.theta))
        bound = Name((constant * (1 + 3 * norm_t)) ** 2)
        bounds += [(kit.along(step, found.T @ found), "<=", bound) for step in steps[:3]]
    zero = kit.decide_relations(model, means, states=states, theta=theta)
    small = kit.decide_relations(model, bounds, states=states, theta=theta)
    exact = Fraction(1 if model.d == 1 else 2)  # for more features ‖A‖ is rounded
    return kit.together((zero, sy.unless_rounded(small, (b.T @ b)[0, 0], (t.T @ t)[0, 0], exact)), "means and bounds")


def judge_stated() -> kit.Refutation:
    """One state, φ = 1, θ = 1, w = −2: the printed M² of TDC has the mean −2Cw = 4."""
    printed = noise(Name(1), Name(1), sign=1)["M² of TDC"]
    relation = (expected("mu", "d", 1, printed), "=", Name(0))
    found = kit.decide_relations(model := one_state(HALF), [relation], theta=(1,))
    return kit.explained(found, model, "one state, φ = r = 1, γ = ½, θ = 1, w = −2", "E M⁽²⁾", "0")


def rewards_of_three() -> kit.Refutation:
    """0 ⇄ 1 and back to itself evenly, φ = 1, r = ±3, γ = 0, θ = w = 0: ‖M²‖ = 3 > m_2 = 1 + ‖A‖ = 2."""
    P, r = RationalMatrix([[HALF, HALF]] * 2), RationalMatrix.column([3, -3])
    model = Model.reward_process(P, r, Fraction(0), RationalMatrix.column([1, 1]), name="rewards of three")
    found = bounded(model, [0], (1, 1))
    return kit.explained(found, model, "two states, φ = 1, r = ±3, γ = 0, θ = w = 0", "‖M⁽²⁾‖² of GTD(0)", "m_2²")


CLAIM = kit.Claim(
    id="da_noise",
    stated=kit.Reading(
        r"The noise of Table 3's algorithms has mean zero, that of TDC is $M^{(2)} = r\phi + \phi[\gamma\phi' - "
        r"\phi]^\top\theta - \phi\phi^\top w - [b - A\theta + Cw]$, and $\|M^{(i)}\| \le m_i(1 + \|\theta\| + \|w\|)$.",
        quote=r"$- \phi_n\phi_n^\top w_n - [b - A\theta_n + Cw_n]$",
        place="App. F.2",
    ),
    corrected=kit.Reading(
        r"It holds with $M^{(2)} = r\phi + \phi[\gamma\phi' - \phi]^\top\theta - \phi\phi^\top w - [b - A\theta - Cw]$."
    ),
    correction=kit.Finding.MISPRINT,
    judge_stated=judge_stated,
    check=lambda model: bounded(model, kit.some_theta(model.d)),
    prove=lambda: kit.proved(
        "‖xyᵀ‖ = ‖x‖‖y‖ by Lagrange's identity, symbolic, k = 2 … 5; then the triangle inequality",
        kit.shown(lagrange_identity, at=range(2, 6)),
    ),
    variant=kit.FalseVariant("The bounds hold for |r| ≤ 3.", rewards_of_three),
    ablations=(
        kit.Ablation(kit.ON_POLICY.at("App. A"), box=models.OFF_POLICY_SURE),
        kit.Ablation(
            kit.C_POSITIVE.at("§5"), supports=lambda: [one_state(HALF, features=(0,)), one_state(HALF, features=(1, 1))]
        ),
    ),
    notes=(
        "h_2 above the display has the right sign, and the bound of M⁽²⁾ holds with either; with the printed one the "
        "mean of M⁽²⁾ is −2Cw. Nothing depends on the display.",
    ),
)
