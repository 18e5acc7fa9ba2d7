r"""Tables: what an update does on each transition of a model, as polynomials, and the chain that the update sees.

On a transition out of the context h (the state, and of the transition before it what the update reads) the update is

    m' = R m + s,        y' = y + Σ_k step^k · (G_k(m) y + g_k(m)),

with y the parameters, m the memory, G_k and g_k affine in m, k an exponent of the step sizes. Where the update divides
by its steps, the sum is over a polynomial in them that is 1 at steps zero, the divisor. The function itself is
evaluated, on symbols (:mod:`tdcert.theory.engine.numbers`): the degrees are known, not guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import groupby
from typing import Any, cast

import numpy as np
from flint import fmpq, fmpq_mat

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.rational import to_fmpq
from tdcert.theory.engine.declare import Algorithm, Slot, failure, refused
from tdcert.theory.engine.numbers import Exact, Refusal, exact, sparse_terms
from tdcert.theory.engine.outcomes import Outcomes
from tdcert.theory.engine.series import Pair, StepSeries, graded, steps_as_series
from tdcert.theory.engine.step_fractions import StepFraction, over_one
from tdcert.theory.engine.terms import Exponents, by_degree
from tdcert.theory.engine.transition import BEFORE, BY_STATE, ReadsBefore, Transition
from tdcert.theory.errors import InputError, by_shape
from tdcert.theory.laws.windows import StepOutcome
from tdcert.theory.limits import EVALUATED_TRANSITIONS, UPDATE_ENTRIES, LimitError, raised
from tdcert.theory.model.mdp import Model

Number = Exact | StepSeries | StepFraction
Context = tuple[Any, ...]
"""A state, and the values of the fields of the transition before that the update reads."""
Powers = tuple[tuple[int, int], ...]
"""Numbers of symbols, and their powers."""
Place = tuple[int | None, int, int]
"""Entry of the memory (None: the part without memory), row, and column of G_k; the last column is g_k."""


Recursion = tuple[dict[tuple[int, int], fmpq], dict[int, fmpq]]
"""R and s by their entries; none is zero."""
Parts = list[tuple[int, fmpq]]
"""A polynomial in what transitions differ in: numbers of monomials, and coefficients."""


@dataclass(frozen=True, eq=False)
class Fan:
    """What an update does on transitions that differ in some numbers alone. ``G``: G_k and g_k, and ``R``, ``s`` of the
    memory, with polynomials in these numbers as entries; ``monomials``: their exponents in each monomial. ``beyond``:
    in which rows which products of two steps were cut off. ``divisor``: what the increments are divided by, by the
    exponents of the step sizes; empty for 1.
    """

    monomials: tuple[Exponents, ...]
    G: dict[Exponents, dict[Place, Parts]]
    R: dict[tuple[int, int], Parts]
    s: dict[int, Parts]
    beyond: frozenset[tuple[int, Pair]] = frozenset()
    divisor: Mapping[Exponents, fmpq] = field(default_factory=dict)

    @cached_property
    def remembered(self) -> frozenset[int]:
        """The monomials on which the memory depends."""
        return frozenset(k for parts in (*self.R.values(), *self.s.values()) for k, _ in parts)

    def increments(self, at: Sequence[fmpq]) -> dict[Exponents, dict[Place, fmpq]]:
        """G_k and g_k where the monomials have these values, or in the mean of such; no entry is zero."""
        found = {steps: _filled(part, at) for steps, part in self.G.items()}
        return {steps: part for steps, part in found.items() if part}


def _filled(entries: Mapping[Any, Parts], at: Sequence[fmpq]) -> dict[Any, fmpq]:
    return {place: x for place, parts in entries.items() if (x := valued(parts, at)) != 0}


def valued(parts: Parts, at: Sequence[fmpq]) -> fmpq:
    """The value of a polynomial whose monomials have the values ``at``."""
    total = fmpq(0)
    for k, x in parts:
        total += x * at[k]
    return total


@dataclass(frozen=True, eq=False)
class Edge:
    """A transition between contexts: their numbers, what happens, and what the update does there: that of the ``fan``
    where its monomials have the values ``at``.
    """

    source: int
    target: int
    outcome: StepOutcome
    fan: Fan
    at: tuple[fmpq, ...]

    @property
    def increments(self) -> dict[Exponents, dict[Place, fmpq]]:
        """G_k and g_k of the new parameters, less the parameters themselves; no entry is zero."""
        return self.fan.increments(self.at)

    @cached_property
    def recursion(self) -> Recursion:
        """R and s of the new memory."""
        return _filled(self.fan.R, self.at), _filled(self.fan.s, self.at)


@dataclass(frozen=True)
class MemoryMove:
    """The ``edges`` out of a context that do the same to the memory, m' = R m + s. ``targets``: the contexts they lead
    to, with probabilities.
    """

    source: int
    R: dict[tuple[int, int], fmpq]
    s: dict[int, fmpq]
    edges: list[Edge]
    targets: dict[int, fmpq]


@dataclass(frozen=True, eq=False)
class Tables:
    """All transitions from the contexts that are reached from some ``states``; the first ``starts`` contexts are those
    of time zero, one for each of these states (one for all where transitions are drawn independently), and there are
    none where the regime is stationary. ``steps``: step sizes
    that are numbers, all of them or none. ``order``: 1 where these are the slow parameters of an update to first order
    in its steps (:mod:`tdcert.theory.engine.first_order`).
    """

    model: Model
    algorithm: Algorithm
    states: tuple[int, ...]
    parameters: tuple[Slot, ...]
    memory: tuple[Slot, ...]
    fields: tuple[str, ...]
    contexts: tuple[Context, ...]
    starts: int
    edges: tuple[Edge, ...]
    steps: Mapping[str, Fraction]
    order: int | None = None

    @cached_property
    def D(self) -> int:
        """How many parameters there are."""
        return sum(slot.size for slot in self.parameters)

    @cached_property
    def M(self) -> int:
        """How many numbers the memory holds."""
        return sum(slot.size for slot in self.memory)

    @cached_property
    def leaving(self) -> tuple[tuple[Edge, ...], ...]:
        """The edges out of each context."""
        found: list[list[Edge]] = [[] for _ in self.contexts]
        for edge in self.edges:
            found[edge.source].append(edge)
        return tuple(map(tuple, found))

    @cached_property
    def recursions(self) -> dict[Edge, Recursion]:
        """R and s of every edge."""
        return {edge: edge.recursion for edge in self.edges}

    @cached_property
    def powers(self) -> tuple[Exponents, ...]:
        """The exponents of the step sizes that stand in some increment, of low degree first."""
        found: set[Exponents] = set()
        for edge in self.edges:
            for exponents, part in edge.fan.G.items():
                if exponents not in found and any(valued(parts, edge.at) != 0 for parts in part.values()):
                    found.add(exponents)
        return by_degree(found)

    @cached_property
    def moves(self) -> tuple[MemoryMove, ...]:
        """The edges as what they do to the memory."""
        found: dict[Any, MemoryMove] = {}
        of_fans: dict[Any, MemoryMove] = {}
        for edge in self.edges:
            fan = edge.source, edge.fan, tuple(x for k, x in enumerate(edge.at) if k in edge.fan.remembered)
            move = of_fans.get(fan)
            if move is None:
                R, s = edge.recursion
                key = edge.source, frozenset(R.items()), frozenset(s.items())
                move = of_fans[fan] = found.setdefault(key, MemoryMove(edge.source, R, s, [], {}))
            move.edges.append(edge)
            move.targets[edge.target] = move.targets.get(edge.target, fmpq(0)) + to_fmpq(edge.outcome.probability)
        return tuple(found.values())

    def affine(self, edge: Edge | MemoryMove) -> RationalMatrix:
        """The map of (m, 1), (M+1)×(M+1)."""
        M = self.M
        R, s = (edge.R, edge.s) if isinstance(edge, MemoryMove) else edge.recursion
        rows = fmpq_mat(M + 1, M + 1)
        rows[M, M] = 1
        for place, x in R.items():
            rows[place] = x
        for i, x in s.items():
            rows[i, M] = x
        return RationalMatrix.from_flint(rows)


def tables(
    model: Model,
    algorithm: Algorithm,
    states: Sequence[int] | None = None,
    *,
    stationary: bool = False,
    steps: Mapping[str, Fraction] | None = None,
    interest: Sequence[Fraction] | None = None,
    known: Tables | None = None,
    first_order: bool = False,
    divided: bool = False,
) -> Tables:
    """The tables of an algorithm on a model, from the start ``states`` (None: all).

    ``stationary``: the states are a recurrent class, and there was a transition before every one. ``steps``: step sizes
    as numbers, for updates that are not polynomial in them; the exponents are then zero. ``interest``: of each state
    (the model's unless given). ``known``: tables from other states, all else being equal, whose transitions are not
    evaluated again. ``first_order``: everything is cut after the first degree in all steps together, and the memory at
    steps zero. ``divided``: the function may divide by its steps, and increments have divisors then. Raises
    :class:`InputError`, with the function, the line and what would do, for an update that is not affine, and
    :class:`BudgetExceededError` beyond :data:`EVALUATED_TRANSITIONS` and :data:`UPDATE_ENTRIES`.
    """
    if steps and set(steps) != set(algorithm.steps):
        raise InputError(f"give all step sizes of '{algorithm.name}' as numbers, {', '.join(algorithm.steps)}, or none")
    parameters, memory = algorithm.slots(model.d)
    if (entries := sum(slot.size for slot in (*parameters, *memory))) > raised(UPDATE_ENTRIES):
        raise LimitError(
            f"the update '{algorithm.name}' has {entries} parameters and numbers in its memory on this model, more "
            f"than {raised(UPDATE_ENTRIES)}; give fewer features, or smaller shapes",
            entries / UPDATE_ENTRIES,
        )
    evaluator = _Evaluator(model, algorithm, parameters, memory, steps or {}, interest, first_order, divided)
    chosen = tuple(range(model.n) if states is None else states)
    fields = () if known is None else known.fields
    while True:
        try:
            starts = {evaluator.context(s, None, fields): None for s in evaluator.outcomes.first(chosen)}
            if stationary and not evaluator.outcomes.independent:
                before = (outcome for s in chosen for outcome in evaluator.outcomes[s])
                starts = {evaluator.context(outcome.after, outcome, fields): None for outcome in before}
            contexts, edges = _explored(evaluator, list(starts), fields, known)
        except ReadsBefore as reads:
            fields = tuple(field for field in BEFORE if field in (*fields, reads.field))
            continue
        evaluator.ask_again(edges[0], dict(zip(fields, contexts[edges[0].source][1:], strict=True)))
        count = 0 if stationary else len(starts)
        return Tables(
            model, algorithm, chosen, tuple(parameters), tuple(memory), fields, contexts, count, edges, steps or {}
        )


def _explored(
    evaluator: _Evaluator, starts: list[Context], fields: tuple[str, ...], known: Tables | None
) -> tuple[tuple[Context, ...], tuple[Edge, ...]]:
    """Contexts in the order of a breadth-first search, and all edges."""
    done: dict[tuple[Context, int, int, int], Edge] = {}
    if known is not None and known.fields == fields:
        done = {(known.contexts[e.source], *_told_apart(e.outcome)): e for e in known.edges}
    places = {context: k for k, context in enumerate(starts)}
    waiting, edges = list(starts), list[Edge]()
    for place, context in enumerate(waiting):  # grows while it is read
        before = dict(zip(fields, context[1:], strict=True))
        for _, group in groupby(evaluator.outcomes[context[0]], key=lambda outcome: (outcome.state, outcome.action)):
            outcomes = list(group)
            same = [done.get((context, *_told_apart(outcome))) for outcome in outcomes]
            if None in same:
                values = evaluator.evaluate(outcomes, before)
            else:
                values = [(edge.fan, edge.at) for edge in same if edge]
            for outcome, value in zip(outcomes, values, strict=True):
                drawn = evaluator.outcomes.independent
                following = context if drawn else evaluator.context(outcome.after, outcome, fields)
                target = places.setdefault(following, len(places))
                if target == len(waiting):
                    waiting.append(following)
                edges.append(Edge(place, target, outcome, *value))
        if len(edges) > raised(EVALUATED_TRANSITIONS):
            every = evaluator.outcomes.by_state
            after = (len(every[outcome.after]) for some in every for outcome in some)
            most = sum(map(len, every)) + sum(after)  # a context for each state, and each transition
            raise LimitError(
                f"the update '{evaluator.algorithm.name}' sees more than {raised(EVALUATED_TRANSITIONS)} different "
                "transitions on this model; give a smaller model, or an update that reads less of the one before",
                most / EVALUATED_TRANSITIONS,
            )
    return tuple(waiting), tuple(edges)


def _told_apart(outcome: StepOutcome) -> tuple[int, int, int]:
    return outcome.state, outcome.action, outcome.after


class _Evaluator:
    """Evaluates an update. Out of a context and by one action transitions differ in φ', reward and discount alone: they
    are evaluated together, with symbols for what differs, unless the function needs the numbers.
    """

    def __init__(
        self,
        model: Model,
        algorithm: Algorithm,
        parameters: Sequence[Slot],
        memory: Sequence[Slot],
        steps: Mapping[str, Fraction],
        interest: Sequence[Fraction] | None,
        first_order: bool,
        divided: bool,
    ) -> None:
        self.first_order, self.divided = first_order, divided
        self.model, self.algorithm, self.slots = model, algorithm, (*parameters, *memory)
        self.outcomes = Outcomes(model, algorithm)
        self.count = sum(slot.size for slot in parameters)
        self.fixed = steps
        self.inputs = self._inputs()
        self.empty = [_array([_number(Fraction(0))] * x.size, x.shape) for x in algorithm.emptied_slots(model.d)]
        self.apart: Sequence[Callable[[StepOutcome], Any]] = (
            lambda outcome: None,
            lambda outcome: (outcome.reward, outcome.discount),
            lambda outcome: outcome.after,
        )
        self.options = algorithm.exact_options()
        assert model.lambda_by_state is not None or not algorithm.by_state
        self.lambdas = [model.lambda_by_state] if algorithm.by_state and model.lambda_by_state is not None else []
        ahead = model.target_kernel.P @ model.features
        self.phi, self.expected = (
            [_array([_number(x) for x in row], (model.d,)) for row in some.rows] for some in (model.features, ahead)
        )
        self.interest = [_number(x) for x in interest or model.interest or [Fraction(1)] * model.n]

    def _inputs(self, mark: str = "") -> list[Any]:
        """Parameters, memory and steps, as the function takes them."""
        steps, algorithm = self.fixed, self.algorithm
        names = [f"t.phi_next[{k}]" for k in range(self.model.d)] + ["t.reward", "t.discount"]
        names += ["t.lam_next"] * self.algorithm.by_state
        given = list(algorithm.symbols(self.model.d, mark, names))
        self.differing = given[-len(names) :]
        inputs, at = list[Any](), 0
        for slot in self.slots:
            inputs.append(_array(given[at : at + slot.size], slot.shape))
            at += slot.size
        if self.first_order:
            return inputs + steps_as_series(len(algorithm.steps))
        sizes = [_number(steps[step]) if steps else x for step, x in zip(algorithm.steps, given[at:], strict=False)]
        return inputs + (list(map(StepFraction, sizes)) if self.divided else sizes)

    def ask_again(self, edge: Edge, before: Mapping[str, Any]) -> None:
        """Evaluates a transition once more, with symbols of other names: what was kept from earlier calls shows."""
        kept, self.inputs = self.inputs, self._inputs("'")
        try:
            ((fan, at),) = self.evaluate([edge.outcome], before)
            again = Edge(edge.source, edge.target, edge.outcome, fan, at)
            same = again.increments == edge.increments and again.recursion == edge.recursion
            same = same and fan.divisor == edge.fan.divisor
        except InputError:
            same = False
        self.inputs = kept
        if not same:
            does = "gives another answer when it is asked again"
            raise self._error(None, does, "keep nothing from one call to the next but what it returns")

    @staticmethod
    def context(state: int, before: StepOutcome | None, fields: tuple[str, ...]) -> Context:
        """The context in a state after ``before``, None at time zero."""
        if before is None:
            known = {"discount_before": Fraction(0), "rho_before": Fraction(1), "first": True}
        else:
            known = {"discount_before": before.discount, "rho_before": before.rho, "first": False}
        return state, *(known[field] for field in fields)

    def evaluate(
        self, outcomes: Sequence[StepOutcome], before: Mapping[str, Any]
    ) -> list[tuple[Fan, tuple[fmpq, ...]]]:
        """The fan of each of these transitions by one action, and the values of its monomials."""
        known: dict[StepOutcome, tuple[Fan, tuple[fmpq, ...]]] = {}
        while True:
            groups: dict[Any, list[StepOutcome]] = {}
            for outcome in outcomes:
                groups.setdefault(self.apart[0](outcome), []).append(outcome)
            try:
                for group in groups.values():
                    known.update(zip(group, self._together(group, before), strict=True))
            except InputError:
                # it needs a number, or is not affine, which is for single transitions to say
                if len(self.apart) == 1:
                    raise
                self.apart = self.apart[1:]
            else:
                return [known[outcome] for outcome in outcomes]

    def _together(
        self, outcomes: Sequence[StepOutcome], before: Mapping[str, Any]
    ) -> list[tuple[Fan, tuple[fmpq, ...]]]:
        numbers = [
            [
                *(x.value for x in self.phi[outcome.after]),
                to_fmpq(outcome.reward),
                to_fmpq(outcome.discount),
                *(to_fmpq(x[outcome.after]) for x in self.lambdas),
            ]
            for outcome in outcomes
        ]
        given = [
            Exact(values[0]) if values.count(values[0]) == len(values) else symbol
            for values, symbol in zip(map(list, zip(*numbers, strict=True)), self.differing, strict=True)
        ]
        fan = self._fan(self._evaluated(outcomes, given, before))
        factors = [[(k, power) for k, power in enumerate(powers) if power] for powers in fan.monomials]
        return [(fan, tuple(_monomial(x, some) for some in factors)) for x in numbers]

    def _fan(self, values: Sequence[Number]) -> Fan:
        D, M, steps = self.count, len(values) - self.count, len(self.algorithm.steps)
        first, none = D + M + steps, (0,) * steps
        known, divisor = cast("Sequence[Exact | StepSeries]", values), {none: fmpq(1)}
        if self.divided:
            try:
                learnt, over = over_one(values[:D])
            except Refusal as refusal:
                raise self._error(refusal, refusal.does, refusal.instead) from None
            known = [*learnt, *known[D:]]
            divisor = {tuple(dict(of).get(D + M + i, 0) for i in range(steps)): x for of, x in sparse_terms(over)}
        numbers: dict[Powers, int] = {(): 0}
        found = Fan((), {}, {}, {})
        for row, value in enumerate(known):
            for degrees, part in graded(value, steps):
                for powers, x in sparse_terms(part):
                    column, entry, exponents = D, None, degrees or none
                    given = powers
                    for k, power in powers:
                        if k >= first:
                            break
                        given = given[1:]
                        if k < D:
                            column = k
                        elif k < D + M:
                            entry = k - D
                        else:
                            exponents = tuple(power if D + M + i == k else e for i, e in enumerate(exponents))
                    term = numbers.setdefault(given, len(numbers)), x
                    if row < D:
                        found.G.setdefault(exponents, {}).setdefault((entry, row, column), []).append(term)
                    elif entry is None:
                        found.s.setdefault(row - D, []).append(term)
                    else:
                        found.R.setdefault((row - D, entry), []).append(term)
        for exponents, x in divisor.items():  # less the parameters themselves
            still = found.G.setdefault(exponents, {})
            for row in range(D):
                still[None, row, row] = [*still.pop((None, row, row), []), (0, -x)]
        cut = {(row, pair) for row, value in enumerate(known) if isinstance(value, StepSeries) for pair in value.beyond}
        monomials = []
        for given in numbers:
            of = {k - first: power for k, power in given}
            monomials.append(tuple(of.get(k, 0) for k in range(len(self.differing))))
        return replace(
            found,
            monomials=tuple(monomials),
            beyond=frozenset(cut),
            divisor=divisor if divisor.keys() != {none} else {},
        )

    def _evaluated(
        self, outcomes: Sequence[StepOutcome], given: Sequence[Exact], before: Mapping[str, Any]
    ) -> list[Number]:
        """New parameters and new memory, from these φ', reward and discount."""
        model, outcome = self.model, outcomes[0]
        s, a, d = outcome.state, outcome.action, model.d
        t = Transition(
            state=s,
            action=a,
            next_state=outcome.after,
            phi=self.phi[s],
            phi_next=_array(given[:d], (d,)),
            reward=given[d],
            discount=given[d + 1],
            rho=_number(outcome.rho),
            pi=_number(model.target[s, a]),
            mu=_number(model.behaviour[s, a]),
            interest=self.interest[s],
            expected_phi_next=self.expected[s],
            before={name: value if name == "first" else _number(value) for name, value in before.items()},
            **{name: x for one in self.lambdas for name, x in zip(BY_STATE, (_number(one[s]), given[-1]), strict=True)},
        )
        t = t if len(outcomes) == 1 else t.without(["next_state"])
        try:
            held, sizes = self.inputs[: len(self.slots)], self.inputs[len(self.slots) :]
            returned = self.algorithm.applied(t, held, self.empty, sizes, self.options)
        except Refusal as refusal:
            raise self._error(refusal, refusal.does, refusal.instead) from None
        except ValueError as error:
            if "read-only" not in str(error):
                raise self._fails(error) from None
            instead = "compute a new array, as in x = x + y instead of x += y"
            raise self._error(error, "writes into an array that it was given", instead) from None
        except (Exception, SystemExit) as error:
            raise self._fails(error) from None
        values = self._checked(returned)
        for entry, value in enumerate(values[self.count :], start=self.count):
            count = len(self.algorithm.steps)
            parts = value.parts if isinstance(value, StepFraction) else [part for _, part in graded(value, count)]
            for part in parts:
                if isinstance(part.value, fmpq):
                    continue
                degrees = part.value.degrees()
                others = degrees[: self.count] + degrees[len(values) : len(degrees) - len(given)]
                if max(others, default=0) > 0:  # they are −1 of zero
                    names = [name for slot in self.slots for name in slot.entries]
                    learnt = next(x for x in part.symbols if x not in names[self.count :])
                    raise self._error(
                        None,
                        f"returns a memory whose entry {names[entry]} depends on {learnt}",
                        "let the memory depend on the transition and on itself only, or declare it as a parameter",
                    )
            values[entry] = parts[0]  # at steps zero
        return values

    def _checked(self, returned: Any) -> list[Number]:
        parts = returned if isinstance(returned, tuple) else () if returned is None else (returned,)
        names = ", ".join(slot.name for slot in self.slots)
        if len(parts) != len(self.slots):
            raise self._error(None, f"returns {_counted(parts)}", f"return {names}, in this order")
        values = list[Number]()
        for slot, part in zip(self.slots, parts, strict=True):
            found = np.asarray(part, dtype=object)
            if found.shape != slot.shape and not found.size == slot.size == 0:
                shape = f"of shape {by_shape(found.shape)}" if found.shape else "that is one number"
                wanted = f"an array of shape {by_shape(slot.shape)}" if slot.shape else "one number"
                raise self._error(None, f"returns a new {slot.name} {shape}", f"return {wanted}")
            for entry in found.ravel().tolist():
                number = entry if isinstance(entry, StepSeries | StepFraction) else exact(entry)
                if number is None:
                    does = f"returns a new {slot.name} that holds something of type {type(entry).__name__}"
                    raise self._error(None, does, "return numbers only")
                values.append(number)
        return values

    def _fails(self, error: BaseException) -> InputError:
        return self._error(error, *failure(error, self.model.d))

    def _error(self, error: BaseException | None, does: str, instead: str) -> InputError:
        return refused(self.algorithm, error, does, instead)


def _counted(parts: tuple[Any, ...]) -> str:
    return {0: "nothing", 1: "one value"}.get(len(parts), f"{len(parts)} values")


def _monomial(numbers: Sequence[fmpq], factors: Iterable[tuple[int, int]]) -> fmpq:
    found = fmpq(1)
    for k, power in factors:
        for _ in range(power):
            found *= numbers[k]
    return found


def _number(value: Fraction) -> Exact:
    return Exact(to_fmpq(value))


def _array(entries: Sequence[Exact], shape: tuple[int, ...]) -> Any:
    """An object array that cannot be written to; the one entry itself for the shape ()."""
    if shape == ():
        return entries[0]
    found = np.empty(len(entries), dtype=object)
    found[:] = entries
    found = found.reshape(shape)
    found.flags.writeable = False
    return found
