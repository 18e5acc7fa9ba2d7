r"""A model of which counts are known: for each pair of state and action the set of a row, the rest as it is given.

With probability at least 1 − δ over the data, at all times at once, the true model is one of the set: each row has a
share of δ that was fixed before any was visited. Rows that were never visited are the whole simplex of their possible
successors.

Sums Σ W_kl A_kl over the set: with u_s = Wᵀφ_s they are Σ_s d_s (Σ_j N_sj Y_j·u_s − φ_s·u_s), the mean under the
behaviour chain of what a row's law gives linearly, where Y = (1 − λ_1)Φ + λ_1 M(λ_2, …)Φ lies in a box, found by
Horner's rule on intervals. Their range is that of :mod:`tdcert.theory.samples.extremes`: at λ = 0, with Y = Φ, the ends
are attained within the rows' intervals. Sums Σ v_k b_k are such means too: with z_s = vᵀφ_s, of z_s r_s and of what
λ_1 S(λ_2, …) r, in a box of its own, is worth to the next state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, cast

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.errors import InputError, by_shape, short
from tdcert.theory.model.chain import require_stochastic
from tdcert.theory.model.key_matrices import apply_M, apply_S
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.samples.extremes import Mixed
from tdcert.theory.samples.intervals import IntervalMatrix, RowKernel, rounded_down, rounded_up
from tdcert.theory.samples.markov import MarkovTest
from tdcert.theory.samples.row_set import RowSet

Laws = tuple[tuple[tuple[Fraction, ...], ...], ...]
"""For each state and action, the law of the next state."""


@dataclass(frozen=True, eq=False)
class SampledModel:
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

    @cached_property
    def ahead(self) -> IntervalMatrix:
        """A box (n×d) that holds Y, what the first step bootstraps from, of every model; the schedule has an end."""
        Phi: Any = IntervalMatrix.around(self.features)
        if not self.schedule.lambdas:
            return cast(IntervalMatrix, Phi)
        N: Any = self.kernel
        first, *others = self.schedule.lambdas
        inner = cast(IntervalMatrix, apply_M(N, others, Fraction(0), Phi))
        return cast(IntervalMatrix, Phi).scaled(1 - first) + inner.scaled(first)

    @cached_property
    def A(self) -> IntervalMatrix:
        """A box (d×d) that holds A = ΦᵀD(M − I)Φ of every model of the set; the schedule has an end."""
        return self.times(self.features.identity(self.features.shape[1]))

    def times(self, left: RationalMatrix) -> IntervalMatrix:
        """A box (d×d) that holds LA of every model of the set, L d×d: narrower than L times the box of A."""
        d = left.shape[0]
        ends = [self.ends(W) for W in self.product_weights(left)]
        return _box_of([ends[k * d : (k + 1) * d] for k in range(d)])

    @staticmethod
    def product_weights(left: RationalMatrix) -> list[RationalMatrix]:
        """For each entry of LA, row by row, the W with Σ W_kl A_kl (d×d)."""
        d = left.shape[0]
        return [_placed(left.rows[k], j) for k in range(d) for j in range(d)]

    def form(self, X: RationalMatrix, T: RationalMatrix) -> IntervalMatrix:
        """A box (d×d) that holds Tᵀ(XA + AᵀX)T of every model of the set, X symmetric."""
        d, weights = X.shape[0], iter(self.form_weights(X, T))
        upper = {(k, j): self.ends(next(weights)) for k in range(d) for j in range(k, d)}
        return _box_of([[upper[min(k, j), max(k, j)] for j in range(d)] for k in range(d)])

    @staticmethod
    def form_weights(X: RationalMatrix, T: RationalMatrix) -> list[RationalMatrix]:
        """For each entry (k, j), k ≤ j, of Tᵀ(XA + AᵀX)T, row by row, the W with Σ W_kl A_kl (d×d)."""
        d, XT = X.shape[0], X @ T

        def weights(k: int, j: int) -> RationalMatrix:
            first = XT.take(columns=[k]) @ T.take(columns=[j]).T
            return first + XT.take(columns=[j]) @ T.take(columns=[k]).T

        return [weights(k, j) for k in range(d) for j in range(k, d)]

    def ends(self, W: RationalMatrix) -> tuple[Fraction, Fraction]:
        """Bounds of Σ W_kl A_kl over the set (W d×d)."""
        return rounded_down(-self._most(-W)), rounded_up(self._most(W))

    def ends_with(self, W: RationalMatrix, v: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
        """Bounds of Σ W_kl A_kl + Σ v_k b_k over the set (W d×d, v d numbers); bounds of rewards must be there."""
        return rounded_down(-self._most(-W, [-x for x in v])), rounded_up(self._most(W, v))

    def _most(self, W: RationalMatrix, v: Sequence[Fraction] = ()) -> Fraction:
        return self.walk.most(*self._asked(W, v), self.factors)

    def potential(self, W: RationalMatrix) -> list[int]:
        """The vector h (n numbers) by which Σ W_kl A_kl is bounded from above, in multiples of 1/UNIT of
        :mod:`tdcert.theory.samples.extremes`.
        """
        return self.walk.potential(*self._asked(W), self.factors)

    def _asked(self, W: RationalMatrix, v: Sequence[Fraction] = ()) -> tuple[list[Fraction], list[list[Fraction]]]:
        """What leaving each state is worth, and what coming to each from it is."""
        asked = (self.features @ W).rows
        c, worth = [], []
        for phi, u in zip(self.features.rows, asked, strict=True):
            c.append(-sum((x * y for x, y in zip(phi, u, strict=True)), start=Fraction(0)))
            used = [(k, x) for k, x in enumerate(u) if x]
            worth.append(
                [
                    sum((x * (high if x > 0 else low)[k] for k, x in used), start=Fraction(0))
                    for low, high in zip(self.ahead.lower, self.ahead.upper, strict=True)
                ]
            )
        if any(v):
            now, later = self.state_rewards, self.rewards_ahead
            for s, phi in enumerate(self.features.rows):
                z = sum((x * y for x, y in zip(phi, v, strict=True)), start=Fraction(0))
                c[s] += z * now[z > 0][s]
                worth[s] = [x + z * (high if z > 0 else low) for x, (low, high) in zip(worth[s], later, strict=True)]
        return c, worth

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


def _placed(column: tuple[Fraction, ...], j: int) -> RationalMatrix:
    """The d×d matrix with this column at place j, and zeros."""
    return RationalMatrix([[x if i == j else Fraction(0) for i in range(len(column))] for x in column])


def _box_of(ends: list[list[tuple[Fraction, Fraction]]]) -> IntervalMatrix:
    return IntervalMatrix(
        tuple(tuple(low for low, _ in row) for row in ends), tuple(tuple(high for _, high in row) for row in ends)
    )
