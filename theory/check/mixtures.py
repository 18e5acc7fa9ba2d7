r"""The return of §2 as a mixture over episode lengths, in the relation language, along one path.

Given the discounts of a path, an episode is longer than i steps with probability Γ_0…Γ_{i−1}. Row i of Λ weighs the
returns of an episode of i steps. The rows of a schedule of length L agree from row L + 1 on, but for the step from a
flat to a bootstrapped return; so L + 2 rows are enough, and the last one carries the mass of all longer episodes.
"""

from __future__ import annotations

from collections.abc import Sequence

from theory.check.relations import Expression, Relation
from theory.model.mdp import Model

ROWS = 8
"""Rows of Λ that are used of a longer schedule; its further rows begin with the same entries."""


def rows_used(model: Model) -> int:
    """L + 2, and at most ROWS."""
    length = model.schedule.length
    return ROWS if length is None else min(ROWS, length + 2)


def episodes_end(model: Model) -> list[Relation]:
    """The lengths have total mass one: γ < 1, or a discount below one within n steps of every state."""
    if model.gamma is not None:
        return [("gamma", "<", "1")]
    return [(("@", *["N"] * model.n, "ones"), "<", "ones")]


def over_lengths(amounts: Sequence[Expression], first: int = 1) -> Expression:
    """Σ_i (mass of length i) x_i, i = first, first + 1, …, without the factor Γ_0…Γ_{first−2}; the last x goes on."""
    value = amounts[-1]
    for i in reversed(range(first, first + len(amounts) - 1)):
        discount = f"gamma:{i - 1}"
        value = ("+", ("*", ("-", "1", discount), amounts[i - first]), ("*", discount, value))
    return value


def entry(size: int, i: int, j: int) -> Expression:
    """Λ_ij, counted from 1, of the model's schedule."""
    return ("entry", f"Lambda:{size}", i - 1, j - 1)


def share(size: int, i: int, k: int) -> Expression:
    """Σ_{j≥k} Λ_ij: the sum of row i less its first k − 1 entries."""
    row: Expression = ("entry", ("@", f"Lambda:{size}", f"ones:{size}"), i - 1, 0)
    for j in range(1, k):
        row = ("-", row, entry(size, i, j))
    return row
