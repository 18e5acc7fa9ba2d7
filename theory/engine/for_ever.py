r"""How long until the iterates stay near θ* for ever, with a given probability: a supermartingale for one model.

The corrected state of the proof, v = (I + α_t ĝ)x + α_t f̂, makes xᵀQx a supermartingale up to α². Here the correction
is carried one order further, as a quadratic form of y = (x, 1) in every node (``tdcert.theory.engine.error_process``),

    W_t(h) = Q̂ + α_t T_h + α_t² S_h,     Q̂ = diag(Q, 0),

T and S from Poisson equations, so that the noise that is left is its long-run mean, not that of the worst node. With
L_t(h) = (1 − c α_t)W_t(h) + n α_t² E − Σ p BᵀW_{t+1}(h')B, B = I + (α_t H_1 + α_t² H_2 + …)/q, and E the unit of the
last place,

    (step)   L_t(h) ⪰ 0 for all h and t ≥ t_k:   E_h W_{t+1} ≤ (1 − c α_t)W_t + n α_t²,
    (floor)  W_t(h) ⪰ λ diag(1 at what is measured, 0) for all h and t ≥ N:   W_t ≥ λ|θ_t − θ*|².

**Infinitely many steps.** With α_{t+1} = α_t(1 − ϑα_t) both are polynomials in (α, ϑ), L times the squares of the
divisors q of the node (which are positive), and all (α_t, ϑ_t), t ≥ t_k, lie in the box [0, α_k] × [0, ϑ_k]
(``tdcert.theory.laws.decreasing_steps``). What is left is divided by α, and the last row and column by α once more,
where in the last place α_k stands for one α. A matrix polynomial whose Bernstein coefficients on a box are positive
definite is so on the box: finitely many rational inequalities.

The orders below must vanish: 1 in xx, 1 and α in x1, 1 and α in 11. Those at 1 are of Q̂ − Q̂. The last row of every
H_i is zero, and so are the last row and column of Q̂ and the last place of T; so α has 0 in 11, and in x1 what T's
column and Q f leave, which vanishes as f̂ solves its Poisson equation, f being that of H_1. H_2, H_3, … and q enter at
α² and above; they need not have mean zero there: what they leave in x1 is weighed by n, as is the noise.

**Means.** e_t = E W_t. With ϑ_k < c and m ≥ 1, mϑ_k ≤ c, c α_k ≤ 1, induction from t_k gives

    e_t ≤ M α_t + (e_{t_k} − M α_{t_k})⁺ (α_t/α_{t_k})^m,     M = n/(c − ϑ_k):

(1 − cα)Mα + nα² = Mα(1 − ϑ_kα) ≤ Mα', and 1 − cα ≤ 1 − mϑα ≤ (1 − ϑα)^m (Bernoulli). Several phases t_1 < t_2 < …, each
with its own c and n, are chained. Up to t_1 second moments are propagated in integers, rounded upwards in the order of
forms.

**For ever.** For t ≥ N the process W_t + n Σ_{i≥t} α_i² is a non-negative supermartingale, so by Ville's inequality

    P(|θ_t − θ*| > ε for some t ≥ N) ≤ (e_N + n Σ_{i≥N} α_i²)/(λε²).

Floats propose Q, T, S, c, n; exact arithmetic decides. The general theorem, with constants for all models, is
``almost_sure_rate`` (theory/formal/almost_sure_rate.v).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise, product
from math import ceil, comb, inf, lcm, log10
from operator import mul
from typing import Any

import numpy as np
from flint import fmpz, fmpz_mat

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.lbfgs import least_near
from tdcert.theory.check.stability import float_lyapunov_solution, spectral_abscissa
from tdcert.theory.engine.certificates import update_of
from tdcert.theory.engine.error_process import Array, ErrorProcess
from tdcert.theory.errors import BudgetExceededError
from tdcert.theory.laws.decreasing_steps import DecreasingSteps, power, rounded
from tdcert.theory.laws.mean_square import positive
from tdcert.theory.limits import FOR_EVER_ENTRIES, FOR_EVER_WORK, beyond, raised
from tdcert.theory.progress import Progress, silently
from tdcert.theory.verdict import Certificate

ZERO, ONE = Fraction(0), Fraction(1)
GRID = 80
"""Binary digits of propagated moments."""
BITS = 30
"""Binary digits of Q, T and S, relative to the largest entry."""
LOSS = Fraction(1, 2**32)
"""How much moments are enlarged at a step whose size is irrational."""
MOST_BITS = 20_000
"""Most bits of a propagated moment: beyond them the iterates have run away, and each step takes longer than before."""
REFRESHED = 2_000
"""Up to this time each phase begins at propagated moments; later, while their bound is not settled."""
GAIN = Fraction(1, 100)
"""Least share of the bounds that a further phase takes off: each is decided in every node."""
QUIET = Fraction(1, 2**100)
"""The constant of W_t, relative to Q, where nothing is random at θ*: it is to be positive and to weigh nothing."""
FLOORS = tuple(Fraction(x, 32) for x in (31, 28, 24, 16, 8))
"""Values of λ that are tried."""
RIDGE = 1e-2
"""Least share of every direction in the decrease of Q: a form that nearly ignores w holds for tiny steps alone."""
FALL, SLOPE = 2.2e-9, 1e-5
"""A search of Q ends where a step brings no more than this part, or where no slope is beyond."""
MOST_TRIES = 40
"""How often T0 is doubled to name one that is large enough."""
LATEST = 10**19
"""Beyond this N is not sought."""

Coefficients = Mapping[tuple[int, int], Sequence[RationalMatrix]]
"""(i, j) → the coefficient of α^i ϑ^j in every node."""


@dataclass(frozen=True)
class Phase:
    """From time ``start`` on: E W decreases by c = ``decay`` and gains n = ``noise``; ``order`` is m."""

    start: int
    decay: Fraction
    noise: Fraction
    order: Fraction


@dataclass(frozen=True)
class Envelope:
    """Upper bounds of e_t from the start of the first phase on; ``first`` is that of e_{t_1}.

    None better is known from ``begin`` until ``end``; they hold beyond it.
    """

    process: ErrorProcess
    steps: DecreasingSteps
    family: Family
    phases: tuple[Phase, ...]
    first: Fraction
    begin: int
    end: int

    @cached_property
    def reached(self) -> Fraction:
        """An upper bound of e at the start of the last phase."""
        return mean(self.steps, self.phases[:-1], self.first, self.phases[-1].start)

    def chance(self, t: int, floor: Fraction, within: Fraction, once: bool = False) -> Fraction:
        """An upper bound of P(|θ_i − θ*| > ``within`` for some i ≥ t), or of that for i = t alone (``once``).

        (floor) is to hold from t on, and t not to lie before the last phase.
        """
        later = ZERO if once else self.phases[-1].noise * self.steps.squares_from(t)
        return (carried(self.steps, self.phases[-1], self.reached, t) + later) / (floor * within**2)

    def floor(self, t: int) -> Fraction | None:
        """The largest of :data:`FLOORS` that holds from t on."""
        return next((floor for floor in FLOORS if floor_holds(self.family, self.steps, t, floor)), None)

    def least_time(self, within: Fraction, probability: Fraction, once: bool = False) -> tuple[int, Fraction] | None:
        """The least time from ``begin`` to ``end`` at which the chance is at most 1 − ``probability``, and the floor
        there; None where there is none.
        """
        low, best = self.begin, None
        for floor in FLOORS:

            def enough(t: int, floor: Fraction = floor) -> bool:
                return self.chance(t, floor, within, once) <= 1 - probability

            if 2 * (low + self.steps.t0) <= 1 or not enough(self.end):
                continue
            time = low + bisect_left(range(low, self.end), True, key=enough)
            if (best is None or time < best[0]) and floor_holds(self.family, self.steps, time, floor):
                best = time, floor
        return best


@dataclass(frozen=True)
class ForEver:
    """P(|θ_t − θ*| > ``within`` for some t ≥ ``time``) ≤ 1 − ``probability``; all that is needed to see it."""

    envelope: Envelope
    within: Fraction
    probability: Fraction
    time: int
    floor: Fraction

    @property
    def in_words(self) -> str:
        """The statement."""
        return (
            f"with probability at least {float(self.probability):g} |θ_t − θ*| ≤ {float(self.within):g} for all "
            f"t ≥ {self.time:,}"
        )

    def certificate(self) -> Certificate:
        """What the checker replays: kind ``update_for_ever`` (docs/certificates.md)."""
        known = self.envelope
        process, steps, family = known.process, known.steps, known.family
        about: dict[str, object] = {
            "update": update_of(process.tables),
            "ratios": [str(x) for x in process.ratios],
            "steps": [str(steps.a), str(steps.t0), str(steps.p)],
            "start": [str(x) for x in process.start],
            "begin": [str(x) for x in process.begin],
            "measured": list(process.measured),
            "within": str(self.within),
            "probability": str(self.probability),
            "time": self.time,
        }
        witness = {
            "rest": [str(x) for x in process.rest],
            "lyapunov": family.Q.take(range(process.size), range(process.size)).to_strings(),
            "first": [X.to_strings() for X in family.T],
            "second": [X.to_strings() for X in family.S],
            "floor": str(self.floor),
            "phases": [
                {"start": x.start, "decay": str(x.decay), "noise": str(x.noise), "order": str(x.order)}
                for x in known.phases
            ],
        }
        return Certificate("update_for_ever", about, witness)


class Family:
    """Q̂, T_h and S_h, exact, (D+1)×(D+1) each, and the polynomials that follow from them."""

    def __init__(
        self, process: ErrorProcess, Q: RationalMatrix, T: Sequence[RationalMatrix], S: Sequence[RationalMatrix]
    ):
        self.process, self.Q, self.T, self.S = process, Q, tuple(T), tuple(S)
        self.parts = ((Q,) * process.count, self.T, self.S)

    @cached_property
    def divisors(self) -> list[list[tuple[Fraction, ...]]]:
        """The different divisors of the moves out of each node."""
        found: list[dict[tuple[Fraction, ...], None]] = [{} for _ in range(self.process.count)]
        for move in self.process.moves:
            found[move.source][move.divisor] = None
        return list(map(list, found))

    @cached_property
    def squares(self) -> list[tuple[Fraction, ...]]:
        """What (step) is multiplied by in each node: the squares of its divisors, one for linear updates."""
        return [_squares(each) for each in self.divisors]

    @cached_property
    def change(self) -> Coefficients:
        """W_t − Σ p BᵀW_{t+1}B, times the squares."""
        process, found = self.process, self._times_squares(0, self.parts)
        for k, X in enumerate(self.parts):
            ahead: dict[int, list[RationalMatrix]] = {}
            for move in process.moves:
                others = _squares([q for q in self.divisors[move.source] if q != move.divisor])
                for order, term in enumerate(conjugates(move.numerator, X[move.target])):
                    for i, x in enumerate(others):
                        self._add(ahead.setdefault(order + i, self._zeros()), move.source, term.scaled(move.p * x))
            for order, family in ahead.items():
                for j in range(k + 1):  # α_{t+1}^k = α^k (1 − ϑα)^k
                    for h, matrix in enumerate(family):
                        into = found.setdefault((k + order + j, j), self._zeros())
                        self._add(into, h, matrix.scaled(-comb(k, j) * (-1) ** j))
        return found

    def _zeros(self) -> list[RationalMatrix]:
        width = self.process.size + 1
        return [RationalMatrix.zeros(width, width)] * self.process.count

    @staticmethod
    def _add(family: list[RationalMatrix], h: int, matrix: RationalMatrix) -> None:
        family[h] = family[h] + matrix

    def _times_squares(
        self, shift: int, parts: Sequence[Sequence[RationalMatrix]]
    ) -> dict[tuple[int, int], list[RationalMatrix]]:
        """α to the power ``shift`` times Σ_k α^k parts_k, times the squares."""
        found: dict[tuple[int, int], list[RationalMatrix]] = {}
        for k, X in enumerate(parts):
            for h, matrix in enumerate(X):
                for i, x in enumerate(self.squares[h]):
                    self._add(found.setdefault((k + shift + i, 0), self._zeros()), h, matrix.scaled(x))
        return found

    @cached_property
    def decrease(self) -> Scaled:
        """(step) at c = n = 0, divided as the module docstring says."""
        return Scaled(self.change, (1, 2, 2), self.process.size)

    @cached_property
    def held(self) -> Scaled:
        """α_t W_t, divided in the same way: what c takes."""
        return Scaled(self._times_squares(1, self.parts), (1, 2, 2), self.process.size)

    @cached_property
    def gained(self) -> Scaled:
        """α_t² E, divided in the same way: what n gives."""
        size = self.process.size
        E = RationalMatrix([[int(i == j == size) for j in range(size + 1)] for i in range(size + 1)])
        return Scaled(self._times_squares(2, [[E] * self.process.count]), (1, 2, 2), size)

    @cached_property
    def value(self) -> Scaled:
        """W_t, divided for (floor)."""
        return Scaled({(k, 0): X for k, X in enumerate(self.parts)}, (0, 1, 2), self.process.size)


def _squares(divisors: Iterable[Sequence[Fraction]]) -> tuple[Fraction, ...]:
    """The coefficients of the product of their squares."""
    found = [ONE]
    for q in (q for q in divisors for _ in range(2)):
        before, found = found, [ZERO] * (len(found) + len(q) - 1)
        for (i, x), (j, y) in product(enumerate(before), enumerate(q)):
            found[i + j] += x * y
    return tuple(found)


def conjugates(parts: Sequence[RationalMatrix], X: RationalMatrix) -> list[RationalMatrix]:
    """The coefficients of SᵀXS by powers of α, S = Σ_i α^i parts_i and X symmetric."""
    found = [RationalMatrix.zeros(*X.shape)] * (2 * len(parts) - 1)
    for i, right in enumerate(X @ part for part in parts):
        for j, left in enumerate(parts[: i + 1]):
            term = left.T @ right
            found[i + j] = found[i + j] + (term if i == j else term + term.T)
    return found


class Scaled:
    """A family of matrix polynomials, its blocks (xx, x1, 11) divided by α to the powers ``divisors``.

    Raises ValueError where that leaves a negative power of α.
    """

    def __init__(self, coefficients: Coefficients, divisors: tuple[int, int, int], size: int):
        inside = [[Fraction(int(i < size and j < size)) for j in range(size + 1)] for i in range(size + 1)]
        corner = [[Fraction(int(i == j == size)) for j in range(size + 1)] for i in range(size + 1)]
        xx, one = RationalMatrix(inside), RationalMatrix(corner)
        masks = (xx, RationalMatrix([[ONE] * (size + 1)] * (size + 1)) - xx - one, one)
        self.terms: dict[tuple[int, int, bool], list[RationalMatrix]] = {}
        for (i, j), family in coefficients.items():
            for mask, divisor in zip(masks, divisors, strict=True):
                part = [matrix.hadamard(mask) for matrix in family]
                if all(matrix.is_zero() for matrix in part):
                    continue
                if i < divisor:
                    raise ValueError(f"the order {i} of a family does not vanish")
                key = (i - divisor, j, mask is one)
                before = self.terms.get(key)
                self.terms[key] = part if before is None else [x + y for x, y in zip(before, part, strict=True)]

    @cached_property
    def degrees(self) -> tuple[int, int]:
        """In α and in ϑ."""
        return max((i for i, _, _ in self.terms), default=0), max((j for _, j, _ in self.terms), default=0)

    @cached_property
    def integers(self) -> tuple[int, list[list[int]]]:
        """The terms over one denominator, and for each node their entries, term after term."""
        over = lcm(*(int(matrix.denominator) for family in self.terms.values() for matrix in family))
        nodes: list[list[int]] = [[] for _ in next(iter(self.terms.values()))]
        for family in self.terms.values():
            for entries, matrix in zip(nodes, family, strict=True):
                factor = over // int(matrix.denominator)
                entries.extend(int(x) * factor for x in matrix.numerator.entries())
        return over, nodes

    @cached_property
    def floats(self) -> dict[tuple[int, int, bool], Array]:
        """The terms as arrays (nodes × width × width)."""
        return {key: np.array([matrix.to_float() for matrix in family]) for key, family in self.terms.items()}


def bernstein(key: tuple[int, int, bool], place: tuple[int, int], degrees: tuple[int, int], box: Sequence[Any]) -> Any:
    """How much of one term is in one Bernstein coefficient on [0, box[0]] × [0, box[1]].

    ``box[2]`` is what the last place is divided by.
    """
    (i, j, one), (k, m) = key, place
    share = Fraction(comb(k, i) * comb(m, j), comb(degrees[0], i) * comb(degrees[1], j))
    kind = type(box[0])
    return kind(share) * box[0] ** i * box[1] ** j / (box[2] if one else kind(1))


def places(degrees: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """The Bernstein coefficients of a bidegree."""
    return ((k, m) for k in range(degrees[0] + 1) for m in range(degrees[1] + 1))


def step_holds(family: Family, steps: DecreasingSteps, phase: Phase) -> bool:
    """(step) for every t from the start of the phase on, exactly."""
    alpha, theta = steps.at(phase.start, True), steps.variation(phase.start)
    width = family.process.size + 1
    parts = ((family.decrease, ONE), (family.held, -phase.decay), (family.gained, phase.noise))
    nothing = RationalMatrix.zeros(width, width)
    return _positive_on_box(parts, nothing, (alpha, theta, alpha))


def floor_holds(family: Family, steps: DecreasingSteps, start: int, floor: Fraction) -> bool:
    """(floor) for every t ≥ start, exactly; at ``floor`` = 0 it says W_t ≥ 0."""
    taken = family.process.unit.scaled(-floor)
    return _positive_on_box(((family.value, ONE),), taken, (steps.at(start, True), ONE, ONE))


def _positive_on_box(
    parts: Sequence[tuple[Scaled, Fraction]], added: RationalMatrix, box: tuple[Fraction, Fraction, Fraction]
) -> bool:
    """Whether in every node all Bernstein coefficients of ``added`` and the parts times their factors are positive
    definite.

    All coefficients of a node are one product of integer matrices, times a positive number.
    """
    degrees, width = _degrees(part for part, _ in parts), added.shape[0]
    shares = [
        [
            *(
                factor * bernstein(key, place, degrees, box) / part.integers[0]
                for part, factor in parts
                for key in part.terms
            ),
            1 / Fraction(int(added.denominator)),
        ]
        for place in places(degrees)
    ]
    weights, last = RationalMatrix(shares).numerator, added.numerator.entries()
    for terms in zip(*(part.integers[1] for part, _ in parts), strict=True):
        entries = [x for term in terms for x in term] + last
        found = weights * fmpz_mat(len(shares[0]), width**2, entries)
        if not positive(RationalMatrix.from_integers(width, row) for row in found.table()):
            return False
    return True


def _degrees(parts: Iterable[Scaled]) -> tuple[int, int]:
    """The largest of theirs."""
    alpha, theta = zip(*(part.degrees for part in parts), strict=True)
    return max(alpha), max(theta)


class SecondMomentBounds:
    """Upper bounds of E[y yᵀ 1{node}] in integers over 2^GRID, every step rounded upwards in the order of forms.

    Truncation leaves a symmetric matrix with entries in [0, 1) units, below (D + 1)I; moves with different divisors are
    rounded apart. With S_i the coefficients of qB, n of them besides S_0, a step α between ``low`` and ``high`` has
    B(α) = B + Σ_{i≥1} d_i M_i/q(α), M_i = S_i − q_i B, where B is that of ``low`` and 0 ≤ d_i = α^i − low^i, and takes

        B(α) Y B(α)ᵀ ⪯ (1 + κ)BYBᵀ + (1 + 1/κ) n Σ_i (d_i/q(α))² M_i Y M_iᵀ.
    """

    def __init__(self, process: ErrorProcess, steps: DecreasingSteps):
        self.process, self.steps, self.t = process, steps, 0
        moves = process.moves
        every = [X for move in moves for X in move.numerator]
        self.q = lcm(*(int(X.denominator) for X in every), *(x.denominator for move in moves for x in move.divisor))
        self.over = lcm(*(move.p.denominator for move in moves))
        numerators = [[X.numerator * (self.q // int(X.denominator)) for X in move.numerator] for move in moves]
        self.degree = max(map(len, numerators)) - 1
        self.divisors = list(dict.fromkeys(move.divisor for move in moves))
        self.wholes = [[int(x * self.q) for x in q] for q in self.divisors]
        which = {q: k for k, q in enumerate(self.divisors)}  # hashed here, not at every step
        self.parts = [
            (move.source, move.target, which[move.divisor], int(move.p * self.over), numerator)
            for move, numerator in zip(moves, numerators, strict=True)
        ]
        y0 = RationalMatrix.column(process.y0)
        starts = [(y0 @ y0.T).scaled(p) for p in process.first]
        self.Y = [_on_grid(X.numerator, Fraction(2**GRID, int(X.denominator))) for X in starts]

    def advance(self, t: int) -> None:
        """On to time t. Raises :class:`NotCertifiedError` where a moment has more than :data:`MOST_BITS` digits, and
        where a divisor may vanish.
        """
        width, n = self.process.size + 1, self.degree
        if self.t == 0:
            require_divisors(self.process, self.steps)
        for step in range(self.t, t):
            if max(int(X[i, i]).bit_length() for X in self.Y for i in range(width)) > MOST_BITS:
                raise NotCertifiedError(
                    f"the steps are too large for too long: by t = {step:,} the second moment of the error has grown "
                    f"beyond 2^{MOST_BITS - GRID:,}"
                )
            self.t = step
            low, high = self.steps.enclosed(step)
            loss = LOSS if high > low else ZERO
            factors = [low.numerator**i * low.denominator ** (n - i) for i in range(n + 1)]
            apart = [high**i - low**i for i in range(n + 1 if loss else 1)]
            sizes = [sum(map(mul, whole, factors)) for whole in self.wholes]  # of divisors, as integers, at low
            units = {(k, 0): (1 + loss) / (size**2 * self.over) for k, size in enumerate(sizes)}
            for k, q in enumerate(self.divisors if loss else ()):
                least = sum(x * low**i for i, x in enumerate(q)) - sum(map(mul, map(abs, q), apart))
                if least <= 0:  # it nearly vanishes: steps are known to 2^-64
                    raise _may_vanish(self.process, high)
                for i, d in enumerate(apart[1:], start=1):
                    over = self.q * (sizes[k] if any(q[i : i + 1]) else 1)
                    units[k, i] = (1 + 1 / loss) * n * (d / least / over) ** 2 / self.over
            nothing = fmpz_mat(width, width)
            added: dict[tuple[int, int, int], fmpz_mat] = {}
            for source, g, k, chance, parts in self.parts:
                before, whole = self.Y[source] * chance, self.wholes[k]
                B = parts[0] * factors[0]
                for part, factor in zip(parts[1:], factors[1:], strict=False):
                    B += part * factor
                added[g, k, 0] = added.get((g, k, 0), nothing) + B * before * B.transpose()
                for i, part in enumerate(parts[1:] if loss else (), start=1):
                    M = part * sizes[k] - B * whole[i] if any(whole[i : i + 1]) else part
                    added[g, k, i] = added.get((g, k, i), nothing) + M * before * M.transpose()
            self.Y = [nothing] * self.process.count
            for (g, *of), X in added.items():
                self.Y[g] = self.Y[g] + _on_grid(X, units[of[0], of[1]])
        self.t = max(t, self.t)

    def squared_error(self) -> Fraction:
        """An upper bound of E|θ_t − θ*|², above it by rounding alone."""
        return Fraction(int(sum(X[i, i] for X in self.Y for i in self.process.measured)), 2**GRID)

    def mean(self, family: Family) -> Fraction:
        """An upper bound of E W_t; W_t ≥ 0 is needed."""
        bound = ZERO
        for k, X in enumerate(family.parts):
            part = sum((_trace(A, B) for A, B in zip(X, self.Y, strict=True)), ZERO)
            bound += part * self.steps.at(self.t, part > 0) ** k
        return rounded(max(bound, ZERO))


def _on_grid(matrix: fmpz_mat, unit: Fraction) -> fmpz_mat:
    """``unit`` times a symmetric matrix in whole numbers, rounded upwards."""
    n, bottom = matrix.nrows(), fmpz(unit.denominator)
    entries = [x // bottom for x in (matrix * unit.numerator).entries()]
    entries[:: n + 1] = [x + n for x in entries[:: n + 1]]
    return fmpz_mat(n, n, entries)


def _trace(A: RationalMatrix, B: fmpz_mat) -> Fraction:
    """tr AB of symmetric matrices, B on the grid."""
    total = sum(x * y for x, y in zip(A.numerator.entries(), B.entries(), strict=True))
    return Fraction(int(total), int(A.denominator) << GRID)


def mean(steps: DecreasingSteps, phases: Sequence[Phase], first: Fraction, t: int) -> Fraction:
    """An upper bound of e_t by all the ``phases``, t not before the last of them."""
    e = first
    for phase, end in pairwise([*phases, Phase(t, ZERO, ZERO, ONE)]):
        e = carried(steps, phase, e, end.start)
    return e


def limit(steps: DecreasingSteps, phase: Phase) -> Fraction:
    """M: the bound of e_t tends to M α_t."""
    return phase.noise / (phase.decay - steps.variation(phase.start))


def carried(steps: DecreasingSteps, phase: Phase, e: Fraction, end: int) -> Fraction:
    """An upper bound of e at time ``end`` from one at the start of the phase."""
    M = limit(steps, phase)
    excess = max(ZERO, e - M * steps.at(phase.start, False))
    ratio = (phase.start + steps.t0) / (end + steps.t0)
    return rounded(M * steps.at(end, True) + excess * power(ratio, steps.p * phase.order, True))


def phase_is_valid(steps: DecreasingSteps, phase: Phase) -> bool:
    """ϑ < c, 1 ≤ m, mϑ ≤ c and cα ≤ 1 at its start."""
    theta, alpha = steps.variation(phase.start), steps.at(phase.start, True)
    return theta < phase.decay and phase.order >= 1 and phase.order * theta <= phase.decay and phase.decay * alpha <= 1


class NotCertifiedError(BudgetExceededError):
    """No N was found; the message says why, and what to change."""


def require_divisors(process: ErrorProcess, steps: DecreasingSteps) -> None:
    """Raises :class:`NotCertifiedError` where Bernstein coefficients do not show all divisors positive at all steps."""
    alpha = steps.at(0, True)
    for q in {move.divisor for move in process.moves}:
        n = len(q) - 1
        for place in places((n, 0)):
            shares = (bernstein((i, 0, False), place, (n, 0), (alpha, ONE, ONE)) for i in range(n + 1))
            if sum(map(mul, shares, q)) <= 0:
                raise _may_vanish(process, alpha)


def _may_vanish(process: ErrorProcess, alpha: Fraction) -> NotCertifiedError:
    return NotCertifiedError(
        f"'{process.algorithm.name}' may divide by zero at a step size up to {float(alpha):.3g}; give a larger T0"
    )


# ---- floats, which only propose ---------------------------------------------------------------------------


def envelopes(
    process: ErrorProcess, steps: DecreasingSteps, most: int | None = None, on_progress: Progress = silently
) -> Iterator[Envelope]:
    """What is known of the means, for later and later times; none where no start of a phase is found.

    Second moments are propagated as far as is affordable, ``most`` steps at most.
    Raises :class:`NotCertifiedError` where the mean dynamics are not stable, the steps too small for them, or the
    moments too large.
    """
    require_small(process)
    require_divisors(process, steps)
    on_progress(0, 1, "looking for a form that decreases")
    family = propose_family(process, steps)
    moments, last = SecondMomentBounds(process, steps), _last(process, steps, most)
    phases: tuple[Phase, ...] = ()
    first = ZERO
    times = list(starts(steps))
    for i, (t, end) in enumerate(pairwise(times)):
        if not phases and t > last:
            return
        on_progress(i, len(times), f"bounds from t = {t:,} on")
        phase = propose_phase(family, steps, t)
        unsettled = t <= last and not _settled(steps, phases, first, t)
        worth = phase is not None and (unsettled or _gains(steps, phases, first, phase))
        if phase is not None and worth and step_holds(family, steps, phase):
            if unsettled or t <= min(last, REFRESHED):
                if floor_holds(family, steps, t, ZERO):
                    try:
                        moments.advance(t)
                    except NotCertifiedError as reason:
                        raise NotCertifiedError(f"{reason}; give a larger T0{_enough(process, steps)}") from None
                    phases, first = (phase,), moments.mean(family)
            else:
                phases = (*phases, phase)
        if phases:
            yield Envelope(process, steps, family, phases, first, t, end)


def _settled(steps: DecreasingSteps, phases: Sequence[Phase], first: Fraction, t: int) -> bool:
    """Whether the bound of e_t is mostly noise, so that propagated means would hardly be better."""
    if not phases:
        return False
    return mean(steps, phases, first, t) < 2 * limit(steps, phases[-1]) * steps.at(t, True)


def require_small(process: ErrorProcess) -> None:
    """Raises :class:`NotCertifiedError` beyond :data:`FOR_EVER_ENTRIES`."""
    entries = len(process.moves) * (process.size + 1) ** 2
    if entries > raised(FOR_EVER_ENTRIES):
        sentence = (
            f"the model is too large for the inequality: {len(process.moves):,} transitions between nodes with "
            f"{process.size + 1}² entries each are {entries:,}, and at most {raised(FOR_EVER_ENTRIES):,} are tried; "
            "give fewer features, fewer states or a shorter schedule"
        )
        raise NotCertifiedError(beyond(sentence, entries / FOR_EVER_ENTRIES))


def _gains(steps: DecreasingSteps, phases: Sequence[Phase], first: Fraction, phase: Phase) -> bool:
    """Whether the next phase takes more than :data:`GAIN` off the bound of the chance."""
    e = mean(steps, phases, first, phase.start)
    alpha, squares = steps.at(phase.start, True), steps.squares_from(phase.start)

    def noise(phase: Phase) -> Fraction:
        return limit(steps, phase) * alpha + phase.noise * squares

    excess = max(ZERO, e - noise(phase)) if phase.order > phases[-1].order else ZERO
    return noise(phases[-1]) - noise(phase) + excess > GAIN * (e + phases[-1].noise * squares)


def least_time(
    process: ErrorProcess,
    steps: DecreasingSteps,
    within: Fraction,
    probability: Fraction,
    known: Iterable[Envelope] | None = None,
) -> ForEver:
    """The certified N. Raises :class:`NotCertifiedError` where there is none, with why and what to change.

    ``known``: the envelopes, where they have been begun.
    """
    require_stable(process)
    require_small(process)
    earliest = least_exponent(process, steps, within, probability)
    if earliest > log10(LATEST + steps.t0):
        raise NotCertifiedError(_too_late(process, steps, within, probability, earliest))
    envelope = None
    for envelope in envelopes(process, steps) if known is None else known:
        found = envelope.least_time(within, probability)
        if found is not None:
            return ForEver(envelope, within, probability, *found)
    if envelope is not None:
        raise NotCertifiedError(
            f"N would lie beyond {LATEST:.0e}; give a larger distance, or a larger T0"
            + ("" if steps.p == 1 else ", or a power nearer to 1")
        )
    raise NotCertifiedError(no_start(process, steps))


def least_exponent(process: ErrorProcess, steps: DecreasingSteps, within: Fraction, probability: Fraction) -> float:
    """A lower estimate, in floats, of log₁₀(N + T0) for every N that any Q, T and S can show.

    At α = 0 the mean of (step) over the law of the nodes is n ≥ tr QΣ, Σ the long-run noise, and (floor) is Q ⪰
    λ diag(I, 0). So n/λ ≥ v = tr Σ_θθ, and v Σ_{i≥N} α_i² ≤ (1 − p)ε² is necessary.
    """
    noise = float(long_run_noise(process).diagonal()[process.measured].sum())
    if noise <= 0:
        return -inf
    allowed = log10(1 - probability) + 2 * log10(within)
    gap = float(2 * steps.p - 1)
    return (log10(noise) + 2 * log10(steps.a) - log10(gap) - allowed) / gap


def _too_late(
    process: ErrorProcess, steps: DecreasingSteps, within: Fraction, probability: Fraction, earliest: float
) -> str:
    latest = log10(LATEST)
    powers = (Fraction(k, 20) for k in range(11, 21))
    enough = (p for p in powers if least_exponent(process, replace(steps, p=p), within, probability) < latest)
    first = next((p for p in enough if p > steps.p), None)
    distance = float(within) * 10 ** ((earliest - latest) * float(2 * steps.p - 1) / 2)
    power = "" if first is None else "P = 1, or " if first == 1 else f"P from {float(first):g} to 1, or "
    return (
        f"N would lie beyond 10^{int(earliest)}: the squares of the steps from N on, which weigh the noise at θ*, must "
        f"have a small sum, and at P = {steps.p} it falls like N^(-{2 * steps.p - 1}); give {power}a distance above "
        f"{distance:.2g}"
    )


def least_time_once(
    process: ErrorProcess,
    steps: DecreasingSteps,
    within: Fraction,
    probability: Fraction,
    known: Iterable[Envelope] | None = None,
    on_progress: Progress = silently,
) -> tuple[int, bool] | None:
    """T with P(|θ_T − θ*| > ``within``) ≤ 1 − ``probability`` by Chebyshev's inequality, and whether it is the least.

    The least one by propagated second moments, as far as they are affordable; else by the envelopes (``known``, where
    they have been begun). None where neither reaches it.
    """
    moments, last = SecondMomentBounds(process, steps), affordable(process, steps)
    try:
        for t in range(last + 1):
            if t % 64 == 0:
                on_progress(t, last, "propagating second moments")
            moments.advance(t)
            if moments.squared_error() <= (1 - probability) * within**2:
                return t, True
        found = (
            envelope.least_time(within, probability, once=True)
            for envelope in (envelopes(process, steps) if known is None else known)
        )
        return next(((x[0], False) for x in found if x is not None), None)
    except NotCertifiedError:
        return None


def no_start(process: ErrorProcess, steps: DecreasingSteps, most: int | None = None) -> str:
    """Why there is no envelope at all, and which steps have one; ``most`` as for :func:`envelopes`."""
    last, rate = _last(process, steps, most), -2 * abscissa(process)
    if float(steps.variation(last)) >= rate:
        least = float(steps.p) / rate * float(last + steps.t0) ** float(steps.p - 1)
        return (
            f"the steps are too small for too long: the decay c < {rate:.3g} must pass P(t + T0)^(P−1)/A, and does not "
            f"up to t = {last:,}, where propagation ends; give A above {least:.2g}"
        )
    return (
        f"the steps are too large for too long: up to t = {last:,} no time was found from which the inequality holds; "
        f"give a larger T0{_enough(process, steps)}"
    )


def _enough(process: ErrorProcess, steps: DecreasingSteps) -> str:
    """Words for a T0 at which a phase begins at once."""
    form = best_form(process, steps)
    for k in range(1, MOST_TRIES):
        smaller = replace(steps, t0=steps.t0 * 2**k)
        family = propose_family(process, smaller, form)
        if propose_phase(family, smaller, 0) is not None and floor_holds(family, smaller, 0, ZERO):
            return f", about {ceil(smaller.t0):,}"
    return ""


def _last(process: ErrorProcess, steps: DecreasingSteps, most: int | None) -> int:
    return affordable(process, steps) if most is None else min(most, affordable(process, steps))


def affordable(process: ErrorProcess, steps: DecreasingSteps) -> int:
    """How many steps second moments are propagated."""
    each = len(process.moves) * ((process.size + 1) ** 3 + 250) * (1 if steps.p == 1 else 2)
    return int(raised(FOR_EVER_WORK) / each)


def starts(steps: DecreasingSteps) -> Iterator[int]:
    """0, and then times at which t + t0 has doubled."""
    t = 0
    while t < LATEST:
        yield t
        t = max(t + 1, int(2 * (t + steps.t0) - steps.t0))


def propose_phase(family: Family, steps: DecreasingSteps, start: int) -> Phase | None:
    """c and n for the box from ``start`` on, those that make the bound of e and the sum of squares least."""
    alpha, theta = float(steps.at(start, True)), float(steps.variation(start))
    every, D = (family.decrease, family.held, family.gained), family.process.size
    degrees, count = _degrees(every), family.process.count
    free, taken, given = (np.zeros((np.prod([x + 1 for x in degrees]), count, D + 1, D + 1)) for _ in range(3))
    for total, part, last in zip((free, taken, given), every, (alpha, alpha, 1.0), strict=True):
        for index, place in enumerate(places(degrees)):
            for key, term in part.floats.items():
                total[index] += bernstein(key, place, degrees, (alpha, theta, last)) * term
    gain = given[..., D, D]
    if gain.min() <= 0:
        return None
    best = None
    top = 2 * min(-abscissa(family.process), 1 / alpha)
    squares = float(steps.squares_from(start)) / alpha if start + steps.t0 > 1 else 0.0
    for share in (0.98, 0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05):
        c = top * share
        if c <= theta or c * alpha > 1:
            continue
        M = free - c * taken
        values, vectors = np.linalg.eigh(M[..., :D, :D])
        if values[..., 0].min() <= 1e-9 * values[..., -1].max():
            continue
        along = (vectors.swapaxes(-1, -2) @ M[..., :D, D:])[..., 0]
        n = alpha * float((((along**2 / values).sum(axis=-1) - M[..., D, D]) / gain).max())
        n = max(n, 1e-9 * float(np.abs(M[..., D, D]).max()) * alpha, 1e-30)
        cost = n * (1 / (c - theta) + squares)
        if best is None or cost < best[0]:
            best = cost, c, n
    if best is None:
        return None
    _, c, n = best
    decay, noise = _short(c * (1 - 2.0**-10), 10, up=False), _short(n * (1 + 2.0**-10), 10, up=True)
    parts = 16 if steps.p == 1 else 1  # a product p·m with few digits: roots are taken of it
    order = Fraction(int(parts * decay / steps.variation(start)), parts)
    phase = Phase(start, decay, noise, min(max(ONE, order), Fraction(8)))
    return phase if phase_is_valid(steps, phase) else None


def _short(x: float, bits: int, up: bool) -> Fraction:
    """A dyadic with so many bits not below, or not above, x > 0."""
    mantissa, exponent = np.frexp(x)
    whole = float(mantissa) * 2**bits
    return Fraction(int(np.ceil(whole) if up else np.floor(whole))) * Fraction(2) ** (int(exponent) - bits)


def abscissa(process: ErrorProcess) -> float:
    """The largest real part of an eigenvalue of the mean matrix."""
    return float(np.linalg.eigvals(process.J.to_float()).real.max())


def propose_family(process: ErrorProcess, steps: DecreasingSteps, form: Array | None = None) -> Family:
    """Q, by default that which makes N least in the limit of small ε, with T and S of its Poisson equations, rounded to
    dyadics.
    """
    Q = best_form(process, steps) if form is None else form
    D, (_, target, _, H) = process.size, process.floats
    rounded_Q = _dyadic(Q)
    padded = RationalMatrix([[*row, ZERO] for row in rounded_Q.rows] + [[ZERO] * (D + 1)])
    Qh = padded.to_float()
    QH = Qh @ H
    T = process.poisson(process.ahead(QH + QH.swapaxes(1, 2)))
    column = (process.correction @ rounded_Q).rows
    first = []
    for h, u in enumerate(column):
        inner = _dyadic(T[h, :D, :D]).rows
        first.append(RationalMatrix([[*row, x] for row, x in zip(inner, u, strict=True)] + [[*u, ZERO]]))
    T = np.array([X.to_float() for X in first])
    TH = T[target] @ H
    QH = Qh @ process.second
    second = process.ahead(H.swapaxes(1, 2) @ Qh @ H + TH + TH.swapaxes(1, 2) + QH + QH.swapaxes(1, 2))
    S = process.poisson(second)
    # the constant that keeps W_t above most of |θ − θ*|² when steps are small, and above zero when they are large
    alpha = min(float(steps.at(0, True)), 1 / float(np.abs(H).max()))
    largest = max(
        _most(Q - 31 / 32 * process.unit.to_float()[:D, :D], T[:, :D, D]),
        2 * _most(Q, np.abs(T[:, :D, D]) + alpha * np.abs(S[:, :D, D])),
    )
    noise = float(process.law @ second[:, D, D])
    S[:, D, D] += 1.25 * largest + 0.002 * noise / alpha / -abscissa(process) - float(S[:, D, D].min())
    quiet = _dyadic(np.diag([*[0.0] * D, float(np.trace(Q))])).scaled(QUIET * (largest == 0))
    return Family(process, padded, first, [_dyadic(X) + quiet for X in S])


def _most(X: Array, u: Array) -> float:
    """The largest uᵀX⁻¹u."""
    return float(np.einsum("hi,hi->h", u, np.linalg.solve(X, u.T).T).max())


def _dyadic(X: Array) -> RationalMatrix:
    unit = float(np.abs(X).max())
    exponent = int(np.frexp(unit)[1]) - BITS
    whole = np.rint(np.ldexp((X + X.T) / 2, -exponent))
    return RationalMatrix([[int(x) for x in row] for row in whole]).scaled(Fraction(2) ** exponent)


def best_form(process: ErrorProcess, steps: DecreasingSteps) -> Array:
    """Q ⪰ 1 on what is measured, touching it with a margin, from JᵀQ + QJ + cQ = −R over c and R ⪰ 0."""
    J, D, of = process.J.to_float(), process.size, np.ix_(process.measured, process.measured)
    noise = long_run_noise(process)
    require_stable(process)
    rate = -2 * abscissa(process)
    least = float(1 / steps.a) if steps.p == 1 else 0.0
    if rate <= least:
        raise NotCertifiedError(_too_small(rate, steps))
    i, j = np.tril_indices(D)
    weighed = noise + 1e-12 * np.eye(D)

    def form(z: Array) -> tuple[Array, Array, Array, float]:
        """X, S with d log k = −⟨S, dX⟩ for the k that makes kX touch 1 on what is measured, kX, and c."""
        c = least + (rate - least) * 0.98 / (1 + np.exp(-z[0]))
        root = _lower(z[1:], D)
        R = root @ root.T + RIDGE * np.sum(root**2) * np.eye(D)
        X = float_lyapunov_solution(J + c / 2 * np.eye(D), -R)
        if X is None:
            raise np.linalg.LinAlgError
        if len(process.measured) == D:
            values, vectors = np.linalg.eigh(X)
            return X, np.outer(vectors[:, 0], vectors[:, 0]) / values[0], X / values[0], c
        inverse = np.linalg.inv(X)
        values, vectors = np.linalg.eigh(inverse[of])
        along = inverse[:, process.measured] @ vectors[:, -1]
        return X, np.outer(along, along) / values[-1], X * values[-1], c

    def cost(z: Array) -> tuple[float, Array]:
        """The logarithm of the bound's leading terms, and its gradient: with AᵀX + XA = −R, A = J + c/2, a slope G in
        X is one of Y in R and of ⟨Y, X⟩ in c, AY + YAᵀ = −G.
        """
        beyond = 1e6, np.zeros_like(z)
        try:
            X, touching, scaled, c = form(z)
        except np.linalg.LinAlgError:
            return beyond
        if c <= least:  # as floats round it
            return beyond
        weight = 1 / (c - least) + (float(steps.a) if steps.p == 1 else 10 / c)
        value = float(np.sum(scaled * weighed)) * weight
        Y = float_lyapunov_solution((J + c / 2 * np.eye(D)).T, touching - weighed / np.sum(X * weighed))
        if not (np.isfinite(value) and value > 0) or Y is None:
            return beyond
        falls = -1 / (c - least) ** 2 - (0 if steps.p == 1 else 10 / c**2)
        share = (c - least) / (0.98 * (rate - least))
        root = _lower(z[1:], D)
        slope = np.array(
            [
                (float(np.sum(Y * X)) + falls / weight) * (c - least) * (1 - share),
                *(2 * (Y @ root + RIDGE * np.trace(Y) * root))[i, j],
            ]
        )
        return (float(np.log(value)), slope) if np.isfinite(slope).all() else beyond

    scale = float(np.trace(noise))
    whitened = np.linalg.inv(np.linalg.cholesky(noise + (1e-9 * scale + 1e-30) * np.eye(D)))
    starts = [np.eye(D), _root_of(-(J + J.T)), whitened]
    tried = []
    for root in starts:
        for c in (-1.0, 0.0, 1.0):
            z = np.array([c, *root[i, j]])
            tried.append((cost(z)[0], z))
    z = min(tried, key=lambda pair: pair[0])[1]

    found = least_near(cost, z, steps=max(5, min(100, 4000 // D**2)), fall=FALL, slope=SLOPE)
    _, _, X, _ = form(found if cost(found)[0] < cost(z)[0] else z)
    return np.asarray(X * (1 + 1e-6))


def _lower(entries: Array, D: int) -> Array:
    root = np.zeros((D, D))
    root[np.tril_indices(D)] = entries
    return root


def require_stable(process: ErrorProcess) -> None:
    """Raises :class:`NotCertifiedError` where J is not Hurwitz, exactly: then no steps will do."""
    if spectral_abscissa(process.J, bits=8).sign < 0:
        return
    change = "another ratio of its step sizes, or " if len(process.ratios) > 1 else ""
    raise NotCertifiedError(
        f"the mean matrix of {process.algorithm.name} has an eigenvalue with real part ≥ 0, so with no steps it "
        f"converges from every start; give {change}an algorithm that is stable on this model (tdcert analyze MODEL "
        "--algorithms all names those)"
    )


def _root_of(X: Array) -> Array:
    values, vectors = np.linalg.eigh(X)
    return np.asarray(np.linalg.cholesky((vectors * np.maximum(values, 1e-3 * np.abs(values).max())) @ vectors.T))


def long_run_noise(process: ErrorProcess) -> Array:
    """Σ = Σ_k Cov(f_0, f_k) over all k, D×D, in floats and without the negative eigenvalues that rounding leaves."""
    _, target, _, H = process.floats
    D = process.size
    f, after = H[:, :D, D], process.correction.to_float()[target]
    products = f[:, :, None] * (f + after)[:, None, :] + after[:, :, None] * f[:, None, :]
    values, vectors = np.linalg.eigh(np.einsum("h,hij->ij", process.law, process.ahead(products)))
    return np.asarray((vectors * np.maximum(values, 0.0)) @ vectors.T)


def _too_small(rate: float, steps: DecreasingSteps) -> str:
    return (
        f"the steps are too small for this bound: with decay c < {rate:.3g} the product c·A must pass 1 and A is "
        f"{steps.a}; give A above {1 / rate:.3g}"
    )
