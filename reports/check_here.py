"""What a page needs to check certificates itself: the proved program, and those of the kinds it knows, packed.

A page runs no program but those whose SHA-256 its content policy names. The browser unpacks the proved one, and runs
it only where it is, byte for byte, ``theory/formal/verified/page.js``.
"""

from __future__ import annotations

import base64
import json
import zlib
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from tdcert.reports.proved_checker import CONVERGENCE, read_in_pages
from tdcert.theory.certificate.shelf import FiledCertificate
from tdcert.theory.formal.program import PAGE, in_tree

ROOM = 16_000
"""Bytes of compressed certificates that a page holds: a third more as text."""


@dataclass(frozen=True)
class CheckHere:
    """``program``: the JavaScript; ``packed_…``: it and the certificates, compressed, in Base64; ``count`` of these.

    ``left_out``: paths of certificates of convergence for which there was no room, ``more``: how many others there was
    none for; ``others``: how many certificates the program does not read.
    """

    program: str
    packed_program: str
    packed_certificates: str
    count: int
    left_out: tuple[str, ...]
    more: int
    others: int


def check_here(kept: Iterable[FiledCertificate]) -> CheckHere | None:
    """The certificates among ``kept`` that the proved program reads, those of convergence first, and short ones first,
    while there is room; None where there are none.
    """
    kept = tuple(kept)
    known = [one for one in kept if read_in_pages(one.body)]
    if not known:
        return None
    texts = {id(model): _json(model) for model in {id(one.body["model"]): one.body["model"] for one in known}.values()}

    rests = {one.path: _json({key: value for key, value in one.body.items() if key != "model"}) for one in known}

    def size_of(one: FiledCertificate) -> int:
        return len(texts[id(one.body["model"])]) + len(rests[one.path])

    def packed(chosen: Iterable[FiledCertificate]) -> bytes:
        return _compressed(_bundle(chosen, texts, rests))

    def packed_size(count: int) -> int:
        return len(packed(ordered[:count]))

    ordered = sorted(known, key=lambda one: (one.body["kind"] != CONVERGENCE, size_of(one)))
    count = bisect_right(range(len(ordered) + 1), ROOM, lo=1, key=packed_size) - 1
    inside = {one.path for one in ordered[:count]}
    outside = [one for one in known if one.path not in inside]
    program, packed_program = _program()
    return CheckHere(
        program,
        packed_program,
        base64.b64encode(packed(one for one in known if one.path in inside)).decode("ascii"),
        count,
        tuple(one.path for one in outside if one.body["kind"] == CONVERGENCE),
        sum(one.body["kind"] != CONVERGENCE for one in outside),
        len(kept) - len(known),
    )


def _bundle(
    chosen: Iterable[FiledCertificate], texts: Mapping[int, str], rests: Mapping[str, str]
) -> Mapping[str, Any]:
    """The texts of models by digest, each once, and of the certificates without them. ``texts``: of each model object,
    by its id, as certificates of one report share one; ``rests``: of certificates without it, by path.

    They are texts, for JavaScript would round the primes in them to binary64.
    """
    models: dict[str, str] = {}
    files = []
    for one in chosen:
        digest = one.body["digest"]
        models[digest] = texts[id(one.body["model"])]
        files.append({"path": one.path, "digest": digest, "body": rests[one.path]})
    return {"models": models, "files": files}


def _compressed(value: Mapping[str, Any] | str) -> bytes:
    return zlib.compress((value if isinstance(value, str) else _json(value)).encode(), 9)


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), sort_keys=True)


@cache
def _program() -> tuple[str, str]:
    program = in_tree()[PAGE]
    return program, base64.b64encode(_compressed(program)).decode("ascii")
