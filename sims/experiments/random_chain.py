r"""A5.2: the Random Chain, off-policy; GTD2 and TDC against GTD(λ)- and TDC(λ)-schedule with EqualWeights(2,4).

Said there: 15 states between two absorbing ones, the moves, rewards and policies (``random_chain`` of the gallery), γ =
0.9, tabular features, a random start, constant steps with η = α/β, and the RMSE averaged over 50 episodes and 50 runs.
Not said, and an axis here: which η and α, whether "averaged over episodes" means the mean of the RMSE at 50 marks one
mean episode apart (as here), and the start values (zero). An end has no feature: its value is known to be 0.

GTD(λ)-schedule and TDC(λ)-schedule with L = 0 take the place of GTD2 and TDC
(``tdcert.claims.dgb22.exp_random_chain`` says how they are related). All are run on common trajectories. η is α/β here
and β/α in Assumption 4; constant steps at a fixed ratio satisfy neither Assumption 1 nor 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from tdcert.sims.kernels import simulate
from tdcert.sims.step_sizes import Constant, StepSizes
from tdcert.sims.trajectories import Sampler
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.model.gallery import random_chain
from tdcert.theory.model.key_matrices import value_function
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

Array = NDArray[np.float64]

STATES, EPISODES, PAPER_RUNS = 15, 50, 50
MEAN_LENGTH = Fraction(139, 3)
"""Steps of an episode in the mean, the restart included: under the behaviour policy the walk is symmetric, so it takes
s(16 − s) from state s, 136/3 from an even start."""
TIMES = tuple(round(MEAN_LENGTH * k) for k in range(1, EPISODES + 1))
START = (Fraction(0), *(Fraction(1, STATES),) * STATES, Fraction(0))

PLAIN, SCHEDULED = Schedule(), Schedule.equal_weights(2, 4)
ALPHAS = tuple(2.0 ** (-k / 2) for k in range(14, -1, -1))
"""α from 1/128 to 1, by half octaves."""
ETAS = (0.5, 1.0, 4.0)
SMALL_ETA = 1 / 8
"""β = 8 α: a trace makes the update of w unstable before θ has learnt much."""
FINE_ALPHAS = {
    PLAIN: tuple(2.0 ** (-k / 12) for k in range(30, 26, -1)),
    SCHEDULED: tuple(sorted({*ALPHAS, *(2.0 ** (-k / 12) for k in range(57, 70))})),
}
"""At the small η the best α lies close to where runs diverge: twelfths of an octave about it; for the schedule also the
whole grid."""
GROUPS, SIZE, LARGE_SIZE = 40, 3, 12
"""Groups of so many runs, each averaged: larger ones where the difference is small."""


@cache
def chain(schedule: Schedule) -> Model:
    """The model, tabular on the 15 states."""
    Phi = RationalMatrix([[int(s == j + 1) for j in range(STATES)] for s in range(STATES + 2)])
    return random_chain(schedule=schedule).with_features(Phi)


@cache
def value() -> Array:
    """V^π on the 15 states, as floats."""
    return np.asarray(value_function(chain(PLAIN)).to_float()[1:-1, 0])


@dataclass(frozen=True)
class Setting:
    """``gtd`` or ``tdc``, a schedule, and the steps α and β = α/η."""

    algorithm: str
    schedule: Schedule
    eta: float
    alpha: float

    @property
    def steps(self) -> StepSizes:
        """Constant α and β."""
        return StepSizes(Constant(self.alpha), Constant(self.alpha / self.eta))


def rmse(setting: Setting, runs: int, seed: int, name: str, times: Sequence[int] = TIMES) -> Array:
    """√(mean over states of (θ_t − V)²) at the times, (runs, times); infinite from where a run has diverged.

    Runs of one ``seed`` and ``name`` walk the same paths in every setting.
    """
    found = simulate(chain(setting.schedule), setting.algorithm, setting.steps, times, runs, seed, name, start=START)
    with np.errstate(over="ignore"):
        errors = np.sqrt(np.mean((found.thetas - value()) ** 2, axis=2))
    gone = (found.diverged_at >= 0)[:, None] & (np.array(times)[None, :] >= found.diverged_at[:, None])
    return np.where(gone, np.inf, errors)


def law_distance(runs: int) -> float:
    """Total variation between so many sampled runs and the law of the chain."""
    return runs * Sampler.of(chain(PLAIN), START).distance(TIMES[-1])


@dataclass(frozen=True, eq=False)
class Sweep:
    """Averages over the marks and over groups of runs, one for each α of the grid: (α, groups)."""

    alphas: tuple[float, ...]
    averages: Array

    @property
    def best(self) -> Array:
        """The lowest over α, group by group."""
        return np.asarray(self.averages.min(axis=0))

    @property
    def best_alpha(self) -> float:
        """The α with the lowest median over groups."""
        return self.alphas[int(np.median(self.averages, axis=1).argmin())]

    @property
    def diverges_from(self) -> float | None:
        """The smallest α at which half of the groups end above the error of θ = 0, and at every larger one."""
        above = np.median(self.averages, axis=1) > float(np.sqrt(np.mean(value() ** 2)))
        stays = [j for j in range(len(self.alphas)) if above[j:].all()]
        return self.alphas[stays[0]] if stays else None


def sweep(
    algorithm: str,
    schedule: Schedule,
    eta: float,
    groups: int,
    size: int,
    seed: int,
    name: str,
    alphas: Sequence[float] = ALPHAS,
) -> Sweep:
    """RMSE averaged over the 50 marks and over groups of ``size`` runs, at every α."""
    rows = []
    for alpha in alphas:
        errors = rmse(Setting(algorithm, schedule, eta, alpha), groups * size, seed, name)
        rows.append(errors.mean(axis=1).reshape(groups, size).mean(axis=1))
    return Sweep(tuple(alphas), np.array(rows))


@dataclass(frozen=True, eq=False)
class SchedulePair:
    """One algorithm without and with the schedule, at one η, on the common trajectories of ``seed`` and ``name``."""

    algorithm: str
    eta: float
    seed: int
    name: str
    plain: Sweep
    scheduled: Sweep


def at_one_alpha(seed: int) -> list[SchedulePair]:
    """Both algorithms at every η, the small one too, at the smallest α of the grid alone, whatever that shows."""
    found = []
    for algorithm, eta in ((a, e) for a in ("tdc", "gtd") for e in (SMALL_ETA, *ETAS)):
        name = f"A5.2, one α at η = {eta:g}"
        plain, scheduled = (
            sweep(algorithm, schedule, eta, GROUPS, SIZE, seed, name, ALPHAS[:1]) for schedule in (PLAIN, SCHEDULED)
        )
        found.append(SchedulePair(algorithm, eta, seed, name, plain, scheduled))
    return found


def compare(algorithm: str, eta: float, seed: int, groups: int = GROUPS) -> SchedulePair:
    """Over the grid of α; at :data:`SMALL_ETA` over the finer ones, with larger groups."""
    fine = eta == SMALL_ETA
    size, name = (LARGE_SIZE if fine else SIZE), f"A5.2, groups of runs at η = {eta:g}"
    plain, scheduled = (
        sweep(algorithm, schedule, eta, groups, size, seed, name, FINE_ALPHAS[schedule] if fine else ALPHAS)
        for schedule in (PLAIN, SCHEDULED)
    )
    return SchedulePair(algorithm, eta, seed, name, plain, scheduled)


@lru_cache(maxsize=2)
def experiment(seed: int, groups: int = GROUPS) -> dict[tuple[str, float], SchedulePair]:
    """Both algorithms at every η of the axis; GTD at the small one too."""
    asked = [*((algorithm, eta) for algorithm in ("tdc", "gtd") for eta in ETAS), ("gtd", SMALL_ETA)]
    return {key: compare(*key, seed, groups) for key in asked}
