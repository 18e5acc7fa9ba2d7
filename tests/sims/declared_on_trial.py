"""Classes held to declared updates in ``test_conform_any.py``, written as people write them; some are wrong."""

import numpy as np

import tdcert


@tdcert.algorithm(parameters={"theta": "d", "bias": 1}, memory={"z": "d"}, steps=("alpha", "beta", "kappa"))
def with_bias(t, theta, bias, z, alpha, beta, kappa, *, lam=0, pull=1):
    """A file's own update: three steps, a number among the parameters."""
    z = t.discount_before * lam * z + t.phi
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta - bias
    return theta + alpha * t.rho * delta * z - kappa * pull * theta, bias + beta * delta, z


class WithBias:
    def reset(self, *, n_features, theta0, bias0, pull):
        self.theta, self.bias, self.pull = theta0.copy(), bias0, pull

    def step(self, t, alpha, beta, kappa):
        delta = t.reward - self.bias - self.theta @ (t.phi - t.discount * t.phi_next)
        self.theta = (1 - kappa * self.pull) * self.theta + alpha * t.rho * delta * t.phi
        self.bias += beta * delta


class BiasFirst(WithBias):
    def step(self, t, alpha, beta, kappa):
        self.bias += beta * (t.reward - self.bias - self.theta @ (t.phi - t.discount * t.phi_next))
        delta = t.reward - self.bias - self.theta @ (t.phi - t.discount * t.phi_next)
        self.theta = (1 - kappa * self.pull) * self.theta + alpha * t.rho * delta * t.phi


class Retrace:
    """The trace decays when the next step is made, by what was kept of the one before."""

    cut = 1.0

    def reset(self, *, n_features, theta0, lam):
        self.theta, self.lam, self.e = theta0.copy(), lam, np.zeros(n_features)

    def step(self, t, alpha):
        if t.first:
            self.e = np.zeros_like(self.e)
        self.e = t.discount_before * self.lam * min(self.cut, t.rho_before) * self.e + t.phi
        self.theta = self.theta + (alpha * t.rho) * (t.reward + self.theta @ (t.discount * t.phi_next - t.phi)) * self.e


class Uncut(Retrace):
    cut = np.inf


class NoRatioOnTheError(Retrace):
    def step(self, t, alpha):
        self.e = t.discount_before * self.lam * min(1.0, t.rho_before) * self.e + t.phi
        self.theta = self.theta + alpha * (t.reward + self.theta @ (t.discount * t.phi_next - t.phi)) * self.e


class TDRC:
    """One γ, a flag for ends, both steps handed over; the sum over the past is made anew each time."""

    def reset(self, *, n_features, gamma, ridge, lam=0.0, theta0):
        self.theta, self.w = theta0.copy(), np.zeros(n_features)
        self.gamma, self.lam, self.ridge, self.past = gamma, lam, ridge, []

    def step(self, t, alpha, beta):
        self.past = [t.rho * self.gamma * self.lam * x for x in self.past] + [t.rho * t.phi]
        z = np.sum(self.past, axis=0)
        g = 0.0 if t.done else self.gamma
        d = t.reward + g * self.theta @ t.phi_next - self.theta @ t.phi
        ahead = g * (1 - self.lam) * (z @ self.w) * t.phi_next
        self.theta, self.w = (
            self.theta + alpha * d * z - alpha * ahead,
            (1 - beta * self.ridge) * self.w + beta * d * z - beta * (self.w @ t.phi) * t.phi,
        )
        if t.done:
            self.past = []


class EagerTDRC(TDRC):
    def step(self, t, alpha, beta):
        super().step(t, alpha, 0.0)
        z = t.rho * t.phi
        d = t.reward + t.discount * self.theta @ t.phi_next - self.theta @ t.phi
        self.w = self.w + beta * (d * z - (self.w @ t.phi) * t.phi - self.ridge * self.w)


class SingleRetrace(Retrace):
    def step(self, t, alpha):
        theta = self.theta.astype(np.float32)
        self.e = (t.discount_before * self.lam * min(1.0, t.rho_before) * self.e + t.phi).astype(np.float32)
        delta = np.float32(t.reward) + theta @ (t.discount * t.phi_next - t.phi).astype(np.float32)
        self.theta = (theta + np.float32(alpha * t.rho) * delta * self.e).astype(np.float64)


class RandomRetrace(Retrace):
    def step(self, t, alpha):
        super().step(t, alpha * np.random.choice([0.5, 1.5]))


class TargetNetwork:
    def reset(self, *, n_features, theta0, target0):
        self.theta, self.target = theta0.copy(), target0.copy()

    def step(self, t, tau, alpha):
        aim = t.reward + t.discount * self.target @ t.phi_next
        new = self.theta + alpha * t.rho * (aim - self.theta @ t.phi) * t.phi
        self.target = (1 - tau) * self.target + tau * self.theta
        self.theta = new


class TargetOfTheNew(TargetNetwork):
    def step(self, t, tau, alpha):
        aim = t.reward + t.discount * self.target @ t.phi_next
        self.theta = self.theta + alpha * t.rho * (aim - self.theta @ t.phi) * t.phi
        self.target = (1 - tau) * self.target + tau * self.theta


class Categorical:
    def reset(self, *, n_features, theta0, atoms):
        self.theta, self.atoms = theta0.copy(), np.array(atoms, dtype=float)

    def step(self, t, alpha):
        ahead, gap = self.theta @ t.phi_next, self.atoms[1] - self.atoms[0]
        masses = np.zeros(len(self.atoms))
        for atom, mass in zip(self.atoms, ahead, strict=True):
            place = (np.clip(t.reward + t.discount * atom, self.atoms[0], self.atoms[-1]) - self.atoms[0]) / gap
            low = int(min(np.floor(place), len(masses) - 2))
            masses[low] += (low + 1 - place) * mass
            masses[low + 1] += (place - low) * mass
        self.theta = self.theta + alpha * t.rho * np.outer(masses - self.theta @ t.phi, t.phi)


class NoTheta:
    def reset(self, *, n_features):
        pass

    def step(self, t, alpha):
        pass


class OfOtherShape(Retrace):
    def step(self, t, alpha):
        self.theta = np.append(self.theta, 0.0)


class AnyReset:
    def reset(self, **given):
        self.theta, self.lam, self.z = given["theta0"].copy(), given["lam"], np.zeros(given["n_features"])

    def step(self, t, alpha, beta):
        z = t.phi + self.z
        self.theta = self.theta + alpha * t.rho * (t.reward + self.theta @ (t.discount * t.phi_next - t.phi)) * z
        self.z = t.discount * self.lam * t.pi * z
