"""TDC(λ)-schedule.

It is ``gtd`` with the increment of w, δz − (φᵀw)φ, added to the direction of θ.
"""

from __future__ import annotations

from typing import Any

from tdcert.algorithms.traces import MEMORY, schedule_trace
from tdcert.theory.engine.declare import algorithm


@algorithm(
    parameters={"theta": "d", "w": "d"},
    memory=MEMORY,
    steps=("alpha", "beta"),
    schedule=("lambdas", "tail"),
    two_scales=True,  # Theorem 4.6: α/β → 0
)
def tdc(t: Any, theta: Any, w: Any, z: Any, e: Any, alpha: Any, beta: Any, *, lambdas: Any = (), tail: Any = ()) -> Any:
    """TDC(λ)-schedule: Deb, Gandhi, Bhatnagar, AISTATS 2022, equation (TDCLambdaScehdule)."""
    trace, z, e = schedule_trace(t, z, e, lambdas, tail, t.rho)
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    gain = delta * trace - (t.phi @ w) * t.phi
    return (
        theta + alpha * (gain - (trace @ w) * (t.discount * t.phi_next - t.phi)),
        w + beta * gain,
        z,
        e,
    )
