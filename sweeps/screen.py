"""Float margins of statements over a batch: a model with a margin below zero would refute the statement.

A margin is a float that only says where to look; every model that it points at is decided exactly.
Margins are free of scale (features and rewards may be multiplied), and not a number where the law of the behaviour
chain does not exist in floats.

The statements are those of the claims (:mod:`tdcert.theory.forms`). The margin of a form is its smallest eigenvalue, in
the unit that the form names, or relative to D for a form on states; that of ‖X‖_D ≤ q is the lesser of q² − ‖X‖²_D and
q; that of a stable matrix is the least of Routh's numbers.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tdcert.sweeps.batch import Batch
from tdcert.sweeps.batched import BatchMatrix, Floats, hurwitz_margin, smallest_eigenvalue, weakest_direction
from tdcert.theory.forms import Hurwitz, Implications, NormBound, Over, Statement, operator_M

THIN = 1e-9
"""Margins below it are too thin for floats: such models are decided exactly."""


def margins(form: Statement, batch: Batch) -> Floats:
    """The margin of the statement on every model."""
    with np.errstate(all="ignore"):  # what is not finite is not a number, and is not looked at
        return _margin(form, batch)


def _margin(form: Statement, batch: Batch) -> Floats:
    keys, gamma, kappa = batch.keys, batch.largest_discount, batch.kappa
    if isinstance(form, Implications):
        found = _chain([_margin(link, batch) for link in form.links])
    elif isinstance(form, NormBound):
        q, X = form.bound(gamma, kappa), _in_norm(batch, form.operator(keys, gamma, kappa))
        found = np.minimum(smallest_eigenvalue(X.identity(X.shape[0]).scaled(q * q) - X.T @ X), q)
    elif isinstance(form, Hurwitz):
        found = hurwitz_margin(form.matrix(keys, gamma, kappa))
    else:
        S = form.matrix(keys, gamma, kappa)
        if form.over is Over.STATES:
            root = np.sqrt(keys.d.array)
            found = smallest_eigenvalue(BatchMatrix(S.array / (root * root.transpose(1, 0, 2))))
        elif form.unit is None:
            found = smallest_eigenvalue(S) / (keys.C.trace() / batch.shape[1])
        else:
            found = smallest_eigenvalue(S) / form.unit(keys, S).trace()
        if form.where is not None:
            found = np.where(form.where(batch.lambdas, gamma), found, np.nan)
    return np.asarray(found)


def _chain(links: list[Floats]) -> Floats:
    """The margin of the last statement that follows from one that holds; else minus the margin of the first."""
    found = -links[0]
    for first, second in pairwise(links):
        found = np.where(first > 0.0, second, found)
    return found


def _in_norm(batch: Batch, X: BatchMatrix) -> BatchMatrix:
    """D^{1/2} X D^{−1/2}: its Euclidean norm is ‖X‖_D."""
    root = np.sqrt(batch.keys.d.array)
    return BatchMatrix(root * X.array / root.transpose(1, 0, 2))


def plausible(batch: Batch, kept: Collection[str]) -> NDArray[np.bool_]:
    """Which models satisfy those kept hypotheses that can be asked of a whole batch, ranks up to a condition of 10⁹.

    The rest, and these again, are asked exactly of every model that is decided.
    """
    keys = batch.keys
    fine: NDArray[np.bool_] = np.asarray(np.isfinite(keys.d.array[:, 0]).all(axis=0))
    with np.errstate(all="ignore"):
        if "irreducible" in kept:
            fine = fine & _irreducible(batch)
        if {"coverage", "coverage_everywhere"} & set(kept):
            fine = fine & ~((batch.target > 0) & (batch.behaviour == 0)).any(axis=(1, 2))
        if "full_column_rank" in kept:
            gram = keys.Phi.T @ keys.Phi
            fine = fine & (smallest_eigenvalue(gram) > THIN * gram.trace())
        if "C_positive" in kept:
            fine = fine & (smallest_eigenvalue(keys.C) > THIN * keys.C.trace())
        if "A_nonsingular" in kept:
            fine = fine & (smallest_eigenvalue(keys.A.T @ keys.A) > THIN * keys.C.trace() ** 2)
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
        M = _in_norm(batch, operator_M(batch.keys))
        direction = weakest_direction(M.identity(M.shape[0]) - M.symmetric_part())
        weakest = direction / np.sqrt(batch.keys.d.array[:, 0])
        rounded = np.rint(8.0 * weakest / np.abs(weakest).max(axis=0)).T
    features = np.array(batch.features)
    features[:, :, 0] = np.where(np.isfinite(rounded).all(axis=1, keepdims=True), rounded, features[:, :, 0])
    return replace(batch, features=features)
