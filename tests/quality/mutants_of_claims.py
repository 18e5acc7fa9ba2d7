"""Mutants of what claims are written with: which hypotheses are asked, and what counts as proved."""

from __future__ import annotations

from tests.quality.edits import rows

MUTANTS = (
    *rows(
        "claims/claim.py",
        "quality/test_needed_hypotheses.py::test_the_hypotheses_are_read_off_the_ablations",
        ("hypotheses that are not needed are asked", "self.ablations if ablation.is_needed)", "self.ablations)"),
        ("the other hypotheses are asked", "if ablation.is_needed)", "if not ablation.is_needed)"),
        (
            "the first hypothesis is not asked",
            "for ablation in self.ablations if ablation.is_needed)",
            "for ablation in self.ablations[1:] if ablation.is_needed)",
        ),
        (
            "a hypothesis is needed only where a box is searched",
            "return self.supports is None",
            "return self.box is not None",
        ),
        (
            "a hypothesis is needed only where a counterexample is given",
            "return self.supports is None",
            "return self.counterexample is not None",
        ),
        ("one hypothesis has two ablations", "if len(set(names)) < len(names):", "if False:"),
    ),
    *rows(
        "claims/kit.py",
        "claims/test_kit.py::test_an_identity_is_evaluated_in_every_case",
        ("an identity that fails is passed over", "if not identity(*given):", "if identity(*given) is None:"),
        ("only the first case is evaluated", "for case in at:", "for case in list(at)[:1]:"),
        ("only the first identity is evaluated", "for identity in identities:", "for identity in identities[:1]:"),
        ("cases are counted once for all identities", "return len(identities) * len(at)", "return len(at)"),
    ),
    *rows(
        "claims/kit.py",
        "claims/test_kit.py::test_a_row_of_a_proof_has_the_scope_that_it_says",
        ("stated sizes pass for all sizes", "ScopedEvidence(Scope.SIZES,", "ScopedEvidence(Scope.ALL_SIZES,"),
        ("all sizes pass for stated ones", "ScopedEvidence(Scope.ALL_SIZES,", "ScopedEvidence(Scope.SIZES,"),
        ("what is required may fail", "if not condition:", "if condition is None:"),
    ),
)
