r"""The mean of an update on all models around a model at once: an enclosure of every mean matrix.

The update is evaluated as on any model (:mod:`tdcert.theory.engine.terms`), on all transitions that some model around
has (:mod:`tdcert.theory.engine.perturbation`). Its coefficient on a transition, times the probability Pμ, is a sum of
monomials in P, μ, π = μρ, γ and in numbers that stay. With q the one of the four that changes, it is

    L q' + (what has another power of q')        with q' in [max(0, q − ε), min(1, q + ε)].

Powers are those of the product: of Pμ·ρ = Pπ no μ is left, however small μ' is. Where such coefficients are summed over
the outcomes k of a law that changes, with values x_k between bounds, half of what is |·|₁-close is used:

    Σ_k q'_k x_k is within ε (max_k x_k − min_k x_k) of Σ_k q_k x_k,

max and min over upper and lower bounds of all outcomes that may happen (one of them is *stopping* for a discount, of
the value zero). What the function compares is decided from these intervals; where both answers are possible, it is
evaluated for both, and a coefficient is in the hull of what it is in each case. Where it divides by numbers of the
transition, the reciprocals of their bounds are taken.

What comes out of :mod:`tdcert.theory.engine.products` contains the mean matrix J of every model around and each of its
recurrent classes: states outside a class have law zero there, and the memory's sizes contract at the upper ends of all
balls, so the system of its mean has one solution, which is that of the class, and zero outside. Where a Lyapunov form
of the centre decides every member of the balls (:mod:`tdcert.theory.enclose.mean_matrix`), it decides every J: a
Hurwitz J is nonsingular, so updates see all parameters, and an eigenvalue with positive real part is one of the
quotient too, as J = J_B T and T J_B have the same eigenvalues but for zero. With features that are dependent over all
states J is singular, and a form of J − cI decides that it is unstable.

An update that is not linear in its steps is evaluated to first order (:mod:`tdcert.theory.engine.first_order`), where
what moves its parameters without a step is one matrix by numbers alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from flint import arb, fmpq

from tdcert.theory.arithmetic import BallMatrix, RationalMatrix
from tdcert.theory.arithmetic.rational import to_fmpq
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.first_order import FirstOrder, Limit, limit_from, limit_of
from tdcert.theory.engine.memory import Scalar
from tdcert.theory.engine.numbers import Exact
from tdcert.theory.engine.numbers import terms as monomials
from tdcert.theory.engine.perturbation import Key, Perturbation, exponents
from tdcert.theory.engine.products import Products, change_at_zero
from tdcert.theory.engine.terms import (
    AHEAD,
    DOTS,
    KNOWN,
    NEXT,
    NO_NUMBER,
    NUMBERS,
    SPARE,
    Gap,
    Passage,
    Term,
    Terms,
    traced,
    value_at,
)
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.laws.windows import StepOutcome

Interval = tuple[fmpq, fmpq]
"""Both ends."""
ZERO, ONE = fmpq(0), fmpq(1)
SIZE = len(NO_NUMBER)
"""Where reciprocals begin among the numbers of a monomial."""
NOTHING = ZERO, ZERO
OF_FACTORS = frozenset(map(NUMBERS.index, ("rho", "pi", "mu", "discount")))
BEFORE_AT = {NUMBERS.index(name): name for name in ("discount_before", "rho_before")}
AHEAD_AT = {len(NUMBERS) + k: pair for k, pair in enumerate(DOTS) if AHEAD in pair}


class UnboundedError(Exception):
    """A number has no bound on the models around: a ratio whose denominator may be any small number."""


def between(low: fmpq, high: fmpq) -> arb:
    """The ball of the numbers between two ends."""
    return arb((low + high) / 2, arb((high - low) / 2).abs_upper())


def plus(x: Interval, y: Interval) -> Interval:
    """The sums."""
    return x[0] + y[0], x[1] + y[1]


def times(x: Interval, y: Interval) -> Interval:
    """The products."""
    ends = [a * b for a in x for b in y]
    return min(ends), max(ends)


def power(x: Interval, exponent: int) -> Interval:
    """The powers of non-negative numbers, and reciprocals. Raises :class:`UnboundedError`."""
    if exponent >= 0:
        return x[0] ** exponent, x[1] ** exponent
    if x[0] <= 0 <= x[1]:
        raise UnboundedError
    return x[1] ** exponent, x[0] ** exponent


@dataclass(frozen=True)
class Monomial:
    """x · q^power · Π of numbers that move otherwise (``also``: E_π φ' by its dot product, what was before, and
    reciprocals of the ``divisors``).
    """

    x: fmpq
    power: int
    also: tuple[int, ...]
    divisors: Sequence[Exact] = ()


class Nearby:
    """The numbers of transitions on all models within ``epsilon``."""

    def __init__(self, perturbation: Perturbation, epsilon: Fraction) -> None:
        self.of, self.epsilon = perturbation, to_fmpq(epsilon)

    def probability(self, key: Key, outcome: int) -> Interval:
        """The bounds of an outcome of a law that changes."""
        if not self.of.may_happen(key, outcome):
            return NOTHING
        q = to_fmpq(self.of.rows[key][outcome])
        return max(ZERO, q - self.epsilon), min(ONE, q + self.epsilon)

    def moved(self, outcome: StepOutcome) -> Interval:
        """The factor of a transition that changes."""
        return self.probability(*self.of.entry(outcome))

    def weight(self, outcome: StepOutcome) -> Interval:
        """Pμ."""
        return self.value(self.monomial(NO_NUMBER, ONE, outcome), outcome, None)

    def monomial(
        self,
        powers: Sequence[int],
        x: fmpq,
        outcome: StepOutcome,
        weight: int = 1,
        divisors: Sequence[Exact] = (),
    ) -> Monomial:
        """A monomial in the numbers of a transition, times Pμ where ``weight`` is 1."""
        kinds, also = exponents(tuple(powers), weight), list[int]()
        y = kinds.pop(self.of.factor)
        for name, q in self.of.factors(outcome).items():
            if name in kinds and kinds[name] and x != 0:
                x *= to_fmpq(q) ** kinds[name] if q or kinds[name] > 0 else ZERO
        if weight and self.of.model.sampling is not None:
            x *= to_fmpq(self.of.model.sampling[outcome.state, 0])
        for which, count in enumerate(powers):
            if not count or which in OF_FACTORS:
                continue
            if which in BEFORE_AT or which >= SIZE or (which in AHEAD_AT and self.of.ahead_spans is not None):
                also += [which] * count
            else:
                x *= self._exact(which, outcome) ** count
        return Monomial(x, y, tuple(also), divisors)

    def _exact(self, which: int, outcome: StepOutcome) -> fmpq:
        """A number that stays: a dot product, the reward, the interest of the state, or a λ by state."""
        if which in AHEAD_AT:
            return self._ahead_dot(outcome, which)[0]
        if which >= len(NUMBERS):
            first, second = (outcome.after if v == NEXT else outcome.state for v in DOTS[which - len(NUMBERS)])
            return self._gram[first][second]
        model = self.of.model
        return to_fmpq(value_at(NUMBERS[which], outcome, model, model.interest))

    @cached_property
    def _gram(self) -> list[list[fmpq]]:
        """φᵀφ of all pairs of states."""
        Phi = self.of.model.features
        return (Phi @ Phi.T).scalars

    def _ahead_dot(self, outcome: StepOutcome, which: int) -> Interval:
        """A dot product with E_π φ'."""
        other, s, Phi = AHEAD_AT[which][0], outcome.state, self.of.model.features
        ahead = self.ahead(s)
        if other == AHEAD:
            squares = [times(x, x) if x[0] >= 0 or x[1] <= 0 else (ZERO, max(x[0] ** 2, x[1] ** 2)) for x in ahead]
            return sum((a for a, _ in squares), ZERO), sum((b for _, b in squares), ZERO)
        total = NOTHING
        for phi, x in zip(Phi.rows[outcome.after if other == NEXT else s], ahead, strict=True):
            total = plus(total, times((to_fmpq(phi),) * 2, x))
        return total

    def ahead(self, s: int) -> list[Interval]:
        """E_π φ' in a state."""
        spans = self.of.ahead_spans
        widths = [ZERO] * self.of.model.d if spans is None else [self.epsilon * to_fmpq(x) for x in spans[s]]
        return [(to_fmpq(x) - y, to_fmpq(x) + y) for x, y in zip(self.of.ahead.rows[s], widths, strict=True)]

    def rest(self, one: Monomial, outcome: StepOutcome, before: StepOutcome | None) -> Interval:
        """A monomial without q^power."""
        if one.x == 0:  # where π is zero so is π/μ, however small μ is
            return NOTHING
        total = one.x, one.x
        for which in one.also:
            if which in AHEAD_AT:
                number = self._ahead_dot(outcome, which)
            elif which >= SIZE:
                number = power(self.polynomial(one.divisors[which - SIZE], outcome, before, one.divisors), -1)
            else:
                assert before is not None
                powers = [int(name == BEFORE_AT[which].removesuffix("_before")) for name in NUMBERS]
                ratio = self.monomial((*powers, *NO_NUMBER[len(NUMBERS) :]), ONE, before, weight=0)
                number = self.value(ratio, before, None)
            total = times(total, number)
        return total

    def value(self, one: Monomial, outcome: StepOutcome, before: StepOutcome | None) -> Interval:
        """A monomial. Raises :class:`UnboundedError`."""
        rest = self.rest(one, outcome, before)
        return rest if rest == NOTHING else times(rest, power(self.moved(outcome), one.power))

    def polynomial(
        self, x: Exact, outcome: StepOutcome, before: StepOutcome | None, divisors: Sequence[Exact] = ()
    ) -> Interval:
        """A polynomial in the numbers of a transition, and in reciprocals. Raises :class:`UnboundedError`."""
        total = NOTHING
        for powers, y in monomials(x).items():
            given = powers[: SIZE + SPARE] or NO_NUMBER
            one = self.monomial(given, y, outcome, weight=0, divisors=divisors)
            total = plus(total, self.value(one, outcome, before))
        return total

    def signs(self, passage: Passage, context: Sequence[Any], gap: Gap) -> list[int]:
        """The signs that what a function compares may have on a transition."""
        try:
            low, high = self.polynomial(gap.polynomial, passage.outcome, before_of(context), gap.divisors)
        except UnboundedError:
            return [1, -1, 0]
        return [sign for sign, may in ((1, high > 0), (-1, low < 0), (0, low <= 0 <= high)) if may]


def before_of(context: Sequence[Any]) -> StepOutcome | None:
    """The transition before, where contexts differ by it."""
    return context[-1] if isinstance(context[-1], StepOutcome) else None


@dataclass(frozen=True, eq=False)
class Tracing:
    """An update on all transitions of the models around, in the cases that are possible there."""

    perturbation: Perturbation
    algorithm: Algorithm

    @cached_property
    def _without_cases(self) -> Coefficients | None:
        """What holds for every ε; None where the function compares what moves."""
        unsettled, widest = list[Gap](), Nearby(self.perturbation, Fraction(1))

        def signs(passage: Passage, context: Sequence[Any], gap: Gap) -> list[int]:
            found = widest.signs(passage, context, gap)
            if len(found) > 1:
                unsettled.append(gap)
            return found[:1]

        try:
            found = self._traced(signs)
        except (InputError, BudgetExceededError):  # it may be that of a case that is none
            if unsettled:
                return None
            raise
        return None if unsettled else found

    def _traced(self, signs: Callable[[Passage, Sequence[Any], Gap], list[int]]) -> Coefficients:
        every = self.perturbation.every
        states = every.classes[0] if every.sampling is not None else tuple(range(every.n))
        terms = traced(every, self.algorithm, states, first_order=True, signs=signs)
        if varying := {name for one in terms.when for name in one} & self._varying:
            raise InputError(f"the update asks for the value of {min(varying)}, which changes")
        return Coefficients(terms, self.perturbation)

    @cached_property
    def _varying(self) -> frozenset[str]:
        ahead = [f"{KNOWN[a]} @ {KNOWN[b]}" for a, b in AHEAD_AT.values()]
        return self.perturbation.varies | (set(ahead) if self.perturbation.ahead_spans is not None else set())

    def at(self, epsilon: Fraction, of: Perturbation | None = None) -> Coefficients:
        """The coefficients within ``epsilon``, or that near to a model ``of`` other numbers that change. Raises
        :class:`InputError` for an update that takes vectors apart, or is not affine, or moves parameters without a
        step; :class:`BudgetExceededError` for too many cases.
        """
        of = of or self.perturbation
        found = self._without_cases or self._traced(Nearby(of, epsilon).signs)
        return found.near(of)


class Coefficients:
    """What stands before each term on each transition, as monomials."""

    def __init__(self, terms: Terms, perturbation: Perturbation) -> None:
        """Raises :class:`InputError` where parameters move without a step by more than one matrix of numbers, or for
        ever.
        """
        self.terms, self.of = terms, perturbation
        self._known: dict[tuple[int, Term], list[list[Monomial]]] = {}
        self._nearby = Nearby(perturbation, Fraction(0))
        if (still := self._at_zero()) is None:
            raise InputError("the update moves parameters without a step by what depends on the transition")
        self.limit = limit_from(terms.algorithm, limit_of(still + still.identity(still.shape[0])))

    def near(self, of: Perturbation) -> Coefficients:
        """The coefficients of models near to one whose numbers that change are others."""
        made = copy(self)
        made.of = of
        return made

    def of_passage(self, k: int, term: Term) -> list[list[Monomial]]:
        """The monomials in each case."""
        if (k, term) not in self._known:
            passage = self.terms.passages[k]
            found = []
            for which in (passage.evaluation, *passage.others):
                polynomial, divisors = self.terms.evaluations[which].get(term, {}), self.terms.divisors[which]
                found.append([self._monomial(powers, x, passage.outcome, divisors) for powers, x in polynomial.items()])
            self._known[k, term] = found
        return self._known[k, term]

    def _monomial(self, powers: Sequence[int], x: fmpq, outcome: StepOutcome, divisors: Sequence[Exact]) -> Monomial:
        return self._nearby.monomial(powers, x, outcome, divisors=divisors)

    def _at_zero(self) -> RationalMatrix | None:
        """K − I, what moves parameters without a step; None where that is not one matrix by numbers alone."""
        evaluations = self.terms.evaluations

        def value(term: Term) -> fmpq | None:
            found = [one.get(term, {}) for one in evaluations]
            alone = not any(map(any, (powers for one in found for powers in one)))
            values = {sum(one.values(), ZERO) for one in found}
            return values.pop() if alone and len(values) == 1 else None

        every = dict.fromkeys(term for one in evaluations for term in one)
        return change_at_zero(self.terms.parameters, every, value)


class ProductsAround(Products[BallMatrix]):
    """Means on all models within ε: see the head of this file."""

    def __init__(self, coefficients: Coefficients, law: Sequence[Scalar], epsilon: Fraction) -> None:
        self.coefficients, self.nearby = coefficients, Nearby(coefficients.of, epsilon)
        super().__init__(coefficients.terms, law, BallMatrix, [])

    def _parts(self, term: Term) -> Iterator[tuple[int, Interval, Interval]]:
        """(transition, L, what has another power of q') of a coefficient."""
        passages, contexts = self.terms.passages, self.terms.contexts
        for k, passage in enumerate(passages):
            cases, outcome, before = [], passage.outcome, before_of(contexts[passage.source])
            for one in self.coefficients.of_passage(k, term):
                linear, other = NOTHING, NOTHING
                for monomial in one:
                    if monomial.power == 1:
                        linear = plus(linear, self.nearby.rest(monomial, outcome, before))
                    else:
                        other = plus(other, self.nearby.value(monomial, outcome, before))
                cases.append((linear, other))
            if len(cases) == 1:
                yield k, *cases[0]
                continue
            each = [plus(other, times(linear, self.nearby.moved(outcome))) for linear, other in cases]
            yield k, NOTHING, (min(x for x, _ in each), max(x for _, x in each))

    def _values(self, term: Term) -> Iterator[tuple[tuple[int, int], Any]]:
        """(from, to) and all p c on each transition."""
        for k, linear, other in self._parts(term):
            x = plus(other, times(linear, self.nearby.moved(self.terms.passages[k].outcome)))
            if x != NOTHING:
                yield self._ends[k], between(*x)

    @cached_property
    def _known(self) -> dict[int, Any]:
        known = dict(super()._known)
        rows = [self.nearby.ahead(s) for s in self.terms.places]
        known[AHEAD] = BallMatrix.of_scalars([between(*x) for row in rows for x in row], self.terms.model.d)
        return known

    def _along(self, number: int, v: int) -> BallMatrix:
        if v == NEXT:
            Phi = self.terms.model.features.take(rows=self.terms.places)
            found: BallMatrix = self._cached(v, number, lambda: self._expected(number, Phi))
            return found
        known: BallMatrix = super()._along(number, v)
        return known

    def _sums(self, number: int) -> BallMatrix:
        found: BallMatrix = self._cached("sums", number, lambda: self._expected(number, RationalMatrix([[1]] * self.n)))
        return found

    def _expected(self, number: int, X: RationalMatrix) -> BallMatrix:
        """Σ_{h → h'} p c X(h'), in each context h."""
        term = next(one for one, its in self._present.items() if its == number)
        width, rows, of = X.shape[1], X.scalars, self.coefficients.of
        total = [[NOTHING] * width for _ in range(self.n)]
        groups = dict[tuple[int, Key], dict[int, list[Interval]]]()
        for k, linear, other in self._parts(term):
            (h, target), (key, outcome) = self._ends[k], of.entry(self.terms.passages[k].outcome)
            values = groups.setdefault((h, key), {}).setdefault(outcome, [NOTHING] * width)
            for i, x in enumerate(rows[target]):
                values[i] = plus(values[i], times(linear, (x, x)))
                if other != NOTHING:
                    total[h][i] = plus(total[h][i], times(other, (x, x)))
        for (h, key), group in groups.items():
            law = of.rows[key]
            may = [outcome for outcome in range(len(law)) if of.may_happen(key, outcome)]
            for i in range(width):
                each = [group[outcome][i] if outcome in group else NOTHING for outcome in may]
                q = [to_fmpq(law[outcome]) for outcome in may]
                off = self.nearby.epsilon * (max(x[1] for x in each) - min(x[0] for x in each))
                low = sum((y * x[0] for y, x in zip(q, each, strict=True)), ZERO) - off
                high = sum((y * x[1] for y, x in zip(q, each, strict=True)), ZERO) + off
                total[h][i] = plus(total[h][i], (low, high))
        return BallMatrix.of_scalars([between(*x) for row in total for x in row], width)


@dataclass(frozen=True, eq=False)
class Around(FirstOrder[BallMatrix]):
    """An update on all models within ``epsilon`` at once; ``model`` is the one of all their transitions."""

    coefficients: Coefficients | None = None
    epsilon: Fraction = Fraction(0)

    @staticmethod
    def of(coefficients: Coefficients, epsilon: Fraction) -> Around:
        """What has these coefficients."""
        terms = coefficients.terms
        given = terms.model, terms.algorithm, terms.states, BallMatrix, None, None, terms, True
        return Around(*given, coefficients=coefficients, epsilon=epsilon)

    @property
    def _of(self) -> Coefficients:
        assert self.coefficients is not None
        return self.coefficients

    @cached_property
    def limit(self) -> Limit:
        """L and R, which no change moves."""
        return self._of.limit

    @cached_property
    def law(self) -> BallMatrix:
        """All stationary laws (n×1)."""
        of = self._of.of
        ends = [
            (max(Fraction(0), x - self.epsilon * span), min(Fraction(1), x + self.epsilon * span))
            for x, span in zip(of.law, of.spans, strict=True)
        ]
        return BallMatrix.of_scalars([between(to_fmpq(low), to_fmpq(high)) for low, high in ends])

    def _weight(self, outcome: StepOutcome) -> Scalar:
        """All probabilities of an action and a successor."""
        return between(*Nearby(self._of.of, self.epsilon).weight(outcome))

    @cached_property
    def _whole(self) -> Products[BallMatrix]:
        sampled = self.model.sampling is not None
        law = (arb(1),) * self.model.n if sampled else self._law_of(self._of.terms)
        return ProductsAround(self._of, law, self.epsilon)

    @cached_property
    def has_mean(self) -> bool | None:
        """Whether the memory has a mean at every model."""
        return True if self._products is not None else None

    @cached_property
    def visible(self) -> tuple[tuple[int, ...], RationalMatrix]:
        """All parameters, also where no update sees some (the head of this file)."""
        return tuple(range(self.D)), self.limit.left.identity(self.D)
