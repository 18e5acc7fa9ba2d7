r"""TD(0) as a fixed-point iteration.

Where: f_X(θ) = (r + βθᵀφ' − θᵀφ)φ.
Model: any, on its own transitions; each recurrent class on its own.
Check: the mean of the shipped TD(0), from the transitions that updates see, is that of f at θ_{n−1}, entry by entry.
Closed form: at one state with φ = 1, r = 0, (8) multiplies θ by 1/(1 + γ(1 − β)), and TD(0) by 1 − γ(1 − β).
"""

from tdcert.algorithms import named
from tdcert.claims import kit, models
from tdcert.claims.dalal18.gradient import A, same
from tdcert.claims.kit import HALF, Model, Name, Path, Verdict, along, entry_of, free, its, one_state, solution
from tdcert.claims.means import PAID
from tdcert.theory.engine.means import stationary


def factors() -> bool:
    """θ_1 = θ_0 − gθ_1 gives θ_1(1 + g) = θ_0, and θ_0(1 − g)(1 + g) = θ_0 − g²θ_0, free θ_0 and g = γ(1 − β)."""
    _, t, g = free(t=(), g=())
    return bool(t / (1 + g) == t - g * (t / (1 + g)) and t * (1 - g) * (1 + g) == t - g**2 * t)


@kit.each_class
def follows(model: Model, states: kit.States, matrix: kit.Expression) -> Verdict:
    """Whether the mean of the shipped TD(0) is b − ``matrix``θ."""
    means = stationary(model, named("td").with_options(lambdas=(), tail=()), states).by_exponents
    seen = means.get((1,), kit.RationalMatrix.zeros(model.d, model.d + 1))
    relations = same(seen.take(columns=range(model.d)), -matrix) + same(seen.take(columns=[model.d]), PAID)
    return kit.decide_relations(model, relations, states=states, detail="the mean of TD(0) is E f(θ)")


def judge_stated() -> kit.Refutation:
    """One state, φ = 1, r = 0, β = γ = ½, θ_0 = 1: θ_1 = ¾ by (1), and 4/5 by (8)."""
    now, ahead = entry_of(its.phi(0), 0), its.discount(0) * entry_of(its.phi(1), 0)
    step = Name(HALF) * now * (now - ahead)
    first = its.theta - step * its.theta
    relation = (along(Path((0, 0), (0,)), first), "=", along(Path((0, 0), (0,)), solution(1 + step, its.theta)))
    found = kit.decide_relations(model := one_state(HALF, reward=0), [relation], theta=(1,))
    return kit.explained(found, model, "one state, φ = 1, r = 0, β = γ_1 = ½, θ_0 = 1", "θ_1 of TD(0)", "θ_1 of (8)")


def without_discount() -> kit.Refutation:
    """One state: A = ½, and C = 1."""
    found = follows(model := one_state(HALF), its.C)
    return kit.explained(found, model, "one state, φ = 1, β = ½", "−E φφᵀ", "the mean matrix of TD(0)")


def same_update(d: int) -> bool:
    """φ(r + βθᵀφ' − θᵀφ) = φr − φ(φ − βφ')ᵀθ, the step of (1) and b_X − A_Xθ, everything free."""
    _, now, then, theta, reward, beta = free(f=(d, 1), g=(d, 1), t=(d, 1), r=(), b=())
    error = reward + (theta.T @ then)[0, 0] * beta - (theta.T @ now)[0, 0]
    return bool((now.scaled(error) - now.scaled(reward) + now @ (now - then.scaled(beta)).T @ theta).is_zero())


CLAIM = kit.Claim(
    id="kp_implicit",
    stated=kit.Reading(
        r"TD(0) is $\theta_n = \theta_{n-1} + \gamma_n f_{X_n}(\theta_n)$.",
        quote=(
            "the TD(0) algorithm can be seen to perform the following fixed-point iteration: "
            r"$\theta_n = \theta_{n-1} + \gamma_n f_{X_n}(\theta_n)$"
        ),
        place="§4, (8)",
    ),
    corrected=kit.Reading(r"TD(0) is $\theta_n = \theta_{n-1} + \gamma_n f_{X_n}(\theta_{n-1})$."),
    correction=kit.Finding.MISPRINT,
    judge_stated=judge_stated,
    check=lambda model: follows(model, A),
    prove=lambda: kit.proved(
        "f_X(θ) = φr − φ(φ − βφ')ᵀθ, the step of (1): symbolic φ, φ', θ, r, β, d = 1, 2, 3; and (8) is implicit: the "
        "closed form, symbolic θ_0, γ(1 − β)",
        kit.shown(same_update, at=(1, 2, 3)),
        kit.shown(factors),
    ),
    variant=kit.FalseVariant("f_X(θ) has no βθᵀφ'.", without_discount),
    ablations=(
        kit.Ablation(kit.ON_POLICY.at("§2: one policy"), box=models.OFF_POLICY_SURE),
        kit.Ablation(kit.IRREDUCIBLE.at("§3.1, (A1)"), supports=models.reducible_models),
    ),
    notes=("Nothing depends on it: (1), (9) and the analysis have the iterate before the step.",),
)
