"""Mutants of enclosures: a rounding, a radius or a condition that is not counted.

``MORE`` are those of the thorough profile."""

from __future__ import annotations

from tests.quality.edits import rows

MUTANTS = (
    *rows(
        "theory/arithmetic/float_enclosures.py",
        "theory/test_midrad.py::test_results_on_members_are_inside",
        ("the product of two radii forgotten", "rounding + other.rad, Y + other.rad", "rounding + other.rad, Y"),
    ),
    *rows(
        "theory/arithmetic/float_enclosures.py",
        "theory/test_midrad.py::test_roundings_are_counted",
        ("a matrix product without roundings", "rounding, few = gamma(k)", "rounding, few = 0.0"),
    ),
    *rows(
        "theory/enclose/dense_law.py",
        "theory/test_enclosed_law.py::test_the_bound_covers_rates_known_only_roughly",
        ("what is known of the rates forgotten", "eta = 2 * (m - 1) * Fraction(given)", "eta = 0 * Fraction(given)"),
    ),
    *rows(
        "theory/enclose/definite.py",
        "theory/test_enclosed.py::test_the_factor_has_to_leave_more_than_the_radii",
        ("any factor proves definiteness", "return bool(np.all(F.lower.diagonal() > off.row_sums))", "return True"),
    ),
    *rows(
        "theory/enclose/definite.py",
        "theory/test_enclosed.py::test_thin_margins_are_decided_with_the_precision_that_is_named",
        ("a form near zero is taken for negative", "if form.upper[0, 0] <= 0:", "if form.lower[0, 0] <= 0:"),
    ),
    *rows(
        "theory/enclose/mean_matrix.py",
        "theory/test_enclosed.py::test_dependent_columns_do_not_hide_that_the_rest_is_unstable",
        ("the quotient without its weight", "B = A if W is None else W @ A", "B = A"),
        (
            "on the quotient all is stable",
            "MeanDynamics.STABLE, MeanDynamics.STABLE_MODULO_NULL_SPACE",
            "MeanDynamics.STABLE, MeanDynamics.STABLE",
        ),
    ),
    *rows(
        "theory/enclose/mean_matrix.py",
        "theory/test_enclosed.py::test_lyapunov_matrices_decide_where_A_is_not_definite",
        ("any trace is positive", "grows, most = mean > 0", "grows, most = mean < 0"),
        ("an indefinite Lyapunov matrix is stable", 'return positive_definite(P, "", bits).holds', "return True"),
    ),
    *rows(
        "theory/enclose/mean_matrix.py",
        "theory/test_enclosed.py::test_bits_that_cannot_help_are_not_named",
        ("bits are named for ever", "2 * FLOAT_BITS if bits == FLOAT_BITS else None", "2 * bits"),
    ),
    *rows(
        "theory/check/hypotheses.py",
        "claims/test_second_moments.py::test_signs_of_features_matter_only_where_the_moment_is_said_to_be_infinite",
        ("signs are asked where they do not matter", "negative and not has_second_moments(", "negative and not ("),
    ),
    *rows(
        "claims/trace_variance.py",
        "claims/test_second_moments.py::test_a_negative_lambda_cancels_as_well",
        ("a negative λ has no signs", "if lam < 0 or not all(", "if not all("),
    ),
)

SPECTRA = (
    *rows(
        "theory/check/spectrum.py",
        "theory/test_spectrum.py::test_eigenvalues_right_of_a_line_are_counted",
        ("a test vector that proves nothing", "if not (distances * y * (1 - 2 * UNIT) > sums).all():", "if False:"),
        ("a vector of any sign", "and (y > 0).all()):", "and True):"),
        ("left of the line counted", "(self.real_parts > c).sum()", "(self.real_parts < c).sum()"),
    ),
    *rows(
        "theory/check/spectrum.py",
        "theory/test_spectrum.py::test_every_member_is_enclosed",
        ("the remainder without its radius", "E.largest**2", "E.mid**2"),
        ("any count will do above", "found.right_of(top + step) == 0)", "found.right_of(top + step) is None)"),
        ("the ends rounded inward", "return -_above(-lower), _above(upper)", "return _above(lower), -_above(-upper)"),
    ),
    *rows(
        "theory/check/spectrum.py",
        "theory/test_spectrum.py::test_where_vectors_say_little_lyapunov_is_asked",
        ("Lyapunov's answer is not asked for", "for part in ASKED_PARTS:", "for part in ():"),
    ),
    *rows(
        "theory/check/spectrum.py",
        "theory/test_spectrum.py::test_random_matrices_are_resolved",
        ("a pair with its parts swapped", "np.where(b < 0, -vectors.imag", "np.where(b < 0, vectors.imag"),
    ),
    *rows(
        "theory/check/spectrum.py",
        "theory/test_spectrum.py::test_a_triangular_matrix_is_no_harder_than_its_diagonal",
        ("one decomposition of the whole", 'connection="strong"', 'connection="weak"'),
    ),
    *rows(
        "theory/check/spectrum.py",
        "theory/test_spectrum.py::test_gradient_methods_on_small_models",
        (
            "G on the quotient without its weight",
            "below=zero, corner=W) @ G",
            "below=zero, corner=W.identity(len(W.mid))) @ G",
        ),
        ("TDC on the quotient without its weight", "if W is None else W.solve(inverse)", ""),
        (
            "the ends of an inverse swapped",
            "(np.nextafter(-1 / low, -np.inf)), float(np.nextafter(-1 / high",
            "(np.nextafter(-1 / high, -np.inf)), float(np.nextafter(-1 / low",
        ),
    ),
)

MORE = (
    *SPECTRA,
    *rows(
        "theory/arithmetic/float_enclosures.py",
        "theory/test_midrad.py::test_aligned_corners_leave_no_room_for_a_missing_term",
        ("the right factor's radius forgotten", "left, right = Y * rounding + other.rad", "left, right = Y * rounding"),
        ("relative radii forgotten", "(rounding + rho + sigma + rho * sigma)", "(rounding)"),
    ),
    *rows(
        "theory/arithmetic/float_enclosures.py",
        "theory/test_midrad.py::test_results_on_members_are_inside",
        ("underflow not counted", "return count * len(factors) * _LOST * max(largest, 1.0)", "return 0.0"),
        ("an entry-wise product without rounding", "np.abs(product) * UNIT + self.rad", "self.rad"),
        ("a sum without rounding", "rounding = np.abs(mid) * UNIT", "rounding = np.abs(mid) * 0.0"),
    ),
    *rows(
        "theory/arithmetic/float_enclosures.py",
        "theory/test_midrad.py::test_a_singular_member_is_never_solved_with",
        ("nearly inverse is good enough", "if not float(np.max(norms, initial=0.0)) < 1.0:", "if False:"),
    ),
    *rows(
        "theory/arithmetic/float_enclosures.py",
        "theory/test_midrad.py::test_solve_contains_and_is_tight",
        ("the system's radius forgotten", "rad = self.rad @ X + right.rad", "rad = right.rad"),
    ),
    *rows(
        "theory/enclose/dense_law.py",
        "theory/test_enclosed_law.py::test_blocks_of_every_length",
        ("a block without its matrix product", "+= a[:low, low:high]", "+= 0 * a[:low, low:high]"),
        ("the sharper radius with the other midpoint", "np.where(better, other.mid, law.mid)", "law.mid + law.rad"),
    ),
    *rows(
        "theory/enclose/definite.py",
        "theory/test_enclosed.py::test_thin_margins_are_decided_with_the_precision_that_is_named",
        ("no shift before the factor", "shift = 1.5 * noise", "shift = 0.0"),
        ("the Schur complement with the wrong sign", "- E.T @ B.solve(E)", "+ E.T @ B.solve(E)"),
    ),
    *rows(
        "theory/enclose/dense_class.py",
        "theory/test_enclosed.py::test_dependent_columns_in_floats_are_not_taken_for_independent",
        ("definite without independent columns", "states.holds and self.rank.holds", "states.holds"),
    ),
    *rows(
        "theory/enclose/dense_class.py",
        "theory/test_enclosed.py::test_rates_enclose_the_exact_ones",
        ("the theorem's kernel under missing coverage", "else self.keys(self.model.covered)", "else self.theorem"),
    ),
)
