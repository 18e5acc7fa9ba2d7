"""Mistakes that show where transitions are independent draws: each is the right update along other transitions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from tdcert.sims.conformance.battery import TrialCase
from tdcert.sims.conformance.path_differences import Path


def _joined(case: TrialCase) -> TrialCase:
    """The draws taken for a path: what is remembered is carried on."""
    return replace(case, trajectory=replace(case.trajectory, drawn=False))


def _stale(case: TrialCase) -> TrialCase:
    """Each transition as if it left the state that the one before it reached."""
    x = case.trajectory
    return replace(case, trajectory=replace(x, states=np.concatenate([x.left[:1], x.reached[:-1]])))


def _ahead(case: TrialCase) -> TrialCase:
    """Each transition as if it reached the state that the one after it leaves."""
    x = case.trajectory
    return replace(case, trajectory=replace(x, next_states=np.concatenate([x.left[1:], x.reached[-1:]])))


@dataclass(frozen=True)
class OfDraws:
    """``right``: the path of the update that is meant."""

    words: str
    seen: Callable[[TrialCase], TrialCase]
    right: Callable[[TrialCase], Path]

    def path(self, case: TrialCase) -> Path:
        """The path of an implementation with this mistake."""
        return self.right(self.seen(case))


def mistakes_of_draws(right: Callable[[TrialCase], Path]) -> list[OfDraws]:
    """All of them, for one update."""
    return [
        OfDraws("φ(s_{t+1}) of the draw before used for φ(s_t)", _stale, right),
        OfDraws("φ(s_t) of the next draw used for φ(s_{t+1})", _ahead, right),
        OfDraws("what is remembered carried on from one draw to the next", _joined, right),
    ]
