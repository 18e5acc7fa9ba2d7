"""Kinds about the second moments of the memory, and the long-run covariance."""

from __future__ import annotations

import json
from fractions import Fraction

from .budget import ONE, Rejected
from .matrices import Matrix, hold, read_symmetric
from .model import Case
from .reading import choice, items, listed, read_matrix, show
from .regime import Regime, at_rest, block, carried_over, unseen
from .signs import all_below, growth_of
from .update import Update
from .values import column_of, number
from .windows import Differences, require_falling, require_growing


class Remembered(Differences):
    """m' = R m: the difference of two memories, in contexts. `maps`: of (memory, 1), with each move and its source."""

    places, every, step = "context", False, ONE

    def __init__(self, update: Update):
        self.count, self.size, self.name = len(update.contexts), update.held, update.name
        self.maps = [(h, move, hold(update.affine(h, move))) for h, moves in enumerate(update.moves) for move in moves]
        unit, kept = Matrix.identity(self.size), list(range(self.size))
        self.moves = [(h, move.target, move.p, hold(N.part(kept) - unit)) for h, move, N in self.maps]


def update_memory_bounded(case: Case) -> str:
    """Two memories come together in mean square: E m'Xm falls by a factor per step for their difference m.

    So the start is forgotten, and the memory is a sum over the past that converges in mean square.
    """
    case.open("class update", "lyapunov")
    memory = Remembered(Update(case, [], case.support))
    require_falling(case, memory, "lyapunov")
    return f"the second moments of the memory of {memory.name} are finite, on {case.place()}"


def update_memory_unbounded(case: Case) -> str:
    """Were they finite, W = T W + beta >= 0 for their covariances in each context, weighted with the law.

    T W is the mean of R W R', and beta of b b', b = R g + s - g' the jump of the means g = u / d. With T*X - X > 0 and
    <X, beta> > 0: <X, W> = <T*X, W> + <X, beta> > <X, W>. In runs, whose means tend to g, the form <X, W> grows so.
    """
    case.open("class update", "law mean weights lyapunov")
    regime = Regime.of(case)
    memory, last, gain = Remembered(regime.update), regime.update.held, Fraction(0)
    X = require_growing(case, memory)
    means = [hold(column_of({**u, last: d}, last + 1)) for u, d in zip(regime.u, regime.law, strict=True)]
    drop = Matrix(([int(i == j) for j in range(last + 1)] for i in range(last)), last + 1)
    g = [hold(1 / d * mean) for mean, d in zip(means, regime.law, strict=True)]
    for h, move, N in memory.maps:
        b = drop @ (N @ g[h] - g[move.target])
        gain += move.p * regime.law[h] * number(b.T @ (X[move.target] @ b))
    if gain <= 0:
        raise Rejected("witness.lyapunov: the form of what the memory gains in each step is not positive")
    return f"the second moments of the memory of {memory.name} are infinite, on {case.place()}"


def update_covariance(case: Case) -> str:
    """The noise where mean dynamics rest, and the two equations for what averages and small steps make of it.

    The increment less its mean, the `drift`, is E n there, n = (memory, 1), n' = N n. With H the mean of E + H'N,
    D = E + H'N - H leaves martingale differences D n, whose sums differ from those of E n by H n at both ends. So the
    covariance of sums over t updates, divided by t, tends to Sigma = sum p D S D', S = E n n' 1{context}, whatever H
    is. S is the sum of the p N S N', its last column is (u, d), and as the memory contracts in mean square (`memory`)
    no other S is.
    """
    about, stable = (
        "class update matrix ratios noise averaged at_small_steps",
        "lyapunov factor_lyapunov factor_decrease",
    )
    case.open(about, f"law mean weights rest memory moments ahead {stable}", "seen drift", "coordinates spans")
    regime = Regime.of(case)
    update, memory, (J, drift, name) = regime.update, Remembered(regime.update), at_rest(case, regime)
    require_falling(case, memory, "memory")
    size, last, (ratios, _) = update.size, update.held, update.weights(case, "ratios")
    S, given = memory.family(case.witness["moments"], "witness.moments", last + 1), case.witness["ahead"]
    H = [
        Matrix.of(read_matrix(x, f"witness.ahead[{h}]", size, last + 1), last + 1)
        for h, x in enumerate(items(given, "witness.ahead", memory.count))
    ]
    rest = dict(zip([*regime.B, size], [*case.vector("rest", len(regime.B)), ONE], strict=True))
    point, units = column_of(rest, size + 1), Matrix.identity(last + 1).dense()
    moved_on = drift @ Matrix([units[last]], last + 1)
    Sigma, moved, left = Matrix.of([{}] * size, size), [Fraction(0) * X for X in S], [Fraction(0) * X for X in H]
    for h, move, N in memory.maps:
        D = H[move.target] @ N - H[h] - moved_on
        for j, part in enumerate(update.parts(move, ratios)):
            if j == last or (h, j) in update.alive:
                D = D + part @ point @ Matrix([units[j]], last + 1)
        left[h] = left[h] + move.p * D
        moved[move.target] = moved[move.target] + move.p * (N @ S[h] @ N.T)
        Sigma = Sigma + move.p * (D @ S[h] @ D.T)
    for h, X in enumerate(S):
        known = column_of({**regime.u[h], last: regime.law[h]}, last + 1)
        if not (X @ column_of({last: ONE}, last + 1) - known).is_zero() or not (X - moved[h]).is_zero():
            raise Rejected(f"witness.moments[{h}]: the equation of the second moments fails")
        if not left[h].is_zero():
            raise Rejected(f"witness.ahead[{h}]: the equation of what is still to come fails")
    noise = read_symmetric(case.about["noise"], "about.noise", size)
    if not (noise - Sigma).is_zero():
        raise Rejected("about.noise: this is not the covariance of the increments in the long run")
    T = Matrix.of(regime.T, size)
    seen, which = T @ noise @ T.T, choice(case.about["matrix"], "about.matrix", ["joint", "slow"])
    if which == "slow":
        slow, fast = regime.apart()
        L, order = carried_over(J, slow, fast), [*slow, *fast]
        J, seen = L @ block(J, order, slow), L @ seen.part(order) @ L.T
    all_below(case, *growth_of(case, J), "", "")  # so each of the two equations has one solution
    C, X = (read_symmetric(case.about[key], f"about.{key}", J.shape[0]) for key in ("averaged", "at_small_steps"))
    if not (J @ C @ J.T - seen).is_zero():
        raise Rejected("about.averaged: B C B' is not the noise")
    if not (J @ X + X @ J.T + seen).is_zero():
        raise Rejected("about.at_small_steps: B X + X B' is not minus the noise")
    one, two, three = (
        text if len(text := json.dumps(case.about[key])) <= 60 else f"given as {show(key)}"
        for key in ("noise", "averaged", "at_small_steps")
    )
    mean = "" if drift.is_zero() else f", where their mean is {listed(case.about['drift'])},"
    of, how = (" of slow parameters", ", the first one faster,") if which == "slow" else ("", "")
    return (
        f"at rest{mean} the increments of {name} have the long-run covariance {one}, averages{of} over t updates {two} "
        f"/ t and constant steps going to zero{how} {three} per step, on {case.place()}{unseen(case)}"
    )
