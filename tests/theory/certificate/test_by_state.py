"""Certificates where λ is given by state: of updates by their terms alone, with λ(s) and λ(s') as numbers of the move.

What is accepted is decided a second time by formulas in `tests.theory.engine.test_by_state`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from tdcert.algorithms import for_model, named
from tdcert.analysis.updates import analyse_updates
from tdcert.theory.certificate import checker, write
from tdcert.theory.certificate.bodies import irreducibility_certificate, stationary_certificate
from tdcert.theory.engine.certificates import difference
from tdcert.theory.model.schedule import LambdaByState, Schedule
from tdcert.theory.progress import silently
from tests.theory.certificate.test_independent_draws import again
from tests.theory.engine.test_by_state import TWO, at_the_end, wanted

F = Fraction
Json = Any


@cache
def certificates(name: str) -> dict[str, Json]:
    """What an analysis certifies, by kind."""
    row = analyse_updates(TWO, [named(name)], silently, step=F(1, 64), certify=True).rows[0]
    return {one.kind: dict(write.document(one, TWO, None)) for one in row.certificates}


def of(kind: str, name: str = "gtd_lambda") -> Json:
    return deepcopy(certificates(name)[kind])


@pytest.mark.parametrize("name", [pytest.param("etd", marks=pytest.mark.thorough), "gtd_lambda"])
def test_what_is_found_is_accepted(name: str) -> None:
    found = certificates(name)
    assert found.keys() >= {"update_hurwitz", "update_rest", "update_memory_bounded", "update_covariance"}
    for body in found.values():
        assert checker.check_text(json.dumps(body))
        terms = [x for one in body["about"]["update"]["terms"] for row in one.values() if row for x in row]
        assert any("t.lam" in term for term in terms)
        assert any("t.lam_next" in term for term in terms) == (name == "gtd_lambda")


def test_the_rest_that_is_accepted_is_where_the_formulas_rest() -> None:
    """J·rest + g = 0 with the means by formulas."""
    rest = [F(x) for x in of("update_rest")["witness"]["rest"]]
    joint = wanted("gtd_lambda", TWO)
    rows = [[x + y for x, y in zip(*pair, strict=True)] for pair in zip(joint[0].rows, joint[1].rows, strict=True)]
    assert all(sum(x * y for x, y in zip(row, [*rest, F(1)], strict=True)) == 0 for row in rows)


@pytest.mark.thorough
def test_a_certificate_is_about_its_function() -> None:
    body = of("update_hurwitz")
    assert not difference(body, TWO, for_model(named("gtd_lambda"), TWO)[0])
    other = difference(body, TWO, for_model(named("tdrc"), TWO)[0])
    assert "something else" in other
    assert "other" in difference(of("update_hurwitz", "etd"), TWO, for_model(at_the_end, TWO)[0])


# ---- forgeries -------------------------------------------------------------------------------------------------------


def _schedule(value: Json) -> Callable[[Json], None]:
    return lambda body: body["model"].update(schedule=value)


def _instead(old: str, new: str) -> Callable[[Json], None]:
    def forge(body: Json) -> None:
        text = json.dumps(body["about"])
        assert old in text
        body["about"] = json.loads(text.replace(old, new))

    return forge


FORGED: dict[str, tuple[str, Callable[[Json], None], str]] = {
    "the lambdas of other states": ("update_hurwitz", _schedule({"by_state": ["1/2", "1"]}), "witness"),
    "moments of other lambdas": ("update_moments", _schedule({"by_state": ["1", "1/3"]}), "not the mean"),
    "one lambda for all": ("update_hurwitz", _schedule({"constant": {"lambda": "1/2"}}), "gives no lambda by state"),
    "no lambda": ("update_rest", _schedule({"lambdas": []}), "gives no lambda by state"),
    "lambda of one state": ("update_hurwitz", _schedule({"by_state": ["1"]}), "needs 2"),
    "lambda above one": ("update_hurwitz", _schedule({"by_state": ["1", "4/3"]}), "outside [0, 1]"),
    "a negative lambda": ("update_hurwitz", _schedule({"by_state": ["1", "-1/3"]}), "outside [0, 1]"),
    "two schedules": ("update_hurwitz", _schedule({"by_state": ["0"] * 2, "lambdas": []}), "schedule"),
    "a float": ("update_hurwitz", _schedule({"by_state": ["1", 0.5]}), ""),
    "lambda of the state for that of the next": ("update_moments", _instead("t.lam_next", "t.lam"), "not the mean"),
    "lambda of the next for that of the state": ("update_rest", _instead("t.lam *", "t.lam_next *"), "witness"),
    "a third lambda": ("update_hurwitz", _instead("t.lam_next", "t.lam_before"), "not a factor"),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_certificate_is_rejected(name: str) -> None:
    kind, forge, why = FORGED[name]
    body = of(kind)
    checker.check_text(json.dumps(body))
    forge(body)
    with pytest.raises(checker.Rejected) as caught:
        checker.check_text(again(body))
    assert why in str(caught.value), str(caught.value)


@cache
def weighted() -> dict[str, Json]:
    model = replace(TWO, interest=(F(1), F(0)))
    row = analyse_updates(model, [named("etd")], silently, certify=True).rows[0]
    return {one.kind: dict(write.document(one, model, None)) for one in row.certificates}


def test_interest_is_that_of_the_model() -> None:
    """θ* = 392/165 : 46/33, by hand in `tests.theory.engine.test_by_state`."""
    body = deepcopy(weighted()["update_rest"])
    assert checker.check_text(json.dumps(body)) and body["witness"]["rest"] == ["196/115"]
    for value, why in (
        (["1", "1"], "witness"),
        (["1"], "needs 2"),
        (["1", "-1"], "negative"),
        (["1", 0.5], "a JSON number"),
    ):
        body["model"]["interest"] = value
        with pytest.raises(checker.Rejected, match=why):
            checker.check_text(again(body))
    del body["model"]["interest"]
    with pytest.raises(checker.Rejected, match="witness"):
        checker.check_text(again(body))


def test_other_kinds_are_about_one_schedule() -> None:
    plain = TWO.with_schedule(Schedule())
    chain = plain.behaviour_chain
    for one in (stationary_certificate(chain, (0, 1)), irreducibility_certificate(chain)):
        body = dict(write.document(one, plain, None))
        checker.check_text(json.dumps(body))
        body["model"] = plain.with_schedule(LambdaByState((F(1),) * 2)).canonical
        with pytest.raises(checker.Rejected, match="lambda is given by state"):
            checker.check_text(again(body))
        body["model"] = replace(plain, interest=(F(1), F(2))).canonical
        with pytest.raises(checker.Rejected, match="interest is given"):
            checker.check_text(again(body))


def test_terms_of_a_schedule_are_those_that_they_were() -> None:
    """The text of a certificate under a λ-schedule names no λ by state."""
    plain = TWO.with_schedule(Schedule.constant(F(1, 2)))
    row = analyse_updates(plain, [named("gtd_lambda")], silently, certify=True).rows[0]
    for one in row.certificates:
        text = write.text(dict(write.document(one, plain, None)))
        assert "t.lam" not in text and '"by_state"' not in text
