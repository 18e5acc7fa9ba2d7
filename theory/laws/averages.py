r"""The mean square error of averages of an update's iterates, step by step, under steps that vary: curves to draw.

With y_{t+1} = B_t y_t on the transitions of the chain of nodes (:mod:`tdcert.theory.laws.nodes`), let
S_T = Σ_{t<T} θ_t. Its law needs two moments in each node and two in all:

    Y(h) = E[y yᵀ 1{h}],    X(h) = E[S yᵀ 1{h}],    X'(h') = Σ_{h → h'} p (X(h) + E[θ yᵀ 1{h}]) Bᵀ,
    E[SSᵀ]' = E[SSᵀ] + E[Sθᵀ] + E[θSᵀ] + E[θθᵀ],    E[S]' = E[S] + E[θ],

so that E‖Φ S_T/T − V‖²_D is exact but for the rounding of plain floats, of which there are no bounds.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tdcert.theory.arithmetic.float_enclosures import Floats
from tdcert.theory.laws.nodes import NodeChain


def averaged_errors(
    chain: NodeChain,
    steps: Sequence[Floats],
    times: Sequence[int],
    *,
    theta0: Sequence[float],
    features: Floats,
    value: Floats,
    law: Floats,
) -> tuple[float, ...]:
    """E‖Φθ̄_T − V‖²_D at the increasing ``times`` T ≥ 1, θ̄_T the average of θ_0 … θ_{T−1}, all other parameters starting
    at zero. ``steps``: α_0, α_1, … for each step size; ``features``: Φ (n×d); ``value``: V, and ``law``: D, of length
    n. It takes :func:`work_of` multiplications.
    """
    width, theta = chain.width, slice(chain.theta.start, chain.theta.stop)
    d = theta.stop - theta.start
    p = chain.floats.probability[:, None, None]
    arrivals, first = np.unique(chain.target, return_index=True)
    y = np.array([float(x) for x in chain.first(theta0)])
    Y = chain.start.astype(np.float64)[:, None, None] * np.outer(y, y)
    X = np.zeros((len(chain.nodes), d, width))
    squares, total = np.zeros((d, d)), np.zeros(d)
    gram, against = features.T @ (law[:, None] * features), features.T @ (law * value)
    whole = float(law @ value**2)
    wanted, found = set(times), []
    for t in range(times[-1]):
        both = X.sum(axis=0)[:, theta]
        squares = squares + both + both.T + Y.sum(axis=0)[theta, theta]
        total = total + Y.sum(axis=0)[theta, -1]
        turned = (np.eye(width) + chain.floats.at([float(one[t]) for one in steps])).transpose(0, 2, 1)
        here, moved = Y[chain.source], (X + Y[:, theta])[chain.source]
        Y, X = np.zeros_like(Y), np.zeros_like(X)
        Y[arrivals] = np.add.reduceat(p * (turned.transpose(0, 2, 1) @ here @ turned), first, axis=0)
        X[arrivals] = np.add.reduceat(p * (moved @ turned), first, axis=0)
        if t + 1 in wanted:
            T = t + 1
            found.append(float(np.sum(gram * squares)) / T**2 - 2 * float(against @ total) / T + whole)
    return tuple(found)


def work_of(transitions: int, last: int, width: int) -> float:
    """The multiplications that :func:`averaged_errors` takes up to the time ``last`` along so many transitions."""
    return transitions * 4.0 * last * width**3
