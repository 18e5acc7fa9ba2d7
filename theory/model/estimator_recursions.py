r"""Return estimators a second time: as sums of TD errors, or by recursion where the forward view sums TD errors.

The estimates are those of ``estimators``; no function that computes a return is shared with it. Tests hold the two
equal in fractions, and the claims ``gae_is_lambda_return``, ``vtrace_on_policy`` and ``delta_expansion`` say why they
are.

This writing has most terms, so it bounds what rounding may do: with :class:`Magnitudes` in place of numbers every minus
is a plus, and a result is the sum of the magnitudes of everything added in it (``tdcert.sims.estimators.rounding``).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from tdcert.theory.model import returns
from tdcert.theory.model.estimators import (
    ONE,
    TRACES,
    Estimator,
    Outputs,
    Row,
    Settings,
    centred,
    clipped,
)


class LinearForm:
    """A linear form in named numbers with rational coefficients; rewards and values of a row may be such forms.

    The number that is added to all of them has the name ``()``.
    """

    __slots__ = ("terms",)

    def __init__(self, terms: Mapping[Hashable, Fraction]) -> None:
        self.terms = dict(terms)

    def _plus(self, other: LinearForm | Fraction | int, sign: int) -> LinearForm:
        terms = dict(self.terms)
        for name, value in (other.terms if isinstance(other, LinearForm) else {(): Fraction(other)}).items():
            terms[name] = terms.get(name, 0) + sign * value
        return type(self)(terms)

    def __add__(self, other: LinearForm | Fraction | int) -> LinearForm:
        return self._plus(other, 1)

    def __sub__(self, other: LinearForm | Fraction | int) -> LinearForm:
        return self._plus(other, -1)

    def __rmul__(self, factor: Any) -> LinearForm:
        if not factor:
            return type(self)({})
        return self if factor == 1 else type(self)({name: factor * value for name, value in self.terms.items()})


class Magnitudes(LinearForm):
    """A form whose coefficients are magnitudes: subtraction adds, and factors count with their absolute value."""

    def __sub__(self, other: LinearForm | Fraction | int) -> LinearForm:
        return self._plus(other, 1)

    def __rmul__(self, factor: Any) -> LinearForm:
        return super().__rmul__(abs(factor))


def second(name: str, row: Row, settings: Settings) -> Outputs:
    """The estimates of one row by the second writing, each of length T."""
    return SECOND[name](centred(row, settings), settings)


def _path(row: Row, t: int) -> tuple[list[Any], list[Any], list[Any], list[Any] | None]:
    """What lies ahead of t as one path: rewards, discounts, values (one more), ratios."""
    steps = range(t, row.end(t))
    values = [row.values[t], *(row.next_values[s] for s in steps)]
    rhos = [row.rhos[s] for s in steps] if row.rhos else None
    return [row.rewards[s] for s in steps], [row.discount(s) for s in steps], values, rhos


def _errors(row: Row, t: int, lambdas: Any) -> Any:
    rewards, discounts, values, _ = _path(row, t)
    return returns.delta_expansion(rewards, discounts, values, list(lambdas))


def discounted_return(row: Row, settings: Settings) -> Outputs:
    """V(s_t) + Σ_k Γ_k δ_{t+k}."""
    return schedule_return(row, replace(settings, schedule=(ONE,) * row.steps))


def n_step(row: Row, settings: Settings) -> Outputs:
    """V(s_t) + Σ_{k<n} Γ_k δ_{t+k}."""
    return schedule_return(row, replace(settings, schedule=(ONE,) * (settings.n - 1)))


def schedule_return(row: Row, settings: Settings) -> Outputs:
    """V(s_t) + Σ_k Γ_k c_k δ_{t+k} (§2)."""
    return {"returns": [row.values[t] + _errors(row, t, settings.schedule) for t in range(row.steps)]}


def gae(row: Row, settings: Settings) -> Outputs:
    """Σ_k Γ_k λ … λ δ_{t+k} (Schulman et al. 2016, (16))."""
    errors = [_errors(row, t, row.lambdas[t:]) for t in range(row.steps)]
    return {"advantages": errors, "targets": [v + error for v, error in zip(row.values, errors, strict=True)]}


def lambda_return(row: Row, settings: Settings) -> Outputs:
    """The targets of GAE."""
    return {"returns": gae(row, settings)["targets"]}


def vtrace(row: Row, settings: Settings) -> Outputs:
    """v_t = V + ρ̂_t δ_t + γ c_t (v_{t+1} − V(s_{t+1})), from the last step on (Espeholt et al. 2018, remark 1)."""
    targets: list[Any] = [None] * row.steps
    errors, advantages = list(targets), list(targets)
    for t in reversed(range(row.steps)):
        reward, discount, value, ahead = row.rewards[t], row.discount(t), row.values[t], row.next_values[t]
        delta = reward + discount * ahead - value
        error = clipped(row.rhos[t], settings.clip_rho, settings.mix_rho) * delta
        if t + 1 < row.end(t):
            c = row.lambdas[t] * clipped(row.rhos[t], settings.clip_c, settings.mix_c)
            error = error + discount * c * errors[t + 1]
            lam = row.lambdas[t] if settings.bootstrap == "lambda" else ONE
            ahead = lam * targets[t + 1] + (1 - lam) * ahead
        errors[t], targets[t] = error, value + error
        advantages[t] = clipped(row.rhos[t], settings.clip_pg) * (reward + discount * ahead - value)
    return {"targets": targets, "errors": errors, "advantages": advantages}


def _action_values(name: str) -> Estimator:
    """G_t = R + γ(E_π Q(s', ·) + c_{t+1} (G_{t+1} − Q(s_{t+1}, a_{t+1})))."""

    def estimator(row: Row, settings: Settings) -> Outputs:
        targets: list[Any] = [None] * row.steps
        errors = list(targets)
        for t in reversed(range(row.steps)):
            ahead = row.next_values[t]
            if t + 1 < row.end(t):
                ahead = ahead + TRACES[name](row, settings, t + 1) * (targets[t + 1] - row.action_values[t + 1])
            targets[t] = row.rewards[t] + row.discount(t) * ahead
            errors[t] = targets[t] - row.action_values[t]
        return {"targets": targets, "errors": errors}

    return estimator


def per_decision(row: Row, settings: Settings) -> Outputs:
    """ρ_t (R + γ G_{t+1}), from the last step on."""
    return off_policy_schedule(row, replace(settings, schedule=(ONE,) * row.steps))


def off_policy_schedule(row: Row, settings: Settings) -> Outputs:
    """The recursion of §3."""
    found = []
    for t in range(row.steps):
        rewards, discounts, values, rhos = _path(row, t)
        lambdas = list(settings.schedule[: len(rewards) - 1])
        found.append(returns.schedule_return(rewards, discounts, values, lambdas, rhos))
    return {"returns": found}


SECOND: Mapping[str, Estimator] = {
    "discounted_return": discounted_return,
    "n_step": n_step,
    "lambda_return": lambda_return,
    "gae": gae,
    "vtrace": vtrace,
    **{name: _action_values(name) for name in TRACES},
    "per_decision": per_decision,
    "schedule_return": schedule_return,
    "equal_weights": schedule_return,
    "off_policy_schedule": off_policy_schedule,
    "differential_return": n_step,
    "differential_gae": gae,
}
"""Name → the second writing, for the names of ``estimators.FORWARD``."""
