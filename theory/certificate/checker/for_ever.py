"""The kind `update_for_ever`: close to the rest point from some time on, for ever, with a probability."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise
from operator import add as add_up
from operator import mul

from .budget import (
    ONE,
    SPENT,
    Rejected,
    bits_of,
    fraction_work,
    products_work,
    quotient,
    spend,
    spend_fractions,
    spend_products,
)
from .errors import Errors, conjugates
from .matrices import Matrix, integers, read_symmetric
from .model import Case, add
from .nodes import LATEST
from .reading import brief, index, items, listed, read_number, read_vector, record
from .windows import require_positive

GRID, DIGITS, LOSS = 80, 64, Fraction(1, 2**32)
Rows = list[dict[int, int]]
Coefficients = dict[tuple[int, int], list[Matrix]]  # (i, j): of alpha^i theta^j, in every node


def real_power(base: Fraction, exponent: Fraction, up: bool) -> Fraction:
    """base^exponent for base > 0, rounded up or down to some DIGITS binary digits; exact for whole exponents."""
    if exponent < 0:
        return real_power(1 / base, -exponent, up)
    u, v = exponent.numerator, exponent.denominator
    bits = u * bits_of(base) + v * DIGITS
    spend(3000 + 4 * v.bit_length() * (v + bits // 200) * products_work(bits, bits))
    top, bottom = base.numerator**u, base.denominator**u
    if v == 1:
        return Fraction(top, bottom)
    digits = DIGITS + max(0, (bottom.bit_length() - top.bit_length()) // v + 1)
    return Fraction(whole_root((top << v * digits) // bottom, v) + up, 1 << digits)


def whole_root(x: int, v: int) -> int:
    """The whole part of x^(1/v), x > 0: Newton from above, beginning at the root of the leading digits."""
    half = x.bit_length() // (2 * v)
    root = 1 << -(-x.bit_length() // v) if half < 3 else (whole_root(x >> half * v, v) + 1) << half
    while (better := ((v - 1) * root + x // root ** (v - 1)) // v) < root:
        root = better
    return root


def rounded(x: Fraction) -> Fraction:
    """Not below x >= 0, with some DIGITS binary digits."""
    spend_fractions(x)
    unit = Fraction(2) ** (x.numerator.bit_length() - x.denominator.bit_length() - DIGITS)
    return math.ceil(x / unit) * unit


class Steps:
    """alpha_t = a / (t + t0)^p with 1/2 < p <= 1, so the sum is infinite and that of the squares is finite.

    With alpha_{t+1} = alpha_t (1 - theta_t alpha_t): s^-p is convex, so 0 <= theta_t <= (p/a) (t + t0)^(p-1), which
    does not grow; and the squares from t on sum to at most a^2 (t + t0 - 1/2)^(1-2p) / (2p - 1) (midpoints).
    """

    def __init__(self, value: object):
        self.a, self.t0, self.p = read_vector(value, "about.steps", 3)
        if self.a <= 0 or self.t0 <= 0 or not 1 < 2 * self.p <= 2 or self.p.denominator > 100:
            raise Rejected("about.steps: a > 0, t0 > 0 and 1/2 < p <= 1 are needed, the denominator of p at most 100")

    def at(self, t: int, up: bool) -> Fraction:
        return self.a * real_power(t + self.t0, -self.p, up)

    def variation(self, t: int) -> Fraction:
        """At least theta_i for all i >= t."""
        return self.p / self.a * real_power(t + self.t0, self.p - 1, True)

    def squares_from(self, t: int) -> Fraction:
        if 2 * (t + self.t0) <= 1:
            raise Rejected("about.time: t + t0 > 1/2 is needed")
        return self.a**2 * real_power(t + self.t0 - Fraction(1, 2), 1 - 2 * self.p, True) / (2 * self.p - 1)


class Forms:
    """Matrix polynomials in alpha and theta, one for each node, on [0, alpha] x [0, theta].

    The blocks (xx, x1, 11) are divided by powers of alpha; below them nothing may be left. A matrix polynomial is a
    mean of its Bernstein coefficients on the box, so it is positive definite where they are. `corner`: the last place
    is divided by the upper end of alpha once more, where alpha itself would divide: that makes it smaller.
    """

    def __init__(self, coefficients: Coefficients, divisors: tuple[int, int, int], corner: bool, where: str):
        self.corner, self.where = corner, where
        self.size = next(iter(coefficients.values()))[0].shape[0]
        self.count = len(next(iter(coefficients.values())))
        self.terms: dict[tuple[int, int, bool], list[dict[tuple[int, int], Fraction]]] = {}
        for (i, j), family in coefficients.items():
            for h, matrix in enumerate(family):
                spend(2_000 * self.size**2)
                for row, (places, values) in enumerate(matrix.rows):
                    for column, x in zip(places, values, strict=True):
                        last = (row == self.size - 1) + (column == self.size - 1)
                        if i < divisors[last]:
                            raise Rejected(f"{where}: order {i} of alpha does not vanish in node {h}")
                        key = (i - divisors[last], j, last == 2)
                        into = self.terms.setdefault(key, [{} for _ in range(self.count)])[h]
                        add(into, (row, column), quotient(x, matrix.denominator))  # type: ignore[arg-type]

    def require_positive(self, alpha: Fraction, theta: Fraction) -> None:
        top = [max((key[k] for key in self.terms), default=0) for k in (0, 1)]
        keys = list(self.terms)
        spend_products(20 * (top[0] + 1) * (top[1] + 1) * self.count * len(keys) * self.size**2, 300, 300, ahead=True)
        share = fraction_work(top[0] * bits_of(alpha) + top[1] * bits_of(theta) + 2 * bits_of(alpha))
        spend((top[0] + 1) * (top[1] + 1) * len(keys) * 8 * share)
        spend(0, 300 * self.count * len(keys) * self.size**2)
        windows = [self.dense(h, keys) for h in range(self.count)]
        for k in range(top[0] + 1):
            for m in range(top[1] + 1):
                shares = [
                    Fraction(math.comb(k, i) * math.comb(m, j), math.comb(top[0], i) * math.comb(top[1], j))
                    * alpha**i
                    * theta**j
                    / (alpha if one and self.corner else 1)
                    for i, j, one in keys
                ]
                factors, _ = integers(shares)
                for h, places in enumerate(windows):
                    require_well_positive(
                        [[sum(map(mul, factors, place)) for place in row] for row in places],
                        f"{self.where} in node {h}",
                    )

    def dense(self, h: int, keys: list[tuple[int, int, bool]]) -> list[list[list[int]]]:
        """Gives for every place of the matrix the integers of all terms, over one denominator."""
        places = [(i, j) for i in range(self.size) for j in range(self.size)]
        flat, _ = integers([self.terms[key][h].get(place, Fraction(0)) for place in places for key in keys])
        bits = max(x.bit_length() for x in flat)
        spend_products(len(flat), bits, bits)
        step = len(keys)
        cut = [flat[i * step : (i + 1) * step] for i in range(len(places))]
        return [cut[i * self.size : (i + 1) * self.size] for i in range(self.size)]


def require_well_positive(rows: list[list[int]], where: str) -> None:
    """A symmetric integer matrix S is positive definite, with a margin of 2^-40 of its diagonal or so.

    With T of powers of two, T S T has a diagonal between 1/4 and 4. Times 2^DIGITS and cut to integers it loses a
    matrix with entries in [0, 1), at least -n I: what is left without n I is positive definite, hence so is S.
    """
    n = len(rows)
    if any(rows[i][i] <= 0 for i in range(n)):
        raise Rejected(f"{where}: a diagonal entry is not positive")
    half = [rows[i][i].bit_length() // 2 for i in range(n)]
    spend_products(4 * n * n, max(half) * 2 + DIGITS, 30)

    def cut(i: int, j: int) -> int:
        shift = DIGITS - half[i] - half[j]
        return (rows[i][j] << shift if shift >= 0 else rows[i][j] >> -shift) - n * (i == j)

    require_positive(Matrix(([cut(i, j) for j in range(n)] for i in range(n)), n), where)


def update_for_ever(case: Case) -> str:
    """P(|y_t - y*| > within for some t >= time) <= 1 - probability, |.| of the parameters `measured` alone.

    W_t(h) = Q + alpha_t T_h + alpha_t^2 S_h, forms of x = (y - y*, 1); Q does not see the last place. From the start
    t_k of a phase on E W_{t+1} <= (1 - c alpha_t) W_t + n alpha_t^2, from the first t_1 on W_t >= 0, and from `time` on
    W_t >= floor |y - y*|^2. So e_t = E W_t obeys, with theta_k < c, m theta_k <= c, m >= 1 and c alpha <= 1,

        e_t <= M alpha_t + (e_{t_k} - M alpha_{t_k})^+ (alpha_t / alpha_{t_k})^m,    M = n / (c - theta_k),

    by induction: (1 - c alpha) M alpha + n alpha^2 = M alpha (1 - theta_k alpha) <= M alpha', and 1 - c alpha <=
    (1 - theta alpha)^m (Bernoulli). From `time` on W_t + n (the squares from t on) is a non-negative supermartingale,
    and Ville's inequality gives the chance. Up to t_1 second moments are propagated, rounded upwards.
    """
    about = "update ratios steps start begin measured within probability time"
    case.open(about, "rest lyapunov first second floor phases")
    steps, errors = Steps(case.about["steps"]), Errors(case, len(items(case.witness["first"], "witness.first")))
    width = errors.size + 1
    time = index(case.about["time"], "about.time", 0, LATEST)
    within, probability = (read_number(case.about[key], f"about.{key}") for key in ("within", "probability"))
    floor = read_number(case.witness["floor"], "witness.floor")
    if within <= 0 or not 0 < probability < 1 or floor <= 0:
        raise Rejected("about: within > 0, 0 < probability < 1 and a floor > 0 are needed")
    Q = read_symmetric(case.witness["lyapunov"], "witness.lyapunov", errors.size)
    inside = Matrix(([int(i == j) for j in range(width - 1)] for i in range(width)), width - 1)
    parts = [[inside @ Q @ inside.T] * errors.count]
    parts += [errors.family(case.witness[key], f"witness.{key}", width) for key in ("first", "second")]
    phases = [read_phase(x, i, steps) for i, x in enumerate(items(case.witness["phases"], "witness.phases"))]
    starts = [start for start, _, _, _ in phases]
    if not phases or any(a >= b for a, b in pairwise([*starts, time + 1])):
        raise Rejected("witness.phases: their starts must increase, up to about.time")
    unit = Matrix(([int(i == j and i in errors.measured) for j in range(width)] for i in range(width)), width)
    errors.require_divisors(steps.at(0, True))
    value: Coefficients = {(k, 0): X for k, X in enumerate(parts)}
    Forms(value, (0, 1, 2), False, "W").require_positive(steps.at(starts[0], True), Fraction(0))
    value[0, 0] = [X - floor * unit for X in parts[0]]
    Forms(value, (0, 1, 2), False, "W less its floor").require_positive(steps.at(time, True), Fraction(0))
    last = Matrix(([int(i == j == width - 1) for j in range(width)] for i in range(width)), width)
    plain, before = decrease(errors, parts), SPENT.get()[0]
    for i, (start, c, n, _) in enumerate(phases):
        if i == 1:  # the others cost what the first did
            spend((len(phases) - 1) * (SPENT.get()[0] - before), ahead=True)
        whole = dict(plain)
        for k, factor, X in [*((k + 1, -c, X) for k, X in enumerate(parts)), (2, n, [last] * errors.count)]:
            for j, family in errors.squared(X).items():
                put(whole, k + j, 0, factor, family)
        forms = Forms(whole, (1, 2, 2), True, f"the step from {start} on")
        forms.require_positive(steps.at(start, True), steps.variation(start))
    e = mean(errors, steps, parts, starts[0])
    for (start, c, n, m), end in zip(phases, [*starts[1:], time], strict=True):
        M = n / (c - steps.variation(start))
        excess = max(Fraction(0), e - M * steps.at(start, False))
        e = rounded(
            M * steps.at(end, True) + excess * real_power((start + steps.t0) / (end + steps.t0), steps.p * m, True)
        )
    if e + phases[-1][2] * steps.squares_from(time) > (1 - probability) * floor * within**2:
        raise Rejected("about.time: the bound of the chance is above 1 - probability at this time")
    a, t0, p = (brief(x) for x in items(case.about["steps"], "about.steps"))
    begin, law = listed(case.about["begin"]), listed(case.about["start"])
    of = (
        "the parameters"
        if len(errors.measured) == errors.size
        else f"parameters {', '.join(map(str, errors.measured))}"
    )
    return (
        f"with probability at least {brief(case.about['probability'])} {of} stay within {brief(case.about['within'])} "
        f"of their values at rest for ever from t = {time} on, under {errors.name} with the steps {a}/(t + {t0})^{p} "
        f"times {errors.ratios}, from {begin} and a state of the law {law}"
    )


def read_phase(value: object, i: int, steps: Steps) -> tuple[int, Fraction, Fraction, Fraction]:
    """Its start, c, n and m."""
    where = f"witness.phases[{i}]"
    given = record(value, where, ("start", "decay", "noise", "order"))
    start = index(given["start"], f"{where}.start", 0, LATEST)
    c, n, m = (read_number(given[key], f"{where}.{key}") for key in ("decay", "noise", "order"))
    theta = steps.variation(start)
    if n < 0 or theta >= c or not 1 <= m <= 64 or m.denominator > 64 or m * theta > c or c * steps.at(start, True) > 1:
        raise Rejected(f"{where}: decay, noise and order do not fit the steps")
    return start, c, n, m


def decrease(errors: Errors, parts: list[list[Matrix]]) -> Coefficients:
    """W_t less the mean of B'W_{t+1}B, with alpha_{t+1} = alpha (1 - theta alpha), by orders of alpha and theta; times
    the squares of the divisors that are met in the node.
    """
    found: Coefficients = {}
    zero = [Matrix.of([{}] * (errors.size + 1), errors.size + 1)] * errors.count
    for source, _, _, S, q in errors.passages:
        # beyond three orders, as of linear updates: small matrices take time too
        orders = (2 * len(S) - 1) * len(errors.squares[source][q])
        spend(len(parts) * (60_000 * max(0, orders - 3) + 30_000 * max(0, len(S) ** 2 - 4)))
    for k, X in enumerate(parts):
        for i, family in errors.squared(X).items():
            put(found, k + i, 0, ONE, family)
        ahead: dict[int, list[Matrix]] = {}
        for source, target, p, S, q in errors.passages:
            others = errors.squares[source][q]
            for order, Y in enumerate(conjugates(S, X[target])):
                for i, x in enumerate(others):
                    family = ahead.setdefault(order + i, zero.copy())
                    family[source] = family[source] + p * x * Y
        for order, family in ahead.items():
            for j in range(k + 1):
                put(found, k + order + j, j, Fraction(-math.comb(k, j) * (-1) ** j), family)
    return found


def put(found: Coefficients, i: int, j: int, factor: Fraction, family: list[Matrix]) -> None:
    """Add to the coefficient of alpha^i theta^j."""
    before = found.get((i, j))
    terms = [factor * X for X in family]
    found[i, j] = terms if before is None else [x + y for x, y in zip(before, terms, strict=True)]


def mean(errors: Errors, steps: Steps, parts: list[list[Matrix]], t: int) -> Fraction:
    """At least E W_t, from Y_h >= E[x x' 1{node h}] in integers over 2^GRID.

    With B that of `low`, a step between low and high has B(alpha) = B + sum_i d_i M_i / q(alpha) for M_i = S_i - q_i B
    and 0 <= d_i = alpha^i - low^i, i from 1 to n. So B(alpha) Y B(alpha)' is at most

        (1 + LOSS) B Y B' + (1 + 1/LOSS) n sum_i (d_i / q(alpha))^2 M_i Y M_i'.

    Moves with different divisors are rounded apart.
    """
    size, n = errors.size + 1, errors.degree
    chances, over = integers([passage.p for passage in errors.passages])
    common = math.lcm(
        *(S.denominator for passage in errors.passages for S in passage.parts),
        *(x.denominator for q in errors.divisors for x in q),
    )
    changes = [
        [
            [{j: x * (common // S.denominator) for j, x in zip(*row, strict=True)} for row in S.rows]
            for S in passage.parts
        ]
        for passage in errors.passages
    ]
    places = {q: k for k, q in enumerate(errors.divisors)}
    which = [places[passage.divisor] for passage in errors.passages]
    terms = sum(len(row) for S in changes for rows in S for row in rows)
    bits = (common.bit_length() + 2 * DIGITS * n) * (1 if steps.p == 1 or errors.divisors == [(ONE,)] else 2)

    def each(grown: int) -> int:
        """One step, with so many bits of the moments."""
        products = 2 * terms * size * products_work(bits, 2 * bits + grown)
        return (len(changes) * (60_000 + 3_000 * size**2) + products) * (1 if steps.p == 1 else 1 + n)

    spend(t * each(GRID), ahead=True)
    sums = {(k, passage.target) for k, passage in zip(which, errors.passages, strict=True)}
    spend(0, (2 * len(errors.first) + len(sums) * (1 if steps.p == 1 else 1 + n)) * size**2 * (2 * GRID + 300))
    y0 = Matrix.column(errors.y0)
    starts = [p * (y0 @ y0.T) for p in errors.first]
    Y = [on_grid(X.dense(), Fraction(2**GRID, X.denominator)) for X in starts]
    for step in range(t):
        spend(each(max(X[i][i].bit_length() for X in Y for i in range(size))))
        low, high = steps.at(step, False), steps.at(step, True)
        loss = LOSS if high > low else Fraction(0)
        factors = [low.numerator**i * low.denominator ** (n - i) for i in range(n + 1)]
        apart = [high**i - low**i for i in range(n + 1 if loss else 1)]
        sizes, units = list[int](), dict[tuple[int, int], Fraction]()
        for k, q in enumerate(errors.divisors):
            sizes.append(sum(int(x * common) * factor for x, factor in zip(q, factors, strict=False)))
            units[k, 0] = (1 + loss) / (sizes[k] ** 2 * over)
            least = sum(x * low**i for i, x in enumerate(q)) - sum(map(mul, map(abs, q), apart))
            if least <= 0 or sizes[k] <= 0:
                raise Rejected("about.update: a divisor is not seen to be positive at all steps")
            for i, d in enumerate(apart[1:], start=1):
                units[k, i] = (1 + 1 / loss) * n * (d / least / (common * (sizes[k] if any(q[i : i + 1]) else 1))) ** 2
                units[k, i] /= over
        totals: dict[tuple[int, int, int], list[list[int]]] = {}
        for (h, g, _, _, q), k, chance, S in zip(errors.passages, which, chances, changes, strict=True):
            B = combined(zip(factors, S, strict=True), size)
            conjugate(totals.setdefault((g, k, 0), square(size)), B, Y[h], chance)
            for i, rows in enumerate(S[1:] if loss else (), start=1):
                M = combined([(sizes[k], rows), (-int(q[i] * common), B)], size) if any(q[i : i + 1]) else rows
                conjugate(totals.setdefault((g, k, i), square(size)), M, Y[h], chance)
        Y = [square(size) for _ in Y]
        for (g, k, i), X in totals.items():
            Y[g] = [list(map(add_up, a, b)) for a, b in zip(Y[g], on_grid(X, units[k, i]), strict=True)]
    bound = Fraction(0)
    for k, family in enumerate(parts):
        part = sum((trace(X, Matrix(Z, size, 2**GRID)) for X, Z in zip(family, Y, strict=True)), Fraction(0))
        bound += part * steps.at(t, part > 0) ** k
    return rounded(max(bound, Fraction(0)))


def square(size: int) -> list[list[int]]:
    """Zeros."""
    return [[0] * size for _ in range(size)]


def combined(parts: Iterable[tuple[int, Rows]], size: int) -> Rows:
    """The sum of multiples of matrices with these rows."""
    found: Rows = [{} for _ in range(size)]
    for factor, rows in parts:
        for into, row in zip(found, rows, strict=True):
            for j, x in row.items():
                into[j] = into.get(j, 0) + factor * x
    return found


def conjugate(total: list[list[int]], rows: Rows, Y: list[list[int]], weight: int) -> None:
    """Add weight B Y B' for the B with these rows."""
    sparse = [(list(row), list(row.values())) for row in rows]
    columns = [[sum(map(mul, values, [Y[k][j] for k in places])) for places, values in sparse] for j in range(len(Y))]
    for i, (places, values) in enumerate(sparse):
        weighted = [weight * x for x in values]
        for j, into in enumerate(total):
            into[i] += sum(map(mul, weighted, [columns[k][j] for k in places]))


def on_grid(rows: list[list[int]], unit: Fraction) -> list[list[int]]:
    """unit times a symmetric matrix in whole numbers, rounded upwards: cutting loses entries in [0, 1), at most n I."""
    n, top, bottom = len(rows), unit.numerator, unit.denominator
    return [[x * top // bottom + n * (i == j) for j, x in enumerate(row)] for i, row in enumerate(rows)]


def trace(X: Matrix, Y: Matrix) -> Fraction:
    """Gives the trace of the product of two symmetric matrices."""
    total = sum(sum(map(mul, a, b)) for a, b in zip(X.dense(), Y.dense(), strict=True))
    spend_products(X.shape[0] ** 2, X.bits, Y.bits)
    return quotient(total, X.denominator * Y.denominator)
