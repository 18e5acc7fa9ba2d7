"""One error budget for every statistical comparison of these tests: half of the suite's 1e-6; claims have the
rest."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sims.agreement import SUITE_TOTAL, ErrorBudget


@pytest.fixture(scope="session")
def error_budget() -> Iterator[ErrorBudget]:
    """The tests' part of the suite's budget; a comparison that would overspend it fails."""
    yield ErrorBudget(SUITE_TOTAL / 2)
