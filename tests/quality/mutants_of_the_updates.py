"""Mutants of declared updates: extraction, tables, memory, means, dynamics, nodes, runs, and some that ship."""

from __future__ import annotations

from tests.quality.edits import Mutant, rows

NUMBERS = "theory/test_engine_numbers.py::"
ENGINE = "theory/test_engine.py::"
ENCLOSED = "theory/test_engine_enclosed.py::"
TERMS = "theory/test_terms.py::"
FIRST = "theory/test_first_order.py::"
SHELF = "algorithms/test_algorithms.py::"
PAGES = "reports/test_updates.py::"
EXAMPLES = "algorithms/test_examples.py::"

MUTANTS: tuple[Mutant, ...] = (
    *rows(
        "theory/arithmetic/ball.py",
        ENCLOSED + "test_enclosures_hold_what_is_exact",
        ("balls: the radii are dropped", "balls = [x if isinstance(x, arb)", "balls = [x.mid() if isinstance(x, arb)"),
    ),
    *rows(
        "theory/arithmetic/ball.py",
        ENCLOSED + "test_a_radius_of_one_is_left_open",
        (
            "balls: nothing is singular",
            "        except SingularMatrixError:\n            return False",
            "        except SingularMatrixError:\n            return True",
        ),
    ),
    *rows(
        "theory/check/trace_law.py",
        ENCLOSED + "test_a_radius_of_one_is_left_open",
        ("a radius: too wide balls refute", "return False if isinstance(B, RationalMatrix) else None", "return False"),
    ),
    *rows(
        "theory/engine/dynamics.py",
        ENCLOSED + "test_an_eigenvalue_near_zero_is_left_open",
        ("balls: undecided is unstable", "if stable is None:", "if False:"),
    ),
    *rows(
        "theory/engine/memory.py",
        ENCLOSED + "test_a_memory_at_the_edge_is_left_open",
        ("balls: an open question is answered", "return None if None in answers else True", "return True"),
    ),
    *rows(
        "theory/enclose/dense_law.py",
        ENCLOSED + "test_a_law_that_balls_do_not_determine",
        (
            "balls: another equation for the law",
            "P.identity(m) - P).T.rows[: m - 1]",
            "P.identity(m) - P).rows[: m - 1]",
        ),
    ),
    *rows(
        "analysis/updates.py",
        ENCLOSED + "test_the_arithmetic_is_chosen_by_size",
        (
            "the size of a model does not matter",
            "exact = choice.arithmetic is Arithmetic.EXACT",
            "exact = asked.arithmetic is not Arithmetic.ENCLOSED",
        ),
    ),
    *rows(
        "theory/engine/dynamics.py",
        ENGINE + "test_terms_that_cancel_in_the_mean_are_terms",
        (
            "what no update sees may be of any order",
            "T), joint = found.visible, found.joint(ratios)\n    return found.kind.enclosing(T) @ joint.take(",
            "T), joint = found.visible, found\n    return found.kind.enclosing(T) @ joint.joint(ratios).take(",
        ),
    ),
    *rows(
        "theory/engine/tables.py",
        ENGINE + "test_at_one_step",
        (
            "known tables give any transition",
            "e.outcome.after): e for e in known.edges}",
            "e.outcome.after): known.edges[0] for e in known.edges}",
        ),
    ),
    *rows(
        "theory/engine/memory.py",
        ENGINE + "test_one_entry_without_a_mean_is_enough",
        ("one block of a memory decides for all", "if False in answers:\n            return False", "break"),
    ),
    *rows(
        "theory/engine/memory.py",
        ENGINE + "test_an_end_is_seen_before_any_system_is_built",
        ("a cycle of two places is an end", "if len(part) > 1 or (part[0], part[0])", "if (part[0], part[0])"),
        (
            "systems are built for a memory that has an end",
            "        if self.without_end is None:\n            return True",
            "",
        ),
    ),
    *rows(
        "theory/engine/certificates.py",
        "theory/test_update_certificates.py::test_what_is_found_is_accepted",
        ("certificates: means without their memory", "memory.mean.get((h, i), fmpq(0))", "fmpq(0)"),
        ("certificates: what the memory is annihilated by", "[str(x) for x in found.others]", "[]"),
        (
            "certificates: covariances at the joint matrix alone",
            '("slow", slow, noise.slow)',
            '("joint", slow, noise.slow)',
        ),
        (
            "certificates: of the fast matrix for the slow",
            '_signed(found, scales.slow, {"matrix"',
            '_signed(found, scales.fast, {"matrix"',
        ),
    ),
    *rows(
        "theory/engine/certificates.py",
        "theory/test_update_certificates.py::test_where_a_memory_grows",
        ("certificates: jumps from zero", "b = (found.affine(edge) @ g[edge.source] -", "b = (g[edge.source] -"),
        ("certificates: any form will do", "np.argmin([value[0] for", "np.argmax([value[0] for"),
    ),
    *rows(
        "theory/engine/certificates.py",
        "theory/test_update_certificates.py::test_on_the_quotient_by_what_no_update_sees",
        ("certificates: the quotient is not named", "if len(seen) == found.D else", "if True else"),
    ),
    *rows(
        "theory/engine/certificates.py",
        "theory/test_update_certificates.py::test_rows_that_only_spans_show",
        ("certificates: no spans", "if needs_spans(within, columns, T):", "if False:"),
    ),
    *rows(
        "theory/engine/certificates.py",
        "theory/test_update_certificates.py::test_constant_steps",
        (
            "certificates: the other step size",
            "sizes = [alpha * x for x in ratios]",
            "sizes = [2 * alpha * x for x in ratios]",
        ),
        (
            "certificates: tables without their step",
            "[str(found.steps[name]) for name in steps] if found.steps else None",
            "None",
        ),
    ),
    *rows(
        "theory/engine/certificates.py",
        "theory/test_update_certificates.py::test_the_tables_are_those_of_the_function",
        ("any tables are the function's", "if _sorted(mine) != _sorted(its):", "if False:"),
        ("contexts are not compared", 'if own["contexts"] != update["contexts"]:', "if False:"),
    ),
    *rows(
        "analysis/analyse.py",
        "reports/test_updates.py::test_schedules_are_compared_for_algorithms_that_are_listed",
        (
            "schedules of TD are told beside those of the algorithms listed",
            "parts = asked.parts - {Part.SCHEDULES} if schedules else asked.parts",
            "parts = asked.parts",
        ),
    ),
    *rows(
        "theory/engine/written_terms.py",
        "theory/test_update_certificates.py::test_the_terms_are_those_of_the_function",
        (
            "any terms are the function's",
            'if row != "when" and _sum(part[row])',
            'if row == "when" and _sum(part[row])',
        ),
        ("signs of terms are not compared", '(-x if text.startswith("-") else x)', "x"),
        ("cases are not compared", "if cases[0].keys() != cases[1].keys():", "if False:"),
        (
            "fields are not compared",
            'for key in ("parameters", "memory", "reads"):',
            'for key in ("parameters", "memory"):',
        ),
    ),
    *rows(
        "theory/engine/certificates.py",
        "theory/certificate/test_update_terms.py::test_terms_are_the_tables",
        ("certificates: the constant of the memory left out", " + [[i, held, str(x)] for i, x in s.items()]", ""),
    ),
    *rows(
        "theory/engine/written_terms.py",
        "theory/certificate/test_update_terms.py::test_terms_are_the_tables",
        ("terms are written without their powers", 'f"{name}^{power}"', "name"),
        ("terms are written without their weight", "if term.weight is not None:", "if False:"),
        ("updates at numbers are written without them", '"steps": found.steps or None', '"steps": None'),
    ),
    *rows(
        "reports/cli/check_command.py",
        "reports/test_updates.py::test_a_report_holds_certificates",
        ("any certificate is about an update", 'if not certificate["kind"].startswith("update_"):', "if False:"),
    ),
    *rows(
        "theory/engine/numbers.py",
        NUMBERS + "test_arithmetic_of_polynomials",
        ("a difference the wrong way round", "Exact(self.value - y.value,", "Exact(y.value - self.value,"),
        ("a float is what it is in binary", "x = Fraction(repr(float(x)))", "x = Fraction(float(x))"),
    ),
    *rows(
        "theory/engine/numbers.py",
        NUMBERS + "test_what_no_polynomial_answers",
        ("products of parameters pass", "twice = self.holds & y.holds", "twice = self.holds & y.holds & MEMORY"),
        ("a division by zero passes", "        if divisor == 0:\n", "        if divisor is None:\n"),
    ),
    *rows(
        "theory/engine/numbers.py",
        NUMBERS + "test_what_a_memory_may_not_do",
        ("products of memory pass", "twice = self.holds & y.holds", "twice = self.holds & y.holds & PARAMETER"),
    ),
    *rows(
        "theory/arithmetic/reflected.py",
        NUMBERS + "test_constants_compare_and_divide_as_fractions_do",
        ("a negative power is a positive one", "return result if power >= 0 else 1 / result", "return result"),
        ("a quotient the wrong way round", "y._over(self)", "self._over(y)"),
    ),
    *rows(
        "theory/arithmetic/reflected.py",
        FIRST + "test_series_by_hand",
        ("a difference the wrong way round", "y._plus(-self)", "self._plus(-y)"),
    ),
    *rows(
        "theory/engine/declare.py",
        NUMBERS + "test_declarations_are_held_against_the_function",
        ("arguments in any order", "positional[1:] != expected[1:]", "sorted(positional[1:]) != sorted(expected[1:])"),
    ),
    *rows(
        "theory/engine/tables.py",
        NUMBERS + "test_what_a_memory_may_not_do",
        (
            "a memory may depend on steps",
            "others = [*range(self.count), *range(len(values), len(degrees) - len(given))]",
            "others = [*range(self.count)]",
        ),
    ),
    *rows(
        "theory/engine/tables.py",
        NUMBERS + "test_inputs_are_not_written_to_and_shapes_are_kept",
        ("inputs can be written to", "    found.flags.writeable = False\n", "    found.flags.writeable = True\n"),
        ("any shape passes", "if found.shape != slot.shape and", "if found.size != slot.size and"),
    ),
    *rows(
        "theory/engine/tables.py",
        NUMBERS + "test_nothing_is_kept_from_call_to_call",
        ("asked again with the same symbols", 'self._inputs("\'")', "self._inputs()"),
    ),
    *rows(
        "sims/updates/lanes.py",
        "sims/test_updates.py::test_arithmetic_is_done_run_by_run_and_its_rounding_is_bounded",
        (
            "the rounding of a product is left out",
            "_spread(self, y, np.multiply) + UNIT * np.abs(value)",
            "_spread(self, y, np.multiply)",
        ),
        ("what a sum carries is left out", "x.error + y.error + UNIT * np.abs(value)", "UNIT * np.abs(value)"),
        ("a transpose with the runs", "(*range(self.ndim)[::-1], self.ndim)", "(*range(self.ndim), self.ndim)"),
    ),
    *rows(
        "sims/updates/runs.py",
        "sims/test_updates.py::test_runs_are_those_of_one_run_after_another",
        ("both parts go the first way", "parts = [runs.which, ~runs.which]", "parts = [runs.which | ~runs.which]"),
        (
            "the ratio before is that of now",
            '"rho_before": before["rho"]',
            '"rho_before": self.sampler.rho[s, outcome]',
        ),
    ),
    *rows(
        "theory/engine/nodes.py",
        ENGINE + "test_bounds_on_nodes_and_windows_are_reached_and_not_passed",
        ("nodes: the last transition that is allowed is refused", "if len(moves) > most:", "if len(moves) >= most:"),
    ),
    *rows(
        "algorithms/schedules.py",
        ENGINE + "test_bounds_on_nodes_and_windows_are_reached_and_not_passed",
        ("the last window that is allowed is refused", "* D * D > entries:", "* D * D >= entries:"),
    ),
    *rows(
        "theory/engine/nodes.py",
        ENGINE + "test_steps_may_enter_in_any_way_where_they_are_numbers",
        (
            "the matrix is not divided by the step",
            "return 0, 1 / self.steps[algorithm.steps[0]]",
            "return 0, Fraction(1)",
        ),
    ),
    *rows(
        "theory/engine/declare.py",
        NUMBERS + "test_what_no_polynomial_answers",
        ("the line is that of the def", "algorithm.place(lines[-1])", "algorithm.place(lines[0])"),
    ),
    *rows(
        "theory/engine/tables.py",
        ENGINE + "test_a_table_by_hand",
        ("the ratio upside down", "rho=_number(outcome.rho)", "rho=_number(1 / outcome.rho if outcome.rho else 0)"),
        (
            "parameters are not taken off",
            "still.pop((None, row, row), []), (0, fmpq(-1))]",
            "still.pop((None, row, row), [])]",
        ),
        ("the discount of this transition, not before", "before.discount,", "before.rho,"),
        ("the start has the discount one", '{"discount_before": Fraction(0),', '{"discount_before": Fraction(1),'),
        ("R twice", "found.R.setdefault((row - D, entry), []).append(term)", "found.R[row - D, entry] = [term, term]"),
        (
            "memory is cut off the parameters",
            "{}).setdefault((entry, row, column), [])",
            "{}).setdefault((None, row, column), [])",
        ),
    ),
    *rows(
        "theory/engine/tables.py",
        ENGINE + "test_what_the_transition_before_was_is_followed_only_where_it_is_read",
        ("every context is the first", '"first": False}', '"first": True}'),
    ),
    *rows(
        "theory/engine/tables.py",
        ENGINE + "test_successors_together_are_successors_one_by_one",
        (
            "all successors are the first",
            "if values.count(values[0]) == len(values) else symbol",
            "if values else symbol",
        ),
        ("a square of what differs is itself", "for _ in range(power):", "if power:"),
    ),
    *rows(
        "theory/engine/tables.py",
        ENGINE + "test_what_an_update_looks_at_is_a_number",
        ("the next state is that of the first", 'else t.without(["next_state"])', "else t"),
        ("all or nothing", "lambda outcome: (outcome.reward, outcome.discount),\n", "lambda outcome: outcome.after,\n"),
        ("successors one by one", "            lambda outcome: None,\n", ""),
    ),
    *rows(
        "theory/engine/means.py",
        TERMS + "test_means_of_terms_are_means_of_entries",
        ("successors without their probabilities", "mean[k] += p * x", "mean[k] += x"),
    ),
    *rows(
        "theory/engine/tables.py",
        TERMS + "test_terms_are_the_tables",
        ("the features of the state itself", "in self.phi[outcome.after])", "in self.phi[outcome.state])"),
        ("π and μ exchanged", "pi=_number(model.target[s, a])", "pi=_number(model.behaviour[s, a])"),
    ),
    *rows(
        "theory/engine/memory.py",
        ENGINE + "test_entries_of_the_memory_that_wait_for_each_other",
        (
            "R transposed in the system",
            "into[(target, i), (move.source, j)] += p * x",
            "into[(target, j), (move.source, i)] += p * x",
        ),
        ("what was solved before is forgotten", "[a + x * b for a, b in zip(right", "[a + 0 * b for a, b in zip(right"),
    ),
    *rows(
        "theory/engine/memory.py",
        ENGINE + "test_the_mean_of_the_memory_is_that_of_the_trace",
        ("the mean without the law", "+= p * x * self.law[move.source]", "+= p * x"),
        ("the mean without what came before", "inner[place[to], place[of]] = x", "pass"),
    ),
    *rows(
        "theory/engine/memory.py",
        ENGINE + "test_moments_that_are_infinite_are_told_from_undecided_ones",
        ("second moments as the first", "max(k, m)), x * y)", "max(k, m)), x)"),
        ("signs do not matter", "if move.s.get(i, fmpq(0)) < 0\n                or", "if"),
        ("undecided is infinite", "return False if contracts(alone, self.kind) is False else None", "return False"),
    ),
    *rows(
        "theory/engine/memory.py",
        ENGINE + "test_a_memory_that_ends_has_every_moment_without_a_look_at_pairs",
        (
            "every memory ends",
            "if self.without_end is None:\n            return True",
            "if True:\n            return True",
        ),
        (
            "pairs are looked at in any case",
            "if self.without_end is None:\n            return True\n",
            "if False:\n            return True\n",
        ),
    ),
    *rows(
        "theory/engine/memory.py",
        ENGINE + "test_moments_that_are_infinite_are_told_from_undecided_ones",
        ("any solution is a covariance", "decide_positive_definite(C).positive for", "True for"),
    ),
    *rows(
        "theory/engine/memory.py",
        ENGINE + "test_second_moments_are_those_of_the_trace",
        ("deviations about zero", "g - g.take(columns=columns) @ Z if columns else g", "g"),
        ("squares without the law", "+ K[j][-1] * weight)", "+ K[j][-1])"),
        ("second moments without the mean", "ahead[i] * K[j][-1] + K[i][-1] * (ahead[j]", "K[i][-1] * (ahead[j]"),
        ("second moments without probabilities", "[0] += p * given[i, j]", "[0] += given[i, j]"),
    ),
    *rows(
        "theory/engine/memory.py",
        ENGINE + "test_signs_that_cancel_and_memory_without_chance",
        ("signs cannot cancel", "return found\n        try:", "return found\n        return False\n        try:"),
    ),
    *rows(
        "theory/engine/noise.py",
        ENGINE + "test_the_long_run_covariance_is_that_of_the_paper_s_algorithms",
        ("noise: no correlation over time", "combined(at_once) + later + later.T", "combined(at_once)"),
        ("noise: of one direction of time", "+ later + later.T", "+ later + later"),
        ("noise: to come from where it came", "ahead[edge.target].append(", "ahead[edge.source].append("),
        ("noise: edges that are alike count once", "square = sum((p * x * x", "square = sum((p * x"),
        ("noise: ratios of one", "factor = to_fmpq(ratios[exponents.index(1)]) * y", "factor = y"),
        ("noise: what is to come without the constant", "x + p * row[M] for", "x for"),
        ("noise: Lyapunov's equation transposed", "lyapunov_solution(B.T, -noise)", "lyapunov_solution(B, -noise)"),
        ("noise: another unit", "scaled(1 / unit**2)", "scaled(1 / unit)"),
    ),
    *rows(
        "theory/engine/noise.py",
        ENGINE + "test_noise_is_about_the_drift_of_what_no_update_sees",
        ("noise: about zero where the mean drifts", "-value * unit]", "fmpq(0)]"),
        ("noise: the drift in another unit", "-value * unit]", "-value]"),
    ),
    *rows(
        "analysis/updates.py",
        "reports/test_updates.py::test_each_row_is_held_against_what_it_estimates",
        ("everything is held against the discounted value", "if what is Estimate.DIFFERENTIAL:", "if False:"),
        ("constants count where a value is known up to one", "off = off - ones @", "off = off - 0 * ones @"),
        ("predictions are compared that estimate something else", "(Estimate.DISTRIBUTION, Estimate.OTHER)", "()"),
    ),
    *rows(
        "theory/check/fixed_point.py",
        "theory/test_differential_value.py::test_by_hand",
        (
            "differential values with the discount",
            "kernel.P.identity(n) - kernel.P.take",
            "kernel.P.identity(n) - kernel.N.take",
        ),
    ),
    *rows(
        "sweeps/update_means.py",
        "sweeps/test_stability.py::test_branches_are_followed_for_each_transition",
        ("computed numbers differ where balls meet", "under | left, 0: left}", "under | left, 0: left & sharp}"),
    ),
    *rows(
        "theory/engine/numbers.py",
        "sweeps/test_stability.py::test_what_is_compared_may_be_divided_by",
        ("one reciprocal for all divisors", "at = list(self.divisors).index(str(divisor))", "at = 0"),
        ("a size is what it is the size of", "return self if self >= 0 else -self", "return self"),
        (
            "what is compared has the other sign",
            "return fmpq(self.signs[words])",
            "return -fmpq(self.signs[words])",
        ),
    ),
    *rows(
        "algorithms/categorical_td.py",
        "algorithms/test_algorithms.py::test_categorical_td_where_episodes_end",
        ("categorical TD: a target that ends has no mass", "t.phi_next @ t.phi_next == 0", "False"),
        ("categorical TD: a discount of zero keeps the masses ahead", "t.discount == 0 or t.phi_next", "t.phi_next"),
    ),
    *rows(
        "theory/engine/dynamics.py",
        ENGINE + "test_what_no_update_sees",
        ("where nothing is seen nothing drifts", "return Rest(None, None, drift=g)", "return Rest(None, None)"),
    ),
    *rows(
        "theory/engine/noise.py",
        ENGINE + "test_covariances_on_two_time_scales",
        ("slow: fast noise at another ratio", "carried.scaled(1 / ratios[1])", "carried.scaled(1)"),
        ("slow: noise of the slow parameters alone", "L @ Sigma.take(order, order) @ L.T", "Sigma.take(slow, slow)"),
    ),
    *rows(
        "theory/engine/growth.py",
        ENGINE + "test_memory_that_grows_along_a_cycle_refutes_every_step",
        ("a nilpotent product grows", "return None if power.is_zero() else Growth(", "return Growth("),
        (
            "growth: others may be as large",
            "abs(factor) > 1 and all(abs(x) < abs(factor) for x in others)",
            "abs(factor) > 1",
        ),
        ("the memory is not followed around", "here = found.affine(edge) @ here", "here = here.scaled(0)"),
        ("the fixed point grows too", "a = N @ a - a.scaled(other)", "a = a"),
    ),
    *rows(
        "theory/engine/small_steps.py",
        ENGINE + "test_a_safe_step_by_hand",
        ("a form without what is to come", " + k.T @ t + t @ k).scaled(p)", ").scaled(p)"),
        ("a form without its cube", "(k.T @ t @ k).scaled(p)", "(k.T @ t @ k).scaled(0)"),
        ("bounds that are not tight", "ceil(Fraction(x) / unit)", "ceil(2 * Fraction(x) / unit)"),
    ),
    *rows(
        "theory/engine/small_steps.py",
        ENGINE + "test_safe_steps_are_below_the_largest",
        ("bounds of one step", "for _ in range(ROUNDS):", "for _ in range(1):"),
    ),
    *rows(
        "theory/engine/finite_times.py",
        ENGINE + "test_moments_in_time_are_those_of_every_path",
        ("second moments for covariances", "both - mean @ mean.T", "both"),
        ("paths without their probability", "* to_fmpq(e.outcome.probability)", "* 1"),
        ("from the context left", "values[e.target][k].compose", "values[e.source][k].compose"),
    ),
    *rows(
        "analysis/updates.py",
        PAGES + "test_the_table_and_the_document_say_the_same",
        ("noise where the memory has none", "    if not answer.memory_square:\n", "    if False:\n"),
    ),
    *rows(
        "analysis/updates.py",
        PAGES + "test_covariances_and_safe_steps_of_memory_without_end",
        ("no step is safe", "alpha <= answer.safe:", "alpha <= 0:"),
        ("variance without the law", "found.law.T @ diagonal", "diagonal.T @ diagonal"),
    ),
    *rows(
        "reports/answer_words.py",
        PAGES + "test_the_table_and_the_document_say_the_same",
        ("no step is an undecided one", "    if row.growth is not None:\n", "    if False:\n"),
    ),
    *rows(
        "reports/answer_words.py",
        "reports/test_advice_page.py::test_the_answer_says_to_what_and_how_fast",
        ("what diverges is said to converge", "LIMITS[found.mean_dynamics][0]\n    to", 'LIMITS["stable"][0]\n    to'),
        ("θ* without a point of rest", '== "stable" and row.theta_star is not None', '== "stable"'),
    ),
    *rows(
        "analysis/row.py",
        "reports/test_advice_page.py::test_the_answer_says_to_what_and_how_fast",
        ("θ* of the theorem where actions are not covered", "None if facts.missing else Rest(", "Rest("),
    ),
    *rows(
        "analysis/row.py",
        PAGES + "test_python_takes_functions_and_lists",
        (
            "parameters begin at the first entry",
            "rows = slice(at, at := at + slot.size)",
            "rows = slice(0, at := slot.size)",
        ),
    ),
    *rows(
        "reports/earlier_formats.py",
        PAGES + "test_the_earlier_formats_say_the_same",
        ("off-policy TD is a row of its own", 'if found["model"]["on_policy"] and TD in rows:', "if False:"),
        ("one dynamics for the other", '(row["mean_dynamics"] or row["two_time_scales"])', 'row["mean_dynamics"]'),
        (
            "parameters lose what follows the first",
            'for part in row["parameters"].values() for x in part]',
            'for part in list(row["parameters"].values())[:1] for x in part]',
        ),
    ),
    *rows(
        "reports/earlier_formats.py",
        PAGES + "test_analyses_of_both_releases_are_compared",
        ("off-policy TD is told twice", 'OFF_POLICY_TD if document["model"]["on_policy"] else ""', "OFF_POLICY_TD"),
    ),
    *rows(
        "algorithms/__init__.py",
        PAGES + "test_python_takes_functions_and_lists",
        (
            "names in a list are names of nothing",
            "find(one) if isinstance(one, str) else [one]",
            "[] if isinstance(one, str) else [one]",
        ),
    ),
    *rows(
        "theory/engine/regime.py",
        ENGINE + "test_lemma_a4_1_is_the_equality_of_the_mean_with_the_formula",
        ("steps swapped", "int(i == k) for i in range(count)", "int(i != k) for i in range(count)"),
        ("the ratio is not used", "[mean.scaled(ratio) for ratio", "[mean for ratio"),
    ),
    *rows(
        "theory/engine/means.py",
        TERMS + "test_means_of_terms_are_means_of_entries",
        ("without the memory's mean", "else u.get((h, entry), fmpq(0))", "else to_fmpq(law[h])"),
        (
            "A transposed",
            "total[row * (D + 1) + column]",
            "total[column * (D + 1) + row if column < D else row * (D + 1) + D]",
        ),
    ),
    *rows(
        "theory/engine/means.py",
        TERMS + "test_the_law_of_contexts_by_hand",
        (
            "the law of the other end",
            "law[passage.target] += at[passage.outcome.state]",
            "law[passage.target] += at[passage.outcome.after]",
        ),
    ),
    *rows(
        "theory/engine/products.py",
        TERMS + "test_means_of_terms_are_means_of_entries",
        (
            "a numbers' mass is the law",
            "mass = LAW if term.weight is None else term.weight[0]\n            if a",
            "mass = LAW\n            if a",
        ),
        ("φ' is φ", "return self._cached(v, number, lambda: self._matrix(number) @ self._known[v])", "pass"),
        (
            "E φ'φ'ᵀ weighted with the law behind",
            "self.kind.enclosing(self._matrix(number).T) @ self._masses[mass])",
            "self._masses[mass])",
        ),
        (
            "memory from the right stays as it is",
            "ask((b, LAW), block, True, self._along(c, a))",
            "ask((b, LAW), block, False, self._along(c, a))",
        ),
        (
            "the adjoint links turned round",
            "links = {(j, k): self._weighted[c] for",
            "links = {(k, j): self._weighted[c] for",
        ),
        (
            "the mass of the memory's input ahead",
            "(G.scale_rows(C.T @ mass).T @ Y[k] if ahead else",
            "(G.scale_rows(mass).T @ Y[k] if ahead else",
        ),
        (
            "numbers of the memory one step late",
            "{(g, h): x for (h, g), x in self._weighted[c].items()}",
            "{(h, g): x for (h, g), x in self._weighted[c].items()}",
        ),
        (
            "coefficients of the first evaluation",
            "for powers, y in polynomials[passage.evaluation]:",
            "for powers, y in polynomials[0]:",
        ),
        (
            "the first number stands for all",
            "same = next((there for j, Y, there in columns if j == k and Y == X), None)",
            "same = next((there for j, Y, there in columns if j == k), None)",
        ),
    ),
    *rows(
        "theory/engine/products.py",
        TERMS + "test_sizes_that_grow_are_left_to_entries",
        ("signs cancel in sizes", "into[(g, k), (h, j)] += abs(x)", "into[(g, k), (h, j)] += x"),
    ),
    *rows(
        "theory/engine/products.py",
        TERMS + "test_means_of_terms_are_means_of_entries[dots_of_memory]",
        (
            "a product of the memory is a number of it",
            "term.weight is None or term.weight[1] == ONE for term",
            "True for term",
        ),
    ),
    *rows(
        "theory/engine/products.py",
        FIRST + "test_updates_without_a_limit",
        ("any K will do", "return None if len(values) > 1 else values.pop()", "return values.pop()"),
        ("numbers without a step are a K", "if x is None or term.column < 0 or", "if x is None or"),
    ),
    *rows(
        "theory/engine/terms.py",
        TERMS + "test_every_form_of_a_term",
        ("φ'ᵀφ' for φᵀφ'", "outcome.after if v == NEXT else s for v in", "outcome.after for v in"),
        (
            "numbers of this transition for those before",
            "self.contexts[passage.source][1 + self.fields.index(name)]",
            'getattr(outcome, name.removesuffix("_before"))',
        ),
        ("interest is one", "return to_fmpq(self.interest[s] if self.interest else 1)", "return to_fmpq(1)"),
        ("π is μ", '(self.model.target if name == "pi" else self.model.behaviour)', "self.model.behaviour"),
        ("what is looked at stays a symbol", "if name in self.fixed else symbol", "if False else symbol"),
    ),
    *rows(
        "theory/engine/terms.py",
        TERMS + "test_what_keeps_no_vector_whole_is_refused",
        ("two of a kind may meet", "if twice := factor.holds & self.space.holds(v):", "if twice := 0:"),
        ("a number may join a vector", "number.constant == 0 else self.apart()", "True else self.apart()"),
    ),
    *rows(
        "theory/engine/terms.py",
        TERMS + "test_what_is_kept_between_calls_shows",
        ("nobody asks again", "if not evaluations:", "if False:"),
        ("vectors of another call", "if other.space is not self.space:", "if False:"),
    ),
    *rows(
        "theory/engine/terms.py",
        TERMS + "test_memory_that_is_not_free_of_parameters_is_refused",
        ("a memory of parameters", "if term.column >= 0 or (any", "if (any"),
    ),
    *rows(
        "theory/engine/series.py",
        FIRST + "test_series_by_hand",
        (
            "the square of a step is a step",
            "first[k] = first[k] + self.still * x if k in first else self.still * x",
            "first[k] = first[k] + self.still * x if k in first else x",
        ),
        (
            "a quotient without its sign",
            "first = {k: -x * inverse * inverse",
            "first = {k: x * inverse * inverse",
        ),
        ("nothing was cut off", "self.beyond | y.beyond | cut)", "self.beyond | y.beyond)"),
        ("zero moves something", "if x.value != 0}", "}"),
    ),
    *rows(
        "theory/engine/first_order.py",
        FIRST + "test_momentum_without_a_limit",
        ("the circle is inside", "if sign != -1:", "if False:"),
        ("what grows decays", "if sign == 1:", "if False:"),
    ),
    *rows(
        "theory/engine/first_order.py",
        FIRST + "test_momentum_is_the_algorithm_at_another_ratio",
        ("L R is not one", "left = (left @ right).solve(left)", "(left @ right).solve(left)"),
        ("K is read as a step", "moved = left @ mean", "moved = mean.take(rows=range(self.D))"),
    ),
    *rows(
        "theory/engine/first_order.py",
        FIRST + "test_entries_and_whole_vectors_have_the_same_limit",
        ("tables without L", "(k, z * x * y) for", "(k, z * y) for"),
    ),
    *rows(
        "theory/engine/first_order.py",
        FIRST + "test_a_square_of_the_fast_step_outweighs_the_slow_one",
        ("what was cut off is small", "if any((j, (1, 1)) in beyond for j in rows):", "if False:"),
    ),
    *rows(
        "theory/certificate/checker",
        "theory/test_update_certificates.py::test_first_order_says_nothing_of_a_step",
        (
            "order: at given steps too",
            'isinstance(given["order"], bool) or starts:',
            'isinstance(given["order"], bool):',
        ),
        ("order: any of them", 'if given["order"] != 1 or', "if"),
    ),
    *rows(
        "theory/engine/certificates.py",
        "theory/test_update_certificates.py::test_first_order_in_the_steps",
        ("order: certificates do not say it", '{} if found.order is None else {"order": found.order}', "{}"),
    ),
    *rows(
        "theory/engine/regime.py",
        ENGINE + "test_steps_that_are_no_steps",
        (
            "products of steps pass as the first",
            "self.powers if sum(exponents) != 1), None)",
            "self.powers if sum(exponents) < 1), None)",
        ),
    ),
    *rows(
        "theory/engine/products.py",
        ENGINE + "test_terms_that_cancel_in_the_mean_are_terms",
        (
            "what cancels is not there",
            "if number in self._weighted}",
            "if sum(self._weighted.get(number, {}).values()) != 0}",
        ),
    ),
    *rows(
        "theory/engine/means.py",
        ENGINE + "test_what_the_first_transition_leaves_in_the_memory",
        ("every memory forgets its start", "self.kind, frozenset(begun))", "self.kind)"),
    ),
    *rows(
        "theory/engine/memory.py",
        ENGINE + "test_what_the_first_transition_leaves_in_the_memory",
        ("what began without input is infinite", "i in kept and (unknown[0], i) in fed for", "i in kept for"),
    ),
    *rows(
        "theory/engine/dynamics.py",
        ENGINE + "test_what_no_update_sees",
        ("predictions never depend on what is unseen", "< found.D and not found.sees_predictions(T)", "< 0"),
    ),
    *rows(
        "theory/engine/jumps.py",
        ENGINE + "test_what_stays_where_no_update_sees_it",
        ("what no update sees dies out", "    if not predicts_unseen(answer.found):\n", "    if True:\n"),
    ),
    *rows(
        "theory/engine/dynamics.py",
        ENGINE + "test_what_stays_where_no_update_sees_it",
        ("ratios of what is seen alone", "if not columns or predicts_unseen(found):", "if not columns:"),
    ),
    *rows(
        "theory/engine/dynamics.py",
        ENGINE + "test_two_time_scales_are_a_schur_complement",
        (
            "time scales: the fast one need not be stable",
            "if inner.mean_dynamics is not MeanDynamics.STABLE:",
            "if False:",
        ),
        ("time scales: mixed ones are apart", "if sum(len(basis) for basis, _ in seen) != len(columns) or", "if"),
    ),
    *rows(
        "theory/engine/nodes.py",
        ENGINE + "test_steps_that_are_no_steps",
        ("nodes: products of steps pass", "if sum(powers) != 1:", "if sum(powers) == 0:"),
    ),
    *rows(
        "theory/engine/dynamics.py",
        ENGINE + "test_two_time_scales_do_not_hide_what_no_update_sees",
        ("on two time scales all is seen", "_modulo_unseen(found, _decided(scales.slow))", "_decided(scales.slow)"),
    ),
    *rows(
        "theory/engine/means.py",
        ENGINE + "test_on_the_quotient_verdicts_are_those_about_the_four",
        ("the quotient by too small a space", "T = spanned(seen_rows(found, memory_spans(found)), D)", "pass"),
    ),
    *rows(
        "theory/engine/spans.py",
        ENGINE + "test_on_the_quotient_verdicts_are_those_about_the_four",
        ("only what has no memory is seen", "weight = vector[-1 if entry is None else entry]", "weight = vector[-1]"),
    ),
    *rows(
        "theory/engine/dynamics.py",
        ENGINE + "test_on_the_quotient_verdicts_are_those_about_the_four",
        (
            "the quotient without its map",
            "return found.kind.enclosing(T) @ joint.take(columns=columns) if",
            "return joint.take(columns=range(found.tables.D)) if",
        ),
    ),
    *rows(
        "theory/engine/dynamics.py",
        ENGINE + "test_two_time_scales_are_a_schur_complement",
        ("no Schur complement", "ss + carried @ fs, carried", "ss, carried"),
        ("slow and fast exchanged", "TimeScales(ff, ss + carried", "TimeScales(ss, ss + carried"),
    ),
    *rows(
        "theory/engine/dynamics.py",
        ENGINE + "test_what_no_update_sees",
        (
            "predictions need not be seen",
            "return Phi if RationalMatrix([*T.rows, *Phi.rows]).rank == T.shape[0] else None",
            "return Phi",
        ),
    ),
    *rows(
        "theory/engine/dynamics.py",
        ENGINE + "test_verdicts_are_those_about_the_four",
        (
            "the point of rest mirrored",
            ".solve(-(lifted @ g))",
            ".solve(lifted @ g)",
        ),
    ),
    *rows(
        "theory/check/step_size_ratio.py",
        ENGINE + "test_ratio_sets_by_hand",
        ("an eigenvalue through zero is missed", "hurwitz_determinant(J) * J.determinant()", "hurwitz_determinant(J)"),
    ),
    *rows(
        "theory/engine/jumps.py",
        ENGINE + "test_differences_of_runs_live_on_the_quotient",
        (
            "what the first steps see is not asked",
            "K.take(columns=columns) @ T != K:",
            "K.take(columns=columns) @ T is None:",
        ),
    ),
    *rows(
        "sims/updates/runs.py",
        SHELF + "test_runs_agree_with_moments[off_policy_td]",
        ("every run keeps its state", '            s = seen["after"]\n', '            s = seen["state"]\n'),
        (
            "the next state's features are this one's",
            "phi_next=self._rounded(Phi[:, after])",
            "phi_next=self._rounded(Phi[:, s])",
        ),
    ),
    *rows(
        "algorithms/traces.py",
        ENGINE + "test_lemma_a4_1_is_the_equality_of_the_mean_with_the_formula",
        (
            "a trace without its discount",
            "[t.discount * rho * row for row in rows[1:]]",
            "[rho * row for row in rows[1:]]",
        ),
        ("a trace without its λ", "t.phi + lam * z[k]", "t.phi + z[k]"),
    ),
    *rows(
        "algorithms/htd.py",
        SHELF + "test_means_by_blocks",
        ("w against the other vector", "(own @ w) * change)", "(change @ w) * own)"),
    ),
    *rows(
        "algorithms/etd.py",
        SHELF + "test_means_by_blocks",
        ("the follow-on trace without its ratio", "t.discount * t.rho * follow_on", "t.discount * follow_on"),
    ),
    *rows(
        "algorithms/etd_beta.py",
        SHELF + "test_means_by_blocks[etd_beta]",
        ("the follow-on trace goes on after an episode", "(t.discount > 0) * decay", "decay"),
    ),
    *rows(
        "theory/model/state_action.py",
        EXAMPLES + "test_values_of_actions",
        ("pairs: policies of the state left", "there = [after for _, _, after", "there = [s for s, _, _"),
        (
            "pairs: rewards of the action to come",
            "rows = [given[a].rows[s] for s, a, _",
            "rows = [given[0].rows[s] for s, _, _",
        ),
        ("pairs: the features of another action", "s * m + a for s, a, _ in triples", "s * m for s, a, _ in triples"),
    ),
    *rows(
        "sims/updates/runs.py",
        EXAMPLES + "test_expected_features_meet_runs_and_classes",
        (
            "expected features are those of the behaviour",
            "model.target_kernel.P @ model.features",
            "model.behaviour_chain.P @ model.features",
        ),
    ),
    *rows(
        "sweeps/spec.py",
        "sweeps/test_stability.py::test_a_changed_file_is_another_sweep",
        ("a sweep's digest knows folders", '"question": _by_content(self.question)', '"question": self.question'),
        (
            "a sweep's digest does not know files",
            "x.replace(_file(x), sources[_file(x)], 1)",
            'x.replace(_file(x), "", 1)',
        ),
    ),
    *rows(
        "algorithms/vtrace.py",
        SHELF + "test_means_by_the_one_formula",
        ("the clips exchanged", "lam * min(clip_trace, t.rho)", "lam * min(clip_error, t.rho)"),
    ),
    *rows(
        "algorithms/__init__.py",
        PAGES + "test_the_schedule_of_the_model_is_taken",
        ("the schedule's end is not looked at", "if len(names) == 1 and schedule.lambdas:", "if False:"),
    ),
    *rows(
        "algorithms/__init__.py",
        PAGES + "test_options_are_as_the_function_says_whatever_their_names",
        ("an option called lam is the model's", "names = algorithm.schedule", 'names = ("lam",)'),
        ("an option that stays is not said", "if algorithm.schedule or all(", "if True or all("),
    ),
    *rows(
        "algorithms/__init__.py",
        PAGES + "test_what_is_given_is_taken_where_it_is_the_default_too",
        (
            "an option that is given is the model's",
            "if not names or algorithm.given.intersection(names):",
            "if not names:",
        ),
    ),
    *rows(
        "theory/engine/declare.py",
        PAGES + "test_what_is_given_is_taken_where_it_is_the_default_too",
        ("what is given is not kept in mind", "given=self.given | options.keys()", "given=self.given"),
    ),
    *rows(
        "sims/phases/cells.py",
        "claims/test_phases.py::test_the_paths_of_a_function_are_those_under_the_schedule_of_the_row",
        ("paths are those of the options by default", "a if isinstance(a, str) else for_model(a, model)[0]", "a"),
    ),
    *rows(
        "sims/conformance/declared.py",
        "sims/test_conform_any.py::test_a_schedule_is_handed_over_where_the_update_asks_for_one_whatever_it_is_called",
        ("any option called lam is λ", "if name in of_schedule[:1]:", 'if name == "lam":'),
    ),
    *rows(
        "theory/engine/decreasing.py",
        "theory/test_decreasing.py::test_what_stands_in_the_way_is_said",
        ("decreasing: any power will do", "    if p > 1:\n", "    if p > 2:\n"),
        ("decreasing: memory that grows is not asked about", "if grown is not None:", "if False:"),
        ("decreasing: the unstable die out", "if state is MeanDynamics.UNSTABLE:", "if False:"),
        ("decreasing: slow steps are as good", '"" if 2 * p > 1 else SLOW', '""'),
    ),
    *rows(
        "theory/engine/decreasing.py",
        "theory/test_decreasing.py::test_the_first_update_is_the_first_within_the_forms",
        (
            "decreasing: the first update is later",
            "ceil(power(a / upto, 1 / p, True) - t0)",
            "ceil(power(a / upto, 1 / p, True))",
        ),
    ),
    *rows(
        "theory/engine/largest.py",
        "theory/test_decreasing.py::test_steps_of_updates_that_are_not_linear_in_them_are_bracketed",
        (
            "largest: the search goes the other way",
            "if found == -1 else (low, middle)",
            "if found == 1 else (low, middle)",
        ),
        ("largest: a wide bracket will do", "while high > low * NARROW:", "while high > low * 8:"),
    ),
    *rows(
        "theory/engine/error_bound.py",
        "claims/test_any_update.py::test_the_bound_is_of_what_rests_where_td_does",
        ("bound: of any point", "if wanted.take(rows=states) != rest.predictions:", "if False:"),
        ("bound: off-policy too", "if not model.is_on_policy_when_recurrent:", "if False:"),
        ("bound: always that of TD(0)", "model.with_schedule(_held(algorithm))", "model.with_schedule(Schedule())"),
    ),
    *rows(
        "analysis/advice/schedules_of.py",
        "claims/test_any_update.py::test_schedules_are_compared_for_any_update",
        ("schedules: all are the model's own", "model.with_schedule(candidate.schedule)", "model"),
    ),
    *rows(
        "analysis/simulated_runs.py",
        "claims/test_any_update.py::test_a_function_runs_and_diverges_as_it_should",
        ("drawn: nothing diverges", "<= DIVERGED) &", "<= 1e300) & False &"),
    ),
    *rows(
        "algorithms/schedules.py",
        "claims/test_any_update.py::test_a_kernel_is_chosen_by_the_terms",
        ("a kernel for other λ's", " or declared.options != usual:", ":"),
        ("a kernel for other terms", "one.off_policy, one.terms) == form)", "one.off_policy, one.terms) > form)"),
    ),
    *rows(
        "theory/engine/largest.py",
        "claims/test_any_update.py::test_a_diagram_of_a_memory_without_end_has_signs_of_mean_square",
        (
            "largest: any step is safe",
            "safe is not None and alpha <= safe.upto else None",
            "safe is not None else None",
        ),
        ("largest: growth is not seen", "if growth_of(own, ratios) is not None:", "if False:"),
    ),
)
"""All of them take a second or two."""
