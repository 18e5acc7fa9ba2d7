r"""Markov decision processes with a behaviour and a target policy, features and a λ-schedule.

Everything a TD(λ)-schedule algorithm meets, exact. The discount may depend on the transition
(action, s, s'): then γP is replaced by N = Σ_a π(a|s) P_a ∘ Γ_a in every formula, which covers episodes
(a restart is a transition with discount zero).

**Independent draws.** With ``sampling``, a law D of states, a model is no path: each transition is drawn by itself, its
state from D, whatever came before, as from a replay buffer (Kolter, NeurIPS 2011; Manek and Kolter, 2022, for any D).
An update then begins each transition with an empty memory, as nothing came before.

Under missing coverage (π(a|s) > 0 where μ(a|s) = 0) an algorithm never sees the missing actions. What it does
see is the *covered* kernel: the sums over actions with μ(a|s) > 0, a sub-stochastic one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, reduce
from operator import add
from typing import TYPE_CHECKING, TypeVar

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.protocol import Matrix
from tdcert.theory.errors import InputError, by_shape, short
from tdcert.theory.model.chain import Chain, require_stochastic
from tdcert.theory.model.schedule import LambdaByState, Schedule

if TYPE_CHECKING:
    from tdcert.theory.model.canonical import CanonicalModel, ColumnOrMatrix

Mat = TypeVar("Mat", bound=Matrix)


_OF_THE_SCHEDULE = ("has_trace_sum", "kappa", "canonical", "digest")
"""What a model remembers once it was asked for, and depends on its schedule."""
NO_PATH = (
    "the transitions of this model are drawn independently, and this is a question about a path; leave out sampling"
)
"""Said of what asks a path of a model without one."""


@dataclass(frozen=True)
class Kernel:
    """What one step under the target policy does, as seen through the kernel's actions.

    ``N`` = Σ π P_a ∘ Γ_a (n×n, discounted), ``P`` = Σ π P_a (n×n), ``r`` = expected reward (n×1),
    ``mass`` = Σ π (n×1; all ones unless actions are left out).
    """

    N: RationalMatrix
    P: RationalMatrix
    r: RationalMatrix
    mass: RationalMatrix


@dataclass(frozen=True, eq=False)
class Model:
    """An MDP, two policies, features and a schedule; valid once built. Equal models have equal digests.

    ``transitions``: one n×n stochastic matrix per action. ``rewards`` and ``discounts``: per action n×n, or
    n×1 where they depend on the state left alone (discounts in [0,1]). ``behaviour``, ``target``: n×m
    stochastic. ``features``: n×d. ``sampling``: the law (n×1) of the state of each transition where they are drawn
    independently, None along a path. ``interest``: i(s) ≥ 0 of each state, None for one everywhere. Raises
    :class:`InputError` with one sentence otherwise.
    """

    actions: tuple[str, ...]
    transitions: tuple[RationalMatrix, ...]
    rewards: tuple[RationalMatrix, ...]
    discounts: tuple[RationalMatrix, ...]
    behaviour: RationalMatrix
    target: RationalMatrix
    features: RationalMatrix
    schedule: Schedule
    name: str = ""
    sampling: RationalMatrix | None = None
    interest: tuple[Fraction, ...] | None = None
    ratio_kernels: dict[int, RationalMatrix] = field(init=False, repr=False, default_factory=dict)
    """The kernels of :func:`~tdcert.theory.check.trace_law.ratio_kernel` that were asked for, under any schedule."""

    def __post_init__(self) -> None:
        m = len(self.actions)
        if m == 0 or len(self.transitions) != m or len(self.rewards) != m or len(self.discounts) != m:
            raise InputError("transitions, rewards and discount must each be given for every action, at least one")
        if len(set(self.actions)) != m:
            raise InputError("two actions have the same name; give each its own")
        n = self.transitions[0].shape[0]
        for name, P in zip(self.actions, self.transitions, strict=True):
            what = "the transition matrix" + (f" of action '{name}'" if m > 1 else "")
            if P.shape != (n, n) or n == 0:
                raise InputError(f"{what} has shape {by_shape(P.shape)}; give {n}×{n}, with at least one state")
            require_stochastic(P, what)
        object.__setattr__(self, "rewards", tuple(_collapse(R, n, "rewards") for R in self.rewards))
        object.__setattr__(self, "discounts", tuple(_collapse(G, n, "discounts") for G in self.discounts))
        for G in self.discounts:
            if not all(0 <= entry <= G.denominator for entry in G.numerator.entries()):
                worst = next(x for row in G.rows for x in row if not 0 <= x <= 1)
                raise InputError(f"the discount {short(worst)} lies outside [0, 1]; give a number from 0 to 1")
        for what, policy in (("the behaviour policy", self.behaviour), ("the target policy", self.target)):
            if policy.shape != (n, m):
                raise InputError(f"{what} has shape {by_shape(policy.shape)}; give {n}×{m} (states × actions)")
            require_stochastic(policy, what)
        if self.features.shape[0] != n or self.features.shape[1] == 0:
            raise InputError(
                f"the features have shape {by_shape(self.features.shape)}; give one row for each of the {n} states "
                "and at least one column"
            )
        self._require_lambdas()
        if self.interest is not None and (len(self.interest) != n or min(self.interest) < 0):
            raise InputError(f"the interest is not one of {n} states; give {n} numbers that are not negative")
        if self.sampling is not None:
            if self.sampling.shape != (n, 1):
                shape = by_shape(self.sampling.shape)
                raise InputError(f"the sampling law has shape {shape}; give one weight for each of the {n} states")
            require_stochastic(self.sampling.T, "the sampling law")

    def _require_lambdas(self) -> None:
        """A λ by state is one for each state."""
        if (found := self.lambda_by_state) is not None and len(found) != self.n:
            raise InputError(f"λ is given by state for {len(found)} states; give {self.n} numbers, one for each state")

    @staticmethod
    def reward_process(
        P: RationalMatrix,
        r: RationalMatrix,
        gamma: Fraction | RationalMatrix,
        features: RationalMatrix | None = None,
        schedule: Schedule | None = None,
        name: str = "",
    ) -> Model:
        """A model with one action: chain P (n×n), reward r (n×n or n×1), discount a number or n×n."""
        n = P.shape[0]
        ones = RationalMatrix.column([1] * n)
        discount = gamma if isinstance(gamma, RationalMatrix) else ones.scaled(gamma)
        Phi = P.identity(n) if features is None else features
        return Model(("only",), (P,), (r,), (discount,), ones, ones, Phi, schedule or Schedule(), name)

    def with_schedule(self, schedule: Schedule) -> Model:
        """A copy of the model under another schedule; what does not depend on the schedule is not computed again."""
        made = copy(self)
        object.__setattr__(made, "schedule", schedule)
        made._require_lambdas()
        for name in _OF_THE_SCHEDULE:
            made.__dict__.pop(name, None)
        return made

    @property
    def without_interest(self) -> Model:
        """The model with the interest one everywhere, for what no interest enters."""
        return self if self.interest is None else replace(self, interest=None)

    def with_features(self, features: RationalMatrix) -> Model:
        """A copy of the model with other features (n×d)."""
        return replace(self, features=features)

    def drawn_independently(self, law: RationalMatrix | None = None) -> Model:
        """The model with transitions that are drawn independently, their states from ``law`` (n×1), by default from the
        stationary law of the behaviour chain. Raises :class:`InputError` where that is not one law.
        """
        if law is None:
            classes = self.behaviour_chain.recurrent_classes
            if len(classes) != 1:
                raise InputError(
                    f"the behaviour chain has {len(classes)} recurrent classes, and each has a stationary law; give "
                    "the sampling law, one weight for each state"
                )
            law = self.behaviour_chain.stationary_law(classes[0])
        return replace(self, sampling=law)

    @property
    def n(self) -> int:
        """Number of states."""
        return self.behaviour.shape[0]

    @property
    def d(self) -> int:
        """Number of features."""
        return self.features.shape[1]

    @cached_property
    def behaviour_chain(self) -> Chain:
        """The chain that the behaviour policy walks, P_μ. Raises :class:`InputError` where transitions are drawn
        independently.
        """
        if self.sampling is not None:
            raise InputError(NO_PATH)
        return Chain(self.behaviour_kernel.P)

    @property
    def behaviour_kernel(self) -> Kernel:
        """One step under the behaviour policy."""
        return self.target_kernel if self.is_on_policy else self._kernel(self.behaviour)

    @cached_property
    def classes(self) -> tuple[tuple[int, ...], ...]:
        """The sets of states on which an update is asked about: the recurrent classes; where transitions are drawn
        independently, the states that are drawn.
        """
        if self.sampling is None:
            return self.behaviour_chain.recurrent_classes
        return (tuple(s for s, (weight,) in enumerate(self.sampling.rows) if weight),)

    def law_of(self, states: tuple[int, ...]) -> RationalMatrix:
        """The law (n×1) of the state of a transition, on one of the :attr:`classes`."""
        return self.behaviour_chain.stationary_law(states) if self.sampling is None else self.sampling

    @cached_property
    def target_kernel(self) -> Kernel:
        """The kernel of the theorems: all actions of the target policy."""
        return self._kernel(self.target)

    @cached_property
    def covered_kernel(self) -> Kernel:
        """The kernel an algorithm meets under the behaviour policy: target actions with μ(a|s) > 0 only."""
        return self._kernel(self.covered_policy) if self.uncovered else self.target_kernel

    @cached_property
    def covered_policy(self) -> RationalMatrix:
        """The target policy (n×m) without what the behaviour policy never does; rows may sum to less than one."""
        missing = set(self.uncovered)
        kept = [
            [p if (s, a) not in missing else Fraction(0) for a, p in enumerate(row)]
            for s, row in enumerate(self.target.rows)
        ]
        return RationalMatrix(kept)

    def _kernel(self, weights: RationalMatrix) -> Kernel:
        """The kernel of non-negative action weights (n×m), a policy or a part of one."""
        columns = [weights.take(columns=[a]) for a in range(len(self.actions))]
        return Kernel(*mix_actions(self.transitions, self.discounts, self.rewards, columns, self.gamma))

    @cached_property
    def uncovered(self) -> tuple[tuple[int, int], ...]:
        """(state, action) pairs with π(a|s) > 0 and μ(a|s) = 0."""
        pairs = []
        for s, (mu, pi) in enumerate(zip(self.behaviour.rows, self.target.rows, strict=True)):
            pairs += [(s, a) for a in range(len(self.actions)) if pi[a] > 0 and mu[a] == 0]
        return tuple(pairs)

    @cached_property
    def uncovered_when_recurrent(self) -> tuple[tuple[int, int], ...]:
        """:attr:`uncovered` at the recurrent states of the behaviour chain.

        A missing pair at a transient state changes no stationary mean: the target policy does not leave a recurrent
        class on which every pair is covered.
        """
        if not self.uncovered:
            return ()
        met = {s for states in self.classes for s in states}
        return tuple((s, a) for s, a in self.uncovered if s in met)

    def reached_by_target(self, states: Sequence[int]) -> tuple[int, ...]:
        """The states that the target policy reaches from the given ones before a discount of zero, themselves included.

        The returns from the given states depend on no others.
        """
        N, found, waiting = self.target_kernel.N, set(states), list(states)
        while waiting:
            new = {j for j, p in enumerate(N.rows[waiting.pop()]) if p} - found
            found |= new
            waiting += new
        return tuple(sorted(found))

    @property
    def is_on_policy(self) -> bool:
        """Whether behaviour and target policy are equal."""
        return self.behaviour == self.target

    @cached_property
    def is_on_policy_when_recurrent(self) -> bool:
        """Whether they are equal at the recurrent states: transient states have no weight in a stationary mean."""
        if self.is_on_policy:
            return True
        mu, pi = self.behaviour.rows, self.target.rows
        return all(mu[s] == pi[s] for states in self.classes for s in states)

    @cached_property
    def gamma(self) -> Fraction | None:
        """The discount where it is one number for all transitions; None where it is not."""
        values = {entry for G in self.discounts for row in G.rows for entry in row}
        return values.pop() if len(values) == 1 else None

    @cached_property
    def recurrent_discounts(self) -> frozenset[Fraction]:
        """The discounts of the transitions that the behaviour policy makes from its recurrent states."""
        return frozenset(
            G[s, j if G.shape[1] > 1 else 0]
            for states in self.classes
            for s in states
            for mu, P, G in zip(self.behaviour.rows[s], self.transitions, self.discounts, strict=True)
            if mu
            for j, p in enumerate(P.rows[s])
            if p
        )

    def has_value_from(self, states: Sequence[int]) -> bool:
        """Whether V^π is determined at these states: I − N is nonsingular on what is reached from them."""
        return self._sums(states, None)

    def _sums(self, states: Sequence[int], lambdas: RationalMatrix | None) -> bool:
        """Whether I − NΛ is nonsingular on what N reaches from these states; Λ the ``lambdas`` (n×1), else I."""
        reached = self.reached_by_target(states)
        N = self.target_kernel.N.take(reached, reached)
        if lambdas is not None:
            N = N.T.scale_rows(lambdas.take(rows=reached)).T
        return (N.identity(len(reached)) - N).rank == len(reached)

    @property
    def lambda_by_state(self) -> tuple[Fraction, ...] | None:
        """λ(s) of each state where it is given by state; None under a λ-schedule."""
        return self.schedule.by_state if isinstance(self.schedule, LambdaByState) else None

    @cached_property
    def has_trace_sum(self) -> bool:
        """Whether Σ c_k N^k has a sum: always, but for λ = 1 without a length where I − N is singular."""
        return self.has_trace_sum_on(range(self.n))

    def has_trace_sum_on(self, states: Sequence[int]) -> bool:
        """Whether D Σ c_k N^k has a sum, D the law on a recurrent class: so that A and b are defined there.

        Only the rows of the class matter; a transient state that the class never reaches may lack a sum. With λ by
        state the sum is that of the powers of NΛ.
        """
        if (lambdas := self.lambda_by_state) is None:
            return self.schedule.tail != 1 or self.has_value_from(states)
        return self._sums(states, RationalMatrix.column(lambdas))

    @cached_property
    def kappa(self) -> Fraction | None:
        """κ = Σ w_n γⁿ; None where the discount depends on the transition, or the series has no sum."""
        return self.schedule.kappa_if_defined(self.gamma)

    @cached_property
    def canonical(self) -> CanonicalModel:
        """The canonical form of docs/certificates.md: lowest terms, all features and λ's, no name."""
        named = list(zip(self.actions, range(len(self.actions)), strict=True))
        found: CanonicalModel = {
            "format": "tdcert-model/1",
            "actions": list(self.actions),
            "transitions": {name: self.transitions[a].to_strings() for name, a in named},
            "rewards": {name: _column_or_square(self.rewards[a]) for name, a in named},
            "discount": (
                str(self.gamma)
                if self.gamma is not None
                else {name: _column_or_square(self.discounts[a]) for name, a in named}
            ),
            "behaviour": self.behaviour.to_strings(),
            "target": self.target.to_strings(),
            "features": self.features.to_strings(),
            "schedule": self.schedule.canonical,
        }
        if self.sampling is not None:
            found |= {"sampling": "independent", "sampling_law": self.sampling.T.to_strings()[0]}
        if self.interest is not None:
            found |= {"interest": [str(x) for x in self.interest]}
        return found

    @staticmethod
    def of_canonical(body: CanonicalModel) -> Model:
        """The model that has this canonical form; the λ's may lie outside [0, 1]."""
        actions, discount, schedule = body["actions"], body["discount"], body["schedule"]
        if isinstance(discount, str):
            discount = dict.fromkeys(actions, [discount] * len(body["features"]))
        tail = Fraction(schedule["constant"]["lambda"]) if "constant" in schedule else Fraction(0)
        held = Schedule(tuple(map(Fraction, schedule.get("lambdas", ()))), tail)
        if "by_state" in schedule:
            held = LambdaByState([Fraction(x) for x in schedule["by_state"]])
        return Model(
            tuple(actions),
            tuple(_matrix(body["transitions"][a]) for a in actions),
            tuple(_matrix(body["rewards"][a]) for a in actions),
            tuple(_matrix(discount[a]) for a in actions),
            _matrix(body["behaviour"]),
            _matrix(body["target"]),
            _matrix(body["features"]),
            held,
            "",
            _matrix([[x] for x in body["sampling_law"]]) if "sampling_law" in body else None,
            tuple(map(Fraction, body["interest"])) if "interest" in body else None,
        )

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the canonical JSON."""
        text = json.dumps(self.canonical, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode("ascii")).hexdigest()


def mix_actions(
    transitions: Sequence[Mat],
    discounts: Sequence[Mat],
    rewards: Sequence[Mat],
    weights: Sequence[Mat],
    gamma: Fraction | None = None,
) -> tuple[Mat, Mat, Mat, Mat]:
    """(N, P, r, mass) of :class:`Kernel`, with the weight of each action as an n×1 column, in any number system.

    ``gamma``: the discount, where it is one number.
    """
    weighted = [P.scale_rows(w) for P, w in zip(transitions, weights, strict=True)]
    ones = weighted[0].from_rationals([[Fraction(1)]] * weighted[0].shape[0])
    total = reduce(add, weighted)
    N = total.scaled(gamma) if gamma is not None else reduce(add, map(spread, weighted, discounts))
    r = reduce(add, (spread(P, R) @ ones for P, R in zip(weighted, rewards, strict=True)))
    return N, total, r, reduce(add, weights)


def spread(weighted: Mat, values: Mat) -> Mat:
    """Entry-wise product with values given per transition (n×n) or per state left (n×1)."""
    return weighted.scale_rows(values) if values.shape[1] == 1 else weighted.hadamard(values)


def _collapse(values: RationalMatrix, n: int, what: str) -> RationalMatrix:
    """n×1 where every row of an n×n matrix is constant, so that equal models have equal digests."""
    if values.shape == (n, 1):
        return values
    if values.shape != (n, n):
        raise InputError(f"the {what} have shape {by_shape(values.shape)}; give {n}×{n}, or {n} numbers")
    table = values.numerator.table()
    if all(all(entry == row[0] for entry in row) for row in table):
        return values.take(columns=[0])
    return values


def _matrix(rows: ColumnOrMatrix | list[list[str]]) -> RationalMatrix:
    """Rows of rational strings, or one for each row of a column."""
    return RationalMatrix([[Fraction(x) for x in (row if isinstance(row, list) else [row])] for row in rows])


def _column_or_square(values: RationalMatrix) -> ColumnOrMatrix:
    strings = values.to_strings()
    return [row[0] if values.shape[1] == 1 else row for row in strings]
