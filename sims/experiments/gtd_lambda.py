"""GTD(λ) as A5.3 prints it, the readable twin (Maei 2011, *Gradient Temporal-Difference Learning Algorithms*, ch. 6).

    θ_{t+1} = θ_t + α_t (δ_t z_t − γ(1 − λ)(z_tᵀw_t) φ_{t+1}),   w_{t+1} = w_t + β_t (δ_t z_t − (w_tᵀφ_t) φ_t),

with the trace z_t = ρ_t(φ_t + γλ z_{t−1}) of a constant λ. Its fast twin is in ``tdcert.sims.growth``, its mean in
``tdcert.theory.model.key_matrices.gtd_lambda_correction``.
"""

import numpy as np

from tdcert.sims.algorithms import Algorithm, Transition

GTD_LAMBDA = "gtd_lambda"


class GTDLambda(Algorithm):
    """Equation (gtd_theta) of A5.3; ``tail`` of :meth:`reset` is λ, and no other λ's are given."""

    def step(self, t: Transition, alpha: float, beta: float) -> None:
        z = self.trace(t)
        delta = np.asarray(self.delta(t))[..., np.newaxis]
        zw = np.sum(z * self.w, axis=-1, keepdims=True)
        phi_w = np.sum(t.phi * self.w, axis=-1, keepdims=True)
        discount = np.asarray(t.discount)[..., np.newaxis]
        self.theta = self.theta + alpha * (delta * z - discount * (1 - self.tail) * zw * t.phi_next)
        self.w = self.w + beta * (delta * z - phi_w * t.phi)
