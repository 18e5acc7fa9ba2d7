"""Writes docs/paths-trial.md and its picture: what almost every path does on Baird's star, certified and simulated.

    python docs/write_paths_trial.py star       # asks all cells of the star anew: docs/paths-trial.json; an hour
    python docs/write_paths_trial.py open       # asks those that are open and may have a drift; half an hour
    python docs/write_paths_trial.py diagrams   # draws the phase diagram of each example anew, and counts; some minutes
    python docs/write_paths_trial.py            # the page and the picture alone, from these data

A cell of the star is an algorithm, a discount and a step. Its sign is that of the exponent, by whatever bounds decide
there (``tdcert.theory.engine.paths``); each cell is simulated too, decided or not, with one error rate for all of them.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from tdcert.algorithms.schedules import declared
from tdcert.analysis.model_diagram import draw
from tdcert.reports.pictures import png
from tdcert.sims.growth_signs import Round, SignQuestion, find_signs
from tdcert.sims.phases.diagram import SIMULATED, DiagramCell, Panel, PhaseDiagram
from tdcert.theory.engine.declare import Algorithm, ratios_of
from tdcert.theory.engine.paths import on_paths
from tdcert.theory.engine.second_moments import at_constant_step
from tdcert.theory.files.examples import EXAMPLES
from tdcert.theory.laws.path_exponents import PathSign
from tdcert.theory.limits import DRIFT_BOXES
from tdcert.theory.model.gallery import bairds_star
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.progress import silently
from tdcert.theory.verdict import Sign

FOLDER = Path(__file__).parent
DATA, PAGE, PICTURE = (FOLDER / name for name in ("paths-trial.json", "paths-trial.md", "images/paths-trial.png"))
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
BY_DRIFT = ("TD(0)", "ETD(0)")
"""Of which the drift is asked where nothing else decides, seconds to minutes a cell: what the others see has too many
directions.
"""
STATES = tuple(range(7))
ETA = Fraction(1)
ROUNDS = (Round(80, 25_000), Round(80, 250_000), Round(80, 2_000_000, 40))
LEVEL, SEED = 0.999, 1
ENCLOSED = "drift, enclosed"
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
    sign = on_paths(model, update, STATES, ratios, alpha, boxes=DRIFT_BOXES if name in BY_DRIFT else 0).sign
    square = at_constant_step(model, update, STATES, ratios, alpha, 0).mean_square
    ends = {key: None if x is None else str(x) for key, x in zip(("low", "high"), sign.best_bounds, strict=True)}
    place = {"algorithm": name, "gamma": str(gamma), "alpha": str(alpha)}
    return {**place, "sign": sign.sign, **ends, "by": decided_by(sign), "why": sign.why, "mean_square": square}


def decided_by(sign: PathSign) -> str | None:
    """The way that decides, in words: ``forms``, ``determinants``, ``restart determinants``, ``drift, enclosed``; None
    where none does.
    """
    if sign.enclosed is not None:
        return ENCLOSED
    end, side = (sign.low, "low") if sign.sign == 1 else (sign.high, "high")
    for shown in sign.shown if sign.sign is not None else ():
        if end is None or end in (getattr(shown, key, None) for key in ("bound", side)):
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


def star() -> list[Row]:
    """All cells of the star."""
    rows = []
    for place in places():
        rows.append(asked(*place))
        print(*(str(rows[-1][key]) for key in ("algorithm", "gamma", "alpha", "sign", "by")), flush=True)
    return [{**row, "simulated": seen} for row, seen in zip(rows, simulated(), strict=True)]


def still_open() -> list[Row]:
    """All cells of the star, with those that are open asked anew as far as drifts go, and saved one by one."""
    rows = list(read()["star"])
    for k, row in enumerate(rows):
        if row["sign"] is None and row["algorithm"] in BY_DRIFT:
            rows[k] = {
                **asked(row["algorithm"], *map(Fraction, (row["gamma"], row["alpha"]))),
                "simulated": row["simulated"],
            }
            print(*(str(rows[k][key]) for key in ("algorithm", "gamma", "alpha", "sign", "by")), flush=True)
            save({**read(), "star": rows})
    return rows


EVIDENCE = ("certified", "enclosed", "simulated", "open")


def evidence(cell: DiagramCell) -> str:
    """How the sign of paths in a cell of a phase diagram is known: by bounds of the exponent, by mean square that dies
    out, by runs, or not.
    """
    sign = cell.text.split()[2]
    if sign.endswith(SIMULATED):
        return "simulated"
    if sign == SIGNS[None]:
        return "open"
    return "certified" if "certified: " in cell.detail else "enclosed"


def diagrams() -> list[Row]:
    """For each example the cells of its phase diagram, as it is drawn unless axes are named, by evidence."""
    found = []
    for name, make in EXAMPLES.items():
        drawn = draw(make(), silently)
        cells = [] if drawn.picture is None else [c for p in drawn.picture.panels for row in p.cells for c in row]
        counts = Counter(map(evidence, cells))
        found.append({"example": name, "why": drawn.why, **{word: counts[word] for word in EVIDENCE}})
        print(found[-1], flush=True)
    return found


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
    grade = "" if cell["by"] == ENCLOSED else "certified by "
    return DiagramCell(category, SIGNS[cell["sign"]], f"{grade}{cell['by']}")


def diagram(cells: Sequence[Row]) -> PhaseDiagram:
    """The map: a panel for each algorithm, rows are steps."""
    panels = []
    for name in ALGORITHMS:
        found = {(cell["gamma"], cell["alpha"]): _cell(cell) for cell in of(cells, name)}
        rows = tuple(tuple(found[str(gamma), str(alpha)] for gamma in GAMMAS) for alpha in STEPS)
        panels.append(Panel(name, rows, ()))
    categories = (
        ("converges", "on almost every path differences die out"),
        ("diverges", "on almost every path almost every difference grows"),
        ("undecided", "no bound has a sign"),
    )
    title, labels = "Baird's star: what almost every path does", tuple(str(alpha) for alpha in STEPS)
    return PhaseDiagram(
        "paths_trial", None, title, "", "discount γ", "step α", GAMMAS, labels, tuple(panels), categories
    )


def _diagrams(found: Sequence[Row]) -> str:
    rows = []
    for row in found:
        count = sum(row[word] for word in EVIDENCE)
        said = f"{row['simulated'] / count:.0%}" if count else f"no diagram: {row['why']}"
        rows.append(f"| `{row['example']}` | {' | '.join(str(row[word]) for word in EVIDENCE)} | {said} |")
    total = {word: sum(row[word] for row in found) for word in EVIDENCE}
    count = sum(total.values())
    share = f"{total['simulated'] / count:.1%}"
    rows.append(f"| all | {' | '.join(str(total[word]) for word in EVIDENCE)} | {share} |")
    return f"""Of all {count} cells {share} are simulated, {total["open"] / count:.1%} are open. On policy a memory
without end is cut where an episode ends, after so many different traces that words between two ends are not followed.
On the star the forms of GTD and TDC with traces are too large, and determinants do not see growth at small steps.

| `example:` | certified | enclosed | simulated | open | simulated of all |
|---|---|---|---|---|---|
{chr(10).join(rows)}"""


def _why_open(cells: Sequence[Row]) -> str:
    """A line for each open cell of which the drift is asked, with what it says there."""
    return "\n".join(
        f"| {cell['algorithm']} | {cell['gamma']} | {cell['alpha']} | {cell['why'].partition('; ')[2]} |"
        for cell in cells
        if cell["sign"] is None and cell["algorithm"] in BY_DRIFT
    )


def page(data: Mapping[str, Any]) -> str:
    """The text."""
    cells, rows, ways = data["star"], [], []
    for name in ALGORITHMS:
        own = of(cells, name)
        known = [cell for cell in own if cell["sign"] is not None]
        by = Counter((cell["by"], cell["sign"]) for cell in known)
        heavy = sum(cell["sign"] == -1 and cell["mean_square"] != -1 for cell in known)
        left = Counter(SIGNS[cell["simulated"]["sign"]] for cell in own if cell["sign"] is None)
        told = sum(cell["simulated"]["sign"] is not None for cell in known)
        wrong = sum(map(contradicted, own))
        rows.append(
            f"| {name} | {len(known)} of {len(own)} | {sum(x['sign'] == -1 for x in known)} | {heavy} | "
            f"{sum(x['sign'] == 1 for x in known)} | "
            f"{', '.join(f'{count} {sign}' for sign, count in sorted(left.items())) or '–'} | {told} | {wrong} |"
        )
        said = ", ".join(f"{way} {count} ({SIGNS[sign]})" for (way, sign), count in sorted(by.items()))
        ways.append(f"| {name} | {said} |")
    decided = sum(cell["sign"] is not None for cell in cells)
    enclosed = sum(cell["by"] == ENCLOSED for cell in cells)
    longest = max(cell["simulated"]["steps"] for cell in cells)
    return f"""# Paths on trial: Baird's star

Does the difference of two runs at a constant step die out, or grow, on almost every path? The map asks it for five
algorithms, {len(GAMMAS)} discounts and {len(STEPS)} steps, on predictions: {decided} of {len(cells)} cells are decided,
{decided - enclosed} with certificates ([how](certificates.md#almost-every-path)) and {enclosed} by a drift with every
rounding bounded, and all are simulated. All step sizes are equal. Written by `docs/write_paths_trial.py` from
`docs/paths-trial.json`.

![For each algorithm, discount and step: dies out, grows, or open](images/{PICTURE.name})

| algorithm | decided | die out | heavy | grow | open, as simulated | simulated | contradicted |
|---|---|---|---|---|---|---|---|
{chr(10).join(rows)}

*Heavy*: of those that die out, the cells whose mean square is not shown to die out too, at a step so large that it
grows, or with a memory without second moments.

*Simulated*: so many of the decided cells have a sign in simulation, too; and *contradicted* is how many have the other
one. {ROUNDS[0].runs} runs start in the stationary regime, of {ROUNDS[0].steps:,} updates and, where these give no sign,
up to {longest:,}. A sign says that more than half of all runs shrink, or grow, from a fifth of the updates to the last,
by order statistics, whatever the law of a run: all {len(cells)} signs are right together with probability {LEVEL}. They
speak of that many updates, not of the limit. ? has no sign; − and + with a star in the picture are simulated alone.

| algorithm | decided by (cells, sign) |
|---|---|
{chr(10).join(ways)}

Cells are *open* for three reasons. Where the mean is unstable and the step small, the exponent is positive along one
slow direction while others contract: determinants see the sum of all, and forms bound from above. GTD and TDC have
twice as many directions, which hides growth from determinants up to larger steps; modulo the symmetry of the outer
states a direction of theirs is seven numbers up to scale, too many for boxes. Of TD(0) and ETD(0), where it is three,
the drift of sums of logarithms shows growth at steps up to 1/20. Near the border of both signs forms lose what noise
that depends on the direction takes away, and drifts lose less: ETD(0) dies out at γ = 9/10, α = 1/100, which forms do
not show. What the drift says of the open cells of {" and ".join(BY_DRIFT)} (`docs/write_paths_trial.py open` asks them
again, which takes from seconds to many minutes a cell):

| algorithm | γ | α | the drift |
|---|---|---|---|
{_why_open(cells)}

## Phase diagrams of the examples

How are the signs of paths known in the phase diagram of each model that ships (`tdcert analyze example:NAME
--phase-diagram`, axes and steps as they are unless named)? *Certified*: by bounds of the exponent. *Enclosed*: the mean
square dies out, with every rounding bounded, and takes almost every path with it. *Simulated*: by runs, with a star in
the picture. *Open*: neither.

{_diagrams(data["diagrams"])}
"""


@cache
def read() -> dict[str, list[Row]]:
    """The data: ``star`` and ``diagrams``."""
    data: dict[str, list[Row]] = json.loads(DATA.read_text(encoding="utf-8"))
    return data


def save(data: Mapping[str, Sequence[Row]]) -> None:
    """One line for each cell, and for each diagram."""
    parts = []
    for key, found in data.items():
        lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in found)
        parts.append(f"{json.dumps(key)}: [\n{lines}\n]")
    joined = ",\n".join(parts)
    DATA.write_text(f"{{{joined}}}\n", encoding="utf-8")


def main() -> None:
    for word, key, asked_anew in (
        ("star", "star", star),
        ("open", "star", still_open),
        ("diagrams", "diagrams", diagrams),
    ):
        if word in sys.argv[1:]:
            save({**read(), key: asked_anew()})
            read.cache_clear()
    data = read()
    PAGE.write_text(page(data), encoding="utf-8")
    PICTURE.write_bytes(png(diagram(data["star"])))


if __name__ == "__main__":
    main()
