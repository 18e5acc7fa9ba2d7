"""Off-policy TD(λ) the way it is written in PyTorch: parameters, an optimiser, operations in place, one λ.

    tdcert conform examples/conformance/torch_style_td.py:TorchStyleTD --algorithm off_policy_td --schedules constant

Where PyTorch is installed the parameters are tensors of double precision; elsewhere NumPy arrays, which share
every operation used here.
"""

import numpy as np

try:
    import torch
except ImportError:
    torch = None


def tensor(values):
    """A tensor of its own in double precision (an array where there is no PyTorch)."""
    values = np.array(values, dtype=np.float64)
    return values if torch is None else torch.from_numpy(values)


class SGD:
    """``param += lr · direction``, in place."""

    def __init__(self, params):
        self.params = params

    def step(self, directions, lr):
        for param, direction in zip(self.params, directions, strict=True):
            param += lr * direction


class LinearValue:
    """v(s) = θᵀφ(s)."""

    def __init__(self, theta0):
        self.weight = tensor(theta0)

    def __call__(self, phi):
        return self.weight @ phi


class TorchStyleTD:
    """Correct for a constant λ: z ← ρ (φ + γ λ z), with the γ of the transition before."""

    def reset(self, *, n_features, lambdas, theta0):
        self.value = LinearValue(theta0)
        self.optimiser = SGD([self.value.weight])
        self.trace = tensor(np.zeros(n_features))
        self.lam = lambdas[0]
        self.discount = 0.0

    def step(self, t, alpha, beta):
        phi, phi_next = tensor(t.phi), tensor(t.phi_next)
        self.trace *= self.discount * self.lam
        self.trace += phi
        self.trace *= t.rho
        td_error = t.reward + t.discount * self.value(phi_next) - self.value(phi)
        self.optimiser.step([td_error * self.trace], lr=alpha)
        self.discount = t.discount

    @property
    def theta(self):
        return np.array(self.value.weight)
