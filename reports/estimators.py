"""An estimator on trial, as the terminal shows it and as ``tdcert-estimator-trial/1`` holds it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, Final, Literal

import numpy as np
from msgspec import Meta

from tdcert.reports.conform import SIGNS, Float, as_float
from tdcert.sims.estimators.calls import arguments_of, dtype_of
from tdcert.sims.estimators.cases import Call
from tdcert.sims.estimators.contract import STEP, STEP_AND_LAST, Contract
from tdcert.sims.estimators.layout import unplaced
from tdcert.sims.estimators.trial import ASKED, EstimatorTrial, RowFailure
from tdcert.sims.trials.trial import Status
from tdcert.theory.document_types import Count, filled, plain
from tdcert.theory.errors import InputError

FORMAT: Final = "tdcert-estimator-trial/1"


@dataclass(frozen=True, kw_only=True)
class EstimatorPropertyDocument:
    """A property, and how much was compared."""

    id: str
    statement: str
    status: Status
    rows: Count
    numbers: Count


@dataclass(frozen=True, kw_only=True)
class EstimateDifferenceDocument:
    """One estimate that is wrong: the entry `t` of an output's row."""

    output: Literal["returns", "advantages", "targets", "errors"]
    t: Count
    found: Float
    right: Fraction
    allowed: Annotated[float, Meta(ge=0)]


@dataclass(frozen=True, kw_only=True)
class EstimatorFailureDocument:
    """What fails first."""

    property: str
    sentence: str
    mistake: str | None
    """A known one that it looks like, or null."""
    difference: EstimateDifferenceDocument | None
    table: str | None
    """The smallest failing row, in Markdown."""
    script: str | None
    """Python that shows the failure without tdcert."""


@dataclass(frozen=True, kw_only=True)
class ContractDocument:
    """The outcome under one contract, and what the contract says."""

    contract: str
    """Its name or file."""
    conforms: bool
    precision: Literal["float16", "float32", "float64"]
    whole_up_to: Count
    """All patterns up to so many steps were tried."""
    arguments: dict[str, str]
    axes: Literal["T", "TB", "BT", "T1", "TB1", "BT1"]
    boundaries: Literal["single", "same-step", "next-step"]
    truncation: Literal["bootstrap", "as_termination", "never"]
    end: Literal["bootstrap", "zero"]
    library: Literal["numpy", "torch", "jax", "list"]
    properties: tuple[EstimatorPropertyDocument, ...]
    failure: EstimatorFailureDocument | None
    notes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class EstimatorDocument:
    """The outcome of a trial of a return estimator: docs/formats.md."""

    format: Literal["tdcert-estimator-trial/1"] = FORMAT
    function: str
    estimator: str
    seed: Count
    conforms: bool
    """Whether it satisfies one of the contracts."""
    grade: Literal["consistent"] | None
    contracts: Annotated[tuple[ContractDocument, ...], Meta(min_length=1)]
    reproduce: str


def document(
    trials: Sequence[EstimatorTrial], given: Sequence[str], time_limit: float | None, options: Mapping[str, str | None]
) -> EstimatorDocument:
    """The outcome under each contract. ``given``: contracts as they were named; ``options``: ``python`` and
    ``library``, for the command.
    """
    first, conforms = trials[0], any(trial.conforms for trial in trials)
    return EstimatorDocument(
        function=first.target,
        estimator=first.contract.estimator,
        seed=first.seed,
        conforms=conforms,
        grade="consistent" if conforms else None,
        contracts=tuple(_of_contract(trial, name) for trial, name in zip(trials, given, strict=True)),
        reproduce=reproduce(trials, given, time_limit, options),
    )


def _of_contract(trial: EstimatorTrial, given: str) -> ContractDocument:
    contract = trial.contract
    return filled(
        ContractDocument,
        contract,
        contract=given,
        conforms=trial.conforms,
        precision=trial.precision,
        whole_up_to=trial.whole,
        arguments={a.name: f"{'not ' if a.negated else ''}{a.holds}" for a in contract.arguments},
        properties=tuple(
            EstimatorPropertyDocument(
                id=x.shows, statement=ASKED[x.shows], status=x.status, rows=x.tried, numbers=x.compared
            )
            for x in trial.answers
        ),
        failure=trial.failure and _failure(contract, trial.target, trial.failure),
        notes=trial.notes,
    )


def _failure(contract: Contract, target: str, failure: RowFailure) -> EstimatorFailureDocument:
    x, shown = failure.difference, failure.call and failure.returned
    return EstimatorFailureDocument(
        property=failure.shows,
        sentence=failure.sentence,
        mistake=failure.mistake,
        difference=None if x is None else filled(EstimateDifferenceDocument, x, t=x.place, found=as_float(x.found)),
        table=markdown(contract, failure) if shown else None,
        script=script(contract, target, failure) if shown and failure.line is None else None,
    )


def reproduce(
    trials: Sequence[EstimatorTrial], given: Sequence[str], time_limit: float | None, options: Mapping[str, str | None]
) -> str:
    """The command that does it again; ``time_limit``: None where the function ran elsewhere."""
    words = ["tdcert", "conform", *([] if time_limit is None else [trials[0].target])]
    words += ["--estimator", trials[0].contract.estimator]
    for name in given:
        words += ["--contract", name]
    words += ["--seed", str(trials[0].seed)]
    words += ["--answers", trials[0].target] if time_limit is None else ["--time-limit", f"{time_limit:g}"]
    for name, value in options.items():
        words += [f"--{name}", value] if value else []
    return shlex.join(words)


def columns(contract: Contract, failure: RowFailure) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """What the failing row holds: numbers of the call; per entry the arguments, what was returned, what is right."""
    call, returned = failure.call, failure.returned
    assert call is not None and returned is not None
    case = call.rows[failure.row]
    single = Call(call.shows, (case,), call.dtype)
    scalars: dict[str, Any] = {}
    per_entry: dict[str, list[str]] = {}
    for argument, value in arguments_of(contract, single):
        if argument.extent in (STEP, STEP_AND_LAST) and isinstance(value, np.ndarray):
            per_entry[argument.name] = [f"{x:.6g}" for x in unplaced(contract, value)[0]]
        else:
            scalars[argument.name] = np.asarray(value).ravel().tolist() if isinstance(value, np.ndarray) else value
    for name, found in returned.items():
        per_entry[f"{name}, returned"] = [f"{x:.10g}" for x in found]
        per_entry[f"{name}, right"] = [str(case.exact[name][t]) if t >= 0 else "–" for t in case.places(contract)]
    return scalars, per_entry


def markdown(contract: Contract, failure: RowFailure) -> str:
    """The smallest failing row as a table that can be pasted into an issue."""
    scalars, per_entry = columns(contract, failure)
    length = max(len(found) for found in per_entry.values())
    lines = [
        f"| t | {' | '.join(per_entry)} |",
        f"|{'---|' * (len(per_entry) + 1)}",
    ]
    for t in range(length):
        cells = [found[t] if t < len(found) else "" for found in per_entry.values()]
        lines.append(f"| {t} | {' | '.join(cells)} |")
    shown = ", ".join(f"{name} = {_plain(value)}" for name, value in scalars.items())
    beside = len(failure.call.rows) - 1 if failure.call else 0
    rest = f" (row {failure.row}; it takes the {beside} other rows of the call, which the script has)" if beside else ""
    return "\n".join([*([f"with {shown}{rest}", ""] if shown or rest else []), *lines])


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return _plain(value[0]) if len(value) == 1 else f"({', '.join(map(_plain, value))})"
    return f"{value:.6g}"


IMPORTS = {
    "numpy": ("import numpy as np", "np.array({}, dtype=np.{})"),
    "torch": ("import torch", "torch.tensor({}, dtype=torch.{})"),
    "jax": (
        "import jax; jax.config.update('jax_enable_x64', True); import jax.numpy as jnp",
        "jnp.array({}, dtype='{}')",
    ),
    "list": ("", "{}"),
}


BY_NAME = "(found[{0!r}] if hasattr(found, 'keys') else found.{0})"
"""An output by its key or its attribute."""


def script(contract: Contract, target: str, failure: RowFailure) -> str:
    """A few lines that show the failure without tdcert, run in the folder that the function was named from."""
    call = failure.call
    assert call is not None
    place, _, name = target.rpartition(":")
    library, array = IMPORTS[contract.library]
    lines = [library] if library else []
    if place.endswith(".ipynb"):
        lines.append(f"function = {name}  # in a cell of {place}")
    elif place.endswith(".py"):
        lines += ["import runpy", f"function = runpy.run_path({place!r})[{name!r}]"]
    else:
        top = name.split(".")[0]
        lines += [f"from {place} import {top}", f"function = {name}"]
    names = []
    for argument, value in arguments_of(contract, call):
        dtype = dtype_of(contract, argument, call.dtype)
        if isinstance(value, np.ndarray):
            kind = {"bool": bool, "int64": int}.get(dtype, float)
            text = array.format(
                value.astype(kind).tolist(), "bool_" if (dtype, contract.library) == ("bool", "numpy") else dtype
            )
        else:
            text = repr(value)
        names.append((argument.name, text))
    given = "\n    ".join(f"{name}={text}," if contract.keywords else f"{text},  # {name}" for name, text in names)
    lines.append(f"found = function(\n    {given}\n)")
    difference = failure.difference
    assert difference is not None
    where = contract.returns[difference.output]
    taken = "found" if where == "whole" else (f"found[{where}]" if isinstance(where, int) else BY_NAME.format(where))
    case = call.rows[failure.row]
    right = ", ".join(str(x) for x in case.exact[difference.output])
    lines.append(f"print({taken})  # right{f' in row {failure.row}' if len(call.rows) > 1 else ''}: {right}")
    return "\n".join(lines) + "\n"


def summary(trial: EstimatorTrial, given: str) -> str:
    """The verdict under one contract in a line, and what failed in another."""
    name = f"{trial.target} as {trial.contract.estimator} under the contract {given}"
    if trial.failure is None:
        kept = "" if trial.precision == "float64" else f", to {trial.precision}"
        return f"{name} conforms, within the bound on rounding{kept}."
    return f"{name} does not conform.\nFirst failure: {trial.failure.sentence}."


def tried_whole(trial: EstimatorTrial) -> str:
    """Up to which length no pattern was left out."""
    least = trial.contract.shortest
    if trial.whole < least:
        return "Of the patterns of short rows a part was drawn; "
    steps = f"up to {trial.whole}" if least == 1 else f"{least} to {trial.whole}"
    return f"All patterns of {steps} steps were tried; beyond that, "


def show(
    trials: Sequence[EstimatorTrial], given: Sequence[str], time_limit: float | None, options: Mapping[str, str | None]
) -> None:
    """Under each contract the properties, the verdict, and the smallest row that shows a failure, with a script."""
    from rich.text import Text

    from tdcert.reports.terminal import emit, table
    from tdcert.reports.terminal import show as say

    for trial, name in zip(trials, given, strict=True):
        rows = []
        for answer in trial.answers:
            sign, style = SIGNS[answer.status]
            status = Text(f"{sign} {answer.status.replace('_', ' ')}", style=style)
            rows.append(
                (ASKED[answer.shows], status, f"{answer.tried:,}" if answer.tried else "–", f"{answer.compared:,}")
            )
        say(table("Property", "", ">Rows", ">Numbers", rows=rows))
        say(Text(summary(trial, name), style="green" if trial.conforms else "red"))
        if trial.failure and trial.failure.returned:
            contract = trial.contract
            emit(f"\n{markdown(contract, trial.failure)}\n")
            line = trial.failure.line
            if line is None:
                emit(f"\nTo see it without tdcert:\n\n{_indented(script(contract, trial.target, trial.failure))}\n")
            else:
                row = f", row {trial.failure.row} of the call" if contract.batched else ""
                emit(f"\nIt is on line {line} of the rows{row}.\n\n")
        say(*(Text(f"note: {note}") for note in trial.notes))
        if trial.conforms:
            say(Text(f"{tried_whole(trial)}agreement on finitely many rows is evidence, not proof.", style="dim"))
    if len(trials) > 1:
        kept = [name for trial, name in zip(trials, given, strict=True) if trial.conforms]
        say(
            Text(f"It satisfies {', '.join(kept)} of {len(given)} contracts." if kept else "It satisfies none of them.")
        )
    emit(f"{reproduce(trials, given, time_limit, options)}\n")


def _indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


def contracts_text() -> str:
    """The contracts that ship, one per line, with what they are about."""
    import tomllib

    from tdcert.sims.estimators.contract import shipped, text_of
    from tdcert.theory.model.estimators import FORWARD

    lines = []
    for name in shipped():
        found = tomllib.loads(text_of(name))
        tables = [key for key in found if key in FORWARD]
        lines.append(f"{name}: {found.get('about', '')} ({', '.join(tables)})")
    return "\n".join(lines) + "\n"


def command(
    target: str,
    estimator: str,
    contracts: Sequence[str],
    *,
    seed: int,
    time_limit: float,
    options: Mapping[str, str | None],
    json: bool,
) -> bool:
    """``tdcert conform TARGET --estimator …``; whether the function conforms under one of the contracts."""
    from tdcert.reports import terminal
    from tdcert.reports.cli.app import print_text
    from tdcert.reports.documents import json_bytes
    from tdcert.sims.estimators.trial import put_estimator_on_trial

    if not contracts:
        raise InputError(
            "--estimator needs a --contract: a name (tdcert conform --contracts lists them) or a file; "
            "docs/estimators.md shows how to write one"
        )
    with terminal.progress(f"running {target}"):
        found = put_estimator_on_trial(
            target,
            estimator,
            contracts,
            seed=seed,
            time_limit=time_limit,
            python=options["python"],
            library=options["library"],
        )
    if json:
        print_text(json_bytes(plain(document(found, contracts, time_limit, options))).decode("ascii"))
    else:
        show(found, contracts, time_limit, options)
    return any(trial.conforms for trial in found)
