"""Whether every mutant of an older version is still there: ``python -m tests.quality.same_mutants OLD``.

``OLD``: a checkout of the older version. A mutant is still there under its name, under the same words in a file that
was renamed, or as the same edit in other words; those that are there are caught, or ``test_mutants.py`` fails.

Prints what was found of each kind, and by name what is missing; returns 1 if anything is.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence

from tests.quality.mutants import MUTANTS

_TABLE = """
import json
from tests.quality.mutants import MUTANTS
print(json.dumps([(m.id, m.old, m.new, m.occurrence) for m in MUTANTS]))
"""


def main(arguments: Sequence[str]) -> int:
    """Compare, print, and return 0 if nothing is missing."""
    (folder,) = arguments
    told = subprocess.run(
        [sys.executable, "-P", "-c", _TABLE],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": folder},
        capture_output=True,
        text=True,
        check=True,
    )
    before = json.loads(told.stdout)
    names = {name for name, *_ in before}
    now = {mutant.id: mutant for mutant in MUTANTS}
    added = [mutant for mutant in MUTANTS if mutant.id not in names]
    words = {mutant.what: mutant for mutant in added}
    edits = {(mutant.old, mutant.new, mutant.occurrence): mutant for mutant in MUTANTS}
    found: dict[str, list[str]] = defaultdict(list)
    for name, old, new, occurrence in before:
        for kind, mutant in (
            ("same name", now.get(name)),
            ("same words, in a file of another name", words.get(name.partition(": ")[2])),
            ("same edit, in other words", edits.get((old, new, occurrence))),
        ):
            if mutant is not None:
                found[kind].append(name)
                break
        else:
            found["MISSING"].append(name)
    print(f"{len(before)} mutants; now {len(MUTANTS)}, {len(added)} are new or renamed")
    for kind, those in found.items():
        print(f"{len(those):5}  {kind}")
    print(*found["MISSING"], sep="\n")
    return 1 if found["MISSING"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
