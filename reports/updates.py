"""Declared updates on a model, as the terminal shows them and as ``tdcert-updates/1`` holds them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tdcert.theory.certificate.shelf import Shelf

if TYPE_CHECKING:
    from tdcert.analysis.updates import UpdateAnswer, UpdatesAnswer
    from tdcert.reports.documents import Checked
    from tdcert.reports.output import OutputFolder
    from tdcert.theory.arithmetic import RationalMatrix
    from tdcert.theory.check.step_size_ratio import RatioInterval
    from tdcert.theory.engine.declare import Algorithm
    from tdcert.theory.engine.dynamics import Verdict
    from tdcert.theory.model.mdp import Model
    from tdcert.theory.progress import Progress

FORMAT = "tdcert-updates/1"
DOCUMENT = "updates.json"
SIGNS = {-1: "dies out", 1: "grows from some start", 0: "does neither", None: "is undecided"}


def written(
    folder: OutputFolder, found: UpdatesAnswer, command: str, on_progress: Progress
) -> tuple[dict[str, Any], Checked]:
    """Writes document, page and certificates; the document, and what the checker says of the certificates."""
    from tdcert.reports.documents import certificate_files, json_bytes
    from tdcert.reports.replay import replay
    from tdcert.reports.updates_page import page_files

    shelf = Shelf("certificates")
    paths = [[shelf.put(one, found.model) for one in row.certificates] for row in found.rows]
    folder.write(certificate_files(shelf.files))
    checked = replay(folder, shelf.files, on_progress)
    made = document(found, command, paths, checked)
    folder.write({DOCUMENT: json_bytes(made), **page_files(found, command, paths, checked)})
    return made, checked


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
    filed = {} if checked is None else {"checker": checked.counts()}
    return {
        "format": FORMAT,
        "model": {"name": found.model.name, "digest": found.model.digest},
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
    largest = row.largest
    return {
        "name": row.algorithm.name,
        "options": {name: _option(value) for name, value in row.algorithm.options.items()},
        "class": list(row.states),
        "why_not": row.why_not or None,
        "memory": {
            "mean": row.memory_mean,
            "second_moments": row.memory_square,
            "moments": None
            if row.moments is None
            else {"mean": _column(row.moments[0]), "second": row.moments[1].to_strings()},
        },
        "mean_dynamics": _verdict(row.verdict),
        "two_time_scales": _verdict(row.slow_and_fast),
        "ratios": None if row.ratios is None else [_interval(interval) for interval in row.ratios],
        "parameters": None if row.rest is None else _column(row.rest.parameters),
        "predictions": None if row.rest is None else _column(row.rest.predictions),
        "error_squared": None if row.error_squared is None else str(row.error_squared),
        "covariance": None
        if row.noise is None
        else {
            "noise": row.noise.long_run.to_strings(),
            **{
                name: None if matrix is None else matrix.to_strings()
                for name, matrix in (
                    ("averaged", row.noise.averaged),
                    ("at_small_steps", row.noise.at_small_steps),
                    ("predictions", row.noise.predictions),
                )
            },
            "variance": None if row.variance is None else str(row.variance),
            "slow": None
            if row.noise.slow is None
            else dict(zip(("averaged", "at_small_steps"), (x.to_strings() for x in row.noise.slow), strict=True)),
        },
        "why_no_covariance": row.why_no_noise or None,
        "constant_step": None
        if largest is None
        else {
            "bounded_upto": str(largest.near.upto),
            "bounded": str(largest.bounded.alpha),
            "unbounded": str(largest.unbounded.alpha),
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
            "moments": [
                {"t": at.t, "mean": _column(at.mean), "covariance": at.covariance.to_strings()}
                for at in row.at_step.moments
            ],
        },
    }


def _verdict(found: Verdict | None) -> dict[str, Any] | None:
    if found is None:
        return None
    rate = None if found.rate is None else {"lower": str(found.rate[0]), "upper": str(found.rate[1])}
    return {"verdict": str(found.mean_dynamics), "reason": found.reason, "rate": rate}


def _interval(found: RatioInterval) -> dict[str, Any]:
    return {
        "left": [str(x) for x in found.left],
        "right": None if found.right is None else [str(x) for x in found.right],
        "stable": found.stable,
    }


def _column(found: RationalMatrix | None) -> list[str] | None:
    return None if found is None else [str(x) for x in found.column_entries()]


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


def show(found: UpdatesAnswer) -> None:
    """A table, a row for each algorithm and recurrent class."""
    from tdcert.reports import terminal
    from tdcert.reports.labels import MEAN_DYNAMICS, counted
    from tdcert.reports.numbers import decimal

    rows = []
    several = len({row.states for row in found.rows}) > 1
    for row in found.rows:
        name = label(row.algorithm, found.model) + (f", class of {row.states[0]}" if several else "")
        if row.verdict is None:
            rows.append((name, "–", "–", "–", "–", "–"))
            continue
        sign, words, _ = MEAN_DYNAMICS[row.verdict.mean_dynamics]
        error = None if row.error_squared is None else str(row.error_squared)
        rows.append(
            (
                name,
                f"{sign} {words}",
                _ratio_words(row.ratios),
                decimal(error, 5),
                _variance_words(row),
                _step_words(row),
            )
        )
    model = found.model
    terminal.emit(f"{model.name or 'model'}: {counted(model.n, 'state')}, {counted(model.d, 'feature')}\n")
    for note in found.notes:
        terminal.emit(f"note: {note}\n")
    columns = ("Algorithm", "Mean dynamics", "Stable ratios", "‖Φθ* − V‖²", "Variance·t", "Largest step")
    terminal.show(terminal.table(*columns, rows=rows))
    for row in found.rows:
        why = row.why_not or (row.verdict.reason if row.verdict and row.verdict.mean_dynamics == "undecided" else "")
        if why:
            terminal.emit(f"{label(row.algorithm, found.model)}: {why}\n")
        elif _step_words(row) == "undecided":
            terminal.emit(
                f"{label(row.algorithm, found.model)}: the largest step is undecided ({row.why_no_largest})\n"
            )
    for row in found.rows:
        if row.memory_mean and row.memory_square is not True:
            what = "infinite" if row.memory_square is False else "not decided to be finite"
            terminal.emit(f"{label(row.algorithm, found.model)}: the second moments of its memory are {what}\n")
    for row in found.rows:
        if row.at_step is not None:
            mean, square = (SIGNS[sign] for sign in (row.at_step.mean, row.at_step.mean_square))
            why = f" ({row.at_step.why})" if row.at_step.why else ""
            terminal.emit(f"{label(row.algorithm, found.model)} at the step {row.at_step.alpha}: ")
            terminal.emit(f"the mean {mean}, the mean square {square}{why}\n")
            for line in moment_lines(row, found.model.d)[-1:]:
                terminal.emit(f"  {line}\n")
    for _, said in found.comparisons:
        terminal.emit((said if isinstance(said, str) else said.sentence()) + "\n")
    terminal.emit(
        "Computed exactly; --out DIR writes certificates. All step sizes are equal; ratios are those of the second "
        "to the first at which the mean dynamics are stable. Averages of predictions over t updates vary by about "
        "Variance·t over t. Up to the largest step two runs come together in mean square.\n"
    )


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


def label(algorithm: Algorithm, model: Model) -> str:
    """Its name, with the options that are not those of an analysis that gives none, as a command line gives them."""
    from tdcert.algorithms import for_model

    usual = for_model(replace(algorithm, options=algorithm.defaults), model)[0].options
    given = {name: value for name, value in algorithm.options.items() if value != usual[name]}
    words = ",".join(f"{name}={_words(value)}" for name, value in given.items())
    return f"{algorithm.name}[{words}]" if words else algorithm.name


def _words(option: Any) -> str:
    return ":".join(map(str, option)) if isinstance(option, tuple | list) else str(option)


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
        return decimal(str(row.variance), 4)
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
    below, above = row.largest.bounded.alpha, row.largest.unbounded.alpha
    return f"{decimal(str(below), 3)} to {decimal(str(above), 3)}"
