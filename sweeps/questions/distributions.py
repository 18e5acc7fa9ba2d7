"""What a survey reports: shares and quantiles with exact confidence limits, plots, and the extreme models."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite

import pyarrow as pa

from tdcert.claims.claim import decide
from tdcert.claims.dgb22 import error_bound, negative_margin
from tdcert.claims.paper import entry
from tdcert.sweeps.quantities import DEPENDENT, FLOATS, NOTIONS, STABLE, UNDECIDED
from tdcert.sweeps.question import PARTIAL, Result, ResultTable
from tdcert.sweeps.statistics import quantile, quantile_limits, share_limits
from tdcert.theory.figures import Figure, Series
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Status

QUANTILES = tuple(Fraction(p, 100) for p in (5, 25, 50, 75, 95))
CURVE = tuple(Fraction(p, 100) for p in range(1, 100))
BOUNDS = {"margin_ratio": (negative_margin.CLAIM.id, min), "error_ratio": (error_bound.CLAIM.id, max)}
"""Quantities with a bound on-policy: its claim, and which end would break it."""
LOGARITHMIC = ("asymptotic_variance", "margin_ratio")
ModelOf = Callable[[int, str], Model]
Row = tuple[int, str, str, str, float, str]


@dataclass(frozen=True)
class Extreme:
    """The model at one ``end`` of a distribution, in the file ``path``; ``decided``: the exact verdict of the claim
    that bounds the quantity at this end, if one does.
    """

    end: str
    value: float
    index: int
    path: str
    decided: str | None = None


@dataclass(frozen=True)
class Distribution:
    """A quantity under a schedule: ``without`` counts the words of models that have no number; of each quantile the
    share, the value and its limits, None where there are too few models.
    """

    quantity: str
    schedule: str
    evidence: str
    models: int
    without: Mapping[str, int]
    quantiles: tuple[tuple[float, float, float | None, float | None], ...] = ()
    extremes: tuple[Extreme, ...] = ()


@dataclass(frozen=True)
class StableShare:
    """How many models an algorithm is stable on, in one notion; ``left_out``: those with dependent features."""

    schedule: str
    algorithm: str
    notion: str
    models: int
    stable: int
    undecided: int
    left_out: int
    limits: tuple[float, float]


def distributions(table: pa.Table, complete: bool, level: float, model_of: ModelOf, on_policy: bool) -> Result:
    """The result of a survey. ``model_of(index, schedule)`` draws a model again."""
    names = ("index", "schedule", "algorithm", "quantity", "value", "word")
    rows: list[Row] = list(zip(*(table.column(name).to_pylist() for name in names), strict=True))
    models = len({row[0] for row in rows})
    numbers, stability = [row for row in rows if not row[2]], [row for row in rows if row[2]]
    summary = [f"{models:,} models; limits hold at {level:.4g}, each on its own."]
    found, drawn, files = _numbers(numbers, level, model_of, on_policy)
    tables, figures = ([_quantile_table(found)], drawn) if found else ([], [])
    if any(part.evidence == "float" for part in found):
        summary.append("Quantities marked float are computed in floats, model by model; they decide nothing.")
    shares = list(_shares(stability, level))
    if shares:
        figures += _share_figures(shares)
        tables += [_share_table(shares), _disagreements(stability)]
        summary.append(
            "Mean and mean square are decided exactly, or with every rounding bounded where the grade is enclosed, or "
            "counted as undecided; paths are simulated, a sign may be wrong. A share's limits take what is undecided "
            "for unstable below and for stable above."
        )
    broken = (
        f"the bound of {part.quantity} is broken under {part.schedule}: see {extreme.path}"
        for part in found
        for extreme in part.extremes
        if extreme.decided == Status.REFUTED
    )
    return Result(
        (*summary, *([] if complete else [PARTIAL])),
        tuple(shown for shown in tables if shown.rows),
        {"quantities": [*found, *shares]},
        tuple(figures),
        files,
        tuple(broken),
    )


# ---- numbers ----------------------------------------------------------------------------------------


def _numbers(
    rows: Sequence[Row], level: float, model_of: ModelOf, on_policy: bool
) -> tuple[list[Distribution], list[Figure], dict[str, bytes]]:
    found, series, files = [], dict[str, list[Series]](), dict[str, bytes]()
    for quantity, schedule in dict.fromkeys((row[3], row[1]) for row in rows):
        here = [row for row in rows if row[3] == quantity and row[1] == schedule]
        known = sorted((row[4], row[0]) for row in here if isfinite(row[4]))
        words = Counter(row[5] or "not a number" for row in here if not isfinite(row[4]))
        evidence, without = "float" if quantity in FLOATS else "exact", dict(sorted(words.items()))
        quantiles, extremes = [], []
        ordered = [value for value, _ in known]
        for p in QUANTILES if known else ():
            low, high = (x if isfinite(x) else None for x in quantile_limits(ordered, p, level))
            quantiles.append((float(p), quantile(ordered, p), low, high))
        for end, (value, index) in (("least", known[0]), ("largest", known[-1])) if known else ():
            path = f"extremes/{quantity}-{_stem(schedule)}-{end}.json"
            model = model_of(index, schedule)
            files[path] = (json.dumps(model.canonical, sort_keys=True, indent=1) + "\n").encode()
            extremes.append(Extreme(end, value, index, path, _bound(quantity, end, model) if on_policy else None))
        if known:
            series.setdefault(quantity, []).append(_curve(schedule, ordered, level))
        found.append(Distribution(quantity, schedule, evidence, len(here), without, tuple(quantiles), tuple(extremes)))
    return found, [_curves(name, curves) for name, curves in series.items()], files


def _bound(quantity: str, end: str, model: Model) -> str | None:
    """The exact verdict of the claim about the extreme model, at the end where the claim bounds the quantity."""
    if quantity not in BOUNDS:
        return None
    claim, side = BOUNDS[quantity]
    if (side is min) != (end == "least"):
        return None
    return str(decide(entry(claim).load(), model).verdict.status)


def _curve(label: str, ordered: Sequence[float], level: float) -> Series:
    limits = [quantile_limits(ordered, p, level) for p in CURVE]
    ends = (ordered[0], ordered[-1])
    low = tuple(max(a, ends[0]) for a, _ in limits)
    high = tuple(min(b, ends[1]) for _, b in limits)
    return Series(label, tuple(map(float, CURVE)), tuple(quantile(ordered, p) for p in CURVE), low, high, marks="line")


def _curves(quantity: str, curves: Sequence[Series]) -> Figure:
    positive = all(y > 0 for curve in curves for y in curve.low or curve.y)
    return Figure(
        f"survey_{quantity}",
        None,
        f"Quantiles of {quantity.replace('_', ' ')}",
        "share of the models",
        quantity.replace("_", " "),
        tuple(curves),
        "The value that this share of the models does not exceed; the band holds exact confidence limits, point by "
        "point.",
        log_y=quantity in LOGARITHMIC and positive,
    )


def _quantile_table(found: Sequence[Distribution]) -> ResultTable:
    shares = [f"{100 * float(p):.0f}%" for p in QUANTILES]
    rows = []
    for part in found:
        cells = [
            f"{value:.4g} ({'−∞' if low is None else f'{low:.4g}'} … {'∞' if high is None else f'{high:.4g}'})"
            for _, value, low, high in part.quantiles
        ]
        ends = [f"{extreme.value:.6g}" for extreme in part.extremes] or ["", ""]
        without = sum(part.without.values())
        count = f"{part.models:,}" + (f", {without:,} without a value" if without else "")
        named = (part.quantity.replace("_", " "), part.evidence, part.schedule, count)
        rows.append((*named, *(cells or [""] * len(shares)), *ends))
    columns = ("quantity", "evidence", "schedule", "models", *shares, "least", "largest")
    return ResultTable("Quantiles of the values there are, with their limits", columns, tuple(rows))


# ---- stability --------------------------------------------------------------------------------------


def _shares(rows: Sequence[Row], level: float) -> Iterator[StableShare]:
    counted: dict[tuple[str, str, str], Counter[str]] = {}
    for _, schedule, algorithm, notion, _, word in rows:
        counted.setdefault((schedule, algorithm, notion), Counter())[word] += 1
    for key, words in counted.items():
        n, stable, undecided = words.total() - words[DEPENDENT], words[STABLE], words[UNDECIDED]
        low = share_limits(stable, n, level)[0] if n else 0.0
        high = share_limits(stable + undecided, n, level)[1] if n else 1.0
        yield StableShare(*key, n, stable, undecided, words[DEPENDENT], (low, high))


def _share_table(shares: Sequence[StableShare]) -> ResultTable:
    rows = []
    for one in shares:
        share = f"{one.stable / one.models:.3f}" if one.models else ""
        cell = f"{share} ({one.limits[0]:.3f} … {one.limits[1]:.3f})"
        notion = one.notion.replace("_", " ")
        rows.append((one.schedule, one.algorithm, notion, one.models, one.stable, one.undecided, cell))
    columns = ("schedule", "algorithm", "stable in", "models", "stable", "undecided", "share stable, with limits")
    return ResultTable("How often an algorithm is stable", columns, tuple(rows))


def _share_figures(shares: Sequence[StableShare]) -> Iterator[Figure]:
    schedules, algorithms = (list(dict.fromkeys(getattr(one, x) for one in shares)) for x in ("schedule", "algorithm"))
    for notion in NOTIONS:
        series = []
        for place, algorithm in enumerate(algorithms):
            here = [one for one in shares if (one.notion, one.algorithm) == (notion, algorithm) and one.models]
            if here:
                beside = (2 * place + 1 - len(algorithms)) / (8 * len(algorithms))
                x = tuple(schedules.index(one.schedule) + 1 + beside for one in here)
                low, high = zip(*(one.limits for one in here), strict=True)
                series.append(Series(algorithm, x, tuple(one.stable / one.models for one in here), low, high))
        if series:
            words = notion.replace("_", " ")
            yield Figure(
                f"stable_in_{notion}",
                None,
                f"Share of models stable in {words}",
                "schedule",
                "share stable",
                tuple(series),
                "Bands: exact limits, with what is undecided taken for unstable below, stable above.",
                x_names=tuple(schedules),
            )


def _disagreements(rows: Sequence[Row]) -> ResultTable:
    """How often mean, mean square and paths answer alike, by algorithm and schedule."""
    answers: dict[tuple[str, str, int], dict[str, str]] = {}
    for index, schedule, algorithm, notion, _, word in rows:
        answers.setdefault((schedule, algorithm, index), {})[notion] = word
    notions = [notion for notion in NOTIONS if any(notion in given for given in answers.values())]
    counted: Counter[tuple[str, ...]] = Counter()
    for (schedule, algorithm, _), given in answers.items():
        if DEPENDENT not in given.values():
            counted[(schedule, algorithm, *(given[notion] for notion in notions))] += 1
    rows_of = (
        tuple[tuple[str | int, ...], ...]((*key, count) for key, count in sorted(counted.items()))
        if len(notions) > 1
        else ()
    )
    columns = ("schedule", "algorithm", *(notion.replace("_", " ") for notion in notions), "models")
    return ResultTable("Together: what each model's notions of stability said", columns, rows_of)


def _stem(schedule: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in schedule)
