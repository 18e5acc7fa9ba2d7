"""The child process builds the user's class here and steps it along recorded trajectories.

It is run by ``trials/worker.py``, and imports nothing else of ours; :class:`GivenTransition` is therefore written a
second time (a test holds the fields equal).
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, TypedDict

import numpy as np

from tdcert.sims.trials.worker import ArrayPlace, FaultError, JobAtWork, fits, guarded, raised

CONSTRUCTOR, RESET, STEP = -2, -1, 0
"""Progress in place of a step's number: the constructor or ``reset`` is at work."""

ANYTHING = "**"
"""Among the names of parameters: any other keyword is taken."""

COLUMNS = (
    "state", "action", "next_state", "reward", "rho", "discount", "first", "pi", "mu", "interest", "discount_before",
    "rho_before",
)  # fmt: skip
"""The numbers of a transition, a column each; the step sizes follow."""
VECTORS = ("phi", "phi_next", "expected_phi_next")
KINDS = {"state": int, "action": int, "next_state": int, "first": bool}
"""These columns are no floats."""


@dataclass(frozen=True)
class GivenTransition:
    """What the class sees at time t: Python numbers, and read-only float64 arrays ``phi``, ``phi_next`` and
    ``expected_phi_next`` (d).
    """

    state: int
    action: int
    reward: float
    next_state: int
    phi: Any
    phi_next: Any
    rho: float
    discount: float
    first: bool
    pi: float = 1.0
    mu: float = 1.0
    interest: float = 1.0
    discount_before: float = 0.0
    rho_before: float = 1.0
    expected_phi_next: Any = None

    @property
    def terminated(self) -> bool:
        """Whether the transition ends an episode: its discount is 0."""
        return self.discount == 0.0

    @property
    def done(self) -> bool:
        """The value of ``terminated``, under the name that older code uses."""
        return self.terminated

    def at_next(self, lam: Any) -> Any:
        """λ at the next state: the same, for a trial has λ-schedules alone."""
        return lam


class CaseToWalk(TypedDict):
    """A trajectory and what ``reset`` is given for it.

    ``settings``, ``starts``: of a declared update, its options and where its parameters begin; ``steps``: the names of
    the step sizes, and how many of them the algorithm has; ``slots``: name and shape of each parameter that is read;
    ``table``: a row of :data:`COLUMNS` and step sizes for each step; ``vectors``: the three of :data:`VECTORS` for each
    step; ``at``: where the results of each mode begin.
    """

    d: int
    lambdas: Sequence[float]
    theta0: Sequence[float]
    gamma: float | None
    settings: Mapping[str, object]
    starts: Mapping[str, object]
    steps: tuple[Sequence[str], int]
    slots: Sequence[tuple[str, list[int]]]
    table: ArrayPlace
    vectors: ArrayPlace
    at: list[int]


class Walks:
    """One job: every trajectory in every mode, the parameters recorded after ``reset`` and after every step."""

    def __init__(self, job: JobAtWork, cls: Any) -> None:
        self.job, self.cls, self.offered = job, cls, job.words["offered"]
        self.named = parameters(getattr(cls, "reset", None))

    def all(self) -> None:
        """``fresh``: an instance for each trajectory; ``reused``: one for all; ``side_by_side``: two in turns."""
        unless = self.job.words["unless"]
        wanted = {what: word for what, word in self.wanted().items() if what in unless}
        if wanted != {what: unless[what] for what in wanted}:
            raise FaultError("wants", **wanted)
        cases = range(len(self.job.words["cases"]))
        for mode, name in enumerate(self.job.words["modes"]):
            if name == "side_by_side":
                for case in range(0, len(cases) - 1, 2):
                    pair = [self.built(mode, case), self.built(mode, case + 1)]
                    walks = [self.follow(learner, mode, case + i) for i, learner in enumerate(pair)]
                    for _ in zip_longest(*walks):
                        pass
                continue
            learner = None
            for case in cases:
                learner = self.built(mode, case) if learner is None or name == "fresh" else learner
                for _ in self.follow(learner, mode, case):
                    pass

    def wanted(self) -> dict[str, str]:
        """What the parameters of ``reset`` ask for."""
        if self.offered is None:
            return asked_for(self.named)
        taken = self.offered if ANYTHING in self.named else [name for name in self.offered if name in self.named]
        return {"takes": ",".join(taken), **({"discounts": "constant"} if "gamma" in self.named else {})}

    def built(self, mode: int, case: int) -> Any:
        """A new instance."""
        self.job.stands(mode, case, CONSTRUCTOR)
        learner = guarded("the constructor", self.cls)
        for name in ("reset", "step"):
            if not callable(getattr(learner, name, None)):
                raise FaultError("lacks", name=name, what="method")
        return learner

    def follow(self, learner: Any, mode: int, number: int) -> Iterator[None]:
        """Resets the instance and steps it along one trajectory; pauses after each step."""
        case = self.job.words["cases"][number]
        table, vectors = self.job.array(case["table"]), self.job.array(case["vectors"])
        self.job.stands(mode, number, RESET)
        guarded("reset", learner.reset, **self.given(case))
        here = self.record(learner, case["at"][mode], case["slots"])
        yield
        sizes = handed(learner.step, case["steps"], table[:, len(COLUMNS) :].tolist())
        for t, (row, of_t) in enumerate(zip(table.tolist(), vectors, strict=True)):
            seen = dict(zip(COLUMNS, row, strict=False))
            seen |= {name: kind(seen[name]) for name, kind in KINDS.items()}
            seen |= {name: _sealed(x) for name, x in zip(VECTORS, of_t, strict=True)}
            self.job.stands(mode, number, STEP + t)
            transition = GivenTransition(**seen)
            guarded("step", learner.step, transition, *sizes[t][0], **sizes[t][1])
            here = self.record(learner, here, case["slots"])
            yield

    def given(self, case: CaseToWalk) -> dict[str, object]:
        """What ``reset`` is handed: ``gamma`` too where it names that and there is one, ``lam`` or nothing for the λ's
        where they are all the same and it names no ``lambdas``, ``theta0`` and ``w0`` where it names them. For a
        declared update, what was chosen for the case.
        """
        given: dict[str, object] = {"n_features": case["d"]}
        lambdas, named, open_ended = _tuple(case["lambdas"]), self.named, ANYTHING in self.named
        if self.offered is None:
            lam = lambdas[0] if lambdas else 0.0
            one = bool(named) and not {"lambdas", ANYTHING} & named and len(set(lambdas)) <= 1
            if one and "lam" in named:
                given["lam"] = lam
            elif not (one and lam == 0.0):
                given["lambdas"] = lambdas
            if "theta0" in named or open_ended or "n_features" not in named:
                given["theta0"] = _sealed(np.array(case["theta0"], dtype=np.float64))
        if ("gamma" in named or open_ended) and case["gamma"] is not None:
            given["gamma"] = case["gamma"]
        starts = {name: _start(np.array(x, dtype=np.float64)) for name, x in case["starts"].items()}
        if self.offered is not None:
            return given | {name: _tuple(x) for name, x in case["settings"].items()} | starts
        return given | {name: start for name, start in starts.items() if name in named}

    def record(self, learner: Any, here: int, slots: Any) -> int:
        """Writes the parameters; raises FaultError unless they are float64 arrays of their shapes, or numbers."""
        for name, shape in slots:
            try:
                value = getattr(learner, name)
            except AttributeError as error:
                if error.obj is not learner or error.name != name:  # raised by a property of that name
                    raise raised(f"reading {name}", error) from None
                raise FaultError("lacks", name=name, what="attribute") from None
            except Exception as error:
                raise raised(f"reading {name}", error) from None
            found = ""
            if not shape and isinstance(value, float | int):
                value = np.float64(value)
            if not isinstance(value, np.ndarray | np.float64):
                found = f"a {type(value).__name__}"
            elif value.dtype != np.float64:
                found = f"an array of {value.dtype}"
            elif list(value.shape) != shape:
                found = f"an array of shape {value.shape}"
            if found:
                raise FaultError("not_an_array", name=name, found=found, shape=shape)
            here = self.job.write(here, value)
        return here


def asked_for(named: Any) -> dict[str, str]:
    """The schedules and discounts that the parameters of ``reset`` speak of, and which starts it takes; what they leave
    open is missing.
    """
    if "n_features" not in named:
        return {}
    schedules = {} if {"lambdas", ANYTHING} & set(named) else {"schedules": "constant" if "lam" in named else "zero"}
    takes = [name for name in ("theta0", "w0") if name in named or (name == "theta0" and ANYTHING in named)]
    return {**schedules, **({"discounts": "constant"} if "gamma" in named else {}), "takes": ",".join(takes)}


def parameters(call: Any) -> frozenset[str]:
    """The names that a call takes, :data:`ANYTHING` among them where it takes any; empty where they cannot be told."""
    try:
        found = inspect.signature(call).parameters.values()
    except (TypeError, ValueError):
        return frozenset()
    return frozenset(ANYTHING if x.kind is x.VAR_KEYWORD else x.name for x in found)


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _sealed(numbers: Any) -> Any:
    """A float64 array over bytes: it cannot be made writable."""
    return np.frombuffer(numbers.tobytes(), dtype=np.float64)


def _start(value: Any) -> Any:
    """Where a parameter begins: a read-only array, or a number."""
    return _sealed(value).reshape(value.shape) if value.shape else float(value)


def handed(
    step: Any, steps: tuple[Sequence[str], int], sizes: list[list[float]]
) -> list[tuple[list[float], dict[str, float]]]:
    """How each update's step sizes go to ``step``, by place and by name: the first of these ways that its signature
    takes. ``steps``: their names, and how many of them the algorithm has; ``sizes``: one for each name.

    Those that it names, with all that the algorithm has among them; else in order: all, the algorithm's alone, or these
    and one more, for code that asks for a second where the algorithm has one.
    """
    names, own = steps
    named = parameters(step)
    if set(names[:own]) <= named or ANYTHING in named:
        taken = [name for name in names if name in named or ANYTHING in named]
        if fits(step, (None,), dict.fromkeys(taken, 0.0)):
            return [([], {name: x for name, x in zip(names, row, strict=True) if name in taken}) for row in sizes]
    rows: list[list[float]] = next(
        (
            found
            for found in (sizes, [row[:own] for row in sizes], [[*row[:own], row[0] / 2] for row in sizes])
            if fits(step, (None, *found[0]), {})
        ),
        sizes,
    )
    return [(row, {}) for row in rows]


def walk(job: JobAtWork, cls: Any) -> None:
    """Every trajectory of the job."""
    Walks(job, cls).all()
