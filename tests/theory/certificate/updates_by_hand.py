"""True certificates about updates, each made by hand on a model with one state, and the words of tampered ones.

The tables are written down, not taken from a function: what the checker decides is about them alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Json = Any


def table(moves: Json, parameters: int = 1, memory: int = 0, steps: tuple[str, ...] = ("alpha",), **more: Json) -> Json:
    """On one state without an action to choose; ``moves`` of each context."""
    fixed = {"name": "by hand", "parameters": parameters, "memory": memory, "steps": list(steps), "at": None}
    return {**fixed, "contexts": [0], "starts": 0, "moves": moves, **more}


def linear(*terms: Json) -> Json:
    """Increments that the first of one step size multiplies."""
    return [[[1], [list(term) for term in terms]]]


# θ' = θ + α(1 − θ/2), as TD(0) with reward 1 and discount 1/2
TD = [[[0, [], linear([0, 0, 0, "-1/2"], [0, 0, 1, "1"])]]]
# z' = z/4 + 1, θ' = θ + α(1 − θ/2)z': E z = 4/3, so A = −2/3 and b = 4/3
TRACE = [
    [
        [
            0,
            [[0, 0, "1/4"], [0, 1, "1"]],
            linear([0, 0, 0, "-1/8"], [1, 0, 0, "-1/2"], [0, 0, 1, "1/4"], [1, 0, 1, "1"]),
        ]
    ]
]
# θ' = θ + αθ
GROWS = [[[0, [], linear([0, 0, 0, "1"])]]]
# x' = x + α(x − 4y), y' = y + β(x − 2y): the fast matrix is −2, the slow one 1 − 4/2 = −1; jointly λ² + λ + 2
SCALES = [
    [[0, [], [[[1, 0], [[0, 0, 0, "1"], [0, 0, 1, "-4"]]], [[0, 1], [[0, 1, 0, "1"], [0, 1, 1, "-2"]]]]]],
]
# x' = x − αs, y' = y − αs for s = (x + y)/2 − 1: only x + y is ever seen
SUM = [
    [
        [
            0,
            [],
            linear(
                [0, 0, 0, "-1/2"],
                [0, 0, 1, "-1/2"],
                [0, 0, 2, "1"],
                *[[0, 1, 0, "-1/2"], [0, 1, 1, "-1/2"], [0, 1, 2, "1"]],
            ),
        ]
    ],
]
# z' = z/2 + (1, 1), x' = x − α(z·(x, y)), y' = y: in the long run z = (2, 2), so only x + y is seen
ALIKE = [
    [[0, [[0, 0, "1/2"], [1, 1, "1/2"], [0, 2, "1"], [1, 2, "1"]], linear([0, 0, 0, "-1"], [1, 0, 1, "-1"])]],
]
# z' = 1/8 and θ' = θ − 4αzθ: nothing happens at first
LATER = [[[0, [[0, 1, "1/8"]], linear([0, 0, 0, "-4"])]]]
# θ' = θ + α(1 − θ/2) and w' = w − βw
PAIR = [
    [[0, [], [[[1, 0], [[0, 0, 0, "-1/2"], [0, 0, 2, "1"]]], [[0, 1], [[0, 1, 1, "-1"]]]]]],
]
# θ' = θ − (α + α²)θ/2
SQUARE = [[[0, [], [[[1], [[0, 0, 0, "-1/2"]]], [[2], [[0, 0, 0, "-1/2"]]]]]]]


def true_updates(
    single: Json, uneven: Json, certify: Callable[..., Json], factor: Callable[..., Json]
) -> dict[str, Json]:
    """By name. ``single``: a model with one state and one action; ``uneven``: with two actions, taken evenly."""
    one = factor([[1]])

    def regime(held: int = 0, mean: tuple[str, ...] = (), weights: tuple[str, ...] = ()) -> Json:
        return {"law": ["1"], "mean": [list(mean)], "weights": [list(weights)]}

    def mean(kind: str, update: Json, about: Json, witness: Json) -> Json:
        return certify(kind, single, {"class": [0], "update": update, **about}, witness)

    def steps(kind: str, update: Json, about: Json, **witness: Json) -> Json:
        return mean(f"update_{kind}", {**update, "starts": 1}, about, witness)

    def for_ever(moves: Json, size: int, begin: Json, rest: Json, lyapunov: Json, second: Json) -> Json:
        names = ("alpha", "beta")[:size]
        about = {
            "update": table(moves, parameters=size, steps=names, starts=1),
            **{"ratios": ["1"] * size, "steps": ["4", "4", "1"], "start": ["1"], "begin": begin, "measured": [0]},
            **{"within": "1", "probability": "1/2", "time": 40},
        }
        zero = [[["0"] * (size + 1)] * (size + 1)]
        phase = {"start": 0, "decay": "1/2", "noise": "1/4", "order": "2"}
        given = {"rest": rest, "lyapunov": lyapunov, "first": zero, "second": second}
        return certify("update_for_ever", single, about, {**given, "floor": "3/4", "phases": [phase]})

    joint = {"matrix": "joint", "ratios": ["1"]}
    two = table(SCALES, parameters=2, steps=("alpha", "beta"))
    trace = regime(1, ("4/3",), ("2",))
    alike = regime(2, ("2", "2"), ("1", "1"))
    stable = {"lyapunov": [["1"]], "factor_lyapunov": one, "factor_decrease": factor([[0.25]])}
    # with X = [[2, −2], [−2, 5]]: −(BᵀX + XB) = [[0, 1], [1, 4]] is not definite; X below solves BᵀX + XB = −I
    X = [["7/4", "-9/4"], ["-9/4", "19/4"]]
    joint_X = factor([[1.75, -2.25], [-2.25, 4.75]])
    seen, T = {"seen": [0]}, {"coordinates": [["1", "1"]]}
    return {
        "update, stable": mean("update_hurwitz", table(TD), {**joint, "shift": "-1/4"}, {**regime(), **stable}),
        "update, a trace": mean(
            "update_hurwitz",
            table(TRACE, memory=1),
            {**joint, "shift": "-13/20"},
            {**trace, **stable, "factor_decrease": factor([[1 / 30]])},
        ),
        "update, a pair of steps": mean(
            "update_hurwitz",
            two,
            {"matrix": "joint", "ratios": ["1", "1"], "shift": "0"},
            {**regime(), "lyapunov": X, "factor_lyapunov": joint_X, "factor_decrease": factor([[1, 0], [0, 1]])},
        ),
        "update, fast": mean("update_hurwitz", two, {"matrix": "fast", "shift": "-1"}, {**regime(), **stable}),
        "update, slow": mean("update_hurwitz", two, {"matrix": "slow", "shift": "-1/2"}, {**regime(), **stable}),
        "update, a sum": mean(
            "update_hurwitz",
            table(SUM, parameters=2),
            {**joint, **seen, "shift": "-1/2"},
            {**regime(), **T, **stable},
        ),
        "update, spans": mean(
            "update_hurwitz",
            table(ALIKE, parameters=2, memory=2),
            {**joint, **seen, "shift": "-1"},
            {**alike, **T, **stable, "spans": [[["1", "1", "0"], ["0", "0", "1"]]]},
        ),
        # the update does nothing in every second context: A = −1/4
        "update, two contexts": mean(
            "update_hurwitz",
            table([[[1, [], TD[0][0][2]]], [[0, [], []]]], contexts=[0, 0]),
            {**joint, "shift": "-1/8"},
            {"law": ["1/2", "1/2"], "mean": [[], []], "weights": [[], []], **stable},
        ),
        # θ' = θ − 3/2 αθ or θ − 1/2 αθ, evenly: A = −1
        "update, two outcomes": certify(
            "update_hurwitz",
            uneven,
            {
                "class": [0],
                "update": table([[[0, [], linear([0, 0, 0, x])] for x in ("-3/2", "-1/2")]]),
                **joint,
                "shift": "-1/2",
            },
            {**regime(), **stable},
        ),
        "update, unstable": mean(
            "update_unstable",
            table(GROWS),
            {**joint, "shift": "1/2"},
            {**regime(), "lyapunov": [["1"]], "factor_growth": one, "vector": ["1"]},
        ),
        "update, rest": mean("update_rest", table(TRACE, memory=1), {"ratios": ["1"]}, {**trace, "rest": ["2"]}),
        "update, rest of a sum": mean(
            "update_rest", table(SUM, parameters=2), {"ratios": ["1"], **seen}, {**regime(), **T, "rest": ["2"]}
        ),
        # 1 − (1 − 3/2)² > 0, and 2 − 1 > 0 where nothing happens
        "update, mean square": steps(
            "mean_square_bounded", table(LATER, memory=1), {"steps": ["3"]}, lyapunov=[[["2"]], [["1"]]]
        ),
        "update, mean square, every step": steps(
            "mean_square_bounded", table(TD), {"ratios": ["1"], "upto": "3"}, lyapunov=[["1"]], tilt=[[["1"]]]
        ),
        "update, mean square, a product": steps(
            "mean_square_bounded", table(SQUARE), {"steps": ["3/2"]}, lyapunov=[[["1"]]]
        ),
        "update, mean square of a sum": steps(
            "mean_square_bounded",
            table(SUM, parameters=2),
            {"steps": ["1"], **seen},
            lyapunov=[[["1"]]],
            coordinates=[["1", "1"]],
        ),
        "update, mean square grows": steps(
            "mean_square_unbounded", table(GROWS), {"steps": ["1"]}, lyapunov=[[["1"]]], vector=["1"], window=0
        ),
        # −F = 2, G = T' 2K + K² = 3: −F + αG > 0 for every α
        "update, mean square grows, every step": steps(
            "mean_square_unbounded",
            table(GROWS),
            {"ratios": ["1"], "upto": "1"},
            lyapunov=[["1"]],
            tilt=[[["1"]]],
            vector=["1"],
        ),
        # L = [[0, 0], [1, −1/2]] at α = 3: X = diag(2, 1), X − LᵀXL = [[1, 1/2], [1/2, 3/4]]
        "update, mean": steps(
            "mean_bounded",
            table([[[0, [[0, 1, "1"]], [[[0], [[0, 0, 0, "-3/2"]]]]]]], memory=1, at=["3"]),
            {"steps": ["3"]},
            lyapunov=[["2", "0"], ["0", "1"]],
            factor_lyapunov=factor([[2, 0], [0, 1]]),
            factor_decrease=factor([[1, 0.5], [0.5, 0.75]]),
        ),
        # θ* = 2 and x' = (1 − α/2)x. With W = x² + α²/8, α = 4/(t + 4), c = ½, n = ¼: (1 − cα)x² − (1 − α/2)²x² =
        # (½ − α/4)αx², and M = ¼/(½ − ¼) = 1, e_0 = 33/8
        "update, for ever": for_ever(TD, 1, ["0"], ["2"], [["1"]], [[["0", "0"], ["0", "1/8"]]]),
        # beside it w' = (1 − α)w, for which (1 − cα)w² − (1 − α)²w² = (3/2 − α)αw², e_0 = 41/8; θ alone is measured
        "update, for ever, of a pair": for_ever(
            PAIR,
            2,
            ["0", "1"],
            ["2", "0"],
            [["1", "0"], ["0", "1"]],
            [[["0", "0", "0"], ["0", "0", "0"], ["0", "0", "1/8"]]],
        ),
        "update, mean grows": steps(
            "mean_unbounded",
            table(GROWS),
            {"steps": ["1"]},
            lyapunov=[["1"]],
            factor_growth=factor([[3]]),
            vector=["1"],
        ),
    }


MOVE = ("about", "update", "moves", 0, 0)
TERMS = (*MOVE, 2, 0, 1)
FALSE_UPDATES: list[tuple[str, tuple[str | int, ...], Json, str]] = [
    # the tables
    ("update, stable", ("about", "update", "name"), 7, "a name is needed"),
    ("update, stable", ("about", "update", "parameters"), 0, "range"),
    ("update, stable", ("about", "update", "parameters"), 2, "needs 2"),
    ("update, stable", ("about", "update", "memory"), 1, "needs 1"),
    ("update, stable", ("about", "update", "steps"), [], "distinct names"),
    ("update, a pair of steps", ("about", "update", "steps"), ["alpha", "alpha"], "distinct names"),
    ("update, stable", ("about", "update", "at"), ["1", "1"], "needs 1"),
    ("update, stable", ("about", "update", "contexts"), [], "no states"),
    ("update, stable", ("about", "update", "starts"), 1, "no states"),
    ("update, mean square", ("about", "update", "starts"), 0, "not the states"),
    ("update, stable", ("about", "update", "moves"), [[]], "needs 1"),
    ("update, stable", MOVE, [0, []], "needs 3"),
    ("update, stable", (*MOVE, 0), 1, "range"),
    ("update, two contexts", (*MOVE, 0), 0, "do not all lead to each other"),
    ("update, two contexts", ("witness", "law"), ["1", "0"], "d P = d"),
    ("update, two contexts", ("witness", "law"), ["1", "1"], "sum to one"),
    ("update, two outcomes", ("about", "shift"), "-3/2", "diagonally dominant"),
    ("update, a trace", (*MOVE, 1, 1, 1), 0, "twice"),
    ("update, a trace", (*MOVE, 1, 0, 0), 1, "range"),
    ("update, stable", (*TERMS, 1), [0, 0, 0, "1"], "twice"),
    ("update, stable", (*TERMS, 0, 2), 2, "range"),
    ("update, stable", (*MOVE, 2, 0, 0), [1, 1], "needs 1"),
    ("update, stable", (*MOVE, 2, 0, 0), [2], "not linear in the step sizes"),
    ("update, stable", (*MOVE, 2, 0, 0), [0], "not linear in the step sizes"),
    # the stationary regime
    ("update, stable", ("witness", "law"), ["2"], "sum to one"),
    ("update, a trace", ("witness", "mean"), [["1"]], "the equation of the mean fails"),
    ("update, a trace", (*MOVE, 1, 0, 2), "1/2", "the equation of the mean fails"),
    ("update, a trace", (*MOVE, 1, 0, 2), "1", "sizes of the memory"),
    ("update, a trace", (*MOVE, 1, 0, 2), "-1", "sizes of the memory"),
    ("update, a trace", ("witness", "weights"), [["0"]], "sizes of the memory"),
    ("update, a trace", ("witness", "weights"), [["-1"]], "sizes of the memory"),
    ("update, a trace", (*MOVE, 1), [[0, 0, "1/4"]], "always zero has another mean"),
    # what updates see
    ("update, a sum", ("witness", "coordinates"), [["1", "2"]], "depends on more of the parameters"),
    ("update, a sum", ("witness", "coordinates"), [["1", "0"]], "depends on more of the parameters"),
    ("update, a sum", ("witness", "coordinates"), [["2", "2"]], "unit vectors"),
    ("update, a sum", ("about", "seen"), [0, 0], "repeats"),
    ("update, spans", ("witness", "spans", 0, 0), ["1", "2", "0"], "leaves the span"),
    ("update, spans", ("witness", "spans", 0), [["1", "1", "0"]], "no span holds a memory"),
    ("update, spans", ("witness", "spans", 0), [["1", "1", "1"]], "leaves the span"),
    (
        "update, spans",
        ("witness", "spans", 0),
        [["1", "0", "0"], ["0", "1", "0"], ["0", "0", "1"]],
        "depends on more of the parameters",
    ),
    ("update, spans", (*MOVE, 1, 3, 2), "2", "the equation of the mean fails"),
    # the mean dynamics
    ("update, stable", ("about", "shift"), "-1/2", "diagonally dominant"),
    ("update, stable", ("about", "ratios"), ["0"], "positive"),
    ("update, stable", ("about", "ratios"), ["1/3"], "diagonally dominant"),
    ("update, stable", ("about", "matrix"), "fast", "not allowed for time scales"),
    ("update, stable", (*TERMS, 0, 3), "1/2", "diagonally dominant"),
    ("update, a trace", ("about", "shift"), "-2/3", "diagonally dominant"),
    ("update, fast", ("about", "shift"), "-2", "diagonally dominant"),
    ("update, slow", ("about", "shift"), "-1", "diagonally dominant"),
    ("update, slow", ("about", "matrix"), "joint", "needed for the joint matrix"),
    ("update, slow", (*MOVE, 2, 0, 0), [0, 1], "one of the time scales has no parameters"),
    ("update, slow", (*MOVE, 2, 1, 1, 0, 1), 0, "both step sizes move one parameter"),
    ("update, slow", (*MOVE, 2, 1, 1, 0), [0, 0, 2, "1"], "both step sizes move one parameter"),
    ("update, a sum", ("about", "shift"), "-1", "diagonally dominant"),
    ("update, spans", ("about", "shift"), "-2", "diagonally dominant"),
    ("update, stable", ("witness", "lyapunov"), [["-1"]], "diagonally dominant"),
    ("update, unstable", ("about", "shift"), "1", "diagonally dominant"),
    ("update, unstable", ("about", "shift"), "-1", "shift is negative"),
    ("update, unstable", ("witness", "vector"), ["0"], "zero"),
    ("update, unstable", ("witness", "lyapunov"), [["-1"]], "not positive at"),
    ("update, rest", ("witness", "rest"), ["3"], "not zero there"),
    ("update, rest of a sum", ("witness", "rest"), ["1"], "not zero there"),
    # constant steps
    ("update, mean square", ("about", "steps"), ["4"], "not positive definite"),
    ("update, mean square", ("about", "steps"), ["-1"], "step sizes are to be positive"),
    ("update, mean square", ("witness", "lyapunov"), [[["1"]], [["1"]]], "not positive definite"),
    ("update, mean square", ("witness", "lyapunov"), [[["2"]]], "more than 1"),
    ("update, mean square", ("witness", "lyapunov"), [[["2"]], [["1"]], [["1"]]], "needs 2"),
    ("update, mean square", (*MOVE, 1), [[0, 0, "1/2"], [0, 1, "1"]], "more than 2"),
    ("update, mean square, every step", ("about", "upto"), "4", "not positive definite"),
    ("update, mean square, every step", ("about", "upto"), "0", "step sizes are to be positive"),
    ("update, mean square, every step", (*MOVE, 2, 0, 0), [2], "not linear in the step sizes"),
    ("update, mean square, every step", ("about", "update", "at"), ["1"], "other step sizes"),
    ("update, mean square, a product", ("about", "steps"), ["3"], "not positive definite"),
    ("update, mean square of a sum", (*TERMS, 0, 3), "-1/3", "depends on more of the parameters"),
    ("update, mean square grows", ("witness", "window"), 1, "range"),
    ("update, mean square grows", (*TERMS, 0, 3), "-1", "not positive definite"),
    ("update, mean square grows, every step", ("witness", "tilt"), [[["-1"]]], "not positive definite"),
    # for ever: e_N + 4/(N + 7/2) ≤ 3/8, e_N = 4/(N + 4) + 25/8 (4/(N + 4))²
    *(
        ("update, for ever", path, value, words)
        for path, value, words in [
            (("about", "time"), 15, "above 1 - probability"),
            (("about", "within"), "0", "within > 0"),
            (("about", "probability"), "1", "probability < 1"),
            (("about", "steps", 2), "2", "1/2 < p <= 1"),
            (("about", "steps", 2), "1/2", "1/2 < p <= 1"),
            (("about", "steps", 0), "-4", "a > 0"),
            (("about", "start"), ["2"], "not a probability law"),
            (("about", "update", "starts"), 0, "not the states"),
            (("about", "update", "contexts", 0), 1, "range"),
            (("about", "update", "at"), ["1"], "constant step sizes"),
            (("about", "ratios"), ["2"], "the first is to be 1"),
            (("about", "measured"), [1], "range"),
            (("about", "begin"), ["100"], "above 1 - probability"),
            ((*TERMS, 0, 3), "-3/5", "does not vanish"),
            ((*TERMS, 1, 3), "2", "does not vanish"),
            ((*MOVE, 2, 0, 0), [2], "not linear in the step sizes"),
            (("witness", "rest"), ["3"], "does not vanish"),
            (("witness", "lyapunov"), [["0"]], "not positive"),
            (("witness", "floor"), "1", "W less its floor"),
            (("witness", "floor"), "0", "floor > 0"),
            (("witness", "first"), [[["0", "0"], ["0", "0"]]] * 2, "needs 1"),
            (("witness", "first"), [], "more than 0"),
            (("witness", "second", 0, 1, 1), "0", "W in node 0"),
            (("witness", "phases"), [], "their starts must increase"),
            (("witness", "phases", 0, "start"), 41, "their starts must increase"),
            (("witness", "phases", 0, "decay"), "3/4", "the step from 0 on"),
            (("witness", "phases", 0, "decay"), "1/4", "do not fit the steps"),
            (("witness", "phases", 0, "order"), "3", "do not fit the steps"),
            (("witness", "phases", 0, "noise"), "0", "the step from 0 on"),
        ]
    ),
    ("update, for ever, of a pair", ("about", "ratios"), ["1", "5"], "the step from 0 on"),
    ("update, for ever, of a pair", ("about", "ratios"), ["1", "-1"], "to be positive"),
    ("update, for ever, of a pair", ("about", "measured"), [0, 0], "repeats"),
    ("update, for ever, of a pair", ("about", "begin"), ["0", "100"], "above 1 - probability"),
    ("update, for ever, of a pair", (*MOVE, 2, 1, 1, 0, 2), 0, "the step from 0 on"),
    ("update, mean", ("about", "update", "at"), ["2"], "other step sizes"),
    ("update, mean", ("about", "steps"), ["2"], "other step sizes"),
    ("update, mean", (*TERMS, 0, 3), "-2", "diagonally dominant"),
    ("update, mean grows", (*TERMS, 0, 3), "0", "diagonally dominant"),
    ("update, mean grows", ("witness", "vector"), ["0"], "zero"),
]
