"""Small products take one thread in the command, large ones all cores, unless the user says otherwise."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tdcert.theory import threads
from tdcert.theory.threads import ROWS, VARIABLE

SCRIPT = "from tdcert.theory.threads import one_thread, threads; one_thread(); print(threads())"


@pytest.mark.parametrize("given", [None, "3"])
def test_large_products_take_all_cores_unless_the_user_says_otherwise(
    given: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = threads.threads()
    if before is None:
        pytest.skip("NumPy is not linked with OpenBLAS")
    monkeypatch.setattr(threads, "_chosen", False)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setenv(VARIABLE, given or "")
    if given is None:
        monkeypatch.delenv(VARIABLE)
    threads.one_thread()
    assert os.environ[VARIABLE] == (given or "1")
    try:
        threads._ask("set", 1)
        threads.threads_for(ROWS - 1)
        assert threads.threads() == 1
        threads.threads_for(ROWS)
        assert threads.threads() == (2 if given is None else 1)
    finally:
        threads._ask("set", before)


def test_one_thread_is_chosen_before_numpy_is_there() -> None:
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    command = [sys.executable, "-c", SCRIPT]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True, env=environment)
    assert done.stdout in ("1\n", "None\n")
