"""The command line keeps its contract: exit codes, one sentence for every error, whole reports or none."""

import html
import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import tdcert.analysis.analyse
import tdcert.verification.verify
from tdcert.analysis.analyse import AnalysisResult
from tdcert.claims import paper
from tdcert.reports import cli
from tdcert.reports.verdicts_json import verdicts_document
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.certificate.shelf import FiledCertificate
from tdcert.theory.errors import InputError
from tests.effort import by_default
from tests.reports import sample

ROOT = Path(__file__).parents[2]
CHAIN = {
    "format": "tdcert-model/1",
    "transitions": [["1/2", "1/2"], [1, 0]],
    "rewards": [0, 1],
    "discount": 0.9,
}


ONE = {"format": "tdcert-model/1", "transitions": [[1]], "rewards": [1], "discount": 0.9}
"""For tests that ask what a command writes where, and not what it finds: its analysis is the shortest."""


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sketched: None) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "chain.json").write_text(json.dumps(ONE))


def decide_as(
    monkeypatch: pytest.MonkeyPatch,
    differences: tuple[str, ...] = (),
    certificate: dict[str, Any] | None = None,
    raising: BaseException | None = None,
) -> list[tuple[Any, ...]]:
    """Puts a small fixed run in the place of the decisions; returns the calls it got."""
    calls: list[tuple[Any, ...]] = []

    def verify(
        ids: Any,
        profile: str,
        seed: int,
        on_progress: Callable[[int, int, str], None],
        workers: int = 1,
        paper: str = "",
    ) -> Any:
        calls.append((ids, profile, seed))
        on_progress(0, 1, "prop_4_1")
        if raising is not None:
            raise raising
        found = sample.run()
        kept = FiledCertificate(sample.FIRST, certificate or sample.certificate())
        return replace(found, certificates=(kept,), summary=replace(found.summary, differences=differences))

    monkeypatch.setattr(tdcert.verification.verify, "verify", verify)
    return calls


def run(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """tdcert in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "tdcert", *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT), **options},
        capture_output=True,
        text=True,
        timeout=120,
    )


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What tdcert prints on standard output; it must end well."""
    capsys.readouterr()
    assert cli.main(list(arguments)) == cli.DONE
    return capsys.readouterr().out


def sentence(text: str) -> bool:
    """One line that names the program, and no trace of Python."""
    return text.startswith("tdcert: ") and text.count("\n") == 1 and "Traceback" not in text


def test_verify_writes_the_report_and_names_it_last(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    calls = decide_as(monkeypatch)
    assert cli.main(["verify"]) == 0
    out, err = capsys.readouterr()
    assert out.rstrip().splitlines()[-1] == "report: verification-report/index.html"
    said = " ".join(out.split())
    assert "6 statements of the paper: 1 holds as printed, 2 false, 1 needs a hypothesis" in said
    assert "2 not examined." in said and "td_lambda_weights, thm_4_5_conditions" in out
    assert "accepted 1 of 1 certificate " in out
    assert err == ""  # nobody looks at a terminal
    assert calls == [(None, "default", tdcert.verification.verify.DEFAULT_SEED)]
    report = tmp_path / "verification-report"
    assert json.loads((report / "verdicts.json").read_text())["summary"]["checker"] == {
        "accepted": 1,
        "rejected": [],
    }
    assert "accepted 1 and rejected 0" in (report / "index.html").read_text()
    assert json.loads((report / sample.FIRST).read_text()) == sample.certificate()


def test_verify_hands_its_options_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    calls = decide_as(monkeypatch)
    assert cli.main(["verify", "prop_4_1", "m_contraction", "--profile", "quick", "--seed", "7", "--out", "r"]) == 0
    assert calls == [(["prop_4_1", "m_contraction"], "quick", 7)]
    assert (tmp_path / "r" / "index.html").is_file()


def test_a_difference_from_the_predictions_is_listed_and_exits_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    decide_as(monkeypatch, differences=("prop_4_1: predicted 'false', found 'as_stated'",))
    assert cli.main(["verify"]) == 1
    assert "predicted 'false', found 'as_stated'" in capsys.readouterr().out


def test_a_rejected_certificate_exits_1_and_is_named_on_the_page(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    decide_as(monkeypatch, certificate=sample.certificate(closed_set=(1,)))  # state 1 is left
    assert cli.main(["verify"]) == 1
    out = capsys.readouterr().out
    assert "accepted 0 of 1 certificate " in out and f"rejected: {sample.FIRST}: " in out
    assert "accepted 0 and rejected 1" in Path("verification-report/index.html").read_text()


def test_a_foreign_folder_is_refused_before_the_work(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    calls = decide_as(monkeypatch)
    Path("mine").mkdir()
    Path("mine/thesis.tex").write_text("mine")
    assert cli.main(["verify", "--out", "mine"]) == cli.main(["analyze", "chain.json", "--out", "mine"]) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert "'mine'" in first and first == second and sentence(first + "\n")
    assert calls == [] and os.listdir("mine") == ["thesis.tex"]


@pytest.mark.parametrize(
    ("raising", "code", "says"),
    by_default(
        2,
        [
            (KeyboardInterrupt(), 130, "interrupted"),
            (RuntimeError("boom"), 3, r"fault of tdcert itself \(RuntimeError\); the log is /"),
            (InputError("there is no claim 'x'; did you mean y?"), 2, "did you mean y"),
        ],
    ),
)
def test_a_run_that_ends_early_leaves_the_previous_report_whole(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    raising: BaseException,
    code: int,
    says: str,
) -> None:
    decide_as(monkeypatch)
    assert cli.main(["verify"]) == 0
    before = {path: path.read_bytes() for path in Path("verification-report").rglob("*") if path.is_file()}
    capsys.readouterr()
    decide_as(monkeypatch, raising=raising)
    assert cli.main(["verify"]) == code
    out, err = capsys.readouterr()
    last = err.splitlines(keepends=True)[-1]
    assert out == "" and sentence(last) and re.search(says, last)
    assert {path: path.read_bytes() for path in Path("verification-report").rglob("*") if path.is_file()} == before
    assert sorted(os.listdir()) == ["chain.json", "verification-report"]
    if code == 3:
        log = Path(last.rsplit(" ", 1)[1].strip())
        assert "RuntimeError: boom" in log.read_text() and "Traceback" in log.read_text()
        log.unlink()


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["nonsense"], "nonsense"),
        (["verify", "--nonsense"], "--nonsense"),
        (["analyze", "chain.json", "--gamma", "0.9"], "--gamma; did you mean --discount?"),
        (["analyze", "chain.json", "--alpha", "0.9"], "--alpha; did you mean --steps?"),
        (["analyze", "chain.json", "-o", "there"], "-o; did you mean --out?"),
        (["certify", "chain.json", "--epsilon", "1"], "--epsilon; did you mean --within?"),
        (["verify", "--gamma", "1"], "--gamma; see"),
        (["--gamma"], "--gamma; see"),
        (["verify", "--profile", "slow"], "slow"),
        (["verify", "--seed", "-1"], "--seed"),
        (["verify", "--seed", "one"], "--seed"),
        (["verify", "no_such_claim"], "no_such_claim"),
        (["show"], "ID"),
        (["show", "no_such_claim"], "no_such_claim"),
        (["analyze"], "MODEL"),
        (["analyze", "nowhere.json"], "nowhere.json"),
        (["analyze", "chain.json", "--arithmetic", "float"], "float"),
        (["analyze", "chain.json", "--discount", "2"], "--discount"),
        (["check"], "CERTIFICATE"),
        (["check", "nowhere.json"], "nowhere.json"),
        (["diff", "nowhere", "nowhere"], "nowhere"),
    ],
)
def test_bad_usage_and_bad_input_give_one_sentence_and_exit_2(
    arguments: list[str], names: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(arguments) == 2
    out, err = capsys.readouterr()
    last = err.splitlines(keepends=True)[-1]
    assert out == "" and sentence(last) and names in last
    assert os.listdir() == ["chain.json"]


def test_help_comes_at_once_and_lists_only_what_there_is() -> None:
    before = os.times()
    done = run("--help", COLUMNS="200")
    # Reading arguments needs no numerics. A second of a processor is several times what it takes.
    after = os.times()
    assert after.children_user + after.children_system - before.children_user - before.children_system < 1
    assert done.returncode == 0 and done.stderr == ""
    commands = {"verify", "show", "algorithms", "analyze", "certify", "check", "conform", "diff"}
    commands |= {"papers", "samples", "sweep"}
    assert set(re.findall(r"│ (\w+) ", done.stdout)) == commands
    heavy = "{'numpy', 'sympy', 'matplotlib', 'flint', 'jinja2'}"
    script = f"import sys; from tdcert.reports import cli; cli.register(''); print(sorted({heavy} & set(sys.modules)))"
    loaded = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert loaded.stdout == "[]\n"


def test_idle_threads_of_linear_algebra_sleep_unless_the_user_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two threads that wait for products of 100 rows without sleeping take twice the processor time of one."""
    name = "OPENBLAS_THREAD_TIMEOUT"
    for given, expected in ((None, "4"), ("20", "20")):
        monkeypatch.setenv(name, given or "")
        if given is None:
            monkeypatch.delenv(name)
        assert cli.main(["--version"]) == 0 and os.environ[name] == expected


@pytest.mark.thorough
def test_a_verdict_imports_no_simulation_and_draws_nothing() -> None:
    arguments = ["analyze", "examples/two_state_theta_2theta.json", "--json", "--what", "verdict"]
    heavy = "{'numba', 'matplotlib', 'rich', 'jinja2', 'sympy', 'tdcert.sims.kernels'}"
    script = (
        "import contextlib, io, sys; from tdcert.reports.cli import main\n"
        f"with contextlib.redirect_stdout(io.StringIO()): main({arguments})\n"
        f"print(sorted({heavy} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.stdout == "[]\n", done.stderr


def test_version() -> None:
    done = run("--version")
    assert done.returncode == 0 and re.fullmatch(r"tdcert \S.*\n", done.stdout)


def test_no_command_is_as_a_question_for_help(capsys: pytest.CaptureFixture[str]) -> None:
    codes = cli.main(["-h"]), cli.main([])
    asked, nothing = capsys.readouterr().out.split("Usage:")[1:]
    assert asked.split() == nothing.split() and codes[0] == 0


def test_analyze_prints_a_summary_and_writes_the_report(capsys: pytest.CaptureFixture[str]) -> None:
    Path("chain.json").write_text(json.dumps(CHAIN))
    assert cli.main(["analyze", "chain.json"]) == 0
    printed = capsys.readouterr().out
    assert printed.rstrip().splitlines()[-1] == "report: analysis-chain/index.html"
    assert "✓ converges to θ*" in printed and "e times nearer every" in printed
    document = json.loads(Path("analysis-chain/analysis.json").read_text())
    assert document["format"] == "tdcert-analysis/2" and document["stationary"] == ["2/3", "1/3"]
    # By hand, from V_0 = (9/20)(V_0 + V_1) and V_1 = 1 + (9/10)V_0.
    assert document["value"] == ["90/29", "110/29"] and document["theta_star"] == document["value"]


@pytest.mark.thorough
def test_no_report_takes_the_place_of_another(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An analysis is replaced by one of the same file, under other options too, and of the same model elsewhere."""
    decide_as(monkeypatch)
    assert cli.main(["verify"]) == 0
    for source in ("chain.json", "same.json", "other.json"):
        Path(source).write_text(json.dumps({**CHAIN, "discount": 0.5 if source == "other.json" else 0.9}))
    refused: list[tuple[str, ...]]
    refused = [("analyze", "chain.json", "--out", "verification-report"), ("verify", "--out", "of-chain")]
    refused += [("analyze", "other.json", "--out", "of-chain")]
    for options in (["chain.json"], ["chain.json", "--schedule", "n_step:2"], ["same.json", "--schedule", "n_step:2"]):
        told(capsys, "analyze", *options, "--out", "of-chain")
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    for arguments in refused:
        assert cli.main(list(arguments)) == cli.BAD_INPUT
        assert sentence(said := capsys.readouterr().err) and "give --out another folder" in said
    assert "holds an analysis of another model, 'same.json'" in said
    assert {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()} == before
    for command, name in (("analyze", "analysis-NAME"), ("verify", "verification-report"), ("sweep", "sweep-NAME")):
        assert f"[default: ({name})]" in run(command, "--help", COLUMNS="150").stdout


@pytest.mark.thorough
def test_json_is_all_that_stdout_gets_and_a_report_needs_out(capsys: pytest.CaptureFixture[str]) -> None:
    alone = run("analyze", "chain.json", "--json", "--schedule", "equal_weights:1,2")
    assert alone.returncode == 0 and json.loads(alone.stdout)["model"]["schedule_length"] == 1
    assert os.listdir() == ["chain.json"]
    both = told(capsys, "analyze", "chain.json", "--json", "--schedule", "equal_weights:1,2", "--out", "report")
    assert json.loads(both) == json.loads(alone.stdout)
    written = json.loads(Path("report/analysis.json").read_text())
    assert written.pop("checker")["accepted"] > 0  # certificates are written, and so replayed, with --out only
    assert written == json.loads(alone.stdout)


@pytest.mark.thorough
def test_the_command_that_reproduces_an_analysis_names_the_overrides(capsys: pytest.CaptureFixture[str]) -> None:
    Path("my chain.json").write_text(json.dumps(ONE))
    Path("π.json").write_text("[[1]]")
    given = ["--discount", "1/2", "--schedule", '{"lambdas": ["1/3", 0.5]}', "--policy", "π.json"]
    first = told(capsys, "analyze", "my chain.json", *given, "--json")
    command = json.loads(first)["reproduce"]
    words = shlex.split(command)
    assert words[:2] == ["tdcert", "analyze"] and set(given) <= set(words) and "'my chain.json'" in command
    assert told(capsys, *words[1:]) == first
    told(capsys, "analyze", "my chain.json", *given, "--out", "report")
    written = json.loads(Path("report/analysis.json").read_text())["reproduce"]
    assert shlex.split(written) == [word for word in words if word != "--json"]
    assert written in html.unescape(Path("report/index.html").read_text())
    Path("-x.json").write_text(json.dumps(ONE))
    dashed = told(capsys, "analyze", "--json", "--", "-x.json")
    assert told(capsys, *shlex.split(json.loads(dashed)["reproduce"])[1:]) == dashed != ""


@pytest.mark.thorough
@pytest.mark.parametrize("out", [None, "report"])
def test_large_matrices_are_named_with_their_hash(
    out: str | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import hashlib

    large = RationalMatrix([[Fraction(1, 2)] * 400] * 400)
    made = sample.analysis(classes=(replace(sample.class_facts(), A=large),))
    monkeypatch.setattr(tdcert.analysis.analyse, "analyse", lambda *_: made)
    assert cli.main(["analyze", "chain.json", "--json", *(["--out", out] if out else [])]) == 0
    named = json.loads(capsys.readouterr().out)["A"]
    content = (Path(out or ".") / named["file"]).read_bytes()
    assert hashlib.sha256(content).hexdigest() == named["sha256"] and json.loads(content) == [["1/2"] * 400] * 400


@pytest.mark.thorough
def test_a_claim_refuted_though_its_hypotheses_hold_exits_1(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AnalysisResult, "refuted", ("prop_4_1",))
    assert cli.main(["analyze", "chain.json"]) == 1
    assert Path("analysis-chain/index.html").is_file()


@pytest.mark.thorough
def test_check_of_a_report_checks_its_certificates_and_names_the_rest(capsys: pytest.CaptureFixture[str]) -> None:
    report = Path("reports/one")
    for name in ("certificates/prop_4_1", "matrices", "formal"):
        (report / name).mkdir(parents=True)
    (report / "certificates/prop_4_1/001-good.json").write_text(json.dumps(sample.certificate()))
    others = ["analysis.json", "formal/proofs.json", "matrices/A.json", "model.json"]
    for name in others:
        (report / name).write_text('{"format": "tdcert-analysis/1"}')
    for folder in ("reports/one", "reports"):
        assert cli.main(["check", folder]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[:-1] == [f"skipped, for it is not a certificate: {report / name}" for name in others]
        assert lines[-1].startswith(f"accepted: {report}/certificates/prop_4_1/001-good.json: ")
    assert cli.main(["check", "reports/one/certificates"]) == 0 and "skipped" not in capsys.readouterr().out
    (report / "certificates/prop_4_1/001-good.json").unlink()
    assert cli.main(["check", "reports"]) == cli.BAD_INPUT
    assert sentence(said := capsys.readouterr().err) and "no certificate, only analysis.json, proofs.json" in said
    (report / "analysis.json").unlink()  # now it is a folder of files like any other
    assert cli.main(["check", "reports"]) == 1 and capsys.readouterr().out.count("rejected: ") == 3


def test_check_replays_files_and_folders(capsys: pytest.CaptureFixture[str]) -> None:
    Path("c").mkdir()
    Path("c/good.json").write_text(json.dumps(sample.certificate()))
    assert cli.main(["check", "c"]) == cli.main(["check", "c/good.json"]) == 0
    assert capsys.readouterr().out.count("accepted: c/good.json: ") == 2
    Path("c/bad.json").write_text(json.dumps(sample.certificate(closed_set=(1,))))
    assert cli.main(["check", "c"]) == 1
    assert "rejected: c/bad.json: " in capsys.readouterr().out


def test_check_does_not_call_a_refusal_for_work_a_rejection(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from tdcert.theory.certificate import checker

    Path("good.json").write_text(json.dumps(sample.certificate()))
    Path("bad.json").write_text(json.dumps(sample.certificate(closed_set=(1,))))
    monkeypatch.setattr(checker.limits, "MAX_WORK", 0)
    assert cli.main(["check", "good.json"]) == 4
    assert "not checked: good.json: the work is estimated at 1 s or more" in capsys.readouterr().out
    assert cli.main(["check", "good.json", "--patient"]) == 0
    assert cli.main(["check", "--patient", "good.json", "bad.json"]) == 1
    assert [checker.overall(codes) for codes in ([0, 4, 1], [4, 0], [0, 0])] == [1, 4, 0]


def test_diff_names_changes_and_exits_1(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("old", "new"):
        Path(f"{name}.json").write_text(json.dumps(verdicts_document(sample.run())))
    assert cli.main(["diff", "old.json", "new.json"]) == 0
    changed = sample.verdicts()
    changed["claims"][1]["stated"]["status"] = "undecided"
    Path("new.json").write_text(json.dumps(verdicts_document(sample.run(changed))))
    assert cli.main(["diff", "old.json", "new.json"]) == 1
    assert capsys.readouterr().out == "no verdict changed\nweight_matrix_rows: stated holds → undecided\n"


def test_show_reads_the_report_or_decides(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    calls = decide_as(monkeypatch)
    assert cli.main(["show", "prop_4_1"]) == 0
    out = capsys.readouterr().out
    assert "decided just now" in out and "✓ holds" in out and "xᵀ A x ≤ -(1-κ) xᵀ C x < 0 for x ≠ 0" in out
    assert "The behaviour chain is aperiodic: not needed" in out
    assert len(calls) == 1 and calls[0][0] == ["prop_4_1"]
    assert cli.main(["verify"]) == 0
    capsys.readouterr()
    assert cli.main(["show", "thm_4_4_g_negative_definite"]) == 0
    out = capsys.readouterr().out
    assert "as decided in verification-report, seed 1" in out
    assert "[-√η C , A ; -Aᵀ , 0]" in out and "witness: x = (0, 1)" in out
    assert len(calls) == 2


@pytest.mark.thorough
def test_show_says_where_the_proof_lives_and_the_certificates_lie(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    decide_as(monkeypatch)
    assert cli.main(["show", "prop_4_1"]) == 0
    alone = capsys.readouterr().out
    assert cli.main(["verify"]) == 0
    capsys.readouterr()
    assert cli.main(["show", "prop_4_1"]) == 0
    out = capsys.readouterr().out
    for text in (alone, out):
        assert "in the paper: §4, A4.1" in text and "claims/dgb22/prop_4_1.py" in text
        assert re.search(r"theory/identities/\w+\.py: .*key_matrix_identity", text)
        assert "irreducible: needed; Two states, one absorbing" in text
    path = f"verification-report/{sample.FIRST}"
    assert path in out.split() and Path(path).is_file() and path not in alone
    assert "and 7 more" in out and "tdcert check verification-report/certificates/prop_4_1" in out


def test_show_of_an_open_claim_says_open_and_where_it_stands(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    row = replace(paper.entry("lemma_3_1"), module=None)
    monkeypatch.setattr(paper, "ENTRIES", tuple(row if entry.id == row.id else entry for entry in paper.ENTRIES))
    assert cli.main(["show", row.id]) == 0
    out = capsys.readouterr().out
    assert "○ open" in out and f"in the paper: {row.place}" in out and "not written yet" in out
    assert not re.search(r"[✓✗]|certificates|claims/", out)


def test_every_decided_claim_names_its_file_and_what_its_proof_calls() -> None:
    from tdcert.claims.paper import ENTRIES
    from tdcert.reports.provenance import provenance

    for entry in ENTRIES:
        where = provenance(entry)
        assert (where is None) == entry.is_open
        if where is not None:
            assert (ROOT / where.file).is_file()
            for file, names in where.calls:
                text = (ROOT / file).read_text(encoding="utf-8")
                assert all(f"def {name}(" in text for name in names)


@pytest.mark.parametrize("columns", [80, 120])
def test_tables_fit_the_terminal(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from tdcert.claims.paper import ENTRIES
    from tdcert.reports import analysis_terminal, terminal

    monkeypatch.setenv("COLUMNS", str(columns))
    document = sample.verdicts()
    document["claims"] = [{**document["claims"][2 + k % 3], "id": entry.id} for k, entry in enumerate(ENTRIES)]
    terminal.show_verification(sample.run(document), everything=True)
    answers = tuple(replace(sample.CLAIM_ANSWERS[k % 3], id=entry.id) for k, entry in enumerate(ENTRIES))
    analysis_terminal.show_analysis(sample.analysis(claims=answers), everything=True)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= columns
    for entry in ENTRIES:  # names are not broken: they are there to be copied
        assert sum(line.split()[:1] == [entry.id] for line in lines) == 2
    assert any("certified" in line for line in lines) and any("§4, A4.1" in line for line in lines) == (columns > 96)


@pytest.mark.thorough
def test_a_reader_that_goes_away_is_no_error() -> None:
    command = [sys.executable, "-m", "tdcert", "analyze", "chain.json", "--json"]
    process = subprocess.Popen(
        command,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout and process.stderr
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=60) == 0
    assert "Error" not in said and "Broken pipe" not in said


# Waits to be stopped in the middle of its work.
_WAITING = """
import sys, time
import tdcert.verification.verify
from tdcert.reports import cli

def verify(ids, profile, seed, on_progress, workers, paper):
    print("waiting", file=sys.stderr, flush=True)  # there is no progress off a terminal
    time.sleep(60)

tdcert.verification.verify.verify = verify
sys.exit(cli.main(["verify"]))
"""


@pytest.mark.thorough
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_run_cleans_up_and_says_so_in_one_line(number: signal.Signals) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", _WAITING],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr and "waiting" in process.stderr.readline()
    assert any(name.startswith(".verification-report.tdcert-") for name in os.listdir())
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130 and out == "" and sentence(err)
    assert os.listdir() == ["chain.json"]


def test_a_long_table_leaves_out_what_holds_as_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from tdcert.reports import terminal

    run = sample.run()
    holding = {claim.entry.id for claim in run.claims if claim.stated and claim.finding == "as_stated"}
    others = {claim.entry.id for claim in run.claims if claim.stated} - holding
    assert holding and others

    def named(everything: bool) -> set[str]:
        terminal.show_verification(run, everything)
        out = capsys.readouterr().out
        assert ("left out: --all prints them" in out) is (not everything and len(holding | others) > terminal.MOST_ROWS)
        return {line.split()[0] for line in out.splitlines() if line.strip()} & (holding | others)

    assert named(everything=False) == holding | others
    monkeypatch.setattr(terminal, "MOST_ROWS", len(holding | others) - 1)
    assert named(everything=False) == others and named(everything=True) == holding | others
