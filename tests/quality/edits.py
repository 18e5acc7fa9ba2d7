"""Mutants: single edits of the real code. The files on disk are never touched.

An edit inside functions is made in the loaded module: the functions get the code of the edited source. Any other edit
(a constant, a decorator, a default) is made as the module is imported.
"""

from __future__ import annotations

import gc
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from inspect import CO_NEWLOCALS
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


class StaleEdit(Exception):  # noqa: N818 -- it says what happened to the table, not to a program
    """An edit that no longer fits the source."""


@dataclass(frozen=True)
class Mutant:
    """One wrong variant of the code, and the tests that should catch it.

    ``old`` must stand in ``file`` (relative to the root) exactly once, or ``occurrence`` says which is meant (0 is the
    first).
    ``killers``: pytest node ids relative to ``tests/``, fast ones; without ``[...]`` all parameters are run.
    ``every``: all of them must fail, not only one: what several algorithms share is wrong in each of them.
    """

    what: str
    file: str
    old: str
    new: str
    killers: tuple[str, ...]
    occurrence: int | None = None
    every: bool = False

    @property
    def id(self) -> str:
        """The name in tables and for ``pytest -k``."""
        return f"{Path(self.file).stem}: {self.what}"

    @property
    def module(self) -> str:
        """The dotted name of the edited module."""
        return ".".join(("tdcert", *Path(self.file).with_suffix("").parts))

    def source(self) -> str:
        """The edited source. Raises :class:`StaleEdit` where the old text is not found as promised."""
        text = (ROOT / self.file).read_text(encoding="utf-8")
        pieces = text.split(self.old)
        found = len(pieces) - 1
        if self.occurrence is None and found != 1:
            raise StaleEdit(f"{self.id}: {self.old!r} stands {found} times in {self.file}, not once")
        at = (self.occurrence or 0) + 1
        if found < at:
            raise StaleEdit(f"{self.id}: {self.old!r} stands {found} times in {self.file}, and number {at} is meant")
        return self.old.join(pieces[:at]) + self.new + self.old.join(pieces[at:])

    def checked_source(self) -> str:
        """The same, found to be Python that does something else; edits of comments, docstrings, asserts do not."""
        edited = self.source()
        if meaning(edited) == meaning((ROOT / self.file).read_text(encoding="utf-8")):
            raise StaleEdit(f"{self.id}: the edit changes no code, only comments, docstrings or asserts")
        return edited


@lru_cache(maxsize=64)
def meaning(source: str) -> Any:
    """What the source compiles to, without docstrings and asserts, line numbers left out: something to compare."""
    return _instructions(compile(source, "source", "exec", optimize=2, dont_inherit=True))


def _instructions(code: CodeType) -> Any:
    constants = tuple(_instructions(x) if isinstance(x, CodeType) else (type(x), x) for x in code.co_consts)
    return code.co_name, code.co_code, code.co_names, code.co_varnames, code.co_freevars, constants


Place = tuple[str, str, int]
"""Where a function is written: file, qualified name, first line."""


def loaded_functions() -> dict[Place, list[FunctionType]]:
    """Every Python function of the repository that exists in this process, by its place; not those that gc froze."""
    found: dict[Place, list[FunctionType]] = defaultdict(list)
    real: dict[str, str] = {}
    for function in [thing for thing in gc.get_objects() if isinstance(thing, FunctionType)]:
        code = function.__code__
        if code.co_filename not in real:
            real[code.co_filename] = str(Path(code.co_filename).resolve())
        found[real[code.co_filename], code.co_qualname, code.co_firstlineno].append(function)
    return found


@cache
def as_it_is(file: str) -> CodeType:
    """The compiled source of a file (relative to the root)."""
    return compile((ROOT / file).read_text(encoding="utf-8"), str(ROOT / file), "exec", dont_inherit=True)


def patch(mutant: Mutant, functions: dict[Place, list[FunctionType]]) -> bool:
    """Give the loaded functions the edited code; False, and nothing changed, where the edit is not inside functions."""
    file = str(ROOT / mutant.file)
    changed = _changed_functions(as_it_is(mutant.file), compile(mutant.source(), file, "exec", dont_inherit=True))
    if not changed:
        return False
    pairs = []
    for old, new in changed:
        held = functions.get((file, old.co_qualname, old.co_firstlineno), [])
        if not held or old.co_freevars != new.co_freevars:
            return False
        pairs += [(function, new) for function in held]
    for function, code in pairs:
        function.__code__ = code
    return True


def _changed_functions(before: CodeType, after: CodeType) -> list[tuple[CodeType, CodeType]] | None:
    """The outermost functions whose code differs; None where something else differs as well."""
    same = ("co_name", "co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars")
    if any(getattr(before, name) != getattr(after, name) for name in same):
        return None
    if len(before.co_consts) != len(after.co_consts):
        return None
    found: list[tuple[CodeType, CodeType]] = []
    for old, new in zip(before.co_consts, after.co_consts, strict=True):
        if isinstance(old, CodeType) and isinstance(new, CodeType):
            if _instructions(old) == _instructions(new):
                continue
            if old.co_flags & CO_NEWLOCALS:
                found.append((old, new))
            elif (inner := _changed_functions(old, new)) is None:
                return None
            else:
                found += inner
        elif (type(old), old) != (type(new), new):
            return None
    return found


class _EditedLoader(SourceFileLoader):
    """Loads a module from its edited source; no byte code is read or written."""

    def __init__(self, name: str, path: str, edited: str):
        super().__init__(name, path)
        self.edited = edited

    def get_code(self, fullname: str) -> CodeType:
        code = compile(self.edited, self.path, "exec", dont_inherit=True)
        assert isinstance(code, CodeType)
        return code


class EditOnImport(MetaPathFinder):
    """The import hook; ``used`` says whether the edited module was asked for."""

    def __init__(self, mutant: Mutant):
        self.mutant, self.edited, self.used = mutant, mutant.source(), False

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self.mutant.module:
            return None
        self.used = True
        file = str(ROOT / self.mutant.file)
        return spec_from_file_location(fullname, file, loader=_EditedLoader(fullname, file, self.edited))


@contextmanager
def applied(mutant: Mutant) -> Iterator[EditOnImport]:
    """The edit, for every import inside the block. The module must not have been imported before."""
    if mutant.module in sys.modules:
        raise RuntimeError(f"{mutant.module} is imported already: a mutant needs a process of its own")
    hook = EditOnImport(mutant)
    sys.meta_path.insert(0, hook)
    try:
        yield hook
    finally:
        sys.meta_path.remove(hook)
