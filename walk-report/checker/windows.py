"""Kinds about second moments of the paper's algorithms at fixed steps, by quadratic forms on windows."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from .budget import (
    ONE,
    Rejected,
    bits_of,
    fraction_work,
    passing,
    products_work,
    spend,
    spend_fractions,
    spend_products,
)
from .matrices import Matrix, hold, read_symmetric
from .model import Case, Model, add
from .reading import SparseRow, brief, choice, entry, index, items, read_number


def require_positive(matrix: Matrix, where: str) -> None:
    """A small symmetric matrix is positive definite: its leading minors are positive (Sylvester; Bareiss)."""
    if not (matrix - matrix.T).is_zero():
        raise Rejected(f"{where}: the matrix is not symmetric")
    rows, before = matrix.dense(), 1
    n = len(rows)
    spend_products(n**3, n * (matrix.bits + n), n * (matrix.bits + n))
    for k in range(n):
        pivot = rows[k][k]
        if pivot <= 0:
            raise Rejected(f"{where}: the matrix is not positive definite (leading minor {k + 1})")
        for i in range(k + 1, n):
            rows[i] = [(x * pivot - rows[i][k] * y) // before for x, y in zip(rows[i], rows[k], strict=True)]
        before = pivot


class Moves:
    """A finite chain and one matrix K for each move: (from, to, probability, K), from every place some."""

    size: int
    count: int
    moves: list[tuple[int, int, Fraction, Matrix]]

    def mean(self, of: Callable[[Matrix, int], Matrix]) -> list[Matrix]:
        """Gives for each place the sum of p times `of` (K, next place)."""
        shape = self.moves[0][3].shape[1]
        total = [Matrix.of([{}] * shape, shape)] * self.count
        for h, g, p, K in self.moves:
            total[h] = total[h] + p * of(K, g)
        return total

    def family(self, value: object, where: str, size: int) -> list[Matrix]:
        """One symmetric matrix for each place."""
        given = enumerate(items(value, where, self.count))
        return [read_symmetric(x, f"{where}[{h}]", size) for h, x in given]


class Windows(Moves):
    """What the next update depends on besides the iterates, and one matrix K for each move from window to window.

    A window is the state s and the pairs (s_k, p_k) of the L states before it, newest first: p_k is the product of rho
    gamma from s_k on, and where it is zero the window ends, for the trace sees no further. Windows are numbered as they
    are met, breadth first, from the states `first` without a past; actions and successors in increasing order.
    """

    def __init__(self, case: Case, first: list[int], products: int):
        """`products`: how many of numbers as long as a trace entry, times size^3, the kind takes for each move."""
        model, about = case.model, case.about
        self.algorithm = choice(about["algorithm"], "about.algorithm", ["off_policy_td", "gtd", "tdc"])
        if (self.algorithm == "off_policy_td") == ("eta" in about):
            raise Rejected("about.eta: a positive number is needed for gtd and tdc, and none for off_policy_td")
        self.eta = read_number(about.get("eta", "1"), "about.eta")
        if self.eta <= 0:
            raise Rejected("about: eta and the step are to be positive")
        if model.constant is not None:
            raise Rejected("model.schedule: without an end there are no windows")
        self.size = model.d * (1 if self.algorithm == "off_policy_td" else 2)
        self.foreseen = self.foresee(model, first, products * self.size**3)
        order: list[tuple[int, tuple[tuple[int, Fraction], ...]]] = [(s, ()) for s in first]
        found = {window: i for i, window in enumerate(order)}
        self.moves = []
        for place, (s, past) in enumerate(order):  # grows as it is read
            trace: SparseRow = {}
            with passing():
                for k, (j, p) in enumerate([(s, ONE), *past]):
                    for i, x in model.Phi[j].items():
                        add(trace, i, model.c(k), p, x)
            for a, mu in model.mu[s].items():
                rho = model.pi[s].get(a, Fraction(0)) / mu
                for t, x in model.P[a][s].items():
                    gamma = entry(model.Gamma[a], s, t)
                    spend(60_000 + 15_000 * len(past))
                    spend(sum(2 * fraction_work(bits_of(rho, gamma, p)) for _, p in past))
                    held = [(s, rho * gamma), *((j, p * rho * gamma) for j, p in past)][: len(model.lambdas)]
                    window = (t, tuple(held) if rho * gamma else ())
                    if window not in found:
                        found[window] = len(order)
                        order.append(window)
                        spend(0, 20_000 * (1 + len(held)) + sum(bits_of(p) for _, p in held))
                    with passing():
                        K = self.change(model, (s, a, t), gamma, {i: rho * y for i, y in trace.items()})
                    self.moves.append((place, found[window], mu * x, hold(K)))
        self.count = len(order)

    def foresee(self, model: Model, support: list[int], products: int) -> tuple[int, int]:
        """Ask for all windows and their moves before the first is made; how many there will be.

        The window of s_t with k states before it is the walk (s_{t-k}, g), ..., (s_{t-1}, g), s_t, where g != 0 is
        rho gamma of a step: so the walks of k such steps are counted, by their last state, for k up to the length.
        """
        ahead: dict[int, set[tuple[int, Fraction]]] = {s: set() for s in support}
        moves, longest = dict.fromkeys(support, 0), 0
        for s in support:
            for a, mu in model.mu[s].items():
                for t in model.P[a][s]:
                    gamma, pi = entry(model.Gamma[a], s, t), model.pi[s].get(a, Fraction(0))
                    spend_fractions(pi, mu, gamma)
                    g = pi / mu * gamma
                    moves[s] += 1
                    if g:
                        ahead[s].add((t, g))
                        longest = max(longest, bits_of(g))
        width = max(map(len, model.Phi))
        walks, work, memory = dict.fromkeys(support, 1), 0, 0
        windows = steps = 0
        for k in range(len(model.lambdas) + 1):
            entry_bits = bits_of(model.c(k)) + k * longest
            each = 60_000 + 50_000 * self.size**2 + k * (15_000 + 2 * fraction_work(k * longest // 2))
            each += 3 * width**2 * fraction_work(entry_bits) + products * products_work(entry_bits, entry_bits)
            here, leaving = sum(walks.values()), sum(count * moves[s] for s, count in walks.items())
            windows, steps = windows + here, steps + leaving
            work, memory = work + each * leaving, memory + 20_000 * (1 + k) * here
            spend(work, memory, ahead=True)
            longer = dict.fromkeys(support, 0)
            for s, count in walks.items():
                for t, _ in ahead[s]:
                    longer[t] += count
            walks = longer
        return windows, steps

    def change(self, model: Model, move: tuple[int, int, int], gamma: Fraction, z: SparseRow) -> Matrix:
        """K of the transition (s, a, t) with the trace z (ratio included): the updates without their rewards."""
        s, _, t = move
        d, phi, ahead = model.d, model.Phi[s], dict(model.Phi[s])
        for i, x in model.Phi[t].items():
            add(ahead, i, -gamma, x)
        K: list[SparseRow] = [{} for _ in range(self.size)]

        def put(i: int, j: int, factor: Fraction, left: SparseRow, right: SparseRow) -> None:
            for k, x in left.items():
                for m, y in right.items():
                    add(K[i + k], j + m, factor, x, y)

        if self.algorithm != "gtd":
            put(0, 0, -ONE, z, ahead)  # delta z, with delta = -ahead' theta
        if self.algorithm != "off_policy_td":
            put(0, d, ONE, ahead, z)  # (phi - gamma phi') z'w
            put(d, 0, -self.eta, z, ahead)
            put(d, d, -self.eta, phi, phi)
        if self.algorithm == "tdc":
            put(0, d, -ONE, phi, phi)
        spend(50_000 * self.size**2)
        return Matrix.of(K, self.size)


class Differences(Moves):
    """y' = (I + alpha K) y: the difference of two runs along one trajectory, K a function of the place alone.

    `every`: alpha is every step up to `step`, or it is that step; `name`: of the algorithm, in words; `starts`: so many
    places, the first ones, are those of runs at time zero.
    """

    every: bool
    step: Fraction
    name: str
    starts: int
    places = "window"

    def parts(self, X: list[Matrix], T: list[Matrix]) -> tuple[list[Matrix], list[Matrix], list[Matrix]]:
        """T - mean T' - mean (K'X' + X'K); mean (K'T' + T'K + K'X'K); mean K'T'K. X', T' are those one step on."""
        zero = self.mean(lambda K, g: T[g] + K.T @ X[g] + X[g] @ K)
        one = self.mean(lambda K, g: K.T @ T[g] + T[g] @ K + K.T @ X[g] @ K)
        return [t - x for t, x in zip(T, zero, strict=True)], one, self.mean(lambda K, g: K.T @ T[g] @ K)

    def start(self, h: int) -> str:
        return "at time zero" if h < self.starts else "of a run under way; a run from time zero may never meet it"

    def words(self, case: Case) -> str:
        over = "every step up to" if self.every else "the step"
        step = brief(case.about["upto" if self.every else "step"])
        return f"under {self.name} with {over} {step}, on {case.place()}"


class Jumps(Differences, Windows):
    """Steps are alpha and eta alpha; y is theta for TD, (theta, w) for GTD and TDC; K depends on the window."""

    def __init__(self, case: Case):
        self.every = "upto" in case.about  # every step up to a bound, or one
        super().__init__(case, case.support, 16 if self.every else 4)
        self.starts = len(case.support)
        self.step = read_number(case.about["upto" if self.every else "step"], "about.upto or about.step")
        if self.step <= 0:
            raise Rejected("about: eta and the step are to be positive")
        self.name = self.algorithm + (f" at eta = {brief(case.about['eta'])}" if "eta" in case.about else "")


def mean_square_bounded(case: Case) -> str:
    """E y'X y decreases by a factor per step, so r, the spectral radius of the second-moment operator, is below one.

    One step: X_h > 0 and X - L X > 0 in every window, L X the mean of (I + alpha K)'X'(I + alpha K).
    Every step up to a bound: X + alpha T_h in the place of X_h. With X > 0, T_h > 0 and the three `parts`,
    (X(alpha) - L X(alpha)) / alpha = zero - alpha one - alpha^2 two. As two >= 0 this is concave in alpha, so it is
    positive on the whole interval once it is at 0 and at the end.
    """
    return bounded(case, open_jumps(case, "", ""))


def bounded(case: Case, jumps: Differences) -> str:
    where = "witness.lyapunov"
    if not jumps.every:
        require_falling(case, jumps, "lyapunov")
    else:
        X, (zero, one, two) = near_zero(case, jumps)
        require_positive(X, where)
        for h in range(jumps.count):
            require_positive(zero[h], f"{where}: the decrease at 0 in window {h}")
            end = zero[h] - jumps.step * one[h] - jumps.step**2 * two[h]
            require_positive(end, f"{where}: the decrease at the end in window {h}")
    return f"second moments of differences go to zero, those of the iterates stay bounded, {jumps.words(case)}"


def mean_square_unbounded(case: Case) -> str:
    """E y'X y grows by a factor per step from where it is positive. As in `mean_square_bounded`, signs turned.

    -(zero - alpha one - alpha^2 two) >= -zero + alpha one, which is positive in between if it is at both ends.
    At one step the growth begins in the window named, with the difference `vector`: unless that is a window of time
    zero, a run without a past may never bring this difference there. For every step up to a bound it begins in any
    window, as every T_h > 0.
    """
    return unbounded(case, open_jumps(case, "vector", "vector window"))


def unbounded(case: Case, jumps: Differences) -> str:
    x, where, start = case.nonzero_vector(jumps.size), "witness.lyapunov", f"any {jumps.places}"
    if not jumps.every:
        h = index(case.witness["window"], "witness.window", 0, jumps.count)
        X, start = require_growing(case, jumps)[h], f"{jumps.places} {h} ({jumps.start(h)})"
    else:
        X, (zero, one, _) = near_zero(case, jumps)
        for h in range(jumps.count):
            require_positive(-zero[h], f"{where}: the growth at 0 in window {h}")
            require_positive(jumps.step * one[h] - zero[h], f"{where}: the growth at the end in window {h}")
    if sum((x.T @ X @ x).entries()) <= 0:
        raise Rejected("witness.vector: x'Xx is not positive")
    return f"second moments of differences grow without bound from some difference in {start}, {jumps.words(case)}"


def open_jumps(case: Case, every: str, one: str) -> Jumps:
    """The keys of a statement about every step up to a bound, or about one step; `every`, `one`: those it has more."""
    if isinstance(case.given[0], dict) and "upto" in case.given[0]:
        case.open("class algorithm upto", f"lyapunov tilt {every}", "eta")
    else:
        case.open("class algorithm step", f"lyapunov {one}", "eta")
    return Jumps(case)


def require_falling(case: Case, jumps: Differences, key: str) -> None:
    """X > 0 and X - L X > 0 in every place: the spectral radius of the second-moment operator is below one."""
    where = f"witness.{key}"
    family = jumps.family(case.witness[key], where, jumps.size)
    for h, (X, change) in enumerate(zip(family, decreases(jumps, family), strict=True)):
        require_positive(X, f"{where}[{h}]")
        require_positive(change, f"{where}: the decrease in {jumps.places} {h}")


def require_growing(case: Case, jumps: Differences) -> list[Matrix]:
    """The X of the witness, with L X - X > 0 in every place."""
    where = "witness.lyapunov"
    family = jumps.family(case.witness["lyapunov"], where, jumps.size)
    for h, change in enumerate(decreases(jumps, family)):
        require_positive(-change, f"{where}: the growth in {jumps.places} {h}")
    return family


def decreases(jumps: Differences, X: list[Matrix]) -> list[Matrix]:
    """X - L X at the step."""
    I = Matrix.identity(jumps.size)  # noqa: E741 -- the field's name

    def moved(K: Matrix, g: int) -> Matrix:
        B = I + jumps.step * K
        return B.T @ X[g] @ B

    return [x - y for x, y in zip(X, jumps.mean(moved), strict=True)]


def near_zero(case: Case, jumps: Differences) -> tuple[Matrix, tuple[list[Matrix], list[Matrix], list[Matrix]]]:
    """X of the witness, and the `parts` of X and T, with T > 0."""
    X = read_symmetric(case.witness["lyapunov"], "witness.lyapunov", jumps.size)
    tilt = jumps.family(case.witness["tilt"], "witness.tilt", jumps.size)
    for h, T in enumerate(tilt):
        require_positive(T, f"witness.tilt[{h}]")
    return X, jumps.parts([X] * jumps.count, tilt)
