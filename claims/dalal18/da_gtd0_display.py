r"""The update of GTD(0).

Model: any, off-policy with ratios; each recurrent class on its own.
Check: the mean of the shipped GTD is h_1 = Aᵀw, h_2 = b − Aθ − w, entry by entry.
Closed form: (φ − γφ')φᵀw = (φ(φ − γφ')ᵀ)ᵀw and rφ + φ(γφ' − φ)ᵀθ − w = rφ − φ(φ − γφ')ᵀθ − w; then the mean.
"""

from tdcert.claims import kit, models
from tdcert.claims.dalal18.gradient import A, fields, same
from tdcert.claims.kit import COVERAGE, HALF, Expression, Model, Name, Verdict, entry_of, free, identity, one_state
from tdcert.claims.means import PAID


def increments(d: int) -> bool:
    """Both increments along one transition by its φ(φ − γφ')ᵀ and rφ, with φ, γφ', r, θ, w free."""
    _, now, ahead, r, t, w = free(f=(d, 1), g=(d, 1), r=(), t=(d, 1), w=(d, 1))
    sample, reward = now @ (now - ahead).T, now.scaled(r)
    slow = (now - ahead) @ (now.T @ w) - sample.T @ w
    fast = reward + now @ ((ahead - now).T @ t) - w - (reward - sample @ t - w)
    return bool(slow.is_zero() and fast.is_zero())


@kit.each_class
def follows(model: Model, states: kit.States, W: Expression) -> Verdict:
    """Whether the shipped GTD has h_1 = Aᵀw, h_2 = b − Aθ − Ww in the mean."""
    slow, fast = fields(model, states, "GTD(0)")
    relations = same(slow.W, -A.T) + same(slow.Gamma, Name(0) * A) + same(slow.v, Name(0) * PAID)
    relations += same(fast.W, W) + same(fast.Gamma, A) + same(fast.v, PAID)
    return kit.decide_relations(model, relations, states=states, detail="h_1 = Aᵀw, h_2 = b − Aθ − w")


def judge_stated() -> kit.Refutation:
    """One state, φ = 1, γ = ½, α = 1: the map of (θ, w) is [[1, ½], [−½, 1]], of determinant 5/4 for every β."""
    a = entry_of(A, 0, 0)
    found = kit.decide_relations(model := one_state(HALF, reward=0), [(1 + a * a, "<=", Name(1))])
    detail = "one state, φ = 1, r = 0, γ = ½, α = 1, any β: (θ, w) is multiplied by [[1, ½], [−½, 1]] and diverges"
    return kit.explained(found, model, detail, "the determinant", "1")


def without_w() -> kit.Refutation:
    """One state: W_2 = 1, and not 0."""
    found = follows(model := one_state(HALF), Name(0) * A)
    return kit.explained(found, model, "one state, φ = 1, γ = ½", "W_2 without −w", "W_2 of GTD")


CLAIM = kit.Claim(
    id="da_gtd0_display",
    stated=kit.Reading(
        r"GTD(0) is $w_{n+1} = w_n + \beta_n r_n\phi_n + \phi_n[\gamma\phi'_n - \phi_n]^\top\theta_n$.",
        quote=r"$w_{n+1} = w_n + \beta_n r_n\phi_n + \phi_n[\gamma\phi_n' - \phi_n]^\top\theta_n$",
        place="§5.1",
    ),
    corrected=kit.Reading(
        r"GTD(0) is $w_{n+1} = w_n + \beta_n(r_n\phi_n + \phi_n[\gamma\phi'_n - \phi_n]^\top\theta_n - w_n)$, and "
        r"$h_1 = A^\top w$, $h_2 = b - A\theta - w$."
    ),
    correction=kit.Finding.MISPRINT,
    judge_stated=judge_stated,
    check=lambda model: follows(model, identity(model.d)),
    prove=lambda: kit.proved(
        "(φ − γφ')φᵀw and rφ + φ(γφ' − φ)ᵀθ − w by φ(φ − γφ')ᵀ and rφ, whose means are A and b; symbolic, d = 1, 2, 3",
        kit.shown(increments, at=(1, 2, 3)),
    ),
    variant=kit.FalseVariant("The update has no − w_n.", without_w),
    ablations=(kit.Ablation(COVERAGE.at("off-policy, not in the paper"), box=models.OFF_POLICY_SURE),),
    notes=(
        "h_2 = b − Aθ − w and M⁽²⁾, right after the display, are those of the corrected update, and so is Table 3: "
        "nothing depends on the display.",
    ),
)
