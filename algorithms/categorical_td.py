"""Categorical TD with linear features."""

from __future__ import annotations

from typing import Any

from tdcert.theory.engine.declare import algorithm


@algorithm(parameters={"theta": ("atoms", "d")}, steps=("alpha",))
def categorical_td(t: Any, theta: Any, alpha: Any, *, atoms: Any = (-1, 0, 1)) -> Any:
    """Categorical TD, linear, Cramér projection: Rowland et al., AISTATS 2018; Bellemare et al., AISTATS 2019.

    ``atoms`` are evenly spaced; row k of θ gives the mass of atom k, and nothing keeps the masses positive.
    """
    gap = atoms[1] - atoms[0]
    aims = [min(max(t.reward + t.discount * y, atoms[0]), atoms[-1]) for y in atoms]
    share = [[max(0, 1 - abs(aim - x) / gap) for aim in aims] for x in atoms]
    ahead = [t.phi_next @ theta[k] for k in range(len(atoms))]
    masses = [sum(p * y for p, y in zip(row, ahead, strict=True)) for row in share]
    return [theta[k] + alpha * t.rho * (mass - t.phi @ theta[k]) * t.phi for k, mass in enumerate(masses)]
