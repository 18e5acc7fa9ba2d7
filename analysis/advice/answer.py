"""A comparison in a few sentences. They say what the numbers say: which is smallest, where that is certain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from tdcert.algorithms.schedules import OFF_POLICY_TD, TD, TITLES
from tdcert.analysis.advice.compared_schedules import Compared
from tdcert.analysis.advice.effects import STEPS, recommend, smaller, steps_to_tell
from tdcert.analysis.facts import Quantity
from tdcert.theory.check.mean_matrix import MeanDynamics

NAMED = 3
"""Most schedules that a sentence lists by name."""
SHORTEST = 100
"""Fewest steps T at which a change of order is told: first order in 1/T says little before."""


def answer(rows: Sequence[Compared]) -> list[str]:
    """Sentences, none where nothing was compared."""
    if not rows:
        return []
    recommended = recommend(rows).sentence() if any(row.candidate.own for row in rows) else ""
    found = [recommended, _stability(rows), *_errors(rows), *_variances(rows), _fastest(rows)]
    return [sentence for sentence in found if sentence]


def _stability(rows: Sequence[Compared]) -> str:
    """For how many schedules TD's mean dynamics are stable, unstable, neither, or undecided."""
    asked = [(row, row.td.mean_dynamics, row.td.is_stable) for row in rows if row.td is not None]
    if not asked:
        return ""
    stable = [row for row, _, is_stable in asked if is_stable]
    algorithm = "TD" if _td_of(rows) == "TD" else "Off-policy TD"
    of_all = "" if len(asked) == len(rows) else f" for which it was asked, of {len(rows)}"
    if len(stable) == len(asked):
        return f"{algorithm} is stable with each of the {len(asked)} schedules{of_all}."
    text = f"{algorithm} is stable with {len(stable) or 'none'} of {len(asked)} schedules{of_all}"
    for kind in (MeanDynamics.UNSTABLE, MeanDynamics.MARGINAL, MeanDynamics.UNDECIDED):
        names = [row.name for row, mean_dynamics, _ in asked if mean_dynamics is kind]
        text += f", {kind} with {_listed(names)}" if names else ""
    return f"{text}."


def _errors(rows: Sequence[Compared]) -> list[str]:
    """Whose error bound is smallest, and whose fixed point is nearest to the true value."""
    errors = [row.error for row in rows if row.error is not None]
    if errors and all(error.upper == 0 for error in errors):
        known = f"the fixed point has no error there with {_each(errors, rows)}"
        return [f"The features can write the true value of the recurrent states: {known}."]
    bounded = [row for row in rows if row.bound is not None]
    return [
        _least(rows, lambda row: row.bound, "smallest error bound", lambda best, own: _by(best.bound, own.bound, True))
        if bounded
        else f"The error bound applies to none of the {len(rows)} schedules: {_why_unbounded(rows)}.",
        _least(rows, lambda row: row.error, "fixed point nearest to the true value (D-norm)", _nearer),
    ]


def _why_unbounded(rows: Sequence[Compared]) -> str:
    reasons = dict.fromkeys(row.missing["error_bound_squared"] for row in rows if "error_bound_squared" in row.missing)
    return "; ".join(reasons) or "it was not computed"


def _variances(rows: Sequence[Compared]) -> list[str]:
    """Whose asymptotic variance is smallest, and what that is worth against the error."""
    known = [row.variance for row in rows if row.variance is not None]
    if known and all(variance.upper == 0 for variance in known):
        return [f"The asymptotic variance is 0 with {_each(known, rows)}."]
    least = _least(
        rows,
        lambda row: row.variance,
        f"smallest asymptotic variance{_whose(rows)}",
        lambda best, own: _by(best.variance, own.variance),
    )
    return [least, _trade(rows)]


def _whose(rows: Sequence[Compared]) -> str:
    """The iterates that averages are of."""
    unstable = any(row.td is not None and not row.td.is_stable for row in rows)
    return f" (where {_td_of(rows)} is not stable, of GTD and TDC)" if unstable else ""


def _each(known: Sequence[Quantity], rows: Sequence[Compared]) -> str:
    if len(known) == len(rows):
        return f"each of the {len(rows)} schedules"
    return f"each of the {len(known)} of {len(rows)} schedules for which it is known"


def _trade(rows: Sequence[Compared]) -> str:
    """Where one schedule wins on error and another on variance: after how many steps the order changes."""
    known = [(row, row.error, row.variance) for row in rows if row.error is not None and row.variance is not None]
    if len(known) < 2:
        return ""
    calm = min(known, key=lambda entry: (entry[2].upper, entry[1].upper))
    near = min(known, key=lambda entry: (entry[1].upper, entry[2].upper))
    if not (near[1].surely_below(calm[1]) and calm[2].surely_below(near[2])):
        return ""
    first = (near[2].lower - calm[2].upper) / (calm[1].upper - near[1].lower)
    last = (near[2].upper - calm[2].lower) / (calm[1].lower - near[1].upper)
    if first < SHORTEST or _rounded(first) != _rounded(last):
        return ""
    return (
        f"Of averages over T steps{_whose([calm[0], near[0]])}, to first order in 1/T: {calm[0].name} has the smaller "
        f"mean square error than {near[0].name} up to about T = {_rounded(last)}, and {near[0].name} beyond."
    )


def _fastest(rows: Sequence[Compared]) -> str:
    """Whose mean dynamics of TD are fastest, per unit of the summed steps."""

    def slowest_mode(row: Compared) -> Quantity | None:
        rate = None if row.td is None else row.td.rate
        return None if rate is None else Quantity(Fraction(rate[0]), Fraction(rate[1]))

    stable = [row for row in rows if row.td is not None and row.td.is_stable]
    where = "" if len(stable) == len(rows) else f" among the {len(stable)} with which it is stable"
    what = f"fastest mean dynamics of {_td_of(stable)} (spectral abscissa){where}"

    def faster(best: Compared, own: Compared) -> str:
        mine, first = slowest_mode(own), slowest_mode(best)
        if mine is None or first is None or mine.middle >= 0:
            return ""
        return f"{first.middle / mine.middle:.2g} times as fast as"

    return _least(stable, slowest_mode, what, faster) if stable else ""


def _by(best: Quantity | None, own: Quantity | None, root: bool = False) -> str:
    """``12 % smaller than``."""
    found = "" if best is None or own is None else smaller(best, own, root)
    return found and f"{found} than"


def _nearer(best: Compared, own: Compared) -> str:
    """``0.2 % nearer (averages show it from about 900 steps on) than``: the effect, and how many steps show it."""
    assert best.error is not None and own.error is not None
    near, steps = smaller(best.error, own.error, True, "nearer") or "nearer by all of it", steps_to_tell(best, own)
    if steps is None:
        return f"{near} than"
    late = "" if steps <= STEPS else f", not within {STEPS:,}"
    return f"{near} (averages show it from about {_rounded(steps)} steps on{late}) than"


Effect = Callable[[Compared, Compared], str]
"""How much better the first is: words that end in ``than`` or ``as``; empty where there is nothing to say."""


def _least(
    rows: Sequence[Compared], of: Callable[[Compared], Quantity | None], what: str, effect: Effect | None = None
) -> str:
    """Who has the smallest number, ``what`` in words; nothing where fewer than two have one, or none is separated. The
    ``effect`` compares the one winner with the model's own schedule, or that with the next.
    """
    known = [(row.name, number) for row in rows if (number := of(row)) is not None]
    if len(known) < 2:
        return ""
    least = min((number for _, number in known), key=lambda number: number.upper)
    near = [name for name, number in known if not least.surely_below(number)]
    of_all = "" if len(known) == len(rows) else f"Of the {len(known)} of {len(rows)} for which it is known, "
    equal = all(least.equals(number) for name, number in known if name in near)
    if len(near) == len(known):
        everybody = of_all[:-2] + " all" if of_all else f"All {len(known)} schedules"
        return f"{everybody} are equal in this: {what}." if equal else ""
    if len(near) == 1 or equal:
        how_much = _how_much(rows, of, near[0], effect) if effect and len(near) == 1 else ""
        return f"{of_all}{_listed(near)} {'has' if len(near) == 1 else 'have'} the {what}{how_much}."
    some = f"{'one' if of_all else 'One'} of {_listed(near)}, which the errors of computation do not separate,"
    return f"{of_all}{some} has the {what}."


def _how_much(rows: Sequence[Compared], of: Callable[[Compared], Quantity | None], name: str, effect: Effect) -> str:
    """``: 0.2 % smaller than with the model's own schedule``, or than with the next where that one wins."""
    best = next(row for row in rows if row.name == name)
    others = [(number.upper, row) for row in rows if row is not best and (number := of(row)) is not None]
    own = next((row for _, row in others if row.candidate.own), None)
    if not best.candidate.own and own is None:
        return ""
    other = own or min(others, key=lambda entry: entry[0])[1]
    said = effect(best, other)
    whose = other.name if own is None else "the model's own schedule"
    return said and f": {said} with {whose}"


def _td_of(rows: Sequence[Compared]) -> str:
    """What TD is called on this model: the answer is about it alone."""
    return TITLES[TD if any(row.algorithms.get(TD) is not None for row in rows) else OFF_POLICY_TD]


def _listed(names: Sequence[str]) -> str:
    """``a, b and c``; of many, some."""
    if len(names) > NAMED + 1:
        return f"{', '.join(names[:NAMED])} and {len(names) - NAMED} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _rounded(value: Fraction) -> str:
    """Two significant digits, thousands separated."""
    try:
        number = float(f"{float(value):.2g}")
    except OverflowError:
        return "more than 10^308"
    return f"{number:,.0f}" if 10 <= number < 1e15 else f"{number:g}"
