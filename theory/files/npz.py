r"""Sparse or dense models in a NumPy archive: ``.npz``, format ``tdcert-model-npz/1`` (docs/formats.md).

Only headers are read before sizes, types and memory have been looked at; no pickled object is ever loaded. Floats
are read as the binary fractions that they are, integers with denominators beside them as exact fractions, rows as their
exact quotients by their sums (:mod:`tdcert.theory.model.sparse_model`).
"""

from __future__ import annotations

import io
import os
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from pathlib import Path
from typing import IO, Any, NoReturn

import numpy as np
import scipy
from numpy.lib import format as npy

from tdcert.theory.arithmetic.sparse_products import LARGEST_DEPTH
from tdcert.theory.errors import InputError, by_shape
from tdcert.theory.files.interest import interest_of
from tdcert.theory.files.limits import TABULAR_STATES
from tdcert.theory.files.numerals import exact, quoted, require_name, unit_number
from tdcert.theory.files.overrides import OverrideError, Overrides, both_policies
from tdcert.theory.files.schedule_forms import schedule_from_text, schedule_option
from tdcert.theory.limits import beyond, raised
from tdcert.theory.model.episodes import require_restart, said_of_ends, tabular_rows
from tdcert.theory.model.schedule import MAX_LENGTH, Schedule
from tdcert.theory.model.sparse_model import Ratios, SparseModel

FORMAT = "tdcert-model-npz/1"
WORKING_BLOCKS = 6
"""Blocks of 16 columns that an analysis holds at once, beside the features and the transitions."""
WORKING_VECTORS = 90
"""Vectors of n floats that it holds: a Krylov basis, twice, and what surrounds it."""

_PARTS = ("data", "indices", "indptr")
_OPTIONAL = {"name", "actions", "behaviour", "target", "features", "schedule", "lambdas", "terminal", "interest"}

_OVER = "_denominator"
"""What follows the name of an array of integers in that of its denominators."""

Header = tuple[tuple[int, ...], Any]
"""Shape and dtype of an array of the archive."""


@dataclass(frozen=True)
class LoadedSparse:
    """A sparse model with its provenance, as :class:`tdcert.theory.files.loaded.LoadedModel` has it for exact ones."""

    model: SparseModel
    defaults_used: list[str]
    notes: list[str]
    source: str
    replaced_features: tuple[int, ...] = ()
    features_by_function: bool = False


def load_npz(path: str | Path, overrides: Overrides | None = None, memory: int | None = None) -> LoadedSparse:
    """The model in an ``.npz`` archive, completed or overridden as by the command line.

    ``memory``: bytes that its analysis may take (default: the machine's). Raises :class:`InputError`, one sentence, for
    anything that is not a valid model, and, from the headers alone, for sizes that need more.
    """
    try:
        given = overrides or Overrides()
        if given.sampling is not None or given.sampling_law is not None:
            raise InputError("independent draws are asked of models in exact numbers; give a .json file, or arrays")
        return _read(path, given, memory, str(path))
    except FileNotFoundError:
        raise InputError(f"{quoted(str(path), limit=300)} does not exist; give the path of a model file") from None
    except (OSError, zipfile.BadZipFile):
        raise InputError(f"{quoted(str(path), limit=300)} is not a NumPy archive; write it with numpy.savez") from None
    except OverrideError:
        raise
    except InputError as error:
        raise InputError(f"{quoted(str(path), limit=300)}: {error}") from None


def loads_npz(arrays: Mapping[str, Any], overrides: Overrides, source: str) -> LoadedSparse:
    """The model that an archive of these arrays would hold."""
    made = io.BytesIO()
    np.savez(made, allow_pickle=False, **arrays)
    return _read(made, overrides, None, source)


def _read(place: str | Path | IO[bytes], overrides: Overrides, memory: int | None, source: str) -> LoadedSparse:
    with zipfile.ZipFile(place) as archive:
        reader = _ArchiveReader(archive, overrides)
        reader.require_memory(memory or _memory_of_the_machine())
        model = reader.model()
    notes = [*overrides.said, *reader.notes]
    replaced = tuple(reader.replaced_features)
    return LoadedSparse(model, reader.defaults_used, notes, source, replaced, overrides.features_by_function)


def csr_parts(stem: str, P: Any) -> dict[str, object]:
    """The arrays of one action's transitions in an archive."""
    return {f"{stem}_{part}": getattr(P, part) for part in _PARTS}


def save_npz(path: str | Path, model: SparseModel) -> None:
    """Write a model as ``tdcert-model-npz/1``."""
    arrays: dict[str, Any] = {"format": FORMAT} | _stored(model, "rewards") | _stored(model, "features")
    constant = isinstance(model.discount, Fraction)
    arrays |= {"discount": str(model.discount)} if constant else _stored(model, "discount")
    arrays["schedule"] = schedule_option(model.schedule)
    if model.interest is not None:
        arrays["interest"] = ",".join(map(str, model.interest))
    if model.name:
        arrays["name"] = model.name
    many = len(model.actions) > 1
    if many:
        arrays |= {"actions": list(model.actions)} | _stored(model, "behaviour") | _stored(model, "target")
    for a, P in enumerate(model.transitions):
        stem = f"transitions_{a}" if many else "transitions"
        arrays |= csr_parts(stem, P)
        if exact := model.ratios.get(f"transitions_{a}"):
            arrays |= {f"{stem}_data": exact.p, f"{stem}_data{_OVER}": exact.q}
    np.savez(path, **arrays)


def _stored(model: SparseModel, key: str) -> dict[str, object]:
    exact = model.ratios.get(key)
    return {key: getattr(model, key)} if exact is None else {key: exact.p, key + _OVER: exact.q}


def memory_estimate(n: int, entries: int, d: int, m: int) -> int:
    """Bytes that an analysis takes: transitions twice (with their transpose or mixture), features, blocks, vectors."""
    transitions = 2 * (12 * entries + 8 * n)
    return transitions + 8 * n * (d + 16 * WORKING_BLOCKS + WORKING_VECTORS + 4 * m)


class _ArchiveReader:
    def __init__(self, archive: zipfile.ZipFile, overrides: Overrides) -> None:
        self.archive, self.overrides = archive, overrides
        self.headers = _headers(archive)
        self.defaults_used: list[str] = []
        self.notes: list[str] = []
        self.replaced_features: list[int] = []
        self.ratios: dict[str, Ratios] = {}
        if "format" not in self.headers or self.text("format") != FORMAT:
            raise InputError(f"the array 'format' is missing or unknown; give format='{FORMAT}'")
        self.actions = self.names("actions") if "actions" in self.headers else ("only",)
        m = len(self.actions)
        self.stems = ["transitions"] if m == 1 else [f"transitions_{a}" for a in range(m)]
        known = {"format", "rewards", "discount", *_OPTIONAL, *self.stems}
        known |= {f"{stem}_{part}" for stem in self.stems for part in _PARTS}
        fractions = {"rewards", "discount", "behaviour", "target", "features", "lambdas", *self.stems}
        fractions |= {f"{stem}_data" for stem in self.stems}
        known |= {key + _OVER for key in fractions & self.headers.keys()}
        for key in self.headers:
            if key not in known:
                raise InputError(f"unknown array {quoted(key)}; docs/formats.md lists the arrays of a model")
        if "rewards" not in self.headers:
            raise InputError("the array 'rewards' is missing; a model needs it")
        self.sizes = [self.size_of(stem) for stem in self.stems]
        self.n = self.sizes[0][0]
        for stem, (n, _) in zip(self.stems, self.sizes, strict=True):
            if n != self.n or not 1 <= n <= LARGEST_DEPTH:
                raise InputError(f"{stem} has {n} states; give the same number for every action, 1 to {LARGEST_DEPTH}")

    def size_of(self, stem: str) -> tuple[int, int]:
        """States and entries of one action's matrix, from headers."""
        parts = [f"{stem}_{part}" for part in _PARTS]
        if stem in self.headers:
            if any(part in self.headers for part in parts):
                raise InputError(f"{stem} is given both dense and sparse; give one of them")
            shape = self.headers[stem][0]
            if len(shape) != 2 or shape[0] != shape[1]:
                raise InputError(f"{stem} has shape {by_shape(shape)}; give a square matrix, states × states")
            return shape[0], shape[0] * shape[0]
        for part in parts:
            if part not in self.headers:
                raise InputError(f"the array '{part}' is missing; give {stem}, or {', '.join(parts)} (CSR)")
            if len(self.headers[part][0]) != 1:
                raise InputError(f"{part} has shape {by_shape(self.headers[part][0])}; give a one-dimensional array")
        return self.headers[parts[2]][0][0] - 1, self.headers[parts[0]][0][0]

    def require_memory(self, available: int) -> None:
        """Refuse, before anything large is read, what does not fit."""
        beside = None if self.overrides.tabular else self.overrides.features
        stored = self.headers["features"][0] if "features" in self.headers else ()
        d = stored[-1] if stored else self.n if beside is None else 1
        if isinstance(beside, np.ndarray):
            d = beside.shape[-1] if beside.ndim == 2 else 1
        needed = memory_estimate(self.n, sum(size for _, size in self.sizes), d, len(self.actions))
        for key in (key.removesuffix(_OVER) for key in self.headers if key.endswith(_OVER)):
            needed += 16 * prod(self.headers[key][0])
        if "features" not in self.headers and beside is None and self.n > raised(TABULAR_STATES):
            said = (
                f"the array 'features' is missing, and tabular features of {self.n} states are "
                f"{8 * self.n**2 / 2**30:.1f} GiB; give n×d features (optional up to {raised(TABULAR_STATES)} states)"
            )
            raise InputError(beyond(said, self.n / TABULAR_STATES))
        if needed > available:
            raise InputError(
                f"the analysis of {self.n} states, {sum(size for _, size in self.sizes)} transitions and {d} features "
                f"takes about {needed / 2**30:.1f} GiB, and {available / 2**30:.1f} GiB are there; give a smaller "
                "model or fewer features"
            )

    def model(self) -> SparseModel:
        n, m = self.n, len(self.actions)
        transitions = tuple(self.transitions(stem, n, f"transitions_{a}") for a, stem in enumerate(self.stems))
        rewards = self.floats("rewards", "rewards")
        if m == 1 and rewards.shape == (n,):
            rewards = rewards.reshape(n, 1)
            if exact := self.ratios.get("rewards"):
                self.ratios["rewards"] = exact[:, None]
        behaviour, target = self.policies(n, m)
        terminal = self.terminal(n)
        discount, Phi, schedule = self.discount(terminal), self.features(n, terminal), self.schedule()
        name = self.text("name") if "name" in self.headers else ""
        given = (self.actions, transitions, rewards, discount, behaviour, target, Phi, schedule, name, self.ratios)
        model = SparseModel(*given, interest=interest_of(self.interest(), self.overrides, n))
        for s in terminal:
            for P in model.transitions:
                into = P.indices[P.indptr[s] : P.indptr[s + 1]].tolist()
                require_restart(f"s{s}", into, model.rewards[s].tolist(), terminal)
        return model

    def interest(self) -> Any:
        """What stands for the interest in each state, floats as the binary fractions that they are."""
        if "interest" not in self.headers:
            return None
        if self.headers["interest"][1].kind in "US":
            return self.text("interest").split(",")
        values = self.floats("interest")
        binary = values.ndim == 1 and np.isfinite(values).all()
        return list(map(Fraction, values.tolist())) if binary else values

    def terminal(self, n: int) -> list[int]:
        """The states in which episodes end."""
        if "terminal" not in self.headers:
            return []
        values = self.whole("terminal")
        if values.ndim != 1 or (len(values) and not (values.min() >= 0 and values.max() < n)):
            raise InputError(f"terminal is not a list of states; give their numbers, 0 to {n - 1}")
        return sorted(set(values.tolist()))

    def transitions(self, stem: str, n: int, field: str) -> Any:

        if stem in self.headers:
            return scipy.sparse.csr_array(self.floats(stem, field))
        data = self.floats(f"{stem}_data", field)
        indices, indptr = self.whole(f"{stem}_indices"), self.whole(f"{stem}_indptr")
        if len(indices) != len(data) or indptr[0] != 0 or indptr[-1] != len(data) or (np.diff(indptr) < 0).any():
            raise InputError(
                f"{stem}_indptr, {stem}_indices and {stem}_data do not fit together; indptr runs from 0 up to the "
                "common length of the other two"
            )
        if len(indices) and (indices.min() < 0 or indices.max() >= n):
            worst = int(indices.min()) if indices.min() < 0 else int(indices.max())
            raise InputError(f"{stem}_indices has the column {worst}; give columns from 0 to {n - 1}, for {n} rows")
        kind = np.int32 if len(data) < 2**31 else np.int64
        return scipy.sparse.csr_array(
            (data, indices.astype(kind, copy=False), indptr.astype(kind, copy=False)), shape=(n, n)
        )

    def policies(self, n: int, m: int) -> tuple[Any, Any]:
        found: dict[str, object] = {}
        for key, asked, read in (
            ("behaviour", self.overrides.policy, self.overrides.read_policy),
            ("target", self.overrides.target, self.overrides.read_target),
        ):
            if asked is not None:
                found[key] = _float_array(asked, n, m)
                if found[key] is None:
                    found[key] = in_floats(read(n, self.actions) or [], key)
            elif key in self.headers:
                found[key] = self.floats(key, key)
        both = found.get("behaviour"), found.get("target")
        if both[1] is None and "behaviour" in self.ratios:
            self.ratios["target"] = self.ratios["behaviour"]
        missing = "the array 'behaviour'", self.overrides.uniform
        return both_policies(*both, np.ones((n, 1)), m, *missing, self.defaults_used)

    def features(self, n: int, terminal: list[int]) -> Any:
        given = self.given_features(n)
        if given is None:
            self.notes += said_of_ends(terminal, [])
            return np.array(tabular_rows(n, terminal), dtype=np.float64)
        self.replaced_features = [s for s in terminal if s < len(given) and given[s].any()]
        if self.replaced_features:
            given = given.copy()
            given[self.replaced_features] = 0
            if exact := self.ratios.get("features"):
                exact.p[self.replaced_features] = 0
        self.notes += said_of_ends(terminal, self.replaced_features)
        return given

    def given_features(self, n: int) -> Any:
        """None where they are tabular."""
        if self.overrides.features is not None and not self.overrides.tabular:
            array = _float_array(self.overrides.features, n, None)
            return in_floats(self.overrides.read_features(n) or [], "features") if array is None else array
        if "features" in self.headers and self.overrides.features is None:
            return self.floats("features", "features")
        if n > raised(TABULAR_STATES):
            said = f"tabular features of {n} states have {n}×{n} entries; give n×d features"
            raise InputError(beyond(said, n / TABULAR_STATES))
        if self.overrides.features is None:
            self.defaults_used.append('features = "tabular"')
        return None

    def discount(self, terminal: list[int]) -> Any:
        """One for all states, or one for each, with zeros on leaving a terminal state."""
        given = self.given_discount()
        if not terminal:
            return given
        values = given.copy() if isinstance(given, np.ndarray) else np.full(self.n, float(given))
        if not isinstance(given, np.ndarray) and Fraction(float(given)) != given:
            self.notes.append(f"with terminal states the discount is kept by state, as the float nearest to {given}")
        if len(values) == self.n:
            values[terminal] = 0
            if exact := self.ratios.get("discount"):
                exact.p[terminal] = 0
        return values

    def given_discount(self) -> Any:
        override = self.overrides.read_discount()
        if "discount" not in self.headers:
            if override is None:
                raise InputError("the array 'discount' is missing; a model needs it (or give --discount)")
            return override
        shape, kind = self.headers["discount"]
        if shape == ():
            if override is not None:
                return override
            if kind.kind in "US":
                return unit_number(exact(self.text("discount")), "discount")
            over = "discount" + _OVER in self.headers
            value = self.fractions("discount").exact()[0] if over else float(self.floats("discount"))
            if not 0 <= value <= 1:
                raise InputError(f"discount is {value}; give a number from 0 to 1")
            return Fraction(value)
        if override is None:
            return self.floats("discount", "discount")
        return np.where(self.floats("discount") == 0, 0.0, float(override))

    def schedule(self) -> Schedule:
        override = self.overrides.read_schedule()
        if override is not None:
            return override
        if "schedule" in self.headers and "lambdas" in self.headers:
            raise InputError("schedule and lambdas are both given; give one of them")
        if "schedule" in self.headers:
            return schedule_from_text(self.text("schedule"), "schedule")
        if "lambdas" not in self.headers:
            self.defaults_used.append('schedule = {"n_step": 1}')
            return Schedule()
        values = self.floats("lambdas", "lambdas")
        if values.ndim != 1 or len(values) > MAX_LENGTH:
            raise InputError(f"lambdas has shape {by_shape(values.shape)}; give at most {MAX_LENGTH} numbers")
        for i, x in enumerate(values, start=1):
            if not 0 <= x <= 1:
                raise InputError(f"λ_{i} in lambdas is {x}; give a number from 0 to 1")
        exact = self.ratios.pop("lambdas", None)
        return Schedule(tuple(map(Fraction, values.tolist()) if exact is None else exact.exact()))

    # ---- arrays of one kind -------------------------------------------------------------------

    def floats(self, key: str, field: str | None = None) -> Any:
        """An array as floats; what it stands for, where denominators are given, is kept as a ``field`` of the model."""
        if key + _OVER in self.headers:
            exact = self.fractions(key)
            if field is not None:
                self.ratios[field] = exact
            return exact.nearest()
        array = self.array(key)
        if array.dtype.kind not in "fiub" or array.dtype.itemsize > 8:
            _wrong_kind(key, array, "numbers of at most 64 bits")
        converted = array.astype(np.float64, copy=False)
        if array.dtype.kind in "iu" and (converted != array).any():
            _wrong_kind(key, array, "floats: some of these integers are none")
        return converted

    def fractions(self, key: str) -> Ratios:
        """An array of integers over its denominators, one or as many."""
        p, q = self.whole(key), self.whole(key + _OVER)
        if q.shape not in ((), p.shape):
            raise InputError(
                f"{key}{_OVER} has shape {by_shape(q.shape)}; give one integer, or one for each entry of {key}, "
                f"{by_shape(p.shape)}"
            )
        if q.min(initial=1) < 1:
            raise InputError(f"{key}{_OVER} has {q.min()}; give positive integers")
        for name, array in ((key, p), (key + _OVER, q)):
            if array.max(initial=0) >= 2**63:
                raise InputError(f"{name} has {array.max()}; give integers below 2^63")
        return Ratios(p.astype(np.int64), np.broadcast_to(q, p.shape).astype(np.int64))

    def whole(self, key: str) -> Any:
        array = self.array(key)
        return array if array.dtype.kind in "iu" else _wrong_kind(key, array, "integers")

    def text(self, key: str) -> str:
        array = self.array(key)
        if array.shape != () or array.dtype.kind != "U" or not str(array).isprintable():
            _wrong_kind(key, array, "one printable string")
        return str(array)

    def names(self, key: str) -> tuple[str, ...]:
        array = self.array(key)
        if array.ndim != 1 or array.dtype.kind != "U" or len(array) == 0 or len(set(array.tolist())) < len(array):
            _wrong_kind(key, array, "a list of different names")
        for name in array.tolist():
            require_name(name)
        return tuple(array.tolist())

    def array(self, key: str) -> Any:
        try:
            with self.archive.open(f"{key}.npy") as stream:
                return npy.read_array(stream, allow_pickle=False)
        except (ValueError, EOFError, zipfile.BadZipFile, zlib.error, OSError):
            raise InputError(f"the array {quoted(key)} cannot be read; write numbers with numpy.savez") from None


def _headers(archive: zipfile.ZipFile) -> Mapping[str, Header]:
    found: dict[str, Header] = {}
    for name in archive.namelist():
        key = name.removesuffix(".npy")
        try:
            with archive.open(name) as stream:
                version = npy.read_magic(stream)
                read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
                shape, _, kind = read(stream)
        except (ValueError, EOFError, zipfile.BadZipFile, OSError):
            raise InputError(f"the entry {quoted(name)} is not a NumPy array; write with numpy.savez") from None
        found[key] = (tuple(shape), kind)
    return found


def _float_array(value: Any, rows: int, columns: int | None) -> Any:
    """An array of floats with these sizes as it is; None for anything else."""
    if not isinstance(value, np.ndarray) or value.dtype != np.float64 or value.ndim != 2:
        return None
    return value if value.shape == (rows, columns or value.shape[1]) else None


def in_floats(values: list[Any], what: str) -> Any:
    """An array of exact numbers, each as the float nearest to it."""
    try:
        return np.array(values, dtype=np.float64)
    except OverflowError:
        raise InputError(f"{what} holds a number beyond the range of floats; give smaller ones") from None


def _wrong_kind(key: str, array: Any, wanted: str) -> NoReturn:
    raise InputError(f"{key} has shape {by_shape(array.shape)} and type {array.dtype}; give {wanted}")


def _memory_of_the_machine() -> int:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
