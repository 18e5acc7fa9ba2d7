"""Certificates about sets of models, made by hand, and what is true of a set: fractions, and all corners of its rows.

With one feature and λ = 0, A times the positive normaliser of the stationary law is affine in each row and each
behaviour policy apart (tree formula), so that its sign on all of a set is its sign at the corners: the second decision
is exact there. It shares nothing with the checker; intervals are held against exact products of fractions.
"""

from __future__ import annotations

import copy
import random
from bisect import bisect_left
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from math import floor, prod
from typing import Any

from tests.theory.certificate.by_hand import Built, Json, Rows, certify, seal, solve, text

F = Fraction
GRID = 512
UNIT = 2**40
P61 = 2**61 - 1
Law = tuple[F, ...]


# ------------------------------------------------------------------------------------------- intervals, exactly


def halves(n: int) -> F:
    """The product over i < n of (i + ½)."""
    return F(prod(range(1, 2 * n, 2)), 2**n)


def factorial(n: int) -> int:
    return prod(range(1, n + 1))


def mixture(counts: list[int]) -> F:
    """Q of the averaged rule, visit by visit in the order of the states: an exchangeable product."""
    k, seen, dirichlet, few = len(counts), [0] * len(counts), F(1), F(1)
    for j, count in enumerate(counts):
        for _ in range(count):
            n, met = sum(seen), sum(1 for x in seen if x)
            dirichlet *= F(2 * seen[j] + 1, 2 * n + k)
            few *= F(seen[j], n + 1) if seen[j] else F(1, (n + 1) * (k - met))
            seen[j] += 1
    return (dirichlet + few) / 2


@cache
def weight_of(counts: tuple[int, ...]) -> F:
    return mixture(list(counts))


def excluded(p: F, j: int, counts: list[int], share: F) -> bool:
    """Whether an entry p contradicts the counts, by the rule of the entry or that of the row."""
    k, n, count = len(counts), sum(counts), counts[j]
    rest = n - count
    likelihood = p**count * (1 - p) ** rest
    alone = halves(count) * halves(rest) / factorial(n)
    if alone * share >= (2 if k == 2 else 2 * k) * likelihood:
        return True
    largest = prod(x**x for x in counts)
    return bool(weight_of(tuple(counts)) * share * count**count * rest**rest >= 2 * largest * likelihood)


def row(possible: list[int], counts: list[int], share: F) -> Json:
    """A row with intervals whose ends are the nearest of a grid that are excluded."""
    if len(possible) == 1:
        return {"possible": possible, "counts": counts, "low": ["1"], "high": ["1"]}
    low, high = zip(*(ends(j, tuple(counts), share) for j in range(len(counts))), strict=True)
    return {"possible": possible, "counts": counts, "low": [*map(text, low)], "high": [*map(text, high)]}


@cache
def ends(j: int, counts: tuple[int, ...], share: F) -> tuple[F, F]:
    """The nearest ends of the grid: from each on, outward, all are excluded."""
    n = sum(counts)
    if not n:
        return F(0), F(1)
    middle = counts[j] * GRID // n
    out = [F(i, GRID) for i in range(GRID + 1)]
    below = bisect_left(range(middle), True, key=lambda i: not excluded(out[i], j, list(counts), share))
    above = bisect_left(range(middle + 1, GRID), True, key=lambda i: excluded(out[i], j, list(counts), share))
    return out[max(below - 1, 0)], out[min(middle + 1 + above, GRID)]


def follows(row: Json, share: F) -> bool:
    """Whether each end lies outside what the counts leave, on its side of the frequency."""
    counts, n = row["counts"], sum(row["counts"])
    if len(counts) == 1:
        return (row["low"], row["high"]) == (["1"], ["1"])
    for j, (low, high) in enumerate(zip(map(F, row["low"]), map(F, row["high"]), strict=True)):
        if low and not (n and low * n <= counts[j] and excluded(low, j, counts, share)):
            return False
        if high < 1 and not (n and high * n >= counts[j] and excluded(high, j, counts, share)):
            return False
    return True


def corners(row: Json, size: int) -> list[Law]:
    """Laws with all entries but one at an end."""
    ends = [(F(a), F(b)) for a, b in zip(row["low"], row["high"], strict=True)]
    found = set()
    for free in range(len(ends)):
        for picked in product(*(x for i, x in enumerate(ends) if i != free)):
            last = 1 - sum(picked)
            if ends[free][0] <= last <= ends[free][1]:
                law = dict(zip(row["possible"], (*picked[:free], last, *picked[free:]), strict=True))
                found.add(tuple(law.get(j, F(0)) for j in range(size)))
    return sorted(found)


# ------------------------------------------------------------------------------------------- models of a set


def distinct(models: Json) -> list[Json]:
    """The rows with several possible successors, those of an unknown policy too."""
    rows = [x for of_state in models["rows"] for x in of_state] + [models["start"]]
    rows += models["behaviour"]["rows"] if isinstance(models["behaviour"], dict) else []
    return [x for x in rows if x is not None and len(x["possible"]) > 1]


def is_a_set(models: Json) -> bool:
    """Whether the intervals follow from the counts, and all shares together are at most δ."""
    share, rows = F(models["share"]), distinct(models)
    listed = [x for of_state in models["rows"] for x in of_state if x is not None]
    return len(rows) * share <= F(models["delta"]) and all(follows(x, share) for x in [*rows, *listed])


def a_model(models: Json, table: list[list[Law]], policy: list[Law]) -> Json:
    n, m = len(models["features"]), len(models["rows"][0])
    names = [*map(str, range(m))]
    discount = ["0" if s in models["terminal"] else models["discount"] for s in range(n)]
    mu = [[*map(text, law)] for law in policy]
    return {
        "format": "tdcert-model/1",
        "actions": names,
        "transitions": {a: [[*map(text, table[s][int(a)])] for s in range(n)] for a in names},
        "rewards": dict.fromkeys(names, ["0"] * n),
        "discount": dict.fromkeys(names, discount),
        "behaviour": mu,
        "target": mu if models["target"] is None else models["target"],
        "features": models["features"],
        "schedule": models["schedule"],
    }


def members(models: Json) -> Iterator[Json]:
    """The models at all corners."""
    n, m = len(models["features"]), len(models["rows"][0])
    starts = corners(models["start"], n) if models["start"] else [()]
    own = [corners(x, n) for of_state in models["rows"] for x in of_state if x is not None]
    unknown = models["behaviour"]["rows"] if isinstance(models["behaviour"], dict) else None
    given = (
        [[tuple(map(F, x))] for x in models["behaviour"]]
        if unknown is None
        else [[(F(1, m),) * m] if x is None else corners(x, m) for x in unknown]
    )
    for start in starts:
        for laws in product(*own):
            rest = iter(laws)
            table = [[start if x is None else next(rest) for x in of_state] for of_state in models["rows"]]
            for policy in product(*given):
                yield a_model(models, table, list(policy))


def built(model: Json) -> Built:
    """The matrices on the only recurrent class; raises StopIteration where there are several."""
    n = len(model["features"])
    actions, mu = model["actions"], model["behaviour"]
    table = [model["transitions"][a] for a in actions]
    P = [[sum(F(w) * F(x[s][t]) for w, x in zip(mu[s], table, strict=True)) for t in range(n)] for s in range(n)]
    reached = [{s} for s in range(n)]
    for _ in range(n):
        reached = [set().union(*({t} | {u for u in range(n) if P[t][u]} for t in found)) for found in reached]
    (one,) = {tuple(sorted(set.intersection(*reached)))}
    if not one:
        raise StopIteration
    return Built(model, list(one))


def values(models: Json) -> list[F]:
    """A at every corner, of one feature."""
    return [built(model).A[0][0] for model in members(models)]


def is_on_policy(models: Json) -> bool:
    return models["target"] is None or models["behaviour"] == models["target"]


# ------------------------------------------------------------------------------------------- true certificates


def a_set(counts: list[list[list[int]]], share: str, discount: str, **others: Any) -> Json:
    """Two states, two actions and one feature; the target policy takes the second action, the other tosses a coin."""
    return {
        "format": "tdcert-set/1",
        "delta": "1/2",
        "share": share,
        "rows": [[row([0, 1], x, F(share)) for x in of_state] for of_state in counts],
        "start": None,
        "terminal": [],
        "behaviour": [["1/2", "1/2"], ["1/2", "1/2"]],
        "target": [["0", "1"], ["0", "1"]],
        "discount": discount,
        "features": [["1"], ["2"]],
        "schedule": {"lambdas": []},
        **others,
    }


MANY = [[[90, 10], [5, 95]], [[90, 10], [5, 95]]]
MORE = [[[190, 10], [5, 195]], [[190, 10], [5, 195]]]
FEW = [[[4, 1], [1, 4]], [[4, 1], [1, 4]]]


def best(models: Json, weight: F) -> tuple[F, list[str]]:
    """The largest of weight·A over the corners, and h of that model: (I − P)h = g − mean, h_0 = 0."""
    b = max(map(built, members(models)), key=lambda b: weight * b.A[0][0])
    phi = [x for (x,) in b.Phi]
    n = b.n
    g = [weight * phi[s] * (sum((b.N[s][t] * phi[t] for t in range(n)), F(0)) - phi[s]) for s in range(n)]
    # the gain in the place of h_0
    system: Rows = [[F(1) if t == 0 else F(s == t) - b.P_mu[s][t] for t in range(n)] for s in range(n)]
    h = [F(0), *(x for (x,) in solve(system, [[x] for x in g])[1:])]
    return weight * b.A[0][0], [text(F(floor(x * UNIT), UNIT)) for x in h]


def bounds(models: Json, weight: F) -> tuple[F, F, Json]:
    """Ends of weight·A, and the potentials that show them."""
    (top, above), (bottom, below) = best(models, weight), best(models, -weight)
    return -bottom, top, [above, below]


NOTHING = {"scale": ["1"], "bits": 0, "rows": [["0"]]}
"""The factor of a positive number."""
RANK = {"prime": P61, "rows": [0]}


def by_form(kind: str, models: Json, X: str, **others: Any) -> Json:
    _, _, potentials = bounds(models, 2 * F(X))
    witness = {"root": 0, "unit": "1", "lyapunov": [[X]], "congruence": [["1"]], "potentials": [potentials]}
    return certify(kind, models, {}, {**witness, "factor_growth": NOTHING, **others})


def by_inverse(models: Json) -> Json:
    low, high, _ = bounds(models, F(1))
    R = text((2 / (low + high)).limit_denominator(8))
    _, _, potentials = bounds(models, F(R))
    witness = {"root": 0, "unit": "1", "rank": RANK, "inverse": [[R]], "potentials": [potentials], "weights": ["1"]}
    return certify("set_regular", models, {}, witness)


def disagreeing(models: Json, algorithm: str) -> Json:
    """The corners with the least and the largest A."""
    found = sorted(members(models), key=lambda model: built(model).A[0][0])
    unknown = isinstance(models["behaviour"], dict)

    def witnessed(model: Json, kind: str, about: Json, witness: Json) -> Json:
        b = built(model)
        table = model["transitions"]

        def law(s: int, a: str) -> list[str]:
            row = models["start"] if s in models["terminal"] else models["rows"][s][int(a)]
            return [table[a][s][t] for t in row["possible"]]

        ends = models["terminal"]
        parts = {
            "laws": [None if s in ends else [law(s, a) for a in model["actions"]] for s in range(b.n)],
            "start": law(ends[0], "0") if ends else None,
            "kind": kind,
            "about": {"class": b.cls, **about},
            "witness": {"stationary": [text(x) for x in b.d], **witness},
        }
        return {**parts, "behaviour": model["behaviour"]} if unknown else parts

    least, most = found[0], found[-1]
    if algorithm == "TD":
        grows = {"lyapunov": [["1"]], "factor_growth": NOTHING, "vector": ["1"]}
        pair = (
            witnessed(least, "definite", {"matrix": "A", "sign": "negative"}, {"factor": NOTHING}),
            witnessed(most, "unstable", {"matrix": "A", "shift": "0"}, grows),
        )
    else:
        pair = (
            witnessed(most, "relation", {}, {"relations": [["0", "<", ["det", "A"]]]}),
            witnessed(least, "relation", {}, {"relations": [[["det", "A"], "<", "0"]]}),
        )
    one, other = pair
    return certify("set_undecided", models, {"algorithm": algorithm}, {"root": 0, "one": one, "other": other})


def true_sets() -> dict[str, Json]:
    share = F(1, 12)
    coin = row([0, 1], [100, 100], share)
    unknown = a_set(MORE, "1/12", "19/20", behaviour={"rows": [coin, coin]})
    episodes = {
        **a_set([], "1/12", "9/10"),
        "rows": [
            [row([0, 1], [30, 20], share), row([1, 2], [25, 25], share)],
            [row([1], [9], share), row([0, 2], [20, 30], share)],
            [None, None],
        ],
        "start": row([0, 1], [40, 10], share),
        "terminal": [2],
        "behaviour": [["1/2", "1/2"]] * 3,
        "target": [["1/4", "3/4"]] * 3,
        "features": [["1"], ["-2"], ["0"]],
    }
    unstable, stable = a_set(MANY, "1/8", "19/20"), a_set(MANY, "1/8", "1/2")
    equal = a_set(FEW, "1/8", "19/20", target=[["1/2", "1/2"]] * 2, schedule={"constant": {"lambda": "1/2"}})
    follower = {**unknown, "target": None, "schedule": {"lambdas": ["1/2"]}}
    undecided = a_set(FEW, "1/8", "9/10")
    return {
        "set, stable": by_form("set_stable", stable, "1", factor_lyapunov=NOTHING),
        "set, stable, episodes": by_form("set_stable", episodes, "1", factor_lyapunov=NOTHING),
        "set, stable, one policy": by_form(
            "set_stable", {**unknown, "target": None, "discount": "1/2"}, "1", factor_lyapunov=NOTHING
        ),
        "set, unstable": by_form("set_unstable", unstable, "1", shift="1/1000", vector=["1"]),
        "set, unstable, unknown policy": by_form("set_unstable", unknown, "1", shift="0", vector=["1"]),
        "set, regular by a form": by_form("set_regular", unstable, "1", sign="positive", rank=RANK),
        "set, regular": by_inverse(stable),
        "set, regular, episodes": by_inverse(episodes),
        "set, on-policy": certify("set_on_policy", equal, {}, {"root": 0, "rank": RANK}),
        "set, on-policy, unknown": certify("set_on_policy", follower, {}, {"root": 1, "rank": RANK}),
        "set, undecided": disagreeing(undecided, "TD"),
        "set, undecided, determinant": disagreeing(undecided, "GTD"),
        "set, undecided, unknown policy": disagreeing(
            {**undecided, "share": "1/12", "rows": [[row([0, 1], x, share) for x in of_state] for of_state in FEW],
             "behaviour": {"rows": [row([0, 1], [5, 5], share)] * 2}}, "TDC"
        ),
    }  # fmt: skip


# ------------------------------------------------------------------------------------------- what is true


def truth(kind: str, models: Json, witness: Json) -> bool:
    """Whether the statement holds, decided at the corners; of two models that disagree: about these two."""
    if not is_a_set(models):
        return False
    if kind == "set_undecided":
        one, other = (of(models, witness[key]) for key in ("one", "other"))
        return None not in (one, other) and built(one).A[0][0] * built(other).A[0][0] < 0
    if kind == "set_on_policy":
        return is_on_policy(models) and all(built(model).A[0][0] < 0 for model in members(models))
    found = values(models)
    signs = {"set_stable": (-1,), "set_unstable": (1,), "set_regular": (-1, 1)}[kind]
    return any(all(sign * x > 0 for x in found) for sign in signs)


def of(models: Json, given: Json) -> Json | None:
    """A model in the file, or None where a law of it lies outside the set."""
    n, m = len(models["features"]), len(models["rows"][0])

    def law(row: Json, values: list[str], size: int) -> Law | None:
        ends = zip(values, row["low"], row["high"], strict=True)
        if sum(map(F, values)) != 1 or any(not F(a) <= F(x) <= F(b) for x, a, b in ends):
            return None
        found = dict(zip(row["possible"], map(F, values), strict=True))
        return tuple(found.get(j, F(0)) for j in range(size))

    start = law(models["start"], given["start"], n) if models["start"] else None
    rows, ends, unknown = models["rows"], models["terminal"], isinstance(models["behaviour"], dict)
    table = [
        [start] * m if s in ends else [law(x, y, n) for x, y in zip(rows[s], given["laws"][s], strict=True)]
        for s in range(n)
    ]
    policy: list[Law | None] = [tuple(map(F, x)) for x in (given if unknown else models)["behaviour"]]
    if unknown:
        sets = models["behaviour"]["rows"]
        policy = [law(x, y, m) if x else (F(1, m),) * m for x, y in zip(sets, given["behaviour"], strict=True)]
    laws = [x for of_state in table for x in of_state]
    return None if None in laws or None in policy else a_model(models, table, policy)  # type: ignore[arg-type]


def forged_set(rng: random.Random, known: Json) -> Json:
    """Of a true certificate, with other counts, ends, policies or discounts, or numbers of the witness."""
    certificate = copy.deepcopy(known)
    models, witness = certificate["model"], certificate["witness"]
    rows = distinct(models)
    for _ in range(rng.choice((1, 1, 2, 3))):
        which = rng.randrange(6)
        if which == 0:
            one = rng.choice(rows)
            one["counts"][rng.randrange(len(one["counts"]))] = rng.randrange(40)
        elif which == 1:
            one, key = rng.choice(rows), rng.choice(("low", "high"))
            j = rng.randrange(len(one[key]))
            one[key][j] = text(min(F(1), max(F(0), F(one[key][j]) + F(rng.randint(-40, 40), GRID))))
        elif which == 2:
            models["discount"] = rng.choice(("0", "1/2", "3/4", "9/10", "1"))
        elif which == 3:
            p = F(rng.randint(0, 4), 4)
            models["target"] = [[text(p), text(1 - p)]] * len(models["features"])
        elif which == 4:
            models[rng.choice(("delta", "share"))] = rng.choice(("1/2", "1/8", "1/12", "1/100"))
        elif "lyapunov" in witness:
            x = text(F(rng.choice((-2, -1, 1, 3))))
            witness["lyapunov"] = [[x]]
        elif "inverse" in witness:
            witness["inverse"] = [[text(F(rng.choice((-3, -1, 1, 2)), 2))]]
    return seal(certificate)


# ------------------------------------------------------------------------------------------- false statements

FALSE_SETS: list[tuple[str, tuple[str | int, ...], Json, str]] = [
    ("set, stable", ("model", "format"), "tdcert-model/1", "model.format"),
    ("set, stable", ("model", "rows", 0, 0, "low", 0), "449/512", "the lower end of state 0 does not follow"),
    ("set, stable", ("model", "rows", 1, 1, "high", 0), "1/16", "the upper end of state 0 does not follow"),
    ("set, stable", ("model", "rows", 0, 0, "counts"), [89, 11], "does not follow from the counts"),
    ("set, stable", ("model", "rows", 0, 0, "counts"), [9, 1], "does not follow from the counts"),
    ("set, stable", ("model", "rows", 0, 0, "counts", 0), 2**40, "range"),
    ("set, stable", ("model", "rows", 0, 0, "possible"), [1, 0], "increasing order"),
    ("set, stable", ("model", "rows", 0, 0, "possible"), [0, 2], "range"),
    ("set, stable", ("model", "rows", 0, 0, "low"), ["511/512", "0"], "an interval is empty"),
    ("set, stable", ("model", "rows", 0, 0, "high"), ["1/2", "1/4"], "an interval is empty"),
    ("set, stable", ("model", "rows", 0, 0, "high", 0), "3/2", "leaves [0, 1]"),
    ("set, stable", ("model", "rows", 0, 0), None, "an object is needed"),
    ("set, stable", ("model", "share"), "1/2", "need more than delta"),
    ("set, stable", ("model", "share"), "1/7", "need more than delta"),
    ("set, stable", ("model", "share"), "0", "0 < share"),
    ("set, stable", ("model", "delta"), "1", "share <= delta < 1"),
    ("set, stable", ("model", "delta"), "1/3", "need more than delta"),
    ("set, stable", ("model", "start"), row([0, 1], [5, 5], F(1, 8)), "no state is terminal"),
    ("set, stable", ("model", "behaviour", 0), ["1", "0"], "may never be taken in state 0"),
    ("set, stable", ("model", "behaviour", 0), ["1/2", "1/3"], "not a probability law"),
    ("set, stable", ("model", "target", 0), ["1/2", "1"], "not a probability law"),
    ("set, stable", ("model", "target"), None, "null stands for an unknown"),
    ("set, stable", ("model", "discount"), "19/20", "factor_growth"),
    ("set, stable", ("model", "discount"), "3/2", "outside [0, 1]"),
    ("set, stable", ("model", "schedule"), {"constant": {"lambda": "1/2"}}, "schedules that end"),
    ("set, stable", ("model", "schedule"), {"lambdas": ["3/2"]}, "outside [0, 1]"),
    ("set, stable", ("model", "features", 1, 0), "20", "factor_growth"),
    ("set, stable", ("witness", "root"), 2, "range"),
    ("set, stable", ("witness", "unit"), "0", "not positive"),
    ("set, stable", ("witness", "unit"), "-1", "not positive"),
    ("set, stable", ("witness", "lyapunov"), [["-1"]], "factor_lyapunov"),
    ("set, stable", ("witness", "congruence"), [["0"]], "factor_growth"),
    ("set, stable", ("witness", "potentials", 0, 0, 1), "1000", "factor_growth"),
    ("set, stable, episodes", ("model", "features", 2, 0), "1", "features that are not zero"),
    ("set, stable, episodes", ("model", "start"), None, "an object is needed"),
    ("set, stable, episodes", ("model", "rows", 2, 0), row([0], [3], F(1)), "null belongs there"),
    ("set, stable, episodes", ("model", "rows", 1, 0, "low", 0), "1/2", "the only successor"),
    ("set, stable, episodes", ("model", "terminal"), [3], "range"),
    ("set, unstable", ("witness", "shift"), "-1", "shift is negative"),
    ("set, unstable", ("witness", "shift"), "1", "factor_growth"),
    ("set, unstable", ("witness", "vector"), ["0"], "vector is zero"),
    ("set, unstable", ("witness", "lyapunov"), [["-1"]], "not positive at witness.vector"),
    ("set, unstable", ("model", "discount"), "1/2", "factor_growth"),
    ("set, unstable, unknown policy", ("model", "share"), "1/8", "need more than delta"),
    ("set, unstable, unknown policy", ("model", "behaviour", "rows", 0), None, "an object is needed"),
    ("set, unstable, unknown policy", ("model", "behaviour", "rows", 0, "low", 1), "1/2", "does not follow"),
    ("set, unstable, unknown policy", ("model", "behaviour", "rows", 0, "counts"), [1, 0], "does not follow"),
    ("set, regular by a form", ("witness", "sign"), "negative", "factor_growth"),
    ("set, regular by a form", ("witness", "rank", "rows"), [2], "range"),
    ("set, regular by a form", ("model", "features", 0, 0), "0", "determinant"),
    ("set, regular", ("witness", "weights"), ["-1"], "E y < y"),
    ("set, regular", ("witness", "weights"), ["0"], "E y < y"),
    ("set, regular", ("witness", "inverse"), [["1"]], "E y < y"),
    ("set, regular", ("model", "discount"), "3/4", "E y < y"),
    ("set, regular, episodes", ("witness", "rank", "rows"), [2], "determinant"),
    ("set, on-policy", ("model", "target", 0), ["1/3", "2/3"], "the policies differ"),
    ("set, on-policy", ("model", "discount"), "1", "it is one"),
    ("set, on-policy", ("model", "features"), [["0"], ["0"]], "determinant"),
    ("set, on-policy, unknown", ("model", "target"), [["1/2", "1/2"]] * 2, "the policies differ"),
    ("set, undecided", ("about", "algorithm"), "GTD", "does not disagree"),
    ("set, undecided", ("about", "algorithm"), "SARSA", "algorithm"),
    ("set, undecided", ("witness", "one", "laws", 0, 0), ["0", "1"], "outside its interval"),
    ("set, undecided", ("witness", "one", "laws", 0, 0), ["1/2", "1/3"], "not a probability law"),
    ("set, undecided", ("witness", "one", "about", "sign"), "positive", "diagonally dominant"),
    ("set, undecided", ("witness", "one", "kind"), "contraction", "kind"),
    ("set, undecided", ("witness", "other", "witness", "vector"), ["0"], "vector is zero"),
    ("set, undecided", ("witness", "other", "start"), ["1"], "null belongs there"),
    ("set, undecided, determinant", ("about", "algorithm"), "TD", "does not disagree"),
    (
        "set, undecided, determinant",
        ("witness", "one", "witness", "relations"),
        [["0", "!=", ["det", "A"]]],
        "not the sign of det A",
    ),
    ("set, undecided, unknown policy", ("witness", "one", "behaviour", 0), ["0", "1"], "outside its interval"),
]


def forged_sets(true: dict[str, Json]) -> dict[str, tuple[Json, str]]:
    """What no single field makes false."""
    few, swapped = a_set([[[0, 0], [1, 0]], [[0, 0], [0, 0]]], "1/8", "1/2"), copy.deepcopy(true["set, undecided"])
    witness = swapped["witness"]
    witness["one"], witness["other"] = witness["other"], witness["one"]
    same = copy.deepcopy(true["set, undecided, determinant"])
    same["witness"]["other"] = same["witness"]["one"]
    growing = copy.deepcopy(true["set, undecided"])
    growing["witness"]["one"] = {
        **growing["witness"]["one"],
        "kind": "hurwitz",
        "about": {"class": [0, 1], "matrix": "A", "shift": "9"},
        "witness": {
            "stationary": growing["witness"]["one"]["witness"]["stationary"],
            **{"lyapunov": [["1"]], "factor_lyapunov": NOTHING, "factor_decrease": NOTHING},
        },
    }
    other_matrix = copy.deepcopy(true["set, undecided"])
    other_matrix["witness"]["one"]["about"] = {"class": [0, 1], "matrix": "D(I-M)", "sign": "positive"}
    other_matrix["witness"]["one"]["witness"]["factor"] = {"scale": ["1"] * 2, "bits": 0, "rows": [["0"], ["0", "0"]]}
    beyond = copy.deepcopy(true["set, stable"])  # laws that are excluded, all on one side of the frequency
    beyond["model"]["rows"][0][0] |= {"low": ["509/512", "0"], "high": ["1", "3/512"]}
    start = copy.deepcopy(true["set, stable, episodes"])
    start["model"]["delta"] = "1/4"
    return {
        "set: no state is reached for certain": (
            certify("set_on_policy", {**few, "target": [["1/2", "1/2"]] * 2}, {}, {"root": 0, "rank": RANK}),
            "not every state leads to it",
        ),
        "set: the unstable model in the place of the stable": (swapped, "does not disagree"),
        "set: one model twice": (same, "does not disagree"),
        "set: eigenvalues below nine": (growing, "the number is positive"),
        "set: a form of another matrix": (other_matrix, "diagonally dominant"),
        "set: stable in the middle": (
            by_form("set_stable", a_set(FEW, "1/8", "9/10"), "1", factor_lyapunov=NOTHING),
            "factor_growth",
        ),
        "set: an interval beyond the frequency": (beyond, "the lower end of state 0 does not follow"),
        "set: the row of the start is not counted": (start, "4 rows at this share need more than delta"),
    }
