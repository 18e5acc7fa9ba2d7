"""Mutants of what meets a user first: folders of reports, steps that were given, commands that reproduce, messages."""

from __future__ import annotations

from tests.quality.edits import rows

MUTANTS = (
    *rows(
        "reports/schema.py",
        "reports/test_schema.py::test_a_schema_is_closed_and_requires_every_key_that_may_not_be_left_out",
        ("keys with a default need not be there", "if f.required or _has_default(f)]", "if f.required]"),
        ("absent keys are required", "if f.required or _has_default(f)]", "if True]"),
    ),
    *rows(
        "reports/schema.py",
        "reports/test_schema.py::test_a_schema_refuses_what_is_wrong",
        ("unknown keys are allowed", "OTHER_KEYS.get(class_.__name__, False)", "OTHER_KEYS.get(class_.__name__, True)"),
        ("zero is a denominator", r'(/[1-9]\d*)?$"}', r'(/\d+)?$"}'),
    ),
    *rows(
        "theory/document_types.py",
        "reports/test_schema.py::test_rationals_and_balls_are_told_from_other_texts",
        ("a number may go on behind a rational", r"\d*)?$|^-?\d[", r"\d*)?|^-?\d["),
    ),
    *rows(
        "reports/output.py",
        "reports/test_output.py::test_a_report_of_another_kind_or_model_stays",
        ("an analysis replaces a verification", "if name != kind:", "if False:"),
        (
            "an analysis replaces that of another model",
            "if not same_source and known[1] != self.model.digest:",
            "if False:",
        ),
    ),
    *rows(
        "reports/output.py",
        "reports/test_output.py::test_an_analysis_of_the_same_source_or_model_replaces_the_last",
        (
            "an edited model file cannot be analysed again",
            "if not same_source and known[1]",
            "if not same_source or known[1]",
        ),
    ),
    *rows(
        "reports/output.py",
        "reports/test_output.py::test_the_folder_of_an_analysis_is_named_after_its_model",
        ("a folder named after a path", r'r"[^\w.+-]+", "-"', r'r"[\s]+", "-"'),
    ),
    *rows(
        "theory/laws/mean_at_step.py",
        "claims/test_model_simulation.py::test_what_a_step_does_by_hand",
        ("the mean at a step without the iterate itself", "((i == j) + alpha * x)", "(alpha * x)"),
        ("−1 as an eigenvalue decides nothing", "matrix = matrix @ matrix", "return None"),
        ("the mean dynamics for the mean at the step", "(matrix + one).solve(matrix - one)", "(matrix - one)"),
    ),
    *rows(
        "theory/laws/mean_at_step.py",
        "claims/test_model_simulation.py::test_the_mean_at_a_step_is_that_of_the_moments",
        (
            "windows that are left for windows that are entered",
            "rows[move.target * D + i]",
            "rows[move.source * D + i]",
        ),
    ),
    *rows(
        "theory/laws/step_signs.py",
        "claims/test_model_simulation.py::test_what_a_step_does_by_hand",
        (
            "mean square that grows is not looked for",
            "square: Sign = 1 if grown is not None else None",
            "square: Sign = None",
        ),
    ),
    *rows(
        "analysis/at_step.py",
        "claims/test_model_simulation.py::test_what_a_step_does_by_hand",
        (
            "paths follow mean square upward too",
            "if found.mean_square == -1:",
            "if found.mean_square is not None:",
        ),
    ),
    *rows(
        "analysis/simulated_runs.py",
        "claims/test_model_simulation.py::test_divergence_is_drawn_and_said",
        ("the first run that diverges for all of them", "by = max(lost) if lost", "by = min(lost) if lost"),
    ),
    *rows(
        "reports/step_words.py",
        "claims/test_model_simulation.py::test_no_tick_stands_before_divergence",
        ("a tick over divergence", 'if judged.status == "holds" and verdict(run) == "grows":', "if False:"),
        (
            "divergence that was seen is not asked about",
            'return "grows" if run.diverged else verdict_of(run.at_step)',
            "return verdict_of(run.at_step)",
        ),
        ("paths that grow are small enough", "found.mean_square, found.paths)", "found.mean_square,)"),
    ),
    *rows(
        "reports/step_words.py",
        "claims/test_model_simulation.py::test_a_step_that_is_small_enough_says_so",
        ("every step is too large", 'return "dies_out" if found.mean_square == -1 else', "return"),
    ),
    *rows(
        "reports/analysis_report.py",
        "reports/test_public_face.py::test_a_model_inside_the_report_that_is_written_stays",
        ("the model goes when its report is replaced", "path.resolve().parent != folder.place", "True"),
        ("any model file is taken into a report", "path.resolve().parent != folder.place", "False"),
    ),
    *rows(
        "reports/analysis_report.py",
        "reports/test_public_face.py::test_a_saved_model_reads_back",
        ("a model saved without its name", '**({"name": model.name} if model.name else {})', ""),
    ),
    *rows(
        "reports/output.py",
        "reports/test_cli.py::test_check_of_a_report_checks_its_certificates_and_names_the_rest",
        (
            "documents of a report are checked as certificates",
            'path.relative_to(top).parts[0] != "certificates"',
            "False",
        ),
        ("the certificates of a report are skipped", 'path.relative_to(top).parts[0] != "certificates"', "True"),
    ),
    *rows(
        "analysis/choose_arithmetic.py",
        "claims/test_choice.py::test_advice_never_names_what_was_given",
        (
            "an archive is told to become an archive",
            'if isinstance(model, SparseModel):\n        return "leave out',
            'if False:\n        return "leave out',
        ),
        ("bits for models that are too large", "if bits is None or model.n > LARGEST_STATES:", "if bits is None:"),
        ("bits that do not fit", "<= free else None", "<= free else bits"),
    ),
)
