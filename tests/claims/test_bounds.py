"""Bounds beside exact moments: numbers of another program and by hand, and wrong bounds seen to fail."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import exp, isnan, log

import numpy as np
import pytest
from flint import arb

from tdcert.claims import bounds
from tdcert.claims.bounds import Evaluated, LinearTD, decide_bounds, fast_chain, least_eigenvalue, slow_chain
from tdcert.claims.brs18 import brs_a, brs_c, brs_info, brs_lipschitz, brs_projection
from tdcert.claims.brs18.projected import LIPSCHITZ, Projected, part_a, part_b, part_c, rarely_turning
from tdcert.claims.claim import decide
from tdcert.claims.kp15 import kp_thm1
from tdcert.claims.kp15.rates import Rates
from tdcert.claims.ls18 import ls_lemma8, ls_thm9
from tdcert.claims.ls18.averages import Averages
from tdcert.claims.sy19 import sy_cor15, sy_lemma5, sy_thm7
from tdcert.claims.sy19.drift import CentredTD, theorem_7
from tdcert.claims.ts15.first_n import FirstN
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.errors import InputError
from tdcert.theory.model.gallery import HALF, fair_coin_chain, flip_chain, theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Grade, Scope, Status, Verdict
from tdcert.verification import verify as verification

F = Fraction


def near(ball: arb, value: float, rel: float = 5e-3) -> bool:
    return float(ball.mid()) == pytest.approx(value, rel=rel) and bool(ball.rad() < 1e-20)


def evaluated(exact: arb, bound: arb) -> Evaluated:
    return Evaluated("E‖·‖²", exact, bound, 10, "α = 1")


def test_balls_never_decide_beyond_their_radius() -> None:
    wide = arb(1, 0.5)
    cases: list[tuple[arb, arb, bool | None]] = [
        (arb(1), arb(2), True),
        (arb(1), arb(1), True),
        (arb(2), arb(1), False),
        (wide, arb(2), True),
        (wide, arb(0.4), False),
        (wide, arb(1.4), None),
        (arb(1.4), wide, None),
    ]
    for exact, bound, holds in cases:
        assert evaluated(exact, bound).holds is holds
    good, bad, open_ = evaluated(arb(1), arb(2)), evaluated(arb(2), arb(1)), evaluated(wide, arb(1))
    assert decide_bounds([good]).status is Status.HOLDS and decide_bounds([good]).grade is Grade.ENCLOSED
    assert decide_bounds([good, open_]).status is Status.UNDECIDED
    assert decide_bounds([open_, bad]).status is Status.REFUTED
    assert "overlap" in decide_bounds([open_]).detail and decide_bounds([bad]).witness["moment"] == "2.000"


def test_digits_are_those_that_are_certain() -> None:
    assert bounds.shown(arb(1, 0.001), 8) == "1.00" and bounds.shown(arb("1e-400")) == "<1e-300"
    assert bounds.shown(arb("1e400")) == ">1e300" and bounds.shown(arb(0)) == "0"


def test_the_least_eigenvalue_lies_in_its_ball() -> None:
    S = RationalMatrix([[2, 1, 0], [1, 3, 1], [0, 1, F(1, 2)]])
    found = least_eigenvalue(S)
    assert found.overlaps(arb(float(np.linalg.eigvalsh(S.to_float())[0]), 1e-13))
    assert found.rad() < 1e-9 and least_eigenvalue(RationalMatrix([[F(-7, 3)]])).contains(arb(-7) / 3)


def test_the_linear_form_of_td_by_hand() -> None:
    """Fast pair: A = −11/32, θ* = 8/11; slow pair: −59/800 and 200/59."""
    for model, A, star in ((fast_chain(), F(-11, 32), F(8, 11)), (slow_chain(), F(-59, 800), F(200, 59))):
        td = LinearTD(model)
        assert (td.A[0, 0], td.target[0, 0], td.C[0, 0], td.r_max) == (A, star, F(5, 8), 1)
    off = LinearTD(theta_to_two_theta(F(9, 10)))
    assert off.A[0, 0] == F(1, 5)
    with pytest.raises(InputError, match="singular"):
        _ = LinearTD(theta_to_two_theta(F(5, 6))).target


def test_what_is_not_evaluated_is_said_and_not_decided() -> None:
    """A model outside of what is evaluated here is skipped, one without a mixing time is not."""
    wide = flip_chain(HALF, features=((1, 0), (0, 1)))
    skipped = decide(brs_a.CLAIM, wide).verdict
    assert skipped.status is Status.HYPOTHESIS_VIOLATED and skipped.violated == ("the model has one feature",)
    assert decide(brs_a.CLAIM, flip_chain(HALF)).verdict.violated == ("the behaviour chain is aperiodic",)
    raising: Callable[[Model], Verdict] = bounds.decided(theorem_7)
    assert raising(flip_chain(HALF)).status is Status.UNDECIDED and "period" in raising(flip_chain(HALF)).detail


# ---- floats of another program -----------------------------------------------------------


def test_projected_td_of_the_ledger() -> None:
    """Exact moments of part (c) and (a) at T = 1,000 and about 100,000, and the bound of (c) with R = ‖θ*‖."""
    for model, value, bound in ((fast_chain(), 1.45e-3, 4.9), (slow_chain(), 0.368, 1.0e4)):
        found = part_c(model, 1_000, R=abs(LinearTD(model).target[0, 0]))
        assert near(found.exact, value) and near(found.bound, bound, 0.05)
    for model, value in ((fast_chain(), 3.72e-5), (slow_chain(), 0.0141)):
        assert near(part_a(model, 316, R=F(4)).exact, value)


def test_part_b_by_its_formula() -> None:
    of, step = Projected.of(slow_chain()), F(1, 8) / (2 * F(1, 16))
    found = part_b(slow_chain(), 100, F(1, 8), R=F(10))
    tau = next(t for t in range(100) if 0.5 * 0.8**t <= step)
    G2 = (1 + 20) ** 2
    value = exp(-2 * step * F(1, 16) * 100) * float(of.errors()) + step * G2 * (1 + 4 * (1 + tau)) / (2 / 16)
    assert near(found.bound, float(value), 1e-9)


def test_constant_steps_of_the_ledger() -> None:
    """Largest ε 1.8·10⁻⁴ and 6.6·10⁻⁷, τ = 2 and 62, b_max, γ_max; the exact moment and the bound in the limit."""
    cases = ((fast_chain(), 1.8e-4, 2, 0.545, 16 / 11, 0.233), (slow_chain(), 6.6e-7, 62, 1.864, 6.78, 0.80))
    for model, epsilon, tau, b_max, gamma_max, bound in cases:
        of = CentredTD.of(model)
        step, time = of.largest_step()
        assert float(step) == pytest.approx(epsilon, rel=0.02) and time == tau
        assert float(of.b_max) == pytest.approx(b_max, rel=2e-3) and float(of.P) == pytest.approx(gamma_max, rel=1e-3)
        assert of.kappa_1 * step * time + step * of.P == F(1, 20)
        assert near(theorem_7(model)[1].bound, bound, 0.02)
    assert near(theorem_7(fast_chain())[1].exact, 3.87e-5, 0.01) and near(
        theorem_7(slow_chain())[1].exact, 5.8e-6, 0.02
    )


def test_corollary_15_by_hand() -> None:
    """A = −10⁻⁴, ε = 1/2500: E Θ² = ε²(1 − ρ^{2k})/(1 − ρ²), and (1 + 0.9·10⁻⁴ε)^{k−1}/4 + 882 · ε/0.9."""
    A, step, k = 1e-4, 1 / 2500, 12_500_000
    rho = 1 - step * A
    exact = step**2 * (1 - exp(2 * k * log(rho))) / (1 - rho**2)
    printed = exp((k - 1) * log(1 + 0.9 * A * step)) / 4 + 882 * step / 0.9
    found = sy_cor15.printed(sy_cor15.counterexample())
    assert near(found.exact, exact, 1e-6) and near(found.bound, printed, 1e-6)
    assert (round(exact, 3), round(printed, 3)) == (1.264, 0.784)
    mended = sy_cor15.printed(sy_cor15.counterexample(), sign=-1)
    assert near(mended.bound, exp((k - 1) * log(1 - 0.9 * A * step)) / 4 + 0.392, 1e-6)
    verdict = sy_cor15.judge_stated().verdict
    assert verdict.status is Status.REFUTED and verdict.grade is Grade.CERTIFIED and verdict.certificates
    assert F(verdict.witness["E Θ², at least"]) <= 1.0001 and F(verdict.witness["bound, at most"]) < 0.85


def test_lemma_5_by_all_paths() -> None:
    """Fast pair from its second state, ε = ⅛, τ = 2: the mean over the eight paths of three states, by Fractions."""
    model = fast_chain()
    of, td = CentredTD.of(model), LinearTD(model)
    table = {(h, g): (K[0, 0], b) for (h, g, _, K), b in zip(td.moves, of.b, strict=True)}
    total = F(0)
    for a in (0, 1):
        for b in (0, 1):
            for c in (0, 1):
                theta = -td.target[0, 0]
                for move in ((1, a), (a, b)):
                    theta += F(1, 8) * (table[move][0] * theta + table[move][1])
                total += F(1, 8) * theta * (td.A[0, 0] * theta - table[b, c][0] * theta - table[b, c][1]) * of.P
    found = sy_lemma5.from_states(model, 1)[1]
    assert found.horizon == 2 and near(found.exact, abs(float(total)), 1e-12) and total != 0


def test_theorem_1_of_korda_by_hand() -> None:
    """x = 3, c = 10: θ_10 = 100Π(7 + k)/(10 + k) = 100 · 8 · 9 · 10/(18 · 19 · 20)."""
    of = Rates.of(kp_thm1.noise_free())
    assert (of.c_0, of.c, of.x, of.B) == (F(1, 3), 10, 3, 0)
    found = of.theorem_1(10)
    assert near(found.exact, float(F(100 * 720, 6840) ** 2), 1e-12)
    assert near(found.bound, (1000 / 400 + 100 / 18) / 20, 1e-12) and round(float(found.bound.mid()), 2) == 0.40
    assert near(of.theorem_1(10, squared=True).bound, 12.8, 2e-3)
    first, last = of.theorem_1(52), of.theorem_1(53)
    assert first.holds is False and last.holds is True


def paid_by_state() -> Model:
    """The slow pair with φ = ½ in both states, where only the reward tells them apart."""
    return slow_chain().with_features(RationalMatrix.column([HALF, HALF]))


@pytest.mark.parametrize("model", [fast_chain(), slow_chain(), paid_by_state()])
def test_the_series_of_korda_by_floats(model: Model) -> None:
    """The sums of (A6) up to τ = 400 by numpy, m = 0 … 11, and the reward."""
    of = Rates.of(model)
    P, phi = model.transitions[0].to_float(), model.features.to_float().ravel()
    law, gain = np.array([0.5, 0.5]), 3 * (1 + float(of.td.gamma)) * float(of.c_0 * of.c)
    best, functions = 0.0, [phi * (np.linalg.matrix_power(P, m) @ phi) for m in range(12)]
    for f in [*functions, phi * np.array([0.0, 1.0])]:
        sums, held, weight = np.zeros(2), f - law @ f, 0.0
        for tau in range(400):
            sums += np.exp(weight) * np.abs(held)
            held = P @ held
            weight += gain / (float(of.c) + tau) if tau else 0.0
        best = max(best, float(sums.max()))
    assert best <= float(of.B.mid()) * (1 + 1e-9) <= best * 1.01


@pytest.mark.thorough
def test_a_mean_norm_between_both_sides_is_left_open() -> None:
    """Of a random θ_n only ‖E·‖ ≤ E‖·‖ ≤ √E‖·‖² is known: where the bound lies between, nothing is decided."""
    of = Rates.of(fast_chain(), F(8, 11))
    below = [n for n in range(1, 400) if of.theorem_1(n).holds is not False]
    assert below and all(of.theorem_1(n).exact > 0 for n in below[:3])


def test_the_first_n_by_its_formula() -> None:
    """(7) at n = 3.2·10⁷ of the fast pair, λ = ½, by floats: it lies between both bounds, and fails."""
    of, n = FirstN.of(fast_chain(), HALF), 32_000_000
    Lambda = log(8 * (n - 1) ** 2 / 0.1) + log(max(4 * exp(2), (n - 1) * 0.5))
    inner = 32 * Lambda * max(Lambda / log(1024), 1)
    m = -(-log(n - 1) // log(4))
    left = 2 / (0.5 * 0.625) * (2 * ((m + 1) * inner) ** 0.5 / (n - 1) ** 0.5 + 1 / ((n - 1) * 0.75) + 2 * m / (n - 1))
    assert of.left(n, up=False) < left * (1 + 1e-9) and of.left(n, up=True) > left * (1 - 1e-9)
    low, high = of.enclosed()
    assert of.left(high, up=True) < 1 <= of.left(low, up=False) and low < high
    assert FirstN.of(slow_chain(), HALF).enclosed()[0] == pytest.approx(1.3e11, rel=0.05)


# ---- claims ------------------------------------------------------------------------------------------


def test_theorem_9_of_two_features_by_floats() -> None:
    """ρ_s, ρ_d, σ_1² of two features by numpy."""
    model = flip_chain(HALF, features=((1, 0), (HALF, HALF)))
    of = Averages.of(model)
    draws = [(float(p), K.to_float()) for _, _, p, K in of.td.draws]
    A = -sum(p * K[:, :2] for p, K in draws)
    square = sum(p * K[:, :2].T @ K[:, :2] for p, K in draws)
    alpha = float(of.alpha)
    assert float(of.rho_s.mid()) == pytest.approx(np.linalg.eigvalsh(A + A.T - alpha * square)[0], abs=1e-9)
    assert float(of.rho_d.mid()) == pytest.approx(np.linalg.eigvalsh(A + A.T - alpha * A.T @ A)[0], abs=1e-9)
    star = np.linalg.solve(A, sum(p * K[:, 2] for p, K in draws))
    of_A = sum(p * np.sum((K[:, :2] + A) ** 2) for p, K in draws)
    of_b = sum(p * np.sum((K[:, 2] - A @ star) ** 2) for p, K in draws)
    assert float(of.noise) == pytest.approx(2 * (of_A * star @ star + of_b))
    assert float(ls_thm9.bounds(model)[0].ratio.mid()) > 1 and ls_lemma8.bounds(model)[0].holds


def test_a_tighter_lemma_8_fails_by_hand() -> None:
    """q = 1999/2000 and t → ∞: Σ_{i<j} q^{i+j} = q/((1 − q)(1 − q²)), and q(1 + q) > 1.98."""
    q = 1999 / 2000
    assert q / (1 - q) > 1.98 / (1 - q**2)
    assert ls_lemma8.one_percent_less().verdict.status is Status.REFUTED


def test_zeta_of_the_rarely_turning_chain_by_hand() -> None:
    """A = −(1 − γ · 98/100) = −59/500, θ* = 500/59; at a turn A(X) = −19/10, b(X) = 1, θ = −θ*."""
    star = F(500, 59)
    M = F(-19, 10) + F(59, 500)
    slope = abs(2 * M * -star - M * star + 1 - F(59, 500) * star)
    found, bound, printed = brs_lipschitz.largest(LinearTD(rarely_turning()))
    assert found == slope and printed == 2 * (1 + 2 * star) < found <= bound == 2 + 3 * abs(M) * star
    assert not LIPSCHITZ.ask(rarely_turning()).satisfied and LIPSCHITZ.ask(slow_chain()).satisfied


def test_the_first_state_is_not_nearly_independent_of_itself() -> None:
    found = brs_info.functions_of_the_first_state().verdict
    assert found.status is Status.REFUTED and found.certificates
    assert (found.witness["left value"], found.witness["right value"]) == ("1", "0")


def test_td_without_a_projection_grows_as_its_factor_says() -> None:
    """E θ_50² of the fair coin chain at γ = 99/100 is above h²(γh)⁹⁶/(5000 (49!)²), h = 100."""
    found = brs_projection.bounds(fair_coin_chain(F(99, 100)))[0]
    assert found.holds is False and found.exact > 1e60
    assert brs_projection.check(fair_coin_chain(HALF)).status is Status.REFUTED
    assert brs_c.facts()[0].verdict.status is Status.HOLDS


@pytest.mark.parametrize(
    ("name", "value"),
    [("ls_thm9", ls_thm9.bounds), ("sy_thm7", sy_thm7.bounds), ("brs_a", brs_a.bounds)],
)
def test_the_picture_of_a_bound_has_both_sides_of_each_chain(
    name: str, value: Callable[[Model], Sequence[Evaluated]]
) -> None:
    figure = bounds.picture(name, value)
    exact, bound = figure.series
    assert figure.claim == name and figure.log_y and exact.x == bound.x and len(figure.x_names) == 5
    assert all(x < y or isnan(x) for x, y in zip(exact.y, bound.y, strict=True))


@pytest.mark.thorough
def test_enclosed_evidence_is_called_enclosed_in_a_run() -> None:
    """No scope without a certificate is called certified, and pictures are drawn."""
    run = verification.verify(["brs_b", "sy_thm7"], "quick", 3, lambda *_: None)
    for found in run.claims:
        assert found.stated is not None and found.stated.status is Status.HOLDS
        on_models = [scope.evidence for scope in found.stated.scopes if scope.evidence.scope is Scope.INSTANCES]
        assert [evidence.grade for evidence in on_models] == [Grade.ENCLOSED]
        assert found.figures == (f"{found.entry.id}_bound",)
        needed = {hypothesis.id: hypothesis.scopes[0].evidence.grade for hypothesis in found.hypotheses}
        assert set(needed.values()) == {Grade.ENCLOSED}


def test_nothing_to_compare_is_no_bound() -> None:
    found = decide_bounds([])
    assert found.status is Status.UNDECIDED and found.grade is None
