"""Every mutant is caught by one of the tests named beside it, and the code as it is passes all of them.

The mutants of a run go to a process of their own (``tests.quality.runner``), two at a time, before the first result is asked for.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.quality.edits import ROOT, Mutant, StaleEdit, meaning
from tests.quality.mutants import MUTANTS, killers
from tests.quality.runner import Outcome, Runner

BY_ID = {mutant.id: mutant for mutant in MUTANTS}
EACH = pytest.mark.parametrize("name", BY_ID)


class Ahead:
    """Outcomes by mutant, all asked for in advance; with pytest-xdist, where several processes share the tests, one by one."""

    def __init__(self, wanted: list[str]) -> None:
        self.runner, self.numbers = Runner(), {}
        for name in [] if os.environ.get("PYTEST_XDIST_WORKER") else wanted:
            self.numbers[name] = self.ask(name)

    def ask(self, name: str) -> int:
        mutant = BY_ID[name]
        return self.runner.ask(mutant, mutant.killers)

    def outcome(self, name: str) -> Outcome:
        if name not in self.numbers:
            self.numbers[name] = self.ask(name)
        return self.runner.outcome(self.numbers[name])


@pytest.fixture(scope="module")
def ahead(request: pytest.FixtureRequest) -> Iterator[Ahead]:
    wanted = [item.callspec.params["name"] for item in request.session.items if "ahead" in getattr(item, "fixturenames", ())]
    found = Ahead(wanted)
    yield found
    found.runner.close()


def test_every_edit_fits_the_source_and_no_two_are_the_same() -> None:
    """An edit whose old text is gone, or stands twice, or changes words alone, fails here by name."""
    assert len(BY_ID) == len(MUTANTS)
    edited = {(mutant.file, meaning(mutant.source())) for mutant in MUTANTS}
    assert len(edited) == len(MUTANTS)


def test_every_killer_is_a_test_that_exists() -> None:
    for killer in killers():
        file, _, name = killer.partition("::")
        assert f"\ndef {name.partition('[')[0]}(" in (ROOT / "tests" / file).read_text(encoding="utf-8"), killer


def test_the_code_as_it_is_passes_all_of_them(ahead_of_none: Callable[[tuple[str, ...]], list[Outcome]]) -> None:
    for outcome in ahead_of_none(killers()):
        assert outcome.status == "survived", (outcome.status, outcome.why, outcome.failed)


@pytest.fixture
def ahead_of_none() -> Iterator[Callable[[tuple[str, ...]], list[Outcome]]]:
    """Runs tests on the code as it is, those of one file together."""
    runner = Runner()

    def run(tests: tuple[str, ...]) -> list[Outcome]:
        files = sorted({test.partition("::")[0] for test in tests})
        for file in files:
            runner.ask(None, [test for test in tests if test.startswith(f"{file}::")], to_the_end=True)
        return list(runner.answers())

    yield run
    runner.close()


@EACH
def test_a_mutant_is_caught(name: str, ahead: Ahead, record_property: Callable[[str, object], None]) -> None:
    outcome = ahead.outcome(name)
    record_property("mutant", (name, outcome.by, outcome.why, outcome.seconds))
    assert outcome.caught, f"{outcome.status}: {outcome.why}"


# ---- the harness itself ----------------------------------------------------------------------------------------

A = Mutant("A with M + I", "theory/model/key_matrices.py", "return self.M(X) - X", "return self.M(X) + X", ())


def outcomes(*jobs: tuple[Mutant | None, str]) -> list[Outcome]:
    runner = Runner()
    numbers = [runner.ask(mutant, [test]) for mutant, test in jobs]
    found = [runner.outcome(number) for number in numbers]
    runner.close()
    return found


def test_outcomes_say_what_happened() -> None:
    """Caught, survived, and not run: a test that is not there, or one that never meets the edited module."""
    before = Path(ROOT / A.file).read_bytes()
    caught, plain, blind, absent, apart = outcomes(
        (A, "theory/test_known_answers.py::test_one_state"),
        (None, "theory/test_known_answers.py::test_one_state"),
        (A, "theory/test_known_answers.py::test_two_state_stationary_law"),
        (A, "theory/test_known_answers.py::test_that_is_not_there"),
        (A, "theory/certificate/test_checker.py::test_known_answers"),
    )
    assert (caught.status, caught.by) == ("caught", "tests/theory/test_known_answers.py::test_one_state")
    assert (plain.status, blind.status) == ("survived", "survived")
    assert absent.status == apart.status == "not run" and "none of the tests imports" in apart.why
    assert Path(ROOT / A.file).read_bytes() == before


@pytest.mark.parametrize(
    ("old", "new", "occurrence", "words"),
    [
        ("return self.M(Y) - X", "return 0", None, "stands 0 times"),
        ("for lam in reversed(lambdas):", "for lam in lambdas:", None, "stands 2 times"),
        ("for lam in reversed(lambdas):", "for lam in lambdas:", 2, "number 3 is meant"),
        ("S and M are never formed as powers", "S and M are never formed", None, "only comments or docstrings"),
    ],
)
def test_a_row_that_no_longer_fits_is_told(old: str, new: str, occurrence: int | None, words: str) -> None:
    with pytest.raises(StaleEdit, match=words):
        Mutant("stale", A.file, old, new, (), occurrence).source()


def test_the_occurrence_that_is_named_is_edited() -> None:
    source = (ROOT / A.file).read_text(encoding="utf-8")
    old, new = "for lam in reversed(lambdas):", "for lam in lambdas:"
    first, second = (Mutant("which", A.file, old, new, (), k).source() for k in (0, 1))
    assert first != second and {first.count(old), second.count(old)} == {1} and first.index(new) < source.index("def apply_M")
    assert second.index(new) > source.index("def apply_M")
