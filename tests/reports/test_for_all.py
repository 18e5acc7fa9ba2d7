"""For which of all values there is stability, as it is asked for and shown: Python, command, page, document."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest

import tdcert
from tdcert.analysis.for_all import ForAllRow, shown, written
from tdcert.reports.cli import main
from tdcert.reports.value_line import WIDTH, bars
from tdcert.theory.check.stable_values import Algebraic, Domain, Stretch
from tdcert.theory.engine.for_all_values import ForAllValues, Varied
from tdcert.theory.errors import InputError
from tests import schemas

F = Fraction
EXAMPLE = "example:two_state_theta_2theta"
"""Off-policy TD is stable for γ < 5/6 alone, by hand in tests/theory/engine/test_for_all_values.py."""


def test_python_tells_intervals_and_their_ends() -> None:
    found = tdcert.analyze(EXAMPLE, what="verdict", for_all="gamma").for_all
    assert set(found) == {"off_policy_td", "gtd", "tdc"} and found.varied == "gamma" and not found.note
    one = found["off_policy_td"]
    assert one.sentence == "stable for γ in [0, 5/6), and for no other in [0, 1)" and not one.why
    stable, rest = one.stretches
    assert (stable.stable, rest.stable) == (True, False)
    assert (
        stable.right is not None and stable.right.exact == rest.left.exact == F(5, 6) and stable.right_root == (-5, 6)
    )
    assert 0 in stable and F(4, 5) in stable and F(5, 6) not in stable and F(5, 6) in rest and 1 not in rest
    assert found["gtd"].sentence == "stable for every γ in [0, 1) other than 5/6"
    assert "For all values of gamma" in repr(found) and str(one) in repr(found)
    assert [(row["algorithm"], row["stable"]) for row in found.rows()][1:5] == [
        ("off_policy_td", False),
        ("gtd", True),
        ("gtd", False),
        ("gtd", True),
    ]
    assert found.rows()[1]["left"] == float(F(5, 6)) and found.rows()[1]["right_in"] is False


@pytest.mark.thorough
def test_lambda_and_ratio_and_a_function_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "import tdcert\n\n\n@tdcert.algorithm(parameters={'theta': 'd'}, memory={'e': 'd'}, steps=('alpha',), "
        "schedule='lam')\ndef mine(t, theta, e, alpha, *, lam=0):\n    e = t.rho * (e + t.phi)\n"
        "    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta\n"
        "    return theta + alpha * delta * e, t.discount * lam * e\n",
        encoding="utf-8",
    )
    mine = tdcert.compare(EXAMPLE, [f"{file}:mine", "td"], for_all="lambda").for_all
    assert mine["mine"].sentence == "stable for λ in (4/9, 1], and for no other in [0, 1]"
    ratios = tdcert.compare(EXAMPLE, "tdc,td", for_all="ratio").for_all
    assert ratios["tdc"].sentence == "stable for η in (2/25, ∞), and for no other in (0, ∞)"
    assert ratios["td"].sentence == "not known: one step size" and not ratios["td"].stretches
    assert ratios["tdc"].stretches[1].right is None and 10**9 in ratios["tdc"].stretches[1]


def test_who_does_not_ask_is_told_how() -> None:
    found = tdcert.analyze(EXAMPLE, what="verdict").for_all
    assert not found and 'for_all="gamma"' in found.why and found.why in repr(found) and found.varied is None
    with pytest.raises(InputError, match="all values of 'beta' are not asked about; give gamma, lambda, ratio"):
        tdcert.analyze(EXAMPLE, for_all="beta")
    with pytest.raises(InputError, match="for_all is True; give a name"):
        tdcert.analyze(EXAMPLE, for_all=True)  # type: ignore[arg-type]


@pytest.mark.thorough
def test_other_arithmetics_and_several_classes_have_no_answer() -> None:
    found = tdcert.analyze(EXAMPLE, what="verdict", arithmetic="enclosed", for_all="gamma").for_all
    assert all(not one.stretches and "--arithmetic exact" in one.sentence for one in found.values())
    with pytest.raises(InputError, match="--for-all was asked of a model in sparse arithmetic"):
        tdcert.analyze(EXAMPLE, what="verdict", arithmetic="sparse", for_all="gamma")
    two = tdcert.analyze(P=[[1, 0], [0, 1]], rewards=[0, 0], discount="1/2", features=[[1], [1]], for_all="gamma")
    assert "2 recurrent classes" in two.for_all["td"].sentence


@pytest.mark.thorough
def test_the_command_prints_sentences_and_the_page_draws_them(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    asked = ["analyze", EXAMPLE, "--what", "verdict"]
    assert main([*asked, "--for-all", "gamma", "--out", str(tmp_path / "there")]) == 0
    told = " ".join(capsys.readouterr().out.split())
    sentence = "off-policy TD: stable for γ in [0, 5/6), and for no other in [0, 1)"
    assert f"For which discounts γ are the mean dynamics stable? {sentence}" in told
    page = (tmp_path / "there" / "index.html").read_text(encoding="utf-8")
    assert f"<div>{sentence}<svg" in page
    drawn = re.findall(r'<rect class="(\w+)" x="([\d.]+)" y="[\d.]+" width="([\d.]+)"', page)
    assert [(kind, float(x), float(w)) for kind, x, w in drawn[:2]] == [("stable", 0, 250), ("unstable", 250, 50)]
    assert main([*asked, "--out", str(tmp_path / "without")]) == 0
    assert "For which" not in capsys.readouterr().out
    assert 'class="values"' not in (tmp_path / "without" / "index.html").read_text(encoding="utf-8")


def test_the_document_holds_polynomials(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyze", EXAMPLE, "--what", "verdict", "--for-all", "gamma", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    schemas.require(document)
    asked = document["for_all"]
    one = next(row for row in asked["algorithms"] if row["algorithm"] == "off_policy_td")
    five_sixths = {"low": "5/6", "high": "5/6", "polynomial": ["-5", "6"]}
    assert asked["varied"] == "gamma" and asked["note"] is None and one["why"] is None
    assert [(part["left"], part["right"], part["stable"]) for part in one["stretches"]] == [
        ({"low": "0", "high": "0", "polynomial": ["0", "1"]}, five_sixths, True),
        (five_sixths, {"low": "1", "high": "1", "polynomial": ["-1", "1"]}, False),
    ]
    assert main(["analyze", EXAMPLE, "--what", "verdict", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["for_all"] is None


@pytest.mark.thorough
def test_former_formats_do_not_hold_it() -> None:
    found = tdcert.analyze(EXAMPLE, what="verdict", for_all="ratio")
    assert "for_all" in found.to_dict() and "for_all" not in found.to_dict("tdcert-analysis/1")
    assert "for_all" not in tdcert.compare(EXAMPLE, "td", for_all="ratio").to_dict("tdcert-updates/1")


def row(domain: Domain, *stretches: Stretch) -> ForAllRow:
    """An answer about γ."""
    return ForAllRow("td", ForAllValues(Varied.GAMMA, domain, stretches))


def test_sentences_say_what_is_not_decided_and_what_irrational_ends_are() -> None:
    root = Algebraic(F(70710678, 10**8), F(70710679, 10**8), (-1, 0, 2))
    zero, one = map(Algebraic.rational, (F(0), F(1)))
    domain = Domain(F(0), True, F(1), True)
    said = row(
        domain,
        Stretch(zero, True, root, False, True),
        Stretch(root, True, one, False, False),
        Stretch(one, True, one, True, None, "no mean"),
    ).sentence
    assert said == (
        "stable for γ in [0, 0.707106…); not stable for γ in [0.707106…, 1); not decided for γ in {1} (no mean); "
        "0.707106… is a root of 2x² − 1"
    )
    assert row(domain, Stretch(zero, True, one, True, False)).sentence == "stable for no γ in [0, 1]"
    assert row(domain, Stretch(zero, True, one, True, None, "why")).sentence == "not decided for γ in [0, 1] (why)"
    long = Algebraic(root.low, root.high, (-(10**40), 1, 0, 10**40))
    assert row(domain, Stretch(zero, True, long, True, True)).sentence.endswith("is algebraic of degree 3")
    apart = Algebraic(F(1, 3), F(1, 2), (-1, 0, 5))
    assert (
        shown(apart) == "between 0.333333 and 0.500001"
        and shown(Algebraic.rational(F(10**20, 3))) == "33333300000000000000…"
    )
    assert written(Stretch(one, True, one, True, True)) == "{1}"


def test_a_line_shows_every_value_and_single_ones_on_top() -> None:
    half, zero = Algebraic.rational(F(1)), Algebraic.rational(F(0))
    found = ForAllValues(
        Varied.RATIO,
        Domain(F(0), False, None, False),
        (
            Stretch(zero, False, half, False, True),
            Stretch(half, True, half, True, False),
            Stretch(half, False, None, False, None),
        ),
    )
    drawn = bars(found)
    assert [(bar.kind, bar.x, bar.width) for bar in drawn] == [
        ("stable", 0, WIDTH / 2),
        ("undecided", WIDTH / 2, WIDTH / 2),
        ("unstable", WIDTH / 2 - 1, 2),
    ]
    assert drawn[0].title == "stable for (0, 1)" and [bar.height for bar in drawn] == [12, 8, 16]
