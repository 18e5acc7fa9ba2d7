"""In law: where an implementation's own randomness or precision moves its paths, its moments are judged instead.

Independent runs under the behaviour policy, each handed to the class; mean and covariance of (θ_t, w_t) against
their exact values (``tdcert.sims.finite_time_comparison``), at a stated false-alarm rate.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from tdcert.sims.comparison_frame import Sampling, Target
from tdcert.sims.conformance import messages
from tdcert.sims.conformance.battery import TrialCase
from tdcert.sims.conformance.path_differences import Array, Path, divergence
from tdcert.sims.conformance.recording import record
from tdcert.sims.conformance.updates import paper_slots
from tdcert.sims.experiments.gtd_lambda import WITHOUT_RATIOS
from tdcert.sims.finite_time_comparison import simulate_against_moments
from tdcert.sims.judge.agreement import Agreement, ErrorBudget
from tdcert.sims.kernels import Replicates
from tdcert.sims.random_models import random_model
from tdcert.sims.step_sizes import Polynomial, StepSizes
from tdcert.sims.streams import generator, run_states
from tdcert.sims.trajectories import Sampler
from tdcert.sims.trials.limits import RUNS
from tdcert.sims.trials.place import CodePlace
from tdcert.sims.trials.stops import refuse_undecided
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

ALPHA = 1e-9
"""False-alarm rate of one comparison."""

SIZES = ((2, 1), (3, 2))
"""States and features of the models."""

STEPS = StepSizes(Polynomial(0.4, 2.0, 0.7), Polynomial(0.5, 2.0, 0.6))


class StoppedError(Exception):
    """The class raised, hung, left or diverged while it was run; the message says how far it was."""


def compare_in_law(
    place: CodePlace,
    algorithm: str,
    schedules: str,
    seed: int,
    time_limit: float,
    every: int = 1,
    gamma: Fraction | None = None,
    takes: str = "theta0",
) -> tuple[Agreement, ...]:
    """One comparison per model, after t = 4 updates, or the next multiple of ``every``; ``gamma``: the one discount.

    ``takes``: what ``reset`` names of θ_0 and w_0; θ starts at zero where it does not take θ_0, w always.

    Raises :class:`StoppedError` where the class does not finish its runs, or diverges: there is no mean then; and
    :class:`InputError` where it has not ended by the time limit.
    """
    t = -(-4 // every) * every
    known = {"constant": (Fraction(1, 2),) * t, "n_step": (Fraction(1),), "zero": (Fraction(0),) * t}
    lambdas = known.get(schedules, (Fraction(3, 4), Fraction(1, 4)))
    alphas, betas = (tuple(sizes.tolist()) for sizes in STEPS.arrays(t))

    def simulate(model: Model, *asked: Any, start: Sequence[Fraction], theta0: Sequence[float], w0: None) -> Replicates:
        # all runs in one process: a class seeds its random numbers once, and runs must not repeat each other's
        paths = Sampler.of(model, start).paths(run_states(seed, asked[-1], RUNS), t)
        fixed = None if gamma is None else float(gamma)
        starts = tuple(theta0), fixed, (0.0,) * model.d if "w0" in takes else ()
        cases = [TrialCase("law", model, lambdas, paths.run(i), alphas, betas, *starts) for i in range(RUNS)]
        slots = partial(paper_slots, algorithm)
        recording = record(place, cases, slots=slots, modes=("reused",), seed=seed, time_limit=time_limit)
        if recording.stop is not None:
            stop = recording.stop
            sentence = messages.stopped(stop, cases[stop.case])
            refuse_undecided(place, stop, sentence)
            raise StoppedError(f"in run {stop.case + 1} of {RUNS}, {sentence}")
        ends = np.array([_end(number, path, t) for number, path in enumerate(recording.paths["reused"], start=1)])
        return Replicates(ends[:, :1], ends[:, 1:], np.full(RUNS, -1, dtype=np.int64))

    found, given = [], "theta0" in takes
    for n, d in SIZES:
        name = f"{algorithm} in law, {n} states, {d} features, t = {t}"
        model = random_model(generator(seed, name), n, d, 0, on_policy=algorithm in WITHOUT_RATIOS, gamma=gamma)
        model = model.with_schedule(Schedule(lambdas))
        target = Target(model, algorithm, STEPS, theta0=[1.0 * given, -0.5 * given][:d], simulator=simulate)
        sampling = Sampling(name, RUNS, seed, ErrorBudget(ALPHA), ALPHA, stop_early=False)
        found.append(simulate_against_moments(target, t, sampling))
    return tuple(found)


def _end(number: int, path: Path, steps: int) -> tuple[Array, Array]:
    """The last (θ, w) of a run."""
    step = divergence(path)
    if step is not None:
        raise StoppedError(f"run {number} of {RUNS} diverges: it passed 1e100 after {step} of {steps} updates")
    if any(np.isnan(part).any() for part in path):
        raise StoppedError(f"run {number} of {RUNS} is not a number")
    return path[0][-1], path[1][-1] if len(path) > 1 else np.zeros_like(path[0][-1])
