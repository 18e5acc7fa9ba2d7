"""The child process: finds the user's class or function and hands it to a room's ``walk``.

Run as ``python worker.py FOLDER``, by any Python from 3.8 on that has NumPy. It imports nothing of ours but the room's
``worker.py``, by its file, so that no module of the user's is hidden behind one of ours with the same name. Results and
progress lie in memory-mapped files: whatever the code does (hang, ``os._exit``, crash), the parent can read how far it
got. What it prints never meets the protocol.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import json
import os
import random
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, TypedDict

OWN = str(Path(__file__).resolve().parent)
if __name__ == "__main__" and sys.path and os.path.realpath(sys.path[0] or ".") == OWN:
    del sys.path[0]  # an older Python knows no -P

import numpy as np  # noqa: E402

IMPORTING, FOUND = -3, -1
"""Progress in place of a step's number: while the user's module is imported, and before the first call."""


class FaultError(Exception):
    """What ends the run: a kind, and what its sentence needs."""

    def __init__(self, kind: str, **detail: Any) -> None:
        super().__init__(kind)
        self.detail = {"kind": kind, **detail}


class ArrayPlace(TypedDict):
    """Where the numbers of an array begin, its shape, and the type that it is handed out in."""

    at: int
    shape: list[int]
    dtype: str


class CodeOnTrial(TypedDict):
    """What is on trial: the module or the file that has it, its name there, its kind, and the path of imports."""

    module: str | None
    file: str | None
    qualname: str
    kind: str
    path: list[str]


class JobAtWork:
    """What the parent asks for: ``words``, arrays by where they lie, and where results and progress are written."""

    def __init__(self, folder: Path) -> None:
        self.words: dict[str, Any] = json.loads((folder / "job.json").read_text(encoding="utf-8"))
        self.numbers = np.load(folder / "numbers.npy")
        # plain views of the mapped memory: a slice of a memmap takes ten times as long
        self.results, self.progress = (
            np.asarray(np.load(folder / f"{name}.npy", mmap_mode="r+")) for name in ("results", "progress")
        )

    def array(self, spec: ArrayPlace) -> Any:
        """A new array of numbers that were handed out."""
        size = int(np.prod(spec["shape"], dtype=int))
        return self.numbers[spec["at"] : spec["at"] + size].reshape(spec["shape"]).astype(spec["dtype"])

    def stands(self, mode: int, case: int, step: int) -> None:
        """Says how far the run is."""
        self.progress[:3] = mode, case, step

    def write(self, at: int, found: Any) -> int:
        """Writes a result, a number or an array, from ``at`` on; returns where the next one lies."""
        end = at + int(np.size(found))
        self.results[at:end] = np.ravel(found)
        return end


def guarded(where: str, call: Any, *args: Any, **named: Any) -> Any:
    """What a call returns; :class:`FaultError` where its signature does not take the arguments, or it raises."""
    try:
        returned = call(*args, **named)
    except TypeError as error:
        if not fits(call, args, named):
            raise FaultError("signature", where=where, text=text_of(error)) from None
        raise raised(where, error) from None
    except BaseException as error:  # SystemExit and the like too
        raise raised(where, error) from None
    for found, holds in (("coroutine", inspect.iscoroutine), ("generator", inspect.isgenerator)):
        if holds(returned):
            returned.close()
            raise FaultError("not_run", where=where, found=found)
    return returned


def fits(call: Any, args: Any, named: Any) -> bool:
    """Whether the call's signature takes these arguments (True where it cannot be told)."""
    try:
        inspect.signature(call).bind(*args, **named)
    except TypeError:
        return False
    except ValueError:
        return True
    return True


def raised(where: str, error: BaseException) -> FaultError:
    """The fault for an exception of the user's code."""
    read_only = isinstance(error, ValueError) and "read-only" in str(error)
    return FaultError("changes_input" if read_only else "raised", where=where, text=text_of(error))


def text_of(error: BaseException) -> str:
    """An exception in one line."""
    try:
        words = " ".join(str(error).split())
    except Exception:
        words = ""
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


def find(target: CodeOnTrial) -> Any:
    """What is named: by the module's name where that finds the right file, else from the file itself."""
    sys.path[:] = target["path"] or ["", *sys.path]
    name, file = target["module"], target["file"]
    module = _named(name, file) if name else None
    if module is None:
        assert file is not None, "what has no module is named by its file"
        module = _from_file(file)
    found: Any = module
    for part in target["qualname"].split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            own = [name for name, x in vars(module).items() if getattr(x, "__module__", "") == module.__name__]
            others = [name for name in own if _is(target["kind"], vars(module)[name])]
            raise FaultError("missing", others=others[:5]) from None
    if not _is(target["kind"], found):
        raise FaultError("other_kind", found=type(found).__name__)
    return found


def _is(kind: str, found: Any) -> bool:
    return isinstance(found, type) if kind == "class" else callable(found) and not isinstance(found, type)


def _named(name: str, file: str | None) -> ModuleType | None:
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not (name == error.name or name.startswith(f"{error.name}.")):
            raise FaultError("import_failed", text=text_of(error)) from None
        if file is None:
            raise FaultError("module_missing") from None
        return None
    except BaseException as error:
        raise FaultError("import_failed", text=text_of(error)) from None
    found = getattr(module, "__file__", None)
    return module if file is None or (found and os.path.samefile(found, file)) else None


def _from_file(file: str) -> ModuleType:
    place = Path(file)
    sys.path.insert(0, str(place.parent))
    name = place.stem if place.stem not in sys.modules else f"_{place.stem}_on_trial"
    try:
        return loaded(name, str(place))
    except BaseException as error:
        raise FaultError("import_failed", text=text_of(error)) from None


def loaded(name: str, file: str) -> ModuleType:
    """The module in a file, under this name. Raises ImportError for a file that is no Python, and what it raises."""
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError("the file's name does not end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def main(folder: Path) -> None:
    """Runs the job; what went wrong is left in ``fault.json``, and the end of ``progress`` says that it was reached."""
    job = JobAtWork(folder)
    sys.modules["tdcert.sims.trials.worker"] = sys.modules[__name__]  # as which the room's worker imports it
    room = loaded(*job.words["room"])
    random.seed(job.words["seed"])
    np.random.seed(job.words["seed"])
    try:
        found = find(job.words["target"])
        job.progress[2:4] = FOUND, "jax" in sys.modules
        room.walk(job, found)
    except FaultError as fault:
        (folder / "fault.json").write_text(json.dumps(fault.detail), encoding="utf-8")
    job.progress[-1] = 1


if __name__ == "__main__":
    main(Path(sys.argv[1]))
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(0)  # threads that the user's code left behind must not keep the process
