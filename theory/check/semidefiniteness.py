r"""Semidefiniteness of a symmetric rational matrix, exact.

Let the columns B of S be a basis of its column space, S = S_{:B} Z. Then S = Zᵀ S_BB Z, for S is symmetric, and S_BB is
nonsingular: S is positive semidefinite exactly if S_BB is positive definite, which has a factor or a vector to show.
This needs no polynomial, and goes to any size that
:func:`~tdcert.theory.check.definiteness.decide_positive_definite` goes to.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.definiteness import Factor, decide_positive_definite


@dataclass(frozen=True)
class Semidefiniteness:
    """Yes, with S = ZᵀS_BB Z and a factor of S_BB (None where S = 0); or no, with a vector x, xᵀSx < 0 (n×1)."""

    columns: tuple[int, ...] = ()
    coordinates: RationalMatrix | None = None
    factor: Factor | None = None
    vector: RationalMatrix | None = None

    @property
    def positive(self) -> bool:
        """Whether S is positive semidefinite."""
        return self.vector is None

    @property
    def as_witness(self) -> dict[str, object]:
        """The sub-witness ``semidefinite`` of docs/certificates.md."""
        assert self.coordinates is not None
        factor = None if self.factor is None else self.factor.as_witness
        return {"columns": list(self.columns), "coordinates": self.coordinates.to_strings(), "factor": factor}


def decide_positive_semidefinite(S: RationalMatrix) -> Semidefiniteness:
    """Whether xᵀSx ≥ 0 for every x, S symmetric (n×n).

    Raises :class:`~tdcert.theory.errors.BudgetExceededError` as ``decide_positive_definite`` does.
    """
    columns, Z = S.column_basis
    if not columns:
        return Semidefiniteness(columns, Z)
    inner = S.take(columns, columns)
    answer = decide_positive_definite(inner)
    if answer.positive:
        return Semidefiniteness(columns, Z, factor=answer.factor)
    assert answer.vector is not None
    vector, step = answer.vector, Fraction(1)
    image = inner @ vector  # not zero, as S_BB is nonsingular: the form falls from x in the direction −S_BB x
    while inner.quadratic_form(vector) >= 0:
        vector, step = answer.vector - image.scaled(step), step / 2
    unit = S.identity(S.shape[0]).take(columns=columns)
    return Semidefiniteness(columns, vector=(unit @ vector).primitive())
