r"""A sweep of off-policy Q(λ), on the states of a chain; pairs of state and action are states of such a chain too.

    Q' = Q + (I − λγP_μ)⁻¹(r + γP_πQ − Q),   so that errors are multiplied by R = (I − λγP_μ)⁻¹γ(P_π − λP_μ).

ε = ‖P_π − P_μ‖_∞ is at most max_s ‖π − μ‖₁, and so at most two.
"""

from dataclasses import replace

from tdcert.claims import kit, models
from tdcert.claims.kit import (
    Context,
    Expression,
    Fraction,
    Model,
    Name,
    Reply,
    Verdict,
    decide_relations,
    free,
    its,
    part,
)
from tdcert.claims.parameter import decide_max_norm


def behind(model: Model, lam: Fraction | Expression) -> Expression:
    """I − λγP_μ (n×n)."""
    return its.I - part(lam * discount(model)) * its.P_mu


def error_matrix(model: Model, lam: Fraction | Expression) -> Expression:
    """R (n×n)."""
    return kit.solution(behind(model, lam), Name(discount(model)) * (its.P_pi - part(lam) * its.P_mu))


def discount(model: Model) -> Fraction:
    """γ, the largest one where it is not constant."""
    rows = (row for table in model.discounts for row in table.rows)
    return max(x for row in rows for x in row)


@kit.hypothesis("one_discount_below_one", r"one discount $\gamma < 1$", "our own")
def DISCOUNTED(model: Model) -> Reply:
    gamma = model.gamma
    return Reply(gamma is not None and gamma < 1, "the discount varies" if gamma is None else f"gamma = {gamma}")


def distance(model: Model) -> Fraction:
    """ε."""
    gap = kit.evaluate(its.P_pi - its.P_mu, Context(model, model.behaviour_chain.recurrent_classes[0]))
    return max(sum(map(abs, row), start=Fraction(0)) for row in gap.rows)


def below(model: Model, epsilon: Fraction) -> Fraction:
    """99/100 of (1 − γ)/(γε), or of one where that is less."""
    slope = discount(model) * epsilon
    return Fraction(99, 100) * (min(Fraction(1), (1 - discount(model)) / slope) if slope else 1)


def contracts(model: Model, lam: Fraction, epsilon: Fraction, least: bool) -> Verdict:
    """Whether ‖R‖_∞ ≤ γ(1 − λ + λε)/(1 − λγ), and, where ``least``, that is below one."""
    states, gamma = model.behaviour_chain.recurrent_classes[0], discount(model)
    if lam * gamma == 1:
        kept = decide_relations(model, [(Name(0), "!=", kit.determinant(behind(model, lam)))], states=states)
        return replace(kept, detail="λγ = 1: I − λγP_μ is singular", undefined="R", failed=None)
    bound = gamma * (1 - lam + lam * epsilon) / (1 - lam * gamma)
    told = f"‖R‖_∞ ≤ {bound} at λ = {lam}, ε = {epsilon}"
    parts = [decide_max_norm(model, error_matrix(model, lam), Name(bound), states, told)]
    if least:
        parts.append(decide_relations(model, [(Name(bound), "<", Name(1))], states=states))
    return kit.together(parts, told, {"λ": str(lam), "bound": str(bound)})


def split_identity(n: int) -> bool:
    """P_π − λP_μ = (1 − λ)P_π + λ(P_π − P_μ), and (I − λγP)𝟏 = (1 − λγ)𝟏 for a symbolic stochastic P."""
    ring, target, behaviour, lam, gamma = free(p=(n, n), q=("stochastic", n), l=(), g=())
    ones = ring.matrix([[1]] * n)
    parts = target.scaled(1 - lam) + (target - behaviour).scaled(lam)
    rows = ones - (behaviour @ ones).scaled(lam * gamma) - ones.scaled(1 - lam * gamma)
    return bool((target - behaviour.scaled(lam) - parts).is_zero() and rows.is_zero())


def stay_and_swap() -> Model:
    """Two states, γ = 9/10: the behaviour stays, the target goes to the other one; ε = 2."""
    half, one = Fraction(1, 2), kit.RationalMatrix.zeros(2, 1).identity(2)
    return replace(models.jumps("stay and swap", (half, half), (1, 0), one, Fraction(9, 10)), behaviour=one)
