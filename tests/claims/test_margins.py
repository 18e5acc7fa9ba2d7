"""The margins and what goes beyond the paper.

Exact deciders against brute force, and wrong variants that must be seen to fail.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import cos, pi
from typing import Any

import numpy as np
import pytest
from flint import fmpq

from tdcert.claims.claim import Claim, decide
from tdcert.claims.dgb22 import (
    episodic_discount,
    finite_time_moments,
    invariances,
    negative_margin,
    prop_4_1,
    stationary_features,
)
from tdcert.claims.dgb22.off_policy_margin import three_state_model
from tdcert.claims.models import HALF, gallery_models, random_instances
from tdcert.claims.paper import asked_in_enclosures
from tdcert.claims.paper import entry as row_of
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.margins import negative_direction, norm_bound
from tdcert.theory.check.norms import decide_contraction
from tdcert.theory.check.schedule_symbol import breaking_cycle, symbol_sign
from tdcert.theory.enclose.dense import analyse_enclosed
from tdcert.theory.engine.nodes import Nodes
from tdcert.theory.laws.nodes import Updates
from tdcert.theory.model import transforms
from tdcert.theory.model.gallery import flip_chain, one_state
from tdcert.theory.model.key_matrices import theorem_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule, return_weights
from tdcert.theory.verdict import Status

SEED = 7


# ---- semidefiniteness and norms ---------------------------------------------------------------------


def test_semidefinite_matrices_have_no_negative_direction_and_others_have() -> None:
    rng = np.random.default_rng(SEED)
    for _ in range(60):
        n, rank = int(rng.integers(1, 6)), int(rng.integers(1, 6))
        B = RationalMatrix([[Fraction(int(x), 3) for x in row] for row in rng.integers(-4, 5, (n, rank))])
        gram = B @ B.T  # positive semidefinite, singular where rank < n
        assert negative_direction(gram) is None
        shifted = gram - gram.identity(n).scaled(Fraction(1, 10**30))
        x = negative_direction(shifted)
        if gram.rank < n:
            assert x is not None and shifted.quadratic_form(x) < 0
        else:
            assert x is None


def test_a_zero_diagonal_with_an_entry_beside_it_is_not_semidefinite() -> None:
    for entry in (1, -1):
        S = RationalMatrix([[1, 0, 0], [0, 0, entry], [0, entry, 0]])
        x = negative_direction(S)
        assert x is not None and S.quadratic_form(x) < 0


def test_the_norm_bound_is_above_and_close() -> None:
    model = three_state_model()
    D = model.behaviour_chain.P.identity(3).scale_rows(theorem_matrices(model, (0, 1, 2)).d)
    # target 1→2→3→3: ‖P‖² = max(0 + …): column 3 gathers d_2 + d_3 = 4/16 over d_3 = 1/16, so ‖P‖ = 2
    bound = norm_bound(model.target_kernel.P, D)
    assert 2 < bound < 2 + Fraction(1, 2**18)


def test_kappa_times_the_norm_below_one_does_not_make_A_negative() -> None:
    model = three_state_model()
    assert model.kappa == Fraction(4, 9)
    assert theorem_matrices(model, (0, 1, 2)).A[0, 0] == Fraction(5, 18)


# ---- margins -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("claim", [negative_margin.CLAIM, stationary_features.CLAIM], ids=lambda claim: claim.id)
def test_small_models_are_certified_by_relations(claim: Claim) -> None:
    met = 0
    for model in [*gallery_models(), *random_instances(SEED, 12)]:
        verdict = decide(claim, model).verdict
        if verdict.status is Status.HOLDS:
            met += 1
            assert all(certificate.kind == "relation" for certificate in verdict.certificates), model.name
    assert met >= 8


def test_a_margin_of_one_minus_kappa_squared_would_be_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    from tdcert.theory.check import margins

    model = one_state(HALF)  # A = −(1 − κ)C exactly
    assert negative_margin.CLAIM.check(model).status is Status.HOLDS
    monkeypatch.setattr(margins, "largest_kappa", lambda m: m.kappa**2)
    assert negative_margin.CLAIM.check(model).status is Status.REFUTED


def test_one_discount_of_zero_leaves_the_norm_at_one_and_A_negative() -> None:
    model = episodic_discount.one_end()
    assert decide_contraction(model, (0, 1), Fraction(1)).status is Status.HOLDS
    assert decide_contraction(model, (0, 1), Fraction(999, 1000)).status is Status.REFUTED
    assert prop_4_1.CLAIM.check(model).status is Status.HOLDS
    assert prop_4_1.CLAIM.check(flip_chain(1)).status is Status.REFUTED


def test_the_episodic_identity_fails_for_a_trace_without_its_discounts(monkeypatch: pytest.MonkeyPatch) -> None:
    from tdcert.theory.expressions import relations

    model = episodic_discount.one_end().with_schedule(Schedule((HALF,)))
    assert episodic_discount.CLAIM.check(model).status is Status.HOLDS
    straight = vars(relations)["trace"]
    monkeypatch.setattr(relations, "trace", lambda phi, gammas, *rest: straight(phi, [fmpq(1)] * len(gammas), *rest))
    assert episodic_discount.CLAIM.check(model).status is Status.REFUTED


# ---- invariances ---------------------------------------------------------------------------------------


def test_a_split_that_gives_both_copies_everything_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    model = random_instances(SEED, 1)[0]
    assert invariances.CLAIM.check(model).status is Status.HOLDS

    def lopsided(model: Model, state: int, share: Fraction) -> Model:
        split = transforms.split_state(model, state, share)
        features = [list(row) for row in split.features.rows]
        features[-1][0] += 1  # the copy is told apart
        return split.with_features(RationalMatrix(features))

    monkeypatch.setattr(invariances, "split_state", lopsided)
    verdict = invariances.CLAIM.check(model)
    assert verdict.status is Status.REFUTED and verdict.witness["rewriting"] == "splitting a state"


def test_a_basis_change_that_forgets_the_transpose_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    model = next(m for m in random_instances(SEED, 12) if m.d > 1)
    assert invariances.CLAIM.check(model).status is Status.HOLDS
    monkeypatch.setattr(invariances, "change_basis", lambda m, T: m.with_features(m.features @ T.T))
    assert invariances.CLAIM.check(model).status is Status.REFUTED


# ---- λ outside [0,1] -------------------------------------------------------------------------------------


def brute(schedule: Schedule, gamma: Fraction) -> float:
    weights = [float(w * gamma**n) for n, w in enumerate(return_weights(schedule.lambdas), start=1)]
    return max(sum(w * cos(n * pi * t / 720) for n, w in enumerate(weights, start=1)) for t in range(721))


@pytest.mark.thorough
def test_the_sign_of_the_symbol_agrees_with_a_fine_grid() -> None:
    rng = np.random.default_rng(SEED)
    seen = set()
    for _ in range(300):
        lambdas = tuple(
            Fraction(int(rng.integers(-9, 10)), int(rng.integers(1, 5))) for _ in range(int(rng.integers(0, 5)))
        )
        gamma = (HALF, Fraction(9, 10), Fraction(1))[int(rng.integers(3))]
        schedule = Schedule(lambdas)
        sign, top = symbol_sign(schedule, gamma), brute(schedule, gamma)
        seen.add(sign)
        # a grid of 720 misses the maximum by at most half a step, and |f″| ≤ Σ n²|w_n γⁿ|
        curvature = sum(
            n * n * abs(float(w * gamma**n)) for n, w in enumerate(return_weights(schedule.lambdas), start=1)
        )
        slack = curvature * (pi / 1440) ** 2 / 2 + 1e-9
        assert {-1: top < 1 + 1e-9, 0: abs(top - 1) <= slack, 1: top > 1 - slack}[sign], (lambdas, gamma, top)
        if sign > 0:
            cycle = breaking_cycle(schedule, gamma)
            form = sum(
                w * gamma**n * cycle.correlation(n) for n, w in enumerate(return_weights(schedule.lambdas), start=1)
            )
            assert form > cycle.correlation(0)
    assert seen == {-1, 0, 1}


def test_known_symbols() -> None:
    assert symbol_sign(Schedule(), Fraction(1)) == 0  # f = cos φ touches one
    assert symbol_sign(Schedule((Fraction(-3),)), HALF) == 1  # κ = 5/4
    assert symbol_sign(Schedule((Fraction(5, 2),)), HALF) == 1  # f(π) = 11/8: the flip chain
    assert symbol_sign(Schedule((Fraction(2),)), HALF) == 0  # f(π) = 1
    assert symbol_sign(Schedule((Fraction(3, 2),)), HALF) == -1
    assert symbol_sign(Schedule((), Fraction(-1, 2)), HALF) == -1
    assert symbol_sign(Schedule.constant(HALF), Fraction(1)) == 0 and symbol_sign(Schedule.constant(HALF), HALF) == -1
    # w = (3, −3, 1): f = 1 − (cos φ − ½)²(1 − cos φ/2), which touches one at φ = π/3
    assert symbol_sign(Schedule((Fraction(-2), -HALF)), HALF) == 0
    assert breaking_cycle(Schedule((Fraction(5, 2),)), HALF).length == 2


# ---- moments ---------------------------------------------------------------------------------------------


def test_moments_of_an_update_with_a_wrong_sign_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    model = random_instances(SEED, 2)[1]
    assert finite_time_moments.CLAIM.check(model).status is Status.HOLDS
    straight = Nodes.updates

    def crooked(chain: Nodes, kind: Any) -> Updates:
        found = straight(chain, kind)
        wrong = chain.of.algorithm.name == "tdc"
        return replace(found, parts=(-found.parts[0], *found.parts[1:])) if wrong else found

    monkeypatch.setattr(Nodes, "updates", crooked)
    verdict = finite_time_moments.CLAIM.check(model)
    assert verdict.status is Status.REFUTED and verdict.witness["algorithm"] == "tdc"


def test_monte_carlo_in_episodes_without_a_discount_has_a_margin() -> None:
    """λ = 1 without an end and Γ = 1 but for restarts: every w_n is zero, M = 0, so κ = 0 and A = −C."""
    P, ends = RationalMatrix([[HALF, HALF], [1, 0]]), RationalMatrix([[1, 1], [0, 0]])
    features = RationalMatrix.column([1, 2])
    model = Model.reward_process(
        P, RationalMatrix.column([1, 0]), ends, features, Schedule.constant(Fraction(1)), "episodes"
    )
    keys = theorem_matrices(model, (0, 1))
    assert -keys.C == keys.A
    for claim_id in ("negative_margin", "error_bound", "stationary_features", "lambda_outside_unit_interval"):
        assert decide(row_of(claim_id).load(), model).verdict.status is Status.HOLDS
    enclosed = analyse_enclosed(model, statements=asked_in_enclosures()).verdicts["negative_margin"]
    assert enclosed.status is not Status.REFUTED
