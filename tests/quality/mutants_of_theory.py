"""Mutants of the theory: sign flips, index shifts, factors dropped, transposes forgotten, inequalities weakened."""

from __future__ import annotations

from tests.quality.edits import rows

MUTANTS = (
    *rows(
        "theory/model/key_matrices.py",
        "theory/test_known_answers.py::test_absorbing_pair",
        ("A without D", "self.K_Phi.scale_rows(self.d)", "self.K_Phi"),
        ("A with M + I", "return self.M(X) - X", "return self.M(X) + X"),
        ("A with I − M", "return self.M(X) - X", "return X - self.M(X)"),
        ("A with M alone", "return self.M(X) - X", "return self.M(X)"),
        ("the last step of M missing", "result = N @ X\n", "result = X\n"),
    ),
    *rows(
        "theory/model/key_matrices.py",
        "theory/test_known_answers.py::test_flip_chain",
        ("b without D", "self.S(self.r).scale_rows(self.d)", "self.S(self.r)"),
        ("b with the wrong sign", "return self.Phi.T @ self.S(self.r)", "return -self.Phi.T @ self.S(self.r)"),
        ("b with M r for S r", "self.S(self.r).scale_rows(self.d)", "self.M(self.r).scale_rows(self.d)"),
        ("θ* with the wrong sign", "self.A.solve(self.b.scaled(-1))", "self.A.solve(self.b)"),
        ("θ* through C for A", "self.A.solve(self.b.scaled(-1))", "self.C.solve(self.b.scaled(-1))"),
        ("1 + λ for 1 − λ in a step of M", "X.scaled(1 - lam)", "X.scaled(1 + lam)"),
        (
            "λ and 1 − λ swapped in a step of M", "X.scaled(1 - lam) + inner.scaled(lam)",
            "X.scaled(lam) + inner.scaled(1 - lam)",
        ),
        ("a step of M without N", "return N @ (X.scaled(1 - lam)", "return (X.scaled(1 - lam)"),
        ("the λ's of M shifted by one", "for lam in reversed(lambdas):", "for lam in reversed(lambdas[1:]):", 1),
        ("the last λ dropped", "lambdas=model.schedule.lambdas,", "lambdas=model.schedule.lambdas[:-1],"),
    ),
    *rows(
        "theory/model/key_matrices.py",
        "theory/test_key_matrices.py::test_endless_schedule_with_symbols",
        ("b without S, the one-step reward alone", "self.S(self.r).scale_rows(self.d)", "self.r.scale_rows(self.d)"),
        (
            "λ without end: S with I + λN", "result = (N.identity(N.shape[0]) - N.scaled(tail)).solve(X)",
            "result = (N.identity(N.shape[0]) + N.scaled(tail)).solve(X)",
        ),
        ("λ without end: M without 1 − λ", "solve(result.scaled(1 - tail))", "solve(result)"),
        (
            "λ without end: N for λN", "(N.identity(N.shape[0]) - N.scaled(tail)).solve(result",
            "(N.identity(N.shape[0]) - N).solve(result",
        ),
    ),
    *rows(
        "theory/model/key_matrices.py",
        "theory/test_known_answers.py::test_fair_coin_chain_is_negative_at_gamma_one",
        ("C without D", "self.Phi.T @ self.Phi.scale_rows(self.d)", "self.Phi.T @ self.Phi"),
    ),
    *rows(
        "theory/model/key_matrices.py",
        "theory/test_known_answers.py::test_boyan_chain_fixed_point",
        ("θ* through Aᵀ", "self.A.solve(self.b.scaled(-1))", "self.A.T.solve(self.b.scaled(-1))"),
        ("a step of S subtracted", "return X + (N @ inner).scaled(lam)", "return X - (N @ inner).scaled(lam)"),
        ("a step of S without N", "return X + (N @ inner).scaled(lam)", "return X + inner.scaled(lam)"),
        ("a step of S without λ", "return X + (N @ inner).scaled(lam)", "return X + (N @ inner)"),
        ("the λ's of S in reverse", "for lam in reversed(lambdas):", "for lam in lambdas:", 0),
        ("the λ's of M in reverse", "for lam in reversed(lambdas):", "for lam in lambdas:", 1),
        ("the λ's of S shifted by one", "for lam in reversed(lambdas):", "for lam in reversed(lambdas[1:]):", 0),
    ),
    *rows(
        "theory/model/doubling.py",
        "theory/test_doubling.py::test_every_length_of_a_run",
        ("H doubled without m G", "second + geometric.scaled(reached) + power @ second", "second + power @ second"),
        ("an odd length of a run loses a step", 'if bit == "1":', "if False:"),
        ("harmonic weights one off", "geometric.scaled((q - m + 1) / q)", "geometric.scaled((q - m) / q)"),
        ("what follows a harmonic run unweighted", "(power @ inner).scaled((q - m) / q)", "(power @ inner)"),
    ),
    *rows(
        "theory/model/key_matrices.py",
        "theory/test_doubling.py::test_long_schedules_take_the_short_way_and_mean_the_same",
        ("M doubled without X", "return X + self.S(self.N @ X - X)", "return self.S(self.N @ X - X)"),
    ),
    *rows(
        "theory/model/key_matrices.py",
        "quality/test_killers.py::test_D_I_minus_M_of_the_flip_chain",
        ("D(I − M) with the wrong sign", ".scaled(-1).scale_rows(self.d)", ".scale_rows(self.d)"),
        ("D(I − M) without D", ".scaled(-1).scale_rows(self.d)", ".scaled(-1)"),
    ),
    *rows(
        "theory/model/key_matrices.py",
        "theory/test_known_answers.py::test_theta_to_two_theta_projected_bellman_error",
        ("J without C⁻¹", "error.T @ self.C.solve(error)", "error.T @ error"),
        ("J with Aθ − b", "self.A @ theta + self.b", "self.A @ theta - self.b"),
    ),
    *rows(
        "theory/model/key_matrices.py",
        "theory/test_key_matrices.py::test_without_coverage_the_theorem_speaks_of_another_matrix",
        (
            "the theorem's matrices through the covered kernel", "_matrices(model, model.target_kernel, states)",
            "_matrices(model, model.covered_kernel, states)",
        ),
        (
            "the algorithm's matrices through the target's kernel",
            "_matrices(model, model.covered_kernel, states)", "_matrices(model, model.target_kernel, states)",
        ),
        ("missing policy mass ignored", "mass=None if full else kernel.mass", "mass=None"),
        ("N − I for N − diag(q)", "self.N @ X - X.scale_rows(self.mass)", "self.N @ X - X"),
    ),
    *rows(
        "theory/model/key_matrices.py",
        "theory/test_known_answers.py::test_baird_eigenvalues_at_gamma_99_hundredths",
        (
            "the law of the target's chain", "d=model.behaviour_chain.stationary_law(states)",
            "d=type(model.behaviour_chain)(model.target_kernel.P).stationary_law(states)",
        ),
    ),
    *rows(
        "theory/model/key_matrices.py",
        "theory/test_key_matrices.py::test_gtd_matrix_is_similar_to_the_papers",
        ("G's C block with the wrong sign", "C.scaled(-eta).block(", "C.scaled(eta).block("),
        ("G's A block with the wrong sign", "right=A.scaled(eta)", "right=A.scaled(-eta)"),
        ("G's Aᵀ block with the wrong sign", "below=-A.T", "below=A.T"),
        ("G's lower block without its transpose", "below=-A.T", "below=-A"),
        ("η left out beside A in G", "right=A.scaled(eta)", "right=A"),
        ("η left out beside C in G", "C.scaled(-eta)", "C.scaled(-1)"),
    ),
    *rows(
        "theory/model/key_matrices.py",
        "theory/test_key_matrices.py::test_tdc_matrix_by_hand",
        ("TDC's matrix with A for Aᵀ", "-(A.T @ C.solve(A))", "-(A @ C.solve(A))"),
        ("TDC's matrix with the wrong sign", "return -(A.T @ C.solve(A))", "return A.T @ C.solve(A)"),
        ("TDC's matrix with C for C⁻¹", "-(A.T @ C.solve(A))", "-(A.T @ C @ A)"),
    ),
    *rows(
        "theory/model/key_matrices.py",
        "theory/test_key_matrices.py::test_no_value_without_discount",
        ("the value with I + N", "kernel.N.identity(model.n) - kernel.N", "kernel.N.identity(model.n) + kernel.N"),
    ),
    *rows(
        "theory/model/key_matrices.py",
        "theory/test_known_answers.py::test_random_chain_restarts_and_is_off_policy",
        (
            "the value under the behaviour policy", "    kernel = model.target_kernel\n",
            "    kernel = model._kernel(model.behaviour)\n",
        ),
    ),
    *rows(
        "theory/model/schedule.py",
        "theory/test_schedule.py::test_equal_weights_3_5_as_printed_in_section_2_1",
        ("c with 1 − λ", "weights.append(weights[-1] * lam)", "weights.append(weights[-1] * (1 - lam))"),
        (
            "c shifted by one", "for lam in lambdas:\n        weights.append",
            "for lam in lambdas[1:]:\n        weights.append",
        ),
        ("1 + λ in Λ", "weights[j] * (1 - padded[j])", "weights[j] * (1 + padded[j])"),
        ("Λ's diagonal one place off", "(weights[i] if j == i", "(weights[i + 1] if j == i"),
        ("Λ cut before its diagonal", "if j < i else (weights[i]", "if j < i - 1 else (weights[i]"),
        ("EqualWeights: n2 − i for n2 − i + 1", "1 - Fraction(1, n2 - i + 1)", "1 - Fraction(1, n2 - i + 2)"),
        ("EqualWeights starts one late", "for i in range(n1, n2 + 1)", "for i in range(n1 + 1, n2 + 1)"),
        ("EqualWeights with one 1 too many", "ones = (Fraction(1),) * (n1 - 1)", "ones = (Fraction(1),) * n1"),
    ),
    *rows(
        "theory/model/schedule.py",
        "theory/test_schedule.py::test_equal_weights_gives_each_return_the_same",
        ("w with the wrong sign", "weights[k] - weights[k + 1]", "weights[k + 1] - weights[k]"),
        ("w without what is left for the last return", "+ [weights[-1]]", "+ [Fraction(0)]"),
        ("weights to λ's: 1 − λ", "lambdas.append(1 - weight / tail", "lambdas.append(weight / tail"),
        ("weights to λ's: not divided by what is left", "1 - weight / tail if tail", "1 - weight if tail"),
        ("weights to λ's: one weight too many", "for weight in weights[:-1]:", "for weight in weights[1:]:"),
    ),
    *rows(
        "theory/model/schedule.py",
        "theory/test_schedule.py::test_kappa_without_end",
        (
            "κ with γⁿ⁻¹", "enumerate(return_weights(self.lambdas), start=1)",
            "enumerate(return_weights(self.lambdas), start=0)",
        ),
        (
            "κ without end: 1 + λγ", "(1 - self.tail) / (1 - self.tail * gamma)",
            "(1 - self.tail) / (1 + self.tail * gamma)",
        ),
        ("κ without end: γ dropped", "return gamma * (1 - self.tail)", "return (1 - self.tail)"),
    ),
    *rows(
        "theory/model/schedule.py",
        "theory/test_schedule.py::test_constant_schedules",
        ("n-step with one λ too many, as printed", "(Fraction(1),) * (n - 1))", "(Fraction(1),) * n)"),
        ("a constant schedule one too long", "(Fraction(lam),) * length", "(Fraction(lam),) * (length + 1)"),
        (
            "L one too long", "None if self.tail else len(self.lambdas)",
            "None if self.tail else len(self.lambdas) + 1",
        ),
    ),
    *rows(
        "theory/model/schedule.py",
        "theory/test_schedule.py::test_what_follows_a_zero_never_acts",
        ("what follows a zero is kept", "if Fraction(0) in kept:", "if False:"),
    ),
    *rows(
        "theory/model/schedule.py",
        "theory/test_schedule.py::test_what_is_not_a_law_is_refused",
        ("negative weights accepted", "if weight < 0:", "if weight < -1:"),
        ("weights that do not sum to one accepted", "if total != 1:", "if total > 1:"),
    ),
    *rows(
        "theory/model/chain.py",
        "quality/test_killers.py::test_a_class_that_can_be_left_is_transient",
        ("open classes count as recurrent", "all(j in inside for i in states", "any(j in inside for i in states"),
        ("recurrent states listed as transient", "if state not in recurrent", "if state in recurrent"),
    ),
    *rows(
        "theory/model/chain.py",
        "theory/test_known_answers.py::test_absorbing_pair",
        ("weakly connected states form a class", 'connection="strong"', 'connection="weak"'),
        (
            "one recurrent class counts as irreducible", "return len(self.classes) == 1",
            "return len(self.recurrent_classes) == 1",
        ),
    ),
    *rows(
        "theory/model/chain.py",
        "theory/test_chain.py::test_spanning_arborescences_of_irreducible_chains",
        ("the tree towards the root follows the arrows", "predecessors[j].append(i)", "predecessors[i].append(j)", 0),
    ),
    *rows(
        "theory/model/chain.py",
        "theory/test_known_answers.py::test_flip_chain",
        (
            "period: level differences without + 1", "gcd(period, level[i] + 1 - level[j])",
            "gcd(period, level[i] - level[j])",
        ),
    ),
    *rows(
        "theory/model/chain.py",
        "theory/test_chain.py::test_period_of_cycles_through_one_state",
        (
            "period: only the first difference counts", "smaller = gcd(period, level[i] + 1 - level[j])",
            "smaller = period or gcd(period, level[i] + 1 - level[j])",
        ),
        ("period: phases not reduced", "level[s] % period", "level[s]"),
        (
            "period: closed walks end one step early", "(*walk_from_root(i), *home[j])",
            "(*walk_from_root(i), *home[j][:-1])",
        ),
    ),
    *rows(
        "theory/model/chain.py",
        "theory/test_known_answers.py::test_random_walk_with_symmetric_ends",
        (
            "law of the transposed matrix", "integer_rows[i][j] for i in range(m)",
            "integer_rows[j][i] for i in range(m)",
        ),
    ),
    *rows(
        "theory/model/chain.py",
        "theory/test_chain.py::test_stationary_law_with_probabilities_of_very_different_size",
        ("law without its row weights", ", int(solution[k, 0].q)) * weights[k]", ", int(solution[k, 0].q))"),
        (
            "law with PᵀD + D for PᵀD − D", "(weights[i] if i == j else 0) - integer_rows",
            "(weights[i] if i == j else 0) + integer_rows",
        ),
    ),
    *rows(
        "theory/model/chain.py",
        "theory/test_chain.py::test_what_is_not_a_chain_is_refused_in_one_sentence",
        (
            "rows that sum to less than one accepted", "if total != matrix.denominator:",
            "if total > matrix.denominator:",
        ),
        ("negative probabilities accepted", "if entry < 0:", "if entry < -matrix.denominator:"),
    ),
    *rows(
        "theory/model/mdp.py",
        "theory/test_known_answers.py::test_baird_eigenvalues_at_gamma_99_hundredths",
        (
            "the behaviour chain walks the target policy", "Chain(self._kernel(self.behaviour).P)",
            "Chain(self._kernel(self.target).P)",
        ),
        (
            "the target kernel follows the behaviour", "return self._kernel(self.target)\n",
            "return self._kernel(self.behaviour)\n",
        ),
        ("every action weighted like the first", "weights.take(columns=[a])", "weights.take(columns=[0])"),
    ),
    *rows(
        "theory/model/mdp.py",
        "quality/test_killers.py::test_the_covered_kernel_holds_what_the_behaviour_takes",
        ("covered and missing actions swapped", "if (s, a) not in missing", "if (s, a) in missing"),
    ),
    *rows(
        "theory/model/mdp.py",
        "theory/test_known_answers.py::test_absorbing_pair",
        (
            "N without the discount", "_spread(P, G) for P, G in zip(weighted, discounts, strict=True)",
            "P for P in weighted",
        ),
    ),
    *rows(
        "theory/model/mdp.py",
        "theory/test_known_answers.py::test_random_walk_with_symmetric_ends",
        (
            "the discount at the wrong end of a transition", "else weighted.hadamard(values)",
            "else weighted.hadamard(values.T)",
        ),
        (
            "a reward per transition read as one per state",
            "all(entry == row[0] for entry in row) for row in table", "row[0] == row[0] for row in table",
        ),
    ),
    *rows(
        "theory/model/mdp.py",
        "theory/test_known_answers.py::test_random_chain_restarts_and_is_off_policy",
        (
            "the last action's reward alone",
            "reduce(add, (_spread(P, R) @ ones for P, R in zip(weighted, rewards, strict=True)))",
            "[_spread(P, R) @ ones for P, R in zip(weighted, rewards, strict=True)][-1]",
        ),
    ),
    *rows(
        "theory/model/mdp.py",
        "theory/test_known_answers.py::test_uncovered_action",
        ("coverage asked the other way round", "pi[a] > 0 and mu[a] == 0", "mu[a] > 0 and pi[a] == 0"),
    ),
    *rows(
        "theory/model/mdp.py",
        "quality/test_killers.py::test_policies_that_differ_in_one_state_are_different",
        (
            "policies that share a state count as equal", "self.behaviour == self.target",
            "self.behaviour.rows[0] == self.target.rows[0]",
        ),
    ),
    *rows(
        "theory/model/mdp.py",
        "theory/test_mdp.py::test_canonical_form_of_a_small_model",
        ("any discount taken for the discount", "if len(values) == 1 else None", "if values else None"),
        ("the digest ignores the features", '            "features": self.features.to_strings(),\n', ""),
    ),
    *rows(
        "theory/model/mdp.py",
        "theory/test_mdp.py::test_what_is_not_a_model_is_refused_in_one_sentence",
        ("discounts above one accepted", "all(0 <= entry <= G.denominator", "all(0 <= entry"),
    ),
    *rows(
        "theory/model/returns.py",
        "theory/test_returns.py::test_floats_work_too",
        ("the return one step short", "min(len(rewards), len(lambdas) + 1)", "min(len(rewards), len(lambdas))"),
        ("V(s_t) for V(s_{t+1}) in the return", "(1 - lam) * values[k + 1]", "(1 - lam) * values[k]"),
        (
            "the trace's window one state short", "range(t, max(t - len(lambdas), 0) - 1, -1)",
            "range(t, max(t - len(lambdas), 0), -1)",
        ),
    ),
    *rows(
        "theory/model/returns.py",
        "theory/test_returns.py::test_rlax_known_answer",
        (
            "λ shifted by one in the return", "lambdas[k] if k < len(lambdas)",
            "lambdas[k - 1] if 0 < k <= len(lambdas)",
        ),
        ("1 + λ in the return", "((1 - lam) * values", "((1 + lam) * values"),
    ),
    *rows(
        "theory/model/returns.py",
        "theory/test_returns.py::test_off_policy_return_differs_from_the_expansion_by_the_control_variates",
        ("ρ_{t+1} on the reward of step t", "result = rhos[k] * result", "result = rhos[k - 1] * result"),
        (
            "the δ-expansion without its discounts",
            "        product = product * discounts[k]\n    return total\n\n\ndef control",
            "    return total\n\n\ndef control",
        ),
        ("the control variates with ρ for ρ − 1", "(rhos[k] - 1) * values[k]", "rhos[k] * values[k]"),
        (
            "the control variates without earlier ratios", "product = product * rhos[k] * discounts[k]",
            "product = product * discounts[k]",
        ),
    ),
    *rows(
        "theory/model/returns.py",
        "theory/test_returns.py::test_the_display_of_section_3_is_not_the_return_along_a_path",
        ("δ without γ", "discounts[k] * values[k + 1] - values[k] for k", "values[k + 1] - values[k] for k"),
        ("δ with + V(s_t)", "values[k + 1] - values[k] for k", "values[k + 1] + values[k] for k"),
    ),
    *rows(
        "theory/model/returns.py",
        "theory/test_returns.py::test_recursive_trace_is_the_window_trace_of_a_long_constant_schedule",
        (
            "the trace discounts one step too late", "product = product * discounts[k]\n        if rhos",
            "product = product * discounts[k - 1]\n        if rhos",
        ),
        ("the recursive trace without λ", "x + lam * discounts[t - 1] * before", "x + discounts[t - 1] * before"),
        ("the recursive trace with ρ_{t−1}", "[rhos[t] * x for x in z]", "[rhos[t - 1] * x for x in z]"),
    ),
    *rows(
        "theory/model/returns.py",
        "theory/test_returns.py::test_trace_is_the_printed_window_sum",
        (
            "the trace without ρ_t",
            "        if rhos is not None:\n            product = product * rhos[k]\n        total = [z",
            "        if rhos is not None and k < t:\n            product = product * rhos[k]\n        total = [z",
        ),
    ),
    *rows(
        "theory/check/definiteness.py",
        "quality/test_killers.py::test_dominance_is_strict_in_every_row_and_of_absolute_values",
        ("row sums without absolute values", "sum((abs(entry) for entry in row)", "sum((entry for entry in row)"),
        ("dominance of three times the diagonal", "all(2 * row[i] > total", "all(3 * row[i] > total"),
        ("one dominant row is enough", "return all(2 * row[i]", "return any(2 * row[i]"),
    ),
    *rows(
        "theory/check/definiteness.py",
        "quality/test_killers.py::test_a_factor_that_leaves_nothing_over_proves_nothing",
        ("a residual that is only weakly dominant", "all(2 * row[i] > total", "all(2 * row[i] >= total"),
    ),
    *rows(
        "theory/check/definiteness.py",
        "theory/test_definiteness.py::test_too_thin_for_the_limit_of_work_is_never_guessed",
        (
            "any rounded eigenvector accepted",
            "            if S.quadratic_form(vector) <= 0:\n                return vector",
            "            if True:\n                return vector",
        ),
        (
            "a vector of a thin margin accepted unseen",
            "            if S.quadratic_form(vector) <= 0:\n                return Definiteness",
            "            if True:\n                return Definiteness",
        ),
    ),
    *rows(
        "theory/check/definiteness.py",
        "theory/test_definiteness.py::test_hilbert_matrices_less_their_smallest_pivot",
        ("back substitution with the wrong sign", "x.insert(0, -((row[j]", "x.insert(0, ((row[j]"),
        (
            "the vector not scaled back", "[value * t for value, t in zip(padded",
            "[Fraction(value) for value, t in zip(padded",
        ),
    ),
    *rows(
        "theory/check/definiteness.py",
        "theory/test_definiteness.py::test_an_entry_too_large_for_its_diagonal",
        (
            "an entry beyond floats: the vector with +", "scaled(S[i, i]) - _unit(n, i)",
            "scaled(S[i, i]) + _unit(n, i)",
        ),
    ),
    *rows(
        "theory/check/stability.py",
        "theory/test_stability.py::test_abscissa_on_the_edge",
        ("stable and unstable swapped", "return 1 if self.lower > 0 else -1", "return -1 if self.lower > 0 else 1"),
        ("marginal taken for stable", "if self.exactly_zero:", "if False:"),
        ("marginal taken for unstable", "return 1 if self.lower > 0 else -1", "return 1"),
    ),
    *rows(
        "theory/check/stability.py",
        "theory/test_stability.py::test_abscissa_of_an_irrational_pair",
        (
            "one root alone", "[arb(0) if x.contains(0) else x for x in roots]",
            "[arb(0) if x.contains(0) else x for x in roots[:1]]",
        ),
        ("the abscissa not scaled back", "scale = Fraction(1, int(B.denominator))", "scale = Fraction(1)"),
    ),
    *rows(
        "theory/check/stability.py",
        "theory/test_stability.py::test_certificate_bodies",
        (
            "growth taken for decay", "change = _positive(-_lyapunov_change(B, X))",
            "change = _positive(_lyapunov_change(B, X))",
        ),
    ),
    *rows(
        "theory/check/stability.py",
        "quality/test_killers.py::test_nothing_unstable_is_proved_stable",
        (
            "the Lyapunov matrix need not be positive",
            "positive = _positive(X)\n            if positive is not None:",
            "positive = _positive(X)\n            if True:",
        ),
    ),
    *rows(
        "theory/check/stability.py",
        "theory/test_stability.py::test_proofs_at_any_scale",
        ("Lyapunov's equation transposed", "product = X @ B\n", "product = X @ B.T\n"),
    ),
    *rows(
        "theory/check/stability.py",
        "quality/test_killers.py::test_the_exact_lyapunov_solution_solves",
        ("the exact Lyapunov solution transposed", "row[index[i, k]] += B[k, j]", "row[index[i, k]] += B[j, k]"),
    ),
    *rows(
        "theory/check/stability.py",
        "quality/test_killers.py::test_a_shift_where_none_is_needless",
        ("the shift added", "shifted = B - B.identity(B.shape[0])", "shifted = B + B.identity(B.shape[0])"),
    ),
    *rows(
        "theory/check/stability.py",
        "quality/test_killers.py::test_a_start_of_growth_has_a_positive_form",
        (
            "a vector on which the form is zero", "while X.quadratic_form(vector) <= 0:",
            "while X.quadratic_form(vector) < 0:",
        ),
    ),
    *rows(
        "theory/check/stability.py",
        "quality/test_killers.py::test_a_certificate_keeps_the_shift_of_its_proof",
        (
            "the shift left out of the certificate", 'about = {**about, "shift": str(proof.shift)}',
            'about = {**about, "shift": "0"}',
        ),
    ),
    *rows(
        "theory/check/norms.py",
        "theory/test_norms.py::test_lambdas_outside_the_unit_interval",
        ("the modulus not squared", "D.scaled(modulus * modulus)", "D.scaled(modulus)"),
        ("M may have negative entries", "if inner.is_nonnegative() and (Z", "if (Z"),
        (
            "a vector is a proof, whatever Z does to it",
            "if inner.is_nonnegative() and (Z @ weights).is_nonnegative():", "if inner.is_nonnegative():",
        ),
        ("any vector refutes", "if direction is not None:", "if True:"),
    ),
    *rows(
        "theory/check/norms.py",
        "theory/test_norms.py::test_one_discounted_transition_is_not_enough_for_a_modulus_below_one",
        ("M Dᵀ Mᵀ for MᵀDM", "inner.T @ D @ inner", "inner @ D @ inner.T"),
        ("MᵀM for MᵀDM", "inner.T @ D @ inner", "inner.T @ inner"),
        (
            "the refuting vector is put on the wrong states",
            "for s, x in zip(states, direction.column_entries(), strict=True):",
            "for s, x in zip(reversed(states), direction.column_entries(), strict=True):",
        ),
    ),
    *rows(
        "theory/check/norms.py",
        "theory/test_norms.py::test_a_target_that_leaves_the_class",
        ("what leaves the class is ignored", "    if outside:\n", "    if False:\n"),
    ),
    *rows(
        "theory/check/mean_dynamics.py",
        "theory/test_mean_dynamics.py::test_dependent_features_on_policy",
        (
            "A tested for positive", "decide_positive_definite(-keys.A.symmetric_part())",
            "decide_positive_definite(keys.A.symmetric_part())",
        ),
        ("D(M − I) for D(I − M)", "inner = -K.take(states, states)", "inner = K.take(states, states)"),
        (
            "the quotient without its weight T Tᵀ", "return self.coordinates @ self.coordinates.T",
            "return self.coordinates.identity(len(self.columns))",
        ),
        ("A for T Tᵀ A on the quotient", "keys.A if reduced.is_full else reduced.weight @ keys.A", "keys.A"),
        (
            "gradient methods always singular", "singular = prime is None and A.rank < A.shape[0]",
            "singular = prime is not None",
        ),
        (
            "stable, and stable modulo the null space, swapped",
            "return MeanDynamics.STABLE if reduced.is_full else MeanDynamics.STABLE_MODULO_NULL_SPACE",
            "return MeanDynamics.STABLE_MODULO_NULL_SPACE if reduced.is_full else MeanDynamics.STABLE",
        ),
        ("GTD on the quotient with a block of the wrong sign", "below=W @ A.T", "below=-(W @ A.T)"),
        (
            "TDC on the quotient without its weight", "spectral_abscissa(W @ tdc_matrix(A, C))",
            "spectral_abscissa(tdc_matrix(A, C))",
        ),
    ),
    *rows(
        "theory/check/mean_dynamics.py",
        "quality/test_killers.py::test_a_target_that_leaves_the_class_is_no_form_on_the_class",
        (
            "what leaves the class is ignored",
            "if outside and not K.take(rows=states, columns=outside).is_zero():", "if False:",
        ),
    ),
    *rows(
        "theory/check/mean_dynamics.py",
        "theory/test_mean_dynamics.py::test_a_singular_A_beside_dependent_features",
        ("marginal taken for stable", "if abscissa.sign < 0:", "if abscissa.sign <= 0:"),
        ("marginal taken for unstable", "if abscissa.sign > 0:", "if abscissa.sign >= 0:"),
        ("gradient methods never singular", "singular = prime is None and A.rank < A.shape[0]", "singular = False"),
    ),
    *rows(
        "theory/check/mean_dynamics.py",
        "theory/test_mean_dynamics.py::test_missing_coverage_is_analysed_as_the_algorithm_sees_it",
        (
            "TD through the theorem's kernel", "keys = behaviour_matrices(inner, states)\n    B = ",
            "keys = theorem_matrices(inner, states)\n    B = ",
        ),
        (
            "gradient methods through the theorem's kernel",
            "kernel = kernel_name(model) if kernel is None else kernel", 'kernel = "target"',
        ),
    ),
    *rows(
        "theory/check/mean_dynamics.py",
        "quality/test_killers.py::test_rates_of_diagonal_matrices",
        ("a rate better than what was shown", "bound = -candidate", "bound = -2 * candidate"),
        ("the mean of the real parts without 1/n", "return _trace(B) / n, bound", "return _trace(B) * n, bound"),
        ("TDC's rate with the wrong sign", "return -top / bottom", "return top / bottom"),
    ),
    *rows(
        "theory/check/mean_dynamics.py",
        "theory/test_mean_dynamics.py::test_features_that_vanish_on_the_class",
        (
            "predictions that never move are called stable",
            "return Dynamics(MeanDynamics.STABLE_MODULO_NULL_SPACE, name, zero, reason)",
            "return Dynamics(MeanDynamics.STABLE, name, zero, reason)",
        ),
    ),
    *rows(
        "theory/check/evidence.py",
        "quality/test_killers.py::test_certificates_of_a_class_speak_of_that_class",
        (
            "a law among others called the only one", '"unique": len(chain.recurrent_classes) == 1',
            '"unique": len(chain.recurrent_classes) >= 1',
        ),
        ("rows of the class numbered from its start", "rows = [index[k] for k in chosen]", "rows = list(chosen)"),
    ),
    *rows(
        "theory/check/evidence.py",
        "theory/test_hypotheses.py::test_hypotheses_on_chains",
        (
            "the two trees swapped", '"from_root": from_root, "to_root": to_root',
            '"from_root": to_root, "to_root": from_root',
        ),
    ),
    *rows(
        "theory/check/evidence.py",
        "theory/test_hypotheses.py::test_answers",
        (
            "an open class given as the closed set", '"closed_set": list(chain.recurrent_classes[0])',
            '"closed_set": list(chain.classes[0])',
        ),
        (
            "rank of all states for rank on the class",
            "restricted = Phi if states is None else Phi.take(rows=states)", "restricted = Phi",
        ),
    ),
    *rows(
        "theory/check/evidence.py",
        "theory/test_mean_dynamics.py::test_a_singular_A_beside_dependent_features",
        ("every determinant is not zero", "if int(nmod_mat(square.numerator, prime).det()) != 0:", "if True:"),
    ),
    *rows(
        "theory/check/evidence.py",
        "theory/test_mean_dynamics.py::test_missing_coverage_is_analysed_as_the_algorithm_sees_it",
        (
            "covered and target swapped", 'return "covered" if model.uncovered else "target"',
            'return "target" if model.uncovered else "covered"',
        ),
        (
            "the certificate does not name the covered kernel",
            'if kernel != "target":\n        about["kernel"] = kernel',
            'if False:\n        about["kernel"] = kernel',
        ),
    ),
    *rows(
        "theory/check/evidence.py",
        "quality/test_killers.py::test_the_fixed_point_of_the_flip_chain_is_certified",
        (
            "the fixed point with the wrong sign", '"theta": strings(theta), "prime": prime',
            '"theta": strings(-theta), "prime": prime',
        ),
    ),
    *rows(
        "theory/check/relations.py",
        "quality/test_killers.py::test_false_relations_are_refuted_wherever_they_stand",
        ("= and != not told apart", 'return (a == b) is (relation == "=")', "return a == b"),
        ("<= accepts everything", "return all(x >= 0 for x in entries)", "return True"),
        ("< accepts equality", "return all(x > 0 for x in entries)", "return all(x >= 0 for x in entries)"),
        ("<= of some entries", "return all(x >= 0 for x in entries)", "return any(x >= 0 for x in entries)"),
        ("the sides swapped", "difference = b - a", "difference = a - b"),
        ("a failed relation passes", "if not compare(a, relation, b):", "if compare(a, relation, b) is None:"),
        (
            "only the first relation is looked at", "for left, relation, right in relations:\n        a, b",
            "for left, relation, right in relations[:1]:\n        a, b",
        ),
        ("a refutation certified by what it refutes", '"!=" if sign == "=" else "="', '"=" if sign == "=" else "!="'),
        ("an inequality denied by itself", '"<" if sign == "<=" else "<="', '"<=" if sign == "<=" else "<"'),
    ),
    *rows(
        "theory/check/relations.py",
        "quality/test_killers.py::test_true_relations_hold",
        ("− read as +", "values[0] - values[1]", "values[0] + values[1]"),
        ("a transpose forgotten", "return values[0].T", "return values[0]"),
        (
            "E under the target for E under the behaviour",
            'policy = model.behaviour if policy_name == "mu" else model.target', "policy = model.target",
        ),
        ("a path's probability without the policy", "extend(probability * chosen * p,", "extend(probability * p,"),
        (
            "ρ upside down", "return model.target[s[i], a[i]] / model.behaviour[s[i], a[i]]",
            "return model.behaviour[s[i], a[i]] / model.target[s[i], a[i]]",
        ),
        ("δ with + V(s_t)", "value(k + 1) - value(k)", "value(k + 1) + value(k)"),
        (
            "V with (I + N)⁻¹", "(ones.identity(n) - kernel.N).solve(kernel.r)",
            "(ones.identity(n) + kernel.N).solve(kernel.r)",
        ),
        (
            "the λ's of a path shifted by one",
            "return (*lambdas, *(model.schedule.tail,) * max(0, k - len(lambdas)))[:k]",
            "return (*lambdas[1:], *(model.schedule.tail,) * max(0, k + 1 - len(lambdas)))[:k]",
        ),
    ),
    *rows(
        "theory/check/relations.py",
        "quality/test_killers.py::test_S_and_M_of_a_two_step_return",
        ("S applied for M", "value = context.keys.M(value)", "value = context.keys.S(value)"),
    ),
    *rows(
        "theory/check/hypotheses.py",
        "theory/test_hypotheses.py::test_reasons_name_what_is_wrong_counting_from_one",
        (
            "irreducible: one law is enough", "    if chain.is_irreducible:\n        return Answer(True",
            "    if len(chain.recurrent_classes) == 1:\n        return Answer(True",
        ),
        ("aperiodic: period two accepted", "if period != 1:", "if period > 2:"),
        ("rank: a deficient Φ accepted", 'if certificate.kind == "full_column_rank":', "if True:"),
        (
            "coverage: asked the other way round", "    if not model.uncovered:\n        return Answer(True",
            "    if model.uncovered:\n        return Answer(True",
        ),
        ("λ in [0,1]: large ones accepted", "if not 0 <= lam <= 1:", "if not 0 <= lam:"),
        (
            "λ in [0,1]: only the tail is asked",
            "enumerate((*model.schedule.lambdas, model.schedule.tail), start=1)",
            "enumerate((model.schedule.tail,), start=1)",
        ),
    ),
    *rows(
        "theory/check/hypotheses.py",
        "theory/test_hypotheses.py::test_answers",
        ("one law: several accepted", "if len(classes) == 1:\n", "if len(classes) >= 1:\n"),
        (
            "C > 0: rank of all states", "certificate = rank_certificate(model.features, states)",
            "certificate = rank_certificate(model.features, None)",
        ),
        ("on-policy: always", "    if model.is_on_policy:\n", "    if True:\n"),
        (
            "one γ: several accepted",
            '    if model.gamma is not None:\n        return Answer(True, f"gamma = {model.gamma} on every',
            '    if True:\n        return Answer(True, f"gamma = {model.gamma} on every',
        ),
        ("λ in [0,1]: negative ones accepted", "if not 0 <= lam <= 1:", "if not lam <= 1:"),
        (
            "finite schedule: always",
            '    if model.schedule.is_finite:\n        return Answer(True, f"lambda_j = 0',
            '    if True:\n        return Answer(True, f"lambda_j = 0',
        ),
        ("A nonsingular: always", "if nonzero_modulo(A) is None and A.rank < model.d:", "if False:"),
        (
            "A nonsingular: asked of Φ", "if nonzero_modulo(A) is None and A.rank < model.d:",
            "if model.features.rank < model.d:",
        ),
        ("n-step: one λ = 1 is enough", "all(lam == 1 for lam in lambdas)", "any(lam == 1 for lam in lambdas)"),
        ("EqualWeights: n2 one off", "n1, n2 = ones + 1, len(lambdas) + 1", "n1, n2 = ones + 1, len(lambdas) + 2"),
        (
            "EqualWeights: any decreasing end", "list(lambdas[ones:]) == expected",
            "len(lambdas[ones:]) == len(expected)",
        ),
    ),
    *rows(
        "theory/check/hypotheses.py",
        "theory/test_hypotheses.py::test_the_discount_is_asked_of_every_recurrent_class",
        (
            "γ < 1: one undiscounted transition forbids", "undiscounted = all(kernel.N[i, j]",
            "undiscounted = any(kernel.N[i, j]",
        ),
        ("γ < 1: never asked", "        if undiscounted:\n", "        if False:\n"),
    ),
    *rows(
        "theory/check/windows.py",
        "theory/test_moments.py::test_variances_of_products_equal_the_sum_over_all_paths",
        ("the trace without ρ_t", "z = rho.astype(kind)[self.outcome][:, None] * z.astype", "z = z.astype"),
        ("c shifted by one in the trace", "int(size(c[k] * over))", "int(size(c[k - 1] * over))"),
        ("the trace without earlier ratios", "int(o.rho * o.discount * scale)", "int(o.discount * scale)"),
        ("GTD's θ with the wrong sign", "U[:, :d, d : 2 * d] = minus * xz  #", "U[:, :d, d : 2 * d] = xz  #"),
        ("TDC without φφᵀw", "minus * (xz + gram)", "minus * xz"),
        ("w grows by φφᵀw", "zx, minus * gram, zr\n", "zx, gram, zr\n"),
        ("probabilities without the policy", "Outcome(s, after, mu * p, reward", "Outcome(s, after, p, reward"),
        (
            "discount of the first successor for all", "discount = discounts[after if len(discounts) > 1 else 0]",
            "discount = discounts[0]",
        ),
    ),
    *rows(
        "theory/check/moments.py",
        "theory/test_moments.py::test_variances_of_products_equal_the_sum_over_all_paths",
        ("α and β swapped", "B = eye + alpha * U + beta * V", "B = eye + beta * U + alpha * V"),
    ),
    *rows(
        "theory/check/moments.py",
        "theory/test_moments.py::test_bounds_of_a_stable_system_stay_small",
        ("bounds carried on by |B|", "(arrive(error, B) + step", "(arrive(error, np.abs(B)) + step"),
    ),
    *rows(
        "theory/check/moments.py",
        "theory/test_moments.py::test_what_each_step_rounds_is_counted",
        (
            "bounds without what each step rounds", " + step * _diagonals(gather(weight[:, :, 0] * moved**2))",
            "",
        ),
    ),
    *rows(
        "theory/check/windows.py",
        "theory/test_moments.py::test_only_reachable_windows_are_kept",
        ("the window one state short", "for j, p in past))[:L] if", "for j, p in past))[: max(L - 1, 0)] if"),
    ),
    *rows(
        "theory/check/windows.py",
        "theory/test_moments.py::test_a_discount_of_zero_cuts_the_window",
        ("the trace without discounts", "int(o.rho * o.discount * scale)", "int(o.rho * scale)"),
    ),
    *rows(
        "theory/check/windows.py",
        "theory/test_moments.py::test_two_features_and_a_longer_window",
        ("z xᵀ transposed", "zx, xz, gram = _outer(z, x), _outer(x, z)", "zx, xz, gram = _outer(x, z), _outer(z, x)"),
    ),
    *rows(
        "theory/check/moments.py",
        "quality/test_killers.py::test_covariance_is_about_the_mean",
        ("covariance about minus the mean", "self.second[:-1, :-1] - np.outer", "self.second[:-1, :-1] + np.outer"),
    ),
    *rows(
        "theory/check/increments.py",
        "theory/test_moments.py::test_one_update_equals_the_sum_over_stationary_windows",
        ("N₂ not squared", "p * (rho * discount) ** 2", "p * (rho * discount)"),
        ("c not squared in the trace's second moment", "own = c[j] ** 2 *", "own = c[j] *"),
        ("the trace's second moment not symmetric", "own + pair + pair.transpose(0, 2, 1)", "own + pair + pair"),
    ),
    *rows(
        "theory/check/increments.py",
        "theory/test_moments.py::test_missing_coverage_is_seen_as_the_algorithm_sees_it",
        ("N for Nᵀ in the mean trace", "H.append(N.T @ H[-1])", "H.append(N @ H[-1])"),
    ),
    *rows(
        "theory/check/mean_square.py", "theory/test_mean_square.py::test_the_largest_step_of_small_models",
        (
            "𝓛 without its part of second order", "a - f.scaled(alpha) - s.scaled(alpha * alpha)",
            "a - f.scaled(alpha)",
        ),
    ),
    *rows(
        "theory/check/mean_square.py",
        "theory/test_mean_square.py::test_bounded_and_unbounded_are_seen_in_the_propagated_moments",
        ("J of GTD with the wrong sign", "block(right=-A.T, below", "block(right=A.T, below"),
        ("a crossing below zero counts", "return roots[0] if roots", "return roots[-1] if roots"),
    ),
    *rows(
        "theory/check/mean_square.py", "theory/test_mean_square.py::test_the_mean_of_K_is_the_mean_matrix",
        ("β without η", "updates.U[:, :D, :D] + eta * updates.V", "updates.U[:, :D, :D] + updates.V"),
    ),
    *rows(
        "theory/check/mean_square.py",
        "theory/test_mean_square.py::test_a_certificate_cannot_be_had_on_the_wrong_side",
        ("growth without a growing start", "if vector is not None and positive(-x", "if positive(-x"),
    ),
    *rows(
        "theory/check/mean_square.py", "theory/test_mean_square.py::test_a_wrong_proposal_is_not_accepted",
        (
            "boundedness without a decrease", "positive(family) and positive(system.decrease(family, alpha))",
            "positive(family)",
        ),
    ),
)  # fmt: skip
