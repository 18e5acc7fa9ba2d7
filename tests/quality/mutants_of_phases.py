"""Mutants of Baird's star, GTD(λ) and the phase diagrams: symbols, signs of paths, cells and boundaries."""

from __future__ import annotations

from tests.quality.edits import rows

TABLE = (
    *rows(
        "sims/phases/cells.py",
        "claims/test_model_diagram.py::test_what_a_schedule_or_a_memory_leaves_open_is_undecided_and_says_why",
        (
            "a schedule that an update does not know is passed over",
            "    if note:\n        return _Exact",
            "    if False:\n        return _Exact",
        ),
    ),
    *rows(
        "sims/phases/cells.py",
        "claims/test_phases.py::test_tables_decide_as_windows_do",
        ("growing means die out", "MeanDynamics.UNSTABLE: 1", "MeanDynamics.UNSTABLE: -1"),
    ),
    *rows(
        "sims/phases/cells.py",
        "claims/test_model_diagram.py::test_the_mean_at_a_step_that_enters_in_any_way",
        ("no mean at the step itself", "mean = mean_signs(system, alpha).under_way", "mean = None"),
    ),
    *rows(
        "sims/phases/cells.py",
        "claims/test_model_diagram.py::test_the_mean_over_steps_is_the_sum_over_states",
        ("growth in a cell has any start", "    if 1 in (exact.mean, exact.square):\n", "    if False:\n"),
    ),
    *rows(
        "sims/growth_of_tables.py",
        "sims/test_lyapunov.py::test_tables_grow_as_the_kernel_of_the_four_does",
        ("the memory without its constant part", "memory[-1] += [(i, found.M,", "memory[-1] += [(i, i,"),
        ("the contexts stand still", "h, s = terms.target[e], walk", "h, s = h, walk"),
        ("a change without its memory", "terms.change_x[k] * m[entry] * y", "terms.change_x[k] * y"),
    ),
    *rows(
        "theory/laws/second_moment_sign.py",
        "theory/test_second_moment_sign.py::test_a_trace_without_a_bound_is_never_called_bounded",
        ("bounded, though paths were left out", "moments.is_whole and _positive(X", "_positive(X"),
    ),
    *rows(
        "theory/laws/second_moment_sign.py",
        "theory/test_second_moment_sign.py::test_what_is_missing_of_a_trace_is_counted",
        (
            "what is missing of a trace is not counted",
            " and _despite_unknown(moments, X, B, plain, alpha, decrease, radius)",
            "",
        ),
    ),
    *rows(
        "theory/laws/second_moment_sign.py",
        "theory/test_second_moment_sign.py::test_a_family_that_is_said_to_shrink_does_so_whatever_is_unknown",
        (
            "cross terms of what is unknown are left out",
            "_positive(decrease - more, radius",
            "_positive(decrease, radius",
        ),
    ),
    *rows(
        "theory/laws/second_moment_sign.py",
        "theory/test_second_moment_sign.py::test_what_is_unknown_of_one_window",
        ("squares of what is unknown are left out", " + free[:, None, None] * np.eye(moments.size)", ""),
        ("squares of what is unknown without their cross terms", "size * (e * e + e / loose)", "size * (e * e)"),
    ),
    *rows(
        "theory/engine/near_nodes.py",
        "theory/test_second_moment_sign.py::test_every_trace_lies_within_the_radius_of_its_node",
        ("a distance from the centre is forgotten after a step", "factor * r[source] + apart", "apart"),
        (
            "a trace lies where its centre does",
            "off = np.abs(parts[0] + parts[1] - parts[2])",
            "off = 0 * np.abs(parts[0])",
        ),
    ),
    *rows(
        "theory/engine/near_nodes.py",
        "theory/test_second_moment_sign.py::test_the_matrix_at_a_node_is_off_by_at_most_what_is_said",
        (
            "the matrix is off in one block",
            "sum(axis=1).max(axis=1) * N.sum(axis=2).max(axis=1)",
            "max(axis=(1, 2)) ** 2",
        ),
        ("the second step does not count", "* weight * ratios[which]", "* weight * ratios[0]"),
    ),
    *rows(
        "theory/engine/second_moments.py",
        "theory/test_second_moment_sign.py::test_a_trace_without_a_bound_is_never_called_bounded",
        ("the last nodes are used", "np.full(len(more), np.inf)", "np.full(len(more), 0.0)"),
    ),
    *rows(
        "theory/engine/near_nodes.py",
        "theory/test_second_moment_sign.py::test_the_missing_part_is_bounded_by_the_true_one",
        ("the series of what is missing without its end", "UP * total / (1 - largest)", "UP * total"),
        (
            "the smallest product in place of the largest",
            "(products[:, None] * factor).max(axis=0)",
            "(products[:, None] * factor).min(axis=0)",
        ),
    ),
    *rows(
        "theory/laws/second_moment_sign.py",
        "theory/test_second_moment_sign.py::test_positive_definiteness_is_claimed_only_with_room_for_the_radii",
        ("no room made for the radii", "* R.sum(axis=2)", "* 0 * R.sum(axis=2)"),
    ),
    *rows(
        "theory/laws/second_moment_sign.py",
        "theory/test_second_moment_sign.py::test_norms_are_bounds",
        ("the norm of the fourth power for that of the eighth", "** 0.125", "** 0.25"),
    ),
    *rows(
        "theory/laws/second_moment_sign.py",
        "theory/test_second_moment_sign.py::test_the_operator_is_the_exact_one",
        (
            "B X Bᵀ for BᵀXB",
            "B.transpose(0, 2, 1) @ (X[self.target] @ B)",
            "B @ (X[self.target] @ B.transpose(0, 2, 1))",
        ),
        ("X of the window that is left", "(X[self.target] @ B)", "(X[self.source] @ B)"),
    ),
    *rows(
        "theory/identities/baird_star.py",
        "theory/test_identities_star.py::test_positivity_below_one_sees_roots",
        ("a polynomial without a root in [0, 1] may be negative", "polynomial.eval(0) > 0 and ", ""),
        ("roots between are not counted", " and polynomial.count_roots(0, 1) == 0", ""),
    ),
    *rows(
        "theory/identities/baird_star.py",
        "theory/test_identities_star.py::test_hurwitz_determinants_see_a_complex_pair_that_grows",
        ("Δ_3 without a_1² a_4", " - a[1] * a[1] * a[4]", ""),
    ),
    *rows(
        "theory/identities/baird_star.py",
        "theory/test_identities_star.py::test_hurwitz_determinants_know_the_signs_of_the_roots",
        ("the last determinant forgotten", "[a[1], second, third, a[4] * third][:m]", "[a[1], second, third][:m]"),
    ),
    *rows(
        "theory/check/critical_discount.py",
        "theory/test_identities_star.py::test_the_boundary_against_eigenvalues_and_the_exact_verdict_on_both_sides",
        ("κ of λ without end turned over", "kappa / (1 - lam + lam * kappa)", "kappa / (1 - lam * kappa)"),
        ("κ shifted by one step", "(-kappa, *return_weights", "(-kappa, Fraction(0), *return_weights"),
    ),
    *rows(
        "theory/model/key_matrices.py",
        "theory/test_identities_star.py::test_the_correction_of_gtd_lambda_without_its_one_minus_lambda_is_told_apart",
        ("GTD(λ) without 1 − λ", "(keys.Phi.T @ moved).T.scaled(1 - keys.tail)", "(keys.Phi.T @ moved).T"),
    ),
    *rows(
        "theory/model/gallery.py",
        "theory/test_identities_star.py::test_seven_features_have_the_inner_products_of_eight",
        ("the turn is a reflection", "turn = ((20, 4), (-4, 20))", "turn = ((20, 4), (4, 20))"),
    ),
    *rows(
        "sims/experiments/gtd_lambda.py",
        "sims/test_lyapunov.py::test_the_kernel_follows_gtd_lambda_as_printed",
        ("terms: GTD(λ) without 1 − λ", "scheduled(TDC), lam - 1", "scheduled(TDC), Fraction(-1)"),
        ("terms: GTD(λ) corrects along x", "Term(0, 0, 1, PHI, TRACE, size)", "Term(0, 0, 1, PHI, TRACE, 0 * size)"),
    ),
    *rows(
        "algorithms/gtd_lambda.py",
        "sims/test_gtd_lambda.py::test_its_mean_update_is_the_derived_matrix",
        ("GTD(λ) corrects along φ_t", "(z @ w) * t.phi_next)", "(z @ w) * t.phi)"),
        ("w of GTD(λ) never forgets", "(gain - (t.phi @ w) * t.phi)", "gain"),
    ),
    *rows(
        "sims/growth_signs.py",
        "sims/test_signs.py::test_the_error_is_split_over_rounds_and_questions",
        ("rounds are for free", "(len(questions) * len(rounds))", "len(questions)"),
        ("questions are for free", "(len(questions) * len(rounds))", "len(rounds)"),
        ("every round asks everything", "open_ones[: plan.most]", "open_ones"),
    ),
    *rows(
        "sims/growth_signs.py",
        "sims/test_signs.py::test_a_statement_agrees_only_with_every_sign",
        ("one sign is enough", "return all(path.sign == sign", "return any(path.sign == sign"),
        ("an open sign agrees", "path.sign == sign for", "path.sign in (sign, None) for"),
    ),
    *rows(
        "theory/laws/phase_cell.py",
        "claims/test_phases.py::test_signs_are_those_of_the_quotient",
        ("the mean without the weight of the quotient", "if reduced.is_full else algorithm", "if True else algorithm"),
    ),
    *rows(
        "sims/phases/cells.py",
        "claims/test_phases.py::test_a_boundary_spans_what_is_undecided",
        ("undecided is a sign of its own", "strict=True) if sign is not None]", "strict=True)]"),
    ),
    *rows(
        "sims/phases/cells.py",
        "claims/test_phases.py::test_an_undecided_sign_is_never_a_boundary",
        (
            "undecided paths are said to grow",
            'if path is None:\n        return "growth_open" if 1 in (mean, square) else "undecided"',
            "if path is None:\n        path = 1",
        ),
    ),
    *rows(
        "sims/phases/cells.py",
        "claims/test_phases.py::test_the_boundary_of_the_mean_is_bisected_to_the_known_one",
        ("bisection keeps the wrong half", "if sign == left else", "if sign != left else"),
    ),
    *rows(
        "sims/phases/cells.py",
        "claims/test_phases.py::test_categories",
        ("a mean that grows is ignored", 'return "paths_grow" if mean == -1 else "diverges"', 'return "paths_grow"'),
        ("growth is drawn as undecided", 'return "growth_open" if 1 in (mean, square) else', "return"),
        ("what is undecided is drawn as dying out", 'if mean == square == -1 else "open"', "if True else None"),
    ),
    *rows(
        "analysis/model_diagram.py",
        "claims/test_model_diagram.py::test_the_axis_goes_around_the_models_own_discount",
        ("the model's own discount left out", "{*DISCOUNTS, own}", "{*DISCOUNTS}"),
    ),
    *rows(
        "reports/phase_plot.py",
        "reports/test_phase_plot.py::test_places_among_columns",
        ("places from the wrong column", "return left + (x - a) / (b - a)", "return left + (b - x) / (b - a)"),
    ),
    *rows(
        "verification/verify.py",
        "quality/test_deciding.py::test_facts_about_the_models_of_an_experiment",
        ("a fact that fails is overlooked", "if fact.verdict.status is Status.REFUTED:", "if False:"),
        ("an open fact is overlooked", "elif fact.verdict.status is not Status.HOLDS or not", "elif False and"),
    ),
)

ALWAYS = {
    "roots between are not counted",
    "Δ_3 without a_1² a_4",
    "κ of λ without end turned over",
    "GTD(λ) without 1 − λ",
    "the turn is a reflection",
    "rounds are for free",
    "one sign is enough",
    "undecided is a sign of its own",
    "the mean without the weight of the quotient",
    "a fact that fails is overlooked",
}
"""Run by the default profile; the others take longer than they are worth every day."""
MUTANTS = tuple(mutant for mutant in TABLE if mutant.what in ALWAYS)
MORE = tuple(mutant for mutant in TABLE if mutant.what not in ALWAYS)
