"""The algorithms of a λ-schedule as sums of outer products, read off their functions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
from flint import fmpq

from tdcert.algorithms import for_model, named, under
from tdcert.algorithms.traces import MEMORY
from tdcert.theory.arithmetic.rational import to_fraction
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.jumps import chain_of as chain_of_system
from tdcert.theory.engine.nodes import Nodes, nodes
from tdcert.theory.engine.numbers import Exact, Refusal
from tdcert.theory.engine.terms import KNOWN, NEXT, NUMBERS, ONE, Space, Vector
from tdcert.theory.engine.terms import PHI as FEATURES
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.laws import mean_square
from tdcert.theory.laws.mean_square import JumpSystem, LyapunovAtStep, NearZero
from tdcert.theory.laws.schedule_update import CHANGE, PHI, PRODUCTS, REWARD, TRACE, ScheduleTerm, ScheduleUpdate
from tdcert.theory.laws.windows import StepOutcome
from tdcert.theory.model.key_matrices import behaviour_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import LambdaByState, Schedule
from tdcert.theory.model.sparse_model import SparseModel
from tdcert.theory.verdict import Certificate

MEMORISED = len(KNOWN)
NAMES_OF = {MEMORISED: (TRACE,), FEATURES: (PHI,), NEXT: (CHANGE, PHI), ONE: (REWARD,)}
"""The names of a vector; γφ' = x + φ, and what multiplies no parameter is the reward."""
TITLES = {"td": "TD", "off_policy_td": "off-policy TD", "gtd": "GTD", "tdc": "TDC"}
"""What the paper's algorithms are called."""
PAPER = TD, OFF_POLICY_TD, _, TDC = tuple(TITLES)
"""In the paper's order; analyses speak of these unless asked about others."""


@cache
def scheduled(name: str) -> ScheduleUpdate:
    """One of :data:`PAPER` by its terms. Raises :class:`InputError` for another name."""
    if name not in PAPER:
        raise InputError(f"there is no algorithm '{name}'; give one of {', '.join(PAPER)}")
    found = terms_of(named(name))
    same = (other for other in PAPER if other != name and not found.off_policy)
    weighted = (other for other in map(scheduled, same) if other.off_policy and other.terms == found.terms)
    return replace(found, title=TITLES[name], certified_as=next((other.name for other in weighted), name))


def applicable(model: Model | SparseModel) -> tuple[str, ...]:
    """The names of :data:`PAPER` that say something of their own on a model: of two with equal terms, the one without
    importance ratios where the policies are equal, else the one with them.
    """
    every = [scheduled(name) for name in PAPER]
    pairs = {update.certified_as for update in every if not update.off_policy}
    return tuple(
        update.name for update in every if (update.name not in pairs if model.is_on_policy else update.off_policy)
    )


def declared(name: str, model: Model) -> Algorithm:
    """A shipped algorithm under the model's schedule."""
    return for_model(named(name), model)[0]


def chain_of(
    model: Model, name: str, start: Sequence[Fraction], *, until: int | None = None, most: int | None = None
) -> Nodes:
    """The chain of nodes of a shipped algorithm under the model's schedule, as
    :func:`~tdcert.theory.engine.nodes.nodes` finds it.
    """
    return nodes(model, declared(name, model), start, until=until, most=most)


def jump_system(
    model: Model, update: ScheduleUpdate, eta: Fraction, states: Sequence[int], entries: int = mean_square.LARGEST
) -> JumpSystem:
    """The jump linear system of one of :data:`PAPER` on a recurrent class, β = ηα.

    Raises :class:`BudgetExceededError` where nodes × D² pass ``entries``, and for a memory without end.
    """
    update.require(model)
    keys = behaviour_matrices(model, tuple(states))
    J = update.mean(keys.A, keys.C, eta)
    D = J.shape[0]
    start = [Fraction(int(s in states), len(states)) for s in range(model.n)]
    # more transitions than this, and there are more nodes than entries // D²
    chain = chain_of(model, update.name, start, most=entries // D**2 * model.n * len(model.actions))
    if len(chain.nodes) * D * D > entries:
        raise BudgetExceededError(
            f"the second moments of {update.name} have {len(chain.nodes)} windows × {D}² entries; "
            f"at most {entries} are solved for"
        )
    ratios = [Fraction(1), eta][: update.steps]
    return mean_square.jump_system(chain, ratios, J, name=update.certified_as, states=states)


def certificate(system: JumpSystem, found: NearZero | LyapunovAtStep) -> Certificate:
    """The certificate of what was found on a system of one of :data:`PAPER`."""
    system = replace(system, algorithm=scheduled(system.algorithm).certified_as)
    return mean_square.certificate(system, found, windows_of(chain_of_system(system)))


def windows_of(chain: Nodes) -> list[int]:
    """The node of each window: of the states s_{t−k} and the products of ratios and discounts from each of them on, for
    k = 1 … L, as far as they are not zero. In the order of a breadth-first search.
    """
    moves = zip(chain.source.tolist(), chain.target.tolist(), chain.edge.tolist(), strict=True)
    following = {(h, k): g for h, g, k in moves}
    leaving: dict[int, list[tuple[int, StepOutcome]]] = defaultdict(list)
    for k, edge in enumerate(chain.edges):
        leaving[edge.outcome.state].append((k, edge.outcome))
    length, starts = len(chain.of.model.schedule.lambdas), int(np.count_nonzero(chain.start))
    windows: dict[Any, int] = {(s, ()): place for place, s in enumerate(chain.of.states[:starts])}
    waiting = list(windows.items())
    for (s, past), place in waiting:  # grows while it is read
        for k, outcome in leaving[s]:
            factor = outcome.rho * outcome.discount
            held = ((s, factor), *((j, p * factor) for j, p in past))[:length] if factor else ()
            window = outcome.after, held
            if window not in windows:
                windows[window] = following[place, k]
                waiting.append((window, windows[window]))
    return [place for _, place in waiting]


def compiled_as(declared: Algorithm, schedule: Schedule) -> str | None:
    """Which of :data:`PAPER`, for which there are compiled kernels, has the same terms under this schedule; None where
    none has.
    """
    names = declared.schedule
    if isinstance(schedule, LambdaByState):
        return None
    usual = under(replace(declared, options=declared.defaults, given=frozenset()), schedule)[0].options
    if len(names) != 2 or set(declared.options) != set(names) or declared.options != usual:
        return None
    try:
        found = terms_of(declared)
    except InputError:
        return None
    form = found.blocks, found.steps, found.off_policy, found.terms
    every = map(scheduled, PAPER)
    return next((one.name for one in every if (one.blocks, one.steps, one.off_policy, one.terms) == form), None)


def as_of_the_paper(declared: Algorithm, schedule: Schedule, on_policy: bool) -> str | None:
    """Which of :data:`PAPER` an update is on models of which ``on_policy`` says whether their policies are equal: as
    :func:`compiled_as`, but None for one without importance ratios off-policy, since the paper's matrices have them.
    """
    found = compiled_as(declared, schedule)
    return None if found is None or not (on_policy or scheduled(found).off_policy) else found


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
    if (
        [*declared.memory.values()] != [*MEMORY.values()]
        or set(declared.parameters.values()) != {"d"}
        or max(blocks, steps) > 2
    ):
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
        found: dict[ScheduleTerm, Fraction] = defaultdict(Fraction)
        for one, part in moved.items():
            for left, right in product(NAMES_OF[one.a], NAMES_OF[one.b]):
                step = one.powers.index(1)
                found[ScheduleTerm(one.row, step, one.column, left, right)] += sum(map(to_fraction, part.values()))
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
    name, apart = declared.name, declared.two_scales
    return ScheduleUpdate(name, name, blocks, steps, off_policy, update, name, apart)
