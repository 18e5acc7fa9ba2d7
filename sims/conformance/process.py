"""The user's class in a process of its own: a job goes out as files, iterates and progress come back as files.

The class is never pickled and never imported here. A time limit, an exit, a crash and whatever is printed are
answers like any other; see ``worker.py`` for the other side.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from tdcert.sims.conformance import worker
from tdcert.sims.conformance.battery import TrialCase
from tdcert.sims.conformance.notebooks import cells_of, definition
from tdcert.theory.engine.declare import Slot
from tdcert.theory.errors import InputError

Array = NDArray[np.float64]

MODES = ("fresh", "reused", "side_by_side")
WANTS = "wants"
"""The kind of a stop where the signature asks for other schedules or discounts than are handed out."""
USAGE = {"module_missing", "import_failed", "class_missing", "not_a_class"}
LONGEST_PRINT = 80


@dataclass(frozen=True)
class ClassPlace:
    """Where a class is found: ``module`` (its name) or ``file`` or both, and ``qualname`` in it.

    ``source``: of a class out of a notebook, what defines it there; empty elsewhere.
    """

    label: str
    module: str | None
    file: str | None
    qualname: str
    source: str = ""

    @staticmethod
    def of(given: str | type) -> ClassPlace:
        """From ``module:Class``, ``path/to/file.py:Class``, ``notebook.ipynb:Class``, or a class at the top level of a
        file or of the notebook that is running.

        Raises :class:`InputError` where that names no class in a file.
        """
        if isinstance(given, type):
            return _of_class(given)
        if not isinstance(given, str):
            raise InputError(
                f"an object of type {type(given).__name__} is not a class; give the class itself, MODULE:CLASS, "
                "path/to/file.py:CLASS or notebook.ipynb:CLASS"
            )
        place, colon, qualname = given.rpartition(":")
        names = qualname.split(".")
        if not colon or not place or not all(name.isidentifier() for name in names):
            raise InputError(
                f"'{given}' names no class; give MODULE:CLASS, path/to/file.py:CLASS or notebook.ipynb:CLASS"
            )
        if place.endswith((".py", ".ipynb")) or os.sep in place:
            file = Path(place)
            if not file.is_file():
                raise InputError(f"there is no file '{place}'; give MODULE:CLASS or path/to/file.py:CLASS")
            if place.endswith(".ipynb"):
                source = definition(cells_of(file), qualname, place)
                return ClassPlace(given, None, str(file.resolve()), qualname, source)
            return ClassPlace(given, None, str(file.resolve()), qualname)
        return ClassPlace(given, place, None, qualname)


def _of_class(cls: type) -> ClassPlace:
    file = getattr(sys.modules.get(cls.__module__), "__file__", None)
    if "<locals>" in cls.__qualname__:
        raise InputError(
            f"the class {cls.__qualname__} is made inside a function, where no other process finds it; "
            "define it at the top level of a file"
        )
    cells = getattr(sys.modules.get(cls.__module__), "In", None)
    if file is None and isinstance(cells, list):  # IPython keeps every input of the notebook that is running there
        source = definition([str(cell) for cell in cells], cls.__qualname__, "this notebook")
        return ClassPlace(f"NOTEBOOK.ipynb:{cls.__qualname__}", None, None, cls.__qualname__, source)
    if file is None:
        raise InputError(f"the class {cls.__qualname__} lies in no file; save it and give path/to/file.py:CLASS")
    module = None if cls.__module__ == "__main__" else cls.__module__
    return ClassPlace(f"{cls.__module__}:{cls.__qualname__}", module, os.path.realpath(file), cls.__qualname__)


@dataclass(frozen=True)
class Stop:
    """Why a run did not reach its end: ``kind`` and ``detail`` as the worker names them, or ``hangs``, ``exits``.

    ``mode``, ``case``, ``step``: where it was; see ``worker.CONSTRUCTOR`` and ``worker.RESET``; step −3 while
    the module was imported.
    """

    kind: str
    detail: Mapping[str, Any]
    mode: str
    case: int
    step: int


@dataclass(frozen=True)
class Recording:
    """Iterates by mode and case: ``paths[mode][case]`` = (θ_0 … θ_T), (w_0 … w_T) where it has a w, each (T+1, d); of a
    declared update, its parameters, each (T+1, size).

    What was not reached is NaN. ``printed``: number of lines and the first of them.
    """

    paths: dict[str, list[tuple[Array, ...]]]
    stop: Stop | None
    printed: tuple[int, str]


def record(
    target: ClassPlace,
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
    with tempfile.TemporaryDirectory(prefix="tdcert-conform-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        _write_job(folder, target, cases, slots, offered, modes, seed, unless or {})
        code, printed = _run(folder, time_limit)
        iterates = np.load(folder / "iterates.npy")
        mode, case, step = (int(x) for x in np.load(folder / "progress.npy"))
        fault = folder / "fault.json"
        stop = None
        if fault.exists():
            detail = json.loads(fault.read_text(encoding="utf-8"))
            stop = Stop(detail.pop("kind"), detail, modes[mode], case, step)
        elif code is None:
            stop = Stop("hangs", {"limit": time_limit, "jax": (folder / "jax").exists()}, modes[mode], case, step)
        elif not (folder / "done").exists():
            stop = Stop("exits", {"code": code}, modes[mode], case, step)
    if stop is not None and stop.kind != WANTS and (stop.kind in USAGE or step == IMPORTING):
        raise InputError(_cannot_load(target, stop, printed))
    return Recording(_by_case(iterates, cases, modes, slots), stop, printed)


IMPORTING = -3


def _write_job(
    folder: Path,
    target: ClassPlace,
    cases: Sequence[TrialCase],
    slots: Callable[[int], Sequence[Slot]],
    offered: Sequence[str] | None,
    modes: Sequence[str],
    seed: int,
    unless: Mapping[str, str],
) -> None:
    file, path = target.file, ["", *sys.path]
    if target.source:
        path = [str(Path(file).parent), *path] if file else path
        file = str(folder / "from_notebook.py")
        Path(file).write_text(target.source, encoding="utf-8")
    job = {
        "target": {"module": target.module, "file": file, "qualname": target.qualname, "path": path},
        "slots": [[[slot.name, list(slot.shape)] for slot in slots(case.model.d)] for case in cases],
        "offered": None if offered is None else list(offered),
        "given": [case.given for case in cases],
        "steps": [
            [case.step_names, len(slots(case.model.d) if offered is None else case.step_names)] for case in cases
        ],
        "modes": list(modes),
        "seed": seed,
        "unless": dict(unless),
        "gammas": [case.gamma for case in cases],
    }
    (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
    trajectories = [case.trajectory for case in cases]
    columns: dict[str, Sequence[Any]] = {
        "lambdas": [case.floats for case in cases],
        "theta0": [case.theta0 for case in cases],
        "sizes_of_steps": [case.sizes for case in cases],
        **{name: [getattr(case, name) for case in cases] for name in ("pi", "mu", "interest")},
        **{name: [getattr(case, name) for case in cases] for name in ("discount_before", "rho_before")},
        "first": [case.first for case in cases],
        "state": [x.states[:-1] for x in trajectories],
        "next_state": [x.states[1:] for x in trajectories],
        "action": [x.actions for x in trajectories],
        "reward": [x.rewards for x in trajectories],
        "discount": [x.discounts for x in trajectories],
        "rho": [x.rho for x in trajectories],
        "phi": [x.phi.ravel() for x in trajectories],
        "phi_next": [x.phi_next.ravel() for x in trajectories],
        "expected_phi_next": [case.expected_phi_next.ravel() for case in cases],
    }
    sizes = np.array([(case.model.d, len(case.lambdas), case.steps) for case in cases], dtype=np.int64)
    arrays: dict[str, Any] = {name: np.concatenate(parts) for name, parts in columns.items()}
    np.savez(folder / "job.npz", sizes=sizes, **arrays)
    total = len(modes) * sum(_entries(case, slots) for case in cases)
    np.save(folder / "iterates.npy", np.full(total, np.nan))
    np.save(folder / "progress.npy", np.array([0, 0, IMPORTING], dtype=np.int64))


def _run(
    folder: Path, time_limit: float, *, script: str = worker.__file__, python: str | None = None
) -> tuple[int | None, tuple[int, str]]:
    """The exit code (None: ended at the time limit), and what was printed. ``script`` is run by this Python, or by
    another one.
    """
    own = [sys.executable, "-P"]  # another one may be older than -P: the script clears its own path
    command = [*([python] if python else own), os.path.abspath(script), str(folder)]
    child = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    )
    assert child.stdout is not None
    listener = _Listener(child.stdout)
    try:
        code: int | None = child.wait(timeout=time_limit)
    except subprocess.TimeoutExpired:
        code = None
    finally:
        _end(child)
        listener.join(timeout=1.0)
    return code, listener.heard()


def _end(child: subprocess.Popen[bytes]) -> None:
    """Ends the child and whatever it started."""
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(child.pid, signal.SIGKILL)  # its own group: start_new_session
        else:
            child.kill()
    child.wait()


class _Listener(threading.Thread):
    """Reads what a process prints, so that it never blocks; keeps the number of lines and the first one."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__(daemon=True)
        self.stream, self.lines, self.head = stream, 0, b""
        self.start()

    def run(self) -> None:
        with suppress(OSError, ValueError), self.stream:
            while block := self.stream.read1(1 << 16):  # type: ignore[attr-defined]
                self.head = (self.head + block)[: 4 * LONGEST_PRINT]
                self.lines += block.count(b"\n")

    def heard(self) -> tuple[int, str]:
        text = self.head.decode(errors="replace").strip()
        first = text.splitlines()[0] if text else ""
        return max(self.lines, 1 if text else 0), "".join(c for c in first if c.isprintable())[:LONGEST_PRINT]


def _entries(case: TrialCase, slots: Callable[[int], Sequence[Slot]]) -> int:
    return (case.steps + 1) * sum(slot.size for slot in slots(case.model.d))


def _by_case(
    iterates: Array, cases: Sequence[TrialCase], modes: Sequence[str], slots: Callable[[int], Sequence[Slot]]
) -> dict[str, list[tuple[Array, ...]]]:
    paths: dict[str, list[tuple[Array, ...]]] = {}
    here = 0
    for mode in modes:
        paths[mode] = []
        for case in cases:
            end = here + _entries(case, slots)
            found, column, path = iterates[here:end].reshape(case.steps + 1, -1), 0, list[Array]()
            for slot in slots(case.model.d):
                path.append(found[:, column : column + slot.size])
                column += slot.size
            here = end
            paths[mode].append(tuple(path))
    return paths


def _cannot_load(target: ClassPlace, stop: Stop, printed: tuple[int, str]) -> str:
    place = target.file or (f"the module {target.module}" if target.module else "this notebook")
    if stop.kind == "module_missing":
        return f"there is no module '{target.module}'; run from its folder, or give path/to/file.py:{target.qualname}"
    if stop.kind == "class_missing":
        others = ", ".join(stop.detail["classes"])
        return f"{place} has no class '{target.qualname}'" + (
            f"; it has {others}" if others else " and defines no class at its top level; give MODULE:CLASS"
        )
    if stop.kind == "not_a_class":
        return f"'{target.qualname}' of {place} is a {stop.detail['found']}; give the name of a class"
    if stop.kind == "import_failed":
        relative = "relative import" in stop.detail["text"]
        instead = "a module of a package as MODULE:CLASS" if relative else "a module that imports without error"
        return f"{place} cannot be imported ({stop.detail['text']}); give {instead}"
    if stop.kind == "hangs":
        return f"{place} was not imported within {stop.detail['limit']:g} s; give a longer --time-limit"
    said = f", after printing '{printed[1]}'" if printed[0] else ""
    return f"the process ended while importing {place}{said}; give a module that imports without ending Python"
