"""How much the tests try: by default what takes a part of the time, and all where ``TESTS_IN_FULL`` is set, as
`.ci/run` does. Mutants are always tried on all of it (``tests/quality/runner.py``)."""

from __future__ import annotations

import os

IN_FULL = bool(os.environ.get("TESTS_IN_FULL"))


def examples(most: int) -> int:
    """How many examples a property test tries: ``most``, or a third of them."""
    return most if IN_FULL else -(-most // 3)
