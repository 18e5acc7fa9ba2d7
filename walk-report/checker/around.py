"""Sets of models around a model: laws of one of its parts are within a distance of its own in total variation.

What changes: each row of transition probabilities; the behaviour policy in each state, which goes on to take what the
target policy takes; the target policy in each state, which takes only what the behaviour policy takes; or the discount,
where the distance is the difference: one number if the model has one, else that of each transition. A discount below
one stays below one.

In a state the most that such laws give of some values is found exactly: mass goes from the lowest values to the
highest, as far as the distance reaches (`moved`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property

from .budget import Rejected, bits_of
from .model import Model, reached
from .reading import SparseRow, choice, entry, read_number, record
from .sums import ZERO, widest

ONE = Fraction(1)
WORDS = {
    "transitions": "whose rows of transition probabilities are each within {} of those of the given one",
    "discount": "whose discounts are each within {} of those of the given one, below one where that is",
    "one discount": "whose discount, one number, is within {} of that of the given one, and below one if that is",
    "behaviour": "whose behaviour policy is in each state within {} of that of the given one and takes what the target "
    "policy takes",
    "target": "whose target policy is in each state within {} of that of the given one and takes only what the "
    "behaviour policy takes",
}


def moved(law: Mapping[int, Fraction], values: Mapping[int, Fraction], within: Fraction) -> Fraction:
    """The largest mean of `values` under laws on their keys that are within that distance of `law`."""
    best, left = max(values.values()), within
    total = sum((p * values[k] for k, p in law.items()), start=ZERO)
    for k in sorted(law, key=values.__getitem__):
        step = min(left, law[k])
        total, left = total + step * (best - values[k]), left - step
    return total


def apart(first: SparseRow, second: SparseRow) -> Fraction:
    """The distance of two laws in total variation."""
    return sum((abs(first.get(k, ZERO) - second.get(k, ZERO)) for k in first.keys() | second.keys()), start=ZERO) / 2


class ModelsAround:
    """Such a set in canonical form, found valid."""

    def __init__(self, value: object):
        given = record(value, "model", ["format", "change", "within", "model"])
        choice(given["format"], "model.format", ["tdcert-around/1"])
        self.change = choice(given["change"], "model.change", ["transitions", "discount", "behaviour", "target"])
        self.within = read_number(given["within"], "model.within")
        if not 0 <= self.within <= 1:
            raise Rejected("model.within: the number is outside [0, 1]")
        self.model = Model(given["model"])
        assert isinstance(given["model"], dict)
        self.given: dict[str, object] = given["model"]
        model = self.model
        if model.sampling is not None or model.by_state is not None or model.interest is not None:
            raise Rejected("model.model: it is of one path, with lambdas by time and no interest")
        self.n, self.m, self.d, self.Phi = model.n, model.m, model.d, model.Phi
        self.lambdas, self.constant = model.lambdas, model.constant
        if any(not 0 <= x <= 1 for x in self.lambdas):
            raise Rejected("model.model.schedule: a lambda is outside [0, 1]")

    @property
    def on_policy(self) -> bool:
        return self.change in ("transitions", "discount") and self.model.mu == self.model.pi

    @property
    def largest_discount(self) -> Fraction:
        model = self.model
        largest = max(entry(Gamma, s, t) for Gamma in model.Gamma for s in range(self.n) for t in range(self.n))
        return min(ONE, largest + self.within) if self.change == "discount" else largest

    @cached_property
    def cost(self) -> tuple[int, int, int]:
        """All transitions may be possible; fractions take longer than the whole numbers of intervals."""
        model = self.model
        tables = [*model.P, model.mu, model.pi, *[x for x in model.Gamma if isinstance(x[0], dict)]]
        gammas = [x for Gamma in model.Gamma for x in Gamma if isinstance(x, Fraction)]
        bits = bits_of(self.within, *gammas) + sum(widest(table) for table in tables)
        return 8 * self.n * self.n * self.m, 1, bits

    def ahead(self, s: int, values: Sequence[int]) -> Fraction:
        """The most that row s of N may give of `values`."""
        return self.most(s, values, [0] * self.n)

    def most(self, s: int, w: Sequence[int], h: Sequence[int]) -> Fraction:
        """The most that row s of N may give of w and that of the behaviour chain of h, together."""
        model, mu, pi = self.model, self.model.mu[s], self.model.pi[s]
        if self.change == "transitions":
            total = ZERO
            for a in mu.keys() | pi.keys():
                x, y, Gamma = pi.get(a, ZERO), mu.get(a, ZERO), model.Gamma[a]
                worth = {t: x * entry(Gamma, s, t) * w[t] + y * h[t] for t in range(self.n)}
                total += moved(model.P[a][s], worth, self.within)
            return total
        here = {a: sum((p * h[t] for t, p in P[s].items()), start=ZERO) for a, P in enumerate(model.P)}
        chain = sum((y * here[a] for a, y in mu.items()), start=ZERO)
        if self.change == "discount":
            return chain + self.discounted(s, w)
        worth = {
            a: sum((p * entry(model.Gamma[a], s, t) * w[t] for t, p in model.P[a][s].items()), start=ZERO)
            for a in mu.keys() | pi.keys()
        }
        if self.change == "target":
            return chain + moved(pi, {a: worth[a] for a in mu}, self.within)
        return sum((x * worth[a] for a, x in pi.items()), start=ZERO) + moved(mu, here, self.within)

    def discounted(self, s: int, w: Sequence[int]) -> Fraction:
        """The most that row s of N may give, of all discounts."""
        model, e = self.model, self.within
        if model.gamma is not None:
            x = sum((x * p * w[t] for a, x in model.pi[s].items() for t, p in model.P[a][s].items()), start=ZERO)
            return max(max(ZERO, model.gamma - e) * x, min(ONE, model.gamma + e) * x)
        found = ZERO
        for a, x in model.pi[s].items():
            for t, p in model.P[a][s].items():
                g = entry(model.Gamma[a], s, t)
                found += x * p * max(max(ZERO, g - e) * w[t], min(ONE, g + e) * w[t])
        return found

    def core(self, root: int) -> set[int]:
        """The states that every model visits for ever: `root`, to which every state certainly leads, and what it leads
        to. So every model has one recurrent class, and they are in it.
        """
        follow, before = [set[int]() for _ in range(self.n)], [set[int]() for _ in range(self.n)]
        row_may_lose = self.within if self.change == "transitions" else ZERO
        for s in range(self.n):
            for a, y in self.model.mu[s].items():
                if self.change == "behaviour" and y <= self.within and a not in self.model.pi[s]:
                    continue
                for t, p in self.model.P[a][s].items():
                    if p > row_may_lose:
                        follow[s].add(t)
                        before[t].add(s)
        if len(reached(before, [root])) < self.n:
            raise Rejected("witness.root: not every state leads to it by transitions that are certain")
        return reached(follow, [root])

    def require_coverage(self) -> None:
        """The behaviour policy takes every action of the target policy, in every model."""
        for s in range(self.n):
            if not self.model.pi[s].keys() <= self.model.mu[s].keys():
                raise Rejected(f"model.model.behaviour: an action of the target policy is never taken in state {s}")

    def place(self) -> str:
        """In words, after "for every model": which are in the set."""
        one = self.change == "discount" and self.model.gamma is not None
        words = WORDS["one discount" if one else self.change].format(self.within)
        return f"{words}, in total variation ({self.n} states, {self.m} actions)"

    def witnessed(self, value: object, where: str) -> tuple[dict[str, object], dict[str, object]]:
        """The canonical form of a model of the set, and what else is told of it; `changed`: its part that changes."""
        given = record(value, where, ["changed", "kind", "about", "witness"])
        canonical = {**self.given, self.change: given["changed"]}
        self.require_near(Model(canonical), f"{where}.changed")
        return canonical, given

    def require_near(self, other: Model, where: str) -> None:
        """Each law of the model is within the distance, and what is to be kept is."""
        model = self.model
        pairs = {
            "transitions": [(x, y) for P, Q in zip(model.P, other.P, strict=True) for x, y in zip(P, Q, strict=True)],
            "behaviour": list(zip(model.mu, other.mu, strict=True)),
            "target": list(zip(model.pi, other.pi, strict=True)),
            "discount": [],
        }[self.change]
        far = any(apart(x, y) > self.within for x, y in pairs)
        if self.change == "discount":
            if (model.gamma is None) != (other.gamma is None):
                raise Rejected(f"{where}: one number stands where the model has one, and only there")
            tables = zip(model.Gamma, other.Gamma, strict=True)
            both = [(entry(x, s, t), entry(y, s, t)) for x, y in tables for s in range(self.n) for t in range(self.n)]
            far = any(abs(x - y) > self.within or (x < 1 <= y) for x, y in both)
        if far:
            raise Rejected(f"{where}: it is farther from the model than {self.within}, or a discount is one")
        if any(not other.pi[s].keys() <= other.mu[s].keys() for s in range(self.n)):
            raise Rejected(f"{where}: an action of the target policy is never taken")
