"""What a class is tried on: small models and recorded trajectories, in the order of the properties they show.

Each property presupposes those before it, and within a property smaller models come first: so the first failure
is the one to look at. Numbers are chosen to be told apart, not to be realistic: step sizes change at every step,
α and β differ, θ_0 is not zero. Episodes end by a transition with discount 0, and the next one is marked
``first``, so an implementation may begin its trace anew by either. Of independent draws each is marked ``first``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import product
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from tdcert.sims.algorithms import SimulatedTransition, transitions
from tdcert.sims.experiments.gtd_lambda import ONE_LAMBDA, WITHOUT_RATIOS
from tdcert.sims.random_models import assemble, random_model, rewards
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

SAMPLINGS = ("path", "independent")
"""Transitions one after another, or drawn independently, each the first of a run of its own."""
SCHEDULES = ("any", "constant", "n_step", "zero")
DISCOUNTS = ("any", "constant")
GAMMAS = (Fraction(3, 4), Fraction(1, 2), Fraction(7, 8))
"""The one discount of a trajectory, where it is constant."""
SHORT, LONG = 6, 80
ALPHAS = (1 / 4, 1 / 8, 3 / 16, 1 / 16, 5 / 32, 3 / 32)
BETAS = (1 / 8, 3 / 16, 1 / 4, 3 / 32, 1 / 16, 5 / 32)
DECREASING = StepSizes(Polynomial(0.5, 8.0, 0.7), Polynomial(0.4, 6.0, 0.6))
SCALE = Fraction(1, 2)
"""The factor of the features in ``together`` and ``long_run``; with it none of the four grows over so many updates."""

Lambdas = tuple[Fraction, ...]
Array = NDArray[np.float64]


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
    gamma: float | None = None
    """The one discount, but for 0 where an episode ends; None where discounts change with the transition."""
    w0: tuple[float, ...] = ()
    """w starts here if the class takes that, else at zero."""

    declared: ClassVar[bool] = False
    """Whether it is a case of a declared update."""

    @property
    def given(self) -> tuple[dict[str, float | list[float]], dict[str, float | list[float]]]:
        """Options, and starts of parameters by name: what ``reset`` is handed besides ``lambdas`` and ``theta0``."""
        return {}, {"w0": list(self.w0)} if self.w0 else {}

    @property
    def sizes(self) -> Array:
        """The step sizes of each update, (T, how many)."""
        return np.stack([self.alphas, self.betas], axis=1)

    @property
    def step_names(self) -> tuple[str, ...]:
        """The names of the step sizes."""
        return "alpha", "beta"

    @property
    def pi(self) -> Array:
        """The probability of each action under the target policy, (T,)."""
        return np.asarray(self.model.target.to_float()[self.trajectory.left, self.trajectory.actions])

    @property
    def mu(self) -> Array:
        """The probability of each action under the behaviour policy, (T,)."""
        return np.asarray(self.model.behaviour.to_float()[self.trajectory.left, self.trajectory.actions])

    @property
    def interest(self) -> Array:
        """The interest of each state that is left, which is 1, (T,)."""
        return np.ones(self.steps)

    @property
    def expected_phi_next(self) -> Array:
        """Σ_a π(a|s) Σ_s' P_a(s, s') φ(s') of each state left, (T, d)."""
        ahead = self.model.target_kernel.P @ self.model.features
        return np.asarray(ahead.to_float()[self.trajectory.left])

    @property
    def discount_before(self) -> Array:
        """The discount of the transition before; 0 at the start and before each draw, (T,)."""
        before = np.concatenate([[0.0], self.trajectory.discounts[:-1]])
        return 0 * before if self.trajectory.drawn else before

    @property
    def rho_before(self) -> Array:
        """The importance ratio of the action before; 1 at the start and before each draw, (T,)."""
        before = np.concatenate([[1.0], self.trajectory.rho[:-1]])
        return np.ones_like(before) if self.trajectory.drawn else before

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
        """Whether transition t begins an episode, or is drawn."""
        return (True, *(self.trajectory.drawn or bool(x == 0) for x in self.trajectory.discounts))[: self.steps]

    @cached_property
    def transitions(self) -> tuple[SimulatedTransition, ...]:
        """What is handed to ``step``, with the starts of episodes marked."""
        return tuple(replace(t, first=first) for t, first in zip(transitions(self.trajectory), self.first, strict=True))

    def part(self, begin: int, end: int) -> TrialCase:
        """Transitions begin … end − 1 alone, from θ_0."""
        x, rows = self.trajectory, slice(begin, end)
        cut = replace(
            x,
            states=x.states[begin : end + (x.next_states is None)],
            actions=x.actions[rows],
            rewards=x.rewards[rows],
            discounts=x.discounts[rows],
            rho=x.rho[rows],
            next_states=None if x.next_states is None else x.next_states[rows],
        )
        return replace(self, trajectory=cut, alphas=self.alphas[rows], betas=self.betas[rows])


def battery(
    algorithm: str, schedules: str = "any", seed: int = 0, discounts: str = "any", sampling: str = "path"
) -> tuple[TrialCase, ...]:
    """All cases for one algorithm, property by property, each from small to large.

    ``schedules``: ``constant`` hands out constant λ's only, at least as many as updates (so that a λ without end
    is the same); ``n_step`` only ones; ``zero`` none but 0; ``any`` all of these and others. ``discounts``:
    ``constant`` has one γ along a trajectory, and 0 where an episode ends; ``any`` changes it with the transition.
    ``sampling``: ``path``, or ``independent``, where no window ends, for none is longer than one transition.
    Raises :class:`InputError` for another word, and for other schedules than an algorithm of one λ has.
    """
    for what, given, known in (("schedules", schedules, SCHEDULES), ("discounts", discounts, DISCOUNTS)):
        if given not in known:
            raise InputError(f"there are no {what} '{given}'; give one of {', '.join(known)}")
    if sampling not in SAMPLINGS:
        raise InputError(f"there is no sampling '{sampling}'; give one of {', '.join(SAMPLINGS)}")
    if algorithm in ONE_LAMBDA and schedules not in ("constant", "zero"):
        raise InputError(f"{algorithm} has one λ, and the schedules are '{schedules}'; give constant or zero")
    one_gamma = discounts == "constant"
    of_one_gamma = ", one discount" if one_gamma else ""
    drawn = sampling == "independent"
    of_draws = ", independent draws" if drawn else ""
    rng = generator(seed, f"conformance of {algorithm}, schedules {schedules}{of_one_gamma}{of_draws}")
    cases: list[TrialCase] = []
    for shows in PROPERTIES:
        if drawn and shows == "window":
            continue
        found = [_drawn(rng, case) if drawn else case for case in _cases(rng, shows, algorithm, schedules, one_gamma)]
        cases += sorted(found, key=lambda case: case.size)
    return tuple(cases)


kept_battery = lru_cache(maxsize=16)(battery)
"""The battery as it was drawn before, if it was: a trial asks for it several times."""


def _cases(rng: Generator, shows: str, algorithm: str, schedules: str, one_gamma: bool) -> Iterator[TrialCase]:
    if (shows == "ratios" and algorithm in WITHOUT_RATIOS) or (shows == "discounts" and one_gamma):
        return
    steps = {"first_update": 1, "long_run": LONG}.get(shows, SHORT)
    for lambdas in _schedules(shows, schedules, steps):
        if shows in ("together", "long_run"):
            sizes = [(3, 2), (4, 3)] if shows == "long_run" else [(3, 3), (4, 2), (5, 4)]
            for n, d in sizes:
                gamma = GAMMAS[int(rng.integers(len(GAMMAS)))] if one_gamma else None
                model = _large(rng, n, d, algorithm, gamma)
                yield _case(rng, shows, model, lambdas, steps, gamma)
            continue
        for n, d, _ in product((1, 2, 3), (1, 2), range(2)):
            if n > 1 or shows != "episodes":
                gamma = GAMMAS[int(rng.integers(len(GAMMAS)))] if one_gamma else None
                yield _case(rng, shows, _small(rng, shows, n, d, gamma), lambdas, steps, gamma)


def _schedules(shows: str, schedules: str, steps: int) -> list[Lambdas]:
    """The λ's of a property: none, a window longer than the trajectory, or windows that end within it."""
    half, one = Fraction(1, 2), Fraction(1)
    without: list[Lambdas] = [(Fraction(0),) * steps] if schedules in ("constant", "zero") else [()]
    falling = (Fraction(3, 4), Fraction(1, 4))
    if shows in ("first_update", "updates"):
        return without
    if schedules == "zero":
        return [] if shows in ("trace", "window") else without
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


def _small(rng: Generator, shows: str, n: int, d: int, gamma: Fraction | None) -> Model:
    """Uniform transitions, two actions; on-policy but where importance ratios are looked at. ``gamma``: the one
    discount, None where it may change."""
    even = Fraction(1, 2)
    rows = [[Fraction(1, n)] * n for _ in range(n)]
    gains = [[list(row) for row in R.rows] for R in rewards(rng, n, 2, per_transition=True)]
    discount = [[[gamma or Fraction(3, 4)] * n for _ in range(n)] for _ in range(2)]
    if shows in ("discounts", "ratios") and gamma is None:
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


def _large(rng: Generator, n: int, d: int, algorithm: str, gamma: Fraction | None) -> Model:
    """A random model, off-policy unless the algorithm is on-policy; with discounts per transition, or with one
    discount and episodes that end on leaving the last state."""
    model = random_model(rng, n, d, 0, on_policy=algorithm in WITHOUT_RATIOS, gamma=gamma)
    if gamma is not None:
        ends = RationalMatrix([[gamma if s < n - 1 else Fraction(0)] * n for s in range(n)])
        model = replace(model, discounts=(ends,) * len(model.actions))
    return model.with_features(model.features.scaled(SCALE))


def _case(
    rng: Generator, shows: str, model: Model, lambdas: Lambdas, steps: int, gamma: Fraction | None = None
) -> TrialCase:
    if shows == "long_run":
        alphas, betas = DECREASING.arrays(steps)
    else:
        alphas, betas = np.array(ALPHAS[:steps]), np.array(BETAS[:steps])
    theta0 = [(1.0, -0.5, 0.75, 0.25)[j] for j in range(model.d)]
    model = model.with_schedule(Schedule(lambdas))
    return TrialCase(
        shows,
        model,
        lambdas,
        _walk(rng, model, steps),
        tuple(alphas.tolist()),
        tuple(betas.tolist()),
        tuple(theta0),
        None if gamma is None else float(gamma),
    )


def _walk(rng: Generator, model: Model, steps: int) -> Trajectory:
    """A trajectory under the behaviour policy from a random state; its law does not matter here."""
    sampler = Sampler.of(model, uniform_start(model))
    states, outcomes = [int(rng.integers(model.n))], []
    for word in rng.integers(0, WORD, steps, dtype=np.uint64, endpoint=False):
        outcomes.append(sampler.steps.outcome(states[-1], int(word)))
        states.append(int(sampler.next_states[states[-1], outcomes[-1]]))
    return sampler.along(np.array(states), np.array(outcomes))


def _drawn(rng: Generator, case: TrialCase) -> TrialCase:
    """The case with as many transitions from random states, none of which begins where the one before it ended."""
    sampler = Sampler.of(case.model, uniform_start(case.model))
    rows = rng.integers(0, case.model.n, case.steps)
    words = rng.integers(0, WORD, case.steps, dtype=np.uint64, endpoint=False)
    outcomes = np.array([sampler.steps.outcome(int(s), int(word)) for s, word in zip(rows, words, strict=True)])
    return replace(case, trajectory=sampler.draws(rows, outcomes))
