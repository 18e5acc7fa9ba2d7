"""Chains and models for ``benchmarks.scale``, each made from its size and a fixed seed."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from scipy.sparse import csr_array, diags_array

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


CHAINS = {"scattered": scattered, "walk": walk, "coupled": coupled}


def model(n: int, d: int, length: int) -> SparseModel:
    """The scattered chain, normal features and rewards, γ = 0.99, λ's from 0.9 down."""
    rng = np.random.default_rng(SEED + 1)
    lambdas = tuple(Fraction(90 - k, 100) for k in range(length))
    return SparseModel.reward_process(
        scattered(n), rng.normal(size=n), Fraction(99, 100), rng.normal(size=(n, d)), Schedule(lambdas)
    )
