"""Files that a sweep names become part of it: what decides an index must not lie outside the spec."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tdcert.theory.errors import InputError
from tdcert.theory.files.load import load_model


def inlined(document: Mapping[str, Any], folder: Path) -> Mapping[str, Any]:
    """The document with the model file that its ``[experiment]`` names replaced by the model's canonical form.

    Paths are relative to ``folder``. Raises :class:`InputError` for a file that is no model.
    """
    table = document.get("experiment")
    if not isinstance(table, Mapping) or not isinstance(table.get("model"), str):
        return dict(document)
    try:
        model = load_model(folder / table["model"]).model
    except OSError as error:
        raise InputError(f"the model '{table['model']}' cannot be read ({error.strerror}); give a model file") from None
    return {**document, "experiment": {**table, "model": model.canonical}}
