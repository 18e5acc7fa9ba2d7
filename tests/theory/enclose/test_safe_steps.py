"""Small steps through moments by state, against the chains of windows that they are to do without."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tdcert.algorithms.schedules import chain_of, jump_system, scheduled
from tdcert.sims.random_models import random_model
from tdcert.sims.streams import generator
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.float_enclosures import MidRadMatrix
from tdcert.theory.check.mean_dynamics import reduce_features
from tdcert.theory.enclose import safe_steps
from tdcert.theory.enclose.safe_steps import (
    SmallSteps,
    _Bound,
    _largest,
    _parts,
    growing_cycle,
    grows_at,
    small_steps,
)
from tdcert.theory.laws.long_run_covariance import InNumbers
from tdcert.theory.laws.mean_square import JumpSystem, show_bounded, show_unbounded
from tdcert.theory.model.gallery import fair_coin_chain, flip_chain, one_state, theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule, trace_weights
from tests.chains import quotient_system

F, HALF, ONE = Fraction, Fraction(1, 2), Fraction(1)


def random(n: int, d: int, *lambdas: Fraction | int, **kind: object) -> Model:
    rng = generator(7, f"safe steps {n} {d} {lambdas} {kind}")
    return random_model(rng, n, d, 0, **kind).with_schedule(Schedule(tuple(map(Fraction, lambdas))))  # type: ignore[arg-type]


MODELS = [
    random(3, 2, on_policy=True),
    random(3, 2, HALF, F(1, 3), on_policy=True, gamma=None),
    random(3, 2, F(3, 4)),
    random(3, 1, 1, coverage=False),
    flip_chain(HALF, Schedule.equal_weights(1, 2)),
]
"""On- and off-policy, discounts that vary, an action not covered, a periodic chain."""


def about(model: Model) -> InNumbers[MidRadMatrix]:
    return InNumbers(model, model.behaviour_chain.recurrent_classes[0], MidRadMatrix.enclosing)


def small(model: Model, algorithm: str = "off_policy_td", *, decreasing: bool = False) -> SmallSteps | None:
    states = model.behaviour_chain.recurrent_classes[0]
    reduced = reduce_features(model, states)
    assert reduced is not None
    given = reduced.model, scheduled(algorithm), ONE, reduced.weight
    return small_steps(about(reduced.model), *given, decreasing=decreasing)


def windows_of(model: Model, algorithm: str) -> JumpSystem:
    return quotient_system(model, scheduled(algorithm), ONE, model.behaviour_chain.recurrent_classes[0])


GRADIENTS = [pytest.param(name, marks=(pytest.mark.thorough,)) for name in ("gtd", "tdc")]


@pytest.mark.parametrize("algorithm", ["off_policy_td", *GRADIENTS])
@pytest.mark.parametrize("model", MODELS, ids=lambda model: f"{model.name or 'random'}, L={model.schedule.length}")
def test_windows_decide_the_same(model: Model, algorithm: str) -> None:
    """At the bound, and at the step of the cycle, X for each window shows what the sums over states do."""
    found, system = small(model, algorithm), windows_of(model, algorithm)
    assert found is not None
    one, other = (show_bounded, show_unbounded) if found.stable else (show_unbounded, show_bounded)
    for step in (found.upto, found.upto / 16):
        assert one(system, step) is not None and other(system, step) is None
    later = small(model, algorithm, decreasing=True)
    assert later is not None and later.stable == found.stable and later.upto <= found.upto


@pytest.mark.parametrize("algorithm", ["off_policy_td", *GRADIENTS])
def test_windows_grow_where_a_cycle_does(algorithm: str) -> None:
    for model in MODELS[:3]:
        states, one = model.behaviour_chain.recurrent_classes[0], RationalMatrix.zeros(1, 1).identity(model.d)
        cycle = growing_cycle(model, scheduled(algorithm), ONE, states, one)
        assert cycle is not None and show_unbounded(windows_of(model, algorithm), cycle.alpha) is not None
        assert grows_at(model, scheduled(algorithm), ONE, states, one, cycle.alpha)
        assert not grows_at(model, scheduled(algorithm), ONE, states, one, cycle.alpha / 1000)


def test_features_that_a_cycle_never_sees_are_left_out() -> None:
    """Four tabular states: K = z xᵀ by hand, z = (1, γ) and x = (−1, γ) on a pair, 1 + γ and γ − 1 on a loop."""
    one, quarter = RationalMatrix.zeros(1, 1).identity(4), F(1, 4)
    model = Model.reward_process(
        RationalMatrix([[quarter] * 4] * 4), RationalMatrix.column([0, 1, 2, 3]), F(9, 10), one, Schedule.n_step(2)
    )
    chance, pair = safe_steps._moves(((0, 0), (1, 0)), model, scheduled("td"), ONE, one)
    assert chance == quarter**2 and pair[0].rows == ((F(-1), F(9, 10)), (F(-9, 10), F(81, 100)))
    assert safe_steps._moves(((2, 0),), model, scheduled("td"), ONE, one)[1][0].rows == ((F(-19, 100),),)
    cycle = growing_cycle(model, scheduled("td"), ONE, (0, 1, 2, 3), one)
    assert cycle is not None and show_unbounded(windows_of(model, "td"), cycle.alpha) is not None


def test_a_cycle_by_hand() -> None:
    """One state: z = 1 + λγ = 5/4 after a step, θ' = (1 − 5α/8)θ, so that it grows beyond α = 16/5 and not before."""
    model, one = one_state(HALF, Schedule((HALF,))), RationalMatrix([[1]])
    found = growing_cycle(model, scheduled("td"), ONE, (0,), one)
    assert found is not None and F(16, 5) < found.alpha < F(16, 5) * F(11, 10) and found.path == ((0, 0),)
    assert not grows_at(model, scheduled("td"), ONE, (0,), one, F(16, 5))


@pytest.mark.parametrize("model", MODELS, ids=lambda model: f"{model.name or 'random'}, L={model.schedule.length}")
def test_what_is_to_come_solves_the_equation_of_the_windows(model: Model) -> None:
    """H − Σ p H' = Σ p K − A in every window, H = Y(s) + Σ_{l≥1} a_l q_lᵀ; and |K|, |H| lie within their bounds."""
    d, update = model.d, scheduled("off_policy_td")
    states = model.behaviour_chain.recurrent_classes[0]
    numbers, one = about(model), RationalMatrix.zeros(1, 1).identity(model.d)
    parts = _parts(numbers, model, update, ONE, one)
    chain = chain_of(model, update.name, [F(int(s in states), len(states)) for s in range(model.n)])
    Phi, c = model.features.to_float(), trace_weights(model.schedule.lambdas)
    Y, q = parts.Y["z", "x"].mid.reshape(model.n, d, d), [x.mid for x in parts.q]
    pasts: dict[int, list[tuple[int, Fraction]]] = {h: [] for h in range(len(states))}
    outcomes = [chain.edges[k].outcome for k in chain.edge.tolist()]
    moves = list(zip(chain.source.tolist(), chain.target.tolist(), outcomes, strict=True))
    while len(pasts) < len(chain.nodes):  # one way to each node: what is to come depends on the node alone
        for h, g, o in moves:
            if h in pasts and g not in pasts:
                factor = o.rho * o.discount
                pasts[g] = [(o.state, factor), *((j, p * factor) for j, p in pasts[h])][: len(c) - 1] if factor else []
    H = []
    for h, (s, _) in enumerate(chain.nodes):
        older = ((lag, j, float(p)) for lag, (j, p) in enumerate(pasts[h], start=1))
        H.append(Y[s] + sum((p * np.outer(Phi[j], q[lag][s]) for lag, j, p in older), start=np.zeros((d, d))))
    left = np.array(H)
    jumps = jump_system(model, update, ONE, states)
    A, floats = jumps.J.to_float(), chain.floats
    for move in range(len(chain.source)):
        h, target, p = chain.source[move], chain.target[move], floats.probability[move]
        left[h] -= p * (H[target] + floats.parts[0][move, :d, :d])
    inside = [h for h, (s, _) in enumerate(chain.nodes) if chain.of.contexts[s][0] in states]
    assert np.abs(left[inside] + A).max() < 1e-12 * (1 + np.abs(np.array(H)).max())
    bound = _Bound(numbers, model, update, ONE, MidRadMatrix(np.eye(d)), parts)
    k, size = bound._sizes(MidRadMatrix(np.eye(d)), MidRadMatrix(np.eye(d)))
    middle = (Y[list(states)].max(axis=0) + Y[list(states)].min(axis=0)) / 2
    for h in inside:
        assert np.linalg.norm(H[h] - middle, 2) <= size[chain.nodes[h][0]] * (1 + 1e-12)
    used = [a for a in range(len(model.actions)) if any(model.behaviour.column_entries(a))]
    for move in range(len(chain.source)):
        outcome = outcomes[move]
        norm = np.linalg.norm(floats.parts[0][move, :d, :d], 2)
        assert norm <= k[used.index(outcome.action)][outcome.state, outcome.after] * (1 + 1e-12)
    assert len(c) == len(q)


def test_the_bounds_by_hand() -> None:
    """One state, γ = 1/2: A = −1/2 = K, so H = 0, and 2·½ = q > α k² = α/4 holds up to 4: the largest step itself."""
    found = small(one_state(HALF), "td")
    assert found is not None and found.stable and F(39, 10) < found.upto < 4


def test_unstable_dynamics_grow_at_all_small_steps() -> None:
    """θ→2θ at γ = 9/10: A = (6γ − 5)/2 > 0."""
    found = small(theta_to_two_theta(F(9, 10)))
    assert found is not None and not found.stable


def test_nothing_is_said_on_the_edge() -> None:
    """θ→2θ at γ = 5/6 has A = 0, and at γ = 5/6 ± 10⁻¹⁷ floats cannot tell."""
    for gamma in (F(5, 6), F(5, 6) - F(1, 10**17)):
        assert small(theta_to_two_theta(gamma)) is None


def test_features_that_depend_on_each_other_are_those_of_a_basis() -> None:
    """Φ = φ(1, 2): TTᵀ = 5, so that steps count five times."""
    coin = fair_coin_chain(HALF, Schedule.n_step(2))
    twice = coin.with_features(RationalMatrix([[x, 2 * x] for (x,) in coin.features.rows]))
    one, five = small(coin, "td"), small(twice, "td")
    assert one is not None and five is not None
    assert F(97, 100) < 5 * five.upto / one.upto < F(103, 100)
    assert show_bounded(windows_of(twice, "td"), five.upto) is not None


def test_a_form_is_positive_somewhere_or_nothing_is_concluded() -> None:
    assert _largest(np.array([[-1.0, 0.0], [0.0, -2.0]])) is None
    found = _largest(np.array([[-1.0, 0.0], [0.0, 2.0]]))
    assert found is not None and F(19, 10) < found < 2
