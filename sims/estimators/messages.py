"""The sentences of a trial of an estimator: what went wrong, where, and what is asked for instead."""

from __future__ import annotations

from tdcert.sims.estimators.cases import Call
from tdcert.sims.estimators.contract import Contract
from tdcert.sims.estimators.judging import WrongNumber
from tdcert.sims.trials import stops
from tdcert.sims.trials.stops import Stop
from tdcert.sims.trials.trial import Likeness
from tdcert.theory.words import counted

NOTHING = 1e-30
"""Bounds below this stand for underflow alone: every number that enters the estimate is zero."""


def asked_of(contract: Contract) -> str:
    """How the function is called."""
    names = [argument.name for argument in contract.arguments]
    return f"({', '.join(f'{name}=…' if contract.keywords else name for name in names)})"


def rows_of(call: Call) -> str:
    """How large the call is."""
    steps = counted(call.rows[0].row.steps, "step")
    return f"on {counted(len(call.rows), 'row')} of {steps}"


def parameters_of(call: Call) -> str:
    """The numbers of the call, where it has any."""
    shown = [f"{name} = {x}" for name, x in call.rows[0].parameters if not name.startswith("_")]
    return f", with {', '.join(shown)}" if shown else ""


def stopped(stop: Stop, contract: Contract, call: Call) -> str:
    """Why a run did not reach its end."""
    detail, where = stop.detail, rows_of(call)
    match stop.kind:
        case "signature":
            return (
                f"it takes {detail['takes']} and cannot be called as {asked_of(contract)} ({detail['text']}); name its "
                "arguments in the contract, in order"
            )
        case "output_missing":
            return (
                f"it returns a {detail['found']}, where the contract looks for {detail['name']} at {detail['where']!r} "
                f"({detail['text']}); say under returns where it is"
            )
        case "not_an_array" | "not_numbers":
            return f"its output '{detail['name']}' is of the type {detail['found']}; return an array of floats"
        case "shape":
            shape, asked = _shape(detail["found"]), _shape(detail["asked"])
            return (
                f"its output '{detail['name']}' has the shape {shape}, {where}; with axes = \"{contract.axes}\" it "
                f"must be {asked}"
            )
        case "changes_input":
            return f"it changes its argument '{detail['name']}', {where}; copy what is to be changed"
        case "not_deterministic":
            return (
                f"its output '{detail['output']}' differs when it is called again with the same arguments, {where}; "
                "keep no state and draw no random numbers"
            )
        case "not_run":
            return f"it is a {detail['found']}, so nothing in it is run; make it a plain function"
    jit = "say jit = true in the contract, or " if contract.library == "jax" and not contract.jit else ""
    where += parameters_of(call) if stop.kind == "raised" else ""
    instead = _instead(str(detail.get("text")).lower(), contract)
    return stops.stopped(stop, where, faster=jit, instead=instead)


def _instead(text: str, contract: Contract) -> str:
    """What may help where it raises this."""
    if contract.library == "numpy" and "tensor" in text:
        return "; if it takes tensors, say so with --library torch, or in the contract"
    if "cuda" in text or "device" in text:
        return "; if it needs a device, give an adapter that moves the arrays"
    return ""


def _shape(shape: list[int]) -> str:
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def differs(contract: Contract, call: Call, difference: WrongNumber, like: Likeness | None) -> str:
    """An estimate outside of its bound; the mistake it looks like, if one fits."""
    found = "not a number" if difference.found != difference.found else f"{difference.found:.10g}"
    name = {"advantages": "the advantage", "targets": "the target", "returns": "the return", "errors": "the error"}
    slack = f" (rounding explains {difference.allowed:.1g})" if difference.allowed > NOTHING else ""
    sentence = (
        f"{name[difference.output]} at t = {difference.place} is {found} {rows_of(call)}, where {difference.right} is "
        f"right{slack}"
    )
    return like.added_to(sentence, "rows") if like else sentence
