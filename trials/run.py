"""The public trial: functions of published libraries held against the contracts that their documentation allows.

    python trials/run.py LIBRARY…            each in an environment of its own, trials/.environments/LIBRARY
    python trials/run.py LIBRARY --python P  by a Python that has it already
    python trials/run.py --all

Run by the Python that has tdcert. Results go to trials/results/LIBRARY.json; `python docs/write_trials.py` makes the
page of them. Nothing that is installed here enters the suite's own requirements.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tomllib
import venv
from pathlib import Path
from typing import Any

import tdcert
from tdcert.sims.estimators.contract import shipped

HERE = Path(__file__).resolve().parent
TABLE = tomllib.loads((HERE / "table.toml").read_text(encoding="utf-8"))
VERSION = "import importlib.metadata as m, sys; print(m.version(sys.argv[1]))"


def environment(library: str) -> str:
    """The Python of a library's own environment, made if it is not there."""
    folder = HERE / ".environments" / library
    python = folder / "bin" / "python"
    if not (folder / "complete").exists():
        venv.create(folder, with_pip=True, clear=True)
        install = [str(python), "-m", "pip", "install", "--quiet"]
        *before, last = TABLE[library]["install"]
        if before:
            subprocess.run([*install, *before], check=True)
        alone = ["--no-deps"] if TABLE[library].get("without_dependencies") else []
        subprocess.run([*install, *alone, last], check=True)
        (folder / "complete").touch()
    return str(python)


def contract(name: str) -> str:
    """A contract that ships by name, one of the trial's own by file."""
    return name if name in shipped() else str(HERE / "contracts" / f"{name}.toml")


def trial(library: str, name: str, row: dict[str, Any], python: str) -> dict[str, Any]:
    """One function under every contract that its documentation allows, without what is particular to this machine."""
    place = row["target"] if ":" in row["target"] else f"{HERE / 'adapters' / library}_trial.py:{row['target']}"
    out: dict[str, Any] = {"function": name, **{key: row[key] for key in ("estimator", "documented")}, "contracts": []}
    for given in row["contracts"]:
        found = tdcert.conform_estimator(
            place, estimator=row["estimator"], contract=contract(given), python=python, time_limit=500.0
        )["contracts"][0]
        failure = found["failure"]
        kept = failure and {key: failure[key] for key in ("property", "sentence", "mistake", "table")}
        out["contracts"].append({
            "contract": given, "conforms": found["conforms"], "precision": found["precision"],
            "whole_up_to": found["whole_up_to"], "failure": kept, "notes": found["notes"],
            "numbers": sum(x["numbers"] for x in found["properties"]),
        })  # fmt: skip
        print(f"{library} {name} {given}: {'conforms' if found['conforms'] else failure['sentence']}", flush=True)
    return out


def main() -> None:
    """Runs what is asked for and writes the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", nargs="*", choices=[*TABLE, []], help=", ".join(TABLE))
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--python", help="a Python that has the library")
    asked = parser.parse_args()
    for library in TABLE if asked.all else asked.library:
        python = asked.python or environment(library)
        package = TABLE[library]["install"][-1].partition("==")[0]
        version = subprocess.run([python, "-c", VERSION, package], capture_output=True, text=True, check=True).stdout
        rows: list[dict[str, Any]] = []
        result = {"library": library, "package": package, "version": version.strip(), "functions": rows}
        (HERE / "results").mkdir(exist_ok=True)
        for name, row in TABLE[library]["functions"].items():
            rows.append(trial(library, name, row, python))
            text = json.dumps(result, indent=1, ensure_ascii=False)
            (HERE / "results" / f"{library}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    main()
