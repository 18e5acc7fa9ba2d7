"""The model, found valid; one certificate about it; the matrices N, S, K, M, A, C, D that statements are about."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property

from . import limits
from .budget import ONE, Made, Rejected, bits_of, foresee_chain, fraction_work, spend, spend_fractions, spend_products
from .matrices import Matrix, integers, is_singular, read_prime, solve, solve_modulo, stochastic
from .opened import Opened
from .reading import (
    SparseRow,
    Table,
    choice,
    entry,
    items,
    read_matrix,
    read_number,
    read_table,
    read_vector,
    read_weights,
    record,
    show,
    states,
)

SAMPLING = ("sampling", "sampling_law")


def add(row: SparseRow, key: int, first: Fraction, *factors: Fraction) -> None:
    """Add a product to an entry of a row, which then has at most the bits of both."""
    before, bits = row.get(key), bits_of(first, *factors)
    spend(fraction_work(bits_of(before or ONE) + bits), bits if before else bits + 1_300)
    product = first
    for factor in factors:
        product = factor if product == 1 else product if factor == 1 else product * factor
    row[key] = before + product if before else product


def read_schedule(value: object) -> tuple[list[Fraction], Fraction | None]:
    """lambda_1 ... lambda_L, and None; or none, and the lambda of an infinite schedule."""
    if isinstance(value, dict) and "constant" in value:
        where = "model.schedule.constant"
        given = record(record(value, "model.schedule", ["constant"])["constant"], where, ["lambda"])
        constant = read_number(given["lambda"], f"{where}.lambda")
        if not 0 < constant <= 1:
            raise Rejected(f"{where}.lambda: the number is outside (0, 1]")
        return [], constant
    where = "model.schedule.lambdas"
    numbers = items(record(value, "model.schedule", ["lambdas"])["lambdas"], where)
    if len(numbers) > limits.MAX_LAMBDAS:
        raise Rejected(f"{where}: there are {len(numbers)}, and the bound is {limits.MAX_LAMBDAS}")
    lambdas = read_vector(numbers, where, len(numbers))
    if lambdas[-1:] == [0]:
        raise Rejected(f"{where}: the last one is zero")
    return lambdas, None


def read_by_state(value: object, n: int) -> list[Fraction] | None:
    """`by_state`: lambda of each state; None where the schedule is another."""
    if not isinstance(value, dict) or "by_state" not in value:
        return None
    given = record(value, "model.schedule", ["by_state"])["by_state"]
    return read_weights(given, "model.schedule.by_state", n, within_one=True)


DRAWN = -1  # in the place of the state of a context, where transitions are drawn independently


class Model:
    """The model, in canonical form and found valid. `sampling`: None along a path; else the law of each state drawn."""

    def __init__(self, value: object):
        keys = "format actions transitions rewards discount behaviour target features schedule"
        model = record(value, "model", keys.split(), ["sampling", "sampling_law", "interest"])
        choice(model["format"], "model.format", ["tdcert-model/1"])
        names = [x for x in items(model["actions"], "model.actions") if isinstance(x, str)]
        m = len(items(model["actions"], "model.actions"))
        if not 1 <= m <= limits.MAX_ACTIONS or len(set(names)) != m:
            raise Rejected(f"model.actions: this is not a list of 1 to {limits.MAX_ACTIONS} distinct names")

        def per_action(key: str) -> list[tuple[object, str]]:
            values = record(model[key], f"model.{key}", names)
            return [(values[a], f"model.{key}[{show(a)}]") for a in names]

        n = len(items(*per_action("transitions")[0]))
        if not 1 <= n <= limits.MAX_STATES:
            raise Rejected(f"model.transitions: there are {n} states, and the bounds are 1 and {limits.MAX_STATES}")
        self.P = [stochastic(x, where, n, n) for x, where in per_action("transitions")]
        self.R = [read_table(x, where, n) for x, where in per_action("rewards")]
        self.gamma: Fraction | None = None  # the discount, where one number stands for all transitions
        if isinstance(model["discount"], str):
            self.gamma = read_number(model["discount"], "model.discount")
            self.Gamma: list[Table] = [[self.gamma] * n] * m
        else:
            self.Gamma = [read_table(x, where, n) for x, where in per_action("discount")]
        rows = ([x] if isinstance(x, Fraction) else x.values() for values in self.Gamma for x in values)
        if any(not 0 <= x <= 1 for row in rows for x in row):
            raise Rejected("model.discount: an entry is outside [0, 1]")
        self.mu = stochastic(model["behaviour"], "model.behaviour", n, m)
        self.pi = stochastic(model["target"], "model.target", n, m)
        d = len(items(items(model["features"], "model.features", n)[0], "model.features[0]"))
        if not 1 <= d <= limits.MAX_FEATURES:
            raise Rejected(f"model.features: there are {d} features, and the bounds are 1 and {limits.MAX_FEATURES}")
        self.Phi = read_matrix(model["features"], "model.features", n, d)
        self.n, self.m, self.d = n, m, d
        self.lambdas, self.constant, self.by_state = list[Fraction](), None, read_by_state(model["schedule"], n)
        if self.by_state is None:
            self.lambdas, self.constant = read_schedule(model["schedule"])
        self.sampling: list[Fraction] | None = None
        if model.keys() & {"sampling", "sampling_law"}:
            given = record({x: model[x] for x in model if x.startswith("sampling")}, "model", SAMPLING)
            choice(given["sampling"], "model.sampling", ["independent"])
            stochastic([given["sampling_law"]], "model.sampling_law", 1, n)
            self.sampling = read_vector(given["sampling_law"], "model.sampling_law", n)
        self.interest = read_weights(model["interest"], "model.interest", n) if "interest" in model else None
        self.P_mu: list[SparseRow] = [{} for _ in range(n)]
        for s in range(n):
            for a, weight in self.mu[s].items():
                for t, x in self.P[a][s].items():
                    add(self.P_mu[s], t, weight, x)
        self.made = Made()

    def kernel(self, name: str) -> tuple[list[tuple[int, int, Fraction]], list[SparseRow], list[SparseRow]]:
        """(state, action, weight) of the kernel with this name; the rows of N, and those of Q."""
        N: list[SparseRow] = [{} for _ in range(self.n)]
        q: list[SparseRow] = [{} for _ in range(self.n)]
        rows = [(s, a, x) for s, row in enumerate(self.pi) for a, x in row.items()]
        policy = [(s, a, x) for s, a, x in rows if name == "target" or a in self.mu[s]]
        for s, a, weight in policy:
            add(q[s], s, weight)
            for t, x in self.P[a][s].items():
                if gamma := entry(self.Gamma[a], s, t):
                    add(N[s], t, weight, x, gamma)
        return policy, N, q

    def ways(self, s: int) -> Iterator[tuple[int, int, int, Fraction, Fraction]]:
        """The moves out of a state, out of all that are drawn for DRAWN: state, action, successor, and two factors of
        the probability; in increasing order.
        """
        drawn = enumerate(self.sampling or ()) if s == DRAWN else [(s, ONE)]
        for state, weight in drawn:
            for a, mu in self.mu[state].items() if weight else ():
                if weight != 1:
                    spend_fractions(weight, mu)
                for t, x in self.P[a][state].items():
                    yield state, a, t, mu if weight == 1 else weight * mu, x

    def lam(self, k: int) -> Fraction:
        """lambda_k, k >= 1."""
        if self.constant is not None:
            return self.constant
        return self.lambdas[k - 1] if k <= len(self.lambdas) else Fraction(0)

    @cached_property
    def products(self) -> list[Fraction]:
        """c_0 ... c_L of a finite schedule."""
        found = [ONE]
        foresee_chain(len(self.lambdas), max(map(bits_of, self.lambdas), default=0))
        for x in self.lambdas:
            spend_fractions(found[-1], x)
            found.append(found[-1] * x)
            spend(0, found[-1].numerator.bit_length() + found[-1].denominator.bit_length())
        return found

    def c(self, k: int) -> Fraction:
        """c_k = lambda_1 ... lambda_k."""
        if self.constant is not None:
            bits = k * max(self.constant.numerator.bit_length(), self.constant.denominator.bit_length())
            spend_products(4, bits, bits)
            return self.constant**k
        return self.products[k] if k < len(self.products) else Fraction(0)

    def weight(self, k: int) -> Fraction:
        """w_k = c_{k-1} - c_k."""
        before, after = self.c(k - 1), self.c(k)
        spend_fractions(before, after)
        return before - after

    def reach(self, start: int, backward: bool = False) -> set[int]:
        """The states that P_mu can reach from `start`, or from which it can reach `start`."""
        follow: list[list[int]] = [[] for _ in range(self.n)]
        for s, row in enumerate(self.P_mu):
            for t in row:
                follow[t if backward else s].append(s if backward else t)
        return reached(follow, [start])


def reached(follow: Sequence[Iterable[int]] | Mapping[int, Iterable[int]], start: Iterable[int]) -> set[int]:
    """The states that `follow` leads to from some of `start`, themselves included."""
    found = set(start)
    waiting = list(found)
    while waiting:
        new = set(follow[waiting.pop()]) - found
        found |= new
        waiting.extend(new)
    return found


class Case(Opened):
    """One certificate: its model, what it is about, its witness, and the tests that several kinds share."""

    def __init__(self, model: Model, digest: str, about: object, witness: object):
        super().__init__(digest, about, witness)
        self.model = model

    @cached_property
    def support(self) -> list[int]:
        """about.class: closed and strongly connected under P_mu, hence a recurrent class; or the states drawn."""
        if "class" not in self.about:
            raise Rejected("about: the key 'class' is missing, and the statement needs it")
        found = states(self.about["class"], "about.class", self.model.n)
        if found != sorted(found):
            raise Rejected("about.class: the states are not in increasing order")
        if self.model.sampling is not None:
            if found != [s for s, x in enumerate(self.model.sampling) if x]:
                raise Rejected("about.class: these are not the states that are drawn")
            return found
        if self.model.reach(found[0]) != set(found):
            raise Rejected(f"about.class: this is not the set of states that state {found[0]} leads to")
        if not set(found) <= self.model.reach(found[0], backward=True):
            raise Rejected(f"about.class: not every state of it leads to state {found[0]}")
        return found

    @cached_property
    def law(self) -> list[Fraction]:
        """witness.stationary: on a recurrent class d P = d and sum d = 1 have one solution only."""
        law, where = self.vector("stationary", self.model.n), "witness.stationary"
        for s, x in enumerate(law):
            if (x <= 0) if s in self.support else (x != 0):
                raise Rejected(f"{where}[{s}]: the law must be positive on the class and zero outside it")
        if sum(integers(law)[0]) != integers(law)[1]:
            raise Rejected(f"{where}: the entries do not sum to one")

        def ask() -> None:
            d = Matrix.column(law)
            P = Matrix.of([row if x else {} for row, x in zip(self.model.P_mu, law, strict=True)], self.model.n)
            if not (P.T @ d - d).is_zero():
                raise Rejected(f"{where}: d P = d fails")

        self.model.made.of("law", json.dumps(self.witness["stationary"]), ask)
        return law

    @cached_property
    def theta(self) -> list[Fraction]:
        return self.vector("theta", self.model.d)

    def quotient(self) -> Matrix | None:
        """T T', where `about.columns` asks for the predictions alone: the model keeps these columns B of Phi.

        Phi = Phi_B T on the class, which the kernel does not leave: so u = T theta obeys an equation of its own,
        u' = T T' (A_B u + b_B) for TD and the like for the others, and the predictions there are Phi_B u. The columns
        of Phi_B are independent on the class: so u is determined by the predictions, and T has full row rank, as
        Phi_B = Phi_B T_B leaves only T_B = I. They are, because their Gram determinant is not zero.
        """
        if ("columns" in self.about) != ("coordinates" in self.witness):
            raise Rejected("about.columns and witness.coordinates: one is given without the other")
        if "columns" not in self.about:
            return None
        d, where = self.model.d, "witness.coordinates"
        columns = states(self.about["columns"], "about.columns", d)
        T = Matrix.of(read_matrix(self.witness["coordinates"], where, len(columns), d), d)
        before, self.model = self.model, copy.copy(self.model)
        self.model.Phi = [{i: row[j] for i, j in enumerate(columns) if j in row} for row in before.Phi]
        self.model.d = len(columns)
        basis = Matrix.of([self.model.Phi[s] for s in self.support], self.model.d)
        if not (basis @ T - Matrix.of([before.Phi[s] for s in self.support], d)).is_zero():
            raise Rejected(f"{where}: Phi is not the chosen columns times these coordinates on the class")
        if is_singular((basis.T @ basis).dense()):
            raise Rejected("about.columns: these columns of Phi are dependent on the class")
        N = System(self).N
        if any(set(N.rows[s][0]) - set(self.support) for s in self.support):
            raise Rejected("about.columns: the kernel leaves the class")
        return T @ T.T

    @property
    def kernel_name(self) -> str:
        return choice(self.about.get("kernel", "target"), "about.kernel", ["target", "covered"])

    def require_rank(self, support: Iterable[int]) -> None:
        """Phi restricted to `support` has full column rank."""
        given = [self.witness["rank"], self.about.get("columns"), self.witness.get("coordinates")]

        def ask() -> None:
            self.require_independent(self.model.Phi, self.model.d, support)

        self.model.made.of("rank", json.dumps([list(support), *given]), ask)

    def once(self, what: str, key: object, ask: Callable[[], None]) -> None:
        """Ask what the class, its law, the kernel, the columns and the key decide: once for files that share them."""
        given = [self.witness.get("stationary"), self.about.get("columns"), self.witness.get("coordinates")]
        _ = self.law  # tested, and charged, in each file
        self.model.made.of(what, json.dumps([self.support, self.kernel_name, *given, key]), ask)

    def require_rest(self) -> None:
        """A theta + b = Phi' D S ((N - Q) Phi theta + r), one column."""
        theta = Matrix.column(self.theta)

        def ask() -> None:
            system = System(self)
            column = system.S((system.N - system.Q) @ (system.Phi @ theta) + system.r())
            if not (system.Phi.T @ (system.D @ column)).is_zero():
                raise Rejected("witness.theta: A theta + b is not zero")

        self.once("rest", self.witness["theta"], ask)

    def require_A_nonsingular(self) -> None:
        """det A is a rational number without p in its denominator, and it is not zero modulo p."""
        p = read_prime(self.witness["prime"], "witness.prime")

        def ask() -> None:
            if solve_modulo(System(self, p).A().dense(), [], p) is None:
                raise Rejected(f"witness.prime: the determinant of A is zero modulo {p}")

        self.once("nonsingular", p, ask)

    def place(self) -> str:
        """In words: the states meant, and the kernel where it is not the target's."""
        kernel = ", kernel covered" if self.kernel_name == "covered" else ""
        if "class" not in self.about:
            return f"all states{kernel}"
        some = ", ".join(map(str, self.support[:6])) + (", ..." if len(self.support) > 6 else "")
        modulo = ", modulo the null space of Phi" if "columns" in self.about else ""
        name = f"of all {self.model.n} states" if len(self.support) == self.model.n else f"{{{some}}}"
        if self.model.sampling is not None:
            return f"the states that are drawn, {name.removeprefix('of ')}{modulo}"
        return f"the recurrent class {name}{kernel}{modulo}"


class System:
    """N, Q = diag(q), r, Phi and D, exactly or modulo a prime, and what is built of them."""

    def __init__(self, case: Case, prime: int | None = None):
        self.model, self.case, self.prime = case.model, case, prime
        model, n, name = case.model, case.model.n, case.kernel_name
        self.policy, self.rows, q = model.made.of("kernel", name, lambda: model.kernel(name))
        self.ways: dict[tuple[str, str, int], int] = {}  # paths under an expectation, counted once
        self.predictions: dict[int, Fraction] = {}  # phi(s)'theta, by state

        def make() -> tuple[Matrix, Matrix]:
            return Matrix.of(self.rows, n, prime), Matrix.of(q, n, prime)

        self.N, self.Q = make() if prime else model.made.of("N, Q", name, make)
        self.Phi = Matrix.of(model.Phi, model.d, prime)

    @cached_property
    def support(self) -> list[int]:
        return self.case.support

    @cached_property
    def D(self) -> Matrix:
        rows: list[SparseRow] = [{s: x} if x else {} for s, x in enumerate(self.case.law)]
        return Matrix.of(rows, self.model.n, self.prime)

    def r(self) -> Matrix:
        found: Matrix = self.model.made.of("r", self.case.kernel_name, self.make_r)
        return found

    def make_r(self) -> Matrix:
        r: list[SparseRow] = [{} for _ in range(self.model.n)]
        for s, a, weight in self.policy:
            for t, x in self.model.P[a][s].items():
                add(r[s], 0, weight, x, entry(self.model.R[a], s, t))
        return Matrix.of(r, 1)

    @cached_property
    def N_from_class(self) -> Matrix:
        """N with zeros in the rows of the states that it does not lead to from the class."""
        kept = reached(self.rows, self.support)
        rows = [row if s in kept else {} for s, row in enumerate(self.rows)]
        return Matrix.of(rows, self.model.n, self.prime)

    def S(self, U: Matrix, everywhere: bool = False) -> Matrix:
        """S U.  Finite schedule, Horner: S U = U + lambda_1 N (U + lambda_2 N (U + ...)).

        Infinite constant schedule: S U solves (I - lambda N) Y = U.  N is non-negative, with row sums at most
        one, so once I - lambda N is nonsingular the series for S converges: the spectral radius of lambda N
        is one of its eigenvalues, is at most one and is not one.

        `everywhere`: the rows of all states. Otherwise those of the states that N leads to from the class alone are
        S U: the powers of N have the same rows there without its other rows, and D S needs no more.
        """
        if self.model.constant is not None:
            N = self.N if everywhere else self.N_from_class
            return solve(Matrix.identity(self.model.n, self.prime) - self.model.constant * N, U)
        self.spend_horner(U)
        Y = U
        for x in reversed(self.model.lambdas):
            Y = U + (x * self.N) @ Y
        return Y

    def spend_horner(self, U: Matrix) -> None:
        """Ask whether one product with N for each lambda could be paid."""
        growth = [(x.denominator * self.N.denominator).bit_length() for x in self.model.lambdas]
        terms = (sum(len(row) for row, _ in self.N.rows) + 8 * self.model.n) * U.shape[1] * len(growth)
        spend_products(terms, self.N.bits, 0 if self.prime else sum(growth) // 2, ahead=True)

    def K(self, X: Matrix) -> Matrix:
        return self.S((self.N - self.Q) @ X)

    def M(self, X: Matrix, everywhere: bool = True) -> Matrix:
        """M X = sum_n w_n N^n X from the weights themselves, by Horner; `everywhere` as for S.

        Without end: w_n = (1 - lambda) lambda^(n-1), so (I - lambda N) M = (1 - lambda) N.
        """
        if (x := self.model.constant) is not None:
            N = self.N if everywhere else self.N_from_class
            return solve(Matrix.identity(self.model.n, self.prime) - x * N, (1 - x) * (N @ X))
        self.spend_horner(X)
        Y = Fraction(0) * X
        for k in range(len(self.model.lambdas) + 1, 0, -1):
            Y = self.N @ (self.model.weight(k) * X + Y)
        return Y

    def A(self) -> Matrix:
        return self.Phi.T @ (self.D @ self.K(self.Phi))

    def C(self) -> Matrix:
        return self.Phi.T @ (self.D @ self.Phi)

    def K_on_class(self) -> Matrix:
        """K restricted to the class; rejected if K has an entry from the class to a state outside it."""
        given = json.dumps([self.support, self.case.kernel_name])
        found: Matrix = self.model.made.of("K on class", given, self.make_K_on_class)
        return found

    def make_K_on_class(self) -> Matrix:
        K, inside = self.K(Matrix.identity(self.model.n)), set(self.support)
        for s in self.support:
            if outside := set(K.rows[s][0]) - inside:
                raise Rejected(f"about.class: K leads from state {s} to {min(outside)} outside the class")
        return K.part(self.support)

    def D_on_class(self) -> Matrix:
        return self.D.part(self.support)

    def D_I_minus_M(self) -> Matrix:
        return -(self.D_on_class() @ self.K_on_class())

    def words(self, name: str) -> str:
        """The matrix of a definiteness; without the kernel "target" K is not M - I."""
        return "-DK" if name == "D(I-M)" and self.case.kernel_name == "covered" else name
