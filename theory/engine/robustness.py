r"""How far transitions may change before mean dynamics have another verdict: a certified radius, and a counter-model.

The models around a model: every matrix of transitions P_a is replaced by a stochastic P'_a, each of whose rows is
within ε of the row of P_a in total variation (half the sum of absolute differences). *All* such P' are meant: entries
that are zero may become positive, positive ones zero, and recurrent classes may change. Policies, rewards, discounts
and features stay. "The verdict holds at P'" means: on every recurrent class of P' it is that of P.

*The stationary law.* Let P be the chain of the behaviour policy, with one recurrent class and the law μ, and
Z = (I − P + 1μᵀ)⁻¹. For any law μ' with μ'P' = μ' and E = P' − P, from μ'(I − P) = μ'E and (I − P)Z = I − 1μᵀ,

    μ' − μ = μ' E Z        (Schweitzer 1968)

exactly, however large E is, and whatever the recurrent classes of P' are. A row e of E sums to zero and |e|₁ ≤ 2ε, as
rows of Σ_a μ(a|s)(P'_a − P_a) are mixtures of such rows; so |e z| ≤ ε (max z − min z) for every column z of Z, and

    |μ'_j − μ_j| ≤ ε (max_k Z_kj − min_k Z_kj).

*The mean matrix.* On all pairs of states as transitions, the update is evaluated as on any model
(:mod:`tdcert.theory.engine.terms`), with balls for the probabilities, [max(0, p − ε), min(1, p + ε)] times μ(a|s), and
for μ'; a sum Σ p c x over the successors of a state and an action is within μ(a|s) ε (max cx − min cx) of that of P, as
above, where it is taken as one. What comes out of :mod:`tdcert.theory.engine.products` contains the mean matrix J(P')
of every P' and each of its recurrent classes: states outside a class have law zero there, and the memory's sizes
contract at the upper ends of all balls, so the system of its mean has one solution, which is that of the class, and
zero outside. Where a Lyapunov form of the centre decides every member of the balls
(:mod:`tdcert.theory.enclose.mean_matrix`), it decides every J(P'): a Hurwitz J is nonsingular, so updates see all
parameters, and an eigenvalue with positive real part is one of the quotient too, as J = J_B T and T J_B have the same
eigenvalues but for zero.

The radius is found by halving and bisection; each step stands on its own, and the last one that was certified is told.
A counter-model is searched for in floats, along the rows by which the abscissa moves fastest, and decided exactly.

Sources: Schweitzer, *Perturbation theory and finite Markov chains*, J. Appl. Prob. 5 (1968); Seneta, *Sensitivity of
finite Markov chains under perturbation*, Statist. Probab. Lett. 17 (1993), for bounds by spans of this kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from flint import arb

from tdcert.theory.arithmetic import BallMatrix, RationalMatrix
from tdcert.theory.arithmetic.ball import precision
from tdcert.theory.arithmetic.rational import to_fmpq, to_fraction
from tdcert.theory.check.mean_matrix import Dynamics, MeanDynamics
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.dynamics import Decided, at_ratios, quotient, time_scales, two_time_scales
from tdcert.theory.engine.first_order import with_mean_dynamics
from tdcert.theory.engine.means import Stationary, traced_or_none
from tdcert.theory.engine.memory import Scalar
from tdcert.theory.engine.products import Products
from tdcert.theory.engine.terms import AHEAD, DOTS, NEXT, NUMBERS, Terms
from tdcert.theory.errors import BudgetExceededError, InputError, SingularMatrixError
from tdcert.theory.laws.windows import StepOutcome
from tdcert.theory.limits import COUNTER_ENTRIES, ROBUST_STATES, beyond, multiple, raised
from tdcert.theory.model.mdp import Model

BITS = 96
"""Precision of the balls: their roundings are far below every radius that is asked about."""
SMALLEST = Fraction(1, 2**20)
"""The smallest radius that is tried."""
BISECTIONS = 7
"""Steps between a radius that is certified and one that is not."""
NUDGE = Fraction(1, 2**12)
"""How much mass moves where the search looks how fast the abscissa moves; nothing is decided by it."""
ROUNDS = 2
"""How often the search looks again, from the model it found."""
DECIDED = (MeanDynamics.STABLE, MeanDynamics.UNSTABLE)
ONE = Fraction(1)


def differ(verdict: MeanDynamics, other: MeanDynamics) -> bool:
    """Whether another verdict, once it is decided, says otherwise: predictions that converge modulo the null space of
    features that became dependent on a class still converge.
    """
    return other is not MeanDynamics.UNDECIDED and other is not verdict and not (verdict.is_stable and other.is_stable)


@dataclass(frozen=True)
class CounterModel:
    """A model whose rows are within ``distance`` of those of another in total variation, one of them at exactly that
    distance, and its ``verdict`` on the recurrent class ``states``, decided exactly.
    """

    distance: Fraction
    model: Model
    states: tuple[int, ...]
    verdict: MeanDynamics


@dataclass(frozen=True)
class Robustness:
    """``verdict`` holds for all transitions within ``within`` of each row in total variation; 0 where nothing is
    certified around the model. ``counter``: a model at some distance where it does not, None where none was found.
    ``why``: what is missing; empty where nothing is.
    """

    verdict: MeanDynamics
    within: Fraction
    counter: CounterModel | None
    why: str = ""

    def __post_init__(self) -> None:
        if self.verdict not in DECIDED or not 0 <= self.within <= 1:
            raise InputError("a robust verdict is stable or unstable, within a distance from 0 to 1")
        counter = self.counter
        if counter is not None and (counter.distance <= self.within or not differ(self.verdict, counter.verdict)):
            raise InputError("a counter-model has another verdict, beyond the distance within which it holds")


@dataclass(frozen=True)
class Centre:
    """A model with one recurrent class, around which others are looked at."""

    model: Model

    @cached_property
    def law(self) -> RationalMatrix:
        """μ (n×1), zero at transient states."""
        (states,) = self.model.behaviour_chain.recurrent_classes
        return self.model.behaviour_chain.stationary_law(states)

    @cached_property
    def spans(self) -> tuple[Fraction, ...]:
        """max_k Z_kj − min_k Z_kj of each state j: |μ'_j − μ_j| is at most ε times that."""
        P, n = self.model.behaviour_chain.P, self.model.n
        one = P.identity(n)
        Z = (one - P + RationalMatrix.column([1] * n) @ self.law.T).solve(one)
        return tuple(max(column) - min(column) for column in Z.T.rows)

    @cached_property
    def all_pairs(self) -> Model:
        """A model of the same numbers in which each pair of states has a positive probability."""
        n = self.model.n
        even = RationalMatrix([[Fraction(1, n)] * n] * n)
        return replace(self.model, transitions=tuple((P + even).scaled(Fraction(1, 2)) for P in self.model.transitions))


def between(low: Fraction, high: Fraction) -> arb:
    """The ball of the numbers between two ends."""
    return arb(to_fmpq((low + high) / 2), arb(to_fmpq((high - low) / 2)).abs_upper())


def probability(p: Fraction, mu: Fraction, epsilon: Fraction) -> arb:
    """All probabilities of an action (``mu``) and a successor (``p`` after it, and what is within ``epsilon``)."""
    return between(mu * max(Fraction(0), p - epsilon), mu * min(ONE, p + epsilon))


def at_centre(centre: Model, outcome: StepOutcome) -> tuple[Fraction, Fraction]:
    """The probability of a successor after its action, and that of the action."""
    s, a = outcome.state, outcome.action
    return centre.transitions[a][s, outcome.after], centre.behaviour[s, a]


class ProductsAround(Products[BallMatrix]):
    """Means on all models within ε, whose row sums Σ p x keep to the total variation: see the head of this file."""

    def __init__(self, terms: Terms, law: Sequence[Scalar], centre: Model, epsilon: Fraction) -> None:
        self.centre, self.epsilon = centre, epsilon
        weights = [probability(*at_centre(centre, passage.outcome), epsilon) for passage in terms.passages]
        super().__init__(terms, law, BallMatrix, weights)

    def _along(self, number: int, v: int) -> BallMatrix:
        if v == NEXT:
            Phi = self.terms.model.features.take(rows=[context[0] for context in self.terms.contexts])
            found: BallMatrix = self._cached(v, number, lambda: self._expected(number, Phi))
            return found
        known: BallMatrix = super()._along(number, v)
        return known

    def _sums(self, number: int) -> BallMatrix:
        return self._expected(number, RationalMatrix([[1]] * self.n))

    def _expected(self, number: int, X: RationalMatrix) -> BallMatrix:
        """Σ_{h → h'} p c X(h'), in each context h."""
        term = next(one for one, its in self._present.items() if its == number)
        width, moves = X.shape[1], dict[tuple[int, int], list[tuple[Fraction, Fraction, tuple[Fraction, ...]]]]()
        for passage in self.terms.passages:
            c = to_fraction(self.terms.value(passage, term))
            values = tuple(c * x for x in X.rows[passage.target])
            here = moves.setdefault((passage.source, passage.outcome.action), [])
            here.append((*at_centre(self.centre, passage.outcome), values))
        middle, off = ([[Fraction(0)] * width for _ in range(self.n)] for _ in range(2))
        for (h, _), group in moves.items():
            for i in range(width):
                values = tuple(row[i] for *_, row in group)
                middle[h][i] += sum((p * mu * x for (p, mu, _), x in zip(group, values, strict=True)), Fraction(0))
                off[h][i] += group[0][1] * self.epsilon * (max(values) - min(values))
        return BallMatrix(
            [[between(x - y, x + y) for x, y in zip(*rows, strict=True)] for rows in zip(middle, off, strict=True)]
        )


@dataclass(frozen=True, eq=False)
class Around(Stationary[BallMatrix]):
    """An update on all models within ``epsilon`` of the ``centre`` at once; ``model`` is the one of all pairs."""

    centre: Centre | None = None
    epsilon: Fraction = Fraction(0)

    @property
    def _centre(self) -> Centre:
        assert self.centre is not None
        return self.centre

    @cached_property
    def law(self) -> BallMatrix:
        """All stationary laws (n×1)."""
        ends = [
            (max(Fraction(0), x - self.epsilon * span), min(ONE, x + self.epsilon * span))
            for x, span in zip(self._centre.law.column_entries(), self._centre.spans, strict=True)
        ]
        return BallMatrix.of_scalars([between(*end) for end in ends])

    def _weight(self, outcome: StepOutcome) -> Scalar:
        """All probabilities of an action and a successor."""
        return probability(*at_centre(self._centre.model, outcome), self.epsilon)

    @cached_property
    def _whole(self) -> Products[BallMatrix]:
        assert self.terms is not None
        return ProductsAround(self.terms, self._law_of(self.terms), self._centre.model, self.epsilon)

    @cached_property
    def has_mean(self) -> bool | None:
        """Whether the memory has a mean at every model."""
        return True if self._products is not None else None

    @cached_property
    def visible(self) -> tuple[tuple[int, ...], RationalMatrix]:
        """All parameters: what is decided of them is decided of what updates see (the head of this file)."""
        return tuple(range(self.D)), RationalMatrix.zeros(1, 1).identity(self.D)


def robustness(model: Model, algorithm: Algorithm, ratios: Sequence[Fraction], apart: bool = False) -> Robustness | str:
    """How far the transitions of a model may change before an algorithm has another verdict, or why that is not known.

    ``ratios``: of the step sizes to the first; ``apart``: the verdict is that of two time scales.
    """
    classes = model.behaviour_chain.recurrent_classes
    if len(classes) != 1:
        return f"the behaviour chain has {len(classes)} recurrent classes; the radius is of models with one"
    try:
        verdict = verdict_on(model, algorithm, classes[0], ratios, apart)
    except (BudgetExceededError, InputError) as error:
        return str(error)
    if verdict not in DECIDED:
        return f"the verdict is {str(verdict).replace('_', ' ')}: only stable and unstable ones have a radius"
    within, why = _radius(Centre(model), algorithm, ratios, apart, verdict)
    counter, missing = counter_model(model, algorithm, ratios, apart, verdict, within)
    return Robustness(verdict, within, counter, "; ".join(part for part in (why, missing) if part))


def verdict_on(
    model: Model, algorithm: Algorithm, states: tuple[int, ...], ratios: Sequence[Fraction], apart: bool
) -> MeanDynamics:
    """The exact verdict on a recurrent class. Raises as :func:`with_mean_dynamics`."""
    return dynamics_on(model, algorithm, states, ratios, apart).mean_dynamics


def dynamics_on(
    model: Model, algorithm: Algorithm, states: tuple[int, ...], ratios: Sequence[Fraction], apart: bool
) -> Decided:
    """The exact mean dynamics on a recurrent class. Raises as :func:`with_mean_dynamics`."""
    found = with_mean_dynamics(model, algorithm, states)
    decided = two_time_scales(found) if apart else at_ratios(found, ratios)
    return decided or Dynamics(MeanDynamics.UNDECIDED, "there are not two step sizes")


def _radius(
    centre: Centre, algorithm: Algorithm, ratios: Sequence[Fraction], apart: bool, verdict: MeanDynamics
) -> tuple[Fraction, str]:
    """The largest radius that was certified, and why there is none."""
    n = centre.model.n
    if n > raised(ROBUST_STATES):
        refusal = f"a radius is sought around up to {raised(ROBUST_STATES)} states, all pairs being transitions"
        return Fraction(0), beyond(f"{refusal}, and there are {n}", multiple(n, ROBUST_STATES))
    every = centre.all_pairs
    terms = traced_or_none(every, algorithm, range(n))
    if why := _not_in_balls(terms):
        return Fraction(0), why
    found = Around(every, algorithm, tuple(range(n)), BallMatrix, None, None, terms, centre=centre)

    def holds(epsilon: Fraction) -> bool:
        return holds_around(replace(found, epsilon=epsilon), ratios, apart, verdict)

    low, high = ONE, ONE
    while not holds(low):
        low, high = low / 2, low
        if low < SMALLEST:
            return Fraction(0), f"balls of radius {SMALLEST} around the probabilities do not decide"
    for _ in range(BISECTIONS if low < high else 0):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low, ""


def holds_around(found: Around, ratios: Sequence[Fraction], apart: bool, verdict: MeanDynamics) -> bool:
    """Whether the verdict is shown for all models at once; False refutes nothing."""
    with precision(BITS):
        try:
            if not found.has_mean or (apart and not found.is_regular):
                return False
            decided = two_time_scales(found) if apart else at_ratios(found, ratios)
        except (BudgetExceededError, SingularMatrixError):
            return False
    return decided is not None and decided.mean_dynamics is verdict


def _not_in_balls(terms: Terms | None) -> str:
    """Why the means of an update are not enclosed around a model; empty where they are."""
    if terms is None:
        return "the update takes vectors apart, or is not linear: its means are not enclosed over many models"
    ahead = {len(NUMBERS) + k for k, dot in enumerate(DOTS) if AHEAD in dot}
    used = any(AHEAD in (term.a, term.b) or (term.weight and term.weight[1] == AHEAD) for term in _every(terms))
    used = used or any(powers[k] for one in terms.evaluations for x in one.values() for powers in x for k in ahead)
    if used or any("expected" in name for one in terms.when for name in one):
        return "the update uses E_π φ', which changes with the transitions: its means are not enclosed over many models"
    if any(sum(term.powers) != 1 for term in _every(terms) if term.row < len(terms.parameters)):
        return "the update is not linear in its steps: its means are not enclosed over many models"
    return ""


def _every(terms: Terms) -> list[Any]:
    return list(dict.fromkeys(term for one in terms.evaluations for term in one))


# ---- counter-models -------------------------------------------------------------------------------


def distance(one: Model, other: Model) -> Fraction:
    """The largest distance of two rows of transitions in total variation."""
    return max(
        sum((abs(x - y) for x, y in zip(p, q, strict=True)), start=Fraction(0)) / 2
        for P, Q in zip(one.transitions, other.transitions, strict=True)
        for p, q in zip(P.rows, Q.rows, strict=True)
    )


def counter_model(
    model: Model,
    algorithm: Algorithm,
    ratios: Sequence[Fraction],
    apart: bool,
    verdict: MeanDynamics,
    within: Fraction,
) -> tuple[CounterModel | None, str]:
    """A model near by with another verdict, and why there is none."""
    n, m = model.n, len(model.actions)
    if n * n * m > raised(COUNTER_ENTRIES):
        refusal = f"a counter-model is sought along up to {raised(COUNTER_ENTRIES)} entries of transitions"
        return None, beyond(f"{refusal}, and there are {n * n * m}", multiple(n * n * m, COUNTER_ENTRIES))
    sign = 1 if verdict is MeanDynamics.STABLE else -1
    best: CounterModel | None = None

    def at(slopes: Any, epsilon: Fraction) -> CounterModel | None:
        moved = _moved(model, slopes, epsilon)
        for states in moved.behaviour_chain.recurrent_classes:
            try:
                found = verdict_on(moved, algorithm, states, ratios, apart)
            except (BudgetExceededError, InputError):
                continue
            if differ(verdict, found):
                return CounterModel(distance(model, moved), moved, states, found)
        return None

    here = model
    for _ in range(ROUNDS):
        slopes = _slopes(here, algorithm, ratios, apart, sign)
        low, high = within, best
        if high is None:
            epsilon = max(within, Fraction(1, 1024))
            while high is None and low < 1:
                high = at(slopes, epsilon)
                low, epsilon = (low if high is not None else epsilon), min(ONE, epsilon * 5 / 4)
        if high is None:
            break
        for _ in range(12):
            middle = ((low + high.distance) / 2).limit_denominator(2**14)
            if not low < middle < high.distance:
                break
            found = at(slopes, middle)
            low, high = (middle, high) if found is None else (low, found)
        best = high
        here = high.model
    return best, "" if best else "no counter-model was found, which says nothing about whether there is one"


def _moved(model: Model, slopes: Any, epsilon: Fraction) -> Model:
    """Every row moved by ε at most: mass goes from where the slope is lowest to where it is highest."""
    matrices = []
    for P, of_action in zip(model.transitions, slopes, strict=True):
        rows = []
        for row, slope in zip(P.rows, of_action, strict=True):
            new, left, to = list(row), epsilon, int(np.argmax(slope))
            for k in np.argsort(slope, kind="stable"):
                taken = min(left, new[k]) if slope[k] < slope[to] else Fraction(0)
                new[k], new[to], left = new[k] - taken, new[to] + taken, left - taken
            rows.append(new)
        matrices.append(RationalMatrix(rows))
    return replace(model, transitions=tuple(matrices))


def _slopes(model: Model, algorithm: Algorithm, ratios: Sequence[Fraction], apart: bool, sign: int) -> Any:
    """How fast ``sign`` times the abscissa moves, in floats, as a row moves towards each state (m×n×n)."""
    n, m = model.n, len(model.actions)
    start, found = _abscissa(model, algorithm, ratios, apart), np.zeros((m, n, n))
    for a in range(m):
        for s in range(n):
            for j in range(n) if model.behaviour[s, a] else ():
                unit = [Fraction(int(k == j)) for k in range(n)]
                rows = [list(row) for row in model.transitions[a].rows]
                rows[s] = [x + NUDGE * (y - x) for x, y in zip(rows[s], unit, strict=True)]
                matrices = list(model.transitions)
                matrices[a] = RationalMatrix(rows)
                there = _abscissa(replace(model, transitions=tuple(matrices)), algorithm, ratios, apart)
                found[a, s, j] = sign * (there - start) / float(NUDGE)
    return found


def _abscissa(model: Model, algorithm: Algorithm, ratios: Sequence[Fraction], apart: bool) -> float:
    """The largest real part of an eigenvalue, in floats; 0 where there is no matrix. A proposal alone."""
    try:
        found = with_mean_dynamics(model, algorithm, model.behaviour_chain.recurrent_classes[0])
        scales = time_scales(found) if apart else None
        J = quotient(found, ratios) if scales is None else None if isinstance(scales, str) else scales.slow
    except (BudgetExceededError, InputError):
        return 0.0
    return 0.0 if J is None else float(np.max(np.linalg.eigvals(J.to_float()).real))
