"""What a class does along trajectories, in a process of its own: its parameters after every step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdcert.sims.conformance import worker
from tdcert.sims.conformance.battery import TrialCase
from tdcert.sims.trials.place import CodePlace
from tdcert.sims.trials.process import Job
from tdcert.sims.trials.stops import Stop
from tdcert.theory.engine.declare import Slot

Array = NDArray[np.float64]

MODES = ("fresh", "reused", "side_by_side")
WANTS = "wants"
"""The kind of a stop where the signature asks for other schedules or discounts than are handed out."""


@dataclass(frozen=True)
class Recording:
    """Iterates by mode and case: ``paths[mode][case]`` = (θ_0 … θ_T), (w_0 … w_T) where it has a w, each (T+1, d); of a
    declared update, its parameters, each (T+1, size).

    What was not reached is NaN. ``printed``: number of lines and the first of them.
    """

    paths: dict[str, list[tuple[Array, ...]]]
    stop: Stop | None
    printed: tuple[int, str]

    @property
    def stopped_fresh(self) -> bool:
        """Whether it stopped before every new instance had its trajectory."""
        return self.stop is not None and self.stop.mode == "fresh"

    @property
    def fresh(self) -> list[tuple[Array, ...]]:
        """The paths of new instances, as far as they were reached."""
        return self.paths["fresh"][: self.stop.case if self.stop and self.stopped_fresh else None]


def record(
    target: CodePlace,
    cases: Sequence[TrialCase],
    *,
    slots: Callable[[int], Sequence[Slot]],
    offered: Sequence[str] | None = None,
    modes: Sequence[str] = ("fresh",),
    seed: int = 0,
    time_limit: float = 60.0,
    unless: Mapping[str, str] | None = None,
) -> Recording:
    """Steps the class along all cases in a new process.

    ``slots``: what is read of it, by the number of features; ``offered``: of a declared update, everything that
    ``reset`` may name. ``seed``: of the global generators of ``random`` and NumPy there. ``time_limit``: seconds
    for the whole run. ``unless``: the ``schedules``, ``discounts`` and options (``takes``) that are handed out;
    where the signature of ``reset`` asks for others, the run stops before it begins, with what it asks for.

    Raises :class:`InputError` where the module or the class is not found, or cannot be imported.
    """
    job = Job(target, worker.__file__, seed)
    read = [slots(case.model.d) for case in cases]
    rows = [_row(job, *row, len(modes), offered is None) for row in zip(cases, read, strict=True)]
    job.words |= {"cases": rows, "offered": offered, "modes": modes, "unless": unless or {}}
    ran = job.run(time_limit, modes)
    paths = {
        mode: [_path(ran.results[row["at"][k] :], case, of) for row, case, of in zip(rows, cases, read, strict=True)]
        for k, mode in enumerate(modes)
    }
    return Recording(paths, ran.stop, ran.printed)


def handed_out(case: TrialCase, paper: bool) -> dict[str, object]:
    """A trajectory in words: what ``reset`` is handed, then each transition with its step sizes. ``paper``: an
    algorithm of the paper has its λ's and starts apart from the options.
    """
    settings, starts = case.given
    of_paper = {"lambdas": case.floats, "theta0": case.theta0} if paper else {}
    gamma = {} if case.gamma is None else {"gamma": case.gamma}
    columns = _columns(case)
    vectors = dict(
        zip(worker.VECTORS, (case.trajectory.phi, case.trajectory.phi_next, case.expected_phi_next), strict=True)
    )
    steps = [
        {name: worker.KINDS.get(name, float)(column[t]) for name, column in columns.items()}
        | {name: vector[t] for name, vector in vectors.items()}
        | dict(zip(case.step_names, case.sizes[t].tolist(), strict=True))
        for t in range(case.steps)
    ]
    return {"reset": {"n_features": case.model.d, **of_paper, **gamma, **settings, **starts}, "transitions": steps}


def _columns(case: TrialCase) -> dict[str, NDArray[Any]]:
    """The numbers of the transitions by their names."""
    x = case.trajectory
    numbers = {
        "state": x.left,
        "action": x.actions,
        "next_state": x.reached,
        "reward": x.rewards,
        "rho": x.rho,
        "discount": x.discounts,
    }
    return {name: numbers[name] if name in numbers else getattr(case, name) for name in worker.COLUMNS}


def _row(job: Job, case: TrialCase, slots: Sequence[Slot], modes: int, paper: bool) -> worker.CaseToWalk:
    """What the worker is told of a case; an algorithm of the ``paper`` has as many step sizes as iterates."""
    x = case.trajectory
    settings, starts = case.given
    return {
        "d": case.model.d,
        "lambdas": case.floats,
        "theta0": case.theta0,
        "gamma": case.gamma,
        "settings": settings,
        "starts": starts,
        "steps": (case.step_names, len(slots) if paper else len(case.step_names)),
        "slots": [(slot.name, list(slot.shape)) for slot in slots],
        "table": job.array(np.column_stack([*_columns(case).values(), case.sizes])),
        "vectors": job.array(np.stack([x.phi, x.phi_next, case.expected_phi_next], axis=1)),
        "at": [job.result((case.steps + 1) * sum(slot.size for slot in slots)) for _ in range(modes)],
    }


def _path(results: Array, case: TrialCase, slots: Sequence[Slot]) -> tuple[Array, ...]:
    """The parameters of one walk, a row for each time."""
    ends = np.cumsum([slot.size for slot in slots])
    whole = results[: (case.steps + 1) * ends[-1]].reshape(case.steps + 1, -1)
    return tuple(np.split(whole, ends[:-1], axis=1))
