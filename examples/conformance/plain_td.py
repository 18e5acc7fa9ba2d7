"""TD(λ)-schedule in plain Python: the window of §2, state by state.

tdcert conform examples/conformance/plain_td.py:PlainTD --algorithm td
"""

import numpy as np


class PlainTD:
    """Correct for every schedule. Keeps (φ, product of the discounts since) for each state of the window."""

    def reset(self, *, n_features, lambdas, theta0):
        self.weights = [float(x) for x in theta0]
        self.lambdas = list(lambdas)
        self.window = []

    def step(self, t, alpha, beta):
        phi, phi_next = t.phi.tolist(), t.phi_next.tolist()
        if t.first:
            self.window = []
        self.window = [(phi, 1.0), *self.window][: len(self.lambdas) + 1]

        trace, c = [0.0] * len(phi), 1.0
        for k, (past, product) in enumerate(self.window):
            c *= self.lambdas[k - 1] if k else 1.0
            trace = [z + c * product * x for z, x in zip(trace, past, strict=True)]

        value = sum(w * x for w, x in zip(self.weights, phi, strict=True))
        value_next = sum(w * x for w, x in zip(self.weights, phi_next, strict=True))
        delta = t.reward + t.discount * value_next - value
        self.weights = [w + alpha * delta * z for w, z in zip(self.weights, trace, strict=True)]
        self.window = [(past, product * t.discount) for past, product in self.window]

    @property
    def theta(self):
        return np.array(self.weights)
