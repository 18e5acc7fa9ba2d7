r"""What averaging leaves: the asymptotic variance of predictions, and the size of the trace behind it.

For averages θ̄_T of iterates under decreasing steps, √T(θ̄_T − θ*) → N(0, A⁻¹ΣA⁻ᵀ) (``clt_covariance``, the limit theorem
cited), so to first order

    E ‖Φθ̄_T − V‖²_D = ‖Φθ* − V‖²_D + v/T,        v = tr(C A⁻¹ΣA⁻ᵀ),

in the unit of the squared errors, whatever the basis of the features: with Φ = Φ_B T, u = Tθ has the mean matrix
TTᵀA_B and the noise TTᵀΣ_B TTᵀ, and TTᵀ cancels. One v for TD, GTD and TDC wherever they are stable.

The trace is measured against what it would be on-policy, where by Minkowski's inequality

    E ‖z‖² ≤ (Σ_k c_k γᵏ)² tr C        (γ the largest discount),

so a ratio of both sides above one is the doing of the importance ratios alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.margins import largest_discount
from tdcert.theory.check.trace_law import Mat, exact, ratio_moments
from tdcert.theory.laws.long_run_covariance import ExactNoise, InNumbers, NoiseIn, averaged_covariance
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import trace_weights


@dataclass(frozen=True)
class Averaging(Generic[Mat]):
    """``variance`` is v, ``trace_square`` E ‖z‖², each 1×1."""

    variance: Mat
    trace_square: Mat


def averaging(
    model: Model,
    states: tuple[int, ...],
    lift: Callable[[RationalMatrix], Mat],
    weight: RationalMatrix,
    shared: InNumbers[Mat] | None = None,
) -> Averaging[Mat]:
    """Both, in the number system of ``lift``, on a recurrent class.

    The features Φ_B of ``model`` must be independent there, A nonsingular (else SingularMatrixError), and for a λ
    without end z must have second moments. ``weight``: T Tᵀ (d×d) where the features of interest are Φ_B T: their
    trace is Tᵀz, with the square zᵀT Tᵀz. ``shared``: as :class:`NoiseIn` takes it.
    """
    noise: NoiseIn[Mat] = ExactNoise(model, states) if lift is exact else NoiseIn(model, states, lift, None, shared)  # type: ignore[assignment]
    spread = averaged_covariance(noise.lifted.A, noise.long_run())
    return Averaging(_trace(noise.lifted.C @ spread), _trace_square(noise, weight))


def trace_square(
    model: Model,
    states: tuple[int, ...],
    lift: Callable[[RationalMatrix], Mat],
    weight: RationalMatrix,
    shared: InNumbers[Mat] | None = None,
) -> Mat:
    """E ‖Tᵀz‖² alone (1×1), as in :func:`averaging`: A may be singular."""
    return _trace_square(NoiseIn(model, states, lift, None, shared), weight)


def _trace_square(noise: NoiseIn[Mat], weight: RationalMatrix) -> Mat:
    return _trace(noise.lift(weight) @ noise.square(noise.lift(ratio_moments(noise.model, 2))))


def is_silent(model: Model, states: tuple[int, ...]) -> bool:
    """Whether every weighted TD error at θ* is zero on a recurrent class, so that nothing is random there. Exact."""
    squares = ExactNoise(model, states).kernel(2, 2, 0) @ RationalMatrix.column([1] * model.n)
    return all(squares[s, 0] == 0 for s in states)


def on_policy_trace_bound(model: Model, states: tuple[int, ...], C: RationalMatrix) -> Fraction | None:
    """(Σ_k c_k γᵏ)² tr C, which E ‖z‖² does not exceed on-policy; None where the sum has no end."""
    gamma, tail = largest_discount(model), model.schedule.tail
    if tail:
        if tail * gamma >= 1:
            return None
        total = 1 / (1 - tail * gamma)
    else:
        weights = trace_weights(model.schedule.lambdas)
        total = sum((abs(c) * gamma**k for k, c in enumerate(weights)), Fraction(0))
    return total * total * C.trace()


def _trace(matrix: Mat) -> Mat:
    """tr of a d×d matrix, 1×1."""
    d = matrix.shape[0]
    ones = matrix.from_rationals([[Fraction(1)]] * d)
    return ones.T @ (matrix.hadamard(matrix.identity(d)) @ ones)
