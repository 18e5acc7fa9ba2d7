"""Paths, mean square and mean are three questions: by hand, by brute force, and with wrong statements seen to fail."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product
from math import lcm
from typing import Any, cast

import numpy as np
import pytest

from tdcert.algorithms.schedules import declared
from tdcert.claims.box import laws
from tdcert.claims.dgb22 import path_growth
from tdcert.claims.dgb22.path_growth import DENIED, FIVE, IMPLIED, MEAN, PATHS, SQUARE, signs_at
from tdcert.claims.models import coin_flipper
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.engine.paths import on_paths
from tdcert.theory.engine.second_moments import at_constant_step
from tdcert.theory.formal.record import read_record
from tdcert.theory.formal.sources import INSTANCE
from tdcert.theory.laws.mean_at_step import MeanSigns
from tdcert.theory.laws.path_exponents import PathSign
from tdcert.theory.model.gallery import one_state, random_chain
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.verdict import Status
from tests.chains import two_actions
from tests.effort import by_default

F = Fraction
Triple = tuple[int, int, int]


def by_hand(law: Sequence[F], factors: Sequence[F]) -> Triple:
    """Signs of log |E f|, log E f² and E log|f|: the last by a product of integer powers, without a logarithm."""
    common = lcm(*(p.denominator for p in law))
    along = F(1)
    for p, f in zip(law, factors, strict=True):
        along *= abs(f) ** int(p * common)
    mean = abs(sum((p * f for p, f in zip(law, factors, strict=True)), start=F(0)))
    square = sum((p * f * f for p, f in zip(law, factors, strict=True)), start=F(0))
    signs = ((x > 1) - (x < 1) for x in (mean, square, along))
    return next(signs), next(signs), next(signs)


def factors_of(model: Model, alpha: F) -> tuple[list[F], list[F]]:
    """What one state with one feature multiplies differences by, and the law of that: 1 − αρ(1 − γ)φ²."""
    law = [p for p in model.behaviour.rows[0] if p]
    taken = [a for a, p in enumerate(model.behaviour.rows[0]) if p]
    square = model.features[0, 0] ** 2
    return law, [
        1 - alpha * model.target[0, a] / model.behaviour[0, a] * (1 - model.discounts[a][0, 0]) * square for a in taken
    ]


def test_all_five_combinations_occur_and_are_those_of_the_factors() -> None:
    met = set()
    for make, alpha, wanted in FIVE:
        model = make()
        law, factors = factors_of(model, F(alpha))
        assert by_hand(law, factors) == wanted
        assert tuple(signs_at(model, declared("off_policy_td", model), (0,), F(alpha)).of.values()) == wanted
        met.add(wanted)
    possible = {one for one in product((-1, 1), repeat=3) if one[1] == 1 or one == (-1, -1, -1)}
    assert met == possible and len(possible) == 5


def coq_number(text: str) -> F:
    """``3^-1``, ``(2 / 3)`` or ``5``."""
    over = re.fullmatch(r"\((\d+) / (\d+)\)|(\d+)\^-1|(\d+)", text)
    assert over is not None
    return F(int(over[1]), int(over[2])) if over[1] else F(1, int(over[3])) if over[3] else F(int(over[4]))


def test_coq_proves_the_signs_of_these_five() -> None:
    """The instances with numbers: the laws of both policies, the step and the three signs of each."""
    two = r"\(two (\(.*?\)|[\d^-]+) (\(.*?\)|[\d^-]+)\)"
    proved = []
    for theorem in read_record().of("path_growth"):
        if theorem.reading == INSTANCE:
            given = re.search(rf"times \(factor {two} {two} (\d+)\)", theorem.statement)
            assert given is not None and set(re.findall(rf"taken {two}", theorem.statement)) == {given.groups()[:2]}
            signs = re.findall(r"(dies_out|grows)_(in_the_mean|in_mean_square|on_paths) stay", theorem.statement)
            assert [sense for _, sense in signs] == ["in_the_mean", "in_mean_square", "on_paths"]
            along = tuple(-1 if verb == "dies_out" else 1 for verb, _ in signs)
            proved.append(([coq_number(x) for x in given.groups()], along))
    assert path_growth.CLAIM.formal
    models = [(make(), alpha, signs) for make, alpha, signs in FIVE]
    assert proved == [([*m.behaviour.rows[0], *m.target.rows[0], alpha], signs) for m, alpha, signs in models]
    assert all(m.discounts[0][0, 0] == F(1, 2) and m.features[0, 0] == 1 for m, *_ in models)


def test_the_factors_are_those_that_are_said() -> None:
    """μ = (⅓, ⅔) and π = (⅔, ⅓): 1 − α and 1 − α/4; and the coin, −2 and 1 at the step 3."""
    assert factors_of(path_growth.swapped_policies(), F(5)) == ([F(1, 3), F(2, 3)], [F(-4), F(-1, 4)])
    assert factors_of(coin_flipper(), F(3)) == ([F(1, 2), F(1, 2)], [F(-2), F(1)])


def triples(denominator: int) -> Iterator[Triple]:
    """Those of one state with two actions, policies of such denominators, γ = 0, steps with denominators up to 6."""
    steps = {F(a, b) for b in range(1, 7) for a in range(1, 8 * b)}
    for behaviour, target, alpha in product(laws(2, denominator), laws(2, denominator), sorted(steps)):
        if all(m or not p for m, p in zip(behaviour, target, strict=True)):
            pairs = [(m, 1 - alpha * p / m) for m, p in zip(behaviour, target, strict=True) if m]
            found = by_hand([m for m, _ in pairs], [f for _, f in pairs])
            if 0 not in found:
                yield found


def test_one_action_is_too_few_and_halves_are() -> None:
    """So the models are the smallest ones: the fifth combination takes two actions, two more take thirds."""
    assert set(triples(1)) == {(-1, -1, -1), (1, 1, 1)}
    assert set(triples(2)) == {(-1, -1, -1), (1, 1, 1), (-1, 1, 1)}
    assert set(triples(3)) == {(-1, -1, -1), (-1, 1, -1), (-1, 1, 1), (1, 1, -1), (1, 1, 1)}


def denied(signs: Triple) -> set[tuple[str, str]]:
    """Pairs of senses with the signs −1 and +1."""
    named = dict(zip((MEAN, SQUARE, PATHS), signs, strict=True))
    return {(one, other) for one, other in permutations(named, 2) if (named[one], named[other]) == (-1, 1)}


def test_every_wrong_implication_is_refuted_and_the_right_ones_are_not() -> None:
    every = set(permutations((MEAN, SQUARE, PATHS), 2))
    assert set(DENIED) | set(IMPLIED) == every and not set(DENIED) & set(IMPLIED)
    assert set().union(*(denied(by_hand(*factors_of(make(), F(alpha)))) for make, alpha, _ in FIVE)) == set(DENIED)
    for make, alpha, wanted in FIVE:
        signs = signs_at(make(), declared("off_policy_td", make()), (0,), F(alpha))
        assert {pair for pair in every if signs.deny(*pair)} == denied(cast(Triple, wanted))


@pytest.mark.parametrize("wrong", DENIED)
def test_a_claim_with_a_wrong_implication_is_refuted(wrong: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The check itself, with one more implication, at the steps of the combinations."""
    monkeypatch.setattr(path_growth, "IMPLIED", (*IMPLIED, wrong))
    refuted = 0
    for make, alpha, wanted in FIVE:
        monkeypatch.setattr(path_growth, "STEPS", (F(alpha),))
        verdict = path_growth.check(make())
        assert (verdict.status is Status.REFUTED) is (wrong in denied(cast(Triple, wanted)))
        if verdict.status is Status.REFUTED:
            assert f"die out {wrong[0]}, and not {wrong[1]}" in verdict.detail and len(verdict.certificates) == 3
            refuted += 1
    assert refuted


def test_a_wrong_sign_of_the_mean_or_of_paths_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    model = one_state(F(1, 2))
    assert path_growth.check(model).status is Status.HOLDS
    for name, answer in (("mean_signs", MeanSigns(0, 0)), ("decide_paths", PathSign(1)), ("decide_paths", PathSign(0))):
        with monkeypatch.context() as patch:
            patch.setattr(path_growth, name, lambda *_, answer=answer: answer)
            assert path_growth.check(model).status is Status.REFUTED


def test_signs_from_time_zero_are_not_held_against_those_under_way() -> None:
    """φ = 2, γ = ¾: the first update multiplies by 1 − 4·¼ = 0, later ones by 1 − (1 + γ + γ²) = −21/16."""
    model = replace(one_state(F(3, 4), Schedule((F(1), F(1)))), features=RationalMatrix([[2]]))
    asked: Any = model, declared("off_policy_td", model), (0,), [F(1)], F(1)
    answer = at_constant_step(*asked)
    assert (answer.mean, answer.mean_square, on_paths(*asked).sign.sign) == (-1, -1, 1)
    assert answer.under_way == (1, 1)
    assert tuple(signs_at(model, declared("off_policy_td", model), (0,), F(1)).of.values()) == (1, 1, 1)
    assert path_growth.check(model).status is Status.HOLDS


def test_what_is_too_large_is_left_out_and_says_so() -> None:
    """Seventeen features: no sign is decided, so nothing is said to hold. Without an end TD(0) is asked."""
    verdict = path_growth.check(random_chain())
    assert verdict.status is Status.HYPOTHESIS_VIOLATED and verdict.violated == (
        "at most 30 windows and 400 windows × D² of TD(0), and updates that move something",
    )
    assert "no sign is asked of more than 30 windows" in verdict.detail and not verdict.certificates
    star = path_growth.check(one_state(F(1, 2), Schedule.constant(F(1, 2))))
    assert star.detail.startswith("TD(0), α = 1/10: die out in the mean, in mean square, on almost every path")


def test_what_is_asked_and_not_decided_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    """One window: with no sign of mean square, or with none of the two others, nothing is left out."""
    for name, answer in (("show_bounded", None), ("mean_signs", MeanSigns(None, None))):
        with monkeypatch.context() as patch:
            patch.setattr(path_growth, name, lambda *_, answer=answer: answer)
            if name == "show_bounded":
                patch.setattr(path_growth, "show_unbounded", lambda *_: None)
            else:
                patch.setattr(path_growth, "decide_paths", lambda *_: PathSign(None, why="not asked"))
            verdict = path_growth.check(one_state(F(1, 2)))
        assert verdict.status is Status.UNDECIDED and "says nothing of the implications" in verdict.detail


def test_jensens_inequality_is_proved_with_its_remainder() -> None:
    """The identity, and numbers: ¼·1 + ¾·9 − (¼ + 9/4)² = 3/16·2²."""
    (row,) = path_growth.prove()
    assert row.count == 4
    assert F(1, 4) + F(3, 4) * 9 - (F(1, 4) + F(9, 4)) ** 2 == F(3, 16) * 4


def test_facts_say_which_statements_are_false() -> None:
    """And a fact whose signs are others is refuted."""
    said = " ".join(fact.sentence for fact in path_growth.facts())
    for one, other in DENIED:
        assert f"What dies out {one} need not die out {other}." in said
    for one, other in IMPLIED:
        assert f"What dies out {one} need not die out {other}." not in said


@pytest.mark.parametrize("wrong", [(1, 1, 1), (-1, 1, -1)])
def test_a_wrong_fact_does_not_hold(wrong: Triple, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(path_growth, "FIVE", ((path_growth.swapped_policies, 2, wrong),))
    (fact,) = path_growth.facts()
    assert fact.verdict.status is Status.REFUTED


# ---- pictures ---------------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_curves_are_powers_of_the_mean_and_runs_are_products_of_the_factors() -> None:
    times = path_growth.TIMES
    for figure, (make, alpha, _) in zip(path_growth.pictures(7, "quick"), FIVE, strict=True):
        law, factors = factors_of(make(), F(alpha))
        mean = abs(sum((p * f for p, f in zip(law, factors, strict=True)), start=F(0)))
        square = sum((p * f * f for p, f in zip(law, factors, strict=True)), start=F(0))
        drawn_mean, drawn_root, runs = figure.series
        assert drawn_mean.y == pytest.approx([float(mean**t) for t in times], rel=1e-12, abs=0)
        assert drawn_root.y == pytest.approx([float(square**t) ** 0.5 for t in times], rel=1e-12, abs=0)
        assert runs.low is not None and runs.high is not None
        for t in times:
            possible = [float(abs(factors[0] ** k * factors[1] ** (t - k))) for k in range(t + 1)]
            for y in (runs.low[t], runs.y[t], runs.high[t]):
                # 1 − αρ(1 − γ) is rounded, and 3t operations follow: less than 1e-12, and no two products are so near
                assert any(y == pytest.approx(one, rel=1e-12, abs=0) for one in possible), (figure.title, t)


@pytest.mark.parametrize(("seed", "wanted"), by_default(1, [(0, (-1, 1, 1)), (9, (-1, 1, -1))]))
def test_two_features_are_decided_by_cells_where_nothing_else_does(seed: int, wanted: Triple) -> None:
    """Two states, two features, TD(0) at the step 1, against 400 paths of 2,000 updates: bounds are hundredths apart,
    and a logarithm of one update, with a deviation of about one, counts by 1/√(400 · 2,000) = .0011.
    """
    model = two_actions(2, 2, seed)
    found = signs_at(model, declared("off_policy_td", model), (0, 1), F(1))
    assert tuple(found.of.values()) == wanted
    assert [one.kind for one in found.certificates].count("path_exponent_cells") == 2
    rng, y, s = np.random.default_rng(0), np.ones((400, 2)), np.zeros(400, dtype=int)
    mu, pi, phi = (np.array(x.rows, dtype=float) for x in (model.behaviour, model.target, model.features))
    P, total = np.array([x.rows for x in model.transitions], dtype=float), 0.0
    for _ in range(2_000):
        a = (rng.random(400) > mu[s, 0]).astype(int)
        after = (rng.random(400) > P[a, s, 0]).astype(int)
        delta = ((0.9 * phi[after] - phi[s]) * y).sum(axis=1)
        y = y + (pi[s, a] / mu[s, a] * delta)[:, None] * phi[s]
        size = np.abs(y).max(axis=1)
        total, y, s = total + float(np.log(size).mean()), y / size[:, None], after
    bounds = [F(str(one.about["bound"])) for one in found.certificates if one.kind == "path_exponent_cells"]
    assert min(bounds) < total / 2_000 < max(bounds) and (total > 0) == (wanted[2] > 0)
