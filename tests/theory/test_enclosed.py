"""Enclosures of dense models: they contain the exact values, are tight, and contradict no exact verdict."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from claims.claim import decide
from claims.paper import entry
from sims.random_models import random_model
from sims.streams import generator
from theory.arithmetic import RationalMatrix
from theory.arithmetic.midrad import MidRadMatrix
from theory.check.enclosed import analyse_enclosed
from theory.check.enclosed_definite import positive_definite
from theory.model.key_matrices import theorem_matrices
from theory.model.mdp import Model
from theory.verdict import Status

SEED = 20_265


def _model(k: int) -> Model:
    """Model k of a varied family: on- and off-policy, covered or not, one discount or many, every kind of Φ."""
    rng = generator(SEED, f"enclosed {k}")
    kind = ("random", "aggregated", "one_hot", "deficient")[k % 4]
    n = 4 + k % 5
    return random_model(
        rng, n, n if kind == "one_hot" else 3, k % 5, on_policy=k % 3 == 0, coverage=k % 7 != 3,
        branching=2 + k % 3, gamma=None if k % 5 == 4 else Fraction(k % 9 + 1, 10), kind=kind,
    )  # fmt: skip


@pytest.mark.parametrize("k", range(14))
def test_contains_the_exact_values_and_contradicts_no_exact_verdict(k: int) -> None:
    model = _model(k)
    result = analyse_enclosed(model)
    (part,) = result.classes
    exact = theorem_matrices(model, part.states)
    for enclosed, matrix in (
        (part.stationary, exact.d), (part.A, exact.A), (part.b, exact.b), (part.C, exact.C)
    ):  # fmt: skip
        assert MidRadMatrix(*enclosed).contains(matrix)
        assert np.max(enclosed[1]) <= 2.0**-44 * np.max(np.abs(enclosed[0]))
    if part.theta_star is not None:
        assert MidRadMatrix(*part.theta_star).contains(exact.theta_star)
    for claim_id, answer in result.verdicts.items():
        if answer.status is not Status.UNDECIDED:
            assert answer.status is decide(entry(claim_id).load(), model).verdict.status, claim_id


def test_definiteness_is_refused_near_singular_and_decided_with_the_precision_named() -> None:
    """S = [[1, 1], [1, 1 + t]]: definite for t > 0, not for t < 0, whatever the size of t."""
    for exponent in range(-80, -20, 3):
        for sign in (1, -1):
            S = RationalMatrix([[1, 1], [1, 1 + sign * Fraction(2) ** exponent]])
            answer = positive_definite(MidRadMatrix.enclosing(S), "S")
            assert answer.holds in (sign > 0, None)
            if exponent > -44:
                assert answer.holds is (sign > 0)
