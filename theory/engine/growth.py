r"""Memory that grows along a cycle, and what that does to constant steps: no mean square survives it.

Let a cycle of edges that is taken with probability p > 0 multiply (m, 1) by the matrix N, all other eigenvalues of
which are smaller in modulus than the eigenvalue r, |r| > 1, and let a be the part of some memory that is met which
belongs to r, with N a = r a. Then k rounds make the memory r^k a up to what is small beside it. Along round k
differences of two runs are multiplied by a product of I + G(m) over the edges, which is r^{kL} Γ up to what is small
beside it, L the number of edges and Γ the product of the G_1(a_l), the linear parts of G at the images of a along the
cycle. What is small falls geometrically from round to round, so if Γ is not nilpotent, then from some round on the
directions of its largest eigenvalues stay in a cone in which no product vanishes (dominated splittings persist). A
difference that lies there when that round begins grows by r^{Lk²/2} times an exponential, while k rounds have the
probability p^k: all its moments, of every order above zero, grow without bound, at every constant step. The start that
is spoken of is that round: any parameters, and a memory that is met with probability above zero. (Of a difference at
time zero nothing is said: at single step sizes an update may be singular and take it to zero before.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log

from flint import fmpq

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.rational import to_fraction
from tdcert.theory.engine.tables import Edge, Tables
from tdcert.theory.limits import GROWTH_ENTRIES, raised


@dataclass(frozen=True)
class Growth:
    """A cycle of edges, what it multiplies the memory by (``factor``), and Γ (D×D), not nilpotent. ``walk``: from the
    start of the ``tables`` to the cycle; ``others``: all other eigenvalues of the cycle's matrix.
    """

    tables: Tables
    walk: tuple[Edge, ...]
    cycle: tuple[Edge, ...]
    factor: Fraction
    others: tuple[Fraction, ...]
    gamma: RationalMatrix

    @property
    def reason(self) -> str:
        """What makes the memory grow."""
        states = " → ".join(str(edge.outcome.state) for edge in (*self.cycle, self.cycle[0]))
        return f"the transitions {states} multiply the memory by {self.factor} each time around"

    @property
    def sentence(self) -> str:
        """Why no constant step has a bounded mean square."""
        return (
            f"{self.reason}, so at every constant step the mean square of runs under way grows faster than any "
            "exponential"
        )


def growth_of(found: Tables, ratios: Sequence[Fraction]) -> Growth | None:
    """What the module docstring speaks of, in tables that know their start; None where it is not found.

    ``ratios``: of each step size to the first; not read where the tables have them as numbers. Updates that are not
    linear in their steps need such tables.
    """
    M = found.M
    if not M or len(found.contexts) * len(found.edges) > raised(GROWTH_ENTRIES):
        return None
    walks: dict[int, tuple[Edge, ...]] = dict.fromkeys(range(found.starts), ())
    waiting = list(walks)
    for h in waiting:  # grows while it is read
        for edge in found.leaving[h]:
            if edge.target not in walks:
                walks[edge.target] = (*walks[h], edge)
                waiting.append(edge.target)
    sizes: dict[int, list[tuple[Edge, fmpq]]] = {}
    for edge, (R, _) in found.recursions.items():
        for (i, j), x in R.items():
            if i == j:
                sizes.setdefault(i, []).append((edge, abs(x)))
    for entry in sorted(sizes):
        cycle = _growing_cycle(found, sizes[entry])
        # the cycle from each of its contexts, for the memory that was met there may be the one that does not grow
        for turn in range(len(cycle)):
            grown = _along(found, ratios, cycle[turn:] + cycle[:turn], walks)
            if grown is not None:
                return grown
    return None


def _along(
    found: Tables, ratios: Sequence[Fraction], cycle: tuple[Edge, ...], walks: Mapping[int, tuple[Edge, ...]]
) -> Growth | None:
    N = RationalMatrix.zeros(1, 1).identity(found.M + 1)
    for edge in cycle:
        N = found.affine(edge) @ N
    dominant, walk, a = _dominant(N), walks[cycle[0].source], RationalMatrix.column([0] * found.M + [1])
    if dominant is None:
        return None
    for edge in walk:
        a = found.affine(edge) @ a
    factor, others = dominant
    for other in others:  # what is left of the memory belongs to the eigenvalue ``factor``
        a = N @ a - a.scaled(other)
    if a.is_zero() or N @ a != a.scaled(factor):
        return None
    gamma, here = N.identity(found.D), a
    for edge in cycle:
        gamma = _linear_part(found, ratios, edge, here) @ gamma
        here = found.affine(edge) @ here
    power = gamma
    for _ in range(found.D.bit_length()):
        power = power @ power
    return None if power.is_zero() else Growth(found, walk, cycle, factor, tuple(others), gamma)


def _linear_part(found: Tables, ratios: Sequence[Fraction], edge: Edge, memory: RationalMatrix) -> RationalMatrix:
    """G_1(m) (D×D), in units of the first step size: what of the matrix of parameters is linear in the memory."""
    D = found.D
    rows = [[Fraction(0)] * D for _ in range(D)]
    for exponents, part in edge.increments.items():
        ratio = Fraction(1) if found.steps else ratios[exponents.index(1)]
        for (entry, row, column), x in part.items():
            if entry is not None and column < D:
                rows[row][column] += ratio * to_fraction(x) * memory[entry, 0]
    return RationalMatrix(rows)


def _growing_cycle(found: Tables, sizes: Sequence[tuple[Edge, fmpq]]) -> tuple[Edge, ...]:
    """A cycle that multiplies an entry by more than one, in modulus, empty where there is none: a negative one for
    −log (Bellman and Ford). ``sizes``: the modulus of what edges multiply it by, those of 0 left out.
    """
    costs = [(edge, -log(x)) for edge, x in sizes]
    far, through = [0.0] * len(found.contexts), dict[int, Edge]()
    changed = None
    for _ in found.contexts:
        changed = None
        for edge, cost in costs:
            if far[edge.source] + cost < far[edge.target] - 1e-12:
                far[edge.target] = far[edge.source] + cost
                through[edge.target] = edge
                changed = edge.target
    if changed is None:
        return ()
    for _ in found.contexts:  # back onto the cycle
        changed = through[changed].source
    cycle, at = list[Edge](), changed
    while not cycle or at != changed:
        cycle.append(through[at])
        at = through[at].source
    return tuple(reversed(cycle))


def _dominant(N: RationalMatrix) -> tuple[Fraction, list[Fraction]] | None:
    """The eigenvalue of largest modulus and all others, where all are rational and it is above one; else None."""
    roots = list[Fraction]()
    for part, times in N.numerator.charpoly().factor()[1]:
        if part.degree() > 1:
            return None
        roots += [Fraction(-int(part[0]), int(part[1] * N.denominator))] * times
    factor = max(roots, key=abs)
    others = [x for x in roots if x != factor]
    return (factor, others) if abs(factor) > 1 and all(abs(x) < abs(factor) for x in others) else None
