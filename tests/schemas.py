"""Every document that a test writes is held against its schema; :func:`watched` sees to it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator

EARLIER = ("tdcert-analysis/1", "tdcert-updates/1")
"""Of the last release, which has their schemas."""

LARGEST_ARCHIVE = 100_000
"""Bytes of the largest archive whose numbers are looked at one by one."""


def names() -> list[str]:
    """Those that ship, as files are called: ``tdcert-model-1`` for ``tdcert-model/1``."""
    return sorted(path.name.removesuffix(".json") for path in (files("tdcert.reports") / "schemas").iterdir())


@cache
def validator(name: str) -> Draft202012Validator:
    schema = json.loads((files("tdcert.reports") / "schemas" / f"{name}.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def faults(document: Mapping[str, Any]) -> list[str]:
    """What is wrong with a document, place by place; empty where it is as its format's schema says."""
    if document["format"] in EARLIER:
        return []
    name = str(document["format"]).replace("/", "-")
    plain = json.loads(json.dumps(document))  # enumerations and tuples as they are written
    return [f"{error.json_path}: {error.message[:300]}" for error in validator(name).iter_errors(plain)]


def archive(path: str | Path) -> dict[str, Any]:
    """An archive as the object that its schema speaks of."""
    with np.load(path, allow_pickle=False) as arrays:
        return {name: arrays[name].tolist() for name in arrays.files}


def require(document: Mapping[str, Any]) -> None:
    found = faults(document)
    assert found == [], f"{document['format']}: {found[:5]}"


@contextmanager
def watched() -> Iterator[None]:
    """While this is open, whatever is written in this process is validated first."""
    from tdcert.reports import documents
    from tdcert.theory.certificate import write
    from tdcert.theory.files import npz
    from tdcert.theory.formal.record import Record

    def checking(whole: Any, written: Any) -> Any:
        def instead(*given: Any, **options: Any) -> Any:
            document = whole(*given)
            if document is not None and "format" in document:
                require(document)
            return written(*given, **options)

        return instead

    def of_archive(path: str | Path, *given: Any, **options: Any) -> None:
        save(path, *given, **options)
        if Path(path).stat().st_size < LARGEST_ARCHIVE:
            require(archive(path))

    save = npz.save_npz
    with pytest.MonkeyPatch.context() as patch:
        top = lambda value, indent="": value if not indent and isinstance(value, dict) else None  # noqa: E731
        patch.setattr(documents, "pretty", checking(top, documents.pretty))
        patch.setattr(write, "text", checking(lambda certificate, *_: certificate, write.text))
        patch.setattr(Record, "text", checking(Record.document, Record.text))
        patch.setattr(npz, "save_npz", of_archive)
        try:
            from tdcert.sweeps.folder import SweepFolder
        except ImportError:  # sweeps are an extra
            pass
        else:
            patch.setattr(
                SweepFolder, "_write_manifest", checking(lambda _, manifest: manifest, SweepFolder._write_manifest)
            )
        yield
