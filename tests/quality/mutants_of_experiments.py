"""Mutants of the experiments of A5: runs that are not what they are called, orders that were not shown."""

from __future__ import annotations

from tests.quality.edits import rows

BAIRD = "claims/test_baird_facts.py::"
RUNS = "sims/test_experiments.py::"
WALK, CHAIN = "claims/test_exp_random_walk_100.py::", "claims/test_exp_random_chain.py::"

MUTANTS = (
    *rows(
        "sims/experiments/episodes.py",
        f"{RUNS}test_joined_episodes_are_episodes_one_after_the_other[EqualWeights(2,4)]",
        ("the trace runs on across episodes", "joined(drawn.discounts, 0.0)", "joined(drawn.discounts, 0.95)"),
        ("the joints are learnt from", "np.full(self.length, alpha), 0.0)", "np.full(self.length, alpha), alpha)"),
    ),
    *rows(
        "sims/experiments/random_walk_100.py",
        f"{RUNS}test_orders_are_read_off_every_marked_step",
        ("below at one mark is enough", "[np.all(mine <", "[np.any(mine <"),
        ("below one rival is enough", "np.asarray(np.all([np.all", "np.asarray(np.any([np.all"),
    ),
    *rows(
        "sims/experiments/random_walk_100.py",
        f"{RUNS}test_the_exact_mean_of_td0_is_the_sum_over_all_paths",
        ("an episode starts where the last one ended", "m, d = np.outer(start, m.sum(axis=0)), start", "pass"),
    ),
    *rows(
        "sims/experiments/random_walk_100.py",
        f"{RUNS}test_the_mean_flow_is_the_mean_increment_over_all_paths[EqualWeights(1,3)]",
        ("lags reach beyond the episode", "visits = visits - laws[length - 1 - k]", "pass"),
    ),
    *rows(
        "sims/experiments/random_chain.py",
        f"{RUNS}test_sweeps_average_marks_and_groups",
        ("the best α is an average one", "self.averages.min(axis=0)", "self.averages.mean(axis=0)"),
    ),
    *rows(
        "sims/experiments/random_chain.py",
        f"{RUNS}test_runs_that_diverge_are_infinite_from_there_on",
        ("a run that diverged keeps its last θ", "np.where(gone, np.inf, errors)", "errors"),
    ),
    *rows(
        "claims/exp_random_walk_100.py",
        f"{WALK}test_the_verdicts_follow_the_runs",
        ("lower at one α is enough", "shown = np.all([c.lowest(a51.PAPER", "shown = np.any([c.lowest(a51.PAPER"),
    ),
    *rows(
        "claims/exp_random_walk_100.py",
        f"{WALK}test_what_decides_the_printed_reading_is_named_only_if_every_mdp_shows_it",
        ("one MDP speaks for all", "if all(one.agreement", "if any(one.agreement"),
    ),
    *rows(
        "claims/exp_random_chain.py",
        f"{CHAIN}test_the_sentence_is_shown_where_it_holds_and_not_for_a_schedule_that_loses",
        ("one η is enough", "np.all([c.scheduled.best", "np.any([c.scheduled.best"),
    ),
    *rows(
        "claims/exp_random_chain.py",
        f"{CHAIN}test_the_printed_reading_holds_only_if_the_runs_say_so",
        ("it holds, whatever the groups show", "    if found.agreement.agrees:\n", "    if found.agreement.n:\n"),
        ("one comparison is enough", "np.all([c.scheduled.averages", "np.any([c.scheduled.averages"),
    ),
    *rows(
        "claims/exp_baird.py",
        f"{BAIRD}test_a_sentence_without_its_discount_is_judged_by_what_was_seen",
        ("γ decides, whatever was seen", "if all(one.agreement", "if any(one.agreement"),
    ),
    *rows(
        "claims/exp_gtd_lambda.py",
        f"{BAIRD}test_a_sentence_without_its_discount_is_judged_by_what_was_seen",
        ("confirmed at one discount is enough", "if not all(one.agreement", "if not any(one.agreement"),
    ),
    *rows(
        "theory/laws/error_curves.py",
        "theory/test_error_curves.py::test_two_steps_by_hand",
        ("the square of the mean for the mean square", "np.trace(second[theta, theta])", "mean @ mean"),
    ),
)
