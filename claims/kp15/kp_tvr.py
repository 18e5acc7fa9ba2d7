r"""How far the fixed point is from the value function.

Note: the paper has it from Tsitsiklis and Van Roy; it holds with (1 − β²)^{−½}.
Model: any, with TD(0); each recurrent class on its own.
Check: squares at the exact θ* and V, with 1 − β².
Closed form: e = V − Φθ* obeys Πe = βΠPe, so ‖e‖² = ‖V − ΠV‖² + ‖βΠPe‖² ≤ ‖V − ΠV‖² + β²‖e‖².
"""

from tdcert.claims import kit, models
from tdcert.claims.dgb22 import error_bound
from tdcert.claims.kit import APERIODIC, DISCOUNTED, ON_POLICY, Fraction, Model, Name, Verdict, its, solution
from tdcert.claims.kp15.kp_f import coin
from tdcert.claims.means import MEAN
from tdcert.claims.sy19 import recursion as sy


@kit.each_class
def near(model: Model, states: kit.States, factor: Fraction) -> Verdict:
    """factor · ‖Φθ* − V‖² ≤ ‖ΠV − V‖² on every recurrent class."""
    if (rest := sy.equilibrium(model, states)) is None:
        return sy.without(model, states, MEAN, "θ*")
    error = its.Phi @ its.theta - its.V
    left = its.V - its.Phi @ solution(its.C, its.Phi.T @ its.D @ its.V)
    relation = (Name(factor) * (error.T @ its.D @ error), "<=", left.T @ its.D @ left)
    return kit.decide_relations(model, [relation], states=states, theta=rest.column_entries())


def as_near_as_the_projection() -> kit.Refutation:
    """Two states, rows (½, ½), φ = (1, ½), r = (0, 1), β = ½."""
    found = near(model := coin(), Fraction(1))
    return kit.explained(found, model, "two states, φ = (1, ½), r = (0, 1), β = ½", "‖Φθ* − V‖²", "‖ΠV − V‖²")


CLAIM = kit.Claim(
    id="kp_tvr",
    stated=kit.Reading(
        r"$\|\Phi\theta^* - V^\pi\|_\Psi \le \frac{1}{1 - \beta}\|\Pi V^\pi - V^\pi\|_\Psi$.",
        quote="Combining the result in (10) with the bound in statement (4) of Theorem 1",
        place="§4.1, Remark 4",
    ),
    sharper=kit.Reading(r"It holds with $(1 - \beta^2)^{-1/2}$ in the place of $(1 - \beta)^{-1}$."),
    check=lambda model: near(model, 1 - kit.largest_discount(model) ** 2),
    prove=error_bound.prove,
    variant=kit.FalseVariant("Φθ* is as near to V as ΠV.", as_near_as_the_projection),
    constants=(
        kit.NumericConstant("the 1 in 1/(1 − β)", better=error_bound.prove, note="(1 − β²)^{−½} is enough for β > 0"),
    ),
    ablations=(
        kit.Ablation(DISCOUNTED.at("§2"), box=models.UNDISCOUNTED),
        kit.Ablation(kit.C_POSITIVE.at("§3.1, (A3)"), box=models.TWO_CLASSES),
        kit.Ablation(ON_POLICY.at("§2: one policy"), box=models.OFF_POLICY_SURE),
        kit.Ablation(APERIODIC.at("§3.1, (A1)"), supports=models.periodic_models),
    ),
)
