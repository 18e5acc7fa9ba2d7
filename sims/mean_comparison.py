"""The mean of the iterates at many times, by simulation, against the exactly propagated one: a curve with its band."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tdcert.sims.finite_time_comparison import Simulator, path_error, require_finite, require_sharp
from tdcert.sims.judge.agreement import Agreement, ErrorBudget, judge_mean
from tdcert.sims.kernels import simulate
from tdcert.sims.step_sizes import StepSizes
from tdcert.sims.trajectories import Sampler, uniform_start
from tdcert.theory.laws.moments import finite_time_moments
from tdcert.theory.laws.windows import cut_at, window_chain
from tdcert.theory.model.mdp import Model

Array = NDArray[np.float64]


def simulate_means(
    model: Model,
    algorithm: str,
    step_sizes: StepSizes,
    times: Sequence[int],
    runs: int,
    seed: int,
    budget: ErrorBudget,
    name: str,
    *,
    alpha: float,
    simulator: Simulator = simulate,
) -> tuple[Agreement, Array, Array]:
    """E (θ_t, w_t) at the increasing ``times`` over independent runs from θ_0 = w_0 = 0, s_0 uniform.

    Returns the judgement of all times together, its coordinates ordered by time, and the exact and the simulated
    means, each (times, D). Raises as :func:`tdcert.sims.finite_time_comparison.simulate_against_moments`.
    """
    start = uniform_start(model)
    chain = window_chain(cut_at(model, times[-1]), algorithm, start)
    steps = step_sizes.arrays(times[-1])
    moments = finite_time_moments(model, algorithm, steps, times, start=start, chain=chain)
    exact = np.stack([found.mean.astype(np.float64) for found in moments])
    variance, slack, variance_slack, data_slack = [], [], [], []
    for found, center in zip(moments, exact, strict=True):
        assert found.second_rounding is not None  # floats always carry their bounds
        first, second = found.second_rounding[:-1, -1], np.diag(found.second_rounding)[:-1]
        variance.append(np.diag(found.covariance))
        slack.append(first)
        variance_slack.append(second + 2 * np.abs(center) * first + first**2)
        taken = (steps[0][: found.t], steps[1][: found.t])
        data_slack.append(path_error(chain, model, taken, np.array([0.0] * len(center) + [1.0])))
    out = simulator(model, algorithm, step_sizes, list(times), runs, seed, name, start=start)
    require_finite(out, name)
    samples = np.concatenate([out.thetas, out.ws], axis=2)[:, :, : exact.shape[1]]
    agreement = judge_mean(
        samples.reshape(runs, -1),
        exact.ravel(),
        np.concatenate(variance),
        alpha=budget.spend(name, alpha),
        name=name,
        labels=[f"entry {k + 1} of the mean at t = {t}" for t in times for k in range(exact.shape[1])],
        data_slack=np.concatenate(data_slack),
        mean_slack=np.concatenate(slack),
        variance_slack=np.concatenate(variance_slack),
        law_distance=runs * Sampler.of(model, start).distance(times[-1]),
    )
    require_sharp(agreement, np.full(exact.size, max(1.0, float(np.abs(exact).max()))))
    return agreement, exact, samples.mean(axis=0)
