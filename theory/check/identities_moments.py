r"""Symbolic identities behind the law of the iterates.

Each returns True exactly if the identity holds, by normal form.
"""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

from theory.arithmetic import SymbolicRing

Square = list[list[Any]]


def jump_moments_identity(steps: int) -> bool:
    """The propagated second moments of a jump linear system are the sums over all its paths.

    Two windows, free weights p_gh, free affine maps y → a_gh y + c_gh of a scalar (so y = (θ, 1) and B = [[a, c], [0,
    1]]), a free start:
    Y_{t+1}(h) = Σ_g p_gh B_gh Y_t(g) B_ghᵀ, ``steps`` times, against Σ over paths of their weight times y yᵀ.
    """
    pairs = list(product(range(2), repeat=2))
    ring = SymbolicRing(*(f"{letter}{g}{h}" for letter in "pac" for g, h in pairs), "m0", "m1", "y")
    free = list(ring.symbols)
    p, a, c = (dict(zip(pairs, free[4 * k : 4 * k + 4], strict=True)) for k in range(3))
    start, y = free[12:14], free[14]
    one, zero = ring.element(1), ring.element(0)
    Y: list[Square] = [[[start[g] * y * y, start[g] * y], [start[g] * y, start[g]]] for g in range(2)]
    for _ in range(steps):
        moved: list[Square] = [[[zero, zero], [zero, zero]] for _ in range(2)]
        for g, h in pairs:
            B = [[a[g, h], c[g, h]], [zero, one]]
            for i, j, k, m in product(range(2), repeat=4):
                moved[h][i][j] += p[g, h] * B[i][k] * Y[g][k][m] * B[j][m]
        Y = moved
    walked: list[Square] = [[[zero, zero], [zero, zero]] for _ in range(2)]
    for path in product(range(2), repeat=steps + 1):
        weight, value = start[path[0]], y
        for g, h in pairwise(path):
            weight, value = weight * p[g, h], a[g, h] * value + c[g, h]
        vector = [value, one]
        for i, j in pairs:
            walked[path[-1]][i][j] += weight * vector[i] * vector[j]
    return walked == Y
