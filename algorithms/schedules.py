"""The algorithms of a λ-schedule as sums of outer products, read off their functions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from types import SimpleNamespace

import numpy as np
from flint import fmpq

from tdcert.algorithms import for_model, named
from tdcert.algorithms.traces import MEMORY
from tdcert.theory.arithmetic.rational import to_fraction
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.nodes import Nodes, nodes
from tdcert.theory.engine.numbers import Exact, Refusal
from tdcert.theory.engine.terms import KNOWN, NEXT, NUMBERS, ONE, Space, Vector
from tdcert.theory.engine.terms import PHI as FEATURES
from tdcert.theory.errors import InputError
from tdcert.theory.laws.schedule_update import CHANGE, PHI, PRODUCTS, REWARD, TRACE, ScheduleUpdate, Term
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.sparse_model import SparseModel

MEMORISED = len(KNOWN)
NAMES_OF = {MEMORISED: (TRACE,), FEATURES: (PHI,), NEXT: (CHANGE, PHI), ONE: (REWARD,)}
"""The names of a vector; γφ' = x + φ, and what multiplies no parameter is the reward."""
TITLES = {"td": "TD", "off_policy_td": "off-policy TD", "gtd": "GTD", "tdc": "TDC"}
"""What the paper's algorithms are called."""
PAPER = TD, OFF_POLICY_TD, _, TDC = tuple(TITLES)
"""In the paper's order; analyses speak of these unless asked about others."""
TWO_SCALES = (TDC,)
"""Meant for α/β → 0 (Theorem 4.6)."""


@cache
def scheduled(name: str) -> ScheduleUpdate:
    """One of :data:`PAPER` by its terms. Raises :class:`InputError` for another name."""
    if name not in PAPER:
        raise InputError(f"there is no algorithm '{name}'; give one of {', '.join(PAPER)}")
    found = terms_of(named(name))
    same = (other for other in PAPER if other != name and not found.off_policy)
    weighted = (other for other in map(scheduled, same) if other.off_policy and other.terms == found.terms)
    return replace(
        found,
        title=TITLES[name],
        certified_as=next((other.name for other in weighted), name),
        two_scales=name in TWO_SCALES,
    )


def applicable(model: Model | SparseModel) -> tuple[str, ...]:
    """Those of :data:`PAPER` that say something of their own on a model: of two with the same terms, the one without
    importance ratios where the policies are equal, else the one with them.
    """
    every = [scheduled(name) for name in PAPER]
    pairs = {update.certified_as for update in every if not update.off_policy}
    return tuple(
        update.name for update in every if (update.name not in pairs if model.is_on_policy else update.off_policy)
    )


def chain_of(
    model: Model, name: str, start: Sequence[Fraction], *, until: int | None = None, most: int | None = None
) -> Nodes:
    """The chain of nodes of a shipped algorithm under the model's schedule, as
    :func:`~tdcert.theory.engine.nodes.nodes` finds it.
    """
    return nodes(model, for_model(named(name), model)[0], start, until=until, most=most)


def terms_of(declared: Algorithm) -> ScheduleUpdate:
    """An algorithm with the memory of ``schedule_trace`` in ``algorithms/traces.py``, by its terms.

    Its function is evaluated once, on whole vectors. Raises :class:`InputError` for one
    that is not a sum of such terms, or that has more than two vectors or step sizes.
    """
    wrong = InputError(
        f"the update '{declared.name}' is not a sum of outer products of the trace of a λ-schedule, φ and γφ' − φ; "
        f"give one of {', '.join(PAPER)}"
    )
    blocks, steps = len(declared.parameters), len(declared.steps)
    if declared.memory != MEMORY or set(declared.parameters.values()) != {"d"} or max(blocks, steps) > 2:
        raise wrong
    space = Space(declared.with_options(lambdas=(1,), tail=()), 1)
    numbers = dict(zip(NUMBERS, space.given, strict=False))
    phi, after, z = (Vector({v: Exact(fmpq(1))}, space) for v in (FEATURES, NEXT, MEMORISED))
    y, memory = space.inputs(declared.slots(1)[0]), np.empty(1, dtype=object)
    # the trace is ρ(φ + λ_1 z_0), so that with λ_1 = 1 and z_0 = z − φ it is ρz
    memory[0] = z - phi
    t = SimpleNamespace(
        phi=phi, phi_next=after, reward=numbers["reward"], discount=numbers["discount"], rho=numbers["rho"]
    )
    try:
        new = declared.function(t, *y, memory, memory[:0], *space.steps, lambdas=(1,), tail=())
        moved, _ = space.read([a - b for a, b in zip(new, y, strict=False)])
        off_policy = any(powers[NUMBERS.index("rho")] for part in moved.values() for powers in part)
        found: dict[Term, Fraction] = defaultdict(Fraction)
        for one, part in moved.items():
            for left, right in product(NAMES_OF[one.a], NAMES_OF[one.b]):
                step = one.powers.index(1)
                found[Term(one.row, step, one.column, left, right)] += sum(map(to_fraction, part.values()))
    except (Refusal, LookupError, ValueError, TypeError):
        raise wrong from None
    update = tuple(sorted(replace(term, factor=factor) for term, factor in found.items() if factor != 0))
    known = {TRACE: numbers["rho"] * z if off_policy else z, PHI: phi, CHANGE: numbers["discount"] * after - phi}
    again = [0 * vector for vector in y]
    for term in update:
        along = numbers["reward"] if term.b == REWARD else known[term.b] @ y[term.column]
        again[term.row] = again[term.row] + known[term.a] * along * space.steps[term.step] * term.factor
    if space.read(again)[0] != moved or any((term.a, term.b) not in PRODUCTS for term in update):
        raise wrong
    return ScheduleUpdate(declared.name, declared.name, blocks, steps, off_policy, update, declared.name)
