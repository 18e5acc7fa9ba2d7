r"""Constant steps, on paths: does the difference of two runs shrink or grow along almost every path?

The third question beside mean and mean square (:mod:`tdcert.theory.laws.mean_square`), about the same jump linear
system y_{t+1} = B_t y_t, B = I + αK of the move between two nodes. On the one recurrent class of nodes, with stationary
law π and π_e = π_h p_e for a move e out of the node h,

    λ₁ = lim (1/n) E log ‖B_{e_n} … B_{e_1}‖  in [−∞, ∞)

exists and (1/n) log ‖product‖ → λ₁ on almost every path (Furstenberg and Kesten, 1960). Five ways to decide its sign:

**Forms.** If weights w_e > 0 and X_h ≻ 0 have X_h ≻ Σ p_e w_e BᵀX_{h'}B in each node, then for *every* start
limsup (1/n) log |y_n| ≤ −½ Σ π_e log w_e on almost every path: W_n = y_nᵀX y_n Π w_{e_t} is a supermartingale that is
not negative, so almost surely bounded; take logarithms, divide by n, and use the ergodic theorem for the chain. With
w = 1 this is the mean square. Floats search the weights (:mod:`tdcert.theory.laws.tilted_moments`).

**Determinants.** λ₁ ≥ (1/D) Σ π_e log |det B_e| where no determinant is zero, as |det Π| ≤ ‖Π‖^D. Also on a block: if
span(U) and span(U') ⊂ span(U) are invariant, the exponent of the quotient is at most λ₁. Here U and U' are spanned by
coordinates. Outside a proper subspace, which depends on the path, (1/n) log |y_n| → λ₁ (Oseledets, 1968; with singular
matrices Raghunathan, 1979), so the limit holds for Lebesgue-almost every start that does not depend on the path.

**One dimension.** λ₁ = Σ π_e log |b_e|, and −∞ where some b_e is zero. It is zero exactly if every exponent is zero
once numerators and denominators are written in a common base of coprime integers; else enclosures of the logarithms
decide.

**A product that is zero**, of moves that follow each other in the class: almost every path meets it, and from then on
differences are exactly zero: λ₁ = −∞.

**Two dimensions.** Where the others leave the sign open, bounds by cells of directions
(:mod:`tdcert.theory.laws.path_cells`): from above and below, and the latter about every start other than 0.

Where none of them decides, the sign is open here; in three dimensions and more the drift of sums of logarithms on
directions is asked then, of the grade ``enclosed`` (:mod:`tdcert.theory.enclose.path_drift`). Logarithms are
enclosed by balls (Arb), and bounds are rounded outwards.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from math import ceil, floor, gcd, lcm, log10
from typing import Literal

import numpy as np
from flint import arb, nmod_mat

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.ball import precision
from tdcert.theory.arithmetic.float_enclosures import Floats
from tdcert.theory.arithmetic.rational import PRIME, to_fmpq
from tdcert.theory.laws.mean_square import ByWindow, JumpSystem, show_bounded
from tdcert.theory.laws.path_cells import CellMove, Cells, by_cells
from tdcert.theory.laws.tilted_moments import TiltedMoments
from tdcert.theory.limits import LAW_NODES, PATH_CELLS, WEIGHT_UNKNOWNS, ZERO_PRODUCTS, raised
from tdcert.theory.model.chain import Chain
from tdcert.theory.verdict import Sign

LOG_BITS = 128
"""Bits with which logarithms are enclosed; a sign in one dimension that is open then is asked with twice as many."""
MOST_BITS = 1 << 16
"""Bits beyond which a sign in one dimension stays open; it needs logarithms that agree to 10 ^ 20,000."""
DIGITS = 6
"""Significant digits of a bound, which is rounded outwards."""
SLACK = (1 / 16, 1.0, 16.0, 256.0)
"""How much smaller than the proposed ones the weights are made, tried in turn, in units of the bound proposed: half of
it is lost in the bound.
"""
FINER = 4
"""How many times more cells are named where those that were tried have no sign."""
SMALLEST, LARGEST_SLACK = 2.0**-30, 2.0**-4
"""Between them it stays."""


@dataclass(frozen=True)
class RecurrentNodes:
    """The one recurrent class of nodes. ``system``: on these nodes alone; ``nodes``: their numbers in the whole system,
    increasing; ``moves``: the numbers of its moves; ``law``: π on these nodes, positive.
    """

    system: JumpSystem
    nodes: tuple[int, ...]
    moves: tuple[int, ...]
    law: tuple[Fraction, ...]

    @property
    def flow(self) -> list[Fraction]:
        """π_e of each move."""
        return [self.law[move.source] * move.p for move in self.system.moves]


@dataclass(frozen=True)
class Forms:
    """Weights (a number for each move of the class) and X (a matrix for each of its nodes) that show λ₁ ≤ ``bound``."""

    bound: Fraction
    weights: tuple[Fraction, ...]
    forms: ByWindow


@dataclass(frozen=True)
class Determinants:
    """Determinants on the coordinates ``block`` that show λ₁ ≥ ``bound``."""

    bound: Fraction
    block: tuple[int, ...]


@dataclass(frozen=True)
class OneDimension:
    """The exact ``sign`` of λ₁ where D = 1, with bounds; ``low`` None stands for −∞, where some b_e is zero."""

    sign: int
    low: Fraction | None
    high: Fraction | None


@dataclass(frozen=True)
class ZeroProduct:
    """Moves of the class, by their numbers in the whole system, that follow each other and whose product is zero."""

    moves: tuple[int, ...]


Tail = tuple[tuple[tuple[Fraction | None, Fraction | None], ...] | None, ...]
"""For each context intervals of the entries of the memory; None where there are none, or where one has no end."""


@dataclass(frozen=True)
class RestartDeterminants:
    """Determinants on the coordinates ``block`` that show λ₁ ≥ ``bound`` with a memory that is cut
    (:mod:`tdcert.theory.laws.restart_exponents`), on so many layers and in the ``tail``. ``regular``: of differences at
    time zero, too.
    """

    bound: Fraction
    block: tuple[int, ...]
    depth: int
    tail: Tail
    regular: bool


@dataclass(frozen=True)
class RestartForms:
    """Weights of the moves of so many layers, and X of their nodes, that show λ₁ ≤ ``bound`` with a memory that is cut
    (:mod:`tdcert.theory.laws.restart_forms`). Of the tail: its ``form`` P, the ``size`` of the memory where the tail
    begins, its ``growth`` by move, the ``factor`` of P there, and by context of the class the mean number of moves that
    are ``left`` until it is cut.
    """

    bound: Fraction
    depth: int
    weights: tuple[Fraction, ...]
    forms: ByWindow
    form: RationalMatrix
    size: Fraction
    growth: Fraction
    factor: Fraction
    left: tuple[Fraction, ...]


Runs = Literal["one_law", "unbounded"] | None
"""What runs x' = Bx + b do, b the noise, whatever it is on each move.

``one_law``, where λ₁ < 0: there is one stationary law of node and x, and x comes exponentially near to a run in it from
every start, almost surely (Brandt, *Advances in Applied Probability* 18, 1986: the factors are stationary and ergodic,
and log⁺|b| has a mean, as it has with finitely many nodes, and where a memory that grows at most geometrically is cut
after times with a geometric tail). It may have no second moment, nor a first. ``unbounded``, where λ₁ > 0: from
Lebesgue-almost every start |x| → ∞ at that rate, almost surely. The matrices (B b; 0 1) have the exponents of B and 0,
so (x, 1) grows at the rate λ₁ outside a proper subspace, which depends on the path (Oseledets, 1968; Raghunathan, 1979)
and meets the height one in a proper affine subspace or not at all: Fubini. None: λ₁ is zero, or its sign is open.
"""
ONE_LAW: Literal["one_law"] = "one_law"
UNBOUNDED: Literal["unbounded"] = "unbounded"

Shown = Forms | Determinants | OneDimension | ZeroProduct | RestartDeterminants | RestartForms | Cells


@dataclass(frozen=True)
class EnclosedExponent:
    """A bound of λ₁ with the ``sign`` of λ₁, from below where that is 1 and from above where it is −1, about every
    start other than 0: the drift of a sum of logarithms of so many forms, enclosed on so many boxes of directions
    (:mod:`tdcert.theory.enclose.path_drift`). Its grade is ``enclosed``, and no certificate carries it.
    """

    sign: int
    bound: Fraction
    forms: int
    boxes: int

    def in_words(self, start: str) -> str:
        """``enclosed: λ₁ ≥ 0.0002 a step from every start other than 0: a difference of two runs …``."""
        word, changes = ("≥", "gains") if self.sign > 0 else ("≤", "loses")
        return (
            f"enclosed, by the drift of {self.forms} logarithms on {self.boxes:,} boxes of directions: λ₁ {word} "
            f"{float(self.bound):g} a step{start}: a difference of two runs {changes} a factor e "
            f"every {steps_of_a_factor(self.bound):,} steps"
        )


@dataclass(frozen=True)
class PathSign:
    """−1: on almost every path differences of two runs die out exponentially, from every start; 1: from almost every
    start they grow, on almost every path; 0: λ₁ = 0; None: open, and ``why``. ``low``, ``high``: bounds of λ₁ that were
    shown, None where there is none; ``shown``: by what. ``from_time_zero``: no move at all, of those before the class
    is entered either, has a singular matrix, so that almost every difference at time zero grows where λ₁ > 0.
    ``enclosed``: what shows the sign where no certificate does; ``low`` and ``high`` stay what was certified.
    ``unseen``: there are differences that no update sees, which stay as they are: all of this is modulo them.
    """

    sign: Sign
    low: Fraction | None = None
    high: Fraction | None = None
    shown: tuple[Shown, ...] = ()
    found: RecurrentNodes | None = None
    why: str = ""
    from_time_zero: bool = False
    enclosed: EnclosedExponent | None = None
    unseen: bool = False

    @property
    def enclosed_bounds(self) -> tuple[Fraction | None, Fraction | None]:
        """The bound that is enclosed, from below or above."""
        if self.enclosed is None:
            return None, None
        return (self.enclosed.bound, None) if self.enclosed.sign > 0 else (None, self.enclosed.bound)

    @property
    def best_bounds(self) -> tuple[Fraction | None, Fraction | None]:
        """From below and above: what is enclosed, where that has the sign, else what is certified."""
        low, high = self.enclosed_bounds
        return self.low if low is None else low, self.high if high is None else high

    @property
    def from_every_start(self) -> bool:
        """Whether what is said from below is about every start other than 0, and not about almost every one."""
        return any(isinstance(one, Cells) and not one.upper and one.bound == self.low for one in self.shown)

    @property
    def in_words(self) -> str:
        """The sign and what shows it: ``certified: λ₁ ≤ -0.0004 a step: a difference of two runs loses a factor e every
        2,500 steps``; or the bounds that were shown, and why it is open.
        """
        every_start = f" from every start other than 0{' on what updates see' if self.unseen else ''}"
        if self.enclosed is not None:
            return self.enclosed.in_words(every_start)
        if self.sign is None:
            return "; ".join(x for x in (self.bounds_in_words, self.why) if x)
        if self.sign == 0:
            return "certified: λ₁ = 0"
        start = ""
        if self.sign == 1:
            assert self.low is not None
            bound, word, changes = self.low, "≥", "gains"
            start = every_start if self.from_every_start else ""
        elif self.high is None:
            return "certified: differences are exactly zero from some update on"
        else:
            bound, word, changes = self.high, "≤", "loses"
        every = f"a factor e every {steps_of_a_factor(bound):,} steps"
        return f"certified: λ₁ {word} {float(bound):g} a step{start}: a difference of two runs {changes} {every}"

    @property
    def runs(self) -> Runs:
        """What runs do, by what was shown of their differences (:data:`Runs`)."""
        return None if not self.sign else ONE_LAW if self.sign == -1 else UNBOUNDED

    @property
    def runs_in_words(self) -> str:
        """What follows in words: ``whatever the noise, runs have one stationary law``; empty where nothing does."""
        if self.runs == UNBOUNDED:
            return "whatever the noise, runs go to infinity from almost every start"
        what = "what updates see has" if self.unseen else "runs have"
        return f"whatever the noise, {what} one stationary law" if self.runs == ONE_LAW else ""

    @property
    def bounds_in_words(self) -> str:
        """``certified: -0.0088 ≤ λ₁ ≤ 0.002 a step``, one of the two, or nothing."""
        low = "" if self.low is None else f"{float(self.low):g} ≤ "
        high = "" if self.high is None else f" ≤ {float(self.high):g}"
        return f"certified: {low}λ₁{high} a step" if low or high else ""


def steps_of_a_factor(bound: Fraction) -> int:
    """So many steps change a difference by a factor e at least in the long run, where the exponent is beyond this
    ``bound``: 1/|bound|, rounded up to two significant digits.
    """
    count = ceil(1 / abs(bound))
    unit = int(10 ** max(0, len(str(count)) - 2))
    return -(-count // unit) * unit


def decide_paths(
    system: JumpSystem, alpha: Fraction, unknowns: int = WEIGHT_UNKNOWNS, cells: int = PATH_CELLS
) -> PathSign:
    """The sign of λ₁ at the step ``alpha`` > 0, by the first of the ways above that decides. ``unknowns``: most nodes ×
    D(D + 1)/2 for which weights are searched; ``cells``: most moves × cells of directions.
    """
    found = recurrent_nodes(system)
    if isinstance(found, str):
        return PathSign(None, why=found)
    answer = _decided(system, found, alpha, unknowns, cells)
    return replace(answer, found=found, from_time_zero=answer.sign == 1 and system.is_regular_at(alpha))


def _decided(system: JumpSystem, found: RecurrentNodes, alpha: Fraction, unknowns: int, cells: int) -> PathSign:
    B = _matrices(found.system, alpha)
    if system.size == 1:
        one = _one_dimension(found, B)
        return PathSign(one.sign, one.low, one.high, (one,)) if one else PathSign(None, why="too many bits")
    word = zero_product(found, B)
    if word is not None:
        return PathSign(-1, None, None, (word,))
    grows = by_determinants(found, alpha)
    if grows is not None and grows.bound > 0:
        return _between(None, grows)
    falls = by_forms(found, alpha, unknowns)
    answer = _between(falls, grows)
    if answer.sign is None and system.size == 2:
        answer = _between(falls, grows, in_two_dimensions(found, B, cells))
    if answer.sign is None:
        why = "the system is too large" if answer.high is None else "no bound of the exponent has a sign"
        if system.size == 2:
            none = "" if all(b.is_regular for b in B) else "; some matrix is singular, so cells give none from below"
            why += f"{none}; finer cells of directions may give one: take --limits {FINER * raised(1)}"
        return replace(answer, why=why)
    return answer


def _between(falls: Forms | None, grows: Determinants | None, cells: Iterable[Cells] = ()) -> PathSign:
    """What the best of these bounds say together."""
    above: list[Forms | Cells] = [] if falls is None else [falls]
    below: list[Determinants | Cells] = [] if grows is None else [grows]
    for one in cells:
        (above if one.upper else below).append(one)
    high, low = min(above, key=lambda x: x.bound, default=None), max(below, key=lambda x: x.bound, default=None)
    sign: Sign = None
    if high is not None and high.bound < 0:
        sign = -1
    elif low is not None and low.bound > 0:
        sign = 1
    elif low is not None and high is not None and low.bound == high.bound == 0:
        sign = 0
    shown = tuple(x for x in (high, low) if x is not None)
    return PathSign(sign, None if low is None else low.bound, None if high is None else high.bound, shown)


def in_two_dimensions(found: RecurrentNodes, B: Sequence[RationalMatrix], cells: int = PATH_CELLS) -> list[Cells]:
    """Bounds by cells of directions, rounded outwards."""
    moves = [CellMove(m.source, m.target, m.p, b) for m, b in zip(found.system.moves, B, strict=True)]
    with precision(LOG_BITS):
        return [
            replace(one, bound=rounded(arb(to_fmpq(one.bound)), up=one.upper))
            for one in by_cells(moves, len(found.nodes), raised(cells))
        ]


def recurrent_nodes(system: JumpSystem) -> RecurrentNodes | str:
    """The one recurrent class of nodes and its law, or why there is none."""
    count = len(system.windows)
    if count > raised(LAW_NODES):
        return f"there are {count} nodes, and at most {raised(LAW_NODES)} are looked at"
    P = [[Fraction(0)] * count for _ in range(count)]
    for move in system.moves:
        P[move.source][move.target] += move.p
    chain = Chain(RationalMatrix(P))
    classes = chain.recurrent_classes
    if len(classes) > 1:
        return "the values of the memory form several recurrent classes"
    law = chain.stationary_law(classes[0]).column_entries()
    nodes = tuple(sorted(classes[0]))
    place = {h: k for k, h in enumerate(nodes)}
    numbers = tuple(k for k, move in enumerate(system.moves) if move.source in place)
    moves = tuple(
        replace(move, source=place[move.source], target=place[move.target])
        for move in (system.moves[k] for k in numbers)
    )
    inner = replace(system, windows=tuple(system.windows[h] for h in nodes), moves=moves, starts=0, chain=None)
    return RecurrentNodes(inner, nodes, numbers, tuple(law[h] for h in nodes))


def _matrices(system: JumpSystem, alpha: Fraction) -> list[RationalMatrix]:
    one = system.J.identity(system.size)
    return [one + move.K.scaled(alpha) for move in system.moves]


# ---- forms ----------------------------------------------------------------------------------------------------------


def by_forms(found: RecurrentNodes, alpha: Fraction, unknowns: int = WEIGHT_UNKNOWNS) -> Forms | None:
    """Weights and forms, None where the search is too large or fails."""
    system = found.system
    if len(system.windows) * system.size * (system.size + 1) // 2 > raised(unknowns):
        return None
    with np.errstate(all="ignore"):
        best = TiltedMoments(system, np.array([float(x) for x in found.law]), float(alpha)).best_weights()
    if best is None:
        return None
    for times in SLACK:
        weights = smaller(best[1], times * abs(best[0]))
        weighted = tuple(replace(move, p=move.p * w) for move, w in zip(system.moves, weights, strict=True))
        shown = show_bounded(replace(system, moves=weighted), alpha)
        if shown is not None:
            total = log_sum(zip(found.flow, weights, strict=True))
            return Forms(rounded(-total / 2, up=True), weights, shown.lyapunov)
    return None


def smaller(u: Floats, slack: float) -> tuple[Fraction, ...]:
    """Weights exp u, made smaller by about ``slack`` of them."""
    slack = min(LARGEST_SLACK, max(SMALLEST, slack))
    return tuple(below(x, slack) for x in np.exp(u).tolist())


def below(x: float, slack: float) -> Fraction:
    """A dyadic with some thirty significant bits, below x by about ``slack`` of it."""
    mantissa, exponent = np.frexp(x * (1 - slack))
    return Fraction(max(1, floor(float(mantissa) * 2**30)), 2**30) * Fraction(2) ** int(exponent)


# ---- determinants ---------------------------------------------------------------------------------------------------


def by_determinants(found: RecurrentNodes, alpha: Fraction) -> Determinants | None:
    """The best block of coordinates; None where every block has a singular matrix."""
    best: Determinants | None = None
    B = _matrices(found.system, alpha)
    for block in blocks(found.system):
        sizes = [abs(matrix.take(block, block).determinant()) for matrix in B]
        if not all(sizes):
            continue
        bound = rounded(log_sum(zip(found.flow, sizes, strict=True)) / len(block), up=False)
        if best is None or bound > best.bound:
            best = Determinants(bound, tuple(block))
    return best


def blocks(system: JumpSystem) -> list[list[int]]:
    """All coordinates; and, where there are several, the classes of coordinates that depend on each other."""
    return classes_of(system.size, (move.K for move in system.moves))


def classes_of(D: int, matrices: Iterable[RationalMatrix]) -> list[list[int]]:
    """All of D coordinates; and, where there are several, their classes that depend on each other in the matrices."""
    follows = [[Fraction(int(i == j)) for i in range(D)] for j in range(D)]
    for matrix in matrices:
        for i, row in enumerate(matrix.rows):
            for j, x in enumerate(row):
                if x:
                    follows[j][i] = Fraction(1)
    links = RationalMatrix([[x / sum(row) for x in row] for row in follows])
    classes = [sorted(one) for one in Chain(links).classes]
    return [list(range(D)), *(classes if len(classes) > 1 else [])]


# ---- one dimension --------------------------------------------------------------------------------------------------


def _one_dimension(found: RecurrentNodes, B: Sequence[RationalMatrix]) -> OneDimension | None:
    sizes = [abs(matrix[0, 0]) for matrix in B]
    if not all(sizes):
        return OneDimension(-1, None, None)
    weights = defaultdict[Fraction, Fraction](Fraction)
    for weight, x in zip(found.flow, sizes, strict=True):
        weights[x] += weight
    if is_product_one(weights):
        return OneDimension(0, Fraction(0), Fraction(0))
    bits = LOG_BITS
    while bits <= MOST_BITS:
        total = log_sum(((weight, x) for x, weight in weights.items()), bits)
        if not total.contains(0):
            return OneDimension(1 if total > 0 else -1, rounded(total, up=False), rounded(total, up=True))
        bits *= 2
    return None


def is_product_one(weights: Mapping[Fraction, Fraction]) -> bool:
    """Whether Π x^weight = 1, for positive rationals x: every exponent in a coprime base of them is zero."""
    numbers = [x for x in weights if x != 1]
    base = coprime_base(n for x in numbers for n in (x.numerator, x.denominator))
    common = lcm(*(weights[x].denominator for x in numbers)) if numbers else 1
    total = dict.fromkeys(base, 0)
    for x in numbers:
        times = int(weights[x] * common)
        for b in base:
            total[b] += times * (_exponent(x.numerator, b) - _exponent(x.denominator, b))
    return not any(total.values())


def coprime_base(numbers: Iterable[int]) -> list[int]:
    """Coprime integers above one of which all these positive integers are products, by greatest common divisors."""
    base: list[int] = []
    waiting = [n for n in numbers if n > 1]
    while waiting:
        n = waiting.pop()
        for k, b in enumerate(base):
            g = gcd(n, b)
            if g > 1:
                del base[k]
                waiting += [x for x in (g, n // g, b // g) if x > 1] if (n, b) != (g, g) else [g]
                break
        else:
            base.append(n)
    return base


def _exponent(n: int, b: int) -> int:
    k = 0
    while n % b == 0:
        n, k = n // b, k + 1
    return k


# ---- a product that is zero -----------------------------------------------------------------------------------------


def zero_product(found: RecurrentNodes, B: Sequence[RationalMatrix]) -> ZeroProduct | None:
    """A shortest word of moves whose product is zero, None where none is found among :data:`ZERO_PRODUCTS` products.

    Products grow from singular matrices, breadth first; of those with one range into one node the first is kept, as
    what follows makes both zero or neither. They are searched modulo a prime, up to factors; one that is zero there is
    multiplied out.
    """
    moves, leaving = found.system.moves, defaultdict[int, list[int]](list)
    for k, move in enumerate(moves):
        leaving[move.source].append(k)
    factors = [nmod_mat(matrix.numerator, PRIME) for matrix in B]
    waiting: list[tuple[tuple[int, ...], nmod_mat]] = []
    met = set[tuple[int, tuple[int, ...]]]()

    def meet(word: tuple[int, ...], product: nmod_mat) -> bool:
        """Whether the product is zero, modulo the prime and then at all; it is kept where its range is new."""
        basis, rank = product.transpose().rref()
        if rank == 0:
            return reduce(lambda before, k: B[k] @ before, word[1:], B[word[0]]).is_zero()
        key = moves[word[-1]].target, tuple(map(int, basis.entries()))
        if key not in met:
            met.add(key)
            waiting.append((word, basis.transpose()))
        return False

    for k, matrix in enumerate(B):
        if not matrix.is_regular and meet((k,), factors[k]):
            return _numbered(found, (k,))
    followed = 0
    for word, basis in waiting:  # grows while it is read
        for k in leaving[moves[word[-1]].target]:
            followed += 1
            if followed > raised(ZERO_PRODUCTS):
                return None
            if meet((*word, k), factors[k] * basis):
                return _numbered(found, (*word, k))
    return None


def _numbered(found: RecurrentNodes, word: Sequence[int]) -> ZeroProduct:
    return ZeroProduct(tuple(found.moves[k] for k in word))


# ---- logarithms -----------------------------------------------------------------------------------------------------


def log_sum(pairs: Iterable[tuple[Fraction, Fraction]], bits: int = LOG_BITS) -> arb:
    """Σ weight · log x, enclosed, of pairs of a weight and a positive number."""
    with precision(bits):
        return sum((arb(to_fmpq(weight)) * arb(to_fmpq(x)).log() for weight, x in pairs), start=arb(0))


def rounded(x: arb, up: bool) -> Fraction:
    """A number with few digits at or above every number of the ball (``up``), or at or below."""
    size = abs(float(x))
    unit = Fraction(10) ** (DIGITS - 1 - (floor(log10(size)) if size > 0 else 0))
    with precision(4 * LOG_BITS):
        scaled = x * arb(to_fmpq(unit))
        end = scaled.upper().ceil() if up else scaled.lower().floor()
        whole = end.unique_fmpz()
    assert whole is not None
    return Fraction(int(whole)) / unit
