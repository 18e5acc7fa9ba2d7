"""The stationary law in floats: every entry right relatively, however nearly the chain falls apart."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tdcert.sims.random_models import connected, garnet
from tdcert.sims.streams import generator
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.float_enclosures import MidRadMatrix
from tdcert.theory.enclose.dense_law import refined, relative_error, stationary_enclosure
from tdcert.theory.errors import BudgetExceededError
from tdcert.theory.model.chain import Chain
from tests.sims.walks import birth_death

SEED = 30_331


def _law(P: RationalMatrix) -> RationalMatrix:
    return Chain(P).stationary_law(tuple(range(P.shape[0])))


@pytest.mark.parametrize("n", [1, 2, 3, 31, 32, 33, 66])
def test_blocks_of_every_length(n: int) -> None:
    """Sizes around the block length, sparse and dense rows."""
    P = RationalMatrix([[1]])
    if n > 1:
        P = connected(garnet(generator(SEED, f"law {n}"), n, 1, min(n, 2 + n % 7))[0])
    enclosed, exact = MidRadMatrix.enclosing(P), _law(P)
    law = stationary_enclosure(enclosed)
    assert law.contains(exact)
    assert law.relative <= 2 * relative_error(n, 2.0**-52)
    better = refined(law, enclosed)
    assert better.contains(exact) and np.all(better.rad <= law.rad)


@pytest.mark.parametrize("exponent", [6, 14, 40])
def test_nearly_decomposable_chains_keep_their_digits(exponent: int) -> None:
    """Two random blocks with unequal couplings 10^−k and 3·10^−k: the masses differ by a factor that residuals miss."""
    rng, m = generator(SEED, f"blocks {exponent}"), 4
    weak = Fraction(1, 10**exponent)
    blocks = [connected(garnet(rng, m, 1, m)[0]) for _ in range(2)]
    rows = []
    for side, block in enumerate(blocks):
        leak = weak * (1, 3)[side]
        for row in block.rows:
            kept, gone = [x * (1 - leak) for x in row], [leak / m] * m
            rows.append([*kept, *gone] if side == 0 else [*gone, *kept])
    P = RationalMatrix(rows)
    law, exact = stationary_enclosure(MidRadMatrix.enclosing(P)), _law(P)
    assert law.contains(exact) and law.relative <= 1e-13
    # the float law is not the point: a twin that is wrong by its own radius is outside
    assert not MidRadMatrix(law.mid + 3 * law.rad, law.rad).contains(exact)
    assert np.all(refined(law, MidRadMatrix.enclosing(P)).rad <= law.rad)


def test_the_bound_covers_rates_known_only_roughly() -> None:
    """Birth and death: x_{k+1}/x_k = p_k/q_k, so births up and deaths down by ε move the ends by (1 + ε)^(2(n−1))."""
    P = birth_death(generator(SEED, "rough"), 5)
    eps = Fraction(1, 2**20)
    exact = _law(P)
    pushed = [x * ((1 + eps) / (1 - eps)) ** k for k, x in enumerate(exact.column_entries())]
    mid = P.to_float()
    law = stationary_enclosure(MidRadMatrix(mid, mid * float(eps) * (1 + 1e-9)))
    assert law.contains(exact)
    assert law.contains(RationalMatrix.column([x / sum(pushed) for x in pushed]))
    assert law.relative < 10 * float(eps)


def test_what_floats_cannot_hold_is_refused() -> None:
    n = 40
    up = np.exp2(-60.0)
    P = np.diag(np.full(n - 1, up), 1) + np.diag(np.full(n - 1, 0.5), -1)
    with pytest.raises(BudgetExceededError, match="range of floats"):
        stationary_enclosure(MidRadMatrix(P))
    with pytest.raises(BudgetExceededError, match="small multiple"):
        stationary_enclosure(MidRadMatrix(np.full((2, 2), 0.5), 0.25))
