"""Hypotheses are asked of the states that a statement speaks of: what is at a transient state alone changes nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from tdcert.analysis.analyse import Arithmetic, Request, analyse
from tdcert.analysis.request import Part
from tdcert.claims.claim import Claim, decide
from tdcert.claims.dgb22.limit import starts
from tdcert.claims.paper import ENTRIES
from tdcert.reports.analysis_json import analysis_document
from tdcert.reports.analysis_page import analysis_page
from tdcert.reports.documents import Document
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.certificate import checker
from tdcert.theory.certificate.bodies import about_matrix, strings
from tdcert.theory.certificate.write import document, text
from tdcert.theory.check.hypotheses import (
    CONSTANT_DISCOUNT,
    IRREDUCIBLE,
    NONNEGATIVE_REWARDS,
    ON_POLICY,
    REPRESENTABLE,
)
from tdcert.theory.files import LoadedModel
from tdcert.theory.formal.record import read_record
from tdcert.theory.model.key_matrices import theorem_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.verdict import Certificate, Status
from tests.replay import replay
from tests.rows import dynamics

HALF, THIRD, FIFTH = Fraction(1, 2), Fraction(1, 3), Fraction(1, 5)
CLAIMS = [entry.load() for entry in ENTRIES if entry.module]
ABOUT_RECURRENT_STATES = [c for c in CLAIMS if ON_POLICY in c.hypotheses and IRREDUCIBLE not in c.hypotheses]
LAST = 2


def plain(schedule: Schedule | None = None) -> Model:
    """States 0 and 1 are a recurrent class; from state 2 either action leads there, or stays with probability ½."""
    first = RationalMatrix([[HALF, HALF, 0], [THIRD, 1 - THIRD, 0], [HALF, 0, HALF]])
    second = RationalMatrix([[0, 1, 0], [1, 0, 0], [0, 1, 0]])
    policy = RationalMatrix([[HALF, HALF], [FIFTH, 1 - FIFTH], [HALF, HALF]])
    rewards = (RationalMatrix.column([1, 0, 3]), RationalMatrix.column([0, 2, 1]))
    discount = RationalMatrix.column([HALF] * 3)
    Phi = RationalMatrix([[1, 0], [1, 2], [1, 1]])
    return Model(
        ("first", "second"),
        (first, second),
        rewards,
        (discount, discount),
        policy,
        policy,
        Phi,
        schedule or Schedule((HALF,)),
        "a transient state",
    )


def with_row(matrix: RationalMatrix, state: int, row: list[Fraction | int]) -> RationalMatrix:
    return RationalMatrix([row if s == state else list(old) for s, old in enumerate(matrix.rows)])


def other_policy(model: Model, state: int = LAST) -> Model:
    return replace(model, target=with_row(model.target, state, [1, 0]))


def other_discount(model: Model, state: int = LAST) -> Model:
    return replace(model, discounts=tuple(with_row(G, state, [FIFTH]) for G in model.discounts))


def both(model: Model) -> Model:
    return other_policy(other_discount(model))


@pytest.mark.parametrize("change", [other_policy, both], ids=["policy", "policy and discount"])
@pytest.mark.parametrize("schedule", [Schedule((HALF,)), Schedule.constant(HALF)], ids=["finite", "endless"])
@pytest.mark.parametrize("claim", ABOUT_RECURRENT_STATES, ids=lambda claim: claim.id)
def test_a_policy_at_a_transient_state_changes_no_verdict(
    claim: Claim, schedule: Schedule, change: Callable[[Model], Model]
) -> None:
    model = change(plain(schedule))
    assert not model.is_on_policy
    found = decide(claim, model).verdict
    assert found.status is decide(claim, plain(schedule)).verdict.status is Status.HOLDS, found.detail
    for certificate in found.certificates:
        replay(certificate, model, claim.id)


@pytest.mark.parametrize("claim", ABOUT_RECURRENT_STATES, ids=lambda claim: claim.id)
def test_at_a_recurrent_state_it_does(claim: Claim) -> None:
    verdict = decide(claim, other_policy(plain(), 0)).verdict
    assert verdict.status is Status.HYPOTHESIS_VIOLATED and ON_POLICY.id in verdict.violated


def test_discounts_that_are_never_met() -> None:
    """κ is that of the class: ½ where λ = 0, whatever the discount of a transient state or of no transition is."""
    (claim,) = (c for c in CLAIMS if c.id == "sharp_modulus")
    model = plain(Schedule())
    square = RationalMatrix([[HALF, HALF, FIFTH], [HALF, HALF, HALF], [HALF, HALF, HALF]])  # 0 → 2 never happens
    unmet = replace(model, discounts=(square, square))
    for changed in (other_discount(model), unmet):
        assert changed.gamma is None and CONSTANT_DISCOUNT.ask(changed).satisfied
        assert decide(claim, changed).verdict.detail.endswith("κ = 1/2")
    assert not CONSTANT_DISCOUNT.ask(other_discount(model, 0)).satisfied


def test_values_that_are_never_seen() -> None:
    """V is a multiple of φ on the class, and not at the transient state: θ* is one for all schedules all the same."""
    (claim,) = (c for c in CLAIMS if c.id == "representable_value")
    model = replace(plain(), rewards=(RationalMatrix.column([1, 1, 5]),) * 2, features=RationalMatrix([[1], [1], [7]]))
    assert REPRESENTABLE.ask(model).satisfied
    verdict = decide(claim, model).verdict
    assert verdict.status is Status.HOLDS and verdict.certificates
    for certificate in verdict.certificates:
        replay(certificate, model, claim.id)
    seen = replace(model, rewards=(RationalMatrix.column([1, 2, 5]),) * 2)
    assert not REPRESENTABLE.ask(seen).satisfied


def test_rewards_that_are_never_earned() -> None:
    """Of transitions of probability zero and of actions that the target never takes."""
    model = plain()
    square = RationalMatrix([[1, 1, -1], [1, 1, 1], [1, 1, 1]])  # 0 → 2 never happens
    assert NONNEGATIVE_REWARDS.ask(replace(model, rewards=(square, square))).satisfied
    negative = replace(model, rewards=(RationalMatrix.column([1, 1, 1]), RationalMatrix.column([1, 1, -1])))
    assert not NONNEGATIVE_REWARDS.ask(negative).satisfied
    assert NONNEGATIVE_REWARDS.ask(other_policy(negative)).satisfied


def test_where_a_value_is_undefined_only_elsewhere_nothing_is_refuted() -> None:
    """The target policy stays in the transient state, undiscounted: V is not determined there, and is on the class."""
    (claim,) = (c for c in CLAIMS if c.id == "error_bound")
    model = plain()
    stay = with_row(model.transitions[0], LAST, [0, 0, 1])
    one = tuple(with_row(G, LAST, [1]) for G in model.discounts)
    model = other_policy(replace(model, transitions=(stay, model.transitions[1]), discounts=one))
    verdict = decide(claim, model).verdict
    assert verdict.status is Status.UNDECIDED and "never reaches" in verdict.detail


MONTE_CARLO = Schedule.constant(Fraction(1))
ASKED_OF_A_CLASS = {
    *(claim.id for claim in ABOUT_RECURRENT_STATES),
    "lemma_3_1",
    "thm_3_2",
    "thm_3_4",
    "mspbe_gradient",
    "clt_covariance",
} - {"online_equivalence", "algorithm_1_indices", "error_bound", "episodic_discount", "thm_4_4", "thm_4_6"}
# Four speak of a return, of V or of S(N - I) = M - I at every state as well, the last two of schedules that end.
ASKED_OF_EVERY_STATE = ("delta_expansion", "monte_carlo_special_case", "telescoping", "bellman_operator")


def without_a_sum_elsewhere() -> Model:
    """From state 2 the behaviour goes to the class; the target policy stays there, undiscounted."""
    model = plain(MONTE_CARLO)
    stay = with_row(model.transitions[0], LAST, [0, 0, 1])
    one = tuple(with_row(G, LAST, [1]) for G in model.discounts)
    return other_policy(replace(model, transitions=(stay, model.transitions[1]), discounts=one))


@pytest.mark.parametrize("claim", [c for c in CLAIMS if c.id in ASKED_OF_A_CLASS], ids=lambda claim: claim.id)
def test_a_series_without_a_sum_elsewhere_changes_no_verdict(claim: Claim) -> None:
    model = without_a_sum_elsewhere()
    assert not model.has_trace_sum and model.has_trace_sum_on((0, 1))
    found = decide(claim, model).verdict
    assert found.status is decide(claim, plain(MONTE_CARLO)).verdict.status is Status.HOLDS, found.detail
    for certificate in found.certificates:
        replay(certificate, model, claim.id)


@pytest.mark.parametrize("claim", [c for c in CLAIMS if c.id in ASKED_OF_EVERY_STATE], ids=lambda claim: claim.id)
def test_what_speaks_of_every_state_asks_for_a_sum_at_every_state(claim: Claim) -> None:
    assert decide(claim, plain(MONTE_CARLO)).verdict.status is Status.HOLDS
    found = decide(claim, without_a_sum_elsewhere()).verdict
    assert found.status is Status.HYPOTHESIS_VIOLATED and {*found.violated} <= {"return_exists", "episodes_end"}


@pytest.mark.parametrize("claim", [c for c in CLAIMS if c.id in ASKED_OF_A_CLASS], ids=lambda claim: claim.id)
def test_a_class_without_a_sum_is_asked_nothing(claim: Claim) -> None:
    model = plain(MONTE_CARLO)
    model = replace(model, discounts=(RationalMatrix.column([1, 1, HALF]),) * 2)
    found = decide(claim, model).verdict
    assert found.status is Status.HYPOTHESIS_VIOLATED and found.violated == ("return_exists",)


@pytest.mark.parametrize(
    ("relation", "accepted"),
    [
        (["A", "=", ["@", ["T", "Phi"], "D", ["-", "M", "I"], "Phi"]], True),
        (["b", "=", ["@", ["T", "Phi"], "D", "S", "r"]], True),
        ([["@", "D", "S", "r"], "=", ["@", "D", ["*", "1", ["-", ["-", ["@", "S", "r"]]]]]], True),
        ([["@", "D", "S"], "=", ["@", "D", "S", "I"]], True),
        ([["@", "D", "M"], "=", ["*", "0", "I"]], True),
        (["b", "=", ["*", "2", ["@", ["T", "Phi"], "D", "S", "r"]]], False),
        ([["@", "S", "r"], "=", ["@", "S", "r"]], False),
        (["M", "=", ["*", "0", "I"]], False),
        ([["entry", "S", 2, 2], "=", "1"], False),
        ([["@", "D", ["@", "I", "S"]], "=", ["@", "D", "S"]], False),
        ([["@", "D", ["T", "S"]], "=", ["@", "D", ["T", "S"]]], False),
        ([["@", ["diag", "d"], "S", "r"], "=", ["@", "D", "S", "r"]], False),
    ],
    ids=str,
)
def test_S_and_M_need_a_sum_in_the_rows_that_D_keeps(relation: list[Any], accepted: bool) -> None:
    """Right of D that of the class is enough; anywhere else S and M are whole, and here they are not defined."""
    model = without_a_sum_elsewhere()
    law = model.behaviour_chain.stationary_law((0, 1))
    witness = {"relations": [relation], "stationary": strings(law)}
    file = text(document(Certificate("relation", about_matrix((0, 1), "target"), witness), model, None))
    if accepted:
        assert "1 relation" in checker.check_text(file)
    else:
        with pytest.raises(checker.Rejected, match=r"singular|is false"):
            checker.check_text(file)


def test_each_class_of_several_is_asked_alone() -> None:
    """Two absorbing states and TD(1), discounts 1 and 1/2: the second has A = -1, b = 3·2 whatever the first has."""
    identity = RationalMatrix([[1, 0], [0, 1]])
    discount, one = RationalMatrix.column([1, HALF]), RationalMatrix.column([1, 1])
    rewards = RationalMatrix.column([1, 3])
    model = Model(("go",), (identity,), (rewards,), (discount,), one, one, one, MONTE_CARLO)
    loaded = LoadedModel(model, ("0", "1"), [], [], "made up")
    document = analysis_document(analyse(loaded, lambda *_: None, Request(Arithmetic.EXACT)))
    first, second = document["classes"]
    assert first["A"] is None and dynamics(document)["td"]["verdict"] == "undecided"
    assert (second["A"], second["b"], second["theta_star"]) == ([["-1"]], ["6"], ["6"])
    assert dynamics(document, 1)["td"]["verdict"] == "stable"
    for claim in CLAIMS:
        if claim.id in ASKED_OF_A_CLASS:
            assert decide(claim, model).verdict.violated == ("return_exists",)


def test_the_rows_that_the_target_reaches_from_the_class_are_kept() -> None:
    """Behaviour stays in state 0, the target goes 0 → 1 → 0 at discount 1/2 and stays in state 2: b = 1 + 1/2 + …"""
    stay = RationalMatrix([[1, 0, 0], [1, 0, 0], [1, 0, 0]])
    go = RationalMatrix([[0, 1, 0], [1, 0, 0], [0, 0, 1]])
    discount, ones = RationalMatrix.column([HALF, HALF, 1]), RationalMatrix.column([1, 1, 1])
    mu, pi = RationalMatrix([[1, 0]] * 3), RationalMatrix([[0, 1]] * 3)
    model = Model(("stay", "go"), (stay, go), (ones, ones), (discount, discount), mu, pi, ones, MONTE_CARLO)
    assert not model.has_trace_sum and theorem_matrices(model, (0,)).b[0, 0] == 2
    witness = {"relations": [["b", "=", "2"]], "stationary": ["1", "0", "0"]}
    certificate = Certificate("relation", about_matrix((0,), "target"), witness)
    assert replay(certificate, model)


def test_a_value_that_is_undefined_elsewhere_is_representable() -> None:
    """State 2 is undiscounted under the target policy; on the class V = 2 there and Phi is constant."""
    (claim,) = (c for c in CLAIMS if c.id == "representable_value")
    elsewhere = without_a_sum_elsewhere().with_schedule(Schedule((HALF,)))
    model = replace(
        elsewhere, rewards=(RationalMatrix.column([1, 1, 5]),) * 2, features=RationalMatrix([[1], [1], [7]])
    )
    assert REPRESENTABLE.ask(model).satisfied
    verdict = decide(claim, model).verdict
    assert verdict.status is Status.HOLDS and verdict.certificates
    for certificate in verdict.certificates:
        replay(certificate, model, claim.id)
    assert not REPRESENTABLE.ask(replace(model, rewards=(RationalMatrix.column([1, 2, 5]),) * 2)).satisfied
    met = replace(model, discounts=(RationalMatrix.column([1, 1, HALF]),) * 2)
    assert not REPRESENTABLE.ask(met).satisfied


def analysed(model: Model, arithmetic: Arithmetic, *parts: Part) -> Document:
    """The document of an analysis of three states in the arithmetic: its verdicts, and these parts."""
    loaded, asked = LoadedModel(model, ("0", "1", "2"), [], [], "made up"), frozenset({Part.VERDICT, *parts})
    return analysis_document(analyse(loaded, lambda *_: None, Request(arithmetic, parts=asked)))


@pytest.mark.thorough
def test_analyses_agree() -> None:
    """Exact and enclosed: the same claims hold, TD off-policy has no row of its own, and there is a bound."""
    model = other_policy(plain())
    exact, enclosed = (analysed(model, kind, Part.CLAIMS) for kind in (Arithmetic.EXACT, Arithmetic.ENCLOSED))
    status = {row["id"]: row["status"] for row in exact["claims"]}
    assert status["negative_margin"] == status["error_bound"] == "holds"
    assert next(row for row in enclosed["claims"] if row["id"] == "negative_margin")["status"] == "holds"
    for found in (exact, enclosed):
        assert "td" not in dynamics(found) and not found["model"]["on_policy"]
        assert found["error_bound_squared"] is not None


def test_a_feature_of_a_transient_state_alone_leaves_the_errors_known() -> None:
    """θ* is free in its second coordinate, Φθ* is not on the class: exact and enclosed give the same two errors."""
    model = plain().with_features(RationalMatrix([[1, 0], [2, 0], [0, 1]]))
    exact, enclosed = analysed(model, Arithmetic.EXACT), analysed(model, Arithmetic.ENCLOSED)
    for key in ("fixed_point_error_squared", "projection_error_squared", "error_bound_squared"):
        middle, radius = map(float, enclosed[key].split(" +/- "))
        assert abs(float(Fraction(exact[key])) - middle) <= radius + 1e-15, key


def uncovered_start() -> Model:
    """Off-policy on the class, with coverage; in the transient state the target takes what the behaviour never does."""
    model = plain()
    behaviour = with_row(model.behaviour, LAST, [1, 0])
    target = with_row(with_row(model.target, 0, [FIFTH, 1 - FIFTH]), LAST, [0, 1])
    return replace(model, behaviour=behaviour, target=target)


@pytest.mark.parametrize("name", ["thm_4_4", "thm_4_6", "time_scale_ratio_suffices"])
def test_coverage_is_asked_of_the_recurrent_states_alone(name: str) -> None:
    model, (claim,) = uncovered_start(), [claim for claim in CLAIMS if claim.id == name]
    assert model.uncovered == ((LAST, 1),) and not model.uncovered_when_recurrent
    found = decide(claim, model).verdict
    assert found.status is Status.HOLDS and "start" not in found.detail
    about = [theorem for theorem in read_record().theorems if theorem.claim == name and "covers" in theorem.statement]
    assert about and all("covers mu pi" not in theorem.statement for theorem in about)  # the law d says where


def test_a_schedule_without_an_end_speaks_of_covered_starts_alone() -> None:
    model = uncovered_start()
    assert starts(model) == ""
    endless = model.with_schedule(Schedule((), tail=FIFTH))
    said = starts(endless)
    assert "every start in a recurrent class" in said and "'second' in the transient state s2" in said
    assert starts(plain().with_schedule(endless.schedule)) == ""


@pytest.mark.thorough
def test_the_answer_of_the_page_says_so_too() -> None:
    for model, said in ((uncovered_start(), False), (plain(), False)):
        loaded, asked = LoadedModel(model, ("0", "1", "2"), [], [], "made up"), frozenset({Part.VERDICT, Part.CLAIMS})
        page = analysis_page(analyse(loaded, lambda *_: None, Request(Arithmetic.EXACT, parts=asked)))
        (line,) = re.findall(r"Almost surely, with decreasing steps.*?</li>", page, re.S)
        assert "thm_4_4" in line and ("every start in a recurrent class" in line) is said
