"""What warnings are judged by: numbers about one model, exact where it is small, else floats with their bounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from claims.advice.quantity import digits
from claims.advice.rows_enclosed import lean_keys
from theory.arithmetic import RationalMatrix
from theory.arithmetic.midrad import MidRadMatrix
from theory.check.conditioning import Ends, condition_number, inflation, slow_function
from theory.check.definiteness import decide_positive_definite
from theory.check.enclosed_class import ClassInEnclosures
from theory.check.enclosed_definite import FLOAT_BITS
from theory.check.enclosed_model import EnclosedModel
from theory.errors import BudgetExceededError, SingularMatrixError
from theory.model.key_matrices import behaviour_matrices
from theory.model.mdp import Model

EXACT_STATES = 40
"""Up to this many states the numbers are found in fractions."""
LARGEST = 1_000
"""Most states and features for which they are found at all (seconds)."""


@dataclass(frozen=True)
class Facts:
    """One model, and the document about it as far as it is written. ``exactly``: in fractions where the size allows."""

    model: Model
    document: Mapping[str, Any]
    exactly: bool

    @property
    def states(self) -> tuple[int, ...] | None:
        """The one recurrent class, or None."""
        classes = self.model.behaviour_chain.recurrent_classes
        return classes[0] if len(classes) == 1 else None

    @cached_property
    def small(self) -> bool:
        """Whether fractions are used."""
        return self.exactly and self.model.n <= EXACT_STATES

    @cached_property
    def part(self) -> ClassInEnclosures | None:
        """The class in floats with bounds; None for several classes and large models."""
        if self.states is None or max(self.model.n, self.model.d) > LARGEST:
            return None
        return ClassInEnclosures(EnclosedModel.of_model(self.model), self.states, FLOAT_BITS)

    @cached_property
    def matrices(self) -> tuple[Any, Any] | None:
        """A and C as the algorithm meets them; None where they are not known here."""
        if self.states is None or not self.model.has_trace_sum:
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
    def definite(self) -> bool | None:
        """Whether A is negative definite, None where that is not known here."""
        if self.matrices is None or not isinstance(self.matrices[0], RationalMatrix):
            return None
        try:
            return decide_positive_definite(-self.matrices[0].symmetric_part()).positive
        except BudgetExceededError:
            return None

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


    def conditioning(self) -> dict[str, Any]:
        """The key of analysis.json: numbers that warnings are judged by, as far as they are known."""
        numbers = {"condition_of_A": self.condition(0), "condition_of_C": self.condition(1)}
        found: dict[str, Any] = {name: ends and _ends(ends) for name, ends in numbers.items()}
        found["inflation_at_least"] = self.inflation and digits(self.inflation[0])
        found["rarest_state"] = self.rarest and {"state": self.rarest[0], "probability": _ends(self.rarest[1])}
        return found


def _condition(matrix: Any) -> Ends | None:
    try:
        return condition_number(matrix)
    except SingularMatrixError:
        return None


def _ends(ends: Ends) -> str | dict[str, str]:
    """One number where it is exact, else both ends."""
    return digits(ends[0]) if ends[0] == ends[1] else {"lower": digits(ends[0]), "upper": digits(ends[1])}


def _quotient(above: MidRadMatrix, below: MidRadMatrix) -> Ends | None:
    """Ends of a quotient of 1×1 enclosures, the divisor positive."""
    if not np.isfinite([above.upper[0, 0], below.upper[0, 0], above.lower[0, 0], below.lower[0, 0]]).all():
        return None
    ends = [(Fraction(float(x.lower[0, 0])), Fraction(float(x.upper[0, 0]))) for x in (above, below)]
    (low, high), (least, most) = ends
    return None if least <= 0 or low <= 0 else (low / most, high / least)
