"""TD(λ)-schedule.

``off_policy_td`` has ρ before the trace.
"""

from __future__ import annotations

from typing import Any

from tdcert.algorithms.traces import MEMORY, schedule_trace
from tdcert.theory.engine.declare import algorithm


@algorithm(parameters={"theta": "d"}, memory=MEMORY, steps=("alpha",), schedule=("lambdas", "tail"))
def td(t: Any, theta: Any, z: Any, e: Any, alpha: Any, *, lambdas: Any = (), tail: Any = ()) -> Any:
    """TD(λ)-schedule, on-policy: Deb, Gandhi, Bhatnagar, AISTATS 2022, equation (tdLambdaSchedule)."""
    trace, z, e = schedule_trace(t, z, e, lambdas, tail, 1)
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    return theta + alpha * delta * trace, z, e
