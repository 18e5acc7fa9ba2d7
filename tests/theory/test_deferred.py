"""Modules that are read when something of them is first used."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
READ = "[name for name in sorted(DEFERRED) if type(sys.modules.get(name)).__name__ == 'module']"
"""In Python: those of the modules that have been read."""


def said(script: str) -> str:
    """What a script prints in a process of its own, where the modules are deferred."""
    start = (
        f"import sys\nsys.path.insert(0, {str(ROOT)!r})\nfrom tdcert.theory.deferred import DEFERRED, defer\ndefer()\n"
    )
    done = subprocess.run([sys.executable, "-c", start + script], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_module_is_read_at_its_first_attribute_and_is_then_as_always() -> None:
    script = (
        "import xml.sax.saxutils\n"  # imports urllib.request
        f"print('http.client' in sys.modules, {READ})\n"
        "import urllib.request\n"
        f"print(urllib.request.Request('http://a.example/x').host, 'http.client' in sys.modules, {READ})"
    )
    assert said(script).splitlines() == ["False []", "a.example True ['urllib.request']"]


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["update", "claim", "environment"])
def test_threads_of_a_user_see_whole_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """Before Python 3.12.3, all but the first thread that uses a deferred module find it without names."""
    user = """
import sys, threading
import numpy.testing, scipy.spatial
import numpy as np, scipy
failed, ready = [], threading.Barrier(8)
def use():
    ready.wait()
    try:
        scipy.spatial.cKDTree, np.testing.assert_allclose
    except AttributeError as error:
        failed.append(str(error))
sys.setswitchinterval(1e-6)
threads = [threading.Thread(target=use) for _ in range(8)]
[one.start() for one in threads], [one.join() for one in threads]
print(failed)
"""
    (tmp_path / "users.py").write_text(user, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    asked = {
        "update": ["analyze", "example:one_state", "--algorithms", "users.py:none"],
        "claim": ["verify", "users.py"],
        "environment": ["analyze", "gymnasium:users:None-v0"],
    }[kind]
    assert said(f"from tdcert.reports.cli import main\nmain({asked})") == "[]\n"


@pytest.mark.thorough
def test_no_analysis_reads_them(tmp_path: Path) -> None:
    """With a page, and with SciPy's optimisation, which imports all of those of NumPy and SciPy."""
    model = {"transitions": [["1/2", "1/2"], ["1/3", "2/3"]], "rewards": [0, 1], "discount": "9/10"}
    features = [[1, 0], [1, 1]]
    path = tmp_path / "two.json"
    path.write_text(json.dumps({"format": "tdcert-model/1", **model, "features": features, "schedule": {"n_step": 2}}))
    words = ["analyze", str(path), "--quiet", "--out", str(tmp_path / "report")]
    script = (
        "from tdcert.reports.cli import main\n"
        f"code = main({words})\nimport scipy.optimize\n"
        f"print(code, set(sys.modules) >= DEFERRED, {READ})"
    )
    assert said(script) == "0 True []\n"
