"""Classes and functions of a user's: how they are found, what their process may do, and what is said of it."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tdcert.sims.trials.place import CodePlace
from tdcert.sims.trials.process import Job, Ran
from tdcert.sims.trials.stops import Stop, refuse_undecided, stopped
from tdcert.sims.trials.trial import check_limits, heard, likeness
from tdcert.theory.errors import InputError

ROOM = """
import sys
from tdcert.sims.trials.worker import guarded

def walk(job, found):
    here = job.words["at"]
    for number, spec in enumerate(job.words["numbers"]):
        job.stands(0, number, number)
        here = job.write(here, guarded("it", found, job.array(spec)))
    print([name.split(".")[-2:] for name in sys.modules if name.startswith("tdcert")])
"""
CODE = """
import os, sys, time
from elsewhere import not_its_own

class Right:
    def __new__(cls, x):
        return 2 * x

class Other:
    pass

def right(x):
    return 2 * x

def other(x):
    pass

VALUE = 3
"""
KINDS = ("class", "function")
ITS = {"class": ("Right", "Right, Other"), "function": ("right", "right, other")}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tmp_path = tmp_path / "room"
    tmp_path.mkdir()
    (tmp_path / "room.py").write_text(ROOM)
    (tmp_path / "elsewhere.py").write_text("def not_its_own():\n    pass\n")
    (tmp_path / "code.py").write_text(CODE)
    (tmp_path / "broken.py").write_text("class A(:\n")
    (tmp_path / "empty.py").write_text("from elsewhere import not_its_own\n")
    (tmp_path / "within.py").write_text("from . import elsewhere\n")
    (tmp_path / "lacks.py").write_text("import a_library_nobody_has\n")
    (tmp_path / "leaves.py").write_text("import os\nprint('bye', flush=True)\nos._exit(0)\n")
    (tmp_path / "sleeps.py").write_text("import time\ntime.sleep(60)\n")
    return tmp_path


def ran(folder: Path, target: str, kind: str, time_limit: float = 60.0, python: str | None = None) -> Ran:
    job = Job(CodePlace.of(target, kind), str(folder / "room.py"), 0)
    numbers = [job.array([1.0, -2.0]), job.array([[3.0]], "float32")]
    job.words |= {"numbers": numbers, "at": job.result(3)}
    return job.run(time_limit, python=python)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_returned_comes_back_and_nothing_else_of_ours_is_imported(kind: str, folder: Path) -> None:
    found = ran(folder, f"{folder}/code.py:{ITS[kind][0]}", kind)
    assert found.results.tolist() == [2.0, -4.0, 6.0] and found.stop is None
    assert found.printed == (1, str([["trials", "worker"], [folder.name, "worker"]]))
    assert len(heard(found.printed)) == 1 and heard((0, "")) == []


@pytest.mark.parametrize(
    ("does", "kind", "sentence"),
    [
        ("raise KeyError('third')", "raised", "it raises KeyError: 'third', here"),
        ("raise SystemExit('bye')", "raised", "it raises SystemExit: bye, here"),
        ("os._exit(3)", "exits", "it ended the process (exit code 3), here"),
        ("os.kill(os.getpid(), 11)", "exits", "it ended the process (SIGSEGV), here"),
        pytest.param(
            "time.sleep(60)",
            "hangs",
            "it had not ended after 2 s, here; if it is slow rather than stuck, give a longer",
            marks=pytest.mark.thorough,
        ),
        ("x[:] = 0", None, ""),
    ],
)
def test_a_run_that_stops_says_where(does: str, kind: str | None, sentence: str, folder: Path) -> None:
    """At the second call; what was returned before is there."""
    code = f"import os, time\ndef right(x):\n    if x.size == 1:\n        {does}\n    return x\n"
    (folder / "code.py").write_text(code)
    found = ran(folder, f"{folder}/code.py:right", "function", 2.0 if kind == "hangs" else 60.0)
    assert found.results[:2].tolist() == [1.0, -2.0] and (found.results[2] == 0 or kind is not None)
    if kind is None:
        assert found.stop is None
        return
    assert found.stop is not None and (found.stop.kind, found.stop.case, found.stop.step) == (kind, 1, 1)
    assert np.isnan(found.results[2]) and stopped(found.stop, "here").startswith(sentence)
    if kind == "hangs":
        with pytest.raises(InputError, match=r"code\.py:right is not decided under it: so$"):
            refuse_undecided(CodePlace.of(f"{folder}/code.py:right", "function"), found.stop, "so", " under it")
    else:
        refuse_undecided(CodePlace.of(f"{folder}/code.py:right", "function"), found.stop, "so")


def test_ctrl_c_ends_the_child_too(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []

    class Interrupted(subprocess.Popen[bytes]):
        def wait(self, timeout: float | None = None) -> int:
            if not started:
                started.append(self)
                raise KeyboardInterrupt
            return super().wait(timeout)

    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    before = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        ran(folder, f"{folder}/sleeps.py:A", "class")
    assert started[0].returncode == -9 and time.monotonic() - before < 20


BOTH = [
    ("json", "'json' names no KIND; give MODULE:NAME, path/to/file.py:NAME or notebook.ipynb:NAME"),
    ("a b:", "'a b:' names no KIND; give MODULE:NAME, path/to/file.py:NAME or notebook.ipynb:NAME"),
    ("no/such.py:A", "there is no file 'no/such.py'; give MODULE:NAME or path/to/file.py:NAME"),
    ("no_such:A", "there is no module 'no_such'; run from its folder, or give path/to/file.py:A"),
    ("HERE/code.py:A", "HERE/code.py has no KIND 'A'; it has ITS"),
    ("HERE/code.py:VALUE", "'VALUE' of HERE/code.py is of the type int; give the name of a KIND"),
]
USAGE = [
    *[(*row, kind) for row in BOTH for kind in KINDS],
    ("HERE/empty.py:A", "HERE/empty.py has no KIND 'A' and defines no KIND at its top level; give MODULE:NAME"),
    ("HERE/broken.py:A", "HERE/broken.py cannot be imported (SyntaxError: "),
    ("HERE/within.py:A", "HERE/within.py cannot be imported (ImportError: "),
    ("HERE/lacks.py:A", "HERE/lacks.py cannot be imported (ModuleNotFoundError: No module named 'a_library_nobody"),
    ("HERE/leaves.py:A", "the process ended while importing HERE/leaves.py, after printing 'bye'; give a module "),
]


@pytest.mark.parametrize(("target", "sentence", "kind"), [(*row, "function")[:3] for row in USAGE])
def test_bad_usage_is_one_sentence(target: str, sentence: str, kind: str, folder: Path) -> None:
    with pytest.raises(InputError) as caught:
        ran(folder, target.replace("HERE", str(folder)), kind)
    said = str(caught.value)
    words = sentence.replace("HERE", str(folder)).replace("KIND", kind).replace("ITS", ITS[kind][1])
    assert said.startswith(words.replace("NAME", kind.upper())) and "\n" not in said
    ends = {"within": "give a module of a package as MODULE:FUNCTION", "lacks": "a Python that has what it imports"}
    assert said.endswith(next((end for name, end in ends.items() if name in target), ""))


@pytest.mark.thorough
def test_what_is_not_imported_in_time_is_said(folder: Path) -> None:
    with pytest.raises(InputError, match=r"sleeps\.py was not imported within 1 s; give a longer --time-limit$"):
        ran(folder, f"{folder}/sleeps.py:A", "class", 1.0)


def test_another_python_has_to_run_and_to_have_numpy(folder: Path) -> None:
    with pytest.raises(InputError, match="nowhere/python cannot be run; give the path of a Python that has NumPy"):
        ran(folder, f"{folder}/code.py:right", "function", python="nowhere/python")
    (folder / "python").write_text("#!/bin/sh\necho no numpy\n")
    (folder / "python").chmod(0o755)
    with pytest.raises(InputError, match=r"/python ended before the function was called \('no numpy'\); give a Python"):
        ran(folder, f"{folder}/code.py:right", "function", python=f"{folder}/python")


def local() -> Any:
    class Local:
        pass

    return Local


@pytest.mark.parametrize(
    ("given", "kind", "sentence"),
    [
        (local(), "class", "the class local.<locals>.Local is made inside a function, where no other process finds it"),
        (lambda: 0, "function", "the function <lambda> lies in no file"),
        (len, "function", "the function len lies in no file; save it and give path/to/file.py:FUNCTION"),
        (
            7,
            "class",
            "an object of type int is not a class; give the class itself, MODULE:CLASS, path/to/file.py:CLASS",
        ),
        (7, "function", "an object of type int is not a function; give the function itself, MODULE:FUNCTION"),
        (Path, "function", "an object of type type is not a function"),
        (ran, "class", "an object of type function is not a class"),
    ],
)
def test_objects_that_cannot_be_found_are_one_sentence(
    given: Any, kind: str, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "lambda" in sentence:
        monkeypatch.setattr(given, "__module__", "nowhere")
    with pytest.raises(InputError) as caught:
        CodePlace.of(given, kind)
    assert str(caught.value).startswith(sentence)


def test_objects_are_found_by_the_file_they_lie_in() -> None:
    """Although pytest gave the module a name of its own."""
    for given, kind in ((Listed, "class"), (ran, "function")):
        assert CodePlace.of(given, kind).file == str(Path(str(sys.modules[__name__].__file__)).resolve())


def test_numbers_out_of_range_are_one_sentence() -> None:
    limit, seed = "give seconds above 0, below a million", "give a whole number from 0, below 4294967295"
    for given, sentence in (
        ((0, 0), f"the time limit is 0 s; {limit}"),
        ((0, 1e6), f"the time limit is 1e+06 s; {limit}"),
        ((0, "long"), f"the time limit is 'long'; {limit}"),
        ((-1, 1), f"the seed is -1; {seed}"),
        ((2**32, 1), f"the seed is {2**32}; {seed}"),
        (("one", 1), f"the seed is 'one'; {seed}"),
    ):
        with pytest.raises(InputError) as caught:
            check_limits(*given)
        assert str(caught.value) == sentence
    check_limits(2**32 - 2, 1e-3)


class Listed:
    """A known mistake that makes the samples of a list."""

    def __init__(self, words: str, *makes: int) -> None:
        self.words, self.makes = words, makes


def test_the_mistake_that_makes_everything_is_named_else_the_one_that_makes_most() -> None:
    def like(known: list[Listed], wrong: list[int]) -> tuple[str, bool] | None:
        found = likeness(known, [0, 1, 2, 3], wrong, lambda mistake, sample: sample in mistake.makes)
        return (found.words, found.everywhere) if found else None

    every, most, half = Listed("every", 0, 1, 2, 3), Listed("most", 1, 2), Listed("half", 0, 1)
    assert like([most, every, Listed("too", 0, 1, 2, 3)], [1]) == ("every", True)
    assert like([half, most, Listed("as many", 1, 2)], [1, 2, 3]) == ("most", False)
    assert like([half], [1, 2]) is None and like([], [1]) is None
    found = likeness([most], [0, 1], [1], lambda mistake, sample: sample in mistake.makes)
    assert found is not None and found.added_to("It is", "rows") == "It is; most of its wrong rows look like most"


def test_words_of_stops() -> None:
    assert stopped(Stop("exits", {"code": -99}, "", 0, 0), "here") == "it ended the process (signal 99), here"
    said = stopped(Stop("raised", {"text": "E: no."}, "", 0, 0), "here", faster="?", instead="; so")
    assert said == "it raises E: no, here; so"
