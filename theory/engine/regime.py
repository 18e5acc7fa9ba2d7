r"""An update on a recurrent class of a model, in one arithmetic: its mean increments, and what follows from them.

    E[y' − y] = Σ_k step_k (A_k y + b_k)

in the stationary regime, y the parameters. What is asked of these matrices is the same in every arithmetic:
:mod:`tdcert.theory.engine.dynamics`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Generic, TypeVar

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.protocol import Enclosing
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.terms import Exponents
from tdcert.theory.errors import InputError

Mat = TypeVar("Mat", bound=Enclosing)


class Regime(ABC, Generic[Mat]):
    """An algorithm on a recurrent class of a model, in the stationary regime. ``kind``: the arithmetic of results;
    ``cut``: whether the update was evaluated to first order in its steps.
    """

    algorithm: Algorithm
    kind: type[Mat]
    cut: bool

    @property
    @abstractmethod
    def D(self) -> int:
        """How many parameters mean dynamics are of."""

    @cached_property
    @abstractmethod
    def has_mean(self) -> bool | None:
        """Whether the memory has a mean: whether E|m| is finite; None where that is not decided."""

    @cached_property
    @abstractmethod
    def by_exponents(self) -> dict[Exponents, Mat]:
        """[A b] (D×(D+1)) for each exponent of the step sizes: E[y' − y] = Σ stepᵏ(A_k y + b_k). The memory's mean must
        exist.
        """

    @cached_property
    @abstractmethod
    def powers(self) -> tuple[Exponents, ...]:
        """The exponents of the step sizes by which parameters move."""

    @cached_property
    @abstractmethod
    def visible(self) -> tuple[tuple[int, ...], RationalMatrix]:
        """(columns, T): every row x of G_k(m), at every stationary memory m, is x[columns] T.

        Parameters enter updates through T y alone (r×D); what T does not see changes no increment.
        """

    @abstractmethod
    def sees_predictions(self, T: RationalMatrix) -> bool:
        """Whether T y determines the predictions Φθ at the states of the class."""

    @property
    def predictions(self) -> RationalMatrix | None:
        """The matrix of Φθ at the states of the class from the D parameters, with θ the first one of length d; None
        where there is none, or where it is too large.
        """
        return None

    def parameters_at(self, point: Mat) -> Mat:
        """All parameters (column) where those that mean dynamics are of are ``point`` (D×1)."""
        return point

    def covariance_at(self, point: Mat) -> Mat:
        """The covariance of all parameters (square) where that of those that mean dynamics are of is ``point``."""
        return point

    def outweighed(self, slow: Sequence[int]) -> str:
        """Why the step of these parameters does not say how they move on two time scales; empty where it does."""
        return ""

    @cached_property
    def means(self) -> tuple[Mat, ...]:
        """[A_k b_k] (D×(D+1)) for each step size, in the order in which they are declared.

        Raises :class:`InputError` where parameters move without a step, or by a product of steps: there are no mean
        dynamics then, and only constant steps can be asked about. The memory's mean must exist.
        """
        wrong = next((exponents for exponents in self.powers if sum(exponents) != 1), None)
        if wrong is not None:
            raise InputError(self._no_mean(wrong))
        none = self.kind.enclosing(RationalMatrix.zeros(self.D, self.D + 1))
        count = len(self.algorithm.steps)
        return tuple(self.by_exponents.get(tuple(int(i == k) for i in range(count)), none) for k in range(count))

    def _no_mean(self, exponents: tuple[int, ...]) -> str:
        name, steps, place = self.algorithm.name, self.algorithm.steps, self.algorithm.place()
        if not sum(exponents):
            return (
                f"the update '{name}' moves its parameters by something that no step size multiplies ({place}); "
                f"multiply it by one of {', '.join(steps)}, or ask about constant steps only"
            )
        product = "·".join(step for step, power in zip(steps, exponents, strict=True) for _ in range(power))
        return (
            f"the update '{name}' is not linear in its step sizes (a term with {product}, {place}); declare that "
            "product as a step size of its own, or ask about constant steps only"
        )

    def joint(self, ratios: Sequence[Fraction]) -> Mat:
        """[J g] = Σ_k ratio_k [A_k b_k]: the mean increment of all parameters in units of the first step size."""
        parts = [mean.scaled(ratio) for ratio, mean in zip(ratios, self.means, strict=True)]
        return sum(parts[1:], start=parts[0])

    @property
    def is_regular(self) -> bool:
        """Whether the sum of the A_k is known to be nonsingular; not asked where there are no mean dynamics."""
        if any(sum(exponents) != 1 for exponents in self.powers):
            return False
        total = self.joint([Fraction(1)] * len(self.means)).take(columns=range(self.D))
        return bool(total.is_regular)
