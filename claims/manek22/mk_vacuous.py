r"""On some off-policy problems every ridge is worse than predicting zero, though the features are nearly exact.

Where: θ_η = (η − A)⁻¹b, and better is ‖Φθ_η − V‖_D < ‖V‖_D.
Model: any, its schedule apart; each recurrent class on its own.
Check: an η that is better, a power of two; or det(η − A)²(‖Φθ_η − V‖² − ‖V‖²), a polynomial in η, is positive.
Closed form: ηθ_η → b, so that η(‖Φθ_η − V‖² − ‖V‖²) → −2bᵀΦᵀDV as η → ∞.
Proof: θ_η → 0, so that η times the excess has the limit −2bᵀΦᵀDV.
"""

from dataclasses import replace

from tdcert.claims import kit, models
from tdcert.claims.kit import (
    Expression,
    Fraction,
    Model,
    Name,
    RationalMatrix,
    Reply,
    Status,
    Verdict,
    its,
    part,
    solution,
)
from tdcert.claims.means import MEAN, PAID
from tdcert.claims.parameter import decide_positive
from tdcert.theory.check.one_parameter import POSITIVE

TOWARDS: Expression = PAID.T @ its.Phi.T @ its.D @ its.V


def ridge(model: Model, eta: Fraction | Expression) -> Expression:
    """η − A (d×d)."""
    return part(eta) * kit.identity(model.d) - MEAN


def excess(theta: Expression) -> Expression:
    """‖Φθ − V‖²_D − ‖V‖²_D."""
    value = its.Phi @ theta
    return value.T @ its.D @ (value - 2 * its.V)


@kit.hypothesis("b_towards_V", r"$b^\top \Phi^\top D V > 0$", "our own")
def UPHILL(model: Model) -> Reply:
    for states in model.behaviour_chain.recurrent_classes:
        try:
            value = kit.evaluate(TOWARDS, kit.Context(model, states))[0, 0]
        except kit.SingularMatrixError:
            return Reply(False, "V does not exist")
        if value <= 0:
            return Reply(False, f"bᵀΦᵀDV = {value}")
    return Reply(True, "bᵀΦᵀDV > 0 on every recurrent class")


def limit_identity(d: int) -> bool:
    """With (η − A)θ = b: ηθ − b = Aθ, and the excess for ηθ = b + Aθ; free A, θ, C, m, η."""
    _, A, theta, C, m, eta = kit.free(a=(d, d), t=(d, 1), c=("symmetric", d), m=(d, 1), e=())
    b = theta.scaled(eta) - A @ theta
    left = (theta.T @ C @ theta - (theta.T @ m).scaled(2)).scaled(eta)
    right = b.T @ C @ theta + (A @ theta).T @ C @ theta - (b.T @ m).scaled(2) - ((A @ theta).T @ m).scaled(2)
    return bool((left - right).is_zero())


def check(model: Model) -> Verdict:
    return kit.on_each_class(lambda states: some_ridge(model, states), model)


def some_ridge(model: Model, states: kit.States) -> Verdict:
    """Some η that is better than zero; refuted where every η > 0, and η = 0, is worse."""
    for eta in (Fraction(0), *(Fraction(2) ** k for k in range(-12, 24, 3))):
        try:
            better = excess(solution(ridge(model, eta), PAID)), "<", Name(0)
            found = kit.decide_relations(model, [better], states=states, detail=f"η = {eta} is better than zero")
        except kit.SingularMatrixError:
            continue
        if found.status is Status.HOLDS:
            return found

    def scaled(eta: Expression) -> Expression:
        """det² is not negative, and zero where θ_η does not exist."""
        return kit.determinant(ridge(model, eta)) ** 2 * excess(solution(ridge(model, eta), PAID))

    worse = decide_positive(model, scaled, POSITIVE, states, "det(η − A)²(‖Φθ_η − V‖² − ‖V‖²) > 0")
    at_zero = kit.decide_relations(
        model, [(Name(0), "<", excess(solution(ridge(model, Fraction(0)), PAID)))], states=states
    )
    if worse.status is at_zero.status is Status.HOLDS:
        told = "every ridge η ≥ 0 is worse than predicting zero"
        return kit.refuted(told, {"η": "every one"}, by=[*worse.certificates, *at_zero.certificates])
    return kit.undecided("no ridge was found that is better than zero")


def nearly_exact() -> Model:
    """V = (1, 11/10), φ = (1, 21/20), γ = 99/100; states are drawn with D = (3/4, 1/4), the target goes evenly."""
    gamma, half = Fraction(99, 100), Fraction(1, 2)
    made = models.jumps(
        "nearly exact", (Fraction(3, 4), Fraction(1, 4)), (0, 1), RationalMatrix([[1], [Fraction(21, 20)]]), gamma
    )
    reward = RationalMatrix.column([1 - gamma * Fraction(21, 20), Fraction(11, 10) - gamma * Fraction(21, 20)])
    return replace(made, target=RationalMatrix([[half, half]] * 2), rewards=(reward, reward))


def judge_stated() -> kit.Refutation:
    """A = 579/320000 > 0 and b < 0: below η = A the solution is too large, above it it is negative."""
    return kit.Refutation(check(nearly_exact()), nearly_exact())


def facts() -> list[kit.Fact]:
    """The features are not to blame."""
    near = 1000 * (excess(Name(1)) + its.V.T @ its.D @ its.V), "<", its.V.T @ its.D @ its.V
    sentence = "on the two states θ = 1 has a squared error below a thousandth of that of zero"
    return [kit.Fact(sentence, nearly_exact(), kit.decide_relations(nearly_exact(), [near]))]


CLAIM = kit.Claim(
    id="mk_vacuous",
    stated=kit.Reading(r"Where $A$ is nonsingular some ridge $\eta \ge 0$ gives better predictions than zero."),
    corrected=kit.Reading(
        r"Where $b^\top \Phi^\top D V > 0$ every ridge that is large enough gives better predictions than zero.",
        added_hypotheses=(r"$b^\top \Phi^\top D V > 0$",),
    ),
    judge_stated=judge_stated,
    check=check,
    prove=kit.proof("η·excess = −2bᵀm + terms in θ: symbolic A, C, m, θ, η, d = 1, 2", limit_identity, at=(1, 2)),
    facts=facts,
    variant=kit.FalseVariant("It is so with one feature that is off by less than five percent.", judge_stated),
    ablations=(kit.Ablation(UPHILL, counterexample=nearly_exact),),
)
