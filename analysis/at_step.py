"""Is a step small enough? What the steps that a user gives do: in the mean, in mean square, and on paths.

**A constant step.** Mean and mean square are exact signs at that step, on windows, of runs from time zero, and of runs
under way where these differ (``tdcert.theory.laws.step_signs``); where windows are many, or λ has no end, that of mean
square has every rounding bounded (``tdcert.theory.laws.second_moment_sign``), and speaks of runs under way where it is
not −1. Paths are simulated where mean square does not decide them, in the stationary regime, as in a phase diagram
(``tdcert.sims.phases.cells``). Stable mean dynamics say nothing of this: they are the limit of small steps.

**Steps a/(t + t0)^p, 0 < p ≤ 1.** They fall to zero and their sum is infinite: the mean dynamics decide, for every
bounded memory (:mod:`tdcert.theory.engine.decreasing`). Where X, T ≻ 0 decide all small steps of one of the paper's
four
(:class:`~tdcert.theory.laws.mean_square.NearZero`), the same forms, V_t = y_tᵀ(X + α_tT)y_t, say from which update on
differences die out: α_{t+1} ≤ α_t and T ≻ 0, so that E[V_{t+1} | past] ≤ (1 − cα_t)V_t as soon as α_t ≤ α_0.

**The largest constant step** of mean square is certified: forms at a step, and at one above it where mean square grows.

Where windows are too many to be listed, steps up to a smaller bound are decided through moments by state, and growth
along a cycle of states (``tdcert.theory.enclose.safe_steps``), every rounding bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from tdcert.algorithms import for_model, is_shipped, named
from tdcert.algorithms.schedules import PAPER, applicable, scheduled
from tdcert.analysis.large_steps import StepsByStates
from tdcert.analysis.request import StepQuestion
from tdcert.sims.growth import PathStability
from tdcert.sims.growth_signs import Round, SignQuestion, find_signs, in_words
from tdcert.theory.certificate.shelf import FiledCertificate, Shelf
from tdcert.theory.check.mean_dynamics import MeanDynamics, reduce_features
from tdcert.theory.enclose.safe_steps import SmallSteps, StepBracket
from tdcert.theory.engine.certificates import at_step_certificates
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.decreasing import SLOW, at_decreasing_steps, first_below, refused
from tdcert.theory.engine.dynamics import at_ratios
from tdcert.theory.engine.first_order import with_mean_dynamics
from tdcert.theory.engine.jumps import at_constant_step
from tdcert.theory.engine.largest import ENTRIES, Largest, largest_of
from tdcert.theory.engine.means import Stationary
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.laws import mean_square as laws
from tdcert.theory.laws.mean_square import JumpSystem, LargestStep, NearZero
from tdcert.theory.laws.phase_cell import Sign
from tdcert.theory.laws.second_moment_sign import mean_square_sign
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

STABLE, STABLE_MODULO_NULL_SPACE = MeanDynamics.STABLE, MeanDynamics.STABLE_MODULO_NULL_SPACE
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
    shown to be bounded, or in ``largest_why`` why none is named, with the paths of its certificates, if it has any;
    ``safe``: then every step up to it is small enough.
    """

    algorithm: str
    at: AtStep | None
    largest: LargestStep | StepBracket | None
    largest_why: str = ""
    certificates: tuple[str, ...] = ()
    safe: Fraction | None = None


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


def answer_steps(model: Model, question: StepQuestion, algorithms: Sequence[Algorithm] | None = None) -> StepAnswers:
    """The answers for these algorithms on the model's one recurrent class; None: TD (off-policy TD where the policies
    differ), GTD and TDC. Of these windows, and moments by state, decide first (:mod:`tdcert.theory.laws.mean_square`,
    :mod:`tdcert.theory.enclose.safe_steps`); then, and of all others, the engine.

    Raises :class:`InputError` for a function that is not an affine update.
    """
    chosen = map(named, applicable(model)) if algorithms is None else algorithms
    asked = [for_model(algorithm, model)[0] for algorithm in chosen]
    classes = model.behaviour_chain.recurrent_classes
    if len(classes) > 1:
        why = f"the chain has {len(classes)} recurrent classes, and steps are asked about on one; give a model of one"
        return StepAnswers(question, (), why)
    if reduce_features(model, classes[0]) is None:
        return StepAnswers(question, (), "the features vanish on the recurrent states, so no step moves anything")
    if algorithms is None and not model.has_trace_sum_on(classes[0]):
        return StepAnswers(question, (), "the series Σ Nᵏ has no sum; give the schedule a length, or a discount")
    shelf, answers = Shelf(CERTIFICATES), list[StepAnswer]()
    large = StepsByStates.of_model(model, classes[0]) if any(of_paper(x, model) for x in asked) else None
    for algorithm in asked:
        if (paper := of_paper(algorithm, model)) and model.has_trace_sum_on(classes[0]):
            answers.append(_answer(model, paper, question, classes[0], shelf, large))
        else:
            answers.append(_by_engine(model, algorithm, question, classes[0], shelf))
    return StepAnswers(question, tuple(answers), files=tuple(shelf.files))


def of_paper(algorithm: Algorithm, model: Model) -> str | None:
    """The name of one of the paper's four, where it is this update, under the model's schedule, and the theorems are
    about it: TD without importance ratios where policies are equal alone.
    """
    if algorithm.name not in PAPER or not is_shipped(algorithm, model):
        return None
    return algorithm.name if model.is_on_policy or scheduled(algorithm.name).off_policy else None


def _by_engine(
    model: Model, algorithm: Algorithm, question: StepQuestion, states: tuple[int, ...], shelf: Shelf
) -> StepAnswer:
    """What :func:`_answer` says, of any update."""
    name, at, kept = algorithm.name, None, list[str]()
    ratios = [Fraction(1), *[question.ratio] * (len(algorithm.steps) - 1)]
    try:
        found = with_mean_dynamics(model, algorithm, states)
    except InputError as error:  # there may be answers at one step
        why, steps = str(error), Largest(why=str(error))
    else:
        stable = at_ratios(found, ratios).mean_dynamics in (STABLE, STABLE_MODULO_NULL_SPACE)
        steps = largest_of(found, ratios, certify=True) if stable else Largest(why="the mean dynamics are not stable")
        why = ""
    kept += [shelf.put(certificate, model) for certificate in steps.certificates]
    if question.constant is not None:
        at = _engine_at(model, algorithm, question, states, ratios, steps.safe, shelf)
    elif question.a is not None and question.t0 is not None:
        if why:
            at = AtStep(None, None, None, None, "", why)
        else:
            at = at_decreasing(model, algorithm, question, states, found=found)
    return StepAnswer(name, at, steps.largest, steps.why, tuple(kept), steps.safe)


def _engine_at(
    model: Model,
    algorithm: Algorithm,
    question: StepQuestion,
    states: tuple[int, ...],
    ratios: Sequence[Fraction],
    safe: Fraction | None,
    shelf: Shelf,
) -> AtStep:
    """The three answers of any update at the constant step of the question."""
    alpha = question.constant
    assert alpha is not None
    if safe is not None and alpha <= safe:
        return AtStep(alpha, -1, -1, -1, "")
    try:
        found = at_constant_step(model, algorithm, states, ratios, alpha, ENTRIES)
    except (BudgetExceededError, InputError) as error:
        return AtStep(alpha, None, None, None, "", str(error))
    kept = tuple(shelf.put(one, model) for one in at_step_certificates(found, ratios, alpha))
    paths: Sign = -1
    seen = ""
    if found.mean_square != -1:
        path = _paths(model, algorithm, alpha, question.seed, question.ratio)
        paths, seen = (None, path) if isinstance(path, str) else (path.sign, f"{in_words(path)} × 10⁻⁵ per update")
        if paths is not None and found.under_way:  # runs from time zero are others than those simulated
            paths, seen = None, f"of runs under way {seen}"
    return AtStep(alpha, found.mean, found.mean_square, paths, seen, found.why, kept, under_way=found.under_way)


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
            square, why = mean_square_sign(model, scheduled(algorithm), alpha, ratio, states, BOUNDED_WORK)
        if square:
            why = BOUNDED if square == -1 else f"{BOUNDED}; {COUNTED}"
        mean: Sign = -1 if square == -1 else None
        found = StepSigns(mean, square, (mean, square))
    else:
        found = signs_at(system, alpha)
        if keep and found.square:
            kept = (keep(laws.certificate(system, found.square)),)
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


def at_decreasing(
    model: Model,
    algorithm: Algorithm,
    question: StepQuestion,
    states: tuple[int, ...],
    keep: Keep | None = None,
    large: StepsByStates | None = None,
    found: Stationary | None = None,
) -> AtStep:
    """The three answers for one algorithm on its one recurrent class at steps a/(t + t0)^p (module docstring);
    ``large`` and ``found``: of the same, where they are at hand.

    Raises :class:`InputError` for an update without mean dynamics.
    """
    a, t0, p = question.a, question.t0, question.p
    assert a is not None and t0 is not None
    if why := refused(p, str(question)):
        return AtStep(None, None, None, None, "", why)
    near, kept, why = _forms_of_paper(model, algorithm, question, states, keep, large)
    if near is None:
        ratios = [Fraction(1), *[question.ratio] * (len(algorithm.steps) - 1)]
        try:
            said = at_decreasing_steps(found or with_mean_dynamics(model, algorithm, states), ratios, a, t0, p)
        except BudgetExceededError as error:
            return AtStep(None, None, None, None, "", why or str(error))
        return AtStep(None, said.mean, said.mean_square, said.paths, "", said.why, (), said.from_update)
    first = first_below(a, t0, p, near.upto)
    if not near.stable:
        why = "the mean dynamics are unstable" + (f"; {COUNTED}" if first != 0 else "")  # the steps before may undo it
        return AtStep(None, 1, 1, None, "", why, kept)
    return AtStep(None, -1, -1, -1, "", "" if 2 * p > 1 else SLOW, kept, first)


def _forms_of_paper(
    model: Model,
    algorithm: Algorithm,
    question: StepQuestion,
    states: tuple[int, ...],
    keep: Keep | None,
    large: StepsByStates | None,
) -> tuple[NearZero | SmallSteps | None, tuple[str, ...], str]:
    """The forms that decide all small steps of one of the paper's four, and their certificates; or why not."""
    paper = of_paper(algorithm, model)
    if paper is None or not model.has_trace_sum_on(states):
        return None, (), ""
    system = _system(model, paper, question.ratio, states, WORK)
    if isinstance(system, str):
        large = large or StepsByStates.of_model(model, states)
        near = None if large is None else large.small(model.schedule, paper, question.ratio, decreasing=True)
        return near, (), system
    forms = laws.decide_near_zero(system)
    kept = (keep(laws.certificate(system, forms)),) if keep and forms else ()
    return forms, kept, "" if forms else "the mean dynamics are too close to the edge"


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
        at = at_decreasing(model, for_model(named(algorithm), model)[0], question, states, keep, large)
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
        path = (keep(laws.certificate(system, near)),) if keep else ()
        why = f"the mean square is unbounded from some start for every α ≤ {near.upto}"
        return StepAnswer(algorithm, at, None, why, path)
    largest = laws.largest_step(system, near=near)
    if largest is None:
        return StepAnswer(algorithm, at, None, f"every α ≤ {near.upto} is small enough; the search above failed")
    shown = (near, largest.bounded, largest.unbounded)
    paths = tuple(keep(laws.certificate(system, found)) for found in shown) if keep else ()
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
        return laws.quotient_system(model, scheduled(algorithm), ratio, states, entries=entries)
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
