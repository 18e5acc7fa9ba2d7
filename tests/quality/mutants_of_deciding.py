"""Mutants of what turns checks into verdicts: hypotheses, statuses, ablations, searches, predictions."""

from __future__ import annotations

from tests.quality.edits import rows

MUTANTS = (
    *rows(
        "claims/claim.py",
        "quality/test_deciding.py::test_decide_names_exactly_the_hypotheses_that_are_violated",
        (
            "a model that violates some hypotheses is let through", "    if violated:\n",
            "    if len(violated) == len(claim.hypotheses):\n",
        ),
        ("satisfied hypotheses are called violated", "if not answer.satisfied)", "if answer.satisfied)"),
        ("violated hypotheses are ignored", "    if violated:\n", "    if False:\n"),
    ),
    *rows(
        "claims/search.py",
        "quality/test_deciding.py::test_the_search_finds_the_smallest_that_violates_one_hypothesis_alone",
        (
            "anything that does not hold is a counterexample", "if verdict.status is Status.REFUTED:",
            "if verdict.status is not Status.HYPOTHESIS_VIOLATED:",
        ),
        (
            "the largest counterexample", "if best is not None and size >= best[0]:",
            "if best is not None and size <= best[0]:",
        ),
        (
            "other hypotheses may fail too", "if not all(h.ask(model).satisfied for h in kept):",
            "if not any(h.ask(model).satisfied for h in kept):",
        ),
        ("the dropped hypothesis may hold", "if dropped is not None and dropped.ask(model).satisfied:", "if False:"),
    ),
    *rows(
        "claims/verify.py",
        "quality/test_deciding.py::test_findings_of_two_readings",
        ("refuted treated as holds", "    if refuted:\n", "    if False:\n"),
        ("undecided treated as holds", "    elif problems or not scopes:", "    elif not scopes:"),
        (
            "an undecided model is passed over", '            problems.append(f"undecided on',
            '            str(f"undecided on',
        ),
        (
            "the stated reading gets the corrected verdict", "        stated = _observed(claim",
            "        _observed(claim",
        ),
        (
            "a correction that fails is still a finding", "    if corrected != Status.HOLDS:",
            "    if corrected == Status.REFUTED:",
        ),
    ),
    *rows(
        "claims/verify.py",
        "quality/test_deciding.py::test_a_status_is_the_worst_that_was_found",
        ("no evidence treated as holds", "    elif problems or not scopes:", "    elif problems:"),
        ("a failed proof is passed over", 'problems.append(f"the general proof failed: {error}")', "pass"),
        ("a disagreeing simulation is passed over", "if not simulated.agreement.agrees:", "if False:"),
        (
            "a statement that is open is called false",
            "Finding.FALSE if stated == Status.REFUTED else Finding.OPEN",
            "Finding.FALSE if stated != Status.HOLDS else Finding.OPEN",
            0,
        ),
    ),
    *rows(
        "claims/verify.py",
        "quality/test_deciding.py::test_only_models_on_which_it_holds_are_counted",
        ("a refuted model counts as met", "            refuted = True\n", "            met.append(model)\n"),
    ),
    *rows(
        "claims/verify.py",
        "quality/test_deciding.py::test_whether_a_hypothesis_is_needed",
        (
            "not needed though the statement failed", "if not alone or verdict.status is not Status.HOLDS:",
            "if not alone:",
        ),
        (
            "not needed though another hypothesis failed", "if not alone or verdict.status is not Status.HOLDS:",
            "if verdict.status is not Status.HOLDS:",
        ),
        (
            "a given counterexample need not refute", "if alone and verdict.status is Status.REFUTED else None",
            "if alone else None",
        ),
        (
            "a given counterexample may violate others too",
            "    alone = not ablation.hypothesis.ask(model).satisfied and all(h",
            "    alone = not ablation.hypothesis.ask(model).satisfied and any(h",
        ),
        (
            "needed without a counterexample",
            "        if found is not None:\n            model, verdict, how = found",
            '        body["needed"] = True\n        if found is not None:\n            model, verdict, how = found',
        ),
    ),
    *rows(
        "claims/verify.py",
        "quality/test_deciding.py::test_every_difference_from_the_prediction_is_reported",
        (
            "differences from predictions are not reported", "if predicted.get(what) != value:",
            'if predicted.get(what, value) != value and what == "why":',
        ),
    ),
    *rows(
        "claims/verify.py",
        "quality/test_deciding.py::test_sentences_about_experiments",
        ("an experiment is a finding before it is decided", "{stated, corrected or stated} ==", "not {stated} =="),
        ("a sight is called exact", "Scope.SIMULATION, Grade.CONSISTENT, 1", "Scope.INSTANCES, Grade.CERTIFIED, 1"),
    ),
)  # fmt: skip
