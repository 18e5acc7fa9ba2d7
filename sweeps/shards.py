"""A shard: one Parquet file, whose name carries the hash of its content.

``shards/000017-1f3a9c0d2b4e5f60.parquet`` is shard 17 with the first 64 bits of its SHA-256. So every file says by
itself whether it is whole, and no list of files has to be kept in step with the files.
"""

from __future__ import annotations

import hashlib
import json
import re

import pyarrow as pa
import pyarrow.parquet as pq

from tdcert.sweeps.spec import Spec, canonical

_NAME = re.compile(r"(\d{6})-([0-9a-f]{16})\.parquet")
_KEY = b"tdcert"


class DamagedShardError(ValueError):
    """A file that is not what its name says; one clause of a sentence."""


class OtherSweepError(ValueError):
    """A whole shard, of another sweep."""


def shard_bytes(table: pa.Table, spec: Spec, number: int) -> bytes:
    """A table as Parquet, with the sweep and the shard named in its metadata; equal tables give equal bytes."""
    named = table.replace_schema_metadata({_KEY: canonical(_label(spec, number))})
    sink = pa.BufferOutputStream()
    pq.write_table(named, sink, compression="zstd")
    return bytes(sink.getvalue())


def shard_name(number: int, content: bytes) -> str:
    """The file's name: the number of the shard and the hash of its content."""
    return f"{number:06d}-{hashlib.sha256(content).hexdigest()[:16]}.parquet"


def shard_number(name: str) -> int | None:
    """The number of the shard that a file's name speaks of; None for any other file."""
    match = _NAME.fullmatch(name)
    return int(match[1]) if match else None


def read_shard(name: str, content: bytes, spec: Spec) -> pa.Table:
    """The table of a shard's file. Raises :class:`DamagedShardError` or :class:`OtherSweepError`."""
    number = shard_number(name)
    if number is None or name != shard_name(number, content):
        raise DamagedShardError("its content has not the hash that its name says")
    try:
        table = pq.read_table(pa.BufferReader(content))
        label = json.loads((table.schema.metadata or {}).get(_KEY, b"null"))
    except (pa.ArrowException, OSError, ValueError) as error:
        raise DamagedShardError(f"it is not a Parquet file ({str(error).splitlines()[0]})") from None
    if number >= spec.shards or label != _label(spec, number):
        raise OtherSweepError("it is a shard of another sweep")
    return table.replace_schema_metadata(None)


def _label(spec: Spec, number: int) -> dict[str, object]:
    first, count = spec.indices(number)
    return {"digest": spec.digest, "shard": number, "first": first, "count": count}
