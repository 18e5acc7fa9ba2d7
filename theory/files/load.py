"""The one entrance: a path, a text, ``gymnasium:ID`` or ``example:NAME``, and what a user gives beside it."""

from __future__ import annotations

from pathlib import Path

from tdcert.theory.errors import InputError
from tdcert.theory.files.document import parse_document, read_document
from tdcert.theory.files.examples import PREFIX as EXAMPLE
from tdcert.theory.files.examples import load_example
from tdcert.theory.files.gym import PREFIX, load_environment
from tdcert.theory.files.loaded import LoadedModel
from tdcert.theory.files.model_file import model_from_document
from tdcert.theory.files.npz import LoadedSparse, load_npz
from tdcert.theory.files.numerals import quoted
from tdcert.theory.files.overrides import OverrideError, Overrides


def load_model(source: str | Path, overrides: Overrides | None = None) -> LoadedModel:
    """The model in a ``tdcert-model/1`` file, of an environment ``gymnasium:ID``, or that ships, ``example:NAME``.

    Raises :class:`InputError`, always one sentence on one line, for anything that is not a valid model.
    """
    given = overrides or Overrides()
    if isinstance(source, str) and source.startswith(PREFIX):
        return load_environment(source, given)
    if isinstance(source, str) and source.startswith(EXAMPLE):
        return load_example(source, given)
    document = read_document(source)
    try:
        return model_from_document(document, given, str(source))
    except OverrideError:
        raise
    except InputError as error:
        raise InputError(f"{quoted(str(source), limit=300)}: {error}") from None


def load_any(source: str | Path, overrides: Overrides | None = None) -> LoadedModel | LoadedSparse:
    """The model that :func:`load_model` reads, or that of an archive of arrays, whose path ends in ``.npz``.

    Raises :class:`InputError` as :func:`load_model` does.
    """
    if str(source).endswith(".npz") and not str(source).startswith((PREFIX, EXAMPLE)):
        return load_npz(source, overrides)
    return load_model(source, overrides)


def loads_model(text: str, overrides: Overrides | None = None) -> LoadedModel:
    """The model that a ``tdcert-model/1`` document prints; errors as in :func:`load_model`."""
    return model_from_document(parse_document(text, "the model"), overrides or Overrides(), "text")
