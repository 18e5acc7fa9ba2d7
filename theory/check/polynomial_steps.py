r"""Which polynomial step sizes sum to infinity, and which sums are finite: decided by condensation, in exact
arithmetic.

For p = j/m the block 2^{mk} ≤ t < 2^{m(k+1)} has (2^m − 1)2^{mk} terms t^{−p} between 2^{−j(k+1)} and 2^{−jk}, and both
bounds on its sum grow from one block to the next by the factor 2^{m−j}. So Σ t^{−p} is finite exactly if 2^{m−j} < 1.
A factor a and a shift t0 > 0 change nothing: t ≤ t + t0 ≤ (1 + t0)t for t ≥ 1.
"""

from __future__ import annotations

import math
from fractions import Fraction

from tdcert.theory.arithmetic import SymbolicRing
from tdcert.theory.expressions.notation import Name
from tdcert.theory.expressions.relations import Expression, Relation


def block_bound(p: Fraction, k: int, upper: bool) -> Fraction:
    """The lower or upper bound on the sum of t^{−p} over block k ≥ 0."""
    j, m = p.numerator, p.denominator
    return Fraction((2**m - 1) * Fraction(2) ** (m * k - j * (k if upper else k + 1)))


def sum_is_finite(p: Fraction) -> bool:
    """Whether Σ_t t^{−p} is finite, for rational p ≥ 0."""
    return block_bound(p, 1, True) < block_bound(p, 0, True)


def robbins_monro(p: Fraction) -> bool:
    """Whether a/(t + t0)^p meets Σ α_t = ∞ and Σ α_t² < ∞ (Assumption 1)."""
    return not sum_is_finite(p) and sum_is_finite(2 * p)


def ratio_exponent(p: Fraction, q: Fraction) -> int:
    """e with α_t/β_t = (a/b)2^{ek} where t + t0 = 2^{mk}, m the common denominator; the ratio is monotone in between.

    So it tends to zero exactly if e < 0, and is constant exactly if e = 0 (one shift t0 for both).
    """
    return int((q - p) * math.lcm(p.denominator, q.denominator))


def ratio_relation(p: Fraction, q: Fraction, sign: str) -> Relation:
    """α_t/β_t at t + t0 = 2^m against that at 1: 2^{qm} (sign) 2^{pm}."""
    m = math.lcm(p.denominator, q.denominator)
    return (Name(2) ** int(q * m), sign, Name(2) ** int(p * m))


def block_relation(p: Fraction, finite: bool) -> Relation:
    """The bound of block 1 against that of block 0: below it exactly if Σ t^{−p} is finite."""
    j, m = p.numerator, p.denominator
    first: Expression = Name(2) ** m - 1
    second: Expression = first * (Name(2) ** m * Name("1/2") ** j)
    return (second, "<", first) if finite else (first, "<=", second)


def shift_identity() -> bool:
    """(1 + t0)t − (t + t0) = t0(t − 1): so t + t0 ≤ (1 + t0)t for t ≥ 1, t0 ≥ 0."""
    ring = SymbolicRing("t", "t0")
    t, t0 = ring.symbols
    return bool((1 + t0) * t - (t + t0) == t0 * (t - 1))


def bounds_hold(p: int, blocks: int) -> bool:
    """The sum of t^{−p} over each of the first blocks lies between its bounds, for a whole p."""
    sums = [sum(Fraction(1, t**p) for t in range(2**k, 2 ** (k + 1))) for k in range(blocks)]
    whole = Fraction(p)
    return all(block_bound(whole, k, False) <= found <= block_bound(whole, k, True) for k, found in enumerate(sums))
