"""Which way do most runs go? Signs of the median growth for many questions at once, with one confidence for all.

What a sign says, and what it leaves open about the top Lyapunov exponent: ``tdcert.sims.growth``. Every question is
asked in round one; those left undecided are asked again, with more and longer runs, the most promising first and no
more than a round allows. The probability of an error is split evenly over rounds and questions (a union bound, whatever
is dependent), so all signs that are given are right together with probability ``level``. All questions of a round draw
from one stream: models that differ in discount or schedule alone are seen along the same paths.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tdcert.sims.judge.agreement import MISS
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.extras import require
from tdcert.theory.model.mdp import Model

if TYPE_CHECKING:
    from tdcert.sims.growth import PathStability


@dataclass(frozen=True)
class SignQuestion:
    """Do most runs of this algorithm on this model shrink or grow, with steps α and ηα for the later ones? By name: the
    paper's four; or any declared update.
    """

    label: str
    model: Model
    algorithm: str | Algorithm
    alpha: float
    eta: float


@dataclass(frozen=True)
class Round:
    """``runs`` independent runs of ``steps`` updates for each of at most ``most`` questions (None: all)."""

    runs: int
    steps: int
    most: int | None = None


@dataclass(frozen=True)
class SignAgreement:
    """Signs beside those that a statement names: in most runs differences shrink (−1) or grow (+1) from T/5 to T.

    ``alpha_spent``: probability that some sign which was found is wrong, at most, whatever the law of a run.
    """

    name: str
    labels: tuple[str, ...]
    expected: tuple[int, ...]
    found: tuple[PathStability, ...]
    alpha_spent: float

    @property
    def agrees(self) -> bool:
        """Whether every sign was found, and is the one named."""
        return all(path.sign == sign for path, sign in zip(self.found, self.expected, strict=True))

    @property
    def contradicts(self) -> bool:
        """Whether a sign was found that is not the one named."""
        return any(path.sign not in (None, sign) for path, sign in zip(self.found, self.expected, strict=True))

    def sentence(self) -> str:
        """The result in one line."""
        verb = "agrees with" if self.agrees else "contradicts" if self.contradicts else "leaves open"
        return f"{self.name}: simulation {verb} the statement; {self.summary()} (error rate {self.alpha_spent:.1g})"

    def summary(self) -> str:
        """Median growth × 10⁵ per step with its intervals, and how many runs must agree to be seen."""
        told = ", ".join(f"{label}: {in_words(path)}" for label, path in zip(self.labels, self.found, strict=True))
        shares = [float(path.enough) for path in self.found]
        return (
            f"{told}; {max(path.runs for path in self.found)} runs each, medians × 10⁵ a step from update "
            f"{self.found[0].steps // 5:,} to {self.found[0].steps:,}; a sign that {max(shares):g} of all runs have is "
            f"found with probability {1 - MISS:g}"
        )


def in_words(path: PathStability) -> str:
    """``most runs grow, median 45 (39 to 51)``, × 10⁵ per step."""
    drifts = path.drift.lower > 0 or path.drift.upper < 0
    words = {1: "most runs grow", -1: "most runs shrink"}
    said = words[path.sign] if path.sign else "still drifting, undecided" if drifts else "undecided"
    ends = (path.exponent.lower, path.exponent.estimate, path.exponent.upper)
    low, middle, high = (f"{float(f'{1e5 * x:.3g}'):,g}" for x in ends)
    return f"{said}, median {middle} ({low} to {high})"


def find_signs(
    questions: Sequence[SignQuestion],
    rounds: Sequence[Round],
    *,
    seed: int,
    name: str,
    level: float,
    on_done: Callable[[int, int], None] = lambda done, total: None,
) -> list[PathStability]:
    """The last answer to each question; ``on_done(done, total)`` is called as answers come in.

    Raises what :func:`tdcert.sims.growth.path_stability` raises, and ValueError without questions or rounds.
    """
    require("a simulation of signs of paths", "numba")
    from tdcert.sims.growth import path_stability  # Numba takes longer to import than an analysis without simulation

    if not questions or not rounds:
        raise ValueError("give at least one question and one round")
    share = (1 - level) / (len(questions) * len(rounds))
    found: dict[int, PathStability] = {}
    for number, plan in enumerate(rounds, start=1):

        def answer(index: int, plan: Round = plan, number: int = number) -> PathStability:
            asked = questions[index]
            return path_stability(
                asked.model,
                asked.algorithm,
                asked.alpha,
                eta=asked.eta,
                steps=plan.steps,
                runs=plan.runs,
                seed=seed,
                name=f"{name}, round {number}",
                level=1 - share,
            )

        open_ones = [k for k in range(len(questions)) if k not in found or found[k].sign is None]
        if found:
            open_ones.sort(key=lambda k: -_promise(found[k]))
        chosen = open_ones[: plan.most]
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            for done, (index, path) in enumerate(zip(chosen, pool.map(answer, chosen), strict=True), start=1):
                found[index] = path
                on_done(done, len(chosen))
    return [found[k] for k in range(len(questions))]


def ask(
    name: str, questions: Sequence[tuple[SignQuestion, int]], plan: Round, *, seed: int, alpha: float
) -> SignAgreement:
    """One round about signs that a statement names, wrong with probability ``alpha`` at most."""
    asked, expected = zip(*questions, strict=True)
    found = find_signs(asked, [plan], seed=seed, name=name, level=1 - alpha)
    return SignAgreement(name, tuple(q.label for q in asked), expected, tuple(found), alpha)


def _promise(path: PathStability) -> float:
    """How many half-widths the estimate lies from zero."""
    width = path.exponent.upper - path.exponent.lower
    return abs(path.exponent.estimate) / width if width > 0 else float("inf")
