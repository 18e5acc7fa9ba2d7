r"""Sweeps of control converge to Q* for λ below (1 − γ)/(2γ), whatever the behaviour policies are.

Where: the sweep is Q' = Q + (I − λγP_μ)⁻¹(TQ − Q), T with the maximum, and errors are in the maximum norm.
Hypotheses: γ < 1; λ ≤ 1.
Model: any, at 99/100 of the threshold; its target policy is one that T may mix.
Check: every row of R for that policy, with ε = 2, against a bound that is below one.
Closed form: TQ − TQ* = γP̃(Q − Q*) for a policy P̃ between a greedy one of Q and one of Q*: max x − max y lies between
the values x_a − y_a at a maximum of x and x_b − y_b at one of y.
Proof: the error of one sweep is that of hq_contraction for P̃, and ε ≤ 2.
"""

from dataclasses import replace

from tdcert.claims import kit, models
from tdcert.claims.harutyunyan16.hq_evaluation import not_below_one
from tdcert.claims.harutyunyan16.sweep import DISCOUNTED, below, contracts, split_identity, stay_and_swap
from tdcert.claims.kit import Fraction, Model, RationalMatrix, entry_of, free, its


def sweep_identity(n: int) -> bool:
    """Q' − Q* = (I − K)⁻¹(γP̃ − K)(Q − Q*) for K = λγP_μ, where TQ = TQ* + γP̃(Q − Q*) and TQ* = Q*; all free."""
    _, K, G, Q, best = free(k=(n, n), g=(n, n), q=(n, 1), b=(n, 1))
    unit = K.identity(n)
    image = best + G @ (Q - best)
    swept = Q + (unit - K).solve(image - Q)
    return bool((swept - best - (unit - K).solve((G - K) @ (Q - best))).is_zero())


def pairs() -> Model:
    """The pairs (1, stay), (1, swap), (2, stay), (2, swap) of two states, γ = 9/10: the behaviour always stays, the
    target always swaps, which is greedy, as to swap has the reward 1 and to stay 0.
    """
    behaviour = RationalMatrix([[int(j == after) for j in range(4)] for after in (0, 2, 2, 0)])
    unit = behaviour.identity(4)
    made = models.jumps("pairs of stay and swap", [Fraction(1, 4)] * 4, (1, 3, 3, 1), unit, Fraction(9, 10))
    return replace(made, behaviour=behaviour, rewards=(RationalMatrix.column([0, 1, 0, 1]),) * 4)


def one_percent_more() -> kit.Refutation:
    """x = (1, −1, −1, 1), and Q* is larger where it swaps: from near Q* a sweep multiplies x by less than −1."""
    swap_is_best = [(entry_of(its.V, stay), "<", entry_of(its.V, stay + 1)) for stay in (0, 2)]
    return not_below_one(pairs(), (1, -1, -1, 1), swap_is_best)


CLAIM = kit.Claim(
    id="hq_control",
    stated=kit.Reading(
        r"For $\gamma < 1$, $0 \le \lambda \le 1$ with $\lambda < \frac{1 - \gamma}{2\gamma}$ and any behaviour policy "
        r"a sweep with $\max_a$ contracts towards $Q^*$ by $\gamma(1 + \lambda)/(1 - \lambda\gamma) < 1$."
    ),
    check=lambda model: contracts(model, below(model, Fraction(2)), Fraction(2), least=True),
    prove=lambda: kit.proved(
        "Q' − Q* = (I − λγP_μ)⁻¹(γP̃ − λγP_μ)(Q − Q*): symbolic, n = 1, 2; hq_contraction's identities, n = 1 … 3",
        kit.shown(sweep_identity, at=(1, 2)),
        kit.shown(split_identity, at=range(1, 4)),
    ),
    instances=lambda: (stay_and_swap(),),
    variant=kit.FalseVariant("It converges at a λ that is one percent above the threshold.", one_percent_more),
    constants=(kit.NumericConstant("the threshold (1 − γ)/(2γ)", one_percent_more),),
    ablations=(kit.Ablation(DISCOUNTED, box=models.UNDISCOUNTED),),
    rests_on=("hq_contraction",),
)
