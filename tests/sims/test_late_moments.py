"""The exact law of the iterates far from the start: 20,000 runs at t = 2,000, once, in the thorough profile."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tdcert.sims.comparison_frame import Sampling, Target
from tdcert.sims.finite_time_comparison import simulate_against_moments
from tdcert.sims.judge.agreement import ErrorBudget
from tdcert.sims.random_models import random_model
from tdcert.sims.step_sizes import Polynomial, StepSizes
from tdcert.sims.streams import generator
from tdcert.theory.model.gallery import random_walk_5, theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

SEED = 7
STEPS = StepSizes(Polynomial(0.5, 100.0, 0.75), Polynomial(0.5, 100.0, 0.75))
"""Σ α_t is about 7 by then: θ has moved, and the worst path has not yet blown up the rounding of a run."""


def cases() -> list[tuple[str, Model]]:
    """On-policy, off-policy, a schedule that is irregular, and episodes with restarts (discount zero)."""
    rng = generator(SEED, "late moments")
    chain = random_model(rng, 3, 2, 2, on_policy=True, gamma=Fraction(3, 4), name="random chain of three")
    doubling = theta_to_two_theta(Fraction(9, 10), Schedule((Fraction(1, 2),)), (1, 0))
    walk = random_walk_5(Schedule((Fraction(1, 2),))).with_features(
        random_walk_5().features.from_rationals([[Fraction(s, 6)] for s in range(7)])
    )
    return [("td", chain), ("td", walk), ("gtd", doubling), ("tdc", doubling)]


CASES = cases()


@pytest.mark.thorough
@pytest.mark.parametrize(("algorithm", "model"), CASES, ids=[f"{a}: {m.name}" for a, m in CASES])
def test_twenty_thousand_runs_at_t_2000(algorithm: str, model: Model, error_budget: ErrorBudget) -> None:
    found = simulate_against_moments(
        Target(model, algorithm, STEPS, theta0=[1.0] * model.d),
        2_000,
        Sampling(f"late moments, {algorithm}, {model.name}", 20_000, SEED, error_budget, 1e-9),
    )
    assert found.agrees, found.sentence()
