r"""Constant steps: the part of a jump linear system that runs from time zero reach.

A difference of two runs may be anything at time zero. If I + αK is singular on a move, it may be less afterwards: with
one state, γ = 9/10 and α = 10 every run of n-step TD is at its fixed point from the first update on, and what
x_{t+1} = (I + αK)x_t would do to other x, with the trace of later times, is never seen. With the updates
x_{t+1} = (I + αK_t)x_t + αk_t let a_h + U_h be the affine hull of all x_t that runs from time zero bring to the window
h, from all x_0 in all windows of time zero. (I + αK)U_h lies in U_{h'} on each move, so differences of runs stay in the
U_h, and so does x_t − a_{h_t}, up to what takes one of these finitely many points to the next. With 𝓛 the operator of
second moments on the U_h (:mod:`tdcert.theory.laws.mean_square`) and r its spectral radius: r < 1, differences go to
zero and runs stay bounded, in mean square; r > 1, the second moment of runs grows from some start, as sums of the
second moments of (x_t, 1) over starts and times are positive definite on the hulls, and so grow like any others there.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from fractions import Fraction

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.laws.mean_square import JumpSystem


def from_time_zero(system: JumpSystem, alpha: Fraction) -> JumpSystem | None:
    """The system on the U_h, at the step ``alpha`` alone; None where all are the whole space, so that it is the system
    itself. In coordinates of the U_h, to which others are added that the next move takes to zero.
    """
    spans = _hulls(system, alpha)
    if spans is None:
        return None
    D = system.size
    one = system.J.identity(D)
    moves = []
    for move in system.moves:
        before, after = spans[move.source], spans[move.target]
        inner = RationalMatrix.zeros(D, D)
        if before.shape[1] and after.shape[1]:
            rows = after.T.independent_columns()
            image = before + move.K.scaled(alpha) @ before
            inner = _padded(after.take(rows=rows).solve(image.take(rows=rows)), D)
        moves.append(replace(move, K=(inner - one).scaled(1 / alpha), k=RationalMatrix.zeros(D, 1)))
    return replace(system, moves=tuple(moves))


def _padded(matrix: RationalMatrix, size: int) -> RationalMatrix:
    rows, columns = matrix.shape
    return RationalMatrix(
        [[matrix[i, j] if i < rows and j < columns else Fraction(0) for j in range(size)] for i in range(size)]
    )


def _hulls(system: JumpSystem, alpha: Fraction) -> list[RationalMatrix] | None:
    """A basis (its columns) of each U_h; None where all are the whole space."""
    if system.is_regular_at(alpha):
        return None
    D, count = system.size, len(system.windows)
    one = system.J.identity(D)
    leaving: list[list[tuple[int, RationalMatrix, RationalMatrix]]] = [[] for _ in range(count)]
    whole, waiting = set(range(system.starts)), deque(range(system.starts))
    for move in system.moves:
        leaving[move.source].append((move.target, one + move.K.scaled(alpha), move.k.scaled(alpha)))
    while waiting:  # a nonsingular move takes the whole space to the whole space
        for target, B, _ in leaving[waiting.popleft()]:
            if target not in whole and B.is_regular:
                whole.add(target)
                waiting.append(target)
    if len(whole) == count:
        return None
    spans = [one if h in whole else None for h in range(count)]
    points = [RationalMatrix.zeros(D, 1)] * count
    waiting = deque(sorted(whole))
    while waiting:
        h = waiting.popleft()
        span = spans[h]
        assert span is not None
        for target, B, b in leaving[h]:
            known, point = spans[target], B @ points[h] + b
            if known is not None and known.shape[1] == D:
                continue
            moved = B @ span
            if known is None:
                points[target], grown = point, moved
            else:
                grown = known.beside(moved, point - points[target])
            grown = grown.take(columns=grown.independent_columns())
            if known is None or grown.shape[1] > known.shape[1]:
                spans[target] = grown
                waiting.append(target)
    found = [span for span in spans if span is not None]  # every window is reached
    return None if all(span.shape[1] == D for span in found) else found
