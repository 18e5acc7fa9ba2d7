"""What an analysis finds out about a model before it advises anything: values, in whichever arithmetic they were found.

A number or a matrix is exact (fractions), or known as midpoints and radii. None stands for what does not exist or was
not found.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import inf, isfinite
from sys import float_info

import numpy as np

from tdcert.algorithms.schedules import PAPER, scheduled
from tdcert.analysis.budget import LeftOut
from tdcert.analysis.request import Arithmetic
from tdcert.theory.arithmetic import BallMatrix, RationalMatrix
from tdcert.theory.arithmetic.float_enclosures import MidRadMatrix
from tdcert.theory.check.mean_dynamics import MEAN_A, MEAN_G, MEAN_SLOW
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.enclose.dense_result import FloatInterval
from tdcert.theory.model.chain import Chain
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.sparse_model import SparseModel
from tdcert.theory.verdict import Status, Verdict

Values = RationalMatrix | FloatInterval
"""A matrix or a column: exact, or (midpoints, radii)."""

Rate = tuple[Fraction, Fraction] | tuple[float, float]
"""Two ends of a spectral abscissa, both fractions or both floats."""

LARGEST_RADIUS = float_info.max / 1.02
"""Beyond it a radius, printed with its own rounding, is infinite."""


@dataclass(frozen=True)
class Quantity:
    """A number between ``lower`` and ``upper``; ``enclosure``: its midpoint and radius, None where it is exact."""

    lower: Fraction
    upper: Fraction
    enclosure: tuple[float, float] | None = None

    @staticmethod
    def exact(value: Fraction) -> Quantity:
        """The quantity of a rational number."""
        return Quantity(value, value)

    @staticmethod
    def of(entry: Fraction | MidRadMatrix | BallMatrix | FloatInterval | None) -> Quantity | None:
        """The quantity of a rational or of a 1×1 enclosure; None for None, and where the radius is infinite."""
        if entry is None:
            return None
        if isinstance(entry, Fraction):
            return Quantity.exact(entry)
        both = entry if isinstance(entry, tuple) else (entry.to_float(), entry.radius())
        mid, rad = (float(np.ravel(part)[0]) for part in both)
        if not (isfinite(mid) and rad <= LARGEST_RADIUS):
            return None
        return Quantity(Fraction(mid) - Fraction(rad), Fraction(mid) + Fraction(rad), (mid, rad))

    @property
    def middle(self) -> float:
        """The middle of both ends, for plots; infinite beyond the range of floats."""
        try:
            return float((self.lower + self.upper) / 2)
        except OverflowError:
            return inf

    def surely_below(self, other: Quantity) -> bool:
        """Whether it is smaller than another whatever the errors are."""
        return self.upper < other.lower

    def equals(self, other: Quantity) -> bool:
        """Whether both are known to be one number."""
        return self.lower == self.upper == other.lower == other.upper


@dataclass(frozen=True)
class AlgorithmDynamics:
    """What the mean dynamics of one algorithm do.

    ``rate`` encloses the spectral abscissa of ``matrix``, which is named in words (None where it does not exist);
    ``reason``: why, in a sentence; ``certificate``: the path of its file, where there is one; ``precision_needed``:
    bits that might decide what was left undecided.
    """

    mean_dynamics: MeanDynamics
    rate: Rate | None = None
    matrix: str | None = None
    reason: str = ""
    certificate: str | None = None
    precision_needed: int | None = None

    @property
    def is_stable(self) -> bool:
        """Whether predictions converge."""
        return self.mean_dynamics.is_stable


Algorithms = Mapping[str, AlgorithmDynamics | None]
"""The dynamics of algorithms by name; None for one that does not apply."""

OF_ALGORITHM = {
    update.name: MEAN_A if update.blocks == 1 else MEAN_SLOW if update.two_scales else MEAN_G
    for update in map(scheduled, PAPER)
}
"""Algorithm → the matrix of its mean dynamics."""


def by_algorithm(on_policy: bool, rows: Mapping[str, AlgorithmDynamics]) -> Algorithms:
    """Answers under the names that documents use, from those by matrix; what holds of TD holds of off-policy TD."""
    return {
        name: rows[matrix] if on_policy or scheduled(name).off_policy else None
        for name, matrix in OF_ALGORITHM.items()
        if matrix in rows
    }


def of_td(algorithms: Algorithms) -> AlgorithmDynamics | None:
    """The dynamics of TD, under whichever of its names applies."""
    return next((row for name, row in algorithms.items() if row is not None and OF_ALGORITHM[name] == MEAN_A), None)


@dataclass(frozen=True)
class ChainFacts:
    """The behaviour chain. ``recurrent_classes`` and ``periods``: the states and the period of each class that is
    listed; ``count``: how many classes there are.
    """

    irreducible: bool
    recurrent_classes: tuple[tuple[int, ...], ...]
    periods: tuple[int, ...]
    transient_states: tuple[int, ...]
    count: int

    @staticmethod
    def of(chain: Chain) -> ChainFacts:
        """The facts of an exact chain."""
        classes = chain.recurrent_classes
        periods = tuple(chain.period(states).period for states in classes)
        return ChainFacts(chain.is_irreducible, classes, periods, chain.transient_states, len(classes))

    @property
    def period(self) -> int | None:
        """The period of the one recurrent class; None where there are several."""
        return self.periods[0] if self.count == 1 else None


@dataclass(frozen=True)
class LawBound:
    """How the law of a sparse chain was bounded, or why not; ``distance``: its distance in sum from the true one."""

    method: str
    distance: float | None


@dataclass(frozen=True, eq=False)
class ClassFacts:
    """One recurrent class under the behaviour policy.

    ``stationary``: its law, n×1; ``A`` d×d, ``b`` d×1, ``C`` d×d and ``theta_star`` d×1 of the theorems;
    ``values_at_fixed_point``: Φθ*, n×1. ``projection_error_squared``: ‖V − ΠV‖²_D; ``fixed_point_error_squared``:
    ‖Φθ* − V‖²_D; ``error_bound_squared``: what ``error_bound`` guarantees of it. ``law_bound``: in sparse arithmetic.
    """

    states: tuple[int, ...]
    algorithms: Algorithms
    stationary: Values | None = None
    A: Values | None = None
    b: Values | None = None
    C: Values | None = None
    theta_star: Values | None = None
    values_at_fixed_point: Values | None = None
    projection_error_squared: Quantity | None = None
    fixed_point_error_squared: Quantity | None = None
    error_bound_squared: Quantity | None = None
    law_bound: LawBound | None = None


@dataclass(frozen=True)
class ClaimAnswer:
    """One claim decided on the model: its verdict, and the paths of its certificates."""

    id: str
    verdict: Verdict
    certificates: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class ModelFacts:
    """One model, as it was analysed: its chain, its recurrent classes, and the claims asked of it.

    ``classes``: empty where they were too many to ask. ``missing``: (state, action) pairs that the target policy takes
    and the behaviour policy never does. ``kappa``: Σ w_n γⁿ, None where the discount varies; ``value``: V^π (n×1).
    ``claims_not_asked``: ids. ``state_names``: None for models given as arrays. ``notes``: how the model was read, and
    what was left out. ``bits``: precision of an enclosed analysis; ``value_method``: in sparse arithmetic, how
    ``value`` was bounded, or why not. ``replaced_features``: terminal states for which features were given, that count
    as zero; ``features_by_function``: a function of the state gave them. ``left_out``: claims beyond the budget.
    """

    model: Model | SparseModel
    arithmetic: Arithmetic
    chain: ChainFacts
    classes: tuple[ClassFacts, ...]
    missing: tuple[tuple[int, int], ...] = ()
    kappa: Fraction | None = None
    value: Values | None = None
    claims: tuple[ClaimAnswer, ...] = ()
    claims_not_asked: tuple[str, ...] = ()
    state_names: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()
    bits: int | None = None
    value_method: str | None = None
    replaced_features: tuple[int, ...] = ()
    features_by_function: bool = False
    left_out: LeftOut | None = None

    @property
    def single(self) -> ClassFacts | None:
        """The one recurrent class, None where there are several."""
        return self.classes[0] if len(self.classes) == 1 else None

    @property
    def refuted(self) -> tuple[str, ...]:
        """Claims that fail though their hypotheses hold."""
        return tuple(answer.id for answer in self.claims if answer.verdict.status is Status.REFUTED)
