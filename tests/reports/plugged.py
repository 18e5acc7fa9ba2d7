"""A user's own tests, run with the plugin of pytest."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def with_the_plugin(tests: str, folder: Path, examples: Path) -> str:
    """What pytest prints of ``tests`` in a folder of theirs, from which modules of ``examples`` are imported; two of
    the three fail, without a traceback.
    """
    (folder / "test_mine.py").write_text(tests)
    options = ["-p", "tdcert.pytest_plugin", "-q", "--rootdir", str(folder), "-p", "no:cacheprovider"]
    path = f"{examples}{os.pathsep}{ROOT / 'src'}"
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(folder)],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": path},
    )
    assert "2 failed, 1 passed" in ran.stdout and "Traceback" not in ran.stdout, ran.stdout + ran.stderr
    return ran.stdout
