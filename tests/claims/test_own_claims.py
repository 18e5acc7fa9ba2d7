"""Own claims, from a file and from an installed package: decided, reported, ablated and simulated like ours."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tdcert.claims.own import every, from_file, installed, is_file
from tdcert.claims.paper import ENTRIES, OWN
from tdcert.reports import cli
from tdcert.theory.errors import InputError
from tdcert.theory.model.mdp import Model
from tests.docs.fences import ROOT, blocks
from tests.schemas import faults

MINE = '''"""The columns of D(I - M) have positive sums on-policy.

Place: a paper of mine, §3,
and its appendix.
Hypotheses: on-policy.
"""

from fractions import Fraction

from tdcert.claims.kit import Ablation, Claim, Reading, Simulated, decide_relations, proved
from tdcert.claims.models import OFF_POLICY, ON_POLICY_BOX, SIGNED_LAMBDAS, UNDISCOUNTED
from tdcert.theory.check.hypotheses import CONSTANT_DISCOUNT, DISCOUNTED, IRREDUCIBLE, LAMBDAS, ON_POLICY
from tdcert.theory.model import gallery
from tdcert.theory.model.schedule import Schedule

SUMS = ("@", ("T", "ones"), "D", ("-", "I", "M"))


def check(model):
    return decide_relations(model, [(("*", "0", SUMS), "<", SUMS)])


class Agreed:
    agrees, contradicts, alpha_spent = True, False, 1e-12

    def sentence(self):
        return "they agree"


CLAIM = Claim(
    id="mine",
    stated=Reading("The columns have positive sums."),
    check=check,
    prove=lambda: proved("by hand", 1),
    ablations=(
        Ablation(IRREDUCIBLE, box=ON_POLICY_BOX),
        Ablation(ON_POLICY, box=OFF_POLICY),
        Ablation(CONSTANT_DISCOUNT),
        Ablation(DISCOUNTED, box=UNDISCOUNTED),
        Ablation(LAMBDAS, box=SIGNED_LAMBDAS),
    ),
    simulate=lambda seed, budget: [Simulated(Agreed(), "a coin", f"seed {seed}")],
)
'''


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "mine.py"
    file.write_text(MINE, encoding="utf-8")
    return file


def changed(file: Path, *edits: tuple[str, str]) -> str:
    """The file with these edits, each made once; returns its name."""
    text = file.read_text(encoding="utf-8")
    for old, new in edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    file.write_text(text, encoding="utf-8")
    return file.name


def verified(*arguments: str) -> tuple[int, dict[str, Any]]:
    """``tdcert verify`` as typed: the exit code, and the row of the claim."""
    code = cli.main(["verify", *arguments, "--profile", "quick", "--out", "report"])
    document = json.loads(Path("report/verdicts.json").read_text(encoding="utf-8"))
    assert faults(document) == []
    (row,) = document["claims"]
    return code, {**row, "differences": document["summary"]["differences"]}


@pytest.mark.thorough
def test_a_claim_from_a_file_is_decided_reported_ablated_and_simulated(
    mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, row = verified("mine.py")
    assert code == 0 and row["stated"]["status"] == "holds" and row["finding"] == "as_stated"
    assert (row["id"], row["section"], row["place"]) == ("mine", OWN, "a paper of mine, §3, and its appendix")
    assert row["title"] == "The columns of D(I - M) have positive sums on-policy"
    needed = {x["id"]: x["needed"] for x in row["hypotheses"]}
    assert needed == {
        "irreducible": True,
        "on_policy": True,
        "constant_discount": None,
        "discount_below_one": True,
        "lambda_in_unit_interval": True,
    }
    told = next(x["note"] for x in row["hypotheses"] if x["id"] == "constant_discount")
    assert told.startswith("not ablated, so nothing is said of whether it is needed")
    assert {scope["grade"] for scope in row["stated"]["scopes"]} == {"proved", "certified", "consistent"}
    assert [x["what"] for x in row["simulations"]] == ["a coin"]
    assert row["reproduce"] == "tdcert verify mine.py --profile quick --seed 20220328"
    page = Path("report/index.html").read_text(encoding="utf-8")
    assert "a paper of mine, §3" in page and OWN in page and "not ablated" in page
    assert cli.main(["check", "report"]) == 0
    capsys.readouterr()
    assert cli.main(["show", "mine.py"]) == 0
    shown = "".join(capsys.readouterr().out.split())  # a long path is broken over lines
    assert "aclaimofyourown,place:apaperofmine" in shown and "".join(str(mine).split()) in shown


TURNED = ('(("*", "0", SUMS), "<", SUMS)', '(SUMS, "<", ("*", "0", SUMS))')


def test_a_false_claim_is_refuted_with_the_smallest_model_and_shown_from_the_report(
    mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """``show`` reads the report of the file as it is; the witness is the first model of all boxes, one state."""
    code, row = verified(changed(mine, TURNED))
    assert code == 1 and row["differences"][0].startswith("mine: was given to hold and is 'refuted'")
    printed = capsys.readouterr().out
    assert "The smallest witness that was found against mine:" in printed and "  model: P = ((1)), r = " in printed
    stated = row["stated"]
    assert Model.of_canonical(stated["model"]).n == 1 and Fraction(stated["witness"]["left value"]) > 0
    first = next(scope for scope in stated["scopes"] if "fails on" in scope["detail"])
    assert re.search(r"fails on (\d+) of the \1 models that satisfy its hypotheses; here on the", first["detail"])
    assert cli.main(["check", f"report/{first['certificates'][0]}"]) == 0
    assert json.loads(Path(f"report/{first['certificates'][0]}").read_text())["model"] == stated["model"]
    assert row["source_digest"] == hashlib.sha256(mine.read_bytes()).hexdigest()
    capsys.readouterr()
    assert cli.main(["show", "mine.py", "--report", "report"]) == 0
    shown = capsys.readouterr().out
    assert "as decided in report, seed 20220328" in shown and "✗ refuted" in shown and "model: P = ((1))" in shown
    changed(mine, ("and its appendix", "and another one"))
    assert cli.main(["show", "mine.py", "--report", "report"]) == 0
    assert "decided just now; report has another version of its file" in " ".join(capsys.readouterr().out.split())


def test_models_alone_refute_a_conjecture(mine: Path) -> None:
    edits = (
        TURNED,
        ('    prove=lambda: proved("by hand", 1),\n', ""),
    )
    code, row = verified(changed(mine, *edits))
    assert code == 1 and row["stated"]["status"] == "refuted"


@pytest.mark.thorough
def test_models_alone_never_decide_a_conjecture(mine: Path) -> None:
    code, row = verified(changed(mine, ('    prove=lambda: proved("by hand", 1),\n', "")))
    assert code == 0 and row["stated"]["status"] == "undecided" and not row["differences"]
    assert "no proof was given" in row["stated"]["why"] and row["models"]


@pytest.mark.thorough
def test_a_failed_proof_is_against_expectation(mine: Path) -> None:
    edits = ('proved("by hand", 1)', 'proved("never", shown(is_odd, at=(1, 2)))'), ("proved\n", "proved, shown\n")
    file = changed(mine, *edits, ("def check(", "def is_odd(n):\n    return n % 2 == 1\n\n\ndef check("))
    code, row = verified(file)
    assert code == 1 and row["stated"]["status"] == "undecided"
    assert "the general proof failed: is_odd(2) does not hold" in row["stated"]["why"]


@pytest.mark.thorough
def test_a_claim_brings_instances_of_its_own(mine: Path) -> None:
    own = "    instances=lambda: [gallery.one_state(Fraction(1, 7), Schedule.n_step(5))],\n"
    before = len(verified("mine.py")[1]["models"])
    file = changed(mine, ("    ablations=(\n", f"{own}    ablations=(\n"))
    row = verified(file)[1]
    assert len(row["models"]) == before + 1 and row["models"][-1]["schedule_length"] == 4


@pytest.mark.thorough
def test_a_box_without_a_counterexample_is_told(mine: Path) -> None:
    code, row = verified(
        changed(mine, ("Ablation(LAMBDAS, box=SIGNED_LAMBDAS)", "Ablation(LAMBDAS, box=ON_POLICY_BOX)"))
    )
    told = next(x for x in row["hypotheses"] if x["id"] == "lambda_in_unit_interval")
    assert (
        code == 0 and told["needed"] is None and told["note"].startswith("no counterexample in the whole box: up to 2")
    )


BAD = [
    ("nowhere.py", (), r"there is no file 'nowhere\.py'; give the file of a claim, or the id of one"),
    ("folder/", (), r"there is no file 'folder/'; .*"),
    ("./notes.txt", (), r"'./notes\.txt' is not a Python file; give a file whose name ends in \.py"),
    ("prop_41", (), r"there is no claim 'prop_41'; did you mean prop_4_1, or path/to/claim\.py for one .*\?"),
    ("mine.py", (("CLAIM = Claim", "OTHER = Claim"),), r"mine\.py has no CLAIM; assign a .*Claim to the name CLAIM"),
    ("mine.py", (("CLAIM = Claim(", "CLAIM = dict("),), r"mine\.py has a dict as CLAIM; .*"),
    (
        "mine.py",
        (("def check(model):", "def check(model:"),),
        r"'mine\.py' cannot be imported: SyntaxError: .*line 19 of mine.py.*",
    ),
    (
        "mine.py",
        (("SUMS = (", "SUMS = 1 / 0, ("),),
        r"'mine\.py' cannot be imported: ZeroDivisionError: .* \(line 16 .*",
    ),
    (
        "mine.py",
        (("    return decide_relations", "    1 / 0\n    return decide_relations"),),
        r"claim mine cannot be decided, .*Zero.*\(line 20 .*",
    ),
    (
        "mine.py",
        (('lambda: proved("by hand", 1)', "lambda: [][0]"),),
        r"claim mine cannot be decided, .*IndexError.*line \d+.*",
    ),
    (
        "mine.py",
        (('id="mine"', 'id="mine", id_="x"'),),
        r"'mine\.py' cannot be imported: TypeError: .*'id_'.* \(line \d+ .*",
    ),
    (
        "mine.py",
        (("Ablation(IRREDUCIBLE, box=ON_POLICY_BOX)", "Ablation(ON_POLICY)"),),
        r"'mine\.py' cannot be imported: ValueError: claim mine: one hypothesis has two ablations \(line \d+ .*",
    ),
]


@pytest.mark.parametrize(("given", "edits", "sentence"), BAD, ids=[f"{k}" for k in range(len(BAD))])
def test_bad_input_is_one_sentence(
    given: str, edits: tuple[tuple[str, str], ...], sentence: str, mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("folder").mkdir()
    Path("notes.txt").write_text("x")
    changed(mine, *edits)
    assert cli.main(["verify", given, "--profile", "quick", "--out", "report"]) == 2
    printed = capsys.readouterr().err.splitlines()
    assert re.fullmatch(f"tdcert: '?{sentence.removeprefix(chr(39))}", printed[-1]), printed[-1]
    assert not any("Traceback" in line for line in printed) and not Path("report").exists()


@pytest.mark.parametrize(
    ("name", "why"), [("prop_4_1", "which a claim of tdcert has"), ("../mine", "give letters, digits and underscores")]
)
def test_an_id_is_a_name_of_its_own(name: str, why: str, mine: Path) -> None:
    changed(mine, ('id="mine"', f'id="{name}"'))
    with pytest.raises(InputError, match=rf"mine\.py has the id '{re.escape(name)}'[;,] {why}"):
        from_file("mine.py")


def test_two_files_with_one_id_are_one_sentence(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("again.py").write_text(MINE, encoding="utf-8")
    assert cli.main(["verify", "mine.py", "again.py", "--out", "report"]) == 2
    assert "two of the files have the same id (mine.py, again.py)" in capsys.readouterr().err


@pytest.mark.thorough
def test_a_file_may_stand_beside_ids(mine: Path) -> None:
    assert cli.main(["verify", "telescoping", "./mine.py", "--profile", "quick", "--out", "report"]) == 0
    document = json.loads(Path("report/verdicts.json").read_text(encoding="utf-8"))
    assert [row["id"] for row in document["claims"]] == ["telescoping", "mine"]
    assert document["summary"]["paper"]["statements"] == document["summary"]["beyond"]["statements"] == 1
    assert not is_file("telescoping") and is_file("a/claim") and is_file("claim.py")


def test_what_the_docstring_leaves_out_has_a_default(mine: Path) -> None:
    text = MINE.split('"""', 2)[2]
    mine.write_text(text, encoding="utf-8")
    entry = from_file("mine.py")
    assert (entry.title, entry.place, entry.section) == ("mine", "not said", OWN)


def test_the_page_that_adds_a_claim_has_a_claim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (block,) = [x for x in blocks(ROOT / "docs" / "adding_a_claim.md") if x.said.get("file") == "key_matrix_columns.py"]
    monkeypatch.chdir(tmp_path)
    Path("key_matrix_columns.py").write_text(block.text, encoding="utf-8")
    entry = from_file("key_matrix_columns.py")
    assert entry.place.startswith("Sutton, Mahmood, White, An Emphatic Approach") and entry.place.endswith("λ-schedule")


# ---- installed packages --------------------------------------------------------------------------------------------


def package(folder: Path, value: str = "my_claims.mine") -> None:
    """A distribution with one entry point, as pip would leave it."""
    (folder / "my_claims").mkdir()
    (folder / "my_claims" / "__init__.py").write_text("")
    (folder / "my_claims" / "mine.py").write_text(MINE, encoding="utf-8")
    info = folder / "my_claims-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-claims\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[tdcert.claims]\nmine = {value}\n")


def ran(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join([str(folder), str(ROOT / "src")])
    environment = {**os.environ, "PYTHONPATH": paths, "COLUMNS": "200", "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-m", "tdcert", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=environment)


@pytest.mark.thorough
def test_an_installed_claim_is_known_by_its_id_and_asked_of_models(tmp_path: Path) -> None:
    package(tmp_path, "my_claims.mine:CLAIM")
    found = ran(tmp_path, "verify", "mine", "--profile", "quick", "--workers", "2", "--out", "report")
    assert found.returncode == 0 and re.search(r"mine +a paper of mine.* ✓ holds", found.stdout), found.stderr
    answer = ran(tmp_path, "analyze", str(ROOT / "examples" / "two_state_theta_2theta.json"), "--json")
    rows = {row["id"]: row for row in json.loads(answer.stdout)["claims"]}
    assert rows["mine"]["violated"] == ["on_policy"] and len(rows) > 30


@pytest.mark.thorough
def test_a_broken_package_is_one_sentence(tmp_path: Path) -> None:
    package(tmp_path, "my_claims.yours")
    found = ran(tmp_path, "verify", "mine", "--out", "report")
    assert found.returncode == 2 and "Traceback" not in found.stderr
    assert "the claim 'mine' of my-claims (my_claims.yours) cannot be loaded: ModuleNotFoundError" in found.stderr


def test_without_packages_there_are_those_of_the_table() -> None:
    assert installed() == () and every() == ENTRIES
    with pytest.raises(InputError, match="there is no file"):
        from_file("x.py")


def test_ours_leave_no_hypothesis_without_an_ablation() -> None:
    """What is allowed of other people's claims is not of ours: each has a proof, and each hypothesis its ablation."""
    claims = [row.load() for row in ENTRIES if not row.is_open]
    assert all(claim.prove is not None for claim in claims)
    assert all(ablation.is_made for claim in claims for ablation in claim.ablations)
