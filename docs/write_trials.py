"""Writes docs/estimators-trial.md from the results of the public trial, trials/results/*.json.

python docs/write_trials.py
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TRIALS = ROOT / "trials"
PAGE = Path(__file__).with_name("estimators-trial.md")

HEAD = """# Return estimators of published libraries on trial

Written by `docs/write_trials.py` from `trials/results/`. Each library is run with one command, `python trials/run.py
LIBRARY`, in an environment of its own, which is no part of this suite's requirements. The adapters in
`trials/adapters/` hand a function its arguments and compute nothing of their own; the contracts are those of [Is my
return estimator right?](estimators.md) and of `trials/contracts/`.

**How to read it.** *conforms*: every number that was compared agrees, within the bound on rounding, under a contract
that the library's documentation allows. *fails*: it contradicts its documentation under every such contract; the
smallest row is shown below. *convention not documented*: it is right under no contract that was tried, or under one and
not under another, and its documentation does not say which is meant; that is no defect. *stops*: it raises on the
smallest rows, so nothing more was compared. Agreement is evidence for the version named and no proof. Where a package
was installed without its dependencies, the function was taken out of its installed file by name and run alone,
uncompiled: the table says so.
"""


def verdict(row: dict[str, Any], found: dict[str, Any]) -> str:
    """The word for one function under one contract."""
    if found["conforms"]:
        return "conforms"
    if found["failure"]["property"] == "interface":
        return "stops"
    others = any(other["conforms"] for other in row["contracts"])
    return "convention not documented" if not row["documented"] else ("not this one" if others else "fails")


def main() -> None:
    """Writes the page."""
    table = tomllib.loads((TRIALS / "table.toml").read_text(encoding="utf-8"))
    files = [TRIALS / "results" / f"{name}.json" for name in table]
    results = [json.loads(file.read_text(encoding="utf-8")) for file in files if file.exists()]
    functions = sum(len(result["functions"]) for result in results)
    passing = sum(any(x["conforms"] for x in row["contracts"]) for result in results for row in result["functions"])
    lines = [HEAD, f"{len(results)} libraries, {functions} functions; {passing} conform under a contract.\n"]
    lines += ["| library | function | estimator | contract | numbers compared | outcome |", "|---|---|---|---|---|---|"]
    shown = []
    for result in results:
        alone = ", function alone" if table[result["library"]].get("without_dependencies") else ""
        for row in result["functions"]:
            for found in row["contracts"]:
                word = verdict(row, found)
                name = f"{result['package']} {result['version']}{alone}"
                lines.append(
                    f"| {name} | `{row['function']}` | {row['estimator']} | {found['contract']} | "
                    f"{found['numbers']:,} | {word} |"
                )
                if found["failure"]:
                    shown.append((name, row, found, word))
    lines.append("\n## The smallest rows that differ\n")
    for name, row, found, word in shown:
        failure = found["failure"]
        lines += [f"### {name}: {row['function']}, under {found['contract']}\n", f"{word}. {failure['sentence']}.\n"]
        if failure["table"]:
            lines.append(failure["table"] + "\n")
    PAGE.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
