"""True certificates of convergence, made by hand, words of tampered ones, forgeries, and a second decision."""

from __future__ import annotations

import copy
import itertools
import json
import random
import re
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from tests.theory.certificate.by_hand import (
    Built,
    Json,
    Rows,
    add,
    certify,
    diag,
    eye,
    factor,
    lyapunov,
    mul,
    seal,
    solve,
    strings,
    sym,
    text,
    times,
    tr,
)

F = Fraction
ROUND = [["0", "1", "0"], ["0", "0", "1"], ["1", "0", "0"]]
ALGORITHMS = ("td", "off_policy_td", "gtd", "tdc")
# Behaviour tosses a coin, target goes to state 1 three times in four: the features are 1 and 2, and A = -1/8.
OFF_POLICY = {
    "format": "tdcert-model/1",
    "actions": ["first", "second"],
    "transitions": {"first": [["1", "0"], ["1", "0"]], "second": [["0", "1"], ["0", "1"]]},
    "rewards": {"first": ["1", "0"], "second": [["0", "1"], ["-1/2", "2"]]},
    "discount": {"first": ["9/10", "9/10"], "second": [["0", "4/5"], ["9/10", "1/2"]]},
    "behaviour": [["1/2", "1/2"], ["1/2", "1/2"]],
    "target": [["1/4", "3/4"], ["1/4", "3/4"]],
    "features": [["1"], ["2"]],
    "schedule": {"lambdas": ["1/3"]},
}
# The same behind a first state that is left for good, where the target takes an action that the behaviour never does.
UNCOVERED_AT_FIRST = {
    **OFF_POLICY,
    "transitions": {
        "first": [["1", "0", "0"], ["1", "0", "0"], ["1/2", "0", "1/2"]],
        "second": [["0", "1", "0"], ["0", "1", "0"], ["0", "1", "0"]],
    },
    "rewards": {"first": ["1", "0", "7"], "second": [["0", "1", "0"], ["-1/2", "2", "0"], ["0", "3", "0"]]},
    "discount": "9/10",
    "behaviour": [["1/2", "1/2"], ["1/2", "1/2"], ["1", "0"]],
    "target": [["1/2", "1/2"], ["1/4", "3/4"], ["1/4", "3/4"]],
    "features": [["1"], ["2"], ["5"]],
}
# The kernel of the target is at most half the chain of the behaviour in three places, three quarters in the fourth.
BELOW = {**OFF_POLICY, "discount": "1/2"}
PRIME, SMALL_PRIME = 2**61 - 1, 1048583  # a Mersenne prime; the first prime above 2^20


def forms(matrix: Rows) -> Json:
    """X and two factors for a matrix, where there are any: X is positive definite, the decrease the identity."""
    X = lyapunov(matrix, times(-1, eye(len(matrix))))
    return {"lyapunov": strings(X), "factor_lyapunov": factor(X), "factor_decrease": factor(eye(len(X)))}


def inverse(b: Built) -> Json:
    return {"inverse": strings(solve(b.A, eye(len(b.A))))}


def modulo(b: Built) -> Json:
    solve(b.A, b.b)  # raises where A is singular
    return {"prime": PRIME}


def symmetric(b: Built) -> Json:
    return {"factor": factor(sym(times(-1, b.A)))}


def by_rank(b: Built) -> Json:
    """Rows of Phi that have an inverse; raises ``StopIteration`` where there are none."""
    d = len(b.Phi[0])
    for rows in itertools.combinations(b.cls, d):
        try:
            solve([b.Phi[s] for s in rows], eye(d))
        except StopIteration:
            continue
        return {"rank": {"prime": PRIME, "rows": list(rows)}}
    raise StopIteration


def endless(x: F) -> Callable[[Built], Json]:
    """With (I - x N)^-1 of the mean error at -A^-1 b."""

    def proof(b: Built) -> Json:
        theta = times(-1, solve(b.A, b.b))
        error = add(mul(add(b.N, diag(b.q), -1), mul(b.Phi, theta)), b.r)
        series = solve(add(eye(b.n), b.N, -x), error)
        return {**by_rank(b), "series": [text(y) for (y,) in series]}

    return proof


def without_end(model: Json, x: str) -> Json:
    return {**model, "schedule": {"constant": {"lambda": x}}}


def of_model(
    algorithm: str,
    model: Json,
    proof: Callable[[Built], Json],
    column: int,
    doublings: int,
    cls: list[int] | None = None,
) -> Json:
    """Raises ``StopIteration`` or :class:`numpy.linalg.LinAlgError` where there is no such certificate."""
    b = Built(model, cls)
    witness = {
        "stationary": [text(x) for x in b.d],
        "theta": [text(-x) for (x,) in solve(b.A, b.b)],
        "doublings": doublings,
        "column": column,
        **proof(b),
    }
    return certify("convergence", model, {"algorithm": algorithm}, witness)


def of_predictions(
    algorithm: str,
    model: Json,
    columns: list[int],
    coordinates: list[list[str]],
    proof: Callable[[Built], Json],
    column: int,
    doublings: int,
    cls: list[int] | None = None,
) -> Json:
    """About the predictions: Phi is these columns times the coordinates."""
    inner = {**model, "features": [[row[j] for j in columns] for row in model["features"]]}
    found = of_model(algorithm, inner, proof, column, doublings, cls)
    found["model"] = copy.deepcopy(model)
    found["about"]["columns"] = columns
    found["witness"]["coordinates"] = coordinates
    return seal(found)


def wider(model: Json) -> Json:
    """With a third feature, the first less twice the second."""
    rows = [[F(x) for x in row] for row in model["features"]]
    return {**model, "features": [[text(a), text(b), text(a - 2 * b)] for a, b in rows]}


WIDER = [["1", "0", "1"], ["0", "1", "-2"]]  # the coordinates of all three, on the first two
TWICE = {**OFF_POLICY, "features": [["1", "2"], ["2", "4"]]}


def true_convergence(chain: Json, transient: Json, doubling: Json) -> dict[str, Json]:
    on_policy = {**OFF_POLICY, "target": [["1/2", "1/2"], ["1/2", "1/2"]]}
    return {
        "convergence of td": of_model("td", chain, symmetric, 1, 1),
        "convergence of td, by forms": of_model("td", chain, lambda b: forms(b.A), 2, 2),
        "convergence of td, on-policy": of_model("off_policy_td", on_policy, symmetric, 0, 0),
        "convergence of td, with a transient state": of_model("td", transient, symmetric, 1, 1, [0, 1]),
        "convergence of td, by rank": of_model("td", chain, by_rank, 1, 1),
        "convergence of td, by rank, with a transient state": of_model("td", transient, by_rank, 1, 1, [0, 1]),
        "convergence of off-policy td, by rank": of_model("off_policy_td", BELOW, by_rank, 0, 0),
        "convergence of off-policy td, by rank, uncovered at first": of_model(
            "off_policy_td", {**UNCOVERED_AT_FIRST, "discount": "1/2"}, by_rank, 1, 2, [0, 1]
        ),
        "convergence of td, without an end": of_model("td", without_end(chain, "3/4"), endless(F(3, 4)), 1, 1),
        "convergence of td, Monte Carlo": of_model("td", without_end(transient, "1"), endless(F(1)), 1, 1, [0, 1]),
        "convergence of off-policy td, without an end": of_model(
            "off_policy_td", without_end(BELOW, "2/3"), endless(F(2, 3)), 0, 0
        ),
        "convergence of td, dependent features": of_predictions("td", wider(chain), [0, 1], WIDER, by_rank, 1, 1),
        "convergence of td, dependent features, without an end": of_predictions(
            "td", without_end(wider(transient), "1/2"), [0, 1], WIDER, endless(F(1, 2)), 1, 1, [0, 1]
        ),
        "convergence of off-policy td, dependent features": of_predictions(
            "off_policy_td", TWICE, [1], [["1/2", "1"]], symmetric, 0, 0
        ),
        "convergence of gtd, dependent features": of_predictions("gtd", wider(chain), [0, 1], WIDER, modulo, 2, 5),
        "convergence of tdc, dependent features": of_predictions("tdc", TWICE, [0], [["1", "2"]], inverse, 0, 0),
        "convergence of off-policy td": of_model("off_policy_td", OFF_POLICY, symmetric, 0, 0),
        "convergence of gtd": of_model("gtd", doubling, inverse, 1, 0),
        "convergence of gtd, two features": of_model("gtd", chain, inverse, 0, 5),
        "convergence of gtd, modulo a prime": of_model("gtd", chain, modulo, 2, 5),
        "convergence of tdc, modulo a prime": of_model("tdc", OFF_POLICY, modulo, 0, 0),
        "convergence of off-policy td, uncovered at first": of_model(
            "off_policy_td", UNCOVERED_AT_FIRST, symmetric, 1, 2, [0, 1]
        ),
        "convergence of gtd, uncovered at first": of_model("gtd", UNCOVERED_AT_FIRST, modulo, 0, 2, [0, 1]),
        "convergence of tdc": of_model("tdc", OFF_POLICY, inverse, 1, 3),
        "convergence of tdc, with a transient state": of_model("tdc", transient, inverse, 0, 2, [0, 1]),
    }


FALSE_CONVERGENCE: list[tuple[str, tuple[str | int, ...], Json, str]] = [
    ("convergence of td", ("about", "algorithm"), "gtd", "do not prove that gtd"),
    ("convergence of td", ("about", "algorithm"), "sarsa", "none of"),
    ("convergence of td", ("model", "schedule"), {"constant": {"lambda": "1/2"}}, "without an end"),
    ("convergence of td", ("model", "transitions", "go"), ROUND, "2^1 steps"),
    ("convergence of td", ("model", "transitions", "go", 0), ["1", "0", "0"], "2^1 steps do not lead from state 0"),
    ("convergence of td", ("witness", "column"), 3, "range"),
    ("convergence of td", ("witness", "doublings"), 0, "2^0 steps do not lead from state 1 to state 1"),
    ("convergence of td", ("witness", "doublings"), 64, "range"),
    ("convergence of td", ("witness", "stationary"), ["1/3", "1/3", "1/3"], "d P = d"),
    ("convergence of td", ("witness", "theta"), ["0", "0"], "A theta + b is not zero"),
    ("convergence of td", ("witness", "factor", "scale", 0), "1/1000000", "diagonally dominant"),
    ("convergence of td, by forms", ("witness", "lyapunov", 0, 1), "1", "not symmetric"),
    ("convergence of td, by forms", ("witness", "lyapunov"), [["1", "0"], ["0", "-1"]], "in row 0"),
    ("convergence of td, by forms", ("witness", "lyapunov"), [["1", "0"], ["0", "1"]], "diagonally dominant"),
    ("convergence of td, by forms", ("witness", "factor_decrease", "bits"), 3, "diagonally dominant"),
    ("convergence of td, on-policy", ("model", "target", 0), ["3/4", "1/4"], "A theta + b"),
    ("convergence of td, with a transient state", ("witness", "stationary", 2), "1/10", "zero outside"),
    ("convergence of td, with a transient state", ("witness", "column"), 2, "to state 2"),
    ("convergence of td, by rank", ("about", "algorithm"), "gtd", "do not prove that gtd"),
    ("convergence of td, by rank", ("witness", "rank", "rows"), [0, 0], "repeats"),
    ("convergence of td, by rank", ("witness", "rank", "prime"), PRIME + 2, "not a prime"),
    ("convergence of td, by rank", ("witness", "theta"), ["0", "0"], "A theta + b is not zero"),
    ("convergence of td, by rank", ("witness", "doublings"), 0, "2^0 steps do not lead from state 1 to state 1"),
    ("convergence of td, by rank", ("model", "schedule"), {"constant": {"lambda": "3/4"}}, "series"),
    ("convergence of td, by rank", ("witness", "series"), ["0", "0", "0"], "do not prove that td"),
    ("convergence of td, by rank, with a transient state", ("witness", "rank", "rows"), [0, 2], "outside the class"),
    ("convergence of off-policy td, by rank", ("about", "algorithm"), "td", "off_policy_td"),
    ("convergence of td, without an end", ("witness", "series", 0), "0", "witness.series"),
    ("convergence of td, without an end", ("witness", "theta"), ["0", "0"], "witness.series"),
    ("convergence of td, without an end", ("about", "algorithm"), "tdc", "do not prove that tdc"),
    ("convergence of td, without an end", ("model", "schedule", "constant", "lambda"), "1/2", "witness.series"),
    ("convergence of td, without an end", ("model", "schedule"), {"lambdas": []}, "A theta + b"),
    ("convergence of td, Monte Carlo", ("model", "discount"), "1", "lambda gamma rho is not below one"),
    ("convergence of td, dependent features", ("witness", "coordinates", 0, 2), "2", "on the class"),
    ("convergence of td, dependent features", ("witness", "coordinates", 0), ["1", "0"], "needs 3"),
    ("convergence of td, dependent features", ("about", "columns"), [0, 2], "on the class"),
    ("convergence of td, dependent features", ("about", "columns"), [0, 0], "repeats"),
    ("convergence of td, dependent features", ("about", "columns"), [0, 3], "range"),
    ("convergence of td, dependent features", ("witness", "theta"), ["0", "0"], "A theta + b is not zero"),
    ("convergence of td, dependent features", ("witness", "rank", "rows"), [0, 1, 2], "needs 2"),
    ("convergence of td, dependent features", ("model", "features", 0, 2), "5", "on the class"),
    ("convergence of gtd, dependent features", ("about", "algorithm"), "td", "do not prove that td"),
    ("convergence of gtd, dependent features", ("witness", "coordinates", 1, 1), "2", "on the class"),
    ("convergence of off-policy td", ("about", "algorithm"), "td", "off_policy_td"),
    ("convergence of off-policy td", ("model", "behaviour", 1), ["1", "0"], "in state 1 the target takes an action"),
    ("convergence of off-policy td", ("model", "discount"), "9/10", "A theta + b"),
    ("convergence of gtd", ("about", "algorithm"), "td", "off_policy_td"),
    ("convergence of gtd", ("about", "algorithm"), "off_policy_td", "do not prove that off_policy_td"),
    ("convergence of gtd", ("witness", "inverse"), [["4"]], "not the inverse"),
    ("convergence of gtd", ("witness", "inverse"), [["0"]], "not the inverse"),
    ("convergence of gtd, two features", ("witness", "inverse"), [["1", "0"], ["0", "1"]], "not the inverse"),
    ("convergence of tdc", ("witness", "inverse"), [["8"]], "not the inverse"),
    ("convergence of gtd, modulo a prime", ("about", "algorithm"), "td", "do not prove that td"),
    ("convergence of gtd, modulo a prime", ("witness", "prime"), PRIME + 2, "not a prime"),
    ("convergence of gtd, modulo a prime", ("witness", "prime"), 1048573, "range"),  # a prime, and too small
    ("convergence of gtd, modulo a prime", ("witness", "theta"), ["0", "0"], "A theta + b is not zero"),
    ("convergence of gtd, uncovered at first", ("model", "behaviour", 1), ["1", "0"], "in state 1 the target takes"),
    ("convergence of gtd, uncovered at first", ("model", "behaviour", 0), ["0", "1"], "in state 0 the target takes"),
]


def forged_convergence(
    flip: Json, split: Json, doubling: Json, uncovered: Json, chain: Json, transient: Json
) -> dict[str, tuple[Json, str]]:
    """Certificates that no single field makes false: each leaves out one premise."""
    clock = of_model("td", flip, symmetric, 0, 1)  # of period two: after an even time it is where it began
    unstable = of_model("tdc", doubling, inverse, 0, 0)
    unstable["about"]["algorithm"] = "off_policy_td"
    unstable["witness"]["factor"] = {"scale": ["1"], "bits": 0, "rows": [["0"]]}
    del unstable["witness"]["inverse"]
    law = Built(split, [0])
    one = {"stationary": [text(x) for x in law.d], "theta": [text(-law.b[0][0] / law.A[0][0])], **symmetric(law)}
    multiples = {**OFF_POLICY, "features": [[str(SMALL_PRIME)], [str(2 * SMALL_PRIME)]]}
    p = SMALL_PRIME
    undiscounted = {**clock["model"], "features": [["1"], ["-1"]], "discount": "1"}
    undiscounted["transitions"] = {a: [["1/2", "1/2"], ["1/4", "3/4"]] for a in undiscounted["actions"]}
    equal = {**BELOW, "features": [["1", "1"], ["2", "2"]]}
    twice = of_model("off_policy_td", BELOW, by_rank, 0, 0)["witness"]
    twice |= {"theta": [*twice["theta"], "0"], "rank": {"prime": PRIME, "rows": [0, 1]}}
    larger = {**OFF_POLICY, "schedule": {"lambdas": []}}
    resting = of_model("off_policy_td", without_end(BELOW, "2/3"), endless(F(2, 3)), 0, 0)
    moved = Built(resting["model"])
    theta = [[F(resting["witness"]["theta"][0]) + 1]]
    error = add(mul(add(moved.N, eye(2), -1), mul(moved.Phi, theta)), moved.r)
    resting["witness"] |= {
        "theta": [text(x) for (x,) in theta],
        "series": [text(y) for (y,) in solve(add(eye(2), moved.N, -F(2, 3)), error)],
    }
    covered_there = without_end({**UNCOVERED_AT_FIRST, "discount": "1/2"}, "1/2")
    by_ranks = {
        "nothing is discounted": (of_model("td", undiscounted, by_rank, 0, 0), "nothing is discounted"),
        "equal features": (certify("convergence", equal, {"algorithm": "off_policy_td"}, twice), "determinant"),
        "a kernel above the chain": (of_model("off_policy_td", larger, by_rank, 0, 0), "larger than the behaviour"),
        "a lambda above one": (
            of_model("off_policy_td", {**BELOW, "schedule": {"lambdas": ["3/2"]}}, by_rank, 0, 0),
            "in [0, 1]",
        ),
        "a negative lambda": (
            of_model("off_policy_td", {**BELOW, "schedule": {"lambdas": ["-1/2"]}}, by_rank, 0, 0),
            "in [0, 1]",
        ),
        "elsewhere, without an end": (resting, "A theta + b is not zero"),
        "traces that grow": (
            of_model("off_policy_td", without_end({**BELOW, "discount": "2/3"}, "1"), endless(F(1)), 0, 0),
            "lambda gamma rho is not below one",
        ),
        "uncovered at first, without an end": (
            of_model("off_policy_td", covered_there, endless(F(1, 2)), 1, 2, [0, 1]),
            "in state 2 the target takes an action",
        ),
    }
    behind = {**transient, "features": [["1", "1"], ["2", "2"], ["7", "8"]]}
    by_forms = of_predictions("off_policy_td", TWICE, [0], [["1", "2"]], lambda b: forms(b.A), 0, 0)
    alone, half = (of_predictions("td", wider(chain), [0, 1], WIDER, by_rank, 1, 1) for _ in range(2))
    del alone["about"]["columns"]
    del half["witness"]["coordinates"]
    on_columns = {
        "Phi elsewhere in a state that is left": (
            of_predictions("td", behind, [0], [["1", "1"]], by_rank, 1, 1, [0, 1]),
            "on all states",
        ),
        "a Lyapunov matrix": (by_forms, "do not prove that off_policy_td"),
        "coordinates without columns": (alone, "one is given without the other"),
        "columns without coordinates": (half, "one is given without the other"),
        "columns that depend on each other": (
            certify(
                "convergence",
                equal,
                {"algorithm": "off_policy_td", "columns": [0, 1]},
                {**twice, "coordinates": [["1", "0"], ["0", "1"]]},
            ),
            "dependent on the class",
        ),
    }
    divided: list[tuple[str, Json]] = [
        ("features", [[f"1/{p}"], [f"2/{p}"]]),
        ("schedule", {"lambdas": [f"1/{p}"]}),
        ("discount", f"1/{p}"),
        ("target", [[f"1/{p}", f"{p - 1}/{p}"]] * 2),
        ("behaviour", [[f"1/{p}", f"{p - 1}/{p}"]] * 2),
    ]
    return {
        **{f"convergence by rank: {name}": one for name, one in by_ranks.items()},
        **{f"convergence on columns: {name}": one for name, one in on_columns.items()},
        **{
            f"convergence: a prime that divides a denominator, {key}": (
                of_model("gtd", {**OFF_POLICY, key: value}, lambda b: {"prime": SMALL_PRIME}, 0, 0),
                f"is divisible by the prime {SMALL_PRIME}",
            )
            for key, value in divided
        },
        "convergence: a prime that divides A": (
            of_model("tdc", multiples, lambda b: {"prime": SMALL_PRIME}, 1, 3),
            f"the determinant of A is zero modulo {SMALL_PRIME}",
        ),
        "convergence: a chain with a period": (clock, "2^1 steps do not lead from state 1 to state 0"),
        "convergence: two recurrent classes": (
            certify("convergence", split, {"algorithm": "td"}, {**one, "doublings": 3, "column": 0}),
            "2^3 steps do not lead from state 2 to state 0",
        ),
        "convergence: theta -> 2 theta": (unstable, "diagonally dominant"),
        "convergence: a target that is not covered": (
            of_model("gtd", uncovered, inverse, 0, 3),
            "in state 0 the target takes an action",
        ),
    }


def no_proof(size: int) -> Json:
    return {"scale": ["1"] * size, "bits": 0, "rows": [["0"] * (i + 1) for i in range(size)]}


def random_forgery(rng: random.Random, model: Json, cls: list[int]) -> Json:
    """What one who wants some convergence accepted about this model would write."""
    ways: tuple[Json, ...] = (
        {"lambdas": []},
        {"lambdas": ["1/2"]},
        {"lambdas": ["0", "1"]},
        {"constant": {"lambda": "1/2"}},
    )
    if rng.random() < 0.5:
        model = {**model, "schedule": rng.choice(ways)}
    if rng.random() < 0.3:
        model = {**model, "discount": "1/2"}
    algorithm = rng.choice(ALGORITHMS)
    if algorithm == "td" or rng.random() < 0.3:
        model = {**model, "target": model["behaviour"]}
    d = len(model["features"][0])
    try:
        b = Built(model, cls)
    except StopIteration:  # no law there, or a series without a sum
        return certify("convergence", model, {}, {})

    def proof(b: Built) -> Json:
        try:
            if algorithm in ("gtd", "tdc"):
                return rng.choice((inverse, modulo))(b)
            if "constant" in model["schedule"]:
                return endless(F(model["schedule"]["constant"]["lambda"]))(b)
            return rng.choice((by_rank, symmetric, lambda b: forms(b.A)))(b)
        except (StopIteration, np.linalg.LinAlgError, ValueError, OverflowError):
            return rng.choice(({"factor": no_proof(d)}, {"inverse": [["1"] * d] * d}, {"prime": PRIME}))

    try:
        theta = [text(-x) for (x,) in solve(b.A, b.b)]
    except StopIteration:
        theta = [str(rng.randint(-1, 1)) for _ in range(d)]
    column = rng.choice(cls) if rng.random() < 0.9 else rng.randrange(b.n)
    witness = {"stationary": [text(x) for x in b.d], "theta": theta, "doublings": rng.randint(0, 5), "column": column}
    witness |= proof(b)
    if rng.random() < 0.7:
        return certify("convergence", model, {"algorithm": algorithm}, witness)
    more = [[F(x) for x in (*row, row[0])] for row in strings(b.Phi)]  # the first feature twice, perhaps a little off
    more[rng.randrange(b.n)][d] += rng.choice((F(0), F(0), F(1)))
    coordinates = [[*row, text(F(int(i == 0)))] for i, row in enumerate(strings(eye(d)))]
    about = {"algorithm": algorithm, "columns": list(range(d))}
    return certify("convergence", {**model, "features": strings(more)}, about, {**witness, "coordinates": coordinates})


JUNK: tuple[Json, ...] = (
    *(
        0.5,
        True,
        None,
        [],
        {},
        [["1"]],
        -1,
        10**9,
        "",
        "2/4",
        "-0",
        "0/3",
        "1/1",
        "3/0",
        "+1",
        "01",
        " 1",
        "1/-2",
        "1/",
    ),
    *("td", "1" * 40, "-" + "9" * 60 + "/7"),
)


WORDS = {
    "algorithm": ALGORITHMS,
    "matrix": ("A", "C", "D(I-M)", "GTD", "TDC", "TDC joint"),
    "sign": ("positive", "negative"),
    "kernel": ("target", "covered"),
}
"""What may stand in the place of a word of a statement."""
WORDS_OF_EXPRESSIONS = (
    *("=", "!=", "<", "<=", "+", "-", "*", "@", "T", "^", "sum", "diag", "entry", "solve", "det", "1", "-1/2", "2/4"),
    *("I", "ones", "Phi", "P_mu", "P_pi", "N", "M", "S", "D", "A", "C", "r", "q", "d", "b", "theta", "V", "gamma"),
    *("kappa", "L", "lambda:1", "lambda:0", "c:0", "c:2", "w:1", "Lambda:2", "ones:2", "phi:0", "R:0", "x", ""),
)


def damaged(rng: random.Random, certificate: Json) -> Json:
    """Another number in the place of one of the statement, the witness or the model, or what is none; or another
    word of the statement; a list cut or longer; a key too few or too many."""
    found = json.loads(json.dumps(certificate))  # no part of it twice
    places: list[tuple[Json, str | int]] = []
    parts: list[Json] = [found, found["about"]]

    def collect(value: Json) -> None:
        pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, inner in pairs:
            if isinstance(inner, list | dict):
                parts.append(inner)
                collect(inner)
            elif key != "format" and inner not in found["model"]["actions"]:
                places.append((value, key))

    collect(found["about"])
    collect(found["witness"])
    collect(found["model"])
    for where, key in rng.sample(places, min(len(places), rng.choice((1, 1, 1, 2)))):
        if where is found["about"] and key in WORDS:
            where[key] = rng.choice(WORDS[str(key)])
        elif where[key] is None or isinstance(where[key], bool):
            where[key] = not where[key] if isinstance(where[key], bool) else rng.randrange(3)
        elif isinstance(where[key], int):
            where[key] = max(0, where[key] + rng.choice((-1, 1, 2)))
        elif not re.fullmatch(r"-?[0-9]+(/[0-9]+)?", where[key]):  # of an expression
            where[key] = rng.choice(WORDS_OF_EXPRESSIONS)
        else:
            factor_of = F(rng.choice(("-1", "0", "1/2", "99/100", "101/100", "2", "7")))
            where[key] = text(F(where[key]) * factor_of + rng.choice((F(0), F(0), F(0), F(1))))
    part = rng.choice(parts)
    match rng.randrange(12):
        case 0:
            where, key = rng.choice(places)
            where[key] = rng.choice(JUNK)
        case 1 if isinstance(part, list) and part:
            part.pop(rng.randrange(len(part)))
        case 2 if isinstance(part, list):
            part.insert(rng.randint(0, len(part)), rng.choice((*part, *JUNK)))
        case 3 if isinstance(part, dict) and part and part is not found:
            part.pop(rng.choice(sorted(part)), None)
        case 4 if isinstance(part, dict):
            part["extra"] = rng.choice(JUNK)
    return seal(found)


def bounded_traces(model: Json, algorithm: str, cls: list[int]) -> bool:
    """TD, covered at every state, and lambda gamma rho < 1 for every transition."""
    b, x = Built({**model, "schedule": {"lambdas": []}}, cls), F(model["schedule"]["constant"]["lambda"])
    for s, row in enumerate(zip(b.mu, b.pi, strict=True)):
        for a, (mu, pi) in enumerate(zip(*row, strict=True)):
            if any(x * gamma * pi >= mu for gamma in b.Gamma[a][s]) if mu else pi:
                return False
    return algorithm in ("td", "off_policy_td")


def on_columns(model: Json, about: Json, witness: Json) -> tuple[Json, Rows] | None:
    """The model with the columns that are named alone, and T T' of the coordinates; None where Phi is not their
    product."""
    T = [[F(x) for x in row] for row in witness["coordinates"]]
    some = [[row[j] for j in about["columns"]] for row in model["features"]]
    same = mul([[F(x) for x in row] for row in some], T) == [[F(x) for x in row] for row in model["features"]]
    return ({**model, "features": some}, mul(T, tr(T))) if same else None


def converges(
    model: Json,
    algorithm: str,
    theta: list[F],
    classes: list[list[int]],
    below: Callable[[Rows], bool],
    weight: Rows | None = None,
) -> bool:
    """From the definitions: one aperiodic recurrent class, covered, a finite schedule (for TD one without an end, too,
    where all is covered and traces are bounded), A theta + b = 0, and a matrix of which ``below`` is to say whether
    its eigenvalues have negative real parts; ``weight``: what A is multiplied by first."""
    if len(classes) != 1 or not ("lambdas" in model["schedule"] or bounded_traces(model, algorithm, classes[0])):
        return False
    taken = (zip(model["behaviour"][s], model["target"][s], strict=True) for s in classes[0])
    if any(F(pi) and not F(mu) for row in taken for mu, pi in row):
        return False
    if algorithm == "td" and model["behaviour"] != model["target"]:
        return False
    b = Built(model, classes[0])
    power = [[F(bool(x)) for x in row] for row in b.P_mu]
    for _ in range(2 * b.n * b.n):  # long enough for every aperiodic chain (Wielandt), with its transient states
        power = [[F(bool(x)) for x in row] for row in mul(power, b.P_mu)]
    if any(not power[s][t] for s in range(b.n) for t in classes[0]):
        return False
    if any(x + y for (x,), (y,) in zip(mul(b.A, [[x] for x in theta]), b.b, strict=True)):
        return False
    try:
        A = b.A if weight is None else mul(weight, b.A)
        return below(A if algorithm in ("td", "off_policy_td") else b.gtd(F(1)))
    except StopIteration:
        return False
