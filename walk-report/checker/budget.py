"""Work and memory are charged before they are spent; docs/certificates.md derives the estimates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from functools import lru_cache
from typing import Any, Generic, TypeVar

from . import limits

T = TypeVar("T")

ONE = Fraction(1)


class Rejected(Exception):  # noqa: N818 -- it is an answer, not an error
    """The certificate does not prove its statement; the message is one sentence: where, what, why."""


class NotChecked(Exception):  # noqa: N818 -- it is an answer, not an error
    """Nothing is said about the statement: to check it would take more time or memory than is granted."""


SPENT: ContextVar[list[int]] = ContextVar("SPENT")  # nanoseconds and bits of the certificate being checked
ASKED: ContextVar[list[int]] = ContextVar("ASKED")  # the most of both at any time since `Kept` began to make something
BUDGET: ContextVar[int | None] = ContextVar("BUDGET")  # nanoseconds; None: however many it takes


def spend(nanoseconds: int, bits: int = 0, ahead: bool = False) -> None:
    """Charge an estimate; `ahead`: only ask whether it could be paid (it is charged piece by piece later)."""
    spent, budget = SPENT.get(), BUDGET.get()
    time, memory = spent[0] + nanoseconds, spent[1] + bits
    if budget is not None and time > budget:
        least, granted = (-(-min(x, 10**18) // 10**9) for x in (time, budget))
        raise NotChecked(
            f"the work is estimated at {least} s or more, and {granted} s are granted; "
            "--patient takes the time it needs"
        )
    if memory > limits.MAX_MEMORY:
        least, bound = (min(x, 2**60) // 2**23 for x in (memory, limits.MAX_MEMORY))
        raise NotChecked(f"the numbers are estimated at {least} MiB or more, and the bound is {bound} MiB")
    if ahead:
        note(time, memory)
    else:
        spent[:] = time, memory


def note(time: int, memory: int) -> None:
    """So much was asked for, of which not all is charged in the end."""
    if asked := ASKED.get(None):
        asked[:] = max(asked[0], time), max(asked[1], memory)


@lru_cache
def products_work(bits: int, other: int) -> int:
    """One product of numbers of so many bits (limbs of 30 bits; Karatsuba beyond 70 of them: log2(3) - 1 = 0.585)."""
    small, large = sorted((bits // 30 + 1, other // 30 + 1))
    return 70 + large * min(small, int(70 * (min(small, 10**12) / 70) ** 0.585))


def spend_products(count: int, bits: int, other: int, ahead: bool = False) -> None:
    spend(count * products_work(bits, other), ahead=ahead)


def fraction_work(bits: int) -> int:
    """One sum or product of fractions with so many bits in all, with its greatest common divisors."""
    return 3000 + (bits // 30) ** 2 // 2


def bits_of(*values: Fraction) -> int:
    bits = 0
    for x in values:
        p, q = x.as_integer_ratio()
        bits += p.bit_length() + q.bit_length()
    return bits


def spend_fractions(*values: Fraction) -> None:
    spend(fraction_work(bits_of(*values)))


def quotient(top: int, bottom: int) -> Fraction:
    """In lowest terms, which takes a greatest common divisor."""
    spend(3000 + (top.bit_length() // 30) * (bottom.bit_length() // 30) // 2)
    return Fraction(top, bottom)


@contextmanager
def passing() -> Iterator[None]:
    """What is made inside is gone after it: its memory is free again."""
    held = SPENT.get()[1]
    yield
    note(*SPENT.get())
    SPENT.get()[1] = held


class Kept(Generic[T]):
    """What was made last, the text that it was made from, and its charge: the files of one report share much.

    For the same text it is not made again, at the same charge, after the same is asked for: so no answer depends on
    what was kept. What is made must not be changed afterwards.
    """

    def __init__(self) -> None:
        self.last: tuple[str, T, tuple[int, int], tuple[int, int]] | None = None

    def of(self, text: str, make: Callable[[], T]) -> T:
        last = self.last  # one look: another thread may put its own there
        if last is not None and last[0] == text:
            spend(*last[2], ahead=True)
            spend(*last[3])
            return last[1]
        time, memory = SPENT.get()
        token = ASKED.set([time, memory])
        try:
            found = make()
            most, spent = ASKED.get(), SPENT.get()
        finally:
            ASKED.reset(token)
        note(*most)
        self.last = text, found, (most[0] - time, most[1] - memory), (spent[0] - time, spent[1] - memory)
        return found


class Made:
    """What was `Kept` of one model, by name."""

    def __init__(self) -> None:
        self.kept: dict[str, Kept[Any]] = {}

    def of(self, name: str, text: str, make: Callable[[], T]) -> T:
        found: T = self.kept.setdefault(name, Kept()).of(text, make)
        return found


def foresee_chain(count: int, bits: int) -> None:
    """Ask for `count` sums or products, each of which makes the fraction longer by so many bits.

    The i-th costs 3000 + (i bits / 30)^2 / 2, and the sum of i^2 is at least count^3 / 3.
    """
    spend(count * (3000 + (count * bits // 30) ** 2 // 6), ahead=True)
