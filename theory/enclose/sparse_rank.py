r"""Whether the features of a large model are independent on some states: decided exactly, and how they depend.

Few rows decide: columns that are independent on them are independent, and where Φ = Φ_B T on them with independent
columns B, the remaining rows either satisfy that too, each checked in fractions, or one of them joins. Floats choose
the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.model.sparse_model import SparseModel

EXACT_ENTRIES = 5_000_000
"""Most entries of Φ that are looked at as fractions (ten seconds)."""

CHUNK = 1_000
"""States whose rows are fractions at a time."""

SHOWN = 12
"""Most entries of a null vector that are written out."""


@dataclass(frozen=True)
class Dependence:
    """Φ = Φ_B T on the states: ``columns`` B, independent there, and ``T`` (columns × d)."""

    columns: tuple[int, ...]
    T: RationalMatrix

    @property
    def is_full(self) -> bool:
        """Whether all columns are independent."""
        return len(self.columns) == self.T.shape[1]

    def why(self, where: str) -> str:
        """The rank in words, with a vector of the null space where there is one."""
        d = self.T.shape[1]
        said = f"Phi has rank {len(self.columns)} with {d} columns on {where}, exactly"
        if self.is_full:
            return said
        vector = self.T.null_vector() if self.columns else RationalMatrix.column([1] + [0] * (d - 1))
        assert vector is not None  # fewer rows than columns
        entries = [f"x_{j} = {value}" for j, (value,) in enumerate(vector.rows) if value]
        more = f" and {len(entries) - SHOWN} more" if len(entries) > SHOWN else ""
        return f"{said}: Phi x = 0 there for {', '.join(entries[:SHOWN])}{more}, other entries zero"


def dependence(model: SparseModel, states: Any) -> Dependence | None:
    """How the columns of Φ depend on these states; None beyond :data:`EXACT_ENTRIES`."""
    Phi = model.features[states]
    d = Phi.shape[1]
    if Phi.size > EXACT_ENTRIES or Phi.size * d > 100 * EXACT_ENTRIES:
        return None
    scale = np.abs(Phi).max(axis=0)
    scaled = Phi / np.where(scale > 0, scale, 1.0)
    chosen = scipy.linalg.qr(scaled.T, mode="r", pivoting=True)[1][:d].tolist()
    while True:
        columns, T = _rows(model, states[chosen]).column_basis
        found = Dependence(columns, T)
        if found.is_full:
            return found
        with np.errstate(all="ignore"):
            off = np.abs(Phi - Phi[:, list(columns)] @ T.to_float()).max(axis=1)
        other = _first_off(model, states[[int(np.argmax(off))]], found)
        if other is not None:
            chosen.append(int(np.argmax(off)))
            continue
        for start in range(0, len(states), CHUNK):
            other = _first_off(model, states[start : start + CHUNK], found)
            if other is not None:
                chosen.append(start + other)
                break
        else:
            return found


def _first_off(model: SparseModel, states: Any, found: Dependence) -> int | None:
    """The first of these states on which Φ is not Φ_B T; None where there is none."""
    rows = _rows(model, states)
    rest = rows - rows.take(columns=found.columns) @ found.T if found.columns else rows
    return next((k for k, row in enumerate(rest.rows) if any(row)), None)


def _rows(model: SparseModel, states: Any) -> RationalMatrix:
    values, d = model.exactly("features", states), model.d
    return RationalMatrix([values[k : k + d] for k in range(0, len(values), d)])
