"""From a file or a text to a JSON tree whose numbers are exact, or one sentence why not."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

from tdcert.theory.errors import InputError
from tdcert.theory.files.limits import MAX_BYTES
from tdcert.theory.files.numerals import exact, quoted
from tdcert.theory.limits import beyond, raised


def read_document(path: str | Path) -> Any:
    """The JSON tree of a UTF-8 file: objects, lists, strings, true, false, null, and exact numbers.

    Raises :class:`InputError` for a file that is missing, no file, not readable, longer than
    :data:`MAX_BYTES`, not text, or not JSON.
    """
    return parse_document(read_text(path), quoted(str(path), limit=300))


def read_text(path: str | Path, kind: str = "JSON") -> str:
    """The content of a UTF-8 file; errors as in :func:`read_document`, but for what the file holds, its ``kind``."""
    what = quoted(str(path), limit=300)
    most = raised(MAX_BYTES)
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            content = b"" if size > most else file.read(most + 1)
    except FileNotFoundError:
        raise InputError(f"there is no file {what}; give the path of a {kind} file") from None
    except IsADirectoryError:
        raise InputError(f"{what} is a directory; give the path of a {kind} file") from None
    except PermissionError:
        raise InputError(f"no permission to read {what}; make it readable or give another file") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL byte in the path
        raise InputError(f"{what} cannot be read ({one_line(error)}); give the path of a {kind} file") from None
    if max(size, len(content)) > most:
        said = f"{what} is larger than {most // 1024**2} MiB; give a smaller model"
        raise InputError(beyond(said, max(size, len(content)) / MAX_BYTES))
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{what} is not UTF-8 text (byte {error.start}); give a {kind} file") from None


def parse_document(text: str, what: str) -> Any:
    """The JSON tree of a text; ``what`` names it in messages."""
    if not text.strip():
        raise InputError(f"{what} is empty; give a JSON document")
    try:
        return json.loads(
            text, parse_int=exact, parse_float=exact, parse_constant=exact, object_pairs_hook=_distinct_keys
        )
    except json.JSONDecodeError as error:
        raise InputError(
            f"{what} is not valid JSON at line {error.lineno}, column {error.colno} ({one_line(error.msg)}); "
            "is it complete?"
        ) from None
    except RecursionError:
        raise InputError(f"{what} is nested too deeply to be a model; give lists of rows at most") from None
    except MemoryError:
        raise InputError(f"{what} does not fit into memory; give a smaller model") from None
    except InputError as error:
        raise InputError(f"{what}: {error}") from None


def one_line(error: object) -> str:
    """The text of somebody else's error on one line, at most 160 characters."""
    text = " ".join(str(error).split())
    return text if len(text) <= 160 else text[:159] + "…"


def _distinct_keys(pairs: list[tuple[str, Any]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) < len(pairs):
        twice = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        raise InputError(f"the key {quoted(twice)} is given twice in one object; give it once")
    return made
