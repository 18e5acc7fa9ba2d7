"""The trial of a function that estimates returns: which property fails first, on how little, and what it looks like.

The function is called on the rows of ``cases.battery``, in a process of its own, and every number that it returns is
held against the exact one, within a bound on rounding that any order of operations keeps (``rounding.py``). The first
property that fails is shown on the smallest row: alone in a call where it fails there too. Agreement on finitely many
rows is evidence, not proof; for a function that is linear in rewards and values the short rows are all rows of their
patterns.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdcert.sims.estimators import messages
from tdcert.sims.estimators.calls import Returned, handed_out, run, shape_of
from tdcert.sims.estimators.cases import PROPERTIES, Battery, Call, battery, with_owed
from tdcert.sims.estimators.contract import CHOICES, Contract, load_contract
from tdcert.sims.estimators.judging import WrongNumber, judged
from tdcert.sims.estimators.layout import unplaced
from tdcert.sims.estimators.mistakes import mistake_in
from tdcert.sims.estimators.rounding import SMALLEST
from tdcert.sims.trials.elsewhere import Questions, elsewhere, line_of, read_answers
from tdcert.sims.trials.limits import FUNCTION_SECONDS, PATTERNS
from tdcert.sims.trials.place import CodePlace
from tdcert.sims.trials.stops import refuse_undecided
from tdcert.sims.trials.trial import PropertyAnswer, Status, check_limits, heard
from tdcert.theory.errors import InputError

Array = NDArray[np.float64]
ASKED = {
    "interface": "called as declared: arguments, shapes, numbers; inputs left alone; the same again",
    **PROPERTIES,
    "precision": "single precision",
}


@dataclass(frozen=True)
class RowFailure:
    """What fails first. ``call`` and ``row``: the smallest found that shows it, and which of its rows; ``returned``:
    output → what was returned for that row; ``line``: of the file of rows, where the call was made elsewhere.
    """

    shows: str
    sentence: str
    mistake: str | None = None
    call: Call | None = None
    row: int = 0
    difference: WrongNumber | None = None
    returned: dict[str, list[float]] | None = None
    line: int | None = None


@dataclass(frozen=True)
class EstimatorTrial:
    """The outcome under one contract. ``whole``: all patterns of up to so many steps were tried."""

    target: str
    contract: Contract
    seed: int
    answers: tuple[PropertyAnswer, ...]
    failure: RowFailure | None
    whole: int
    precision: str
    notes: tuple[str, ...] = ()

    @property
    def conforms(self) -> bool:
        """Whether nothing failed."""
        return self.failure is None


prepared = lru_cache(maxsize=64)(battery)


@dataclass
class _Trial(ABC):
    """What a function returns, held against what one contract declares."""

    target: CodePlace
    contract: Contract
    seed: int
    patterns: int

    @abstractmethod
    def run(self, calls: Sequence[Call]) -> Returned:
        """What it returns."""

    def outcome(self) -> EstimatorTrial:
        tried = prepared(self.contract, self.seed, self.patterns)
        returned = self.run(tried.calls)
        wrong = list(self._wrong(tried.calls, returned))
        failure = self._smallest(tried.calls, returned, wrong) if wrong else None
        notes = heard(returned.printed)
        if returned.stop is not None:
            call = tried.calls[returned.stop.case]
            sentence = messages.stopped(returned.stop, self.contract, call)
            if failure is None:
                refuse_undecided(self.target, returned.stop, sentence, f" under {self.contract.name}")
                failure = RowFailure("interface", sentence, call=replace(call, rows=call.rows[:1]))
            else:
                notes.append(f"later: {sentence}")
        first = self.contract.dtypes[0]
        made = zip(returned.precision[: returned.reached], tried.calls, strict=False)
        precision = reduce(_coarser, [found for found, call in made if call.dtype == first], first)
        if precision != first and failure is None:
            notes.append(f"it returns {precision} where it is given {first}, and is held to {precision}")
        return EstimatorTrial(
            self.target.label,
            self.contract,
            self.seed,
            tuple(self._answers(tried, returned, set(wrong), failure)),
            failure,
            tried.whole,
            precision,
            tuple(notes),
        )

    def _wrong(self, calls: Sequence[Call], returned: Returned) -> Iterator[int]:
        """The calls with a number outside of its bound."""
        for i, call in enumerate(calls[: returned.reached]):
            if self._difference(call, returned.outputs[i], returned.precision[i]):
                yield i

    def _smallest(self, calls: Sequence[Call], returned: Returned, wrong: Sequence[int]) -> RowFailure:
        """The smallest rows of the first failing property alone, else the call that showed it."""
        first = calls[wrong[0]]
        shows = _shows(first, self.contract)
        candidates: list[Call] = []
        for i in wrong:
            call = calls[i]
            if _shows(call, self.contract) == shows:
                owed = judged(self.contract, call, _coarser(call.dtype, returned.precision[i]))
                bad = np.flatnonzero(owed.wrong_rows(returned.outputs[i]))
                candidates += [replace(call, rows=(call.rows[int(k)],)) for k in bad]
        tried = sorted(candidates, key=_size)[:6]
        if shows in ("long", "precision", "batch", "padding", "ratios", "per_step"):
            tried = [*(part for call in tried[:1] for part in _parts(self.contract, call)), *tried]
        again = self.run(tried)
        for call, outputs, precision in list(zip(tried, again.outputs, again.precision, strict=True))[: again.reached]:
            found = self._difference(call, outputs, precision)
            if found:
                return self._failure(shows, call, found, outputs, calls, returned)
        # a row that is right alone is wrong beside others
        found = self._difference(first, returned.outputs[wrong[0]], returned.precision[wrong[0]])
        assert found is not None
        shows = "batch" if len(first.rows) > 1 else shows
        return self._failure(shows, first, found, returned.outputs[wrong[0]], calls, returned)

    def _difference(self, call: Call, outputs: dict[str, Array], precision: str) -> tuple[int, WrongNumber] | None:
        owed = judged(self.contract, call, _coarser(call.dtype, precision))
        for name, wrong in owed.wrong(outputs).items():
            if wrong.any():
                k, place = (int(x) for x in np.argwhere(wrong)[0])
                case = call.rows[k]
                right = case.exact[name][case.places(self.contract)[place]]
                found, allowed = (float(x[name][k, place]) for x in (outputs, owed.allowed))
                return k, WrongNumber(name, place, found, right, allowed)
        return None

    def _failure(
        self,
        shows: str,
        call: Call,
        found: tuple[int, WrongNumber],
        outputs: dict[str, Array],
        calls: Sequence[Call],
        returned: Returned,
    ) -> RowFailure:
        k, difference = found
        like = mistake_in(self.contract, calls[: returned.reached], returned.outputs[: returned.reached])
        sentence = messages.differs(self.contract, call, difference, like)
        shown = {name: array[k].tolist() for name, array in outputs.items()}
        return RowFailure(shows, sentence, like.words if like else None, call, k, difference, shown)

    def _answers(
        self, tried: Battery, returned: Returned, wrong: set[int], failure: RowFailure | None
    ) -> Iterator[PropertyAnswer]:
        yield PropertyAnswer("interface", "fails" if returned.stop else "passes", 0, returned.reached)
        for shows in (*PROPERTIES, "precision"):
            asked = [i for i, call in enumerate(tried.calls) if _shows(call, self.contract) == shows]
            if not asked:
                continue
            done = [i for i in asked if i < returned.reached]
            rows = [case for i in done for case in tried.calls[i].rows]
            status: Status = "passes" if len(done) == len(asked) else "not_judged"
            if wrong & set(done):
                status = "fails"
            numbers = sum(case.row.steps for case in rows) * len(self.contract.returns)
            yield PropertyAnswer(shows, status, len(rows), numbers)


@dataclass
class _FunctionTrial(_Trial):
    """A function that is called, in a process of its own."""

    time_limit: float
    python: str | None

    def run(self, calls: Sequence[Call]) -> Returned:
        return run(self.target, self.contract, calls, seed=self.seed, time_limit=self.time_limit, python=self.python)


@dataclass
class _RowsElsewhere(_Trial):
    """A function that ran elsewhere: what it answered to the calls of the battery, and to no others."""

    answered: Returned

    def run(self, calls: Sequence[Call]) -> Returned:
        return self.answered

    def _smallest(self, calls: Sequence[Call], returned: Returned, wrong: Sequence[int]) -> RowFailure:
        """The smallest wrong row of the first failing property, beside the others of its call."""
        shows = _shows(calls[wrong[0]], self.contract)
        found = []
        for i in (i for i in wrong if _shows(calls[i], self.contract) == shows):
            difference = self._difference(calls[i], returned.outputs[i], returned.precision[i])
            assert difference is not None
            k = difference[0]
            found.append((_size(replace(calls[i], rows=(calls[i].rows[k],))), i, difference))
        _, i, difference = min(found, key=lambda one: one[:2])
        failure = self._failure(shows, calls[i], difference, returned.outputs[i], calls, returned)
        return replace(failure, line=line_of(i))

    def _answers(
        self, tried: Battery, returned: Returned, wrong: set[int], failure: RowFailure | None
    ) -> Iterator[PropertyAnswer]:
        """How it was called is not known."""
        return (one for one in super()._answers(tried, returned, wrong, failure) if one.shows != "interface")


def _shows(call: Call, contract: Contract) -> str:
    """The property; a second precision is a property of its own."""
    return call.shows if call.dtype == contract.dtypes[0] else "precision"


def _coarser(one: str, other: str) -> str:
    return min(one, other, key=list(SMALLEST)[::-1].index)


def _size(call: Call) -> tuple[Any, ...]:
    case = call.rows[0]
    numbers = [*case.row.rewards, *case.row.values, *case.row.next_values]
    return case.row.steps, sum(bool(x) for x in numbers), sum(rho != 1 for rho in case.row.rhos), case.padded


def _parts(contract: Contract, call: Call) -> list[Call]:
    """Shorter pieces of a single row, shortest first."""
    (case,) = call.rows
    if case.turn or case.padded:
        return []
    row, found = case.row, []
    for steps in range(contract.shortest, min(row.steps, 5)):
        for begin in range(row.steps - steps + 1):
            part = row.part(begin, begin + steps)
            if not contract.sees_last_termination and part.cut(steps - 1):
                continue
            found.append(Call(call.shows, (with_owed(contract, replace(case, row=part)),), call.dtype))
    return found[:60]


def put_estimator_on_trial(
    target: Any,
    estimator: str,
    contracts: Sequence[str | Contract],
    *,
    seed: int = 0,
    time_limit: float = FUNCTION_SECONDS,
    python: str | None = None,
    library: str | None = None,
    patterns: int = PATTERNS,
) -> tuple[EstimatorTrial, ...]:
    """Whether a function computes what each contract declares.

    ``target``: ``module:function``, ``path/to/file.py:function``, or a function at the top level of a file.
    ``estimator``: a name of ``tdcert.theory.model.estimators.FORWARD``. ``contracts``: names, files, or contracts.
    ``time_limit``: seconds for each process that the function is run in. ``python``: another Python to run it.
    ``library``: what arrays are handed over as, whatever the contracts say. ``patterns``: of short rows of one length,
    at most.

    Raises :class:`InputError` for an unknown estimator, contract or library, a contract that contradicts itself,
    another number than asked for, a function that is not found, and one that has not ended by the time limit and was
    right until then.
    """
    check_limits(seed, time_limit)
    if not contracts:
        raise InputError("no contract is given; name one, or a file: tdcert conform --contracts lists those that ship")
    place = CodePlace.of(target, "function")
    loaded = [c if isinstance(c, Contract) else load_contract(c, estimator) for c in contracts]
    if library is not None:
        if library not in CHOICES["library"]:
            raise InputError(f"there is no library '{library}'; give one of {', '.join(CHOICES['library'])}")
        loaded = [replace(c, library=library, jit=c.jit and library == "jax") for c in loaded]
    return tuple(
        _FunctionTrial(place, contract, seed, patterns, float(time_limit), python).outcome() for contract in loaded
    )


def rows_elsewhere(contract: Contract, seed: int = 0, patterns: int = PATTERNS) -> Questions:
    """Every call of a trial, for code that runs elsewhere."""
    calls = prepared(contract, seed, patterns).calls
    about = {
        "estimator": contract.estimator,
        "contract": contract.name,
        "seed": seed,
        "axes": contract.axes,
        "returns": list(contract.returns),
    }
    return Questions(about, [{"precision": call.dtype, "arguments": handed_out(contract, call)} for call in calls])


def judge_answers(
    file: str, estimator: str, contract: str, *, seed: int = 0, patterns: int = PATTERNS
) -> EstimatorTrial:
    """Whether the answers in a file, ``tdcert-answers/1``, are what a contract declares of the rows that
    :func:`rows_elsewhere` writes for it.

    Raises :class:`InputError` for an unknown estimator or contract, and a file that answers other rows, or not all.
    """
    loaded = load_contract(contract, estimator)
    answers = read_answers(file, rows_elsewhere(loaded, seed, patterns))
    calls = prepared(loaded, seed, patterns).calls
    outputs = [
        {name: unplaced(loaded, answers.array(i, name, shape_of(loaded, call))) for name in loaded.returns}
        for i, call in enumerate(calls)
    ]
    precision = [answers.precision or call.dtype for call in calls]
    return _RowsElsewhere(
        elsewhere(file), loaded, seed, patterns, Returned(outputs, precision, None, (0, ""))
    ).outcome()
