"""No option is ignored: each has an effect, or is refused in one sentence, in every command and mode.

What does the work is replaced by a recorder. An option has an effect where the recorded call, what is printed, what is
written or the exit code differs from the same command without it.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import fields, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typer.main

import tdcert.analysis.sampled
import tdcert.sweeps.run
import tdcert.verification.verify
from tdcert.reports import cli, terminal
from tdcert.reports.documents import Checked
from tdcert.sims.conformance.trial import Conformance
from tdcert.sims.estimators.contract import load_contract
from tdcert.sims.estimators.trial import EstimatorTrial
from tdcert.theory.limits import TIMES
from tdcert.theory.samples.sampled_model import SampledModel
from tdcert.theory.workers import inline
from tests.reports import sample
from tests.reports.test_cli import decide_as, sentence
from tests.sweeps import tiny

MODEL = {
    "format": "tdcert-model/1",
    "transitions": {"left": [[0.5, 0.5], [1, 0]], "right": [[0.25, 0.75], [0.5, 0.5]]},
    "rewards": [0, 1],
    "discount": 0.9,
    "behaviour": [[0.25, 0.75], [0.5, 0.5]],
    "target": [[0.5, 0.5], [0.25, 0.75]],
}
PANELS = {"Model", "Questions", "Figures", "Output", "Questions about an estimator"}
GIVEN: dict[str, dict[str, list[str]]] = {
    "analyze": {
        "json": [], "out": ["there"], "arithmetic": ["enclosed"], "bits": ["80"], "discount": ["0.5"],
        "schedule": ["n_step:3"], "features": ["features.json"], "policy": ["uniform"], "target": ["uniform"],
        "limits": ["3"], "simulate": [], "seed": ["7"], "what": ["claims"], "steps": ["0.3"], "ratio": ["3"],
        "updates": ["50"],
        "runs": ["5"], "quantiles": ["0.2,0.3"], "candidates": ["n_step:5"], "lambda_sweep": [], "png": [],
        "robustness": ["target"],
        "for_all": ["gamma"],
        "phase_diagram": [],
        "algorithms": ["td"], "phase_x": ["step"], "phase_y": ["step"], "phase_step": ["0.25"],
        "phase_algorithms": ["tdrc"], "budget": ["3"], "everything": [], "format": ["tdcert-analysis/1"],
        "quiet": [], "sampling": ["independent"], "sampling_law": ["1,3"], "interest": ["1,2"],
    },
    "certify": {
        "ratio": ["3"], "theta0": ["1,2"], "json": [], "out": ["there"], "discount": ["0.5"], "schedule": ["n_step:3"],
        "features": ["features.json"], "policy": ["uniform"], "target": ["uniform"], "limits": ["3"],
    },
    "check": {"patient": [], "algorithm": ["td"], "quiet": []},
    "conform": {
        "algorithm": ["gtd"], "schedules": ["n_step"], "discounts": ["constant"], "sampling": ["independent"],
        "seed": ["7"], "time_limit": ["9"],
        "json": [], "estimator": ["gae"], "contract": ["replay-ring"], "contracts": [],
        "print_contract": ["replay-ring"], "python": ["python"], "library": ["torch"],
        "rows": ["rows.jsonl"], "answers": ["answers.jsonl"],
    },
    "samples": {
        "algorithms": ["etd"], "target": ["uniform"], "features": ["features.json"], "schedule": ["n_step:3"],
        "terminal": ["1"], "start": ["0"], "rewards": ["0,2"], "aggregated": [], "estimate": [], "json": [],
        "limits": ["3"], "out": ["there"],
    },
    "sweep": {
        "out": ["there"], "workers": ["3"], "scheduler": ["tcp://here:1"], "budget": ["90s"], "json": [], "quiet": [],
    },
    "verify": {
        "profile": ["quick"], "out": ["there"], "seed": ["7"], "workers": ["3"], "everything": [], "quiet": [],
        "paper": ["dgb22"],
    },
}  # fmt: skip
"""A value of each option that is not its default."""
REQUIRED = {
    "certify": "model.json --algorithm gtd --steps 2,100 --within 0.1 --probability 0.9",
    "check": "certificate.json",
    "samples": "log.csv --states 2 --actions 2 --delta 0.1 --discount 1 --policy policy.json",
    "sweep": "spec.toml",
}
MODES = [
    *("analyze model.json", "analyze model.json --algorithms td", "analyze model.json --algorithms td --simulate"),
    *("analyze model.json --algorithms td --json", "certify", "check", "conform class.py:TD --algorithm td"),
    *("conform class.py:f --estimator gae --contract cleanrl-done", "sweep", "verify prop_4_1"),
]
MORE = ["verify", "samples"] + [
    f"analyze model.json {mode}"
    for mode in (
        "--simulate", "--steps 0.1", "--steps 2,100", "--steps largest", "--steps 0.1 --simulate", "--what verdict",
        "--what verdict --phase-diagram", "--phase-diagram", "--phase-diagram --phase-x lambda",
        "--arithmetic exact", "--arithmetic sparse", "--json", "--quiet", "--algorithms all --quiet",
        "--algorithms td --steps 0.1",
    )
]  # fmt: skip


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sketched: None) -> list[Any]:
    """The calls of what does the work, in a folder with a model."""
    monkeypatch.chdir(tmp_path)
    Path("model.json").write_text(json.dumps(MODEL))
    Path("features.json").write_text("[[1, 2], [2, 1]]")
    Path("certificate.json").write_text(json.dumps(sample.certificate()))
    Path("spec.toml").write_text(tiny.spec_text())
    Path("policy.json").write_text("[[0.25, 0.75], [0.5, 0.5]]")
    steps = "".join(f"{s},{a},1,{1 - s}\n" for s, a in ((0, 0), (1, 1), (0, 1), (1, 0)) * 5)
    Path("log.csv").write_text("states,actions,rewards,next_states\n" + steps)
    monkeypatch.setitem(sys.modules, "tdcert.sweeps.questions", SimpleNamespace(question_of=tiny.question_of))
    calls: list[Any] = []

    def replaced(where: str, answer: Callable[..., Any]) -> None:
        def called(*given: Any, **named: Any) -> Any:
            calls.append((where, TIMES.get(), [_told(x) for x in given], {name: _told(x) for name, x in named.items()}))
            return answer(*given, **named)

        monkeypatch.setattr(f"tdcert.{where}", called)

    @contextmanager
    def progress(first: str, quiet: bool = False) -> Iterator[Any]:
        calls.append(("progress", quiet))
        yield lambda done, total, what: None

    monkeypatch.setattr(terminal, "progress", progress)
    analysed = sample.analysis()
    replaced("analysis.analyse.analyse", lambda loaded, on_progress, request: analysed)
    replaced("analysis.certify.certify", lambda *given: None)
    monkeypatch.setattr("tdcert.reports.certify.certificate", lambda found: None)
    monkeypatch.setattr("tdcert.reports.certify.document", lambda *given: {"format": "none", "why": "recorded"})
    monkeypatch.setattr("tdcert.reports.certify.lines", lambda *given: "recorded\n")
    conforms = Conformance("x", "td", "any", "any", "path", 0, "path_by_path", ())
    replaced("sims.conformance.trial.put_on_trial", lambda *given, **named: conforms)
    contract = load_contract("cleanrl-done", "gae")
    tried = EstimatorTrial("x", contract, 0, (), None, 5, "float64")
    replaced("sims.estimators.trial.put_estimator_on_trial", lambda _, kind, names, **named: (tried,) * len(names))
    replaced("theory.certificate.checker.answer", lambda path, patient: (0, f"{path}: accepted"))
    monkeypatch.setattr("tdcert.reports.proved_checker.proved_checker", nullcontext)  # it knows no such sentence
    decide_as(monkeypatch)  # six claims, of which one holds as printed
    replaced("verification.verify.verify", tdcert.verification.verify.verify)
    run = tdcert.sweeps.run.run
    replaced("sweeps.run.run", lambda folder, engine, *given: run(folder, inline))
    replaced("analysis.sampled.confident", tdcert.analysis.sampled.confident)
    replaced("reports.analysis_report.written_analysis", lambda *given: Checked())
    monkeypatch.setattr("tdcert.reports.verification_page.verification_files", lambda *given: {"index.html": b""})
    monkeypatch.setattr(terminal, "MOST_ROWS", 1)
    cli.register("")
    command: Any = typer.main.get_command(cli.app)  # built once, and not for each call
    command.registered_commands = cli.app.registered_commands
    monkeypatch.setattr(cli, "app", command)
    return calls


def _told(value: Any) -> str:
    """An argument in words that the same argument has in every run."""
    if hasattr(value, "command"):
        return repr(replace(value, command=None))
    model = getattr(value, "model", value)
    if isinstance(model, SampledModel):  # its own words do not tell its policies, features and schedule
        return ", ".join(_told(getattr(model, part.name)) for part in fields(model))
    return re.sub(r" at 0x\w+|<function .*?>", "", repr(getattr(model, "digest", value)))


def outcome(words: list[str], calls: list[Any], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, Any]:
    """Exit code, what was complained of, and everything else that can be seen."""
    calls.clear()
    capsys.readouterr()
    before = set(os.listdir())
    code = cli.main(words)
    out, err = capsys.readouterr()
    made = sorted(set(os.listdir()) - before)
    for name in made:
        os.rename(name, f"../{len(os.listdir('..'))}-{name}")
    return code, err, (out, made, [str(call) for call in calls])


def ignored(mode: str, calls: list[Any], capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Options of a mode that change nothing and are not refused."""
    command, *rest = mode.split()
    start = [command, *REQUIRED.get(command, "").split(), *rest]
    registered: Any = cli.app
    options = {p.name: p.opts[0] for p in registered.commands[command].params if p.opts[0].startswith("--")}
    tried = {name: flag for name, flag in options.items() if flag not in start}
    plain = outcome(start, calls, capsys)
    assert plain[0] == 0, plain
    found = []
    for name, flag in tried.items():
        seen = outcome([*start, flag, *GIVEN[command][name]], calls, capsys)
        if seen[0] == cli.BAD_INPUT:
            assert sentence(seen[1]) and not seen[2][2], seen
            assert flag in seen[1] or name in seen[1] or "axes" in seen[1], seen
        elif seen == plain:
            found.append(flag)
    return found


@pytest.mark.parametrize("mode", [*MODES, *(pytest.param(mode, marks=pytest.mark.thorough) for mode in MORE)])
def test_every_option_has_an_effect_or_is_refused(
    mode: str, recorded: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert ignored(mode, recorded, capsys) == []


def test_help_shows_every_option_in_a_panel() -> None:
    for name, command in typer.main.get_command(cli.app).commands.items():  # type: ignore[attr-defined]
        options = [one for one in command.params if one.param_type_name == "option" and one.name != "help"]
        assert {getattr(one, "rich_help_panel", None) for one in options} <= PANELS, name
