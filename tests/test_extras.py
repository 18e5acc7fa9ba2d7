"""The core alone, without the libraries of the extras: it answers, or names the pip line; no traceback."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tdcert.sims.conformance import in_law
from tdcert.sims.judge.agreement import ErrorBudget
from tdcert.theory.errors import InputError
from tdcert.theory.extras import EXTRAS, PAGES, lacking, of_an_extra, require
from tests.effort import by_default

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
THETA = "example:two_state_theta_2theta"
REPORT = "needs jinja2 and matplotlib, which are not installed; pip install 'tdcert[report]' brings them"


@pytest.fixture
def core(tmp_path: Path) -> Path:
    """A folder to run in, where nothing beyond the core can be imported, in this process and those it starts."""
    absent = [*EXTRAS, "sympy"]
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(f"import sys\nsys.modules.update(dict.fromkeys({absent}))\n")
    (tmp_path / "here").mkdir()
    return tmp_path / "here"


def python(core: Path, *words: str | Path, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, *map(str, words)],
        cwd=core,
        capture_output=True,
        text=True,
        timeout=600,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(core.parent / "site"), str(ROOT / "src")])},
    )
    assert done.returncode == code and "Traceback" not in done.stdout + done.stderr, done.stdout + done.stderr
    return done


@pytest.mark.parametrize(
    ("words", "said"),
    by_default(
        1,
        [
            (["analyze", THETA, "--out", "report"], f"a report {REPORT}"),
            (
                ["analyze", THETA, "--simulate"],
                "--simulate needs numba, which is not installed; ",
            ),
            (["analyze", THETA, "--phase-diagram"], "--phase-diagram needs numba, which is not installed; "),
            (["analyze", "gymnasium:Taxi-v4"], "an environment by its id needs gymnasium, which is not installed; "),
            (["verify", "prop_4_1"], "tdcert verify needs jinja2, matplotlib and numba, which are not installed; "),
            (["sweep", "spec.toml"], "a sweep needs pyarrow, numba, jinja2 and matplotlib, which are not installed; "),
        ],
    ),
)
def test_a_missing_extra_is_one_sentence_with_the_pip_line(core: Path, words: list[str], said: str) -> None:
    done = python(core, "-m", "tdcert", *words, code=2)
    assert said in done.stderr and done.stderr.count("\n") == 1 and not done.stdout and not os.listdir(core)
    assert "pip install 'tdcert[" in done.stderr


@pytest.mark.thorough
def test_the_core_analyses_without_a_page(core: Path) -> None:
    done = python(core, "-m", "tdcert", "analyze", THETA)
    assert "off-policy TD   ✗ diverges" in done.stdout and done.stdout.endswith(f"a report {REPORT}\n")
    assert not os.listdir(core)
    rows = json.loads(python(core, "-m", "tdcert", "analyze", THETA, "--json").stdout)["algorithms"]
    found = {row["name"]: row["mean_dynamics"]["verdict"] for row in rows if row["mean_dynamics"]}
    assert found == {"off_policy_td": "unstable", "gtd": "stable"}


@pytest.mark.thorough
def test_the_core_certifies_checks_and_shows(core: Path) -> None:
    words = ("certify", THETA, "--algorithm", "gtd", "--within", "1", "--probability", "9/10", "--out", "certified")
    assert "certified" in python(core, "-m", "tdcert", *words).stdout
    assert "accepted" in python(core, "-m", "tdcert", "check", "certified").stdout


@pytest.mark.thorough
def test_the_core_puts_classes_and_functions_on_trial(core: Path, error_budget: ErrorBudget) -> None:
    """The fixture ``conforms`` of a library's own CI; a class with a randomness of its own is judged in law."""
    error_budget.spend("conformance of Noisy in the core", len(in_law.SIZES) * in_law.ALPHA)
    for name in ("conformance/plain_td.py", "estimators/ppo.py"):
        shutil.copy(ROOT / "examples" / name, core)
    (core / "test_mine.py").write_text(
        """
import numpy as np
from plain_td import PlainTD


class Noisy(PlainTD):
    def step(self, *given, **named):
        super().step(*given, **named)
        self.weights = [float(np.floor(x * 2**12 + np.random.random()) / 2**12) for x in self.weights]


def test_mine(conforms):
    assert conforms(PlainTD, algorithm="td", schedules="n_step")["how"] == "path_by_path"
    assert conforms(Noisy, algorithm="td", schedules="n_step")["how"] == "in_law"
    assert conforms("ppo.py:advantages", estimator="gae", contract="cleanrl-done")["conforms"]
"""
    )
    plugins = ("--disable-plugin-autoload", "-p", "tdcert.pytest_plugin", "-p", "no:cacheprovider")
    assert "1 passed" in python(core, "-m", "pytest", "-q", *plugins).stdout


@pytest.mark.thorough
def test_python_is_answered_by_the_same_sentences(core: Path) -> None:
    (core / "ask.py").write_text(
        """
import tdcert

model = tdcert.example("two_state_theta_2theta")
found = tdcert.analyze(model, what="verdict")
print(found.algorithms["gtd"].mean_dynamics.value)
for asked in (
    lambda: found.plot,
    lambda: found.report("here"),
    lambda: tdcert.analyze(model, out="here"),
    lambda: tdcert.analyze(model, simulate=True),
    lambda: tdcert.load_model("gymnasium:Taxi-v4"),
):
    try:
        asked()
    except tdcert.InputError as error:
        print(error)
try:
    import tdcert.strategies
except ImportError as error:
    print(error)
"""
    )
    answer, *said = python(core, "ask.py").stdout.splitlines()
    assert answer == "stable" and os.listdir(core) == ["ask.py"]
    wanted = ["report]'", "report]'", "report]'", "sim]'", "gym]'", "strategies]"]
    assert [line.split("tdcert[")[1].split(" ")[0] for line in said] == wanted


def test_sentences_name_what_is_missing_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("numba", "jinja2"):
        monkeypatch.setitem(sys.modules, name, None)
    assert lacking("x", "matplotlib") == ""
    require("x", "matplotlib")
    assert lacking("x", *PAGES) == "x needs jinja2, which is not installed; pip install 'tdcert[report]' brings it"
    with pytest.raises(InputError, match=r"x needs jinja2 and numba, which are not .*\[report,sim\]' brings them"):
        require("x", *PAGES, "numba")
    told = of_an_extra(ModuleNotFoundError("no", name="numba.core"))
    assert told is not None and "needs numba" in str(told)
    assert of_an_extra(ModuleNotFoundError("no", name="matplotlib")) is None, "it is installed: this is another fault"
    assert of_an_extra(ModuleNotFoundError("no", name="elsewhere")) is None


def test_every_extra_that_a_sentence_names_brings_the_library() -> None:
    extras = PROJECT["optional-dependencies"]
    for library, extra in EXTRAS.items():
        assert any(line.startswith(f"{library}>=") for line in extras[extra]), library
        assert not any(line.startswith(library) for line in PROJECT["dependencies"])
    (everything,) = extras["all"]
    assert set(everything[len("tdcert[") : -1].split(",")) == {*EXTRAS.values()} - {"cluster"}
