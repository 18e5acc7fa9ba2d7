"""Mutants of certificates for ever: steps shifted, squares and error terms forgotten, signs turned round."""

from __future__ import annotations

from tests.quality.edits import rows

TESTS = "theory/test_for_ever.py::"

MUTANTS = (
    *rows(
        "theory/laws/decreasing_steps.py",
        TESTS + "test_one_time_by_hand",
        (
            "steps shifted by one",
            "self.a * power(t + self.t0, -self.p, up)",
            "self.a * power(t + 1 + self.t0, -self.p, up)",
        ),
    ),
    *rows(
        "theory/laws/decreasing_steps.py",
        TESTS + "test_the_numbers_of_the_steps_bound_the_steps",
        ("the sum of squares begins too late", "t + self.t0 - Fraction(1, 2), 1", "t + self.t0 + Fraction(1, 2), 1"),
        ("ϑ without the power", "self.p / self.a * power", "1 / self.a * power"),
    ),
    *rows(
        "theory/laws/error_process.py",
        TESTS + "test_the_coin_by_hand",
        ("the error about −θ*", "row[D] += sum(", "row[D] -= sum("),
        ("Poisson equation of the wrong sign", "[move.target] -= move.p", "[move.target] += move.p"),
    ),
    *rows(
        "theory/laws/for_ever.py",
        TESTS + "test_a_correction_that_does_not_solve_its_equation_leaves_an_order",
        ("the residual forgotten", "if i < divisor:", "if False:"),
    ),
    *rows(
        "theory/laws/for_ever.py",
        TESTS + "test_the_chance_by_hand",
        ("Ville without the error terms", "later = ZERO if once else", "later = ZERO if True else"),
        ("ε for ε²", "/ (floor * within**2)", "/ (floor * within)"),
        ("λ forgotten", "/ (floor * within**2)", "/ within**2"),
        ("M without ϑ", "phase.noise / (phase.decay - steps.variation(phase.start))", "phase.noise / phase.decay"),
        ("the order of the excess forgotten", "steps.p * phase.order, True", "steps.p, True"),
    ),
    *rows(
        "theory/laws/for_ever.py",
        TESTS + "test_second_moments_are_those_of_the_exact_propagation",
        ("moments rounded downwards", "[x + n for x in", "[x for x in"),
    ),
    *rows(
        "theory/laws/for_ever.py",
        TESTS + "test_the_noise_is_its_long_run_mean",
        ("the worst window for the mean", "S = process.poisson(second)", "S = 0 * process.poisson(second)"),
    ),
    *rows(
        "theory/certificate/checker.py",
        TESTS + "test_tampered_certificates_are_rejected",
        ("the floor is not asked", "[X - floor * unit for X in parts[0]]", "parts[0]"),
        ("any order of the excess", "or m * theta > c or", "or"),
        (
            "the start need not be a law",
            "if min(law) < 0 or sum(integers(law)[0]) != integers(law)[1]:",
            "if min(law) < 0:",
        ),
        ("less decay, or more, without the step", "[x - c * y for x, y in zip(plain", "[x for x, y in zip(plain"),
    ),
    *rows(
        "theory/certificate/checker.py",
        TESTS + "test_the_checker_accepts_and_not_one_step_earlier",
        ("the checker's Ville without error terms", "if e + phases[-1][2] * steps.squares_from(time) >", "if e >"),
        ("the checker's ε for ε²", "(1 - probability) * floor * within**2:", "(1 - probability) * floor * within:"),
    ),
)
