"""One batch of a hunt: floats point at the models worth deciding, exact arithmetic decides them.

The model with the least margin is first made worse by local descent: of all models that differ from it in one number (a
weight, a feature, a reward, the discount, the schedule) the one with the least margin takes its place, until none is
lower. Every index starts anew from its own random models.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from tdcert.sweeps import exact
from tdcert.sweeps.batch import Batch
from tdcert.sweeps.draws import Draws
from tdcert.sweeps.families import ModelFamily
from tdcert.sweeps.screen import THIN, adversarial, margins, plausible
from tdcert.sweeps.shrink import Challenge, size
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Status

CHUNK = 4_000
"""Models screened at once; their arrays then stay in the cache."""
NEAREST = 4
"""Models of least margin that are kept, in case the first ones violate a hypothesis that floats do not see."""
THIN_DECIDED = 25
"""Most models of a chunk with a margin too thin for floats that are decided one by one."""


@dataclass(frozen=True)
class Hunted:
    """One claim with its kept hypotheses, and the families it is asked of; ``search``: by margin, exact, or both."""

    asked: Challenge
    families: tuple[ModelFamily, ...]
    search: str

    @property
    def title(self) -> str:
        """The claim and what is dropped."""
        dropped = ", ".join(self.asked.dropped)
        return self.asked.claim.id + (f" without {dropped}" if dropped else "")


@dataclass(frozen=True)
class BatchOutcome:
    """What one batch gave. ``met``: models that meet the hypotheses, as far as was asked; ``margin``: the least, not a
    number where none was computed; ``status``: of ``model``, the smallest find or else the model of the least margin;
    "none" where no model was decided.
    """

    screened: int
    met: int
    decided: int
    undecided: int
    margin: float
    status: str
    model: Model | None


def hunt(asked: Challenge, family: ModelFamily, draws: Draws, on_policy: bool | None, descent: int) -> BatchOutcome:
    """Search the models of these draws by the float margin of the claim."""
    met = thin_decided = 0
    nearest: list[tuple[float, Batch]] = []
    suspects: list[Batch] = []
    family = replace(family, schedules=tuple(s for s in family.schedules if s.is_finite))
    for first in range(draws.first, draws.first + draws.count, CHUNK):
        part = Draws(draws.key, first, min(CHUNK, draws.first + draws.count - first))
        batch = family.batch(part, on_policy)
        if family.features == "adversarial":
            batch = adversarial(batch)
        found = _scores(asked, batch)
        met += int(np.isfinite(found).sum())
        order = np.argsort(found, kind="stable")  # what is not finite comes last
        nearest += [(float(found[k]), batch.take([k])) for k in order[:NEAREST] if np.isfinite(found[k])]
        nearest = sorted(nearest, key=lambda pair: pair[0])[:NEAREST]
        for k in order[:THIN_DECIDED]:
            if not found[k] < THIN:
                break
            answer = exact.refuted(asked.claim, batch, int(k))
            thin_decided += answer is not None
            if answer:
                suspects.append(batch.take([k]))
    if nearest and descent:
        nearest.insert(0, _descended(asked, *nearest[0], descent))
    least = nearest[0][0] if nearest else float("nan")
    status, model, decided, undecided = _first_decided(asked, suspects[:NEAREST], [one for _, one in nearest])
    return BatchOutcome(draws.count, met, thin_decided + decided, undecided, least, status, model)


def decide_all(asked: Challenge, batch: Batch) -> BatchOutcome:
    """Decide every model of the batch exactly that violates a dropped hypothesis, if any is dropped."""
    met = decided = undecided = 0
    best: Model | None = None
    last: tuple[str, Model | None] = ("none", None)
    for k in range(batch.size):
        model = batch.model(k)
        if asked.dropped and not asked.violated(model):
            continue
        status = asked.verdict(model).status
        if status is Status.HYPOTHESIS_VIOLATED:
            continue
        met += 1
        decided += status in (Status.HOLDS, Status.REFUTED)
        undecided += status is Status.UNDECIDED
        last = (str(status), model)
        if status is Status.REFUTED and (best is None or size(model) < size(best)):
            best = model
    status_text, model_kept = (str(Status.REFUTED), best) if best is not None else last
    return BatchOutcome(batch.size, met, decided, undecided, float("nan"), status_text, model_kept)


def _scores(asked: Challenge, batch: Batch) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Margins, infinite for models that are not plausible."""
    assert asked.claim.form is not None
    found = margins(asked.claim.form, batch)
    return np.where(plausible(batch, asked.kept) & np.isfinite(found), found, np.inf)


def _first_decided(asked: Challenge, suspects: list[Batch], nearest: list[Batch]) -> tuple[str, Model | None, int, int]:
    """The first suspect that is refuted, or else the nearest model that meets every hypothesis: its status, the model,
    how many were decided and how many left undecided."""
    decided = undecided = 0
    for k, one in enumerate([*suspects, *nearest]):
        model = one.model(0)
        status = asked.verdict(model).status
        if status is Status.HYPOTHESIS_VIOLATED:
            continue
        decided += status is not Status.UNDECIDED
        undecided += status is Status.UNDECIDED
        if status is Status.REFUTED or k >= len(suspects):
            return str(status), model, decided, undecided
    return "none", None, decided, undecided


def _descended(asked: Challenge, margin: float, one: Batch, steps: int) -> tuple[float, Batch]:
    """The model after at most so many steps down, and its margin."""
    for _ in range(steps):
        around = neighbours(one)
        found = _scores(asked, around)
        k = int(np.argmin(found))
        if not found[k] < margin - abs(margin) * 1e-6:
            break
        margin, one = float(found[k]), around.take([k])
    return margin, one


def neighbours(one: Batch) -> Batch:
    """Every model that differs from this one (a batch of one) in one number; weights stay laws."""
    changes = list(_changes(one))
    around = one.take([0] * len(changes))
    for row, (name, place, value) in enumerate(changes):
        if place is None:
            getattr(around, name)[row] = value
        else:
            getattr(around, name)[row][place] = value
    return around


def _changes(one: Batch) -> Iterator[tuple[str, tuple[int, ...] | None, int]]:
    """(array, place or None for all of it, new value)."""
    laws = ("transitions", "behaviour", "target") if one.shape[2] > 1 else ("transitions",)
    for name in laws:
        weights = getattr(one, name)[0]
        for place, w in np.ndenumerate(weights):
            total = int(weights[place[:-1]].sum())
            for other in {int(w) + 1, int(w) - 1, 2 * int(w), int(w) // 2, 0}:
                if other >= 0 and other != w and total - w + other > 0:
                    yield name, place, other
    for name in ("features", "rewards"):
        for place, x in np.ndenumerate(getattr(one, name)[0]):
            for step in (-1, 1):
                yield name, place, int(x) + step
    for name, count in (("discounts", len(one.gammas)), ("schedule", len(one.schedules))):
        now = int(getattr(one, name)[0].flat[0])
        for step in (-8, -1, 1, 8):
            if 0 <= now + step < count:
                yield name, None, now + step
