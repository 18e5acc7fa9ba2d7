"""The algorithms of a λ-schedule as sums of outer products, read off their functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from types import SimpleNamespace

import numpy as np
from flint import fmpq

from tdcert.algorithms import named
from tdcert.algorithms.traces import MEMORY
from tdcert.theory.arithmetic.rational import to_fraction
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.numbers import Exact, Kind, Refusal, symbols, terms
from tdcert.theory.errors import InputError
from tdcert.theory.laws.schedule_update import CHANGE, PHI, PRODUCTS, REWARD, TRACE, ScheduleUpdate, Term
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.sparse_model import SparseModel

AFTER = "γφ'"
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


def terms_of(declared: Algorithm) -> ScheduleUpdate:
    """An algorithm with the memory of ``schedule_trace`` in ``algorithms/traces.py``, by its terms.

    Its function is evaluated once, on a transition of symbols with two features. Raises :class:`InputError` for one
    that is not a sum of such terms, or that has more than two vectors or step sizes.
    """
    wrong = InputError(
        f"the update '{declared.name}' is not a sum of outer products of the trace of a λ-schedule, φ and γφ' − φ; "
        f"give one of {', '.join(PAPER)}"
    )
    blocks, steps, d = len(declared.parameters), len(declared.steps), 2
    if declared.memory != MEMORY or set(declared.parameters.values()) != {"d"} or max(blocks, steps) > 2:
        raise wrong
    named_symbols = [(f"{name}{i}", Kind.PARAMETER) for name in declared.parameters for i in range(d)]
    named_symbols += [(f"{name}{i}", Kind.STEP) for name in ("z", "phi", "after") for i in range(d)]
    given = symbols([*named_symbols, *((name, Kind.STEP) for name in (*declared.steps, "reward", "gamma", "rho"))])
    vectors = [np.array(given[k : k + d], dtype=object) for k in range(0, len(named_symbols), d)]
    *y, z, phi, after = vectors
    *sizes, reward, gamma, rho = given[len(named_symbols) :]
    t = SimpleNamespace(phi=phi, phi_next=after, reward=reward, discount=gamma, rho=rho)
    # the trace is ρ(φ + λ_1 z_0), so that with λ_1 = 1 and z_0 = z − φ it is ρz
    memory = np.array([z - phi]), np.empty((0, d), dtype=object)
    try:
        moved = [
            a - b for a, b in zip(declared.function(t, *y, *memory, *sizes, lambdas=(1,), tail=()), y, strict=False)
        ]
        off_policy = any("rho" in entry.symbols for block in moved for entry in block)
        found: dict[Term, Fraction] = {}
        for row, block in enumerate(moved):
            for powers, factor in terms(block[0]).items():
                _collect(found, row, powers, to_fraction(factor), blocks, steps)
    except (Refusal, LookupError, ValueError):
        raise wrong from None
    update = tuple(sorted(replace(term, factor=factor) for term, factor in found.items() if factor != 0))
    known = {TRACE: rho * z if off_policy else z, PHI: phi, CHANGE: gamma * after - phi}
    for row, block in enumerate(moved):
        again = np.array([Exact(fmpq(0))] * d, dtype=object)
        for term in update:
            along = reward if term.b == REWARD else known[term.b] @ y[term.column]
            again = again + (known[term.a] * along * sizes[term.step] * term.factor if term.row == row else 0)
        if any(terms(entry) for entry in block - again):
            raise wrong
    if any((term.a, term.b) not in PRODUCTS for term in update):
        raise wrong
    return ScheduleUpdate(declared.name, declared.name, blocks, steps, off_policy, update, declared.name)


def _collect(
    found: dict[Term, Fraction], row: int, powers: Sequence[int], factor: Fraction, blocks: int, steps: int
) -> None:
    """Adds a monomial of the first entry to the terms, if it has the first entry of a and the second of b.

    Raises ValueError for one that has no a, no b or no step.
    """
    held = [k for k, power in enumerate(powers) if power]
    parameter = [k for k in held if k < 2 * blocks]
    first, second = (
        [name for k, name in enumerate((TRACE, PHI, AFTER)) if powers[2 * (blocks + k) + i]] for i in (0, 1)
    )
    (step,) = (k for k in range(steps) if powers[2 * blocks + 6 + k])
    if not parameter:
        (a,), b, column = first, REWARD, -1
    elif parameter[0] % 2 == 0:
        return  # the other entries are held against what the second says
    else:
        (a,), (b,), column = first, second, parameter[0] // 2
    for left in (CHANGE, PHI) if a == AFTER else (a,):
        for right in (CHANGE, PHI) if b == AFTER else (b,):  # γφ' = x + φ
            term = Term(row, step, column, left, right)
            found[term] = found.get(term, Fraction(0)) + factor
