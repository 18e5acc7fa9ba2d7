r"""Forward view (returns) and backward view (traces) of a λ-schedule, along one path.

A path of T transitions is given by plain sequences, in any number system (fractions, floats, symbols):

* ``rewards[k]`` = R_{t+k+1}, ``discounts[k]`` = Γ_{t+k}, the discount of the transition from s_{t+k} to
  s_{t+k+1} (γ where it is constant), ``rhos[k]`` = ρ_{t+k} (None: on-policy, all ones); each of length T;
* ``values[k]`` = V(s_{t+k}), of length T + 1; ``features[k]`` = φ(s_k), a sequence of d numbers;
* ``lambdas`` = λ_1, …, λ_L, and λ_j = 0 for j > L.

A path that ends before the schedule does is cut: the value of the last state stands for the return from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tdcert.theory.errors import InputError
from tdcert.theory.model.schedule import trace_weights


def schedule_return(
    rewards: Sequence[Any],
    discounts: Sequence[Any],
    values: Sequence[Any],
    lambdas: Sequence[Any],
    rhos: Sequence[Any] | None = None,
) -> Any:
    """G_t^{[λ1:λL]} by its recursion (equation (return), §3); with ``rhos`` the per-decision G_t^{[λ1:λL],ρ} of §3.

    G_t = ρ_t (R_{t+1} + Γ_t ((1 − λ_1) V(s_{t+1}) + λ_1 G_{t+1}^{[λ2:λL]})), unrolled from the far end.
    """
    _require_lengths(rewards, discounts, values, rhos)
    horizon = min(len(rewards), len(lambdas) + 1)
    result = values[horizon]
    for k in reversed(range(horizon)):
        lam = lambdas[k] if k < len(lambdas) else 0
        result = rewards[k] + discounts[k] * ((1 - lam) * values[k + 1] + lam * result)
        if rhos is not None:
            result = rhos[k] * result
    return result


def td_errors(rewards: Sequence[Any], discounts: Sequence[Any], values: Sequence[Any]) -> list[Any]:
    """δ_{t+k} = R_{t+k+1} + Γ_{t+k} V(s_{t+k+1}) − V(s_{t+k}) for every transition of the path (§2)."""
    _require_lengths(rewards, discounts, values, None)
    return [rewards[k] + discounts[k] * values[k + 1] - values[k] for k in range(len(rewards))]


def delta_expansion(
    rewards: Sequence[Any],
    discounts: Sequence[Any],
    values: Sequence[Any],
    lambdas: Sequence[Any],
    rhos: Sequence[Any] | None = None,
) -> Any:
    """Σ_{k=0}^L Γ_t…Γ_{t+k−1} c_k δ_{t+k} (§2); with ``rhos`` each term times ρ_t…ρ_{t+k} (§3).

    On-policy it is G_t − V(s_t). Off-policy it is the paper's display in §3, which differs from
    G_t^ρ − V(s_t) by :func:`control_variate_gap`.
    """
    deltas, weights = td_errors(rewards, discounts, values), trace_weights(lambdas)
    total, product = 0 * values[0], 1
    for k in range(min(len(rewards), len(weights))):
        if rhos is not None:
            product = product * rhos[k]
        total = total + product * weights[k] * deltas[k]
        product = product * discounts[k]
    return total


def control_variate_gap(
    discounts: Sequence[Any], values: Sequence[Any], lambdas: Sequence[Any], rhos: Sequence[Any]
) -> Any:
    """(G_t^ρ − V(s_t)) − (the δ-expansion of §3) = Σ_{k=0}^L Γ_t…Γ_{t+k−1} c_k ρ_t…ρ_{t+k−1} (ρ_{t+k} − 1) V(s_{t+k}).

    Its mean under the behaviour policy is zero under coverage; along one path it is not.
    """
    weights = trace_weights(lambdas)
    total, product = 0 * values[0], 1
    for k in range(min(len(rhos), len(weights))):
        total = total + product * weights[k] * (rhos[k] - 1) * values[k]
        product = product * rhos[k] * discounts[k]
    return total


def trace(
    features: Sequence[Sequence[Any]],
    discounts: Sequence[Any],
    lambdas: Sequence[Any],
    t: int,
    rhos: Sequence[Any] | None = None,
) -> list[Any]:
    """z_t (length d): φ(s_k) weighs c_{t−k} Γ_k…Γ_{t−1} (equation (trace_eq), §2), off-policy times ρ_k…ρ_t (§3).

    Needs ``features`` up to index t, ``discounts`` up to t − 1 and ``rhos`` up to t; near the start the
    window is shorter than L + 1.
    """
    weights = trace_weights(lambdas)
    total = [0 * x for x in features[t]]
    product: Any = 1
    for k in range(t, max(t - len(lambdas), 0) - 1, -1):
        if k < t:
            product = product * discounts[k]
        if rhos is not None:
            product = product * rhos[k]
        total = [z + weights[t - k] * product * x for z, x in zip(total, features[k], strict=True)]
    return total


def recursive_traces(
    features: Sequence[Sequence[Any]], discounts: Sequence[Any], lam: Any, rhos: Sequence[Any] | None = None
) -> list[list[Any]]:
    """z_0, z_1, … of the constant λ without end, by z_t = ρ_t (φ(s_t) + λ Γ_{t−1} z_{t−1}): classical TD(λ)."""
    traces: list[list[Any]] = []
    for t, phi in enumerate(features):
        z = list(phi)
        if t > 0:
            z = [x + lam * discounts[t - 1] * before for x, before in zip(phi, traces[-1], strict=True)]
        traces.append(z if rhos is None else [rhos[t] * x for x in z])
    return traces


def _require_lengths(
    rewards: Sequence[Any], discounts: Sequence[Any], values: Sequence[Any], rhos: Sequence[Any] | None
) -> None:
    T = len(rewards)
    if len(discounts) != T or len(values) != T + 1 or (rhos is not None and len(rhos) != T):
        raise InputError(
            f"a path with {T} rewards has {len(discounts)} discounts, {len(values)} values"
            + (f" and {len(rhos)} ratios" if rhos is not None else "")
            + f"; give {T}, {T + 1}"
            + (f" and {T}" if rhos is not None else "")
        )
