r"""The chain of nodes: what the next update depends on besides y, the parameters and a last entry of one.

Along a path every update is linear, y_{t+1} = B_t y_t with B_t = I + Σ_k step_k U_k, where U_k depends on the
transition between two nodes and not on y: a Markov jump linear system. A node is a state (and what the update reads of
the transition before) with a value of the memory. Of the paper's updates it says what their window X_t (the last L + 1
states and what was done in them) says of their trace: windows with the same trace are one node.

:mod:`tdcert.theory.engine.nodes` builds the chain of an update; the laws of this folder read it.

Source: X_t, A(X_t), b(X_t) in §4.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.rational import to_fmpq, to_fraction

Array = NDArray[Any]
"""A float64 array, or an object array of rationals (``fmpq`` or fractions)."""
Node = tuple[int, tuple[int, ...]]
"""A context, and the value of the memory by the numbers of its parts."""


@dataclass(frozen=True)
class Updates:
    """Per transition (E of them): its probability (E), and for each step size U_k (E×(D+1)×(D+1)), all of one number
    type.

    ``plain``: the same from magnitudes, with plus for minus. As floats, each entry of U_k is off by at most γ_m times
    that of ``plain``, m = ``roundings``. Rationals are not rounded, and ``plain`` is then U_k once more.
    """

    probability: Array
    parts: tuple[Array, ...]
    plain: tuple[Array, ...]
    roundings: int

    def at(self, sizes: Sequence[Any]) -> Array:
        """Σ_k step_k U_k."""
        return _sum(sizes, self.parts)

    def plain_at(self, sizes: Sequence[Any]) -> Array:
        """Σ_k |step_k| plain_k."""
        return _sum([abs(size) for size in sizes], self.plain)


def _sum(sizes: Sequence[Any], parts: tuple[Array, ...]) -> Array:
    total = sizes[0] * parts[0]
    for size, part in zip(sizes[1:], parts[1:], strict=False):
        total = total + size * part
    return np.asarray(total)


@dataclass(frozen=True, eq=False)
class NodeChain(ABC):
    """The nodes that are reached from the start, in the order of a breadth-first search, and the transitions between
    them, sorted by the node that they lead to.

    ``source``, ``target`` (E): indices of nodes; ``start``: law over the nodes, fractions; ``theta``: the places of the
    first parameter that is as long as φ, else of the first one.
    """

    nodes: tuple[Node, ...]
    source: NDArray[np.int64]
    target: NDArray[np.int64]
    start: Array
    width: int
    theta: range

    @abstractmethod
    def updates(self, kind: Any) -> Updates:
        """The transitions in rationals (``object``: of type ``fmpq``) or floats (``numpy.float64``)."""

    @cached_property
    def exact(self) -> Updates:
        """In rationals."""
        return self.updates(object)

    @cached_property
    def floats(self) -> Updates:
        """In float64."""
        return self.updates(np.float64)

    def moves(self, ratios: Sequence[Fraction]) -> Iterator[tuple[int, int, Fraction, RationalMatrix]]:
        """Source, target, probability and [K k] (D×(D+1)) of each transition, in units of the first step size, the
        others in these ratios to it.
        """
        D = self.width - 1
        total = self.exact.at([to_fmpq(x) for x in ratios])[:, :D]
        matrices = (RationalMatrix.of_scalars(matrix.ravel().tolist(), D + 1) for matrix in total)
        p = map(to_fraction, self.exact.probability)
        return zip(self.source.tolist(), self.target.tolist(), p, matrices, strict=True)

    @property
    def degree(self) -> int:
        """The most transitions that lead into one node."""
        return int(np.bincount(self.target, minlength=1).max())

    def operator(self, matrices: Array) -> Any:
        """The map of (x_h) to (Σ_{h → h'} p B x_h), sparse, from B of every transition (E×s×s floats)."""
        size = matrices.shape[1]
        edge, i, j = np.nonzero(matrices)
        places = self.target[edge] * size + i, self.source[edge] * size + j
        values = self.floats.probability[edge] * matrices[edge, i, j]
        return scipy.sparse.csr_array((values, places), shape=(len(self.nodes) * size,) * 2)

    def first(self, theta0: Sequence[Any] | None = None) -> list[Any]:
        """y_0 (D + 1) from θ_0 (zero unless given), all other parameters being zero."""
        y0 = [Fraction(0)] * (self.width - 1) + [Fraction(1)]
        if theta0 is not None:
            y0[self.theta.start : self.theta.stop] = list(theta0)
        return y0

    def first_means(self, theta0: Sequence[Any] | None = None) -> NDArray[np.float64]:
        """E[y_0 1{node}], nodes × (D + 1) in a row, from :meth:`first`."""
        y0 = np.array([float(x) for x in self.first(theta0)])
        return np.outer(self.start.astype(np.float64), y0).ravel()

    def mean_theta(self, y: Array) -> Array:
        """E θ from the means in nodes."""
        return np.asarray(y.reshape(-1, self.width)[:, self.theta.start : self.theta.stop].sum(axis=0))
