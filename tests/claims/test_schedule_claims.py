"""Claims about schedules, returns and traces: wrong variants must be refuted, and every step by hand must come out."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest

from tdcert.claims.claim import ProofError, decide
from tdcert.claims.dgb22 import (
    algorithm_1_indices,
    delta_expansion,
    monte_carlo_special_case,
    online_equivalence,
    return_expansion_display,
    return_recursion,
    state_dependent_lambda,
    step_size_conditions,
    td_lambda_special_case,
    trace_window,
    weight_matrix_recursion,
)
from tdcert.claims.models import endless_models, random_instances
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.certificate.write import document, text
from tdcert.theory.check.hypotheses import EPISODES_END, RETURN_EXISTS
from tdcert.theory.check.polynomial_steps import robbins_monro, sum_is_finite
from tdcert.theory.expressions import relations
from tdcert.theory.expressions.relations import Context, Path, evaluate
from tdcert.theory.identities import forward_backward, return_weights, single_updates
from tdcert.theory.model.gallery import HALF, flip_chain, one_state
from tdcert.theory.model.key_matrices import theorem_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.verdict import Status
from tests.replay import replay

ON_POLICY = random_instances(7, 1)[0].with_schedule(Schedule((HALF, Fraction(1, 3))))
WITNESS = [[1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0]]


def value(expression: Any, model: Model, path: Path | None = None) -> str:
    states = model.behaviour_chain.recurrent_classes[0]
    return str(evaluate(expression, Context(model, states, path=path))[0, 0])


# ---- a wrong formula in the suite is seen by the claim that is about it ------------------------------


@pytest.mark.parametrize("claim", [weight_matrix_recursion, return_expansion_display], ids=lambda m: m.CLAIM.id)
def test_weight_matrix_recursion_and_return_expansion_display_refuse_another_matrix(
    claim: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = one_state(HALF, Schedule((HALF, HALF)))
    assert claim.check(model).status is Status.HOLDS
    monkeypatch.setattr(relations, "weight_matrix", lambda lambdas, size: WITNESS)
    assert claim.check(model).status is Status.REFUTED


@pytest.mark.parametrize(
    "claim", [delta_expansion, return_recursion, online_equivalence, monte_carlo_special_case], ids=lambda m: m.CLAIM.id
)
def test_delta_expansion_return_recursion_online_equivalence_monte_carlo_special_case_refuse_another_return(
    claim: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    schedule = Schedule.n_step(3) if claim is monte_carlo_special_case else ON_POLICY.schedule
    model = ON_POLICY.with_schedule(schedule)
    right = vars(relations)["schedule_return"]
    assert claim.check(model).status is Status.HOLDS

    def without_last(
        rewards: Sequence[Any], discounts: Sequence[Any], values: Sequence[Any], lambdas: Sequence[Any], *rest: Any
    ) -> Any:
        return right(rewards, discounts, values, lambdas[:-1], *rest)

    monkeypatch.setattr(relations, "schedule_return", without_last)
    assert claim.check(model).status is Status.REFUTED


@pytest.mark.parametrize(
    "claim", [trace_window, td_lambda_special_case, online_equivalence, algorithm_1_indices], ids=lambda m: m.CLAIM.id
)
def test_trace_window_td_lambda_special_case_online_equivalence_algorithm_1_indices_refuse_another_trace(
    claim: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ON_POLICY.with_schedule(Schedule.constant(HALF, 2))
    right = vars(relations)["trace"]
    assert claim.check(model).status is Status.HOLDS
    monkeypatch.setattr(relations, "trace", lambda f, g, lambdas, *rest: right(f, g, lambdas[:1], *rest))
    assert claim.check(model).status is Status.REFUTED


def test_return_expansion_display_asks_for_a_divisor() -> None:
    """λ_1 = Λ_22 = 0: the display divides by it. Not a false statement, a hypothesis that is violated."""
    model = one_state(HALF, Schedule((Fraction(0), HALF)))
    decided = decide(return_expansion_display.CLAIM, model).verdict
    assert decided.status is Status.HYPOTHESIS_VIOLATED and decided.violated == ("lambda_1_not_zero",)
    undefined = return_expansion_display.check(model)
    assert undefined.status is Status.REFUTED and "do not exist" in undefined.detail
    (certificate,) = undefined.certificates
    replay(certificate, model, "return_expansion_display")
    assert return_expansion_display.check(one_state(HALF, Schedule((HALF,)))).status is Status.HOLDS


def test_weight_matrix_recursion_the_printed_condition_is_necessary_and_not_sufficient() -> None:
    assert all(return_weights.columns_give_the_printed_condition(size) for size in (2, 3, 6))
    (fact,) = weight_matrix_recursion.facts()
    assert fact.verdict.status is Status.HOLDS and weight_matrix_recursion.CLAIM.corrected is None


def test_online_equivalence_holds_in_the_mean_and_not_iterate_by_iterate() -> None:
    fact, paired = online_equivalence.facts()
    assert fact.verdict.status is Status.HOLDS and "iterate by iterate, fails" in fact.sentence
    assert paired.verdict.status is Status.HOLDS and "they differ too" in paired.sentence
    assert online_equivalence.check(fact.model).status is Status.HOLDS


def test_state_dependent_lambda_with_the_printed_indices_is_refuted() -> None:
    assert state_dependent_lambda.check(flip_chain()).status is Status.HOLDS
    verdict = state_dependent_lambda.agree_along(flip_chain(), state_dependent_lambda.PRINTED)
    assert verdict.status is Status.REFUTED


@pytest.mark.parametrize("wrong", [lambda p: 2 * p >= 1 and p <= 1, lambda p: 2 * p > 1 and p < 1, lambda p: 2 * p > 1])
def test_step_size_conditions_with_other_bounds_are_refuted(wrong: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_size_conditions, "admissible", wrong)
    assert step_size_conditions.check(one_state(HALF)).status is Status.REFUTED
    with pytest.raises(ProofError, match="Assumption 1"):
        step_size_conditions.prove()


def test_step_size_conditions_decide_known_sums() -> None:
    assert not sum_is_finite(Fraction(1)) and sum_is_finite(Fraction(2)) and not sum_is_finite(Fraction(0))
    assert robbins_monro(Fraction(1)) and robbins_monro(Fraction(2, 3))
    assert not robbins_monro(Fraction(1, 2)) and not robbins_monro(Fraction(5, 4))


@pytest.mark.parametrize("claim", [online_equivalence, algorithm_1_indices], ids=lambda m: m.CLAIM.id)
def test_online_equivalence_and_algorithm_1_indices_need_the_expectation_path_by_path(claim: Any) -> None:
    """On a chain with few paths the certificate holds expectations, and the checker sums them too."""
    verdict = claim.check(ON_POLICY)
    assert verdict.status is Status.HOLDS
    (certificate,) = verdict.certificates
    assert any('"E"' in text(document(c, ON_POLICY, claim.CLAIM.id)) for c in verdict.certificates)
    replay(certificate, ON_POLICY, claim.CLAIM.id)


# ---- identities that are false must come out false ------------------------------------------------------


def test_false_identities_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """The λ that is left out, the shift, the reward that is late: each symbolic identity sees its own error."""
    assert not return_weights.state_lambdas_agree(2, 1)
    right = vars(single_updates)["trace"]
    for module in (single_updates, forward_backward):
        monkeypatch.setattr(module, "trace", lambda f, g, lambdas, *rest: right(f, g, lambdas[:-1], *rest))
    assert not single_updates.mean_updates_agree(2, 1)
    assert not single_updates.previous_reward_closed_form(2, 1)
    wrong = vars(return_weights)["weight_matrix"]
    monkeypatch.setattr(return_weights, "weight_matrix", lambda lambdas, size: wrong(lambdas[:-1], size))
    assert not return_weights.coefficients_of_schedule(2)
    assert not return_weights.mixture_is_recursion(2)


# ---- numbers worked out by hand --------------------------------------------------------------------------


def test_online_equivalence_iterates_by_hand() -> None:
    """α = γ = ½, rewards 0, 1, 0, 0: ½(0 + ½·1) = ¼, … forward; 0, 0 + ½·1·(3/2) = ¾, … backward."""
    model, path = online_equivalence.two_rewards(), Path((0,) * 5, (0, 1, 0, 0))
    forward = online_equivalence.iterates("1/2", 3, forward=True)
    backward = online_equivalence.iterates("1/2", 3, forward=False)
    assert [value(x, model, path) for x in forward] == ["0", "1/4", "21/32", "105/256"]
    assert [value(x, model, path) for x in backward] == ["0", "0", "3/4", "15/32"]


def test_algorithm_1_indices_flip_policy_visits_1_1_2_2() -> None:
    """With a_t drawn for s_{t−1} the pairs (s_{t−1}, s_t) run through a cycle of four; A is the one of an even coin."""
    model = algorithm_1_indices.printed_process(algorithm_1_indices.flip_policy())
    (states,) = model.behaviour_chain.recurrent_classes
    assert len(states) == 4 and model.behaviour_chain.period(states).period == 4
    A = theorem_matrices(model, states).A
    assert A.to_strings() == [["-3/8", "1/8"], ["1/8", "-3/8"]]


@pytest.mark.parametrize("late_reward", [False, True])
def test_algorithm_1_indices_the_late_reward_alone_keeps_A(late_reward: bool) -> None:
    """On random on-policy models: the process on (s, a, s') has the model's own A, and its b without the slip."""
    for model in random_instances(11, 3)[::2]:
        printed = algorithm_1_indices.printed_process(model, late_reward=late_reward, late_policy=False)
        own = theorem_matrices(model, model.behaviour_chain.recurrent_classes[0])
        there = theorem_matrices(printed, printed.behaviour_chain.recurrent_classes[0])
        assert there.A == own.A and (there.b == own.b) is not late_reward


def test_trace_not_recursive_two_histories_with_one_trace() -> None:
    """φ = 0, 1, 2, λ_1 = 1, γ = ½: the histories 2, 0 and 0, 1 both have z = 1; then z = φ + 0 and z = φ + ½."""
    P = RationalMatrix([[Fraction(1, 3)] * 3] * 3)
    features = RationalMatrix.column([0, 1, 2])
    model = Model.reward_process(P, RationalMatrix.column([0, 0, 0]), HALF, features, Schedule.n_step(2))
    first, second = Path((2, 0, 0), (0, 0)), Path((0, 1, 0), (0, 0))
    assert value("z:1", model, first) == value("z:1", model, second) == "1"
    assert (value("z:2", model, first), value("z:2", model, second)) == ("0", "1/2")


# ---- hypotheses ----------------------------------------------------------------------------------------


def test_episodes_end_and_return_exists() -> None:
    endless = flip_chain(1, Schedule.constant(Fraction(1)))
    assert not EPISODES_END.ask(endless).satisfied and not RETURN_EXISTS.ask(endless).satisfied
    half_way = flip_chain(RationalMatrix([[1, 1], [HALF, HALF]]), Schedule.constant(Fraction(1)))
    assert EPISODES_END.ask(half_way).satisfied and RETURN_EXISTS.ask(half_way).satisfied
    assert RETURN_EXISTS.ask(flip_chain(1, Schedule.n_step(4))).satisfied
    assert delta_expansion.check(endless).status is Status.REFUTED


def test_monte_carlo_special_case_without_end() -> None:
    """No instance of the runs has λ = 1 without end: here Monte Carlo itself, S r = V^π and M = 0."""
    checked = 0
    for model in endless_models():
        if model.schedule.tail == 1:
            verdict = monte_carlo_special_case.check(model)
            assert verdict.status is Status.HOLDS
            for certificate in verdict.certificates:
                replay(certificate, model, "monte_carlo_special_case")
            checked += 1
    assert checked == 2
