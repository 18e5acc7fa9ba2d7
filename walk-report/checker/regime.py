"""Kinds about the mean dynamics of an update in the stationary regime: stable, unstable, at rest."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from .budget import Kept, Rejected, bits_of, fraction_work, passing, spend, spend_products
from .matrices import Matrix, integers, is_singular, solve
from .model import Case, add, reached
from .reading import SparseRow, brief, choice, items, listed, read_matrix, read_vector
from .signs import all_below, growth_of, one_above
from .terms import Exponents
from .update import Move, Terms, Update, require_seen


class Regime:
    """An update in the stationary regime: the law of its contexts, the mean of its memory, its mean increments."""

    last: Kept[Regime] = Kept()

    @classmethod
    def of(cls, case: Case) -> Regime:
        """The regime of the certificate, which other certificates about the same update share."""
        text = case.text("class update seen", "law mean weights coordinates spans")
        found = copy.copy(cls.last.of(text, lambda: cls(case)))
        found.case = case
        return found

    def __init__(self, case: Case):
        self.case, self.update = case, Update(case, [], case.support)
        self.B, self.T = self.update.kept(case)
        self.read_law(case.vector("law", len(self.update.contexts)))
        self.read_memory()
        self.require_seen()
        self.kept_means: Kept[list[list[SparseRow]]] = Kept()

    def read_law(self, law: list[Fraction]) -> None:
        """On contexts that lead to each other d P = d and sum d = 1 have one solution, and it is positive."""
        follow = [[move.target for move in moves] for moves in self.update.moves]
        back: list[list[int]] = [[] for _ in follow]
        flow: SparseRow = {}
        for h, moves in enumerate(self.update.moves):
            for move in moves:
                back[move.target].append(h)
                add(flow, move.target, law[h], move.p)
        if len(reached(follow, [0])) < len(follow) or len(reached(back, [0])) < len(follow):
            raise Rejected("about.update.contexts: they do not all lead to each other")
        if sum(integers(law)[0]) != integers(law)[1] or any(flow.get(h) != x for h, x in enumerate(law)):
            raise Rejected("witness.law: the entries do not sum to one, or d P = d fails")
        self.law = law

    def read_memory(self) -> None:
        """witness.mean, u = E[memory 1{context}], by its equation; it has one solution, and that is the mean.

        Sizes obey |memory'| <= |R| |memory| + |s|. With w > 0 (witness.weights) and B w < w for the non-negative map B
        of these sizes, on all that may differ from zero, the radius of B is below one (Collatz): E |memory| is finite,
        the start is forgotten, and no other u obeys the equation.
        """
        update, count, held = self.update, len(self.update.contexts), self.update.held
        weights = read_matrix(self.case.witness["weights"], "witness.weights", count, held)
        self.u = read_matrix(self.case.witness["mean"], "witness.mean", count, held)
        inside = [{i: x for i, x in row.items() if (h, i) in update.alive} for h, row in enumerate(weights)]
        sizes, whole = self.arriving(inside, abs)
        for h, i in update.alive:
            size, over = sizes[h][0].get(i, 0), sizes[h][1]
            if not max(0, size) < whole[h].get(i, 0) * over:
                raise Rejected(f"witness.weights[{h}][{i}]: the sizes of the memory do not become smaller")
        for h in range(count):
            if any((h, i) not in update.alive for i, x in self.u[h].items() if x):
                raise Rejected(f"witness.mean[{h}]: an entry that is always zero has another mean")
        made, whole = self.arriving([{**row, held: self.law[h]} for h, row in enumerate(self.u)])
        for h, (sums, over) in enumerate(made):
            if {i: x for i, x in sums.items() if x} != {i: x * over for i, x in whole[h].items() if x and i != held}:
                raise Rejected(f"witness.mean[{h}]: the equation of the mean fails")

    def arriving(
        self, values: list[SparseRow], size: Callable[[Fraction], Fraction] = lambda x: x
    ) -> tuple[list[tuple[dict[int, int], int]], list[dict[int, int]]]:
        """What moves make of the values v of their contexts: the sums of p (R v + s v_1) over the moves into each.

        v_1 stands behind the entries of the memory; `size` is taken of p R and p s first. Sums of a context are
        integers over a denominator of its own, in units of the one of all values, which are given in these units too.
        """
        held, flat = self.update.held, integers([x for row in values for x in row.values()])[0]
        stream, longest = iter(flat), max(map(int.bit_length, flat), default=0)
        whole = [{i: next(stream) for i in row} for row in values]
        into: list[list[tuple[int, Move]]] = [[] for _ in values]
        for h, moves in enumerate(self.update.moves):
            for move in moves:
                into[move.target].append((h, move))
        made = []
        for arrived in into:
            products = [move.products([*move.R.values(), *move.s.values()]) for _, move in arrived]
            numbers, over = integers([size(x) for part in products for x in part.values()])
            stream, bits = iter(numbers), max(map(int.bit_length, numbers), default=0)
            sums = dict[int, int]()
            for (h, move), part in zip(arrived, products, strict=True):
                factors, known = {key: next(stream) for key in part}, whole[h]
                spend_products(4 * (len(move.R) + len(move.s)), bits, longest)
                for (i, j), x in move.R.items():
                    if j in known:
                        sums[i] = sums.get(i, 0) + factors[id(x)] * known[j]
                for i, x in move.s.items():
                    if held in known:
                        sums[i] = sums.get(i, 0) + factors[id(x)] * known[held]
            spend(0, len(sums) * (bits + longest + 1_300))
            made.append((sums, over))
        return made, whole

    def require_seen(self) -> None:
        """Every row of G, at every memory of the stationary regime, is its columns B times T."""
        if "seen" not in self.case.about:
            return
        spans = self.read_spans() if "spans" in self.case.witness else None
        seen: set[frozenset[tuple[int, Fraction]]] = set()
        for h, moves in enumerate(self.update.moves):
            for part in (part for move in moves for part in move.increments.values()):
                for found in self.rows_of(part, None if spans is None else spans[h]):
                    key = frozenset(found.items())
                    if key not in seen:
                        require_seen(found, self.B, self.T, f"an increment in context {h}")
                        spend(0, 4_000 + 1_500 * len(key) + sum(bits_of(x) for _, x in key))
                        seen.add(key)

    def rows_of(self, part: Terms, span: list[SparseRow] | None) -> Iterator[SparseRow]:
        """The rows of G for each entry of the memory, or at each vector of the span, one after the other."""
        terms = [(place, x) for place, x in part.items() if place[2] < self.update.size]
        if span is None:
            rows: dict[tuple[int, int], SparseRow] = {}
            for (entry, row, column), x in terms:
                rows.setdefault((entry, row), {})[column] = x
            yield from rows.values()
        for vector in span or ():
            at: dict[int, SparseRow] = {}
            with passing():
                for (entry, row, column), x in terms:
                    if entry in vector:
                        add(at.setdefault(row, {}), column, x, vector[entry])
            yield from at.values()

    def read_spans(self) -> list[list[SparseRow]]:
        """witness.spans: in each context vectors (memory, 1) whose span holds all of the stationary regime.

        Moves take the span into that of the next context, and in some context it holds a memory, which is zero wherever
        the memory always is: a run that begins there stays in the spans, and forgets where it began.
        """
        update, where = self.update, "witness.spans"
        spans = []
        for h, value in enumerate(items(self.case.witness["spans"], where, len(update.contexts))):
            height = len(items(value, f"{where}[{h}]"))
            spans.append(read_matrix(value, f"{where}[{h}]", height, update.held + 1))
            if any(i < update.held and x and (h, i) not in update.alive for row in spans[h] for i, x in row.items()):
                raise Rejected(f"{where}[{h}]: an entry that is always zero is not zero")
        if not any(row.get(update.held) for rows in spans for row in rows):
            raise Rejected(f"{where}: no span holds a memory")
        pivots = [[min((i for i, x in row.items() if x), default=None) for row in rows] for rows in spans]
        for h, moves in enumerate(update.moves):
            for move in moves:
                spend(1_000 * len(spans[h]) * len(spans[move.target]))
                for row in spans[h]:
                    rest: SparseRow = {}
                    for i, x in move.s.items():
                        add(rest, i, x, row.get(update.held, Fraction(0)))
                    for (i, j), x in move.R.items():
                        add(rest, i, x, row.get(j, Fraction(0)))
                    rest[update.held] = row.get(update.held, Fraction(0))
                    ahead = zip(spans[move.target], pivots[move.target], strict=True)
                    for known, pivot in ahead:  # subtracts what begins where each of them begins
                        factor = Fraction(0) if pivot is None else rest.get(pivot, Fraction(0)) / known[pivot]
                        for i, x in known.items() if factor else ():
                            add(rest, i, -factor, x)
                    if any(rest.values()):
                        raise Rejected(f"{where}[{move.target}]: a move from context {h} leaves the span")
        return spans

    @property
    def means(self) -> list[list[SparseRow]]:
        """The rows of [A_k b_k] for each step size: the mean increment is the sum of step_k (A_k y + b_k)."""
        return self.kept_means.of("", self.mean_increments)

    def mean_increments(self) -> list[list[SparseRow]]:
        update = self.update
        units = [tuple(int(i == k) for i in range(len(update.steps))) for k in range(len(update.steps))]
        flat = [
            x for h, x in enumerate(self.law) for x in (x, *(self.u[h].get(i, Fraction(0)) for i in range(update.held)))
        ]
        weights, common = integers(flat)
        found = {unit: [SparseRow() for _ in range(update.size)] for unit in units}
        longest = max(map(int.bit_length, weights), default=0)
        for h, moves in enumerate(update.moves):
            products = [move.products(x for part in move.increments.values() for x in part.values()) for move in moves]
            numbers, over = integers([x for part in products for x in part.values()])
            stream, bits = iter(numbers), max(map(int.bit_length, numbers), default=0)
            total: dict[Exponents, dict[tuple[int, int, int], int]] = {}
            for move, part in zip(moves, products, strict=True):
                factors = {key: next(stream) for key in part}
                for exponents, terms in move.increments.items():
                    into = total.setdefault(exponents, {})
                    spend_products(4 * len(terms), bits, 1)
                    for key, x in terms.items():
                        into[key] = into.get(key, 0) + factors[id(x)]
            at = h * (update.held + 1)
            for exponents, sums in total.items():
                if exponents not in found:
                    raise Rejected(
                        "about.update.moves: an increment is not linear in the step sizes, so there is no mean"
                    )
                entries = dict[tuple[int, int], int]()
                spend_products(4 * len(sums), bits, longest)
                for (entry, row, column), number in sums.items():
                    weight = weights[at if entry == update.held else at + 1 + entry]
                    entries[row, column] = entries.get((row, column), 0) + number * weight
                for (row, column), number in entries.items():
                    spend(fraction_work(bits + longest + over.bit_length()))
                    if number:
                        add(found[exponents][row], column, Fraction(number, over))
        scale = Fraction(1, common)
        return [[{j: x * scale for j, x in row.items() if x} for row in found[unit]] for unit in units]

    def joint(self) -> tuple[list[SparseRow], str]:
        """The rows of [J g], the sum of ratio_k [A_k b_k]; and words."""
        ratios = read_vector(self.case.about["ratios"], "about.ratios", len(self.update.steps))
        if min(ratios) <= 0:
            raise Rejected("about.ratios: the ratios of step sizes are to be positive")
        given = " : ".join(map(brief, items(self.case.about["ratios"], "about.ratios")))
        words = f" with step sizes {given}" if len(ratios) > 1 else ""
        return self.total(ratios), f"{self.update.name}{words}"

    def total(self, ratios: Sequence[Fraction]) -> list[SparseRow]:
        """The sum of ratio_k [A_k b_k]."""
        total: list[SparseRow] = [{} for _ in range(self.update.size)]
        for ratio, mean in zip(ratios, self.means, strict=True):
            for row, part in zip(total, mean, strict=True):
                for j, x in part.items():
                    add(row, j, ratio, x)
        return total

    def of_seen(self, rows: list[SparseRow]) -> tuple[Matrix, Matrix]:
        """J_B and g of the rows of [J g]: the mean increment where T y = u is J_B u + g."""
        size = self.update.size
        spend(200 * size * len(self.B), 200 * size * len(self.B))
        J = Matrix.of([{i: row[b] for i, b in enumerate(self.B) if b in row} for row in rows], len(self.B))
        return J, Matrix.of([{0: row[size]} if size in row else {} for row in rows], 1)

    def projected(self, rows: list[SparseRow]) -> Matrix:
        """T J_B."""
        return Matrix.of(self.T, self.update.size) @ self.of_seen(rows)[0]

    def apart(self) -> tuple[list[int], list[int]]:
        """The places in B of the slow parameters and of the fast ones, later steps being much larger than step_1."""
        if len(self.means) == 1:
            raise Rejected("about.matrix: two time scales need two step sizes")
        slow_rows, *others = ({i for i, row in enumerate(A) if row} for A in self.means)
        fast_rows = set[int]().union(*others)
        if slow_rows & fast_rows:
            raise Rejected("about.matrix: both step sizes move one parameter, so the time scales are not apart")
        fast = [i for i, b in enumerate(self.B) if b in fast_rows]
        slow = [i for i, b in enumerate(self.B) if b not in fast_rows]
        if not fast or not slow:
            raise Rejected("about.matrix: one of the time scales has no parameters")
        for i, row in enumerate(self.T):
            if any(x and (j in fast_rows) != (self.B[i] in fast_rows) for j, x in row.items()):
                raise Rejected("witness.coordinates: slow and fast parameters are not seen apart")
        return slow, fast

    def scales(self, name: str) -> tuple[Matrix, str]:
        """The fast matrix F, or the slow one, S_ss - S_sf F^-1 S_fs."""
        slow, fast = self.apart()
        J = self.projected(self.total([Fraction(1)] * len(self.means)))
        equal = ", its later step sizes equal" if len(self.means) > 2 else ""
        words = f"the {name} time scale of {self.update.name}{equal}"
        if name == "fast":
            return block(J, fast, fast), words
        return carried_over(J, slow, fast) @ block(J, [*slow, *fast], slow), words


def block(matrix: Matrix, rows: list[int], columns: list[int]) -> Matrix:
    dense = matrix.dense()
    return Matrix(([dense[i][j] for j in columns] for i in rows), len(columns), matrix.denominator)


def carried_over(J: Matrix, slow: list[int], fast: list[int]) -> Matrix:
    """(I, -J_sf F^-1): what slow parameters make of the increments of slow and fast ones, which follow them."""
    carried = solve(block(J, fast, fast).T, block(J, slow, fast).T).T
    over = carried.denominator
    rows = ([over * (i == j) for j in range(len(slow))] + [-x for x in row] for i, row in enumerate(carried.dense()))
    return Matrix(rows, len(slow + fast), over)


def update_lyapunov(case: Case, keys: str) -> tuple[Matrix, Matrix, str, str]:
    """`lyapunov` for the mean matrix of an update, on what updates see of the parameters."""
    case.open("class update matrix shift", f"law mean weights lyapunov {keys}", "ratios seen", "coordinates spans")
    name = choice(case.about["matrix"], "about.matrix", ["joint", "fast", "slow"])
    if (name == "joint") != ("ratios" in case.about):
        raise Rejected("about.ratios: they are needed for the joint matrix, and not allowed for time scales")
    regime = Regime.of(case)
    if name == "joint":
        rows, of = regime.joint()
        B, words = regime.projected(rows), f"the mean matrix of {of}"
    else:
        B, words = regime.scales(name)
    return *growth_of(case, B), words, f"{brief(case.about['shift'])}, on {case.place()}{unseen(case)}"


def unseen(case: Case) -> str:
    return ", modulo what no update sees" if "seen" in case.about else ""


def update_hurwitz(case: Case) -> str:
    """The mean matrix of an update is Hurwitz, by a Lyapunov matrix as in `hurwitz`."""
    return all_below(case, *update_lyapunov(case, "factor_lyapunov factor_decrease"))


def update_unstable(case: Case) -> str:
    """The mean matrix of an update has an eigenvalue with positive real part, by factors as in `unstable`."""
    return one_above(case, *update_lyapunov(case, "factor_growth vector"))


def update_rest(case: Case) -> str:
    """T (J_B u + g) = 0, and T J_B is nonsingular: no other u does it.

    Updates may move what they do not see: `drift` is J_B u + g.
    """
    case.open("class update ratios", "law mean weights rest", "seen drift", "coordinates spans")
    J, drift, name = at_rest(case, Regime.of(case))
    if is_singular(J.dense()):
        raise Rejected("witness.rest: the mean matrix is singular")
    what = f"the mean increment of {name} is zero at these parameters and at no others"
    if not drift.is_zero():
        moves = f"while the mean increment of all parameters is {listed(case.about['drift'])} there"
        what = f"what {name} sees of its parameters rests at these values and at no others, {moves}"
    return f"{what}, on {case.place()}{unseen(case)}"


def at_rest(case: Case, regime: Regime) -> tuple[Matrix, Matrix, str]:
    """T J_B; the mean increment at witness.rest, of which T sees nothing: about.drift, or zero; and words."""
    rows, name = regime.joint()
    J, g = regime.of_seen(rows)
    T, drift = Matrix.of(regime.T, regime.update.size), J @ Matrix.column(case.vector("rest", len(regime.B))) + g
    if not (T @ drift).is_zero():
        raise Rejected("witness.rest: the mean increment is not zero there")
    given = read_vector(case.about.get("drift", ["0"] * drift.shape[0]), "about.drift", drift.shape[0])
    if not (drift - Matrix.column(given)).is_zero():
        raise Rejected("about.drift: this is not the mean increment at rest of what no update sees (left out: zero)")
    return T @ J, drift, name
