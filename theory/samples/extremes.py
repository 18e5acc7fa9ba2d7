r"""Stationary means over a set of chains: bounds that hold for all of them, found by policy iteration.

Let each state s of a chain have rows (s, a) that are mixed with μ(a|s), and let leaving s be worth
c_s + Σ_a p_sa·v_sa, p_sa the law of row (s, a) and v_sa = f_sa w_s with f_sa ≥ 0. For every stationary law d of the
chain P, and every h,

    Σ_s d_s (c_s + Σ_a p_sa·v_sa) = Σ_s d_s (c_s + Σ_a p_sa·(v_sa + μ(a|s)h) − h_s)
                                  ≤ max_s (c_s + Σ_a max_p p·(v_sa + μ(a|s)h) − h_s),

as dᵀP = dᵀ; the inner maxima are over the sets of the rows. So any h gives a bound, in rational numbers. The h that is
used comes from policy iteration in floats (a decision process whose actions are the laws of the rows), which makes the
bound the largest mean that laws within the intervals have, up to the rounding of h. (Puterman, *Markov Decision
Processes*, 1994, §8.6.)

Where μ(·|s) too is only known to lie in a set, c does not depend on it, and the right-hand side is convex in it: a sum
of maxima of linear functions, where f does not depend on it either; or, where the target policy is that policy and
f_sa = f_s μ(a|s), linear, as μ ≥ 0 stands before each maximum. Its largest value is at a corner of the set, and all
corners are looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, lcm

import numpy as np
from numpy.typing import NDArray

from tdcert.theory.samples.row_set import RowSet

Floats = NDArray[np.float64]
SWEEPS = 50
"""How often laws are chosen anew, at most; policy iteration ends long before."""
UNIT = 2**40
"""h is taken in multiples of 1/UNIT."""
FINE = 2**60
"""What leads somewhere is worth multiples of 1/FINE."""

Rows = Sequence[Sequence[Fraction]]


def policy_iteration(n: int, choose: Callable[[Floats], tuple[Floats, Floats]]) -> Floats:
    """h (n numbers) of the chain with the largest mean, in floats. ``choose``: the rows of a chain (n×n) that are best
    for an h, and what leaving each state is worth there (n).
    """
    best = -np.inf
    h = found = np.zeros(n)
    for _ in range(SWEEPS):
        P, worth = choose(h)
        system = np.eye(n) - P
        system[:, 0] = 1  # h of state 0 is zero, and the gain stands in its place
        try:
            solved = np.linalg.solve(system, worth)
        except np.linalg.LinAlgError:
            return found
        gain, h = float(solved[0]), np.concatenate([[0.0], solved[1:]])
        if not gain > best + 1e-13 * abs(best if np.isfinite(best) else 1):
            return found if np.isfinite(best) else h
        best, found = gain, h
    return found


@dataclass(frozen=True, eq=False)
class Mixed:
    """The rows of n states and m actions, mixed with ``weights`` (n×m) into a chain of which only sets are known.

    ``corners``: for each state the corners of the set of its weights, m numbers each; None where they are known.
    ``follows``: the factors f are to be multiplied by the weights.
    """

    rows: tuple[tuple[RowSet, ...], ...]
    weights: tuple[tuple[Fraction, ...], ...]
    corners: tuple[tuple[tuple[Fraction, ...], ...], ...] | None = None
    follows: bool = False

    @cached_property
    def _intervals(self) -> tuple[Floats, Floats, Floats]:
        """Lower ends, widths (n×m×n) and weights (n×m) in floats."""
        ends = np.array(
            [[[tuple(map(float, pair)) for pair in row.bounds] for row in of_state] for of_state in self.rows]
        )
        return ends[..., 0], ends[..., 1] - ends[..., 0], np.array([[float(w) for w in row] for row in self.weights])

    def _laws(self, values: Floats) -> Floats:
        """For each row the law within its intervals with the largest mean of its values (n×m×n), in floats."""
        low, width, _ = self._intervals
        order = np.argsort(-values, axis=-1, kind="stable")
        caps = np.take_along_axis(width, order, axis=-1)
        left = 1 - low.sum(axis=-1, keepdims=True)
        taken = np.clip(left - (np.cumsum(caps, axis=-1) - caps), 0, caps)
        laws = low.copy()
        np.put_along_axis(laws, order, np.take_along_axis(low, order, axis=-1) + taken, axis=-1)
        return laws

    def best_laws(self, values: Floats) -> Floats:
        """For each row the law within its intervals with the largest mean of ``values`` (n) of the next state (n×m×n),
        in floats.
        """
        low, _, _ = self._intervals
        return self._laws(np.broadcast_to(values, low.shape))

    def proposed(self, c: Floats, slopes: Floats) -> Floats:
        """h (n numbers) for the largest mean of ``c`` (n) and ``slopes`` (n×m×n): a proposal in floats."""
        _, _, mu = self._intervals
        ends = None if self.corners is None else [np.array(some, dtype=np.float64) for some in self.corners]

        def choose(h: Floats) -> tuple[Floats, Floats]:
            nonlocal mu
            laws = self._laws(slopes + h if self.follows else slopes + mu[:, :, None] * h)
            own = np.einsum("saj,saj->sa", laws, slopes)
            if ends is not None:
                gains = laws @ h + (own if self.follows else 0)
                mu = np.array([some[np.argmax(some @ gains[s])] for s, some in enumerate(ends)])
            return np.einsum("sa,saj->sj", mu, laws), c + np.sum(own * mu if self.follows else own, axis=1)

        return policy_iteration(len(c), choose)

    def potential(self, c: Sequence[Fraction], worth: Rows, factors: Rows) -> list[int]:
        """The vector h (n numbers) that :meth:`most` takes, in multiples of 1/:data:`UNIT`: any gives a bound."""
        slopes = np.array([[float(f) for f in row] for row in factors])[:, :, None]
        proposed = self.proposed(
            np.array([float(x) for x in c]), slopes * np.array([[float(w) for w in row] for row in worth])[:, None, :]
        )
        return [round(float(x) * UNIT) for x in proposed]

    def most(self, c: Sequence[Fraction], worth: Rows, factors: Rows) -> Fraction:
        """An upper bound of the stationary mean of c (n) and v, over all chains of the sets: v_sa = f_sa w_s, ``worth``
        n×n and ``factors`` n×m, not negative. Numbers w are rounded up to multiples of 1/:data:`FINE`, for p f ≥ 0.
        """
        h = self.potential(c, worth, factors)
        fine = [x * (FINE // UNIT) for x in h]
        bounds = []
        for s, of_state in enumerate(self.rows):
            w = [ceil(x * FINE) for x in worth[s]]
            some = (self.weights[s],) if self.corners is None else self.corners[s]
            worths = {
                (a, mu): _worth(of_state[a], mu, factors[s][a] * (mu if self.follows else 1), w, fine)
                for a, mu in {x for law in some for x in enumerate(law)}
            }
            most = max(sum((worths[x] for x in enumerate(law)), start=Fraction(0)) for law in some)
            bounds.append(c[s] - Fraction(h[s], UNIT) + most)
        return max(bounds)

    def towards(self, c: Floats, slopes: Floats) -> tuple[tuple[tuple[Fraction, ...], ...], ...]:
        """Laws of the rows' sets on the way to those with the largest mean, each as far as its set goes."""
        _, _, mu = self._intervals
        values = slopes + mu[:, :, None] * self.proposed(c, slopes)
        made = []
        for s, of_state in enumerate(self.rows):
            corners = [row.extreme([Fraction(float(x)) for x in values[s, a]]) for a, row in enumerate(of_state)]
            laws = [row.towards(corner) or row.centre for row, corner in zip(of_state, corners, strict=True)]
            made.append(tuple(laws))
        return tuple(made)


def _worth(row: RowSet, mu: Fraction, f: Fraction, w: Sequence[int], h: Sequence[int]) -> Fraction:
    """The largest mean of f w + μ h over the laws of a row; w and h in multiples of 1/:data:`FINE`."""
    if not mu and not f:
        return Fraction(0)
    common = lcm(mu.denominator, f.denominator)
    first, second = int(f * common), int(mu * common)
    return row.most([first * x + second * y for x, y in zip(w, h, strict=True)]) / (common * FINE)
