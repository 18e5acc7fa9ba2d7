"""``tdcert diff``: every changed verdict is named, and nothing else."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

import tdcert
from tdcert.reports.changes import changes, changes_of_analyses
from tdcert.reports.stored import read_analysis, read_verification
from tdcert.reports.verdicts_json import verdicts_document
from tdcert.theory.errors import InputError
from tests.reports import sample
from tests.reports.sample import claim


def test_counts_words_and_times_are_no_change() -> None:
    old, new = sample.verdicts(), sample.verdicts()
    claim(new, "prop_4_1")["stated"]["scopes"][0]["count"] = 99
    claim(new, "prop_4_1")["title"] = "other words"
    new["environment"]["seconds"] = 1
    assert changes(sample.run(old), sample.run(new)) == []


def test_each_kind_of_change_gives_one_line() -> None:
    old, new = sample.verdicts(), sample.verdicts()
    claim(new, "weight_matrix_rows")["stated"]["status"] = "refuted"
    claim(new, "thm_4_4_g_negative_definite")["corrected"]["scopes"][0]["grade"] = "enclosed"
    claim(new, "prop_4_1")["hypotheses"][1]["needed"] = True
    claim(new, "n_step_special_case")["corrected"] = None
    new["claims"] = [c for c in new["claims"] if c["id"] != "td_lambda_weights"]
    new["claims"].append(sample.open_claim("brand_new", "", "", ""))
    assert changes(sample.run(old), sample.run(new)) == [
        "td_lambda_weights: no longer listed",
        "weight_matrix_rows: stated holds → refuted",
        "n_step_special_case: corrected holds → nothing, grades of corrected proved → nothing",
        "prop_4_1: hypothesis aperiodic not needed → needed",
        "thm_4_4_g_negative_definite: grades of corrected certified → enclosed",
        "brand_new: new (open)",
    ]


@pytest.mark.thorough
def test_where_parameters_rest_is_told_of_every_algorithm(tmp_path: Path) -> None:
    """Twice the rewards: twice the point of rest, and the verdicts as before; without a point on one side nothing."""
    stored = []
    for reward in (1, 2):
        model = {
            "format": "tdcert-model/1",
            "transitions": [[0, 1], [1, 0]],
            "rewards": [reward, 0],
            "discount": "1/2",
            "features": [[1], [2]],
        }
        (tmp_path / "model.json").write_text(json.dumps(model))
        found = tdcert.compare(tmp_path / "model.json", "gtd,tdrc").to_dict()
        (tmp_path / "analysis.json").write_text(json.dumps(found))
        said = read_analysis(tmp_path / "analysis.json")
        assert said is not None
        stored.append(said)
    lines = changes_of_analyses(*stored)
    assert {line.split(": ")[0] for line in lines} >= {"gtd, class 0, at rest", "tdrc, class 0, at rest"}
    for line in lines:
        was, now = line.rpartition(": ")[2].split(" → ")
        assert [2 * Fraction(x) for x in was.split(", ")] == [Fraction(x) for x in now.split(", ")]
    without = {key: value for key, value in stored[1].items() if "at rest" not in key and key != "theta_star"}
    assert changes_of_analyses(stored[0], without) == []


def test_reports_are_read_from_files_and_folders(tmp_path: Path) -> None:
    """And what is read back is written again as it was, but for the pictures, which have files of their own."""
    document = verdicts_document(sample.run(figures=()))
    (tmp_path / "verdicts.json").write_text(json.dumps(document))
    for place in (tmp_path, tmp_path / "verdicts.json"):
        assert verdicts_document(read_verification(place)) == document


@pytest.mark.parametrize("content", [b"", b"\xff", b"[" * 100_000, b"{}", b'{"format": "tdcert-verdicts/1"}', None])
def test_anything_else_is_refused_in_one_sentence(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "verdicts.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=r"give (a|the) .*verdicts\.json") as caught:
        read_verification(path)
    assert "\n" not in str(caught.value)


def test_a_report_of_version_0_1_0_is_read_and_what_nobody_can_replay_counts_for_nothing(tmp_path: Path) -> None:
    document = verdicts_document(sample.run(figures=()))
    row = claim(document, "prop_4_1")
    [simulated] = row["simulations"] = [
        {"what": "means", "agrees": False, "contradicts": True, "false_alarm": 1e-8, "summary": "apart"}
    ]
    asked = row["hypotheses"][0]
    (tmp_path / "new.json").write_text(json.dumps(document))
    del simulated["contradicts"]
    bare = {**asked["scopes"][0], "detail": "no file supports it", "certificates": []}
    asked["scopes"].insert(0, bare)
    (tmp_path / "old.json").write_text(json.dumps(document))
    old, new = (verdicts_document(read_verification(tmp_path / name)) for name in ("old.json", "new.json"))
    assert old == new and bare["grade"] == "certified"
