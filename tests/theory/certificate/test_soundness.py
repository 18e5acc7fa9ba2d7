"""Whatever the checker accepts is true: forged certificates of every kind, held against a second decision.

A forgery is a certificate about a random model on which much goes wrong (several classes, transient states, missing
coverage, dependent or vanishing features, discount 1, λ = 1 without end), taken as it is or with some of its fields
replaced. `TRUTH` decides each statement from the definitions, with fractions and textbook methods on models of at most
four states; it shares nothing with the checker. Only `mean_square_*` uses floats: eigenvalues, with room around 1.
"""

from __future__ import annotations

import copy
import json
import math
import random
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest
import sympy
from flint import fmpq

from tdcert.theory.certificate import checker
from tdcert.theory.certificate.checker import NotChecked, Rejected, check_text
from tests.effort import later
from tests.theory.certificate import convergence_by_hand
from tests.theory.certificate.by_hand import (
    Built,
    Json,
    Rows,
    add,
    certify,
    diag,
    exact,
    eye,
    factor,
    law_on,
    lyapunov,
    mul,
    seal,
    solve,
    strings,
    sym,
    text,
    times,
    to_fmpq,
    tr,
)
from tests.theory.certificate.sets_by_hand import forged_set
from tests.theory.certificate.sets_by_hand import truth as over_set
from tests.theory.certificate.test_checker import P61, TRUE, changed, leaves
from tests.theory.certificate.update_truth import UpdateTruth

F = Fraction


# ------------------------------------------------------------------------------------------- what is true


def independent(rows: Rows) -> list[int]:
    """Columns that are a basis of all columns."""
    columns: list[int] = []
    for j in range(len(rows[0])):
        if rank([[row[k] for k in [*columns, j]] for row in rows]) == len(columns) + 1:
            columns.append(j)
    return columns


def rank(rows: Rows) -> int:
    rows, found = [list(row) for row in rows], 0
    for j in range(len(rows[0])):
        pivot = next((i for i in range(found, len(rows)) if rows[i][j]), None)
        if pivot is None:
            continue
        rows[found], rows[pivot] = rows[pivot], rows[found]
        for i in range(found + 1, len(rows)):
            ratio = rows[i][j] / rows[found][j]
            rows[i] = [x - ratio * y for x, y in zip(rows[i], rows[found], strict=True)]
        found += 1
    return found


def determinant(rows: Rows) -> F:
    if not rows:
        return F(1)
    return sum(
        ((-1) ** j * x * determinant([row[:j] + row[j + 1 :] for row in rows[1:]]) for j, x in enumerate(rows[0]) if x),
        F(0),
    )


def positive(S: Rows) -> bool:
    return all(determinant([row[:k] for row in S[:k]]) > 0 for k in range(1, len(S) + 1))


def semidefinite(S: Rows) -> bool:
    """All principal minors are at least zero."""
    n = len(S)
    chosen = ([i for i in range(n) if mask >> i & 1] for mask in range(1, 2**n))
    return all(determinant([[S[i][j] for j in some] for i in some]) >= 0 for some in chosen)


def closure(P: Rows) -> list[set[int]]:
    """The states that each state reaches, itself included."""
    reached = [{s} for s in range(len(P))]
    for _ in P:
        reached = [set().union(*({t} | {u for u, x in enumerate(P[t]) if x} for t in found)) for found in reached]
    return reached


def classes(P: Rows) -> list[list[int]]:
    reached = closure(P)
    return [sorted(c) for s, c in enumerate(reached) if all(reached[t] == c for t in c) and s == min(c)]


def below(B: Rows) -> bool:
    """All eigenvalues of B have negative real part: B'X + XB = -I has a solution, and it is positive definite."""
    try:
        return positive(lyapunov(B, times(-1, eye(len(B)))))
    except StopIteration:
        return False


def above(B: Rows) -> bool:
    """Some eigenvalue has positive real part; where two of them sum to zero, floats say so."""
    try:
        X = lyapunov(B, eye(len(B)))
    except StopIteration:
        return bool(np.linalg.eigvals(np.array(B, dtype=float)).real.max() > 1e-9)
    return not positive(times(-1, X))


class Truth:
    """One statement: the class, and what the definitions make of the model."""

    def __init__(self, certificate: Json):
        self.model, self.about, self.witness = (certificate[key] for key in ("model", "about", "witness"))
        self.n = len(self.model["features"])
        if not isinstance(self.about, dict):
            raise TypeError("no object")

    @property
    def P(self) -> Rows:
        mu = [[F(x) for x in row] for row in self.model["behaviour"]]
        P = [self.model["transitions"][a] for a in self.model["actions"]]
        cells = range(self.n)
        return [[sum((w * F(P[a][s][t]) for a, w in enumerate(mu[s])), F(0)) for t in cells] for s in cells]

    @property
    def cls(self) -> list[int]:
        found = list(self.about["class"])
        assert found in classes(self.P), "not a recurrent class"
        return found

    @property
    def built(self) -> Built:
        return Built(self.model, self.cls, self.about.get("kernel", "target"))

    @property
    def reduced(self) -> tuple[Rows, Rows]:
        """A and T T' on a basis of the columns on the class, chosen here."""
        built = self.built
        on_class = [built.Phi[s] for s in built.cls]
        B = independent(on_class)
        basis = [[row[j] for j in B] for row in built.Phi]
        weighted = mul(tr(basis), diag(built.d))
        gram = mul(weighted, basis)
        T = solve(gram, mul(weighted, built.Phi))
        return mul(mul(weighted, built.K), basis), mul(T, tr(T))

    def matrix(self) -> Rows:
        built, name = self.built, self.about["matrix"]
        eta = F(self.about.get("eta", "1"))
        if "columns" in self.about:
            A, weight = self.reduced
            return mul(weight, A)
        return built.matrix(name, eta)

    def shifted(self) -> Rows:
        B = self.matrix()
        return add(B, eye(len(B)), -F(self.about["shift"]))

    @property
    def update(self) -> UpdateTruth:
        """Its moves are those of the model, actions first."""
        assert "class" not in self.about or self.cls, "not a recurrent class"
        mu, names = self.model["behaviour"], self.model["actions"]
        ways = [
            [
                (t, F(mu[s][a]) * F(x))
                for a, name in enumerate(names)
                for t, x in enumerate(self.model["transitions"][name][s])
                if F(mu[s][a]) * F(x)
            ]
            for s in range(self.n)
        ]
        return UpdateTruth(self.about, self.witness, ways, solve)

    def update_shifted(self) -> Rows:
        B = self.update.matrix()
        return add(B, eye(len(B)), -F(self.about["shift"]))

    def features(self) -> Rows:
        rows = [[F(x) for x in row] for row in self.model["features"]]
        return [rows[s] for s in self.cls] if "class" in self.about else rows

    def definite(self) -> bool:
        S = sym(self.matrix())
        return positive(S if self.about["sign"] == "positive" else times(-1, S))

    def nonsingular(self) -> bool:
        return determinant(self.reduced[0] if "columns" in self.about else self.built.A) != 0

    def contracts(self) -> bool:
        """On all states, where D is zero outside the class."""
        built, modulus = self.built, F(self.about["modulus"])
        M, D = add(built.K, eye(self.n)), diag(built.d)
        return semidefinite(add(times(modulus**2, D), mul(tr(M), mul(D, M)), -1))

    def period(self) -> bool:
        cls, P, lengths = self.cls, self.P, 0
        walk = {s: {s} for s in cls}
        for steps in range(1, 2 * self.n + 1):
            walk = {s: {u for t in found for u, x in enumerate(P[t]) if x} for s, found in walk.items()}
            lengths = math.gcd(lengths, steps) if any(s in found for s, found in walk.items()) else lengths
        return bool(lengths == self.witness["period"])

    def coverage(self) -> bool:
        s, a = self.witness["state"], self.witness["action"]
        return F(self.model["target"][s][a]) > 0 and F(self.model["behaviour"][s][a]) == 0

    def law(self) -> bool:
        cls = self.cls
        same = [F(x) for x in self.witness["stationary"]] == law_on(self.P, cls)
        return same and (not self.about.get("unique", False) or len(classes(self.P)) == 1)

    def fixed(self) -> bool:
        built = self.built
        theta = [[F(x)] for x in self.witness["theta"]]
        left = add(mul(built.A, theta), built.b)
        return determinant(built.A) != 0 and not any(x for (x,) in left)

    def converges(self) -> bool:
        """That C > 0 where A is nonsingular, so that GTD's matrix is Hurwitz, is what the theorem says."""
        theta, model, weight = [F(x) for x in self.witness["theta"]], self.model, None
        if "columns" in self.about or "coordinates" in self.witness:
            found = convergence_by_hand.on_columns(self.model, self.about, self.witness)
            if found is None:
                return False
            model, weight = found
        return convergence_by_hand.converges(model, self.about["algorithm"], theta, classes(self.P), below, weight)

    def radius(self) -> list[float]:
        """Spectral radii of the second moments' operator, at the step or at some steps up to the bound."""
        if "upto" in self.about:
            return [second_moments(self, F(self.about["upto"]) * F(i, 4)) for i in (1, 2, 3, 4)]
        return [second_moments(self, F(self.about["step"]))]


class Move(NamedTuple):
    """From window to window: x moves to x + alpha (K x + u), x = θ or (θ, w)."""

    source: int
    target: int
    p: F
    K: Rows
    u: list[F]


def moves_of(case: Truth, first: list[int]) -> list[Move]:
    """Windows as tuples of pairs, numbered as docs/certificates.md says."""
    model, about = case.model, case.about
    lambdas = [F(x) for x in model["schedule"]["lambdas"]]
    c = [F(math.prod(lambdas[:k], start=F(1))) for k in range(len(lambdas) + 1)]
    Phi = [[F(x) for x in row] for row in model["features"]]
    d, eta, algorithm = len(Phi[0]), F(about.get("eta", "1")), about["algorithm"]
    assert (algorithm == "off_policy_td") == ("eta" not in about) and eta > 0

    def cell(table: Json, name: str, s: int, t: int) -> F:
        value = table if isinstance(table, str) else table[name][s]
        return F(value if isinstance(value, str) else value[t])

    order: list[Any] = [(s, ()) for s in first]
    place, moves = {w: i for i, w in enumerate(order)}, []
    for window in order:
        s, past = window
        z = [sum((c[k] * p * Phi[j][i] for k, (j, p) in enumerate([(s, F(1)), *past])), F(0)) for i in range(d)]
        for a, name in enumerate(model["actions"]):
            mu = F(model["behaviour"][s][a])
            for t in range(case.n):
                x = mu * F(model["transitions"][name][s][t])
                if not x:
                    continue
                gamma, reward = (cell(model[key], name, s, t) for key in ("discount", "rewards"))
                rho = F(model["target"][s][a]) / mu
                pairs = [(s, rho * gamma), *((j, p * rho * gamma) for j, p in past)]
                after = (t, tuple(pairs[: len(lambdas)]) if rho * gamma else ())
                if after not in place:
                    place[after] = len(order)
                    order.append(after)
                e = [[rho * y] for y in z]
                phi = [[y] for y in Phi[s]]
                back = [[y - gamma * u] for y, u in zip(Phi[s], Phi[t], strict=True)]
                td, correction = times(-1, mul(e, tr(back))), mul(back, tr(e))
                zero, gain = times(0, td), [reward * y for (y,) in e]
                if algorithm == "off_policy_td":
                    K, u = td, gain
                else:
                    top = zero if algorithm == "gtd" else td
                    beside = correction if algorithm == "gtd" else add(correction, mul(phi, tr(phi)), -1)
                    K = [u + v for u, v in zip(top, beside, strict=True)]
                    K += [u + v for u, v in zip(times(eta, td), times(-eta, mul(phi, tr(phi))), strict=True)]
                    u = [*(F(0) if algorithm == "gtd" else y for y in gain), *(eta * y for y in gain)]
                moves.append(Move(place[window], place[after], x, K, u))
    return moves


def second_moments(case: Truth, alpha: F) -> float:
    """vec(y y') moves by the mean of (I + alpha K) x (I + alpha K)."""
    assert alpha > 0
    moves = moves_of(case, case.cls)
    size, count = len(moves[0].K), 1 + max(move.target for move in moves)
    count = max(count, 1 + max(move.source for move in moves))
    whole = np.zeros((count * size**2,) * 2)
    for h, g, x, K, _ in moves:
        B = np.array(add(eye(size), K, alpha), dtype=float)
        whole[g * size**2 : (g + 1) * size**2, h * size**2 : (h + 1) * size**2] += float(x) * np.kron(B, B)
    return float(max(abs(np.linalg.eigvals(whole))))


U = sympy.Symbol("u")


def positive_until(S: sympy.Matrix, end: F) -> bool:
    """A symmetric matrix of polynomials is positive definite at every u in (0, end]: so are its leading minors.

    A minor less its factors of u has a positive value at zero and no root up to the end, by Sturm's theorem.
    """
    for k in range(1, S.shape[0] + 1):
        minor = sympy.Poly(S[:k, :k].det(method="berkowitz"), U, domain="QQ")
        if minor.is_zero:
            return False
        least = min(power for (power,) in minor.monoms())
        minor = minor.quo(sympy.Poly(U**least, U, domain="QQ"))
        if minor.eval(0) <= 0 or minor.count_roots(0, sympy.Rational(end.numerator, end.denominator)):
            return False
    return True


def symbolic(rows: Rows) -> sympy.Matrix:
    return sympy.Matrix([[sympy.Rational(x.numerator, x.denominator) for x in row] for row in rows])


def stays(case: Truth) -> bool:
    """Whether the witness shows it, for steps a/(t + t0).

    With u = 1/(t + t0) the steps are αₜ = au and αₜ₊₁ = au/(1 + u), so (1 + u)² times L_t is a matrix of polynomials in
    u; its minors are decided at every u at once. Means: second moments are propagated in fractions to the first phase,
    then e' = (1 − cα)e + nα², step by step. The squares are summed one by one, and what is left of them is a²u or more.
    """
    about, witness, update = case.about, case.witness, case.update
    a, t0, p = (F(x) for x in about["steps"])
    law, rest, begin = ([F(x) for x in y] for y in (about["start"], witness["rest"], about["begin"]))
    within, probability, floor = F(about["within"]), F(about["probability"]), F(witness["floor"])
    phases = [(int(x["start"]), F(x["decay"]), F(x["noise"])) for x in witness["phases"]]
    starts, time, ratios = [start for start, _, _ in phases], int(about["time"]), [F(x) for x in about["ratios"]]
    assert p == 1 and a > 0 and t0 > 0 and within > 0 and 0 < probability < 1 and floor > 0
    assert sum(law) == 1 and min(law) >= 0 and starts and starts == sorted(set(starts)) and starts[-1] <= time
    assert ratios[0] == 1 and min(ratios) > 0
    assert update.contexts[: update.starts] == [s for s, x in enumerate(law) if x] and about["update"]["at"] is None
    first = [x for x in law if x]
    every = [k for *_, part in update.moves for k, _ in part] + [k for part in update.divisors for k, _ in part]
    D, top = len(rest), max(map(sum, every))

    def size(powers: list[int]) -> F:
        return math.prod((x**k for x, k in zip(ratios, powers, strict=True)), start=F(1))

    orders = []  # H_0, H_1, …: what the powers of α multiply in qB − q, move by move
    for i in range(top + 1):
        count, moves = update.walk(lambda powers: size(powers) * (sum(powers) == i))  # noqa: B023
        H = [[[*k[:D], k[D] + sum(x * y for x, y in zip(k, rest, strict=False))] for k in K] for *_, K in moves]
        orders.append([[*X, [F(0)] * (D + 1)] for X in H])
    q = [
        [sum((size(k) * F(x) for k, x in update.divisors[m] if sum(k) == i), F(0)) for i in range(top + 1)]
        for m in update.walked
    ]
    if any(x for X in orders[0] for row in X for x in row) or any(one[0] <= 0 for one in q):
        return False  # something moves without a step, or a divisor is not positive at zero
    H = [times(1 / one[0], X) for X, one in zip(orders[1], q, strict=True)]
    P = [[F(0)] * count for _ in range(count)]
    for h, g, x, _ in moves:
        P[h][g] += x
    for cls in classes(P):
        visits = law_on(P, cls)
        drift = [sum(visits[m[0]] * m[2] * X[i][D] for m, X in zip(moves, H, strict=True)) for i in range(D)]
        if any(drift):
            return False  # not the fixed point
    Q = [[*(F(x) for x in row), F(0)] for row in witness["lyapunov"]] + [[F(0)] * (D + 1)]
    T, S = ([[[F(x) for x in row] for row in X] for X in witness[key]] for key in ("first", "second"))
    assert all(tr(X) == X for X in (Q, *T, *S)) and len(T) == len(S) == count

    def form(h: int, alpha: Any, later: Any = 1) -> sympy.Matrix:
        """``later``² W at the step ``alpha``/``later``."""
        return later**2 * symbolic(Q) + later * alpha * symbolic(T[h]) + alpha**2 * symbolic(S[h])

    kept, one = [F(int(i in about["measured"])) for i in range(D + 1)], [F(int(i == D)) for i in range(D + 1)]
    alpha = sympy.Rational(a.numerator, a.denominator) * U
    over = [sum(sympy.Rational(x.numerator, x.denominator) * alpha**i for i, x in enumerate(one)) for one in q]
    B = [
        over[m] * sympy.eye(D + 1) + sum((alpha**i * symbolic(X[m]) for i, X in enumerate(orders)), sympy.zeros(D + 1))
        for m in range(len(moves))
    ]
    for h in range(len(T)):
        if not positive_until(form(h, alpha), 1 / (starts[0] + t0)):
            return False
        if not positive_until(form(h, alpha) - symbolic(times(floor, diag(kept))), 1 / (time + t0)):
            return False
        after, divisors = sympy.zeros(D + 1, D + 1), {y for m, y in zip(moves, over, strict=True) if m[0] == h}
        for m, X, y in zip(moves, B, over, strict=True):
            if m[0] == h:
                others = math.prod(x**2 for x in divisors if x != y)
                after += others * symbolic([[m[2]]])[0] * X.T * form(m[1], alpha, 1 + U) * X
        for start, decay, noise in phases:
            c, n = symbolic([[decay, noise]])
            step = (1 - c * alpha) * form(h, alpha) + n * alpha**2 * symbolic(diag(one))
            if (
                c < 0
                or n < 0
                or not positive_until((1 + U) ** 2 * math.prod(x**2 for x in divisors) * step - after, 1 / (start + t0))
            ):
                return False
            if decay * a > start + t0:
                return False
    y = [[x - z] for x, z in zip(begin, rest, strict=True)] + [[F(1)]]
    Y = [exact(times(first[h] if h < len(first) else 0, mul(y, tr(y)))) for h in range(count)]
    by_power = [[exact(X[k]) for X in orders] for k in range(len(moves))]
    chances, divisor = [to_fmpq(m[2]) for m in moves], [[to_fmpq(x) for x in one] for one in q]
    for t in range(starts[0]):
        moved, at_t = [0 * X for X in Y], to_fmpq(a / (t + t0))
        for k, (m, p_k) in enumerate(zip(moves, chances, strict=True)):
            step, over_q = exact(eye(D + 1)), 1 / sum((x * at_t**j for j, x in enumerate(divisor[k])), fmpq(0))
            for i, X in enumerate(by_power[k]):
                step += X * (at_t**i * over_q)
            moved[m[1]] += step * Y[m[0]] * step.transpose() * p_k
        Y = moved
    now = a / (starts[0] + t0)
    forms = [exact(add(add(Q, T[h], now), S[h], now**2)) for h in range(count)]
    found = sum(((W * X)[i, i] for W, X in zip(forms, Y, strict=True) for i in range(D + 1)), fmpq(0))
    e = F(int(found.p), int(found.q))
    decay = noise = F(0)
    for t in range(starts[0], time):
        decay, noise = next(((c, n) for start, c, n in phases if start == t), (decay, noise))
        now = a / (t + t0)
        e = F(math.ceil(((1 - decay * now) * e + noise * now**2) * 2**256), 2**256)
    last = time + 1_000
    squares = sum((F(math.floor(2**256 * (a / (t + t0)) ** 2), 2**256) for t in range(time, last)), F(0))
    return e + phases[-1][2] * (squares + a**2 / (last + t0)) <= (1 - probability) * floor * within**2


def over_the_set(kind: str, t: Truth) -> bool:
    return over_set(kind, t.model, t.witness)


TRUTH: dict[str, Callable[[Truth], bool]] = {
    "stationary_law": Truth.law,
    "irreducible": lambda t: all(len(found) == t.n for found in closure(t.P)),
    "reducible": lambda t: any(len(found) < t.n for found in closure(t.P)),
    "period": Truth.period,
    "full_column_rank": lambda t: rank(t.features()) == len(t.features()[0]),
    "rank_deficient": lambda t: rank(t.features()) < len(t.features()[0]),
    "missing_coverage": Truth.coverage,
    "definite": Truth.definite,
    "not_definite": lambda t: not t.definite(),
    "nonsingular": Truth.nonsingular,
    "singular": lambda t: not t.nonsingular(),
    "gradient_stable": Truth.nonsingular,
    "hurwitz": lambda t: below(t.shifted()),
    "unstable": lambda t: above(t.shifted()),
    "fixed_point": Truth.fixed,
    "contraction": Truth.contracts,
    "convergence": Truth.converges,
    "not_contraction": lambda t: not t.contracts(),
    "mean_square_bounded": lambda t: max(t.radius()) < 1 + 1e-6,
    "mean_square_unbounded": lambda t: min(t.radius()) > 1 - 1e-6,
    "update_hurwitz": lambda t: below(t.update_shifted()),
    "update_unstable": lambda t: above(t.update_shifted()),
    "update_rest": lambda t: t.update.rests(),
    "update_mean_square_bounded": lambda t: max(t.update.radii(square=True)) < 1 + 1e-6,
    "update_mean_square_unbounded": lambda t: min(t.update.radii(square=True)) > 1 - 1e-6,
    "update_for_ever": stays,
    "update_memory_bounded": lambda t: t.update.forgets(),
    "update_memory_unbounded": lambda t: t.update.spread() > 1 - 1e-3,
    "update_covariance": lambda t: t.update.varies(),
    "update_safe_steps": lambda t: max(t.update.safe_radii()) < 1 + 1e-4,
    "update_no_safe_step": lambda t: t.update.swells(),
    "update_moments": lambda t: t.update.at_time(),
    "update_mean_bounded": lambda t: t.update.radius_of_the_mean() < 1 + 1e-6,
    "update_mean_unbounded": lambda t: t.update.mean_grows(),
    "path_exponent_forms": lambda t: t.update.falls(),
    "path_exponent_determinant": lambda t: t.update.rises(),
    "path_exponent_determinant_restart": lambda t: t.update.rises_between_cuts(),
    "path_exponent_cells": lambda t: t.update.falls() if t.about["side"] == "upper" else t.update.rises_everywhere(),
    "path_exponent_forms_restart": lambda t: t.update.falls_between_cuts(),
    "path_exponent_scalar": lambda t: t.update.scalar(),
    "path_product_zero": lambda t: t.update.vanishes(),
    **{
        kind: partial(over_the_set, kind)
        for kind in ("set_stable", "set_unstable", "set_regular", "set_on_policy", "set_undecided")
    },
}
"""`relation` has its second decision in test_relations.py."""


# --------------------------------------------------------------------------------------------- forgeries


def random_model(rng: random.Random) -> Json:
    n, m, d = rng.randint(1, 4), rng.randint(1, 2), rng.randint(1, 3)

    def law(size: int) -> list[str]:
        weights = [rng.choice((0, 0, 1, 2)) for _ in range(size)]
        weights[rng.randrange(size)] += 1
        return [text(F(w, sum(weights))) for w in weights]

    names = [f"a{i}" for i in range(m)]
    features = [[F(rng.randint(-2, 2)) for _ in range(d)] for _ in range(n)]
    if d > 1 and rng.random() < 0.5:  # dependent columns
        j, k = rng.sample(range(d), 2)
        factor_of = rng.choice((0, 1, -1, 2))
        for row in features:
            row[j] = factor_of * row[k]
    if rng.random() < 0.3:
        features[rng.randrange(n)] = [F(0)] * d
    behaviour = [law(m) for _ in range(n)]
    numbers = ("0", "1/2", "9/10", "1", "1")
    by_state = {a: [rng.choice(numbers) for _ in range(n)] for a in names}
    finite = {"lambdas": [rng.choice(("0", "1", "1/2", "-1", "3")) for _ in range(rng.randint(0, 2))] + ["1"]}
    return {
        "format": "tdcert-model/1",
        "actions": names,
        "transitions": {a: [law(n) for _ in range(n)] for a in names},
        "rewards": {a: [str(rng.randint(-2, 2)) for _ in range(n)] for a in names},
        "discount": rng.choice((rng.choice(numbers), by_state)),
        "behaviour": behaviour,
        "target": rng.choice((behaviour, [law(m) for _ in range(n)])),
        "features": strings(features),
        "schedule": rng.choice(({"lambdas": []}, finite, {"constant": {"lambda": rng.choice(("1", "1/2"))}})),
    }


ONE = {"scale": ["1"], "bits": 0, "rows": [["0"]]}


def propose(S: Rows) -> Json:
    """A factor, if there is one; else one that proves nothing."""
    try:
        return factor(S, 40)
    except (np.linalg.LinAlgError, ValueError, OverflowError):
        return {**ONE, "scale": ["1"] * len(S), "rows": [["0"] * (i + 1) for i in range(len(S))]}


def forged(rng: random.Random, kind: str) -> Json:
    """What one who wants this statement accepted about this model would write."""
    model = random_model(rng)
    if kind == "unstable" and rng.random() < 0.5:  # seldom met at random
        model = copy.deepcopy(rng.choice([x["model"] for x in TRUE.values() if x["kind"] == "unstable"]))
    truth = Truth({"model": model, "about": {}, "witness": {}})
    P, d = truth.P, len(model["features"][0])
    n = truth.n
    cls = rng.choice(classes(P)) if rng.random() < 0.8 else sorted(rng.sample(range(n), rng.randint(1, n)))
    kernel = "target" if "contraction" in kind else rng.choice(("target", "covered"))
    try:
        law = law_on(P, cls)
        built = Built(model, cls, kernel)
    except StopIteration:  # no law there, or a series without a sum
        return certify(kind, model, {}, {})

    def small(size: int) -> list[str]:
        return [text(F(rng.randint(-2, 2))) for _ in range(size)]

    null = small(d)
    stationary = [text(x) for x in law]
    rows = rng.sample(cls, min(d, len(cls)))
    on = {"class": cls, "kernel": kernel}
    ranked = {"prime": P61, "rows": rows}
    columns = sorted(rng.sample(range(d), rng.randint(1, d)))
    coordinates = eye(d) if len(columns) == d else [[F(rng.randint(-2, 2)) for _ in range(d)] for _ in columns]
    basis = independent([built.Phi[s] for s in cls])
    if rng.random() < 0.5 and basis:
        columns = basis
        part = [[built.Phi[s][j] for j in basis] for s in cls]
        coordinates = solve(mul(tr(part), part), mul(tr(part), [built.Phi[s] for s in cls]))
    quotient = rng.random() < 0.5 and kind in ("singular", "gradient_stable", "hurwitz", "unstable")
    size = d
    if quotient:
        on, size = {**on, "columns": columns}, len(columns)
    extra = {"coordinates": strings(coordinates)} if quotient else {}
    if kind in ("stationary_law",):
        return certify(kind, model, {"class": cls, "unique": rng.random() < 0.5}, {"stationary": stationary})
    if kind == "irreducible":
        trees = [[None if s == 0 else rng.randrange(n) for s in range(n)] for _ in range(2)]
        return certify(kind, model, {}, {"root": 0, "from_root": trees[0], "to_root": trees[1]})
    if kind == "reducible":
        return certify(kind, model, {}, {"closed_set": cls})
    if kind == "period":
        length = rng.randint(1, n)
        walks = [[rng.choice(cls) for _ in range(rng.randint(1, 4))] for _ in range(3)]
        phase = [rng.randrange(length) for _ in cls]
        return certify(
            kind,
            model,
            {"class": cls},
            {"period": length, "phase": phase, "closed_walks": [[*walk, walk[0]] for walk in walks]},
        )
    if kind in ("full_column_rank", "rank_deficient"):
        witness: Json = {"rank": ranked} if kind == "full_column_rank" else {"vector": null}
        return certify(kind, model, rng.choice(({}, {"class": cls})), witness)
    if kind == "missing_coverage":
        return certify(kind, model, {}, {"state": rng.randrange(n), "action": rng.randrange(len(model["actions"]))})
    if kind in ("definite", "not_definite"):
        name, sign = rng.choice(("A", "C", "D(I-M)")), rng.choice(("positive", "negative"))
        about = {**on, "matrix": name, "sign": sign}
        S = {"A": built.A, "C": built.C, "D(I-M)": built.DIM}[name]
        if kind == "not_definite":
            length = len(S)
            if name == "A" and rng.random() < 0.3:
                about, length = {**about, "matrix": "GTD", "eta": rng.choice(("1/2", "1", "3"))}, 2 * d
            return certify(kind, model, about, {"stationary": stationary, "vector": small(length)})
        witness = {"stationary": stationary}
        how = rng.randrange(3)
        if how != 1:
            of = built.DIM if how == 2 else S if sign == "positive" else times(-1, S)
            witness["factor"] = propose(sym(of))
        if how:
            witness["rank"] = ranked
        return certify(kind, model, about, witness)
    if kind == "nonsingular":
        return certify(kind, model, {**on, "matrix": "A"}, {"stationary": stationary, "prime": P61})
    if kind == "singular":
        witness = {"stationary": stationary, "vector": small(size), **extra}
        return certify(kind, model, {**on, "matrix": "A"}, witness)
    if kind == "gradient_stable":
        witness = {"stationary": stationary, "rank": {"prime": P61, "rows": rows[:size]}, "prime": P61, **extra}
        return certify(kind, model, on, witness)
    if kind in ("hurwitz", "unstable"):
        name = "A" if quotient else rng.choice(("A", "GTD", "TDC", "TDC joint"))
        eta = F(rng.choice(("1/2", "1", "3")))
        shift = F(rng.choice(("0", "1", "1/10") if kind == "unstable" else ("0", "1", "-1/10")))
        try:
            if quotient:
                some = [[row[j] for j in columns] for row in built.Phi]
                A = mul(mul(mul(tr(some), diag(law)), built.K), some)
                B = mul(mul(coordinates, tr(coordinates)), A)
            else:
                B = built.matrix(name, eta)
            shifted = add(B, eye(len(B)), -shift)
            X = lyapunov(shifted, times(1 if kind == "unstable" else -1, eye(len(B))))
        except StopIteration:
            return certify(kind, model, {}, {})
        about = {**on, "matrix": name, "shift": text(shift)}
        if name in ("GTD", "TDC joint"):
            about["eta"] = text(eta)
        one = {"scale": ["1"] * len(X), "bits": 0, "rows": [["0"] * (i + 1) for i in range(len(X))]}
        witness = {"stationary": stationary, "lyapunov": strings(X), **extra}
        if kind == "hurwitz":
            return certify(kind, model, about, {**witness, "factor_lyapunov": propose(X), "factor_decrease": one})
        return certify(kind, model, about, {**witness, "factor_growth": one, "vector": small(len(X))})
    if kind == "fixed_point":
        try:
            theta = [text(-x) for (x,) in solve(built.A, built.b)]
        except StopIteration:
            theta = small(d)
        return certify(kind, model, on, {"stationary": stationary, "theta": theta, "prime": P61})
    if kind == "convergence":
        return convergence_by_hand.random_forgery(rng, model, cls)
    if kind in ("contraction", "not_contraction"):
        modulus = rng.choice(("0", "1/2", "9/10", "1", "2"))
        about = {"class": cls, "modulus": modulus}
        if kind == "not_contraction":
            return certify(kind, model, about, {"stationary": stationary, "vector": small(n)})
        if rng.random() < 0.5:
            return certify(kind, model, about, {"stationary": stationary, "weights": ["1"] * len(cls)})
        M = add([[built.K[i][j] for j in cls] for i in cls], eye(len(cls)))
        D = diag([law[s] for s in cls])
        Z = add(times(F(modulus) ** 2, D), mul(tr(M), mul(D, M)), -1)
        chosen = independent(Z)
        some = [[Z[i][j] for j in chosen] for i in chosen]
        coordinates = solve(some, [Z[i] for i in chosen]) if chosen else []
        given = {"columns": chosen, "coordinates": strings(coordinates), "factor": propose(some) if chosen else None}
        return certify(kind, model, about, {"stationary": stationary, "semidefinite": given})
    return certify(kind, model, {}, {})


def second_moments_forged(rng: random.Random, kind: str) -> Json:
    """Of one of the true certificates with another step, ratio, discount, features or matrices."""
    certificate = copy.deepcopy(rng.choice([x for x in TRUE.values() if x["kind"].startswith("mean_square")]))
    certificate["kind"] = kind
    about, witness, model = (certificate[key] for key in ("about", "witness", "model"))
    key = "upto" if "upto" in about else "step"
    about[key] = rng.choice((about[key], "1/10", "1", "2", "4", "5"))
    count = len(witness["lyapunov"])
    if key == "step":
        if kind == "mean_square_unbounded":
            witness |= {"vector": ["1"] * len(witness["lyapunov"][0]), "window": rng.randrange(count)}
        else:
            witness.pop("vector", None)
            witness.pop("window", None)
        h = rng.randrange(count)
        witness["lyapunov"][h][0][0] = rng.choice((witness["lyapunov"][h][0][0], "-1", "5", "10"))
    elif kind == "mean_square_unbounded":
        witness["vector"] = ["1"] * len(witness["lyapunov"])
    else:
        witness.pop("vector", None)
    if rng.random() < 0.5:
        model["discount"] = rng.choice(("0", "1/2", "9/10", "1"))
    return seal(certificate)


def update_forged(rng: random.Random, kind: str) -> Json:
    """One of the true certificates with a number or two, of its tables, steps or witness, enlarged or turned."""
    certificate = copy.deepcopy(rng.choice([x for x in TRUE.values() if x["kind"] == kind]))
    numbers = [
        (path, value)
        for part in ("about", "witness")
        for path, value in leaves(certificate[part], (part,))
        if isinstance(value, str) and path[-1] not in ("name", "matrix", "sign", "side") and "steps" not in path[:-2]
    ]
    for path, value in rng.sample(numbers, min(len(numbers), rng.choice((1, 1, 2)))):
        if path[1:3] != ("update", "steps"):
            factor = F(rng.choice(("-1", "1/2", "4/5", "99/100", "101/100", "5/4", "2", "5")))
            certificate = changed(certificate, path, text(F(value) * factor))
    return seal(certificate)


def enlarged(value: Json, factor: F) -> Json:
    """Every number in it times the factor."""
    if isinstance(value, list):
        return [enlarged(x, factor) for x in value]
    if isinstance(value, dict):
        return {key: enlarged(x, factor) for key, x in value.items()}
    return round(value * factor) if isinstance(value, int) else text(F(value) * factor)


def for_ever_forged(rng: random.Random, known: Json) -> Json:
    """Of a true certificate, with one or two of its numbers enlarged or made smaller."""
    certificate = copy.deepcopy(known)
    about, witness = certificate["about"], certificate["witness"]
    phase = rng.choice(witness["phases"])
    every = [move for moves in about["update"]["moves"] for move in moves]
    terms = [(x, 3) for move in every for _, part in move[2] for x in part]
    terms += [(x, 1) for move in every for part in move[3:] for x in part]
    places: list[tuple[Any, Any]] = [(about, key) for key in ("within", "probability", "time", "begin")]
    places += [(witness, key) for key in ("rest", "lyapunov", "first", "second", "floor")]
    places += [(about["steps"], 0), (about["steps"], 1), rng.choice(terms), (about["ratios"], -1)]
    places += [(phase, key) for key in phase]
    for _ in range(rng.choice((1, 1, 2))):
        where, key = rng.choice(places)
        where[key] = enlarged(where[key], F(rng.choice(("1/2", "4/5", "49/50", "99/100", "1", "51/50", "5/4", "2"))))
    return seal(certificate)


def edited(rng: random.Random, certificate: Json) -> Json:
    """One field replaced by a like one, of this or of another certificate of the kind."""
    certificate = copy.deepcopy(certificate)
    others = [x for x in TRUE.values() if x["kind"] == certificate["kind"]]
    part = rng.choice(("about", "witness", "model"))
    source = rng.choice([*others, certificate])[part]
    if isinstance(source, dict) and source:
        key = rng.choice(sorted(source))
        certificate[part][key] = copy.deepcopy(source[key])
    return seal(certificate)


def accepted(certificate: Json) -> bool:
    try:
        check_text(json.dumps(certificate))
    except NotChecked:
        return False
    except Rejected as error:
        assert "unexpected" not in str(error), error
        return False
    return True


def forgery(rng: random.Random, kind: str) -> Json:
    if kind == "update_for_ever":
        return for_ever_forged(rng, TRUE[rng.choice([x for x in TRUE if "for ever" in x])])
    if kind.startswith("set_"):
        return forged_set(rng, rng.choice([x for x in TRUE.values() if x["kind"] == kind]))
    if kind.startswith(("update", "path")):
        return update_forged(rng, kind)
    return second_moments_forged(rng, kind) if kind.startswith("mean_square") else forged(rng, kind)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", TRUTH)
def test_whatever_is_accepted_is_true(kind: str) -> None:
    """Of 500 forgeries of each kind, and 50 where the second decision takes long, some are accepted."""
    rng, found = random.Random(kind), 0
    for _ in range(50 if kind.startswith(("update_for_ever", "path", "set_")) else 500):
        certificate = forgery(rng, kind)
        for _ in range(rng.choice((0, 0, 1, 2))):
            certificate = edited(rng, certificate)
        if accepted(certificate):
            found += 1
            assert TRUTH[kind](Truth(certificate)), json.dumps(certificate)
    assert found > 5


@pytest.mark.parametrize(
    "name",
    later([name for name in TRUE if TRUE[name]["kind"] in TRUTH], lambda name: name.startswith("paths, cells, ")),
)
def test_the_second_decision_agrees_with_what_is_true(name: str) -> None:
    assert TRUTH[TRUE[name]["kind"]](Truth(TRUE[name]))


def test_the_second_decision_inverts_nothing_off_the_class() -> None:
    """State 1 keeps the discount one under λ = 1 without end, where no sum exists; the class {0} never leads to it."""
    model = {
        **{"format": "tdcert-model/1", "actions": ["go"], "behaviour": [["1"], ["1"]], "target": [["1"], ["1"]]},
        **{"transitions": {"go": [["1", "0"], ["1/2", "1/2"]]}, "rewards": {"go": ["1", "1"]}},
        **{"discount": {"go": [["1/2", "0"], ["0", "2"]]}, "features": [["1"], ["1"]]},
        "schedule": {"constant": {"lambda": "1"}},
    }
    ((A,),) = Built(model, [0]).A
    assert A == -1
    with pytest.raises(StopIteration):
        Built(model)


def test_every_kind_has_a_second_decision() -> None:
    assert set(checker.KINDS) - set(TRUTH) == {"relation"}
