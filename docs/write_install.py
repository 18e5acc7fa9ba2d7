"""Measures what each extra takes, and writes the table of ``docs/install.md``.

    python docs/write_install.py

For each row the package is installed from this repository into an environment of its own, as pip does by default: byte
code included, pip itself left out. Times are processor time, the least of five, less that of an empty program.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import venv
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "install.md"
BEGIN, END = "<!-- measured: begin -->\n", "<!-- measured: end -->\n"
ROWS = {
    "": "from tdcert import analyze, conform",
    "report": "import jinja2, matplotlib.figure",
    "sim": "import numba",
    "all": "import jinja2, matplotlib.figure, numba, gymnasium, hypothesis, pyarrow",
}
"""What is imported: the core in the first row, in the others the libraries that the extra brings."""


def seconds(python: Path, program: str) -> float:
    """Processor time of a program."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([python, "-c", program], check=True, cwd=python.parent)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measured(extra: str, place: Path) -> tuple[int, float, float]:
    """Megabytes, and seconds for the core and for what the extra brings."""
    venv.create(place, with_pip=False, symlinks=True)
    python = place / "bin" / "python"
    what = f"{ROOT}[{extra}]" if extra else str(ROOT)
    subprocess.run([sys.executable, "-m", "pip", "--python", python, "install", "-q", what], check=True)
    size = sum(path.lstat().st_size for path in (place / "lib").rglob("*") if path.is_file())
    seconds(python, ROWS[extra])
    empty, core, more = (min(seconds(python, program) for _ in range(5)) for program in ("pass", ROWS[""], ROWS[extra]))
    return round(size / 10**6), core - empty, (more - empty) if extra else 0.0


def table() -> str:
    rows = ["| | MB | import of the core | of the libraries it adds, where they are used |", "|---|---|---|---|"]
    with TemporaryDirectory() as folder:
        for extra in ROWS:
            size, core, more = measured(extra, Path(folder) / (extra or "core"))
            name = f"tdcert[{extra}]" if extra else "tdcert"
            rows.append(f"| `{name}` | {size} | {core:.1f} s | {f'{more:.1f} s' if extra else ''} |")
            print(rows[-1])
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    os.environ.pop("PYTHONPATH", None)
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    PAGE.write_text(before + BEGIN + table() + END + rest.split(END)[1], encoding="utf-8")
