r"""A model of which counts are known: for each pair of state and action the set of a row, the rest as it is given.

With probability at least 1 − δ over the data, at all times at once, the true model is one of the set: each row has a
share of δ that was fixed before any was visited. Rows that were never visited are the whole simplex of their possible
successors.

The range of sums Σ W_kl A_kl (:mod:`tdcert.theory.samples.model_set`) is that of
:mod:`tdcert.theory.samples.extremes`: at λ = 0, with Y = Φ, the ends are attained within the rows' intervals. Sums
Σ v_k b_k are such means too: with z_s = vᵀφ_s, of z_s r_s and of what λ_1 S(λ_2, …) r, in a box of its own, is worth to
the next state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from tdcert.theory.arithmetic import FloatMatrix, RationalMatrix
from tdcert.theory.errors import InputError, by_shape, short
from tdcert.theory.model.chain import require_stochastic
from tdcert.theory.model.key_matrices import KeyMatrices, apply_S
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.samples.extremes import Mixed
from tdcert.theory.samples.intervals import IntervalMatrix, RowKernel, rounded_down, rounded_up
from tdcert.theory.samples.markov import MarkovTest
from tdcert.theory.samples.model_set import ModelSet
from tdcert.theory.samples.row_set import RowSet
from tdcert.theory.words import Told, counted

Laws = tuple[tuple[tuple[Fraction, ...], ...], ...]
"""For each state and action, the law of the next state."""


@dataclass(frozen=True, eq=False, repr=False)
class SampledModel(Told, ModelSet):
    """A set of models that holds the true one with probability at least 1 − ``delta``; valid once built.

    ``rows``: n states × m actions; all actions of terminal states share one row, that of the start. ``rewards``: the
    mean reward seen after each pair (n×m), an estimate, on which no verdict rests; zero where none was seen.
    ``behaviour`` and ``target``: n×m, exact; the behaviour policy is the one that the verdicts are about, whatever
    collected the data. Or it is one unknown policy: ``acts`` are the sets of the laws of actions, one for each state,
    ``behaviour`` is their middle, and the target policy is that policy where it ``follows``. ``discount``: in [0, 1],
    on leaving a state that is not terminal; ``terminal``: states that are left by a restart with discount zero, and
    whose features are zero. ``features``: n×d. ``delta``: the whole error probability, not less than the sum of the
    rows'. ``markov``: whether the caller claims that the next state depends on state and action alone;
    ``markov_test``: whether the data refute that, at a share of δ of its own, or None where they were not asked.
    ``reward_bounds``: intervals (n×m) that hold all mean rewards, but for ``reward_delta`` of δ, or None where no range
    of them was declared. Raises :class:`InputError`.
    """

    rows: tuple[tuple[RowSet, ...], ...]
    rewards: RationalMatrix
    behaviour: RationalMatrix
    target: RationalMatrix
    discount: Fraction
    features: RationalMatrix
    delta: Fraction
    schedule: Schedule = field(default_factory=Schedule)
    terminal: tuple[int, ...] = ()
    markov: bool = True
    markov_test: MarkovTest | None = None
    reward_bounds: IntervalMatrix | None = None
    reward_delta: Fraction = Fraction(0)
    acts: tuple[RowSet, ...] | None = None
    follows: bool = False

    def __post_init__(self) -> None:
        n, m = self.behaviour.shape
        if len(self.rows) != n or any(len(of_state) != m for of_state in self.rows):
            raise InputError(f"there must be a row for each of the {n} states and {m} actions")
        if self.acts is not None and (len(self.acts) != n or any(len(row.counts) != m for row in self.acts)):
            raise InputError(f"the behaviour policy must count the {m} actions in each of the {n} states")
        if any(len(row.counts) != n for of_state in self.rows for row in of_state):
            raise InputError(f"every row must count the {n} states")
        for what, policy in (("the behaviour policy", self.behaviour), ("the target policy", self.target)):
            if policy.shape != (n, m):
                raise InputError(f"{what} has shape {by_shape(policy.shape)}; give {n}×{m} (states × actions)")
            require_stochastic(policy, what)
        for s, (mu, pi) in enumerate(zip(self.behaviour.rows, self.target.rows, strict=True)):
            a = next((a for a in range(m) if pi[a] and not mu[a]), None)
            if a is not None and s not in self.terminal and self.acts is None:
                raise InputError(
                    f"the target policy takes action {a} in state {s}, the behaviour policy never does; give a "
                    "behaviour policy that does"
                )
        if not 0 <= self.discount <= 1:
            raise InputError(f"the discount {short(self.discount)} lies outside [0, 1]; give a number from 0 to 1")
        if self.features.shape[0] != n or self.features.shape[1] == 0:
            shape = by_shape(self.features.shape)
            raise InputError(f"the features have shape {shape}; give {n} rows, one for each state, and a column")
        if any(self.features[s, j] for s in self.terminal for j in range(self.features.shape[1])):
            raise InputError("a terminal state has features that are not zero; its value is zero by definition")
        if any(row != self.rows[self.terminal[0]][0] for s in self.terminal for row in self.rows[s]):
            raise InputError("terminal states share one row, that of the start")
        if not all(0 <= lam <= 1 for lam in (*self.schedule.lambdas, self.schedule.tail)):
            raise InputError("a λ lies outside [0, 1]; give a schedule of numbers from 0 to 1")
        if not 0 < self.delta < 1:
            raise InputError(f"delta is {short(self.delta)}; give a probability above 0 and below 1")
        asked = self.reward_delta + (Fraction(0) if self.markov_test is None else self.markov_test.level)
        if sum((row.delta for row in self.distinct_rows), start=asked) > self.delta:
            raise InputError("the error probabilities of the rows add up to more than delta")

    @property
    def sentence(self) -> str:
        """The set in words."""
        n, m = self.behaviour.shape
        sizes = f"{counted(n, 'state')}, {counted(m, 'action')} and {counted(self.features.shape[1], 'feature')}"
        on = "" if self.markov else ", if these states are Markov"
        return f"models of {sizes}, the true one among them with probability at least 1 − {self.delta}{on}"

    @property
    def n(self) -> int:
        """Number of states."""
        return self.behaviour.shape[0]

    @property
    def transitions(self) -> int:
        """How many transitions left a state that is not terminal."""
        return sum(row.n for s, of_state in enumerate(self.rows) for row in of_state if s not in self.terminal)

    @property
    def is_on_policy(self) -> bool:
        """Whether behaviour and target policy are equal."""
        return self.follows if self.acts is not None else self.behaviour == self.target

    @property
    def markov_refuted(self) -> bool:
        """Whether the data refute that the next state depends on state and action alone."""
        return self.markov_test is not None and self.markov_test.refuted

    @cached_property
    def distinct_rows(self) -> tuple[RowSet, ...]:
        """The rows that may be in error: that of the start once, and none with one possible successor; and those of an
        unknown behaviour policy.
        """
        places = [(s, a) for s in range(self.n) for a in range(len(self.rows[s])) if s not in self.terminal]
        places += [(self.terminal[0], 0)] if self.terminal else []
        acts = () if self.acts is None else tuple(row for s, row in enumerate(self.acts) if s not in self.terminal)
        return (*(self.rows[s][a] for s, a in places if self.rows[s][a].k > 1), *(row for row in acts if row.k > 1))

    @cached_property
    def discounts(self) -> tuple[Fraction, ...]:
        """The discount on leaving each state."""
        return tuple(Fraction(0) if s in self.terminal else self.discount for s in range(self.n))

    @cached_property
    def in_unit(self) -> SampledModel:
        """This set with features divided by a power of two, the largest about one: A becomes a positive multiple."""
        unit = Fraction(2) ** self.features.magnitude
        return self if unit == 1 else replace(self, features=self.features.scaled(1 / unit))

    # ---- models of the set --------------------------------------------------------------------

    @cached_property
    def centre_laws(self) -> Laws:
        """The frequencies; the even law in rows without a visit."""
        return tuple(tuple(row.centre for row in of_state) for of_state in self.rows)

    @cached_property
    def centre(self) -> Model:
        """The model of the frequencies: an estimate, and a member of the set unless :meth:`contains` denies it."""
        return self.model_of(self.centre_laws)

    def model_of(self, laws: Laws) -> Model:
        """The exact model with these laws of the next state."""
        m = self.behaviour.shape[1]
        discount = RationalMatrix.column(self.discounts)
        return Model(
            tuple(map(str, range(m))),
            tuple(RationalMatrix([of_state[a] for of_state in laws]) for a in range(m)),
            tuple(self.rewards.take(columns=[a]) for a in range(m)),
            (discount,) * m,
            self.behaviour,
            self.target,
            self.features,
            self.schedule,
        )

    def in_floats(self, laws: Laws) -> KeyMatrices[FloatMatrix]:
        """The key matrices of the model with these laws of the next state, in floats."""
        table = np.array([[[float(p) for p in law] for law in row] for row in laws])
        P = np.einsum("sa,saj->sj", self.behaviour.to_float(), table)
        N = np.einsum("s,sa,saj->sj", [float(x) for x in self.discounts], self.target.to_float(), table)
        n = self.n
        d = np.linalg.solve((np.eye(n) - P + np.ones((n, n))).T, np.ones((n, 1)))
        zero, Phi = FloatMatrix(np.zeros((n, 1))), FloatMatrix(self.features.to_float())
        return KeyMatrices(FloatMatrix(d), FloatMatrix(N), zero, Phi, self.schedule.lambdas)

    @property
    def central_A(self) -> RationalMatrix:
        """The middle of a box that holds A of every model of the set."""
        return self.A.middle

    @property
    def central_C(self) -> NDArray[np.float64]:
        """C at the frequencies, in floats."""
        return self.in_floats(self.centre_laws).C.array

    def contains(self, laws: Laws) -> bool:
        """Whether a model with these laws of the next state is in the set."""
        pairs = zip(self.rows, laws, strict=True)
        return not any(row.excludes(law) for rows, given in pairs for row, law in zip(rows, given, strict=True))

    # ---- the behaviour chain over the set -----------------------------------------------------

    @cached_property
    def certain_successors(self) -> tuple[tuple[int, ...], ...]:
        """For each state, where the behaviour policy leads with positive probability in every model of the set."""
        found = []
        for s in range(self.n):
            used = [row for row, mu in zip(self.rows[s], self.least_behaviour[s], strict=True) if mu > 0]
            found.append(tuple(j for j in range(self.n) if any(row.bounds[j][0] > 0 for row in used)))
        return tuple(found)

    @cached_property
    def core(self) -> tuple[int, ...]:
        """States that every model of the set visits for ever: those that certain transitions lead to from a state that
        certain transitions lead to from everywhere; empty where there is no such state. The recurrent class is then
        only one, and holds them.
        """
        reached = [self._reached(s) for s in range(self.n)]
        common = set(range(self.n)).intersection(*reached)
        return tuple(sorted(common))

    def _reached(self, start: int) -> set[int]:
        found, waiting = {start}, [start]
        while waiting:
            new = set(self.certain_successors[waiting.pop()]) - found
            found |= new
            waiting += new
        return found

    @cached_property
    def walk(self) -> Mixed:
        """The behaviour chain over the set."""
        if self.acts is None:
            return Mixed(self.rows, self.behaviour.rows)
        corners = (
            (mu,) if s in self.terminal else row.corners
            for s, (mu, row) in enumerate(zip(self.behaviour.rows, self.acts, strict=True))
        )
        return Mixed(self.rows, self.behaviour.rows, tuple(corners), self.follows)

    @cached_property
    def kernel(self) -> RowKernel:
        """N over the set: the target policy's kernel with its discounts."""
        return RowKernel(self.rows, self.target.rows, self.discounts, self.walk.corners if self.follows else None)

    @cached_property
    def least_behaviour(self) -> tuple[tuple[Fraction, ...], ...]:
        """The least probability of each action under every behaviour policy of the set, n×m."""
        if self.acts is None:
            return self.behaviour.rows
        return tuple(
            mu if s in self.terminal else tuple(low for low, _ in row.bounds)
            for s, (mu, row) in enumerate(zip(self.behaviour.rows, self.acts, strict=True))
        )

    def ends_with(self, W: RationalMatrix, v: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
        """Bounds of Σ W_kl A_kl + Σ v_k b_k over the set (W d×d, v d numbers); bounds of rewards must be there."""
        return rounded_down(-self._most(-W, [-x for x in v])), rounded_up(self._most(W, v))

    def most(self, W: RationalMatrix) -> Fraction:
        """An upper bound of Σ W_kl A_kl over the set (W d×d)."""
        return self._most(W, ())

    def potential(self, W: RationalMatrix) -> list[int]:
        """The vector h by which Σ W_kl A_kl is bounded from above."""
        return self.walk.potential(*self.asked(W), self.factors)

    def _most(self, W: RationalMatrix, v: Sequence[Fraction]) -> Fraction:
        c, worth = self.asked(W)
        if any(v):
            now, later = self.state_rewards, self.rewards_ahead
            for s, phi in enumerate(self.features.rows):
                z = sum((x * y for x, y in zip(phi, v, strict=True)), start=Fraction(0))
                c[s] += z * now[z > 0][s]
                worth[s] = [x + z * (high if z > 0 else low) for x, (low, high) in zip(worth[s], later, strict=True)]
        return self.walk.most(c, worth, self.factors)

    @cached_property
    def state_rewards(self) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
        """Bounds of the target policy's mean reward on leaving each state: the lower, the upper ones."""
        if self.reward_bounds is None:
            raise ValueError("no bounds of rewards were declared")
        corners = self.walk.corners if self.follows else None
        policies = tuple((pi,) for pi in self.target.rows) if corners is None else corners

        def mean(law: Sequence[Fraction], row: Sequence[Fraction]) -> Fraction:
            return sum((p * x for p, x in zip(law, row, strict=True)), start=Fraction(0))

        low, high = self.reward_bounds.lower, self.reward_bounds.upper
        return (
            tuple(min(mean(law, row) for law in some) for some, row in zip(policies, low, strict=True)),
            tuple(max(mean(law, row) for law in some) for some, row in zip(policies, high, strict=True)),
        )

    @cached_property
    def rewards_ahead(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """For each state ends of λ_1 S(λ_2, …) r there: what the trace takes along of rewards after the first step."""
        if not self.schedule.lambdas:
            return ((Fraction(0), Fraction(0)),) * self.n
        low, high = self.state_rewards
        r: Any = IntervalMatrix(tuple((x,) for x in low), tuple((x,) for x in high))
        N: Any = self.kernel
        first, *others = self.schedule.lambdas
        found = cast(IntervalMatrix, apply_S(N, others, Fraction(0), r)).scaled(first)
        return tuple((a, b) for (a,), (b,) in zip(found.lower, found.upper, strict=True))

    @cached_property
    def factors(self) -> list[list[Fraction]]:
        """Discount times target policy, n×m; where that is the unknown behaviour policy, the discount alone."""
        if self.follows:
            return [[gamma] * self.behaviour.shape[1] for gamma in self.discounts]
        return [[gamma * p for p in pi] for gamma, pi in zip(self.discounts, self.target.rows, strict=True)]

    @property
    def zero(self) -> RationalMatrix:
        """The d×d matrix of zeros."""
        d = self.features.shape[1]
        return RationalMatrix([[0] * d] * d)
