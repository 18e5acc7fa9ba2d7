"""GTD(λ) as A5.3 prints it: its mean update over all paths, and what its trace must carry."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest

from tdcert.sims.algorithms import SimulatedTransition
from tdcert.sims.experiments.gtd_lambda import GTD_LAMBDA, GTDLambda
from tdcert.sims.growth import path_stability
from tdcert.theory.errors import InputError
from tdcert.theory.model.gallery import theta_to_two_theta
from tdcert.theory.model.key_matrices import behaviour_matrices
from tdcert.theory.model.schedule import Schedule

LAM, GAMMA, LENGTH = 0.5, 0.75, 5
SEED = 11


def mean_update(theta: float, w: float, ratio: bool = True) -> tuple[float, float]:
    """E[θ' − θ], E[w' − w] at α = β = 1 on θ→2θ, over all paths of LENGTH + 1 steps from the stationary law.

    Behaviour goes to either state with ½, the target to the second: ρ is 0 or 2. ``ratio``: whether ρ is used.
    """
    total = np.zeros(2)
    paths = list(product((0, 1), repeat=LENGTH + 2))
    for states in paths:
        twin = GTDLambda()
        twin.reset(lambdas=(), theta0=[theta], tail=LAM)
        twin.w = np.array([w])
        for t, (s, after) in enumerate(pairwise(states)):
            rho = 2.0 * after if ratio else 1.0
            phi, ahead = np.array([1.0 + s]), np.array([1.0 + after])
            last = t == LENGTH
            twin.step(
                SimulatedTransition(s, after, 0.0, after, phi, ahead, rho, GAMMA, t == 0), float(last), float(last)
            )
        total += np.array([twin.theta[0] - theta, twin.w[0] - w]) / len(paths)
    return float(total[0]), float(total[1])


def test_its_mean_update_is_the_derived_matrix() -> None:
    """After LENGTH + 1 steps the trace is that of the schedule cut there: (1 − λ)ΦᵀDSNΦ with that S."""
    model = theta_to_two_theta(Fraction(3, 4), Schedule.constant(Fraction(1, 2), LENGTH))
    keys = behaviour_matrices(model, (0, 1))
    moved = keys.S(keys.N @ keys.Phi - keys.Phi).scale_rows(keys.d)
    A, C = float((keys.Phi.T @ moved)[0, 0]), float(keys.C[0, 0])
    correction = (1 - LAM) * float((keys.Phi.T @ keys.S(keys.N @ keys.Phi).scale_rows(keys.d))[0, 0])
    theta, w = 3.0, -2.0
    expected = (A * theta - correction * w, A * theta - C * w)
    assert mean_update(theta, w) == pytest.approx(expected, abs=1e-12)
    assert mean_update(theta, w, ratio=False) != pytest.approx(expected, abs=1e-2)


def test_a_schedule_that_ends_is_refused_in_one_sentence() -> None:
    model = theta_to_two_theta(Fraction(3, 4), Schedule.constant(Fraction(1, 2), LENGTH))
    with pytest.raises(InputError, match="constant λ without end"):
        path_stability(model, GTD_LAMBDA, 0.1, steps=100, runs=2, seed=SEED, name="ends")
