"""A report's folder: every certificate that its verdicts name, and the verdict files that name them.

A verdict file (``verdicts/ID.json``) holds one statement, how it was decided, and the path and SHA-256 of each
certificate that the verdict rests on.  It is accepted where it is about the statement that it is called by, every piece
of evidence of the grade *certified* names certificates, these are listed with their digests, and each file lies in the
folder, has its digest, was made for this statement, and is accepted.  Of a reading without such evidence the line says
so.  Whether the certificates together imply the statement is not decided here: the claim's ``check`` says so, and the
command in ``replay`` runs it again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from . import limits
from .budget import Rejected
from .reading import choice, items, record, show

ACCEPTED, REJECTED, NOT_CHECKED = 0, 1, 4  # exit codes: rejected if any file is, else not checked if any is not
FORMAT, VERDICTS = "tdcert-verdict/1", "verdicts"
STATUSES = ("holds", "refuted", "hypothesis_violated", "undecided")
GRADES = ("proved", "certified", "enclosed", "consistent")
Ask = Callable[[str], tuple[int, str]]


def replayed(folder: str, ask: Ask) -> Iterator[tuple[int, str]]:
    """The exit codes and lines of a folder: of certificates that are not accepted, and of each verdict file.

    `ask`: what says of one certificate, by its path, its exit code and line.  A folder without verdict files: one line
    for each ``.json`` file below it.
    """
    verdicts = os.path.join(folder, VERDICTS)
    names = sorted(name for name in os.listdir(verdicts) if name.endswith(".json")) if os.path.isdir(verdicts) else []
    if not names:
        found = sorted(os.path.join(at, name) for at, _, files in os.walk(folder) for name in files)
        paths = [path for path in found if path.endswith(".json")]
        yield from map(ask, paths)
        if not paths:
            yield REJECTED, f"rejected: {printable(folder)}: the folder holds no .json file"
    codes: dict[str, int] = {}
    for name in names:
        place = os.path.join(verdicts, name)
        try:
            identity, says, digests = read(folder, name)
            for path in digests:
                agrees(folder, path, digests[path], identity)
                if path not in codes:
                    codes[path], line = ask(os.path.join(folder, *path.split("/")))
                    if codes[path] != ACCEPTED:
                        yield codes[path], line
        except (Rejected, RecursionError) as reason:
            yield REJECTED, f"rejected: {printable(place)}: {reason}"
            continue
        worst = overall(codes[path] for path in digests)
        word = {ACCEPTED: "accepted", REJECTED: "rejected", NOT_CHECKED: "not checked"}[worst]
        accepted = sum(codes[path] == ACCEPTED for path in digests)
        count = f"{accepted} of {len(digests)} certificates accepted"
        yield worst, f"{word}: {printable(place)}: {identity}: {count}; it says: {says}"


def read(folder: str, name: str) -> tuple[str, str, dict[str, str]]:
    """The claim's id, what the verdict says in words, and the digests of its certificates by path.

    Raises `Rejected` for a file that is no verdict, or whose certified evidence rests on no listed certificate.
    """
    try:
        value = json.loads(content(folder, f"{VERDICTS}/{name}"), object_pairs_hook=unique)
    except (ValueError, RecursionError, MemoryError):
        raise Rejected("the file is not JSON that can be read") from None
    value = record(value, "the file", ["format", "claim", "certificates", "replay", "tdcert"], ["paper", "read"])
    choice(value["format"], "format", [FORMAT])
    digests: dict[str, str] = {}
    for row in items(value["certificates"], "certificates"):
        entry = record(row, "a certificate", ["path", "sha256"])
        path, digest = entry["path"], entry["sha256"]
        inside = isinstance(path, str) and path.startswith("certificates/") and ".." not in path.split("/")
        if not inside or not isinstance(path, str) or not isinstance(digest, str) or {"\\", "\0"} & set(path):
            raise Rejected(f"{show(path)} is not a file in certificates/ with its SHA-256")
        if path in digests:
            raise Rejected(f"{show(path)} is listed twice")
        digests[path] = digest
    claim = value["claim"]
    if not isinstance(claim, dict):
        raise Rejected(f"claim: {show(claim)} stands where an object is needed")
    identity = choice(claim.get("id"), "claim.id", [name.removesuffix(".json")])
    others: Counter[str] = Counter()
    for scope in scopes(claim):
        named, grade = scope.get("certificates"), choice(scope["grade"], "grade", GRADES)
        if not isinstance(named, list) or not all(isinstance(path, str) for path in named):
            raise Rejected(f"certificates: {show(named)} stands where paths are needed")
        if grade == "certified" and not named:
            raise Rejected("evidence of the grade certified names no certificate")
        if unlisted := [path for path in named if path not in digests]:
            raise Rejected(f"{show(unlisted[0])} is named, and its digest is not listed")
        if grade != "certified":
            others[grade] += 1
    told = [told_of(kind, claim[kind]) for kind in ("stated", "corrected") if claim.get(kind) is not None]
    apart = [f"not replayed here: {count} of the grade {grade}" for grade, count in sorted(others.items())]
    return identity, "; ".join([*told, *apart]) or "nothing was decided", digests


def told_of(kind: str, reading: object) -> str:
    """The status of a reading, and whether a certificate stands behind it."""
    if not isinstance(reading, dict):
        raise Rejected(f"{kind}: {show(reading)} stands where an object is needed")
    status = choice(reading.get("status"), f"{kind}.status", STATUSES)
    certified = any(scope["grade"] == "certified" for scope in scopes(reading.get("scopes")))
    return f"{kind} {status}{'' if certified else ' (by no certificate)'}"


def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object, each of whose keys stands there once."""
    if len(found := dict(pairs)) < len(pairs):
        raise ValueError
    return found


def scopes(value: object) -> Iterator[dict[str, object]]:
    """Every piece of evidence in a claim, however deep."""
    if isinstance(value, dict):
        if "grade" in value:
            yield value
        for entry in value.values():
            yield from scopes(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from scopes(entry)


def content(folder: str, path: str) -> bytes:
    """A file of the folder, up to the bound on its length; raises `Rejected` for what is none."""
    place, root = os.path.realpath(os.path.join(folder, *path.split("/"))), os.path.realpath(folder)
    try:
        if os.path.commonpath([place, root]) != root or not os.path.isfile(place):
            raise Rejected(f"{show(path)} is not a file of the folder")
        with open(place, "rb") as file:
            return file.read(limits.MAX_BYTES + 1)
    except (OSError, ValueError):
        raise Rejected(f"{show(path)} cannot be read") from None


def agrees(folder: str, path: str, digest: str, claim: str) -> None:
    """Raises `Rejected` where the file is not the one with this SHA-256, or was made for another statement."""
    text = content(folder, path)
    found = hashlib.sha256(text).hexdigest()
    if found != digest:
        raise Rejected(f"{show(path)} has the SHA-256 {found}, and not the one that is listed")
    try:
        made_for = json.loads(text)["claim"]
    except (ValueError, TypeError, KeyError, RecursionError, MemoryError):
        raise Rejected(f"{show(path)} is not a certificate") from None
    if made_for != claim:
        raise Rejected(f"{show(path)} was made for {show(made_for)}")


def overall(codes: Iterable[int]) -> int:
    """The exit code of several files."""
    return min((code for code in codes if code != ACCEPTED), default=ACCEPTED)


def printable(path: str) -> str:
    """A path as it is printed."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in path)
