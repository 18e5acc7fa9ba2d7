"""Statements as data: their values by hand, and one decision for every arithmetic."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import pytest

from tdcert.claims.dgb22 import (
    error_bound,
    m_contraction,
    negative_margin,
    off_policy_margin,
    sharp_modulus,
    stationary_norm,
)
from tdcert.claims.paper import claims_with_forms
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.unreduced import unreduced
from tdcert.theory.check.decide import EXACT, UNREDUCED, decide
from tdcert.theory.check.margins import largest_discount, largest_kappa
from tdcert.theory.forms import (
    A_HURWITZ,
    NEGATIVE_A,
    TDC_DEFINITE,
    Form,
    Implications,
    NormBound,
    implied,
    operator_M,
)
from tdcert.theory.model.gallery import flip_chain, theta_to_two_theta
from tdcert.theory.model.key_matrices import KeyMatrices, theorem_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

F = Fraction
HALF = F(1, 2)


def states(model: Model) -> tuple[int, ...]:
    return tuple(range(model.n))


def decided(statement: Any, model: Model, signs: Any = EXACT) -> Any:
    return decide(
        statement, theorem_matrices(model, states(model)), largest_discount(model), largest_kappa(model), signs
    )


def flip(phi: int, schedule: Schedule, reward: int = 0) -> Model:
    """s1 ↔ s2 with γ = ½, one feature (1, φ), a reward on leaving s1."""
    P = RationalMatrix([[0, 1], [1, 0]])
    return Model.reward_process(P, RationalMatrix.column([reward, 0]), HALF, RationalMatrix.column([1, phi]), schedule)


def test_forms_by_hand() -> None:
    """TD(0), φ = (1, 2): C = 5/2, A = ½·(½·2·2) − 5/2 = −3/2, κ = ½: −A − (1 − κ)C = ¼. At φ = (1, 1) it is zero."""
    for phi, expected in ((2, F(1, 4)), (1, F(0))):
        model = flip(phi, Schedule())
        form = negative_margin.FORM.matrix(theorem_matrices(model, (0, 1)), HALF, HALF)
        assert form == RationalMatrix([[expected]])
    # V = (4/3, 2/3) for r = (1, 0); φ = (1, 0): θ* = −b/A = 1, so ‖Φθ* − V‖² = ½(1/9 + 4/9), ‖V − ΠV‖² = ½·4/9
    model = flip(0, Schedule(), reward=1)
    gap = error_bound.FORM.matrix(theorem_matrices(model, (0, 1)), HALF, HALF)
    assert gap == RationalMatrix([[F(1, 2) * F(4, 9) - F(3, 4) * F(1, 2) * F(5, 9)]])
    # M = γP, d = (½, ½): γ²D − MᵀDM = 0, and (9/10)²·D − PᵀDP = −(19/100)·½ I
    keys = theorem_matrices(model, (0, 1))
    assert m_contraction.FORM.form.matrix(keys, HALF, HALF).is_zero()
    shorter = replace(stationary_norm.FORM, bound=lambda gamma, kappa: F(9, 10))
    assert shorter.form.matrix(keys, HALF, HALF) == keys.N.identity(2).scaled(F(-19, 200))
    assert TDC_DEFINITE.matrix(keys, HALF, HALF) == RationalMatrix([[keys.A[0, 0] ** 2 / keys.C[0, 0]]])


def test_a_chain_fails_only_where_a_premise_holds_and_its_conclusion_does_not() -> None:
    for answers in product((True, False, None), repeat=3):
        possible = product(*((True, False) if answer is None else (answer,) for answer in answers))
        truths = {all(not x or y for x, y in pairwise(world)) for world in possible}
        found = implied(answers)
        assert found is None or truths == {found}
        if None not in answers:
            assert truths == {found}


def test_what_does_not_exist_fails_and_what_is_not_stated_is_not_decided() -> None:
    singular = theta_to_two_theta(F(5, 6))  # A = 0
    assert decided(error_bound.FORM, singular) is False and decided(TDC_DEFINITE, singular) is False
    assert decided(replace(TDC_DEFINITE, exactly_if=None), flip(0, Schedule())) is True
    model = flip(2, Schedule((F(2),)))
    assert decided(replace(NEGATIVE_A, where=lambda lambdas, gamma: lambdas[0] <= 1), model) is None
    # λ_1 = 3: κ = ½(1 − 3) + ¼·3 = −¼ while ‖M‖ = ‖−γP + ¾P²‖ ≥ |κ|: no norm is below zero
    negative = flip(2, Schedule((F(3),)))
    assert largest_kappa(negative) == F(-1, 4) and decided(sharp_modulus.FORM, negative) is False
    zero = NormBound(lambda k, gamma, kappa: k.N.scaled(0), lambda gamma, kappa: F(-1), "0")
    assert decided(zero, negative) is False and decided(replace(zero, bound=lambda g, k: F(0)), negative) is True


def test_strict_and_not_strict_differ_at_zero() -> None:
    model = flip(1, Schedule())
    assert (
        decided(negative_margin.FORM, model) is True
        and decided(replace(negative_margin.FORM, strict=True), model) is False
    )
    bound = NormBound(operator_M, lambda gamma, kappa: kappa, "M")
    assert decided(bound, model) is True and decided(replace(bound, strict=True), model) is False


MODELS = {
    "flip": flip(2, Schedule((HALF,)), 1),
    "chain": flip_chain(HALF),
    "doubling": theta_to_two_theta(F(9, 10), Schedule((F(1, 3),)), (1, 0)),
    "signed": flip(2, Schedule((F(-5),)), 1),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("claim", claims_with_forms())
def test_reduced_and_unreduced_rationals_agree(claim: str, name: str) -> None:
    model, form = MODELS[name], claims_with_forms()[claim].form
    exact = theorem_matrices(model, states(model))
    assert all(exact.d.column_entries()), "unreduced rationals are given models without transient states"
    parts = {field: unreduced(getattr(exact, field).rows) for field in ("d", "N", "r", "Phi", "P")}
    keys = KeyMatrices(lambdas=exact.lambdas, tail=exact.tail, **parts)
    arguments = largest_discount(model), largest_kappa(model)
    assert form is not None and decide(form, keys, *arguments, UNREDUCED) == decided(form, model)


def test_every_kind_of_statement_is_made_by_some_claim() -> None:
    kinds = {type(claim.form) for claim in claims_with_forms().values()}
    assert {Form, NormBound, Implications} < kinds and type(A_HURWITZ) in kinds
    assert off_policy_margin.FORM.links[-1] is NEGATIVE_A
