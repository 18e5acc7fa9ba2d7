"""What an analysis in enclosures hands back: midpoints with radii, decisions, verdicts. Data only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tdcert.theory.arithmetic.float_enclosures import Floats
from tdcert.theory.check.mean_matrix import Dynamics
from tdcert.theory.verdict import Verdict

if TYPE_CHECKING:
    from tdcert.theory.enclose.definite import Conclusion
    from tdcert.theory.enclose.sparse_law import Structure

FloatInterval = tuple[Floats, Floats]
"""Midpoints and radii."""


@dataclass(frozen=True)
class EnclosedClass:
    """One recurrent class: (midpoints, radii) of its matrices, decisions by name, and dynamics by the matrix of the
    mean (``MEANS`` of :mod:`tdcert.theory.check.mean_dynamics`).

    ``theta_star`` is None where A was not shown nonsingular; the squared errors are 1×1, in the norm of D, or None.
    """

    states: tuple[int, ...]
    stationary: FloatInterval
    A: FloatInterval
    b: FloatInterval
    C: FloatInterval
    theta_star: FloatInterval | None
    values_at_fixed_point: FloatInterval | None
    projection_error_squared: FloatInterval | None
    fixed_point_error_squared: FloatInterval | None
    error_bound_squared: FloatInterval | None
    decisions: dict[str, Conclusion]
    dynamics: dict[str, Dynamics[float]]


@dataclass(frozen=True)
class EnclosedResult:
    """An analysis in enclosures of ``bits`` bits. ``kappa``: (value, radius), None without a constant discount;
    ``value``: V^π (n×1), None where I − N was not shown nonsingular.
    """

    bits: int
    chain: Structure
    kappa: tuple[float, float] | None
    value: FloatInterval | None
    classes: tuple[EnclosedClass, ...]
    verdicts: Mapping[str, Verdict]
