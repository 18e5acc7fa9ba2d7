"""Free symbols in the shapes that identities need, and what several identities make of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

from tdcert.theory.arithmetic import SymbolicMatrix, SymbolicRing
from tdcert.theory.model.schedule import return_weights


def free(**shapes: Any) -> list[Any]:
    """A ring and, for each keyword, fresh symbols of that shape: ``ring, P, x = free(P=(2, 2), x=3)``.

    ``()``: one symbol; k: a list of k; ``(rows, columns)``: a matrix; ``("symmetric", d)``; ``("stochastic", n)``: a
    matrix whose last column is one minus the others.
    """
    places = {name: _places(shape) for name, shape in shapes.items()}
    ring = SymbolicRing(*(name + "_".join(map(str, place)) for name, found in places.items() for place in found))
    symbols = iter(ring.symbols)
    made = [_made(ring, shape, {place: next(symbols) for place in places[name]}) for name, shape in shapes.items()]
    return [ring, *made]


def _places(shape: Any) -> list[tuple[int, ...]]:
    match shape:
        case int():
            return [(i,) for i in range(shape)]
        case "symmetric", d:
            return [(i, j) for i in range(d) for j in range(i + 1)]
        case "stochastic", n:
            return list(product(range(n), range(n - 1)))
    return list(product(*map(range, shape)))


def _made(ring: SymbolicRing, shape: Any, symbols: dict[tuple[int, ...], Any]) -> Any:
    match shape:
        case ():
            return symbols[()]
        case int():
            return list(symbols.values())
        case "symmetric", d:
            return ring.matrix([[symbols[max(i, j), min(i, j)] for j in range(d)] for i in range(d)])
        case "stochastic", n:
            rows = [[symbols[i, j] for j in range(n - 1)] for i in range(n)]
            return ring.matrix([[*row, 1 - sum(row)] for row in rows])
        case rows, columns:
            return ring.matrix([[symbols[i, j] for j in range(columns)] for i in range(rows)])
    raise ValueError(f"{shape!r} is not a shape of symbols")


def stationary_law(P: SymbolicMatrix) -> SymbolicMatrix:
    """The stationary law of a symbolic chain (n×1), from its linear system: rational functions of the entries."""
    n = P.shape[0]
    balance = (P.identity(n) - P).T.rows
    rows = [*balance[: n - 1], [1] * n]
    return P.ring.matrix(rows).solve(P.ring.matrix([[0]] * (n - 1) + [[1]]))


def kappa_of(gamma: Any, lambdas: Sequence[Any]) -> Any:
    """κ = Σ w_n γⁿ."""
    return sum(w * gamma**n for n, w in enumerate(return_weights(lambdas), start=1))


def spread(W: SymbolicMatrix, x: SymbolicMatrix) -> Any:
    """Σ_ij W_ij (x_i − x_j)² for W (n×n) and x (n×1)."""
    entries = [row[0] for row in x.rows]
    return sum(
        w * (a - b) ** 2 for a, row in zip(entries, W.rows, strict=True) for b, w in zip(entries, row, strict=True)
    )


def inner(x: SymbolicMatrix, y: SymbolicMatrix, weights: SymbolicMatrix | None = None) -> Any:
    """xᵀy, or Σ_i d_i x_i y_i with the ``weights`` d (all n×1)."""
    return (x.T @ (y if weights is None else y.scale_rows(weights)))[0, 0]
