r"""Sweeps that evaluate a policy converge for λ below (1 − γ)/(γε); for ε = 2 that is sharp.

Model: any, at 99/100 of the threshold, or of one where that is less.
Check: every row of R, with the signs of its entries, against a bound that is below one.
Closed form: γ(1 − λ + λε) < 1 − λγ where γ + λγε < 1. Stay and swap: R(1, −1) = −γ(1 + λ)/(1 − λγ)·(1, −1).
Proof: hq_contraction, whose bound is below one there.
"""

from collections.abc import Sequence

from tdcert.claims import kit, models
from tdcert.claims.harutyunyan16 import sweep
from tdcert.claims.kit import Fraction, Model, Name, RationalMatrix, Relation, Status, Verdict, literal, refuted


def check(model: Model) -> Verdict:
    epsilon = sweep.distance(model)
    return sweep.contracts(model, sweep.below(model, epsilon), epsilon, least=True)


def one_percent_more() -> kit.Refutation:
    """Stay and swap, x = (1, −1)."""
    return not_below_one(sweep.stay_and_swap(), (1, -1))


def not_below_one(model: Model, x: Sequence[int], more: Sequence[Relation] = ()) -> kit.Refutation:
    """At λ = (101/100)/18 and γ = 9/10: Rx = −γ(1 + λ)/(1 − λγ)·x, less than −1 times x, so no sweep converges; with
    ``more`` that is to be seen.
    """
    gamma, lam = Fraction(9, 10), Fraction(101, 1800)
    factor, column, said = gamma * (1 + lam) / (1 - lam * gamma), literal(RationalMatrix.column(x)), ", ".join
    relations = [
        (sweep.error_matrix(model, lam) @ column, "=", Name(-factor) * column),
        (Name(1), "<", Name(factor)),
        *more,
    ]
    kept = kit.decide_relations(model, relations, states=model.behaviour_chain.recurrent_classes[0])
    told = f"({said(map(str, x))})".replace("-", "−")
    assert kept.status is Status.HOLDS
    return kit.Refutation(refuted(f"Rx = −{factor}x for x = {told}", {"x": told}, by=kept.certificates), model)


CLAIM = kit.Claim(
    id="hq_evaluation",
    stated=kit.Reading(
        r"For $\gamma < 1$ and $0 \le \lambda \le 1$ with $\lambda < \frac{1 - \gamma}{\gamma\epsilon}$, sweeps "
        r"converge: $\|R\|_\infty < 1$."
    ),
    check=check,
    prove=kit.proof("hq_contraction: its identities, n = 1 … 3", sweep.split_identity, at=range(1, 4)),
    instances=lambda: (sweep.stay_and_swap(),),
    variant=kit.FalseVariant("They converge at a λ that is one percent above the threshold.", one_percent_more),
    constants=(kit.NumericConstant("the threshold (1 − γ)/(γε), at ε = 2", one_percent_more),),
    ablations=(kit.Ablation(sweep.DISCOUNTED, box=models.UNDISCOUNTED),),
    rests_on=("hq_contraction",),
)
