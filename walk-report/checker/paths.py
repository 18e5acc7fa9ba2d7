"""Kinds about almost every path: the difference of two runs at constant steps, y' = B y with B = I + K of the move.

On the one recurrent class of nodes, with the law pi, (1/n) log ||B_n ... B_1|| goes to one number lambda_1 on almost
every path (Furstenberg and Kesten). All kinds are about it, and say for which differences it is the rate.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import NamedTuple

from .budget import ONE, Rejected, bits_of, products_work, spend, spend_fractions, spend_products
from .matrices import Matrix, determinant, read_symmetric
from .model import Case, add, reached
from .nodes import Nodes
from .reading import brief, choice, index, items, read_number, read_vector, states
from .windows import require_positive

LOG_BITS = 128  # logarithms are enclosed in integers over 2^128
MOST_BITS = 2**16  # the sign of a sum of logarithms is asked with twice as many bits, up to these


class ClassMove(NamedTuple):
    """A move within the class: its nodes by their places in the class, pi_e = pi(node) p, p, and B."""

    source: int
    target: int
    flow: Fraction
    p: Fraction
    B: Matrix


class Class(NamedTuple):
    """The nodes that the law is positive on, and the moves out of them in the order of all moves."""

    nodes: Nodes
    members: list[int]
    moves: list[ClassMove]

    @property
    def flow(self) -> list[Fraction]:
        return [move.flow for move in self.moves]


def members_of(law: Sequence[Fraction], moves: Iterable[tuple[int, int, Fraction]], what: str) -> list[int]:
    """The places that the law is positive on, of moves (from, to, p) between places.

    pi P = pi, pi >= 0 and sum pi = 1 make the places with pi > 0 closed. If one of them reaches no other place than
    these, all of these, and is reached from all places, they are the only recurrent class, and pi is its law.
    """
    where, ahead = "witness.law", dict[int, Fraction]()
    follow, before = defaultdict[int, set[int]](set), defaultdict[int, set[int]](set)
    for h, g, p in moves:
        follow[h].add(g)
        before[g].add(h)
        spend(1_000, 4_000)
        if law[h]:
            add(ahead, g, law[h], p)
    if min(law) < 0 or any(ahead.get(h, 0) != x for h, x in enumerate(law)) or sum(law) != 1:
        raise Rejected(f"{where}: this is not a stationary law of the {what}s")
    members = [h for h, x in enumerate(law) if x]
    if reached(follow, members[:1]) != set(members) or len(reached(before, members[:1])) < len(law):
        raise Rejected(f"{where}: the {what}s have more than one recurrent class")
    return members


def open_class(case: Case, about: str, witness: str, witness_too: str = "") -> Class:
    """The certificate, with its nodes and the law in its witness."""
    case.open(f"class update steps {about}", f"law {witness}", "seen coordinates", f"coordinates {witness_too}")
    where, count = "witness.law", len(items(case.witness["law"], "witness.law"))
    nodes = Nodes(case, count)
    law = read_vector(case.witness["law"], where, nodes.count)
    members = members_of(law, [(h, g, p) for h, g, p, _ in nodes.moves], "node")
    place, one = {h: k for k, h in enumerate(members)}, Matrix.identity(nodes.size)
    moves = []
    for h, g, p, K in nodes.moves:
        if law[h]:
            spend_fractions(law[h], p)
            moves.append(ClassMove(place[h], place[g], law[h] * p, p, one + K))
    return Class(nodes, members, moves)


def artanh(x: int, over: int, bits: int) -> tuple[int, int]:
    """2^bits artanh(x / over) for 0 <= x / over <= 1/3, from below and from above, by its series.

    Every rounding is downwards. A power of the argument lacks less than 2 units: 1 at first, then at most
    a/9 + 5/9 + 1 if the one before lacked a. So a term of the sum lacks less than 3, and what follows a power that has
    become 0 is below 2 (1 + 1/9 + ...) < 3.
    """
    power = (x << bits) // over
    square, total, terms = power * power >> bits, 0, 0
    while power:
        total += power // (2 * terms + 1)
        power, terms = power * square >> bits, terms + 1
    return total, total + 3 * terms + 3


def log(x: Fraction, bits: int) -> tuple[int, int]:
    """2^bits log x, x > 0, from below and from above: x = 2^e m with 1 <= m < 2, log m = 2 artanh((m - 1)/(m + 1))."""
    top, bottom = x.numerator, x.denominator
    if top <= 0:
        raise Rejected("the logarithm of a number that is not positive is asked for")
    spend((bits + 10) * products_work(bits, bits) + 6 * products_work(bits + bits_of(x), bits_of(x)))
    e = top.bit_length() - bottom.bit_length()
    top, bottom = (top, bottom << e) if e >= 0 else (top << -e, bottom)
    if top < bottom:
        e, top = e - 1, 2 * top
    (low, high), two = artanh(top - bottom, top + bottom, bits), artanh(1, 3, bits)
    return 2 * (low + e * two[e < 0]), 2 * (high + e * two[e >= 0])


def log_sum(weights: Iterable[Fraction], numbers: Iterable[Fraction], bits: int) -> tuple[Fraction, Fraction]:
    """The sum of weight log x, from below and from above, weights > 0."""
    low = high = Fraction(0)
    for weight, x in zip(weights, numbers, strict=True):
        ends = log(x, bits)
        spend_fractions(weight, low)
        low, high = low + weight * ends[0], high + weight * ends[1]
    return low / 2**bits, high / 2**bits


def path_exponent_forms(case: Case) -> str:
    """With weights w > 0 of the moves and X > 0 in the nodes, X - mean of w B'X'B > 0 in each node: y'X y times the
    weights met so far is a supermartingale that is not negative, so it is almost surely bounded, whatever y begins as.
    Its logarithm divided by n, and the ergodic theorem: limsup (1/n) log |y_n| <= -1/2 sum pi_e log w_e.
    """
    found = open_class(case, "bound", "weights lyapunov")
    weights, X = weights_and_forms(case, len(found.moves), len(found.members), found.nodes.size)
    steps = [(move.source, X[move.target], move.p, move.B) for move in found.moves]
    require_weighted_decrease(X, steps, weights, [f"node {h}" for h in found.members])
    low, _ = log_sum(found.flow, weights, LOG_BITS)
    return at_most(case, -low / 2, found.nodes.words(case))


def weights_and_forms(case: Case, moves: int, nodes: int, size: int) -> tuple[list[Fraction], list[Matrix]]:
    """witness.weights, which are positive, and witness.lyapunov, one X for each node."""
    weights, where = read_vector(case.witness["weights"], "witness.weights", moves), "witness.lyapunov"
    if min(weights) <= 0:
        raise Rejected("witness.weights: the weights are to be positive")
    given = enumerate(items(case.witness["lyapunov"], where, nodes))
    return weights, [read_symmetric(x, f"{where}[{k}]", size) for k, x in given]


def require_weighted_decrease(
    X: Sequence[Matrix],
    steps: Iterable[tuple[int, Matrix, Fraction, Matrix]],
    weights: Iterable[Fraction],
    names: Iterable[str],
) -> None:
    """X > 0 and X - mean of w B'X'B > 0 in each node; `steps`: (node, X', p, B)."""
    where, rest = "witness.lyapunov", list(X)
    for (h, behind, p, B), w in zip(steps, weights, strict=True):
        spend_fractions(p, w)
        rest[h] = rest[h] - p * w * (B.T @ behind @ B)
    for k, name in enumerate(names):
        require_positive(X[k], f"{where}[{k}]")
        require_positive(rest[k], f"{where}: the weighted decrease in {name}")


def at_most(case: Case, shown: Fraction, words: str) -> str:
    """The statement that the rate of every difference is at most about.bound, where it is at most `shown`."""
    bound = read_number(case.about["bound"], "about.bound")
    if shown > bound:
        raise Rejected("about.bound: the weights show less")
    dying = ": it dies out" if bound < 0 else ""
    return (
        "on almost every path every difference of two runs has a growth rate, limsup of log |difference| / n, of at "
        f"most {brief(case.about['bound'])} a step{dying}, {words}"
    )


def block_of(case: Case, size: int, matrices: Iterable[Matrix]) -> list[int]:
    """witness.block, coordinates that influence nothing that influences them; all coordinates where it is not given."""
    if "block" not in case.witness:
        return list(range(size))
    block = states(case.witness["block"], "witness.block", size)
    follow = defaultdict[int, set[int]](set)
    for matrix in matrices:
        for i, (where, _) in enumerate(matrix.rows):
            for j in where:
                spend(500)
                follow[j].add(i)
    outside = reached(follow, block) - set(block)
    if not set(block).isdisjoint(reached(follow, outside)):
        raise Rejected("witness.block: what these coordinates influence influences them")
    return block


def path_exponent_determinant(case: Case) -> str:
    """|det of a product| <= ||product||^D, so lambda_1 >= 1/D sum pi_e log |det B_e| where no determinant is zero.

    With witness.block: of the block of these coordinates. What they influence, U, and U without them, U', span
    invariant subspaces; the block is the map on the quotient, and the growth of that is at most lambda_1. Outside a
    proper subspace, which depends on the path, the rate of a difference is lambda_1 (Oseledets; Raghunathan where
    matrices are singular): so it is for almost every difference, in the sense of Lebesgue.
    """
    found = open_class(case, "bound", "", "block")
    nodes = found.nodes
    block = block_of(case, nodes.size, (move.B for move in found.moves))
    sizes = [abs(determinant(move.B.part(block))) for move in found.moves]
    if not all(sizes):
        raise Rejected("about.bound: a determinant is zero, so there is no bound")
    low, _ = log_sum(found.flow, sizes, LOG_BITS)
    bound = read_number(case.about["bound"], "about.bound")
    if low < len(block) * bound:
        raise Rejected("about.bound: the determinants show less")
    regular = all(determinant(Matrix.identity(nodes.size) + K) for _, _, _, K in nodes.moves)
    start = "" if regular else " of a run under way"
    growing = ": it grows" if bound > 0 else ""
    return (
        f"on almost every path almost every difference{start} (in the sense of Lebesgue) has a growth rate, the limit "
        f"of log |difference| / n, of at least {brief(case.about['bound'])} a step{growing}, {nodes.words(case)}"
    )


def coprime_base(numbers: Iterable[int]) -> list[int]:
    """Coprime integers above one of which all these positive integers are products."""
    base: list[int] = []
    waiting = [n for n in numbers if n > 1]
    while waiting:
        n = waiting.pop()
        for k, b in enumerate(base):
            spend_products(30, n.bit_length(), b.bit_length())
            if (g := gcd(n, b)) > 1:
                del base[k]
                waiting += [g] if n == b else [x for x in (g, n // g, b // g) if x > 1]
                break
        else:
            base.append(n)
    return base


def exponent(n: int, b: int) -> int:
    k = 0
    while n % b == 0:
        spend_products(3, n.bit_length(), b.bit_length())
        n, k = n // b, k + 1
    return k


def is_product_one(weights: dict[Fraction, Fraction]) -> bool:
    """Whether the product of x^weight is 1: in a coprime base every exponent is zero."""
    common = 1
    for weight in weights.values():
        spend_products(6, common.bit_length(), weight.denominator.bit_length())
        common = lcm(common, weight.denominator)
    for b in coprime_base([n for x in weights for n in (x.numerator, x.denominator)]):
        times = ((exponent(x.numerator, b) - exponent(x.denominator, b), weight) for x, weight in weights.items())
        if sum(k * int(weight * common) for k, weight in times):
            return False
    return True


SIGNS = {"negative": "it dies out", "zero": "it neither dies out nor grows at a rate", "positive": "it grows"}


def path_exponent_scalar(case: Case) -> str:
    """In one dimension lambda_1 = sum pi_e log |b_e|, minus infinity where some b_e is zero: a path meets that move.

    The sum is zero if and only if the product of |b_e|^pi_e is one; if it is not, some precision shows its sign.
    """
    found = open_class(case, "sign", "")
    sign = choice(case.about["sign"], "about.sign", list(SIGNS))
    if found.nodes.size != 1:
        raise Rejected(f"about: differences have the dimension {found.nodes.size}, not 1")
    weights: dict[Fraction, Fraction] = {}
    for move in found.moves:
        (b,) = (abs(x) for x in move.B.dense()[0])
        x = Fraction(b, move.B.denominator)
        spend_fractions(weights.get(x, ONE), move.flow)
        weights[x] = weights.get(x, Fraction(0)) + move.flow
    if sign != scalar_sign(weights):
        raise Rejected("about.sign: this is not the sign of the exponent")
    rate = "; the rate is minus infinity" if 0 in weights else ""
    start = "from every start" if sign != "positive" or regular_before(found) else "of a run under way"
    return f"on almost every path the difference of two runs {start}: {SIGNS[sign]}{rate}, {found.nodes.words(case)}"


def regular_before(found: Class) -> bool:
    """No move at all, of those before the class is entered either, makes a difference zero."""
    return all(determinant(Matrix.identity(1) + K) for _, _, _, K in found.nodes.moves)


def scalar_sign(weights: dict[Fraction, Fraction]) -> str:
    if 0 in weights:
        return "negative"
    if is_product_one(weights):
        return "zero"
    bits = LOG_BITS
    while bits <= MOST_BITS:
        low, high = log_sum(weights.values(), weights, bits)
        if low > 0 or high < 0:
            return "positive" if low > 0 else "negative"
        bits *= 2
    raise Rejected("about.sign: the logarithms are too close to tell it")


def path_product_zero(case: Case) -> str:
    """Moves that follow each other from a node that all nodes lead to: almost every path makes them some day. Their
    product is zero, so from then on the difference is zero.
    """
    case.open("class update steps", "nodes moves", "seen", "coordinates")
    most = index(case.witness["nodes"], "witness.nodes", 1, 10**6)
    nodes = Nodes(case, most)
    given = items(case.witness["moves"], "witness.moves")
    word = [index(x, f"witness.moves[{i}]", 0, len(nodes.moves)) for i, x in enumerate(given)]
    if not word or len(word) > 10_000:
        raise Rejected("witness.moves: one to 10000 moves are needed")
    before = defaultdict[int, set[int]](set)
    for h, g, _, _ in nodes.moves:
        spend(500, 2_000)
        before[g].add(h)
    at = nodes.moves[word[0]][0]
    if len(reached(before, [at])) < nodes.count:
        raise Rejected("witness.moves: some node does not lead to the first of these moves")
    product = one = Matrix.identity(nodes.size)
    for k in word:
        h, g, _, K = nodes.moves[k]
        if h != at:
            raise Rejected("witness.moves: a move does not begin where the one before ends")
        product = (one + K) @ product
        at = g
    if not product.is_zero():
        raise Rejected("witness.moves: the product is not zero")
    return f"on almost every path every difference of two runs is exactly zero from some time on, {nodes.words(case)}"
