"""The user's function in a process of its own, by this Python or by another; see ``worker.py`` for the other side."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdcert.sims.conformance import process
from tdcert.sims.conformance.process import ClassPlace, Stop
from tdcert.sims.estimators import worker
from tdcert.sims.estimators.cases import Call
from tdcert.sims.estimators.contract import FLAGS, SCALAR, Argument, Contract
from tdcert.sims.estimators.layout import Arrays, placed, shaped, slots, unplaced
from tdcert.theory.errors import InputError

Array = NDArray[np.float64]
INTEGERS = {"n", "n1", "n2", "length", "position"}


@dataclass(frozen=True)
class Place(ClassPlace):
    """Where a function is found."""

    @staticmethod
    def of(given: Any) -> Place:
        """From ``module:function``, ``path/to/file.py:function``, or a function at the top level of a file."""
        if callable(given) and not isinstance(given, type) and hasattr(given, "__qualname__"):
            found = process._of_class(given)
        elif isinstance(given, str):
            try:
                found = ClassPlace.of(given)
            except InputError as error:
                text = (
                    str(error)
                    .replace("no class", "no function")
                    .replace("not a class", "not a function")
                    .replace("CLASS", "FUNCTION")
                )
                raise InputError(text) from None
        else:
            raise InputError(
                f"an object of type {type(given).__name__} is not a function; give the function itself, "
                "MODULE:FUNCTION or path/to/file.py:FUNCTION"
            )
        return Place(found.label, found.module, found.file, found.qualname)


@dataclass(frozen=True)
class Returned:
    """What a run returned: per call, name → (B, T) with NaN where nothing came; the precision of each call's results;
    why it stopped early, if it did; what it printed.
    """

    outputs: list[dict[str, Array]]
    precision: list[str]
    stop: Stop | None
    printed: tuple[int, str]

    @property
    def reached(self) -> int:
        """How many calls came to their end."""
        return self.stop.case if self.stop else len(self.outputs)


def arguments_of(contract: Contract, call: Call) -> list[tuple[Argument, Array | float | int]]:
    """What one call hands out, in order: arrays with the contract's axes, and numbers."""
    rows = [
        Arrays(contract, case.row, case.settings, dict(case.parameters), case.padded, case.turn) for case in call.rows
    ]
    found: list[tuple[Argument, Array | float | int]] = []
    for argument in contract.arguments:
        held = [row.of(argument) for row in rows]
        if argument.extent == SCALAR or argument.holds == "position":
            number = held[0]
            found.append((argument, int(number) if argument.holds in INTEGERS else float(number)))
        else:
            found.append((argument, shaped(contract, argument, held)))
    return found


def dtype_of(contract: Contract, argument: Argument, dtype: str) -> str:
    """In which type an array is handed out."""
    if argument.holds in FLAGS:
        return {"bool": "bool", "float": dtype, "int": "int64"}[contract.flags]
    return "int64" if argument.holds in INTEGERS else dtype


def run(
    target: ClassPlace,
    contract: Contract,
    calls: Sequence[Call],
    *,
    seed: int = 0,
    time_limit: float = 60.0,
    python: str | None = None,
) -> Returned:
    """Makes all calls in a new process of ``python`` (default: this one), which ends after ``time_limit`` seconds.

    Raises :class:`InputError` where the function is not found or cannot be imported.
    """
    with tempfile.TemporaryDirectory(prefix="tdcert-conform-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        if python is not None and shutil.which(python) is None:
            raise InputError(f"{python} cannot be run; give the path of a Python that has NumPy")
        places = _write_job(folder, target, contract, calls, seed, own=python is None)
        code, printed = process._run(folder, time_limit, script=worker.__file__, python=python)
        results = np.load(folder / "results.npy")
        at = int(np.load(folder / "progress.npy")[0])
        precision = [worker.PRECISIONS[x] for x in np.load(folder / "precision.npy")]
        fault, stop, call = folder / "fault.json", None, max(at, 0)
        if fault.exists():
            detail = json.loads(fault.read_text(encoding="utf-8"))
            stop = Stop(detail.pop("kind"), detail, "", call, at)
        elif code is None:
            stop = Stop("hangs", {"limit": time_limit}, "", call, at)
        elif not (folder / "done").exists():
            stop = Stop("exits", {"code": code}, "", call, at)
    if stop is not None and (stop.step < -1 or stop.kind in ("not_a_function", "no_library")):
        raise InputError(_cannot_load(target, stop, printed, python))
    outputs = []
    for asked, place in zip(calls, places, strict=True):
        shape = shape_of(contract, asked)
        size = int(np.prod(shape))
        outputs.append({key: unplaced(contract, results[x : x + size].reshape(shape)) for key, x in place.items()})
    return Returned(outputs, precision, stop, printed)


def shape_of(contract: Contract, call: Call) -> tuple[int, ...]:
    """The shape of each output."""
    first = call.rows[0]
    entries = len(slots(contract, first.row, first.padded))
    return placed(contract, np.zeros((len(call.rows), entries))).shape


def _write_job(
    folder: Path, target: ClassPlace, contract: Contract, calls: Sequence[Call], seed: int, own: bool
) -> list[dict[str, int]]:
    numbers: list[Array] = []
    filled = owed = 0
    rows, places = [], []
    for number, call in enumerate(calls):
        specs: list[dict[str, Any]] = []
        for argument, value in arguments_of(contract, call):
            if isinstance(value, np.ndarray):
                dtype = dtype_of(contract, argument, call.dtype)
                specs.append({"name": argument.name, "at": filled, "shape": list(value.shape), "dtype": dtype})
                numbers.append(value.ravel())
                filled += value.size
            else:
                specs.append({"name": argument.name, "value": value})
        shape = shape_of(contract, call)
        place = {}
        for name in contract.returns:
            place[name] = owed
            owed += int(np.prod(shape))
        places.append(place)
        # the first call of each property and the last ones are made twice
        twice = number == 0 or call.shows != calls[number - 1].shows or number >= len(calls) - 2
        rows.append({"args": specs, "at": place, "shape": list(shape), "twice": twice})
    where = {"module": target.module, "file": target.file, "qualname": target.qualname}
    job = {
        "target": {**where, "path": ["", *sys.path] if own else None},
        "library": contract.library,
        "jit": contract.jit,
        "keywords": contract.keywords,
        "returns": dict(contract.returns),
        "calls": rows,
        "seed": seed,
    }
    (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
    np.save(folder / "numbers.npy", np.concatenate(numbers) if numbers else np.zeros(0))
    np.save(folder / "results.npy", np.full(owed, np.nan))
    np.save(folder / "precision.npy", np.full(len(calls), len(worker.PRECISIONS) - 1, dtype=np.int64))
    np.save(folder / "progress.npy", np.array([-3], dtype=np.int64))
    return places


def _cannot_load(target: ClassPlace, stop: Stop, printed: tuple[int, str], python: str | None) -> str:
    place = target.file or f"the module {target.module}"
    detail = stop.detail
    if stop.kind == "no_library":
        return (
            f"{detail['name']} cannot be imported ({detail['text']}), which the contract's library asks for; give a "
            "Python that has it with --python"
        )
    if stop.kind == "not_a_function":
        return f"'{target.qualname}' of {place} is of the type {detail['found']}; give the name of a function"
    if stop.kind == "class_missing":
        return f"{place} has no function '{target.qualname}'; give MODULE:FUNCTION or path/to/file.py:FUNCTION"
    if stop.kind == "exits" and python is not None and printed[0]:
        return f"{python} ended before the function was called ('{printed[1]}'); give a Python that has NumPy"
    said = process._cannot_load(target, stop, printed)
    if "No module named" in said and python is None:
        return f"{said}, or with --python a Python that has what it imports"
    return said
