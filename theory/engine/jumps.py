r"""Constant steps and finite times, where the memory takes finitely many values: jump linear systems.

A node is a context with a value of the memory. The nodes that are reached from the start (memory zero) are followed; if
there are finitely many, as for the trace of a λ-schedule with an end, the update is linear along a finite Markov chain,

    y' = (I + α K) y + α k,    K, k the tables' matrices at the node's memory, step sizes in fixed ratios to α,

and all of :mod:`tdcert.theory.laws.mean_square` and :mod:`tdcert.theory.laws.moments` applies. Up to a time t only
finitely many nodes are met in any case, so moments at small t are exact for every memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from tdcert.theory.arithmetic import BallMatrix, RationalMatrix
from tdcert.theory.arithmetic.rational import to_fraction
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.dynamics import predicts_unseen
from tdcert.theory.engine.growth import Growth, growth_of
from tdcert.theory.engine.means import Stationary, stationary
from tdcert.theory.engine.memory import Kind
from tdcert.theory.engine.tables import Edge, Exponents, Place, Tables, tables
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.laws.mean_at_step import StepProof, mean_proof
from tdcert.theory.laws.mean_square import AtStep, JumpSystem, Move
from tdcert.theory.laws.phase_cell import Sign
from tdcert.theory.laws.schedule_update import Array
from tdcert.theory.laws.second_moment_sign import decide_sign, moments_of
from tdcert.theory.laws.step_signs import signs_at
from tdcert.theory.laws.windows import Updates
from tdcert.theory.model.mdp import Model

MAX_MOVES = 20_000
"""Most transitions between nodes that are followed (a second or so)."""
BOUNDED, BOUNDED_WORK = 4_000, 2_000_000
"""Most transitions, and transitions × D³, with which mean square at a step is decided in floats (a second)."""
BY_ROUNDINGS = "with every rounding bounded, so there is no certificate"
"""Said of mean square that was decided so."""

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
        """The matrices of :attr:`exact` and their magnitudes as floats, each number rounded once."""
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

    ``ratios``: of each step size to the first; not read where the tables have them as numbers. Raises
    :class:`BudgetExceededError` beyond ``most`` steps, and :class:`InputError` for an update that is not linear in its
    steps, unless they are numbers.
    """
    count = len(found.states)
    weights = [Fraction(1, count)] * count if law is None else list(law)
    nodes: dict[Node, int] = {}
    for k, p in enumerate(weights):
        if p > 0:
            nodes[k, (fmpq(0),) * found.M] = len(nodes)
    start = [p for p in weights if p > 0]
    waiting, times, moves = list(nodes), [0] * len(nodes), list[tuple[int, int, Edge]]()
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
            moves.append((place, target, edge))
        if len(moves) > most:
            raise BudgetExceededError(
                f"state and memory take more than {len(waiting)} values on more than {most} transitions, too many for "
                f"{found.D} parameters; constant steps and finite times need few, as of a small model with a short "
                "schedule"
            )
    steps = [Step(place, target, edge, parts.matrix(edge, waiting[place][1])) for place, target, edge in moves]
    steps.sort(key=lambda step: step.target)
    padded = np.array([*start, *[Fraction(0)] * (len(waiting) - len(start))], dtype=object)
    return NodeChain(found, tuple(waiting), tuple(steps), padded)


class _Parts:
    """The tables' parts of each edge, taken apart once."""

    def __init__(self, found: Tables, ratios: Sequence[Fraction]) -> None:
        self.found, self.ratios = found, ratios
        self.increments: dict[Edge, dict[Exponents, dict[Place, fmpq]]] = {}

    def remembered(self, edge: Edge, memory: tuple[fmpq, ...]) -> tuple[fmpq, ...]:
        """R m + s."""
        R, s = edge.recursion
        new = [fmpq(0)] * len(memory)
        for i, x in s.items():
            new[i] += x
        for (i, j), x in R.items():
            new[i] += x * memory[j]
        return tuple(new)

    def matrix(self, edge: Edge, memory: tuple[fmpq, ...]) -> RationalMatrix:
        """[K k]."""
        if edge not in self.increments:
            self.increments[edge] = edge.increments
        D = self.found.D
        rows = [[fmpq(0)] * (D + 1) for _ in range(D)]
        for exponents, part in self.increments[edge].items():
            if self.found.steps:  # all of them are in the coefficients
                ratio = 1 / self.found.steps[self.found.algorithm.steps[0]]
            elif sum(exponents) == 1:
                ratio = self.ratios[exponents.index(1)]
            else:
                name = self.found.algorithm.name
                raise InputError(f"the update '{name}' is not linear in its step sizes; give them as numbers")
            weight = fmpq(ratio.numerator, ratio.denominator)
            for (entry, row, column), x in part.items():
                rows[row][column] += x * weight * (1 if entry is None else memory[entry])
        return RationalMatrix([[to_fraction(x) for x in row] for row in rows])


@dataclass(frozen=True)
class StepAnswer:
    """Differences of two runs at constant steps: the signs of their mean and mean square (−1: it dies out, 1: it grows
    from some start, 0: the mean does neither, None: undecided), and ``why`` where one is undecided. Of runs from time
    zero; ``under_way``: those of runs under way, where they are others
    (:mod:`tdcert.theory.laws.step_signs`). What ``growth`` says is about the latter.

    ``found``, ``own`` (from the states of the class), ``chain``: what they were decided on; ``square``, ``first``: by
    what, None where by nothing that a certificate can carry; ``growth``: of the memory, where it decided.
    """

    mean: Sign
    mean_square: Sign
    why: str
    found: Stationary
    own: Tables
    chain: NodeChain | None = None
    square: AtStep | None = None
    first: StepProof | None = None
    growth: Growth | None = None
    under_way: tuple[Sign, Sign] | None = None


def at_constant_step(
    model: Model,
    algorithm: Algorithm,
    states: Sequence[int],
    ratios: Sequence[Fraction],
    alpha: Fraction,
    entries: int,
    kind: Kind = RationalMatrix,
) -> StepAnswer:
    """Decides constant steps, the first of size ``alpha``, the others in these ratios to it.

    The step sizes are numbers here, so they may enter in any way. ``entries``: most nodes × D² that are decided in
    fractions; beyond them, up to :data:`BOUNDED` transitions, mean square is decided in floats with every rounding
    bounded. Nodes and moves are those of the model, whatever ``kind`` its law has. Raises :class:`InputError` as
    :func:`jump_system`.
    """
    steps = {name: alpha * ratio for name, ratio in zip(algorithm.steps, ratios, strict=True)}
    size = sum(slot.size for slot in algorithm.slots(model.d)[0])
    found = stationary(model, algorithm, states, steps=steps, kind=kind)
    most = entries // max(1, size**2) * max(map(len, found.tables.leaving))
    own = tables(model, algorithm, states, steps=steps, known=found.tables)
    try:
        chain = node_chain(own, ratios, most=max(most, min(BOUNDED, BOUNDED_WORK // max(1, size) ** 3)))
    except BudgetExceededError as error:
        growth = growth_of(own, ratios)
        if growth is None:
            return StepAnswer(None, None, str(error), found, own)
        return StepAnswer(None, 1, growth.sentence, found, own, growth=growth)
    system = jump_system(found, chain, ratios)
    if len(chain.steps) > most:
        square = decide_sign(moments_of(system), alpha)
        why = BY_ROUNDINGS if square else "floats do not decide"
        return _modulo_unseen(StepAnswer(-1 if square == -1 else None, square, why, found, own, chain))
    signs = signs_at(system, alpha)
    first = mean_proof(system, signs.means) if signs.means is not None else None
    decided = signs.mean is not None and signs.mean_square is not None
    why = "" if decided else "no quadratic form decides, or the system is too large"
    return _modulo_unseen(
        StepAnswer(
            signs.mean,
            signs.mean_square,
            why,
            found,
            own,
            chain,
            signs.square,
            first,
            under_way=signs.under_way if signs.differ else None,
        )
    )


def _modulo_unseen(answer: StepAnswer) -> StepAnswer:
    """What is decided on the quotient, said of all parameters."""
    hidden = answer.found.tables.D - len(answer.found.visible[0])
    if not hidden or -1 not in (answer.mean, answer.mean_square, *(answer.under_way or ())):
        return answer
    kept = f"differences that no update sees do not, of dimension {hidden}"
    if not predicts_unseen(answer.found):
        return replace(answer, why="; ".join(filter(None, (answer.why, kept))))
    mean, square = _not_dying(answer.mean, answer.mean_square)
    under_way = answer.under_way and _not_dying(*answer.under_way)
    why = f"{kept}, and predictions depend on them"
    return replace(answer, mean=mean, mean_square=square, why=why, under_way=under_way)


def _not_dying(mean: Sign, square: Sign) -> tuple[Sign, Sign]:
    return 0 if mean == -1 else mean, None if square == -1 else square


def _proposed(mean: RationalMatrix | BallMatrix) -> RationalMatrix:
    """The matrix, or the middle of an enclosure."""
    if isinstance(mean, RationalMatrix):
        return mean
    return RationalMatrix([[Fraction(x) for x in row] for row in mean.to_float().tolist()])


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
        k = step.matrix.take(columns=[found.tables.D])
        moves.append(Move(step.source, step.target, step.edge.outcome.probability, T @ K.take(columns=columns), T @ k))
    mean = RationalMatrix.zeros(found.tables.D, found.tables.D + 1)
    if found.memory.exists is not True:
        pass  # it only proposes forms for small steps
    elif found.tables.steps:
        alpha = found.tables.steps[found.algorithm.steps[0]]
        parts = (x.scaled(1 / alpha) for x in found.by_exponents.values())  # the exponents are zero
        mean = sum(map(_proposed, parts), start=mean)
    else:
        mean = _proposed(found.joint(ratios))
    J = T @ mean.take(columns=columns)
    eta = ratios[1] if len(ratios) > 1 else None
    starts = int(np.count_nonzero(chain.start))
    return JumpSystem(found.algorithm.name, eta, found.tables.states, chain.windows, tuple(moves), J, starts)
