"""Every mutant is caught by one of the tests named beside it, and each test that caught one passes on other code.

The mutants of a run go to a process of their own (``tests.quality.runner``) before the first result is asked for.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from tests.quality import same_mutants
from tests.quality.edits import ROOT, Mutant, StaleEdit
from tests.quality.mutants import MUTANTS, killers, mutants_of
from tests.quality.runner import Outcome, Runner

BY_ID = {mutant.id: mutant for mutant in MUTANTS}
EACH = pytest.mark.parametrize("name", BY_ID, ids=str)


class Ahead:
    """Outcomes by mutant, all asked for in advance; one by one where processes share the tests (pytest-xdist)."""

    def __init__(self, wanted: list[str]) -> None:
        self.runner = Runner()
        self.numbers: dict[str, int] = {}
        self.credited: dict[str, float] = {}
        self.passed: set[str] = set()
        for name in [] if os.environ.get("PYTEST_XDIST_WORKER") else wanted:
            self.ask(name)

    def ask(self, name: str) -> None:
        self.numbers[name] = self.runner.ask(BY_ID[name], BY_ID[name].killers)

    def outcome(self, name: str) -> Outcome:
        if name not in self.numbers:
            self.ask(name)
        outcome = self.runner.outcome(self.numbers[name])
        self.passed |= {test.removeprefix("tests/") for test in outcome.passed}
        for test, seconds in outcome.failed if outcome.caught else ():
            test = test.removeprefix("tests/")
            self.credited[test] = min(seconds, self.credited.get(test, seconds))
        return outcome

    def not_seen_to_pass(self) -> Mapping[str, list[str]]:
        """Of each test that caught a mutant, and of which no row has passed under another mutant: the row that caught
        one soonest. By file.
        """
        seen = {test.partition("[")[0] for test in self.passed}
        soonest: dict[str, str] = {}
        for row in sorted(self.credited, key=lambda row: (self.credited[row], row)):
            soonest.setdefault(row.partition("[")[0], row)
        found = defaultdict(list)
        for test in sorted(soonest.keys() - seen):
            found[test.partition("::")[0]].append(soonest[test])
        return found

    def failures_without_mutants(self) -> list[str]:
        """What of the tests that caught a mutant fails whatever the code is: in a fork, in plain Python, with the
        examples of Hypothesis that are drawn there.

        Such a test never passes under a mutant. So one that passed under some is not asked again, and its other rows
        are not: they share its function, its fixtures and the surroundings. Of each other test one row runs on the code
        as it is, all of a file in one fork. Not found is a row that fails in these surroundings alone, while another
        row of its test passes in them. Where pytest does not know a row by its name, as one with a letter that names
        escape, all rows of its test are run.
        """
        files = self.not_seen_to_pass().values()
        outcomes = []
        for ticket, tests in [(self.runner.ask(None, tests, to_the_end=True), tests) for tests in files]:
            found = self.runner.outcome(ticket)
            if found.status == "not run":
                whole = [test.partition("[")[0] for test in tests]
                found = self.runner.outcome(self.runner.ask(None, whole, to_the_end=True))
            outcomes.append(found)
        return [f"{found.status}: {found.why} {found.failed}" for found in outcomes if found.status != "survived"]


@pytest.fixture(scope="module")
def ahead(request: pytest.FixtureRequest) -> Iterator[Ahead]:
    """For the mutants that this run has selected. At the end no catch may be the harness's: each test that caught one
    passes on other code.
    """
    selected = [getattr(item, "callspec", None) for item in request.session.items if item.path == request.path]
    found = Ahead([spec.params["name"] for spec in selected if spec is not None and "name" in spec.params])
    yield found
    failures = found.failures_without_mutants()
    found.runner.close()
    assert not failures, "\n".join(failures)


def test_every_edit_fits_the_source_and_no_two_are_the_same() -> None:
    """An edit whose old text is gone, or stands twice, fails here by name; one that changes words alone does so below,
    for no test notices it.
    """
    assert len(BY_ID) == len(MUTANTS)
    edited = {(mutant.file, mutant.source()) for mutant in MUTANTS}
    assert len(edited) == len(MUTANTS)


@pytest.mark.thorough
def test_no_edit_changes_words_alone() -> None:
    for mutant in MUTANTS:
        mutant.check()


def test_every_killer_is_a_test_that_exists() -> None:
    for killer in killers(MUTANTS):
        file, _, name = killer.partition("::")
        assert f"\ndef {name.partition('[')[0]}(" in (ROOT / "tests" / file).read_text(encoding="utf-8"), killer


@pytest.mark.thorough
@EACH
def test_a_mutant_is_caught(name: str, ahead: Ahead, record_property: Callable[[str, object], None]) -> None:
    outcome = ahead.outcome(name)
    record_property("mutant", (name, outcome.credit, outcome.why, outcome.seconds))
    assert outcome.caught, f"{outcome.status}: {outcome.why}"


# ---- the harness itself ----------------------------------------------------------------------------------------

A = Mutant("A with M + I", "theory/model/key_matrices.py", "return self.M(X) - X", "return self.M(X) + X", ())


@pytest.mark.parametrize(
    "text",
    ["w: `a` → `b`", "# f.py\nw: `a` → `b`", "# f.py\n## t.py::t\nw: `a`", "# f.py\n## t.py::t\n# g.py\nw: `a` → `b`"],
)
def test_a_line_that_is_no_mutant_is_refused(text: str) -> None:
    """One without a file or without tests, too: none is passed over."""
    with pytest.raises(ValueError, match="w: `a`"):
        list(mutants_of(text))


@pytest.mark.thorough
def test_outcomes_say_what_happened(ahead: Ahead) -> None:
    """Caught, survived, and not run: a test that is not there, or one that never meets the edited module.

    Where every killer must fail, one that passes is a survivor.
    """
    both = (
        "theory/model/test_known_answers.py::test_one_state",
        "theory/model/test_known_answers.py::test_two_state_stationary_law",
    )
    before = Path(ROOT / A.file).read_bytes()
    jobs: list[tuple[Mutant | None, *tuple[str, ...]]] = [
        (A, "theory/model/test_known_answers.py::test_one_state"),
        (None, "theory/model/test_known_answers.py::test_one_state"),
        (A, "theory/model/test_known_answers.py::test_two_state_stationary_law"),
        (A, "theory/model/test_known_answers.py::test_that_is_not_there"),
        (A, "theory/certificate/test_checker.py::test_known_answers"),
        (A, *both),
        (replace(A, every=True), *both),
    ]
    numbers = [ahead.runner.ask(mutant, tests) for mutant, *tests in jobs]
    caught, plain, blind, absent, apart, one, every = map(ahead.runner.outcome, numbers)
    assert (caught.status, caught.by) == ("caught", "tests/theory/model/test_known_answers.py::test_one_state")
    assert (plain.status, blind.status) == ("survived", "survived")
    assert absent.status == apart.status == "not run" and "none of the tests imports" in apart.why
    assert (one.status, every.status, every.why) == ("caught", "survived", "1 of 2 tests passed")
    other = Ahead([])
    other.runner = ahead.runner
    other.credited = {both[0]: 0.1, "theory/model/test_chain.py::test_none": 0.1}
    (told,) = other.failures_without_mutants()
    assert told.startswith("not run: ")
    assert Path(ROOT / A.file).read_bytes() == before


def test_a_test_that_only_ever_fails_is_asked_without_a_mutant() -> None:
    """By its row that failed soonest; and none of which a row has passed under some mutant."""
    asked = Ahead([])
    asked.credited = {"a.py::t[1]": 0.3, "a.py::t[2]": 0.2, "a.py::u[1]": 0.1, "b.py::t": 0.4, "b.py::u": 0.1}
    asked.passed = {"a.py::u[2]", "b.py::t", "b.py::v"}
    assert asked.not_seen_to_pass() == {"a.py": ["a.py::t[2]"], "b.py": ["b.py::u"]}


@pytest.mark.parametrize(
    ("what", "old", "code"),
    [
        ("A with M + I", A.old, 0),
        ("A plus I", A.old, 0),
        ("A with M + I, twice", "return self.M(self.M(X)) - X", 1),
    ],
)
def test_a_mutant_that_is_no_longer_there_is_named(
    what: str, old: str, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "tests" / "quality" / "mutants.py"
    table.parent.mkdir(parents=True)
    row = {"id": f"key_matrices: {what}", "old": old, "new": A.new, "occurrence": None}
    table.write_text(f"from types import SimpleNamespace\nMUTANTS = [SimpleNamespace(**{row!r})]\n")
    assert same_mutants.main([str(tmp_path)]) == code
    printed = capsys.readouterr().out
    assert printed.startswith("1 mutants;") and (f": {what}\n" in printed) is bool(code)


@pytest.mark.parametrize(
    ("old", "new", "occurrence", "words"),
    [
        ("return self.M(Y) - X", "return 0", None, "stands 0 times"),
        ("for lam in reversed(lambdas):", "for lam in lambdas:", None, "stands 2 times"),
        ("for lam in reversed(lambdas):", "for lam in lambdas:", 2, "number 3 is meant"),
        (
            "S and M are never formed as powers",
            "S and M are never formed",
            None,
            "only comments, docstrings or asserts",
        ),
    ],
)
def test_a_row_that_no_longer_fits_is_told(old: str, new: str, occurrence: int | None, words: str) -> None:
    with pytest.raises(StaleEdit, match=words):
        Mutant("stale", A.file, old, new, (), occurrence).check()


@pytest.mark.thorough
def test_the_occurrence_that_is_named_is_edited() -> None:
    source = (ROOT / A.file).read_text(encoding="utf-8")
    old, new = "for lam in reversed(lambdas):", "for lam in lambdas:"
    first, second = (Mutant("which", A.file, old, new, (), k).source() for k in (0, 1))
    assert (
        first != second
        and {first.count(old), second.count(old)} == {1}
        and first.index(new) < source.index("def apply_M")
    )
    assert second.index(new) > source.index("def apply_M")
