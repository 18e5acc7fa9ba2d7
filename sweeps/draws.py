"""Random numbers addressed by index: the draw of index i is the same alone, in a batch, or after a restart.

Each named quantity has a counter-based generator of its own (Philox 4×64; Salmon, Moraes, Dror and Shaw 2011) whose key
is the SHA-256 of the sweep and of the name. Index i owns a fixed range of counters, so any range of indices is drawn at
once and any single index again alone. Integers below ``bound`` come from 32 random bits by multiplication: each has
probability 1/bound up to 2⁻³².
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Draws:
    """The draws of the indices ``first`` … ``first + count − 1`` of the sweep named ``key``."""

    key: str
    first: int
    count: int

    def below(self, name: str, bound: int, shape: Sequence[int] = ()) -> Integers:
        """Integers in 0 … bound − 1 (bound ≤ 2³²) for every index, shape (count, *shape).

        Raises ValueError for a bound outside 1 … 2³².
        """
        if not 1 <= bound <= 1 << 32:
            raise ValueError(f"bound {bound}: give 1 … 2³²")
        return ((self._bits(name, shape) * np.uint64(bound)) >> np.uint64(32)).astype(np.int64)

    def order(self, name: str, size: int, shape: Sequence[int] = ()) -> Integers:
        """A random order of 0 … size − 1 for every index, shape (count, *shape, size)."""
        return np.argsort(self._bits(name, (*shape, size)), axis=-1, kind="stable").astype(np.int64)

    def _bits(self, name: str, shape: Sequence[int]) -> NDArray[np.uint64]:
        """32 random bits for each entry."""
        size = prod(shape)
        blocks = -(-size // 8)  # a counter gives four words of 64 bits
        key = int.from_bytes(hashlib.sha256(f"{self.key}/{name}".encode()).digest()[:16], "little")
        words = np.random.Philox(key=key, counter=self.first * blocks).random_raw(4 * blocks * self.count)
        halves = np.stack([words >> np.uint64(32), words & np.uint64(0xFFFFFFFF)], axis=-1)
        return np.asarray(halves.reshape(self.count, 8 * blocks)[:, :size].reshape(self.count, *shape))
