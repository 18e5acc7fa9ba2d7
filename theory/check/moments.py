r"""The law of the iterates at a finite time, exactly propagated; and the mean and covariance of one update.

**Finite time.** Let y = (θ, 1) for TD, (θ, w, 1) for GTD and TDC. Along a path every update is linear,
y_{t+1} = B_t y_t with B_t = I + α_t U_t + β_t V_t, where U_t, V_t depend on the window (the last L + 1
states, what was done in them, and s_{t+1}) and not on y: a Markov jump linear system. So with h the part of
the window that the next step still needs, Y_t(h) = E[y_t y_tᵀ 1{window = h}] obeys

    Y_{t+1}(h') = Σ_{h → h'} p(h → h') B Y_t(h) Bᵀ,

and Σ_h Y_t(h) holds E θ_t, E w_t and all second moments. The same recursion for q = the distinct entries of y
yᵀ gives fourth moments, so that the variance of an empirical covariance is known exactly too.

The window is kept as s_t and the pairs (s_{t−k}, p_k), p_k = Π_{i=t−k}^{t−1} ρ_i Γ_i, newest first, cut where
p_k = 0 or c_k = 0 from there on: that is all the trace depends on. A window near the start is shorter, and
behaves like one that was cut, so t = 0 needs no special case. Only reachable windows are built.

**Rounding.** One step is a sum of products of at most m = 4(D + 1) + degree + 12 roundings in a chain (B is
built from exact U, V, each rounded once; D + 1 is the width of y, degree the most windows that lead into one;
for fourth moments the width of q, and 4 more). So with γ_m = m u/(1 − m u), u = 2^-53, B̄ = I + α|U| + β|V|
and Ŷ the computed moments, the error is bounded by (Higham, *Accuracy and Stability of Numerical Algorithms*,
2002, §3.1)

    E_{t+1}(h') = Σ_{h → h'} p (|B| E_t(h) |B|ᵀ + γ_m B̄ (|Ŷ_t(h)| + E_t(h)) B̄ᵀ),

propagated alongside; its own rounding, far below 2^-20 of it, is covered by a factor. ``exact=True`` runs the
same lines on fractions, without bounds.

**One update.** In the stationary regime the mean and the covariance of one increment at a fixed (θ, w) are
found for models of any size: they need u_s = E[1{s_t = s} z̃] and U_s = E[1{s_t = s} z̃ z̃ᵀ] of the trace
without its last ρ_t,

    z̃_t = Σ_{k=0}^L c_k p_k φ(s_{t−k}),

and E[1{s_t = s} p_j p_k φ_{t−j} φ_{t−k}ᵀ] for j ≤ k is: k − j steps of the kernel N (ρΓ-weighted, once), then
j steps of the kernel N₂ (weighted with (ρΓ)²). Horner's rule in N₂ makes that L products with an n×n matrix.

Sources: X_t, A(X_t), b(X_t) in §4; updates (tdLambdaSchedule), (offPolicy_z), (GTDLambdaSchedule),
(TDCLambdaScehdule).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from theory.errors import BudgetExceededError, InputError
from theory.model.key_matrices import behaviour_matrices
from theory.model.mdp import Model
from theory.model.schedule import trace_weights

Array = NDArray[Any]
"""A float64 array, or an object array of fractions where ``exact`` was asked for."""

ALGORITHMS = ("td", "off_policy_td", "gtd", "tdc")

MAX_TRANSITIONS = 40_000
"""Most window transitions that are built (about ten seconds)."""

MAX_ENTRIES = 20_000_000
"""Most matrix entries held at a time (160 MB of floats)."""

MAX_WORK = 2e11
"""Most multiplications for one propagation (minutes)."""

COVER = 1 + 2.0**-20
"""Covers the rounding of an error bound itself, a sum of non-negative terms."""

OVERFLOW = 1e150
"""Mean iterates beyond this are reported as infinite; second and fourth moments beyond it are refused."""

StepSizes = tuple[Sequence[Any] | Array, Sequence[Any] | Array]
"""α_0, α_1, … and β_0, β_1, … (β is not read by TD)."""


def gamma(m: int) -> float:
    """γ_m = m u/(1 − m u) with u = 2^-53: the relative error of a chain of m operations."""
    return m * 2.0**-53 / (1 - m * 2.0**-53)


@dataclass(frozen=True)
class WindowChain:
    """The reachable windows and the transitions between them, sorted by the window they lead to.

    ``windows``: (state, ((earlier state, product), …)) each; ``source``, ``target`` (E) indices of windows;
    ``probability`` (E); ``U``, ``V``: E×(D+1)×(D+1) fractions; ``start``: law over the windows.
    ``U_plain``, ``V_plain``: the same with every input replaced by its magnitude and every minus by a plus.
    """

    windows: tuple[Any, ...]
    source: NDArray[np.int64]
    target: NDArray[np.int64]
    probability: Array
    U: Array
    V: Array
    U_plain: Array
    V_plain: Array
    start: Array

    @property
    def width(self) -> int:
        """D + 1, the length of y."""
        return int(self.U.shape[1])

    @property
    def degree(self) -> int:
        """The most transitions that lead into one window."""
        return int(np.bincount(self.target).max())


def window_chain(model: Model, algorithm: str, start: Sequence[Fraction]) -> WindowChain:
    """The window chain from the start law ``start`` (n rationals). A finite schedule is needed.

    Raises :class:`InputError` for an unknown algorithm, a start of the wrong length or a schedule without
    end, and :class:`BudgetExceededError` beyond :data:`MAX_TRANSITIONS`, before any matrix is built.
    """
    _require(model, algorithm)
    if len(start) != model.n or sum(start) != 1 or any(p < 0 for p in start):
        raise InputError(f"the start law must be {model.n} non-negative rationals that sum to one")
    c = trace_weights(model.schedule.lambdas)
    while len(c) > 1 and c[-1] == 0:
        c.pop()
    phi = model.features.rows
    outcomes = _outcomes(model, importance=algorithm != "td")
    windows: dict[Any, int] = {(s, ()): i for i, s in enumerate(s for s in range(model.n) if start[s] > 0)}
    frontier, moves = list(windows), []
    while frontier:
        window = frontier.pop()
        s, past = window
        for outcome in outcomes[s]:
            _, after, _, discount, rho = outcome
            products = ((state, product * rho * discount) for state, product in ((s, Fraction(1)), *past))
            following = (after, tuple((state, p) for state, p in products if p != 0)[: len(c) - 1])
            if following not in windows:
                windows[following] = len(windows)
                frontier.append(following)
            moves.append((window, following, outcome))
            if len(moves) > MAX_TRANSITIONS:
                raise BudgetExceededError(
                    f"the window chain has more than {MAX_TRANSITIONS} transitions; propagating moments "
                    "needs fewer states and actions or a shorter schedule"
                )
    edges = []
    for (s, past), following, (p, after, reward, discount, rho) in moves:
        weights = [rho, *(rho * c[k] * product for k, (_, product) in enumerate(past, start=1))]
        vectors = [phi[s], *(phi[j] for j, _ in past)]
        signed = (_combine(weights, vectors), phi[s], phi[after], reward, discount, Fraction(-1))
        plain = (
            _combine(_magnitudes(weights), [_magnitudes(v) for v in vectors]),
            _magnitudes(phi[s]), _magnitudes(phi[after]), abs(reward), discount, Fraction(1),
        )  # fmt: skip
        U, V = _update_matrices(algorithm, *signed)
        edges.append((windows[s, past], windows[following], p, U, V, *_update_matrices(algorithm, *plain)))
    edges.sort(key=lambda edge: edge[1])
    law = np.array([Fraction(0)] * len(windows), dtype=object)
    for (s, past), index in windows.items():
        if not past and start[s] > 0:
            law[index] = Fraction(start[s])
    source, target, probability, *matrices = zip(*edges, strict=True)
    U, V, U_plain, V_plain = (np.array(column, dtype=object) for column in matrices)
    return WindowChain(
        tuple(windows), np.array(source), np.array(target), np.array(probability, dtype=object),
        U, V, U_plain, V_plain, law,
    )  # fmt: skip


@dataclass(frozen=True)
class Moments:
    """Moments of y = (θ, 1) or (θ, w, 1) after ``t`` updates.

    ``second`` = E[y yᵀ], (D+1)×(D+1). ``fourth`` = E[q qᵀ] for q the entries of y yᵀ on and above the
    diagonal, row by row (None unless order 4 was asked for). ``second_rounding``, ``fourth_rounding``: bounds
    on the float errors of each entry (None when exact).
    """

    t: int
    second: Array
    fourth: Array | None = None
    second_rounding: Array | None = None
    fourth_rounding: Array | None = None

    @property
    def mean(self) -> Array:
        """E (θ_t, w_t), length D."""
        return np.asarray(self.second[:-1, -1])

    @property
    def covariance(self) -> Array:
        """Cov (θ_t, w_t), D×D."""
        return np.asarray(self.second[:-1, :-1] - np.outer(self.mean, self.mean))

    def products_about(self, center: Array) -> tuple[Array, Array, Array, Array]:
        """Mean and variance of q_c, the products (y_i − c_i)(y_j − c_j), i ≤ j ≤ D, with rounding bounds of
        both.

        Each has length D(D + 1)/2. Needs fourth moments. Shifting by ``center`` is one more linear map of y,
        whose roundings (at most 4·width + 8 in a chain for q qᵀ) are added to the bounds.
        """
        if self.fourth is None or self.fourth_rounding is None:
            raise ValueError("the variance of products needs moments of order 4")
        width = len(center) + 1
        shift = np.eye(width)
        shift[:-1, -1] = -np.asarray(center, dtype=np.float64)
        lift, lift_plain = _lift(shift[None])[0], _lift(np.abs(shift)[None])[0]
        local = gamma(4 * len(lift) + 8)
        Q = lift @ self.fourth @ lift.T
        error = lift_plain @ self.fourth_rounding @ lift_plain.T
        error = error + local * (lift_plain @ (np.abs(self.fourth) + self.fourth_rounding) @ lift_plain.T)
        keep = [k for k, (_, j) in enumerate(_pairs(width)) if j < width - 1]
        mean, mean_error = Q[keep, -1], error[keep, -1]
        variance = np.diag(Q)[keep] - mean**2
        slack = np.diag(error)[keep] + 2 * np.abs(mean) * mean_error + mean_error**2
        slack = slack + gamma(4) * (np.diag(Q)[keep] + mean**2)
        return mean, variance, mean_error, slack


def finite_time_moments(
    model: Model,
    algorithm: str,
    step_sizes: StepSizes,
    times: Sequence[int],
    *,
    start: Sequence[Fraction],
    theta0: Sequence[Any] | None = None,
    w0: Sequence[Any] | None = None,
    order: int = 2,
    exact: bool = False,
    chain: WindowChain | None = None,
) -> list[Moments]:
    """The moments of (θ_t, w_t) at the increasing ``times``, from s_0 ~ ``start`` and fixed θ_0, w_0 (default
    zero).

    ``order`` 2 or 4; ``exact``: in fractions (tiny models; step sizes must be rational), without bounds.
    ``chain``: the window chain where it is at hand. Raises :class:`InputError` and
    :class:`BudgetExceededError` as :func:`window_chain`, the latter also beyond :data:`MAX_WORK`
    multiplications and where moments pass :data:`OVERFLOW`.
    """
    chain = chain or window_chain(model, algorithm, start)
    width = chain.width
    size = width if order == 2 else width * (width + 1) // 2
    work = len(chain.source) * times[-1] * 4.0 * size**3
    if work > MAX_WORK or len(chain.source) * size**2 > MAX_ENTRIES:
        raise BudgetExceededError(
            f"propagating {len(chain.source)} window transitions over {times[-1]} steps takes {work:.1g} "
            f"multiplications; at most {MAX_WORK:.1g}, and {MAX_ENTRIES} matrix entries, are spent"
        )
    y0 = np.array([*(theta0 or [0] * model.d), *([] if _is_td(algorithm) else w0 or [0] * model.d), 1], dtype=object)
    if len(y0) != width:
        raise InputError(f"θ_0 and w_0 must have {model.d} entries each")
    found = []
    for t, (value, error) in zip(times, _propagate(chain, step_sizes, times, y0, order, exact), strict=True):
        if order == 2:
            found.append(Moments(t, value, second_rounding=error))
        else:
            second = _unpack(value[:, -1], width)
            second_error = None if error is None else _unpack(error[:, -1], width)
            found.append(Moments(t, second, value, second_error, error))
    return found


def _propagate(
    chain: WindowChain, step_sizes: StepSizes, times: Sequence[int], y0: Array, order: int, exact: bool
) -> list[tuple[Array, Array | None]]:
    """Σ_h Y_t(h) at the times, with a bound on the error of each entry (None when exact)."""
    kind = object if exact else np.float64
    U, V = chain.U.astype(kind), chain.V.astype(kind)
    weight = chain.probability.astype(kind)[:, None, None]
    eye = np.array([[Fraction(int(i == j)) for j in range(chain.width)] for i in range(chain.width)])
    eye = eye.astype(kind)
    y = y0.astype(kind)
    if order == 4:
        y = np.array([y[i] * y[j] for i, j in _pairs(chain.width)], dtype=kind)
    Y = chain.start.astype(kind)[:, None, None] * np.outer(y, y)[None]
    # y_0 and the start law are rounded once; q qᵀ takes four entries of y_0
    error = None if exact else gamma(8) * np.abs(Y)
    step = gamma(4 * len(y) + chain.degree + 16)
    arrivals, first = np.unique(chain.target, return_index=True)

    def arrive(values: Array, B: Array) -> Array:
        moved = weight * (B @ values[chain.source] @ B.transpose(0, 2, 1))
        gathered = np.zeros_like(values)
        gathered[arrivals] = np.add.reduceat(moved, first, axis=0)
        return gathered

    found: list[tuple[Array, Array | None]] = []
    wanted = list(times)
    for t in range(times[-1] + 1):
        if wanted and wanted[0] == t:
            total = None
            if error is not None:
                total = COVER * (error.sum(axis=0) + gamma(len(Y)) * np.abs(Y).sum(axis=0))
            found.append((Y.sum(axis=0), total))
            wanted.pop(0)
        if t == times[-1]:
            break
        alpha, beta = step_sizes[0][t], step_sizes[1][t]
        B = eye + alpha * U + beta * V
        if error is not None:
            if float(np.abs(Y).max()) > OVERFLOW:
                raise BudgetExceededError(
                    f"the moments pass {OVERFLOW:g} by t = {t}, too much for floats: "
                    "ask for an earlier time or smaller steps"
                )
            plain = eye + abs(alpha) * np.abs(U) + abs(beta) * np.abs(V)
            B, plain = (_lift(B), _lift(plain)) if order == 4 else (B, plain)
            error = arrive(error, np.abs(B)) + step * arrive(np.abs(Y) + error, plain)
        elif order == 4:
            B = _lift(B)
        Y = arrive(Y, B)
    return found


@dataclass(frozen=True)
class Convergence:
    """‖E θ_t − θ*‖₂ at the asked times: a series to plot. Infinite where the mean passed 1e150."""

    times: tuple[int, ...]
    distance: tuple[float, ...]


def convergence_series(
    model: Model,
    algorithm: str,
    step_sizes: StepSizes,
    times: Sequence[int],
    *,
    start: Sequence[Fraction],
    theta0: Sequence[float] | None = None,
) -> Convergence:
    """How far E θ_t is from θ* = −A⁻¹b at the increasing ``times``, from s_0 ~ ``start`` and w_0 = 0.

    A deterministic computation (only the mean is propagated). θ* is that of the behaviour: A, b through the
    covered kernel on the only recurrent class. Raises SingularMatrixError where A is singular,
    :class:`InputError` with several classes.
    """
    classes = model.behaviour_chain.recurrent_classes
    if len(classes) != 1:
        raise InputError(f"the behaviour chain has {len(classes)} recurrent classes, so there is no single θ*")
    theta_star = behaviour_matrices(model, classes[0]).theta_star.to_float()[:, 0]
    chain = window_chain(model, algorithm, start)
    width, count = chain.width, len(chain.windows)
    rows, columns = np.indices((width, width)).reshape(2, -1)
    row = (chain.target[:, None] * width + rows).ravel()
    column = (chain.source[:, None] * width + columns).ravel()
    p = chain.probability.astype(np.float64)[:, None]

    def operator(entries: Array) -> Any:
        values = (p * entries.astype(np.float64).reshape(len(p), -1)).ravel()
        made = csr_array((values, (row, column)), shape=(count * width, count * width))
        made.eliminate_zeros()
        return made

    hold = operator(np.broadcast_to(np.eye(width), chain.U.shape))
    up, correct = operator(chain.U), operator(chain.V)
    y0 = np.zeros(width)
    y0[-1] = 1.0
    y0[: model.d] = 0.0 if theta0 is None else np.asarray(theta0, dtype=np.float64)
    y = np.outer(chain.start.astype(np.float64), y0).ravel()
    wanted, distances = set(times), []
    for t in range(times[-1] + 1):
        if t in wanted:
            mean = y.reshape(count, width)[:, : model.d].sum(axis=0)
            distances.append(float(np.linalg.norm(mean - theta_star)) if np.abs(y).max() < OVERFLOW else float("inf"))
        if t == times[-1] or np.abs(y).max() >= OVERFLOW:
            break
        y = hold @ y + float(step_sizes[0][t]) * (up @ y) + float(step_sizes[1][t]) * (correct @ y)
    distances += [float("inf")] * (len(times) - len(distances))
    return Convergence(tuple(times), tuple(distances))


@dataclass(frozen=True)
class IncrementMoments:
    """Stationary mean (D) and covariance (D×D) of the increment of (θ, w) for α = β = 1, with rounding
    bounds.

    D = d for TD, 2d for GTD and TDC (θ first).
    """

    mean: NDArray[np.float64]
    covariance: NDArray[np.float64]
    mean_rounding: NDArray[np.float64]
    covariance_rounding: NDArray[np.float64]


def increment_moments(
    model: Model,
    algorithm: str,
    theta: Sequence[float] | NDArray[np.float64],
    w: Sequence[float] | NDArray[np.float64] | None = None,
    states: Sequence[int] | None = None,
) -> IncrementMoments:
    """One update at fixed (θ, w) (w = 0 unless given) in the stationary regime of a recurrent class (None:
    the only one).

    At θ* and w = 0 the mean is zero, and the covariance is E[δ_t² z_t z_tᵀ]. Raises :class:`InputError` for a
    schedule without end, several classes and none named, and :class:`BudgetExceededError` beyond
    :data:`MAX_ENTRIES` entries in n×d×d.
    """
    _require(model, algorithm)
    if model.n * model.d**2 > MAX_ENTRIES:
        raise BudgetExceededError(
            f"the trace's second moments have {model.n * model.d**2} entries; at most {MAX_ENTRIES}"
        )
    chain = model.behaviour_chain
    if states is None:
        if len(chain.recurrent_classes) != 1:
            raise InputError(f"the chain has {len(chain.recurrent_classes)} recurrent classes; say which one is meant")
        states = chain.recurrent_classes[0]
    d = chain.stationary_law(tuple(states)).to_float()[:, 0]
    at = (
        np.asarray(theta, dtype=np.float64),
        np.zeros(model.d) if w is None else np.asarray(w, dtype=np.float64),
    )
    mean, second = _increment(model, algorithm, d, *at, plain=False)
    mean_plain, second_plain = _increment(model, algorithm, d, *at, plain=True)
    # Longest chain of roundings: two traces (each L steps of ≤ n + 3 with weights c_k), two updates of
    # width ≤ 2d, the sum over outcomes; rounded up, since γ_m only has to be far below a standard error.
    L = len(model.schedule.lambdas)
    m = 4 * (L + 1) * (model.n + L + 6) + 8 * (model.d + 6) + model.n * model.n * len(model.actions)
    g = gamma(m)
    covariance = second - np.outer(mean, mean)
    return IncrementMoments(
        mean,
        covariance,
        g * mean_plain,
        g * second_plain + gamma(m * 2 + 4) * np.outer(mean_plain, mean_plain),
    )


def _increment(model: Model, algorithm: str, law: Array, theta: Array, w: Array, plain: bool) -> tuple[Array, Array]:
    """Mean and second moment of the increment; ``plain``: with magnitudes everywhere."""
    n, d = model.n, model.d
    size = np.abs if plain else np.asarray
    minus = 1.0 if plain else -1.0
    Phi, theta, w = size(model.features.to_float()), size(theta), size(w)
    c = size(np.array([float(x) for x in trace_weights(model.schedule.lambdas)]))
    origin, arrival, p, reward, discount, rho = _outcome_arrays(model, importance=algorithm != "td")
    reward = size(reward)
    N, N2 = np.zeros((n, n)), np.zeros((n, n))
    np.add.at(N, (origin, arrival), p * rho * discount)
    np.add.at(N2, (origin, arrival), p * (rho * discount) ** 2)
    # H[m](s) = E[1{s_t = s} p_m φ(s_{t−m})]; u = Σ c_m H[m]
    H = [law[:, None] * Phi]
    for _ in range(len(c) - 1):
        H.append(N.T @ H[-1])
    u = sum((c[m] * H[m] for m in range(len(c))), start=np.zeros((n, d)))
    flat = np.zeros((n, d * d))
    for j in reversed(range(len(c))):
        older = sum((c[j] * c[j + m] * H[m] for m in range(1, len(c) - j)), start=np.zeros((n, d)))
        pair = np.einsum("si,sj->sij", older, Phi)
        own = c[j] ** 2 * law[:, None, None] * np.einsum("si,sj->sij", Phi, Phi)
        flat = (own + pair + pair.transpose(0, 2, 1)).reshape(n, d * d) + N2.T @ flat
    second = flat.reshape(n, d, d)
    # the increment after outcome o is F_o z̃ + g_s
    width = d if _is_td(algorithm) else 2 * d
    total, products = np.zeros(width), np.zeros((width, width))
    eye = np.eye(d)
    for s in range(n):
        here = np.flatnonzero(origin == s)
        if law[s] == 0 or len(here) == 0:
            continue
        x = discount[here, None] * Phi[arrival[here]] + minus * Phi[s]
        value = discount[here] * (Phi[arrival[here]] @ theta) + minus * (Phi[s] @ theta)
        delta = reward[here] + value
        up = (rho[here] * delta)[:, None, None] * eye
        across = minus * rho[here, None, None] * x[:, :, None] * w
        fixed = minus * Phi[s] * (Phi[s] @ w)
        blocks = {"td": [up], "off_policy_td": [up], "gtd": [across, up], "tdc": [up + across, up]}[algorithm]
        F = np.concatenate(blocks, axis=1)
        g = np.concatenate({"gtd": [0 * fixed, fixed], "tdc": [fixed, fixed]}.get(algorithm, [0 * fixed]))
        q = p[here]
        mean_F = np.tensordot(q, F, axes=1)
        total += mean_F @ u[s] + law[s] * g
        cross = np.outer(mean_F @ u[s], g)
        products += np.tensordot(q, F @ second[s] @ F.transpose(0, 2, 1), axes=1) + cross + cross.T
        products += law[s] * np.outer(g, g)
    return total, products


# ---- shared pieces --------------------------------------------------------------------------------


def _is_td(algorithm: str) -> bool:
    return algorithm in ("td", "off_policy_td")


def _require(model: Model, algorithm: str) -> None:
    if algorithm not in ALGORITHMS:
        raise InputError(f"there is no algorithm '{algorithm}'; give one of {', '.join(ALGORITHMS)}")
    if algorithm == "td" and not model.is_on_policy:
        raise InputError("on-policy TD ignores the target policy; give a model with equal policies, or off_policy_td")
    if not model.schedule.is_finite:
        raise InputError("a constant λ without end has no finite window; give the schedule a length")


def _outcomes(model: Model, importance: bool) -> list[list[tuple[Fraction, int, Fraction, Fraction, Fraction]]]:
    """For each state (probability, next state, reward, discount, ρ) of every action and successor under μ."""
    found = []
    for s in range(model.n):
        here = []
        for a, mu in enumerate(model.behaviour.rows[s]):
            if mu == 0:
                continue
            rho = model.target.rows[s][a] / mu if importance else Fraction(1)
            rewards, discounts = model.rewards[a].rows[s], model.discounts[a].rows[s]
            for after, p in enumerate(model.transitions[a].rows[s]):
                if p > 0:
                    reward = rewards[after if len(rewards) > 1 else 0]
                    here.append((mu * p, after, reward, discounts[after if len(discounts) > 1 else 0], rho))
        found.append(here)
    return found


def _outcome_arrays(model: Model, importance: bool) -> tuple[Array, ...]:
    """The outcomes of all states as flat arrays: state, next state, probability, reward, discount, ρ."""
    rows = [(s, *outcome) for s, here in enumerate(_outcomes(model, importance)) for outcome in here]
    origin, p, arrival, reward, discount, rho = (np.array([row[k] for row in rows]) for k in range(6))
    numbers = (column.astype(np.float64) for column in (p, reward, discount, rho))
    return origin.astype(np.int64), arrival.astype(np.int64), *numbers


def _update_matrices(
    algorithm: str,
    z: Sequence[Fraction],
    phi: Sequence[Fraction],
    phi_next: Sequence[Fraction],
    reward: Fraction,
    discount: Fraction,
    minus: Fraction,
) -> tuple[Array, Array]:
    """U and V of one transition; ``minus`` = +1 turns every subtraction into an addition."""
    d = len(phi)
    x = [discount * after + minus * here for after, here in zip(phi_next, phi, strict=True)]
    width = d + 1 if _is_td(algorithm) else 2 * d + 1
    U = np.array([[Fraction(0)] * width for _ in range(width)], dtype=object)
    V = U.copy()
    zx, xz, gram = _outer(z, x), _outer(x, z), _outer(phi, phi)
    zr = [reward * entry for entry in z]
    if algorithm == "gtd":
        U[:d, d : 2 * d] = minus * xz  # (φ_t − γφ_{t+1}) z_tᵀ w
    else:
        U[:d, :d], U[:d, -1] = zx, zr  # δ_t z_t
    if algorithm == "tdc":
        U[:d, d : 2 * d] = minus * (xz + gram)  # −((γφ_{t+1} − φ_t) z_tᵀ + φ_t φ_tᵀ) w
    if not _is_td(algorithm):
        V[d : 2 * d, :d], V[d : 2 * d, d : 2 * d], V[d : 2 * d, -1] = zx, minus * gram, zr
    return U, V


def _outer(a: Sequence[Fraction], b: Sequence[Fraction]) -> Array:
    return np.array([[p * q for q in b] for p in a], dtype=object)


def _combine(weights: Sequence[Fraction], vectors: Sequence[Sequence[Fraction]]) -> list[Fraction]:
    return [
        sum((c * v for c, v in zip(weights, column, strict=True)), Fraction(0)) for column in zip(*vectors, strict=True)
    ]


def _magnitudes(vector: Sequence[Fraction]) -> tuple[Fraction, ...]:
    return tuple(abs(x) for x in vector)


def _pairs(width: int) -> list[tuple[int, int]]:
    """The places (i, j), i ≤ j, of q, row by row; the last one is (width − 1, width − 1), where y yᵀ is 1."""
    return [(i, j) for i in range(width) for j in range(i, width)]


def _lift(B: Array) -> Array:
    """The map of q that y → B y induces: (B y)_i (B y)_j in terms of the y_k y_l with k ≤ l; shape (E, size,
    size)."""
    i, j = np.array(_pairs(B.shape[1])).T
    product = B[:, i][:, :, i] * B[:, j][:, :, j]
    swapped = B[:, i][:, :, j] * B[:, j][:, :, i]
    return np.asarray(product + np.where(i == j, 0, 1) * swapped)


def _unpack(q: Array, width: int) -> Array:
    """The symmetric matrix whose entries on and above the diagonal are q."""
    matrix = np.zeros((width, width), dtype=q.dtype)
    for value, (i, j) in zip(q, _pairs(width), strict=True):
        matrix[i, j] = matrix[j, i] = value
    return matrix
