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
    *rows(
        "claims/verdicts.py",
        "claims/test_verdicts.py::test_every_class_is_asked_and_says_where_it_is",
        ("the classes share one name in the witness", "if len(classes) > 1 else", "if len(classes) > 2 else"),
        ("the certificates of a class are lost", "certificates += found.certificates", "pass"),
        ("the law of a class is not shown", "        if with_law:\n", "        if False:\n"),
        ("only the first class is asked", "for states in classes:", "for states in classes[:1]:"),
    ),
    *rows(
        "claims/verdicts.py",
        "claims/test_verdicts.py::test_the_first_class_that_does_not_hold_ends_it",
        ("a class that fails is passed over", "if found.status is not Status.HOLDS:", "if False:"),
    ),
    *rows(
        "claims/verdicts.py",
        "claims/test_verdicts.py::test_a_of_one_state_is_negative_below_gamma_one",
        ("A ≥ 0 passes for negative", "    if not negative:\n", "    if negative is None:\n"),
    ),
    *rows(
        "claims/models.py",
        "claims/test_verdicts.py::test_models_of_two_actions_and_of_jumps",
        (
            "jumps: the target goes where the behaviour does",
            "return Model(names, to, (zero,) * n, (discount,) * n, *policies,",
            "return Model(names, to, (zero,) * n, (discount,) * n, policies[0], policies[0],",
        ),
    ),
)
