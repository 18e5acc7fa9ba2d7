"""The trace of a λ-schedule, as a memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

MEMORY = {"z": ("lambdas", "d"), "e": ("tail", "d")}
"""The memory that :func:`schedule_trace` keeps, for options ``lambdas`` and ``tail``."""


def schedule_trace(t: Any, z: Any, e: Any, lambdas: Sequence[Any], tail: Sequence[Any], rho: Any) -> tuple[Any, ...]:
    """(z_t, next z, next e): λ_1 … λ_L are ``lambdas``; ``tail`` holds λ_j for every j > L, or nothing for zero.

    Horner's rule in time: row l is the trace of λ_{l+1}, λ_{l+2}, …, and memory holds ΓΡ times rows 1 … L, so that
    z_t = ρ(φ + λ_1 z[0]). Source: (trace_eq) of §2, (offPolicy_z) of §3.
    """
    innermost = t.phi + tail[0] * e[0] if len(tail) else t.phi
    rows = [*(t.phi + lam * z[k] for k, lam in enumerate(lambdas)), innermost]
    return rho * rows[0], [t.discount * rho * row for row in rows[1:]], [t.discount * rho * innermost] * len(tail)
