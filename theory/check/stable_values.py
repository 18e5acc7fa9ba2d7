r"""For which values of one real number has every eigenvalue of a matrix a negative real part? Exact, on an interval.

Let B(x) be a matrix of rational functions of x that are finite on the interval, and zⁿ + a_1(x) zⁿ⁻¹ + … + a_n(x) the
characteristic polynomial of their numerators above one denominator. As x moves, the number of eigenvalues on either
side of the imaginary axis changes only where one meets it: there a_n is zero, or two eigenvalues have the sum zero, and
so has, up to its sign, the last-but-one Hurwitz determinant H = Π_{i<j}(λ_i + λ_j) (Orlando). Between the roots of a_n
and H the answer is constant, and is decided at one rational value. At a root itself B is not Hurwitz.

Roots are told by an irreducible polynomial with whole coefficients and a rational enclosure that holds no other root.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from flint import fmpq_poly

from tdcert.theory.arithmetic.functions import UNIT, FunctionMatrix, determinant_of
from tdcert.theory.arithmetic.rational import to_fmpq
from tdcert.theory.check.step_size_ratio import positive_roots, simplest_between
from tdcert.theory.errors import InputError
from tdcert.theory.limits import CRITICAL_DEGREE, LimitError, raised

Status = tuple[bool | None, str]
"""Whether there is stability, None where that is not known, and why it is not."""


@dataclass(frozen=True)
class Algebraic:
    """The one root of the irreducible ``polynomial`` (whole coefficients, the constant one first) between ``low`` and
    ``high``; the number itself where these are equal.
    """

    low: Fraction
    high: Fraction
    polynomial: tuple[int, ...]

    @staticmethod
    def rational(x: Fraction) -> Algebraic:
        """A rational number."""
        return Algebraic(x, x, (-x.numerator, x.denominator))

    @property
    def exact(self) -> Fraction | None:
        """The number, where it is rational."""
        return self.low if self.low == self.high else None


@dataclass(frozen=True)
class Stretch:
    """All values between two ends (``right`` None: without end), which belong to it or not: whether there is stability
    at each of them, None where that is not known and ``why``. ``left`` is ``right`` where it is one value.
    """

    left: Algebraic
    left_in: bool
    right: Algebraic | None
    right_in: bool
    stable: bool | None
    why: str = ""

    def __post_init__(self) -> None:
        if self.right is not None and (
            self.right.low < self.left.high if self.right != self.left else not (self.left_in and self.right_in)
        ):
            raise InputError("a stretch of values goes from its left end to its right one")


@dataclass(frozen=True)
class Domain:
    """The values from ``lower`` ≥ 0 to ``upper`` (None: without end), and which ends belong to them."""

    lower: Fraction
    lower_in: bool
    upper: Fraction | None
    upper_in: bool

    def __post_init__(self) -> None:
        if self.lower < 0 or (self.upper is not None and self.upper <= self.lower):
            raise InputError(f"no values lie between {self.lower} and {self.upper}, or some are negative")

    def __str__(self) -> str:
        return (
            f"{'[' if self.lower_in else '('}{self.lower}, {'∞' if self.upper is None else self.upper}"
            f"{']' if self.upper_in else ')'}"
        )


@dataclass(frozen=True)
class Critical:
    """Where neither ``last`` a_m nor ``hurwitz`` H is zero, no eigenvalue is on the imaginary axis but the ``zeros``
    that are zero for every value. a_m is not the polynomial zero; H may be, where two others always have the sum zero.
    """

    last: fmpq_poly
    hurwitz: fmpq_poly
    zeros: int


def critical(B: FunctionMatrix) -> Critical:
    """The polynomials of B (n×n), m = n less the zeros.

    Raises :class:`~tdcert.theory.limits.LimitError` where H is of a degree beyond :data:`CRITICAL_DEGREE`, as far as
    its diagonal a_1 … a_{m−1} tells.
    """
    a = B.characteristic
    while not a[-1]:
        a.pop()
    m = len(a) - 1
    _require(sum(x.degree() for x in a[1:m]))
    rows = [[a[2 * j - i + 1] if 0 <= 2 * j - i + 1 <= m else 0 * UNIT for j in range(m - 1)] for i in range(m - 1)]
    return Critical(a[-1], determinant_of(rows) if rows else UNIT, B.shape[0] - m)


def roots_in(polynomials: Iterable[fmpq_poly], domain: Domain) -> list[Algebraic]:
    """The roots of these polynomials inside the domain, its ends left out, increasing, in disjoint enclosures.

    Raises :class:`~tdcert.theory.limits.LimitError` for degrees beyond :data:`CRITICAL_DEGREE`.
    """
    factors: dict[tuple[int, ...], fmpq_poly] = {}
    for polynomial in polynomials:
        _require(polynomial.degree())
        for factor, _ in polynomial.numer().factor()[1] if polynomial else ():
            whole = factor if factor.leading_coefficient() > 0 else -factor
            factors.setdefault(tuple(map(int, whole.coeffs())), fmpq_poly(whole))
    product = UNIT
    for one in factors.values():
        product *= one
    found = []
    for low, high in positive_roots(product):
        coefficients = next(c for c, f in factors.items() if _has_root(f, low, high))
        if len(coefficients) == 2:
            low = high = Fraction(-coefficients[0], coefficients[1])
        root = _within(Algebraic(low, high, coefficients), factors[coefficients], domain)
        if root is not None:
            found.append(root)
    return found


def _require(degree: int) -> None:
    if degree > raised(CRITICAL_DEGREE):
        said = f"critical values are roots of a polynomial of degree {degree}"
        raise LimitError(f"{said}, and they are sought up to {raised(CRITICAL_DEGREE)}", degree / CRITICAL_DEGREE)


def _has_root(f: fmpq_poly, low: Fraction, high: Fraction) -> bool:
    """Whether f, irreducible, has a root between two ends with at most one root of f between them."""
    left, right = f(to_fmpq(low)), f(to_fmpq(high))
    return bool(left == 0 or right == 0 or (left > 0) != (right > 0))


def _within(root: Algebraic, f: fmpq_poly, domain: Domain) -> Algebraic | None:
    """The root with an enclosure inside the domain; None where it is outside, or an end."""
    for end, below in ((domain.lower, True), (domain.upper, False)):
        if end is None:
            continue
        if root.exact is not None:
            if (root.exact <= end) if below else (root.exact >= end):
                return None
        elif root.low < end < root.high:
            left = _has_root(f, root.low, end)
            if left == below:
                return None
            root = replace(root, low=end) if below else replace(root, high=end)
        elif (root.high <= end) if below else (root.low >= end):
            return None
    return root


def samples(domain: Domain, cuts: Sequence[Algebraic]) -> list[Fraction]:
    """A rational value in each interval between ends of the domain and cuts inside it."""
    ends = [domain.lower, *(end for cut in cuts for end in (cut.low, cut.high)), domain.upper]
    pairs = [(low, high) for low, high in zip(ends[::2], ends[1::2], strict=True) if low is not None]
    return [simplest_between(low, low + 2 if high is None else high) for low, high in pairs]


def stretches(
    domain: Domain,
    cuts: Sequence[Algebraic],
    inside: Callable[[Fraction], Status],
    at: Callable[[Algebraic, Sequence[Fraction]], Status],
) -> tuple[Stretch, ...]:
    """What holds on the whole domain, the longest stretches of one answer, in order.

    ``cuts``: values inside it, between which the answer is constant; ``inside``: the answer at a rational value that is
    no cut; ``at``: that at a cut, or at an end that belongs to the domain, and samples of the intervals beside it.
    """
    lower, upper = Algebraic.rational(domain.lower), None if domain.upper is None else Algebraic.rational(domain.upper)
    ends = [lower, *cuts, upper]
    within = samples(domain, cuts)
    pieces: list[Stretch] = []
    if domain.lower_in:
        pieces.append(Stretch(lower, True, lower, True, *at(lower, within[:1])))
    for k, sample in enumerate(within):
        left, right = ends[k], ends[k + 1]
        assert left is not None
        pieces.append(Stretch(left, False, right, False, *inside(sample)))
        if right is not None and (k + 1 < len(within) or domain.upper_in):
            pieces.append(Stretch(right, True, right, True, *at(right, within[k : k + 2])))
    merged = [pieces[0]]
    for piece in pieces[1:]:
        last = merged[-1]
        if (piece.stable, piece.why) == (last.stable, last.why):
            merged[-1] = replace(last, right=piece.right, right_in=piece.right_in)
        else:
            merged.append(piece)
    return tuple(merged)
