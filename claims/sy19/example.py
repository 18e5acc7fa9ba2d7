"""The example of App. E: X_k = −1 or 1 evenly, independent, A(−1) = −2, b(−1) = −1, A(1) = b(1) = 1.

As a model it is a chain of two states, each next state drawn evenly, with A(X_k) = φ(s_k) and b(X_k) = R_k.
"""

from tdcert.claims import kit
from tdcert.claims.kit import HALF, Expression, Fraction, Hypothesis, Model, Name, RationalMatrix, Reply, expected, its

EPSILON = Fraction(1, 10)
COIN, B, A = RationalMatrix([[HALF, HALF]] * 2), RationalMatrix.column([-1, 1]), RationalMatrix.column([-2, 1])


def example() -> Model:
    """The example as a chain."""
    return Model.reward_process(COIN, B, HALF, A, name="the example of App. E")


def moved() -> Expression:
    """A(X_0)Θ_0 + b(X_0), with Θ_0 = ``its.theta``."""
    return its.phi(0) * its.theta + its.reward(0)


def iterate(steps: int) -> Expression:
    """Θ_k after so many steps along a path, ε = 1/10."""
    theta: Expression = its.theta
    for t in range(steps):
        theta = theta + Name(EPSILON) * (its.phi(t) * theta + its.reward(t))
    return theta


def mean(steps: int, expression: Expression) -> Expression:
    """The mean over all values of X_0, X_1, …"""
    return expected("mu", "d", steps, expression)


def _is_example(model: Model) -> Reply:
    same = model.is_on_policy and (model.behaviour_chain.P, model.target_kernel.r, model.features) == (COIN, B, A)
    return Reply(same, f"A(X), b(X) and the law of X are {'' if same else 'not '}those of the example")


OF_EXAMPLE = kit.Ablation(
    Hypothesis("example_of_app_e", "$A(X)$, $b(X)$ and the law of $X$ are those of the example", "App. E", _is_example),
    counterexample=lambda: kit.one_state(0, features=(Fraction(-1, 3),), reward=0),
)
