"""Steps that decrease, and largest steps, for every algorithm that ships."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tdcert.algorithms import NAMES, for_model, named
from tdcert.sims.updates.runs import UpdateRuns
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.enclose.safe_steps import StepBracket
from tdcert.theory.engine import second_moments
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.decreasing import SLOW, AtDecreasing, at_decreasing_steps, first_below
from tdcert.theory.engine.dynamics import at_ratios
from tdcert.theory.engine.first_order import with_mean_dynamics
from tdcert.theory.engine.means import Stationary
from tdcert.theory.engine.second_moments import at_constant_step, largest_of
from tdcert.theory.model.gallery import theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.verdict import Grade
from tests.abilities_model import two_policies

F = Fraction
P = F(3, 4)
SOME = ("td", "gtd_momentum")


def of(model: Model, name: str, **options: F) -> tuple[Stationary[RationalMatrix], list[F]]:
    algorithm = for_model(named(name).with_options(**options) if options else named(name), model)[0]
    found = with_mean_dynamics(model, algorithm, model.behaviour_chain.recurrent_classes[0])
    return found, [F(1)] * len(algorithm.steps)


def asked(model: Model, name: str, a: int = 2, t0: int = 10, p: F = P) -> AtDecreasing:
    return at_decreasing_steps(*of(model, name), F(a), F(t0), p)


def shrinks(model: Model, algorithm: Algorithm, updates: int) -> float:
    """How much the difference of two runs shrinks along common paths: the median over runs."""
    runs = UpdateRuns(model, algorithm, [F(1)] * len(algorithm.steps), [F(1, model.n)] * model.n)
    steps = [2 / (t + 10) ** 0.75 for t in range(updates)]
    size = sum(slot.size for slot in algorithm.slots(model.d)[0])
    ends = [runs.run(steps, 50, 0, "shrinks", [float(k)] * size).parameters for k in (0, 1)]
    return float(np.median(np.abs(ends[1] - ends[0]).max(axis=1)))


@pytest.mark.parametrize("name", [pytest.param(x, marks=() if x in SOME else pytest.mark.thorough) for x in NAMES])
def test_every_algorithm_is_decided_and_runs_do_what_is_said(name: str) -> None:
    """Bounded memory: the sign is that of the mean dynamics, and drawn differences shrink where they are to die out."""
    model = two_policies(F(1, 2), Schedule.constant(F(1, 2), 1))
    found, ratios = of(model, name)
    stable = at_ratios(found, ratios).mean_dynamics is MeanDynamics.STABLE
    answer = asked(model, name)
    assert (answer.mean, answer.mean_square, answer.paths) == ((-1, -1, -1) if stable else (1, 1, None))
    if stable:
        assert shrinks(model, found.algorithm, 1_000) < 0.05


def test_the_first_update_is_the_first_within_the_forms() -> None:
    answer = asked(two_policies(F(1, 2), Schedule()), "td", 1000, 3, F(1))
    assert answer.near is not None and answer.from_update is not None
    t, upto = answer.from_update, answer.near.upto
    assert F(1000) / (t + 3) <= upto < F(1000) / (t + 2)
    assert first_below(F(1), F(1), F(1, 101), F(1)) is None and first_below(F(1), F(5), F(1), F(1)) == 0


def test_what_stands_in_the_way_is_said() -> None:
    spiral = theta_to_two_theta(F(9, 10))
    grown = asked(spiral, "off_policy_td")
    assert (grown.mean, grown.mean_square, grown.paths) == (1, 1, None) and "unstable" in grown.why
    memory = asked(spiral, "etd")
    assert (memory.mean, memory.mean_square) == (None, 1) and "multiply the memory by" in memory.why
    model = two_policies(F(1, 2), Schedule())
    assert "finite" in asked(model, "td", p=F(2)).why and asked(model, "td", p=F(2)).mean is None
    assert "constant step" in asked(model, "td", p=F(0)).why
    slow = asked(model, "td", p=F(1, 3))
    assert (slow.mean, slow.why) == (-1, SLOW)
    marginal = asked(theta_to_two_theta(F(1)), "residual_gradient")
    assert marginal.mean in (None, -1)


def test_a_memory_on_the_edge_is_not_called_bounded() -> None:
    """F = ργF + 1 with ργ = 1 on a cycle: it grows without bound, though not geometrically."""
    edge = two_policies(F(3, 4), Schedule())
    answer = asked(edge, "etd")
    assert answer.mean_square is None and "not shown to be bounded" in answer.why


@pytest.mark.thorough
def test_steps_of_updates_that_are_not_linear_in_them_are_bracketed() -> None:
    """Each end is decided by itself: asked again, at that very step, it gives the same sign."""
    model = two_policies(F(1, 2), Schedule())
    for name in ("gtd_momentum", "gtd2_mp"):
        found, ratios = of(model, name)
        steps = largest_of(found, ratios, certify=True).largest
        assert steps is not None and steps.high is not None and steps.low < steps.high <= F(5, 4) * steps.low
        for alpha, sign in ((steps.low, -1), (steps.high, 1)):
            assert at_constant_step(model, found.algorithm, found.states, ratios, alpha, 1_000).mean_square == sign
    found, ratios = of(model, "implicit_td")
    unlimited = largest_of(found, ratios).largest
    assert unlimited is not None and unlimited.high is None and unlimited.low > 1_000


@pytest.mark.thorough
def test_an_end_that_floats_decide_is_not_certified(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the size that is decided in fractions, bounded roundings decide, and nothing certifies an end."""
    found, ratios = of(two_policies(F(1, 2), Schedule()), "gtd_momentum")
    exact = largest_of(found, ratios).largest
    monkeypatch.setattr(second_moments, "SEARCHED_ENTRIES", 0)
    by_floats = largest_of(found, ratios).largest
    assert isinstance(exact, StepBracket) and exact.grade is Grade.CERTIFIED
    assert isinstance(by_floats, StepBracket) and by_floats.grade is Grade.ENCLOSED
