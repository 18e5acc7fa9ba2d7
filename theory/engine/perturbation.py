r"""The models around a model: which of its numbers change, by how much, and how far its stationary law then moves.

Four kinds of change, and all are of laws. *Transitions*: the rows P_a(s, ·). *Behaviour*: the policies μ(· | s).
*Target*: the policies π(· | s). *Discount*: γ is the probability of going on and 1 − γ that of stopping, a law of two
outcomes: one of them where the model has one discount, else one for each transition. A model is within ε where each of
these laws is, in total variation: half the sum of absolute differences, and |γ' − γ|. Everything else stays.

*Zeros.* Transitions of probability zero may become positive, and positive ones zero. Of policies, coverage is kept:
π'(a|s) = 0 where μ(a|s) = 0, as no ratio π/μ is defined there, and μ'(a|s) > 0 where π(a|s) > 0. So an action that
neither policy takes may be taken by μ', with the ratio zero. A discount below one stays below one.

*The stationary law.* Let P be the chain of the behaviour policy, with one recurrent class and the law d, and
Z = (I − P + 1dᵀ)⁻¹. For any law d' with d'P' = d' and E = P' − P, from d'(I − P) = d'E and (I − P)Z = I − 1dᵀ,

    d' − d = d' E Z        (Schweitzer 1968)

exactly, however large E is, and whatever the recurrent classes of P' are. For a column z of Z, a row of Ez is at most ε
times the span of what the law that moves weighs: of z over states for transitions, as the rows of
E = Σ_a μ(a|s)(P'_a − P_a) are mixtures; of (P_a z)(s) over actions for the behaviour policy. With the largest span
over s, |d'_j − d_j| ≤ ε span_j. Neither target nor discount move the law; where transitions are drawn independently it
is given, and nothing does.

Sources: Schweitzer, *Perturbation theory and finite Markov chains*, J. Appl. Prob. 5 (1968); Seneta, *Sensitivity of
finite Markov chains under perturbation*, Statist. Probab. Lett. 17 (1993), for bounds by spans of this kind.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.engine.terms import NUMBERS, Exponents
from tdcert.theory.laws.windows import StepOutcome
from tdcert.theory.model.mdp import Model

Row = tuple[Fraction, ...]
"""A law: probabilities of its outcomes."""
Key = tuple[int, ...]
"""Which law: a state, an action and a state, a transition; empty for the one discount of a model."""
Entry = tuple[Key, int]
"""An outcome of a law."""
P, MU, PI, GAMMA = "P", "mu", "pi", "gamma"
"""What the probability of a transition, its ratio and its discount are products of."""
UNCOVERED = "the target policy takes actions that the behaviour policy never does, and coverage is what is kept"
RHO_AT, PI_AT, MU_AT, DISCOUNT_AT = map(NUMBERS.index, ("rho", "pi", "mu", "discount"))


class Change(StrEnum):
    """What changes."""

    TRANSITIONS = "transitions"
    DISCOUNT = "discount"
    BEHAVIOUR = "behaviour"
    TARGET = "target"


@dataclass(frozen=True)
class Perturbation(ABC):
    """The models around a ``model``, which has one recurrent class, or independent draws.

    ``factor``: which factor of a transition changes; ``varies``: which numbers of a transition do.
    """

    model: Model
    change: ClassVar[Change]
    factor: ClassVar[str]
    varies: ClassVar[frozenset[str]]

    # ---- the laws that change -------------------------------------------------------------------

    @cached_property
    def rows(self) -> Mapping[Key, Row]:
        """The laws that may change."""
        return dict(self._rows_of(self.model))

    @abstractmethod
    def _rows_of(self, model: Model) -> Iterator[tuple[Key, Row]]:
        """These laws of a model."""

    @abstractmethod
    def moved(self, rows: Mapping[Key, Sequence[Fraction]]) -> Model:
        """The model with these laws in the place of its own."""

    @abstractmethod
    def entry(self, outcome: StepOutcome) -> Entry:
        """Which outcome of which law stands in a transition."""

    def may_happen(self, key: Key, outcome: int) -> bool:
        """Whether an outcome may have a positive probability."""
        return True

    def must_happen(self, key: Key, outcome: int) -> bool:
        """Whether the probability of an outcome stays positive."""
        return False

    def matters(self, key: Key) -> bool:
        """Whether anything depends on a law."""
        return True

    @property
    def refusal(self) -> str:
        """Why nothing is asked around this model; empty where it is."""
        return ""

    def distance(self, other: Model) -> Fraction:
        """The largest distance of two laws in total variation."""
        return max(
            sum((abs(x - y) for x, y in zip(self.rows[key], row, strict=True)), start=Fraction(0)) / 2
            for key, row in self._rows_of(other)
        )

    # ---- what depends on them -------------------------------------------------------------------

    @property
    def every(self) -> Model:
        """A model of the same numbers in which each transition is possible that is in some model around."""
        return self.model

    def factors(self, outcome: StepOutcome) -> dict[str, Fraction]:
        """The factors of a transition, in the model itself."""
        s, a, model = outcome.state, outcome.action, self.model
        p = model.transitions[a][s, outcome.after]
        return {P: p, MU: model.behaviour[s, a], PI: model.target[s, a], GAMMA: outcome.discount}

    @cached_property
    def law(self) -> Row:
        """The stationary law, zero at transient states."""
        return tuple(self.model.law_of(self.model.classes[0]).column_entries())

    @cached_property
    def spans(self) -> Row:
        """span_j: the law of state j moves by at most ε times that."""
        if self.model.sampling is not None:
            return (Fraction(0),) * self.model.n
        return self._spans()

    def _spans(self) -> Row:
        return (Fraction(0),) * self.model.n

    @cached_property
    def fundamental(self) -> RationalMatrix:
        """Z = (I − P + 1dᵀ)⁻¹."""
        chain, n = self.model.behaviour_chain.P, self.model.n
        one = chain.identity(n)
        return (one - chain + RationalMatrix.column([1] * n) @ RationalMatrix([list(self.law)])).solve(one)

    @cached_property
    def ahead(self) -> RationalMatrix:
        """E_π φ' of each state (n×d), in the model itself."""
        return self.model.target_kernel.P @ self.model.features

    @property
    def ahead_spans(self) -> Sequence[Row] | None:
        """By how many times ε the entries of E_π φ' move at most; None where they do not."""
        return None


def span(values: Sequence[Fraction]) -> Fraction:
    """The difference of the largest and the smallest; 0 of none."""
    return max(values) - min(values) if values else Fraction(0)


def exponents(powers: Exponents, weight: int = 1) -> dict[str, int]:
    """Exponents of the factors in a monomial of a transition's numbers, times its probability Pμ (``weight`` 1)."""
    rho = powers[RHO_AT]
    return {P: weight, MU: weight - rho + powers[MU_AT], PI: rho + powers[PI_AT], GAMMA: powers[DISCOUNT_AT]}


class PerturbedTransitions(Perturbation):
    """The transitions change: rows P_a(s, ·)."""

    change, factor, varies = Change.TRANSITIONS, P, frozenset[str]()

    def _rows_of(self, model: Model) -> Iterator[tuple[Key, Row]]:
        for a, matrix in enumerate(model.transitions):
            yield from (((a, s), tuple(row)) for s, row in enumerate(matrix.rows))

    def moved(self, rows: Mapping[Key, Sequence[Fraction]]) -> Model:
        """The model with these rows of its transitions."""
        n = self.model.n
        made = [RationalMatrix([list(rows[a, s]) for s in range(n)]) for a in range(len(self.model.actions))]
        return replace(self.model, transitions=tuple(made))

    def matters(self, key: Key) -> bool:
        """Whether the action is taken."""
        return self.model.behaviour[key[1], key[0]] > 0

    def entry(self, outcome: StepOutcome) -> Entry:
        """The successor after an action in a state."""
        return (outcome.action, outcome.state), outcome.after

    @cached_property
    def every(self) -> Model:
        """Each pair of states is a transition."""
        n = self.model.n
        even = RationalMatrix([[Fraction(1, n)] * n] * n)
        return replace(self.model, transitions=tuple((p + even).scaled(Fraction(1, 2)) for p in self.model.transitions))

    def _spans(self) -> Row:
        return tuple(map(span, self.fundamental.T.rows))

    @property
    def ahead_spans(self) -> Sequence[Row]:
        """The spans of the features over states."""
        return [tuple(map(span, self.model.features.T.rows))] * self.model.n


class PerturbedDiscount(Perturbation):
    """The discount changes: one number where the model has one, else that of each transition."""

    change, factor, varies = Change.DISCOUNT, GAMMA, frozenset({"t.discount", "t.discount_before"})

    def _rows_of(self, model: Model) -> Iterator[tuple[Key, Row]]:
        if self.model.gamma is not None:
            gamma = model.discounts[0][0, 0]
            yield (), (gamma, 1 - gamma)
            return
        for a, (matrix, discounts) in enumerate(zip(self.model.transitions, model.discounts, strict=True)):
            for s, row in enumerate(matrix.rows):
                if self.model.behaviour[s, a]:
                    for j in (j for j, p in enumerate(row) if p):
                        gamma = discounts[s, j if discounts.shape[1] > 1 else 0]
                        yield (a, s, j), (gamma, 1 - gamma)

    def moved(self, rows: Mapping[Key, Sequence[Fraction]]) -> Model:
        """The model with these discounts."""
        n, made = self.model.n, []
        for a, discounts in enumerate(self.model.discounts):
            if self.model.gamma is not None:
                made.append(RationalMatrix.column([rows[()][0]] * n))
                continue
            width = discounts.shape[1]
            matrix = [[discounts[s, j if width > 1 else 0] for j in range(n)] for s in range(n)]
            for key, row in rows.items():
                if key[0] == a:
                    matrix[key[1]][key[2]] = row[0]
            made.append(RationalMatrix(matrix))
        return replace(self.model, discounts=tuple(made))

    def entry(self, outcome: StepOutcome) -> Entry:
        """Going on, at a transition."""
        return ((), 0) if self.model.gamma is not None else ((outcome.action, outcome.state, outcome.after), 0)

    def must_happen(self, key: Key, outcome: int) -> bool:
        """A discount below one stays below one."""
        return outcome == 1 and self.rows[key][1] > 0


class PerturbedPolicy(Perturbation):
    """A policy changes: laws of actions, one for each state."""

    def _rows_of(self, model: Model) -> Iterator[tuple[Key, Row]]:
        for s, row in enumerate(self._policy(model).rows):
            yield (s,), tuple(row)

    @abstractmethod
    def _policy(self, model: Model) -> RationalMatrix:
        """The policy (n×m)."""

    def entry(self, outcome: StepOutcome) -> Entry:
        """The action in a state."""
        return (outcome.state,), outcome.action

    @property
    def refusal(self) -> str:
        """Why nothing is asked around this model: coverage is missing."""
        return UNCOVERED if self.model.uncovered else ""

    def _ahead(self, s: int, X: RationalMatrix, actions: Sequence[int]) -> list[list[Fraction]]:
        """(P_a X)(s) of these actions, entry by entry."""
        ahead = [(self.model.transitions[a].take(rows=[s]) @ X).rows[0] for a in actions]
        return [list(column) for column in zip(*ahead, strict=True)]


class PerturbedBehaviour(PerturbedPolicy):
    """The behaviour policy changes, and takes what the target policy takes."""

    change, factor, varies = Change.BEHAVIOUR, MU, frozenset({"t.rho", "t.mu", "t.rho_before"})

    def _policy(self, model: Model) -> RationalMatrix:
        return model.behaviour

    def moved(self, rows: Mapping[Key, Sequence[Fraction]]) -> Model:
        """The model with this behaviour policy."""
        return replace(self.model, behaviour=RationalMatrix([list(rows[s,]) for s in range(self.model.n)]))

    def must_happen(self, key: Key, outcome: int) -> bool:
        """What the target policy takes is taken."""
        return self.model.target[key[0], outcome] > 0

    @cached_property
    def every(self) -> Model:
        """Every action is taken."""
        m = len(self.model.actions)
        even = RationalMatrix([[Fraction(1, m)] * m] * self.model.n)
        return replace(self.model, behaviour=(self.model.behaviour + even).scaled(Fraction(1, 2)))

    def _spans(self) -> Row:
        actions = range(len(self.model.actions))
        each = [[span(x) for x in self._ahead(s, self.fundamental, actions)] for s in range(self.model.n)]
        return tuple(map(max, zip(*each, strict=True)))


class PerturbedTarget(PerturbedPolicy):
    """The target policy changes, and takes only what the behaviour policy takes."""

    change, factor, varies = Change.TARGET, PI, frozenset({"t.rho", "t.pi", "t.rho_before"})

    def _policy(self, model: Model) -> RationalMatrix:
        return model.target

    def moved(self, rows: Mapping[Key, Sequence[Fraction]]) -> Model:
        """The model with this target policy."""
        return replace(self.model, target=RationalMatrix([list(rows[s,]) for s in range(self.model.n)]))

    def may_happen(self, key: Key, outcome: int) -> bool:
        """Only what the behaviour policy takes is taken."""
        return self.model.behaviour[key[0], outcome] > 0

    @cached_property
    def ahead_spans(self) -> Sequence[Row]:
        """The spans of E[φ' | s, a] over the actions that may be taken."""
        n, m, Phi = self.model.n, len(self.model.actions), self.model.features
        taken = [[a for a in range(m) if self.may_happen((s,), a)] for s in range(n)]
        return [tuple(span(x) for x in self._ahead(s, Phi, taken[s])) for s in range(n)]


KINDS: Mapping[Change, type[Perturbation]] = {
    kind.change: kind for kind in (PerturbedTransitions, PerturbedDiscount, PerturbedBehaviour, PerturbedTarget)
}
"""What is looked at, by what changes."""
