"""Paths held against paths: what the readable twin does, how far rounding may lead away from it, what came."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tdcert.sims.algorithms import Twin
from tdcert.sims.conformance.battery import TrialCase
from tdcert.sims.experiments.gtd_lambda import any_algorithm_named
from tdcert.sims.mistakes import UpdateMistake
from tdcert.sims.mistakes.variant import Variant
from tdcert.sims.rounding import UNIT, difference_bound
from tdcert.sims.trials.limits import LARGEST_BATCH, SAMPLED_PATHS
from tdcert.sims.trials.trial import Likeness, NamedMistake, likeness

Array = NDArray[np.float64]
Path = tuple[Array, ...]
"""θ_0 … θ_T and w_0 … w_T, each (T+1, d); of a declared update all its parameters, each (T+1, size)."""
PAPER = ("theta", "w")
"""The names of the paper's two iterates."""

SINGLE = 2.0**-23
"""Unit roundoff of single precision, twice: once for the arithmetic, once for rounding what is handed over."""

TELLING = 1e-2
"""A bound on rounding beyond this share of the largest parameter says nothing: it would hide mistakes, which move
parameters by percents."""

FAR = 1e100
"""An iterate beyond this, or infinite, has diverged."""

ALIKE = 1e-9
"""Relative distance up to which a path is taken for a known mistake's. This names a mistake and decides nothing:
rounding moves these paths by less than 1e-10, different mistakes move them by percents."""


Kind: TypeAlias = Literal["differs", "not_a_number", "diverges"]


@dataclass(frozen=True)
class Difference:
    """The first place where a path leaves its bound: the parameter ``name`` after ``step`` updates.

    ``kind``: ``differs``, ``not_a_number`` or ``diverges``. ``found``, ``right``, ``allowed``: its entries.
    """

    kind: Kind
    name: str
    step: int
    found: tuple[float, ...]
    right: tuple[float, ...]
    allowed: tuple[float, ...]


def follow(algorithm: Twin, case: TrialCase) -> Path:
    """The path of a twin, or of a variant of one."""
    algorithm.reset(lambdas=case.floats, theta0=np.array(case.theta0))
    if case.w0:
        algorithm.w = np.array(case.w0)
    if isinstance(algorithm, Variant):
        algorithm.gamma = case.gamma
    thetas, ws = [algorithm.theta], [algorithm.w]
    for t, alpha, beta in zip(case.transitions, case.alphas, case.betas, strict=True):
        algorithm.step(t, alpha, beta)
        thetas.append(algorithm.theta)
        ws.append(algorithm.w)
    return np.array(thetas), np.array(ws)


def reference(algorithm: str, case: TrialCase) -> Path:
    """The right path: that of the readable twin."""
    return follow(any_algorithm_named(algorithm)(), case)


def bounds(algorithm: str, case: TrialCase, right: Path, unit: float = UNIT) -> Path:
    """How far any order of additions and multiplications may stray from the twin (``tdcert.sims.rounding``)."""
    c = np.array([1.0, *np.cumprod(case.floats)])
    return difference_bound(
        algorithm,
        case.trajectory,
        c,
        0.0,
        case.alphas,
        case.betas,
        *right,
        unit=unit,
        carried=True,
        lam=case.floats[0] if case.floats else 0.0,
    )


def first_difference(found: Path, right: Path, allowed: Path, names: Sequence[str] = PAPER) -> Difference | None:
    """Where the path leaves its bound first; None where it never does. ``found`` may have θ alone."""
    outside = _outside(found, right, allowed)
    steps = np.flatnonzero(np.any(np.concatenate(outside, axis=1), axis=1))
    if not len(steps):
        return None
    t = int(steps[0])
    which = next(k for k, entries in enumerate(outside) if entries[t].any())
    value = found[which][t]
    kind: Kind = "not_a_number" if np.isnan(value).any() else "differs"
    kind = "diverges" if (np.abs(value) > FAR).any() else kind
    rows = (tuple(float(x) for x in path[which][t]) for path in (found, right, allowed))
    return Difference(kind, names[which], t, *rows)


def _outside(found: Path, right: Path, allowed: Path) -> list[NDArray[np.bool_]]:
    """Which entries lie outside of their bounds; none where a bound is infinite."""
    with np.errstate(invalid="ignore", over="ignore"):
        rows = zip(found, right, allowed, strict=False)
        return [~(np.abs(x - y) <= bound) & np.isfinite(bound) for x, y, bound in rows]


def telling(right: Path, allowed: Path) -> Path:
    """The bounds, infinite after each number of updates where one of them says nothing (:data:`TELLING`)."""
    size = np.max(np.abs(np.concatenate(right, axis=1)), axis=1, initial=1.0)
    widest = np.max(np.concatenate(allowed, axis=1), axis=1)
    says = (widest <= TELLING * size) & np.isfinite(size)
    return tuple(np.where(says[:, None], bound, np.inf) for bound in allowed)


def judged(allowed: Path) -> int:
    """How many updates of a path are judged."""
    return int(np.count_nonzero(np.isfinite(allowed[0][1:, 0])))


def divergence(found: Path) -> int | None:
    """The first number of updates after which an entry is beyond :data:`FAR`; None where none is."""
    beyond = np.flatnonzero(np.any(np.abs(np.concatenate(found, axis=1)) > FAR, axis=1))
    return int(beyond[0]) if len(beyond) else None


def all_within(found: Sequence[Path], right: Sequence[Path], allowed: Sequence[Path]) -> bool:
    """Whether no path leaves its bound."""
    return not any(entries.any() for row in zip(found, right, allowed, strict=True) for entries in _outside(*row))


def held(path: Path, k: int) -> Path:
    """The path of updates held back and made k at a time: after t updates that of k⌊t/k⌋."""
    times = np.arange(len(path[0])) // k * k
    return tuple(part[times] for part in path)


def batch_length(found: Sequence[Path], right: Sequence[Path], allowed: Sequence[Path]) -> int | None:
    """The k from 2 to :data:`LARGEST_BATCH` for which every path is the right one, held; None where none is."""
    for k in range(2, LARGEST_BATCH + 1):
        if all_within(found, [held(path, k) for path in right], [held(path, k) for path in allowed]):
            return k
    return None


class KnownMistake(NamedMistake, Protocol):
    """A mistake that makes paths of its own."""

    def path(self, case: TrialCase) -> Path:
        """The path of an implementation with this mistake."""
        ...


@dataclass(frozen=True)
class OfTheTwins:
    """A mistake in one of the paper's functions, or in GTD(λ)."""

    mistake: UpdateMistake

    @property
    def words(self) -> str:
        """The words of the mistake."""
        return self.mistake.words

    def path(self, case: TrialCase) -> Path:
        """The path of the twin's variant with the mistake."""
        return follow(self.mistake.variant(), case)


def mistake_in(
    known: Sequence[KnownMistake], cases: Sequence[TrialCase], found: Sequence[Path], differing: Sequence[int]
) -> Likeness | None:
    """The known mistake that makes these paths, or most of those ``differing`` from the right ones, on a sample."""
    every = list(zip(cases, found, strict=True))
    asked = sorted(differing)[:: len(differing) // SAMPLED_PATHS + 1]
    with np.errstate(all="ignore"):  # a wrong variant may overflow
        return likeness(known, every, [every[i] for i in asked], _makes)


def _makes(mistake: KnownMistake, sample: tuple[TrialCase, Path]) -> bool:
    case, path = sample
    return all(np.allclose(x, y, rtol=ALIKE, atol=ALIKE) for x, y in zip(path, mistake.path(case), strict=False))
