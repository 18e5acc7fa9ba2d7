"""Runs tests on mutants, each in its own fork of a process that has loaded the package and collected the tests.

An edit inside functions is made in what the fork has loaded (``edits.patch``), and the fork runs the collected tests.
Where that cannot be done, and where no test notices (a table may have been computed on import), the fork forgets the
package, the edit is made as it is imported anew, and pytest starts anew. Where all tests lie in ``sims/``, the fork
runs kernels as plain Python: compiling each mutant would take seconds.

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
import pkgutil
import resource
import selectors
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import SimpleQueue
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, BinaryIO

from tests.quality.edits import ROOT, Mutant, Place, applied, loaded_functions, outermost, patch

if TYPE_CHECKING:
    import pytest

AT_ONCE = 2
TIME_LIMIT = 60
"""Seconds of processor time for one mutant; one that takes longer is not caught, it is a row to be mended."""
PATIENCE = 600.0
"""Seconds by the clock, however busy the machine is: for one that waits and does not compute."""
LIBRARIES = (
    *("numpy", "scipy.linalg", "scipy.optimize", "scipy.sparse.csgraph", "scipy.stats", "sympy", "flint", "numba"),
    *("hypothesis", "hypothesis.strategies", "hypothesis.internal.conjecture.engine", "pytest"),
)


@dataclass(frozen=True)
class Outcome:
    """What the tests said about one mutant: ``caught``, ``survived`` (all passed), ``timed out`` or ``not run``.

    ``why``: the failure, or what went wrong. ``by``: the test that failed first; ``passed``: those that passed;
    ``seconds``: processor time of the fork and of what it started.
    """

    number: int
    status: str
    by: str = ""
    why: str = ""
    passed: tuple[str, ...] = ()
    seconds: float = 0.0
    samples: int = 0
    """Independent samples of the test that failed first, where it is a statistical one."""
    failed: tuple[tuple[str, float], ...] = ()
    """Where all tests were run on: each that failed, with its seconds."""

    @classmethod
    def read(cls, found: dict[str, Any]) -> Outcome:
        """One that came as JSON."""
        return cls(**{**found, "passed": tuple(found["passed"]), "failed": tuple(map(tuple, found["failed"]))})

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
        self.passed: list[str] = []
        self.why = self.broken = ""
        self.samples = 0

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed and type(report.longrepr).__name__ == "FixtureLookupErrorRepr":
            self.broken = str(report.longrepr).strip()[:400]  # the harness failed, not the test
        elif report.failed:
            if not self.failed:
                self.samples = dict(report.user_properties).get("samples", 0)
            self.failed.append((report.nodeid, round(report.duration, 3)))
            crash = getattr(report.longrepr, "reprcrash", None)
            self.why = self.why or (crash.message if crash else str(report.longrepr)).strip().split("\n")[0][:200]
        elif report.passed and report.when == "call":
            self.passed.append(report.nodeid)

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.broken = str(report.longrepr).strip()[-400:]


FUNCTIONS: dict[Place, list[FunctionType]] = {}
"""The functions of the package, found once before the first fork."""

COMPILED: list[tuple[ModuleType, str, Any]] = []
"""What is compiled, found then too."""

FLAGS = ["-q", "-p", "no:cacheprovider", "-p", "no:unraisableexception", "--assert=plain", "--tb=line"]
FLAGS += ["-o", "addopts=--strict-markers --import-mode=importlib"]  # thorough tests too, and no further processes


class Collection:
    """The tests that a session of pytest has collected, file by file as they are first asked for."""

    def __init__(self, session: pytest.Session) -> None:
        self.session = session
        self.files: set[str] = set()
        self.items: dict[str, list[pytest.Item]] = defaultdict(list)

    def load(self, tests: Sequence[str]) -> None:
        """Collect the files of these tests, before the fork. What cannot be collected is left to the fork to tell."""
        for file in dict.fromkeys(test.partition("::")[0] for test in tests):
            if file in self.files:
                continue
            self.files.add(file)
            self._offer_conftests_again()
            with contextlib.suppress(Exception):
                for item in self.session.perform_collect([f"tests/{file}"]):
                    if isinstance(item, importlib.import_module("pytest").Item):
                        test, bracket, _ = item.nodeid.removeprefix("tests/").partition("[")
                        names = {file, test, item.nodeid.removeprefix("tests/")} if bracket else {file, test}
                        for name in names:
                            self.items[name].append(item)
            gc.freeze()

    def _offer_conftests_again(self) -> None:
        """Each collection makes new nodes for the folders, and pytest binds the fixtures of a conftest.py to the first
        node alone; without this, tests collected later have none of them (and a lookup error is not a catch: `_Watch`).
        """
        for plugin in self.session.config.pluginmanager.get_plugins():
            file = Path(getattr(plugin, "__file__", None) or "")
            if file.name == "conftest.py":
                self.session._fixturemanager._pending_conftests[file.parent] = plugin

    def find(self, tests: Sequence[str]) -> list[pytest.Item] | None:
        """The items of these tests; None where one of them was not collected."""
        found = [self.items.get(test) for test in tests]
        return None if None in found else list(dict.fromkeys(item for items in found for item in items or ()))

    def run(self, items: Sequence[pytest.Item], to_the_end: bool) -> _Watch:
        """Run them in this process, up to the first failure or to the end."""
        watch, config = _Watch(), self.session.config
        config.pluginmanager.register(watch)
        for item, following in zip(items, [*items[1:], None], strict=True):
            config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if watch.failed and not to_the_end:
                break
        config.hook.pytest_sessionfinish(session=self.session, exitstatus=0)  # tears down what is still set up
        return watch


def run_tests(
    mutant: Mutant | None, tests: Sequence[str], to_the_end: bool, collection: Collection | None = None
) -> dict[str, Any]:
    """Run tests in this process, on the mutant; the fields of an :class:`Outcome`, but number and seconds."""
    every = to_the_end or bool(mutant and mutant.every)
    items = collection.find(tests) if collection is not None else None
    if collection is not None and items and (mutant is None or patch(mutant, FUNCTIONS)):
        found = _told(mutant, collection.run(items, every))
        if mutant is None or found["status"] == "caught":
            return found
    for name in [name for name in sys.modules if name.partition(".")[0] in ("tdcert", "tests")]:
        if name not in ("tests", "tests.quality", "tests.quality.edits"):
            del sys.modules[name]
    with tempfile.TemporaryDirectory() as folder:
        if mutant is not None and mutant.file.startswith("sims/"):
            importlib.import_module("numba").config.CACHE_DIR = folder  # compiled mutants stay out of the real cache
        with applied(mutant) if mutant else contextlib.nullcontext() as hook:
            found = _pytest(mutant, tests, every)
    if hook is not None and not hook.used and found["status"] in ("caught", "survived"):
        return {**found, "status": "not run", "why": f"none of the tests imports {hook.mutant.module}"}
    return found


def _pytest(mutant: Mutant | None, tests: Sequence[str], to_the_end: bool) -> dict[str, Any]:
    import pytest

    watch = _Watch()
    first = [] if to_the_end else ["-x"]
    code = pytest.main([*FLAGS, *first, *(f"tests/{test}" for test in tests)], plugins=[watch])
    if not watch.broken and code not in (0, 1):
        watch.broken = f"pytest ended with {code!r}"
    return _told(mutant, watch)


def _not_run(why: str) -> dict[str, Any]:
    return {"status": "not run", "why": why, "passed": [], "failed": []}


def _told(mutant: Mutant | None, watch: _Watch) -> dict[str, Any]:
    found = {"failed": watch.failed, "passed": watch.passed, "why": watch.why}
    if watch.broken:
        return {**found, "status": "not run", "why": watch.broken}
    if watch.failed and not (mutant and mutant.every and watch.passed):
        return {**found, "status": "caught", "by": watch.failed[0][0], "samples": watch.samples}
    told = f"{len(watch.passed)} of {len(watch.passed) + len(watch.failed)} tests passed"
    return {**found, "status": "survived", "why": told}


def compiled_functions() -> list[tuple[ModuleType, str, Any]]:
    """Where the package holds a function that Numba compiles: module, name, and its Python."""
    kind = importlib.import_module("numba.core.dispatcher").Dispatcher
    modules = [module for name, module in sys.modules.items() if name.startswith("tdcert.sims.")]
    held = [(module, name, value) for module in modules for name, value in vars(module).items()]
    return [(module, name, value.py_func) for module, name, value in held if isinstance(value, kind)]


def as_plain_python() -> None:
    """From here on this process compiles nothing: the kernels are their Python, on lanes that are NumPy arrays."""
    importlib.import_module("numba").config.DISABLE_JIT = 1  # for what is imported anew
    for module, name, function in COMPILED:
        setattr(module, name, function)
    importlib.import_module("tests.sims.plain_lanes").install()


class Fork:
    """One job in a child process; its answer comes through a pipe."""

    def __init__(self, job: dict[str, Any], collection: Collection):
        self.number, self.started, self.answer = job["number"], time.monotonic(), b""
        self.pipe, write = os.pipe()
        sys.stdout.flush()
        self.pid = os.fork()
        if self.pid:
            os.close(write)
            return
        code = 1
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (TIME_LIMIT, TIME_LIMIT + 5))
            os.close(self.pipe)
            quiet = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(quiet, stream)
            mutant = job["mutant"] and Mutant(**{**job["mutant"], "killers": tuple(job["mutant"]["killers"])})
            try:
                if all(test.startswith("sims/") for test in job["tests"]):
                    as_plain_python()
                found = run_tests(mutant, job["tests"], job.get("to_the_end", False), collection)
            except BaseException as error:
                found = _not_run(f"{type(error).__name__}: {error}")
            with os.fdopen(write, "wb") as out:
                out.write(json.dumps(found).encode())
            code = 0
        finally:
            os._exit(code)

    def finish(self, timed_out: bool = False) -> Outcome:
        """Wait for the child (kill it where its time is up) and read its answer."""
        if timed_out:
            os.kill(self.pid, 9)
        _, status, used = os.wait4(self.pid, 0)
        os.close(self.pipe)
        seconds = round(used.ru_utime + used.ru_stime, 2)
        if timed_out or (os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL)):
            why = f"no answer after {seconds:g} s of processor time"
            return Outcome(self.number, "timed out", why=why, seconds=seconds)
        found = json.loads(self.answer) if self.answer else _not_run("the process died")
        return Outcome.read({**found, "number": self.number, "seconds": seconds})


class Serve:
    """A plugin of pytest: in place of the tests, this session does the jobs."""

    def __init__(self, jobs: int, answers: BinaryIO) -> None:
        self.jobs, self.answers = jobs, answers

    def pytest_collection(self, session: pytest.Session) -> bool:
        """Nothing is collected at the start."""
        return True

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """All jobs, until the input ends."""
        gc.unfreeze()  # tests/conftest.py froze what there is, and the functions are found among what is not frozen
        FUNCTIONS.update(loaded_functions())
        assert FUNCTIONS, "without them every mutant imports the package anew, which takes three times as long"
        COMPILED.extend(compiled_functions())
        gc.collect()
        gc.freeze()
        gc.disable()
        answer(self.jobs, self.answers, Collection(session))
        return True


def serve(scratch: str) -> None:
    """Read jobs from standard input until it ends, and answer each. ``scratch``: a folder that may be written to."""
    os.chdir(ROOT)
    os.environ["PYTEST_DEBUG_TEMPROOT"] = scratch  # where tmp_path lies: no other run of pytest clears it away
    jobs, answers = os.dup(0), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "r+b") as nothing:
        for stream in (0, 1):
            os.dup2(nothing.fileno(), stream)
    for name in LIBRARIES:
        importlib.import_module(name)
    # Found examples are neither kept nor shrunk; the same ones are tried each time.
    hypothesis = importlib.import_module("hypothesis")
    quick = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
    hypothesis.settings.register_profile("mutants", database=None, derandomize=True, phases=quick)
    hypothesis.settings.load_profile("mutants")
    if sys.dont_write_bytecode:  # as the environment may ask: then each fork would compile all our modules anew
        sys.dont_write_bytecode, sys.pycache_prefix = False, scratch
    package = importlib.import_module("tdcert")
    for module in pkgutil.walk_packages(package.__path__, "tdcert."):
        if module.name != "tdcert.__main__":
            importlib.import_module(module.name)
    importlib.import_module("tests.sims.plain_lanes")
    importlib.import_module("pytest").main([*FLAGS, "--capture=sys"], plugins=[Serve(jobs, answers)])


def answer(jobs: int, answers: BinaryIO, collection: Collection) -> None:
    """Do jobs, two at a time, each in a fork."""
    waiting: list[dict[str, Any]] = []
    running: dict[int, Fork] = {}
    pending, is_open = b"", True
    with selectors.DefaultSelector() as selector:
        selector.register(jobs, selectors.EVENT_READ)
        while is_open or waiting or running:
            while waiting and len(running) < AT_ONCE:
                job = waiting.pop(0)
                collection.load(job["tests"])
                if job["mutant"]:
                    outermost(job["mutant"]["file"])  # kept for the forks
                fork = Fork(job, collection)
                running[fork.pipe] = fork
                selector.register(fork.pipe, selectors.EVENT_READ)
            done = []
            for key, _ in selector.select(timeout=1.0):
                data = os.read(key.fd, 1 << 16)
                if key.fd == jobs:
                    *lines, pending = (pending + data).split(b"\n")
                    waiting += [json.loads(line) for line in lines if line]
                    if not data:
                        is_open = False
                        selector.unregister(jobs)
                elif data:
                    running[key.fd].answer += data
                else:
                    done.append((running[key.fd], False))
            late = [fork for fork in running.values() if time.monotonic() - fork.started > PATIENCE]
            done += [(fork, True) for fork in late if (fork, False) not in done]
            for fork, timed_out in done:
                selector.unregister(fork.pipe)
                del running[fork.pipe]
                answers.write(json.dumps(asdict(fork.finish(timed_out))).encode() + b"\n")
                answers.flush()


class Runner:
    """The program above in a process of its own, started when it is first asked."""

    def __init__(self) -> None:
        self.outcomes: dict[int, Outcome] = {}
        self.asked = 0
        self.process: subprocess.Popen[bytes] | None = None
        self.lines: SimpleQueue[bytes] = SimpleQueue()

    def _start(self) -> subprocess.Popen[bytes]:
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        environment["PYTHONPATH"] = f"{ROOT / 'src'}{os.pathsep}{ROOT}"  # this checkout, whichever is installed
        environment |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "TESTS_IN_FULL": "1"}
        environment.pop("PYTEST_ADDOPTS", None)
        environment.pop("PYTEST_XDIST_WORKER", None)
        process = subprocess.Popen(
            [sys.executable, "-m", Path(__file__).with_suffix("").relative_to(ROOT).as_posix().replace("/", ".")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
            env=environment,
        )
        self.reader = threading.Thread(target=self._read, args=(process,), daemon=True)
        self.reader.start()
        return process

    def _read(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        with process.stdout as answers:
            for line in answers:
                self.lines.put(line)
        self.lines.put(b"")

    def ask(self, mutant: Mutant | None, tests: Sequence[str], to_the_end: bool = False) -> int:
        """Hand in a job; its number."""
        number, self.asked = self.asked, self.asked + 1
        job = {"number": number, "mutant": mutant and asdict(mutant), "tests": list(tests), "to_the_end": to_the_end}
        self.process = self.process or self._start()
        stdin = self.process.stdin
        assert stdin is not None
        stdin.write(json.dumps(job).encode() + b"\n")
        stdin.flush()
        return number

    def answers(self) -> Iterator[Outcome]:
        """Outcomes as they come in, until all that was asked is answered."""
        while len(self.outcomes) < self.asked:
            line = self.lines.get()
            if not line:
                raise RuntimeError("a process that runs the mutants ended early")
            outcome = Outcome.read(json.loads(line))
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
        if self.process is not None:
            assert self.process.stdin is not None
            self.process.stdin.close()
            self.process.wait()
            self.reader.join()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        serve(scratch)
