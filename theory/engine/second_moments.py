r"""Does the mean square of an update's differences die out at a constant step? Long memories, every rounding bounded.

𝓛 of :mod:`tdcert.theory.laws.second_moment_sign` in floats, on the quotient by the null space of Φ, for any update that
is linear in its steps: on all nodes where the memory ends. Where it does not, the nodes stand for what is near them
(:mod:`tdcert.theory.engine.near_nodes`), if the memory is one vector with a bound; else nodes are followed up to a time
and moves out of the last ones are left out, so that growth alone can be concluded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from tdcert.theory.arithmetic.float_enclosures import Floats
from tdcert.theory.check.mean_dynamics import reduce_features
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.means import traced_or_none
from tdcert.theory.engine.near_nodes import NearNodes, bound_of, near_nodes, off_by
from tdcert.theory.engine.nodes import Nodes, node_chain
from tdcert.theory.engine.tables import Tables, tables
from tdcert.theory.engine.terms import Terms
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.laws.second_moment_sign import COVER, SecondMoments, Sign, decide_sign
from tdcert.theory.model.mdp import Model

MOST_MOVES = 20_000
"""Most moves of a chain, whatever D: a second to list them, and a second or two for GMRES."""
LEAST = 320
"""What a move counts at least where several spacings are tried."""
SPACINGS = tuple(4.0**-k for k in range(1, 24))
"""How near values of a memory without end are one node, in units of the largest that enters it, tried in turn where it
has a bound.
"""
FOLLOWED = tuple(range(3, 13))
"""How many steps paths are followed from where the memory began, if it has none: growth shows as soon as r > 1."""


def mean_square_sign(
    model: Model,
    algorithm: Algorithm,
    alpha: Fraction,
    ratios: Sequence[Fraction],
    states: Sequence[int],
    work: int,
) -> tuple[Sign, str]:
    """Whether second moments of differences die out (−1) or grow (+1) at the step α; None, and why, where undecided.

    ``ratios``: of each step size to the first; signs are those of the quotient by the null space of Φ on the recurrent
    class ``states``. ``work``: most moves × D³, D parameters. Raises :class:`InputError` where the features vanish on
    the class, and for an update that is not linear in its steps.
    """
    ways: list[tuple[float | None, int | None]]
    ways, why = [(None, None)], "no quadratic form decides"
    if not model.schedule.is_finite:
        ways = [(spacing, None) for spacing in SPACINGS]
        found = traced_or_none(model, algorithm, states, stationary=False)
        if found is None or bound_of(found) == float("inf"):
            ways = [(None, depth) for depth in FOLLOWED]
            why = "the trace has no bound, and no growth was found on the paths that were followed"
    for spacing, depth in ways:
        try:
            moments = second_moments(model, algorithm, ratios, states, work, spacing=spacing, depth=depth)
        except BudgetExceededError:
            return None, "budget (too many windows)" if spacing is None else "budget (traces take too many values)"
        if (sign := decide_sign(moments, alpha)) is not None:
            return sign, ""
    return None, why


def second_moments(
    model: Model,
    algorithm: Algorithm,
    ratios: Sequence[Fraction],
    states: Sequence[int],
    work: int,
    *,
    spacing: float | None = None,
    depth: int | None = None,
) -> SecondMoments:
    """𝓛 of an algorithm; BudgetExceededError beyond ``work`` moves × D³, or :data:`MOST_MOVES`.

    For a memory without end: how near values of it are one node where it has a bound, or how long nodes are followed.
    """
    reduced = reduce_features(model, tuple(states))
    if reduced is None:
        raise InputError("the features vanish on the recurrent class, so no update ever moves anything")
    model = reduced.model
    found: Terms | Tables | None = traced_or_none(model, algorithm, states, stationary=False)
    found = found or tables(model, algorithm, states)
    D = sum(place.width for place in found.parameters) if isinstance(found, Terms) else found.D
    most = min(MOST_MOVES, work // max(D**3, 1 if spacing is None else LEAST))
    if spacing is not None:
        assert isinstance(found, Terms)
        chain: Nodes = near_nodes(found, spacing, most)
    else:
        chain = node_chain(found, until=depth, most=most)
    off = off_by(chain, ratios) if isinstance(chain, NearNodes) else np.zeros(len(chain.source))
    if depth is not None:
        chain, off = _restarted(chain, off)
    order = np.argsort(chain.source, kind="stable")
    updates, sizes = chain.floats, [float(ratio) for ratio in ratios]
    K, plain = updates.at(sizes)[order, :D, :D], updates.plain_at(sizes)[order, :D, :D]
    W = np.kron(np.eye(D // model.d), reduced.weight.to_float())
    if not reduced.is_full:
        K, plain = W @ K, np.abs(W) @ plain
    off = off[order] * float(np.linalg.norm(W)) * COVER
    place = np.array([context for context, _ in chain.nodes])
    p = updates.probability[order]
    return SecondMoments(place, chain.source[order], chain.target[order], p, K, plain, off, updates.roundings)


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
