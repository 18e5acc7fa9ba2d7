"""GTD2 with a trace.

It is ``gtd_lambda`` with (φᵀw)φ for δz in the direction of θ.
"""

from __future__ import annotations

from typing import Any

from tdcert.theory.engine.declare import algorithm


@algorithm(parameters={"theta": "d", "w": "d"}, memory={"z": "d"}, steps=("alpha", "beta"), schedule="lam")
def gtd2_lambda(t: Any, theta: Any, w: Any, z: Any, alpha: Any, beta: Any, *, lam: Any = 0) -> Any:
    """GTD2(λ): Maei, Gradient Temporal-Difference Learning Algorithms, 2011; the objective of GTD(λ).

    As the suite of Ghiassian and Sutton's comparisons has it (docs/conformance-trial.md).
    """
    z = t.rho * (t.phi + lam * z)
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    return (
        theta + alpha * ((t.phi @ w) * t.phi - t.discount * (1 - t.at_next(lam)) * (z @ w) * t.phi_next),
        w + beta * (delta * z - (t.phi @ w) * t.phi),
        t.discount * z,
    )
