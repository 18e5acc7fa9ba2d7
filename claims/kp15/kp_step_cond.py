r"""The conditions of Theorem 1 on the steps can be met.

Note: they force c > 2((1 + β)/(μ(1 − β)))².
Model: any, with the g of kp_norm in the place of μ and its largest discount as β; each recurrent class on its own.
Check: both conditions at half of the bound for c_0 and c = 2/(g(1 − β)c_0), and what they force.
Closed form: μ(1 − β)c_0c < (μ(1 − β))²c/(2(1 + β)²).
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import HALF, Context, Fraction, Model, Name, Verdict, decide_relations, free, its, refuted
from tdcert.claims.sy19.recursion import below_least_eigenvalue


def forced() -> bool:
    """m c_0 c at c_0 = (m/(2(1 + β)²))(1 − s), c = 2((1 + β)/m)²k is k(1 − s): above one only if k > 1, for s > 0."""
    _, m, beta, s, k = free(m=(), b=(), s=(), k=())
    c_0, c = m / (2 * (1 + beta) ** 2) * (1 - s), 2 * ((1 + beta) / m) ** 2 * k
    return bool(m * c_0 * c == k * (1 - s))


@kit.each_class
def met(model: Model, states: kit.States, multiple: Fraction | None = None) -> Verdict:
    """The conditions; ``multiple``: at c = multiple · 2((1 + β)/(g(1 − β)))², and at the bound for c_0 itself."""
    if (found := kit.singular(model, states, its.C, "μ = 0: no step is small enough")) is not None:
        return found
    beta = Name(gamma := kit.largest_discount(model))
    g = Name(mu := below_least_eigenvalue(kit.evaluate(its.C, Context(model, states))))
    if gamma == 1:
        found = decide_relations(model, [(g * (1 - beta), "=", Name(0))], states=states)
        return refuted("β = 1: no step is small enough", by=found.certificates)
    most, least = mu * (1 - gamma) / (2 * (1 + gamma) ** 2), 2 * ((1 + gamma) / (mu * (1 - gamma))) ** 2
    c_0 = most if multiple else most / 2
    c = least * multiple if multiple else 2 / (mu * (1 - gamma) * c_0)
    relations: list[kit.Relation] = [
        (Name(1), "<", g * (1 - beta) * Name(c_0 * c)),
        (Name(c_0) * (2 * (1 + beta) ** 2), "<=" if multiple else "<", g * (1 - beta)),
        (2 * (1 + beta) ** 2, "<", (g * (1 - beta)) ** 2 * Name(c)),
    ]
    return decide_relations(model, relations, states=states, detail=f"c_0 = {c_0}, c = {c}")


def a_smaller_c() -> kit.Refutation:
    """One state, φ = 1, β = ½: c = 18, and μ(1 − β)c_0c is 1 at the bound for c_0."""
    found = met(model := kit.one_state(HALF), Fraction(1))
    return kit.explained(found, model, "one state, μ = 1, β = ½, c = 18, c_0 = 1/9", "1", "μ(1 − β)c_0c")


CLAIM = kit.Claim(
    id="kp_step_cond",
    stated=kit.Reading(
        r"There are $c_0 < \mu(1 - \beta)/(2(1 + \beta)^2)$ and $c$ with $\mu(1 - \beta)c_0c > 1$.",
        quote=r"$c_0 < \mu(1-\beta)/(2(1+\beta)^2)$ and $c$ such that $\mu(1-\beta)c_0c > 1$",
        place="§3.2, Theorem 1",
    ),
    sharper=kit.Reading(
        r"They force $c > 2\left(\frac{1 + \beta}{\mu(1 - \beta)}\right)^2$, and every such $c$ will do."
    ),
    check=met,
    prove=lambda: kit.proved_for_all("μ(1 − β)c_0c = k(1 − s), symbolic m = μ(1 − β), β, s, k", kit.shown(forced)),
    variant=kit.FalseVariant("c = 2((1 + β)/(μ(1 − β)))² will do.", a_smaller_c),
    ablations=(
        kit.Ablation(kit.C_POSITIVE.at("§3.1, (A3)"), box=models.TWO_CLASSES),
        kit.Ablation(kit.DISCOUNTED.at("§2"), box=models.UNDISCOUNTED),
        kit.Ablation(kit.CONSTANT_DISCOUNT.at("§2"), counterexample=kit.random_walk_5),
    ),
    notes=("For μ = 1 and β = ½ it is c > 18: the first steps are below c_0 < 1/9, and fall by half at n = c.",),
)
