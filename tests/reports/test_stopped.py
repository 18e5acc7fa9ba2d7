"""Real processes that are told to end while a library call holds the interpreter: they end, and leave nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tdcert.theory import guard

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.thorough, pytest.mark.skipif(not hasattr(os, "fork"), reason="no guard")]

_BUSY = """
import os, sys, time
import tdcert.verification.verify
from tdcert.reports import cli, terminal

terminal.EVERY = 0.2

def verify(ids, profile, seed, on_progress, workers, paper):
    import flint
    on_progress(3, 8, "a long one")
    print("busy", os.getpid(), file=sys.stderr, flush=True)
    if sys.argv[0] == "sleeps":
        time.sleep(120)
    # holds the interpreter for minutes: no signal handler of Python runs before it returns
    flint.fmpz_mat([[hash((i, j)) for j in range(1_500)] for i in range(1_500)]).det()

tdcert.verification.verify.verify = verify
sys.argv = [sys.argv[1], "verify"]
sys.exit(cli.main())
"""


@contextmanager
def busy(place: Path, how: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A command that is at work, and the process that computes."""
    process = subprocess.Popen(
        [sys.executable, "-c", _BUSY, how],
        cwd=place,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    word, worker = process.stderr.readline().split()
    assert word == "busy" and [path.name for path in place.iterdir()] == [f".verification-report.tdcert-{worker}"]
    try:
        yield process, int(worker)
    finally:
        process.kill()
        process.communicate()


@contextmanager
def heeding(number: signal.Signals) -> Iterator[None]:
    """Processes started meanwhile heed the signal, though whoever started the tests may have it ignored (nohup)."""
    before = signal.signal(number, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(number, before)


def is_over(worker: int) -> bool:
    """Whether the process is gone, within a few seconds."""
    for _ in range(100):
        try:
            os.kill(worker, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize("how", ["computes", "sleeps"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_command_ends_within_a_second_or_so(number: signal.Signals, how: str, tmp_path: Path) -> None:
    with heeding(number), busy(tmp_path, how) as (process, worker):
        time.sleep(1.5 if how == "computes" else 0.5)
        start = time.monotonic()
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
        assert time.monotonic() - start < guard.GRACE + 3  # on a machine that does much else
    lines = err.splitlines()
    assert process.returncode == 130 and out == "" and is_over(worker) and not list(tmp_path.iterdir())
    assert lines.pop() == "tdcert: interrupted; no report was left half-written"
    assert all(line.startswith("tdcert: ") and line.endswith(" s, 3 of 8: a long one") for line in lines)
    assert bool(lines) or how == "computes"  # a line every so often, off a terminal too


def test_a_computation_that_is_killed_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    with busy(tmp_path, "sleeps") as (process, worker):
        os.kill(worker, signal.SIGKILL)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 3 and "killed by signal 9" in err.splitlines()[-1] and not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "how",
    ["sleeps", pytest.param("computes", marks=pytest.mark.skipif(sys.platform != "linux", reason="prctl is Linux's"))],
)
def test_a_computation_ends_with_its_guard(how: str, tmp_path: Path) -> None:
    with busy(tmp_path, how) as (process, worker):
        process.kill()
        assert is_over(worker)


def test_what_is_ignored_stays_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As nohup starts a command."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with busy(tmp_path, "sleeps") as (process, _):
            process.send_signal(signal.SIGHUP)
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(1.5)
    finally:
        signal.signal(signal.SIGHUP, before)


_DONE = """
import atexit, sys
from tdcert.theory import guard

class Last:
    def __del__(self):
        print("taken apart")

if (code := guard.guarded(lambda *told: None)) is not None:
    sys.exit(code)
last = Last()
atexit.register(print, "registered")
print("done")
sys.exit(guard.end(3))
"""


def test_a_process_that_is_done_leaves_its_objects_and_nothing_else() -> None:
    """What it printed, its code, and what was registered for its end are kept; a thread at work is waited for."""
    waits = "import threading, time\nthreading.Thread(target=lambda: (time.sleep(0.3), print('worked'))).start()\n"
    for program, printed in (
        (_DONE, "done\nregistered\n"),
        (_DONE.replace("last = Last()", f"last = Last()\n{waits}"), "done\nworked\nregistered\ntaken apart\n"),
    ):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        assert (done.returncode, done.stdout, done.stderr) == (3, printed, "")
