"""Mean dynamics: every word of the contract on an example derived by hand, and certificates replayed."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, fmpq, fmpq_poly
from hypothesis import given, settings

from tdcert.sims.strategies import models
from tdcert.sims.streams import generator
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.certificate import checker
from tdcert.theory.certificate.write import document, text
from tdcert.theory.check.mean_dynamics import decide_negative_definite, gradient_dynamics, reduce_features, td_dynamics
from tdcert.theory.check.mean_matrix import TIGHT_RATE_LIMIT, Dynamics, MeanDynamics
from tdcert.theory.check.stability import spectral_abscissa
from tdcert.theory.limits import POLYNOMIAL_ROWS
from tdcert.theory.model import gallery
from tdcert.theory.model.key_matrices import behaviour_matrices, gtd_matrix, tdc_matrix, theorem_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.verdict import Certificate
from tests.effort import by_default, examples
from tests.sims.walks import birth_death, ring
from tests.theory.model.test_known_answers import characteristic_polynomial

F = Fraction
HALF = F(1, 2)
some = settings(max_examples=examples(50), deadline=None)

STABLE, UNSTABLE = MeanDynamics.STABLE, MeanDynamics.UNSTABLE
MODULO, MARGINAL = MeanDynamics.STABLE_MODULO_NULL_SPACE, MeanDynamics.MARGINAL


def only_class(model: Model) -> tuple[int, ...]:
    (states,) = model.behaviour_chain.recurrent_classes
    return states


def replay(model: Model, certificate: Certificate | None, kind: str) -> None:
    """The certificate is of this kind, and the independent checker accepts it for this model."""
    assert certificate is not None and certificate.kind == kind
    checker.check_text(text(document(certificate, model, None)))


def all_three(model: Model) -> tuple[Dynamics[Fraction], Dynamics[Fraction], Dynamics[Fraction]]:
    states = only_class(model)
    return td_dynamics(model, states), *gradient_dynamics(model, states)


def words(model: Model) -> tuple[MeanDynamics, MeanDynamics, MeanDynamics]:
    """What TD, GTD and TDC do."""
    td, gtd, tdc = all_three(model)
    return td.mean_dynamics, gtd.mean_dynamics, tdc.mean_dynamics


def encloses(dynamics: Dynamics[Fraction], value: Fraction) -> bool:
    assert dynamics.rate is not None
    return dynamics.rate[0] <= value <= dynamics.rate[1]


# ---- θ→2θ: one number decides ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gamma", "schedule", "kappa"),
    [
        (F(4, 5), Schedule(), F(4, 5)),
        (F(5, 6) - F(1, 10**20), Schedule(), F(5, 6) - F(1, 10**20)),
        (F(19, 20), Schedule.n_step(4), F(19, 20) ** 4),
        (F(9, 10), Schedule.constant(HALF), F(9, 11)),
        (F(5, 6), Schedule(), F(5, 6)),
        (F(5, 6) + F(1, 10**20), Schedule(), F(5, 6) + F(1, 10**20)),
        (F(19, 20), Schedule.n_step(2), F(19, 20) ** 2),
    ],
    ids=["4/5", "just below", "4-step", "endless", "5/6", "just above", "2-step"],
)
def test_theta_to_two_theta(gamma: Fraction, schedule: Schedule, kappa: Fraction) -> None:
    """A = 3κ − 5/2, C = 5/2: TD is stable, marginal, unstable for κ <, =, > 5/6; GTD and TDC where A ≠ 0.

    TDC's rate is −A²/C. GTD's G = [[−C, A], [−A, 0]] has the roots of p(x) = x² + Cx + A²; both are real, as
    |A| < C/2, and the larger one is where p changes from − to + right of −C/2.
    """
    model = gallery.theta_to_two_theta(gamma, schedule, (0, 1))
    td, gtd, tdc = all_three(model)
    A, C = 3 * kappa - F(5, 2), F(5, 2)
    assert encloses(td, A) and encloses(tdc, -(A**2) / C)
    assert gtd.rate is not None
    if A == 0:
        assert (td.mean_dynamics, gtd.mean_dynamics, tdc.mean_dynamics) == (MARGINAL,) * 3
        assert (td.rate, gtd.rate, tdc.rate) == ((0, 0),) * 3
        for found in (td, gtd, tdc):
            replay(model, found.certificate, "singular")
        return
    assert td.mean_dynamics is (STABLE if A < 0 else UNSTABLE)
    replay(model, td.certificate, "definite" if A < 0 else "unstable")
    assert gtd.mean_dynamics is tdc.mean_dynamics is STABLE
    lower, upper = gtd.rate
    assert -C / 2 < lower <= upper
    assert lower**2 + C * lower + A**2 <= 0 <= upper**2 + C * upper + A**2
    replay(model, gtd.certificate, "gradient_stable")
    replay(model, tdc.certificate, "gradient_stable")


# ---- Baird's star: a null space -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gamma", "expected"),
    [
        (F(4, 5), MODULO),
        (F(15, 17) - F(1, 10**12), MODULO),
        (F(15, 17), MARGINAL),
        (F(15, 17) + F(1, 10**12), UNSTABLE),
        (F(99, 100), UNSTABLE),
    ],
    ids=["4/5", "just below 15/17", "15/17", "just above", "99/100"],
)
def test_bairds_star(gamma: Fraction, expected: MeanDynamics) -> None:
    """det(xI − 7A) = x (x + 4)⁵ (x² + (15 − 17κ)x + 26(1 − κ)) (test_known_answers): the factor x belongs to
    Φ's null space; the quadratic is Hurwitz for κ < 15/17 and has the roots ±i√(52/17) at 15/17."""
    model = gallery.bairds_star(gamma)
    assert model.features.rank == 7
    assert words(model) == (expected, MODULO, MODULO)
    td, gtd, tdc = all_three(model)
    assert td.rate is not None and gtd.rate is not None and tdc.rate is not None
    assert gtd.rate[1] < 0 and tdc.rate[1] < 0
    if expected is UNSTABLE:
        replay(model, td.certificate, "unstable")
    if expected is MARGINAL:
        assert td.rate == (0, 0)
    if gamma == F(99, 100):
        # 7x² + … in x/7: x = (−(15 − 17κ) + √((15 − 17κ)² − 104(1 − κ)))/14 with κ = 0.99
        half = (17 * gamma - 15) / 2
        root = half**2 - 26 * (1 - gamma)
        for end, sign in ((td.rate[0], 1), (td.rate[1], -1)):
            assert sign * (root - (7 * end - half) ** 2) >= 0


# ---- ranks and null vectors -----------------------------------------------------------------------


def test_dependent_features_on_policy() -> None:
    """Flip chain, γ = ½, φ = (1, 1), (2, 2): A_B = ½(1·(2/2 − 1) + 2·(1/2 − 2)) = −3/2 for φ_B = (1, 2), and
    T = (1, 1), so T Tᵀ A_B = −3."""
    model = gallery.flip_chain(HALF, features=((1, 1), (2, 2)))
    td, gtd, tdc = all_three(model)
    assert (td.mean_dynamics, gtd.mean_dynamics, tdc.mean_dynamics) == (MODULO,) * 3
    assert encloses(td, F(-3))
    replay(model, td.certificate, "definite")
    assert td.certificate is not None and td.certificate.about["matrix"] == "D(I-M)"
    # C_B = ½(1 + 4) = 5/2, so TDC: −T Tᵀ A_B²/C_B = −2 · (9/4)/(5/2) = −9/5
    assert encloses(tdc, F(-9, 5))
    # GTD: 2·[[−C_B, A_B], [−A_B, 0]] = [[−5, −3], [3, 0]], x² + 5x + 9 has the real part −5/2 twice
    assert encloses(gtd, F(-5, 2))


def test_features_that_vanish_on_the_class() -> None:
    """Nothing moves where the chain ends: predictions there are zero for every θ."""
    model = gallery.absorbing_pair(((1,), (0,)))
    for found in all_three(model):
        assert found.mean_dynamics is MODULO and found.rate == (0, 0)
        assert found.certificate is not None and found.certificate.witness["relations"] == [
            [["@", "D", "Phi"], "=", ["*", "0", "Phi"]]
        ]
        checker.check_text(text(document(found.certificate, model, None)))


def test_a_class_that_does_not_begin_with_the_first_state() -> None:
    """The chain ends in the second state, where φ = 1: A = κ − 1 = −½, C = 1. Certificates name that row."""
    model = gallery.absorbing_pair(((0,), (1,)))
    td, gtd, tdc = all_three(model)
    assert (td.mean_dynamics, gtd.mean_dynamics, tdc.mean_dynamics) == (STABLE,) * 3
    assert encloses(td, -HALF) and encloses(tdc, F(-1, 4)) and encloses(gtd, -HALF)  # (x + ½)²
    replay(model, td.certificate, "definite")
    replay(model, gtd.certificate, "gradient_stable")


def test_no_discount_and_a_singular_A_of_full_rank() -> None:
    """One state, γ = 1: A = 0. Flip chain, γ = 1, tabular: A = ½(P − I) has the eigenvalues 0 and −1."""
    flip = gallery.flip_chain(1, features=((1, 0), (0, 1)))
    for model in (gallery.one_state(1), flip):
        for found in all_three(model):
            assert found.mean_dynamics is MARGINAL and found.rate == (0, 0)
            replay(model, found.certificate, "singular")


def test_a_singular_A_beside_dependent_features() -> None:
    """The null vector (1, 1) of ½(P − I) is not one of Φ; the third column only adds to Φ's null space."""
    model = gallery.flip_chain(1, features=((1, 0, 1), (0, 1, 1)))
    assert words(model) == (MARGINAL,) * 3
    for dynamics in all_three(model):
        replay(model, dynamics.certificate, "singular")


@pytest.mark.parametrize(("gamma", "kind"), [(F(83, 100), "hurwitz"), (F(5, 6), "singular"), (F(9, 10), "unstable")])
def test_certificates_on_the_quotient_off_policy(gamma: Fraction, kind: str) -> None:
    """θ→2θ with its feature twice, (1, 2) and (2, 4): A_B = 3γ − 5/2; sym D(I − M) ≻ 0 up to γ = .828."""
    model = gallery.theta_to_two_theta(gamma, Schedule()).with_features(RationalMatrix([[1, 2], [2, 4]]))
    td, gtd, tdc = all_three(model)
    replay(model, td.certificate, kind)
    for dynamics in (gtd, tdc):
        assert dynamics.mean_dynamics is (MARGINAL if kind == "singular" else MODULO)
        replay(model, dynamics.certificate, "singular" if kind == "singular" else "gradient_stable")


@some
@given(models(policy="any", rank="deficient", discount="any"))
def test_the_quotient_has_the_spectrum_of_A_without_the_null_space(model: Model) -> None:
    """det(xI − A) = x^(d−r) det(xI − T Tᵀ A_B), with Φ = Φ_B T on the class."""
    states = only_class(model)
    on_class = model.features.take(rows=states)
    reduced = reduce_features(model, states)
    A = behaviour_matrices(model, states).A
    if reduced is None:
        assert on_class.is_zero() and A.is_zero()
        assert td_dynamics(model, states).mean_dynamics is MODULO
        return
    r = reduced.model.d
    assert reduced.is_full is (r == model.d) and r == on_class.rank
    assert reduced.model.features.take(rows=states).rank == r
    B = reduced.weight @ behaviour_matrices(reduced.model, states).A
    x = fmpq_poly([0, 1])
    assert characteristic_polynomial(A) == x ** (model.d - r) * characteristic_polynomial(B)
    # GTD: of the 2d eigenvalues of G, 2(d − r) belong to the null space; the rate is that of the others.
    G = gtd_matrix(A, behaviour_matrices(model, states).C)
    rest, remainder = divmod(characteristic_polynomial(G), x ** (2 * (model.d - r)))
    gtd, _ = gradient_dynamics(model, states)
    assert remainder == 0 and gtd.rate is not None
    roots: Any = rest.complex_roots()  # typed as roots without their multiplicities
    largest = max((root.real for root, _ in roots), key=lambda part: float(part.mid()))
    lower, upper = (arb(fmpq(end.numerator, end.denominator)) for end in gtd.rate)
    assert not largest < lower and not largest > upper and float(largest.rad()) <= 1e-6 * abs(float(largest))


# ---- random models --------------------------------------------------------------------------------


def replay_all(model: Model, *found: Dynamics[Fraction]) -> None:
    for dynamics in found:
        if dynamics.certificate is not None:
            replay(model, dynamics.certificate, dynamics.certificate.kind)


@some
@given(models(policy="on"))
def test_on_policy_everything_is_stable(model: Model) -> None:
    """Irreducible, γ < 1, full column rank, λ's in [0,1]: Proposition 4.1, with a certificate for each."""
    td, gtd, tdc = all_three(model)
    assert (td.mean_dynamics, gtd.mean_dynamics, tdc.mean_dynamics) == (STABLE,) * 3
    replay(model, td.certificate, "definite")
    replay(model, gtd.certificate, "gradient_stable")
    replay(model, tdc.certificate, "gradient_stable")
    assert decide_negative_definite(model, only_class(model), "target")[0] is True


@some
@given(models(policy="on", rank="deficient"))
def test_on_policy_without_rank_is_stable_modulo_the_null_space(model: Model) -> None:
    assert words(model) == (MODULO,) * 3
    replay_all(model, *all_three(model))


@settings(max_examples=examples(150), deadline=None)
@given(models(policy="off", discount="any", max_length=1))
def test_off_policy_against_routh_and_hurwitz(model: Model) -> None:
    """x² − tx + δ (t = trace, δ = determinant) has a root with positive real part exactly if t > 0 or δ < 0,
    all with negative real part exactly if t < 0 < δ; one feature: the sign of A."""
    model = model.with_features(model.features.take(columns=list(range(min(model.d, 2)))))
    states = only_class(model)
    A = behaviour_matrices(model, states).A
    if model.d == 1:
        expected = STABLE if A[0, 0] < 0 else (UNSTABLE if A[0, 0] > 0 else MARGINAL)
    else:
        t, delta = A[0, 0] + A[1, 1], A[0, 0] * A[1, 1] - A[0, 1] * A[1, 0]
        expected = STABLE if t < 0 < delta else (UNSTABLE if t > 0 or delta < 0 else MARGINAL)
    td, gtd, tdc = all_three(model)
    assert td.mean_dynamics is expected
    assert td.certificate is not None or (expected is MARGINAL and A.rank == model.d)
    assert gtd.mean_dynamics is tdc.mean_dynamics is (STABLE if A.rank == model.d else MARGINAL)
    replay_all(model, td, gtd, tdc)
    negative, reason, certificate = decide_negative_definite(model, states, "target")
    S = A.symmetric_part()
    minors = [-S[0, 0]] + ([S[0, 0] * S[1, 1] - S[0, 1] ** 2] if model.d == 2 else [])
    assert negative is all(m > 0 for m in minors) and reason
    replay(model, certificate, "definite" if negative else "not_definite")


@some
@given(models(policy="any", discount="any"))
def test_rates_against_floats(model: Model) -> None:
    """NumPy's eigenvalues are exact for a matrix A + E, |E| ≤ 10 d² 2^−52 |A| generously (backward stability
    of the QR algorithm); Elsner: each is then within (|A| + |A + E|)^(1−1/d) |E|^(1/d) of one of A, and vice
    versa. G and −AᵀC⁻¹A are exact before they are rounded."""
    states = only_class(model)
    keys = behaviour_matrices(model, states)
    matrices = (keys.A, gtd_matrix(keys.A, keys.C), tdc_matrix(keys.A, keys.C))
    for B, found in zip(matrices, all_three(model), strict=True):
        assert found.rate is not None and found.rate[0] <= found.rate[1]
        array, d = B.to_float(), B.shape[0]
        norm = float(np.linalg.norm(array))
        error = 10 * d**2 * 2.0**-52 * norm
        tolerance = (2 * norm + error) ** (1 - 1 / d) * error ** (1 / d)
        middle = float(np.max(np.linalg.eigvals(array).real))
        assert abs(middle - float(found.rate[0])) <= tolerance
        assert abs(middle - float(found.rate[1])) <= tolerance


# ---- coverage -------------------------------------------------------------------------------------


def test_missing_coverage_is_analysed_as_the_algorithm_sees_it() -> None:
    """One state, γ = ½: half of the target's mass is never taken, A = −¼ under μ and −½ in the theorem."""
    model = gallery.uncovered_action()
    td, gtd, tdc = all_three(model)
    assert encloses(td, F(-1, 4)) and not encloses(td, F(-1, 2))
    assert encloses(tdc, F(-1, 16))
    assert td.certificate is not None and td.certificate.about["kernel"] == "covered"
    replay_all(model, td, gtd, tdc)
    theorem = gradient_dynamics(model, (0,), "target")[1]
    assert encloses(theorem, F(-1, 4))
    replay(model, theorem.certificate, "gradient_stable")
    for kernel, value in (("target", F(-1, 2)), ("covered", F(-1, 4))):
        negative, _, certificate = decide_negative_definite(model, (0,), kernel)
        assert negative
        replay(model, certificate, "definite")
        keys = theorem_matrices(model, (0,)) if kernel == "target" else behaviour_matrices(model, (0,))
        assert keys.A[0, 0] == value


@some
@given(models(policy="uncovered", discount="any"))
def test_certificates_without_coverage_hold_up(model: Model) -> None:
    td, gtd, tdc = all_three(model)
    replay_all(model, td, gtd, tdc)
    assert td.mean_dynamics is not MeanDynamics.UNDECIDED


# ---- many features --------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize("kind", by_default(1, ["ring", "birth and death"]))
def test_large_on_policy_chains_are_decided_through_states(kind: str) -> None:
    """60 states, tabular: D(I − M) is certified and the rank of Φ with it. The rate of TD is that of the characteristic
    polynomial; NumPy's eigvalsh gives TDC's, right to 60² · 2^−52 in absolute terms. (GTD's is compared with exact ones
    in test_spectrum.py.)
    """
    rng = generator(2, "large chains")
    n = 60
    P = ring(rng, n) if kind == "ring" else birth_death(rng, n)
    reward = RationalMatrix.column([k % 3 for k in range(n)])
    model = Model.reward_process(P, reward, F(9, 10), None, Schedule((HALF, F(1, 3))))
    assert model.d > TIGHT_RATE_LIMIT
    td, gtd, tdc = all_three(model)
    assert (td.mean_dynamics, gtd.mean_dynamics, tdc.mean_dynamics) == (STABLE,) * 3
    replay(model, td.certificate, "definite")
    assert td.certificate is not None and "rank" in td.certificate.witness
    replay(model, gtd.certificate, "gradient_stable")
    keys = theorem_matrices(model, only_class(model))
    assert td.rate is not None and gtd.rate is not None and tdc.rate is not None
    for low, high in (td.rate, gtd.rate, tdc.rate):
        assert low <= high < 0 and high - low <= -low / 100
    exact = spectral_abscissa(keys.A, 30)
    assert td.rate[0] <= exact.upper and exact.lower <= td.rate[1]
    top = float(np.max(np.linalg.eigvalsh(tdc_matrix(keys.A, keys.C).to_float())))
    assert float(tdc.rate[0]) - n**2 * 2.0**-52 <= top <= float(tdc.rate[1]) + n**2 * 2.0**-52


def pairs(m: int, gamma: Fraction, features: RationalMatrix) -> Model:
    """m pairs of states. Target: to the second state of the own pair; behaviour does that half of the time,
    else it draws any of the 2m states. So d = 1/(4m) on first states, 3/(4m) on second ones."""
    n = 2 * m
    anywhere = RationalMatrix([[F(1, n)] * n] * n)
    second = RationalMatrix([[int(j == i // 2 * 2 + 1) for j in range(n)] for i in range(n)])
    zero = RationalMatrix.zeros(n, 1)
    return Model(
        ("anywhere", "second"),
        (anywhere, second),
        (zero, zero),
        (RationalMatrix.column([gamma] * n),) * 2,
        RationalMatrix([[HALF, HALF]] * n),
        RationalMatrix([[0, 1]] * n),
        features,
        Schedule(),
    )


def one_feature_each(m: int) -> RationalMatrix:
    """θ→2θ in every pair."""
    return RationalMatrix([[(1 + i % 2) * (j == i // 2) for j in range(m)] for i in range(2 * m)])


LARGE = (pytest.mark.thorough,)


@pytest.mark.thorough
@pytest.mark.parametrize("m", [3, pytest.param(45, marks=LARGE), 61])
def test_many_copies_of_theta_to_two_theta(m: int) -> None:
    """A = aI with 4m a = (2γ − 1) + 3·2(2γ − 2) = 14γ − 13: one sign decides, at every size.

    Where A = 0, definiteness and Lyapunov's theorem are silent: the polynomial decides up to its limit,
    and beyond it the answer is undecided, never a guess.
    """
    for gamma in (F(9, 10), F(19, 20), F(13, 14)):
        model = pairs(m, gamma, one_feature_each(m))
        found = td_dynamics(model, only_class(model))
        a = (14 * gamma - 13) / (4 * m)
        if a == 0 and m > POLYNOMIAL_ROWS:
            assert found.mean_dynamics is MeanDynamics.UNDECIDED and found.rate is None
            assert found.certificate is None and found.reason
            continue
        assert found.mean_dynamics is (STABLE if a < 0 else (UNSTABLE if a > 0 else MARGINAL))
        assert encloses(found, a)
        replay(
            model, found.certificate, {STABLE: "definite", UNSTABLE: "unstable"}.get(found.mean_dynamics, "singular")
        )
    # at γ = 13/14, the last: GTD and TDC are marginal at every size
    gtd, tdc = gradient_dynamics(model, only_class(model))
    assert gtd.mean_dynamics is tdc.mean_dynamics is MARGINAL
    replay(model, gtd.certificate, "singular")


@pytest.mark.parametrize("m", [2, 22])
def test_stable_but_not_negative_definite(m: int) -> None:
    """Pairs, tabular, γ = 19/20: blocks [[−d_1, γd_1], [0, −(1 − γ)d_2]] with d_2 = 3d_1 are Hurwitz, but
    their symmetric part has the determinant d_1²(3(1 − γ) − γ²/4) < 0: only a Lyapunov matrix shows it."""
    gamma, n = F(19, 20), 2 * m
    assert 3 * (1 - gamma) - gamma**2 / 4 < 0
    model = pairs(m, gamma, RationalMatrix([[int(i == j) for j in range(n)] for i in range(n)]))
    td, gtd, tdc = all_three(model)
    assert (td.mean_dynamics, gtd.mean_dynamics, tdc.mean_dynamics) == (STABLE,) * 3
    replay(model, td.certificate, "hurwitz")
    assert encloses(td, -(1 - gamma) * F(3, 4 * m))
    negative, _, certificate = decide_negative_definite(model, only_class(model), "target")
    assert negative is False
    replay(model, certificate, "not_definite")


def test_dependent_features_at_large_size() -> None:
    """50 columns of rank 49 on a random walk: definite on the states, so stable modulo the null space."""
    n = 50
    features = [[int(i == j) for j in range(n - 1)] + [int(i == 0)] for i in range(n)]
    reward = RationalMatrix.zeros(n, 1)
    model = Model.reward_process(ring(generator(3, "rank"), n), reward, F(4, 5), RationalMatrix(features))
    found = td_dynamics(model, only_class(model))
    assert found.mean_dynamics is MODULO
    replay(model, found.certificate, "definite")


@pytest.mark.parametrize("size", [F(10) ** 200, F(1, 10**200)])
def test_features_of_any_size(size: Fraction) -> None:
    """Scaling Φ scales A by its square, whose float is infinite or zero: the words stay the same."""
    for gamma, word in ((HALF, STABLE), (F(99, 100), UNSTABLE)):
        model = gallery.theta_to_two_theta(gamma)
        model = model.with_features(model.features.scaled(size))
        assert words(model) == (word, STABLE, STABLE)
        replay_all(model, *all_three(model))
