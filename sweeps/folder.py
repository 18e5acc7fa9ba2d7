"""The folder of a sweep: who may write to it, what is done, and that nothing in it is ever half-written.

    manifest.json   the spec, the versions that compute, and, once a run has ended, each file with its hash
    shards/         one Parquet file for each shard that is done
    result.json, index.html, figures/, finds/   the answer, whole or of what is done so far

A file is written under another name, brought to the disk and renamed. What is done is what lies in ``shards/``,
so a sweep that was killed at any moment goes on from there.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Annotated, Any, Final, Literal, TypedDict

import pyarrow as pa

from tdcert.sweeps.shards import DamagedShardError, OtherSweepError, read_shard, shard_name, shard_number
from tdcert.sweeps.spec import Spec, SpecDocument
from tdcert.sweeps.versions import difference, versions
from tdcert.theory.document_types import Digest, pattern
from tdcert.theory.errors import InputError

FORMAT: Final = "tdcert-sweep-manifest/1"
MANIFEST, SHARDS, LOCK = "manifest.json", "shards", ".lock"
_HALF = ".half"
"""The ending of what is being written: no reader's ``*.parquet`` meets it."""


class ShardFile(TypedDict):
    """A shard that is done."""

    file: Annotated[str, pattern(r"^shards/\d{6}-[0-9a-f]{16}\.parquet$")]
    sha256: Digest


class Manifest(TypedDict):
    """The manifest of a sweep's folder: docs/formats.md."""

    format: Literal["tdcert-sweep-manifest/1"]
    spec: SpecDocument
    digest: Digest
    versions: dict[str, str]
    complete: bool
    shards: list[ShardFile]
    files: dict[str, Digest]


class SweepFolder:
    """A sweep's folder, held by one process at a time; use as a context manager.

    Entering makes the folder or goes on with it: ``done`` then holds the file of each shard that is whole, and
    ``damaged`` a sentence for each that was not and was removed. Raises :class:`InputError` where the folder is
    somebody else's, is in use, belongs to another spec or other versions, or cannot be written.
    """

    def __init__(self, place: str | Path, spec: Spec) -> None:
        self.place, self.spec = Path(place), spec
        self.done: dict[int, str] = {}
        self.damaged: list[str] = []
        self._hashes: dict[int, str] = {}
        self._lock: int | None = None
        self._manifest: Manifest

    def __enter__(self) -> SweepFolder:
        try:
            self._refuse_what_is_not_ours()
            (self.place / SHARDS).mkdir(parents=True, exist_ok=True)
            self._take_lock()
            self._manifest = self._begun()
            self._look()
            self._check_versions()
        except OSError as error:
            self._let_go()
            raise self._unwritable(error) from None
        except BaseException:
            self._let_go()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._let_go()

    @property
    def missing(self) -> list[int]:
        """The shards that are still to do, in order."""
        return [number for number in range(self.spec.shards) if number not in self.done]

    @property
    def versions(self) -> dict[str, str]:
        """The versions that computed the shards."""
        return dict(self._manifest["versions"])

    def add(self, number: int, content: bytes) -> None:
        """Keeps a finished shard. Raises :class:`InputError` where it cannot be written; what was done stays done."""
        name = shard_name(number, content)
        try:
            self._write(f"{SHARDS}/{name}", content)
        finally:
            if (self.place / SHARDS / name).exists():  # whole, whatever came in between: Ctrl-C, say
                self._keep(number, name, content)

    def table(self, schema: pa.Schema) -> pa.Table:
        """The rows of all shards that are done, in the order of the indices. Raises :class:`InputError`."""
        tables = [schema.empty_table()]
        for number in sorted(self.done):
            path = self.place / SHARDS / self.done[number]
            try:
                tables.append(read_shard(path.name, path.read_bytes(), self.spec))
            except (DamagedShardError, OtherSweepError, OSError) as error:
                raise InputError(
                    f"the shard '{path}' changed while the sweep ran ({error}); run the same command again, and it "
                    "is computed again"
                ) from None
        return pa.concat_tables(tables)

    def answer(self, files: Mapping[str, bytes]) -> None:
        """Writes the answer's files, then the manifest; removes those of an earlier answer that have no successor."""
        for path, content in files.items():
            self._write(path, content)
        hashes = {path: _sha256(files[path]) for path in sorted(files)}
        for path in set(self._manifest["files"]) - set(hashes):
            with contextlib.suppress(OSError):
                (self.place / path).unlink()
        shards: list[ShardFile] = [
            {"file": f"{SHARDS}/{name}", "sha256": self._hashes[number]} for number, name in sorted(self.done.items())
        ]
        self._write_manifest({**self._manifest, "complete": not self.missing, "shards": shards, "files": hashes})

    def _keep(self, number: int, name: str, content: bytes) -> None:
        if self.done.setdefault(number, name) != name:
            raise InputError(
                f"the folder '{self.place}' holds two different files of shard {number}, '{self.done[number]}' and "
                f"'{name}'; what computes shards must not depend on anything but the spec: remove both, and see why"
            )
        self._hashes[number] = _sha256(content)

    def _refuse_what_is_not_ours(self) -> None:
        if self.place.exists() and not self.place.is_dir():
            raise InputError(f"'{self.place}' is not a folder; give --out the name of a folder")
        if self.place.is_dir() and not (self.place / MANIFEST).exists():
            foreign = sorted(set(os.listdir(self.place)) - {LOCK, SHARDS})
            if any(not name.endswith(_HALF) for name in foreign):
                raise InputError(
                    f"the folder '{self.place}' holds '{foreign[0]}' and no sweep of tdcert; give --out another folder"
                )

    def _take_lock(self) -> None:
        import fcntl

        handle = os.open(self.place / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(handle, 200, 0).decode("utf-8", "replace").strip() or "another process"
            os.close(handle)
            raise InputError(
                f"another sweep is writing to '{self.place}' ({holder}); wait until it is done, or give --out another "
                "folder"
            ) from None
        self._lock = handle
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"process {os.getpid()} on {platform.node()}\n".encode(), 0)

    def _let_go(self) -> None:
        if self._lock is not None:
            os.ftruncate(self._lock, 0)
            os.close(self._lock)
            self._lock = None

    def _begun(self) -> Manifest:
        """The manifest of the sweep that was begun here, or a new one."""
        path = self.place / MANIFEST
        if not path.exists():
            new: Manifest = {
                "format": FORMAT,
                "spec": self.spec.document(),
                "digest": self.spec.digest,
                "versions": dict(versions()),
                "complete": False,
                "shards": [],
                "files": {},
            }
            return self._write_manifest(new)
        try:
            manifest: Manifest = json.loads(path.read_bytes())
            if manifest["format"] != FORMAT or not {"spec", "versions", "files"} <= set(manifest):
                raise ValueError("it is not a manifest of a sweep")
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"'{path}' cannot be read ({error}); restore that file, or give --out another folder"
            ) from None
        before, now = manifest["spec"], self.spec.document()
        changed = [key for key in sorted({*before, *now}) if before.get(key) != now.get(key) and key != "name"]
        if changed:
            key, old, new = _difference(changed[0], before.get(changed[0]), now.get(changed[0]))
            raise InputError(
                f"the sweep in '{self.place}' was begun with another '{key}' ({_brief(old)}, and now it is "
                f"{_brief(new)}); put it back, or give --out another folder"
            )
        return {**manifest, "spec": now}

    def _look(self) -> None:
        """Finds what is done; removes what is damaged or half-written, which will be computed again."""
        for path in self.place.rglob(f"*{_HALF}"):
            path.unlink()
        for path in sorted((self.place / SHARDS).iterdir()):
            number = shard_number(path.name)
            if number is not None:
                try:
                    content = path.read_bytes()
                    read_shard(path.name, content, self.spec)
                    self._keep(number, path.name, content)
                except DamagedShardError as error:
                    self.damaged.append(f"the shard '{path}' is damaged ({error}) and is computed again")
                    path.unlink()
                except OtherSweepError:
                    raise InputError(
                        f"the shard '{path}' belongs to another sweep; move it away, or give --out another folder"
                    ) from None

    def _check_versions(self) -> None:
        before, now = self._manifest["versions"], dict(versions())
        if before == now or not self.missing:
            return
        if self.done:
            raise InputError(
                f"the sweep in '{self.place}' was begun with {difference(before, now)}, and this is "
                f"{difference(now, before)}; go on with the former, or give --out another folder"
            )
        self._manifest = self._write_manifest({**self._manifest, "versions": now})

    def _write_manifest(self, manifest: Manifest) -> Manifest:
        self._write(MANIFEST, (json.dumps(manifest, indent=1) + "\n").encode("ascii"))
        self._manifest = manifest
        return manifest

    def _write(self, relative: str, content: bytes) -> None:
        path = self.place / relative
        if Path(relative).is_absolute() or ".." in Path(relative).parts:
            raise ValueError(f"a sweep's file leaves its folder: {relative}")
        half = path.with_name(path.name + _HALF)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                with open(half, "wb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(half, path)
                _sync(path.parent)
            except BaseException:
                with contextlib.suppress(OSError):
                    half.unlink()
                raise
        except OSError as error:
            raise self._unwritable(error) from None

    def _unwritable(self, error: OSError) -> InputError:
        kept = f"; its {len(self.done):,} finished shards are kept" if self.done else ""
        return InputError(
            f"the folder '{self.place}' cannot be written ({error.strerror or error}){kept}; mend that, or give "
            "--out another folder, and run the same command again"
        )


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _difference(where: str, old: Any, new: Any) -> tuple[str, Any, Any]:
    """The first key, inside tables and lists of tables, at which two different values differ, and its values."""
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        k = next(k for k, (one, other) in enumerate(zip(old, new, strict=True)) if one != other)
        if isinstance(old[k], dict):
            return _difference(f"{where} number {k + 1}" if len(old) > 1 else where, old[k], new[k])
    if isinstance(old, dict) and isinstance(new, dict):
        key = next(key for key in sorted({*old, *new}) if old.get(key) != new.get(key))
        return _difference(f"{where}.{key}", old.get(key), new.get(key))
    return where, old, new


def _brief(value: object) -> str:
    text = "not given" if value is None else json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
