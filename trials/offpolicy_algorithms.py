"""Puts the classes of the suite OffpolicyAlgorithms on trial and writes results and page.

OFFPOLICY_ALGORITHMS=/a/copy/of/it python trials/offpolicy_algorithms.py COMMIT   # trial, then the page
python trials/offpolicy_algorithms.py                                            # the page from the results
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import tdcert

HERE = Path(__file__).resolve().parent
ADAPTERS = HERE / "adapters" / "offpolicy_algorithms.py"
RESULTS = HERE / "results" / "offpolicy_algorithms.json"
PAGE = HERE.parent / "docs" / "conformance-trial.md"
AS = {
    "TD": ("off_policy_td",),
    "GTD": ("gtd_lambda",),
    "GTD2": ("gtd2_lambda",),
    "PGTD2": ("pgtd2", "gtd2_mp"),
    "HTD": ("htd",),
    "TDRC": ("tdrc",),
    "ETD": ("etd",),
    "ETDLB": ("etd_beta",),
    "TB": ("tree_backup",),
    "ABTD": ("abtd",),
    "Vtrace": ("vtrace", "retrace"),
}
"""Class → the algorithms that it is held to."""
DECLARED = {"pgtd2": f"{HERE / 'adapters' / 'offpolicy_updates.py'}:pgtd2"}
"""Algorithms that do not ship."""
NOT_AFFINE = {
    "LSTD": "it solves for θ with the pseudo-inverse of a matrix that it learns: a matrix gain",
    "LSETD": "as LSTD, with the emphasis in its trace",
    "GEMETD": "the emphasis is learnt, and multiplies the error: a product of two things that are learnt",
}


def trial(commit: str) -> dict[str, Any]:
    """Every class against every algorithm that it may be."""
    rows = []
    for name, algorithms in AS.items():
        for algorithm in algorithms:
            found = tdcert.conform(f"{ADAPTERS}:{name}", algorithm=DECLARED.get(algorithm, algorithm), time_limit=600.0)
            failure = found["failure"]
            row = {key: found[key] for key in ("schedules", "discounts", "conforms", "how")}
            rows.append({"class": name, "algorithm": algorithm, **row, "sentence": failure and failure["sentence"]})
            print(rows[-1], flush=True)
    return {"suite": "sinaghiassian/OffpolicyAlgorithms", "commit": commit, "classes": rows}


def page(results: dict[str, Any]) -> str:
    """The page."""
    conforming = {row["class"] for row in results["classes"] if row["conforms"]}
    suite, commit = results["suite"], results["commit"][:12]
    lines = [
        "# A published suite on trial",
        "",
        f"Classes of [{suite}](https://github.com/{suite}) (commit `{commit}`), the suite of",
        "Ghiassian and Sutton's comparisons of off-policy prediction, held to what ships by `tdcert conform`. The",
        "adapters in `trials/adapters/offpolicy_algorithms.py` hand each class its inputs and compute nothing.",
        "Written by `trials/offpolicy_algorithms.py` from `trials/results/offpolicy_algorithms.json`; only updates",
        f"for one policy are tried. {len(conforming)} of {len(AS)} conform to an algorithm; agreement on finitely many",
        "trajectories is evidence, not proof.",
        "",
        "`pgtd2` does not ship: `trials/adapters/offpolicy_updates.py` declares it, for λ = 0; with a trace PGTD2",
        "multiplies the trace by itself, which no update here may. Its `Vtrace` leaves ρ on the error uncut, which is",
        "Retrace.",
        "",
        "| class | held to | outcome |",
        "|---|---|---|",
    ]
    for row in results["classes"]:
        outcome = row["how"].replace("_", " ") if row["conforms"] else f"does not conform: {row['sentence']}"
        lines.append(
            f"| `{row['class']}` | `{row['algorithm']}` | {'conforms, ' if row['conforms'] else ''}{outcome} |"
        )
    lines += [f"| `{name}` | – | not affine: {why} |" for name, why in NOT_AFFINE.items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        RESULTS.write_text(json.dumps(trial(sys.argv[1]), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    PAGE.write_text(page(json.loads(RESULTS.read_text(encoding="utf-8"))), encoding="utf-8")
