"""The answer about an algorithm in words, the same in terminal, page, document and Python: does it converge, to what,
how fast.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from tdcert.algorithms.schedules import TITLES
from tdcert.reports.labels import LETTERS, LIMITS
from tdcert.reports.number_texts import column, number, rate
from tdcert.reports.numbers import decimal, time_constant
from tdcert.theory.words import counted

if TYPE_CHECKING:
    from tdcert.analysis.facts import Rate
    from tdcert.analysis.result import AnalysisResult
    from tdcert.analysis.row import AlgorithmRow, AtConstantStep
    from tdcert.theory.check.step_size_ratio import RatioInterval

SIGNS = {
    -1: "dies out",
    1: "grows from some start",
    0: "neither dies out nor grows geometrically",
    None: "is undecided",
}


LEGEND = (
    "All step sizes are equal, or in the ratio asked about. Stable ratios: of later step sizes to the first, such "
    "that the mean dynamics are stable. At most: the bound of that error by the paper's theorem. Variance·t: t times "
    "the variance of averages of predictions over t updates, in the limit. Largest step: up to it, two runs come "
    "together in mean square."
)
"""What the columns of the table of rows are."""


def title(row: AlgorithmRow, run: AnalysisResult) -> str:
    """What a row is called, with its recurrent class where there are several."""
    return TITLES.get(row.label, row.label) + (f", class of {row.states[0]}" if run.facts.chain.count > 1 else "")


def limit(row: AlgorithmRow) -> str:
    """What the mean of the algorithm does for small steps."""
    found = row.answer
    if found is None:
        return "no mean dynamics"
    words = LIMITS[found.mean_dynamics][0]
    to = " to θ*" if found.mean_dynamics == "stable" and row.theta_star is not None else ""
    apart = row.algorithm.two_scales and found is row.slow_and_fast
    return words + to + (f" if {_step(row, 1)} ≫ {_step(row, 0)}" if apart else "")


def how_fast(row: AlgorithmRow) -> str | None:
    """How fast, by the time constant of the mean; None where no rate is known, or nothing decays or grows."""
    found = row.answer
    constant = None if found is None else time_constant(_fractions(found.rate))
    if found is None or constant is None or not LIMITS[found.mean_dynamics][1]:
        return None
    return f"e times {LIMITS[found.mean_dynamics][1]} every {constant}/{_step(row, 0)} updates"


def _fractions(found: Rate | None) -> tuple[Fraction, Fraction] | None:
    return None if found is None else (Fraction(found[0]), Fraction(found[1]))


def _step(row: AlgorithmRow, place: int) -> str:
    name = row.algorithm.steps[place]
    return LETTERS.get(name, name)


def in_one_line(row: AlgorithmRow) -> str:
    """Both, and why there is no answer where there is none."""
    found, fast = row.answer, how_fast(row)
    if found is None:
        return f"{limit(row)}: {row.why_not}"
    why = found.reason if found.mean_dynamics in ("undecided", "marginal") else ""
    return limit(row) + (f": {fast}" if fast else f": {why}" if why else "")


# ---- the columns of the table ---------------------------------------------------------------------


def cells(rows: Sequence[AlgorithmRow]) -> list[tuple[str, list[str]]]:
    """The columns of the table of rows that say something about one of them: a heading, and a text for each row."""
    columns = [
        ("Rate", [_rate(row) for row in rows]),
        ("Two time scales", [_apart(row) for row in rows]),
        ("Stable ratios", [ratios(row.ratios) for row in rows]),
        ("‖Φθ* − V‖²", [decimal(text, 5) if (text := number(row.error)) else "–" for row in rows]),
        ("at most", [_bound(row) for row in rows]),
        ("Variance·t", [variance(row) for row in rows]),
        ("Largest step", [largest_step(row) for row in rows]),
    ]
    return [(head, texts) for head, texts in columns if set(texts) != {"–"}]


def _rate(row: AlgorithmRow) -> str:
    from tdcert.reports.numbers import between

    ends = None if row.answer is None else rate(row.answer.rate)
    return between(ends, 6) if ends else "–"


def _bound(row: AlgorithmRow) -> str:
    found = row.bound
    return "–" if found is None or isinstance(found, str) else decimal(str(found.bound), 5, "up")


def _apart(row: AlgorithmRow) -> str:
    from tdcert.reports.labels import MEAN_DYNAMICS

    if row.slow_and_fast is None or row.slow_and_fast is row.answer:
        return "–"
    return " ".join(MEAN_DYNAMICS[row.slow_and_fast.mean_dynamics][:2])


def ratios(intervals: Sequence[RatioInterval] | None) -> str:
    """The ratios of the later step sizes to the first for which the mean dynamics are stable."""
    if intervals is None:
        return "–"
    stable = [part for part in intervals if part.stable]
    if not stable:
        return "none"
    if len(stable) == len(intervals):
        return "all"
    ends = [(part.left[1], None if part.right is None else part.right[0]) for part in stable]
    return ", ".join(f"({decimal(str(a), 4)}, {'∞' if b is None else decimal(str(b), 4)})" for a, b in ends)


def variance(row: AlgorithmRow) -> str:
    """t times the variance of averages of predictions over t updates, in the limit."""
    from tdcert.analysis.facts import Quantity

    if row.variance is not None:
        return decimal(number(Quantity.of(row.variance)), 4)
    asked = row.memory_mean is not None
    return "undecided" if asked and _stable(row) and row.noise is None and row.memory_square is not False else "–"


def largest_step(row: AlgorithmRow) -> str:
    """The largest constant step in mean square, as far as it is known."""
    if row.growth is not None:
        return "none"
    if row.safe is not None:
        return f"at least {decimal(str(row.safe), 2, 'down')}"
    if row.largest is None:
        return "undecided" if row.why_no_largest and _stable(row) else "–"
    if row.largest.high is None:
        return f"at least {decimal(str(row.largest.low), 2, 'down')}"
    return f"{decimal(str(row.largest.low), 3)} to {decimal(str(row.largest.high), 3)}"


def _stable(row: AlgorithmRow) -> bool:
    return row.verdict is not None and row.verdict.is_stable


# ---- sentences about a row ------------------------------------------------------------------------


def remarks(row: AlgorithmRow) -> list[str]:
    """What the table does not say of a row, a sentence each."""
    said = []
    if row.why_not:
        said.append(row.why_not)
    elif row.answer is not None and row.answer.mean_dynamics == "undecided":
        said.append(row.answer.reason)
    elif largest_step(row) == "undecided":
        said.append(f"the largest step is undecided ({row.why_no_largest})")
    if row.verdict is not None and row.verdict is not row.answer:
        said.append(f"with equal steps: {LIMITS[row.verdict.mean_dynamics][0]}")
    said += [estimates(row), drift(row)]
    if row.memory_mean and row.memory_square is not True:
        what = "infinite" if row.memory_square is False else "not decided to be finite"
        said.append(f"the second moments of its memory are {what}")
    return [line for line in said if line]


def estimates(row: AlgorithmRow) -> str:
    """What a row is held against, where that is not the discounted value."""
    from tdcert.theory.engine.declare import Estimate

    what = row.algorithm.estimates
    if what is Estimate.DISCOUNTED:
        return ""
    against = {
        Estimate.CENTRED: "its error ‖Φθ* − V‖² is the least over constants",
        Estimate.DIFFERENTIAL: "V is that of the target policy, and the error the least over constants",
    }.get(what, "its predictions are compared with no value")
    return f"estimates {'' if what is Estimate.OTHER else 'the '}{what}: {against}"


def drift(row: AlgorithmRow) -> str:
    """How parameters that no update sees move on at rest, in words; nothing where none does."""
    from tdcert.analysis.row import values_of

    values = None if row.rest is None else column(values_of(row.rest.drift))
    moved = [f"{name} {decimal(x, 4)}" for name, x in zip(_entries(row), values or (), strict=False) if str(x) != "0"]
    if not moved:
        return ""
    nothing = row.rest is None or row.rest.seen is None
    seen = "updates see no parameter" if nothing else "what updates see of the parameters rests"
    return f"{seen}, and what no update sees drifts: the mean increment there, per step, is {', '.join(moved)}"


def at_step(at: AtConstantStep) -> str:
    """What a constant step does, of runs from time zero, and what is otherwise for runs under way."""
    signs = ((at.mean, at.mean_square), *filter(None, [at.under_way]))
    told = [f"the mean {SIGNS[mean]}, the mean square {SIGNS[square]}" for mean, square in signs]
    told[1:] = [f"{one}, where parameters are changed during a run and its trace is kept" for one in told[1:]]
    return "; ".join(told) + (f" ({at.why})" if at.why else "")


def moments(row: AlgorithmRow) -> list[str]:
    """The parameters after so many updates, mean and standard deviation, a line for each time."""
    lines = []
    for at in () if row.at_step is None else row.at_step.moments:
        each = (
            f"{name} {decimal(str(at.mean[k, 0]), 4)} ± {float(at.covariance[k, k]) ** 0.5:.3g}"
            for k, name in enumerate(_entries(row))
        )
        lines.append(f"after {counted(at.t, 'update')} from ones, mean and standard deviation: {', '.join(each)}")
    return lines


def _entries(row: AlgorithmRow) -> list[str]:
    return [entry for slot in row.algorithm.slots(row.features)[0] for entry in slot.entries]
