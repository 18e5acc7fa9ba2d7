"""Writes docs/paths-trial.md and its picture: what almost every path does on Baird's star, certified and simulated.

    python docs/write_paths_trial.py ask    # asks all cells anew and writes docs/paths-trial.json, some minutes
    python docs/write_paths_trial.py        # the page and the picture alone, from that

A cell is an algorithm, a discount and a step. Its sign is that of the exponent (``tdcert.theory.engine.paths``), by
whatever bounds decide there; each cell is simulated too, decided or not, with one error rate for all of them.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from tdcert.algorithms.schedules import declared
from tdcert.reports.pictures import standalone_svg
from tdcert.sims.growth_signs import Round, SignQuestion, find_signs
from tdcert.sims.phases.diagram import SIMULATED, DiagramCell, Panel, PhaseDiagram
from tdcert.theory.engine.declare import Algorithm, ratios_of
from tdcert.theory.engine.paths import on_paths
from tdcert.theory.engine.second_moments import at_constant_step
from tdcert.theory.laws.path_exponents import PathSign
from tdcert.theory.model.gallery import bairds_star
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.verdict import Sign

FOLDER = Path(__file__).parent
DATA, PAGE, PICTURE = (FOLDER / f"paths-trial.{end}" for end in ("json", "md", "svg"))
GAMMAS = tuple(Fraction(x) for x in ("1/10", "3/10", "1/2", "7/10", "4/5", "17/20", "9/10", "19/20", "49/50", "99/100"))
STEPS = tuple(Fraction(1, x) for x in (200, 100, 50, 20, 10, 7, 5, 4, 3, 2))
ALGORITHMS: dict[str, tuple[str, Schedule]] = {
    "TD(0)": ("off_policy_td", Schedule()),
    "GTD": ("gtd", Schedule()),
    "TDC": ("tdc", Schedule()),
    "off-policy TD, EqualWeights(4, 6)": ("off_policy_td", Schedule.equal_weights(4, 6)),
    "ETD(0)": ("etd", Schedule()),
}
KERNELS = ("off_policy_td", "gtd", "tdc")
"""Simulated by name, the others by their tables."""
STATES = tuple(range(7))
ETA = Fraction(1)
ROUNDS = (Round(80, 25_000), Round(80, 250_000), Round(80, 2_000_000, 40))
LEVEL, SEED = 0.999, 1
SIGNS: dict[Sign, str] = {-1: "−", 0: "0", 1: "+", None: "?"}
Row = dict[str, Any]


# ---- the data -------------------------------------------------------------------------------------------------------


def places() -> Iterator[tuple[str, Fraction, Fraction]]:
    """Algorithm, discount and step of each cell."""
    return ((name, gamma, alpha) for name in ALGORITHMS for gamma in GAMMAS for alpha in STEPS)


def update_of(name: str, gamma: Fraction) -> tuple[Model, Algorithm]:
    """The star and the update of a row."""
    word, schedule = ALGORITHMS[name]
    model = bairds_star(gamma, schedule)
    return model, declared(word, model)


def asked(name: str, gamma: Fraction, alpha: Fraction) -> Row:
    """What theory says of a cell."""
    model, update = update_of(name, gamma)
    ratios = ratios_of(update, ETA)
    sign = on_paths(model, update, STATES, ratios, alpha).sign
    square = at_constant_step(model, update, STATES, ratios, alpha, 0).mean_square
    ends = {key: None if x is None else str(x) for key, x in (("low", sign.low), ("high", sign.high))}
    place = {"algorithm": name, "gamma": str(gamma), "alpha": str(alpha)}
    return {**place, "sign": sign.sign, **ends, "by": decided_by(sign), "why": sign.why, "mean_square": square}


def decided_by(sign: PathSign) -> str | None:
    """The way that decides, in words: ``forms``, ``determinants``, ``restart determinants``; None where none does."""
    for shown in sign.shown if sign.sign is not None else ():
        ends = [getattr(shown, key, None) for key in ("bound", "low", "high")]
        if not any(ends) or any(x is not None and x * sign.sign > 0 for x in ends):
            return re.sub("(?<!^)(?=[A-Z])", " ", type(shown).__name__).lower()
    return None


def simulated() -> list[Row]:
    """Sign and median growth of each cell, all signs right together with probability :data:`LEVEL`."""
    questions = []
    for name, gamma, alpha in places():
        model, update = update_of(name, gamma)
        word = ALGORITHMS[name][0]
        questions.append(SignQuestion(name, model, word if word in KERNELS else update, float(alpha), float(ETA)))
    found = find_signs(questions, ROUNDS, seed=SEED, name="paths, on trial", level=LEVEL)
    keys = ("lower", "estimate", "upper")
    return [
        {"sign": path.sign, **{key: f"{getattr(path.exponent, key):.4g}" for key in keys}, "steps": path.steps}
        for path in found
    ]


def ask() -> None:
    """Asks all cells and writes the data."""
    rows = []
    for place in places():
        rows.append(asked(*place))
        print(*(str(rows[-1][key]) for key in ("algorithm", "gamma", "alpha", "sign", "by")), flush=True)
    cells = [{**row, "simulated": seen} for row, seen in zip(rows, simulated(), strict=True)]
    lines = ",\n".join(json.dumps(cell, ensure_ascii=False) for cell in cells)
    DATA.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


# ---- the page -------------------------------------------------------------------------------------------------------


def contradicted(cell: Mapping[str, Any]) -> bool:
    """Whether simulation found another sign than the certified one."""
    return None not in (cell["sign"], cell["simulated"]["sign"]) and cell["sign"] != cell["simulated"]["sign"]


def of(cells: Sequence[Row], name: str) -> list[Row]:
    return [cell for cell in cells if cell["algorithm"] == name]


def _cell(cell: Mapping[str, Any]) -> DiagramCell:
    seen = cell["simulated"]["sign"]
    if cell["sign"] is None:
        text = SIGNS[seen] + (SIMULATED if seen is not None else "")
        return DiagramCell("undecided", text, f"{cell['why']}; simulated: {SIGNS[seen]}")
    category = "diverges" if cell["sign"] > 0 else "converges"
    return DiagramCell(category, SIGNS[cell["sign"]], f"certified by {cell['by']}")


def diagram(cells: Sequence[Row]) -> PhaseDiagram:
    """The map: a panel for each algorithm, rows are steps."""
    panels = []
    for name in ALGORITHMS:
        found = {(cell["gamma"], cell["alpha"]): _cell(cell) for cell in of(cells, name)}
        rows = tuple(tuple(found[str(gamma), str(alpha)] for gamma in GAMMAS) for alpha in STEPS)
        panels.append(Panel(name, rows, ()))
    categories = (
        ("converges", "on almost every path differences die out: certified"),
        ("diverges", "on almost every path almost every difference grows: certified"),
        ("undecided", "no bound has a sign"),
    )
    title, labels = "Baird's star: what almost every path does", tuple(str(alpha) for alpha in STEPS)
    return PhaseDiagram(
        "paths_trial", None, title, "", "discount γ", "step α", GAMMAS, labels, tuple(panels), categories
    )


def page(cells: Sequence[Row]) -> str:
    """The text."""
    rows, ways = [], []
    for name in ALGORITHMS:
        own = of(cells, name)
        known = [cell for cell in own if cell["sign"] is not None]
        by = Counter((cell["by"], cell["sign"]) for cell in known)
        heavy = sum(cell["sign"] == -1 and cell["mean_square"] != -1 for cell in known)
        left = Counter(SIGNS[cell["simulated"]["sign"]] for cell in own if cell["sign"] is None)
        told = sum(cell["simulated"]["sign"] is not None for cell in known)
        wrong = sum(map(contradicted, own))
        rows.append(
            f"| {name} | {len(known)} of {len(own)} | {sum(x['sign'] == -1 for x in known)} | "
            f"{sum(x['sign'] == 1 for x in known)} | {heavy} | "
            f"{', '.join(f'{count} {sign}' for sign, count in sorted(left.items())) or '–'} | {told}, {wrong} |"
        )
        said = ", ".join(f"{way} {count} ({SIGNS[sign]})" for (way, sign), count in sorted(by.items()))
        ways.append(f"| {name} | {said} |")
    known = sum(cell["sign"] is not None for cell in cells)
    longest = max(cell["simulated"]["steps"] for cell in cells)
    return f"""# Paths on trial: Baird's star

Does the difference of two runs at a constant step die out, or grow, on almost every path? The map asks it for five
algorithms, {len(GAMMAS)} discounts and {len(STEPS)} steps, on predictions: {known} of {len(cells)} cells are decided with
certificates ([how](certificates.md#almost-every-path)), and all are simulated. All step sizes are equal. Written by
`docs/write_paths_trial.py` from `docs/paths-trial.json`.

![For each algorithm, discount and step: dies out, grows, or open]({PICTURE.name})

| algorithm | decided | die out | grow | of those that die out, mean square not shown to | open, as simulated | decided ones simulated, contradicted |
|---|---|---|---|---|---|---|
{chr(10).join(rows)}

*Simulated*: {ROUNDS[0].runs} runs from the stationary regime, of {ROUNDS[0].steps:,} updates and, where they give no
sign, up to {longest:,}. A sign says that more than half of all runs shrink, or grow, from a fifth of the updates to the last;
by order statistics, whatever the law of a run, all {len(cells)} signs are right together with probability {LEVEL}.
It is a statement about that many updates, not about the limit: where the last column counted a contradiction, one of the
two would have to be looked at. ? has no sign; − and + with a star in the picture are simulated alone.

| algorithm | decided by (cells, sign) |
|---|---|
{chr(10).join(ways)}

*Open* cells are of two kinds. Where the mean is unstable and the step small, the exponent is positive along one slow
direction while others contract: determinants see the sum of all, and forms bound from above. Near the border of both
signs forms lose what noise gains that depends on the direction.
"""


def read() -> list[Row]:
    """The data."""
    cells: list[Row] = json.loads(DATA.read_text(encoding="utf-8"))
    return cells


def main() -> None:
    if sys.argv[1:] == ["ask"]:
        ask()
    cells = read()
    PAGE.write_text(page(cells), encoding="utf-8")
    PICTURE.write_text(standalone_svg(diagram(cells)), encoding="utf-8")


if __name__ == "__main__":
    main()
