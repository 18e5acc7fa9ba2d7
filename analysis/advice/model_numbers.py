"""What warnings are judged by: numbers about one model, exact where it is small, else floats with their bounds."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tdcert.analysis.facts import ModelFacts
from tdcert.analysis.limits import ADVICE_ROWS
from tdcert.analysis.request import FLOAT_BITS, Arithmetic
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.float_enclosures import MidRadMatrix
from tdcert.theory.check.conditioning import Ends, condition_number, inflation, slow_function
from tdcert.theory.check.fixed_point import rest_point, squared_norm
from tdcert.theory.errors import BudgetExceededError, SingularMatrixError
from tdcert.theory.limits import raised
from tdcert.theory.model.key_matrices import KeyMatrices, behaviour_matrices, theorem_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

if TYPE_CHECKING:
    from tdcert.theory.enclose.dense_class import ClassInEnclosures

EXACT_STATES = 40
"""Up to this many states the numbers are found in fractions."""


@dataclass(frozen=True)
class RestPoints:
    """The solutions of Aθ + b = 0, A and b as the algorithms meet them on each recurrent class. ``without``: in how
    many classes there is none; ``shared``: whether one θ solves all; ``unique``: whether no class has two.
    """

    without: int
    shared: bool
    unique: bool


@dataclass(frozen=True)
class ChangedByCoverage:
    """``matrices``: whether A or b of the algorithms differ from those of the target policy in some class;
    ``distance``: the largest ‖Φθ − Φθ*‖²_D of both fixed points over the classes, None where one is not unique.
    """

    matrices: bool
    distance: Fraction | None


@dataclass(frozen=True)
class Conditioning:
    """Numbers that warnings are judged by, as far as they are known. ``of_matrices``: cond of A and of C in the norm of
    row sums, between its ends; ``inflation_at_least``: how many times more steps an average of some function takes
    along the chain than from independent draws; ``rarest``: a state, and the ends of its stationary probability.
    """

    of_matrices: tuple[Ends | None, Ends | None]
    inflation_at_least: Fraction | None
    rarest: tuple[int, Ends] | None


@dataclass(frozen=True)
class ModelNumbers:
    """Numbers about the model of an analysis, each computed when first asked for: in fractions where the facts are
    exact and the model is small. ``names``: of the paper's algorithms that are asked about, None for all.
    """

    facts: ModelFacts
    names: tuple[str, ...] | None = None

    @cached_property
    def model(self) -> Model:
        """The model of the facts, which is dense: sparse ones are not advised about."""
        model = self.facts.model
        assert isinstance(model, Model)
        return model

    @property
    def exactly(self) -> bool:
        """Whether the facts are exact."""
        return self.facts.arithmetic is Arithmetic.EXACT

    @property
    def states(self) -> tuple[int, ...] | None:
        """The one recurrent class, or None."""
        return None if self.facts.single is None else self.facts.single.states

    @cached_property
    def small(self) -> bool:
        """Whether fractions are used."""
        return self.exactly and self.model.n <= EXACT_STATES

    @cached_property
    def part(self) -> ClassInEnclosures | None:
        """The class in floats with bounds; None for several classes and large models."""
        if self.states is None or max(self.model.n, self.model.d) > raised(ADVICE_ROWS):
            return None
        from tdcert.theory.enclose.dense_class import ClassInEnclosures
        from tdcert.theory.enclose.dense_model import EnclosedModel

        return ClassInEnclosures(EnclosedModel.of_model(self.model), self.states, FLOAT_BITS)

    @cached_property
    def matrices(self) -> tuple[Any, Any] | None:
        """A and C as the algorithm meets them; None where they are not known here."""
        if self.states is None or not self.model.has_trace_sum_on(self.states):
            return None
        if self.small:
            keys = behaviour_matrices(self.model, self.states)
            return keys.A, keys.C
        if self.part is None:
            return None
        try:
            lean = lean_keys(self.part, self.model.schedule)
            return lean.A, lean.C
        except (SingularMatrixError, BudgetExceededError):
            return None

    def condition(self, which: int) -> Ends | None:
        """cond_∞ of A (0) or C (1); None where it is singular, may be, or is not known here."""
        return self._conditions[which]

    @cached_property
    def _conditions(self) -> tuple[Ends | None, Ends | None]:
        if self.matrices is None:
            return None, None
        first, second = (_condition(matrix) for matrix in self.matrices)
        return first, second

    @cached_property
    def rest_points(self) -> RestPoints | None:
        """Fixed points by recurrent class; None where that is not decided here."""
        classes = self.model.behaviour_chain.recurrent_classes
        if not (self.small and all(map(self.model.has_trace_sum_on, classes))):
            return None
        systems = [_system(behaviour_matrices(self.model, states)) for states in classes]
        together = RationalMatrix([row for system in systems for row in system.rows])
        d = self.model.d
        return RestPoints(
            without=sum(not _solvable(system) for system in systems),
            shared=_solvable(together),
            unique=all(system.take(columns=range(d)).rank == d for system in systems),
        )

    @cached_property
    def undetermined(self) -> tuple[int, ...] | None:
        """Transient states whose features are not a combination of those of the one recurrent class: θ can change the
        prediction there and no other on the class. None where that is not decided here.
        """
        if self.states is None or not self.small:
            return None
        seen = self.model.features.take(rows=self.states)
        rank = seen.rank
        return tuple(
            s
            for s in self.model.behaviour_chain.transient_states
            if RationalMatrix([*seen.rows, self.model.features.rows[s]]).rank > rank
        )

    @cached_property
    def changed_by_coverage(self) -> ChangedByCoverage | None:
        """What pairs that are missing in recurrent states change; None where that is not decided here."""
        classes = self.model.behaviour_chain.recurrent_classes
        if not (self.small and all(map(self.model.has_trace_sum_on, classes))):
            return None
        changed, distances = False, []
        for states in classes:
            meant, met = theorem_matrices(self.model, states), behaviour_matrices(self.model, states)
            changed |= meant.A != met.A or meant.b != met.b
            there, here = rest_point(meant), rest_point(met)
            if there is not None and here is not None:
                distances.append(squared_norm(meant, meant.Phi @ (here - there)))
        all_known = len(distances) == len(classes)
        return ChangedByCoverage(changed, max(distances) if all_known else None)

    @cached_property
    def value_exists(self) -> bool | None:
        """Whether (I − N)V = r has a solution; None where that is not decided here."""
        if not self.small:
            return None
        kernel = self.model.target_kernel
        return _solvable((kernel.N.identity(self.model.n) - kernel.N).beside(kernel.r))

    @cached_property
    def rarest(self) -> tuple[int, Ends] | None:
        """A recurrent state with the smallest stationary probability, as far as is known here, and the ends of it."""
        if self.states is None:
            return None
        if self.exactly:
            law = self.model.behaviour_chain.stationary_law(self.states)
            least, s = min((law[s, 0], s) for s in self.states)
            return s, (least, least)
        if self.part is None:
            return None
        try:
            about = self.part.law
        except (SingularMatrixError, BudgetExceededError):
            return None
        k = int(np.argmin(about.upper[:, 0]))
        return self.states[k], (Fraction(float(about.lower[k, 0])), Fraction(float(about.upper[k, 0])))

    @cached_property
    def inflation(self) -> Ends | None:
        """A lower bound of the largest inflation: that of one function, between its ends."""
        if self.states is None or len(self.states) < 2:
            return None
        part = self.part
        try:
            if self.small:
                P = self.model.behaviour_chain.P.take(self.states, self.states)
                d = self.model.behaviour_chain.stationary_law(self.states).take(rows=self.states)
                f = slow_function(P.to_float(), d.to_float()[:, 0])
                if len(set(f.column_entries())) < 2:
                    return None
                long_run, square = inflation(P, d, f)
                exact = long_run[0, 0] / square[0, 0]
                return exact, exact
            if part is None:
                return None
            inner = part.model.behaviour if part.whole else part.model.behaviour.take(self.states, self.states)
            f = slow_function(inner.to_float(), part.law.to_float()[:, 0])
            above, below = inflation(inner, part.law, f)
            return _quotient(above, below)
        except (SingularMatrixError, BudgetExceededError):
            return None
        except (np.linalg.LinAlgError, ValueError, OverflowError):  # floats that overflow propose no function
            return None

    def conditioning(self) -> Conditioning:
        """All of them that documents hold."""
        least = None if self.inflation is None else self.inflation[0]
        return Conditioning(self._conditions, least, self.rarest)


def lean_keys(part: ClassInEnclosures, schedule: Schedule) -> KeyMatrices[MidRadMatrix]:
    """The matrices that the algorithms meet under a schedule, M never formed: n²d(L + 1) operations, not n³(L + 1)."""
    kernel = part.model.covered
    return KeyMatrices(
        part.full_law, kernel.N, kernel.r, part.model.features, schedule.lambdas, schedule.tail, kernel.mass
    )


def _system(keys: KeyMatrices[RationalMatrix]) -> RationalMatrix:
    """[A, b], d×(d + 1)."""
    return keys.A.beside(keys.b)


def _solvable(system: RationalMatrix) -> bool:
    """Whether the last column is a combination of the others."""
    return system.take(columns=range(system.shape[1] - 1)).rank == system.rank


def _condition(matrix: Any) -> Ends | None:
    try:
        return condition_number(matrix)
    except SingularMatrixError:
        return None


def _quotient(above: MidRadMatrix, below: MidRadMatrix) -> Ends | None:
    """Ends of a quotient of 1×1 enclosures, the divisor positive."""
    if not np.isfinite([above.upper[0, 0], below.upper[0, 0], above.lower[0, 0], below.lower[0, 0]]).all():
        return None
    ends = [(Fraction(float(x.lower[0, 0])), Fraction(float(x.upper[0, 0]))) for x in (above, below)]
    (low, high), (least, most) = ends
    return None if least <= 0 or low <= 0 else (low / most, high / least)
