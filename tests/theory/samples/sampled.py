"""Transitions of small known models, drawn by policies that adapt, for the tests of sets of models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, cast

import numpy as np

from tdcert.theory.samples import log
from tdcert.theory.samples.sampled_model import Laws, SampledModel
from tdcert.theory.samples.transitions import from_log

F = Fraction
Table = tuple[tuple[tuple[Fraction, ...], ...], ...]
TWO: Table = (((F(9, 10), F(1, 10)), (F(1, 20), F(19, 20))),) * 2
"""θ→2θ with actions that fail: the first leads to state 0 with 9/10, the second to state 1 with 19/20."""
EPISODES: Table = (
    ((F(1, 2), F(1, 2), F(0), F(0)), (F(0), F(1, 4), F(3, 4), F(0))),
    ((F(1, 2), F(0), F(1, 2), F(0)), (F(1, 3), F(0), F(0), F(2, 3))),
    ((F(0), F(1, 2), F(0), F(1, 2)), (F(0), F(1, 5), F(0), F(4, 5))),
    ((F(3, 4), F(1, 4), F(0), F(0)),) * 2,
)
"""Four states, the last of them terminal; its row is the law of the start."""


@dataclass
class Log:
    """Transitions as arrays."""

    states: list[int] = field(default_factory=list)
    actions: list[int] = field(default_factory=list)
    next_states: list[int] = field(default_factory=list)
    terminated: list[bool] = field(default_factory=list)

    def until(self, steps: int) -> Log:
        """The first so many."""
        return Log(self.states[:steps], self.actions[:steps], self.next_states[:steps], self.terminated[:steps])

    def sampled(self, table: Table, **given: Any) -> SampledModel:
        """Their set."""
        whole = (np.array(part, dtype=np.int64) for part in (self.states, self.actions, self.next_states))
        states, actions, after = whole
        arrays = states, actions, None, after, np.array(self.terminated, dtype=np.bool_)
        known = {name: given.pop(name) for name in ("terminal", "behaviour", "markov") if name in given}
        read = log.Log(*arrays, n_states=len(table), n_actions=len(table[0]), **known)
        return from_log(read, cast(log.Declarations, given))


def walk(
    table: Table,
    rng: np.random.Generator,
    steps: int,
    terminal: Sequence[int] = (),
    choose: Callable[[Log, int], int] | None = None,
) -> Log:
    """So many transitions; ``choose``: an action from all that was before and the state, default an even draw."""
    log, s = Log(), 0
    laws = [[np.array([float(p) for p in law]) for law in row] for row in table]
    for _ in range(steps):
        a = int(rng.integers(len(table[s]))) if choose is None else choose(log, s)
        after = int(rng.choice(len(table), p=laws[s][a]))
        log.states.append(s)
        log.actions.append(a)
        log.next_states.append(after)
        log.terminated.append(after in terminal)
        s = int(rng.choice(len(table), p=laws[after][0])) if after in terminal else after
    return log


def some_laws(found: SampledModel, rng: np.random.Generator) -> Laws:
    """A model of the set: each row moved towards a corner of its intervals."""
    made: list[tuple[tuple[Fraction, ...], ...]] = []
    for s in range(found.n):
        row = found.rows[s]
        if s in found.terminal and s != found.terminal[0]:
            made.append(made[found.terminal[0]])
            continue
        laws = []
        for of_action in row if s not in found.terminal else row[:1]:
            corner = of_action.extreme([F(int(x)) for x in rng.integers(-9, 10, size=found.n)])
            law = of_action.towards(corner)
            laws.append(of_action.centre if law is None else law)
        made.append(tuple(laws) if s not in found.terminal else tuple(laws) * len(row))
    return tuple(made)
