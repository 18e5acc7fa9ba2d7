"""Statements about off-policy Q(λ): numbers by hand, sweeps that are run, and wrong thresholds."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tdcert.claims.harutyunyan16 import hq_algorithm, hq_contraction, hq_control, hq_evaluation, sweep
from tdcert.claims.harutyunyan16.sweep import stay_and_swap
from tdcert.claims.models import random_instances
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.expressions.relations import Context, evaluate
from tdcert.theory.model.gallery import HALF, flip_chain, random_walk_5, theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Status

F = Fraction


def swept(model: Model, lam: Fraction) -> RationalMatrix:
    return evaluate(sweep.error_matrix(model, lam), Context(model, (0,)))


def test_stay_and_swap_by_hand() -> None:
    """γ = 9/10, λ = 1/18: λγ = 1/20, R = (20/19)(9/10)([[0, 1], [1, 0]] − I/18) = [[−1, 18], [18, −1]]/19."""
    model = stay_and_swap()
    assert sweep.distance(model) == 2 and sweep.below(model, F(2)) == F(99, 100) * F(1, 18)
    assert swept(model, F(1, 18)).scaled(F(19)) == RationalMatrix([[-1, 18], [18, -1]])
    assert sweep.contracts(model, F(1, 18), F(2), least=False).witness["bound"] == "1"
    assert sweep.contracts(model, F(1, 18), F(2), least=True).status is Status.REFUTED
    assert hq_contraction.one_percent_less().verdict.status is Status.REFUTED
    assert hq_evaluation.one_percent_more().verdict.detail.startswith("Rx = −1901/1899x")


def test_control_moves_away_from_its_optimum_above_the_threshold() -> None:
    """A sweep with max over the pairs' actions, step by step along the behaviour, from Q* + (1, −1, −1, 1)/100."""
    found = hq_control.one_percent_more().verdict
    assert found.status is Status.REFUTED and found.detail == "Rx = −1901/1899x for x = (1, −1, −1, 1)"
    gamma, lam, best, x = F(9, 10), F(101, 1800), (F(9), F(10), F(9), F(10)), (1, -1, -1, 1)
    Q = [value + F(sign, 100) for value, sign in zip(best, x, strict=True)]
    reaches = (0, 1, 1, 0)  # the state after each pair; the pairs of state s are 2s and 2s + 1
    delta = [
        reward + gamma * max(Q[2 * s : 2 * s + 2]) - q for reward, s, q in zip((0, 1, 0, 1), reaches, Q, strict=True)
    ]
    # The behaviour goes on with (s, stay), which comes back to itself: its sum is a geometric series.
    swept = [
        q + step + lam * gamma / (1 - lam * gamma) * delta[2 * s] for q, step, s in zip(Q, delta, reaches, strict=True)
    ]
    assert [q - value for q, value in zip(swept, best, strict=True)] == [F(-1901, 189900) * sign for sign in x]


@pytest.mark.parametrize("model", random_instances(5, 4), ids=str)
def test_the_error_matrix_is_that_of_a_sweep(model: Model) -> None:
    """Q' − Q* for Q' = Σ_k (λγP_μ)ᵏ (r + γP_πQ − Q) + Q, eighty terms of the series, from Q* + (1, −2, 3, …)."""
    gamma, lam = sweep.discount(model), F(1, 3)
    target, behaviour = model.target_kernel.P, model.behaviour_chain.P
    error = RationalMatrix.column([(k + 1) * (-1) ** k for k in range(model.n)])
    term, total = target.scaled(gamma) @ error - error, error
    for _ in range(80):
        total, term = total + term, (behaviour @ term).scaled(lam * gamma)
    gap = total - swept(model, lam) @ error
    assert max(abs(x) for row in gap.rows for x in row) < F(1, 10**30)


def test_the_algorithm_by_hand() -> None:
    """μ swaps with 1/10: R − I has the eigenvalues −(1 − γ)/(1 − λγ) on (1, 1), −(1 + γ)/(1 − ⅘λγ) on (1, −1)."""
    model, lam, gamma = hq_algorithm.mostly_stays(), HALF, F(9, 10)
    R = swept(model, lam)
    for x, value in (((1, 1), (1 - gamma) / (1 - lam * gamma)), ((1, -1), (1 + gamma) / (1 - F(4, 5) * lam * gamma))):
        column = RationalMatrix.column(x)
        assert R @ column - column == column.scaled(-value)
    assert sweep.distance(model) == F(9, 5)
    assert hq_algorithm.judge_stated().verdict.status is Status.REFUTED
    assert hq_algorithm.undiscounted().verdict.status is Status.REFUTED
    assert hq_algorithm.check(model).status is Status.HOLDS


def test_greedy_values_lie_between() -> None:
    """max x − max y lies between x_a − y_a and x_b − y_b, a and b where x and y are largest: all of {−2 … 2}³."""
    values = range(-2, 3)
    for x in ((p, q, r) for p in values for q in values for r in values):
        for y in ((0, 1, -1), (2, -2, 0)):
            a, b = x.index(max(x)), y.index(max(y))
            ends = sorted((x[a] - y[a], x[b] - y[b]))
            assert ends[0] <= max(x) - max(y) <= ends[1]


def test_hypotheses_and_other_models() -> None:
    assert not sweep.DISCOUNTED.ask(random_walk_5()).satisfied and sweep.DISCOUNTED.ask(flip_chain(HALF)).satisfied
    assert hq_control.CLAIM.check(theta_to_two_theta(F(9, 10))).status is Status.HOLDS
    assert hq_control.CLAIM.check(flip_chain(F(1))).status is Status.REFUTED
    singular = sweep.contracts(flip_chain(F(1)), F(1), F(0), least=False)
    assert singular.status is Status.REFUTED and singular.undefined == "R"
    assert hq_control.sweep_identity(3) and sweep.split_identity(5)
