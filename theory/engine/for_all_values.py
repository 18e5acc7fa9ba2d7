r"""For which values of γ, of a constant λ, or of the ratio of its steps are the mean dynamics of an update stable?

Everything is decided for all values at once. The number x stands in the transitions' own numbers: discounts are x times
their quotients by the largest one, λ is a symbol in the function of the update, or the later steps are x times the
first. The law of the states does not depend on it. So the same products of matrices
(:mod:`tdcert.theory.engine.products`) give the mean matrix as a matrix of rational functions of x, without a value that
is tried and without a degree that is guessed (:mod:`tdcert.theory.arithmetic.functions`).

*Comparisons.* Where the function compares numbers that depend on x, it is evaluated as at one value of x; that is right
up to the next root of what it compared.

*The memory.* Its mean exists where the sizes |c_kj| of its recursion contract. Between the roots of the c_kj their
signs are constant, and the non-negative map W(x) of sizes is a polynomial; its spectral radius is an eigenvalue
(Perron and Frobenius), so where it is below one at one value it stays so up to the next root of det(I − W(x)).

*What updates see.* Parameters enter updates through Ty, the rows of T being those of features: dot products with φ, φ',
E_π φ' and with the trace, a sum of such. T depends on no x. Where the quotient T J_B(x) is nonsingular T is what
updates see at x, no less: J = J_B T has the rank of T there. So stability, in the sense of an analysis at x, is that of
T J_B(x) (:mod:`tdcert.theory.engine.dynamics`), which is decided by :mod:`tdcert.theory.check.stable_values`. Where it
is singular at x and predictions depend on every vector that it takes to zero, there is no stability at x: either no
update sees such a vector, and predictions depend on it, or zero is an eigenvalue of what updates see.

At one rational value inside each interval, and at each rational end, the engine of every analysis decides, once more
from the model at that value.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from fractions import Fraction
from functools import cache, cached_property
from typing import Any

from flint import fmpq, fmpq_poly

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.functions import THE_NUMBER, UNIT, FunctionMatrix
from tdcert.theory.arithmetic.rational import to_fmpq, to_fraction
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.check.stable_values import (
    Algebraic,
    Critical,
    Domain,
    Status,
    Stretch,
    critical,
    roots_in,
    samples,
    stretches,
)
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.dynamics import NO_MEAN, predictor, quotient, time_scales
from tdcert.theory.engine.first_order import FirstOrder, with_mean_dynamics
from tdcert.theory.engine.means import Stationary
from tdcert.theory.engine.memory import Unknown, contracts, irreducible_blocks
from tdcert.theory.engine.products import Products
from tdcert.theory.engine.regime import Regime
from tdcert.theory.engine.robustness import dynamics_on
from tdcert.theory.engine.terms import (
    AHEAD,
    FREE_NUMBER,
    KNOWN,
    NEXT,
    NUMBERS,
    OF_DISCOUNT,
    ONE,
    PHI,
    SAME,
    Exponents,
    FreeNumber,
    Passage,
    Terms,
    traced,
)
from tdcert.theory.errors import BudgetExceededError, InputError, SingularMatrixError
from tdcert.theory.limits import VARIED_CONTEXTS, VARIED_PIECES, VARIED_ROWS, LimitError, raised
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

SAMPLE = Fraction(29, 61)
"""The value at which an update is looked at first. No answer depends on it: what is zero there alone is seen."""
MAY_HAVE_NO_MEAN = "the memory has no mean, or it is not decided whether it has one"


class Varied(StrEnum):
    """What takes all values."""

    GAMMA = "gamma"
    LAMBDA = "lambda"
    RATIO = "ratio"


@dataclass(frozen=True)
class ForAllValues:
    """Where in the ``domain`` of the values of ``varied`` the mean dynamics are stable: ``stretches`` of it, in order,
    without gaps.
    """

    varied: Varied
    domain: Domain
    stretches: tuple[Stretch, ...]


def for_all_values(
    model: Model,
    algorithm: Algorithm,
    states: Sequence[int],
    varied: Varied,
    ratios: Sequence[Fraction],
) -> ForAllValues | str:
    """For which values the mean dynamics of an update on a recurrent class are stable, or why that is not known.

    ``ratios``: of the step sizes to the first, where these do not vary, and no two time scales are declared.
    """
    try:
        return _answered(ValuesQuestion(model, algorithm, tuple(states), varied, tuple(ratios)))
    except (BudgetExceededError, InputError) as error:
        return str(error)


@dataclass(frozen=True, eq=False)
class TermsAlong(Terms):
    """Terms whose numbers are polynomials in x. ``at``: the value of x where discounts are those of the model; None
    where they do not vary.
    """

    at: Fraction | None

    def number(self, passage: Passage, which: int) -> Any:
        """One of the numbers there."""
        if which == FREE_NUMBER:
            return THE_NUMBER
        found = super().number(passage, which)
        if self.at is None or which >= len(NUMBERS) or NUMBERS[which] not in OF_DISCOUNT:
            return found
        return THE_NUMBER * (found / to_fmpq(self.at))


class ProductsAlong(Products[FunctionMatrix]):
    """Means as rational functions of x, and where the memory has them."""

    def __init__(self, terms: TermsAlong, law: Sequence[Any]) -> None:
        weights = [fmpq_poly([to_fmpq(passage.outcome.probability)]) for passage in terms.passages]
        super().__init__(terms, law, FunctionMatrix, weights)

    @cached_property
    def moves(self) -> list[tuple[tuple[tuple[int, int], tuple[int, int]], fmpq_poly]]:
        """((to, from), p c) of each passage and each link of the memory, places being (context, place)."""
        links = self._links(True) | self._links(False)
        one_of = {number: term for term, number in self._present.items()}
        return [
            (((g, k), (h, j)), fmpq_poly(x)) for (k, j), c in links.items() for (h, g), x in self._values(one_of[c])
        ]

    @cached_property
    def signed(self) -> list[fmpq_poly]:
        """The p c that may change their sign at a positive x: those that are no monomials."""
        found = {str(x): x for _, x in self.moves if sum(c != 0 for c in x.coeffs()) > 1}
        return list(found.values())

    def sizes(self, x: Fraction) -> dict[tuple[Unknown, Unknown], fmpq_poly]:
        """The map W of sizes, as polynomials, on the interval between roots of :attr:`signed` that holds x."""
        total: dict[tuple[Unknown, Unknown], fmpq_poly] = {}
        for pair, p in self.moves:
            total[pair] = total.get(pair, 0 * UNIT) + (p if p(to_fmpq(x)) >= 0 else -p)
        return total

    def contracts_at(self, x: Fraction) -> bool:
        """Whether the spectral radius of W is below one at x."""
        numbers = {pair: p(to_fmpq(x)) for pair, p in self.sizes(x).items()}
        return contracts({pair: value for pair, value in numbers.items() if value != 0}, RationalMatrix) is True

    def resolvents(self, x: Fraction) -> list[fmpq_poly]:
        """The determinants of I − W on the strong components of W, on the interval that holds x."""
        found = []
        for size, inner in irreducible_blocks(self.sizes(x)):
            if size > raised(VARIED_CONTEXTS):
                said = (
                    f"a memory is looked at for all values on up to {raised(VARIED_CONTEXTS)} contexts that are linked"
                )
                raise LimitError(f"{said}, and there are {size}", size / VARIED_CONTEXTS)
            zero = 0 * UNIT
            rows = [[int(i == j) * UNIT - inner.get((i, j), zero) for j in range(size)] for i in range(size)]
            found.append(FunctionMatrix(rows).determinant)
        return found

    @cached_property
    def moved_at_zero(self) -> bool:
        """Whether what moves parameters without a step depends on x."""
        terms = (term for term in self._present if term.row < len(self.terms.parameters) and not any(term.powers))
        return any(fmpq_poly(x).degree() > 0 for term in terms for _, x in self._values(term))

    @cached_property
    def seen_rows(self) -> RationalMatrix:
        """T of all parameters: its rows span what multiplies them on some transition at some value. A term along a
        vector of the memory, a sum of features and of what is expected of them, may see all of these.
        """
        terms, learnt = self.terms, len(self.terms.parameters)
        width = sum(place.width for place in terms.parameters)
        states = sorted(set(terms.places))
        features = RationalMatrix([*terms.model.features.take(rows=states).rows, *terms.ahead.take(rows=states).rows])
        known = {PHI: terms.model.features.scalars, NEXT: terms.model.features.scalars, AHEAD: terms.ahead.scalars}
        each: dict[Any, list[fmpq_poly]] = defaultdict(lambda: [0 * UNIT] * width)
        moving = (term for term in self._present if term.row < learnt and any(term.powers))
        for term in (term for term in moving if term.column >= 0):
            place, left = terms.parameters[term.column], (term.row, term.powers, term.a, term.weight)
            if term.b >= len(KNOWN):
                for k, vector in enumerate(features.column_basis[1].scalars):
                    each[term, k][place.at : place.at + place.width] = [fmpq_poly([x]) for x in vector]
                continue
            for k, passage in enumerate(terms.passages):
                state, c = terms.places[terms.ends(passage)[term.b == NEXT]], terms.value(passage, term)
                if term.b == SAME:
                    for i in range(place.width):
                        each[left, k, i][place.at + i] += c
                    continue
                row = each[left, k, None]
                for i, x in enumerate([fmpq(1)] if term.b == ONE else known[term.b][state]):
                    row[place.at + i] += c * x
        found = [[to_fraction(x[k]) for x in row] for row in each.values() for k in range(max(x.length() for x in row))]
        return RationalMatrix(found or [[Fraction(0)] * width])


@dataclass(frozen=True, eq=False)
class Along(Regime[FunctionMatrix]):
    """An update for all values of x, ``at`` being that for one of them. ``found``: its means; ``seen``: as
    :attr:`visible`.
    """

    at: Stationary[RationalMatrix]
    found: Mapping[Exponents, FunctionMatrix]
    seen: tuple[tuple[int, ...], RationalMatrix]

    def __post_init__(self) -> None:
        for name in ("algorithm", "cut"):
            object.__setattr__(self, name, getattr(self.at, name))
        object.__setattr__(self, "kind", FunctionMatrix)

    @property
    def D(self) -> int:
        """How many parameters mean dynamics are of."""
        return self.at.D

    @cached_property
    def has_mean(self) -> bool | None:
        """True: values at which the memory has no mean are found apart."""
        return True

    @cached_property
    def by_exponents(self) -> dict[Exponents, FunctionMatrix]:
        """[A b] (D×(D+1)) for each exponent of the step sizes."""
        return dict(self.found)

    @cached_property
    def powers(self) -> tuple[Exponents, ...]:
        """The exponents of the step sizes by which parameters move, for some value at least."""
        return tuple(self.found)

    @cached_property
    def visible(self) -> tuple[tuple[int, ...], RationalMatrix]:
        """What updates see at some value at most: the rows of features (the head of this file)."""
        return self.seen

    @property
    def predictions(self) -> RationalMatrix | None:
        """The matrix of predictions; None where there is none."""
        return self.at.predictions

    def sees_predictions(self, T: RationalMatrix) -> bool:
        """Whether T y determines the predictions."""
        return self.at.sees_predictions(T)

    def outweighed(self, slow: Sequence[int]) -> str:
        """Why the step of these parameters does not say how they move on two time scales."""
        return self.at.outweighed(slow)


@dataclass(frozen=True, eq=False)
class ValuesQuestion:
    """What :func:`for_all_values` was asked."""

    model: Model
    algorithm: Algorithm
    states: tuple[int, ...]
    varied: Varied
    ratios: tuple[Fraction, ...]

    @property
    def apart(self) -> bool:
        """Whether two time scales are asked about."""
        return self.algorithm.two_scales and self.varied is not Varied.RATIO

    @cached_property
    def largest(self) -> Fraction:
        """The largest discount of the model, which γ stands for."""
        return max(x for G in self.model.discounts for row in G.rows for x in row)

    @cached_property
    def domain(self) -> Domain:
        """The values: γ = 1 is one of them if it is the model's own."""
        if self.varied is Varied.RATIO:
            return Domain(Fraction(0), False, None, False)
        closed = self.varied is Varied.LAMBDA or self.largest == 1
        return Domain(Fraction(0), True, Fraction(1), closed)

    @property
    def steps(self) -> list[Any]:
        """The ratios of the step sizes to the first, x among them."""
        return [THE_NUMBER if k and self.varied is Varied.RATIO else ratio for k, ratio in enumerate(self.ratios)]

    def held(self, x: Fraction) -> tuple[Model, Algorithm]:
        """The model and the update at a value."""
        if self.varied is Varied.GAMMA:
            if self.largest:
                discounts = tuple(G.scaled(x / self.largest) for G in self.model.discounts)
            else:
                every = RationalMatrix([[x] * self.model.n] * self.model.n)
                discounts = (every,) * len(self.model.discounts)
            return replace(self.model, discounts=discounts), self.algorithm
        if self.varied is Varied.LAMBDA:
            options = {**self.algorithm.options, **self.algorithm.holding((), (x,))}
            return self.model.with_schedule(Schedule((), x)), replace(self.algorithm, options=options)
        return self.model, self.algorithm

    def verdict(self, x: Fraction) -> Status:
        """What the engine of every analysis says at a rational value."""
        ratios = self.ratios
        if self.varied is Varied.RATIO:
            ratios = tuple(x if k else Fraction(1) for k in range(len(ratios)))
        try:
            found = dynamics_on(*self.held(x), self.states, ratios, self.apart)
        except (BudgetExceededError, InputError) as error:
            return None, str(error)
        known = found.mean_dynamics is not MeanDynamics.UNDECIDED
        return (found.mean_dynamics.is_stable, "") if known else (None, found.reason)

    @property
    def refusal(self) -> str:
        """Why the question makes no sense of the update; empty where it does."""
        if self.varied is Varied.RATIO:
            return "" if len(self.algorithm.steps) > 1 else "one step size"
        if self.varied is Varied.LAMBDA and not self.algorithm.schedule:
            return "the update takes no schedule: it is the same update under each"
        if self.varied is Varied.LAMBDA and self.algorithm.given.intersection(self.algorithm.schedule):
            return "λ was given as an option of the update; leave it to the schedule"
        return ""


@dataclass(frozen=True, eq=False)
class Piece:
    """The question where comparisons have the answers that they have at ``x``."""

    question: ValuesQuestion
    x: Fraction

    @cached_property
    def at(self) -> Stationary[RationalMatrix]:
        """The update at x. Raises as :func:`with_mean_dynamics`."""
        return with_mean_dynamics(*self.question.held(self.x), self.question.states)

    @cached_property
    def free(self) -> FreeNumber:
        """The number that varies."""
        return FreeNumber(self.question.varied is Varied.LAMBDA, self.x)

    @cached_property
    def products(self) -> ProductsAlong | None:
        """The means of the update's terms; None where only the ratio of steps varies. Raises :class:`InputError` and
        :class:`~tdcert.theory.limits.LimitError` where there are none.
        """
        if self.question.varied is Varied.RATIO:
            return None
        at = self.at
        terms = traced(at.model, at.algorithm, at.states, first_order=at.cut, free=self.free)
        n = len(terms.places)
        if n > raised(VARIED_CONTEXTS):
            said = f"means are found for all values on up to {raised(VARIED_CONTEXTS)} contexts"
            raise LimitError(f"{said}, and there are {n}", n / VARIED_CONTEXTS)
        given = {one.name: getattr(terms, one.name) for one in fields(Terms)}
        found = ProductsAlong(TermsAlong(**given, at=None if self.free.is_lambda else self.x), at.masses)
        if not found.keeps_whole:
            raise InputError("the update remembers products of vectors: its mean is not found for all values")
        return found

    @cached_property
    def compared(self) -> list[fmpq_poly]:
        """What the function compared with zero."""
        return [fmpq_poly(list(one)) for one in self.free.compared.asked] if self.products is not None else []

    def holds(self, x: Fraction) -> bool:
        """Whether comparisons have the same answers at another value."""
        return all(_sign(one(to_fmpq(x))) == _sign(one(to_fmpq(self.x))) for one in self.compared)

    @cached_property
    def along(self) -> Along:
        """The means for all values. Raises as :attr:`products`."""
        at, products = self.at, self.products
        if products is None:
            if at.has_mean is not True:
                raise InputError(MAY_HAVE_NO_MEAN)
            constant = {powers: FunctionMatrix.enclosing(mean) for powers, mean in at.by_exponents.items()}
            return Along(at, constant, at.visible)
        T, limit = products.seen_rows, at.limit if isinstance(at, FirstOrder) else None
        if limit is not None:
            if limit.lefts or products.moved_at_zero:
                said = "what moves its parameters at steps of zero differs between transitions or values"
                raise InputError(f"{said}: its mean is not found for all values")
            T = T @ limit.right
        seen = T.column_basis
        self._require_rows(len(seen[0]), 2 if self.question.apart else 1)
        try:
            means = products.by_exponents
        except SingularMatrixError:  # then sizes contract at no value
            raise InputError(MAY_HAVE_NO_MEAN) from None
        return Along(at, means if limit is None else limit.of_means(means, FunctionMatrix), seen)

    def _require_rows(self, rows: int, parts: int = 1) -> None:
        """Raises LimitError for more rows than are decided, in so many matrices."""
        most = parts * raised(VARIED_ROWS)
        if rows > most:
            said = f"stability is decided for all values of up to {most} parameters that updates see"
            raise LimitError(f"{said}, and there are {rows}", rows / (parts * VARIED_ROWS))

    @cached_property
    def joint(self) -> FunctionMatrix | None:
        """T J_B; None where updates see nothing."""
        return quotient(self.along, self.question.steps)

    @cached_property
    def matrices(self) -> list[FunctionMatrix]:
        """The matrices that are to be Hurwitz, in lowest terms. Raises :class:`InputError` where they are not known."""
        if not self.question.apart:
            return [] if self.joint is None else [self.joint.reduced]
        scales = time_scales(self.along)
        if isinstance(scales, str):
            raise InputError(scales)
        return [scale.reduced for scale in (scales.fast, scales.slow) if scale is not None]

    @cached_property
    def critical(self) -> list[Critical]:
        """The critical values of each of the matrices."""
        self._require_rows(max((B.shape[0] for B in self.matrices), default=0))
        return [critical(B) for B in self.matrices]

    @cached_property
    def singular(self) -> bool:
        """Whether one of the matrices has the eigenvalue zero for every value."""
        return any(one.zeros for one in self.critical)

    @cached_property
    def predicted(self) -> fmpq_poly:
        """A polynomial that is not zero where predictions depend on every vector that T J_B takes to zero. (Where there
        are no predictions, an analysis takes all parameters for them.)
        """
        columns, T = self.along.visible
        Phi = predictor(self.along, T)
        if self.joint is None or Phi is None:
            return 0 * UNIT if self.at.predictions is not None else UNIT
        both = self.joint.T.beside(FunctionMatrix.enclosing(Phi.take(columns=columns)).T)
        return (both @ both.T).determinant

    @cached_property
    def resolvents(self) -> list[fmpq_poly]:
        """What is zero where the memory may begin to have no mean."""
        found = dict[str, fmpq_poly]()
        if self.products is not None:
            cuts = roots_in(self.products.signed, self.question.domain)
            for x in samples(self.question.domain, cuts):
                found |= {str(one): one for one in self.products.resolvents(x)}
        return list(found.values())

    @cached_property
    def cuts(self) -> list[fmpq_poly]:
        """The polynomials at whose roots the answer may change."""
        signed = [] if self.products is None else self.products.signed
        kept = [*self.compared, *signed, *self.resolvents, *(B.below for B in self.matrices)]
        if not self.singular:
            return [*kept, *(x for one in self.critical for x in (one.last, one.hurwitz))]
        if not self.predicted:
            raise InputError("the mean matrix of what updates see may be singular for every value")
        return [*kept, self.predicted]

    def inside(self, x: Fraction) -> Status:
        """The answer at a rational value that is no root of the cuts."""
        if self.products is not None and not self.products.contracts_at(x):
            return None, NO_MEAN[None]
        return self.question.verdict(x)

    def at_root(self, f: fmpq_poly, beside: Status) -> Status:
        """The answer at a root of an irreducible polynomial, which is not rational, with what is ``beside`` it."""
        if beside[0] is None:
            return beside
        if any(not q % f for q in self.compared):
            return None, "the update compares there what it does not compare elsewhere"
        if any(not q % f for q in (*self.resolvents, *(B.below for B in self.matrices))):
            return None, NO_MEAN[None]
        if self.singular or any(not one.last % f for one in self.critical):
            if self.predicted % f:
                return False, ""
            return None, "an eigenvalue is zero there, and whether updates see its direction is not decided"
        return (False, "") if any(not one.hurwitz % f for one in self.critical) else beside


def _sign(x: fmpq) -> int:
    return (x > 0) - (x < 0)


def _answered(question: ValuesQuestion) -> ForAllValues | str:
    """The answer, or why there is none."""
    if question.refusal:
        return question.refusal
    domain, pieces = question.domain, [Piece(question, SAMPLE)]
    pieces[0].cuts  # noqa: B018 -- raises where there is no answer

    def of(x: Fraction) -> Piece:
        found = next((piece for piece in pieces if piece.holds(x)), None)
        if found is None:
            if len(pieces) >= raised(VARIED_PIECES):
                said = f"the update has more than {raised(VARIED_PIECES)} cases by its comparisons"
                raise LimitError(said, 2)
            found = Piece(question, x)
            pieces.append(found)
        return found

    cuts, known = list[Algebraic](), 0
    while known < len(pieces):
        known = len(pieces)
        cuts = roots_in((one for piece in pieces for one in piece.cuts), domain)
        for x in samples(domain, cuts):
            of(x)

    @cache
    def inside(x: Fraction) -> Status:
        return of(x).inside(x)

    def at(value: Algebraic, beside: Sequence[Fraction]) -> Status:
        if value.exact is not None:
            return question.verdict(value.exact)
        f = fmpq_poly(list(value.polynomial))
        found = [of(x).at_root(f, inside(x)) for x in beside]
        return next((status for status in found if status[0] is None), found[0])

    return ForAllValues(question.varied, domain, stretches(domain, cuts, inside, at))
