"""What the analysis in enclosures needs to know of a model: kernels known up to radii, everything structural exact.

Which transitions are possible, whether the policies agree, the λ's and a constant discount are exact data: hypotheses
that speak of them are decided, not enclosed.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, TypeVar

import numpy as np

from tdcert.theory.arithmetic import BallMatrix, RationalMatrix
from tdcert.theory.arithmetic.float_enclosures import MidRadMatrix
from tdcert.theory.check.hypotheses import DISCOUNTED
from tdcert.theory.check.margins import largest_discount
from tdcert.theory.enclose.definite import FLOAT_BITS
from tdcert.theory.forms import in_unit_interval
from tdcert.theory.model.mdp import Model, mix_actions
from tdcert.theory.model.schedule import Schedule

Mat = TypeVar("Mat", MidRadMatrix, BallMatrix)


@dataclass(frozen=True)
class EnclosedKernel(Generic[Mat]):
    """N (n×n, discounted), r (n×1) and the policy mass behind each row (None: one), and P (None: not given), as
    ``mdp.Kernel`` has them.
    """

    N: Mat
    r: Mat
    mass: Mat | None = None
    P: Mat | None = None


@dataclass(frozen=True)
class EnclosedModel(Generic[Mat]):
    """A model in enclosures. ``behaviour``: the chain P_μ (n×n), entries zero exactly where they are zero; ``target``:
    the kernel of the theorems; ``covered``: the one the algorithms meet (the same under coverage of the recurrent
    states, which ``coverage`` says); ``features``, ``exact_features``: n×d; ``gamma``: None where the discount depends
    on the transition; ``discounted``: whether every recurrent class has a discount below one.
    """

    behaviour: Mat
    target: EnclosedKernel[Mat]
    covered: EnclosedKernel[Mat]
    features: Mat
    schedule: Schedule
    gamma: Fraction | None
    largest_discount: Fraction
    discounted: bool
    on_policy: bool
    on_policy_when_recurrent: bool
    coverage: bool
    exact_features: RationalMatrix

    @property
    def n(self) -> int:
        """Number of states."""
        return self.behaviour.shape[0]

    @property
    def d(self) -> int:
        """Number of features."""
        return self.features.shape[1]

    @property
    def kappa(self) -> Fraction | None:
        """κ = Σ w_n γⁿ, exact; None where the discount depends on the transition, or the series has no sum."""
        return self.schedule.kappa_if_defined(self.gamma)

    @property
    def all_lambdas(self) -> tuple[Fraction, ...]:
        """The λ's, and the one that goes on without end."""
        return (*self.schedule.lambdas, self.schedule.tail)

    @property
    def lambdas_in_unit_interval(self) -> bool:
        """Whether every λ_j lies in [0, 1]."""
        return bool(in_unit_interval(self.all_lambdas, self.largest_discount))

    @staticmethod
    def of_model(model: Model, bits: int = FLOAT_BITS) -> EnclosedModel[Any]:
        """An exact model, each entry of its kernels rounded; call it within ``precision(bits)`` beyond 53 bits."""
        kind: Any = MidRadMatrix if bits <= FLOAT_BITS else BallMatrix
        dynamics = [[kind.enclosing(X) for X in Xs] for Xs in (model.transitions, model.discounts, model.rewards)]

        def mixed(policy: RationalMatrix) -> tuple[Any, Any, Any, Any]:
            weights = [kind.enclosing(policy.take(columns=[a])) for a in range(len(model.actions))]
            transitions, discounts, rewards = dynamics
            return mix_actions(transitions, discounts, rewards, weights)

        N, P, r, _ = mixed(model.target)
        target = covered = EnclosedKernel(N, r, P=P)
        coverage = not model.uncovered_when_recurrent
        if not coverage:
            N, _, r, mass = mixed(model.covered_policy)
            covered = EnclosedKernel(N, r, mass)
        return EnclosedModel(
            behaviour=P if model.is_on_policy else mixed(model.behaviour)[1],
            target=target,
            covered=covered,
            features=kind.enclosing(model.features),
            schedule=model.schedule,
            gamma=model.gamma,
            largest_discount=model.gamma if model.gamma is not None else largest_discount(model),
            discounted=model.gamma < 1 if model.gamma is not None else DISCOUNTED.ask(model).satisfied,
            on_policy=model.is_on_policy,
            on_policy_when_recurrent=model.is_on_policy_when_recurrent,
            coverage=coverage,
            exact_features=model.features,
        )


def exact_zeros(matrix: MidRadMatrix | BallMatrix) -> Any:
    """Which entries are known to be zero, a boolean array."""
    if isinstance(matrix, MidRadMatrix):
        return (matrix.mid == 0) & (matrix.rad == 0)
    return np.array([bool(x == 0) for x in matrix.balls.entries()]).reshape(matrix.shape)
