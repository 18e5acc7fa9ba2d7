r"""The chain of windows: what the next update depends on besides y, the parameters and a last entry of one.

Along a path every update is linear, y_{t+1} = B_t y_t with B_t = I + α_t U_t + β_t V_t, where U_t, V_t depend on the
window (the last L + 1 states, what was done in them, and s_{t+1}) and not on y: a Markov jump linear system.

The window is kept as s_t and the pairs (s_{t−k}, p_k), p_k = Π_{i=t−k}^{t−1} ρ_i Γ_i, newest first, cut where
p_k = 0 or c_k = 0 from there on: that is all the trace depends on. A window near the start is shorter, and
behaves like one that was cut, so t = 0 needs no special case. Only reachable windows are built. Products are
kept as integers: with m the common denominator of all ρΓ, p_k m^k is one, and equal exactly where p_k is.

Source: X_t, A(X_t), b(X_t) in §4; the updates: :mod:`tdcert.theory.laws.schedule_update`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.laws.schedule_update import Array, ScheduleUpdate
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import MAX_LENGTH, Schedule, trace_weights

MAX_TRANSITIONS = 400_000
"""Most window transitions that are built (a few seconds, some hundred megabytes)."""

Window = tuple[int, tuple[tuple[int, int], ...]]
"""s_t, and (s_{t−k}, p_k m^k) for k = 1, 2, …"""


@dataclass(frozen=True)
class StepOutcome:
    """One (action, successor) pair in ``state`` under the behaviour policy; ``rho`` is 1 for on-policy TD.

    ``action``: its number.
    """

    state: int
    after: int
    probability: Fraction
    reward: Fraction
    discount: Fraction
    rho: Fraction
    action: int


@dataclass(frozen=True)
class Updates:
    """Per transition (E of them): its probability (E), U and V (E×(D+1)×(D+1)), all of one number type.

    ``U_plain``, ``V_plain``: the same with every input replaced by its magnitude and every minus by a plus. As
    floats, each entry of U and V is off by at most γ_5 times that of U_plain, V_plain (every input is rounded
    once, then at most four operations). Fractions are not rounded, and these are U and V once more.
    """

    probability: Array
    U: Array
    V: Array
    U_plain: Array
    V_plain: Array


@dataclass(frozen=True)
class WindowChain:
    """The reachable windows, in the order of a breadth-first search, and the transitions between them, sorted
    by the window they lead to.

    ``source``, ``target`` (E): indices of windows; ``outcome`` (E): which of ``outcomes`` happens; ``scale``:
    the m of the module docstring; ``start``: law over the windows, rationals.
    """

    model: Model
    algorithm: ScheduleUpdate
    windows: tuple[Window, ...]
    scale: int
    outcomes: tuple[StepOutcome, ...]
    source: NDArray[np.int64]
    target: NDArray[np.int64]
    outcome: NDArray[np.int64]
    start: Array

    @property
    def width(self) -> int:
        """D + 1, the length of y."""
        return self.algorithm.blocks * self.model.d + 1

    def operator(self, matrices: Array) -> Any:
        """The map of (x_h) to (Σ_{h → h'} p B x_h), sparse, from B of every transition (E×s×s floats)."""
        size = matrices.shape[1]
        edge, i, j = np.nonzero(matrices)
        places = self.target[edge] * size + i, self.source[edge] * size + j
        values = self.floats.probability[edge] * matrices[edge, i, j]
        return csr_array((values, places), shape=(len(self.windows) * size,) * 2)

    def first_means(self, theta0: Sequence[float] | None = None) -> NDArray[np.float64]:
        """E[y_0 1{window}], windows × width in a row, from θ_0 (zero unless given) and w_0 = 0."""
        y0 = np.zeros(self.width)
        y0[: self.model.d], y0[-1] = 0.0 if theta0 is None else np.asarray(theta0, dtype=np.float64), 1.0
        return np.outer(self.start.astype(np.float64), y0).ravel()

    def mean_theta(self, y: Array) -> Array:
        """E θ (d) from the means in windows."""
        return np.asarray(y.reshape(-1, self.width)[:, : self.model.d].sum(axis=0))

    @property
    def degree(self) -> int:
        """The most transitions that lead into one window."""
        return int(np.bincount(self.target).max())

    @cached_property
    def exact(self) -> Updates:
        """In fractions."""
        return self._updates(object)

    @cached_property
    def floats(self) -> Updates:
        """In float64."""
        return self._updates(np.float64)

    def _updates(self, kind: Any) -> Updates:
        signed = self.algorithm.matrices(*self.factors(kind))
        plain = signed if kind is object else self.algorithm.matrices(*self.factors(kind, plain=True), minus=1)
        probability: Array = np.array([o.probability for o in self.outcomes], dtype=object).astype(kind)[self.outcome]
        return Updates(probability, *signed, *plain)

    def factors(self, kind: Any, plain: bool = False) -> tuple[Array, Array, Array, Array]:
        """z_t, γφ_{t+1} − φ_t, φ_t (E×d each) and R_{t+1} (E) of every transition, in fractions (``object``) or floats.

        ``plain``: from the magnitudes of all inputs, with a plus for the minus, as in :class:`Updates`.
        """
        size, outcomes = np.abs if plain else np.asarray, self.outcomes
        rows = size(np.array(self.model.features.rows, dtype=object))
        phi, after = (rows[[getattr(o, name) for o in outcomes]] for name in ("state", "after"))
        rho, reward, discount = (
            np.array([getattr(o, name) for o in outcomes], dtype=object) for name in ("rho", "reward", "discount")
        )
        x = discount[:, None] * after + (phi if plain else -phi)
        z = rho.astype(kind)[self.outcome][:, None] * self._traces(plain).astype(kind)[self.source]
        return z, *(array.astype(kind)[self.outcome] for array in (x, phi, size(reward)))

    def _traces(self, plain: bool) -> Array:
        """z̃ = Σ_k c_k p_k φ(s_{t−k}) of each window (windows × d, fractions): the trace without its last ρ_t.

        Summed in integers over the denominator (of c) · m^L · (of Φ).
        """
        size = np.abs if plain else np.asarray
        c = trace_weights(self.model.schedule.lambdas)
        L, over = len(c) - 1, lcm(*(x.denominator for x in c))
        Phi = size(np.array([[int(x) for x in row] for row in self.model.features.numerator.table()], dtype=object))
        states = np.array([[s, *(j for j, _ in past), *[0] * (L - len(past))] for s, past in self.windows])
        products = np.array([[1, *(p for _, p in past), *[0] * (L - len(past))] for _, past in self.windows], object)
        total = np.zeros((len(self.windows), self.model.d), dtype=object)
        for k in range(L + 1):
            weight = int(size(c[k] * over)) * self.scale ** (L - k)
            total = total + (weight * products[:, k])[:, None] * Phi[states[:, k]]
        denominator = over * self.scale**L * int(self.model.features.denominator)
        return np.asarray(np.frompyfunc(lambda x: Fraction(x, denominator), 1, 1)(total))


def window_chain(
    model: Model, algorithm: ScheduleUpdate, start: Sequence[Fraction], most: int | None = None
) -> WindowChain:
    """The window chain from the start law ``start`` (n rationals). A finite schedule is needed.

    Raises :class:`InputError` as :meth:`ScheduleUpdate.require` and for a start of the wrong length, and
    :class:`BudgetExceededError` beyond ``most`` transitions (default :data:`MAX_TRANSITIONS`), before any matrix is
    built.
    """
    algorithm.require(model)
    if len(start) != model.n or sum(start) != 1 or any(p < 0 for p in start):
        raise InputError(f"the start law must be {model.n} non-negative rationals that sum to one")
    L, most = len(model.schedule.lambdas), MAX_TRANSITIONS if most is None else most
    per_state = state_outcomes(model, importance=algorithm.off_policy)
    outcomes = tuple(outcome for here in per_state for outcome in here)
    scale = lcm(*((o.rho * o.discount).denominator for o in outcomes))
    moves: list[list[tuple[int, int, int]]] = [[] for _ in range(model.n)]  # outcome, next state, ρΓ m
    for k, o in enumerate(outcomes):
        moves[o.state].append((k, o.after, int(o.rho * o.discount * scale)))
    windows: dict[Window, int] = {(s, ()): i for i, s in enumerate(s for s in range(model.n) if start[s] > 0)}
    law = np.array([Fraction(start[s]) for s, _ in windows], dtype=object)
    waiting = list(windows)
    edges: list[tuple[int, int, int]] = []
    for place, (s, past) in enumerate(waiting):  # grows while it is read
        for k, after, factor in moves[s]:
            held = ((s, factor), *((j, p * factor) for j, p in past))[:L] if factor else ()
            following = (after, held)
            found = windows.get(following)
            if found is None:
                found = windows[following] = len(waiting)
                waiting.append(following)
            edges.append((found, place, k))
        if len(edges) > most:
            raise BudgetExceededError(
                f"the window chain has more than {most} transitions (at most "
                f"{_most_transitions(moves, L):.2g}, counted by paths); propagating moments needs fewer states "
                "and actions or a shorter schedule"
            )
    edges.sort(key=lambda edge: edge[0])
    target, source, outcome = np.array(edges, dtype=np.int64).T
    padded = np.concatenate([law, np.full(len(waiting) - len(law), Fraction(0))])
    return WindowChain(model, algorithm, tuple(waiting), scale, outcomes, source, target, outcome, padded)


def cut_at(model: Model, t: int) -> Model:
    """A model whose iterates up to time ``t`` are the same, path by path, and whose schedule has an end.

    Up to time t only λ_1 … λ_{t−1} act. Raises :class:`BudgetExceededError` where that is longer than a schedule
    may be.
    """
    if model.schedule.is_finite:
        return model
    if t - 1 > MAX_LENGTH:
        raise BudgetExceededError(
            f"λ without end at t = {t} has windows of {t - 1} states; at most {MAX_LENGTH} are followed, "
            "so ask for an earlier time or give the schedule a length"
        )
    return model.with_schedule(Schedule.constant(model.schedule.tail, max(t - 1, 0)))


def _most_transitions(moves: list[list[tuple[int, int, int]]], L: int) -> float:
    """All paths of up to L + 1 steps from every state: no window chain has more transitions."""
    ways, total = [1.0] * len(moves), 0.0
    for _ in range(L + 1):
        ways = [sum(ways[after] for _, after, _ in here) for here in moves]
        total += sum(ways)
    return total


def state_outcomes(model: Model, importance: bool) -> list[list[StepOutcome]]:
    """For each state every (action, successor) of positive probability under μ, actions first."""
    found = []
    for s in range(model.n):
        here = []
        for a, mu in enumerate(model.behaviour.rows[s]):
            if mu == 0:
                continue
            rho = model.target.rows[s][a] / mu if importance else Fraction(1)
            rewards, discounts = model.rewards[a].rows[s], model.discounts[a].rows[s]
            for after, p in enumerate(model.transitions[a].rows[s]):
                if p > 0:
                    reward = rewards[after if len(rewards) > 1 else 0]
                    discount = discounts[after if len(discounts) > 1 else 0]
                    here.append(StepOutcome(s, after, mu * p, reward, discount, rho, a))
        found.append(here)
    return found
