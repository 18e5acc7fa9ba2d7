r"""The error of an update as a jump linear system: x_{t+1} = x_t + α_t(G x_t + f) + O(α_t²) along nodes of its memory.

x = y − y*, y the parameters, y* where their mean increment is zero to first order, step sizes in fixed ratios to α_t;
with (x, 1) this is

    x_{t+1} = B(α_t) x_t,     B = I + (α H_1 + α² H_2 + …)/q,     H_i = [[G_i, f_i], [0, 0]],

H_i and the divisor q, a polynomial in α with q(0) = 1, functions of the transition between nodes
(:mod:`tdcert.theory.engine.nodes`). Where the update is linear in its steps, as most are, H_1 is all and q = 1. In the
stationary regime E f_1 = 0, and E G_1 is the joint mean matrix. Everything is exact; ``floats`` are for searches.

Source: X_t, A(X_t), b(X_t) in §4, of which the nodes of the paper's four updates are an instance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import prod

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.protocol import Dense
from tdcert.theory.arithmetic.rational import to_fraction
from tdcert.theory.check.hypotheses import COVERAGE
from tdcert.theory.engine.certificates import tables_of
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.dynamics import NO_MEAN, rest_of
from tdcert.theory.engine.first_order import with_mean_dynamics
from tdcert.theory.engine.means import Stationary
from tdcert.theory.engine.nodes import node_chain
from tdcert.theory.engine.tables import Tables, tables
from tdcert.theory.engine.terms import Exponents
from tdcert.theory.errors import InputError
from tdcert.theory.limits import ERROR_MOVES
from tdcert.theory.model.mdp import Model

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ErrorMove:
    """A transition between nodes; ``H`` is H_1, (D+1)×(D+1) with a last row of zeros, and ``higher`` are H_2, H_3, …;
    ``divisor``: the coefficients of q, the first of which is 1.
    """

    source: int
    target: int
    p: Fraction
    H: RationalMatrix
    higher: tuple[RationalMatrix, ...] = ()
    divisor: tuple[Fraction, ...] = (Fraction(1),)

    @cached_property
    def numerator(self) -> tuple[RationalMatrix, ...]:
        """The coefficients of qB."""
        unit, zero = self.H.identity(self.H.shape[0]), RationalMatrix.zeros(*self.H.shape)
        parts: tuple[RationalMatrix, ...] = (zero, self.H, *self.higher)
        sizes = (*self.divisor, *[Fraction(0)] * (len(parts) - len(self.divisor)))
        parts += (zero,) * (len(sizes) - len(parts))
        return tuple(unit.scaled(x) + part for x, part in zip(sizes, parts, strict=True))


@dataclass(frozen=True)
class ErrorProcess:
    """The system from s_0 ~ ``start`` (n rationals) and the parameters ``begin`` (D); ``first``: law of the first node.

    ``tables``: of the update from the states of the start; ``ratios``: of each step size to the first; ``rest`` (D):
    y*; ``J`` (D×D): the mean of G in the stationary regime; ``measured``: the parameters whose distance from y* is
    asked about, those of the first one that is as long as φ, else of the first one.
    """

    tables: Tables
    ratios: tuple[Fraction, ...]
    start: tuple[Fraction, ...]
    begin: tuple[Fraction, ...]
    rest: tuple[Fraction, ...]
    first: tuple[Fraction, ...]
    moves: tuple[ErrorMove, ...]
    J: RationalMatrix
    measured: range

    @property
    def model(self) -> Model:
        """What the update runs on."""
        return self.tables.model

    @property
    def algorithm(self) -> Algorithm:
        """The update."""
        return self.tables.algorithm

    @property
    def theta_star(self) -> tuple[Fraction, ...]:
        """y* at what is measured."""
        return self.rest[self.measured.start : self.measured.stop]

    @property
    def theta0(self) -> tuple[Fraction, ...]:
        """Where what is measured begins."""
        return self.begin[self.measured.start : self.measured.stop]

    @property
    def size(self) -> int:
        """D, the length of x."""
        return self.J.shape[0]

    @property
    def count(self) -> int:
        """The number of nodes."""
        return len(self.first)

    @cached_property
    def y0(self) -> tuple[Fraction, ...]:
        """(x, 1) at t = 0."""
        return (*(a - b for a, b in zip(self.begin, self.rest, strict=True)), Fraction(1))

    @cached_property
    def unit(self) -> RationalMatrix:
        """diag of ones at what is measured, (D+1)×(D+1): |θ − θ*|² as a form of (x, 1)."""
        width = self.size + 1
        return RationalMatrix([[int(i == j and i in self.measured) for j in range(width)] for i in range(width)])

    @cached_property
    def floats(self) -> tuple[NDArray[np.int64], NDArray[np.int64], Array, Array]:
        """Sources, targets, probabilities and H of the moves."""
        ends = np.array([(move.source, move.target) for move in self.moves], dtype=np.int64).T
        p = np.array([float(move.p) for move in self.moves])
        return ends[0], ends[1], p, np.array([move.H.to_float() for move in self.moves])

    @cached_property
    def second(self) -> Array:
        """What α² multiplies in B, move by move, in floats."""
        zero = RationalMatrix.zeros(self.size + 1, self.size + 1)
        higher = np.array([(*move.higher, zero)[0].to_float() for move in self.moves])
        q = np.array([float((*move.divisor, 0)[1]) for move in self.moves])
        return np.asarray(higher - q[:, None, None] * self.floats[3])

    @cached_property
    def kernel(self) -> Array:
        """The transition matrix of the nodes."""
        source, target, p, _ = self.floats
        P = np.zeros((self.count, self.count))
        np.add.at(P, (source, target), p)
        return P

    @cached_property
    def law(self) -> Array:
        """The law of the nodes."""
        count = self.count
        system = np.vstack([self.kernel.T - np.eye(count), np.ones(count)])
        return np.asarray(np.linalg.lstsq(system, np.array([*[0.0] * count, 1.0]), rcond=None)[0])

    def ahead(self, values: Array) -> Array:
        """Σ p · values, by source, of one value for each move."""
        source, _, p, _ = self.floats
        total = np.zeros((self.count, *values.shape[1:]))
        np.add.at(total, source, p.reshape(-1, *[1] * (values.ndim - 1)) * values)
        return total

    def poisson(self, wanted: Array) -> Array:
        """The X of mean zero with X − E X' = wanted − its mean."""
        flat = wanted.reshape(self.count, -1)
        system = np.eye(self.count) - self.kernel + self.law[None, :]
        return np.asarray(np.linalg.solve(system, flat - self.law @ flat).reshape(wanted.shape))

    @cached_property
    def correction(self) -> RationalMatrix:
        """f̂ (nodes × D): f̂ − E f̂' = E f, exactly; about zero in the mean."""
        drift = [[Fraction(0)] * self.size for _ in range(self.count)]
        rows = [[Fraction(int(h == g)) for g in range(self.count)] for h in range(self.count)]
        for move in self.moves:
            rows[move.source][move.target] -= move.p
            for i in range(self.size):
                drift[move.source][i] += move.p * move.H[i, self.size]
        last = int(np.argmax(self.law))  # f̂ is zero there at first; a recurrent node, so the rest is determined
        others = [h for h in range(self.count) if h != last]
        if others:
            I_minus_P = RationalMatrix(rows).take(rows=others, columns=others)
            solved = iter(I_minus_P.solve(RationalMatrix([drift[h] for h in others])).rows)
            found = [next(solved) if h != last else (Fraction(0),) * self.size for h in range(self.count)]
        else:
            found = [(Fraction(0),) * self.size]
        mean = [_simple(float(x)) for x in self.law @ RationalMatrix(found).to_float()]
        return RationalMatrix([[x - m for x, m in zip(row, mean, strict=True)] for row in found])


def error_process(
    model: Model,
    algorithm: Algorithm,
    ratios: Sequence[Fraction],
    start: Sequence[Fraction],
    theta0: Sequence[Fraction] | None = None,
) -> ErrorProcess:
    """The error process with step sizes in these ratios, what is measured from ``theta0`` (zeros), the rest from zero.

    Raises :class:`InputError` where a hypothesis of the theorem fails, in one sentence that names it: more than one
    recurrent class, no coverage though the update reads the target policy, a memory without end or that depends on
    steps, parameters that move without a step, no single point where the mean increment is zero; and for a start of the
    wrong length.
    :class:`BudgetExceededError` beyond :data:`ERROR_MOVES` transitions between nodes.
    """
    classes = model.behaviour_chain.recurrent_classes
    if len(classes) != 1:
        raise InputError(
            f"the behaviour chain has {len(classes)} recurrent classes, and the theorem is about a chain with one; "
            "give a model of one of them"
        )
    found = with_mean_dynamics(model, algorithm, classes[0])
    states = [s for s, p in enumerate(start) if p > 0]
    own = tables(model, algorithm, states, known=None if found.cut else found.tables, divided=found.cut)
    if any(not any(powers) for edge in own.edges for powers in edge.increments):  # in the class or on the way to it
        raise InputError(
            f"the parameters of '{algorithm.name}' move where its step sizes are zero, and the theorem is about small "
            "changes, y + O(α); give an update that rests there"
        )
    _require_coverage(found)
    _require_end(found)
    D, joint = found.tables.D, found.joint(ratios)
    rest = rest_of(found, ratios).parameters
    if rest is None:
        raise InputError(
            f"the mean matrix of '{algorithm.name}' is singular, so the hypothesis that it has one fixed point fails; "
            "give features that are independent on the recurrent states, or another discount or schedule"
        )
    measured = found.predictor or range(found.tables.parameters[0].size)
    first = [Fraction(0)] * len(measured) if theta0 is None else list(theta0)
    if len(first) != len(measured):
        each = "feature" if len(measured) == model.d else "of its entries"
        raise InputError(f"θ_0 has {len(first)} entries; give {len(measured)}, one for each {each}")
    begin = [Fraction(0)] * D
    begin[measured.start : measured.stop] = first
    star = rest.column_entries()
    chain = node_chain(own, [start[s] for s in states], most=ERROR_MOVES)

    def about_rest(matrix: RationalMatrix) -> RationalMatrix:
        rows = [[*row[:D], sum((x * y for x, y in zip(row, star, strict=False)), row[D])] for row in matrix.rows]
        return RationalMatrix([*rows, [Fraction(0)] * (D + 1)])

    divisors = [_in_ratios(edge.fan.divisor, ratios) for edge in own.edges]
    moves = []
    for (source, target, p, (first_order, *higher)), k in zip(chain.orders(ratios), chain.edge.tolist(), strict=True):
        parts = tuple(map(about_rest, higher))
        moves.append(ErrorMove(source, target, p, about_rest(first_order), parts, divisors[k]))
    return ErrorProcess(
        own,
        tuple(ratios),
        tuple(start),
        tuple(begin),
        tuple(star),
        tuple(chain.start),
        tuple(moves),
        joint.take(columns=range(D)),
        measured,
    )


def _in_ratios(divisor: Mapping[Exponents, fmpq], ratios: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """The coefficients of a divisor as a polynomial in the first step size."""
    found = [Fraction(0)] * max((1 + sum(powers) for powers in divisor), default=1)
    for powers, x in divisor.items():
        found[sum(powers)] += prod((r**k for r, k in zip(ratios, powers, strict=True)), start=to_fraction(x))
    return tuple(found) if divisor else (Fraction(1),)


def _require_coverage(found: Stationary[Dense]) -> None:
    """An update that does the same whatever the target policy is needs no coverage."""
    model = found.tables.model
    coverage = COVERAGE.ask(model)
    if coverage.satisfied:
        return
    equal, of = replace(model, target=model.behaviour), (found.algorithm, found.tables.states)
    own = tables(equal, *of, stationary=True, divided=found.cut)
    whole = tables(model, *of, stationary=True, divided=True) if found.cut else found.tables
    if tables_of(own)["moves"] != tables_of(whole)["moves"]:
        raise InputError(
            f"{coverage.reason}: without coverage θ* is not about the target policy; give a behaviour policy that "
            "takes every action which the target policy takes"
        )


def _require_end(found: Stationary[Dense]) -> None:
    """A form for each value of the memory can be had if there are finitely many."""
    memory, name = found.memory, found.algorithm.name
    if memory.exists is not True:
        raise InputError(f"'{name}' has no mean dynamics on this model: {NO_MEAN[memory.exists]}")
    entry = memory.without_end
    if entry is not None:
        names = [entry for slot in found.tables.memory for entry in slot.entries]
        moments = {True: "with", False: "without", None: "perhaps without"}[memory.has_second_moments]
        raise InputError(
            f"the memory of '{name}' has no end, as {names[entry]} depends on itself: it takes infinitely many values "
            f"({moments} a second moment), and the inequality is decided for each; give the schedule a length, λ = 0, "
            "or an update without such a memory"
        )


def _simple(x: float) -> Fraction:
    """A dyadic with sixteen significant bits near x."""
    mantissa, exponent = np.frexp(x)
    return Fraction(round(float(mantissa) * 2**16), 2**16) * Fraction(2) ** int(exponent)
