"""A Dask scheduler and its workers as processes on this machine, to be killed one by one."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType

from tests.quality.edits import ROOT

START_SECONDS = 60.0


class ProcessCluster:
    """A scheduler on a free port of the loopback, and workers of one thread each; use as a context manager.

    ``root``: the tdcert of the workers, if not this one."""

    def __init__(self, workers: int, scratch: Path, root: Path = ROOT, **environment: str) -> None:
        self.root = root
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.scratch, self.environment = scratch, {**os.environ, **environment}
        self.count, self.workers = workers, list[subprocess.Popen[bytes]]()
        self.scheduler: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> ProcessCluster:
        self.mend()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in [*self.workers, *([self.scheduler] if self.scheduler else [])]:
            process.kill()
            process.wait()

    def mend(self) -> None:
        """Starts what does not run; without its scheduler no worker is kept."""
        if self.scheduler is None or self.scheduler.poll() is not None:
            for worker in self.workers:
                worker.kill()
                worker.wait()
            self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", str(self.port))
            self._wait_until_it_answers()
        self.workers = [worker for worker in self.workers if worker.poll() is None]
        while len(self.workers) < self.count:
            self.workers.append(self._start("worker", self.address, "--nthreads", "1", "--no-nanny"))

    def _start(self, *words: str) -> subprocess.Popen[bytes]:
        command, root = [sys.executable, "-m", "dask", *words, "--no-dashboard"], ROOT
        if words[0] == "worker":
            command, root = [*command, "--local-directory", str(self.scratch)], self.root
        quiet, environment = subprocess.DEVNULL, {**self.environment, "PYTHONPATH": str(root / "src")}
        return subprocess.Popen(command, cwd=root, env=environment, stdout=quiet, stderr=quiet)

    def _wait_until_it_answers(self) -> None:
        until = time.monotonic() + START_SECONDS
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)
