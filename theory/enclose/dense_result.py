"""What an analysis in enclosures hands back: midpoints with radii, decisions, verdicts. Data only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tdcert.theory.arithmetic.float_enclosures import Floats
from tdcert.theory.check.mean_dynamics import Dynamics
from tdcert.theory.enclose.definite import Decision
from tdcert.theory.enclose.sparse_law import Structure
from tdcert.theory.verdict import Verdict

Interval = tuple[Floats, Floats]
"""Midpoints and radii."""


@dataclass(frozen=True)
class EnclosedClass:
    """One recurrent class: (midpoints, radii) of its matrices, decisions by name, and dynamics for ``td`` (None
    off-policy), ``off_policy_td``, ``gtd``, ``tdc``.

    ``theta_star`` is None where A was not shown nonsingular; the squared errors are 1×1, in the norm of D, or None.
    """

    states: tuple[int, ...]
    stationary: Interval
    A: Interval
    b: Interval
    C: Interval
    theta_star: Interval | None
    values_at_fixed_point: Interval | None
    projection_error_squared: Interval | None
    fixed_point_error_squared: Interval | None
    error_bound_squared: Interval | None
    decisions: dict[str, Decision]
    dynamics: dict[str, Dynamics[float] | None]


@dataclass(frozen=True)
class EnclosedResult:
    """An analysis in enclosures of ``bits`` bits. ``kappa``: (value, radius), None without a constant discount;
    ``value``: V^π (n×1), None where I − N was not shown nonsingular.
    """

    bits: int
    chain: Structure
    kappa: tuple[float, float] | None
    value: Interval | None
    classes: tuple[EnclosedClass, ...]
    verdicts: Mapping[str, Verdict]
