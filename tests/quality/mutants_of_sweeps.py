"""Mutants of what sweeps ask: draws, margins, exact decisions, finds, limits."""

from __future__ import annotations

from tests.quality.edits import rows

FAMILIES, REFUTE, SURVEY = "sweeps/test_families.py::", "sweeps/test_refute.py::", "sweeps/test_survey.py::"

STABILITY = "sweeps/test_stability.py::"

MORE = (
    *rows(
        "sweeps/balls.py",
        f"{STABILITY}test_balls_hold_what_is_exact",
        ("a product without the error of a factor", " + self.error * np.abs(other.value)", ""),
        ("a quotient without the divisor's error", "(self.error + np.abs(value) * other.error)", "self.error"),
        ("a zero divisor taken for a number", "np.where((least > 0) & np.isfinite(error), error, np.inf)", "error * 0"),
        ("a sum without errors", "COVER * (self.error.sum(axis=0) + slack", "COVER * (0 * slack + slack"),
        (
            "elimination with stale rows",
            "_column_without(rows, k) * top[None]",
            "_column_without(rows, k) * rows[k][None]",
        ),
    ),
    *rows(
        "sweeps/balls.py",
        f"{STABILITY}test_signs_of_matrices_are_those_of_routh_in_fractions[3]",
        ("blurred numbers decide", "return self.value - self.error * (1 + 2 * UNIT) > 0", "return self.value > 0"),
        ("Routh stops early", "for _ in range(n):\n            first", "for _ in range(1):\n            first"),
    ),
    *rows(
        "sweeps/update_means.py",
        f"{STABILITY}test_what_is_decided_in_batches_is_decided_alike_in_fractions[vtrace]",
        (
            "the memory of another state",
            "stacked([u[h][j] for h in range(n)])[left]",
            "stacked([u[h][j] for h in range(n)])[left[::-1]]",
        ),
    ),
    *rows(
        "sweeps/update_means.py",
        f"{STABILITY}test_the_mean_of_the_memory_decides",
        (
            "a mean that is not discounted",
            "_one_minus(R, n, M), right)",
            "_one_minus([[x * x for x in row] for row in R], n, M), right)",
        ),
    ),
    *rows(
        "sweeps/update_means.py",
        f"{STABILITY}test_branches_are_followed_for_each_transition",
        ("unsure transitions go one way", "1: over if sharp else over | left", "1: over"),
        ("numbers as given compared as if computed", "used <= self.numbers.sharp and _is", "False and _is"),
        (
            "all cases count as the first",
            "old.error + np.abs(new.value - old.value) * (1 + 2.0**-40) + new.error",
            "old.error + new.error",
        ),
    ),
    *rows(
        "sweeps/questions/stability.py",
        f"{STABILITY}test_dependent_features_are_left_out_and_undecided_ones_counted",
        ("undecided models taken for stable", "share_limits(unstable + undecided, n,", "share_limits(unstable, n,"),
        ("more exact decisions than asked", "np.flatnonzero(found == 0)[: self.exact]", "np.flatnonzero(found == 0)"),
        ("constants not asked about", "rows = [[*row, 1] if self.with_one else row", "rows = [row"),
    ),
    *rows(
        "sweeps/questions/stability.py",
        f"{STABILITY}test_every_model_is_counted_once_and_examples_are_what_they_are_said_to_be",
        (
            "disagreements turned round",
            "(found == STABLE) & (theirs == UNSTABLE)",
            "(found == UNSTABLE) & (theirs == STABLE)",
        ),
    ),
    *rows(
        "sweeps/questions/stability.py",
        f"{STABILITY}test_positions_are_those_of_the_models_drawn",
        ("examples of another model", "int(kept[apart[0]])", "int(apart[0])"),
    ),
    *rows(
        "sweeps/spec.py",
        f"{STABILITY}test_a_changed_file_is_another_sweep",
        ("files without their digests", '**({"sources": sources} if sources else {})', "**{}"),
    ),
    *rows(
        "sweeps/draws.py",
        f"{FAMILIES}test_an_index_is_drawn_alone_as_in_a_batch[uniform]",
        ("counters overlap between indices", "counter=self.first * blocks", "counter=self.first"),
        ("every batch begins anew", "counter=self.first * blocks", "counter=0"),
    ),
    *rows(
        "sweeps/draws.py",
        f"{FAMILIES}test_names_indices_and_sweeps_have_draws_of_their_own",
        ("names share their draws", 'f"{self.key}/{name}"', 'f"{self.key}"'),
    ),
    *rows(
        "sweeps/batch.py",
        f"{FAMILIES}test_batches_have_the_matrices_of_their_models[uniform-off_policy]",
        ("the law is the target's", "law = stationary_law(chain)", "law = stationary_law(N)"),
        ("discounts per state, but of the first action", "_column(gammas[:, a])", "_column(gammas[:, 0])"),
    ),
    *rows(
        "theory/check/decide.py",
        f"{REFUTE}test_fast_decisions_are_those_of_the_claims[negative_margin-on_policy]",
        (
            "semidefinite taken for definite",
            "signs.definite(matrix) if statement.strict else signs.semidefinite(matrix)",
            "signs.definite(matrix)",
        ),
    ),
    *rows(
        "sweeps/screen.py",
        "sweeps/test_screen.py::test_the_margin_of_a_chain_is_that_of_the_last_conclusion_whose_premise_holds",
        ("a chain's premise alone", "np.where(first > 0.0, second, found)", "np.where(first > 0.0, first, found)"),
    ),
    *rows(
        "sweeps/screen.py",
        "sweeps/test_screen.py::test_margins_have_the_signs_of_exact_decisions",
        ("a form on states in the wrong unit", "S.array / (root * root.transpose(1, 0, 2))", "-S.array / root"),
    ),
    *rows(
        "sweeps/exact.py",
        f"{REFUTE}test_fast_decisions_leave_alone_what_they_do_not_decide",
        ("coverage is not asked", "any(p and not b for row", "any(b and not p for row"),
        ("chains with transient states too", "all(sign * x > 0", "all(sign * x >= 0"),
    ),
    *rows(
        "sweeps/hunt.py",
        f"{REFUTE}test_a_claim_refuted_with_all_its_hypotheses_is_shouted",
        (
            "what is refuted is passed over",
            "if status is Status.REFUTED or k >= len(suspects):",
            "if status is Status.HOLDS:",
        ),
    ),
    *rows(
        "sweeps/hunt.py",
        f"{REFUTE}test_all_are_decided_where_no_margin_is_known",
        ("models that violate nothing are asked too", "if asked.dropped and not asked.violated(model):", "if False:"),
    ),
    *rows(
        "sweeps/shrink.py",
        f"{REFUTE}test_one_model_in_ten_thousand_is_found_and_shrunk_to_its_smallest_form",
        (
            "the model as it was found",
            "draft, best, improved = other, candidate, True",
            "draft, improved = other, True",
        ),
        (
            "smaller, and no counterexample",
            "size(candidate) < size(best) and wanted(candidate)",
            "size(candidate) < size(best)",
        ),
    ),
    *rows(
        "sweeps/questions/finds.py",
        f"{REFUTE}test_a_claim_refuted_with_all_its_hypotheses_is_shouted",
        ("a refuted claim is not a surprise", "        if not find.violated\n", "        if False\n"),
    ),
    *rows(
        "sweeps/questions/finds.py",
        f"{REFUTE}test_finds_are_compared_when_the_sweep_is_complete",
        (
            "a sweep cut short searches the boxes too",
            "_own(asked, find) if complete else",
            "_own(asked, find) if True else",
        ),
    ),
    *rows(
        "sweeps/questions/distributions.py",
        f"{SURVEY}test_floats_are_called_floats_and_a_quantity_without_values_is_shown",
        ("floats are called exact", '"float" if quantity in FLOATS else "exact"', '"exact"'),
    ),
    *rows(
        "sweeps/questions/refute.py",
        f"{REFUTE}test_the_stated_reading_drops_what_the_correction_adds",
        (
            "the stated reading keeps what was added",
            "kept = [name for name in kept if name not in added]",
            "kept = [name for name in kept if name]",
        ),
    ),
    *rows(
        "sweeps/statistics.py",
        f"{SURVEY}test_limits_of_shares_cover[5]",
        ("limits on one side only", "beta.ppf(tail, successes,", "beta.ppf(2 * tail, successes,"),
        (
            "one success too many",
            "beta.isf(tail, successes + 1, trials - successes)",
            "beta.isf(tail, successes, trials - successes + 1)",
        ),
    ),
    *rows(
        "sweeps/statistics.py",
        f"{SURVEY}test_limits_of_quantiles_cover_and_are_the_closest_that_do[p1-60]",
        ("the next order statistic", "ordered[low - 1] if low >= 1", "ordered[low] if low >= 1"),
    ),
    *rows(
        "sweeps/questions/distributions.py",
        f"{SURVEY}test_shares_count_what_is_undecided_both_ways",
        (
            "the undecided count as unstable",
            "share_limits(stable + undecided, n, level)[1]",
            "share_limits(stable, n, level)[1]",
        ),
    ),
    *rows(
        "sweeps/quantities.py",
        f"{SURVEY}test_numbers_are_those_of_the_exact_matrices",
        ("the bound with κ in place of κ²", "(1.0 - kappa * kappa) * (left.T", "(1.0 - kappa) * (left.T"),
    ),
)
"""Those of the thorough profile."""
