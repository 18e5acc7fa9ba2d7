"""Is a step small enough? What the steps that a user gives do: in the mean, in mean square, and on paths.

**A constant step.** Mean and mean square are exact signs at that step, on windows, of runs from time zero, and of runs
under way where these differ (``tdcert.theory.laws.step_signs``); where windows are many, or λ has no end, that of mean
square has every rounding bounded (``tdcert.theory.laws.second_moment_sign``), and speaks of runs under way where it is
not −1. Paths are simulated where mean square does not decide them, in the stationary regime, as in a phase diagram
(``tdcert.sims.phases.cells``). Stable mean dynamics say nothing of this: they are the limit of small steps.

**Steps a/(t + t0)^p, 0 < p ≤ 1.** They fall to zero and their sum is infinite. Where the mean dynamics are stable,
let X, T ≻ 0 decide all small steps (:class:`~tdcert.theory.laws.mean_square.NearZero`), and V_t = y_tᵀ(X + α_tT)y_t.
As α_{t+1} ≤ α_t and T ≻ 0, from the update on from which α_t ≤ α_0

    E[V_{t+1} | past] ≤ V_t − α_t y_tᵀF(α_t)y_t ≤ (1 − cα_t)V_t,

so E V_t → 0, and V_t, a supermartingale that is not negative, → 0 on almost every path: differences die out in every
sense. Where an eigenvalue of the mean dynamics has a positive real part the form grows in the same way: by a factor
1 + cα_t − O(α_t²) a step from some start. With p > 1 the sum of the steps is finite, and nothing is decided.

**The largest constant step** of mean square is certified: forms at a step, and at one above it where mean square grows.

Where windows are too many to be listed, steps up to a smaller bound are decided through moments by state, and growth
along a cycle of states (``tdcert.theory.enclose.safe_steps``), every rounding bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil

from tdcert.algorithms.schedules import TITLES, applicable, certificate, declared, quotient_system, scheduled
from tdcert.analysis.large_steps import StepsByStates
from tdcert.analysis.request import StepQuestion
from tdcert.analysis.row import AlgorithmRow
from tdcert.sims.growth import PathStability
from tdcert.sims.growth_signs import Round, SignQuestion, find_signs, in_words
from tdcert.theory.certificate.shelf import FiledCertificate, Shelf
from tdcert.theory.check.mean_dynamics import reduce_features
from tdcert.theory.enclose.safe_steps import SmallSteps, StepBracket
from tdcert.theory.engine import decreasing
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.first_order import with_mean_dynamics
from tdcert.theory.engine.second_moments import mean_square_sign
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.laws import mean_square as laws
from tdcert.theory.laws.decreasing_steps import LARGEST_DENOMINATOR, power
from tdcert.theory.laws.mean_square import JumpSystem, LargestStep, NearZero
from tdcert.theory.laws.phase_cell import Sign
from tdcert.theory.laws.step_signs import StepSigns, signs_at
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Certificate

WORK = 66_000
"""Most windows × D³ that are looked at, D numbers in (θ, w), as in the phase diagram of a model."""
BOUNDED_WORK = 20_000_000
"""Most moves of the window chain × D³ beyond that, where floats with bounded roundings decide (a minute)."""
BOUNDED = "with every rounding bounded, so there is no certificate"
"""Said of mean square that was decided so."""
NARROWED = 300_000
"""Most moves × D³ for that decision where it is asked of a dozen steps, to narrow down the largest one (seconds)."""
SEARCH = 2_500
"""Most windows × D² for which the largest step is sought (seconds)."""
ROUNDS = (Round(80, 10_000),)
LEVEL = 0.999
"""Probability with which a sign of paths that is given is right."""
CERTIFICATES = "certificates/steps"
"""Where in a report they lie."""

COUNTED = "a run under way counts as a start"
"""Said of growth where it is not known whether runs from time zero show it."""
WORDS: dict[Sign, str] = {
    -1: "yes",
    1: "no",
    0: "no, it neither dies out nor grows geometrically",
    None: "not decided",
}
"""Whether differences die out."""

Keep = Callable[[Certificate], str]
"""Files a certificate and returns its path."""


@dataclass(frozen=True)
class AtStep:
    """Signs for differences of two runs at the steps α = ``alpha`` and β = ratio α, or, where ``alpha`` is None, at
    decreasing steps: −1 they die out, 1 they grow from some start, 0 the mean does neither, None undecided. ``paths``:
    −1 where mean square dies out, and so almost every path; else simulated, and ``paths_why`` says what was seen.
    ``why``: what stood in the way of the exact signs, if anything did. ``certificates``: paths of files that show mean
    square. ``from_update``: the first of decreasing steps that is within the steps certified as small. All this is
    about runs from time zero; ``under_way``: mean and mean square of runs under way, where they are others.
    """

    alpha: Fraction | None
    mean: Sign
    mean_square: Sign
    paths: Sign
    paths_why: str
    why: str = ""
    certificates: tuple[str, ...] = ()
    from_update: int | None = None
    under_way: tuple[Sign, Sign] | None = None

    @property
    def in_words(self) -> str:
        """Whether the steps are small enough, in words: ``in the mean: yes; in mean square: not decided (why); on
        paths: yes (what was seen)``, and what is otherwise for runs under way.
        """
        why = f" ({self.why})" if self.why else ""
        seen = f" ({self.paths_why})" if self.paths_why else ""
        mean, square, paths = (WORDS[sign] for sign in (self.mean, self.mean_square, self.paths))
        return f"in the mean: {mean}; in mean square: {square}{why}; on paths: {paths}{seen}{self._otherwise}"

    @property
    def _otherwise(self) -> str:
        if self.under_way is None:
            return ""
        mean, square = (WORDS[sign] for sign in self.under_way)
        return (
            "; all of this for runs from time zero: where parameters are changed during a run and its trace is kept, "
            f"in the mean: {mean}; in mean square: {square}"
        )


@dataclass(frozen=True)
class StepAnswer:
    """One algorithm: the steps asked about, None where none were named; the largest constant step whose mean square is
    shown to be bounded, or in ``largest_why`` why none is named, with the paths of its certificates, if it has any.
    ``sizes``: how many step sizes it has.
    """

    algorithm: str
    at: AtStep | None
    largest: LargestStep | StepBracket | None
    largest_why: str = ""
    certificates: tuple[str, ...] = ()
    sizes: int = 1

    @property
    def title(self) -> str:
        """What it is called."""
        return TITLES.get(self.algorithm, self.algorithm)


@dataclass(frozen=True)
class StepAnswers:
    """The answers to a question, one for each algorithm; or none, and in ``why`` what is in the way."""

    question: StepQuestion
    answers: tuple[StepAnswer, ...]
    why: str | None = None
    files: tuple[FiledCertificate, ...] = field(default=(), repr=False)

    @property
    def constant_steps(self) -> Mapping[str, AtStep]:
        """The answers by algorithm, where a constant step was asked about; empty for other questions."""
        return {one.algorithm: one.at for one in self.answers if one.at is not None and one.at.alpha is not None}


def answer_steps(
    model: Model,
    question: StepQuestion,
    algorithms: Sequence[str] | None = None,
    rows: Sequence[AlgorithmRow] = (),
) -> StepAnswers:
    """The answers on the model's one recurrent class for those of the paper's ``algorithms``, all that apply by
    default, and for all others of which there are ``rows``, from what these say of the steps.
    """
    classes = model.behaviour_chain.recurrent_classes
    if len(classes) > 1:
        why = f"the chain has {len(classes)} recurrent classes, and steps are asked about on one; give a model of one"
        return StepAnswers(question, (), why)
    if reduce_features(model, classes[0]) is None:
        return StepAnswers(question, (), "the features vanish on the recurrent states, so no step moves anything")
    if not model.has_trace_sum_on(classes[0]):
        return StepAnswers(question, (), "the series Σ Nᵏ has no sum; give the schedule a length, or a discount")
    shelf = Shelf(CERTIFICATES)
    large = StepsByStates.of_model(model, classes[0])
    names = applicable(model) if algorithms is None else algorithms
    answers = [_answer(model, algorithm, question, classes[0], shelf, large) for algorithm in names]
    answers = [replace(one, sizes=scheduled(one.algorithm).steps) for one in answers]
    answers += [_of_row(model, row, question) for row in rows if row.label not in names]
    return StepAnswers(question, tuple(answers), files=tuple(shelf.files))


def _of_row(model: Model, row: AlgorithmRow, question: StepQuestion) -> StepAnswer:
    """What the row of an algorithm says of the steps asked about, and what its paths do where that says nothing."""
    at, found, later = None, row.at_step, row.decreasing
    if found is not None:
        paths: Sign = -1 if found.mean_square == -1 else None
        seen = ""
        if paths is None and not found.under_way:  # where they differ, others than runs from time zero are simulated
            path = _paths(model, row.algorithm, found.alpha, question.seed, question.ratio)
            paths, seen = (None, path) if isinstance(path, str) else (path.sign, f"{in_words(path)} × 10⁻⁵ per update")
        at = AtStep(found.alpha, found.mean, found.mean_square, paths, seen, found.why, under_way=found.under_way)
    elif later is not None:
        at = AtStep(None, later.mean, later.mean_square, later.paths, "", later.why, from_update=later.from_update)
    elif question.a is not None:
        at = AtStep(question.constant, None, None, None, "", row.why_not)
    why = row.why_no_largest or row.why_not or ("" if row.largest else "the mean dynamics are not stable")
    if row.safe is not None:
        why = f"every α ≤ {row.safe} is small enough; the search above failed"
    return StepAnswer(row.label, at, row.largest, why, sizes=len(row.algorithm.steps))


def at_step(
    model: Model,
    algorithm: str,
    alpha: Fraction,
    states: tuple[int, ...],
    seed: int,
    ratio: Fraction = Fraction(1),
    keep: Keep | None = None,
    large: StepsByStates | None = None,
) -> AtStep:
    """The three answers for one algorithm on its one recurrent class, at α and β = ``ratio`` α; ``large``: of the same
    model, where it is at hand.
    """
    why, kept = "", tuple[str, ...]()
    system = _system(model, algorithm, ratio, states, WORK)
    if isinstance(system, str):
        square = _sign_by_states(model, algorithm, alpha, ratio, large or StepsByStates.of_model(model, states))
        if square is None:
            update = declared(algorithm, model)
            ratios = [Fraction(1), ratio][: len(update.steps)]
            square, why = mean_square_sign(model, update, alpha, ratios, states, BOUNDED_WORK)
        if square:
            why = BOUNDED if square == -1 else f"{BOUNDED}; {COUNTED}"
        mean: Sign = -1 if square == -1 else None
        found = StepSigns(mean, square, (mean, square))
    else:
        found = signs_at(system, alpha)
        if keep and found.square:
            kept = (keep(certificate(system, found.square)),)
    paths: Sign
    if found.mean_square == -1:
        paths, seen = -1, ""
    else:
        path = _paths(model, algorithm, alpha, seed, ratio)
        paths, seen = (None, path) if isinstance(path, str) else (path.sign, f"{in_words(path)} × 10⁻⁵ per update")
        if paths is not None and found.is_confined:  # runs from time zero are others than those simulated
            paths, seen = None, f"of runs under way {seen}"
    under_way = found.under_way if found.differ else None
    return AtStep(alpha, found.mean, found.mean_square, paths, seen, why, kept, under_way=under_way)


def _sign_by_states(
    model: Model, algorithm: str, alpha: Fraction, ratio: Fraction, large: StepsByStates | None
) -> Sign:
    """The sign of mean square where small steps, or cycles of states, tell it."""
    if large is None or not model.schedule.is_finite:
        return None
    small = large.small(model.schedule, algorithm, ratio)
    if small is not None and alpha <= small.upto:
        return -1 if small.stable else 1
    return 1 if large.grows(model.schedule, algorithm, ratio, alpha) else None


def at_decreasing_steps(
    model: Model,
    algorithm: str,
    question: StepQuestion,
    states: tuple[int, ...],
    keep: Keep | None = None,
    large: StepsByStates | None = None,
) -> AtStep:
    """The three answers for one algorithm on its one recurrent class at steps a/(t + t0)^p (module docstring)."""
    a, t0, p = question.a, question.t0, question.p
    assert a is not None and t0 is not None
    if p > 1:
        why = f"the sum of {question} is finite, so runs may stop short of θ*; give a power of at most 1"
        return AtStep(None, None, None, None, "", why)
    if p == 0:
        return AtStep(None, None, None, None, "", "the power is zero: give one number for a constant step")
    system = _system(model, algorithm, question.ratio, states, WORK)
    near: NearZero | SmallSteps | None
    kept: tuple[str, ...] = ()
    if isinstance(system, str):
        large = large or StepsByStates.of_model(model, states)
        near = None if large is None else large.small(model.schedule, algorithm, question.ratio, decreasing=True)
    else:
        near = laws.decide_near_zero(system)
        kept = (keep(certificate(system, near)),) if keep and near else ()
    if near is None:
        update = declared(algorithm, model)
        ratios = [Fraction(1), question.ratio][: len(update.steps)]
        try:
            said = decreasing.at_decreasing_steps(with_mean_dynamics(model, update, states), ratios, a, t0, p)
        except BudgetExceededError as error:
            why = system if isinstance(system, str) else "the mean dynamics are too close to the edge"
            return AtStep(None, None, None, None, "", f"{why}; {error}")
        return AtStep(None, said.mean, said.mean_square, said.paths, "", said.why, (), said.from_update)
    first = None
    if p.denominator <= LARGEST_DENOMINATOR:
        first = max(0, ceil(power(a / near.upto, 1 / p, True) - t0))  # a/(t + t0)^p ≤ α_0 from there on
    if not near.stable:
        why = "the mean dynamics are unstable" + (f"; {COUNTED}" if first != 0 else "")  # the steps before may undo it
        return AtStep(None, 1, 1, None, "", why, kept)
    why = "" if 2 * p > 1 else "Σ α_t² is infinite, so Assumption 1 fails and no theorem says that runs converge to θ*"
    return AtStep(None, -1, -1, -1, "", why, kept, first)


def _answer(
    model: Model,
    algorithm: str,
    question: StepQuestion,
    states: tuple[int, ...],
    shelf: Shelf,
    large: StepsByStates | None,
) -> StepAnswer:
    reduced = reduce_features(model, states)
    keep: Keep | None = None
    if reduced is not None and reduced.is_full:  # what is decided on a quotient speaks of no model
        keep = lambda certificate: shelf.put(certificate, model)  # noqa: E731
    at = None
    if question.constant is not None:
        at = at_step(model, algorithm, question.constant, states, question.seed, question.ratio, keep, large)
    elif question.a is not None:
        at = at_decreasing_steps(model, algorithm, question, states, keep, large)
    system = _system(model, algorithm, question.ratio, states, SEARCH * _size(model, algorithm, states))
    if isinstance(system, str):
        found = system if large is None else large.bracket(model.schedule, algorithm, question.ratio, NARROWED)
        if isinstance(found, str):
            return StepAnswer(algorithm, at, None, found)
        return StepAnswer(algorithm, at, found)
    near = laws.decide_near_zero(system)
    if near is None:
        return StepAnswer(algorithm, at, None, "the mean dynamics are not stable, or too close to the edge")
    if near.vector is not None:
        path = (keep(certificate(system, near)),) if keep else ()
        why = f"the mean square is unbounded from some start for every α ≤ {near.upto}"
        return StepAnswer(algorithm, at, None, why, path)
    largest = laws.largest_step(system, near=near)
    if largest is None:
        return StepAnswer(algorithm, at, None, f"every α ≤ {near.upto} is small enough; the search above failed")
    shown = (near, largest.bounded, largest.unbounded)
    paths = tuple(keep(certificate(system, found)) for found in shown) if keep else ()
    return StepAnswer(algorithm, at, largest, "", paths)


def _size(model: Model, algorithm: str, states: tuple[int, ...]) -> int:
    """D of the quotient."""
    return max(1, model.features.take(rows=states).rank * scheduled(algorithm).blocks)


def _system(model: Model, algorithm: str, ratio: Fraction, states: tuple[int, ...], work: int) -> JumpSystem | str:
    """The jump linear system within ``work`` = windows × D³, or why there is none."""
    if not model.schedule.is_finite:
        return "a λ without end has no finite window"
    try:
        entries = work // _size(model, algorithm, states)
        return quotient_system(model, scheduled(algorithm), ratio, states, entries=entries)
    except BudgetExceededError:
        return "too many windows for the work allowed"


def _paths(
    model: Model, algorithm: str | Algorithm, alpha: Fraction, seed: int, ratio: Fraction
) -> PathStability | str:
    """What most runs do, or why it is not known."""
    question = SignQuestion("the step given", model, algorithm, float(alpha), float(ratio))
    try:
        return find_signs([question], ROUNDS, seed=seed, name="paths at the step given", level=LEVEL)[0]
    except InputError as error:
        return str(error)
