"""Simulations as evidence: early stops, streams of their own for every batch, and divergence reported as divergence.

What is compared is tried in ``test_fixed_points.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

import tdcert.sims.finite_time_comparison
from tdcert.sims.comparison_frame import Sampling, Simulator, Target, batch_name, require_finite
from tdcert.sims.finite_time_comparison import simulate_against_moments, simulate_fixed_point
from tdcert.sims.judge.agreement import Agreement, ErrorBudget
from tdcert.sims.judge.sequential import usual_looks
from tdcert.sims.kernels import Replicates, simulate
from tdcert.sims.step_sizes import Constant, StepSizes
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.errors import InputError
from tdcert.theory.model.key_matrices import behaviour_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tests.sims.readable import readable_simulator

F = Fraction
SEED = 20240229
STEPS = StepSizes(Constant(0.1))
RUNS = 8000


CHAIN = Model.reward_process(
    RationalMatrix([[F(1, 2), F(1, 2)], [F(1, 4), F(3, 4)]]),
    RationalMatrix.column([1, -1]),
    F(1, 2),
    RationalMatrix([[1], [2]]),
    Schedule((F(1, 2),)),
)


def recording(names: list[tuple[str, int]], shift: float = 0.0) -> Simulator:
    """The kernels, noting (stream, runs) of every call; θ is moved by ``shift``."""

    def noted(*given: Any, **named: Any) -> Replicates:
        names.append((given[6], given[4]))
        out = simulate(*given, **named)
        return Replicates(out.thetas + shift, out.ws, out.diverged_at)

    return noted


def law(simulator: Simulator, budget: ErrorBudget, name: str = "law", **given: Any) -> Agreement:
    """Moments at t = 3."""
    target = Target(CHAIN, "td", STEPS, simulator=simulator)
    return simulate_against_moments(target, 3, Sampling(name, RUNS, SEED, budget, 1e-9, **given))


def point(simulator: Simulator, budget: ErrorBudget, name: str = "point", **given: Any) -> Agreement:
    """The fixed-point equation."""
    theta, target = behaviour_matrices(CHAIN, (0, 1)).theta_star, Target(CHAIN, "td", simulator=simulator)
    return simulate_fixed_point(target, theta, Sampling(name, RUNS, SEED, budget, 1e-9, **given))


COMPARISONS = pytest.mark.parametrize("compare", [law, point], ids=["law", "fixed point"])


@COMPARISONS
def test_batches_have_streams_of_their_own_and_stop_when_enough_is_seen(
    compare: Callable[..., Agreement], error_budget: ErrorBudget
) -> None:
    asked: list[tuple[str, int]] = []
    name = f"batches, {compare.__name__}"
    found = compare(recording(asked), error_budget, name)
    looks = usual_looks(RUNS)
    spans = list(zip((0, *looks), looks, strict=False))[: len(asked)]
    assert asked == [(batch_name(found.name, a), b - a) for a, b in spans]
    assert len({name for name, _ in asked}) == len(asked) and asked[0][0] == found.name
    assert found.agrees and found.n == spans[-1][1] <= RUNS == found.most
    again: list[tuple[str, int]] = []
    assert compare(recording(again), ErrorBudget(), name) == found and again == asked


@COMPARISONS
def test_all_samples_are_used_where_stopping_early_is_not_asked_for(
    compare: Callable[..., Agreement], error_budget: ErrorBudget
) -> None:
    asked: list[tuple[str, int]] = []
    found = compare(recording(asked), error_budget, f"all samples, {compare.__name__}", stop_early=False)
    assert found.agrees and found.n == RUNS and [runs for _, runs in asked] == [RUNS]


@COMPARISONS
def test_a_gross_mistake_shows_at_the_first_look(compare: Callable[..., Agreement]) -> None:
    asked: list[tuple[str, int]] = []
    found = compare(recording(asked, shift=2.0), ErrorBudget())
    assert not found.agrees and found.n == usual_looks(RUNS)[0] and len(asked) == 1


@COMPARISONS
def test_chi_square_of_the_mean_stands_beside_the_verdict(compare: Callable[..., Agreement]) -> None:
    """One coordinate of θ has one degree of freedom; with the mean far off its value says so too."""
    right, wrong = compare(simulate, ErrorBudget()), compare(recording([], shift=2.0), ErrorBudget())
    assert right.chi_square is not None and wrong.chi_square is not None
    assert right.chi_square[1] == wrong.chi_square[1] == 1 and wrong.chi_square[0] > 100 * right.chi_square[0]


def test_the_fixed_point_equation_sees_a_wrong_variance() -> None:
    """Increments of the right mean 0, twice as far from it: the mean alone would agree, their square does not."""

    def louder(*given: Any, **named: Any) -> Replicates:
        out = simulate(*given, **named)
        theta = named["theta0"]
        return Replicates(theta + 2 * (out.thetas - theta), out.ws, out.diverged_at)

    found = point(louder, ErrorBudget())
    assert not found.agrees and found.worst == "increment of θ_1 times increment of θ_1"
    ratios = [abs(x) / r for x, r in zip(found.deviation, found.radius, strict=True)]
    assert ratios[0] < 1 < ratios[1]


def test_without_fourth_moments_only_means_are_compared(
    monkeypatch: pytest.MonkeyPatch, error_budget: ErrorBudget
) -> None:
    assert point(simulate, ErrorBudget()).labels == ("increment of θ_1", "increment of θ_1 times increment of θ_1")
    monkeypatch.setattr(tdcert.sims.finite_time_comparison, "FOURTH_MOMENTS", 1)  # two states, one monomial
    found = point(simulate, error_budget, "too many fourth moments")
    assert found.agrees and found.labels == ("increment of θ_1",)


# ---- divergence -----------------------------------------------------------------------------------

ONE = Model.reward_process(RationalMatrix([[1]]), RationalMatrix.column([1]), F(1, 2))


@pytest.mark.parametrize("simulator", [simulate, readable_simulator()], ids=["kernels", "readable"])
def test_divergence_is_reported_with_its_step(simulator: Simulator) -> None:
    """θ_{t+1} = θ_t + α(1 − θ_t/2) at α = 10⁴⁰: |θ_t| ≈ 2·(α/2)^t passes 10¹⁰⁰ at t = 3 and floats at t = 8."""
    out = simulator(ONE, "td", StepSizes(Constant(1e40)), [2, 20], 7, 1, "diverging", start=(F(1),))
    assert out.diverged_at.tolist() == [3] * 7
    with pytest.raises(InputError, match=r"'x': a run diverged at step 3 \(7 of 7 passed 1e\+100\)"):
        require_finite(out, "x")
    out = simulator(ONE, "td", StepSizes(Constant(0.1)), [20], 7, 1, "converging", start=(F(1),))
    assert out.diverged_at.tolist() == [-1] * 7
    require_finite(out, "x")


@pytest.mark.parametrize("simulator", [simulate, readable_simulator()], ids=["kernels", "readable"])
def test_a_comparison_with_a_run_that_diverged_has_no_mean(simulator: Simulator) -> None:
    with pytest.raises(InputError, match="diverged at step 1"):
        simulate_fixed_point(
            Target(ONE, "td", simulator=simulator), [F(10) ** 101], Sampling("far away", 10, 0, ErrorBudget())
        )


def test_a_run_that_diverges_though_its_moments_are_finite_is_no_agreement() -> None:
    """A wrong simulator: one run in the second batch leaves the bound."""

    def wrong(*given: Any, **named: Any) -> Replicates:
        out = simulate(*given, **named)
        if "from run" in given[6]:
            out.diverged_at[5] = 2
        return out

    with pytest.raises(InputError, match=r"'law': a run diverged at step 2 \(1 of"):
        law(wrong, ErrorBudget())
