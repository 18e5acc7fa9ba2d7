r"""The long-run covariance of the increments at the rest point, exact, for models of any number of windows; and what
averaging makes of it.

ε_t = δ_t(θ*) z_t has mean zero in the stationary regime. With p_l = Π_{i=t−l}^{t−1} ρ_i Γ_i as in
:mod:`tdcert.theory.check.trace_law` and g(s) = E[ρ_t δ_t | s_t = s], the sum of T of them from time t on has, given the
window, the mean

    H_T(window) = X_T(s_t) + Σ_{l≥1} p_l φ(s_{t−l}) q_{l,T}(s_t),

    q_{l,T} = c_l g + N q_{l+1,T−1},        X_T = diag(q_{0,T}) Φ + P X_{T−1},        q_{l,0} = X_0 = 0:

the window enters through functions of s_t alone, so everything is found through P (n×n), never through the chain of
windows. Without a horizon, q_l = c_l g + N q_{l+1} and (I − P) X = diag(q_0) Φ: H then solves the Poisson equation
H(x) − E[H(x') | x] = E[ε | x] of the window chain, on periodic chains too. With S_0 = E[ε_0 ε_0ᵀ],

    Cov(ε_0 + … + ε_{T−1}) = T S_0 + Σ_{k=1}^{T−1} (K_k + K_kᵀ),        K_k = E[ε_0 H_k(x_1)ᵀ],
    Σ = Σ_k E[ε_0 ε_kᵀ] (over all integers) = S_0 + K + Kᵀ,             K = E[ε_0 H(x_1)ᵀ].

m = ε_0 + H(x_1) − H(x_0) is a martingale difference, and Σ = E[m mᵀ] as well. Products of two sums over the window
are again sums over pairs of lags (:func:`_pairs`). Polyak–Ruppert averages of θ_{t+1} = θ_t + α_t(J θ_t + …) have the
limit covariance J⁻¹ΣJ⁻ᵀ. Source of the window: §4, X_t.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Generic

import numpy as np
from numpy.typing import NDArray

from tdcert.theory.arithmetic import BallMatrix, RationalMatrix
from tdcert.theory.arithmetic.ball import precision
from tdcert.theory.arithmetic.float_enclosures import MidRadMatrix
from tdcert.theory.check.trace_law import (
    Mat,
    exact,
    monomials,
    reached,
    trace_moments,
)
from tdcert.theory.errors import SingularMatrixError
from tdcert.theory.model.key_matrices import KeyMatrices, behaviour_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import trace_weights


def at_rest(model: Model, theta: RationalMatrix) -> Model:
    """The model whose rewards are the TD errors R + Γ φ(s')ᵀθ − φ(s)ᵀθ (θ is d×1): its iterates are those of ``model``
    minus θ. At θ = θ* its own θ* is zero, and so ε_t = R_{t+1} z_t.
    """
    value = (model.features @ theta) @ RationalMatrix([[1] * model.n])
    pairs = zip(model.rewards, model.discounts, strict=True)
    errors = tuple(_td_errors(_full(R, model.n), _full(gamma, model.n), value) for R, gamma in pairs)
    return replace(model, rewards=errors, name=f"{model.name}, around θ".removeprefix(", "))


def _td_errors(R: Mat, gamma: Mat, value: Mat) -> Mat:
    """δ of every transition (n×n); row s of ``value`` repeats φ(s)ᵀθ."""
    return R + gamma.hadamard(value.T) - value


def _full(table: RationalMatrix, n: int) -> RationalMatrix:
    """n×n from what is given per transition, or per state left."""
    return table if table.shape[1] == n else table @ RationalMatrix([[1] * n])


@dataclass(frozen=True)
class Ahead(Generic[Mat]):
    """The two parts of H: ``X`` (n×d), and ``q`` (n×(L + 1)) with the columns q_0 … q_L; q_{L+1} = 0.

    For a constant λ without end q_l = λˡ q_0, and ``q`` is q_0 alone.
    """

    X: Mat
    q: Mat


@dataclass(frozen=True)
class InNumbers(Generic[Mat]):
    """What no schedule changes, on one recurrent class, in the number system of ``lift``: shared by the schedules of a
    comparison. ``given``: the stationary law (n×1, zero outside the class), None where it is found exactly.
    """

    model: Model
    states: tuple[int, ...]
    lift: Callable[[RationalMatrix], Mat]
    given: Mat | None = None

    @cached_property
    def law(self) -> Mat:
        """The stationary law (n×1)."""
        return self.lift(behaviour_matrices(self.model, self.states).d) if self.given is None else self.given

    @cached_property
    def Phi(self) -> Mat:
        """The features (n×d)."""
        return self.lift(self.model.features)

    @cached_property
    def ones(self) -> Mat:
        """The column of n ones."""
        return self.lift(RationalMatrix.column([1] * self.model.n))

    @cached_property
    def outcomes(self) -> list[tuple[Mat, Mat, Mat, list[Fraction], list[Fraction]]]:
        """P_a, R_a, Γ_a (n×n), and ρ and μ of the action in every state; actions never taken are left out."""
        model, found = self.model, []
        for a, P in enumerate(model.transitions):
            mu, pi = model.behaviour.column_entries(a), model.target.column_entries(a)
            if any(mu):
                ratio = [p / m if m else Fraction(0) for p, m in zip(pi, mu, strict=True)]
                reward, gamma = self._full(model.rewards[a]), self._full(model.discounts[a])
                found.append((self.lift(P), reward, gamma, ratio, list(mu)))
        return found

    def _full(self, table: RationalMatrix) -> Mat:
        """n×n from what is given per transition, or per state left."""
        lifted = self.lift(table)
        return lifted if table.shape[1] == self.model.n else lifted @ self.ones.T

    def weighted(self, rho: int, factors: Sequence[Sequence[Mat]]) -> Mat:
        """E[ρ^``rho`` Π 1{s_{t+1} = s'} | s_t = s] (n×n) under the behaviour policy, ``factors`` (n×n) by outcome."""
        parts = []
        for (P, _, _, ratio, mu), here in zip(self.outcomes, factors, strict=True):
            part = P.scale_rows(self.lift(RationalMatrix.column([m * x**rho for m, x in zip(mu, ratio, strict=True)])))
            for factor in here:
                part = part.hadamard(factor)
            parts.append(part)
        return sum(parts[1:], start=parts[0])

    @cached_property
    def kernels(self) -> tuple[Mat, Mat, Mat]:
        """P, N and N₂ of :mod:`tdcert.theory.check.trace_law`: transitions weighted with (ρΓ)⁰, ρΓ and (ρΓ)²."""
        gammas = [gamma for _, _, gamma, _, _ in self.outcomes]
        none, one, two = (self.weighted(k, [[gamma] * k for gamma in gammas]) for k in range(3))
        return none, one, two

    def at(self, places: Sequence[int], values: Mat) -> Mat:
        """The rows of ``values`` at these states, zero at others (n rows)."""
        return self.ones.identity(self.model.n).take(columns=places) @ values

    @cached_property
    def without_last(self) -> Mat:
        """I − P on the class without its last state, of which there must be another."""
        inner = self.kernels[0].take(self.states[:-1], self.states[:-1])
        return inner.identity(len(self.states) - 1) - inner

    def poisson(self, right: Mat) -> Mat:
        """X with (I − P)X = ``right`` (of mean zero) on the class; zero at its last state, and outside."""
        free = self.states[:-1]
        return self.at(free, self.without_last.solve(right.take(rows=free))) if free else right.scaled(0)

    @cached_property
    def reached(self) -> tuple[int, ...]:
        """The states that a trace can come to from where it begins."""
        return reached(self.model, self.states)

    def series(self, kernel: Mat, factor: Fraction, right: Mat) -> Mat:
        """Σ_k (factor · kernel)ᵏ ``right`` on :attr:`reached`, if the sum exists; zero elsewhere."""
        if not self.reached:
            return right.scaled(0)
        inner = kernel.take(self.reached, self.reached).scaled(factor)
        solved = (inner.identity(len(self.reached)) - inner).solve(right.take(rows=self.reached))
        return self.at(self.reached, solved)

    def keys(self, model: Model) -> KeyMatrices[Mat]:
        """The matrices that the algorithm meets under the schedule of ``model``."""
        N = self.kernels[1]
        if not model.has_trace_sum:  # rows that the class never reaches weigh nothing
            inside = set(model.reached_by_target(self.states))
            N = N.scale_rows(self.lift(RationalMatrix.column([int(s in inside) for s in range(model.n)])))
        rewards = self.weighted(1, [[reward] for _, reward, _, _, _ in self.outcomes])
        mass = None
        if model.uncovered:
            mass = self.lift(RationalMatrix.column([sum(row, Fraction(0)) for row in model.covered_policy.rows]))
        return KeyMatrices(
            self.law, N, rewards @ self.ones, self.Phi, model.schedule.lambdas, model.schedule.tail, mass
        )


@dataclass(frozen=True)
class NoiseIn(Generic[Mat]):
    """ε_t = δ_t(θ*) z_t in the stationary regime on one recurrent class, in the number system of ``lift``. θ* must
    exist; for a λ without end z must have second moments (:mod:`tdcert.theory.check.trace_law`), else the numbers mean
    nothing.

    ``elsewhere`` (d×1): another point in the place of θ*, for the moments at one time; what sums over times holds at
    θ*. ``shared``: what other schedules of the same model have computed.
    """

    model: Model
    states: tuple[int, ...]
    lift: Callable[[RationalMatrix], Mat]
    elsewhere: RationalMatrix | None = None
    shared: InNumbers[Mat] | None = None

    @cached_property
    def about(self) -> InNumbers[Mat]:
        """What the schedule does not change."""
        return self.shared or InNumbers(self.model, self.states, self.lift)

    @cached_property
    def lifted(self) -> KeyMatrices[Mat]:
        """The matrices that the algorithm meets, in the number system of ``lift``."""
        return self.about.keys(self.model)

    @cached_property
    def theta(self) -> Mat:
        """θ* (d×1), or the point in its place."""
        return self.lifted.theta_star if self.elsewhere is None else self.lift(self.elsewhere)

    @cached_property
    def weights(self) -> list[Fraction]:
        """c_0 … c_L; c_0 alone without end."""
        return list(trace_weights(self.model.schedule.lambdas))

    def kernel(self, delta: int, rho: int, discount: int) -> Mat:
        """E[ρ^``rho`` δ(θ*)^``delta`` Γ^``discount`` 1{s_{t+1} = s'} | s_t = s] (n×n) under the behaviour policy."""
        factors = [[error] * delta + [gamma] * discount for _, error, gamma, _, _ in self._outcomes]
        return self.about.weighted(rho, factors)

    @cached_property
    def _outcomes(self) -> list[tuple[Mat, Mat, Mat, list[Fraction], list[Fraction]]]:
        """P_a, δ_a, Γ_a (n×n), and ρ and μ of the action in every state; actions never taken are left out."""
        value = self.lifted.Phi @ self.theta @ self.about.ones.T
        return [(P, _td_errors(R, gamma, value), gamma, ratio, mu) for P, R, gamma, ratio, mu in self.about.outcomes]

    @cached_property
    def drift(self) -> Mat:
        """g(s) = E[ρ δ(θ*) | s] (n×1)."""
        return self.errors @ self.about.ones

    @cached_property
    def errors(self) -> Mat:
        """E[ρ δ(θ*) 1{s_{t+1} = s'} | s_t = s] (n×n)."""
        return self.kernel(1, 1, 0)

    @cached_property
    def trace(self) -> Mat:
        """E[1{s} z̃] (n×d), z̃ the trace without its last ρ."""
        lam, past = self.model.schedule.tail, self._past(len(self.weights))
        if lam:
            return self.about.series(self.about.kernels[1].T, lam, past[0])
        terms = [before.scaled(c) for c, before in zip(self.weights, past, strict=True)]
        return sum(terms[1:], start=terms[0])

    def square(self, weight: Mat) -> Mat:
        """E[w(s) z̃ z̃ᵀ] (d×d) for a function w of the state (n×1), through the younger of two lags.

        That takes m steps of N₂: Σ_m c_m N₂ᵐ c_{m+e} w stands at φ_{−m}, whatever is e steps older.
        """
        lam, Phi, N2 = self.model.schedule.tail, self.lifted.Phi, self.about.kernels[2]
        if lam:
            weighted = Phi.scale_rows(self.about.series(N2, lam * lam, weight)).T
            total = weighted @ self.trace
            return total + total.T - weighted @ self._past(1)[0]
        c = self.weights
        steps = [weight @ self.lift(RationalMatrix([[c[m] * x for x in c[m:]]])) for m in range(len(c))]
        columns, past = _horner(N2, steps), self._past(len(c))
        total = Phi.scale_rows(columns[0]).T @ past[0]
        for column, before in zip(columns[1:], past[1:], strict=True):
            cross = Phi.scale_rows(column).T @ before
            total = total + cross + cross.T
        return total

    @cached_property
    def mean(self) -> Mat:
        """E ε (d×1): zero at θ*."""
        return self.trace.T @ self.drift

    @cached_property
    def variance(self) -> Mat:
        """S_0 = E[ε εᵀ]."""
        return self.square(self.kernel(2, 2, 0) @ self.about.ones)

    def lagged(self, lags: int) -> list[Mat]:
        """E[ε_0 ε_kᵀ] for k = 0 … ``lags``."""
        found, before = [self.variance], None
        for ahead in self.horizon(lags):
            K = self.cross(ahead)
            found.append(K if before is None else K - before)
            before = K
        return found

    # ---- what is to come, given the window ----------------------------------------------------------

    @cached_property
    def forever(self) -> Ahead[Mat]:
        """The solution of the Poisson equation; X is zero at the last state of the class, and outside the class."""
        n, lam = self.model.n, self.model.schedule.tail
        if lam:
            q = (self.lifted.N.identity(n) - self.lifted.N.scaled(lam)).solve(self.drift)
        else:
            columns = [self.drift.scaled(self.weights[-1])]
            for c in reversed(self.weights[:-1]):
                columns.append(self.drift.scaled(c) + self.lifted.N @ columns[-1])
            q = columns[-1].beside(*columns[-2::-1])
        # one equation depends on the others, and X is unique up to a constant
        return Ahead(self.about.poisson(self._present(q)), q)

    def horizon(self, steps: int) -> list[Ahead[Mat]]:
        """H_1 … H_T for T = ``steps``: the mean of ε_t + … + ε_{t+k−1} given the window at t, k = 1 … T."""
        lam = self.model.schedule.tail
        level = self.drift @ self.lift(RationalMatrix([[1] if lam else self.weights]))
        found: list[Ahead[Mat]] = []
        for _ in range(steps):
            if not found:
                found.append(Ahead(self._present(level), level))
                continue
            moved = self.lifted.N @ found[-1].q
            # q_{l+1} stands one column to the right; without end it is λ q_l
            q = level + (moved.scaled(lam) if lam else _shifted(moved))
            found.append(Ahead(self._present(q) + self.about.kernels[0] @ found[-1].X, q))
        return found

    def _present(self, q: Mat) -> Mat:
        """diag(q_0) Φ."""
        return self.lifted.Phi.scale_rows(q.take(columns=[0]))

    # ---- covariances --------------------------------------------------------------------------------

    def cross(self, ahead: Ahead[Mat]) -> Mat:
        """K = E[ε_0 H(x_1)ᵀ] (d×d)."""
        lam = self.model.schedule.tail
        arrived = self.errors.T @ self.trace
        total = arrived.T @ ahead.X
        again = self.kernel(1, 2, 1) @ ahead.q
        if lam:
            return total + self.square(again).scaled(lam)
        # p_l of x_1 is ρ_0 Γ_0 times p_{l−1} of x_0
        c, kappa = self.weights, [again.take(columns=[k]) for k in range(1, len(self.weights))]
        if not kappa:
            return total
        newer = [kappa[j].beside(*kappa[j + 1 :]).scaled(c[j]) for j in range(len(kappa))]
        older = [kappa[j] @ self.lift(RationalMatrix([c[j + 1 :]])) for j in range(len(kappa))]
        return total + self._pairs(newer, older)

    def long_run(self) -> Mat:
        """Σ from the Poisson equation."""
        K = self.cross(self.forever)
        return self.variance + K + K.T

    def of_sum(self, steps: int) -> Mat:
        """Cov(ε_0 + … + ε_{T−1}) for T = ``steps``."""
        total = self.variance.scaled(steps)
        for ahead in self.horizon(steps - 1):
            K = self.cross(ahead)
            total = total + K + K.T
        return total

    def _past(self, count: int) -> list[Mat]:
        """E[1{s_t = s} p_e φ(s_{t−e})] (n×d) for e = 0 … count − 1."""
        found = [self.lifted.Phi.scale_rows(self.lifted.d)]
        for _ in range(count - 1):
            found.append(self.lifted.N.T @ found[-1])
        return found

    def _pairs(self, newer: Sequence[Mat], older: Sequence[Mat]) -> Mat:
        """Σ_{i,l} E[p_i p_l φ_{−i} φ_{−l}ᵀ K_il(s_0)] for functions K_il of the state.

        ``newer[m]`` has the columns K_{m,m}, K_{m,m+1}, …; ``older[m]`` the columns K_{m+1,m}, K_{m+2,m}, …. The
        younger of two lags takes m steps of N₂, the rest of the other one e steps of N: Horner's rule in N₂.
        """
        N2 = self.about.kernels[2]
        past = self._past(max(newer[0].shape[1], older[0].shape[1] + 1 if older else 1))
        total = self.lift(RationalMatrix.zeros(self.model.d, self.model.d))
        for e, column in enumerate(_horner(N2, newer)):
            total = total + self.lifted.Phi.scale_rows(column).T @ past[e]
        for e, column in enumerate(_horner(N2, older), start=1):
            total = total + past[e].T @ self.lifted.Phi.scale_rows(column)
        return total


class ExactNoise(NoiseIn[RationalMatrix]):
    """ε in exact arithmetic. Its digits grow with n and L; for large models see :func:`enclosed_long_run`."""

    def __init__(self, model: Model, states: tuple[int, ...], theta: RationalMatrix | None = None) -> None:
        super().__init__(model, states, exact, theta)

    @cached_property
    def keys(self) -> KeyMatrices[RationalMatrix]:
        """The matrices that the algorithm meets."""
        return behaviour_matrices(self.model, self.states)

    @cached_property
    def lifted(self) -> KeyMatrices[RationalMatrix]:
        """The matrices of :attr:`keys`, whose A and θ* others may have computed already."""
        return self.keys

    @cached_property
    def quartic(self) -> tuple[Fraction, ...]:
        """E ε_i ε_j ε_k ε_l over ``monomials(d, 4)``."""
        fourth = self.kernel(4, 4, 0) @ RationalMatrix.column([1] * self.model.n)
        return (fourth.T @ trace_moments(self.model, self.states, 4)[4]).rows[0]

    def products(self) -> tuple[list[Fraction], list[Fraction]]:
        """Mean and variance of ε_i ε_j over ``monomials(d, 2)``, i ≤ j."""
        quartic = dict(zip(monomials(self.model.d, 4), self.quartic, strict=True))
        pairs = monomials(self.model.d, 2)
        mean = [self.variance[i, j] for i, j in pairs]
        return mean, [quartic[i, i, j, j] - x**2 for (i, j), x in zip(pairs, mean, strict=True)]

    def martingale(self) -> RationalMatrix:
        """E[m mᵀ] for m = ε_0 + H(x_1) − H(x_0), which is [X(s_1) − E X(s_1)] + Σ_{l≥0} p_l φ_{−l} β_l with
        β_l = c_l ρδ + ρΓ q_{l+1}(s_1) − q_l(s_0); a schedule without end has β_l = λˡ β_0.
        """
        model, lam = self.model, self.model.schedule.tail
        n, d, q, X = model.n, model.d, self.forever.q, self.forever.X
        length = q.shape[1]
        c = self.weights[:length]
        shifted = q.scaled(lam) if lam else _shifted(q)
        ahead, here, mean = shifted.rows, q.rows, (model.behaviour_chain.P @ X).rows
        jumps, weights = list[list[Fraction]](), list[Fraction]()
        mixed = [[[Fraction(0)] * d for _ in range(length)] for _ in range(n)]
        both = [[[Fraction(0)] * length for _ in range(length)] for _ in range(n)]
        for P, delta, gamma, ratio, mu in self._outcomes:
            for s in self.states:
                for j, p in enumerate(P.rows[s]):
                    weight = mu[s] * p
                    if weight == 0:
                        continue
                    jump = [x - y for x, y in zip(X.rows[j], mean[s], strict=True)]
                    up, on = ratio[s] * delta[s, j], ratio[s] * gamma[s, j]
                    beta = [c[k] * up + on * ahead[j][k] - here[s][k] for k in range(length)]
                    jumps.append(jump)
                    weights.append(self.keys.d[s, 0] * weight)
                    for k, b in enumerate(beta):
                        mixed[s][k] = [x + weight * b * y for x, y in zip(mixed[s][k], jump, strict=True)]
                        both[s][k] = [x + weight * b * y for x, y in zip(both[s][k], beta, strict=True)]
        J = RationalMatrix(jumps)
        total = J.scale_rows(RationalMatrix.column(weights)).T @ J
        if lam:
            cross = self.trace.T @ RationalMatrix([row[0] for row in mixed])
            squares = RationalMatrix([row[0] for row in both])
            return total + cross + cross.T + self.square(squares)
        for k, past in enumerate(self._past(length)):
            cross = past.T @ RationalMatrix([row[k] for row in mixed])
            total = total + cross + cross.T
        newer = [RationalMatrix([row[k][k:] for row in both]) for k in range(length)]
        older = [RationalMatrix([row[k][k + 1 :] for row in both]) for k in range(length - 1)]
        return total + self._pairs(newer, older)


@dataclass(frozen=True)
class EnclosedCovariance:
    """Entries ``middle`` ± ``radius`` (d×d floats)."""

    middle: NDArray[np.float64]
    radius: NDArray[np.float64]


def shows_second_moments(about: InNumbers[MidRadMatrix], tail: Fraction) -> bool:
    """Whether traces under a λ without end are shown to have second moments: (I − B)y = 1 has a solution y > 0 for
    B = λ²N₂ ≥ 0, so that By < y, and B has a radius below one.
    """
    try:
        y = about.series(about.kernels[2], tail * tail, about.ones)
    except SingularMatrixError:
        return False
    return all(y.lower[s, 0] > 0 for s in about.reached)


def enclosed_long_run(model: Model, states: tuple[int, ...]) -> tuple[EnclosedCovariance, EnclosedCovariance]:
    """Σ and A⁻¹ΣA⁻ᵀ on a recurrent class in balls of 320 bits, for models of a hundred states and tens of lags.

    Only the law is exact. Raises SingularMatrixError where a system may be singular within its balls.
    """
    with precision(320):
        noise = NoiseIn(model, states, BallMatrix.enclosing)
        Sigma, A = noise.long_run(), noise.lifted.A
        limit = averaged_covariance(A, Sigma)
        return EnclosedCovariance(Sigma.to_float(), Sigma.radius()), EnclosedCovariance(
            limit.to_float(), limit.radius()
        )


def _horner(N2: Mat, terms: Sequence[Mat]) -> list[Mat]:
    """The columns of Σ_m N₂ᵐ terms[m]; later terms may have fewer columns."""
    if not terms:
        return []
    total = terms[-1]
    for term in reversed(terms[:-1]):
        moved = N2 @ total
        missing = range(moved.shape[1], term.shape[1])
        total = term + (moved.beside(term.take(columns=missing).scaled(0)) if missing else moved)
    return [total.take(columns=[k]) for k in range(total.shape[1])]


def _shifted(q: Mat) -> Mat:
    """The columns one place to the left, zero at the end."""
    return q.take(columns=range(1, q.shape[1])).beside(q.take(columns=[0]).scaled(0))


def averaged_covariance(J: Mat, noise: Mat) -> Mat:
    """J⁻¹ noise J⁻ᵀ."""
    return J.solve(J.solve(noise).T).T


def is_averaged_covariance(X: RationalMatrix, J: RationalMatrix, noise: RationalMatrix) -> bool:
    """Whether X = J⁻¹ noise J⁻ᵀ, by multiplying back. Raises SingularMatrixError where there is no J⁻¹."""
    if J.rank < J.shape[0]:
        raise SingularMatrixError("the mean matrix is singular: averages have no limit covariance")
    return noise == J @ X @ J.T
