"""Mistakes in δ, in the step sizes, and in when updates are made."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tdcert.sims.algorithms import Algorithm, Array, Transition
from tdcert.sims.mistakes.variant import ONE_VECTOR, WITH_W, Variant, row


class BootstrapsAtTheEnd(Variant):
    words = "the value after an episode's end used in δ (its discount is 0)"
    last = 1.0

    def in_delta(self, t: Transition) -> Transition:
        self.last = t.discount or self.gamma or self.last
        return replace(t, discount=self.last)


class DeltaFromOldTheta(Variant):
    words = "δ_t from θ_{t−1} instead of θ_t"

    def reset(self, **given: Any) -> None:
        super().reset(**given)
        self.theta_before = self.theta

    def delta(self, t: Transition) -> Array:
        now, self.theta = self.theta, self.theta_before
        found = super().delta(t)
        self.theta = self.theta_before = now
        return found


class ValueFromOldTheta(DeltaFromOldTheta):
    words = "φ_tᵀθ_{t−1} kept from before the last update used in δ"

    def delta(self, t: Transition) -> Array:
        kept, self.theta_before = self.theta_before, self.theta
        return np.asarray(t.reward + t.discount * (t.phi_next @ self.theta) - t.phi @ kept)


class MiniBatch(Variant):
    words = "mini-batches: δ from the θ at the start of a batch of 2 (another algorithm at finite step sizes)"
    length = 2

    def reset(self, **given: Any) -> None:
        super().reset(**given)
        self.count, self.start = 0, (self.theta, self.w)
        self.gathered = np.zeros_like(self.theta), np.zeros_like(self.w)

    def step(self, t: Transition, alpha: float, beta: float) -> None:
        super().step(t, alpha, beta)
        (theta, w), (up, across) = self.start, self.gathered
        self.gathered, self.count = (up + (self.theta - theta), across + (self.w - w)), self.count + 1
        if self.count % self.length == 0:
            self.start = theta + self.gathered[0], w + self.gathered[1]
            self.gathered = np.zeros_like(theta), np.zeros_like(w)
        self.theta, self.w = self.start


class ReadLate(Variant):
    words = "θ shown one update late"

    def reset(self, **given: Any) -> None:
        super().reset(**given)
        self.ahead = self.theta, self.w

    def step(self, t: Transition, alpha: float, beta: float) -> None:
        shown = self.theta, self.w = self.ahead
        super().step(t, alpha, beta)
        self.ahead, (self.theta, self.w) = (self.theta, self.w), shown


IN_DELTA: tuple[type[Variant], ...] = (
    row("R_t used for R_{t+1}", in_delta=lambda self, t: replace(t, reward=self.reward_before)),
    row("R_t used for R_{t+1}", in_delta=lambda self, t: replace(t, reward=0.0 if t.first else self.reward_before)),
    row("R_t used for R_{t+1}", in_delta=lambda self, t: replace(t, reward=(self.before or t).reward)),
    row(
        "the discount applied to the reward as well: γ (R_{t+1} + φ_{t+1}ᵀθ)",
        in_delta=lambda self, t: replace(t, reward=t.discount * t.reward),
    ),
    row("φ_t used for φ_{t+1} in δ", in_delta=lambda self, t: replace(t, phi_next=t.phi)),
    row(
        "φ_{t+1} used for φ_t in δ",
        delta=lambda self, t: t.reward + (t.discount - 1.0) * (t.phi_next @ self.theta),
    ),
    row("γ φ_{t+1}ᵀθ missing in δ", in_delta=lambda self, t: replace(t, discount=0.0)),
    row("γ missing in δ", in_delta=lambda self, t: replace(t, discount=1.0)),
    row(
        "the discount of the transition before used in δ",
        in_delta=lambda self, t: replace(t, discount=self.before.discount if self.before else 1.0),
    ),
    row(
        "the discount of the transition before used in δ",
        in_delta=lambda self, t: replace(t, discount=(self.before or t).discount),
    ),
    BootstrapsAtTheEnd,
    row(BootstrapsAtTheEnd.words, in_delta=lambda self, t: replace(t, discount=t.discount or 1.0)),
    row("δ with the wrong sign", delta=lambda self, t: -Algorithm.delta(self, t)),
    row(
        "φ_tᵀθ added in δ instead of subtracted",
        delta=lambda self, t: Algorithm.delta(self, t) + 2 * (t.phi @ self.theta),
    ),
    row("φ_tᵀθ missing in δ", delta=lambda self, t: Algorithm.delta(self, t) + t.phi @ self.theta),
    DeltaFromOldTheta,
    ValueFromOldTheta,
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
    row(MiniBatch.words.replace("2", "4"), of=MiniBatch, length=4),
    row(MiniBatch.words.replace("2", "8"), of=MiniBatch, length=8),
    ReadLate,
    row(
        "the residual gradient: z_t − γφ_{t+1} in place of z_t",
        ONE_VECTOR,
        trace=lambda self, t: Algorithm.trace(self, t) - t.discount * t.phi_next,
    ),
)
