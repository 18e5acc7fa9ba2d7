"""Simulations against what theory says of the iterates at a finite time, and of one update at the fixed point.

:func:`simulate_against_moments` holds E and Cov of (θ_t, w_t) against their exact values, :func:`simulate_means` E
(θ_t, w_t) at many times (small models); :func:`simulate_fixed_point` holds the mean of one update at θ* against zero
(models of any size).

The variances are tested too, where fourth moments say how far an empirical one may be off: every entry of Cov, and
every second moment of the increments at w = 0, on models small enough for the exact fourth moments of the trace
(:data:`FOURTH_MOMENTS`). Elsewhere the variance is used, and not tested.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tdcert.algorithms.schedules import chain_of, scheduled
from tdcert.sims.comparison_frame import Array, Expected, Sampling, Target, require_sharp
from tdcert.sims.judge.agreement import Agreement, judge_mean
from tdcert.sims.judge.sequential import Draw
from tdcert.sims.rounding import COVER, chain_length, gamma, largest_increment
from tdcert.sims.step_sizes import StepSizes
from tdcert.sims.trajectories import Sampler, stationary_start
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.trace_law import monomials
from tdcert.theory.laws.increments import increment_moments
from tdcert.theory.laws.long_run_covariance import ExactNoise
from tdcert.theory.laws.moments import Moments, finite_time_moments
from tdcert.theory.laws.nodes import NodeChain
from tdcert.theory.model.key_matrices import behaviour_matrices
from tdcert.theory.model.mdp import Model

FOURTH_MOMENTS = 500
"""Most fourth moments of the trace, states times monomials, that are computed for a test of variances (a second)."""


def simulate_against_moments(target: Target, t: int, sampling: Sampling) -> Agreement:
    """Mean and covariance of (θ_t, w_t) over independent runs against the exactly propagated ones.

    The coordinates are the entries of (θ_t, w_t) and the products (y_i − c_i)(y_j − c_j) around c = the exact mean,
    whose variances come from the fourth moments. Raises BudgetExceededError for models whose windows are too many or
    where rounding would blur the comparison, :class:`InputError` if a run diverges.
    """
    model, d = target.model, target.model.d
    first = [0.0] * d if target.theta0 is None else np.asarray(target.theta0, dtype=np.float64).tolist()
    target = replace(target, theta0=first)
    chain, steps = chain_of(model, target.algorithm, target.law, until=t), target.step_sizes.arrays(t)
    (exact,) = finite_time_moments(chain, steps, [t], chain.first(first), order=4)
    error = path_error(chain, model, steps, np.array([float(x) for x in chain.first(first)]))

    def draw(begin: int, end: int) -> tuple[Array, Array]:
        return sampling.run(target, [t], begin, end)[:, 0], error

    labels = [_label(k, d) for k in range(chain.width - 1)]
    return judge_moments(exact, labels, draw, sampling, Sampler.of(model, target.law).distance(t))


def judge_moments(
    exact: Moments, labels: Sequence[str], draw_parameters: Draw, sampling: Sampling, distance: float
) -> Agreement:
    """Mean and covariance of all D parameters, known with moments of order 4, against drawn ones.

    ``draw_parameters``: of the runs from one number up to another, (runs, D), and a bound on the rounding of each entry
    (D); ``distance``: total variation between one run and the law meant.
    """
    center = exact.mean.astype(np.float64)
    products, product_variance, products_slack, variance_slack = exact.products_about(center)
    width = len(center)
    mean_slack, spread_slack = _slacks_of(exact, center)
    spread_slack = spread_slack + gamma(4) * (np.diag(exact.second)[:-1] + center**2)
    i, j = np.triu_indices(width)

    def draw(begin: int, end: int) -> tuple[Array, Array]:
        y, error = (np.asarray(drawn, dtype=np.float64) for drawn in draw_parameters(begin, end))
        centred = y - center
        product_error = _product_slack(centred, error, i, j, np.abs(center))
        return np.concatenate([y, centred[:, i] * centred[:, j]], axis=1), np.concatenate([error, product_error])

    size = max(1.0, float(np.abs(center).max()))
    expected = Expected(
        [*labels, *(f"Cov({labels[a]}, {labels[b]})" for a, b in zip(i.tolist(), j.tolist(), strict=True))],
        np.concatenate([center, products]),
        np.concatenate([np.diag(exact.covariance), product_variance]),
        np.concatenate([mean_slack, products_slack]),
        np.concatenate([spread_slack, variance_slack]),
        np.array([size] * width + [size**2] * len(products)),
        exact.covariance,
    )
    return sampling.judge(draw, expected, distance)


def simulate_means(target: Target, times: Sequence[int], sampling: Sampling) -> tuple[Agreement, Array, Array]:
    """E (θ_t, w_t) at the increasing ``times`` over as many independent runs from θ_0 = w_0 = 0, looked at once.

    Returns the judgement of all times together, its coordinates ordered by time, and the exact and the simulated
    means, each (times, D). Raises as :func:`simulate_against_moments`.
    """
    model, runs, name = target.model, sampling.most, sampling.name
    chain = chain_of(model, target.algorithm, target.law, until=times[-1])
    steps = target.step_sizes.arrays(times[-1])
    moments = finite_time_moments(chain, steps, times)
    exact = np.stack([found.mean.astype(np.float64) for found in moments])
    slacks = [_slacks_of(found, center) for found, center in zip(moments, exact, strict=True)]
    begin = np.array([0.0] * exact.shape[1] + [1.0])
    errors = [path_error(chain, model, (steps[0][:t], steps[1][:t]), begin) for t in times]
    samples = sampling.run(target, list(times), 0, runs)
    agreement = judge_mean(
        samples.reshape(runs, -1),
        exact.ravel(),
        np.concatenate([np.diag(found.covariance) for found in moments]),
        alpha=sampling.budget.spend(name, sampling.alpha),
        name=name,
        labels=[f"entry {k + 1} of the mean at t = {t}" for t in times for k in range(exact.shape[1])],
        data_slack=np.concatenate(errors),
        mean_slack=np.concatenate([mean for mean, _ in slacks]),
        variance_slack=np.concatenate([spread for _, spread in slacks]),
        law_distance=runs * Sampler.of(model, target.law).distance(times[-1]),
    )
    require_sharp(agreement, np.full(exact.size, max(1.0, float(np.abs(exact).max()))))
    return agreement, exact, samples.mean(axis=0)


def simulate_fixed_point(
    target: Target,
    theta_star: Sequence[Fraction] | RationalMatrix,
    sampling: Sampling,
    *,
    w: Sequence[float] | None = None,
    states: Sequence[int] | None = None,
) -> Agreement:
    """E_0[δ_t(θ*) z_t] = 0 and its GTD and TDC forms, from independent stationary samples.

    Each sample starts from the stationary law of a recurrent class (None: the only one), walks L steps with step size
    zero and makes one update with α = β = 1 from (θ*, w): the increment of (θ, w) must have mean zero at w = 0. At
    another ``w`` its mean must be −Aᵀw for GTD's θ, −(Aᵀ + C)w for TDC's θ, −Cw for w. θ* is exact; the simulation
    starts from the nearest floats θ̂, and A(θ̂ − θ*) is accounted for. Steps and start of the target are not used.
    """
    model, algorithm = target.model, target.algorithm
    given = theta_star.column_entries() if isinstance(theta_star, RationalMatrix) else theta_star
    exact_theta = [Fraction(x) for x in given]
    theta = np.array([float(x) for x in exact_theta])
    dual = np.zeros(model.d) if w is None else np.asarray(w, dtype=np.float64)
    moments = increment_moments(model, scheduled(algorithm), theta, dual, states)
    start = stationary_start(model, states)
    support = tuple(s for s in range(model.n) if start[s] > 0)
    mean = _null_mean(model, algorithm, support, exact_theta, theta, dual)
    L, width = len(model.schedule.lambdas), len(moments.mean)
    length = chain_length(model.d, L, rounded_inputs=True)
    slack = np.full(width, gamma(length + 2) * largest_increment(model, algorithm, theta, dual))
    i, j, second, second_variance = _increment_products(model, algorithm, support, theta, dual)
    at_the_end = StepSizes.only_at(L)
    target = replace(target, step_sizes=at_the_end, start=start, theta0=theta)

    def draw(begin: int, end: int) -> tuple[Array, Array]:
        y = sampling.run(target, [L + 1], begin, end, w0=dual)[:, 0]
        x = y - np.concatenate([theta, dual])[:width]
        return np.concatenate([x, x[:, i] * x[:, j]], axis=1), np.concatenate([slack, _product_slack(x, slack, i, j)])

    labels = [f"increment of {_label(a, model.d)}" for a in range(width)]
    size = max(1.0, float(np.abs(theta).max()))
    means = np.concatenate([mean, second])
    expected = Expected(
        labels + [f"{labels[a]} times {labels[b]}" for a, b in zip(i.tolist(), j.tolist(), strict=True)],
        means,
        np.concatenate([np.diag(moments.covariance), second_variance]),
        gamma(2) * np.abs(means),  # exact, rounded once
        np.concatenate([np.diag(moments.covariance_rounding), gamma(2) * second_variance]),
        np.array([size] * width + [size**2] * len(second)),
        moments.covariance,
    )
    return sampling.judge(draw, expected, Sampler.of(model, start).distance(L + 1))


def _slacks_of(exact: Moments, center: Array) -> tuple[Array, Array]:
    """How far the means, and the variances, may be off that were propagated in floats."""
    assert exact.second_rounding is not None  # floats always carry their bounds
    first, second = exact.second_rounding[:-1, -1], np.diag(exact.second_rounding)[:-1]
    return first, second + 2 * np.abs(center) * first + first**2


def _null_mean(
    model: Model, algorithm: str, support: tuple[int, ...], theta_star: list[Fraction], theta: Array, w: Array
) -> Array:
    """The increment's mean if Aθ* + b = 0: h and g of §4 at (θ̂, w), exact and then rounded."""
    matrices = behaviour_matrices(model, support)
    off = RationalMatrix.column(Fraction(float(x)) - y for x, y in zip(theta, theta_star, strict=True))
    dual = RationalMatrix.column(Fraction(float(x)) for x in w)
    update = scheduled(algorithm)
    J = update.mean(matrices.A, matrices.C, Fraction(1))
    return np.asarray((J @ RationalMatrix([*off.rows, *dual.rows][: J.shape[0]])).to_float()[:, 0])


def _increment_products(
    model: Model, algorithm: str, support: tuple[int, ...], theta: Array, w: Array
) -> tuple[NDArray[np.int64], NDArray[np.int64], Array, Array]:
    """Pairs i ≤ j of increments that are entries of δz, with mean and variance of their product; none at w ≠ 0 or
    where fourth moments are too many.
    """
    d = model.d
    if w.any() or model.n * comb(d + 3, 4) > FOURTH_MOMENTS:
        none = np.zeros(0, dtype=np.int64)
        return none, none, np.zeros(0), np.zeros(0)
    places = [row * d + i for row in scheduled(algorithm).follows_error for i in range(d)]
    pairs = [(a, b) for a in places for b in places if a <= b]
    mean, variance = ExactNoise(model, support, RationalMatrix.column(Fraction(float(x)) for x in theta)).products()
    at = {pair: index for index, pair in enumerate(monomials(d, 2))}
    which = [at[min(a % d, b % d), max(a % d, b % d)] for a, b in pairs]
    i, j = np.array(pairs).T
    return i, j, np.array([float(mean[k]) for k in which]), np.array([float(variance[k]) for k in which])


def _product_slack(
    x: Array, slack: Array, i: NDArray[np.int64], j: NDArray[np.int64], subtracted: ArrayLike = 0.0
) -> Array:
    """How far the products x_i x_j (rows of ``x``) may be off if x is by ``slack``, and came of a subtraction."""
    farthest = np.abs(x).max(axis=0)
    size = farthest + subtracted
    return np.asarray(
        slack[i] * farthest[j] + slack[j] * farthest[i] + slack[i] * slack[j] + gamma(4) * size[i] * size[j]
    )


def path_error(chain: NodeChain, model: Model, step_sizes: tuple[Array, Array], y0: Array) -> Array:
    """A bound on |computed − exact| for each entry of (θ_t, w_t), over all paths (``tdcert.sims.rounding``, worst
    case).

    With S_t(h) ≥ |y_t| and E_t(h) ≥ the error on every path that ends in node h, entry by entry:

        S_{t+1}(h') = max_{h → h'} |B| S_t(h),
        E_{t+1}(h') = max_{h → h'} |B| E_t(h) + γ_m B̄ (S_t(h) + E_t(h)),

    B̄ with the magnitudes of all inputs. Nodes not reached yet count as if they were, which only widens the bound.
    """
    eye = np.eye(chain.width)
    g = gamma(chain_length(model.d, len(model.schedule.lambdas), rounded_inputs=True))
    arrivals, first = np.unique(chain.target, return_index=True)
    size = np.tile(np.abs(y0), (len(chain.nodes), 1))
    error = np.zeros_like(size)
    for sizes in zip(*step_sizes, strict=True):
        B = np.abs(eye + chain.floats.at(sizes))
        plain = eye + chain.floats.plain_at(sizes)
        here, there = size[chain.source][:, :, None], error[chain.source][:, :, None]
        # |B| is off by a few roundings of B̄, here counted with the local error
        moved = (B @ there + 2 * g * plain @ (here + there))[:, :, 0]
        grown = (B @ here + g * plain @ here)[:, :, 0]
        size, error = size.copy(), error.copy()
        error[arrivals] = np.maximum(error[arrivals], np.maximum.reduceat(moved, first, axis=0))
        size[arrivals] = np.maximum(size[arrivals], np.maximum.reduceat(grown, first, axis=0))
    return np.asarray(COVER * error.max(axis=0)[:-1])


def _label(index: int, d: int) -> str:
    return f"θ_{index + 1}" if index < d else f"w_{index - d + 1}"
