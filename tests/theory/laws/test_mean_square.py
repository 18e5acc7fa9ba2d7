"""Second moments under constant steps: known answers by hand, and the propagated moments themselves."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tdcert.algorithms.schedules import certificate, jump_system, scheduled, windows_of
from tdcert.claims.dgb22.mean_square_stability import three_verdicts
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.engine.nodes import Nodes
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.identities.second_moments import determinant_identity, small_step_identity
from tdcert.theory.laws import mean_square
from tdcert.theory.laws.mean_square import (
    JumpSystem,
    decide_near_zero,
    first_crossing,
    largest_step,
    positive,
    show_bounded,
    show_unbounded,
)
from tdcert.theory.model.gallery import (
    HALF,
    absorbing_pair,
    bairds_star,
    boyan_chain,
    fair_coin_chain,
    flip_chain,
    one_state,
    theta_to_two_theta,
)
from tdcert.theory.model.key_matrices import behaviour_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tests.chains import finite_time_moments, quotient_system
from tests.replay import replay

F = Fraction
ONE = F(1)


def system_of(model: Model, algorithm: str = "off_policy_td", eta: Fraction = ONE) -> JumpSystem:
    return jump_system(model, scheduled(algorithm), eta, model.behaviour_chain.recurrent_classes[0])


def crossing_of(model: Model, algorithm: str = "off_policy_td", eta: Fraction = ONE) -> tuple[Fraction, Fraction]:
    found = first_crossing(system_of(model, algorithm, eta))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("model", "answer"),
    [
        (one_state(HALF), F(4)),  # |1 − α/2| < 1
        (three_verdicts(), F(8, 5)),
        (flip_chain(F(0), features=((1, 0), (0, 1))), F(2)),  # each feature by 1 − α every second step
        (one_state(HALF, Schedule((HALF,))), F(16, 5)),  # z = 1 + λγ = 5/4 but at the start: |1 − 5α/8| < 1
    ],
)
def test_the_largest_step_of_small_models(model: Model, answer: Fraction) -> None:
    low, high = crossing_of(model)
    assert low <= answer <= high and high - low < F(1, 2**40)
    found = largest_step(system_of(model))
    assert found is not None and found.bounded.alpha < answer < found.unbounded.alpha
    assert found.unbounded.alpha <= found.bounded.alpha * F(9, 8)


def test_gtd_on_one_state_by_hand() -> None:
    """One state, φ = 1, γ = ½: (θ, w)' = (I + α[[0, ½], [−½, −1]])(θ, w), deterministic: det = 1 − α + α²/4, and both
    eigenvalues 1 − α/2 lie in the unit circle for α < 4."""
    system = system_of(one_state(HALF), "gtd")
    assert [move.K.to_strings() for move in system.moves] == [[["0", "1/2"], ["-1/2", "-1"]]]
    low, high = crossing_of(one_state(HALF), "gtd")
    assert low <= 4 <= high


def test_one_crossing_of_the_mean_square_does_not_move_the_mean() -> None:
    """At α = 9/5 the mean of three_verdicts shrinks by 4/5 a step and the second moment grows by 29/20."""
    system = system_of(three_verdicts())
    assert show_bounded(system, F(9, 5)) is None and show_unbounded(system, F(9, 5)) is not None
    steps = ([F(9, 5)] * 3, [F(0)] * 3)
    exact = finite_time_moments(three_verdicts(), "off_policy_td", steps, [3], start=[ONE], theta0=[ONE], exact=True)[0]
    assert exact.mean[0] == F(-4, 5) ** 3 and exact.second[0, 0] == F(29, 20) ** 3


@pytest.mark.parametrize("algorithm", ["off_policy_td", "gtd", "tdc"])
def test_bounded_and_unbounded_are_seen_in_the_propagated_moments(algorithm: str) -> None:
    """Within an eighth of the crossing the second moments shrink or grow at last, as the exact law says."""
    P = RationalMatrix([[F(1, 4), F(3, 4)], [HALF, HALF]])
    model = Model.reward_process(
        P, RationalMatrix.column([0, 0]), F(3, 4), RationalMatrix.column([1, 2]), Schedule((HALF,))
    )
    found = largest_step(system_of(model, algorithm))
    assert found is not None and found.crossing is not None
    for step, grows in ((found.bounded.alpha, False), (found.unbounded.alpha, True)):
        steps = ([float(step)] * 200, [float(step)] * 200)
        early, late = finite_time_moments(model, algorithm, steps, [100, 200], start=[ONE, F(0)], theta0=[1.0])
        size = [float(np.trace(moments.second[:-1, :-1])) for moments in (early, late)]
        assert (size[1] > 2 * size[0]) if grows else (size[1] < size[0] / 2)


def test_growth_begins_in_the_window_that_is_named() -> None:
    """One state, γ = 9/10, λ = (1, 1): 1 − α(1 − γ)z with z = 1, 19/10, 271/100. At α = 10 the first update makes
    every difference zero, and r = (171/100)²: growth is shown in the full window, not the empty one."""
    system = system_of(one_state(F(9, 10), Schedule((ONE, ONE))))
    assert [str(move.K[0, 0]) for move in system.moves] == ["-1/10", "-19/100", "-271/1000"]
    found = show_unbounded(system, F(10))
    assert found is not None and found.window is not None
    assert len(system.windows[found.window][1]) == 2 and show_bounded(system, F(10)) is None


def test_small_steps_follow_the_mean_matrix() -> None:
    stable, unstable = theta_to_two_theta(HALF), theta_to_two_theta(F(9, 10))  # A = −1/2 and 1/5 (γ ≷ 5/6)
    down, up = decide_near_zero(system_of(stable)), decide_near_zero(system_of(unstable))
    assert down is not None and down.vector is None
    assert up is not None and up.vector is not None
    assert show_unbounded(system_of(unstable), up.upto / 4) is not None
    assert show_bounded(system_of(stable), down.upto / 4) is not None


def test_where_nothing_moves_nothing_is_decided() -> None:
    """φ = 0 where the chain ends: K = 0, r = 1 whatever the step."""
    system = system_of(absorbing_pair())
    assert all(move.K.is_zero() for move in system.moves)
    assert decide_near_zero(system) is None and largest_step(system) is None


def test_the_mean_of_K_is_the_mean_matrix() -> None:
    """Σ_h d_h Σ p K over the law of the windows, solved here once more, is J."""
    model = theta_to_two_theta(F(9, 10), Schedule((F(1, 3),)))
    keys = behaviour_matrices(model, (0, 1))
    for algorithm, eta in (("off_policy_td", ONE), ("gtd", F(2)), ("tdc", F(3))):
        system = system_of(model, algorithm, eta)
        count = len(system.windows)
        rows = [[F(int(g == h)) for h in range(count)] for g in range(count)]
        for move in system.moves:
            rows[move.target][move.source] -= move.p
        rows[0] = [ONE] * count
        law = RationalMatrix(rows).solve(RationalMatrix.column([int(h == 0) for h in range(count)])).column_entries()
        mean = RationalMatrix.zeros(system.size, system.size)
        for move in system.moves:
            mean = mean + move.K.scaled(law[move.source] * move.p)
        assert mean == system.J
    assert system_of(model).J == keys.A


def test_a_certificate_cannot_be_had_on_the_wrong_side() -> None:
    system = system_of(one_state(HALF))
    assert show_bounded(system, F(4)) is None and show_unbounded(system, F(4)) is None
    assert show_bounded(system, F(5)) is None and show_unbounded(system, F(3)) is None
    one = (RationalMatrix([[1]]),)
    assert positive(system.decrease(one, F(3))) and not positive(system.decrease(one, F(4)))


def test_a_wrong_proposal_is_not_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Floats only propose: the identity for a system that grows, and its negative for one that shrinks."""
    system = system_of(one_state(HALF))
    monkeypatch.setattr(mean_square, "_solution", lambda system, alpha: np.ones((1, 1, 1)))
    monkeypatch.setattr(mean_square, "_fixed_point", lambda system, alpha, wanted: -np.ones((1, 1, 1)))
    assert show_bounded(system, F(5)) is None and show_bounded(system, F(3)) is not None
    assert show_unbounded(system, F(3)) is None and show_unbounded(system, F(5)) is not None


def test_a_lost_transpose_is_seen() -> None:
    """With Kᵀ in the place of K the decrease is another one: two features, K not symmetric."""
    model = flip_chain(HALF, Schedule((HALF,)), features=((1, 0), (1, 1)))
    system = system_of(model)
    turned = replace(system, moves=tuple(replace(move, K=move.K.T) for move in system.moves))
    X = tuple(RationalMatrix([[2, 1], [1, 3]]) for _ in system.windows)
    assert system.decrease(X, ONE) != turned.decrease(X, ONE)


def test_moves_between_the_same_nodes_are_added_up() -> None:
    """X − Σ p BᵀXB = W: two nodes, with one, two and three moves of a pair, as independent draws have all in one."""
    draws = np.random.default_rng(0)
    source, target = np.array([0, 1, 0, 0, 1, 1]), np.array([1, 0, 1, 0, 0, 0])
    p, K = np.full(6, 1 / 4), draws.normal(size=(6, 3, 3))
    wanted = np.array([W + W.T for W in draws.normal(size=(2, 3, 3))])
    system: Any = SimpleNamespace(floats=(source, target, p, K), size=3, windows=range(2))
    X = mean_square._fixed_point(system, F(1, 8), wanted)
    assert X is not None
    left, B = X.copy(), np.eye(3) + K / 8
    for h, g, weight, one in zip(source, target, p, B, strict=True):
        left[h] -= weight * one.T @ X[g] @ one
    assert np.allclose(left, wanted, rtol=0, atol=1e-10)  # the condition of the system is far below 10⁵


def test_on_the_quotient_what_features_do_not_see_is_gone() -> None:
    """One state, φ = (1, 1), γ = ½: θ_1 − θ_2 never moves; θ_1 + θ_2 is multiplied by 1 − α, bounded for α < 2."""
    model = one_state(HALF, features=(1, 1))
    assert decide_near_zero(system_of(model)) is None
    system = quotient_system(model, scheduled("off_policy_td"), ONE, (0,))
    crossing = first_crossing(system)
    assert system.size == 1 and crossing is not None and crossing[0] <= 2 <= crossing[1]
    full = flip_chain(HALF, Schedule((HALF,)), features=((1, 0), (1, 1)))
    assert quotient_system(full, scheduled("gtd"), F(2), (0, 1)) == system_of(full, "gtd", F(2))
    with pytest.raises(InputError, match="features vanish"):
        quotient_system(absorbing_pair(), scheduled("gtd"), ONE, (1,))


@pytest.mark.parametrize("algorithm", ["off_policy_td", "gtd"])
def test_episodes_are_covered_and_the_checker_agrees(algorithm: str) -> None:
    """Boyan's chain restarts with discount zero: windows end there, and the same certificates serve."""
    model = boyan_chain()
    system = system_of(model, algorithm)
    found = largest_step(system)
    assert found is not None
    for each in (found.near, found.bounded, found.unbounded):
        replay(certificate(system, each), model)


def test_what_cannot_be_asked_is_refused_in_one_sentence() -> None:
    with pytest.raises(BudgetExceededError, match="42 windows × 16² entries"):
        system_of(bairds_star(F(9, 10), Schedule.equal_weights(4, 6)), "gtd")
    with pytest.raises(InputError, match="without end"):
        system_of(one_state(HALF, Schedule.constant(HALF)))


def test_the_identities_behind_it() -> None:
    assert small_step_identity(1) and determinant_identity(2)


def test_certificates_name_what_they_speak_of() -> None:
    system = system_of(theta_to_two_theta(F(9, 10)), "gtd", F(1, 2))
    found = largest_step(system)
    assert found is not None
    kinds = [certificate(system, each).kind for each in (found.near, found.bounded, found.unbounded)]
    assert kinds == ["mean_square_bounded", "mean_square_bounded", "mean_square_unbounded"]
    assert certificate(system, found.near).about["eta"] == "1/2"


@pytest.mark.parametrize(
    ("model", "nodes", "windows"),
    [
        (fair_coin_chain(HALF, Schedule((HALF, F(1, 3)))).with_features(RationalMatrix([[1], [1]])), 6, 14),
        (theta_to_two_theta(HALF, Schedule((HALF, F(1, 3)))), 6, 6),  # where a ratio is zero, a window ends
    ],
    ids=["equal features", "zero ratios"],
)
def test_windows_that_share_a_node_are_written_each(model: Model, nodes: int, windows: int) -> None:
    """Features that are equal make one node of windows that differ; the checker still meets each window."""
    system = system_of(model)
    near = decide_near_zero(system)
    assert near is not None
    found = show_bounded(system, near.upto) if near.stable else show_unbounded(system, near.upto)
    assert found is not None and isinstance(system.chain, Nodes)
    assert (len(system.windows), len(windows_of(system.chain))) == (nodes, windows)
    for shown in (near, found):
        replay(certificate(system, shown), model)
