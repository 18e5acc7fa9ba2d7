"""Mutants of what other people's code meets: trials of real code, strategies for their tests, claims of their own."""

from __future__ import annotations

from tests.quality.edits import rows

REAL = "sims/test_real_code.py::"
STRATEGIES = "sims/test_strategies.py::"
OWN = "claims/test_own_claims.py::"
ANY = "sims/test_conform_any.py::"
CLASSES = "sims/test_conformance.py::"
TURNED = f"{ANY}test_another_order_of_operations_stays_inside_the_bound_and_a_late_digit_does_not"
EVERY_MISTAKE = f"{ANY}test_bounds_are_small_and_every_mistake_leaves_them_or_changes_nothing[htd]"

MUTANTS = (
    *rows(
        "sims/conformance/jets.py",
        TURNED,
        ("no room for another order", "FREEDOM = 4", "FREEDOM = 0"),
    ),
    *rows(
        "sims/conformance/jets.py",
        f"{ANY}test_jets_are_values_magnitudes_and_their_derivatives",
        ("a quotient by the value alone", "y.jet[1, 0] / y.value**2", "1 / y.value**2"),
        ("magnitudes that cancel", "np.array([[-1.0], [1.0]])", "np.array([[-1.0], [-1.0]])"),
        ("errors that are not carried on", "found[:, 1 + place] = 1.0", "found[:, 1 + place] = 0.0"),
    ),
    *rows(
        "sims/conformance/declared_paths.py",
        TURNED,
        ("no error of one update", "slack * magnitudes + TINY", "TINY"),
    ),
    *rows(
        "sims/conformance/declared_paths.py",
        f"{ANY}test_errors_of_earlier_updates_are_carried_on_and_not_doubled_by_momentum",
        ("errors of the updates before forgotten", "np.concatenate([J @ ways,", "np.concatenate([0 * ways,"),
    ),
    *rows(
        "sims/conformance/declared_paths.py",
        f"{ANY}test_two_parameters_that_change_places_are_not_both_left_out",
        ("copies of copies are left out", "if i != k and other.name not in found", "if i != k"),
    ),
    *rows(
        "sims/conformance/path_differences.py",
        f"{ANY}test_paths_are_compared_whatever_their_number_of_parameters_and_whatever_is_infinite",
        (
            "a bound that says nothing judges",
            "np.where(says[:, None], bound, np.inf)",
            "np.where(says[:, None], bound, bound)",
        ),
        ("a path beyond all numbers judges", " & np.isfinite(size)", ""),
        ("what is not judged is wrong", " & np.isfinite(bound) for x", " for x"),
    ),
    *rows(
        "sims/conformance/trial.py",
        f"{ANY}test_what_follows_a_wrong_start_is_not_judged",
        ("what follows a wrong start passes", "0 if i in wrong else judged[i]", "judged[i]"),
    ),
    *rows(
        "sims/conformance/trial.py",
        f"{ANY}test_a_bound_that_says_nothing_judges_nothing",
        ("single precision without a sign of it", "any(leaves) and path_differences", "path_differences"),
        ("nothing is left to judge", "if any(\n        case.shows", "if False and any(\n        case.shows"),
    ),
    *rows(
        "sims/conformance/trial.py",
        f"{CLASSES}test_a_class_that_hangs_and_floods_is_ended_and_not_decided",
        ("time that is up is a failure", "refuse_undecided(self.target, stop, sentence)", "pass"),
    ),
    *rows(
        "sims/conformance/trial.py",
        f"{CLASSES}test_w0_is_handed_over_where_reset_names_it",
        ("w starts at zero whatever is taken", 'if "w0" in takes:', "if False:"),
    ),
    *rows(
        "sims/conformance/trial.py",
        f"{CLASSES}test_step_sizes_are_handed_over_as_the_signature_says_and_theta_starts_at_zero_without_theta0[OneStepSize]",
        ("θ starts elsewhere without theta0", 'if "theta0" not in takes:', "if False:"),
    ),
    *rows(
        "sims/conformance/declared_paths.py",
        f"{ANY}test_errors_of_the_memory_reach_the_parameters",
        ("errors of the memory forgotten", " + wide[:D, D:] @ off_m", ""),
    ),
    *rows(
        "sims/conformance/declared_paths.py",
        EVERY_MISTAKE,
        ("bounds that grow for ever", "np.concatenate([J @ ways,", "np.concatenate([1e3 * J @ ways,"),
    ),
    *rows(
        "sims/conformance/declared_paths.py",
        EVERY_MISTAKE.replace("htd", "gtd_momentum"),
        ("momentum makes bounds grow", "np.concatenate([J @ ways,", "np.concatenate([np.abs(J) @ np.abs(ways),"),
    ),
    *rows(
        "sims/conformance/declared_paths.py",
        f"{ANY}test_the_start_and_the_options_are_what_reset_is_handed",
        ("all parameters start alike", 'if f"{slot.name}0" not in self.takes:', "if False:"),
    ),
    *rows(
        "sims/conformance/declared.py",
        f"{ANY}test_the_start_and_the_options_are_what_reset_is_handed",
        (
            "options given in brackets change",
            "if name in known and name not in self.algorithm.given:",
            "if name in known:",
        ),
        (
            "options that reset does not take change",
            "if name in known and name not in self.algorithm.given:",
            "if name not in self.algorithm.given:",
        ),
        ("options never change", "if place % 2 and", "if False and"),
    ),
    *rows(
        "claims/search.py",
        f"{OWN}test_a_false_claim_is_refuted_with_the_smallest_model_and_shown_from_the_report",
        ("the first witness is shown", "return min((*found, *inside), key", "return max((*found, *inside), key"),
    ),
    *rows(
        "reports/cli/show_command.py",
        f"{OWN}test_a_false_claim_is_refuted_with_the_smallest_model_and_shown_from_the_report",
        ("a report of another version is read", "if found.entry.digest != entry.digest:", "if False:"),
    ),
    *rows(
        "sims/mistakes/declared.py",
        f"{ANY}test_wrong_classes_are_named[BiasFirst]",
        (
            "the order of two parameters exchanged",
            'f"{other} updated with the new {name}"',
            'f"{name} updated with the new {other}"',
        ),
        ("the others see the old one", "[*held[:i], new[i], *held[i + 1 :]]", "held"),
    ),
    *rows(
        "sims/mistakes/declared.py",
        f"{ANY}test_wrong_classes_are_named[GTD2AllByRho]",
        ("ρ on what has it already", "held[i] + t.rho * (plain[i] - held[i])", "held[i] + t.rho * (new[i] - held[i])"),
    ),
    *rows(
        "sims/mistakes/declared.py",
        f"{ANY}test_wrong_classes_are_named[LateRatioInFollowOn]",
        ("ρ of both steps in the follow-on trace", "return (*new[:i], plain[i], *new[i + 1 :])", "return tuple(new)"),
    ),
    *rows(
        "sims/conformance/updates.py",
        f"{REAL}test_the_symbols_say_what_the_readable_algorithms_do",
        ("δ without its minus", "φ_{t+1}ᵀθ_t − φ_tᵀθ_t", "φ_{t+1}ᵀθ_t + φ_tᵀθ_t"),
        (
            "GTD(λ) without 1 − λ",
            "(δ_t z_t − γ_t (1 − λ) φ_{t+1}",
            "(δ_t z_t − γ_t φ_{t+1}",
        ),
        ("φφᵀw by another factor", '(PHI, PHI): "φ_t (φ_tᵀw_t)"', '(PHI, PHI): "φ_t (z_tᵀw_t)"'),
        ("signs of all terms plus", '(" + " if plus else " − ")', '" + "'),
        ("the sign of x_t lost", "(term.factor > 0) != (term.a == CHANGE)", "term.factor > 0"),
        ("a trace of one λ without γ", 'past = "φ_t + γ_{t−1} λ z_{t−1}"', 'past = "φ_t + λ z_{t−1}"'),
        ("ρ on-policy", 'ratio = "ρ_t " if off_policy else ""', 'ratio = "ρ_t "'),
    ),
    *rows(
        "sims/conformance/battery.py",
        f"{REAL}test_one_discount_and_zero_at_the_ends",
        ("larger models without episodes", "gamma if s < n - 1 else Fraction(0)", "gamma"),
        ("discounts that change where one γ is asked", 'or (shows == "discounts" and one_gamma)', ""),
        ("γ of the transition where one is asked", " and gamma is None:\n        discount", ":\n        discount"),
    ),
    *rows(
        "sims/conformance/battery.py",
        f"{REAL}test_bad_words_are_one_sentence",
        (
            "one λ under any schedule",
            "if algorithm in ONE_LAMBDA and schedules not in",
            "if False and schedules not in",
        ),
    ),
    *rows(
        "sims/algorithms.py",
        f"{REAL}test_bounds_for_the_textbook_algorithm_are_small_and_hold[gtd_lambda-any]",
        ("the λ of a window is not seen", "tail or (lambdas[0] if len(lambdas) else 0.0)", "tail"),
    ),
    *rows(
        "sims/conformance/trial.py",
        f"{REAL}test_the_signature_of_reset_chooses[FixedGamma-td-constant-constant]",
        ("the signature is not heard", "recording.stop.kind == WANTS", 'recording.stop.kind == ""'),
    ),
    *rows(
        "sims/trials/notebooks.py",
        f"{REAL}test_a_function_of_a_notebook_is_found_as_a_class_is",
        ("functions of a notebook are not seen", "if isinstance(x, of_kind)", "if isinstance(x, ast.ClassDef)"),
    ),
    *rows(
        "sims/trials/notebooks.py",
        f"{REAL}test_only_what_the_class_needs_is_taken",
        ("all of a notebook is run", "strict=True) if wanted)", "strict=True))"),
        ("what a class needs is left behind", "needed |= set(", "set("),
        (
            "names inside of functions count as names of the notebook",
            ' and (scope.get_type() == "module" or symbol.is_global())',
            "",
        ),
    ),
    *rows(
        "sims/strategies.py",
        f"{STRATEGIES}test_models_have_the_policies_asked_for",
        ("policies that may be equal where off-policy is asked", "    if distinct and ", "    if False and "),
    ),
    *rows(
        "sims/strategies.py",
        f"{STRATEGIES}test_off_policy_a_is_not_always_negative_definite[0]",
        ("no models about the threshold", "draw(st.integers(0, 2)) == 2", "draw(st.integers(0, 2)) == 3"),
    ),
    *rows(
        "sims/strategies.py",
        f"{STRATEGIES}test_the_threshold_is_reached_and_crossed",
        ("never above the threshold", '("0", "1/100", "-1/100", "1/10", "-1/10", "9/10")', '("0", "-1/100", "-1/10")'),
    ),
    *rows(
        "sims/strategies.py",
        f"{STRATEGIES}test_arrays_are_the_model_in_floats",
        ("μ and π swapped", "behaviour=value.behaviour.to_float()", "behaviour=value.target.to_float()"),
        ("transitions to and from swapped", "P=np.array([x.to_float()", "P=np.array([x.to_float().T"),
        ("γ as a table", "float(value.gamma),\n", "discounts,\n"),
    ),
    *rows(
        "claims/own.py",
        f"{OWN}test_an_id_is_a_name_of_its_own",
        ("an id of ours may be taken", "if claim.id in {row.id for row in paper.ENTRIES}:", "if False:"),
        ("an id may lead out of the report", 'if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", claim.id):', "if False:"),
    ),
    *rows(
        "claims/own.py",
        f"{OWN}test_bad_input_is_one_sentence",
        ("a line without its file", "if isinstance(error, SyntaxError) and error.filename:", "if False:"),
    ),
    *rows(
        "claims/own.py",
        f"{OWN}test_what_the_docstring_leaves_out_has_a_default",
        ("a place that nobody said", 'else "not said"', 'else "the paper"'),
    ),
    *rows(
        "verification/verify.py",
        f"{OWN}test_models_alone_never_decide_a_conjecture",
        (
            "models decide a conjecture",
            "any(scope.evidence.grade is Grade.PROVED for scope in scopes):\n        problems",
            "scopes:\n        problems",
        ),
        ("a conjecture that is not decided is a failure", "or own.prove is not None:", "or True:"),
    ),
    *rows(
        "verification/verify.py",
        f"{OWN}test_models_alone_refute_a_conjecture",
        ("a refuted claim of one's own is not a difference", "reading.status is Status.REFUTED or own", "own"),
    ),
    *rows(
        "verification/verify.py",
        f"{OWN}test_two_files_with_one_id_are_one_sentence",
        ("two files with one id", "if len(own) < len(files):", "if False:"),
    ),
)
