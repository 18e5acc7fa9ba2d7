r"""TD(0) may have a slope of the wrong sign.

Place: text not seen; an example that is ascribed to Bertsekas (1995), here with numbers of our own.
Statement: on-policy, with one feature, the limits of TD(0) and TD(1) may have opposite signs.
Hypotheses: the example: n → n − 1 → … → 1 → end, φ(s) = s, no discount, rewards 1 on leaving 1 and −1 on leaving n.
Model: that chain, begun again at n, for n = 2, 3, 5.
Check: the limit at λ = 0 is below zero, that at λ = 1 above.
Closed form: θ_0 = (1 − n)/(n(n + 1)/2), θ_1 = (n(n + 1)/2 − n)/Σs² with Σs² = n(n + 1)(2n + 1)/6.
"""

from __future__ import annotations

from fractions import Fraction

from tdcert.claims.kit import (
    Ablation,
    Claim,
    Expression,
    FalseVariant,
    Model,
    Proof,
    Reading,
    Refutation,
    Relation,
    in_words,
    proved,
    shown,
)
from tdcert.claims.verdicts import Verdict
from tdcert.claims.yu15.emphasis import mean_matrix, rewarded
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.hypotheses import Hypothesis, Reply
from tdcert.theory.expressions.notation import Name, its, solution
from tdcert.theory.expressions.relations import decide_relations
from tdcert.theory.model.gallery import HALF, one_state

SIZES = (2, 3, 5)


def walk_down(n: int, last: int = -1) -> Model:
    """States 1 … n; ``last``: the reward on leaving n. From 1 to n without a discount to come."""
    P = RationalMatrix([[int(t == (s - 1) % n) for t in range(n)] for s in range(n)])
    discount = RationalMatrix([[int(s > 0)] * n for s in range(n)])
    R = RationalMatrix.column([1, *[0] * (n - 2), last])
    return Model.reward_process(P, R, discount, RationalMatrix.column(range(1, n + 1)), name=f"walk down from {n}")


def limit(lam: Fraction) -> Expression:
    """The limit of TD(λ) (d×1)."""
    return solution(-mean_matrix(lam, its.d), its.Phi.T @ its.D @ rewarded(lam))


def _is_the_example(model: Model) -> Reply:
    good = model.n > 1 and model.digest == walk_down(model.n).digest
    return Reply(good, "the model is the example" if good else "the model is another")


EXAMPLE = Hypothesis("walk_down", "a walk down that earns 1 at its end and −1 at its begin", "own", _is_the_example)


def normal_equations(n: int) -> bool:
    """Σ s(R_s + (s − 1)θ_0 − sθ_0) = 0 and Σ s(V_s − sθ_1) = 0, V = 1, …, 1, 0, by the closed forms."""
    R, V = [1, *[0] * (n - 2), -1], [*[1] * (n - 1), 0]
    first = Fraction(1 - n, n * (n + 1) // 2)
    last = Fraction(n * (n + 1) // 2 - n, n * (n + 1) * (2 * n + 1) // 6)
    states = range(1, n + 1)
    zero = sum(s * (R[s - 1] + (s - 1) * first - s * first) for s in states)
    return zero == 0 == sum(s * (V[s - 1] - s * last) for s in states)


def prove() -> Proof:
    """Both closed forms."""
    return proved("θ_0 < 0 < θ_1 by their closed forms, n = 2 … 9", shown(normal_equations, at=range(2, 10)))


def check(model: Model) -> Verdict:
    """The signs of both limits."""
    signs: list[Relation] = [(limit(Fraction(0)), "<", Name(0)), (Name(0), "<", limit(Fraction(1)))]
    found = decide_relations(model, signs, detail="the limit of TD(0) is negative, that of TD(1) positive")
    return in_words(found, "the limits have one sign", "wanted below", "wanted above")


def paid_at_the_end() -> Refutation:
    """n = 2, no reward at the begin: both limits are positive."""
    model = walk_down(2, 0)
    return Refutation(check(model), model)


CLAIM = Claim(
    id="tvr_bertsekas",
    stated=Reading(r"On-policy, the limits of TD(0) and TD(1) with one feature may have opposite signs."),
    check=check,
    prove=prove,
    instances=lambda: [walk_down(n) for n in SIZES],
    variant=FalseVariant("They have on a walk that earns at its end alone.", paid_at_the_end),
    ablations=(Ablation(EXAMPLE, counterexample=lambda: one_state(HALF)),),
)
