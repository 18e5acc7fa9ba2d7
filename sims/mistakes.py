"""Plausible mistakes, each a variant of the readable twins with the words of the mistake.

They serve to *name* what an implementation does wrong, never to decide that it is wrong. Most variants replace one
hook of :class:`Variant` (what the schedule is, what the trace sees, what δ sees, the step sizes) or, for GTD and
TDC, a term of :class:`Gradient`; those are rows of a table. Those with a memory of their own are classes. Several
variants may share their words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from sims.algorithms import ALGORITHMS, Algorithm, Array, Transition, algorithm_named

EVERY: tuple[str, ...] = tuple(ALGORITHMS)
WITH_RHO = ("off_policy_td", "gtd", "tdc")
GRADIENT = ("gtd", "tdc")
ENDLESS = 100
"""λ's that stand for a schedule without end; more than any trajectory of the battery has steps."""


@dataclass(frozen=True)
class Mistake:
    """``words`` complete "it looks like …"; ``variant`` does what they say."""

    words: str
    variant: type[Algorithm]


class Variant(Algorithm):
    """One of the four with hooks; each is the identity here."""

    words: ClassVar[str] = ""
    made_for: ClassVar[tuple[str, ...]] = EVERY

    def reset(self, *, n_features: int, lambdas: Sequence[float], theta0: ArrayLike, tail: float = 0.0) -> None:
        super().reset(n_features=n_features, lambdas=self.schedule(list(lambdas)), theta0=theta0, tail=tail)
        self.before: Transition | None = None
        self.sizes_before = (0.0, 0.0)

    def schedule(self, lambdas: list[float]) -> list[float]:
        """The λ's that are used."""
        return lambdas

    def in_trace(self, t: Transition) -> Transition:
        """What the trace sees."""
        return t

    def in_delta(self, t: Transition) -> Transition:
        """What δ sees."""
        return t

    def sizes(self, alpha: float, beta: float) -> tuple[float, float]:
        """The step sizes that are used."""
        return alpha, beta

    def trace(self, t: Transition) -> Array:
        return super().trace(self.in_trace(t))

    def delta(self, t: Transition) -> Array:
        return super().delta(self.in_delta(t))

    def step(self, t: Transition, alpha: float, beta: float) -> None:
        super().step(t, *self.sizes(alpha, beta))
        self.before, self.sizes_before = t, (alpha, beta)

    @property
    def reward_before(self) -> float:
        """R_t; 0 at the start."""
        return float(self.before.reward) if self.before else 0.0


class Gradient(Variant):
    """θ += α (a δz − b γφ'(zᵀw) + c φ(zᵀw) − e φ(φᵀw)), w += β (δz − f φ(φᵀw) − g z(zᵀw)).

    Right are b = c = f = 1 and g = 0; a = e = 0 in GTD, 1 in TDC. ``terms`` holds what differs.
    """

    made_for = GRADIENT
    terms: ClassVar[dict[str, float]] = {}
    by_phi: ClassVar[bool] = False
    """φᵀw in place of zᵀw."""
    undiscounted: ClassVar[bool] = False
    """φ' in place of γφ' (outside δ)."""
    new_theta: ClassVar[bool] = False
    """w is updated with θ_{t+1}."""
    new_w: ClassVar[bool] = False
    """θ is updated with w_{t+1}."""

    def step(self, t: Transition, alpha: float, beta: float) -> None:
        self.z, self.error = self.trace(t), self.delta(t)
        if self.new_w:
            self._move_w(t, beta)
            self._move_theta(t, alpha)
        else:
            self._move_theta(t, alpha)
            self._move_w(t, beta)

    def _move_theta(self, t: Transition, alpha: float) -> None:
        is_tdc = float(isinstance(self, ALGORITHMS["tdc"]))
        k = {"a": is_tdc, "b": 1.0, "c": 1.0, "e": is_tdc} | self.terms
        u = (t.phi if self.by_phi else self.z) @ self.w
        ahead = t.phi_next if self.undiscounted else t.discount * t.phi_next
        along = k["a"] * self.error * self.z + u * (k["c"] * t.phi - k["b"] * ahead) - k["e"] * (t.phi @ self.w) * t.phi
        self.theta = self.theta + alpha * along

    def _move_w(self, t: Transition, beta: float) -> None:
        k = {"f": 1.0, "g": 0.0} | self.terms
        error = self.delta(t) if self.new_theta else self.error
        pull = k["f"] * (t.phi @ self.w) * t.phi + k["g"] * (self.z @ self.w) * self.z
        self.w = self.w + beta * (error * self.z - pull)


def row(words: str, made_for: Sequence[str] = EVERY, of: type[Variant] = Variant, **replaced: Any) -> type[Variant]:
    """A variant with some hooks or settings replaced."""
    return type(of.__name__, (of,), {"words": words, "made_for": tuple(made_for), **replaced})


# ---- variants with a memory of their own ----------------------------------------------------------


class BootstrapsAtTheEnd(Variant):
    words = "the value after an episode's end used in δ (its discount is 0)"
    gamma = 1.0

    def in_delta(self, t: Transition) -> Transition:
        self.gamma = t.discount or self.gamma
        return replace(t, discount=self.gamma)


class TraceKept(Variant):
    words = "the trace not begun anew after an episode's end"
    gamma = 1.0

    def in_trace(self, t: Transition) -> Transition:
        self.gamma = t.discount or self.gamma
        return replace(t, discount=self.gamma, first=False)


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


class NoProduct(Variant):
    words = "λ_k used as the trace weight for the product λ_1…λ_k"

    def reset(self, **given: Any) -> None:
        super().reset(**given)
        self.c = np.array([1.0, *given["lambdas"]])


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


class MiniBatchOf4(MiniBatch):
    words = "mini-batches: δ from the θ at the start of a batch of 4 (another algorithm at finite step sizes)"
    length = 4


class ReadLate(Variant):
    words = "θ shown one update late"

    def reset(self, **given: Any) -> None:
        super().reset(**given)
        self.ahead = self.theta, self.w

    def step(self, t: Transition, alpha: float, beta: float) -> None:
        shown = self.theta, self.w = self.ahead
        super().step(t, alpha, beta)
        self.ahead, (self.theta, self.w) = (self.theta, self.w), shown


# ---- the table ------------------------------------------------------------------------------------

IN_DELTA: tuple[type[Variant], ...] = (
    row("R_t used for R_{t+1}", in_delta=lambda self, t: replace(t, reward=self.reward_before)),
    row("R_t used for R_{t+1}", in_delta=lambda self, t: replace(t, reward=0.0 if t.first else self.reward_before)),
    row(
        "the discount applied to the reward as well: γ (R_{t+1} + φ_{t+1}ᵀθ)",
        in_delta=lambda self, t: replace(t, reward=t.discount * t.reward),
    ),
    row("φ_t used for φ_{t+1} in δ", in_delta=lambda self, t: replace(t, phi_next=t.phi)),
    row("γ φ_{t+1}ᵀθ missing in δ", in_delta=lambda self, t: replace(t, discount=0.0)),
    row("γ missing in δ", in_delta=lambda self, t: replace(t, discount=1.0)),
    row(
        "the discount of the transition before used in δ",
        in_delta=lambda self, t: replace(t, discount=self.before.discount if self.before else 1.0),
    ),
    BootstrapsAtTheEnd,
    row("δ with the wrong sign", delta=lambda self, t: -Algorithm.delta(self, t)),
    row(
        "φ_tᵀθ added in δ instead of subtracted",
        delta=lambda self, t: Algorithm.delta(self, t) + 2 * (t.phi @ self.theta),
    ),
    row("φ_tᵀθ missing in δ", delta=lambda self, t: Algorithm.delta(self, t) + t.phi @ self.theta),
    DeltaFromOldTheta,
)
IN_SCHEDULE: tuple[type[Variant], ...] = (
    row("no trace: z_t = φ_t (TD(0))", schedule=lambda self, lambdas: []),
    row("the schedule shifted by one: λ_{k+1} used for λ_k", schedule=lambda self, lambdas: lambdas[1:]),
    row("the schedule shifted by one: λ_{k−1} used for λ_k", schedule=lambda self, lambdas: [1.0, *lambdas]),
    row(
        "the schedule shifted by one: λ_{k−1} used for λ_k",
        schedule=lambda self, lambdas: [1.0, *lambdas][: len(lambdas)],
    ),
    row("a window that is one too short: the last λ is not used", schedule=lambda self, lambdas: lambdas[:-1]),
    row("a window that is one too long", schedule=lambda self, lambdas: [*lambdas, *lambdas[-1:]]),
    row("a window that is one too long", schedule=lambda self, lambdas: [*lambdas, 1.0] if lambdas else lambdas),
    row(
        "a window that never ends: λ_k = λ_L for k > L",
        schedule=lambda self, lambdas: [*lambdas, *lambdas[-1:] * ENDLESS],
    ),
    row(
        "λ_1 used for every λ, without end (if one λ is meant, try --schedules constant)",
        schedule=lambda self, lambdas: lambdas[:1] * ENDLESS,
    ),
    row(
        "λ_1 used for every λ of the window (if one λ is meant, try --schedules constant)",
        schedule=lambda self, lambdas: lambdas[:1] * len(lambdas),
    ),
    row(
        "the λ's not used: every weight of the window is 1", schedule=lambda self, lambdas: [1.0] * len(lambdas)
    ),
    row("the λ's in the reverse order", schedule=lambda self, lambdas: lambdas[::-1]),
    NoProduct,
    WeightsReversed,
)
IN_TRACE: tuple[type[Variant], ...] = (
    TraceLate,
    TraceLateInEpisode,
    row("φ_{t+1} used for φ_t in the trace", in_trace=lambda self, t: replace(t, phi=t.phi_next)),
    ReplacingTrace,
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
        "ρ_t on the update instead of in the trace", WITH_RHO,
        trace=lambda self, t: t.rho * Algorithm.trace(self, replace(t, rho=1.0)),
    ),
    row(
        "ρ_t on the update as well as in the trace", WITH_RHO,
        trace=lambda self, t: t.rho * Algorithm.trace(self, t),
    ),
    row(
        "ρ of the wrong step: ρ_{t−1} used for ρ_t", WITH_RHO,
        in_trace=lambda self, t: replace(t, rho=self.before.rho if self.before else 1.0),
    ),
    RhoOfThePastOnly,
    RhoNotOnPhi,
    row(
        "ρ on the target of δ instead of in the trace: ρ (R + γφ'ᵀθ) − φᵀθ", WITH_RHO,
        in_trace=lambda self, t: replace(t, rho=1.0),
        in_delta=lambda self, t: replace(t, reward=t.rho * t.reward, discount=t.rho * t.discount),
    ),
)  # fmt: skip
IN_STEP_SIZES: tuple[type[Variant], ...] = (
    row("no update of θ at all", sizes=lambda self, alpha, beta: (0.0, beta)),
    row("no update of w at all", GRADIENT, sizes=lambda self, alpha, beta: (alpha, 0.0)),
    row(
        "the step sizes of the step before",
        sizes=lambda self, alpha, beta: self.sizes_before if self.before else (alpha, beta),
    ),
    row("α and β swapped", GRADIENT, sizes=lambda self, alpha, beta: (beta, alpha)),
    row("α used for w as well, where β belongs", GRADIENT, sizes=lambda self, alpha, beta: (alpha, alpha)),
    row("β used for θ, where α belongs", sizes=lambda self, alpha, beta: (beta, beta)),
)
IN_UPDATE: tuple[type[Variant], ...] = (
    MiniBatch,
    MiniBatchOf4,
    ReadLate,
    row(
        "the residual gradient: z_t − γφ_{t+1} in place of z_t", ("td", "off_policy_td"),
        trace=lambda self, t: Algorithm.trace(self, t) - t.discount * t.phi_next,
    ),
    row(
        "θ moved against its gradient: γφ_{t+1} − φ_t used for φ_t − γφ_{t+1}", ["gtd"], Gradient,
        terms={"b": -1.0, "c": -1.0},
    ),
    row(
        "the correction added instead of subtracted", ["tdc"], Gradient, terms={"b": -1.0, "c": -1.0, "e": -1.0}
    ),
    row("w updated with the new θ", GRADIENT, Gradient, new_theta=True),
    row("θ updated with the new w", GRADIENT, Gradient, new_w=True),
    row("φφᵀw missing in the update of w", GRADIENT, Gradient, terms={"f": 0.0}),
    row("zzᵀw used for φφᵀw in the update of w", GRADIENT, Gradient, terms={"f": 0.0, "g": 1.0}),
    row("φφᵀw missing in the update of θ", ["tdc"], Gradient, terms={"e": 0.0}),
    row("φ_t (z_tᵀw) missing in the update of θ", GRADIENT, Gradient, terms={"c": 0.0}),
    row("γφ_{t+1} (z_tᵀw) missing in the update of θ", GRADIENT, Gradient, terms={"b": 0.0}),
    row(
        "the correction γφ_{t+1} (z_tᵀw) alone, which is TDC only where z_t = φ_t", ["tdc"], Gradient,
        terms={"c": 0.0, "e": 0.0},
    ),
    row("no correction at all: off-policy TD", ["tdc"], Gradient, terms={"b": 0.0, "c": 0.0, "e": 0.0}),
    row("φ_tᵀw used for z_tᵀw", GRADIENT, Gradient, by_phi=True),
    row("γ missing in φ_t − γφ_{t+1}", GRADIENT, Gradient, undiscounted=True),
    row("TDC's update of θ", ["gtd"], Gradient, terms={"a": 1.0, "e": 1.0}),
    row("GTD's update of θ", ["tdc"], Gradient, terms={"a": 0.0, "e": 0.0}),
)  # fmt: skip

VARIANTS = (*IN_DELTA, *IN_SCHEDULE, *IN_TRACE, *IN_RATIOS, *IN_STEP_SIZES, *IN_UPDATE)


@cache
def mistakes_in(algorithm: str) -> tuple[Mistake, ...]:
    """All known mistakes in one of the four algorithms; :class:`InputError` for another name."""
    base = algorithm_named(algorithm)
    return tuple(
        Mistake(variant.words, type(variant.__name__, (variant, base), {}))
        for variant in VARIANTS
        if algorithm in variant.made_for
    )
