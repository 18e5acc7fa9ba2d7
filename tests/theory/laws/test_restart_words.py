"""Products between cuts: by hand, against long enumerations, and what the tail may do, a second time.

The second computation of the tail follows the layers themselves, with the exact memory of each, and takes of every move
the exact matrix and its inverse; the law of the layers is that of the listed words alone.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from math import log

import pytest

from tdcert.algorithms.schedules import declared
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.engine.declare import ratios_of
from tdcert.theory.engine.paths import on_paths
from tdcert.theory.laws.restart_exponents import ContextMove, LayerNode, Restarts, is_regular
from tdcert.theory.laws.restart_words import RestartWords, restart_words
from tdcert.theory.laws.return_words import orbits
from tdcert.theory.model.gallery import bairds_star
from tests.theory.laws.test_restart_exponents import of_one

F, HALF, ONE = Fraction, Fraction(1, 2), Fraction(1)
UNIT = RationalMatrix.zeros(2, 2).identity(2)


def emphatic(gamma: Fraction, alpha: Fraction) -> Restarts:
    """ETD(0) on the star."""
    model = bairds_star(gamma)
    update = declared("etd", model)
    found = on_paths(model, update, tuple(range(7)), ratios_of(update, ONE), alpha, unknowns=0, boxes=0)
    assert found.cut is not None
    return found.cut.system


def listed(of: Restarts, most: int = 60) -> RestartWords:
    words = restart_words(of, most)
    assert isinstance(words, RestartWords)
    return words


SHEAR, TURN = RationalMatrix([[0, 1], [0, 0]]), RationalMatrix([[-1, -1], [1, -1]])


def of_two(stays: Fraction, growth: Fraction) -> Restarts:
    """Home: half of all moves turn by K and stay; half begin a memory, 1, that grows, with shears by it until a cut."""
    return Restarts(
        (
            ContextMove(0, 0, HALF, {}, {}, {1: TURN}, True),
            ContextMove(0, 1, HALF, {}, {0: ONE}, {}, True),
            ContextMove(1, 1, stays, {(0, 0): growth}, {0: ONE}, {0: SHEAR}, False),
            ContextMove(1, 0, 1 - stays, {}, {}, {0: SHEAR.T}, True),
        ),
        2,
        1,
        1,
        2,
    )


def test_words_by_hand() -> None:
    """Stays 3/4, memory 1, 3, 7, …: after k shears by it one across, by the next."""
    words = listed(of_two(F(3, 4), F(2)), 7)
    law = {word.product: word.p for word in words.words}
    assert law[UNIT + TURN] == HALF and words.time == 1 * HALF + HALF * 5
    total, memory, expected = UNIT, ONE, dict[RationalMatrix, Fraction]()
    for k in range(5):
        expected[(UNIT + SHEAR.T.scaled(memory)) @ total] = HALF * F(3, 4) ** k / 4
        total, memory = (UNIT + SHEAR.scaled(memory)) @ total, 2 * memory + 1
    assert all(law.get(product) == p for product, p in expected.items())
    # all that is cut has one product, with the rest of the probability
    assert law[total] == HALF * F(3, 4) ** 5 and sum(law.values()) == 1 and len(law) == 7
    assert {move.away for move in words.tail} == {ONE} and words.reach == memory
    assert sum(move.flow for move in words.tail) == law[total] * 4  # four moves are left in the mean
    assert words.later == law[total] * 12  # Σ k (3/4)^k


def second(of: Restarts, words: RestartWords, V: RationalMatrix, depth: int, most: int) -> float:
    """What the moves behind the depth do to ½ log yᵀVy at most, in the mean per visit, up to the layer ``most``."""
    assert of.law is not None
    cut = [move for move in of.passages if move.cuts and of.law[move.source]]
    flows = defaultdict[LayerNode, Fraction](Fraction)
    for move in cut:  # the layer behind cuts, by moves; per visit, not per move
        flows[move.after((F(0),) * of.M)] += of.law[move.source] * move.p * words.time
    layer, total = dict(flows), 0.0
    for k in range(most):
        later = defaultdict[LayerNode, Fraction](Fraction)
        for (h, memory), flow in layer.items():
            for move in of.leaving[h]:
                B = move.B(memory, of.D)
                if k >= depth and move.parts:
                    up = V.solve(B.T @ V @ B).trace()
                    down = (B.T @ V @ B).solve(V).trace()
                    total += float(flow * move.p) * log(max(up, down)) / 2
                if not move.cuts:
                    later[move.after(memory)] += flow * move.p
        layer = dict(later)
    return total


def test_the_tail_is_bounded_for_a_memory_by_hand() -> None:
    """The home of these words is left by a cut into the memory 1: layers of it are one behind the moves of a word. A
    bound of the largest factor is less than twice its logarithm off here."""
    V = RationalMatrix([[2, 1], [1, 1]])
    for stays, growth in ((HALF, F(3)), (F(1, 4), F(1))):
        of = of_two(stays, growth)
        for most in (5, 7):
            words = listed(of, most)
            exact = second(of, words, V, most - 2, 60)
            assert 0 < exact < float(words.change(V)) < 3 * exact


@pytest.mark.thorough
def test_the_tail_of_emphatic_td_is_bounded() -> None:
    """Nine words of one state: behind them emphasis is beyond 10⁷; layers begin behind the first move."""
    of = emphatic(F(99, 100), F(1, 100))
    words = listed(of)
    kinds = orbits(words)
    assert kinds.block == (0, 1, 2, 3, 4, 5) and len(kinds.fixed) == 1 and words.time == F(7, 6)
    assert [word.p for word in kinds.single[:3]] == [F(1, 6) * F(1, 7) ** (k + 1) * F(6, 7) for k in range(3)]
    V = RationalMatrix([[F(int(i == j)) + F(1, 2 + i + j) for j in range(7)] for i in range(7)])
    exact = second(of, words, V, len(kinds.single) - 1, 40)
    assert 0 < exact < float(words.change(V)) < 3 * exact
    assert is_regular(of)


@pytest.mark.thorough
def test_a_product_of_emphatic_td_by_hand() -> None:
    """State s, then three times state 7, all at the ratio 7: F = 1, 1 + 7γ, …; differences of predictions."""
    gamma, alpha = F(99, 100), F(1, 100)
    words = listed(emphatic(gamma, alpha))
    phi = [[F(2 * int(i == s)) for i in range(6)] + [F(0), ONE] for s in range(6)]
    phi.append([F(0)] * 6 + [ONE, F(2)])
    gram = RationalMatrix([[sum((x * y for x, y in zip(a, b, strict=True)), F(0)) for b in phi] for a in phi])
    product, emphasis = gram.identity(7), ONE
    for state in (0, 6, 6, 6):
        delta = [gamma * (i == 6) - (i == state) for i in range(7)]
        rows = [[alpha * 7 * emphasis * gram[i, state] * delta[j] for j in range(7)] for i in range(7)]
        product = (product.identity(7) + RationalMatrix(rows)) @ product
        emphasis = 1 + 7 * gamma * emphasis
    # in other coordinates of the same differences
    law = {(word.product.trace(), word.product.determinant()): word.p for word in words.words}
    assert law[product.trace(), product.determinant()] == F(1, 6) * F(1, 7) ** 4 * F(6, 7)


@pytest.mark.thorough
def test_memories_that_no_product_sees_are_not_followed_without_end() -> None:
    """The memory doubles or triples, evenly, and moves nothing: 2^k memories behind k moves, and two products."""
    home, begin, on, back = of_two(F(3, 4), F(2)).passages
    on, back = (replace(move, parts={}) for move in (on, back))
    doubled, tripled = (replace(on, p=on.p / 2, R={(0, 0): F(k)}) for k in (2, 3))
    words = listed(Restarts((home, begin, doubled, tripled, back), 2, 1, 1, 2))
    assert {word.product: word.p for word in words.words} == {UNIT + TURN: HALF, UNIT: HALF}
    assert words.tail and not any(move.parts for move in words.tail)


def test_why_there_are_no_words() -> None:
    """Cuts that lead to several laws late; a tail that may be singular; matrices of rank two; too few words allowed."""
    of = of_two(HALF, F(2))
    *first, last = of.passages
    half = replace(last, p=F(1, 4))
    several = Restarts((*first, half, replace(half, s={0: F(1, 3)}, target=1)), 2, 1, 1, 2)
    assert restart_words(several) == "what cuts the memory late leads to several laws"
    singular = replace(last, parts={0: RationalMatrix([[-1, 0], [0, 0]])})  # 1 − m, and m = 1 for ever
    still = of_two(HALF, F(0)).passages[:3]
    assert restart_words(Restarts((*still, singular), 2, 1, 1, 2)) == "late moves may be singular"
    full = replace(last, parts={0: UNIT})
    assert restart_words(Restarts((*first, full), 2, 1, 1, 2)) == (
        "late moves are not of rank one, so they have no bounded inverse"
    )
    assert restart_words(of, 0) == "there are too many products of moves for a drift on directions"


@pytest.mark.parametrize(("numbers", "regular"), [((F(1), F(1)), True), ((F(0), F(-1, 3)), False)])
def test_regular_is_what_has_no_determinant_zero(numbers: tuple[Fraction, Fraction], regular: bool) -> None:
    """2 + m, and 1 − m/3, for m = 0, 1, 2, 3."""
    assert is_regular(of_one(HALF, ONE, ONE, F(2), numbers)) == regular
