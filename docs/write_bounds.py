"""Writes docs/bounds.md and its picture: printed bounds beside the exact moments that they bound.

    python docs/write_bounds.py data    # evaluates every bound on every chain anew: docs/bounds.json; half a minute
    python docs/write_bounds.py         # the page and the picture alone, from these data

A row is a bound at its own steps. Both sides are balls (``claims/bounds.py``), and what is printed are digits that are
certain. Where the steps decrease, the bound of ``tdcert certify`` stands beside them, by the same forms as its N.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from flint import arb

from tdcert.algorithms import named
from tdcert.analysis.certify import mean_square_bound, process_of
from tdcert.claims.bounds import Evaluated, chains, shown
from tdcert.claims.brs18.projected import Projected, last_of_c, part_a, part_b, part_c
from tdcert.claims.kp15.kp_thm1 import mend
from tdcert.claims.kp15.rates import Rates
from tdcert.claims.ls18.averages import Averages
from tdcert.claims.ls18.ls_thm9 import evaluated
from tdcert.claims.sy19 import sy_cor15
from tdcert.claims.sy19.drift import NORMALISED, theorem_7
from tdcert.claims.ts15.first_n import FirstN
from tdcert.reports.pictures import png
from tdcert.theory.check.hypotheses import Hypothesis
from tdcert.theory.errors import BudgetExceededError, InputError
from tdcert.theory.figures import Figure, Rule, Series
from tdcert.theory.laws.decreasing_steps import DecreasingSteps
from tdcert.theory.model.mdp import Model

FOLDER = Path(__file__).parent
DATA, PAGE, PICTURE = (FOLDER / name for name in ("bounds.json", "bounds.md", "images/bounds.png"))
Row = dict[str, Any]
Steps = Callable[[Model], tuple[DecreasingSteps, Fraction]]


class Line(NamedTuple):
    """A bound: the ``claim`` that decides it, what is evaluated, and, where the steps decrease and the moment is that
    of
    the last iterate, the steps and θ_0 that ``tdcert certify`` is asked about.
    """

    label: str
    claim: str
    value: Callable[[Model], Evaluated]
    steps: Steps | None = None
    conditions: Sequence[Hypothesis] = ()
    """Hypotheses of the bound that it does not ask by itself."""


def _of_korda(model: Model) -> tuple[DecreasingSteps, Fraction]:
    """γ_n = c_0c/(c + n) from n = 1 on, θ_0 = 100."""
    of = Rates.of(model)
    return DecreasingSteps(of.c_0 * of.c, Fraction(of.c + 1)), of.first


def _of_part_c(model: Model) -> tuple[DecreasingSteps, Fraction]:
    """1/(ω(t + 1)(1 − γ)), θ_0 = 0."""
    return DecreasingSteps(1 / Projected.of(model).rate, Fraction(1)), Fraction(0)


LINES = (
    Line("averages, t = 1,000", "ls_thm9", lambda m: evaluated(Averages.of(m), 1_000)),
    Line("averages, t = 100,000", "ls_thm9", lambda m: evaluated(Averages.of(m), 100_000)),
    Line("constant step, k = τ + γ_max/ε", "sy_thm7", lambda m: theorem_7(m)[0], None, (NORMALISED,)),
    Line("constant step, k = 2⁴⁰", "sy_thm7", lambda m: theorem_7(m)[1], None, (NORMALISED,)),
    Line("corrected, k = 2⁴⁰", "sy_cor15", lambda m: sy_cor15.bounds(m)[1], None, (NORMALISED,)),
    Line("as printed, n = 10", "kp_thm1", lambda m: Rates.of(m).theorem_1(10), _of_korda),
    Line("as printed, n = 1,000", "kp_thm1", lambda m: Rates.of(m).theorem_1(1_000), _of_korda),
    Line("mended, n = 1,000", "kp_thm1", lambda m: mend(m, 1_000), _of_korda),
    Line("mended, n = 100,000", "kp_thm1", lambda m: mend(m, 100_000), _of_korda),
    Line("part (a), T = 1,024", "brs_a", lambda m: part_a(m, 32)),
    Line("part (a), T = 102,400", "brs_a", lambda m: part_a(m, 320)),
    Line("part (a), T = 102,400, the draft's R", "brs_a", lambda m: part_a(m, 320, Projected.of(m).printed_radius)),
    Line("part (b), T = 1,024", "brs_b", lambda m: part_b(m, 1_024, Fraction(99, 100) / 32)),
    Line("part (c), T = 1,000", "brs_c", lambda m: part_c(m, 1_000)),
    Line("part (c), T = 100,000", "brs_c", lambda m: part_c(m, 100_000)),
    Line("part (c), the last iterate, T = 1,000", "brs_c", lambda m: last_of_c(m, 1_000), _of_part_c),
)


# ---- the data -------------------------------------------------------------------------------------------------------


def asked(line: Line, model: Model) -> Row:
    """One cell of the table; ``why`` where the bound says nothing of the chain."""
    place = {"bound": line.label, "claim": line.claim, "chain": model.name}
    refused = [reply.reason for reply in (condition.ask(model) for condition in line.conditions) if not reply.satisfied]
    if refused:
        return {**place, "why": refused[0]}
    try:
        found = line.value(model)
    except (BudgetExceededError, InputError) as reason:
        return {**place, "why": str(reason)}
    row = {
        **place,
        "moment": found.moment,
        "steps": found.steps,
        "constants": found.constants,
        "exact": shown(found.exact, 3),
        "value": shown(found.bound, 3),
        "ratio": "∞" if found.exact == 0 else shown(found.ratio, 2),
        "holds": found.holds,
    }
    if line.steps is None:
        return row
    steps, first = line.steps(model)
    try:
        own = mean_square_bound(process_of(model, named("td"), (Fraction(1),), (first,)), steps, found.horizon)
    except (BudgetExceededError, InputError) as reason:
        return {**row, "certify_why": str(reason)}
    if own is None:
        return {**row, "certify_why": "its forms begin to fall later"}
    ours = arb(own.numerator) / arb(own.denominator)
    return {
        **row,
        "certify": shown(ours, 3),
        "certify_ratio": "∞" if found.exact == 0 else shown(ours / found.exact, 2),
    }


def first_n(model: Model, lam: Fraction) -> Row:
    """n_0(1/10) of Tagorti and Scherrer."""
    try:
        low, high = FirstN.of(model, lam).enclosed()
    except (BudgetExceededError, InputError) as reason:
        return {"chain": model.name, "lambda": str(lam), "why": str(reason)}
    return {"chain": model.name, "lambda": str(lam), "low": f"{low:.2e}", "high": f"{high:.2e}"}


def evaluate() -> dict[str, list[Row]]:
    """Every bound on every chain."""
    rows = []
    for line in LINES:
        for model in chains():
            rows.append(asked(line, model))
            print(*(rows[-1].get(key, "") for key in ("bound", "chain", "exact", "value", "ratio", "why")), flush=True)
    return {"bounds": rows, "first_n": [first_n(m, x) for x in (Fraction(1, 2), Fraction(9, 10)) for m in chains()]}


# ---- the page -------------------------------------------------------------------------------------------------------


def _reasons(rows: Sequence[Row]) -> str:
    by_reason: dict[str, list[str]] = {}
    for row in rows:
        for key in ("why", "certify_why"):
            if key in row:
                by_reason.setdefault(row[key], []).append(f"{row['claim']} on {row['chain']}")
    lines = [f"* {why}: {', '.join(dict.fromkeys(places))}." for why, places in by_reason.items()]
    return "\n".join(lines)


def _line(row: Row) -> str:
    if "why" in row:
        return f"| {row['chain']} | – | – | – | – |"
    own = f"{row['certify']} ({row['certify_ratio']})" if "certify" in row else "–"
    ratio = row["ratio"] if row["holds"] is not False else f"**{row['ratio']}**"
    return f"| {row['chain']} | {row['exact']} | {row['value']} | {ratio} | {own} |"


def _tables(rows: Sequence[Row]) -> str:
    parts = []
    for line in LINES:
        own = [row for row in rows if (row["bound"], row["claim"]) == (line.label, line.claim)]
        told = next(row for row in own if "why" not in row)
        parts.append(f"### `{line.claim}`: {line.label}\n\n{told['moment']}.\n")
        parts.append("| chain | exact | bound | bound ÷ exact | `tdcert certify` (÷ exact) |\n|---|---|---|---|---|")
        parts += [_line(row) for row in own]
        parts.append("")
    return "\n".join(parts)


def _first(rows: Sequence[Row]) -> str:
    return "\n".join(
        f"| {row['chain']} | {row['lambda']} | " + (f"{row['low']} < n_0 ≤ {row['high']} |" if "low" in row else "– |")
        for row in rows
    )


def is_number(words: str) -> bool:
    """Whether a ratio is a number, and not beyond those that are printed."""
    return words[0].isdigit()


def page(data: Mapping[str, Any]) -> str:
    """The text."""
    rows = data["bounds"]
    known = [row for row in rows if "why" not in row]
    false = [row for row in known if row["holds"] is False]
    measured = [row for row in known if row["holds"] and is_number(row["ratio"])]
    least, most = (choose(measured, key=lambda row: float(row["ratio"])) for choose in (min, max))
    return f"""# Bound ÷ truth

How much larger is a printed finite-time bound than what it bounds? The table holds each bound that can be evaluated at
its own steps against the exact moment, on five chains with one feature. Written by `docs/write_bounds.py` from
`docs/bounds.json`; `tdcert verify --paper ID` draws the same for the statements of a paper.

![Each bound and the exact moment, as dots on a logarithmic axis](images/{PICTURE.name})

Of {len(rows)} cells {len(known)} have a value; in {len(false)} the moment exceeds the bound (bold). The smallest ratio
of a bound that holds is {least["ratio"]} (`{least["claim"]}`, {least["bound"]}, {least["chain"]}), the largest
{most["ratio"]} (`{most["claim"]}`, {most["bound"]}, {most["chain"]}).

*Chains.* The fast pair has rows (½, ½) and γ = ½, the slow pair rows (9/10, 1/10), (1/10, 9/10) and γ = 9/10; both
have φ = (1, ½) and a reward of 1 on leaving the second state. The fair coin chain has rows (½, ½), φ = (1, −1), the
flip chain alternates, φ = (1, 1), both with rewards (1, 0), and one state has φ = 1 and reward 1; γ = ½. θ_0 = 0, but
for `kp_thm1` θ_0 = 100; s_0 is drawn from the stationary law. `kp_thm1` bounds the mean norm: E‖·‖² stands for its
square where that is below the bound, and else ‖E·‖², which it is not below.

*Exact*: the moment by a power, or a product, of the matrix of all second moments, in balls
(`theory/laws/many_steps.py`). *Bound*: with the constants that the page names, rational where they are, else in balls;
mixing times, m and ρ are those of `theory/laws/mixing.py`. Digits that are printed are certain. The projection of
`brs_a`, `brs_b`, `brs_c` is inactive, since R is the least radius that no path leaves (`theory/laws/reach.py`); with
the draft's R the moment is that of TD without a projection. *`tdcert certify`*: its upper bound of E‖θ_t − θ*‖² at the
same time, by the forms that it certifies for ever; constant steps and averages are not its question.

## The bounds

{_tables(rows)}
No value:

{_reasons(rows)}

## From which n on

The bound of Tagorti and Scherrer (`ts_thm1`) has a remainder without a value, but it speaks of n ≥ n_0(δ) alone; δ =
1/10.

| chain | λ | n_0 |
|---|---|---|
{_first(data["first_n"])}
"""


def figure(data: Mapping[str, Any]) -> Figure:
    """Ratios by bound, a series for each chain."""
    names = tuple(f"{line.claim}, {line.label}" for line in LINES)
    place = {(line.label, line.claim): k for k, line in enumerate(LINES, start=1)}
    series = []
    for model in chains():
        rows = [row for row in data["bounds"] if row["chain"] == model.name and "why" not in row]
        shown_rows = [row for row in rows if is_number(row["ratio"])]
        points = ((place[row["bound"], row["claim"]], float(row["ratio"])) for row in shown_rows)
        kept = [(float(x), y) for x, y in points if 0 < y < 1e30]
        series.append(Series.through(model.name, kept, "points"))
    own = [row for row in data["bounds"] if is_number(row.get("certify_ratio", "–"))]
    ours = ((float(place[row["bound"], row["claim"]]), float(row["certify_ratio"])) for row in own)
    series.append(Series.through("tdcert certify, every chain", ours, "points"))
    caption = "Bound ÷ exact moment; below 1 the bound is false. Ratios above 10³⁰ are left out."
    title, rules = "Bound ÷ truth on five chains", (Rule("the exact moment", Fraction(1), "y"),)
    return Figure(
        "bounds", None, title, "", "bound ÷ exact", tuple(series), caption, log_y=True, rules=rules, x_names=names
    )


@cache
def read() -> dict[str, list[Row]]:
    """The data: ``bounds`` and ``first_n``."""
    data: dict[str, list[Row]] = json.loads(DATA.read_text(encoding="utf-8"))
    return data


def save(data: Mapping[str, Sequence[Row]]) -> None:
    """One line for each cell."""
    parts = [
        f"{json.dumps(key)}: [\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in found) + "\n]"
        for key, found in data.items()
    ]
    DATA.write_text("{" + ",\n".join(parts) + "}\n", encoding="utf-8")


def main() -> None:
    if "data" in sys.argv[1:]:
        save(evaluate())
        read.cache_clear()
    data = read()
    PAGE.write_text(page(data), encoding="utf-8")
    PICTURE.write_bytes(png(figure(data)))


if __name__ == "__main__":
    main()
