"""What a function returns when it is called, in a process of its own, by this Python or by another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tdcert.sims.estimators import worker
from tdcert.sims.estimators.cases import Call
from tdcert.sims.estimators.contract import FLAGS, SCALAR, Argument, Contract
from tdcert.sims.estimators.layout import Arrays, placed, shaped, slots, unplaced
from tdcert.sims.trials.place import CodePlace
from tdcert.sims.trials.process import Job
from tdcert.sims.trials.stops import Stop
from tdcert.theory.errors import InputError

Array = NDArray[np.float64]
INTEGERS = {"n", "n1", "n2", "length", "position"}


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


def handed_out(contract: Contract, call: Call) -> dict[str, object]:
    """The arguments of one call by name: arrays in their types, and numbers."""
    return {
        argument.name: value.astype(dtype_of(contract, argument, call.dtype))
        if isinstance(value, np.ndarray)
        else value
        for argument, value in arguments_of(contract, call)
    }


def run(
    target: CodePlace,
    contract: Contract,
    calls: Sequence[Call],
    *,
    seed: int = 0,
    time_limit: float = 60.0,
    python: str | None = None,
) -> Returned:
    """Makes all calls in a new process of ``python`` (default: this one), which ends after ``time_limit`` seconds.

    Raises :class:`InputError` where the function is not found or cannot be imported, or the contract's library cannot.
    """
    job = Job(target, worker.__file__, seed)
    rows = [_row(job, contract, number, calls) for number in range(len(calls))]
    job.words |= {
        "library": contract.library,
        "jit": contract.jit,
        "keywords": contract.keywords,
        "returns": dict(contract.returns),
        "calls": rows,
    }
    ran = job.run(time_limit, python=python)
    if ran.stop is not None and ran.stop.kind == "no_library":
        raise InputError(
            f"{ran.stop.detail['name']} cannot be imported ({ran.stop.detail['text']}), which the contract's library "
            "asks for; give a Python that has it with --python"
        )
    outputs, precision = [], []
    for row in rows:
        here, size, made = row["at"], int(np.prod(row["shape"])), dict[str, Array]()
        for name in contract.returns:
            made[name] = unplaced(contract, ran.results[here : here + size].reshape(row["shape"]))
            here += size
        outputs.append(made)
        precision.append("float64" if np.isnan(ran.results[here]) else worker.PRECISIONS[int(ran.results[here])])
    return Returned(outputs, precision, ran.stop, ran.printed)


def _row(job: Job, contract: Contract, number: int, calls: Sequence[Call]) -> worker.CallToMake:
    """What the worker is told of a call; its outputs lie one behind the other, and then their precision."""
    call, args = calls[number], list[worker.GivenArgument]()
    for argument, value in arguments_of(contract, call):
        if isinstance(value, np.ndarray):
            place = job.array(value, dtype_of(contract, argument, call.dtype))
            args.append({"name": argument.name, "array": place, "value": None})
        else:
            args.append({"name": argument.name, "array": None, "value": value})
    shape = shape_of(contract, call)
    # the first call of each property and the last ones are made twice
    twice = number == 0 or call.shows != calls[number - 1].shows or number >= len(calls) - 2
    at = job.result(len(contract.returns) * int(np.prod(shape)) + 1)
    return {"args": args, "at": at, "shape": list(shape), "twice": twice}


def shape_of(contract: Contract, call: Call) -> tuple[int, ...]:
    """The shape of each output."""
    first = call.rows[0]
    entries = len(slots(contract, first.row, first.padded))
    return placed(contract, np.zeros((len(call.rows), entries))).shape
