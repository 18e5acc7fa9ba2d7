r"""Statements about the sign of a matrix, as data: written once, decided in every arithmetic.

A statement holds functions of the key matrices, of γ (the largest discount) and of κ (for that γ). It is built from
``+ − @ .T scaled solve`` alone, so that it can be evaluated on exact, unreduced, enclosed and float matrices alike.
There are five kinds:

* :class:`Form`: xᵀSx > 0 for every x ≠ 0 (``strict``), or xᵀSx ≥ 0 for every x, for a symmetric matrix S;
* :class:`NormBound`: ‖XV‖_D ≤ q‖V‖_D for every V, that is q ≥ 0 and q²D − XᵀDX positive semidefinite;
* :class:`Hurwitz`: every eigenvalue of a matrix has negative real part;
* :class:`Nonsingular`: a square matrix has no null vector;
* :class:`Implications`: each statement of a list implies the next.

Each arithmetic has one function ``decide``: :mod:`tdcert.theory.check.decide` (exact, and unreduced rationals),
:mod:`tdcert.theory.enclose.dense`, :mod:`tdcert.theory.enclose.sparse`; batches of floats have margins, which decide
nothing (``tdcert.sweeps.screen``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from operator import and_
from typing import Any

from tdcert.theory.model.key_matrices import KeyMatrices, gtd_matrix

MatrixOf = Callable[[KeyMatrices[Any], Any, Any], Any]
"""(key matrices, γ, κ) → a matrix of the same number system."""
Condition = Callable[[Sequence[Any], Any], Any]
"""(λ's, γ) → True or False; entry by entry for a batch of models."""


class Over(StrEnum):
    """What a form is a form in: θ (S is d×d), V (n×n), or nothing more, where S is one number made from V^π (1×1)."""

    FEATURES = "features"
    STATES = "states"
    VALUE = "value"


@dataclass(frozen=True)
class Nonsingular:
    """The square matrix has no null vector. ``name`` is what sentences call it, here and below."""

    matrix: MatrixOf
    name: str


@dataclass(frozen=True)
class Form:
    """S = ``matrix`` (symmetric) is positive definite, or semidefinite (not strict). ``over``: what x is.

    ``where``: the statement is made only where this holds. ``exactly_if``: an equivalent statement that is decided in
    its place. ``unit``: from the key matrices and S, a matrix whose trace is the unit of float margins; the mean of the
    diagonal of C if not given. ``through_signs``: S = ΦᵀZΦ with Z = κD − sym DM, whose signs show it semidefinite
    on-policy (:mod:`tdcert.theory.check.margins`). Where S is not defined (a singular system) the statement fails.
    """

    matrix: MatrixOf
    name: str
    strict: bool = True
    over: Over = Over.FEATURES
    where: Condition | None = None
    exactly_if: Nonsingular | None = None
    unit: Callable[[KeyMatrices[Any], Any], Any] | None = None
    through_signs: bool = False


@dataclass(frozen=True)
class NormBound:
    """‖XV‖_D ≤ q‖V‖_D for every V, X = ``operator`` (n×n) and q = ``bound`` of (γ, κ); < for V ≠ 0 where ``strict``."""

    operator: MatrixOf
    bound: Callable[[Any, Any], Any]
    name: str
    strict: bool = False

    @property
    def form(self) -> Form:
        """q²D − XᵀDX is positive semidefinite (definite)."""
        return Form(self._gap, f"q²D − XᵀDX for X = {self.name}", self.strict, over=Over.STATES)

    def _gap(self, keys: KeyMatrices[Any], gamma: Any, kappa: Any) -> Any:
        X = self.operator(keys, gamma, kappa)
        return norm_gap(X, X.identity(X.shape[0]).scale_rows(keys.d), self.bound(gamma, kappa))


@dataclass(frozen=True)
class Hurwitz:
    """Every eigenvalue of ``matrix`` has negative real part. ``exactly_if``: as in :class:`Form`."""

    matrix: MatrixOf
    name: str
    exactly_if: Nonsingular | None = None


@dataclass(frozen=True)
class Implications:
    """Each of ``links`` implies the next."""

    links: tuple[Form | NormBound | Hurwitz, ...]


Statement = Form | NormBound | Hurwitz | Implications


def norm_gap(X: Any, D: Any, q: Any) -> Any:
    """q²D − XᵀDX: positive semidefinite exactly if ‖XV‖_D ≤ |q|·‖V‖_D for every V."""
    return D.scaled(q * q) - X.T @ D @ X


def symmetric(X: Any) -> Any:
    """(X + Xᵀ)/2."""
    return (X + X.T).scaled(Fraction(1, 2))


def implied(answers: Iterable[bool | None]) -> bool | None:
    """Whether each of these answers (None: not known) implies the next; None where that is not known."""
    links = list(pairwise(answers))
    if any(first and second is False for first, second in links):
        return False
    return True if all(first is False or second for first, second in links) else None


def in_unit_interval(lambdas: Sequence[Any], gamma: Any) -> Any:
    """Every λ_j in [0, 1]."""
    return reduce(and_, ((x >= 0) & (x <= 1) for x in lambdas), gamma == gamma)


def operator_M(keys: KeyMatrices[Any], gamma: Any = None, kappa: Any = None) -> Any:
    """M itself, n×n."""
    return keys.M(keys.N.identity(keys.N.shape[0]))


def operator_P(keys: KeyMatrices[Any], gamma: Any = None, kappa: Any = None) -> Any:
    """The target policy's matrix without discounts, n×n."""
    return keys.P


# ---- statements that several claims, and the mean dynamics, make ------------------------------------------------

NEGATIVE_A = Form(lambda k, gamma, kappa: (k.A + k.A.T).scaled(Fraction(-1, 2)), "−sym A")
"""A is negative definite."""

DEFINITE_ON_STATES = Form(lambda k, gamma, kappa: symmetric(k.D_I_minus_M()), "sym D(I − M)", over=Over.STATES)
"""sym D(I − M) is positive definite."""

A_REGULAR = Nonsingular(lambda k, gamma, kappa: k.A, "A")

A_HURWITZ = Hurwitz(lambda k, gamma, kappa: k.A, "A")

GTD_HURWITZ = Hurwitz(lambda k, gamma, kappa: gtd_matrix(k.A, k.C), "G at η = 1", exactly_if=A_REGULAR)
"""It holds exactly if A is nonsingular, as C is positive semidefinite (:mod:`tdcert.theory.check.mean_dynamics`)."""

TDC_DEFINITE = Form(
    lambda k, gamma, kappa: symmetric(k.A.T @ k.C.solve(k.A)), "AᵀC⁻¹A", exactly_if=A_REGULAR, unit=lambda k, S: S
)
"""−AᵀC⁻¹A, the slow matrix of TDC, is negative definite; a congruence of C⁻¹ by A."""
