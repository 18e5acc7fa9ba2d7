"""An analysis where λ is given by state: rows of functions, and nothing that is about one λ-schedule."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tdcert
from tdcert.algorithms import named
from tdcert.analysis.by_state import OF_SCHEDULES, about_interest
from tdcert.analysis.choose_arithmetic import in_floats
from tdcert.analysis.request import first_step
from tdcert.reports.cli import main
from tdcert.reports.earlier_formats import told
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.engine.declare import algorithm
from tdcert.theory.errors import InputError
from tdcert.theory.files.load import loads_model
from tdcert.theory.files.schedule_forms import one_schedule_from_text, schedule_from_text
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import LambdaByState, Schedule
from tests.theory.engine.test_by_state import RING, TWO, weighted_entries

F = Fraction
CYCLE = Model.reward_process(
    RationalMatrix([[0, 1], [1, 0]]), RationalMatrix.column([1, 0]), F(19, 20), RationalMatrix([[5], [1]])
)
BY_STATE = {"by_state": [0, 1]}


def analysed(model: Any = CYCLE, **more: Any) -> Any:
    return tdcert.analyze(model, **{"schedule": BY_STATE, "what": "verdict", **more}).to_dict()


def test_td_on_policy_may_diverge() -> None:
    """z is 5 in state 0 and 19/20·5 + 1 in state 1: A = ½(5(19/20 − 5) + 23/4·15/4) = 21/32. TD(½) is stable."""
    found = analysed(algorithms="td,etd")
    assert [row["mean_dynamics"]["verdict"] for row in found["algorithms"]] == ["unstable", "stable"]
    assert found["A"] == [["21/32"]] and found["kappa"] is None
    assert (
        found["model"]["lambdas"] == BY_STATE | {"by_state": ["0", "1"]} and found["model"]["schedule_length"] is None
    )
    assert analysed(schedule="constant:1/2", algorithms="td")["algorithms"][0]["mean_dynamics"]["verdict"] == "stable"


def test_rows_are_those_of_functions() -> None:
    """The paper's algorithms where nobody names others; no statement, no warning, no bound, no comparison."""
    found = tdcert.analyze(TWO).to_dict()
    assert [row["name"] for row in found["algorithms"]] == ["td", "gtd", "tdc"]
    assert found["claims"] == [] and len(found["claims_not_asked"]) > 60 and found["warnings"] == []
    assert found["schedules"] == [] and OF_SCHEDULES in found["notes"]
    assert all(row["error_bound_squared"] is None for row in found["algorithms"])
    assert found["theta_star"] == ["34/25"]  # 136/100, of the mean by hand


def test_steps_are_those_of_functions() -> None:
    found = analysed(TWO, schedule=None, algorithms="td", steps="1/100")
    assert found["step_sizes"]["algorithms"][0]["verdict"] == "small_enough"


@pytest.mark.parametrize("more", [{"arithmetic": "enclosed"}, {"arithmetic": "sparse"}])
def test_other_arithmetics_give_what_does_not_depend_on_lambda(more: dict[str, Any]) -> None:
    """The law, C and the projection; A and θ* are those of the rows alone."""
    exact, found = analysed(TWO, schedule=None, algorithms="td"), analysed(TWO, schedule=None, algorithms="td", **more)
    assert found["A"] is None and found["theta_star"] is None and found["C"] is not None
    assert found["algorithms"][0]["mean_dynamics"]["verdict"] == "stable"
    assert OF_SCHEDULES in found["notes"] and exact["A"] == [["-100/33"]]


@pytest.mark.parametrize("what", ["claims", "warnings"])
def test_what_is_about_one_schedule_is_refused(what: str) -> None:
    with pytest.raises(InputError, match=f"--what {what} was asked of a λ by state"):
        analysed(what=what)


def test_other_schedules_beside_it() -> None:
    found = analysed(TWO, schedule=None, algorithms="etd", schedules=["td0", {"by_state": [0, "1/2"]}], what=None)
    (rows,) = found["schedules_of"]
    assert [row["schedule"] for row in rows["under"]] == ["by_state:1,1/2", "td0", "by_state:0,1/2"]
    assert rows["under"][0]["name"] == "λ by state (1, 1/2)"


@pytest.mark.thorough
def test_phase_diagrams_have_it_in_a_row() -> None:
    found = tdcert.analyze(
        TWO, algorithms="td", phase_diagram=True, phase_x="discount:1/2,9/10", schedules=["td0", {"by_state": [0, 1]}]
    ).to_dict()
    assert found["phase_diagram"]["why"] is None and found["phase_diagram"]["y"] == "schedule"


@pytest.mark.thorough
def test_for_ever_where_traces_end() -> None:
    """λ = 0 in one of two states that take turns: a trace is of two states, and θ stays near θ* for ever from some N
    on. By hand: z = 5 in state 0 and ½·19/20·5 + 1 in state 1, and E[z(γφ' − φ)] = −243/32·… rests at b/−A = 160/243.
    """
    model = replace(CYCLE, schedule=LambdaByState((F(0), F(1, 2))))
    found = tdcert.certify(model, algorithm="td", within=1, probability=0.5, steps="1/2,100")
    assert found.to_dict()["ever_after"] is not None and found.to_dict()["theta_star"] == ["160/243"]


def test_the_first_step_is_that_of_the_largest_lambda() -> None:
    """1/(|φ|²·1/(1 − ½)) with λ = 1 and |φ|² = 9."""
    assert first_step(TWO) == pytest.approx(1 / 18, rel=1e-12)


# ---- how it is given -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", [BY_STATE, "by_state:0,1", '{"by_state": [0, 1]}', LambdaByState((F(0), F(1)))])
def test_forms(given: Any) -> None:
    assert tdcert.load_model(CYCLE, schedule=given).model.schedule == LambdaByState((F(0), F(1)))
    assert tdcert.ByState([0, 1]) == LambdaByState((F(0), F(1)))


@pytest.mark.parametrize(
    ("ask", "why"),
    [
        (lambda: tdcert.load_model(CYCLE, schedule="by_state:0,1,0"), "for 3 states; give 2 numbers"),
        (lambda: tdcert.load_model(CYCLE, schedule="by_state:0,2"), r"λ\(s1\).*from 0 to 1"),
        (lambda: tdcert.load_model(CYCLE, schedule={"by_state": 1}), "a list of numbers, one for each state"),
        (lambda: tdcert.load_model(CYCLE, schedule=LambdaByState((F(0), F(2)))), "from 0 to 1"),
        (lambda: tdcert.ByState([[0, 1]]), "one for each state"),
        (lambda: tdcert.ByState([0, 3]), "from 0 to 1"),
        (lambda: tdcert.analyze(CYCLE, algorithms="td", schedules=["by_state:1,0,1"]), "give 2 numbers"),
        (lambda: one_schedule_from_text("by_state:0,1", "schedules"), "of one model that is known"),
    ],
)
def test_what_is_not_a_lambda_for_each_state_is_refused(ask: Callable[[], object], why: str) -> None:
    with pytest.raises(InputError, match=why):
        ask()


def test_many_models_have_schedules() -> None:
    assert one_schedule_from_text("n_step:3", "schedules") == schedule_from_text("n_step:3", "it") == Schedule.n_step(3)


def test_states_that_cannot_be_reached_are_left_out() -> None:
    """A λ for each state of the table; state 1 is dropped."""
    table = {s: {0: [(1.0, 2 - s, 0.0, False)]} for s in (0, 2)} | {1: {0: [(1.0, 0, 0.0, False)]}}
    given = tdcert.load_model(table, start=0, schedule={"by_state": ["1/3", 1, "1/2"]}).model
    assert given.lambda_by_state == (F(1, 3), F(1, 2))
    with pytest.raises(InputError, match="for 2 states; give 3 numbers"):
        tdcert.load_model(table, start=0, schedule={"by_state": [0, 1]})


@pytest.mark.thorough
def test_from_a_shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "ring.json"
    file.write_text(json.dumps(RING.canonical), encoding="utf-8")
    arguments = ["analyze", str(file), "--algorithms", "etd", "--what", "verdict", "--out", str(tmp_path / "out")]
    assert main([*arguments, "--schedule", "by_state:1,0,1/2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["model"]["lambdas"] == {"by_state": ["1", "0", "1/2"]}
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert "by state:" in page


# ---- interest --------------------------------------------------------------------------------------------------------


def test_interest_is_given_in_a_file_and_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "ring.json"
    file.write_text(json.dumps({**RING.canonical, "interest": [1, 0, "1/2"]}), encoding="utf-8")
    assert tdcert.load_model(file).model.interest == (F(1), F(0), F(1, 2))
    assert tdcert.load_model(file, interest=[3, 0, 0]).model.interest == (F(3), F(0), F(0))
    assert tdcert.load_model(file, interest="0,1,2").model.interest == (F(0), F(1), F(2))


def test_what_no_interest_enters_is_said() -> None:
    document = analysed(TWO, schedule=None, algorithms="etd,td", interest=[0, 1])
    assert document["model"]["interest"] == ["0", "1"]
    assert "the interest does not enter td: there is none in the definition" in document["notes"]
    assert "interest" not in analysed(algorithms="etd")["model"]


@algorithm(parameters={"theta": "d"})
def in_a_helper(t: Any, theta: Any, alpha: Any) -> Any:
    """TD(0) that takes vectors apart, and reads the interest in a function inside."""

    def weighted(x: Any) -> Any:
        return t.interest * x

    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    return np.array([x + alpha * weighted(delta * y) for x, y in zip(theta, t.phi, strict=True)])


@algorithm(parameters={"theta": "d"})
def without(t: Any, theta: Any, alpha: Any) -> Any:
    """TD(0) that takes vectors apart."""
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    return np.array([x + alpha * delta * y for x, y in zip(theta, t.phi, strict=True)])


def test_an_interest_is_found_wherever_a_function_reads_it() -> None:
    """It was once looked for in the names of the function's own code, where those of inner functions are not."""
    given = replace(TWO, interest=(F(1), F(0)), schedule=Schedule())
    said = about_interest(given, [in_a_helper, weighted_entries, without, named("implicit_td"), named("etd")])
    assert said == ("the interest does not enter without, implicit_td: there is none in the definition",)


@algorithm(parameters={"theta": "d"})
def where_there_is_some(t: Any, theta: Any, alpha: Any) -> Any:
    """TD(0) in states of interest."""
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    return theta + alpha * delta * t.phi if t.interest > 0 else theta


def test_what_no_interest_enters_is_said_in_sparse_arithmetic() -> None:
    given = in_floats(replace(TWO, interest=(F(1), F(0)), schedule=Schedule()))
    said = about_interest(given, [named("etd"), named("td"), named("retrace"), where_there_is_some])
    assert said == ("the interest does not enter td, retrace: there is none in the definition",)


def test_reports_of_another_lambda_or_interest_are_not_the_same() -> None:
    """θ* of emphatic TD is not that of the document, so the verdicts alone would be equal."""
    one = told(analysed(TWO, schedule=None, algorithms="etd", interest=[0, 1]))
    assert (one["λ by state"], one["interest"]) == ("1, 1/2", "0, 1")
    others = (told(analysed(TWO, schedule=by, algorithms="etd")) for by in (None, "td0"))
    assert [{"λ by state", "interest"} & x.keys() for x in others] == [{"λ by state"}, set()]


@pytest.mark.thorough
def test_interest_from_a_shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "ring.json"
    file.write_text(json.dumps({**RING.canonical, "interest": [1, 0, "1/2"]}), encoding="utf-8")
    arguments = ["analyze", str(file), "--algorithms", "etd,td", "--what", "verdict", "--out", str(tmp_path / "out")]
    assert main([*arguments, "--interest", "0,1,2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["model"]["interest"] == ["0", "1", "2"]
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert "<span>Interest</span><span>by state: 0, 1, 2</span>" in page


@pytest.mark.parametrize(("given", "rest"), [([1, 1], F(20, 9)), ([1, 0], F(80, 39)), ([0, 1], F(95, 39))])
def test_the_rest_of_emphatic_td_by_hand(given: list[int], rest: F) -> None:
    """λ = (0, 1) on two states that take turns, d = ½: f = (I − γPᵀ)⁻¹(i/2), M = (f(0), i(1)/2), u(0) = 5M(0) and
    u(1) = γu(0) + M(1); A = u(0)(γ − 5) + u(1)(5γ − 1), and b = u(0), as the reward is that of state 0.
    """
    gamma, half = F(19, 20), F(1, 2)
    first = (half * given[0] + gamma * half * given[1]) / (1 - gamma**2)
    u = 5 * first
    after = gamma * u + half * given[1]
    assert rest == -u / (u * (gamma - 5) + after * (5 * gamma - 1))
    found = tdcert.analyze(CYCLE, schedule=BY_STATE, algorithms="etd", interest=given, what="verdict")
    theta: Any = found.algorithms["etd"]
    assert theta.theta_star.exact.tolist() == [rest]


@pytest.mark.thorough
def test_certificates_of_what_no_interest_enters_are_about_the_model_without() -> None:
    """Both checkers read them, and the checker that is proved correct knows no interest."""
    given = replace(RING, schedule=Schedule(), interest=(F(1), F(0), F(2)))
    found = tdcert.analyze(given, algorithms="off_policy_td,etd", steps="1/100", what="verdict")
    digests = {kept.body["digest"] for kept in found._result.certificates}
    assert digests == {given.without_interest.digest} != {given.digest}


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ([1], "interest has 1 weights; give 2"),
        ([1, -1], "holds -1"),
        ([0, 0], "holds zeros alone"),
        (1, "is one number"),
    ],
)
def test_what_is_no_interest_is_refused(given: Any, why: str) -> None:
    with pytest.raises(InputError, match=why):
        tdcert.load_model(CYCLE, interest=given)


def test_an_interest_in_a_file_is_a_list() -> None:
    for wrong in (None, "1,2", 3):
        with pytest.raises(InputError, match="interest is no list"):
            loads_model(json.dumps({**CYCLE.canonical, "interest": wrong}))


def test_interest_of_states_that_are_left_out() -> None:
    table = {s: {0: [(1.0, 2 - s, 0.0, False)]} for s in (0, 2)} | {1: {0: [(1.0, 0, 0.0, False)]}}
    assert tdcert.load_model(table, start=0, interest=[1, 5, 2]).model.interest == (F(1), F(2))
