r"""The set of all models around a model, bounded as sets of models are, so that one form decides for all of it.

What changes is one of the four of :mod:`tdcert.theory.engine.perturbation`, each of whose laws stays within ε in total
variation. With μ, π, P and γ of a model around, sums Σ W_kl A_kl are stationary means, and for every h at most

    max_s (c_s + max Σ_a Σ_j p_saj (γ_saj π(a|s) w_sj + μ(a|s) h_j) − h_s),

the inner maximum over what changes in the state s (:mod:`tdcert.theory.samples.extremes`). It is linear there, so over
laws within ε of one its largest value is found exactly: mass goes from the lowest values to the highest. That several
steps ahead may meet several discounts or policies, each within ε, only enlarges the set.

The verdicts are those of TD, GTD and TDC, which the checker replays (docs/certificates.md, *Models around a model*).
The enclosures of :mod:`tdcert.theory.engine.around` are of any update, and what they show has no certificate.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil, lcm
from operator import mul

import numpy as np
from numpy.typing import NDArray

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.engine.perturbation import Change, Perturbation
from tdcert.theory.model.canonical import CanonicalAround
from tdcert.theory.model.key_matrices import KeyMatrices, behaviour_matrices
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.samples.extremes import FINE, UNIT, policy_iteration
from tdcert.theory.samples.intervals import IntervalMatrix, rounded_down, rounded_up
from tdcert.theory.samples.model_set import ModelSet

Floats = NDArray[np.float64]
Integers = list[list[int]]


def largest_mean(law: Sequence[int], values: Sequence[int], within: int) -> int:
    """The largest mean of ``values`` under laws within that distance of ``law`` in total variation; law and distance in
    one unit.
    """
    best, left = max(values), within
    total: int = sum(map(mul, law, values))
    for k in sorted(range(len(law)), key=values.__getitem__):
        step = min(left, law[k])
        total, left = total + step * (best - values[k]), left - step
    return total


def _best_law(law: Floats, values: Floats, within: float) -> Floats:
    """The law at which that mean is attained, in floats."""
    order = np.argsort(values)
    found, taken = law.copy(), np.clip(within - (np.cumsum(law[order]) - law[order]), 0, law[order])
    found[order] -= taken
    found[order[-1]] += taken.sum()
    return found


@dataclass(frozen=True, eq=False)
class ModelsNear(ModelSet):
    """All models around that of a ``perturbation`` within ``epsilon`` in total variation, coverage kept; ``features``:
    n×d, a multiple of the model's. The model has one recurrent class, a schedule of λ's in [0, 1] by time, no interest,
    and is followed along a path.
    """

    perturbation: Perturbation
    epsilon: Fraction
    features: RationalMatrix
    schedule: Schedule

    @staticmethod
    def of(perturbation: Perturbation, epsilon: Fraction, schedule: Schedule) -> ModelsNear:
        """The set with the model's own features and λ's."""
        return ModelsNear(perturbation, epsilon, perturbation.model.features, schedule)

    @cached_property
    def canonical(self) -> CanonicalAround:
        """The set as certificates hold it."""
        perturbation = self.perturbation
        return {
            "format": "tdcert-around/1",
            "change": perturbation.change.value,
            "within": str(self.epsilon),
            "model": perturbation.model.canonical,
        }

    @cached_property
    def digest(self) -> str:
        """Its digest."""
        text = json.dumps(self.canonical, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(text.encode("ascii")).hexdigest()

    @property
    def largest_discount(self) -> Fraction:
        """No discount of a model of the set is larger."""
        change, discounts = self.perturbation.change, self.perturbation.model.discounts
        largest = max(x for matrix in discounts for row in matrix.rows for x in row)
        return min(Fraction(1), largest + self.epsilon) if change is Change.DISCOUNT else largest

    @cached_property
    def in_unit(self) -> ModelsNear:
        """This set with features divided by a power of two."""
        unit = Fraction(2) ** self.features.magnitude
        return self if unit == 1 else replace(self, features=self.features.scaled(1 / unit))

    # ---- the middle -----------------------------------------------------------------------------

    @cached_property
    def _keys(self) -> KeyMatrices[RationalMatrix]:
        model = self.perturbation.model
        return behaviour_matrices(replace(model, features=self.features), model.classes[0])

    @property
    def central_A(self) -> RationalMatrix:
        """A of the model itself."""
        return self._keys.A

    @property
    def central_C(self) -> Floats:
        """C of the model itself."""
        return np.asarray(self._keys.C.to_float(), dtype=np.float64)

    # ---- the behaviour chain --------------------------------------------------------------------

    @cached_property
    def core(self) -> tuple[int, ...]:
        """States that every model visits for ever."""
        model, change = self.perturbation.model, self.perturbation.change
        lost = self.epsilon if change is Change.TRANSITIONS else Fraction(0)
        after = []
        for s, (mu, pi) in enumerate(zip(model.behaviour.rows, model.target.rows, strict=True)):
            sure = [
                a for a, y in enumerate(mu) if y and (change is not Change.BEHAVIOUR or y > self.epsilon or pi[a] > 0)
            ]
            after.append({j for a in sure for j in range(model.n) if model.transitions[a][s, j] > lost})
        common = set(range(model.n))
        for s in range(model.n):
            found, waiting = {s}, [s]
            while waiting:
                new = after[waiting.pop()] - found
                found |= new
                waiting += new
            common &= found
        return tuple(sorted(common))

    @cached_property
    def _numbers(self) -> tuple[Floats, Floats, Floats, Floats]:
        """P (m×n×n), μ, π (n×m) and γ (m×n×n), in floats."""
        model = self.perturbation.model
        n, P = model.n, np.array([matrix.to_float() for matrix in model.transitions])
        gamma = np.array([np.broadcast_to(matrix.to_float(), (n, n)) for matrix in model.discounts])
        return P, model.behaviour.to_float(), model.target.to_float(), gamma

    def _choice(self, s: int, w: Floats, h: Floats) -> tuple[Floats, float]:
        """The row of the behaviour chain (n) in the state where what :meth:`_most` bounds is largest, and what it has
        of w (n) there, in floats.
        """
        (P, mu, pi, gamma), change, e = self._numbers, self.perturbation.change, float(self.epsilon)
        P, mu, pi, gamma = P[:, s], mu[s], pi[s], gamma[:, s]
        if change is Change.TRANSITIONS:
            laws = [_best_law(P[a], x * gamma[a] * w + y * h, e) for a, (x, y) in enumerate(zip(pi, mu, strict=True))]
            own = sum(float(law @ (gamma[a] * w)) * pi[a] for a, law in enumerate(laws))
            return np.asarray(mu @ np.array(laws)), own
        worth = (P * gamma) @ w
        if change is Change.BEHAVIOUR:
            return np.asarray(_best_law(mu, P @ h, e) @ P), float(pi @ worth)
        if change is Change.TARGET:
            may = np.flatnonzero(mu)
            return np.asarray(mu @ P), float(_best_law(pi[may], worth[may], e) @ worth[may])
        low, high = np.maximum(gamma - e, 0), np.minimum(gamma + e, 1)
        if self.perturbation.model.gamma is not None:
            x = float(pi @ (P @ w))
            return np.asarray(mu @ P), max(float(low[0, 0]) * x, float(high[0, 0]) * x)
        return np.asarray(mu @ P), float(pi @ (P * np.maximum(low * w, high * w)).sum(axis=1))

    def _proposed(self, c: Floats, worth: Floats) -> Floats:
        """h (n) by policy iteration in floats."""

        def choose(h: Floats) -> tuple[Floats, Floats]:
            rows, own = zip(*(self._choice(s, worth[s], h) for s in range(len(c))), strict=True)
            return np.array(rows), c + np.array(own)

        return policy_iteration(len(c), choose)

    def potential(self, W: RationalMatrix) -> list[int]:
        """The vector h by which Σ W_kl A_kl is bounded from above."""
        return self._potential(*self.asked(W))

    def _potential(self, c: Sequence[Fraction], worth: Sequence[Sequence[Fraction]]) -> list[int]:
        floats = np.array([[float(x) for x in row] for row in worth])
        return [round(float(x) * UNIT) for x in self._proposed(np.array([float(x) for x in c]), floats)]

    def most(self, W: RationalMatrix) -> Fraction:
        """An upper bound of Σ W_kl A_kl over the set (W d×d)."""
        c, worth = self.asked(W)
        h = self._potential(c, worth)
        fine = [x * (FINE // UNIT) for x in h]
        most = [self._most(s, [ceil(x * FINE) for x in row], fine) for s, row in enumerate(worth)]
        return max(c[s] - Fraction(h[s], UNIT) + x / FINE for s, x in enumerate(most))

    @cached_property
    def _whole(self) -> tuple[int, int, Integers, Integers, list[Integers], list[Integers]]:
        """The unit of all numbers, and in it ε, μ, π (n×m), P and γ (n×m×n), all whole."""
        model, n = self.perturbation.model, self.perturbation.model.n
        tables = (*model.transitions, *model.discounts, model.behaviour, model.target)
        unit = lcm(self.epsilon.denominator, *(x.denominator for table in tables for row in table.rows for x in row))

        def whole(row: Sequence[Fraction]) -> list[int]:
            return [int(x * unit) for x in row]

        P = [[whole(matrix.rows[s]) for matrix in model.transitions] for s in range(n)]
        gamma = [[whole(G.rows[s] if G.shape[1] > 1 else G.rows[s] * n) for G in model.discounts] for s in range(n)]
        policies = [[whole(row) for row in policy.rows] for policy in (model.behaviour, model.target)]
        return unit, int(self.epsilon * unit), policies[0], policies[1], P, gamma

    def _most(self, s: int, w: Sequence[int], h: Sequence[int]) -> Fraction:
        """The most that row s of N may give of w, and that of the behaviour chain of h, together."""
        change, (unit, e, every_mu, every_pi, every_P, every_gamma) = self.perturbation.change, self._whole
        mu, pi, P, gamma = every_mu[s], every_pi[s], every_P[s], every_gamma[s]
        actions, cube = range(len(P)), unit**3
        if change is Change.TRANSITIONS:
            worth = [
                [pi[a] * g * x + unit * mu[a] * y for g, x, y in zip(gamma[a], w, h, strict=True)] for a in actions
            ]
            return Fraction(sum(largest_mean(P[a], worth[a], e) for a in actions if mu[a] or pi[a]), cube)
        here = [sum(map(mul, P[a], h)) for a in actions]  # in unit, as all rows below are in its square
        ahead = [sum(map(mul, P[a], map(mul, gamma[a], w))) for a in actions]
        if change is Change.BEHAVIOUR:
            return Fraction(sum(map(mul, pi, ahead)) + unit * largest_mean(mu, here, e), cube)
        chain = unit * sum(map(mul, mu, here))
        if change is Change.TARGET:
            may = [a for a in actions if mu[a]]
            return Fraction(chain + largest_mean([pi[a] for a in may], [ahead[a] for a in may], e), cube)
        if self.perturbation.model.gamma is not None:
            x, g = sum(pi[a] * sum(map(mul, P[a], w)) for a in actions), gamma[0][0]
            return Fraction(chain + max(max(0, g - e) * x, min(unit, g + e) * x), cube)
        best = [
            [max(max(0, g - e) * x, min(unit, g + e) * x) for g, x in zip(gamma[a], w, strict=True)] for a in actions
        ]
        return Fraction(chain + sum(pi[a] * sum(map(mul, P[a], best[a])) for a in actions), cube)

    @property
    def kernel(self) -> _KernelNear:
        """N over the set."""
        return _KernelNear(self)

    def ahead_of(self, s: int, values: Sequence[Fraction]) -> Fraction:
        """An upper bound of row s of N times ``values``."""
        common = lcm(*(x.denominator for x in values))
        return self._most(s, [int(x * common) for x in values], [0] * len(values)) / common


@dataclass(frozen=True)
class _KernelNear:
    """N of all models of a set."""

    of: ModelsNear

    def __matmul__(self, X: IntervalMatrix) -> IntervalMatrix:
        """A box that holds N X for every member of X."""
        low, high = (tuple(zip(*end, strict=True)) for end in (X.lower, X.upper))  # by columns
        states = range(len(X.lower))
        lower = [[rounded_down(-self.of.ahead_of(s, [-x for x in column])) for column in low] for s in states]
        upper = [[rounded_up(self.of.ahead_of(s, column)) for column in high] for s in states]
        return IntervalMatrix(tuple(map(tuple, lower)), tuple(map(tuple, upper)))
