r"""Second moments of the parameters, and of their average, after many updates, in balls.

With x = θ − θ* and S_t = x_0 + … + x_{t−1}, y = (x, S, 1) moves linearly between nodes
(:mod:`tdcert.theory.laws.nodes`),
y' = B(α)y with B(α) = I + αK̂, so that the matrices Y_t(h) = E[y_t y_tᵀ 1{node = h}], on and above their diagonals, are
multiplied by L_0 + αL_1 + α²L_2, once for each update. At a constant step T updates are its T-th power, by repeated
squaring: 10⁷ of them are 24 squarings. Every number is a ball, so every rounding is bounded.

Independent draws (:func:`drawn`) are the same moves between one node and itself, each with the probability of its
source under a law: what the update meets is drawn anew each time, from that law.

The same moments for few updates, exact or in floats with bounds: :mod:`tdcert.theory.laws.moments`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement

from flint import arb, arb_mat

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.ball import precision
from tdcert.theory.arithmetic.rational import to_fmpq
from tdcert.theory.laws.reach import Move
from tdcert.theory.limits import POWER_ENTRIES, LimitError, raised

BITS = 256
"""Binary digits of the balls: a power of 10⁷ loses about 30 of them."""


def drawn(moves: Iterable[Move], law: Sequence[Fraction]) -> list[Move]:
    """The moves of a memoryless update as independent draws: the source from ``law`` over the nodes, and one node."""
    return [(0, 0, law[h] * p, K) for h, _, p, K in moves if law[h] * p]


@dataclass(frozen=True)
class Errors:
    """E‖x‖²_W of the last iterate x_T and of the average (x_0 + … + x_{T−1})/T, and ‖E x_T‖²_W, W as it was given;
    balls.
    """

    last: arb
    average: arb | None
    mean: arb


@dataclass(frozen=True)
class MomentPowers:
    """Moves between ``nodes`` nodes, θ* (D×1), the first θ (D×1) and the law of the first node.

    ``averaged``: whether S_t is carried along too. Raises BudgetExceededError beyond :data:`POWER_ENTRIES` entries.
    """

    moves: Sequence[Move]
    start: Sequence[Fraction]
    target: RationalMatrix
    first: RationalMatrix
    averaged: bool = False

    def __post_init__(self) -> None:
        if (size := len(self.start) * len(self.places)) > raised(POWER_ENTRIES):
            said = f"second moments have {size} entries, and at most {raised(POWER_ENTRIES)} are raised to powers"
            raise LimitError(said, size / POWER_ENTRIES)

    @property
    def D(self) -> int:
        """How many parameters there are."""
        return self.target.shape[0]

    @cached_property
    def places(self) -> list[tuple[int, int]]:
        """The entries of Y that are kept: i ≤ j."""
        return list(combinations_with_replacement(range((2 if self.averaged else 1) * self.D + 1), 2))

    @cached_property
    def operators(self) -> tuple[arb_mat, arb_mat, arb_mat]:
        """L_0, L_1, L_2."""
        D, places, one = self.D, self.places, self.places[-1][0]
        index = {place: k for k, place in enumerate(places)}
        size = len(places)
        tables: list[dict[tuple[int, int], Fraction]] = [{}, {}, {}]
        for h, g, p, K in self.moves:
            k = K.take(columns=range(D)) @ self.target + K.take(columns=[D])
            rows = [[{i: Fraction(1)}, {}] for i in range(one + 1)]
            for i in range(D):
                rows[i][1] = {j: K[i, j] for j in range(D) if K[i, j]} | ({one: k[i, 0]} if k[i, 0] else {})
                if self.averaged:
                    rows[D + i][0][i] = Fraction(1)
            for (i, j), to in index.items():
                for a in (0, 1):
                    for b in (0, 1):
                        for u, x in rows[i][a].items():
                            for v, y in rows[j][b].items():
                                place = g * size + to, h * size + index[min(u, v), max(u, v)]
                                tables[a + b][place] = tables[a + b].get(place, Fraction(0)) + p * x * y
        whole = len(self.start) * size
        made = []
        with precision(BITS):
            for table in tables:
                matrix = arb_mat(whole, whole)
                for (i, j), x in table.items():
                    matrix[i, j] = arb(to_fmpq(x))
                made.append(matrix)
        return made[0], made[1], made[2]

    def _begin(self) -> arb_mat:
        error = (self.first - self.target).column_entries()
        y = [*error, *[Fraction(0)] * (self.D if self.averaged else 0), Fraction(1)]
        return arb_mat([[arb(to_fmpq(p * y[i] * y[j]))] for p in self.start for i, j in self.places])

    def after(self, T: int, alpha: Fraction, weight: RationalMatrix) -> Errors:
        """After T ≥ 1 updates at a constant step, W = ``weight`` (D×D, symmetric)."""
        with precision(BITS):
            return self._errors(self._power(T, alpha), T, weight)

    def by_node(self, T: int, alpha: Fraction) -> list[dict[tuple[int, int], arb]]:
        """E[y_i y_j 1{node}] after T updates at a constant step, for each node, i ≤ j; y = (x, S, 1) or (x, 1)."""
        with precision(BITS):
            vector, size = self._power(T, alpha), len(self.places)
            return [
                {place: vector[h * size + k, 0] for k, place in enumerate(self.places)} for h in range(len(self.start))
            ]

    def _power(self, T: int, alpha: Fraction) -> arb_mat:
        """(L_0 + αL_1 + α²L_2)ᵀ times the beginning, by repeated squaring."""
        L0, L1, L2 = self.operators
        step = arb(to_fmpq(alpha))
        square, vector, left = L0 + L1 * step + L2 * step**2, self._begin(), T
        while left:
            if left & 1:
                vector = square * vector
            left >>= 1
            square = square * square if left else square
        return vector

    def along(self, steps: Sequence[Fraction | arb], weight: RationalMatrix) -> Errors:
        """After the updates at these steps, one after the other."""
        with precision(BITS):
            L0, L1, L2 = self.operators
            vector = self._begin()
            for step in steps:
                alpha = step if isinstance(step, arb) else arb(to_fmpq(step))
                vector = L0 * vector + (L1 * vector + L2 * vector * alpha) * alpha
            return self._errors(vector, len(steps), weight)

    def _errors(self, vector: arb_mat, T: int, weight: RationalMatrix) -> Errors:
        size = len(self.places)

        def form(shift: int) -> arb:
            total = arb(0)
            for k, (i, j) in enumerate(self.places):
                if shift <= i < shift + self.D and shift <= j < shift + self.D:
                    factor = weight[i - shift, j - shift] * (1 if i == j else 2)
                    total += arb(to_fmpq(factor)) * sum(
                        (vector[h * size + k, 0] for h in range(len(self.start))), arb(0)
                    )
            return total

        means = [sum((vector[h * size + k, 0] for h in range(len(self.start))), arb(0)) for k in self._of_mean]
        pairs = [(i, j) for i in range(self.D) for j in range(self.D)]
        mean = sum((arb(to_fmpq(weight[i, j])) * means[i] * means[j] for i, j in pairs), arb(0))
        return Errors(form(0), form(self.D) / arb(T) ** 2 if self.averaged else None, mean)

    @cached_property
    def _of_mean(self) -> list[int]:
        """Where E[x_i 1] stands among the entries."""
        one = self.places[-1][0]
        return [self.places.index((i, one)) for i in range(self.D)]
