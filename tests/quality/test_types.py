"""A dictionary of anything stands below ``reports/`` only where no type is better, and the reason stands here."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROOMS = ("theory", "algorithms", "sims", "claims", "analysis", "verification", "sweeps")
ANYTHING = re.compile(r"\b(?:dict|Dict|MutableMapping)\[str, Any\]")
REASONS = {
    "theory/document_types.py": (1, "what JSON holds, whatever the document"),
    "theory/engine/certificates.py": (1, "a part of a certificate: JSON"),
    "theory/engine/written_terms.py": (1, "a part of a certificate: JSON"),
    "theory/files/npz.py": (1, "what numpy.savez takes by name"),
    "theory/files/python_model.py": (3, "what a user gives, of any type, before it is read"),
    "sims/trials/worker.py": (1, "a job as JSON; each room's worker says what is in it"),
    "sims/estimators/cases.py": (2, "parameters by name: numbers, schedules, words"),
    "analysis/simulated_runs.py": (1, "the fields of a chain by their names, whatever they hold"),
    "sweeps/shrink_steps.py": (1, "one field of a draft by its name"),
}
"""File → how many, why."""
MOST = 12


def test_dictionaries_of_anything_have_a_reason() -> None:
    found = Counter[str]()
    for room in ROOMS:
        for path in (ROOT / room).rglob("*.py"):
            found[str(path.relative_to(ROOT))] += len(ANYTHING.findall(path.read_text(encoding="utf-8")))
    assert len(found) > 300
    assert +found == Counter({place: count for place, (count, _) in REASONS.items()})
    assert found.total() <= MOST
