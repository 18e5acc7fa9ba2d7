"""What a shard depends on beside its spec: the code and the libraries that compute. Equal on client and workers."""

from __future__ import annotations

import hashlib
import platform
import sys
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tdcert.theory.errors import InputError

_FOLDERS = ("theory", "sims", "claims", "verification", "sweeps")
_LIBRARIES = ("numba", "numpy", "pyarrow", "python-flint", "scipy", "sympy")


@cache
def versions() -> Mapping[str, str]:
    """By name: tdcert, the SHA-256 of its sources, Python, and each library that numbers go through."""
    found = {"tdcert": _version("tdcert"), "source": _source()}
    found["Python"] = f"{sys.version_info.major}.{sys.version_info.minor}"
    return found | {name: _version(name) for name in _LIBRARIES}


def require_same(asked: Mapping[str, str]) -> None:
    """Raises :class:`InputError` unless this process has the versions that the client has."""
    here = versions()
    if here != asked:
        raise InputError(
            f"the worker on {platform.node()} has {difference(here, asked)}, and the client has "
            f"{difference(asked, here)}; install the same on both and run the same command again"
        )


def difference(one: Mapping[str, str], other: Mapping[str, str]) -> str:
    """What ``one`` has that ``other`` has not, as words: ``numpy 2.1.0, source 3f5a12``."""
    return ", ".join(f"{name} {one[name][:16]}" for name in one if one[name] != other.get(name)) or "nothing else"


def _source() -> str:
    root = Path(__file__).resolve().parents[1]
    digest = hashlib.sha256()
    for folder in _FOLDERS:
        for path in sorted((root / folder).rglob("*.py")):
            content = path.read_bytes()
            digest.update(f"{path.relative_to(root).as_posix()} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"
