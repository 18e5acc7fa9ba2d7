"""Mutants of the advice about a user's model: numbers behind warnings, what a comparison says, what a run may claim."""

from __future__ import annotations

from tests.quality.edits import rows

SAID = "claims/test_warnings.py::"
DECIDED = "claims/test_warnings_decided.py::test_warnings_say_what_is_so"
FIRES = "claims/test_warnings.py::test_it_fires_where_it_should"
COIN = "claims/test_schedule_comparison.py::test_every_schedule_on_the_fair_coin[3]"
DATED = "claims/test_schedule_comparison.py::test_a_trade_between_error_and_variance_is_dated"

MUTANTS = (
    *rows(
        "theory/check/conditioning.py",
        "claims/test_warnings.py::test_the_condition_number_by_hand",
        ("condition: the norm of A alone", "return low * inverse_low, high * inverse_high", "return low, high"),
    ),
    *rows(
        "theory/check/conditioning.py",
        "claims/test_warnings.py::test_updates_before_an_error_has_shrunk",
        ("updates: twice as many are promised", "/ (2 * size * abs(abscissa)) - 1", "/ (size * abs(abscissa)) - 1"),
    ),
    *rows(
        "analysis/advice/answer.py",
        DATED,
        ("a trade is dated by one variance alone", "(near[2].upper - calm[2].lower) /", "near[2].upper /"),
    ),
)
MORE = (
    *rows(
        "analysis/analyse.py",
        "claims/test_schedule_comparison.py::test_constant_steps_of_enclosed_comparisons_are_sought_where_they_are_asked_for",
        ("constant steps are sought unasked", "asked.steps is not None and asked.steps.a is None", "True"),
        ("constant steps are never sought", "asked.steps is not None and asked.steps.a is None", "False"),
    ),
    *rows(
        "reports/cli/__init__.py",
        "reports/test_cli.py::test_idle_threads_of_linear_algebra_sleep_unless_the_user_says_otherwise",
        ("what the user says of threads is overwritten", "os.environ.setdefault(*_IDLE)", "os.environ.update([_IDLE])"),
    ),
    *rows(
        "analysis/advice/compare_schedules.py",
        "claims/test_schedule_comparison.py::test_exact_silence_is_asked_only_where_the_variance_may_be_zero",
        (
            "silence is asked of every model",
            "if (variance is None or variance.lower <= 0) and is_silent",
            "if is_silent",
        ),
        ("silence is asked of no ball", "(variance is None or variance.lower <= 0) and", "variance is None and"),
    ),
    *rows(
        "analysis/advice/compare_schedules.py",
        f"{SAID}test_the_trace_of_dependent_features_is_that_of_the_features_given",
        (
            "the trace is that of a basis of the features",
            "averaging(inner, states, exact, weight)",
            "averaging(inner, states, exact, weight.identity(inner.d))",
        ),
    ),
    *rows(
        "analysis/advice/warnings.py",
        f"{SAID}test_slow_dynamics_speak_of_the_recursions_that_they_name",
        ("GTD is called slow whatever β is", 'MEAN_G: " with β = α"', 'MEAN_G: ""'),
    ),
    *rows(
        "analysis/advice/warnings.py",
        f"{SAID}test_no_growth_where_the_form_is_never_positive",
        (
            "growth where A is not negative definite",
            "        x = negative_direction(-A.symmetric_part())",
            "        x = A.identity(2).take(columns=[0]) if A.symmetric_part().rank < 2 else None",
        ),
    ),
    *rows(
        "analysis/advice/warnings.py",
        f"{SAID}test_each_class_is_counted_where_dynamics_are_not_stable",
        ("the last class hides the others", "parts = given.facts.classes", "parts = given.facts.classes[-1:]"),
    ),
    *rows(
        "analysis/advice/warnings.py",
        DECIDED,
        (
            "a trace is measured against twice the bound",
            "ratio = square.lower / on_policy",
            "ratio = square.lower / (2 * on_policy)",
        ),
        ("I − N singular: always solvable", '"many" if solvable else "none"', '"many"'),
    ),
    *rows(
        "analysis/advice/warnings.py",
        f"{SAID}test_a_pair_that_is_missing_in_a_transient_state_changes_nothing",
        (
            "coverage: warned of transient states too",
            "missing = given.model.uncovered_when_recurrent",
            "missing = given.model.uncovered",
        ),
    ),
    *rows(
        "analysis/advice/compare_schedules.py",
        f"{SAID}test_a_pair_that_is_missing_in_a_transient_state_changes_nothing",
        (
            "no comparison for a gap in a transient state",
            "if model.uncovered_when_recurrent:",
            "if model.uncovered:",
        ),
    ),
    *rows(
        "theory/enclose/dense_model.py",
        f"{SAID}test_a_pair_that_is_missing_in_a_transient_state_changes_nothing",
        (
            "coverage in enclosures: transient states count",
            "coverage = not model.uncovered_when_recurrent",
            "coverage = not model.uncovered",
        ),
    ),
    *rows(
        "theory/enclose/sparse.py",
        f"{SAID}test_a_pair_that_is_missing_in_a_transient_state_changes_nothing",
        ("coverage in sparse models: transient states count", "model.uncovered[states].sum()", "model.uncovered.sum()"),
    ),
    *rows(
        "analysis/advice/warnings.py",
        f"{SAID}test_a_ratio_in_a_transient_state_multiplies_few_updates",
        (
            "ratios of transient states count",
            "        for s in states\n        for a, (mu, pi)",
            "        for s in range(model.n)\n        for a, (mu, pi)",
        ),
    ),
    *rows(
        "analysis/advice/model_numbers.py",
        f"{SAID}test_fixed_points_of_several_classes",
        ("a fixed point of one class is one of all", "shared=_solvable(together)", "shared=True"),
        ("every class has a fixed point", "without=sum(not _solvable(system) for system in systems)", "without=0"),
        (
            "one θ for all is the only one",
            "unique=all(system.take(columns=range(d)).rank == d for system in systems)",
            "unique=True",
        ),
    ),
    *rows(
        "analysis/advice/model_numbers.py",
        f"{SAID}test_what_missing_coverage_changes",
        ("missing coverage always changes A or b", "changed |= meant.A != met.A or meant.b != met.b", "changed = True"),
        ("the fixed point is called another in any case", "max(distances) if all_known else None", "None"),
    ),
    *rows(
        "analysis/advice/model_numbers.py",
        f"{SAID}test_a_transient_state_that_the_others_determine_and_one_that_they_do_not",
        (
            "every transient prediction is determined",
            "[*seen.rows, self.model.features.rows[s]]",
            "[*seen.rows]",
        ),
    ),
    *rows(
        "analysis/advice/warnings.py",
        f"{SAID}test_numbers_in_sentences_are_rounded_to_the_side_they_claim",
        ("lower ends are rounded up", "_rounded(number, ROUND_FLOOR)", "_rounded(number, ROUND_HALF_EVEN)"),
    ),
    *rows(
        "analysis/advice/answer.py",
        f"{SAID}test_bounds_are_called_inapplicable_and_not_unknown",
        ("nothing is said where no bound applies", "        if bounded\n", "        if rows\n"),
    ),
    *rows(
        "analysis/advice/answer.py",
        "claims/test_answers_decided.py::test_sentences_about_schedules_are_so",
        ("all dynamics are called stable", "for row, _, is_stable in asked if is_stable]", "for row, _, _ in asked]"),
    ),
    *rows(
        "theory/check/conditioning.py",
        "claims/test_warnings.py::test_the_inflation_of_two_states",
        ("inflation: only one side of the long-run variance", ".scaled(2) - square, square", " - square, square"),
        ("inflation: the function is not centred", "centred = given - ones @ (d.T @ given)", "centred = given"),
    ),
    *rows(
        "analysis/advice/warnings.py",
        f"{FIRES}[slow_mixing-warning]",
        ("warnings fire below their threshold", "if number >= warning else", "if number >= warning / 2 else"),
    ),
    *rows(
        "theory/check/fixed_point.py",
        COIN,
        ("the bound with 1 − κ in the place of 1 − κ²", "return 1 / (1 - kappa * kappa)", "return 1 / (1 - kappa)"),
    ),
    *rows(
        "analysis/advice/compare_schedules.py",
        "claims/test_schedule_comparison.py::test_every_schedule_has_its_own_error_and_rate",
        ("every schedule gets the numbers of the model's own", "    if candidate.own:\n", "    if candidate:\n"),
    ),
    *rows(
        "theory/laws/long_run_covariance.py",
        "claims/test_warnings.py::test_the_second_moment_of_an_endless_trace",
        ("equal lags without end twice", "total + total.T - weighted @ self._past(1)[0]", "total + total.T"),
    ),
    *rows(
        "theory/laws/averaging.py",
        "claims/test_warnings.py::test_the_second_moment_of_an_endless_trace",
        (
            "the last ratio of the trace is not squared",
            "ratio_moments(noise.model, 2)",
            "ratio_moments(noise.model, 1)",
        ),
    ),
    *rows(
        "analysis/run_results.py",
        "claims/test_model_simulation.py::test_the_right_kernel_agrees_and_a_wrong_one_is_noticed",
        (
            "a simulation that contradicts theory holds",
            "Status.HOLDS if found.agrees else Status.REFUTED",
            "Status.HOLDS",
        ),
    ),
)
