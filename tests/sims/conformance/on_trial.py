"""Classes that stand trial in ``test_conformance.py``: right ones of many kinds, and one for every way to be wrong.

They are loaded in a process of their own, by the path of this file.
"""

import dataclasses
import os
import random
import threading
import time
from fractions import Fraction
from typing import ClassVar

import numpy as np


class Right:
    """Each of the four by its window; ``kind`` says which."""

    kind = "td"

    def reset(self, *, n_features, lambdas, theta0):
        self.theta, self.w = theta0.copy(), np.zeros(n_features)
        self.c = np.cumprod([1.0, *lambdas])
        self.window = []

    def trace(self, t):
        rho = 1.0 if self.kind == "td" else t.rho
        self.window = [rho * x for x in [t.phi, *self.window][: len(self.c)]]
        z = sum(c * x for c, x in zip(self.c[: len(self.window)], self.window, strict=True))
        self.window = [t.discount * x for x in self.window]
        return z

    def step(self, t, alpha, beta):
        z = self.trace(t)
        ahead = t.discount * t.phi_next - t.phi
        delta = t.reward + ahead @ self.theta
        zw, phi_w = z @ self.w, t.phi @ self.w
        if self.kind == "gtd":
            self.theta = self.theta - alpha * zw * ahead
        else:
            self.theta = self.theta + alpha * (delta * z)
        if self.kind == "tdc":
            self.theta = self.theta - alpha * (zw * ahead + phi_w * t.phi)
        if self.kind in ("gtd", "tdc"):
            self.w = self.w + beta * (delta * z - phi_w * t.phi)


class RightOffPolicy(Right):
    kind = "off_policy_td"


class RightGTD(Right):
    kind = "gtd"


class RightTDC(Right):
    kind = "tdc"


# ---- right in another way -------------------------------------------------------------------------


class Matrices(RightTDC):
    """The same arithmetic in another order: outer products first."""

    def step(self, t, alpha, beta):
        z = self.trace(t)
        ahead = t.discount * t.phi_next - t.phi
        gram, up = np.outer(t.phi, t.phi), np.outer(z, ahead)
        theta = self.theta + (alpha * up) @ self.theta + (alpha * t.reward) * z - alpha * ((up.T + gram) @ self.w)
        self.w = (np.eye(len(z)) - beta * gram) @ self.w + (beta * up) @ self.theta + (beta * t.reward) * z
        self.theta = theta


class ByFirst(Right):
    """Constant λ by its recursion; a new episode is known by ``first``."""

    def reset(self, *, n_features, lambdas, theta0):
        self.theta, self.lam, self.z = theta0.copy(), lambdas[0], np.zeros(n_features)
        self.w, self.discount = np.zeros(n_features), None

    def trace(self, t):
        self.z = t.phi if t.first else t.phi + self.lam * self.discount * self.z
        self.z, self.discount = self.z * (1.0 if self.kind == "td" else t.rho), t.discount
        return self.z


class ByDiscount(ByFirst):
    """The same, known by the discount 0 of the transition before."""

    kind = "gtd"

    def trace(self, t):
        before = 0.0 if self.discount is None else self.discount
        self.z = t.rho * (t.phi + self.lam * before * self.z)
        self.discount = t.discount
        return self.z


class StepSizeInTrace(ByFirst):
    """Keeps α z instead of z, rescaled as α changes."""

    def step(self, t, alpha, beta):
        old = 0.0 if t.first else (alpha / self.alpha) * self.lam * self.discount * self.z
        self.z = old + alpha * t.phi
        self.theta = self.theta + (t.reward + t.discount * t.phi_next @ self.theta - t.phi @ self.theta) * self.z
        self.alpha, self.discount = alpha, t.discount


class Subtracting(Right):
    """n-step: adds what enters the window, takes away what leaves it."""

    def reset(self, *, n_features, lambdas, theta0):
        super().reset(n_features=n_features, lambdas=lambdas, theta0=theta0)
        self.z = np.zeros(n_features)

    def trace(self, t):
        self.window = [t.phi, *self.window]
        self.z = self.z + t.phi
        if len(self.window) > len(self.c):
            self.z = self.z - self.window.pop()
        z = self.z
        self.z, self.window = t.discount * self.z, [t.discount * x for x in self.window]
        return z


class Exact(Right):
    """Rational arithmetic, rounded when it is read."""

    def reset(self, *, n_features, lambdas, theta0):
        self.parameters = [Fraction(x) for x in theta0]
        self.c = [Fraction(1)]
        for x in lambdas:
            self.c.append(self.c[-1] * Fraction(x))
        self.window = []

    def step(self, t, alpha, beta):
        phi, ahead = ([Fraction(x) for x in vector] for vector in (t.phi, t.phi_next))
        gamma = Fraction(t.discount)
        self.window = [phi, *self.window][: len(self.c)]
        z = [sum(c * x[j] for c, x in zip(self.c, self.window, strict=False)) for j in range(len(phi))]
        along = [gamma * y - x for x, y in zip(phi, ahead, strict=True)]
        delta = Fraction(t.reward) + sum(x * y for x, y in zip(along, self.parameters, strict=True))
        moved = [x + Fraction(alpha) * delta * y for x, y in zip(self.parameters, z, strict=True)]
        self.parameters = [Fraction(float(x)) for x in moved]  # keeps the digits from growing
        self.window = [[gamma * x for x in past] for past in self.window]

    @property
    def theta(self):
        return np.array([float(x) for x in self.parameters])


class Lazy(RightGTD):
    """Gathers transitions and makes the updates when θ or w is read."""

    def reset(self, *, n_features, lambdas, theta0):
        self.waiting = []
        self.inner = RightGTD()
        self.inner.reset(n_features=n_features, lambdas=lambdas, theta0=theta0)

    def step(self, t, alpha, beta):
        self.waiting.append((t, alpha, beta))

    def flushed(self):
        for given in self.waiting:
            self.inner.step(*given)
        self.waiting = []
        return self.inner

    theta = property(lambda self: self.flushed().theta)
    w = property(lambda self: self.flushed().w)


class InPlace(Right):
    """Hands out one array again and again, and changes it in place; prints too."""

    def reset(self, *, n_features, lambdas, theta0):
        super().reset(n_features=n_features, lambdas=lambdas, theta0=theta0)
        print("reset\n" * 3)

    def step(self, t, alpha, beta):
        delta = t.reward + t.discount * (t.phi_next @ self.theta) - t.phi @ self.theta
        self.theta += alpha * delta * self.trace(t)


class LeavesThread(Right):
    """Leaves a thread behind that would keep the process for an hour."""

    def __init__(self):
        if threading.active_count() == 1:
            threading.Thread(target=time.sleep, args=(3600,)).start()


# ---- right, off the paths -------------------------------------------------------------------------


class Single(RightTDC):
    """Parameters in single precision."""

    def step(self, t, alpha, beta):
        super().step(t, alpha, beta)
        self.theta, self.w = (x.astype(np.float32).astype(np.float64) for x in (self.theta, self.w))


class Batches(Lazy):
    """Makes the updates three at a time."""

    def step(self, t, alpha, beta):
        super().step(t, alpha, beta)
        if len(self.waiting) == 3:
            self.flushed()

    theta = property(lambda self: self.inner.theta)
    w = property(lambda self: self.inner.w)


class Noisy(Right):
    """Rounds θ to a grid, up or down at random, so that the mean stays."""

    noise = 2.0**-12

    def step(self, t, alpha, beta):
        super().step(t, alpha, beta)
        up = np.array([random.random() for _ in self.theta])
        self.theta = np.floor(self.theta / self.noise + up) * self.noise


class Sometimes(Right):
    """Leaves out an update now and then, and doubles another: the mean stays, the covariance does not."""

    def step(self, t, alpha, beta):
        super().step(t, 2 * alpha if random.random() < 0.5 else 0.0, beta)


class NoisyAndDivergent(Noisy):
    """Diverges, but not in the few updates of a short trajectory."""

    runs = 0

    def reset(self, *, n_features, lambdas, theta0):
        super().reset(n_features=n_features, lambdas=lambdas, theta0=theta0)
        self.runs += 1

    def step(self, t, alpha, beta):
        super().step(t, alpha, beta)
        if self.runs > 300:
            self.theta = 1e60 * self.theta


class TooNoisy(Noisy):
    noise = 1.0


# ---- wrong ----------------------------------------------------------------------------------------


class Unnamed(Right):
    """A mistake that is in no list."""

    def step(self, t, alpha, beta):
        super().step(t, 1.001 * alpha, beta)


class LateAndWithoutRho(Right):
    def reset(self, *, n_features, lambdas, theta0):
        super().reset(n_features=n_features, lambdas=lambdas, theta0=theta0)
        self.reward = 0.0

    def step(self, t, alpha, beta):
        now, self.reward = self.reward, t.reward
        super().step(dataclasses.replace(t, reward=now), alpha, beta)


class SinglePlus(Single):
    """Single precision is not an excuse for a thousandth."""

    def step(self, t, alpha, beta):
        super().step(t, 1.001 * alpha, beta)


class NeedsArguments(Right):
    def __init__(self, size):
        self.size = size


class RaisesAtOnce(Right):
    def __init__(self):
        raise RuntimeError("no licence\nfound")


class NoStep:
    reset = Right.reset


class NoReset:
    step = Right.step


class NoTheta:
    def reset(self, *, n_features, lambdas, theta0):
        pass

    def step(self, t, alpha, beta):
        pass


class NoW(NoTheta):
    def reset(self, *, n_features, lambdas, theta0):
        self.theta = theta0


class SetsThetaLate(NoTheta):
    @property
    def theta(self):
        return self.weights


class RaisesWhenRead:
    def reset(self, **given):
        self.inner = Right()
        self.inner.reset(**given)

    def step(self, *given):
        self.inner.step(*given)

    @property
    def theta(self):
        if len(self.inner.window) == 2:
            raise RuntimeError("locked")
        return self.inner.theta


class Awaits(Right):
    async def step(self, t, alpha, beta):
        super().step(t, alpha, beta)


class Yields(Right):
    def step(self, t, alpha, beta):
        yield super().step(t, alpha, beta)


class OtherReset(Right):
    def reset(self, n):
        pass


class OtherStep(Right):
    def step(self, t):
        pass


class ListTheta(Right):
    def reset(self, *, n_features, lambdas, theta0):
        self.theta = list(theta0)


class Float32Theta(Right):
    def reset(self, *, n_features, lambdas, theta0):
        self.theta = theta0.astype(np.float32)


class ColumnTheta(Right):
    def reset(self, *, n_features, lambdas, theta0):
        super().reset(n_features=n_features, lambdas=lambdas, theta0=theta0)
        self.theta = self.theta[:, None]


class Raises(Right):
    def step(self, t, alpha, beta):
        super().step(t, alpha, beta)
        if len(self.window) == 3:
            raise KeyError("third")


class WritesIntoTheta0(Right):
    def reset(self, *, n_features, lambdas, theta0):
        super().reset(n_features=n_features, lambdas=lambdas, theta0=theta0)
        self.theta = theta0

    def step(self, t, alpha, beta):
        self.theta += 1.0


class WritesIntoPhi(Right):
    def step(self, t, alpha, beta):
        t.phi.flags.writeable = True
        t.phi[0] = 0.0


class ChangesTransition(Right):
    def step(self, t, alpha, beta):
        t.reward = 0.0


class Asks(Right):
    def step(self, t, alpha, beta):
        input("go on?")


class Exits(Right):
    def step(self, t, alpha, beta):
        super().step(t, alpha, beta)
        if len(self.window) == 2:
            os._exit(3)


class Hangs(Right):
    def step(self, t, alpha, beta):
        while len(self.window) == 2:
            print("still here " * 100)
        super().step(t, alpha, beta)


class NotANumber(Right):
    def step(self, t, alpha, beta):
        super().step(t, alpha, beta)
        if len(self.window) == 2:
            self.theta = self.theta * np.nan


class Diverges(Right):
    def step(self, t, alpha, beta):
        super().step(t, alpha, beta)
        self.theta = 1e60 * self.theta


class StartsAtZero(Right):
    def reset(self, *, n_features, lambdas, theta0):
        super().reset(n_features=n_features, lambdas=lambdas, theta0=theta0)
        self.theta = np.zeros(n_features)


class KeepsTrace(ByFirst):
    """The second run goes on with the trace of the first."""

    kind = "tdc"
    z = 0.0

    def reset(self, *, n_features, lambdas, theta0):
        kept = self.z if np.size(self.z) == n_features else np.zeros(n_features)
        super().reset(n_features=n_features, lambdas=lambdas, theta0=theta0)
        self.z = kept

    def trace(self, t):
        self.z = t.rho * (t.phi + self.lam * (1.0 if self.discount is None else self.discount) * self.z)
        self.discount = t.discount
        return self.z


class KeepsW(RightTDC):
    w = None

    def reset(self, *, n_features, lambdas, theta0):
        kept = self.w
        super().reset(n_features=n_features, lambdas=lambdas, theta0=theta0)
        if kept is not None and len(kept) == n_features:
            self.w = kept


class OneWindow(Right):
    """The window belongs to the class, and is emptied in reset: two instances share it."""

    shared: ClassVar = []

    def reset(self, *, n_features, lambdas, theta0):
        super().reset(n_features=n_features, lambdas=lambdas, theta0=theta0)
        del self.shared[:]

    def trace(self, t):
        self.window = [x for x in self.shared if len(x) == len(t.phi)]
        z = super().trace(t)
        self.shared[:] = self.window
        return z


class NeverEmptied(OneWindow):
    """The same, and reset does not empty it."""

    def reset(self, *, n_features, lambdas, theta0):
        Right.reset(self, n_features=n_features, lambdas=lambdas, theta0=theta0)
        if self.shared and len(self.shared[0]) != n_features:
            del self.shared[:]


class ResetsOnce(Right):
    w = None

    def reset(self, *, n_features, lambdas, theta0):
        assert self.w is None, "used"
        super().reset(n_features=n_features, lambdas=lambdas, theta0=theta0)


class Outer:
    class Inner(Right):
        pass


not_a_class = Right()


class OneStepSize:
    """TD without a trace: ``step`` names one step size and ``reset`` no start."""

    def reset(self, *, n_features):
        self.theta = np.zeros(n_features)

    def step(self, t, alpha):
        self.theta = self.theta + alpha * (t.reward + self.theta @ (t.discount * t.phi_next - t.phi)) * t.phi


class ByOtherNames(OneStepSize):
    def step(self, t, rate):
        super().step(t, rate)


class ByName(OneStepSize):
    def step(self, t, *, beta=None, alpha):
        super().step(t, alpha + 0 * beta)


class AnySteps(OneStepSize):
    def step(self, *args):
        t, alpha, _ = args
        super().step(t, alpha)


class TDCFromW:
    """λ = 0; both starts and both step sizes by their names."""

    def reset(self, *, n_features, theta0, w0):
        self.theta, self.w = theta0.copy(), w0.copy()

    def step(self, t, *, beta, alpha):
        delta = t.reward + self.theta @ (t.discount * t.phi_next - t.phi)
        seen = t.phi @ self.w
        self.theta = self.theta + alpha * t.rho * (delta * t.phi - t.discount * seen * t.phi_next)
        self.theta = self.theta - alpha * (1 - t.rho) * seen * t.phi
        self.w = self.w + beta * (t.rho * delta - seen) * t.phi


class ForgetsW(TDCFromW):
    def reset(self, *, n_features, theta0, w0):
        self.theta, self.w = theta0.copy(), 0 * w0


class NoisyFromZero(OneStepSize):
    def step(self, t, alpha):
        super().step(t, alpha)
        self.theta = np.floor(self.theta * 2**12 + np.random.random(self.theta.shape)) / 2**12


class WrongThenHangs(Hangs):
    def step(self, t, alpha, beta):
        self.theta = self.theta + 0.3
        super().step(t, alpha, beta)
