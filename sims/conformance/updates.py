"""The updates that code is held to, in symbols: what the terminal prints and docs/conformance.md shows."""

from __future__ import annotations

from tdcert.theory.engine.declare import Slot

DELTA = "δ_t = R_{t+1} + γ_t φ_{t+1}ᵀθ_t − φ_tᵀθ_t"
THETA = {
    "td": "θ_{t+1} = θ_t + α_t δ_t z_t",
    "off_policy_td": "θ_{t+1} = θ_t + α_t δ_t z_t",
    "gtd": "θ_{t+1} = θ_t + α_t (φ_t − γ_t φ_{t+1}) (z_tᵀw_t)",
    "tdc": "θ_{t+1} = θ_t + α_t (δ_t z_t + (φ_t − γ_t φ_{t+1}) (z_tᵀw_t) − φ_t (φ_tᵀw_t))",
    "gtd_lambda": "θ_{t+1} = θ_t + α_t (δ_t z_t − γ_t (1 − λ) φ_{t+1} (z_tᵀw_t))",
    "tdc_lambda": "θ_{t+1} = θ_t + α_t (δ_t z_t − γ_t (1 − λ) φ_{t+1} (z_tᵀw_t))",
}
W = "w_{t+1} = w_t + β_t (δ_t z_t − φ_t (φ_tᵀw_t))"
WITHOUT_W = ("td", "off_policy_td")


def needs_w(algorithm: str) -> bool:
    """Whether it has a second iterate w."""
    return algorithm not in WITHOUT_W


def paper_slots(algorithm: str, d: int) -> list[Slot]:
    """The iterates θ and w that are read of a class."""
    return [Slot(name, (d,)) for name in ("theta", "w")[: 1 + needs_w(algorithm)]]


def updates(algorithm: str, schedules: str = "any") -> tuple[str, ...]:
    """The trace, δ and the updates of θ and w, a line for each.

    γ_t is the discount of transition t, 0 where it ends an episode; the trace begins anew after that.
    """
    return (trace(algorithm, schedules), DELTA, THETA[algorithm], *([W] if needs_w(algorithm) else []))


def trace(algorithm: str, schedules: str) -> str:
    """z_t: by its window for a schedule, by its recursion for one λ, alone for λ = 0; with ρ off-policy."""
    ratio = "" if algorithm == "td" else "ρ_t "
    if schedules == "zero":
        return f"z_t = {ratio}φ_t"
    if schedules == "constant":
        past = "φ_t + γ_{t−1} λ z_{t−1}"
        return f"z_t = {ratio}({past})" if ratio else f"z_t = {past}"
    ratios = "" if algorithm == "td" else " ρ_{t−k} … ρ_t"
    return f"z_t = Σ_{{k=0}}^L λ_1 … λ_k γ_{{t−k}} … γ_{{t−1}}{ratios} φ_{{t−k}}"
