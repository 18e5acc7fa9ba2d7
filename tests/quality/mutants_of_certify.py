"""Mutants of certificates for ever: steps shifted, squares and error terms forgotten, signs turned round."""

from __future__ import annotations

from tests.quality.edits import rows

TESTS, CURVES = "theory/test_for_ever.py::", "claims/test_distance_curves.py::"

MUTANTS = (
    *rows(
        "theory/engine/proposed_steps.py",
        "reports/test_certify.py::test_steps_are_proposed_where_none_are_given",
        ("steps move to a later N", "decided(near) < decided(best)", "decided(near) > decided(best)"),
    ),
    *rows(
        "theory/laws/decreasing_steps.py",
        TESTS + "test_one_time_by_hand",
        (
            "steps shifted by one",
            "between(t + self.t0, -self.p)",
            "between(t + 1 + self.t0, -self.p)",
        ),
    ),
    *rows(
        "theory/laws/decreasing_steps.py",
        TESTS + "test_the_numbers_of_the_steps_bound_the_steps",
        ("the sum of squares begins too late", "t + self.t0 - Fraction(1, 2), 1", "t + self.t0 + Fraction(1, 2), 1"),
        ("ϑ without the power", "self.p / self.a * power", "1 / self.a * power"),
    ),
    *rows(
        "theory/laws/decreasing_steps.py",
        TESTS + "test_whole_roots",
        ("Newton begins below the root", "(_root(x >> half * v, v) + 1) << half", "_root(x >> half * v, v) << half"),
    ),
    *rows(
        "theory/certificate/checker",
        TESTS + "test_whole_roots",
        (
            "the checker's Newton begins below the root",
            "(whole_root(x >> half * v, v) + 1) << half",
            "whole_root(x >> half * v, v) << half",
        ),
    ),
    *rows(
        "theory/engine/for_ever.py",
        TESTS + "test_a_hopeless_power_is_told_at_once",
        ("A for A² in the lower estimate", "2 * log10(steps.a)", "log10(steps.a)"),
        ("the lower estimate without the sum's exponent", "- log10(gap) - allowed) / gap", "- log10(gap) - allowed)"),
    ),
    *rows(
        "theory/engine/for_ever.py",
        TESTS + "test_steps_that_stay_too_small_are_told_apart",
        ("steps that are too small are called too large", "if float(steps.variation(last)) >= rate:", "if False:"),
    ),
    *rows(
        "theory/engine/for_ever.py",
        TESTS + "test_a_phase_that_gains_little_is_left_out_and_costs_little",
        ("phases that matter are left out", "+ excess > GAIN * (e", "+ excess > 90 * GAIN * (e"),
    ),
    *rows(
        "theory/engine/for_ever.py",
        TESTS + "test_products_of_random_factors_have_a_time_too",
        ("no constant where nothing is random", "QUIET * (largest == 0)", "0 * QUIET"),
    ),
    *rows(
        "analysis/certify.py",
        TESTS + "test_questions_without_an_answer_are_refused",
        ("a ratio of one step size", "if not others:", "if False:"),
        ("a ratio too few", "if len(self.ratio) != len(others):", "if False:"),
    ),
    *rows(
        "theory/engine/error_process.py",
        TESTS + "test_the_coin_by_hand",
        ("the error about −θ*", "sum((x * y for x, y in zip(row, star", "sum((-x * y for x, y in zip(row, star"),
        ("Poisson equation of the wrong sign", "[move.target] -= move.p", "[move.target] += move.p"),
    ),
    *rows(
        "theory/engine/for_ever.py",
        TESTS + "test_a_correction_that_does_not_solve_its_equation_leaves_an_order",
        ("the residual forgotten", "if i < divisor:", "if False:"),
    ),
    *rows(
        "theory/engine/for_ever.py",
        TESTS + "test_the_chance_by_hand",
        ("Ville without the error terms", "later = ZERO if once else", "later = ZERO if True else"),
        ("ε for ε²", "/ (floor * within**2)", "/ (floor * within)"),
        ("λ forgotten", "/ (floor * within**2)", "/ within**2"),
        ("M without ϑ", "phase.noise / (phase.decay - steps.variation(phase.start))", "phase.noise / phase.decay"),
        ("the order of the excess forgotten", "steps.p * phase.order, True", "steps.p, True"),
    ),
    *rows(
        "theory/engine/for_ever.py",
        TESTS + "test_second_moments_are_those_of_the_exact_propagation",
        ("moments rounded downwards", "[x + n for x in", "[x for x in"),
    ),
    *rows(
        "theory/engine/for_ever.py",
        TESTS + "test_the_noise_is_its_long_run_mean",
        ("the worst window for the mean", "S = process.poisson(second)", "S = 0 * process.poisson(second)"),
    ),
    *rows(
        "theory/certificate/checker",
        TESTS + "test_tampered_certificates_are_rejected",
        ("the floor is not asked", "[X - floor * unit for X in parts[0]]", "parts[0]"),
        ("any order of the excess", "or m * theta > c or", "or"),
        (
            "the start need not be a law",
            "if min(law) < 0 or sum(integers(law)[0]) != integers(law)[1]:",
            "if min(law) < 0:",
        ),
        ("less decay, or more, without the step", "[x - c * y for x, y in zip(plain", "[x for x, y in zip(plain"),
    ),
    *rows(
        "theory/certificate/checker",
        TESTS + "test_the_checker_accepts_and_not_one_step_earlier",
        ("the checker's Ville without error terms", "if e + phases[-1][2] * steps.squares_from(time) >", "if e >"),
        ("the checker's ε for ε²", "(1 - probability) * floor * within**2:", "(1 - probability) * floor * within:"),
    ),
    *rows(
        "theory/engine/error_process.py",
        TESTS + "test_the_error_of_a_declared_update_by_hand",
        ("the constant part forgotten", "strict=False)), row[D])", "strict=False)), 0 * row[D])"),
        ("all parameters are measured", "measured = found.predictor or range(", "measured = range(2) or range("),
    ),
    *rows(
        "theory/engine/error_process.py",
        TESTS + "test_an_update_that_ignores_the_target_policy_needs_no_coverage",
        ("coverage is asked of whoever", 'if tables_of(own)["moves"] != tables_of(found.tables)["moves"]:', "if True:"),
        ("coverage is asked of nobody", 'if tables_of(own)["moves"] != tables_of(found.tables)["moves"]:', "if False:"),
    ),
    *rows(
        "theory/engine/error_process.py",
        TESTS + "test_an_update_without_an_answer_is_refused_with_what_is_missing",
        ("a memory without end is tried", "if entry is not None:", "if False:"),
    ),
    *rows(
        "theory/engine/memory.py",
        TESTS + "test_an_update_without_an_answer_is_refused_with_what_is_missing",
        ("no memory is without end", "if len(part) > 1 or (part[0], part[0]) in self.sizes:", "if False:"),
    ),
    *rows(
        "theory/engine/memory.py",
        TESTS + "test_the_tables_give_the_process_that_terms_give",
        ("every memory is without end", "if len(part) > 1 or (part[0], part[0]) in self.sizes:", "if True:"),
    ),
    *rows(
        "sims/last_exit.py",
        TESTS + "test_a_kernel_is_used_for_the_very_update_alone",
        ("distances of the first parameters, not of θ − θ*", "y[:, process.measured] - star", "y[:, process.measured]"),
    ),
    *rows(
        "theory/engine/for_ever.py",
        TESTS + "test_a_form_sees_every_direction",
        ("a form may ignore w", "RIDGE * np.sum(root**2)", "1e-6 * np.sum(root**2)"),
    ),
    *rows(
        "theory/engine/for_ever.py",
        TESTS + "test_a_t0_that_is_large_enough_is_named",
        ("half of the T0 that was found", "about {ceil(smaller.t0):,}", "about {ceil(smaller.t0 / 16):,}"),
    ),
    *rows(
        "analysis/certify.py",
        CURVES + "test_the_last_point_has_a_certificate_that_the_checker_accepts",
        ("the distance is rounded downwards", "bounds[-1][-1] * 1.01", "bounds[-1][-1] * 0.99"),
        ("the bound of one time for all", "for once in (True, False))", "for once in (True, True))"),
    ),
    *rows(
        "analysis/certify.py",
        CURVES + "test_the_root_mean_square_is_that_of_the_exact_moments_and_the_bounds_lie_above_it",
        ("a mean square for its root", "sqrt(float(moments.squared_error()))", "float(moments.squared_error())"),
    ),
    *rows(
        "analysis/certify.py",
        CURVES + "test_the_root_mean_square_is_drawn_where_nothing_is_certified",
        ("no reason is given", "parts, why = [], str(reason)", "parts, why = [], ''"),
    ),
    *rows(
        "reports/stored.py",
        "reports/test_changes.py::test_a_report_of_version_0_1_0_is_read_and_what_nobody_can_replay_counts_for_nothing",
        (
            "evidence that nobody can replay is kept",
            "if grade is not Grade.CERTIFIED or row",
            "if True or row",
        ),
        ("old simulations never contradict", 'not found["agrees"], **found', "False, **found"),
    ),
    *rows(
        "reports/evidence_lines.py",
        "reports/test_answer.py::test_the_title_asks_for_them_and_names_a_kind_once",
        ("a kind is named for others too", "if len(kinds) == 1:", "if kinds:"),
    ),
)
