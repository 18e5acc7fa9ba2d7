"""Hypotheses: each asked about a model that satisfies it and one that does not, with evidence that holds up."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tdcert.claims.claim import decide
from tdcert.claims.dgb22.clt_covariance import CLAIM
from tdcert.claims.dgb22.trace_variance import cancelling_model
from tdcert.sims.strategies import chains, deficient_features, models, schedules
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.certificate import checker
from tdcert.theory.certificate.write import document, text
from tdcert.theory.check import hypotheses as h
from tdcert.theory.model import gallery
from tdcert.theory.model.key_matrices import theorem_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.verdict import Certificate, Status
from tests.effort import examples

F = Fraction
HALF = F(1, 2)
some = settings(max_examples=examples(40), deadline=None)

FLIP = gallery.flip_chain()
LAZY = Model.reward_process(
    RationalMatrix([[HALF, HALF], [1, 0]]), RationalMatrix.column([1, 0]), HALF
)  # aperiodic and tabular
ABSORBING = gallery.absorbing_pair()
TWO_CLASSES = Model.reward_process(RationalMatrix([[1, 0], [0, 1]]), RationalMatrix.zeros(2, 1), HALF)
OFF_POLICY = gallery.theta_to_two_theta(HALF)
EPISODIC = gallery.random_walk_5()


def replay(model: Model, certificate: Certificate | None) -> str | None:
    """The kind of a certificate that the independent checker accepts."""
    if certificate is None:
        return None
    checker.check_text(text(document(certificate, model, None)))
    return certificate.kind


@pytest.mark.parametrize(
    ("hypothesis", "model", "satisfied", "kind"),
    [
        (h.IRREDUCIBLE, FLIP, True, "irreducible"),
        (h.IRREDUCIBLE, ABSORBING, False, "reducible"),
        (h.IRREDUCIBLE, TWO_CLASSES, False, "reducible"),
        (h.UNIQUE_LAW, ABSORBING, True, None),
        (h.UNIQUE_LAW, TWO_CLASSES, False, None),
        (h.APERIODIC, LAZY, True, None),
        (h.APERIODIC, ABSORBING, True, None),
        (h.APERIODIC, FLIP, False, "period"),
        (h.MOVED_REST_POINT, FLIP, True, None),
        (h.MOVED_REST_POINT, gallery.one_state(HALF), False, None),
        (h.FULL_COLUMN_RANK, LAZY, True, "full_column_rank"),
        (h.FULL_COLUMN_RANK, gallery.bairds_star(HALF), False, "rank_deficient"),
        (h.FULL_COLUMN_RANK, ABSORBING, True, "full_column_rank"),
        (h.C_POSITIVE, FLIP, True, None),
        (h.C_POSITIVE, ABSORBING, False, "rank_deficient"),
        (h.COVERAGE, OFF_POLICY, True, None),
        (h.COVERAGE, gallery.uncovered_action(), False, "missing_coverage"),
        (h.COVERAGE_EVERYWHERE, OFF_POLICY, True, None),
        (h.COVERAGE_EVERYWHERE, gallery.uncovered_action(), False, "missing_coverage"),
        (h.ON_POLICY, FLIP, True, None),
        (h.ON_POLICY, OFF_POLICY, False, None),
        (h.ON_POLICY_EVERYWHERE, FLIP, True, None),
        (h.ON_POLICY_EVERYWHERE, OFF_POLICY, False, None),
        (h.DISCOUNTED, FLIP, True, None),
        (h.DISCOUNTED, EPISODIC, True, None),
        (h.DISCOUNTED, gallery.flip_chain(1), False, None),
        (h.CONSTANT_DISCOUNT, gallery.flip_chain(1), True, None),
        (h.CONSTANT_DISCOUNT, EPISODIC, False, None),
        (h.LAMBDAS, gallery.flip_chain(HALF, Schedule((F(1), F(1, 3)))), True, None),
        (h.LAMBDAS, gallery.flip_chain(HALF, Schedule((F(1), F(-1, 10**9)))), False, None),
        (h.LAMBDAS, gallery.flip_chain(HALF, Schedule((1 + F(1, 10**9),))), False, None),
        (h.LAMBDAS, gallery.flip_chain(HALF, Schedule.constant(F(3, 2))), False, None),
        (h.FINITE_SCHEDULE, gallery.flip_chain(HALF, Schedule.constant(HALF, 4)), True, None),
        (h.FINITE_SCHEDULE, gallery.flip_chain(HALF, Schedule.constant(HALF)), False, None),
        (h.A_NONSINGULAR, OFF_POLICY, True, None),
        (h.A_NONSINGULAR, gallery.theta_to_two_theta(F(5, 6)), False, None),
        (h.A_NONSINGULAR, ABSORBING, False, None),
        (h.A_AS_MET_NONSINGULAR, OFF_POLICY, True, None),
        (h.A_AS_MET_NONSINGULAR, ABSORBING, False, None),
        (h.N_STEP_SCHEDULE, gallery.flip_chain(HALF, Schedule.n_step(3)), True, None),
        (h.N_STEP_SCHEDULE, FLIP, True, None),
        (h.N_STEP_SCHEDULE, gallery.flip_chain(HALF, Schedule((F(1), HALF))), False, None),
        (h.N_STEP_SCHEDULE, gallery.flip_chain(HALF, Schedule.constant(F(1))), False, None),
        (h.EQUAL_WEIGHTS_SCHEDULE, gallery.flip_chain(HALF, Schedule.equal_weights(3, 5)), True, None),
        (h.EQUAL_WEIGHTS_SCHEDULE, gallery.flip_chain(HALF, Schedule.n_step(4)), True, None),
        (h.EQUAL_WEIGHTS_SCHEDULE, gallery.flip_chain(HALF, Schedule((F(2, 3),))), False, None),
        (h.EQUAL_WEIGHTS_SCHEDULE, gallery.flip_chain(HALF, Schedule.constant(HALF)), False, None),
        (h.EPISODES_END, FLIP, True, None),
        (h.EPISODES_END, EPISODIC, True, None),
        (h.EPISODES_END, gallery.flip_chain(1), False, None),
        (h.RETURN_EXISTS, gallery.flip_chain(1, Schedule.n_step(5)), True, None),
        (h.RETURN_EXISTS, gallery.flip_chain(HALF, Schedule.constant(F(1))), True, None),
        (h.RETURN_EXISTS, gallery.random_walk_5(Schedule.constant(F(1))), True, None),
        (h.RETURN_EXISTS, gallery.flip_chain(1, Schedule.constant(F(1))), False, None),
        (h.ENDLESS_CONSTANT, gallery.flip_chain(HALF, Schedule.constant(HALF)), True, None),
        (h.ENDLESS_CONSTANT, FLIP, True, None),
        (h.ENDLESS_CONSTANT, gallery.flip_chain(HALF, Schedule.constant(HALF, 2)), False, None),
        (h.CONSTANT_UP_TO_END, gallery.flip_chain(HALF, Schedule.constant(HALF, 2)), True, None),
        (h.CONSTANT_UP_TO_END, gallery.flip_chain(HALF, Schedule((HALF, F(1, 3)))), False, None),
        (h.ALL_ONES, gallery.flip_chain(HALF, Schedule.n_step(3)), True, None),
        (h.ALL_ONES, gallery.flip_chain(HALF, Schedule.constant(F(1))), True, None),
        (h.ALL_ONES, gallery.flip_chain(HALF, Schedule((F(1), HALF))), False, None),
        (h.ALL_ONES, gallery.flip_chain(HALF, Schedule.constant(HALF)), False, None),
        (h.LAMBDA_1_NOT_ZERO, gallery.flip_chain(HALF, Schedule((F(1, 9),))), True, None),
        (h.LAMBDA_1_NOT_ZERO, gallery.flip_chain(HALF, Schedule.constant(HALF)), True, None),
        (h.LAMBDA_1_NOT_ZERO, FLIP, False, None),
        (h.DISCOUNT_NOT_ZERO, EPISODIC, True, None),
        (h.DISCOUNT_NOT_ZERO, gallery.flip_chain(0), False, None),
        # V = (4/3, 2/3): V_1 = 1 + V_2/2, V_2 = V_1/2
        (h.REPRESENTABLE, gallery.flip_chain(HALF, features=((2,), (1,))), True, None),
        (h.REPRESENTABLE, gallery.flip_chain(HALF), False, None),
        (h.NONNEGATIVE_FEATURES, cancelling_model().with_features(RationalMatrix.column([2, 1])), True, None),
        (h.NONNEGATIVE_FEATURES, cancelling_model(), False, None),
        # asked only where the statement needs it: a finite schedule, or a radius below one, leaves signs free
        (h.NONNEGATIVE_FEATURES, cancelling_model().with_schedule(Schedule.constant(F(1), 3)), True, None),
        (h.NONNEGATIVE_FEATURES, cancelling_model().with_schedule(Schedule.constant(HALF)), True, None),
        (h.NONNEGATIVE_REWARDS, gallery.flip_chain(HALF), True, None),
        (h.NONNEGATIVE_REWARDS, gallery.boyan_chain(), False, None),
    ],
    ids=lambda value: getattr(value, "id", getattr(value, "name", None)),
)
def test_answers(hypothesis: h.Hypothesis, model: Model, satisfied: bool, kind: str | None) -> None:
    answer = hypothesis.ask(model)
    assert answer.satisfied is satisfied and answer.reason and "\n" not in answer.reason
    assert replay(model, answer.certificate) == kind


def test_every_hypothesis_was_asked_both_ways_and_is_listed_once() -> None:
    (mark,) = (m for m in vars(test_answers)["pytestmark"] if m.name == "parametrize")
    asked = {(row[0].id, row[2]) for row in mark.args[1]}
    ids = [x.id for x in h.ALL]
    assert len(set(ids)) == len(ids)
    assert asked == {(identifier, answer) for identifier in ids for answer in (True, False)}
    assert all(x.statement and x.source for x in h.ALL)


# ---- over generated models ------------------------------------------------------------------------


@some
@given(chains())
def test_hypotheses_on_chains(chain: st.DataObject) -> None:
    P = chain.P  # type: ignore[attr-defined]
    model = Model.reward_process(P, RationalMatrix.zeros(P.shape[0], 1), HALF)
    made = model.behaviour_chain
    n = range(model.n)
    # some power of (I + P) below n has a positive entry everywhere
    spread = P.identity(model.n)
    for _ in n:
        spread = spread + spread @ P
    irreducible = all(spread[i, j] > 0 for i in n for j in n)
    answers = {x.id: x.ask(model) for x in (h.IRREDUCIBLE, h.UNIQUE_LAW, h.APERIODIC)}
    assert answers["irreducible"].satisfied is irreducible
    # the laws are the solutions of d(I − P) = 0: one for each recurrent class
    assert answers["unique_law"].satisfied is ((P.identity(model.n) - P).rank == model.n - 1)
    periods = {made.period(states).period for states in made.recurrent_classes}
    assert answers["aperiodic"].satisfied is (periods == {1})
    for answer in answers.values():
        replay(model, answer.certificate)


@some
@given(models(policy="any", rank="full", discount="any"), st.data())
def test_ranks_and_singularity(model: Model, data: st.DataObject) -> None:
    (states,) = model.behaviour_chain.recurrent_classes
    for phi in (model.features, data.draw(deficient_features(model.n))):
        posed = model.with_features(phi)
        full = phi.rank == phi.shape[1]
        rank, positive = h.FULL_COLUMN_RANK.ask(posed), h.C_POSITIVE.ask(posed)
        assert rank.satisfied is full and positive.satisfied is full  # the chain is irreducible
        assert replay(posed, rank.certificate) == ("full_column_rank" if full else "rank_deficient")
        keys = theorem_matrices(posed, states)
        assert (keys.C.rank == posed.d) is full
        assert h.A_NONSINGULAR.ask(posed).satisfied is (keys.A.rank == posed.d)


@some
@given(schedules(max_length=4, endless=True))
def test_schedules_are_recognised(schedule: Schedule) -> None:
    model = gallery.flip_chain(HALF, schedule)
    candidates = [Schedule.n_step(n) for n in range(1, 7)]
    assert h.N_STEP_SCHEDULE.ask(model).satisfied is (schedule in candidates)
    equal = [Schedule.equal_weights(a, b) for b in range(1, 7) for a in range(1, b + 1)]
    assert h.EQUAL_WEIGHTS_SCHEDULE.ask(model).satisfied is (schedule in equal)
    assert h.LAMBDAS.ask(model).satisfied and h.FINITE_SCHEDULE.ask(model).satisfied is schedule.is_finite


def test_the_discount_is_asked_of_every_recurrent_class() -> None:
    """Two closed classes; only one has a discounted transition."""
    P = RationalMatrix([[0, 1, 0], [1, 0, 0], [0, 0, 1]])
    for last, satisfied in ((HALF, True), (F(1), False)):
        discount = RationalMatrix([[1, HALF, 1], [1, 1, 1], [1, 1, last]])
        model = Model.reward_process(P, RationalMatrix.zeros(3, 1), discount)
        assert h.DISCOUNTED.ask(model).satisfied is satisfied


def test_a_discount_on_a_transition_that_is_never_taken_does_not_count() -> None:
    P = RationalMatrix([[0, 1], [1, 0]])
    model = Model.reward_process(P, RationalMatrix.zeros(2, 1), RationalMatrix([[0, 1], [1, 0]]))
    assert not h.DISCOUNTED.ask(model).satisfied


@some
@given(models(policy="any", discount="transitions"))
def test_episodes_end_exactly_where_the_value_is_unique(model: Model) -> None:
    """N is non-negative with row sums at most one: I − N is singular exactly if mass stays for ever."""
    kernel = model.target_kernel
    unique = (kernel.N.identity(model.n) - kernel.N).rank == model.n
    assert h.EPISODES_END.ask(model).satisfied is unique


def off_policy_pair(behaviour: list[list[int]], home: int) -> Model:
    """Two states, two actions; the first goes to state ``home``, the second stays; the target takes both evenly."""
    go, stay = RationalMatrix([[int(j == home) for j in range(2)]] * 2), RationalMatrix([[1, 0], [0, 1]])
    zero, discount = RationalMatrix.zeros(2, 1), RationalMatrix.column([HALF, HALF])
    even = RationalMatrix([[HALF, HALF]] * 2)
    return Model(
        ("go", "stay"),
        (go, stay),
        (zero, zero),
        (discount, discount),
        RationalMatrix(behaviour),
        even,
        RationalMatrix([[1, 0], [0, 1]]),
        Schedule(),
        "two states, two actions",
    )


def test_policies_are_equal_everywhere_or_where_the_chain_returns() -> None:
    """State 1 is transient: policies that differ there differ, and not at the recurrent states."""
    passed = replace(off_policy_pair([[1, 0], [1, 0]], 1), behaviour=RationalMatrix([[1, 0], [HALF, HALF]]))
    differing = replace(passed, target=RationalMatrix([[0, 1], [HALF, HALF]]))
    same = replace(passed, target=passed.behaviour)
    assert h.ON_POLICY.ask(differing).satisfied and not h.ON_POLICY_EVERYWHERE.ask(differing).satisfied
    assert "at transient states alone" in h.ON_POLICY_EVERYWHERE.ask(differing).reason
    assert h.ON_POLICY_EVERYWHERE.ask(same).satisfied


def test_coverage_is_asked_of_recurrent_states() -> None:
    """State 1 is transient; a pair that is missing there changes no stationary mean, one in state 2 does."""
    half = RationalMatrix([[1, 0], [HALF, HALF]])
    passed = off_policy_pair([[1, 0], [1, 0]], 1)
    inside = replace(passed, behaviour=half)
    assert inside.uncovered == ((0, 1),) and inside.uncovered_when_recurrent == ()
    assert h.COVERAGE.ask(inside).satisfied and "every recurrent state" in h.COVERAGE.ask(inside).reason
    answer = h.COVERAGE_EVERYWHERE.ask(inside)
    assert not answer.satisfied and replay(inside, answer.certificate) == "missing_coverage"
    assert answer.certificate is not None and answer.certificate.witness == {"state": 0, "action": 1}
    for hypothesis in (h.COVERAGE, h.COVERAGE_EVERYWHERE):
        found = hypothesis.ask(passed)
        assert not found.satisfied and found.certificate is not None
        assert found.certificate.about == {"class": [1]} and found.certificate.witness == {"state": 1, "action": 1}
        assert replay(passed, found.certificate) == "missing_coverage"


def test_without_coverage_the_matrix_that_is_met_may_be_singular() -> None:
    """State 0, where the target takes the action that the behaviour never does: ρ = 0, so A = 0 is met."""
    two = gallery.theta_to_two_theta(F(1, 4))
    never = replace(two, behaviour=RationalMatrix([[1, 0], [1, 0]]), target=RationalMatrix([[0, 1], [0, 1]]))
    assert h.A_NONSINGULAR.ask(never).satisfied and not h.A_AS_MET_NONSINGULAR.ask(never).satisfied
    verdict = decide(CLAIM, never).verdict
    assert verdict.status is Status.HYPOTHESIS_VIOLATED and verdict.violated == ("A_as_met_nonsingular",)


def test_reasons_name_what_is_wrong() -> None:
    assert "never leaves the states s1" in h.IRREDUCIBLE.ask(ABSORBING).reason
    assert "'never taken' in state s0" in h.COVERAGE.ask(gallery.uncovered_action()).reason
    assert "period 2" in h.APERIODIC.ask(FLIP).reason
    bad = gallery.flip_chain(HALF, Schedule((F(1), F(3, 2))))
    assert h.LAMBDAS.ask(bad).reason == "lambda_2 = 3/2 lies outside [0, 1]"
    assert h.FULL_COLUMN_RANK.ask(gallery.bairds_star(HALF)).reason == "Phi has rank 7 with 8 columns"
