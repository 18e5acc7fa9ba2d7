"""Warnings about the chain and the policies."""

from __future__ import annotations

from fractions import Fraction

from claims.advice.facts import Facts
from claims.advice.quantity import digits
from claims.advice.warned import NOT_KNOWN, ONE_CLASS, Answer, Warned, severity, shown, state_name

INFLATION = Fraction(100), Fraction(10**4)
"""Times as many steps as independent draws would take."""
RATIO = Fraction(10), Fraction(100)
"""Largest importance ratio."""
RARITY = Fraction(10**4), Fraction(10**8)
"""One over the stationary probability of a state: steps between visits."""


def several_classes(facts: Facts) -> Answer:
    """More than one recurrent class."""
    count = len(facts.model.behaviour_chain.recurrent_classes)
    if count == 1:
        return None
    text = (
        f"The chain has {count} recurrent classes: where an algorithm ends depends on where it starts, and each class "
        "has a fixed point of its own."
    )
    return Warned("several_classes", "warning", text, {"classes": count})


def transient_states(facts: Facts) -> Answer:
    """States that are visited finitely often."""
    transient = facts.model.behaviour_chain.transient_states
    if not transient:
        return None
    one = len(transient) == 1
    who = f"{state_name(facts, transient[0]).capitalize()} is" if one else f"{len(transient)} states are"
    text = (
        f"{who} visited finitely often: data about {'it' if one else 'them'} ends, and the value there is what the "
        "features make of the others."
    )
    return Warned("transient_states", "note", text, {"states": list(transient)})


def coverage(facts: Facts) -> Answer:
    """Actions of the target policy that the behaviour policy never takes."""
    missing = facts.model.uncovered
    if not missing:
        return None
    s, a = missing[0]
    count = "one pair" if len(missing) == 1 else f"{len(missing)} pairs"
    text = (
        f"The target policy takes {count} of state and action that the behaviour policy never takes "
        f"({facts.model.actions[a]} in {state_name(facts, s)}): the algorithms settle elsewhere than at θ*."
    )
    return Warned("coverage", "serious", text, {"pairs": len(missing)})


def large_ratio(facts: Facts) -> Answer:
    """Pairs that the behaviour policy takes much more rarely than the target policy."""
    model = facts.model
    if model.is_on_policy:
        return None
    ratio, s, a = max(
        (pi / mu, -s, -a)
        for s, (below, above) in enumerate(zip(model.behaviour.rows, model.target.rows, strict=True))
        for a, (mu, pi) in enumerate(zip(below, above, strict=True))
        if mu
    )
    s, a = -s, -a
    found = severity(ratio, RATIO)
    if found is None:
        return None
    text = (
        f"Coverage is thin: the importance ratio of {model.actions[a]} in {state_name(facts, s)} is {shown(ratio)}, so "
        "rare updates are large ones."
    )
    return Warned("large_ratio", found, text, {"ratio": digits(ratio), "state": s, "action": model.actions[a]})


def rare_states(facts: Facts) -> Answer:
    """Recurrent states with a tiny stationary probability."""
    if facts.states is None:
        return ONE_CLASS
    if facts.rarest is None:
        return NOT_KNOWN
    s, (_, most) = facts.rarest
    found = severity(1 / most, RARITY)
    if found is None:
        return None
    text = (
        f"{state_name(facts, s).capitalize()} is visited once in {shown(1 / most)} steps on average, or more rarely: "
        "its error hardly counts in the D-norm, and is slow to mend."
    )
    return Warned("rare_states", found, text, {"probability_at_most": digits(most), "state": s})


def slow_mixing(facts: Facts) -> Answer:
    """Averages along the chain that take far more steps than independent draws."""
    if facts.states is None:
        return ONE_CLASS
    if len(facts.states) == 1:
        return None
    if facts.inflation is None:
        return NOT_KNOWN
    least = facts.inflation[0]
    found = severity(least, INFLATION)
    if found is None:
        return None
    text = (
        f"The chain mixes slowly: some average along it takes {shown(least)} times as many steps as from independent "
        "draws."
    )
    return Warned("slow_mixing", found, text, {"inflation_at_least": digits(least)})
