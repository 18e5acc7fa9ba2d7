r"""The mean square error of averages of TD's iterates, step by step, under steps that vary: curves to draw.

With y = (θ, 1) and y_{t+1} = B_t y_t on the transitions of the window chain (:mod:`tdcert.theory.laws.windows`), let
S_T = Σ_{t<T} θ_t. Its law needs two moments in each window and two in all:

    Y(h) = E[y yᵀ 1{h}],    X(h) = E[S yᵀ 1{h}],    X'(h') = Σ_{h → h'} p (X(h) + E[θ yᵀ 1{h}]) Bᵀ,
    E[SSᵀ]' = E[SSᵀ] + E[Sθᵀ] + E[θSᵀ] + E[θθᵀ],    E[S]' = E[S] + E[θ],

so that E‖Φ S_T/T − V‖²_D is exact but for the rounding of plain floats, of which there are no bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from tdcert.theory.arithmetic.float_enclosures import Floats
from tdcert.theory.laws.schedule_update import ScheduleUpdate
from tdcert.theory.laws.windows import window_chain
from tdcert.theory.model.mdp import Model


def averaged_errors(
    model: Model,
    algorithm: ScheduleUpdate,
    steps: Floats,
    times: Sequence[int],
    *,
    start: Sequence[Fraction],
    theta0: Sequence[float],
    value: Floats,
    law: Floats,
    work: float,
) -> tuple[float, ...]:
    """E‖Φθ̄_T − V‖²_D at the increasing ``times`` T ≥ 1, θ̄_T the average of θ_0 … θ_{T−1} where
    there is one vector. ``steps``: α_0, α_1, …; ``value``: V, and ``law``: D, of length n.

    Raises :class:`~tdcert.theory.errors.BudgetExceededError` beyond ``work`` multiplications, and as
    :func:`~tdcert.theory.laws.windows.window_chain`.
    """
    d, width = model.d, model.d + 1
    chain = window_chain(model, algorithm, start, most=int(work / (4 * times[-1] * width**3)))
    p, U = chain.floats.probability[:, None, None], chain.floats.U
    arrivals, first = np.unique(chain.target, return_index=True)
    y = np.array([*theta0, 1.0])
    Y = chain.start.astype(np.float64)[:, None, None] * np.outer(y, y)
    X = np.zeros((len(chain.windows), d, width))
    squares, total = np.zeros((d, d)), np.zeros(d)
    Phi = model.features.to_float()
    gram, against, whole = Phi.T @ (law[:, None] * Phi), Phi.T @ (law * value), float(law @ value**2)
    wanted, found = set(times), []
    for t in range(times[-1]):
        both = X.sum(axis=0)[:, :d]
        squares = squares + both + both.T + Y.sum(axis=0)[:d, :d]
        total = total + Y.sum(axis=0)[:d, -1]
        turned = (np.eye(width) + steps[t] * U).transpose(0, 2, 1)
        here, moved = Y[chain.source], (X + Y[:, :d])[chain.source]
        Y, X = np.zeros_like(Y), np.zeros_like(X)
        Y[arrivals] = np.add.reduceat(p * (turned.transpose(0, 2, 1) @ here @ turned), first, axis=0)
        X[arrivals] = np.add.reduceat(p * (moved @ turned), first, axis=0)
        if t + 1 in wanted:
            T = t + 1
            found.append(float(np.sum(gram * squares)) / T**2 - 2 * float(against @ total) / T + whole)
    return tuple(found)
