"""In law: where an implementation's own randomness or precision moves its paths, its moments are judged instead.

Independent runs under the behaviour policy, each handed to the class; mean and covariance of (θ_t, w_t) against
their exact values (``tdcert.sims.finite_time_comparison``), at a stated false-alarm rate.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from tdcert.sims.conformance import messages
from tdcert.sims.conformance.battery import Case
from tdcert.sims.conformance.compare import divergence
from tdcert.sims.conformance.process import Target, record
from tdcert.sims.finite_time_comparison import simulate_against_moments
from tdcert.sims.judge.agreement import Agreement, ErrorBudget
from tdcert.sims.kernels import Replicates, sample
from tdcert.sims.random_models import random_model
from tdcert.sims.step_sizes import Polynomial, StepSizes
from tdcert.sims.streams import generator, run_states
from tdcert.sims.trajectories import Sampler, Trajectory
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

RUNS = 10_000
ALPHA = 1e-9
"""False-alarm rate of one comparison."""

SIZES = ((2, 1), (3, 2))
"""States and features of the models."""

STEPS = StepSizes(Polynomial(0.4, 2.0, 0.7), Polynomial(0.5, 2.0, 0.6))


class StoppedError(Exception):
    """The class raised, hung, left or diverged while it was run; the message says how far it was."""


def compare_in_law(
    target: Target, algorithm: str, schedules: str, seed: int, time_limit: float, every: int = 1
) -> tuple[Agreement, ...]:
    """One comparison per model, after t = 4 updates, or the next multiple of ``every``.

    Raises :class:`StoppedError` where the class does not finish its runs, or diverges: there is no mean then.
    """
    t = -(-4 // every) * every
    found = []
    for n, d in SIZES:
        name = f"{algorithm} in law, {n} states, {d} features, t = {t}"
        rng = generator(seed, name)
        model = random_model(rng, n, d, 0, on_policy=algorithm == "td", gamma=None)
        lambdas = _lambdas(schedules, t)
        model = model.with_schedule(Schedule(lambdas))

        def simulate(
            model: Model,
            algorithm: str,
            step_sizes: StepSizes,
            times: Sequence[int],
            runs: int,
            seed: int,
            name: str,
            *,
            start: Sequence[Fraction],
            theta0: ArrayLike,
            lambdas: tuple[Fraction, ...] = lambdas,
        ) -> Replicates:
            paths = sample(Sampler.of(model, start), run_states(seed, name, runs), times[-1])
            return _run(target, algorithm, model, lambdas, paths, step_sizes, np.asarray(theta0), seed, time_limit)

        budget = ErrorBudget(ALPHA)
        # all runs in one process: a class seeds its random numbers once, and runs must not repeat each other's
        agreement = simulate_against_moments(
            model,
            algorithm,
            STEPS,
            t,
            RUNS,
            seed,
            budget,
            name,
            alpha=ALPHA,
            theta0=[1.0, -0.5][:d],
            stop_early=False,
            simulator=simulate,
        )
        found.append(agreement)
    return tuple(found)


def _lambdas(schedules: str, t: int) -> tuple[Fraction, ...]:
    if schedules == "constant":
        return (Fraction(1, 2),) * t
    return (Fraction(1),) if schedules == "n_step" else (Fraction(3, 4), Fraction(1, 4))


def _run(
    target: Target,
    algorithm: str,
    model: Model,
    lambdas: tuple[Fraction, ...],
    paths: Trajectory,
    step_sizes: StepSizes,
    theta0: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    seed: int,
    time_limit: float,
) -> Replicates:
    runs, steps = paths.rewards.shape
    alphas, betas = (tuple(sizes.tolist()) for sizes in step_sizes.arrays(steps))
    start = tuple(float(x) for x in theta0)
    cases = [Case("law", model, lambdas, paths.run(i), alphas, betas, start) for i in range(runs)]
    needs_w = algorithm in ("gtd", "tdc")
    recording = record(target, cases, needs_w=needs_w, modes=("reused",), seed=seed, time_limit=time_limit)
    if recording.stop is not None:
        stop = recording.stop
        raise StoppedError(f"in run {stop.case + 1} of {runs}, {messages.stopped(stop, cases[stop.case])}")
    for number, path in enumerate(recording.paths["reused"], start=1):
        step = divergence(path)
        if step is not None:
            raise StoppedError(f"run {number} of {runs} diverges: it passed 1e100 after {step} of {steps} updates")
        if np.isnan(path).any():
            raise StoppedError(f"run {number} of {runs} is not a number")
    ends = np.array([(theta[-1], w[-1]) for theta, w in recording.paths["reused"]])
    return Replicates(ends[:, :1], ends[:, 1:], np.full(runs, -1, dtype=np.int64))
