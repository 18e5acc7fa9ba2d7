"""A corpus of certificate files: everything in ``correct/`` is accepted, everything in ``incorrect/`` is rejected.

The correct ones cover every kind; each incorrect one is a correct one with one field tampered with (a sign, a digit, a
swapped row, another model's digest, a float, a duplicate key, a huge exponent …), named after it. ``expected.json``
holds words of the sentence that rejects it. The files are data: they stay what they are when the checker changes.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from shutil import copytree

import pytest

from tdcert.theory.certificate import checker

HERE = Path(__file__).parent
CORRECT = sorted((HERE / "correct").glob("*.json"))
EXPECTED: dict[str, str] = json.loads((HERE / "incorrect" / "expected.json").read_text(encoding="utf-8"))


def test_the_corpus_covers_every_kind_both_ways() -> None:
    kinds = {json.loads(path.read_text(encoding="utf-8"))["kind"] for path in CORRECT}
    assert kinds == set(checker.KINDS)
    names = {path.name for path in (HERE / "incorrect").glob("*.json")} - {"expected.json"}
    assert names == set(EXPECTED)
    assert len({int(name.split("-")[0]) for name in names}) == len(names), "a number is used twice"
    tampered = set()
    for name in names:
        try:
            tampered.add(json.loads((HERE / "incorrect" / name).read_text(encoding="utf-8"))["kind"])
        except (ValueError, TypeError, KeyError, RecursionError):
            continue
    assert set(checker.KINDS) <= tampered


@pytest.mark.parametrize("path", CORRECT, ids=lambda path: path.stem)
def test_a_correct_certificate_is_accepted(path: Path) -> None:
    assert checker.check_file(str(path))


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_an_incorrect_certificate_is_rejected_in_one_sentence(name: str) -> None:
    with pytest.raises(checker.Rejected) as caught:
        checker.check_file(str(HERE / "incorrect" / name))
    assert EXPECTED[name] in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.thorough
def test_the_checker_alone_says_so_with_its_exit_code(tmp_path: Path) -> None:
    alone = tmp_path / "checker"
    copytree(Path(checker.__file__).parent, alone)
    command = [sys.executable, "-I", "-S", str(alone)]
    accepted = subprocess.run([*command, *map(str, CORRECT)], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert accepted.returncode == 0, accepted.stdout
    rejected = subprocess.run(
        [*command, *(str(HERE / "incorrect" / name) for name in sorted(EXPECTED))],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert rejected.returncode == 1
    assert [line.split(":")[0] for line in rejected.stdout.splitlines()] == ["rejected"] * len(EXPECTED)
