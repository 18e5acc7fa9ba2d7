r"""The spectral abscissa of a matrix that is known up to rounding: floats propose, a bound decides.

Floats give an approximate decomposition BV ≈ VΛ, Λ real and block diagonal: [a] for a real eigenvalue, [[a, b],
[−b, a]] for a pair a ± ib. Then V⁻¹BV = Λ + E with E = V⁻¹(BV − VΛ), which a verified solve encloses (it shows that V
is nonsingular). With m_IJ ≥ ‖E_IJ‖_2 block by block, and a number c:

    y > 0 and |c − a_I| y_I > Σ_J m_IJ y_J for every I
        ⟹   as many eigenvalues of B have a real part above c as there are a_I above c, with multiplicity.

*Proof.* Let (Λ + tE)x = zx, x ≠ 0, 0 ≤ t ≤ 1 and Re z = c, and x_I the parts of x. Blocks of Λ are normal, so
|c − a_I| ‖x_I‖ ≤ ‖(z − Λ_I)x_I‖ ≤ Σ_J m_IJ ‖x_J‖. The matrix diag|c − a| − m is a nonsingular M-matrix because of y
(Berman and Plemmons 1994, theorem 6.2.3, condition I27), so its inverse is non-negative and x = 0. No eigenvalue
therefore crosses the line Re z = c while t goes from 0 to 1. (For c above all a_I this is α(B) ≤ α(diag(a) + m), for a
Metzler majorant.)

The spectrum of B is that of its diagonal blocks on the strongly connected components of its pattern (exact zeros), so
each is decomposed apart: a chain that goes one way has a triangular matrix, far from normal.

What the decomposition does not resolve, as where B is defective and V singular, is asked of ``stable_beyond``, which
may be Lyapunov's theorem for B − cI.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import ceil, frexp, ldexp

import numpy as np

from tdcert.theory.arithmetic.float_enclosures import UNIT, Floats, MidRadMatrix, gamma
from tdcert.theory.errors import SingularMatrixError
from tdcert.theory.limits import SPECTRUM_ROWS, raised
from tdcert.theory.model.components import strong_components
from tdcert.theory.model.key_matrices import gtd_matrix

PARTS = (2.0**-30, 2.0**-20, 2.0**-14, 2.0**-10, 2.0**-8)
"""Distances of c from the largest a that are tried first, as parts of it: with the last both ends agree to 1 %."""

COARSE_PARTS = (2.0**-50, 2.0**-40, 2.0**-30, 2.0**-20, 2.0**-10, 1.0, 2.0**6)
"""Distances that are tried next, as parts of the largest |a|: for an abscissa that is small beside it, or zero."""

ASKED_PARTS = (2.0**-8, 2.0**-6, 2.0**-4, 2.0**-2, 1.0)
"""Distances at which ``stable_beyond`` is asked, as parts of the largest a: each question costs as much as the rest."""

KEPT_BITS = 24
"""Bits of the ends that are kept, rounded outward: the last ones depend on the library that multiplies matrices."""

StableBeyond = Callable[[float], bool | None]
"""Whether every eigenvalue has a real part below c; False: some eigenvalue above it; None: not decided."""


@dataclass(frozen=True, eq=False)
class Decomposition:
    """V⁻¹BV = Λ + E: ``real_parts`` (k,), one per block of Λ, and ``majorant`` (k, k), m_IJ ≥ ‖E_IJ‖_2."""

    real_parts: Floats
    majorant: Floats

    @cached_property
    def largest(self) -> float:
        """The largest a."""
        return float(self.real_parts.max())

    def cut(self, step: float) -> float:
        """A number at most ``step`` below the largest a, in the middle of the widest gap between real parts there."""
        least = self.largest - step
        ends = np.concatenate([[least], np.sort(self.real_parts[self.real_parts > least])])
        if len(ends) == 1:
            return least
        k = int(np.diff(ends).argmax())
        return float(ends[k] / 2 + ends[k + 1] / 2)

    def right_of(self, c: float) -> int | None:
        """How many blocks lie right of Re z = c, where the condition above shows that E moves nothing across it."""
        distances = np.nextafter(np.abs(c - self.real_parts), 0)
        if not (distances > 0).all():
            return None
        try:
            y = np.linalg.solve(np.diag(distances) - self.majorant, np.ones(len(distances)))
        except np.linalg.LinAlgError:
            return None
        if not (np.isfinite(y).all() and (y > 0).all()):
            return None
        sums = self.majorant @ y * (1 + gamma(len(y) + 2)) + 2.0**-1000
        if not (distances * y * (1 - 2 * UNIT) > sums).all():
            return None
        return int((self.real_parts > c).sum())


def decomposed(B: MidRadMatrix) -> Decomposition | None:
    """A decomposition of B (n×n) with its bounds, valid for every member; None where V may be singular."""
    try:
        V, a, b = _proposed(B.mid)
        vectors = MidRadMatrix(V)
        E = vectors.solve(B @ vectors - _times_blocks(V, a, b))
    except (np.linalg.LinAlgError, SingularMatrixError):
        return None
    if not np.isfinite(E.rad).all():
        return None
    starts = np.flatnonzero(b <= 0)  # of the two columns of a pair the first has b > 0, the second −b
    starts = np.array([k - 1 if b[k] < 0 else k for k in starts])
    squares = np.add.reduceat(np.add.reduceat(E.largest**2, starts, axis=0), starts, axis=1)
    return Decomposition(a[starts], np.sqrt(squares) * (1 + gamma(8)) + 2.0**-500)


def _proposed(B: Floats) -> tuple[Floats, Floats, Floats]:
    """V (n×n), a and b (n,): columns (x, y) of a pair x ± iy have a, a and b, −b with b > 0; b = 0 for a real one."""
    if np.array_equal(B, B.T):
        values, V = np.linalg.eigh(B)
        return V, values, np.zeros_like(values)
    values, vectors = np.linalg.eig(B)
    b = np.ascontiguousarray(values.imag)
    V = np.where(b < 0, -vectors.imag, vectors.real)  # the second column of a pair holds the conjugate: −(−y) = y
    return V, np.ascontiguousarray(values.real), b


def _times_blocks(V: Floats, a: Floats, b: Floats) -> MidRadMatrix:
    """VΛ: (ax − by, bx + ay) for the columns (x, y) of a pair."""
    n = len(a)
    other = np.arange(n) + np.sign(b).astype(int)
    row = MidRadMatrix(np.broadcast_to(a, (n, n)))
    swapped = MidRadMatrix(np.broadcast_to(-b, (n, n)))
    return MidRadMatrix(V).hadamard(row) + MidRadMatrix(V[:, other]).hadamard(swapped)


@np.errstate(all="ignore")  # what overflows ends in infinite radii, from which nothing is concluded
def abscissa_bounds(B: MidRadMatrix, stable_beyond: StableBeyond = lambda c: None) -> tuple[float, float]:
    """Floats below and above the largest real part of the eigenvalues, for every member of B (n×n).

    They are infinite where nothing was shown, and beyond :data:`SPECTRUM_ROWS` rows. ``stable_beyond`` is asked where
    the decomposition leaves the two ends more than 1 % apart.
    """
    if B.shape[0] > raised(SPECTRUM_ROWS) or not (np.isfinite(B.mid).all() and np.isfinite(B.rad).all()):
        return -np.inf, np.inf
    parts = _components((B.mid != 0) | (B.rad != 0))
    lower, upper, top = (
        max(ends) for ends in zip(*(_of_irreducible(B.take(part, part)) for part in parts), strict=True)
    )
    for part in ASKED_PARTS:
        step = part * abs(top)
        if upper > top + step and stable_beyond(top + step):
            upper = top + step
        if lower < top - step and stable_beyond(top - step) is False:
            lower = top - step
    return -_above(-lower), _above(upper)


def _components(pattern: Floats) -> list[list[int]]:
    """The strong components of the graph of the true entries; often it is one of all rows, which is seen at once."""
    if all(_all_are_reached(graph) for graph in (pattern, pattern.T)):
        return [list(range(len(pattern)))]

    return list(map(sorted, strong_components([np.flatnonzero(row).tolist() for row in pattern])))


def _all_are_reached(graph: Floats) -> bool:
    """Whether some path leads from the first row to every row."""
    reached = np.arange(len(graph)) == 0
    news = reached
    while news.any():
        news = graph[news].any(axis=0) & ~reached
        reached = reached | news
    return bool(reached.all())


def _of_irreducible(B: MidRadMatrix) -> tuple[float, float, float]:
    """Bounds of the abscissa, infinite where nothing was shown, and about what it is."""
    found = decomposed(B)
    if found is None:
        try:
            return -np.inf, np.inf, float(np.linalg.eigvals(B.mid).real.max())
        except np.linalg.LinAlgError:
            return -np.inf, np.inf, 0.0
    top = found.largest
    upper = next((top + step for step in _steps(found) if found.right_of(top + step) == 0), np.inf)
    lower = next((c for c in map(found.cut, _steps(found)) if found.right_of(c)), -np.inf)
    return lower, upper, top


def _above(x: float) -> float:
    """A float of :data:`KEPT_BITS` bits that is not below x."""
    if not (2.0**-900 < abs(x) < np.inf):  # near the smallest floats fewer bits may be left
        return x
    mantissa, exponent = frexp(x)
    return ldexp(ceil(ldexp(mantissa, KEPT_BITS)), exponent - KEPT_BITS)


def _steps(found: Decomposition) -> list[float]:
    size = float(np.abs(found.real_parts).max() + np.abs(found.majorant).max())
    return [part * abs(found.largest) for part in PARTS] + [part * size for part in COARSE_PARTS]


def gtd_abscissa_bounds(A: MidRadMatrix, C: MidRadMatrix, W: MidRadMatrix | None = None) -> tuple[float, float]:
    """Floats below and above the spectral abscissa of GTD's diag(W, W)G, G at η = 1 (2d×2d); W = I if left out."""
    G = gtd_matrix(A, C)
    if W is not None:
        zero = W.scaled(0)
        G = W.block(right=zero, below=zero, corner=W) @ G
    return abscissa_bounds(G)


def tdc_abscissa_bounds(A: MidRadMatrix, C: MidRadMatrix, W: MidRadMatrix | None = None) -> tuple[float, float]:
    """Floats below and above the spectral abscissa of TDC's −W AᵀC⁻¹A (d×d), for symmetric positive definite C and W
    (W = I if left out) and a nonsingular A. They are infinite where A may be singular or nothing was shown.

    The eigenvalues are real and negative. The matrix is the inverse of −A⁻¹CA⁻ᵀW⁻¹, and the abscissa belongs to the
    eigenvalue of that inverse which is largest in absolute value. The relative error therefore suffers from the
    condition of A once, not twice.
    """
    try:
        X = A.solve(A.identity(A.shape[0]))
        inverse = (X @ C @ X.T).symmetric_part()
        low, high = abscissa_bounds(inverse if W is None else W.solve(inverse))
    except SingularMatrixError:
        return -np.inf, np.inf
    if not low > 0:
        return -np.inf, np.inf
    return float(np.nextafter(-1 / low, -np.inf)), float(np.nextafter(-1 / high, np.inf))
