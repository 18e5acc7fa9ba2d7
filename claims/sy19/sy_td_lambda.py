r"""The recursion of TD(λ) and its mean.

Note: the printed factor φ(Z_k) and the q of b̃ = ΦᵀDqc̃ are too many, and a Θ_k is missing after αφᵀ(Z_{k+1}).
Model: any, with one λ; each recurrent class on its own.
Check: the mean of the shipped TD(λ), from the transitions that updates see, against ΦᵀD(U − I)Φ and ΦᵀDc̃.
Closed form: E[φ_k 1{Z_k = s}] = ((I − αλΓᵀ)⁻¹DΦ)_s, and (I − αλΓ)⁻¹(αΓ − I) = U − I.
"""

from itertools import product

from tdcert.algorithms import named
from tdcert.claims import kit, models
from tdcert.claims.emphasis import every, reached, rewarded, without_discount
from tdcert.claims.kit import HALF, Expression, Fraction, Model, Name, Schedule, Verdict, entry_of, free, its, one_state
from tdcert.theory.engine.means import stationary


def mean_identity(n: int) -> bool:
    """(I − λN)⁻¹(N − I) = U − I with U = (1 − λ)(I − λN)⁻¹N, free N and λ, n states."""
    _, N, lam = free(p=(n, n), l=())
    unit = N.identity(n)
    before = unit - N.scaled(lam)
    return bool((before.solve(N - unit) - before.solve(N.scaled(1 - lam)) + unit).is_zero())


def mean_matrix(U: Expression) -> Expression:
    """Ã."""
    return its.Phi.T @ its.D @ (U - its.I) @ its.Phi


@kit.each_class
def against(model: Model, states: kit.States, U: Expression) -> Verdict:
    """The mean of the shipped TD(λ), entry by entry in numbers, against the printed expressions with this U."""
    lam, d = models.lambda_of(model), range(model.d)
    b = its.Phi.T @ its.D @ rewarded(every(lam))
    try:
        kit.evaluate(mean_matrix(U), kit.Context(model, states))
    except kit.SingularMatrixError:
        return without_discount(states, model, "the trace grows without a mean", "U")
    means = stationary(model, named("td").with_options(lambdas=(), tail=(lam,)), states).by_exponents
    seen = means.get((1,), kit.RationalMatrix.zeros(model.d, model.d + 1))  # of the order of ε; else nothing moves
    relations: list[kit.Relation] = [(entry_of(b, i), "=", Name(seen[i, model.d])) for i in d]
    relations += [(entry_of(mean_matrix(U), i, j), "=", Name(seen[i, j])) for i, j in product(d, d)]
    return kit.decide_relations(model, relations, states=states, detail=f"means of TD(λ) at λ = {lam}")


def judge_stated() -> kit.Refutation:
    """One state, φ = c = 1, α = ½, λ = 0: the printed increment at θ* = 2 is −(2 − 1 − ½) = −½."""
    model, now = one_state(HALF), its.phi(0)
    inside = now.T @ its.theta - its.reward(0) - its.discount(0) * entry_of(its.phi(1), 0)
    printed = kit.expected("mu", "d", 1, -(entry_of(now, 0) * (inside * now)))
    found = kit.decide_relations(model, [(printed, "=", Name(0))], theta=(2,))
    detail = "one state, φ = c = 1, α = ½, λ = 0: at Θ = θ* = 2"
    return kit.explained(found, model, detail, "the printed increment by ε", "its mean at θ*")


def without_one_minus_lambda() -> kit.Refutation:
    """One state, α = λ = ½: U = ⅓, without the 1 − λ it is ⅔."""
    model = one_state(HALF, Schedule.constant(HALF))
    found = against(model, Name(2) * reached(every(HALF)))
    return kit.explained(found, model, "one state, α = λ = ½", "Ã without 1 − λ", "the mean of TD(λ)")


CLAIM = kit.Claim(
    id="sy_td_lambda",
    stated=kit.Reading(
        r"TD($\lambda$) is $\Theta_{k+1} = \Theta_k - \epsilon\phi(Z_k)(\phi^\top(Z_k)\Theta_k - c(Z_k) - "
        r"\alpha\phi^\top(Z_{k+1}))\varphi_k$.",
        quote=r"$(\phi^\top(Z_k)\Theta_k - c(Z_k) - \alpha\phi^\top(Z_{k+1})) \varphi_k$",
        place="§3.2",
    ),
    corrected=kit.Reading(
        r"TD($\lambda$) is $\Theta_{k+1} = \Theta_k - \epsilon(\phi^\top(Z_k)\Theta_k - c(Z_k) - "
        r"\alpha\phi^\top(Z_{k+1})\Theta_k)\varphi_k$, of mean $\tilde A\theta + \tilde b$ with $\tilde A = \Phi^\top "
        r"D(U - I)\Phi$, $U = (1 - \lambda)\sum_j \lambda^j(\alpha\Gamma)^{j+1}$ and $\tilde b = \Phi^\top D\tilde c$."
    ),
    correction=kit.Finding.MISPRINT,
    judge_stated=judge_stated,
    check=lambda model: against(model, reached(every(models.lambda_of(model)))),
    prove=kit.proof("(I − λN)⁻¹(N − I) = U − I, N = αΓ and λ free, n = 1, 2, 3", mean_identity, at=(1, 2, 3)),
    variant=kit.FalseVariant("U is the sum without 1 − λ.", without_one_minus_lambda),
    ablations=(
        kit.Ablation(kit.EPISODES_END.at("§3"), counterexample=lambda: one_state(1, Schedule((Fraction(1),)))),
        kit.Ablation(kit.ON_POLICY.at("§3: one policy"), box=models.OFF_POLICY_SURE),
        kit.Ablation(kit.IRREDUCIBLE.at("§3"), supports=models.reducible_models),
    ),
    notes=("b̃ is printed as ΦᵀDqc̃, and q is not introduced. A(X_k) and Ã have the right form.",),
)
