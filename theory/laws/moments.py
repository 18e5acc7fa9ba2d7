r"""The law of the iterates at a finite time, exactly propagated.

With y the parameters and a last entry of one, along a path y_{t+1} = B_t y_t with B_t a function of the transition
between two nodes (``tdcert.theory.laws.nodes``). So Y_t(h) = E[y_t y_tᵀ 1{node = h}] obeys

    Y_{t+1}(h') = Σ_{h → h'} p(h → h') B Y_t(h) Bᵀ,

and Σ_h Y_t(h) holds the mean and all second moments. The same recursion for q = the distinct entries of y
yᵀ gives fourth moments, so that the variance of an empirical covariance is known exactly too.

**A memory without end.** Up to time t finitely many nodes are met, so nothing is approximated, but they grow with t. No
recursion in t alone exists: the memory is then a state of its own, and the second moment of y_{t+1} = y_t + α
z_t(x_tᵀy_t) needs moments of one degree more in z_t at every earlier step.

**Rounding.** One step is a sum of products of at most m = 4(D + 1) + degree + 2e + 6 roundings in a chain (an entry of
B is made of e = r + K + 2, r of each of the K matrices that step sizes multiply, see ``Updates``; D + 1 is the width
of y, degree the most transitions that lead into one node; for fourth moments the width s of q, and 2e + 2 for e). With
γ_m = m u/(1 − m u), u = 2^-53, B̄ from the magnitudes of all inputs and Ŷ the computed moments, made symmetric, its
error is at most γ_m Σ p B̄|Ŷ|B̄ᵀ entry by entry (Higham, *Accuracy and Stability of Numerical Algorithms*, 2002, §3.1).
Second moments have |Y_ij| ≤ v_i v_j with v_i² = Y_ii, and a symmetric Δ with |Δ_ij| ≤ v_i v_j lies between
∓ s diag(v²) in the order of symmetric matrices. The recursion keeps that order: −E_t ⪯ Ŷ_t − Y_t ⪯ E_t with

    E_{t+1}(h') = Σ_{h → h'} p (B E_t(h) Bᵀ + γ_m s diag((B̄v)²)),   v_i² = Ŷ_ii + 2E_ii in node h,

where the last term covers the rounding of E itself, up to a factor. No magnitude of B is carried along, so the bounds
of a stable system stay small for ever. An entry of the error is at most √(E_ii E_jj). ``exact=True`` runs the same
lines on rationals, without bounds.

**Cost.** E transitions, T steps, width s (of y, or of q): 4·E·T·s³ multiplications with their bounds, and
about 12·E·s² numbers held; both are refused beyond :data:`MOMENT_WORK` and :data:`MOMENT_ENTRIES`.

Source: X_t, A(X_t), b(X_t) in §4, of which nodes are the general form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from tdcert.theory.arithmetic.rational import to_fmpq, to_fraction
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.laws.nodes import Array, NodeChain
from tdcert.theory.limits import MOMENT_ENTRIES, MOMENT_WORK, LimitError, raised

COVER = 1 + 2.0**-20
"""Covers the rounding of an error bound itself, a sum of non-negative terms."""

OVERFLOW = 1e150
"""Mean iterates beyond this are reported as infinite; second and fourth moments beyond it are refused."""

StepSizes = Sequence[Sequence[Any] | Array]
"""For each step size of the update, in the order in which they are declared, its values at t = 0, 1, …; what follows
them is not read.
"""


def gamma(m: int) -> float:
    """γ_m = m u/(1 − m u) with u = 2^-53: the relative error of a chain of m operations."""
    return m * 2.0**-53 / (1 - m * 2.0**-53)


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

    def of_form(self, W: Array) -> tuple[float, float]:
        """Mean and standard deviation of θᵀWθ, W symmetric d×d; floats without bounds. Needs fourth moments."""
        if self.fourth is None:
            raise ValueError("the variance of a quadratic form needs moments of order 4")
        d, width = len(W), self.second.shape[0]
        weights = [0.0 if j >= d else W[i, j] * (1 if i == j else 2) for i, j in _pairs(width)]
        mean = float(np.sum(W * self.second[:d, :d]))
        square = float(np.array(weights) @ self.fourth @ np.array(weights))
        return mean, max(0.0, square - mean**2) ** 0.5

    def products_about(self, center: Array) -> tuple[Array, Array, Array, Array]:
        """Mean and variance of q_c, the products (y_i − c_i)(y_j − c_j), i ≤ j ≤ D, with rounding bounds of both.

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
    chain: NodeChain,
    step_sizes: StepSizes,
    times: Sequence[int],
    y0: Sequence[Any] | None = None,
    *,
    order: int = 2,
    exact: bool = False,
) -> list[Moments]:
    """The moments of the parameters at the increasing ``times`` from a fixed y_0 (its last entry one; all zero unless
    given), along all nodes that are met before the last of these times.

    ``order`` 2 or 4; ``exact``: in fractions (tiny models; step sizes must be rational), without bounds. Raises
    :class:`InputError` for y_0 of another length, and :class:`BudgetExceededError` beyond :data:`MOMENT_WORK`
    multiplications and where moments pass :data:`OVERFLOW`.
    """
    width, begin = chain.width, np.array(chain.first() if y0 is None else list(y0), dtype=object)
    if len(begin) != width:
        raise InputError(f"the parameters must have {width - 1} entries at the start")
    size = width if order == 2 else width * (width + 1) // 2
    work, entries = len(chain.source) * times[-1] * 4.0 * size**3, len(chain.source) * size**2
    if work > raised(MOMENT_WORK) or entries > raised(MOMENT_ENTRIES):
        raise LimitError(
            f"propagating {len(chain.source)} transitions between nodes over {times[-1]} steps takes {work:.1g} "
            f"multiplications and arrays of {entries:.1g} entries; at most {raised(MOMENT_WORK):.1g} and "
            f"{raised(MOMENT_ENTRIES):.1g} are spent, so ask for an earlier time, fewer features or a shorter schedule",
            max(work / MOMENT_WORK, entries / MOMENT_ENTRIES),
        )
    found = []
    for t, (value, error) in zip(times, _propagate(chain, step_sizes, times, begin, order, exact), strict=True):
        if order == 2:
            found.append(Moments(t, value, second_rounding=error))
        else:
            second = _unpack(value[:, -1], width)
            second_error = None if error is None else _unpack(error[:, -1], width)
            found.append(Moments(t, second, value, second_error, error))
    return found


def _propagate(
    chain: NodeChain, step_sizes: StepSizes, times: Sequence[int], y0: Array, order: int, exact: bool
) -> list[tuple[Array, Array | None]]:
    """Σ_h Y_t(h) at the times, with a bound on the error of each entry (None when exact)."""
    updates = chain.exact if exact else chain.floats
    number: Any = np.frompyfunc(to_fmpq, 1, 1) if exact else np.float64
    weight, eye = updates.probability[:, None, None], number(np.eye(chain.width, dtype=int))
    y = number(y0) if exact else y0.astype(np.float64)
    if order == 4:
        y = np.array([y[i] * y[j] for i, j in _pairs(chain.width)], dtype=y.dtype)
    start = number(chain.start) if exact else chain.start.astype(np.float64)
    Y = start[:, None, None] * np.outer(y, y)[None]
    # y_0 and the start law are rounded once; q qᵀ takes four entries of y_0
    error = None if exact else gamma(8) * _diagonals(_squares(Y))
    entry = updates.roundings + len(updates.parts) + 2
    step = gamma(4 * len(y) + chain.degree + 2 * (entry if order == 2 else 2 * entry + 2) + 6)
    arrivals, first = np.unique(chain.target, return_index=True)

    def gather(moved: Array) -> Array:
        gathered = np.zeros((len(chain.nodes), *moved.shape[1:]), dtype=moved.dtype)
        gathered[arrivals] = np.add.reduceat(moved, first, axis=0)
        return gathered

    def arrive(values: Array, B: Array) -> Array:
        moved = gather(weight * (B @ values[chain.source] @ B.transpose(0, 2, 1)))
        return moved if exact else (moved + moved.transpose(0, 2, 1)) / 2

    found: list[tuple[Array, Array | None]] = []
    wanted = list(times)
    for t in range(times[-1] + 1):
        if wanted and wanted[0] == t:
            total = None
            if error is not None:
                reach = np.sqrt(np.maximum(np.diag(error.sum(axis=0)), 0.0))
                total = COVER * (np.outer(reach, reach) + gamma(len(Y)) * np.abs(Y).sum(axis=0))
            found.append((np.frompyfunc(to_fraction, 1, 1)(Y.sum(axis=0)) if exact else Y.sum(axis=0), total))
            wanted.pop(0)
        if t == times[-1]:
            break
        sizes = [to_fmpq(size[t]) if exact else float(size[t]) for size in step_sizes]
        B = eye + updates.at(sizes)
        if error is not None:
            if not max(float(np.abs(Y).max()), float(error.max())) <= OVERFLOW:
                raise BudgetExceededError(
                    f"the moments, or the bounds of their rounding, pass {OVERFLOW:g} by t = {t}, too much for floats: "
                    "ask for an earlier time or smaller steps"
                )
            plain = eye + updates.plain_at(sizes)
            B, plain = (_lift(B), _lift(plain)) if order == 4 else (B, plain)
            largest = np.sqrt(_squares(Y) + 2 * _squares(error))[chain.source]
            moved = (plain @ largest[:, :, None])[:, :, 0]
            error = COVER * (arrive(error, B) + step * _diagonals(gather(weight[:, :, 0] * moved**2)))
        elif order == 4:
            B = _lift(B)
        Y = arrive(Y, B)
    return found


def _squares(matrices: Array) -> Array:
    """The diagonal of each matrix, of second moments: squared sizes of the coordinates."""
    return np.asarray(np.abs(np.diagonal(matrices, axis1=1, axis2=2)))


def _diagonals(squares: Array) -> Array:
    """s·diag(v²) for each v² of length s: at least any symmetric Δ with |Δ_ij| ≤ v_i v_j, as (Σ v|x|)² ≤ s Σ v²x²."""
    return np.asarray(squares[:, :, None] * (squares.shape[1] * np.eye(squares.shape[1])))


@dataclass(frozen=True)
class Convergence:
    """‖E θ_t − θ*‖₂ at the asked times: a series to plot. Infinite where the mean passed 1e150."""

    times: tuple[int, ...]
    distance: tuple[float, ...]


def convergence_series(
    chain: NodeChain,
    step_sizes: StepSizes,
    times: Sequence[int],
    theta_star: Array,
    theta0: Sequence[float] | None = None,
) -> Convergence:
    """How far E θ_t is from ``theta_star`` (d floats) at the increasing ``times``, all other parameters starting at
    zero. A deterministic computation (only the mean is propagated).
    """
    parts = chain.floats.parts
    hold = chain.operator(np.broadcast_to(np.eye(chain.width), parts[0].shape))
    moves = scipy.sparse.vstack([hold, *map(chain.operator, parts)], format="csr")
    y = chain.first_means(theta0)
    wanted, distances = set(times), []
    for t in range(times[-1] + 1):
        if t in wanted:
            distance = float(np.linalg.norm(chain.mean_theta(y) - theta_star))
            distances.append(distance if np.abs(y).max() < OVERFLOW else float("inf"))
        if t == times[-1] or np.abs(y).max() >= OVERFLOW:
            break
        y, *moved = (moves @ y).reshape(1 + len(parts), -1)
        for sizes, change in zip(step_sizes, moved, strict=False):
            y = y + float(sizes[t]) * change
    distances += [float("inf")] * (len(times) - len(distances))
    return Convergence(tuple(times), tuple(distances))


def _pairs(width: int) -> list[tuple[int, int]]:
    """The places (i, j), i ≤ j, of q, row by row; the last one is (width − 1, width − 1), where y yᵀ is 1."""
    return [(i, j) for i in range(width) for j in range(i, width)]


def _lift(B: Array) -> Array:
    """The map of q that y → B y induces: (B y)_i (B y)_j in terms of the y_k y_l with k ≤ l; shape (E, size, size)."""
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
