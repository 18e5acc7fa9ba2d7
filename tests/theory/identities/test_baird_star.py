"""Baird's star in symbols: the exact boundary against eigenvalues on both sides, and the identities seen to fail."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tdcert.algorithms.schedules import scheduled
from tdcert.sims.experiments.baird import THETA_0, rmspbe
from tdcert.theory.arithmetic import SymbolicRing
from tdcert.theory.check.critical_discount import critical_discounts
from tdcert.theory.check.mean_dynamics import td_dynamics
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.identities import baird_star as star
from tdcert.theory.model.gallery import STAR_SCALE, bairds_star, bairds_star_of_full_rank
from tdcert.theory.model.key_matrices import behaviour_matrices, gtd_lambda_correction
from tdcert.theory.model.schedule import Schedule

F = Fraction
STATES = tuple(range(7))
SCHEDULES = (
    Schedule(),
    Schedule.n_step(3),
    Schedule.equal_weights(4, 6),
    Schedule.equal_weights(1, 4),
    Schedule.constant(F(1, 2)),
    Schedule.constant(F(9, 10)),
    Schedule.constant(F(3, 4), 3),
)


def test_the_identities_hold() -> None:
    assert star.kappa_alone_identity() and star.td_spectrum_identity() and star.gradient_is_regular()
    assert all(star.printed_gtd_lambda_identity(n) for n in (1, 2))
    assert all(star.joint_dynamics_stable(scheduled(algorithm), F(10)) for algorithm in ("gtd", "tdc"))


@pytest.mark.parametrize("schedule", SCHEDULES, ids=str)
def test_the_boundary_against_eigenvalues_and_the_exact_verdict_on_both_sides(schedule: Schedule) -> None:
    """κ = 15/17 as a root in γ: just below it TD is stable in the mean, just above it is not."""
    ((low, high),) = critical_discounts(schedule, star.CRITICAL_KAPPA)
    assert high - low <= F(1, 2**32)
    for gamma, sign in ((low - F(1, 2**20), -1), (high + F(1, 2**20), 1)):
        model = bairds_star_of_full_rank(gamma, schedule)
        A = behaviour_matrices(model, STATES).A.to_float() / STAR_SCALE
        largest = float(np.linalg.eigvals(A).real.max())
        # a double rounds A at about 1e-15; the real part moves by (17/14) κ'(γ) 2^-20, κ' ≥ 1/10 here
        assert largest * sign > 1e-8
        expected = MeanDynamics.STABLE if sign < 0 else MeanDynamics.UNSTABLE
        assert td_dynamics(model, STATES).mean_dynamics is expected


def test_known_boundaries() -> None:
    """TD(0): κ = γ. TD(1/2): γ/(2 − γ) = 15/17 at γ = 15/16. EqualWeights(4, 6): γ⁴ + γ⁵ + γ⁶ = 45/17."""
    kappa = star.CRITICAL_KAPPA
    assert kappa == F(15, 17)
    ((low, high),) = critical_discounts(Schedule(), kappa)
    assert low <= kappa <= high
    assert critical_discounts(Schedule.constant(F(1, 2)), kappa) == ((F(15, 16), F(15, 16)),)
    assert critical_discounts(Schedule.constant(F(1)), kappa) == ()
    ((low, high),) = critical_discounts(Schedule.equal_weights(4, 6), kappa)
    assert low**4 + low**5 + low**6 <= F(45, 17) <= high**4 + high**5 + high**6
    assert round(float(low), 5) == 0.97524


def test_eigenvalues_of_td_are_those_of_the_symbols() -> None:
    """−4/7 five times, and the roots of x² − (17κ − 15)x/7 + 26(1 − κ)/49."""
    for gamma in (F(1, 2), F(9, 10)):
        model = bairds_star(gamma, Schedule.equal_weights(1, 3))
        kappa = float(model.kappa or 0)
        found = np.sort_complex(np.linalg.eigvals(behaviour_matrices(model, STATES).A.to_float()))
        pair = np.roots([1, (15 - 17 * kappa) / 7, 26 * (1 - kappa) / 49])
        assert np.allclose(found, np.sort_complex(np.array([*pair, *[-4 / 7] * 5, 0.0])), atol=1e-7)


def test_seven_features_have_the_inner_products_of_eight() -> None:
    Phi, G = bairds_star(F(1, 2)).features, bairds_star_of_full_rank(F(1, 2)).features
    assert (Phi @ Phi.T).scaled(STAR_SCALE) == G @ G.T and G.rank == G.shape[1] == 7


def test_the_correction_of_gtd_lambda_without_its_one_minus_lambda_is_told_apart() -> None:
    model = bairds_star(F(9, 10), Schedule.constant(F(1, 2)))
    keys = behaviour_matrices(model, STATES)
    right = gtd_lambda_correction(keys)
    assert right == (keys.A + keys.C).T
    assert right.scaled(2) != (keys.A + keys.C).T  # (1 − λ) left out


def test_positivity_below_one_sees_roots() -> None:
    """(κ − 1/2)² touches zero, 1 − κ only at the end, κ at the beginning, κ − 2 is negative."""
    ring = SymbolicRing("k")
    (k,) = ring.symbols
    assert star.positive_below_one(ring, 1 - k) and star.positive_below_one(ring, (1 - k) ** 2 * (k + 1))
    assert not any(star.positive_below_one(ring, p) for p in ((k - F(1, 2)) ** 2, k, k - 2, (k - 1) * (k + 1)))


@pytest.mark.parametrize(
    "roots", [(-1, -2), (-1, -2, -3), (-1, -2, -3, -4), (1, -2), (-1, -2, 3), (-1, 2, -3, 4), (1, -2, -3, -4)]
)
def test_hurwitz_determinants_know_the_signs_of_the_roots(roots: tuple[int, ...]) -> None:
    coefficients = [int(x) for x in np.rint(np.poly(roots))]
    assert all(x > 0 for x in star.hurwitz_determinants(coefficients)) is all(x < 0 for x in roots)


def test_hurwitz_determinants_see_a_complex_pair_that_grows() -> None:
    """(x² − x/5 + 1)(x + 2)²: all coefficients are positive, and so are Δ_1 and Δ_2."""
    coefficients = [F(1), F(19, 5), F(21, 5), F(16, 5), F(4)]
    assert np.roots([float(x) for x in coefficients]).real.max() > 0.09
    assert not all(x > 0 for x in star.hurwitz_determinants(coefficients))


def test_rmspbe_of_the_classical_start() -> None:
    """TD(0) at γ = 99/100 and θ = (1, …, 1, 10, 1): predictions are 3 (six times) and 12, so δ is 297/25 − 3 and −3/25;
    Φ spans all functions of the state, so nothing is projected away.
    """
    model = bairds_star(F(99, 100))
    expected = ((6 * (297 / 25 - 3) ** 2 + (3 / 25) ** 2) / 7) ** 0.5
    found = rmspbe(model, np.array([[THETA_0]]))
    assert found.shape == (1, 1) and found[0, 0] == pytest.approx(expected, rel=1e-12)
    assert round(expected, 6) == 8.221408
