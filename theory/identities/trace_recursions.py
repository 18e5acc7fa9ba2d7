r"""Recursions of traces, on the suite's own trace and schedules, with free features (d = 1) and discounts."""

from __future__ import annotations

from typing import Any

from tdcert.theory.arithmetic import SymbolicRing
from tdcert.theory.model.returns import trace
from tdcert.theory.model.schedule import Schedule, return_weights


def _path(steps: int, length: int = 0) -> tuple[SymbolicRing, list[list[Any]], list[Any], list[Any]]:
    """Free features φ_0 … φ_steps, discounts Γ_0 … Γ_{steps−1} and λ_1 … λ_L."""
    names = [*(f"f{k}" for k in range(steps + 1)), *(f"g{k}" for k in range(steps)), *(f"l{j}" for j in range(length))]
    ring = SymbolicRing(*names)
    free = list(ring.symbols)
    return ring, [[f] for f in free[: steps + 1]], free[steps + 1 : 2 * steps + 1], free[2 * steps + 1 :]


def _reach(discounts: list[Any], features: list[list[Any]], t: int, k: int, one: Any) -> Any:
    """Γ_{t−k}…Γ_{t−1} φ_{t−k}; zero before the start of the path."""
    if k > t:
        return 0 * one
    product = one
    for i in range(t - k, t):
        product = product * discounts[i]
    return product * features[t - k][0]


def trace_difference_identity(length: int) -> bool:
    """z_t − Γ_{t−1}z_{t−1} = φ_t − Σ_{k=1}^{L+1} w_k Γ_{t−k}…Γ_{t−1} φ_{t−k} for t = 1 … L + 2, everything free."""
    last = length + 2
    ring, features, discounts, lambdas = _path(last, length)
    one, weights = ring.element(1), return_weights([ring.element(1) * lam for lam in lambdas])
    for t in range(1, last + 1):
        difference = (
            trace(features, discounts, lambdas, t)[0] - discounts[t - 1] * trace(features, discounts, lambdas, t - 1)[0]
        )
        terms = (w * _reach(discounts, features, t, k, one) for k, w in enumerate(weights, start=1))
        if difference != features[t][0] - sum(terms, start=ring.element(0)):
            return False
    return True


def equal_weights_identity(n1: int, n2: int) -> bool:
    """The two recursions of the EqualWeights(n1, n2) trace for t = 1 … n2 + 2, free features and discounts."""
    last, m = n2 + 2, n2 - n1 + 1
    ring, features, discounts, _ = _path(last)
    one, lambdas = ring.element(1), Schedule.equal_weights(n1, n2).lambdas

    def window(t: int) -> Any:
        reached = (_reach(discounts, features, t, k, one) for k in range(n1, n2 + 1))
        return sum(reached, start=ring.element(0))

    for t in range(1, last + 1):
        gamma, z = discounts[t - 1], trace(features, discounts, lambdas, t)[0]
        if z != gamma * trace(features, discounts, lambdas, t - 1)[0] + features[t][0] - window(t) / m:
            return False
        entering, leaving = (_reach(discounts, features, t, k, one) for k in (n1, n2 + 1))
        if window(t) != gamma * window(t - 1) + entering - leaving:
            return False
    return True
