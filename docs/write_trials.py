"""Writes docs/estimators-trial.md from the results of the public trial, trials/results/*.json.

python docs/write_trials.py
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tdcert.sims.estimators.contract import Contract, load_contract, shipped
from tdcert.sims.estimators.mistakes import mistakes_in

ROOT = Path(__file__).resolve().parents[1]
TRIALS = ROOT / "trials"
PAGE = Path(__file__).with_name("estimators-trial.md")

HEAD = """# Return estimators of published libraries on trial

Written by `docs/write_trials.py` from `trials/results/`. Each library is run with one command, `python trials/run.py
LIBRARY`, in an environment of its own, which is removed afterwards and is not part of this suite's requirements; what
is installed in it is pinned in `trials/table.toml`, and the last table says where each ran. The adapters in
`trials/adapters/` hand a function its arguments and compute nothing of their own but what the call needs (a logarithm,
a learner's own discount); the contracts are those of [Is my return estimator right?](estimators.md) and of
`trials/contracts/`.

**How to read it.** *conforms*: every number that was compared agrees, within the bound on rounding, under a contract
that the library's documentation allows. *fails*: it contradicts its documentation under every such contract; the
smallest row is shown below. *convention not documented*: it is right under no contract that was tried, or under one
and not under another, and its documentation does not say which is meant; that is not a defect. *not this one*: right
under another contract that its documentation allows. *stops*: it raises on arguments that its documentation does not
exclude, so nothing more was compared under that contract; where a further contract leaves those arguments out, it
stands in the next line. *not run*: a line of the table for which there is no result yet. Agreement is evidence for the
version named and no proof. Where a package was installed without its dependencies, and for files of a repository, the
function was taken out of its file by name and run alone, uncompiled but for PufferLib's: the table says so.
"""


ALIKE = """
## What a contract cannot tell apart

A function conforms if it returns every number that the contract asks for. Where two readings of a convention give the
same numbers on all rows that a contract has, a function conforms with either, and *conforms* does not say which it has.
A function of λ or γ as one number is not asked which step's it would be.
"""

Rule = Callable[[Contract], bool]
READINGS: tuple[tuple[str, str, Rule], ...] = (
    (
        "the value of the state that a step leads to, and the next entry of the values (v_t, and v_tm1 shifted)",
        "the value of the next episode's first state used after truncation",
        lambda c: c.truncation != "bootstrap" or c.boundaries == "single",
    ),
    (
        "truncation and termination",
        "truncation treated as termination: no bootstrap",
        lambda c: c.truncation != "bootstrap",
    ),
    (
        "a sum that stops where episodes meet, and one that runs on into the next",
        "the trace not stopped where an episode ends: what follows is carried into it",
        lambda c: c.boundaries == "single" or c.fixed.get("n") == 1 or c.fixed.get("lambda") == 0,
    ),
    (
        "the λ of a step, and that of the next one",
        "λ_{t+1} used for λ_t",
        lambda c: not c.has("lambdas", "lambdas_and_cuts"),
    ),
    (
        "the discount of a step, and that of the next one",
        "the discount of the next step used in the trace",
        lambda c: not c.has("discounts"),
    ),
    (
        "ρ̄ and c̄, the bounds of the ratio in the error and in the trace",
        "ρ̄ used for c̄: the ratio of δ in the trace",
        lambda c: not c.has("clip_rho", "clip_c", "mix_rho", "mix_c"),
    ),
    (
        "the target and the value of the next state in V-trace's advantage, which is not asked for",
        "V(s_{t+1}) used for the target v_{t+1} in the advantage",
        lambda c: "advantages" not in c.returns,
    ),
)
"""Two readings; the mistake that is the second where the first is meant (tests hold the rule to it: the mistake makes
right numbers on all rows of a contract); the contracts under which they are alike."""


def contract_named(name: str, estimator: str) -> Contract:
    """One that ships, or one of the trial's own."""
    return load_contract(name if name in shipped() else str(TRIALS / "contracts" / f"{name}.toml"), estimator)


def contracts_of(table: dict[str, Any]) -> list[Contract]:
    """All that are tried, each once for each estimator."""
    rows = [row for given in table.values() for row in given["functions"].values()]
    return [
        contract_named(*key) for key in dict.fromkeys((x, row["estimator"]) for row in rows for x in row["contracts"])
    ]


def alike(table: dict[str, Any]) -> list[str]:
    """The section about readings: a row for each, with the contracts under which they are alike."""
    lines = [ALIKE, "| two readings | give the same numbers under |", "|---|---|"]
    for words, mistake, rule in READINGS:
        found: dict[str, list[str]] = {}
        for contract in contracts_of(table):
            if rule(contract) and mistake in (x.words for x in mistakes_in(contract.estimator)):
                found.setdefault(contract.name, []).append(contract.estimator)
        places = "; ".join(f"{name} ({', '.join(estimators)})" for name, estimators in found.items())
        lines.append(f"| {words} | {places} |")
    return lines


def verdict(row: dict[str, Any], found: dict[str, Any]) -> str:
    """The word for one function under one contract."""
    if found["conforms"]:
        return "conforms"
    if found["failure"]["property"] == "interface":
        return "stops"
    others = any(other["conforms"] for other in row["found"])
    return "convention not documented" if not row["documented"] else ("not this one" if others else "fails")


def named(result: dict[str, Any], table: dict[str, Any]) -> str:
    """A library with its version, and how its functions were taken."""
    alone = ", function alone" if table.get("without_dependencies") or "commit" in table else ""
    return f"{result['package']} {result['version']}{alone}"


def link(table: dict[str, Any], source: str) -> str:
    """Where a promise is written: the file at its commit, or the project and the file of the installed version."""
    if "commit" in table:
        return f"[{source}]({table['home']}/blob/{table['commit']}/{source})"
    return f"`{source}` of [{table['home'].partition('//')[2]}]({table['home']})"


Found = list[tuple[dict[str, Any], dict[str, Any], str, dict[str, Any], str, dict[str, Any] | None]]


def rows_of(table: dict[str, Any], results: dict[str, dict[str, Any]]) -> Found:
    """Result, library, function, its row of the table, contract, and what was found (None: not run)."""
    rows: Found = []
    for library, given in table.items():
        result = results.get(library) or {"library": library, "package": library, "version": "", "functions": []}
        for name, row in given["functions"].items():
            ran = [x for one in result["functions"] if one["function"] == name for x in one["contracts"]]
            for contract in row["contracts"]:
                found = next((x for x in ran if x["contract"] == contract), None)
                rows.append((result, given, name, row | {"found": ran}, contract, found))
    return rows


def page(table: dict[str, Any], results: list[dict[str, Any]]) -> str:
    """The page."""
    by_name = {result["library"]: result for result in results}
    rows = rows_of(table, by_name)
    ran = {(x["library"], name) for x, _, name, _, _, found in rows if found}
    passing = {(x["library"], name) for x, _, name, _, _, found in rows if found and found["conforms"]}
    libraries = len({library for library, _ in ran})
    lines = [HEAD, f"{libraries} libraries, {len(ran)} functions; {len(passing)} conform under a contract.\n"]
    lines += [f"{x['package']} {x['version']} could not be tried: {x['cannot']}.\n" for x in results if x["cannot"]]
    lines += ["| library | function | estimator | contract | numbers compared | outcome |", "|---|---|---|---|---|---|"]
    shown = []
    for result, given, name, row, contract, found in rows:
        word = verdict(row, found) if found else "not run"
        numbers = f"{found['numbers']:,}" if found else ""
        lines.append(f"| {named(result, given)} | `{name}` | {row['estimator']} | {contract} | {numbers} | {word} |")
        if found and found["failure"]:
            shown.append((f"{named(result, given)}: {name}, under {contract}", found["failure"], word))
    lines.append("\n## The smallest rows that differ\n")
    for title, failure, word in shown:
        lines += [f"### {title}\n", f"{word}. {failure['sentence']}.\n"]
        if failure["table"]:
            lines.append(failure["table"] + "\n")
    lines += [
        *alike(table),
        "\n## What the functions promise\n",
        "In short words of ours; what is written there counts.\n",
    ]
    lines += ["| library | function | promise | where |", "|---|---|---|---|"]
    for library, given in table.items():
        for name, row in given["functions"].items():
            promise = row["promise"].replace("|", "\\|")
            lines.append(f"| {library} | `{name}` | {promise} | {link(given, row['source'])} |")
    lines += ["\n## Where they ran\n", "| library | installed beside | environment |", "|---|---|---|"]
    for library, given in table.items():
        if (result := by_name.get(library)) and result["functions"]:
            place = "of its own" if result["environment"] == "own" else "one that had it (`--python`)"
            lines.append(f"| {named(result, given)} | {', '.join(given.get('with', []))} | {place} |")
    return "\n".join(lines).rstrip() + "\n"


def read() -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The table, and the results that are there, in its order."""
    table = tomllib.loads((TRIALS / "table.toml").read_text(encoding="utf-8"))
    files = [TRIALS / "results" / f"{name}.json" for name in table]
    return table, [json.loads(file.read_text(encoding="utf-8")) for file in files if file.exists()]


def main() -> None:
    """Writes the page."""
    PAGE.write_text(page(*read()), encoding="utf-8")


if __name__ == "__main__":
    main()
