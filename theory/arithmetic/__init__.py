"""The number systems behind one small :class:`~tdcert.theory.arithmetic.protocol.Matrix` protocol."""

from tdcert.theory.arithmetic.ball import BallMatrix
from tdcert.theory.arithmetic.floating import FloatMatrix
from tdcert.theory.arithmetic.protocol import Matrix
from tdcert.theory.arithmetic.rational import RationalMatrix
from tdcert.theory.arithmetic.symbolic import SymbolicMatrix, SymbolicRing

__all__ = ["BallMatrix", "FloatMatrix", "Matrix", "RationalMatrix", "SymbolicMatrix", "SymbolicRing"]
