r"""Weights of moves under which second moments fall the most: floats, which only propose.

With a weight w_e > 0 on each move the second-moment operator becomes (𝓛_w X)_h = Σ p_e w_e B_eᵀX_{h'}B_e, with
B_e = I + αK_e. If the factors w_e are taken back along a path, what is left of ρ(𝓛_w) bounds the growth of that path
(:mod:`tdcert.theory.laws.path_exponents`): half of

    g(u) = log ρ(𝓛_{exp u}) − Σ_e π_e u_e,    π_e = π_h p_e with the stationary law π,

is an upper bound of the exponent. g is convex in u = log w, as log ρ is a limit of n-th roots of sums of exponentials
of linear functions. Its gradient is (share of the move under the tilted chain) − π_e, with the share
p_e w_e ⟨Y_h, B_eᵀX_{h'}B_e⟩/(ρ Σ ⟨Y_h, X_h⟩) from right and left Perron forms X, Y.

Source: the derivative of a simple eigenvalue; Costa, Fragoso and Marques, *Discrete-Time Markov Jump Linear Systems*,
2005, ch. 3, for the operator.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from tdcert.theory.arithmetic.float_enclosures import Floats
from tdcert.theory.arithmetic.lbfgs import least_near
from tdcert.theory.laws.mean_square import JumpSystem

ROUNDS = 80
"""Most steps of the search (L-BFGS)."""
FLAT, LEVEL = 1e-12, 1e-9
"""A relative fall, and an entry of the gradient, at which the search ends."""
DENSE = 40
"""Largest operators whose eigenvalues are all found."""
SETTLED = 1e-10
"""Relative change of ρ with which an iteration ends."""
HUGE = 50.0
"""Moves that lengthen some difference by more than this begin with the weight that undoes it: else ρ overflows."""


class TiltedMoments:
    """The operator 𝓛_w of a system whose nodes are one recurrent class with the stationary law ``law`` (fractions as
    floats), at the step ``alpha``, on the upper triangles of symmetric matrices.
    """

    def __init__(self, system: JumpSystem, law: Floats, alpha: float) -> None:
        self.source, self.target, self.p, K = system.floats
        D, self.count = system.size, len(system.windows)
        B = np.eye(D) + alpha * K
        i, j = np.triu_indices(D)
        ki, lj, kj, li = B[:, i][:, :, i], B[:, j][:, :, j], B[:, i][:, :, j], B[:, j][:, :, i]
        self.blocks = (ki * lj + (i != j)[:, None] * kj * li).transpose(0, 2, 1)
        self.width, self.flow = len(i), law[self.source] * self.p
        self.size = self.count * self.width
        self.norms = np.linalg.norm(B, 2, axis=(1, 2))
        self.edge, row, column = np.nonzero(self.blocks)
        self.values = self.p[self.edge] * self.blocks[self.edge, row, column]
        self.places = self.source[self.edge] * self.width + row, self.target[self.edge] * self.width + column
        self._right, self._left = np.tile((i == j) * 1.0, self.count), np.tile((i == j) * 1.0, self.count)

    def perron(self, weights: Floats) -> tuple[float, Floats, Floats] | None:
        """ρ of 𝓛_w, the eigenvalue with the largest real part, with its right and left eigenvectors."""
        operator = self._operator(self.values * weights[self.edge])
        try:
            rho, self._right = _largest(operator, self._right)
            _, self._left = _largest(operator.T, self._left)
        except (scipy.sparse.linalg.ArpackError, np.linalg.LinAlgError):
            return None
        return rho, self._right, self._left

    def _operator(self, values: Floats) -> Any:
        n, (row, column) = self.size, self.places
        if n <= DENSE:
            return np.bincount(row * n + column, values, n * n).reshape(n, n)
        return scipy.sparse.csr_array((values, self.places), shape=(n, n))

    def at(self, u: Floats) -> tuple[float, Floats] | None:
        """g(u) and its gradient; None where no Perron form is found."""
        weights = np.exp(u)
        found = self.perron(weights)
        if found is None or found[0] <= 0:
            return None
        rho, right, left = found
        X, Y = right.reshape(self.count, -1), left.reshape(self.count, -1)
        share = self.p * weights * np.einsum("ei,eij,ej->e", Y[self.source], self.blocks, X[self.target])
        total = share.sum()
        if not np.isfinite(total) or total == 0:
            return None
        return float(np.log(rho) - self.flow @ u), share / total - self.flow

    def best_weights(self) -> tuple[float, NDArray[np.float64]] | None:
        """Half the least g that is found, and u shifted so that log ρ = 0; None where the search fails at its start."""
        start = np.where(self.norms > HUGE, -2 * np.log(np.maximum(self.norms, 1e-300)), 0.0)
        if self.at(start) is None:
            return None
        worst = (1e6, np.zeros_like(start))
        found = least_near(lambda u: self.at(u) or worst, start, steps=ROUNDS, fall=FLAT, slope=LEVEL)
        least = self.at(found)
        if least is None:
            return None
        return least[0] / 2, found - (least[0] + self.flow @ found)


def _largest(operator: Any, start: Floats) -> tuple[float, Floats]:
    """The eigenvalue with the largest real part, and its eigenvector."""
    if isinstance(operator, np.ndarray):
        values, vectors = np.linalg.eig(operator)
    else:
        values, vectors = scipy.sparse.linalg.eigs(
            scipy.sparse.csr_array(operator), 1, which="LR", v0=start, tol=SETTLED
        )
    k = int(np.argmax(values.real))
    return float(values[k].real), np.asarray(vectors[:, k].real)
