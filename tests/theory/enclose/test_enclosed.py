"""Enclosures of dense models: they contain the exact values, are tight, and contradict no exact verdict."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from scipy.linalg import hadamard
from scipy.sparse import csr_array

from tdcert.claims.claim import decide
from tdcert.claims.paper import asked_in_enclosures, entry
from tdcert.sims.random_models import random_model
from tdcert.sims.streams import generator
from tdcert.theory.arithmetic import BallMatrix, RationalMatrix
from tdcert.theory.arithmetic.ball import precision
from tdcert.theory.arithmetic.float_enclosures import MidRadMatrix
from tdcert.theory.check.hypotheses import NONNEGATIVE_REWARDS
from tdcert.theory.check.mean_dynamics import MEAN_A, MEAN_G, MEANS, gradient_dynamics, td_dynamics
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.enclose import dense_class
from tdcert.theory.enclose.definite import MOST_BITS, Conclusion, dominant_remainder, positive_definite
from tdcert.theory.enclose.dense import analyse_enclosed
from tdcert.theory.enclose.dense_class import ClassInEnclosures
from tdcert.theory.enclose.dense_model import EnclosedModel
from tdcert.theory.enclose.mean_matrix import td_row
from tdcert.theory.enclose.sparse_law import structure
from tdcert.theory.enclose.statements import AskedStatement
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.forms import NEGATIVE_A, NormBound, operator_M
from tdcert.theory.model.gallery import HALF
from tdcert.theory.model.key_matrices import theorem_matrices, value_function
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.verdict import Status

SEED = 20_265


def _model(k: int) -> Model:
    """Model k of a varied family: on- and off-policy, covered or not, one discount or many, every kind of Φ."""
    rng = generator(SEED, f"enclosed {k}")
    kind = ("random", "aggregated", "one_hot", "deficient")[k % 4]
    n = 4 + k % 5
    return random_model(
        rng,
        n,
        n if kind == "one_hot" else 3,
        k % 5,
        on_policy=k % 3 == 0,
        coverage=k % 7 != 3,
        branching=2 + k % 3,
        gamma=None if k % 5 == 4 else Fraction(k % 9 + 1, 10),
        kind=kind,
    )


@pytest.mark.parametrize("k", range(14))
def test_contains_the_exact_values_and_contradicts_no_exact_verdict(k: int) -> None:
    model = _model(k)
    result = analyse_enclosed(model, statements=asked_in_enclosures())
    (part,) = result.classes
    exact = theorem_matrices(model, part.states)
    for enclosed, matrix in ((part.stationary, exact.d), (part.A, exact.A), (part.b, exact.b), (part.C, exact.C)):
        assert MidRadMatrix(*enclosed).contains(matrix)
        assert np.max(enclosed[1]) <= 2.0**-44 * np.max(np.abs(enclosed[0]))
    if part.theta_star is not None:
        assert MidRadMatrix(*part.theta_star).contains(exact.theta_star)
    for claim_id, answer in result.verdicts.items():
        if answer.status is not Status.UNDECIDED:
            assert answer.status is decide(entry(claim_id).load(), model).verdict.status, claim_id
    assert not any(answer.status is Status.UNDECIDED for answer in result.verdicts.values())
    twins = (td_dynamics(model, part.states), *gradient_dynamics(model, part.states))
    for name, twin in zip(MEANS, twins, strict=True):
        row = part.dynamics[name]
        assert row is not None and row.mean_dynamics is twin.mean_dynamics


def _decide(S: RationalMatrix) -> tuple[Conclusion, list[int]]:
    """With 53 bits, then with each precision that the answer names; and those precisions."""
    answer, tried = positive_definite(MidRadMatrix.enclosing(S), "S"), []
    while answer.precision_needed is not None:
        tried.append(answer.precision_needed)
        with precision(tried[-1]):
            answer = positive_definite(BallMatrix.enclosing(S), "S", tried[-1])
    return answer, tried


@pytest.mark.parametrize("sign", [1, -1])
def test_thin_margins_are_decided_with_the_precision_that_is_named(sign: int) -> None:
    """S = [[1, 1], [1, 1 + t]] is definite for t > 0 and not for t < 0, whatever the size of t."""
    for exponent in (-120, -90, -60, -52, -40, -20):
        answer, tried = _decide(RationalMatrix([[1, 1], [1, 1 + sign * Fraction(2) ** exponent]]))
        assert answer.holds is (sign > 0)
        assert len(tried) == (0 if exponent > -45 else 2 if exponent < -100 else 1)


def test_margins_between_the_rounding_of_one_entry_and_of_all() -> None:
    """H diag(1, …, 1, t) Hᵀ/64, H of Hadamard: the smallest eigenvalue is t. Floats see it, but their bound of a
    64×64 product does not allow it: undecided at 53 bits, decided by far fewer than 106.
    """
    n = 64
    H = RationalMatrix(hadamard(n).tolist())
    for exponent in (-36, -41, -42):
        t = Fraction(2) ** exponent
        S = (H.scale_rows(RationalMatrix.column([1] * (n - 1) + [t])).T @ H.T).scaled(Fraction(1, n))
        answer, tried = _decide(S)
        assert answer.holds and len(tried) <= 1
    assert tried[0] < 80


def test_the_factor_has_to_leave_more_than_the_radii() -> None:
    """2I has a factor, but with radii of one its members include [[1, 1], [1, 1]]."""
    assert not dominant_remainder(MidRadMatrix(2 * np.eye(2), 1.0), 0.5)
    assert dominant_remainder(MidRadMatrix(2 * np.eye(2), 0.2), 0.5)
    assert positive_definite(MidRadMatrix(2 * np.eye(2), 1.0), "S").holds is None


def test_a_singular_matrix_is_undecided_at_every_precision() -> None:
    answer, tried = _decide(RationalMatrix([[Fraction(1, 3), Fraction(1, 7)], [Fraction(1, 7), Fraction(3, 49)]]))
    assert answer.holds is None and "exact arithmetic" in answer.why
    assert tried == [106 * 2**k for k in range(7)] and tried[-1] <= MOST_BITS < 2 * tried[-1]


def _theta_to_two_theta(gamma: Fraction) -> Model:
    """θ → 2θ with both states visited equally: A = (6γ − 5)/2 is singular at γ = 5/6 and changes sign there."""
    z, half = RationalMatrix.zeros(2, 1), Fraction(1, 2)
    to = [RationalMatrix([[int(j == k) for j in range(2)]] * 2) for k in range(2)]
    return Model(
        ("first", "second"),
        tuple(to),
        (z, RationalMatrix.column([1, 0])),
        (RationalMatrix.column([gamma] * 2),) * 2,
        RationalMatrix([[half, half]] * 2),
        RationalMatrix([[0, 1]] * 2),
        RationalMatrix.column([1, 2]),
        Schedule(),
    )


@pytest.mark.thorough
def test_around_the_singularity_of_A() -> None:
    """The answers change from stable over undecided to unstable, never the wrong way, at 53 and at 106 bits."""
    for bits, sharp in ((53, 45), (106, 90)):
        for exponent in (10, 30, 45, 60, 90, 120):
            for sign in (1, -1):
                model = _theta_to_two_theta(Fraction(5, 6) + sign * Fraction(1, 2**exponent))
                (part,) = analyse_enclosed(model, bits).classes
                td, gtd = part.dynamics[MEAN_A], part.dynamics[MEAN_G]
                assert td is not None and gtd is not None
                settled = MeanDynamics.UNSTABLE if sign > 0 else MeanDynamics.STABLE
                assert td.mean_dynamics in (settled, MeanDynamics.UNDECIDED)
                assert gtd.mean_dynamics in (MeanDynamics.STABLE, MeanDynamics.UNDECIDED)
                if exponent <= sharp:
                    assert td.mean_dynamics is settled and gtd.mean_dynamics is MeanDynamics.STABLE
    singular = analyse_enclosed(_theta_to_two_theta(Fraction(5, 6)), statements=asked_in_enclosures())
    assert singular.classes[0].theta_star is None and singular.verdicts["thm_4_4"].status is Status.UNDECIDED
    assert singular.verdicts["thm_4_4"].precision_needed == 106


def test_lyapunov_matrices_decide_where_A_is_not_definite() -> None:
    rotation = np.array([[-1.0, 30.0], [0.0, -2.0]])  # Hurwitz, and sym A indefinite
    saddle = np.array([[1.0, 30.0], [0.0, -2.0]])  # unstable, with negative trace
    centre = np.array([[0.0, 1.0], [-1.0, 0.0]])
    for array, expected in (
        (rotation, MeanDynamics.STABLE),
        (saddle, MeanDynamics.UNSTABLE),
        (centre, MeanDynamics.UNDECIDED),
    ):
        A = MidRadMatrix(array, 2.0**-50)
        found = td_row(A, positive_definite(A.scaled(-1), "−sym A"), 53)
        assert found.mean_dynamics is expected
        if found.rate is not None:
            assert found.rate[0] <= max(np.linalg.eigvals(array).real) <= found.rate[1]


def test_dependent_columns_do_not_hide_that_the_rest_is_unstable() -> None:
    """θ → 2θ, Φ = [[1, 3], [2, 6]]: A = (6γ − 5)/2·(1, 3)ᵀ(1, 3), of which (1, 3)ᵀ shows 5(6γ − 5)."""
    for gamma, expected in (
        (Fraction(9, 10), MeanDynamics.UNSTABLE),
        (Fraction(7, 10), MeanDynamics.STABLE_MODULO_NULL_SPACE),
    ):
        model = _theta_to_two_theta(gamma).with_features(RationalMatrix([[1, 3], [2, 6]]))
        for bits in (53, 106):
            (part,) = analyse_enclosed(model, bits).classes
            found = part.dynamics[MEAN_A]
            assert found is not None and found.mean_dynamics is expected and found.precision_needed is None
            assert found.mean_dynamics is td_dynamics(model, part.states).mean_dynamics
            if expected is MeanDynamics.UNSTABLE:
                assert found.rate is not None and found.rate[0] <= 5 * (6 * gamma - 5) <= found.rate[1]


def test_features_that_vanish_move_nothing() -> None:
    model = _theta_to_two_theta(HALF).with_features(RationalMatrix.zeros(2, 1))
    (part,) = analyse_enclosed(model).classes
    for name in MEANS:
        found = part.dynamics[name]
        assert found is not None and found.mean_dynamics is MeanDynamics.STABLE_MODULO_NULL_SPACE


def test_bits_that_cannot_help_are_not_named() -> None:
    """A centre: neither definite nor Hurwitz nor unstable, and the Lyapunov matrix comes from floats."""
    A = RationalMatrix([[0, 1], [-1, 0]])
    found = td_row(MidRadMatrix.enclosing(A), Conclusion(False, "not definite"), 53)
    assert (found.mean_dynamics, found.precision_needed) == (MeanDynamics.UNDECIDED, 106)
    with precision(106):
        found = td_row(BallMatrix.enclosing(A), Conclusion(False, "not definite"), 106)
    assert (found.mean_dynamics, found.precision_needed) == (MeanDynamics.UNDECIDED, None)
    with pytest.raises(ValueError, match="names a precision"):
        Conclusion(True, "decided", 106)


def test_rates_enclose_the_exact_ones() -> None:
    for k in (0, 6, 10):
        model = _model(k)
        result = analyse_enclosed(model)
        (part,) = result.classes
        exact = (td_dynamics(model, part.states), *gradient_dynamics(model, part.states))
        for name, twin in zip(MEANS, exact, strict=True):
            row = part.dynamics[name]
            assert row is not None and row.mean_dynamics == twin.mean_dynamics
            assert row.rate is not None and twin.rate is not None
            assert row.rate[0] <= twin.rate[1] and twin.rate[0] <= row.rate[1]
            assert row.rate[1] - row.rate[0] <= 1e-6 * abs(row.rate[0])  # so it is the kernel that the algorithm meets


def test_value_and_errors_contain_the_exact_ones() -> None:
    model = random_model(generator(SEED, "errors"), 6, 2, 3, on_policy=True)
    result, states = analyse_enclosed(model), tuple(range(6))
    (part,), keys, V = result.classes, theorem_matrices(model, states), value_function(model)
    assert result.value is not None
    assert MidRadMatrix(*result.value).contains(V)
    g = keys.Phi.T @ V.scale_rows(keys.d)
    projection = keys.Phi @ keys.C.solve(g)
    gap, reached = V - projection, V - keys.Phi @ keys.theta_star
    assert model.kappa is not None
    left = gap.T @ gap.scale_rows(keys.d)
    for enclosed, exact in (
        (part.projection_error_squared, left),
        (part.fixed_point_error_squared, reached.T @ reached.scale_rows(keys.d)),
        (part.error_bound_squared, left.scaled(1 / (1 - model.kappa**2))),
    ):
        assert enclosed is not None and MidRadMatrix(*enclosed).contains(exact)
        assert enclosed[1] <= 1e-10 * enclosed[0]


def test_dependent_columns_in_floats_are_not_taken_for_independent(monkeypatch: pytest.MonkeyPatch) -> None:
    """sym D(I − M) is definite here, and A is not, since both columns are one; no exact rank tells so."""
    monkeypatch.setattr(dense_class, "RANK_FEATURES", 0)
    quarter = Fraction(1, 4)
    P = RationalMatrix([[quarter * (1 + (i == j)) for j in range(3)] for i in range(3)])
    Phi = RationalMatrix([[Fraction(1, 3)] * 2] * 3)
    model = Model.reward_process(P, RationalMatrix.column([1] * 3), Fraction(1, 2), Phi, Schedule())
    result = analyse_enclosed(model, statements=asked_in_enclosures())
    (part,) = result.classes
    assert (
        part.decisions["D_I_minus_M_positive_definite"].holds
        and part.decisions["A_negative_definite"].holds is not True
    )
    assert result.verdicts["prop_4_1"].status is Status.UNDECIDED and part.theta_star is None


def test_patterns_agree_with_the_exact_chain() -> None:
    for k in range(14):
        chain = _model(k).behaviour_chain
        found = structure(csr_array(chain.P.to_float() > 0))
        assert tuple(tuple(states.tolist()) for states in found.recurrent) == chain.recurrent_classes
        assert found.periods == tuple(chain.period(states).period for states in chain.recurrent_classes)
        assert found.irreducible == chain.is_irreducible
    leaving = np.array([[1, 1, 0, 0, 1], [0, 0, 1, 0, 0], [0, 1, 0, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 1, 0]]) > 0
    found = structure(csr_array(leaving))
    assert [states.tolist() for states in found.recurrent] == [[1, 2], [3]]
    assert found.periods == (2, 1) and not found.irreducible


def test_several_classes_and_transient_states() -> None:
    P = RationalMatrix(
        [
            [Fraction(1, 2), Fraction(1, 4), 0, Fraction(1, 4), 0],
            [0, 0, 1, 0, 0],
            [0, 1, 0, 0, 0],
            [0, 0, 0, Fraction(1, 3), Fraction(2, 3)],
            [0, 0, 0, 1, 0],
        ]
    )
    phi = RationalMatrix([[1, 0], [1, 2], [0, 1], [3, 1], [1, 1]])
    model = Model.reward_process(P, RationalMatrix.column([1, 2, 3, 4, 5]), Fraction(1, 2), phi, Schedule.n_step(2))
    result = analyse_enclosed(model, statements=asked_in_enclosures())
    assert [part.states for part in result.classes] == [(1, 2), (3, 4)]
    for part in result.classes:
        keys = theorem_matrices(model, part.states)
        assert MidRadMatrix(*part.stationary).contains(keys.d) and MidRadMatrix(*part.A).contains(keys.A)
        assert part.theta_star is not None and MidRadMatrix(*part.theta_star).contains(keys.theta_star)
    for claim_id, answer in result.verdicts.items():
        assert answer.status in (Status.UNDECIDED, decide(entry(claim_id).load(), model).verdict.status), claim_id


def test_what_cannot_be_asked_is_one_sentence() -> None:
    with pytest.raises(InputError, match="53"):
        analyse_enclosed(_model(0), 24)
    endless = _theta_to_two_theta(Fraction(1)).with_schedule(Schedule.constant(Fraction(1)))
    with pytest.raises(BudgetExceededError, match="series of the trace"):
        analyse_enclosed(endless)


def test_a_norm_is_bounded_by_signs_on_policy_alone_and_from_the_largest_discount_on() -> None:
    model = Model.reward_process(
        RationalMatrix([[Fraction(1, 2), Fraction(1, 2)], [Fraction(1, 4), Fraction(3, 4)]]),
        RationalMatrix.zeros(2, 1),
        Fraction(1, 2),
        RationalMatrix.column([1, 2]),
    )
    part = ClassInEnclosures(EnclosedModel.of_model(model), (0, 1), 53)
    bound = NormBound(operator_M, lambda gamma, kappa: kappa, "M")
    assert part.bounded(bound).holds and "row" in part.bounded(bound).why
    assert not part.bounded(replace(bound, bound=lambda gamma, kappa: kappa * Fraction(9, 10))).holds
    assert not part.bounded(replace(bound, strict=True)).holds
    # ‖P‖² = 2 and γ = ½: ‖M‖² = ½, decided by a factor of q²D − MᵀDM, and not below it
    other = ClassInEnclosures(EnclosedModel.of_model(_theta_to_two_theta(Fraction(1, 2))), (0, 1), 53)
    for q, expected in ((Fraction(8, 10), True), (Fraction(6, 10), None)):
        assert other.bounded(replace(bound, bound=partial(_constant, q))).holds is expected


def _constant(q: Fraction, gamma: Fraction, kappa: Fraction) -> Fraction:
    return q


def test_a_hypothesis_that_enclosures_do_not_know_leaves_a_claim_undecided() -> None:
    strange = {"x": AskedStatement(NEGATIVE_A, (NONNEGATIVE_REWARDS,), theorem="some theorem")}
    verdict = analyse_enclosed(_model(0), statements=strange).verdicts["x"]
    assert verdict.status is Status.UNDECIDED and "hypotheses" in verdict.detail
