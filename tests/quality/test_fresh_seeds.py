"""The script that repeats all statistical comparisons with fresh seeds: seeds are planted, alarms are noticed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tdcert.sims.judge.agreement import judge_mean
from tdcert.sims.streams import generator
from tests.quality.fresh_seeds import ROOT, Line, plant, table

TESTS = """
from tdcert.sims.judge.agreement import judge_mean
from tdcert.sims.streams import generator

SEED = 1


def judged(name, budget, shift):
    x = generator(SEED, name).standard_normal((100, 1)) + shift
    assert judge_mean(x, 0.0, 1.0, alpha=budget.spend(name, 1e-9), name=name).agrees


def test_true(error_budget):
    judged("true", error_budget, 0.0)


def test_false(error_budget):
    judged("false", error_budget, 3.0)


def test_of_something_else():
    assert False
"""


@pytest.mark.thorough
def test_every_comparison_is_repeated_with_its_seed_and_alarms_are_counted(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("from tests.conftest import *\n", encoding="utf-8")
    (tmp_path / "test_made_up.py").write_text(TESTS, encoding="utf-8")
    program = (
        "import sys; from tests.quality import fresh_seeds; "
        f"fresh_seeds.files = lambda: [{str(tmp_path / 'test_made_up.py')!r}]; "
        "sys.exit(fresh_seeds.main(['--repeats', '2', '--seed', '5']))"
    )
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    lines = [line.split() for line in run.stdout.splitlines()]
    x = [generator(seed, "true").standard_normal((100, 1)) for seed in (5, 6)]
    largest = max(judge_mean(rows, 0.0, 1.0, alpha=1e-9, name="true").statistic for rows in x)
    assert run.returncode == 1, run.stderr
    assert lines[1][1:] == ["2", "2", "false"] and float(lines[1][0]) > 1
    assert lines[2] == [f"{largest:.3f}", "0", "2", "true"]
    assert sum("test_false" in line for line in run.stdout.splitlines()) == 2
    assert "2 alarms; 4 tests, 2 failed" in run.stdout


def test_a_module_without_a_seed_is_refused() -> None:
    module = ModuleType("seedless")
    with pytest.raises(LookupError, match="seedless spends from the error budget, but has no SEED to replace"):
        plant(module, 3)


def test_the_table_puts_alarms_first() -> None:
    quiet, loud, other = Line(), Line(), Line()
    quiet.add(0.5, False)
    quiet.add(0.25, False)
    loud.add(1.25, True)
    other.add(None, False)
    rows = [row.split() for row in table({"other": other, "quiet": quiet, "loud": loud})]
    assert rows[1:] == [["1.250", "1", "1", "loud"], ["0.500", "0", "2", "quiet"], ["–", "0", "1", "other"]]
