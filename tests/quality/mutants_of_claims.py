"""Mutants of the claims: from each decided claim one hypothesis is deleted. Generated from the claims' own table."""

from __future__ import annotations

import ast
from importlib import import_module

from claims.paper import ENTRIES, Entry
from tests.quality.edits import ROOT, Mutant

ASKED = "quality/test_needed_hypotheses.py::test_a_needed_hypothesis_is_asked[{}-{}]"
LISTED = "quality/test_needed_hypotheses.py::test_the_listed_hypotheses_are_those_that_are_needed[{}]"


def deletions(entry: Entry) -> tuple[Mutant, ...]:
    """One mutant for each hypothesis of a claim, as its file lists them: ``hypotheses=(…)`` in ``CLAIM = Claim(…)``."""
    file = f"claims/{entry.module}.py"
    source = (ROOT / file).read_text(encoding="utf-8")
    listed = next(
        keyword.value
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "CLAIM" and isinstance(node.value, ast.Call)
        for keyword in node.value.keywords
        if keyword.arg == "hypotheses"
    )
    assert isinstance(listed, ast.Tuple), f"{file}: the hypotheses are no plain tuple, so none can be deleted"
    old = ast.get_source_segment(source, listed)
    names = [ast.unparse(name) for name in listed.elts]
    module = import_module(f"claims.{entry.module}")
    found = []
    for name in names:
        rest = [other for other in names if other != name]
        new = "(" + "".join(f"{other}, " for other in rest) + ")"
        killers = (ASKED.format(entry.id, getattr(module, name).id), LISTED.format(entry.id))
        found.append(Mutant(f"without {name}", file, f"hypotheses={old}", f"hypotheses={new}", killers))
    return tuple(found)


MUTANTS = tuple(mutant for entry in ENTRIES if not entry.is_open for mutant in deletions(entry))
