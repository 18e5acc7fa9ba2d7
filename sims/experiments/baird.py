"""Baird's star as in A5.3: its steps, and the RMSPBE along runs.

Said there: EqualWeights(4, 6), α = 0.005 and β = 0.05. Not said: the discount, here always an argument; the start, here
the θ_0 of Sutton and Barto (2018), Example 11.1, in a state drawn from the stationary law, which is uniform.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tdcert.sims.algorithms import run
from tdcert.sims.experiments.gtd_lambda import GTD_LAMBDA, GTDLambda
from tdcert.sims.kernels import sample, simulate
from tdcert.sims.step_sizes import Constant, StepSizes
from tdcert.sims.streams import run_states
from tdcert.sims.trajectories import Sampler, uniform_start
from tdcert.theory.model.key_matrices import behaviour_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

Array = NDArray[np.float64]

SCHEDULE = Schedule.equal_weights(4, 6)
ALPHA, BETA = Fraction(1, 200), Fraction(1, 20)
ETA = BETA / ALPHA
THETA_0 = (1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 10.0, 1.0)
"""Start values: predictions 3 in the six outer states and 12 in the seventh."""


def rmspbe(model: Model, thetas: Array) -> Array:
    """√((Aθ + b)ᵀC⁺(Aθ + b)) for θ's of shape (…, d): Lemma 3.1, with the pseudo-inverse, as C has rank 7 of 8."""
    keys = behaviour_matrices(model, model.behaviour_chain.recurrent_classes[0])
    A, b, C = (matrix.to_float() for matrix in (keys.A, keys.b, keys.C))
    error = thetas @ A.T + b[:, 0]
    squared = np.einsum("...i,ij,...j->...", error, np.linalg.pinv(C, hermitian=True), error)
    return np.asarray(np.sqrt(np.maximum(squared, 0.0)))


def error_bands(model: Model, algorithm: str, times: Sequence[int], runs: int, seed: int, name: str) -> Array:
    """RMSPBE at the ``times`` (from 0, increasing) of ``runs`` runs: their deciles 1, 5 and 9, shape (3, times).

    ``algorithm``: one of the paper's four, or :data:`GTD_LAMBDA` with a λ without end. Runs that left the
    range of floats count as infinite.
    """
    steps = StepSizes(Constant(float(ALPHA)), Constant(float(BETA)))
    if algorithm == GTD_LAMBDA:
        paths = sample(Sampler.of(model, uniform_start(model)), run_states(seed, name, runs), times[-1])
        thetas, _ = run(GTDLambda(), paths, (), *steps.arrays(times[-1]), THETA_0, tail=float(model.schedule.tail))
        errors = rmspbe(model, np.moveaxis(thetas, 0, 1)[:, list(times)])
    else:
        found = simulate(model, algorithm, steps, times, runs, seed, name, start=uniform_start(model), theta0=THETA_0)
        errors = rmspbe(model, found.thetas)
        beyond = (found.diverged_at[:, None] >= 0) & (np.asarray(times) >= found.diverged_at[:, None])
        errors = np.where(beyond, np.inf, errors)
    ordered = np.sort(errors, axis=0)
    return np.asarray(ordered[[runs // 10, runs // 2, runs - 1 - runs // 10]])
