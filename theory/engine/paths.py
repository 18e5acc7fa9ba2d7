r"""Constant steps on almost every path, of every update: the sign of the exponent, and its certificates.

The jump linear system is that of :mod:`tdcert.theory.engine.jumps`, on the quotient by what no update sees; the
decisions are those of :mod:`tdcert.theory.laws.path_exponents`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.enclose.path_drift import by_drift
from tdcert.theory.engine.certificates import path_certificates, restart_certificates
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.dynamics import predicts_unseen
from tdcert.theory.engine.jumps import jump_system
from tdcert.theory.engine.means import Stationary, stationary
from tdcert.theory.engine.nodes import Nodes, ends, node_chain
from tdcert.theory.engine.restarts import restarts, seen_by_entry
from tdcert.theory.engine.tables import Tables, tables
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.laws.path_exponents import PathSign, decide_paths
from tdcert.theory.laws.restart_exponents import DEPTHS, Restarts, is_regular
from tdcert.theory.laws.restart_forms import decide_restarts
from tdcert.theory.laws.restart_words import restart_words
from tdcert.theory.laws.return_words import ReturnWords, return_words
from tdcert.theory.limits import DRIFT_BOXES, LAW_NODES, PATH_CELLS, PATH_MOVES, WEIGHT_UNKNOWNS, raised
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Certificate

FEWEST = 3
"""Dimensions of differences from which the drift on directions is asked: in two, cells of directions are exact."""
TOO_MANY = "there are too many products of moves for a drift on directions"
"""Why no drift is sought there."""
LIGHT = Fraction(1, 4)
"""Law of the tail with which forms are sought where a memory is cut. What the tail may do at most is counted for all of
it, so a heavier one drowns the rest of the bound, after a search of seconds.
"""
NEVER_CUT = "the memory has no end and is never cut"
"""Why no bound is sought there: nodes would have no end."""


@dataclass(frozen=True, eq=False)
class Cut:
    """An update from the states of time zero with a memory that is cut, on the quotient (``columns``, T)."""

    own: Tables
    columns: Sequence[int]
    T: RationalMatrix
    system: Restarts


@dataclass(frozen=True)
class OnPaths:
    """The ``sign`` of the exponent with its bounds, and what it was decided on; None where there are no nodes."""

    sign: PathSign
    found: Stationary[RationalMatrix] | None = None
    chain: Nodes | None = None
    sizes: tuple[Fraction, ...] = ()
    cut: Cut | None = None

    @property
    def certificates(self) -> list[Certificate]:
        """What the checker replays of it."""
        if self.cut is not None:
            cut = self.cut
            return restart_certificates(cut.own, cut.columns, cut.T, self.sizes, cut.system, self.sign)
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
    cells: int = PATH_CELLS,
    boxes: int = DRIFT_BOXES,
) -> OnPaths:
    """What differences of two runs do on almost every path at constant steps, the first of size ``alpha``, the others
    in these ratios to it; ``unknowns``, ``cells``: as in :func:`~tdcert.theory.laws.path_exponents.decide_paths`;
    ``boxes``: as in :func:`~tdcert.theory.enclose.path_drift.by_drift`, which is asked last, and not at all with 0.
    """
    sizes = tuple(alpha * ratio for ratio in ratios)
    steps = dict(zip(algorithm.steps, sizes, strict=True))
    try:
        found = stationary(model, algorithm, states, steps=steps)
        own = tables(model, algorithm, states, steps=steps, known=found.tables)
    except BudgetExceededError:
        return OnPaths(PathSign(None, why="the update has too many entries"))
    except InputError as error:
        return OnPaths(PathSign(None, why=str(error)))
    try:
        chain = node_chain(own, most=PATH_MOVES)
        system = jump_system(found, chain, ratios)
    except BudgetExceededError:
        return _cut(found, own, sizes, unknowns, boxes)
    except InputError as error:
        return OnPaths(PathSign(None, why=str(error)))
    sign = decide_paths(system, alpha, unknowns, cells)
    if boxes and sign.sign is None and sign.found is not None and system.size >= FEWEST:
        words = return_words(sign.found, alpha)
        sign = _by_drift(sign, words or TOO_MANY, system.is_regular_at(alpha), boxes)
    return OnPaths(_of_predictions(found, sign), found, chain, sizes)


def _of_predictions(found: Stationary[RationalMatrix], sign: PathSign) -> PathSign:
    """Open where what dies out leaves differences of predictions: those of parameters that no update sees. What is
    shown is about what updates see, and would be read as being about predictions.
    """
    unseen = len(found.visible[0]) < found.tables.D
    if sign.sign == -1 and unseen and predicts_unseen(found):
        return PathSign(None, found=sign.found, why="predictions depend on what no update sees")
    return replace(sign, unseen=unseen)


def _by_drift(sign: PathSign, words: ReturnWords | str, regular: bool, boxes: int) -> PathSign:
    """What the drift on directions says where certified bounds have no sign. ``regular``: so are all matrices, those
    outside the recurrent class too.
    """
    got = words if isinstance(words, str) else by_drift(words, boxes)
    if isinstance(got, str):
        return replace(sign, why=f"{sign.why}; {got}" if sign.why else got)
    return replace(sign, sign=got.sign, why="", from_time_zero=got.sign == 1 and regular, enclosed=got)


def _cut(
    found: Stationary[RationalMatrix], own: Tables, sizes: tuple[Fraction, ...], unknowns: int, boxes: int
) -> OnPaths:
    """What is decided where the memory takes more values than are followed."""
    if ends(own):
        return OnPaths(PathSign(None, why="the memory takes too many values"))
    columns, T = seen_by_entry(found, own)
    if not columns:
        return OnPaths(PathSign(None, why="no update depends on the parameters, so differences stay as they are"))
    if (count := len(own.contexts)) > raised(LAW_NODES):
        return OnPaths(PathSign(None, why=f"there are {count} contexts, and at most {raised(LAW_NODES)} are looked at"))
    of = restarts(own, columns, T)
    if of.law is None:
        return OnPaths(PathSign(None, why="the contexts form several recurrent classes"))
    if not of.is_cut:
        return OnPaths(PathSign(None, why=NEVER_CUT))
    sign = decide_restarts(of, unknowns if _has_light_tail(of, raised(unknowns)) else 0)
    if boxes and sign.sign is None and of.D >= FEWEST:
        sign = _by_drift(sign, restart_words(of), is_regular(of), boxes)
    return OnPaths(_of_predictions(found, sign), found, None, sizes, Cut(own, columns, T, of))


def _has_light_tail(of: Restarts, unknowns: int) -> bool:
    """Whether so many layers as forms of ``unknowns`` numbers may stand for leave little."""
    for depth in DEPTHS:
        layers = of.layers(depth, begun=False)
        if layers is None or len(layers.nodes) * of.D * (of.D + 1) // 2 > unknowns:
            return False
        if sum(layers.rest) <= LIGHT:
            return True
    return False
