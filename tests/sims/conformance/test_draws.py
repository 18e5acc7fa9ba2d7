"""Independent draws: each transition is the first of a run of its own, so nothing of the one before is used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tdcert
from tdcert.algorithms import NAMES, one
from tdcert.reports.cli import main
from tdcert.sims.conformance.battery import battery
from tdcert.sims.conformance.trial import Conformance, put_on_trial
from tdcert.theory.errors import InputError
from tests.docs.programs import program
from tests.effort import by_default

HERE = Path(__file__).with_name("drawn_on_trial.py")


def tried(name: str, algorithm: str, **options: Any) -> Conformance:
    return put_on_trial(f"{HERE}:{name}", algorithm, sampling="independent", **options)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "algorithm", "schedules"),
    by_default(
        1, [("EmphaticOfDraws", "etd", None), ("Replay", "off_policy_td", "zero"), ("TraceOfDraws", "td", None)]
    ),
)
def test_code_that_uses_nothing_of_the_draw_before_conforms(name: str, algorithm: str, schedules: str | None) -> None:
    found = tried(name, algorithm, schedules=schedules)
    assert found.conforms and found.how == "path_by_path", found.failure
    assert {answer.status for answer in found.answers} == {"passes"}


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "algorithm", "words", "shows"),
    by_default(
        1,
        [
            ("Stale", "off_policy_td", "φ(s_{t+1}) of the draw before used for φ(s_t)", "updates"),
            ("Trace", "td", "what is remembered carried on from one draw to the next", "trace"),
            ("Emphatic", "etd", "what is remembered carried on from one draw to the next", "updates"),
        ],
    ),
)
def test_what_is_carried_on_is_named_though_it_is_right_along_a_path(
    name: str, algorithm: str, words: str, shows: str
) -> None:
    schedules = "zero" if algorithm == "off_policy_td" else None
    found = tried(name, algorithm, schedules=schedules)
    assert found.failure is not None and (found.failure.mistake, found.failure.shows) == (words, shows)
    along = put_on_trial(f"{HERE}:{name}", algorithm, schedules=schedules)
    episodes = {answer.shows: answer.status for answer in along.answers}
    assert episodes["updates"] == "passes"


@pytest.mark.thorough
def test_single_precision_is_judged_by_its_paths_alone() -> None:
    found = tried("Single", "off_policy_td", schedules="zero")
    assert found.how == "single_precision" and not found.law
    assert any("independent draws" in note for note in found.notes)


def test_no_draw_begins_where_the_one_before_ended_but_by_chance() -> None:
    """Of n states each is left with probability 1/n, whatever was reached: 1/3 of 80 + 80 of the long runs."""
    drawn = [case for case in battery("gtd", sampling="independent") if case.model.n == 3 and case.shows == "long_run"]
    pairs = [(x.left[1:], x.reached[:-1]) for case in drawn for x in [case.trajectory]]
    same = np.concatenate([left == reached for left, reached in pairs])
    # Hoeffding: beyond this with probability 1e-6 of all seeds; the seed is fixed
    assert abs(same.mean() - 1 / 3) < np.sqrt(np.log(2e6) / (2 * len(same)))
    assert all(all(case.first) and not case.discount_before.any() for case in drawn)
    assert all((case.rho_before == 1).all() for case in drawn)
    part = drawn[0].part(3, 7)
    assert np.array_equal(part.trajectory.reached, drawn[0].trajectory.reached[3:7]) and part.steps == 4


@pytest.mark.thorough
def test_the_document_and_the_command_say_so(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["conform", f"{HERE}:Replay", "--algorithm", "off_policy_td", "--schedules", "zero"]
    assert main([*words, "--sampling", "independent", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["sampling"] == "independent" and "--sampling independent" in found["reproduce"]
    assert tdcert.conform(f"{HERE}:Replay", algorithm="off_policy_td", schedules="zero").get("sampling") is None
    assert main(["conform", "x:y", "--estimator", "gae", "--sampling", "independent"]) == 2
    assert "--sampling" in capsys.readouterr().err
    with pytest.raises(InputError, match="there is no sampling 'iid'; give one of path, independent"):
        put_on_trial(f"{HERE}:Replay", "td", sampling="iid")


@pytest.mark.thorough
def test_code_elsewhere_answers_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows, answers = tmp_path / "rows.jsonl", tmp_path / "answers.jsonl"
    words = ["conform", "--algorithm", "off_policy_td", "--schedules", "zero", "--sampling", "independent"]
    assert main([*words, "--rows", str(rows)]) == 0
    assert "--sampling independent" in capsys.readouterr().out
    head, *asked = map(json.loads, rows.read_text().splitlines())
    assert head["sampling"] == "independent"
    for sign, code in ((1.0, 0), (-1.0, 1)):
        lines = [json.dumps({"format": "tdcert-answers/1", "id": head["id"]})]
        for question in asked:
            theta = np.array(question["reset"]["theta0"])
            path = [theta.tolist()]
            for t in question["transitions"]:
                phi, ahead = np.array(t["phi"]), np.array(t["phi_next"])
                delta = sign * t["reward"] + t["discount"] * ahead @ theta - phi @ theta
                theta = theta + t["alpha"] * t["rho"] * delta * phi
                path.append(theta.tolist())
            lines.append(json.dumps({"number": question["number"], "theta": path}))
        answers.write_text("\n".join(lines) + "\n")
        assert main([*words, "--answers", str(answers)]) == code, capsys.readouterr()


OF_DRAWS = """

class Drawn(Right):
    def step(self, t, {steps}):
        if t.first:
            self.memory = [0 * x for x in self.memory]
        super().step(t, {steps})


class WrongDrawn(Drawn):
    sign = -1
"""


@pytest.mark.thorough
@pytest.mark.parametrize("name", NAMES)
def test_every_algorithm_is_asked(name: str, tmp_path: Path) -> None:
    """A class made of the update itself with its memory emptied conforms; one with rewards of the wrong sign does not,
    but where θ moves by what is remembered alone, and stays where it is.
    """
    place = tmp_path / "on_trial.py"
    writer = program("write_abilities")
    text = writer.ON_TRIAL + OF_DRAWS
    place.write_text(text.format(words=name, steps=", ".join(one(name).steps)), encoding="utf-8")
    right = put_on_trial(f"{place}:Drawn", name, sampling="independent")
    assert right.conforms, right.failure
    if name in writer.WRONG_TOO:
        wrong = put_on_trial(f"{place}:WrongDrawn", name, sampling="independent")
        assert wrong.conforms is (name == "direct_gtd")
