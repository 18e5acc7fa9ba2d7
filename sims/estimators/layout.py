"""From a row of experience to the arrays of a call, as a contract lays them out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdcert.sims.estimators.contract import SCALAR, SEQUENCE, STEP, STEP_AND_LAST, Argument, Contract
from tdcert.theory.model.estimators import Row, Settings

Array = NDArray[np.float64]
RESET, PAD = -1, -2
"""In place of a step's number: the entry of a row where the environment is reset, and padding."""
JUNK = Fraction(7)
"""What padding holds: nothing may come of it."""


def slots(contract: Contract, row: Row, padded: int = 0) -> list[int]:
    """What each entry of the row is: a step's number, ``RESET`` or ``PAD``."""
    found: list[int] = []
    for t in range(row.steps):
        found.append(t)
        if contract.boundaries == "next-step" and row.cut(t) and t + 1 < row.steps:
            found.append(RESET)
    return found + [PAD] * padded


def owed(contract: Contract, row: Row) -> Row:
    """The row as the contract reads it: what truncation and the end of the row mean."""
    if contract.truncation == "as_termination":
        row = row.with_truncation_as_termination()
    if contract.end == "zero":
        row = row.without_bootstrap_at_the_end()
    return row


class Arrays:
    """The entries of one row, one list for everything that an argument may hold."""

    def __init__(
        self, contract: Contract, row: Row, settings: Settings, parameters: Mapping[str, Any], padded: int, turn: int
    ) -> None:
        self.contract, self.row, self.settings, self.parameters = contract, row, settings, parameters
        self.slots, self.turn = slots(contract, row, padded), turn

    def of(self, argument: Argument) -> Any:
        """What the argument holds of this row: a list, or a number."""
        found = self._of(argument.holds)
        if not argument.negated:
            return found
        return [1 - x for x in found] if isinstance(found, list) else 1 - found

    def _of(self, holds: str) -> Any:
        if holds in self.parameters:
            return self.parameters[holds]
        if holds in PER_ROW:
            return PER_ROW[holds](self)
        if holds in EXTENDED:
            return EXTENDED[holds](self)
        entries = [self._entry(holds, place, t) for place, t in enumerate(self.slots)]
        return entries[-self.turn :] + entries[: -self.turn] if self.turn else entries

    def _entry(self, holds: str, place: int, t: int) -> Any:
        if t >= 0:
            return PER_STEP[holds](self, t)
        if t == PAD:
            return {"valid": 0, "done": 0, "terminated": 0, "truncated": 0, "first": 0, "rhos": 1, "log_rhos": 0}.get(
                holds, JUNK
            )
        before = self.slots[place - 1]  # the step whose final state the reset row begins in
        of_reset = {"values": self.row.next_values[before], "next_values": self.row.values[before + 1]}
        of_reset |= {"next_values_or_zero": self.row.values[before + 1], "discounts": self.row.discounts[before]}
        of_reset |= {"successor_values": self.row.values[before + 1], "rhos": 1, "next_rhos": 1}
        of_reset |= {"lambdas": 1, "lambdas_and_cuts": 1}
        return of_reset.get(holds, 0)

    def successor(self, t: int) -> Any:
        """The entry of ``values`` one row later."""
        place = self.slots.index(t)
        following = self.slots[place + 1] if place + 1 < len(self.slots) else PAD
        return self.row.values[following] if following >= 0 else self.row.next_values[t]

    def ahead(self, name: str, t: int, at_the_end: int) -> Any:
        """An entry of step t + 1."""
        return getattr(self.row, name)[t + 1] if t + 1 < self.row.steps else at_the_end


def _folded(a: Arrays, t: int) -> Any:
    row = a.row
    return row.rewards[t] + (row.discounts[t] * row.next_values[t] if row.truncated[t] else 0 * row.rewards[t])


def _first(a: Arrays, t: int) -> int:
    return int(a.row.cut(t - 1)) if t else int(a.row.rewards[0] != 0)  # both occur: nothing may come of it


def _log(x: Any) -> float:
    return log(x) if x else -float("inf")


PER_STEP: Mapping[str, Callable[[Arrays, int], Any]] = {
    "rewards": lambda a, t: a.row.rewards[t],
    "folded_rewards": _folded,
    "values": lambda a, t: a.row.values[t],
    "next_values": lambda a, t: a.row.next_values[t],
    "next_values_or_zero": lambda a, t: 0 * a.row.values[t] if a.row.terminated[t] else a.row.next_values[t],
    "successor_values": Arrays.successor,
    "action_values": lambda a, t: a.row.action_values[t],
    "next_action_values": lambda a, t: a.ahead("action_values", t, 0),
    "policy": lambda a, t: a.row.policy[t],
    "next_policy": lambda a, t: a.ahead("policy", t, 1),
    "rhos": lambda a, t: a.row.rhos[t],
    "next_rhos": lambda a, t: a.ahead("rhos", t, 1),
    "log_rhos": lambda a, t: _log(a.row.rhos[t]),
    "target_log_probs": lambda a, t: _log(a.row.rhos[t] / 4),
    "behaviour_log_probs": lambda a, t: _log(Fraction(1, 4)),
    "discounts": lambda a, t: a.row.discount(t),
    "lambdas": lambda a, t: a.row.lambdas[t],
    "lambdas_and_cuts": lambda a, t: 0 if a.row.cut(t) else a.row.lambdas[t],
    "terminated": lambda a, t: int(a.row.terminated[t]),
    "truncated": lambda a, t: int(a.row.truncated[t]),
    "done": lambda a, t: int(a.row.cut(t)),
    "first": _first,
    "valid": lambda a, t: 1,
}
EXTENDED: Mapping[str, Callable[[Arrays], list[Any]]] = {
    "values_and_last": lambda a: [*a._of("values"), PER_ROW["last_value"](a)],
    "first_and_last": lambda a: [*a._of("first"), PER_ROW["last_done"](a)],
    "rewards_on_arrival": lambda a: [JUNK, *a._of("rewards")],  # nothing may come of the first
    "values_on_arrival": lambda a: [a.row.values[0], *a._of("next_values")],
    "terminated_on_arrival": lambda a: [0, *a._of("terminated")],
    "done_on_arrival": lambda a: [0, *a._of("done")],
}
PER_ROW: Mapping[str, Callable[[Arrays], Any]] = {
    "last_value": lambda a: a.row.next_values[-1],
    "last_value_or_zero": lambda a: 0 * a.row.values[-1] if a.row.terminated[-1] else a.row.next_values[-1],
    "last_done": lambda a: int(a.row.cut(a.row.steps - 1)),
    "last_terminated": lambda a: int(a.row.terminated[-1]),
    "length": lambda a: a.row.steps,
    "position": lambda a: a.turn,
    "schedule": lambda a: list(a.settings.schedule),
}


def shaped(contract: Contract, argument: Argument, rows: Sequence[Any]) -> Array:
    """The rows of one argument as one float64 array with the contract's axes; scalars have none."""
    if argument.extent == SCALAR or argument.holds == "schedule":
        return np.array(_floats(rows[0]), dtype=np.float64)
    found = np.array([_floats(row) for row in rows], dtype=np.float64)
    return placed(contract, found, steps=argument.extent in (STEP, STEP_AND_LAST, SEQUENCE))


def placed(contract: Contract, found: Array, steps: bool = True) -> Array:
    """(B, T) or (B,) → the contract's axes."""
    if not contract.batched:
        found = found[0]
    elif steps and contract.axes.startswith("TB"):
        found = found.T
    return found[..., None] if contract.axes.endswith("1") and steps else found


def unplaced(contract: Contract, found: Array) -> Array:
    """The contract's axes → (B, T)."""
    found = found[..., 0] if contract.axes.endswith("1") else found
    if not contract.batched:
        return found[None]
    return found.T if contract.axes.startswith("TB") else found


def _floats(given: Any) -> Any:
    return [float(x) for x in given] if isinstance(given, list | tuple) else float(given)
