r"""Where one parameter can get to along every path: the ends of its range, by nodes.

For one parameter y' = y + α_t(Ky + k) is affine in y on each move between nodes, so the convex hull of all values that
are reached in node h at time t is an interval whose ends are themselves reached, and its successors are the images of
both ends. A projection onto |y| ≤ R is inactive for T updates exactly if no interval up to time T leaves it. The ends
are balls: they enclose the true ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from flint import arb

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.ball import precision
from tdcert.theory.arithmetic.rational import to_fmpq
from tdcert.theory.errors import InputError

Move = tuple[int, int, Fraction, RationalMatrix]
"""Source, target, probability, [K k] (D×(D + 1)), as ``NodeChain.moves`` gives them."""
BITS = 128
"""Binary digits of the ends."""


def largest_value(moves: Iterable[Move], starts: Sequence[int], first: Fraction, steps: Sequence[Fraction]) -> arb:
    """max |y_t| over t = 0 … len(steps), over every path from the nodes ``starts`` and y_0 = ``first``.

    Raises InputError for more than one parameter.
    """
    kept = list(moves)
    if any(K.shape != (1, 2) for *_, K in kept):
        raise InputError("the range of values is followed for one parameter alone; give a model with one feature")
    with precision(BITS):
        maps = [
            (h, g, arb(to_fmpq(K[0, 0])), arb(to_fmpq(K[0, 1]))) for h, g, _, K in kept
        ]  # y once: radii shrink with it
        start = arb(to_fmpq(first))
        held, largest = dict.fromkeys(starts, (start, start)), abs(start)
        for step in steps:
            alpha, reached = arb(to_fmpq(step)), dict[int, tuple[arb, arb]]()
            for h, g, K, k in maps:
                if h not in held:
                    continue
                ends = [y * (1 + alpha * K) + alpha * k for y in held[h]] + list(reached.get(g, ()))
                low, high = ends[0], ends[0]
                for end in ends[1:]:
                    low, high = low.min(end), high.max(end)
                reached[g] = low, high
            held = reached
            for low, high in held.values():
                largest = largest.max(abs(low)).max(abs(high))
        return largest
