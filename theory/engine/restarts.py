r"""Updates whose memory has no end but is cut: contexts, what each move makes of the memory, and of differences.

What is decided of them: :mod:`tdcert.theory.laws.restart_exponents`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.protocol import Dense
from tdcert.theory.arithmetic.rational import to_fraction
from tdcert.theory.engine.means import Stationary
from tdcert.theory.engine.memory import reached_in
from tdcert.theory.engine.spans import needs_spans, seen_rows, spanned
from tdcert.theory.engine.tables import Edge, Tables
from tdcert.theory.laws.restart_exponents import ContextMove, Restarts


def seen_by_entry(found: Stationary[Dense], own: Tables) -> tuple[Sequence[int], RationalMatrix]:
    """(columns, T): every row x of every G_k, an entry of the memory at a time, is x[columns] T."""
    columns, T = found.visible
    if columns and not needs_spans(own, columns, T):
        return columns, T
    T = spanned(seen_rows(own, None), own.D)
    return T.column_basis if T.shape[0] else ((), T)


def restarts(own: Tables, columns: Sequence[int], T: RationalMatrix) -> Restarts:
    """The system of differences on the quotient T, for an update whose step sizes are numbers."""
    alive = reached_in(own)
    moves = []
    for edge in sorted(own.edges, key=lambda edge: edge.source):  # as the checker meets them
        R, s = edge.recursion
        cuts = not any((edge.source, j) in alive for _, j in R)
        moves.append(
            ContextMove(
                edge.source,
                edge.target,
                edge.outcome.probability,
                {place: to_fraction(x) for place, x in R.items()},
                {i: to_fraction(x) for i, x in s.items()},
                _parts(own, edge, columns, T, {j for h, j in alive if h == edge.source}),
                cuts,
            )
        )
    return Restarts(tuple(moves), len(own.contexts), own.starts, own.M, len(columns))


def _parts(
    own: Tables, edge: Edge, columns: Sequence[int], T: RationalMatrix, alive: set[int]
) -> dict[int, RationalMatrix]:
    rows: dict[int, list[list[Fraction]]] = {}
    for part in edge.increments.values():  # the step sizes are in the numbers
        for (entry, row, column), x in part.items():
            j = own.M if entry is None else entry
            if column < own.D and (entry is None or entry in alive):
                made = rows.setdefault(j, [[Fraction(0)] * own.D for _ in range(own.D)])
                made[row][column] += to_fraction(x)
    kept = {j: T @ RationalMatrix(G).take(columns=columns) for j, G in rows.items()}
    return {j: K for j, K in kept.items() if not K.is_zero()}
