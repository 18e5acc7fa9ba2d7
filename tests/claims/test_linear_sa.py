"""Lakshminarayanan and Szepesvári 2018: numbers by hand, and wrong statements seen to fail."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tdcert.claims.ls18 import ls_gtd_step, ls_lemma11, ls_prop3, ls_sofs, ls_td_step
from tdcert.claims.models import random_instances
from tdcert.theory.expressions.notation import Name, its
from tdcert.theory.expressions.relations import Context, Path, evaluate
from tdcert.theory.model.gallery import HALF, fair_coin_chain, flip_chain, random_walk_5
from tdcert.theory.verdict import Status

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
    assert ls_td_step.check(model).status is Status.HOLDS
    assert ls_td_step.definite_at(model, F(2)).status is Status.REFUTED  # 2A − 2A² is ½ and −3/2


def test_a_discount_of_one_is_refuted() -> None:
    assert ls_td_step.check(random_walk_5()).status is Status.REFUTED


def test_the_start_matters() -> None:
    model = flip_chain(HALF, features=((1,), (2,)))
    assert ls_sofs.check(model).status is Status.HOLDS and ls_sofs.from_start(model, 0).status is Status.REFUTED


def test_the_identities_hold_at_other_sizes() -> None:
    assert ls_lemma11.row_identity(1) and ls_td_step.form_identity(5) and ls_sofs.moments(5)


@pytest.mark.parametrize("model", random_instances(9, 3), ids=str)
def test_random_models_meet_the_corrected_bound(model: object) -> None:
    assert ls_lemma11.check(model).status is Status.HOLDS  # type: ignore[arg-type]


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
    assert max(abs(np.linalg.eigvals(S))) == pytest.approx(1.00333, abs=1e-5)  # the ledger's figure
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
