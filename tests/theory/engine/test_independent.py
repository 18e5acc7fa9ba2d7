"""Independent draws, held against the function itself, on fractions over all transitions with their probabilities."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from tdcert.algorithms import NAMES, find, for_model, named
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.fixed_point import true_value
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.engine.declare import Algorithm, algorithm
from tdcert.theory.engine.dynamics import at_ratios, rest_of
from tdcert.theory.engine.error_bound import ErrorBound, error_bound
from tdcert.theory.engine.finite_times import moments_in_time
from tdcert.theory.engine.first_order import with_mean_dynamics
from tdcert.theory.engine.means import stationary
from tdcert.theory.engine.noise import noise_of
from tdcert.theory.engine.paths import on_paths
from tdcert.theory.engine.second_moments import at_constant_step
from tdcert.theory.engine.tables import tables
from tdcert.theory.engine.terms import _flat
from tdcert.theory.errors import InputError
from tdcert.theory.model.key_matrices import theorem_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.model.state_action import state_action
from tests.abilities_model import two_policies
from tests.theory.engine.transitions import transitions_from

F = Fraction
HALF, ONE = F(1, 2), F(1)
RING = two_policies(F(9, 10), Schedule.constant(F(1, 2), 2))
"""Three states, two actions, two policies."""
DRAWN = RING.drawn_independently(RationalMatrix.column([HALF, F(1, 6), F(1, 3)]))
OWN = "examples/algorithms/reward_centering.py:centred_td"
ROUND = Model.reward_process(
    RationalMatrix([[0, 1, 0], [0, 0, 1], [1, 0, 0]]),
    RationalMatrix.column([1, 2, 3]),
    F(9, 10),
    RationalMatrix([[-1, 0], [0, -1], [HALF, HALF]]),
)
"""The path 0 → 1 → 2 → 0 of Theorem 5(i) of Lakshminarayanan and Szepesvári 2018, for which independence is needed."""


def asked(name: str, model: Model = DRAWN) -> Algorithm:
    """The update as it is asked about on a model."""
    return for_model(find(name)[0], model)[0]


# ---- the second implementation: the function on fractions ------------------------------------------------------------


def transitions(model: Model) -> Iterator[tuple[Fraction, Any]]:
    """Every transition with its probability D(s) μ(a|s) P_a(s, s'), as an update sees the first one of a run."""
    assert model.sampling is not None
    Phi = [np.array(row, dtype=object) for row in model.features.rows]
    for s, (weight,) in enumerate(model.sampling.rows):
        ahead = sum(
            model.target[s, b] * p * Phi[k] for b, Q in enumerate(model.transitions) for k, p in enumerate(Q.rows[s])
        )
        yield from ((weight * p, t) for p, t in transitions_from(model, Phi, s, ahead=ahead) if weight)


def updated(update: Algorithm, d: int, t: Any, y: Sequence[Fraction], step: Fraction) -> list[Fraction]:
    """All parameters after one transition with an empty memory, by the function as it was declared."""
    parameters, _ = update.slots(d)
    declared = replace(update, memory=update.emptied, emptied={})
    held, at = list[Any](), 0
    for slot in parameters:
        part = np.array(y[at : at + slot.size], dtype=object).reshape(slot.shape)
        held.append(part if slot.shape else part[()])
        at += slot.size
    held += [np.full(slot.shape, F(0), dtype=object)[()] for slot in declared.slots(d)[1]]
    options = {name: _fractions(value) for name, value in update.options.items()}
    new = update.function(t, *held, *[step] * len(update.steps), **options)
    new = new if isinstance(new, tuple) else (new,)
    return [F(x) for part in new[: len(parameters)] for x in _flat(part)]


def _fractions(option: Any) -> Any:
    if isinstance(option, tuple | list):
        return tuple(F(str(x)) for x in option)
    return F(str(option)) if isinstance(option, float) else option


def over_all(update: Algorithm, model: Model, y: list[Fraction], step: Fraction, times: int) -> list[tuple[F, list[F]]]:
    """Every value of the parameters after so many independent transitions, with its probability."""
    found = [(ONE, y)]
    every = list(transitions(model))
    for _ in range(times):
        found = [(p * q, updated(update, model.d, t, z, step)) for (p, z), (q, t) in product(found, every)]
    return found


def moments(found: Sequence[tuple[Fraction, list[Fraction]]]) -> tuple[list[Fraction], list[list[Fraction]]]:
    """Mean and covariance."""
    D = len(found[0][1])
    mean = [sum((p * z[i] for p, z in found), F(0)) for i in range(D)]
    second = [[sum((p * z[i] * z[j] for p, z in found), F(0)) for j in range(D)] for i in range(D)]
    return mean, [[second[i][j] - mean[i] * mean[j] for j in range(D)] for i in range(D)]


def some(count: int) -> list[Fraction]:
    """Parameters that no symmetry favours."""
    return [F((7 * k) % 5 - 2, k + 1) + F(1, 3) for k in range(count)]


@pytest.mark.parametrize("name", [*NAMES, OWN])
def test_the_mean_is_that_of_the_function_over_all_transitions(name: str) -> None:
    """Traces begin anew: none of the paper's schedules, follow-on traces or λ's changes anything."""
    update, step = asked(name), F(1, 8)
    found = stationary(DRAWN, update, DRAWN.classes[0], steps=dict.fromkeys(update.steps, step))
    y = some(found.D)
    change = sum(found.by_exponents.values(), start=RationalMatrix.zeros(found.D, found.D + 1))
    moved = change @ RationalMatrix.column([*y, 1])
    mean, _ = moments(over_all(update, DRAWN, y, step, 1))
    assert [a + b for a, b in zip(y, moved.column_entries(), strict=True)] == mean


@pytest.mark.parametrize("name", ["td", "tdc", "etd", "gtd_momentum"])
def test_successive_transitions_are_independent(name: str) -> None:
    """Mean and covariance after two updates are sums over all pairs of transitions, whatever state the first led to."""
    model = replace(DRAWN, features=DRAWN.features.take(columns=[0]))
    update, step = asked(name, model), F(1, 8)
    own = tables(model, update, model.classes[0], steps=dict.fromkeys(update.steps, step))
    y = some(own.D)
    for at in moments_in_time(own, [ONE], y, 2):
        mean, covariance = moments(over_all(update, model, y, step, at.t))
        assert (at.mean.column_entries(), [list(row) for row in at.covariance.rows]) == (tuple(mean), covariance)
    assert own.starts == len(own.contexts) == 1


@pytest.mark.parametrize("name", ["td", "gtd", "etd"])
def test_noise_has_no_lags(name: str) -> None:
    """Σ is the covariance of one increment at rest: later transitions know nothing of it."""
    update = asked(name)
    found = with_mean_dynamics(DRAWN, update, DRAWN.classes[0])
    ratios = [ONE] * len(update.steps)
    rest = rest_of(found, ratios)
    assert rest.parameters is not None
    y = list(rest.parameters.column_entries())
    one = [(p, [a - b for a, b in zip(z, y, strict=True)]) for p, z in over_all(update, DRAWN, y, ONE, 1)]
    mean, covariance = moments(one)
    assert not any(mean) and noise_of(found, ratios, rest).long_run == RationalMatrix(covariance)


# ---- known answers ---------------------------------------------------------------------------------------------------


def test_a_path_may_grow_where_independent_draws_die_out() -> None:
    """Round the path errors are multiplied by −1017/800; E[A + Aᵀ − AᵀA] is definite, of determinant 22667/720000."""
    round_trip = RationalMatrix.zeros(2, 2).identity(2)
    S = RationalMatrix.zeros(2, 2)
    for s, after in ((0, 1), (1, 2), (2, 0)):
        phi, ahead = (ROUND.features.take(rows=[k]).T for k in (s, after))
        A = phi @ (phi - ahead.scaled(F(9, 10))).T
        round_trip = (A.identity(2) - A) @ round_trip
        S = S + (A + A.T - A.T @ A).scaled(F(1, 3))
    assert sum(round_trip[k, k] for k in range(2)) == F(-1017, 800) and round_trip.rank == 1
    assert S[0, 0] * S[1, 1] - S[0, 1] * S[1, 0] == F(22667, 720000) and S[0, 0] > 0
    drawn = ROUND.drawn_independently()
    found = {
        model: at_constant_step(model, asked("td", model), model.classes[0], [ONE], ONE) for model in (ROUND, drawn)
    }
    assert (found[ROUND].mean, found[ROUND].mean_square) == (1, 1)
    assert (found[drawn].mean, found[drawn].mean_square) == (-1, -1)
    assert on_paths(drawn, asked("td", drawn), drawn.classes[0], [ONE], ONE).sign.sign == -1
    system = found[drawn].system
    assert system is not None and len(system.windows) == 1


def averaged_gtd() -> Algorithm:
    """GTD as Theorem 5(ii) of the same paper has it, the new y moving θ, with one step."""

    @algorithm(parameters={"y": "d", "theta": "d"}, steps=("alpha",))
    def gtd(t: Any, y: Any, theta: Any, alpha: Any) -> Any:
        error = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
        y = y + alpha * (error * t.phi - y)
        return y, theta + alpha * (t.phi @ y) * (t.phi - t.discount * t.phi_next)

    return gtd


def eight_dimensions() -> Model:
    """A_t = ±h_1h_1ᵀ, nearly evenly, and seldom h_jh_jᵀ: from h_1 to 0 or (2/γ)h_1, from h_j to 0, γ = 9/10."""
    H: list[list[Fraction | int]] = [[1]]
    for _ in range(3):
        H = [row + row for row in H] + [row + [-x for x in row] for row in H]
    gamma, rare, zero, twice = F(9, 10), F(1, 1024), 8, 9
    P = [[F(0)] * 10 for _ in range(10)]
    for s in range(10):
        P[s][zero] = ONE
    P[0][zero], P[0][twice] = F(65, 128), F(63, 128)
    rows: list[list[Fraction | int]] = [*H, [0] * 8, [2 / gamma * x for x in H[0]]]
    model = Model.reward_process(
        RationalMatrix(P), RationalMatrix.column([0] * 10), gamma, RationalMatrix(rows), Schedule()
    )
    return model.drawn_independently(RationalMatrix.column([1 - rare, *[rare / 7] * 7, 0, 0]))


@pytest.mark.thorough
def test_the_universal_step_of_averaged_gtd_grows_in_eight_dimensions() -> None:
    """At 1/(2B²d) = 1/16 second moments grow by 0.333 % a step; at 1/128 they die out: radii of the operator."""
    model, update = eight_dimensions(), averaged_gtd()
    for alpha, radius, sign in ((F(1, 16), 1.00333, 1), (F(1, 128), 0.999999, -1)):
        found = at_constant_step(model, update, model.classes[0], [ONE], alpha)
        assert (found.mean, found.mean_square) == (-1, sign) and found.square is not None
        whole = np.zeros((256, 256))
        for p, t in transitions(model):
            M = np.array(
                [
                    [float(x) for x in updated(update, 8, replace(t, reward=F(0)), unit, alpha)]
                    for unit in np.eye(16, dtype=int).tolist()
                ]
            ).T
            whole += float(p) * np.kron(M, M)
        assert max(abs(np.linalg.eigvals(whole))) == pytest.approx(radius, abs=1e-5)  # six digits of another program


@pytest.mark.parametrize(
    ("p", "mean"),
    [
        (HALF, MeanDynamics.STABLE),
        (F(7515701, 10564701), MeanDynamics.MARGINAL),
        (F(4, 5), MeanDynamics.UNSTABLE),
    ],
)
def test_a_law_that_is_not_stationary_may_make_td_diverge(p: Fraction, mean: MeanDynamics) -> None:
    """Kolter 2011: P = ½𝟏𝟏ᵀ, φ = (1, 1.051), γ = 0.99; at one law D = (p, 1 − p) A is zero, and beyond it positive."""
    even = RationalMatrix([[HALF] * 2] * 2)
    Phi = RationalMatrix([[1], [F(1051, 1000)]])
    on_policy = Model.reward_process(even, RationalMatrix.column([1, 1]), F(99, 100), Phi)
    model = on_policy.drawn_independently(RationalMatrix.column([p, 1 - p]))
    found = with_mean_dynamics(model, asked("td", model), model.classes[0])
    assert at_ratios(found, [ONE]).mean_dynamics is mean
    assert (found.means[0][0, 0] == 0) == (mean is MeanDynamics.MARGINAL)


# ---- what a law is, and what has none --------------------------------------------------------------------------------


def test_the_law_is_the_stationary_one_unless_another_is_given() -> None:
    law = RING.behaviour_chain.stationary_law((0, 1, 2))
    assert RING.drawn_independently().sampling == law
    two = Model.reward_process(RationalMatrix([[1, 0], [0, 1]]), RationalMatrix.column([0, 0]), HALF)
    with pytest.raises(InputError, match=r"2 recurrent classes.*one weight for each state"):
        two.drawn_independently()
    assert two.drawn_independently(RationalMatrix.column([0, 1])).classes == ((1,),)


@pytest.mark.parametrize(
    ("law", "why"),
    [([HALF, HALF], "shape 2×1"), ([HALF, HALF, HALF], "sampling law"), ([2, F(-1, 2), F(-1, 2)], "sampling law")],
)
def test_a_law_is_one_of_all_states(law: list[Fraction], why: str) -> None:
    with pytest.raises(InputError, match=why):
        RING.drawn_independently(RationalMatrix.column(law))


def test_equal_models_have_equal_digests_and_no_others() -> None:
    again = Model.of_canonical(DRAWN.canonical)
    assert again.digest == DRAWN.digest and again.sampling == DRAWN.sampling
    assert len({RING.digest, DRAWN.digest, RING.drawn_independently().digest}) == 3
    assert "sampling" not in RING.canonical


@pytest.mark.parametrize(
    "ask",
    [
        lambda model: model.behaviour_chain,
        lambda model: state_action(model),
        lambda model: tables(model, named("etd"), model.classes[0]),
        lambda model: stationary(model, named("td"), model.classes[0]).by_exponents,
    ],
    ids=["chain", "pairs", "memory by entry", "memory"],
)
def test_what_is_about_a_path_is_refused(ask: Callable[[Model], object]) -> None:
    with pytest.raises(InputError, match=r"drawn independently|of a path"):
        ask(DRAWN)


def test_an_emptied_update_is_the_same_elsewhere() -> None:
    """It is sent to workers by the place of its function."""
    update = asked("etd")
    again = pickle.loads(pickle.dumps(update))
    assert (again.memory, again.emptied) == (update.memory, update.emptied) == ({}, dict(named("etd").memory))
    assert named("residual_gradient").emptying() is named("residual_gradient")


def test_matrices_are_those_of_one_transition() -> None:
    """A = ΦᵀD(N − I)Φ and b = ΦᵀDr, whatever the schedule is; at equal policies they are TD's mean."""
    equal = replace(DRAWN, target=DRAWN.behaviour)
    keys = theorem_matrices(equal, equal.classes[0])
    found = with_mean_dynamics(equal, asked("td", equal), equal.classes[0])
    assert keys.A.beside(keys.b) == found.means[0]


def test_the_bound_of_the_error_is_for_a_stationary_law() -> None:
    equal = replace(RING, target=RING.behaviour)
    said = []
    for law in (None, DRAWN.sampling):
        model = equal.drawn_independently(law)
        found = with_mean_dynamics(model, asked("td", model), model.classes[0])
        said.append(error_bound(model, found.algorithm, found.states, rest_of(found, [ONE])))
    assert isinstance(said[0], ErrorBound) and said[0].kappa == F(9, 10)
    assert said[1] == "the bound is for a stationary law"


@algorithm(parameters={"theta": "d", "w": "d"}, steps=("alpha", "beta"), schedule="lam")
def traceless(t: Any, theta: Any, w: Any, alpha: Any, beta: Any, *, lam: Any = 0) -> Any:
    """GTD(λ) as it is on one transition: λ stands in the correction, and there is no memory to be emptied."""
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    correction = t.discount * (1 - lam) * (t.phi @ w) * t.phi_next
    return theta + alpha * (delta * t.phi - correction), w + beta * (delta - t.phi @ w) * t.phi


def test_a_lambda_without_a_trace_does_not_tighten_the_bound() -> None:
    """It rests where TD(0) does, whose κ is γ: on this ring the κ of λ = 9/10 would bound 7.30 by 3.22."""
    P = RationalMatrix([[F((i + 1) % 4 == j) for j in range(4)] for i in range(4)])
    rewards, features = RationalMatrix.column([2, 1, 0, -2]), RationalMatrix.column([-1, -2, -2, -2])
    ring = Model.reward_process(P, rewards, F(9, 10), features, Schedule.constant(F(9, 10))).drawn_independently()
    found = with_mean_dynamics(ring, for_model(traceless, ring)[0], ring.classes[0])
    rest = rest_of(found, [ONE, ONE])
    bound = error_bound(ring, found.algorithm, found.states, rest)
    assert isinstance(bound, ErrorBound) and bound.kappa == F(9, 10)
    off = rest.predictions - true_value(ring)  # D is uniform
    assert F(7) < sum(x * x / 4 for x in off.column_entries()) <= bound.bound
