"""A command in a process of its own, which a guard ends: no library call holds up Ctrl-C or a request to end.

Python answers a signal between two of its own instructions, so a factorisation that takes minutes answers none. The
guard is the process that was started. It computes nothing: it waits for the other, passes SIGINT, SIGTERM and SIGHUP on
as one SIGTERM, and kills it where it has not ended :data:`GRACE` seconds later. The other process ends with the guard,
on Linux in the midst of a library call too.
Where processes cannot be forked the command runs without a guard.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

GRACE = 0.7
"""Seconds in which a command that is told to end may clean up."""
PATIENCE = 60.0
"""Seconds for a command that has heard the request and finishes what it keeps, such as the answer of a sweep."""
HEARING = 10.0
"""Seconds for such a command to hear the request: the machine may be busy, or a library call long."""
TICK = 0.1
INTERRUPTED, LOST = 130, 3
_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
_PARENT_DEATH_SIGNAL = 1
"""The option of Linux's prctl."""
_HEARD, _KEEPS, _SAID, _FOLDER = "heard", "keeps", "said", "folder "

_to_guard: int | None = None


def heeded(*numbers: signal.Signals) -> list[signal.Signals]:
    """The signals among these that whoever started this process does not want ignored, as nohup does."""
    return [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]


def heard() -> None:
    """Tells the guard, if there is one, that the request to end has been read."""
    _tell(_HEARD)


def keeps() -> None:
    """Tells the guard that what is done when a request to end comes is kept, which takes a while to finish."""
    _tell(_KEEPS)


def writes_beside(place: str) -> None:
    """Tells the guard of a folder whose unfinished parts must be removed if this process is killed."""
    _tell(_FOLDER + place.encode(errors="surrogateescape").hex())


def _tell(words: str) -> None:
    if _to_guard is not None:
        with suppress(OSError):  # the guard is gone, and this process is about to be
            os.write(_to_guard, f"{words}\n".encode("ascii"))


def leave(code: int) -> int:
    """Ends a guarded process that has told why at once, without waiting for threads that still compute; without a
    guard: the code.
    """
    _tell(_SAID)
    if _to_guard is not None:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    return code


def end(code: int) -> int:
    """Ends a guarded process that is done, after what was registered for its end, but without taking its objects apart,
    which takes a tenth of a small analysis. Without a guard, where a thread is still at work, or where output cannot be
    written, which the interpreter then says: the code.
    """
    others = [thread for thread in threading.enumerate() if thread is not threading.main_thread()]
    if _to_guard is None or not all(thread.daemon for thread in others):
        return code
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        return code
    os._exit(code)


def guarded(on_lost: Callable[[int, list[str], int | None], None]) -> int | None:
    """Forks. In the new process, or where there can be none: None. In the guard: the exit code, when all is over.

    ``on_lost(pid, folders, number)`` is called where the process was killed: its id, the folders it wrote beside, and
    the signal that ended it, None where the guard did on request.
    """
    if not hasattr(os, "fork") or threading.active_count() > 1:
        return None
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    heard, told = os.pipe()
    here, there = os.pipe()  # nothing is ever sent: its end says that the guard is gone
    child = os.fork()
    if child:
        os.close(told)
        os.close(here)
        watch = _Watch(child, heard, on_lost)
        before = {number: signal.signal(number, watch.strike) for number in heeded(*_SIGNALS)}
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        try:
            return watch.until_it_ends()
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
    global _to_guard
    os.close(heard)
    os.close(there)
    _to_guard = told
    signal.signal(signal.SIGINT, lambda number, frame: None)  # a terminal sends it to both; the guard passes it on
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, int(signal.SIGKILL))
    threading.Thread(target=_leave_with_guard, args=(here,), daemon=True).start()
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    return None


def _leave_with_guard(pipe: int) -> None:
    os.read(pipe, 1)
    os._exit(1)


@dataclass
class _Watch:
    """The guard: ``struck``: when it was first told to end."""

    child: int
    heard: int
    on_lost: Callable[[int, list[str], int | None], None]
    struck: float | None = None
    said: bytes = b""
    listening: bool = field(default=True)

    def strike(self, number: int, frame: object) -> None:
        """Passes a signal on: the first as a request, a second as an order."""
        if self.struck is None:
            self.struck = time.monotonic()
            os.kill(self.child, signal.SIGTERM)
        else:
            os.kill(self.child, signal.SIGKILL)

    def until_it_ends(self) -> int:
        """The exit code."""
        while True:
            self._listen()
            ended, status = os.waitpid(self.child, os.WNOHANG)
            if ended:
                break
            if self.struck is not None:
                lines = self._lines()
                patience = GRACE if _KEEPS not in lines else PATIENCE if _HEARD in lines else HEARING
                if time.monotonic() > self.struck + patience:
                    os.kill(self.child, signal.SIGKILL)
        while self.listening and select.select([self.heard], [], [], 0)[0]:
            self._listen()
        code = os.waitstatus_to_exitcode(status)
        if code >= 0:
            return code
        if _SAID not in self._lines():
            folders = [line for line in self._lines() if line.startswith(_FOLDER)]
            places = [bytes.fromhex(line[len(_FOLDER) :]).decode(errors="surrogateescape") for line in folders]
            self.on_lost(self.child, places, None if self.struck is not None else -code)
        return LOST if self.struck is None else INTERRUPTED

    def _lines(self) -> list[str]:
        return self.said.decode("ascii").splitlines()

    def _listen(self) -> None:
        if not self.listening:
            time.sleep(TICK / 10)
        elif select.select([self.heard], [], [], TICK)[0]:
            more = os.read(self.heard, 1 << 16)
            self.said += more
            self.listening = bool(more)
