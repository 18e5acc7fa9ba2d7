r"""A memory of whole vectors that has an end: its mean, and weights in which its sizes contract, by matrices.

Where the vectors m_k of the memory move by m_k' = Σ_j c_kj m_j + s_k, with numbers c_kj of the transition, the map of
the memory is R = N ⊗ I, with N of as many rows as there are vectors; a trace along a schedule is a shift of vectors.
What is asked of (context, entry) in :mod:`tdcert.theory.engine.memory` is then asked of (context, vector), and

    U_k = Σ_j C_kjᵀ U_j + S_k,        U_k = E[m_k; context] (n×d),    C_kj(h, h') = Σ_{h → h'} p c_kj,

is solved by as many products as there are links. Where no vector depends on itself the memory has an end: its moments
of every order are finite.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache

from flint import fmpq

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.engine.memory import BITS
from tdcert.theory.engine.products import Products

FEW_BITS = 4
"""Binary digits of weights that are tried first: sizes are smaller than weights by one here, not by a fraction."""


class WholeMemory:
    """The memory of an update by its terms; ``products``: of them, whose memory keeps whole and ends."""

    def __init__(self, products: Products[RationalMatrix]) -> None:
        self.products, self.law = products, products.law
        self.widths = [place.width for place in products.terms.memory]

    @cached_property
    def mean(self) -> list[RationalMatrix]:
        """E[m; context] of each part of the memory (n×d of a vector, n×1 of a number)."""
        found = self.products.memory_means
        return [found[k] for k in range(len(self.widths))]

    @cached_property
    def weights(self) -> list[RationalMatrix] | None:
        """w > 0 (n×1 for each part of the memory) with B w < w, B the sizes of the recursion: then so it is entry by
        entry. None where rounded solutions do not show it.
        """
        n, sizes = self.products.n, self.products.memory_sizes
        into: dict[int, list[tuple[int, RationalMatrix]]] = {k: [] for k in range(len(self.widths))}
        for (k, j), B in sizes.items():
            into[k].append((j, B))
        solution = dict[int, list[float]]()
        while len(solution) < len(into):  # it ends: no part depends on itself
            for k, parts in into.items():
                if k not in solution and all(j in solution for j, _ in parts):
                    sums = [1.0] * n
                    for j, B in parts:
                        for g, row in enumerate(_floats(B)):
                            sums[g] += sum(x * y for x, y in zip(row, solution[j], strict=True))
                    solution[k] = sums
        for bits in (FEW_BITS, *BITS):
            unit = 2**bits
            w = [
                RationalMatrix.of_scalars([fmpq(max(1, round(x * unit)), unit) for x in solution[k]])
                for k in range(len(into))
            ]
            if all(_is_less(parts, w, w[k]) for k, parts in into.items()):
                return w
        return None

    def __eq__(self, other: object) -> bool:
        """Whether law, means and weights are the same."""
        if not isinstance(other, WholeMemory):
            return NotImplemented
        return (self.law, self.mean, self.weights) == (other.law, other.mean, other.weights)

    def __hash__(self) -> int:
        return hash((self.products.n, *self.widths))

    @property
    def witness(self) -> Mapping[str, object] | None:
        """``law``, ``mean`` and ``weights`` as certificates carry them; None where there are no weights."""
        return _witness(self)


@lru_cache(maxsize=1)
def _witness(memory: WholeMemory) -> Mapping[str, object] | None:
    """Kept of the last memory: algorithms of one analysis often keep one trace."""
    if memory.weights is None:
        return None
    weights = [[x for (x,) in w.to_strings()] for w in memory.weights]
    means = [u.to_strings() for u in memory.mean]
    contexts = range(memory.products.n)
    return {
        "law": [x for (x,) in memory.law.to_strings()],
        "mean": [[x for u in means for x in u[h]] for h in contexts],
        "weights": [
            [w[h] for w, width in zip(weights, memory.widths, strict=True) for _ in range(width)] for h in contexts
        ],
    }


def _floats(B: RationalMatrix) -> list[list[float]]:
    return [[float(int(x.p) / int(x.q)) for x in row] for row in B.scalars]


def _is_less(parts: list[tuple[int, RationalMatrix]], w: list[RationalMatrix], own: RationalMatrix) -> bool:
    made = RationalMatrix.zeros(*own.shape)
    for j, B in parts:
        made = made + B @ w[j]
    return all(x < y for (x,), (y,) in zip(made.scalars, own.scalars, strict=True))
