"""Surveys: quantities against closed forms, limits against the binomial law, and what the report says."""

from __future__ import annotations

import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from tdcert.algorithms import find
from tdcert.claims.claim import ClaimDecision
from tdcert.sweeps import quantities
from tdcert.sweeps.batch import Batch
from tdcert.sweeps.batched import BatchMatrix
from tdcert.sweeps.draws import Draws
from tdcert.sweeps.exact import exact_keys
from tdcert.sweeps.families import Freedom, ModelFamily
from tdcert.sweeps.quantities import (
    AskedUpdate,
    Measured,
    Paths,
    asymptotic_variance,
    cholesky,
    float_number,
    least_stable_n,
    stable_in_mean,
    stable_in_mean_square,
    stable_on_paths,
    under,
)
from tdcert.sweeps.question import Result, table_of
from tdcert.sweeps.questions import distributions, question_of
from tdcert.sweeps.questions.survey import Survey
from tdcert.sweeps.spec import Spec, inlined, spec_of
from tdcert.sweeps.statistics import quantile, quantile_limits, share_limits
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.figures import Figure
from tdcert.theory.model.key_matrices import theorem_matrices, value_function
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.verdict import Grade, Status, Verdict

TD0 = Schedule()


def one(
    transitions: Any, features: Any, gamma: str, behaviour: Any = None, target: Any = None, rewards: Any = None
) -> Batch:
    """One model from its weights; one action unless policies are given."""
    steps = np.array(transitions)
    m, n, _ = steps.shape
    ones = np.ones((n, m), dtype=np.int64)
    return Batch(
        steps[None],
        (ones if behaviour is None else np.array(behaviour))[None],
        (ones if target is None else np.array(target))[None],
        np.array(features)[None],
        (np.zeros((m, n), dtype=np.int64) if rewards is None else np.array(rewards))[None],
        np.zeros((1, m, n), dtype=np.int64),
        np.zeros(1, dtype=np.int64),
        (Fraction(gamma),),
        (TD0,),
    )


def doubling(gamma: str) -> Batch:
    """θ→2θ: one action to each state, drawn evenly; the target always goes to the second: A = (6κ − 5)/2."""
    return one([[[1, 0], [1, 0]], [[0, 1], [0, 1]]], [[1], [2]], gamma, [[1, 1], [1, 1]], [[0, 1], [0, 1]])


def coin() -> Batch:
    """One state, μ = (½, ½), π = (¾, ¼), γ = 0: factors 1 − 3α/2 and 1 − α/2 (``mean_square_stability``)."""
    return one([[[1]], [[1]]], [[1]], "0", [[1, 1]], [[3, 1]])


# ---- quantities -------------------------------------------------------------------------------------


def test_numbers_are_those_of_the_exact_matrices() -> None:
    freedom = Freedom(frozenset({"coverage", "constant_discount", "lambda_in_unit_interval", "discount_below_one"}))
    schedules = (Schedule.equal_weights(1, 3),)
    batch = ModelFamily("garnet", 4, 2, freedom, (Fraction(9, 10),), schedules).batch(Draws("numbers", 0, 12))
    kappa, margin, error = (float_number(name, batch) for name in ("kappa", "margin_ratio", "error_ratio"))
    for k in range(batch.size):
        model = batch.model(k)
        keys = theorem_matrices(model, tuple(range(4)))
        assert kappa[k] == pytest.approx(float(model.schedule.kappa(Fraction(9, 10))), rel=1e-13)
        pencil = np.linalg.solve(keys.C.to_float(), -keys.A.symmetric_part().to_float())
        assert margin[k] * (1 - kappa[k]) == pytest.approx(np.linalg.eigvals(pencil).real.min(), rel=1e-9)
        V, Phi = value_function(model), model.features
        left, best = Phi @ keys.theta_star - V, Phi @ keys.C.solve(Phi.T @ V.scale_rows(keys.d)) - V
        squares = [(x.T @ x.scale_rows(keys.d))[0, 0] for x in (left, best)]
        kappa_exact = model.schedule.kappa(Fraction(9, 10))
        assert error[k] == pytest.approx(float((1 - kappa_exact**2) * squares[0] / squares[1]), rel=1e-8)


def test_cholesky() -> None:
    rng = np.random.default_rng(4)
    X = BatchMatrix(rng.normal(size=(3, 5, 20)))
    L = cholesky(X @ X.T)
    assert np.allclose((L @ L.T).array, (X @ X.T).array, atol=1e-12) and (L.array[0, 1:] == 0).all()
    with np.errstate(invalid="ignore"):
        assert np.isnan(cholesky(BatchMatrix(-np.ones((1, 1, 1)))).array).all()


def test_variance_of_independent_states() -> None:
    """Rows all d, tabular TD(0): the noise is γ(V(s') − EV) φ(s), and B = (I − γP)⁻¹ = I + g1dᵀ with g = γ/(1 − γ).

    tr(D A⁻¹ΣA⁻ᵀ) = γ² Var V · Σ_ij d_i B_ij²/d_j = γ² Var V (n + 2g + g²).
    """
    batch = one([[[1, 2, 3]] * 3], np.eye(3, dtype=np.int64), "3/4", rewards=[[1, -1, 4]])
    d, V = [Fraction(k, 6) for k in (1, 2, 3)], value_function(batch.model(0)).column_entries()
    mean = sum(p * v for p, v in zip(d, V, strict=True))
    variance = sum(p * (v - mean) ** 2 for p, v in zip(d, V, strict=True))
    assert asymptotic_variance(batch).value == pytest.approx(float(Fraction(9, 16) * variance * (3 + 6 + 9)), rel=1e-14)


@pytest.mark.parametrize(("gamma", "least"), [("4/5", 1), ("9/10", 2), ("19/20", 4)])
def test_least_n_of_the_doubling_model(gamma: str, least: int) -> None:
    """Stable exactly where γⁿ < 5/6."""
    assert least_stable_n(doubling(gamma)).value == least
    assert least_stable_n(doubling("1")).word == "none up to 20"


def test_stability_of_the_doubling_model_in_the_mean() -> None:
    for gamma, td in (("9/10", "not stable"), ("4/5", "stable"), ("5/6", "not stable")):
        gradient = "not stable" if gamma == "5/6" else "stable"  # A = 0: nothing pulls
        assert in_mean(doubling(gamma), "off_policy_td") == td
        # GTD2 with w = C⁻¹(Aθ + b) descends as GTD does; TDRC's w has the ridge in C + I
        assert [in_mean(doubling(gamma), name) for name in ("gtd", "gtd2", "tdrc[ridge=0]")][:2] == [gradient] * 2
        # J = [[A, −A − C], [ηA, −ηC]] with A = 1/5, C = 5/2: trace A − ηC, determinant ηA²: stable exactly for η > A/C
        for eta in (Fraction(1, 20), Fraction(1)):
            stable = gamma == "4/5" or (gamma == "9/10" and eta == 1)
            for name in ("tdc", "tdrc[ridge=0]"):
                assert (in_mean(doubling(gamma), name, eta) == "stable") == stable


def test_three_notions_disagree() -> None:
    """Mean square up to α = 8/5, paths up to 8/3 (``mean_square_stability``)."""
    model, paths = coin().model(0), Paths(2_000, 16, 0.999)
    for alpha, square, path in (
        ("3/2", "stable", "stable"),
        ("17/10", "not stable", "stable"),
        ("3", "not stable", "not stable"),
    ):
        step = Fraction(alpha)
        level = np.log(abs(1 - 1.5 * float(step))) / 2 + np.log(abs(1 - 0.5 * float(step))) / 2
        for asked in (asked_of("off_policy_td"), by_engine("off_policy_td")):
            assert stable_in_mean_square(model, asked, step, Fraction(1), 100).word == square
            answer = stable_on_paths(model, asked, step, Fraction(1), paths, 1, "coin")
            assert (answer.word, answer.grade) == (path, "consistent")
            assert answer.value == pytest.approx(level, abs=0.1)
    exact, bounded = (
        stable_in_mean_square(model, asked_of("gtd"), Fraction(1), Fraction(1), entries) for entries in (100, 1)
    )
    assert (exact.word, exact.grade, bounded.word, bounded.grade) == (
        "not stable",
        "certified",
        "not stable",
        "enclosed",
    )


def asked_of(words: str, schedule: Schedule = TD0, on_policy: bool = False) -> AskedUpdate:
    return AskedUpdate.of(find(words)[0], schedule, on_policy)


def by_engine(words: str, schedule: Schedule = TD0) -> AskedUpdate:
    """Without the closed forms of the paper."""
    return replace(asked_of(words, schedule), paper=None)


def in_mean(batch: Batch, words: str, eta: Fraction = Fraction(1)) -> str:
    keys = exact_keys(batch, 0)
    assert keys is not None
    return stable_in_mean(batch.model(0), keys, asked_of(words), eta).word


@pytest.mark.thorough
@pytest.mark.parametrize("text", ["td0", "n_step:2"])
@pytest.mark.parametrize("policy", ["off", "on"])
def test_closed_forms_and_the_engine_count_the_same_verdicts(text: str, policy: str) -> None:
    """The closed forms are tried first, and change no answer; the step is one at which both verdicts occur."""
    names = ["td", "gtd", "tdc"] if policy == "on" else ["off_policy_td", "gtd", "tdc"]
    given = {"stability": ["mean", "mean_square"], "algorithms": names, "policy": policy, "schedules": [text]}
    question = question_of(
        spec(given | {"alpha": "1/4", "eta": "2", "entries": 10_000}, SMALL | {"width": 2, "branching": 2})
    )
    assert isinstance(question, Survey)
    assert all(asked.paper == name for (name, _), asked in question.algorithms.items())
    engine = {key: replace(asked, paper=None) for key, asked in question.algorithms.items()}
    rows, again = (x.rows(0, 8) for x in (question, replace(question, algorithms=engine)))
    for name in ("index", "algorithm", "quantity", "word", "grade"):
        assert list(rows[name]) == list(again[name])
    assert set(rows["word"]) >= {"stable", "not stable"}


def test_importance_ratios_that_an_update_leaves_out_are_not_in_its_closed_form() -> None:
    """TD of behaviour's own values is stable under any policy; the closed form of A is with ratios."""
    batch = doubling("9/10")
    assert asked_of("td", on_policy=True).paper == "td" and asked_of("td").paper is None
    assert in_mean(batch, "td") == "stable" and in_mean(batch, "off_policy_td") == "not stable"


# ---- limits -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [5, 20])
def test_limits_of_shares_cover(n: int) -> None:
    for p in np.linspace(0.02, 0.98, 9):
        covered = sum(
            binom.pmf(k, n, p) for k in range(n + 1) if share_limits(k, n, 0.95)[0] <= p <= share_limits(k, n, 0.95)[1]
        )
        assert covered >= 0.95
    assert share_limits(0, n, 0.95) == (0.0, pytest.approx(1 - 0.025 ** (1 / n)))
    assert share_limits(n, n, 0.95) == (pytest.approx(0.025 ** (1 / n)), 1.0)


@pytest.mark.parametrize("n", [5, 60, 400])
@pytest.mark.parametrize("p", [Fraction(1, 20), Fraction(1, 2), Fraction(9, 10)])
def test_limits_of_quantiles_cover_and_are_the_closest_that_do(n: int, p: Fraction) -> None:
    ordered = [float(k) for k in range(1, n + 1)]
    low, high = quantile_limits(ordered, p, 0.95)
    law = binom(n, float(p))
    lowest = 0 if low == -np.inf else int(low)
    highest = n + 1 if high == np.inf else int(high)
    assert law.cdf(lowest - 1) <= 0.025 < law.cdf(lowest)
    assert law.sf(highest - 1) <= 0.025 < law.sf(highest - 2)
    assert low <= quantile(ordered, p) <= high


def test_quantiles_are_values() -> None:
    assert [quantile([1.0, 2.0, 3.0, 4.0], p) for p in (Fraction(1, 4), Fraction(26, 100), Fraction(1))] == [1, 2, 4]


# ---- the question -----------------------------------------------------------------------------------

SMALL = {"kind": "garnet", "states": 3, "width": 1, "branching": 1, "gammas": ["0.9"]}


def spec(survey: dict[str, Any], family: dict[str, Any] | None = None) -> Spec:
    return spec_of(
        {
            "format": "tdcert-sweep/1",
            "name": "t",
            "kind": "survey",
            "seed": 9,
            "count": 9,
            "shard": 3,
            "survey": survey,
            "family": SMALL if family is None else family,
        }
    )


OWN = """import tdcert
@tdcert.algorithm(parameters={'theta': 'd'}, steps=('alpha',))
def own(t, theta, alpha):
    return theta - alpha * (theta + t.phi * (t.phi @ theta))
@tdcert.algorithm(parameters={'theta': 'd'}, steps=('alpha',))
def square(t, theta, alpha):
    return theta - alpha * theta * theta
"""


@pytest.mark.thorough
def test_any_update_is_surveyed(tmp_path: Path) -> None:
    """θ' = θ − α(θ + φφᵀθ) contracts on every model; what takes no schedule is answered once and counted under each."""
    (tmp_path / "own.py").write_text(OWN)
    given: dict[str, Any] = {
        "stability": ["mean", "mean_square", "path"], "alpha": "1/999",
        "algorithms": ["own.py:own", "gtd2", "gtd", "etd"],
        "schedules": ["td0", "n_step:2"], "steps": 200, "runs": 11, "path_level": "9/10",
    }  # fmt: skip
    document = spec(given).document()
    question = question_of(spec_of(inlined(document, tmp_path)))
    result = question.finish(table_of(question, 0, 4), complete=True)
    shares = {(x.schedule, x.algorithm, x.notion): x for x in result.details["quantities"]}
    assert len(shares) == 2 * 4 * 3 and {x.models for x in shares.values()} == {4}
    for text in ("td0", "n_step:2"):
        for notion in ("mean", "mean_square", "path"):
            assert shares[text, "own.py:own", notion].stable == 4
            same = [shares[one, "gtd2", notion] for one in ("td0", "n_step:2")]
            assert replace(same[0], schedule="") == replace(same[1], schedule="")
    assert any("no schedule are the same under each: own.py:own, gtd2" in said for said in result.summary)
    assert any("algorithms with one λ" in said for said in result.summary)  # ETD(λ) under two steps
    for figure in result.figures:
        assert isinstance(figure, Figure) and [one.label for one in figure.series] == given["algorithms"]
        assert all(abs(x - round(x)) < 1 / 8 for one in figure.series for x in one.x)
    changed = spec_of(inlined(document, tmp_path)).digest
    (tmp_path / "own.py").write_text(OWN + "# changed")
    assert spec_of(inlined(document, tmp_path)).digest != changed
    with pytest.raises(InputError, match=r"asked of mean dynamics: the update 'square'"):
        question_of(spec_of(inlined(spec(given | {"algorithms": "own.py:square"}).document(), tmp_path)))


def finished(survey: dict[str, Any], count: int) -> Result:
    question = question_of(spec(survey))
    return question.finish(table_of(question, 0, count), complete=True)


def test_rows_depend_on_their_index_alone() -> None:
    question = question_of(
        spec(
            {
                "numbers": ["margin_ratio", "asymptotic_variance"],
                "stability": ["mean", "path"],
                "steps": 200,
                "runs": 2,
                "schedules": ["td0", "n_step:2"],
            }
        )
    )
    whole, parts = question.rows(0, 5), [question.rows(0, 2), question.rows(2, 1), question.rows(3, 2)]
    for name, _ in question.columns:
        assert repr(list(whole[name])) == repr([x for part in parts for x in part[name]])


def test_shares_count_what_is_undecided_both_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_large(*_: Any) -> None:
        raise BudgetExceededError("too many windows")

    monkeypatch.setattr(quantities, "at_constant_step", too_large)
    result = finished({"stability": ["mean", "mean_square"], "algorithms": ["gtd"], "entries": 1}, 8)
    mean, square = result.details["quantities"]
    left_out = mean.left_out
    assert (mean.stable, mean.undecided, mean.models) == (8 - left_out, 0, 8 - left_out)
    assert (square.stable, square.undecided, square.limits) == (0, 8 - left_out, (0.0, 1.0))
    assert {figure.name for figure in result.figures} == {"stable_in_mean", "stable_in_mean_square"}
    assert result.tables[-1].rows == (("td0", "gtd", "stable", "undecided", 8 - left_out),)


def test_dependent_features_are_left_out_and_counted() -> None:
    question = question_of(spec({"stability": ["mean"], "algorithms": ["gtd"]}))
    assert isinstance(question, Survey)
    batch = question.batch(0, 2_000)
    zero = [k for k in range(2_000) if not batch.features[k].any()]
    assert zero, "one in 7³ draws has no feature at all"
    rows = question.rows(zero[0], 1)
    assert list(rows["word"]) == ["dependent features"]


@pytest.mark.thorough
def test_extreme_models_are_kept_and_decided_where_a_claim_bounds_them(monkeypatch: pytest.MonkeyPatch) -> None:
    survey = {"numbers": ["margin_ratio", "kappa"], "policy": "on", "schedules": ["td0", "n_step:2"]}
    result = finished(survey, 9)
    first = result.details["quantities"][0]
    least, largest = first.extremes
    assert first.quantity == "margin_ratio" and least.decided == "holds" and largest.decided is None
    assert least.value >= 1 - 1e-9 and least.path in result.files and not result.unexpected
    question = question_of(spec(survey))
    assert isinstance(question, Survey)
    again = under(question.batch(least.index, 1), TD0)
    assert float_number("margin_ratio", again)[0] == least.value
    refuting = ClaimDecision(Verdict(Status.REFUTED, grade=Grade.CERTIFIED))
    monkeypatch.setattr(distributions, "decide", lambda claim, model: refuting)
    assert any("bound of margin_ratio is broken" in said for said in finished(survey, 9).unexpected)


def test_floats_are_called_floats_and_a_quantity_without_values_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[Survey.__module__], "least_stable_n", lambda one: Measured(word="none up to 20"))
    result = finished({"numbers": ["kappa", "asymptotic_variance", "least_stable_n"]}, 3)
    table = result.tables[0]
    assert [row[:2] for row in table.rows] == [
        ("kappa", "float"),
        ("asymptotic variance", "exact"),
        ("least stable n", "exact"),
    ]
    assert table.rows[2][3] == "3, 3 without a value" and {len(row) for row in table.rows} == {len(table.columns)}
    assert any("computed in floats" in said for said in result.summary)


@pytest.mark.parametrize(
    ("survey", "family", "words"),
    [
        ({}, None, "asks for nothing"),
        ({"numbers": ["mass"]}, None, "names 'mass'; give some of kappa"),
        ({"numbers": ["kappa"], "schedules": ["constant:0.5"]}, None, "without an end"),
        ({"stability": ["mean"], "algorithms": ["nobody"]}, None, "there is no algorithm 'nobody'"),
        ({"stability": ["mean"], "alpha": "-1"}, None, "one positive number"),
        ({"stability": ["mean"], "level": "1"}, None, "between 0 and 1"),
        ({"numbers": ["kappa"]}, SMALL | {"states": [3, 4]}, "one size"),
        ({"numbers": ["kappa"]}, SMALL | {"kind": "tiny"}, "irreducible"),
    ],
)
def test_what_is_no_survey_is_said(survey: dict[str, Any], family: dict[str, Any] | None, words: str) -> None:
    with pytest.raises(InputError, match=words):
        question_of(spec(survey, family))
