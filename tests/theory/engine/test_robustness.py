"""How far transitions may change: closed forms by hand, enclosures of every model around, and wrong variants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import tdcert
from tdcert.algorithms import NAMES, for_model, named
from tdcert.sims.strategies import models
from tdcert.theory.arithmetic import BallMatrix, RationalMatrix
from tdcert.theory.arithmetic.ball import precision
from tdcert.theory.arithmetic.rational import to_fmpq
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.engine import robustness as file
from tdcert.theory.engine.around import Around, Nearby, Tracing, UnboundedError, between
from tdcert.theory.engine.declare import Algorithm, algorithm
from tdcert.theory.engine.first_order import with_mean_dynamics
from tdcert.theory.engine.perturbation import KINDS, Change, Perturbation, PerturbedBehaviour, PerturbedTransitions
from tdcert.theory.engine.products import Products
from tdcert.theory.engine.robustness import Asked, Robustness, robustness
from tdcert.theory.engine.terms import NEXT
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.model.gallery import HALF
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import LambdaByState, Schedule
from tests.effort import examples
from tests.theory.engine.test_by_state import INTEREST, RING

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
    return found, ONE * len(found.steps), found.two_scales


def around(model: Model, update: Algorithm, epsilon: Fraction, change: Change = Change.TRANSITIONS) -> Around | None:
    """What is enclosed, or None where nothing is."""
    return enclosed(KINDS[change](model), update, epsilon)


def enclosed(perturbation: Perturbation, update: Algorithm, epsilon: Fraction) -> Around | None:
    """What is enclosed around a model, or None where nothing is."""
    try:
        return Around.of(Tracing(perturbation, update).at(epsilon), epsilon)
    except (BudgetExceededError, InputError):
        return None


@st.composite
def moved(draw: st.DrawFn, perturbation: Perturbation, epsilon: Fraction) -> Model:
    """A model around another: of every law some mass goes to one outcome, up to all that may; entries may vanish."""
    rows = {}
    for key, row in perturbation.rows.items():
        may = [k for k in range(len(row)) if perturbation.may_happen(key, k)]
        new, to = list(row), draw(st.sampled_from(may))
        left = epsilon * draw(st.sampled_from([F(0), HALF, F(1), F(1)]))
        for k in draw(st.permutations(may)):
            most = new[k] * (F(99, 100) if perturbation.must_happen(key, k) else 1)
            taken = min(left, most) if k != to else F(0)
            new[k], new[to], left = new[k] - taken, new[to] + taken, left - taken
        rows[key] = new
    made = perturbation.moved(rows)
    assert perturbation.distance(made) <= epsilon and not set(made.uncovered) - set(perturbation.model.uncovered)
    return made


def violation(asked: Asked, model: Model, verdict: MeanDynamics) -> tuple[int, ...] | None:
    """A recurrent class of a model on which the verdict is another one."""
    return next((states for states in model.classes if asked.verdict(model, states) is not verdict), None)


# ---- by hand --------------------------------------------------------------------------------------

CRITICAL = {
    Change.TRANSITIONS: F(4, 27),
    Change.DISCOUNT: F(1, 15),
    Change.BEHAVIOUR: F(1, 6),
    Change.TARGET: F(4, 27),
}
"""θ→2θ at γ = 9/10, with the target *right* and an even behaviour. A has the sign of d₁(2γ − 1) + 2 d₂(2γ − 2).

*Transitions.* From state s, right misses state 2 with probability x_s and left finds it with y_s, all in [0, ε]. The
law is in the ratio (1 + x₂ − y₂) : (1 − x₁ + y₁), so A has the sign of

    (1 + x₂ − y₂)(γ(2 − x₁) − 1) + 2 (1 − x₁ + y₁)(γ(2 − x₂) − 2),

at γ = 9/10 smallest at x = y = ε for small ε: 0.8 − 0.9ε + 2 (−0.2 − 0.9ε) = 0.4 − 2.7ε, zero at ε = 4/27.
*Discount.* d = (½, ½): 6γ − 5, so off-policy TD is stable where γ < 5/6.
*Behaviour.* Right with q₁ and q₂: d₂ = q₁/(1 − q₂ + q₁), largest at q₁ = q₂ = ½ + ε, where it is that. The sign is that
of 0.8 d₁ − 0.4 d₂ = 0.8 − 1.2 d₂, zero at d₂ = 2/3.
*Target.* Left with x₁ and x₂: γ(2 − x₁) − 1 + 2(γ(2 − x₂) − 2) = 0.4 − 0.9 (x₁ + 2 x₂), zero at x = 4/27.
"""
CAREFUL = {
    Change.TRANSITIONS: F(9, 20),
    Change.DISCOUNT: F(49, 50),
    Change.BEHAVIOUR: F(49, 50),
    Change.TARGET: F(49, 50),
}
"""Which part of the critical distance is certified, at least: all but that of transitions are sharp up to bisection, as
the enclosure is linear in the number that changes."""


@pytest.mark.parametrize("change", Change)
def test_the_critical_distance_of_two_states_by_hand(change: Change) -> None:
    critical, perturbation = CRITICAL[change], KINDS[change](THETA_2THETA)
    found = robustness(THETA_2THETA, *asked(THETA_2THETA, "off_policy_td"), change)
    assert isinstance(found, Robustness) and found.verdict is MeanDynamics.UNSTABLE and found.counter is not None
    assert CAREFUL[change] * critical < found.within < critical == found.counter.distance
    assert found.counter.verdict is MeanDynamics.MARGINAL and not found.why and found.change is change
    assert perturbation.distance(found.counter.model) == critical


def test_discounts_by_transition_change_one_by_one() -> None:
    """θ→2θ with another discount after *left*, where ρ = 0: A has the sign of 2γ₁ + 4γ₂ − 5, γ_s after *right*."""
    after_left, after_right = (RationalMatrix.column([gamma] * 2) for gamma in (HALF, F(9, 10)))
    model = replace(THETA_2THETA, discounts=(after_left, after_right))
    found = robustness(model, *asked(model, "off_policy_td"), Change.DISCOUNT)
    assert isinstance(found, Robustness) and found.counter is not None
    assert F(49, 50) * F(1, 15) < found.within < F(1, 15) == found.counter.distance
    assert model.gamma is None and found.counter.model.discounts[1][0, 1] == F(5, 6)


@pytest.mark.thorough
def test_draws_keep_their_law() -> None:
    """θ→2θ drawn from (⅔, ⅓): A has the sign of ⅔(2γ − 1) + ⅔(2γ − 2), zero at γ = ¾, whatever μ is. With *left* at
    x₁ and x₂, of transitions as of π, it is that of 4γ − 3 − γ(x₁ + x₂) = 0.6 − 1.8ε.
    """
    model = THETA_2THETA.drawn_independently(RationalMatrix.column([F(2, 3), F(1, 3)]))
    for change, critical in ((Change.DISCOUNT, F(3, 20)), (Change.TARGET, F(1, 3)), (Change.TRANSITIONS, F(1, 3))):
        found = robustness(model, *asked(model, "off_policy_td"), change)
        assert isinstance(found, Robustness) and found.counter is not None
        assert F(49, 50) * critical < found.within < critical == found.counter.distance
    always = robustness(model, *asked(model, "off_policy_td"), Change.BEHAVIOUR)
    assert isinstance(always, Robustness) and always.within == 1 and always.counter is None


def test_one_discount_is_decided_on_intervals() -> None:
    """GTD is stable where A is not zero: at γ ≠ 5/6. In one piece a fifth of that distance is decided."""
    found = robustness(THETA_2THETA, *asked(THETA_2THETA, "gtd"), Change.DISCOUNT)
    assert isinstance(found, Robustness) and found.verdict is MeanDynamics.STABLE
    assert F(4, 5) * F(1, 15) < found.within < F(1, 15)


def test_the_discount_at_which_a_lambda_by_state_fails_by_hand() -> None:
    """Two states that take turns, φ = (5, 1), λ = (0, 1): z is 5 and 5γ + 1, so that A = ½(5(γ − 5) + (5γ + 1)(5γ − 1))
    = ½(25γ² + 5γ − 26), which is positive from 0.9246… on. With λ = 1 in both states A is negative for every γ < 1.
    """
    chain = RationalMatrix([[0, 1], [1, 0]]), RationalMatrix.column([1, 0]), HALF, RationalMatrix([[5], [1]])
    model = Model.reward_process(*chain, LambdaByState((F(0), F(1))))
    found = robustness(model, asked(model, "td")[0], ONE, change=Change.DISCOUNT)
    assert isinstance(found, Robustness) and found.counter is not None
    shown, other = HALF + found.within, HALF + found.counter.distance
    assert F(9, 10) < shown and 25 * shown**2 + 5 * shown < 26 < 25 * other**2 + 5 * other


@pytest.mark.parametrize(
    "change",
    [Change.TARGET, *(pytest.param(one, marks=pytest.mark.thorough) for one in Change if one != Change.TARGET)],
)
def test_dependent_features_are_seen_through_a_basis(change: Change) -> None:
    """θ→2θ with its feature twice: J is singular on every model, and what updates see is that of one, doubled."""
    model = THETA_2THETA.with_features(RationalMatrix([[1, 1], [2, 2]]))
    one, two = (robustness(each, *asked(each, "off_policy_td"), change) for each in (THETA_2THETA, model))
    assert isinstance(one, Robustness) and isinstance(two, Robustness) and two.counter is not None
    assert (two.verdict, two.within, two.counter.distance) == (one.verdict, one.within, CRITICAL[change])


@pytest.mark.parametrize(
    "change",
    [Change.TARGET, *(pytest.param(one, marks=pytest.mark.thorough) for one in Change if one != Change.TARGET)],
)
def test_baird_is_unstable_around(change: Change) -> None:
    """Seven states and eight features, which are dependent."""
    model = tdcert.example("baird").model
    within, why = file.radius(KINDS[change](model), Asked(*asked(model, "off_policy_td")), MeanDynamics.UNSTABLE)
    assert within > 0 and not why


@algorithm(parameters={"theta": "d"}, steps=("alpha",))
def jumping(t: Any, theta: Any, alpha: Any) -> Any:
    """TD(0) times ρ up to 1, and times 30 beyond."""
    ratio = t.rho if t.rho <= 1 else 30
    return theta + alpha * ratio * (t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta) * t.phi


@pytest.mark.parametrize("right", [F(5, 8), F(7, 8)])
def test_every_case_of_what_is_compared_is_enclosed(right: Fraction) -> None:
    """ρ of *right* is 1, and 5/6 or 7/6 where the target policy takes it with 1/8 less or more."""
    behaviour, target = (RationalMatrix([[1 - p, p]] * 2) for p in (F(3, 4), right))
    model = replace(THETA_2THETA, behaviour=behaviour, target=behaviour)
    near, found = replace(model, target=target), around(model, jumping, F(1, 8), Change.TARGET)
    ((exponents, mean),) = with_mean_dynamics(near, jumping, (0, 1)).by_exponents.items()
    with precision(file.BITS):
        assert found is not None and found.has_mean and found.by_exponents[exponents].contains(mean)


def test_the_ratio_times_the_behaviour_policy_is_the_target_policy() -> None:
    """A behaviour policy may come as near to zero as it likes: of Pμ·ρ no μ is left."""
    drawn = THETA_2THETA.drawn_independently()
    found = around(drawn, asked(drawn, "off_policy_td")[0], F(5, 8), Change.BEHAVIOUR)
    assert found is not None and found.has_mean
    ((mean,),) = [list(found.by_exponents.values())]
    with precision(file.BITS):
        assert mean.contains(RationalMatrix([[F(1, 5), 0]])) and not mean.contains(RationalMatrix([[F(1, 4), 0]]))


@pytest.mark.parametrize("change", [Change.BEHAVIOUR, Change.TARGET])
def test_coverage_is_kept(change: Change) -> None:
    """μ' takes what π takes, π' takes only what μ takes; a model without coverage is refused."""
    perturbation = KINDS[change](replace(THETA_2THETA, behaviour=RationalMatrix([[HALF, HALF], [0, 1]])))
    found = robustness(perturbation.model, *asked(perturbation.model, "off_policy_td"), change)
    assert isinstance(found, Robustness)
    assert found.counter is None or not found.counter.model.uncovered
    assert perturbation.may_happen((1,), 0) is (change is Change.BEHAVIOUR)
    assert perturbation.must_happen((0,), 1) is (change is Change.BEHAVIOUR)
    without = replace(THETA_2THETA, behaviour=RationalMatrix([[HALF, HALF], [1, 0]]))
    assert "coverage" in str(robustness(without, *asked(without, "off_policy_td"), change))


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
    model = Model.reward_process(P, RationalMatrix.column([0, 0]), HALF)
    assert PerturbedTransitions(model).spans == (1 / (2 * p),) * 2
    assert not any(KINDS[Change.DISCOUNT](model).spans) and not any(KINDS[Change.TARGET](model).spans)


def test_spans_of_a_behaviour_policy_are_those_over_actions_by_hand() -> None:
    """θ→2θ: both rows of P are (½, ½), so Z = I. Actions lead to different states: spans are 1. With one action, 0."""
    assert PerturbedBehaviour(THETA_2THETA).spans == (1, 1)
    one = Model.reward_process(RationalMatrix([[HALF, HALF]] * 2), RationalMatrix.column([0, 0]), HALF)
    assert PerturbedBehaviour(one).spans == (0, 0)


@given(st.fractions(-3, 3), st.fractions(0, 2))
@some
def test_balls_hold_both_ends(low: Fraction, width: Fraction) -> None:
    with precision(file.BITS):
        ball = BallMatrix([[between(to_fmpq(low), to_fmpq(low + width))]])
        assert ball.contains(RationalMatrix([[low]])) and ball.contains(RationalMatrix([[low + width]]))


# ---- every model around ---------------------------------------------------------------------------


MOVES_THE_LAW = st.sampled_from([Change.TRANSITIONS, Change.BEHAVIOUR])
RADII = st.sampled_from([F(1, 64), F(1, 8), F(1, 2)])


@given(st.data(), models(max_states=3), MOVES_THE_LAW, RADII)
@some
def test_every_stationary_law_is_enclosed(data: st.DataObject, model: Model, change: Change, epsilon: Fraction) -> None:
    found = around(model, for_model(named("off_policy_td"), model)[0], epsilon, change)
    assert found is not None
    near = data.draw(moved(KINDS[change](model), epsilon))
    with precision(file.BITS):
        for states in near.behaviour_chain.recurrent_classes:
            assert found.law.contains(near.behaviour_chain.stationary_law(states))


@given(st.data(), models(max_states=3, policy="off"), st.sampled_from([F(1, 64), F(1, 8), F(1, 2)]))
@some
def test_every_sum_over_successors_is_enclosed(data: st.DataObject, model: Model, epsilon: Fraction) -> None:
    """Of each coefficient of an update, entry by entry and over rows, whatever the stationary law is."""
    found = around(model, asked(model, "tdc")[0], epsilon)
    near = data.draw(moved(PerturbedTransitions(model), epsilon))
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


def enclose_means(update: Any, count: int, **kind: Any) -> None:
    """Draws models around models, and finds the mean of an update on each in what is enclosed around."""
    known = models(max_states=3, discount="any", endless=True, **kind)

    @given(st.data(), known, st.sampled_from(Change), st.sampled_from([F(1, 256), F(1, 32), F(1, 4)]))
    @settings(max_examples=examples(count), deadline=None)
    def contained(data: st.DataObject, model: Model, change: Change, epsilon: Fraction) -> None:
        perturbation, found = KINDS[change](model), update(model)
        inside = enclosed(perturbation, found, epsilon)
        with precision(file.BITS):
            try:
                if inside is None or not inside.has_mean:
                    return
                means = inside.by_exponents
            except UnboundedError:
                return
            near = data.draw(moved(perturbation, epsilon))
            for states in near.classes:
                exact = with_mean_dynamics(near, found, states).by_exponents
                for exponents, mean in exact.items():
                    assert means[exponents].contains(mean)

    contained()


@pytest.mark.parametrize("name", NAMES)
def test_every_mean_is_enclosed(name: str) -> None:
    """Also where recurrent classes change."""
    enclose_means(lambda model: asked(model, name)[0], 10)


@pytest.mark.parametrize("name", ["td", "etd", "gtd_lambda"])
def test_every_mean_of_lambda_and_interest_by_state_is_enclosed(name: str) -> None:
    """With λ(s), λ(s') and i(s), which stay where the model moves."""
    model, epsilon = replace(RING, interest=INTEREST), F(1, 512)
    update = asked(model, name)[0]

    @given(st.data(), st.sampled_from(Change))
    @settings(max_examples=examples(8), deadline=None)
    def contained(data: st.DataObject, change: Change) -> None:
        inside = around(model, update, epsilon, change)
        near = data.draw(moved(KINDS[change](model), epsilon))
        with precision(file.BITS):
            assert inside is not None and inside.has_mean
            for exponents, mean in with_mean_dynamics(near, update, near.classes[0]).by_exponents.items():
                assert inside.by_exponents[exponents].contains(mean)

    contained()


@algorithm(parameters={"theta": "d"}, memory={"z": "d"}, steps=("alpha",))
def with_what_was_before(t: Any, theta: Any, z: Any, alpha: Any) -> Any:
    """Off-policy TD(½) whose trace is decayed by the discount and the ratio of the transition before."""
    z = t.discount_before * t.rho_before * z / 2 + t.phi
    return theta + alpha * t.rho * (t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta) * z, z


@algorithm(parameters={"theta": "d"}, steps=("alpha",))
def dividing(t: Any, theta: Any, alpha: Any) -> Any:
    """Off-policy TD whose ratio is clipped, and which divides by numbers of the transition and takes them apart."""
    ratio = min(t.pi / t.mu, 1 / (t.mu + t.pi)) if t.discount > 0 else abs(t.pi - t.mu)
    return theta + alpha * ratio * (t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta) * t.phi


@algorithm(parameters={"theta": "d"}, steps=("alpha",))
def by_its_own_ratio(t: Any, theta: Any, alpha: Any) -> Any:
    """Off-policy TD that divides π by μ itself, and clips at 4."""
    ratio = min(t.pi / t.mu, 4)
    return theta + alpha * ratio * (t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta) * t.phi


def test_a_ratio_of_what_neither_policy_takes_is_zero() -> None:
    """In state 2 no policy goes left, and μ' may: with the ratio 0/μ', whatever μ' is."""
    model = replace(THETA_2THETA, behaviour=RationalMatrix([[HALF, HALF], [0, 1]]))
    perturbation, question = KINDS[Change.BEHAVIOUR](model), Asked(by_its_own_ratio, ONE)
    within, why = file.radius(perturbation, question, question.verdict(model, model.classes[0]))
    assert within > 0 and not why


@pytest.mark.parametrize("update", [with_what_was_before, dividing], ids=lambda one: one.name)
def test_functions_that_read_back_compare_and_divide(update: Algorithm) -> None:
    enclose_means(lambda _: update, 40, max_length=1)


def look_within(name: str, count: int) -> None:
    """Draws models, certifies a radius, and looks at models within it."""

    @given(st.data(), models(max_states=3, policy="off", max_length=1), st.sampled_from(Change))
    @settings(max_examples=count, deadline=None)
    def holds(data: st.DataObject, model: Model, change: Change) -> None:
        question, perturbation = Asked(*asked(model, name)), KINDS[change](model)
        verdict = question.verdict(model, model.classes[0])
        assume(verdict in file.DECIDED)
        within, _ = file.radius(perturbation, question, verdict)
        for near in [data.draw(moved(perturbation, within)) for _ in range(3 if within else 0)]:
            assert violation(question, near, verdict) is None

    holds()


@pytest.mark.parametrize("name", ["off_policy_td", "tdc", "etd"])
def test_no_model_within_the_radius_has_another_verdict(name: str) -> None:
    look_within(name, examples(5))


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["off_policy_td", "gtd", "direct_gtd", "retrace", "abtd"])
def test_no_model_of_two_hundred_within_the_radius_has_another_verdict(name: str) -> None:
    look_within(name, 40)


@given(models(max_states=2, policy="off", max_length=1), st.sampled_from(Change))
@settings(max_examples=examples(5), deadline=None)
def test_a_counter_model_is_one(model: Model, change: Change) -> None:
    """It has the distance and the verdict that are told of it."""
    question = Asked(*asked(model, "off_policy_td"))
    found = robustness(model, question.algorithm, question.ratios, question.apart, change)
    if isinstance(found, Robustness) and found.counter is not None:
        assert KINDS[change](model).distance(found.counter.model) == found.counter.distance
        seen = question.verdict(found.counter.model, found.counter.states)
        assert found.counter.states in found.counter.model.classes
        assert seen is found.counter.verdict is not found.verdict


@pytest.mark.parametrize("change", Change)
def test_a_radius_twice_as_large_is_caught(change: Change) -> None:
    """Where the certified radius is sharp, twice of it reaches a model with another verdict; of transitions, 9/4."""
    question = Asked(*asked(THETA_2THETA, "off_policy_td"))
    found = robustness(THETA_2THETA, question.algorithm, question.ratios, question.apart, change)
    assert isinstance(found, Robustness) and found.counter is not None
    times = F(9, 4) if change is Change.TRANSITIONS else 2
    assert found.within < found.counter.distance < times * found.within
    assert violation(question, found.counter.model, found.verdict) is not None
    with pytest.raises(InputError, match="beyond the distance"):
        replace(found, within=times * found.within)


# ---- wrong variants are caught --------------------------------------------------------------------


class StillLaw(PerturbedTransitions):
    """A wrong one: the stationary law is taken not to move."""

    def _spans(self) -> tuple[Fraction, ...]:
        return (F(0),) * self.model.n


def test_without_the_movement_of_the_law_a_radius_would_reach_beyond_a_counter_model() -> None:
    question = asked(BY_LAW, "off_policy_td")
    found = robustness(BY_LAW, *question)
    assert isinstance(found, Robustness) and found.counter is not None
    wrong, why = file.radius(StillLaw(BY_LAW), Asked(*question), found.verdict)
    assert not why and found.within < found.counter.distance < wrong


def test_without_the_movement_of_the_law_laws_are_not_enclosed() -> None:
    epsilon = F(1, 8)
    near = two_states([epsilon, HALF + epsilon], [1, 1], [F(1, 4), HALF], [1, 3])
    (states,) = near.behaviour_chain.recurrent_classes
    update, _, _ = asked(BY_LAW, "off_policy_td")
    right, wrong = (enclosed(kind(BY_LAW), update, epsilon) for kind in (PerturbedTransitions, StillLaw))
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


@algorithm(parameters={"theta": "d"}, steps=("alpha",))
def entry_by_entry(t: Any, theta: Any, alpha: Any) -> Any:
    """TD(0) that takes vectors apart."""
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    return [x + alpha * delta * y for x, y in zip(theta, t.phi, strict=True)]


@algorithm(parameters={"theta": "d"}, steps=("alpha",))
def by_expectation(t: Any, theta: Any, alpha: Any) -> Any:
    """TD(0) with E_π φ' in the place of φ'."""
    delta = t.reward + t.discount * (t.expected_phi_next @ theta) - t.phi @ theta
    return theta + alpha * delta * t.phi


@algorithm(parameters={"theta": "d"}, steps=("alpha",))
def by_its_products(t: Any, theta: Any, alpha: Any) -> Any:
    """Moves by multiples of φᵀE_π φ' and of |E_π φ'|², numbers, and by E_π φ'."""
    square = t.expected_phi_next @ t.expected_phi_next
    moved = (t.phi @ t.expected_phi_next + square) * (t.reward - t.phi @ theta) * t.expected_phi_next
    return theta + alpha * moved


@algorithm(parameters={"theta": "d"}, steps=("alpha",))
def over_its_product(t: Any, theta: Any, alpha: Any) -> Any:
    """Moves by a multiple of 1/(1 + (φᵀE_π φ')²)."""
    return theta + alpha * (t.reward - t.phi @ theta) * t.phi / (1 + (t.phi @ t.expected_phi_next) ** 2)


@pytest.mark.parametrize("change", Change)
def test_the_expected_next_features_move_by_hand(change: Change) -> None:
    """θ→2θ: E_π φ' is 2 in both states, and moves by ε times 2 − 1 with transitions and with the target policy."""
    off = F(1, 8) if change in (Change.TRANSITIONS, Change.TARGET) else F(0)
    nearby = Nearby(KINDS[change](THETA_2THETA), F(1, 8))
    assert [nearby.ahead(s) for s in (0, 1)] == [[(to_fmpq(2 - off), to_fmpq(2 + off))]] * 2


@pytest.mark.parametrize("update", [by_expectation, by_its_products, over_its_product], ids=lambda one: one.name)
def test_an_expectation_over_the_transitions_is_not_taken_for_fixed(update: Algorithm) -> None:
    enclose_means(lambda _: update, 30, max_length=1)


def test_what_takes_vectors_apart_says_so() -> None:
    found = robustness(THETA_2THETA, entry_by_entry, ONE)
    assert isinstance(found, Robustness) and found.within == 0 and "takes a vector apart" in found.why
    assert found.verdict is MeanDynamics.STABLE


@pytest.mark.thorough
@pytest.mark.parametrize("change", Change)
def test_which_of_the_shipped_algorithms_are_not_enclosed(change: Change) -> None:
    """None: all are, whatever their names."""
    refused = {name for name in NAMES if around(THETA_2THETA, asked(THETA_2THETA, name)[0], F(1, 64), change) is None}
    assert not refused


def test_a_radius_beyond_its_counter_model_is_refused() -> None:
    found = robustness(THETA_2THETA, *asked(THETA_2THETA, "off_policy_td"))
    assert isinstance(found, Robustness) and found.counter is not None
    with pytest.raises(InputError, match="beyond the distance"):
        Robustness(found.verdict, found.counter.distance, found.counter)
    with pytest.raises(InputError, match="stable or unstable"):
        Robustness(MeanDynamics.MARGINAL, F(0), None)
