r"""A and b are means over the stationary trace.

Where: the chain is stationary.
Model: any, with one λ; each recurrent class on its own.
Check: A is the mean over the last T + 1 features and ΦᵀD(λN)ᵀ⁺¹(I − N)(I − λN)⁻¹Φ; likewise b; T = 0, 1, all paths.
Closed form: E[φ(X_k)f(X_i)] = ΦᵀDPⁱ⁻ᵏf, so both are the same geometric series, and its factors commute.
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import HALF, Model, Name, States, Verdict, decide_relations, expected, free, its, solution, total
from tdcert.theory.expressions.forward_views import few
from tdcert.theory.expressions.paths import discounts


def tail_identity(n: int) -> bool:
    """(I − λN)⁻¹(I − N) = Σ_{j<k}(λN)ʲ(I − N) + (λN)ᵏ(I − N)(I − λN)⁻¹ at k = 1, 2, for free N (n×n) and λ."""
    _, N, lam = free(p=(n, n), l=())
    one, step = N.identity(n), N.scaled(lam)
    rest = (one - N) @ (one - step).solve(one)
    whole = (one - step).solve(one - N)
    first, second = one - N + step @ rest, one - N + step @ (one - N) + step @ step @ rest
    return bool((whole - first).is_zero() and (whole - second).is_zero())


def prove() -> kit.Proof:
    """The series with its rest, and that its factors commute."""
    sentence = "(I − λN)⁻¹(I − N) = Σ_{j<k}(λN)ʲ(I − N) + (λN)ᵏ(I − N)(I − λN)⁻¹: symbolic N, λ, k = 1, 2"
    return kit.proved(f"{sentence}, n = 1, 2, 3", kit.shown(tail_identity, at=(1, 2, 3)))


@kit.each_class
def with_decay(model: Model, states: States, with_discount: bool) -> Verdict:
    """The trace that decays by λγ, or by λ alone, against (3) and (5)."""
    lam = models.lambda_of(model)
    step, relations = Name(lam) * its.N, list[kit.Relation]()
    summed = solution(its.I - step, its.I)
    A = its.Phi.T @ its.D @ (its.I - its.N) @ summed @ its.Phi
    b = its.Phi.T @ its.D @ summed @ its.r
    for T in (0, 1):
        if T and not few(model, states, T + 1):
            break
        discounted = [discounts(model, k, T) if with_discount else Name(1) for k in range(T + 1)]
        z = total([Name(lam ** (T - k)) * factor * its.phi(k) for k, factor in enumerate(discounted)])
        rest = its.Phi.T @ its.D @ step ** (T + 1)
        mean: kit.Expression = expected("mu", "d", T + 1, z @ (its.phi(T) - its.discount(T) * its.phi(T + 1)).T)
        relations.append((mean + rest @ (its.I - its.N) @ summed @ its.Phi, "=", A))
        relations.append((expected("mu", "d", T + 1, its.reward(T) * z) + rest @ summed @ its.r, "=", b))
    return decide_relations(model, relations, states=states, detail="A and b are means over the trace, and its rest")


def with_lambda_alone() -> kit.Refutation:
    """One state, γ = λ = ½, φ = 1: T = 1 with (λ^{i−k})."""
    model = kit.one_state(HALF, kit.Schedule.constant(HALF))
    return kit.explained(
        with_decay(model, with_discount=False), model, "one state, γ = λ = ½", "with λ^{i−k}", "A by (3)"
    )


CLAIM = kit.Claim(
    id="ts_a",
    stated=kit.Reading(
        r"$\Phi^\top D_\mu(I - \gamma P)(I - \lambda\gamma P)^{-1}\Phi = E[\sum_{k=-\infty}^i "
        r"(\gamma\lambda)^{i-k}\phi(X_k) (\phi(X_i) - \gamma\phi(X_{i+1}))^\top]$, and "
        r"$\Phi^\top D_\mu(I - \gamma\lambda P)^{-1}r = E[\sum_{k=-\infty}^i (\gamma\lambda)^{i-k}\phi(X_k)r(X_i)]$.",
        quote=r"where the sum starts from $-\infty$ to ensure that the process $(X_k)$ is in stationary regime",
        place="§2, after (5)",
    ),
    anchors=("(3)", "(4)", "(5)"),
    check=lambda model: with_decay(model, with_discount=True),
    prove=prove,
    variant=kit.FalseVariant("It is so with λ^{i−k} in the place of (γλ)^{i−k}.", with_lambda_alone),
    ablations=(
        kit.Ablation(kit.ON_POLICY.at("§2: one Markov chain"), counterexample=lambda: kit.theta_to_two_theta(HALF)),
        kit.Ablation(kit.CONSTANT_DISCOUNT.at("§2"), supports=models.varying_discount_models),
        kit.Ablation(kit.IRREDUCIBLE.at("§2: ergodic"), supports=models.reducible_models),
        kit.Ablation(kit.APERIODIC.at("§2: ergodic"), supports=models.periodic_models),
    ),
)
