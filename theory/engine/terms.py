r"""Terms: what an update does, by outer products of whole vectors.

The function is evaluated on symbols that are vectors as a whole: φ, φ', E_π φ', the parameters y_j and the memory m_j
of length d. What it returns is then a sum of terms

    c · stepᵏ · f · a (bᵀ y_j),    c · stepᵏ · f · a,    c · stepᵏ · f · y_j,

a and b among φ, φ', E_π φ', a vector of the memory, and 1; f a number of the memory, bᵀm_j, or 1; c a polynomial in the
numbers of the transition, dot products of φ, φ' and E_π φ' among them. The memory moves by such terms without
parameters. No term has two factors of the memory.

It does not matter here how long vectors are, nor how many transitions there are. The numbers of a transition are
symbols, too; one by which the function divides, or that it compares, becomes a number, and the function is evaluated
for each of its values. A function that looks something up by the state, the action or the next state is evaluated for
each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial
from itertools import product, repeat
from typing import Any, NamedTuple, TypeVar

import numpy as np
from flint import fmpq

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.rational import to_fmpq
from tdcert.theory.engine.declare import Algorithm, Shape, Slot, failure, refused
from tdcert.theory.engine.numbers import (
    CASES,
    MEMORY,
    PARAMETER,
    Cases,
    Exact,
    Kind,
    Refusal,
    Unsettled,
    exact,
    symbols,
    terms,
)
from tdcert.theory.engine.outcomes import DRAWN, Outcomes
from tdcert.theory.engine.series import Pair, StepSeries, graded, steps_as_series
from tdcert.theory.engine.transition import BEFORE, BY_STATE, LOOKED_UP, ReadsBefore, Transition
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.laws.windows import StepOutcome
from tdcert.theory.limits import ROBUST_CASES, raised
from tdcert.theory.model.mdp import Model

PHI, NEXT, AHEAD = 0, 1, 2
"""φ, φ' and E_π φ'; behind them come the vectors among parameters and memory."""
ONE, SAME = -1, -2
"""Instead of a vector: the number 1; the identity, of what y_j itself is added to."""
KNOWN = {PHI: "t.phi", NEXT: "t.phi_next", AHEAD: "t.expected_phi_next"}
DOTS = [(a, b) for a in KNOWN for b in KNOWN if a <= b]
NUMBERS = ("reward", "discount", "rho", "pi", "mu", "interest", "discount_before", "rho_before", *BY_STATE)
"""The numbers of a transition that are symbols."""
OF_DISCOUNT = ("discount", "discount_before")
"""The numbers that are discounts."""
NO_NUMBER = (0,) * (len(NUMBERS) + len(DOTS))
FREE_NUMBER = len(NUMBERS) + len(DOTS)
"""The place of a number that others may depend on, behind them."""
SPARE = 4
"""Numbers of a transition by which a function may divide in one case, where they are known up to a set."""
APART = "takes a vector apart, or knows its length"
FREE = "let the memory depend on the transition and on itself only, or declare it as a parameter"
WHOLE = "write it with sums, multiples and dot products of whole vectors"


class Place(NamedTuple):
    """A vector or a number among parameters and memory, with its slot's ``name``. ``width``: d, or 1; ``vector``:
    whether it is as long as φ; ``at``: where it begins among all entries.
    """

    name: str
    width: int
    vector: bool
    at: int


class Term(NamedTuple):
    """stepᵖᵒʷᵉʳˢ · f · a (bᵀ y_column) in ``row``, a place of the parameters or, behind them, of the memory.

    ``column``: a place of the parameters, −1 for none (b is then :data:`ONE`). ``a``, ``b``: vectors by their numbers,
    :data:`ONE`, or both :data:`SAME`. ``weight``: of f, (place of the memory, known vector of the dot product or
    :data:`ONE`), None for 1. Vectors of the memory are 3 + their place among it.
    """

    row: int
    powers: Exponents
    column: int
    a: int
    b: int
    weight: tuple[int, int] | None


_Found = TypeVar("_Found")
Number = Exact | StepSeries
Exponents = tuple[int, ...]
"""A power of each symbol of a product, such as the step sizes."""
Polynomial = dict[Exponents, fmpq]
"""The coefficients by the exponents of :data:`NUMBERS`, of the dot products :data:`DOTS`, and of a free number."""


def by_degree(found: Iterable[Exponents]) -> tuple[Exponents, ...]:
    """The exponents, low degrees first."""
    return tuple(sorted(found, key=lambda powers: (sum(powers), [-k for k in powers])))


class Vector:
    """Σ x · v, by the numbers of the vectors v. Only what keeps it whole is defined."""

    __slots__ = ("parts", "space")
    __array_ufunc__ = None

    def __init__(self, parts: Mapping[int, Number], space: Space) -> None:
        self.parts, self.space = parts, space

    def _times(self, x: Any) -> Any:
        factor = x if isinstance(x, StepSeries) else exact(x)
        if factor is None:
            return self.apart() if isinstance(x, np.ndarray | Vector) else NotImplemented
        made = {}
        for v, y in self.parts.items():
            if twice := factor.holds & self.space.holds(v):
                what = "parameters" if twice & PARAMETER else "entries of the memory"
                raise Refusal(f"multiplies two {what}", WHOLE)
            made[v] = y * factor
        return Vector(made, self.space)

    __mul__ = __rmul__ = _times

    def __truediv__(self, x: Any) -> Any:
        divisor = x if isinstance(x, StepSeries) else exact(x)
        return self.apart() if divisor is None else self._times(1 / divisor)

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, Vector):
            number = None if isinstance(other, StepSeries) else exact(other)
            return self if number is not None and number.constant == 0 else self.apart()
        self._require_same(other)
        both = {v: self.parts[v] + x for v, x in other.parts.items() if v in self.parts}
        return Vector({**self.parts, **other.parts, **both}, self.space)

    __radd__ = __add__

    def __neg__(self) -> Any:
        return self._times(-1)

    def __pos__(self) -> Vector:
        return self

    def __sub__(self, other: Any) -> Any:
        return self + -other if isinstance(other, Vector) else self + other

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __matmul__(self, other: Any) -> Any:
        if not isinstance(other, Vector):
            return self.apart()
        self._require_same(other)
        total: Any = Exact(fmpq(0))
        for (v, x), (w, y) in product(self.parts.items(), other.parts.items()):
            total = total + x * y * self.space.dot(v, w)
        return total

    def _require_same(self, other: Vector) -> None:
        if other.space is not self.space:
            raise Refusal("keeps a vector from one call to the next", WHOLE)

    def conjugate(self) -> Vector:
        """Returns the vector itself; NumPy calls this method."""
        return self

    dot = __matmul__

    def apart(self, *_: Any) -> Any:
        """Raises :class:`Refusal`."""
        raise Refusal(APART, WHOLE)

    __iter__ = __len__ = __getitem__ = __array__ = __abs__ = __bool__ = __float__ = __pow__ = __rtruediv__ = apart
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __rmatmul__ = apart
    __iadd__ = __isub__ = __imul__ = __itruediv__ = apart  # an array would be written to
    __hash__ = None  # type: ignore[assignment]


class AtValue(Cases):
    """Comparisons of polynomials in a free number alone, as they are at its ``value``. ``asked``: what was compared
    with zero, by its coefficients; where none of these changes its sign, the answers are the same.
    """

    def __init__(self, value: Fraction, name: str) -> None:
        super().__init__({}, ())
        self.value, self.name, self.asked = to_fmpq(value), name, set[tuple[fmpq, ...]]()

    def sign(self, gap: Exact) -> fmpq:
        """Raises :class:`Refusal` where something else stands in it."""
        others = [name for name in gap.symbols if name.removesuffix("'") != self.name]
        if others:
            raise Refusal(f"compares {others[0]}", "compare numbers of the transition alone", others)
        coefficients = [fmpq(0)] * (1 + max(map(sum, terms(gap))))
        for powers, x in terms(gap).items():
            coefficients[sum(powers)] += x
        self.asked.add(tuple(coefficients))
        value = sum((x * self.value**k for k, x in enumerate(coefficients)), start=fmpq(0))
        return fmpq((value > 0) - (value < 0))


@dataclass(frozen=True, eq=False)
class FreeNumber:
    """A free number: a constant λ, or what all discounts are multiples of. ``value``: which it has where discounts are
    those of the model, and where comparisons are decided.
    """

    is_lambda: bool
    value: Fraction

    @property
    def name(self) -> str:
        """What it is called."""
        return "λ" if self.is_lambda else "γ"

    @cached_property
    def compared(self) -> AtValue:
        """The case that decides comparisons, and notes them."""
        return AtValue(self.value, self.name)


class Space:
    """The symbols of one evaluation: of the numbers of a transition, of what is learnt and remembered, of steps.

    Vectors by their numbers: :data:`KNOWN`, then the places of the memory, then those of the parameters. ``free``: the
    name of a free number, one more of the numbers of a transition; empty where there is none. ``spare``: how many
    symbols stand for reciprocals of numbers of a transition.
    """

    def __init__(self, algorithm: Algorithm, d: int, mark: str = "", free: str = "", spare: int = 0) -> None:
        self.parameters, self.memory = (
            tuple(_places(part, shapes))
            for part, shapes in zip(algorithm.slots(d), (algorithm.parameters, algorithm.memory), strict=True)
        )
        first, self.learnt = len(KNOWN), len(KNOWN) + len(self.memory)
        shapes = {**algorithm.parameters, **algorithm.memory}
        self.whole = {name for name, shape in shapes.items() if _is_whole(shape)}
        self.names = {**KNOWN, **{first + k: place.name for k, place in enumerate((*self.memory, *self.parameters))}}
        whole = [first + k for k, place in enumerate(self.memory) if place.vector]
        factors = [(ONE, self.learnt + k) for k, place in enumerate(self.parameters) if not place.vector]
        factors += [(ONE, first + k) for k, place in enumerate(self.memory) if not place.vector]
        factors += [(a, v) for v in whole for a in KNOWN]
        factors += [
            (a, self.learnt + k) for k, place in enumerate(self.parameters) if place.vector for a in (*KNOWN, *whole)
        ]
        self.factors = factors
        given = [(f"t.{name}", Kind.GIVEN) for name in NUMBERS] + [(self.name(pair), Kind.GIVEN) for pair in DOTS]
        given += [(f"reciprocal {k}", Kind.GIVEN) for k in range(spare)]
        named = [(self.name(pair), Kind.PARAMETER if pair[1] >= self.learnt else Kind.MEMORY) for pair in factors]
        steps = [(step, Kind.STEP) for step in algorithm.steps]
        at = len(given) + bool(free)
        every = (*given, *([(free, Kind.GIVEN)] if free else []), *named, *steps)
        found = symbols([(name + mark, kind) for name, kind in every])
        self.given, self.steps = found[: len(given)], found[at + len(named) :]
        self.free_name, self.free = free, found[len(given)] if free else Exact(fmpq(0))
        self.spare, dots = found[len(NO_NUMBER) : len(given)], found[len(NUMBERS) : len(NO_NUMBER)]
        self.symbols = dict(zip((*DOTS, *factors), (*dots, *found[at : at + len(named)]), strict=True))
        self.no_number = (0,) * at
        for (a, _), symbol in self.symbols.items():
            symbol.holds |= self.holds(a)
        self.given_names = [name for name, _ in given]
        self.products: dict[tuple[int, int], Any] = {}

    def name(self, pair: tuple[int, int]) -> str:
        """What a factor is called."""
        a, v = pair
        return self.names[v] if a == ONE else f"{self.names[a]} @ {self.names[v]}"

    def holds(self, v: int) -> int:
        """What a vector is, as ``holds`` of numbers."""
        return 0 if v < len(KNOWN) else MEMORY if v < self.learnt else PARAMETER

    def dot(self, v: int, w: int) -> Exact:
        """vᵀw."""
        twice = self.holds(v) & self.holds(w)
        if twice:
            what = "parameters" if twice & PARAMETER else "entries of the memory"
            raise Refusal(f"multiplies two {what}, {self.names[v]} and {self.names[w]}", WHOLE)
        pair = min(v, w), max(v, w)
        return self.products[pair] if pair in self.products else self.symbols[pair]

    def inputs(self, slots: Sequence[Slot]) -> list[Any]:
        """Parameters and memory, as the function takes them."""
        numbered = [(self.learnt + k, place) for k, place in enumerate(self.parameters)]
        numbered += [(len(KNOWN) + k, place) for k, place in enumerate(self.memory)]
        each = iter(
            Vector({v: Exact(fmpq(1))}, self) if place.vector else self.symbols[ONE, v] for v, place in numbered
        )
        found = []
        for slot in slots:
            found.append(_filled(slot.shape[:-1] if slot.name in self.whole else slot.shape, each))
        return found

    def empty(self, slots: Sequence[Slot], shapes: Mapping[str, Shape]) -> list[Any]:
        """Zeros in the place of a memory that is emptied."""
        return [
            _filled(slot.shape[:-1], repeat(Vector({}, self)))
            if _is_whole(shapes[slot.name])
            else _filled(slot.shape, repeat(Exact(fmpq(0))))
            for slot in slots
        ]

    def read(
        self, values: Sequence[Any], *, first_order: bool = False
    ) -> tuple[dict[Term, Polynomial], set[tuple[int, Pair]]]:
        """The terms of these new parameters and memory, in this order, and in which rows what was cut off.

        Raises :class:`Refusal` for what is no number, and for a memory that depends on parameters, or, unless
        everything is of ``first_order``, on step sizes.
        """
        total: dict[Term, Polynomial] = {}
        beyond = set[tuple[int, Pair]]()
        for row, value in enumerate(values):
            for a, x in value.parts.items() if isinstance(value, Vector) else [(ONE, value)]:
                number = x if isinstance(x, StepSeries) else exact(x)
                if number is None:
                    raise Refusal(f"returns something of type {type(x).__name__}", "return numbers only")
                if isinstance(number, StepSeries):
                    beyond |= {(row, pair) for pair in number.beyond}
                for powers, term, given, coefficient in self._monomials(row, a, number):
                    if row < len(self.parameters):
                        _add(total, term, given, coefficient)
                        continue
                    if term.column >= 0 or (any(powers) and not first_order):
                        what = "its parameters" if term.column >= 0 else "its step sizes"
                        raise Refusal(f"returns a memory that depends on {what}", FREE)
                    if not any(powers):  # else it is zero at steps zero
                        _add(total, term, given, coefficient)
        return total, beyond

    def _monomials(self, row: int, a: int, value: Number) -> Iterator[tuple[Exponents, Term, Exponents, fmpq]]:
        """Exponents of the steps, the term along a, exponents of the numbers of a transition, and the coefficient."""
        G, F, none = len(self.no_number), len(self.factors), (0,) * len(self.steps)
        for shift, part in graded(value, len(self.steps)):
            for exponents, x in terms(part).items():
                powers = shift or tuple(map(int, exponents[G + F :])) or none
                column, vector, b, weight = -1, a, ONE, None
                if a >= self.learnt:
                    column, vector, b = a - self.learnt, SAME, SAME
                for (left, v), power in zip(self.factors, exponents[G : G + F], strict=False):
                    if power and v >= self.learnt:
                        column, b = v - self.learnt, left
                    elif power:
                        weight = v - len(KNOWN), left
                given = tuple(map(int, exponents[:G])) or self.no_number
                yield powers, Term(row, powers, column, vector, b, weight), given, x


@dataclass(frozen=True, eq=False)
class Passage:
    """A transition between contexts, by their numbers, and which of the evaluations of the function it belongs to;
    ``others``: those that it may belong to as well, where numbers are known up to a set.
    """

    source: int
    target: int
    outcome: StepOutcome
    evaluation: int
    others: tuple[int, ...] = field(default=(), kw_only=True)


class Gap(NamedTuple):
    """What a function compares with zero: a polynomial in the numbers of a transition and in the reciprocals of
    ``divisors``.
    """

    polynomial: Exact
    divisors: tuple[Exact, ...]


Signs = Callable[[Passage, Sequence[Any], Gap], Sequence[int]]
"""The signs that a gap may have at a transition; with the context that it leaves."""


def value_at(name: str, outcome: StepOutcome, model: Model, interest: Sequence[Fraction] | None) -> Fraction | int:
    """The interest of the state, λ of it or of the next one, or a number that the outcome holds."""
    if name == "interest":
        return interest[outcome.state] if interest else 1
    if name in BY_STATE:
        assert model.lambda_by_state is not None
        return model.lambda_by_state[outcome.state if name == "lam" else outcome.after]
    found: Fraction = getattr(outcome, name)
    return found


@dataclass(frozen=True, eq=False)
class Terms:
    """An update on all transitions of a recurrent class, in the stationary regime, or on those from ``states`` at time
    zero, whose contexts are then the first ones; there is one context where transitions are drawn independently.
    ``fields``, ``contexts``: as of :class:`~tdcert.theory.engine.tables.Tables`. The parameters themselves are
    subtracted. ``beyond``: in which rows which products of two steps were cut off; nothing is unless the terms are
    those of first order. ``evaluations``: the terms with their coefficients, for each evaluation of the function;
    ``when``: the numbers that tell them apart. ``divisors``: of each, those whose reciprocals are symbols behind
    :data:`NUMBERS` and :data:`DOTS`, where ``signs`` were given.
    """

    model: Model
    algorithm: Algorithm
    states: tuple[int, ...]
    interest: Sequence[Fraction] | None
    parameters: tuple[Place, ...]
    memory: tuple[Place, ...]
    fields: tuple[str, ...]
    contexts: tuple[tuple[Any, ...], ...]
    passages: tuple[Passage, ...]
    evaluations: tuple[Mapping[Term, Polynomial], ...]
    when: tuple[Mapping[str, fmpq], ...]
    beyond: frozenset[tuple[int, Pair]]
    divisors: tuple[tuple[Exact, ...], ...] = field(default=(), kw_only=True)

    @cached_property
    def places(self) -> list[int]:
        """The state of each context; all states where transitions are drawn independently."""
        return list(range(self.model.n)) if self.model.sampling is not None else [one[0] for one in self.contexts]

    def ends(self, passage: Passage) -> tuple[int, int]:
        """Between which of the :attr:`places` a passage leads: φ is that of the first, φ' that of the second."""
        if self.model.sampling is not None:
            return passage.outcome.state, passage.outcome.after
        return passage.source, passage.target

    @cached_property
    def ahead(self) -> RationalMatrix:
        """E_π φ' of each state (n×d)."""
        return self.model.target_kernel.P @ self.model.features

    @cached_property
    def _products(self) -> list[list[list[fmpq]]]:
        """The dot products :data:`DOTS`, state by state."""
        vectors = {PHI: self.model.features, NEXT: self.model.features, AHEAD: self.ahead}
        return [(vectors[a] @ vectors[b].T).scalars for a, b in DOTS]

    def number(self, passage: Passage, which: int) -> fmpq:
        """One of :data:`NUMBERS` and :data:`DOTS` there."""
        outcome, s = passage.outcome, passage.outcome.state
        if which >= len(NUMBERS):
            at = [outcome.after if v == NEXT else s for v in DOTS[which - len(NUMBERS)]]
            return self._products[which - len(NUMBERS)][at[0]][at[1]]
        name = NUMBERS[which]
        if name in BEFORE:
            return to_fmpq(self.contexts[passage.source][1 + self.fields.index(name)])
        if name in ("pi", "mu"):
            return to_fmpq((self.model.target if name == "pi" else self.model.behaviour).rows[s][outcome.action])
        return to_fmpq(value_at(name, outcome, self.model, self.interest))

    def value(self, passage: Passage, term: Term) -> fmpq:
        """The coefficient of a term there."""
        total = fmpq(0)
        for powers, x in self.evaluations[passage.evaluation].get(term, {}).items():
            for which, power in enumerate(powers):
                for _ in range(power):
                    x *= self.number(passage, which)
            total += x
        return total


def traced(
    model: Model,
    algorithm: Algorithm,
    states: Sequence[int],
    *,
    steps: Mapping[str, Fraction] | None = None,
    interest: Sequence[Fraction] | None = None,
    first_order: bool = False,
    stationary: bool = True,
    free: FreeNumber | None = None,
    signs: Signs | None = None,
) -> Terms:
    """The terms of an update on a recurrent class, where it keeps vectors whole.

    ``steps``, ``interest``: as of :func:`~tdcert.theory.engine.tables.tables`; ``first_order``: everything is cut
    after the first degree in all steps together, and the memory at steps zero; not ``stationary``: from these states
    at time zero; ``free``: what depends on a free number. ``signs``: of what the function compares, where numbers are
    known up to a set; it is evaluated in each case then, and contexts differ by the whole transition before where it
    reads of that. Raises :class:`InputError`, with the function, the line and what would do, where vectors are taken
    apart, and for an update that is not affine; :class:`BudgetExceededError` for too many cases.
    """
    tracer = _Tracer(model, algorithm, states, steps, interest, first_order, stationary, free, signs)
    if free is None:
        return tracer.settled(tracer.terms)
    token = CASES.set(free.compared)
    try:
        return tracer.settled(tracer.terms)
    finally:
        CASES.reset(token)


class At(NamedTuple):
    """Where the function is evaluated: the ``number`` of each of :data:`NUMBERS` and :data:`DOTS` that has to be one,
    the state, the action and the next state, by which it may look something up, and whether it is told that there was
    no transition before.
    """

    number: Callable[[int], fmpq]
    looked_up: tuple[int, int, int]
    first: bool = False


class Evaluator:
    """Evaluates the function on symbols. ``fields``: what it reads of the transition before; ``fixed``: which numbers
    have to be numbers; ``free``: what depends on a free number.
    """

    def __init__(
        self,
        algorithm: Algorithm,
        d: int,
        steps: Mapping[str, Fraction] | None = None,
        first_order: bool = False,
        free: FreeNumber | None = None,
        spare: int = 0,
    ) -> None:
        self.algorithm, self.d, self.steps, self.first_order, self.free = algorithm, d, steps, first_order, free
        self.options = algorithm.exact_options()
        self.slots = [slot for part in algorithm.slots(d) for slot in part]
        self.fields: tuple[str, ...] = ()
        self.fixed: set[str] = set()
        try:
            self.space = Space(algorithm, d, free=free.name if free else "", spare=spare)
        except Refusal as refusal:
            raise refused(algorithm, None, refusal.does, refusal.instead) from None

    def settled(self, found: Callable[[], _Found]) -> _Found:
        """What ``found`` returns. It is called anew each time the function turns out to need another number."""
        while True:
            try:
                return found()
            except ReadsBefore as reads:
                self.fields = tuple(field for field in BEFORE if field in (*self.fields, reads.field))
            except Refusal as refusal:
                needs = {name for name in refusal.symbols if name in self.space.given_names or name in LOOKED_UP}
                if needs <= self.fixed:
                    raise refused(self.algorithm, refusal, refusal.does, refusal.instead) from None
                self.fixed |= needs

    def ask_again(self, at: At, terms: Mapping[Term, Polynomial]) -> None:
        """Evaluates a transition once more, with symbols of other names: what was kept from earlier calls shows."""
        try:
            again = Space(self.algorithm, self.d, "'", self.space.free_name, len(self.space.spare))
            same = self.evaluated(at, again)[0] == terms
        except (Refusal, InputError):
            same = False
        if not same:
            instead = "keep nothing from one call to the next but what it returns"
            raise refused(self.algorithm, None, "gives another answer when it is asked again", instead)

    def _fixed(self, name: str, x: fmpq, space: Space) -> Exact:
        """A number that has to be one; a multiple of the free number where it is a discount that varies."""
        if self.free is None or self.free.is_lambda or name.removeprefix("t.") not in OF_DISCOUNT:
            return Exact(x)
        return Exact(space.free.value * (x / to_fmpq(self.free.value)))

    def evaluated(self, at: At, space: Space) -> tuple[dict[Term, Polynomial], set[Any]]:
        """The terms there, and what was cut off."""
        names = space.given_names
        given: list[Any] = [
            self._fixed(name, at.number(k), space) if name in self.fixed else symbol
            for k, (name, symbol) in enumerate(zip(names, space.given, strict=True))
        ]
        space.products = dict(zip(DOTS, given[len(NUMBERS) : len(NO_NUMBER)], strict=True))
        if space.spare and (cases := CASES.get()) is not None:
            cases.spare = space.spare
        numbers = dict(zip(NUMBERS, given, strict=False))
        options = dict(self.options)
        if self.free is not None and self.free.is_lambda:
            options |= self.algorithm.holding((), (space.free,))
        if not self.algorithm.by_state:
            numbers |= dict.fromkeys(BY_STATE)
        known = {**{name: numbers.pop(name) for name in BEFORE if name in numbers}, "first": at.first}
        state, action, after = at.looked_up
        t = Transition(
            state=state,
            action=action,
            next_state=after,
            phi=Vector({PHI: Exact(fmpq(1))}, space),
            phi_next=Vector({NEXT: Exact(fmpq(1))}, space),
            expected_phi_next=Vector({AHEAD: Exact(fmpq(1))}, space),
            before={field: known[field] for field in self.fields},
            **numbers,
        ).without(set(LOOKED_UP) - self.fixed)
        if self.steps:
            sizes: Sequence[Any] = [Exact(to_fmpq(self.steps[name])) for name in self.algorithm.steps]
        else:
            sizes = steps_as_series(len(space.steps)) if self.first_order else space.steps
        try:
            empty = space.empty(self.algorithm.emptied_slots(self.d), self.algorithm.emptied)
            returned = self.algorithm.applied(t, space.inputs(self.slots), empty, sizes, options)
        except Refusal:
            raise
        except (Exception, SystemExit) as error:
            raise refused(self.algorithm, error, *failure(error, self.d)) from None
        parts = returned if isinstance(returned, tuple) else (returned,)
        if len(parts) != len(self.slots):
            raise Refusal("returns other parts than it declares", "return parameters and memory, in this order")
        values = [x for part in parts for x in _flat(part)]
        places = (*space.parameters, *space.memory)
        if [isinstance(value, Vector) for value in values] != [place.vector for place in places]:
            raise Refusal("returns arrays of other shapes than it declares", "return vectors for vectors")
        total, beyond = space.read(values, first_order=self.first_order)
        for row, place in enumerate(space.parameters):  # less the parameters themselves
            same = SAME if place.vector else ONE
            _add(total, Term(row, (0,) * len(space.steps), row, same, same, None), space.no_number, fmpq(-1))
        return {term: coefficient for term, coefficient in total.items() if coefficient}, beyond


class _Tracer(Evaluator):
    def __init__(
        self,
        model: Model,
        algorithm: Algorithm,
        states: Sequence[int],
        steps: Mapping[str, Fraction] | None,
        interest: Sequence[Fraction] | None,
        first_order: bool,
        stationary: bool,
        free: FreeNumber | None,
        signs: Signs | None,
    ) -> None:
        super().__init__(algorithm, model.d, steps, first_order, free, 0 if signs is None else SPARE)
        self.model, self.states, self.stationary = model, tuple(states), stationary
        self.interest, self.signs = model.interest if interest is None else interest, signs
        self.outcomes = Outcomes(model, algorithm)

    def terms(self) -> Terms:
        """The terms on all transitions."""
        contexts, moves = self._moves()
        space = self.space
        found = Terms(
            self.model,
            self.algorithm,
            self.states,
            self.interest,
            space.parameters,
            space.memory,
            self.fields,
            contexts,
            (),
            (),
            (),
            frozenset(),
        )
        numbered, divisors = dict[Any, int | Gap](), list[tuple[Exact, ...]]()
        evaluations, beyond, when = (
            list[Mapping[Term, Polynomial]](),
            set[tuple[int, Pair]](),
            list[Mapping[str, fmpq]](),
        )
        passages = []
        begins = "first" in self.fields

        def cases(passage: Passage, at: At, key: tuple[Any, ...], signs: Mapping[str, int]) -> Iterator[int]:
            """The evaluations that a transition may belong to."""
            case = (key, *signs.items())
            if case not in numbered:
                numbered[case] = self._in_case(at, signs, evaluations, beyond, divisors)
                if isinstance(numbered[case], int):
                    asked = {"first": fmpq(key[0])} if "first" in self.fields else {}
                    when.append(asked | dict(zip(sorted(self.fixed), map(fmpq, key[1:]), strict=True)))
            known = numbered[case]
            if isinstance(known, int):
                yield known
                return
            assert self.signs is not None
            for sign in self.signs(passage, contexts[passage.source], known):
                yield from cases(passage, at, key, {**signs, str(known.polynomial): sign})

        for passage in moves:
            outcome = passage.outcome
            first = begins and bool(contexts[passage.source][1 + self.fields.index("first")])
            at = At(partial(found.number, passage), (outcome.state, outcome.action, outcome.after), first)
            which, *others = dict.fromkeys(cases(passage, at, self._key(at), {}))
            same = passage.evaluation == which and not others
            passages.append(passage if same else replace(passage, evaluation=which, others=tuple(others)))
        return replace(
            found,
            evaluations=tuple(evaluations),
            when=tuple(when),
            beyond=frozenset(beyond),
            passages=tuple(passages),
            divisors=tuple(divisors) if self.signs is not None else (),
        )

    def _in_case(
        self,
        at: At,
        signs: Mapping[str, int],
        evaluations: list[Mapping[Term, Polynomial]],
        beyond: set[tuple[int, Pair]],
        divisors: list[tuple[Exact, ...]],
    ) -> int | Gap:
        """Keeps the evaluation in a case, and returns its number; or that whose sign is asked for there."""
        cases, number = None if self.signs is None else Cases(signs, ()), len(evaluations)
        token = CASES.set(cases or CASES.get())
        try:
            terms, cut = self.evaluated(at, self.space)
            if not evaluations:
                self.ask_again(at, terms)
        except Unsettled as asked:
            return Gap(asked.gap, () if cases is None else tuple(cases.divisors.values()))
        finally:
            CASES.reset(token)
        if signs and number >= raised(ROBUST_CASES):
            raise BudgetExceededError(f"the update '{self.algorithm.name}' has more than {number} cases")
        evaluations.append(terms)
        divisors.append(() if cases is None else tuple(cases.divisors.values()))
        beyond |= cut
        return number

    def _moves(self) -> tuple[tuple[tuple[Any, ...], ...], list[Passage]]:
        """The contexts, and the transitions between them."""
        contexts: dict[tuple[Any, ...], int] = {}
        for s in self.outcomes.first(self.states):
            begun = self._begin(s)
            for context in map(self._after, self.outcomes[s]) if self.stationary else [begun]:
                contexts.setdefault(context, len(contexts))
        waiting, moves = list(contexts), list[Passage]()
        for h, context in enumerate(waiting):  # grows while it is read
            for outcome in self.outcomes[context[0]]:
                target = contexts.setdefault(self._after(outcome), len(waiting))
                if target == len(waiting):
                    waiting.append(self._after(outcome))
                moves.append(Passage(h, target, outcome, 0))
        return tuple(waiting), moves

    def _after(self, outcome: StepOutcome) -> tuple[Any, ...]:
        """The context behind a transition."""
        if self.outcomes.independent:
            return self._begin(DRAWN)
        known = {"discount_before": outcome.discount, "rho_before": outcome.rho, "first": False}
        apart = [outcome] if self.signs is not None and self.fields else []
        return outcome.after, *(known[field] for field in self.fields), *apart

    def _begin(self, s: int) -> tuple[Any, ...]:
        """The context of a state at time zero."""
        known = {"discount_before": Fraction(0), "rho_before": Fraction(1), "first": True}
        return s, *(known[field] for field in self.fields)

    def _key(self, at: At) -> tuple[Any, ...]:
        """What tells transitions apart whose terms differ."""
        looked_up = dict(zip(("state", "action", "next_state"), at.looked_up, strict=True))
        return at.first, *(
            looked_up[name] if name in LOOKED_UP else at.number(self.space.given_names.index(name))
            for name in sorted(self.fixed)
        )


def _add(total: dict[Term, Polynomial], term: Term, given: Exponents, x: fmpq) -> None:
    polynomial = total.setdefault(term, {})
    value = polynomial.pop(given, fmpq(0)) + x
    if value != 0:
        polynomial[given] = value


def _places(slots: Sequence[Slot], shapes: Mapping[str, Shape]) -> Iterator[Place]:
    at = 0
    for slot in slots:
        vector = _is_whole(declared := shapes[slot.name])
        if isinstance(declared, tuple) and "d" in declared[:-1]:
            raise Refusal(f"keeps {slot.name}, whose entries are not those of vectors as long as φ", WHOLE)
        width = slot.shape[-1] if vector else 1
        outer = slot.shape[:-1] if vector else slot.shape
        for index in np.ndindex(*outer):
            yield Place(slot.name + (f"[{', '.join(map(str, index))}]" if outer else ""), width, vector, at)
            at += width


def _filled(shape: tuple[int, ...], values: Iterator[Any]) -> Any:
    """An object array of these values, not to be written to; the first one itself for the shape ()."""
    array = np.empty(shape, dtype=object)
    for index in np.ndindex(*shape):
        array[index] = next(values)
    array.flags.writeable = False
    return array if shape else array[()]


def _is_whole(shape: Shape) -> bool:
    """Whether it is of vectors as long as φ."""
    return (shape[-1:] == ("d",)) if isinstance(shape, tuple) else shape == "d"


def _flat(part: Any) -> Iterator[Any]:
    """The vectors and numbers in nested lists."""
    if isinstance(part, list | tuple | np.ndarray):
        for x in part:
            yield from _flat(x)
    else:
        yield part
