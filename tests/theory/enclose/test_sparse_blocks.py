"""Laws of chains of blocks that are hardly ever left: a bound for every candidate, and a small one for good ones."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csr_array

from benchmarks.scale_chains import grid, nearly_decomposable, scattered
from tdcert.theory.arithmetic.sparse_products import SparseKernel
from tdcert.theory.enclose import sparse_law
from tdcert.theory.enclose.sparse_elimination import eliminated
from tdcert.theory.enclose.sparse_law import Blocks, block_error, nearly_closed, stationary_law
from tdcert.theory.model.chain import Chain
from tests.theory.enclose.test_sparse_elimination import process

SEED = 1_904


def through_rare_states(escape: float) -> csr_array:
    """Two blocks of three states, each left only from its last state, which has a probability of about 1e-6."""
    P = np.zeros((6, 6))
    for low, away in ((0, escape), (3, 3 * escape)):
        P[low : low + 2, low : low + 2] = [[0.25, 0.75 - 1e-6], [0.5, 0.5]]
        P[low, low + 2] = 1e-6
        P[low + 2, low], P[low + 2, (low + 3) % 6] = 1 - away, away
    return csr_array(P / P.sum(axis=1, keepdims=True))


def prepared(P: csr_array) -> tuple[SparseKernel, Blocks, np.ndarray, sparse_law.BlockVectors, list[Fraction]]:
    """The chain, its two blocks, what is proposed, and the exact law."""
    model, n = process(P), P.shape[0]
    blocks = Blocks.of(P, np.arange(n) // (n // 2))
    x, vectors = sparse_law._aggregated(model.behaviour_kernel, blocks)
    exact = Chain(model.exact().transitions[0]).stationary_law(tuple(range(n)))
    return model.behaviour_kernel, blocks, x, vectors, [d for (d,) in exact.rows]


def away(x: np.ndarray, law: list[Fraction]) -> Fraction:
    total = sum(Fraction(float(v)) for v in x)
    return sum((abs(Fraction(float(v)) / total - d) for v, d in zip(x, law, strict=True)), start=Fraction(0))


@pytest.mark.parametrize("escape", [1e-3, 1e-9])
def test_the_bound_covers_every_candidate(escape: float) -> None:
    """Wrong masses of blocks; flows that balance though the state that leads out is twice too probable; random laws."""
    chain, blocks, x, vectors, law = prepared(through_rare_states(escape))
    right = block_error(chain, blocks, x, vectors)
    assert right is not None and away(x, law) <= right < 1e-9
    masses = np.where(blocks.labels == 0, 0.5 / x[:3].sum(), 0.5 / x[3:].sum()) * x
    twice = x.copy()
    twice[2] *= 2
    twice = sparse_law._balanced(blocks, twice)
    assert min(away(masses, law), away(twice, law)) > Fraction(1, 5)
    rng = np.random.default_rng(SEED)
    inside = x * (1 + 1e-7 * rng.random(6))
    for candidate in (masses, twice, inside / inside.sum(), *rng.dirichlet(np.ones(6), 20)):
        bound = block_error(chain, blocks, candidate, vectors)
        assert bound is not None and away(candidate, law) <= bound


def test_what_is_wrong_inside_a_block_counts_where_nothing_escapes() -> None:
    """Blocks that are left from s_I alone: flows balance, and no residual elsewhere leads out."""
    P = np.zeros((6, 6))
    for low, out in ((0, 1e-9), (3, 4e-9)):
        P[low : low + 3, low : low + 3] = [[0.75, 0.125, 0.125], [0.5, 0.25, 0.25], [0.75, 0.125, 0.125]]
        P[low, (low + 3) % 6] = out
    chain, blocks, x, vectors, law = prepared(csr_array(P / P.sum(axis=1, keepdims=True)))
    moved = sparse_law._balanced(blocks, x + np.array([0, 1, -1, 0, -1, 1]) / 64)
    bound = block_error(chain, blocks, moved, vectors)
    assert bound is not None and Fraction(1, 64) < away(moved, law) <= bound < 1


def test_vectors_that_prove_nothing_are_not_believed() -> None:
    chain, blocks, x, vectors, law = prepared(through_rare_states(1e-6))
    twice = x.copy()
    twice[2] *= 2
    for candidate in (x, sparse_law._balanced(blocks, twice)):
        for lazy in (replace(vectors, w=0 * vectors.w), replace(vectors, w=vectors.w / 16)):
            bound = block_error(chain, blocks, candidate, lazy)  # what w lacks is made up for by h
            assert bound is not None and away(candidate, law) <= bound
    for useless in (
        replace(vectors, h=np.ones(6)),
        replace(vectors, h=-vectors.h),
        replace(vectors, eta=0 * vectors.eta),
        replace(vectors, eta=vectors.eta / 4),
        replace(vectors, z=np.ones(6)),
        replace(vectors, z=vectors.z - 1e30),
        replace(vectors, z=vectors.z + np.inf),
    ):
        assert block_error(chain, blocks, x, useless) is None
    assert block_error(chain, blocks, -x, vectors) is None


def test_blocks_are_found_where_there_are_some() -> None:
    labels = nearly_closed(nearly_decomposable(400, 4))
    assert labels is not None and len(set(labels)) == 4
    assert all(len(set(labels[low : low + 100])) == 1 for low in range(0, 400, 100))
    assert nearly_closed(scattered(400)) is None and nearly_closed(grid(400)) is None


def test_scattered_blocks_have_a_law_without_elimination() -> None:
    """Joined by 1e-10, of unequal masses: the law is that of elimination."""
    chain = process(nearly_decomposable(700, 2)).behaviour_kernel
    x, relative = eliminated(chain)
    law, why = sparse_law._by_blocks(chain)
    assert law is not None and why.startswith("2 blocks") and law.distance < 1e-8
    assert np.abs(law.mid - x).sum() <= law.distance + relative


def test_blocks_come_first_where_transitions_are_rare(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else they come before an elimination, which may take long."""
    for method in ("_verified", "_by_elimination"):
        monkeypatch.setattr(sparse_law, method, lambda _: pytest.fail("blocks come first"))
    chain = process(nearly_decomposable(700, 2)).behaviour_kernel
    law, why = stationary_law(chain, np.arange(700))
    assert law is not None and why.startswith("2 blocks")
    monkeypatch.setattr(sparse_law, "RARE", 0.0)
    monkeypatch.setattr(sparse_law, "_verified", lambda _: (None, "slow"))
    assert stationary_law(chain, np.arange(700))[1] == why
