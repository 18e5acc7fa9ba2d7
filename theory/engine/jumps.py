r"""Differences of two runs at constant steps, where the memory takes finitely many values: jump linear systems.

Along the chain of nodes (:mod:`tdcert.theory.engine.nodes`) the update is linear,

    y' = (I + α K) y + α k,    K, k the update's matrices at the node's memory, step sizes in fixed ratios to α,

in fractions on the quotient by what no update sees (:func:`jump_system`), or in floats on the quotient by what features
do not see (:func:`moments_along`). There a memory without end is followed on nodes that stand for what is near them
(:mod:`tdcert.theory.engine.near_nodes`), if it is one vector with a bound; else up to a time, and moves out of the last
nodes are left out, so that growth alone can be concluded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Generic

import numpy as np

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.float_enclosures import Floats
from tdcert.theory.arithmetic.protocol import Dense, Flint
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.growth import Growth
from tdcert.theory.engine.means import Stationary, traced_or_none
from tdcert.theory.engine.near_nodes import NearNodes, near_nodes, off_by
from tdcert.theory.engine.nodes import Nodes, node_chain
from tdcert.theory.engine.tables import Tables, tables
from tdcert.theory.engine.terms import AHEAD, Terms
from tdcert.theory.errors import InputError
from tdcert.theory.laws.mean_at_step import StepProof
from tdcert.theory.laws.mean_square import JumpSystem, LyapunovAtStep, WindowMove
from tdcert.theory.laws.second_moment_sign import COVER, SecondMoments
from tdcert.theory.limits import JUMP_MOVES
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Sign

LEAST = 320
"""What a move counts at least where several spacings are tried."""


@dataclass(frozen=True)
class JumpSigns(Generic[Dense]):
    """Differences of two runs at constant steps: the signs of their mean and mean square (−1: it dies out, 1: it grows
    from some start, 0: the mean does neither, None: undecided), and ``why`` where one is undecided. Of runs from time
    zero; ``under_way``: those of runs under way, where they are others
    (:mod:`tdcert.theory.laws.step_signs`). What ``growth`` says is about the latter. ``is_confined``: whether runs from
    time zero reach a part of the parameters alone.

    ``found``, ``system``: what they were decided on, in fractions; ``square``, ``first``: by what, None where by
    nothing that a certificate can carry; ``growth``: of the memory, where it decided.
    """

    mean: Sign
    mean_square: Sign
    why: str
    found: Stationary[Dense]
    system: JumpSystem | None = None
    square: LyapunovAtStep | None = None
    first: StepProof | None = None
    growth: Growth | None = None
    under_way: tuple[Sign, Sign] | None = None
    is_confined: bool = False

    @cached_property
    def has_one_law(self) -> bool:
        """Whether mean square shows that runs, rewards and all, have one stationary law: it dies out from every start,
        and takes almost every path with it (:data:`~tdcert.theory.laws.path_exponents.Runs`), on nodes of one recurrent
        class. False where that is not known.
        """
        everywhere = self.mean_square == -1 and self.under_way is None and not self.is_confined
        return everywhere and self.system is not None and self.system.has_one_class

    @cached_property
    def own(self) -> Tables:
        """The update from the states of the class, entry by entry. Raises :class:`BudgetExceededError` where there are
        too many.
        """
        found = self.found
        return tables(found.model, found.algorithm, found.states, steps=found.steps, known=found.tables)


def chain_of(system: JumpSystem) -> Nodes:
    """The nodes of a system of :func:`jump_system`."""
    assert isinstance(system.chain, Nodes)
    return system.chain


def _proposed(mean: Flint) -> RationalMatrix:
    """The matrix, or the middle of an enclosure."""
    if isinstance(mean, RationalMatrix):
        return mean
    return RationalMatrix([[Fraction(x) for x in row] for row in mean.to_float().tolist()])


def jump_system(found: Stationary[Dense], chain: Nodes, ratios: Sequence[Fraction]) -> JumpSystem:
    """The jump linear system of differences of two runs, on the quotient by what no update sees.

    ``chain``: all nodes from the states of the class. Raises :class:`InputError` where nothing is seen, or where the
    first steps see more than the later ones do, and for an update that is not linear in its steps.
    """
    columns, T = found.visible
    if not columns:
        raise InputError("no update depends on the parameters, so differences stay as they are")
    moves, D = [], found.D
    for source, target, p, matrix in chain.moves(ratios):
        K, k = matrix.take(columns=range(D)), matrix.take(columns=[D])
        if len(columns) < D:
            if K.take(columns=columns) @ T != K:
                raise InputError("the first steps depend on parameters that later ones do not see")
            K, k = T @ K.take(columns=columns), T @ k
        moves.append(WindowMove(source, target, p, K, k))
    mean = RationalMatrix.zeros(D, D + 1)
    if found.has_mean is not True:
        pass  # it only proposes forms for small steps
    elif found.steps:
        alpha = found.steps[found.algorithm.steps[0]]
        parts = (x.scaled(1 / alpha) for x in found.by_exponents.values())  # the exponents are zero
        mean = sum(map(_proposed, parts), start=mean)
    else:
        mean = _proposed(found.joint(ratios))
    J = T @ mean.take(columns=columns)
    eta = ratios[1] if len(ratios) > 1 else None
    starts = int(np.count_nonzero(chain.start))
    return JumpSystem(found.algorithm.name, eta, found.states, chain.nodes, tuple(moves), J, starts, chain)


def moments_along(
    model: Model,
    algorithm: Algorithm,
    ratios: Sequence[Fraction],
    states: Sequence[int],
    work: int,
    *,
    known: Terms | Tables | None = None,
    spacing: float | None = None,
    depth: int | None = None,
) -> SecondMoments:
    """𝓛 of an algorithm; BudgetExceededError beyond ``work`` moves × D³, or :data:`JUMP_MOVES`.

    For a memory without end: how near values of it are one node where it has a bound, or how long nodes are followed.
    ``known``: the update from the states of the class at time zero, where it is at hand.
    """
    found = known or traced_or_none(model, algorithm, states, stationary=False) or tables(model, algorithm, states)
    columns, T = _quotient(found)
    if not columns:
        raise InputError("the features vanish on the recurrent class, so no update ever moves anything")
    most = min(JUMP_MOVES, work // max(len(columns) ** 3, 1 if spacing is None else LEAST))
    if spacing is not None:
        assert isinstance(found, Terms)
        chain: Nodes = near_nodes(found, spacing, most)
    else:
        chain = node_chain(found, until=depth, most=most)
    off = off_by(chain, ratios) if isinstance(chain, NearNodes) else np.zeros(len(chain.source))
    if depth is not None:
        chain, off = _restarted(chain, off)
    order = np.argsort(chain.source, kind="stable")
    updates, sizes, D = chain.floats, [float(ratio) for ratio in ratios], T.shape[1]
    K, plain = (matrix[order, :D][:, :, columns] for matrix in (updates.at(sizes), updates.plain_at(sizes)))
    roundings = updates.roundings
    if len(columns) < D:
        onto = T.to_float()
        K, plain = onto @ K, np.abs(onto) @ plain
        off, roundings = off * float(np.linalg.norm(onto)) * COVER, roundings + D - len(columns)
    place = np.array([context for context, _ in chain.nodes])
    p = updates.probability[order]
    return SecondMoments(place, chain.source[order], chain.target[order], p, K, plain, off[order], roundings)


def _quotient(found: Terms | Tables) -> tuple[list[int], RationalMatrix]:
    """(columns, T): with u = T y, of every increment K y that of u is T K[columns] u; T (r×D) is the identity there.

    Vectors enter increments of u by what all φ and E_π φ' that are met see of them, for K = a bᵀ with b among these, or
    K = c I, leave the null space of T where it is. Entries that the update takes apart are all kept.
    """
    if isinstance(found, Tables):
        return list(range(found.D)), RationalMatrix.zeros(1, 1).identity(found.D)
    met = sorted({found.places[end] for passage in found.passages for end in found.ends(passage)})
    rows = found.model.features.take(rows=met)
    if any(AHEAD in (term.a, term.b, *(term.weight or ())) for one in found.evaluations for term in one):
        rows = RationalMatrix([*rows.rows, *found.ahead.take(rows=met).rows])
    kept, basis = rows.column_basis
    D = sum(place.width for place in found.parameters)
    columns, T = list[int](), list[list[Fraction]]()
    for at, place in zip(
        accumulate((one.width for one in found.parameters), initial=0), found.parameters, strict=False
    ):
        for k, row in zip(kept, basis.rows, strict=True) if place.vector else [(0, (Fraction(1),))]:
            columns.append(at + k)
            T.append([Fraction(0)] * at + [*row] + [Fraction(0)] * (D - at - place.width))
    return columns, RationalMatrix(T or [[Fraction(0)] * D])


def _restarted(chain: Nodes, off: Floats) -> tuple[Nodes, Floats]:
    """The chain with moves out of the last nodes that lead to the start and are not to be used."""
    start_of = {context: place for place, (context, _) in enumerate(chain.nodes[: np.count_nonzero(chain.start)])}
    leaving: list[list[int]] = [[] for _ in chain.of.contexts]
    for k, passage in enumerate(chain.edges):
        leaving[passage.source].append(k)
    moved = set(chain.source.tolist())
    more = [
        (start_of.get(chain.edges[k].target, h), h, k)
        for h, (context, _) in enumerate(chain.nodes)
        if h not in moved
        for k in leaving[context]
    ]
    target, source, edge = np.array(more, dtype=np.int64).reshape(-1, 3).T
    every = replace(
        chain,
        source=np.concatenate([chain.source, source]),
        target=np.concatenate([chain.target, target]),
        edge=np.concatenate([chain.edge, edge]),
    )
    return every, np.concatenate([off, np.full(len(more), np.inf)])
