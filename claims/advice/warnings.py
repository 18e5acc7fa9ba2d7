"""What a user should know before trusting a run: each warning with its numbers, fired by certain ends of them alone.

Thresholds are choices; they stand beside the questions, in units that mean something: factors of steps, of errors, of
digits.
"""

from __future__ import annotations

from typing import Any

from claims.advice import warnings_algorithms as algorithms
from claims.advice import warnings_chain as chain
from claims.advice.comparison import Comparison
from claims.advice.facts import Facts
from claims.advice.warned import SEVERITIES, Answer, Warned


def warnings(facts: Facts, compared: Comparison) -> dict[str, Any]:
    """The keys of analysis.json: what fired, most serious first; what was asked; what was not, and why."""
    answers: dict[str, Answer] = {
        "coverage": chain.coverage(facts),
        "mean_dynamics": algorithms.mean_dynamics(facts),
        "value_not_unique": algorithms.value_not_unique(facts),
        "several_classes": chain.several_classes(facts),
        "trace_variance": algorithms.trace_variance(facts, compared),
        "error_amplified": algorithms.error_amplified(facts, compared),
        "slow_dynamics": algorithms.slow_dynamics(facts, compared),
        "condition_of_A": algorithms.condition_of_A(facts),
        "condition_of_C": algorithms.condition_of_C(facts),
        "slow_mixing": chain.slow_mixing(facts),
        "large_ratio": chain.large_ratio(facts),
        "rare_states": chain.rare_states(facts),
        "transient_growth": algorithms.transient_growth(facts),
        "not_unique": algorithms.not_unique(facts),
        "transient_states": chain.transient_states(facts),
    }
    fired = [answer for answer in answers.values() if isinstance(answer, Warned)]
    return {
        "warnings": [w.document() for w in sorted(fired, key=lambda w: SEVERITIES.index(w.severity))],
        "warnings_asked": [name for name, answer in answers.items() if not isinstance(answer, str)],
        "warnings_not_asked": [{"id": name, "why": why} for name, why in answers.items() if isinstance(why, str)],
    }
