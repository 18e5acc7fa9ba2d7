"""Products between visits: against products of all moves, and symmetries that are there or broken by hand."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise

import pytest

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.laws.mean_square import JumpSystem
from tdcert.theory.laws.path_exponents import RecurrentNodes
from tdcert.theory.laws.return_words import ReturnWord, block_of, moves_of_laws, orbits, return_words
from tdcert.theory.model.gallery import bairds_star
from tests.theory.laws.test_path_exponents import by_hand, of, on_class, triangular

F, HALF, ONE = Fraction, Fraction(1, 2), Fraction(1)
A, B, C = [[2, 0], [0, 1]], [[1, 1], [0, 1]], [[0, 1], [1, 3]]


def star(alpha: Fraction) -> RecurrentNodes:
    return on_class(of(bairds_star(F(9, 10)), "off_policy_td", alpha, [ONE])[0])


def test_words_by_hand() -> None:
    """From the first node A stays, B leads away and C back; the other node is kept for a while in the second system."""
    two = return_words(on_class(by_hand((0, 0, HALF, A), (0, 1, HALF, B), (1, 0, ONE, C))), ONE)
    assert two is not None and two.left == 0 and two.time == F(3, 2)
    assert {word.product: word.p for word in two.words} == {
        RationalMatrix(A): HALF,
        RationalMatrix(C) @ RationalMatrix(B): HALF,
    }
    kept = return_words(on_class(by_hand((0, 1, ONE, B), (1, 0, F(1, 4), C), (1, 1, F(3, 4), A))), ONE)
    assert kept is not None and kept.left == 0 and kept.time == F(5, 4)
    assert {word.product: word.p for word in kept.words} == {
        RationalMatrix(A): F(3, 4),
        RationalMatrix(B) @ RationalMatrix(C): F(1, 4),
    }


def test_words_that_are_cut_keep_their_time() -> None:
    """The other node is left with 1/4 a move: of words that are cut the mean time left is four moves each."""
    moves = [(0, 0, F(9, 10), A), (0, 1, F(1, 10), B), (1, 0, F(1, 4), C)]
    found = on_class(by_hand(*moves, (1, 1, F(1, 4), A), (1, 1, HALF, [[3, 1], [0, 1]])))
    few, more = return_words(found, ONE, most=8), return_words(found, ONE, most=60)
    assert few is not None and more is not None and few.time == more.time == F(7, 5)
    for words, most in ((few, 8), (more, 60)):
        assert sum(word.p for word in words.words) == 1 and len(words.words) <= most
        stays = words.left / 4 * 10  # (3/4)^k for words that were followed for k moves there
        assert any(stays == F(3, 4) ** k for k in range(1, 7))
    assert more.left < few.left


HIDDEN = by_hand((0, 1, F(1, 4), A), (0, 2, F(3, 4), A), (1, 0, ONE, B), (2, 0, HALF, C), (2, 2, HALF, A))
"""A leads from the first node to two, of which one is likelier."""


@pytest.mark.parametrize("system", [HIDDEN, *(triangular(random.Random(seed), 2, 3)[0] for seed in range(2))])
def test_laws_of_nodes_give_the_products_that_nodes_give(system: JumpSystem) -> None:
    """E B₃B₂B₁ along three moves, from the law that the first move leads to."""
    found = on_class(system)
    moves, unit = moves_of_laws(found, ONE), system.J.identity(2)
    for law in moves:
        here, there = {law: unit}, {node: unit.scaled(p) for node, p in law}
        for _ in range(3):
            after, others = dict[object, RationalMatrix](), dict[int, RationalMatrix]()
            for at, X in here.items():
                for target, p, matrix in moves[at]:
                    part = (matrix @ X).scaled(p)
                    after[target] = after[target] + part if target in after else part
            for move in found.system.moves:
                if move.source in there:
                    part = ((unit + move.K) @ there[move.source]).scaled(move.p)
                    others[move.target] = others[move.target] + part if move.target in others else part
            here, there = after, others  # type: ignore[assignment]
        zero = unit.scaled(F(0))
        assert sum(here.values(), start=zero) == sum(there.values(), start=zero)


def test_outer_states_of_the_star_are_one_block() -> None:
    """Two laws of nodes; the words single out the state that was updated, with its probability."""
    found = star(F(1, 20))
    assert len(found.law) == 7 and len(moves_of_laws(found, F(1, 20))) == 2
    words = return_words(found, F(1, 20))
    assert words is not None and words.time == F(7, 6) and 0 < words.left < F(1, 10**6)
    kinds = orbits(words)
    assert kinds.block == (0, 1, 2, 3, 4, 5) and [word.p for word in kinds.fixed] == [F(6, 7)]
    assert [word.p for word in kinds.single[:2]] == [F(6, 7) / 42, F(6, 7) / 42 / 7]
    assert sum((word.p for word in kinds.fixed), start=6 * sum((word.p for word in kinds.single), start=F(0))) == 1


def test_a_broken_symmetry_is_none() -> None:
    """Other matrices, or other probabilities, in one state of six."""
    words = return_words(star(F(1, 20)), F(1, 20))
    assert words is not None
    first = orbits(words).single[0]
    place = next(k for k, word in enumerate(words.words) if word.product == first.product)
    other = first.product + first.product.identity(7).scaled(F(1, 10**6))
    for changed in (ReturnWord(first.p, other), ReturnWord(first.p * F(1, 2), first.product)):
        several = [*words.words[:place], changed, *words.words[place + 1 :]]
        assert block_of(several, 7) == (1, 2, 3, 4, 5)
    # a word that singles out two of four coordinates leaves no block of which it treats one in its own way
    turns = [
        (0, 0, F(1, 12), [[F(int(i == j)) + 3 * (i == a) * (j == b) for j in range(4)] for i in range(4)])
        for a in range(4)
        for b in range(4)
        if a != b
    ]
    two = return_words(on_class(by_hand(*turns)), ONE)
    assert two is not None and block_of(two.words, 4) == (0, 1, 2, 3) and orbits(two).block == ()


def test_blocks_are_classes() -> None:
    """Words that are left as they are by a permutation of the block in any order of exchanges."""
    words = return_words(star(F(1, 50)), F(1, 50))
    assert words is not None
    block, law = block_of(words.words, 7), {word.product: word.p for word in words.words}
    order = [*random.Random(1).sample(block, 6), 6]
    assert all(law[product.take(order, order)] == p for product, p in law.items())
    assert all(a < b for a, b in pairwise(block))
