r"""How large the error of the iterates is expected to be, step by step, under constant steps: curves to draw.

With y_{t+1} = B y_t on the transitions of the chain of nodes (``tdcert.theory.laws.nodes``), and B constant in time,
the moments Y_t(h) = E[y_t y_tᵀ 1{node = h}] obey one linear map,

    vec Y_{t+1}(h') = Σ_{h → h'} p(h → h') (B ⊗ B) vec Y_t(h).

Where the trace is short B is the identity but for a few entries, so that the map is sparse and a step costs its number
of entries. Plain floats, no bounds: for the same numbers with bounds ask ``tdcert.theory.laws.moments``, which they
are tested against.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from tdcert.theory.arithmetic.float_enclosures import Floats
from tdcert.theory.laws.nodes import NodeChain
from tdcert.theory.limits import CURVE_ENTRIES, LimitError, raised

OVERFLOW = 1e150
"""Moments beyond it are reported as infinite."""


@dataclass(frozen=True)
class ErrorCurve:
    """At the asked ``times``: ``squared`` = E‖θ_t − v‖²/d, and ``of_mean`` = ‖E θ_t − v‖²/d, which is less. Infinite
    where a moment has passed :data:`OVERFLOW`.
    """

    times: tuple[int, ...]
    squared: tuple[float, ...]
    of_mean: tuple[float, ...]


def error_curve(
    chain: NodeChain, sizes: Sequence[float], times: Sequence[int], value: Sequence[float] | Floats
) -> ErrorCurve:
    """The curve about v = ``value`` (d) at the step sizes ``sizes``, all parameters starting at zero, at increasing
    ``times``.

    Raises :class:`BudgetExceededError` where the map has more than :data:`CURVE_ENTRIES` entries.
    """
    move = _move(chain, sizes, order=2)
    width, v, theta = chain.width, np.asarray(value, dtype=np.float64), slice(chain.theta.start, chain.theta.stop)
    origin = np.zeros((width, width))
    origin[-1, -1] = 1.0
    squared, of_mean = [], []
    for Y in _propagated(move, np.outer(chain.start.astype(np.float64), origin).ravel(), times):
        second = Y.reshape(-1, width, width).sum(axis=0)
        mean = second[theta, -1]
        squared.append(float(np.trace(second[theta, theta]) - 2 * v @ mean + v @ v) / len(v))
        of_mean.append(float(np.sum((mean - v) ** 2)) / len(v))
    beyond = [float("inf")] * (len(times) - len(squared))
    return ErrorCurve(tuple(times), (*squared, *beyond), (*of_mean, *beyond))


def mean_curve(
    chain: NodeChain, sizes: Sequence[float], times: Sequence[int], value: Sequence[float] | Floats
) -> tuple[float, ...]:
    """``of_mean`` of :func:`error_curve` alone, for chains whose second moments are too many."""
    move = _move(chain, sizes, order=1)
    v, found = np.asarray(value, dtype=np.float64), []
    for y in _propagated(move, chain.first_means(), times):
        found.append(float(np.sum((chain.mean_theta(y) - v) ** 2)) / len(v))
    return (*found, *[float("inf")] * (len(times) - len(found)))


def _move(chain: NodeChain, sizes: Sequence[float], order: int) -> Any:
    """The map of E[y 1{node}] (order 1) or of vec E[y yᵀ 1{node}] (order 2)."""
    updates, width = chain.floats, chain.width
    B = np.eye(width) + updates.at(sizes)
    total = float((np.count_nonzero(B, axis=(1, 2)).astype(float) ** order).sum())
    if total > raised(CURVE_ENTRIES):
        raise LimitError(
            f"the moments on {len(chain.nodes)} nodes move by a map of {total:.2g} entries; at most "
            f"{raised(CURVE_ENTRIES):.1g} are held, so ask for a shorter schedule or fewer features",
            total / CURVE_ENTRIES,
        )
    if order == 1:
        return chain.operator(B)
    size = width**2
    rows, columns, entries = [], [], []
    for e, matrix in enumerate(B):
        places = np.nonzero(matrix)
        i, j = ((x[:, None] * width + x[None, :]).ravel() for x in places)
        values = np.outer(matrix[places], matrix[places]).ravel()
        rows.append(chain.target[e] * size + i)
        columns.append(chain.source[e] * size + j)
        entries.append(updates.probability[e] * values)
    shape = (len(chain.nodes) * size,) * 2
    return scipy.sparse.csr_array(
        (np.concatenate(entries), (np.concatenate(rows), np.concatenate(columns))), shape=shape
    )


def _propagated(move: Any, first: Floats, times: Sequence[int]) -> Iterator[Floats]:
    """The moments at the ``times``, as long as they stay below :data:`OVERFLOW`."""
    moments, wanted = first, set(times)
    for t in range(times[-1] + 1):
        if not np.abs(moments).max() <= OVERFLOW:
            return
        if t in wanted:
            yield moments
        moments = move @ moments
