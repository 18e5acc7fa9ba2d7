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
    :func:`tdcert.conform`. ``conforms(my_gae, estimator="gae", contract="cleanrl-done")`` does the same for a function,
    with the arguments and the outcome of :func:`tdcert.conform_estimator`.
    """

    def check(target: Any, **options: Any) -> dict[str, Any]:
        __tracebackhide__ = True
        if "estimator" in options:
            return _estimator(target, options)
        from tdcert.reports.conform import document, reproduce, summary, trajectory
        from tdcert.sims.conformance.trial import put_on_trial
        from tdcert.sims.trials.limits import CLASS_SECONDS
        from tdcert.theory.document_types import plain
        from tdcert.theory.errors import InputError

        limit = options.get("time_limit", CLASS_SECONDS)
        try:
            found = put_on_trial(target, **options)
            notes = [f"note: {note}" for note in found.notes]
            lines = [summary(found), trajectory(found).rstrip(), *notes, reproduce(found, limit)]
            said = "" if found.conforms else "\n".join(lines)
        except InputError as error:
            said = str(error)
        if said:  # outside of the handler, or pytest would say it twice
            pytest.fail(said, pytrace=False)
        return plain(document(found, limit))

    return check


def _estimator(target: Any, options: dict[str, Any]) -> dict[str, Any]:
    __tracebackhide__ = True
    import tdcert

    try:
        found = tdcert.conform_estimator(target, **options)
        failures = [row["failure"] for row in found["contracts"]]
        lines = [f"{found['function']} as {found['estimator']} does not conform."]
        for row, failure in zip(found["contracts"], failures, strict=True):
            if failure:
                lines += [f"Under the contract {row['contract']}: {failure['sentence']}.", failure["table"] or ""]
        said = "" if found["conforms"] else "\n".join([*lines, found["reproduce"]])
    except tdcert.InputError as error:
        said = str(error)
    if said:
        pytest.fail(said, pytrace=False)
    return found
