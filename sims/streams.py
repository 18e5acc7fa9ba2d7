"""Random streams: one seed for everything, one child stream for every name.

A stream depends on the seed and on its own name alone, so results do not change when experiments are
added, left out or run in another order. Every replicated run has a generator of its own (xoshiro256**,
Blackman and Vigna 2021), so that results do not depend on how runs are cut into chunks either.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

MASK = (1 << 64) - 1


def stream(seed: int, name: str) -> np.random.SeedSequence:
    """The child of ``seed`` called ``name``: NumPy's SeedSequence, keyed by the SHA-256 of the name."""
    digest = hashlib.sha256(name.encode()).digest()
    words = tuple(int.from_bytes(digest[i : i + 4], "little") for i in range(0, 32, 4))
    return np.random.SeedSequence(entropy=seed, spawn_key=words)


def generator(seed: int, name: str) -> np.random.Generator:
    """A NumPy generator (PCG64) on the stream ``name``."""
    return np.random.Generator(np.random.PCG64(stream(seed, name)))


def run_states(seed: int, name: str, runs: int) -> NDArray[np.uint64]:
    """One xoshiro256** state per run, shape (runs, 4). The states of the first runs do not depend on ``runs``."""
    words = np.asarray(stream(seed, name).generate_state(4 * runs, np.uint64), dtype=np.uint64)
    return words.reshape(runs, 4)


def xoshiro(state: list[int]) -> int:
    """The next 64 bits, advancing ``state`` (four 64-bit integers) in place: the readable twin of the kernel's."""
    result = (_rotate(state[1] * 5 & MASK, 7) * 9) & MASK
    shifted = state[1] << 17 & MASK
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= shifted
    state[3] = _rotate(state[3], 45)
    return result


def _rotate(x: int, k: int) -> int:
    return (x << k | x >> 64 - k) & MASK
