"""The smallest counterexample in a box: every small model there is, decided exactly, in order of size.

A box is a finite set of models with few states, few features and small numbers. It is enumerated whole, one (states,
features) shape after another; in each shape the models that violate one hypothesis alone are decided by the claim's own
exact check, smallest numbers first, and the first refutation ends the search. So "smallest" means: fewest states, then
fewest features, then the smallest largest number, then the smallest sum of numbers. No float decides anything, and
nothing is sampled.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from tdcert.claims.box import Box
from tdcert.claims.claim import Claim
from tdcert.theory.check.hypotheses import Hypothesis
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Status, Verdict


@dataclass(frozen=True)
class Found:
    """What a search found: the smallest counterexample, or none in the whole box; ``decided`` models met the
    conditions.
    """

    model: Model | None
    verdict: Verdict | None
    enumerated: int
    decided: int


@cache
def smallest_counterexample(claim: Claim, dropped: Hypothesis | None, box: Box) -> Found:
    """The smallest model in the box that satisfies every hypothesis but ``dropped`` (None: all), and on which the
    claim fails. One search answers all who ask the same.
    """
    kept = [h for h in claim.hypotheses if dropped is None or h.id != dropped.id]
    enumerated = decided = 0
    for n, d in box.shapes():
        models = sorted(box.models(n, d), key=height)
        enumerated += len(models)
        for model in models:
            if dropped is not None and dropped.ask(model).satisfied:
                continue
            if not all(h.ask(model).satisfied for h in kept):
                continue
            decided += 1
            verdict = claim.check(model)
            if verdict.status is Status.REFUTED:
                return Found(model, verdict, enumerated, decided)
    return Found(None, None, enumerated, decided)


def smallest_refutation(claim: Claim, found: Iterable[tuple[Model, Verdict]]) -> tuple[Model, Verdict]:
    """The smallest of the models that refute a claim though they satisfy its hypotheses: of those ``found``, at least
    one, and of those in the boxes of its ablations.
    """
    boxes = dict.fromkeys(ablation.box for ablation in claim.ablations if ablation.box is not None)
    searched = (smallest_counterexample(claim, None, box) for box in boxes)
    inside = ((x.model, x.verdict) for x in searched if x.model is not None and x.verdict is not None)
    return min((*found, *inside), key=lambda pair: (pair[0].n, pair[0].d, *height(pair[0])))


def height(model: Model) -> tuple[int, int]:
    """Largest number, then sum of numbers (numerators and denominators) over everything that describes the model."""
    matrices = [*model.transitions, *model.rewards, *model.discounts, model.behaviour, model.target, model.features]
    numbers = [x for matrix in matrices for row in matrix.rows for x in row]
    numbers += [*model.schedule.lambdas, model.schedule.tail]
    heights = [max(abs(x.numerator), x.denominator if x else 0) for x in numbers]
    return max(heights), sum(abs(x.numerator) + (x.denominator if x else 0) for x in numbers)
