"""How transitions come, of a document and of what is beside it: along a path, or drawn independently from a law.

``sampling``: ``"path"`` (the default) or ``"independent"``; ``sampling_law``: a weight for each state, as of a replay
buffer, divided by their sum; without it, independent draws are from the stationary law of the behaviour policy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from os import PathLike
from typing import Any

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.errors import InputError, by_shape, short
from tdcert.theory.files.given import array_file, kind_of, tree
from tdcert.theory.files.loaded import LoadedModel
from tdcert.theory.files.numerals import quoted
from tdcert.theory.files.overrides import OverrideError, Overrides

PATH, INDEPENDENT = "path", "independent"
FILES = (".json", ".csv", ".npy")


def with_sampling(loaded: LoadedModel, overrides: Overrides, document: Mapping[str, Any] | None = None) -> LoadedModel:
    """The model with its transitions drawn as the ``document`` says, and what is given beside it, which comes first.

    Raises :class:`InputError` for another word, a law of another length, and a law without independent draws.
    """
    own = document or {}
    kind, law = _kind(own.get("sampling"), "sampling"), own.get("sampling_law")
    _require_both(kind, law)
    for key in own.keys() & {"sampling", "sampling_law"}:
        if own[key] is None or (key == "sampling_law" and not isinstance(law, list)):
            what = f'"{INDEPENDENT}" or "{PATH}"' if key == "sampling" else "a list of numbers, one for each state"
            raise InputError(f"{key} is {kind_of(own[key])}; give {what}, or leave the key out")
    try:
        beside = _kind(overrides.sampling, "sampling")
        if beside is not None:
            kind, law = beside, law if beside == INDEPENDENT else None
        law = law if overrides.sampling_law is None else overrides.sampling_law
        _require_both(kind, law)
        if kind != INDEPENDENT:
            return loaded
        model = loaded.model.drawn_independently(None if law is None else _law(law, loaded))
    except InputError as error:
        given = overrides.sampling is not None or overrides.sampling_law is not None
        raise OverrideError(str(error)) if given else error from None
    return replace(loaded, model=model)


def _kind(value: Any, where: str) -> str | None:
    if value is not None and value not in (PATH, INDEPENDENT):
        raise InputError(f'{where} is {kind_of(value)}; give "{INDEPENDENT}", or "{PATH}", as it is by default')
    return None if value is None else str(value)


def _require_both(kind: str | None, law: Any) -> None:
    if law is not None and kind != INDEPENDENT:
        raise InputError(f'sampling_law is the law of independent draws; give sampling "{INDEPENDENT}" too')


def _law(value: Any, loaded: LoadedModel) -> RationalMatrix:
    """The weights of the states that are kept, divided by their sum."""
    where, n = "sampling_law", loaded.all_states or loaded.model.n
    weights, where = weights_of(value, n, where), _where(value, where)
    total = sum(weights, start=Fraction(0))
    kept = loaded.state_numbers or tuple(range(n))
    lost = next((s for s, weight in enumerate(weights) if weight and s not in kept), None)
    if lost is not None:
        raise InputError(
            f"{where} draws state {lost}, which cannot be reached and is no part of the model; give it zero"
        )
    if total != 1:
        loaded.notes.append(f"{where}: the weights are divided by their sum, {short(total)}")
    return RationalMatrix.column([weights[s] / total for s in kept])


def _where(value: Any, where: str) -> str:
    """The name of what is given, with that of its file."""
    in_file = isinstance(value, str | PathLike) and str(value).endswith(FILES)
    return f"{where} in {quoted(str(value))}" if in_file else where


def weights_of(value: Any, n: int, where: str) -> list[Fraction]:
    """A weight for each state, dropped ones among them: a list or an array, text with commas, or a file.

    Raises :class:`InputError` for another shape, for one that is negative, and where all are zero.
    """
    named = _where(value, where)
    if isinstance(value, str | PathLike):
        text = str(value)
        value = array_file(text) if text.endswith(FILES) else text.split(",")
    found = tree(value, named)
    if len(found.shape) > 2 or (len(found.shape) == 2 and 1 not in found.shape):
        raise InputError(f"{named} has shape {by_shape(found.shape)}; give {n} numbers, one for each state")
    if not found.shape:
        raise InputError(f"{named} is one number; give {n} numbers, one for each state")
    rows = found.values if len(found.shape) == 1 else [x for row in found.values for x in row]
    if len(rows) != n:
        raise InputError(f"{named} has {len(rows) or 'no'} weights; give {n} numbers, one for each state")
    weights = list(map(Fraction, rows))
    if (least := min(weights)) < 0 or not any(weights):
        what = f"holds {short(least)}" if least < 0 else "holds zeros alone"
        raise InputError(f"{named} {what}; give weights that are not negative, one of them positive")
    return weights
