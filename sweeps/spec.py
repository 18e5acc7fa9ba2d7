"""What a sweep is: a TOML file, read into :class:`Spec`.

    format = "tdcert-sweep/1"
    name = "garnet-margins"        # names the folder and the page, nothing else
    kind = "survey"                # or "refute", "experiment", "stability"
    seed = 1
    count = 1_000_000              # indices 0 … count − 1, each with a random stream of its own
    shard = 10_000                 # indices in one task and one Parquet file

Every other key holds a table (or a list of tables) and belongs to the question. Decimals in them are
kept as the text that stands there, so that 0.9 is 9/10 and not the nearest double.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias, TypedDict, cast, get_args

from tdcert.theory.document_types import Count, Positive, pattern
from tdcert.theory.errors import InputError
from tdcert.theory.files.load import load_model

FORMAT: Final = "tdcert-sweep/1"
Kind: TypeAlias = Literal["refute", "survey", "experiment", "stability"]
KINDS: tuple[Kind, ...] = get_args(Kind)
MOST_SHARDS = 1_000_000
"""Their files carry six digits; so many files in one folder is as far as file systems stay pleasant."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_LARGEST = {"seed": 2**64, "count": 2**63, "shard": 2**63}


class SpecDocument(TypedDict):
    """The spec of a sweep, read from TOML: docs/sweeps.md. Other keys hold a table, or a list of tables, of the
    question.
    """

    format: Literal["tdcert-sweep/1"]
    name: Annotated[str, pattern(f"^{_NAME.pattern}$")]
    kind: Kind
    seed: Count
    count: Positive
    shard: Positive


_KEYS = tuple(SpecDocument.__annotations__)


@dataclass(frozen=True)
class Spec:
    """A sweep, valid once built: raises :class:`InputError` for anything that is not as described.

    ``name``: a file name of letters, digits, dots, dashes. ``kind``: one of :data:`KINDS`. ``seed``: 0 … 2⁶⁴ − 1.
    ``count`` ≥ 1 indices, cut into shards of ``shard`` ≥ 1 (the last may be shorter), at most 10⁶ of them.
    ``question``: the tables of the file, as JSON values; what they mean is the question's affair.
    """

    name: str
    kind: str
    seed: int
    count: int
    shard: int
    question: Mapping[str, Any]

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not _NAME.fullmatch(self.name):
            raise InputError(f"the sweep's name is {self.name!r}; give at most 64 letters, digits, dots and dashes")
        if self.kind not in KINDS:
            raise InputError(f"the sweep's kind is {self.kind!r}; give one of {', '.join(KINDS)}")
        for key, least in (("seed", 0), ("count", 1), ("shard", 1)):
            value = getattr(self, key)
            if type(value) is not int or not least <= value < _LARGEST[key]:
                raise InputError(f"the sweep's {key} is {value!r}; give an integer of at least {least}")
        if self.shards > MOST_SHARDS:
            least_shard = -(-self.count // MOST_SHARDS)
            raise InputError(
                f"{self.count:,} indices in shards of {self.shard:,} make {self.shards:,} files, and {MOST_SHARDS:,} "
                f"are the most; give a shard of at least {least_shard:,}"
            )

    @cached_property
    def digest(self) -> str:
        """SHA-256 of what decides the meaning of an index: kind, seed and question.

        Not the name, and neither ``count`` nor ``shard``: a longer sweep, or one cut otherwise, finds the same at
        the same index. Files of updates count by their content, not by their folder.
        """
        meaning = {"format": FORMAT, "kind": self.kind, "seed": self.seed, "question": _by_content(self.question)}
        return hashlib.sha256(canonical(meaning).encode("ascii")).hexdigest()

    @property
    def shards(self) -> int:
        """How many shards there are."""
        return -(-self.count // self.shard)

    def indices(self, number: int) -> tuple[int, int]:
        """The first index of a shard, and how many it holds. Raises ValueError for a number that is none."""
        if not 0 <= number < self.shards:
            raise ValueError(f"there is no shard {number} among {self.shards}")
        first = number * self.shard
        return first, min(self.shard, self.count - first)

    def document(self) -> SpecDocument:
        """The sweep as JSON, in the keys of the file; :func:`spec_of` reads it back."""
        plain = {key: getattr(self, key) for key in _KEYS if key != "format"}
        return cast(SpecDocument, {"format": FORMAT, **plain, **self.question})


def read_spec(path: str | Path) -> Spec:
    """The sweep a TOML file describes. Raises :class:`InputError` naming the file and what is wrong with it."""
    try:
        text = Path(path).read_bytes().decode("utf-8")
        document = tomllib.loads(text, parse_float=lambda digits: digits.replace("_", ""))
    except (OSError, ValueError) as error:  # a path with NUL, letters that are not UTF-8, bad TOML
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(f"the sweep '{path}' cannot be read ({reason}); give the path of a TOML file") from None
    try:
        return spec_of(inlined(document, Path(path).parent))
    except InputError as error:
        raise InputError(f"in '{path}': {error}") from None


def inlined(document: Mapping[str, Any], folder: Path) -> Mapping[str, Any]:
    """The document with the model file that its ``[experiment]`` names replaced by the model's canonical form, and the
    files of updates that its tables name by their full paths, with their digests.

    Paths are relative to ``folder``. Raises :class:`InputError` for a file that is not a model or cannot be read.
    """
    found = {**document}
    for kind in KINDS:
        table = document.get(kind)
        if isinstance(table, Mapping):
            if "sources" in table:
                raise InputError(f"'sources' of [{kind}] is made from the files that algorithms names; leave it out")
            found[kind] = {**table, **_with_files(table.get("algorithms"), folder)}
    experiment = found.get("experiment")
    if not isinstance(experiment, Mapping) or not isinstance(experiment.get("model"), str):
        return found
    place = experiment["model"]
    try:
        model = load_model(folder / place).model
    except OSError as error:
        raise InputError(f"the model '{place}' cannot be read ({error.strerror}); give a model file") from None
    return {**found, "experiment": {**experiment, "model": model.canonical}}


def _with_files(algorithms: object, folder: Path) -> dict[str, object]:
    """``algorithms`` with the paths of files made absolute, and ``sources``: their digests, by these paths; nothing
    where no file is named.
    """
    found, sources = list[Any](), dict[str, str]()
    listed: list[Any] = algorithms if isinstance(algorithms, list) else [algorithms]
    for words in listed:
        place = _file(words)
        if not place:
            found.append(words)
            continue
        file = (folder / place).resolve()
        try:
            sources[str(file)] = hashlib.sha256(file.read_bytes()).hexdigest()
        except OSError as error:
            raise InputError(f"'{place}' cannot be read ({error.strerror}); give FILE.py:NAME") from None
        found.append(f"{file}{words[len(place) :]}")
    return {"algorithms": found, "sources": sources} if sources else {}


def _file(words: Any) -> str:
    """FILE.py of ``FILE.py:NAME[option=value]``, empty for other words."""
    return words.partition("[")[0].rpartition(":")[0] if isinstance(words, str) else ""


def _by_content(question: Mapping[str, Any]) -> Mapping[str, Any]:
    """The question with the digests of files in the place of their paths."""
    found = dict(question)
    for kind in KINDS:
        table = question.get(kind)
        if isinstance(table, Mapping) and isinstance(table.get("sources"), Mapping):
            sources, given = table["sources"], table["algorithms"]
            named = [x.replace(_file(x), sources[_file(x)], 1) if _file(x) in sources else x for x in given]
            found[kind] = {**{key: table[key] for key in table if key != "sources"}, "algorithms": named}
    return found


def spec_of(document: Mapping[str, Any]) -> Spec:
    """The sweep that a document, TOML or JSON, describes. Raises :class:`InputError`."""
    if document.get("format") != FORMAT:
        raise InputError(f'the sweep\'s format is {document.get("format")!r}; its first line is format = "{FORMAT}"')
    for key in _KEYS:
        if key not in document:
            raise InputError(f"the sweep has no '{key}'; give {', '.join(_KEYS)} and the question's tables")
    question = {key: value for key, value in document.items() if key not in _KEYS}
    for key, value in question.items():
        if not isinstance(value, dict | list) or (isinstance(value, list) and not all(map(_is_table, value))):
            raise InputError(f"the sweep has an unknown key '{key}'; beside tables it has only {', '.join(_KEYS)}")
        _refuse_dates(key, value)
    return Spec(**{key: document[key] for key in _KEYS if key != "format"}, question=question)


def canonical(value: Any) -> str:
    """ASCII JSON with sorted keys and no spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _is_table(value: Any) -> bool:
    return isinstance(value, dict)


def _refuse_dates(where: str, value: Any) -> None:
    if isinstance(value, dict):
        for key, entry in value.items():
            _refuse_dates(f"{where}.{key}", entry)
    elif isinstance(value, list):
        for entry in value:
            _refuse_dates(where, entry)
    elif not isinstance(value, str | int):
        raise InputError(f"the sweep's '{where}' is {value}; give a number, a text, true or false")
