"""Numbers at the ends of the float range and beyond: nothing is contradicted, nothing breaks off."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csr_array

import tdcert.analysis.analyse
import tdcert.analysis.exact_analysis
from tdcert.analysis.advice.advise import nothing
from tdcert.analysis.analyse import Arithmetic, analyse
from tdcert.analysis.exact_analysis import exact_facts
from tdcert.claims.claim import decide
from tdcert.claims.paper import ENTRIES, entry
from tdcert.reports.analysis_json import analysis_document
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.sparse_products import Columns
from tdcert.theory.certificate import checker
from tdcert.theory.certificate.write import document
from tdcert.theory.check.schedule_symbol import symbol_sign
from tdcert.theory.enclose.sparse_law import EnclosedLaw
from tdcert.theory.enclose.sparse_matrices import Weigher
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.expressions.relations import MAX_DEPTH, Expression, decide_relations
from tdcert.theory.files import LoadedModel
from tdcert.theory.model.gallery import one_state
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.model.sparse_model import SparseModel
from tdcert.theory.verdict import Status
from tests.analysis.test_arithmetics_agree import analysed, contradictions
from tests.effort import by_default
from tests.rows import dynamics

TINY, HUGE = Fraction(2) ** -1000, Fraction(2) ** 1000


def chain(features: list[list[Fraction | int]], rare: Fraction, discount: Fraction = Fraction(7, 8)) -> Model:
    """Two states; the second is met with probability about ``rare``."""
    P = RationalMatrix([[1 - Fraction(1, 2**40), Fraction(1, 2**40)], [1, 0]])
    r = RationalMatrix.column([1, rare])
    return Model.reward_process(P, r, discount, RationalMatrix(features), Schedule.n_step(2))


MODELS = {
    "features that overflow when squared": chain([[HUGE, 0], [1, HUGE]], TINY),
    "features that vanish when squared": chain([[TINY, 0], [TINY, TINY]], HUGE),
    "columns of very different size": chain([[HUGE, TINY], [0, 1]], TINY),
    "rewards beyond the square root of the range": chain([[1, 0], [0, 1]], HUGE),
    "a zero column": chain([[1, 0], [2, 0]], TINY),
    "a discount next to one": chain([[1, 0], [1, TINY]], HUGE, 1 - Fraction(1, 2**52)),
}

ADVISED = "columns of very different size"
"""The model that advice is asked about too, which takes longer than all the rest."""


@pytest.mark.parametrize("name", by_default(3, MODELS))
def test_enclosures_of_extreme_models_contradict_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if name != ADVISED:
        monkeypatch.setattr(
            tdcert.analysis.analyse, "advise", lambda facts, *asked: nothing("it is not asked about here")
        )
    for arithmetic, bits in ((Arithmetic.ENCLOSED, 53), (Arithmetic.ENCLOSED, 200), (Arithmetic.SPARSE, 53)):
        document = analysed(MODELS[name], arithmetic, bits)
        assert document is not None and contradictions(MODELS[name], document) == []
        rates = [row["rate"] for row in dynamics(document).values()]
        assert all(rate is None or "inf" not in rate["lower"] + rate["upper"] for rate in rates)


def test_sums_over_states_count_what_underflow_takes_before_a_large_feature_brings_it_back() -> None:
    """2⁻⁶⁰⁰ · 2⁻⁵⁰⁰ is zero in floats; times the feature 2¹⁰⁰⁰ it is 2⁻¹⁰⁰, and every other term is zero."""
    Phi, Y, rare = np.array([[0.0], [2.0**1000]]), np.array([[1.0], [2.0**-500]]), 2.0**-600
    law = EnclosedLaw(np.array([1.0, rare]), 0.0, np.zeros(2), "")
    found = Weigher(Phi, law).sum(Columns.exactly(Y * [[0], [1]]))
    assert abs(float(found.mid[0, 0]) - 2.0**-100) <= float(found.rad[0, 0])


def test_probabilities_whose_products_leave_the_range_are_refused_not_taken_for_zero() -> None:
    swap, stay = csr_array(np.array([[1 - 1e-200, 1e-200], [1.0, 0.0]])), csr_array(np.eye(2))
    for small, refused in ((1e-200, True), (1e-100, False)):
        policy = np.array([[small, 1.0]] * 2)
        given = (
            ("swap", "stay"),
            (swap, stay),
            np.ones((2, 2)),
            Fraction(1, 2),
            policy,
            policy,
            np.eye(2),
            Schedule(),
        )
        if refused:
            with pytest.raises(InputError, match=r"behaviour times transitions fall to 1e-200·1e-200"):
                SparseModel(*given)
        else:
            assert SparseModel(*given).behaviour_kernel.weights.nnz == 4


def test_exact_results_of_more_digits_than_python_prints_unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit on printing integers is lifted for the analysis and for its document, and restored after both."""
    before = sys.get_int_max_str_digits()
    monkeypatch.setattr(
        tdcert.analysis.exact_analysis, "analyse_exactly", lambda model, *asked: (exact_facts(model), ())
    )
    monkeypatch.setattr(tdcert.analysis.analyse, "advise", lambda facts, *asked: nothing("it would take too long"))
    model = one_state(Fraction(1, 10 ** (2 * before)), Schedule())
    run = analyse(LoadedModel(model, ("s0",), [], [], "generated"), lambda done, total, what: None)
    document = analysis_document(run)
    assert len(document["A"][0][0]) > before and len(document["model"]["discount"]) > before
    assert sys.get_int_max_str_digits() == before


def test_long_schedules_do_not_stop_an_analysis() -> None:
    """The symbol of λ's in [0, 1] needs no roots."""
    assert symbol_sign(Schedule.constant(Fraction(9, 10), 500), Fraction(99, 100)) == -1
    assert symbol_sign(Schedule.constant(Fraction(9, 10), 500), Fraction(1)) == 0
    long = one_state(Fraction(1, 2), Schedule.n_step(100))
    assert decide(entry("lambda_outside_unit_interval").load(), long).verdict.status is Status.HOLDS


@pytest.mark.parametrize("length", [6, 7, 100])
def test_what_is_stated_about_long_schedules_nests_no_deeper_than_certificates_may(length: int) -> None:
    model = one_state(Fraction(1, 2), Schedule.n_step(length + 1))
    verdict = decide(entry("lemma_3_3").load(), model).verdict
    assert verdict.status is Status.HOLDS
    for certificate in verdict.certificates:
        checker.check_text(json.dumps(document(certificate, model, "lemma_3_3")))


def rejected(names: Iterable[str], model: Model) -> list[str]:
    """Which of these claims come with a certificate that the checker does not accept."""
    found = []
    for name in names:
        for certificate in decide(entry(name).load(), model).verdict.certificates:
            try:
                checker.check_text(json.dumps(document(certificate, model, name)))
            except checker.Rejected as error:
                found.append(f"{name}: {error}")
    return found


LONG = one_state(Fraction(1, 2), Schedule.n_step(120))
"""One path of every length: expectations over 120 steps could be summed, but no certificate may state them."""


def test_long_expectations_are_left_to_the_matrix_form() -> None:
    assert rejected(("bellman_operator", "thm_3_2", "thm_3_4"), LONG) == []


@pytest.mark.thorough
@pytest.mark.parametrize("length", [10, 40, 120])
def test_every_certificate_about_a_long_schedule_is_accepted(length: int) -> None:
    model = one_state(Fraction(1, 2), Schedule.n_step(length))
    assert rejected([row.id for row in ENTRIES if not row.is_open], model) == []


def test_discounts_over_long_windows_are_powers_that_the_checker_takes() -> None:
    """EqualWeights(299, 300): products of up to 301 discounts, in halves of at most 199."""
    model = one_state(Fraction(1, 2), Schedule.equal_weights(299, 300))
    verdict = decide(entry("equal_weights_recursion").load(), model).verdict
    assert verdict.status is Status.HOLDS and verdict.certificates
    for certificate in verdict.certificates:
        checker.check_text(json.dumps(document(certificate, model, None)))


@pytest.mark.parametrize(("depth", "accepted"), [(MAX_DEPTH, True), (MAX_DEPTH + 1, False), (5000, False)])
def test_the_deepest_expression_is_what_the_checker_accepts(depth: int, accepted: bool) -> None:
    model, nested = one_state(Fraction(1, 2), Schedule()), Fraction(1)
    expression: Expression = "1"
    for _ in range(depth):
        expression = ("+", expression, "1")
    if not accepted:
        with pytest.raises(BudgetExceededError, match=f"an expression of {depth} nested parts"):
            decide_relations(model, [(expression, "=", expression)])
        return
    (certificate,) = decide_relations(model, [(expression, "=", str(depth + nested))]).certificates
    checker.check_text(json.dumps(document(certificate, model, None)))


def test_the_denial_of_an_order_nests_one_deeper() -> None:
    model = one_state(Fraction(1, 2), Schedule())
    expression: Expression = "1"
    for _ in range(MAX_DEPTH - 1):
        expression = ("+", expression, "1")
    (certificate,) = decide_relations(model, [(expression, "<", "1")]).certificates
    checker.check_text(json.dumps(document(certificate, model, None)))
    with pytest.raises(BudgetExceededError, match=f"an expression of {MAX_DEPTH + 1} nested parts"):
        decide_relations(model, [(("+", expression, "1"), "<", "1")])


def test_undiscounted_transitions_under_lambda_one_without_a_length() -> None:
    """The trace has a sum, every w_n is zero."""
    half = RationalMatrix([[Fraction(1, 2)] * 2] * 2)
    model = Model.reward_process(
        half, RationalMatrix.column([1, 2]), RationalMatrix.column([1, 0]), None, Schedule.constant(Fraction(1))
    )
    document = analysed(model, Arithmetic.ENCLOSED)
    assert document is not None and contradictions(model, document) == []
