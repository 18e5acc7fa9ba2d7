"""What a claim lists is what it needs: for every decided claim, each hypothesis alone."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import chain

import pytest

from tdcert.claims.claim import Ablation, Claim, decide
from tdcert.claims.models import ON_POLICY_BOX, gallery_models, two_absorbing_states
from tdcert.claims.paper import ENTRIES
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.certificate.bodies import (
    irreducibility_certificate,
    rank_certificate,
    singular_certificate,
    stationary_certificate,
)
from tdcert.theory.check.hypotheses import APERIODIC, FINITE_SCHEDULE, IRREDUCIBLE
from tdcert.theory.expressions.relations import Path, decide_relations
from tdcert.theory.model.gallery import HALF, one_state
from tdcert.theory.model.key_matrices import theorem_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.verdict import Status
from tdcert.verification.verify import find_counterexample
from tests.claims.circular import circular

CLAIMS = [entry.load() for entry in ENTRIES if not entry.is_open]


def test_the_hypotheses_are_read_off_the_ablations() -> None:
    """Those with a box or a counterexample, in their order; a hypothesis has one ablation."""
    box = Ablation(IRREDUCIBLE, box=ON_POLICY_BOX)
    given = Ablation(FINITE_SCHEDULE, counterexample=two_absorbing_states)
    spare = Ablation(APERIODIC, supports=lambda: (two_absorbing_states(),))
    claim = replace(CLAIMS[0], ablations=(box, spare, given))
    assert claim.hypotheses == (IRREDUCIBLE, FINITE_SCHEDULE)
    assert replace(claim, ablations=(spare,)).hypotheses == ()
    with pytest.raises(ValueError, match="two ablations"):
        replace(claim, ablations=(box, spare, box))


NEEDED = [(claim, x) for claim in CLAIMS for x in claim.ablations if x.is_needed]


@pytest.mark.parametrize(("claim", "ablation"), NEEDED, ids=[f"{claim.id}-{x.hypothesis.id}" for claim, x in NEEDED])
def test_a_needed_hypothesis_is_asked(claim: Claim, ablation: Ablation) -> None:
    """A model that violates it alone, and on which the statement fails, is told so; it does not refute the claim."""
    model = counterexample(claim, ablation)
    verdict = decide(claim, model).verdict
    assert verdict.status is Status.HYPOTHESIS_VIOLATED
    # Where the trace has no law, no matrix exists, and `decide` says so before it asks anything.
    assert verdict.violated == (ablation.hypothesis.id,) or not model.has_trace_sum


def test_a_certificate_of_the_hypothesis_alone_is_recognised() -> None:
    """What stood behind "needed" once: γ < 1 fails since 1 ≥ 1, C is singular, X_t has two laws."""
    undiscounted = one_state(1, Schedule.constant(Fraction(1)))
    flat = one_state(HALF).with_features(RationalMatrix([[0]]))
    two = two_absorbing_states()
    laws = [stationary_certificate(two.behaviour_chain, states) for states in two.behaviour_chain.recurrent_classes]
    for name, certificates in (
        ("episodes_end", decide_relations(undiscounted, [("gamma", "<", "1")]).certificates),
        ("return_exists", decide_relations(undiscounted, [(("@", "N", "ones"), "<", "ones")]).certificates),
        ("finite_schedule", decide_relations(undiscounted, [("lambda:1", "<", "1")]).certificates),
        ("C_positive", (rank_certificate(flat.features, (0,)),)),
        ("A_nonsingular", (singular_certificate(theorem_matrices(flat, (0,)), (0,), "target"),)),
        ("irreducible", (irreducibility_certificate(two.behaviour_chain), *laws)),
        ("unique_law", laws),
        ("coverage", ()),
    ):
        assert circular(name, certificates), name
    says_more = decide_relations(undiscounted, [(("on", Path((0, 0), (0,)), "R:0"), "=", "0")]).certificates
    assert says_more and not circular("episodes_end", says_more)
    # A singular is not a denial of γ < 1: it is what the statement says cannot be.
    assert not circular("discount_below_one", (singular_certificate(theorem_matrices(flat, (0,)), (0,), "target"),))


UNDEFINED = {
    "bellman_operator-episodes_end": "V^π",
    "delta_expansion-return_exists": "G_t",
    "lemma_3_1-C_positive": "C⁻¹",
    "return_expansion_display-lambda_1_not_zero": "Λ_32/Λ_22",
    "thm_4_3-full_column_rank": "−A⁻¹b",
    "thm_4_4_block_inverse-A_nonsingular": "G⁻¹",
}
FAILING = (
    "return_coefficients",
    "return_expansion_display-episodes_end",
    "return_recursion",
    "schedule_weight_bijection",
)


@pytest.mark.parametrize("name", [*UNDEFINED, *FAILING])
def test_what_does_not_exist_is_named_and_where_the_statement_fails_nothing_is(name: str) -> None:
    """Worked out by hand, for some of each."""
    tried = [(c, x) for c, x in NEEDED if name in (c.id, f"{c.id}-{x.hypothesis.id}")]
    assert tried
    for claim, ablation in tried:
        found = find_counterexample(claim, ablation)
        assert found is not None
        undefined = found[1].undefined
        assert UNDEFINED[name] in undefined if name in UNDEFINED else not undefined


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
