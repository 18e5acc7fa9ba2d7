"""Mutants of what people ask: steps, schedules, curves, the answer in the terminal, axes of diagrams."""

from __future__ import annotations

from tests.quality.edits import rows

STEPS, EFFECTS = "claims/test_step_answers.py::", "claims/test_effects.py::"
SAFE, MEAN = "theory/test_safe_steps.py::", "theory/test_mean_at_step.py::"

MUTANTS = (
    *rows(
        "theory/enclose/safe_steps.py",
        f"{SAFE}test_what_is_to_come_solves_the_equation_of_the_windows",
        ("later lags are forgotten", "g.scaled(weight_l) + N @ q[-1]", "g.scaled(weight_l) + g"),
        ("Y about no mean", "products - about.ones @ _shaped(mean, (1, d * d))", "products"),
        ("the largest product of ratios is one", "gamma.largest * (rho * found[-1])", "gamma.largest * (0 * rho)"),
        ("old lags do not count in H", "COVER * (near + far)", "COVER * near"),
        ("K of the newest feature alone", "rho * zeta[at] if kind == TRACE", "lags[at][0] if kind == TRACE"),
    ),
    *rows(
        "theory/enclose/safe_steps.py",
        f"{SAFE}test_the_bounds_by_hand",
        ("the square of K is left out", "(2 * tau[None, :] + size * sizes)", "(2 * tau[None, :])"),
        (
            "the form falls twice as fast",
            "falls.scaled(-2 if X is None else 2)",
            "falls.scaled(-4 if X is None else 2)",
        ),
    ),
    *rows(
        "theory/enclose/safe_steps.py",
        f"{SAFE}test_unstable_dynamics_grow_at_all_small_steps",
        ("growth is called stable", "proposals[0][1] is None) if found", "True) if found"),
    ),
    *rows(
        "theory/enclose/safe_steps.py",
        f"{SAFE}test_features_that_depend_on_each_other_are_those_of_a_basis",
        (
            "the basis is taken for the features",
            "left, right = MidRadMatrix(S) @ self.W, inverse",
            "left, right = MidRadMatrix(S), inverse",
        ),
    ),
    *rows(
        "theory/enclose/safe_steps.py",
        f"{SAFE}test_a_cycle_by_hand",
        (
            "a cycle counts twice",
            "chance**m * trace * trace > 1",
            "chance**m * trace * trace > Fraction(1, 2)",
        ),
        ("the cycle has no past", "z = z + weight_l * factor *", "z = z + (lag == 0) * factor *"),
    ),
    *rows(
        "theory/enclose/safe_steps.py",
        f"{SAFE}test_a_form_is_positive_somewhere_or_nothing_is_concluded",
        ("any form will do", "if form > 0 and values[-1] > 0 else None", "if values[-1] > -9 else None"),
    ),
    *rows(
        "theory/laws/long_run_covariance.py",
        "theory/test_longrun.py::test_second_moments_of_endless_traces_are_shown_only_where_they_exist",
        (
            "any solution shows a radius below one",
            "return all(y.lower[s, 0] > 0 for s in about.reached)",
            "return True",
        ),
    ),
    *rows(
        "analysis/at_step.py",
        f"{STEPS}test_windows_that_are_too_many_are_done_without",
        ("steps beyond the bound are small", "small is not None and alpha <= small.upto", "small is not None"),
        ("unstable small steps are small enough", "return -1 if small.stable else 1", "return -1 if small else 1"),
    ),
    *rows(
        "analysis/at_step.py",
        f"{STEPS}test_both_steps_of_gtd_by_hand",
        (
            "the step is doubled",
            "found = signs_at(system, alpha)",
            "found = signs_at(system, 2 * alpha)",
        ),
        (
            "the second step is the first",
            "system = _system(model, algorithm, ratio, states, WORK)",
            "system = _system(model, algorithm, Fraction(1), states, WORK)",
        ),
    ),
    *rows(
        "theory/laws/mean_at_step.py",
        f"{STEPS}test_td_by_hand",
        ("a radius of one is above one", "bits=8).sign", "bits=8).sign or 1"),
    ),
    *rows(
        "theory/laws/mean_at_step.py",
        f"{MEAN}test_what_cancels_between_states",
        (
            "the mean by state for the mean",
            "S = RationalMatrix([[int(i == j % system.size) for j in range(L.shape[0])] for i in range(system.size)])",
            "S = L.identity(L.shape[0])",
        ),
    ),
    *rows(
        "theory/laws/mean_at_step.py",
        f"{MEAN}test_runs_that_stand_at_the_fixed_point_from_the_first_update_on",
        ("every mean is excited", "    if excited.shape[1] == len(found.columns):\n", "    if True:\n"),
        ("noise adds nothing to the mean", "change.scaled(alpha * move.p)", "change.scaled(0)"),
    ),
    *rows(
        "theory/laws/mean_at_step.py",
        f"{MEAN}test_eigenvalues_that_are_roots_of_unity",
        ("a turn of a quarter is undecided", "for _ in range(SQUARINGS + 1):", "for _ in range(2):"),
    ),
    *rows(
        "theory/laws/mean_at_step.py",
        f"{MEAN}test_the_proof_of_growth_begins_at_time_zero_where_it_can",
        ("growth begins at once or nowhere", "LATER = (0, 1, 2, 4, 8, 16, 32, 64)", "LATER = (0,)"),
        ("growth begins anywhere", "for windows in (begun, range(", "for windows in (range("),
    ),
    *rows(
        "theory/laws/from_time_zero.py",
        f"{MEAN}test_what_the_first_update_takes_and_noise_brings_back",
        (
            "noise does not reach what starts do not",
            "grown = known.beside(moved, point - points[target])",
            "grown = known.beside(moved)",
        ),
        ("what is reached in part is reached", "    if len(whole) == count:\n", "    if whole:\n"),
    ),
    *rows(
        "theory/laws/step_signs.py",
        f"{STEPS}test_runs_from_time_zero_and_runs_under_way",
        ("runs from time zero are runs under way", "inner = from_time_zero(system, alpha)", "inner = None"),
    ),
    *rows(
        "analysis/at_step.py",
        f"{STEPS}test_runs_from_time_zero_and_runs_under_way",
        (
            "nothing is said of runs under way",
            "under_way = found.under_way if found.differ else None",
            "under_way = None",
        ),
    ),
    *rows(
        "analysis/at_step.py",
        f"{STEPS}test_paths_of_runs_under_way_are_called_that",
        ("simulated paths are those from time zero", "if paths is not None and found.is_confined:", "if False:"),
    ),
    *rows(
        "analysis/at_step.py",
        f"{STEPS}test_growth_that_counts_runs_under_way_says_so",
        (
            "enclosed growth is from time zero",
            'why = BOUNDED if square == -1 else f"{BOUNDED}; {COUNTED}"',
            "why = BOUNDED",
        ),
        ("early steps undo nothing", 'if first != 0 else "")', 'if False else "")'),
    ),
    *rows(
        "theory/laws/mean_square.py",
        f"{STEPS}test_the_step_that_is_too_large_is_so_from_time_zero",
        ("the step above may undo what grows", "    while not system.is_regular_at(high):", "    while False:"),
    ),
    *rows(
        "algorithms/schedules.py",
        f"{STEPS}test_the_largest_step_of_the_fair_coin_is_certified",
        (
            "certificates speak of an algorithm that the checker does not know",
            "name = update.certified_as",
            "name = update.name",
        ),
    ),
    *rows(
        "analysis/at_step.py",
        f"{STEPS}test_decreasing_steps_that_fall_below_the_certified_ones",
        (
            "the update is one too early",
            "ceil(power(a / near.upto, 1 / p, True) - t0))",
            "ceil(power(a / near.upto, 1 / p, True) - t0) - 1)",
        ),
        ("the power is not inverted", "power(a / near.upto, 1 / p, True)", "power(a / near.upto, p, True)"),
    ),
    *rows(
        "analysis/at_step.py",
        f"{STEPS}test_decreasing_steps_that_do_not_do",
        ("steps with a finite sum are small enough", "if p > 1:", "if p > 2:"),
        (
            "unstable mean dynamics are forgiven",
            'return AtStep(None, 1, 1, None, "", why, kept)',
            'return AtStep(None, -1, -1, -1, "", why, kept)',
        ),
        ("Assumption 1 is not asked", 'why = "" if 2 * p > 1 else', 'why = "" if p > 0 else'),
    ),
    *rows(
        "reports/step_words.py",
        f"{STEPS}test_no_in_one_sense_is_no",
        (
            "mean square that grows is small enough",
            "if 1 in (found.mean, found.mean_square, found.paths):",
            "if found.mean == 1:",
        ),
    ),
    *rows(
        "analysis/advice/effects.py",
        f"{EFFECTS}test_a_change_is_recommended_from_a_twentieth_on",
        ("a twentieth of the square", "(1 - MATTERS) ** 2 * before.lower", "(1 - MATTERS) * before.lower"),
        ("a twentieth itself matters", "after.upper < (1", "after.upper <= (1"),
    ),
    *rows(
        "analysis/advice/effects.py",
        f"{EFFECTS}test_what_is_judged_is_the_error_of_averages",
        ("the variance is left out", "row.error.upper + row.variance.upper / STEPS", "row.error.upper"),
    ),
    *rows(
        "analysis/advice/effects.py",
        f"{EFFECTS}test_what_is_not_stable_is_not_recommended",
        ("an unstable schedule is recommended", "for row in rows if _stable(row) and", "for row in rows if"),
    ),
    *rows(
        "analysis/advice/effects.py",
        f"{EFFECTS}test_effects_in_words",
        ("an effect of the wrong sign", "percent(1 - ratio)", "percent(ratio - 1)"),
        ("squares for roots", "ratio = sqrt(ratio) if root else ratio", "ratio = ratio"),
    ),
    *rows(
        "analysis/advice/effects.py",
        f"{EFFECTS}test_how_many_steps_tell_a_smaller_error",
        (
            "the smaller variance",
            "max(best.variance.upper, other.variance.upper)",
            "min(best.variance.upper, other.variance.upper)",
        ),
    ),
    *rows(
        "analysis/advice/answer.py",
        f"{EFFECTS}test_how_many_steps_tell_a_smaller_error",
        ("too few steps are enough", '"" if steps <= STEPS else', '"" if steps >= STEPS else'),
    ),
    *rows(
        "theory/laws/averages.py",
        "theory/test_averages.py::test_it_is_the_mean_over_all_paths",
        ("the horizon is off by one", "T = t + 1", "T = t + 2"),
        ("the sum is behind by a step", "(X + Y[:, theta])[chain.source]", "X[chain.source]"),
        ("the cross terms once", "squares + both + both.T +", "squares + both +"),
    ),
    *rows(
        "theory/laws/averages.py",
        "theory/test_averages.py::test_it_ends_where_work_does",
        ("half of the multiplications are not counted", "transitions * 4.0 * last", "transitions * 2.0 * last"),
    ),
    *rows(
        "analysis/simulated_runs.py",
        "claims/test_model_simulation.py::test_an_exact_law_is_asked_for_up_to_the_bound_on_work",
        ("a law of one transition is refused", "if most < 1:", "if most < 2:"),
    ),
    *rows(
        "analysis/averages.py",
        "theory/test_averages.py::test_first_order_is_drawn_from_where_it_holds",
        ("one crossing is agreement", "if first is not None and first * STRETCH <= self.times[-1] else None", ""),
        ("the first agreement for the last", "in reversed(list(zip(", "in (list(zip("),
    ),
    *rows(
        "analysis/simulated_runs.py",
        "claims/test_model_simulation.py::test_the_horizon_the_runs_and_the_quantiles_are_those_asked_for",
        ("the usual quantiles", "for q in asked.quantiles)", "for q in (0.1, 0.9))"),
    ),
    *rows(
        "analysis/request.py",
        "claims/test_model_simulation.py::test_the_horizon_the_runs_and_the_quantiles_are_those_asked_for",
        ("the horizon is not among the times", "if t < self.updates), self.updates)", "if t < self.updates),)"),
    ),
    *rows(
        "theory/laws/moments.py",
        "claims/test_model_simulation.py::test_the_band_that_is_drawn",
        ("a band of variances", "max(0.0, square - mean**2) ** 0.5", "max(0.0, square - mean**2)"),
    ),
    *rows(
        "analysis/simulated_runs.py",
        "claims/test_model_simulation.py::test_the_band_that_is_drawn",
        ("the band is not about the fixed point", "shift[:-1, -1] = self.point", "shift[:-1, -1] = 0"),
    ),
    *rows(
        "reports/analysis_terminal.py",
        "reports/test_analysis_terminal.py::test_the_longest_answer_has_forty_lines",
        ("nothing is cut", "left = max(self.kept, len(self.lines) - by)", "left = len(self.lines)"),
        ("lines of the command are forgotten", "(LINES - BEHIND)", "LINES"),
    ),
    *rows(
        "reports/analysis_terminal.py",
        "reports/test_analysis_terminal.py::test_claims_that_say_nothing_about_the_model_are_left_out",
        ("what holds for every model is told", "or claim.id in _telling()]", "or True]"),
        (
            "what is open comes last",
            "(min(order.index(one.verdict.status), 2), one.id not in MAIN)",
            "(one.id not in MAIN,)",
        ),
    ),
    *rows(
        "reports/terminal.py",
        "reports/test_analysis_terminal.py::test_no_two_signs_become_one_where_letters_are_few",
        ("refuted is printed as undecided", '"✗": "x"', '"✗": "?"'),
    ),
    *rows(
        "sims/phases/cells.py",
        "claims/test_model_diagram.py::test_over_steps_the_mean_is_that_of_the_step",
        (
            "the mean dynamics for the mean at a step",
            "if grid.step_at is None:\n        return",
            "if True:\n        return",
        ),
        (
            "the usual step in every cell",
            "return self.alpha if self.step_at is None else self.step_at(x, value)",
            "return self.alpha",
        ),
    ),
)
