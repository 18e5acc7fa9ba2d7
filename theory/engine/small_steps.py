r"""Small constant steps with bounded memory: a quadratic form that falls, for every step up to an explicit one.

Let |m| ≤ w(h) in each context, entry by entry, and let differences of two runs move by y' = (I + αK) y with the mean
matrix J Hurwitz. With P_0 ≻ 0, JᵀP_0 + P_0J ⪯ −I, and H(h, m) what is still to come of K − J (as in
:mod:`tdcert.theory.engine.noise`), the form V = yᵀ(P_0 + αP_1)y with P_1 = HᵀP_0 + P_0H has

    E V' ≤ V − α|y|² + α² yᵀ E[KᵀP_0K + KᵀP_1' + P_1'K + αKᵀP_1'K] y.

What α multiplies is bounded entry by entry on the box, and a symmetric matrix by the diagonal of the row sums of such
bounds, which grow with α. So where the decrease is positive definite at some α less these diagonals, it is at every
smaller step; and V is, for it is at zero, and at the first α where some V were singular, yᵀVy = 0, there would be
0 = yᵀVy > E V' ≥ 0. So the mean square dies out, and with it the mean, and differences on almost every path (Borel and
Cantelli).
P_1 is rounded: what is left of the memory in the decrease of order α is bounded in the same way.

Source: perturbed Lyapunov functions, Kushner, Yin, *Stochastic Approximation*, 2003, §6.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import starmap
from math import ceil

import numpy as np

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.rational import to_fmpq, to_fraction
from tdcert.theory.check.stability import prove_stable
from tdcert.theory.engine.means import Stationary
from tdcert.theory.engine.memory import Memory
from tdcert.theory.engine.noise import still_to_come
from tdcert.theory.engine.tables import Edge, Tables
from tdcert.theory.laws.mean_square import positive, rounded_symmetric

ROUNDS = 2_000
"""Most rounds in which a bound of the memory is sought."""
BITS = (16, 40)
"""Binary digits to which the forms are rounded, tried in turn."""
LARGEST = 2**20
"""Beyond this step none is sought."""


def memory_bounds(found: Tables, *, room: bool = False) -> list[list[Fraction]] | None:
    """w: |m| ≤ w(h) in every context, from zero memory on; None where none is found. Floats propose, fractions
    accept. ``room``: |R|w + |s| is less than w in every entry, so that a recursion near this one keeps to w, too.
    """
    M = found.M
    if not M:
        return [[] for _ in found.contexts]
    parts = []
    for edge in found.edges:
        N = found.affine(edge).take(rows=range(M))
        parts.append((edge.source, edge.target, RationalMatrix([[abs(x) for x in row] for row in N.rows])))
    sizes = [(source, target, A.to_float()) for source, target, A in parts]
    slack = max(float(A[:, M].max()) for *_, A in sizes) / 2**10  # for what is not converged, and for rounding
    if slack == 0 and not room:
        return [[Fraction(0)] * M for _ in found.contexts]
    slack = slack or 1.0
    w = np.zeros((len(found.contexts), M))
    for _ in range(ROUNDS):
        new = w.copy()
        for source, target, A in sizes:
            new[target] = np.maximum(new[target], A[:, :M] @ w[source] + A[:, M] + slack)
        if not (new < 1e30 * slack).all():
            return None
        done, w = bool((new - w <= slack / 8).all()), new
        if done:
            break
    unit = Fraction(slack) / 8
    bounds = [[ceil(Fraction(x) / unit) * unit for x in row] for row in w]
    if not room:  # what is always zero has zero for its bound
        reached = Memory(found, (), RationalMatrix).reached
        bounds = [[x if (h, i) in reached else Fraction(0) for i, x in enumerate(row)] for h, row in enumerate(bounds)]
    for source, target, A in parts:
        after = (A @ RationalMatrix.column([*bounds[source], 1])).column_entries()
        if any(x > y or (room and x == y) for x, y in zip(after, bounds[target], strict=True)):
            return None
    return bounds


@dataclass(frozen=True)
class SafeSteps:
    """Differences of two runs die out in mean square at every step up to ``upto``: in each context of ``tables`` (from
    the states of the class at time zero) |m| ≤ ``bounds``, and P_0 is ``lyapunov`` (D×D), P_1 the sum of ``tilt`` (M+1
    matrices D×D for each context) times the entries of (m, 1).
    """

    tables: Tables
    upto: Fraction
    bounds: list[list[Fraction]]
    lyapunov: RationalMatrix
    tilt: list[list[RationalMatrix]]


def safe_step(found: Stationary[RationalMatrix], own: Tables, ratios: Sequence[Fraction]) -> SafeSteps | None:
    """A step size > 0 up to which, at these ratios, differences of two runs die out in mean square, in the mean and on
    paths; None where the memory is not shown to be bounded, or updates do not see all parameters.

    ``own``: tables from the states of the class at time zero. The update must be linear in its steps.
    """
    D, bounds = own.D, memory_bounds(own)
    if bounds is None or len(found.visible[0]) < D:
        return None
    J = found.joint(ratios).take(columns=range(D))
    proof = prove_stable(J)
    if proof is None:
        return None
    K = {edge: _parts(own, ratios, edge) for edge in own.edges}
    exact = _tilt(found, own, ratios, proof.X, K)
    unit = max((float(np.abs(part.to_float()).max()) for parts in exact or [] for part in parts), default=0.0) or 1.0
    for bits in BITS if exact else ():
        tilt = [[rounded_symmetric(part.to_float(), bits, unit) for part in parts] for parts in exact or []]
        upto = _largest(own, bounds, proof.X, tilt, K)
        if upto is not None:
            return SafeSteps(own, upto, bounds, proof.X, tilt)
    return None


def _parts(own: Tables, ratios: Sequence[Fraction], edge: Edge) -> list[RationalMatrix]:
    """K (D×D) of an edge: what each entry of (m, 1) multiplies, in units of the first step size."""
    D, M = own.D, own.M
    rows = [[[Fraction(0)] * D for _ in range(D)] for _ in range(M + 1)]
    for exponents, part in edge.increments.items():
        for (entry, row, column), x in part.items():
            if column < D:
                rows[M if entry is None else entry][row][column] += ratios[exponents.index(1)] * to_fraction(x)
    return [RationalMatrix(part) for part in rows]


def _tilt(
    found: Stationary[RationalMatrix],
    own: Tables,
    ratios: Sequence[Fraction],
    X: RationalMatrix,
    K: dict[Edge, list[RationalMatrix]],
) -> list[list[RationalMatrix]] | None:
    """HᵀX + XH in each context; None where later contexts are not those of the stationary regime."""
    D, M, J = own.D, own.M, found.joint(ratios).take(columns=range(own.D))
    place = {context: k for k, context in enumerate(found.tables.contexts)}
    if any(own.contexts[edge.target] not in place for edge in own.edges):
        return None  # the first update reads more of the transition before than later ones do
    changes = []
    for edge in found.tables.edges:
        parts = _parts(found.tables, ratios, edge)
        parts[M] = parts[M] - J
        changes.append([[to_fmpq(part[i, j]) for part in parts] for i in range(D) for j in range(D)])
    stationary = still_to_come(found, changes)
    tilt = []
    for h, context in enumerate(own.contexts):
        if context in place:
            H = stationary[place[context]]
        else:  # at time zero alone: one step back from what follows
            H = RationalMatrix.zeros(D * D, M + 1)
            for edge in own.leaving[h]:
                here = [
                    [part[i, j] - (J[i, j] if k == M else 0) for k, part in enumerate(K[edge])]
                    for i in range(D)
                    for j in range(D)
                ]
                later = stationary[place[own.contexts[edge.target]]] @ own.affine(edge)
                H = H + (RationalMatrix(here) + later).scaled(edge.outcome.probability)
        columns = H.T.rows
        squares = [RationalMatrix([column[i * D : (i + 1) * D] for i in range(D)]) for column in columns]
        products = [X @ square for square in squares]
        tilt.append([product + product.T for product in products])
    return tilt


def _largest(
    own: Tables,
    bounds: Sequence[Sequence[Fraction]],
    P: RationalMatrix,
    tilt: Sequence[Sequence[RationalMatrix]],
    K: dict[Edge, list[RationalMatrix]],
) -> Fraction | None:
    """A step with some significant bits at which everything is positive definite, and 1/16 more is not."""
    M, none = own.M, P.scaled(0)
    boxes = [[*w, Fraction(1)] for w in bounds]
    large = list(starmap(_sizes, zip(tilt, boxes, strict=True)))
    lines = []  # (X, Y, Z) with X − αY − α²Z ≻ 0 to be shown
    for h, edges in enumerate(own.leaving):
        F, first, second = list(tilt[h]), none, none
        for edge in edges:
            N, p, ahead = own.affine(edge), edge.outcome.probability, tilt[edge.target]
            for j in range(M + 1):
                product = P @ K[edge][j]
                later = sum((ahead[i].scaled(N[i, j]) for i in range(M + 1) if N[i, j]), start=none)
                F[j] = F[j] - (product + product.T + later).scaled(p)
            k, t = _sizes(K[edge], boxes[h]), large[edge.target]
            first = first + (k.T @ _sizes([P], [Fraction(1)]) @ k + k.T @ t + t @ k).scaled(p)
            second = second + (k.T @ t @ k).scaled(p)
        lines.append((F[M] - _row_sums(_sizes([*F[:M], none], boxes[h])), _row_sums(first), _row_sums(second)))
    if not positive(start for start, _, _ in lines):
        return None

    def holds(step: Fraction) -> bool:
        return positive(X - Y.scaled(step) - Z.scaled(step**2) for X, Y, Z in lines)

    low, high = Fraction(1), None
    while not holds(low):  # ends: positive at zero
        low, high = low / 2, low
    while high is None or high > low * Fraction(17, 16):
        middle = 2 * low if high is None else (low + high) / 2
        if holds(middle):
            low = middle
        else:
            high = middle
        if low > LARGEST:
            break
    return low


def _sizes(parts: Sequence[RationalMatrix], bounds: Sequence[Fraction]) -> RationalMatrix:
    """At least the sum of the parts times numbers within the bounds, entry by entry."""
    absolute = (
        RationalMatrix([[abs(x) * bound for x in row] for row in part.rows])
        for part, bound in zip(parts, bounds, strict=True)
    )
    return sum(absolute, start=parts[0].scaled(0))


def _row_sums(matrix: RationalMatrix) -> RationalMatrix:
    """Their diagonal: at least every symmetric matrix with entries of at most these sizes."""
    n = matrix.shape[0]
    return RationalMatrix([[sum(row) if i == j else 0 for j in range(n)] for i, row in enumerate(matrix.rows)])
