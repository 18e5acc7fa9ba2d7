"""Killed for real: a scheduler and three workers as processes; SIGKILL of a worker, the client, the scheduler."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.quality.edits import ROOT
from tests.sweeps.cluster_of_processes import ProcessCluster
from tests.sweeps.tiny import LOG, shards, spec_text, swept, tiny_spec

pytestmark = pytest.mark.thorough

SEED = 20260722
KILLS = 5
WORKERS = 3
TOLD = {"count": 90, "shard": 1, "pause": 0.06}
LONGEST = 90 * 0.06 / WORKERS
IN_FLIGHT = 2 * WORKERS


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    place = tmp_path_factory.mktemp("undisturbed")
    swept(place, tiny_spec(**TOLD))  # type: ignore[arg-type]
    return everything(place)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ProcessCluster]:
    scratch = tmp_path_factory.mktemp("cluster")
    environment: Any = {LOG: str(scratch / "log")}
    with ProcessCluster(WORKERS, scratch, **environment) as running:
        yield running


def everything(place: Path) -> dict[str, bytes]:
    files = [path for path in place.rglob("*.*") if path.is_file() and path.name != ".lock"]
    return {path.relative_to(place).as_posix(): path.read_bytes() for path in files}


def client(place: Path, cluster: ProcessCluster) -> subprocess.Popen[str]:
    spec = place.with_name("spec.toml")
    spec.write_text(spec_text(**TOLD))  # type: ignore[arg-type]
    command = [sys.executable, "-m", "tests.sweeps.tiny", str(spec), str(place), "--scheduler", cluster.address]
    return subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("number", range(KILLS))
def test_whatever_is_killed_the_table_is_the_same(
    number: int, tmp_path: Path, cluster: ProcessCluster, undisturbed: dict[str, bytes]
) -> None:
    draw = random.Random(f"{SEED}/{number}")
    victim, place = ("worker", "client", "scheduler")[number % 3], tmp_path / "sweep"
    cluster.mend()
    log = cluster.scratch / "log"
    log.write_text("")
    running = client(place, cluster)
    while len(shards(place)) < 1:
        assert running.poll() is None, running.communicate()
        time.sleep(0.01)
    moment = draw.uniform(0, LONGEST)
    time.sleep(moment)
    done = len(shards(place))
    print(f"kill {number}: the {victim} {moment:.3f} s after the first of {TOLD['count']} shards, {done} done")
    if victim == "worker":
        struck = draw.choice(cluster.workers)
        struck.kill()
        struck.wait()
        cluster.mend()
    elif victim == "client":
        running.kill()
    else:
        assert cluster.scheduler is not None
        cluster.scheduler.kill()
    _, said = running.communicate(timeout=120)
    if victim == "scheduler" and running.returncode:
        assert running.returncode == 2
        assert said == (
            f"the scheduler at {cluster.address} went away; the shards that are finished are kept: start it again, "
            "with workers, and run the same command\n"
        )
    if running.returncode:
        kept = shards(place)
        assert done <= len(kept) < TOLD["count"], said
        assert kept.items() <= {name[7:]: content for name, content in undisturbed.items()}.items()
        cluster.mend()
        again = client(place, cluster)
        assert again.communicate(timeout=120) == (None, "") and again.returncode == 0
    assert everything(place) == undisturbed
    repeated = len(log.read_text().split()) - int(TOLD["count"])
    assert 0 <= repeated <= IN_FLIGHT + WORKERS, "more was done again than was in flight"


def test_workers_of_another_tdcert_are_refused_and_the_right_ones_go_on(
    tmp_path: Path, undisturbed: dict[str, bytes]
) -> None:
    other, place = tmp_path / "other", tmp_path / "sweep"
    links = sorted(path.name for path in (ROOT / "src" / "tdcert").iterdir() if path.is_symlink())
    for room in ("src", "tests", *links):
        shutil.copytree(ROOT / room, other / room, symlinks=True)  # with its byte code
    with (other / "claims" / "claim.py").open("a") as file:
        file.write("# one line more\n")
    with ProcessCluster(1, tmp_path, other) as cluster:
        refused = client(place, cluster)
        _, said = refused.communicate(timeout=120)
        assert refused.returncode == 2 and said.count("\n") == 1
        assert said.startswith("the worker on ") and " has source " in said and "install the same on both" in said
        assert shards(place) == {}
    with ProcessCluster(1, tmp_path) as cluster:
        assert client(place, cluster).communicate(timeout=120) == (None, "")
    assert everything(place) == undisturbed
