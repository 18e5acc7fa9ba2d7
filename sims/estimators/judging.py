"""What a call is owed: the right outputs, entry by entry as the contract lays rows out, and how far off they may be."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tdcert.sims.estimators.cases import Call
from tdcert.sims.estimators.contract import Contract
from tdcert.sims.estimators.layout import Array
from tdcert.sims.estimators.rounding import SMALLEST, relative


@dataclass(frozen=True)
class WrongNumber:
    """One estimate that is wrong: which output, at which entry of the row, what was returned and what is right."""

    output: str
    place: int
    found: float
    right: Fraction
    allowed: float


@dataclass(frozen=True)
class Owed:
    """One call's rows held against what is owed: (B, T) per output, NaN where nothing is owed."""

    right: dict[str, Array]
    allowed: dict[str, Array]

    def wrong(self, found: dict[str, Array]) -> dict[str, NDArray[np.bool_]]:
        """Where what was returned lies outside of its bound."""
        return {
            name: ~np.isnan(right) & ~(np.abs(found[name] - right) <= self.allowed[name])
            for name, right in self.right.items()
        }

    def wrong_rows(self, found: dict[str, Array]) -> NDArray[np.bool_]:
        """Which rows hold a wrong number, (B,)."""
        rows: NDArray[np.bool_] = np.any([wrong.any(axis=1) for wrong in self.wrong(found).values()], axis=0)
        return rows


@lru_cache(maxsize=20_000)
def judged(contract: Contract, call: Call, precision: str) -> Owed:
    """What is owed for a call, entry by entry as the contract lays rows out."""
    right: dict[str, list[list[float]]] = {name: [] for name in contract.returns}
    allowed: dict[str, list[list[float]]] = {name: [] for name in contract.returns}
    for case in call.rows:
        places = case.places(contract)
        factor, least = relative(len(places), precision), SMALLEST[precision]
        for name in contract.returns:
            exact, size = case.exact[name], case.magnitude[name]
            right[name].append([float(exact[t]) if t >= 0 else np.nan for t in places])
            allowed[name].append([factor * float(size[t]) + least if t >= 0 else np.nan for t in places])
    return Owed(
        {name: np.array(found) for name, found in right.items()},
        {name: np.array(found) for name, found in allowed.items()},
    )
