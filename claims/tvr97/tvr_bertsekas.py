r"""TD(0) may have a slope of the wrong sign.

Note: an example that is ascribed to Bertsekas (1995), here with numbers of our own.
Hypotheses: the example: 2 → 1 → end, φ(s) = s, no discount, rewards 1 on leaving 1 and −1 on leaving 2.
Model: that chain, begun again in 2.
Check: the limit at λ = 0 is below zero, that at λ = 1 above.
Closed form: θ_0 = ΣsR_s/Σs = −1/3, θ_1 = ΣsV_s/Σs² = 1/5 with V = (1, 0).
"""

from tdcert.claims import kit, models
from tdcert.claims.emphasis import every, mean_matrix, rewarded
from tdcert.claims.kit import HALF, Context, Fraction, Model, Name, RationalMatrix, Verdict, evaluate, its, solution


def walk_down(last: int = -1) -> Model:
    """2 → 1 → 2, without a discount but on the way back; ``last``: the reward on leaving 2."""
    P, discount = RationalMatrix([[0, 1], [1, 0]]), RationalMatrix([[0, 0], [1, 1]])
    return Model.reward_process(
        P, RationalMatrix.column([1, last]), discount, RationalMatrix.column([1, 2]), name="walk down"
    )


EXAMPLE = models.the_example("walk_down", "the walk of two states", "own", lambda gamma: walk_down())


def limit(lam: int) -> kit.Expression:
    """The limit of TD(λ) (d×1)."""
    return solution(-mean_matrix(every(lam), its.d), its.Phi.T @ its.D @ rewarded(every(lam)))


def prove() -> kit.Proof:
    """Both limits, as it is enough that there is one chain."""
    limits = [evaluate(limit(lam), Context(walk_down(), (0, 1)))[0, 0] for lam in (0, 1)]
    kit.require(limits == [Fraction(-1, 3), Fraction(1, 5)], "the limits are not −1/3 and 1/5")
    return kit.proved("θ_0 = −1/3 and θ_1 = 1/5 on the walk of two states", 1)


def check(model: Model) -> Verdict:
    zero, detail = Name(0), "the limit of TD(0) is negative, that of TD(1) positive"
    return kit.decide_relations(model, [(limit(0), "<", zero), (zero, "<", limit(1))], detail=detail)


def paid_at_the_end() -> kit.Refutation:
    """No reward at the begin: both limits are positive."""
    return kit.Refutation(check(walk_down(0)), walk_down(0))


CLAIM = kit.Claim(
    id="tvr_bertsekas",
    stated=kit.Reading(r"On-policy, the limits of TD(0) and TD(1) with one feature may have opposite signs."),
    check=check,
    prove=prove,
    instances=lambda: [walk_down()],
    variant=kit.FalseVariant("They have on a walk that earns at its end alone.", paid_at_the_end),
    ablations=(kit.Ablation(EXAMPLE, counterexample=lambda: kit.one_state(HALF)),),
)
