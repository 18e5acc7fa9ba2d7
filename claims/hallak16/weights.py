r"""What the statements about ETD(λ, β) share, as expressions in a model's quantities. d is the law of the behaviour.

    f = (I − βPᵀ)⁻¹d,    m = (1 − λ)f + λd,    κ = min d/f,    P^λ = (1 − λ)(I − λγP)⁻¹γP.

βPᵀf = f − d ≤ (1 − κ)f, so Σ_s f_s (P v²)_s ≤ ((1 − κ)/β) ‖v‖_f², and (Pv)² ≤ P v² by Cauchy and Schwarz.
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import HALF, Context, Expression, Fraction, Model, Name, Reply, entry_of, evaluate, its, solution

BETAS = (Fraction(1, 2), Fraction(4, 5))
"""The decays at which models are asked."""
ON_MODELS = "On models λ and γ are numbers in (0, 1), those of the model where it has such."
ANY_CHAIN = models.any_chain()
"""What no statement about norms needs."""


@kit.hypothesis("no_discount_zero", "no discount is zero", "as remembered")
def ENDLESS(model: Model) -> Reply:
    least = min(x for table in model.discounts for row in table.rows for x in row)
    return Reply(least > 0, f"the smallest discount is {least}")


def seldom_to_the_second(p: Fraction) -> Model:
    """θ→2θ, γ = 9/10, whose behaviour goes to the second state with probability p."""
    Phi = kit.RationalMatrix.column([1, 2])
    return models.jumps(f"θ→2θ, to the second with {p}", (1 - p, p), (1, 1), Phi, Fraction(9, 10))


def lam_of(model: Model) -> Fraction:
    """λ in (0, 1): that of the model, ½ where it is a whole number."""
    return models.lambda_of(model) % 1 or HALF


def follow_on(beta: Fraction) -> Expression:
    """f (n×1)."""
    return solution((its.I - Name(beta) * its.P_pi).T, its.d)


def emphasis(lam: Fraction, beta: Fraction) -> Expression:
    """m (n×1)."""
    return Name(1 - lam) * follow_on(beta) + Name(lam) * its.d


def reached(lam: Fraction, gamma: Fraction) -> Expression:
    """P^λ (n×n)."""
    return solution(its.I - Name(lam * gamma) * its.P_pi, Name((1 - lam) * gamma) * its.P_pi)


def least_ratio(model: Model, states: kit.States, beta: Fraction) -> tuple[Fraction, list[kit.Relation]]:
    """κ, the minimum of d/f where f > 0, and the relations that say it: κf ≤ d, with equality in one state."""
    context, f = Context(model, states), follow_on(beta)
    pairs = zip(evaluate(its.d, context).column_entries(), evaluate(f, context).column_entries(), strict=True)
    kappa, s = min((Fraction(d) / Fraction(x), s) for s, (d, x) in enumerate(pairs) if x > 0)
    return kappa, [(Name(kappa) * f, "<=", its.d), (Name(kappa) * entry_of(f, s), "=", entry_of(its.d, s))]
