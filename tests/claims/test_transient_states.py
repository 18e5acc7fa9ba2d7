"""Hypotheses are asked of the states that a statement speaks of: what is at a transient state alone changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest

from tdcert.analysis.analyse import Arithmetic, Request, analyse
from tdcert.claims.claim import Claim, decide
from tdcert.claims.paper import ENTRIES
from tdcert.reports.analysis_json import analysis_document
from tdcert.reports.documents import Document
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.certificate import checker
from tdcert.theory.certificate.write import document, text
from tdcert.theory.check.hypotheses import CONSTANT_DISCOUNT, IRREDUCIBLE, NONNEGATIVE_REWARDS, ON_POLICY, REPRESENTABLE
from tdcert.theory.files import LoadedModel
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.verdict import Status

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
        checker.check_text(text(document(certificate, model, claim.id)))


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
        checker.check_text(text(document(certificate, model, claim.id)))
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


def analysed(model: Model, arithmetic: Arithmetic) -> Document:
    """The document of an analysis of three states in the arithmetic."""
    loaded = LoadedModel(model, ("0", "1", "2"), [], [], "made up")
    return analysis_document(analyse(loaded, lambda *_: None, Request(arithmetic)))


def test_analyses_agree() -> None:
    """Exact and enclosed: the same claims hold, TD off-policy has no row of its own, and there is a bound."""
    model = other_policy(plain())
    exact, enclosed = analysed(model, Arithmetic.EXACT), analysed(model, Arithmetic.ENCLOSED)
    status = {row["id"]: row["status"] for row in exact["claims"]}
    assert status["negative_margin"] == status["error_bound"] == "holds"
    assert next(row for row in enclosed["claims"] if row["id"] == "negative_margin")["status"] == "holds"
    for found in (exact, enclosed):
        assert found["algorithms"]["td"] is None and not found["model"]["on_policy"]
        assert found["error_bound_squared"] is not None


def test_a_feature_of_a_transient_state_alone_leaves_the_errors_known() -> None:
    """θ* is free in its second coordinate, Φθ* is not on the class: exact and enclosed give the same two errors."""
    model = plain().with_features(RationalMatrix([[1, 0], [2, 0], [0, 1]]))
    exact, enclosed = analysed(model, Arithmetic.EXACT), analysed(model, Arithmetic.ENCLOSED)
    for key in ("fixed_point_error_squared", "projection_error_squared", "error_bound_squared"):
        middle, radius = map(float, enclosed[key].split(" +/- "))
        assert abs(float(Fraction(exact[key])) - middle) <= radius + 1e-15, key
