"""What a class is tried on: small models and recorded trajectories, in the order of the properties they show.

Each property presupposes those before it, and within a property smaller models come first: so the first failure
is the one to look at. Numbers are chosen to be told apart, not to be realistic: step sizes change at every step,
α and β differ, θ_0 is not zero. Episodes end by a transition with discount 0, and the next one is marked
``first``, so an implementation may begin its trace anew by either.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product

import numpy as np

from tdcert.sims.algorithms import Transition, transitions
from tdcert.sims.random_models import Generator, assemble, random_model, rewards
from tdcert.sims.step_sizes import Polynomial, StepSizes
from tdcert.sims.streams import generator
from tdcert.sims.trajectories import WORD, Sampler, Trajectory, uniform_start
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.errors import InputError
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

PROPERTIES = {
    "first_update": "the first update",
    "updates": "further updates, λ = 0",
    "trace": "the trace inside its window",
    "window": "the end of the window",
    "discounts": "discounts that change with the transition",
    "episodes": "episodes: after discount 0 the trace begins anew",
    "ratios": "importance ratios ρ in the trace",
    "together": "everything together, larger models",
    "long_run": "many updates, decreasing step sizes",
}
"""Key → what is looked at, in the order it is asked."""

SCHEDULES = ("any", "constant", "n_step")
SHORT, LONG = 6, 80
ALPHAS = (1 / 4, 1 / 8, 3 / 16, 1 / 16, 5 / 32, 3 / 32)
BETAS = (1 / 8, 3 / 16, 1 / 4, 3 / 32, 1 / 16, 5 / 32)
DECREASING = StepSizes(Polynomial(0.5, 8.0, 0.7), Polynomial(0.4, 6.0, 0.6))
SCALE = Fraction(1, 2)
"""Of the features in ``together`` and ``long_run``: with it none of the four grows over so many updates."""

Lambdas = tuple[Fraction, ...]


@dataclass(frozen=True)
class TrialCase:
    """One trajectory of a model, with everything an implementation is handed. ``lambdas``: as handed to ``reset``."""

    shows: str
    model: Model
    lambdas: Lambdas
    trajectory: Trajectory
    alphas: tuple[float, ...]
    betas: tuple[float, ...]
    theta0: tuple[float, ...]

    @property
    def steps(self) -> int:
        """T, the number of updates."""
        return self.trajectory.steps

    @property
    def floats(self) -> tuple[float, ...]:
        """λ_1 … λ_L as floats."""
        return tuple(float(x) for x in self.lambdas)

    @property
    def size(self) -> tuple[int, int, int, int]:
        """What smaller means: states, features, length of the schedule, updates."""
        return self.model.n, self.model.d, len(self.lambdas), self.steps

    @property
    def first(self) -> tuple[bool, ...]:
        """Whether transition t begins an episode."""
        return (True, *(bool(x == 0) for x in self.trajectory.discounts))[: self.steps]

    @cached_property
    def transitions(self) -> tuple[Transition, ...]:
        """What is handed to ``step``, with the starts of episodes marked."""
        return tuple(replace(t, first=first) for t, first in zip(transitions(self.trajectory), self.first, strict=True))

    def part(self, begin: int, end: int) -> TrialCase:
        """Transitions begin … end − 1 alone, from θ_0."""
        x, rows = self.trajectory, slice(begin, end)
        cut = Trajectory(
            x.states[begin : end + 1], x.actions[rows], x.rewards[rows], x.discounts[rows], x.rho[rows], x.Phi
        )
        return replace(self, trajectory=cut, alphas=self.alphas[rows], betas=self.betas[rows])


def battery(algorithm: str, schedules: str = "any", seed: int = 0) -> tuple[TrialCase, ...]:
    """All cases for one algorithm, property by property, each from small to large.

    ``schedules``: ``constant`` hands out constant λ's only, at least as many as updates (so that a λ without end
    is the same); ``n_step`` only ones; ``any`` both and others. Raises :class:`InputError` for another word.
    """
    if schedules not in SCHEDULES:
        raise InputError(f"there are no schedules '{schedules}'; give one of {', '.join(SCHEDULES)}")
    rng = generator(seed, f"conformance of {algorithm}, schedules {schedules}")
    cases: list[TrialCase] = []
    for shows in PROPERTIES:
        found = list(_cases(rng, shows, algorithm, schedules))
        cases += sorted(found, key=lambda case: case.size)
    return tuple(cases)


def _cases(rng: Generator, shows: str, algorithm: str, schedules: str) -> Iterator[TrialCase]:
    if shows == "ratios" and algorithm == "td":
        return
    steps = {"first_update": 1, "long_run": LONG}.get(shows, SHORT)
    for lambdas in _schedules(shows, schedules, steps):
        if shows in ("together", "long_run"):
            sizes = [(3, 2), (4, 3)] if shows == "long_run" else [(3, 3), (4, 2), (5, 4)]
            for n, d in sizes:
                model = _large(rng, n, d, algorithm)
                yield _case(rng, shows, model, lambdas, steps)
            continue
        for n, d, _ in product((1, 2, 3), (1, 2), range(2)):
            if n > 1 or shows != "episodes":
                yield _case(rng, shows, _small(rng, shows, n, d, algorithm), lambdas, steps)


def _schedules(shows: str, schedules: str, steps: int) -> list[Lambdas]:
    """The λ's of a property: none, a window longer than the trajectory, or windows that end within it."""
    half, one = Fraction(1, 2), Fraction(1)
    without: list[Lambdas] = [(Fraction(0),) * steps] if schedules == "constant" else [()]
    falling = (Fraction(3, 4), Fraction(1, 4))
    if shows in ("first_update", "updates"):
        return without
    if schedules == "constant":
        return [] if shows == "window" else [(half,) * steps, (Fraction(7, 8),) * steps]
    if schedules == "n_step":
        return [(one,) * steps] if shows == "trace" else [(one,), (one,) * 2]
    if shows == "trace":
        return [(half,) * steps, (one,) * steps, (Fraction(3, 4), Fraction(1, 4), half, one, half, Fraction(7, 8))]
    if shows == "window":
        inner_zero = (half, Fraction(0), half)  # c_2 = 0: a recursion that divides by c_k fails here
        return [(half,), falling, (one,) * 2, Schedule.equal_weights(1, 3).lambdas, inner_zero]
    if shows in ("together", "long_run"):
        return [Schedule.equal_weights(2, 4).lambdas, (Fraction(7, 8), half, Fraction(1, 4))]
    return [(half,), falling, (Fraction(7, 8), Fraction(3, 8), Fraction(5, 8))]


def _small(rng: Generator, shows: str, n: int, d: int, algorithm: str) -> Model:
    """Uniform transitions, two actions; on-policy but where importance ratios are looked at."""
    even = Fraction(1, 2)
    rows = [[Fraction(1, n)] * n for _ in range(n)]
    gains = [[list(row) for row in R.rows] for R in rewards(rng, n, 2, per_transition=True)]
    discount = [[[Fraction(3, 4)] * n for _ in range(n)] for _ in range(2)]
    if shows in ("discounts", "ratios"):
        discount = [[[Fraction(int(k), 4) for k in rng.integers(1, 5, n)] for _ in range(n)] for _ in range(2)]
    Phi = [[int(x) for x in rng.integers(-2, 3, d)] for _ in range(n)]
    for row in Phi:
        row[0] = row[0] or 1  # no state without features, but a terminal one
    if shows == "episodes":  # they end on leaving the last state: a terminal one, or the last before it is left out
        rows[-1] = [*[Fraction(1, n - 1)] * (n - 1), Fraction(0)]
        terminal = bool(rng.integers(2))
        for a in range(2):
            discount[a][-1] = [Fraction(0)] * n
            gains[a][-1] = [Fraction(0)] * n if terminal else gains[a][-1]
        if terminal:
            Phi[-1] = [0] * d
    target = None
    if shows == "ratios":
        likely = [Fraction(int(k), 4) for k in rng.choice([0, 1, 3, 4], n)]
        target = RationalMatrix([[p, 1 - p] for p in likely])
    return assemble(
        [RationalMatrix(rows)] * 2,
        [RationalMatrix(x) for x in gains],
        [RationalMatrix(x) for x in discount],
        RationalMatrix([[even, even]] * n),
        target,
        RationalMatrix(Phi),
        Schedule(),
    )


def _large(rng: Generator, n: int, d: int, algorithm: str) -> Model:
    """A random model with discounts per transition, off-policy unless the algorithm is on-policy."""
    model = random_model(rng, n, d, 0, on_policy=algorithm == "td", gamma=None)
    return model.with_features(model.features.scaled(SCALE))


def _case(rng: Generator, shows: str, model: Model, lambdas: Lambdas, steps: int) -> TrialCase:
    if shows == "long_run":
        alphas, betas = DECREASING.arrays(steps)
    else:
        alphas, betas = np.array(ALPHAS[:steps]), np.array(BETAS[:steps])
    theta0 = [(1.0, -0.5, 0.75, 0.25)[j] for j in range(model.d)]
    model = model.with_schedule(Schedule(lambdas))
    return TrialCase(
        shows, model, lambdas, _walk(rng, model, steps), tuple(alphas.tolist()), tuple(betas.tolist()), tuple(theta0)
    )


def _walk(rng: Generator, model: Model, steps: int) -> Trajectory:
    """A trajectory under the behaviour policy from a random state; its law does not matter here."""
    sampler = Sampler.of(model, uniform_start(model))
    states, outcomes = [int(rng.integers(model.n))], []
    for word in rng.integers(0, WORD, steps, dtype=np.uint64, endpoint=False):
        outcomes.append(sampler.steps.outcome(states[-1], int(word)))
        states.append(int(sampler.next_states[states[-1], outcomes[-1]]))
    s, o = np.array(states[:-1]), np.array(outcomes)
    return Trajectory(
        np.array(states),
        sampler.actions[s, o],
        sampler.rewards[s, o],
        sampler.discounts[s, o],
        sampler.rho[s, o],
        sampler.Phi,
    )
