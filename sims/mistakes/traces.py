"""Mistakes in the schedule, in the trace, and in the importance ratios."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import Any

import numpy as np

from tdcert.sims.algorithms import Algorithm, Array, Transition
from tdcert.sims.mistakes.variant import OF_A_SCHEDULE, WITH_RHO, Variant, row

ENDLESS = 100
"""λ's that stand for a schedule without end; more than any trajectory of the battery has steps."""


class TraceKept(Variant):
    words = "the trace not begun anew after an episode's end"
    last = 1.0

    def in_trace(self, t: Transition) -> Transition:
        self.last = t.discount or self.gamma or self.last
        return replace(t, discount=self.last, first=False)


class NoProduct(Variant):
    words = "λ_k used as the trace weight for the product λ_1…λ_k"

    def reset(self, **given: Any) -> None:
        super().reset(**given)
        self.c = np.array([1.0, *given["lambdas"]])


class ReturnWeights(Variant):
    words = "the weights w_n of the returns used as trace weights"

    def reset(self, **given: Any) -> None:
        super().reset(**given)
        self.c = -np.diff(self.c, append=0.0)


class PastWithoutPhi(Variant):
    words = "φ_t missing in the trace"

    def trace(self, t: Transition) -> Array:
        return np.asarray(super().trace(t) - (t.rho if self.importance else 1.0) * t.phi)


class PhiOfNow(Variant):
    words = "φ_t used for every φ_{t−k} in the trace"

    def trace(self, t: Transition) -> Array:
        self.window.append(t)
        kept, self.window = self.window, deque((replace(x, phi=t.phi) for x in self.window), self.window.maxlen)
        self.window.pop()
        z = super().trace(t)
        self.window = kept
        return z


class Averaged(Variant):
    words = "the trace averaged over its window"

    def trace(self, t: Transition) -> Array:
        return super().trace(t) / len(self.window)


class DiscountOnce(Variant):
    words = "γ taken once in the trace, not once per step"

    def trace(self, t: Transition) -> Array:
        kept, last = list(self.window), len(self.window) - 1
        self.window.clear()
        self.window.extend(x if i == last else replace(x, discount=1.0) for i, x in enumerate(kept))
        z = super().trace(t)
        self.window.clear()
        self.window.extend((*kept, t))
        return z


class OwnRatios(Variant):
    words = "ρ of each state's own step used for the product of all since"
    made_for = WITH_RHO

    def trace(self, t: Transition) -> Array:
        return super().trace(replace(t, rho=1.0, phi=t.rho * t.phi))


class WeightsReversed(Variant):
    words = "the trace weights in the reverse order: c_k counted from the oldest state of the window"

    def trace(self, t: Transition) -> Array:
        kept, filled = self.c, min(len(self.window) + 1, len(self.c))
        self.c = np.concatenate([kept[:filled][::-1], kept[filled:]])
        z = super().trace(t)
        self.c = kept
        return z


class TraceLate(Variant):
    words = "z updated after θ: z_{t−1} used for z_t"
    anew = False

    def reset(self, **given: Any) -> None:
        super().reset(**given)
        self.z_before = np.zeros(given["n_features"])

    def trace(self, t: Transition) -> Array:
        used, self.z_before = self.z_before, super().trace(t)
        return np.zeros_like(used) if self.anew and t.first else used


class TraceLateInEpisode(TraceLate):
    anew = True


class ReplacingTrace(Variant):
    words = "a replacing trace instead of an accumulating one"

    def trace(self, t: Transition) -> Array:
        z = super().trace(t)
        return np.where(t.phi != 0, (t.rho if self.importance else 1.0) * t.phi, z)


class DiscountAtTheWrongEnd(Variant):
    words = "the discount at the wrong end of a transition: γ_{t+1}, of the one made now, in the trace at time t"
    anew = False

    def trace(self, t: Transition) -> Array:
        if self.anew and t.first:
            self.window.clear()
        if self.window:
            self.window[-1] = replace(self.window[-1], discount=t.discount)
        return super().trace(replace(t, first=False))


class DiscountAtTheWrongEndInEpisode(DiscountAtTheWrongEnd):
    anew = True


class RhoOfThePastOnly(Variant):
    words = "ρ_t of the current step missing in the trace"
    made_for = WITH_RHO

    def trace(self, t: Transition) -> Array:
        z = super().trace(replace(t, rho=1.0))
        self.window[-1] = t
        return z


class RhoNotOnPhi(Variant):
    words = "ρ_t on the old trace only, not on φ_t"
    made_for = WITH_RHO

    def trace(self, t: Transition) -> Array:
        z = super().trace(t)
        found, product = np.zeros_like(z), 1.0
        for c, past in zip(self.c, reversed(self.window), strict=False):  # the twin's sum, ρ after φ
            product *= past.discount if past is not t else 1.0
            found, product = found + c * product * past.phi, product * past.rho
            if past.first:
                break
        return found


IN_SCHEDULE: tuple[type[Variant], ...] = (
    row("no trace: z_t = φ_t (TD(0))", schedule=lambda self, lambdas: []),
    row("the schedule shifted by one: λ_{k+1} used for λ_k", OF_A_SCHEDULE, schedule=lambda self, lambdas: lambdas[1:]),
    row("the schedule shifted by one: λ_{k−1} used for λ_k", schedule=lambda self, lambdas: [1.0, *lambdas]),
    row(
        "the schedule shifted by one: λ_{k−1} used for λ_k",
        schedule=lambda self, lambdas: [1.0, *lambdas][: len(lambdas)],
    ),
    row(
        "a window that is one too short: the last λ is not used",
        OF_A_SCHEDULE,
        schedule=lambda self, lambdas: lambdas[:-1],
    ),
    row("a window that is one too long", OF_A_SCHEDULE, schedule=lambda self, lambdas: [*lambdas, *lambdas[-1:]]),
    row(
        "a window that is one too long",
        OF_A_SCHEDULE,
        schedule=lambda self, lambdas: [*lambdas, 1.0] if lambdas else lambdas,
    ),
    row(
        "a window that never ends: λ_k = λ_L for k > L",
        OF_A_SCHEDULE,
        schedule=lambda self, lambdas: [*lambdas, *lambdas[-1:] * ENDLESS],
    ),
    row(
        "λ_1 used for every λ, without end (if one λ is meant, try --schedules constant)",
        OF_A_SCHEDULE,
        schedule=lambda self, lambdas: lambdas[:1] * ENDLESS,
    ),
    row(
        "λ_1 used for every λ of the window (if one λ is meant, try --schedules constant)",
        OF_A_SCHEDULE,
        schedule=lambda self, lambdas: lambdas[:1] * len(lambdas),
    ),
    row("the λ's not used: every weight of the window is 1", schedule=lambda self, lambdas: [1.0] * len(lambdas)),
    row("1 − λ used for λ", schedule=lambda self, lambdas: [1 - x for x in lambdas]),
    row("the λ's in the reverse order", OF_A_SCHEDULE, schedule=lambda self, lambdas: lambdas[::-1]),
    NoProduct,
    ReturnWeights,
    WeightsReversed,
)
IN_TRACE: tuple[type[Variant], ...] = (
    TraceLate,
    TraceLateInEpisode,
    row("φ_{t+1} used for φ_t in the trace", in_trace=lambda self, t: replace(t, phi=t.phi_next)),
    PhiOfNow,
    PastWithoutPhi,
    ReplacingTrace,
    Averaged,
    DiscountOnce,
    row("γ squared in the trace", in_trace=lambda self, t: replace(t, discount=t.discount**2)),
    row(
        "the discount of the transition before used in the trace",
        in_trace=lambda self, t: replace(t, discount=self.before.discount if self.before else t.discount, first=False),
    ),
    row("γ missing in the trace", in_trace=lambda self, t: replace(t, discount=1.0 if t.discount else 0.0)),
    row("γ missing in the trace", in_trace=lambda self, t: replace(t, discount=1.0, first=False)),
    DiscountAtTheWrongEnd,
    DiscountAtTheWrongEndInEpisode,
    TraceKept,
    row(TraceKept.words, in_trace=lambda self, t: replace(t, discount=t.discount or 1.0, first=False)),
)
IN_RATIOS: tuple[type[Variant], ...] = (
    row("ρ missing", WITH_RHO, in_trace=lambda self, t: replace(t, rho=1.0)),
    row("ρ squared", WITH_RHO, in_trace=lambda self, t: replace(t, rho=t.rho**2)),
    row("μ/π used for ρ = π/μ", WITH_RHO, in_trace=lambda self, t: replace(t, rho=1 / t.rho if t.rho else 0.0)),
    row("ρ clipped at 1", WITH_RHO, in_trace=lambda self, t: replace(t, rho=min(1.0, t.rho))),
    row(
        "ρ_t on the update instead of in the trace",
        WITH_RHO,
        trace=lambda self, t: t.rho * Algorithm.trace(self, replace(t, rho=1.0)),
    ),
    row(
        "ρ_t on the update as well as in the trace",
        WITH_RHO,
        trace=lambda self, t: t.rho * Algorithm.trace(self, t),
    ),
    row(
        "ρ_t on the update as well as in the trace",
        WITH_RHO,
        delta=lambda self, t: t.rho * Algorithm.delta(self, t),
    ),
    row(
        "ρ of the wrong step: ρ_{t−1} used for ρ_t",
        WITH_RHO,
        in_trace=lambda self, t: replace(t, rho=self.before.rho if self.before else 1.0),
    ),
    row(
        "ρ of the wrong step: ρ_{t−1} used for ρ_t",
        WITH_RHO,
        in_trace=lambda self, t: replace(t, rho=(self.before or t).rho),
    ),
    RhoOfThePastOnly,
    RhoNotOnPhi,
    OwnRatios,
    row(
        "ρ on the target of δ instead of in the trace: ρ (R + γφ'ᵀθ) − φᵀθ",
        WITH_RHO,
        in_trace=lambda self, t: replace(t, rho=1.0),
        in_delta=lambda self, t: replace(t, reward=t.rho * t.reward, discount=t.rho * t.discount),
    ),
)
