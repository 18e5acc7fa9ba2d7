"""The pytest plugin: the fixture ``conforms``.

Every pytest where tdcert is installed loads this file: it stays light, and has a name that no one else's code has.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture(scope="session")
def conforms() -> Callable[..., dict[str, Any]]:
    """``conforms(MyTD, algorithm="td")`` fails the test unless the class conforms; else it returns the outcome.

    The class, ``module:Class`` or ``path/to/file.py:Class``; further arguments and the outcome are those of
    :func:`tdcert.conform`.
    """

    def check(target: str | type, **options: Any) -> dict[str, Any]:
        __tracebackhide__ = True
        import tdcert
        from tdcert.reports.conform import summary

        refused = ""
        try:
            found = tdcert.conform(target, **options)
        except tdcert.InputError as error:
            refused = str(error)
        if refused:  # outside of the handler, or pytest would say it twice
            pytest.fail(refused, pytrace=False)
        if not found["conforms"]:
            notes = "".join(f"\nnote: {note}" for note in found["notes"])
            pytest.fail(f"{summary(found)}{notes}\n{found['reproduce']}", pytrace=False)
        return found

    return check
