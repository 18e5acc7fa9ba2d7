r"""Second moments of one TD update in the stationary regime, and the variances of their empirical values; exact.

Let y = δ_t(θ) z_t, which is the update of TD, and at w = 0 that of GTD's w and of TDC's θ and w, for α = β = 1. With
z_t = ρ_t z̃_t (``theory.check.traces``), δ_t and ρ_t depending on s_t, a_t, s_{t+1} alone and z̃_t on the past,

    E[y_i y_j] = Σ_s m_2(s) E[1{s_t = s} z̃_i z̃_j],       E[(y_i y_j)²] = Σ_s m_4(s) E[1{s_t = s} z̃_i² z̃_j²],
    m_k(s) = E[(ρ_t δ_t(θ))ᵏ | s_t = s].

Sources: (offPolicy_z) and the TD error of §3; the second moments are Σ of the central limit theorem at lag 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import comb

from theory.arithmetic import RationalMatrix
from theory.check.traces import monomials, trace_moments
from theory.check.windows import Outcome, state_outcomes
from theory.errors import BudgetExceededError
from theory.model.mdp import Model

MAX_ENTRIES = 500
"""Most entries of the trace's fourth moments, states × monomials (about a second)."""


def product_entries(model: Model) -> int:
    """How many entries the fourth moments of the trace have: n times the monomials of order four in d variables."""
    return model.n * comb(model.d + 3, 4)


def update_products(
    model: Model, theta: Sequence[Fraction], states: Sequence[int]
) -> tuple[list[Fraction], list[Fraction]]:
    """Mean and variance of y_i y_j, i ≤ j in the order of ``monomials(d, 2)``, on a recurrent class of the behaviour.

    ``theta``: length d. Raises :class:`BudgetExceededError` beyond :data:`MAX_ENTRIES`.
    """
    if product_entries(model) > MAX_ENTRIES:
        raise BudgetExceededError(
            f"the trace's fourth moments have {product_entries(model)} entries; at most {MAX_ENTRIES} are computed"
        )
    moments = trace_moments(model, states, 4)
    second, fourth = ((error_moments(model, theta, k).T @ moments[k]).rows[0] for k in (2, 4))
    place = {m: c for c, m in enumerate(monomials(model.d, 4))}
    squares = [fourth[place[i, i, j, j]] for i, j in monomials(model.d, 2)]
    return list(second), [square - mean**2 for square, mean in zip(squares, second, strict=True)]


def error_moments(model: Model, theta: Sequence[Fraction], power: int) -> RationalMatrix:
    """m_k(s) = E[(ρ_t δ_t(θ))ᵏ | s_t = s] under the behaviour policy, for k = ``power`` (n×1)."""
    value = (model.features @ RationalMatrix.column(theta)).column_entries()

    def error(step: Outcome) -> Fraction:
        return step.rho * (step.reward + step.discount * value[step.after] - value[step.state])

    steps = state_outcomes(model, importance=True)
    return RationalMatrix.column(sum((x.probability * error(x) ** power for x in here), Fraction(0)) for here in steps)
