r"""Return estimators by the forward view, written from their definitions.

A :class:`Row` holds T steps of experience, perhaps of several episodes one after another. Step t leads from s_t to s'_t
with the reward R_{t+1} and the discount γ_{t+1}; where an episode is cut at t (terminated or truncated), s'_t is its
final state and s_{t+1} the first state of the next episode, otherwise s'_t = s_{t+1}. After termination V(s'_t) counts
as zero; after truncation, and at the end of the row, it is bootstrapped from.

Every estimate at t looks ahead from t to the first cut, at most to the end of the row: H steps. Nothing here runs
backwards; ``estimator_recursions`` is the second writing, and tests hold the two equal.

* n-step return G^{(n)}_t = Σ_{k<n} Γ_k R_{t+k+1} + Γ_n V(s'_{t+n−1}), Γ_k = γ_{t+1} … γ_{t+k} (Sutton and Barto, 2nd
  ed., (7.1)); for n > H it is G^{(H)}_t.
* a mixture Σ_n w_n G^{(n)}_t with the weights of λ_1 … λ_{H−1} (§2 of the paper, ``schedule.return_weights``):
  λ-return, λ-schedule return, EqualWeights; the generalized advantage estimate is the λ-return less V(s_t)
  (Schulman et al. 2016, (16)).
* V-trace (Espeholt et al. 2018, (1)): V(s_t) + Σ_k Γ_k c_t … c_{t+k−1} ρ̂_{t+k} δ_{t+k}.
* Retrace and its kin (Munos et al. 2016, (4)): Q(s_t,a_t) + Σ_k Γ_k c_{t+1} … c_{t+k} δ_{t+k}, with
  δ_t = R_{t+1} + γ_{t+1} E_π Q(s'_t, ·) − Q(s_t, a_t); c = λ min(1, ρ) is Retrace, λπ(a|s) Tree-backup, λ is Q(λ),
  λ(σρ + (1 − σ)π(a|s)) is Q(σ, λ).
* per-decision importance sampling (Precup et al. 2000): Σ_k Γ_k ρ_t … ρ_{t+k} R_{t+k+1}, and the value where it is cut.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any

from tdcert.theory.model.schedule import return_weights

ONE = Fraction(1)


@dataclass(frozen=True)
class Row:
    """T steps; every entry a sequence of length T, in any number system.

    ``values[t]`` = V(s_t), or E_π Q(s_t, ·) where there are action values; ``next_values[t]`` the same of s'_t;
    ``discounts[t]`` = γ_{t+1}, whether or not step t terminates; ``lambdas[t]`` = the λ between steps t and t + 1;
    ``rhos[t]`` = π(a_t|s_t)/μ(a_t|s_t); ``action_values[t]`` = Q(s_t, a_t); ``policy[t]`` = π(a_t|s_t).
    """

    rewards: Sequence[Any]
    values: Sequence[Any]
    next_values: Sequence[Any]
    discounts: Sequence[Any]
    terminated: Sequence[bool]
    truncated: Sequence[bool]
    lambdas: Sequence[Any] = ()
    rhos: Sequence[Any] = ()
    action_values: Sequence[Any] = ()
    policy: Sequence[Any] = ()

    @property
    def steps(self) -> int:
        """T."""
        return len(self.rewards)

    def cut(self, t: int) -> bool:
        """Whether an episode ends with step t."""
        return self.terminated[t] or self.truncated[t]

    def end(self, t: int) -> int:
        """One past the last step that an estimate at t looks at."""
        return next((s + 1 for s in range(t, self.steps) if self.cut(s)), self.steps)

    def discount(self, t: int) -> Any:
        """γ_{t+1}, and zero where step t terminates."""
        return 0 * self.discounts[t] if self.terminated[t] else self.discounts[t]

    def part(self, begin: int, end: int) -> Row:
        """Steps begin … end − 1."""
        return Row(*(getattr(self, field.name)[begin:end] for field in fields(self)))

    def with_numbers(self, change: Callable[[Any], Any]) -> Row:
        """The row with all that the estimates are linear in changed."""
        return replace(
            self,
            rewards=[change(x) for x in self.rewards],
            values=[change(x) for x in self.values],
            next_values=[change(x) for x in self.next_values],
            action_values=[change(x) for x in self.action_values],
        )

    def with_truncation_as_termination(self) -> Row:
        """No bootstrap after truncation either."""
        return replace(self, terminated=[self.cut(t) for t in range(self.steps)], truncated=[False] * self.steps)

    def without_bootstrap_at_the_end(self) -> Row:
        """The last step counts as a termination."""
        return replace(self, terminated=[*self.terminated[:-1], True])


@dataclass(frozen=True)
class Settings:
    """What an estimator needs besides the row. ``n``: steps. ``schedule``: λ_1 … λ_L. ``clip_rho``, ``clip_c``,
    ``clip_pg``: ρ̄, c̄ of V-trace and the ρ̄ of its policy gradient (None: no clipping); ``mix_rho``, ``mix_c``: how much
    of the clipped ratio is taken, the rest is unclipped (leaky V-trace). ``bootstrap``: whether V-trace's advantage
    looks at the next ``target`` or at ``lambda`` times it and 1 − λ times the value. ``sigma``: of Q(σ, λ).
    ``mean_reward``: taken from each reward (average-reward setting).
    """

    n: int = 1
    schedule: tuple[Fraction, ...] = ()
    clip_rho: Fraction | None = ONE
    clip_c: Fraction | None = ONE
    clip_pg: Fraction | None = ONE
    mix_rho: Fraction = ONE
    mix_c: Fraction = ONE
    bootstrap: str = "target"
    sigma: Fraction = ONE
    mean_reward: Fraction = Fraction(0)


Outputs = dict[str, list[Any]]
Estimator = Callable[[Row, Settings], Outputs]


def clipped(rho: Any, bound: Fraction | None, mix: Fraction = ONE) -> Any:
    """α min(ρ̄, ρ) + (1 − α) ρ."""
    return rho if bound is None else mix * min(bound, rho) + (1 - mix) * rho


def n_step_return(row: Row, t: int, n: int) -> Any:
    """G^{(n)}_t, cut where the episode or the row is."""
    total, weight = 0 * row.rewards[t], ONE
    last = min(t + n, row.end(t)) - 1
    for s in range(t, last + 1):
        total = total + weight * row.rewards[s]
        weight = weight * row.discount(s)
    return total + weight * row.next_values[last]


def mixture(row: Row, t: int, lambdas: Sequence[Any]) -> Any:
    """Σ_n w_n G^{(n)}_t with the weights of a schedule; λ's beyond H − 1 have no effect."""
    weights = return_weights(lambdas[: row.end(t) - t - 1])
    total = 0 * row.rewards[t]
    for n, weight in enumerate(weights, start=1):
        total = total + weight * n_step_return(row, t, n)
    return total


def discounted_return(row: Row, settings: Settings) -> Outputs:
    """The flat return up to the cut, and the value there."""
    return {"returns": [n_step_return(row, t, row.steps) for t in range(row.steps)]}


def n_step(row: Row, settings: Settings) -> Outputs:
    """G^{(n)}."""
    return {"returns": [n_step_return(row, t, settings.n) for t in range(row.steps)]}


def lambda_return(row: Row, settings: Settings) -> Outputs:
    """The λ-return with a λ and a discount of its own for every step."""
    return {"returns": [mixture(row, t, row.lambdas[t:]) for t in range(row.steps)]}


def schedule_return(row: Row, settings: Settings) -> Outputs:
    """G_t^{[λ_1:λ_L]} of §2: λ_k belongs to the k-th step ahead, whatever t is."""
    return {"returns": [mixture(row, t, settings.schedule) for t in range(row.steps)]}


def gae(row: Row, settings: Settings) -> Outputs:
    """Generalized advantage estimates, and the targets of the value function."""
    targets = lambda_return(row, settings)["returns"]
    return {"advantages": [G - v for G, v in zip(targets, row.values, strict=True)], "targets": targets}


def vtrace(row: Row, settings: Settings) -> Outputs:
    """V-trace targets v_t, errors v_t − V(s_t), and advantages ρ̂(R + γ v' − V(s_t)) of the policy gradient."""
    rho = [clipped(x, settings.clip_rho, settings.mix_rho) for x in row.rhos]
    c = [lam * clipped(x, settings.clip_c, settings.mix_c) for x, lam in zip(row.rhos, row.lambdas, strict=True)]
    errors = []
    for t in range(row.steps):
        total, weight = 0 * row.values[t], ONE
        for s in range(t, row.end(t)):
            total = total + weight * rho[s] * td_error(row, s, row.values[s])
            weight = weight * row.discount(s) * c[s]
        errors.append(total)
    targets = [v + error for v, error in zip(row.values, errors, strict=True)]
    return {"targets": targets, "errors": errors, "advantages": vtrace_advantages(row, settings, targets)}


def vtrace_advantages(row: Row, settings: Settings, targets: Sequence[Any]) -> list[Any]:
    """ρ̂_t (R_{t+1} + γ_{t+1} v_{t+1} − V(s_t)), with V(s'_t) for v_{t+1} where nothing follows."""
    found = []
    for t in range(row.steps):
        ahead = row.next_values[t]
        if t + 1 < row.end(t):
            lam = row.lambdas[t] if settings.bootstrap == "lambda" else ONE
            ahead = lam * targets[t + 1] + (1 - lam) * ahead
        rho = clipped(row.rhos[t], settings.clip_pg)
        found.append(rho * (row.rewards[t] + row.discount(t) * ahead - row.values[t]))
    return found


def td_error(row: Row, t: int, base: Any) -> Any:
    """δ_t = R_{t+1} + γ_{t+1} V(s'_t) − ``base``, which is V(s_t) or Q(s_t, a_t)."""
    return row.rewards[t] + row.discount(t) * row.next_values[t] - base


TRACES: dict[str, Callable[[Row, Settings, int], Any]] = {
    "retrace": lambda row, settings, t: row.lambdas[t - 1] * min(ONE, row.rhos[t]),
    "tree_backup": lambda row, settings, t: row.lambdas[t - 1] * row.policy[t],
    "q_lambda": lambda row, settings, t: row.lambdas[t - 1],
    "q_sigma": lambda row, settings, t: (
        row.lambdas[t - 1] * (settings.sigma * row.rhos[t] + (1 - settings.sigma) * row.policy[t])
    ),
}
"""c_t of Retrace and its kin: the trace of the action taken at t, with the λ between t − 1 and t."""


def _action_values(name: str) -> Estimator:
    def estimator(row: Row, settings: Settings) -> Outputs:
        errors = []
        for t in range(row.steps):
            total, weight = 0 * row.action_values[t], ONE
            for s in range(t, row.end(t)):
                weight = weight * (TRACES[name](row, settings, s) if s > t else ONE)
                total = total + weight * td_error(row, s, row.action_values[s])
                weight = weight * row.discount(s)
            errors.append(total)
        targets = [q + error for q, error in zip(row.action_values, errors, strict=True)]
        return {"targets": targets, "errors": errors}

    return estimator


def per_decision(row: Row, settings: Settings) -> Outputs:
    """Per-decision importance sampling; the value at the cut carries all ratios before it."""
    ones = (ONE,) * (row.steps - 1)
    return off_policy_schedule(row, replace(settings, schedule=ones))


def off_policy_schedule(row: Row, settings: Settings) -> Outputs:
    """G_t^{[λ_1:λ_L],ρ} of §3, as a sum: Σ_k Γ_k c_k ρ_t … ρ_{t+k} (R_{t+k+1} + γ(1 − λ_{k+1}) V(s'_{t+k}))."""
    returns = []
    for t in range(row.steps):
        total, weight, end = 0 * row.rewards[t], ONE, row.end(t)
        for s in range(t, end):
            weight = weight * row.rhos[s]
            k = s - t
            lam = settings.schedule[k] if k < len(settings.schedule) and s + 1 < end else 0 * ONE
            total = total + weight * (row.rewards[s] + row.discount(s) * (1 - lam) * row.next_values[s])
            weight = weight * row.discount(s) * lam
        returns.append(total)
    return {"returns": returns}


FORWARD: Mapping[str, Estimator] = {
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
"""Name → the forward view. The differential ones are used with γ = 1 and a mean reward taken off."""


def forward(name: str, row: Row, settings: Settings) -> Outputs:
    """The estimates of one row by the forward view, each of length T."""
    return FORWARD[name](centred(row, settings), settings)


def centred(row: Row, settings: Settings) -> Row:
    """Rewards less the mean reward."""
    if not settings.mean_reward:
        return row
    return replace(row, rewards=[reward - settings.mean_reward for reward in row.rewards])
