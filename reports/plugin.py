"""The pytest plugin: the fixture ``conforms``. Loaded by every pytest where tdcert is installed, so it stays light."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture(scope="session")
def conforms() -> Callable[..., dict[str, Any]]:
    """``conforms(MyTD, algorithm="td")`` fails the test unless the class conforms; else it returns the outcome.

    The class, ``module:Class`` or ``path/to/file.py:Class``; further arguments and the outcome are those of
    ``tdcert.conform``.
    """

    def check(target: str | type, **options: Any) -> dict[str, Any]:
        __tracebackhide__ = True
        from reports.conform import conformance, summary
        from theory.errors import InputError

        try:
            found = conformance(target, **options)
        except InputError as error:
            pytest.fail(str(error), pytrace=False)
        if not found["conforms"]:
            notes = "".join(f"\nnote: {note}" for note in found["notes"])
            pytest.fail(f"{summary(found)}{notes}\n{found['reproduce']}", pytrace=False)
        return found

    return check
