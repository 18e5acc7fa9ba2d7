"""Mutants: single edits of the real code. The files on disk are never touched.

An edit inside functions is made in the loaded module: the functions get the code of the edited source. Any other edit
(a constant, a decorator, a default) is made as the module is imported.
"""

from __future__ import annotations

import ast
import gc
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from inspect import CO_NEWLOCALS
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
IN_FUTURE = "from __future__ import annotations"


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
        text, at = text_of(self.file), self.place()
        return text[:at] + self.new + text[at + len(self.old) :]

    def place(self) -> int:
        """Where the old text begins; raises as :meth:`source` does."""
        text = text_of(self.file)
        pieces = text.split(self.old)
        found = len(pieces) - 1
        if self.occurrence is None and found != 1:
            raise StaleEdit(f"{self.id}: {self.old!r} stands {found} times in {self.file}, not once")
        at = (self.occurrence or 0) + 1
        if found < at:
            raise StaleEdit(f"{self.id}: {self.old!r} stands {found} times in {self.file}, and number {at} is meant")
        return len(self.old.join(pieces[:at]))

    def statements(self) -> tuple[str, str]:
        """The outermost statement that is edited, as it is and edited; the whole source where several are. Empty lines
        before it keep its line numbers. A function does the same without the statements around it (that a name is of an
        import is seen by the compiler, which then loads its attributes by another instruction).
        """
        text, at = text_of(self.file), self.place()
        after = at + len(self.old)
        lines = text.count("\n", 0, at) + 1, text.count("\n", 0, after) + 1
        spans = [span for span in outermost(self.file) if span[0] <= lines[0] and lines[1] <= span[1]]
        first, last = spans[0] if spans else (1, text.count("\n") + 1)
        starts = line_starts(self.file)
        begin, end = starts[first - 1], starts[last] if last < len(starts) else len(text)
        empty = "\n" * (first - 1)
        return empty + text[begin:end], empty + text[begin:at] + self.new + text[after:end]

    def check(self) -> None:
        """Raise :class:`StaleEdit` where the edit is of comments, docstrings or asserts alone, which change no code."""
        before, edited = self.statements()
        if meaning(edited) == meaning(before):
            raise StaleEdit(f"{self.id}: the edit changes no code, only comments, docstrings or asserts")


@lru_cache(maxsize=64)
def text_of(file: str) -> str:
    """The source of a file (relative to the root) as it is."""
    return (ROOT / file).read_text(encoding="utf-8")


@lru_cache(maxsize=64)
def outermost(file: str) -> tuple[tuple[int, int], ...]:
    """First and last line of each outermost statement of the file, its decorators included."""
    body = ast.parse(text_of(file)).body
    first = [min(x.lineno for x in (node, *getattr(node, "decorator_list", ()))) for node in body]
    return tuple((line, node.end_lineno or line) for line, node in zip(first, body, strict=True))


@lru_cache(maxsize=64)
def line_starts(file: str) -> tuple[int, ...]:
    """Where each line of the file begins."""
    return (0, *(k + 1 for k, x in enumerate(text_of(file)) if x == "\n"))


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


def patch(mutant: Mutant, functions: dict[Place, list[FunctionType]]) -> bool:
    """Give the loaded functions the edited code; False, and nothing changed, where the edit is not inside functions."""
    file = str(ROOT / mutant.file)
    future = annotations.compiler_flag if IN_FUTURE in text_of(mutant.file) else 0
    before, after = (compile(x, file, "exec", future, dont_inherit=True) for x in mutant.statements())
    changed = _changed_functions(before, after)
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
