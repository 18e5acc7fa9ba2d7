"""Who does the work: this process, or processes of this machine (``sweeps/cluster.py``: a Dask scheduler's workers).

An engine is a generator: given a task and the numbers of its parts (the shards of a sweep, the claims of a
verification), it gives (number, bytes) in the order in which they finish, and None now and then while nothing does, so
that its caller can look at the clock. Closing it stops all work at once. The result does not depend on the engine:
tasks are pure.
"""

from __future__ import annotations

import os
import signal
import threading
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import connection, get_context

from tdcert.theory.errors import InputError

Work = Callable[[int], bytes]
Finished = Generator[tuple[int, bytes] | None, None, None]
Engine = Callable[[Work, Sequence[int]], Finished]

TICK = 0.2
"""Seconds after which a caller hears something."""
MOST_DEATHS = 3
"""So many deaths of a worker that had one shard alone name that shard; so many shards that are named end a sweep."""
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def available() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def inline(work: Work, numbers: Iterable[int]) -> Finished:
    """One shard after the other, in this process; only a shard that is finished can be stopped after."""
    for number in numbers:
        yield number, work(number)


def _of_a_sweep(numbers: Sequence[int]) -> str:
    return f"shard {', '.join(map(str, numbers))}, as happens where memory runs out; give the sweep a smaller shard"


def processes(
    work: Work, numbers: Iterable[int], workers: int, told: Callable[[Sequence[int]], str] = _of_a_sweep
) -> Finished:
    """In processes of this machine, one thread each. A worker that dies is replaced and its shard done again.

    Whatever was in flight when a worker died is only suspect: one pool breaks for all of them. Suspects are done again
    one at a time, by one worker, and only a shard that kills it :data:`MOST_DEATHS` times is named, after the others
    are done. Raises :class:`InputError` then, and where a worker dies before it has a shard. ``told`` ends its
    sentence: the parts that were named, and what to do.
    """
    left, deadly = deque(numbers), list[int]()
    while left and len(deadly) < MOST_DEATHS:
        suspects = deque((yield from _pool(work, left, workers, 2 * workers)))
        deaths = Counter[int]()
        while suspects and len(deadly) < MOST_DEATHS:
            for number in (yield from _pool(work, suspects, 1, 1)):  # at most one: it was alone
                _require_start()
                deaths[number] += 1
                if deaths[number] < MOST_DEATHS:
                    suspects.appendleft(number)
                else:
                    deadly.append(number)
    if deadly:
        raise InputError(
            f"a worker process that had nothing else to do died {MOST_DEATHS} times in a row, the last time at "
            f"{told(deadly)}"
        )


def _require_start() -> None:
    """Raises :class:`InputError` where a worker dies without any shard."""
    with _one_thread_each(), _deaf_to_ctrl_c(), ProcessPoolExecutor(1, get_context("spawn")) as pool:
        try:
            pool.submit(os.getpid).result()
        except BrokenProcessPool:
            raise InputError(
                "a worker process died before it was given a shard; give --workers 1, which starts none"
            ) from None


def _pool(
    work: Work, left: deque[int], workers: int, most: int
) -> Generator[tuple[int, bytes] | None, None, list[int]]:
    """Takes numbers from ``left``, at most ``most`` in flight, until it is empty or a worker dies.

    Returns what was in flight then: each of them may have been the reason.
    """
    context = get_context("spawn")
    ours, theirs = context.Pipe()  # nothing is ever sent: its end tells the workers that nobody needs them any more
    flying: dict[Future[bytes], int] = {}
    with ours, theirs, _one_thread_each():
        pool = ProcessPoolExecutor(workers, context, _start_worker, (theirs,))
        try:
            while left or flying:
                while left and len(flying) < most:
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
            return sorted(flying.values())
        finally:
            ours.close()
            pool.shutdown(cancel_futures=True)
    return []


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
