"""The numbers that an update is evaluated on: polynomials over the rationals, in parameters, memory and step sizes.

A constant compares, divides and takes absolute values as a fraction does; a float that meets one counts as the decimal
it prints. Whatever would need the value of a symbol raises :class:`Refusal` at that place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from enum import StrEnum
from fractions import Fraction
from functools import cache, lru_cache
from math import isfinite
from typing import Any, NoReturn

import numpy as np
from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx

from tdcert.theory.arithmetic.rational import to_fmpq, to_fraction
from tdcert.theory.arithmetic.reflected import Reflected


class Kind(StrEnum):
    """What a symbol stands for: the first letter of its name in a polynomial."""

    PARAMETER = "p"
    MEMORY = "m"
    STEP = "s"
    GIVEN = "g"


class Refusal(Exception):  # noqa: N818 -- it says what an update does; where, is added by whoever catches it
    """An update asks for something that no polynomial can answer: what it does, and what to do instead; ``symbols``:
    the names of those whose values it asks for.
    """

    def __init__(self, does: str, instead: str, symbols: Sequence[str] = ()) -> None:
        super().__init__(does)
        self.does, self.instead, self.symbols = does, instead, tuple(symbols)


class Unsettled(BaseException):
    """A comparison asks for the sign of ``gap``, a polynomial in numbers of the transition, and no case says it."""

    def __init__(self, gap: Exact) -> None:
        super().__init__()
        self.gap = gap


class Cases:
    """A case of the numbers of a transition that are symbols. ``signs``: of polynomials in them, by their text;
    ``spare``: symbols that stand for reciprocals, none where divisors have to be numbers; ``divisors``: those of the
    spare ones that are taken.
    """

    def __init__(self, signs: Mapping[str, int], spare: Sequence[Exact]) -> None:
        self.signs, self.spare, self.divisors = signs, spare, dict[str, Exact]()

    def sign(self, gap: Exact) -> fmpq:
        """Raises :class:`Unsettled`."""
        words = str(gap).replace("'", "")  # symbols of a second evaluation are marked
        if words not in self.signs:
            raise Unsettled(gap)
        return fmpq(self.signs[words])

    def reciprocal(self, divisor: Exact) -> Exact:
        """Raises :class:`Refusal` where no symbol is left."""
        words = str(divisor).replace("'", "")
        self.divisors.setdefault(words, divisor)
        at = list(self.divisors).index(words)
        if at >= len(self.spare):
            raise Refusal(f"divides by more than {len(self.spare)} numbers", "divide by fewer")
        return self.spare[at]


CASES: ContextVar[Cases | None] = ContextVar("CASES", default=None)
"""The case that is evaluated; None where every comparison needs numbers."""
PARAMETER, MEMORY = 1, 2
AFFINE = "an update is affine in its parameters and in its memory"


class Exact(Reflected):
    """A polynomial, or a rational number. ``holds``: :data:`PARAMETER` and :data:`MEMORY`, where such may stand in it;
    no product has two of a kind, so its degree in either is at most one.
    """

    __slots__ = ("holds", "value")

    def __init__(self, value: fmpq | fmpq_mpoly, holds: int = 0) -> None:
        self.value, self.holds = value, holds

    # ---- what is known of it --------------------------------------------------------------------

    @property
    def constant(self) -> fmpq | None:
        """Its value, None where a symbol stands in it."""
        if isinstance(self.value, fmpq):
            return self.value
        if not self.value.is_constant():
            return None
        return next(iter(self.value.to_dict().values()), fmpq(0))

    @property
    def symbols(self) -> tuple[str, ...]:
        """The names of the symbols in it."""
        return tuple(name[1:] for name in self._names())

    def is_of(self, kind: Kind) -> bool:
        """Whether all symbols in it are of one kind."""
        return all(name[0] == kind for name in self._names())

    def _names(self) -> list[str]:
        if isinstance(self.value, fmpq):
            return []
        names = _spelt(self.value.context().names())
        return [name for name, degree in zip(names, self.value.degrees(), strict=True) if degree > 0]

    def _fixed(self, does: str, instead: str = "") -> fmpq:
        """Its value. Raises :class:`Refusal` where there is none: the update ``does`` it to a symbol."""
        value = self.constant
        if value is None:
            usual = "write the update without cases that depend on parameters, memory or steps"
            names = self.symbols
            raise Refusal(f"{does} {names[0]}, which is not yet a number", instead or usual, names)
        return value

    # ---- arithmetic -----------------------------------------------------------------------------

    def __add__(self, other: Any) -> Any:
        y = other if type(other) is Exact else exact(other)
        return NotImplemented if y is None else Exact(self.value + y.value, self.holds | y.holds)

    __radd__ = __add__

    def __neg__(self) -> Exact:
        return Exact(-self.value, self.holds)

    def __sub__(self, other: Any) -> Any:
        y = other if type(other) is Exact else exact(other)
        return NotImplemented if y is None else Exact(self.value - y.value, self.holds | y.holds)

    def __mul__(self, other: Any) -> Any:
        y = other if type(other) is Exact else exact(other)
        if y is None:
            return NotImplemented
        twice = self.holds & y.holds
        if twice:
            kind, what = (Kind.PARAMETER, "parameters") if twice & PARAMETER else (Kind.MEMORY, "entries of the memory")
            first, second = (next((n[1:] for n in x._names() if n[0] == kind), "0") for x in (self, y))
            raise Refusal(f"multiplies two {what}, {first} and {second}", f"{AFFINE}, so leave one of them out")
        return Exact(self.value * y.value, self.holds | y.holds)

    __rmul__ = __mul__

    def _like(self, x: Any) -> Exact | None:
        return exact(x)

    def _plus(self, y: Exact) -> Exact:
        return Exact(self.value + y.value, self.holds | y.holds)

    def _over(self, y: Exact) -> Exact:
        cases = y._cases()
        if cases is not None and cases.spare:
            return Exact(self.value * cases.reciprocal(y).value, self.holds)
        divisor = y._fixed("divides by", "divide by numbers only")
        if divisor == 0:
            raise Refusal("divides by zero", "say what it is there, for instance 0 where the divisor is 0")
        return Exact(self.value * (1 / divisor), self.holds)

    def __pow__(self, power: Any) -> Any:
        n = exact(power)
        whole = None if n is None else n.constant
        if whole is None or whole.q != 1 or (whole < 0 and self.constant is None):
            does = f"raises {self.symbols[0] if self.symbols else 'a number'} to the power {power}"
            raise Refusal(does, "give a whole number as the power", self.symbols)
        return super().__pow__(int(whole.p))

    # ---- what only numbers can do ---------------------------------------------------------------

    def _compared(self, other: Any, how: Callable[[fmpq, fmpq], bool]) -> Any:
        y = exact(other)
        if y is None:
            return NotImplemented
        gap = self - y if CASES.get() is not None else self
        cases = gap._cases()
        if cases is not None:
            return how(cases.sign(gap), fmpq(0))
        return how(self._fixed("compares"), y._fixed("compares"))

    def _cases(self) -> Cases | None:
        """The case that says what this is, a polynomial in numbers of the transition alone; None where none does."""
        cases = CASES.get()
        if cases is None or self.constant is not None or not self.is_of(Kind.GIVEN):
            return None
        return cases

    def __hash__(self) -> int:
        return hash(to_fraction(self._fixed("uses as a key")))

    def __bool__(self) -> bool:
        return bool(self != 0) if self._cases() else bool(self._fixed("branches on") != 0)

    def __abs__(self) -> Exact:
        if self._cases():
            return self if self >= 0 else -self
        return Exact(abs(self._fixed("takes the absolute value of")))

    def __repr__(self) -> str:
        return str(self.value)

    def conjugate(self) -> Exact:
        """Returns the number itself; NumPy calls this method."""
        return self

    def _no_float(self, *_: Any) -> NoReturn:
        of = self.symbols[0] if self.symbols else "a number"
        raise Refusal(f"rounds {of}, or turns it into a float", "use + − · / and comparisons of numbers, all exact")

    __float__ = __int__ = __index__ = __complex__ = __round__ = __floor__ = __ceil__ = __trunc__ = _no_float
    __mod__ = __rmod__ = __floordiv__ = __rfloordiv__ = __rpow__ = _no_float
    # NumPy calls the method of this name for each entry of an array
    exp = log = sqrt = tanh = sin = cos = log2 = log10 = log1p = expm1 = floor = ceil = rint = _no_float


@cache
def _spelt(names: tuple[str, ...]) -> tuple[str, ...]:
    """The names of symbols: python-flint takes ASCII, and an update may call a parameter θ."""
    return tuple(name.encode("ascii").decode("unicode_escape") for name in names)


def exact(x: Any) -> Exact | None:
    """The number ``x`` as :class:`Exact`, a float as the decimal it prints; None for what is not a number.

    Raises :class:`Refusal` for a float that is not finite.
    """
    if type(x) is Exact:
        return x
    if isinstance(x, float | np.floating):
        if not isfinite(x):
            raise Refusal(f"computes with {x}", "use finite numbers")
        x = Fraction(repr(float(x)))
    elif isinstance(x, np.integer | np.bool_):
        x = int(x)
    return Exact(to_fmpq(x)) if isinstance(x, int | Fraction | fmpq) else None


def symbols(named: Sequence[tuple[str, Kind]]) -> list[Exact]:
    """One symbol for each name."""
    names = [(kind + name).encode("unicode_escape").decode("ascii") for name, kind in named]
    context = fmpq_mpoly_ctx.get(names, Ordering.lex)
    holds = {Kind.PARAMETER: PARAMETER, Kind.MEMORY: MEMORY}
    return [Exact(x, holds.get(kind, 0)) for x, (_, kind) in zip(context.gens(), named, strict=True)]


def terms(x: Exact) -> dict[tuple[int, ...], fmpq]:
    """Coefficients by exponents; of a constant, under the empty tuple."""
    if isinstance(x.value, fmpq):
        return {(): x.value} if x.value != 0 else {}
    return dict(x.value.to_dict())


def sparse_terms(x: Exact) -> list[tuple[tuple[tuple[int, int], ...], fmpq]]:
    """Products of symbols, each as (number of the symbol, power) in increasing order, and their coefficients.

    Read off what is printed: of hundreds of symbols a product holds few, and tuples of all exponents take ten times as
    long. Names hold no spaces, ``*`` or ``^``.
    """
    if isinstance(x.value, fmpq):
        return [((), x.value)] if x.value != 0 else []
    text, known = str(x.value), _factors(x.value.context())
    if text == "0":
        return []
    found = []
    for product in text.replace(" - ", " + -").split(" + "):
        first, *rest = product.split("*")
        bare = first.removeprefix("-")
        coefficient = fmpq(-1 if bare != first else 1)
        if bare[0].isdigit():
            numerator, _, denominator = bare.partition("/")
            coefficient *= fmpq(int(numerator), int(denominator or 1))
        else:
            rest = [bare, *rest]
        for factor in rest:
            if factor not in known:
                name, _, power = factor.partition("^")
                known[factor] = known[name][0], int(power)
        found.append((tuple([known[factor] for factor in rest]), coefficient))
    return found


@lru_cache(maxsize=8)
def _factors(context: fmpq_mpoly_ctx) -> dict[str, tuple[int, int]]:
    """The number of each symbol, and the power one, by its name; powers of symbols are added as they are met."""
    return {name: (k, 1) for k, name in enumerate(context.names())}
