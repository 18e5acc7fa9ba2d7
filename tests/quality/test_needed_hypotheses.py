"""What a claim lists is what it needs: for every decided claim, each hypothesis alone."""

from __future__ import annotations

from itertools import chain

import pytest

from claims.claim import Ablation, Claim, decide
from claims.models import gallery_models
from claims.paper import ENTRIES
from theory.model.mdp import Model
from theory.verdict import Status

CLAIMS = [entry.load() for entry in ENTRIES if not entry.is_open]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_the_listed_hypotheses_are_those_that_are_needed(claim: Claim) -> None:
    assert {x.id for x in claim.hypotheses} == {x.hypothesis.id for x in claim.ablations if x.supports is None}


NEEDED = [(claim, x) for claim in CLAIMS for x in claim.ablations if x.supports is None]


@pytest.mark.parametrize(("claim", "ablation"), NEEDED, ids=[f"{claim.id}-{x.hypothesis.id}" for claim, x in NEEDED])
def test_a_needed_hypothesis_is_asked(claim: Claim, ablation: Ablation) -> None:
    """A model that violates it alone, and on which the statement fails, is told so; it does not refute the claim."""
    model = counterexample(claim, ablation)
    verdict = decide(claim, model).verdict
    assert verdict.status is Status.HYPOTHESIS_VIOLATED
    # Where the trace has no law, no matrix exists, and `decide` says so before it asks anything.
    assert verdict.violated == (ablation.hypothesis.id,) or not model.has_trace_sum


def counterexample(claim: Claim, ablation: Ablation) -> Model:
    """A model that violates the hypothesis alone and refutes the statement, from the gallery or else from the box."""
    others = [x for x in claim.hypotheses if x.id != ablation.hypothesis.id]
    box, given = ablation.box, ablation.counterexample
    small = (model for n, d in box.shapes() for model in box.models(n, d)) if box else iter([given()] if given else [])
    models = chain(gallery_models(), small)
    for model in models:
        alone = not ablation.hypothesis.ask(model).satisfied and all(x.ask(model).satisfied for x in others)
        if alone and claim.check(model).status is Status.REFUTED:
            return model
    pytest.fail("no model violates this hypothesis alone and refutes the claim")
