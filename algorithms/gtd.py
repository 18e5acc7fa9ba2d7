"""GTD(λ)-schedule.

At λ = 0 it is ``gtd2``. ``tdc`` adds the increment of w, δz − (φᵀw)φ, to the direction of θ.
"""

from __future__ import annotations

from typing import Any

from tdcert.algorithms.traces import MEMORY, schedule_trace
from tdcert.theory.engine.declare import algorithm


@algorithm(parameters={"theta": "d", "w": "d"}, memory=MEMORY, steps=("alpha", "beta"), schedule=("lambdas", "tail"))
def gtd(t: Any, theta: Any, w: Any, z: Any, e: Any, alpha: Any, beta: Any, *, lambdas: Any = (), tail: Any = ()) -> Any:
    """GTD(λ)-schedule: Deb, Gandhi, Bhatnagar, AISTATS 2022, equation (GTDLambdaSchedule)."""
    trace, z, e = schedule_trace(t, z, e, lambdas, tail, t.rho)
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    return (
        theta + alpha * (trace @ w) * (t.phi - t.discount * t.phi_next),
        w + beta * (delta * trace - (t.phi @ w) * t.phi),
        z,
        e,
    )
