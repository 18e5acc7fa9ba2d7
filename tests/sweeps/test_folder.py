"""The folder: damage, other specs, other versions, two clients, a full disk, no permission. One sentence each."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import tdcert.sweeps.folder
from tdcert.sweeps.folder import SweepFolder
from tdcert.sweeps.question import schema_of
from tdcert.sweeps.shards import shard_name
from tdcert.sweeps.spec import Spec
from tdcert.theory.errors import InputError
from tests.quality.edits import ROOT
from tests.sweeps.tiny import question_of, shards, swept, tiny_spec


def refusal(place: Path, spec: Spec) -> str:
    """The sentence with which a sweep is refused."""
    with pytest.raises(InputError) as caught:
        swept(place, spec)
    sentence = str(caught.value)
    assert "\n" not in sentence and str(place) in sentence
    return sentence


def truncated(content: bytes) -> bytes:
    return content[: len(content) // 2]


def corrupted(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


def test_what_changed_is_named_down_to_its_key(tmp_path: Path) -> None:
    families = [{"kind": "garnet", "width": 1}, {"kind": "ring", "width": 2}]

    def asked(width: int) -> Spec:
        return Spec("a", "survey", 0, 3, 1, {"family": [families[0], families[1] | {"width": width}]})

    with SweepFolder(tmp_path, asked(2)):
        pass
    with (
        pytest.raises(InputError, match=r"another 'family number 2\.width' \(2, and now it is 3\)"),
        SweepFolder(tmp_path, asked(3)),
    ):
        pass


@pytest.mark.parametrize("damage", [truncated, corrupted, lambda content: b""])
def test_a_damaged_shard_is_named_and_computed_again(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    spec = tiny_spec()
    swept(tmp_path, spec)
    whole = shards(tmp_path)
    victim = tmp_path / "shards" / sorted(whole)[1]
    victim.write_bytes(damage(victim.read_bytes()))
    with SweepFolder(tmp_path, spec) as folder:
        assert folder.missing == [1]
        assert folder.damaged == [
            f"the shard '{victim}' is damaged (its content has not the hash that its name says) and is computed again"
        ]
    swept(tmp_path, spec)
    assert shards(tmp_path) == whole


def test_a_file_with_the_right_hash_that_is_no_shard_is_computed_again(tmp_path: Path) -> None:
    spec = tiny_spec()
    swept(tmp_path, spec)
    whole = shards(tmp_path)
    (tmp_path / "shards" / sorted(whole)[1]).unlink()
    (tmp_path / "shards" / shard_name(1, b"no Parquet")).write_bytes(b"no Parquet")
    swept(tmp_path, spec)
    assert shards(tmp_path) == whole


def test_a_shard_that_is_damaged_while_the_sweep_runs_is_never_merged(tmp_path: Path) -> None:
    spec = tiny_spec()
    with SweepFolder(tmp_path, spec) as folder:
        swept(tmp_path / "other", spec)
        for name, content in shards(tmp_path / "other").items():
            folder.add(int(name[:6]), content)
            (tmp_path / "shards" / name).write_bytes(corrupted(content))
        with pytest.raises(InputError, match=r"shard .*000000-.* changed while the sweep ran"):
            folder.table(schema_of(question_of(spec)))


def test_a_half_written_file_is_swept_away(tmp_path: Path) -> None:
    spec = tiny_spec()
    swept(tmp_path, spec, budget=1e-9)
    half = tmp_path / "shards" / "000001-0123456789abcdef.parquet.half"
    half.write_bytes(b"half")
    assert swept(tmp_path, spec).complete and not half.exists()


@pytest.mark.parametrize(
    ("now", "said"),
    [
        ({"seed": 6}, "another 'seed' (5, and now it is 6)"),
        ({"count": 11}, "another 'count' (10, and now it is 11)"),
        ({"shard": 4}, "another 'shard' (3, and now it is 4)"),
        ({"pause": "0.5"}, "another 'tiny.pause' (not given, and now it is \"0.5\")"),
    ],
)
def test_a_spec_that_changed_is_refused(tmp_path: Path, now: dict[str, object], said: str) -> None:
    swept(tmp_path, tiny_spec(), budget=1e-9)
    before = shards(tmp_path)
    assert said in refusal(tmp_path, tiny_spec(**now))  # type: ignore[arg-type]
    assert shards(tmp_path) == before and len(before) == 1


def test_a_new_name_is_no_change(tmp_path: Path) -> None:
    spec = tiny_spec()
    swept(tmp_path, spec, budget=1e-9)
    swept(tmp_path, Spec("renamed", spec.kind, spec.seed, spec.count, spec.shard, spec.question))
    assert json.loads((tmp_path / "manifest.json").read_text())["spec"]["name"] == "renamed"


def test_other_versions_do_not_go_on_with_a_half_done_sweep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec, real = tiny_spec(), dict(vars(tdcert.sweeps.folder)["versions"]())
    swept(tmp_path, spec, budget=1e-9)
    monkeypatch.setattr(tdcert.sweeps.folder, "versions", lambda: {**real, "numpy": "0.1"})
    assert f"begun with numpy {real['numpy']}, and this is numpy 0.1" in refusal(tmp_path, spec)
    monkeypatch.undo()
    swept(tmp_path, spec)
    monkeypatch.setattr(tdcert.sweeps.folder, "versions", lambda: {**real, "numpy": "0.1"})
    assert swept(tmp_path, spec).versions == real  # nothing is left to compute


def test_other_versions_begin_anew_where_nothing_was_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec, real = tiny_spec(), dict(vars(tdcert.sweeps.folder)["versions"]())
    monkeypatch.setattr(tdcert.sweeps.folder, "versions", lambda: {**real, "numpy": "0.1"})
    with SweepFolder(tmp_path, spec):
        pass
    monkeypatch.undo()
    assert swept(tmp_path, spec).versions == real


def test_two_clients_on_one_folder(tmp_path: Path) -> None:
    spec = tiny_spec()
    with SweepFolder(tmp_path, spec):
        assert f"another sweep is writing to '{tmp_path}' (process {os.getpid()} on " in refusal(tmp_path, spec)
    assert swept(tmp_path, spec).complete


def test_a_folder_of_somebody_else(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    assert "holds 'thesis.tex' and no sweep" in refusal(tmp_path, tiny_spec())
    file = tmp_path / "file"
    file.touch()
    assert "is not a folder" in refusal(file, tiny_spec())
    assert sorted(os.listdir(tmp_path)) == ["file", "thesis.tex"]


@pytest.mark.parametrize("content", ["{", "[]", "{}", '{"format": "tdcert-sweep-manifest/2"}'])
def test_a_manifest_that_cannot_be_read(tmp_path: Path, content: str) -> None:
    swept(tmp_path, tiny_spec())
    before = shards(tmp_path)
    (tmp_path / "manifest.json").write_text(content)
    assert "manifest.json' cannot be read" in refusal(tmp_path, tiny_spec())
    assert shards(tmp_path) == before


def test_a_shard_of_another_sweep_is_left_alone(tmp_path: Path) -> None:
    swept(tmp_path / "other", tiny_spec(seed=6))
    other = shards(tmp_path / "other")
    (tmp_path / "mine" / "shards").mkdir(parents=True)
    name = min(other)
    (tmp_path / "mine" / "shards" / name).write_bytes(other[name])
    assert f"{name}' belongs to another sweep" in refusal(tmp_path / "mine", tiny_spec())
    assert shards(tmp_path / "mine") == {name: other[name]}


def test_a_task_that_is_not_pure_is_noticed(tmp_path: Path) -> None:
    spec = tiny_spec()
    swept(tmp_path, spec)
    name = min(shards(tmp_path))
    with SweepFolder(tmp_path, spec) as folder, pytest.raises(InputError, match="two different files of shard 0"):
        folder.add(0, (tmp_path / "shards" / name).read_bytes() + b" ")


def test_a_full_disk_keeps_what_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec, synced, real = tiny_spec(), [], os.fsync

    def fsync(handle: int) -> None:
        synced.append(handle)
        if len(synced) > 6:  # the manifest and its folder, two shards and theirs; then the disk is full
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    sentence = refusal(tmp_path, spec)
    assert "cannot be written (No space left on device); its 2 finished shards are kept" in sentence
    monkeypatch.undo()
    assert len(shards(tmp_path)) == 2 and len(os.listdir(tmp_path / "shards")) == 2
    assert swept(tmp_path, spec).complete


@pytest.mark.thorough
def test_a_file_system_that_takes_no_more_bytes(tmp_path: Path) -> None:
    """A real refusal by the kernel: files of this process may not grow beyond 1,000 bytes."""
    code = f"""
import resource, signal
from pathlib import Path
from tdcert.sweeps.folder import SweepFolder
from tests.sweeps.tiny import swept, tiny_spec
from tdcert.theory.errors import InputError

place, spec = Path({str(tmp_path)!r}), tiny_spec()
with SweepFolder(place, spec):
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    swept(place, spec)
except InputError as error:
    print(error)
"""
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert ran.stdout.startswith(f"the folder '{tmp_path}' cannot be written (File too large)"), ran
    assert os.listdir(tmp_path / "shards") == []


@pytest.mark.parametrize("place", ["/proc/sweep", "/sys/sweep"])
def test_a_place_where_nothing_can_be_made(place: str) -> None:
    assert f"the folder '{place}' cannot be written (" in refusal(Path(place), tiny_spec())


def test_a_folder_that_became_read_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel's answer is planted: an administrator, as tests may run, can write to any folder."""
    spec, real = tiny_spec(), os.open
    swept(tmp_path, spec, budget=1e-9)

    def refuse(path: str, flags: int, *more: int) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR) and str(path).startswith(str(tmp_path)):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return real(path, flags, *more)

    monkeypatch.setattr(os, "open", refuse)
    assert "cannot be written (Read-only file system)" in refusal(tmp_path, spec)
    monkeypatch.undo()
    assert len(shards(tmp_path)) == 1 and swept(tmp_path, spec).complete


def test_an_answer_replaces_the_earlier_one(tmp_path: Path) -> None:
    with SweepFolder(tmp_path, tiny_spec()) as folder:
        folder.answer({"finds/1.json": b"1", "finds/2.json": b"2", "result.json": b"{}"})
        folder.answer({"finds/2.json": b"3", "result.json": b"{}"})
        assert os.listdir(tmp_path / "finds") == ["2.json"]
        assert (tmp_path / "finds" / "2.json").read_bytes() == b"3"
        for outside in ("/tmp/x", "../x"):
            with pytest.raises(ValueError, match="leaves its folder"):
                folder.answer({outside: b""})
