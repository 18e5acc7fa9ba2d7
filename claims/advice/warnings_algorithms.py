"""Warnings about matrices, fixed points, rates and traces."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

from claims.advice.comparison import Comparison
from claims.advice.facts import Facts
from claims.advice.quantity import digits
from claims.advice.warned import NOT_KNOWN, ONE_CLASS, Answer, Warned, listed, severity, shown
from theory.arithmetic import RationalMatrix
from theory.check.averaging import on_policy_trace_bound
from theory.check.conditioning import updates_per_e_fold
from theory.check.mean_dynamics import MeanDynamics
from theory.check.traces import bounded_trace, growing_vector, has_second_moments, ratio_kernel, reached
from theory.model.key_matrices import tdc_matrix

NAMES = {"td": "TD", "off_policy_td": "off-policy TD", "gtd": "GTD", "tdc": "TDC"}
STABLE = (MeanDynamics.STABLE, MeanDynamics.STABLE_MODULO_NULL_SPACE)

CONDITION = Fraction(10**4), Fraction(10**8)
"""A quarter, and half, of the sixteen digits of floats."""
UPDATES = Fraction(10**3), Fraction(10**6)
"""Updates before the slowest part of the mean error has shrunk by e, whatever the constant step."""
AMPLIFIED = Fraction(10**2), Fraction(10**4)
"""Squared: the fixed point is ten, and a hundred, times as far from the true value as the features allow."""
TRACE = Fraction(10), Fraction(10**3)
"""Times the second moment that the trace can have on-policy."""


def mean_dynamics(facts: Facts) -> Answer:
    """Algorithms whose mean dynamics are not stable, or not known to be."""
    parts = [facts.document, *facts.document.get("classes", ())]
    found: dict[str, str] = {}
    for part in parts:
        rows = part.get("algorithms") or {}
        same = ("off_policy_td",) if rows.get("td") else ()  # one matrix under two names
        states = {name: row["mean_dynamics"] for name, row in rows.items() if row and name not in same}
        found |= {name: str(state) for name, state in states.items() if state not in STABLE}
    if not found:
        return None
    sentences = []
    for kind, words in (
        (MeanDynamics.UNSTABLE, "diverge: an eigenvalue has positive real part"),
        (MeanDynamics.MARGINAL, "are not stable: an eigenvalue lies on the imaginary axis"),
        (MeanDynamics.UNDECIDED, "were shown to be neither stable nor unstable"),
    ):
        who = [NAMES[name] for name, state in found.items() if state == kind]
        if who:
            sentences.append(f"The mean dynamics of {listed(who)} {words}.")
    serious = "warning" if set(found.values()) == {MeanDynamics.UNDECIDED} else "serious"
    return Warned("mean_dynamics", serious, " ".join(sentences), found)


def not_unique(facts: Facts) -> Answer:
    """Parameters, or predictions, that are not determined."""
    rows = facts.document.get("algorithms")
    if rows is None:
        return ONE_CLASS
    if any(row and row["mean_dynamics"] == MeanDynamics.STABLE_MODULO_NULL_SPACE for row in rows.values()):
        text = (
            "The features depend on each other on the recurrent states: predictions there converge, while θ keeps a "
            "part of its start."
        )
        return Warned("not_unique", "note", text, {"features": facts.model.d})
    return None


def value_not_unique(facts: Facts) -> Answer:
    """γ = 1 somewhere for ever."""
    if facts.document.get("value") is not None:
        return None
    if not facts.exactly:
        return NOT_KNOWN
    text = (
        "The true value is not determined: I − N is singular, as when nothing is discounted on a class that is never "
        "left."
    )
    return Warned("value_not_unique", "serious", text, {})


def condition_of_A(facts: Facts) -> Answer:
    """Digits lost in θ*."""
    return _condition(facts, 0, "A", "relative errors of A and b may grow by so much on their way to θ*")


def condition_of_C(facts: Facts) -> Answer:
    """Features on very different scales, or nearly dependent."""
    return _condition(facts, 1, "C", "features are nearly dependent on the visited states, or of very different sizes")


def transient_growth(facts: Facts) -> Answer:
    """TD is stable and A is not negative definite."""
    rows = facts.document.get("algorithms")
    if rows is None:
        return ONE_CLASS
    if facts.definite is None:
        return NOT_KNOWN
    if facts.definite or rows["off_policy_td"]["mean_dynamics"] != MeanDynamics.STABLE:
        return None
    text = (
        "Off-policy TD is stable although A is not negative definite: the mean error may grow before it shrinks, and "
        "other features with the same span may make it unstable."
    )
    return Warned("transient_growth", "note", text, {})


def slow_dynamics(facts: Facts, compared: Comparison) -> Answer:
    """Mean dynamics with a direction far slower than the others."""
    if facts.states is None:
        return ONE_CLASS
    if not compared.rows or facts.matrices is None or not isinstance(facts.matrices[0], RationalMatrix):
        return NOT_KNOWN
    A, C = facts.matrices
    found, rows = {}, compared.rows[0].algorithms
    for name, pace in rows.items():
        same = name == "off_policy_td" and rows.get("td") is not None
        if same or pace is None or pace.mean_dynamics is not MeanDynamics.STABLE or pace.rate is None:
            continue
        size, diagonal = (2 * facts.model.d, C) if name == "gtd" else (facts.model.d, A)
        matrix = tdc_matrix(A, C) if name == "tdc" else diagonal
        trace = sum((matrix[i, i] for i in range(facts.model.d)), Fraction(0))
        updates = updates_per_e_fold(trace, size, pace.rate[0])
        if updates >= UPDATES[0]:
            found[name] = updates
    if not found:
        return None
    by_name = ", ".join(f"{NAMES[name]} {shown(updates)}" for name, updates in found.items())
    text = (
        "The mean dynamics are slow: whatever the constant step, the slowest part of the mean error needs at least so "
        f"many updates to shrink by a factor of e: {by_name}."
    )
    numbers = {name: digits(updates) for name, updates in found.items()}
    return Warned("slow_dynamics", severity(min(found.values()), UPDATES) or "warning", text, numbers)


def error_amplified(facts: Facts, compared: Comparison) -> Answer:
    """A fixed point far from the best that the features can do."""
    left, reached = compared.projected, compared.rows[0].error if compared.rows else None
    if left is None or reached is None:
        return NOT_KNOWN
    if left.upper <= 0:
        return None
    ratio = reached.lower / left.upper
    found = severity(ratio, AMPLIFIED)
    if found is None:
        return None
    times = Fraction(isqrt(int(ratio * 10**12)), 10**6)
    text = (
        f"The fixed point is {shown(times)} times as far from the true value as the best that "
        "the features can do (D-norm)."
    )
    return Warned("error_amplified", found, text, {"squared_ratio_at_least": digits(ratio)})


def trace_variance(facts: Facts, compared: Comparison) -> Answer:
    """Traces whose second moment is infinite, or far beyond what it can be on-policy."""
    model, states = facts.model, facts.states
    if states is None:
        return ONE_CLASS
    if not model.has_trace_sum:
        text = "λ = 1 without end and nothing is discounted for ever: the trace grows without end."
        return Warned("trace_variance", "serious", text, {"second_moment": "infinite"})
    if facts.exactly and not has_second_moments(model, states):
        return _endless(facts, states)
    square = compared.rows[0].trace_square if compared.rows else None
    if square is None or facts.matrices is None or not isinstance(facts.matrices[1], RationalMatrix):
        return NOT_KNOWN
    on_policy = on_policy_trace_bound(model, states, facts.matrices[1])
    if on_policy is None or on_policy == 0:
        return None
    ratio = square.lower / on_policy
    found = severity(ratio, TRACE)
    if found is None:
        return None
    text = (
        f"Importance ratios make the trace wild: E‖z‖² is {shown(ratio)} times as large as it could be on-policy, or "
        "more."
    )
    return Warned("trace_variance", found, text, {"times_at_least": digits(ratio)})


def _endless(facts: Facts, states: tuple[int, ...]) -> Answer:
    """λ without end, and λ² radius(N₂) ≥ 1: infinite where no feature is negative (the claim ``trace_variance``)."""
    model, lam = facts.model, facts.model.schedule.tail
    if bounded_trace(model, states) is not None:
        return None
    inside = reached(model, states)
    grows = growing_vector(ratio_kernel(model, 2).take(inside, inside).scaled(lam * lam)) is not None
    if grows and all(x >= 0 for s in states for x in model.features.rows[s]):
        text = (
            "The second moment of the trace is infinite: rare updates are huge, and have no finite variance unless TD "
            "errors vanish. Give the schedule a length."
        )
        return Warned("trace_variance", "serious", text, {"second_moment": "infinite"})
    text = (
        "The second moment of the trace is not known to be finite: products of importance ratios grow in mean square. "
        "Give the schedule a length."
    )
    return Warned("trace_variance", "warning", text, {"second_moment": None})


def _condition(facts: Facts, which: int, name: str, words: str) -> Answer:
    if facts.states is None:
        return ONE_CLASS
    if facts.matrices is None:
        return NOT_KNOWN
    ends = facts.condition(which)
    if ends is None:
        return f"{name} is singular, or was not shown not to be"
    least = ends[0]
    found = severity(least, CONDITION)
    if found is None:
        return None
    text = f"{name} is ill conditioned, cond = {shown(least)} in the norm of row sums: {words}."
    return Warned(f"condition_of_{name}", found, text, {"condition_at_least": digits(least)})
