r"""The trace has no recursion in itself alone.

Place: §2, after (trace_eq).
Statement: z_t cannot be written through z_{t−1} and φ_t. A recursion z_t = a z_{t−1} + φ_t for every history asks for
γc_{k+1} = a c_k for every k, so c_k = c_1ᵏ: TD(λ). A schedule that ends after λ_1 ≠ 0 breaks it at k = L, where
c_{L+1} = 0 ≠ c_1c_L.
Hypotheses: a schedule of finite length with λ_1 ≠ 0, γ ≠ 0.
Model: its schedule, and whether it discounts all to zero.
Check: c_{L+1} ≠ c_1c_L (without end: c_2 ≠ c_1², which fails for every constant λ).
Closed form: histories that differ by x in φ_{t−1} and by −x/(γ^L c_L) in φ_{t−1−L} have one z_{t−1}, and z_t's that
differ by γλ_1x.
"""

from dataclasses import replace

from tdcert.claims import kit, models
from tdcert.claims.box import Box
from tdcert.claims.kit import HALF, Fraction, Model, Schedule, Status, Verdict, decide_along, its, some_paths, undecided
from tdcert.theory.check.hypotheses import DISCOUNT_NOT_ZERO, FINITE_SCHEDULE, LAMBDA_1_NOT_ZERO
from tdcert.theory.identities import return_weights as identities

TWO_STEPS = Box(states=1, entries=(1,), gammas=(HALF, Fraction(0)), schedules=(Schedule.n_step(2),))


def prove() -> kit.Proof:
    """Two histories with one z_{t−1}, by the suite's own trace."""
    return kit.proved(
        "two histories with the same z_{t−1} and φ_t whose z_t differ by γλ_1x, symbolic γ, λ's, features and x, "
        "L = 1 … 6: z_t is not a function of z_{t−1} and φ_t",
        kit.shown(identities.same_trace_then_another, at=range(1, 7)),
    )


def check(model: Model) -> Verdict:
    """The weights are not geometric."""
    k = model.schedule.length
    if k is None:
        k = 1  # λ_j = λ for every j: c_{k+1} = c_1c_k at every k, so any k refutes
    relations = [(f"c:{k + 1}", "!=", its.c(1) * its.c(k)), (its.N, "!=", 0 * its.N)]
    detail = f"c_{k + 1} ≠ c_1 c_{k}, so no a gives γc_(k+1) = a c_k"
    verdict = decide_along(model, (), (), others=relations, detail=detail)
    return verdict if verdict.status is Status.HOLDS else _recursion(model, k, verdict)


def _recursion(model: Model, k: int, verdict: Verdict) -> Verdict:
    """z_t = γλ_1 z_{t−1} + φ_t: with geometric weights, or none after the first, or γ = 0, there is a recursion."""
    follows = its.discount(k) * (its.lambda_(1) * its.z(k)) + its.phi(k + 1)
    found = decide_along(model, some_paths(model, k + 1, 1), [(f"z:{k + 1}", "=", follows)])
    if found.status is not Status.HOLDS:
        return undecided("the weights are geometric, or γ = 0, but no recursion was found")
    detail = f"z_t = γλ_1 z_(t−1) + φ_t, seen at t = {k + 1}: {verdict.detail}"
    return replace(verdict, detail=detail, certificates=(*found.certificates, *verdict.certificates))


CLAIM = kit.Claim(
    id="trace_not_recursive",
    stated=kit.Reading(
        r"$z_t$ cannot be written recursively in terms of $z_{t-1}$, unlike in TD($\lambda$).",
        quote=r"We point out that $z_t$ can't be written recursively in terms of $z_{t-1}$ unlike TD($\lambda$)",
        place="§2, before Algorithm 1",
    ),
    anchors=(r"$z_t$ can't be written recursively in terms of $z_{t-1}$ unlike TD($\lambda$)",),
    check=check,
    prove=prove,
    ablations=(
        kit.Ablation(FINITE_SCHEDULE, box=models.ENDLESS),
        kit.Ablation(LAMBDA_1_NOT_ZERO, box=models.SHORT_SCHEDULES),
        kit.Ablation(DISCOUNT_NOT_ZERO, box=TWO_STEPS),
    ),
    notes=(
        "With one more vector there is a recursion for EqualWeights: see equal_weights_recursion.",
        "On a chain whose features tell all windows apart z_{t−1} determines the window; the statement is about "
        "traces as such.",
    ),
)
