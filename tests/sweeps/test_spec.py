"""The spec: what is read, what its digest depends on, one sentence for whatever is wrong with it."""

from pathlib import Path

import pytest

from tdcert.sweeps.spec import Spec, read_spec, spec_of
from tdcert.theory.errors import InputError

GOOD = """
format = "tdcert-sweep/1"
name = "margins"
kind = "survey"
seed = 1
count = 25
shard = 10

[family]
kind = "garnet"
discount = 0.9
states = [4, 6]

[[quantity]]
name = "kappa"
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "spec.toml"
    path.write_text(text)
    return path


def test_what_a_file_says(tmp_path: Path) -> None:
    spec = read_spec(written(tmp_path, GOOD))
    assert (spec.name, spec.kind, spec.seed, spec.count, spec.shard) == ("margins", "survey", 1, 25, 10)
    assert spec.question == {
        "family": {"kind": "garnet", "discount": "0.9", "states": [4, 6]},
        "quantity": [{"name": "kappa"}],
    }
    assert spec_of(spec.document()) == spec


def test_shards_cover_every_index_once() -> None:
    spec = Spec("a", "survey", 0, 25, 10, {})
    assert spec.shards == 3
    assert [spec.indices(number) for number in range(3)] == [(0, 10), (10, 10), (20, 5)]
    assert Spec("a", "survey", 0, 20, 10, {}).shards == 2
    for outside in (-1, 3):
        with pytest.raises(ValueError, match="no shard"):
            spec.indices(outside)


def test_the_digest_depends_on_what_decides_an_index_and_on_nothing_else(tmp_path: Path) -> None:
    digest = read_spec(written(tmp_path, GOOD)).digest
    same = [('name = "margins"', 'name = "other"'), ("count = 25", "count = 2_500"), ("shard = 10", "shard = 7")]
    other = [("seed = 1", "seed = 2"), ('"survey"', '"refute"'), ("0.9", "0.91"), ('"kappa"', '"margin"')]
    for old, new in same:
        assert read_spec(written(tmp_path, GOOD.replace(old, new, 1))).digest == digest, new
    for old, new in other:
        assert read_spec(written(tmp_path, GOOD.replace(old, new, 1))).digest != digest, new


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("sweep/1", "sweep/2", "format is 'tdcert-sweep/2'"),
        ("seed = 1", "", "no 'seed'"),
        ("seed = 1", "seed = -1", "seed is -1; give an integer of at least 0"),
        ("seed = 1", f"seed = {2**64}", "seed is"),
        ("count = 25", "count = 0", "count is 0; give an integer of at least 1"),
        ("count = 25", "count = true", "count is True"),
        ("count = 25", "count = 2.5", "count is '2.5'"),
        ("count = 25", "count = 10_000_001", "give a shard of at least 11"),
        ("shard = 10", "shard = 0", "shard is 0"),
        ('"survey"', '"census"', "kind is 'census'; give one of refute, survey, experiment"),
        ('"margins"', '"../margins"', "name is '../margins'"),
        ("seed = 1", "seed = 1\nbudget = 3", "unknown key 'budget'"),
        ("seed = 1", "seed = 1\nlist = [1, 2]", "unknown key 'list'"),
        ("states = [4, 6]", "states = [1979-05-27]", "'family.states' is 1979-05-27"),
        ("[family]", "[family", "cannot be read"),
    ],
)
def test_one_sentence_for_whatever_is_wrong(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    path = written(tmp_path, GOOD.replace(old, new, 1))
    with pytest.raises(InputError) as caught:
        read_spec(path)
    assert sentence in str(caught.value) and str(path) in str(caught.value)
    assert "\n" not in str(caught.value).strip()


@pytest.mark.parametrize("path", ["no/such.toml", ".", "a\0b"])
def test_a_file_that_cannot_be_read(path: str) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_spec(path)
