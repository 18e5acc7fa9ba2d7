"""Simulations as evidence: each function runs one algorithm and compares it with what theory says of it.

:func:`simulate_against_moments` holds E and Cov of (θ_t, w_t) at a finite time against their exact values
(small models); :func:`simulate_fixed_point` holds the mean of one update at θ* against zero (models of any
size). Both draw independent runs in batches, each from a stream of its own named after the comparison and its first
run, and stop as ``tdcert.sims.judge.sequential`` allows. Both take any simulator with the signature of
``kernels.simulate``, so that a wrong variant can be put in its place.

The variances are tested too, where fourth moments say how far an empirical one may be off: (a) compares every entry
of Cov with its exact value; (b) every second moment of the increments at w = 0, on models small enough for the exact
fourth moments of the trace (:data:`FOURTH_MOMENTS`). Elsewhere the variance is used, and not tested.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tdcert.sims.algorithms import ALGORITHMS, Algorithm, run
from tdcert.sims.judge.agreement import Agreement, ErrorBudget
from tdcert.sims.judge.sequential import judge_sequentially, usual_looks
from tdcert.sims.kernels import DIVERGED, Replicates, sample, simulate
from tdcert.sims.rounding import COVER, chain_length, gamma, largest_increment
from tdcert.sims.step_sizes import StepSizes
from tdcert.sims.streams import run_states
from tdcert.sims.trajectories import Sampler, stationary_start, uniform_start
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.trace_law import monomials
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.laws.increments import increment_moments
from tdcert.theory.laws.long_run_covariance import Noise
from tdcert.theory.laws.moments import finite_time_moments
from tdcert.theory.laws.windows import WindowChain, cut_at, window_chain
from tdcert.theory.model.key_matrices import behaviour_matrices
from tdcert.theory.model.mdp import Model

Array = NDArray[np.float64]
Simulator = Callable[..., Replicates]

DEFAULT_SHARE = 1e-8
"""False-alarm rate of one comparison, unless asked otherwise."""

FOURTH_MOMENTS = 500
"""Most fourth moments of the trace, states times monomials, that are computed for a test of variances (a second)."""


def simulate_against_moments(
    model: Model,
    algorithm: str,
    step_sizes: StepSizes,
    t: int,
    runs: int,
    seed: int,
    budget: ErrorBudget,
    name: str,
    *,
    alpha: float = DEFAULT_SHARE,
    start: Sequence[Fraction] | None = None,
    theta0: Sequence[float] | None = None,
    stop_early: bool = True,
    simulator: Simulator = simulate,
) -> Agreement:
    """Mean and covariance of (θ_t, w_t) over at most ``runs`` independent runs against the exactly propagated ones.

    s_0 ~ ``start`` (default uniform), θ_0 = ``theta0`` (default zero), w_0 = 0. The coordinates are the entries of
    (θ_t, w_t) and the products (y_i − c_i)(y_j − c_j) around c = the exact mean, whose variances come from the fourth
    moments. ``stop_early``: whether the judge may look before all runs are there. Raises BudgetExceededError for models
    whose windows are too many or where rounding would blur the comparison, :class:`InputError` if a run diverges.
    """
    start = uniform_start(model) if start is None else start
    chain = window_chain(cut_at(model, t), algorithm, start)
    alphas, betas = step_sizes.arrays(t)
    first = [0.0] * model.d if theta0 is None else [float(x) for x in theta0]
    exact = finite_time_moments(
        model, algorithm, (alphas, betas), [t], start=start, theta0=first, order=4, chain=chain
    )[0]
    center = exact.mean.astype(np.float64)
    products, product_variance, products_slack, variance_slack = exact.products_about(center)
    width = len(center)
    assert exact.second_rounding is not None  # floats always carry their bounds
    mean_slack = exact.second_rounding[:-1, -1]
    spread = np.diag(exact.covariance)
    spread_slack = np.diag(exact.second_rounding)[:-1] + 2 * np.abs(center) * mean_slack + mean_slack**2
    spread_slack = spread_slack + gamma(4) * (np.diag(exact.second)[:-1] + center**2)

    dual = [0.0] * (width - model.d)
    error = path_error(chain, model, (alphas, betas), np.array([*first, *dual, 1.0]))
    i, j = np.triu_indices(width)

    def draw(begin: int, end: int) -> tuple[Array, Array]:
        out = simulator(
            model, algorithm, step_sizes, [t], end - begin, seed, batch_name(name, begin), start=start, theta0=first
        )
        require_finite(out, name)
        y = np.concatenate([out.thetas[:, 0], out.ws[:, 0]], axis=1)[:, :width]
        centred = y - center
        product_error = _product_slack(centred, error, i, j, np.abs(center))
        return np.concatenate([y, centred[:, i] * centred[:, j]], axis=1), np.concatenate([error, product_error])

    found = judge_sequentially(
        draw,
        np.concatenate([center, products]),
        np.concatenate([spread, product_variance]),
        alpha=budget.spend(name, alpha),
        max_samples=runs,
        name=name,
        looks=usual_looks(runs) if stop_early else (runs,),
        labels=[_label(i, model.d) for i in range(width)]
        + [f"Cov({_label(a, model.d)}, {_label(b, model.d)})" for a, b in zip(i.tolist(), j.tolist(), strict=True)],
        mean_slack=np.concatenate([mean_slack, products_slack]),
        variance_slack=np.concatenate([spread_slack, variance_slack]),
        law_distance=runs * Sampler.of(model, start).distance(t),
        covariance=exact.covariance,
    )
    size = max(1.0, float(np.abs(center).max()))
    require_sharp(found, np.array([size] * width + [size**2] * len(products)))
    return found


def simulate_fixed_point(
    model: Model,
    algorithm: str,
    theta_star: Sequence[Fraction] | RationalMatrix,
    samples: int,
    seed: int,
    budget: ErrorBudget,
    name: str,
    *,
    alpha: float = DEFAULT_SHARE,
    w: Sequence[float] | None = None,
    states: Sequence[int] | None = None,
    stop_early: bool = True,
    simulator: Simulator = simulate,
) -> Agreement:
    """E_0[δ_t(θ*) z_t] = 0 and its GTD and TDC forms, from at most so many independent stationary ``samples``.

    Each sample starts from the stationary law of a recurrent class (None: the only one), walks L steps with
    step size zero and makes one update with α = β = 1 from (θ*, w): the increment of (θ, w) must have mean
    zero at w = 0. At another ``w`` its mean must be −Aᵀw for GTD's θ, −(Aᵀ + C)w for TDC's θ, −Cw for w. θ*
    is exact; the simulation starts from the nearest floats θ̂, and A(θ̂ − θ*) is accounted for.
    ``stop_early``: whether the judge may look before all samples are there.
    """
    exact_theta = (
        list(theta_star.column_entries())
        if isinstance(theta_star, RationalMatrix)
        else [Fraction(x) for x in theta_star]
    )
    theta = np.array([float(x) for x in exact_theta])
    dual = np.zeros(model.d) if w is None else np.asarray(w, dtype=np.float64)
    moments = increment_moments(model, algorithm, theta, dual, states)
    start = stationary_start(model, states)
    support = tuple(s for s in range(model.n) if start[s] > 0)
    mean = _null_mean(model, algorithm, support, exact_theta, theta, dual)
    L = len(model.schedule.lambdas)

    def at_the_end(t: int) -> float:
        return 1.0 if t == L else 0.0

    width = len(moments.mean)
    length = chain_length(model.d, L, rounded_inputs=True)
    slack = np.full(width, gamma(length + 2) * largest_increment(model, algorithm, theta, dual))
    i, j, second, second_variance = _increment_products(model, algorithm, support, theta, dual)

    def draw(begin: int, end: int) -> tuple[Array, Array]:
        out = simulator(
            model,
            algorithm,
            StepSizes(at_the_end, at_the_end),
            [L + 1],
            end - begin,
            seed,
            batch_name(name, begin),
            start=start,
            theta0=theta,
            w0=dual,
        )
        require_finite(out, name)
        x = np.concatenate([out.thetas[:, 0] - theta, out.ws[:, 0] - dual], axis=1)[:, :width]
        return np.concatenate([x, x[:, i] * x[:, j]], axis=1), np.concatenate([slack, _product_slack(x, slack, i, j)])

    labels = [f"increment of {_label(a, model.d)}" for a in range(width)]
    found = judge_sequentially(
        draw,
        np.concatenate([mean, second]),
        np.concatenate([np.diag(moments.covariance), second_variance]),
        alpha=budget.spend(name, alpha),
        max_samples=samples,
        name=name,
        looks=usual_looks(samples) if stop_early else (samples,),
        labels=labels + [f"{labels[a]} times {labels[b]}" for a, b in zip(i.tolist(), j.tolist(), strict=True)],
        mean_slack=gamma(2) * np.abs(np.concatenate([mean, second])),  # exact, rounded once
        variance_slack=np.concatenate([np.diag(moments.covariance_rounding), gamma(2) * second_variance]),
        law_distance=samples * Sampler.of(model, start).distance(L + 1),
        covariance=moments.covariance,
    )
    size = max(1.0, float(np.abs(theta).max()))
    require_sharp(found, np.array([size] * width + [size**2] * len(second)))
    return found


def readable_simulator(classes: Mapping[str, type[Algorithm]] = ALGORITHMS) -> Simulator:
    """A simulator that steps the readable twins (or variants of them) over the kernel's own trajectories."""

    def simulate_readable(
        model: Model,
        algorithm: str,
        step_sizes: StepSizes,
        times: Sequence[int],
        runs: int,
        seed: int,
        name: str,
        *,
        start: Sequence[Fraction],
        theta0: ArrayLike | None = None,
        w0: ArrayLike | None = None,
    ) -> Replicates:
        trajectory = sample(Sampler.of(model, start), run_states(seed, name, runs), times[-1])
        with np.errstate(over="ignore", invalid="ignore"):  # the twins go on after divergence; it is reported below
            thetas, ws = run(
                classes[algorithm](),
                trajectory,
                [float(x) for x in model.schedule.lambdas],
                *step_sizes.arrays(times[-1]),
                theta0=theta0,
                tail=float(model.schedule.tail),
                w0=w0,
            )
        asked = list(times)
        # NaN counts as beyond the bound; iterates are asked from the first update on, as the kernels do
        size = np.maximum(np.abs(thetas[1:]).max(axis=2), np.abs(ws[1:]).max(axis=2))
        beyond = np.concatenate([~(size <= DIVERGED), np.ones((1, runs), dtype=bool)])
        first = beyond.argmax(axis=0)
        passed = np.where(first < times[-1], first + 1, -1)
        return Replicates(thetas[asked].transpose(1, 0, 2), ws[asked].transpose(1, 0, 2), passed)

    return simulate_readable


def _null_mean(
    model: Model, algorithm: str, support: tuple[int, ...], theta_star: list[Fraction], theta: Array, w: Array
) -> Array:
    """The increment's mean if Aθ* + b = 0: h and g of §4 at (θ̂, w), exact and then rounded."""
    matrices = behaviour_matrices(model, support)
    off = RationalMatrix.column(Fraction(float(x)) - y for x, y in zip(theta, theta_star, strict=True))
    dual = RationalMatrix.column(Fraction(float(x)) for x in w)
    A, C = matrices.A, matrices.C
    toward, gram, gradient = A @ off, C @ dual, A.T @ dual
    parts = {
        "td": [toward],
        "off_policy_td": [toward],
        "gtd": [-gradient, toward - gram],
        "tdc": [toward - gradient - gram, toward - gram],
    }[algorithm]
    return np.concatenate([part.to_float()[:, 0] for part in parts])


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
    places = {"gtd": range(d, 2 * d), "tdc": range(2 * d)}.get(algorithm, range(d))
    pairs = [(a, b) for a in places for b in places if a <= b]
    mean, variance = Noise(model, support, RationalMatrix.column(Fraction(float(x)) for x in theta)).products()
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


def path_error(chain: WindowChain, model: Model, step_sizes: tuple[Array, Array], y0: Array) -> Array:
    """A bound on |computed − exact| for each entry of (θ_t, w_t), over all paths (``tdcert.sims.rounding``, worst
    case).

    With S_t(h) ≥ |y_t| and E_t(h) ≥ the error on every path that ends in window h, entry by entry:

        S_{t+1}(h') = max_{h → h'} |B| S_t(h),
        E_{t+1}(h') = max_{h → h'} |B| E_t(h) + γ_m B̄ (S_t(h) + E_t(h)),

    B̄ with the magnitudes of all inputs. Windows not reached yet count as if they were, which only widens the bound.
    """
    U, V, U_plain, V_plain = chain.floats.U, chain.floats.V, chain.floats.U_plain, chain.floats.V_plain
    eye = np.eye(chain.width)
    g = gamma(chain_length(model.d, len(model.schedule.lambdas), rounded_inputs=True))
    arrivals, first = np.unique(chain.target, return_index=True)
    size = np.tile(np.abs(y0), (len(chain.windows), 1))
    error = np.zeros_like(size)
    for alpha, beta in zip(*step_sizes, strict=True):
        B = np.abs(eye + alpha * U + beta * V)
        plain = eye + alpha * U_plain + beta * V_plain
        here, there = size[chain.source][:, :, None], error[chain.source][:, :, None]
        # |B| is off by a few roundings of B̄, here counted with the local error
        moved = (B @ there + 2 * g * plain @ (here + there))[:, :, 0]
        grown = (B @ here + g * plain @ here)[:, :, 0]
        size, error = size.copy(), error.copy()
        error[arrivals] = np.maximum(error[arrivals], np.maximum.reduceat(moved, first, axis=0))
        size[arrivals] = np.maximum(size[arrivals], np.maximum.reduceat(grown, first, axis=0))
    return np.asarray(COVER * error.max(axis=0)[:-1])


def require_sharp(found: Agreement, size: Array) -> None:
    """Refuse a comparison in which rounding, not sampling, decides what can be seen.

    The bounds on rounding may widen a radius by a tenth, or by a millionth of the ``size`` of what is
    compared (which leaves room for coordinates without variance).
    """
    rows = zip(found.labels, found.radius, found.sampling_radius, size, strict=True)
    for label, radius, sampling, scale in rows:
        if radius > 1.1 * sampling + 1e-6 * scale:
            raise BudgetExceededError(
                f"'{found.name}': rounding may move {label} by {radius - sampling:.2g}, while sampling alone "
                f"needs {sampling:.2g}; compare at an earlier time or with smaller steps"
            )


def _label(index: int, d: int) -> str:
    return f"θ_{index + 1}" if index < d else f"w_{index - d + 1}"


def batch_name(name: str, begin: int) -> str:
    """The stream of the batch whose first run is number ``begin``; the first batch has the comparison's own name."""
    return name if begin == 0 else f"{name}, from run {begin}"


def require_finite(out: Replicates, name: str) -> None:
    """Report divergence as divergence: :class:`InputError` with the first step at which a run passed the bound."""
    passed = out.diverged_at[out.diverged_at >= 0]
    if len(passed):
        raise InputError(
            f"'{name}': a run diverged at step {passed.min()} ({len(passed)} of {len(out.diverged_at)} passed "
            f"{DIVERGED:g}); there is no mean to compare, use smaller steps"
        )
