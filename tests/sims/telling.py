"""A small model that tells mistakes apart, and paths on it that are drawn without the code under test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import lcm

import numpy as np

from tdcert.sims.random_models import assemble
from tdcert.sims.streams import generator
from tdcert.sims.trajectories import Trajectory
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

F = Fraction
START = (F(1), F(0), F(0))
"""The law of s_0 that goes with it: always the first state."""


Rows = list[list[F | int]]


def telling(on_policy: bool, schedule: Schedule) -> Model:
    """Three states, nearly always walked round: little noise, and the past decides the present, so mistakes show.

    Rewards and discounts depend on the transition, in no symmetric way; the step from the last state to the first is a
    restart (discount 0); ρ takes the values 0, 1/2, 8/7, 7/6 and 3/2. The numbers were chosen by trial, so that every
    mistake of ``sims/mistakes`` moves some moment by twice the radius that 40,000 paths give it.
    """
    walk: Rows = [[F(1, 16), F(15, 16), 0], [0, F(1, 16), F(15, 16)], [F(15, 16), 0, F(1, 16)]]
    jump: Rows = [[0, F(1, 2), F(1, 2)], [1, 0, 0], [0, 1, 0]]
    discounts: list[Rows] = [
        [[F(1, 2), 1, 0], [0, F(7, 8), F(3, 4)], [0, 0, F(3, 4)]],
        [[0, 1, F(1, 2)], [F(1, 2), 0, 0], [0, 1, 0]],
    ]
    rewards = [[1, -1, 0], [0, 2, -2], [3, 0, -1]], [[0, 1, 1], [-2, 0, 0], [0, -3, 0]]
    behaviour = RationalMatrix([[F(7, 8), F(1, 8)], [F(1, 2), F(1, 2)], [F(3, 4), F(1, 4)]])
    target = RationalMatrix([[1, 0], [F(3, 4), F(1, 4)], [F(7, 8), F(1, 8)]])
    return assemble(
        [RationalMatrix(walk), RationalMatrix(jump)],
        [RationalMatrix(R) for R in rewards],
        [RationalMatrix(G) for G in discounts],
        behaviour,
        None if on_policy else target,
        RationalMatrix([[1, 0], [F(-1, 2), 1], [1, F(-1, 2)]]),
        schedule,
        "telling",
    )


def drawn(model: Model, start: tuple[Fraction, ...], runs: int, steps: int, seed: int, name: str) -> Trajectory:
    """Independent paths, exact in law: in each state one of N equally likely outcomes is drawn, N a common denominator.

    A second writing of ``tdcert.sims.trajectories`` and ``tdcert.sims.kernels.sample``, for models with small
    denominators.
    """
    outcomes = [
        [(mu * p, a, after) for a, mu in enumerate(row) for after, p in enumerate(model.transitions[a].rows[s])]
        for s, row in enumerate(model.behaviour.rows)
    ]
    N = lcm(*(p.denominator for law in outcomes for p, *_ in law))
    table = np.array([[(a, after) for p, a, after in law for _ in range(int(N * p))] for law in outcomes])
    policies = zip(model.target.rows, model.behaviour.rows, strict=True)
    ratio = np.array([[float(pi / mu) if mu else 0.0 for pi, mu in zip(*rows, strict=True)] for rows in policies])
    per_transition = (
        np.array([np.broadcast_to(M.to_float(), (model.n, model.n)) for M in given])
        for given in (model.rewards, model.discounts)
    )
    rng = generator(seed, name)
    states, actions = np.empty((runs, steps + 1), dtype=np.int64), np.empty((runs, steps), dtype=np.int64)
    starts = np.cumsum([int(p * (total := lcm(*(p.denominator for p in start)))) for p in start])
    states[:, 0] = np.searchsorted(starts, rng.integers(total, size=runs), side="right")
    for t in range(steps):
        actions[:, t], states[:, t + 1] = table[states[:, t], rng.integers(N, size=runs)].T
    rewards, discounts = (values[actions, states[:, :-1], states[:, 1:]] for values in per_transition)
    return Trajectory(states, actions, rewards, discounts, ratio[states[:, :-1], actions], model.features.to_float())


def renumbered(model: Model, numbering: Sequence[int]) -> Model:
    """The same model with state ``numbering[i]`` as its state i."""

    def taken(M: RationalMatrix) -> RationalMatrix:
        return M.take(rows=numbering, columns=numbering if M.shape[1] == model.n else None)

    def all_taken(given: Sequence[RationalMatrix]) -> tuple[RationalMatrix, ...]:
        return tuple(taken(M) for M in given)

    return replace(
        model,
        transitions=all_taken(model.transitions),
        rewards=all_taken(model.rewards),
        discounts=all_taken(model.discounts),
        behaviour=model.behaviour.take(rows=numbering),
        target=model.target.take(rows=numbering),
        features=model.features.take(rows=numbering),
    )
