"""Papers whose text was not seen: numbers by hand, second implementations, and models where a statement fails."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tdcert.algorithms import named
from tdcert.claims.hallak16 import (
    hallak_corrected,
    hallak_mean,
    hallak_modulus_0,
    hallak_modulus_lambda,
    hallak_variance,
    weights,
)
from tdcert.claims.kolter11 import ko_bound, ko_example, ko_lmi, ko_stable, lmi
from tdcert.claims.means import seen
from tdcert.claims.models import THETA_TO_TWO_THETA, any_chain, gamma_of, random_instances, uncovered_rewards
from tdcert.claims.smw16 import smw_columns, smw_definite, smw_two_state
from tdcert.claims.sutton09 import gradient, s9_gtd, s9_gtd2, s9_iid, s9_tdc
from tdcert.claims.touati18 import to_saddle, to_unstable
from tdcert.claims.yu15.yu_mean import never_to_the_second
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.expressions.notation import its
from tdcert.theory.expressions.relations import Context, Expression, evaluate
from tdcert.theory.model.gallery import HALF, flip_chain, one_state, theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.verdict import Status

F = Fraction
HIGH = F(9, 10)
RELATIVE = 1e-10
"""Of numbers made by a few dozen operations of NumPy on well-conditioned matrices of six rows."""


def value(model: Model, expression: Expression) -> RationalMatrix:
    return evaluate(expression, Context(model, model.behaviour_chain.recurrent_classes[0]))


def floats(model: Model, expression: Expression) -> NDArray[Any]:
    found: NDArray[Any] = value(model, expression).to_float()
    return found


# ---- gradient TD ------------------------------------------------------------------------------------


def test_joint_matrices_by_hand() -> None:
    """θ→2θ, γ = 9/10: A = ½·2·(0.8 + 2·(−0.2)) … = 1/5, C = 5/2; at η = 4."""
    model = theta_to_two_theta(HIGH)
    assert value(model, gradient.A)[0, 0] == F(1, 5) and value(model, gradient.C)[0, 0] == F(5, 2)
    joint = {name: seen(model, named(name), (0, 1), ratios=(1, 4)).rows for name in ("gtd_2008", "gtd2")}
    assert joint["gtd_2008"] == ((0, F(-1, 5)), (F(4, 5), -4))
    assert joint["gtd2"] == ((0, F(-1, 5)), (F(4, 5), -10))
    assert s9_gtd.CLAIM.check(model).status is Status.HOLDS and s9_gtd2.check(model).status is Status.HOLDS


def test_gradient_td_needs_a_nonsingular_A() -> None:
    """θ→2θ, γ = 5/6: A = 0 and C = 5/2."""
    model = theta_to_two_theta(F(5, 6))
    assert (
        not gradient.NONSINGULAR.ask(model).satisfied and gradient.NONSINGULAR.ask(theta_to_two_theta(HALF)).satisfied
    )
    for one in (s9_gtd, s9_gtd2, s9_tdc):
        assert one.CLAIM.check(model).status is Status.REFUTED


def test_an_action_that_is_never_taken_is_not_met() -> None:
    """One state, μ = (1, 0), π = (½, ½), γ = ½: ρ = ½ on every transition, A = ½(½ − 1)."""
    model = uncovered_rewards()
    assert evaluate(gradient.A, Context(model, (0,), gradient.MET))[0, 0] == F(-1, 4)
    assert s9_gtd.CLAIM.check(model).status is Status.HOLDS


def test_another_joint_matrix_is_refused() -> None:
    """GTD2's matrix is not GTD's: C = 5/2 is not 1; and K = −C would not be stable."""
    model = theta_to_two_theta(HIGH)
    assert gradient.decide_joint(model, "gtd_2008", gradient.C).status is Status.REFUTED
    J = RationalMatrix([[0, F(-1, 5)], [F(1, 5), F(5, 2)]])
    assert gradient.decide_saddle(model, J, (0, 1)).status is Status.REFUTED


@pytest.mark.parametrize("d", [3, 4])
def test_many_features_are_decided_by_the_eigenvalues(d: int) -> None:
    """A = diag(1, 2, …), K = I: stable, and of more than three features the certificate has 2AᵀA = diag(2, 8, 18, 32).
    With the last entry of A zero, or K = −I, it is refuted on both sides of the limit.
    """
    model = replace(one_state(HALF), features=RationalMatrix([[1] * d]))
    for last, sign, status in ((d, 1, Status.HOLDS), (0, 1, Status.REFUTED), (d, -1, Status.REFUTED)):
        A = RationalMatrix([[(i + 1 if i + 1 < d else last) * int(i == j) for j in range(d)] for i in range(d)])
        J = A.scaled(0).block(right=A.T.scaled(-1), below=A, corner=A.identity(d).scaled(-sign))
        found = gradient.decide_saddle(model, J, (0,))
        assert found.status is status
        if status is Status.HOLDS and d > gradient.FEATURES:
            (kept,) = found.certificates
            assert all(f"'{number}'" in str(kept.witness) for number in (2, 8, 18, 32))


@pytest.mark.parametrize(("eta", "status"), [(F(1, 20), "refuted"), (F(2, 25), "undecided"), (F(1, 10), "holds")])
def test_tdc_at_a_fixed_ratio(eta: Fraction, status: str) -> None:
    """Trace 1/5 − 5η/2 < 0 exactly for η > 2/25, det = η(−½ + 27/50) = η/25 > 0."""
    assert s9_tdc.at_ratio(eta).verdict.status == status


def test_two_updates_in_a_row_are_not_independent() -> None:
    assert s9_iid.two_in_a_row().verdict.witness == {"E A_1A_0 along the path": "0", "A²": "1/4"}


def test_a_mean_without_ratios_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    model = theta_to_two_theta(HIGH)
    assert s9_iid.check(model).status is Status.HOLDS
    plain = its.phi(0) @ (its.discount(0) * its.phi(1) - its.phi(0)).T
    monkeypatch.setattr(s9_iid, "increment", lambda t: plain)
    assert s9_iid.check(model).status is Status.REFUTED


def test_models_that_violate_one_hypothesis_meet_the_others() -> None:
    """Of the reducible ones A is singular on some, and those are left out."""
    for ablation in any_chain(gradient.NONSINGULAR):
        assert ablation.supports is not None
        models = ablation.supports()
        assert models and all(gradient.NONSINGULAR.ask(model).satisfied for model in models)
        assert not any(ablation.hypothesis.ask(model).satisfied for model in models)


# ---- ETD(λ, β) --------------------------------------------------------------------------------------


def test_weights_by_hand() -> None:
    """θ→2θ, β = ½: f_1 = ½, f_2 = ½ + ½(½ + f_2) = 3/2, m at λ = ½ is (½, 1), κ = ⅓."""
    model = theta_to_two_theta(HIGH)
    assert value(model, weights.follow_on(HALF)).column_entries() == (HALF, F(3, 2))
    assert value(model, weights.emphasis(HALF, HALF)).column_entries() == (HALF, 1)
    assert value(model, weights.emphasis(F(1, 3), HALF)).column_entries() == (HALF, F(7, 6))
    kappa, relations = weights.least_ratio(model, (0, 1), HALF)
    assert kappa == F(1, 3) and len(relations) == 2
    assert value(model, weights.reached(HALF, HIGH)).rows == ((0, F(9, 11)),) * 2


def test_what_etd_beta_sees_by_hand() -> None:
    """To the second with 1/10, λ = β = ½: f = (9/10, 11/10), m = (9/10, 3/5), P^λφ = 2·9/11: 9/10·7/11 − 2·3/5·4/11."""
    model = weights.seldom_to_the_second(F(1, 10))
    J = seen(model, named("etd_beta").with_options(lam=HALF, decay=HALF), (0, 1))
    assert J[0, 0] == F(9, 10) * F(7, 11) - 2 * F(3, 5) * F(4, 11) == F(3, 22)
    (fact,) = hallak_modulus_lambda.facts()
    assert fact.verdict.status is Status.HOLDS


def test_etd_beta_without_coverage_or_with_ends_has_another_mean() -> None:
    assert hallak_mean.check(never_to_the_second()).status is Status.REFUTED
    ending = one_state(F(0))
    assert not weights.ENDLESS.ask(ending).satisfied and hallak_mean.check(ending).status is Status.REFUTED
    assert hallak_mean.with_f_alone().verdict.status is Status.REFUTED


@pytest.mark.parametrize("k", range(6))
def test_norms_are_those_of_numpy(k: int) -> None:
    """The largest singular value of W^½ X W^−½ against each bound, on models whose laws are positive."""
    model = random_instances(4, 6)[k]
    gamma, lam, beta = float(gamma_of(model)), float(weights.lam_of(model)), 0.5
    P, d = floats(model, its.P_pi), floats(model, its.d)[:, 0]
    f = np.linalg.solve((np.eye(model.n) - beta * P).T, d)

    def norm(X: NDArray[Any], w: NDArray[Any]) -> float:
        return float(np.linalg.norm(np.diag(w**0.5) @ X @ np.diag(w**-0.5), 2))

    c = np.sqrt((1 - min(d / f)) / beta)
    assert norm(gamma * P, f) <= gamma * c * (1 + RELATIVE)
    reached = (1 - lam) * gamma * np.linalg.solve(np.eye(model.n) - lam * gamma * P, P)
    assert lam * gamma * c >= 1 or norm(reached, f) <= (1 - lam) * gamma * c / (1 - lam * gamma * c) * (1 + RELATIVE)
    g = np.linalg.solve((np.eye(model.n) - gamma * P).T, d)
    m = (1 - lam) * g + lam * d
    assert norm(reached, m) <= np.sqrt(gamma * (1 - lam) / (1 - gamma * lam)) * (1 + RELATIVE)
    for one in (hallak_modulus_0, hallak_modulus_lambda):
        assert one.CLAIM.check(model).status is Status.HOLDS


def test_a_norm_that_is_too_small_is_refused() -> None:
    """One state, γ = ½: the norm is ½, so 98 % of it fails and so does the modulus for λ > 0 below it."""
    model = one_state(HALF)
    f = weights.follow_on(HALF)
    assert hallak_modulus_0.bounded(model, HALF, f).status is Status.HOLDS
    assert hallak_modulus_0.bounded(model, HALF, f, F(98, 100)).status is Status.REFUTED
    assert hallak_corrected.bounded(model, f).status is Status.HOLDS
    assert hallak_corrected.one_per_cent_less().verdict.status is Status.REFUTED


@pytest.mark.parametrize(
    ("lam", "gamma", "beta", "status"),
    [
        (HIGH, HIGH, HALF, "refuted"),
        (HALF, HIGH, HALF, "holds"),
        (HALF, HIGH, HIGH, "holds"),
        (HIGH, HIGH, F(7, 10), "holds"),
        (F(4, 5), F(99, 100), HALF, "refuted"),
    ],
)
def test_the_modulus_of_one_state(lam: Fraction, gamma: Fraction, beta: Fraction, status: str) -> None:
    """(γ(1 − λ)/(1 − γλ))² against the square of the formula, both by Fractions."""
    true = gamma * (1 - lam) / (1 - gamma * lam)
    top = gamma * (1 + lam * beta)
    square = top * top * (1 - lam) / (beta * (1 + gamma * lam) * (1 + gamma * lam) * (1 - lam * beta))
    assert hallak_modulus_lambda.contracts(one_state(gamma), lam, gamma, beta).status == status
    assert (true * true <= square) is (status == "holds")


def test_a_series_without_a_sum() -> None:
    model = hallak_corrected.seldom()
    assert not hallak_corrected.SMALL.ask(model).satisfied
    found = hallak_corrected.CLAIM.check(model)
    assert found.status is Status.REFUTED and found.certificates
    assert hallak_corrected.SMALL.ask(one_state(HALF)).satisfied


def test_the_second_moment_of_the_trace_is_its_recursion() -> None:
    """θ→2θ, evenly: E F'² to the second is β²·2(w_1 + w_2) + 2β(u_1 + u_2) + ½: bounded at β = ½, not at 4/5."""
    model = weights.seldom_to_the_second(HALF)
    for beta, bounded in ((0.5, True), (0.8, False)):
        u, w = np.array([0.5, 0.5]), np.array([0.5, 0.5])
        for _ in range(400):
            u, w = (
                np.array([0.5, beta * u.sum() + 0.5]),
                np.array([0.5, 2 * beta**2 * w.sum() + 2 * beta * u.sum() + 0.5]),
            )
        assert bool(w.sum() < 1e3) is bounded
        square = F(str(beta)) ** 2
        assert hallak_variance.finite_where(model, F(str(beta)), square).status is Status.HOLDS
        wrong = hallak_variance.finite_where(model, F(str(beta)), F(1) if bounded else F(1, 3))
        assert wrong.status is Status.REFUTED and wrong.witness["E F²"] == ("finite" if bounded else "infinite")


# ---- fixed points of off-policy TD ------------------------------------------------------------------


def test_the_inequality_by_hand() -> None:
    """θ→2θ: B = ½(1 + 2)·2 = 3 > 5/2, so neither holds; φ = (1, −2), P to the second: B = 1, C = 5/2."""
    model = theta_to_two_theta(HALF)
    assert value(model, lmi.B)[0, 0] == 3 and value(model, lmi.C)[0, 0] == F(5, 2)
    assert not lmi.LMI.ask(model).satisfied and ko_lmi.CLAIM.check(model).detail == "neither holds"
    other = lmi.to_the_second()
    assert (
        value(other, lmi.B)[0, 0] == 1
        and lmi.LMI.ask(other).satisfied
        and ko_lmi.CLAIM.check(other).detail == "both hold"
    )
    assert ko_lmi.without_projection().verdict.status is Status.REFUTED


@pytest.mark.parametrize("k", range(6))
def test_the_inequality_is_that_of_eigenvalues(k: int) -> None:
    """The smallest eigenvalue of [[C, B], [Bᵀ, C]] by NumPy, where it is farther from zero than its error, 10⁻⁹."""
    model = random_instances(8, 6)[k]
    C, B = floats(model, lmi.C), floats(model, lmi.B)
    least = min(np.linalg.eigvalsh(np.block([[C, B], [B.T, C]])))
    assert abs(least) < 1e-9 or lmi.LMI.ask(model).satisfied is bool(least > 0)
    if lmi.LMI.ask(model).satisfied and np.linalg.matrix_rank(C) == model.d:
        assert ko_stable.check(model).status is Status.HOLDS


def test_stability_without_the_inequality_fails() -> None:
    assert ko_stable.check(theta_to_two_theta(HIGH)).status is Status.REFUTED
    assert ko_stable.check(theta_to_two_theta(HALF)).status is Status.HOLDS  # and the inequality does not


def test_the_example_by_hand() -> None:
    """A(p) from φ, P, γ alone, its zero, and the error beside it, above a million times that of Π."""
    phi, V, gamma = (F(1), F(1051, 1000)), (F(1), F(21, 20)), F(99, 100)
    mean, mean_V = (phi[0] + phi[1]) / 2, (V[0] + V[1]) / 2
    a = [x * (gamma * mean - x) for x in phi]
    b = [x * (v - gamma * mean_V) for x, v in zip(phi, V, strict=True)]
    p = a[1] / (a[1] - a[0])
    assert p == lmi.LAW and 0 < p < 1
    near = p + F(1, 10**12)
    theta = -(near * b[0] + (1 - near) * b[1]) / (near * a[0] + (1 - near) * a[1])
    assert abs(theta - 1) > 10**6
    assert ko_example.CLAIM.check(lmi.example(F(1, 1000))).detail.endswith(str(p))
    assert value(lmi.example(F(1, 1000)), its.V).column_entries() == V


def test_the_example_needs_its_hypotheses() -> None:
    inside = lmi.example(F(0))
    assert not ko_example.OUTSIDE.ask(inside).satisfied and ko_example.CLAIM.check(inside).status is Status.REFUTED
    same = flip_chain(HALF)
    assert not ko_example.OPPOSITE.ask(same).satisfied and ko_example.CLAIM.check(same).status is Status.REFUTED
    assert not ko_example.OPPOSITE.ask(one_state(HALF)).satisfied


def test_the_bound_by_hand() -> None:
    """φ = 1, V = (0, 1), γ = ½, d = (19, 1)/20: r = (−9/20, 11/20), θ* = 2·(−2/5), ΠV = 1/20."""
    found = ko_bound.as_on_policy().verdict
    assert found.witness["‖Φθ* − V‖²"] == str(F(19, 20) * F(16, 25) + F(1, 20) * F(81, 25)) == "77/100"
    assert found.witness["‖ΠV − V‖²/(1 − γ²)"] == str((F(19, 20) / 400 + F(1, 20) * F(361, 400)) * F(4, 3))


def test_the_bound_needs_its_hypotheses() -> None:
    singular = ko_bound.CLAIM.check(lmi.example(F(1, 1000), lmi.LAW))
    assert singular.undefined == "θ*" and singular.certificates
    absorbed = lmi.to_the_second()
    assert not lmi.IRREDUCIBLE_TARGET.ask(absorbed).satisfied
    left = replace(absorbed, behaviour=RationalMatrix([[1, 0], [1, 0]]))  # and never comes to the second
    for model, told in ((absorbed, ("entry", "P_pi", 1, 0)), (left, ("entry", "P_pi", 0, 0))):
        found = ko_bound.CLAIM.check(model)
        (kept,) = found.certificates
        assert found.undefined == "κ" and str(list(told)) in str(kept.witness)
    assert ko_bound.CLAIM.check(lmi.example(F(1, 1000))).status is Status.HOLDS


# ---- emphatic TD, tree backup -----------------------------------------------------------------------


def test_columns_off_policy_by_hand() -> None:
    assert smw_columns.off_policy().verdict.witness["1ᵀD(I − γP)"] == "[[1/2, -2/5]]"


def test_the_two_states_by_hand() -> None:
    model = theta_to_two_theta(HIGH)
    assert seen(model, named("off_policy_td"), (0, 1))[0, 0] == F(1, 5)
    assert seen(model, named("etd"), (0, 1))[0, 0] == F(-17, 5)
    assert smw_two_state.check(model).status is Status.HOLDS
    other = flip_chain(HALF, features=((1,), (2,)))
    assert not THETA_TO_TWO_THETA.ask(other).satisfied and smw_two_state.check(other).status is Status.REFUTED
    assert THETA_TO_TWO_THETA.ask(model).satisfied


def test_interest_everywhere_is_needed() -> None:
    assert smw_definite.CLAIM.check(one_state(HALF, reward=0)).status is Status.HOLDS
    assert smw_definite.without_interest().verdict.status is Status.REFUTED


def test_tree_backup_by_hand() -> None:
    """γ = 9/10: 1/5 at λ = 0, 7/62 at ½, 0 at 8/9, −1/22 at 1."""
    model = theta_to_two_theta(HIGH)
    wanted = dict(zip(to_unstable.LAMBDAS, (F(1, 5), F(7, 62), F(0), F(-1, 22)), strict=True))
    for lam, mean in wanted.items():
        assert value(model, to_unstable.mean(lam))[0, 0] == mean
        assert all(to_unstable.one(model, name, lam)[0, 0] == mean for name in to_unstable.BOTH)
    assert to_unstable.check(flip_chain(HALF, features=((1,), (2,)))).status is Status.REFUTED


def test_the_gradient_version_needs_a_nonsingular_mean() -> None:
    singular = theta_to_two_theta(HIGH, Schedule.constant(F(8, 9)))
    assert not to_saddle.NONSINGULAR.ask(singular).satisfied and to_saddle.check(singular).status is Status.REFUTED
    assert to_saddle.check(theta_to_two_theta(HIGH, Schedule.constant(HALF))).status is Status.HOLDS
