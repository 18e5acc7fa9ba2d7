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

from fractions import Fraction

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.stability import POLYNOMIAL_LIMIT, spectral_abscissa
from tdcert.theory.errors import SingularMatrixError
from tdcert.theory.laws.mean_square import JumpSystem
from tdcert.theory.laws.phase_cell import Sign


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


def first_moment(system: JumpSystem, alpha: Fraction) -> RationalMatrix:
    """L, windows × D rows and columns, those of one window together."""
    D, count = system.size, len(system.windows)
    rows = [[Fraction(0)] * (D * count) for _ in range(D * count)]
    for move in system.moves:
        for i, row in enumerate(move.K.rows):
            for j, x in enumerate(row):
                rows[move.target * D + i][move.source * D + j] += move.p * ((i == j) + alpha * x)
    return RationalMatrix(rows)
