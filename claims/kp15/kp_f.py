r"""The centred increment.

Where: the term is what f_{X_n}(θ_n) is changed by; F of the print lies in R^{|S|}.
Model: any; θ = (1, −2, 3, …); each recurrent class on its own.
Check: ΠT(Φθ) − Φθ = ΦC⁻¹E f(θ) over all transitions from the law.
Closed form: ΦᵀΨ(T(Φθ) − Φθ) = E f(θ), and Π = ΦC⁻¹ΦᵀΨ.
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import C_POSITIVE, HALF, Expression, Model, RationalMatrix, Verdict, free, its, solution

VALUES = its.Phi @ its.theta
ERROR: Expression = its.r + its.N @ VALUES - VALUES
"""T(Φθ) − Φθ (n×1)."""
PRINTED: Expression = its.Phi @ solution(its.C, its.Phi.T @ its.D @ (its.r + its.N @ VALUES)) - VALUES
"""ΠT(Φθ) − Φθ (n×1)."""
MEAN: Expression = kit.expected(
    "mu", "d", 1, (its.reward(0) + its.discount(0) * (its.phi(1).T @ its.theta) - its.phi(0).T @ its.theta) * its.phi(0)
)
"""E f(θ) (d×1)."""


def projection(n: int, d: int) -> bool:
    """ΠV − Φθ = ΦC⁻¹ΦᵀΨ(V − Φθ) with C = ΦᵀΨΦ, free Φ, Ψ, V, θ."""
    _, Phi, law, V, theta = free(f=(n, d), d=(n, 1), v=(n, 1), t=(d, 1))
    C, values = Phi.T @ Phi.scale_rows(law), Phi @ theta
    projected = Phi @ C.solve(Phi.T @ V.scale_rows(law))
    return bool((projected - values - Phi @ C.solve(Phi.T @ (V - values).scale_rows(law))).is_zero())


@kit.each_class
def seen(model: Model, states: kit.States, of_the_mean: Expression) -> Verdict:
    """Whether ΠT(Φθ) − Φθ is this on every recurrent class."""
    if (found := kit.singular(model, states, its.C, "C is singular: there is no Π")) is not None:
        return found
    relation = (its.D @ PRINTED, "=", its.D @ of_the_mean)
    theta = kit.some_theta(model.d)
    return kit.decide_relations(model, [relation], states=states, theta=theta, detail="F(θ) = ΦC⁻¹E f(θ)")


def coin() -> Model:
    """Two states, each next state drawn evenly, φ = (1, ½), r = (0, 1), β = ½: C = 5/8."""
    r, Phi = RationalMatrix.column([0, 1]), RationalMatrix.column([1, HALF])
    return Model.reward_process(RationalMatrix([[HALF, HALF]] * 2), r, HALF, Phi, name="coin")


def judge_stated() -> kit.Refutation:
    """E f(0) = ¼, F(0) = (2/5, 1/5): neither entry is the mean."""
    model = coin()
    found = kit.decide_relations(model, [(MEAN, "=", kit.entry_of(PRINTED, 0))], theta=(0,))
    detail = "two states, rows (½, ½), φ = (1, ½), r = (0, 1), θ = 0: F(0) = (2/5, 1/5) has two entries, and θ has one"
    return kit.explained(found, model, detail, "E f(0)", "the first entry of F(0)")


def without_inverse() -> kit.Refutation:
    """C = 5/8, and not 1."""
    found = seen(model := coin(), its.Phi @ MEAN)
    return kit.explained(found, model, "two states, φ = (1, ½), r = (0, 1), θ = 1", "ΨF(1)", "ΨΦE f(1)")


CLAIM = kit.Claim(
    id="kp_f",
    stated=kit.Reading(
        r"With $F(\theta) = \Pi T^\pi(\Phi\theta) - \Phi\theta$ the term $F(\bar\theta_n) - f_{X_n}(\bar\theta_n)$ has "
        r"mean zero.",
        quote=(
            r"adding a zero-mean, centering term to the TD(0) update … $F(\theta) := \Pi T^\pi(\Phi\theta) - "
            r"\Phi\theta$ … using an increment approximating $f_{X_n}(\theta_n) - f_{X_n}(\bar\theta_n) + "
            r"F(\bar\theta_n)$"
        ),
        place="§4",
    ),
    corrected=kit.Reading(
        r"It is so with $F(\theta) = E_\Psi f(\theta)$, and $\Pi T^\pi(\Phi\theta) - \Phi\theta = \Phi C^{-1} E_\Psi "
        r"f(\theta)$ has the same zero."
    ),
    correction=kit.Finding.MISPRINT,
    judge_stated=judge_stated,
    check=lambda model: seen(model, its.Phi @ solution(its.C, MEAN)),
    prove=lambda: kit.proved(
        "ΠV − Φθ = ΦC⁻¹ΦᵀΨ(V − Φθ), symbolic, (n, d) = (1, 1), (2, 1), (2, 2), (3, 2)",
        kit.shown(projection, at=((1, 1), (2, 1), (2, 2), (3, 2))),
    ),
    variant=kit.FalseVariant("ΠT(Φθ) − Φθ = ΦE f(θ).", without_inverse),
    ablations=(
        kit.Ablation(C_POSITIVE.at("§3.1, (A3)"), box=models.TWO_CLASSES),
        kit.Ablation(kit.ON_POLICY.at("§2: one policy"), box=models.OFF_POLICY_SURE),
        kit.Ablation(
            kit.IRREDUCIBLE.at("§3.1, (A1)"),
            supports=lambda: [m for m in models.reducible_models() if C_POSITIVE.ask(m).satisfied],
        ),
    ),
    notes=("The algorithm (9) has a mean of values of f in the place of F, of the right dimension.",),
)
