r"""The true value V^π of a large sparse model, and how far the fixed point is from it.

V = r + NV. Any V̂ may be proposed; what it is worth is told by a test vector, as for the law
(:mod:`tdcert.theory.enclose.sparse_law`):

    h > 0 and (I − N)h ≥ c > 0   ⟹   I − N is a nonsingular M-matrix, and |V − V̂| ≤ max h · ‖r + NV̂ − V̂‖_∞ / c.

(I − N is a Z-matrix; Berman and Plemmons 1994, theorem 6.2.3, condition I27. Its inverse is non-negative and takes the
residual, at most ρ(I − N)h/c in absolute value, to at most ρh/c.) With a discount below one everywhere h = 1 will do;
else h is the expected number of steps to the end of an episode, proposed by floats.

Errors are squared distances in the D-norm, Σ_s d_s g_s² for g = Φθ − V, of which a maximum norm bounds g's error.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import scipy

from tdcert.theory.arithmetic.float_enclosures import UNIT, Floats, MidRadMatrix, gamma
from tdcert.theory.arithmetic.sparse_products import Columns, SparseKernel, upward
from tdcert.theory.check.fixed_point import bound_factor
from tdcert.theory.enclose.sparse_law import EnclosedLaw, structure
from tdcert.theory.enclose.sparse_matrices import Weigher
from tdcert.theory.enclose.sparse_result import SparseErrors
from tdcert.theory.errors import SingularMatrixError
from tdcert.theory.model.sparse_model import SparseModel

KRYLOV_VECTORS = 30
RESTARTS = 10
REFINEMENTS = 4
"""Most solves for V, each for what the one before left; none after one that did not halve it."""


def value_function(model: SparseModel) -> tuple[Columns | None, str]:
    """V^π (n×1) with a bound of its error in the maximum norm, or None; and how, or why not."""
    r, error = model.expected_reward
    return _solution(model.target_kernel, Columns(r, np.array([error])))


def differential_value(model: SparseModel) -> Columns | None:
    """h (n×1) of the target policy, up to a constant: (I − P)h + ρ1 = r, ρ its average reward; with a bound of its
    error in the maximum norm. None where the target chain has several recurrent classes, and where floats do not tell.

    With the discount zero on leaving one state z, and one elsewhere, V = r + NV counts rewards, and T = 1 + NT steps,
    until z is left. Both equations have one solution where z is always reached; between two times of leaving z the
    rewards are (PV)(z) and the steps (PT)(z), so ρ is their quotient, and h = V − ρT (renewal and reward).
    """
    P, chain = model.target_kernel, structure(model.target_kernel.weights)
    if chain.count != 1:
        return None
    often = np.asarray(P.weights.sum(axis=0)).ravel()[chain.recurrent[0]]
    z, ones = int(chain.recurrent[0][often.argmax()]), np.ones(model.n)
    r, error = model.expected_reward
    until = SparseKernel(P.weights, P.entry_error, np.where(np.arange(model.n) == z, 0.0, ones))
    V, _ = _solution(until, Columns(r, np.array([error])))
    T, _ = _solution(until, Columns.exactly(ones[:, None]))
    if V is None or T is None:
        return None
    rewards, steps = (SparseKernel(P.weights, P.entry_error, ones) @ x for x in (V, T))
    above, below = float(rewards.mid[z, 0]), float(steps.mid[z, 0])
    least = below - float(steps.error[0])
    if not least > below / 2:
        return None
    rho = above / below
    off = upward((float(rewards.error[0]) + abs(rho) * (float(steps.error[0]) + 4 * UNIT * below)) / least)
    h = V - T.scaled(Fraction(rho))
    return Columns(h.mid, upward(h.error + off * (T.largest + T.error)))


def _solution(N: SparseKernel, given: Columns) -> tuple[Columns | None, str]:
    """The V (n×1) with V = given + NV and a bound of its error in the maximum norm, or None; and how, or why not."""
    h = np.ones(N.n) if float(N.discount.max()) < 1 else np.maximum(_proposed(N, np.ones(N.n)), 0.0)
    c = _decrease(N, h)
    if not c > 2.0**-80:
        return None, "no test vector showed that I − N is nonsingular: the value may not be unique"
    V = np.zeros((N.n, 1))
    best, worth = V, np.inf
    for _ in range(REFINEMENTS):
        rest = (given + (N @ Columns.exactly(V))) - Columns.exactly(V)
        residual = float((rest.largest + rest.error).max())
        if residual < worth:
            best, before, worth = V, worth, residual
            if worth > before / 2:
                break
        else:
            break
        V = V + _proposed(N, rest.mid[:, 0])[:, None]
    bound = upward(float(h.max()) * worth / c)
    if not np.isfinite(bound) or bound > float(np.abs(best).max(initial=0.0)):
        return None, "the equation V = r + NV was not solved closely enough to say anything about V"
    return Columns(best, np.array([bound])), "Krylov iteration, verified by a test vector for I − N"


def _decrease(N: SparseKernel, h: Floats) -> float:
    """A lower bound c of all (h − Nh)_s; −∞ unless h > 0."""
    if not (np.isfinite(h).all() and (h > 0).all()):
        return -np.inf
    rest = Columns.exactly(h[:, None]) - N @ Columns.exactly(h[:, None])
    return float(np.nextafter(rest.mid.min() - float(rest.error.max()), -np.inf))


def _proposed(N: SparseKernel, right: Floats) -> Floats:
    """About (I − N)⁻¹ ``right``, in floats."""
    size = float(np.abs(right).max(initial=0.0))
    if not 0 < size < np.inf:
        return np.zeros(N.n)
    operator = scipy.sparse.linalg.LinearOperator(
        (N.n, N.n), matvec=lambda v: v - N.discount * (N.weights @ v), dtype=np.float64
    )
    found, _ = scipy.sparse.linalg.gmres(operator, right / size, rtol=1e-10, restart=KRYLOV_VECTORS, maxiter=RESTARTS)
    return np.asarray(found * size, dtype=np.float64)


def errors(
    model: SparseModel, states: Any, law: EnclosedLaw, V: Columns, C: MidRadMatrix, theta: MidRadMatrix | None
) -> SparseErrors:
    """The three squared distances on a recurrent class with this law and C."""
    reached = None if theta is None else squared_distance(model, law, V, theta)
    try:
        best = C.solve(Weigher(model.features, law).sum(V))
    except SingularMatrixError:
        return SparseErrors(None, reached, None)
    left = squared_distance(model, law, V, best)
    factor = bound_factor(model.is_on_policy_at(states), model.schedule, model.largest_discount)
    return SparseErrors(left, reached, None if factor is None else left.scaled(factor))


def squared_distance(model: SparseModel, law: EnclosedLaw, V: Columns, theta: MidRadMatrix) -> MidRadMatrix:
    """‖Φθ − V‖²_D, 1×1: with g the midpoint of Φθ − V and E its error, |E| ≤ e, gᵀD(g + E) + EᵀD(g + E)."""
    g = predictions(model.features, theta) - V
    weigher, e = Weigher(g.mid, law), float(g.error[0])
    inside = weigher.sum(g)
    size = float(g.largest[0])
    rest = upward(e * (float(weigher.sizes[0]) + law.distance * size + e * (1 + law.distance)))
    return inside + MidRadMatrix(np.zeros((1, 1)), rest)


def predictions(Phi: Floats, theta: MidRadMatrix) -> Columns:
    """Φθ (n×1), Φ rounded once at most: |Φ̃θ̃ − fl(Φθ)| ≤ Σ_k max_s|φ_k(s)| (R_k + γ_{d+2}(|θ_k| + R_k))."""
    sizes = np.maximum(Phi.max(axis=0), -Phi.min(axis=0))
    theta_size, radius = np.abs(theta.mid[:, 0]), theta.rad[:, 0]
    error = float((sizes * (radius + gamma(len(sizes) + 2) * (theta_size + radius))).sum()) + 2.0**-1000
    return Columns(Phi @ theta.mid, np.array([upward(error)]))
