"""What a survey reports: shares and quantiles with exact confidence limits, plots, and the extreme models."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import isfinite
from typing import Any

import pyarrow as pa

from tdcert.claims import error_bound, negative_margin
from tdcert.claims.claim import decide
from tdcert.claims.paper import entry
from tdcert.sweeps.quantities import ALGORITHMS, DEPENDENT, FLOATS, NOTIONS, STABLE, UNDECIDED
from tdcert.sweeps.question import Result
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


def distributions(table: pa.Table, complete: bool, level: float, model_of: ModelOf, on_policy: bool) -> Result:
    """The result of a survey. ``model_of(index, schedule)`` draws a model again."""
    names = ("index", "schedule", "algorithm", "quantity", "value", "word")
    rows: list[Row] = list(zip(*(table.column(name).to_pylist() for name in names), strict=True))
    models = len({row[0] for row in rows})
    numbers = [row for row in rows if not row[2]]
    stability = [row for row in rows if row[2]]
    summary = [f"{models:,} models; limits hold at {level:.4g}, each on its own."]
    tables: list[dict[str, Any]] = []
    documents: list[dict[str, Any]] = []
    figures: list[Figure] = []
    files: dict[str, bytes] = {}
    unexpected: list[str] = []
    if numbers:
        body, drawn, kept, broken = _numbers(numbers, level, model_of, on_policy)
        documents += body
        figures += drawn
        files |= kept
        unexpected += broken
        tables.append(_quantile_table(body))
        if any(part["evidence"] == "float" for part in body):
            summary.append("Quantities marked float are computed in floats, model by model; they decide nothing.")
    if stability:
        shares = list(_shares(stability, level))
        documents += shares
        figures += list(_share_figures(shares))
        tables += [_share_table(shares), _disagreements(stability)]
        summary.append(
            "Mean and mean square are decided exactly or counted as undecided; paths are simulated, a sign may be "
            "wrong. A share's limits take what is undecided for unstable below and for stable above."
        )
    if not complete:
        summary.append("The sweep is not complete: these are the shards that are done.")
    document = {"summary": summary, "tables": [t for t in tables if t["rows"]], "quantities": documents}
    return Result(document, tuple(figures), files, tuple(unexpected))


# ---- numbers ----------------------------------------------------------------------------------------


def _numbers(
    rows: Sequence[Row], level: float, model_of: ModelOf, on_policy: bool
) -> tuple[list[dict[str, Any]], list[Figure], dict[str, bytes], list[str]]:
    documents, series, files, broken = [], dict[str, list[Series]](), dict[str, bytes](), list[str]()
    for quantity, schedule in dict.fromkeys((row[3], row[1]) for row in rows):
        here = [row for row in rows if row[3] == quantity and row[1] == schedule]
        known = sorted((row[4], row[0]) for row in here if isfinite(row[4]))
        words = Counter(row[5] or "not a number" for row in here if not isfinite(row[4]))
        body: dict[str, Any] = {
            "quantity": quantity,
            "schedule": schedule,
            "evidence": "float" if quantity in FLOATS else "exact",
            "models": len(here),
            "without": dict(sorted(words.items())),
            "quantiles": [],
            "extremes": [],
        }
        documents.append(body)
        if not known:
            continue
        ordered = [value for value, _ in known]
        for p in QUANTILES:
            low, high = quantile_limits(ordered, p, level)
            body["quantiles"].append([float(p), quantile(ordered, p), _finite(low), _finite(high)])
        for end, (value, index) in (("least", known[0]), ("largest", known[-1])):
            path = f"extremes/{quantity}-{_stem(schedule)}-{end}.json"
            model = model_of(index, schedule)
            files[path] = (json.dumps(model.canonical, sort_keys=True, indent=1) + "\n").encode()
            body["extremes"].append({"end": end, "value": value, "index": index, "path": path})
            said = _bound(quantity, end, model) if on_policy else None
            if said is not None:
                body["extremes"][-1]["decided"] = said
                if said == Status.REFUTED:
                    broken.append(f"the bound of {quantity} is broken under {schedule}: see {path}")
        series.setdefault(quantity, []).append(_curve(schedule, ordered, level))
    return documents, [_curves(name, curves) for name, curves in series.items()], files, broken


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


def _quantile_table(documents: Sequence[dict[str, Any]]) -> dict[str, Any]:
    shares = [f"{100 * float(p):.0f}%" for p in QUANTILES]
    columns = ["quantity", "evidence", "schedule", "models", *shares, "least", "largest"]
    rows = []
    for body in documents:
        cells = [
            f"{value:.4g} ({'−∞' if low is None else f'{low:.4g}'} … {'∞' if high is None else f'{high:.4g}'})"
            for _, value, low, high in body["quantiles"]
        ]
        cells = cells or [""] * len(shares)
        ends = [f"{extreme['value']:.6g}" for extreme in body["extremes"]] or ["", ""]
        without = sum(body["without"].values())
        count = f"{body['models']:,}" + (f", {without:,} without a value" if without else "")
        rows.append([body["quantity"].replace("_", " "), body["evidence"], body["schedule"], count, *cells, *ends])
    return {"title": "Quantiles of the values there are, with their limits", "columns": columns, "rows": rows}


# ---- stability --------------------------------------------------------------------------------------


def _shares(rows: Sequence[Row], level: float) -> Iterator[dict[str, Any]]:
    counted: dict[tuple[str, str, str], Counter[str]] = {}
    for _, schedule, algorithm, notion, _, word in rows:
        counted.setdefault((schedule, algorithm, notion), Counter())[word] += 1
    for (schedule, algorithm, notion), words in counted.items():
        n = words.total() - words[DEPENDENT]
        stable, undecided = words[STABLE], words[UNDECIDED]
        low = share_limits(stable, n, level)[0] if n else 0.0
        high = share_limits(stable + undecided, n, level)[1] if n else 1.0
        yield {
            "schedule": schedule,
            "algorithm": algorithm,
            "notion": notion,
            "models": n,
            "stable": stable,
            "undecided": undecided,
            "left_out": words[DEPENDENT],
            "limits": [low, high],
        }


def _share_table(shares: Sequence[dict[str, Any]]) -> dict[str, Any]:
    rows = []
    for body in shares:
        low, high = body["limits"]
        share = f"{body['stable'] / body['models']:.3f}" if body["models"] else ""
        rows.append(
            [
                body["schedule"],
                body["algorithm"],
                body["notion"].replace("_", " "),
                body["models"],
                body["stable"],
                body["undecided"],
                f"{share} ({low:.3f} … {high:.3f})",
            ]
        )
    columns = ["schedule", "algorithm", "stable in", "models", "stable", "undecided", "share stable, with limits"]
    return {"title": "How often an algorithm is stable", "columns": columns, "rows": rows}


def _share_figures(shares: Sequence[dict[str, Any]]) -> Iterator[Figure]:
    schedules = list(dict.fromkeys(body["schedule"] for body in shares))
    named = ", ".join(f"{k} = {text}" for k, text in enumerate(schedules, start=1))
    for notion in NOTIONS:
        series = []
        for shift, algorithm in enumerate(ALGORITHMS):
            here = [b for b in shares if b["notion"] == notion and b["algorithm"] == algorithm and b["models"]]
            if here:
                x = tuple(schedules.index(b["schedule"]) + 1 + (shift - 1) / 12 for b in here)
                y = tuple(b["stable"] / b["models"] for b in here)
                low, high = tuple(b["limits"][0] for b in here), tuple(b["limits"][1] for b in here)
                series.append(Series(algorithm, x, y, low, high))
        if series:
            words = notion.replace("_", " ")
            yield Figure(
                f"stable_in_{notion}",
                None,
                f"Share of models stable in {words}",
                f"schedule: {named}",
                "share stable",
                tuple(series),
                "Bands: exact limits, with what is undecided taken for unstable below, stable above.",
            )


def _disagreements(rows: Sequence[Row]) -> dict[str, Any]:
    """How often mean, mean square and paths answer alike, by algorithm and schedule."""
    answers: dict[tuple[str, str, int], dict[str, str]] = {}
    for index, schedule, algorithm, notion, _, word in rows:
        answers.setdefault((schedule, algorithm, index), {})[notion] = word
    notions = [notion for notion in NOTIONS if any(notion in given for given in answers.values())]
    counted: Counter[tuple[str, ...]] = Counter()
    for (schedule, algorithm, _), given in answers.items():
        if DEPENDENT not in given.values():
            counted[(schedule, algorithm, *(given[notion] for notion in notions))] += 1
    several = len(notions) > 1
    return {
        "title": "Together: what each model's notions of stability said",
        "columns": ["schedule", "algorithm", *(notion.replace("_", " ") for notion in notions), "models"],
        "rows": [[*key, count] for key, count in sorted(counted.items())] if several else [],
    }


def _finite(x: float) -> float | None:
    return x if isfinite(x) else None


def _stem(schedule: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in schedule)
