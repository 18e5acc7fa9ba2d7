r"""Constant steps, where the memory takes finitely many values: jump linear systems.

Along the chain of nodes (:mod:`tdcert.theory.engine.nodes`) the update is linear,

    y' = (I + α K) y + α k,    K, k the update's matrices at the node's memory, step sizes in fixed ratios to α,

and all of :mod:`tdcert.theory.laws.mean_square` applies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from tdcert.theory.arithmetic import BallMatrix, RationalMatrix
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.dynamics import predicts_unseen
from tdcert.theory.engine.growth import Growth, growth_of
from tdcert.theory.engine.means import Stationary, stationary
from tdcert.theory.engine.memory import Kind
from tdcert.theory.engine.nodes import Nodes, node_chain
from tdcert.theory.engine.tables import Tables, tables
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.laws.mean_at_step import StepProof, mean_proof
from tdcert.theory.laws.mean_square import JumpSystem, LyapunovAtStep, WindowMove
from tdcert.theory.laws.phase_cell import Sign
from tdcert.theory.laws.second_moment_sign import decide_sign, moments_of
from tdcert.theory.laws.step_signs import signs_at
from tdcert.theory.model.mdp import Model

BOUNDED, BOUNDED_WORK = 4_000, 2_000_000
"""Most transitions, and transitions × D³, with which mean square at a step is decided in floats (a second)."""
BY_ROUNDINGS = "with every rounding bounded, so there is no certificate"
"""Said of mean square that was decided so."""


@dataclass(frozen=True)
class JumpSigns:
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
    chain: Nodes | None = None
    square: LyapunovAtStep | None = None
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
) -> JumpSigns:
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
        chain = node_chain(own, most=max(most, min(BOUNDED, BOUNDED_WORK // max(1, size) ** 3)))
    except BudgetExceededError as error:
        growth = growth_of(own, ratios)
        if growth is None:
            return JumpSigns(None, None, str(error), found, own)
        return JumpSigns(None, 1, growth.sentence, found, own, growth=growth)
    system = jump_system(found, chain, ratios)
    if len(chain.source) > most:
        square = decide_sign(moments_of(system), alpha)
        why = BY_ROUNDINGS if square else "floats do not decide"
        return _modulo_unseen(JumpSigns(-1 if square == -1 else None, square, why, found, own, chain))
    signs = signs_at(system, alpha)
    first = mean_proof(system, signs.means) if signs.means is not None else None
    decided = signs.mean is not None and signs.mean_square is not None
    why = "" if decided else "no quadratic form decides, or the system is too large"
    return _modulo_unseen(
        JumpSigns(
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


def _modulo_unseen(answer: JumpSigns) -> JumpSigns:
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


def jump_system(found: Stationary, chain: Nodes, ratios: Sequence[Fraction]) -> JumpSystem:
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
    return JumpSystem(found.algorithm.name, eta, found.states, chain.nodes, tuple(moves), J, starts)
