"""The checker that is proved correct, as a program: Coq extracts ``verified.ml``, other files of ``verified/`` read.

    python -m tdcert.theory.formal.program FOLDER    builds ``tdcert-convergence``, which ``tdcert check`` runs

``verified.ml``, ``convergence.js`` and ``page.js`` are in the tree as ``make prove`` made them. The JavaScript is for
node and, without the kinds about updates by terms, for pages; the program needs OCaml and Zarith alone.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from tdcert.theory.errors import InputError
from tdcert.theory.formal.assistant import ReplayError, run
from tdcert.theory.formal.sources import FORMAL

VERIFIED = FORMAL / "verified"
EXTRACTED, JAVASCRIPT, PAGE = "verified.ml", "convergence.js", "page.js"
GENERATED = (EXTRACTED, JAVASCRIPT, PAGE)
_SHORT = (
    "sha256.ml",
    "reader.ml",
    "hints.ml",
    "convergence.ml",
    "chain.ml",
    "signs.ml",
    "relations.ml",
    "squares.ml",
    "kinds.ml",
)
_UPDATES = ("updates.ml", "nodes.ml", "update_kinds.ml")
_READING = (*_SHORT, *_UPDATES)
WRITTEN = (*_READING, "answers.ml", "answers.js", "page.ml", "big_int_Z.ml", "bigint.js")
NATIVE = "tdcert-convergence"
PACKAGES = ("ocaml-findlib", "libzarith-ocaml-dev", "js-of-ocaml")
"""Debian's packages that compile it; ``NATIVE`` needs the first two."""
_SMALL = ("--opt", "3", "--no-extern-fs", "--enable", "use-js-string", "--disable", "excwrap")
_QUIET = ("-w", "-a")  # extracted code has names that nothing uses


def is_installed() -> bool:
    """Whether the JavaScript can be built here."""
    return all(map(shutil.which, ("ocamlfind", "js_of_ocaml", "ocamlrun")))


def require() -> None:
    """Raises :class:`InputError` with the command that installs the compilers, where they are missing."""
    if not is_installed():
        raise InputError(
            "the checker that is proved correct cannot be compiled, for OCaml or js_of_ocaml is not installed; on "
            f"Debian, as root: apt-get install --no-install-recommends {' '.join(PACKAGES)}"
        )


def versions() -> dict[str, str]:
    """The versions of the compilers."""
    return {
        "ocaml": run(["ocamlfind", "ocamlc", "-version"]).strip(),
        "js-of-ocaml": run(["js_of_ocaml", "--version"]).strip(),
    }


def javascript(extracted: str, name: str = JAVASCRIPT) -> str:
    """The program that node runs (:data:`JAVASCRIPT`) or that pages hold (:data:`PAGE`), made of what Coq extracted;
    the same text for the same compilers.

    Raises :class:`ReplayError` where a compiler refuses it.
    """
    with tempfile.TemporaryDirectory(prefix="tdcert-program-") as place:
        folder = Path(place)
        _copy(extracted, folder)
        own = re.findall(r'^external .*"(\w+)"$', _texts(folder, "big_int_Z.ml", "page.ml"), re.MULTILINE)
        known = run(["ocamlrun", "-p"]).split()
        (folder / "primitives").write_text("\n".join([*known, *own]) + "\n", encoding="utf-8")
        parts = ("big_int_Z.ml", EXTRACTED, *(_SHORT if name == PAGE else _READING), "page.ml")
        run(["ocamlfind", "ocamlc", *_QUIET, "-use-prims", "primitives", *parts, "-o", "page.byte"], folder)
        run(["js_of_ocaml", *_SMALL, "bigint.js", "page.byte", "-o", name], folder)
        return _texts(folder, name)


def generated(extracted: str) -> dict[str, str]:
    """The texts of the generated files, by name."""
    return {EXTRACTED: extracted} | {name: javascript(extracted, name) for name in (JAVASCRIPT, PAGE)}


def native(extracted: str, into: Path) -> Path:
    """The program for this machine, in the folder ``into``. Raises :class:`ReplayError` where a compiler refuses it."""
    with tempfile.TemporaryDirectory(prefix="tdcert-program-") as name:
        folder = Path(name)
        _copy(extracted, folder)
        (folder / "big_int_Z.ml").unlink()  # Zarith has its own
        parts = (EXTRACTED, *_READING, "answers.ml")
        run(["ocamlfind", "ocamlopt", *_QUIET, "-package", "zarith", "-linkpkg", *parts, "-o", NATIVE], folder)
        into.mkdir(parents=True, exist_ok=True)
        return Path(shutil.copy(folder / NATIVE, into))


def hashes(made: Mapping[str, str]) -> dict[str, str]:
    """The SHA-256 of every file of the program, in hexadecimal; ``made``: the generated ones."""
    texts = {name: (VERIFIED / name).read_text(encoding="utf-8") for name in WRITTEN} | dict(made)
    return {f"verified/{name}": hashlib.sha256(texts[name].encode()).hexdigest() for name in (*WRITTEN, *GENERATED)}


def in_tree() -> dict[str, str]:
    """The generated files as they are in the tree."""
    return {name: (VERIFIED / name).read_text(encoding="utf-8") for name in GENERATED}


def _copy(extracted: str, folder: Path) -> None:
    for name in WRITTEN:
        shutil.copy(VERIFIED / name, folder)
    (folder / EXTRACTED).write_text(extracted, encoding="utf-8")


def _texts(folder: Path, *names: str) -> str:
    return "".join((folder / name).read_text(encoding="utf-8") for name in names)


def main(arguments: Sequence[str]) -> int:
    """Builds the program for this machine and returns the exit code."""
    if len(arguments) != 1:
        print("usage: python -m tdcert.theory.formal.program FOLDER", file=sys.stderr)
        return 2
    if shutil.which("ocamlfind") is None:
        print(f"ocamlfind is not installed; on Debian: apt-get install {' '.join(PACKAGES[:2])}", file=sys.stderr)
        return 2
    try:
        print(native(in_tree()[EXTRACTED], Path(arguments[0])))
    except ReplayError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
