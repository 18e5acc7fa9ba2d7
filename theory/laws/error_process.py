r"""The error of the iterates as a jump linear system: x_{t+1} = x_t + α_t(G x_t + f) along the chain of windows.

x = θ − θ* for TD, (θ − θ*, w) for GTD and TDC with β_t = ηα_t; with y = (x, 1) this is y_{t+1} = (I + α_t H) y_t, H =
[[G, f], [0, 0]] a function of the transition of the window chain (``tdcert.theory.laws.windows``). Under the law of
the windows E f = Aθ* + b = 0, and E G is the mean matrix of the algorithm. Everything is exact; ``floats`` are
for searches.

Source: X_t, A(X_t), b(X_t) in §4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.hypotheses import COVERAGE
from tdcert.theory.errors import InputError, SingularMatrixError
from tdcert.theory.laws.schedule_update import ScheduleUpdate
from tdcert.theory.laws.windows import window_chain
from tdcert.theory.model.key_matrices import behaviour_matrices
from tdcert.theory.model.mdp import Model

Array = NDArray[np.float64]

MAX_MOVES = 4_000
"""Most transitions of the window chain: each is a matrix that the checker multiplies many times."""


@dataclass(frozen=True)
class Move:
    """One transition of the window chain; ``H`` is (D+1)×(D+1) with a last row of zeros."""

    source: int
    target: int
    p: Fraction
    H: RationalMatrix


@dataclass(frozen=True)
class ErrorProcess:
    """The system from s_0 ~ ``start`` (n rationals) and ``theta0`` (d), w_0 = 0; ``first``: law of the first window.

    ``theta_star`` (d) is the fixed point, ``J`` (D×D) the mean of G under the law of the windows.
    """

    model: Model
    algorithm: ScheduleUpdate
    eta: Fraction
    start: tuple[Fraction, ...]
    theta0: tuple[Fraction, ...]
    theta_star: tuple[Fraction, ...]
    first: tuple[Fraction, ...]
    moves: tuple[Move, ...]
    J: RationalMatrix

    @property
    def size(self) -> int:
        """D, the length of x."""
        return self.J.shape[0]

    @property
    def count(self) -> int:
        """The number of windows."""
        return len(self.first)

    @cached_property
    def y0(self) -> tuple[Fraction, ...]:
        """y at t = 0."""
        error = [a - b for a, b in zip(self.theta0, self.theta_star, strict=True)]
        return (*error, *[Fraction(0)] * (self.size - len(error)), Fraction(1))

    @cached_property
    def floats(self) -> tuple[NDArray[np.int64], NDArray[np.int64], Array, Array]:
        """Sources, targets, probabilities and H of the moves."""
        ends = np.array([(move.source, move.target) for move in self.moves], dtype=np.int64).T
        p = np.array([float(move.p) for move in self.moves])
        return ends[0], ends[1], p, np.array([move.H.to_float() for move in self.moves])

    @cached_property
    def kernel(self) -> Array:
        """The transition matrix of the windows."""
        source, target, p, _ = self.floats
        P = np.zeros((self.count, self.count))
        np.add.at(P, (source, target), p)
        return P

    @cached_property
    def law(self) -> Array:
        """The law of the windows."""
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
        """f̂ (windows × D): f̂ − E f̂' = E f, exactly; about zero in the mean."""
        drift = [[Fraction(0)] * self.size for _ in range(self.count)]
        rows = [[Fraction(int(h == g)) for g in range(self.count)] for h in range(self.count)]
        for move in self.moves:
            rows[move.source][move.target] -= move.p
            for i in range(self.size):
                drift[move.source][i] += move.p * move.H[i, self.size]
        last = int(np.argmax(self.law))  # f̂ is zero there at first; a recurrent window, so the rest is determined
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
    algorithm: ScheduleUpdate,
    eta: Fraction,
    start: Sequence[Fraction],
    theta0: Sequence[Fraction],
) -> ErrorProcess:
    """The error process of an algorithm with β = ηα.

    Raises :class:`InputError` where there is no single fixed point, for a schedule without end, a start of the wrong
    length; :class:`BudgetExceededError` beyond :data:`MAX_MOVES` transitions of the window chain.
    """
    classes = model.behaviour_chain.recurrent_classes
    if len(classes) != 1:
        raise InputError(
            f"the behaviour chain has {len(classes)} recurrent classes, and the theorem is about a chain with one; "
            "give a model of one of them"
        )
    if algorithm.off_policy:
        coverage = COVERAGE.ask(model)
        if not coverage.satisfied:
            raise InputError(
                f"{coverage.reason}: without coverage θ* is not about the target policy; give a behaviour policy that "
                "takes every action which the target policy takes"
            )
    if len(theta0) != model.d:
        raise InputError(f"θ_0 has {len(theta0)} entries; give {model.d}, one for each feature")
    keys = behaviour_matrices(model, classes[0])
    chain = window_chain(model, algorithm, start, most=MAX_MOVES)
    try:
        theta_star = keys.theta_star.column_entries()
    except SingularMatrixError:
        raise InputError(
            "A is singular, so the hypothesis that θ* = −A⁻¹b exists fails; give features that are independent on the "
            "recurrent states, or another discount or schedule"
        ) from None
    D = algorithm.blocks * model.d
    rest = [*theta_star, *[Fraction(0)] * (D - model.d)]
    updates = chain.exact
    moves = []
    for h, g, p, matrix in zip(
        chain.source, chain.target, updates.probability, updates.U + eta * updates.V, strict=True
    ):
        rows = matrix.tolist()
        for row in rows:
            row[D] += sum((x * y for x, y in zip(row, rest, strict=False)), Fraction(0))
        moves.append(Move(int(h), int(g), p, RationalMatrix(rows)))
    J = algorithm.mean(keys.A, keys.C, eta)
    return ErrorProcess(
        model, algorithm, eta, tuple(start), tuple(theta0), theta_star, tuple(chain.start), tuple(moves), J
    )


def _simple(x: float) -> Fraction:
    """A dyadic with sixteen significant bits near x."""
    mantissa, exponent = np.frexp(x)
    return Fraction(round(float(mantissa) * 2**16), 2**16) * Fraction(2) ** int(exponent)
