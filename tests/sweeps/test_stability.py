"""Stability of declared updates over a family: what floats with bounds decide is what fractions decide, and the rest is
decided exactly or counted as undecided."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tdcert.algorithms import NAMES, for_model, named
from tdcert.reports.cli import main
from tdcert.sweeps.balls import Ball, hurwitz_signs, solved, stationary
from tdcert.sweeps.batch import Batch
from tdcert.sweeps.draws import Draws
from tdcert.sweeps.families import Freedom, ModelFamily
from tdcert.sweeps.questions import question_of
from tdcert.sweeps.questions.stability import (
    STABLE,
    UNDECIDED,
    UNSTABLE,
    Stability,
    at_lambda,
    exact_word,
)
from tdcert.sweeps.spec import read_spec, spec_of
from tdcert.sweeps.update_means import signs
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.stability import spectral_abscissa
from tdcert.theory.engine.declare import Algorithm, algorithm
from tdcert.theory.errors import InputError
from tdcert.theory.model.gallery import theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

F = Fraction
ONE = F(1)
WORDS = {1: STABLE, -1: UNSTABLE}
WITH_A_MEAN = [
    n for n in NAMES if n not in ("gtd2_mp", "gtd_momentum", "tdc_momentum", "true_online_td", "implicit_td")
]


def drawn(count: int, kind: str = "garnet", key: str = "a test", **more: Any) -> Batch:
    kept = {"coverage", "discount_below_one", *more.pop("kept", ())}
    gammas = (F(9, 10), F(19, 20), F(1, 2))
    return ModelFamily(kind, 3, 2, Freedom(frozenset(kept)), gammas, (Schedule(),), **more).batch(Draws(key, 0, count))


# ---- floats with bounds -------------------------------------------------------------------------------------------


def inside(found: Ball, exact: Any) -> bool:
    """Whether every exact number lies in its ball, and no ball is wider than 1e-6 of it."""
    flat = zip(found.value.ravel().tolist(), found.error.ravel().tolist(), np.ravel(exact).tolist(), strict=True)
    return all(abs(F(v) - x) <= F(e) and e < 1e-6 * (1 + abs(v)) for v, e, x in flat)


def rationals(rng: np.random.Generator, *shape: int) -> tuple[Ball, Any]:
    above, below = rng.integers(-50, 51, shape), rng.integers(1, 50, shape)
    exact = np.array([F(int(a), int(b)) for a, b in zip(above.ravel(), below.ravel(), strict=True)], dtype=object)
    return Ball.of(above) / Ball.of(below), exact.reshape(shape)


def test_balls_hold_what_is_exact() -> None:
    rng = np.random.default_rng(1)
    (x, p), (y, q) = rationals(rng, 3, 3, 40), rationals(rng, 3, 3, 40)
    assert inside(x, p) and inside(Ball.of(F(1, 3)), F(1, 3))
    some = q != 0
    for ball, exact in ((x + y, p + q), (x - y, p - q), (x * y, p * q), (abs(x), abs(p)), (x.sum(), p.sum(axis=0))):
        assert inside(ball, exact)
    assert inside((x / y)[some], p[some] / q[some])
    wide, broad = (Ball(ball.value + 1e-9, ball.error + 1e-9) for ball in (x, y))
    assert inside(wide * broad, p * q) and inside(wide * y, p * q) and inside((x / broad)[some], p[some] / q[some])
    assert inside(wide.sum(), p.sum(axis=0))
    with np.errstate(all="ignore"):
        assert np.isinf((x / (y - y)).error).all()
    found = solved(x, y[:, 0])
    for k in range(40):
        exact = RationalMatrix(p[:, :, k].tolist()).solve(RationalMatrix.column(q[:, 0, k].tolist()))
        assert inside(found[:, k], exact.column_entries())
    weights = rng.integers(0, 9, (3, 3, 40)) + 1
    P = Ball.of(weights) / Ball.of(np.broadcast_to(weights.sum(axis=1, keepdims=True), weights.shape))
    law = stationary(P)
    for k in range(40):
        rows = [[F(int(w), int(row.sum())) for w in row] for row in weights[:, :, k]]
        d = Model.reward_process(RationalMatrix(rows), RationalMatrix.column([0] * 3), F(1, 2)).behaviour_chain
        assert inside(law[:, k], d.stationary_law((0, 1, 2)).column_entries())


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_signs_of_matrices_are_those_of_routh_in_fractions(n: int) -> None:
    rng = np.random.default_rng(n)
    entries = rng.integers(-4, 4, (n, n, 60)) - (n - 1) * np.eye(n, dtype=np.int64)[:, :, None]
    found = hurwitz_signs(Ball.of(entries))
    exact = [RationalMatrix([[F(int(x)) for x in row] for row in entries[:, :, k]]) for k in range(60)]
    stable = [spectral_abscissa(B).sign == -1 for B in exact]
    assert {(bool(s > 0), held) for s, held in zip(found, stable, strict=True) if s} <= {(True, True), (False, False)}
    assert (found != 0).mean() > 0.8 and {1, -1} <= set(found.tolist())
    blurred = hurwitz_signs(Ball(entries.astype(float), np.full(entries.shape, 100.0)))
    assert not blurred.any()  # nothing is known, so nothing is said
    turning = np.zeros((2, 2, 1))
    turning[0, 1], turning[1, 0] = 1, -1
    assert hurwitz_signs(Ball.of(turning))[0] == 0  # marginal


# ---- updates on batches ---------------------------------------------------------------------------------------------


def compare_with_fractions(chosen: Algorithm, batch: Batch, eta: Fraction = ONE) -> Counter[str]:
    ratios = [F(1), *[eta] * (len(chosen.steps) - 1)]
    found = signs(batch, chosen, ratios)
    exact = [exact_word(batch.model(k), chosen, eta) for k in range(batch.size)]
    assert all(WORDS[s] == word for s, word in zip(found.tolist(), exact, strict=True) if s)
    return Counter(WORDS.get(s, UNDECIDED) for s in found.tolist())


OFTEN = ("vtrace", "tdrc", "abtd")


@pytest.mark.parametrize(
    "name", [x if x in OFTEN else pytest.param(x, marks=pytest.mark.thorough) for x in WITH_A_MEAN]
)
def test_what_is_decided_in_batches_is_decided_alike_in_fractions(name: str) -> None:
    chosen = at_lambda(named(name), F(2, 3))
    counts = compare_with_fractions(chosen, drawn(25), F(1, 3))
    assert counts[UNDECIDED] < 8
    compare_with_fractions(chosen, drawn(8, kept=("on_policy",)))
    compare_with_fractions(chosen, drawn(8, kind="near_reducible", actions=3))


def test_a_family_with_unstable_models_is_seen_through() -> None:
    counts = compare_with_fractions(named("direct_gtd"), drawn(20))
    assert counts[UNSTABLE] > 5 and counts[STABLE] > 1


@pytest.mark.thorough
def test_branches_are_followed_for_each_transition() -> None:
    """Where numbers as given are compared the way is sure; where computed ones are equal both ways count."""

    def moved(sign: Callable[[Any], bool]) -> Algorithm:
        @algorithm(parameters={"theta": "d"})
        def update(t: Any, theta: Any, alpha: Any) -> Any:
            return theta + alpha * (1 if sign(t) else -1) * (t.phi @ theta) * t.phi

        return update

    batch = drawn(30, kept=("on_policy",), key="ratios are one")
    ratios = [F(1)]
    assert (signs(batch, moved(lambda t: t.rho > 1), ratios) > 0).sum() > 20  # never: −φφᵀ
    assert (signs(batch, moved(lambda t: t.rho >= 1), ratios) < 0).sum() > 20  # always: φφᵀ
    assert not signs(batch, moved(lambda t: t.rho * t.pi / t.pi > 1), ratios).any()  # who knows
    assert (signs(batch, moved(lambda t: t.rho == 1), ratios) < 0).sum() > 20
    assert (signs(batch, moved(lambda t: t.rho != 1), ratios) > 0).sum() > 20
    assert not signs(batch, moved(lambda t: t.rho * t.pi / t.pi == 1), ratios).any()
    off = drawn(30)
    for sign in (
        lambda t: t.phi_next[0] == 0,
        lambda t: t.rho >= 1,
        lambda t: t.mu * 3 > t.pi,
        lambda t: t.discount < F(3, 4),
    ):
        compare_with_fractions(moved(sign), off)


def test_what_is_compared_may_be_divided_by() -> None:
    """Quotients by two numbers, sizes, and branches on what is not zero."""

    @algorithm(parameters={"theta": "d"})
    def update(t: Any, theta: Any, alpha: Any) -> Any:
        size = abs(t.reward - 1) / (2 + t.mu) - abs(t.phi[0]) / (3 - t.mu) if t.reward else F(1, 2) / t.mu
        return theta + alpha * ((size if size < 1 else 3) - F(3, 4)) * (t.phi @ theta) * t.phi

    found = compare_with_fractions(update, drawn(40))
    assert found[STABLE] > 3 and found[UNSTABLE] > 3


def test_what_cannot_be_followed_is_left_to_fractions() -> None:
    @algorithm(parameters={"theta": "d"})
    def before(t: Any, theta: Any, alpha: Any) -> Any:
        return theta - alpha * (1 + t.discount_before) * theta

    @algorithm(parameters={"theta": "d"})
    def by_state(t: Any, theta: Any, alpha: Any) -> Any:
        return theta - alpha * (1, 2, 3)[t.state] * theta

    batch = drawn(4)
    for chosen in (before, by_state):
        assert not signs(batch, chosen, [F(1)]).any()
        assert exact_word(batch.model(0), chosen, F(1)) == STABLE
    model, limit = batch.model(0), exact_word(batch.model(0), named("gtd2"), F(1))
    assert exact_word(model, named("gtd2_mp"), F(1)) == limit != UNDECIDED  # for steps → 0 it is GTD2


# ---- the question -------------------------------------------------------------------------------------------------

SPEC = """
format = "tdcert-sweep/1"
name = "stability"
kind = "stability"
seed = 4
count = 2
shard = 1
[stability]
algorithms = ["off_policy_td", "direct_gtd", "tdrc[ridge=1/2]"]
lam = 0.5
models = 20
{more}
[[family]]
kind = "garnet"
states = 3
width = 2
gammas = [0.95]
"""


def asked(tmp_path: Path, more: str = "", text: str = SPEC) -> Stability:
    (tmp_path / "spec.toml").write_text(text.replace("{more}", more), encoding="utf-8")
    found = question_of(read_spec(tmp_path / "spec.toml"))
    assert isinstance(found, Stability)
    return found


def test_every_model_is_counted_once_and_examples_are_what_they_are_said_to_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked(tmp_path)
    assert main(["sweep", str(tmp_path / "spec.toml"), "--out", str(tmp_path / "run"), "--workers", "1"]) == 0
    assert "direct_gtd" in capsys.readouterr().out
    answer = json.loads((tmp_path / "run" / "result.json").read_text())["answer"]
    shares = {row["algorithm"]: row for row in answer["unstable_shares"]}
    assert set(shares) == {"off_policy_td", "direct_gtd", "tdrc[ridge=1/2]"}
    assert len({row["models"] for row in shares.values()}) == 1 and 30 < shares["direct_gtd"]["models"] <= 40
    worst = shares["direct_gtd"]
    low, high = worst["limits"]
    assert 0 < low < worst["unstable"] / worst["models"] < high < 1 and worst["enclosed"] > 0
    for row in answer["disagreements"]:
        model = Model.of_canonical(row["example"])
        for role, word in (("stable", STABLE), ("unstable", UNSTABLE)):
            name, _, ridge = row[role].partition("[")
            chosen = at_lambda(named(name), F(1, 2)).with_options(**({"ridge": F(1, 2)} if ridge else {}))
            assert exact_word(model, chosen, F(1)) == word
    assert {(row["stable"], row["unstable"]) for row in answer["disagreements"]} >= {("off_policy_td", "direct_gtd")}
    assert "direct_gtd" in (tmp_path / "run" / "index.html").read_text()


def test_dependent_features_are_left_out_and_undecided_ones_counted(tmp_path: Path) -> None:
    plain, with_one = asked(tmp_path), asked(tmp_path, 'independent = "features and one"')
    batch = plain.batch(0)
    kept = [plain._independent(batch, k, False) for k in range(batch.size)]
    assert kept == [RationalMatrix(rows).rank == 2 for rows in batch.features.tolist()]
    counts = [
        Counter(row[1] for row in question._rows(0) for _ in range(row[5] * (not row[2])))
        for question in (plain, with_one)
    ]
    many = with_one.family.batch(Draws("many", 0, 100))
    asked_of_all = [with_one._independent(many, k, False) for k in range(100)]
    assert asked_of_all == [RationalMatrix([[*row, 1] for row in rows]).rank == 3 for rows in many.features.tolist()]
    assert asked_of_all != [plain._independent(many, k, False) for k in range(100)]
    assert counts[0]["direct_gtd"] == sum(kept) >= counts[1]["direct_gtd"]
    (tmp_path / "own.py").write_text(
        "import tdcert\n@tdcert.algorithm(parameters={'theta': 'd'})\ndef own(t, theta, alpha):\n"
        "    return theta - alpha * (1 + t.discount_before) * theta\n"
    )
    text = SPEC.replace('"off_policy_td", ', '"own.py:own", ')
    none, few = (asked(tmp_path, f"exact = {k}", text) for k in (0, 3))
    name = next(name for name, chosen in none.algorithms if chosen.name == "own")
    words = [{row[3]: row[5] for row in question._rows(0) if row[1] == name and not row[2]} for question in (none, few)]
    totals = [sum(question._independent(question.batch(0), k, False) for k in range(20)) for question in (none, few)]
    assert words == [{UNDECIDED: totals[0]}, {UNDECIDED: totals[1] - 3, STABLE: 3}]
    total = totals[0]
    share = none._share(name, [(0, name, "", UNDECIDED, "", total, 0)])
    assert share.limits == (0.0, 1.0) and share.undecided == total


def test_positions_are_those_of_the_models_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first five models are left out here, so counting among those that are kept would show."""
    monkeypatch.setattr(Stability, "_independent", lambda self, batch, k, surely: k >= 5)
    question = asked(tmp_path)
    batch = question.batch(0)
    algorithms = dict(question.algorithms)
    for _, name, other, word, _, _, place in question._rows(0):
        assert place >= 5 and exact_word(batch.model(place), algorithms[name], ONE) == (STABLE if other else word)
        assert not other or exact_word(batch.model(place), algorithms[other], ONE) == UNSTABLE


def test_the_mean_of_the_memory_decides() -> None:
    """A memory with the mean 1/(1 − γ), and an update that is stable exactly where this is above nine."""

    @algorithm(parameters={"theta": "d"}, memory={"z": 1})
    def above_nine(t: Any, theta: Any, z: Any, alpha: Any) -> Any:
        return theta + alpha * (9 - z) * theta, t.discount * z + 1

    batch = drawn(30, kept=("constant_discount",))
    found = signs(batch, above_nine, [ONE])
    gammas = [batch.model(k).gamma for k in range(30)]
    assert found.tolist() == [1 if gamma and 1 / (1 - gamma) > 9 else -1 for gamma in gammas]


OWN = """import tdcert
@tdcert.algorithm(parameters={'theta': 'd'})
def own(t, theta, alpha, *, ridge=0):
    return theta - alpha * ridge * theta
"""


def with_file(folder: Path, words: str = '"own.py:own", ', source: str = OWN) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "own.py").write_text(source)
    (folder / "spec.toml").write_text(SPEC.replace('"off_policy_td", ', words).replace("{more}", ""), encoding="utf-8")
    return folder / "spec.toml"


def test_a_changed_file_is_another_sweep(tmp_path: Path) -> None:
    first = read_spec(with_file(tmp_path / "a")).digest
    assert read_spec(with_file(tmp_path / "b")).digest == first
    for other in ({"source": OWN + "# changed\n"}, {"words": '"own.py:own[ridge=1]", '}):
        assert read_spec(with_file(tmp_path / "b", **other)).digest != first


def test_files_are_named_without_folders_and_no_two_alike(tmp_path: Path) -> None:
    found = question_of(read_spec(with_file(tmp_path, '"own.py:own[ridge=1]", "own.py:own", ')))
    assert isinstance(found, Stability)
    assert [name for name, _ in found.algorithms][:2] == ["own.py:own[ridge=1]", "own.py:own"]
    with_file(tmp_path / "sub")
    with pytest.raises(InputError, match=r"two algorithms of the sweep are called 'own.py:own'"):
        question_of(read_spec(with_file(tmp_path, '"own.py:own", "sub/own.py:own", ')))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("lam = 0.5", "lam = 2"), r"lam in .* must lie in \[0, 1\], and eta above 0"),
        (('"off_policy_td"', '"nobody"'), "there is no algorithm 'nobody'"),
        (('"off_policy_td"', '"gtd_momentum[momentum=1]"'), "stability is asked of mean dynamics: the update 'gtd_mom"),
        (('"off_policy_td"', '"none.py:x"'), "'none.py' cannot be read"),
        (("models = 20", "models = 0"), "models in .* a whole number from 1"),
        (("states = 3", "states = [3, 4]"), "stability is asked of models of one size"),
        (("lam = 0.5", "level = 1"), "level in .* must be one number between 0 and 1"),
        (("lam = 0.5", "lamb = 0.5"), "'lamb'"),
        (("lam = 0.5", "sources = {}"), "'sources' of .* leave it out"),
    ],
)
def test_bad_specs_are_one_sentence(change: tuple[str, str], sentence: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=sentence) as error:
        asked(tmp_path, text=SPEC.replace(*change))
    assert "\n" not in str(error.value)


def test_a_lambda_that_is_asked_about_is_not_replaced_by_a_model_s() -> None:
    for name in ("td", "average_reward_td"):
        chosen = at_lambda(named(name), F(1, 2))
        assert for_model(chosen, theta_to_two_theta(F(9, 10)))[0].options == chosen.options != named(name).options


def test_all_are_those_with_mean_dynamics() -> None:
    document = {
        "format": "tdcert-sweep/1", "name": "x", "kind": "stability", "seed": 1, "count": 1, "shard": 1,
        "stability": {"algorithms": ["all"]}, "family": [{"kind": "garnet", "states": 2, "width": 1}],
    }  # fmt: skip
    found = question_of(spec_of(document))
    assert isinstance(found, Stability) and [name for name, _ in found.algorithms] == WITH_A_MEAN
