"""Mixing: two states by hand, P² = I, and powers of random chains beside the constants."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tdcert.claims.bounds import fast_chain, slow_chain
from tdcert.sims.random_models import random_model
from tdcert.sims.streams import generator
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.laws import mixing
from tdcert.theory.laws.mixing import INSTANT, Mixing, distance, dobrushin, geometric, least_time
from tdcert.theory.model.chain import Chain
from tdcert.theory.model.gallery import HALF, flip_chain, one_state

F = Fraction


def column(*values: Fraction | int) -> list[RationalMatrix]:
    return [RationalMatrix([[x]]) for x in values]


def test_two_states_by_hand() -> None:
    """Rows (9/10, 1/10): the second eigenvalue is 4/5, π = (½, ½), so d(t) = ½(4/5)ᵗ."""
    chain = slow_chain().behaviour_chain
    assert geometric(chain, (0, 1)) == Mixing(HALF, F(4, 5))
    assert [distance(chain, (0, 1), t) for t in range(4)] == [HALF * F(4, 5) ** t for t in range(4)]
    assert geometric(fast_chain().behaviour_chain, (0, 1)) == Mixing(HALF, INSTANT)
    assert geometric(flip_chain().behaviour_chain, (0, 1)) is None
    assert geometric(one_state(HALF).behaviour_chain, (0,)) == Mixing(INSTANT, INSTANT)


def test_the_mixing_time_is_the_least() -> None:
    found = Mixing(HALF, F(4, 5))
    assert found.time(HALF) == 0 and found.time(F(2, 5)) == 1 and found.time(F(2, 5) - F(1, 10**9)) == 2
    for epsilon in (F(1, 3), F(1, 1000), F(1, 10**12)):
        t = found.time(epsilon)
        assert HALF * F(4, 5) ** t <= epsilon < HALF * F(4, 5) ** (t - 1)
    with pytest.raises(InputError, match="above zero"):
        found.time(F(0))


@pytest.mark.parametrize("seed", range(6))
def test_no_power_is_farther_from_the_law_than_the_constants_say(seed: int) -> None:
    model = random_model(generator(seed, "mixing"), 5, 1, 0)
    chain = model.behaviour_chain
    found = geometric(chain, tuple(range(5)))
    if found is None:
        assert chain.period(tuple(range(5))).period > 1
        return
    P, law = chain.P.to_float(), chain.stationary_law(tuple(range(5))).to_float().ravel()
    power, far = np.eye(5), []
    for t in range(60):
        far.append(0.5 * np.abs(power - law).sum(axis=1).max())
        assert far[-1] <= float(found.m) * float(found.rho) ** t * (1 + 1e-9) + 1e-12
        power = power @ P
    assert 0 < found.rho < 1 and far[0] == pytest.approx(float(distance(chain, tuple(range(5)), 0)))


def test_a_chain_whose_first_power_does_not_contract_takes_a_later_one() -> None:
    """0 → 1 → 2 → {0, 1}: rows 0 and 2 of P have no common successor, so δ(P) = 1; P⁵ is positive."""
    P = RationalMatrix([[0, 1, 0], [0, 0, 1], [HALF, HALF, 0]])
    chain = Chain(P)
    assert dobrushin(P) == 1
    found = geometric(chain, (0, 1, 2))
    assert found is not None and found.rho < 1
    for t in range(40):
        assert distance(chain, (0, 1, 2), t) <= found.m * found.rho**t


def test_times_of_conditional_means_by_hand() -> None:
    """f = (1, 0) on the slow pair: f_t − ½ = ±½(4/5)^{t}, and τ counts pairs of states, so τ = t + 1."""
    chain = slow_chain().behaviour_chain
    assert least_time(chain, (0, 1), [column(1, 0)], HALF) == 1
    assert least_time(chain, (0, 1), [column(1, 0)], HALF - F(1, 100)) == 2
    t = least_time(chain, (0, 1), [column(1, 0), column(3, 3)], F(1, 100))
    assert t is not None and HALF * F(4, 5) ** (t - 1) <= F(1, 100) < HALF * F(4, 5) ** (t - 2)
    assert least_time(fast_chain().behaviour_chain, (0, 1), [column(1, 0)], F(1, 10**9)) == 2


def test_the_norm_is_the_spectral_one() -> None:
    """f_0 − πf = ±½·[[1, 1], [1, 1]], of spectral norm 1 (and Frobenius norm 1); ±½I has ½, and Frobenius norm 0.71."""
    chain = fast_chain().behaviour_chain
    ones, unit, zero = RationalMatrix([[1, 1], [1, 1]]), RationalMatrix([[1, 0], [0, 1]]), RationalMatrix.zeros(2, 2)
    assert least_time(chain, (0, 1), [[ones, zero]], F(1)) == 1
    assert least_time(chain, (0, 1), [[ones, zero]], F(99, 100)) == 2
    assert least_time(chain, (0, 1), [[unit, zero]], HALF) == 1
    assert least_time(chain, (0, 1), [[unit, zero]], F(49, 100)) == 2


def test_with_a_period_there_is_a_time_only_where_every_phase_has_the_mean() -> None:
    chain = flip_chain().behaviour_chain
    assert least_time(chain, (0, 1), [column(1, 0)], F(49, 100)) is None
    assert least_time(chain, (0, 1), [column(1, 0)], HALF) == 1
    assert least_time(chain, (0, 1), [column(2, 2)], F(1, 10**6)) == 1


def test_an_exhausted_budget_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mixing, "MIXING_STEPS", 30)
    chain = Chain(RationalMatrix([[F(9999, 10000), F(1, 10000)], [F(1, 10000), F(9999, 10000)]]))
    with pytest.raises(BudgetExceededError, match="after 30 steps; give --limits"):
        least_time(chain, (0, 1), [column(1, 0)], F(1, 10))
