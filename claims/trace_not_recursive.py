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

from __future__ import annotations

from fractions import Fraction

from claims.box import Box
from claims.claim import Ablation, Claim, ProofError, Reading
from claims.models import ENDLESS, HALF, SHORT_SCHEDULES
from theory.check import identities_schedule as identities
from theory.check.hypotheses import DISCOUNT_NOT_ZERO, FINITE_SCHEDULE, LAMBDA_1_NOT_ZERO
from theory.check.paths import decide_along
from theory.model.mdp import Model
from theory.model.schedule import Schedule
from theory.verdict import Grade, Scope, ScopedEvidence, Verdict

TWO_STEPS = Box(states=1, entries=(1,), gammas=(HALF, Fraction(0)), schedules=(Schedule.n_step(2),))


def prove() -> tuple[ScopedEvidence, ...]:
    """Two histories with one z_{t−1}, by the suite's own trace."""
    lengths = range(1, 7)
    if not all(identities.same_trace_then_another(length) for length in lengths):
        raise ProofError("the two histories do not separate z_t")
    return (
        ScopedEvidence(
            Scope.SIZES, Grade.PROVED, len(lengths),
            "two histories with the same z_{t−1} and φ_t whose z_t differ by γλ_1x, symbolic γ, λ's, features and x, "
            "L = 1 … 6: z_t is no function of z_{t−1} and φ_t",
        ),
    )  # fmt: skip


def check(model: Model) -> Verdict:
    """The weights are not geometric."""
    k = model.schedule.length
    if k is None:
        k = 1  # λ_j = λ for every j: c_{k+1} = c_1c_k at every k, so any k refutes
    relations = [(f"c:{k + 1}", "!=", ("*", "c:1", f"c:{k}")), ("N", "!=", ("*", "0", "N"))]
    detail = f"c_{k + 1} ≠ c_1 c_{k}, so no a gives γc_(k+1) = a c_k"
    return decide_along(model, (), (), others=relations, detail=detail)


CLAIM = Claim(
    id="trace_not_recursive",
    stated=Reading(r"$z_t$ cannot be written recursively in terms of $z_{t-1}$, unlike in TD($\lambda$)."),
    hypotheses=(FINITE_SCHEDULE, LAMBDA_1_NOT_ZERO, DISCOUNT_NOT_ZERO),
    anchors=(r"$z_t$ can't be written recursively in terms of $z_{t-1}$ unlike TD($\lambda$)",),
    check=check,
    prove=prove,
    ablations=(
        Ablation(FINITE_SCHEDULE, box=ENDLESS),
        Ablation(LAMBDA_1_NOT_ZERO, box=SHORT_SCHEDULES),
        Ablation(DISCOUNT_NOT_ZERO, box=TWO_STEPS),
    ),
    notes=(
        "With one more vector there is a recursion for EqualWeights: see equal_weights_recursion.",
        "On a chain whose features tell all windows apart z_{t−1} determines the window; the statement is about "
        "traces as such.",
    ),
)
