"""Why a run did not reach its end, and the sentences that say so."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tdcert.sims.trials.place import CodePlace
from tdcert.theory.errors import InputError


@dataclass(frozen=True)
class Stop:
    """Why a run did not reach its end: ``kind`` and ``detail`` as the worker names them, or ``hangs``, ``exits``.

    ``mode``, ``case``, ``step``: where it was, as the room counts; step ``worker.FOUND`` before the first call.
    """

    kind: str
    detail: Mapping[str, Any]
    mode: str
    case: int
    step: int


def cannot_load(place: CodePlace, stop: Stop, printed: tuple[int, str], python: str | None) -> str:
    """Why a run ended before the code was found; ``python``: another one than this."""
    name, detail = place.kind.upper(), stop.detail
    match stop.kind:
        case "module_missing":
            return f"there is no module '{place.module}'; run from its folder, or give path/to/file.py:{place.qualname}"
        case "missing":
            others = ", ".join(detail["others"])
            none = f" and defines no {place.kind} at its top level; give MODULE:{name}"
            return f"{place.holder} has no {place.kind} '{place.qualname}'{f'; it has {others}' if others else none}"
        case "other_kind":
            kind = detail["found"]
            return f"'{place.qualname}' of {place.holder} is of the type {kind}; give the name of a {place.kind}"
        case "import_failed":
            relative = "relative import" in detail["text"]
            instead = f"a module of a package as MODULE:{name}" if relative else "a module that imports without error"
            elsewhere = place.kind == "function" and python is None and "No module named" in detail["text"]
            python_too = ", or with --python a Python that has what it imports" if elsewhere else ""
            return f"{place.holder} cannot be imported ({detail['text']}); give {instead}{python_too}"
        case "hangs":
            return f"{place.holder} was not imported within {detail['limit']:g} s; give a longer --time-limit"
    if python is not None and printed[0]:
        return f"{python} ended before the {place.kind} was called ('{printed[1]}'); give a Python that has NumPy"
    said = f", after printing '{printed[1]}'" if printed[0] else ""
    return f"the process ended while importing {place.holder}{said}; give a module that imports without ending Python"


def stopped(stop: Stop, where: str, *, faster: str = "", instead: str = "") -> str:
    """What the code did ``where`` it was called: raise, hang, or end its process.

    ``faster``: what to do besides giving it more time; ``instead``: what may help where it raises.
    """
    match stop.kind:
        case "raised":
            return f"it raises {stop.detail['text'].rstrip('.')}, {where}{instead}"
        case "hangs":
            return (
                f"it had not ended after {stop.detail['limit']:g} s, {where}; if it is slow rather than stuck, {faster}"
                "give a longer --time-limit"
            )
    return f"it ended the process ({_exit(stop.detail['code'])}), {where}"


def _exit(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"


def refuse_undecided(place: CodePlace, stop: Stop, sentence: str, under: str = "") -> None:
    """Raises :class:`InputError` where the time was up before anything was wrong: that decides nothing."""
    if stop.kind == "hangs":
        raise InputError(f"{place.label} is not decided{under}: {sentence}")
