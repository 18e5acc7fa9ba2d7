"""The engine for many machines: shards as tasks of a Dask scheduler, their bytes back to the client, who alone writes.

Whatever dies is somebody's to mend: the scheduler gives a dead worker's shards to another; a dead client is started
again and goes on from the shards on its disk; for a dead scheduler there is one sentence, and then the same.

The scheduler counts a death against every shard that the worker had been given, those that only waited there included.
So a shard of which it says that it kills workers is only suspect: it is sent again when no other is in flight.
"""

from __future__ import annotations

import contextlib
import logging
import socket
import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError
from functools import partial
from queue import Empty, SimpleQueue

from distributed import Client, Future, KilledWorker
from distributed.comm.addressing import get_address_host_port

from tdcert.theory.errors import InputError
from tdcert.theory.workers import TICK, Finished, Work

CONNECT_SECONDS = 10
_COUNT_SECONDS = 2.0
"""How often the threads of the cluster are counted: workers come and go."""
_FETCH_SECONDS = 30.0
"""After which shards whose bytes do not arrive wait in line again."""
_BATCH = 64
"""Most shards fetched at a time: each fetch is a round trip to the scheduler and the workers."""


def cluster(work: Work, numbers: Iterable[int], address: str) -> Finished:
    """On the workers of the scheduler at ``address``, two shards for each of their threads in flight.

    Waits for workers as long as there are none. Raises :class:`InputError` where no scheduler answers, where it goes
    away, and where a shard, alone in flight, has killed every worker that was given it; the others are done by then.
    """
    with _quiet():
        client = _connected(address)
        try:
            yield from _results(client, work, deque(numbers), address)
        finally:
            client.close(timeout=CONNECT_SECONDS)


def _results(client: Client, work: Work, left: deque[int], address: str) -> Finished:
    finished: SimpleQueue[Future[bytes]] = SimpleQueue()
    flying: dict[Future[bytes], int] = {}
    suspects, alone = deque[int](), False
    room, counted = 0, float("-inf")
    while left or flying or suspects:
        batch: list[Future[bytes]] = []
        with contextlib.suppress(Empty, OSError):  # nothing has finished; the connection broke
            if time.monotonic() - counted > _COUNT_SECONDS:
                room, counted = 2 * sum(client.nthreads().values()), time.monotonic()
            if suspects and not left and not flying and room:
                left.append(suspects.popleft())
                alone = True
            while left and len(flying) < room:
                sent = client.submit(work, left[0], pure=False)
                flying[sent] = left.popleft()
                sent.add_done_callback(finished.put)
            batch.append(finished.get(timeout=TICK))
            while len(batch) < _BATCH:
                batch.append(finished.get_nowait())
        for future in [future for future in batch if future.status == "error"]:
            error: BaseException = future.exception()
            if not isinstance(error, KilledWorker):
                raise error
            if alone:
                raise InputError(
                    f"every worker that was given shard {flying[future]} alone died, as happens where memory runs out; "
                    "give the workers more memory, or the sweep a smaller shard"
                )
            suspects.append(flying.pop(future))
            batch.remove(future)
        contents = _contents(client, batch) if batch else []
        if client.status != "running" or any(future.status == "cancelled" for future in batch):
            raise InputError(
                f"the scheduler at {address} went away; the shards that are finished are kept: start it again, with "
                "workers, and run the same command"
            )
        if contents is None:
            for future in batch:
                future.add_done_callback(finished.put)
        for future, content in zip(batch, contents or (), strict=False):
            yield flying.pop(future), content
        yield None


def _contents(client: Client, batch: list[Future[bytes]]) -> list[bytes] | None:
    """The bytes of finished shards, fetched together; None where they cannot be had now: a worker died since, say."""
    gather = partial(client.gather, batch, asynchronous=True)
    try:
        return list(client.sync(gather, callback_timeout=_FETCH_SECONDS))
    except (OSError, CancelledError):
        return None


def _connected(address: str) -> Client:
    try:
        with socket.create_connection(get_address_host_port(address), CONNECT_SECONDS):
            pass  # it answers, or is refused at once; Dask's own client would go on trying
        return Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:  # nobody answers; it is not an address
        raise InputError(
            f"no Dask scheduler answers at '{address}' ({type(error).__name__}); start one with 'dask scheduler' and "
            "give the address it prints, such as tcp://192.168.0.1:8786"
        ) from None


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Dask's own log stays silent: what goes wrong is said here, once."""
    handlers = logging.getLogger("distributed").handlers
    before = [handler.level for handler in handlers]
    for handler in handlers:
        handler.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for handler, level in zip(handlers, before, strict=True):
            handler.setLevel(level)
