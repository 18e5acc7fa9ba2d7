r"""How far a model may change before mean dynamics have another verdict: a certified radius, and a counter-model.

What changes is one of four (:mod:`tdcert.theory.engine.perturbation`): transitions, the discount, the behaviour policy,
the target policy; all of them are laws, and *every* model is meant whose laws are within ε of those of the given one in
total variation, with coverage kept. "The verdict holds there" means: on every recurrent class it is that of the model.

*From below.* All mean matrices at once are enclosed (:mod:`tdcert.theory.engine.around`), and one Lyapunov form decides
them. The radius is found by halving and bisection; each step stands on its own, and the last one that was certified is
told. Where one number changes, the discount of a model that has one, intervals are certified one behind the other, to
both sides.

*From above.* A counter-model is searched for in floats, along the laws by which the abscissa moves fastest, and decided
exactly. The simplest fraction between what is no counter-model and what is one is tried last.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from tdcert.theory.arithmetic.ball import precision
from tdcert.theory.check.mean_matrix import Dynamics, MeanDynamics
from tdcert.theory.check.step_size_ratio import simplest_between
from tdcert.theory.enclose.mean_matrix import is_stable
from tdcert.theory.engine.around import Around, Tracing, UnboundedError
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.dynamics import Decided, at_ratios, quotient, time_scales, two_time_scales
from tdcert.theory.engine.first_order import with_mean_dynamics
from tdcert.theory.engine.perturbation import KINDS, Change, Key, Perturbation, Row
from tdcert.theory.errors import BudgetExceededError, InputError, SingularMatrixError
from tdcert.theory.limits import COUNTER_ENTRIES, ROBUST_STATES, LimitError, beyond, multiple, raised
from tdcert.theory.model.mdp import Model

BITS = 96
"""Precision of the balls: their roundings are far below every radius that is asked about."""
SMALLEST = Fraction(1, 2**20)
"""The smallest radius that is tried."""
BISECTIONS = 7
"""Steps between a radius that is certified and one that is not."""
MARCH = 100
"""Most intervals of one number that are tried to each side."""
NUDGE = Fraction(1, 2**12)
"""How much mass moves where the search looks how fast the abscissa moves; nothing is decided by it."""
KEPT = Fraction(1, 2**10)
"""The part that the search leaves of a probability that has to stay positive."""
ROUNDS = 2
"""How often the search looks again, from the model it found."""
DECIDED = (MeanDynamics.STABLE, MeanDynamics.UNSTABLE)
ONE = Fraction(1)
Slopes = Mapping[Key, Any]
"""How fast the abscissa moves with each outcome of each law."""


def differ(verdict: MeanDynamics, other: MeanDynamics) -> bool:
    """Whether another verdict, once it is decided, says otherwise: predictions that converge modulo the null space of
    features that became dependent on a class still converge.
    """
    return other is not MeanDynamics.UNDECIDED and other is not verdict and not (verdict.is_stable and other.is_stable)


@dataclass(frozen=True)
class CounterModel:
    """A model whose laws are within ``distance`` of those of another in total variation, one of them at exactly that
    distance, and its ``verdict`` on the recurrent class ``states``, decided exactly.
    """

    distance: Fraction
    model: Model
    states: tuple[int, ...]
    verdict: MeanDynamics


@dataclass(frozen=True)
class Robustness:
    """``verdict`` holds for all models whose laws of this ``change`` are ``within`` that distance in total variation; 0
    where nothing is certified around the model. ``counter``: a model at some distance where it does not, None where
    none was found. ``why_within``, ``why_counter``: why one of them is missing; empty where it is not.
    """

    verdict: MeanDynamics
    within: Fraction
    counter: CounterModel | None
    why_within: str = ""
    why_counter: str = ""
    change: Change = Change.TRANSITIONS

    @property
    def why(self) -> str:
        """What is missing; empty where nothing is."""
        return "; ".join(part for part in (self.why_within, self.why_counter) if part)

    def certified(self, within: Fraction) -> Robustness:
        """The answer where the verdict is also known to hold ``within`` another distance."""
        return self if within <= self.within else replace(self, within=within, why_within="")

    def __post_init__(self) -> None:
        if self.verdict not in DECIDED or not 0 <= self.within <= 1:
            raise InputError("a robust verdict is stable or unstable, within a distance from 0 to 1")
        counter = self.counter
        if counter is not None and (counter.distance <= self.within or not differ(self.verdict, counter.verdict)):
            raise InputError("a counter-model has another verdict, beyond the distance within which it holds")


def dynamics_on(
    model: Model, algorithm: Algorithm, states: tuple[int, ...], ratios: Sequence[Fraction], apart: bool
) -> Decided:
    """The exact mean dynamics on a recurrent class. Raises as :func:`with_mean_dynamics`."""
    found = with_mean_dynamics(model, algorithm, states)
    decided = two_time_scales(found) if apart else at_ratios(found, ratios)
    return decided or Dynamics(MeanDynamics.UNDECIDED, "there is one step size")


@dataclass(frozen=True)
class Asked:
    """An algorithm, the ``ratios`` of its step sizes to the first, and whether two scales are meant (``apart``)."""

    algorithm: Algorithm
    ratios: Sequence[Fraction]
    apart: bool = False

    def verdict(self, model: Model, states: tuple[int, ...]) -> MeanDynamics:
        """The exact verdict on a recurrent class. Raises as :func:`with_mean_dynamics`."""
        return dynamics_on(model, self.algorithm, states, self.ratios, self.apart).mean_dynamics

    def holds(self, found: Around, verdict: MeanDynamics) -> bool:
        """Whether the verdict is shown for all models at once; False refutes nothing."""
        with precision(BITS):
            try:
                if not found.has_mean or (self.apart and not found.is_regular):
                    return False
                return self._is_stable(found) is (verdict is MeanDynamics.STABLE)
            except (BudgetExceededError, SingularMatrixError, UnboundedError):
                return False

    def _is_stable(self, found: Around) -> bool | None:
        """What :func:`at_ratios` and :func:`two_time_scales` decide, without rates."""
        if not self.apart:
            J = quotient(found, self.ratios)
            return None if J is None else is_stable(J, BITS)
        scales = time_scales(found)
        if isinstance(scales, str):
            return None
        fast = is_stable(scales.fast, BITS)
        if fast is not True:
            return fast
        return None if scales.slow is None else is_stable(scales.slow, BITS)


def robustness(
    model: Model,
    algorithm: Algorithm,
    ratios: Sequence[Fraction],
    apart: bool = False,
    change: Change = Change.TRANSITIONS,
) -> Robustness | str:
    """How far a model may change before an algorithm has another verdict, or why that is not known.

    ``ratios``: of the step sizes to the first; ``apart``: the verdict is that of two time scales.
    """
    asked, classes = Asked(algorithm, ratios, apart), model.classes
    if len(classes) != 1:
        return f"the behaviour chain has {len(classes)} recurrent classes; the radius is of models with one"
    perturbation = KINDS[change](model)
    if perturbation.refusal:
        return perturbation.refusal
    try:
        verdict = asked.verdict(model, classes[0])
    except (BudgetExceededError, InputError) as error:
        return str(error)
    if verdict not in DECIDED:
        return f"the verdict is {str(verdict).replace('_', ' ')}: only stable and unstable ones have a radius"
    within, why = radius(perturbation, asked, verdict)
    counter, missing = counter_model(perturbation, asked, verdict, within)
    return Robustness(verdict, within, counter, why, missing, change)


def require_few_states(perturbation: Perturbation) -> None:
    """Raises :class:`LimitError` beyond :data:`ROBUST_STATES` states."""
    n = perturbation.model.n
    if n > raised(ROBUST_STATES):
        said = f"models around one are decided up to {raised(ROBUST_STATES)} states, and there are {n}"
        raise LimitError(said, multiple(n, ROBUST_STATES))


def radius(perturbation: Perturbation, asked: Asked, verdict: MeanDynamics) -> tuple[Fraction, str]:
    """The largest radius that was certified, and why there is none."""
    try:
        require_few_states(perturbation)
    except LimitError as error:
        return Fraction(0), str(error)
    tracing = Tracing(perturbation, asked.algorithm)

    def holds(epsilon: Fraction, of: Perturbation = perturbation) -> bool:
        try:
            return asked.holds(Around.of(tracing.at(epsilon, of), epsilon), verdict)
        except BudgetExceededError:  # too many cases
            return False

    try:
        found = _march(perturbation, holds) if set(perturbation.rows) == {()} else _bisect(holds)
    except InputError as error:
        return Fraction(0), f"no enclosure over many models: {error}"
    return found, "" if found else f"balls of radius {SMALLEST} around what changes do not decide"


def holds_within(perturbation: Perturbation, asked: Asked, verdict: MeanDynamics, epsilon: Fraction) -> bool:
    """Whether a verdict is shown for all models within ``epsilon``; False refutes nothing. Raises
    :class:`BudgetExceededError` beyond :data:`ROBUST_STATES` states or too many cases, and :class:`InputError` where
    there is no enclosure.
    """
    require_few_states(perturbation)
    return asked.holds(Around.of(Tracing(perturbation, asked.algorithm).at(epsilon), epsilon), verdict)


def _bisect(holds: Callable[[Fraction], bool]) -> Fraction:
    """The largest radius that was found to hold; 0 for none."""
    low, high = ONE, ONE
    while not holds(low):
        low, high = low / 2, low
        if low < SMALLEST:
            return Fraction(0)
    for _ in range(BISECTIONS if low < high else 0):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _march(perturbation: Perturbation, holds: Callable[[Fraction, Perturbation], bool]) -> Fraction:
    """The radius of one number q: intervals are shown one behind the other, from q to both sides."""
    q, reached = perturbation.rows[()][0], [ONE]
    for sign, end in ((-1, Fraction(0)), (1, ONE)):
        at, step = q, abs(end - q)
        for _ in range(MARCH):
            if at == end or step < max(SMALLEST, abs(at - q) / 2**BISECTIONS):
                break
            to = at + sign * min(step, abs(end - at))
            middle = (at + to) / 2
            if holds(abs(to - at) / 2, type(perturbation)(perturbation.moved({(): (middle, 1 - middle)}))):
                at, step = to, 2 * step
            else:
                step /= 2
        if at != end:
            reached.append(abs(at - q))
    return min(reached)


# ---- counter-models -------------------------------------------------------------------------------


def counter_model(
    perturbation: Perturbation, asked: Asked, verdict: MeanDynamics, within: Fraction
) -> tuple[CounterModel | None, str]:
    """A model near by with another verdict, and why there is none."""
    entries = sum(map(len, perturbation.rows.values()))
    if entries > raised(COUNTER_ENTRIES):
        refusal = f"a counter-model is sought along up to {raised(COUNTER_ENTRIES)} entries of {perturbation.change}"
        return None, beyond(f"{refusal}, and there are {entries}", multiple(entries, COUNTER_ENTRIES))
    sign = 1 if verdict is MeanDynamics.STABLE else -1
    best: CounterModel | None = None

    def at(slopes: Slopes, epsilon: Fraction) -> CounterModel | None:
        moved = _moved(perturbation, slopes, epsilon)
        for states in moved.classes:
            try:
                found = asked.verdict(moved, states)
            except (BudgetExceededError, InputError):
                continue
            if differ(verdict, found):
                return CounterModel(perturbation.distance(moved), moved, states, found)
        return None

    here = perturbation
    for _ in range(ROUNDS):
        slopes = _slopes(here, asked, sign)
        low, high = within, best
        if high is None:
            epsilon = max(within, Fraction(1, 1024))
            while high is None and low < 1:
                high = at(slopes, epsilon)
                low, epsilon = (low if high is not None else epsilon), min(ONE, epsilon * 5 / 4)
        if high is None:
            break
        for _ in range(12):
            middle = ((low + high.distance) / 2).limit_denominator(2**14)
            if not low < middle < high.distance:
                break
            found = at(slopes, middle)
            low, high = (middle, high) if found is None else (low, found)
        if low < high.distance:
            high = at(slopes, simplest_between(low, high.distance)) or high
        best = high
        here = type(perturbation)(high.model)
    return best, "" if best else "no counter-model was found, which says nothing about whether there is one"


def _moved(perturbation: Perturbation, slopes: Slopes, epsilon: Fraction) -> Model:
    """Every law moved by ε at most: mass goes from where the slope is lowest to where it is highest."""
    made = dict[Key, Row]()
    for key, row in perturbation.rows.items():
        may = [k for k in range(len(row)) if perturbation.may_happen(key, k)]
        new, left, slope = list(row), epsilon, slopes[key]
        to = max(may, key=lambda k: slope[k])
        for k in sorted(may, key=lambda k: slope[k]):
            most = new[k] * (1 - KEPT) if perturbation.must_happen(key, k) else new[k]
            taken = min(left, most) if slope[k] < slope[to] else Fraction(0)
            new[k], new[to], left = new[k] - taken, new[to] + taken, left - taken
        made[key] = tuple(new)
    return perturbation.moved(made)


def _slopes(perturbation: Perturbation, asked: Asked, sign: int) -> Slopes:
    """How fast ``sign`` times the abscissa moves, in floats, as a law moves towards each of its outcomes."""
    start, found = _abscissa(perturbation.model, asked), dict[Key, Any]()
    for key, row in perturbation.rows.items():
        found[key] = np.zeros(len(row))
        for k in (k for k in range(len(row)) if perturbation.matters(key) and perturbation.may_happen(key, k)):
            towards = [x + NUDGE * (int(j == k) - x) for j, x in enumerate(row)]
            there = _abscissa(perturbation.moved({**perturbation.rows, key: towards}), asked)
            found[key][k] = sign * (there - start) / float(NUDGE)
    return found


def _abscissa(model: Model, asked: Asked) -> float:
    """The largest real part of an eigenvalue, in floats; 0 where there is no matrix. A proposal alone."""
    try:
        found = with_mean_dynamics(model, asked.algorithm, model.classes[0])
        scales = time_scales(found) if asked.apart else None
        J = quotient(found, asked.ratios) if scales is None else None if isinstance(scales, str) else scales.slow
    except (BudgetExceededError, InputError):
        return 0.0
    return 0.0 if J is None else float(np.max(np.linalg.eigvals(J.to_float()).real))
