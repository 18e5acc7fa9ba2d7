"""What is asked of an analysis: the arithmetic, the precision, steps, schedules, runs and pictures."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from math import floor, log10
from typing import TYPE_CHECKING

import numpy as np

from tdcert.algorithms import find, find_all
from tdcert.algorithms.schedules import scheduled
from tdcert.analysis.budget import NOTHING, UNBOUNDED, USUAL, Budget
from tdcert.sims.step_sizes import Constant, Polynomial, StepSizes
from tdcert.theory.check.margins import largest_discount
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.errors import InputError, short
from tdcert.theory.files.numerals import Refused, exact, number, quoted
from tdcert.theory.files.schedule_forms import schedule_from_text
from tdcert.theory.laws.decreasing_steps import DecreasingSteps
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule, trace_weights

if TYPE_CHECKING:
    from tdcert.theory.engine.for_all_values import Varied

Step = Polynomial | Constant

FLOAT_BITS = 53
"""Precision of floats; enclosures with more bits are computed in balls."""
MOST_BITS = 1_000_000
"""Far beyond what decides anything, and still quick to refuse where memory does not allow it."""
T0 = 100.0
"""How long default steps stay near their first size."""
ONE_SCALE, TWO_SCALES = (0.75, 0.75), (0.8, 0.6)
"""Default exponents of α and β: within Assumptions 1 and 4; and 5, for algorithms of two time scales."""
MOST_UPDATES, MOST_RUNS, MOST_DRAWN = 1_000_000, 100_000, 50_000_000
"""Longest runs that are drawn, most of them, and most updates of all together (a minute)."""
MOST_CANDIDATES = 60
AXES = ("discount", "step", "lambda")
"""Numbers that a phase diagram may be drawn over."""
MOST_VALUES = 16
"""Most values of one axis of a phase diagram."""


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


LARGEST = "largest"
"""What asks for the largest constant step and names none."""


@dataclass(frozen=True)
class StepQuestion:
    """Are these steps small enough? α_t = ``a``, or a/(t + ``t0``)^``p`` where t0 is given, and β_t = ``ratio`` α_t;
    ``a`` None names no step and asks for the largest. ``seed`` of the paths that are simulated. Raises
    :class:`InputError` for what is not a step.
    """

    a: Fraction | None = None
    t0: Fraction | None = None
    p: Fraction = Fraction(1)
    ratio: Fraction = Fraction(1)
    seed: int = 0

    def __post_init__(self) -> None:
        if self.ratio <= 0:
            raise InputError(f"the ratio β/α is {self.ratio}; give a number above zero")
        if self.a is not None and self.a <= 0:
            raise InputError(f"the step is {self.a}, and nothing is learnt with it; give a number above zero")
        if self.t0 is not None and (self.t0 <= 0 or self.p < 0):
            raise InputError(f"the steps {self} need T0 > 0 and P ≥ 0")

    @staticmethod
    def of_words(steps: str, ratio: str | None = None, seed: int = 0) -> StepQuestion:
        """The question in the words ``"a"``, ``"a,t0"``, ``"a,t0,p"`` or ``"largest"``.

        Raises :class:`InputError` for other words.
        """
        over = Fraction(1) if ratio is None else Fraction(number(ratio.strip(), "the ratio β/α"))
        if steps.strip() == LARGEST:
            return StepQuestion(ratio=over, seed=seed)
        a, *more = _exact_steps(steps)
        t0, p = more[0] if more else None, more[1] if len(more) > 1 else Fraction(1)
        return StepQuestion(a, t0, p, over, seed)

    @property
    def constant(self) -> Fraction | None:
        """The constant step, where one is given."""
        return self.a if self.t0 is None else None

    @property
    def decreasing(self) -> DecreasingSteps | None:
        """The steps, where Σ α_t = ∞ and Σ α_t² < ∞; of others nothing is certified for ever."""
        if self.a is None or self.t0 is None:
            return None
        try:
            return DecreasingSteps(self.a, self.t0, self.p)
        except InputError:
            return None

    def __str__(self) -> str:
        if self.a is None or self.t0 is None:
            return LARGEST if self.a is None else str(self.a)
        return f"{self.a}/(t + {self.t0})" + ("" if self.p == 1 else f"^{self.p}")


@dataclass(frozen=True)
class SimulationRequest:
    """``seed`` ≥ 0; ``steps``: α_t as given, None for the default of the model; ``ratio``: β_t/α_t of the steps given.
    ``runs`` that are drawn, ``updates`` of each, and the ``quantiles`` between which their band lies. Raises
    :class:`InputError` for numbers beyond the limits.
    """

    seed: int = 0
    steps: Step | None = None
    ratio: Fraction = Fraction(1)
    updates: int = 3_000
    runs: int = 200
    quantiles: tuple[float, float] = (0.1, 0.9)

    def __post_init__(self) -> None:
        if not 10 <= self.updates <= MOST_UPDATES:
            raise InputError(f"{self.updates:,} updates were asked for; give a number from 10 to {MOST_UPDATES:,}")
        if not 2 <= self.runs <= MOST_RUNS or self.runs * self.updates > MOST_DRAWN:
            raise InputError(
                f"{self.runs:,} runs of {self.updates:,} updates were asked for; give 2 to {MOST_RUNS:,} runs, and at "
                f"most {MOST_DRAWN:,} updates in all"
            )
        low, high = self.quantiles
        if not 0 <= low < high <= 1:
            raise InputError(f"the quantiles are {low:g} and {high:g}; give two numbers such as 0.1,0.9")

    @staticmethod
    def of_words(
        seed: int,
        steps: str | None,
        ratio: str | None = None,
        updates: int | None = None,
        runs: int | None = None,
        quantiles: str | None = None,
    ) -> SimulationRequest:
        """``steps``: ``"a"`` for a constant step, ``"a,t0,p"`` for a/(t + t0)^p, p = 1 if left out; ``quantiles``:
        ``"0.1,0.9"``.

        Raises :class:`InputError` for other words.
        """
        asked = SimulationRequest(seed)
        if updates is not None or runs is not None:
            asked = replace(asked, updates=updates or asked.updates, runs=runs or asked.runs)
        if quantiles is not None:
            ends = [float(number(part.strip(), "the quantiles")) for part in quantiles.split(",")]
            if len(ends) != 2:
                raise InputError(f"the quantiles are '{quantiles}'; give two numbers such as 0.1,0.9")
            asked = replace(asked, quantiles=(ends[0], ends[1]))
        if ratio is not None:
            asked = replace(asked, ratio=StepQuestion.of_words(LARGEST, ratio).ratio)
        if steps is None:
            return asked
        if steps.strip() == LARGEST:
            raise InputError("--steps largest names no step that runs could take; give --simulate a step of its own")
        exact = _exact_steps(steps)
        if len(exact) == 1:
            return replace(asked, steps=Constant(float(exact[0])))
        a, t0, p = (*map(float, exact), 1.0)[:3]
        return replace(asked, steps=Polynomial(a, t0, p))

    @property
    def times(self) -> tuple[int, ...]:
        """The updates after which errors are drawn, ten for each factor of ten, the last among them."""
        grid = (round(10 ** (k / 10)) for k in range(10 * len(str(self.updates))))
        return (*dict.fromkeys(t for t in grid if t < self.updates), self.updates)

    def step_sizes(self, model: Model, algorithm: str) -> StepSizes:
        """The steps of an algorithm on a model."""
        if self.steps is not None:
            return StepSizes(self.steps, replace(self.steps, a=float(self.ratio) * self.steps.a))
        powers = TWO_SCALES if scheduled(algorithm).two_scales else ONE_SCALE
        return StepSizes(*(_usual(model, p) for p in powers))

    def first_steps(self, model: Model) -> Step:
        """The first step sizes of any algorithm on a model; the others are in the ratio asked for."""
        return self.steps or _usual(model, ONE_SCALE[0])


@dataclass(frozen=True)
class PhaseAxes:
    """What a phase diagram is drawn over. ``x``: ``discount``, ``step`` or ``lambda``; ``y``: one of these, or
    ``schedule``; their values, in the order given, none for the usual ones. ``alpha``: the constant step where neither
    axis is one, None for that of the model; β = ``ratio`` α, as are all later step sizes. ``algorithms``: one panel for
    each, none for the usual ones. Raises :class:`InputError` for axes that make no diagram.
    """

    x: str = "discount"
    x_values: tuple[Fraction, ...] = ()
    y: str = "schedule"
    y_values: tuple[Fraction, ...] = ()
    alpha: Fraction | None = None
    ratio: Fraction = Fraction(10)
    algorithms: tuple[Algorithm, ...] = ()

    def __post_init__(self) -> None:
        for kind, known in ((self.x, AXES), (self.y, (*AXES, "schedule"))):
            if kind not in known:
                raise InputError(f"there is no axis '{kind}'; give {', '.join(known[:-1])} or {known[-1]}")
        if self.x == self.y or {self.x, self.y} == {"lambda", "schedule"}:
            raise InputError(f"the axes {self.x} and {self.y} make no diagram; give two that differ")
        if self.y == "schedule" and self.y_values:
            raise InputError("the rows of schedules are the candidates; name them by --candidates")
        for kind, values in ((self.x, self.x_values), (self.y, self.y_values)):
            if len(values) > MOST_VALUES or len(set(values)) < len(values):
                raise InputError(f"an axis has {len(values)} values; give at most {MOST_VALUES}, none of them twice")
            if kind == "step" and any(x <= 0 for x in values):
                raise InputError("a step of an axis is not above zero; give positive ones")
            if kind != "step" and not all(0 <= x <= 1 for x in values):
                raise InputError(f"a value of the axis {kind} is not between 0 and 1; give others")
        if self.alpha is not None and (self.alpha <= 0 or "step" in (self.x, self.y)):
            raise InputError("the step of the diagram must be above zero, and not given twice where it is an axis")
        if self.ratio <= 0:
            raise InputError(f"the ratio β/α is {self.ratio}; give a number above zero")

    @staticmethod
    def of_words(
        x: str | None, y: str | None, step: str | None, ratio: str | None, algorithms: str | None = None
    ) -> PhaseAxes:
        """Axes as ``"discount"`` or ``"step:0.01,0.1,1"``; algorithms as :func:`tdcert.algorithms.find` takes them.

        Raises :class:`InputError`.
        """
        usual = PhaseAxes()
        first, second = (_axis(text) if text else (None, ()) for text in (x, y))
        return PhaseAxes(
            first[0] or usual.x,
            first[1],
            second[0] or ("discount" if first[0] == "lambda" else usual.y),
            second[1],
            None if step is None else Fraction(number(step.strip(), "the step of the phase diagram")),
            usual.ratio if ratio is None else Fraction(number(ratio.strip(), "the ratio β/α")),
            () if algorithms is None else tuple(find(algorithms)),
        )


def _axis(text: str) -> tuple[str, tuple[Fraction, ...]]:
    kind, colon, content = text.partition(":")
    values = content.split(",") if colon else []
    return kind.strip(), tuple(Fraction(number(part.strip(), f"the axis {kind}")) for part in values)


@dataclass(frozen=True)
class Request:
    """How an analysis is to be made. ``arithmetic`` None: chosen by the size of the model. ``bits`` ≥ 53: the
    precision of enclosures, 53 meaning floats. ``command``: what makes the analysis again, for ``reproduce``; None
    where nothing does. ``experiment``: the runs asked for, None for none. ``phase_diagram``: whether one is to be
    drawn, with which ``axes``. ``steps``: those asked about. ``candidates``: schedules to compare with the model's own,
    None for the usual ones; ``lambda_sweep``: whether constant λ's are compared too; ``parts``: what is asked for.
    ``algorithms``: those that have rows, None for the paper's; ``ratio``: of their later step sizes to the first;
    ``certify``: whether their rows have certificates; ``budget``: of each part that is not ``named``, None for the
    usual one; ``robustness``: of what it is asked how far it may change (transitions, discount, behaviour, target);
    ``for_all``: what takes all values, None where nobody asked.
    Raises :class:`InputError` for fewer bits, and for more where no balls are computed with.
    """

    arithmetic: Arithmetic | None = None
    bits: int = FLOAT_BITS
    command: str | None = None
    experiment: SimulationRequest | None = None
    phase_diagram: bool = False
    steps: StepQuestion | None = None
    candidates: tuple[Schedule, ...] | None = None
    lambda_sweep: bool = False
    axes: PhaseAxes = PhaseAxes()
    parts: frozenset[Part] = frozenset(Part)
    algorithms: tuple[Algorithm, ...] | None = None
    ratio: Fraction = Fraction(1)
    certify: bool = False
    budget: Budget | None = None
    named: frozenset[Part] = frozenset()
    robustness: tuple[str, ...] = ()
    for_all: Varied | None = None

    def budget_of(self, part: Part) -> Budget:
        """The budget of a part, which has no bound where the part was named."""
        return UNBOUNDED if part in self.named else self.budget or USUAL

    @property
    def budget_of_steps(self) -> Budget:
        """The budget of constant steps under every schedule in floats, where they take most of a comparison's time."""
        largest = self.steps is not None and self.steps.a is None
        return UNBOUNDED if largest else self.budget or NOTHING

    def __post_init__(self) -> None:
        if not FLOAT_BITS <= self.bits <= MOST_BITS:
            raise InputError(f"{short(self.bits)} bits were asked for; give {FLOAT_BITS} to {MOST_BITS:,}")
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
        *,
        simulate: bool = False,
        seed: int | None = None,
        steps: str | None = None,
        ratio: str | None = None,
        updates: int | None = None,
        runs: int | None = None,
        quantiles: str | None = None,
        candidates: Iterable[str | Schedule] | None = None,
        lambda_sweep: bool = False,
        phase_diagram: bool = False,
        phase_x: str | None = None,
        phase_y: str | None = None,
        phase_step: str | None = None,
        phase_algorithms: str | None = None,
        what: str | None = None,
        algorithms: object = None,
        certify: bool = False,
        budget: str | float | None = None,
        robustness: str | bool | None = None,
        for_all: str | None = None,
    ) -> Request:
        """The request in words and numbers as users give them: ``tdcert analyze`` and ``tdcert.analyze`` alike.

        Raises :class:`InputError` for what is none of them, and for options whose purpose was not asked for.
        """
        names = [kind.value for kind in Arithmetic]
        if arithmetic is not None and arithmetic not in names:
            raise InputError(f"there is no arithmetic '{arithmetic}'; give {', '.join(names[:-1])} or {names[-1]}")
        varied = None if for_all is None else _varied(for_all)
        chosen = None if algorithms is None else tuple(find_all(algorithms))
        parts = parts_of(what)
        if what is None and chosen is not None:  # claims, schedules and warnings are about the paper's algorithms
            parts = frozenset({Part.VERDICT, *([Part.SCHEDULES] if candidates or lambda_sweep else [])})
        question = None if steps is None else StepQuestion.of_words(steps, ratio, seed or 0)
        axes = PhaseAxes.of_words(phase_x, phase_y, phase_step, ratio, phase_algorithms)
        constant, compared = question and question.constant, Part.SCHEDULES in parts
        unnamed = what is None and chosen is None
        for option, given, purpose, wanted in (
            ("--seed", seed, "--simulate, or one constant step of --steps", simulate or constant),
            (
                "--ratio",
                ratio,
                "--steps, --phase-diagram, --algorithms or --for-all",
                steps or phase_diagram or chosen or for_all,
            ),
            ("--updates", updates, "--simulate", simulate),
            ("--runs", runs, "--simulate", simulate),
            ("--quantiles", quantiles, "--simulate", simulate),
            ("--budget", budget, "an analysis without --what, or schedules", compared or lambda_sweep or unnamed),
            ("--phase-x", phase_x, "--phase-diagram", phase_diagram),
            ("--phase-y", phase_y, "--phase-diagram", phase_diagram),
            ("--phase-step", phase_step, "--phase-diagram", phase_diagram),
            ("--phase-algorithms", phase_algorithms, "--phase-diagram", phase_diagram),
            (
                "--candidates",
                candidates,
                "schedules, of --what or of --phase-diagram",
                compared or (phase_diagram and axes.y == "schedule"),
            ),
        ):
            if given is not None and not wanted:
                raise InputError(f"{option} is about {purpose}; give that too")
        compared_with = tuple(candidates or ())
        over = None if ratio is None else StepQuestion.of_words(LARGEST, ratio).ratio
        return Request(
            Arithmetic(arithmetic) if arithmetic else None,
            int(bits or FLOAT_BITS),
            command,
            SimulationRequest.of_words(seed or 0, steps, ratio, updates, runs, quantiles) if simulate else None,
            phase_diagram,
            question,
            candidate_schedules(compared_with) if candidates is not None else None,
            lambda_sweep,
            axes if axes.algorithms or chosen is None else replace(axes, algorithms=chosen),
            parts,
            chosen,
            Fraction(1) if over is None else over,
            certify,
            None if budget is None else Budget.of_words(budget),
            (frozenset() if what is None else parts) | (frozenset() if candidates is None else {Part.SCHEDULES}),
            changes_of(robustness),
            varied,
        )


def _varied(word: str) -> Varied:
    from tdcert.theory.engine.for_all_values import Varied

    if word not in [one.value for one in Varied]:
        raise InputError(f"all values of '{word}' are not asked about; give {', '.join(Varied)}")
    return Varied(word)


def changes_of(given: str | bool | None) -> tuple[str, ...]:
    """What is to change, in the order in which it is named between commas; transitions for True and for no name.

    Raises :class:`InputError` for another name.
    """
    if given is None or given is False:
        return ()
    from tdcert.theory.engine.perturbation import Change

    if given is True or not given.strip():
        return (Change.TRANSITIONS.value,)
    known = [one.value for one in Change]
    for name in (named := [name.strip() for name in given.split(",")]):
        if name not in known:
            raise InputError(f"robustness is not asked about '{name}'; give some of {', '.join(known)}")
    return tuple(dict.fromkeys(named))


def parts_of(what: str | None) -> frozenset[Part]:
    """The parts that are named between commas, and the verdict; all of them for None."""
    if what is None:
        return frozenset(Part)
    known = [part.value for part in Part]
    for name in (named := [name.strip() for name in what.split(",")]):
        if name not in known:
            raise InputError(f"an analysis has no part '{name}'; give some of {', '.join(known)}")
    return frozenset({Part.VERDICT, *map(Part, named)})


def candidate_schedules(given: Iterable[str | Schedule]) -> tuple[Schedule, ...]:
    """Schedules, or words as ``--schedule`` takes them, several in one text with spaces between; none twice.

    Raises :class:`InputError` for what is not a schedule, and for none or too many.
    """
    found: dict[Schedule, None] = {}
    for one in given:
        whole = isinstance(one, Schedule) or one.lstrip().startswith("{")
        for part in [one] if whole else str(one).split():
            found[part if isinstance(part, Schedule) else schedule_from_text(part, "the candidate")] = None
    if not found:
        raise InputError("no schedule was named as a candidate; give for example 'td0 n_step:3 constant:0.9'")
    if len(found) > MOST_CANDIDATES:
        raise InputError(f"{len(found)} schedules were named as candidates; give at most {MOST_CANDIDATES}")
    return tuple(found)


def _exact_steps(steps: str) -> list[Fraction]:
    """One to three numbers within floats. Raises :class:`InputError`."""
    found = [exact(part.strip()) for part in steps.split(",")]
    numbers = [Fraction(x) for x in found if not isinstance(x, Refused)]
    if not 1 <= len(numbers) == len(found) <= 3 or any(abs(x) > sys.float_info.max for x in numbers):
        raise InputError(f"the step sizes are {quoted(steps)}; give a number, or a,t0,p for a/(t + t0)^p")
    return numbers


def _usual(model: Model, p: float) -> Polynomial:
    """Steps with this power that begin near :func:`first_step`."""
    return Polynomial(_round(first_step(model) * T0**p), T0, p)


def first_step(model: Model) -> float:
    """1/(|φ|² Σ_k c_k γᵏ) for the largest |φ|, one update then moves a prediction about as far as its error says. With
    the largest λ where λ is given by state.
    """
    longest = float(np.max(np.sum(model.features.to_float() ** 2, axis=1)))
    gamma, by_state = float(largest_discount(model)), model.lambda_by_state
    tail = float(model.schedule.tail if by_state is None else max(by_state))
    if tail:
        remembered = 1 / max(1 - tail * gamma, 1 / (1 + model.n))
    else:
        remembered = float(sum(float(c) * gamma**k for k, c in enumerate(trace_weights(model.schedule.lambdas))))
    return 1 / max(longest * remembered, 1e-300)


def step_text(step: object) -> str:
    """The step in the form that people write."""
    if isinstance(step, Polynomial):
        return f"{step.a:g}/(t + {step.t0:g})^{step.p:g}"
    assert isinstance(step, Constant)
    return f"{step.a:g}"


def _round(value: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is not above."""
    unit = 10.0 ** floor(log10(value))
    return max(k * unit for k in (1, 2, 5) if k * unit <= value or k == 1)
