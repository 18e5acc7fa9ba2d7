"""Random walks among neighbours, on a ring and on a line: chains that are irreducible by their shape."""

from __future__ import annotations

from numpy.random import Generator

from tdcert.sims.random_models import GRAIN, from_weights
from tdcert.theory.arithmetic import RationalMatrix


def weight(rng: Generator) -> int:
    """A weight from 1 to GRAIN."""
    return int(rng.integers(1, GRAIN + 1))


def ring(rng: Generator, n: int, hold: bool = True) -> RationalMatrix:
    """A random walk on a ring of n ≥ 2 states, with random weights left and right; ``hold`` allows staying
    (aperiodic)."""
    weights = [[0] * n for _ in range(n)]
    for s in range(n):
        weights[s][(s + 1) % n] += weight(rng)
        weights[s][(s - 1) % n] += weight(rng)
        weights[s][s] += weight(rng) if hold else 0
    return from_weights(weights)


def birth_death(rng: Generator, n: int, hold: bool = True) -> RationalMatrix:
    """A birth–death chain on 0 … n − 1 (n ≥ 2) with random weights; reversible; period 2 unless ``hold``."""
    weights = [[0] * n for _ in range(n)]
    for s in range(n):
        for after in (s - 1, s + 1):
            if 0 <= after < n:
                weights[s][after] = weight(rng)
        weights[s][s] = weight(rng) if hold else 0
    return from_weights(weights)
