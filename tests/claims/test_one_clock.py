"""Statements about differential TD: numbers by hand, floats beside exact signs, and monomials that are not positive."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tdcert.algorithms import named
from tdcert.claims.wan21 import one_clock, wan_features, wan_limit, wan_off_policy, wan_on_policy
from tdcert.claims.wan21.one_clock import clocked, eight_states, positive_for_every_rate
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.one_parameter import Values
from tdcert.theory.engine.means import stationary
from tdcert.theory.expressions.relations import Context, evaluate
from tdcert.theory.identities.positive import additive_compound, determinant
from tdcert.theory.identities.symbols import free
from tdcert.theory.model.gallery import HALF, fair_coin_chain, flip_chain, theta_to_two_theta
from tdcert.theory.verdict import Status

F = Fraction


def test_the_matrix_by_hand() -> None:
    """θ→2θ: d = (½, ½), the target goes to 2: M = [[−½ − η/2, ½ − η/2], [−η/2, −η/2]]."""
    model, eta = theta_to_two_theta(F(1)), F(1, 3)
    M = evaluate(clocked(eta), Context(model, (0, 1)))
    assert M.rows == ((-HALF - eta / 2, HALF - eta / 2), (-eta / 2, -eta / 2))
    assert M.determinant() == eta / 2  # for every η > 0, and the trace is −½ − η


def test_eight_states_have_two_eigenvalues_right_of_zero() -> None:
    """0.036 ± 3.449i for a law that sums to 2443, at η = 1/1000; for every η from ½ to one there are none."""
    model = eight_states()
    M = evaluate(clocked(F(1, 1000)), Context(model, tuple(range(8)))).to_float() * 2443
    right = sorted(np.linalg.eigvals(M), key=lambda z: -z.real)[:3]
    assert right[0].real == pytest.approx(0.036, abs=1e-3) and abs(right[0].imag) == pytest.approx(3.449, abs=1e-3)
    assert right[1] == pytest.approx(np.conj(right[0])) and right[2].real < 0
    assert wan_on_policy.check(model).status is Status.REFUTED
    assert wan_off_policy.judge_stated().verdict.status is Status.REFUTED
    assert wan_off_policy.between(model, Values(F(1, 2), F(1))).status is Status.HOLDS


def test_a_monomial_that_is_not_positive_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    assert positive_for_every_rate(2) and positive_for_every_rate(3)
    monkeypatch.setattr(one_clock, "_trees", lambda n, root: [frozenset()])
    assert not positive_for_every_rate(3)  # without a move M has rank one
    monkeypatch.undo()
    monkeypatch.setattr(one_clock, "additive_compound", lambda M: [[x + x for x in row[::-1]] for row in M])
    assert not positive_for_every_rate(3)


def test_trees_are_counted_by_cayley() -> None:
    """nⁿ⁻² trees, each with n roots."""
    assert [sum(len(one_clock._trees(n, root)) for root in range(n)) for n in (2, 3, 4)] == [2, 9, 64]


@pytest.mark.thorough
def test_monomials_of_the_other_sign_occur_on_a_circle_of_five() -> None:
    """s → s + 1 with rates w_s: det(−M⁽²⁾) has 15,731 monomials, as Hurwitz's determinant of order four has, and some
    have a negative coefficient; on a circle of four none has.
    """
    for n, count, negative in ((4, 606, 0), (5, 15731, 125)):
        _, w, e = free(w=n, e=n)
        move = [[-1 if i == j else int(j == (i + 1) % n) for j in range(n)] for i in range(n)]
        M = [[w[i] * move[i][j] - e[i] for j in range(n)] for i in range(n)]
        found = determinant([[-x for x in row] for row in additive_compound(M)]).numer.to_dict()
        assert len(found) == count and sum(x < 0 for x in found.values()) == negative


def test_determinants_and_compounds_on_symbols_are_those_of_numbers() -> None:
    rows = [[F(1, 2), F(-3), F(2)], [F(0), F(5), F(1)], [F(4), F(1, 3), F(-1)]]
    assert determinant(rows) == RationalMatrix(rows).determinant()
    assert RationalMatrix(additive_compound(rows)) == RationalMatrix(rows).additive_compound()
    sums = sorted(np.linalg.eigvals(RationalMatrix(additive_compound(rows)).to_float()).real)
    values = np.linalg.eigvals(RationalMatrix(rows).to_float())
    assert sums == pytest.approx(sorted((values[i] + values[j]).real for i in range(3) for j in range(i)))


def test_the_limit_by_hand() -> None:
    """θ→2θ, R = (1, 5): the target stays in the second state, r(π) = 5; Σv = 2(5 − 1/3)."""
    model = theta_to_two_theta(F(1), rewards=(1, 5))
    assert wan_limit.CLAIM.check(model).status is Status.HOLDS
    assert evaluate(wan_limit.LAW, Context(model, (0, 1))) == RationalMatrix.column([0, 1])
    assert wan_limit.of_the_behaviour().verdict.witness == {"r̄ at rest": "0", "the behaviour's average reward": "1/2"}


def test_features_by_hand() -> None:
    """θ→2θ: J as in the docstring; and it is the mean of the algorithm that ships, β = ηα."""
    model, eta = theta_to_two_theta(F(1)), F(1, 4)
    J = evaluate(wan_features.joint(eta), Context(model, (0, 1)))
    assert J.rows == ((HALF, F(-3, 2)), (eta / 2, -eta)) and J.determinant() == eta / 4
    means = stationary(model, named("differential_td"), (0, 1)).by_exponents
    assert means[1, 0].take(columns=(0, 1)) + means[0, 1].take(columns=(0, 1)).scaled(eta) == J
    assert wan_features.check(model).status is Status.REFUTED
    assert wan_features.check(fair_coin_chain()).status is Status.HOLDS
    assert not wan_features.INDEPENDENT.ask(flip_chain(HALF)).satisfied


def test_on_policy_and_hypotheses() -> None:
    assert wan_on_policy.check(flip_chain(HALF)).status is Status.HOLDS
    assert not one_clock.UNICHAIN.ask(wan_off_policy.both_stay()).satisfied
    assert wan_off_policy.CLAIM.check(wan_off_policy.both_stay()).status is Status.REFUTED
