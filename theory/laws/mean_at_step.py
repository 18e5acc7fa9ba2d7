r"""Constant steps: do differences of two runs die out in the mean? The radius of a jump linear system's first moment.

With the system of :mod:`tdcert.theory.laws.mean_square`, y_{t+1} = (I + αK_t)y_t, the parts m_h = E[y_t 1{h_t = h}]
obey

    m'_{h'} = Σ_{h → h'} p (I + αK) m_h:   m' = L m, L with windows × D rows.

The mean dies out from every start, window by window, exactly if the spectral radius of L is below one, and grows from
some start if it is above (Costa, Fragoso and Marques, *Discrete-Time Markov Jump Linear Systems*, 2005, ch. 3). The map
z ↦ (z − 1)/(z + 1) takes the open unit disc to the open left half-plane, so that the sign of |z| − 1 is that of a
spectral abscissa, decided exactly. Where −1 is an eigenvalue, L² takes the place of L. This is the mean of the
recursion at the step α itself; the mean dynamics dθ/dt = Aθ + b are its limit of small steps.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, solve_discrete_lyapunov

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.certificate.bodies import strings
from tdcert.theory.check.definiteness import Definiteness, decide_positive_definite
from tdcert.theory.check.stability import POLYNOMIAL_LIMIT, spectral_abscissa
from tdcert.theory.errors import SingularMatrixError
from tdcert.theory.laws.mean_square import BITS, JumpSystem, rounded_symmetric, vector_of_growth
from tdcert.theory.laws.phase_cell import Sign


@dataclass(frozen=True)
class StepProof:
    """Powers of L go to zero: X ≻ 0 and X − LᵀXL ≻ 0 (Stein). With ``vector`` v they grow from v: LᵀXL − X ≻ 0 and
    vᵀXv > 0. ``change``: of this difference.
    """

    X: RationalMatrix
    change: Definiteness
    X_positive: Definiteness | None = None
    vector: RationalMatrix | None = None

    @property
    def witness(self) -> dict[str, Any]:
        """As certificates carry it."""
        assert self.change.factor is not None
        body: dict[str, Any] = {"lyapunov": self.X.to_strings()}
        if self.vector is not None:
            return {**body, "factor_growth": self.change.factor.as_witness, "vector": strings(self.vector)}
        assert self.X_positive is not None and self.X_positive.factor is not None
        body["factor_lyapunov"] = self.X_positive.factor.as_witness
        return {**body, "factor_decrease": self.change.factor.as_witness}


def mean_sign_at(system: JumpSystem, alpha: Fraction) -> Sign:
    """The sign of log radius(L) at the step ``alpha`` > 0; None where it is not decided."""
    if len(system.windows) * system.size > POLYNOMIAL_LIMIT:
        return None
    L = first_moment(system, alpha)
    one = L.identity(L.shape[0])
    for power in (L, L @ L):
        try:
            return spectral_abscissa((power + one).solve(power - one), bits=8).sign
        except SingularMatrixError:
            continue
    return None


def mean_proof(L: RationalMatrix) -> StepProof | None:
    """X that decides whether the powers of L go to zero, or None where none is found (which shows nothing)."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a nearly singular equation only means a worse proposal
            X = solve_discrete_lyapunov(L.to_float().T, np.eye(L.shape[0]))
    except (LinAlgError, ValueError):
        return None
    if not np.isfinite(X).all() or not X.any():
        return None
    sign = 1 if np.linalg.eigvalsh((X + X.T) / 2).min() > 0 else -1
    for bits in BITS:
        rounded = rounded_symmetric(sign * (X + X.T) / 2, bits, float(np.abs(X).max()))
        change = decide_positive_definite((rounded - L.T @ rounded @ L).scaled(Fraction(sign)))
        if not change.positive:
            continue
        if sign < 0:
            vector = vector_of_growth(rounded)
            if vector is not None:
                return StepProof(rounded, change, vector=vector)
        elif (positive := decide_positive_definite(rounded)).positive:
            return StepProof(rounded, change, X_positive=positive)
    return None


def first_moment(system: JumpSystem, alpha: Fraction) -> RationalMatrix:
    """L, windows × D rows and columns, those of one window together."""
    D, count = system.size, len(system.windows)
    rows = [[Fraction(0)] * (D * count) for _ in range(D * count)]
    for move in system.moves:
        for i, row in enumerate(move.K.rows):
            for j, x in enumerate(row):
                rows[move.target * D + i][move.source * D + j] += move.p * ((i == j) + alpha * x)
    return RationalMatrix(rows)
