r"""A and b are means over the stationary trace.

Place: §2, (3), (4) and (5).
Statement: ΦᵀD(I − γP)(I − λγP)⁻¹Φ = E[Σ_{k≤i}(γλ)^{i−k}φ(X_k)(φ(X_i) − γφ(X_{i+1}))ᵀ], and ΦᵀD(I − γλP)⁻¹r =
E[Σ_{k≤i}(γλ)^{i−k}φ(X_k)r(X_i)], the chain stationary.
Hypotheses: one policy; λγ below one. Not needed: one discount, an irreducible or aperiodic chain.
Model: any, with one λ; each recurrent class on its own.
Check: A is the mean over the last T + 1 features and ΦᵀD(λN)ᵀ⁺¹(I − N)(I − λN)⁻¹Φ; likewise b; T = 0, 1, all paths.
Closed form: E[φ(X_k)f(X_i)] = ΦᵀDPⁱ⁻ᵏf, so both are the same geometric series, and its factors commute.
"""

from __future__ import annotations

from tdcert.claims.kit import Ablation, Claim, FalseVariant, Model, Proof, Reading, Refutation, explained, proved, shown
from tdcert.claims.models import lambda_of, periodic_models, reducible_models, varying_discount_models
from tdcert.claims.verdicts import States, Verdict, on_each_class
from tdcert.theory.check.hypotheses import APERIODIC, CONSTANT_DISCOUNT, IRREDUCIBLE, ON_POLICY
from tdcert.theory.expressions.forward_views import few
from tdcert.theory.expressions.notation import Name, expected, its, solution
from tdcert.theory.expressions.paths import discounts, total
from tdcert.theory.expressions.relations import Expression, Relation, decide_relations
from tdcert.theory.identities.symbols import free
from tdcert.theory.model.gallery import HALF, one_state, theta_to_two_theta
from tdcert.theory.model.schedule import Schedule


def tail_identity(n: int) -> bool:
    """(I − λN)⁻¹(I − N) = Σ_{j<k}(λN)ʲ(I − N) + (λN)ᵏ(I − N)(I − λN)⁻¹ at k = 1, 2, for free N (n×n) and λ."""
    _, N, lam = free(p=(n, n), l=())
    one, step = N.identity(n), N.scaled(lam)
    rest = (one - N) @ (one - step).solve(one)
    whole = (one - step).solve(one - N)
    first, second = one - N + step @ rest, one - N + step @ (one - N) + step @ step @ rest
    return bool((whole - first).is_zero() and (whole - second).is_zero())


def prove() -> Proof:
    """The series with its rest, and that its factors commute."""
    sentence = "(I − λN)⁻¹(I − N) = Σ_{j<k}(λN)ʲ(I − N) + (λN)ᵏ(I − N)(I − λN)⁻¹: symbolic N, λ, k = 1, 2"
    return proved(f"{sentence}, n = 1, 2, 3", shown(tail_identity, at=(1, 2, 3)))


def check(model: Model) -> Verdict:
    """Both means with their rests, on every recurrent class."""
    return with_decay(model, with_discount=True)


def with_decay(model: Model, with_discount: bool) -> Verdict:
    """The trace that decays by λγ, or by λ alone, against (3) and (5)."""
    lam = lambda_of(model)

    def decide(states: States) -> Verdict:
        step, relations = Name(lam) * its.N, list[Relation]()
        summed = solution(its.I - step, its.I)
        A = its.Phi.T @ its.D @ (its.I - its.N) @ summed @ its.Phi
        b = its.Phi.T @ its.D @ summed @ its.r
        for T in (0, 1):
            if T and not few(model, states, T + 1):
                break
            discounted = [discounts(model, k, T) if with_discount else Name(1) for k in range(T + 1)]
            z = total([Name(lam ** (T - k)) * factor * its.phi(k) for k, factor in enumerate(discounted)])
            rest = its.Phi.T @ its.D @ step ** (T + 1)
            mean: Expression = expected("mu", "d", T + 1, z @ (its.phi(T) - its.discount(T) * its.phi(T + 1)).T)
            relations.append((mean + rest @ (its.I - its.N) @ summed @ its.Phi, "=", A))
            relations.append((expected("mu", "d", T + 1, its.reward(T) * z) + rest @ summed @ its.r, "=", b))
        return decide_relations(
            model, relations, states=states, detail="A and b are means over the trace, and its rest"
        )

    return on_each_class(decide, model)


def with_lambda_alone() -> Refutation:
    """One state, γ = λ = ½, φ = 1: T = 1 with (λ^{i−k})."""
    model = one_state(HALF, Schedule.constant(HALF))
    return explained(with_decay(model, with_discount=False), model, "one state, γ = λ = ½", "with λ^{i−k}", "A by (3)")


CLAIM = Claim(
    id="ts_a",
    stated=Reading(
        r"$\Phi^\top D_\mu(I - \gamma P)(I - \lambda\gamma P)^{-1}\Phi = E[\sum_{k=-\infty}^i "
        r"(\gamma\lambda)^{i-k}\phi(X_k) (\phi(X_i) - \gamma\phi(X_{i+1}))^\top]$, and "
        r"$\Phi^\top D_\mu(I - \gamma\lambda P)^{-1}r = E[\sum_{k=-\infty}^i (\gamma\lambda)^{i-k}\phi(X_k)r(X_i)]$.",
        quote=r"where the sum starts from $-\infty$ to ensure that the process $(X_k)$ is in stationary regime",
        place="§2, after (5)",
    ),
    anchors=("(3)", "(4)", "(5)"),
    check=check,
    prove=prove,
    variant=FalseVariant("It is so with λ^{i−k} in the place of (γλ)^{i−k}.", with_lambda_alone),
    ablations=(
        Ablation(ON_POLICY.at("§2: one Markov chain"), counterexample=lambda: theta_to_two_theta(HALF)),
        Ablation(CONSTANT_DISCOUNT.at("§2"), supports=varying_discount_models),
        Ablation(IRREDUCIBLE.at("§2: ergodic"), supports=reducible_models),
        Ablation(APERIODIC.at("§2: ergodic"), supports=periodic_models),
    ),
)
