"""The user's code in a process of its own: a job goes out as files, results and progress come back as files.

The code is never pickled and never imported here. A time limit, an exit, a crash and whatever is printed are answers
like any other; see ``worker.py`` for the other side.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from tdcert.sims.trials import worker
from tdcert.sims.trials.limits import LONGEST_PRINT
from tdcert.sims.trials.place import CodePlace
from tdcert.sims.trials.stops import Stop, cannot_load
from tdcert.sims.trials.worker import IMPORTING, ArrayPlace
from tdcert.theory.errors import InputError

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Ran:
    """What a run left: ``results``, NaN where it did not come; ``printed``: number of lines and the first of them."""

    results: Array
    stop: Stop | None
    printed: tuple[int, str]


class Job:
    """What goes out: arrays, and ``words`` that say where each lies and where its results are to lie."""

    def __init__(self, place: CodePlace, room: str | None, seed: int) -> None:
        """``room``: the file with the room's ``walk``; ``seed``: of the global generators of ``random`` and NumPy."""
        self.place, self.numbers, self.handed, self.owed = place, list[Array](), 0, 0
        file = Path(str(room))
        self.words: dict[str, object] = {"room": (f"tdcert.sims.{file.parent.name}.worker", str(file.resolve()))}
        self.words["seed"] = seed

    def array(self, given: Any, dtype: str = "float64") -> ArrayPlace:
        """Hands out an array, in that type; returns where it lies."""
        numbers = np.asarray(given, dtype=np.float64)
        place: ArrayPlace = {"at": self.handed, "shape": list(numbers.shape), "dtype": dtype}
        self.numbers.append(numbers.ravel())
        self.handed += numbers.size
        return place

    def result(self, size: int) -> int:
        """Where so many numbers are to be written."""
        self.owed += size
        return self.owed - size

    def run(self, time_limit: float, modes: Sequence[str] = ("",), python: str | None = None) -> Ran:
        """Runs the job in a new process of ``python`` (default: this one), which ends after ``time_limit`` seconds.

        Raises :class:`InputError` where the code is not found, is of another kind, or cannot be imported.
        """
        if python is not None and shutil.which(python) is None:
            raise InputError(f"{python} cannot be run; give the path of a Python that has NumPy")
        with tempfile.TemporaryDirectory(prefix="tdcert-conform-", ignore_cleanup_errors=True) as name:
            folder = Path(name)
            self._write(folder, own=python is None)
            code, printed = _run(folder, time_limit, python)
            results = np.load(folder / "results.npy")
            mode, case, step, jax, done = (int(x) for x in np.load(folder / "progress.npy"))
            fault, stop = folder / "fault.json", None
            if fault.exists():
                detail = json.loads(fault.read_text(encoding="utf-8"))
                stop = Stop(detail.pop("kind"), detail, modes[mode], case, step)
            elif code is None:
                stop = Stop("hangs", {"limit": time_limit, "jax": bool(jax)}, modes[mode], case, step)
            elif not done:
                stop = Stop("exits", {"code": code}, modes[mode], case, step)
        if stop is not None and step == IMPORTING:
            raise InputError(cannot_load(self.place, stop, printed, python))
        return Ran(results, stop, printed)

    def _write(self, folder: Path, own: bool) -> None:
        file, path = self.place.file, ["", *sys.path] if own else None
        if self.place.source:
            path = [*([str(Path(file).parent)] if file else []), *(path or [""])]
            file = str(folder / "from_notebook.py")
            Path(file).write_text(self.place.source, encoding="utf-8")
        place = {"kind": self.place.kind, "module": self.place.module, "qualname": self.place.qualname}
        words = self.words | {"target": {**place, "file": file, "path": path}}
        (folder / "job.json").write_text(json.dumps(words), encoding="utf-8")
        np.save(folder / "numbers.npy", np.concatenate([np.zeros(0), *self.numbers]))
        np.save(folder / "results.npy", np.full(self.owed, np.nan))
        np.save(folder / "progress.npy", np.array([0, 0, IMPORTING, 0, 0], dtype=np.int64))


def _run(folder: Path, time_limit: float, python: str | None) -> tuple[int | None, tuple[int, str]]:
    """The exit code (None: ended at the time limit), and what was printed."""
    own = [sys.executable, "-P"]  # another one may be older than -P: the script clears its own path
    child = subprocess.Popen(
        [*([python] if python else own), os.path.abspath(worker.__file__), str(folder)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    assert child.stdout is not None
    listener = _Listener(child.stdout)
    try:
        code: int | None = child.wait(timeout=time_limit)
    except subprocess.TimeoutExpired:
        code = None
    finally:  # Ctrl-C too: the child has a session of its own and does not hear of it
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
