"""Certificates by hand: fractions, and a literal reading of docs/certificates.md.

It shares no line with the checker or with the code that writes certificates; systems are solved by FLINT, which the
checker does without. Floats only propose triangular factors.
"""

from __future__ import annotations

import copy
import hashlib
import json
import math
from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat

F = Fraction
Json = Any
Rows = list[list[Fraction]]


def matrix(*rows: str) -> Rows:
    return [[F(x) for x in row.split()] for row in rows]


def whole(values: Iterable[F | int]) -> tuple[list[int], int]:
    """Integers over one denominator."""
    given = list(values)
    scale = math.lcm(*(x.denominator for x in given))
    return [x.numerator * (scale // x.denominator) for x in given], scale


def mul(A: Rows, B: Rows) -> Rows:
    """Row by column, reduced once an entry."""
    rows, cols = [whole(row) for row in A], [whole(col) for col in zip(*B, strict=True)]
    return [[F(sum(x * y for x, y in zip(u, v, strict=True)), p * q) for v, q in cols] for u, p in rows]


def add(A: Rows, B: Rows, scale: F | int = 1) -> Rows:
    return [[a + scale * b for a, b in zip(u, v, strict=True)] for u, v in zip(A, B, strict=True)]


def times(x: F | int, A: Rows) -> Rows:
    return [[x * a for a in row] for row in A]


def to_fmpq(x: F | int) -> fmpq:
    return fmpq(x.numerator, x.denominator)


def exact(rows: Rows) -> fmpq_mat:
    """The same matrix, for solutions and for products whose fractions become long."""
    return fmpq_mat([[to_fmpq(x) for x in row] for row in rows])


def column(values: list[F]) -> Rows:
    return [[x] for x in values]


def tr(A: Rows) -> Rows:
    return [list(col) for col in zip(*A, strict=True)]


def diag(d: list[F]) -> Rows:
    return [[x if i == j else F(0) for j in range(len(d))] for i, x in enumerate(d)]


def eye(n: int) -> Rows:
    return diag([F(1)] * n)


def solve(A: Rows, B: Rows) -> Rows:
    """A^-1 B. Raises StopIteration where A is singular."""
    try:
        found = exact(A).solve(exact(B))
    except ZeroDivisionError as error:
        raise StopIteration from error
    return [[F(int(x.p), int(x.q)) for x in row] for row in found.tolist()]


@cache
def read(x: str) -> F:
    return F(x)


def text(x: F | int) -> str:
    return str(F(x))


def strings(A: Rows) -> list[list[str]]:
    return [[text(x) for x in row] for row in A]


def law_on(P: Rows, cls: list[int]) -> list[F]:
    """The stationary law of P on a recurrent class."""
    k = len(cls)
    equations = [[P[i][j] - (i == j) for i in cls] for j in cls[1:]] + [[F(1)] * k]
    found = solve(equations, [[F(0)]] * (k - 1) + [[F(1)]])
    d = [F(0)] * len(P)
    for s, (x,) in zip(cls, found, strict=True):
        d[s] = x
    return d


class Built:
    """Everything docs/certificates.md lists under "What is rebuilt", from the model's JSON, by definition."""

    def __init__(self, model: Json, cls: list[int] | None = None, kernel: str = "target"):
        self.actions, self.n = model["actions"], len(model["features"])
        self.cls = list(range(self.n)) if cls is None else cls
        self.P, self.Gamma, self.R = (self.table(model[key]) for key in ("transitions", "discount", "rewards"))
        self.mu, self.pi = ([[read(x) for x in row] for row in model[key]] for key in ("behaviour", "target"))
        pairs = [list(zip(*laws, strict=True)) for laws in zip(self.mu, self.pi, strict=True)]
        used = [[x if kernel == "target" or m else F(0) for m, x in row] for row in pairs]
        one = self.table("1")
        self.P_mu, self.P_pi, self.N = self.mean(self.mu, one), self.mean(used, one), self.mean(used, self.Gamma)
        self.r, self.q = column([sum(row, F(0)) for row in self.mean(used, self.R)]), [sum(row, F(0)) for row in used]
        schedule = model["schedule"]
        if "constant" in schedule:
            self.S = self.without_end(F(schedule["constant"]["lambda"]), self.cls)
        else:
            self.S, term = eye(self.n), eye(self.n)
            for x in schedule["lambdas"]:
                term = times(F(x), mul(term, self.N))
                self.S = add(self.S, term)
        self.K = mul(self.S, add(self.N, diag(self.q), -1))
        self.d = law_on(self.P_mu, self.cls)
        self.Phi = [[read(x) for x in row] for row in model["features"]]
        weighted = mul(tr(self.Phi), diag(self.d))
        self.A, self.C = mul(mul(weighted, self.K), self.Phi), mul(weighted, self.Phi)
        self.b = mul(mul(weighted, self.S), self.r)
        self.DIM = [[-self.d[i] * self.K[i][j] for j in self.cls] for i in self.cls]

    def table(self, values: Json) -> list[Rows]:
        """By action, state and successor, in whichever of its forms it is written."""
        S = range(self.n)
        rows = [[values] * self.n if isinstance(values, str) else values[a] for a in self.actions]
        return [[[read(x if isinstance(x, str) else x[t]) for t in S] for x in of_action] for of_action in rows]

    def mean(self, weights: Rows, values: list[Rows]) -> Rows:
        """Over actions, times the probability of the transition."""
        S, A = range(self.n), range(len(self.actions))
        return [[sum((weights[s][a] * self.P[a][s][t] * values[a][s][t] for a in A), F(0)) for t in S] for s in S]

    def without_end(self, x: F, cls: Iterable[int]) -> Rows:
        """(I − λN)⁻¹ on the states that the class leads to; elsewhere, where there may be none, zero."""
        ahead = list(cls)
        for s in ahead:  # grows while it is read
            ahead += [t for t, y in enumerate(self.N[s]) if y and t not in ahead]
        part = [[self.N[s][t] for t in ahead] for s in ahead]
        inverse, zero = solve(add(eye(len(ahead)), part, -x), eye(len(ahead))), times(0, eye(len(self.N)))
        for s, row in zip(ahead, inverse, strict=True):
            for t, y in zip(ahead, row, strict=True):
                zero[s][t] = y
        return zero

    def gtd(self, eta: F) -> Rows:
        above = [u + v for u, v in zip(times(-eta, self.C), times(eta, self.A), strict=True)]
        return above + [u + [F(0)] * len(self.A) for u in times(-1, tr(self.A))]

    def tdc_joint(self, eta: F) -> Rows:
        right = times(-1, add(tr(self.A), self.C))
        above = [u + v for u, v in zip(self.A, right, strict=True)]
        return above + [u + v for u, v in zip(times(eta, self.A), times(-eta, self.C), strict=True)]

    def tdc(self) -> Rows:
        return times(-1, mul(tr(self.A), solve(self.C, self.A)))

    def matrix(self, name: str, eta: F = F(1)) -> Rows:  # noqa: B008 -- a number never changes
        """The matrix of this name; η where it has one."""
        match name:
            case "GTD":
                return self.gtd(eta)
            case "TDC":
                return self.tdc()
            case "TDC joint":
                return self.tdc_joint(eta)
        return {"A": self.A, "C": self.C, "D(I-M)": self.DIM}[name]


def sym(B: Rows) -> Rows:
    return times(F(1, 2), add(B, tr(B)))


def factor(S: Rows, bits: int = 24) -> Json:
    """A witness that S > 0: a rounded Cholesky factor of S less half its smallest eigenvalue."""
    scale = [F(1, 2**i) if x > 4**i else F(1) for i, x in enumerate(S[k][k] for k in range(len(S)))]
    W = np.array([[float(scale[i] * scale[j] * x) for j, x in enumerate(row)] for i, row in enumerate(S)])
    R = np.linalg.cholesky(W - np.eye(len(S)) * np.linalg.eigvalsh(W)[0] / 2)
    rows = [[str(round(float(R[i, j]) * 2**bits)) for j in range(i + 1)] for i in range(len(S))]
    return {"scale": [text(x) for x in scale], "bits": bits, "rows": rows}


def lyapunov(B: Rows, Q: Rows) -> Rows:
    """X with B'X + XB = Q: one linear equation for each entry."""
    n = len(B)
    cells = [(i, j) for i in range(n) for j in range(n)]
    equations = [[(B[k][i] if m == j else F(0)) + (B[m][j] if k == i else F(0)) for k, m in cells] for i, j in cells]
    x = solve(equations, [[Q[i][j]] for i, j in cells])
    return [[x[i * n + j][0] for j in range(n)] for i in range(n)]


def seal(certificate: Json) -> Json:
    canonical = json.dumps(certificate["model"], sort_keys=True, separators=(",", ":"))
    certificate["digest"] = hashlib.sha256(canonical.encode()).hexdigest()
    return certificate


def certify(kind: str, model: Json, about: Json, witness: Json) -> Json:
    return seal(
        {
            "format": "tdcert-certificate/1",
            "kind": kind,
            "claim": None,
            "model": copy.deepcopy(model),
            "about": about,
            "witness": witness,
        }
    )
