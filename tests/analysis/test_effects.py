"""Effect sizes beside a winner, and a recommendation only where it matters: numbers by hand."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from tdcert.analysis.advice.answer import answer
from tdcert.analysis.advice.compare_schedules import compare
from tdcert.analysis.advice.compared_schedules import SWEPT, Candidate, Compared
from tdcert.analysis.advice.effects import STEPS, Recommendation, percent, recommend, smaller, steps_to_tell
from tdcert.analysis.facts import AlgorithmDynamics, Quantity
from tdcert.analysis.request import candidate_schedules
from tdcert.reports.analysis_figures import lambda_figures
from tdcert.reports.cli import main
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.errors import InputError
from tdcert.theory.model.schedule import Schedule
from tests.analysis.test_schedule_comparison import coin
from tests.analysis.test_warnings import numbers_of

F = Fraction


def row(n: int, error: int | F | None, variance: int | F | None, own: bool = False, stable: bool = True) -> Compared:
    exact = [None if x is None else Quantity.exact(F(x)) for x in (error, variance)]
    kind = MeanDynamics.STABLE if stable else MeanDynamics.UNSTABLE
    dynamics = {"td": None, "off_policy_td": AlgorithmDynamics(kind)}
    return Compared(Candidate(Schedule.n_step(n), own), None, exact[0], None, dynamics, exact[1])


def sentence(*rows: Compared) -> str:
    return recommend(rows).sentence()


@pytest.mark.parametrize(("error", "matters"), [(361, False), (F(360999, 1000), True), (360, True)])
def test_a_change_is_recommended_from_a_twentieth_on(error: int | F, matters: bool) -> None:
    """√(361/400) = 19/20 exactly: less than that matters."""
    found = recommend([row(2, 400, 0, own=True), row(3, error, 0)])
    assert found.best is not None and (found.best.name, found.matters) == ("3-step", matters)
    assert found.sentence().startswith("Recommended: 3-step.") == matters
    assert ("no change is worth it" in found.sentence()) != matters


def test_what_is_judged_is_the_error_of_averages() -> None:
    """At T = 40,000: 1 + 80,000/T = 3 of the own, 2 + 40,000/T = 3 the same; a variance of 20,000 gives 2.5."""
    own = row(2, 1, 80_000, own=True)
    assert "nothing to change" in sentence(own, row(3, 2, 40_000))
    assert "8.7 % smaller" in sentence(own, row(3, 2, 20_000))  # 1 − √(2.5/3)
    none = row(3, 0, 0)
    assert recommend([own, none, row(4, 0, 1)]).best is none  # no error is the smallest
    assert "100 % smaller" in sentence(own, none) and "nothing to change" in sentence(row(2, 0, 0, own=True), own)
    assert "averages have no error" in sentence(row(2, 0, 0, own=True), none)
    assert "nothing to change" in sentence(own, row(3, 5, 80_000))


def test_what_is_not_stable_is_not_recommended() -> None:
    better = row(3, 1, 0, stable=False)
    assert "nothing to change" in sentence(row(2, 2, 0, own=True), better, row(4, 3, 0))
    lost = sentence(row(2, 2, 0, own=True, stable=False), better, row(4, 3, 0))
    assert lost.startswith("Recommended: 4-step. The model's own schedule is not stable")
    assert sentence(row(2, None, 1, own=True), row(3, 1, 1)).startswith("No schedule is recommended: the error")
    assert recommend([]) == Recommendation(None, why="no error of averages is known")


def test_effects_in_words() -> None:
    one = Quantity.exact
    assert smaller(one(F(998, 1000)), one(F(1))) == "0.2 % smaller"
    assert smaller(one(F(1)), one(F(9)), root=True, word="nearer") == "3 times nearer"
    assert smaller(one(F(0)), one(F(9))) == ""
    assert [percent(x) for x in (0.002, 0.31, 0.9999, 1.0)] == ["0.2 %", "31 %", "more than 99 %", "100 %"]


def test_how_many_steps_tell_a_smaller_error() -> None:
    """The gain e′ − e = 2 exceeds the spread v/T, v the larger of 200 and 800, from T = 400 on."""
    assert steps_to_tell(row(3, 1, 200), row(2, 3, 800)) == 400
    assert (
        steps_to_tell(row(3, 3, 200), row(2, 3, 800)) is None and steps_to_tell(row(3, 1, None), row(2, 3, 8)) is None
    )
    said = " ".join(answer([row(2, 4, 8_000, own=True), row(3, 1, 8_000)]))
    assert "3-step has the fixed point nearest to the true value (D-norm): 2 times nearer" in said
    assert "(averages show it from about 2,700 steps on) than" in said
    late = " ".join(answer([row(2, 4, 8_000, own=True), row(3, F(399, 100), 8_000)]))
    assert "0.13 % nearer (averages show it from about 800,000 steps on, not within 40,000) than" in late
    wins = " ".join(answer([row(2, 1, 1, own=True), row(3, 4, 1), row(4, 9, 1)]))
    assert "than with 3-step" in wins  # where the own one wins, it is compared with the next


def test_candidates_of_ones_own() -> None:
    chosen = candidate_schedules(["td0 n_step:3  constant:0.5", '{"lambdas": [1, 0.5]}', "td0", Schedule.n_step(3)])
    assert chosen == (
        Schedule(),
        Schedule.n_step(3),
        Schedule.constant(F(1, 2)),
        Schedule((F(1), F(1, 2))),
    )
    rows = compare(numbers_of(coin(3)), chosen).rows
    assert [one.name for one in rows] == ["3-step", "TD(0)", "λ = 1/2", "EqualWeights(2, 3)"] and rows[0].candidate.own
    for given in ([], [""], ["sometimes"], [f"constant:{k}/1000" for k in range(61)]):
        with pytest.raises(InputError):
            candidate_schedules(given)


def test_a_sweep_over_lambda_on_the_fair_coin() -> None:
    """Errors of the coin are those of one constant whatever λ is: √(3/(1 − ½))² = 6; bounds are 6/√(1 − κ²) with
    κ = γ(1 − λ)/(1 − γλ).
    """
    rows = compare(numbers_of(coin(3)), SWEPT).rows
    (figure,) = lambda_figures(rows)
    bound, error, averages = figure.series
    assert error.x == tuple(float(schedule.tail) for schedule in SWEPT) and error.x[0] == 0 and error.x[-1] == 1
    assert error.y == pytest.approx([6.0] * len(SWEPT))
    kappas = [(1 - lam) / 2 / (1 - lam / 2) for lam in error.x]
    assert bound.y == pytest.approx([6 / (1 - kappa**2) ** 0.5 for kappa in kappas])
    assert all(a > e for a, e in zip(averages.y, error.y, strict=True))
    assert lambda_figures(()) == ()


@pytest.mark.thorough
def test_the_command_compares_what_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("coin.json").write_text(json.dumps(coin(3).canonical))
    given = ["--candidates", "td0 n_step:5", "--candidates", "constant:1/4", "--lambda-sweep"]
    assert main(["analyze", "coin.json", "--json", *given]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in found["schedules"]] == ["3-step", "TD(0)", "5-step", "λ = 1/4"]
    assert found["schedules_recommendation"]["steps"] == STEPS and not found["schedules_recommendation"]["matters"]
    assert [one["schedule"] for one in found["lambda_sweep"]["schedules"]][:2] == ["td0", "constant:1/10"]
    assert "lambda_sweep" in [figure["name"] for figure in found["figures"]]
    assert "'td0 n_step:5 constant:1/4' --lambda-sweep" in found["reproduce"]
