"""Kinds about all small constant steps, with memory that is bounded or not."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from .budget import ONE, Rejected, quotient
from .matrices import Matrix, hold, read_symmetric
from .model import Case
from .nodes import read_upto
from .reading import brief, index, items, read_number, read_vector
from .update import Move, Update
from .values import column_of
from .windows import require_positive


def sizes(parts: Sequence[Matrix], bounds: Sequence[Fraction]) -> Matrix:
    """At least the sum of the parts, times numbers within the bounds, in every entry and sign."""
    total = Fraction(0) * parts[0]
    for part, bound in zip(parts, bounds, strict=True):
        absolute = ([abs(x) for x in row] for row in part.dense())
        total = total + bound * Matrix(absolute, part.shape[1], part.denominator)
    return total


def row_sums(matrix: Matrix) -> Matrix:
    """Their diagonal is at least every symmetric matrix whose entries have at most these sizes."""
    n = matrix.shape[0]
    rows = ([sum(row) if i == j else 0 for j in range(n)] for i, row in enumerate(matrix.dense()))
    return Matrix(rows, n, matrix.denominator)


def update_safe_steps(case: Case) -> str:
    """|memory| <= w in each context from zero memory on; there V = y'(P + alpha T)y falls by a factor per step.

    T, affine in the memory, is the sum of T_j n_j for n = (memory, 1), and so is K. With T' after a move, (V - E V') /
    alpha has the matrix F - alpha mean (K'PK + K'T' + T'K + alpha K'T'K), F = T - mean T' - mean (K'P + PK). What of F
    depends on the memory, and what alpha multiplies, is bounded entry by entry, hence by the diagonal of the row sums
    of these bounds. They grow with alpha, so the largest alpha is enough. V > 0 at alpha = 0, and for the first alpha
    where some V were singular, V y = 0, all V >= 0 and 0 = y'Vy > E V'. On almost every path: Borel and Cantelli.
    """
    case.open("class update ratios upto", "bounds lyapunov tilt")
    update, upto = Update(case, case.support, case.support), read_upto(case)
    (ratios, words), last, size = update.weights(case, "ratios"), update.held, update.size
    P = read_symmetric(case.witness["lyapunov"], "witness.lyapunov", size)
    bounds, tilts = (items(case.witness[key], f"witness.{key}", len(update.contexts)) for key in ("bounds", "tilt"))
    w = [[*read_vector(x, f"witness.bounds[{h}]", last), ONE] for h, x in enumerate(bounds)]
    if min(map(min, w)) < 0:
        raise Rejected("witness.bounds: a bound is negative")
    require_positive(P, "witness.lyapunov")
    wheres = [f"witness.tilt[{h}]" for h in range(len(w))]
    lists = [items(x, where, last + 1) for x, where in zip(tilts, wheres, strict=True)]
    T = [[read_symmetric(x, where, size) for x in part] for part, where in zip(lists, wheres, strict=True)]
    large = [sizes(part, bound) for part, bound in zip(T, w, strict=True)]
    for h, moves in enumerate(update.moves):
        F, rest = list(T[h]), Fraction(0) * P
        for move in moves:
            N, ahead = update.affine(h, move), large[move.target]
            over = sizes([N], [ONE]) @ Matrix.column(w[h]) - Matrix.column(w[move.target])
            if any(x > 0 for x in over.entries()):
                raise Rejected(f"witness.bounds[{move.target}]: a move from context {h} leaves them")
            K = [part.part(list(range(size))) for part in update.parts(move, ratios)]
            F = [f - move.p * (k.T @ P + P @ k) for f, k in zip(F, K, strict=True)]
            for i, (places, values) in enumerate(N.rows):
                for j, x in zip(places, values, strict=True):
                    F[j] = F[j] - move.p * quotient(x, N.denominator) * T[move.target][i]
            k = sizes(K, w[h])
            rest = rest + move.p * (k.T @ sizes([P], [ONE]) @ k + k.T @ ahead + ahead @ k + upto * (k.T @ ahead @ k))
        least = F[last] - row_sums(sizes([*F[:last], Fraction(0) * P], w[h]) + upto * rest)
        require_positive(least, f"{wheres[h]}: the decrease")
    return (
        f"second moments of differences go to zero, and differences do on almost every path, under {update.name} with "
        f"every step up to {brief(case.about['upto'])} times {words}, on {case.place()}"
    )


def update_no_safe_step(case: Case) -> str:
    """A cycle of moves with the map N multiplies a part of a memory that is met by r, |r| > 1, and the rest by less.

    The memory m after `walk` is annihilated by (N - r) prod (N - o) for smaller |o|: so k rounds make it a multiple of
    r^k a and what is small beside it, a = prod (N - o) m, N a = r a. So round k multiplies differences by r^(kL) times
    Gamma, up to what falls geometrically, L the number of moves and Gamma the product along the cycle, from a, of the
    parts of G that are linear in the memory. As Gamma is not nilpotent, from some round on the directions of its
    largest eigenvalues stay in a cone in which products of k rounds grow like r^(Lk^2/2), up to an exponential, with a
    probability that is exponentially small. So from some difference in that round on the mean square has no bound.
    """
    key = "steps" if isinstance(case.given[0], dict) and "steps" in case.given[0] else "ratios"
    case.open(f"class update {key}", "start walk cycle factor others")
    update = Update(case, case.support, case.support)
    (weights, words), last, size = update.weights(case, key), update.held, update.size
    h, before = index(case.witness["start"], "witness.start", 0, update.starts), -1
    ways: dict[str, list[tuple[Move, Matrix]]] = {"walk": [], "cycle": []}
    for name, found in ways.items():
        before = h
        for k, x in enumerate(items(case.witness[name], f"witness.{name}")):
            move = update.moves[h][index(x, f"witness.{name}[{k}]", 0, len(update.moves[h]))]
            found.append((move, hold(update.affine(h, move))))
            h = move.target
    if h != before:
        raise Rejected("witness.cycle: it does not end where it begins")
    a, N, Gamma = column_of({last: ONE}, last + 1), Matrix.identity(last + 1), Matrix.identity(size)
    for _, one in ways["walk"]:
        a = one @ a
    for _, one in ways["cycle"]:
        N = one @ N
    r, others = read_number(case.witness["factor"], "witness.factor"), items(case.witness["others"], "witness.others")
    for other in read_vector(others, "witness.others", len(others)):
        if abs(other) >= abs(r):
            raise Rejected("witness.others: a factor is not smaller than the one of the growth")
        a = N @ a - other * a
    if abs(r) <= 1 or a.is_zero() or not (N @ a - r * a).is_zero():
        raise Rejected("witness.factor: the cycle multiplies no part of the memory by it, or it is not above one")
    for move, one in ways["cycle"]:
        linear = Fraction(0) * Gamma
        for part, (x,) in zip(update.parts(move, weights)[:last], a.dense(), strict=False):
            linear = linear + quotient(x, a.denominator) * part.part(list(range(size)))
        Gamma, a = linear @ Gamma, one @ a
    for _ in range(size.bit_length()):
        Gamma = Gamma @ Gamma
    if Gamma.is_zero():
        raise Rejected("witness.cycle: what the memory makes of differences along it is nilpotent")
    steps = f"the steps {words}" if key == "steps" else f"every multiple of the steps {words}"
    how = f"under {update.name} with {steps}, on {case.place()}"
    return f"second moments of differences of runs under way grow without bound from some difference, {how}"
