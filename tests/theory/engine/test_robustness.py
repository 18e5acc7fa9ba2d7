"""How far transitions may change: closed forms by hand, enclosures of every model around, and wrong variants."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tdcert.algorithms import NAMES, for_model, named
from tdcert.algorithms.schedules import TWO_SCALES
from tdcert.sims.strategies import models
from tdcert.theory.arithmetic import BallMatrix, RationalMatrix
from tdcert.theory.arithmetic.ball import precision
from tdcert.theory.arithmetic.rational import to_fmpq
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.engine import robustness as file
from tdcert.theory.engine.declare import Algorithm, algorithm
from tdcert.theory.engine.first_order import with_mean_dynamics
from tdcert.theory.engine.means import traced_or_none
from tdcert.theory.engine.products import Products
from tdcert.theory.engine.robustness import Around, Centre, Robustness, between, distance, robustness, verdict_on
from tdcert.theory.engine.terms import NEXT
from tdcert.theory.errors import InputError
from tdcert.theory.model.gallery import HALF
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tests.effort import examples

F = Fraction
some = settings(max_examples=examples(25), deadline=None)
ONE, GAMMA = [F(1)], F(9, 10)


def two_states(
    left: Sequence[Fraction | int],
    right: Sequence[Fraction | int],
    behaviour: Sequence[Fraction],
    features: Sequence[int],
    gamma: Fraction = GAMMA,
) -> Model:
    """Two states; ``left`` and ``right``: the probabilities of state 2 after each action, from each state;
    ``behaviour``: of the action right. The target policy goes right always.
    """
    return Model(
        ("left", "right"),
        tuple(RationalMatrix([[1 - x, x] for x in action]) for action in (left, right)),
        (RationalMatrix.column([0, 0]),) * 2,
        (RationalMatrix.column([gamma, gamma]),) * 2,
        RationalMatrix([[1 - x, x] for x in behaviour]),
        RationalMatrix([[0, 1], [0, 1]]),
        RationalMatrix.column(features),
        Schedule(),
    )


THETA_2THETA = two_states([0, 0], [1, 1], [HALF, HALF], [1, 2])
BY_LAW = two_states([0, HALF], [1, 1], [F(1, 4), HALF], [1, 3])


def asked(model: Model, name: str) -> tuple[Algorithm, list[Fraction], bool]:
    """An algorithm under the model's schedule, steps in equal ratios, and whether it is meant for two time scales."""
    found, _ = for_model(named(name), model)
    return found, ONE * len(found.steps), name in TWO_SCALES


def around(model: Model, update: Algorithm, epsilon: Fraction, centre: type[Centre] = Centre) -> Around | None:
    """What is enclosed, or None where nothing is."""
    middle, every = centre(model), range(model.n)
    terms = traced_or_none(middle.all_pairs, update, every)
    if file._not_in_balls(terms):
        return None
    given = middle.all_pairs, update, tuple(every), BallMatrix, None, None, terms
    return Around(*given, centre=middle, epsilon=epsilon)


@st.composite
def moved(draw: st.DrawFn, model: Model, epsilon: Fraction) -> Model:
    """A model around another: of every row some mass goes to one state, up to all that may; entries may vanish."""
    matrices = []
    for P in model.transitions:
        rows = []
        for row in P.rows:
            new, to = list(row), draw(st.integers(0, model.n - 1))
            left = epsilon * draw(st.sampled_from([F(0), HALF, F(1), F(1)]))
            for k in draw(st.permutations(range(model.n))):
                taken = min(left, new[k]) if k != to else F(0)
                new[k], new[to], left = new[k] - taken, new[to] + taken, left - taken
            rows.append(new)
        matrices.append(RationalMatrix(rows))
    made = Model(
        model.actions,
        tuple(matrices),
        model.rewards,
        model.discounts,
        model.behaviour,
        model.target,
        model.features,
        model.schedule,
    )
    assert distance(model, made) <= epsilon
    return made


# ---- by hand --------------------------------------------------------------------------------------


def test_the_critical_distance_of_two_states_by_hand() -> None:
    """From state s, right misses state 2 with probability x_s and left finds it with y_s, all in [0, ε]. The law is in
    the ratio (1 + x₂ − y₂) : (1 − x₁ + y₁), so A has the sign of

        (1 + x₂ − y₂)(γ(2 − x₁) − 1) + 2 (1 − x₁ + y₁)(γ(2 − x₂) − 2),

    at γ = 9/10 smallest at x = y = ε for small ε: 0.8 − 0.9ε + 2 (−0.2 − 0.9ε) = 0.4 − 2.7ε, zero at ε = 4/27.
    """
    found = robustness(THETA_2THETA, *asked(THETA_2THETA, "off_policy_td"))
    assert isinstance(found, Robustness) and found.verdict is MeanDynamics.UNSTABLE and found.counter is not None
    assert F(1, 16) < found.within < F(4, 27) <= found.counter.distance < F(4, 27) + F(1, 1000)
    assert found.counter.verdict in (MeanDynamics.STABLE, MeanDynamics.MARGINAL) and not found.why
    assert distance(THETA_2THETA, found.counter.model) == found.counter.distance


def test_a_verdict_that_no_change_touches_has_no_counter_model() -> None:
    """One feature, on-policy: A < 0 for every P."""
    P = RationalMatrix([[HALF, HALF], [HALF, HALF]])
    model = Model.reward_process(P, RationalMatrix.column([0, 0]), F(9, 10), RationalMatrix.column([1, 2]))
    found = robustness(model, *asked(model, "td"))
    assert isinstance(found, Robustness) and found.verdict is MeanDynamics.STABLE
    assert found.within > F(1, 8) and found.counter is None and "no counter-model was found" in found.why


def test_spans_bound_the_law_of_a_flip_by_hand() -> None:
    """P = (1 − p, p; p, 1 − p): Z = I − P + 1μᵀ inverted is ½ + (I − ½)/(2p), so spans are 1/(2p)."""
    p = F(1, 4)
    P = RationalMatrix([[1 - p, p], [p, 1 - p]])
    centre = Centre(Model.reward_process(P, RationalMatrix.column([0, 0]), HALF))
    assert centre.spans == (1 / (2 * p),) * 2


@given(st.fractions(-3, 3), st.fractions(0, 2))
@some
def test_balls_hold_both_ends(low: Fraction, width: Fraction) -> None:
    with precision(file.BITS):
        assert BallMatrix([[between(low, low + width)]]).contains(RationalMatrix([[low]]))
        assert BallMatrix([[between(low, low + width)]]).contains(RationalMatrix([[low + width]]))


# ---- every model around ---------------------------------------------------------------------------


@given(st.data(), models(max_states=3), st.sampled_from([F(1, 64), F(1, 8), F(1, 2)]))
@some
def test_every_stationary_law_is_enclosed(data: st.DataObject, model: Model, epsilon: Fraction) -> None:
    found = around(model, for_model(named("off_policy_td"), model)[0], epsilon)
    assert found is not None
    near = data.draw(moved(model, epsilon))
    with precision(file.BITS):
        for states in near.behaviour_chain.recurrent_classes:
            assert found.law.contains(near.behaviour_chain.stationary_law(states))


@given(st.data(), models(max_states=3, policy="off"), st.sampled_from([F(1, 64), F(1, 8), F(1, 2)]))
@some
def test_every_sum_over_successors_is_enclosed(data: st.DataObject, model: Model, epsilon: Fraction) -> None:
    """Of each coefficient of an update, entry by entry and over rows, whatever the stationary law is."""
    found = around(model, asked(model, "tdc")[0], epsilon)
    near = data.draw(moved(model, epsilon))
    assert found is not None and found.terms is not None
    weights = [
        to_fmpq(near.behaviour[o.state, o.action] * near.transitions[o.action][o.state, o.after])
        for o in (passage.outcome for passage in found.terms.passages)
    ]
    one = Products(found.terms, [to_fmpq(1)] * len(found.terms.contexts), RationalMatrix, weights)
    with precision(file.BITS):
        for number in set(found._whole._present.values()) & set(one._present.values()):
            assert found._whole._matrix(number).contains(one._matrix(number))
            assert found._whole._along(number, NEXT).contains(one._along(number, NEXT))
            assert found._whole._sums(number).contains(one._sums(number))


@pytest.mark.parametrize("name", NAMES)
def test_every_mean_is_enclosed(name: str) -> None:
    """Also where recurrent classes change; what is not enclosed is refused with its reason."""

    @given(st.data(), models(max_states=3, discount="any", endless=True), st.sampled_from([F(1, 256), F(1, 32)]))
    @settings(max_examples=examples(10), deadline=None)
    def contained(data: st.DataObject, model: Model, epsilon: Fraction) -> None:
        update, _, _ = asked(model, name)
        found = around(model, update, epsilon)
        with precision(file.BITS):
            if found is None or not found.has_mean:
                return
            near = data.draw(moved(model, epsilon))
            for states in near.behaviour_chain.recurrent_classes:
                exact = with_mean_dynamics(near, update, states).by_exponents
                for exponents, mean in exact.items():
                    assert found.by_exponents[exponents].contains(mean)

    contained()


@pytest.mark.parametrize("name", ["off_policy_td", "gtd", "tdc", "etd", "direct_gtd"])
def test_no_model_within_the_radius_has_another_verdict(name: str) -> None:
    @given(st.data(), models(max_states=3, policy="off", max_length=1))
    @settings(max_examples=examples(10), deadline=None)
    def holds(data: st.DataObject, model: Model) -> None:
        question = asked(model, name)
        found = robustness(model, *question)
        assume(not isinstance(found, str) and found.within)
        assert isinstance(found, Robustness)
        near = data.draw(moved(model, found.within))
        for states in near.behaviour_chain.recurrent_classes:
            assert verdict_on(near, question[0], states, *question[1:]) is found.verdict
        if found.counter is not None:
            classes = found.counter.model.behaviour_chain.recurrent_classes
            assert found.counter.states in classes and distance(model, found.counter.model) == found.counter.distance
            seen = verdict_on(found.counter.model, question[0], found.counter.states, *question[1:])
            assert seen is found.counter.verdict is not found.verdict

    holds()


# ---- wrong variants are caught --------------------------------------------------------------------


class StillLaw(Centre):
    """A wrong one: the stationary law is taken not to move."""

    @cached_property
    def spans(self) -> tuple[Fraction, ...]:
        return (F(0),) * self.model.n


def test_without_the_movement_of_the_law_a_radius_would_reach_beyond_a_counter_model() -> None:
    question = asked(BY_LAW, "off_policy_td")
    found = robustness(BY_LAW, *question)
    assert isinstance(found, Robustness) and found.counter is not None
    wrong, why = file._radius(StillLaw(BY_LAW), *question, found.verdict)
    assert not why and found.within < found.counter.distance < wrong


def test_without_the_movement_of_the_law_laws_are_not_enclosed() -> None:
    epsilon = F(1, 8)
    near = two_states([epsilon, HALF + epsilon], [1, 1], [F(1, 4), HALF], [1, 3])
    (states,) = near.behaviour_chain.recurrent_classes
    update, _, _ = asked(BY_LAW, "off_policy_td")
    right, wrong = (around(BY_LAW, update, epsilon, centre) for centre in (Centre, StillLaw))
    assert right is not None and wrong is not None
    with precision(file.BITS):
        law = near.behaviour_chain.stationary_law(states)
        assert right.law.contains(law) and not wrong.law.contains(law)


def test_balls_of_half_the_size_are_too_small() -> None:
    """The enclosure of A is not enlarged out of proportion: a model at ε leaves the one for a fraction of ε."""
    near = two_states([F(1, 8), F(1, 8)], [F(7, 8), F(7, 8)], [HALF, HALF], [1, 2])
    update, _, _ = asked(near, "off_policy_td")
    (states,) = near.behaviour_chain.recurrent_classes
    ((exponents, mean),) = with_mean_dynamics(near, update, states).by_exponents.items()
    whole, part = (around(THETA_2THETA, update, F(1, k)) for k in (8, 32))
    assert whole is not None and part is not None
    with precision(file.BITS):
        assert whole.by_exponents[exponents].contains(mean) and not part.by_exponents[exponents].contains(mean)


# ---- what has no radius says why ------------------------------------------------------------------


def test_several_recurrent_classes_have_no_radius() -> None:
    model = Model.reward_process(RationalMatrix([[1, 0], [0, 1]]), RationalMatrix.column([0, 0]), HALF)
    assert "2 recurrent classes" in str(robustness(model, *asked(model, "td")))


def test_a_marginal_verdict_has_no_radius() -> None:
    model = two_states([0, 0], [1, 1], [HALF, HALF], [1, 2], F(5, 6))
    assert "only stable and unstable ones" in str(robustness(model, *asked(model, "off_policy_td")))


@pytest.mark.parametrize(
    "name, why", [("implicit_td", "not linear"), ("gtd_momentum", "not linear in its steps"), ("etd", "")]
)
def test_what_is_not_enclosed_says_why(name: str, why: str) -> None:
    P = RationalMatrix([[HALF, HALF], [HALF, HALF]])
    model = Model.reward_process(P, RationalMatrix.column([0, 0]), F(9, 10), RationalMatrix.column([1, 2]))
    found = robustness(model, *asked(model, name))
    assert isinstance(found, Robustness) and (found.within == 0) == bool(why) and why in found.why


@algorithm(parameters={"theta": "d"}, steps=("alpha",))
def by_expectation(t: Any, theta: Any, alpha: Any) -> Any:
    """TD(0) with E_π φ' in the place of φ'."""
    delta = t.reward + t.discount * (t.expected_phi_next @ theta) - t.phi @ theta
    return theta + alpha * delta * t.phi


@algorithm(parameters={"theta": "d"}, steps=("alpha",))
def by_its_product(t: Any, theta: Any, alpha: Any) -> Any:
    """Moves by a multiple of φᵀE_π φ', a number."""
    return theta + alpha * (t.phi @ t.expected_phi_next) * (t.reward - t.phi @ theta) * t.phi


@algorithm(parameters={"theta": "d"}, steps=("alpha",))
def over_its_product(t: Any, theta: Any, alpha: Any) -> Any:
    """Moves by a multiple of 1/(1 + φᵀE_π φ')."""
    return theta + alpha * (t.reward - t.phi @ theta) * t.phi / (1 + t.phi @ t.expected_phi_next)


@pytest.mark.parametrize("update", [by_expectation, by_its_product, over_its_product])
def test_an_expectation_over_the_transitions_is_not_taken_for_fixed(update: Algorithm) -> None:
    found = robustness(THETA_2THETA, update, ONE)
    assert isinstance(found, Robustness) and found.within == 0 and "E_π φ'" in found.why


def test_which_of_the_shipped_algorithms_are_not_enclosed() -> None:
    """Those that are not linear in their steps; all others are, whatever their names."""
    refused = {name for name in NAMES if around(THETA_2THETA, asked(THETA_2THETA, name)[0], F(1, 64)) is None}
    assert refused == {"gtd2_mp", "gtd_momentum", "tdc_momentum", "true_online_td", "implicit_td"}


def test_a_radius_beyond_its_counter_model_is_refused() -> None:
    found = robustness(THETA_2THETA, *asked(THETA_2THETA, "off_policy_td"))
    assert isinstance(found, Robustness) and found.counter is not None
    with pytest.raises(InputError, match="beyond the distance"):
        Robustness(found.verdict, found.counter.distance, found.counter)
    with pytest.raises(InputError, match="stable or unstable"):
        Robustness(MeanDynamics.MARGINAL, F(0), None)
