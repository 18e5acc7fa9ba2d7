"""What is asked of an analysis: the arithmetic, the precision, and the runs of ``--simulate``."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import floor, log10

import numpy as np

from tdcert.sims.step_sizes import Constant, Polynomial, StepSizes
from tdcert.theory.check.margins import largest_discount
from tdcert.theory.errors import InputError
from tdcert.theory.laws.decreasing_steps import DecreasingSteps
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import trace_weights

Step = Polynomial | Constant

FLOAT_BITS = 53
"""Precision of floats; enclosures with more bits are computed in balls."""
T0 = 100.0
"""How long default steps stay near their first size."""
POWERS = {"td": (0.75, 0.75), "off_policy_td": (0.75, 0.75), "gtd": (0.75, 0.75), "tdc": (0.8, 0.6)}
"""Default exponents of α and β: within Assumptions 1 and 4, and 5 for TDC."""


class Arithmetic(StrEnum):
    """The number systems an analysis can compute in, most informative first."""

    EXACT = "exact"
    ENCLOSED = "enclosed"
    SPARSE = "sparse"


class Part(StrEnum):
    """What an analysis can be asked for. The chain, the matrices, the fixed point and the mean dynamics, ``verdict``,
    are part of every one.
    """

    VERDICT = "verdict"
    CLAIMS = "claims"
    SCHEDULES = "schedules"
    WARNINGS = "warnings"


@dataclass(frozen=True)
class SimulationRequest:
    """``seed`` ≥ 0; ``steps``: α_t = β_t as given, None for the default of the model; ``decreasing``: the same exactly,
    where Σ α_t = ∞ and Σ α_t² < ∞.
    """

    seed: int = 0
    steps: Step | None = None
    decreasing: DecreasingSteps | None = None

    @staticmethod
    def of_words(seed: int, steps: str | None) -> SimulationRequest:
        """``steps``: ``"a"`` for a constant step, ``"a,t0,p"`` for a/(t + t0)^p, p = 1 if left out.

        Raises :class:`InputError` for other words.
        """
        if steps is None:
            return SimulationRequest(seed)
        try:
            exact = [Fraction(part.strip()) for part in steps.split(",")]
            numbers = [float(x) for x in exact]
        except (ValueError, ZeroDivisionError, OverflowError):
            exact, numbers = [], []
        if len(numbers) == 1:
            return SimulationRequest(seed, Constant(numbers[0]))
        if len(numbers) in (2, 3):
            a, t0, p = (*numbers, 1.0)[:3]
            try:
                decreasing = DecreasingSteps(*exact)
            except InputError:  # they may be tried, but nothing is certified about them
                decreasing = None
            return SimulationRequest(seed, Polynomial(a, t0, p), decreasing)
        raise InputError(f"the step sizes are '{steps}'; give a number, or a,t0,p for a/(t + t0)^p")

    @property
    def constant(self) -> Fraction | None:
        """The constant step that was given, the decimal that it prints; None for other steps, and for steps of zero or
        less, at which nothing is learnt.
        """
        return Fraction(repr(self.steps.a)) if isinstance(self.steps, Constant) and self.steps.a > 0 else None

    def step_sizes(self, model: Model, algorithm: str) -> StepSizes:
        """The steps of an algorithm on a model."""
        if self.steps is not None:
            return StepSizes(self.steps, self.steps)
        first = first_step(model)
        alpha, beta = (Polynomial(_round(first * T0**p), T0, p) for p in POWERS[algorithm])
        return StepSizes(alpha, beta)


@dataclass(frozen=True)
class Request:
    """How an analysis is to be made. ``arithmetic`` None: chosen by the size of the model. ``bits`` ≥ 53: the
    precision of enclosures, 53 meaning floats. ``command``: what makes the analysis again, for ``reproduce``; None
    where nothing does. ``experiment``: the runs asked for, None for none. ``phase_diagram``: whether one is to be
    drawn. ``parts``: what is asked for. Raises :class:`InputError` for fewer bits, and for more where no balls are
    computed with.
    """

    arithmetic: Arithmetic | None = None
    bits: int = FLOAT_BITS
    command: str | None = None
    experiment: SimulationRequest | None = None
    phase_diagram: bool = False
    parts: frozenset[Part] = frozenset(Part)

    def __post_init__(self) -> None:
        if self.bits < FLOAT_BITS:
            raise InputError(f"{self.bits} bits were asked for; give {FLOAT_BITS} or more")
        if self.bits > FLOAT_BITS and self.arithmetic in (Arithmetic.EXACT, Arithmetic.SPARSE):
            raise InputError(
                f"{self.bits} bits were asked for in {self.arithmetic} arithmetic; more bits are offered for enclosed "
                "arithmetic alone"
            )

    @staticmethod
    def of_words(
        arithmetic: str | None,
        bits: str | int | None = None,
        command: str | None = None,
        experiment: SimulationRequest | None = None,
        phase_diagram: bool = False,
        what: str | None = None,
    ) -> Request:
        """From an arithmetic's name, a number, and parts between commas as users give them; errors as for a request."""
        names = [kind.value for kind in Arithmetic]
        if arithmetic is not None and arithmetic not in names:
            raise InputError(f"there is no arithmetic '{arithmetic}'; give {', '.join(names[:-1])} or {names[-1]}")
        chosen = Arithmetic(arithmetic) if arithmetic else None
        return Request(chosen, int(bits or FLOAT_BITS), command, experiment, phase_diagram, parts_of(what))


def parts_of(what: str | None) -> frozenset[Part]:
    """The parts that are named between commas, and the verdict; all of them for None."""
    if what is None:
        return frozenset(Part)
    known = [part.value for part in Part]
    for name in (named := [name.strip() for name in what.split(",")]):
        if name not in known:
            raise InputError(f"an analysis has no part '{name}'; give some of {', '.join(known)}")
    return frozenset({Part.VERDICT, *map(Part, named)})


def first_step(model: Model) -> float:
    """1/(|φ|² Σ_k c_k γᵏ) for the largest |φ|: one update then moves a prediction about as far as its error says."""
    longest = float(np.max(np.sum(model.features.to_float() ** 2, axis=1)))
    gamma, tail = float(largest_discount(model)), float(model.schedule.tail)
    if tail:
        remembered = 1 / max(1 - tail * gamma, 1 / (1 + model.n))
    else:
        remembered = float(sum(float(c) * gamma**k for k, c in enumerate(trace_weights(model.schedule.lambdas))))
    return 1 / max(longest * remembered, 1e-300)


def step_text(step: object) -> str:
    """As people write it."""
    if isinstance(step, Polynomial):
        return f"{step.a:g}/(t + {step.t0:g})^{step.p:g}"
    assert isinstance(step, Constant)
    return f"{step.a:g}"


def _round(value: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is not above."""
    unit = 10.0 ** floor(log10(value))
    return max(k * unit for k in (1, 2, 5) if k * unit <= value or k == 1)
