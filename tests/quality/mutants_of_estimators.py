"""Mutants of estimators on trial: definitions, layouts, bounds and contracts that are slightly wrong."""

from __future__ import annotations

from tests.quality.edits import rows

WRITINGS = "theory/test_estimators.py::test_both_writings_are_equal"
BY_HAND = "theory/test_estimators.py::test_values_by_hand"
TRIAL = "sims/test_estimators.py::"

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
        "sims/estimators/process.py",
        TRIAL + "test_the_call_that_did_not_come_back_is_blamed[0-os._exit(3)-exits]",
        ("the call after the one that ended the process is blamed", "max(at, 0)", "max(at, 1)"),
    ),
    *rows(
        "sims/estimators/process.py",
        TRIAL + "test_what_fails_before_the_first_call_is_laid_on_it",
        ("no call is blamed before the first", "max(at, 0)", "at"),
    ),
    *rows(
        "sims/estimators/trial.py",
        TRIAL + "test_a_function_that_hangs_is_ended",
        ("a function whose time is up fails", 'if returned.stop.kind == "hangs":', "if False:"),
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
        "sims/estimators/cases.py",
        TRIAL + "test_long_rows_have_small_powers_of_gamma_lambda",
        ("long rows of one γ and λ", "SETTINGS = 6", "SETTINGS = 1"),
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
