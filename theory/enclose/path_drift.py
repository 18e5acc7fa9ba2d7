r"""The sign of a path exponent by the drift of a sum of logarithms, with every rounding bounded: grade ``enclosed``.

For the random products Π between two visits (:mod:`tdcert.theory.laws.return_words`; with a memory that is cut
:mod:`tdcert.theory.laws.restart_words`) and f(y) = Σ a_k ½ log yᵀV_k y, V_k ≻ 0, Σ a_k = 1, so that f(cy) = log |c| +
f(y) and f − log |y| is bounded: if all matrices of the class are regular and

    E f(Πy) − f(y) ≥ c   for every y ≠ 0,

then liminf (1/n) log |y_n| ≥ c/E τ for every start y ≠ 0, almost surely, with τ the number of moves from visit to
visit. f less the sum of its drifts is a martingale at the visits, whose increments are at most 2 L, L a sum over the τ
moves of what |f(By) − f(y)| is at most, over all y: a constant, or with a memory that is cut a constant and a multiple
of the number of moves since the last cut. τ and that number have geometric tails, so L has a finite variance, the
martingale is o(n), and between visits f moves by at most L = o(n). With ≤ and c < 0: limsup ≤ c/E τ. This is a drift
condition for the chain of directions; Furstenberg and Kifer (1983) have λ₁ as the best such c.

Words that are cut have made the product Π' and still take some time. Their f(Πy) is f(Π'y) up to what the moves left
may do, in the mean over all words: the ``change`` of these. Words of little probability are bounded as a whole, for all
directions at once (:func:`without_rare`).

f is proposed by :mod:`tdcert.theory.enclose.drift_search`; the inequality is shown on boxes of directions by
:mod:`tdcert.theory.enclose.drift_boxes`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

import numpy as np
from flint import arb

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.ball import precision
from tdcert.theory.arithmetic.float_enclosures import Floats, round_up
from tdcert.theory.arithmetic.rational import to_fmpq
from tdcert.theory.check.definiteness import is_positive_definite
from tdcert.theory.enclose.drift_boxes import Drift, LogSums, cover
from tdcert.theory.enclose.drift_forms import Coordinates, Weighted, weighted
from tdcert.theory.enclose.drift_search import WIDE, WIDTHS, DriftFunction, Proposals, turned
from tdcert.theory.laws.path_exponents import LOG_BITS, EnclosedExponent, log_sum, rounded
from tdcert.theory.laws.return_words import ReturnWord, ReturnWords, orbits
from tdcert.theory.limits import DRIFT_BOXES, TIMES, beyond, raised

AXES = 4
"""Most coordinates of a direction: boxes in one dimension less."""
SHOWN = Fraction(1, 10)
"""Part of the drift proposed that is shown."""
RARE = Fraction(1, 3)
"""Part of the drift proposed that words of little probability may take off without being looked at by direction."""
SELDOM = Fraction(1, 1000)
"""Their probability is less."""
MORE = 4
"""How many times more boxes are named where those that were allowed are not enough."""
PATHS, BURNED, WORDS = 40, 2_000, 16_000
"""Paths on which a sign is guessed, and words of each, the first of which do not count."""
TRIES = 6
"""Most sums of logarithms of one dictionary that are looked at: each knows where the last one failed."""
FEWER = 2
"""Divides the boxes for forms that vary slowly, which are tried before all others."""
LARGEST = 10**150
"""Largest entry of a product whose forms are taken in floats."""
TOO_LARGE = "products of moves are too large for floats"
"""Why no drift is sought beyond it."""
NOT_FOUND = "no sum of logarithms with a drift on all directions was found"
"""Why nothing is shown there."""
CLEAR = 3.0
"""Standard errors that a sign is away from zero."""


@dataclass(frozen=True, eq=False)
class Failed:
    """Why a drift was not enclosed, after so many boxes; ``direction``: where it seems not to be there."""

    why: str
    boxes: int
    direction: Floats | None = None


def by_drift(words: ReturnWords, boxes: int = DRIFT_BOXES) -> EnclosedExponent | str:
    """A bound of λ₁ that has a sign, or why there is none. ``boxes``: most boxes of directions, times the limits, on
    which sums of logarithms of one dictionary are asked.
    """
    if not all(B.is_regular for B in words.steps):
        return "some move has a singular matrix, so there is no drift on directions"
    if any(abs(x) > LARGEST for word in words.words for row in word.product.rows for x in row):
        return TOO_LARGE
    kinds = orbits(words)
    start = Coordinates.plain_of(words.size, kinds.block)
    if start.n + bool(kinds.block) > AXES:
        return "differences have too many dimensions for a drift on directions"
    sign = likely_sign(words)
    if not sign:
        return "no drift on directions is likely: products of moves neither grow nor shrink clearly"
    parts = weighted(words, kinds)
    at = turned(parts, start)
    most, why, short = raised(boxes), NOT_FOUND, ""
    for widths, left in ((WIDE, most // FEWER), (WIDTHS, most)):
        proposals, failed = Proposals(parts, at, sign, widths), None
        for _ in range(TRIES):
            proposal = proposals.next(failed)
            if proposal is None:
                break
            got = enclosed(words, parts, at, proposal, sign, left)
            if isinstance(got, EnclosedExponent):
                return got
            left, failed, why = left - got.boxes, got.direction, got.why
            if failed is None:
                short = _not_enough(most)
                break
    return short or why


def _not_enough(boxes: int) -> str:
    return beyond(f"the drift on directions was not enclosed with {boxes:,} boxes", MORE * TIMES.get())


def enclosed(
    words: ReturnWords, parts: Weighted, at: Coordinates, proposal: DriftFunction, sign: int, boxes: int
) -> EnclosedExponent | Failed:
    """The bound that a part of the proposed drift gives, if it is there on all directions. Raises :class:`ValueError`
    where the drift proposed is not positive, the coefficients do not sum to one, or a form is not positive definite.
    """
    if not proposal.drift > 0:
        raise ValueError("the drift that is proposed is positive, whatever the sign")
    if sum(proposal.coefficients) != 1:
        raise ValueError("coefficients of a sum of logarithms of forms sum to one")
    matrices = [at.matrix(form) for form in proposal.forms]
    if not all(is_positive_definite(V) for V in matrices):
        raise ValueError("forms under logarithms are positive definite")
    wanted = Fraction(proposal.drift) * SHOWN
    tail = sum((abs(a) * words.change(V) for V, a in zip(matrices, proposal.coefficients, strict=True)), Fraction(0))
    seldom, parts = without_rare(parts, matrices, proposal, sign)
    drift = drift_of(parts, at, matrices, proposal.coefficients, sign)
    got = cover(drift, round_up(wanted + tail + seldom), boxes)
    if not got.shown and got.worst is None:
        return Failed(_not_enough(boxes), got.boxes)
    if not got.shown:
        why = "the sum of logarithms found has no drift of one sign on some direction, or nearly none"
        return Failed(why, got.boxes, got.worst)
    with precision(LOG_BITS):
        bound = rounded(arb(to_fmpq(sign * wanted / words.time)), up=sign < 0)
    return EnclosedExponent(sign, bound, len(proposal.forms), got.boxes)


def without_rare(
    parts: Weighted, matrices: Sequence[RationalMatrix], proposal: DriftFunction, sign: int
) -> tuple[Fraction, Weighted]:
    """(c, the other words): words of little probability, and a bound c of what they take off the drift.

    On directions such a product may do anything, and much, as where emphasis has grown: boxes would be small there.
    """
    one = matrices[0].identity(matrices[0].shape[0])
    spent, rare = Fraction(0), Fraction(0)
    kept = list(dict.fromkeys((*parts.fixed, *parts.single)))
    for word in sorted((x for x in kept if x.product != one and x.p < SELDOM), key=lambda x: x.p):
        cost = word.p * _fall_at(word.product, matrices, proposal.coefficients, sign)
        if spent + cost > Fraction(proposal.drift) * RARE or [x for x in kept if x in parts.single] == [word]:
            break  # one of these stays, so that there is something to take the mean of
        kept.remove(word)
        spent, rare = spent + cost, rare + word.p
    fixed = [replace(x, p=x.p + rare) if x.product == one else x for x in parts.fixed if x in kept]
    return spent, Weighted(tuple(fixed), tuple(x for x in parts.single if x in kept))


def _fall_at(
    B: RationalMatrix, matrices: Sequence[RationalMatrix], coefficients: Sequence[Fraction], sign: int
) -> Fraction:
    """A bound of ``sign`` (f(y) − f(By)) over all y ≠ 0, rounded up: −log tr (BᵀVB)⁻¹V ≤ log yᵀBᵀVBy/yᵀVy ≤
    log tr V⁻¹BᵀVB.
    """
    terms = []
    for V, a in zip(matrices, coefficients, strict=True):
        S = B.T @ V @ B
        terms.append((abs(a) / 2, (S.solve(V) if sign * a > 0 else V.solve(S)).trace()))
    return rounded(log_sum(terms), up=True)


def drift_of(
    parts: Weighted, at: Coordinates, matrices: Sequence[RationalMatrix], coefficients: Sequence[Fraction], sign: int
) -> Drift:
    """``sign`` times the drift of Σ a ½ log yᵀVy, in floats that are nearest to the exact numbers."""

    width = at.n + bool(at.block)
    one = matrices[0].identity(matrices[0].shape[0])
    plain = (at.reduced(V, one).take(range(width), range(width)) for V in matrices)
    lows = [1 / X.solve(X.identity(width)).trace() for X in plain]  # of yᵀVy, where some coordinate is one

    def sums(words: Sequence[ReturnWord], width: int) -> LogSums:
        """With yᵀΠᵀVΠy ≥ yᵀVy/tr (ΠᵀVΠ)⁻¹V."""
        S, least = list[RationalMatrix](), list[float]()
        for word in words:
            for V, low in zip(matrices, lows, strict=True):
                S.append(at.reduced(V, word.product))
                moved = word.product.T @ V @ word.product
                least.append(-round_up(-low / moved.solve(V).trace()))
        c = np.array([float(sign * word.p * a) for word in words for a in coefficients])
        falling = np.array([round_up(_falling(T, at.n)) for T in S]) if width > at.n + 1 else None
        kept = np.array([T.take(range(width), range(width)).to_float() for T in S])
        return LogSums(kept, c, falling, np.array(least))

    if not at.block:
        return Drift(sums(parts.fixed, at.n))
    # what treats all coordinates of the block alike does not see q
    assert all(not any(at.reduced(V, word.product).rows[at.n + 1]) for word in parts.fixed for V in matrices)
    return Drift(sums(parts.fixed, at.n + 1), sums(parts.single, at.n + 2), at.m)


def _falling(S: RationalMatrix, n: int) -> Fraction:
    """The least φ ≥ 0 with xᵀSx ≥ −φ q² for all x = (t, p, q), S ≻ 0 on t and apart in p."""
    t, q = range(n), [n + 1]
    cross = S.take(t, q)
    return max(Fraction(0), (cross.T @ S.take(t, t).solve(cross))[0, 0] - S[n + 1, n + 1])


@cache
def _sequence() -> Floats:
    """A linear congruential sequence in [0, 1) (Knuth, *The Art of Computer Programming*, vol. 2, §3.3.4)."""
    numbers, state = np.empty(PATHS * (BURNED + WORDS)), 1
    for k in range(len(numbers)):
        state = (6364136223846793005 * state + 1442695040888963407) % 2**64
        numbers[k] = state / 2**64
    return numbers


def likely_sign(words: ReturnWords) -> int:
    """The sign of λ₁ along some paths that are fixed in advance, 0 where they do not agree: it only says what is tried.

    The paths are those of :func:`_sequence`.
    """
    products = np.array([word.product.to_float() for word in words.words])
    ends = np.cumsum([float(word.p) for word in words.words])
    chosen = np.minimum(np.searchsorted(ends, _sequence()), len(ends) - 1).reshape(BURNED + WORDS, PATHS)
    x, total = np.ones((PATHS, words.size)) + 0.1 * np.arange(words.size), np.zeros(PATHS)
    for t, row in enumerate(chosen):
        x = (products[row] @ x[:, :, None])[:, :, 0]
        size = np.sqrt((x * x).sum(axis=1))
        if not (size > 0).all():
            return 0
        total += np.log(size) * (t >= BURNED)
        x /= size[:, None]
    mean, error = total.mean(), total.std() / (PATHS - 1) ** 0.5
    return int(np.sign(mean)) if abs(mean) > CLEAR * error else 0
