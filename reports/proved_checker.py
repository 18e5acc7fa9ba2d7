"""The checker that is proved correct (``theory/formal/verified/``), run beside the Python checker where it can be.

It is one process, ``tdcert-convergence`` or node with the JavaScript of the package, which answers one file after
another.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tdcert.theory.formal.program import NATIVE, VERIFIED

CONVERGENCE = "convergence"
_CHAIN = ("irreducible", "reducible", "stationary_law", "period", "missing_coverage")
_FEATURES = ("rank_deficient", "full_column_rank")
_MATRICES = (
    "nonsingular",
    "singular",
    "fixed_point",
    "definite",
    "not_definite",
    "gradient_stable",
    "hurwitz",
    "unstable",
    "contraction",
    "not_contraction",
)
_SQUARES = ("mean_square_bounded", "mean_square_unbounded")
_MEANS = ("update_mean_bounded", "update_mean_unbounded")
_UPDATES = ("update_mean_square_bounded", "update_mean_square_unbounded", *_MEANS)
RELATION = "relation"
KINDS = frozenset({CONVERGENCE, RELATION, *_CHAIN, *_FEATURES, *_MATRICES, *_SQUARES, *_UPDATES})
"""Kinds of certificates that it knows."""
_CONVERGES = re.compile(r"accepted: for every law .*θ_t of ([-\w ]+)\(λ\)-schedule.* θ\* = (\([^)]*\)).*")
SECONDS = 60.0
"""What it is given for one certificate, unless the caller is patient."""


def reads(certificate: Mapping[str, Any]) -> bool:
    """Whether it is sure to read certificates like this one: of a kind that it knows; modulo the null space of Phi of
    convergence alone; about updates by terms, of all their parameters, on a path of a model with a schedule.

    Left out, too: relations that speak of S or M and a law where λ = 1 has no end, for it reads them only where the
    powers of the kernel have a sum at all states; and those that solve a system or ask for a determinant under a mean
    over paths, for it has no hint where that depends on the path.
    """
    kind, model, about = certificate["kind"], certificate["model"], certificate["about"]
    if kind not in KINDS or {"sampling", "sampling_law", "interest"} & set(model) or "by_state" in model["schedule"]:
        return False
    if kind == CONVERGENCE:
        return True
    if "columns" in about:
        return False
    if kind in _UPDATES:
        told = kind not in _MEANS or "rows" in certificate["witness"]
        return told and "seen" not in about and "terms" in about["update"]
    if kind != RELATION:
        return True
    forever = model["schedule"].get("constant") == {"lambda": "1"}
    powers = frozenset({"S", "M"} if forever and "stationary" in certificate["witness"] else ())
    return not _mentions(certificate["witness"].get("relations"), powers)


def read_in_pages(certificate: Mapping[str, Any]) -> bool:
    """Whether the program in a page is sure to read it: it has no room for the kinds about updates by terms."""
    return certificate["kind"] not in _UPDATES and reads(certificate)


def _mentions(expression: object, words: frozenset[str]) -> bool:
    if isinstance(expression, list):
        inside = words | {"solve", "det"} if expression[:1] == ["E"] else words
        return any(_mentions(part, inside) for part in expression)
    return isinstance(expression, str) and expression in words


def says_the_same(line: str, said: str) -> bool:
    """Whether the line of the Python checker and what the proved program ``said``, which both accept, are about one
    statement: word for word; of convergence, which each says in its own letters, about one algorithm and one θ*.
    """
    found = _CONVERGES.fullmatch(said)
    if found is None:
        return f": {said.removeprefix('accepted: ')} (model " in line
    name, theta = found.groups()
    short = theta if len(theta) <= 60 else f"{theta[:40]!a}... ({len(theta)} characters)"
    return f"theta_t of {name}(lambda)-schedule" in line and f" theta = {short}" in line


@dataclass
class ProvedChecker:
    """The process, started with the first question; again where it has ended without an answer."""

    command: Sequence[str]
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    def ask(self, certificate: bytes, seconds: float | None = SECONDS) -> str:
        """Its line: ``accepted: …``, ``refused: …`` or ``not read: …``; empty where none comes within ``seconds``."""
        if self.process is None or self.process.poll() is not None:
            self.end()
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        given, answers = self.process.stdin, self.process.stdout
        assert given is not None and answers is not None
        watch = threading.Timer(seconds, self.process.kill) if seconds is not None else None
        if watch is not None:
            watch.start()
        try:
            given.write(b"%d\n" % len(certificate) + certificate)
            given.flush()
            line = answers.readline().decode(errors="replace").rstrip("\n")
        except OSError:
            line = ""
        finally:
            if watch is not None:
                watch.cancel()
        if not line:  # it is ending, but may not have ended: the next question is for another process
            self.end()
        return line

    def end(self) -> None:
        """Ends the process, if there is one."""
        if self.process is None:
            return
        self.process.kill()
        with contextlib.suppress(OSError):
            self.process.communicate()
        self.process = None


@contextlib.contextmanager
def proved_checker() -> Iterator[ProvedChecker | None]:
    """What runs here: the program on the PATH, else node with the JavaScript; None where there is neither."""
    if native := shutil.which(NATIVE):
        found = ProvedChecker((native,))
    elif node := shutil.which("node"):
        found = ProvedChecker((node, str(VERIFIED / "answers.js")))
    else:
        yield None
        return
    try:
        yield found
    finally:
        found.end()
