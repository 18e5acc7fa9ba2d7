"""Claims of one's own: from a file, or from an installed package that declares them.

A file is one claim, written like those beside this module, with the ``Claim`` under the name ``CLAIM``. A package names
such modules, or the claims themselves, in the entry-point group ``tdcert.claims``:

    [project.entry-points."tdcert.claims"]
    key_matrix_columns = "mypackage.key_matrix_columns"

What the table of the paper says of a claim, the docstring of its module says here: the first line is the title, and the
paragraph after ``Place:`` where it is stated.
"""

from __future__ import annotations

import importlib.util
import inspect
import re
import sys
import traceback
from dataclasses import replace
from functools import cache
from hashlib import sha256
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType

from tdcert.claims import paper
from tdcert.claims.claim import Claim
from tdcert.claims.paper import OWN, Entry
from tdcert.theory.deferred import read_now
from tdcert.theory.errors import InputError

GROUP = "tdcert.claims"
"""The group of entry points."""


def is_file(word: str) -> bool:
    """Whether a word names a file rather than the id of a claim."""
    return word.endswith(".py") or "/" in word or "\\" in word


def from_file(path: str) -> Entry:
    """The claim of a Python file; raises :class:`InputError`, one sentence, where there is none."""
    place = Path(path)
    if not place.is_file():
        raise InputError(f"there is no file '{path}'; give the file of a claim, or the id of one")
    name = f"tdcert_own_claim_{place.stem}"
    spec = importlib.util.spec_from_file_location(name, place)
    if spec is None or spec.loader is None or place.suffix != ".py":
        raise InputError(f"'{path}' is not a Python file; give a file whose name ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    sys.path.insert(0, str(place.resolve().parent))
    read_now()
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise InputError(f"'{path}' cannot be imported: {raised(error, place)}") from None
    finally:
        sys.path.remove(str(place.resolve().parent))
    return replace(_entry(getattr(module, "CLAIM", None), module, path), given=path)


@cache
def installed() -> tuple[Entry, ...]:
    """The claims that installed packages declare, by the names of their entry points.

    Raises :class:`InputError` where one cannot be loaded or takes an id that is taken.
    """
    found = [_of_package(point) for point in sorted(entry_points(group=GROUP), key=lambda point: point.name)]
    for row in found:
        if sum(other.id == row.id for other in found) > 1:
            raise InputError(f"two installed packages declare a claim '{row.id}'; rename one")
    return tuple(found)


def _of_package(point: EntryPoint) -> Entry:
    named = f"the claim '{point.name}' of {point.dist.name if point.dist else 'an installed package'} ({point.value})"
    try:
        found = point.load()
    except (Exception, SystemExit) as error:
        raise InputError(f"{named} cannot be loaded: {raised(error)}; mend the package or uninstall it") from None
    if isinstance(found, ModuleType):
        return _entry(getattr(found, "CLAIM", None), found, named)
    return _entry(found, sys.modules.get(point.module), named)


def _entry(claim: object, module: ModuleType | None, place: str) -> Entry:
    """The row of a claim; ``module``: it is described there; ``place``: for messages."""
    if not isinstance(claim, Claim):
        what = "has no CLAIM" if claim is None else f"has a {type(claim).__name__} as CLAIM"
        raise InputError(f"{place} {what}; assign a tdcert.claims.kit.Claim to the name CLAIM")
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", claim.id):
        raise InputError(f"{place} has the id '{claim.id}'; give letters, digits and underscores")
    if claim.id in {row.id for row in _of_papers()}:
        raise InputError(f"{place} has the id '{claim.id}', which a claim of tdcert has; give another")
    text = inspect.getdoc(module) if module is not None else None
    title, _, rest = (text or claim.id).partition("\n")
    said = re.search(r"^Place: (.+?)(?=\n\w+: |\n\n|\Z)", rest, re.MULTILINE | re.DOTALL)
    where = " ".join(said[1].split()).rstrip(".") if said else "not said"
    file = str(getattr(module, "__file__", None) or place)
    digest = sha256(Path(file).read_bytes()).hexdigest() if Path(file).is_file() else ""
    return Entry(claim.id, OWN, where, title.rstrip(". "), own=claim, file=file, digest=digest)


def raised(error: BaseException, file: Path | None = None) -> str:
    """An exception of somebody else's code in a few words, with the line of ``file``, or the last one."""
    words = error.msg if isinstance(error, SyntaxError) else " ".join(str(error).split())
    said = f"{type(error).__name__}: {words}" if words else type(error).__name__
    if isinstance(error, SyntaxError) and error.filename:
        return f"{said} (line {error.lineno} of {Path(error.filename).name})"
    frames = traceback.extract_tb(error.__traceback__)
    inside = [x for x in frames if file is not None and Path(x.filename).resolve() == file.resolve()] or frames
    return f"{said} (line {inside[-1].lineno} of {Path(inside[-1].filename).name})" if inside else said


def every() -> tuple[Entry, ...]:
    """Gives what is decided by default: the claims of the table, in its order, and the installed ones."""
    return (*paper.ENTRIES, *installed())


def known() -> tuple[Entry, ...]:
    """Gives every claim that has an id: those of all papers, and the installed ones."""
    return (*_of_papers(), *installed())


def _of_papers() -> tuple[Entry, ...]:
    others = (row for found in paper.papers().values() if found is not paper.SEED for row in found.entries)
    return (*paper.ENTRIES, *others)
