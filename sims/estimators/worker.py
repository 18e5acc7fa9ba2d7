"""The child process: calls the user's function on prepared arrays and writes down what it returns.

Run as ``python worker.py FOLDER``, by any Python from 3.8 on that has NumPy: it imports nothing of ours but its
neighbour ``conformance/worker.py``, by its file, which imports nothing of ours either. Results and progress lie in
memory-mapped files, so that the parent sees how far a run came that hangs or crashes.
"""

from __future__ import annotations

import importlib.util
import inspect
import json
import os
import random
import sys
from pathlib import Path
from typing import Any

OWN = str(Path(__file__).resolve().parent)
if __name__ == "__main__" and sys.path and os.path.realpath(sys.path[0] or ".") == OWN:
    del sys.path[0]  # no module of the user's is hidden behind a neighbour of this file

import numpy as np  # noqa: E402


def _neighbour() -> Any:
    place = Path(__file__).resolve().parents[1] / "conformance" / "worker.py"
    spec = importlib.util.spec_from_file_location("_tdcert_conformance_worker", place)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


kit = _neighbour()
# zip has no strict here: Python 3.8 has none
PRECISIONS = ("float16", "float32", "float64")


class Library:
    """How arrays become what the function takes, and back."""

    def __init__(self, name: str, jit: bool) -> None:
        self.name, self.jit = name, jit
        self.compiled: dict[Any, Any] = {}
        if name == "torch":
            self.module = _imported("torch")
        elif name == "jax":
            jax = _imported("jax")
            jax.config.update("jax_enable_x64", True)
            self.jax, self.module = jax, _imported("jax.numpy")

    def given(self, array: Any) -> Any:
        """An array of the library, or a list; it does not share memory with ``array``."""
        if self.name == "torch":
            return self.module.tensor(array.tolist(), dtype=getattr(self.module, str(array.dtype)))
        if self.name == "jax":
            return self.module.asarray(array)
        if self.name == "list":
            return array.tolist()
        return array.copy() if array.shape else array[()]

    def back(self, found: Any) -> Any:
        """A NumPy array."""
        if hasattr(found, "detach"):
            found = found.detach().cpu().numpy()
        return np.asarray(found)

    def call(self, function: Any, positional: list[Any], named: dict[str, Any], fixed: dict[Any, Any]) -> Any:
        """The call; under ``jax.jit`` for arrays, with everything else fixed."""
        if not self.jit:
            return function(*positional, **named)
        places = [i for i in range(len(positional)) if i not in fixed]
        names = [name for name in named if name not in fixed]
        key = json.dumps([[str(key), repr(value)] for key, value in fixed.items()])
        if key not in self.compiled:

            def whole(arrays: list[Any], by_name: dict[str, Any]) -> Any:
                args = list(positional)
                for place, array in zip(places, arrays):  # noqa: B905
                    args[place] = array
                return function(*args, **{**named, **by_name})

            self.compiled[key] = self.jax.jit(whole)
        return self.compiled[key]([positional[i] for i in places], {name: named[name] for name in names})


def _imported(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise kit.FaultError("no_library", name=name.split(".")[0], text=kit._text(error)) from None


class WorkerRun:
    """One job: every call, its outputs written to ``results.npy``."""

    def __init__(self, folder: Path) -> None:
        self.job = json.loads((folder / "job.json").read_text(encoding="utf-8"))
        self.numbers = np.load(folder / "numbers.npy", mmap_mode="r")
        self.results = np.load(folder / "results.npy", mmap_mode="r+")
        self.progress = np.load(folder / "progress.npy", mmap_mode="r+")
        self.precision = np.load(folder / "precision.npy", mmap_mode="r+")

    def all(self, function: Any) -> None:
        """Every call in order."""
        if not callable(function) or isinstance(function, type):
            raise kit.FaultError("not_a_function", found=type(function).__name__)
        library = Library(self.job["library"], self.job["jit"])
        for number, call in enumerate(self.job["calls"]):
            self.progress[0] = number
            self.one(function, library, number, call)

    def one(self, function: Any, library: Library, number: int, call: dict[str, Any]) -> None:
        """One call, and once more where it is asked for."""
        outputs = self.made(function, library, call)
        if call["twice"]:
            again = self.made(function, library, call)
            for name, found in outputs.items():
                if not np.array_equal(found, again[name], equal_nan=True):
                    raise kit.FaultError("not_deterministic", output=name)
        for name, found in outputs.items():
            at = call["at"][name]
            self.results[at : at + found.size] = found.ravel()
            dtype = str(found.dtype) if str(found.dtype) in PRECISIONS else "float64"
            self.precision[number] = min(self.precision[number], PRECISIONS.index(dtype))

    def made(self, function: Any, library: Library, call: dict[str, Any]) -> dict[str, Any]:
        """What the function returns on fresh arguments, by name, once it is seen that it left them alone."""
        before, args = [], []
        for spec in call["args"]:
            array = self.array(spec)
            before.append(array)
            args.append(spec["value"] if array is None else library.given(array))
        positional = [] if self.job["keywords"] else args
        by_name = {spec["name"]: x for spec, x in zip(call["args"], args)}  # noqa: B905
        named = by_name if self.job["keywords"] else {}
        fixed = {
            (spec["name"] if self.job["keywords"] else place): spec["value"]
            for place, spec in enumerate(call["args"])
            if before[place] is None
        }

        def call_it(*args: Any, **kwargs: Any) -> Any:
            return library.call(function, list(args), kwargs, fixed)

        try:
            inspect.signature(function).bind(*positional, **named)
        except TypeError as error:
            raise kit.FaultError("signature", text=kit._text(error), takes=str(inspect.signature(function))) from None
        except ValueError:
            pass
        found = kit._guarded("the function", call_it, *positional, **named)
        for spec, array, arg in zip(call["args"], before, args):  # noqa: B905
            if array is not None and not np.array_equal(array, library.back(arg), equal_nan=True):
                raise kit.FaultError("changes_input", name=spec["name"])
        return {name: self.output(library, found, name, where, call) for name, where in self.job["returns"].items()}

    def array(self, spec: dict[str, Any]) -> Any:
        """An argument's array; None for a Python number."""
        if "value" in spec:
            return None
        at, shape = spec["at"], tuple(spec["shape"])
        size = int(np.prod(shape, dtype=int))
        return np.array(self.numbers[at : at + size]).reshape(shape).astype(spec["dtype"])

    def output(self, library: Library, found: Any, name: str, where: Any, call: dict[str, Any]) -> Any:
        """One output as a float array of the shape that is asked for."""
        if where != "whole":
            try:
                by_name = isinstance(where, str) and not hasattr(found, "keys")
                found = getattr(found, where) if by_name else found[where]
            except Exception as error:
                kind = type(found).__name__
                raise kit.FaultError(
                    "output_missing", name=name, where=where, found=kind, text=kit._text(error)
                ) from None
        try:
            array = library.back(found)
        except Exception as error:
            raise kit.FaultError("not_an_array", name=name, found=type(found).__name__, text=kit._text(error)) from None
        if array.dtype.kind not in "fiu" and str(array.dtype) != "bfloat16":
            raise kit.FaultError("not_numbers", name=name, found=str(array.dtype))
        if list(array.shape) != call["shape"]:
            raise kit.FaultError("shape", name=name, found=list(array.shape), asked=call["shape"])
        return array if array.dtype.kind == "f" else array.astype(float)


def main(folder: Path) -> None:
    """Runs the job; what went wrong is left in ``fault.json``, and ``done`` says that the end was reached."""
    run = WorkerRun(folder)
    random.seed(run.job["seed"])
    np.random.seed(run.job["seed"])
    try:
        target = run.job["target"]
        function = kit.find({**target, "path": target["path"] or ["", *sys.path]})
        run.progress[0] = -1
        run.all(function)
    except kit.FaultError as fault:
        (folder / "fault.json").write_text(json.dumps(fault.detail), encoding="utf-8")
    (folder / "done").touch()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(0)  # threads that the function left behind must not keep the process
