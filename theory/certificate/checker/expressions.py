"""Expressions of relations, and what they are worth on a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial

from . import limits
from .budget import ONE, SPENT, Rejected, bits_of, foresee_chain, quotient, spend, spend_fractions, spend_products
from .matrices import Matrix, determinant, solve
from .model import add
from .reading import RATIONAL, SparseRow, choice, index, items, read_number, show
from .values import beside, charge, kept, number, pairs, power, scalar
from .walks import AT_STEP, LOCAL, RETURNS, OnPath, Path, read_name

MATRICES = {"I", "Phi", "P_mu", "P_pi", "N", "M", "S", "D", "A", "C"}
PLAIN = MATRICES | {"r", "q", "d", "b", "theta", "V", "ones", "gamma", "kappa", "L"}
NUMBERED = {"lambda", "c", "w", "Lambda", "ones"}  # with a number, from 1 on (c: from 0)


class Branch:
    """Paths that begin alike: the ways on, the probability of the last transition, and the sum over what is walked."""

    def __init__(self, ways: Iterator[tuple[Fraction, Scene]], weight: Fraction):
        self.ways, self.weight = ways, weight
        self.total: Matrix | None = None

    def add(self, weight: Fraction, term: Matrix) -> None:
        term = term if weight == 1 else weight * term
        self.total = term if self.total is None else self.total + term


class Scene(OnPath):
    """Where expressions are evaluated: a case, and inside `on` and `E` a path. Every value is an exact matrix."""

    def value(self, x: object, where: str, weighted: bool = False) -> Matrix:
        """A name, a number, or an operation, whose result is kept.

        `weighted`: it stands right of D, so that its rows outside the class are never seen.
        """
        spend(20_000)
        if x in ("S", "M") and weighted:
            return self.operator(x, weighted)(Matrix.identity(self.model.n))
        if isinstance(x, str):
            if x not in self.known and RATIONAL.fullmatch(x):
                self.known[x] = scalar(read_number(x, where))
            return self.known[x] if x in self.known else self.name(x, where)
        scene, key = self.decided(self.reach(x)), (id(x), weighted)
        if key not in scene.done:
            scene.keep(key, scene.operation(items(x, where), where, weighted))
        return scene.done[key]

    def operation(self, expression: list[object], where: str, weighted: bool) -> Matrix:
        head, *rest = expression or [None]
        inner = [f"{where}[{i}]" for i in range(1, len(rest) + 1)]
        match head, len(rest):
            case "E", 4:
                return self.expectation(rest, where)
            case "on", 2:
                return self.along(self.read_path(rest[0], inner[0])).value(rest[1], inner[1])
            case "@", count if count > 1:
                product = self.value(rest[-1], inner[-1], rest[-2] == "D")
                for i in range(count - 2, -1, -1):
                    part, place, seen = rest[i], inner[i], rest[i - 1] == "D" if i else weighted
                    factor = None if part in ("S", "M") else self.value(part, place, seen)
                    width = factor.shape[1] if factor else self.model.n
                    if width != product.shape[0]:
                        raise Rejected(f"{place}: {width} columns meet {product.shape[0]} rows")
                    product = factor @ product if factor else self.operator(part, seen)(product)
                return product
            case "^", 2:
                return power(self.value(rest[0], inner[0]), index(rest[1], inner[1], 0, 200), where)
            case "entry", 3:
                matrix = self.value(rest[0], inner[0])
                i, j = (index(rest[k], inner[k], 0, matrix.shape[k - 1]) for k in (1, 2))
                charge(matrix)
                return scalar(quotient(matrix.dense()[i][j], matrix.denominator))
        if head in ("E", "on", "^", "entry"):
            raise Rejected(f"{where}: {show(head)} is not an operation on {len(rest)} operands")
        kept = weighted and head in ("+", "-", "*")
        values = [self.value(part, place, kept) for part, place in zip(rest, inner, strict=True)]
        charge(*values)
        shapes = [value.shape for value in values]
        match head, values:
            case "+", [first, _, *_] if len(set(shapes)) == 1:
                for other in values[1:]:
                    first = first + other
                return first
            case "-", [first]:
                return -first
            case "-", [first, second] if first.shape == second.shape:
                return first - second
            case "*", [first, second] if first.shape == (1, 1):
                return number(first) * second
            case "T", [first]:
                return first.T
            case "sum", [first]:
                return scalar(number(first))
            case "diag", [first] if first.shape[1] == 1:
                spend(300 * first.shape[0] ** 2)
                rows = [{i: x} if x else {} for i, (x,) in enumerate(first.dense())]
                width = first.shape[0]
                return Matrix(([row.get(j, 0) for j in range(width)] for row in rows), width, first.denominator)
            case "beside", [first, *_] if len({height for height, _ in shapes}) == 1:
                return beside(values)
            case "over", [first, *_] if len({width for _, width in shapes}) == 1:
                return beside([value.T for value in values]).T
            case "det", [first] if first.shape[0] == first.shape[1]:
                return scalar(determinant(first))
            case "pairs", [first] if first.shape[0] == first.shape[1] > 1:
                return pairs(first)
            case "solve", [first, second] if first.shape == (second.shape[0], second.shape[0]):
                return solve(first, second)
        given = ", ".join(f"{height}x{width}" for height, width in shapes[:4]) + (", ..." if len(shapes) > 4 else "")
        raise Rejected(f"{where}: {show(head)} is not an operation on {len(rest)} operands ({given or 'none'})")

    def operator(self, name: object, weighted: bool = False) -> Callable[[Matrix], Matrix]:
        return partial(self.system.S if name == "S" else self.system.M, everywhere=not weighted)

    def name(self, text: str, where: str) -> Matrix:
        word, k = read_name(text)
        if (k is not None and word in AT_STEP) or (k is None and word in RETURNS):
            walk, actions = self.path
            if not walk:
                raise Rejected(f"{where}: the name {show(word)} needs a path around it")
            step = k or 0
            if word in LOCAL:
                here = (word, *walk[step : step + 2], *actions[step : step + 1])
                if here not in self.known:
                    self.known[here] = kept(self.on_path(word, step, where))
                return self.known[here]
            scene = self.decided(self.reach(text))
            if text not in scene.done:
                scene.keep(text, scene.on_path(word, step, where))
            return scene.done[text]
        if word not in (PLAIN if k is None else NUMBERED):
            raise Rejected(f"{where}: {show(text)} is neither a rational string nor a name")
        if text not in self.known:
            self.known[text] = kept(self.named(word, k, where))
        return self.known[text]

    def named(self, word: str, k: int | None, where: str) -> Matrix:
        """A name that no path changes; the number k may be as large as the L + 2 of the longest schedule."""
        model, system, n = self.model, self.system, self.model.n
        ones = Matrix.column([ONE] * (n if k is None else min(k, limits.MAX_LAMBDAS + 2)))
        match word:
            case "I":
                return Matrix.identity(n)
            case "ones" if k is None or 0 < k <= limits.MAX_LAMBDAS + 2:
                return ones
            case "Phi":
                return system.Phi
            case "P_mu":
                return Matrix.of(model.P_mu, n)
            case "P_pi":
                rows: list[SparseRow] = [{} for _ in range(n)]
                for s, a, weight in system.policy:
                    for t, x in model.P[a][s].items():
                        add(rows[s], t, weight, x)
                return Matrix.of(rows, n)
            case "N":
                return system.N
            case "M" | "S":
                return self.operator(word)(Matrix.identity(n))
            case "r":
                return system.r()
            case "q":
                return system.Q @ ones
            case "d":
                return Matrix.column(self.case.law)
            case "D":
                return system.D
            case "A":
                return system.A()
            case "b":
                return system.Phi.T @ (system.D @ system.S(system.r()))
            case "C":
                return system.C()
            case "theta":
                return Matrix.column(self.case.theta)
            case "V":
                return solve(Matrix.identity(n) - system.N, system.r())
            case "gamma" if model.gamma is not None:
                return scalar(model.gamma)
            case "kappa" if model.gamma is not None:
                return scalar(self.kappa(model.gamma, where))
            case "L" if model.constant is None:
                return scalar(Fraction(len(model.lambdas)))
            case "lambda" if k and k <= limits.MAX_LAMBDAS + 2:
                return scalar(model.lam(k))
            case "c" if k is not None and k <= limits.MAX_LAMBDAS + 2:
                return scalar(model.c(k))
            case "w" if k and k <= limits.MAX_LAMBDAS + 2:
                return scalar(model.weight(k))
            case "Lambda" if k and k <= limits.MAX_LAMBDAS + 2:
                half = k * bits_of(model.constant or ONE) // 4  # bits of the power in the middle: the work is convex
                spend_products(8 * k, half, half, ahead=True)
                last = [model.c(i) for i in range(k)]
                share = [last[j] - model.c(j + 1) for j in range(k)]
                spend(500 * k * k, 100 * k * k)
                return Matrix.of([dict(enumerate([*share[:i], last[i]])) for i in range(k)], k)
        raise Rejected(f"{where}: {show(word if k is None else f'{word}:{k}')} has no value for this model")

    def kappa(self, gamma: Fraction, where: str) -> Fraction:
        """sum_n w_n gamma^n, by Horner; for a constant lambda without end the sum of the series."""
        if (x := self.model.constant) is not None:
            if x * gamma == 1:
                raise Rejected(f"{where}: the series of kappa has no sum, as lambda = gamma = 1")
            return gamma * (1 - x) / (1 - x * gamma)
        total = Fraction(0)
        foresee_chain(len(self.model.lambdas), bits_of(gamma))
        for k in range(len(self.model.lambdas) + 1, 0, -1):
            w = self.model.weight(k)
            spend_fractions(total, w, gamma)
            total = gamma * (w + total)
        return total

    def read_path(self, value: object, where: str) -> Path:
        """Every transition must have positive probability."""
        first, *rest = items(value, where) or [None]
        walk, actions = [index(first, f"{where}[0]", 0, self.model.n)], []
        for i, step in enumerate(rest, start=1):
            a, t = items(step, f"{where}[{i}]", 2)
            actions.append(index(a, f"{where}[{i}][0]", 0, self.model.m))
            t = index(t, f"{where}[{i}][1]", 0, self.model.n)
            if t not in self.model.P[actions[-1]][walk[-1]]:
                raise Rejected(f"{where}[{i}]: this action never leads there")
            walk.append(t)
        return walk, actions

    def paths(self, rest: list[object], where: str) -> tuple[int, list[Fraction], list[SparseRow], int]:
        """How many paths an expectation walks, their law at the start, the policy, and their steps."""
        model, n = self.model, self.model.n
        policy = {"mu": model.mu, "pi": model.pi}[choice(rest[0], f"{where}[1]", ["mu", "pi"])]
        start = rest[1] if rest[1] == "d" else index(rest[1], f"{where}[2]", 0, n)
        law = self.case.law if start == "d" else [Fraction(int(s == start)) for s in range(n)]
        steps = index(rest[2], f"{where}[3]", 0, 100)
        key = (str(rest[0]), str(start), steps)
        if key not in self.system.ways:
            ways = {s: 1 for s, x in enumerate(law) if x}  # the paths so far, by their last state
            for _ in range(steps):
                longer: dict[int, int] = {}
                for s, count in ways.items():
                    for a in policy[s]:
                        spend(200 * len(model.P[a][s]))
                        for t in model.P[a][s]:
                            longer[t] = longer.get(t, 0) + count
                ways = longer
                if sum(ways.values()) > limits.MAX_PATHS:
                    raise Rejected(f"{where}: there are more than {limits.MAX_PATHS} paths of {steps} steps")
            self.system.ways[key] = sum(ways.values())
        return self.system.ways[key], law, policy, steps

    def outlook(self, x: object, where: str) -> int:
        """Nanoseconds of an expression, were all its numbers short: what stands under an `E` is done for every path."""
        if not isinstance(x, list):
            return 20_000
        if x[:1] == ["E"] and len(x) == 5:
            count, _, _, steps = self.paths(x[1:], where)
            return count * (self.outlook(x[4], f"{where}[4]") + 50_000 + 10_000 * steps)
        return 20_000 + sum(self.outlook(part, f"{where}[{i}]") for i, part in enumerate(x))

    def expectation(self, rest: list[object], where: str) -> Matrix:
        """The sum over all paths of positive probability, each with its probability; counted before they are walked."""
        count, law, policy, steps = self.paths(rest, where)
        spend(self.outlook(["E", *rest], where), ahead=True)
        before, held = SPENT.get()
        every = Branch(((x, self.along(([s], []))) for s, x in enumerate(law) if x), ONE)
        walked, is_first = [every], True
        while walked:
            here = walked[-1]
            weight, scene = next(here.ways, (ONE, None))
            if scene is None:
                walked.pop()
                if walked and here.total is not None:
                    walked[-1].add(here.weight, here.total)
            elif scene.length < steps:
                walked.append(Branch(scene.onward(policy), weight))
            else:
                SPENT.get()[1] = held + scene.bits_before()  # what other paths needed is gone
                spend(50_000)
                term = scene.value(rest[3], f"{where}[4]")
                if is_first:  # it says what the numbers cost on each
                    spend((count - 1) * (SPENT.get()[0] - before), ahead=True)
                    is_first = False
                here.add(weight, term)
        SPENT.get()[1] = held
        if every.total is None:
            raise Rejected(f"{where}: there is no path")
        return every.total
