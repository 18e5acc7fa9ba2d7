"""Chains and models for ``benchmarks.scale``, each made from its size and a fixed seed."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from scipy.sparse import block_diag, coo_array, csr_array, diags_array

from tdcert.theory.model.schedule import Schedule
from tdcert.theory.model.sparse_model import SparseModel

SEED = 5
SUCCESSORS = 10


def scattered(n: int) -> Any:
    """Ten successors per state, anywhere; one of them the next state, so that the chain is irreducible. Mixes fast."""
    rng = np.random.default_rng(SEED)
    each = n // SUCCESSORS
    columns = rng.integers(0, each, (n, SUCCESSORS), dtype=np.int32)
    columns += np.arange(SUCCESSORS, dtype=np.int32) * each
    following = (np.arange(n, dtype=np.int32) + 1) % (each * SUCCESSORS)
    columns[np.arange(n), following // each] = following
    weights = rng.random((n, SUCCESSORS)) + 0.01
    weights /= weights.sum(axis=1, keepdims=True)
    return csr_array((weights.ravel(), columns.ravel(), np.arange(0, n * SUCCESSORS + 1, SUCCESSORS)), shape=(n, n))


def walk(n: int) -> Any:
    """The walk on a line that is reversible for weights 1 … 2 (Metropolis); it takes n² steps to mix."""
    weight = 1 + np.arange(n) / n
    up = np.full(n - 1, 0.5)
    down = 0.5 * weight[:-1] / weight[1:]
    stay = 1 - np.append(up, 0) - np.append(0, down)
    return csr_array(diags_array([down, stay, up], offsets=[-1, 0, 1]))


def walk_law(n: int) -> Any:
    """The law of :func:`walk`, up to the rounding of its entries: detailed balance, d_i ∝ weight."""
    weight = 1 + np.arange(n) / n
    return weight / weight.sum()


def coupled(n: int, coupling: float = 1e-10) -> Any:
    """Two dense random blocks, left with probability ``coupling`` and three times that: asymmetric, since an even split
    would look right by accident. Second eigenvalue about 1 − 4·coupling/n."""
    rng = np.random.default_rng(SEED)
    half = n // 2
    P = np.zeros((n, n))
    P[:half, :half], P[half:, half:] = rng.random((half, half)), rng.random((n - half, n - half))
    P /= P.sum(axis=1, keepdims=True)
    P[half - 1, half], P[half, 0] = coupling, 3 * coupling
    return csr_array(P / P.sum(axis=1, keepdims=True))


def grid(n: int) -> Any:
    """A walk to the neighbours on a square grid of about n states, with random weights: not reversible, slow, and of no
    small bandwidth."""
    rng = np.random.default_rng(SEED)
    side = round(n**0.5)
    places = np.arange(side * side).reshape(side, side)
    pairs = [(places[:, :-1], places[:, 1:]), (places[:-1], places[1:])]
    rows = np.concatenate([x.ravel() for a, b in pairs for x in (a, b)])
    columns = np.concatenate([x.ravel() for a, b in pairs for x in (b, a)])
    return _normalised(csr_array((rng.random(len(rows)) + 0.1, (rows, columns)), shape=(side * side,) * 2))


def nearly_decomposable(n: int, blocks: int = 100, coupling: float = 1e-10) -> Any:
    """Scattered blocks on a ring, each with one weak transition to the next and one to the one before, of unequal
    probabilities about ``coupling``."""
    rng = np.random.default_rng(SEED)
    size = n // blocks
    inner = coo_array(block_diag([scattered(size)] * blocks))
    at = np.arange(blocks)
    rows, columns = (np.concatenate([at, at]) * size + rng.integers(size, size=2 * blocks) for _ in range(2))
    columns = (columns + np.repeat([1, -1], blocks) * size) % (size * blocks)
    weak = coupling * np.concatenate([1.0 + at % 3, np.full(blocks, 2.0)])
    data = np.concatenate([inner.data, weak])
    places = (np.concatenate([inner.coords[0], rows]), np.concatenate([inner.coords[1], columns]))
    return _normalised(csr_array(coo_array((data, places), shape=inner.shape)))


def _normalised(P: Any) -> Any:
    P.sum_duplicates()
    P.sort_indices()
    P.data /= np.repeat(P.sum(axis=1), np.diff(P.indptr))
    return P


CHAINS = {
    "scattered": scattered,
    "walk": walk,
    "coupled": coupled,
    "grid": grid,
    "nearly decomposable": nearly_decomposable,
    "two blocks": lambda n: nearly_decomposable(n, 2),
}


def model(n: int, d: int, length: int) -> SparseModel:
    """The scattered chain, normal features and rewards, γ = 0.99, λ's from 0.9 down."""
    rng = np.random.default_rng(SEED + 1)
    lambdas = tuple(Fraction(90 - k, 100) for k in range(length))
    return SparseModel.reward_process(
        scattered(n), rng.normal(size=n), Fraction(99, 100), rng.normal(size=(n, d)), Schedule(lambdas)
    )
