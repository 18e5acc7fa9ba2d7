"""Benchmark results as data: written by the programs, and a run beyond a bound is a regression."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from benchmarks.results import FOLDER, FORMAT, LEAST, bound_of, recorded, regressions

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted(path.stem for path in FOLDER.glob("*.json"))


def test_every_program_that_can_record_has_its_results() -> None:
    able = {
        path.stem
        for path in (ROOT / "benchmarks").glob("*.py")
        if "results.add_options(parser)" in path.read_text(encoding="utf-8")
    }
    assert set(PROGRAMS) == able and len(able) == 6


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_is_kept_is_what_the_program_writes(program: str) -> None:
    document = json.loads((FOLDER / f"{program}.json").read_text(encoding="utf-8"))
    assert document["format"] == FORMAT
    assert re.fullmatch(rf"python -m benchmarks\.{program} --record ([3-9]|\d\d+)", document["program"])
    for row in document["measures"].values():
        assert 0 < row["least"] <= row["value"] <= row["largest"] < row["bound"]
        stated = row["largest"] * max(row["largest"] / row["least"], LEAST)
        assert row["bound"] == pytest.approx(stated, rel=0.02)  # four numbers of three digits each


def test_a_run_beyond_a_bound_is_a_regression_and_one_within_is_none() -> None:
    values = iter([1.0, 1.2, 1.1])
    document = {"measures": recorded(lambda: {"a": next(values)}, 3)}
    assert document["measures"]["a"] == {"value": 1.1, "bound": 1.5, "least": 1.0, "largest": 1.2}
    assert regressions(document, {"a": 1.5}) == []
    assert regressions(document, {"a": 1.51}) == ["a is 1.51, beyond 1.5 (recorded: 1.1)"]
    assert regressions(document, {"a": float("nan")}) and regressions(document, {"b": 1.0}) == [
        "a is not measured any more"
    ]
    assert bound_of([1.0, 2.0]) == 4.0
