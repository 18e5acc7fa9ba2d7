"""``tdcert check``."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tdcert.reports.cli.app import QUESTIONS, Quiet, Task, app
from tdcert.theory.errors import InputError

if TYPE_CHECKING:
    from tdcert.reports.proved_checker import ProvedChecker
    from tdcert.theory.engine.declare import Algorithm


PROVED, PYTHON = "a proved program", "the Python checker"


@app.command()
def check(
    certificates: Annotated[list[str], typer.Argument(metavar="CERTIFICATE...", help="Certificate files or folders.")],
    patient: Annotated[
        bool, QUESTIONS("--patient", help="Take the time it needs, also where it is estimated at more than 10 s.")
    ] = False,
    algorithm: Annotated[
        str | None,
        QUESTIONS(metavar="NAME|FILE:NAME", help="Are the tables of updates those of this function? Others fail."),
    ] = None,
    quiet: Quiet = False,
) -> Task:
    """Replay certificates with the independent checker, and beside it with the one that is proved correct."""

    def task() -> int:
        from tdcert.reports import terminal
        from tdcert.reports.proved_checker import proved_checker, says_the_same
        from tdcert.theory.certificate import checker

        codes, found, asked, by = [], dict[str, int](), _only(algorithm), Counter[str]()
        with proved_checker() as proved:
            for path in _paths(certificates, quiet):
                code, line = checker.answer(path, patient)
                python = line
                if asked and code == checker.ACCEPTED:
                    why = _not_of(path, asked)
                    if why:
                        code, line = checker.REJECTED, f"rejected: {path}: {why}"
                    else:
                        line = f"{line}; this is what {algorithm} does"
                if code != checker.NOT_CHECKED:
                    said = "" if proved is None else _proved_answer(proved, path, patient)
                    differs = said.startswith("refused" if code == checker.ACCEPTED else "accepted")
                    if code == checker.ACCEPTED and said.startswith("accepted"):
                        differs = not says_the_same(python, said)
                    if differs:
                        code, line = checker.REJECTED, f"disagreement: {path}: {line}; a proved program: {said}"
                    elif code == checker.ACCEPTED:
                        who = PROVED if said.startswith("accepted") else PYTHON
                        by[who] += 1
                        line = f"{line}; checked by {who}"
                codes.append(code)
                found[os.path.normpath(path)] = code
                if not quiet:
                    terminal.emit(f"{line}\n")
        judged = list(_verdicts(certificates, found))
        if not quiet:
            terminal.emit("".join(f"{line}\n" for _, line in judged))
        if len(codes) > 1 and not quiet:
            terminal.emit(f"checked by {PROVED}: {by[PROVED]}, by {PYTHON}: {by[PYTHON]}\n")
        return checker.overall([*codes, *(code for code, _ in judged)])

    return task


def _verdicts(given: Iterable[str], codes: Mapping[str, int]) -> Iterator[tuple[int, str]]:
    """What is said of the verdict files of folders that are reports, whose certificates were asked before."""
    from tdcert.theory.certificate import checker

    def ask(path: str) -> tuple[int, str]:
        known = codes.get(os.path.normpath(path))
        return (checker.REJECTED, f"rejected: {path}: there is no such file") if known is None else (known, "")

    for folder in (name for name in given if os.path.isdir(os.path.join(name, checker.VERDICTS))):
        yield from ((code, line) for code, line in checker.replayed(folder, ask) if line)


def _proved_answer(proved: ProvedChecker, path: str, patient: bool) -> str:
    """What the checker that is proved correct says of a file; empty where it says nothing, or does not read it."""
    from tdcert.reports.proved_checker import KINDS, SECONDS, reads

    try:
        certificate = Path(path).read_bytes()
        named = any(f'"{kind}"'.encode() in certificate for kind in KINDS)  # most files need not be read again
        if not named or not reads(json.loads(certificate)):
            return ""
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return ""  # the Python checker has said what is wrong with it
    return proved.ask(certificate, None if patient else SECONDS)


def _only(words: str | None) -> Algorithm | None:
    if words is None:
        return None
    from tdcert.algorithms import one

    return one(words)


def _not_of(path: str, algorithm: Algorithm) -> str:
    """Why an accepted certificate is not about this function; empty where it is. Options are those of the analysis."""
    from tdcert.algorithms import for_model
    from tdcert.theory.engine.certificates import difference
    from tdcert.theory.files.load import loads_model

    certificate = json.loads(Path(path).read_bytes())
    if not certificate["kind"].startswith("update_"):
        return "the certificate is not about an update"
    model = loads_model(json.dumps(certificate["model"])).model
    return difference(certificate, model, for_model(algorithm, model)[0])


def _paths(given: Iterable[str], quiet: bool) -> list[str]:
    from tdcert.reports import terminal
    from tdcert.reports.output import beside_certificates
    from tdcert.theory.certificate.checker import VERDICTS

    paths: list[str] = []
    for name in given:
        place = Path(name)
        skipped: list[Path] = []
        try:
            inside = [name]
            if place.is_dir():
                found = sorted(place.rglob("*.json"))
                skipped = beside_certificates(found)
                inside = [str(path) for path in found if path not in skipped]
                skipped = [path for path in skipped if path.parent != place / VERDICTS]  # asked after its certificates
            missing = not place.exists()
        except (OSError, ValueError):
            missing, inside = True, []
        if missing:
            raise InputError(f"there is no file '{name}'; give the path of a certificate, or of a folder of them")
        if not inside:
            others = f", only {', '.join(path.name for path in skipped)}" if skipped else ""
            raise InputError(f"the folder '{name}' holds no certificate{others}; give one that holds .json files")
        if not quiet:
            terminal.emit("".join(f"skipped, for it is not a certificate: {path}\n" for path in skipped))
        paths += inside
    return paths
