"""Categorical TD with linear features.

It is off-policy TD(0) for the mass of each atom, with a target that is projected onto the atoms.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from tdcert.theory.engine.declare import algorithm


@algorithm(parameters={"theta": ("atoms", "d")}, steps=("alpha",), estimates="value distribution")
def categorical_td(t: Any, theta: Any, alpha: Any, *, atoms: Any = (-1, 0, 1)) -> Any:
    """Categorical TD, linear, Cramér projection: Rowland et al., AISTATS 2018; Bellemare et al., AISTATS 2019.

    ``atoms`` increase; row k of θ gives the mass of atom k, and nothing keeps the masses positive. Where γ or φ' is
    zero (a terminal state) nothing follows, and the target is the point mass at the reward.
    """
    gaps = [y - x for x, y in pairwise(atoms)]
    if not gaps or min(gaps) <= 0:
        raise ValueError("give two atoms or more, in increasing order")

    def projected(aim: Any) -> list[Any]:
        aim = min(max(aim, atoms[0]), atoms[-1])
        rising = [1, *((aim - x) / gap for x, gap in zip(atoms, gaps, strict=False))]
        falling = [*((y - aim) / gap for y, gap in zip(atoms[1:], gaps, strict=True)), 1]
        return [max(0, min(pair)) for pair in zip(rising, falling, strict=True)]

    if t.discount == 0 or t.phi_next @ t.phi_next == 0:
        masses = projected(t.reward)
    else:
        rows = [projected(t.reward + t.discount * y) for y in atoms]
        ahead = [t.phi_next @ theta[k] for k in range(len(atoms))]
        masses = [sum(p * row[k] for p, row in zip(ahead, rows, strict=True)) for k in range(len(atoms))]
    return [theta[k] + alpha * t.rho * (mass - t.phi @ theta[k]) * t.phi for k, mass in enumerate(masses)]
