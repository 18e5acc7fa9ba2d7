r"""Sweeps of control converge to Q* for λ below (1 − γ)/(2γ), whatever the behaviour policies are.

Place: our own; the paper was not read.
Statement: ‖Q' − Q*‖_∞ ≤ γ(1 + λ)/(1 − λγ)·‖Q − Q*‖_∞ for Q' = Q + (I − λγP_μ)⁻¹(TQ − Q), T with the maximum.
Hypotheses: γ < 1; λ ≤ 1.
Model: any, at 99/100 of the threshold; its target policy is one that T may mix.
Check: every row of R for that policy, with ε = 2, against a bound that is below one.
Closed form: TQ − TQ* = γP̃(Q − Q*) for a policy P̃ between a greedy one of Q and one of Q*: max x − max y lies between
the values x_a − y_a at a maximum of x and x_b − y_b at one of y.
"""

from __future__ import annotations

from fractions import Fraction

from tdcert.claims.harutyunyan16.hq_evaluation import one_percent_more
from tdcert.claims.harutyunyan16.sweep import DISCOUNTED, below, contracts, split_identity, stay_and_swap
from tdcert.claims.kit import Ablation, Claim, FalseVariant, Model, NumericConstant, Proof, Reading, proved, shown
from tdcert.claims.models import UNDISCOUNTED
from tdcert.claims.verdicts import Verdict
from tdcert.theory.identities.symbols import free


def sweep_identity(n: int) -> bool:
    """Q' − Q* = (I − K)⁻¹(γP̃ − K)(Q − Q*) for K = λγP_μ, where TQ = TQ* + γP̃(Q − Q*) and TQ* = Q*; all free."""
    _, K, G, Q, best = free(k=(n, n), g=(n, n), q=(n, 1), b=(n, 1))
    unit = K.identity(n)
    image = best + G @ (Q - best)
    swept = Q + (unit - K).solve(image - Q)
    return bool((swept - best - (unit - K).solve((G - K) @ (Q - best))).is_zero())


def prove() -> Proof:
    """The error of one sweep is that of hq_contraction for P̃, and ε ≤ 2."""
    return proved(
        "Q' − Q* = (I − λγP_μ)⁻¹(γP̃ − λγP_μ)(Q − Q*): symbolic, n = 1, 2; hq_contraction's identities, n = 1 … 3",
        shown(sweep_identity, at=(1, 2)),
        shown(split_identity, at=range(1, 4)),
    )


def check(model: Model) -> Verdict:
    """Just below the threshold of ε = 2."""
    return contracts(model, below(model, Fraction(2)), Fraction(2), least=True)


CLAIM = Claim(
    id="hq_control",
    stated=Reading(
        r"For $\gamma < 1$, $0 \le \lambda \le 1$ with $\lambda < \frac{1 - \gamma}{2\gamma}$ and any behaviour policy "
        r"a sweep with $\max_a$ contracts towards $Q^*$ by $\gamma(1 + \lambda)/(1 - \lambda\gamma) < 1$."
    ),
    check=check,
    prove=prove,
    instances=lambda: (stay_and_swap(),),
    variant=FalseVariant("With one action in each state it converges one percent above it too.", one_percent_more),
    constants=(NumericConstant("the threshold (1 − γ)/(2γ)", one_percent_more),),
    ablations=(Ablation(DISCOUNTED, box=UNDISCOUNTED),),
    rests_on=("hq_contraction",),
)
