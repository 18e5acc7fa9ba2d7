r"""Is the mean dynamics x' = Bx stable? Decided exactly, with a matrix or a vector that shows it.

*Stable* (Hurwitz): every eigenvalue of B has negative real part. *Unstable*: some eigenvalue has positive
real part. *Marginal*: neither, the spectral abscissa (largest real part) is exactly zero.

Two exact routes, each checked against nothing but integers:

1. **Characteristic polynomial** (sizes up to :data:`POLYNOMIAL_ROWS`): its roots are isolated by balls
   (Arb), and the roots *on* the imaginary axis are counted algebraically, as negative real roots of gcd(E, O)
   where p(z) = E(z²) + zO(z²). Precision rises until no other ball meets the axis. This always decides, and
   encloses the spectral abscissa as tightly as asked.
2. **Lyapunov's theorem**, which makes the decision cheap to check: X ≻ 0 with −(BᵀX + XB) ≻ 0 proves
   stability; X with BᵀX + XB ≻ 0 (for B − sI, s ≥ 0) and a vector v with vᵀXv > 0 proves an eigenvalue with
   real part above s: along x' = (B − sI)x the form xᵀXx then grows exponentially. X is a rounded float
   solution, accepted by exact definiteness. Larger matrices rest on this alone.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import scipy
from flint import arb, fmpq, fmpz_poly
from numpy.typing import NDArray

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.ball import exact_value, precision
from tdcert.theory.arithmetic.protocol import Dense
from tdcert.theory.check.definiteness import Definiteness, decide_positive_definite
from tdcert.theory.errors import BudgetExceededError, SingularMatrixError
from tdcert.theory.limits import LYAPUNOV_ROWS, POLYNOMIAL_ROWS, LimitError, raised
from tdcert.theory.verdict import Certificate

EXACT_LYAPUNOV_LIMIT = 8
"""Largest matrix whose Lyapunov equation is solved exactly, where float solutions are too coarse."""
CLOSE = 1e-6
"""What a solution by eigenvectors may leave of the right-hand side; else SciPy's, which takes longer to import, is
asked. Proposals are rounded to six bits first.
"""
SMALL = 10
"""Largest matrix whose Lyapunov equation is solved as n² linear ones in floats."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Abscissa:
    """Enclosure of the largest real part of the eigenvalues, and what it decides."""

    lower: Fraction
    upper: Fraction
    exactly_zero: bool

    @property
    def sign(self) -> int:
        """−1 stable, +1 unstable, 0 marginal."""
        if self.exactly_zero:
            return 0
        return 1 if self.lower > 0 else -1


@dataclass(frozen=True)
class LyapunovProof:
    """X and the factors that prove ``stable`` or (with ``vector``) ``unstable``, for B − ``shift``·I."""

    shift: Fraction
    X: RationalMatrix
    change: Definiteness
    X_positive: Definiteness | None = None
    vector: RationalMatrix | None = None


@lru_cache(maxsize=8)
def spectral_abscissa(B: RationalMatrix, bits: int = 64) -> Abscissa:
    """Exact enclosure of the spectral abscissa from the characteristic polynomial; the last ones are kept, as updates
    of one analysis often share a mean matrix.

    ``bits``: the enclosure is at most 2^−bits of its larger end wide. Raises :class:`BudgetExceededError`
    above :data:`POLYNOMIAL_ROWS`.
    """
    n = B.shape[0]
    if n > raised(POLYNOMIAL_ROWS):
        said = f"the characteristic polynomial of a {n}×{n} matrix is beyond the limit of {raised(POLYNOMIAL_ROWS)}"
        raise LimitError(said, n / POLYNOMIAL_ROWS)
    polynomial = B.numerator.charpoly()
    on_axis = _distinct_roots_on_imaginary_axis(polynomial)
    working = bits + 32
    scale = Fraction(1, int(B.denominator))
    while True:
        with precision(working):
            roots = [root[0].real for root in _isolated(polynomial)]
            if sum(1 for x in roots if x.contains(0)) == on_axis:
                real_parts = [arb(0) if x.contains(0) else x for x in roots]
                lower = max(exact_value(x.lower()) for x in real_parts) * scale
                upper = max(exact_value(x.upper()) for x in real_parts) * scale
                if (upper - lower) * 2**bits <= max(abs(lower), abs(upper)):
                    return Abscissa(lower, upper, exactly_zero=lower == 0 == upper)
        working *= 2  # ends: finitely many roots, those off the axis at a positive distance


def prove_stable(B: RationalMatrix) -> LyapunovProof | None:
    """A Lyapunov matrix for B (n×n), or None where none was found (which refutes nothing)."""
    for X in _lyapunov_candidates(B, sign=-1):
        change = _positive(-_lyapunov_change(B, X))
        if change is not None:
            positive = _positive(X)
            if positive is not None:
                return LyapunovProof(Fraction(0), X, change, X_positive=positive)
    return None


def prove_unstable(B: RationalMatrix, abscissa: Fraction | float | None = None) -> LyapunovProof | None:
    """An indefinite Lyapunov matrix for a shift of B, or None where none was found.

    ``abscissa`` (a positive lower bound or guess of the spectral abscissa) lets shifts be chosen below it.
    """
    if B.shape[0] > raised(LYAPUNOV_ROWS):
        return None
    unit = Fraction(2) ** B.magnitude  # in this unit the entries are within the range of floats
    if abscissa is None:
        guess = float(np.max(np.linalg.eigvals(B.scaled(1 / unit).to_float()).real))
    else:
        guess = float(Fraction(abscissa) / unit)
    if guess <= 0:
        return None
    for part in (0.0, 0.5, 0.3, 0.7, 0.9, 0.11):
        part_of_guess = Fraction(guess * part)
        shift = unit * (part_of_guess.limit_denominator(2**20) if guess > 1e-6 else part_of_guess)
        shifted = B - B.identity(B.shape[0]).scaled(shift)
        for X in _lyapunov_candidates(shifted, sign=1):
            change = _positive(_lyapunov_change(shifted, X))
            vector = _vector_of_growth(X, shifted) if change is not None else None
            if change is not None and vector is not None:
                return LyapunovProof(shift, X, change, vector=vector)
    return None


def certificate_of(proof: LyapunovProof, about: Mapping[str, Any], witness: Mapping[str, Any]) -> Certificate:
    """The certificate (kind ``hurwitz`` or ``unstable``) of a proof about the named matrix."""
    kind = "hurwitz" if proof.vector is None else "unstable"
    return Certificate(kind, {**about, "shift": str(proof.shift)}, {**witness, **witness_of(proof)})


def witness_of(proof: LyapunovProof) -> dict[str, object]:
    """X, its factors, and the vector of a growth, as certificates carry them."""
    assert proof.change.factor is not None
    body: dict[str, object] = {"lyapunov": proof.X.to_strings()}
    if proof.vector is None:
        assert proof.X_positive is not None and proof.X_positive.factor is not None
        body["factor_lyapunov"] = proof.X_positive.factor.as_witness
        body["factor_decrease"] = proof.change.factor.as_witness
        return body
    body["factor_growth"] = proof.change.factor.as_witness
    body["vector"] = [str(x) for x in proof.vector.column_entries()]
    return body


def _positive(S: RationalMatrix) -> Definiteness | None:
    try:
        answer = decide_positive_definite(S)
    except BudgetExceededError:
        return None
    return answer if answer.positive else None


def _lyapunov_change(B: RationalMatrix, X: RationalMatrix) -> RationalMatrix:
    """BᵀX + XB."""
    product = X @ B
    return product + product.T


def _lyapunov_candidates(B: RationalMatrix, sign: int) -> Iterable[RationalMatrix]:
    """Symmetric X with BᵀX + XB ≈ sign·cI for some c > 0: coarse roundings first, exact for small systems."""
    n = B.shape[0]
    if n > raised(LYAPUNOV_ROWS):
        return
    X = float_lyapunov_solution(B.scaled(Fraction(2) ** -B.magnitude).to_float(), sign * np.eye(n))
    if X is not None and np.max(np.abs(X)) > 0:
        exponent = int(np.floor(np.log2(np.max(np.abs(X)))))
        for bits in (6, 12, 20, 32, 50):
            unit = bits - exponent
            rounded = np.rint(np.ldexp(X, unit))
            rows = [[int(entry) for entry in row] for row in rounded]
            yield RationalMatrix(rows).scaled(Fraction(1, 2**unit) if unit >= 0 else Fraction(2 ** (-unit)))
    if n <= EXACT_LYAPUNOV_LIMIT:
        exact = lyapunov_solution(B, B.identity(n).scaled(sign))
        if exact is not None:
            yield exact


def float_lyapunov_solution(B: Floats, right: Floats) -> Floats | None:
    """The symmetric X with BᵀX + XB ≈ ``right`` (symmetric, n×n), a proposal; None where none is found."""
    n = B.shape[0]
    X: Any
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a nearly singular equation only means a worse proposal
            if n <= SMALL:  # importing SciPy takes longer than most analyses
                whole, at = np.zeros((n, n, n, n)), np.arange(n)
                whole[:, at, :, at] += B.T  # Bᵀ ⊗ I + I ⊗ Bᵀ; np.kron takes as long as the solution
                whole[at, :, at, :] += B.T
                X = np.linalg.solve(whole.reshape(n * n, n * n), right.ravel()).reshape(n, n)
            else:
                proposed = _by_eigenvectors(B, right)
                X = scipy.linalg.solve_continuous_lyapunov(B.T, right) if proposed is None else proposed
    except (np.linalg.LinAlgError, ValueError):
        return None
    return np.asarray((X + X.T) / 2) if np.isfinite(X).all() else None


def _by_eigenvectors(B: Floats, right: Floats) -> Floats | None:
    """X as V⁻ᵀ Y V⁻¹ with B = V Λ V⁻¹, Y_ij = (Vᵀ right V)_ij / (λ_i + λ_j); None where that is no solution as close as
    :data:`CLOSE` asks.
    """
    try:
        values, V = np.linalg.eig(B)
        left = np.linalg.inv(V)
    except np.linalg.LinAlgError:  # those of a long Jordan block are one vector in floats
        return None
    with np.errstate(all="ignore"):
        X: Floats = (left.T @ ((V.T @ right @ V) / (values[:, None] + values[None, :])) @ left).real
        gap = np.abs(B.T @ X + X @ B - right).max()
    return X if gap <= CLOSE * np.abs(right).max() else None


def lyapunov_solution(B: Dense, right: Dense) -> Dense | None:
    """The symmetric X with BᵀX + XB = ``right`` (symmetric, n×n), solved exactly or in balls; None where it is not
    unique, or not known to be.
    """
    n = B.shape[0]
    pairs = [(i, j) for i in range(n) for j in range(i + 1)]
    index = {pair: k for k, pair in enumerate(pairs)}
    index.update({(j, i): k for (i, j), k in list(index.items())})
    entries, known, given, wanted = list[Any](), list[Any](), B.scalars, right.scalars
    for i, j in pairs:
        row: list[Any] = [fmpq(0)] * len(pairs)
        for k in range(n):
            row[index[k, j]] += given[k][i]
            row[index[i, k]] += given[k][j]
        entries += row
        known.append(wanted[i][j])
    try:
        solution = B.of_scalars(entries, len(pairs)).solve(B.of_scalars(known)).scalars
    except SingularMatrixError:
        return None
    return B.of_scalars([solution[index[i, j]][0] for i in range(n) for j in range(n)], n)


def _vector_of_growth(X: RationalMatrix, B: RationalMatrix) -> RationalMatrix | None:
    """v with vᵀXv > 0, where BᵀX + XB ≻ 0: what keeps −X from being positive definite. None where it is."""
    try:
        start = decide_positive_definite(-X).vector
    except BudgetExceededError:
        return None
    if start is None:
        return None
    vector, step = start, Fraction(1)
    while X.quadratic_form(vector) <= 0:
        # vᵀXv = 0 at the start; its derivative along v' = Bv is positive, so a short step will do.
        vector, step = start + (B @ start).scaled(step), step / 2
    return vector


def _distinct_roots_on_imaginary_axis(polynomial: fmpz_poly) -> int:
    """How many distinct roots lie on the imaginary axis, decided algebraically."""
    coefficients = [int(c) for c in polynomial.coeffs()]
    zero = 0
    while coefficients[zero] == 0:
        zero += 1
    rest = coefficients[zero:]
    even, odd = fmpz_poly(rest[0::2]), fmpz_poly(rest[1::2])
    # p(iω) = E(−ω²) + iω O(−ω²): both vanish, since ω ≠ 0 and the coefficients are real.
    common = even.gcd(odd)
    negative = 0
    if common.degree() > 0:
        negative = sum(1 for root in _isolated(common) if root[0].imag == 0 and root[0].real < 0)
    return (1 if zero else 0) + 2 * negative


def _isolated(polynomial: fmpz_poly) -> list[Any]:
    """Pairs (ball, multiplicity), one for each distinct root; real roots have imaginary part exactly zero."""
    return list(polynomial.complex_roots())
