r"""Constant steps: does the mean E[y_t] of the difference of two runs die out? The radius of its smallest recursion.

With the system of :mod:`tdcert.theory.laws.mean_square`, y_{t+1} = (I + αK_t)y_t, the parts m_h = E[y_t 1{h_t = h}]
obey

    m'_{h'} = Σ_{h → h'} p (I + αK) m_h:   m' = L m, L with windows × D rows,

and the mean is their sum, E[y_t] = S m, S = (I … I). The list m may grow where the mean dies out: on a fair coin with
features ±1 what grows in one state is the negative of what grows in the other. So the radius of L does not decide it;
two reductions come first (Kalman, *SIAM J. Control* 1, 1963), in fractions.

**What the sum sees.** Let the rows of T be a basis of what the rows of S, SL, SL², … span. It is invariant, so z = T m
obeys z' = Λz with TL = ΛT, and the mean is S_T z, S = S_T T. No z but zero has all S_TΛᵏz zero: where z grows, the mean
does at some of the next times. So the mean goes to zero from every start exactly if the radius of Λ is below one, and
grows from some start if it is above. Here every difference in every window is a start: *a run under way*, whose
parameters are changed by hand.

**What time zero and noise excite.** Runs that begin at time zero, without a past, bring about only some z: those in the
smallest invariant subspace that holds the z of all differences at time zero, and what the constant part of the updates
adds. With the law d_h of the windows and x_{t+1} = (I + αK_t)x_t + αk_t, (z, d) obeys a linear recursion; the (z, 0)
among what it reaches are the differences of means of runs, of two starts or two times. On these Λ decides whether the
means of runs from time zero forget how they began and stay bounded, or grow from some start.

Which rows SLᵏ are independent is asked modulo a prime, which says so of no dependent ones. T is then solved for, in
columns c with T_c the identity, so that Λ = (TL)_c; that no more rows are needed is seen by multiplying back.

The map z ↦ (z − 1)/(z + 1) takes the open unit disc to the open left half-plane, so that the sign of |z| − 1 is that of
a spectral abscissa, decided exactly. Where −1 is an eigenvalue, powers of Λ take its place. This is the mean of the
recursion at the step α itself; the mean dynamics dθ/dt = Aθ + b are its limit of small steps.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from operator import mul

import numpy as np
import scipy
from flint import fmpz

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.float_enclosures import Floats
from tdcert.theory.arithmetic.rational import PRIME
from tdcert.theory.certificate.bodies import strings
from tdcert.theory.check.definiteness import Definiteness, decide_positive_definite
from tdcert.theory.check.stability import spectral_abscissa
from tdcert.theory.errors import SingularMatrixError
from tdcert.theory.laws.mean_square import BITS, JumpSystem, rounded_symmetric, vector_of_growth
from tdcert.theory.limits import POLYNOMIAL_ROWS, RECURSION_ROWS, raised
from tdcert.theory.verdict import Sign

SMALL = 16
"""Rows up to which a Lyapunov equation is one linear system, in milliseconds: SciPy takes longer to import."""

SQUARINGS = 5
"""How often Λ is squared where −1 is an eigenvalue of it: all 32nd roots of unity have 31 eigenvalues beside 1."""
LATER = (0, 1, 2, 4, 8, 16, 32, 64)
"""Updates after which a start may have grown, tried in turn."""


@dataclass(frozen=True)
class RowSpan:
    """A basis T (``rows``, r×N) of the span of the rows of S, SL, …: T is the identity in ``columns``, TL = ΛT for
    ``matrix`` Λ. Row i of SLᵏ for the pairs (i, k) of ``entries`` are a basis too.
    """

    columns: tuple[int, ...]
    rows: RationalMatrix
    matrix: RationalMatrix
    entries: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class MeanSigns:
    """The sign of log radius: −1 means die out, 1 they grow from some start, 0 the radius is one, None undecided.

    ``time_zero``: of runs from time zero; ``under_way``: every difference in every window is a start; ``recursion``: of
    the latter.
    """

    time_zero: Sign
    under_way: Sign
    recursion: RowSpan | None = None


@dataclass(frozen=True)
class StepProof:
    """Powers of Λ go to zero: X ≻ 0 and X − ΛᵀXΛ ≻ 0 (Stein). With ``vector`` (D×1) the mean grows from that difference
    in ``window``: ΛᵀXΛ − X ≻ 0, and zᵀXz > 0 for the z of it ``after`` updates. ``change``: of this difference.
    """

    recursion: RowSpan
    X: RationalMatrix
    change: Definiteness
    X_positive: Definiteness | None = None
    window: int = 0
    vector: RationalMatrix | None = None
    after: int = 0

    @property
    def witness(self) -> dict[str, object]:
        """The witness that certificates carry."""
        found = self.recursion
        assert self.change.factor is not None
        body: dict[str, object] = {
            "nodes": found.rows.shape[1] // (1 + max(i for i, _ in found.entries)),
            "columns": list(found.columns),
            "rows": found.rows.to_strings(),
            "lyapunov": self.X.to_strings(),
        }
        if self.vector is not None:
            start = {"window": self.window, "vector": strings(self.vector), "after": self.after}
            shown = {"entries": [list(entry) for entry in found.entries]}
            return {**body, **shown, "factor_growth": self.change.factor.as_witness, **start}
        assert self.X_positive is not None and self.X_positive.factor is not None
        body["factor_lyapunov"] = self.X_positive.factor.as_witness
        return {**body, "factor_decrease": self.change.factor.as_witness}


def mean_signs(system: JumpSystem, alpha: Fraction) -> MeanSigns:
    """What the mean does at the step ``alpha`` > 0."""
    found = mean_recursion(system, alpha) if len(system.windows) * system.size <= raised(RECURSION_ROWS) else None
    if found is None:
        return MeanSigns(None, None)
    under_way = radius_sign(found.matrix)
    excited = _excited(system, alpha, found)
    if excited.shape[1] == len(found.columns):
        return MeanSigns(under_way, under_way, found)
    rows = excited.T.independent_columns()
    inner = excited.take(rows=rows).T.solve((found.matrix @ excited).take(rows=rows).T).T
    return MeanSigns(radius_sign(inner), under_way, found)


def mean_recursion(system: JumpSystem, alpha: Fraction) -> RowSpan | None:
    """What the sum over windows sees; None where that is more than :data:`POLYNOMIAL_ROWS` numbers."""
    L = first_moment(system, alpha)
    S = RationalMatrix([[int(i == j % system.size) for j in range(L.shape[0])] for i in range(system.size)])
    return spanned(S, L, POLYNOMIAL_ROWS)


def radius_sign(matrix: RationalMatrix) -> Sign:
    """The sign of log of the spectral radius; None where it is not decided."""
    one = matrix.identity(matrix.shape[0])
    for _ in range(SQUARINGS + 1):
        try:
            return spectral_abscissa((matrix + one).solve(matrix - one), bits=8).sign
        except SingularMatrixError:
            matrix = matrix @ matrix
    return None


def spanned(S: RationalMatrix, L: RationalMatrix, most: int) -> RowSpan | None:
    """A basis of the span of the rows of S, SL, SL², …; None where it has more than ``most``."""
    prime = PRIME
    while True:
        entries, columns = _independent(S, L, prime)
        if len(entries) > most:
            return None
        if len(entries) == L.shape[0]:
            return RowSpan(tuple(range(len(entries))), L.identity(len(entries)), L, entries)
        level, rows = S, list[RationalMatrix]()
        for k in range(1 + entries[-1][1]):
            rows += [level.take(rows=[i]) for i, at in entries if at == k]
            level = level @ L
        W = rows[0].T.beside(*(row.T for row in rows[1:])).T
        T = W.take(columns=columns).solve(W)
        moved = T @ L
        matrix = moved.take(columns=columns)
        if matrix @ T == moved and S.take(columns=columns) @ T == S:
            return RowSpan(columns, T, matrix, entries)
        prime = next(p for p in range(prime - 2, 1, -2) if fmpz(p).is_prime())


def _independent(
    S: RationalMatrix, L: RationalMatrix, prime: int
) -> tuple[tuple[tuple[int, int], ...], tuple[int, ...]]:
    """(i, k) of the rows of SLᵏ that are independent of those before them, by k, then i, modulo a prime; and as many
    columns in which they are so.
    """
    turned = [[int(x) % prime for x in row] for row in L.numerator.transpose().table()]
    level = [(i, [int(x) % prime for x in row]) for i, row in enumerate(S.numerator.table())]
    known: list[tuple[int, list[int]]] = []
    entries, k = list[tuple[int, int]](), 0
    while level:
        kept = []
        for i, row in level:
            rest = row
            for pivot, other in known:
                if factor := rest[pivot]:
                    rest = [(x - factor * y) % prime for x, y in zip(rest, other, strict=True)]
            place = next((j for j, x in enumerate(rest) if x), None)
            if place is not None:
                inverse = pow(rest[place], -1, prime)
                known.append((place, [x * inverse % prime for x in rest]))
                entries.append((i, k))
                kept.append((i, [sum(map(mul, row, column)) % prime for column in turned]))
        level, k = kept, k + 1
    return tuple(entries), tuple(pivot for pivot, _ in known)


def _excited(system: JumpSystem, alpha: Fraction, found: RowSpan) -> RationalMatrix:
    """A basis (its columns) of the z that time zero and noise excite."""
    D, n, r = system.size, len(system.windows), len(found.columns)
    starts = found.rows.take(columns=range(D * system.starts))
    without_noise = _reached(found.matrix, starts)
    if without_noise.shape[1] == r:
        return without_noise
    chain = [[Fraction(0)] * n for _ in range(n)]
    added = [RationalMatrix.zeros(r, 1)] * n
    for move in system.moves:
        chain[move.target][move.source] += move.p
        change = found.rows.take(columns=range(move.target * D, move.target * D + D)) @ move.k
        added[move.source] = added[move.source] + change.scaled(alpha * move.p)
    none = RationalMatrix.zeros(n, r)
    both = found.matrix.block(right=added[0].beside(*added[1:]), below=none, corner=RationalMatrix(chain))
    begun = RationalMatrix([[int(i == j) for j in range(system.starts)] for i in range(n)])
    right, below = RationalMatrix.zeros(r, system.starts), RationalMatrix.zeros(n, starts.shape[1])
    reached = _reached(both, starts.block(right=right, below=below, corner=begun))
    law, z = reached.take(rows=range(r, r + n)), reached.take(rows=range(r))
    basis, T = law.column_basis
    free = [j for j in range(law.shape[1]) if j not in basis]
    apart = z.take(columns=free) - z.take(columns=basis) @ T.take(columns=free)  # these have no law
    return apart.take(columns=apart.independent_columns())


def _reached(A: RationalMatrix, B: RationalMatrix) -> RationalMatrix:
    """A basis (its columns) of the smallest invariant subspace of A that holds the columns of B."""
    found = spanned(B.T, A.T, A.shape[0])
    assert found is not None  # no subspace is larger than the whole
    return found.rows.T


def mean_proof(system: JumpSystem, found: MeanSigns) -> StepProof | None:
    """X that decides whether the powers of Λ go to zero, or None where none is found (which shows nothing)."""
    if found.recursion is None or not found.under_way:
        return None
    L = found.recursion.matrix
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a nearly singular equation only means a worse proposal
            X = _discrete_lyapunov(L.to_float().T)
    except (np.linalg.LinAlgError, ValueError):
        return None
    if not np.isfinite(X).all() or not X.any():
        return None
    sign = -found.under_way
    for bits in BITS:
        rounded = rounded_symmetric(sign * (X + X.T) / 2, bits, float(np.abs(X).max()))
        change = decide_positive_definite((rounded - L.T @ rounded @ L).scaled(Fraction(sign)))
        if not change.positive:
            continue
        if sign < 0:
            for window, vector, after in _starts(system, found, rounded):
                return StepProof(found.recursion, rounded, change, None, window, vector, after)
        elif (positive := decide_positive_definite(rounded)).positive:
            return StepProof(found.recursion, rounded, change, X_positive=positive)
    return None


def _discrete_lyapunov(A: Floats) -> Floats:
    """X with A X Aᵀ − X + I = 0; where it is small as one linear system, without the import of SciPy."""
    n = len(A)
    if n <= SMALL:
        X = np.linalg.solve(np.eye(n * n) - np.kron(A, A), np.eye(n).ravel()).reshape(n, n)
        return np.asarray(X, dtype=np.float64)
    return np.asarray(scipy.linalg.solve_discrete_lyapunov(A, np.eye(n)))


def _starts(system: JumpSystem, found: MeanSigns, X: RationalMatrix) -> Iterator[tuple[int, RationalMatrix, int]]:
    """Differences in a window, and after how many updates zᵀXz > 0; time zero first, if the mean grows from there."""
    assert found.recursion is not None
    D, L = system.size, found.recursion.matrix
    begun = range(system.starts if found.time_zero == 1 else 0)
    for windows in (begun, range(len(system.windows))):
        power, at = L.identity(L.shape[0]), 0
        for after in LATER if windows else ():
            for _ in range(at, after):
                power = L @ power
            at = after
            for window in windows:
                z = power @ found.recursion.rows.take(columns=range(window * D, window * D + D))
                form = z.T @ X @ z
                if (vector := vector_of_growth(form)) is not None:
                    yield window, vector, after


def first_moment(system: JumpSystem, alpha: Fraction) -> RationalMatrix:
    """L, windows × D rows and columns, those of one window together."""
    D, count = system.size, len(system.windows)
    rows = [[Fraction(0)] * (D * count) for _ in range(D * count)]
    for move in system.moves:
        for i, row in enumerate(move.K.rows):
            for j, x in enumerate(row):
                rows[move.target * D + i][move.source * D + j] += move.p * ((i == j) + alpha * x)
    return RationalMatrix(rows)
