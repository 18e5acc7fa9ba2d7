"""Experiments: runs against closed forms, a user's model as part of the sweep, what is reported and refused."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tdcert.reports.documents import fields_of
from tdcert.sweeps.question import Result, SweepQuestion, table_of
from tdcert.sweeps.questions import question_of
from tdcert.sweeps.spec import read_spec, spec_of
from tdcert.theory.check.fixed_point import differential_value
from tdcert.theory.errors import InputError
from tdcert.theory.model.gallery import random_chain
from tdcert.theory.model.key_matrices import value_function

LOOP = {"format": "tdcert-model/1", "transitions": [[1]], "rewards": [1], "discount": "1/2"}
"""One state, reward 1, γ = ½: A = −½, b = 1, θ* = 2."""


def asked(**table: Any) -> SweepQuestion:
    given = {key: value for key, value in {"model": LOOP, **table}.items() if value is not None}
    return question_of(
        spec_of(
            {
                "format": "tdcert-sweep/1",
                "name": "t",
                "kind": "experiment",
                "seed": 3,
                "count": 4,
                "shard": 1,
                "experiment": given,
            }
        )
    )


def finished(question: SweepQuestion, count: int = 1) -> Result:
    return question.finish(table_of(question, 0, count), complete=True)


def test_runs_follow_the_closed_form() -> None:
    """θ_t = 2 − 2(1 − α/2)ᵗ: the error is 2(1 − α/2)ᵗ, and √J = |1 − θ/2| half of it."""
    rows = asked(alpha="1/2", times=[0, 1, 5, 20], runs=2).rows(0, 1)
    expected = 2 * 0.75 ** np.array([0, 1, 5, 20] * 2)
    assert np.allclose(rows["error"], expected, rtol=1e-12) and np.allclose(rows["residual"], expected / 2, rtol=1e-12)
    assert list(rows["run"]) == [0] * 4 + [1] * 4 and not any(rows["diverged"])


def test_steps_fall_as_they_are_said_to() -> None:
    theta, t0, power = 0.0, 2.0, 0.75
    for t in range(30):
        theta += 0.5 * (t0 / (t + t0)) ** power * (1 - theta / 2)
    rows = asked(alpha="1/2", t0=2, power="3/4", times=[30], runs=1).rows(0, 1)
    assert rows["error"][0] == pytest.approx(2 - theta, rel=1e-12)


def test_runs_that_leave_the_floats_are_counted() -> None:
    """α = 10 multiplies the error by −4."""
    result = finished(asked(alpha=10, times=[0, 3, 2_000], runs=4))
    (cell,) = result.details["cells"]
    assert (cell.runs, cell.diverged) == (4, 4) and cell.error[1][1][0] == pytest.approx(2 * 4**3)
    assert cell.error[2][1][0] == float("inf") and cell.diverged_limits[1] == 1.0
    assert fields_of(cell)["error"][2][1][0] is None  # JSON has no infinities
    assert len(result.figures) == 0 or all(len(vars(figure)["series"][0].x) < 3 for figure in result.figures)


def test_an_index_is_a_cell_of_the_grid_and_depends_on_nothing_else() -> None:
    question = asked(algorithms=["td", "gtd"], alpha=["1/10", "1/5"], schedules=["td0", "n_step:2"], times=[3], runs=2)
    whole, parts = question.rows(0, 10), [question.rows(0, 4), question.rows(4, 6)]
    for name, _ in question.columns:
        assert repr(list(whole[name])) == repr([x for part in parts for x in part[name]])
    assert len(finished(question, 8).details["cells"]) == 8
    assert whole["algorithm"][0] == whole["algorithm"][16] and whole["alpha"][0] == whole["alpha"][16]


OWN = """import tdcert
@tdcert.algorithm(parameters={'w': 1, 'theta': 'd'}, steps=('alpha', 'beta'))
def own(t, w, theta, alpha, beta):
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    return w + beta * (delta - w), theta + alpha * delta * t.phi
@tdcert.algorithm(parameters={'theta': 'd'}, steps=('alpha',))
def fails(t, theta, alpha):
    return theta + alpha * {}['x']
"""


@pytest.mark.thorough
def test_any_update_is_run_as_it_is_written(tmp_path: Path) -> None:
    """TD beside another parameter, as a function of one's own: TD's closed form, and the compiled kernel's curve."""
    (tmp_path / "own.py").write_text(OWN)
    mine, fails = (f"{tmp_path / 'own.py'}:{name}" for name in ("own", "fails"))
    grid: dict[str, Any] = {"alpha": "1/2", "t0": 2, "power": "3/4", "times": [0, 1, 5, 20], "runs": 2, "eta": 3}
    question = asked(algorithms=[mine, "td"], **grid)
    rows, kernel = question.rows(0, 1), question.rows(1, 1)
    assert set(rows["algorithm"]) == {"own.py:own"} and list(rows["t"]) == list(kernel["t"])
    for measured in ("error", "residual"):
        assert np.allclose(rows[measured], kernel[measured], rtol=1e-12)
    assert [row[0] for row in finished(question, 2).tables[0].rows] == [
        "own.py:own, td0, α = 0.5, η = 3",
        "td, td0, α = 0.5",
    ]
    gone = asked(algorithms=[mine], alpha=10, times=[0, 3, 2_000], runs=4).rows(0, 1)
    assert list(gone["diverged"]) == [False, False, True] * 4 and gone["error"][2] == float("inf")
    with pytest.raises(InputError, match="'fails', run on floats"):
        asked(algorithms=[fails])


def test_errors_are_those_of_what_an_update_estimates() -> None:
    """At θ = 0 the error of the differential value is its norm, less its mean; the start of Baird's star is kept."""
    model = random_chain()
    states = model.behaviour_chain.recurrent_classes[0]
    h, d = differential_value(model, states), model.behaviour_chain.stationary_law(states).take(rows=states)
    mean = (d.T @ h)[0, 0]
    norm = sum(w * (x - mean) ** 2 for w, x in zip(d.column_entries(), h.column_entries(), strict=True))
    chain = asked(problem="random_chain", model=None, algorithms=["differential_td"], times=[0], runs=2)
    assert chain.rows(0, 1)["error"][0] == pytest.approx(float(norm) ** 0.5, rel=1e-12)
    star = asked(problem="baird", model=None, gammas="9/10", algorithms=["gtd2", "gtd"], times=[0], runs=2)
    assert star.rows(0, 1)["error"][0] == pytest.approx(star.rows(1, 1)["error"][0], rel=1e-12)


def test_appendix_problems_and_their_discounts() -> None:
    grid: dict[str, Any] = {"gammas": ["9/10"], "algorithms": ["tdc"], "eta": 10, "times": [0, 50], "runs": 3}
    result = finished(asked(problem="baird", model=None, **grid))
    (cell,) = result.details["cells"]
    # Baird's star from θ_0 = (1, …, 10, 1): V = 0, predictions 3 in six states and 12 in the seventh, evenly weighted
    assert cell.error[0][1][0] == pytest.approx(np.sqrt((6 * 9 + 144) / 7)) and cell.gamma == "9/10"
    chain = asked(problem="random_chain", model=None, algorithms=["off_policy_td"], gammas=["4/5"], times=[0], runs=2)
    V = value_function(random_chain(Fraction(4, 5)))
    d = random_chain().behaviour_chain.stationary_law(tuple(range(17)))
    norm = float((V.T @ V.scale_rows(d))[0, 0]) ** 0.5
    assert chain.rows(0, 1)["error"][0] == pytest.approx(norm, rel=1e-12)


@pytest.mark.thorough
def test_the_hundred_state_walk() -> None:
    question = asked(problem="random_walk_100", model=None, runs=2)
    cells = finished(question).details["cells"]
    assert {cell.alpha for cell in cells} == {0.005, 0.01} and all(cell.runs == 2 for cell in cells)
    assert all(cell.error[-1][1][0] < cell.error[0][1][0] for cell in cells)


# ---- a user's model ---------------------------------------------------------------------------------

SWEEP = """format = "tdcert-sweep/1"
name = "mine"
kind = "experiment"
seed = 1
count = 1
shard = 1
[experiment]
model = "loop.json"
alpha = 0.5
times = [2]
runs = 1
"""


def test_the_model_is_part_of_the_sweep(tmp_path: Path) -> None:
    (tmp_path / "sweep.toml").write_text(SWEEP)
    digests = []
    for reward in (1, 3):
        (tmp_path / "loop.json").write_text(json.dumps(LOOP | {"rewards": [reward]}))
        spec = read_spec(tmp_path / "sweep.toml")
        digests.append(spec.digest)
        (tmp_path / "loop.json").unlink()  # workers elsewhere have no such file
        assert question_of(spec).rows(0, 1)["error"][0] == pytest.approx(2 * reward * 0.75**2)
    assert digests[0] != digests[1]
    with pytest.raises(InputError, match=r"sweep\.toml.*loop\.json"):
        read_spec(tmp_path / "sweep.toml")


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"problem": "boyan"}, "problem in .* is the string 'boyan'"),
        ({"algorithms": ["sarsa"]}, "there is no algorithm 'sarsa'"),
        ({"algorithms": ["categorical_td"]}, "'categorical_td' has no one prediction"),
        ({"problem": "baird", "model": None}, "does not say its discount"),
        ({"problem": "baird", "gammas": "0.9"}, "names a model"),
        ({"power": ["1/2", 1]}, "must each be one number"),
        ({"model": 3}, "needs model ="),
        ({"times": [5, 5]}, "must increase"),
        ({"alpha": 0}, "must be positive"),
        ({"steps": 10}, "unknown key 'steps'"),
    ],
)
def test_what_is_no_experiment_is_said(table: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        asked(**table)
