"""``tdcert check``."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tdcert.reports.cli.app import Quiet, Task, app
from tdcert.theory.errors import InputError

if TYPE_CHECKING:
    from tdcert.theory.engine.declare import Algorithm


@app.command()
def check(
    certificates: Annotated[list[str], typer.Argument(metavar="CERTIFICATE...", help="Certificate files or folders.")],
    patient: Annotated[
        bool, typer.Option("--patient", help="Take the time it needs, also where it is estimated at more than 10 s.")
    ] = False,
    algorithm: Annotated[
        str | None,
        typer.Option(metavar="NAME|FILE:NAME", help="Are the tables of updates those of this function? Others fail."),
    ] = None,
    quiet: Quiet = False,
) -> Task:
    """Replay certificates with the independent checker."""

    def task() -> int:
        from tdcert.reports import terminal
        from tdcert.theory.certificate import checker

        codes, asked = [], _only(algorithm)
        for path in _paths(certificates, quiet):
            code, line = checker.answer(path, patient)
            if asked and code == checker.ACCEPTED:
                why = _not_of(path, asked)
                if why:
                    code, line = checker.REJECTED, f"rejected: {path}: {why}"
                else:
                    line = f"{line}; this is what {algorithm} does"
            codes.append(code)
            if not quiet:
                terminal.emit(f"{line}\n")
        return checker.overall(codes)

    return task


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
