"""Dask as the engine, its scheduler and worker in this process; dead ones are in ``test_kill.py``."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import cast

import pytest
from distributed import Client, KilledWorker, LocalCluster

import tdcert.sweeps.cluster
import tdcert.sweeps.task
from tdcert.sweeps.cluster import _results, cluster
from tdcert.sweeps.versions import versions
from tdcert.theory.errors import InputError
from tdcert.theory.workers import Work
from tests.sweeps.tiny import shards, swept, tiny_spec


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0", protocol="tcp", host="127.0.0.1"
    ) as running:
        yield running.scheduler_address


def test_the_same_files_as_without_it(tmp_path: Path, address: str) -> None:
    spec = tiny_spec(count=40, shard=2)
    one = swept(tmp_path / "here", spec)
    other = swept(tmp_path / "there", spec, partial(cluster, address=address))
    assert shards(tmp_path / "here") == shards(tmp_path / "there") and (one.result, one.done, one.complete) == (
        other.result,
        other.done,
        other.complete,
    )


BEGUN: list[int] = []


def note(number: int) -> bytes:
    """Work in this process that can be watched."""
    BEGUN.append(number)
    time.sleep(0.01)
    return b"%d" % number


@pytest.mark.thorough
def test_few_shards_are_in_flight_at_a_time(address: str) -> None:
    BEGUN.clear()
    got = 0
    for found in cluster(note, range(40), address):
        got += found is not None
        assert len(BEGUN) <= got + 4, "two for each of two threads"
    assert got == 40 and sorted(BEGUN) == list(range(40))


@pytest.mark.thorough
def test_a_fault_in_the_question_comes_back_as_it_is(tmp_path: Path, address: str) -> None:
    spec = tiny_spec(count=6, shard=1, faulty=4)
    with pytest.raises(ZeroDivisionError, match="index 4"):
        swept(tmp_path, spec, partial(cluster, address=address))


def test_a_budget_ends_it_at_once(tmp_path: Path, address: str) -> None:
    spec = tiny_spec(count=1000, shard=1, pause=0.02)
    start = time.monotonic()
    outcome = swept(tmp_path, spec, partial(cluster, address=address), budget=0.1)
    assert not outcome.complete and time.monotonic() - start < 10


def test_a_worker_of_another_version_is_refused(tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    here = versions()
    client: Mapping[str, str] = {**here, "numpy": "0.1", "source": "f" * 64}
    monkeypatch.setattr(tdcert.sweeps.task, "versions", lambda: client)
    with pytest.raises(InputError) as caught:
        swept(tmp_path, tiny_spec(), partial(cluster, address=address))
    theirs, ours = f"has source {here['source'][:16]}, numpy {here['numpy']}", f"has source {'f' * 16}, numpy 0.1"
    assert f"{theirs}, and the client {ours}; install the same on both" in str(caught.value)
    assert shards(tmp_path) == {}


@pytest.mark.parametrize("nowhere", ["tcp://127.0.0.1:1", "no address", "http://127.0.0.1:1"])
def test_no_scheduler_there(nowhere: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tdcert.sweeps.cluster, "CONNECT_SECONDS", 0.2)
    with pytest.raises(InputError, match=f"no Dask scheduler answers at '{nowhere}'"):
        swept(tmp_path, tiny_spec(), partial(cluster, address=nowhere))


class Sent:
    """A future of a scripted scheduler."""

    def __init__(self, content: bytes) -> None:
        self.status, self.content, self.told = "pending", content, list[Callable[[Sent], None]]()

    def add_done_callback(self, tell: Callable[[Sent], None]) -> None:
        self.told.append(tell)
        if self.status != "pending":
            tell(self)

    def end(self, status: str) -> None:
        self.status = status
        for tell in self.told:
            tell(self)

    def exception(self) -> KilledWorker:
        return KilledWorker("task", None, 3)  # type: ignore[arg-type]  # no worker is there


class Scheduler:
    """Shard 3 kills its workers; what waits beside it is held to have killed them too, as Dask holds it."""

    status = "running"

    def __init__(self) -> None:
        self.beside: list[Sent] | None = []

    def nthreads(self) -> Mapping[str, int]:
        return {"worker": 2}

    def submit(self, work: Work, number: int, pure: bool) -> Sent:
        sent = Sent(work(number))
        if number == 3:
            for other in [*(self.beside or ()), sent]:
                other.end("error")
            self.beside = None
        elif self.beside is None:
            sent.end("finished")
        else:
            self.beside.append(sent)
        return sent

    def gather(self, batch: list[Sent], asynchronous: bool) -> list[bytes]:
        return [sent.content for sent in batch]

    def sync(self, gather: Callable[[], list[bytes]], callback_timeout: float) -> list[bytes]:
        return gather()


def test_who_waited_beside_a_deadly_shard_is_not_blamed() -> None:
    found = []
    with pytest.raises(InputError, match="every worker that was given shard 3 alone died"):
        for result in _results(cast(Client, Scheduler()), lambda n: b"%d" % n, deque(range(4)), "tcp://nowhere"):
            found += [result] if result else []
    assert found == [(n, b"%d" % n) for n in range(3)]
