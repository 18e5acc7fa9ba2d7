"""Is a step small enough? What the steps that a user gives do: in the mean, in mean square, and on paths.

**A constant step.** Mean and mean square are those of :mod:`tdcert.theory.engine.second_moments`, as of any update.
Paths that mean square does not decide are decided by bounds of their exponent (``tdcert.theory.engine.paths``), and
where these are open they are simulated, in the stationary regime, as in a phase diagram
(``tdcert.sims.phases.cells``). Stable mean dynamics say nothing of this: they are the limit of small steps.

**Steps a/(t + t0)^p, 0 < p ≤ 1.** They fall to zero and their sum is infinite. Where the mean dynamics are stable,
let X, T ≻ 0 decide all small steps (:class:`~tdcert.theory.laws.mean_square.NearZero`), and V_t = y_tᵀ(X + α_tT)y_t.
As α_{t+1} ≤ α_t and T ≻ 0, from the update on from which α_t ≤ α_0

    E[V_{t+1} | past] ≤ V_t − α_t y_tᵀF(α_t)y_t ≤ (1 − cα_t)V_t,

so E V_t → 0, and V_t, a supermartingale that is not negative, → 0 on almost every path: differences die out in every
sense. Where an eigenvalue of the mean dynamics has a positive real part the form grows in the same way: by a factor
1 + cα_t − O(α_t²) a step from some start. With p > 1 the sum of the steps is finite, and nothing is decided.

Constant steps, and the largest one, are decided by :mod:`tdcert.theory.engine.second_moments`, as of any update.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from tdcert.algorithms.schedules import TITLES, applicable, as_of_the_paper, certificate, declared, scheduled
from tdcert.analysis.limits import LARGEST_STEP_WINDOWS, NARROWED_WORK, STEP_BOUNDED_WORK, STEP_WORK
from tdcert.analysis.request import StepQuestion
from tdcert.analysis.row import AlgorithmRow
from tdcert.sims.growth_signs import Round, SignQuestion, find_signs, in_words
from tdcert.theory.certificate.shelf import FiledCertificate, Shelf
from tdcert.theory.check.mean_dynamics import reduce_features
from tdcert.theory.enclose.safe_steps import SmallSteps, StepBracket
from tdcert.theory.enclose.steps_by_states import StepsByStates
from tdcert.theory.engine import decreasing
from tdcert.theory.engine.declare import Algorithm, ratios_of
from tdcert.theory.engine.first_order import with_mean_dynamics
from tdcert.theory.engine.paths import NEVER_CUT, on_paths
from tdcert.theory.engine.second_moments import (
    TOO_MANY,
    UNDER_WAY,
    OfSchedule,
    at_constant_step,
    largest_of,
    system_within,
)
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.laws import mean_square as laws
from tdcert.theory.laws.mean_square import LargestStep, NearZero
from tdcert.theory.laws.path_exponents import ONE_LAW, PathSign, Runs
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Certificate, Sign

if TYPE_CHECKING:
    from tdcert.sims.growth import PathStability

ROUNDS = (Round(80, 10_000),)
LEVEL = 0.999
"""Probability with which a sign of paths that is given is right."""
CERTIFICATES = "certificates/steps"
"""Where in a report they lie."""

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
    decreasing steps: −1 they die out, 1 they grow from some start, 0 they do neither at a rate, None undecided.
    ``paths``: −1 where mean square dies out, and so almost every path; else the sign of the ``exponent`` where its
    bounds show that; else simulated, with the bounds beside it. ``paths_why`` says what was shown or seen. ``why``:
    what stood in the way of the exact signs, if anything did. ``certificates``: paths of files that show mean square
    and paths. ``from_update``: the first of decreasing steps that is within the steps certified as small. All this is
    about runs from time zero; ``under_way``: mean and mean square of runs under way, where they are others. ``runs``:
    what follows of runs, rewards and all (:data:`~tdcert.theory.laws.path_exponents.Runs`), None where it is not known.
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
    exponent: PathSign | None = None
    runs: Runs = None

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

    def in_row(self, row: AlgorithmRow) -> AlgorithmRow:
        """The row of an algorithm, with what is answered here where it did not know."""
        said = next((one for one in self.answers if one.algorithm == row.label), None)
        if said is not None and row.largest is None and said.largest is not None:
            row = replace(row, largest=said.largest, why_no_largest="")
        at, known = None if said is None else said.at, row.at_step
        if at is None or known is None or known.mean_square is not None or at.mean_square is None:
            return row
        mean = at.mean if known.mean is None else known.mean
        said_of_it = replace(known, mean=mean, mean_square=at.mean_square, why=at.why, under_way=at.under_way)
        return replace(row, at_step=said_of_it)


def answer_steps(
    model: Model,
    question: StepQuestion,
    algorithms: Sequence[str] | None = None,
    rows: Sequence[AlgorithmRow] = (),
) -> StepAnswers:
    """The answers on the model's one recurrent class for those of the paper's ``algorithms``, all that apply by
    default, and for all others of which there are ``rows``, from what these say of the steps.
    """
    classes = model.classes
    if len(classes) > 1:
        why = f"the chain has {len(classes)} recurrent classes, and steps are asked about on one; give a model of one"
        return StepAnswers(question, (), why)
    if reduce_features(model, classes[0]) is None:
        return StepAnswers(question, (), "the features vanish on the recurrent states, so no step moves anything")
    if model.sampling is not None or model.lambda_by_state is not None:
        shelf = Shelf(CERTIFICATES)
        return StepAnswers(
            question, tuple(_of_row(model, row, question, shelf) for row in rows), files=tuple(shelf.files)
        )
    if model.lambda_by_state is None and not model.has_trace_sum_on(classes[0]):
        return StepAnswers(question, (), "the series Σ Nᵏ has no sum; give the schedule a length, or a discount")
    shelf = Shelf(CERTIFICATES)
    plain = model.without_interest  # what is said of the paper's algorithms is said of it
    by_states = StepsByStates.of_model(plain, classes[0])
    names = applicable(model) if algorithms is None else algorithms
    answers = [_answer(plain, algorithm, question, classes[0], shelf, by_states) for algorithm in names]
    answers = [replace(one, sizes=scheduled(one.algorithm).steps) for one in answers]
    for row in rows:
        if row.label in names:
            continue
        same = as_of_the_paper(row.algorithm, model.schedule, model.is_on_policy)  # under another name
        if same is None:
            answers.append(_of_row(model, row, question, shelf))
        else:
            said = _answer(plain, same, question, classes[0], shelf, by_states)
            answers.append(replace(said, algorithm=row.label, sizes=scheduled(same).steps))
    return StepAnswers(question, tuple(answers), files=tuple(shelf.files))


def _of_row(model: Model, row: AlgorithmRow, question: StepQuestion, shelf: Shelf) -> StepAnswer:
    """What the row of an algorithm says of the steps asked about, and what its paths do where that says nothing."""
    at, found, later = None, row.at_step, row.decreasing
    if found is not None:
        at = AtStep(found.alpha, found.mean, found.mean_square, None, "", found.why, under_way=found.under_way)
        under_way = bool(at.under_way)
        asked = model, row.algorithm, row.states, question.seed, question.ratio, shelf, under_way, found.has_one_law
        at = _with_paths(at, *asked)
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
    form: OfSchedule | None = None,
    shelf: Shelf | None = None,
) -> AtStep:
    """The three answers for one algorithm on its one recurrent class, at α and β = ``ratio`` α; ``form``: of the same
    model, where it is at hand; ``keep``, ``shelf``: what files certificates of mean square, and of paths.
    """
    update = declared(algorithm, model)
    form = form or _form(model, algorithm, states)
    entries = STEP_WORK // _size(model, algorithm, states)
    ratios = ratios_of(update, ratio)
    found = at_constant_step(model, update, states, ratios, alpha, entries, bounded=STEP_BOUNDED_WORK, form=form)
    kept = (keep(certificate(found.system, found.square)),) if keep and found.system and found.square else ()
    at = AtStep(alpha, found.mean, found.mean_square, None, "", found.why, kept, under_way=found.under_way)
    return _with_paths(at, model, algorithm, states, seed, ratio, shelf, found.is_confined, found.has_one_law)


def _with_paths(
    at: AtStep,
    model: Model,
    algorithm: str | Algorithm,
    states: tuple[int, ...],
    seed: int,
    ratio: Fraction,
    shelf: Shelf | None,
    confined: bool,
    has_one_law: bool,
) -> AtStep:
    """The third answer. ``confined``: runs from time zero are others than those under way, which are simulated;
    ``has_one_law``: mean square shows that runs have one stationary law.
    """
    if at.mean_square == -1:
        return replace(at, paths=-1, runs=ONE_LAW if has_one_law else None)
    alpha = at.alpha
    assert alpha is not None
    update = declared(algorithm, model) if isinstance(algorithm, str) else algorithm
    found = on_paths(model, update, states, ratios_of(update, ratio), alpha)
    exponent = found.sign
    if exponent.shown or exponent.enclosed:
        kept = tuple(shelf.put(one, model) for one in found.certificates) if shelf else ()
        at = replace(at, exponent=exponent, certificates=(*at.certificates, *kept))
    if exponent.sign is not None:
        words = exponent.in_words
        if exponent.sign == -1 and at.mean_square == 1:
            words += "; averages over runs mislead, as the mean square grows"
        if exponent.sign == 1 and at.mean == -1:
            words += "; averages over runs mislead, as the mean dies out"
        words = "; ".join(x for x in (words, exponent.runs_in_words) if x)
        if exponent.sign == 1 and not exponent.from_time_zero:
            return replace(at, paths_why=f"of runs under way: {words}")
        return replace(at, paths=exponent.sign, paths_why=words, runs=exponent.runs)
    path = _simulated(model, algorithm, alpha, seed, ratio)
    if isinstance(path, str):
        return replace(at, paths_why=path)
    seen = f"{in_words(path)} × 10⁻⁵ per update"
    if exponent.shown:
        seen += f"; {exponent.in_words}"
    if exponent.why == NEVER_CUT:
        seen += f"; no bound: {NEVER_CUT}"
    if path.sign is not None and confined:
        return replace(at, paths_why=f"of runs under way {seen}")
    return replace(at, paths=path.sign, paths_why=seen)


def _form(model: Model, algorithm: str, states: tuple[int, ...]) -> OfSchedule:
    return OfSchedule(scheduled(algorithm), StepsByStates.of_model(model, states))


def at_decreasing_steps(
    model: Model,
    algorithm: str,
    question: StepQuestion,
    states: tuple[int, ...],
    keep: Keep | None = None,
    form: OfSchedule | None = None,
) -> AtStep:
    """The three answers for one algorithm on its one recurrent class at steps a/(t + t0)^p (module docstring)."""
    a, t0, p = question.a, question.t0, question.p
    assert a is not None and t0 is not None
    if why := decreasing.refused(p, str(question)):
        return AtStep(None, None, None, None, "", why)
    update = declared(algorithm, model)
    found, ratios = with_mean_dynamics(model, update, states), ratios_of(update, question.ratio)
    near: NearZero | SmallSteps | None
    kept: tuple[str, ...] = ()
    try:
        system = system_within(found, ratios, STEP_WORK // _size(model, algorithm, states))
    except BudgetExceededError:
        system = None
    if system is None:
        by_states = (form or _form(model, algorithm, states)).by_states
        asked = model.schedule, scheduled(algorithm), question.ratio
        near = None if by_states is None else by_states.small(*asked, decreasing=True)
    else:
        near = laws.decide_near_zero(system)
        kept = (keep(certificate(system, near)),) if keep and near else ()
    if near is None:
        try:
            said = decreasing.at_decreasing_steps(found, ratios, a, t0, p)
        except BudgetExceededError as error:
            why = TOO_MANY if system is None else "the mean dynamics are too close to the edge"
            return AtStep(None, None, None, None, "", f"{why}; {error}")
        return AtStep(None, said.mean, said.mean_square, said.paths, "", said.why, (), said.from_update)
    first = decreasing.first_below(a, t0, p, near.upto)
    if not near.stable:
        counted = f"; {UNDER_WAY}" if first != 0 else ""  # the steps before may undo it
        why = f"the mean dynamics are unstable{counted}"
        return AtStep(None, 1, 1, None, "", why, kept)
    return AtStep(None, -1, -1, -1, "", "" if 2 * p > 1 else decreasing.SLOW, kept, first)


def _answer(
    model: Model,
    algorithm: str,
    question: StepQuestion,
    states: tuple[int, ...],
    shelf: Shelf,
    by_states: StepsByStates | None,
) -> StepAnswer:
    reduced = reduce_features(model, states)
    keep: Keep | None = None
    if reduced is not None and reduced.is_full:  # what is decided on a quotient speaks of no model
        keep = lambda certificate: shelf.put(certificate, model)  # noqa: E731
    at, form = None, OfSchedule(scheduled(algorithm), by_states)
    if question.constant is not None:
        at = at_step(model, algorithm, question.constant, states, question.seed, question.ratio, keep, form, shelf)
    elif question.a is not None:
        at = at_decreasing_steps(model, algorithm, question, states, keep, form)
    update = declared(algorithm, model)
    regime, ratios = with_mean_dynamics(model, update, states), ratios_of(update, question.ratio)
    found = largest_of(regime, ratios, entries=LARGEST_STEP_WINDOWS, narrowed=NARROWED_WORK, form=form)
    paths = [keep(certificate(found.system, shown)) for shown in found.shown if found.system] if keep else []
    return StepAnswer(algorithm, at, found.largest, found.why, tuple(paths))


def _size(model: Model, algorithm: str, states: tuple[int, ...]) -> int:
    """D of the quotient."""
    return max(1, model.features.take(rows=states).rank * scheduled(algorithm).blocks)


def _simulated(
    model: Model, algorithm: str | Algorithm, alpha: Fraction, seed: int, ratio: Fraction
) -> PathStability | str:
    """What most runs do, or why it is not known."""
    question = SignQuestion("the step given", model, algorithm, float(alpha), float(ratio))
    try:
        return find_signs([question], ROUNDS, seed=seed, name="paths at the step given", level=LEVEL)[0]
    except InputError as error:
        return str(error)
