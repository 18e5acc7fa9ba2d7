"""Expressions as one writes them: ``its.S @ its.r + its.M @ its.V`` for S r + M V.

An expression is a tuple, (operation, operand, …), in the language of docs/certificates.md (*Relations*), and a name or
a number is a string: what a certificate holds. The classes here are these tuples and strings with operators, so a
claim reads as the paper writes, and whatever takes an expression takes plain tuples and strings too. ``its`` has the
quantities of a model and, with a step, of a path in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tdcert.theory.expressions.relations import Path


def part(value: Any) -> Any:
    """What an operator takes as an expression: an integer or a fraction stands for itself."""
    return Name(value) if isinstance(value, int | Fraction) else value


class _Operators:
    """``@ + - * **`` and ``.T``; sums and products of several parts are one operation, as they are written."""

    def __matmul__(self, other: Any) -> Expr:
        return _joined("@", self, part(other))

    def __rmatmul__(self, other: Any) -> Expr:
        return _joined("@", part(other), self)

    def __add__(self, other: Any) -> Expr:
        return _joined("+", self, part(other))

    def __radd__(self, other: Any) -> Expr:
        return _joined("+", part(other), self)

    def __sub__(self, other: Any) -> Expr:
        return Expr(("-", self, part(other)))

    def __rsub__(self, other: Any) -> Expr:
        return Expr(("-", part(other), self))

    def __mul__(self, other: Any) -> Expr:
        return Expr(("*", self, part(other)))

    def __rmul__(self, other: Any) -> Expr:
        return Expr(("*", part(other), self))

    def __neg__(self) -> Expr:
        return Expr(("-", self))

    def __pow__(self, power: int) -> Expr:
        return Expr(("^", self, power))

    @property
    def T(self) -> Expr:
        """The transpose."""
        return Expr(("T", self))


class Expr(_Operators, tuple[Any, ...]):
    """An operation and its operands."""

    __slots__ = ()


class Name(_Operators, str):  # type: ignore[misc]  # nor a sum of names strings
    """A name, or a number as a string ``p/q``. ``Name(Fraction(1, 2))`` is the number 1/2."""

    __slots__ = ()


def _joined(operation: str, left: Any, right: Any) -> Expr:
    first = left if isinstance(left, tuple) and left[0] == operation else (operation, left)
    return Expr((*first, right))


def entry_of(expression: Any, row: int, column: int = 0) -> Expr:
    """One entry of a matrix, counted from 0."""
    return Expr(("entry", part(expression), row, column))


def sum_of(expression: Any) -> Expr:
    """The sum of all entries."""
    return Expr(("sum", expression))


def diagonal(expression: Any) -> Expr:
    """The diagonal matrix of a column."""
    return Expr(("diag", expression))


def solution(matrix: Any, column: Any) -> Expr:
    """x with ``matrix`` x = ``column``."""
    return Expr(("solve", matrix, column))


def table(rows: Sequence[Sequence[Any]]) -> Expr:
    """A matrix from its blocks, row by row: expressions, and integers or fractions, which are 1×1."""
    lines = [Expr(("beside", *map(part, row))) for row in rows]
    return Expr(("over", *lines))


def determinant(matrix: Any) -> Expr:
    """The determinant of a square matrix."""
    return Expr(("det", matrix))


def pairs_of(matrix: Any) -> Expr:
    """The second additive compound of a square matrix: its eigenvalues are λ_i + λ_j, i < j."""
    return Expr(("pairs", matrix))


def expected(policy: str, start: str | int, steps: int, expression: Any) -> Expr:
    """The mean over all paths of that many steps under ``"mu"`` or ``"pi"``, from the law (``"d"``) or a state."""
    return Expr(("E", policy, start, steps, expression))


def along(path: Path, expression: Any) -> Expr:
    """The value on a path."""
    return Expr(("on", path, expression))


class _Its:
    """The quantities of a model, as docs/certificates.md names them, and of a path at a step."""

    I, Phi, P_mu, P_pi, N = (Name(name) for name in ("I", "Phi", "P_mu", "P_pi", "N"))  # noqa: E741
    r, q, d, D, A, b, C, S, M, V = (Name(name) for name in ("r", "q", "d", "D", "A", "b", "C", "S", "M", "V"))
    theta, gamma, kappa, L, ones = (Name(name) for name in ("theta", "gamma", "kappa", "L", "ones"))
    G, Grho = Name("G"), Name("Grho")

    @staticmethod
    def at(name: str, number: int) -> Name:
        """A name with a number: ``R``, ``gamma``, ``rho``, ``phi``, ``v``, ``delta``, ``z``, ``zrho``, ``state`` at a
        step of a path; ``lambda``, ``c``, ``w`` with their index, ``Lambda`` and ``ones`` with their size.
        """
        return Name(f"{name}:{number}")

    def reward(self, step: int) -> Name:
        """R on the way from s_step."""
        return self.at("R", step)

    def discount(self, step: int) -> Name:
        """Γ on the way from s_step."""
        return self.at("gamma", step)

    def rho(self, step: int) -> Name:
        """The importance-sampling ratio of the action in s_step."""
        return self.at("rho", step)

    def phi(self, step: int) -> Name:
        """The feature vector of s_step."""
        return self.at("phi", step)

    def v(self, step: int) -> Name:
        """φᵀθ in s_step."""
        return self.at("v", step)

    def delta(self, step: int) -> Name:
        """The TD error on the way from s_step."""
        return self.at("delta", step)

    def z(self, step: int) -> Name:
        """The eligibility trace."""
        return self.at("z", step)

    def z_rho(self, step: int) -> Name:
        """The eligibility trace with importance-sampling ratios."""
        return self.at("zrho", step)

    def state(self, step: int) -> Name:
        """The indicator of s_step."""
        return self.at("state", step)

    def lambda_(self, index: int) -> Name:
        """λ_index, zero after the end of the schedule."""
        return self.at("lambda", index)

    def c(self, lag: int) -> Name:
        """The weight c_lag = λ_1…λ_lag of the trace."""
        return self.at("c", lag)

    def w(self, steps: int) -> Name:
        """The weight of the return of so many steps."""
        return self.at("w", steps)

    def Lambda(self, size: int) -> Name:
        """The weight matrix Λ, its first rows and columns."""
        return self.at("Lambda", size)


its = _Its()
