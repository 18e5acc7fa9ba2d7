"""Runs tests on mutants, each in its own fork of a process that has imported the libraries, but nothing of ours.

As a program (``python -m tests.quality.runner``): one JSON object a line in, {"number", "mutant" (null: the code as it
is), "tests", "to_the_end"}; one :class:`Outcome` a line out, in the order in which they finish. Two run at a time.
Nothing is written but the byte code of files that are not edited.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import selectors
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.quality.edits import ROOT, Mutant, applied

AT_ONCE = 2
TIME_LIMIT = 60.0
"""Seconds for one mutant; one that takes longer is not caught, it is a row to be mended."""
LIBRARIES = (
    "numpy", "scipy.linalg", "scipy.optimize", "scipy.sparse.csgraph", "scipy.stats", "sympy", "flint", "numba",
    "hypothesis", "hypothesis.strategies", "hypothesis.internal.conjecture.engine", "pytest",
)  # fmt: skip


@dataclass(frozen=True)
class Outcome:
    """What the tests said about one mutant: ``caught``, ``survived`` (all passed), ``timed out`` or ``not run``.

    ``why``: the failure, or what went wrong. ``by``: the test that failed first; ``passed``: how many passed
    before; ``seconds``: wall time, imports included.
    """

    number: int
    status: str
    by: str = ""
    why: str = ""
    passed: int = 0
    seconds: float = 0.0
    samples: int = 0
    """Independent samples of the test that failed first, where it is a statistical one."""
    failed: tuple[tuple[str, float], ...] = ()
    """Where all tests were run on: each that failed, with its seconds."""

    @property
    def caught(self) -> bool:
        """Whether some test failed."""
        return self.status == "caught"

    @property
    def credit(self) -> str:
        """The test that caught it, and with how many samples; empty where none did."""
        if not self.caught:
            return ""
        return self.by.removeprefix("tests/") + (f" ({self.samples:,} samples)" if self.samples else "")


class _Watch:
    """A pytest plugin that keeps what is to be reported."""

    def __init__(self) -> None:
        self.failed: list[tuple[str, float]] = []
        self.why = self.broken = ""
        self.passed = self.samples = 0

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            if not self.failed:
                self.samples = dict(report.user_properties).get("samples", 0)
            self.failed.append((report.nodeid, round(report.duration, 3)))
            crash = getattr(report.longrepr, "reprcrash", None)
            self.why = self.why or (crash.message if crash else str(report.longrepr)).strip().split("\n")[0][:200]
        elif report.passed and report.when == "call":
            self.passed += 1

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.broken = str(report.longrepr).strip()[-400:]


def run_tests(mutant: Mutant | None, tests: Sequence[str], to_the_end: bool) -> dict[str, Any]:
    """Run tests in this process, on the mutant; the fields of an :class:`Outcome`, but number and seconds."""
    import hypothesis
    import pytest

    # Found examples are neither kept nor shrunk; the same ones are tried each time.
    quick = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
    hypothesis.settings.register_profile("mutants", database=None, derandomize=True, phases=quick)
    hypothesis.settings.load_profile("mutants")
    watch = _Watch()
    flags = ["-q", "-p", "no:cacheprovider", "-p", "no:unraisableexception", "--assert=plain", "--tb=line"]
    flags += ["-o", "addopts=--strict-markers --import-mode=importlib"]  # thorough tests too, and no further processes
    flags += [] if to_the_end or (mutant and mutant.every) else ["-x"]
    with tempfile.TemporaryDirectory() as folder:
        numba = importlib.import_module("numba").config
        if all(test.startswith("sims/") for test in tests):
            numba.DISABLE_JIT = True  # compiling each mutant takes seconds; as plain Python its killers take less
        if mutant is not None and mutant.file.startswith("sims/"):
            numba.CACHE_DIR = folder  # compiled mutants stay out of the real cache
        with applied(mutant) if mutant else contextlib.nullcontext() as hook:
            code = pytest.main([*flags, *(f"tests/{test}" for test in tests)], plugins=[watch])
    found = {"failed": watch.failed, "passed": watch.passed, "why": watch.why}
    if watch.broken or code not in (0, 1):
        return {**found, "status": "not run", "why": watch.broken or f"pytest ended with {code!r}"}
    if hook is not None and not hook.used:
        return {**found, "status": "not run", "why": f"none of the tests imports {hook.mutant.module}"}
    if watch.failed and not (mutant and mutant.every and watch.passed):
        return {**found, "status": "caught", "by": watch.failed[0][0], "samples": watch.samples}
    told = f"{watch.passed} of {watch.passed + len(watch.failed)} tests passed"
    return {**found, "status": "survived", "why": told}


class Fork:
    """One job in a child process; its answer comes through a pipe."""

    def __init__(self, job: dict[str, Any]):
        self.number, self.started, self.answer = job["number"], time.monotonic(), b""
        self.pipe, write = os.pipe()
        sys.stdout.flush()
        self.pid = os.fork()
        if self.pid:
            os.close(write)
            return
        code = 1
        try:
            os.close(self.pipe)
            quiet = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(quiet, stream)
            mutant = job["mutant"] and Mutant(**{**job["mutant"], "killers": tuple(job["mutant"]["killers"])})
            try:
                found = run_tests(mutant, job["tests"], job.get("to_the_end", False))
            except BaseException as error:
                found = {"status": "not run", "why": f"{type(error).__name__}: {error}"}
            with os.fdopen(write, "wb") as out:
                out.write(json.dumps(found).encode())
            code = 0
        finally:
            os._exit(code)

    def finish(self, timed_out: bool = False) -> Outcome:
        """Wait for the child (kill it where its time is up) and read its answer."""
        if timed_out:
            os.kill(self.pid, 9)
        os.waitpid(self.pid, 0)
        os.close(self.pipe)
        seconds = round(time.monotonic() - self.started, 2)
        if timed_out:
            return Outcome(self.number, "timed out", why=f"no answer after {TIME_LIMIT:g} s", seconds=seconds)
        found = json.loads(self.answer or b'{"status": "not run", "why": "the process died"}')
        return Outcome(self.number, **{**found, "failed": tuple(map(tuple, found.get("failed", ())))}, seconds=seconds)


def serve(byte_code: str) -> None:
    """Read jobs from standard input until it ends, and answer each. ``byte_code``: a folder that may be written to."""
    os.chdir(ROOT)
    for name in LIBRARIES:
        importlib.import_module(name)
    with tempfile.TemporaryDirectory() as folder, open(os.devnull, "w") as quiet, contextlib.redirect_stdout(quiet):
        importlib.import_module("pytest").main(
            ["-c", os.devnull, "--rootdir", folder, folder]
        )  # imports the rest of pytest
    if sys.dont_write_bytecode:  # as the environment may ask: then each fork would compile all our modules anew
        sys.dont_write_bytecode, sys.pycache_prefix = False, byte_code
    gc.collect()
    gc.freeze()
    gc.disable()
    waiting: list[dict[str, Any]] = []
    running: dict[int, Fork] = {}
    pending, is_open = b"", True
    with selectors.DefaultSelector() as selector:
        selector.register(0, selectors.EVENT_READ)
        while is_open or waiting or running:
            while waiting and len(running) < AT_ONCE:
                fork = Fork(waiting.pop(0))
                running[fork.pipe] = fork
                selector.register(fork.pipe, selectors.EVENT_READ)
            done = []
            for key, _ in selector.select(timeout=1.0):
                data = os.read(key.fd, 1 << 16)
                if key.fd == 0:
                    *lines, pending = (pending + data).split(b"\n")
                    waiting += [json.loads(line) for line in lines if line]
                    if not data:
                        is_open = False
                        selector.unregister(0)
                elif data:
                    running[key.fd].answer += data
                else:
                    done.append((running[key.fd], False))
            late = [fork for fork in running.values() if time.monotonic() - fork.started > TIME_LIMIT]
            done += [(fork, True) for fork in late if (fork, False) not in done]
            for fork, timed_out in done:
                selector.unregister(fork.pipe)
                del running[fork.pipe]
                print(json.dumps(asdict(fork.finish(timed_out))), flush=True)


class Runner:
    """The program above in a process of its own, and what it has answered so far."""

    def __init__(self) -> None:
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
        environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        environment.pop("PYTEST_ADDOPTS", None)
        self.outcomes: dict[int, Outcome] = {}
        self.asked = 0
        self.process = subprocess.Popen(
            [sys.executable, "-m", Path(__file__).with_suffix("").relative_to(ROOT).as_posix().replace("/", ".")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, env=environment,
        )  # fmt: skip

    def ask(self, mutant: Mutant | None, tests: Sequence[str], to_the_end: bool = False) -> int:
        """Hand in a job; its number."""
        number, self.asked = self.asked, self.asked + 1
        job = {"number": number, "mutant": mutant and asdict(mutant), "tests": list(tests), "to_the_end": to_the_end}
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(job).encode() + b"\n")
        self.process.stdin.flush()
        return number

    def answers(self) -> Iterator[Outcome]:
        """Outcomes as they come in, until all that was asked is answered."""
        assert self.process.stdout is not None
        while len(self.outcomes) < self.asked:
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError("the process that runs the mutants ended early")
            raw = json.loads(line)
            outcome = Outcome(**{**raw, "failed": tuple(map(tuple, raw["failed"]))})
            self.outcomes[outcome.number] = outcome
            yield outcome

    def outcome(self, number: int) -> Outcome:
        """The outcome of one job, waited for."""
        answers = self.answers()
        while number not in self.outcomes:
            next(answers)
        return self.outcomes[number]

    def close(self) -> None:
        """End the process; jobs that are still running are finished first."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        serve(scratch)
