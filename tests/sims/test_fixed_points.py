"""Simulations of all four algorithms against theory: moments at finite t, and the fixed-point equation.

The models are fixed, seeded sets; every random comparison spends a named share of the error budget. That the same
comparisons fail for wrong variants is seen in ``test_variants.py``, ``tests/claims/test_simulated_halves.py`` and the
mutants.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tdcert.algorithms.schedules import scheduled
from tdcert.sims.algorithms import ALGORITHMS
from tdcert.sims.comparison_frame import Sampling, Target, require_sharp
from tdcert.sims.finite_time_comparison import simulate_against_moments, simulate_fixed_point
from tdcert.sims.judge.agreement import ErrorBudget, judge_mean
from tdcert.sims.random_models import assemble, connected, features, garnet, policy, random_model, rewards
from tdcert.sims.step_sizes import Polynomial, StepSizes
from tdcert.sims.streams import generator
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.engine import nodes
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.laws.increments import increment_moments
from tdcert.theory.model.key_matrices import behaviour_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tests.effort import by_default, later
from tests.sims.readable import readable_simulator
from tests.sims.walks import birth_death, ring

F = Fraction
SEED = 20240229
RUNS = 100_000
STEPS = StepSizes(Polynomial(0.2, 5.0, 0.7), Polynomial(0.2, 5.0, 0.6))


def doubling() -> Model:
    """θ → 2θ at γ = 0.99: off-policy, A = 3κ − 5/2 > 0."""
    half, second = [F(1, 2)] * 2, [F(0), F(1)]
    reward = RationalMatrix.column([1, -1])
    return Model(
        ("first", "second"),
        (RationalMatrix([[1, 0]] * 2), RationalMatrix([[0, 1]] * 2)),
        (reward, reward),
        (RationalMatrix.column([F(99, 100)] * 2),) * 2,
        RationalMatrix([half] * 2),
        RationalMatrix([second] * 2),
        RationalMatrix([[1], [2]]),
        Schedule(),
        "θ → 2θ",
    )


def small(n: int, d: int, length: int, **kind: object) -> Model:
    """A random model of few windows; the stream's name holds everything that was asked for."""
    named = ", ".join(f"{key} {value}" for key, value in kind.items())
    rng = generator(SEED, f"small {n} {d} {length} {named}")
    return random_model(rng, n, d, length, name=f"n={n} d={d} L={length} {named}".strip(), **kind)  # type: ignore[arg-type]


SMALL_ON = [
    small(2, 1, 0, on_policy=True),
    small(3, 2, 2, on_policy=True),
    small(4, 2, 1, on_policy=True, gamma=None),
]
SMALL_OFF = [
    small(2, 2, 1),
    small(3, 2, 2),
    small(3, 1, 2, gamma=None),
    small(4, 2, 1, coverage=False),
    small(3, 2, 1, kind="deficient"),
    doubling(),
]


def cases(on_policy: list[Model], off_policy: list[Model]) -> list[tuple[str, Model]]:
    """Every algorithm on every model it is made for."""
    found = [("td", model) for model in on_policy]
    return found + [(name, model) for name in ("off_policy_td", "gtd", "tdc") for model in off_policy]


def names(given: list[tuple[str, Model]]) -> list[str]:
    return [f"{algorithm}: {model.name}" for algorithm, model in given]


def theta_star(model: Model) -> RationalMatrix:
    """−A⁻¹b as the behaviour sees it, on the only recurrent class."""
    return behaviour_matrices(model, model.behaviour_chain.recurrent_classes[0]).theta_star


# ---- (a) mean and covariance at a finite time -----------------------------------------------------

SMALL = cases(SMALL_ON, SMALL_OFF)


@pytest.mark.parametrize("t", by_default(1, [8, 1]))
@pytest.mark.parametrize(("algorithm", "model"), SMALL, ids=names(SMALL))
def test_mean_and_covariance_at_a_finite_time(algorithm: str, model: Model, t: int, error_budget: ErrorBudget) -> None:
    found = simulate_against_moments(
        Target(model, algorithm, STEPS, theta0=[1.0] * model.d),
        t,
        Sampling(f"moments, {algorithm}, {model.name}, t={t}", RUNS, SEED, error_budget, 1e-9),
    )
    assert found.agrees, found.sentence()
    # a promise of power goes with every comparison: what is caught is close to what sampling allows
    for radius, sampling, size in zip(found.radius, found.sampling_radius, found.detectable, strict=True):
        assert radius <= 1.1 * sampling + 1e-5 and size <= 2 * radius


def test_a_comparison_blurred_by_rounding_is_refused() -> None:
    """A slack as large as the sampling radius is refused; one of a hundredth of it, or of 1e-7 without
    variance, is not."""
    x = generator(SEED, "blurred").standard_normal((10_000, 1))
    sharp = judge_mean(x, 0.0, 1.0, alpha=1e-3, name="sharp", data_slack=4e-4)
    fixed = judge_mean(np.zeros((10, 1)), 0.0, 0.0, alpha=1e-3, name="fixed", data_slack=1e-7)
    blurred = judge_mean(x, 0.0, 1.0, alpha=1e-3, name="blurred", data_slack=0.04)
    for found in (sharp, fixed):
        require_sharp(found, np.ones(1))
    with pytest.raises(BudgetExceededError, match=r"'blurred': rounding may move 0 by 0\.04"):
        require_sharp(blurred, np.ones(1))


def test_agreement_repeats_bit_for_bit() -> None:
    model = SMALL_OFF[1]
    one, two = (
        simulate_against_moments(Target(model, "tdc", STEPS), 3, Sampling("repeat", 2000, 7, ErrorBudget()))
        for _ in range(2)
    )
    assert one == two


# ---- (b) the fixed-point equation, models of any size ---------------------------------------------


def large() -> tuple[list[Model], list[Model]]:
    rng = generator(SEED, "large")
    on, off = [], []
    parts = [
        (
            connected(ring(rng, 50)),
            features(rng, 50, 5, "aggregated"),
            Schedule.equal_weights(3, 8),
            "ring of 50",
        ),
        (
            birth_death(rng, 20),
            features(rng, 20, 20, "one_hot"),
            Schedule.n_step(5),
            "birth–death chain of 20",
        ),
    ]
    for P, phi, schedule, name in parts:
        only = RationalMatrix([[1]] * P.shape[0])
        on.append(assemble([P], rewards(rng, P.shape[0], 1, True), F(9, 10), only, None, phi, schedule, name))
    for length in (0, 3, 6):
        transitions = [connected(M) for M in garnet(rng, 60, 2, 5)]
        reward, mu, pi = rewards(rng, 60, 2), policy(rng, 60, 2), policy(rng, 60, 2)
        # a target near the behaviour keeps the ratios, and so the variance, moderate
        target = mu.scaled(F(3, 4)) + pi.scaled(F(1, 4))
        phi = features(rng, 60, 8)
        off.append(
            assemble(
                transitions,
                reward,
                F(4, 5),
                mu,
                target,
                phi,
                Schedule.constant(F(3, 4), length),
                f"Garnet 60, L={length}",
            )
        )
    return on, off


LARGE_ON, LARGE_OFF = large()
FIXED = cases(SMALL_ON + LARGE_ON, [m for m in SMALL_OFF if m.features.rank == m.d] + LARGE_OFF)


@pytest.mark.parametrize(("algorithm", "model"), later(FIXED, lambda case: case[1].n > 4), ids=names(FIXED))
def test_mean_increment_at_the_fixed_point_is_zero(algorithm: str, model: Model, error_budget: ErrorBudget) -> None:
    found = simulate_fixed_point(
        Target(model, algorithm),
        theta_star(model),
        Sampling(f"fixed point, {algorithm}, {model.name}", RUNS // 2, SEED, error_budget, 1e-9),
    )
    assert found.agrees, found.sentence()


@pytest.mark.parametrize("algorithm", ["gtd", "tdc"])
def test_mean_increment_away_from_w_zero(algorithm: str, error_budget: ErrorBudget) -> None:
    model = SMALL_OFF[1]
    found = simulate_fixed_point(
        Target(model, algorithm),
        theta_star(model),
        Sampling(f"increment at w, {algorithm}, {model.name}", RUNS, SEED, error_budget, 2e-9),
        w=[1.0, -0.5],
    )
    assert found.agrees, found.sentence()


@pytest.mark.parametrize("algorithm", ["off_policy_td", "gtd", "tdc"])
def test_a_wrong_fixed_point_is_noticed(algorithm: str, error_budget: ErrorBudget) -> None:
    """θ* moved along one feature, so far that the mean increment moves by three detectable deviations."""
    model = LARGE_OFF[1]
    truth = theta_star(model).column_entries()
    right = simulate_fixed_point(
        Target(model, algorithm),
        truth,
        Sampling(f"{algorithm}: the right fixed point", RUNS // 2, SEED, error_budget, 1e-9),
    )
    A = behaviour_matrices(model, tuple(range(model.n))).A.to_float()
    shift = F(3 * max(right.detectable) / abs(A[:, 0]).max())
    wrong = simulate_fixed_point(
        Target(model, algorithm), [truth[0] + shift, *truth[1:]], Sampling("wrong", RUNS // 2, SEED, ErrorBudget())
    )
    assert right.agrees and not wrong.agrees, (right.sentence(), wrong.sentence())


@pytest.mark.thorough
def test_comparisons_that_cannot_be_made_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodes, "PROPAGATED_MOVES", 40_000)  # the real bound takes seconds to reach
    endless = SMALL_ON[0].with_schedule(Schedule.constant(F(1, 2)))
    with pytest.raises(InputError, match="without end"):
        simulate_fixed_point(Target(endless, "td"), [F(0)], Sampling("endless", 10, 0, ErrorBudget()))
    with pytest.raises(BudgetExceededError):
        simulate_against_moments(Target(LARGE_OFF[2], "gtd", STEPS), 3, Sampling("large", 10, 0, ErrorBudget()))
    one = Model.reward_process(RationalMatrix([[1]]), RationalMatrix.column([1]), F(1, 2))
    with pytest.raises(InputError, match="diverged at step 1"):
        simulate_fixed_point(Target(one, "td"), [F(10) ** 101], Sampling("far away", 10, 0, ErrorBudget()))
    with pytest.raises(BudgetExceededError, match="too much for floats"):
        simulate_against_moments(
            Target(one, "td", StepSizes(Polynomial(1e60, 1.0, 1.0))), 9, Sampling("overflow", 10, 0, ErrorBudget())
        )


# ---- the readable twins along the kernels' own trajectories ---------------------------------------


def remembering(on_policy: bool) -> Model:
    """Four states in a ring, walked mostly forwards, values far from linear: what happened earlier matters
    for δ now.
    """

    def walk(step: int, move: Fraction) -> RationalMatrix:
        return RationalMatrix(
            [[move * (j == (i + step) % 4) + (1 - move) * (i == j) for j in range(4)] for i in range(4)]
        )

    behaviour = RationalMatrix([[F(3, 4), F(1, 4)]] * 4)
    reward = RationalMatrix.column([1, -1, 3, 0])
    return assemble(
        [walk(1, F(9, 10)), walk(2, F(1, 2))],
        [reward, reward],
        F(9, 10),
        behaviour,
        None if on_policy else RationalMatrix([[F(9, 10), F(1, 10)]] * 4),
        RationalMatrix([[1, 0], [1, 1], [0, 2], [-1, 1]]),
        Schedule((F(3, 4), F(1, 4))),
        "remembering",
    )


def _model_for(algorithm: str) -> Model:
    return remembering(on_policy=algorithm == "td")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_readable_twins_agree(algorithm: str, error_budget: ErrorBudget) -> None:
    """Both comparisons, where what happened earlier matters."""
    model = _model_for(algorithm)
    moments = simulate_against_moments(
        Target(model, algorithm, STEPS, theta0=[1.0] * model.d, simulator=readable_simulator()),
        8,
        Sampling(f"readable moments, {algorithm}", 30_000, SEED, error_budget, 2e-9),
    )
    fixed = simulate_fixed_point(
        Target(model, algorithm, simulator=readable_simulator()),
        theta_star(model),
        Sampling(f"readable fixed point, {algorithm}", 60_000, SEED, error_budget, 1e-9),
        w=[1.0, -0.5],
    )
    assert moments.agrees and fixed.agrees, (moments.sentence(), fixed.sentence())


def test_variance_at_the_fixed_point_is_not_an_estimate() -> None:
    """The radius comes from E[δ² z zᵀ], computed; it scales with 1/√N whatever the data."""
    model = SMALL_OFF[1]
    variance = increment_moments(model, scheduled("off_policy_td"), theta_star(model).to_float()[:, 0]).covariance[0, 0]
    radii = [
        simulate_fixed_point(
            Target(model, "off_policy_td"), theta_star(model), Sampling("r", n, seed, ErrorBudget(), stop_early=False)
        ).radius[0]
        for n, seed in ((1000, 1), (4000, 2))
    ]
    assert variance > 0 and radii[0] == pytest.approx(2 * radii[1], rel=1e-6)
