"""True certificates about updates, each made by hand on a model with one state, and the words of tampered ones.

The tables are written down, not taken from a function: what the checker decides is about them alone.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
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
# Two outcomes, taken evenly: z' = z/2 + 1 or 5z/4 + 1; E R² = 29/32
WIDE = [[[0, [[0, 0, x], [0, 1, "1"]], []] for x in ("1/2", "5/4")]]
# z' = 1 or 3z/2 + 1, evenly: E z = 3/4 E z + 1 = 4, and E R² = 9/8
HEAVY = [[[0, [[0, 1, "1"]], []], [0, [[0, 0, "3/2"], [0, 1, "1"]], []]]]
# The same R, but z' = 4 or 3z/2 − 2: it stays 4 once it is
STAYS = [[[0, [[0, 1, "4"]], []], [0, [[0, 0, "3/2"], [0, 1, "-2"]], []]]]
# θ' = θ + α(x − θ), x = 1 or −1 evenly
COIN = [[[0, [], linear([0, 0, 0, "-1"], [0, 0, 1, x])] for x in ("1", "-1")]]
# z' = z/2 + x, x = 1 or −1 evenly, θ' = θ + α(z − θ)
DRIFTS = [
    [[0, [[0, 0, "1/2"], [0, 1, x]], linear([0, 0, 1, "1"], [1, 0, 0, "-1"], [1, 0, 1, "0"])] for x in ("1", "-1")],
]
# x' = x − αs, y' = y − αs for s = (x + y)/2 − c, c = 2 or 0 evenly
NOISY = [
    [
        [0, [], linear(*([0, i, j, x] for i in (0, 1) for j, x in ((0, "-1/2"), (1, "-1/2"), (2, c))))]
        for c in ("2", "0")
    ],
]
# x' = x + α(c − x) and n' = n + αc, c = 1 or 0 evenly: nothing sees n, which moves by 1/2 in the mean
COUNTS = [[[0, [], linear([0, 0, 0, "-1"], [0, 0, 2, c], [0, 1, 2, c])] for c in ("1", "0")]]
# x' = x + αw and w' = w − β(x + w − c), c = 1 or −1 evenly: w follows −x + c, so the slow matrix is −1
FOLLOWS = [
    [
        [0, [], [[[1, 0], [[0, 0, 1, "1"]]], [[0, 1], [[0, 1, 0, "-1"], [0, 1, 1, "-1"], [0, 1, 2, c]]]]]
        for c in ("1", "-1")
    ],
]
# A fair coin x = 1 or −1, told apart by context: θ' = θ + αx(9x'/10 − x)θ
SIGNED = [[[g, [], linear([0, 0, 0, "-1/10" if g == h else "-19/10"])] for g in (0, 1)] for h in (0, 1)]
# m' = (m + 1)/2 and θ' = θ − αmθ
FILLS = [[[0, [[0, 0, "1/2"], [0, 1, "1/2"]], linear([0, 0, 0, "-1"])]]]
# m' = 3m/2 + 1 and θ' = θ − α(m + 1)θ
SWELLS = [[[0, [[0, 0, "3/2"], [0, 1, "1"]], linear([0, 0, 0, "-1"], [1, 0, 0, "-1"])]]]
# θ' = θ − (α + α²)θ/2
SQUARE = [[[0, [], [[[1], [[0, 0, 0, "-1/2"]]], [[2], [[0, 0, 0, "-1/2"]]]]]]]

# θ' = θ + α(1 − θ/2) + α²/8
CURVED = [[[0, [], [*linear([0, 0, 0, "-1/2"], [0, 0, 1, "1"]), [[2], [[0, 0, 1, "1/8"]]]]]]]
# θ' = θ + α(1 − θ/2)/(1 + α/2): the increment at θ' itself
IMPLICIT = [[[0, [], linear([0, 0, 0, "-1/2"], [0, 0, 1, "1"]), [[[0], "1"], [[1], "1/2"]]]]]

# the same, or over 1 + 3α/4, evenly
UNLIKE = [[IMPLICIT[0][0], [*TD[0][0], [[[0], "1"], [[1], "3/4"]]]]]

# θ' = 2θ or θ/8, evenly: E log |b| = −log 2, and E b² > 2
SHRINKS = [[[0, [], linear([0, 0, 0, x])] for x in ("1", "-7/8")]]
# θ' = 2θ or θ/2, evenly
LEVEL = [[[0, [], linear([0, 0, 0, x])] for x in ("1", "-1/2")]]
# (x, y)' = (2y, x) or (x + y, 2y − x), evenly: determinants −2 and 3
TURNS = [
    [
        [0, [], linear([0, 0, 0, "-1"], [0, 0, 1, "2"], [0, 1, 0, "1"], [0, 1, 1, "-1"])],
        [0, [], linear([0, 0, 1, "1"], [0, 1, 0, "-1"], [0, 1, 1, "1"])],
    ]
]
# (x, y)' = (2x, y) or (y, x), evenly: determinants 2 and −1
MIRRORS = [
    [
        [0, [], linear([0, 0, 0, "1"])],
        [0, [], linear([0, 0, 0, "-1"], [0, 0, 1, "1"], [0, 1, 0, "1"], [0, 1, 1, "-1"])],
    ]
]
# (x, y)' = 4(x, y), then the same, in turns
FOURFOLD = [[[1, [], linear([0, 0, 0, "3"], [0, 1, 1, "3"])]], [[0, [], []]]]
# (x, y)' = (0, y) at first, then 2(x, y) for ever
DOUBLES_LATER = [[[1, [], linear([0, 0, 0, "-1"])]], [[1, [], linear([0, 0, 0, "1"], [0, 1, 1, "1"])]]]
# (x, y)' = (x + y, x + y) or (x/2, −y), evenly: determinants 0 and −1/2
FLATTENS = [
    [
        [0, [], linear([0, 0, 1, "1"], [0, 1, 0, "1"])],
        [0, [], linear([0, 0, 0, "-1/2"], [0, 1, 1, "-2"])],
    ]
]
# x' = 2x and y' = x + y/4: the determinant is 1/2, and x grows
LEADS = [[[0, [], linear([0, 0, 0, "1"], [0, 1, 0, "1"], [0, 1, 1, "-3/4"])]]]
# x' = y and y' = 0
SHIFTS = [[[0, [], linear([0, 0, 0, "-1"], [0, 0, 1, "1"], [0, 1, 1, "-1"])]]]
# m' = 0 and θ' = 3θ/4, or m' = 2m + 1 and θ' = (1 + m)θ, evenly: m = 2ᵏ − 1 after k moves without a cut
SURGES = [[[0, [], linear([1, 0, 0, "-1/4"])], [0, [[0, 0, "2"], [0, 1, "1"]], linear([0, 0, 0, "1"])]]]
# The same, told apart by context
SURGES_APART = [[[0, *SURGES[0][0][1:]], [1, *SURGES[0][1][1:]]]] * 2
# Two contexts, each with the same for itself
SURGES_EITHER = [[[h, *move[1:]] for move in SURGES[0]] for h in (0, 1)]
# The same m, and beside it n' = n + 1
SURGES_TWICE = [
    [
        [0, [[1, 1, "1"], [1, 2, "1"]], linear([2, 0, 0, "-1/4"])],
        [0, [[0, 0, "2"], [0, 2, "1"], [1, 1, "1"], [1, 2, "1"]], linear([0, 0, 0, "1"])],
    ]
]
# The same of x, and y' = x + (1 + m)y/4, or x + y/4 with the cut
SURGES_BESIDE = [
    [
        [0, [], linear([1, 0, 0, "-1/4"], [1, 1, 0, "1"], [1, 1, 1, "-3/4"])],
        [0, [[0, 0, "2"], [0, 1, "1"]], linear([0, 0, 0, "1"], [1, 1, 0, "1"], [0, 1, 1, "1/4"], [1, 1, 1, "-3/4"])],
    ]
]
# m' = 0 and θ' = 4θ, or m' = (m + 1)/2 and θ' = (1 − m/2)θ, evenly; the first move of all makes θ zero
SETTLES = [
    [[1, [], linear([1, 0, 0, "-1"])]] * 2,
    [[1, [], linear([1, 0, 0, "3"])], [1, [[0, 0, "1/2"], [0, 1, "1/2"]], linear([0, 0, 0, "-1/2"])]],
]
# m' = 0 and θ' = θ/16, or m' = 2m + 1 and θ' = (1 + m)θ, evenly
SINKS = [[[0, [], linear([1, 0, 0, "-15/16"])], [0, [[0, 0, "2"], [0, 1, "1"]], linear([0, 0, 0, "1"])]]]
# The same, told apart by context
SINKS_APART = [[[0, *SINKS[0][0][1:]], [1, *SINKS[0][1][1:]]]] * 2
# The same of x, and y' = x + (1 + m)y, or x/16 + y/16 with the cut
SINKS_TOGETHER = [
    [
        [0, [], linear([1, 0, 0, "-15/16"], [1, 1, 0, "1/16"], [1, 1, 1, "-15/16"])],
        [0, [[0, 0, "2"], [0, 1, "1"]], linear([0, 0, 0, "1"], [1, 1, 0, "1"], [0, 1, 1, "1"])],
    ]
]


def told_by_terms(single: Json, certify: Callable[..., Json], factor: Callable[..., Json]) -> list[Json]:
    """The update TD, by its terms, on ``single``: θ is multiplied by ½ where α is 1, and by −3 where it is 8."""
    terms = (
        "alpha * t.reward * t.phi",
        "alpha * t.discount * (t.phi_next @ theta) * t.phi",
        "-alpha * (t.phi @ theta) * t.phi",
    )
    update = {
        **{
            "name": "by hand",
            "parameters": [["theta", "d"]],
            "memory": [],
            "steps": ["alpha"],
            "at": None,
            "reads": [],
        },
        "terms": [{"when": {}, "theta": list(terms)}],
    }
    rows: Json = {"nodes": 1, "columns": [0], "rows": [["1"]], "lyapunov": [["1"]]}
    grows: Json = {"vector": ["1"], "window": 0}
    shown: Json = {"entries": [[0, 0]], "factor_growth": factor([[8]]), "after": 0}
    return [
        certify(f"update_{kind}", single, {"class": [0], "update": update, "steps": [alpha]}, witness)
        for kind, alpha, witness in (
            ("mean_square_bounded", "1", {"lyapunov": [[["1"]]]}),
            ("mean_square_unbounded", "8", {"lyapunov": [[["1"]]], **grows}),
            ("mean_bounded", "1", {**rows, "factor_lyapunov": factor([[1]]), "factor_decrease": factor([[0.75]])}),
            ("mean_unbounded", "8", {**rows, **grows, **shown}),
        )
    ]


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

    def coin(kind: str, alpha: str, **witness: Json) -> Json:
        """Two contexts of the one state, by the action that was taken."""
        update = table(SIGNED, contexts=[0, 0], starts=1)
        return certify(f"update_{kind}", uneven, {"class": [0], "update": update, "steps": [alpha]}, witness)

    def for_ever(
        moves: Json, size: int, begin: Json, rest: Json, lyapunov: Json, second: Json, model: Json = single
    ) -> Json:
        names = ("alpha", "beta")[:size]
        about = {
            "update": table(moves, parameters=size, steps=names, starts=1),
            **{"ratios": ["1"] * size, "steps": ["4", "4", "1"], "start": ["1"], "begin": begin, "measured": [0]},
            **{"within": "1", "probability": "1/2", "time": 40},
        }
        zero = [[["0"] * (size + 1)] * (size + 1)]
        phase = {"start": 0, "decay": "1/2", "noise": "1/4", "order": "2"}
        given = {"rest": rest, "lyapunov": lyapunov, "first": zero, "second": second}
        return certify("update_for_ever", model, about, {**given, "floor": "3/4", "phases": [phase]})

    def covariance(update: Json, witness: Json, noise: str, parts: Json = None, about: Json = None) -> Json:
        """Where B = −1."""
        two = {"lyapunov": [["1"]], "factor_lyapunov": one, "factor_decrease": factor([[2]])}
        half = str(Fraction(noise) / 2)
        given = {"class": [0], "update": update, "matrix": "joint", "ratios": ["1"], "noise": [[noise]]}
        given["averaged"] = [[noise]]
        given = {**given, "at_small_steps": [[half]], **(about or {})}
        return certify("update_covariance", uneven, given, {**(parts or regime()), **two, "rest": ["0"], **witness})

    def paths(kind: str, model: Json, update: Json, about: Json, **witness: Json) -> Json:
        about = {"class": [0], "update": {**update, "starts": 1}, "steps": ["1"], **about}
        return certify(f"path_{kind}", model, about, witness)

    joint = {"matrix": "joint", "ratios": ["1"]}
    two = table(SCALES, parameters=2, steps=("alpha", "beta"))
    trace = regime(1, ("4/3",), ("2",))
    alike = regime(2, ("2", "2"), ("1", "1"))
    stable = {"lyapunov": [["1"]], "factor_lyapunov": one, "factor_decrease": factor([[0.25]])}
    # with X = [[2, −2], [−2, 5]]: −(BᵀX + XB) = [[0, 1], [1, 4]] is not definite; X below solves BᵀX + XB = −I
    X = [["7/4", "-9/4"], ["-9/4", "19/4"]]
    joint_X = factor([[1.75, -2.25], [-2.25, 4.75]])
    seen, T = {"seen": [0]}, {"coordinates": [["1", "1"]]}
    counted, first = {**seen, "drift": ["0", "1/2"]}, {"coordinates": [["1", "0"]]}
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
        "update, rest beside a drift": certify(
            "update_rest",
            uneven,
            {"class": [0], "update": table(COUNTS, parameters=2), "ratios": ["1"], **counted},
            {**regime(), **first, "rest": ["1/2"]},
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
        # x' = (1 − α/2)x + α²/8: beside xx as above stand −(1 − α/2)α²/8, and α⁴/64 less in the last place
        "update, for ever, of a square": for_ever(CURVED, 1, ["0"], ["2"], [["1"]], [[["0", "0"], ["0", "1/8"]]]),
        # x' = x/(1 + α/2), and (1 − cα)(1 + α/2)² − 1 = (½ − α/4 − α²/8)α
        "update, for ever, divided": for_ever(IMPLICIT, 1, ["0"], ["2"], [["1"]], [[["0", "0"], ["0", "1/8"]]]),
        # evenly also x' = (1 + α/4)/(1 + 3α/4) x: at α = 1 twice (1 − cα)(9/4)(49/16) − 49/16 − (9/4)(25/16) is 5/16
        "update, for ever, divided by two": for_ever(
            UNLIKE, 1, ["0"], ["2"], [["1"]], [[["0", "0"], ["0", "1/8"]]], uneven
        ),
        # beside it w' = (1 − α)w, for which (1 − cα)w² − (1 − α)²w² = (3/2 − α)αw², e_0 = 41/8; θ alone is measured
        "update, for ever, of a pair": for_ever(
            PAIR,
            2,
            ["0", "1"],
            ["2", "0"],
            [["1", "0"], ["0", "1"]],
            [[["0", "0", "0"], ["0", "0", "0"], ["0", "0", "1/8"]]],
        ),
        "update, memory": certify(
            "update_memory_bounded", uneven, {"class": [0], "update": table(WIDE, memory=1)}, {"lyapunov": [[["1"]]]}
        ),
        "update, memory without second moments": certify(
            "update_memory_unbounded",
            uneven,
            {"class": [0], "update": table(HEAVY, memory=1)},
            {**regime(1, ("4",), ("1",)), "lyapunov": [[["1"]]]},
        ),
        # Σ = 1, and C = 1, 2X = 1
        "update, covariance": covariance(table(COIN), {"memory": [[]], "moments": [[["1"]]], "ahead": [[["0"]]]}, "1"),
        # z is an AR(1) process with the long-run variance 1/(1 − 1/2)²; H = 1 + H/2, E z² = 1/(1 − 1/4)
        "update, covariance of a memory": covariance(
            table(DRIFTS, memory=1),
            {"memory": [[["1"]]], "moments": [[["4/3", "0"], ["0", "1"]]], "ahead": [[["2", "0"]]]},
            "4",
            regime(1, ("0",), ("1",)),
        ),
        # x + y has the noise 2² and the matrix −1, and rests at 2
        "update, covariance of a sum": covariance(
            table(NOISY, parameters=2),
            {"memory": [[]], "moments": [[["1"]]], "ahead": [[["0"], ["0"]]], **T, "rest": ["2"]},
            "4",
            about={**seen, "noise": [["1", "1"], ["1", "1"]]},
        ),
        # c varies by 1/4 about 1/2, and so do both increments
        "update, covariance beside a drift": covariance(
            table(COUNTS, parameters=2),
            {"memory": [[]], "moments": [[["1"]]], "ahead": [[["0"], ["0"]]], **first, "rest": ["1/2"]},
            "1/4",
            about={**counted, "noise": [["1/4", "1/4"], ["1/4", "1/4"]]},
        ),
        # at β = 2α the noise of w is 2c, of which (I, −J_sf F⁻¹) = (1, 1/2) makes c
        "update, covariance of what is slow": covariance(
            table(FOLLOWS, parameters=2, steps=("alpha", "beta")),
            {"memory": [[]], "moments": [[["1"]]], "ahead": [[["0"], ["0"]]], "rest": ["0", "0"]},
            "1",
            about={"matrix": "slow", "ratios": ["1", "2"], "noise": [["0", "0"], ["0", "4"]]},
        ),
        # |m| ≤ 1 and V = (1/2 − 2αm)θ²: 1 − α(1/2 + 4) − 2α² is 1/50 at α = 1/5
        "update, safe steps": steps(
            "safe_steps",
            table(FILLS, memory=1),
            {"ratios": ["1"], "upto": "1/5"},
            bounds=[["1"]],
            lyapunov=[["1/2"]],
            tilt=[[[["-2"]], [["0"]]]],
        ),
        # from m = 1 on: (N − 1)(1, 1) = (3/2, 0), and Γ = −3/2
        "update, no safe step": steps(
            "no_safe_step",
            table(SWELLS, memory=1),
            {"ratios": ["1"]},
            **{"start": 0, "walk": [0], "cycle": [0], "factor": "3/2", "others": ["1"]},
        ),
        "update, no safe step, at one": steps(
            "no_safe_step",
            table([[[0, SWELLS[0][0][1], [[[0], [[0, 0, 0, "-3"], [1, 0, 0, "-3"]]]]]]], memory=1, at=["3"]),
            {"steps": ["3"]},
            **{"start": 0, "walk": [], "cycle": [0], "factor": "3/2", "others": ["1"]},
        ),
        # θ_3 = θ_0/8 + x_0/2 + x_1/2 at the step 1/2
        "update, moments": certify(
            "update_moments",
            uneven,
            {
                "update": table(DRIFTS, memory=1, starts=1),
                **{"steps": ["1/2"], "start": ["1"], "begin": ["1"], "time": 3},
                **{"mean": ["1/8"], "covariance": [["1/2"]]},
            },
            {},
        ),
        "update, mean grows": steps(
            "mean_unbounded",
            table(GROWS),
            {"steps": ["1"]},
            lyapunov=[["1"]],
            factor_growth=factor([[3]]),
            vector=["1"],
        ),
        # L = [[17/40, −37/40], [−37/40, 17/40]] has the eigenvalue −1/2 for (1, 1), which the sum sees, and 27/20 for
        # (1, −1), which it does not: X = [[0, −1], [−1, 0]] grows with the latter
        "update, mean grows by node alone": coin(
            "mean_unbounded",
            "3/2",
            lyapunov=[["0", "-1"], ["-1", "0"]],
            factor_growth=factor([[0.78625, -0.03625], [-0.03625, 0.78625]]),
            vector=["1", "-1"],
        ),
        "update, mean of a coin": coin(
            "mean_bounded",
            "3/2",
            **{"nodes": 2, "columns": [0], "rows": [["1", "1"]]},
            **{"lyapunov": [["1"]], "factor_lyapunov": one, "factor_decrease": factor([[0.75]])},
        ),
        "update, mean of a coin grows": coin(
            "mean_unbounded",
            "3",
            **{"nodes": 2, "columns": [0], "rows": [["1", "1"]], "entries": [[0, 0]]},
            **{"lyapunov": [["1"]], "factor_growth": factor([[3]]), "vector": ["1"], "window": 1, "after": 0},
        ),
        # 1 − (4/5 + 32/64)/2 > 0 and −(log 1/5 + log 32)/4 = −.464
        "paths, forms": paths(
            "exponent_forms",
            uneven,
            table(SHRINKS),
            {"bound": "-23/50"},
            **{"law": ["1"], "weights": ["1/5", "32"], "lyapunov": [[["1"]]]},
        ),
        # from the second update on θ' = θ/2, and −(log 3)/2 = −.549
        "paths, forms, later": paths(
            "exponent_forms",
            single,
            table(LATER, memory=1),
            {"bound": "-1/2"},
            **{"law": ["0", "1"], "weights": ["3"], "lyapunov": [[["1"]]]},
        ),
        # (log 2 + log 3)/4 = .4479
        "paths, determinant": paths(
            "exponent_determinant", uneven, table(TURNS, parameters=2), {"bound": "11/25"}, law=["1"]
        ),
        # log 2 = .6931
        "paths, determinant of a block": paths(
            "exponent_determinant", single, table(LEADS, parameters=2), {"bound": "69/100"}, law=["1"], block=[0]
        ),
        # Cells end at −45, 0, 45, 90 and 135 degrees; |Bx|²/|x|² is in [5/2, 4] on the first two, in [1, 5/2] on the
        # others, or one. The second matrix exchanges cells 0 and 3, 1 and 2; the first leads from 2 to 1 and 2, from 3
        # to 3 and 0. With h = a, a, 0, 0: min((log 5/2)/4 − a/2, a/2) = .114 for a = 235/1024
        "paths, cells": paths(
            "exponent_cells",
            uneven,
            table(MIRRORS, parameters=2),
            {"bound": "11/100", "side": "lower"},
            **{"law": ["1"], "cells": 4, "bits": 10, "heights": [["235", "235", "0", "0"]]},
        ),
        # max((log 2)/2 − a/2, (log 5/2)/4 + a) = .3075 for a = 80/1024
        "paths, cells, upper": paths(
            "exponent_cells",
            uneven,
            table(MIRRORS, parameters=2),
            {"bound": "31/100", "side": "upper"},
            **{"law": ["1"], "cells": 4, "bits": 10, "heights": [["80", "80", "0", "0"]]},
        ),
        # h falls by the half of log 4 = 1.386, and rises again: 710/1024 = .693
        "paths, cells, two contexts": paths(
            "exponent_cells",
            single,
            table(FOURFOLD, parameters=2, contexts=[0, 0]),
            {"bound": "69/100", "side": "lower"},
            **{"law": ["1/2", "1/2"], "cells": 4, "bits": 10, "heights": [["710"] * 4, ["0"] * 4]},
        ),
        "paths, cells, later": paths(
            "exponent_cells",
            single,
            table(DOUBLES_LATER, parameters=2, contexts=[0, 0]),
            {"bound": "69/100", "side": "lower"},
            **{"law": ["0", "1"], "cells": 4, "bits": 0, "heights": [["0"] * 4]},
        ),
        # The first image is the border at 45 degrees, so cells 1 and 2, and |Bx|² ≤ 2|x|² times 1, 2, 2, 1; the
        # second matrix leads from cells 0 to 1 and 2, 1 to 3 and 0, 2 to 3, 3 to 2; its |Bx|²/|x|² is at most 5/8 on 0
        # and 1, 1 on 2 and 3. With h = 0, 0, a, a: (log 2 + a)/2 + (log 5/8)/4 + a/2 = .327 on 1, (log 2)/2 = .347 on 2
        "paths, cells, singular": paths(
            "exponent_cells",
            uneven,
            table(FLATTENS, parameters=2),
            {"bound": "7/20", "side": "upper"},
            **{"law": ["1"], "cells": 4, "bits": 10, "heights": [["0", "0", "100", "100"]]},
        ),
        # exactly (log 3/4 + log 2)/2 = .2027; with (Σ k/2ᵏ⁺¹ for k < 4) + 4/16 in the place of Σ k/2ᵏ⁺¹ = 1: .1811
        "paths, restart": paths(
            "exponent_determinant_restart",
            uneven,
            table(SURGES, memory=1),
            {"bound": "9/50"},
            **{"law": ["1"], "depth": 4, "tail": [[["15", None]]]},
        ),
        "paths, restart, two contexts": paths(
            "exponent_determinant_restart",
            uneven,
            table(SURGES_APART, memory=1, contexts=[0, 0]),
            {"bound": "9/50"},
            **{"law": ["1/2", "1/2"], "depth": 4, "tail": [None, [["15", None]]]},
        ),
        "paths, restart of a block": paths(
            "exponent_determinant_restart",
            uneven,
            table(SURGES_BESIDE, parameters=2, memory=1),
            {"bound": "9/50"},
            **{"law": ["1"], "depth": 4, "tail": [[["15", None]]], "block": [0]},
        ),
        # (log 4)/2 + (log(3/4)/4 + log(5/8)/8 + log(1/2)/8)/2 = .584, where the tail begins at m = 3/4
        "paths, restart, bounded": paths(
            "exponent_determinant_restart",
            uneven,
            table(SETTLES, memory=1, contexts=[0, 0]),
            {"bound": "29/50"},
            **{"law": ["0", "1"], "depth": 3, "tail": [None, [["7/8", "1"]]]},
        ),
        # exactly (log 1/16 + log 2)/2 = −1.04. In node 0 (255/256 + 1)/2 < 1, in node 1 (255/256 + 4/4)/2 < 1; in the
        # tail (1/256 + 2(1 + 9))/2 < 11, and (log 11/4 + 2 log(7/3)/4 − 3/8 log 255 + log 4/8)/2 = −.4408
        "paths, restart, forms": paths(
            "exponent_forms_restart",
            uneven,
            table(SINKS, memory=1),
            {"bound": "-11/25"},
            **{"law": ["1"], "depth": 2, "weights": ["255", "1", "255", "1/4"], "lyapunov": [[["1"]], [["1"]]]},
            tail={"form": [["1"]], "size": "3", "growth": "7/3", "factor": "11", "left": ["2"]},
        ),
        # the node with m = 1 is behind a move of a context without memory, so the tail begins in layer 1
        "paths, restart, forms of two contexts": paths(
            "exponent_forms_restart",
            uneven,
            table(SINKS_APART, memory=1, contexts=[0, 0]),
            {"bound": "-11/25"},
            **{"law": ["1/2", "1/2"], "depth": 1, "weights": ["255", "1", "255", "1/4"]},
            **{"lyapunov": [[["1"]], [["1"]]]},
            tail={"form": [["1"]], "size": "3", "growth": "7/3", "factor": "11", "left": ["1", "2"]},
        ),
        # squares of sizes: 2.62/256 with the cut, 2.62 and 6.57 with m = 0 and 1, so (90 2.62/256 + 2.62/4)/2 < .8 and
        # (90 2.62/256 + 6.57/8)/2 < .9. In the tail ((2.62 + 9) 2 + 2.62/256)/2 < 12, and
        # (log 12/4 + 2 log(7/3)/4 − 3/8 log 90 + log 4/4 + log 8/8)/2 = −.0181
        "paths, restart, forms of a pair": paths(
            "exponent_forms_restart",
            uneven,
            table(SINKS_TOGETHER, parameters=2, memory=1),
            {"bound": "-1/60"},
            **{"law": ["1"], "depth": 2, "weights": ["90", "1/4", "90", "1/8"]},
            **{"lyapunov": [[["1", "0"], ["0", "1"]]] * 2},
            tail={"form": [["1", "0"], ["0", "1"]], "size": "3", "growth": "7/3", "factor": "12", "left": ["2"]},
        ),
        "paths, scalar": paths("exponent_scalar", uneven, table(SHRINKS), {"sign": "negative"}, law=["1"]),
        "paths, scalar, level": paths("exponent_scalar", uneven, table(LEVEL), {"sign": "zero"}, law=["1"]),
        "paths, scalar, grows": paths("exponent_scalar", single, table(GROWS), {"sign": "positive"}, law=["1"]),
        "paths, zero": paths("product_zero", single, table(SHIFTS, parameters=2), {}, nodes=1, moves=[0, 0]),
        # L = [[0, 0], [1, c]], c = 1 − α/2; S = (1, 1) and SL = (1, c) see all of it. c = −2: X = diag(−1, 1),
        # LᵀXL − X = [[2, −2], [−2, 3]], and z is (1, 0), then (0, 1)
        "update, mean grows later": steps(
            "mean_unbounded",
            table(LATER, memory=1),
            {"steps": ["6"]},
            **{"nodes": 2, "columns": [0, 1], "rows": [["1", "0"], ["0", "1"]], "entries": [[0, 0], [0, 1]]},
            **{"lyapunov": [["-1", "0"], ["0", "1"]], "factor_growth": factor([[2, -2], [-2, 3]])},
            **{"vector": ["1"], "window": 0, "after": 1},
        ),
    }


def forged_updates(true: dict[str, Json], changed: Callable[..., Json]) -> dict[str, tuple[Json, str]]:
    """All equations hold, and a premise does not."""

    def forged(name: str, moves: Json, about: Json, witness: Json) -> Json:
        certificate = changed(true[name], ("about", "update", "moves"), moves)
        return {**certificate, "about": certificate["about"] | about, "witness": certificate["witness"] | witness}

    def one_matrix(K: Json, bound: str, heights: list[str], side: str = "lower") -> Json:
        """Cells of (x, y)' = (x, y) + K(x, y)."""
        base = changed(true["paths, determinant of a block"], ("about", "update", "moves"), [[[0, [], K]]])
        witness = {"law": ["1"], "cells": 4, "bits": 10, "heights": [heights]}
        about = base["about"] | {"bound": bound, "side": side}
        return {**base, "kind": "path_exponent_cells", "about": about, "witness": witness}

    # all that the nodes hold, of which the sum sees a half that dies out: E y_t = (−1/2)^t y_0 at the step 3/2
    coin, by_node = true["update, mean of a coin grows"], true["update, mean grows by node alone"]["witness"]
    every = {"columns": [0, 1], "rows": [["1", "0"], ["0", "1"]], "entries": [[0, 0], [0, 1]], "after": 1}
    unseen = {**coin["witness"], **every, **{key: by_node[key] for key in ("lyapunov", "factor_growth")}}
    hidden = {**coin, "about": {**coin["about"], "steps": ["3/2"]}, "witness": unseen}

    def undrifted(name: str) -> Json:
        about = {key: value for key, value in true[name]["about"].items() if key != "drift"}
        return {**true[name], "about": about}

    either = [
        [[1, [], []], [2, [], []]],
        *([[h, [], part]] * 2 for h, part in ((1, SHRINKS[0][0][2]), (2, SHRINKS[0][1][2]))),
    ]
    parted = table(either, contexts=[0, 0, 0], starts=1)
    # z' = 1 or 3z/2 − 1, evenly: S = 9S/8 + 1 has the solution −8, and H = 1 + 3H/4; so Σ = E(3z − 4)² = −72 + 16
    heavy = [[[0, [[0, 0, R], [0, 1, s]], DRIFTS[0][0][2]] for R, s in (("0", "1"), ("3/2", "-1"))]]
    square = {"moments": [[["-8", "0"], ["0", "1"]]], "ahead": [[["4", "0"]]]}
    return {
        "covariances: second moments that are none": (
            forged(
                "update, covariance of a memory",
                heavy,
                {"noise": [["-56"]], "averaged": [["-56"]], "at_small_steps": [["-28"]]},
                square,
            ),
            "the decrease in context 0",
        ),
        "a mean that grows: by node alone": (hidden, "do not show what"),
        # without `drift` the mean increment is said to be zero; 1/2 is the second moment of c
        # where x is 0 both parameters move by 1/2, and updates see one of them
        "rest beside a drift: of what is seen": (
            forged("update, rest beside a drift", COUNTS, {"drift": ["1/2", "1/2"]}, {"rest": ["0"]}),
            "not zero there",
        ),
        "rest beside a drift: none is said": (undrifted("update, rest beside a drift"), "about.drift"),
        "covariances beside a drift: none is said": (
            changed(
                undrifted("update, covariance beside a drift"), ("about", "noise"), [["1/4", "1/4"], ["1/4", "1/2"]]
            ),
            "about.drift",
        ),
        "no second moments: there are some": (
            forged("update, memory without second moments", WIDE, {}, {"mean": [["8"]]}),
            "the growth in context 0",
        ),
        # m = (m + 1)/2 at m = 1, of which (1/2, 1) has a part
        # after the first update either the one or the other for ever: θ' = 2θ or θ/8
        "paths: two classes": (
            {
                **true["paths, scalar"],
                "about": true["paths, scalar"]["about"] | {"update": parted},
                "witness": {"law": ["0", "1/2", "1/2"]},
            },
            "more than one recurrent class",
        ),
        "paths: a law that the nodes do not have": (
            forged("paths, forms, later", LATER, {}, {"law": ["1/2", "1/2"], "weights": ["1", "3"]}),
            "not a stationary law",
        ),
        "paths: a block that is influenced from outside": (
            {**true["paths, determinant"], "witness": {"law": ["1"], "block": [0]}},
            "influences them",
        ),
        # a cut that is made once, in a context that is left
        "paths, restart: cuts outside the class": (
            changed(true["paths, restart, bounded"], ("about", "update", "moves", 1, 0, 1), [[0, 0, "1"]]),
            "no move cuts the memory",
        ),
        "paths, restart: two classes": (
            {
                **changed(true["paths, restart, two contexts"], ("about", "update", "moves"), SURGES_EITHER),
                "witness": {"law": ["1/2", "1/2"], "depth": 4, "tail": [[["15", None]]] * 2},
            },
            "more than one recurrent class",
        ),
        # the second entry of the memory never is
        "paths, restart: a cut of one of two memories": (
            {
                **changed(true["paths, restart"], ("about", "update"), table(SURGES_TWICE, memory=2, starts=1)),
                "witness": {"law": ["1"], "depth": 4, "tail": [[["15", None], [None, None]]]},
            },
            "no move cuts the memory",
        ),
        "paths, restart: a block that is influenced from outside": (
            changed(true["paths, restart of a block"], (*TERMS, 1), [1, 0, 1, "1"]),
            "influences them",
        ),
        # up to log(5/2)/2 − a/2 and a/2 = .229 for a = 469/1024
        "paths, cells: logarithms without their half": (
            forged("paths, cells", MIRRORS, {"bound": "11/50"}, {"heights": [["469", "469", "0", "0"]]}),
            "show less",
        ),
        # with π_e in the place of p_e half of h is gained wherever it is negative
        "paths, cells: the law in the place of probabilities": (
            forged("paths, cells, two contexts", FOURFOLD, {"bound": "5"}, {"heights": [["-10240"] * 4] * 2}),
            "show less",
        ),
        # (x, y)' = (x − 2y, −2x − 3y) turns the cells round: from 3, 2, 2, 1 on they meet 3, 2, 1, 2 of them. With a
        # turn the other way the first would meet 1, 2, 3 and the others all, and h = 0, a, a, a would show (log 5)/4
        "paths, cells: sides are not exchanged": (
            one_matrix(linear([0, 0, 1, "-2"], [0, 1, 0, "-2"], [0, 1, 1, "-4"]), "2/5", ["0", "412", "412", "412"]),
            "show less",
        ),
        # (x, y)' = (2x, −y) leads from cell 2, which meets the direction of y, to 3 and 0. With 3 alone, and 1 alone
        # from 3, everything would grow; (0, 1) does not
        "paths, cells: the last cell of an arc is left out": (
            one_matrix(linear([0, 0, 0, "1"], [0, 1, 1, "-2"]), "9/20", ["938", "938", "0", "469"]),
            "show less",
        ),
        # (x, y)' = (5x + 2y, 2x + 2y) has the eigenvalue 6 at (2, 1): log 6 = 1.79, and ends of cells show (log 65/2)/2
        "paths, cells: the largest ratio is inside a cell": (
            one_matrix(
                linear(*([0, i, j, str(4 >> (i + j))] for i in (0, 1) for j in (0, 1))), "7/4", ["0"] * 4, "upper"
            ),
            "show less",
        ),
        "paths, cells: a matrix of zeros": (
            one_matrix(linear([0, 0, 0, "-1"], [0, 1, 1, "-1"]), "1", ["0"] * 4, "upper"),
            "the logarithm of a number that is not positive",
        ),
        "paths, cells: three dimensions": (
            changed(true["paths, cells"], ("about", "update", "parameters"), 3),
            "the dimension 3",
        ),
        "no safe step: a memory that stays": (
            forged("update, no safe step", FILLS, {}, {"factor": "1", "others": ["1/2"]}),
            "multiplies no part",
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
    ("update, stable", ("about", "update", "steps"), [f"a{i}" for i in range(101)], "the bound is 100"),
    ("update, stable", ("about", "update", "steps"), ["alpha = 1 on every model, and alpha"], "names of one word"),
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
    ("update, rest beside a drift", ("about", "drift"), ["0", "0"], "about.drift"),
    ("update, rest beside a drift", ("about", "drift"), ["1/2", "1/2"], "about.drift"),
    ("update, rest beside a drift", ("about", "drift"), ["1/2"], "needs 2"),
    ("update, rest beside a drift", ("about", "ratios"), ["2"], "about.drift"),
    ("update, covariance beside a drift", ("about", "drift"), ["0", "1"], "about.drift"),
    ("update, covariance beside a drift", ("about", "noise", 1, 1), "1/2", "not the covariance"),
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
            (("about", "update", "at"), ["1"], "other step sizes"),
            (("about", "ratios"), ["2"], "the first is to be 1"),
            (("about", "measured"), [1], "range"),
            (("about", "begin"), ["100"], "above 1 - probability"),
            ((*TERMS, 0, 3), "-3/5", "does not vanish"),
            ((*TERMS, 1, 3), "2", "does not vanish"),
            ((*MOVE, 2, 0, 0), [2], "the step from 0 on"),
            ((*MOVE, 2, 0, 0), [0], "does not vanish"),
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
    ("update, for ever, of a square", (*MOVE, 2, 1, 1, 0, 3), "1", "the step from 0 on"),
    ("update, for ever, of a square", (*MOVE, 2, 1, 0), [0], "does not vanish"),
    # at α = 1: 1 − α and 1 + α − 2α² vanish, 3/2·1/2 is above 1/2, and 1 + 2α leaves (½ 9 − 25/4) < 0
    *(
        ("update, for ever, divided", (*MOVE, 3), [[[k], x] for k, x in enumerate(divisor)], words)
        for divisor, words in [
            ((), "seen to be positive"),
            (("0", "1"), "seen to be positive"),
            (("-1",), "seen to be positive"),
            (("1", "-1"), "seen to be positive"),
            (("1", "1", "-2"), "seen to be positive"),
            (("2", "1"), "the step from 0 on"),
            (("1", "2"), "the step from 0 on"),
        ]
    ),
    # at α = 1 twice (1 − cα)(9/4) 9 − 9 − (9/4)(25/4) is below zero
    ("update, for ever, divided by two", (*MOVE[:-1], 1, 3, 1, 1), "2", "the step from 0 on"),
    ("update, for ever, divided by two", ("witness", "phases", 0, "decay"), "5/8", "the step from 0 on"),
    ("update, for ever, divided", (*MOVE, 3, 1, 0), [0], "the exponents stand there twice"),
    ("update, for ever, divided", (*MOVE, 3, 1, 0), [1, 0], "needs 1"),
    ("update, for ever, divided", (*MOVE, 3, 1), [[1]], "needs 2"),
    ("update, stable", MOVE, [*TD[0][0], [[[0], "1"], [[1], "1/2"]]], "needs 3"),
    ("update, mean square", MOVE, [*TD[0][0], [[[0], "1"], [[1], "1/2"]]], "needs 3"),
    ("update, for ever, of a pair", ("about", "ratios"), ["1", "5"], "the step from 0 on"),
    ("update, for ever, of a pair", ("about", "ratios"), ["1", "-1"], "to be positive"),
    ("update, for ever, of a pair", ("about", "measured"), [0, 0], "repeats"),
    ("update, for ever, of a pair", ("about", "begin"), ["0", "100"], "above 1 - probability"),
    ("update, for ever, of a pair", (*MOVE, 2, 1, 1, 0, 2), 0, "the step from 0 on"),
    # memory without an end: E R² < 1, or > 1
    ("update, memory", (*MOVE, 1, 0, 2), "7/5", "the decrease in context 0"),
    ("update, memory", ("witness", "lyapunov"), [[["-1"]]], "not positive definite"),
    ("update, memory", ("about", "update", "moves"), HEAVY, "the decrease in context 0"),
    ("update, memory", ("about", "update", "starts"), 1, "the contexts of time zero"),
    ("update, memory without second moments", ("about", "update", "moves"), WIDE, "the equation of the mean fails"),
    ("update, memory without second moments", ("about", "update", "moves"), STAYS, "what the memory gains"),
    ("update, memory without second moments", ("witness", "lyapunov"), [[["-1"]]], "the growth in context 0"),
    ("update, memory without second moments", ("witness", "lyapunov"), [[["0"]]], "the growth in context 0"),
    ("update, memory without second moments", ("witness", "mean"), [["3"]], "the equation of the mean fails"),
    ("update, memory without second moments", ("witness", "weights"), [["0"]], "sizes of the memory"),
    # covariances
    *(
        ("update, covariance of a memory", path, value, words)
        for path, value, words in [
            (("about", "noise"), [["3"]], "in the long run"),
            (("about", "averaged"), [["2"]], "B C B'"),
            (("about", "averaged"), [["-4"]], "B C B'"),
            (("about", "at_small_steps"), [["4"]], "B X + X B'"),
            (("about", "ratios"), ["-1"], "to be positive"),
            (("about", "ratios"), ["2"], "the equation of what is still to come"),
            (("about", "update", "moves", 0, 0, 1, 0, 2), "1/4", "the equation of the second moments"),
            (("about", "update", "moves", 0, 0, 1, 1, 2), "1/2", "the equation of the mean fails"),
            (("about", "update", "moves", 0, 0, 2, 0, 1, 0, 3), "2", "the equation of what is still to come"),
            (("about", "update", "at"), ["1"], "other step sizes"),
            (("witness", "rest"), ["1"], "not zero there"),
            (("witness", "memory"), [[["-1"]]], "not positive definite"),
            (("witness", "memory"), [[["0"]]], "not positive definite"),
            (("witness", "moments"), [[["2", "0"], ["0", "1"]]], "the equation of the second moments"),
            (("witness", "moments"), [[["8/3", "0"], ["0", "2"]]], "the equation of the second moments"),
            (("witness", "moments"), [[["4/3", "1"], ["1", "1"]]], "the equation of the second moments"),
            (("witness", "moments"), [[["4/3", "0"], ["0", "2"]]], "the equation of the second moments"),
            (("witness", "ahead"), [[["1", "0"]]], "the equation of what is still to come"),
            (("witness", "lyapunov"), [["-1"]], "diagonally dominant"),
            (("witness", "factor_decrease", "scale"), ["0"], "not positive"),
        ]
    ),
    ("update, covariance", (*MOVE, 2, 0, 1, 1, 3), "3", "not zero there"),
    ("update, covariance", (*TERMS, 0, 3), "-2", "B C B'"),
    ("update, covariance", ("about", "noise"), [["2"]], "in the long run"),
    ("update, covariance of a sum", ("about", "noise"), [["1", "0"], ["0", "1"]], "in the long run"),
    ("update, covariance of a sum", ("about", "averaged"), [["1"]], "B C B'"),
    ("update, covariance of a sum", ("witness", "coordinates"), [["1", "2"]], "depends on more of the parameters"),
    ("update, covariance of a sum", ("witness", "rest"), ["1"], "not zero there"),
    ("update, covariance of what is slow", ("about", "averaged"), [["2"]], "B C B'"),
    ("update, covariance of what is slow", ("about", "at_small_steps"), [["1"]], "B X + X B'"),
    ("update, covariance of what is slow", ("about", "noise"), [["0", "0"], ["0", "1"]], "in the long run"),
    ("update, covariance of what is slow", ("about", "ratios"), ["1", "1"], "in the long run"),
    ("update, covariance of what is slow", ("about", "matrix"), "joint", "needs 2"),
    ("update, covariance of what is slow", ("about", "matrix"), "fast", "none of"),
    ("update, covariance of a memory", ("about", "matrix"), "slow", "two step sizes"),
    # safe steps, and none
    *(
        ("update, safe steps", path, value, words)
        for path, value, words in [
            (("about", "upto"), "21/100", "the decrease"),
            (("about", "upto"), "0", "step sizes are to be positive"),
            (("about", "ratios"), ["2"], "the decrease"),
            (("about", "update", "at"), ["1"], "other step sizes"),
            (("about", "update", "starts"), 0, "not the states"),
            (("witness", "bounds"), [["1/2"]], "leaves them"),
            (("witness", "bounds"), [["2"]], "the decrease"),
            (("witness", "bounds"), [["-1"]], "negative"),
            (("witness", "lyapunov"), [["1/4"]], "the decrease"),
            (("witness", "lyapunov"), [["0"]], "witness.lyapunov: the matrix is not positive definite"),
            (("witness", "tilt"), [[[["0"]], [["0"]]]], "the decrease"),
            (("witness", "tilt"), [[[["0"]], [["-2"]]]], "the decrease"),
            ((*MOVE, 1, 0, 2), "1", "leaves them"),
            ((*MOVE, 1, 1, 2), "-3/4", "leaves them"),
            ((*TERMS, 0, 3), "1", "the decrease"),
            ((*MOVE, 2, 0, 0), [2], "not linear in the step sizes"),
        ]
    ),
    *(
        ("update, no safe step", path, value, words)
        for path, value, words in [
            (("about", "ratios"), ["0"], "to be positive"),
            (("about", "update", "at"), ["1"], "other step sizes"),
            (("about", "update", "starts"), 0, "not the states"),
            (("witness", "start"), 1, "range"),
            (("witness", "walk"), [1], "range"),
            (("witness", "cycle"), [], "multiplies no part"),
            (("witness", "cycle"), [0, 0], "multiplies no part"),
            (("witness", "factor"), "2", "multiplies no part"),
            (("witness", "factor"), "1", "not smaller"),
            (("witness", "others"), ["3/2"], "not smaller"),
            (("witness", "others"), ["-3/2"], "not smaller"),
            (("witness", "others"), [], "multiplies no part"),
            (("witness", "others"), ["1", "1/2", "1/4", "-2"], "not smaller"),
            ((*MOVE, 1, 0, 2), "1/2", "multiplies no part"),
            ((*MOVE, 1, 1, 2), "0", "multiplies no part"),
            ((*MOVE, 2), linear([1, 0, 0, "-1"]), "nilpotent"),
            ((*MOVE, 2), linear([0, 0, 1, "-1"]), "nilpotent"),
        ]
    ),
    ("update, no safe step, at one", ("about", "steps"), ["2"], "other step sizes"),
    ("update, no safe step, at one", (*MOVE, 1, 0, 2), "1", "multiplies no part"),
    # moments at a time
    *(
        ("update, moments", path, value, words)
        for path, value, words in [
            (("about", "time"), 2, "not the mean"),
            (("about", "mean"), ["1/4"], "not the mean"),
            (("about", "covariance"), [["33/64"]], "not the covariance"),
            (("about", "begin"), ["2"], "not the mean"),
            (("about", "steps"), ["1/4"], "not the mean"),
            (("about", "steps"), ["0"], "step sizes are to be positive"),
            (("about", "start"), ["1/2"], "not a probability law"),
            (("about", "update", "starts"), 0, "not the states"),
            (("about", "update", "at"), ["1/4"], "other step sizes"),
            ((*MOVE, 1, 1, 2), "2", "not the mean"),
            ((*MOVE, 1, 0, 2), "1", "not the covariance"),
        ]
    ),
    ("update, mean", ("about", "update", "at"), ["2"], "other step sizes"),
    ("update, mean", ("about", "steps"), ["2"], "other step sizes"),
    ("update, mean", (*TERMS, 0, 3), "-2", "diagonally dominant"),
    ("update, mean grows", (*TERMS, 0, 3), "0", "diagonally dominant"),
    ("update, mean grows", ("witness", "vector"), ["0"], "zero"),
    *(
        (name, ("witness", key), value, words)
        for name, key, value, words in [
            ("update, mean of a coin", "rows", [["1", "2"]], "the next means are not made of these"),
            ("update, mean of a coin", "rows", [["1", "-1"]], "the sum over the nodes is not made of these"),
            ("update, mean of a coin", "rows", [["2", "2"]], "they are not the unit vectors"),
            ("update, mean of a coin", "columns", [2], "range"),
            ("update, mean of a coin", "nodes", 1, "more than 1 contexts"),
            ("update, mean of a coin", "nodes", 3, "there are 2 contexts"),
            ("update, mean of a coin grows", "window", 2, "range"),
            ("update, mean of a coin grows", "vector", ["0"], "zero"),
            ("update, mean grows later", "entries", [[0, 0], [0, 0]], "do not show what"),
            ("update, mean grows later", "entries", [[0, 0], [0, 2]], "range"),
            ("update, mean grows later", "entries", [[0, 0]], "needs 2"),
            ("update, mean grows later", "after", 0, "x'Xx is not positive"),
            ("update, mean grows later", "window", 2, "range"),
        ]
    ),
    # the mean goes to zero at 3/2
    ("update, mean of a coin grows", ("about", "steps"), ["3/2"], "diagonally dominant"),
    # almost every path
    ("paths, forms", ("about", "bound"), "-47/100", "show less"),
    ("paths, forms", ("witness", "weights"), ["5", "1/32"], "the weighted decrease in node 0"),
    ("paths, forms", ("witness", "weights"), ["0", "32"], "positive"),
    ("paths, forms", ("witness", "weights"), ["1/5"], "needs 2"),
    ("paths, forms", ("witness", "lyapunov"), [[["-1"]]], "not positive definite"),
    ("paths, forms", ("witness", "law"), ["1/2"], "not a stationary law"),
    ("paths, forms", ("about", "steps"), ["2"], "the weighted decrease in node 0"),
    ("paths, forms, later", ("witness", "law"), ["1"], "more than 1 contexts"),
    ("paths, forms, later", ("witness", "law"), ["-1", "2"], "not a stationary law"),
    ("paths, determinant", ("about", "bound"), "9/20", "show less"),
    ("paths, determinant", (*TERMS, 1, 3), "1", "show less"),
    ("paths, determinant", (*TERMS, 1, 3), "0", "a determinant is zero"),
    ("paths, determinant of a block", ("about", "bound"), "7/10", "show less"),
    ("paths, determinant of a block", ("witness", "block"), [1], "show less"),
    ("paths, determinant of a block", ("witness", "block"), [0, 1], "show less"),
    ("paths, scalar", ("about", "sign"), "zero", "not the sign"),
    ("paths, scalar", ("about", "sign"), "positive", "not the sign"),
    ("paths, scalar, level", ("about", "sign"), "negative", "not the sign"),
    ("paths, scalar, level", (*TERMS, 0, 3), "1000000001/1000000000", "not the sign"),
    ("paths, scalar", ("about", "sign"), "none", "none of"),
    ("paths, cells", ("about", "bound"), "3/25", "show less"),
    ("paths, cells", ("about", "side"), "upper", "show less"),
    ("paths, cells", ("about", "side"), "middle", "none of"),
    ("paths, cells", ("witness", "cells"), 6, "needs 6"),
    ("paths, cells", ("witness", "cells"), 5, "even"),
    ("paths, cells", ("witness", "cells"), 2, "range"),
    ("paths, cells", ("witness", "bits"), 9, "show less"),
    ("paths, cells", ("witness", "heights"), [["235", "235", "0"]], "needs 4"),
    ("paths, cells", ("witness", "heights"), [["200", "235", "0", "0"]], "show less"),
    ("paths, cells", ("witness", "heights"), [["235", "235", "0", "1/2"]], "integers are needed"),
    ("paths, cells", ("witness", "law"), ["1/2"], "not a stationary law"),
    ("paths, cells", (*TERMS, 0, 3), "-1", "a matrix is singular"),
    ("paths, cells", (*TERMS, 0, 3), "1/2", "show less"),
    ("paths, cells, upper", ("about", "bound"), "3/10", "show less"),
    ("paths, cells, upper", ("witness", "heights"), [["0", "80", "0", "0"]], "show less"),
    ("paths, cells, two contexts", ("witness", "heights"), [["0"] * 4, ["710"] * 4], "show less"),
    ("paths, cells, singular", ("about", "bound"), "33/100", "show less"),
    ("paths, cells, singular", ("about", "side"), "lower", "a matrix is singular"),
    ("paths, zero", ("witness", "moves"), [0], "not zero"),
    ("paths, zero", ("witness", "moves"), [], "one to 10000"),
    ("paths, zero", ("witness", "moves"), [1], "range"),
    # a memory that is cut
    ("paths, restart", ("about", "bound"), "19/100", "show less"),
    ("paths, restart", ("witness", "depth"), 0, "range"),
    ("paths, restart", ("witness", "depth"), 3, "the next layer is outside"),
    ("paths, restart", ("witness", "tail"), [[["16", None]]], "the next layer is outside"),
    ("paths, restart", ("witness", "tail"), [None], "the next layer is outside"),
    ("paths, restart", ("witness", "tail"), [[["15", "40"]]], "leaves the intervals"),
    ("paths, restart", ("witness", "tail"), [[["0", None]]], "show less"),
    ("paths, restart", ("witness", "tail"), [[[None, None]]], "may be zero"),
    ("paths, restart", ("witness", "tail"), [], "needs 1"),
    ("paths, restart", ("witness", "law"), ["1/2"], "not a stationary law"),
    ("paths, restart", ("about", "steps"), ["4"], "a determinant is zero"),
    ("paths, restart", ("about", "steps"), ["1/2"], "show less"),
    ("paths, restart", (*MOVE, 1), [[0, 0, "1"]], "no move cuts the memory"),
    ("paths, restart", ("about", "update", "moves", 0, 1, 1, 0, 2), "1", "the next layer is outside"),
    ("paths, restart, two contexts", ("witness", "tail"), [[["15", None]], None], "the next layer is outside"),
    ("paths, restart, two contexts", ("witness", "law"), ["1", "0"], "not a stationary law"),
    ("paths, restart, two contexts", ("about", "bound"), "19/100", "show less"),
    ("paths, restart of a block", ("witness", "block"), [1], "show less"),
    ("paths, restart of a block", ("witness", "block"), [0, 1], "not affine"),
    ("paths, restart of a block", ("about", "bound"), "19/100", "show less"),
    ("paths, restart, bounded", ("about", "bound"), "59/100", "show less"),
    ("paths, restart, bounded", ("witness", "tail"), [None, [["7/8", "15/16"]]], "leaves the intervals"),
    ("paths, restart, bounded", ("witness", "tail"), [None, [["7/8", "2"]]], "may be zero"),
    ("paths, restart, bounded", ("witness", "tail"), [None, [["7/8", "3/2"]]], "show less"),
    ("paths, restart, bounded", ("witness", "tail"), [None, [["15/16", "1"]]], "the next layer is outside"),
    # and forms
    *(
        ("paths, restart, forms", path, value, words)
        for path, value, words in [
            (("about", "bound"), "-9/20", "show less"),
            (("about", "steps"), ["1/2"], "the weighted decrease in node 0"),
            ((*MOVE, 1), [[0, 0, "1"]], "no move cuts the memory"),
            (("about", "update", "moves", 0, 1, 1, 0, 2), "3", "a memory of the next layer is larger"),
            (("witness", "law"), ["1/2"], "not a stationary law"),
            (("witness", "depth"), 3, "needs 6"),
            (("witness", "depth"), 1, "needs 2"),
            (("witness", "weights"), ["258", "1", "255", "1/4"], "the weighted decrease in node 0"),
            (("witness", "weights"), ["255", "1", "258", "1/4"], "the weighted decrease in node 1"),
            (("witness", "weights"), ["255", "1", "255", "1"], "the weighted decrease in node 1"),
            (("witness", "weights"), ["1/255", "1", "1/255", "1/4"], "show less"),
            (("witness", "weights"), ["0", "1", "255", "1/4"], "positive"),
            (("witness", "lyapunov"), [[["1"]], [["2"]]], "the weighted decrease in node 0"),
            (("witness", "lyapunov"), [[["-1"]], [["1"]]], "not positive definite"),
            (("witness", "tail", "form"), [["-1"]], "not positive definite"),
            (("witness", "tail", "form"), [["2"]], "the weighted decrease in node 1"),
            (("witness", "tail", "form"), [["1/9999"]], "the weighted decrease in context 0"),
            (("witness", "tail", "size"), "2", "a memory of the next layer is larger"),
            (("witness", "tail", "size"), "4", "the weighted decrease in context 0"),
            (("witness", "tail", "size"), "-3", "size > 0"),
            (("witness", "tail", "growth"), "2", "makes the memory grow by more"),
            (("witness", "tail", "growth"), "1/2", "growth >= 1"),
            (("witness", "tail", "growth"), "3", "show less"),
            (("witness", "tail", "factor"), "10", "the weighted decrease in context 0"),
            (("witness", "tail", "factor"), "12", "show less"),
            (("witness", "tail", "left"), ["1"], "more moves come from context 0"),
            (("witness", "tail", "left"), ["-2"], "more moves come from context 0"),
            (("witness", "tail", "left"), ["3"], "show less"),
            (("witness", "tail", "left"), [], "needs 1"),
            (("witness", "tail"), {}, "is missing"),
        ]
    ),
    ("paths, restart, forms of two contexts", ("witness", "tail", "left"), ["1", "1"], "come from context 1"),
    ("paths, restart, forms of two contexts", ("witness", "law"), ["1", "0"], "not a stationary law"),
    ("paths, restart, forms of two contexts", ("about", "bound"), "-9/20", "show less"),
    ("paths, restart, forms of a pair", ("about", "bound"), "-1/50", "show less"),
    ("paths, restart, forms of a pair", ("witness", "tail", "factor"), "11", "the weighted decrease in context 0"),
]
