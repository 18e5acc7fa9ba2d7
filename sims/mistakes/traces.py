"""Mistakes in δ, in the schedule, in the trace, in the ratios, in step sizes, and in when updates are made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tdcert.sims.algorithms import Array, SimulatedTransition
from tdcert.sims.mistakes.variant import (
    ENDLESS,
    EVERY,
    OF_A_SCHEDULE,
    ONE_VECTOR,
    WITH_RHO,
    WITH_W,
    Variant,
    row,
    times,
)

Seen = Callable[[Variant, SimulatedTransition], SimulatedTransition]
Lambdas = list[float]


def in_delta(words: str, seen: Seen) -> type[Variant]:
    """A mistake in what δ sees."""
    return row(words, in_delta=seen)


def in_trace(words: str, seen: Seen, **more: Any) -> type[Variant]:
    """A mistake in what the trace sees."""
    return row(words, in_trace=seen, **more)


def of_ratio(words: str, ratio: Callable[[Variant, Any], Any]) -> type[Variant]:
    """A mistake in ρ, wherever it enters the trace."""
    return row(words, WITH_RHO, in_trace=lambda self, t: replace(t, rho=ratio(self, t.rho)))


def schedule(words: str, used: Callable[[Lambdas], Lambdas], made_for: Sequence[str] = EVERY) -> type[Variant]:
    """A mistake in the λ's."""
    return row(words, made_for, schedule=lambda self, lambdas: used(lambdas))


def one(x: Any) -> Any:
    """Ones in the shape of ``x``."""
    return np.ones_like(x)


class TraceLate(Variant):
    words = "z updated after θ: z_{t−1} used for z_t"
    anew = False
    z_before: Any = 0.0

    def trace(self, t: SimulatedTransition) -> Array:
        used, self.z_before = self.z_before * one(t.phi), super().trace(t)
        return np.zeros_like(used) if self.anew and t.first else used


class MiniBatch(Variant):
    words = "mini-batches: δ from the θ at the start of a batch of 2 (another algorithm at finite step sizes)"
    length = 2

    def reset(self, **given: Any) -> None:
        super().reset(**given)
        self.count, self.gathered = 0, (np.zeros_like(self.theta), np.zeros_like(self.w))

    def step(self, t: SimulatedTransition, alpha: float, beta: float) -> None:
        theta, w = self.theta, self.w
        super().step(t, alpha, beta)
        self.gathered, self.count = (
            (self.gathered[0] + self.theta - theta, self.gathered[1] + self.w - w),
            self.count + 1,
        )
        self.theta, self.w = theta, w
        if self.count % self.length == 0:
            self.theta, self.w = theta + self.gathered[0], w + self.gathered[1]
            self.gathered = np.zeros_like(theta), np.zeros_like(w)


class ReadLate(Variant):
    words = "θ shown one update late"

    def reset(self, **given: Any) -> None:
        super().reset(**given)
        self.ahead: tuple[Array, Array] | None = None

    def step(self, t: SimulatedTransition, alpha: float, beta: float) -> None:
        shown = self.theta, self.w = self.ahead or (self.theta, self.w)
        super().step(t, alpha, beta)
        self.ahead, (self.theta, self.w) = (self.theta, self.w), shown


def before(self: Variant, name: str, else_: Any) -> Any:
    """A number of the transition before."""
    return getattr(self.before, name) if self.before else else_


LATE, OTHER_DISCOUNT = "R_t used for R_{t+1}", "the discount of the transition before used in δ"
AT_THE_END = "the value after an episode's end used in δ (its discount is 0)"
IN_DELTA: tuple[type[Variant], ...] = (
    in_delta(LATE, lambda self, t: replace(t, reward=before(self, "reward", 0 * t.reward))),
    in_delta(LATE, lambda self, t: replace(t, reward=0.0 if t.first else before(self, "reward", 0.0))),
    in_delta(LATE, lambda self, t: replace(t, reward=before(self, "reward", t.reward))),
    in_delta(
        "the discount applied to the reward as well: γ (R_{t+1} + φ_{t+1}ᵀθ)",
        lambda self, t: replace(t, reward=t.discount * t.reward),
    ),
    in_delta("φ_t used for φ_{t+1} in δ", lambda self, t: replace(t, phi_next=t.phi)),
    in_delta("φ_{t+1} used for φ_t in δ", lambda self, t: replace(t, phi=t.phi_next)),
    in_delta("γ φ_{t+1}ᵀθ missing in δ", lambda self, t: replace(t, discount=0.0)),
    in_delta("γ missing in δ", lambda self, t: replace(t, discount=1.0)),
    in_delta(OTHER_DISCOUNT, lambda self, t: replace(t, discount=before(self, "discount", 1.0))),
    in_delta(OTHER_DISCOUNT, lambda self, t: replace(t, discount=before(self, "discount", t.discount))),
    in_delta(AT_THE_END, lambda self, t: replace(t, discount=self.inside)),
    in_delta(AT_THE_END, lambda self, t: replace(t, discount=np.where(t.discount == 0, 1.0, t.discount))),
    row("δ with the wrong sign", delta=lambda self, t: -Variant.delta(self, t)),
    in_delta("φ_tᵀθ added in δ instead of subtracted", lambda self, t: replace(t, phi=-t.phi)),
    in_delta("φ_tᵀθ missing in δ", lambda self, t: replace(t, phi=0 * t.phi)),
    row("δ_t from θ_{t−1} instead of θ_t", delta=lambda self, t: self.error(t, self.theta_before, self.theta_before)),
    row(
        "φ_tᵀθ_{t−1} kept from before the last update used in δ",
        delta=lambda self, t: self.error(t, self.theta, self.theta_before),
    ),
)
SHIFTED = "the schedule shifted by one: λ_{{k{}1}} used for λ_k"
OF_WINDOW = " (if one λ is meant, try --schedules constant)"
IN_SCHEDULE: tuple[type[Variant], ...] = (
    schedule("no trace: z_t = φ_t (TD(0))", lambda x: []),
    schedule(SHIFTED.format("+"), lambda x: x[1:], OF_A_SCHEDULE),
    schedule(SHIFTED.format("−"), lambda x: [1.0, *x]),
    schedule(SHIFTED.format("−"), lambda x: [1.0, *x][: len(x)]),
    schedule("a window that is one too short: the last λ is not used", lambda x: x[:-1], OF_A_SCHEDULE),
    schedule("a window that is one too long", lambda x: [*x, *x[-1:]], OF_A_SCHEDULE),
    schedule("a window that is one too long", lambda x: [*x, 1.0] if x else x, OF_A_SCHEDULE),
    schedule("a window that never ends: λ_k = λ_L for k > L", lambda x: [*x, *x[-1:] * ENDLESS], OF_A_SCHEDULE),
    schedule("λ_1 used for every λ, without end" + OF_WINDOW, lambda x: x[:1] * ENDLESS, OF_A_SCHEDULE),
    schedule("λ_1 used for every λ of the window" + OF_WINDOW, lambda x: x[:1] * len(x), OF_A_SCHEDULE),
    schedule("the λ's not used: every weight of the window is 1", lambda x: [1.0] * len(x)),
    schedule("1 − λ used for λ", lambda x: [1 - lam for lam in x]),
    schedule("the λ's in the reverse order", lambda x: x[::-1], OF_A_SCHEDULE),
    row("λ_k used as the trace weight for the product λ_1…λ_k", weights=lambda self, n: [1.0, *self.lambdas]),
    row("the weights w_n of the returns used as trace weights", weights=lambda self, n: -np.diff(self.c, append=0.0)),
    row(
        "the trace weights in the reverse order: c_k counted from the oldest state of the window",
        weights=lambda self, n: self.c[:n][::-1],
    ),
)
WRONG_END = "the discount at the wrong end of a transition: γ_{t+1}, of the one made now, in the trace at time t"
KEPT = "the trace not begun anew after an episode's end"


def later(self: Variant, k: int, past: SimulatedTransition) -> Any:
    """The discount of the transition after ``past``."""
    return self.window[-k].discount if k else 1.0


def undivided(self: Variant, t: SimulatedTransition) -> SimulatedTransition:
    """With the discount there would be if no episode ended."""
    return replace(t, discount=self.inside, first=False)


IN_TRACE: tuple[type[Variant], ...] = (
    TraceLate,
    row(TraceLate.words, of=TraceLate, anew=True),
    in_trace("φ_{t+1} used for φ_t in the trace", lambda self, t: replace(t, phi=t.phi_next)),
    row("φ_t used for every φ_{t−k} in the trace", features=lambda self, k, past: self.window[-1].phi),
    row("φ_t missing in the trace", features=lambda self, k, past: past.phi if k else 0 * past.phi),
    row(
        "a replacing trace instead of an accumulating one",
        trace=lambda self, t: np.where(t.phi != 0, times(self.ratio(t), t.phi), Variant.trace(self, t)),
    ),
    row("the trace averaged over its window", weights=lambda self, n: self.c / n),
    row("γ taken once in the trace, not once per step", discount=lambda self, k, x: x.discount if k == 1 else 1.0),
    in_trace("γ squared in the trace", lambda self, t: replace(t, discount=t.discount**2)),
    in_trace(
        "the discount of the transition before used in the trace",
        lambda self, t: replace(t, discount=before(self, "discount", t.discount), first=False),
    ),
    in_trace("γ missing in the trace", lambda self, t: replace(t, discount=np.where(t.discount == 0, 0.0, 1.0))),
    in_trace("γ missing in the trace", lambda self, t: replace(t, discount=one(t.discount), first=False)),
    in_trace(WRONG_END, lambda self, t: replace(t, first=False), discount=later),
    row(WRONG_END, discount=later),
    in_trace(KEPT, undivided),
    in_trace(KEPT, lambda self, t: replace(t, discount=np.where(t.discount == 0, 1.0, t.discount), first=False)),
)
AS_WELL, WRONG_STEP = "ρ_t on the update as well as in the trace", "ρ of the wrong step: ρ_{t−1} used for ρ_t"
IN_RATIOS: tuple[type[Variant], ...] = (
    of_ratio("ρ missing", lambda self, rho: one(rho)),
    of_ratio("ρ squared", lambda self, rho: rho**2),
    of_ratio("μ/π used for ρ = π/μ", lambda self, rho: np.where(rho == 0, 0.0, 1 / (rho + (rho == 0)))),
    of_ratio("ρ clipped at 1", lambda self, rho: np.minimum(1.0, rho)),
    row(
        "ρ_t on the update instead of in the trace",
        WITH_RHO,
        ratio=lambda self, t: one(t.rho),
        trace=lambda self, t: times(t.rho, Variant.trace(self, t)),
    ),
    row(AS_WELL, WITH_RHO, trace=lambda self, t: times(t.rho, Variant.trace(self, t))),
    row(AS_WELL, WITH_RHO, delta=lambda self, t: t.rho * Variant.delta(self, t)),
    of_ratio(WRONG_STEP, lambda self, rho: before(self, "rho", one(rho))),
    of_ratio(WRONG_STEP, lambda self, rho: before(self, "rho", rho)),
    row(
        "ρ_t of the current step missing in the trace",
        WITH_RHO,
        factor=lambda self, k, past: past.discount * past.rho if k else 1.0,
    ),
    row(
        "ρ_t on the old trace only, not on φ_t",
        WITH_RHO,
        factor=lambda self, k, past: past.discount * self.window[-k].rho if k else 1.0,
    ),
    row(
        "ρ of each state's own step used for the product of all since",
        WITH_RHO,
        ratio=lambda self, t: 1.0,
        features=lambda self, k, past: times(past.rho, past.phi),
    ),
    row(
        "ρ on the target of δ instead of in the trace: ρ (R + γφ'ᵀθ) − φᵀθ",
        WITH_RHO,
        ratio=lambda self, t: 1.0,
        in_delta=lambda self, t: replace(t, reward=t.rho * t.reward, discount=t.rho * t.discount),
    ),
)
IN_STEP_SIZES: tuple[type[Variant], ...] = (
    row("no update of θ at all", sizes=lambda self, alpha, beta: (0.0, beta)),
    row("no update of w at all", WITH_W, sizes=lambda self, alpha, beta: (alpha, 0.0)),
    row(
        "the step sizes of the step before",
        sizes=lambda self, alpha, beta: self.sizes_before if self.before else (alpha, beta),
    ),
    row("α and β swapped", WITH_W, sizes=lambda self, alpha, beta: (beta, alpha)),
    row("α used for w as well, where β belongs", WITH_W, sizes=lambda self, alpha, beta: (alpha, alpha)),
    row("β used for θ, where α belongs", sizes=lambda self, alpha, beta: (beta, beta)),
)
IN_UPDATE: tuple[type[Variant], ...] = (
    MiniBatch,
    *(row(MiniBatch.words.replace("2", str(n)), of=MiniBatch, length=n) for n in (4, 8)),
    ReadLate,
    row(
        "the residual gradient: z_t − γφ_{t+1} in place of z_t",
        ONE_VECTOR,
        trace=lambda self, t: Variant.trace(self, t) - times(t.discount, t.phi_next),
    ),
)
