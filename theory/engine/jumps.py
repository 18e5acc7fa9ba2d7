r"""Constant steps and finite times, where the memory takes finitely many values: jump linear systems.

A node is a context with a value of the memory. The nodes that are reached from the start (memory zero) are followed; if
there are finitely many, as for the trace of a λ-schedule with an end, the update is linear along a finite Markov chain,

    y' = (I + α K) y + α k,    K, k the tables' matrices at the node's memory, step sizes in fixed ratios to α,

and all of :mod:`tdcert.theory.laws.mean_square` and :mod:`tdcert.theory.laws.moments` applies. Up to a time t only
finitely many nodes are met in any case, so moments at small t are exact for every memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.rational import to_fraction
from tdcert.theory.engine.means import Stationary
from tdcert.theory.engine.tables import Edge, Exponents, Place, Tables
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.laws.mean_square import JumpSystem, Move
from tdcert.theory.laws.windows import Array, Updates

MAX_MOVES = 20_000
"""Most transitions between nodes that are followed (a second or so)."""

Node = tuple[int, tuple[fmpq, ...]]
"""A context and the memory."""


@dataclass(frozen=True, eq=False)
class Step:
    """A transition between nodes, and the matrix [K k] (D×(D+1)) of it."""

    source: int
    target: int
    edge: Edge
    matrix: RationalMatrix


@dataclass(frozen=True, eq=False)
class NodeChain:
    """The nodes that are reached from the start, in the order of a breadth-first search, and the steps between them,
    sorted by the node they lead to. ``start``: law over the nodes. What
    :func:`tdcert.theory.laws.moments.chain_moments` asks of a chain.
    """

    tables: Tables
    windows: tuple[Node, ...]
    steps: tuple[Step, ...]
    start: Array

    @property
    def width(self) -> int:
        """D + 1, the length of (y, 1)."""
        return self.tables.D + 1

    @cached_property
    def source(self) -> NDArray[np.int64]:
        """Where each step begins."""
        return np.array([step.source for step in self.steps], dtype=np.int64)

    @cached_property
    def target(self) -> NDArray[np.int64]:
        """Where each step ends."""
        return np.array([step.target for step in self.steps], dtype=np.int64)

    @property
    def degree(self) -> int:
        """The most steps that lead into one node."""
        return int(np.bincount(self.target).max())

    @cached_property
    def exact(self) -> Updates:
        """[K k] with a row of zeros below, as U; V is zero."""
        U = np.array([[*step.matrix.rows, (Fraction(0),) * self.width] for step in self.steps], dtype=object)
        V = np.full(U.shape, Fraction(0), dtype=object)
        return Updates(np.array([step.edge.outcome.probability for step in self.steps], dtype=object), U, V, U, V)

    @cached_property
    def floats(self) -> Updates:
        """The same, each number rounded once."""
        exact = self.exact
        U, V = exact.U.astype(np.float64), exact.V.astype(np.float64)
        return Updates(exact.probability.astype(np.float64), U, V, np.abs(U), V)


def node_chain(
    found: Tables,
    ratios: Sequence[Fraction],
    law: Sequence[Fraction] | None = None,
    *,
    until: int | None = None,
    most: int = MAX_MOVES,
) -> NodeChain:
    """The nodes from the start law over ``found.states`` (None: even), all of them or those met before time ``until``.

    ``ratios``: of each step size to the first. Raises :class:`BudgetExceededError` beyond ``most`` steps, and
    :class:`InputError` for an update that is not linear in its steps.
    """
    count = len(found.states)
    weights = [Fraction(1, count)] * count if law is None else list(law)
    nodes: dict[Node, int] = {}
    for k, p in enumerate(weights):
        if p > 0:
            nodes[k, (fmpq(0),) * found.M] = len(nodes)
    start = [p for p in weights if p > 0]
    waiting, times, steps = list(nodes), [0] * len(nodes), list[Step]()
    parts = _Parts(found, ratios)
    for place, (context, memory) in enumerate(waiting):  # grows while it is read
        if until is not None and times[place] >= until:
            break
        for edge in found.leaving[context]:
            following = edge.target, parts.remembered(edge, memory)
            target = nodes.setdefault(following, len(waiting))
            if target == len(waiting):
                waiting.append(following)
                times.append(times[place] + 1)
            steps.append(Step(place, target, edge, parts.matrix(edge, memory)))
        if len(steps) > most:
            raise BudgetExceededError(
                f"the memory takes more than {len(waiting)} values on more than {most} transitions; constant steps "
                "and finite times need a memory with few values, such as the trace of a short schedule"
            )
    steps.sort(key=lambda step: step.target)
    padded = np.array([*start, *[Fraction(0)] * (len(waiting) - len(start))], dtype=object)
    return NodeChain(found, tuple(waiting), tuple(steps), padded)


class _Parts:
    """The tables' parts of each edge, taken apart once."""

    def __init__(self, found: Tables, ratios: Sequence[Fraction]) -> None:
        self.found, self.ratios = found, ratios
        self.recursions: dict[Edge, tuple[dict[tuple[int, int], fmpq], dict[int, fmpq]]] = {}
        self.increments: dict[Edge, dict[Exponents, dict[Place, fmpq]]] = {}

    def remembered(self, edge: Edge, memory: tuple[fmpq, ...]) -> tuple[fmpq, ...]:
        """R m + s."""
        if edge not in self.recursions:
            self.recursions[edge] = self.found.recursion(edge.memory)
        R, s = self.recursions[edge]
        new = [fmpq(0)] * len(memory)
        for i, x in s.items():
            new[i] += x
        for (i, j), x in R.items():
            new[i] += x * memory[j]
        return tuple(new)

    def matrix(self, edge: Edge, memory: tuple[fmpq, ...]) -> RationalMatrix:
        """[K k]."""
        if edge not in self.increments:
            self.increments[edge] = self.found.increments(edge.parameters)
        D = self.found.D
        rows = [[fmpq(0)] * (D + 1) for _ in range(D)]
        for exponents, part in self.increments[edge].items():
            if sum(exponents) != 1:
                name = self.found.algorithm.name
                raise InputError(f"the update '{name}' is not linear in its step sizes; it has no matrix per step")
            ratio = self.ratios[exponents.index(1)]
            weight = fmpq(ratio.numerator, ratio.denominator)
            for (entry, row, column), x in part.items():
                rows[row][column] += x * weight * (1 if entry is None else memory[entry])
        return RationalMatrix([[to_fraction(x) for x in row] for row in rows])


def jump_system(found: Stationary, chain: NodeChain, ratios: Sequence[Fraction]) -> JumpSystem:
    """The jump linear system of differences of two runs, on the quotient by what no update sees.

    ``chain``: all nodes from the states of the class, at the same ratios. Raises :class:`InputError` where nothing is
    seen, or where the first steps see more than the later ones do.
    """
    columns, T = found.visible
    if not columns:
        raise InputError("no update depends on the parameters, so differences stay as they are")
    moves = []
    for step in chain.steps:
        K = step.matrix.take(columns=range(found.tables.D))
        if len(columns) < found.tables.D and K.take(columns=columns) @ T != K:
            raise InputError("the first steps depend on parameters that later ones do not see")
        K = T @ K.take(columns=columns)
        moves.append(Move(step.source, step.target, step.edge.outcome.probability, K))
    J = T @ found.joint(ratios).take(columns=columns)
    eta = ratios[1] if len(ratios) > 1 else Fraction(1)
    return JumpSystem(found.algorithm.name, eta, found.tables.states, chain.windows, tuple(moves), J)
