"""Known answers from the literature: each test names its source and derives the number it compares with."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import fmpq, fmpq_poly

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.errors import SingularMatrixError
from tdcert.theory.model import gallery
from tdcert.theory.model.chain import Chain
from tdcert.theory.model.key_matrices import KeyMatrices, mspbe, tdc_matrix, theorem_matrices, value_function
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

F = Fraction

SCHEDULES = {
    "TD(0)": Schedule(),
    "3-step": Schedule.n_step(3),
    "EqualWeights(4,6)": Schedule.equal_weights(4, 6),
    "constant 9/10, length 5": Schedule.constant(F(9, 10), 5),
    "TD(3/4) without end": Schedule.constant(F(3, 4)),
    "arbitrary": Schedule((F(1, 3), F(1), F(0), F(5, 7))),
}
every_schedule = pytest.mark.parametrize("schedule", SCHEDULES.values(), ids=SCHEDULES.keys())
some_gammas = pytest.mark.parametrize("gamma", [F(0), F(1, 2), F(9, 10), F(99, 100)], ids=str)


def matrices(model: Model) -> KeyMatrices[RationalMatrix]:
    """The paper's matrices on the only recurrent class of a model."""
    (states,) = model.behaviour_chain.recurrent_classes
    return theorem_matrices(model, states)


def kappa(schedule: Schedule, gamma: F) -> F:
    """κ by its definition Σ w_n γⁿ, summed apart from the code under test."""
    if not schedule.is_finite:  # w_n = (1 − λ) λ^{n−1}, so Σ w_n γⁿ = γ(1 − λ)/(1 − γλ)
        return gamma * (1 - schedule.tail) / (1 - gamma * schedule.tail)
    total, c = F(0), F(1)
    for n, lam in enumerate([*schedule.lambdas, F(0)], start=1):
        total += c * (1 - lam) * gamma**n
        c *= lam
    return total


# ---- θ→2θ -----------------------------------------------------------------------------------------


@some_gammas
@every_schedule
def test_theta_to_two_theta_has_a_equal_3_kappa_minus_five_halves(gamma: F, schedule: Schedule) -> None:
    """Tsitsiklis and Van Roy (1996): D = I/2, φ = (1, 2), M = κP with P(·, 2) = 1, so
    A = ½[1·(2κ − 1) + 2·(2κ − 2)] = 3κ − 5/2 and C = ½(1 + 4)."""
    found = matrices(gallery.theta_to_two_theta(gamma, schedule))
    assert found.d.column_entries() == (F(1, 2), F(1, 2))
    assert found.A[0, 0] == 3 * kappa(schedule, gamma) - F(5, 2)
    assert found.C[0, 0] == F(5, 2)


def test_theta_to_two_theta_is_singular_exactly_at_kappa_five_sixths() -> None:
    """3κ − 5/2 = 0 at κ = 5/6; TD(0) has κ = γ, and so has 2-step TD κ = γ². A changes sign there."""
    for gamma, sign in [(F(5, 6) - F(1, 10**9), -1), (F(5, 6), 0), (F(5, 6) + F(1, 10**9), 1)]:
        A = matrices(gallery.theta_to_two_theta(gamma)).A[0, 0]
        assert (A > 0) - (A < 0) == sign
    with_reward = matrices(gallery.theta_to_two_theta(F(5, 6), rewards=(0, 1)))
    assert with_reward.A.is_zero() and with_reward.b[0, 0] == 1  # b = ½·1·r_1 + ½·2·r_2
    with pytest.raises(SingularMatrixError):
        _ = with_reward.theta_star


def test_theta_to_two_theta_gradient_matrix() -> None:
    """γ = 9/10: A = 27/10 − 5/2 = 1/5, so −AᵀC⁻¹A = −(1/25)/(5/2) = −2/125."""
    found = matrices(gallery.theta_to_two_theta(F(9, 10)))
    assert found.A[0, 0] == F(1, 5)
    assert tdc_matrix(found.A, found.C)[0, 0] == F(-2, 125)


def test_theta_to_two_theta_projected_bellman_error() -> None:
    """Lemma 3.1 with γ = 9/10, r = (1, 0), θ = 1. By hand: TV − V = (1 + 9/5 − 1, 9/5 − 2) = (9/5, −1/5);
    E δφ = ½(9/5 − 2/5) = 7/10, and J = (7/10)²/(5/2) = 49/250."""
    found = matrices(gallery.theta_to_two_theta(F(9, 10), rewards=(1, 0)))
    assert mspbe(found.A, found.b, found.C, RationalMatrix([[1]]))[0, 0] == F(49, 250)


# ---- Baird's star ---------------------------------------------------------------------------------


def characteristic_polynomial(matrix: RationalMatrix) -> fmpq_poly:
    """det(xI − matrix)."""
    d = matrix.shape[0]
    scaled = fmpq_poly(matrix.numerator.charpoly())  # its roots are too large by the denominator
    return fmpq_poly([scaled[k] * fmpq(1, matrix.denominator) ** (d - k) for k in range(d + 1)])


@some_gammas
@every_schedule
def test_baird_characteristic_polynomial(gamma: F, schedule: Schedule) -> None:
    """Baird (1995), Sutton and Barto (2018) Example 11.1. D = I/7 and M = κP, P(·, 7) = 1, so
    7A = Σ_s φ_s(κφ_7 − φ_s)ᵀ, and expanding over the six-fold symmetry
    det(xI − 7A) = x (x + 4)⁵ (x² + (15 − 17κ)x + 26(1 − κ))."""
    model = gallery.bairds_star(gamma, schedule)
    found = matrices(model)
    assert found.d.column_entries() == (F(1, 7),) * 7
    k = kappa(schedule, gamma)
    x = fmpq_poly([0, 1])
    k_ = fmpq(k.numerator, k.denominator)
    expected = x * (x + 4) ** 5 * (x**2 + (15 - 17 * k_) * x + 26 * (1 - k_))
    assert characteristic_polynomial(found.A.scaled(7)) == expected
    assert model.features.rank == 7


def test_baird_eigenvalues_at_gamma_99_hundredths() -> None:
    """The printed eigenvalues −4/7 (five times), 0, 0.0221781072, 0.2392504642 at γ = 0.99, TD(0): the
    characteristic polynomial has exactly those rational roots, and changes sign within half a unit of the
    last printed digit of the other two."""
    polynomial = characteristic_polynomial(matrices(gallery.bairds_star(F(99, 100))).A)
    rest, x = polynomial, fmpq_poly([0, 1])
    for root in [fmpq(0), *[fmpq(-4, 7)] * 5]:
        quotient, remainder = divmod(rest, x - root)
        assert remainder == 0
        rest = quotient
    assert rest.degree() == 2
    half_unit = fmpq(1, 2 * 10**10)
    for printed in (fmpq(221781072, 10**10), fmpq(2392504642, 10**10)):
        assert rest(printed - half_unit) * rest(printed + half_unit) < 0


def test_baird_rmspbe_at_the_usual_start() -> None:
    """RMSPBE 8.2214076 at θ = (1, 1, 1, 1, 1, 1, 10, 1), γ = 0.99, TD(0) (start of Sutton and Barto, §11.2).

    V = 3 on states 1–6 and 12 on 7, so δ = 0.99·12 − 3 = 222/25 six times, 0.99·12 − 12 = −3/25; rank Φ = 7
    makes the projection the identity: J = (6·(222/25)² + (3/25)²)/7. C is singular: C⁺ acts on the range of
    Φᵀ alone, so seven independent columns give the same J."""
    model = gallery.bairds_star(F(99, 100))
    theta = RationalMatrix.column([1, 1, 1, 1, 1, 1, 10, 1])
    kept = model.features.independent_columns()
    assert len(kept) == 7
    found = matrices(model)
    error = (found.A @ theta + found.b).take(rows=kept)
    J = (error.T @ found.C.take(kept, kept).solve(error))[0, 0]
    by_hand = (6 * F(222, 25) ** 2 + F(3, 25) ** 2) / 7
    assert by_hand == J
    printed, half_unit = F(82214076, 10**7), F(1, 2 * 10**7)
    assert (printed - half_unit) ** 2 < J < (printed + half_unit) ** 2


# ---- chains with restarts -------------------------------------------------------------------------


@every_schedule
def test_boyan_chain_fixed_point(schedule: Schedule) -> None:
    """Boyan (2002): V(s) = −2s solves V(s) = −3 + (V(s−1) + V(s−2))/2 and V(1) = −2; it is linear between the
    tops 12, 8, 4, 0 of the hats, so θ* = (−24, −16, −8, 0) for every schedule."""
    model = gallery.boyan_chain(schedule)
    assert value_function(model).column_entries() == tuple(F(-2 * s) for s in range(13))
    assert matrices(model).theta_star.column_entries() == (-24, -16, -8, 0)


@every_schedule
def test_random_walk_fixed_point(schedule: Schedule) -> None:
    """Sutton and Barto (2018), Example 6.2: V(i) = i/6 is harmonic between the rewards 0 and 1 of the
    ends; the ends themselves have the value 0 (an episode is over)."""
    expected = (0, *[F(i, 6) for i in range(1, 6)], 0)
    model = gallery.random_walk_5(schedule)
    assert value_function(model).column_entries() == expected
    assert matrices(model).theta_star.column_entries() == expected


def test_random_walk_with_symmetric_ends() -> None:
    """Ends −1 and +1: V = −1 + i/3 = (−2/3, −1/3, 0, 1/3, 2/3). Visits (1, 2, 3, 2, 1)/9: the visits g
    expected from the centre solve g_i = [i = 3] + (g_{i−1} + g_{i+1})/2, g_0 = g_6 = 0, (1, 2, 3, 2, 1)."""
    model = gallery.random_walk_5(ends=(-1, 1))
    assert value_function(model).column_entries()[1:6] == (F(-2, 3), F(-1, 3), 0, F(1, 3), F(2, 3))
    inner = matrices(model).d.column_entries()[1:6]
    assert [x / sum(inner) for x in inner] == [F(k, 9) for k in (1, 2, 3, 2, 1)]


def test_random_chain_restarts_and_is_off_policy() -> None:
    """A5.2: under μ the steps are even, so the visits from an even start in 1–15 solve
    g_s = 1/15 + (g_{s−1} + g_{s+1})/2, g_0 = g_16 = 0: g_s = s(16 − s)/15."""
    model = gallery.random_chain()
    assert not model.is_on_policy and not model.uncovered
    d = matrices(model).d.column_entries()
    shape = [F(s * (16 - s), 15) for s in range(1, 16)]
    assert [x / sum(d[1:16]) for x in d[1:16]] == [x / sum(shape) for x in shape]
    kernel = model.target_kernel
    V = value_function(model).column_entries()
    for s in range(1, 16):  # L with 3/5, R with 2/5: down with 3/5·9/10 + 2/5·1/10 = 29/50
        gain = [F(29, 50) * int(s - 1 in (5, 10)) + F(21, 50) * int(s + 1 in (5, 10))]
        assert kernel.r[s, 0] == gain[0]
        assert V[s] == gain[0] + F(9, 10) * (F(29, 50) * V[s - 1] + F(21, 50) * V[s + 1])
    assert V[0] == V[16] == 0


# ---- the small witnesses of Proposition 4.1 and its neighbours -------------------------------------


def test_one_state() -> None:
    """A = (κ − 1)φ²: 0 at γ = 1; with γ = ½, λ_1 = −3: κ = 4·½ − 3·¼ = 5/4, so A = ¼."""
    assert matrices(gallery.one_state(1)).A[0, 0] == 0
    assert matrices(gallery.one_state(F(1, 2), Schedule((F(-3),)))).A[0, 0] == F(1, 4)
    assert gallery.one_state(F(1, 2), features=(1, 1)).features.rank == 1


def test_absorbing_pair() -> None:
    """The law is (0, 1): A = 0 for φ = (1, 0), and κ − 1 for φ = (0, 1)."""
    vanishing = gallery.absorbing_pair()
    assert not vanishing.behaviour_chain.is_irreducible
    assert matrices(vanishing).A[0, 0] == 0
    assert matrices(gallery.absorbing_pair(((0,), (1,)))).A[0, 0] == F(-1, 2)


def test_flip_chain() -> None:
    """φ = 1, γ = ½, r = (1, 0): A = ½ − 1, b = ½, θ* = 1; period 2. On φ = (1, −1), P = −1, so
    A = −γ(1 − λ_1) + γ²λ_1 − 1, positive for λ_1 > 1/γ: at γ = ½, λ_1 = 3 it is 1 + ¾ − 1 = ¾."""
    model = gallery.flip_chain()
    found = matrices(model)
    assert (found.A[0, 0], found.b[0, 0], found.theta_star[0, 0]) == (F(-1, 2), F(1, 2), 1)
    assert model.behaviour_chain.period((0, 1)).period == 2
    alternating = gallery.flip_chain(F(1, 2), Schedule((F(3),)), ((1,), (-1,)))
    assert matrices(alternating).A[0, 0] == F(3, 4)


def test_fair_coin_chain_is_negative_at_gamma_one() -> None:
    """Pφ = 0 for φ = (1, −1), so M φ = 0 and A = −C = −1."""
    found = matrices(gallery.fair_coin_chain())
    assert found.A[0, 0] == -found.C[0, 0] == -1


def test_uncovered_action() -> None:
    """Theorem 3.2 without coverage: the target's E δφ at θ = 1 is 1 + ½ − 1 = ½; the behaviour, which
    takes the one action with ρ = ½, sees ¼."""
    model = gallery.uncovered_action()
    assert model.uncovered == ((0, 1),)
    target, covered = model.target_kernel, model.covered_kernel
    assert target.r[0, 0] + target.N[0, 0] - target.mass[0, 0] == F(1, 2)
    assert covered.r[0, 0] + covered.N[0, 0] - covered.mass[0, 0] == F(1, 4)


def test_two_state_stationary_law() -> None:
    """The law of [[p, 1−p], [q, 1−q]] is (q, 1 − p)/(1 − p + q), so (1/5, 3/5)/(4/5) = (1/4, 3/4) for
    p = 2/5, q = 1/5 (the first example in QuantEcon's tests of its GTH solver)."""
    chain = Chain(RationalMatrix([[F(2, 5), F(3, 5)], [F(1, 5), F(4, 5)]]))
    assert chain.stationary_law((0, 1)).column_entries() == (F(1, 4), F(3, 4))
