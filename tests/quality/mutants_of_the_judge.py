"""Mutants of the statistical judge: rates and powers that are not what they are called, looks that are not paid for."""

from __future__ import annotations

from tests.quality.edits import rows

ONCE, EARLY = "sims/test_agreement.py::", "sims/test_sequential.py::"

MUTANTS = (
    *rows(
        "sims/judge/catoni.py",
        f"{ONCE}test_radius_is_the_formula_of_the_docstring",
        ("half the level", "+ level / (self.rate * self.n)", "+ level / (2 * self.rate * self.n)"),
        ("the variance is left out of the radius", "self.rate * variance / 2 + level", "level"),
    ),
    *rows(
        "sims/judge/catoni.py",
        f"{ONCE}test_the_exact_rate_on_two_point_laws[0.01]",
        ("ψ is the plain deviation", "np.copysign(np.log1p(size + 0.5 * size * size), x)", "x + 0 * size"),
    ),
    *rows(
        "sims/judge/catoni.py",
        f"{ONCE}test_deviations_of_the_declared_size_are_caught[normal-4000]",
        ("the threshold is counted once in the power", "(3 * level - np.log(miss))", "(2 * level - np.log(miss))"),
        ("a miss rate above one half", "level - np.log(miss))", "level + np.log(miss))"),
    ),
    *rows(
        "sims/judge/catoni.py",
        f"{EARLY}test_early_agreement_lets_pass_what_the_declared_deviation_allows",
        ("samples are not centred", "(rows - self.center)", "rows"),
    ),
    *rows(
        "sims/judge/agreement.py",
        f"{ONCE}test_union_bound_and_worst_coordinate",
        ("no union over the coordinates", "(shared_by or k)", "(shared_by or 1)"),
    ),
    *rows(
        "sims/judge/agreement.py",
        f"{ONCE}test_radius_is_the_formula_of_the_docstring",
        ("one side only", "log(2 * (shared_by", "log(1 * (shared_by"),
    ),
    *rows(
        "sims/judge/agreement.py",
        f"{ONCE}test_distance_of_the_law_is_taken_off_alpha",
        ("the law's distance is forgotten", "/ (alpha - law_distance))", "/ alpha)"),
    ),
    *rows(
        "sims/judge/agreement.py",
        f"{ONCE}test_the_variance_enters_by_its_upper_end",
        ("the variance is taken as exact", "np.maximum(spread + unsure, 0.0)", "np.maximum(spread, 0.0)"),
    ),
    *rows(
        "sims/judge/agreement.py",
        f"{ONCE}test_slack_widens_the_radius_and_is_needed",
        ("the mean's slack is forgotten", "self.data_slack + self.mean_slack", "self.data_slack + 0 * self.mean_slack"),
        ("the data's slack is forgotten", "self.data_slack + self.mean_slack", "self.mean_slack"),
    ),
    *rows(
        "sims/judge/agreement.py",
        f"{EARLY}test_the_slack_of_every_batch_counts",
        ("only the last batch's slack counts", "np.maximum(self.data_slack, data_slack)", "0 * self.mean + data_slack"),
    ),
    *rows(
        "sims/judge/agreement.py",
        f"{ONCE}test_the_budget_cannot_be_overspent",
        ("a name may spend twice", "if name in self.spent:", "if False:"),
        ("the budget may be overspent", "if sum(self.spent.values()) + share >", "if share >"),
    ),
    *rows(
        "sims/judge/sequential.py",
        f"{EARLY}test_deviations_of_the_declared_size_are_caught[normal-4000]",
        ("one side excluded is enough", "self.excluded.all(axis=0)", "self.excluded.any(axis=0)"),
        ("agreement at an even chance", "log(2 / MISS)", "log(2)"),
        ("a farther mean is excluded", "sign * delta, rate", "sign * 2 * delta, rate"),
    ),
    *rows(
        "sims/judge/sequential.py",
        f"{EARLY}test_one_coordinate_that_is_off_is_not_outvoted",
        ("the first coordinate that agrees decides", "exclusion.complete.all()", "exclusion.complete.any()"),
    ),
    *rows(
        "sims/judge/sequential.py",
        f"{EARLY}test_easy_cases_stop_early",
        ("a contradiction waits for the end", "if test.contradicted.any() or last", "if last"),
        ("agreement waits for the end", "exclusion.complete.all()", "False"),
    ),
    *rows(
        "sims/judge/sequential.py",
        f"{EARLY}test_slack_is_taken_off_on_both_sides",
        ("agreement in spite of slack", " + self.test.slack[moving]", ""),
    ),
    *rows(
        "sims/judge/sequential.py",
        f"{EARLY}test_what_cannot_be_promised_is_refused",
        ("any deviation may be declared", "if (declared < least).any():", "if False:"),
        ("looks may end early", "times[-1] != max_samples or ", ""),
    ),
    *rows(
        "sims/judge/replication.py",
        "sims/test_replication.py::test_ten_of_ten_show_more_than_a_half_at_one_in_a_thousand",
        ("the tail leaves out what was seen", "for j in range(k, n + 1)", "for j in range(k + 1, n + 1)"),
        ("half of the runs are enough", "return self.shown >= needed", "return 2 * self.shown > self.n or 0 > needed"),
        ("the distance of the laws is not taken off", " - Fraction(self.law_distance)", ""),
        ("the bound is rounded up", "return Fraction(below, GRAIN)", "return Fraction(above, GRAIN)"),
    ),
    *rows(
        "sims/judge/replication.py",
        "sims/test_lyapunov.py::test_an_interval_misses_as_often_as_it_says_whatever_the_law[0.9-5-normal]",
        ("one sample too many is left out beside a median", "> miss), n) - 1", "> miss), n)"),
    ),
    *rows(
        "sims/growth.py",
        "sims/test_lyapunov.py::test_an_interval_misses_as_often_as_it_says_whatever_the_law[0.9-5-heavy]",
        ("each end of a median's interval spends all", "- Fraction(1, 2**52)) / 2", "- Fraction(1, 2**52))"),
        (
            "Student's t for the mean, not the median",
            "float(ordered[k]) - rounding, float(ordered[-1 - k]) + rounding",
            "*(samples.mean() + x * samples.std(ddof=1) / 20**0.5 for x in (-1.73, 1.73))",
        ),
    ),
    *rows(
        "sims/growth.py",
        "sims/test_lyapunov.py::test_what_the_law_sampled_differs_by_is_taken_off",
        ("the distance of the law of paths is forgotten", " - Fraction(distance)", ""),
        ("a level next to one is taken as exact", " - Fraction(1, 2**52)", ""),
    ),
    *rows(
        "sims/growth.py",
        "sims/test_lyapunov.py::test_a_sign_that_enough_runs_have_is_found",
        ("half of the runs are called enough", "enough(self.runs, self.runs - beyond", "enough(self.runs, 0 * beyond"),
    ),
)
