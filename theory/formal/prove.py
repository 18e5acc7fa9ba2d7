"""``make prove``: replay every proof, audit it, check it a second time, compile the proved checker, write the record.

    python -m tdcert.theory.formal.prove            writes proofs.json, and the program that is proved correct
    python -m tdcert.theory.formal.prove --check    writes nothing; fails where proofs.json is not what was just proved

Everything is compiled in a fresh folder, so that nothing older is taken on trust. Exit code 0: all proved; 1: a proof,
the audit or the comparison failed; 2: it cannot be run here.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from tdcert.theory.errors import InputError
from tdcert.theory.formal import assistant, audit, program
from tdcert.theory.formal.assistant import ReplayError
from tdcert.theory.formal.record import RECORD, STAMP, Record, Theorem, read_record, stamp_of
from tdcert.theory.formal.sources import FORMAL, hashes, not_formalised, read_sources, theorems
from tdcert.theory.formal.words import words_of


def replay(folder: Path, build: Path, say: assistant.Say) -> Record:
    """Compile, audit and check again what is in ``folder``, in the empty folder ``build``; returns what was proved,
    without the program that its extraction leaves there.

    Raises :class:`ReplayError` for the first failure, :class:`InputError` where the assistant is missing.
    """
    sources = read_sources(folder)
    _demand(audit.complaints_about_text(sources))
    assistant.require()
    named = theorems(sources)
    say(f"compiling {len(sources) - 1} files")
    assistant.compile_all(sources, build)
    say(f"auditing {len({theorem.path for theorem in named})} theorems, and checking the files again with coqchk")
    with ThreadPoolExecutor() as beside:  # each uses one core
        rechecked = beside.submit(assistant.recheck, sources, build)
        statements, assumed = assistant.ask(named, sources, build)
        _demand(audit.complaints_about_assumptions(assumed))
        words = words_of([theorem.path for theorem in named], sources, build)
        _demand(audit.complaints_about_recheck(rechecked.result()))
    return Record(
        assistant=assistant.versions(),
        sources=hashes(sources),
        theorems=tuple(
            Theorem(n.claim, n.path, n.reading, n.file, statements[n.path], words.of[n.path], words.digests[n.path])
            for n in named
        ),
        words=words.definitions,
        left_out={
            claim: left_out
            for claim in dict.fromkeys(theorem.claim for theorem in named)
            if (left_out := not_formalised(sources.get(f"{claim}.v", "")))
        },
        program={},
        classical={file: tuple(sorted(found)) for file, answer in assumed.items() if (found := audit.axioms(answer))},
    )


def _demand(complaints: Sequence[str]) -> None:
    if complaints:
        raise ReplayError("the audit failed:\n" + "\n".join(f"  {line}" for line in complaints))


def main(arguments: Sequence[str]) -> int:
    """Runs the replay and returns the exit code."""
    if list(arguments) not in ([], ["--check"]):
        print("usage: python -m tdcert.theory.formal.prove [--check]", file=sys.stderr)
        return 2
    started = time.monotonic()

    def say(what: str) -> None:
        print(f"[{time.monotonic() - started:4.0f} s] {what}", flush=True)

    try:
        with tempfile.TemporaryDirectory(prefix="tdcert-proofs-") as build:
            program.require()
            record = replay(FORMAL, Path(build), say)
            say("compiling the checker that is proved correct")
            made = program.generated((Path(build) / program.EXTRACTED).read_text(encoding="utf-8"))
        versions = {**record.assistant, **program.versions()}
        record = replace(record, assistant=versions, program=program.hashes(made))
        if arguments and not _same(record, read_record()):
            raise ReplayError(f"{RECORD} is not what was just proved: run 'make prove' and commit what it writes")
        if not arguments:
            for name, text in made.items():
                _write(program.VERIFIED / name, text)
            _write(FORMAL / RECORD, record.text())
        _write(FORMAL / STAMP, json.dumps(stamp_of(record)) + "\n")
    except InputError as error:
        print(f"{error}", file=sys.stderr)
        return 2
    except ReplayError as error:
        print(f"{error}", file=sys.stderr)
        return 1
    names = {theorem.name for theorem in record.theorems if theorem.claim}
    claims = {theorem.claim for theorem in record.theorems if theorem.claim}
    others = len({theorem.name for theorem in record.theorems}) - len(names)
    say(f"{len(names)} theorems of {len(claims)} claims, {others} about certificates proved, {_leaning(record)}")
    return 0


def _leaning(record: Record) -> str:
    exceptions = [f"{file}: {', '.join(names)}" for file, names in record.classical.items()]
    return f"no axioms but in {'; '.join(exceptions)}" if exceptions else "no axioms"


def _same(found: Record, kept: Record) -> bool:
    """Whether two records say the same; another version of the assistant may print the same in other words."""
    if found.assistant != kept.assistant:
        before = {theorem.name: theorem for theorem in kept.theorems}
        reworded = tuple(
            replace(t, statement=before[t.name].statement, digest=before[t.name].digest) if t.name in before else t
            for t in found.theorems
        )
        definitions = {name: kept.words.get(name, text) for name, text in found.words.items()}
        found = replace(found, assistant=kept.assistant, theorems=reworded, words=definitions, program=kept.program)
    return found == kept


def _write(place: Path, text: str) -> None:
    """Whole or not at all: a run that is killed leaves what was there."""
    fresh = place.with_name(f"{place.name}.new")
    fresh.write_text(text, encoding="utf-8")
    os.replace(fresh, place)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
