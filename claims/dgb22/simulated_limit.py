"""The simulated half of Theorems 4.3, 4.4 and 4.6: runs against the exact law of the iterates, and the convergence
itself.

At a finite time E θ_t is not yet θ*, so a simulation is never compared with θ* directly. Four comparisons take its
place:

(a) E and Cov of (θ_t, w_t), propagated exactly on the window chain, against many independent runs (small models);
(b) E_0[δ_t(θ*) z_t] = 0 and its GTD and TDC forms, sampled from stationary starts (models of any size, every kind
    of schedule);
(c) ‖E θ_t − θ*‖, exact, along the same step sizes: the convergence, drawn as a plot. Beside it off-policy TD where
it diverges;
(d) E (θ_t, w_t) at ten times at once, exact and simulated: the curves of the plot, in the band that (d) allows them.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from tdcert.algorithms.schedules import chain_of
from tdcert.claims import kit
from tdcert.claims.dgb22.curves import band, curve, points
from tdcert.claims.kit import Model, RationalMatrix, Schedule
from tdcert.sims.comparison_frame import Sampling, Simulator, Target
from tdcert.sims.finite_time_comparison import simulate_against_moments, simulate_fixed_point, simulate_means
from tdcert.sims.judge.agreement import Agreement, ErrorBudget
from tdcert.sims.kernels import simulate
from tdcert.sims.random_models import assemble, features, random_model
from tdcert.sims.step_sizes import Polynomial, StepSizes
from tdcert.sims.streams import generator
from tdcert.sims.trajectories import uniform_start
from tdcert.theory.figures import Figure
from tdcert.theory.laws.moments import convergence_series
from tdcert.theory.model import gallery
from tdcert.theory.model.key_matrices import behaviour_matrices

RUNS = 20_000
"""Independent runs of comparison (a)."""
SAMPLES = 200_000
"""Independent samples of comparison (b)."""
TIME = 12
"""Time at which the law of the iterates is compared."""
CONVERGENCE_TIMES = tuple(round(10 ** (k / 8)) for k in range(8, 37))
"""Times of the convergence plot, evenly spaced on a logarithmic axis up to 10^{4.5}."""
MEAN_TIMES = (1, 2, 3, 4, 6, 9, 13, 19, 27, 40)
"""Times of comparison (d): beyond them the worst-case bound on the rounding of a path is no longer small."""
SHARE = 2e-9
"""False-alarm rate of each comparison (b), and of (d)."""
CLAIM_OF = {"td": "thm_4_3", "gtd": "thm_4_4", "tdc": "thm_4_6"}
"""The theorem on each algorithm's limit."""

STEPS = StepSizes(Polynomial(10.0, 100.0, 0.75), Polynomial(10.0, 100.0, 0.75))
"""α_t = β_t = 10/(t + 100)^{3/4}: non-increasing, within Assumptions 1 and 4."""
TWO_TIMESCALES = StepSizes(Polynomial(10.0, 100.0, 0.8), Polynomial(5.0, 100.0, 0.6))
"""α_t/β_t → 0, both non-increasing: within Assumptions 1 and 5."""


def small_model(algorithm: str) -> Model:
    """A model whose windows can be enumerated: a three-state chain on-policy; θ→2θ off-policy, where TD is unstable."""
    if algorithm == "td":
        rng = generator(1, "claims/simulation/td")
        model = random_model(rng, 3, 2, 2, on_policy=True, gamma=Fraction(3, 4))
        return model.with_schedule(Schedule.equal_weights(1, 3))
    return gallery.theta_to_two_theta(Fraction(99, 100), Schedule((Fraction(1, 8),)), (1, 0))


def ring_walk(
    name: str, n: int, d: int, schedule: Schedule, *, on_policy: bool, gamma: Fraction | None = Fraction(9, 10)
) -> Model:
    """A slow walk around a ring of n states: actions go one or two steps on, or stay with probability ½; one half of
    the ring pays 2, the other costs 2. ``gamma`` None: every transition has its own discount, from 5/8 to 1.

    On chains that forget their past at once a mistake in the trace hardly changes any mean; here it does. The seed of
    the features is one for which the comparisons see a shifted schedule, and missing ratios, under every kind of λ.
    """
    rng = generator(8, f"claims/simulation/{name}")

    def moves(k: int) -> RationalMatrix:
        return RationalMatrix([[Fraction((i == j) + (j == (i + k) % n), 2) for j in range(n)] for i in range(n)])

    def varied() -> RationalMatrix:
        return RationalMatrix([[Fraction(int(x), 8) for x in rng.integers(5, 9, n)] for _ in range(n)])

    behaviour = RationalMatrix([[Fraction(1, 2)] * 2] * n)
    target = None if on_policy else RationalMatrix([[Fraction(3, 4), Fraction(1, 4)]] * n)
    reward = RationalMatrix.column([2 if s < n // 2 else -2 for s in range(n)])
    return assemble(
        [moves(1), moves(2)],
        [reward, reward],
        [varied(), varied()] if gamma is None else gamma,
        behaviour,
        target,
        features(rng, n, d),
        schedule,
        name,
    )


def larger_models(algorithm: str) -> dict[str, Model]:
    """Every kind of schedule, each on a model of its own: too many windows to enumerate, few enough to sample."""
    any_lambdas = Schedule((Fraction(2, 3), Fraction(1), Fraction(1, 4), Fraction(1, 2)))
    kinds = {
        "EqualWeights(2, 4)": (8, Schedule.equal_weights(2, 4), Fraction(9, 10)),
        "3-step": (6, Schedule.n_step(3), Fraction(9, 10)),
        "constant λ = 3/4": (12, Schedule.constant(Fraction(3, 4), 2), Fraction(9, 10)),
        "any λ's": (10, any_lambdas, None),
    }
    return {
        kind: ring_walk(f"{algorithm}, {kind}", n, 2, schedule, on_policy=algorithm == "td", gamma=gamma)
        for kind, (n, schedule, gamma) in kinds.items()
    }


def simulate_limit(algorithm: str, seed: int, budget: ErrorBudget) -> Sequence[kit.Simulated]:
    """Comparisons (a), (b) and (d) for one algorithm, with the plots (c) and (d)."""
    first, *others = compare(algorithm, seed, budget)
    return [replace(first, figures=(_plot(algorithm),)), *others, means(algorithm, seed, budget)]


def compare(algorithm: str, seed: int, budget: ErrorBudget, simulator: Simulator = simulate) -> list[kit.Simulated]:
    """(a), then (b) for every kind of schedule. Another ``simulator`` takes the place of the kernel to see whether its
    mistakes are noticed.
    """
    steps = TWO_TIMESCALES if algorithm == "tdc" else STEPS
    law = simulate_against_moments(
        Target(small_model(algorithm), algorithm, steps, simulator=simulator),
        TIME,
        Sampling(f"{algorithm}: moments", RUNS, seed, budget),
    )
    what = summary(law, f"mean and covariance at t = {TIME}")
    found = [kit.Simulated(law, "E and Cov of the iterates at a finite time", what)]
    # GTD does not move θ at w = 0, so a comparison there would be blind to half of the update
    dual = algorithm != "td"
    equation = "mean increment at θ* and w = 1" if dual else "E_0[δ(θ*) z] = 0"
    for kind, model in larger_models(algorithm).items():
        (states,) = model.behaviour_chain.recurrent_classes
        point = simulate_fixed_point(
            Target(model, algorithm, simulator=simulator),
            behaviour_matrices(model, states).theta_star,
            Sampling(f"{algorithm}: fixed point, {kind}", SAMPLES, seed, budget, SHARE),
            w=[1.0] * model.d if dual else None,
        )
        what = summary(point, f"{equation}, {kind}")
        found.append(kit.Simulated(point, "the fixed-point equation at θ*", what))
    return found


def means(algorithm: str, seed: int, budget: ErrorBudget, simulator: Simulator = simulate) -> kit.Simulated:
    """(d), drawn: the exact mean in the band in which the mean of the runs must lie, and the mean of the runs."""
    steps = TWO_TIMESCALES if algorithm == "tdc" else STEPS
    model = small_model(algorithm)
    agreement, exact, seen = simulate_means(
        Target(model, algorithm, steps, simulator=simulator),
        MEAN_TIMES,
        Sampling(f"{algorithm}: means along the steps", RUNS, seed, budget, SHARE),
    )
    allowed = np.reshape(agreement.radius, exact.shape)
    names = [f"θ_{k + 1}" for k in range(model.d)] + [f"w_{k + 1}" for k in range(exact.shape[1] - model.d)]
    series = []
    for k, name in enumerate(names):
        low, high = exact[:, k] - allowed[:, k], exact[:, k] + allowed[:, k]
        series += [
            band(f"E {name}, exact", MEAN_TIMES, (low, exact[:, k], high)),
            points(f"{name}, mean of the runs", MEAN_TIMES, seen[:, k]),
        ]
    caption = (
        f"{RUNS:,} runs on {model.name or 'a random chain of three states'}. A band is where their mean must lie if "
        f"the theory is right; that it leaves one anywhere has probability at most {SHARE:.0e}."
    )
    figure = Figure(
        f"means_{algorithm}",
        CLAIM_OF[algorithm],
        "The mean of the runs follows the exact mean",
        "t",
        "mean",
        tuple(series),
        caption,
        log_x=True,
    )
    what = f"E of the iterates at {len(MEAN_TIMES)} times up to t = {MEAN_TIMES[-1]}"
    return kit.Simulated(agreement, what, summary(agreement, what), figures=(figure,))


def summary(agreement: Agreement, what: str) -> str:
    """One comparison in a line: what was compared, on how much, how close it came to the limit, and its power."""
    return f"{what}, {agreement.summary()}"


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
    series, star = [], behaviour_matrices(model, model.behaviour_chain.recurrent_classes[0]).theta_star.to_float()[:, 0]
    for name in shown:
        steps = TWO_TIMESCALES if name == "tdc" else STEPS
        chain = chain_of(model, name, uniform_start(model))
        found = convergence_series(chain, steps.arrays(CONVERGENCE_TIMES[-1]), CONVERGENCE_TIMES, star)
        kept = [(t, y) for t, y in zip(found.times, found.distance, strict=True) if 0 < y < 1e6]
        series.append(curve(names[name], [t for t, _ in kept], [y for _, y in kept]))
    caption = (
        f"Distance of the exactly propagated mean from θ*, {model.name or 'a random chain of three states'}; "
        "a deterministic computation, no simulation."
    )
    return Figure(
        f"convergence_{algorithm}",
        CLAIM_OF[algorithm],
        "The mean iterate approaches θ*",
        "t",
        "‖E θ_t − θ*‖",
        tuple(series),
        caption,
        log_x=True,
        log_y=True,
    )
