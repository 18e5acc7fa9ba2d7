"""Local engines: the same table whoever computes it, in whatever order; deaths of workers; a budget; Ctrl-C."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import tdcert.sweeps.folder
import tdcert.theory.workers
from tdcert.sims.streams import generator
from tdcert.sweeps.folder import SweepFolder
from tdcert.sweeps.question import schema_of
from tdcert.sweeps.run import run
from tdcert.sweeps.spec import Spec
from tdcert.theory.errors import InputError
from tdcert.theory.workers import Finished, Work, inline, processes
from tests.quality.edits import ROOT
from tests.sweeps.tiny import ASK, question_of, shards, spec_text, swept, tiny_spec


def backwards(work: Work, numbers: Sequence[int]) -> Finished:
    """The last shard first."""
    return inline(work, numbers[::-1])


def only(most: int, work: Work, numbers: Sequence[int]) -> Finished:
    """So many shards, in random order, and then nothing more: a run that is killed."""
    yield from inline(work, random.Random(0).sample(list(numbers), most))


def stopped(most: int, work: Work, numbers: Sequence[int]) -> Finished:
    """So many shards, and then Ctrl-C."""
    yield from inline(work, numbers[:most])
    raise KeyboardInterrupt


def merged(place: Path, spec: Spec) -> list[dict[str, object]]:
    with SweepFolder(place, spec) as folder:
        return folder.table(schema_of(question_of(spec))).to_pylist()  # type: ignore[no-any-return]


def test_the_table_is_what_the_question_says_of_every_index_in_order(tmp_path: Path) -> None:
    spec = tiny_spec(count=10, shard=3)
    outcome = swept(tmp_path, spec)
    expected = [
        {"index": i, "draw": float(draw), "even": i % 2 == 0, "word": f"index {i}"}
        for i in range(10)
        for draw in generator(5, f"{spec.digest}/{i}").standard_normal(2 if i % 3 == 0 else 1)
    ]
    assert merged(tmp_path, spec) == expected
    assert outcome.complete and not outcome.interrupted
    assert (outcome.spec.count, outcome.done) == (10, 10)
    assert (tmp_path / "finds" / "last.txt").read_text() == str(expected[-1]["draw"])


def test_neither_the_cut_nor_the_order_nor_a_restart_changes_it(tmp_path: Path) -> None:
    spec = tiny_spec(count=12, shard=3)
    places = {name: tmp_path / name for name in ("plain", "backwards", "killed", "whole")}
    first = swept(places["plain"], spec)
    again = swept(places["backwards"], spec, backwards)
    part = swept(places["killed"], spec, partial(only, 2))
    assert (part.complete, part.done) == (False, 6)
    rest = swept(places["killed"], spec)
    assert first.result == again.result == rest.result
    assert shards(places["plain"]) == shards(places["backwards"]) == shards(places["killed"])
    manifests = [(places[name] / "manifest.json").read_bytes() for name in ("plain", "backwards", "killed")]
    assert manifests[0] == manifests[1] == manifests[2]
    one = tiny_spec(count=12, shard=100)
    swept(places["whole"], one)
    assert merged(places["whole"], one) == merged(places["plain"], spec)


def test_what_is_done_is_not_done_again(tmp_path: Path) -> None:
    asked: list[int] = []

    def watched(work: Work, numbers: Sequence[int]) -> Finished:
        asked.extend(numbers)
        return inline(work, numbers)

    spec = tiny_spec(count=20, shard=3)
    swept(tmp_path, spec, partial(only, 4))
    before = shards(tmp_path)
    swept(tmp_path, spec, watched)
    assert len(before) == 4 and sorted([*asked, *(int(name[:6]) for name in before)]) == list(range(7))
    asked.clear()
    swept(tmp_path, spec, watched)
    assert asked == []


@pytest.mark.thorough
def test_two_processes_replace_a_worker_that_dies_and_write_the_same(tmp_path: Path) -> None:
    poison = tmp_path / "poison"
    poison.touch()
    spec = tiny_spec(count=12, shard=1, deadly=5, poison=str(poison))
    swept(tmp_path / "two", spec, partial(processes, workers=2))
    assert not poison.exists()
    swept(tmp_path / "one", spec)
    assert shards(tmp_path / "one") == shards(tmp_path / "two")


class Scripted:
    """A pool without processes: with several workers it finishes nothing, and it breaks at a ``deadly`` shard."""

    deadly: tuple[int, ...] = ()
    starts = True

    def __init__(self, workers: int, *_: object) -> None:
        self.workers, self.flying = workers, list[Future[bytes]]()

    def __enter__(self) -> Scripted:
        return self

    def __exit__(self, *_: object) -> None: ...

    def submit(self, work: Work, *numbers: int) -> Future[bytes]:
        future: Future[bytes] = Future()
        self.flying.append(future)
        if not self.starts or set(numbers) & set(self.deadly):
            for broken in self.flying:
                if not broken.done():
                    broken.set_exception(BrokenProcessPool())
        elif self.workers == 1:
            future.set_result(work(*numbers))
        return future

    def shutdown(self, cancel_futures: bool) -> None: ...


def named(number: int) -> bytes:
    return b"%d" % number


@pytest.mark.parametrize("deadly", [(3,), (0, 2)])
def test_who_was_in_flight_beside_a_deadly_shard_is_not_blamed(
    deadly: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shards 0, 1, 2 and 3 are in flight as 3 kills its worker: only trying them one by one tells which it was."""
    monkeypatch.setattr(tdcert.theory.workers, "ProcessPoolExecutor", Scripted)
    monkeypatch.setattr(Scripted, "deadly", deadly)
    found = []
    with pytest.raises(InputError, match=f"the last time at shard {', '.join(map(str, deadly))}, as"):
        for result in processes(named, range(4), workers=2):
            found += [result] if result else []
    assert sorted(found) == [(n, named(n)) for n in range(4) if n not in deadly]


def test_workers_that_die_of_no_shard_blame_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tdcert.theory.workers, "ProcessPoolExecutor", Scripted)
    monkeypatch.setattr(Scripted, "starts", False)
    with pytest.raises(InputError, match="died before it was given a shard; give --workers 1"):
        list(processes(named, range(4), workers=2))


def test_three_deadly_shards_end_a_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tdcert.theory.workers, "ProcessPoolExecutor", Scripted)
    monkeypatch.setattr(Scripted, "deadly", tuple(range(100)))
    with pytest.raises(InputError, match="at shard 0, 1, 2, as"):
        list(processes(named, range(100), workers=2))


@pytest.mark.thorough
def test_a_shard_that_always_kills_its_worker_ends_the_sweep_with_a_sentence(tmp_path: Path) -> None:
    poison = tmp_path / "always"
    poison.touch()
    spec = tiny_spec(count=6, shard=1, deadly=3, poison=str(poison))
    with pytest.raises(InputError, match="died 3 times in a row, the last time at shard 3"):
        swept(tmp_path / "sweep", spec, partial(processes, workers=2))
    assert len(shards(tmp_path / "sweep")) == 5
    poison.unlink()
    assert swept(tmp_path / "sweep", spec).complete


def test_a_fault_in_the_question_is_not_hidden_and_loses_nothing(tmp_path: Path) -> None:
    spec = tiny_spec(count=6, shard=1, faulty=4)
    with pytest.raises(ZeroDivisionError, match="index 4"):
        swept(tmp_path, spec)
    assert len(shards(tmp_path)) == 4


def test_a_budget_ends_a_sweep_with_an_answer_of_what_is_done(tmp_path: Path) -> None:
    spec = tiny_spec(count=200, shard=1, pause=0.01)
    outcome = swept(tmp_path, spec, budget=0.05)
    done = outcome.done
    assert 1 <= done < 20 and not outcome.complete and not outcome.interrupted
    assert len(shards(tmp_path)) == done
    rows = done + sum(1 for index in range(done) if index % 3 == 0)
    assert outcome.result.summary[0].startswith(f"{rows} rows")


def test_nothing_done_is_an_answer_too(tmp_path: Path) -> None:
    outcome = swept(tmp_path, tiny_spec(), partial(stopped, 0))
    assert outcome.interrupted and outcome.done == 0
    assert outcome.result.summary == ("0 rows; the sum of the draws is 0.000000.",)


def test_ctrl_c_ends_a_sweep_with_an_answer_of_what_is_done(tmp_path: Path) -> None:
    outcome = swept(tmp_path, tiny_spec(), partial(stopped, 2))
    assert outcome.interrupted and not outcome.complete
    assert outcome.done == 6


def test_ctrl_c_while_a_file_is_being_written_loses_no_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced, real = [], tdcert.sweeps.folder._sync

    def sync(folder: Path) -> None:
        synced.append(folder)
        if len(synced) == 3:  # the manifest; the first shard; the second is renamed, but its folder not yet on the disk
            raise KeyboardInterrupt
        real(folder)

    monkeypatch.setattr(tdcert.sweeps.folder, "_sync", sync)
    outcome = swept(tmp_path, tiny_spec())
    assert outcome.interrupted and outcome.done == 6
    assert len(shards(tmp_path)) == 2


def test_progress_counts_indices_and_only_the_time_of_this_run(tmp_path: Path) -> None:
    spec = tiny_spec(count=10, shard=3, pause=0.001)
    swept(tmp_path, spec, partial(only, 2))
    seen: list[Any] = []
    with SweepFolder(tmp_path, spec) as folder:
        before = sum(spec.indices(number)[1] for number in folder.done)
        run(folder, inline, on_progress=seen.append, ask=ASK)
    assert [p.shards for p in seen] == [3, 4] and seen[-1].indices == 10 == seen[-1].all_indices
    assert seen[-1].left == 0 and 0 < seen[-1].rate <= (10 - before) / (0.001 * (10 - before))


def program(place: Path, *options: str, **told: object) -> subprocess.Popen[str]:
    """A sweep in a process of its own, in a group of its own."""
    spec = place.with_name(f"{place.name}.toml")
    spec.write_text(spec_text(**told))  # type: ignore[arg-type]
    return subprocess.Popen(
        [sys.executable, "-m", "tests.sweeps.tiny", str(spec), str(place), *options],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_for_shards(place: Path, least: int) -> None:
    until = time.monotonic() + 60
    while len(shards(place)) < least:
        assert time.monotonic() < until
        time.sleep(0.01)


def alive(group: int) -> Iterable[str]:
    """The processes of a group that run, zombies left out."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state, _, pgrp = (entry / "stat").read_text().rpartition(")")[2].split()[:3]
            except OSError:
                continue
            if int(pgrp) == group and state != "Z":
                yield entry.name


@pytest.mark.thorough
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are counted in /proc, as Linux has it")
def test_a_killed_sweep_leaves_no_process_behind_and_goes_on_from_what_is_done(tmp_path: Path) -> None:
    place, told = tmp_path / "sweep", {"count": 60, "shard": 1, "pause": 0.05}
    child = program(place, "--workers", "2", **told)
    wait_for_shards(place, 3)
    os.kill(child.pid, signal.SIGKILL)
    child.communicate()
    until = time.monotonic() + 20
    while list(alive(child.pid)):
        assert time.monotonic() < until, "workers outlive the sweep"
        time.sleep(0.02)
    done = shards(place)
    assert 3 <= len(done) < 60
    spec = tiny_spec(**told)  # type: ignore[arg-type]
    with SweepFolder(place, spec) as folder:
        assert sorted(folder.done.values()) == sorted(done) and folder.damaged == []


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.thorough)])
@pytest.mark.thorough
def test_a_signal_to_all_of_its_processes_ends_it_cleanly(tmp_path: Path, number: int) -> None:
    """As a terminal sends Ctrl-C. The small program here has Python's own answer to SIGTERM: death."""
    place = tmp_path / "sweep"
    child = program(place, "--workers", "2", count=60, shard=1, pause=0.05)
    wait_for_shards(place, 2)
    os.killpg(child.pid, number)
    _, said = child.communicate(timeout=60)
    if number == signal.SIGINT:
        assert (child.returncode, said) == (130, "")
        assert (place / "finds" / "last.txt").exists()
    assert len(shards(place)) >= 2


@pytest.mark.thorough
def test_workers_never_see_ctrl_c_even_as_they_start() -> None:
    found = list(filter(None, processes(_blocked, [0], workers=1)))
    assert found == [(0, b"True")]
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def _blocked(number: int) -> bytes:
    return str(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())).encode()
