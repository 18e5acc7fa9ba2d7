"""Mutants of what turns checks into verdicts: hypotheses, statuses, ablations, searches, predictions."""

from __future__ import annotations

from tests.quality.edits import rows

MUTANTS = (
    *rows(
        "claims/claim.py",
        "quality/test_deciding.py::test_decide_names_exactly_the_hypotheses_that_are_violated",
        (
            "a model that violates some hypotheses is let through",
            "    if violated:\n",
            "    if len(violated) == len(claim.hypotheses):\n",
        ),
        ("satisfied hypotheses are called violated", "if not answer.satisfied)", "if answer.satisfied)"),
        ("violated hypotheses are ignored", "    if violated:\n", "    if False:\n"),
    ),
    *rows(
        "claims/search.py",
        "quality/test_deciding.py::test_the_search_finds_the_smallest_that_violates_one_hypothesis_alone",
        (
            "anything that does not hold is a counterexample",
            "if verdict.status is Status.REFUTED:",
            "if verdict.status is not Status.HYPOTHESIS_VIOLATED:",
        ),
        (
            "the largest counterexample",
            "if best is not None and size >= best[0]:",
            "if best is not None and size <= best[0]:",
        ),
        (
            "other hypotheses may fail too",
            "if not all(h.ask(model).satisfied for h in kept):",
            "if not any(h.ask(model).satisfied for h in kept):",
        ),
        ("the dropped hypothesis may hold", "if dropped is not None and dropped.ask(model).satisfied:", "if False:"),
    ),
    *rows(
        "verification/verify.py",
        "quality/test_deciding.py::test_findings_of_two_readings",
        ("refuted treated as holds", "    if refuted:\n", "    if False:\n"),
        ("undecided treated as holds", "    if problems or not scopes:", "    if not scopes:"),
        (
            "an undecided model is passed over",
            '            problems.append(f"undecided on',
            '            str(f"undecided on',
        ),
        (
            "the stated reading gets the corrected verdict",
            "        stated = _observed(claim",
            "        _observed(claim",
        ),
        (
            "what is undecided as printed is called wrong",
            "    if stated == Status.UNDECIDED:",
            "    if False:",
        ),
        (
            "a correction that fails is still a finding",
            "    if corrected != Status.HOLDS:",
            "    if corrected == Status.REFUTED:",
        ),
    ),
    *rows(
        "verification/verify.py",
        "quality/test_deciding.py::test_a_status_is_the_worst_that_was_found",
        ("no evidence treated as holds", "    if problems or not scopes:", "    if problems:"),
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
        "verification/verify.py",
        "quality/test_deciding.py::test_only_models_on_which_it_holds_are_counted",
        ("a refuted model counts as met", "refuting.append((model, decision.verdict))", "met.append(model)"),
    ),
    *rows(
        "verification/verify.py",
        "quality/test_deciding.py::test_whether_a_hypothesis_is_needed",
        (
            "not needed though the statement failed",
            "if not alone or verdict.status is not Status.HOLDS or",
            "if not alone or",
        ),
        (
            "not needed though another hypothesis failed",
            "if not alone or verdict.status is not Status.HOLDS or",
            "if verdict.status is not Status.HOLDS or",
        ),
        (
            "a given counterexample need not refute",
            "if alone and verdict.status is Status.REFUTED else None",
            "if alone else None",
        ),
        (
            "a given counterexample may violate others too",
            "    return not hypothesis.ask(model).satisfied and all(",
            "    return not hypothesis.ask(model).satisfied and any(",
        ),
        (
            "needed without a counterexample",
            "            return open_\n        model, verdict, how",
            "            return replace(open_, needed=True)\n        model, verdict, how",
        ),
        ("needed without a file", "found is None or not found[1].certificates", "found is None"),
        ("not needed without a file", " or not verdict.certificates:\n            return", ":\n            return"),
    ),
    *rows(
        "verification/verify.py",
        "quality/test_deciding.py::test_without_a_certificate_nothing_is_certified",
        ("a fact without a file is certified", " or not fact.verdict.certificates:", ":"),
    ),
    *rows(
        "claims/limit.py",
        "claims/test_claims.py::test_dropping_a_hypothesis_alone[thm_4_4-A_nonsingular]",
        ("a singular A without its certificate", "certificates=(shown,),", "certificates=(),"),
        ("a limit that does not exist is not named", 'undefined="−A⁻¹b",', ""),
    ),
    *rows(
        "theory/expressions/mixtures.py",
        "claims/test_claims.py::test_dropping_a_hypothesis_alone[return_coefficients-episodes_end]",
        ("the last of the first lengths carries all longer ones", '[*amounts, "0"]', "[*amounts]"),
    ),
    *rows(
        "claims/claim.py",
        "quality/test_deciding.py::test_without_a_certificate_nothing_is_certified",
        ("a model without a file is certified", "and not verdict.certificates:", "and False:"),
    ),
    *rows(
        "verification/verify.py",
        "quality/test_deciding.py::test_a_counterexample_says_what_does_not_exist",
        ("what does not exist is not said", "how, verdict.undefined,", 'how, "",'),
    ),
    *rows(
        "verification/tallies.py",
        "quality/test_deciding.py::test_statements_are_counted_once_each_and_experiments_apart",
        (
            "an undecided printed reading is counted as what its correction is",
            '"undecided" if claim.finding == Finding.OPEN else',
            '"undecided" if False else',
        ),
        (
            "a part that is proved counts as the statement",
            '"in_part" if claim.in_part else',
            '"in_part" if False else',
        ),
    ),
    *rows(
        "verification/verify.py",
        "quality/test_deciding.py::test_every_difference_from_the_prediction_is_reported",
        (
            "differences from predictions are not reported",
            "if predicted.get(what) != value:",
            'if predicted.get(what, value) != value and what == "why":',
        ),
    ),
    *rows(
        "verification/verify.py",
        "quality/test_deciding.py::test_sentences_about_experiments",
        ("an experiment is a finding before it is decided", "{stated, corrected or stated} ==", "not {stated} =="),
        ("a sight is called exact", "Scope.SIMULATION, Grade.CONSISTENT, 1", "Scope.INSTANCES, Grade.CERTIFIED, 1"),
    ),
    *rows(
        "verification/verify.py",
        "claims/test_claims.py::test_a_row_quotes_the_paper",
        ("a sharper statement is lost", '"" if claim.sharper is None else', '"" if True else'),
    ),
    *rows(
        "reports/verdicts_json.py",
        "claims/test_claims.py::test_a_row_quotes_the_paper",
        (
            "a row without its quote",
            "quote=found.reading.quote,",
            'quote="",',
        ),
    ),
    *rows(
        "claims/window_chain.py",
        "claims/test_views.py::test_window_chain_the_actions_may_be_left_out_only_where_nothing_depends_on_them",
        ("the actions are left out off-policy", "if not model.is_on_policy or any(", "if any("),
        (
            "rewards of actions are not looked at",
            "any(table != tables[0] for table in tables)",
            "any(table is None for table in tables)",
        ),
    ),
    *rows(
        "claims/return_expansion_display.py",
        "claims/test_schedule_claims.py::test_return_expansion_display_asks_for_a_divisor",
        ("a display that divides by zero", "if undefined.status is Status.HOLDS:", "if False:"),
    ),
    *rows(
        "claims/off_policy_expansion.py",
        "claims/test_views.py::test_off_policy_expansion_needs_its_ratios",
        ("a term without its own ratio", "for k in range(last + 1):", "for k in range(last):"),
    ),
    *rows(
        "theory/identities/step_noise.py",
        "claims/test_views.py::test_thm_4_5_conditions_bounds_can_fail",
        ("TDC's push in the second state the other way round", "+ second * alpha", "- second * alpha"),
    ),
    *rows(
        "theory/identities/return_weights.py",
        "claims/test_schedule_claims.py::"
        "test_weight_matrix_recursion_the_printed_condition_is_necessary_and_not_sufficient",
        ("the diagonal one row off", "columns[j - 1] + diagonal[j] ==", "columns[j - 1] + diagonal[j - 1] =="),
    ),
    *rows(
        "claims/any_square_summable_steps.py",
        "claims/test_steps.py::test_any_square_summable_steps_what_a_periodic_chain_does",
        ("a period is passed over", "if evidence.period == 1:", "if evidence.period >= 1:"),
    ),
    *rows(
        "theory/identities/step_noise.py",
        "claims/test_steps.py::test_any_square_summable_steps_look_ahead_can_fail",
        ("the look-ahead one step off", "f.scaled(alpha[t]) - P", "f.scaled(alpha[t - 1]) - P"),
    ),
    *rows(
        "claims/schedules_without_end.py",
        "claims/test_steps.py::test_schedules_without_end_asks_for_a_trace_that_fades",
        ("a trace that does not fade is passed over", "and not fades(model)", "and False"),
        ("λγ = 1 is called fading", "[s, j]) < 1\n", "[s, j]) <= 1\n"),
    ),
    *rows(
        "theory/expressions/forward_views.py",
        "claims/test_steps.py::test_deterministic_steps_moves_is_the_mean_over_paths",
        ("states move θ without the trace", "its.D @ its.S @ diagonal", "its.D @ diagonal"),
    ),
    *rows(
        "claims/deterministic_steps.py",
        "claims/test_steps.py::test_deterministic_steps_need_a_value_that_is_not_representable",
        ("several states are taken for one", "if model.n > 1 or limit", "if limit"),
        ("a trace without a mean is passed over", "if not 0 <= model.schedule.tail <= 1:", "if False:"),
    ),
)
