"""The child process calls the user's function here on prepared arrays and writes down what it returns.

It is run by ``trials/worker.py``, by any Python from 3.8 on that has NumPy, and imports nothing else of ours.
"""

from __future__ import annotations

import importlib
import inspect
import json
from typing import Any, TypedDict

import numpy as np

from tdcert.sims.trials.worker import ArrayPlace, FaultError, JobAtWork, guarded, text_of

# zip has no strict here: Python 3.8 has none
PRECISIONS = ("float16", "float32", "float64")


class GivenArgument(TypedDict):
    """An argument of a call: its name, and either the ``array`` that it is or the ``value``, a number."""

    name: str
    array: ArrayPlace | None
    value: float | None


class CallToMake(TypedDict):
    """A call: its arguments in order, where its results begin, the shape of each output, whether it is made twice."""

    args: list[GivenArgument]
    at: int
    shape: list[int]
    twice: bool


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

    def call(self, function: Any, positional: list[Any], named: dict[str, object], fixed: dict[Any, Any]) -> Any:
        """The call; under ``jax.jit`` for arrays, with everything else fixed."""
        if not self.jit:
            return function(*positional, **named)
        places = [i for i in range(len(positional)) if i not in fixed]
        names = [name for name in named if name not in fixed]
        key = json.dumps([[str(key), repr(value)] for key, value in fixed.items()])
        if key not in self.compiled:

            def whole(arrays: list[Any], by_name: dict[str, object]) -> Any:
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
        raise FaultError("no_library", name=name.split(".")[0], text=text_of(error)) from None


class Calls:
    """One job: every call in order, its outputs and their precision written down."""

    def __init__(self, job: JobAtWork, function: Any) -> None:
        self.job, self.function, self.keywords = job, function, job.words["keywords"]
        self.library = Library(job.words["library"], job.words["jit"])

    def all(self) -> None:
        """Every call; once more where it is asked for."""
        for number, call in enumerate(self.job.words["calls"]):
            self.job.stands(0, number, number)
            outputs = self.made(call)
            if call["twice"]:
                again = self.made(call)
                for name, found in outputs.items():
                    if not np.array_equal(found, again[name], equal_nan=True):
                        raise FaultError("not_deterministic", output=name)
            here, precision = call["at"], len(PRECISIONS) - 1
            for found in outputs.values():
                dtype = str(found.dtype) if str(found.dtype) in PRECISIONS else "float64"
                here, precision = self.job.write(here, found), min(precision, PRECISIONS.index(dtype))
            self.job.write(here, precision)

    def made(self, call: CallToMake) -> dict[str, np.ndarray[Any, Any]]:
        """What the function returns on fresh arguments, by name, once it is seen that it left them alone."""
        before, args, fixed = [], [], {}
        for place, spec in enumerate(call["args"]):
            array = None if spec["array"] is None else self.job.array(spec["array"])
            before.append(array)
            args.append(spec["value"] if array is None else self.library.given(array))
            if array is None:
                fixed[spec["name"] if self.keywords else place] = spec["value"]
        positional = [] if self.keywords else args
        by_name = {spec["name"]: x for spec, x in zip(call["args"], args)}  # noqa: B905
        named = by_name if self.keywords else {}

        def call_it(*args: Any, **kwargs: Any) -> Any:
            return self.library.call(self.function, list(args), kwargs, fixed)

        try:
            inspect.signature(self.function).bind(*positional, **named)
        except TypeError as error:
            takes = str(inspect.signature(self.function))
            raise FaultError("signature", text=text_of(error), takes=takes) from None
        except ValueError:
            pass
        found = guarded("the function", call_it, *positional, **named)
        for spec, array, arg in zip(call["args"], before, args):  # noqa: B905
            if array is not None and not np.array_equal(array, self.library.back(arg), equal_nan=True):
                raise FaultError("changes_input", name=spec["name"])
        returns = self.job.words["returns"]
        return {name: self.output(found, name, where, call["shape"]) for name, where in returns.items()}

    def output(self, found: Any, name: str, where: Any, shape: list[int]) -> Any:
        """One output as a float array of the shape that is asked for."""
        if where != "whole":
            kind = type(found).__name__
            try:
                by_name = isinstance(where, str) and not hasattr(found, "keys")
                found = getattr(found, where) if by_name else found[where]
            except Exception as error:
                raise FaultError("output_missing", name=name, where=where, found=kind, text=text_of(error)) from None
        try:
            array = self.library.back(found)
        except Exception as error:
            raise FaultError("not_an_array", name=name, found=type(found).__name__, text=text_of(error)) from None
        if array.dtype.kind not in "fiu" and str(array.dtype) != "bfloat16":
            raise FaultError("not_numbers", name=name, found=str(array.dtype))
        if list(array.shape) != shape:
            raise FaultError("shape", name=name, found=list(array.shape), asked=shape)
        return array if array.dtype.kind == "f" else array.astype(float)


def walk(job: JobAtWork, function: Any) -> None:
    """Every call of the job."""
    Calls(job, function).all()
