r"""The stationary law of a large dense chain in floats, every entry with a proven relative error.

Elimination without subtraction (Grassmann, Taksar and Heyman 1985): eliminating state k leaves the chain watched on the
states before it,

    s_k = Σ_{j<k} a_kj,   c_ik = a_ik / s_k,   a_ij ← a_ij + c_ik a_kj   (i ≠ j, both < k),

and x_1 = 1, x_j = Σ_{i<j} x_i c_ij is its law up to a factor. Nothing is subtracted and no diagonal is used, so every
quantity keeps a small *relative* error, however nearly the chain falls apart. The bound, line by line:

1. *Perturbation.* By the Markov chain tree theorem the law is proportional to w_j = Σ over spanning trees towards j
   of products of m − 1 off-diagonal entries (m states). If every such entry changes by a factor in [e^−η, e^η],
   every w_j changes by one in [e^{−(m−1)η}, e^{(m−1)η}] (O'Cinneide 1993, Theorem 1, is of this kind). Errors are
   counted here as such exponents η of weights known *up to one common factor*; normalising in the end doubles them.
   Rows need not sum to one: only the rates between states count.
2. *One state.* With η₀ = u/(1 − u) ≥ |log(1 ± u)| a rounding moves a number by a factor e^{±η₀} at most. s_k is
   summed with :func:`math.fsum`, which rounds once, and the division rounds once: c_ik is right up to e^{±2η₀}.
   Entries in the rows and columns of the block being eliminated are updated at once, by one product and one sum:
   with c_ik together at most e^{±4η₀} from the exact step on the numbers as they stand.
3. *One block.* The other entries wait for the end of a block of p states and then receive Σ_k c_ik a_kj in one matrix
   product: p + 1 roundings of non-negative terms in any order, e^{±(p+1)η₀}. Until then they count as not rounded.
4. The chain watched on fewer states has the same weights on them. So by line 1 eliminating one of k states adds (k
   − 2)·4η₀, and the end of a block that leaves k states adds (k − 1)(p + 1)η₀.
5. *Back substitution.* x_j = Σ_{i<j} x_i c_ij is the weight of state j on exact numbers. One product and one
   ``fsum`` with c_ij off by 2η₀ add 4η₀ to the largest exponent before it: 4(m − 1)η₀ in all. Normalising doubles
   the sum of all this and rounds twice.
6. *Underflow.* Lines 2 to 5 need products of positive numbers to stay above 2⁻¹⁰²²; this is looked at for every
   state, and where it fails :class:`~tdcert.theory.errors.BudgetExceededError` says so.
"""

from __future__ import annotations

from fractions import Fraction
from math import fsum

import numpy as np
from flint import fmpq

from tdcert.theory.arithmetic.float_enclosures import Floats, MidRadMatrix, round_up
from tdcert.theory.arithmetic.protocol import Dense
from tdcert.theory.errors import BudgetExceededError, SingularMatrixError

BLOCK = 32
"""States eliminated between two matrix products."""
_NORMAL = 2.0**-1020


def stationary_enclosure(rates: MidRadMatrix) -> MidRadMatrix:
    """The law x (m×1) of the irreducible chain with these off-diagonal rates (m×m; the diagonal is not looked at).

    ``rates``: mid ≥ 0 with a radius that is a multiple of the midpoint, and zeros exact, else
    :class:`~tdcert.theory.errors.BudgetExceededError`; also where floats underflow.
    """
    m = rates.shape[0]
    if m == 1:
        return MidRadMatrix(np.ones((1, 1)))
    off = ~np.eye(m, dtype=bool)
    given = MidRadMatrix(np.where(off, rates.mid, 0.0), np.where(off, rates.rad, 0.0))
    if not (given.is_nonnegative and given.relative < 2.0**-10):
        raise BudgetExceededError("a probability is not known to within a small multiple of itself")
    try:
        weights = _weights(given.mid.copy())
        total = fsum(weights)
    except OverflowError as error:
        raise BudgetExceededError("the probabilities of the chain leave the range of floats") from error
    law = weights / total
    if not (np.all(np.isfinite(law)) and np.min(law) >= _NORMAL):
        raise BudgetExceededError("the stationary law has probabilities below the range of floats")
    return MidRadMatrix(law[:, None], law[:, None] * relative_error(m, given.relative))


def refined(law: MidRadMatrix, P: MidRadMatrix) -> MidRadMatrix:
    """The law (m×1), each entry with the smaller of two radii and the midpoint that belongs to it: those given, and
    those of the linear system dᵀ(I − P) = 0, Σ d = 1 (P m×m, the rows of the true chain sum to one).

    The system knows the large entries to a few roundings where the chain mixes well, and says nothing where it
    nearly falls apart.
    """
    m = P.shape[0]
    system = (P.identity(m) - P).T
    balance = MidRadMatrix(
        np.vstack([system.mid[: m - 1], np.ones((1, m))]), np.vstack([system.rad[: m - 1], np.zeros((1, m))])
    )
    unit = np.zeros((m, 1))
    unit[m - 1] = 1.0
    try:
        other = balance.solve(MidRadMatrix(unit))
    except SingularMatrixError:
        return law
    better = other.rad < law.rad
    return MidRadMatrix(np.where(better, other.mid, law.mid), np.where(better, other.rad, law.rad))


def law_in_balls(P: Dense) -> Dense:
    """The law (m×1) of the irreducible chain P (m×m), by the same system. Raises SingularMatrixError where balls do not
    determine it.
    """
    m = P.shape[0]
    left = [*(x for row in (P.identity(m) - P).T.scalars[: m - 1] for x in row), *[fmpq(1)] * m]
    return P.of_scalars(left, m).solve(P.of_scalars([fmpq(int(i == m - 1)) for i in range(m)]))


def relative_error(m: int, given: float) -> float:
    """What line 4 and 5 add up to for m states, whose rates are given up to this relative error; rounded up.

    e^η − 1 ≤ η/(1 − η) for 0 ≤ η < 1.
    """
    unit = Fraction(1, 2**53 - 1)
    eta = 2 * (m - 1) * Fraction(given) / (1 - Fraction(given))
    high = m
    while high > 1:
        low = max(high - BLOCK, 1)
        eta += sum(2 * max(k - 2, 0) for k in range(low + 1, high + 1)) * 4 * unit
        eta += 2 * max(low - 1, 0) * (high - low + 1) * unit
        high = low
    eta += 2 * (4 * (m - 1) + 2) * unit
    if eta >= Fraction(1, 2):
        raise BudgetExceededError(f"{m} states whose rates are known to {given:.1e} do not determine the law")
    return round_up(eta / (1 - eta) * (1 + 4 * unit))


def _weights(a: Floats) -> Floats:
    """x with x_1 = 1, unnormalised; ``a`` is overwritten."""
    m = a.shape[0]
    high = m
    with np.errstate(under="ignore", over="ignore", invalid="ignore", divide="ignore"):
        while high > 1:
            low = max(high - BLOCK, 1)
            for k in range(high - 1, low - 1, -1):
                total = fsum(a[k, :k])
                _no_underflow(a[:k, k], np.array([1.0 / max(total, 1.0)]))
                a[:k, k] /= total
                column, row = a[:k, k].copy(), a[k, :k].copy()
                _no_underflow(column, row)
                a[low:k, :k] += np.outer(column[low:], row)
                a[:low, low:k] += np.outer(column[:low], row[low:])
            a[:low, :low] += a[:low, low:high] @ a[low:high, :low]
            high = low
        x = np.zeros(m)
        x[0] = 1.0
        for j in range(1, m):
            _no_underflow(x[:j], a[:j, j])
            x[j] = fsum(x[:j] * a[:j, j])
    return x


def _no_underflow(left: Floats, right: Floats) -> None:
    """Line 6 for all products of an entry of the one and an entry of the other."""
    smallest = [float(np.min(v, where=v > 0, initial=np.inf)) for v in (left, right)]
    largest = [float(np.max(v, initial=0.0)) for v in (left, right)]
    if not (min(smallest) >= _NORMAL and smallest[0] * smallest[1] >= _NORMAL and max(largest) < np.inf):
        raise BudgetExceededError("the probabilities of the chain leave the range of floats")
