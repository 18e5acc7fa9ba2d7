"""The algorithms of ``examples/algorithms``: their means by hand, and what their papers say."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

import tdcert
from tdcert.algorithms import find
from tdcert.sims.strategies import models
from tdcert.sims.updates.runs import UpdateRuns
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.engine.declare import Algorithm, algorithm
from tdcert.theory.engine.dynamics import at_ratios, rest_of
from tdcert.theory.errors import InputError
from tdcert.theory.model.gallery import theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.state_action import state_action
from tests.algorithms.test_algorithms import ByHand, on_class, one, ratio, scaled, stacked
from tests.effort import examples

F = Fraction
some = settings(max_examples=examples(20), deadline=None)
FOLDER = Path(__file__).parents[2] / "examples" / "algorithms"


def example(name: str, file: str, **options: Any) -> Algorithm:
    (found,) = find(f"{FOLDER / file}.py:{name}")
    return found.with_options(**options)


@some
@given(models(policy="off"))
def test_reward_centering(model: Model) -> None:
    """Naik et al. (2024): methods with reward centering are unaffected by a constant that is added to all rewards."""
    declared, hand = example("centred_td", "reward_centering"), ByHand(model)
    A, b = hand.mean(scaled(ratio, F(0)), ratio)
    row, number, none = RationalMatrix.zeros(1, model.d), RationalMatrix([[0]]), b.scaled(0)
    change, reward = hand.d.T @ (hand.kernel(ratio) - hand.I) @ hand.Phi, hand.d.T @ hand.reward(ratio)
    found = on_class(model, declared)
    assert list(found.means) == [
        stacked((A, -(hand.Phi.T @ hand.d), b), (row, number, number)),
        stacked((A.scaled(0), none, none), (change, RationalMatrix([[-1]]), reward)),
    ]
    shifted = tuple(RationalMatrix([[x + 5 for x in r] for r in R.rows]) for R in model.rewards)
    rests = [rest_of(on_class(m, declared), [F(1), F(2)]).parameters for m in (model, replace(model, rewards=shifted))]
    if rests[0] is not None:
        assert rests[1] is not None
        assert (rests[1] - rests[0]).column_entries() == (*[F(0)] * model.d, F(5))


@some
@given(models(policy="on"))
def test_pid_td(model: Model) -> None:
    """Bedaywi et al. (2024): where V = V', z = 0 and TD rests it rests, whatever the gains, and P alone is TD."""
    kp, ki, kd, decay, gain = F(3, 2), F(-1, 3), F(1, 5), F(3, 4), F(1, 7)
    declared = example("pid_td", "pid_td", kp=kp, ki=ki, kd=kd, decay=decay, gain=gain)
    hand, zero = ByHand(model), RationalMatrix.zeros(model.d, model.d)
    (A, b), C = hand.mean(scaled(one, F(0)), one), hand.C
    found = on_class(model, declared)
    assert found.means[0] == stacked(
        (A.scaled(kp + ki * gain) + C.scaled(kd), C.scaled(ki * decay), C.scaled(-kd), b.scaled(kp + ki * gain)),
        (A.scaled(gain), C.scaled(decay - 1), zero, b.scaled(gain)),
        (C, zero, -C, b.scaled(0)),
    )
    theta = rest_of(on_class(model, "td"), [F(1)]).parameters
    rest = rest_of(found, [F(1)]).parameters
    if theta is not None and rest is not None:
        assert rest.column_entries() == (*theta.column_entries(), *[F(0)] * model.d, *theta.column_entries())
    alone = on_class(model, example("pid_td", "pid_td")).means[0]
    assert alone.take(range(model.d), [*range(model.d), 3 * model.d]) == on_class(model, "td").means[0]


@some
@given(models(policy="on"))
def test_relative_td(model: Model) -> None:
    """Sakha et al. (2026): with the law of the states as baseline it is stable at any weight; with others not."""
    hand = ByHand(model)
    A, b = hand.mean(scaled(one, F(0)), one)
    mean = hand.Phi.T @ hand.d
    for weight in (F(1, 2), F(100)):
        found = on_class(model, example("relative_td", "relative_td", baseline=mean.column_entries(), weight=weight))
        assert found.means[0] == stacked((A - (mean @ mean.T).scaled(weight), b))
        assert at_ratios(found, [F(1)]).mean_dynamics is MeanDynamics.STABLE


def test_the_baseline_of_relative_td_matters() -> None:
    """E[φ] = 1/2; with the mass at the state of feature −1 the mean is A + weight/2, A = −5/2 + γ/4."""
    half = F(1, 2)
    model = Model.reward_process(
        RationalMatrix([[half, half]] * 2), RationalMatrix([[0], [1]]), F(9, 10), features=RationalMatrix([[2], [-1]])
    )
    signs = {
        weight: at_ratios(
            on_class(model, example("relative_td", "relative_td", baseline=(-1,), weight=weight)), [F(1)]
        ).mean_dynamics
        for weight in (4, 5)
    }
    assert signs == {4: MeanDynamics.STABLE, 5: MeanDynamics.UNSTABLE}


@pytest.mark.parametrize("words", ["baseline=1/2:1/2", "baseline=1/2:1/2,weight=3"])
def test_numbers_of_an_option_meet_floats(words: str) -> None:
    """Options with several numbers, in fractions and in runs on floats."""
    (declared,) = find(f"{FOLDER / 'relative_td.py'}:relative_td[{words}]")
    model = Model.reward_process(RationalMatrix([[1, 0], [1, 0]]), RationalMatrix([[1], [1]]), F(1, 2))
    start = [F(0), F(1)]
    runs = UpdateRuns(model, declared, [F(1)], start, followed=True).run([0.5], 3, 1, "a run", y0=[1.0, 3.0])
    weight = 3 if "weight" in words else 1
    assert runs.parameters.tolist() == [[1.0, 3.0 + 0.5 * (1 + 0.5 - 3 - 2 * weight)]] * 3


def of_pairs(model: Model) -> tuple[RationalMatrix, RationalMatrix, RationalMatrix]:
    """By hand, of the pairs (s, a): their law (n·m×1), discounted kernel under the target, rewards (n·m×1)."""
    d = model.behaviour_chain.stationary_law(tuple(range(model.n)))
    m, pairs = len(model.actions), [(s, a) for s in range(model.n) for a in range(len(model.actions))]
    law = RationalMatrix.column([d[s, 0] * model.behaviour[s, a] for s, a in pairs])
    N, r = [[F(0)] * len(pairs) for _ in pairs], [F(0)] * len(pairs)
    for k, (s, a) in enumerate(pairs):
        gammas, rewards = model.discounts[a].rows[s], model.rewards[a].rows[s]
        for after, p in enumerate(model.transitions[a].rows[s]):
            r[k] += p * rewards[after if len(rewards) > 1 else 0]
            for b in range(m):
                gamma = gammas[after if len(gammas) > 1 else 0]
                N[k][after * m + b] += p * gamma * model.target[after, b]
    return law, RationalMatrix(N), RationalMatrix.column(r)


@some
@given(models(policy="off", discount="any"))
def test_values_of_actions(model: Model) -> None:
    """Maei and Sutton (2010): GQ(λ) is TDC on pairs, E[δz] = Φᵀdiag(d)(I − λN)⁻¹(r + NΦθ − Φθ); with a table for each
    pair Expected Sarsa rests at Q^π = r + N Q^π (van Seijen et al. 2009)."""
    lam = F(2, 3)
    law, N, r = of_pairs(model)
    unit = N.identity(N.shape[0])
    whole = state_action(model)
    Phi = RationalMatrix(
        [[x for b in range(len(model.actions)) for x in (row if a == b else [F(0)] * model.d)]
         for row in model.features.rows for a in range(len(model.actions))]
    )  # fmt: skip
    found = on_class(whole, example("gq", "of_actions", lam=lam))
    if found.memory.exists:
        inner = unit - N.scaled(lam)
        A, b = (Phi.T @ inner.solve(x).scale_rows(law) for x in ((N - unit) @ Phi, r))
        C, ahead = Phi.T @ Phi.scale_rows(law), Phi.T @ inner.solve(N @ Phi).scale_rows(law)
        zero, none = A.scaled(0), b.scaled(0)
        assert list(found.means) == [
            stacked((A, ahead.T.scaled(lam - 1), b), (zero, zero, none)),
            stacked((zero, zero, none), (A, -C, b)),
        ]
        assert on_class(whole, example("expected_sarsa", "of_actions", lam=lam)).means[0] == stacked((A, b))
    rest = rest_of(on_class(state_action(model, unit), example("expected_sarsa", "of_actions")), [F(1)]).parameters
    assert rest is None or rest == r + N @ rest


@pytest.mark.thorough
def test_expected_features_meet_runs_and_classes(tmp_path: Path) -> None:
    """Two states, both ways even under the target, one action taken at each step: runs see Σ_a π Σ_s' P φ', and a class
    that uses the next features in their place does not conform."""
    (tmp_path / "ahead.py").write_text(
        "import tdcert, numpy as np\n"
        "@tdcert.algorithm(parameters={'theta': 'd'})\n"
        "def ahead(t, theta, alpha):\n"
        "    return theta + alpha * t.expected_phi_next\n"
        "class Right:\n"
        "    def reset(self, *, n_features):\n"
        "        self.theta = np.zeros(n_features)\n"
        "    def step(self, t, alpha):\n"
        "        self.theta = self.theta + alpha * t.expected_phi_next\n"
        "class Wrong(Right):\n"
        "    def step(self, t, alpha):\n"
        "        self.theta = self.theta + alpha * t.phi_next\n"
    )
    own = f"{tmp_path / 'ahead.py'}"
    (declared,) = find(f"{own}:ahead")
    model = theta_to_two_theta(F(1, 2))
    model = replace(model, target=RationalMatrix([[F(1, 4), F(3, 4)]] * 2))
    runs = UpdateRuns(model, declared, [F(1)], [F(1), F(0)], followed=True).run([1.0], 5, 1, "runs")
    assert runs.parameters.tolist() == [[1.75]] * 5
    assert tdcert.conform(f"{own}:Right", algorithm=f"{own}:ahead")["conforms"]
    assert not tdcert.conform(f"{own}:Wrong", algorithm=f"{own}:ahead")["conforms"]


def test_what_is_no_feature_of_pairs() -> None:
    model = Model.reward_process(RationalMatrix([[1]]), RationalMatrix([[1]]), F(1, 2))
    with pytest.raises(InputError, match="of pairs have shape 2×1; give one row for each of the 1·1 pairs"):
        state_action(model, RationalMatrix([[1], [2]]))
    with pytest.raises(InputError, match=r"features is a list; give \(S·A, k\)"):
        tdcert.state_action(model, [1, 2])
    assert tdcert.state_action(model, [[3]]).features == RationalMatrix([[3]])


def test_what_a_transition_does_not_have_is_answered() -> None:
    @algorithm(parameters={"theta": "d"})
    def looks_back(t: Any, theta: Any, alpha: Any) -> Any:
        return theta + alpha * t.window(3)

    model = Model.reward_process(RationalMatrix([[1]]), RationalMatrix([[1]]), F(1, 2))
    with pytest.raises(InputError, match="no 'window'; keep in the memory what the update needs"):
        on_class(model, looks_back)
