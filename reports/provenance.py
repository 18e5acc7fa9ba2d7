"""Where a claim's proof lives: its own file, and what of the theory the proof calls, read off the code itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import CodeType, FunctionType, ModuleType
from typing import Any

from tdcert.claims.paper import Entry


@dataclass(frozen=True)
class Provenance:
    """``file`` holds the claim; ``calls`` are the files its proof calls, each with the functions' names."""

    file: str
    anchors: tuple[str, ...]
    rests_on: tuple[str, ...]
    calls: tuple[tuple[str, tuple[str, ...]], ...]


def provenance(row: Entry) -> Provenance | None:
    """The provenance of a decided claim, given its row; None while the claim is open."""
    if row.is_open:
        return None
    claim = row.load()
    found: dict[str, list[str]] = {}
    for file, name in dict.fromkeys(_called(claim.prove, set()) if claim.prove else ()):
        found.setdefault(file, []).append(name)
    calls = tuple((file, tuple(names)) for file, names in found.items())
    return Provenance(row.source, claim.anchors, claim.rests_on, calls)


def _called(function: Callable[..., Any], seen: set[Any]) -> Iterator[tuple[str, str]]:
    """Functions of ``tdcert.theory.check`` that a claim's proof names, those of other claims' files followed."""
    if not isinstance(function, FunctionType) or function in seen:
        return
    seen.add(function)
    names = list(_names(function.__code__))
    for name in names:
        value = function.__globals__.get(name)
        if isinstance(value, ModuleType):
            for other in names:
                held = getattr(value, other, None)
                if isinstance(held, FunctionType) and held.__module__ == value.__name__:
                    yield from _placed(held, seen)
        elif isinstance(value, FunctionType):
            yield from _placed(value, seen)


def _placed(function: FunctionType, seen: set[Any]) -> Iterator[tuple[str, str]]:
    module = function.__module__
    if module.startswith("tdcert.theory."):
        yield module.removeprefix("tdcert.").replace(".", "/") + ".py", function.__name__
    elif module.startswith("tdcert.claims."):
        yield from _called(function, seen)


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
