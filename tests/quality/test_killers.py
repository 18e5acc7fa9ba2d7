"""Small exact tests that mutants of the theory and the checker need and no other file has: answers found by hand."""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
import pytest

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.certificate import checker
from tdcert.theory.certificate.bodies import (
    about_matrix,
    fixed_point_certificate,
    rank_certificate,
    stationary_certificate,
    strings,
)
from tdcert.theory.certificate.write import document, text
from tdcert.theory.check import hypotheses as h
from tdcert.theory.check.definiteness import Factor, accepts, decide_positive_definite
from tdcert.theory.check.mean_dynamics import definite_on_states
from tdcert.theory.check.mean_matrix import gtd_rate, rate_of_stable, rayleigh_bound, tdc_rate, within
from tdcert.theory.check.stability import (
    LyapunovProof,
    _vector_of_growth,
    certificate_of,
    lyapunov_solution,
    prove_stable,
    prove_unstable,
)
from tdcert.theory.expressions.relations import Path, Relation, decide_relations
from tdcert.theory.laws.moments import Moments
from tdcert.theory.model import gallery
from tdcert.theory.model.chain import Chain
from tdcert.theory.model.key_matrices import tdc_matrix, theorem_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.verdict import Certificate, Status, Verdict

F = Fraction
HALF = F(1, 2)
ONE, FLIP = gallery.one_state(HALF), gallery.flip_chain()


# ---- relations on θ→2θ, worked out by hand ---------------------------------------------------------------------

# γ = 9/10, λ = (½, ⅓), r = (0, 1): V_2 = 10, V_1 = 9/10·10. κ = ½·9/10 + ⅓·81/100 + ⅙·729/1000 = 1683/2000, so
# A = 3κ − 5/2 = 49/2000. Nr = 9/10·1, so Sr = (0, 1) + (½·9/10 + ⅙·81/100)·1 = (117/200, 317/200) and
# b = ½(117 + 2·317)/200 = 751/400. With θ = 1, on the step 1 → 2 under the target's action: ρ = 1/½ = 2 and
# δ = 0 + 9/10·2 − 1 = 4/5; on 1 → 1 under the other one ρ = 0 and δ = 9/10 − 1 = −1/10.
MODEL = gallery.theta_to_two_theta(F(9, 10), Schedule((HALF, F(1, 3))), (0, 1))
UP, STAY = Path((0, 1), (1,)), Path((0, 0), (0,))
TRUE: list[Relation] = [
    ("A", "=", "49/2000"),
    ("b", "=", "751/400"),
    ("C", "=", "5/2"),
    ("gamma", "=", "9/10"),
    ("L", "=", "2"),
    (("entry", "V", 0, 0), "=", "9"),
    (("entry", "V", 1, 0), "=", "10"),
    (("entry", "P_mu", 0, 1), "=", "1/2"),
    (("entry", "P_pi", 0, 1), "=", "1"),
    (("entry", "N", 0, 1), "=", "9/10"),
    (("entry", "N", 0, 0), "=", "0"),
    ("lambda:1", "=", "1/2"),
    ("lambda:2", "=", "1/3"),
    ("lambda:3", "=", "0"),
    ("c:2", "=", "1/6"),
    ("w:2", "=", "1/3"),
    ("w:3", "=", "1/6"),
    (("entry", "Lambda:3", 2, 0), "=", "1/2"),
    (("-", "3", "1"), "=", "2"),
    (("-", "3"), "=", "-3"),
    (("*", "3", "Phi"), "=", ("+", "Phi", "Phi", "Phi")),
    (("@", ("T", "Phi"), "Phi"), "=", "5"),
    (("sum", "Phi"), "=", "3"),
    (("T", "N"), "!=", "N"),
    (("^", ("T", "N"), 1), "=", ("T", "N")),
    ("d", "=", ("*", "1/2", "ones")),
    ("Phi", "<=", ("*", "2", "ones")),
    ("Phi", "<", ("*", "3", "ones")),
    (("T", "Phi"), "!=", ("T", "ones")),
    (("on", UP, "rho:0"), "=", "2"),
    (("on", STAY, "rho:0"), "=", "0"),
    (("on", UP, "delta:0"), "=", "4/5"),
    (("on", STAY, "delta:0"), "=", "-1/10"),
    (("on", UP, "zrho:0"), "=", "2"),
    (("on", UP, "v:1"), "=", "2"),
    (("E", "mu", 0, 1, "rho:0"), "=", "1"),
    (("E", "mu", 0, 1, ("*", "rho:0", "delta:0")), "=", "4/5"),
    (("E", "pi", 0, 1, "delta:0"), "=", "4/5"),
    (("E", "mu", 0, 1, "delta:0"), "=", "7/20"),
]
FALSE: list[Relation] = [
    ("A", "=", "1/4"),
    ("A", "!=", "49/2000"),
    ("Phi", "<=", "ones"),
    ("Phi", "<", ("*", "2", "ones")),
    (("*", "2", "ones"), "<=", "Phi"),
    (("*", "2", "ones"), "<", "Phi"),
    ("A", "<", "49/2000"),
    ("A", "<", "0"),
    ("A", "<=", "0"),
]


@pytest.mark.parametrize("relation", TRUE, ids=str)
def test_true_relations_hold(relation: Relation) -> None:
    verdict = decide_relations(MODEL, [relation], theta=[1])
    assert verdict.status is Status.HOLDS
    replay(verdict)


@pytest.mark.parametrize("relation", FALSE, ids=str)
def test_false_relations_are_refuted_wherever_they_stand(relation: Relation) -> None:
    for relations in ([relation], [("A", "=", "A"), relation], [relation, ("A", "=", "A")]):
        verdict = decide_relations(MODEL, relations, theta=[1])
        assert verdict.status is Status.REFUTED
        replay(verdict)


def replay(verdict: Verdict) -> None:
    assert verdict.certificates
    for certificate in verdict.certificates:
        checker.check_text(text(document(certificate, MODEL, None)))


def test_S_and_M_of_a_two_step_return() -> None:
    """λ_1 = 1, L = 1: M1 = γ²1 = 81/100 and S1 = (1 + γ)1 = 19/10, formed or applied."""
    model = MODEL.with_schedule(Schedule.n_step(2))
    for M, S in ((("@", "M", "ones"), ("@", "S", "ones")), (("@", ("+", "M"), "ones"), ("@", ("+", "S"), "ones"))):
        assert decide_relations(model, [(M, "=", ("*", "81/100", "ones"))]).status is Status.HOLDS
        assert decide_relations(model, [(S, "=", ("*", "19/10", "ones"))]).status is Status.HOLDS


# ---- single facts -----------------------------------------------------------------------------------------------


def test_a_factor_that_leaves_nothing_over_proves_nothing() -> None:
    """S = (1) = R Rᵀ: the residual is zero, and zero is not dominant (it would prove (0) positive definite as well)."""
    nothing_left = Factor((F(1),), 0, ((1,),))
    assert not accepts(RationalMatrix([[1]]), nothing_left)
    assert accepts(RationalMatrix([[2]]), nothing_left)


def test_dominance_is_strict_in_every_row_and_of_absolute_values() -> None:
    """With R = 0 the residual is S itself: [[1, −1], [−1, 1]] is singular; so is [[4, −2], [−2, 1]], one row good."""
    nothing = Factor((F(1), F(1)), 0, ((0,), (0, 0)))
    for S, dominant in (([[1, -1], [-1, 1]], False), ([[4, -2], [-2, 1]], False), ([[3, -2], [-2, 3]], True)):
        assert accepts(RationalMatrix(S), nothing) is dominant


def test_policies_that_differ_in_one_state_are_different() -> None:
    even, first = [HALF, HALF], [F(1), F(0)]
    one = RationalMatrix([[1, 0], [0, 1]])
    column = RationalMatrix.column([1, 1])
    for other in ([even, first], [first, even]):
        model = Model(
            ("a", "b"),
            (one, one),
            (column,) * 2,
            (column.scaled(HALF),) * 2,
            RationalMatrix([even, even]),
            RationalMatrix(other),
            one,
            Schedule(),
        )
        assert not model.is_on_policy and not h.ON_POLICY.ask(model).satisfied


def test_certificates_of_a_class_speak_of_that_class() -> None:
    """Two absorbing states: neither law is the only one, and φ = (0, 1) has rank one on the second state alone."""
    split = Model.reward_process(
        RationalMatrix([[1, 0], [0, 1]]), RationalMatrix.zeros(2, 1), HALF, RationalMatrix.column([0, 1])
    )
    for states in ((0,), (1,)):
        law = stationary_certificate(split.behaviour_chain, states)
        assert law.about["unique"] is False
        rank = rank_certificate(split.features, states)
        assert rank.kind == ("full_column_rank" if states == (1,) else "rank_deficient")
        for certificate in (law, rank):
            checker.check_text(text(document(certificate, split, None)))
    alone = stationary_certificate(gallery.absorbing_pair().behaviour_chain, (1,))
    assert alone.about["unique"] is True


def test_a_start_of_growth_has_a_positive_form() -> None:
    """B = [[0, 1], [1, 0]] has BᵀX + XB = I for X = B/2, whose form is zero on both axes: the start is between."""
    B = RationalMatrix([[0, 1], [1, 0]])
    vector = _vector_of_growth(B.scaled(HALF), B)
    assert vector is not None and B.quadratic_form(vector) > 0


def test_a_certificate_keeps_the_shift_of_its_proof() -> None:
    """B = (1): for B − ½ and X = (1) the form grows with 2·(1 − ½) = 1."""
    one = RationalMatrix([[1]])
    proof = LyapunovProof(HALF, one, decide_positive_definite(one), vector=one)
    assert certificate_of(proof, {"matrix": "A"}, {}).about["shift"] == "1/2"


def test_a_target_that_leaves_the_class_is_no_form_on_the_class() -> None:
    """Behaviour stays in state 1, the target goes to state 2: D(I − M) on {1} says nothing about A."""
    stay, leave = RationalMatrix([[1, 0], [0, 1]]), RationalMatrix([[0, 1], [0, 1]])
    column = RationalMatrix.column([1, 1])
    model = Model(
        ("stay", "leave"),
        (stay, leave),
        (column,) * 2,
        (column.scaled(HALF),) * 2,
        RationalMatrix([[1, 0]] * 2),
        RationalMatrix([[0, 1]] * 2),
        column,
        Schedule(),
    )
    assert definite_on_states(theorem_matrices(model, (0,)), (0,)) is None
    inside = gallery.flip_chain()
    answer = definite_on_states(theorem_matrices(inside, (0, 1)), (0, 1))
    assert answer is not None and answer.positive


def test_covariance_is_about_the_mean() -> None:
    """E θ = 2 and E θ² = 5: variance 1."""
    second = np.array([[F(5), F(2)], [F(2), F(1)]], dtype=object)
    assert Moments(0, second).covariance.tolist() == [[1]]


def test_the_fixed_point_of_the_flip_chain_is_certified() -> None:
    """φ = 1, γ = ½, r = (1, 0): A = −½, b = ½, so θ* = 1, and −1 is none."""
    keys = theorem_matrices(FLIP, (0, 1))
    for theta, right in ((1, True), (-1, False)):
        certificate = fixed_point_certificate(keys, (0, 1), "target", RationalMatrix([[theta]]))
        assert certificate is not None and certificate.witness["theta"] == [str(theta)]
        if right:
            checker.check_text(text(document(certificate, FLIP, None)))
        else:
            with pytest.raises(checker.Rejected):
                checker.check_text(text(document(certificate, FLIP, None)))


def test_nothing_unstable_is_proved_stable() -> None:
    """For B = (1) the equation BᵀX + XB = −1 has the solution −½, which is not positive."""
    assert prove_stable(RationalMatrix([[1]])) is None
    assert prove_stable(RationalMatrix([[-1, 0], [0, 1]])) is None


def test_a_shift_where_none_is_needless() -> None:
    """Beside the eigenvalue 1 stand ±i: no form grows along x' = Bx on their circle, so the shift must be positive."""
    B = RationalMatrix([[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    proof = prove_unstable(B, 1)
    assert proof is not None and 0 < proof.shift < 1
    half = proof.X @ (B - B.identity(3).scaled(proof.shift))
    assert proof.change.factor is not None and accepts(half + half.T, proof.change.factor)


def test_the_exact_lyapunov_solution_solves() -> None:
    B = RationalMatrix([[-1, 3], [0, -2]])
    X = lyapunov_solution(B, -B.identity(2))
    assert X is not None and -B.identity(2) == X @ B + (X @ B).T


def test_rates_of_diagonal_matrices() -> None:
    """diag(−1, −2): the abscissa is −1, above the mean −3/2. A = 2, C = 1: −AᵀC⁻¹A = −4, and G = [[−1, 2], [−2, 0]] has
    the mean −½ of a complex pair. What is already known cuts off what is found: nothing, where that is infinite.
    """
    lower, upper = rate_of_stable(RationalMatrix([[-1, 0], [0, -2]]))
    assert -1 - F(1, 100) <= lower <= -1 <= upper < -F(99, 100)
    one = RationalMatrix([[1]])
    huge = F(10) ** 400  # units bring all of it within the range of floats
    for unit in (F(1), huge, 1 / huge):
        A, C = one.scaled(2 * unit), one.scaled(unit)
        assert rayleigh_bound(A, C, one) == -4 * unit
        for (low, high), value in ((tdc_rate(A, C, one), -4 * unit), (gtd_rate(A, C, one), -unit / 2)):
            assert low <= value <= high <= value * F(99, 100)
    assert within(F(-3), (-inf, inf), F(1)) == (-3, 0)
    assert within(F(-3), (-2.0, -1.0), F(1, 2)) == (-1, F(-1, 2))
    assert within(F(-3), (-9.0, 5.0), F(1)) == (-3, 0)


def test_D_I_minus_M_of_the_flip_chain() -> None:
    """D = I/2 and M = γP: ½[[1, −½], [−½, 1]]."""
    expected = RationalMatrix([[HALF, F(-1, 4)], [F(-1, 4), HALF]])
    assert theorem_matrices(FLIP, (0, 1)).D_I_minus_M() == expected


def test_a_class_that_can_be_left_is_transient() -> None:
    """State 1 stays or goes on, 2 and 3 keep to themselves."""
    chain_ = Chain(RationalMatrix([[HALF, HALF, 0], [0, F(1, 4), F(3, 4)], [0, 1, 0]]))
    assert chain_.classes == ((0,), (1, 2)) and chain_.recurrent_classes == ((1, 2),)
    assert chain_.transient_states == (0,) and not chain_.is_irreducible


def test_the_covered_kernel_holds_what_the_behaviour_takes() -> None:
    """μ = (1, 0), π = (½, ½), rewards 1 and 0: the covered kernel has r = ½ and mass ½, and so has the target's r."""
    one, zero = RationalMatrix([[1]]), RationalMatrix([[0]])
    model = Model(
        ("taken", "never taken"),
        (one, one),
        (one, zero),
        (one.scaled(HALF),) * 2,
        RationalMatrix([[1, 0]]),
        RationalMatrix([[HALF, HALF]]),
        one,
        Schedule(),
    )
    covered, target = model.covered_kernel, model.target_kernel
    assert (covered.r[0, 0], covered.mass[0, 0], target.mass[0, 0]) == (HALF, HALF, F(1))
    assert target.r[0, 0] == HALF and covered.N[0, 0] == F(1, 4)


# ---- what the checker must refuse, and must not -----------------------------------------------------------------


def refused(kind: str, about: Any, witness: Any, model: Model) -> str:
    with pytest.raises(checker.Rejected) as caught:
        checker.check_text(text(document(Certificate(kind, about, witness), model, None)))
    return str(caught.value)


def test_dominance_counts_both_halves_of_a_row() -> None:
    """φ = (1, 2) on one state: C = [[1, 2], [2, 4]] is singular, and from its diagonal down it would look dominant."""
    factor = {"scale": ["1", "1"], "bits": 0, "rows": [["0"], ["0", "0"]]}
    about = {"class": [0], "matrix": "C", "sign": "positive"}
    for features in ((1, 2), (2, 1)):
        model = gallery.one_state(HALF, features=features)
        assert "diagonally dominant" in refused("definite", about, {"stationary": ["1"], "factor": factor}, model)


def test_a_modulus_is_squared() -> None:
    """One state, γ = ½: M = ½, and ½ > ⅓ though ¼ < ⅓."""
    assert "negative entry" in refused(
        "contraction", {"class": [0], "modulus": "1/3"}, {"stationary": ["1"], "weights": ["1"]}, ONE
    )


def test_a_fixed_point_among_many_is_refused() -> None:
    """θ→2θ at κ = 5/6 without rewards: A = 0 and b = 0, so every θ is a fixed point."""
    witness = {"stationary": ["1/2", "1/2"], "theta": ["1"], "prime": 2**61 - 1}
    assert "determinant" in refused("fixed_point", {"class": [0, 1]}, witness, gallery.theta_to_two_theta(F(5, 6)))


def test_the_transpose_in_tdc_matters() -> None:
    """A ring of five, tabular, γ = 99/100: −AᵀC⁻¹A is negative definite. −AC⁻¹A = −(I − γP)²/5 is not even stable:
    for the eigenvalue e^{2πi/5} of P the angle of 1 − γe^{2πi/5} is beyond −45°, so its square has a negative real
    part."""
    P = RationalMatrix([[int(j == (i + 1) % 5) for j in range(5)] for i in range(5)])
    ring = Model.reward_process(P, RationalMatrix.zeros(5, 1), F(99, 100))
    states = (0, 1, 2, 3, 4)
    keys = theorem_matrices(ring, states)
    proof = prove_stable(tdc_matrix(keys.A, keys.C))
    assert proof is not None
    certificate = certificate_of(proof, about_matrix(states, "target", matrix="TDC"), {"stationary": strings(keys.d)})
    checker.check_text(text(document(certificate, ring, None)))
