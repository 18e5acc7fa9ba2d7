"""Code that ran elsewhere on trial: ``tdcert conform`` with ``--rows`` and ``--answers``."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tdcert.reports import conform, estimators
from tdcert.reports.cli.app import DONE, print_text
from tdcert.reports.documents import json_bytes
from tdcert.reports.terminal import emit
from tdcert.sims.conformance.trial import judge_paths, trajectories_elsewhere
from tdcert.sims.estimators.contract import load_contract
from tdcert.sims.estimators.trial import judge_answers, rows_elsewhere
from tdcert.sims.trials.trial import check_limits
from tdcert.theory.document_types import plain
from tdcert.theory.errors import InputError
from tdcert.theory.words import counted


@dataclass(frozen=True)
class CodeElsewhere:
    """What the code is meant to be: an algorithm, or an ``estimator`` under one of ``contracts``; and the options:
    ``kinds`` has ``schedules``, ``discounts`` and ``sampling`` of an algorithm's trajectories.
    """

    held_to: str
    estimator: bool
    contracts: Sequence[str]
    kinds: Mapping[str, str | None]
    seed: int

    def __post_init__(self) -> None:
        check_limits(self.seed, 1.0)
        if self.estimator and len(self.contracts) != 1:
            given = "none is given" if not self.contracts else f"{len(self.contracts)} are given"
            raise InputError(f"--rows and --answers are about one --contract, and {given}; give one")

    @property
    def options(self) -> str:
        """The options as they are typed."""
        if self.estimator:
            words = ["--estimator", self.held_to, "--contract", self.contracts[0]]
        else:
            words = ["--algorithm", self.held_to]
            for name, given in self.kinds.items():
                words += [f"--{name}", given] if given not in (None, "path") else []
        return shlex.join([*words, "--seed", str(self.seed)])


def write(asked: CodeElsewhere, file: str) -> int:
    """Writes the questions, and says how they are answered."""
    if asked.estimator:
        questions = rows_elsewhere(load_contract(asked.contracts[0], asked.held_to), asked.seed)
    else:
        kinds: Any = asked.kinds
        questions = trajectories_elsewhere(asked.held_to, **kinds, seed=asked.seed)[0]
    questions.write(file)
    kinds = ("call",) if asked.estimator else ("trajectory", "trajectories")
    what = counted(len(questions.asked), *kinds)
    emit(
        f"{file} holds {what}. Let your code write a line for each, and judge them:\n"
        f"tdcert conform {asked.options} --answers answers.jsonl\n"
    )
    return DONE


def judge(asked: CodeElsewhere, file: str, json: bool) -> bool:
    """Judges the answers and prints the outcome; whether they conform."""
    if asked.estimator:
        trial = judge_answers(file, asked.held_to, asked.contracts[0], seed=asked.seed)
        if json:
            print_text(json_bytes(plain(estimators.document([trial], asked.contracts, None, {}))).decode("ascii"))
        else:
            estimators.show([trial], asked.contracts, None, {})
        return trial.conforms
    kinds: Any = asked.kinds
    found = judge_paths(file, asked.held_to, **kinds, seed=asked.seed)
    if json:
        print_text(json_bytes(plain(conform.document(found, None))).decode("ascii"))
    else:
        conform.show(found, None)
    return found.conforms
