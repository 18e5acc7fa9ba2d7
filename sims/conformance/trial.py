"""The trial: which property of an implementation fails first, on how little, and which mistake it looks like.

Path by path first. On every trajectory of the battery the class must follow the readable twin within a bound on
rounding that any order of additions and multiplications keeps (``tdcert.sims.rounding``); a new instance for each
trajectory, one instance reset for all, and two instances in turns. Three kinds of classes may leave the twin's
paths and be right nevertheless: single precision (a bound of its own), updates held back and made k at a time
(equal after k, 2k, … updates), and randomness of the class's own. These are judged in law as well
(``in_law.py``); for the last, that is all there is. A class that leaves the paths in any other way does not conform.

Agreement on finitely many trajectories is evidence, not proof.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from tdcert.algorithms import one
from tdcert.sims.conformance import messages, path_differences
from tdcert.sims.conformance.battery import GAMMAS, PROPERTIES, TrialCase, kept_battery
from tdcert.sims.conformance.declared import Declared
from tdcert.sims.conformance.drawn import mistakes_of_draws
from tdcert.sims.conformance.path_differences import Difference, KnownMistake, Path
from tdcert.sims.conformance.recording import MODES, WANTS, Recording, handed_out, record
from tdcert.sims.conformance.updates import paper_slots, updates
from tdcert.sims.experiments.gtd_lambda import EVERY, ONE_LAMBDA
from tdcert.sims.judge.agreement import Agreement
from tdcert.sims.mistakes import mistakes_in
from tdcert.sims.rounding import UNIT
from tdcert.sims.trials.elsewhere import Questions, elsewhere, line_of, read_answers
from tdcert.sims.trials.limits import CLASS_SECONDS
from tdcert.sims.trials.place import CodePlace
from tdcert.sims.trials.stops import Stop, refuse_undecided
from tdcert.sims.trials.trial import PropertyAnswer, Status, check_limits, heard
from tdcert.theory.engine.declare import Slot
from tdcert.theory.errors import InputError

W0 = (-0.375, 0.625, 0.5, -0.25)
"""w starts here for a class that takes ``w0``, entry by entry."""

ASKED = {
    "interface": "constructor, reset, step, theta and w as described",
    "start": "after reset: θ and w as given, else zero",
    **PROPERTIES,
    "again": "a second reset begins anew",
    "side_by_side": "two instances do not disturb each other",
    "law": "mean and covariance of the iterates",
}
"""Everything that may be asked, in this order."""
ASKED_OF_DECLARED = ASKED | {
    "interface": "constructor, reset, step and the parameters as declared",
    "start": "after reset: parameters as given, else zero",
    "updates": "further updates",
    "trace": "options that reset takes",
    "episodes": "episodes: transitions of discount 0",
    "ratios": "importance ratios ρ",
}
"""Everything that may be asked of a class that implements a declared update, in this order."""
OF_DRAWS = {
    "updates": "further updates, whatever the draw before was",
    "trace": "the trace of one transition: the memory is empty before each draw",
    "episodes": "transitions of discount 0",
}
"""What is asked in other words where transitions are drawn independently."""


@dataclass(frozen=True)
class PathFailure:
    """What fails first. ``case`` is the smallest trajectory found that shows it (None: none is needed); ``line``: of
    the file of trajectories, where the class ran elsewhere.
    """

    shows: str
    sentence: str
    mistake: str | None = None
    case: TrialCase | None = None
    difference: Difference | None = None
    line: int | None = None


@dataclass(frozen=True)
class Conformance:
    """The outcome. ``how``: ``path_by_path``, ``single_precision``, ``in_batches`` (of ``batch``) or ``in_law``;
    empty where the class does not conform.
    """

    target: str
    algorithm: str
    schedules: str
    discounts: str
    sampling: str
    seed: int
    how: str
    answers: tuple[PropertyAnswer, ...]
    failure: PathFailure | None = None
    batch: int | None = None
    law: tuple[Agreement, ...] = ()
    notes: tuple[str, ...] = ()
    held_to: tuple[str, ...] = ()
    """The update, a line for each of its equations or of its code."""
    asked: Mapping[str, str] = field(default_factory=lambda: ASKED)
    """Property → what is asked."""

    @property
    def conforms(self) -> bool:
        """Whether nothing failed."""
        return self.failure is None


@dataclass(frozen=True)
class Paper:
    """The readable twin of one of the paper's algorithms, or of one λ."""

    words: str
    names: ClassVar[tuple[str, ...]] = path_differences.PAPER
    offered: ClassVar[None] = None

    @property
    def has_law(self) -> bool:
        """Whether exact moments are known: they are, but for the algorithms of one λ."""
        return self.words not in ONE_LAMBDA

    def schedules(self, takes: str) -> str:
        """The kind of schedules that a class is asked for whose ``reset`` says nothing else."""
        return "any" if self.has_law else "constant"

    def slots(self, d: int) -> list[Slot]:
        """θ, and w where it has one."""
        return paper_slots(self.words, d)

    def cases(
        self, schedules: str, seed: int, discounts: str, takes: str, sampling: str = "path"
    ) -> tuple[TrialCase, ...]:
        """The battery, with starts other than zero for what ``reset`` takes."""
        found = kept_battery(self.words, schedules, seed, discounts, sampling)
        if "theta0" not in takes:
            found = tuple(replace(case, theta0=(0.0,) * case.model.d) for case in found)
        if "w0" in takes:
            found = tuple(replace(case, w0=W0[: case.model.d]) for case in found)
        return found

    def path(self, case: TrialCase) -> Path:
        """The twin's."""
        return path_differences.reference(self.words, case)

    def bounds(self, case: TrialCase, right: Path, unit: float = UNIT) -> Path:
        """How far rounding may lead away from it."""
        return path_differences.bounds(self.words, case, right, unit)

    def mistakes(self) -> Sequence[KnownMistake]:
        """Variants of the twin."""
        return [path_differences.OfTheTwins(mistake) for mistake in mistakes_in(self.words)]

    def updates(self, schedules: str) -> tuple[str, ...]:
        """In symbols."""
        return updates(self.words, schedules)


Standard = Paper | Declared
"""What a class is held to."""


def standard_named(words: str) -> Standard:
    """The paper's algorithms by their names; else what :func:`tdcert.algorithms.one` finds.

    Raises :class:`InputError`.
    """
    return Paper(words) if words in EVERY else Declared(words, one(words))


@lru_cache(maxsize=8)
def prepared(
    standard: Standard | str,
    schedules: str,
    seed: int,
    discounts: str = "any",
    takes: str = "theta0",
    sampling: str = "path",
) -> tuple[tuple[TrialCase, ...], tuple[Path, ...], tuple[Path, ...]]:
    """The battery, the right paths, and how far rounding may lead away from them: infinite where that says nothing.

    Raises :class:`InputError` where it says nothing after one update.
    """
    held_to = standard_named(standard) if isinstance(standard, str) else standard
    cases = held_to.cases(schedules, seed, discounts, takes, sampling)
    right = tuple(held_to.path(case) for case in cases)
    allowed = tuple(_bounds(held_to, case, path) for case, path in zip(cases, right, strict=True))
    if any(
        case.shows == "first_update" and not path_differences.judged(x) for case, x in zip(cases, allowed, strict=True)
    ):
        raise InputError(messages.nothing_to_judge(held_to.words))
    return cases, right, allowed


def _bounds(standard: Standard, case: TrialCase, right: Path, unit: float = UNIT) -> Path:
    """How far rounding may lead away from the right path, where that says something."""
    with np.errstate(all="ignore"):  # what overflows says nothing
        return path_differences.telling(right, standard.bounds(case, right, unit))


@dataclass
class _ClassTrial:
    """One class on the battery; the steps of the judgement are its methods."""

    target: CodePlace
    standard: Standard
    schedules: str
    discounts: str
    seed: int
    time_limit: float
    unless: dict[str, str]
    """What was chosen for want of a word, and gives way to what the signature asks for."""
    takes: str = "theta0"
    """What ``reset`` names of what is offered to it."""
    sampling: str = "path"
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        asked: Any = (self.standard, self.schedules, self.seed, self.discounts, self.takes, self.sampling)
        self.cases, right, allowed = prepared(*asked)
        self.right, self.allowed = list(right), list(allowed)

    def run(self, cases: Sequence[TrialCase], modes: Sequence[str] = ("fresh",), seed: int | None = None) -> Recording:
        """The class on some cases, in a process of its own."""
        return record(
            self.target,
            cases,
            slots=self.standard.slots,
            offered=self.standard.offered,
            modes=modes,
            seed=self.seed if seed is None else seed,
            time_limit=self.time_limit,
            unless=self.unless,
        )

    def outcome(self) -> Conformance:
        recording = self.run(self.cases, MODES)
        if recording.stop is not None and recording.stop.kind == WANTS:
            return replace(self, **recording.stop.detail, unless={}, notes=[]).outcome()
        self.notes += heard(recording.printed)
        differing = self._differing(recording.fresh)
        if differing:
            return self._judge_paths(recording, differing)
        failure = self._stopped(recording.stop) if recording.stop else self._instances(recording)
        return self._conformance("" if failure else "path_by_path", recording, failure)

    def _differing(self, paths: Sequence[Path]) -> dict[int, Difference]:
        """Case → first difference, where there is one."""
        rows = zip(paths, self.right, self.allowed, strict=False)
        names = self.standard.names
        found = {i: path_differences.first_difference(*row, names) for i, row in enumerate(rows)}
        return {i: difference for i, difference in found.items() if difference}

    def _stopped(self, stop: Stop) -> PathFailure:
        case = self.cases[stop.case]
        sentence = messages.stopped(stop, case)
        refuse_undecided(self.target, stop, sentence)
        shown = case.part(0, min(stop.step + 1, case.steps)) if stop.step >= 0 else None
        shows = {"fresh": "interface", "reused": "again"}.get(stop.mode, stop.mode)
        return PathFailure(shows, sentence, case=shown)

    # ---- where paths differ ---------------------------------------------------------------------

    def _judge_paths(self, recording: Recording, differing: dict[int, Difference]) -> Conformance:
        """Legitimate ways to differ first, then the smallest failure and its name."""
        worst = self._first(differing)
        case, difference = self.cases[worst], differing[worst]
        alone = self._alone(case, difference)
        cause = self._cause(recording, worst, alone)
        if cause == "runs_before":
            shown = case.part(0, difference.step)
            failure = PathFailure("side_by_side", messages.shared_state(case), case=shown, difference=difference)
            return self._conformance("", recording, failure)
        if not recording.stopped_fresh:
            if cause == "chance":
                return self._in_law(recording, "in_law", case, difference)
            found = self._otherwise(recording, case, difference)
            if found:
                return found
        return self._conformance("", recording, self._failure(recording, case, difference, alone))

    def _first(self, differing: dict[int, Difference]) -> int:
        """The case of the property that fails first, on the smallest model."""
        order = {key: place for place, key in enumerate(ASKED)}

        def place(i: int) -> tuple[int, ...]:
            case, difference = self.cases[i], differing[i]
            shows = order["start"] if difference.step == 0 else order[case.shows]
            return shows, case.model.n, case.model.d, difference.step, len(case.lambdas)

        return min(differing, key=place)

    def _cause(self, recording: Recording, worst: int, alone: Recording) -> str:
        """What a wrong path hangs on: the class ``itself``, the ``runs_before``, or ``chance``.

        Alone in a process, with other random numbers, a class without either makes the same bits again, on the
        failing case and on the longest. If it does not, everything is run again in order, with other random numbers.
        """
        fresh = recording.fresh
        compared = [fresh[worst]] if recording.stopped_fresh else [fresh[worst], fresh[-1]]
        if len(alone.fresh) < len(compared) or _same_bits(compared, alone.fresh):
            return "itself"
        replayed = self.run(self.cases[: len(fresh)], seed=self.seed + 2)
        return "runs_before" if _same_bits(fresh, replayed.paths["fresh"]) else "chance"

    def _otherwise(self, recording: Recording, case: TrialCase, difference: Difference) -> Conformance | None:
        """Single precision, or updates made k at a time; None where neither explains every path."""
        fresh, how, batch = recording.paths["fresh"], "single_precision", None
        coarse = self._coarse(fresh)
        if coarse is None:
            how, batch = "in_batches", path_differences.batch_length(fresh, self.right, self.allowed)
            if batch is None:
                return None
            self.right = [path_differences.held(path, batch) for path in self.right]
            self.allowed = [path_differences.held(path, batch) for path in self.allowed]
        else:
            self.allowed = coarse
        failure = self._stopped(recording.stop) if recording.stop else self._instances(recording)
        if failure:
            return self._conformance("", recording, failure)
        return self._in_law(recording, how, case, difference, batch)

    def _coarse(self, fresh: Sequence[Path]) -> list[Path] | None:
        """The bounds of single precision, if every path keeps them and one shows a sign of it."""
        differing, coarse = self._differing(fresh), dict[int, Path]()
        for i in sorted(range(len(fresh)), key=lambda i: i not in differing):
            coarse[i] = _bounds(self.standard, self.cases[i], self.right[i], path_differences.SINGLE)
            if not path_differences.all_within([fresh[i]], [self.right[i]], [coarse[i]]):
                return None  # most wrong classes leave them at once, and bounds take long
        # what leaves its path only where the coarse bound says nothing has shown no sign of single precision
        leaves = [np.isfinite(coarse[i][0][found.step]).all() for i, found in differing.items()]
        return [coarse[i] for i in range(len(fresh))] if any(leaves) else None

    def _parts(self, case: TrialCase, difference: Difference) -> list[TrialCase]:
        """The pieces of a trajectory up to where it fails, shortest first."""
        end = difference.step
        pieces = [case.part(i, j) for i in range(max(0, end - 8), end) for j in range(i + 1, end + 1)]
        return sorted(pieces, key=lambda piece: piece.steps)

    def _alone(self, case: TrialCase, difference: Difference) -> Recording:
        """Runs, with other random numbers, the failing case by itself, the longest one, then pieces of the former."""
        return self.run([case, self.cases[-1], *self._parts(case, difference)], seed=self.seed + 1)

    def _mistakes(self) -> Sequence[KnownMistake]:
        known = self.standard.mistakes()
        return known if self.sampling == "path" else [*mistakes_of_draws(self.standard.path), *known]

    def _failure(self, recording: Recording, case: TrialCase, difference: Difference, alone: Recording) -> PathFailure:
        """On the shortest piece that shows a difference, in the words of a mistake that explains the paths."""
        fresh, stop = recording.fresh, recording.stop
        differing = list(self._differing(fresh))
        like = path_differences.mistake_in(self._mistakes(), self.cases[: len(fresh)], fresh, differing)
        shows = "start" if difference.step == 0 else case.shows
        for piece, path in zip(self._parts(case, difference), alone.fresh[2:], strict=False):
            right = self.standard.path(piece)
            allowed = _bounds(self.standard, piece, right)
            found = path_differences.first_difference(path, right, allowed, self.standard.names)
            if found and found.step == piece.steps:
                case, difference = piece, found
                break
        steps = [(path_differences.divergence(path), i) for i, path in enumerate(fresh)]
        diverged = [(step, i) for step, i in steps if step is not None]
        if diverged and difference.kind != "diverges":
            step, i = min(diverged)
            self.notes.append(messages.diverged_elsewhere(step, self.cases[i]))
        if stop is not None:
            self.notes.append(f"later: {messages.stopped(stop, self.cases[stop.case])}")
        shown = case.part(0, difference.step)
        return PathFailure(
            shows, messages.differs(case, difference, like), like.words if like else None, shown, difference
        )

    def _instances(self, recording: Recording) -> PathFailure | None:
        """One instance for all trajectories, and two in turns, against one for each."""
        for mode, shows in (("reused", "again"), ("side_by_side", "side_by_side")):
            paths = recording.paths[mode]
            differing = self._differing(paths if mode == "reused" else paths[: len(paths) // 2 * 2])
            if differing:
                i = min(differing)
                case, difference = self.cases[i], differing[i]
                say = messages.reset_keeps if mode == "reused" else messages.instances_share
                return PathFailure(shows, say(case, difference), case=case, difference=difference)
        return None

    # ---- in law ---------------------------------------------------------------------------------

    def _in_law(
        self, recording: Recording, how: str, case: TrialCase, difference: Difference, batch: int | None = None
    ) -> Conformance:
        """Moments for a class whose paths differ in a legitimate way."""
        from tdcert.sims.conformance.in_law import StoppedError, compare_in_law

        if not self.standard.has_law or self.sampling != "path":
            if how != "in_law":
                self.notes.append(messages.no_law(self.standard.words, self.sampling))
                return replace(self._conformance(how, recording, None), batch=batch)
            unjudged = PathFailure("law", messages.random_without_law(self.standard.words, self.sampling))
            return self._conformance("", recording, unjudged, paths_count=False)
        asked = self.target, self.standard.words, self.schedules, self.seed, self.time_limit
        gamma = GAMMAS[0] if self.discounts == "constant" else None
        try:
            law = compare_in_law(*asked, every=batch or 1, takes=self.takes, gamma=gamma)
        except StoppedError as stopped:
            failure: PathFailure | None = PathFailure(
                "law", f"the runs that are compared in law have no end: {stopped}"
            )
            return self._conformance("", recording, failure, paths_count=how != "in_law")
        against = next((found for found in law if not found.agrees), None)
        failure = None
        if against:
            failure = PathFailure("law", messages.law_differs(how, against), case=case, difference=difference)
        result = self._conformance("" if failure else how, recording, failure, paths_count=how != "in_law")
        answer = PropertyAnswer("law", "fails" if failure else "passes", sum(found.n for found in law), 0)
        return replace(result, law=law, batch=batch, answers=(*result.answers, answer))

    # ---- the table ------------------------------------------------------------------------------

    def _conformance(
        self, how: str, recording: Recording, failure: PathFailure | None, paths_count: bool = True
    ) -> Conformance:
        answers = self._answers(recording, failure, bool(how))[: None if paths_count else 1]
        return Conformance(
            self.target.label,
            self.standard.words,
            self.schedules,
            self.discounts,
            self.sampling,
            self.seed,
            how,
            tuple(answers),
            failure,
            notes=tuple(self.notes),
            held_to=self.standard.updates(self.schedules),
            asked=self.asked,
        )

    @property
    def asked(self) -> Mapping[str, str]:
        """Property → what is asked."""
        asked = ASKED if self.standard.offered is None else ASKED_OF_DECLARED
        return asked if self.sampling == "path" else asked | OF_DRAWS

    def _answers(self, recording: Recording, failure: PathFailure | None, conforms: bool) -> list[PropertyAnswer]:
        """Every property with what was compared; what a run never came to is not judged."""
        stop, total = recording.stop, len(self.cases)
        at = MODES.index(stop.mode) if stop else len(MODES)
        reached = [total if mode < at else (stop.case if stop and mode == at else 0) for mode in range(len(MODES))]
        failed = {} if conforms else self._differing(recording.fresh)
        wrong = {i for i, difference in failed.items() if difference.step == 0}
        judged = [path_differences.judged(bound) for bound in self.allowed]
        beyond = [case.shows for case, count in zip(self.cases, judged, strict=True) if count < case.steps]
        if beyond:
            self.notes.append(messages.not_judged([self.asked[shows] for shows in dict.fromkeys(beyond)]))
        found = [PropertyAnswer("interface", "fails" if recording.stopped_fresh else "passes", sum(reached), 0)]
        status: Status = "fails" if wrong else "passes" if reached[0] == total else "not_judged"
        found.append(PropertyAnswer("start", status, reached[0], 0))
        for shows in PROPERTIES:
            asked = {i: case for i, case in enumerate(self.cases) if case.shows == shows}
            if asked:
                updates = {i: 0 if i in wrong else judged[i] for i in asked if i < reached[0]}
                bad = any(i in failed and i not in wrong for i in updates)
                whole = [*updates.values()] == [case.steps for case in asked.values()]
                status = "fails" if bad else "passes" if whole else "not_judged"
                found.append(PropertyAnswer(shows, status, len(updates), sum(updates.values())))
        for mode, shows in ((1, "again"), (2, "side_by_side")):
            status = "passes" if reached[mode] == total and not failed else "not_judged"
            if failure and failure.shows == shows:
                status = "fails"
            found.append(PropertyAnswer(shows, status, reached[mode], sum(judged[: reached[mode]])))
        return found


@dataclass
class _PathsElsewhere(_ClassTrial):
    """A class that ran elsewhere: its paths along the trajectories of the battery, and along no others."""

    paths: Sequence[Path] = ()
    precision: str | None = None

    def outcome(self) -> Conformance:
        """Path by path, to single precision where that is what the file says of itself."""
        how = "path_by_path"
        if self.precision not in (None, "float64"):
            how, asked = "single_precision", zip(self.cases, self.right, strict=True)
            self.allowed = [_bounds(self.standard, case, path, path_differences.SINGLE) for case, path in asked]
        recording = Recording({"fresh": list(self.paths)}, None, (0, ""))
        differing, failure = self._differing(recording.fresh), None
        if differing:
            worst = self._first(differing)
            nowhere = Recording({"fresh": []}, None, (0, ""))
            failure = self._failure(recording, self.cases[worst], differing[worst], nowhere)
            failure = replace(failure, line=line_of(worst))
        found = self._conformance("" if failure else how, recording, failure)
        unasked = ("interface", "again", "side_by_side")  # how it was called is not known
        return replace(found, answers=tuple(one for one in found.answers if one.shows not in unasked))


def _same_bits(some: Sequence[Path], others: Sequence[Path]) -> bool:
    """Whether the first paths are the same numbers, bit for bit."""
    pairs = ((x, y) for one, other in zip(some, others, strict=False) for x, y in zip(one, other, strict=True))
    return all(np.array_equal(x, y, equal_nan=True) for x, y in pairs)


def put_on_trial(
    target: str | type,
    algorithm: str,
    *,
    schedules: str | None = None,
    discounts: str | None = None,
    sampling: str = "path",
    seed: int = 0,
    time_limit: float = CLASS_SECONDS,
) -> Conformance:
    """Whether a class does what an algorithm is: one that ships, such as ``td`` or ``retrace[lam=1/2]``, or the update
    that ``FILE.py:NAME`` declares.

    ``target``: ``module:Class``, ``path/to/file.py:Class``, ``notebook.ipynb:Class``, or a class at the top level of a
    file or a notebook. ``schedules``: ``any``, ``constant``, ``n_step`` or ``zero``; ``discounts``: ``any`` or
    ``constant``; None: what the signature of ``reset`` and the algorithm say, else ``any``. ``sampling``: ``path``, or
    ``independent``: each transition is drawn without regard to those before, and marked ``first``.
    ``time_limit``: seconds for each process that the class is run in (one, a second where its paths differ, one more
    for each model it is compared on in law).

    Raises :class:`InputError` for an unknown algorithm, schedule or discount, another number than asked for, a class
    that is not found, and one that has not ended by the time limit and was right until then.
    """
    standard = standard_named(algorithm)
    check_limits(seed, time_limit)
    place = CodePlace.of(target, "class")
    given = {what: word for what, word in (("schedules", schedules), ("discounts", discounts)) if word is not None}
    chosen = {"schedules": standard.schedules(""), "discounts": "any", "takes": "theta0"}
    unless = {what: word for what, word in chosen.items() if what not in given}
    if standard.offered is not None:
        chosen, unless = _taken(place, standard, time_limit), {}
    words = chosen | given
    asked = words["schedules"], words["discounts"], seed, time_limit, unless, words["takes"]
    return _ClassTrial(place, standard, *asked, sampling=sampling).outcome()


def trajectories_elsewhere(
    algorithm: str,
    *,
    schedules: str | None = None,
    discounts: str | None = None,
    sampling: str = "path",
    seed: int = 0,
) -> tuple[Questions, _PathsElsewhere]:
    """Every trajectory of a trial, for code that runs elsewhere, and the trial, which waits for its paths.

    Raises :class:`InputError` for an unknown algorithm, schedule or discount.
    """
    standard = standard_named(algorithm)
    takes = ",".join(standard.offered) if standard.offered is not None else "theta0"
    kinds = schedules or standard.schedules(takes), discounts or "any"
    cases = prepared(standard, kinds[0], seed, kinds[1], takes, sampling)[0]
    about = {"algorithm": algorithm, "schedules": kinds[0], "discounts": kinds[1], "seed": seed}
    about |= {} if sampling == "path" else {"sampling": sampling}
    questions = Questions(about, [handed_out(case, standard.offered is None) for case in cases])
    waiting = _PathsElsewhere(elsewhere(""), standard, *kinds, seed, CLASS_SECONDS, {}, takes, sampling=sampling)
    return questions, waiting


def judge_paths(
    file: str,
    algorithm: str,
    *,
    schedules: str | None = None,
    discounts: str | None = None,
    sampling: str = "path",
    seed: int = 0,
) -> Conformance:
    """Whether the parameters in a file, ``tdcert-answers/1``, follow the algorithm along the trajectories that
    :func:`trajectories_elsewhere` writes for it.

    Raises :class:`InputError` for an unknown algorithm, schedule or discount, and a file that answers other
    trajectories, or not all.
    """
    asked: Any = {"schedules": schedules, "discounts": discounts, "sampling": sampling, "seed": seed}
    questions, trial = trajectories_elsewhere(algorithm, **asked)
    answers = read_answers(file, questions)
    paths = []
    for k, case in enumerate(trial.cases):
        slots, rows = trial.standard.slots(case.model.d), case.steps + 1
        found = (answers.array(k, slot.name, (rows, *slot.shape)) for slot in slots)
        paths.append(tuple(x.reshape(rows, -1) for x in found))
    return replace(trial, target=elsewhere(file), paths=paths, precision=answers.precision).outcome()


def _taken(place: CodePlace, standard: Standard, time_limit: float) -> dict[str, str]:
    """What the ``reset`` of a class takes, and the schedules and discounts that go with it."""
    cases = standard.cases("zero", 0, "any", "")[:1]
    slots, offered, unless = standard.slots, standard.offered, {"takes": "?", "discounts": "any"}
    stop = record(place, cases, slots=slots, offered=offered, time_limit=time_limit, unless=unless).stop
    found = dict(stop.detail) if stop is not None and stop.kind == WANTS else {"takes": ""}
    return {"schedules": standard.schedules(found["takes"]), "discounts": "any", **found}
