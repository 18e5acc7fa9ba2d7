"""Mutants of the advice about a user's model: numbers behind warnings, what a comparison says, what a run may claim."""

from __future__ import annotations

from tests.quality.edits import rows

FIRES = "claims/test_warnings.py::test_it_fires_where_it_should"
COIN = "claims/test_schedule_comparison.py::test_every_schedule_on_the_fair_coin[3]"
DATED = "claims/test_schedule_comparison.py::test_a_trade_between_error_and_variance_is_dated"

MUTANTS = (
    *rows(
        "theory/check/conditioning.py", "claims/test_warnings.py::test_the_condition_number_by_hand",
        ("condition: the norm of A alone", "return low * inverse_low, high * inverse_high", "return low, high"),
    ),
    *rows(
        "theory/check/conditioning.py", "claims/test_warnings.py::test_updates_before_an_error_has_shrunk",
        ("updates: twice as many are promised", "/ (2 * size * abs(abscissa)) - 1", "/ (size * abs(abscissa)) - 1"),
    ),
    *rows(
        "claims/advice/answer.py", DATED,
        ("a trade is dated by one variance alone", "(near[2].upper - calm[2].lower) /", "near[2].upper /"),
    ),
)
MORE = (
    *rows(
        "theory/check/conditioning.py", "claims/test_warnings.py::test_the_inflation_of_two_states",
        ("inflation: only one side of the long-run variance", ".scaled(2) - square, square", " - square, square"),
        ("inflation: the function is not centred", "centred = given - ones @ (d.T @ given)", "centred = given"),
    ),
    *rows(
        "claims/advice/warned.py", f"{FIRES}[slow_mixing-warning]",
        ("warnings fire below their threshold", "if number >= warning else", "if number >= warning / 2 else"),
    ),
    *rows(
        "theory/check/fixed_point.py", COIN,
        ("the bound with 1 − κ in the place of 1 − κ²", "return 1 / (1 - kappa * kappa)", "return 1 / (1 - kappa)"),
    ),
    *rows(
        "theory/check/averaging.py", "claims/test_warnings.py::test_the_second_moment_of_an_endless_trace",
        ("the last ratio of the trace is not squared", "ratio_moments(model, 2)", "ratio_moments(model, 1)"),
    ),
    *rows(
        "claims/advice/simulation.py",
        "claims/test_model_simulation.py::test_the_right_kernel_agrees_and_a_wrong_one_is_noticed",
        (
            "a simulation that contradicts theory holds", "Status.HOLDS if found.agrees else Status.REFUTED",
            "Status.HOLDS",
        ),
    ),
)
