r"""The random matrix products between two visits to one node, exactly, and coordinates that they do not tell apart.

A jump system along one recurrent class is, as far as products of its matrices B are asked, a chain of *laws of nodes*:
what follows a move depends on the past through the law of the node that it leads to, given its matrix. Baird's star has
two such laws under TD(0), "evenly one of the outer states" and "state 7", where its chain has seven nodes.

From one of them, the one met most often, the products Π until the next visit are independent (:class:`ReturnWords`).
Words longer than a depth are cut: each is listed as far as it was followed, with the mean time that it still takes.

A permutation of coordinates, y ↦ Ty, that leaves the law of Π as it is, P(TΠTᵀ) = P(Π), is a symmetry. Where all
permutations of some three or more coordinates are, :func:`block_of` names these; for each product the one of them that
it treats in its own way, if there is one, is in :attr:`Orbits.single`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.laws.path_exponents import RecurrentNodes, log_sum, rounded
from tdcert.theory.limits import RETURN_WORDS, raised
from tdcert.theory.model.chain import Chain

SETTLED = Fraction(1, 10**7)
"""Mean time left, per visit, with which words are long enough."""

Law = tuple[tuple[int, Fraction], ...]
"""Nodes with their probabilities, increasing by node."""


@dataclass(frozen=True)
class ReturnWord:
    """A product of matrices B between two visits, of probability ``p`` (words of one product are one)."""

    p: Fraction
    product: RationalMatrix


@dataclass(frozen=True)
class ReturnWords:
    """What happens from a visit to the next: the ``words``, of which those that are cut still take ``left`` moves in
    the mean (times their probability, all together); ``time``: the mean number of moves from visit to visit.
    ``steps``: all matrices B of the class. Probabilities sum to one.
    """

    words: tuple[ReturnWord, ...]
    left: Fraction
    time: Fraction
    steps: tuple[RationalMatrix, ...]

    @property
    def size(self) -> int:
        """D."""
        return self.steps[0].shape[0]

    def change(self, V: RationalMatrix) -> Fraction:
        """By how much ½ log yᵀVy moves in the mean, per visit, on what is cut, for every y: at most so much (V ≻ 0).

        With B a move, |½ log yᵀBᵀVBy/yᵀVy| ≤ ½ log max(tr V⁻¹BᵀVB, tr (BᵀVB)⁻¹V). Raises where a move is singular.
        """
        if not self.left:
            return Fraction(0)
        moved = ((V, B.T @ V @ B) for B in self.steps)
        most = max(max(X.solve(S).trace(), S.solve(X).trace()) for X, S in moved)
        return rounded(log_sum([(self.left / 2, most)]), up=True)


@dataclass(frozen=True)
class Orbits:
    """Words under the permutations of the coordinates ``block`` (three or more, else none): those that are left as they
    are (``fixed``), and those that treat one coordinate of the block in their own way, for its first one alone
    (``single``): the others are images of these, of equal probability.
    """

    block: tuple[int, ...]
    fixed: tuple[ReturnWord, ...]
    single: tuple[ReturnWord, ...]


Moves = Mapping[Law, Sequence[tuple[Law, Fraction, RationalMatrix]]]
"""From each law: (next law, probability, matrix)."""


def moves_of_laws(found: RecurrentNodes, alpha: Fraction) -> Moves:
    """The chain of laws of nodes of the class (module docstring), from the law that a move leads to."""
    out: list[dict[RationalMatrix, dict[int, Fraction]]] = [{} for _ in found.law]
    one = found.system.J.identity(found.system.size)
    for move in found.system.moves:
        ends = out[move.source].setdefault(one + move.K.scaled(alpha), {})
        ends[move.target] = ends.get(move.target, Fraction(0)) + move.p
    after = [{B: (sum(ends.values()), _law(ends)) for B, ends in one.items()} for one in out]
    moves: dict[Law, list[tuple[Law, Fraction, RationalMatrix]]] = {}
    waiting = [next(iter(after[0].values()))[1]]
    for law in waiting:  # grows while it is read
        if law in moves:
            continue
        total = defaultdict[tuple[Law, RationalMatrix], Fraction](Fraction)
        for node, p in law:
            for B, (q, target) in after[node].items():
                total[target, B] += p * q
        moves[law] = [(target, p, B) for (target, B), p in total.items()]
        waiting += [target for target, _, _ in moves[law]]
    return moves


def _law(ends: Mapping[int, Fraction]) -> Law:
    total = sum(ends.values(), start=Fraction(0))
    return tuple((node, p / total) for node, p in sorted(ends.items()))


def return_words(found: RecurrentNodes, alpha: Fraction, most: int = RETURN_WORDS) -> ReturnWords | None:
    """The words of the law of nodes that is met most often, cut where they are many more than ``most``; None where
    already single moves are more.
    """
    moves = moves_of_laws(found, alpha)
    laws = list(moves)
    place = {law: k for k, law in enumerate(laws)}
    P = [[Fraction(0)] * len(laws) for _ in laws]
    for law, leaving in moves.items():
        for target, p, _ in leaving:
            P[place[law]][place[target]] += p
    classes = Chain(RationalMatrix(P)).recurrent_classes
    chain = Chain(RationalMatrix(P)).stationary_law(classes[0]).column_entries()
    home = max(range(len(laws)), key=chain.__getitem__)
    left = _times(P, home)
    limit = raised(most)
    words = defaultdict[RationalMatrix, Fraction](Fraction)
    layer: dict[tuple[int, RationalMatrix], Fraction] = {
        (home, found.system.J.identity(found.system.size)): Fraction(1)
    }
    while True:
        later = defaultdict[tuple[int, RationalMatrix], Fraction](Fraction)
        done = defaultdict[RationalMatrix, Fraction](Fraction)
        for (k, product), p in layer.items():
            for target, q, B in moves[laws[k]]:
                if place[target] == home:
                    done[B @ product] += p * q
                else:
                    later[place[target], B @ product] += p * q
        if len(words.keys() | done.keys() | {product for _, product in later}) > limit:
            break
        for product, p in done.items():
            words[product] += p
        layer = dict(later)
        if sum(p * left[k] for (k, _), p in layer.items()) <= SETTLED:
            break
    if not words:
        return None
    for (_, product), p in layer.items():
        words[product] += p
    missing = sum((p * left[k] for (k, _), p in layer.items()), start=Fraction(0))
    steps = tuple(dict.fromkeys(B for leaving in moves.values() for _, _, B in leaving))
    return ReturnWords(tuple(ReturnWord(p, x) for x, p in words.items()), missing, 1 / chain[home], steps)


def _times(P: Sequence[Sequence[Fraction]], home: int) -> list[Fraction]:
    """Mean times until ``home``, from each law; zero there."""
    others = [k for k in range(len(P)) if k != home]
    times = [Fraction(0)] * len(P)
    if others:
        left = RationalMatrix([[Fraction(int(i == j)) - P[i][j] for j in others] for i in others])
        for k, x in zip(others, left.solve(RationalMatrix.column([1] * len(others))).column_entries(), strict=True):
            times[k] = x
    return times


# ---- symmetry -------------------------------------------------------------------------------------------------------


def _exchanged(matrix: RationalMatrix, i: int, j: int) -> RationalMatrix:
    order = list(range(matrix.shape[0]))
    order[i], order[j] = j, i
    return matrix.take(order, order)


def block_of(words: Sequence[ReturnWord], size: int) -> tuple[int, ...]:
    """The most coordinates, three at least, all of whose permutations leave the law of the words as it is; else none.

    Exchanges that do are closed under products, so they part the coordinates into classes.
    """
    law = {word.product: word.p for word in words}

    def same(i: int, j: int) -> bool:
        return all(law.get(_exchanged(x, i, j)) == p for x, p in law.items())

    classes: list[list[int]] = []
    for i in range(size):
        mine = next((one for one in classes if same(one[0], i)), None)
        if mine is None:
            classes.append([i])
        else:
            mine.append(i)
    best = max(classes, key=len)
    return tuple(best) if len(best) >= 3 else ()


def orbits(of: ReturnWords) -> Orbits:
    """The words by the coordinate that they single out; without a block where some word singles out several."""
    block = block_of(of.words, of.size)
    fixed, single = list[ReturnWord](), list[ReturnWord]()
    for word in of.words if block else ():
        alone = [s for s in block if _keeps(word.product, [i for i in block if i != s])]
        if len(alone) == len(block):
            fixed.append(word)
        elif len(alone) == 1:
            if alone[0] == block[0]:
                single.append(word)
        else:
            return Orbits((), of.words, ())
    return Orbits(block, tuple(fixed), tuple(single)) if block else Orbits((), of.words, ())


def _keeps(matrix: RationalMatrix, among: Sequence[int]) -> bool:
    """Whether the matrix commutes with every permutation of these coordinates."""
    return all(_exchanged(matrix, i, j) == matrix for i, j in pairwise(among))
