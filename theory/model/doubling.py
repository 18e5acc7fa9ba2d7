r"""S of long schedules in logarithmically many products: runs of λ's whose weights have a closed form are doubled.

Two kinds of run cover EqualWeights, n-step and constant schedules, and whatever is joined of them:

* equal λ's: c_j = λ^j along the run;
* harmonic λ's, λ_j = 1 − 1/(q − j): the products telescope to c_j = (q − j)/q (EqualWeights from n1 on).

A run of m λ's takes S of what follows it, Y, to Σ_{j<m} c_j N^j X + c_m N^m Y. With G_m = Σ_{j<m} N^j and
H_m = Σ_{i<m} G_i (so that Σ_{j<m} (m − j) N^j = H_m + G_m) everything needed doubles:

    N^{2m} = N^m N^m,   G_{2m} = G_m + N^m G_m,   H_{2m} = H_m + m G_m + N^m H_m.

All are polynomials in the one matrix N; so are Horner's results, and the tests prove the two equal, polynomial by
polynomial, for the lengths they name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log2
from typing import Any, TypeVar

from tdcert.theory.arithmetic.protocol import Matrix

Mat = TypeVar("Mat", bound=Matrix)


@dataclass(frozen=True)
class LambdaRun:
    """λ's that follow each other: all equal, or ``harmonic`` (after 1 − 1/q comes 1 − 1/(q − 1))."""

    lambdas: tuple[Any, ...]
    harmonic: bool = False


def runs(lambdas: Sequence[Any]) -> Iterator[LambdaRun]:
    """The λ's in runs as long as can be, from the first on; λ's that are not rationals stand alone."""
    start = 0
    while start < len(lambdas):
        first, end, harmonic = lambdas[start], start + 1, False
        if isinstance(first, Fraction) and end < len(lambdas):
            harmonic = first != 1 and lambdas[end] == _next_harmonic(first)
            while end < len(lambdas) and lambdas[end] == (_next_harmonic(lambdas[end - 1]) if harmonic else first):
                end += 1
        yield LambdaRun(tuple(lambdas[start:end]), harmonic)
        start = end


def worth_doubling(length: int, states: int, columns: int) -> bool:
    """Whether a run applied to so many columns costs less doubled: about five n³ products for each bit of its length.

    Counted in products of entries; in exact arithmetic digits grow with the length, which the last doublings pay as the
    later half of Horner's steps do.
    """
    return length > 1 and length * columns > 5 * states * log2(length)


def apply_run(N: Mat, run: LambdaRun, X: Mat, inner: Mat) -> Mat:
    """Σ_{j<m} c_j N^j X + c_m N^m ``inner``: the Horner steps of a run, at once."""
    first, m = run.lambdas[0], len(run.lambdas)
    if not run.harmonic:
        power, geometric, _ = _sums(N.scaled(first), m, with_second=False)
        return geometric @ X + power @ inner
    q = 1 / (1 - first)
    power, geometric, second = _sums(N, m, with_second=True)
    weights = geometric.scaled((q - m + 1) / q) + second.scaled(1 / q)
    return weights @ X + (power @ inner).scaled((q - m) / q)


def _next_harmonic(lam: Fraction) -> Fraction | None:
    """1 − 1/(q − 1) for λ = 1 − 1/q; None where there is none in [0, 1)."""
    q = 1 / (1 - lam) if lam != 1 else Fraction(0)
    return 1 - 1 / (q - 1) if q > 1 else None


def _sums(N: Mat, m: int, with_second: bool) -> tuple[Mat, Mat, Mat]:
    """N^m, G_m and H_m (zero unless asked for), by the bits of m from the highest on."""
    one = N.identity(N.shape[0])
    power, geometric, second, reached = N, one, one.scaled(0), 1
    for bit in bin(m)[3:]:
        if with_second:
            second = second + geometric.scaled(reached) + power @ second
        power, geometric, reached = power @ power, geometric + power @ geometric, 2 * reached
        if bit == "1":
            if with_second:
                second = second + geometric
            power, geometric, reached = N @ power, one + N @ geometric, reached + 1
    return power, geometric, second
