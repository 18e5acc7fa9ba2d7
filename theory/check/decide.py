r"""Statements of :mod:`tdcert.theory.forms` decided in rationals: reduced ones, and ones that are never reduced.

:func:`decide` walks a statement; what a number system contributes is how it tells the sign of one matrix
(:class:`SignTests`). What a certificate needs beside the answer, a factor or a vector, comes from :func:`definiteness`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.unreduced import UnreducedMatrix
from tdcert.theory.check.definiteness import Definiteness, decide_positive_definite
from tdcert.theory.check.semidefiniteness import decide_positive_semidefinite
from tdcert.theory.check.stability import spectral_abscissa
from tdcert.theory.errors import SingularMatrixError
from tdcert.theory.forms import Form, Hurwitz, Implications, NormBound, Over, Statement, implied
from tdcert.theory.model.key_matrices import KeyMatrices

Test = Callable[[Any], bool]


@dataclass(frozen=True)
class SignTests:
    """How a number system tells: definiteness of a symmetric matrix, stability and regularity of a square one."""

    definite: Test
    semidefinite: Test
    hurwitz: Test
    nonsingular: Test


EXACT = SignTests(
    lambda S: decide_positive_definite(S).positive,
    lambda S: decide_positive_semidefinite(S).positive,
    lambda B: spectral_abscissa(B, bits=8).sign < 0,
    lambda B: bool(B.rank == B.shape[0]),
)
"""Reduced rationals, of any size that the budgets allow."""

UNREDUCED = SignTests(
    UnreducedMatrix.is_positive_definite,
    UnreducedMatrix.is_positive_semidefinite,
    UnreducedMatrix.is_hurwitz,
    UnreducedMatrix.is_nonsingular,
)
"""Unreduced rationals, fastest for a few states: minors and determinants."""


def decide(
    statement: Statement, keys: KeyMatrices[Any], gamma: Fraction, kappa: Fraction, signs: SignTests = EXACT
) -> bool | None:
    """Whether the statement holds; None where it is not made (its ``where``). The law of ``keys`` is positive.

    Raises :class:`~tdcert.theory.errors.BudgetExceededError` as the sign decisions do.
    """
    if isinstance(statement, Form) and statement.where and not statement.where((*keys.lambdas, keys.tail), gamma):
        return None
    if isinstance(statement, Implications):
        return implied(decide(link, keys, gamma, kappa, signs) for link in statement.links)
    if isinstance(statement, NormBound):
        return bool(statement.bound(gamma, kappa) >= 0) and decide(statement.form, keys, gamma, kappa, signs)
    try:
        if statement.exactly_if is not None:
            return signs.nonsingular(statement.exactly_if.matrix(keys, gamma, kappa))
        matrix = statement.matrix(keys, gamma, kappa)
    except SingularMatrixError:  # the statement speaks of something that does not exist
        return False
    if isinstance(statement, Hurwitz):
        return signs.hurwitz(matrix)
    return signs.definite(matrix) if statement.strict else signs.semidefinite(matrix)


def definiteness(form: Form, keys: KeyMatrices[RationalMatrix], states: Sequence[int]) -> Definiteness | None:
    """Whether a strict form holds on the class ``states``, with a factor or a vector to show it.

    None for a matrix on states that is not zero off the class. Raises
    :class:`~tdcert.theory.errors.BudgetExceededError` as :func:`decide_positive_definite` does.
    """
    S = form.matrix(keys, None, None)
    if form.over is Over.STATES:
        outside = sorted(set(range(S.shape[0])) - set(states))
        if outside and not S.take(rows=states, columns=outside).is_zero():
            return None
        S = S.take(states, states)
    return decide_positive_definite(S)
