"""What the law of the iterates gives away: right variants of the algorithms agree with it, wrong ones do not.

The comparisons are with the exact mean and covariance of (θ_t, w_t) after a few steps, on models made to show every
mistake at once (``telling.py``). The right ones are the functions of ``algorithms/``, the wrong ones those of
``sims/mistakes``, for every algorithm that they touch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tdcert.sims.algorithms import ALGORITHMS, Array, SimulatedTransition, Twin, run
from tdcert.sims.comparison_frame import Sampling, Simulator, Target
from tdcert.sims.finite_time_comparison import simulate_against_moments, simulate_fixed_point
from tdcert.sims.judge.agreement import Agreement, ErrorBudget
from tdcert.sims.mistakes import UpdateMistake, mistakes_in
from tdcert.sims.mistakes.variant import EVERY, Variant
from tdcert.sims.step_sizes import Polynomial, StepSizes
from tdcert.sims.trajectories import Trajectory
from tdcert.theory.model.key_matrices import behaviour_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tests.sims.readable import readable_simulator
from tests.sims.telling import START, drawn, renumbered, telling

F = Fraction
SEED = 20240229
STEPS = StepSizes(Polynomial(0.3, 2.0, 0.5), Polynomial(0.9, 2.0, 0.5))
SCHEDULE = Schedule((F(3, 4), F(1)))
T = 6
RUNS = 40_000
Record = Callable[[str, object], None]


def simulator(kind: type[Twin], numbering: Sequence[int] = (0, 1, 2)) -> Simulator:
    """Steps a readable algorithm along :func:`drawn` paths, the states under other numbers; nothing is compiled."""

    def paths(model: Model, start: Sequence[Fraction], runs: int, steps: int, seed: int, stream: str) -> Trajectory:
        return drawn(renumbered(model, numbering), tuple(start[s] for s in numbering), runs, steps, seed, stream)

    return readable_simulator(dict.fromkeys(EVERY, kind), paths)


def compared(
    algorithm: str, simulate: Simulator, budget: ErrorBudget, name: str, schedule: Schedule = SCHEDULE, t: int = T
) -> Agreement:
    """Mean and covariance of (θ_t, w_t) against the exact ones."""
    return simulate_against_moments(
        Target(
            telling(algorithm == "td", schedule), algorithm, STEPS, start=START, theta0=[1.0, 0.5], simulator=simulate
        ),
        t,
        Sampling(f"variants: {name}, {algorithm}", RUNS, SEED, budget, 2e-9),
    )


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_law_at_a_finite_time(algorithm: str, error_budget: ErrorBudget, record_property: Record) -> None:
    found = compared(algorithm, simulator(ALGORITHMS[algorithm]), error_budget, "as printed")
    record_property("samples", found.n)
    assert found.agrees, found.sentence()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_constant_lambda_without_end(algorithm: str, error_budget: ErrorBudget, record_property: Record) -> None:
    """The functions have a recursion for it; the exact law follows windows."""
    endless = Schedule.constant(F(3, 4))
    found = compared(algorithm, simulator(ALGORITHMS[algorithm]), error_budget, "λ without end", endless, t=4)
    record_property("samples", found.n)
    assert found.agrees, found.sentence()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_fixed_point_equation(algorithm: str, error_budget: ErrorBudget, record_property: Record) -> None:
    """One update from θ* = −A⁻¹b and w: its mean is zero for TD, and what A and C say of w for GTD and TDC."""
    model = telling(algorithm == "td", SCHEDULE)
    theta_star = behaviour_matrices(model, (0, 1, 2)).theta_star
    found = simulate_fixed_point(
        Target(model, algorithm, simulator=simulator(ALGORITHMS[algorithm])),
        theta_star,
        Sampling(f"variants: fixed point, {algorithm}", RUNS, SEED, error_budget, 2e-9, stop_early=False),
        w=[1.0, -0.5],
    )
    record_property("samples", found.n)
    assert found.agrees, found.sentence()


# ---- what is wrong does not agree --------------------------------------------------------------------------------


MISTAKES = [(mistake, name) for name in ALGORITHMS for mistake in mistakes_in(name)]


@pytest.mark.thorough
@pytest.mark.parametrize(("mistake", "algorithm"), MISTAKES, ids=lambda x: getattr(x, "words", x))
def test_every_mistake_breaks_the_law(mistake: UpdateMistake, algorithm: str) -> None:
    found = compared(algorithm, simulator(mistake.variant), ErrorBudget(), mistake.words)
    assert not found.agrees, found.sentence()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_variant_without_a_mistake_is_the_function(algorithm: str) -> None:
    """Its trace is a sum over the window, the function's a recursion: rounding alone differs."""
    path = drawn(telling(algorithm == "td", SCHEDULE), START, 100, T, SEED, "no mistake")
    kinds = ALGORITHMS[algorithm], type("Right", (Variant, ALGORITHMS[algorithm]), {})
    one, other = (run(kind(), path, [0.75, 1.0], *STEPS.arrays(T), [1.0, 0.5], w0=[0.25, -1.0]) for kind in kinds)
    assert np.allclose(one, other, rtol=1e-13, atol=1e-13) and not np.array_equal(one[0][0], one[0][-1])


# ---- variants that are equal in law agree ------------------------------------------------------------------------


class Forwards(Variant):
    """Another recursion: each φ of the window carries its own product of ρ's and γ's, from step to step."""

    def reset(self, **given: Any) -> None:
        super().reset(**given)
        self.carried: list[tuple[Array, Array]] = []

    def trace(self, t: SimulatedTransition) -> Array:
        ratio = np.asarray(self.ratio(t))
        kept = [(product * ratio, phi) for product, phi in [(np.ones_like(ratio), t.phi), *self.carried][: len(self.c)]]
        self.carried = [(product * t.discount, phi) for product, phi in kept]
        return np.asarray(sum(c * product[..., None] * phi for c, (product, phi) in zip(self.c, kept, strict=False)))


class OtherBasis(Twin):
    """Every update is made in coordinates turned by an orthogonal matrix: TD, GTD and TDC do not care which."""

    Q = np.array([[0.6, -0.8], [0.8, 0.6]])

    def step(self, t: SimulatedTransition, alpha: float, beta: float) -> None:
        self.theta, self.w = self.theta @ self.Q, self.w @ self.Q
        super().step(replace(t, phi=t.phi @ self.Q, phi_next=t.phi_next @ self.Q), alpha, beta)
        self.theta, self.w = self.theta @ self.Q.T, self.w @ self.Q.T


class ScaledTrace(Variant):
    """z ten times as large, step sizes a tenth of theirs: the same, where z enters the update once (TD)."""

    def step(self, t: SimulatedTransition, alpha: float, beta: float) -> None:
        super().step(t, alpha / 10, beta)

    def trace(self, t: SimulatedTransition) -> Array:
        return 10 * super().trace(t)


EQUAL: list[tuple[type[Any], str]] = [
    (variant, algorithm) for variant in (Forwards, OtherBasis) for algorithm in ALGORITHMS
]
EQUAL += [(ScaledTrace, algorithm) for algorithm in ("td", "off_policy_td")]


@pytest.mark.parametrize(("variant", "algorithm"), EQUAL)
def test_a_variant_that_computes_the_same_otherwise_agrees(
    variant: type[Twin], algorithm: str, error_budget: ErrorBudget
) -> None:
    """The floats differ from the readable algorithm's, by no more than rounding; the comparison sees nothing wrong."""
    kind = type(f"{variant.__name__} {algorithm}", (variant, ALGORITHMS[algorithm]), {})
    found = compared(algorithm, simulator(kind), error_budget, variant.__name__)
    assert found.agrees, found.sentence()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_another_path_of_the_same_law_agrees(algorithm: str, error_budget: ErrorBudget) -> None:
    """States drawn under other numbers: the same random numbers make other paths, of the same law."""
    model = telling(algorithm == "td", Schedule())
    one, other = (
        drawn(renumbered(model, numbering), tuple(START[s] for s in numbering), 100, T, SEED, "path").phi
        for numbering in ((0, 1, 2), (2, 0, 1))
    )
    assert not np.array_equal(one, other)
    found = compared(algorithm, simulator(ALGORITHMS[algorithm], numbering=(2, 0, 1)), error_budget, "renumbered")
    assert found.agrees, found.sentence()


# ---- what no law shows: where an episode begins, and reset -----------------------------------------------------


def scalar(phi: float, phi_next: float, first: bool) -> SimulatedTransition:
    """One transition with reward 1, discount 1/2 and ρ = 1, one feature."""
    return SimulatedTransition(0, 0, 1.0, 0, np.array([phi]), np.array([phi_next]), 1.0, 0.5, first)


@pytest.mark.parametrize(
    "schedule", [Schedule((F(1, 2), F(1, 2))), Schedule.constant(F(1, 2))], ids=["window", "recursive"]
)
def test_a_first_step_begins_the_trace_anew(schedule: Schedule) -> None:
    """φ = 1, 3, then an episode that begins with 5 and goes on with 7: z = 1, 3 + 1/4, 5, 7 + 5/4."""
    twin = ALGORITHMS["td"]()
    twin.reset(lambdas=[float(x) for x in schedule.lambdas], theta0=[0.0], tail=float(schedule.tail))
    path = [scalar(1, 3, True), scalar(3, 9, False), scalar(5, 7, True), scalar(7, 1, False)]
    assert [float(twin.trace(t)[0]) for t in path] == [1, 3.25, 5, 8.25]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_reset_forgets_everything(algorithm: str) -> None:
    """After a reset the same path leads to the same bits, though it is not marked as an episode's first step."""
    twin = ALGORITHMS[algorithm]()
    found = []
    for _ in range(2):
        twin.reset(lambdas=[0.5, 0.25], theta0=[2.0])
        for t in (scalar(1, 3, False), scalar(3, 2, False), scalar(2, 1, False)):
            twin.step(t, 0.1, 0.2)
        found.append((float(twin.theta[0]), float(twin.w[0])))
    assert found[0] == found[1]
