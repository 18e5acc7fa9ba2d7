"""The formal definitions, compiled once for the tests that compare the suite with them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tdcert.reports.proved_checker import ProvedChecker
from tdcert.theory.formal import assistant, program
from tdcert.theory.formal.record import digest
from tdcert.theory.formal.sources import hashes, read_sources

USED = ("Values.v", "equal_weights_recursion.v", "PathValues.v", "verified/Checker.v")


@pytest.fixture(scope="module")
def compiled(pytestconfig: pytest.Config) -> Path:
    """A folder with the definitions compiled, kept for the next run with the same sources and assistant."""
    sources = read_sources()
    key = digest(hashes(sources) | assistant.versions())
    folder: Path = pytestconfig.cache.mkdir(f"formal-{key[:16]}")
    if not (folder / "done").exists():
        assistant.compile_all(sources, folder, USED)
        (folder / "done").touch()
    return folder


@pytest.fixture(scope="module")
def node() -> Iterator[ProvedChecker]:
    """The proved checker in node, from the generated JavaScript."""
    found = ProvedChecker(("node", str(program.VERIFIED / "answers.js")))
    yield found
    found.end()
