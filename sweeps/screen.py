"""Float margins of claims over a batch: a model with a margin below zero would refute the claim.

Search dirty: a margin is a float that says where to look, nothing more; every model it points at is decided exactly.
Margins are free of scale (features and rewards may be multiplied), and not a number where the law of the behaviour
chain does not exist in floats.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sweeps.batch import Batch
from sweeps.batched import BatchMatrix, Floats, hurwitz_margin, smallest_eigenvalue, weakest_direction

Margin = Callable[[Batch], Floats]

THIN = 1e-9
"""Margins below it are too thin for floats: such models are decided exactly."""


def margins(claim: str, batch: Batch) -> Floats:
    """The margin of the claim on every model. Raises KeyError for a claim without one (:data:`MARGINS`)."""
    with np.errstate(all="ignore"):  # what is not finite is no number, and is not looked at
        return MARGINS[claim](batch)


def _least(S: BatchMatrix) -> Floats:
    return smallest_eigenvalue(S)


def _negative_definite(batch: Batch) -> Floats:
    """λ_min(−sym A) against the mean of the diagonal of C."""
    return _least(batch.keys.A.symmetric_part().scaled(-1.0)) / _size(batch)


def _negative_margin(batch: Batch) -> Floats:
    """λ_min(−sym A − (1 − κ)C)."""
    keys = batch.keys
    excess = keys.A.symmetric_part().scaled(-1.0) - keys.C.scaled(1.0 - batch.kappa)
    return _least(excess) / _size(batch)


def _size(batch: Batch) -> Floats:
    return batch.keys.C.trace() / batch.shape[1]


def _in_norm(batch: Batch, X: BatchMatrix) -> BatchMatrix:
    """D^{1/2} X D^{−1/2}: its Euclidean norm is ‖X‖_D."""
    root = np.sqrt(batch.keys.d.array)
    return BatchMatrix(root * X.array / root.transpose(1, 0, 2))


def _short_of(batch: Batch, X: BatchMatrix, bound: Floats | float) -> Floats:
    """bound² − ‖X‖_D²."""
    scaled = _in_norm(batch, X)
    return _least(scaled.identity(scaled.shape[0]).scaled(bound * bound) - scaled.T @ scaled)


def _M(batch: Batch) -> BatchMatrix:
    keys = batch.keys
    return keys.M(keys.N.identity(batch.shape[0]))


def _stationary_norm(batch: Batch) -> Floats:
    """1 − ‖P‖_D², P the target policy's matrix."""
    undiscounted = replace(batch, gammas=(Fraction(1),) * len(batch.gammas))
    return _short_of(batch, undiscounted.keys.N, 1.0)


def _m_contraction(batch: Batch) -> Floats:
    """γ² − ‖M‖_D²."""
    return _short_of(batch, _M(batch), batch.largest_discount)


def _sharp_modulus(batch: Batch) -> Floats:
    """κ² − ‖M‖_D², and κ ≥ 0."""
    return np.minimum(_short_of(batch, _M(batch), batch.kappa), batch.kappa)


def _error_bound(batch: Batch) -> Floats:
    """‖V − ΠV‖² − (1 − κ²)‖Φθ* − V‖², against ‖V‖² + |r|²."""
    keys = batch.keys
    V = (keys.N.identity(batch.shape[0]) - keys.N).solve(keys.r)
    projected = keys.Phi @ keys.C.solve(keys.Phi.T @ V.scale_rows(keys.d))

    def square(X: BatchMatrix) -> Floats:
        return np.asarray((X.T @ X.scale_rows(keys.d)).array[0, 0])

    kappa = batch.kappa
    gap = square(V - projected) - (1.0 - kappa * kappa) * square(keys.Phi @ keys.theta_star - V)
    return gap / (square(V) + (keys.r.T @ keys.r).trace())


def _off_policy_margin(batch: Batch) -> Floats:
    """Where sym D(I − M) > 0: how negative A is; elsewhere ‖M‖_D − 1."""
    M = _in_norm(batch, _M(batch))
    norm = np.sqrt(-_least((M.T @ M).scaled(-1.0)))
    form = _least(M.identity(M.shape[0]) - M.symmetric_part())
    return np.where(form > 0.0, _negative_definite(batch), norm - 1.0)


def _td(batch: Batch) -> Floats:
    """A Hurwitz."""
    return hurwitz_margin(batch.keys.A)


def _gtd(batch: Batch) -> Floats:
    """[[−C, A], [−Aᵀ, 0]] Hurwitz."""
    A, C = batch.keys.A.array, batch.keys.C.array
    top = np.concatenate([-C, A], axis=1)
    bottom = np.concatenate([-A.transpose(1, 0, 2), np.zeros_like(A)], axis=1)
    return hurwitz_margin(BatchMatrix(np.concatenate([top, bottom], axis=0)))


def _tdc(batch: Batch) -> Floats:
    """λ_min(AᵀC⁻¹A) against its trace."""
    keys = batch.keys
    form = (keys.A.T @ keys.C.solve(keys.A)).symmetric_part()
    return _least(form) / form.trace()


def _symbol(batch: Batch) -> Floats:
    """How negative A is, where all λ's lie in [0,1]: there f ≤ κ < 1 at γ < 1. Other schedules are not screened."""
    inside = np.ones(batch.size, dtype=bool)
    for lam in batch.lambdas:
        inside &= (lam >= 0.0) & (lam <= 1.0)
    return np.where(inside & (batch.largest_discount < 1.0), _negative_definite(batch), np.nan)


MARGINS: dict[str, Margin] = {
    "stationary_norm": _stationary_norm,
    "m_contraction": _m_contraction,
    "prop_4_1": _negative_definite,
    "thm_4_2_conditions": _negative_definite,
    "thm_4_3": _td,
    "thm_4_4_g_negative_definite": _gtd,
    "thm_4_4": _gtd,
    "thm_4_5_conditions": _tdc,
    "thm_4_6": _tdc,
    "sharp_modulus": _sharp_modulus,
    "negative_margin": _negative_margin,
    "error_bound": _error_bound,
    "off_policy_margin": _off_policy_margin,
    "stationary_features": _negative_margin,
    "lambda_outside_unit_interval": _symbol,
}
"""The claims that can be screened, by id; every other claim is decided exactly, model by model."""


def plausible(batch: Batch, kept: Collection[str]) -> NDArray[np.bool_]:
    """Which models satisfy those kept hypotheses that can be asked of a whole batch, ranks up to a condition of 10⁹.

    The rest, and these again, are asked exactly of every model that is decided.
    """
    keys = batch.keys
    fine: NDArray[np.bool_] = np.asarray(np.isfinite(keys.d.array[:, 0]).all(axis=0))
    with np.errstate(all="ignore"):
        if "irreducible" in kept:
            fine = fine & _irreducible(batch)
        if "coverage" in kept:
            fine = fine & ~((batch.target > 0) & (batch.behaviour == 0)).any(axis=(1, 2))
        if "full_column_rank" in kept:
            gram = keys.Phi.T @ keys.Phi
            fine = fine & (_least(gram) > THIN * gram.trace())
        if "C_positive" in kept:
            fine = fine & (_least(keys.C) > THIN * keys.C.trace())
        if "A_nonsingular" in kept:
            fine = fine & (_least(keys.A.T @ keys.A) > THIN * keys.C.trace() ** 2)
    return np.asarray(fine)


def _irreducible(batch: Batch) -> NDArray[np.bool_]:
    """Whether every state reaches every other under the behaviour policy: from the zeros alone, exactly."""
    chosen = batch.behaviour.transpose(0, 2, 1)[..., None] > 0
    reach = ((batch.transitions > 0) & chosen).any(axis=1) | np.eye(batch.shape[0], dtype=bool)
    for _ in range(batch.shape[0].bit_length()):
        reach = np.asarray((reach[:, :, :, None] & reach[:, None, :, :]).any(axis=2))
    return np.asarray(reach.all(axis=(1, 2)))


def adversarial(batch: Batch) -> Batch:
    """The batch with its first feature along the weakest direction of sym D(I − M), in whole numbers up to 8."""
    with np.errstate(all="ignore"):
        M = _in_norm(batch, _M(batch))
        direction = weakest_direction(M.identity(M.shape[0]) - M.symmetric_part())
        weakest = direction / np.sqrt(batch.keys.d.array[:, 0])
        rounded = np.rint(8.0 * weakest / np.abs(weakest).max(axis=0)).T
    features = np.array(batch.features)
    features[:, :, 0] = np.where(np.isfinite(rounded).all(axis=1, keepdims=True), rounded, features[:, :, 0])
    return replace(batch, features=features)
