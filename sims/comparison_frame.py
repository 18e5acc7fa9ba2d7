"""The frame of all comparisons: what is run, how much of it for which share of the budget, and how it is judged.

Runs are independent and drawn in batches, each from a stream of its own named after the comparison and its first run;
``tdcert.sims.judge.sequential`` says when there are enough.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tdcert.algorithms.schedules import scheduled
from tdcert.sims.judge.agreement import Agreement, ErrorBudget
from tdcert.sims.judge.sequential import Draw, judge_sequentially, usual_looks
from tdcert.sims.kernels import DIVERGED, Replicates, simulate
from tdcert.sims.step_sizes import Constant, StepSizes
from tdcert.sims.trajectories import uniform_start
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.model.mdp import Model

Array = NDArray[np.float64]
Simulator = Callable[..., Replicates]

DEFAULT_SHARE = 1e-8
"""False-alarm rate of one comparison, unless asked otherwise."""


@dataclass(frozen=True)
class Target:
    """One algorithm on a model: its steps, the law of s_0 (None: uniform) and θ_0 (None: zero); w_0 is zero.

    ``simulator``: what makes the runs, with the signature of ``kernels.simulate``; a wrong one may take its place, to
    see whether its mistakes are noticed.
    """

    model: Model
    algorithm: str
    step_sizes: StepSizes = StepSizes(Constant(0.0))  # noqa: RUF009 -- it is frozen
    start: Sequence[Fraction] | None = None
    theta0: ArrayLike | None = None
    simulator: Simulator = simulate

    @property
    def width(self) -> int:
        """D, the number of entries of θ, and of w where the algorithm has it."""
        return self.model.d * scheduled(self.algorithm).blocks

    @property
    def law(self) -> Sequence[Fraction]:
        """The law of s_0."""
        return uniform_start(self.model) if self.start is None else self.start


@dataclass(frozen=True)
class Expected:
    """What theory says of k coordinates: mean and variance, and how far rounding may have moved each.

    ``size``: of what is compared, for :func:`require_sharp`; ``covariance``: of the first coordinates, for χ².
    """

    labels: Sequence[str]
    mean: Array
    variance: Array
    mean_slack: Array
    variance_slack: Array
    size: Array
    covariance: Array | None = None


@dataclass(frozen=True)
class Sampling:
    """A comparison: its name, the most independent samples, the seed, and its share ``alpha`` of the budget.

    ``stop_early``: whether the judge may look before all samples are there.
    """

    name: str
    most: int
    seed: int
    budget: ErrorBudget
    alpha: float = DEFAULT_SHARE
    stop_early: bool = True

    def run(self, target: Target, times: Sequence[int], begin: int, end: int, w0: ArrayLike | None = None) -> Array:
        """(θ, w) of the runs number ``begin`` … ``end`` − 1 at the times, (runs, times, D); :class:`InputError` if one
        of them diverges.
        """
        out = target.simulator(
            target.model,
            target.algorithm,
            target.step_sizes,
            times,
            end - begin,
            self.seed,
            batch_name(self.name, begin),
            start=target.law,
            theta0=target.theta0,
            w0=w0,
        )
        require_finite(out, self.name)
        return np.concatenate([out.thetas, out.ws], axis=2)[:, :, : target.width]

    def judge(self, draw: Draw, expected: Expected, distance: float) -> Agreement:
        """``distance``: total variation between one sample and the law meant. Raises BudgetExceededError where
        rounding would blur the comparison.
        """
        found = judge_sequentially(
            draw,
            expected.mean,
            expected.variance,
            alpha=self.budget.spend(self.name, self.alpha),
            max_samples=self.most,
            name=self.name,
            looks=usual_looks(self.most) if self.stop_early else (self.most,),
            labels=expected.labels,
            mean_slack=expected.mean_slack,
            variance_slack=expected.variance_slack,
            law_distance=self.most * distance,
            covariance=expected.covariance,
        )
        require_sharp(found, expected.size)
        return found


def require_sharp(found: Agreement, size: Array) -> None:
    """Refuse a comparison in which rounding, not sampling, decides what can be seen.

    The bounds on rounding may widen a radius by a tenth, or by a millionth of the ``size`` of what is compared (which
    leaves room for coordinates without variance).
    """
    for label, radius, sampling, scale in zip(found.labels, found.radius, found.sampling_radius, size, strict=True):
        if radius > 1.1 * sampling + 1e-6 * scale:
            raise BudgetExceededError(
                f"'{found.name}': rounding may move {label} by {radius - sampling:.2g}, while sampling alone "
                f"needs {sampling:.2g}; compare at an earlier time or with smaller steps"
            )


def batch_name(name: str, begin: int) -> str:
    """The stream of the batch whose first run is number ``begin``; the first batch has the comparison's own name."""
    return name if begin == 0 else f"{name}, from run {begin}"


def require_finite(out: Replicates, name: str) -> None:
    """Report divergence as divergence: :class:`InputError` with the first step at which a run passed the bound."""
    passed = out.diverged_at[out.diverged_at >= 0]
    if len(passed):
        raise InputError(
            f"'{name}': a run diverged at step {passed.min()} ({len(passed)} of {len(out.diverged_at)} passed "
            f"{DIVERGED:g}); there is no mean to compare, use smaller steps"
        )
