"""The updates that code is held to, in symbols: what the terminal prints and docs/conformance.md shows."""

from __future__ import annotations

from tdcert.algorithms.schedules import TDC, scheduled
from tdcert.sims.experiments.gtd_lambda import ONE_LAMBDA
from tdcert.theory.engine.declare import Slot
from tdcert.theory.laws.schedule_update import CHANGE, PHI, REWARD, TRACE, ScheduleUpdate

DELTA = "δ_t = R_{t+1} + γ_t φ_{t+1}ᵀθ_t − φ_tᵀθ_t"
OF_ONE_LAMBDA = "θ_{t+1} = θ_t + α_t (δ_t z_t − γ_t (1 − λ) φ_{t+1} (z_tᵀw_t))"
WORDS = {
    (TRACE, REWARD): "δ_t z_t",  # with z_t x_tᵀθ_t
    (CHANGE, TRACE): "(φ_t − γ_t φ_{t+1}) (z_tᵀw_t)",  # −x_t z_tᵀw_t
    (PHI, PHI): "φ_t (φ_tᵀw_t)",
}


def paper_slots(algorithm: str, d: int) -> list[Slot]:
    """The iterates θ and w that are read of a class."""
    return [Slot(name, (d,)) for name in ("theta", "w")[: _update(algorithm).blocks]]


def _update(algorithm: str) -> ScheduleUpdate:
    """Its terms; those of w in GTD(λ) are TDC's."""
    return scheduled(TDC if algorithm in ONE_LAMBDA else algorithm)


def _line(update: ScheduleUpdate, row: int) -> str:
    """The update of a vector."""
    terms = [term for term in update.terms if term.row == row and (term.a, term.b) in WORDS]
    said = ""
    for term in terms:
        plus = (term.factor > 0) != (term.a == CHANGE)
        said += ((" + " if plus else " − ") if said else "" if plus else "−") + WORDS[term.a, term.b]
    name, size = "θw"[row], "αβ"[terms[0].step]
    return f"{name}_{{t+1}} = {name}_t + {size}_t " + (f"({said})" if len(terms) > 1 else said)


def updates(algorithm: str, schedules: str = "any") -> tuple[str, ...]:
    """The trace, δ and the updates of θ and w, a line for each.

    γ_t is the discount of transition t, 0 where it ends an episode; the trace begins anew after that.
    """
    update = _update(algorithm)
    lines = [_line(update, row) for row in range(update.blocks)]
    return trace(algorithm, schedules), DELTA, *([OF_ONE_LAMBDA, *lines[1:]] if algorithm in ONE_LAMBDA else lines)


def trace(algorithm: str, schedules: str) -> str:
    """z_t: by its window for a schedule, by its recursion for one λ, alone for λ = 0; with ρ off-policy."""
    off_policy = _update(algorithm).off_policy
    ratio = "ρ_t " if off_policy else ""
    if schedules == "zero":
        return f"z_t = {ratio}φ_t"
    if schedules == "constant":
        past = "φ_t + γ_{t−1} λ z_{t−1}"
        return f"z_t = {ratio}({past})" if ratio else f"z_t = {past}"
    ratios = " ρ_{t−k} … ρ_t" if off_policy else ""
    return f"z_t = Σ_{{k=0}}^L λ_1 … λ_k γ_{{t−k}} … γ_{{t−1}}{ratios} φ_{{t−k}}"
