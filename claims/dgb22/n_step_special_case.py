r"""n-step TD as a special case of the λ-schedule.

Place: §2, observation (1).
Statement: printed, λ_j = 1 for j ≤ n and 0 after gives n-step TD. It gives (n+1)-step TD: the weight of the m-step
return is w_m = c_{m−1} − c_m, and c_m = 1 up to m = n, so all weight lies on m = n + 1. Corrected: λ_j = 1 for j < n
and 0 for j ≥ n.
Hypotheses: the schedule has that form for some n ≥ 1.
Model: only its schedule matters.
Check: the weights of the returns, exact: one at n = L + 1, zero elsewhere.
Closed form: w(1, λ_1, λ_2, …) = (0, w(λ_1, λ_2, …)), w() = (1). EqualWeights(n, n) of §2.1 agrees with the correction.
"""

from dataclasses import replace

from tdcert.claims import kit, models
from tdcert.claims.kit import HALF, Fraction, Model, Schedule, Status, Verdict, decide_relations, one_state
from tdcert.theory.arithmetic import SymbolicRing
from tdcert.theory.check.hypotheses import N_STEP_SCHEDULE
from tdcert.theory.model.schedule import return_weights


def prove() -> kit.Proof:
    """Induction over n: a leading λ = 1 shifts the weights by one place; the empty schedule has w = (1)."""
    kit.require(return_weights(()) == [1], "the schedule without λ's does not weight the one-step return alone")
    # Step, for any rest: c_0 = 1 and c_{k+1}(1, rest) = 1·c_k(rest), so w_1 = 1 − 1 = 0 and w_{k+1} = c_k − c_{k+1}
    # of rest.
    largest = 8
    for length in range(largest + 1):
        ring = SymbolicRing(*(f"l{j}" for j in range(1, length + 1)))
        rest = list(ring.symbols)
        shifted = [ring.element(w) for w in return_weights([ring.element(1), *rest])]
        moved = [ring.element(w) for w in (0, *return_weights(rest))]
        kit.require(shifted == moved, f"a leading λ = 1 does not shift the weights at L = {length}")
    return kit.proved_for_all(
        "induction over n: w() = (1), and w(1, λ_1, λ_2, …) = (0, w(λ_1, λ_2, …)) since c_{k+1}(1, λ…) = c_k(λ…)", 1
    ) + kit.proved(f"the step, on the suite's own weights with symbolic λ's, L = 0 … {largest}", largest + 1)


def weights_verdict(model: Model, first: int) -> Verdict:
    """Whether the weights are equal on ``first`` … L + 1 and zero elsewhere; used by EqualWeights too."""
    length = model.schedule.length
    last = 3 if length is None else length + 1  # without an end, three weights tell
    share = str(Fraction(1, last - first + 1))
    expected = [("0" if n < first else share) for n in range(1, last + 1)]
    relations = [(f"w:{n}", "=", value) for n, value in enumerate([*expected, "0"], start=1)]
    weights = f"weight {share} on the {first}-step" + (f" to {last}-step returns" if last > first else " return")
    return decide_relations(model, relations, detail=weights)


def check(model: Model) -> Verdict:
    """The (L+1)-step return has weight one."""
    return weights_verdict(model, len(model.schedule.lambdas) + 1)


def judge_stated() -> kit.Refutation:
    """n = 1 as printed: λ_1 = 1, then 0. The one-step return should have weight one; the two-step return has it."""
    model = one_state(HALF, Schedule((Fraction(1),)))
    verdict = decide_relations(model, [("w:1", "=", "1")], detail="w_1 = 1")
    if verdict.status is Status.REFUTED:
        weights = {f"w_{n}": str(w) for n, w in enumerate(return_weights(model.schedule.lambdas), start=1)}
        detail = "n = 1 as printed, λ_1 = 1 and 0 after, weights the two-step return"
        verdict = replace(verdict, detail=detail, witness={"n": "1", "λ_1": "1", **weights})
    return kit.Refutation(verdict, model)


CLAIM = kit.Claim(
    id="n_step_special_case",
    stated=kit.Reading(
        r"$\lambda_j = 1$ for $j \leq n$ and $\lambda_j = 0$ for $j > n$ gives $n$-step TD.",
        quote=(
            r"If $\lambda_j = 1$ for $j \leq n$ and $\lambda_j = 0$ for $j > n$, for some $n > 0$, then we obtain the "
            "$n$-step TD algorithm"
        ),
        place="§2, observation (1)",
    ),
    corrected=kit.Reading(r"$\lambda_j = 1$ for $j < n$ and $\lambda_j = 0$ for $j \geq n$ gives $n$-step TD."),
    correction=kit.Finding.MISPRINT,
    judge_stated=judge_stated,
    anchors=(r"If $\lambda_j = 1$ for $j \leq n$ and $\lambda_j = 0$ for $j > n$",),
    check=check,
    prove=prove,
    asked_of_large_exact_models=True,
    ablations=(kit.Ablation(N_STEP_SCHEDULE, box=models.SHORT_SCHEDULES),),
)
