"""Property tests on generated chains: the theorems that the paper states for every model, certified on whatever
Hypothesis builds.

Models are valid by construction (``tdcert.sims.strategies``). On-policy, irreducible, full column rank, γ < 1, λ in
[0,1]: A and −AᵀC⁻¹A are negative definite, G is Hurwitz, Λ's rows are laws, M contracts. No statistics here: everything
is decided exactly.
"""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import HealthCheck, event, given, settings

from tdcert.analysis.analyse import analyse
from tdcert.claims.claim import decide
from tdcert.claims.dgb22 import (
    equal_weights_schedule,
    m_contraction,
    prop_4_1,
    telescoping,
    thm_4_4_g_negative_definite,
    weight_matrix_rows,
)
from tdcert.reports.analysis_json import analysis_document
from tdcert.sims import strategies
from tdcert.theory.certificate import checker
from tdcert.theory.certificate.write import text
from tdcert.theory.check.definiteness import decide_positive_definite
from tdcert.theory.check.mean_dynamics import gradient_dynamics, td_dynamics
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.files import LoadedModel
from tdcert.theory.model.gallery import one_state
from tdcert.theory.model.key_matrices import tdc_matrix, theorem_matrices, value_function
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule, weight_matrix
from tdcert.theory.verdict import Status
from tests.effort import examples
from tests.replay import replay
from tests.rows import dynamics

PROPERTY = settings(
    max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)


@PROPERTY
@given(strategies.models(policy="on"))
def test_on_policy_A_and_the_tdc_matrix_are_certified_negative_definite(model: Model) -> None:
    (states,) = model.behaviour_chain.recurrent_classes
    verdict = decide(prop_4_1.CLAIM, model).verdict
    assert verdict.status is Status.HOLDS
    for certificate in verdict.certificates:
        replay(certificate, model, "prop_4_1")
    keys = theorem_matrices(model, states)
    assert decide_positive_definite((-tdc_matrix(keys.A, keys.C)).symmetric_part()).positive
    event(f"{model.n} states, {model.d} features")


@PROPERTY
@given(strategies.models(policy="on", discount="any", endless=True))
def test_on_policy_every_algorithm_is_stable_at_the_same_point(model: Model) -> None:
    """Discounts that depend on the transition, and schedules without end, too."""
    decision = decide(prop_4_1.CLAIM, model)
    if decision.verdict.status is Status.HYPOTHESIS_VIOLATED:  # γ = 1 on every transition of the class
        assert decision.verdict.violated == ("discount_below_one",)
        return
    (states,) = model.behaviour_chain.recurrent_classes
    assert td_dynamics(model, states).mean_dynamics is MeanDynamics.STABLE
    assert [found.mean_dynamics for found in gradient_dynamics(model, states)] == [MeanDynamics.STABLE] * 2
    theta = theorem_matrices(model, states).theta_star
    if model.d == model.n:  # as many independent features as states: the fixed point is the value itself
        assert model.features @ theta == value_function(model)


@PROPERTY
@given(strategies.models(policy="any", endless=True))
def test_the_rows_of_Lambda_and_telescoping_and_equal_weights(model: Model) -> None:
    assert decide(weight_matrix_rows.CLAIM, model).verdict.status is Status.HOLDS
    assert decide(telescoping.CLAIM, model).verdict.status is Status.HOLDS
    for row in weight_matrix(model.schedule.lambdas, len(model.schedule.lambdas) + 2):
        assert sum(row) == 1 and all(0 <= entry <= 1 for entry in row)
    assert decide(equal_weights_schedule.CLAIM, model).verdict.status in (Status.HOLDS, Status.HYPOTHESIS_VIOLATED)


@PROPERTY
@given(strategies.models(policy="on", discount="any"))
def test_M_contracts_by_the_largest_discount(model: Model) -> None:
    assert decide(m_contraction.CLAIM, model).verdict.status is Status.HOLDS


@PROPERTY
@given(strategies.models(policy="off", discount="any"))
def test_off_policy_gradient_algorithms_are_stable_exactly_where_A_is_nonsingular(model: Model) -> None:
    (states,) = model.behaviour_chain.recurrent_classes
    A = theorem_matrices(model, states).A
    expected = MeanDynamics.STABLE if A.rank == model.d else MeanDynamics.MARGINAL
    assert [found.mean_dynamics for found in gradient_dynamics(model, states)] == [expected] * 2
    status = decide(thm_4_4_g_negative_definite.CLAIM, model).verdict.status
    assert status is (Status.HOLDS if A.rank == model.d else Status.HYPOTHESIS_VIOLATED)


@PROPERTY
@given(strategies.models(policy="on", rank="deficient"))
def test_dependent_features_keep_the_predictions_convergent(model: Model) -> None:
    """On-policy the null space of A is that of Φ: stable modulo the null space, and Proposition 4.1's rank
    hypothesis is violated.
    """
    (states,) = model.behaviour_chain.recurrent_classes
    assert decide(prop_4_1.CLAIM, model).verdict.violated == ("full_column_rank",)
    assert td_dynamics(model, states).mean_dynamics is MeanDynamics.STABLE_MODULO_NULL_SPACE
    for found in gradient_dynamics(model, states):
        assert found.mean_dynamics is MeanDynamics.STABLE_MODULO_NULL_SPACE


def test_a_trace_without_a_stationary_law_is_an_answer_not_a_fault() -> None:
    """λ = 1 without a length at γ = 1: no A, no b, and every claim says which hypothesis is violated."""
    model = one_state(1, Schedule.constant(Fraction(1)))
    run = analyse(LoadedModel(model, ("s0",), [], [], "generated"), lambda done, total, label: None)
    document = analysis_document(run)
    assert document["A"] is None and document["theta_star"] is None and document["stationary"] == ["1"]
    assert {row["status"] for row in document["claims"]} == {"hypothesis_violated"}
    assert dynamics(document)["td"]["verdict"] == "undecided"


ANY = strategies.models(policy="any", discount="any", rank="full", endless=True)


@pytest.mark.thorough
@settings(PROPERTY, max_examples=15)
@given(ANY)
def test_an_analysis_never_refutes_a_claim_whose_hypotheses_hold(model: Model) -> None:
    """A whole analysis, its certificates replayed."""
    loaded = LoadedModel(model, tuple(f"s{k}" for k in range(model.n)), [], [], "generated")
    run = analyse(loaded, lambda done, total, label: None)
    assert run.refuted == ()
    for body in (kept.body for kept in run.certificates):
        checker.check_text(text(body))
    document_ = analysis_document(run)
    assert sum((Fraction(x) for x in document_["stationary"]), start=Fraction(0)) == 1
