"""Every general sentence of the atlas is asked of models, and the search refutes sentences that are false."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tdcert.algorithms import NAMES, named
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.fixed_point import true_value
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.check.stability import spectral_abscissa
from tdcert.theory.engine.dynamics import rest_of, time_scales, two_time_scales
from tdcert.theory.model.gallery import bairds_star, fair_coin_chain, flip_chain, theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tests.docs.atlas_sentences import LAMBDAS, WHERE, batches, counterexample, mean, on_class, word
from tests.effort import by_default, examples, later

F = Fraction
HALF, ONE = F(1, 2), F(1)
ROOT = Path(__file__).parents[2]
KNOWN: dict[str, Any] = json.loads((ROOT / "docs" / "atlas" / "known.json").read_text(encoding="utf-8"))
STABLE, UNSTABLE = MeanDynamics.STABLE, MeanDynamics.UNSTABLE
MODELS = examples(1500)
"""Of each family, for each λ."""

SENTENCES = [(name, entry) for name in NAMES for entry in KNOWN[name]["known"]]
SEARCHED = [
    (name, entry["says"], entry["asked"])
    for name, entry in SENTENCES
    if {"stable", "equal"} & {*entry.get("asked", {})}
]


def test_every_sentence_is_asked_or_says_whose_theorem_it_is() -> None:
    for name, entry in SENTENCES:
        asked = entry.get("asked", {})
        if "check" in asked:
            assert callable(globals()[asked["check"]]), name
        elif "test" in asked:
            file, _, test = asked["test"].partition("::")
            assert f"def {test}(" in (ROOT / file).read_text(encoding="utf-8"), name
        elif asked:
            assert {*asked.get("where", ())} <= WHERE.keys(), name
        else:
            assert re.match(r"[A-Z][\w.é ,]* \(\d{4}\) (prove|give) ", entry["says"]), f"{name}: {entry['says']}"
        assert {*entry} <= {"says", "source", "proof", "asked"}


@pytest.mark.parametrize(("name", "says", "asked"), by_default(2, SEARCHED))
def test_no_model_refutes_what_is_said(name: str, says: str, asked: dict[str, Any]) -> None:
    found = counterexample(asked, MODELS)
    assert found is None, f"{name}: '{says}' is false at λ = {found[1]} on {json.dumps(found[0].canonical)}"


FALSE: list[tuple[str, dict[str, Any]]] = [
    (
        "averaging_target: with a slow target it is stable where off-policy TD is",
        {
            "stable": "averaging_target",
            "where": ["independent features", "off-policy TD stable"],
            "at": [["1", "10000"]],
        },
    ),
    (
        "vmtdc: stable on three time scales",
        {"stable": "vmtdc", "where": ["A nonsingular"], "at": [["1", "10000", "100000000"]]},
    ),
    ("gtd: stable for every η", {"stable": "gtd", "where": [], "at": [["1", "1"]]}),
    ("tdc: stable for every η", {"stable": "tdc", "where": ["A nonsingular"], "at": [["1", "1"]]}),
    ("tdrc: stable for η large enough", {"stable": "tdrc", "where": ["A nonsingular"], "at": [["1", "1000000"]]}),
    ("htd: stable", {"stable": "htd", "where": ["A nonsingular"], "at": [["1", "1"]]}),
    ("etd_beta: stable at β = 1/4", {"stable": "etd_beta[decay=1/4]", "where": ["A nonsingular"], "at": [["1"]]}),
    ("etd_beta is etd", {"equal": ["etd", "etd_beta"]}),
    ("averaging_target: stable", {"stable": "averaging_target", "where": ["independent features"], "at": [["1", "1"]]}),
]
"""Some of these once stood in the atlas."""


@pytest.mark.parametrize(("says", "asked"), by_default(1, FALSE))
def test_false_sentences_are_refuted(says: str, asked: dict[str, Any]) -> None:
    assert counterexample(asked, 1500) is not None, says


SLOW = "ridge_unstable", "vtrace_with_tables", "etd_beta_between"
CHECKED = [(name, entry["asked"]["check"]) for name, entry in SENTENCES if "check" in entry.get("asked", {})]


@pytest.mark.parametrize(("name", "check"), later(CHECKED, lambda row: row[1] in SLOW))
def test_what_is_said_of_one_model_or_by_a_formula(name: str, check: str) -> None:
    globals()[check]()


def some(count: int = 4, where: tuple[str, ...] = ()) -> Iterator[Model]:
    """Models of every family."""
    for batch in batches(8 * count, where):
        models = (batch.model(k) for k in range(batch.size))
        yield from islice((m for m in models if m.behaviour_chain.is_irreducible), count)


def off_policy_td_may_be_unstable() -> None:
    assert word(theta_to_two_theta(F(9, 10)), "off_policy_td", F(0), [ONE]) is UNSTABLE
    assert word(bairds_star(F(99, 100)), "off_policy_td", F(0), [ONE]) is UNSTABLE


def ridge_unstable() -> None:
    seen = 0
    for lam in LAMBDAS:
        for model in some(40):
            if WHERE["off-policy TD unstable"](model, lam):
                seen += 1
                for eta in (F(1, 10), F(10)):
                    assert word(model, "tdrc[ridge=1000000000]", lam, [ONE, eta]) is UNSTABLE
    assert seen


def follow_on_variance() -> None:
    one = RationalMatrix([[1]])
    zero, gamma = RationalMatrix([[0]]), RationalMatrix([[F(9, 10)]])
    policies = RationalMatrix([[HALF, HALF]]), RationalMatrix([[1, 0]])
    model = Model(("a", "b"), (one, one), (zero, zero), (gamma, gamma), *policies, one, Schedule())
    moments = [
        sum(mu * (F(9, 10) * pi / mu) ** k for mu, pi in zip(*(p.rows[0] for p in policies), strict=True))
        for k in (1, 2)
    ]
    assert moments[0] < 1 and moments[1] == F(81, 50) > 1
    assert on_class(model, "etd", F(0)).memory.exists


def etd_beta_between() -> None:
    for lam in LAMBDAS:
        for model in some(2, ("one discount",)):
            (gamma,) = {x for G in model.discounts for row in G.rows for x in row}
            assert mean(model, "etd_beta", lam) == mean(model, "off_policy_td", lam)
            assert mean(model, f"etd_beta[decay={gamma}]", lam) == mean(model, "etd", lam)


def touati() -> None:
    for lam in (F(0), HALF, ONE):
        for name in ("tree_backup", "retrace"):
            assert word(theta_to_two_theta(F(99, 100)), name, lam, [ONE]) is UNSTABLE


def vtrace_with_tables() -> None:
    for clips in ("", "[clip_trace=1/2,clip_error=3/2]"):
        for lam in LAMBDAS:
            for model in some(3, ("tables",)):
                found = on_class(model, f"vtrace{clips}", lam)
                assert word(model, f"vtrace{clips}", lam, [ONE]) is STABLE
                weights = [
                    [min((F(3, 2) if clips else ONE) * m, p) for m, p in zip(mu, pi, strict=True)]
                    for mu, pi in zip(model.behaviour.rows, model.target.rows, strict=True)
                ]
                clipped = RationalMatrix([[w / sum(row) for w in row] for row in weights])
                other = Model(
                    model.actions,
                    model.transitions,
                    model.rewards,
                    model.discounts,
                    model.behaviour,
                    clipped,
                    model.features,
                    model.schedule,
                )
                assert rest_of(found, [ONE]).predictions == true_value(other)


def abtd_is_tree_backup() -> None:
    for psi in (F(0), HALF, ONE):
        for model in some(2):
            assert mean(model, f"abtd[psi={psi}]", F(0)) == mean(model, "tree_backup", psi)


def q_sigma_between() -> None:
    for lam in LAMBDAS:
        for model in some(2):
            assert mean(model, "q_sigma", lam) == mean(model, "off_policy_td", lam)
            assert mean(model, "q_sigma[sigma=0]", lam) == mean(model, "tree_backup", lam)


def differential_invariant() -> None:
    for model in some(3, ("tables",)):
        theta, average = on_class(model, "differential_td", F(0)).means
        for eta in (F(1, 3), F(2)):
            kept = RationalMatrix([[*[-eta] * model.n, 1]])
            assert (kept @ (theta + average.scaled(eta))).is_zero()


def _hand(model: Model) -> tuple[RationalMatrix, RationalMatrix]:
    """A(0, ρ) and C on an irreducible model."""
    d = model.behaviour_chain.stationary_law(tuple(range(model.n)))
    return mean(model, "off_policy_td", F(0)), model.features.T @ model.features.scale_rows(d)


def _regular(count: int) -> Iterator[Model]:
    return (m for m in some(count) if WHERE["A nonsingular"](m, F(0)))


def slow_target() -> None:
    for model in _regular(4):
        A, C = _hand(model)
        scales = time_scales(on_class(model, "averaging_target", F(0)))
        assert not isinstance(scales, str) and scales.slow == C.solve(A) and scales.fast == -C


def slow_target_model() -> None:
    model = Model.of_canonical(KNOWN["averaging_target"]["model"])
    A, C = _hand(model)
    assert (spectral_abscissa(A).sign, spectral_abscissa(C.solve(A)).sign) == (-1, 1)
    found = two_time_scales(on_class(model, "averaging_target", F(0)))
    assert found is not None and found.mean_dynamics is UNSTABLE
    assert word(model, "averaging_target", F(0), [ONE, F(10**6)]) is UNSTABLE


def residual_never_unstable() -> None:
    for model in some(6):
        assert word(model, "residual_gradient", F(0), [ONE]) is not UNSTABLE


def residual_rests_elsewhere() -> None:
    coin = fair_coin_chain(HALF)
    model = coin.with_features(RationalMatrix([[1, 0], [0, 1]]))
    assert true_value(model) == RationalMatrix.column([F(3, 2), HALF])
    rest = rest_of(on_class(model, "residual_gradient", F(0)), [ONE]).predictions
    assert rest == RationalMatrix.column([F(7, 5), F(3, 5)])


def ridge_shifts() -> None:
    for lam in LAMBDAS:
        for model in some(3):
            A, shifted = mean(model, "off_policy_td", lam), mean(model, "ridge_td[ridge=2/3]", lam)
            assert shifted == A - A.identity(model.d).scaled(F(2, 3))


def implicit_step() -> None:
    theta, phi, after = (np.array([F(x) for x in row]) for row in ((1, -2), (3, 1), (0, 2)))
    for alpha in (F(1, 10), F(7)):
        t = SimpleNamespace(phi=phi, phi_next=after, reward=F(5), discount=F(2, 3))
        new = named("implicit_td").function(t, theta, alpha)
        assert list(new) == list(theta + alpha * (5 + F(2, 3) * (after @ theta) - phi @ new) * phi)


def vmtdc_slow() -> None:
    """Eliminates u first, then ω: two Schur complements."""
    for model in _regular(3):
        A, C = _hand(model)
        d = model.d
        blocks = sum_of(list(on_class(model, "vmtdc", F(0)).means)).take(columns=range(2 * d + 1))
        u, slow, omega = range(d + 1, 2 * d + 1), range(d), [d]
        left = _without(blocks, list(u))
        found = _without(left, omega)
        phi = -blocks.take(rows=slow, columns=omega)
        a = blocks.take(rows=omega, columns=slow)
        assert found == -(A.T @ C.solve(A - phi @ a)) and found.shape == (d, d)


def sum_of(matrices: list[Any]) -> Any:
    return sum(matrices[1:], start=matrices[0])


def _without(J: RationalMatrix, fast: list[int]) -> RationalMatrix:
    slow = [i for i in range(J.shape[0]) if i not in fast]
    ss, sf, fs, ff = (J.take(rows=r, columns=c) for r in (slow, fast) for c in (slow, fast))
    return ss - sf @ ff.solve(fs)


def vmtdc_on_theta_to_two_theta() -> None:
    J = sum_of(list(on_class(theta_to_two_theta(F(9, 10)), "vmtdc", F(0)).means)).take(columns=range(3))
    A, C = _hand(theta_to_two_theta(F(9, 10)))
    assert (A[0, 0], A[0, 0] + J[0, 1] * J[1, 0], C[0, 0]) == (F(1, 5), -F(1, 4), F(5, 2))
    assert _without(_without(J, [2]), [1])[0, 0] == F(1, 50)


def gap_of_one() -> None:
    model = flip_chain(F(9, 10), features=((1,), (2,)))
    assert mean(model, "direct_gtd", F(0))[0, 0] == F(44, 25)
    assert word(model, "direct_gtd", F(0), [ONE]) is UNSTABLE and word(model, "td", F(0), [ONE]) is STABLE
