"""What an analysis in enclosures hands back: midpoints with radii, decisions, verdicts. Data only."""

from __future__ import annotations

from dataclasses import dataclass

from theory.arithmetic.midrad import Floats
from theory.check.enclosed_definite import Decision
from theory.check.enclosed_model import Pattern
from theory.check.mean_dynamics import MeanDynamics
from theory.verdict import Status

Interval = tuple[Floats, Floats]
"""Midpoints and radii."""


@dataclass(frozen=True)
class EnclosedVerdict:
    """The answer about one claim: grade ``enclosed`` where it holds or is refuted."""

    status: Status
    why: str
    precision_needed: int | None = None
    violated: tuple[str, ...] = ()


@dataclass(frozen=True)
class EnclosedDynamics:
    """One algorithm's mean dynamics. ``rate``: encloses the spectral abscissa of ``matrix``, None where unknown."""

    mean_dynamics: MeanDynamics
    matrix: str
    rate: tuple[float, float] | None
    why: str
    precision_needed: int | None = None


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
    dynamics: dict[str, EnclosedDynamics | None]


@dataclass(frozen=True)
class EnclosedResult:
    """An analysis in enclosures of ``bits`` bits. ``kappa``: (value, radius), None without a constant discount;
    ``value``: V^π (n×1), None where I − N was not shown nonsingular.
    """

    bits: int
    pattern: Pattern
    kappa: tuple[float, float] | None
    value: Interval | None
    classes: tuple[EnclosedClass, ...]
    verdicts: dict[str, EnclosedVerdict]

    @property
    def single(self) -> EnclosedClass | None:
        """The one recurrent class, if there is one only."""
        return self.classes[0] if len(self.classes) == 1 else None

    @property
    def stationary(self) -> Interval | None:
        """d (n×1)."""
        return None if self.single is None else self.single.stationary

    @property
    def A(self) -> Interval | None:
        """A (d×d)."""
        return None if self.single is None else self.single.A

    @property
    def b(self) -> Interval | None:
        """b (d×1)."""
        return None if self.single is None else self.single.b

    @property
    def C(self) -> Interval | None:
        """C (d×d)."""
        return None if self.single is None else self.single.C

    @property
    def theta_star(self) -> Interval | None:
        """θ* (d×1)."""
        return None if self.single is None else self.single.theta_star
