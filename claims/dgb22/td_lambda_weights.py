r"""The weights that TD(λ) gives to n-step returns.

Place: §1.1, motivation.
Statement: printed, TD(λ) gives the n-step return the weight (1 − λ)λⁿ. Those weights sum to λ, n = 1, 2, …; the
weights of TD(λ) sum to one.
Corrected: (1 − λ)λ^{n−1}.
Hypotheses: λ_j = λ for every j.
Model: only its schedule matters.
Check: eight weights w_n = c_{n−1} − c_n of the model's schedule, exact.
Closed form: c_k = λᵏ, so w_n = λ^{n−1} − λⁿ; Σ_{n≤N} w_n = 1 − λ^N.
"""

from tdcert.claims import kit, models
from tdcert.claims.kit import HALF, Expression, Fraction, Model, Schedule, Verdict, decide_relations, its, one_state
from tdcert.theory.check.hypotheses import ENDLESS_CONSTANT
from tdcert.theory.identities import return_weights as identities

WEIGHTS = 8
"""Weights that are compared on one model."""


def prove() -> kit.Proof:
    """The suite's own weights on a symbolic λ, and their sum by the step of the geometric sum."""
    largest = 10
    return kit.proved(
        f"w_n = (1 − λ)λ^(n−1) for n ≤ L and w_(L+1) = λ^L, symbolic λ, L = 0 … {largest}",
        kit.shown(identities.weights_of_constant_schedule, at=range(largest + 1)),
    ) + kit.proved_for_all(
        "induction over N: the weights up to N sum to 1 − c_N = 1 − λ^N, so the next one is (1 − λ)λ^N, by (1 − q) + "
        "(1 − λ)q = 1 − λq; the printed weights are λ times these",
        kit.shown(identities.geometric_step),
    )


def weight(exponent: int) -> Expression:
    """(1 − λ_1)λ_1 to that power."""
    return (1 - its.lambda_(1)) * its.lambda_(1) ** exponent


def check(model: Model) -> Verdict:
    """w_n = (1 − λ)λ^{n−1} with λ = λ_1."""
    relations = [(its.w(n), "=", weight(n - 1)) for n in range(1, WEIGHTS + 1)]
    return decide_relations(model, relations, detail=f"w_1 … w_{WEIGHTS} are (1 − λ)λ^(n−1)")


def judge_stated() -> kit.Refutation:
    """λ = ½: the one-step return has the weight ½, printed ¼."""
    model = one_state(HALF, Schedule.constant(Fraction(1, 2)))
    verdict = decide_relations(model, [("w:1", "=", weight(1))])
    detail = "the one-step return has the weight 1 − λ"
    return kit.explained(verdict, model, detail, "w_1", "printed weight (1 − λ)λ", λ="1/2")


CLAIM = kit.Claim(
    id="td_lambda_weights",
    stated=kit.Reading(
        r"TD($\lambda$) assigns the weight $(1-\lambda)\lambda^n$ to the $n$-step return.",
        quote=r"it assigns a weight of $(1-\lambda)\lambda^n$ to the $n$-step return for each $n$",
        place="§1.1",
    ),
    corrected=kit.Reading(r"TD($\lambda$) assigns the weight $(1-\lambda)\lambda^{n-1}$ to the $n$-step return."),
    correction=kit.Finding.MISPRINT,
    judge_stated=judge_stated,
    anchors=(r"it assigns a weight of $(1-\lambda)\lambda^n$ to the $n$-step return",),
    check=check,
    prove=prove,
    ablations=(kit.Ablation(ENDLESS_CONSTANT, box=models.SHORT_SCHEDULES),),
    notes=("The printed weights sum to λ over n = 1, 2, …, the corrected ones to one (λ < 1).",),
)
