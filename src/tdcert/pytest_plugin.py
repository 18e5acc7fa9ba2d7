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
        from tdcert.reports.conform import document, reproduce, summary, trajectory
        from tdcert.sims.conformance.trial import TIME_LIMIT, put_on_trial
        from tdcert.theory.errors import InputError

        limit = options.get("time_limit", TIME_LIMIT)
        try:
            found = put_on_trial(target, **options)
            notes = [f"note: {note}" for note in found.notes]
            lines = [summary(found), trajectory(found).rstrip(), *notes, reproduce(found, limit)]
            said = "" if found.conforms else "\n".join(lines)
        except InputError as error:
            said = str(error)
        if said:  # outside of the handler, or pytest would say it twice
            pytest.fail(said, pytrace=False)
        return document(found, limit)

    return check
