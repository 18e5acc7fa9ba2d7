"""Documents as bytes: JSON that reads well, certificates, and files of their own for large matrices."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from math import isfinite
from typing import Any

from tdcert.theory.certificate import write
from tdcert.theory.certificate.shelf import FiledCertificate

Document = Mapping[str, Any]
"""What JSON holds, read."""
Row = dict[str, Any]
"""What JSON is to hold, as it is written."""

LARGEST_INLINE = 100_000
"""Matrices with more entries go to a file of their own."""


@dataclass(frozen=True)
class Checked:
    """What the independent checker said: how many it accepted, why it rejected the rest, how long it took."""

    accepted: int = 0
    rejected: tuple[str, ...] = ()
    seconds: float = 0.0

    def counts(self) -> Row:
        """The counts that documents carry; the time is not a result."""
        return {"accepted": self.accepted, "rejected": list(self.rejected)}


def fields_of(value: Any, *names: str) -> Row:
    """These fields of a dataclass, or all of them, as JSON: tuples are lists there, and what is nested is a row too."""
    return {name: _plain(getattr(value, name)) for name in names or [field.name for field in fields(value)]}


def _plain(value: Any) -> Any:
    if isinstance(value, Fraction):
        return str(value)
    if hasattr(value, "__dataclass_fields__"):
        return fields_of(value)
    if isinstance(value, Mapping):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, float) and not isfinite(value):
        return None  # JSON has no infinities
    return [_plain(entry) for entry in value] if isinstance(value, tuple | list) else value


def shell_command(name: str, source: str, options: Mapping[str, str | None]) -> str:
    """The command that makes a document again, as a shell reads it."""
    given = [word for option, value in options.items() if value is not None for word in (f"--{option}", value) if word]
    behind = source.startswith("-")  # it would read as an option
    return shlex.join(["tdcert", name, *([*given, "--", source] if behind else [source, *given])])


def certificate_files(certificates: Iterable[FiledCertificate]) -> dict[str, bytes]:
    """Certificates as the independent checker reads them; a model that several are about is written out once."""
    listed = list(certificates)
    models = {id(model): model for model in (kept.body["model"] for kept in listed)}
    texts = {key: write.value_text(model) for key, model in models.items()}
    return {kept.path: write.text(kept.body, texts[id(kept.body["model"])]).encode("ascii") for kept in listed}


def json_bytes(document: Document) -> bytes:
    """A document as ASCII JSON, its format first, one line for each list of plain values."""
    ordered = {"format": document["format"], **document} if "format" in document else dict(document)
    return (pretty(ordered) + "\n").encode("ascii")


def with_side_files(document: Document, prefix: str) -> tuple[Row, dict[str, bytes]]:
    """The document with each matrix of more than 100,000 entries replaced by ``{"file", "sha256", "shape"}``.

    ``prefix`` stands before every file's name, as the document names it.
    """
    side_files: dict[str, bytes] = {}

    def walk(value: Any, path: tuple[str, ...]) -> Any:
        if isinstance(value, dict):
            return {key: walk(entry, (*path, str(key))) for key, entry in value.items()}
        if not isinstance(value, list):
            return value
        shape = shape_of(value)
        if shape is None:
            return [walk(entry, (*path, str(index))) for index, entry in enumerate(value)]
        if _entries(shape) <= LARGEST_INLINE or not all(map(_is_number, _entries_of(value))):
            return value
        name = prefix + "-".join(path) + ".json"
        content = (json.dumps(value, allow_nan=False) + "\n").encode("ascii")
        side_files[name] = content
        return {"file": name, "sha256": hashlib.sha256(content).hexdigest(), "shape": list(shape)}

    return walk(dict(document), ()), side_files


def shape_of(value: list[Any]) -> tuple[int, ...] | None:
    """(n,) or (n, m) for lists of plain values or equally long lists of them; None for anything else."""
    if not value:
        return None
    if all(isinstance(entry, str | int | None) for entry in value):
        return (len(value),)
    if not all(isinstance(entry, list) and entry and len(entry) == len(value[0]) for entry in value):
        return None
    if all(isinstance(x, str | int | None) for entry in value for x in entry):
        return (len(value), len(value[0]))
    return None


def _is_number(entry: object) -> bool:
    return not isinstance(entry, str) or entry[:1].isdigit() or entry[:1] == "-"


def _entries_of(value: list[Any]) -> list[Any]:
    return [x for row in value for x in row] if isinstance(value[0], list) else value


def _entries(shape: tuple[int, ...]) -> int:
    return shape[0] * (shape[1] if len(shape) > 1 else 1)


def pretty(value: Any, indent: str = "") -> str:
    """JSON with one line for each list of plain values: matrices read as matrices."""
    deeper = indent + "  "
    if isinstance(value, dict) and value:
        items = [f"{json.dumps(str(key))}: {pretty(entry, deeper)}" for key, entry in value.items()]
        return "{\n" + ",\n".join(deeper + item for item in items) + "\n" + indent + "}"
    if isinstance(value, list | tuple) and any(isinstance(entry, dict | list | tuple) for entry in value):
        return "[\n" + ",\n".join(deeper + pretty(entry, deeper) for entry in value) + "\n" + indent + "]"
    return json.dumps(value, allow_nan=False)
