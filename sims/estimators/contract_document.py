"""The file of a contract as a type, for its schema: made from the tables that :mod:`.contract` reads it by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import GenericAlias
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, defstruct

from tdcert.sims.estimators.contract import CHOICES, FLAGS, FORMAT, HOLDS, LONGEST, OUTPUTS, RANGES
from tdcert.theory.document_types import Count
from tdcert.theory.model.estimators import FORWARD


def contract_file() -> type[Struct]:
    """The type of a whole file: keys of all estimators, and a table for each estimator."""
    common: dict[str, object] = {
        "about": str,
        "sources": list[str],
        **{key: _one_of(words) for key, words in CHOICES.items()},
        "dtypes": Annotated[list[Literal["float64", "float32"]], Meta(min_length=1)],
        "jit": bool,
        "keywords": bool,
        "above_zero": list[Literal["gamma", "lambda"]],
        "shortest": Annotated[int, Meta(ge=1, le=LONGEST)],
    }
    held = _one_of([*HOLDS, *(f"not {flag}" for flag in sorted(FLAGS))])
    arguments = Annotated[GenericAlias(dict, (str, held)), Meta(min_length=1)]  # type: ignore[valid-type]
    fixed = _table("Fixed", {}, {name: _fixed(name) for name in RANGES})
    tables = {}
    for estimator in FORWARD:
        returns = _table(f"{estimator}_returns", {}, dict.fromkeys(OUTPUTS[estimator], Count | str))
        one = Annotated[returns, Meta(extra_json_schema={"minProperties": 1})]  # type: ignore[valid-type]
        tables[estimator] = _table(estimator, {"arguments": arguments, "returns": one}, {**common, "fixed": fixed})
    return _table("ContractFile", {"format": _one_of([FORMAT])}, {**common, **tables})


def _one_of(words: Iterable[str]) -> object:
    return Annotated[str, Meta(extra_json_schema={"enum": list(words)})]


def _fixed(name: str) -> object:
    least, most, _ = RANGES[name]
    return Annotated[float, Meta(ge=least, le=most)] | str


def _table(name: str, required: Mapping[str, object], optional: Mapping[str, object]) -> type[Struct]:
    """A type with these keys. (A keyword of Python is no name of a field: it has an underscore behind it there.)"""
    fields: list[tuple[str, object] | tuple[str, object, object]] = [(f"{key}_", x) for key, x in required.items()]
    fields += [(f"{key}_", x, UNSET) for key, x in optional.items()]
    return defstruct(name, fields, rename={f"{key}_": key for key in (*required, *optional)}, kw_only=True)
