"""What :func:`tdcert.analyze` returns: an analysis to work with in Python.

Every number stands in three ways: ``found.A`` as the nearest floats, ``found.exact.A`` as fractions, and
``found.enclosed.A`` with a radius, within which the true number lies in every arithmetic. The JSON document is
``found.to_dict()``, and ``found["A"]`` reads it by its keys.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial
from html import escape
from math import inf, nextafter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from tdcert.algorithms.schedules import OFF_POLICY_TD, PAPER, TD, TITLES, applicable
from tdcert.analysis import at_step
from tdcert.analysis.advice.compared_schedules import Compared
from tdcert.analysis.advice.warnings import Warned
from tdcert.analysis.analyse import numbers_of_any_length
from tdcert.analysis.facts import AlgorithmDynamics, ClaimAnswer, ClassFacts, Quantity, Values
from tdcert.analysis.result import AnalysisResult
from tdcert.analysis.row import AlgorithmRow
from tdcert.reports import answer_words, step_words
from tdcert.reports.analysis_document import FORMAT
from tdcert.reports.analysis_json import analysis_document, digest_of
from tdcert.reports.documents import Row
from tdcert.reports.earlier_formats import as_format
from tdcert.reports.labels import MEAN_DYNAMICS, STATUSES
from tdcert.reports.lookups import ByName, MissingKeyError, Named, WithNames, sentence
from tdcert.reports.tabled import Tabled
from tdcert.reports.terminal import printable
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.errors import InputError
from tdcert.theory.extras import require
from tdcert.theory.files.schedule_forms import schedule_option
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.sparse_model import SparseModel
from tdcert.theory.verdict import Grade, Status
from tdcert.theory.words import counted

if TYPE_CHECKING:
    from tdcert.analysis.for_all import ForAll, ForAllRow
    from tdcert.analysis.robustness import RobustRow
    from tdcert.reports.analysis_plots import Plots
    from tdcert.theory.check.stable_values import Stretch

Floats = NDArray[np.float64]

LINES = 20
"""Most lines that ``print`` shows."""
SHOWN = 6
"""Most entries of a vector that are shown."""
SHORT = 4
"""Most algorithms, and entries of θ*, in one line."""


@dataclass(frozen=True)
class Enclosed(WithNames):
    """A number, or an array of numbers, that lies within ``radius`` of ``mid``.

    ``exact``: the fraction, or the array of fractions, where it is known; None in enclosures. ``float()`` reads the
    number, NumPy the midpoints, and an index gives an entry.
    """

    mid: Any
    radius: Any
    exact: Any = None

    @staticmethod
    def _of(quantity: Quantity | None) -> Enclosed | None:
        """A number of the analysis; None for None."""
        if quantity is None:
            return None
        if quantity.enclosure is not None:
            return Enclosed(*quantity.enclosure)
        return Enclosed(*_nearest(quantity.lower), quantity.lower)

    @staticmethod
    def between(low: Fraction | float, high: Fraction | float) -> Enclosed:
        """A number between two ends."""
        a, b = Fraction(low), Fraction(high)
        mid, off = _nearest((a + b) / 2)
        return Enclosed(mid, _up((b - a) / 2 + Fraction(off)), a if a == b else None)

    @property
    def lower(self) -> Any:
        """A float, or floats, not above the number."""
        return self._end(np.nextafter(self.mid - self.radius, -inf))

    @property
    def upper(self) -> Any:
        """A float, or floats, not below the number."""
        return self._end(np.nextafter(self.mid + self.radius, inf))

    def _end(self, rounded: Any) -> Any:
        """An end that was rounded outward, the midpoint itself where the radius is zero."""
        found = np.where(np.asarray(self.radius) == 0, self.mid, rounded)
        return found if found.ndim else float(found)

    def __float__(self) -> float:
        return float(self.mid)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Floats:
        return np.array(self.mid, dtype=dtype)

    def __getitem__(self, index: Any) -> Enclosed:
        if not np.ndim(self.mid):
            raise InputError("one number has no entries; read it with float()")
        try:
            exact = None if self.exact is None else self.exact[index]
            mid, radius = self.mid[index], self.radius[index]
            return Enclosed(mid, radius, exact) if np.ndim(mid) else Enclosed(float(mid), float(radius), exact)
        except (IndexError, TypeError, ValueError) as error:
            raise InputError(f"there is no such entry in an array of shape {np.shape(self.mid)} ({error})") from None

    def __len__(self) -> int:
        return len(np.atleast_1d(self.mid))

    def __iter__(self) -> Iterator[Enclosed]:
        return (self[i] for i in range(len(self)))

    def __str__(self) -> str:
        if self.exact is not None and not np.ndim(self.mid):
            return str(self.exact) if len(str(self.exact)) <= 24 else f"{self.mid:.6g}"
        return printable(f"{self.mid} ± {self.radius}")


def _nearest(value: Fraction) -> tuple[float, float]:
    """The nearest float, infinite beyond their range, and a bound of how far the fraction is from it."""
    try:
        mid = value.numerator / value.denominator
    except OverflowError:
        return (inf if value > 0 else -inf), inf
    return mid, _up(abs(value - Fraction(mid)))


def _up(value: Fraction) -> float:
    """A float that is not below."""
    try:
        near = value.numerator / value.denominator
    except OverflowError:
        return inf
    return near if Fraction(near) >= value else nextafter(near, inf)


# ---- arrays of a recurrent class ------------------------------------------------------------------

ARRAYS = ("stationary", "A", "b", "C", "theta_star", "values_at_fixed_point", "value")
"""The names of the arrays of an analysis; a recurrent class has all but ``value``."""


def _enclosed(values: Values | None, is_column: bool) -> Enclosed | None:
    if values is None:
        return None
    if isinstance(values, RationalMatrix):
        shape = (values.shape[0],) if is_column else values.shape
        entries = [x for row in values.rows for x in row]
        exact = np.empty(len(entries), dtype=object)
        exact[:] = entries
        both = np.array([_nearest(x) for x in entries], dtype=np.float64).reshape(-1, 2)
        return Enclosed(both[:, 0].reshape(shape), both[:, 1].reshape(shape), exact.reshape(shape))
    mid, radius = (np.array(part, dtype=np.float64) for part in values)
    return Enclosed(mid.ravel(), radius.ravel()) if is_column else Enclosed(mid, radius)


class _Arrays:
    """Arrays by name, each made when it is first asked for."""

    def __init__(self, sources: Mapping[str, Callable[[], Values | None]]) -> None:
        self._sources, self._made = sources, dict[str, Enclosed | None]()

    def get(self, name: str) -> Enclosed | None:
        if name not in self._made:
            self._made[name] = _enclosed(self._sources[name](), name not in ("A", "C"))
        return self._made[name]


class AllExact(WithNames):
    """Arrays as fractions (NumPy arrays of :class:`fractions.Fraction`); None for what does not exist."""

    def __init__(self, arrays: _Arrays, arithmetic: str) -> None:
        self._arrays, self._arithmetic = arrays, arithmetic

    def __getattr__(self, name: str) -> Any:
        if name not in ARRAYS:
            raise AttributeError(sentence("array", name, ARRAYS))
        if self._arithmetic != "exact":
            raise InputError(
                f"this analysis is in {self._arithmetic} arithmetic and has no fractions; read .enclosed.{name}, or "
                'give arithmetic="exact"'
            )
        found = self._arrays.get(name)
        return None if found is None else found.exact

    def __dir__(self) -> list[str]:
        return list(ARRAYS)


class AllEnclosed(WithNames):
    """Arrays as :class:`Enclosed`; None for what does not exist, or is not known."""

    def __init__(self, arrays: _Arrays) -> None:
        self._arrays = arrays

    def __getattr__(self, name: str) -> Enclosed | None:
        if name not in ARRAYS:
            raise AttributeError(sentence("array", name, ARRAYS))
        return self._arrays.get(name)

    def __dir__(self) -> list[str]:
        return list(ARRAYS)


class _WithArrays(WithNames):
    """The properties that an analysis and a recurrent class share."""

    _arrays: _Arrays
    _arithmetic: str

    def _floats(self, name: str) -> Floats | None:
        found = self._arrays.get(name)
        return None if found is None else np.array(found.mid)

    @property
    def stationary(self) -> Floats | None:
        """The stationary law of the behaviour policy (n,)."""
        return self._floats("stationary")

    @property
    def A(self) -> Floats | None:
        """A = −ΦᵀD(I − M)Φ (d×d): TD's mean update is Aθ + b."""
        return self._floats("A")

    @property
    def b(self) -> Floats | None:
        """b (d,)."""
        return self._floats("b")

    @property
    def C(self) -> Floats | None:
        """C = ΦᵀDΦ (d×d)."""
        return self._floats("C")

    @property
    def theta_star(self) -> Floats | None:
        """θ* = −A⁻¹b (d,); None where A is singular."""
        return self._floats("theta_star")

    @property
    def values_at_fixed_point(self) -> Floats | None:
        """Φθ* (n,), wherever it is unique."""
        return self._floats("values_at_fixed_point")

    @property
    def exact(self) -> AllExact:
        """The arrays as fractions: ``found.exact.A``. Raises :class:`InputError` in other arithmetics."""
        return AllExact(self._arrays, self._arithmetic)

    @property
    def enclosed(self) -> AllEnclosed:
        """The arrays with a radius, in every arithmetic: ``found.enclosed.A``."""
        return AllEnclosed(self._arrays)


# ---- parts of an analysis -------------------------------------------------------------------------


@dataclass(frozen=True)
class AlgorithmView(WithNames):
    """What one algorithm does on one recurrent class.

    ``mean_dynamics``: ``stable``, ``stable_modulo_null_space``, ``unstable``, ``marginal`` or ``undecided``, None where
    there are none, and ``reason`` says why; ``matrix``: which one decides, in words; ``rate``: its spectral abscissa
    (per unit of Σα), None where it is not known; ``reason``: why, in a sentence. ``words``: does it converge, and how
    fast. ``theta_star``, ``predictions``: where it rests, and Φθ there; ``error_squared``: ‖Φθ* − V‖²_D; ``variance``:
    t times the variance of averages of predictions over t updates; ``largest_step``: a constant step up to which the
    mean square stays bounded, ``grows_at``: one at which it does not. All of these are None where they were not asked
    for, do not exist or are not known.
    """

    name: str
    mean_dynamics: MeanDynamics | None
    matrix: str | None
    rate: Enclosed | None
    reason: str
    words: str = ""
    two_time_scales: MeanDynamics | None = None
    theta_star: Enclosed | None = None
    predictions: Enclosed | None = None
    error_squared: Enclosed | None = None
    variance: Enclosed | None = None
    largest_step: Enclosed | None = None
    grows_at: Enclosed | None = None

    @staticmethod
    def _of(name: str, row: AlgorithmDynamics) -> AlgorithmView:
        """The view of mean dynamics."""
        rate = None if row.rate is None else Enclosed.between(*row.rate)
        return AlgorithmView(name, row.mean_dynamics, row.matrix, rate, row.reason)

    @staticmethod
    def _of_row(name: str, row: AlgorithmRow) -> AlgorithmView:
        """The view of a row."""
        found, largest = row.answer, row.largest
        upto = row.safe if largest is None else largest.upto or None
        above = None if largest is None else largest.high
        return AlgorithmView(
            name,
            None if found is None else found.mean_dynamics,
            None if found is None else found.matrix,
            None if found is None or found.rate is None else Enclosed.between(*found.rate),
            row.why_not if found is None else found.reason,
            answer_words.in_one_line(row),
            None if row.slow_and_fast is None else row.slow_and_fast.mean_dynamics,
            _enclosed(row.theta_star, True),
            _enclosed(row.predictions, True),
            Enclosed._of(row.error),
            Enclosed._of(Quantity.of(row.variance)),
            None if upto is None else Enclosed(*_nearest(upto), upto),
            None if above is None else Enclosed(*_nearest(above), above),
        )

    @property
    def is_stable(self) -> bool:
        """Whether predictions converge, in the mean and for small steps."""
        return self.mean_dynamics is not None and self.mean_dynamics.is_stable

    def __str__(self) -> str:
        title = TITLES.get(self.name, self.name)
        if self.mean_dynamics is None:
            return printable(f"{title}: no mean dynamics")
        sign, words, _ = MEAN_DYNAMICS[self.mean_dynamics]
        return printable(f"{title} {sign} {words}")


@dataclass(frozen=True)
class ClaimOnModel(WithNames):
    """A statement of the paper, in its corrected reading, asked of the model. ``violated``: hypotheses, by id."""

    id: str
    status: Status
    grade: Grade | None
    violated: tuple[str, ...]
    detail: str

    @staticmethod
    def _of(answer: ClaimAnswer) -> ClaimOnModel:
        """The view of a claim's answer."""
        said = answer.verdict
        return ClaimOnModel(answer.id, said.status, said.grade, tuple(said.violated), said.detail)


@dataclass(frozen=True)
class ComparedSchedule(WithNames):
    """A schedule's numbers on the model; None where one is not known, with the reason under its name in ``missing``.

    ``own``: whether it is the model's; ``option``: as ``schedule=`` takes it; ``kappa``: κ = Σ w_n γⁿ;
    ``error_squared``: ‖Φθ* − V‖²_D; ``bound_squared``: what theory guarantees of it; ``variance``: of averaged
    iterates, asymptotic; ``largest_step``: a constant step of TD at which the mean square stays bounded, with all below
    it.
    """

    name: str
    own: bool
    option: str
    kappa: Enclosed | None
    error_squared: Enclosed | None
    bound_squared: Enclosed | None
    variance: Enclosed | None
    trace_second_moment: Enclosed | None
    largest_step: Enclosed | None
    algorithms: Mapping[str, AlgorithmView | None]
    missing: Mapping[str, str]

    @staticmethod
    def _of(row: Compared) -> ComparedSchedule:
        """The view of a row of the comparison."""
        upto = None if row.step is None else row.step.upto
        return ComparedSchedule(
            row.name,
            row.candidate.own,
            schedule_option(row.candidate.schedule),
            None if row.kappa is None else Enclosed(*_nearest(row.kappa), row.kappa),
            Enclosed._of(row.error),
            Enclosed._of(row.bound),
            Enclosed._of(row.variance),
            Enclosed._of(row.trace_square),
            None if upto is None else Enclosed(*_nearest(upto), upto),
            _algorithms(row.algorithms),
            dict(row.missing),
        )


class Schedules(Tabled, Sequence[ComparedSchedule]):
    """The schedules compared, the model's own first; empty where none were, and ``why`` says why."""

    def __init__(self, rows: Sequence[ComparedSchedule], why: str | None, sentences: Sequence[str]) -> None:
        self._rows, self.why, self.sentences = tuple(rows), why, tuple(sentences)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, str):
            found = [row for row in self._rows if row.name == index]
            if not found:
                raise MissingKeyError(sentence("schedule", index, [row.name for row in self._rows]))
            return found[0]
        return self._rows[index]

    def rows(self) -> list[Row]:
        """One dictionary for each schedule, numbers as floats; None for what is not known."""

        def plain(number: Enclosed | None) -> float | None:
            return None if number is None else float(number)

        return [
            {
                "name": row.name,
                "own": row.own,
                "schedule": row.option,
                "kappa": plain(row.kappa),
                "error_squared": plain(row.error_squared),
                "bound_squared": plain(row.bound_squared),
                "variance": plain(row.variance),
                "trace_second_moment": plain(row.trace_second_moment),
                "largest_step": plain(row.largest_step),
                **{key: None if (one := row.algorithms.get(key)) is None else str(one.mean_dynamics) for key in TITLES},
            }
            for row in self._rows
        ]

    def __str__(self) -> str:
        return printable("\n".join(self.sentences) or self.why or "no schedules were compared")

    def __repr__(self) -> str:
        return printable(f"<Schedules: {', '.join(row.name for row in self._rows) or self.why}>")


@dataclass(frozen=True, eq=False)
class RecurrentClass(_WithArrays):
    """One recurrent class of the behaviour chain: its ``states``, the ``algorithms`` on it, and the same arrays."""

    states: tuple[int, ...]
    algorithms: Mapping[str, AlgorithmView | None]
    projection_error_squared: Enclosed | None
    fixed_point_error_squared: Enclosed | None
    error_bound_squared: Enclosed | None
    _arrays: _Arrays = field(repr=False)
    _arithmetic: str = field(repr=False)

    @staticmethod
    def _of(part: ClassFacts, arithmetic: str, algorithms: Mapping[str, AlgorithmView | None]) -> RecurrentClass:
        """The view of a class's facts."""
        return RecurrentClass(
            part.states,
            algorithms,
            Enclosed._of(part.projection_error_squared),
            Enclosed._of(part.fixed_point_error_squared),
            Enclosed._of(part.error_bound_squared),
            _Arrays({name: _of_class(part, name) for name in ARRAYS}),
            arithmetic,
        )


def _of_class(part: ClassFacts, name: str) -> Callable[[], Values | None]:
    return partial(getattr, part, name, None)  # it has no "value"; a partial can be pickled


def _of_rows(run: AnalysisResult, states: tuple[int, ...]) -> Named[AlgorithmView | None]:
    """The rows of a recurrent class by name; of the paper's algorithms one that does not apply is None."""
    rows = {row.label: AlgorithmView._of_row(row.label, row) for row in run.rows if row.states == states}
    if run.listed:
        return Named("algorithm", rows.items())
    twin = replace(rows[TD], name=OFF_POLICY_TD) if TD in rows else rows.get(OFF_POLICY_TD)
    return Named("algorithm", ((name, twin if name == OFF_POLICY_TD else rows.get(name)) for name in PAPER))


def _algorithms(rows: Mapping[str, AlgorithmDynamics | None]) -> Named[AlgorithmView | None]:
    found = ((name, None if row is None else AlgorithmView._of(name, row)) for name, row in rows.items())
    return Named("algorithm", found)


@dataclass(frozen=True)
class StepView(WithNames):
    """What the steps that were asked about do for one algorithm.

    ``mean``, ``mean_square``, ``paths``: whether differences of two runs from time zero die out in the mean, in mean
    square, on almost every path; None where that is undecided. ``small_enough``: True where they do in every sense,
    False where they grow in one, None where that is undecided. All are None where ``"largest"`` named no steps.
    ``exponent``: certified bounds from below and above of the rate, a step, at which differences grow on almost every
    path; None for an end that was not found or not needed. ``enclosed_exponent``: the same of the grade ``enclosed``
    (every rounding bounded, no certificate), asked where these have no sign. If none has, ``paths`` is simulated.
    ``runs``: of runs with their rewards, on what updates see: ``"one_law"`` where they have one stationary law, which
    every run comes near (it may have no variance); ``"unbounded"`` where they go to infinity from almost every start;
    None where neither is shown.
    ``detail``: what decided, in words, and what is otherwise for runs under way. ``largest``: every constant
    step up to it is certified as small enough, None where ``largest_missing`` says why; ``grows_at``: a constant step
    above it at which mean square grows.
    """

    algorithm: str
    small_enough: bool | None
    mean: bool | None
    mean_square: bool | None
    paths: bool | None
    exponent: tuple[Fraction | None, Fraction | None]
    enclosed_exponent: tuple[Fraction | None, Fraction | None]
    runs: Literal["one_law", "unbounded"] | None
    detail: str
    largest: Enclosed | None
    grows_at: Enclosed | None
    largest_missing: str

    @staticmethod
    def _of(answer: at_step.StepAnswer) -> StepView:
        """The view of an answer about steps."""
        at, largest = answer.at, answer.largest
        verdict = {"grows": False, "dies_out": True}.get(step_words.verdict_of(at) or "")
        mean, square, paths = (
            None if sign is None else sign == -1
            for sign in ((None,) * 3 if at is None else (at.mean, at.mean_square, at.paths))
        )
        upto = None if largest is None else largest.upto or None
        above = None if largest is None else largest.high
        return StepView(
            answer.algorithm,
            verdict,
            mean,
            square,
            paths,
            (None, None) if at is None or at.exponent is None else (at.exponent.low, at.exponent.high),
            (None, None) if at is None or at.exponent is None else at.exponent.enclosed_bounds,
            None if at is None else at.runs,
            "" if at is None else step_words.known(at),
            None if upto is None else Enclosed(*_nearest(upto), upto),
            None if above is None else Enclosed(*_nearest(above), above),
            answer.largest_why,
        )


class Steps(Tabled, ByName[StepView]):
    """Answers by algorithm: ``td`` or ``off_policy_td``, ``gtd``, ``tdc``. ``asked``: the steps, in words; empty where
    none were asked about, or where nothing is known of them, and ``why`` says why.
    """

    def __init__(self, found: at_step.StepAnswers | None) -> None:
        self._answers = () if found is None else found.answers
        self.asked = "" if found is None else str(found.question)
        self.why = "no steps were asked about" if found is None else found.why

    @cached_property
    def _named(self) -> Named[StepView]:
        return Named("algorithm", ((one.algorithm, StepView._of(one)) for one in self._answers))

    def rows(self) -> list[Row]:
        """One dictionary for each algorithm, numbers as floats; None for what is not known."""
        numbers = "largest", "grows_at"
        words = "small_enough", "mean", "mean_square", "paths", "runs", "detail", "largest_missing"
        return [
            {"algorithm": name, "steps": self.asked, **{key: getattr(one, key) for key in words}}
            | {key: None if (x := getattr(one, key)) is None else float(x) for key in numbers}
            for name, one in self.items()
        ]

    def __repr__(self) -> str:
        words = {True: "small enough", False: "too large", None: "undecided"}
        told = ", ".join(f"{name} {words[answer.small_enough]}" for name, answer in self.items())
        return printable(f"<Steps {self.asked}: {told}>" if self.asked else f"<Steps: {self.why}>")


@dataclass(frozen=True)
class RobustnessView(WithNames):
    """How far a model may change before the mean dynamics of an algorithm have another verdict.

    ``change``: what does, ``transitions``, ``discount``, ``behaviour`` or ``target``. ``verdict`` holds for every model
    whose rows are each ``within`` that distance in total variation (discounts by their difference), None where ``why``
    says why, and 0 where nothing is certified; ``counter_model`` is one at the distance ``counter_at`` where the
    verdict is ``counter_verdict``, None where none was found. ``sentence``: the answer in words. ``certified_within``:
    the distance of the certificate that ``report`` writes and the checker replays, None where there is none.
    """

    algorithm: str
    verdict: MeanDynamics | None
    within: Enclosed | None
    counter_at: Enclosed | None
    counter_verdict: MeanDynamics | None
    counter_model: Model | None = field(repr=False)
    sentence: str
    why: str
    change: str = "transitions"
    certified_within: Enclosed | None = None

    @staticmethod
    def _of(row: RobustRow) -> RobustnessView:
        """The view of an answer."""
        found = row.found
        if found is None:
            return RobustnessView(row.algorithm, None, None, None, None, None, row.sentence, row.why, row.change.value)
        counter = found.counter
        return RobustnessView(
            row.algorithm,
            found.verdict,
            Enclosed(*_nearest(found.within), found.within),
            None if counter is None else Enclosed(*_nearest(counter.distance), counter.distance),
            None if counter is None else counter.verdict,
            None if counter is None else counter.model,
            row.sentence,
            found.why,
            row.change.value,
            None if row.certified is None else Enclosed(*_nearest(row.certified), row.certified),
        )

    def __str__(self) -> str:
        return printable(f"{TITLES.get(self.algorithm, self.algorithm)}: {self.sentence}")


class RobustnessViews(Tabled, ByName[RobustnessView]):
    """Answers by algorithm, of the first change that was asked about; :meth:`of` has those of each. Empty where nobody
    asked, and ``why`` says so. ``changes``: what was asked about.
    """

    def __init__(self, found: Sequence[RobustRow] | None, change: str | None = None) -> None:
        self._all = () if found is None else tuple(found)
        self.changes = tuple(dict.fromkeys(row.change.value for row in self._all))
        first = change or next(iter(self.changes), None)
        self._answers = tuple(row for row in self._all if row.change == first)
        self.why = "nobody asked how far the model may change; give robustness=True" if found is None else ""

    def of(self, change: str) -> RobustnessViews:
        """The answers about ``transitions``, ``discount``, ``behaviour`` or ``target``. Raises :class:`InputError` for
        one that was not asked about.
        """
        if change not in self.changes:
            told = f"give robustness=('{change}',)" if not self.changes else f"it was about {', '.join(self.changes)}"
            raise InputError(f"robustness was not asked about '{change}'; {told}")
        return RobustnessViews(self._all, change)

    @cached_property
    def _named(self) -> Named[RobustnessView]:
        return Named("algorithm", ((one.algorithm, RobustnessView._of(one)) for one in self._answers))

    def rows(self) -> list[Row]:
        """One dictionary for each algorithm and change, numbers as floats; None for what is not known."""
        return [
            {
                "algorithm": one.algorithm,
                "change": one.change,
                "verdict": one.verdict and str(one.verdict),
                "within": None if one.within is None else float(one.within),
                "counter_at": None if one.counter_at is None else float(one.counter_at),
                "counter_verdict": one.counter_verdict and str(one.counter_verdict),
                "sentence": one.sentence,
            }
            for one in map(RobustnessView._of, self._all)
        ]

    def __repr__(self) -> str:
        told = "; ".join(str(RobustnessView._of(one)) for one in self._all)
        return printable(f"<Robustness: {told or self.why}>")


@dataclass(frozen=True)
class StretchView(WithNames):
    """All values between ``left`` and ``right`` (None: without end), which belong to it where ``left_in`` and
    ``right_in`` say so: whether the mean dynamics are ``stable`` at each of them, None where ``why`` says why that is
    not known. ``left_root``, ``right_root``: the whole coefficients, the constant one first, of the irreducible
    polynomial of which the end is the one root within its radius.
    """

    left: Enclosed
    left_in: bool
    right: Enclosed | None
    right_in: bool
    stable: bool | None
    why: str
    left_root: tuple[int, ...] = field(repr=False)
    right_root: tuple[int, ...] | None = field(repr=False)

    @staticmethod
    def _of(one: Stretch) -> StretchView:
        """The view of a stretch."""
        left, right = one.left, one.right
        return StretchView(
            Enclosed.between(left.low, left.high),
            one.left_in,
            None if right is None else Enclosed.between(right.low, right.high),
            one.right_in,
            one.stable,
            one.why,
            left.polynomial,
            None if right is None else right.polynomial,
        )

    def __contains__(self, value: Any) -> bool:
        """Whether a rational number is one of the values. Raises :class:`InputError` where the enclosure of an end does
        not say so.
        """
        x = Fraction(value)
        for end, inside, sign in ((self.left, self.left_in, 1), (self.right, self.right_in, -1)):
            if end is None:
                continue
            if end.exact is None and abs(x - Fraction(end.mid)) <= Fraction(end.radius):
                raise InputError(f"{value} lies within the enclosure of an end, {end}")
            gap = sign * (x - (Fraction(end.mid) if end.exact is None else end.exact))
            if gap < 0 or (gap == 0 and not inside):
                return False
        return True


@dataclass(frozen=True)
class ForAllView(WithNames):
    """For which values the mean dynamics of an algorithm are stable: ``stretches`` of all of them, in order, without
    gaps; none where ``why`` says why. ``sentence``: the answer in words.
    """

    algorithm: str
    stretches: tuple[StretchView, ...]
    sentence: str
    why: str

    @staticmethod
    def _of(row: ForAllRow) -> ForAllView:
        """The view of an answer."""
        found = () if row.found is None else tuple(map(StretchView._of, row.found.stretches))
        return ForAllView(row.algorithm, found, row.sentence, row.why)

    def __str__(self) -> str:
        return printable(f"{TITLES.get(self.algorithm, self.algorithm)}: {self.sentence}")


class ForAllViews(Tabled, ByName[ForAllView]):
    """Answers by algorithm; empty where nobody asked, and ``why`` says so. ``varied``: what takes all values;
    ``note``: what that means on this model.
    """

    def __init__(self, asked: ForAll | None) -> None:
        self._answers = () if asked is None else asked.rows
        self.varied: str | None = None if asked is None else asked.varied.value
        self.note = "" if asked is None else asked.note
        self.why = 'nobody asked about all values; give for_all="gamma", "lambda" or "ratio"' if asked is None else ""

    @cached_property
    def _named(self) -> Named[ForAllView]:
        return Named("algorithm", ((one.algorithm, ForAllView._of(one)) for one in self._answers))

    def rows(self) -> list[Row]:
        """One dictionary for each stretch of each algorithm, numbers as floats; None for what is not known."""
        return [
            {
                "algorithm": name,
                "left": float(part.left),
                "left_in": part.left_in,
                "right": None if part.right is None else float(part.right),
                "right_in": part.right_in,
                "stable": part.stable,
                "why": part.why,
            }
            for name, one in self.items()
            for part in one.stretches
        ]

    def __repr__(self) -> str:
        return printable(
            f"<For all values of {self.varied}: {'; '.join(map(str, self.values()))}>"
            if self.varied
            else f"<For all values: {self.why}>"
        )


# ---- the analysis ---------------------------------------------------------------------------------


class Analysis(_WithArrays, Tabled, ByName[Any]):
    """All that was found out about one model; :func:`tdcert.analyze` and :func:`tdcert.compare` make it.

    Arrays (``A``, ``b``, ``C``, ``theta_star``, ``stationary``, ``values_at_fixed_point``, ``value``) are floats, and
    None for what does not exist, is not known, or exists once for each of several ``classes``; ``exact`` and
    ``enclosed`` hold them as fractions and with error bounds. As a mapping it is the document of ``to_dict()``.
    """

    def __init__(self, result: AnalysisResult, writer: Callable[[AnalysisResult, str | Path, bool], None]) -> None:
        self._result, self._writer = result, writer
        facts = result.facts
        single = facts.single or ClassFacts((), {})
        self._arithmetic = facts.arithmetic.value
        sources = {name: _of_class(single, name) for name in ARRAYS}
        self._arrays = _Arrays({**sources, "value": partial(getattr, facts, "value")})

    # ---- what was found ---------------------------------------------------------------------------

    @property
    def value(self) -> Floats | None:
        """V^π (n,); None where I − N is singular."""
        return self._floats("value")

    @property
    def kappa(self) -> Enclosed | None:
        """κ = Σ w_n γⁿ; None where the discount depends on the transition."""
        kappa = self._result.facts.kappa
        return None if kappa is None else Enclosed(*_nearest(kappa), kappa)

    @property
    def projection_error_squared(self) -> Enclosed | None:
        """‖V − ΠV‖²_D."""
        return self._of_single("projection_error_squared")

    @property
    def fixed_point_error_squared(self) -> Enclosed | None:
        """‖Φθ* − V‖²_D."""
        return self._of_single("fixed_point_error_squared")

    @property
    def error_bound_squared(self) -> Enclosed | None:
        """What theory guarantees of :attr:`fixed_point_error_squared`, on-policy."""
        return self._of_single("error_bound_squared")

    def _of_single(self, name: str) -> Enclosed | None:
        single = self._result.facts.single
        return None if single is None else Enclosed._of(getattr(single, name))

    @cached_property
    def algorithms(self) -> Mapping[str, AlgorithmView | None]:
        """``td`` (None off-policy), ``off_policy_td``, ``gtd`` and ``tdc``, or those that were asked for by their
        names; empty with several ``classes``.
        """
        single = self._result.facts.single
        return Named("algorithm") if single is None else _of_rows(self._result, single.states)

    @cached_property
    def classes(self) -> tuple[RecurrentClass, ...]:
        """The recurrent classes of the behaviour chain."""
        run = self._result
        return tuple(
            RecurrentClass._of(part, self._arithmetic, _of_rows(run, part.states)) for part in run.facts.classes
        )

    @cached_property
    def claims(self) -> Mapping[str, ClaimOnModel]:
        """The statements of the paper that were asked of the model, by id."""
        answers = self._result.facts.claims
        return Named("claim that was asked of the model", ((one.id, ClaimOnModel._of(one)) for one in answers))

    @cached_property
    def schedules(self) -> Schedules:
        """The model's own schedule compared with others."""
        found = self._result.advice
        rows = [ComparedSchedule._of(row) for row in found.comparison.rows]
        return Schedules(rows, found.comparison.why, found.sentences)

    @cached_property
    def steps(self) -> Steps:
        """Whether the ``steps`` that were given are small enough, and the largest constant step."""
        return Steps(self._result.steps)

    @cached_property
    def robustness(self) -> RobustnessViews:
        """How far transitions may change before a verdict does, where ``robustness=True`` asked; the discount or a
        policy, where it named them.
        """
        return RobustnessViews(self._result.robustness)

    @cached_property
    def for_all(self) -> ForAllViews:
        """For which of all values of γ, λ or the ratio of steps there is stability, where ``for_all`` asked."""
        return ForAllViews(self._result.for_all)

    @property
    def warnings(self) -> tuple[Warned, ...]:
        """What a user should know before trusting a run, the most serious first: ``id``, ``severity``, ``text``."""
        return self._result.advice.warnings.fired

    # ---- what was asked ---------------------------------------------------------------------------

    @property
    def model(self) -> Model | SparseModel:
        """The model that was analysed."""
        return self._result.facts.model

    @property
    def arithmetic(self) -> str:
        """``exact``, ``enclosed`` or ``sparse``."""
        return self._arithmetic

    @property
    def arithmetic_why(self) -> str:
        """Why that arithmetic was chosen."""
        return self._result.choice.why

    @property
    def on_policy(self) -> bool:
        """Whether behaviour and target policy are equal."""
        return self.model.is_on_policy

    @property
    def state_names(self) -> tuple[str, ...]:
        """One name for each state."""
        return self._result.facts.state_names or tuple(f"s{s}" for s in range(self.model.n))

    @property
    def notes(self) -> tuple[str, ...]:
        """How the model was read, and what was left out."""
        return self._result.facts.notes

    @property
    def defaults_used(self) -> tuple[str, ...]:
        """What was not given, and what was taken instead."""
        return self._result.defaults_used

    @property
    def reproduce(self) -> str | None:
        """The command that makes this analysis again; None where the model is in no file."""
        return self._result.command

    # ---- views ------------------------------------------------------------------------------------

    @cached_property
    def plot(self) -> Plots:
        """``values()``, ``schedules()``, ``learning_curves()``, ``phase_diagram()``: Matplotlib axes."""
        from tdcert.reports.analysis_plots import Plots

        require("a plot", "matplotlib")
        return Plots(self._result)

    def report(self, folder: str | Path, png: bool = False) -> Path:
        """Writes the report, as ``tdcert analyze --out FOLDER`` does, with figures as PNG, too, where ``png``; the path
        of its page.

        Raises :class:`InputError` where the folder cannot be written, or holds something else.
        """
        if not isinstance(folder, str | Path) or not str(folder):
            raise InputError(f"the folder of the report is a {type(folder).__name__}; give its path")
        self._writer(self._result, folder, png)
        return Path(folder) / "index.html"

    @cached_property
    def _named(self) -> Named[Any]:
        return Named("key", json.loads(json.dumps(analysis_document(self._result))).items())

    def to_dict(self, format: str = FORMAT) -> Row:
        """The document, as ``tdcert analyze --json`` prints it: plain strings and lists; ``format``: as ``--format``
        takes it. Raises :class:`InputError` for one that there is not.
        """
        return dict(json.loads(json.dumps(as_format(self._named, format))))

    def __repr__(self) -> str:
        return printable(f"<Analysis of {self.model.name or self._result.source}: {self._in_short}>")

    @property
    def _in_short(self) -> str:
        said = [f"{heading} {words}" for heading, words in self._answers()]
        reached = any("θ*" in words for words in said)  # where μ does not cover π, what converges has another limit
        if len(said) > SHORT:
            said[SHORT:] = [f"{len(said) - SHORT} more"]
        points = [(label, found) for label, found in self._points() if reached and label.startswith("θ*")]
        if len(points) == 1 and len(points[0][1]) <= SHORT:
            said.append(f"{points[0][0]} = {', '.join(f'{x:.5g}' for x in points[0][1])}")
        return "; ".join([*([] if self.algorithms else [f"{self._result.facts.chain.count} recurrent classes"]), *said])

    def _answers(self) -> Iterator[tuple[str, str]]:
        """Each algorithm on each recurrent class, and whether it converges and how fast."""
        for row in self._result.rows:
            sign = "" if row.answer is None else f"{MEAN_DYNAMICS[row.answer.mean_dynamics][0]} "
            yield answer_words.title(row, self._result), sign + answer_words.in_one_line(row)

    @property
    def _shown_algorithms(self) -> list[tuple[str, AlgorithmView]]:
        """On-policy TD and off-policy TD are the same; one of them is shown."""
        shown = self.algorithms if self._result.listed else applicable(self.model)
        return [(name, row) for name, row in self.algorithms.items() if row is not None and name in shown]

    @cached_property
    def _rows(self) -> list[tuple[str, str]]:
        """Heading and text, in the order in which people ask."""
        with numbers_of_any_length():
            return list(self._told())

    def _told(self) -> Iterator[tuple[str, str]]:
        facts, model = self._result.facts, self.model
        for subject, key, what in step_words.told(self._result):
            yield "steps", f"{subject}: " + ("" if key is None else f"{step_words.VERDICTS[key]}: ") + what
        yield from self._answers()
        if not self.algorithms:
            yield "chain", f"{facts.chain.count} recurrent classes; see .classes"
        for label, found in self._points():
            shown = ", ".join(f"{x:.5g}" for x in found[:SHOWN])
            yield label, shown + (f", … ({len(found)} in all)" if len(found) > SHOWN else "")
        yield (
            "model",
            f"{counted(model.n, 'state')}, {counted(len(model.actions), 'action')}, {counted(model.d, 'feature')}, "
            f"{'on-policy' if self.on_policy else 'off-policy'}; digest {digest_of(model)[:12]}",
        )
        yield "arithmetic", f"{self.arithmetic}: {self.arithmetic_why}"
        if self.fixed_point_error_squared is not None:
            yield "‖Φθ* − V‖²_D", f"{float(self.fixed_point_error_squared):.5g}"
        if self.claims:
            counts = dict.fromkeys(STATUSES, 0)
            for claim in self.claims.values():
                counts[claim.status] += 1
            said = [f"{STATUSES[status][0]} {count} {STATUSES[status][1]}" for status, count in counts.items() if count]
            yield "claims", ", ".join(said)
        for warned in self.warnings:
            yield warned.severity, warned.text
        for line in self.schedules.sentences:
            yield "schedules", line
        for note in (*(f"default: {line}" for line in self.defaults_used), *self.notes):
            yield "note", note

    def _points(self) -> Iterator[tuple[str, Floats]]:
        """Where the algorithms rest, and the values."""
        if self._result.listed:
            for name, row in self._shown_algorithms:
                if row.theta_star is not None:
                    yield f"θ* of {name}", np.asarray(row.theta_star)
        for key, label in (("theta_star", "θ*"), ("values_at_fixed_point", "Φθ*"), ("value", "true value")):
            found = self._floats(key)
            if found is not None and (key == "value" or not self._result.listed):
                yield label, found

    def rows(self) -> list[Row]:
        """One dictionary for each algorithm and recurrent class, numbers as floats; None for what is not known."""
        named = ("rate", "error_squared", "variance", "largest_step", "grows_at")
        rows = []
        for row in self._result.rows:
            one = AlgorithmView._of_row(row.label, row)
            numbers = {key: None if (x := getattr(one, key)) is None else float(x) for key in named}
            rest = None if one.theta_star is None else np.array(one.theta_star)
            words = {"mean_dynamics": one.mean_dynamics and str(one.mean_dynamics), "words": one.words}
            rows.append({"algorithm": row.label, "states": list(row.states), **words, "theta_star": rest, **numbers})
        return rows

    def __str__(self) -> str:
        head = [self.model.name or self._result.source]
        rows = self._rows
        kept = rows if len(rows) <= LINES - 1 else rows[: LINES - 2]
        lines = [f"  {printable(label):<13} {_clipped(printable(text), 104)}" for label, text in kept]
        if len(kept) < len(rows):
            lines.append(f"  … {len(rows) - len(kept)} more lines: .warnings, .schedules, .notes")
        return printable("\n".join(head + lines))

    def _repr_html_(self) -> str:
        """The table of the analysis as HTML, for notebooks."""
        rows = "".join(
            f'<tr><th style="text-align:left;vertical-align:top">{escape(label)}</th>'
            f'<td style="text-align:left">{escape(_clipped(text, 400))}</td></tr>'
            for label, text in self._rows
        )
        title = escape(self.model.name or self._result.source)
        return f'<table><caption style="text-align:left"><b>{title}</b></caption>{rows}</table>'


def _clipped(text: str, width: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= width else text[: width - 1] + "…"
