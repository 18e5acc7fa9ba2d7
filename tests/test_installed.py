"""The package as others get it: built from the sdist, installed alone, used where rooms of the same names exist."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
LEFT_OUT = shutil.ignore_patterns(
    ".git", ".venv", "build", "dist", "*.egg-info", "__pycache__", ".*_cache", ".hypothesis", "*-report*", "analysis-*"
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
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked sdist, which is built from a copy of the tree."""
    place = tmp_path_factory.mktemp("built")
    shutil.copytree(ROOT, place / "tree", symlinks=True, ignore=LEFT_OUT)
    run(sys.executable, "-c", f"import setuptools.build_meta as b; b.build_sdist({str(place)!r})", cwd=place / "tree")
    (sdist,) = place.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(place / "source", filter="data")
    (source,) = (place / "source").iterdir()
    return source


@pytest.fixture(scope="module")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from the sdist."""
    place = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-c", f"import setuptools.build_meta as b; b.build_wheel({str(place)!r})", cwd=source)
    (built,) = place.glob("*.whl")
    return built


@pytest.mark.thorough
def test_the_sdist_is_the_repository(source: Path) -> None:
    """Every file that is kept under version control, links as links, and nothing besides but what setuptools adds."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is not a clone, so nothing says which files belong to the repository")
    kept = set(run("git", "ls-files", cwd=ROOT).split("\n")) - {""}
    held = {one.relative_to(source).as_posix() for one in source.rglob("*") if one.is_symlink() or one.is_file()}
    added = {name for name in held if name in ("PKG-INFO", "setup.cfg") or ".egg-info/" in name}
    other = set(run("git", "ls-files", "--others", cwd=ROOT).split("\n"))
    assert kept <= held and held - added - kept <= other
    assert {name for name in held if (source / name).is_symlink()} == {
        name for name in kept if (ROOT / name).is_symlink()
    }
    here = ("env", "PYTHONPATH=src", sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider")
    assert " passed" in run(*here, "tests/theory/model/test_chain.py", cwd=source)


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
        ("claims", "*/paper.toml"),
        ("claims", "*/predictions.json"),
    ):
        for path in (ROOT / folder).glob(pattern):
            assert f"tdcert/{path.relative_to(ROOT).as_posix()}" in names
    assert "tdcert/py.typed" in names


def steps_of_the_action(**inputs: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Each step's script and its environment, inputs filled in as the runner would."""
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    given = {name: inputs.pop(name, str(one.get("default", ""))) for name, one in action["inputs"].items()}
    assert not inputs and action["runs"]["using"] == "composite"
    for step in action["runs"]["steps"]:
        assert step["shell"] == "bash" and "${{" not in step["run"]  # an input in a script would be code
        yield (
            step["run"],
            {
                name: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda found: given[found[1]], value)
                for name, value in step["env"].items()
            },
        )


@pytest.fixture
def python_of_its_own(tmp_path: Path) -> dict[str, str]:
    """An environment variable PATH whose first Python is new, with what tdcert needs behind it, but without tdcert."""
    venv.create(tmp_path / "env", symlinks=True, with_pip=False)
    site = next((tmp_path / "env" / "lib").glob("python*")) / "site-packages"
    (site / "needed.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")  # the links there are not followed
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    offline = {"PIP_NO_DEPS": "1", "PIP_NO_INDEX": "1", "PIP_IGNORE_INSTALLED": "1"}
    return {**kept, **offline, "PATH": f"{tmp_path / 'env' / 'bin'}{os.pathsep}{os.environ['PATH']}"}


CONFORM = [("plain_td.py:PlainTD", 0), ("broken.py:WrongEnd", 1)]


@pytest.mark.thorough
@pytest.mark.parametrize(("target", "code"), CONFORM)
def test_the_action_does_what_its_steps_say(
    wheel: Path, python_of_its_own: dict[str, str], tmp_path: Path, target: str, code: int
) -> None:
    """Its steps in the order of the file, in a folder with somebody's code: the last one is the verdict."""
    shutil.copytree(ROOT / "examples" / "conformance", tmp_path / "work")
    inputs = {"target": target, "algorithm": "td", "options": "--schedules n_step --seed 3", "requirement": str(wheel)}
    scripts = list(steps_of_the_action(**inputs))
    for number, (script, env) in enumerate(scripts, start=1):
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
            cwd=tmp_path / "work",
            env={**python_of_its_own, **env},
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert done.returncode == (code if number == len(scripts) else 0), done.stdout + done.stderr
    assert f"tdcert conform {target} --algorithm td --schedules n_step --discounts any --seed 3" in done.stdout


@pytest.mark.thorough
@pytest.mark.parametrize(("target", "code"), CONFORM)
def test_the_hook_fails_where_the_class_does_not_conform(
    wheel: Path, python_of_its_own: dict[str, str], tmp_path: Path, target: str, code: int
) -> None:
    """pre-commit installs the repository into an environment, and calls the entry with the user's arguments."""
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert hook["language"] == "python" and hook["pass_filenames"] is False
    install = ["python", "-m", "pip", "install", "-q", str(wheel)]
    subprocess.run(install, cwd=tmp_path, env=python_of_its_own, check=True, capture_output=True, timeout=600)
    words = [*hook["entry"].split(), target, "--algorithm", "td", "--schedules", "n_step"]
    done = subprocess.run(
        words,
        cwd=ROOT / "examples" / "conformance",
        env=python_of_its_own,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == code, done.stdout + done.stderr


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
