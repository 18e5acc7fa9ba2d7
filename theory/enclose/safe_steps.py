r"""Constant steps of models with too many windows to list: every one up to α_0 decided, through moments by state.

The question is that of :mod:`tdcert.theory.laws.mean_square`, and so is the form yᵀ(X + αT_h)y. Here T_h = H_hᵀX + XH_h
for H_h the mean of what is still to come of K − J. With z = ρ Σ_l c_l a_l, a_l = p_l φ(s_{t−l}), and g(s) = E[ρx | s],

    q_l = c_l g + N q_{l+1},    (I − P)Y = φq_0ᵀ − A,    H_h = Y(s) + Σ_{l≥1} a_l q_l(s)ᵀ    (K = zxᵀ),

as in :mod:`tdcert.theory.laws.long_run_covariance`; the terms xzᵀ have its transpose, φφᵀ has Y alone. So windows enter
through bounds of |a_l|, which follow the largest products of factors ρΓ along the chain. Let X̂ = S⁻ᵀXS⁻¹ and so on for
any regular S, |K̂| ≤ k on a transition, |T̂_h| ≤ τ(s) in all windows that end in s, |X̂| ≤ ξ. Then with F of that module

    F̂(α) ⪰ F̂(0) − (αg + α²r) I,    g = max_s E[2kτ(s') + ξk² | s],    r = max_s E[k²τ(s') | s].

**Bounded** for every α ≤ α_0 if X = SᵀS, F̂(0) ⪰ q I with q > α_0 g + α_0² r, and α_0 τ < 1. **Unbounded** for every
α ≤ α_0 if −F(0) ⪰ q I and vᵀXv > α_0 τ |v|² for one v (S = I). With T̂ + τ I for T̂, of at most twice the norm, T ⪰ 0:
what decreasing steps need.

Norms over windows are far from means: α_0 may be a hundredth of the largest step. **Above**, a cycle of k transitions
with the probability p and the product B of their I + αK has r(𝓛)^k ≥ p·radius(B)² (what leaves it adds a positive
operator), and radius(B) ≥ |tr Bᵐ/D|^{1/m}, in fractions.

Every rounding is bounded: floats propose X, enclosures decide. Sums of non-negative numbers are covered by
:data:`~tdcert.theory.laws.second_moment_sign.COVER`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.float_enclosures import Floats, MidRadMatrix
from tdcert.theory.enclose.definite import positive_definite
from tdcert.theory.errors import SingularMatrixError
from tdcert.theory.laws.long_run_covariance import InNumbers
from tdcert.theory.laws.mean_square import lyapunov_form, simple
from tdcert.theory.laws.schedule_update import CHANGE, PHI, REWARD, TRACE, ScheduleTerm, ScheduleUpdate
from tdcert.theory.laws.second_moment_sign import COVER, LARGE, LOST, spectral_norms
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import trace_weights
from tdcert.theory.verdict import Grade

POWERS = (1, 4, 16)
"""The m of traces that are tried."""
RAISED = 60
"""Up to this power of two, over the largest entry of the moves, floats look for a step at which the cycle grows."""


@dataclass(frozen=True)
class SmallSteps:
    """Every constant step in (0, ``upto``]: mean square is bounded or, if not ``stable``, grows from some start."""

    upto: Fraction
    stable: bool


@dataclass(frozen=True)
class StepBracket:
    """Mean square is bounded at every constant step in (0, ``upto``] and at ``low``; it grows at ``high`` (None: none
    such was found).
    """

    upto: Fraction
    low: Fraction
    high: Fraction | None
    crossing: None = None
    grade: Grade = Grade.ENCLOSED


@dataclass(frozen=True)
class Cycle:
    """States and actions of a closed path; at the step ``alpha`` the mean square grows along it."""

    alpha: Fraction
    path: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class StepParts:
    """What all X share: the mean matrix ``J``; ``q`` (q_0 … q_L, n×d); Y of zxᵀ and of φφᵀ, (n·d)×d with the rows of a
    state together; ``sizes``: |c_l|.
    """

    J: MidRadMatrix
    q: tuple[MidRadMatrix, ...]
    Y: dict[tuple[str, str], MidRadMatrix]
    sizes: tuple[float, ...]


def small_steps(
    about: InNumbers[MidRadMatrix],
    model: Model,
    algorithm: ScheduleUpdate,
    eta: Fraction,
    weight: RationalMatrix,
    *,
    decreasing: bool = False,
) -> SmallSteps | None:
    """All small steps of an algorithm with β = ηα, or None where nothing is shown.

    ``about``: the model on one recurrent class, with independent features there; ``model``: the same under a finite
    schedule; ``weight``: TTᵀ (d×d), as :class:`~tdcert.theory.check.mean_dynamics.Reduced` has it. ``decreasing``:
    whether what is shown is to hold for decreasing steps below the bound, too.
    """
    try:
        parts = _parts(about, model, algorithm, eta, weight)
        J = parts.J.to_float()
        if not np.isfinite(J).all():
            return None
        proposals: list[tuple[Floats, Floats | None]] = []
        if np.linalg.eigvals(J).real.max() > 0:
            form = lyapunov_form(J, -np.eye(len(J)))
            proposals += [] if form is None else [(np.eye(len(J)), form)]
        else:
            proposals += [(S, None) for S in _roots(J, algorithm.on_blocks(about.keys(model).C).to_float())]
        bound = _Bound(about, model, algorithm, eta, algorithm.on_blocks(MidRadMatrix.enclosing(weight)), parts)
        found = [step for S, X in proposals if (step := bound.upto(S, X, decreasing)) is not None]
    except (SingularMatrixError, np.linalg.LinAlgError, ValueError):
        return None
    return SmallSteps(max(found), proposals[0][1] is None) if found else None


def _parts(
    about: InNumbers[MidRadMatrix], model: Model, algorithm: ScheduleUpdate, eta: Fraction, weight: RationalMatrix
) -> StepParts:
    keys, c = about.keys(model), trace_weights(model.schedule.lambdas)
    Phi, N = keys.Phi, keys.N
    g = N @ Phi - (Phi if keys.mass is None else Phi.scale_rows(keys.mass))
    q = [g.scaled(c[-1])]
    for weight_l in reversed(c[:-1]):
        q.append(g.scaled(weight_l) + N @ q[-1])
    q.reverse()

    def to_come(left: MidRadMatrix, right: MidRadMatrix, mean: MidRadMatrix) -> MidRadMatrix:
        """Y of a product with this mean, states × d × d as (n·d)×d."""
        d = model.d
        rows, columns = (axis.ravel().tolist() for axis in np.indices((d, d)))
        products = left.take(columns=rows).hadamard(right.take(columns=columns))
        Y = about.poisson(products - about.ones @ _shaped(mean, (1, d * d)))
        return _shaped(Y, (model.n * d, d))

    Y = {(TRACE, CHANGE): to_come(Phi, q[0], keys.A)}
    if any((term.a, term.b) == (PHI, PHI) for term in algorithm.terms):
        Y[PHI, PHI] = to_come(Phi, Phi, keys.C)
    J = algorithm.on_blocks(MidRadMatrix.enclosing(weight)) @ algorithm.mean(keys.A, keys.C, eta)
    return StepParts(J, tuple(q), Y, tuple(COVER * abs(float(x)) for x in c))


def _roots(J: Floats, C: Floats) -> list[Floats]:
    """S with SᵀS = X for some X that may fall: the identity, and solutions of Lyapunov's equation."""
    found = [np.eye(len(J))]
    for wanted in (np.eye(len(J)), C):
        X = lyapunov_form(J, wanted)
        if X is not None and np.isfinite(X).all() and np.linalg.eigvalsh(X).min() > 0:
            found.append(np.linalg.cholesky(X / np.abs(X).max()).T)
    return found


@dataclass(frozen=True)
class _Bound:
    """k, τ, g and r of the module's docstring for one S after another. ``W``: TTᵀ on each block."""

    about: InNumbers[MidRadMatrix]
    model: Model
    algorithm: ScheduleUpdate
    eta: Fraction
    W: MidRadMatrix
    parts: StepParts

    @property
    def terms(self) -> list[tuple[ScheduleTerm, float]]:
        """The terms that move differences, with the size of their factor."""
        named = (term for term in self.algorithm.terms if term.b != REWARD)
        return [(term, COVER * abs(float(term.factor * self.eta**term.step))) for term in named]

    def upto(self, S: Floats, X: Floats | None, decreasing: bool) -> Fraction | None:
        """A step up to which X decides (None: SᵀS, stable), or None."""
        D = len(S)
        inverse = MidRadMatrix(S).solve(MidRadMatrix(np.eye(D)))
        form = MidRadMatrix(np.eye(D) if X is None else X)
        falls = form @ (MidRadMatrix(S) @ self.parts.J @ inverse)
        q = _least(falls.scaled(-2 if X is None else 2).symmetric_part())
        size = 1.0 if X is None else COVER * float(spectral_norms(X[None])[0])
        positive = Fraction(1) if X is None else _largest(X)
        if q is None or positive is None:
            return None
        left, right = MidRadMatrix(S) @ self.W, inverse
        k, tau = self._sizes(left, right)
        tau = tau * (COVER * 2 * size * (2 if decreasing else 1))
        inside = np.array(self.about.states)
        g, r = np.zeros(self.model.n), np.zeros(self.model.n)
        for (P, _, _, _, mu), sizes in zip(self.about.outcomes, k, strict=True):
            p = COVER * np.array([float(x) for x in mu])[:, None] * P.upper * (P.largest > 0)
            g += (p * sizes * (2 * tau[None, :] + size * sizes)).sum(axis=1)
            r += (p * sizes**2 * tau[None, :]).sum(axis=1)
        bounds = [COVER * float(x[inside].max()) for x in (g, r, tau)]
        if not (max(bounds) < LARGE and bounds[0] > 0 and q > LOST):
            return None
        first, second, most = map(Fraction, bounds)
        guess = 2 * q / (bounds[0] + float(np.sqrt(bounds[0] ** 2 + 4 * q * bounds[1])))
        if most:
            guess = min(guess, float(positive / most))
        for step in (simple(guess * share) for share in (0.995, 0.97, 0.9)):
            if 0 < step * first + step * step * second < Fraction(q) and step * most < positive:
                return step
        return None

    def _sizes(self, left: MidRadMatrix, right: MidRadMatrix) -> tuple[list[Floats], Floats]:
        """k (n×n for each action taken) and |Ĥ| (n), for a bᵀ ↦ left a (right-row)ᵀ."""
        d, model, about = self.model.d, self.model, self.about
        blocks = range(self.algorithm.blocks)
        cut = [slice(i * d, (i + 1) * d) for i in blocks]
        # one map of features for each block that stands on the left, one for each on the right
        maps = {("a", i): MidRadMatrix(left.mid[:, cut[i]], left.rad[:, cut[i]]).T for i in blocks}
        maps |= {("b", i): MidRadMatrix(right.mid[cut[i]], right.rad[cut[i]]) for i in blocks}
        phi = {at: about.Phi @ into for at, into in maps.items()}
        lags = {at: self._lags(_lengths(rows)) for at, rows in phi.items()}
        ahead = {at: [_lengths(q @ into) for q in self.parts.q] for at, into in maps.items()}
        changes = {at: self._changes(rows) for at, rows in phi.items()}
        zeta = {
            at: sum((c * a for c, a in zip(self.parts.sizes, found, strict=True)), start=np.zeros(model.n))
            for at, found in lags.items()
        }
        k = []
        for place, (_, _, _, ratio, _) in enumerate(about.outcomes):
            rho = np.array([COVER * float(x) for x in ratio])
            total = np.zeros((model.n, model.n))
            for term, factor in self.terms:
                part = np.full((model.n, model.n), factor)
                for kind, at in ((term.a, ("a", term.row)), (term.b, ("b", term.column))):
                    older = rho * zeta[at] if kind == TRACE else lags[at][0]
                    part *= changes[at][place] if kind == CHANGE else older[:, None]
                total += part
            k.append(COVER * total)
        H, far = MidRadMatrix(np.zeros((model.n, len(left.mid) ** 2))), np.zeros(model.n)
        for term, factor in self.terms:
            a, b = ("a", term.row), ("b", term.column)
            Y = self.parts.Y[(PHI, PHI) if term.a == PHI else (TRACE, CHANGE)]
            if term.a == CHANGE:
                Y = _turned(Y, d)
                far += factor * sum(x * y for x, y in zip(ahead[a][1:], lags[b][1:], strict=True))
            elif term.a == TRACE:
                far += factor * sum(x * y for x, y in zip(lags[a][1:], ahead[b][1:], strict=True))
            D = len(left.mid)
            moved = _turned(_turned(Y @ maps[b], d) @ maps[a], D)  # left Y(s) right, by states
            H = H + _shaped(moved, (model.n, D * D)).scaled(term.factor * self.eta**term.step)
        inside = np.array(about.states)
        middle = (H.mid[inside].max(axis=0) + H.mid[inside].min(axis=0)) / 2
        H = H - MidRadMatrix(np.ones((model.n, 1))) @ MidRadMatrix(middle[None])  # T is free up to one matrix
        D = len(left.mid)
        near = spectral_norms(H.mid.reshape(-1, D, D)) + COVER * np.sqrt((H.rad**2).sum(axis=1))
        return k, COVER * (near + far)

    def _lags(self, newest: Floats) -> list[Floats]:
        """Bounds of |a_0|, …, |a_L| in every state, from those of |φ(s)|."""
        found, inside = [newest], np.array(self.about.states)
        for _ in self.parts.sizes[1:]:
            most = np.zeros_like(newest)
            for P, _, gamma, ratio, mu in self.about.outcomes:
                rho = np.array([float(x) if m else 0.0 for x, m in zip(ratio, mu, strict=True)])
                reached = np.where(P.largest > 0, gamma.largest * (rho * found[-1])[:, None], 0.0)
                most = np.maximum(most, reached[inside].max(axis=0))
            found.append(COVER * most)
        return found

    def _changes(self, phi: MidRadMatrix) -> list[Floats]:
        """|Γφ' − φ| for each action taken (n×n)."""
        products = phi @ phi.T
        squares = _shaped(MidRadMatrix(products.mid.diagonal(), products.rad.diagonal()), (1, self.model.n))
        here, ones = squares.T @ self.about.ones.T, self.about.ones
        found = []
        for _, _, gamma, _, _ in self.about.outcomes:
            square = gamma.hadamard(gamma).hadamard(ones @ squares) - gamma.hadamard(products).scaled(2) + here
            found.append(COVER * np.sqrt(np.maximum(square.upper, 0.0)))
        return found


def _shaped(matrix: MidRadMatrix, shape: tuple[int, int]) -> MidRadMatrix:
    return MidRadMatrix(matrix.mid.reshape(shape), matrix.rad.reshape(shape))


def _turned(blocks: MidRadMatrix, rows: int) -> MidRadMatrix:
    """Each block of so many rows transposed."""
    parts = [x.reshape(-1, rows, x.shape[1]).transpose(0, 2, 1) for x in (blocks.mid, blocks.rad)]
    return MidRadMatrix(*(part.reshape(-1, rows) for part in parts))


def _lengths(rows: MidRadMatrix) -> Floats:
    """The norm of each row, from above."""
    return np.asarray(COVER * np.sqrt((rows.largest**2).sum(axis=1)))


def _least(S: MidRadMatrix) -> float | None:
    """A q > 0 with S ⪰ q I, or None."""
    value = float(np.linalg.eigvalsh(S.mid).min())
    for share in (0.99, 0.9, 0.5):
        q = value * share
        if q > 0 and positive_definite(S - MidRadMatrix(q * np.eye(len(S.mid))), "").holds:
            return q
    return None


def _largest(X: Floats) -> Fraction | None:
    """A positive number that vᵀXv/|v|² exceeds for some v, in fractions; None if floats find no v."""
    values, vectors = np.linalg.eigh(X)
    v = [Fraction(float(x)) for x in vectors[:, -1]]
    exact = [[Fraction(float(x)) for x in row] for row in X]
    form = sum((a * x * b for a, row in zip(v, exact, strict=True) for x, b in zip(row, v, strict=True)), Fraction(0))
    return form / sum((a * a for a in v), Fraction(0)) * Fraction(99, 100) if form > 0 and values[-1] > 0 else None


# ---- growth along a cycle -----------------------------------------------------------------------------------


def growing_cycle(
    model: Model,
    algorithm: ScheduleUpdate,
    eta: Fraction,
    states: Sequence[int],
    weight: RationalMatrix,
) -> Cycle | None:
    """The smallest step found at which the mean square grows along a cycle of one or two states; None where none is."""
    found = [cycle for path in _paths(model, states) if (cycle := _grows_along(path, model, algorithm, eta, weight))]
    return min(found, key=lambda cycle: cycle.alpha, default=None)


def grows_at(
    model: Model,
    algorithm: ScheduleUpdate,
    eta: Fraction,
    states: Sequence[int],
    weight: RationalMatrix,
    alpha: Fraction,
) -> bool:
    """Whether the mean square grows along one of the cycles of :func:`growing_cycle` at a step."""
    return any(grows_along(path, alpha, model, algorithm, eta, weight) for path in _paths(model, states))


def grows_along(
    path: Sequence[tuple[int, int]],
    alpha: Fraction,
    model: Model,
    algorithm: ScheduleUpdate,
    eta: Fraction,
    weight: RationalMatrix,
) -> bool:
    """Whether p·radius(B)² > 1 is shown for a cycle of (state, action) at a step, in fractions."""
    return _grows_at(alpha, *_moves(path, model, algorithm, eta, weight))


def _grows_at(alpha: Fraction, chance: Fraction, moves: Sequence[RationalMatrix]) -> bool:
    D = moves[0].shape[0]
    power, m = moves[0].identity(D), 1
    for K in moves:
        power = (K.identity(D) + K.scaled(alpha)) @ power
    for wanted in POWERS:
        while m < wanted:
            power, m = power @ power, 2 * m
        trace = power.trace() / D
        if chance**m * trace * trace > 1:
            return True
    return False


def _grows_along(
    path: Sequence[tuple[int, int]], model: Model, algorithm: ScheduleUpdate, eta: Fraction, weight: RationalMatrix
) -> Cycle | None:
    """At the smallest of a geometric row of steps, which floats begin."""
    chance, moves = _moves(path, model, algorithm, eta, weight)
    floats = [K.to_float() for K in moves]

    def radius(alpha: float) -> float:
        B = np.eye(len(floats[0]))
        for K in floats:
            B = (np.eye(len(B)) + alpha * K) @ B
        return float(chance) * float(np.abs(np.linalg.eigvals(B)).max()) ** 2

    size = max(float(np.abs(K).max()) for K in floats)
    if size == 0:
        return None
    steps = [2.0**k / size for k in range(-10, RAISED)]
    above = next((k for k, alpha in enumerate(steps) if radius(alpha) > 1), None)
    if above is None:
        return None
    low, high = steps[max(0, above - 1)], steps[above]
    for _ in range(8):
        middle = (low + high) / 2
        low, high = (low, middle) if radius(middle) > 1 else (middle, high)
    for k in range(8):
        alpha = simple(high * 1.02 * 1.15**k)
        if _grows_at(alpha, chance, moves):
            return Cycle(alpha, tuple(path))
    return None


def _moves(
    path: Sequence[tuple[int, int]], model: Model, algorithm: ScheduleUpdate, eta: Fraction, weight: RationalMatrix
) -> tuple[Fraction, list[RationalMatrix]]:
    """The probability of a cycle, and K of its transitions after it has been walked for ever: on the features that are
    not zero in all of its states, where the others neither move nor matter, as W = I.
    """
    c, length = trace_weights(model.schedule.lambdas), len(path)
    rows = [np.array(model.features.rows[s], dtype=object) for s, _ in path]
    if weight == weight.identity(model.d):
        seen = [j for j in range(model.d) if any(row[j] for row in rows)] or [0]
        rows, weight = [row[seen] for row in rows], weight.take(seen, seen)
    d = len(rows[0])
    D = algorithm.blocks * d
    chance, ratios, discounts = Fraction(1), [], []
    for place, (s, action) in enumerate(path):
        after, mu = path[(place + 1) % length][0], model.behaviour[s, action]
        chance *= mu * model.transitions[action][s, after]
        ratios.append(model.target[s, action] / mu if algorithm.off_policy else Fraction(1))
        table = model.discounts[action].rows[s]
        discounts.append(table[after if len(table) > 1 else 0])
    W, moves = algorithm.on_blocks(weight), []
    for place in range(length):
        z, factor = np.full(d, Fraction(0), dtype=object), Fraction(1)
        for lag, weight_l in enumerate(c):
            if lag:
                factor *= ratios[(place - lag) % length] * discounts[(place - lag) % length]
            z = z + weight_l * factor * rows[(place - lag) % length]
        here, following = rows[place], rows[(place + 1) % length]
        given = [x[None] for x in (ratios[place] * z, discounts[place] * following - here, here)]
        U, V = algorithm.matrices(given[0], given[1], given[2], np.array([Fraction(0)], dtype=object))
        moves.append(W @ RationalMatrix((U[0, :D, :D] + eta * V[0, :D, :D]).tolist()))
    return chance, moves


def _paths(model: Model, states: Sequence[int]) -> list[tuple[tuple[int, int], ...]]:
    """The loop and the pair of states along which TD grows at the smallest steps, as floats see it."""
    n, Phi = model.n, model.features.to_float()
    chance, growth = np.zeros((n, n)), np.zeros((n, n))
    action = np.zeros((n, n), dtype=int)
    products, best = Phi @ Phi.T, np.full((n, n), -1.0)
    for a, P in enumerate(model.transitions):
        mu, pi = (np.array([float(x) for x in policy.column_entries(a)]) for policy in (model.behaviour, model.target))
        rho = np.divide(pi, mu, out=np.zeros_like(mu), where=mu > 0)
        p = mu[:, None] * P.to_float()
        better = (p > 0) & (p * rho[:, None] ** 2 > best)
        best, action = np.where(better, p * rho[:, None] ** 2, best), np.where(better, a, action)
        chance = np.where(better, p, chance)
        growth = np.where(better, rho[:, None], growth)
    found: list[tuple[tuple[int, int], ...]] = []
    inside, square = np.array(states), np.asarray(products.diagonal())
    gamma = max((float(x) for table in model.discounts for row in table.rows for x in row), default=1.0)
    weights = [float(c) * gamma**k for k, c in enumerate(trace_weights(model.schedule.lambdas))]
    even, odd = sum(weights[::2]), sum(weights[1::2])
    loops = chance.diagonal() * (growth.diagonal() * square) ** 2
    alone = int(inside[np.argmax(loops[inside])])
    if chance[alone, alone] > 0:
        found.append(((alone, int(action[alone, alone])),))
    # x_1ᵀz_2 and x_2ᵀz_1 of s → t → s, as if all ratios were one
    one = growth * (even * (gamma * square[None, :] - products) + odd * (gamma * products - square[:, None]))
    pairs = chance * chance.T * (one * one.T) ** 2
    np.fill_diagonal(pairs, 0.0)
    one_state, other = (
        int(inside[k]) for k in np.unravel_index(np.argmax(pairs[np.ix_(inside, inside)]), (len(inside),) * 2)
    )
    if one_state != other and pairs[one_state, other] > 0:
        there, back = int(action[one_state, other]), int(action[other, one_state])
        found.append(((one_state, there), (other, back)))
    return found
