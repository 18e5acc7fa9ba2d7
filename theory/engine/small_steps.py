r"""Small constant steps with bounded memory: a quadratic form that falls, for every step up to an explicit one.

Let |m| ≤ w(h) in each context, entry by entry, and let differences of two runs move by y' = (I + αK) y with the mean
matrix J Hurwitz. With P_0 ≻ 0, JᵀP_0 + P_0J ⪯ −I, and H(h, m) what is still to come of K − J (as in
:mod:`tdcert.theory.engine.noise`), the form V = yᵀ(P_0 + αP_1)y with P_1 = HᵀP_0 + P_0H has

    E V' ≤ V − α|y|² + α² yᵀ E[KᵀP_0K + KᵀP_1' + P_1'K + αKᵀP_1'K] y.

So with |K| ≤ k, |P_0| ≤ p_0, |P_1| ≤ p_1 on the box, it falls geometrically in the mean while α(k²p_0 + 2kp_1 + αk²p_1)
≤ 1/2, and is a norm while αp_1 ≤ |P_0⁻¹|⁻¹/2: then the mean square dies out, and with it the mean, and differences on
almost every path (Borel and Cantelli).

Source: perturbed Lyapunov functions, Kushner, Yin, *Stochastic Approximation*, 2003, §6.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, isqrt

import numpy as np
from flint import fmpq

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.rational import to_fmpq, to_fraction
from tdcert.theory.check.stability import prove_stable
from tdcert.theory.engine.means import Stationary
from tdcert.theory.engine.noise import still_to_come
from tdcert.theory.engine.tables import Tables

ROUNDS = 2_000
"""Most rounds in which a bound of the memory is sought."""


def memory_bounds(found: Tables) -> list[list[Fraction]] | None:
    """w: |m| ≤ w(h) in every context, from zero memory on; None where none is found. Floats propose, fractions
    accept.
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
    if slack == 0:
        return [[Fraction(0)] * M for _ in found.contexts]
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
    for source, target, A in parts:
        after = (A @ RationalMatrix.column([*bounds[source], 1])).column_entries()
        if any(x > y for x, y in zip(after, bounds[target], strict=True)):
            return None
    return bounds


def safe_step(found: Stationary, own: Tables, ratios: Sequence[Fraction]) -> Fraction | None:
    """A step size > 0 up to which, at these ratios, differences of two runs die out in mean square, in the mean and on
    paths; None where the memory is not shown to be bounded, or updates do not see all parameters.

    ``own``: tables from the states of the class at time zero. The update must be linear in its steps.
    """
    tables = found.tables
    D, M = tables.D, tables.M
    bounds = memory_bounds(own)
    if bounds is None or len(found.visible[0]) < D:
        return None
    place = {context: k for k, context in enumerate(own.contexts)}
    if not all(context in place for context in tables.contexts):
        return None  # the first update reads more of the transition before than later ones do
    J = found.joint(ratios).take(columns=range(D))
    proof = prove_stable(J)
    if proof is None:
        return None
    falls = -(proof.X @ J + (proof.X @ J).T)
    P0 = proof.X.scaled(_norm(falls.solve(J.identity(D))))  # now it falls by |y|² at least
    changes, k = [], Fraction(0)
    for edge in tables.edges:
        K = [[fmpq(0)] * (M + 1) for _ in range(D * D)]
        for exponents, part in edge.increments.items():
            ratio = to_fmpq(ratios[exponents.index(1)])
            for (entry, row, column), x in part.items():
                if column < D:
                    K[row * D + column][M if entry is None else entry] += ratio * x
        k = max(k, _largest(K, bounds[place[tables.contexts[edge.source]]], D))
        for row in range(D):
            for column in range(D):
                K[row * D + column][M] -= to_fmpq(J[row, column])
        changes.append(K)
    p1 = Fraction(0)
    for h, H in enumerate(still_to_come(found, changes)):
        parts = []
        for n in range(M + 1):
            product = P0 @ RationalMatrix([[H[i * D + j, n] for j in range(D)] for i in range(D)])
            parts.append(product + product.T)
        entries = [[to_fmpq(part[i, j]) for part in parts] for i in range(D) for j in range(D)]
        p1 = max(p1, _largest(entries, bounds[place[tables.contexts[h]]], D))
    p0, inverse = _norm(P0), _norm(P0.solve(P0.identity(D)))
    # while αk ≤ 1 the last term is at most k p_1
    limits = [1 / (2 * (k * k * p0 + 3 * k * p1)), 1 / k, 1 / (2 * p1 * inverse) if p1 else 1 / k]
    step = min(limits)
    bits = max(0, step.denominator.bit_length() - step.numerator.bit_length()) + 6
    return Fraction(int(step * 2**bits), 2**bits)


def _largest(entries: Sequence[Sequence[fmpq]], bounds: Sequence[Fraction], D: int) -> Fraction:
    """A bound of the norm of the D×D matrix with such entries, each affine in the memory, on the box."""
    sizes = [
        sum((abs(to_fraction(x)) * y for x, y in zip(row, [*bounds, Fraction(1)], strict=True)), start=Fraction(0))
        for row in entries
    ]
    return _norm(RationalMatrix([sizes[i * D : (i + 1) * D] for i in range(D)]))


def _norm(matrix: RationalMatrix) -> Fraction:
    """The Frobenius norm, rounded up."""
    square = sum((x * x for row in matrix.rows for x in row), start=Fraction(0))
    scaled = square * 2**40
    return Fraction(isqrt(scaled.numerator // scaled.denominator) + 1, 2**20)
