"""The number systems behind one small :class:`~theory.arithmetic.protocol.Matrix` protocol."""

from theory.arithmetic.ball import BallMatrix
from theory.arithmetic.floating import FloatMatrix
from theory.arithmetic.protocol import Matrix
from theory.arithmetic.rational import RationalMatrix
from theory.arithmetic.symbolic import SymbolicMatrix, SymbolicRing

__all__ = ["BallMatrix", "FloatMatrix", "Matrix", "RationalMatrix", "SymbolicMatrix", "SymbolicRing"]
