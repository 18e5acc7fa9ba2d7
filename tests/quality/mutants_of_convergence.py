"""Mutants of almost-sure convergence: steps that follow a period, the rate and its numbers, the bound on a ratio."""

from __future__ import annotations

from tests.quality.edits import rows

HERE = "claims/test_almost_sure_convergence.py::"
RATE = f"{HERE}test_almost_sure_rate_"
RATIO = f"{HERE}test_time_scale_ratio_suffices_"

MUTANTS = (
    *rows(
        "claims/limit.py",
        "claims/test_transient_states.py::test_where_a_start_is_not_covered_the_sentence_says_of_which_starts_it_speaks",
        (
            "a start without coverage is passed over",
            "if not model.uncovered:",
            "if not model.uncovered_when_recurrent:",
        ),
    ),
    *rows(
        "claims/time_scale_ratio_suffices.py",
        "claims/test_transient_states.py::test_where_a_start_is_not_covered_the_sentence_says_of_which_starts_it_speaks",
        ("a bounded ratio is said of every start", 'detail=f"{said}{starts(model)}"', 'detail=f"{said}"'),
    ),
    *rows(
        "claims/limit.py",
        f"{HERE}test_thm_4_3_steps_that_follow_the_clock_lead_elsewhere",
        ("a period is passed over", "period(states).period > 1:", "period(states).period > 3:"),
        ("the clock starts with the trace", "phase = (first + length) % evidence.period", "phase = first"),
    ),
    *rows(
        "claims/limit.py",
        f"{HERE}test_thm_4_3_is_decided_by_the_mean_update_of_each_phase",
        (
            "a period alone refutes",
            "return Verdict(Status.UNDECIDED, detail=detail)\n\n\ndef refute_hurwitz",
            "return Verdict(Status.REFUTED, detail=detail)\n\n\ndef refute_hurwitz",
        ),
    ),
    *rows(
        "claims/limit.py",
        f"{HERE}test_where_that_is_not_shown_nothing_is_said_of_a_schedule_without_an_end",
        (
            "a trace without an end converges as any other",
            "    if model.schedule.length is None and not (",
            "    if False and not (",
        ),
        ("the run that outgrows the steps: q for q²", "p * (q * q)", "p * (q * 2)"),
        ("negative features cannot cancel", "if any(x < 0 for s in states", "if any(x < -9 for s in states"),
        (
            "features of the state are not asked for",
            "if len(taken) != 1 or not any(model.features.rows[s]):",
            "if len(taken) != 1:",
        ),
        (
            "the error there is not asked for",
            '(along(path, its.delta(0)), "!=", "0")',
            '(along(path, its.discount(0)), "!=", "0")',
        ),
    ),
    *rows(
        "claims/limit.py",
        f"{HERE}test_td_on_policy_converges_without_an_end",
        ("no TD without an end", "not (dynamics is td_dynamics and", "not (dynamics is None and"),
    ),
    *rows(
        "claims/thm_4_2.py",
        f"{HERE}test_thm_4_2_says_for_which_steps",
        ("a period of two is taken for none", "if period == 1 else", "if period <= 2 else"),
    ),
    *rows(
        "theory/laws/rate.py",
        f"{RATE}has_the_constants_that_its_theorem_asks_for",
        (
            "the solutions of the Poisson equations are not bounded",
            "(values, poisson_solution(chain, values))",
            "(values,)",
        ),
        ("c twice too large", "return 2 / trace((-A", "return 4 / trace((-A"),
        (
            "windows entered for windows left",
            "for ends in (chain.source, chain.target)",
            "for ends in (chain.target, chain.target)",
        ),
    ),
    *rows(
        "theory/laws/rate.py",
        f"{RATE}judges_the_numbers",
        ("steps shifted by one", "return self.a / (t + self.t0)", "return self.a / (t + 1 + self.t0)"),
        ("κ_0 for κ_0²", "noise <= self.kappa0**2", "noise <= self.kappa0"),
        ("the residual is forgotten", "over * self.t0 >= 1200 * self.kappa0", "over * self.t0 >= 0"),
        ("M does not cover the noise", "over * self.M >= 1200 * self.kappa0", "over * self.M >= 0"),
    ),
    *rows(
        "theory/laws/rate.py",
        f"{RATE}the_time_for_ever_after_is_the_least",
        ("ε² for ε", "/ (epsilon * delta))", "/ (epsilon**2 * delta))"),
        ("one step too early", "ceil(apart) + 1 - self.t0", "ceil(apart) - self.t0"),
        ("Ville without the error terms", "24 * (self.M + 600 * self.kappa0) / (eps", "24 * self.M / (eps"),
    ),
    *rows(
        "claims/almost_sure_rate.py",
        f"{RATE}judges_the_numbers",
        ("numbers that the theorem refuses are taken", "if rate.unmet():", "if False:"),
        ("paths are not held against the bound", "times = [t for t in FIRST_TIMES if", "times = [t for t in () if"),
    ),
    *rows(
        "claims/almost_sure_rate.py",
        f"{RATE}asks_of_the_updates_that_c_exists",
        ("no c is asked for", "if not is_positive_definite(-A.symmetric_part()):", "if False:"),
        ("A that updates do not meet", "if behaviour_matrices(model, states).A != A:", "if False:"),
    ),
    *rows(
        "claims/almost_sure_rate.py",
        f"{RATE}off_its_hypotheses",
        ("a trace that does not fade is passed over", "if not schedules_without_end.fades(model):", "if False:"),
    ),
    *rows(
        "theory/identities/step_noise.py",
        f"{RATE}induction_steps_can_fail",
        ("the drift may be fast", "a, s = 1 / (1 + i), 1 + j", "a, s = 1 + i, 1 + j"),
        ("steps may be large", "    alpha = 1 / (1 + i)\n    return", "    alpha = 1 + i\n    return"),
    ),
    *rows(
        "theory/check/step_size_ratio.py",
        f"{RATIO}bounds_are_bounds",
        ("the mean eigenvalue for the largest", "K2 = mean + root_above(", "K2 = mean + 0 * root_above("),
        ("Aᵀ for A", "slow, cross, sums = A.T @ K, K @ A.T @ K,", "slow, cross, sums = A @ K, K @ A @ K,"),
    ),
    *rows(
        "theory/check/step_size_ratio.py",
        f"{RATIO}loses_nothing_for_one_feature",
        ("half the bound", "return 2 * self.c / slope", "return self.c / slope"),
        ("K₂ once", "+ 2 * self.K2\n", "+ self.K2\n"),
        ("the cross term whole", "squares(cross - sums.scaled(tau))", "squares(cross)"),
    ),
    *rows(
        "theory/check/step_size_ratio.py",
        f"{RATIO}the_root_is_above",
        ("the root below", "// x.denominator) + 1, 2**shift)", "// x.denominator), 2**shift)"),
    ),
    *rows(
        "claims/time_scale_ratio_suffices.py",
        f"{RATIO}judges_its_numbers",
        ("the joint matrix is not looked at", "if not is_stable(", "if False and not is_stable("),
        ("its inequalities are not looked at", "if numbers.status is not Status.HOLDS:", "if False:"),
    ),
)
