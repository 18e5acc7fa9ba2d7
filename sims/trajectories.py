r"""Trajectories under the behaviour policy, exact in law up to a stated distance.

In state s the pair (a, s') is one of finitely many outcomes with probability μ(a|s) P_a(s, s'). These rationals are
rounded to integers N_o with Σ_o N_o = 2^64, each off by less than one (largest remainders), and an alias table (Walker
1977) built in integer arithmetic draws outcome o for exactly N_o of the 2^64 values of a 64-bit word. So one step is
exact up to a total variation of ½ Σ_o |N_o/2^64 − p_o| < k/2^65 for k outcomes: below 2^-50 for k ≤ 2^15, which is
required. Everything beyond that rests on xoshiro256** behaving like independent fair bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdcert.sims.streams import xoshiro
from tdcert.theory.errors import InputError
from tdcert.theory.model.mdp import NO_PATH, Model

MAX_OUTCOMES = 1 << 15
WORD = 1 << 64


@dataclass(frozen=True)
class Trajectory:
    """One recorded path of T transitions, or many side by side (leading axes).

    ``states``: (…, T+1) integers; ``actions``, ``rewards`` (R_{t+1}), ``discounts`` (of the transition t →
    t+1) and ``rho`` (ρ_t = π(a_t|s_t)/μ(a_t|s_t)): (…, T); ``Phi``: n×d. Where transitions are independent draws,
    ``drawn``, the states that they reach are ``next_states``, (…, T), and ``states`` those that they leave, (…, T).
    """

    states: NDArray[np.int64]
    actions: NDArray[np.int64]
    rewards: NDArray[np.float64]
    discounts: NDArray[np.float64]
    rho: NDArray[np.float64]
    Phi: NDArray[np.float64]
    next_states: NDArray[np.int64] | None = None
    drawn: bool = False

    @property
    def steps(self) -> int:
        """T."""
        return int(self.rewards.shape[-1])

    @property
    def left(self) -> NDArray[np.int64]:
        """s_t, shape (…, T)."""
        return self.states[..., : self.steps]

    @property
    def reached(self) -> NDArray[np.int64]:
        """The state that transition t reaches, shape (…, T)."""
        return self.states[..., 1:] if self.next_states is None else self.next_states

    @property
    def phi(self) -> NDArray[np.float64]:
        """φ(s_t), shape (…, T, d)."""
        return np.asarray(self.Phi[self.left])

    @property
    def phi_next(self) -> NDArray[np.float64]:
        """φ of the state that transition t reaches, shape (…, T, d)."""
        return np.asarray(self.Phi[self.reached])

    def run(self, index: int) -> Trajectory:
        """One of the paths recorded side by side."""
        return Trajectory(
            self.states[index],
            self.actions[index],
            self.rewards[index],
            self.discounts[index],
            self.rho[index],
            self.Phi,
        )


@dataclass(frozen=True)
class AliasTable:
    """For each row a law on {0, …, 2^bits − 1}: ``keep`` and ``alias``, shape (rows, 2^bits).

    A 64-bit word picks column u >> (64 − bits); the column stands for itself if the remaining bits are
    below ``keep``, else for ``alias``. ``distance`` bounds the total variation to the rationals given.
    """

    bits: int
    keep: NDArray[np.uint64]
    alias: NDArray[np.int64]
    distance: float

    @staticmethod
    def build(laws: Sequence[Sequence[Fraction]]) -> AliasTable:
        """From rational laws, one per row, each summing to exactly one."""
        largest = max(len(law) for law in laws)
        if largest > MAX_OUTCOMES:
            raise InputError(
                f"a state has {largest} outcomes (action, next state); at most {MAX_OUTCOMES} can be sampled"
            )
        bits = max(1, (largest - 1).bit_length())
        columns = 1 << bits
        keep = np.zeros((len(laws), columns), dtype=np.uint64)
        alias = np.zeros((len(laws), columns), dtype=np.int64)
        worst = Fraction(0)
        for row, law in enumerate(laws):
            masses = integer_masses(law)
            worst = max(
                worst,
                sum((abs(Fraction(N, WORD) - p) for N, p in zip(masses, law, strict=True)), Fraction(0)),
            )
            keep[row], alias[row] = _alias_row(masses + [0] * (columns - len(masses)), WORD // columns)
        # rounded up: a bound must not shrink on its way to a float
        return AliasTable(bits, keep, alias, float(np.nextafter(float(worst / 2), 1.0)) if worst else 0.0)

    def outcome(self, row: int, word: int) -> int:
        """The outcome for one 64-bit word: the readable twin of the kernel's lookup."""
        column, rest = word >> (64 - self.bits), word & ((1 << (64 - self.bits)) - 1)
        return column if rest < int(self.keep[row, column]) else int(self.alias[row, column])


def integer_masses(law: Sequence[Fraction]) -> list[int]:
    """Integers N_o ≥ 0 with Σ N_o = 2^64 and |N_o − 2^64 p_o| < 1; N_o = 0 where p_o = 0."""
    if any(p.numerator < 0 for p in law) or sum(law) != 1:
        raise InputError("a law to be sampled has a negative entry or does not sum to exactly one")
    common = lcm(*(p.denominator for p in law))  # remainders over one denominator are compared as integers
    shares = [divmod(p.numerator * (common // p.denominator) * WORD, common) for p in law]
    floors, remainders = [N for N, _ in shares], [rest for _, rest in shares]
    by_remainder = sorted(range(len(law)), key=lambda o: (-remainders[o], o))
    for o in by_remainder[: WORD - sum(floors)]:
        floors[o] += 1
    return floors


def _alias_row(masses: list[int], capacity: int) -> tuple[list[int], list[int]]:
    """Fill columns of equal capacity, each with at most two outcomes (Vose 1991), in integers."""
    keep, alias = [capacity] * len(masses), list(range(len(masses)))
    remaining = list(masses)
    small = [o for o, mass in enumerate(remaining) if mass < capacity]
    large = [o for o, mass in enumerate(remaining) if mass > capacity]
    while small:
        column, donor = small.pop(), large.pop()
        keep[column], alias[column] = remaining[column], donor
        remaining[donor] -= capacity - remaining[column]
        if remaining[donor] < capacity:
            small.append(donor)
        elif remaining[donor] > capacity:
            large.append(donor)
    return keep, alias


@dataclass(frozen=True)
class Sampler:
    """Everything a kernel needs to walk the behaviour chain: alias tables and, per (state, outcome), what it carries.

    ``actions``, ``next_states``, ``rewards``, ``discounts``, ``rho``: shape (n, outcomes); ``start``: one-row
    alias table of s_0.
    """

    start: AliasTable
    steps: AliasTable
    actions: NDArray[np.int64]
    next_states: NDArray[np.int64]
    rewards: NDArray[np.float64]
    discounts: NDArray[np.float64]
    rho: NDArray[np.float64]
    Phi: NDArray[np.float64]
    drawn: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None
    """Where transitions are drawn independently, there is one row, and these are the states left and reached of each
    outcome; None along a path.
    """

    @staticmethod
    def of_updates(model: Model, start: Sequence[Fraction]) -> Sampler:
        """The sampler of updates: along a path that of :meth:`of`; the one row of :attr:`drawn` where transitions are
        drawn independently, whatever the ``start`` is.
        """
        if model.sampling is None:
            return Sampler.of(model, start)
        law, per_state = model.sampling.column_entries(), _outcomes(model)
        every = [(s, *o) for s, weight in enumerate(law) if weight for o in per_state[s]]
        left, p, actions, after, *numbers = zip(*every, strict=True)
        steps = AliasTable.build([[law[s] * x for s, x in zip(left, p, strict=True)]])
        s, a, t = (np.array([x], dtype=np.int64) for x in (left, actions, after))
        reward, discount, rho = (np.array([[float(x) for x in one]]) for one in numbers)
        only, Phi = AliasTable.build([[Fraction(1)]]), model.features.to_float()
        return Sampler(only, steps, a, np.zeros_like(s), reward, discount, rho, Phi, (s, t))

    def ends(self, rows: NDArray[np.int64], outcomes: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[Any]]:
        """The states left and reached by these outcomes of these rows."""
        if self.drawn is None:
            return rows, self.next_states[rows, outcomes]
        return self.drawn[0][rows, outcomes], self.drawn[1][rows, outcomes]

    @staticmethod
    def of(model: Model, start: Sequence[Fraction]) -> Sampler:
        """The sampler of a model; ``start`` is the law of s_0 (n rationals that sum to one). Raises
        :class:`InputError` where transitions are drawn independently.
        """
        if model.sampling is not None:
            raise InputError(NO_PATH)
        if len(start) != model.n:
            raise InputError(f"the start law has {len(start)} entries; give one for each of the {model.n} states")
        return Sampler(AliasTable.build([list(start)]), *_steps(model))

    def paths(self, run_states: NDArray[np.uint64], steps: int) -> Trajectory:
        """One trajectory of ``steps`` transitions per generator state (runs, 4): the readable twin of the kernel's."""
        states = np.empty((len(run_states), steps + 1), dtype=np.int64)
        outcomes = np.empty((len(run_states), steps), dtype=np.int64)
        for run, row in enumerate(run_states):
            words = [int(word) for word in row]
            states[run, 0] = self.start.outcome(0, xoshiro(words))
            for t in range(steps):
                outcomes[run, t] = self.steps.outcome(int(states[run, t]), xoshiro(words))
                states[run, t + 1] = self.next_states[states[run, t], outcomes[run, t]]
        return self.along(states, outcomes)

    def along(self, states: NDArray[np.int64], outcomes: NDArray[np.int64]) -> Trajectory:
        """The trajectory of these states, (…, steps + 1), by these outcomes of the law of steps, (…, steps)."""
        at = states[..., :-1], outcomes
        return Trajectory(states, self.actions[at], self.rewards[at], self.discounts[at], self.rho[at], self.Phi)

    def draws(self, rows: NDArray[np.int64], outcomes: NDArray[np.int64]) -> Trajectory:
        """Independent transitions from these states by these outcomes of the law of steps, both (…, T)."""
        left, reached = self.ends(rows, outcomes)
        at = rows, outcomes
        numbers = self.actions[at], self.rewards[at], self.discounts[at], self.rho[at]
        return Trajectory(left, *numbers, self.Phi, reached, drawn=True)

    def distance(self, steps: int) -> float:
        """A bound on the total variation between a sampled path of so many steps and the exact law of it."""
        return self.start.distance + steps * self.steps.distance


def stationary_start(model: Model, states: Sequence[int] | None = None) -> tuple[Fraction, ...]:
    """The stationary law of the behaviour chain on one recurrent class (None: its only one), or the sampling law."""
    if model.sampling is not None:
        return model.sampling.column_entries()
    chain = model.behaviour_chain
    if states is None:
        if len(chain.recurrent_classes) != 1:
            count = len(chain.recurrent_classes)
            raise InputError(f"the behaviour chain has {count} recurrent classes; say which one to start in")
        states = chain.recurrent_classes[0]
    return chain.stationary_law(tuple(states)).column_entries()


def uniform_start(model: Model) -> tuple[Fraction, ...]:
    """Every state with probability 1/n."""
    return (Fraction(1, model.n),) * model.n


def _at(rows: tuple[tuple[Fraction, ...], ...], s: int, after: int) -> Fraction:
    """An entry given per transition, or per state left."""
    return rows[s][after] if len(rows[s]) > 1 else rows[s][0]


def _outcomes(model: Model) -> list[list[tuple[Fraction, int, int, Fraction, Fraction, Fraction]]]:
    """By the state left: probability, action, successor, reward, discount and ρ."""
    per_state: list[list[tuple[Fraction, int, int, Fraction, Fraction, Fraction]]] = []
    transitions = [P.rows for P in model.transitions]
    rewards, discounts = [R.rows for R in model.rewards], [G.rows for G in model.discounts]
    for s in range(model.n):
        found = []
        for a, mu in enumerate(model.behaviour.rows[s]):
            if mu == 0:
                continue
            rho = model.target.rows[s][a] / mu
            for after, p in enumerate(transitions[a][s]):
                if p:
                    found.append((mu * p, a, after, _at(rewards[a], s, after), _at(discounts[a], s, after), rho))
        per_state.append(found)
    return per_state


@lru_cache(maxsize=16)
def _steps(model: Model) -> tuple[Any, ...]:
    """What :class:`Sampler` holds but the start: built once for all simulations of a model."""
    per_state = _outcomes(model)
    width = max(len(found) for found in per_state)

    def table(position: int) -> NDArray[np.float64]:
        entries = np.zeros((model.n, width))
        for s, found in enumerate(per_state):
            entries[s, : len(found)] = [float(outcome[position]) for outcome in found]
        return entries

    return (
        AliasTable.build([[outcome[0] for outcome in found] for found in per_state]),
        table(1).astype(np.int64),
        table(2).astype(np.int64),
        table(3),
        table(4),
        table(5),
        model.features.to_float(),
    )
