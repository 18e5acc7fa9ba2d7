r"""Tables: what an update does on each transition of a model, as polynomials, and the chain that the update sees.

On a transition out of the context h (the state, and of the transition before it what the update reads) the update is

    m' = R m + s,        y' = y + Σ_k step^k · (G_k(m) y + g_k(m)),

with y the parameters, m the memory, G_k and g_k affine in m, k an exponent of the step sizes. The function itself is
evaluated, on symbols (:mod:`tdcert.theory.engine.numbers`): the degrees are known, not guessed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from traceback import walk_tb
from typing import Any

import numpy as np
from flint import fmpq

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.rational import to_fmpq, to_fraction
from tdcert.theory.engine.declare import Algorithm, Slot, failure
from tdcert.theory.engine.numbers import Exact, Refusal, exact, terms
from tdcert.theory.engine.transition import BEFORE, ReadsBefore, Transition
from tdcert.theory.errors import BudgetExceededError, InputError, by_shape
from tdcert.theory.laws.windows import StepOutcome, state_outcomes
from tdcert.theory.model.mdp import Model

MAX_TRANSITIONS = 50_000
"""Most transitions that an update is evaluated on (about half a minute)."""

MAX_ENTRIES = 20_000
"""Most parameters and numbers in the memory: each is a symbol of every polynomial."""

Context = tuple[Any, ...]
"""A state, and the values of the fields of the transition before that the update reads."""
Exponents = tuple[int, ...]
"""Of the step sizes."""
Place = tuple[int | None, int, int]
"""Entry of the memory (None: the part without memory), row, and column of G_k; the last column is g_k."""


@dataclass(frozen=True, eq=False)
class Edge:
    """A transition between contexts: their numbers, what happens, and the new values as polynomials."""

    source: int
    target: int
    outcome: StepOutcome
    parameters: tuple[Exact, ...]
    memory: tuple[Exact, ...]


@dataclass(frozen=True, eq=False)
class Tables:
    """All transitions from the contexts that are reached from some ``states``; the first ``starts`` contexts are those
    of time zero, one for each of these states, and there are none where the regime is stationary. ``steps``: step sizes
    that are numbers, all of them or none.
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

    @cached_property
    def D(self) -> int:
        """How many parameters there are."""
        return sum(slot.size for slot in self.parameters)

    @cached_property
    def M(self) -> int:
        """How many numbers the memory holds."""
        return sum(slot.size for slot in self.memory)

    @cached_property
    def predictor(self) -> range | None:
        """The places of the first parameter that is as long as φ; None where there is none."""
        at = 0
        for slot in self.parameters:
            if slot.shape == (self.model.d,):
                return range(at, at + slot.size)
            at += slot.size
        return None

    @cached_property
    def leaving(self) -> tuple[tuple[Edge, ...], ...]:
        """The edges out of each context."""
        found: list[list[Edge]] = [[] for _ in self.contexts]
        for edge in self.edges:
            found[edge.source].append(edge)
        return tuple(map(tuple, found))

    def increments(self, parameters: Sequence[Exact]) -> dict[Exponents, dict[Place, fmpq]]:
        """G_k and g_k of new parameters, less the parameters themselves; no entry is zero."""
        found: dict[Exponents, dict[Place, fmpq]] = {}
        for row, value in enumerate(parameters):
            for exponents, coefficient in terms(value).items():
                column, entry, steps = self._split(exponents)
                part = found.setdefault(steps, {})
                part[entry, row, column] = coefficient
        still = found.setdefault((0,) * len(self.algorithm.steps), {})
        for row in range(len(parameters)):
            left = still.pop((None, row, row), fmpq(0)) - 1
            if left != 0:
                still[None, row, row] = left
        return {steps: part for steps, part in found.items() if part}

    @cached_property
    def powers(self) -> tuple[Exponents, ...]:
        """The exponents of the step sizes that stand in some increment, of low degree first."""
        found = {exponents for edge in self.edges for exponents in self.increments(edge.parameters)}
        return tuple(sorted(found, key=lambda powers: (sum(powers), powers)))

    def recursion(self, memory: Sequence[Exact]) -> tuple[dict[tuple[int, int], fmpq], dict[int, fmpq]]:
        """R and s of new memory; no entry is zero."""
        R: dict[tuple[int, int], fmpq] = {}
        s: dict[int, fmpq] = {}
        for row, value in enumerate(memory):
            for exponents, coefficient in terms(value).items():
                _, entry, _ = self._split(exponents)
                if entry is None:
                    s[row] = coefficient
                else:
                    R[row, entry] = coefficient
        return R, s

    @cached_property
    def recursions(self) -> dict[Edge, tuple[dict[tuple[int, int], fmpq], dict[int, fmpq]]]:
        """R and s of every edge."""
        return {edge: self.recursion(edge.memory) for edge in self.edges}

    def affine(self, edge: Edge) -> RationalMatrix:
        """The map of (m, 1), (M+1)×(M+1)."""
        M = self.M
        rows = [[Fraction(0)] * (M + 1) for _ in range(M)] + [[*[Fraction(0)] * M, Fraction(1)]]
        R, s = self.recursions[edge]
        for (i, j), x in R.items():
            rows[i][j] = to_fraction(x)
        for i, x in s.items():
            rows[i][M] = to_fraction(x)
        return RationalMatrix(rows)

    def _split(self, exponents: tuple[int, ...]) -> tuple[int, int | None, Exponents]:
        """Column, entry of the memory, exponents of the steps."""
        known = self._split_before.get(exponents)
        if known is None:
            D, M = self.D, self.M
            here = exponents or (0,) * (D + M + len(self.algorithm.steps))
            column = next((k for k in range(D) if here[k]), D)
            entry = next((k for k in range(M) if here[D + k]), None)
            known = self._split_before[exponents] = column, entry, tuple(int(x) for x in here[D + M :])
        return known

    @cached_property
    def _split_before(self) -> dict[tuple[int, ...], tuple[int, int | None, Exponents]]:
        return {}


def tables(
    model: Model,
    algorithm: Algorithm,
    states: Sequence[int] | None = None,
    *,
    stationary: bool = False,
    steps: Mapping[str, Fraction] | None = None,
    interest: Sequence[Fraction] | None = None,
    known: Tables | None = None,
) -> Tables:
    """The tables of an algorithm on a model, from the start ``states`` (None: all).

    ``stationary``: the states are a recurrent class, and there was a transition before every one. ``steps``: step sizes
    as numbers, for updates that are not polynomial in them; the exponents are then zero. ``interest``: of each state
    (ones unless given). ``known``: tables from other states, all else being equal, whose transitions are not evaluated
    again. Raises :class:`InputError`, with the function, the line and what would do, for an update that
    is not affine, and :class:`BudgetExceededError` beyond :data:`MAX_TRANSITIONS` and :data:`MAX_ENTRIES`.
    """
    if steps and set(steps) != set(algorithm.steps):
        raise InputError(f"give all step sizes of '{algorithm.name}' as numbers, {', '.join(algorithm.steps)}, or none")
    parameters, memory = algorithm.slots(model.d)
    if (entries := sum(slot.size for slot in (*parameters, *memory))) > MAX_ENTRIES:
        raise BudgetExceededError(
            f"the update '{algorithm.name}' has {entries} parameters and numbers in its memory on this model, more "
            f"than {MAX_ENTRIES}; give fewer features, or smaller shapes"
        )
    evaluator = _Evaluator(model, algorithm, parameters, memory, steps or {}, interest)
    chosen = tuple(range(model.n) if states is None else states)
    fields = () if known is None else known.fields
    while True:
        try:
            starts = {evaluator.context(s, None, fields): None for s in chosen}
            if stationary:
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
    done: dict[tuple[Context, int, int], Edge] = {}
    if known is not None and known.fields == fields:
        done = {(known.contexts[e.source], e.outcome.action, e.outcome.after): e for e in known.edges}
    places = {context: k for k, context in enumerate(starts)}
    waiting, edges = list(starts), list[Edge]()
    for place, context in enumerate(waiting):  # grows while it is read
        before = dict(zip(fields, context[1:], strict=True))
        for outcome in evaluator.outcomes[context[0]]:
            following = evaluator.context(outcome.after, outcome, fields)
            target = places.setdefault(following, len(places))
            if target == len(waiting):
                waiting.append(following)
            same = done.get((context, outcome.action, outcome.after))
            values = (same.parameters, same.memory) if same else evaluator.evaluate(outcome, before)
            edges.append(Edge(place, target, outcome, *values))
        if len(edges) > MAX_TRANSITIONS:
            raise BudgetExceededError(
                f"the update '{evaluator.algorithm.name}' sees more than {MAX_TRANSITIONS} different transitions on "
                "this model; give a smaller model, or an update that reads less of the transition before"
            )
    return tuple(waiting), tuple(edges)


class _Evaluator:
    """Evaluates an update on single transitions."""

    def __init__(
        self,
        model: Model,
        algorithm: Algorithm,
        parameters: Sequence[Slot],
        memory: Sequence[Slot],
        steps: Mapping[str, Fraction],
        interest: Sequence[Fraction] | None,
    ) -> None:
        self.model, self.algorithm, self.slots = model, algorithm, (*parameters, *memory)
        self.outcomes = state_outcomes(model, importance=True)
        self.count = sum(slot.size for slot in parameters)
        self.fixed = steps
        self.inputs = self._inputs()
        self.options = algorithm.exact_options()
        ahead = model.target_kernel.P @ model.features
        self.phi, self.expected = (
            [_array([_number(x) for x in row], (model.d,)) for row in some.rows] for some in (model.features, ahead)
        )
        self.interest = [_number(x) for x in interest or [Fraction(1)] * model.n]

    def _inputs(self, mark: str = "") -> list[Any]:
        """Parameters, memory and steps, as the function takes them."""
        steps, algorithm = self.fixed, self.algorithm
        given = list(algorithm.symbols(self.model.d, mark))
        for k, step in enumerate(algorithm.steps):
            if step in steps:
                given[len(given) - len(algorithm.steps) + k] = _number(steps[step])
        inputs, at = list[Any](), 0
        for slot in self.slots:
            inputs.append(_array(given[at : at + slot.size], slot.shape))
            at += slot.size
        return inputs + given[at:]

    def ask_again(self, edge: Edge, before: Mapping[str, Any]) -> None:
        """Evaluates a transition once more, with symbols of other names: what was kept from earlier calls shows."""
        kept, self.inputs = self.inputs, self._inputs("'")
        try:
            again = self.evaluate(edge.outcome, before)
            same = all(
                terms(x) == terms(y)
                for x, y in zip((*again[0], *again[1]), (*edge.parameters, *edge.memory), strict=True)
            )
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

    def evaluate(self, outcome: StepOutcome, before: Mapping[str, Any]) -> tuple[tuple[Exact, ...], tuple[Exact, ...]]:
        """New parameters and new memory."""
        model, s, a = self.model, outcome.state, outcome.action
        t = Transition(
            state=s,
            action=a,
            next_state=outcome.after,
            phi=self.phi[s],
            phi_next=self.phi[outcome.after],
            reward=_number(outcome.reward),
            discount=_number(outcome.discount),
            rho=_number(outcome.rho),
            pi=_number(model.target[s, a]),
            mu=_number(model.behaviour[s, a]),
            interest=self.interest[s],
            expected_phi_next=self.expected[s],
            before={name: value if name == "first" else _number(value) for name, value in before.items()},
        )
        try:
            returned = self.algorithm.function(t, *self.inputs, **self.options)
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
        for entry, value in enumerate(values[self.count :]):
            if isinstance(value.value, fmpq):
                continue
            degrees = value.value.degrees()
            others = [*range(self.count), *range(len(values), len(degrees))]
            if any(degrees[k] > 0 for k in others):
                names = [name for slot in self.slots for name in slot.entries]
                learnt = next(x for x in value.symbols if x not in names[self.count :])
                raise self._error(
                    None,
                    f"returns a memory whose entry {names[self.count + entry]} depends on {learnt}",
                    "let the memory depend on the transition and on itself only, or declare it as a parameter",
                )
        return values[: self.count], values[self.count :]

    def _checked(self, returned: Any) -> tuple[Exact, ...]:
        parts = returned if isinstance(returned, tuple) else () if returned is None else (returned,)
        names = ", ".join(slot.name for slot in self.slots)
        if len(parts) != len(self.slots):
            raise self._error(None, f"returns {_counted(parts)}", f"return {names}, in this order")
        values: list[Exact] = []
        for slot, part in zip(self.slots, parts, strict=True):
            found = np.asarray(part, dtype=object)
            if found.shape != slot.shape and not found.size == slot.size == 0:
                shape = f"of shape {by_shape(found.shape)}" if found.shape else "that is one number"
                wanted = f"an array of shape {by_shape(slot.shape)}" if slot.shape else "one number"
                raise self._error(None, f"returns a new {slot.name} {shape}", f"return {wanted}")
            for entry in found.ravel().tolist():
                number = exact(entry)
                if number is None:
                    does = f"returns a new {slot.name} that holds something of type {type(entry).__name__}"
                    raise self._error(None, does, "return numbers only")
                values.append(number)
        return tuple(values)

    def _fails(self, error: BaseException) -> InputError:
        return self._error(error, *failure(error, self.model.d))

    def _error(self, error: BaseException | None, does: str, instead: str) -> InputError:
        file, lines = self.algorithm.function.__code__.co_filename, list[int | None]([None])
        if error is not None:
            lines += [line for frame, line in walk_tb(error.__traceback__) if frame.f_code.co_filename == file]
        return InputError(f"the update '{self.algorithm.name}' {does} ({self.algorithm.place(lines[-1])}); {instead}")


def _counted(parts: tuple[Any, ...]) -> str:
    return {0: "nothing", 1: "one value"}.get(len(parts), f"{len(parts)} values")


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
