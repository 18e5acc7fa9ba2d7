"""What lies in the cache of compiled loops never ends a run, and what can be used of it is used."""

from __future__ import annotations

import importlib.util
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
import numpy as np
import pytest

SIMS = Path(__file__).parents[2] / "sims"
LOOP = """
from typing import Any, NamedTuple

from tdcert.sims.compile_once import compiled_once


class Given(NamedTuple):
    numbers: Any


@compiled_once
def total(given):
    found = 0.0
    for number in given.numbers:
        found += number
    return found
"""


def imported(path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module as a new process has it."""
    monkeypatch.setattr(numba.config, "DISABLE_JIT", 0)  # loops are compiled, whatever runs the tests
    spec = importlib.util.spec_from_file_location("loop_on_trial", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(__import__("sys").modules, "loop_on_trial", module)
    spec.loader.exec_module(module)
    return module


def sum_of(module: ModuleType, name: str = "Given") -> tuple[float, int]:
    """1 + 2 + 3, and how often compiled code was found on disk."""
    found: float = module.total(getattr(module, name)(np.array([1.0, 2.0, 3.0])))
    hits: dict[Any, int] = module.total.stats.cache_hits
    return found, sum(hits.values())


def cut_off(cache: Path) -> None:
    """The process that wrote it was killed."""
    for path in cache.glob("*.nbc"):
        path.write_bytes(path.read_bytes()[:100])


def rubbish(cache: Path) -> None:
    """Nothing that is a pickle, behind the right version of Numba."""
    for path in cache.glob("*.nbi"):
        path.write_bytes(pickle.dumps(numba.__version__, protocol=-1) + b"rubbish")


def not_even_a_version(cache: Path) -> None:
    """An empty index."""
    for path in cache.glob("*.nbi"):
        path.write_bytes(b"")


@pytest.mark.thorough
@pytest.mark.parametrize("harm", [cut_off, rubbish, not_even_a_version])
def test_a_broken_file_is_compiled_again_and_then_used(
    harm: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, cache = tmp_path / "loop.py", tmp_path / "__pycache__"
    path.write_text(LOOP)
    assert sum_of(imported(path, monkeypatch)) == (6.0, 0) and list(cache.glob("*.nbc"))
    assert sum_of(imported(path, monkeypatch)) == (6.0, 1)
    harm(cache)
    assert sum_of(imported(path, monkeypatch)) == (6.0, 0)
    assert sum_of(imported(path, monkeypatch)) == (6.0, 1)


def test_a_class_that_is_renamed_in_place_does_not_end_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "loop.py"
    path.write_text(LOOP)
    assert sum_of(imported(path, monkeypatch)) == (6.0, 0)
    path.write_text(LOOP.replace("Given", "Renamed"))
    assert sum_of(imported(path, monkeypatch), "Renamed") == (6.0, 0)
    assert sum_of(imported(path, monkeypatch), "Renamed") == (6.0, 1)


def test_every_loop_that_is_kept_is_kept_so() -> None:
    assert [path.name for path in SIMS.rglob("*.py") if re.search(r"\bcache=True", path.read_text("utf-8"))] == []
