"""Batches of small models in integers: exact models one by one, floats all at once.

A row of weights (w_1, …, w_n), integers, is the law w/Σw; so a batch is exact, and a model of it is rational with small
numbers. Discounts and schedules are drawn from short lists and kept as positions in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from tdcert.sweeps.batched import BatchMatrix, Floats, stationary_law
from tdcert.sweeps.draws import Integers
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.model.key_matrices import KeyMatrices
from tdcert.theory.model.mdp import Model, mix_actions
from tdcert.theory.model.schedule import Schedule


@dataclass(frozen=True, eq=False)
class Batch:
    """``size`` models of n states, m actions, d features.

    ``transitions`` (size, m, n, n), ``behaviour`` and ``target`` (size, n, m): weights ≥ 0, none of their rows zero.
    ``features`` (size, n, d), ``rewards`` (size, m, n) on leaving a state: integers. ``discounts`` (size, m, n) on
    leaving a state: positions in ``gammas``; ``schedule`` (size): positions in ``schedules``.
    """

    transitions: Integers
    behaviour: Integers
    target: Integers
    features: Integers
    rewards: Integers
    discounts: Integers
    schedule: Integers
    gammas: tuple[Fraction, ...]
    schedules: tuple[Schedule, ...]

    @property
    def size(self) -> int:
        """How many models there are."""
        return len(self.schedule)

    @property
    def shape(self) -> tuple[int, int, int]:
        """(states, features, actions)."""
        return self.features.shape[1], self.features.shape[2], self.transitions.shape[1]

    def take(self, rows: Integers | Sequence[int]) -> Batch:
        """The models at these positions."""
        kept = np.asarray(rows, dtype=np.int64)
        arrays = [f.name for f in fields(self) if f.name not in ("gammas", "schedules")]
        return replace(self, **{name: getattr(self, name)[kept] for name in arrays})

    def model(self, k: int) -> Model:
        """The k-th model, exact."""
        m = self.shape[2]
        actions = ("only",) if m == 1 else tuple(f"a{a + 1}" for a in range(m))
        return Model(
            actions,
            tuple(_laws(self.transitions[k, a].tolist()) for a in range(m)),
            tuple(RationalMatrix.column(self.rewards[k, a].tolist()) for a in range(m)),
            tuple(RationalMatrix.column([self.gammas[i] for i in self.discounts[k, a]]) for a in range(m)),
            _laws(self.behaviour[k].tolist()),
            _laws(self.target[k].tolist()),
            RationalMatrix(self.features[k].tolist()),
            self.schedules[self.schedule[k]],
        )

    @cached_property
    def keys(self) -> KeyMatrices[BatchMatrix]:
        """The matrices of the theorems in floats: target kernel, behaviour chain's law (not finite where reducible).

        Schedules have an end: a λ that goes on for ever is cut off.
        """
        P = [_float_laws(self.transitions[:, a]) for a in range(self.shape[2])]
        gammas = np.array([float(g) for g in self.gammas])[self.discounts]
        discounts = [_column(gammas[:, a]) for a in range(len(P))]
        rewards = [_column(self.rewards[:, a]) for a in range(len(P))]
        chain = target = P[0]
        N, r = P[0].scale_rows(discounts[0]), rewards[0]
        if len(P) > 1:
            mu, pi = _float_laws(self.behaviour), _float_laws(self.target)
            _, chain, _, _ = mix_actions(P, discounts, rewards, [_part(mu, a) for a in range(len(P))])
            N, target, r, _ = mix_actions(P, discounts, rewards, [_part(pi, a) for a in range(len(P))])
        Phi = BatchMatrix(np.ascontiguousarray(self.features.transpose(1, 2, 0), dtype=np.float64))
        with np.errstate(invalid="ignore", divide="ignore"):
            law = stationary_law(chain)
        return KeyMatrices(law, N, r, Phi, tuple(self.lambdas), P=target)

    @cached_property
    def lambdas(self) -> list[Floats]:
        """λ_1, λ_2, … of every model, zeros after the end."""
        longest = max((len(s.lambdas) for s in self.schedules), default=0)
        table = np.zeros((len(self.schedules), longest))
        for row, schedule in zip(table, self.schedules, strict=True):
            row[: len(schedule.lambdas)] = [float(x) for x in schedule.lambdas]
        chosen = table[self.schedule]
        return [np.ascontiguousarray(chosen[:, j]) for j in range(int(np.max((chosen != 0).sum(axis=1), initial=0)))]

    @cached_property
    def largest_discount(self) -> Floats:
        """γ, the largest where there are several."""
        return np.asarray(np.array([float(g) for g in self.gammas])[self.discounts].max(axis=(1, 2)))

    @cached_property
    def kappa(self) -> Floats:
        """κ = Σ w_n γⁿ for that γ, by Horner's rule for M with γ in the place of N."""
        gamma = self.largest_discount
        value = gamma
        for lam in reversed(self.lambdas):
            value = gamma * ((1.0 - lam) + lam * value)
        return value


def _laws(weights: list[list[int]]) -> RationalMatrix:
    return RationalMatrix([[Fraction(w, sum(row)) for w in row] for row in weights])


def _float_laws(weights: Integers) -> BatchMatrix:
    """(size, rows, columns) → (rows, columns, size)."""
    laws = weights / weights.sum(axis=-1, keepdims=True)
    return BatchMatrix(np.ascontiguousarray(laws.transpose(1, 2, 0)))


def _column(values: Integers | Floats) -> BatchMatrix:
    """(size, n) → (n, 1, size)."""
    return BatchMatrix(np.ascontiguousarray(values.T, dtype=np.float64)[:, None])


def _part(policy: BatchMatrix, action: int) -> BatchMatrix:
    return BatchMatrix(policy.array[:, action : action + 1])
