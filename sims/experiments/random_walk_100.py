r"""A5.1: a random MDP of 100 states and 5 actions, γ = 0.95, tabular, on-policy TD, episodes of 100 steps.

Said there: the sizes, γ, the episode length, α ∈ {0.005, 0.01}, and that transitions, rewards, policy and start law are
uniform (``tdcert.sims.random_models.uniform_mdp``). Not said, and an axis here: which MDP was drawn, θ_0, how many
steps and runs, which schedules are compared. The RMSE is √(Σ_s (θ_s − V_s)²/100), V the value of the policy.

The rewards have mean ½, so V is 10 in every state up to a few hundredths: from θ_0 = 0 the error is at first nearly the
same in all states, and all that counts is how fast a schedule raises them together.

**The mean flow.** The states of step t of an episode have the law d_t = d_0 Pᵗ, and the mean increment of one episode
at a frozen θ is α(A_e θ + b_e),

    A_e = Σ_{t<100} Σ_{k≤t} c_k γᵏ D_{t−k} Pᵏ(γP − I),   b_e = Σ_{t<100} Σ_{k≤t} c_k γᵏ D_{t−k} Pᵏ r.

θ_{e+1} = θ_e + α(A_e θ_e + b_e) is what E θ does to first order in α: a drawing, no exact curve. Exact is E θ_t for
TD(0), whose window is the state alone; with a trace the window has 100ᴸ⁺¹ values, and a constant λ has no closed
recursion of moments (``tdcert.theory.laws.moments``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from tdcert.sims.experiments.episodes import Episodes, draw_episodes
from tdcert.sims.random_models import uniform_mdp
from tdcert.sims.streams import generator
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule, trace_weights

Array = NDArray[np.float64]

LENGTH = 100
ALPHAS = (0.005, 0.01)
EPISODES = 200
TIMES = (100, 200, 500, 1_000, 2_000, 4_000, 6_000, 8_000, 10_000, 14_000, 20_000)
"""Marked steps; before step 30 all long traces are the same."""
RUNS = 48
"""Three registers (``tdcert.sims.kernels.lanes``), enough to show at 5e-10 that most runs are so, though some are
not."""

PAPER = "EqualWeights(30,60)"
SHORTER = {
    "TD(0)": Schedule(),
    "TD(0.9)": Schedule.constant(Fraction(9, 10)),
    "EqualWeights(1,3)": Schedule.equal_weights(1, 3),
    "EqualWeights(10,20)": Schedule.equal_weights(10, 20),
}
LONGER = {  # or as long in the mean: 45 steps
    "45-step": Schedule.n_step(45),
    "EqualWeights(60,90)": Schedule.equal_weights(60, 90),
    "Monte Carlo (λ = 1)": Schedule.n_step(LENGTH),
}
SCHEDULES = {**SHORTER, PAPER: Schedule.equal_weights(30, 60), **LONGER}


@dataclass(frozen=True, eq=False)
class DrawnProblem:
    """One drawn MDP, its start law, and V."""

    model: Model
    start: tuple[Fraction, ...]

    @cached_property
    def actions(self) -> list[tuple[Array, Array, Array]]:
        """For each action π(a|·) (n×1), P_a and R_a (n×n), as floats."""
        model = self.model
        return [
            (model.target.take(columns=[a]).to_float(), P.to_float(), R.to_float())
            for a, (P, R) in enumerate(zip(model.transitions, model.rewards, strict=True))
        ]

    @cached_property
    def P(self) -> Array:
        """P_π, n×n."""
        return np.asarray(sum(pi * P for pi, P, _ in self.actions))

    @cached_property
    def paid(self) -> Array:
        """E[R; s → s'] under the policy, n×n."""
        return np.asarray(sum(pi * P * R for pi, P, R in self.actions))

    @cached_property
    def r(self) -> Array:
        """Expected rewards, (n)."""
        return np.asarray(self.paid.sum(axis=1))

    @cached_property
    def gamma(self) -> float:
        """The discount."""
        assert self.model.gamma is not None
        return float(self.model.gamma)

    @cached_property
    def V(self) -> Array:
        """The value, (n): solved in floats, which moves a RMSE by less than 1e-12, and no order by a run."""
        return np.asarray(np.linalg.solve(np.eye(self.model.n) - self.gamma * self.P, self.r))


def draw_problem(seed: int, k: int, n: int = 100, actions: int = 5) -> DrawnProblem:
    """The k-th MDP of the axis."""
    return DrawnProblem(*uniform_mdp(generator(seed, f"A5.1, MDP {k}"), n, actions))


def draw_runs(problem: DrawnProblem, seed: int, k: int, runs: int = RUNS, episodes: int = EPISODES) -> Episodes:
    """Independent runs on the k-th MDP."""
    return draw_episodes(problem.model, problem.start, runs, episodes, LENGTH, seed, f"A5.1, runs on MDP {k}")


def rmse(problem: DrawnProblem, thetas: Array) -> Array:
    """√(mean over states of (θ − V)²), on the last axis."""
    return np.asarray(np.sqrt(np.mean((thetas - problem.V) ** 2, axis=-1)))


@dataclass(frozen=True, eq=False)
class Curves:
    """RMSE (runs, times) of every schedule on common runs, for one MDP, α and θ_0."""

    alpha: float
    theta0: float
    times: tuple[int, ...]
    rmse: dict[str, Array]

    def lowest(self, own: str, rivals: Sequence[str], since: int = 0, upto: int | None = None) -> NDArray[np.bool_]:
        """In which runs ``own`` lies below all ``rivals`` at every marked step from ``since`` to ``upto``: (runs)."""
        kept = [j for j, t in enumerate(self.times) if since <= t <= (self.times[-1] if upto is None else upto)]
        mine = self.rmse[own][:, kept]
        return np.asarray(np.all([np.all(mine < self.rmse[rival][:, kept], axis=1) for rival in rivals], axis=0))


def curves(problem: DrawnProblem, runs: Episodes, alpha: float, theta0: float, times: Sequence[int] = TIMES) -> Curves:
    """All schedules along the same runs."""
    found = {
        label: rmse(problem, runs.iterates(schedule, alpha, times, theta0)) for label, schedule in SCHEDULES.items()
    }
    return Curves(alpha, theta0, tuple(times), found)


def mean_flow(
    problem: DrawnProblem, schedule: Schedule, alpha: float, theta0: float, episodes: int = EPISODES
) -> Array:
    """‖θ_e − V‖/√n along the mean flow of the module docstring, for e = 0 … ``episodes``."""
    A, b = episode_increment(problem, schedule)
    theta, errors = np.full(problem.model.n, theta0), []
    for _ in range(episodes + 1):
        errors.append(float(rmse(problem, theta)))
        theta = theta + alpha * (A @ theta + b)
    return np.array(errors)


def episode_increment(problem: DrawnProblem, schedule: Schedule, length: int = LENGTH) -> tuple[Array, Array]:
    """A_e (n×n) and b_e (n) of the module docstring, for episodes of that length."""
    n, N = problem.model.n, problem.gamma * problem.P
    lambdas = schedule.lambdas if schedule.is_finite else (schedule.tail,) * (length - 1)
    c = [float(x) for x in trace_weights(lambdas[: length - 1])]
    law, visits = np.array([float(p) for p in problem.start]), np.zeros(n)
    laws = []
    for _ in range(length):
        laws.append(law)
        visits = visits + law
        law = law @ problem.P
    # lag k is met after the steps 0 … length − 1 − k
    power, S = np.eye(n), np.zeros((n, n))
    for k, weight in enumerate(c):
        S += weight * visits[:, None] * power
        power = N @ power
        visits = visits - laws[length - 1 - k]
    return S @ (N - np.eye(n)), S @ problem.r


def mean_of_td0(
    problem: DrawnProblem, alpha: float, theta0: float, times: Sequence[int], length: int = LENGTH
) -> Array:
    """E θ_t of TD(0), exact but for the rounding of floats: (times, n).

    With m_t(s) = E[θ_t 1{s_t = s}] and d_t(s): m_{t+1}(s') = Σ_s P(s, s')(m_t(s) + α e_s(γ m_t(s)_{s'} − m_t(s)_s)) + α
    Σ_s d_t(s) P(s, s') r(s, s') e_s; an episode's start draws s anew.
    """
    n, P, gamma = problem.model.n, problem.P, problem.gamma
    start, wanted = np.array([float(p) for p in problem.start]), set(times)
    d, m, found = start, np.outer(start, np.full(n, theta0)), []
    for t in range(times[-1] + 1):
        if t in wanted:
            found.append(m.sum(axis=0))
        moved = P.T @ m
        own = np.diag(m)
        # what state s alone gains on its way to s' goes to entry s of m(s')
        moved += alpha * (P * (gamma * m - own[:, None]) + d[:, None] * problem.paid).T
        m, d = moved, d @ P
        if (t + 1) % length == 0:
            m, d = np.outer(start, m.sum(axis=0)), start
    return np.array(found)


@dataclass(frozen=True, eq=False)
class WalkExperiment:
    """One MDP: the curves from θ_0 = 0 and those from θ_0 = mean of V, each at increasing α. ``law_distance`` as in
    :class:`Episodes`.
    """

    problem: DrawnProblem
    law_distance: float
    from_zero: tuple[Curves, ...]
    from_level: tuple[Curves, ...]


@lru_cache(maxsize=4)
def experiment(seed: int, k: int, runs: int = RUNS) -> WalkExperiment:
    """The k-th MDP: both α of the paper, from zero and from the level of V."""
    problem = draw_problem(seed, k)
    drawn = draw_runs(problem, seed, k, runs)
    zero, level = (
        tuple(curves(problem, drawn, alpha, theta0) for alpha in ALPHAS) for theta0 in (0.0, float(problem.V.mean()))
    )
    return WalkExperiment(problem, drawn.law_distance, zero, level)
