"""λ by state: means by formulas of their own, moments by all paths, and what is about one λ-schedule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import cycle, islice
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from tdcert.algorithms import NAMES, as_written, for_model, named
from tdcert.algorithms.schedules import compiled_as
from tdcert.analysis.choose_arithmetic import in_floats
from tdcert.sims.comparison_frame import Sampling
from tdcert.sims.judge.agreement import ErrorBudget
from tdcert.sims.strategies import models
from tdcert.sims.updates.comparison import simulate_update
from tdcert.theory.arithmetic import BallMatrix, RationalMatrix
from tdcert.theory.arithmetic.ball import precision
from tdcert.theory.enclose.sparse_law import stationary_law
from tdcert.theory.engine.declare import Algorithm, algorithm
from tdcert.theory.engine.finite_times import moments_in_time
from tdcert.theory.engine.first_order import with_mean_dynamics
from tdcert.theory.engine.means import stationary
from tdcert.theory.engine.sparse_regime import sparse_regime
from tdcert.theory.engine.tables import tables
from tdcert.theory.errors import InputError, SingularMatrixError
from tdcert.theory.model.key_matrices import behaviour_matrices, theorem_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import LambdaByState, Schedule
from tdcert.theory.model.state_action import state_action
from tests.abilities_model import two_policies
from tests.algorithms.test_algorithms import ByHand, one, ratio, stacked
from tests.effort import examples
from tests.theory.engine.transitions import AT_FIRST, transitions_from

F = Fraction
ONE, HALF = F(1), F(1, 2)
LAMBDAS = (F(3, 4), F(0), F(1, 3))
RING = two_policies(F(9, 10), LambdaByState(LAMBDAS))
"""Three states, two actions, two policies."""
TWO = Model.reward_process(
    RationalMatrix([[HALF, HALF], [1, 0]]),
    RationalMatrix.column([1, 2]),
    HALF,
    RationalMatrix([[1], [3]]),
    LambdaByState((ONE, HALF)),
)
TAKES = tuple(name for name in NAMES if named(name).schedule)
"""The algorithms that have a λ."""


def asked(name: str, model: Model = RING) -> Algorithm:
    return for_model(named(name), model)[0]


def means(name: str, model: Model) -> list[RationalMatrix]:
    return list(with_mean_dynamics(model, asked(name, model), model.classes[0]).means)


# ---- by hand ---------------------------------------------------------------------------------------------------------


def test_two_states_by_hand() -> None:
    """P = ((½, ½), (1, 0)), γ = ½, φ = (1, 3), r = (1, 2), λ = (1, ½), D = (⅔, ⅓).

    With u(s) = E[z; s]: u(0) = ½·1·(u(0)/2 + u(1)) + ⅔ and u(1) = ½·½·u(0)/2 + 1, so u = (56, 40)/33. E[γφ' − φ | s]
    is 0 in state 0 and −5/2 in state 1, so A = −5/2·40/33, and b = u(0) + 2u(1).
    """
    assert means("td", TWO) == [RationalMatrix([[F(-100, 33), F(136, 33)]])]
    keys = theorem_matrices(TWO, (0, 1))
    assert (keys.A[0, 0], keys.b[0, 0]) == (F(-100, 33), F(136, 33))


def test_emphatic_td_by_hand() -> None:
    """The same model: f = (I − γPᵀ)⁻¹d = γ-discounted visits, (4/3, ⅔) as D is stationary and γ = ½; M = λd + (1 − λ)f
    is (⅔, ½); u(0) = ½(u(0)/2 + u(1)) + ⅔·1 = 68/33, u(1) = u(0)/8 + ½·3 = 58/33, A = −5/2·u(1), b = u(0) + 2u(1).
    """
    assert means("etd", TWO) == [RationalMatrix([[F(-145, 33), F(184, 33)]])]


class Traced(ByHand):
    """Means with a trace that is carried on by the λ of the state that it comes to: T = Σ_a μ c P_a ∘ Γ, times Λ."""

    def carried(self, weight: Callable[[F, F], F], *, discounted: bool = True) -> RationalMatrix:
        assert self.model.lambda_by_state is not None
        rows = [
            [x * lam for x, lam in zip(row, self.model.lambda_by_state, strict=True)]
            for row in self.kernel(weight, discounted=discounted).rows
        ]
        return RationalMatrix(rows)

    def mean(
        self,
        trace: Callable[[F, F], F],
        error: Callable[[F, F], F],
        emphasis: RationalMatrix | None = None,
        *,
        discounted: bool = True,
    ) -> tuple[RationalMatrix, RationalMatrix]:
        N = self.kernel(error, discounted=discounted)
        q = self.kernel(error, discounted=False) @ self.ones
        inner, m = self.I - self.carried(trace, discounted=discounted), self.d if emphasis is None else emphasis
        A = self.Phi.T @ inner.solve((N - self.I.scale_rows(q)) @ self.Phi).scale_rows(m)
        return A, self.Phi.T @ inner.solve(self.reward(error)).scale_rows(m)

    def emphasised(self, decay: Fraction | None = None) -> RationalMatrix:
        """m(s) = λ(s)d(s) + (1 − λ(s))f(s)."""
        assert self.model.lambda_by_state is not None
        lam = RationalMatrix.column(self.model.lambda_by_state)
        f = (self.I - self.kernel(ratio, decay=decay).T).solve(self.d)
        return self.d.scale_rows(lam) + f - f.scale_rows(lam)

    def corrected(self) -> RationalMatrix:
        """−E[γ(1 − λ(s'))φ'zᵀ]."""
        N, NL = self.kernel(ratio), self.carried(ratio)
        ahead = (self.I - NL).solve((N - NL) @ self.Phi)
        return -(self.Phi.T @ ahead.scale_rows(self.d)).T


ONE_VECTOR: dict[str, tuple[Callable[[F, F], F], Callable[[F, F], F]]] = {
    "td": (one, one),
    "off_policy_td": (ratio, ratio),
    "tree_backup": (lambda pi, mu: pi, ratio),
    "retrace": (lambda pi, mu: min(ONE, pi / mu), ratio),
    "vtrace": (lambda pi, mu: min(ONE, pi / mu), lambda pi, mu: min(ONE, pi / mu)),
    "q_sigma": (ratio, ratio),
    "true_online_td": (one, one),
}
"""Trace coefficient without λ, and error weight."""


def wanted(name: str, model: Model) -> list[RationalMatrix]:
    """[A_k b_k] of each step, by the formulas."""
    hand = Traced(model)
    if name in ONE_VECTOR:
        return [stacked(hand.mean(*ONE_VECTOR[name]))]
    A, b = hand.mean(ratio, ratio)
    C, zero, none, unit = hand.C, A.scaled(0), b.scaled(0), A.identity(A.shape[0])
    still = zero, zero, none
    match name:
        case "etd":
            return [stacked(hand.mean(ratio, ratio, hand.emphasised()))]
        case "etd_beta":
            return [stacked(hand.mean(ratio, ratio, hand.emphasised(F(0))))]
        case "ridge_td":
            return [stacked((A - unit, b))]
        case "gtd":
            return [stacked((zero, -A.T, none), still), stacked(still, (A, -C, b))]
        case "tdc" | "gtd_lambda":
            return [stacked((A, hand.corrected(), b), still), stacked(still, (A, -C, b))]
        case "tdrc":
            return [stacked((A, hand.corrected(), b), still), stacked(still, (A, -(C + unit), b))]
        case "gtd2_lambda":
            return [stacked((zero, C + hand.corrected(), none), still), stacked(still, (A, -C, b))]
        case "htd":
            own, _ = hand.mean(one, one)
            return [stacked((A, own.T - A.T, b), still), stacked(still, (A, own.T, b))]
        case "average_reward_td":
            A, b = hand.mean(one, one, discounted=False)
            z = (hand.I - hand.carried(one, discounted=False)).solve(hand.ones)
            row, number = RationalMatrix.zeros(1, A.shape[0]), RationalMatrix([[0]])
            return [
                stacked((A, -(hand.Phi.T @ z.scale_rows(hand.d)), b), (row, number, number)),
                stacked((zero, none, none), (row, RationalMatrix([[-1]]), hand.d.T @ hand.reward(one))),
            ]
    raise AssertionError(name)


@pytest.mark.parametrize("name", TAKES)
def test_means_by_formulas(name: str) -> None:
    """Of every algorithm that has a λ: none is left out."""
    assert means(name, RING) == wanted(name, RING)


@pytest.mark.thorough
@pytest.mark.parametrize("name", [name for name in TAKES if name != "true_online_td"])
def test_means_by_formulas_on_any_model(name: str) -> None:
    @settings(max_examples=examples(20), deadline=None)
    @given(models(policy="off", discount="any"))
    def holds(drawn: Model) -> None:
        model = drawn.with_schedule(LambdaByState(tuple(islice(cycle((HALF, ONE, F(0), F(1, 3))), drawn.n))))
        found = stationary(model, asked(name, model), model.classes[0])
        try:
            expected = wanted(name, model)
        except SingularMatrixError:
            return
        if len(model.classes) == 1 and len(model.classes[0]) == model.n and found.memory.exists:
            assert list(found.means) == expected

    holds()


@pytest.mark.parametrize("name", ["td", "etd", "gtd_lambda", "vtrace", "htd"])
def test_one_lambda_everywhere_is_that_lambda(name: str) -> None:
    model = RING.with_schedule(LambdaByState((F(2, 3),) * 3))
    assert means(name, model) == means(name, RING.with_schedule(Schedule.constant(F(2, 3))))
    assert model.digest != RING.with_schedule(Schedule.constant(F(2, 3))).digest


def test_a_lambda_that_is_given_is_taken_everywhere() -> None:
    """An option comes before the model's λ, in the correction at the next state too."""
    mine = named("gtd_lambda").with_options(lam=HALF)
    plain = RING.with_schedule(Schedule())
    assert [*stationary(RING, for_model(mine, RING)[0], (0, 1, 2)).means] == [*stationary(plain, mine, (0, 1, 2)).means]
    assert not for_model(mine, RING)[0].by_state


def test_matrices_are_those_of_the_trace() -> None:
    found = stationary(RING, asked("off_policy_td"), (0, 1, 2)).means[0]
    keys = behaviour_matrices(RING, (0, 1, 2))
    assert keys.A.beside(keys.b) == found
    assert keys.D_I_minus_M() == (keys.S(keys.N.identity(3) - keys.N)).scale_rows(keys.d)


# ---- interest --------------------------------------------------------------------------------------------------------


def test_interest_by_hand() -> None:
    """i = (1, 0) on the same model: f(0) = ½(f(0)/2 + f(1)) + ⅔ and f(1) = f(0)/4, so f = (16, 4)/15, M = (⅔, 2/15),
    u(0) = ½(u(0)/2 + u(1)) + ⅔ = 208/165, u(1) = u(0)/8 + 3·2/15 = 92/165, A = −5/2·u(1), b = u(0) + 2u(1).
    """
    model = replace(TWO, interest=(ONE, F(0)))
    assert means("etd", model) == [RationalMatrix([[F(-46, 33), F(392, 165)]])]
    assert means("td", model) == means("td", TWO)


INTEREST = (F(2), F(0), HALF)


@pytest.mark.parametrize("name", ["etd", "etd_beta"])
def test_interest_by_formulas(name: str) -> None:
    """λ(s) and i(s) together; the follow-on trace begins with d(s)i(s)."""
    model = replace(RING, interest=INTEREST)
    hand, lam = Traced(model), RationalMatrix.column(LAMBDAS)
    weighted = hand.d.scale_rows(RationalMatrix.column(INTEREST))
    decay = F(0) if name == "etd_beta" else None
    f = (hand.I - hand.kernel(ratio, decay=decay).T).solve(weighted)
    m = weighted.scale_rows(lam) + f - f.scale_rows(lam)
    assert means(name, model) == [stacked(hand.mean(ratio, ratio, m))]


def test_interest_is_scaled_with_the_step() -> None:
    """Twice the interest is twice the step, and where it is one everywhere it is as if none were given."""
    once, twice = (means("etd", replace(RING, interest=(x,) * 3))[0] for x in (ONE, F(2)))
    assert twice == once.scaled(F(2)) and once == means("etd", RING)[0]


def test_interest_in_other_arithmetics() -> None:
    model = replace(RING, interest=INTEREST)
    sparse, states = in_floats(model), np.arange(3)
    law = stationary_law(sparse.behaviour_kernel, states)[0]
    assert law is not None and sparse.exact().interest == INTEREST
    found = sparse_regime(sparse, for_model(named("etd"), sparse)[0], states, law).means[0]
    for i, row in enumerate(means("etd", model)[0].rows):
        for j, x in enumerate(row):
            assert abs(F(float(found.mid[i, j])) - x) <= F(float(found.rad[i, j])) < F(1, 10**9)


@algorithm(parameters={"theta": "d"})
def weighted_entries(t: Any, theta: Any, alpha: Any) -> Any:
    """TD(0) weighted with the interest, vectors taken apart."""
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    return np.array([x + alpha * t.interest * delta * y for x, y in zip(theta, t.phi, strict=True)])


def test_interest_entry_by_entry() -> None:
    """E[i(s)δφ]: Φᵀ diag(d∘i)(N − I)Φ, of the behaviour policy."""
    model = replace(RING, interest=INTEREST)
    hand = Traced(model)
    m = hand.d.scale_rows(RationalMatrix.column(INTEREST))
    A = hand.Phi.T @ ((hand.kernel(one) - hand.I) @ hand.Phi).scale_rows(m)
    assert stationary(model, weighted_entries, (0, 1, 2)).means[0].take(columns=[0, 1]) == A


def test_models_know_their_interest() -> None:
    model = replace(RING, interest=INTEREST)
    again = Model.of_canonical(model.canonical)
    assert again.interest == INTEREST and again.digest == model.digest != RING.digest
    assert "interest" not in RING.canonical
    assert set(state_action(model).interest or ()) == set(INTEREST)
    for wrong in ((ONE,), (ONE, ONE, -ONE)):
        with pytest.raises(InputError, match="give 3 numbers that are not negative"):
            replace(RING, interest=wrong)


@pytest.mark.thorough
def test_runs_with_an_interest_agree_with_moments() -> None:
    """At false-alarm rate 10⁻⁹, of the suite's budget."""
    model = replace(RING, interest=INTEREST)
    sampling = Sampling("interest: etd", 20_000, 0, ErrorBudget(1e-8), 1e-9)
    assert simulate_update(model, asked("etd", model), [ONE], [0.5] * 3, sampling, y0=[1.0] * model.d).agrees


# ---- moments by all paths --------------------------------------------------------------------------------------------


def paths(
    model: Model, update: Algorithm, start: int, updates: int, step: Fraction
) -> list[tuple[Fraction, list[Any]]]:
    """The parameters after all paths of that length, with their probabilities; λ is looked up by the state here."""
    assert model.lambda_by_state is not None
    lambdas, Phi = model.lambda_by_state, [np.array(row, dtype=object) for row in model.features.rows]
    parameters, memory = update.slots(model.d)
    held = [np.full(slot.shape, ONE, dtype=object)[()] for slot in parameters]
    held += [np.full(slot.shape, F(0), dtype=object)[()] for slot in memory]
    found: list[Any] = [(ONE, start, held, AT_FIRST)]
    for _ in range(updates):
        new = []
        for weight, s, y, known in found:
            for p, t in transitions_from(model, Phi, s, known):
                # an update that asks for the next state's λ has the λ of this one in its hand
                t = replace(t, lam=lambdas[s], lam_next=lambdas[t.next_state])
                names, at = update.schedule, t.lam
                options: dict[str, Any] = dict(zip(names, (at,) if len(names) == 1 else ((), (at,)), strict=True))
                options = {**{key: x for key, x in update.options.items() if key not in names}, **options}
                after = update.function(t, *y, *[step] * len(update.steps), **options)
                after = list(after) if isinstance(after, tuple) else [after]
                told = {"discount_before": t.discount, "rho_before": t.rho, "first": False}
                new.append((weight * p, t.next_state, after, told))
        found = new
    return [(weight, y[: len(parameters)]) for weight, _, y, _ in found]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in ("etd", "tdc") else pytest.mark.thorough) for name in TAKES]
)
def test_moments_are_those_over_all_paths(name: str) -> None:
    """After three updates from state 1: by the tables, whose memory moves entry by entry."""
    update, step = asked(name), F(1, 8)
    own = tables(RING, update, [1], steps=dict.fromkeys(update.steps, step))
    at = list(moments_in_time(own, [ONE], [ONE] * own.D, 3))[-1]  # of two traces, the last time that it allows
    mean = [F(0)] * own.D
    for weight, y in paths(RING, update, 1, at.t, step):
        flat = [F(x) for part in y for x in np.ravel(part).tolist()]
        mean = [m + weight * x for m, x in zip(mean, flat, strict=True)]
    assert at.t >= 2 and list(at.mean.column_entries()) == mean


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["etd", "gtd_lambda", "retrace"])
def test_runs_agree_with_moments(name: str) -> None:
    """At false-alarm rate 10⁻⁹ each, of the suite's budget; steps of ½ over three updates."""
    update, width = asked(name), asked(name).width(RING.d)
    ratios = [ONE] * len(update.steps)
    sampling = Sampling(f"lambda by state: {name}", 20_000, 0, ErrorBudget(1e-8), 1e-9)
    assert simulate_update(RING, update, ratios, [0.5] * 3, sampling, y0=[1.0] * width).agrees


# ---- other arithmetics -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["etd", "gtd_lambda"])
def test_enclosures_hold_what_is_exact(name: str) -> None:
    exact = stationary(RING, asked(name), (0, 1, 2)).means
    with precision(128):
        balls = stationary(RING, asked(name), (0, 1, 2), kind=BallMatrix).means
    sparse, states = in_floats(RING), np.arange(3)
    law = stationary_law(sparse.behaviour_kernel, states)[0]
    assert law is not None
    found = sparse_regime(sparse, for_model(named(name), sparse)[0], states, law).means
    for k, one_step in enumerate(exact):
        for i, row in enumerate(one_step.rows):
            for j, x in enumerate(row):
                off = abs(balls[k].to_float()[i, j] - float(x))
                assert off <= balls[k].radius()[i, j] + 1e-15
                middle, radius = found[k].mid[i, j], found[k].rad[i, j]
                assert abs(F(float(middle)) - x) <= F(float(radius)) and radius < 1e-9


# ---- what is about one schedule --------------------------------------------------------------------------------------


@pytest.mark.parametrize("ask", [lambda x: x.lambdas, lambda x: x.tail, lambda x: x.kappa(HALF)])
def test_there_is_no_schedule(ask: Callable[[Schedule], object]) -> None:
    with pytest.raises(InputError, match="one λ-schedule"):
        ask(RING.schedule)


def test_closed_forms_of_a_schedule_are_not_used() -> None:
    assert compiled_as(asked("td"), RING.schedule) is None
    assert compiled_as(named("td"), Schedule()) == "td"


def test_models_know_their_lambdas() -> None:
    again = Model.of_canonical(RING.canonical)
    assert again.digest == RING.digest and again.lambda_by_state == LAMBDAS
    assert RING.canonical["schedule"] == {"by_state": ["3/4", "0", "1/3"]}
    other = RING.with_schedule(LambdaByState(LAMBDAS[::-1]))
    assert other.digest != RING.digest and other.schedule != RING.schedule
    assert RING.schedule == LambdaByState(LAMBDAS) and len({RING.schedule, LambdaByState(LAMBDAS)}) == 1
    with pytest.raises(InputError, match="give 3 numbers, one for each state"):
        RING.with_schedule(LambdaByState((ONE,)))
    with pytest.raises(InputError, match="give 3 numbers, one for each state"):
        replace(RING, schedule=LambdaByState(()))


def test_the_trace_of_undiscounted_states_may_have_no_sum() -> None:
    """γ = 1: with λ = 1 everywhere Σ(NΛ)ᵏ has no sum; one λ below one in a state that is met ends it."""
    model = replace(TWO, discounts=(RationalMatrix.column([1, 1]),))
    assert not model.with_schedule(LambdaByState((ONE, ONE))).has_trace_sum
    assert model.has_trace_sum and model.has_trace_sum_on((0, 1))
    assert asked("td", model).by_state and stationary(model, asked("td", model), (0, 1)).has_mean


def test_pairs_have_the_lambda_of_their_state() -> None:
    pairs = state_action(RING)
    assert pairs.lambda_by_state is not None and len(pairs.lambda_by_state) == pairs.n
    assert set(pairs.lambda_by_state) == set(LAMBDAS)


# ---- functions of one's own ------------------------------------------------------------------------------------------


@algorithm(parameters={"theta": "d"}, memory={"z": "d"}, schedule="lam")
def at_the_start(t: Any, theta: Any, z: Any, alpha: Any, *, lam: Any = 0) -> Any:
    """The trace decays at the beginning of an update, by the λ of the state."""
    z = t.discount_before * lam * z + t.phi
    return theta + alpha * (t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta) * z, z


@algorithm(parameters={"theta": "d"}, memory={"z": "d"}, schedule="lam")
def at_the_end(t: Any, theta: Any, z: Any, alpha: Any, *, lam: Any = 0) -> Any:
    """It decays at the end, by the λ of the state to come."""
    z = z + t.phi
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    return theta + alpha * delta * z, t.discount * t.at_next(lam) * z


@algorithm(parameters={"theta": "d"}, memory={"z": "d"})
def looked_up(t: Any, theta: Any, z: Any, alpha: Any, *, by_state: Any = LAMBDAS) -> Any:
    """λ as an option by states: what any function could do before, evaluated for each state."""
    z = by_state[t.state] * z + t.phi
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    return theta + alpha * delta * z, t.discount * z


@algorithm(parameters={"theta": "d"}, memory={"z": "d"})
def apart(t: Any, theta: Any, z: Any, alpha: Any, *, lam: Any = 0) -> Any:
    """It declares no λ of the model."""
    z = lam * z + t.phi
    return theta + alpha * (t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta) * z, t.discount * z


@algorithm(parameters={"theta": "d"}, memory={"z": "d"}, schedule="lam")
def entries(t: Any, theta: Any, z: Any, alpha: Any, *, lam: Any = 0) -> Any:
    """It takes vectors apart, so it is evaluated entry by entry, all next states together."""
    new = np.array([x + y for x, y in zip(z, t.phi, strict=True)])
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    return theta + alpha * delta * new, t.discount * t.at_next(lam) * new


def test_functions_of_ones_own() -> None:
    expected = means("td", RING)
    for update in (at_the_start, at_the_end, looked_up, entries):
        assert [*stationary(RING, for_model(update, RING)[0], (0, 1, 2)).means] == expected, update.name
    assert "declare schedule" in as_written(apart, RING) and not as_written(at_the_end, RING)


def test_another_lambda_than_that_of_the_state_stays() -> None:
    one = next(transitions_from(RING, [np.array([ONE])] * 3, 0, {}))[1]
    given = replace(one, lam=F(1, 3), lam_next=F(2, 3))
    assert given.at_next(given.lam) == F(2, 3) and given.at_next(F(1, 5)) == F(1, 5) and one.at_next(HALF) == HALF


def test_a_transition_without_lambda_by_state_gives_the_option_back() -> None:
    plain = RING.with_schedule(Schedule.constant(HALF))
    assert [*stationary(plain, for_model(at_the_end, plain)[0], (0, 1, 2)).means] == means("td", plain)
