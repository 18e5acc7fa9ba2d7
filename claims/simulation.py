"""The simulated half of Theorems 4.3, 4.4 and 4.6: runs against the exact law of the iterates, and the convergence
itself.

At a finite time E θ_t is not yet θ*, so a simulation is never compared with θ* directly. Three comparisons take its
place:

(a) E and Cov of (θ_t, w_t), propagated exactly on the window chain, against many independent runs (small models);
(b) E_0[δ_t(θ*) z_t] = 0 and its GTD and TDC forms, sampled from stationary starts (models of any size);
(c) ‖E θ_t − θ*‖, exact, along the same step sizes: the convergence, drawn as a plot. Beside it off-policy TD where
it diverges.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from claims.claim import Simulated
from claims.figures import Figure, Series
from sims.agreement import Agreement, ErrorBudget
from sims.evidence import simulate_against_moments, simulate_fixed_point
from sims.random_models import random_model
from sims.step_sizes import Polynomial, StepSizes
from sims.streams import generator
from sims.trajectories import uniform_start
from theory.check.moments import convergence_series
from theory.model import gallery
from theory.model.key_matrices import behaviour_matrices
from theory.model.mdp import Model
from theory.model.schedule import Schedule

RUNS = 20_000
"""Independent runs of comparison (a)."""
SAMPLES = 200_000
"""Independent samples of comparison (b)."""
TIME = 12
"""Time at which the law of the iterates is compared."""
CONVERGENCE_TIMES = tuple(round(10 ** (k / 8)) for k in range(8, 41))
"""Times of the convergence plot, evenly spaced on a logarithmic axis up to 10⁵."""

STEPS = StepSizes(Polynomial(10.0, 100.0, 0.75), Polynomial(10.0, 100.0, 0.75))
"""α_t = β_t = 10/(t + 100)^{3/4}: non-increasing, within Assumptions 1 and 4."""
TWO_TIMESCALES = StepSizes(Polynomial(10.0, 100.0, 0.8), Polynomial(5.0, 100.0, 0.6))
"""α_t/β_t → 0, both non-increasing: within Assumptions 1 and 5."""


def small_model(algorithm: str) -> Model:
    """A model whose windows can be enumerated: a three-state chain on-policy, θ→2θ off-policy (TD is unstable
    there).
    """
    if algorithm == "td":
        rng = generator(1, "claims/simulation/td")
        model = random_model(rng, 3, 2, 2, on_policy=True, gamma=Fraction(3, 4))
        return model.with_schedule(Schedule.equal_weights(1, 3))
    return gallery.theta_to_two_theta(Fraction(99, 100), Schedule((Fraction(1, 8),)), (1, 0))


def larger_model(algorithm: str) -> Model:
    """Eight states, three features, EqualWeights(2, 4): too many windows to enumerate, few enough to sample."""
    rng = generator(2, f"claims/simulation/{algorithm}")
    model = random_model(rng, 8, 3, 3, on_policy=algorithm == "td", gamma=Fraction(9, 10))
    return model.with_schedule(Schedule.equal_weights(2, 4))


def simulate_limit(algorithm: str, seed: int, budget: ErrorBudget) -> Sequence[Simulated]:
    """Comparisons (a) and (b) for one algorithm, with the plot (c)."""
    steps = TWO_TIMESCALES if algorithm == "tdc" else STEPS
    model, larger = small_model(algorithm), larger_model(algorithm)
    law = simulate_against_moments(model, algorithm, steps, TIME, RUNS, seed, budget, f"{algorithm}: moments")
    (states,) = larger.behaviour_chain.recurrent_classes
    theta = behaviour_matrices(larger, states).theta_star
    point = simulate_fixed_point(larger, algorithm, theta, SAMPLES, seed, budget, f"{algorithm}: fixed point")
    return (
        Simulated(
            law, "E and Cov of the iterates at a finite time", _summary(law, f"mean and covariance at t = {TIME}"),
            (_plot(algorithm),),
        ),
        Simulated(point, "the fixed-point equation at θ*", _summary(point, "E_0[δ(θ*) z] = 0")),
    )  # fmt: skip


def _summary(agreement: Agreement, what: str) -> str:
    return f"{what}, {agreement.n} independent samples, largest deviation {agreement.statistic:.2f} of what is allowed"


def _plot(algorithm: str) -> Figure:
    """(c): ‖E θ_t − θ*‖ along the steps, off-policy TD beside the gradient algorithms."""
    model = small_model(algorithm)
    names = {
        "td": "TD(λ)-schedule",
        "off_policy_td": "off-policy TD(λ)-schedule",
        "gtd": "GTD(λ)-schedule",
        "tdc": "TDC(λ)-schedule",
    }
    shown = ["td"] if algorithm == "td" else [algorithm, "off_policy_td"]
    series = []
    for name in shown:
        steps = TWO_TIMESCALES if name == "tdc" else STEPS
        found = convergence_series(
            model, name, steps.arrays(CONVERGENCE_TIMES[-1]), CONVERGENCE_TIMES, start=uniform_start(model)
        )
        points = [(t, y) for t, y in zip(found.times, found.distance, strict=True) if 0 < y < 1e6]
        series.append(Series(names[name], tuple(float(t) for t, _ in points), tuple(y for _, y in points)))
    claim = {"td": "thm_4_3", "gtd": "thm_4_4", "tdc": "thm_4_6"}[algorithm]
    caption = (
        f"Distance of the exactly propagated mean from θ*, {model.name or 'a random chain of three states'}; "
        "a deterministic computation, no simulation."
    )
    return Figure(
        f"convergence_{algorithm}", claim, "The mean iterate approaches θ*", "t", "‖E θ_t − θ*‖",
        tuple(series), caption, log_x=True, log_y=True,
    )  # fmt: skip
