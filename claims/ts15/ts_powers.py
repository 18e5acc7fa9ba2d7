r"""T^λ is the geometric average of the powers of T from the first on.

Hypotheses: Σ λⁱNⁱ has a sum.
Model: any, with one λ; each recurrent class on its own. v = Φ1.
Check: T^λv = (1 − λ) Σ_{i<k} λⁱTⁱ⁺¹v + λᵏTᵏ(T^λv), k = 1, 2, 3, with T^λv = r^λ + Qv in closed form.
Closed form: the rest after k terms is λᵏTᵏ of the whole.
"""

from tdcert.claims import kit, models
from tdcert.claims.emphasis import every, missed, rewarded
from tdcert.claims.kit import HALF, Expression, Fraction, Model, Name, Schedule, Verdict, decide_relations, free, its

START: Expression = its.Phi @ its.theta


def bellman(v: Expression, times: int) -> Expression:
    """Tᵗv."""
    for _ in range(times):
        v = its.r + its.N @ v
    return v


def averaged(lam: Fraction, v: Expression) -> Expression:
    """T^λv in closed form."""
    return rewarded(every(lam)) + v - missed(every(lam)) @ v


def rest_identity(n: int) -> bool:
    """r^λ + Qv = (1 − λ)Tv + λT(r^λ + Qv) for free N (n×n), r, v, λ; k terms by induction."""
    _, N, r, v, lam = free(p=(n, n), r=(n, 1), v=(n, 1), l=())
    before = N.identity(n) - N.scaled(lam)
    whole = before.solve(r + (N @ v).scaled(1 - lam))
    return bool((whole - (r + N @ v).scaled(1 - lam) - (r + N @ whole).scaled(lam)).is_zero())


def check(model: Model) -> Verdict:
    lam, relations = models.lambda_of(model), []
    for k in (1, 2, 3):
        terms: Expression = Name(lam**k) * bellman(averaged(lam, START), k)
        for i in range(k):
            terms = terms + Name((1 - lam) * lam**i) * bellman(START, i + 1)
        relations.append((averaged(lam, START), "=", terms))
    theta, detail = [1] * model.d, "T^λv = (1 − λ) Σ λⁱTⁱ⁺¹v"
    return kit.on_each_class(
        lambda states: decide_relations(model, relations, states=states, theta=theta, detail=detail), model
    )


def with_powers(shift: int, factor: Fraction, left: str) -> kit.Refutation:
    """One state, R = 1, γ = λ = ½, v = 1: the average of the powers from 1 + ``shift`` on, times a factor."""
    model = kit.one_state(HALF, Schedule.constant(HALF))
    wrong = Name(factor) * bellman(averaged(HALF, START), shift)
    found = decide_relations(model, [(wrong, "=", averaged(HALF, START))], theta=[1])
    return kit.explained(found, model, "one state, R = 1, γ = λ = ½, v = 1", left, "T^λv by (2)")


CLAIM = kit.Claim(
    id="ts_powers",
    stated=kit.Reading(
        r"$T^\lambda v = (1 - \lambda)\sum_{i \ge 0} \lambda^i T^{i+1} v$ is the geometric average of the powers $T^i$ "
        r"for all $i > 1$.",
        quote=r"the applications of the powers $T^i$ of the Bellman operator $T$ for all $i > 1$",
        place="§2, before (2)",
    ),
    corrected=kit.Reading(
        r"$T^\lambda v = (1 - \lambda)\sum_{i \ge 0} \lambda^i T^{i+1} v$ is the geometric average of the powers $T^i$ "
        r"for all $i \ge 1$."
    ),
    correction=kit.Finding.MISPRINT,
    judge_stated=lambda: with_powers(1, Fraction(1), "the average over i > 1"),
    anchors=("(2)",),
    check=check,
    prove=lambda: kit.proved(
        "T^λv = (1 − λ)Tv + λT(T^λv): symbolic N, r, v, λ, n = 1, 2, 3; k terms by induction",
        kit.shown(rest_identity, at=(1, 2, 3)),
    ),
    variant=kit.FalseVariant("It is the sum of λⁱTⁱ, i ≥ 1, times 1 − λ.", lambda: with_powers(0, HALF, "λT^λv")),
    ablations=(kit.Ablation(kit.APERIODIC.at("§2: ergodic"), supports=models.periodic_models),),
    notes=("Formula (2) is right, and so is the sentence after it: T^λ = T at λ = 0.",),
)
