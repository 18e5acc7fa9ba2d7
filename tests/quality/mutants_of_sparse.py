"""Mutants of the analyses of large sparse models, and of exact trace moments: an error, a condition or a power that is
not counted.

``MORE`` are those of the thorough profile."""

from __future__ import annotations

from tests.quality.edits import rows

SPARSE, EXTREME = "theory/test_sparse.py", "claims/test_extreme_numbers.py"
UPDATES = "theory/test_sparse_updates.py::"

MUTANTS = (
    *rows(
        "theory/engine/sparse_terms.py",
        UPDATES + "test_what_was_before_and_what_turns",
        ("what was before stays", "= 0, rest[now] + power", "= 0, rest[now]"),
        ("φ' is φ", "self.kernel(c) @ X if v == NEXT else", "self.kernel(c) @ X if False else"),
        ("actions as often as each other", 'weighted = value.hadamard(self._policies["mu"])', "weighted = value"),
        (
            "φᵀφ is one",
            "return MidRadMatrix((x.mid * y.mid).sum(axis=1)[:, None],",
            "return MidRadMatrix(0 * x.mid[:, :1] + 1,",
        ),
    ),
    *rows(
        "theory/engine/sparse_regime.py",
        UPDATES + "test_what_was_before_and_what_turns",
        ("no block is transposed", "(mean.T if transposed else mean)", "mean"),
        ("a multiple of y is added to one entry", "part.identity(place.width)", "part.identity(place.width).scaled(0)"),
        (
            "the law for the mass of a number",
            "self._masses.update({slot: Mass(one.mid,",
            "self._masses.update({slot: Mass(0 * one.mid,",
        ),
        (
            "a part that turns is not iterated",
            "self._adjoint(part, links, pending) if links else",
            "self._adjoint(part, [], pending) if links else",
        ),
        (
            "both ahead without the coefficient",
            "return Left(PHI, mass, c), PHI, False",
            "return Left(PHI, mass, ALWAYS), PHI, False",
        ),
    ),
    *rows(
        "theory/engine/sparse_regime.py",
        UPDATES + "test_a_trace_that_nothing_forgets_has_none",
        ("every memory contracts", "if not least > 2.0**-80:", "if False:"),
    ),
    *rows(
        "theory/engine/sparse_regime.py",
        UPDATES + "test_a_trace_that_only_the_end_forgets_has_a_mean",
        ("1 is the only test vector", "least = self._decrease(h, links) if", "least = 0.0 if"),
    ),
    *rows(
        "theory/engine/sparse_regime.py",
        UPDATES + "test_rows_hold_the_exact_ones",
        ("no constant is taken off", "return square - mean.hadamard(mean)", "return square"),
    ),
    *rows(
        "theory/engine/sparse_terms.py",
        UPDATES + "test_what_sparse_arithmetic_does_not_answer_is_said",
        ("as many evaluations as there are", "if count > EVALUATIONS:", "if False:"),
    ),
    *rows(
        "theory/engine/sparse_terms.py",
        UPDATES + "test_a_quotient_of_one_is_told_in_fractions",
        ("what floats do not tell is zero", "        if len(unsure):\n", "        if False:\n"),
        ("every evaluation is the first", "MidRadMatrix(nearest[self.which],", "MidRadMatrix(nearest[0 * self.which],"),
        ("every case is the first", "which[chosen] = len(self.evaluations)", "which[chosen] = 0"),
    ),
    *rows(
        "theory/engine/sparse_terms.py",
        UPDATES + "test_what_sparse_arithmetic_does_not_answer_is_said",
        ("dot products with φ' are not there", "if power and NEXT in DOTS[dot]", "if False"),
    ),
    *rows(
        "theory/enclose/statements.py",
        "theory/test_sparse.py::test_a_margin_is_decided_on_the_model_and_an_equality_by_the_theorem_alone",
        ("what a theorem says is called enclosed", "Status.HOLDS, Grade.PROVED,", "Status.HOLDS, Grade.ENCLOSED,"),
        (
            "open without a theorem, and it holds",
            "if answer.holds is None and asked.theorem:",
            "if answer.holds is None:",
        ),
    ),
    *rows(
        "theory/enclose/statements.py",
        "theory/test_enclosed.py::test_a_hypothesis_that_enclosures_do_not_know_leaves_a_claim_undecided",
        ("an unknown hypothesis holds", "unknown = Conclusion(None,", "unknown = Conclusion(True,"),
    ),
    *rows(
        "theory/enclose/dense.py",
        f"{SPARSE}::test_statements_about_aperiodic_chains_are_decided_in_enclosures",
        ("every dense chain is aperiodic", "set(chain.periods) == {1}", "set(chain.periods) != set()"),
    ),
    *rows(
        "theory/enclose/sparse.py",
        f"{SPARSE}::test_statements_about_aperiodic_chains_are_decided_in_enclosures",
        ("every sparse chain is aperiodic", "set(chain.periods) == {1}", "set(chain.periods) != set()"),
    ),
    *rows(
        "theory/enclose/dense_class.py",
        "theory/test_enclosed.py::test_a_norm_is_bounded_by_signs_on_policy_alone_and_from_the_largest_discount_on",
        ("every bound of a norm holds on-policy", "and q >= norm", "and q >= 0"),
        ("signs off-policy", "norm is not None and model.on_policy and", "norm is not None and"),
    ),
    *rows(
        "theory/enclose/sparse_law.py",
        f"{SPARSE}::test_a_wrong_law_is_never_covered_however_small_its_residual",
        ("a residual is taken for a bound", "total = float((r * test).sum()) / c", "total = float(r.sum())"),
    ),
    *rows(
        "theory/enclose/sparse_law.py",
        "theory/test_sparse_blocks.py::test_the_bound_covers_every_candidate",
        ("the balance of blocks forgotten", "near + float((balance * back).sum()) +", "near +"),
        ("what leaves a block before its state forgotten", " + 2 * float(back.max()) * escaped", ""),
    ),
    *rows(
        "theory/enclose/sparse_law.py",
        "theory/test_sparse_blocks.py::test_what_is_wrong_inside_a_block_counts_where_nothing_escapes",
        ("what stays in a block forgotten", "total = near + float(", "total = float("),
    ),
    *rows(
        "theory/enclose/sparse_law.py",
        "theory/test_sparse_blocks.py::test_vectors_that_prove_nothing_are_not_believed",
        ("escapes need no test vector", " + short * near", ""),
        ("times between blocks need no test vector", "if not min(c_h, c_large) > 2.0**-80:", "if not c_h > 2.0**-80:"),
        ("times inside blocks need no test vector", "if not min(c_h, c_large) > 2.0**-80:", "if c_large < 2.0**-80:"),
        ("a negative law is one", " or (x < 0).any() or len", " or len"),
    ),
    *rows(
        "theory/enclose/sparse_rank.py",
        "theory/test_sparse_rank.py::test_one_row_among_many_makes_columns_independent",
        ("the rank of the rows that floats chose", "for start in range(0, len(states), CHUNK):", "for start in ():"),
        (
            "a row is off only where every entry is",
            "enumerate(rest.rows) if any(row)",
            "enumerate(rest.rows) if all(row)",
        ),
    ),
    *rows(
        "theory/enclose/sparse.py",
        "theory/test_sparse_rank.py::test_what_vanishes_on_the_class_does_not_move_there_and_may_be_independent_elsewhere",
        (
            "dependent on a class, so everywhere",
            "rank if chain.irreducible or rank.holds else _rank_everywhere(model)",
            "rank",
        ),
    ),
    *rows(
        "theory/model/sparse_model.py",
        f"{SPARSE}::test_fractions_are_enclosed_with_their_rounding",
        ("fractions are floats", "return UNIT if key in self.ratios else 0.0", "return 0.0"),
        (
            "floats need not be those of their fractions",
            "if not np.array_equal(part.nearest()",
            "if None is (part.nearest()",
        ),
    ),
    *rows(
        "theory/enclose/sparse.py",
        f"{SPARSE}::test_fractions_are_enclosed_with_their_rounding",
        ("a discount is what it rounds to", 'if exact := model.ratios.get("discount"):', "if exact := None:"),
    ),
    *rows(
        "theory/model/sparse_model.py",
        "theory/test_npz.py::test_fractions_that_are_none_are_told_in_one_sentence",
        (
            "policies are compared in floats",
            "            given\n            and np.array_equal",
            "            False\n            and np.array_equal",
        ),
    ),
    *rows(
        "theory/files/npz.py",
        "theory/test_npz.py::test_fractions_are_read_exactly_rounded_once_and_saved",
        ("an end of episodes keeps its exact features", "exact.p[self.replaced_features] = 0", "pass"),
        ("an end of episodes keeps its exact discount", "exact.p[terminal] = 0", "pass"),
    ),
    *rows(
        "theory/enclose/sparse_value.py",
        f"{SPARSE}::test_a_value_that_is_not_unique_is_not_given",
        ("a test vector need not decrease", "if not c > 2.0**-80:", "if c == 0:"),
    ),
)

ELIMINATION = "theory/test_sparse_elimination.py"

MORE = (
    *rows(
        "theory/enclose/sparse.py",
        "theory/test_sparse_rank.py::test_the_quotient_is_that_of_the_dense_analysis",
        ("the quotient without its weight", "MidRadMatrix.enclosing(depends.T @ depends.T.T)", "inner.A.identity(3)"),
        ("errors without a basis", "distances = errors(basis,", "distances = errors(model,"),
    ),
    *rows(
        "theory/enclose/sparse_elimination.py",
        f"{ELIMINATION}::test_laws_are_within_their_bounds_of_the_exact_ones",
        ("what a part left is not handed on", "+= left.pop(child)", "+= 0 * left.pop(child)"),
        ("entries of the boundary forgotten", "_gather(a.T, into[front.pivots]", "_gather(0 * a.T, into[front.pivots]"),
        ("a block without its matrix product", "+= a[high:, low:high] @ a[low:high, high:]", "+= 0"),
        ("the diagonal summed", "total = fsum(a[k, k + 1 :])", "total = fsum(a[k, k:])"),
        ("the boundary forgotten in the back substitution", "given[k] + inside[k + 1 :]", "inside[k + 1 :]"),
    ),
    *rows(
        "theory/enclose/sparse_elimination.py",
        f"{ELIMINATION}::test_every_state_is_eliminated_once_after_those_that_its_separator_cuts_off",
        ("a graph of one direction", "graph = csr_array(pattern + pattern.T)", "graph = csr_array(pattern)"),
        ("restarts are eliminated like any state", "degrees > max(LEAF, 16 * np.sqrt(n))", "degrees > n"),
        ("boundaries of children forgotten", "*(fronts[child].boundary for child in children)", "*()"),
    ),
    *rows(
        "theory/enclose/sparse_elimination.py",
        f"{ELIMINATION}::test_the_bound_counts_pivots_blocks_children_and_back_substitution",
        ("two roundings for a pivot", "4 * p * (f - 1) - 2 * p * (p - 1)", "2 * p * (f - 1) - p * (p - 1)"),
        ("a block's product without its roundings", "min(k + BLOCK, p) - k + 1) * (f", "0) * (f"),
        ("what children add is not rounded", "len(fronts[child].boundary) for child", "0 for child"),
        ("back substitution without its roundings", "p * (max(f - p, p) + 3)", "0"),
        ("the parts' depth starts anew", "depths[child] = depths[place]", "pass"),
        ("normalising doubles nothing", "eta = 2 * (units + max(depths) + 2)", "eta = (units + max(depths) + 2)"),
        ("given errors forgotten", "eta += 2 * len(given) * worst / (1 - worst)", "pass"),
    ),
    *rows(
        "theory/enclose/sparse_elimination.py",
        f"{ELIMINATION}::test_what_is_too_large_or_leaves_the_range_is_refused",
        ("underflow is not looked at", "if not (min(smallest) >= _NORMAL and", "if not (True or"),
        ("no limit of the work", "work <= WORK and 8 *", "8 *"),
        ("no limit of the memory", "work <= WORK and 8 * entries <= FACTOR_BYTES", "work <= WORK"),
    ),
    *rows(
        "theory/enclose/sparse_matrices.py",
        f"{EXTREME}::test_sums_over_states_count_what_underflow_takes_before_a_large_feature_brings_it_back",
        (
            "underflow before a large feature forgotten",
            "self.law.distance * whole + 2.0**-1040",
            "self.law.distance * whole",
        ),
    ),
    *rows(
        "theory/model/sparse_model.py",
        f"{EXTREME}::test_probabilities_whose_products_leave_the_range_are_refused_not_taken_for_zero",
        ("products of probabilities may vanish", "min(initial=1.0) < 2.0**-1022", "min(initial=1.0) < 0"),
    ),
    *rows(
        "theory/arithmetic/sparse_products.py",
        f"{SPARSE}::test_products_carry_their_errors_and_add_their_roundings",
        ("a sparse product without its roundings", "(X.error + worst * X.largest)", "X.error"),
        ("the errors of a block end at a product", "(X.error + worst * X.largest)", "worst * X.largest"),
    ),
    *rows(
        "theory/model/sparse_model.py",
        f"{SPARSE}::test_kernels_lie_within_their_entry_errors_of_the_exact_ones",
        (
            "policies taken to sum to one",
            "total = gamma(m + 1) + rows + self.policy_error(of)",
            "total = gamma(m + 1) + rows",
        ),
        ("rows taken to sum to one", "transitions[0], rows, discount", "transitions[0], 0 * rows, discount"),
    ),
    *rows(
        "theory/enclose/sparse_law.py",
        f"{SPARSE}::test_rounding_never_makes_a_state_reachable",
        ("roundings under the test vector forgotten", "+ 2 * chain.product_error * t + 2.0**-960", ""),
    ),
    *rows(
        "theory/enclose/sparse_law.py",
        f"{SPARSE}::test_chains_that_mix_too_slowly_are_told_not_guessed",
        ("what no test vector covers is believed", "if distance is None or not distance < 1:", "if distance == -1:"),
    ),
    *rows(
        "theory/enclose/sparse_matrices.py",
        f"{SPARSE}::test_sums_over_states_hold_every_member_of_their_blocks",
        ("errors of a block not summed", "rounding * Y.largest + (1 + rounding) * Y.error", "rounding * Y.largest"),
    ),
    *rows(
        "theory/enclose/sparse.py",
        f"{SPARSE}::test_the_off_policy_norm_is_a_bound_and_decides",
        ("the square of a norm for the norm", "sqrt(float((above / below).max()))", "float((above / below).max())"),
        ("powers start at zero", "for n, w in enumerate(weights, start=1):", "for n, w in enumerate(weights):"),
    ),
    *rows(
        "theory/enclose/sparse.py",
        f"{SPARSE}::test_a_statement_is_not_decided_by_the_theorem_that_it_is",
        (
            "the margin decides Proposition 4.1",
            "negative=found.own,",
            "negative=found.negative,",
        ),
        ("the dynamics without the margin", "    if margin > 0:\n", "    if False:\n"),
    ),
    *rows(
        "theory/enclose/sparse.py",
        f"{SPARSE}::test_off_policy_verdicts_on_both_sides_of_the_singularity",
        ("the margin of the on-policy theorem off-policy", "0.0 if on_policy else -np.inf", "1.0"),
    ),
    *rows(
        "theory/enclose/sparse.py",
        f"{SPARSE}::test_missing_coverage_leaves_the_algorithms_open",
        ("missing coverage overlooked", "if not hypotheses[COVERAGE.id].holds:", "if hypotheses[COVERAGE.id] is None:"),
    ),
    *rows(
        "theory/enclose/sparse.py",
        f"{SPARSE}::test_several_classes_each_have_their_law_and_too_many_are_told",
        ("one class stands for all", "for states in chain.recurrent)", "for states in chain.recurrent[:1])"),
    ),
    *rows(
        "theory/enclose/sparse_value.py",
        f"{SPARSE}::test_the_value_and_the_distances_from_it_are_enclosed",
        ("a squared distance without the square's factor", "inside + MidRad", "inside.scaled(2) + MidRad"),
        ("the projection by A's solution", "(model, law, V, best)", "(model, law, V, theta or best)"),
    ),
    *rows(
        "theory/arithmetic/ball.py",
        "theory/test_balls.py::test_radii_hold_the_rounding_to_floats",
        ("the rounding of a midpoint forgotten", "(x - arb(float(x.mid()))).abs_upper()", "x.rad()"),
    ),
    *rows(
        "theory/arithmetic/ball.py",
        "theory/test_balls.py::test_more_bits_make_smaller_balls_and_the_precision_is_given_back",
        ("the precision is kept", "flint.ctx.prec = saved", "flint.ctx.prec = bits"),
    ),
    *rows(
        "theory/check/trace_law.py",
        "claims/test_second_moments.py::test_the_trace_of_one_state_is_a_number",
        ("λ not raised to the order of the moment", ".scaled(lam**k) for k in", ".scaled(lam) for k in"),
        ("the discount counted once whatever the moment", "for _ in range(power):", "for _ in range(1):"),
    ),
    *rows(
        "theory/laws/long_run_covariance.py",
        "theory/test_longrun.py::test_it_is_what_the_chain_of_windows_gives",
        ("one side of the correlations", "return self.variance + K + K.T", "return self.variance + K + K"),
        (
            "one order of two lags",
            "@ before\n            total = total + cross + cross.T",
            "@ before\n            total = total + cross + cross",
        ),
    ),
    *rows(
        "theory/laws/long_run_covariance.py",
        "theory/test_longrun.py::test_covariances_of_averages_are_told_by_multiplying_back",
        ("any covariance will do", "return noise == J @ X @ J.T", "return True"),
        ("no covariance for singular means is none asked", "    if J.rank < J.shape[0]:\n", "    if False:\n"),
    ),
)
