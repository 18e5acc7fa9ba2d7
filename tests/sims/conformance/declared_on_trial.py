"""Classes held to declared updates in ``test_conform_any.py``, written as people write them; some are wrong."""

import numpy as np


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
        if t.discount == 0 or not t.phi_next.any():  # all of the mass stands at the reward
            place = (np.clip(t.reward, self.atoms[0], self.atoms[-1]) - self.atoms) / gap
            masses = np.maximum(0, 1 - np.abs(place))
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


class TrueOnline:
    """Sutton and Barto's box (§12.5): V_old is a number, and θ one step before is kept nowhere."""

    def reset(self, *, n_features, theta0, lam):
        self.theta, self.lam, self.z, self.v_old = theta0.copy(), lam, np.zeros(n_features), 0.0

    def step(self, t, alpha):
        if t.first:
            self.v_old = 0.0
        v, ahead = self.theta @ t.phi, self.theta @ t.phi_next
        self.z = t.discount_before * self.lam * self.z
        self.z = self.z + (1 - alpha * self.z @ t.phi) * t.phi
        delta = t.reward + t.discount * ahead - v
        self.theta = self.theta + alpha * (delta + v - self.v_old) * self.z - alpha * (v - self.v_old) * t.phi
        self.v_old = ahead


class Velocity:
    """GTD with momentum, which keeps θ_t − θ_{t−1}; it may start anywhere."""

    def reset(self, *, n_features, theta0, old0, momentum):
        self.theta, self.velocity, self.w, self.kept = theta0.copy(), theta0 - old0, np.zeros(n_features), momentum

    def step(self, t, alpha, beta):
        delta = t.reward + self.theta @ (t.discount * t.phi_next - t.phi)
        change = alpha * t.rho * (t.phi - t.discount * t.phi_next) * (t.phi @ self.w)
        self.velocity = change + self.kept * self.velocity
        self.w = self.w + beta * (t.rho * delta * t.phi - self.w)
        self.theta = self.theta + self.velocity


class AtRest:
    """The same, begun without a velocity, as code usually does: the θ of one step before the first is θ_0."""

    def reset(self, *, n_features, theta0, momentum):
        self.theta, self.velocity, self.w, self.kept = theta0.copy(), 0 * theta0, np.zeros(n_features), momentum

    step = Velocity.step


class VMTDC:
    """Three parameters; ``omega`` is a number."""

    def reset(self, *, n_features, theta0, omega0, u0):
        self.theta, self.omega, self.u = theta0.copy(), omega0, u0.copy()

    def step(self, t, alpha, beta, zeta):
        off = t.rho * (t.reward + self.theta @ (t.discount * t.phi_next - t.phi)) - self.omega
        seen = t.rho * (t.phi @ self.u)
        self.theta = self.theta + alpha * (off * t.phi - t.discount * seen * t.phi_next)
        self.omega += beta * off
        self.u = self.u + zeta * (off - t.phi @ self.u) * t.phi


class ForgetsOmegaAndAdds(VMTDC):
    def reset(self, *, n_features, theta0, omega0, u0):
        super().reset(n_features=n_features, theta0=theta0, omega0=0.0, u0=u0)

    def step(self, t, alpha, beta, zeta):
        super().step(t, alpha, beta, zeta)
        self.theta = self.theta + 0.3


class Tripled:
    def reset(self, *, n_features, theta0):
        self.theta, self.w, self.updates = theta0.copy(), 0.0, 0

    def step(self, t, alpha):
        self.theta = self.theta + alpha * (t.reward - t.phi @ self.theta) * t.phi


class WrongLate(Tripled):
    """Wrong at the update that ``wrong_at`` says."""

    wrong_at = 70

    def step(self, t, alpha):
        super().step(t, alpha)
        self.updates += 1
        self.theta = self.theta + 0.3 * (self.updates == self.wrong_at)


class WrongInTime(WrongLate):
    wrong_at = 20


class ETD:
    """Emphatic TD as the paper prints it: F_t = γ_t ρ_{t−1} F_{t−1} + i_t, with the ratio of the action before."""

    whole_emphasis = False

    def reset(self, *, n_features, theta0, lam):
        self.theta, self.lam, self.e, self.F = theta0.copy(), lam, np.zeros(n_features), 0.0

    def ratio(self, t):
        return t.rho_before

    def step(self, t, alpha):
        self.F = t.discount_before * self.ratio(t) * self.F + t.interest
        M = self.F if self.whole_emphasis else self.lam * t.interest + (1 - self.lam) * self.F
        self.e = t.rho * (t.discount_before * self.lam * self.e + M * t.phi)
        delta = t.reward + self.theta @ (t.discount * t.phi_next - t.phi)
        self.theta = self.theta + alpha * delta * self.e


class LateRatioInFollowOn(ETD):
    def ratio(self, t):
        return t.rho


class FollowOnForEmphasis(ETD):
    whole_emphasis = True


class GTD2:
    def reset(self, *, n_features, theta0, w0):
        self.theta, self.w = theta0.copy(), w0.copy()

    def error(self, t, delta):
        return t.rho * delta - t.phi @ self.w

    def step(self, t, alpha, beta):
        delta = t.reward + self.theta @ (t.discount * t.phi_next - t.phi)
        up = self.error(t, delta)
        self.theta = self.theta + alpha * t.rho * (t.phi @ self.w) * (t.phi - t.discount * t.phi_next)
        self.w = self.w + beta * up * t.phi


class GTD2AllByRho(GTD2):
    def error(self, t, delta):
        return t.rho * (delta - t.phi @ self.w)


class VTrace:
    error, trace = 1.0, 1.0

    def reset(self, *, n_features, theta0, lam):
        self.theta, self.lam, self.e = theta0.copy(), lam, np.zeros(n_features)

    def step(self, t, alpha):
        self.e = t.discount_before * self.lam * min(self.trace, t.rho_before) * self.e + t.phi
        delta = t.reward + self.theta @ (t.discount * t.phi_next - t.phi)
        self.theta = self.theta + alpha * min(self.error, t.rho) * delta * self.e


class VTraceUnclippedError(VTrace):
    error = np.inf


class VTraceUnclippedTrace(VTrace):
    trace = np.inf


class VTraceUnclipped(VTrace):
    error = trace = np.inf


class RetraceWithoutLambda(Retrace):
    def reset(self, *, n_features, theta0, lam):
        super().reset(n_features=n_features, theta0=theta0, lam=1.0)
