"""The task: versions are compared before anything is computed, and the same shard has the same bytes anywhere."""

from __future__ import annotations

import pickle
import shutil
from io import BytesIO
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import tdcert.sweeps.versions
from tdcert.sweeps.question import table_of
from tdcert.sweeps.task import SweepTask, task_of
from tdcert.sweeps.versions import difference, versions
from tdcert.theory.errors import InputError
from tests.quality.edits import ROOT
from tests.sweeps.tiny import ASK, Tiny, question_of, tiny_spec


def test_a_task_gives_the_rows_of_its_shard_wherever_it_is_sent() -> None:
    spec = tiny_spec()
    task = task_of(spec, ASK)
    content = task(2)
    assert pickle.loads(pickle.dumps(task))(2) == content
    table = pq.read_table(BytesIO(content))
    assert table.equals(table_of(question_of(spec), 6, 3))
    assert set(table["index"].to_pylist()) == {6, 7, 8}


@pytest.mark.parametrize("name", ["tdcert", "source", "Python", "numpy", "python-flint", "pyarrow"])
def test_a_task_of_other_versions_is_refused_before_anything_is_computed(name: str) -> None:
    task = SweepTask("no spec", "no:question", {**versions(), name: "other"})
    with pytest.raises(InputError) as caught:
        task(0)
    assert f"has {name} {versions()[name][:16]}, and the client has {name} other; install" in str(caught.value)


def test_versions_that_only_one_side_knows() -> None:
    assert difference({"a": "1", "b": "2"}, {"a": "1"}) == "b 2"
    assert difference({"a": "1"}, {"a": "1", "b": "2"}) == "nothing else"


@pytest.mark.parametrize("room", ["theory", "sims", "claims", "sweeps"])
def test_an_edit_anywhere_in_what_computes_changes_the_source(
    room: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sweeps").mkdir()
    shutil.copy(ROOT / "sweeps" / "versions.py", tmp_path / "sweeps")
    (tmp_path / room / "deep").mkdir(parents=True)
    file = tmp_path / room / "deep" / "code.py"
    monkeypatch.setattr(tdcert.sweeps.versions, "__file__", str(tmp_path / "sweeps" / "versions.py"))
    file.write_text("x = 1\n")
    before = tdcert.sweeps.versions._source()
    assert tdcert.sweeps.versions._source() == before
    file.write_text("x = 2\n")
    changed = tdcert.sweeps.versions._source()
    file.rename(file.with_name("other.py"))
    assert len({before, changed, tdcert.sweeps.versions._source()}) == 3


def test_rows_that_are_not_as_promised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Tiny, "rows", lambda *_: {"index": [1]})
    with pytest.raises(TypeError, match="promised the columns"):
        table_of(question_of(tiny_spec()), 0, 1)
