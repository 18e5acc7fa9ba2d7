r"""Constant steps: does the second moment of the iterates stay bounded? A jump linear system, decided exactly.

With steps α and β = ηα the difference of two runs along one trajectory, y = (θ, w) for GTD and TDC, θ for TD,
obeys y_{t+1} = (I + αK_t) y_t, K_t = U_t + ηV_t without its last row and column, a function of the transition between
nodes (``tdcert.theory.laws.nodes``), windows say. On matrices X = (X_h), one symmetric D×D for each node h, let

    (𝓛X)_h = Σ_{h → h'} p (I + αK)ᵀ X_{h'} (I + αK),   E[y_{t+1}ᵀ X_{h_{t+1}} y_{t+1} | h_t, y_t] = y_tᵀ(𝓛X)_{h_t} y_t.

𝓛 is the adjoint of the second-moment operator, so both have one spectral radius r (Costa, Fragoso and Marques,
*Discrete-Time Markov Jump Linear Systems*, 2005, ch. 3). r < 1: second moments of differences go to zero
geometrically, and those of the iterates stay bounded from every start, whatever the rewards. r > 1: some
difference grows without bound in mean square, so of the two runs at least one does.

**Bounded** (r < 1) exactly if some X has all X_h ≻ 0 and all (X − 𝓛X)_h ≻ 0.

**Unbounded** if some X has all (𝓛X − X)_h ≻ 0 and xᵀX_h x > 0 for one window h and one x: from there E yᵀXy grows
by a constant factor per step. If 1 is not an eigenvalue of 𝓛, one of the two X is the solution of X − 𝓛X = ±I.

**All small steps.** Let J be the mean of K under the law of the windows. With X_h(α) = X + αT_h,

    (X(α) − 𝓛X(α))_h / α = F_h(α) = F_h(0) − α G_h − α² Σ pKᵀT_{h'}K,
    F_h(0) = T_h − Σ pT_{h'} − Σ p(KᵀX + XK),    G_h = Σ p(KᵀT_{h'} + T_{h'}K) + Σ pKᵀXK,

and the Poisson equation for T makes F_h(0) = −(JᵀX + XJ) in every window. T is fixed up to one matrix for all
windows, so T_h ≻ 0 can be had; then F is concave in α. So J Hurwitz, X ≻ 0 with F(0) ≻ 0 (Lyapunov), gives α_0
with F(α_0) ≻ 0, hence r < 1 for *every* α in (0, α_0]. An eigenvalue of J with positive real part gives X with a
positive direction and −F(0) ≻ 0; as −F(α) ⪰ −F(0) + αG, the two ends of (0, α_0] decide that r > 1 on all of it.

Floats propose X and T, rounded to dyadics; exact definiteness decides. Nodes: those reached from the states of one
recurrent class, in the order of a breadth-first search. Source: X_t and the updates of §4 with constant steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import scipy
from flint import fmpq, fmpz_mat
from numpy.typing import NDArray

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.float_enclosures import Floats
from tdcert.theory.arithmetic.rational import to_fmpq
from tdcert.theory.certificate.bodies import strings
from tdcert.theory.check.definiteness import decide_positive_definite, is_positive_definite
from tdcert.theory.check.stability import float_lyapunov_solution
from tdcert.theory.check.step_size_ratio import interpolated, positive_roots
from tdcert.theory.laws.nodes import NodeChain
from tdcert.theory.model.components import strong_components
from tdcert.theory.verdict import Certificate, Grade

ByWindow = tuple[RationalMatrix, ...]
"""One symmetric D×D matrix for each window."""
Indices = NDArray[np.int64]

LARGEST = 10_000
"""Most windows × D² for which the float solutions are sought (a minute)."""
CROSSING = 24
"""Most windows × D(D + 1)/2 for which det(I − 𝓛) is found as a polynomial of twice that degree (a second)."""
BITS = (14, 24, 40)
"""Binary digits to which a family is rounded, tried in turn."""
DENSE = 100
"""Most unknowns whose equations are solved as a full matrix: beyond, setting a sparse one up takes less."""
DOUBLINGS = 60
"""How often a step is doubled or halved in a search."""


@dataclass(frozen=True)
class WindowMove:
    """One transition of the window chain: ``K`` is D×D, ``k`` (D×1) what does not depend on the parameters."""

    source: int
    target: int
    p: Fraction
    K: RationalMatrix
    k: RationalMatrix


@dataclass(frozen=True)
class JumpSystem:
    """Differences of two runs on one recurrent class: see the module docstring. ``J`` is the mean of K; ``eta`` None:
    there is one step size; ``starts``: so many windows, the first ones, are those of time zero, without a past;
    ``chain``: the nodes that stand for windows.
    """

    algorithm: str
    eta: Fraction | None
    states: tuple[int, ...]
    windows: tuple[Any, ...]
    moves: tuple[WindowMove, ...]
    J: RationalMatrix
    starts: int
    chain: NodeChain | None = field(default=None, compare=False, repr=False)

    @property
    def size(self) -> int:
        """D: d for TD, 2d for GTD and TDC."""
        return self.J.shape[0]

    def ahead(self, X: ByWindow) -> ByWindow:
        """Σ p X_{h'}."""
        return self._sum((move, X[move.target]) for move in self.moves)

    def first(self, X: ByWindow) -> ByWindow:
        """Σ p (KᵀX_{h'} + X_{h'}K)."""
        products = ((move, X[move.target] @ move.K) for move in self.moves)
        return self._sum((move, product + product.T) for move, product in products)

    def second(self, X: ByWindow) -> ByWindow:
        """Σ p KᵀX_{h'}K."""
        return self._sum((move, move.K.T @ X[move.target] @ move.K) for move in self.moves)

    def _sum(self, terms: Iterator[tuple[WindowMove, RationalMatrix]]) -> ByWindow:
        total = [RationalMatrix.zeros(self.size, self.size)] * len(self.windows)
        for move, matrix in terms:
            total[move.source] = total[move.source] + matrix.scaled(move.p)
        return tuple(total)

    def decrease(self, X: ByWindow, alpha: Fraction) -> ByWindow:
        """X − 𝓛X."""
        parts = zip(X, self.ahead(X), self.first(X), self.second(X), strict=True)
        return tuple(x - a - f.scaled(alpha) - s.scaled(alpha * alpha) for x, a, f, s in parts)

    def is_regular_at(self, alpha: Fraction) -> bool:
        """Whether I + αK is nonsingular on every move, so that growth from any window shows growth from time zero."""
        one = self.J.identity(self.size)
        return all((one + move.K.scaled(alpha)).is_regular for move in self.moves)

    @property
    def has_one_class(self) -> bool:
        """Whether the nodes have one recurrent class: of their strongly connected components one is not left."""
        after: list[set[int]] = [set() for _ in self.windows]
        for move in self.moves:
            after[move.source].add(move.target)
        parts = map(set, strong_components(after))
        return sum(all(after[k] <= part for k in part) for part in parts) == 1

    @cached_property
    def floats(self) -> tuple[Indices, Indices, Floats, Floats]:
        """Sources, targets, probabilities and K's of the moves."""
        ends = np.array([(move.source, move.target) for move in self.moves], dtype=np.int64).T
        p = np.array([float(move.p) for move in self.moves])
        return ends[0], ends[1], p, np.array([move.K.to_float() for move in self.moves])


@dataclass(frozen=True)
class NearZero:
    """X and T that decide every step in (0, ``upto``]; ``vector`` (D×1) where the second moment is unbounded."""

    upto: Fraction
    lyapunov: RationalMatrix
    tilt: ByWindow
    vector: RationalMatrix | None = None

    @property
    def stable(self) -> bool:
        """Whether the mean square is bounded."""
        return self.vector is None


@dataclass(frozen=True)
class LyapunovAtStep:
    """X that decides one step; ``window`` and ``vector`` (D×1) where the second moment is unbounded."""

    alpha: Fraction
    lyapunov: ByWindow
    window: int | None = None
    vector: RationalMatrix | None = None


@dataclass(frozen=True)
class LargestStep:
    """The mean square is bounded for every α in (0, ``near.upto``] and at ``bounded.alpha``, and unbounded at
    ``unbounded.alpha``, where some run from time zero shows it (:meth:`JumpSystem.is_regular_at`).

    ``crossing``: an enclosure of the smallest α > 0 with r(α) ≥ 1, between these two, where the system is small
    enough for it; then every step below is bounded. Beyond ``unbounded.alpha`` nothing is said: bounded steps need
    not form an interval.
    """

    near: NearZero
    bounded: LyapunovAtStep
    unbounded: LyapunovAtStep
    crossing: tuple[Fraction, Fraction] | None
    grade: Grade = Grade.CERTIFIED

    @property
    def upto(self) -> Fraction:
        """Every constant step from zero up to it is small enough."""
        return self.near.upto if self.crossing is None else self.crossing[0]

    @property
    def low(self) -> Fraction:
        """The largest step that is shown to be small enough."""
        return self.bounded.alpha

    @property
    def high(self) -> Fraction:
        """A step at which mean square grows."""
        return self.unbounded.alpha


def jump_system(
    chain: NodeChain,
    ratios: Sequence[Fraction],
    J: RationalMatrix,
    *,
    name: str,
    states: Sequence[int],
) -> JumpSystem:
    """The jump linear system of an update's differences along its chain of nodes, from the ``states`` of a recurrent
    class at time zero. ``J``: the mean of K at these ``ratios``.
    """
    D, moves = chain.width - 1, []
    for source, target, p, matrix in chain.moves(ratios):
        moves.append(WindowMove(source, target, p, matrix.take(columns=range(D)), matrix.take(columns=[D])))
    eta, starts = ratios[1] if len(ratios) > 1 else None, int(np.count_nonzero(chain.start))
    return JumpSystem(name, eta, tuple(states), chain.nodes, tuple(moves), J, starts, chain)


# ---- decisions over all steps -----------------------------------------------------------------------------


def decide_near_zero(system: JumpSystem) -> NearZero | None:
    """Decides all small steps: the mean square is bounded where J is Hurwitz, and unbounded where J has an eigenvalue
    with positive real part.

    None where floats propose nothing that is accepted (J with eigenvalues on the imaginary axis, or close to it).
    """
    J = system.J.to_float()
    if not np.isfinite(J).all():
        return None
    stable = bool(np.linalg.eigvals(J).real.max() < 0)
    sign = 1 if stable else -1
    X = lyapunov_form(J, sign * np.eye(len(J)))
    if X is None:
        return None
    T = _tilt(system, X)
    if not np.isfinite(T).all():
        return None
    largest = 4 / max(1e-9, float(np.abs(system.floats[3]).max()))
    for bits in BITS:
        unit = float(np.abs(X).max())
        quadratic = rounded_symmetric(X, bits, unit)
        tilt = tuple(rounded_symmetric(t, bits, max(unit, float(np.abs(T).max()))) for t in T)
        vector = None if stable else vector_of_growth(quadratic)
        parts = _near_zero(system, quadratic, tilt)
        if not positive(tilt) or not positive(f.scaled(sign) for f in parts[0]):
            continue
        if not positive([quadratic]) if stable else vector is None:
            continue
        for k in range(DOUBLINGS):
            alpha = simple(largest / 2**k)
            square = alpha * alpha if stable else Fraction(0)  # −F(α) ⪰ −F(0) + αG: the curve only helps
            if positive((f - g.scaled(alpha) - c.scaled(square)).scaled(sign) for f, g, c in zip(*parts, strict=True)):
                return NearZero(alpha, quadratic, tilt, vector)
    return None


def _near_zero(system: JumpSystem, X: RationalMatrix, T: ByWindow) -> tuple[ByWindow, ByWindow, ByWindow]:
    """F(0), G and Σ pKᵀTK."""
    same = (X,) * len(system.windows)
    at_zero = (t - a - f for t, a, f in zip(T, system.ahead(T), system.first(same), strict=True))
    slope = (f + s for f, s in zip(system.first(T), system.second(same), strict=True))
    return tuple(at_zero), tuple(slope), system.second(T)


def first_crossing(system: JumpSystem) -> tuple[Fraction, Fraction] | None:
    """An enclosure of the smallest α > 0 at which 1 is an eigenvalue of 𝓛; J must be Hurwitz.

    r < 1 for small steps, r is continuous in α and itself an eigenvalue of 𝓛 (a positive operator on a cone), so
    this is the smallest α with r ≥ 1. It is a root of det(I − 𝓛) as a polynomial in α, found by interpolation. None
    where windows × D(D + 1)/2 pass :data:`CROSSING`.
    """
    D = system.size
    pairs = [(i, j) for i in range(D) for j in range(i, D)]
    count = len(system.windows) * len(pairs)
    if count > CROSSING:
        return None
    place = {pair: k for k, pair in enumerate(pairs)}
    unit = RationalMatrix.zeros(D, D).identity(D)
    parts = [[[fmpq(0)] * count for _ in range(count)] for _ in range(3)]  # I − 𝓛 = parts[0] − α… − α²…
    for k in range(count):
        parts[0][k][k] = fmpq(1)
    for move in system.moves:
        K, p = move.K, to_fmpq(move.p)
        for (i, j), column in place.items():
            S = unit.take(columns=[i]) @ unit.take(rows=[j])
            S = S if i == j else S + S.T
            SK = S @ K
            for part, image in zip(parts, (S, SK + SK.T, K.T @ SK), strict=True):
                sign = -p if part is parts[0] else p
                for pair, row in place.items():
                    entry = sign * image.scalars[pair[0]][pair[1]]
                    part[move.source * len(pairs) + row][move.target * len(pairs) + column] += entry
    # Every row on its own in integers: the determinant is multiplied by a positive number.
    rows = [RationalMatrix.of_scalars([*a, *b, *c]).numerator.entries() for a, b, c in zip(*parts, strict=True)]
    constant, linear, square = (fmpz_mat([row[k * count : (k + 1) * count] for row in rows]) for k in range(3))
    points = range(-count, count + 1)
    values = [(Fraction(x), Fraction(int((constant - x * linear - x * x * square).det()))) for x in points]
    roots = positive_roots(interpolated(values))
    return roots[0] if roots else None


def largest_step(
    system: JumpSystem, width: Fraction = Fraction(1, 8), near: NearZero | None = None
) -> LargestStep | None:
    """The largest step below which the second moment is bounded, up to a relative ``width``: see
    :class:`LargestStep`. ``near``: the small steps, where they are decided already. None where a search fails, or J
    is not Hurwitz.
    """
    near = near or decide_near_zero(system)
    if near is None or near.vector is not None:
        return None
    crossing = first_crossing(system)
    if crossing is not None:
        low, high = simple(float(crossing[0] * (1 - width / 3))), simple(float(crossing[1] * (1 + width / 3)))
    else:
        low, high = _bracket(system, near.upto, width)
    while not system.is_regular_at(high):  # ends: each determinant is a polynomial in α that is one at zero
        high *= Fraction(65, 64)
    bounded, unbounded = show_bounded(system, low), show_unbounded(system, high)
    if bounded is None or unbounded is None:
        return None
    return LargestStep(near, bounded, unbounded, crossing)


def _bracket(system: JumpSystem, start: Fraction, width: Fraction) -> tuple[Fraction, Fraction]:
    """Two steps around the first crossing that a float search in steps of a quarter meets."""
    low = high = float(start)
    for _ in range(4 * DOUBLINGS):
        low, high = high, high * 1.25
        if _solution(system, simple(high)) is None:
            break
    while high > low * (1 + float(width) / 4):
        middle = (low + high) / 2
        low, high = (middle, high) if _solution(system, simple(middle)) is not None else (low, middle)
    return simple(low * (1 - float(width) / 4)), simple(high * (1 + float(width) / 4))


def show_bounded(system: JumpSystem, alpha: Fraction) -> LyapunovAtStep | None:
    """A decreasing family at one step, or None where none is found (which shows nothing)."""
    X = _solution(system, alpha)
    if X is None:
        return None
    for bits in BITS:
        family = tuple(rounded_symmetric(x, bits, float(np.abs(X).max())) for x in X)
        if positive(family) and positive(system.decrease(family, alpha)):
            return LyapunovAtStep(alpha, family)
    return None


def show_unbounded(system: JumpSystem, alpha: Fraction) -> LyapunovAtStep | None:
    """A proof of growth at one step, from time zero where the form shows that; None where none is found (which shows
    nothing).
    """
    for family in growing_families(system, alpha):
        tops = [float(np.linalg.eigvalsh(X.to_float())[-1]) for X in family]
        for windows in (range(system.starts), range(len(family))):
            window = max(windows, key=tops.__getitem__, default=0)
            vector = vector_of_growth(family[window])
            if vector is not None:
                return LyapunovAtStep(alpha, family, window, vector)
    return None


def growing_families(system: JumpSystem, alpha: Fraction, wanted: Floats | None = None) -> Iterator[ByWindow]:
    """The families X that are found with 𝓛X − X ≻ 0, about ``wanted`` (windows × D × D; I unless given)."""
    X = _fixed_point(system, alpha, wanted)
    for bits in BITS if X is not None else ():
        assert X is not None
        family = tuple(rounded_symmetric(-x, bits, float(np.abs(X).max())) for x in X)
        if positive(-x for x in system.decrease(family, alpha)):
            yield family


def positive(family: Iterable[RationalMatrix]) -> bool:
    """Whether every matrix is positive definite."""
    return all(is_positive_definite(matrix) for matrix in family)


def certificate(system: JumpSystem, found: NearZero | LyapunovAtStep, windows: Sequence[int]) -> Certificate:
    """What the checker replays: ``mean_square_bounded`` or ``mean_square_unbounded`` (docs/certificates.md), of one of
    the paper's algorithms. ``windows``: the node of each window, in the order in which the checker meets them.
    """
    about: dict[str, object] = {"class": list(system.states), "algorithm": system.algorithm}
    if system.eta is not None:
        about["eta"] = str(system.eta)
    if isinstance(found, NearZero):
        about["upto"] = str(found.upto)
        found = replace(found, tilt=tuple(found.tilt[h] for h in windows))
    else:
        about["step"] = str(found.alpha)
        window = None if found.window is None else list(windows).index(found.window)
        found = replace(found, lyapunov=tuple(found.lyapunov[h] for h in windows), window=window)
    kind = "mean_square_bounded" if found.vector is None else "mean_square_unbounded"
    return Certificate(kind, about, witness_of(found))


def witness_of(found: NearZero | LyapunovAtStep) -> dict[str, object]:
    """X, T and what shows growth, as certificates carry them."""
    witness: dict[str, object]
    if isinstance(found, NearZero):
        witness = {"lyapunov": found.lyapunov.to_strings(), "tilt": [T.to_strings() for T in found.tilt]}
    else:
        witness = {"lyapunov": [X.to_strings() for X in found.lyapunov]}
        if found.window is not None:
            witness["window"] = found.window
    return witness if found.vector is None else {**witness, "vector": strings(found.vector)}


# ---- floats, which only propose ---------------------------------------------------------------------------


def _solution(system: JumpSystem, alpha: Fraction) -> Floats | None:
    """The X with X − 𝓛X = I where it is positive definite (that is, where r < 1), else None."""
    X = _fixed_point(system, alpha)
    return X if X is not None and float(np.linalg.eigvalsh(X).min()) > 0 else None


def _fixed_point(system: JumpSystem, alpha: Fraction, wanted: Floats | None = None) -> Floats | None:
    """The solution of X − 𝓛X = ``wanted`` (windows × D × D), I unless given."""
    source, target, p, K = system.floats
    D, count = system.size, len(system.windows)
    B = np.eye(D) + float(alpha) * K
    i, j = np.triu_indices(D)
    size = len(i)
    source, target, blocks = _blocks(source, target, p, B)
    rows, columns = np.indices((size, size)).reshape(2, -1)
    row = (source[:, None] * size + rows).ravel()
    column = (target[:, None] * size + columns).ravel()
    n = count * size
    right = np.tile((i == j) * 1.0, count) if wanted is None else wanted[:, i, j].ravel()
    try:
        if n <= DENSE:
            left = np.eye(n)
            np.subtract.at(left, (row, column), blocks.ravel())
            halves = np.linalg.solve(left, right)
        else:
            L = scipy.sparse.csc_array(scipy.sparse.coo_array((blocks.ravel(), (row, column)), shape=(n, n)))
            halves = scipy.sparse.linalg.splu(scipy.sparse.csc_array(scipy.sparse.identity(n) - L)).solve(right)
    except (RuntimeError, np.linalg.LinAlgError):  # singular: 1 is an eigenvalue
        return None
    X = np.zeros((count, D, D))
    X[:, i, j] = X[:, j, i] = halves.reshape(count, size)
    return X if np.isfinite(X).all() else None


def _blocks(source: Indices, target: Indices, p: Floats, B: Floats) -> tuple[Indices, Indices, Floats]:
    """The pairs (node, node behind) that moves lead between, and for each pair the matrix of X ↦ Σ p BᵀXB on the upper
    triangles, row (i, j), i ≤ j, and column (k, l), k ≤ l.

    (BᵀXB)_ij = Σ_kl B_ki B_lj X_kl: the sum over the moves of a pair is one product of matrices, whatever their number
    (independent draws have one pair, and a move for each transition). Pairs with equally many moves are taken together.
    """
    D = B.shape[1]
    i, j = np.triu_indices(D)
    pairs, of, counts = np.unique(np.stack([source, target]), axis=1, return_inverse=True, return_counts=True)
    order, first = np.argsort(of.ravel(), kind="stable"), np.cumsum(counts) - counts
    blocks = np.empty((len(counts), len(i), len(i)))
    for several in sorted(set(counts.tolist())):
        which = np.flatnonzero(counts == several)
        moves = order[first[which][:, None] + np.arange(several)]
        left = B[moves].reshape(len(which), several, D * D)
        sums = (p[moves][:, :, None] * left).transpose(0, 2, 1) @ left  # Σ p B_ki B_lj in row kD + i, column lD + j
        straight, crossed = (sums[:, a[:, None] * D + i, b[:, None] * D + j] for a, b in ((i, j), (j, i)))
        blocks[which] = (straight + (i != j)[:, None] * crossed).transpose(0, 2, 1)
    return pairs[0], pairs[1], blocks


def lyapunov_form(J: Floats, Q: Floats) -> Floats | None:
    """The symmetric X with JᵀX + XJ = −Q, or None where there is none."""
    eigenvalues = np.linalg.eigvals(J)
    gap = float(np.abs(eigenvalues[:, None] + eigenvalues).min())
    if gap <= 1e-10 * float(np.abs(eigenvalues).max()):
        return None
    return float_lyapunov_solution(J, -Q)


def _tilt(system: JumpSystem, X: Floats) -> Floats:
    """T ≻ 0 with T_h − Σ pT_{h'} = Σ p(KᵀX + XK) − (JᵀX + XJ)."""
    source, target, p, K = system.floats
    D, count = system.size, len(system.windows)
    change = K.transpose(0, 2, 1) @ X + X @ K
    wanted = np.zeros((count, D, D))
    np.add.at(wanted, source, p[:, None, None] * change)
    J = system.J.to_float()
    wanted -= J.T @ X + X @ J
    P = np.zeros((count, count))
    np.add.at(P, (source, target), p)
    T = np.linalg.lstsq(np.eye(count) - P, wanted.reshape(count, -1), rcond=None)[0].reshape(count, D, D)
    T = (T + T.transpose(0, 2, 1)) / 2
    spread = np.linalg.eigvalsh(T)
    return np.asarray(T + (0.1 * float(np.abs(X).max()) - float(spread.min())) * np.eye(D))


def rounded_symmetric(X: Floats, bits: int, unit: float) -> RationalMatrix:
    """X to multiples of a power of two near unit/2^bits."""
    exponent = int(np.frexp(unit)[1]) - bits
    whole = np.rint(np.ldexp((X + X.T) / 2, -exponent))
    return RationalMatrix([[int(x) for x in row] for row in whole]).scaled(Fraction(2) ** exponent)


def simple(x: float) -> Fraction:
    """A dyadic with five significant bits or so near x."""
    mantissa, exponent = np.frexp(x)
    return Fraction(round(float(mantissa) * 64), 64) * Fraction(2) ** int(exponent)


def vector_of_growth(X: RationalMatrix) -> RationalMatrix | None:
    """An integer x with xᵀXx > 0 well above zero, or None where X has no such direction."""
    top = float(np.linalg.eigvalsh(X.to_float())[-1])
    if top <= 0:
        return None
    return decide_positive_definite(X.identity(X.shape[0]).scaled(Fraction(top) / 2) - X).vector
