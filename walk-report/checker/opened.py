"""What a certificate is about and its witness, key by key, and the tests that kinds of all models share."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from .budget import Rejected
from .matrices import Matrix, read_prime, require_positive_definite, solve_modulo
from .reading import SparseRow, items, read_vector, record, show, states


class Opened:
    """What one certificate is about, and its witness."""

    def __init__(self, digest: str, about: object, witness: object):
        self.digest, self.given = digest, (about, witness)
        self.about: Mapping[str, object] = {}
        self.witness: Mapping[str, object] = {}

    def open(self, about: str, witness: str, about_too: str = "", witness_too: str = "") -> None:
        """Name the keys that this kind needs, and those it allows."""
        self.about = record(self.given[0], "about", about.split(), about_too.split())
        self.witness = record(self.given[1], "witness", witness.split(), witness_too.split())

    def text(self, about: str, witness: str) -> str:
        """The whole text of the model, as its digest, and of these parts."""
        parts = [
            {key: part[key] for key in keys.split() if key in part}
            for part, keys in ((self.about, about), (self.witness, witness))
        ]
        return json.dumps([self.digest, *parts])

    def vector(self, key: str, length: int) -> list[Fraction]:
        if key not in self.witness:
            raise Rejected(f"witness: the key {show(key)} is missing, and the statement needs it")
        return read_vector(self.witness[key], f"witness.{key}", length)

    def nonzero_vector(self, length: int) -> Matrix:
        x = Matrix.column(self.vector("vector", length))
        if x.is_zero():
            raise Rejected("witness.vector: the vector is zero")
        return x

    def require_definite(self, matrix: Matrix, key: str) -> None:
        require_positive_definite(matrix, self.witness[key], f"witness.{key}")

    def require_independent(self, Phi: Sequence[SparseRow], d: int, support: Iterable[int]) -> None:
        """The rows `support` of Phi have full column rank: a d x d minor is not zero, modulo a prime."""
        given, where = record(self.witness["rank"], "witness.rank", ("prime", "rows")), "witness.rank.rows"
        p = read_prime(given["prime"], "witness.rank.prime")
        rows = states(items(given["rows"], where, d), where, len(Phi))
        if not set(rows) <= set(support):
            raise Rejected(f"{where}: a state lies outside the class")
        if solve_modulo(Matrix.of([Phi[s] for s in rows], d, p).dense(), [], p) is None:
            raise Rejected(f"{where}: the determinant of these rows of Phi is zero modulo {p}")
