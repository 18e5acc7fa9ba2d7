"""Elimination on separators: the laws are exact ones within the bound, and the bound counts every step."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csr_array

from benchmarks.scale_chains import grid, nearly_decomposable
from tdcert.theory.arithmetic.float_enclosures import MidRadMatrix
from tdcert.theory.arithmetic.sparse_products import SparseKernel
from tdcert.theory.enclose import sparse_elimination
from tdcert.theory.enclose.dense_law import stationary_enclosure
from tdcert.theory.enclose.sparse_elimination import Front, dissection, eliminated, relative_error
from tdcert.theory.enclose.sparse_law import stationary_law
from tdcert.theory.errors import BudgetExceededError
from tdcert.theory.model.chain import Chain
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.model.sparse_model import SparseModel

SEED = 1_901


def process(P: csr_array) -> SparseModel:
    n = P.shape[0]
    return SparseModel.reward_process(P, np.zeros(n), Fraction(0), np.ones((n, 1)), Schedule())


def with_restarts(P: csr_array) -> csr_array:
    """From every state to state 0 with probability 1/8: state 0 is next to all others."""
    n = P.shape[0]
    back = csr_array((np.full(n, 0.125), (np.arange(n), np.zeros(n, dtype=int))), shape=(n, n))
    return csr_array(P * 0.875 + back)


def one_way(n: int) -> csr_array:
    """A circle with long steps forward, so that the pattern is not symmetric."""
    rows = np.repeat(np.arange(n), 3)
    columns = (rows + np.tile([1, 2, 7], n)) % n
    weights = np.random.default_rng(SEED).random(3 * n) + 0.01
    P = csr_array((weights, (rows, columns)), shape=(n, n))
    P.sort_indices()
    return csr_array(P / P.sum(axis=1)[:, None])


CHAINS = {
    "grid": lambda: grid(36),
    "grid with restarts": lambda: with_restarts(grid(36)),
    "circle": lambda: one_way(30),
    "blocks": lambda: nearly_decomposable(40, 2),
}


@pytest.mark.parametrize("leaf", [1, pytest.param(5, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("name", CHAINS)
def test_laws_are_within_their_bounds_of_the_exact_ones(name: str, leaf: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Entry by entry and relatively, for separators everywhere and for one front; blocks of three pivots."""
    monkeypatch.setattr(sparse_elimination, "LEAF", leaf)
    monkeypatch.setattr(sparse_elimination, "BLOCK", 3)
    model = process(CHAINS[name]())
    x, relative = eliminated(model.behaviour_kernel)
    (states,) = (found := Chain(model.exact().transitions[0])).recurrent_classes
    for value, (d,) in zip(x, found.stationary_law(states).rows, strict=True):
        assert abs(Fraction(float(value)) - d) <= Fraction(relative) * d
    assert relative < 1e-11


def test_every_state_is_eliminated_once_after_those_that_its_separator_cuts_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sparse_elimination, "LEAF", 12)
    W = process(with_restarts(grid(324))).behaviour_kernel.weights
    fronts = dissection(W)
    order = np.concatenate([front.pivots for front in fronts])
    assert sorted(order) == list(range(324)) and len(fronts) > 20
    place, dense = np.argsort(order), W.toarray() > 0
    met = [np.flatnonzero(dense[k] | dense[:, k]) for k in range(324)]
    for at, front in enumerate(fronts):
        after = {int(s) for s in front.boundary}
        last = place[front.pivots].max()
        later = {int(j) for k in front.pivots for j in met[k] if place[j] > last}
        assert later <= after and all(place[j] > last for j in after)
        for child in front.children:
            assert child < at and {int(s) for s in fronts[child].boundary} <= after | {int(s) for s in front.pivots}
    assert 0 in fronts[-1].pivots  # the state that all restarts lead to


def test_the_bound_counts_pivots_blocks_children_and_back_substitution() -> None:
    """By hand, u = 2⁻⁵³/(1 − 2⁻⁵³): a part of 2 pivots with 1 state of boundary, below a last front of 2 states.

    The part: pivots with 2 and 1 states after them, 12; a block of 2 with 1 after it, 3. The last front: pivots with 1
    and 0 after them, 4; its block has none after it; one row of the child's boundary, 1. Back substitution: 2·(2 + 3)
    in each. In all 20 + 20, and 2 for the norm; all of it twice, and 4 states with 2ε.
    """
    a, b, c, d = (np.array([k]) for k in range(4))
    below = Front(np.concatenate([a, b]), c, ())
    last = Front(np.concatenate([c, d]), np.array([], dtype=int), (0,))
    eps = Fraction(1, 2**40)
    eta = 2 * Fraction(42, 2**53 - 1) + 8 * eps / (1 - eps)
    found = Fraction(relative_error([below, last], np.full(4, float(eps))))
    assert eta / (1 - eta) <= found <= eta / (1 - eta) * (1 + Fraction(1, 2**48))
    with pytest.raises(BudgetExceededError, match="does not determine the law"):
        relative_error([below, last], np.full(4, 0.25))


@pytest.mark.thorough
def test_a_slow_chain_has_the_law_of_dense_elimination() -> None:
    """A grid of 25 × 25 states, more than are eliminated at once, against dense elimination."""
    P = grid(625)
    law, why = stationary_law(process(P).behaviour_kernel, np.arange(625))
    assert law is not None and "without subtraction" in why and law.distance < 1e-10
    dense = stationary_enclosure(MidRadMatrix(P.toarray(), P.toarray() * 2.0**-50))
    assert np.all(np.abs(law.mid - dense.mid[:, 0]) <= law.entrywise + dense.rad[:, 0])


def test_what_is_too_large_or_leaves_the_range_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    n = 40
    up = np.exp2(-60.0)
    P = np.diag(np.full(n - 1, up), 1) + np.diag(np.full(n - 1, 0.5), -1)
    P += np.diag(1 - P.sum(axis=1))
    chain = SparseKernel(csr_array(P), np.zeros(n), np.ones(n))
    with pytest.raises(BudgetExceededError, match="range of floats"):
        eliminated(chain)
    tiny = csr_array(np.array([[1 - 2.0**-30, 2.0**-30], [2.0**-1030, 1.0]]))
    with pytest.raises(BudgetExceededError, match="range of floats"):
        eliminated(SparseKernel(tiny, np.zeros(2), np.ones(2)))
    W = process(grid(100)).behaviour_kernel.weights
    fronts = dissection(W)
    work = sum(len(front.pivots) * front.size**2 for front in fronts)
    entries = sum(len(front.pivots) * front.size for front in fronts)
    for limit, least in (("ELIMINATION_WORK", work), ("ELIMINATION_BYTES", 8 * entries)):
        with monkeypatch.context() as patch:
            patch.setattr(sparse_elimination, limit, least)
            assert len(dissection(W)) == len(fronts)
            for less in (least - 1, 10):
                patch.setattr(sparse_elimination, limit, less)
                with pytest.raises(BudgetExceededError, match="no small separators"):
                    dissection(W)
