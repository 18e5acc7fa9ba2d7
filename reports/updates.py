"""Declared updates on a model, as the terminal shows them and as ``tdcert-updates/1`` holds them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tdcert.theory.arithmetic import RationalMatrix

if TYPE_CHECKING:
    from tdcert.analysis.updates import AtConstantStep, UpdateAnswer, UpdatesAnswer
    from tdcert.reports.documents import Checked
    from tdcert.theory.arithmetic import BallMatrix
    from tdcert.theory.arithmetic.float_enclosures import MidRadMatrix
    from tdcert.theory.check.step_size_ratio import RatioInterval
    from tdcert.theory.engine.declare import Algorithm
    from tdcert.theory.engine.dynamics import Verdict
    from tdcert.theory.model.mdp import Model
    from tdcert.theory.model.sparse_model import SparseModel

FORMAT = "tdcert-updates/1"
DOCUMENT = "updates.json"
SIGNS = {
    -1: "dies out",
    1: "grows from some start",
    0: "neither dies out nor grows geometrically",
    None: "is undecided",
}


def not_of(path: str, algorithm: Algorithm) -> str:
    """Why an accepted certificate is not about this function; empty where it is. Options are those of the analysis."""
    from tdcert.algorithms import for_model
    from tdcert.theory.engine.certificates import difference
    from tdcert.theory.files.load import loads_model

    certificate = json.loads(Path(path).read_bytes())
    if not certificate["kind"].startswith("update_"):
        return "the certificate is not about an update"
    model = loads_model(json.dumps(certificate["model"])).model
    return difference(certificate, model, for_model(algorithm, model)[0])


def document(
    found: UpdatesAnswer, command: str, paths: Sequence[Sequence[str]] = (), checked: Checked | None = None
) -> dict[str, Any]:
    """The answers as plain strings; exact numbers are ``"p/q"``. ``paths``: of each row's certificates, where they were
    written; ``checked``: what the independent checker said of them.
    """
    from tdcert.reports.analysis_json import digest_of

    filed = {} if checked is None else {"checker": checked.counts()}
    return {
        "format": FORMAT,
        "model": {"name": found.model.name, "digest": digest_of(found.model)},
        "arithmetic": str(found.arithmetic),
        "bits": found.bits,
        "notes": list(found.notes),
        "algorithms": [
            {**_row(row), "certificates": list(paths[k]) if paths else []} for k, row in enumerate(found.rows)
        ],
        **filed,
        "simulations": [
            {
                "name": algorithm.name,
                "agrees": None if isinstance(said, str) else said.agrees,
                "said": said if isinstance(said, str) else said.sentence(),
            }
            for algorithm, said in found.comparisons
        ],
        "reproduce": command,
    }


def _row(row: UpdateAnswer) -> dict[str, Any]:
    from tdcert.theory.laws.mean_square import LargestStep

    largest = row.largest
    return {
        "name": row.algorithm.name,
        "options": {name: _option(value) for name, value in row.algorithm.options.items()},
        "estimates": str(row.algorithm.estimates),
        "class": list(row.states),
        "why_not": row.why_not or None,
        "first_order": row.first_order,
        "memory": {
            "mean": row.memory_mean,
            "second_moments": row.memory_square,
            "moments": None
            if row.moments is None
            else {"mean": _column(row.moments[0]), "second": matrix_texts(row.moments[1])},
        },
        "mean_dynamics": _verdict(row.verdict),
        "two_time_scales": _verdict(row.slow_and_fast),
        "ratios": None if row.ratios is None else [_interval(interval) for interval in row.ratios],
        "parameters": None if row.rest is None else _column(row.rest.parameters),
        "predictions": None if row.rest is None else _column(row.rest.predictions),
        "drift": None if row.rest is None else _column(row.rest.drift),
        "error_squared": text_of(row.error_squared),
        "covariance": None
        if row.noise is None
        else {
            "noise": matrix_texts(row.noise.long_run),
            **{
                name: matrix_texts(matrix)
                for name, matrix in (
                    ("averaged", row.noise.averaged),
                    ("at_small_steps", row.noise.at_small_steps),
                    ("predictions", row.noise.predictions),
                )
            },
            "variance": text_of(row.variance),
            "slow": None
            if row.noise.slow is None
            else dict(zip(("averaged", "at_small_steps"), map(matrix_texts, row.noise.slow), strict=True)),
        },
        "why_no_covariance": row.why_no_noise or None,
        "constant_step": None
        if largest is None
        else {
            "bounded_upto": str(largest.near.upto) if isinstance(largest, LargestStep) else None,
            "bounded": str(largest.low),
            "unbounded": None if largest.high is None else str(largest.high),
            "every_step_below": largest.crossing is not None,
        },
        "why_no_constant_step": row.why_no_largest or None,
        "safe_step": None if row.safe is None else str(row.safe),
        "at_step": None
        if row.at_step is None
        else {
            "step": str(row.at_step.alpha),
            "mean": row.at_step.mean,
            "mean_square": row.at_step.mean_square,
            "why": row.at_step.why or None,
            "under_way": None
            if row.at_step.under_way is None
            else dict(zip(("mean", "mean_square"), row.at_step.under_way, strict=True)),
            "moments": [
                {"t": at.t, "mean": _column(at.mean), "covariance": at.covariance.to_strings()}
                for at in row.at_step.moments
            ],
        },
    }


def _verdict(found: Verdict | None) -> dict[str, Any] | None:
    if found is None:
        return None
    from tdcert.reports import number_texts

    return {"verdict": str(found.mean_dynamics), "reason": found.reason, "rate": number_texts.rate(found.rate)}


def _interval(found: RatioInterval) -> dict[str, Any]:
    return {
        "left": [str(x) for x in found.left],
        "right": None if found.right is None else [str(x) for x in found.right],
        "stable": found.stable,
    }


def matrix_texts(found: RationalMatrix | BallMatrix | MidRadMatrix | None) -> list[Any] | None:
    """Rows of numbers as text, each up to its radius where they are enclosed."""
    from tdcert.reports import number_texts

    if found is None or isinstance(found, RationalMatrix):
        return number_texts.matrix(found)
    return number_texts.matrix((found.to_float(), found.radius()))


def text_of(found: Fraction | BallMatrix | MidRadMatrix | None) -> str | None:
    """One number as text."""
    from tdcert.analysis.facts import Quantity
    from tdcert.reports import number_texts

    return number_texts.number(Quantity.of(found))


def _column(found: RationalMatrix | BallMatrix | MidRadMatrix | None) -> list[Any] | None:
    rows = matrix_texts(found)
    return None if rows is None else [row[0] for row in rows]


def _option(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_option(x) for x in value]
    return str(value) if isinstance(value, Fraction) else value


def catalogue(algorithms: Sequence[Algorithm]) -> str:
    """What ships, a line each."""
    width = max(len(algorithm.name) for algorithm in algorithms)
    lines = []
    for algorithm in algorithms:
        options = ", ".join(algorithm.options)
        lines.append(f"{algorithm.name:<{width}}  {algorithm.description}" + (f" [{options}]" if options else ""))
    return "\n".join(lines) + "\n"


def show(found: UpdatesAnswer, source: str) -> None:
    """A table, a row for each algorithm and recurrent class; ``source`` names a model without a name."""
    from rich.text import Text

    from tdcert.reports import terminal
    from tdcert.reports.labels import MEAN_DYNAMICS
    from tdcert.reports.numbers import decimal
    from tdcert.theory.words import counted

    def say(text: str) -> None:
        terminal.show(Text(text))

    rows = []
    several = len({row.states for row in found.rows}) > 1
    for row in found.rows:
        name = label(row.algorithm, found.model) + (f", class of {row.states[0]}" if several else "")
        if row.verdict is None:
            rows.append((name, "–", "–", "–", "–", "–"))
            continue
        sign, words, _ = MEAN_DYNAMICS[row.verdict.mean_dynamics]
        rows.append(
            (
                name,
                f"{sign} {words}",
                _ratio_words(row.ratios),
                decimal(text_of(row.error_squared), 5),
                _variance_words(row),
                _step_words(row),
            )
        )
    model = found.model
    say(f"{model.name or source}: {counted(model.n, 'state')}, {counted(model.d, 'feature')}")
    for note in found.notes:
        say(f"note: {note}")
    columns = ("Algorithm!", "Mean dynamics!", "Stable ratios", "‖Φθ* − V‖²", "Variance·t", "Largest step")
    terminal.show(terminal.table(*columns, rows=rows))
    for row in found.rows:
        why = row.why_not or (row.verdict.reason if row.verdict and row.verdict.mean_dynamics == "undecided" else "")
        if why:
            say(f"{label(row.algorithm, found.model)}: {why}")
        elif _step_words(row) == "undecided":
            say(f"{label(row.algorithm, found.model)}: the largest step is undecided ({row.why_no_largest})")
    for line in dict.fromkeys(estimate_line(row, found.model) for row in found.rows):
        if line:
            say(line)
    for row in found.rows:
        if drift := drift_line(row, found.model.d):
            say(f"{label(row.algorithm, found.model)}: {drift}")
    for row in found.rows:
        if row.memory_mean and row.memory_square is not True:
            what = "infinite" if row.memory_square is False else "not decided to be finite"
            say(f"{label(row.algorithm, found.model)}: the second moments of its memory are {what}")
    for row in found.rows:
        if row.at_step is not None:
            step = f"{label(row.algorithm, found.model)} at the step {row.at_step.alpha}"
            say(f"{step}: {step_words(row.at_step)}")
            for line in moment_lines(row, found.model.d)[-1:]:
                terminal.indented(line, hanging=True)
    for _, said in found.comparisons:
        say(said if isinstance(said, str) else said.sentence())
    computed = "The table is exact"
    if found.bits is not None:
        computed = (
            "The table is enclosed, with every rounding bounded; stable ratios, largest steps and certificates need "
            "exact arithmetic. It is"
        )
    say(
        f"{computed}, for equal step sizes. Stable ratios: of the second step size to the first, such that the "
        "mean dynamics are stable. Variance·t: t times the variance of averages of predictions over t updates, in the "
        "limit. Largest step: up to it, two runs come together in mean square."
    )


def step_words(at: AtConstantStep) -> str:
    """What a constant step does, of runs from time zero, and what is otherwise for runs under way."""
    signs = ((at.mean, at.mean_square), *filter(None, [at.under_way]))
    told = [f"the mean {SIGNS[mean]}, the mean square {SIGNS[square]}" for mean, square in signs]
    told[1:] = [f"{one}, where parameters are changed during a run and its trace is kept" for one in told[1:]]
    return "; ".join(told) + (f" ({at.why})" if at.why else "")


def estimate_line(row: UpdateAnswer, model: Model | SparseModel) -> str:
    """What a row is held against, where that is not the discounted value."""
    from tdcert.theory.engine.declare import Estimate

    what = row.algorithm.estimates
    if what is Estimate.DISCOUNTED:
        return ""
    against = {
        Estimate.CENTRED: "its error ‖Φθ* − V‖² is the least over constants",
        Estimate.DIFFERENTIAL: "V is that of the target policy, and the error the least over constants",
    }.get(what, "its predictions are compared with no value")
    return f"{label(row.algorithm, model)} estimates {'' if what is Estimate.OTHER else 'the '}{what}: {against}"


def drift_line(row: UpdateAnswer, d: int) -> str:
    """How parameters that no update sees move on at rest, in words; nothing where none does."""
    from tdcert.reports.numbers import decimal

    values = None if row.rest is None else _column(row.rest.drift)
    names = [entry for slot in row.algorithm.slots(d)[0] for entry in slot.entries]
    moved = [f"{name} {decimal(x, 4)}" for name, x in zip(names, values or (), strict=False) if x != "0"]
    if not moved:
        return ""
    nothing = row.rest is None or row.rest.seen is None
    seen = "updates see no parameter" if nothing else "what updates see of the parameters rests"
    return f"{seen}, and what no update sees drifts: the mean increment there, per step, is {', '.join(moved)}"


def moment_lines(row: UpdateAnswer, d: int) -> list[str]:
    """The parameters after so many updates, mean and standard deviation, a line for each time."""
    from tdcert.reports.numbers import decimal

    assert row.at_step is not None
    names = [entry for slot in row.algorithm.slots(d)[0] for entry in slot.entries]
    lines = []
    for at in row.at_step.moments:
        each = (
            f"{name} {decimal(str(at.mean[k, 0]), 4)} ± {float(at.covariance[k, k]) ** 0.5:.3g}"
            for k, name in enumerate(names)
        )
        lines.append(f"after {at.t} updates from ones, mean and standard deviation: {', '.join(each)}")
    return lines


def label(algorithm: Algorithm, model: Model | SparseModel) -> str:
    """Its name, with the options that are not those of an analysis that gives none, as a command line gives them."""
    from tdcert.algorithms import for_model

    usual = for_model(replace(algorithm, options=algorithm.defaults, given=frozenset()), model)[0].options
    return algorithm.called(name for name, value in algorithm.options.items() if value != usual[name])


def _ratio_words(intervals: Sequence[RatioInterval] | None) -> str:
    from tdcert.reports.numbers import decimal

    if intervals is None:
        return "–"
    stable = [part for part in intervals if part.stable]
    if not stable:
        return "none"
    if len(stable) == len(intervals):
        return "all"
    ends = [(part.left[1], None if part.right is None else part.right[0]) for part in stable]
    return ", ".join(f"({decimal(str(a), 4)}, {'∞' if b is None else decimal(str(b), 4)})" for a, b in ends)


def _variance_words(row: UpdateAnswer) -> str:
    from tdcert.reports.numbers import decimal

    if row.variance is not None:
        return decimal(text_of(row.variance), 4)
    stable = row.verdict and row.verdict.mean_dynamics.startswith("stable")
    return "undecided" if stable and row.noise is None and row.memory_square is not False else "–"


def _step_words(row: UpdateAnswer) -> str:
    from tdcert.reports.numbers import decimal

    if row.growth is not None:
        return "none"
    if row.safe is not None:
        return f"at least {decimal(str(row.safe), 2, 'down')}"
    if row.largest is None:
        return "undecided" if row.verdict and row.verdict.mean_dynamics.startswith("stable") else "–"
    below, above = row.largest.low, row.largest.high
    if above is None:
        return f"at least {decimal(str(below), 2, 'down')}"
    return f"{decimal(str(below), 3)} to {decimal(str(above), 3)}"
