"""Runs of a declared update against its exact moments at a finite time."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from tdcert.sims.comparison_frame import Sampling, batch_name
from tdcert.sims.finite_time_comparison import judge_moments
from tdcert.sims.judge.agreement import Agreement
from tdcert.sims.trajectories import uniform_start
from tdcert.sims.updates.lanes import Array
from tdcert.sims.updates.runs import UpdateRuns
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.nodes import nodes
from tdcert.theory.laws.moments import finite_time_moments
from tdcert.theory.limits import EXACT_MOVES
from tdcert.theory.model.mdp import Model


def simulate_update(
    model: Model,
    algorithm: Algorithm,
    ratios: Sequence[Fraction],
    steps: Sequence[float],
    sampling: Sampling,
    *,
    y0: Sequence[float] | None = None,
    drawn: Algorithm | None = None,
    constant: bool = False,
) -> Agreement:
    """Mean and covariance of all parameters after as many updates as there are ``steps``, from s_0 uniform.

    ``ratios``: of each step size to the first; ``y0``: where all D parameters start (zeros). The function is run on
    floats; the moments come from its nodes. ``drawn``: what is run instead, to see whether mistakes are noticed.
    ``constant``: the steps are all equal, and may enter in any way.
    Raises BudgetExceededError where the memory takes too many values up to then, InputError as
    :meth:`~tdcert.sims.updates.runs.UpdateRuns.run`.
    """
    names = zip(algorithm.steps, ratios, strict=True)
    fixed = {name: Fraction(steps[0]) * ratio for name, ratio in names} if constant else None
    start = uniform_start(model)
    chain = nodes(model, algorithm, start, steps=fixed, until=len(steps), most=EXACT_MOVES)
    begin_at = [0.0] * (chain.width - 1) if y0 is None else list(y0)
    sizes = np.asarray(steps, dtype=np.float64)
    arrays = [sizes * float(ratio) for ratio in ratios]
    (exact,) = finite_time_moments(chain, arrays, [len(sizes)], [*begin_at, 1], order=4)
    simulation = UpdateRuns(model, drawn or algorithm, ratios, start, followed=True)

    def draw(begin: int, end: int) -> tuple[Array, Array]:
        found = simulation.run(sizes, end - begin, sampling.seed, batch_name(sampling.name, begin), begin_at)
        assert found.rounding is not None
        return found.parameters, found.rounding.max(axis=0)

    labels = [entry for slot in algorithm.slots(model.d)[0] for entry in slot.entries]
    return judge_moments(exact, labels, draw, sampling, simulation.sampler.distance(len(sizes)))
