"""Signs of many exponents at once: rounds, shares of the error, common paths, and signs that are known."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import tdcert.sims.growth
from tdcert.claims.dgb22.mean_square_stability import three_verdicts
from tdcert.sims import algorithms
from tdcert.sims.growth import MedianInterval, PathStability
from tdcert.sims.growth_signs import Round, SignAgreement, SignQuestion, ask, find_signs, in_words
from tdcert.sims.judge.agreement import ErrorBudget
from tdcert.sims.kernels import sample
from tdcert.sims.streams import run_states
from tdcert.sims.trajectories import Sampler, uniform_start
from tdcert.theory.model.gallery import HALF, bairds_star, one_state
from tdcert.theory.model.schedule import Schedule

SEED = 23
MODEL = three_verdicts()
SHRINKS = SignQuestion("α = 11/5", MODEL, "off_policy_td", 2.2, 1.0)  # ½ log|(1 − 3α/2)(1 − α/2)| < 0 below 8/3
GROWS = SignQuestion("α = 14/5", MODEL, "off_policy_td", 2.8, 1.0)
NEVER = SignQuestion("α = 8/3", MODEL, "off_policy_td", 8 / 3, 1.0)  # the exponent is zero


def test_known_signs_are_found_and_the_undecidable_stays_open(error_budget: ErrorBudget) -> None:
    rounds = (Round(40, 2_000), Round(40, 8_000, 1))
    level = 1 - error_budget.spend("three signs in two rounds", 1e-9)
    found = find_signs([SHRINKS, GROWS, NEVER], rounds, seed=SEED, name="known", level=level)
    assert [path.sign for path in found] == [-1, 1, None]
    assert found[2].steps == 8_000 and found[0].steps == 2_000, "only what was open is asked again"


def test_the_error_is_split_over_rounds_and_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, float, int]] = []

    def never(model: object, algorithm: str, alpha: float, **how: object) -> PathStability:
        asked.append((str(how["name"]), float(str(how["level"])), int(str(how["steps"]))))
        return PathStability(MedianInterval(alpha, alpha - 10, alpha + 10), MedianInterval(0, -1, 1), 10, 2, 0.9)

    monkeypatch.setattr(tdcert.sims.growth, "path_stability", never)
    questions = [SignQuestion(str(k), MODEL, "td", float(k), 1.0) for k in range(4)]
    find_signs(questions, [Round(2, 10), Round(2, 20, 3), Round(2, 30, 1)], seed=1, name="n", level=0.88)
    assert sorted(steps for _, _, steps in asked) == [10] * 4 + [20] * 3 + [30]
    assert {name for name, _, _ in asked} == {"n, round 1", "n, round 2", "n, round 3"}
    assert all(level == pytest.approx(1 - 0.12 / 12) for _, level, _ in asked)


def test_a_round_asks_the_most_promising_first(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []

    def never(model: object, algorithm: str, alpha: float, **how: object) -> PathStability:
        asked.append(alpha)
        return PathStability(MedianInterval(alpha, alpha - 10, alpha + 10), MedianInterval(0, -1, 1), 10, 2, 0.9)

    monkeypatch.setattr(tdcert.sims.growth, "path_stability", never)
    questions = [SignQuestion(str(a), MODEL, "td", a, 1.0) for a in (1.0, -7.0, 3.0)]
    find_signs(questions, [Round(2, 10), Round(2, 20, 1)], seed=1, name="n", level=0.9)
    assert asked[3:] == [-7.0]


def test_an_answer_repeats_whatever_else_is_asked() -> None:
    plan = [Round(4, 500)]
    alone, beside = (
        find_signs(questions, plan, seed=SEED, name="repeat", level=0.9)[0].exponent.estimate
        for questions in ([GROWS], [GROWS, SHRINKS])
    )
    assert alone == beside


def test_a_statement_agrees_only_with_every_sign() -> None:
    """One state, γ = ½: θ is multiplied by 1 − α/2 for sure."""
    dies, grows = (SignQuestion(f"α = {a}", one_state(HALF), "td", a, 1.0) for a in (1.0, 5.0))
    plan = Round(16, 100)
    right = ask("right", [(dies, -1), (grows, 1)], plan, seed=SEED, alpha=1e-3)
    wrong = ask("wrong", [(dies, -1), (grows, -1)], plan, seed=SEED, alpha=1e-3)
    assert right.agrees and "agrees" in right.sentence()
    assert not wrong.agrees and wrong.contradicts and "contradicts" in wrong.sentence()
    open_one = PathStability(MedianInterval(0, -1, 1), MedianInterval(0, -1, 1), 10, 2, 0.9)
    left_open = SignAgreement("open", ("a",), (1,), (open_one,), 1e-3)
    assert not left_open.agrees and not left_open.contradicts and "leaves open" in left_open.sentence()
    assert in_words(open_one).startswith("undecided")
    drifting = PathStability(MedianInterval(-1, -2, -0.5), MedianInterval(1, 0.5, 2), 10, 2, 0.9)
    assert drifting.sign is None and in_words(drifting).startswith("still drifting, undecided")


def test_without_questions_there_is_no_answer() -> None:
    with pytest.raises(ValueError, match="at least one"):
        find_signs([], [Round(2, 10)], seed=1, name="n", level=0.9)


def test_exponents_without_the_quotient_are_told_apart() -> None:
    """Baird's star at γ = 9/10: TD's paths die out; a start along what Φ does not see stays, and would show zero."""
    model = bairds_star(Fraction(9, 10), Schedule.equal_weights(4, 6))
    null = [-1.0] * 6 + [-4.0, 2.0]
    paths = sample(Sampler.of(model, uniform_start(model)), run_states(SEED, "null", 2), 200)
    lambdas = [float(x) for x in model.schedule.lambdas]
    thetas, _ = algorithms.run(algorithms.OffPolicyTD(), paths, lambdas, [0.005] * 200, [0.0] * 200, null)
    assert np.linalg.norm(thetas[-1] - thetas[0]) < 1e-12
    question = SignQuestion("TD", model, "off_policy_td", 0.005, 10.0)
    found = find_signs([question], [Round(40, 20_000)], seed=SEED, name="quotient", level=0.999)
    assert found[0].sign == -1 and found[0].exponent.upper < -2e-4
