"""Float matrices (NumPy, SciPy): for searching and simulating. They never decide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tdcert.theory.errors import SingularMatrixError


@dataclass(frozen=True, eq=False)
class FloatMatrix:
    """A float64 matrix behind the :class:`~tdcert.theory.arithmetic.protocol.Matrix` protocol."""

    array: NDArray[np.float64]

    @property
    def shape(self) -> tuple[int, int]:
        rows, columns = self.array.shape
        return rows, columns

    @property
    def T(self) -> FloatMatrix:
        return FloatMatrix(self.array.T)

    def __matmul__(self, other: FloatMatrix) -> FloatMatrix:
        return FloatMatrix(self.array @ other.array)

    def __add__(self, other: FloatMatrix) -> FloatMatrix:
        return FloatMatrix(self.array + other.array)

    def __sub__(self, other: FloatMatrix) -> FloatMatrix:
        return FloatMatrix(self.array - other.array)

    def scaled(self, scalar: Fraction | float) -> FloatMatrix:
        return FloatMatrix(float(scalar) * self.array)

    def scale_rows(self, column: FloatMatrix) -> FloatMatrix:
        return FloatMatrix(column.array * self.array)

    def hadamard(self, other: FloatMatrix) -> FloatMatrix:
        return FloatMatrix(self.array * other.array)

    def solve(self, right: FloatMatrix) -> FloatMatrix:
        try:
            return FloatMatrix(np.asarray(np.linalg.solve(self.array, right.array), dtype=np.float64))
        except np.linalg.LinAlgError as error:
            raise SingularMatrixError("the matrix of the linear system is singular in floats") from error

    def identity(self, n: int) -> FloatMatrix:
        return FloatMatrix(np.eye(n))

    def from_rationals(self, rows: Sequence[Sequence[Fraction]]) -> FloatMatrix:
        return FloatMatrix(np.array([[float(entry) for entry in row] for row in rows], dtype=np.float64))
