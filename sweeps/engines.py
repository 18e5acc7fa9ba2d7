"""Who does the work: this process, processes of this machine, or the workers of a Dask scheduler.

An engine is a generator: given a task and the numbers of the shards to do, it gives (number, bytes) in the order in
which they finish, and None now and then while nothing does, so that its caller can look at the clock. Closing it stops
all work at once. The result does not depend on the engine: tasks are pure.
"""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import connection, get_context

from theory.errors import InputError

Work = Callable[[int], bytes]
Finished = Generator[tuple[int, bytes] | None, None, None]
Engine = Callable[[Work, Sequence[int]], Finished]

TICK = 0.2
"""Seconds after which a caller hears something."""
MOST_BREAKS = 3
"""So many deaths of workers, with no shard finished in between, end a sweep."""
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def inline(work: Work, numbers: Iterable[int]) -> Finished:
    """One shard after the other, in this process; only a shard that is finished can be stopped after."""
    for number in numbers:
        yield number, work(number)


def processes(work: Work, numbers: Iterable[int], workers: int) -> Finished:
    """In processes of this machine, one thread each. A worker that dies is replaced and its shard done again.

    Raises :class:`InputError` when workers die again and again.
    """
    left, breaks = deque(numbers), 0
    while left:
        for found in _pool(work, left, workers):
            if found:
                breaks = 0
            yield found
        breaks += 1
        if left and breaks >= MOST_BREAKS:
            raise InputError(
                f"the worker processes died {breaks} times in a row, the last time at shard {left[0]}, as they do "
                "where memory runs out; give fewer --workers, or the sweep a smaller shard"
            )


def _pool(work: Work, left: deque[int], workers: int) -> Finished:
    """Takes numbers from ``left`` until it is empty, or until a worker dies: what was in flight is then put back."""
    context = get_context("spawn")
    ours, theirs = context.Pipe()  # nothing is ever sent: its end tells the workers that nobody needs them any more
    flying: dict[Future[bytes], int] = {}
    with ours, theirs, _one_thread_each():
        pool = ProcessPoolExecutor(workers, context, _start_worker, (theirs,))
        try:
            while left or flying:
                while left and len(flying) < 2 * workers:
                    with _deaf_to_ctrl_c():
                        flying[pool.submit(work, left[0])] = left[0]
                    left.popleft()
                finished, _ = wait(flying, timeout=TICK, return_when=FIRST_COMPLETED)
                for future in finished:
                    content = future.result()
                    yield flying.pop(future), content
                if not finished:
                    yield None
        except BrokenProcessPool:
            left.extendleft(sorted(flying.values(), reverse=True))
        finally:
            ours.close()
            pool.shutdown(cancel_futures=True)


def _start_worker(parent: connection.Connection) -> None:
    """Whatever ends the parent ends its workers."""

    def leave_with_parent() -> None:
        connection.wait([parent])
        os._exit(1)

    threading.Thread(target=leave_with_parent, daemon=True).start()


@contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """Processes that start in here never see Ctrl-C, which is the parent's affair; the parent sees it afterwards."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """The environment in which workers start: as many processes as cores need no threads beside them."""
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
