"""Kinds about all models of a set (`sets`): stable, unstable, regular, on-policy; or two models of it that disagree."""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from functools import cached_property

from .budget import Rejected, bits_of, fraction_work, spend
from .matrices import Matrix, read_symmetric
from .model import Case, Model
from .opened import Opened
from .reading import choice, index, items, read_matrix, read_number, read_vector
from .relation import relation
from .signs import definite, hurwitz, unstable
from .sums import ZERO, Ends, Models, SumsOverSet


class OverSet(Opened):
    """One certificate about a set of models."""

    def __init__(self, models: Models, digest: str, about: object, witness: object):
        super().__init__(digest, about, witness)
        self.models = models

    @cached_property
    def core(self) -> set[int]:
        """States that every model visits for ever; the behaviour policy takes what the target policy does."""
        self.models.require_coverage()
        return self.models.core(index(self.witness["root"], "witness.root", 0, self.models.n))

    @cached_property
    def means(self) -> SumsOverSet:
        """Bounds of A over the square of `witness.unit`, which is positive: signs and stability are those of A."""
        if (unit := read_number(self.witness["unit"], "witness.unit")) <= 0:
            raise Rejected("witness.unit: the number is not positive")
        return SumsOverSet(self.models, unit)

    @cached_property
    def congruence(self) -> Matrix:
        d = self.models.d
        return Matrix.of(read_matrix(self.witness["congruence"], "witness.congruence", d, d), d)

    def growth(self, X: Matrix) -> list[list[Ends]]:
        """Ends of T'(XA + A'X)T, entry by entry, T the `congruence`: of k <= j, as it is symmetric."""
        d, T = self.models.d, self.congruence
        columns = [[[Fraction(x, M.denominator) for x in row] for row in M.columns()] for M in (X @ T, T)]
        where, found = "witness.potentials", dict[tuple[int, int], Ends]()
        given = iter(items(self.witness["potentials"], where, d * (d + 1) // 2))
        spend(2 * fraction_work(2 * max(bits_of(x) for M in columns for row in M for x in row)) * d**4)
        for k in range(d):
            for j in range(k, d):
                left, right = columns
                W = [[left[k][a] * right[j][b] + left[j][a] * right[k][b] for b in range(d)] for a in range(d)]
                found[k, j] = self.means.ends(W, next(given), f"{where}[{len(found)}]")
        return [[found[min(k, j), max(k, j)] for j in range(d)] for k in range(d)]

    def require_growth(self, X: Matrix, sign: int, shift: Fraction = ZERO) -> None:
        """sign (XA + A'X) - 2 shift X is positive definite for every model.

        Congruent by T, it lies in a box: its midpoint, less the row sums of the radii on the diagonal, is positive
        definite, and what is left is diagonally dominant. T is regular then, as the form is definite.
        """
        d, box = self.models.d, self.growth(X)
        middle = [[sign * (a + b) / 2 for a, b in row] for row in box]
        for i, row in enumerate(box):
            middle[i][i] -= sum(((b - a) / 2 for a, b in row), start=ZERO)
        S = Matrix.of([dict(enumerate(row)) for row in middle], d)
        if shift:
            T = self.congruence
            S = S - 2 * shift * (T.T @ X @ T)
        self.require_definite(S, "factor_growth")

    def form(self) -> Matrix:
        return read_symmetric(self.witness["lyapunov"], "witness.lyapunov", self.models.d)

    def place(self) -> str:
        """In words: the set, and what it rests on."""
        return self.models.place()


def set_stable(case: OverSet) -> str:
    """X > 0 and XA + A'X < 0 for every model (Lyapunov); A is of the only recurrent class of each."""
    case.open("", "root unit lyapunov factor_lyapunov congruence potentials factor_growth")
    _ = case.core
    X = case.form()
    case.require_definite(X, "factor_lyapunov")
    case.require_growth(X, -1)
    return f"every eigenvalue of A has negative real part, for every model {case.place()}"


def set_unstable(case: OverSet) -> str:
    """XA + A'X - 2 shift X > 0 for every model, and x'Xx > 0: see `unstable`."""
    case.open("", "root unit lyapunov congruence potentials factor_growth vector shift")
    _ = case.core
    X, x, shift = case.form(), case.nonzero_vector(case.models.d), read_number(case.witness["shift"], "witness.shift")
    if shift < 0 or sum((x.T @ X @ x).entries()) <= 0:
        raise Rejected("witness.shift is negative, or x'Xx is not positive at witness.vector")
    case.require_growth(X, 1, shift)
    return f"some eigenvalue of A has positive real part, for every model {case.place()}"


def set_regular(case: OverSet) -> str:
    """C > 0: features are independent on states that every model visits for ever. A is nonsingular, by a form: Ax = 0
    makes x'(XA + A'X)x zero; or as E >= |I - RA|, entry by entry, has spectral radius below one: E y < y, y > 0.
    """
    by_form = isinstance(case.given[1], dict) and "lyapunov" in case.given[1]
    keys = "sign lyapunov congruence potentials factor_growth" if by_form else "inverse potentials weights"
    case.open("", f"root unit rank {keys}")
    case.require_independent(case.models.Phi, case.models.d, case.core)
    if by_form:
        sign = choice(case.witness["sign"], "witness.sign", ["positive", "negative"])
        case.require_growth(case.form(), 1 if sign == "positive" else -1)
    else:
        d, where = case.models.d, "witness.potentials"
        R = read_matrix(case.witness["inverse"], "witness.inverse", d, d)
        pairs = items(case.witness["potentials"], where, d * d)
        y = read_vector(case.witness["weights"], "witness.weights", d)
        for k in range(d):
            reach = ZERO
            for j in range(d):
                W = [[R[k].get(a, ZERO) if b == j else ZERO for b in range(d)] for a in range(d)]
                low, high = case.means.ends(W, pairs[k * d + j], f"{where}[{k * d + j}]")
                reach += max((k == j) - low, high - (k == j)) * y[j]
            if y[k] <= 0 or reach >= y[k]:
                raise Rejected(f"witness.weights: E y < y, y > 0 fails in row {k}")
    hence = "GTD's mean matrix is Hurwitz for every eta > 0 and -A'C^-1 A is negative definite"
    return f"C is positive definite and A nonsingular, hence {hence}, for every model {case.place()}"


def set_on_policy(case: OverSet) -> str:
    """Proposition 4.1: with equal policies, discounts at most gamma < 1 and lambdas in [0, 1], |M|_D <= gamma, so that
    D(I - M) is positive definite on the recurrent class, and A is negative definite as features are independent there.
    """
    case.open("", "root rank")
    if not case.models.on_policy or case.models.largest_discount >= 1:
        raise Rejected("model.discount: it is one, or the policies differ")
    case.require_independent(case.models.Phi, case.models.d, case.core)
    return f"C is positive definite and A negative definite, whatever the probabilities, for every model {case.place()}"


def set_undecided(case: OverSet) -> str:
    """Two models of the set. TD: A is Hurwitz for one, and has an eigenvalue to the right for the other. GTD and TDC:
    determinants of either sign, so that A is singular for a model between the two: the set is convex, and A continuous.
    """
    case.open("algorithm", "root one other")
    name, _ = choice(case.about["algorithm"], "about.algorithm", ["TD", "GTD", "TDC"]), case.core
    pair = [witnessed(case.models, case.witness[key], f"witness.{key}") for key in ("one", "other")]
    says = [about_A(kind, inner, f"witness.{key}") for key, (kind, inner) in zip(("one", "other"), pair, strict=True)]
    if says != (["stable", "unstable"] if name == "TD" else ["positive", "negative"]):
        raise Rejected(f"witness: the two models are {says[0]} and {says[1]}, which does not disagree about {name}")
    words = "A is Hurwitz for one, and has an eigenvalue to the right for the other"
    words = words if name == "TD" else "det A is positive for one and negative for the other"
    return f"{name}: two models of the set disagree, {words}; the set is that of models {case.place()}"


def witnessed(models: Models, value: object, where: str) -> tuple[str, Case]:
    """A model of the set, and a certificate about it: its kind, what it is about, its witness."""
    canonical, given = models.witnessed(value, where)
    digest = hashlib.sha256(json.dumps(canonical, sort_keys=True).encode()).hexdigest()
    kind = choice(given["kind"], f"{where}.kind", ["definite", "hurwitz", "unstable", "relation"])
    return kind, Case(Model(canonical), digest, given["about"], given["witness"])


def about_A(kind: str, case: Case, where: str) -> str:
    """What a certificate of one of these kinds says of A: stable, unstable, or the sign of its determinant."""
    if kind == "relation":
        relation(case)
        given = case.witness["relations"]
        says = {True: "positive", False: "negative"}.get(given == [["0", "<", ["det", "A"]]])
        if given not in ([["0", "<", ["det", "A"]]], [[["det", "A"], "<", "0"]]):
            raise Rejected(f"{where}.witness.relations: this is not the sign of det A")
        return str(says)
    {"definite": definite, "hurwitz": hurwitz, "unstable": unstable}[kind](case)
    if case.about["matrix"] != "A" or case.about.get("sign") == "positive" or "columns" in case.about:
        raise Rejected(f"{where}.about: this is not about the stability of A")
    if kind == "hurwitz" and read_number(case.about["shift"], f"{where}.about.shift") > 0:
        raise Rejected(f"{where}.about.shift: the number is positive, so nothing is said about stability")
    return "unstable" if kind == "unstable" else "stable"
