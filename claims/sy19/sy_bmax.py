r"""The bound on b(X) of TD(0).

Hypotheses: a discount below one and full rank, so that θ* exists; |c| ≤ c_max.
Model: any, with TD(0), b(X) = cφ + A(X)θ* (sy_centering); each recurrent class on its own.
Check: at every transition, squares, with rational numbers below φ_max and ‖θ*‖ on the larger side, and 1 + α.
Closed form: ‖A(x)θ*‖ ≤ ‖φ‖(‖φ‖ + α‖φ'‖)‖θ*‖ ≤ (1 + α)φ_max²‖θ*‖.
"""

from tdcert.claims import kit, models
from tdcert.claims.emphasis import lagrange_identity
from tdcert.claims.kit import HALF, Fraction, Model, Name, Path, RationalMatrix, Verdict, along, decide_relations, its
from tdcert.claims.means import MEAN
from tdcert.claims.sy19 import recursion as sy
from tdcert.claims.sy19.sy_centering import CENTRED


@kit.each_class
def bounded(model: Model, states: kit.States, factor: Fraction) -> Verdict:
    """‖b(X)‖ ≤ c_maxφ_max + factor · φ_max²‖θ*‖ on every recurrent class."""
    if (rest := sy.equilibrium(model, states)) is None:
        return sy.without(model, states, MEAN, "θ*")
    context, steps, norm = kit.Context(model, states), sy.transitions(model, states), its.phi(0).T @ its.phi(0)
    longest, square = sy.largest(norm, steps, context)
    size, c = (rest.T @ rest)[0, 0], sy.below(sy.largest(its.reward(0) ** 2, steps, context)[1])
    phi, theta = sy.below(square), sy.below(size)
    relations: list[kit.Relation] = [(Name(phi**2), "<=", along(longest, norm))]
    relations.append((Name(theta**2), "<=", its.theta.T @ its.theta))
    bound = Name((c * phi + factor * phi**2 * theta) ** 2)
    relations += [(along(step, CENTRED.T @ CENTRED), "<=", bound) for step in steps]
    found = decide_relations(model, relations, states=states, theta=rest.column_entries(), detail="‖b‖ ≤ b_max")
    return sy.unless_rounded(found, square, size)


def judge_stated() -> kit.Refutation:
    """One state, φ = 1, c = −1, α = ½: θ* = −2, b = 0, and c_maxφ_max + 2φ_max²θ* = 1 − 4."""
    relation = (along(Path((0, 0), (0,)), kit.entry_of(CENTRED, 0)), "<=", 1 + 2 * its.theta)
    found = decide_relations(model := kit.one_state(HALF, reward=-1), [relation], theta=(-2,))
    return kit.explained(
        found, model, "one state, φ = 1, c = −1, c_max = 1, α = ½, θ* = −2", "b(X)", "b_max as printed"
    )


def one_percent_less() -> kit.Refutation:
    """0 → 1, 1 → 0 or 1 evenly, φ = −1, 1, c = −1, α = 9/10: θ* = −10/39, and b = 58/39 = c_max + (1 + α)|θ*|."""
    P, ahead = RationalMatrix([[0, 1], [HALF, HALF]]), Fraction(9, 10)
    model = Model.reward_process(
        P, RationalMatrix.column([-1, -1]), ahead, RationalMatrix.column([-1, 1]), name="two states"
    )
    found = bounded(model, Fraction(99, 100) * (1 + ahead))
    detail = "0 → 1, 1 → 0 or 1 evenly, φ = −1, 1, c = −1, α = 9/10, θ* = −10/39"
    return kit.explained(found, model, detail, "‖b(X)‖²", "the bound squared")


CLAIM = kit.Claim(
    id="sy_bmax",
    stated=kit.Reading(
        r"$\|b(X_k)\| \le b_{max} = c_{max}\phi_{max} + 2\phi_{max}^2\theta^*$ for TD(0).",
        quote=r"where $b_{max} = c_{max}\phi_{max} + 2\phi_{max}^2\theta^*$",
        place="App. H",
    ),
    corrected=kit.Reading(
        r"$\|b(X_k)\| \le c_{max}\phi_{max} + 2\phi_{max}^2\|\theta^*\|$ for TD(0), where $|c| \le c_{max}$; with "
        r"$1 + \alpha$ in the place of 2 too."
    ),
    correction=kit.Finding.MISPRINT,
    judge_stated=judge_stated,
    check=lambda model: bounded(model, 1 + kit.largest_discount(model)),
    prove=kit.proof("|xᵀy| ≤ ‖x‖‖y‖ by Lagrange's identity, symbolic, k = 2 … 5", lagrange_identity, at=range(2, 6)),
    variant=kit.FalseVariant("It holds with (99/100)(1 + α) in the place of 1 + α.", one_percent_less),
    constants=(kit.NumericConstant("the 1 + α in the place of 2", one_percent_less),),
    ablations=(
        kit.Ablation(kit.DISCOUNTED.at("§3"), box=models.UNDISCOUNTED),
        kit.Ablation(kit.C_POSITIVE.at("Corollary 11"), box=models.TWO_CLASSES),
    ),
    notes=(
        "c_max is defined as max E[c(i)]; the bound on b(X_k) needs |c| ≤ c_max. App. H needs only a finite b_max.",
    ),
    rests_on=("sy_centering",),
)
