"""Certificates about declared updates: what the engine finds is accepted by the checker, and is about that function."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings

from tdcert.algorithms import find
from tdcert.analysis.updates import analyse_updates
from tdcert.sims.strategies import models
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.certificate import checker, write
from tdcert.theory.engine.certificates import difference, gain_of, tables_of
from tdcert.theory.engine.declare import Algorithm, algorithm
from tdcert.theory.engine.means import stationary
from tdcert.theory.engine.tables import tables
from tdcert.theory.model.gallery import HALF, bairds_star, boyan_chain, flip_chain, theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.verdict import Certificate
from tests.effort import by_default, examples

DIVERGES = theta_to_two_theta(Fraction(9, 10), rewards=(1, -1))
STAR = bairds_star(Fraction(9, 10))
ENDLESS = flip_chain(HALF, Schedule.constant(HALF))
BOTH_SIGNS = replace(DIVERGES, features=RationalMatrix([[1], [-2]]))
AT_A_STEP = {
    f"update_{kind}" for kind in ("memory_bounded", "mean_square_bounded", "mean_square_unbounded", "mean_unbounded")
}
"""Statements that are not about the mean dynamics."""
AT_STEPS = ["mean_square_bounded", "mean_square_bounded", "mean_square_unbounded"]


def body(certificate: Certificate, model: Model) -> dict[str, Any]:
    return dict(write.document(certificate, model, None))


def sentences(model: Model, words: str, step: Fraction | None = None) -> list[str]:
    """What the checker says of every certificate of an analysis."""
    rows = analyse_updates(model, find(words), lambda *_: None, step=step, certify=True).rows
    return [
        f"{one.kind}: {checker.check_text(write.text(body(one, model)))}" for row in rows for one in row.certificates
    ]


def kinds(said: Sequence[str]) -> list[str]:
    return [sentence.partition(":")[0].removeprefix("update_") for sentence in said]


@pytest.mark.parametrize(
    ("model", "words", "found"),
    [
        (DIVERGES, "off_policy_td", ["unstable", "rest"]),
        (DIVERGES, "etd", ["hurwitz", "rest", "memory_unbounded", "no_safe_step"]),
        (DIVERGES, "etd[lam=1/4]", ["hurwitz", "rest", "memory_unbounded", "no_safe_step"]),
        (DIVERGES, "residual_gradient", ["hurwitz", "rest", "covariance", *AT_STEPS]),
        (ENDLESS, "td", ["hurwitz", "rest", "memory_bounded", "covariance", "safe_steps"]),
        (DIVERGES, "tdc", ["hurwitz", "rest", "hurwitz", "hurwitz", "covariance", "covariance", *AT_STEPS]),
        (
            BOTH_SIGNS,
            "gtd_lambda[lam=9/10]",
            ["hurwitz", "rest", "hurwitz", "hurwitz", "memory_unbounded", "no_safe_step"],
        ),
    ],
    ids=["unstable", "an emphasis", "with a trace", "no memory", "a trace without end", "two steps", "both signs"],
)
def test_what_is_found_is_accepted(model: Model, words: str, found: list[str]) -> None:
    assert kinds(sentences(model, words)) == found


@pytest.mark.parametrize("words", [pytest.param("gtd", marks=pytest.mark.thorough), "off_policy_td"])
def test_on_the_quotient_by_what_no_update_sees(words: str) -> None:
    """Baird's star has more features than states."""
    said = sentences(STAR, words)
    assert said and all("modulo what no update sees" in sentence for sentence in said)


def test_rows_that_only_spans_show() -> None:
    """z is a multiple of (1, 1) in the long run; an entry at a time its rows are everything."""

    @algorithm(parameters={"theta": 2}, memory={"z": 2})
    def alike(t: Any, theta: Any, z: Any, alpha: Any) -> Any:
        z = z / 2 + 1
        return theta - alpha * (z @ theta), z

    rows = analyse_updates(boyan_chain(), [alike], lambda *_: None, certify=True).rows
    written = [body(one, boyan_chain()) for one in rows[0].certificates]
    assert "spans" in written[0]["witness"] and written[0]["about"]["seen"] == [0]
    assert all(checker.check_text(write.text(one)) for one in written)


@pytest.mark.thorough
def test_constant_steps() -> None:
    """At the step 1/10 off-policy TD grows in mean square and in the mean; products of steps are numbers there."""
    step = Fraction(1, 10)
    assert kinds(sentences(DIVERGES, "off_policy_td", step))[2:] == [
        "mean_square_unbounded",
        "mean_unbounded",
        "moments",
    ]
    said, moments = sentences(DIVERGES, "gtd2_mp", step)[-2:]
    assert "second moments of differences go to zero" in said and "alpha = 1/10, beta = 1/10" in said
    assert "file's name for it: 'gtd2_mp') with the steps alpha = 1/10, beta = 1/10" in moments
    grown, moments = sentences(DIVERGES, "etd", step)[3:][-2:]
    assert grown.endswith(
        "; the file's name for it: 'etd') with the steps alpha = 1/10, on the recurrent class of all 2 states "
        f"(model {DIVERGES.digest[:12]})"
    )
    (mirror,) = find("gtd2_mp")
    assert tables_of(tables(DIVERGES, mirror, (0, 1), steps={"alpha": step, "beta": HALF}))["at"] == ["1/10", "1/2"]


@pytest.mark.parametrize(
    "name", by_default(2, ["implicit_td", "tdc_momentum", "true_online_td[lam=1/2]", "gtd_momentum", "gtd2_mp"])
)
def test_first_order_in_the_steps(name: str) -> None:
    """Certificates say that they are about that order; the function's own tables are compared, with its options."""
    (declared,) = find(name)
    rows = analyse_updates(ENDLESS, [declared], lambda *_: None, certify=True).rows
    written = [body(one, ENDLESS) for one in rows[0].certificates]
    said = [checker.check_text(write.text(one)) for one in written]
    assert "update_hurwitz" in [one["kind"] for one in written] and len(written) >= 3
    for one, sentence in zip(written, said, strict=True):
        assert f"'{declared.name}') to first order in its step sizes" in sentence or one["kind"] in AT_A_STEP
        assert difference(one, ENDLESS, declared) == ""
    changed: dict[str, dict[str, Any]] = {
        "true_online_td": {"lam": 0},
        "gtd_momentum": {"momentum": HALF / 2},
        "tdc_momentum": {"momentum": 0},
    }
    if declared.name in changed:
        other = declared.with_options(**changed[declared.name])
        assert "does something else" in difference(written[0], ENDLESS, other)


def test_first_order_says_nothing_of_a_step() -> None:
    (mirror,) = find("gtd2_mp")
    rows = analyse_updates(DIVERGES, [mirror], lambda *_: None, step=Fraction(1, 10), certify=True).rows
    written = {one.kind: body(one, DIVERGES) for one in rows[0].certificates}
    order = "about.update.order: only 1 stands there, and only where the mean dynamics are spoken of"
    known, bounded = "about.update: the key 'order' is not known here", "update_mean_square_bounded"
    at = dict.fromkeys(mirror.steps, Fraction(1, 10))
    tabled = {**written[bounded]["about"], "update": tables_of(tables(DIVERGES, mirror, (0, 1), steps=at))}
    written["by tables"] = {**written[bounded], "about": tabled}
    for kind, value, why in (
        (bounded, 1, known),
        ("by tables", 1, order),
        ("update_hurwitz", 2, order),
        ("update_hurwitz", True, order),
    ):
        forged = json.loads(write.text(written[kind]))
        forged["about"]["update"]["order"] = value
        with pytest.raises(checker.Rejected, match=why):
            checker.check_text(json.dumps(forged))


def test_where_a_memory_grows() -> None:
    """ρ is 2 or 0, evenly: E(7ρ/10)² = 98/100, so that is large, and E(9ρ/10)² > 1, which starts small."""

    @algorithm(parameters={"theta": 1}, memory={"m": 2})
    def apart(t: Any, theta: Any, m: Any, alpha: Any) -> Any:
        return theta - alpha * theta, [
            Fraction(7, 10) * t.rho * m[0] + 1,
            Fraction(9, 10) * t.rho * m[1] + Fraction(1, 1000),
        ]

    @algorithm(parameters={"theta": 1}, memory={"m": 1})
    def last(t: Any, theta: Any, m: Any, alpha: Any) -> Any:
        return theta - alpha * theta, t.state

    (row,) = analyse_updates(DIVERGES, [apart], lambda *_: None, certify=True).rows
    assert "update_memory_unbounded" in [one.kind for one in row.certificates]
    # the state before is 0 or 1, evenly, whatever the state is: it jumps by 1/2 from its mean
    memory = stationary(DIVERGES, last, (0, 1)).memory
    assert gain_of(memory, (RationalMatrix([[1]]),) * 2) == Fraction(1, 4)


def test_covariances_of_what_is_seen_of_a_memory() -> None:
    """Two equal features: their sum alone is seen, and the noise is the same in both of them."""
    twice = replace(DIVERGES, features=RationalMatrix([[1, 1], [2, 2]]), schedule=Schedule.constant(HALF))
    twice = replace(twice, target=twice.behaviour)
    (row,) = analyse_updates(twice, find("td"), lambda *_: None, certify=True).rows
    (found,) = (one for one in row.certificates if one.kind == "update_covariance")
    assert row.noise is not None and row.noise.averaged is None and "seen" in found.about
    assert "modulo what no update sees" in checker.check_text(write.text(body(found, twice)))
    ((a, b), (c, e)) = found.about["noise"]
    assert a == b == c == e and Fraction(a) > 0 and Fraction(found.about["averaged"][0][0]) > 0


@pytest.mark.thorough
@settings(max_examples=examples(8), deadline=None)
@given(models(discount="any", policy="any", endless=True))
def test_whatever_is_written_is_accepted(model: Model) -> None:
    for words in ("retrace[lam=1/2]", "etd[lam=1/2]", "tdrc[lam=3/4]", "true_online_td"):
        sentences(model, words, Fraction(1, 20))


def written(words: str) -> tuple[dict[str, Any], Algorithm]:
    """The first certificate about an algorithm on θ→2θ, and the algorithm."""
    (chosen,) = find(words)
    (row,) = analyse_updates(DIVERGES, [chosen], lambda *_: None, certify=True).rows
    return json.loads(write.text(body(row.certificates[0], DIVERGES))), row.algorithm


def test_the_tables_are_those_of_the_function() -> None:
    """Every entry: another option, another function and another model are told apart; the order of terms is not."""

    def by_tables(words: str) -> tuple[dict[str, Any], Algorithm]:
        certificate, own = written(words)
        certificate["about"]["update"] = tables_of(tables(DIVERGES, own, (0, 1), stationary=True))
        assert checker.check_text(json.dumps(certificate))  # files from before there were terms
        return certificate, own

    certificate, own = by_tables("tdrc[ridge=1/10]")
    assert difference(certificate, DIVERGES, own) == ""
    certificate["about"]["update"]["moves"][0][0][2].reverse()
    assert difference(certificate, DIVERGES, own) == ""
    assert "on move 0 out of context 0" in difference(certificate, DIVERGES, own.with_options(ridge=1))
    (td,) = find("off_policy_td")
    assert "step sizes are alpha, beta, those of the function alpha" in difference(certificate, DIVERGES, td)
    certificate, own = by_tables("etd")
    assert "about 2 numbers in its memory, and the function has 0" in difference(certificate, DIVERGES, td)
    certificate["about"]["update"]["contexts"].reverse()
    assert difference(certificate, DIVERGES, own) == "the function tells other contexts apart"


def test_the_terms_are_those_of_the_function() -> None:
    """Every term: another option, another function, other fields; the order of terms and of factors is not."""
    certificate, own = written("tdrc[ridge=1/10]")
    (part,) = certificate["about"]["update"]["terms"]
    assert "-1/10 * beta * w" in part["w"] and difference(certificate, DIVERGES, own) == ""
    part["theta"] = [" * ".join(reversed(text.removeprefix("-").split(" * "))) for text in part["theta"]]
    assert "something else to theta: " in difference(certificate, DIVERGES, own)  # the signs are gone
    certificate, own = written("tdrc[ridge=1/10]")
    (part,) = certificate["about"]["update"]["terms"]
    part["theta"] = [*reversed(part["theta"]), "t.rho * alpha * t.phi", "-alpha * t.rho * t.phi"]
    assert difference(certificate, DIVERGES, own) == ""
    other = difference(certificate, DIVERGES, own.with_options(ridge=1))
    assert other.startswith("the function does something else to w: ") and other.endswith("- beta * w")
    (td,) = find("off_policy_td")
    assert "step sizes are alpha, beta, those of the function alpha" in difference(certificate, DIVERGES, td)
    certificate, own = written("etd")
    assert difference(certificate, DIVERGES, td) == "the certificate is about other memory than the function has"
    certificate["about"]["update"]["reads"] = ["t.rho_before"]
    assert difference(certificate, DIVERGES, own) == "the certificate is about other fields than the function has"
    certificate, own = written("retrace")
    told, where = certificate["about"]["update"]["terms"], "the function does something else to theta, where t.rho is "
    assert len(told) == 2 and difference(certificate, DIVERGES, own) == ""
    told[1]["theta"] = []
    assert difference(certificate, DIVERGES, own).startswith(where + told[1]["when"]["t.rho"])
    del told[1]
    assert difference(certificate, DIVERGES, own) == "the function tells other transitions apart"


def test_every_kind_is_about_its_function() -> None:
    (etd,) = find("etd")
    rows = analyse_updates(DIVERGES, [etd], lambda *_: None, step=Fraction(1, 10), certify=True).rows
    written = [json.loads(write.text(body(one, DIVERGES))) for one in rows[0].certificates]
    assert {one["kind"] for one in written} >= {"update_memory_unbounded", "update_no_safe_step", "update_moments"}
    for one in written:
        assert difference(one, DIVERGES, etd) == ""
        assert difference(one, DIVERGES, etd.with_options(lam=HALF)).startswith("the function does something else")


def test_tables_say_what_the_function_does() -> None:
    """TD(0) on θ→2θ by hand: state 0 to 1 has δ = R + (9/10)2θ − θ."""
    (td,) = find("off_policy_td")
    found = tables_of(tables(DIVERGES, td, (0, 1), stationary=True))
    assert (found["parameters"], found["starts"], found["at"]) == (1, 0, None)
    place = found["contexts"].index(0)
    to_one = next(move for move in found["moves"][place] if found["contexts"][move[0]] == 1)
    held = found["memory"]
    first = {tuple(term[:3]): term[3] for term in to_one[2][0][1]}
    assert first[held, 0, 0] == str(2 * (Fraction(9, 10) * 2 - 1))


def test_weights_shrink() -> None:
    """w > 0 and B w < w, where the memory's mean exists; none where it has none."""
    (etd,) = find("etd")
    memory = stationary(DIVERGES, etd, (0, 1)).memory
    w = memory.weights
    assert w is not None and min(w.values()) > 0 and set(w) == set(memory.reached)
    for name in w:
        assert sum(Fraction(str(x)) * w[of] for (to, of), x in memory.sizes.items() if to == name) < w[name]
    assert stationary(theta_to_two_theta(Fraction(1)), etd, (0, 1)).memory.weights is None
