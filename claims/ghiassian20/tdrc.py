r"""TDRC's mean matrices, as expressions, with λ = 0, β ≥ 0 and the ratio η > 0 of its steps.

A = ΦᵀD(I − N)Φ, so that TD's mean matrix is −A; H = (A + Aᵀ)/2; E φ'φᵀ with its discounts is C − Aᵀ:

    (θ, w)' = J(θ, w),   J = [[−A, −(C − Aᵀ)], [−ηA, −η(C + β)]],   slow: −(β + Aᵀ)(C + β)⁻¹A.
"""

from fractions import Fraction

from tdcert.claims import kit
from tdcert.claims.kit import Context, Expression, Hypothesis, Model, Name, Reply, identity, its, part, table
from tdcert.claims.means import MEAN

A: Expression = -MEAN


def shifted(model: Model, matrix: Expression, beta: Fraction | Expression) -> Expression:
    """``matrix`` + β."""
    return matrix + part(beta) * identity(model.d)


def slow(model: Model, beta: Fraction) -> Expression:
    """The mean matrix of θ where w is at rest for it (d×d)."""
    return -(shifted(model, A.T, beta) @ kit.solution(shifted(model, its.C, beta), A))


def joint(model: Model, beta: Fraction | Expression, eta: Fraction = Fraction(1)) -> Expression:
    """J (2d×2d)."""
    ratio = Name(-eta)
    return table([[-A, A.T - its.C], [ratio * A, ratio * shifted(model, its.C, beta)]])


def squares(model: Model, beta: Fraction) -> Expression:
    """βA + AAᵀ, whose symmetric part is βH + AAᵀ (d×d)."""
    return A @ shifted(model, A.T, beta)


def regular(id: str, statement: str, betas: tuple[Fraction, ...]) -> Hypothesis:
    """The hypothesis that A + β is nonsingular for these β."""

    def ask(model: Model) -> Reply:
        for states in model.behaviour_chain.recurrent_classes:
            for beta in betas:
                if kit.evaluate(shifted(model, A, beta), Context(model, states)).rank < model.d:
                    return Reply(False, f"A + {beta} is singular")
        return Reply(True, f"A + {', '.join(map(str, betas))} is nonsingular on every recurrent class")

    return Hypothesis(id, statement, "our own", ask)


NONSINGULAR = regular("TD_nonsingular", "$A$ of TD(0) is nonsingular", (Fraction(0),))
