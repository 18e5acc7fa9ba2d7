"""Paths of relations, and the names whose worth a path decides."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Self

from .budget import ONE, SPENT, Rejected, bits_of, foresee_chain, spend, spend_fractions
from .matrices import Matrix
from .model import Case, System, add
from .reading import SparseRow, entry
from .values import column_of, kept, scalar

Path = tuple[list[int], list[int]]  # s_0 ... s_T and a_0 ... a_{T-1}
NAME = re.compile(r"([A-Za-z_]+)(?::(0|[1-9][0-9]{0,3}))?")
LOCAL = {"R", "gamma", "rho", "phi", "v", "delta", "state"}  # on a path, with a step: one state or one transition
AT_STEP = LOCAL | {"z", "zrho"}
RETURNS = {"G", "Grho"}  # on a path, from its start
UP_TO = {"phi", "v", "state", "z"}  # decided where their step begins; the others by its transition


@lru_cache
def read_name(text: str) -> tuple[str, int | None]:
    """The word of a name and its number; an empty word where it is not a name."""
    match = NAME.fullmatch(text)
    return (match[1], None if match[2] is None else int(match[2])) if match else ("", None)


class OnPath:
    """A path in a case, and what is done along it; `before`: under `E`, the path without its last transition."""

    def __init__(self, case: Case, system: System, known: dict[object, Matrix]):
        self.case, self.model, self.system, self.known = case, case.model, system, known
        self.done: dict[object, Matrix] = {}  # operations, by identity (see `shared`), and names along the path
        self.reaches: dict[object, int] = {}  # of operations, by identity
        self.path: Path = ([], [])  # empty where there is none
        self.before: Self | None = None
        self.bits = 0  # of what is done, and of returns
        self.returns: dict[str, tuple[int, Fraction, Fraction]] = {}  # so far along the path, see `on_path`

    def along(self, path: Path, before: Self | None = None) -> Self:
        made = type(self)(self.case, self.system, self.known)
        made.reaches, made.path, made.before = self.reaches, path, before
        return made

    def reach(self, x: object) -> int:
        """How many transitions decide an expression: it is worth the same on all paths that begin with them."""
        if not isinstance(x, list):
            word, k = read_name(str(x))
            if word in RETURNS:
                return len(self.model.lambdas) + 1
            return (k or 0) + (word not in UP_TO) if word in AT_STEP else 0
        if x[:1] in (["E"], ["on"]):
            return 0  # they have paths of their own
        if id(x) not in self.reaches:
            self.reaches[id(x)] = max(map(self.reach, x), default=0)
        return self.reaches[id(x)]

    @property
    def length(self) -> int:
        """The number of transitions of the path."""
        return len(self.path[1])

    def decided(self, reach: int) -> Self:
        """The beginning of so many transitions of the path, or of all of them."""
        beginning = self
        while beginning.before is not None and beginning.length > reach:
            beginning = beginning.before
        return beginning

    def bits_before(self) -> int:
        """What all paths keep that begin as this one."""
        beginning, bits = self.before, 0
        while beginning is not None:
            bits, beginning = bits + beginning.bits, beginning.before
        return bits

    def onward(self, policy: list[SparseRow]) -> Iterator[tuple[Fraction, Self]]:
        """Every transition from the end of the path, and its probability."""
        walk, actions = self.path
        for a, p in policy[walk[-1]].items():
            for t, x in self.model.P[a][walk[-1]].items():
                spend(10_000)
                spend_fractions(p, x)
                yield p * x, self.along(([*walk, t], [*actions, a]), self)

    def keep(self, key: object, matrix: Matrix) -> None:
        held = SPENT.get()[1]
        self.done[key] = kept(matrix)
        self.bits += SPENT.get()[1] - held

    def on_path(self, word: str, k: int, where: str) -> Matrix:
        """A name along the path; k is its step."""
        model, (walk, actions) = self.model, self.path

        def step(i: int) -> tuple[int, int, int]:
            if i >= len(actions):
                raise Rejected(f"{where}: the path has no transition number {i}")
            return walk[i], actions[i], walk[i + 1]

        def reward(i: int) -> Fraction:
            s, a, t = step(i)
            return entry(model.R[a], s, t)

        def discount(i: int) -> Fraction:
            s, a, t = step(i)
            return entry(model.Gamma[a], s, t)

        def ratio(i: int) -> Fraction:
            s, a, _ = step(i)
            if a not in model.mu[s]:
                raise Rejected(f"{where}: mu never takes the action of transition number {i}")
            spend_fractions(model.pi[s].get(a, Fraction(0)), model.mu[s][a])
            return model.pi[s].get(a, Fraction(0)) / model.mu[s][a]

        def phi(i: int) -> SparseRow:
            if i >= len(walk):
                raise Rejected(f"{where}: the path has no state number {i}")
            return model.Phi[walk[i]]

        def v(i: int) -> Fraction:
            row, seen = phi(i), self.system.predictions
            if walk[i] not in seen:
                total: SparseRow = {0: Fraction(0)}
                for j, x in row.items():
                    add(total, 0, x, self.case.theta[j])
                seen[walk[i]] = total[0]
            return seen[walk[i]]

        def ahead(i: int, rest: Fraction) -> Fraction:
            """Reward and discounted rest of transition i."""
            x, gamma = reward(i), discount(i)
            spend_fractions(x, gamma, rest)
            return x + gamma * rest

        match word:
            case "R" | "gamma" | "rho" | "v":
                return scalar({"R": reward, "gamma": discount, "rho": ratio, "v": v}[word](k))
            case "phi":
                return column_of(phi(k), model.d)
            case "state":
                phi(k)  # there is such a state
                return column_of({walk[k]: ONE}, model.n)
            case "delta":
                return scalar(ahead(k, v(k + 1)) - v(k))
            case "z" | "zrho":
                total: SparseRow = {}
                phi(k)
                product = ratio(k) if word == "zrho" else ONE
                last = 0 if model.constant is not None else max(0, k - len(model.lambdas))
                longest = max((bits_of(discount(i), model.lam(k - i)) for i in range(last, k)), default=0)
                foresee_chain(k - last, bits_of(product) + longest)
                spend(6_000 * (k - last))
                for i in range(k, last - 1, -1):
                    if i < k:
                        factors = (product, discount(i), ratio(i) if word == "zrho" else ONE)
                        spend_fractions(*factors)
                        product = math.prod(factors, start=ONE)
                    for j, x in phi(i).items():
                        add(total, j, model.c(k - i), product, x)
                return column_of(total, model.d)
        if model.constant is not None:
            raise Rejected(f"{where}: the return needs a schedule of finite length")
        # G_i = R_i + gamma_i ((1 - lambda_{i+1}) v_{i+1} + lambda_{i+1} G_{i+1}), and the return is x + y G_i
        waiting = [self]
        while word not in waiting[-1].returns and waiting[-1].before is not None:
            waiting.append(waiting[-1].before)
        i, x, y = waiting[-1].returns.get(word, (0, Fraction(0), ONE))
        while waiting:
            beginning = waiting.pop()
            steps = range(i, min(beginning.length, len(model.lambdas) + 1))
            longest = max((bits_of(model.lam(i + 1), reward(i), discount(i)) for i in steps), default=0)
            foresee_chain(len(steps), longest)
            for i in steps:
                lam, seen = model.lam(i + 1), v(i + 1)
                spend(10_000)
                spend_fractions(x, y, lam, seen)
                y *= ratio(i) if word == "Grho" else 1
                x += y * ahead(i, (1 - lam) * seen)
                y *= discount(i) * lam
            i, held = steps.stop, bits_of(x, y)
            beginning.returns[word] = i, x, y
            spend(0, held)
            beginning.bits += held
        if i <= len(model.lambdas):
            step(i)  # there is such a transition
        return scalar(x)
