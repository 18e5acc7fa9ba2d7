"""Limits of size: one option raises them all, a refusal names it, and the page lists what the code holds."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array, eye_array

import tdcert
from tdcert.algorithms import find
from tdcert.analysis import limits as analysis_limits
from tdcert.reports.cli import main
from tdcert.theory import limits
from tdcert.theory.check.mean_dynamics import td_dynamics
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.enclose.sparse_elimination import dissection
from tdcert.theory.engine.nodes import nodes
from tdcert.theory.engine.tables import tables
from tdcert.theory.errors import InputError
from tdcert.theory.files import limits as file_limits
from tdcert.theory.files.arrays import to_matrix
from tdcert.theory.files.npz import save_npz
from tdcert.theory.limits import LimitError, beyond, limits_raised, multiple, raised
from tdcert.theory.model.gallery import theta_to_two_theta
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.model.sparse_model import SparseModel
from tests.reports.test_cli import sentence

ROOT = Path(__file__).parents[2]
CLASSES = limits.MOST_CLASSES + 1
NOT_LIMITS = {"TIMES", "MOST_TIMES", "RAISED"}


def rows(module: ModuleType) -> dict[str, str]:
    """By its name, a limit's row of the page: its docstring up to the first semicolon, its value, and the rest."""
    statements = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8")).body
    found = {}
    for one, told in pairwise(statements):
        if isinstance(one, ast.Assign) and isinstance(told, ast.Expr) and isinstance(told.value, ast.Constant):
            name = ast.unparse(one.targets[0])
            what, _, why = " ".join(str(told.value.value).split()).partition("; ")
            value = getattr(module, name)
            size = f"{value:,}" if value < 10**8 else f"{value:.2g}"
            found[name] = f"| {what} | {size.replace('e+', 'e')} | {why.removesuffix('.')} |"
    return {name: row for name, row in found.items() if name not in NOT_LIMITS}


def test_the_page_lists_every_limit_with_its_unit_its_time_and_its_reason() -> None:
    of_files = rows(file_limits)
    kept = [of_files[name] for name in of_files if name not in file_limits.RAISED]
    listed = [*rows(limits).values(), *rows(analysis_limits).values(), *(of_files[name] for name in file_limits.RAISED)]
    assert len(listed) > 20 and all("|  |" not in row for row in [*listed, *kept])
    page = (ROOT / "docs" / "limits.md").read_text(encoding="utf-8")
    assert "\n".join(listed) in page and "\n".join(kept) in page, "\n".join([*listed, "", *kept])


@pytest.fixture
def apart(tmp_path: Path) -> str:
    """An archive of states that are recurrent classes of their own, one more than are asked about."""
    ones = np.ones((CLASSES, 1))
    model = SparseModel.reward_process(csr_array(eye_array(CLASSES)), ones, Fraction(1, 2), ones, Schedule(()))
    save_npz(tmp_path / "apart.npz", model)
    return str(tmp_path / "apart.npz")


@pytest.mark.thorough
def test_a_model_that_is_refused_is_answered_with_the_option_that_the_sentence_names(
    apart: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["analyze", apart, "--algorithms", "td", "--json"]) == 2
    assert sentence(said := capsys.readouterr().err) and "; give --limits 2 to try it" in said
    assert main(["analyze", apart, "--algorithms", "td", "--json", "--limits", "2"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["algorithms"]) == CLASSES and found["reproduce"].endswith("--limits 2")
    assert raised(1) == 1


def test_what_is_not_asked_about_is_said_where_nothing_is_refused(apart: str) -> None:
    few = tdcert.analyze(apart, what="verdict")
    assert not few.classes and any("give --limits 2" in note for note in few["notes"])
    many = tdcert.analyze(apart, what="verdict", limits=2)
    assert len(many.classes) == CLASSES and "--limits 2" in str(many.reproduce)


@pytest.mark.parametrize("given", ["0", "-1", "1.5", "many", "1000001"])
def test_a_bad_factor_is_refused_in_one_sentence(given: str, apart: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyze", apart, "--limits", given]) == 2
    assert sentence(said := capsys.readouterr().err) and "limits" in said
    with pytest.raises(InputError, match="limits"):
        tdcert.analyze(apart, limits=given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("times", "in_force", "says"),
    [
        (3.2, 1, "; give --limits 4 to try it"),
        (1.0, 1, "; give --limits 2 to try it"),
        (4.5, 5, "; give --limits 6 to try it"),
        (1e7, 1, ""),
        (multiple(3, 0), 1, ""),
    ],
)
def test_the_sentence_names_the_smallest_factor_that_is_enough(times: float, in_force: int, says: str) -> None:
    with limits_raised(in_force):
        assert beyond("too large", times) == str(LimitError("too large", times)) == "too large" + says


def answered_with_the_option(ask: Callable[[], Any]) -> int:
    """The question is refused, and answered with the option that its sentence names; the option's value."""
    with pytest.raises((LimitError, InputError)) as refused:
        ask()
    named = re.search(r"; give --limits (\d+) to try it$", str(refused.value))
    assert named, refused.value
    with limits_raised(int(named[1])):
        ask()
    return int(named[1])


@pytest.mark.parametrize("until", [None, 9])
def test_nodes_of_a_memory_with_an_end_are_followed_with_the_option(until: int | None) -> None:
    """λ_1 … λ_3 where either of two states follows: 4 + 8 + 16 + 32 walks bound the moves, fewer than these are met."""
    model, (td,) = theta_to_two_theta(Fraction(1, 2)), find("td[lambdas=1/2:1/3:1/4]")
    start = [Fraction(1, 2)] * 2
    assert answered_with_the_option(lambda: nodes(model, td, start, until=until, most=10)) > 2


def test_nodes_of_a_memory_without_an_end_are_not_promised() -> None:
    """A trace that never ends takes ever more values on a chain with a choice: no multiple of the limit is enough."""
    model, (td,) = theta_to_two_theta(Fraction(1, 2)), find("td[tail=1/2]")
    for limits_in_force in (1, 8):
        with limits_raised(limits_in_force), pytest.raises(LimitError) as refused:
            nodes(model, td, [Fraction(1, 2)] * 2, most=50)
        assert "state and memory take more than" in str(refused.value) and "--limits" not in str(refused.value)
    assert answered_with_the_option(lambda: nodes(model, td, [Fraction(1, 2)] * 2, until=4, most=10)) > 2


@tdcert.algorithm(parameters={"theta": "d"})
def reads_before(t: Any, theta: Any, alpha: Any) -> Any:
    """A step that the transition before weighs."""
    return theta + alpha * t.rho_before * (t.reward - t.phi @ theta) * t.phi


def test_transitions_after_transitions_are_evaluated_with_the_option(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tdcert.theory.engine.tables.EVALUATED_TRANSITIONS", 2)
    model = theta_to_two_theta(Fraction(1, 2))
    assert answered_with_the_option(lambda: tables(model, reads_before, range(2))) > 1


def test_denominators_are_read_with_the_option(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tdcert.theory.files.arrays.MAX_MATRIX_BITS", 20)
    primes = [[Fraction(1, p) for p in (2, 3, 5, 7, 11, 13, 17, 19)]]
    assert answered_with_the_option(lambda: to_matrix(primes, "P")) > 2


def test_a_dense_graph_is_eliminated_with_the_option(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tdcert.theory.enclose.sparse_elimination.ELIMINATION_WORK", 1000)
    dense = csr_array(np.full((30, 30), 1 / 30))
    assert answered_with_the_option(lambda: dissection(dense)) == 27


def test_what_was_undecided_is_asked_again_with_other_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cycle with a shift of features, whose A is not negative definite: without polynomials it stays open."""
    for module in ("mean_matrix", "stability"):
        monkeypatch.setattr(f"tdcert.theory.check.{module}.POLYNOMIAL_ROWS", 1)
    monkeypatch.setattr("tdcert.theory.check.mean_matrix.TIGHT_RATE_LIMIT", 1)
    monkeypatch.setattr("tdcert.theory.check.stability.LYAPUNOV_ROWS", 1)
    monkeypatch.setattr("tdcert.theory.check.mean_dynamics.decide_negative_definite", lambda *given: (False, "", None))
    model: Any = tdcert.load_model(
        P=[["1/2", "1/2"], ["1/4", "3/4"]], rewards=[1, 2], discount="3/7", features="tabular"
    ).model
    assert td_dynamics(model, (0, 1)).mean_dynamics is MeanDynamics.UNDECIDED
    with limits_raised(2):
        assert td_dynamics(model, (0, 1)).mean_dynamics is MeanDynamics.STABLE
    assert td_dynamics(model, (0, 1)).mean_dynamics is MeanDynamics.UNDECIDED
