r"""What the statements of Tagorti and Scherrer 2015 share: one λ for every time, and the means over the trace.

T^λv = r^λ + Qv with Q = (1 − λ)(I − λN)⁻¹N, N = γP (``yu15.emphasis``); A = ΦᵀD(I − Q)Φ, b = ΦᵀDr^λ. The suite's A has
the other sign.
"""

from collections.abc import Sequence

from tdcert.claims import kit, models
from tdcert.claims.kit import HALF, Fraction, Model, Schedule, flip_chain, largest_discount, one_state
from tdcert.theory.check.hypotheses import ENDLESS_CONSTANT


def modulus(model: Model) -> Fraction:
    """(1 − λ)γ/(1 − λγ), γ the largest discount, λ that of the end of the schedule; 0 at λ = 1."""
    lam, gamma = model.schedule.tail, largest_discount(model)
    return Fraction(0) if lam == 1 else (1 - lam) * gamma / (1 - lam * gamma)


ONE_LAMBDA = kit.Ablation(
    ENDLESS_CONSTANT.at("§2, (2)"), counterexample=lambda: one_state(HALF, Schedule.n_step(2)), note="κ is another one"
)


def with_one_lambda() -> Sequence[Model]:
    """λ = ½, 1, 1 and ¾ without an end, and two states that alternate."""
    lambdas = (Schedule.constant(HALF), Schedule.constant(Fraction(9, 10)))
    return (*models.endless_models(), *(flip_chain(Fraction(9, 10), schedule, ((1,), (2,))) for schedule in lambdas))
