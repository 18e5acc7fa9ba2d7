"""A row of an analysis: what one algorithm does on one recurrent class. All algorithms have rows of this one type.

Those of the paper's algorithms, which an analysis has unless it is asked about others, are known from its facts.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from tdcert.algorithms import named, under
from tdcert.algorithms.schedules import applicable
from tdcert.analysis.facts import AlgorithmDynamics, ModelFacts, Quantity, Values
from tdcert.analysis.request import Arithmetic
from tdcert.theory.arithmetic import BallMatrix, RationalMatrix
from tdcert.theory.arithmetic.float_enclosures import MidRadMatrix
from tdcert.theory.check.fixed_point import Rest
from tdcert.theory.engine.declare import Algorithm

if TYPE_CHECKING:
    from tdcert.theory.check.step_size_ratio import RatioInterval
    from tdcert.theory.enclose.safe_steps import StepBracket
    from tdcert.theory.engine.decreasing import AtDecreasing
    from tdcert.theory.engine.error_bound import ErrorBound
    from tdcert.theory.engine.finite_times import AtTime
    from tdcert.theory.engine.growth import Growth
    from tdcert.theory.engine.noise import Noise
    from tdcert.theory.laws.mean_square import LargestStep
    from tdcert.theory.verdict import Certificate, Sign


@dataclass(frozen=True)
class AtConstantStep:
    """Differences of two runs, all step sizes equal to ``alpha``: −1 they die out, 1 they grow from some start, 0 the
    mean does neither, None undecided, and why. ``moments``: of the parameters after the first updates, from ones, s_0
    uniform on the class; those times for which they were computed. ``under_way``: mean and mean square of runs under
    way, where these differ from those from time zero (:mod:`tdcert.theory.laws.step_signs`). ``has_one_law``: whether
    mean square shows that runs have one stationary law.
    """

    alpha: Fraction
    mean: Sign
    mean_square: Sign
    why: str
    moments: tuple[AtTime, ...] = ()
    under_way: tuple[Sign, Sign] | None = None
    has_one_law: bool = False


@dataclass(frozen=True)
class AlgorithmRow:
    """One algorithm on one recurrent class, its later step sizes in the ratio asked about to the first, 1 by default.

    ``verdict``: of the mean dynamics; ``slow_and_fast``: of those on two time scales, the first step size being the
    slow one. ``why_not``: why there are none, empty where there are; then all that follows them is None.
    ``label``: its name, with the options that were given; ``features``: d; ``bits``: of the balls that enclose the row;
    ``files``: of its certificates, in a report. What nobody asked about is None too: the rows of an analysis of a
    whole model hold what its facts hold. ``first_order``: whether the mean dynamics, and what follows them, are those
    for steps → 0, by the first order of an update that is not linear in its steps.
    ``memory_mean``, ``memory_square``: whether the memory's first and second moments are finite, None undecided.
    ``moments``: E m (M×1) and E mmᵀ (M×M) where they were computed. ``error_squared``: ‖Φθ* − V‖²_D, V what it is
    declared to estimate; ``bound``: what the paper's theorem says that it is at most, or which hypothesis fails;
    ``noise``: at rest, and ``variance``: t times E‖Φ(θ̄ − θ*)‖²_D of averages θ̄ over t updates
    in the limit, or ``why_no_noise``.
    Enclosed numbers are balls, or floats with radii, one by itself a 1×1 matrix.
    ``largest``: the largest constant step in mean square (a bracket by single steps where the update is not linear in
    them), or ``why_no_largest``, and ``growth`` where there is none; ``at_step``, ``decreasing``: what the steps do
    that were asked about;
    ``safe``: a step up to which differences of two runs die out in mean square, where the largest is not known.
    """

    algorithm: Algorithm
    states: tuple[int, ...]
    why_not: str = ""
    first_order: bool = False
    memory_mean: bool | None = None
    memory_square: bool | None = None
    verdict: AlgorithmDynamics | None = None
    slow_and_fast: AlgorithmDynamics | None = None
    ratios: tuple[RatioInterval, ...] | None = None
    rest: Rest | None = None
    moments: tuple[RationalMatrix, RationalMatrix] | tuple[BallMatrix, BallMatrix] | None = None
    error_squared: Fraction | BallMatrix | MidRadMatrix | Quantity | None = None
    bound: ErrorBound | str | None = None
    noise: Noise | None = None
    variance: Fraction | BallMatrix | None = None
    why_no_noise: str = ""
    largest: LargestStep | StepBracket | None = None
    why_no_largest: str = ""
    growth: Growth | None = None
    safe: Fraction | None = None
    at_step: AtConstantStep | None = None
    decreasing: AtDecreasing | None = None
    certificates: tuple[Certificate, ...] = ()
    label: str = ""
    features: int = 0
    bits: int | None = None
    files: tuple[str, ...] = ()

    @property
    def answer(self) -> AlgorithmDynamics | None:
        """The mean dynamics that the algorithm is meant for: on two time scales, or at the ratio asked about."""
        apart = self.algorithm.two_scales and self.slow_and_fast is not None
        return self.slow_and_fast if apart else self.verdict

    @property
    def parameters(self) -> dict[str, Values]:
        """Where each parameter rests, all its entries in a column; empty where that is not determined."""
        found, at = dict[str, Values](), 0
        whole = None if self.rest is None else values_of(self.rest.parameters)
        for slot in self.algorithm.slots(self.features)[0] if whole is not None else ():
            rows = slice(at, at := at + slot.size)
            if isinstance(whole, RationalMatrix) and at <= whole.shape[0]:
                found[slot.name] = whole.take(rows=range(rows.start, at))
            elif isinstance(whole, tuple) and at <= len(whole[0]):
                found[slot.name] = whole[0][rows], whole[1][rows]
        return found

    @property
    def theta_star(self) -> Values | None:
        """Where the first parameter as long as φ rests, or else the first; None where that is not determined."""
        found = self.parameters
        slots = [slot for slot in self.algorithm.slots(self.features)[0] if slot.name in found]
        like_features = [slot.name for slot in slots if slot.shape == (self.features,)]
        return next((found[name] for name in (*like_features, *found)), None)

    @property
    def predictions(self) -> Values | None:
        """Φθ* at the states of the class; None where it is not determined."""
        return None if self.rest is None else values_of(self.rest.predictions)

    @property
    def error(self) -> Quantity | None:
        """‖Φθ* − V‖²_D for the V that the algorithm estimates."""
        known = self.error_squared
        return known if isinstance(known, Quantity) else Quantity.of(known)


def values_of(found: RationalMatrix | BallMatrix | MidRadMatrix | Values | None) -> Values | None:
    """A matrix as the facts of an analysis hold it."""
    return (found.to_float(), found.radius()) if isinstance(found, BallMatrix | MidRadMatrix) else found


def rows_of_facts(facts: ModelFacts) -> tuple[AlgorithmRow, ...]:
    """The rows of the paper's algorithms that say something of their own on a model, from what is known of it."""
    model, found = facts.model, list[AlgorithmRow]()
    for part in facts.classes:
        # where actions are not covered, A and θ* are those of the theorem, and the algorithm does something else
        rest = None if facts.missing else Rest(part.theta_star, part.values_at_fixed_point)
        for name in applicable(model):
            known, algorithm = part.algorithms.get(name), under(named(name), model.schedule)[0]
            found.append(
                AlgorithmRow(
                    algorithm,
                    part.states,
                    why_not="" if known else "nothing is known of it",
                    verdict=None if algorithm.two_scales else known,
                    slow_and_fast=known if algorithm.two_scales else None,
                    rest=rest,
                    error_squared=None if facts.missing else part.fixed_point_error_squared,
                    label=name,
                    features=model.d,
                    files=(known.certificate,) if known and known.certificate else (),
                )
            )
    return tuple(found)


@dataclass(frozen=True)
class Rows:
    """``notes``: what was taken for granted.
    ``bits``: of the numbers that enclose the answers; None where they are exact.
    """

    rows: tuple[AlgorithmRow, ...]
    notes: tuple[str, ...] = ()
    bits: int | None = None
    arithmetic: Arithmetic = Arithmetic.EXACT
