r"""Constant steps on almost every path, of every update: the sign of the exponent, and its certificates.

The jump linear system is that of :mod:`tdcert.theory.engine.jumps`, on the quotient by what no update sees; the
decisions are those of :mod:`tdcert.theory.laws.path_exponents`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.engine.certificates import path_certificates
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.dynamics import predicts_unseen
from tdcert.theory.engine.jumps import jump_system
from tdcert.theory.engine.means import Stationary, stationary
from tdcert.theory.engine.nodes import Nodes, node_chain
from tdcert.theory.engine.tables import tables
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.laws.path_exponents import PathSign, decide_paths
from tdcert.theory.limits import PATH_MOVES, WEIGHT_UNKNOWNS
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Certificate


@dataclass(frozen=True)
class OnPaths:
    """The ``sign`` of the exponent with its bounds, and what it was decided on; None where there are no nodes."""

    sign: PathSign
    found: Stationary[RationalMatrix] | None = None
    chain: Nodes | None = None
    sizes: tuple[Fraction, ...] = ()

    @property
    def certificates(self) -> list[Certificate]:
        """What the checker replays of it."""
        if self.found is None or self.chain is None:
            return []
        return path_certificates(self.found, self.chain, self.sizes, self.sign)


def on_paths(
    model: Model,
    algorithm: Algorithm,
    states: Sequence[int],
    ratios: Sequence[Fraction],
    alpha: Fraction,
    unknowns: int = WEIGHT_UNKNOWNS,
) -> OnPaths:
    """What differences of two runs do on almost every path at constant steps, the first of size ``alpha``, the others
    in these ratios to it; ``unknowns``: as in :func:`~tdcert.theory.laws.path_exponents.decide_paths`.
    """
    sizes = tuple(alpha * ratio for ratio in ratios)
    steps = dict(zip(algorithm.steps, sizes, strict=True))
    try:
        found = stationary(model, algorithm, states, steps=steps)
        own = tables(model, algorithm, states, steps=steps, known=found.tables)
        chain = node_chain(own, most=PATH_MOVES)
        system = jump_system(found, chain, ratios)
    except BudgetExceededError:
        return OnPaths(PathSign(None, why="the memory takes too many values"))
    except InputError as error:
        return OnPaths(PathSign(None, why=str(error)))
    sign = decide_paths(system, alpha, unknowns)
    if sign.sign == -1 and len(found.visible[0]) < found.tables.D and predicts_unseen(found):
        sign = replace(sign, sign=None, why="predictions depend on what no update sees")
    return OnPaths(sign, found, chain, sizes)
