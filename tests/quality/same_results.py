"""Do two checkouts give the same results? ``python tests/quality/same_results.py OLD NEW``.

Runs the commands of both (``.venv/bin/tdcert`` in each, as ``make`` installs it) on the same inputs and compares every
document they write, down to the last value: ``verify --profile quick``; ``analyze`` on every example, on three
environments, and on ten generated models in each arithmetic; ``analyze --algorithms all`` on the examples and on two
generated models; ``conform`` on every example class; one small sweep. An analysis is compared as the document that both
print: a checkout that knows ``--format`` is asked for the earlier format.

What a run says of itself (``environment``, the versions and digests in a sweep's manifest) is left out. ``--ignore``
takes a regular expression of places, for differences that are meant, ``--at`` one of the places that are looked at
alone (``--at '/claims/[^/]+/(status|grade)$'``: the verdicts); ``--only TEXT`` the runs whose name holds the text;
``--additions`` leaves out what only the new documents have. Rows that have an id are compared by it. Exit code 0:
nothing differs; 1: something does; it is printed.

It uses the standard library and NumPy alone, so that it runs beside checkouts of any age.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

ENVIRONMENTS = ("FrozenLake8x8-v1", "CliffWalking-v1", "Taxi-v4")
CLASSES = (
    "plain_td.py:PlainTD td",
    "torch_style_td.py:TorchStyleTD td",
    "broken.py:LateReward td",
    "broken.py:WrongEnd td",
    "broken.py:EagerTDC tdc",
)
GENERATED, LISTED = 10, 2
ADDED = "only in new"
ANALYSIS, UPDATES = "tdcert-analysis/1", "tdcert-updates/1"
SAYS_OF_ITSELF = ("environment", "seconds", "versions", "files", "shards")
SWEEP = """
format = "tdcert-sweep/1"
name = "small"
kind = "refute"
seed = 2022
count = 30
shard = 5

[refute]
claims = "screened"
models = 200
descent = 5

[[family]]
kind = "uniform"
states = [2, 3]
width = [1, 2]
"""


def generated(number: int) -> dict[str, Any]:
    """A model file from a seed: rational, off-policy every second time, one to four λ's."""
    rng = random.Random(1_000 + number)
    n, actions = rng.randint(2, 6), rng.randint(1, 2)
    d = rng.randint(1, n)

    def law(size: int) -> list[str]:
        weights = [rng.randint(1, 9) for _ in range(size)]
        return [str(Fraction(weight, sum(weights))) for weight in weights]

    def entries(rows: int, columns: int) -> list[list[str]]:
        return [[str(Fraction(rng.randint(-9, 9), rng.randint(1, 4))) for _ in range(columns)] for _ in range(rows)]

    return {
        "format": "tdcert-model/1",
        "transitions": {f"a{k}": [law(n) for _ in range(n)] for k in range(actions)},
        "rewards": {f"a{k}": entries(n, n) for k in range(actions)},
        "discount": str(Fraction(rng.randint(1, 19), 20)),
        "behaviour": [law(actions) for _ in range(n)],
        **({"target": [law(actions) for _ in range(n)]} if number % 2 else {}),
        "features": entries(n, d),
        "schedule": {"lambdas": [str(Fraction(rng.randint(0, 8), 8)) for _ in range(rng.randint(1, 4))]},
    }


def save_archive(path: Path, number: int) -> None:
    """A sparse archive from a seed: a ring of 40 states with jumps, five features."""
    rng = np.random.default_rng(number)
    n, d = 40, 5
    P = np.zeros((n, n))
    for s in range(n):
        P[s, (s + 1) % n] = 0.5
        P[s, rng.integers(n)] += 0.25
        P[s, s] += 0.25
    np.savez(
        path,
        format="tdcert-model-npz/1",
        transitions=P,
        rewards=rng.integers(-4, 5, n) / 4,
        discount=0.9375,
        features=rng.integers(-8, 9, (n, d)) / 8,
        schedule="equal_weights:1,3",
    )


def commands(folder: Path, examples: Path) -> Iterator[tuple[str, list[str]]]:
    """Name and arguments of every run; ``{out}`` stands for a folder of the run's own."""
    yield "verify", ["verify", "--profile", "quick", "--out", "{out}"]
    for path in sorted(examples.glob("*.json")):
        if '"tdcert-model/1"' in path.read_text(encoding="utf-8"):
            yield f"analyze {path.stem}", ["analyze", str(path), "--json", ANALYSIS]
            yield f"analyze {path.stem}, all algorithms", _listed(path)
    for name in ENVIRONMENTS:
        yield f"analyze {name}", ["analyze", f"gymnasium:{name}", "--json", ANALYSIS]
    for number in range(GENERATED):
        path = folder / f"generated-{number}.json"
        path.write_text(json.dumps(generated(number)), encoding="utf-8")
        for arithmetic in ("exact", "enclosed"):
            yield (
                f"analyze generated {number}, {arithmetic}",
                ["analyze", str(path), "--arithmetic", arithmetic, "--json", ANALYSIS],
            )
        if number < LISTED:
            yield f"analyze generated {number}, all algorithms", _listed(path)
        archive = folder / f"generated-{number}.npz"
        save_archive(archive, number)
        yield f"analyze archive {number}, sparse", ["analyze", str(archive), "--json", ANALYSIS]
    for row in CLASSES:
        target, algorithm = row.split()
        yield f"conform {row}", ["conform", str(examples / "conformance" / target), "--algorithm", algorithm, "--json"]
    spec = folder / "small.toml"
    spec.write_text(SWEEP, encoding="utf-8")
    yield "sweep", ["sweep", str(spec), "--workers", "1", "--out", "{out}", "--json"]


def _listed(path: Path) -> list[str]:
    return ["analyze", str(path), "--algorithms", "all", "--json", UPDATES]


def _words(checkout: Path, arguments: Sequence[str], out: Path) -> list[str]:
    """The arguments as a checkout takes them: the name of a format is an option where ``--format`` is known."""
    program = str(checkout / ".venv" / "bin" / "tdcert")
    words = [program]
    for word in arguments:
        if word in (ANALYSIS, UPDATES):
            told = subprocess.run([program, "analyze", "--help"], capture_output=True, text=True, check=True).stdout
            words += ["--format", word] if "--format" in told else []
        else:
            words.append(word.replace("{out}", str(out)))
    return words


def run(checkout: Path, arguments: Sequence[str], out: Path, folder: Path) -> dict[str, Any]:
    """What one run wrote: its exit code, its documents by name, and its answer where that is a document."""
    command = _words(checkout, arguments, out)
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "120"}
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=environment)
    found: dict[str, Any] = {"exit code": ran.returncode, "errors": ran.stderr if ran.returncode >= 2 else ""}
    if "--json" in arguments:
        found["answer"] = json.loads(ran.stdout) if ran.stdout.strip() else None
    for path in sorted(out.rglob("*.json")) if out.is_dir() else []:
        found[path.relative_to(out).as_posix()] = json.loads(path.read_text(encoding="utf-8"))
    return found


def differences(old: Any, new: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Every place at which two documents differ, with both values; ``environment`` is what a run says of itself."""
    old, new = _by_id(old), _by_id(new)
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new}, key=str):
            if key in SAYS_OF_ITSELF:
                continue
            here = f"{place}/{key}"
            if key not in old:
                yield here, f"{ADDED}: {_short(new[key])}"
            elif key not in new:
                yield here, f"only in old: {_short(old[key])}"
            else:
                yield from differences(old[key], new[key], here)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for k, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from differences(one, other, f"{place}/{k}")
    elif old != new or type(old) is not type(new):
        yield place, f"{_short(old)} → {_short(new)}"


def _by_id(value: Any) -> Any:
    """A list of rows with ids as a mapping; anything else as it is."""
    if isinstance(value, list) and value and all(isinstance(row, dict) and "id" in row for row in value):
        rows = {str(row["id"]): row for row in value}
        return rows if len(rows) == len(value) else value
    return value


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 160 else f"{text[:150]}… ({len(text)} characters)"


def main(arguments: Sequence[str]) -> int:
    """Run, compare, print; the exit code."""
    parser = argparse.ArgumentParser(prog="same_results.py", description="Do two checkouts give the same results?")
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--ignore", action="append", default=[], metavar="PATTERN")
    parser.add_argument("--at", action="append", default=[], metavar="PATTERN")
    parser.add_argument("--only", action="append", default=[], metavar="TEXT")
    parser.add_argument("--additions", action="store_true", help="leave out what only the new documents have")
    parser.add_argument("--most", type=int, default=20, metavar="N", help="differences printed of one run")
    given = parser.parse_args(arguments)
    ignored, wanted = ([re.compile(pattern) for pattern in patterns] for patterns in (given.ignore, given.at))
    examples = given.new.resolve() / "examples"
    told = runs = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for name, words in commands(folder, examples):
            if given.only and not any(text in name for text in given.only):
                continue
            found = []
            for number, checkout in enumerate((given.old.resolve(), given.new.resolve())):
                found.append(run(checkout, words, folder / f"out-{runs}-{number}", folder))
            runs += 1
            rows = [
                (place, what)
                for place, what in differences(found[0], found[1])
                if not (given.additions and what.startswith(ADDED))
                and not any(pattern.search(f"{name}{place}") for pattern in ignored)
                and (not wanted or any(pattern.search(f"{name}{place}") for pattern in wanted))
            ]
            told += len(rows)
            print(
                f"{name}: {len(found[1]) - 2} documents, {'equal' if not rows else f'{len(rows)} differences'}",
                flush=True,
            )
            for place, what in rows[: given.most]:
                print(f"    {place}: {what}", flush=True)
            if len(rows) > given.most:
                print(f"    and {len(rows) - given.most} more", flush=True)
    print(f"{runs} runs of each, {told} differences")
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
