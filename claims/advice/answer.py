"""A comparison in a few sentences. They say what the numbers say: which is smallest, where that is certain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from claims.advice.quantity import Quantity
from claims.advice.rows import Row

STABLE = ("stable", "stable_modulo_null_space")
NAMED = 3
"""Most schedules that a sentence lists by name."""


def answer(rows: Sequence[Row]) -> list[str]:
    """Sentences, none where nothing was compared."""
    if not rows:
        return []
    found = [_stability(rows), *_errors(rows), *_variances(rows), _fastest(rows)]
    return [sentence for sentence in found if sentence]


def _stability(rows: Sequence[Row]) -> str:
    """For how many schedules TD's mean dynamics are stable."""
    asked = [row for row in rows if row.algorithms]
    if not asked:
        return ""
    stable = [row for row in asked if row.algorithms["off_policy_td"]["mean_dynamics"] in STABLE]
    unstable = [row for row in asked if row.algorithms["off_policy_td"]["mean_dynamics"] == "unstable"]
    algorithm = "TD" if asked[0].algorithms["td"] is not None else "Off-policy TD"
    if len(stable) == len(asked):
        return f"{algorithm} is stable with each of the {len(asked)} schedules."
    text = f"{algorithm} is stable with {len(stable)} of {len(asked)} schedules"
    return f"{text}, unstable with {_listed([row.name for row in unstable])}." if unstable else f"{text}."


def _errors(rows: Sequence[Row]) -> list[str]:
    """Whose error bound is smallest, and whose fixed point is nearest to the true value."""
    errors = [row.error for row in rows if row.error is not None]
    if errors and all(error.upper == 0 for error in errors):
        return ["The features can write the true value: the fixed point has no error with any schedule."]
    bounded = _least(rows, lambda row: row.bound)
    nearest = _least(rows, lambda row: row.error)
    return [
        f"{bounded} the smallest certified error bound." if bounded else "No error bound is known for any schedule.",
        f"{nearest} the fixed point nearest to the true value." if nearest else "",
    ]


def _variances(rows: Sequence[Row]) -> list[str]:
    """Whose asymptotic variance is smallest, and what that is worth against the error."""
    known = [row.variance for row in rows if row.variance is not None]
    if known and all(variance.upper == 0 for variance in known):
        return ["Nothing is random at the fixed point: the asymptotic variance is 0."]
    least = _least(rows, lambda row: row.variance)
    return [f"{least} the smallest asymptotic variance.", _trade(rows)] if least else []


def _trade(rows: Sequence[Row]) -> str:
    """Where one schedule wins on error and another on variance: after how many steps the order changes."""
    known = [(row, row.error, row.variance) for row in rows if row.error is not None and row.variance is not None]
    if len(known) < 2:
        return ""
    calm = min(known, key=lambda entry: (entry[2].upper, entry[1].upper))
    near = min(known, key=lambda entry: (entry[1].upper, entry[2].upper))
    if not (near[1].surely_below(calm[1]) and calm[2].surely_below(near[2])):
        return ""
    length = (near[2].upper - calm[2].lower) / (calm[1].lower - near[1].upper)
    return (
        f"Of averages over T steps, to first order in 1/T: {calm[0].name} has the smaller mean square error than "
        f"{near[0].name} up to about T = {_rounded(length)}, and {near[0].name} beyond."
    )


def _fastest(rows: Sequence[Row]) -> str:
    """Whose mean dynamics of TD are fastest, per unit of the summed steps."""

    def slowest_mode(row: Row) -> Quantity | None:
        found = row.algorithms.get("off_policy_td")
        if found is None or found["mean_dynamics"] not in STABLE or found["rate"] is None:
            return None
        lower, upper = Fraction(found["rate"]["lower"]), Fraction(found["rate"]["upper"])
        return Quantity(lower, upper, "")

    least = _least(rows, slowest_mode)
    return f"{least} the fastest mean dynamics at equal steps." if least else ""


def _least(rows: Sequence[Row], of: Callable[[Row], Quantity | None]) -> str | None:
    """``X has`` or ``X, Y and Z have`` for whom the number is smallest; None where nobody has one, or errors separate
    none.
    """
    known = [(row, number) for row in rows if (number := of(row)) is not None]
    if not known:
        return None
    _, least = min(known, key=lambda entry: entry[1].upper)
    first = [row for row, number in known if number.equals(least)] or [min(known, key=lambda e: e[1].upper)[0]]
    rest = [number for row, number in known if row not in first]
    if not all(least.surely_below(number) for number in rest):
        near = [row.name for row, number in known if not least.surely_below(number)]
        if len(near) == len(known):
            return None
        return f"{_listed(near)}, which the errors of computation do not separate, have"
    return f"{_listed([row.name for row in first])} {'has' if len(first) == 1 else 'have'}"


def _listed(names: Sequence[str]) -> str:
    """``a, b and c``; of many, some."""
    if len(names) > NAMED + 1:
        return f"{', '.join(names[:NAMED])} and {len(names) - NAMED} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _rounded(value: Fraction) -> str:
    """Two significant digits, thousands separated."""
    number = float(f"{float(value):.2g}")
    return f"{number:,.0f}" if 10 <= number < 1e15 else f"{number:g}"
