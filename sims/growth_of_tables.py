"""The growth of differences under any update, compiled: its tables, one transition after another.

On a transition e of the tables memory' = R_e m + s_e and y' = y + K_e(m) y, K_e affine in m; all are kept as lists of
terms, so nothing is computed that is zero. What is measured, and what it says: :mod:`tdcert.sims.growth`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tdcert.sims.compile_once import compiled_once
from tdcert.sims.trajectories import Sampler
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.rational import to_float, to_fraction
from tdcert.theory.engine.tables import Tables

RENORMALISE = 8
"""Steps between two renormalisations: eight factors of up to 10^38 stay within floats."""
MARKS = 5
"""The run is cut into this many equal parts: one to forget the start, the others measured."""


class Walk(NamedTuple):
    """What it walks on: the alias tables of s_0 and of a step, as (bits, keep, alias), and what an outcome carries."""

    start: Any
    steps: Any
    next_states: Any
    discounts: Any
    rho: Any

    @staticmethod
    def of(sampler: Sampler) -> Walk:
        """The walk of a model."""
        first, later = ((table.bits, table.keep, table.alias) for table in (sampler.start, sampler.steps))
        return Walk(first, later, sampler.next_states, sampler.discounts, sampler.rho)


class TermArrays(NamedTuple):
    """``edge``[context, outcome] is the transition, ``target`` its context, ``begin``[state] the context of time zero.

    Terms of transition e are those from ``…_at``[e] to ``…_at``[e + 1]: ``memory`` (row, entry) with ``memory_x``, and
    ``change`` (entry, row, column) with ``change_x``; the entry after the last is the constant one.
    """

    edge: NDArray[np.int64]
    target: NDArray[np.int64]
    begin: NDArray[np.int64]
    memory_at: NDArray[np.int64]
    memory: NDArray[np.int64]
    memory_x: NDArray[np.float64]
    change_at: NDArray[np.int64]
    change: NDArray[np.int64]
    change_x: NDArray[np.float64]
    held: int


def terms_of(found: Tables, sampler: Sampler, columns: Sequence[int], T: RationalMatrix) -> TermArrays:
    """The terms of tables whose step sizes are numbers, from the states they begin in. Parameters are seen through
    u = T y, so that u' = u + T K_B u, B the ``columns``.
    """
    n, width = sampler.next_states.shape
    left, after = sampler.ends(*np.indices((n, width)))
    outcome = {
        (int(left[s, o]), int(sampler.actions[s, o]), int(after[s, o])): o
        for s in range(n)
        for o in reversed(range(width))  # an outcome that does not exist stands behind those that do
    }
    edge = np.zeros((len(found.contexts), width), dtype=np.int64)
    begin = np.zeros(n, dtype=np.int64)
    begin[list(found.states) if sampler.drawn is None else [0]] = np.arange(found.starts)
    place, hidden = {b: i for i, b in enumerate(columns)}, len(columns) < found.D
    memory, change = [], []
    for e, one in enumerate(found.edges):
        edge[one.source, outcome[one.outcome.state, one.outcome.action, one.outcome.after]] = e
        R, s = one.recursion
        memory.append([(i, j, to_float(x)) for (i, j), x in R.items()])
        memory[-1] += [(i, found.M, to_float(x)) for i, x in s.items()]
        kept: dict[tuple[int, int, int], Any] = {}
        for part in one.increments.values():
            for (entry, row, column), x in part.items():
                if column in place:
                    held = found.M if entry is None else entry
                    for i in range(len(columns)) if hidden else (row,):
                        weight = T[i, row] if hidden else 1
                        key = held, i, place[column]
                        kept[key] = kept.get(key, 0) + weight * to_fraction(x)
        change.append([(*key, float(x)) for key, x in kept.items() if x])
    return TermArrays(
        edge,
        np.array([one.target for one in found.edges], dtype=np.int64),
        begin,
        *_flat(memory, 2),
        *_flat(change, 3),
        found.M,
    )


def _flat(lists: Sequence[Sequence[tuple[Any, ...]]], count: int) -> tuple[Any, Any, Any]:
    """Where each list begins, the ``count`` indices of all terms, and their numbers."""
    at = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    indices = np.array([term[:count] for terms in lists for term in terms], dtype=np.int64).reshape(-1, count)
    return at, indices, np.array([term[count] for terms in lists for term in terms], dtype=np.float64)


@compiled_once
def word(rng: Any) -> Any:
    """xoshiro256**, twin of ``tdcert.sims.streams.xoshiro``."""
    x = rng[1] * np.uint64(5)
    result = ((x << np.uint64(7)) | (x >> np.uint64(57))) * np.uint64(9)
    shifted = rng[1] << np.uint64(17)
    rng[2] ^= rng[0]
    rng[3] ^= rng[1]
    rng[1] ^= rng[2]
    rng[0] ^= rng[3]
    rng[2] ^= shifted
    rng[3] = (rng[3] << np.uint64(45)) | (rng[3] >> np.uint64(19))
    return result


@compiled_once
def pick(table: Any, row: int, word: Any) -> Any:
    """Twin of ``AliasTable.outcome``."""
    bits, keep, alias = table
    shift = np.uint64(64 - bits)
    column = np.int64(word >> shift)
    rest = word & ((np.uint64(1) << shift) - np.uint64(1))
    return column if rest < keep[row, column] else alias[row, column]


@compiled_once
def marked(y: Any, t: int, part: int, logarithm: float, found: Any) -> float:
    """The logarithm of |y| so far, y having norm one again; kept in ``found``[k] where k parts end at t."""
    norm = np.sqrt((y * y).sum())
    logarithm += np.log(norm)  # −∞ for good once y is zero
    if norm > 0.0:
        y /= norm
    if t % part == 0:
        found[t // part] = logarithm
    return logarithm


@compiled_once
def grow_tables(terms: Any, walk: Any, rngs: Any, idle: int, part: int, first: Any, found: Any) -> None:
    """Walks ``idle`` steps without updates, then MARKS parts of ``part`` steps.

    ``found``[run, k] = log|y| after k parts.
    """
    runs, size = first.shape
    held = terms.held
    m, new, dy = np.zeros(held + 1), np.zeros(held + 1), np.zeros(size)
    for r in range(runs):
        rng = rngs[r].copy()
        s = pick(walk.start, 0, word(rng))
        h = terms.begin[s]
        y = first[r].copy()
        m[:] = 0.0
        m[held] = 1.0
        logarithm = 0.0
        for t in range(-idle, MARKS * part + 1):
            if t >= 0 and (t % RENORMALISE == 0 or t % part == 0):
                logarithm = marked(y, t, part, logarithm, found[r])
                if t == MARKS * part:
                    break
            o = pick(walk.steps, s, word(rng))
            e = terms.edge[h, o]
            if t >= 0:
                dy[:] = 0.0
                for k in range(terms.change_at[e], terms.change_at[e + 1]):
                    entry, row, column = terms.change[k]
                    dy[row] += terms.change_x[k] * m[entry] * y[column]
                y += dy
            new[:] = 0.0
            for k in range(terms.memory_at[e], terms.memory_at[e + 1]):
                row, entry = terms.memory[k]
                new[row] += terms.memory_x[k] * m[entry]
            for i in range(held):
                m[i] = new[i]
            h, s = terms.target[e], walk.next_states[s, o]
