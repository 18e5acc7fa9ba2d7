"""The package as others get it: built from the sdist, installed alone, used where rooms of the same names exist."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LEFT_OUT = shutil.ignore_patterns(
    ".git", ".venv", "build", "dist", "*.egg-info", "__pycache__", ".*_cache", ".hypothesis"
)
PROJECT = {
    "theory/__init__.py": "MINE = 'theory'\n",
    "theory/errors.py": "MINE = 'theory.errors'\n",
    "reports/__init__.py": "MINE = 'reports'\n",
    "claims/__init__.py": "MINE = 'claims'\n",
    "claims/paper.py": "MINE = 'claims.paper'\n",
    "sims.py": "MINE = 'sims'\n",
    "chain.json": json.dumps(
        {"format": "tdcert-model/1", "transitions": [["1/2", "1/2"], [1, 0]], "rewards": [0, 1], "discount": 0.9}
    ),
    "use.py": """
import claims.paper, reports, sims, theory.errors
import tdcert
import tdcert.claims.paper, tdcert.reports.cli, tdcert.sims, tdcert.theory.errors

assert [module.MINE for module in (claims.paper, reports, sims, theory.errors)] == [
    "claims.paper", "reports", "sims", "theory.errors"
]
print(tdcert.__file__)
print(tdcert.analyze("chain.json")["algorithms"][0]["mean_dynamics"]["verdict"])
""",
    "test_mine.py": """
import sims
from plain_td import PlainTD

def test_mine(conforms):
    assert sims.MINE == "sims"
    assert conforms(PlainTD, algorithm="td", schedules="n_step")["conforms"]
""",
}
"""A project of somebody else; ``plain_td.py`` lies beside."""


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, f"{command}: {done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from the sdist, which is built from a copy of the tree."""
    place = tmp_path_factory.mktemp("built")
    shutil.copytree(ROOT, place / "tree", symlinks=True, ignore=LEFT_OUT)
    run(sys.executable, "-c", f"import setuptools.build_meta as b; b.build_sdist({str(place)!r})", cwd=place / "tree")
    (sdist,) = place.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(place / "source", filter="data")
    (source,) = (place / "source").iterdir()
    run(sys.executable, "-c", f"import setuptools.build_meta as b; b.build_wheel({str(place)!r})", cwd=source)
    (built,) = place.glob("*.whl")
    return built


@pytest.mark.thorough
def test_a_wheel_puts_tdcert_on_top_and_nothing_else_with_all_its_data(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"tdcert"}
    assert not any(name.startswith("tdcert/tests") for name in names)
    for folder, pattern in (
        ("reports", "templates/*"),
        ("reports", "schemas/*.json"),
        ("theory/formal", "*.v"),
        ("verification", "*.json"),
    ):
        for path in (ROOT / folder).glob(pattern):
            assert f"tdcert/{path.relative_to(ROOT).as_posix()}" in names
    assert "tdcert/py.typed" in names


@pytest.mark.thorough
def test_a_project_with_rooms_of_the_same_names_uses_it(wheel: Path, tmp_path: Path) -> None:
    """In an environment that holds nothing but the wheel; what tdcert needs itself lies on the path behind it."""
    venv.create(tmp_path / "env", symlinks=True, with_pip=False)
    bin_, site = tmp_path / "env" / "bin", next((tmp_path / "env" / "lib").glob("python*")) / "site-packages"
    target = ("--target", site, "--no-deps", "--no-index", "-q")
    run(sys.executable, "-m", "pip", "install", *target, wheel, cwd=tmp_path)
    (site / "needed.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")  # the links there are not followed
    mine = tmp_path / "mine"
    for name, text in PROJECT.items():
        (mine / name).parent.mkdir(parents=True, exist_ok=True)
        (mine / name).write_text(text)
    shutil.copy(ROOT / "examples" / "conformance" / "plain_td.py", mine)
    python = bin_ / "python"
    place, answer = run(python, "use.py", cwd=mine).split()
    assert Path(place).is_relative_to(site) and answer == "stable"
    assert "1 passed" in run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=mine)
    command = site / "bin" / "tdcert"  # where pip puts it that installs from outside
    command.write_text(f"#!{python}\n" + command.read_text().split("\n", 1)[1])
    assert json.loads(run(command, "analyze", "chain.json", "--json", cwd=mine))["arithmetic"] == "exact"
    assert json.loads(run(python, "-m", "tdcert", "analyze", "chain.json", "--json", cwd=mine))["kappa"] == "9/10"
    star = json.loads(run(command, "analyze", "example:baird", "--what", "verdict", "--json", cwd=mine))
    assert star["model"]["states"] == 7 and star["model"]["features"] == 8
    run(command, "analyze", "chain.json", "--out", "report", cwd=mine)
    assert "accepted" in run(command, "check", "report/certificates", cwd=mine)
