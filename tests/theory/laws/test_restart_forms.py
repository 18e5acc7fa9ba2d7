"""Almost every path with a memory that moves cut, from above: bounds against series and long runs, and certificates."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.laws.path_exponents import RestartDeterminants, RestartForms
from tdcert.theory.laws.restart_exponents import ContextMove, Restarts
from tdcert.theory.laws.restart_forms import by_forms, decide_restarts
from tdcert.theory.model.gallery import bairds_star, theta_to_two_theta
from tdcert.theory.model.schedule import Schedule
from tests.theory.laws.test_restart_exponents import asked, of_one, said, series

F, HALF, ONE = Fraction, Fraction(1, 2), Fraction(1)


def emphatic_td_on_the_star(gamma: float, alpha: float, steps: int = 600, runs: int = 4_000) -> tuple[float, float]:
    """The rate of differences of predictions, ΦΦᵀ = 4I + 1 on outer states, 2 between them and state 7, where it is 5:
    the mean of many runs over the second half of their steps, and its standard error.
    """
    rng, G = np.random.default_rng(0), 4.0 * np.eye(7) + 1
    G[6, :6] = G[:6, 6] = 2
    G[6, 6] = 5
    state, carried, total = rng.integers(0, 7, runs), np.zeros(runs), np.zeros(runs)
    v, each = rng.standard_normal((runs, 7)), np.arange(runs)
    for time in range(2 * steps):
        solid = rng.random(runs) < 1 / 7
        after, rho = np.where(solid, 6, rng.integers(0, 6, runs)), np.where(solid, 7.0, 0.0)
        emphasis = 1 + gamma * carried
        v += (alpha * rho * emphasis * (gamma * v[each, after] - v[each, state]))[:, None] * G[state]
        size = np.linalg.norm(v, axis=1)
        total += np.log(size) if time >= steps else 0.0
        v, state, carried = v / size[:, None], after, rho * emphasis
    return float(total.mean()) / steps, float(total.std()) / steps / runs**0.5


@pytest.mark.thorough
@pytest.mark.parametrize(("gamma", "proposed"), [(HALF, -0.0043), (F(4, 5), -0.0015)])
def test_emphatic_td_on_the_star_dies_out(gamma: Fraction, proposed: float) -> None:
    """At the step 1/100. Five standard errors: a chance of 1e-6 or less, and within them the long run is met."""
    model = bairds_star(gamma)
    found = asked(model, "etd", F(1, 100))
    assert found.sign.sign == -1 and found.sign.high is not None and found.sign.low is not None
    rate, error = emphatic_td_on_the_star(float(gamma), 0.01)
    assert error < 1e-4 and float(found.sign.low) - 5 * error < rate < float(found.sign.high) + 5 * error
    assert float(found.sign.high) < proposed  # the bound is of use
    falls, grows = said(model, found)
    assert "it dies out" in falls and "every difference of two runs has a growth rate" in falls
    assert "almost every difference" in grows


def test_a_trace_without_end_dies_out_at_the_rate_of_its_series() -> None:
    """θ→2θ with λ = 1 and γ = 9/10 at the step 1/4, and γ = 1/10, where θ is multiplied by 1 + αz(2γ − φ): see the
    neighbour. In one dimension weights 1/b² show the rate itself, so the bound is as near as slack and tail allow.
    """
    model = replace(theta_to_two_theta(F(1, 10)), schedule=Schedule.constant(ONE))
    found, exact, z = asked(model, "off_policy_td", F(1, 4)), 0.0, 0.0
    for k in range(200):
        phi = 1.0 if k == 0 else 2.0
        z = 2 * (phi + 0.1 * z)
        exact += float(np.log(abs(1 + z * (0.2 - phi) / 4))) / 2 ** (k + 2)
    assert found.sign.sign == -1 and found.sign.high is not None and found.sign.low is not None
    # slack is a sixteenth of the bound, half of which is lost; the tail has a law of 1e-7
    assert 0 <= float(found.sign.high) - exact < 0.04 * abs(exact) and float(found.sign.low) <= exact
    assert len(said(model, found)) == 2


@pytest.mark.thorough
def test_forms_are_sought_where_the_tail_is_light(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a trace that is cut every other step, 24 layers leave a law of 2⁻²⁴, which is more than none."""
    model = replace(theta_to_two_theta(F(1, 10)), schedule=Schedule.constant(ONE))
    kinds = [type(one) for one in asked(model, "off_policy_td", F(1, 4)).sign.shown]
    monkeypatch.setattr("tdcert.theory.engine.paths.LIGHT", F(0))
    heavy = asked(model, "off_policy_td", F(1, 4)).sign
    assert kinds == [RestartForms, RestartDeterminants]
    assert [type(one) for one in heavy.shown] == [RestartDeterminants] and heavy.high is None


@pytest.mark.thorough
@pytest.mark.parametrize("grows", [True, False])
def test_the_bound_is_above_the_series_and_comes_near(grows: bool) -> None:
    rng = random.Random(int(grows))
    for _ in range(8):
        a = F(rng.randint(5, 9), 4) if grows else F(rng.randint(-3, 3), 4)
        s, p = F(rng.randint(1, 4)), F(rng.randint(1, 5), 8)
        numbers = p, a, s, F(1, rng.randint(2, 99)), (F(rng.randint(1, 3)), F(rng.randint(1, 5), 3))
        exact, found = series(*numbers), by_forms(of_one(*numbers))
        assert found is not None and float(found.bound) >= exact - 1e-9  # 400 terms, off by rounding alone
        # half of the slack is lost, a sixteenth of the bound or 1/16 at most; the tail has a law of 1e-3 or less
        assert float(found.bound) - exact < 0.04 * max(abs(exact), 0.1) + 0.01


def along_two(p: Fraction, a: Fraction) -> Restarts:
    """Two contexts, 0 behind a cut, with probability 1 − p, and 1; x and y are multiplied by 1/8 and 1/16 with a cut,
    else by 1 + m and 1 + m/2, m' = am + 1.
    """
    cut, slope = (RationalMatrix([[x, 0], [0, y]]) for x, y in ((F(-7, 8), F(-15, 16)), (ONE, HALF)))
    moves = []
    for h in (0, 1):
        moves.append(ContextMove(h, 0, 1 - p, {}, {}, {1: cut}, True))
        memory = {(0, 0): a} if h else {}
        moves.append(ContextMove(h, 1, p, memory, {0: ONE}, {0: slope} if h else {}, h == 0))
    return Restarts(tuple(moves), 2, 1, 1, 2)


@pytest.mark.thorough
def test_the_larger_of_two_rates_is_bounded() -> None:
    p, a = F(1, 4), F(3, 2)
    rates = [series(p, a, ONE, cut, (F(0), slope)) for cut, slope in ((F(1, 8), ONE), (F(1, 16), HALF))]
    found = by_forms(along_two(p, a))
    assert found is not None and found.left == (1, F(4, 3))
    assert 0 <= float(found.bound) - max(rates) < 0.04 * abs(max(rates))


@pytest.mark.thorough
def test_the_tail_counts_what_the_layers_leave_out() -> None:
    """With too few nodes for more than a layer the bound is still above: 1 + m grows on the moves that are left out."""
    numbers = F(3, 4), F(2), ONE, F(1, 8), (F(0), ONE)
    few = by_forms(of_one(*numbers), 1)
    many = by_forms(of_one(*numbers))
    assert few is not None and many is not None and few.depth == 1 < many.depth
    assert series(*numbers) <= float(many.bound) < float(few.bound)


@pytest.mark.thorough
def test_nothing_is_searched_beyond_the_limit_or_found_where_nothing_is() -> None:
    numbers = HALF, F(2), ONE, F(1, 8), (F(0), ONE)
    assert by_forms(of_one(*numbers), 0) is None
    found = decide_restarts(of_one(*numbers), 0)
    assert found.high is None and found.low is not None and isinstance(found.shown[0], RestartDeterminants)
    both = decide_restarts(of_one(*numbers))
    assert both.high is not None and isinstance(both.shown[0], RestartForms) and both.low == found.low
    neither = decide_restarts(of_one(HALF, ONE, ONE, F(2), (F(0), F(-1, 3))), 0)
    assert neither.sign is None and neither.why == "neither determinants nor forms bound the exponent"
