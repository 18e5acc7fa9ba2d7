"""GTD(λ) as A5.3 prints it, the readable twin (Maei 2011, *Gradient Temporal-Difference Learning Algorithms*, ch. 6).

Textbooks call it GTD(λ) (Sutton and Barto 2018, §12.11) or TDC(λ), for at λ = 0 it is TDC.

    θ_{t+1} = θ_t + α_t (δ_t z_t − γ(1 − λ)(z_tᵀw_t) φ_{t+1}),   w_{t+1} = w_t + β_t (δ_t z_t − (w_tᵀφ_t) φ_t),

with the trace z_t = ρ_t(φ_t + γλ z_{t−1}) of a constant λ. Its fast twin is in ``tdcert.sims.growth``, its mean in
``tdcert.theory.model.key_matrices.gtd_lambda_correction``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from tdcert.sims.algorithms import ALGORITHMS, Algorithm, Transition
from tdcert.theory.errors import InputError

GTD_LAMBDA = "gtd_lambda"


class GTDLambda(Algorithm):
    """Equation (gtd_theta) of A5.3; λ is ``tail`` of :meth:`reset`, or the number that all of ``lambdas`` are."""

    lam: float

    def reset(self, *, n_features: int, lambdas: Sequence[float], theta0: ArrayLike, tail: float = 0.0) -> None:
        super().reset(n_features=n_features, lambdas=lambdas, theta0=theta0, tail=tail)
        self.lam = tail or (lambdas[0] if lambdas else 0.0)

    def step(self, t: Transition, alpha: float, beta: float) -> None:
        z = self.trace(t)
        delta = np.asarray(self.delta(t))[..., np.newaxis]
        zw = np.sum(z * self.w, axis=-1, keepdims=True)
        phi_w = np.sum(t.phi * self.w, axis=-1, keepdims=True)
        discount = np.asarray(t.discount)[..., np.newaxis]
        self.theta = self.theta + alpha * (delta * z - discount * (1 - self.lam) * zw * t.phi_next)
        self.w = self.w + beta * (delta * z - phi_w * t.phi)


ONE_LAMBDA: dict[str, type[Algorithm]] = {GTD_LAMBDA: GTDLambda, "tdc_lambda": GTDLambda}
"""Algorithms of one λ that the paper has no schedule of: one algorithm, under both of its names."""

EVERY: dict[str, type[Algorithm]] = {**ALGORITHMS, **ONE_LAMBDA}
WITHOUT_RATIOS = tuple(name for name, kind in EVERY.items() if not kind.importance)
"""The paper's four, and those of one λ."""


def any_algorithm_named(name: str) -> type[Algorithm]:
    """The class of one of :data:`EVERY`; raises :class:`InputError` for another name."""
    if name not in EVERY:
        raise InputError(f"there is no algorithm '{name}'; give one of {', '.join(EVERY)}")
    return EVERY[name]
