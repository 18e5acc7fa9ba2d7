r"""The mean of the iterates under constant steps, far ahead: one matrix, raised to a power.

At constant step sizes the means m_t(h) = E[y_t 1{node = h}] of ``tdcert.theory.laws.nodes`` move by one linear map,
 m_{t+1} = 𝓜 m_t. Its powers by repeated squaring reach times that no step-by-step propagation does. In floats: made
to be drawn, it decides nothing. For small α the map is stable exactly where the mean matrix of the algorithm is
Hurwitz.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tdcert.theory.laws.nodes import Array, NodeChain
from tdcert.theory.limits import MEAN_ROWS, LimitError, raised


def distances_at_constant_steps(
    chain: NodeChain,
    sizes: Sequence[float],
    theta_star: Array,
    interval: int,
    count: int,
    theta0: Sequence[float],
) -> tuple[float, ...]:
    """‖E θ_t − θ*‖₂ at t = 0, ``interval``, 2·``interval``, … (``count`` of them) at the step sizes ``sizes``, from
    θ_0, all other parameters starting at zero; θ* is ``theta_star`` (d).

    Raises :class:`BudgetExceededError` where 𝓜 has more than :data:`MEAN_ROWS` rows.
    """
    size = len(chain.nodes) * chain.width
    if size > raised(MEAN_ROWS):
        said = f"the map of the means has {size} rows; at most {raised(MEAN_ROWS)} are multiplied out"
        raise LimitError(said, size / MEAN_ROWS)
    step = np.eye(chain.width) + chain.floats.at(sizes)
    far = np.linalg.matrix_power(chain.operator(step).toarray(), interval)
    y = chain.first_means(theta0)
    found = []
    for _ in range(count):
        found.append(float(np.linalg.norm(chain.mean_theta(y) - theta_star)))
        y = far @ y
    return tuple(found)
