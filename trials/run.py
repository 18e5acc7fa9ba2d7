"""The public trial: functions of published libraries held against the contracts that their documentation allows.

    python trials/run.py LIBRARY…            each in an environment of its own, which is removed afterwards
    python trials/run.py --all
    python trials/run.py LIBRARY --keep      the environment stays in trials/.environments/LIBRARY
    python trials/run.py LIBRARY --python P  by a Python that has it already

Run by the Python that has tdcert. What is installed is what ``table.toml`` pins; a library that is not a package is
cloned at the commit named there. Results go to trials/results/LIBRARY.json, also where a library cannot be installed,
with the reason; `python docs/write_trials.py` makes the page of them. Nothing that is installed here enters the
suite's own requirements.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tdcert
from tdcert.sims.estimators.contract import shipped
from tdcert.theory.errors import InputError

HERE = Path(__file__).resolve().parent
TABLE = tomllib.loads((HERE / "table.toml").read_text(encoding="utf-8"))
SITE = "import sysconfig; print(sysconfig.get_path('purelib'))"
INSTALL_LIMIT = 3600.0
"""Seconds for one command of an installation."""


def ran(*command: str | Path, folder: Path | None = None) -> str:
    """What a command prints; its last line of complaint as an :class:`InputError` where it fails."""
    words = [str(word) for word in command]
    try:
        found = subprocess.run(words, capture_output=True, text=True, cwd=folder, timeout=INSTALL_LIMIT)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"{words[0]}: {error}") from None
    if found.returncode:
        complaints = [line for line in found.stderr.splitlines() if line.strip()]
        named = [line for line in complaints if line.lower().startswith(("error", "fatal"))]
        raise InputError((named or complaints or [f"exit code {found.returncode}"])[-1].strip())
    return found.stdout.strip()


def environment(library: str) -> Path:
    """The Python of a library's own environment, made if it is not there."""
    given, folder = TABLE[library], HERE / ".environments" / library
    python = folder / "bin" / "python"
    if not (folder / "complete").exists():
        venv.create(folder, with_pip=False, clear=True)
        pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-compile"]
        if given.get("with"):
            ran(*pip, *given["with"])
        if "package" in given:
            alone = ["--no-deps"] if given.get("without_dependencies") else []
            ran(*pip, *alone, given["package"])
        else:
            clone(given["repository"], given["commit"], given["files"], Path(ran(python, "-c", SITE)) / library)
        (folder / "complete").touch()
    return python


def clone(repository: str, commit: str, files: Sequence[str], folder: Path) -> None:
    """Some files of a repository as they are at a commit."""
    with tempfile.TemporaryDirectory(prefix="tdcert-trial-") as name:
        ran("git", "clone", "--quiet", "--bare", f"https://github.com/{repository}", name)
        for file in files:
            text = ran("git", "show", f"{commit}:{file}", folder=Path(name))
            place = folder / file
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text + "\n", encoding="utf-8")


def contract(name: str) -> str:
    """A contract that ships by name, one of the trial's own by file."""
    return name if name in shipped() else str(HERE / "contracts" / f"{name}.toml")


def trial(library: str, name: str, row: dict[str, Any], python: Path) -> dict[str, Any]:
    """One function under every contract that its documentation allows, without what is particular to this machine."""
    place = row["target"] if ":" in row["target"] else f"{HERE / 'adapters' / library}_trial.py:{row['target']}"
    out: dict[str, Any] = {"function": name, "contracts": []}
    for given in row["contracts"]:
        document = tdcert.conform_estimator(
            place, estimator=row["estimator"], contract=contract(given), python=str(python), time_limit=900.0
        )
        found = document["contracts"][0]
        failure = found["failure"]
        shown = failure and {key: failure[key] for key in ("property", "sentence", "mistake", "difference", "table")}
        out["contracts"].append({
            "contract": given, "conforms": found["conforms"], "precision": found["precision"],
            "whole_up_to": found["whole_up_to"], "failure": shown, "notes": found["notes"],
            "numbers": sum(x["numbers"] for x in found["properties"]),
        })  # fmt: skip
        print(f"{library} {name} {given}: {'conforms' if found['conforms'] else failure['sentence']}", flush=True)
    return out


def written(result: dict[str, Any]) -> None:
    """Keeps what is there so far."""
    text = json.dumps(result, indent=1, ensure_ascii=False)
    (HERE / "results").mkdir(exist_ok=True)
    (HERE / "results" / f"{result['library']}.json").write_text(text + "\n", encoding="utf-8")


def tried(library: str, given: str | None) -> bool:
    """Writes the result of a library: its functions, one after another, or why there are none (False)."""
    table = TABLE[library]
    name, _, version = table.get("package", f"{library}=={table.get('commit', '')[:7]}").partition("==")
    result: dict[str, Any] = {
        "library": library, "package": name, "version": version,
        "environment": "given" if given else "own", "cannot": None, "functions": [],
    }  # fmt: skip
    try:
        python = Path(given) if given else environment(library)
        for function, row in table["functions"].items():
            result["functions"].append(trial(library, function, row, python))
            written(result)
    except InputError as error:
        result |= {"cannot": str(error).replace(f"{HERE}/", ""), "functions": []}
        written(result)
        print(f"{library} cannot be tried: {error}", flush=True)
    return result["cannot"] is None


def main() -> int:
    """Runs what is asked for and writes the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", nargs="*", metavar="LIBRARY", help=", ".join(TABLE))
    parser.add_argument("--all", action="store_true", help="every library of the table")
    parser.add_argument("--keep", action="store_true", help="leave the environments, for another run")
    parser.add_argument("--python", help="a Python that has the library")
    asked = parser.parse_args()
    unknown = [name for name in asked.library if name not in TABLE]
    if unknown or not (asked.library or asked.all):
        parser.error(f"there is no library {unknown[0]!r}" if unknown else f"name a library: {', '.join(TABLE)}")
    cannot = 0
    for library in TABLE if asked.all else asked.library:
        cannot += not tried(library, asked.python)
        if not asked.keep:
            shutil.rmtree(HERE / ".environments" / library, ignore_errors=True)
    return 1 if cannot else 0


if __name__ == "__main__":
    sys.exit(main())
