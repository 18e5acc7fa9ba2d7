"""What an analysis of a large sparse model hands back: enclosures, decisions, verdicts. Data only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tdcert.theory.arithmetic.float_enclosures import MidRadMatrix
from tdcert.theory.arithmetic.sparse_products import Columns
from tdcert.theory.check.mean_matrix import Dynamics
from tdcert.theory.enclose.definite import Conclusion
from tdcert.theory.enclose.sparse_law import EnclosedLaw, Structure
from tdcert.theory.verdict import Verdict


@dataclass(frozen=True)
class SparseErrors:
    """‖V − ΠV‖²_D, ‖Φθ* − V‖²_D and the bound ‖V − ΠV‖²_D/(1 − κ²) of the second: 1×1 enclosures, or None."""

    projection: MidRadMatrix | None = None
    fixed_point: MidRadMatrix | None = None
    bound: MidRadMatrix | None = None


@dataclass(frozen=True, eq=False)
class SparseClass:
    """One recurrent class: enclosures (None where undecided) and decisions.

    ``states``: increasing. ``law``: the stationary law, zero elsewhere; ``law_method``: how it was bounded, or why not.
    ``A``, ``C``: d×d, ``b``, ``theta_star``: d×1, midpoints and radii. ``smallest_of_c`` and ``largest_of_a``:
    enclosures of λ_min(C) and λ_max(sym A). ``off_policy_norm``: an upper bound of Σ_n w_n ‖Nⁿ‖_D. ``hypotheses``:
    decisions by id. ``negative``: whether A is negative definite, by its enclosure alone. ``dynamics``: by the
    matrix of the mean (``MEANS`` of :mod:`tdcert.theory.check.mean_dynamics`).
    """

    states: Any
    law: EnclosedLaw | None
    law_method: str
    A: MidRadMatrix | None = None
    b: MidRadMatrix | None = None
    C: MidRadMatrix | None = None
    theta_star: MidRadMatrix | None = None
    smallest_of_c: tuple[float, float] | None = None
    largest_of_a: tuple[float, float] | None = None
    off_policy_norm: float | None = None
    errors: SparseErrors = SparseErrors()
    hypotheses: Mapping[str, Conclusion] = field(default_factory=dict)
    negative: Conclusion | None = None
    dynamics: Mapping[str, Dynamics[float]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class SparseResult:
    """An analysis. ``kappa``: exact, None where the discount varies. ``value``: V^π (n×1) with its error in the maximum
    norm, None where ``value_method`` says why. ``classes``: one for each recurrent class, none where they were too many
    to ask. ``verdicts``: by the names of the statements, on all classes together.
    """

    chain: Structure
    kappa: Fraction | None
    value: Columns | None
    value_method: str
    classes: tuple[SparseClass, ...]
    verdicts: Mapping[str, Verdict]
