r"""The mean of the iterates under constant steps, far ahead: one matrix, raised to a power.

With α_t = α and β_t = β the means m_t(h) = E[y_t 1{window = h}] of ``tdcert.theory.laws.windows`` move by one linear
map, m_{t+1} = 𝓜 m_t. Its powers by repeated squaring reach times that no step-by-step propagation does. In floats: made
to be drawn, it decides nothing. For small α the map is stable exactly where the mean matrix of the algorithm is
Hurwitz.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from tdcert.theory.errors import BudgetExceededError
from tdcert.theory.laws.schedule_update import ScheduleUpdate
from tdcert.theory.laws.windows import window_chain
from tdcert.theory.model.key_matrices import behaviour_matrices
from tdcert.theory.model.mdp import Model

LARGEST = 1_000
"""Most rows of 𝓜: windows times the width of y."""


def distances_at_constant_steps(
    model: Model,
    algorithm: ScheduleUpdate,
    alpha: float,
    beta: float,
    interval: int,
    count: int,
    *,
    start: Sequence[Fraction],
    theta0: Sequence[float],
) -> tuple[float, ...]:
    """‖E θ_t − θ*‖₂ at t = 0, ``interval``, 2·``interval``, … (``count`` of them), from s_0 ~ ``start``, θ_0, w_0 = 0.

    One recurrent class with A nonsingular, and a finite schedule, are needed. Raises :class:`BudgetExceededError`
    where 𝓜 has more than :data:`LARGEST` rows.
    """
    chain = window_chain(model, algorithm, start)
    size = len(chain.windows) * chain.width
    if size > LARGEST:
        raise BudgetExceededError(f"the map of the means has {size} rows; at most {LARGEST} are multiplied out")
    (states,) = model.behaviour_chain.recurrent_classes
    theta_star = behaviour_matrices(model, states).theta_star.to_float()[:, 0]
    updates = chain.floats
    step = np.eye(chain.width) + alpha * updates.U + beta * updates.V
    far = np.linalg.matrix_power(chain.operator(step).toarray(), interval)
    y = chain.first_means(theta0)
    found = []
    for _ in range(count):
        found.append(float(np.linalg.norm(chain.mean_theta(y) - theta_star)))
        y = far @ y
    return tuple(found)
