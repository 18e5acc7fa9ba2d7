"""Mutants of estimators on trial: definitions, layouts, bounds and contracts that are slightly wrong."""

from __future__ import annotations

from tests.quality.edits import rows

WRITINGS = "theory/test_estimators.py::test_both_writings_are_equal"
BY_HAND = "theory/test_estimators.py::test_values_by_hand"
TRIAL = "sims/test_estimators.py::"
BOTH = "sims/test_trials.py::"

MUTANTS = (
    *rows(
        "theory/model/estimators.py",
        WRITINGS,
        ("the n-step return runs on past the cut", "last = min(t + n, row.end(t)) - 1",
         "last = min(t + n, row.steps) - 1"),
        ("V-trace with c after its discount, of the next step", "row.discount(s) * c[s]", "row.discount(s) * c[t]"),
        ("the per-decision ratio after the reward", "weight = weight * row.rhos[s]\n", "pass\n"),
        ("Retrace with the first action's trace", "if s > t else ONE", "if s >= t else ONE"),
    ),
    *rows(
        "theory/model/estimators.py",
        BY_HAND,
        ("truncation ends an episode without a value", "if self.terminated[t] else self.discounts[t]",
         "if self.cut(t) else self.discounts[t]"),
        ("cuts are not seen", "return self.terminated[t] or self.truncated[t]", "return self.terminated[t]"),
    ),
    *rows(
        "theory/model/estimator_recursions.py",
        "theory/test_estimators.py::test_forms_and_magnitudes",
        ("magnitudes that cancel", "return super().__rmul__(abs(factor))", "return super().__rmul__(factor)"),
    ),
    *rows(
        "sims/estimators/layout.py",
        TRIAL + "test_a_reset_row_stands_between_episodes",
        ("no reset row", 'contract.boundaries == "next-step" and row.cut(t)',
         'contract.boundaries == "?" and row.cut(t)'),
        ("the reset row has the next episode's state", '{"values": self.row.next_values[before]',
         '{"values": self.row.values[before + 1]'),
    ),
    *rows(
        "sims/estimators/rounding.py",
        TRIAL + "test_the_bound_on_rounding_is_small_and_grows",
        ("a bound of single precision for double", '"float64": 2.0**-53', '"float64": 2.0**-24'),
    ),
    *rows(
        "sims/estimators/judging.py",
        TRIAL + "test_an_error_beyond_rounding_is_seen",
        ("a tolerance in place of the bound", "<= self.allowed[name])", "<= self.allowed[name] + 1e-6)"),
    ),
    *rows(
        "sims/estimators/layout.py",
        TRIAL + "test_lambdas_are_zero_at_cuts_and_discounts_at_terminations_alone",
        ("λ kept at cuts", "0 if a.row.cut(t) else a.row.lambdas[t]", "a.row.lambdas[t]"),
        ("the discount lost at truncations", '"discounts": lambda a, t: a.row.discount(t)',
         '"discounts": lambda a, t: 0 if a.row.cut(t) else a.row.discounts[t]'),
    ),
    *rows(
        "sims/trials/process.py",
        TRIAL + "test_the_call_that_did_not_come_back_is_blamed[0]",
        ("the call after the one that ended the process is blamed", '{"code": code}, modes[mode], case, step)',
         '{"code": code}, modes[mode], case + 1, step)'),
    ),
    *rows(
        "sims/trials/process.py",
        TRIAL + "test_what_fails_before_the_first_call_is_laid_on_it",
        ("another call is blamed before the first", "np.array([0, 0, IMPORTING", "np.array([0, 1, IMPORTING"),
        ("a process that ends is not seen", "elif not done:", "elif False:"),
    ),
    *rows(
        "sims/trials/process.py",
        BOTH + "test_ctrl_c_ends_the_child_too",
        ("Ctrl-C leaves the child alive", "        _end(child)\n", ""),
    ),
    *rows(
        "sims/trials/process.py",
        BOTH + "test_bad_usage_is_one_sentence",
        ("what is not found is a failure of the code", "and step == IMPORTING:", "and False:"),
    ),
    *rows(
        "sims/trials/process.py",
        BOTH + "test_what_is_returned_comes_back_and_nothing_else_of_ours_is_imported",
        ("arrays on top of each other", "self.handed += numbers.size", "self.handed += 1"),
        ("results on top of each other", "return self.owed - size", "return self.owed"),
    ),
    *rows(
        "sims/trials/stops.py",
        BOTH + "test_a_run_that_stops_says_where",
        ("time that is up is a failure", 'if stop.kind == "hangs":', "if False:"),
        ("a signal is an exit code", "if code >= 0:", "if True:"),
    ),
    *rows(
        "sims/trials/place.py",
        BOTH + "test_objects_that_cannot_be_found_are_one_sentence",
        ("what is made inside a function is taken", 'if "<locals>" in qualname:', "if False:"),
        ("a class is a function", 'if isinstance(given, type) != (kind == "class") or not called:', "if not called:"),
    ),
    *rows(
        "sims/trials/trial.py",
        BOTH + "test_numbers_out_of_range_are_one_sentence",
        ("no time at all", "not 0 < time_limit < 1e6", "not 0 <= time_limit < 1e6"),
        ("a seed too large for two processes", "not 0 <= seed < 2**32 - 1", "not 0 <= seed < 2**33"),
    ),
    *rows(
        "sims/trials/trial.py",
        BOTH + "test_the_mistake_that_makes_everything_is_named_else_the_one_that_makes_most",
        ("half is most", "2 * most > len(wrong)", "2 * most >= len(wrong)"),
        ("what makes one sample makes all", "if all(makes", "if any(makes"),
    ),
    *rows(
        "sims/conformance/recording.py",
        "sims/test_conformance.py::test_step_sizes_are_handed_over_as_the_signature_says_and_theta_starts_at_zero_without_theta0[OneStepSize]",
        ("TD has two step sizes", "len(slots) if paper else", "len(case.step_names) if paper else"),
        ("φ and φ' exchanged", "[x.phi, x.phi_next, ", "[x.phi_next, x.phi, "),
    ),
    *rows(
        "sims/estimators/calls.py",
        TRIAL + "test_single_precision_is_a_note_and_no_failure",
        ("the precision of results is not read", '"float64" if np.isnan(ran.results[here])', '"float64" if True'),
    ),
    *rows(
        "sims/estimators/calls.py",
        TRIAL + "test_a_function_that_misbehaves_is_one_sentence[keeps_state-differs when it is called again]",
        ("no call is made twice", '"twice": twice', '"twice": False'),
    ),
    *rows(
        "sims/estimators/trial.py",
        TRIAL + "test_a_function_that_hangs_is_ended",
        ("a function whose time is up fails",
         'refuse_undecided(self.target, returned.stop, sentence, f" under {self.contract.name}")', "pass"),
    ),
    *rows(
        "sims/estimators/trial.py",
        TRIAL + "test_the_library_may_be_given_apart",
        ("the library given apart is not used", "replace(c, library=library, jit", "replace(c, jit"),
    ),
    *rows(
        "sims/estimators/contract.py",
        TRIAL + "test_a_contract_that_contradicts_itself_is_one_sentence",
        ("final values are not asked for", 'contract.boundaries == "same-step" and not contract.has(*FINAL_VALUES)',
         'contract.boundaries == "?" and not contract.has(*FINAL_VALUES)'),
        ("ratios for what has none", "if argument.holds in foreign:", "if argument.holds in ():"),
        ("fixed and handed out", "if contract.gives(name):", "if not contract.gives(name) and False:"),
        ("two outputs at one place", "len(set(places)) < len(places)", "len(set(places)) > len(places)"),
        ("part of a step", 'name == "n" and number.denominator != 1', 'name == "?" and number.denominator != 1'),
        ("λ fixed at none", 'value == "none" and name.startswith("clip")', 'value == "none"'),
    ),
    *rows(
        "sims/estimators/cases.py",
        TRIAL + "test_all_patterns_of_short_rows_are_there",
        ("rows end before four steps", "for steps in range(contract.shortest, LONGEST + 1):",
         "for steps in range(contract.shortest, LONGEST):"),
    ),
    *rows(
        "sims/estimators/cases.py",
        TRIAL + "test_a_contract_may_leave_out_zeros_and_short_rows",
        ("zeros are tried all the same", "if x is None or x > 0]", "if x is None or x >= 0]"),
        ("short rows are tried all the same", "for steps in range(contract.shortest, LONGEST + 1):",
         "for steps in range(1, LONGEST + 1):"),
    ),
    *rows(
        "sims/trials/limits.py",
        TRIAL + "test_long_rows_have_small_powers_of_gamma_lambda",
        ("long rows of one γ and λ", "LONG_ROW_SETTINGS = 6", "LONG_ROW_SETTINGS = 1"),
    ),
    *rows(
        "sims/estimators/mistakes.py",
        TRIAL + "test_a_function_that_misbehaves_is_one_sentence",
        ("a name where nothing finite was returned", "    if not wrong:\n        return None\n", ""),
    ),
    *rows(
        "sims/estimators/mistakes.py",
        TRIAL + "test_the_frame_that_mistakes_are_edits_of_is_right",
        ("the frame does not stop at cuts", "self.go = [0.0 if x else 1.0 for x in self.cut]",
         "self.go = [1.0 for x in self.cut]"),
    ),
)  # fmt: skip
