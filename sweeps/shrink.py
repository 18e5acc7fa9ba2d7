"""The smallest form of a counterexample: fewest states, fewest features, smallest numbers.

Greedy and deterministic: of the drafts with a little taken away (:mod:`tdcert.sweeps.shrink_steps`) the first that is
smaller and still a counterexample takes the place of the model, until none is. What is left is smallest among its
neighbours; that it is smallest of all only an exhausted box shows (``tdcert.claims.search``). Every draft is decided by
the claim's own check.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from tdcert.claims.claim import Claim, decide
from tdcert.claims.search import height
from tdcert.sweeps.shrink_steps import Draft
from tdcert.theory.check.hypotheses import RETURN_EXISTS
from tdcert.theory.errors import InputError
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Status, Verdict

LOOKS = 20_000
"""Most drafts that are looked at: a guard against long walks, far above what small models take."""


@dataclass(frozen=True)
class Challenge:
    """A claim with some of its hypotheses ``kept`` (ids): what a counterexample refutes."""

    claim: Claim
    kept: frozenset[str]

    @property
    def dropped(self) -> tuple[str, ...]:
        """The ids of the others, in the claim's order."""
        return tuple(h.id for h in self.claim.hypotheses if h.id not in self.kept)

    def verdict(self, model: Model) -> Verdict:
        """The claim decided under the kept hypotheses alone."""
        hypotheses = tuple(h for h in self.claim.hypotheses if h.id in self.kept)
        if not model.has_trace_sum and RETURN_EXISTS.id in self.dropped:
            violated = tuple(h.id for h in hypotheses if not h.ask(model).satisfied)
            return Verdict(Status.HYPOTHESIS_VIOLATED, violated=violated) if violated else self.claim.check(model)
        kept = tuple(x for x in self.claim.ablations if x.hypothesis.id in self.kept)
        return decide(replace(self.claim, ablations=kept), model).verdict

    def violated(self, model: Model) -> tuple[str, ...]:
        """The dropped hypotheses that the model does violate; only that there is a return, where there is none."""
        asked = [h for h in self.claim.hypotheses if h.id not in self.kept]
        if not model.has_trace_sum:
            asked = [h for h in asked if h is RETURN_EXISTS]
        return tuple(h.id for h in asked if not h.ask(model).satisfied)


def size(model: Model) -> tuple[int, int, int, int]:
    """(states, features, largest number, sum of numbers), in the order of ``tdcert.claims.search``."""
    return (model.n, model.d, *height(model))


def shrunk(model: Model, wanted: Callable[[Model], bool]) -> Model:
    """A smallest model among its neighbours that is still ``wanted``."""
    draft, best, looks = Draft.of(model), model, LOOKS
    seen: set[Draft] = {draft}
    improved = True
    while improved:
        improved = False
        for other in draft.smaller():
            if other in seen:
                continue
            seen.add(other)
            looks -= 1
            if looks < 0:
                return best
            try:
                candidate = other.model()
            except InputError:  # a row of zeros
                continue
            if size(candidate) < size(best) and wanted(candidate):
                draft, best, improved = other, candidate, True
                break
    return best


def distinct(models: Collection[Model]) -> list[Model]:
    """One of each digest, smallest first."""
    return sorted({model.digest: model for model in models}.values(), key=lambda m: (size(m), m.digest))
