"""Coq as a program: found, run on a copy of the sources, asked what it proved."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tdcert.theory.errors import InputError
from tdcert.theory.formal.sources import PROJECT, NamedTheorem, imports, module

PACKAGES = (
    "coq",
    "libcoq-mathcomp",
    "libcoq-mathcomp-algebra-tactics",
    "libcoq-mathcomp-real-closed",
    "libcoq-mathcomp-analysis",
)
"""Debian's packages, and all that is needed."""

LIBRARIES = ("ssreflect", "algebra_tactics", "real_closed", "analysis")
"""Folders of MathComp that these packages fill."""

WIDTH = 110
PRINTED = (
    "From mathcomp Require Import all_ssreflect all_algebra.",
    f"Set Printing Width {WIDTH}. Unset Printing Implicit Defensive.",
    "Local Open Scope ring_scope.",
)
"""How statements and definitions are printed."""

_MARK = "=== tdcert: "

Say = Callable[[str], None]


@dataclass(frozen=True)
class Inquiry:
    """A sentence for the assistant, and the name under which its answer is kept."""

    about: str
    sentence: str


class ReplayError(Exception):
    """The assistant refused a file, or the audit an answer; the message says which."""


def is_installed() -> bool:
    """Whether the assistant can be run here, its libraries included."""
    return shutil.which("coqc") is not None and _library() is not None


def require() -> None:
    """Raises :class:`InputError` with the command that installs it, where the assistant is missing."""
    if not is_installed():
        what = "its library MathComp is, or a part of it," if shutil.which("coqc") else "coqc is"
        raise InputError(
            f"the proofs cannot be replayed, for {what} not installed; on Debian, as root: "
            f"apt-get install --no-install-recommends {' '.join(PACKAGES)}"
        )


def versions() -> dict[str, str]:
    """The assistant's version, and those of its libraries where Debian's package manager knows them."""
    found = {"coq": run(["coqc", "--print-version"]).split()[0]}
    for package in PACKAGES[1:]:
        if shutil.which("dpkg-query"):
            told = subprocess.run(
                ["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True, check=False
            )
            version = re.match(r"[\d.]*\d", told.stdout)
            found[package.removeprefix("libcoq-")] = version[0] if version else "unknown"
        else:
            found[package.removeprefix("libcoq-")] = "unknown"
    return found


def compile_all(sources: Mapping[str, str], folder: Path, targets: Iterable[str] = ()) -> None:
    """Write the sources into an empty folder and compile them there, those that ``targets`` need (all, without).

    Raises :class:`ReplayError` with what the assistant said of the first file it refuses.
    """
    for name, text in sources.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    run(["coq_makefile", "-f", PROJECT, "-o", "Makefile"], folder)
    wanted = [f"{name.removesuffix('.v')}.vo" for name in targets]
    run(["make", "-s", f"-j{os.cpu_count() or 1}", *(wanted or ["all"])], folder)


def run_file(name: str, text: str, folder: Path) -> str:
    """What the assistant prints on a file beside compiled sources. Raises :class:`ReplayError` where it refuses it."""
    (folder / name).write_text(text, encoding="utf-8")
    return run(["coqc", "-q", "-w", "none", "-Q", ".", "TD", name], folder)


def answers(name: str, lines: Sequence[str | Inquiry], folder: Path) -> dict[str, str]:
    """What the assistant says to each question among the lines of a file, beside compiled sources.

    Raises :class:`ReplayError` where it refuses a line, or says nothing to a question.
    """
    written: list[str] = []
    questions = [line for line in lines if isinstance(line, Inquiry)]
    for line in lines:
        written += [_marked(line.about), line.sentence, _marked("")] if isinstance(line, Inquiry) else [line]
    said: dict[str, str] = {}
    for part in run_file(name, "\n".join(written) + "\n", folder).split(_MARK)[1:]:
        about, _, answer = part.partition("\n")
        said[about.strip()] = answer
    silent = [question.about for question in questions if not said.get(question.about, "").strip()]
    if silent:
        raise ReplayError(f"the assistant gives no answer to the question '{silent[0]}'")
    return said


def as_printed(file: str, sources: Mapping[str, str], questions: Iterable[str | Inquiry]) -> list[str | Inquiry]:
    """Lines whose answers are printed with the notations of one file of the development, and of no other."""
    stem, modules = Path(file).stem, {Path(name).stem: module(name) for name in sources}
    # Inside a module the imports of one file do not reach the next.
    opened = (f"Import {modules[name]}." for name in (*imports(sources[file]), stem))
    return [f"Require {module(file)}.", f"Module Ask_{stem}.", *opened, *questions, f"End Ask_{stem}."]


def ask(
    named: Sequence[NamedTheorem], sources: Mapping[str, str], folder: Path
) -> tuple[dict[str, str], dict[str, str]]:
    """(theorem, by full name → its statement; file → what its theorems assume), as the assistant prints them."""
    lines: list[str | Inquiry] = [*PRINTED]
    files = dict.fromkeys(theorem.file for theorem in named)
    for file in files:
        mine = list(dict.fromkeys(theorem.path for theorem in named if theorem.file == file))
        # All theorems of a file at once: the assistant goes through everything below them for each question.
        together = f"Definition together := ({', '.join(f'@{path}' for path in mine)})."
        assumed = Inquiry(file, "Print Assumptions together.")
        lines += as_printed(file, sources, [*(Inquiry(path, f"Check @{path}.") for path in mine), together, assumed])
    said = answers("ask_theorems.v", lines, folder)
    return {theorem.path: _statement(said[theorem.path]) for theorem in named}, {file: said[file] for file in files}


def recheck(sources: Mapping[str, str], folder: Path) -> str:
    """The report of ``coqchk`` about every compiled file; the libraries are loaded, not checked again."""
    modules = [word for name in sources if name != PROJECT for word in ("-norec", module(name))]
    return run(["coqchk", "-silent", "-o", "-Q", ".", "TD", *modules], folder, errors=True)


def _marked(what: str) -> str:
    return f'Goal True. idtac "{_MARK}{what}". Abort.'


def _statement(said: str) -> str:
    """The type that ``Check`` prints, without the name and the margin."""
    _, _, kind = said.partition(" : ")
    lines = kind.rstrip().split("\n")
    margin = min((len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()), default=0)
    return "\n".join([lines[0].strip(), *(line[margin:].rstrip() for line in lines[1:])])


def _library() -> Path | None:
    told = subprocess.run(["coqc", "-where"], capture_output=True, text=True, check=False)
    place = Path(told.stdout.strip()) / "user-contrib" / "mathcomp"
    return place if told.returncode == 0 and all((place / name).is_dir() for name in LIBRARIES) else None


def run(command: Sequence[str], folder: Path | None = None, errors: bool = False) -> str:
    """What a command prints; ``errors``: on the second channel, too. Raises :class:`ReplayError` where it fails."""
    # A make above this one would hand its own options down through the environment.
    clean = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    done = subprocess.run(command, cwd=folder, env=clean, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = "\n".join((done.stdout + done.stderr).strip().split("\n")[-12:])
        raise ReplayError(f"'{' '.join(command[:2])}' failed with exit code {done.returncode}:\n{said}")
    return done.stdout + done.stderr if errors else done.stdout  # coqchk reports on the second
