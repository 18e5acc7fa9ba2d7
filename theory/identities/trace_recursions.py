r"""Recursions of traces, on the suite's own trace and schedules, with free features (d = 1) and discounts."""

from __future__ import annotations

from fractions import Fraction
from math import prod
from typing import Any

from tdcert.theory.identities.symbols import free
from tdcert.theory.model.returns import trace
from tdcert.theory.model.schedule import Schedule, return_weights


def _reach(discounts: list[Any], features: list[list[Any]], t: int, k: int) -> Any:
    """Γ_{t−k}…Γ_{t−1} φ_{t−k}; zero before the start of the path."""
    return prod(discounts[t - k : t]) * features[t - k][0] if k <= t else 0


def trace_difference_identity(length: int) -> bool:
    """z_t − Γ_{t−1}z_{t−1} = φ_t − Σ_{k=1}^{L+1} w_k Γ_{t−k}…Γ_{t−1} φ_{t−k} for t = 1 … L + 2, everything free."""
    last = length + 2
    features, discounts, lambdas = _path(last, length)
    z = [trace(features, discounts, lambdas, t)[0] for t in range(last + 1)]
    for t in range(1, last + 1):
        left = sum(w * _reach(discounts, features, t, k) for k, w in enumerate(return_weights(lambdas), start=1))
        if z[t] - discounts[t - 1] * z[t - 1] != features[t][0] - left:
            return False
    return True


def equal_weights_identity(n1: int, n2: int) -> bool:
    """The two recursions of the EqualWeights(n1, n2) trace for t = 1 … n2 + 2, free features and discounts."""
    last, m = n2 + 2, n2 - n1 + 1
    features, discounts, _ = _path(last, 0)
    lambdas = Schedule.equal_weights(n1, n2).lambdas
    z = [trace(features, discounts, lambdas, t)[0] for t in range(last + 1)]
    window = [sum((_reach(discounts, features, t, k) for k in range(n1, n2 + 1)), Fraction(0)) for t in range(last + 1)]
    for t in range(1, last + 1):
        gamma = discounts[t - 1]
        entering, leaving = (_reach(discounts, features, t, k) for k in (n1, n2 + 1))
        if z[t] != gamma * z[t - 1] + features[t][0] - window[t] / m:
            return False
        if window[t] != gamma * window[t - 1] + entering - leaving:
            return False
    return True


def _path(steps: int, length: int) -> tuple[list[list[Any]], list[Any], list[Any]]:
    """Free features φ_0 … φ_steps, discounts Γ_0 … Γ_{steps−1} and λ_1 … λ_L."""
    _, features, discounts, lambdas = free(f=steps + 1, g=steps, l=length)
    return [[f] for f in features], discounts, lambdas
