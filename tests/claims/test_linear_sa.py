"""Lakshminarayanan and Szepesvári 2018: numbers by hand, and wrong statements seen to fail."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from tdcert.claims.ls18 import (
    hurwitz,
    ls_gtd_h,
    ls_gtd_step,
    ls_hurwitz_needed,
    ls_lemma6,
    ls_lemma11,
    ls_no_universal,
    ls_prop3,
    ls_sofs,
    ls_td_step,
    ls_thm1_u,
    ls_thm2,
    ls_universal,
)
from tdcert.claims.models import random_instances
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.expressions.notation import Name, its
from tdcert.theory.expressions.relations import Context, Path, evaluate
from tdcert.theory.model.gallery import (
    HALF,
    absorbing_pair,
    fair_coin_chain,
    flip_chain,
    one_state,
    random_walk_5,
    theta_to_two_theta,
)
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Status
from tests.replay import replay

F = Fraction


def test_the_key_matrix_of_four_corners_is_a_rotation() -> None:
    """E φφᵀ = ½I and φ' is φ turned: A = ½(γR − I), R = [[0, −1], [1, 0]] or its transpose."""
    model = ls_prop3.four_corners(F(1, 2))
    A = evaluate(its.A, Context(model, (0, 1, 2, 3)))
    assert A.rows in (((F(-1, 2), F(-1, 4)), (F(1, 4), F(-1, 2))), ((F(-1, 2), F(1, 4)), (F(-1, 4), F(-1, 2))))
    for alpha in ls_prop3.STEPS:
        radius = max(abs(np.linalg.eigvals(np.eye(2) + float(alpha) * A.to_float())))
        exact = (1 - alpha / 2) ** 2 + (alpha / 4) ** 2
        assert radius**2 == pytest.approx(float(exact), rel=1e-12)  # eigenvalues of a normal 2×2 matrix
    assert ls_prop3.check(model).status is Status.HOLDS
    assert not ls_prop3.ROTATION.ask(flip_chain(HALF, features=((1, 0), (0, 1)))).satisfied


def test_the_supremum_by_hand() -> None:
    """B = α = 1: u = 1/100, v² = 1 − u²: ρ² = 2 − 2u = 198/100, which is near 2 and far from 4. At α = 5 the printed
    supremum is below one of its radii: ρ² = (1 − 5/2)² + (9/4)², and 1 + B = 581/400.
    """
    u = F(1, 100)
    assert (1 - u) ** 2 + (1 - u * u) == F(198, 100)
    found = ls_prop3.judge_stated().verdict
    square = F(9, 4) + F(81, 16)
    assert found.status is Status.REFUTED
    assert found.witness == {"ρ²": str(square), "(1 + B)²": str(F(581, 400) ** 2)}
    assert ls_prop3.exceeded(Name(F(5)), Name(square), "", "").verdict.status is Status.HOLDS


def test_all_ones_by_hand() -> None:
    """A = −𝟏𝟏ᵀ, d = 2: ‖A(1, 1)‖² = 8 = 4‖(1, 1)‖²; B²d‖x‖² = 4."""
    found = ls_lemma11.judge_stated().verdict
    assert found.status is Status.REFUTED and found.witness == {"xᵀAᵀAx": "8", "B²d‖x‖²": "4"}
    assert ls_lemma11.bounded(ls_lemma11.all_ones(), 4).status is Status.HOLDS
    assert ls_lemma11.bounded(ls_lemma11.all_ones(), 3).status is Status.REFUTED


def test_the_round_of_three_corners_by_hand() -> None:
    """The error after one round from (0, 1), by Fractions alone: each step is e − φ(φ − γφ')ᵀe."""
    model, gamma = ls_td_step.three_corners(), F(9, 10)
    phi = model.features.rows
    M = [[F(int(i == j)) for j in range(2)] for i in range(2)]
    for s, after in ((0, 1), (1, 2), (2, 0)):
        psi = [phi[s][i] - gamma * phi[after][i] for i in range(2)]
        row = [sum(psi[i] * M[i][j] for i in range(2)) for j in range(2)]
        M = [[M[i][j] - phi[s][i] * row[j] for j in range(2)] for i in range(2)]
    assert M[0][0] + M[1][1] == F(-1017, 800) and M[0][0] * M[1][1] == M[0][1] * M[1][0]
    (fact,) = ls_td_step.facts()
    assert fact.verdict.status is Status.HOLDS


def test_the_mean_form_by_hand() -> None:
    """A coin, φ = ±1, γ = ½, α = 1: pairs (±1, ±1) give A = ½ and 3/2 evenly, and 2A − A² = ¾ for both."""
    model = fair_coin_chain(HALF)
    assert {row[0] for row in model.features.rows} == {F(1), F(-1)}
    context = Context(model, (0, 1)).along(Path((0, 1), (0,)))
    assert evaluate(ls_td_step.update(), context)[0, 0] == F(3, 2)
    assert ls_td_step.CLAIM.check(model).status is Status.HOLDS
    assert ls_td_step.definite_at(model, F(2)).status is Status.REFUTED  # 2A − 2A² is ½ and −3/2


def test_a_discount_of_one_is_refuted() -> None:
    assert ls_td_step.CLAIM.check(random_walk_5()).status is Status.REFUTED


def test_the_start_matters() -> None:
    model = flip_chain(HALF, features=((1,), (2,)))
    assert ls_sofs.CLAIM.check(model).status is Status.HOLDS and ls_sofs.from_start(model, 0).status is Status.REFUTED


def test_the_identities_hold_at_other_sizes() -> None:
    assert ls_lemma11.row_identity(1) and ls_td_step.form_identity(5) and ls_sofs.moments(5)


@pytest.mark.parametrize("model", random_instances(9, 3), ids=str)
def test_random_models_meet_the_corrected_bound(model: object) -> None:
    assert ls_lemma11.CLAIM.check(model).status is Status.HOLDS  # type: ignore[arg-type]


# ---- the step of averaged GTD -----------------------------------------------------------------------


def test_the_block_of_a_singular_value_by_hand() -> None:
    """d = 1, A = 2, α = 1/4: H = [[1, 2], [−3/2, 1]], H + Hᵀ − αHᵀH = [[19/16, 3/8], [3/8, 3/4]]."""
    a, alpha = F(2), F(1, 4)
    H = ((F(1), a), (-(1 - alpha) * a, alpha * a * a))
    S = [[H[i][j] + H[j][i] - alpha * sum(H[k][i] * H[k][j] for k in (0, 1)) for j in (0, 1)] for i in (0, 1)]
    assert [[F(19, 16), F(3, 8)], [F(3, 8), F(3, 4)]] == S
    assert S[0][0] * S[1][1] - S[0][1] ** 2 == alpha * a**2 * (2 - alpha - alpha * a**2)
    assert ls_gtd_step.determinant_identity()


def test_one_update_along_h_1_is_that_of_the_whole_vectors() -> None:
    """d = 8: y' = y + α(−A_tθ − y), θ' = θ + αA_tᵀy', written out, against the 2×2 matrix and against Hadamard's."""
    H = np.array([[1]])
    for _ in range(3):
        H = np.block([[H, H], [H, -H]])
    h, alpha = H[:, 0].astype(float), 1 / 16
    assert (8 * np.eye(8) == H.T @ H).all()
    y, theta = np.arange(1.0, 9), np.array([3.0, -1, 4, 1, -5, 9, 2, 6])
    for sign, A in ((1, np.outer(h, h)), (-1, -np.outer(h, h)), (0, np.outer(H[:, 3], H[:, 3]).astype(float))):
        y_next = y + alpha * (-A @ theta - y)
        theta_next = theta + alpha * A.T @ y_next
        M = np.array(ls_gtd_step.matrix(sign), float)
        assert M @ [h @ y, h @ theta] == pytest.approx([h @ y_next, h @ theta_next], abs=1e-9)


def test_the_mean_square_grows_at_the_printed_step() -> None:
    """The 3×3 operator on (E Y², E YT, E T²) by NumPy has a radius of 1.0033; the relations are exact, and are refuted
    where the probabilities are those of a definite law.
    """
    found = ls_gtd_step.judge_stated().verdict
    assert found.status is Status.REFUTED and found.certificates
    S = np.zeros((3, 3))
    for sign, p in ls_gtd_step.LAW.items():
        (a, b), (c, d) = ((float(x) for x in row) for row in ls_gtd_step.matrix(sign))
        S += float(p) * np.array([[a * a, 2 * a * b, b * b], [a * c, a * d + b * c, b * d], [c * c, 2 * c * d, d * d]])
    assert max(abs(np.linalg.eigvals(S))) == pytest.approx(1.00333, abs=1e-5)  # by another program
    assert sum(ls_gtd_step.LAW.values()) == 1


def test_no_growth_is_found_at_a_smaller_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """At 1/(1 + B²d²) the relations of a growing form fail, and nothing is refuted."""
    monkeypatch.setattr(ls_gtd_step, "ALPHA", F(1, 65))
    found = ls_gtd_step.judge_stated()
    assert found.verdict.status is Status.UNDECIDED and "no form that grows" in found.verdict.detail


def test_the_corrected_step_is_sharp_for_one_feature() -> None:
    model = ls_lemma11.all_ones(1)
    assert ls_gtd_step.at_multiple(model, F(199, 100)).status is Status.HOLDS
    assert ls_gtd_step.at_multiple(model, F(2)).status is Status.REFUTED


# ---- coordinates in which a Hurwitz matrix is definite ----------------------------------------------


def test_a_hurwitz_matrix_that_is_not_definite() -> None:
    """Tabular, d = (1/10, 9/10), P leads to the first state, γ = 9/10: A = D(I − γP)."""
    model = hurwitz.mostly_in_the_second()
    A = hurwitz.mean(model, (0, 1))
    assert A.rows == ((F(1, 100), F(0)), (F(-81, 100), F(9, 10)))
    assert np.linalg.eigvalsh((A + A.T).to_float())[0] < 0 < min(np.linalg.eigvals(A.to_float()).real)
    found, W = hurwitz.decide_hurwitz(model, (0, 1))
    assert W is not None and W.identity(2) != W and found.status is Status.HOLDS
    assert np.linalg.eigvalsh((W @ A + A.T @ W).to_float())[0] > 0 and np.linalg.eigvalsh(W.to_float())[0] > 0
    for kept in found.certificates:
        replay(kept, model, "it")


def test_a_given_matrix_is_written_with_features() -> None:
    W = RationalMatrix([[F(2), F(-3)], [F(-3), F(7)]])
    model = flip_chain(HALF, features=((1, 2), (3, 5)))
    assert evaluate(hurwitz.constant(model, W), Context(model, (0, 1))) == W


def test_growth_is_shown_where_the_mean_is_unstable() -> None:
    """θ→2θ off-policy, γ = 9/10: A = ½(1 − 2γ) + ½·2(2 − 2γ) = −1/5; and an absorbing state with φ = 0: A = 0."""
    model = theta_to_two_theta(F(9, 10))
    found, W = hurwitz.decide_hurwitz(model, (0, 1))
    assert (found.status, W) == (Status.REFUTED, None) and hurwitz.mean(model, (0, 1))[0, 0] == F(-1, 5)
    for kept in found.certificates:
        replay(kept, model, "it")
    assert ls_hurwitz_needed.check(model).status is Status.HOLDS and not hurwitz.HURWITZ.ask(model).satisfied
    assert ls_lemma6.CLAIM.check(model).status is Status.REFUTED and ls_thm1_u.check(model).status is Status.REFUTED
    assert ls_hurwitz_needed.check(absorbing_pair()).status is Status.REFUTED


def test_the_step_of_theorem_1_by_hand() -> None:
    """A coin, φ = ±1, γ = ½: A_t is ½ or 3/2 evenly, A = 1, E A_t² = 5/4: 2 − 5α/4 > 0 below 8/5, and 1 is tried."""
    found = ls_thm1_u.check(fair_coin_chain(HALF))
    assert found.status is Status.HOLDS and "0 ≤ α ≤ 1," in found.detail
    assert ls_thm1_u.check(hurwitz.mostly_in_the_second()).status is Status.HOLDS
    assert ls_thm1_u.congruence(2) and ls_lemma6.congruence(2)


def test_the_page_s_own_example() -> None:
    """A = [[1, −10], [0, 1]]: AᵀP + PA = I for the P of the printed proof, whose other equation begins with −49."""
    A, P = hurwitz.SHEAR, RationalMatrix([[F(1, 2), F(5, 2)], [F(5, 2), F(51, 2)]])
    assert A.identity(2) == A.T @ P + P @ A and RationalMatrix([[-49, -250], [-250, 51]]) == A @ P + P @ A.T
    assert ls_lemma6.with_the_other_equation().verdict.witness["(AP + PAᵀ)_11"] == "-49"
    assert ls_thm1_u.in_given_coordinates().verdict.witness["xᵀ(A + Aᵀ)x"] == "-16"
    assert ((A.identity(2) - A) @ (A.identity(2) - A)).is_zero()


# ---- Theorems 2 and 4, no universal step, the matrix of GTD -----------------------------------------


@pytest.mark.parametrize(("t", "start"), tuple(product((1, 2, 3), (F(0), F(1)))))
def test_the_mean_square_of_the_average_over_all_signs(t: int, start: F) -> None:
    """λ = ½, α = ½: by Fractions alone, against the closed form with 1/λ² and against the bound."""
    lam, alpha = HALF, HALF
    total = F(0)
    for signs in product((1, -1), repeat=t):
        errors = [start]
        for sign in signs:
            errors.append(errors[-1] + alpha * (sign - lam * errors[-1]))
        total += (sum(errors) / (t + 1)) ** 2 / 2**t
    q = 1 - alpha * lam
    noise = sum((1 - q**s) ** 2 for s in range(1, t + 1)) / lam**2
    assert total == (((1 - q ** (t + 1)) * start / (alpha * lam)) ** 2 + noise) / (t + 1) ** 2
    assert F(1, 5) * total < ls_thm2.bound(lam, alpha, t, int(start)) < total
    assert evaluate(ls_thm2.mean_square(alpha, t, int(start)), Context(ls_thm2.noisy(), (0,)))[0, 0] == total


def test_rewards_that_cancel_are_below_the_bound() -> None:
    assert ls_thm2.check(ls_thm2.alternating()).status is Status.REFUTED
    assert not ls_thm2.INSTANCE.ask(ls_thm2.alternating()).satisfied and ls_thm2.average_identity(6)


def test_a_matrix_above_one_may_grow() -> None:
    """φ = 2, γ = 0: A = 4, I − A/2 = −1; 1 − (−1)ⁱ is 2 or 0."""
    model = Model.reward_process(RationalMatrix([[1]]), RationalMatrix([[0]]), F(0), RationalMatrix([[2]]))
    assert ls_universal.check(model).status is Status.REFUTED and not ls_universal.SPD.ask(model).satisfied
    assert ls_universal.check(one_state(HALF)).status is Status.HOLDS and ls_universal.geometric(7)
    assert not ls_universal.SPD.ask(hurwitz.mostly_in_the_second()).satisfied


@pytest.mark.parametrize("t", [2, 5, 20])
def test_the_worst_case_stays_above_a_quarter(t: int) -> None:
    found = ls_universal.worst_at(t).verdict
    mean = sum((1 - F(1, t + 1)) ** s for s in range(t + 1)) / (t + 1)
    assert found.status is Status.REFUTED and found.witness["E‖ê_t‖²"] == str(mean**2) and mean > HALF


def test_the_best_step_of_two_eigenvalues() -> None:
    """λ = ½, 2: 4·1/(5/2)² = 16/25 at α = 4/5, the largest on a grid of steps."""
    grid = np.linspace(0, 1, 100_001)
    best = max(np.minimum(grid * 0.5 * (2 - grid * 0.5), grid * 2 * (2 - grid * 2)))
    assert best == pytest.approx(16 / 25, abs=1e-4)  # the slope is below 4, the grid 1e-5
    model = flip_chain(HALF, features=((1, 0), (0, 2)))
    found = ls_no_universal.CLAIM.check(model)
    assert found.status is Status.HOLDS and found.detail == "sup αρ_s = 16/25 at α = 4/5"
    assert ls_no_universal.meeting_identity()
    for factor in (F(396, 100), F(404, 100)):
        assert ls_no_universal.at_most(model, factor).status is Status.REFUTED
    assert ls_no_universal.CLAIM.check(absorbing_pair()).status is Status.REFUTED


def test_the_matrix_of_gtd_in_numbers() -> None:
    """d = 3: Table 1's update against x + α(g − Hx), and the blocks of H + Hᵀ − αHᵀH, in floats of size one."""
    rng, alpha = np.random.default_rng(5), 0.3
    A, b, y, theta = rng.normal(size=(3, 3)), *rng.normal(size=(3, 3))
    H = np.block([[np.eye(3), A], [(alpha - 1) * A.T, alpha * A.T @ A]])
    x, g = np.concatenate([y, theta]), np.concatenate([b, alpha * A.T @ b])
    y_next = y + alpha * (b - A @ theta - y)
    expected = np.concatenate([y_next, theta + alpha * A.T @ y_next])
    assert x + alpha * (g - H @ x) == pytest.approx(expected, abs=1e-12)
    fast, slow = ls_gtd_h.half_of_image(*(RationalMatrix([[F(1)]]),) * 3, F(1, 4))
    assert (fast[0, 0], slow[0, 0]) == (F(2), F(-1, 2))
    assert ls_gtd_h.same_update(2) and ls_gtd_h.CLAIM.check(random_walk_5()).status is Status.HOLDS
    assert ls_gtd_h.with_fast_half(random_walk_5(), late=False).status is Status.REFUTED
