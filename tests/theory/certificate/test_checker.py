"""The checker accepts true certificates of every kind and nothing else.

All certificates here are made by hand (``by_hand.py``), on models of two to four states.
"""

from __future__ import annotations

import ast
import copy
import json
import random
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tdcert.theory.certificate import checker
from tdcert.theory.certificate.checker import NotChecked, Rejected, check_file, check_text, limits, matrices
from tdcert.theory.certificate.checker.budget import BUDGET, SPENT
from tdcert.theory.certificate.checker.program import MODEL_SETS, MODELS, READ
from tdcert.theory.certificate.checker.reading import ModelRead, decode_short
from tdcert.theory.certificate.checker.regime import Regime
from tests.effort import IN_FULL, by_default, examples, later
from tests.theory.certificate.by_hand import (
    Built,
    Json,
    Rows,
    add,
    certify,
    eye,
    factor,
    lyapunov,
    matrix,
    mul,
    seal,
    solve,
    strings,
    sym,
    text,
    times,
    tr,
)
from tests.theory.certificate.convergence_by_hand import FALSE_CONVERGENCE, forged_convergence, true_convergence
from tests.theory.certificate.sets_by_hand import FALSE_SETS, forged_sets, true_sets
from tests.theory.certificate.updates_by_hand import FALSE_UPDATES, forged_updates, true_updates

F = Fraction
P61 = 2**61 - 1
P20 = 1_048_583  # the first prime above 2^20


def decimal(x: int) -> str:
    """The digits of a positive integer, also beyond the limit of `str`."""
    return decimal(x // 10**4000) + f"{x % 10**4000:04000}" if x >= 10**4000 else str(x)


# ------------------------------------------------------------------------------------------------- the models


def one_action(P: Rows, gamma: str, Phi: Rows, rewards: list[str], schedule: Json) -> Json:
    one = [["1"]] * len(P)
    return {
        "format": "tdcert-model/1",
        "actions": ["go"],
        "transitions": {"go": strings(P)},
        "rewards": {"go": rewards},
        "discount": gamma,
        "behaviour": one,
        "target": one,
        "features": strings(Phi),
        "schedule": schedule,
    }


FLIP = one_action(matrix("0 1", "1 0"), "1/2", eye(2), ["1", "0"], {"lambdas": []})
CHAIN_P = matrix("1/2 1/3 1/6", "1/5 0 4/5", "3/7 4/7 0")
CHAIN = one_action(CHAIN_P, "9/10", matrix("1 0", "1 1", "-1 2"), ["1", "0", "-5/3"], {"lambdas": ["1/2", "2/3"]})
INFINITE = {**CHAIN, "schedule": {"constant": {"lambda": "3/4"}}}
# Behaviour tosses a coin, target always goes to state 1, the features are 1 and 2: theta -> 2 theta.
DOUBLING = {
    "format": "tdcert-model/1",
    "actions": ["first", "second"],
    "transitions": {"first": [["1", "0"], ["1", "0"]], "second": [["0", "1"], ["0", "1"]]},
    "rewards": {"first": ["0", "0"], "second": [["0", "1"], ["0", "2"]]},
    "discount": "9/10",
    "behaviour": [["1/2", "1/2"], ["1/2", "1/2"]],
    "target": [["0", "1"], ["0", "1"]],
    "features": [["1"], ["2"]],
    "schedule": {"lambdas": []},
}
BALANCED = {**DOUBLING, "discount": "5/6"}  # A = (6 gamma - 5) / 2 = 0
ROUND = one_action(matrix("0 1 0", "0 0 1", "1 0 0"), "1/2", eye(3), ["0"] * 3, {"lambdas": []})
# theta' = (1 - alpha / 2) theta; with one lambda of 1/2 the trace is 1 at the start and 5/4 from then on.
SINGLE = one_action(matrix("1"), "1/2", matrix("1"), ["1"], {"lambdas": []})
LONGER = {**SINGLE, "schedule": {"lambdas": ["1/2"]}}
# mu = (1/2, 1/2), pi = (3/4, 1/4), gamma = 0: theta is multiplied by 1 - 3/2 alpha or 1 - 1/2 alpha, evenly.
UNEVEN = {
    "format": "tdcert-model/1",
    "actions": ["often", "seldom"],
    "transitions": {"often": [["1"]], "seldom": [["1"]]},
    "rewards": {"often": ["0"], "seldom": ["0"]},
    "discount": "0",
    "behaviour": [["1/2", "1/2"]],
    "target": [["3/4", "1/4"]],
    "features": [["1"]],
    "schedule": {"lambdas": []},
}
ALONE = one_action(matrix("1"), "0", matrix("1"), ["7"], {"lambdas": []})  # C = 1, A = -1, M = 0
# Two doublings side by side, the second with so small a discount that it is stable: A is a saddle.
SADDLE = {
    "format": "tdcert-model/1",
    "actions": ["to 0", "to 1", "to 2", "to 3"],
    "transitions": {f"to {t}": [[str(int(s == t)) for s in range(4)]] * 4 for t in range(4)},
    "rewards": {f"to {t}": ["0"] * 4 for t in range(4)},
    "discount": {f"to {t}": ["9/10", "9/10", "1/10", "1/10"] for t in range(4)},
    "behaviour": [["1/4"] * 4] * 4,
    "target": [["0", "1", "0", "0"]] * 2 + [["0", "0", "0", "1"]] * 2,
    "features": [["1", "0"], ["2", "0"], ["0", "1"], ["0", "2"]],
    "schedule": {"lambdas": []},
}
# States 0 and 2 keep what reaches them; 1 goes to either.
SPLIT = one_action(
    matrix("1 0 0", "1/2 0 1/2", "0 0 1"), "1/2", matrix("1", "5", "2"), ["1", "1", "1"], {"lambdas": []}
)
# On {0, 1} a chain; 2 is left at once and never seen again.
TRANSIENT = one_action(
    matrix("1/3 2/3 0", "1/4 3/4 0", "0 1 0"),
    "4/5",
    matrix("1 0", "1 1", "7 7"),
    ["0", "1", "9"],
    {"lambdas": ["1/2"]},
)
# Behaviour never takes "jump" in state 0; discount and rewards in all their forms.
UNCOVERED = {
    "format": "tdcert-model/1",
    "actions": ["step", "jump"],
    "transitions": {"step": [["1/2", "1/2"], ["2/3", "1/3"]], "jump": [["0", "1"], ["1", "0"]]},
    "rewards": {"step": [["1", "-1/2"], ["0", "2"]], "jump": ["3", "1/7"]},
    "discount": {"step": [["1/2", "0"], ["1", "3/4"]], "jump": ["9/10", "1/5"]},
    "behaviour": [["1", "0"], ["1/3", "2/3"]],
    "target": [["1/4", "3/4"], ["1/2", "1/2"]],
    "features": [["1", "1/2"], ["-1", "1"]],
    "schedule": {"lambdas": ["1", "1/2"]},
}
# State 0 is transient, state 1 absorbing, and the target alone jumps, in both.
UNCOVERED_TWICE = {
    **UNCOVERED,
    "transitions": {"step": [["1/2", "1/2"], ["0", "1"]], "jump": [["0", "1"], ["1", "0"]]},
    "behaviour": [["1", "0"], ["1", "0"]],
}
# Behaviour stays in state 0; the target leaves it.
LEAVING = {
    "format": "tdcert-model/1",
    "actions": ["stay", "leave"],
    "transitions": {"stay": [["1", "0"], ["0", "1"]], "leave": [["0", "1"], ["0", "1"]]},
    "rewards": {"stay": ["0", "0"], "leave": ["0", "0"]},
    "discount": "1/2",
    "behaviour": [["1", "0"], ["1", "0"]],
    "target": [["1/2", "1/2"], ["1", "0"]],
    "features": [["1"], ["1"]],
    "schedule": {"lambdas": []},
}
# The same behaviour; the target leaves, comes back, and only two-step returns count: K does not leave {0}.
RETURNING = {
    **LEAVING,
    "transitions": {"stay": [["1", "0"], ["0", "1"]], "leave": [["0", "1"], ["1", "0"]]},
    "target": [["0", "1"], ["0", "1"]],
    "schedule": {"lambdas": ["1"]},
}
# The second feature is twice the first: u = theta_1 + 2 theta_2 obeys u' = 5 (A_B u + b_B), A_B that of DOUBLING.
TWIN = {**DOUBLING, "features": [["1", "2"], ["2", "4"]]}
# A coin with discount 1/2 and lambda = 3: N^2 = N / 2, so M = -2 N + 3 N^2 = -N / 2.
SIGNED = one_action(matrix("1/2 1/2", "1/2 1/2"), "1/2", eye(2), ["0", "0"], {"lambdas": ["3"]})


# ------------------------------------------------------------------------- the certificates, all of them true


def spectral(kind: str, model: Json, name: str, shift: F, eta: F | None = None) -> Json:
    built = Built(model)
    whole = built.matrix(name, eta or F(1))
    size = len(whole)
    B = add(whole, eye(size), -shift)
    growth = eye(size) if kind == "unstable" else times(-1, eye(size))
    X = lyapunov(B, growth)
    about = {"matrix": name, "class": built.cls, "shift": text(shift), **({"eta": text(eta)} if eta else {})}
    witness = {"stationary": [text(x) for x in built.d], "lyapunov": strings(X)}
    if kind == "hurwitz":
        return certify(
            kind,
            model,
            about,
            {**witness, "factor_lyapunov": factor(X), "factor_decrease": factor(eye(size))},
        )
    values, vectors = np.linalg.eigh(np.array([[float(x) for x in row] for row in X]))
    vector = [text(F(round(float(x) * 64), 64)) for x in vectors[:, int(np.argmax(values))]]
    return certify(kind, model, about, {**witness, "factor_growth": factor(eye(size)), "vector": vector})


def on_law(kind: str, model: Json, about: Json, cls: list[int] | None = None, **witness: Json) -> Json:
    """A certificate with class and law filled in; a witness that is a function gets what is `Built`."""
    built = Built(model, cls, about.get("kernel", "target"))
    made = {key: value(built) if callable(value) else value for key, value in witness.items()}
    return certify(kind, model, {"class": built.cls, **about}, {"stationary": [text(x) for x in built.d], **made})


def gtd_vector(b: Built, eta: F) -> list[str]:
    """(w, v) with w = (1, 1/2) and v = t A'w; at this t the form -eta w'Cw + (eta - 1) t |A'w|^2 is eta w'Cw > 0."""
    w = [[F(1)], [F(1, 2)]]
    v = mul(tr(b.A), w)
    ((length,),), ((wCw,),) = mul(tr(v), v), mul(tr(w), mul(b.C, w))
    return [text(x) for (x,) in w + times(2 * eta * wCw / ((eta - 1) * length), v)]


def second(verdict: str, model: Json, about: Json, **witness: Json) -> Json:
    return certify(f"mean_square_{verdict}", model, about, witness)


def build_all() -> dict[str, Json]:
    def theta(b: Built) -> list[str]:
        return [text(-x) for (x,) in solve(b.A, b.b)]

    def rank(*rows: int, prime: int = P61) -> Json:
        return {"prime": prime, "rows": list(rows)}

    negative, positive = {"sign": "negative"}, {"sign": "positive"}
    td = {"class": [0], "algorithm": "off_policy_td"}
    gtd = {"class": [0], "algorithm": "gtd", "eta": "1"}
    negative_A = {"matrix": "A", **negative}
    dim = {"matrix": "D(I-M)", "sign": "positive"}
    twin = {"matrix": "A", "columns": [0]}
    one = {"scale": ["1"], "bits": 0, "rows": [["1"]]}
    scalar: Json = {"lyapunov": [["1"]], "coordinates": [["1", "2"]]}
    return {
        "law": on_law("stationary_law", CHAIN, {"unique": True}),
        "law of one of two": on_law("stationary_law", SPLIT, {"unique": False}, [2]),
        "law with a transient state": on_law("stationary_law", TRANSIENT, {"unique": True}, [0, 1]),
        "irreducible": certify(
            "irreducible", CHAIN, {}, {"root": 1, "from_root": [1, None, 1], "to_root": [1, None, 0]}
        ),
        "irreducible, one way round": certify(
            "irreducible",
            ROUND,
            {},
            {"root": 0, "from_root": [None, 0, 1], "to_root": [None, 2, 0]},
        ),
        "reducible": certify("reducible", SPLIT, {}, {"closed_set": [2]}),
        "period two": certify(
            "period",
            FLIP,
            {"class": [0, 1]},
            {"period": 2, "phase": [1, 0], "closed_walks": [[0, 1, 0, 1, 0], [1, 0, 1, 0, 1, 0, 1]]},
        ),
        "period one": certify(
            "period",
            CHAIN,
            {"class": [0, 1, 2]},
            {"period": 1, "phase": [0, 0, 0], "closed_walks": [[1, 2, 1], [0, 1, 2, 0]]},
        ),
        "rank": certify("full_column_rank", CHAIN, {}, {"rank": rank(2, 0)}),
        "rank on a class": certify("full_column_rank", TRANSIENT, {"class": [0, 1]}, {"rank": rank(0, 1, prime=P20)}),
        "deficient": certify(
            "rank_deficient",
            {**CHAIN, "features": [["1", "2"], ["3", "6"], ["0", "0"]]},
            {},
            {"vector": ["2/3", "-1/3"]},
        ),
        "deficient on a class": certify(
            "rank_deficient", {**SPLIT, "features": [["0"], ["1"], ["2"]]}, {"class": [0]}, {"vector": ["1"]}
        ),
        "coverage": certify("missing_coverage", UNCOVERED, {}, {"state": 0, "action": 1}),
        "coverage on a class": certify("missing_coverage", UNCOVERED_TWICE, {"class": [1]}, {"state": 1, "action": 1}),
        "A by factor": on_law("definite", CHAIN, negative_A, factor=lambda b: factor(sym(times(-1, b.A)))),
        "A by rank": on_law("definite", CHAIN, negative_A, factor=lambda b: factor(sym(b.DIM)), rank=rank(0, 1)),
        "A by rank, infinite": on_law(
            "definite", INFINITE, negative_A, factor=lambda b: factor(sym(b.DIM)), rank=rank(0, 1)
        ),
        "A by rank, on a class": on_law(
            "definite", TRANSIENT, negative_A, [0, 1], factor=lambda b: factor(sym(b.DIM)), rank=rank(0, 1)
        ),
        "A positive": on_law("definite", DOUBLING, {"matrix": "A", **positive}, factor=lambda b: factor(sym(b.A))),
        "A covered": on_law(
            "definite",
            UNCOVERED,
            {**negative_A, "kernel": "covered"},
            factor=lambda b: factor(sym(times(-1, b.A))),
        ),
        "C by factor": on_law("definite", CHAIN, {"matrix": "C", **positive}, factor=lambda b: factor(b.C)),
        "C by rank": on_law("definite", CHAIN, {"matrix": "C", **positive}, rank=rank(1, 2)),
        "D(I-M)": on_law("definite", CHAIN, dim, factor=lambda b: factor(sym(b.DIM))),
        "not A": on_law("not_definite", DOUBLING, negative_A, vector=["1"]),
        "not A, at zero": on_law("not_definite", BALANCED, {"matrix": "A", **positive}, vector=["-7/3"]),
        "not C": on_law(
            "not_definite",
            {**CHAIN, "features": [["1", "1"]] * 3},
            {"matrix": "C", **positive},
            vector=["1", "-1"],
        ),
        "not D(I-M)": on_law("not_definite", DOUBLING, dim, vector=["1", "2"]),
        "not GTD": on_law("not_definite", DOUBLING, {"matrix": "GTD", **negative, "eta": "1"}, vector=["0", "1"]),
        "not GTD, eta below one": on_law(
            "not_definite",
            CHAIN,
            {"matrix": "GTD", **negative, "eta": "1/2"},
            vector=lambda b: gtd_vector(b, F(1, 2)),
        ),
        "not GTD, eta above one": on_law(
            "not_definite",
            UNCOVERED,
            {"matrix": "GTD", **negative, "eta": "3", "kernel": "covered"},
            vector=lambda b: gtd_vector(b, F(3)),
        ),
        "nonsingular": on_law("nonsingular", CHAIN, {"matrix": "A"}, prime=P61),
        "nonsingular, infinite": on_law("nonsingular", INFINITE, {"matrix": "A", "kernel": "target"}, prime=P20),
        "singular": on_law("singular", BALANCED, {"matrix": "A"}, vector=["1"]),
        "gradient": on_law("gradient_stable", DOUBLING, {}, rank=rank(1), prime=P61),
        "gradient, covered": on_law("gradient_stable", UNCOVERED, {"kernel": "covered"}, rank=rank(0, 1), prime=P61),
        "hurwitz A": spectral("hurwitz", CHAIN, "A", F(-1, 50)),
        "hurwitz GTD": spectral("hurwitz", DOUBLING, "GTD", F(-1, 100), F(1)),
        "hurwitz GTD, two features": spectral("hurwitz", CHAIN, "GTD", F(0), F(1, 3)),
        "hurwitz TDC": spectral("hurwitz", DOUBLING, "TDC", F(-1, 100)),
        "hurwitz TDC, two features": spectral("hurwitz", INFINITE, "TDC", F(0)),
        "hurwitz TDC joint": spectral("hurwitz", DOUBLING, "TDC joint", F(0), F(1)),
        "hurwitz TDC joint, two features": spectral("hurwitz", CHAIN, "TDC joint", F(0), F(1, 3)),
        "unstable TDC joint": spectral("unstable", DOUBLING, "TDC joint", F(0), F(1, 50)),
        "unstable A": spectral("unstable", DOUBLING, "A", F(1, 10)),
        "unstable A, spiral": spectral("unstable", {**DOUBLING, "features": [["1", "0"], ["2", "1"]]}, "A", F(0)),
        "unstable A, saddle": spectral("unstable", SADDLE, "A", F(0)),
        "unstable on the quotient": on_law(
            "unstable", TWIN, {**twin, "shift": "2/5"}, **scalar, factor_growth=one, vector=["1"]
        ),
        "hurwitz on the quotient": on_law(
            "hurwitz",
            {**TWIN, "discount": "1/2"},
            {**twin, "shift": "-4"},
            **scalar,
            factor_lyapunov={**one, "rows": [["0"]]},
            factor_decrease=one,
        ),
        "singular on the quotient": on_law(
            "singular", {**TWIN, "discount": "5/6"}, twin, vector=["1"], coordinates=[["1", "2"]]
        ),
        "gradient on the quotient": on_law(
            "gradient_stable", TWIN, {"columns": [1]}, rank=rank(1), prime=P61, coordinates=[["1/2", "1"]]
        ),
        "fixed point": on_law("fixed_point", CHAIN, {}, theta=theta, prime=P61),
        "fixed point, infinite": on_law("fixed_point", INFINITE, {}, theta=theta, prime=P61),
        "fixed point, covered": on_law("fixed_point", UNCOVERED, {"kernel": "covered"}, theta=theta, prime=P61),
        "fixed point, uncovered": on_law("fixed_point", UNCOVERED, {"kernel": "target"}, theta=theta, prime=P61),
        "contraction": on_law("contraction", CHAIN, {"modulus": "9/10"}, weights=["1", "1", "1"]),
        "contraction on a class": on_law("contraction", TRANSIENT, {"modulus": "4/5"}, [0, 1], weights=["2", "2"]),
        "contraction, semidefinite": on_law(  # 64 Z = [[1, -1], [-1, 1]]
            "contraction",
            SIGNED,
            {"modulus": "1/4"},
            semidefinite={"columns": [0], "coordinates": [["1", "-1"]], "factor": {**one, "scale": ["16"]}},
        ),
        "contraction, nothing left": on_law(
            "contraction", ALONE, {"modulus": "0"}, semidefinite={"columns": [], "coordinates": [], "factor": None}
        ),
        "no contraction": on_law("not_contraction", CHAIN, {"modulus": "827/1000"}, vector=["1", "1", "1"]),
        "no contraction, left": on_law("not_contraction", LEAVING, {"modulus": "100"}, [0], vector=["0", "1"]),
        "relations and a fixed point": on_law(
            "relation",
            CHAIN,
            {},
            theta=theta,
            relations=[
                [["+", ["@", "A", "theta"], "b"], "=", ["*", "0", "theta"]],
                [["E", "mu", "d", 1, ["@", "phi:1", ["T", "phi:1"]]], "=", "C"],
                [["entry", "A", 0, 0], "<", ["entry", "C", 0, 0]],
                [["entry", "A", 0, 1], "!=", ["entry", "A", 1, 0]],
            ],
        ),
        "relations on a class": on_law(
            "relation", TRANSIENT, {}, [0, 1], relations=[[["@", ["T", "Phi"], "D", "Phi"], "=", "C"]]
        ),
        "relations, covered": certify(
            "relation",
            UNCOVERED,
            {"kernel": "covered"},
            {
                "relations": [
                    ["q", "<=", "ones"],
                    [["on", [0, [0, 1], [1, 0]], ["+", "gamma:1", ["*", "rho:1", "R:1"]]], "=", "43/140"],
                ]
            },
        ),
        "relations, infinite": certify(
            "relation",
            INFINITE,
            {},
            {
                "relations": [
                    [["@", "S", ["-", "N", "I"]], "=", ["-", "M", "I"]],
                    [["@", "M", "ones"], "=", ["*", "kappa", "ones"]],
                    ["Lambda:2", "!=", ["^", "Lambda:2", 2]],
                    ["V", "=", ["solve", ["-", "I", "N"], "r"]],
                    ["c:3", "=", "27/64"],
                ]
            },
        ),
        "relations": on_law(
            "relation",
            DOUBLING,
            {"kernel": "target"},
            theta=["3/7"],
            relations=[
                ["A", "=", "1/5"],
                ["C", "=", ["@", ["T", "Phi"], "D", "Phi"]],
                [["@", ["T", "d"], "Phi"], "=", "3/2"],
                ["gamma", "<", ["sum", "d"]],
                ["r", "!=", "ones"],
                ["theta", "<=", "3/7"],
                ["theta", "=", "3/7"],
                [
                    ["+", ["@", "A", "theta"], "b"],
                    "=",
                    ["E", "mu", "d", 1, ["*", ["*", "rho:0", "delta:0"], "phi:0"]],
                ],
            ],
        ),
        # SINGLE: 1 - (1 - 3/2)^2 > 0; LONGER: 1 - (1 - 15/8)^2 > 0.
        "mean square, one step": second("bounded", SINGLE, {**td, "step": "3"}, lyapunov=[[["1"]]]),
        "mean square, a longer window": second("bounded", LONGER, {**td, "step": "3"}, lyapunov=[[["1"]]] * 2),
        "mean square, two outcomes": second("bounded", UNEVEN, {**td, "step": "3/2"}, lyapunov=[[["1"]]]),
        # GTD on SINGLE at alpha = 2: B = [[1, 1], [-1, -1]], B^2 = 0, so X = I + B'B decreases by I.
        "mean square, gtd": second("bounded", SINGLE, {**gtd, "step": "2"}, lyapunov=[[["3", "2"], ["2", "3"]]]),
        # TDC: K = -[[1/2, 1/2], [1/2, 1]], eigenvalues above -1.31: |1 + K| < 1.
        "mean square, tdc": second(
            "bounded", SINGLE, {**gtd, "algorithm": "tdc", "step": "1"}, lyapunov=[[["1", "0"], ["0", "1"]]]
        ),
        # F - alpha G - alpha^2 H = 1 + 3/4 alpha - 1/4 alpha^2 > 0 for alpha < 4.
        "mean square, every step": second("bounded", SINGLE, {**td, "upto": "3"}, lyapunov=[["1"]], tilt=[[["1"]]]),
        # DOUBLING: theta is multiplied by 1 + 8/5 alpha or not at all, then by 1 - 4/5 alpha or not at all.
        "mean square grows": second(
            "unbounded",
            DOUBLING,
            {**td, "class": [0, 1], "step": "1"},
            lyapunov=[[["3"]], [["1"]]],
            vector=["1"],
            window=0,
        ),
        # -F = 3/5 and 1/5, G = 72/25 and -12/25: -F + alpha G > 0 for alpha < 5/12.
        "mean square grows, every step": second(
            "unbounded",
            DOUBLING,
            {**td, "class": [0, 1], "upto": "2/5"},
            lyapunov=[["1"]],
            tilt=[[["3"]], [["1"]]],
            vector=["1"],
        ),
        "A of a chain that is left": on_law(
            "definite", LEAVING, negative_A, [0], factor=lambda b: factor(sym(times(-1, b.A)))
        ),
        "D(I-M), left and entered again": on_law("definite", RETURNING, dim, [0], factor=lambda b: factor(sym(b.DIM))),
        **true_convergence(CHAIN, TRANSIENT, DOUBLING),
        **true_updates(SINGLE, UNEVEN, certify, factor),
        **true_sets(),
    }


TRUE = build_all()


def refusal(certificate: Json) -> str:
    """The sentence of the rejection; fails if it is accepted, or if the checker was caught off its guard."""
    given = certificate if isinstance(certificate, str | bytes) else json.dumps(certificate)
    with pytest.raises(Rejected) as caught:
        check_text(given)
    sentence = str(caught.value)
    assert sentence and "\n" not in sentence and "unexpected" not in sentence and len(sentence) < LONGEST
    return sentence


def changed(certificate: Json, path: tuple[str | int, ...], value: Json) -> Json:
    """A copy with the value at the path replaced; the digest is made right again if the model changed."""
    result = copy.deepcopy(certificate)
    at = result
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return seal(result) if path[0] == "model" else result


def leaves(value: Json, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Json]]:
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield (*path, key), inner
        yield from leaves(inner, (*path, key))


# ------------------------------------------------------------------------------------------- what is accepted


LONGEST = 200 + len(", ".join(checker.KINDS))
"""Characters: one sentence lists all kinds."""


def test_every_kind_has_a_true_certificate() -> None:
    assert {certificate["kind"] for certificate in TRUE.values()} == set(checker.KINDS)
    assert len(checker.KINDS) == 47


@pytest.mark.parametrize("name", TRUE)
def test_true_certificates_are_accepted(name: str) -> None:
    certificate = TRUE[name]
    statement = check_text(json.dumps(certificate))
    assert statement.endswith(f"(model {certificate['digest'][:12]})")
    assert check_text(json.dumps(certificate, indent=2).encode()) == statement


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("law", "the only one"),
        ("period two", "period exactly 2"),
        ("A by rank", "the symmetric part of A is negative definite, on the recurrent class of all 3 states"),
        ("A by rank, on a class", "the recurrent class {0, 1}"),
        ("A covered", "kernel covered"),
        ("not D(I-M)", "the symmetric part of D(I-M) is not positive definite"),
        ("hurwitz GTD", "every eigenvalue of GTD at eta = 1 has real part below -1/100"),
        ("unstable A", "some eigenvalue of A has real part above 1/10"),
        ("contraction", "|MV|_D <= 9/10 |V|_D"),
        ("paths, cells", "every difference of two runs that is not zero has a growth rate, liminf of"),
        ("paths, cells, later", "every difference of two runs under way that is not zero has"),
        (
            "paths, cells, upper",
            "every difference of two runs has a growth rate, limsup of log |difference| / n, of at most 31",
        ),
        ("paths, restart", "on almost every path almost every difference (in the sense of Lebesgue) has a growth rate"),
        ("paths, restart, forms", "of at most -11/25 a step: it dies out"),
        ("paths, restart, forms of a pair", "of at most -1/60 a step: it dies out"),
        ("paths, restart of a block", "almost every difference of a run under way (in the"),
        ("paths, restart, bounded", "almost every difference of a run under way (in the"),
        ("convergence of td", "theta_t of TD(lambda)-schedule converges to theta = ("),
        ("convergence of gtd", "beta_t = eta alpha_t with eta > 0"),
        ("convergence of tdc", "alpha_t/beta_t -> 0"),
    ],
)
def test_the_statement_says_what_was_established(name: str, words: str) -> None:
    assert words in check_text(json.dumps(TRUE[name]))


@pytest.mark.parametrize("name", [name for name in TRUE if "update" in TRUE[name]["about"]])
def test_what_a_file_calls_its_update_is_the_file_s_word(name: str) -> None:
    """The tables of TD under the name of another update are those of TD: the sentence is about the tables."""
    renamed = changed(TRUE[name], ("about", "update", "name"), "off_policy_td, on every model")
    word = "the update in this file's table (the file's name for it: "
    said, before = (check_text(json.dumps(one)) for one in (renamed, TRUE[name]))
    assert said == before.replace(f"{word}'by hand')", f"{word}'off_policy_td, on every model')") != before
    assert said.count("off_policy_td") == said.count(f"{word}'off_policy_td, on every model')") == 1


def test_known_answers() -> None:
    """theta -> 2 theta, gamma = 9/10: A = 1/5, C = 5/2, -A^2 / C = -2/125, and the bounds are tight there."""
    built = Built(DOUBLING)
    assert [built.A, built.C, built.tdc()] == [[[F(1, 5)]], [[F(5, 2)]], [[F(-2, 125)]]]
    hair = F(1, 10**9)
    for kind, matrix_name, value in (("hurwitz", "TDC", F(-2, 125)), ("hurwitz", "A", F(1, 5))):
        assert check_text(json.dumps(spectral(kind, DOUBLING, matrix_name, value + hair)))
        for shift in (value, value - hair):
            false = changed(spectral(kind, DOUBLING, matrix_name, value + hair), ("about", "shift"), text(shift))
            assert "diagonally dominant" in refusal(false)
    assert check_text(json.dumps(spectral("unstable", DOUBLING, "A", F(1, 5) - hair)))
    false = changed(spectral("unstable", DOUBLING, "A", F(1, 5) - hair), ("about", "shift"), "1/5")
    assert "diagonally dominant" in refusal(false)


@pytest.mark.parametrize("seed", range(12))
def test_equations_hold_on_random_models(seed: int) -> None:
    """A and b, exactly and modulo a prime, equal the definitions: both kernels, all forms, both schedules."""
    rng = random.Random(seed)
    n, m, d = rng.randint(2, 4), 2, 2

    def law(size: int, zero: bool = False) -> list[str]:
        weights = [rng.randint(0 if zero else 1, 6) for _ in range(size)]
        weights[rng.randrange(size)] += 1
        return [text(F(w, sum(weights))) for w in weights]

    def values(form: bool, low: int, high: int) -> Json:
        def pick() -> str:
            return text(F(rng.randint(low, high), 10))

        return [[pick() for _ in range(n)] for _ in range(n)] if form else [pick() for _ in range(n)]

    actions = ["x", "y"]
    model = {
        "format": "tdcert-model/1",
        "actions": actions,
        "transitions": {a: [law(n, a == "y") for _ in range(n)] for a in actions},
        "rewards": {a: values(rng.random() < 0.5, -20, 20) for a in actions},
        "discount": {a: values(rng.random() < 0.5, 0, 9) for a in actions},
        "behaviour": [["1", "0"] if rng.random() < 0.3 else law(m) for _ in range(n)],
        "target": [law(m, True) for _ in range(n)],
        "features": [[text(F(rng.randint(-9, 9), 3) + 10 * (s == j)) for j in range(d)] for s in range(n)],
        "schedule": {"constant": {"lambda": "2/3"}}
        if seed % 3 == 0
        else {"lambdas": [text(F(rng.randint(0, 4), 4)) for _ in range(seed % 4)] + ["3/4"]},
    }
    for kernel in ("target", "covered"):
        built = Built(model, None, kernel)
        theta = [text(-x) for (x,) in solve(built.A, built.b)]
        certificate = on_law("fixed_point", model, {"kernel": kernel}, theta=theta, prime=P61)
        assert "nowhere else" in check_text(json.dumps(certificate))
        assert "A theta + b is not zero" in refusal(changed(certificate, ("witness", "theta", 1), "123/457"))


def test_numbers_beyond_the_limit_of_python_are_read() -> None:
    long = "7" * 5000
    assert check_text(json.dumps(changed(TRUE["fixed point"], ("claim",), "some name")))
    assert check_text(json.dumps(changed(TRUE["law"], ("model", "rewards", "go", 1), f"-{long}/3")))
    near = f"1{'0' * 4999}1/1{'0' * 5000}"  # one, and a little more
    term = ("about", "update", "moves", 0, 0, 2, 0, 1, 0, 3)
    assert check_text(json.dumps(changed(TRUE["paths, cells"], term, near)))
    for digits in (4_999, 5_000):
        x = int(random.Random(digits).random() * 10**17) * 10 ** (digits - 17) + 10**999 + 7
        deficient = {**CHAIN, "features": [["3", "-" + decimal(3 * x)], ["-1", decimal(x)], ["0", "0"]]}
        witness = {"vector": [decimal(x), "1"]}
        assert check_text(json.dumps(certify("rank_deficient", deficient, {}, witness)))
        witness = {"vector": [decimal(x + 1), "1"]}
        assert "not zero" in refusal(certify("rank_deficient", deficient, {}, witness))


# ------------------------------------------------------------------------------- false statements, one by one

FALSE: list[tuple[str, tuple[str | int, ...], Json, str]] = [
    # the envelope
    ("law", ("format",), "tdcert-certificate/2", "format"),
    ("law", ("kind",), "theorem", "kind"),
    ("law", ("kind",), ["stationary_law"], "kind"),
    ("law", ("claim",), 3, "claim"),
    ("law", ("digest",), TRUE["reducible"]["digest"], "digest"),
    ("law", ("digest",), TRUE["law"]["digest"].upper(), "digest"),
    ("law", ("digest",), TRUE["law"]["digest"][:-1], "digest"),
    ("law", ("about",), [], "about"),
    ("law", ("about", "kernel"), "target", "'kernel' is not known"),
    ("law", ("about", "unique"), 1, "true or false"),
    ("law", ("witness",), None, "witness"),
    # the law and the class
    ("law", ("witness", "stationary"), ["1/3", "1/3", "1/3"], "d P = d"),
    ("law", ("witness", "stationary", 0), "1", "sum to one"),
    ("law", ("witness", "stationary"), ["-1", "1", "1"], "positive on the class"),
    ("law", ("witness", "stationary"), ["0", "1/2", "1/2"], "positive on the class"),
    ("law with a transient state", ("witness", "stationary", 2), "1/1000000", "zero outside"),
    ("law of one of two", ("about", "unique"), True, "another recurrent class"),
    ("law of one of two", ("about", "class"), [0, 2], "leads to"),
    ("law of one of two", ("about", "class"), [1], "leads to"),
    ("law of one of two", ("about", "class"), [], "empty"),
    ("law with a transient state", ("about", "class"), [1], "leads to"),
    ("law with a transient state", ("about", "class"), [0, 1, 2], "leads to"),
    ("law", ("about", "class"), [0, 2, 1], "increasing order"),
    ("law", ("about", "class"), [0, 1, 1, 2], "repeats"),
    ("law", ("about", "class"), [0, 1, 3], "range"),
    # graph
    ("irreducible", ("witness", "from_root"), [2, None, 0], "does not end at the root"),
    ("irreducible", ("witness", "from_root", 1), 0, "null"),
    ("irreducible", ("witness", "to_root", 0), None, "integer"),
    ("irreducible", ("witness", "to_root"), [2, None, 0], "does not end at the root"),
    ("irreducible", ("model", "transitions", "go", 0), ["1/2", "0", "1/2"], "no such transition"),
    ("irreducible", ("witness", "root"), 0, "null"),
    ("irreducible, one way round", ("witness", "from_root"), [None, 2, 0], "no such transition"),
    ("irreducible, one way round", ("witness", "to_root"), [None, 0, 1], "no such transition"),
    ("reducible", ("witness", "closed_set"), [0, 1, 2], "every state"),
    ("reducible", ("witness", "closed_set"), [0, 1], "leaves"),
    ("reducible", ("witness", "closed_set"), [], "empty"),
    ("reducible", ("witness", "closed_set"), [2, 2], "repeats"),
    ("period two", ("witness", "period"), 1, "range"),  # the phase 1 does not exist then
    ("period two", ("witness", "phase"), [0, 0], "phase"),
    ("period two", ("witness", "closed_walks"), [[0, 1, 0, 1, 0]], "common divisor 4"),
    ("period two", ("witness", "closed_walks"), [], "common divisor 0"),
    ("period two", ("witness", "closed_walks", 0), [0, 1, 0, 1], "closed walk"),
    ("period two", ("witness", "closed_walks", 0), [0], "closed walk"),
    ("period two", ("witness", "closed_walks", 0), [0, 0, 1, 0], "closed walk"),
    ("period one", ("witness", "closed_walks"), [[1, 2, 1]], "common divisor 2"),
    # rank
    ("rank", ("witness", "rank", "rows"), [0, 0], "repeats"),
    ("rank", ("witness", "rank", "rows"), [0], "needs 2"),
    ("rank", ("witness", "rank", "prime"), P61 - 2, "not a prime"),
    ("rank", ("witness", "rank", "prime"), 1_048_577, "not a prime"),  # 17 * 61681
    ("rank", ("witness", "rank", "prime"), 3_215_031_751, "not a prime"),  # fools the bases 2, 3, 5 and 7
    ("rank", ("witness", "rank", "prime"), 3_825_123_056_546_413_051, "not a prime"),  # and all up to 23
    ("rank", ("witness", "rank", "prime"), 97, "range"),
    ("rank", ("witness", "rank", "prime"), 2**89 - 1, "10^20"),
    ("rank", ("model", "features"), [["1", "2"], ["5", "5"], ["2", "4"]], "determinant"),
    ("rank", ("model", "features", 0), [str(P61), "0"], "determinant"),
    ("rank", ("model", "features", 0, 0), f"1/{P61}", "divisible by the prime"),
    ("rank on a class", ("witness", "rank", "rows"), [0, 2], "outside the class"),
    ("deficient", ("witness", "vector"), ["2", "1"], "not zero"),
    ("deficient", ("witness", "vector"), ["0", "0"], "vector is zero"),
    ("deficient on a class", ("about", "class"), [2], "not zero"),
    ("coverage", ("witness", "action"), 0, "behaviour does"),
    ("coverage", ("witness", "state"), 1, "behaviour does"),
    ("coverage", ("model", "target", 0), ["1", "0"], "never takes"),
    ("coverage on a class", ("witness", "state"), 0, "outside the class"),
    ("coverage on a class", ("about", "class"), [0], "leads to"),
    # definite
    ("A by factor", ("about", "sign"), "positive", "diagonally dominant"),
    ("A by factor", ("about", "sign"), "indefinite", "sign"),
    ("A by factor", ("about", "matrix"), "C", "diagonally dominant"),
    ("A by factor", ("about", "matrix"), "GTD", "matrix"),
    ("A by factor", ("about", "kernel"), "both", "kernel"),
    ("A by rank", ("about", "sign"), "positive", "do not prove"),
    ("A by rank", ("about", "matrix"), "D(I-M)", "do not prove"),
    ("A by rank", ("about", "matrix"), "C", "do not prove"),
    ("A by rank", ("witness", "rank", "rows"), [0, 3], "range"),
    ("A by rank, on a class", ("witness", "rank", "rows"), [0, 2], "outside the class"),
    ("A positive", ("about", "sign"), "negative", "diagonally dominant"),
    ("A covered", ("about", "kernel"), "target", "diagonally dominant"),
    ("C by rank", ("about", "sign"), "negative", "do not prove"),
    ("C by rank", ("about", "matrix"), "A", "do not prove"),
    ("C by factor", ("about", "sign"), "negative", "diagonally dominant"),
    ("D(I-M)", ("about", "sign"), "negative", "diagonally dominant"),
    ("D(I-M)", ("witness", "factor", "scale", 0), "0", "scale is not positive"),
    ("D(I-M)", ("witness", "factor", "scale", 0), "-1", "scale is not positive"),
    ("D(I-M)", ("witness", "factor", "scale", 0), "1/1000000", "diagonally dominant"),
    ("D(I-M)", ("witness", "factor", "scale", 0), "1000000", "diagonally dominant"),
    ("D(I-M)", ("witness", "factor", "bits"), 20, "diagonally dominant"),  # 16 times larger R
    ("D(I-M)", ("witness", "factor", "bits"), -1, "10^20"),  # more bits can leave a true witness: R nearly 0
    ("D(I-M)", ("witness", "factor", "bits"), 100_001, "range"),
    ("D(I-M)", ("witness", "factor", "rows", 1, 0), "1/2", "not an integer"),
    ("D(I-M)", ("witness", "factor", "rows", 2, 2), str(2**30), "diagonally dominant"),
    # not definite
    ("not A", ("about", "sign"), "positive", "has the sign"),
    ("not A", ("witness", "vector"), ["0"], "vector is zero"),
    ("not C", ("witness", "vector"), ["1", "-2"], "has the sign"),
    ("not D(I-M)", ("witness", "vector"), ["1", "-1"], "has the sign"),
    ("not D(I-M)", ("witness", "vector"), ["1"], "needs 2"),
    ("not GTD", ("about", "matrix"), "A", "eta"),
    ("not GTD", ("about", "eta"), "0", "not positive"),
    ("not GTD", ("about", "eta"), "-1", "not positive"),
    ("not GTD", ("witness", "vector"), ["0", "0"], "vector is zero"),
    ("not GTD", ("witness", "vector"), ["1", "0"], "has the sign"),
    ("not GTD", ("witness", "vector"), ["1"], "needs 2"),
    ("not GTD, eta below one", ("about", "sign"), "positive", "has the sign"),
    ("not GTD, eta below one", ("about", "eta"), "2", "has the sign"),
    ("not GTD, eta above one", ("about", "eta"), "1", "has the sign"),
    ("not GTD, eta above one", ("about", "kernel"), "both", "kernel"),
    ("not A", ("about", "eta"), "1", "eta"),
    # singular and not
    ("nonsingular", ("about", "matrix"), "C", "matrix"),
    ("nonsingular", ("witness", "prime"), P61 + 2, "not a prime"),
    ("singular", ("witness", "vector"), ["0"], "vector is zero"),
    ("singular", ("model", "discount"), "9/10", "not zero"),
    ("gradient", ("model", "discount"), "5/6", "determinant of A is zero"),
    ("gradient", ("model", "features"), [["0"], ["0"]], "determinant of these rows"),
    # spectra
    ("hurwitz A", ("about", "shift"), "-1", "diagonally dominant"),
    ("hurwitz A", ("about", "matrix"), "TDC", "diagonally dominant"),
    ("hurwitz A", ("about", "eta"), "1", "eta"),
    ("hurwitz A", ("witness", "lyapunov", 0, 1), "1/3", "not symmetric"),
    ("hurwitz A", ("witness", "lyapunov"), [["0", "0"], ["0", "0"]], "diagonally dominant"),
    ("hurwitz GTD", ("about", "eta"), "0", "eta"),
    ("hurwitz GTD", ("about", "eta"), "-1", "eta"),
    ("hurwitz GTD", ("about", "matrix"), "A", "eta"),
    ("hurwitz GTD", ("about", "shift"), "-1/10", "diagonally dominant"),
    ("hurwitz TDC", ("about", "shift"), "-1/50", "diagonally dominant"),
    ("hurwitz TDC", ("model", "features"), [["0"], ["0"]], "singular"),
    ("unstable A", ("about", "shift"), "-1/10", "shift is negative"),
    ("unstable A", ("about", "shift"), "1/4", "diagonally dominant"),
    ("unstable A", ("witness", "vector"), ["0"], "vector is zero"),
    ("unstable A", ("witness", "lyapunov"), [["-5"]], "not positive"),
    ("unstable A", ("about", "matrix"), "TDC", "diagonally dominant"),
    ("unstable A, saddle", ("witness", "vector"), ["0", "1"], "not positive"),
    # fixed points and contractions
    ("fixed point", ("model", "rewards", "go", 0), "2", "not zero"),
    ("fixed point", ("witness", "theta"), TRUE["fixed point"]["witness"]["theta"][::-1], "not zero"),
    ("fixed point, covered", ("about", "kernel"), "target", "not zero"),
    ("fixed point, uncovered", ("about", "kernel"), "covered", "not zero"),
    ("contraction", ("about", "modulus"), "1/2", "negative entry"),
    ("contraction", ("about", "modulus"), "-9/10", "modulus is negative"),
    ("contraction", ("about", "kernel"), "covered", "not known"),
    ("contraction", ("witness", "weights", 0), "0", "not positive"),
    ("contraction", ("witness", "weights", 0), "-1", "not positive"),
    ("contraction", ("witness", "weights", 0), "1000", "negative entry"),
    ("contraction", ("witness", "weights"), None, "weights"),
    ("contraction", ("witness", "semidefinite"), {}, "not one of weights and semidefinite"),
    ("contraction, semidefinite", ("about", "modulus"), "1/5", "not what they make"),
    ("contraction, semidefinite", ("witness", "semidefinite", "coordinates"), [["1", "1"]], "not what they make"),
    ("contraction, semidefinite", ("witness", "semidefinite", "factor", "rows", 0), ["2"], "diagonally dominant"),
    ("contraction, semidefinite", ("witness", "semidefinite", "columns"), [], "without columns"),
    ("contraction, nothing left", ("about", "modulus"), "1", "not what they make"),
    ("no contraction", ("about", "modulus"), "207/250", "|MV|_D <= modulus |V|_D"),  # kappa itself
    ("no contraction", ("witness", "vector"), ["0", "0", "0"], "vector is zero"),
    ("no contraction, left", ("witness", "vector"), ["1", "0"], "|MV|_D <= modulus |V|_D"),
    # the quotient by the null space of Phi
    ("unstable on the quotient", ("about", "shift"), "1/2", "diagonally dominant"),
    ("unstable on the quotient", ("about", "matrix"), "TDC", "none of A"),
    ("unstable on the quotient", ("about", "columns"), [1], "not the chosen columns"),
    ("unstable on the quotient", ("witness", "coordinates"), [["1", "1"]], "not the chosen columns"),
    ("unstable on the quotient", ("model", "features"), [["1", "2"], ["2", "5"]], "not the chosen columns"),
    ("hurwitz on the quotient", ("about", "shift"), "-9/2", "diagonally dominant"),
    ("hurwitz on the quotient", ("about", "columns"), [], "empty"),
    ("singular on the quotient", ("model", "discount"), "4/5", "not zero"),
    ("gradient on the quotient", ("model", "discount"), "5/6", "zero modulo"),
    ("gradient on the quotient", ("witness", "rank", "rows"), [0, 1], "needs 1"),
    # second moments
    ("mean square, one step", ("about", "step"), "4", "not positive definite (leading minor 1)"),
    ("mean square, one step", ("about", "step"), "0", "are to be positive"),
    ("mean square, one step", ("about", "algorithm"), "td", "none of"),
    ("mean square, one step", ("about", "algorithm"), "gtd", "about.eta"),
    ("mean square, one step", ("about", "eta"), "1", "about.eta"),
    ("mean square, one step", ("witness", "lyapunov", 0, 0, 0), "-1", "not positive definite"),
    ("mean square, one step", ("model", "schedule"), {"constant": {"lambda": "1/2"}}, "without an end"),
    ("mean square, a longer window", ("about", "step"), "16/5", "the decrease in window 1"),
    ("mean square, two outcomes", ("about", "step"), "8/5", "the decrease in window 0"),
    ("mean square, gtd", ("about", "algorithm"), "tdc", "not positive definite"),
    ("mean square, gtd", ("about", "eta"), "0", "are to be positive"),
    ("mean square, gtd", ("witness", "lyapunov", 0, 0, 1), "1", "not symmetric"),
    ("mean square, gtd", ("witness", "lyapunov", 0), [["1", "0"], ["0", "1"]], "the decrease in window 0"),
    ("mean square, tdc", ("about", "step"), "31/20", "leading minor 2"),
    ("mean square, every step", ("about", "upto"), "4", "the decrease at the end"),
    ("mean square, every step", ("witness", "tilt", 0, 0, 0), "0", "tilt[0]: the matrix is not positive"),
    ("mean square, every step", ("witness", "lyapunov", 0, 0), "-1", "not positive definite"),
    ("mean square grows", ("about", "step"), "1/8", "the growth in window 0"),
    ("mean square grows", ("witness", "vector"), ["0"], "vector is zero"),
    ("mean square grows", ("witness", "window"), 2, "outside the range"),
    ("mean square grows", ("witness", "lyapunov", 1), [["-1"]], "the growth in window 0"),
    ("mean square grows, every step", ("about", "upto"), "5/12", "the growth at the end in window 1"),
    ("mean square grows, every step", ("witness", "tilt", 0, 0, 0), "5", "the growth at 0 in window 0"),
    ("mean square grows, every step", ("witness", "tilt", 1, 0, 0), "-1", "tilt[1]"),
    # relations
    ("relations", ("witness", "relations", 0, 2), "1/4", "is false"),
    ("relations", ("witness", "relations", 1, 1), "<", "is false"),
    ("relations", ("witness", "relations", 2, 1), "!=", "is false"),
    ("relations", ("witness", "relations", 3, 1), "=", "is false"),
    ("relations", ("witness", "relations", 4, 1), "=", "is false"),
    ("relations", ("witness", "relations", 5, 1), "<", "is false"),
    ("relations", ("witness", "relations", 7, 2, 4, 2), "v:0", "is false"),
    ("relations", ("witness", "relations", 7, 2, 1), "pi", "is false"),
    ("relations", ("witness", "relations", 0, 2), "ones", "shapes"),
    ("relations", ("witness", "relations"), [], "bounds are 1"),
    ("relations and a fixed point", ("about", "class"), [0, 1], "leads to"),
    ("relations and a fixed point", ("witness", "relations", 0, 1), "!=", "is false"),
    ("relations and a fixed point", ("witness", "relations", 1, 2), "A", "is false"),
    ("relations and a fixed point", ("witness", "relations", 2), ["A", "<", "A"], "is false"),
    ("relations and a fixed point", ("witness", "relations", 3, 2), ["entry", "A", 0, 1], "is false"),
    ("relations on a class", ("about", "class"), [1], "leads to"),
    ("relations, covered", ("witness", "relations", 0, 1), "<", "is false"),
    ("relations, covered", ("witness", "relations", 1, 2), "43/141", "is false"),
    ("relations, infinite", ("witness", "relations", 4, 2), "27/65", "is false"),
    ("relations, infinite", ("model", "schedule"), {"lambdas": ["3/4", "3/4"]}, "is false"),
    # a class that the target leaves
    ("A of a chain that is left", ("about", "matrix"), "D(I-M)", "outside the class"),
    ("D(I-M), left and entered again", ("model", "schedule"), {"lambdas": ["1/2"]}, "outside the class"),
    ("law", ("about", "class"), [True, 1, 2], "integer"),
    # the model
    ("law", ("model", "format"), "tdcert-model/2", "format"),
    ("law", ("model", "actions"), [], "actions"),
    ("law", ("model", "actions"), ["go", "go"], "actions"),
    ("law", ("model", "actions"), [["go"]], "actions"),
    ("law", ("model", "actions"), ["gone"], "missing"),
    ("law", ("model", "actions"), [f"a{i}" for i in range(65)], "1 to 64"),
    ("law", ("model", "transitions", "go", 0), ["1/2", "1/3", "1/7"], "probability law"),
    ("law", ("model", "transitions", "go", 0), ["3/2", "-1/2", "0"], "probability law"),
    ("law", ("model", "transitions", "go", 0), ["1/2", "1/2"], "needs 3"),
    ("law", ("model", "transitions", "go"), [], "0 states"),
    ("law", ("model", "transitions", "go"), [["1"]] * 1001, "1001 states"),
    ("law", ("model", "rewards", "go"), ["1", "2"], "needs 3"),
    ("law", ("model", "rewards", "go"), ["1", "2", ["1"]], "list"),
    ("law", ("model", "rewards"), ["1", "2", "3"], "object"),
    ("law", ("model", "discount"), "11/10", "outside [0, 1]"),
    ("law", ("model", "discount"), "-1/10", "outside [0, 1]"),
    ("law", ("model", "discount"), {"go": ["0", "0", "2"]}, "outside [0, 1]"),
    ("law", ("model", "discount"), {"go": [["0", "-1", "0"]] + [["0"] * 3] * 2}, "outside [0, 1]"),
    ("law", ("model", "behaviour"), [["1"], ["1"], ["1/2"]], "probability law"),
    ("law", ("model", "target"), [["1"], ["1"], ["0"]], "probability law"),
    ("law", ("model", "target"), [["1"], ["1"]], "needs 3"),
    ("law", ("model", "features"), [[], [], []], "0 features"),
    ("law", ("model", "features"), [["1"], ["1", "2"], ["1"]], "needs 1"),
    ("law", ("model", "features"), [["1"] * 1001] * 3, "1001 features"),
    ("law", ("model", "schedule"), {}, "missing"),
    ("law", ("model", "schedule"), {"lambdas": ["1/2", "0"]}, "last one is zero"),
    ("law", ("model", "schedule"), {"lambdas": ["1/2", "1/3", "0"]}, "last one is zero"),
    ("contraction", ("model", "schedule"), {"lambdas": ["3/2"]}, "M has a negative entry"),
    ("law", ("model", "schedule"), {"lambdas": ["1"] * 2001}, "2001"),
    ("law", ("model", "schedule"), {"lambdas": [], "constant": {"lambda": "1/2"}}, "not known"),
    ("law", ("model", "schedule"), {"constant": {"lambda": "0"}}, "outside (0, 1]"),
    ("law", ("model", "schedule"), {"constant": {"lambda": "2"}}, "outside (0, 1]"),
    ("law", ("model", "schedule"), {"constant": {"lambda": "1/2", "length": 3}}, "not known"),
    ("law", ("model", "name"), "chain", "not known"),
    *FALSE_CONVERGENCE,
    *FALSE_SETS,
    *FALSE_UPDATES,
]


@pytest.mark.parametrize("name", list(dict.fromkeys(name for name, *_ in FALSE)))
def test_a_false_statement_is_rejected(name: str) -> None:
    for path, value, words in (row[1:] for row in FALSE if row[0] == name):
        assert words in refusal(changed(TRUE[name], path, value)), (path, value)


# One state, two equal features: A and C are the number -1/2 or 1 in every place, and (1, -1) is in the null space.
EQUAL = {**SINGLE, "features": [["1", "1"]]}
# Discount 1, tabular features, on-policy: A 1 = 0, and M does not contract.
FOREVER = {**FLIP, "discount": "1"}
ENDLESS = {**FOREVER, "schedule": {"constant": {"lambda": "1"}}}  # I - lambda N is singular: S has no value
# 1 - N/2 is P61 / (2 P61 - 1)
DIVIDED = {
    **SINGLE,
    "discount": f"{2 * P61 - 2}/{2 * P61 - 1}",
    "schedule": {"constant": {"lambda": "1/2"}},
}


def forgeries() -> dict[str, tuple[Json, str]]:
    """Certificates that no single field makes false: each leaves out one premise of its kind."""
    none = {"scale": ["1", "1"], "bits": 0, "rows": [["0"], ["0", "0"]]}
    both = {"matrix": "A", "columns": [0, 1]}
    identity = [["1", "0"], ["0", "1"]]
    rank = {"prime": P61, "rows": [0, 1]}
    td = {"class": [0], "algorithm": "off_policy_td", "step": "1"}
    vanishing = {**SPLIT, "features": [["1", "0"], ["0", "1"], ["0", "1"]]}
    flat = {**FLIP, "features": [["0", "0"], ["0", "0"]]}
    quotient: Json = {"coordinates": identity}
    return {
        "singular: columns that are dependent": (
            on_law("singular", EQUAL, both, vector=["1", "-1"], **quotient),
            "dependent on the class",
        ),
        # X = I, and 4 I - 2 A is dominant; of the quotient, which is one number, nothing is said by it
        "hurwitz: columns that are dependent": (
            on_law(
                "hurwitz",
                TWIN,
                {**both, "shift": "2"},
                lyapunov=identity,
                factor_lyapunov=none,
                factor_decrease=none,
                **quotient,
            ),
            "dependent on the class",
        ),
        # A = vv'/5, v = (1, 2); X = 2/3 vv'/5 - 2 (I - vv'/5) grows by I under A - I/4
        "unstable: columns that are dependent": (
            on_law(
                "unstable",
                TWIN,
                {**both, "shift": "1/4"},
                lyapunov=[["-22/15", "16/15"], ["16/15", "2/15"]],
                factor_growth=none,
                vector=["1", "2"],
                **quotient,
            ),
            "dependent on the class",
        ),
        "gradient: columns that are dependent": (
            on_law("gradient_stable", TWIN, {"columns": [0, 1]}, rank=rank, prime=P61, **quotient),
            "dependent on the class",
        ),
        "singular: a column that is zero": (
            on_law("singular", flat, {"matrix": "A", "columns": [0]}, vector=["1"], coordinates=[["1", "1"]]),
            "dependent on the class",
        ),
        "singular: columns that are dependent on the class alone": (
            on_law("singular", vanishing, both, [0], vector=["0", "1"], **quotient),
            "dependent on the class",
        ),
        "singular: a series without a sum": (
            on_law("singular", {**ENDLESS, "discount": "1/2"}, {"matrix": "A"}, vector=["1", "1"]) | {"model": ENDLESS},
            "to be inverted is singular",
        ),
        "fixed point: a series without a sum": (
            on_law("fixed_point", {**ENDLESS, "discount": "1/2"}, {}, theta=["0", "0"], prime=P61) | {"model": ENDLESS},
            "to be inverted is singular",
        ),
        "relation: a series without a sum": (
            certify("relation", ENDLESS, {}, {"relations": [["kappa", "=", "1"]]}),
            "has no sum",
        ),
        "definite: A at discount 1": (
            on_law("definite", FOREVER, {"matrix": "A", "sign": "negative"}, factor=none, rank=rank),
            "diagonally dominant",
        ),
        "gradient: A at discount 1": (
            on_law("gradient_stable", FOREVER, {}, rank=rank, prime=P61),
            "determinant of A is zero",
        ),
        "nonsingular: A at discount 1": (
            on_law("nonsingular", FOREVER, {"matrix": "A"}, prime=P61),
            "determinant of A is zero",
        ),
        # true, but not by this prime
        "nonsingular: a prime below the discount": (
            on_law("nonsingular", {**SINGLE, "discount": f"1/{P61}"}, {"matrix": "A"}, prime=P61),
            "divisible by the prime",
        ),
        "nonsingular: a prime below the sum of powers": (
            on_law("nonsingular", DIVIDED, {"matrix": "A"}, prime=P61),
            "singular modulo the prime",
        ),
        "hurwitz: A at discount 1": (
            on_law(
                "hurwitz",
                FOREVER,
                {"matrix": "A", "shift": "0"},
                lyapunov=identity,
                factor_lyapunov=none,
                factor_decrease=none,
            ),
            "diagonally dominant",
        ),
        "contraction: discount 1": (
            on_law("contraction", FOREVER, {"modulus": "9/10"}, weights=["1", "1"]),
            "negative entry",
        ),
        "contraction: a class that the target leaves": (
            on_law("contraction", LEAVING, {"modulus": "1"}, [0], weights=["1"]),
            "outside the class",
        ),
        "rank: features that vanish": (certify("full_column_rank", flat, {}, {"rank": rank}), "determinant"),
        "definite: C by rows of features that vanish": (
            on_law("definite", flat, {"matrix": "C", "sign": "positive"}, rank=rank),
            "determinant",
        ),
        "irreducible: a transient state": (
            certify(
                "irreducible",
                TRANSIENT,
                {},
                {"root": 0, "from_root": [None, 0, 1], "to_root": [None, 0, 1]},
            ),
            "no such transition",
        ),
        "irreducible: two absorbing states": (
            certify("irreducible", SPLIT, {}, {"root": 0, "from_root": [None, 0, 1], "to_root": [None, 0, 1]}),
            "no such transition",
        ),
        "period: a transient state": (
            certify(
                "period",
                TRANSIENT,
                {"class": [0, 1, 2]},
                {"period": 1, "phase": [0, 0, 0], "closed_walks": [[0, 0]]},
            ),
            "leads to",
        ),
        "mean square: a direction that no update moves": (
            second("bounded", EQUAL, td, lyapunov=[identity]),
            "the decrease in window 0",
        ),
        "mean square: growth from where the form is zero": (
            second("unbounded", SINGLE, {**td, "step": "5"}, lyapunov=[[["0"]]], vector=["1"], window=0),
            "the growth in window 0",
        ),
        **forged_convergence(FLIP, SPLIT, DOUBLING, UNCOVERED, CHAIN, TRANSIENT),
        **forged_updates(TRUE, changed),
        **forged_sets(TRUE),
    }


FORGED = forgeries()


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_certificate_is_rejected(name: str) -> None:
    certificate, words = FORGED[name]
    assert words in refusal(seal(certificate))


def test_rank_and_contraction_need_a_class_that_the_target_does_not_leave() -> None:
    """There A < 0 and the rank is full, but x'Ax is not a form in the values on the class alone."""
    rank = {"prime": P61, "rows": [0]}
    about = {"matrix": "A", "sign": "negative"}
    by_rank = on_law("definite", LEAVING, about, [0], factor=lambda b: factor(sym(b.DIM)), rank=rank)
    assert "outside the class" in refusal(by_rank)
    assert "outside the class" in refusal(on_law("contraction", LEAVING, {"modulus": "1"}, [0], weights=["1"]))


def test_a_quotient_needs_its_coordinates_and_a_kernel_that_stays() -> None:
    """Off the class the features need not be made of the chosen columns; a kernel that goes there sees them."""
    for part, key in (("about", "columns"), ("witness", "coordinates")):
        half = copy.deepcopy(TRUE["gradient on the quotient"])
        del half[part][key]
        assert "without the other" in refusal(half)
    left = {**LEAVING, "features": [["1", "1"], ["1", "0"]]}
    rank, about = {"prime": P61, "rows": [0]}, {"columns": [0]}
    leaving = on_law("gradient_stable", left, about, [0], rank=rank, prime=P61, coordinates=[["1", "1"]])
    assert "leaves the class" in refusal(leaving)
    staying = on_law(
        "gradient_stable", left, {**about, "kernel": "covered"}, [0], rank=rank, prime=P61, coordinates=[["1", "1"]]
    )
    assert check_text(json.dumps(staying))


def test_the_border_is_drawn_exactly() -> None:
    """Zero is not definite, not a growing start and no slack; it is a modulus when M = 0."""
    one = {"scale": ["1"], "bits": 0, "rows": [["1"]]}
    about = {"matrix": "C", "sign": "positive"}
    exact = on_law("definite", ALONE, about, factor=one)  # C = 1 = R R', nothing is left over
    assert "diagonally dominant" in refusal(exact)
    assert check_text(json.dumps(changed(exact, ("witness", "factor", "rows"), [["0"]])))
    flat = {**FLIP, "features": [["1", "1"], ["1", "1"]]}  # C = [[1, 1], [1, 1]]
    none = {"scale": ["1", "1"], "bits": 0, "rows": [["0"], ["0", "0"]]}
    assert "diagonally dominant" in refusal(on_law("definite", flat, about, factor=none))
    assert check_text(json.dumps(on_law("contraction", ALONE, {"modulus": "0"}, weights=["1"])))
    for sign in ("positive", "negative"):
        zero = on_law("not_definite", BALANCED, {"matrix": "A", "sign": sign}, vector=["1"])
        assert f"not {sign} definite" in check_text(json.dumps(zero))
    saddle = changed(TRUE["unstable A, saddle"], ("witness", "lyapunov"), [["1", "0"], ["0", "-1"]])
    built = Built(SADDLE)
    X = matrix("1 0", "0 -1")
    growth = factor(add(mul(tr(built.A), X), mul(X, built.A)))
    saddle = changed(saddle, ("witness", "factor_growth"), growth)
    assert "not positive" in refusal(changed(saddle, ("witness", "vector"), ["1", "1"]))
    assert check_text(json.dumps(changed(saddle, ("witness", "vector"), ["2", "1"])))


def test_a_decrease_of_something_negative_is_growth() -> None:
    """SINGLE at alpha = 5: X = -1 decreases to -9/4, and shows that y'y grows."""
    about = {"class": [0], "algorithm": "off_policy_td", "step": "5"}
    assert "lyapunov[0]: the matrix is not positive" in refusal(second("bounded", SINGLE, about, lyapunov=[[["-1"]]]))
    assert check_text(json.dumps(second("unbounded", SINGLE, about, lyapunov=[[["1"]]], vector=["1"], window=0)))
    falling = second("unbounded", SINGLE, {**about, "step": "3"}, lyapunov=[[["-1"]]], vector=["1"], window=0)
    assert "x'Xx is not positive" in refusal(falling)


def test_a_growth_is_said_of_its_window() -> None:
    """A run that starts without a past may never bring a difference to the window in which it would grow.

    One state, discount 9/10, lambda = 1, 1, step 10: the first update multiplies differences by 1 - 10/10 = 0, those
    with a past of one by 1 - 19/10, those with a past of two by 1 - 271/100.
    """
    model = {**SINGLE, "discount": "9/10", "schedule": {"lambdas": ["1", "1"]}}
    about = {"class": [0], "algorithm": "off_policy_td", "step": "10"}
    family = [[["-1"]], [["1/2"]], [["1"]]]
    certificate = second("unbounded", model, about, lyapunov=family, vector=["1"], window=2)
    said = "from some difference in window 2 (of a run under way; a run from time zero may never meet it), under"
    assert said in check_text(json.dumps(certificate))
    assert "x'Xx is not positive" in refusal(changed(certificate, ("witness", "window"), 0))
    every = check_text(json.dumps(TRUE["mean square grows, every step"]))
    assert "from some difference in any window, under" in every


def test_a_mean_is_the_sum_over_the_nodes() -> None:
    """On a fair coin E y_t = (−½)^t y_0 at the step 3/2, and the parts of it by node grow: that is what is said."""
    by_node = check_text(json.dumps(TRUE["update, mean grows by node alone"]))
    assert by_node.startswith("the list of means of differences by node grows without bound from some start, though ")
    assert "the mean of differences goes to zero" in check_text(json.dumps(TRUE["update, mean of a coin"]))
    grown = check_text(json.dumps(TRUE["update, mean of a coin grows"]))
    assert "grows without bound from some difference in node 1 (of a run under way; " in grown
    later = check_text(json.dumps(TRUE["update, mean grows later"]))
    assert "grows without bound from some difference in node 0 (at time zero), under" in later


def test_without_the_targets_kernel_the_matrix_is_not_called_one_minus_m() -> None:
    """One state, one of two actions covered, discount 1/2: -DK = 1/2 - 1/4, and 1 - M = 1 - 1/4."""
    half = {**UNEVEN, "behaviour": [["1", "0"]], "target": [["1/2", "1/2"]], "discount": "1/2"}
    about = {"matrix": "D(I-M)", "sign": "positive", "kernel": "covered"}
    some = {"scale": ["1"], "bits": 0, "rows": [["0"]]}
    assert "of -DK is positive definite" in check_text(json.dumps(on_law("definite", half, about, factor=some)))
    sign = {**about, "sign": "negative"}
    assert "of -DK is not negative" in check_text(json.dumps(on_law("not_definite", half, sign, vector=["1"])))


@pytest.mark.thorough
def test_the_bounds_themselves_are_allowed() -> None:
    ring = [["0"] * t + ["1"] + ["0"] * (999 - t) for t in [*range(1, 1000), 0]]
    large = {
        **ROUND,
        "transitions": {"go": ring},
        "rewards": {"go": ["0"] * 1000},
        "features": [["1"]] * 1000,
    }
    large |= {"behaviour": [["1"]] * 1000, "target": [["1"]] * 1000}
    about, stationary = {"class": list(range(1000)), "unique": True}, ["1/1000"] * 1000
    assert check_text(json.dumps(certify("stationary_law", large, about, {"stationary": stationary})))
    names = [f"a{i}" for i in range(64)]
    policy = [["1"] + ["0"] * 63]
    wide = {**ALONE, "actions": names, "transitions": {a: [["1"]] for a in names}, "behaviour": policy}
    wide |= {
        "target": policy,
        "rewards": {a: ["1" * 200_000] for a in names[:1]} | {a: ["0"] for a in names[1:]},
    }
    wide |= {"features": [["1"] * 1000], "schedule": {"lambdas": ["1"] * 2000}}
    witness = {"stationary": ["1"]}
    assert check_text(json.dumps(certify("stationary_law", wide, {"class": [0]}, witness)))
    # With so many bits R is nearly zero, and this S is dominant without it.
    assert check_text(json.dumps(changed(TRUE["D(I-M)"], ("witness", "factor", "bits"), 100_000)))


def test_products_of_residues() -> None:
    """The largest residues, which must not run into each other."""
    p, rows = 2**61 - 1, [[2**61 - 2 - (i * j) % 3 for j in range(9)] for i in range(9)]
    SPENT.set([0, 0])
    matrix = matrices.Matrix(rows, 9, 1, p)
    wanted = [[sum(a * row[j] for a, row in zip(left, rows, strict=True)) % p for j in range(9)] for left in rows]
    assert (matrix @ matrix).dense() == wanted


def test_work_adds_up() -> None:
    """What was charged in all is what has to be granted, no more and no less."""

    def check(budget: int | None) -> list[int]:
        decode_short.cache_clear()
        MODELS.last = None
        check_text(json.dumps(TRUE["A positive"]), budget)
        return SPENT.get()

    spent, stored = check(None)
    assert check(spent) == [spent, stored]
    with pytest.raises(NotChecked, match="estimated at 1 s or more, and 1 s are granted; --patient"):
        check(spent - 1)


def test_a_class_must_be_strongly_connected() -> None:
    """From 0 everything is reached, but nothing comes back: {0, 1} is closed and is not a recurrent class."""
    falling = one_action(matrix("1/2 1/2", "0 1"), "1/2", eye(2), ["0", "0"], {"lambdas": []})
    rank = {"rank": {"prime": P61, "rows": [0, 1]}}
    assert "not every state of it leads to" in refusal(certify("full_column_rank", falling, {"class": [0, 1]}, rank))


def test_a_series_that_does_not_converge_is_rejected() -> None:
    forever = {**CHAIN, "discount": "1", "schedule": {"constant": {"lambda": "1"}}}
    about = {"matrix": "A", "class": [0, 1, 2]}
    stationary = TRUE["fixed point"]["witness"]["stationary"]
    by_prime = certify("nonsingular", forever, about, {"stationary": stationary, "prime": P61})
    assert f"singular modulo the prime {P61}" in refusal(by_prime)
    assert "singular" in refusal(certify("singular", forever, about, {"stationary": stationary, "vector": ["1", "0"]}))


def test_a_solution_is_multiplied_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lifting modulo too small a prime proposes rubbish, and that must be noticed."""
    monkeypatch.setattr(matrices, "LIFT", 2**31 - 1)
    for name in ("hurwitz TDC, two features", "fixed point, infinite"):
        assert "could not be solved" in refusal(TRUE[name])


def test_what_the_prime_divides_is_solved_by_an_elimination_in_integers() -> None:
    """The prime divides every entry of a row or a column; a row that is the sum of two others is what is singular."""
    rng, signs = random.Random(521), list[bool]()
    SPENT.set([0, 0])
    BUDGET.set(None)
    for n in (1, 2, 3, 4, 5) * 3:
        W = [[Fraction(rng.choice((0, 0, 1, -2, 3)), rng.randint(1, 3)) for _ in range(n)] for _ in range(n)]
        for i in range(n):
            W[i][n - 1 - i] += 7  # most pivots stand elsewhere
        U = [[Fraction(rng.randint(-3, 3), rng.randint(1, 3)) for _ in range(2)] for _ in range(n)]
        plain, k = as_matrix(W), rng.randrange(n)
        W[k] = [matrices.LIFT * x for x in W[k]]
        for rows in (W, tr(W)):
            divided, size = as_matrix(rows), matrices.determinant(as_matrix(rows))
            assert (matrices.solve(divided, as_matrix(U)) - as_matrix(solve(rows, U))).is_zero()
            assert size == matrices.LIFT * matrices.determinant(plain) != 0
            assert not matrices.is_singular(divided.dense())
            signs.append(size > 0)
        wide = [[*row, Fraction(i)] for i, row in enumerate(W)]
        dependent = as_matrix([*wide, add([wide[0]], [wide[-1]])[0]])
        assert matrices.is_singular(dependent.dense()) and matrices.determinant(dependent) == 0
        with pytest.raises(Rejected, match="to be inverted is singular"):
            matrices.solve(dependent, matrices.Matrix.identity(n + 1))
    assert min(signs.count(True), signs.count(False)) > 5


def as_matrix(rows: list[list[Fraction]]) -> matrices.Matrix:
    return matrices.Matrix.of([dict(enumerate(row)) for row in rows], len(rows[0]))


# -------------------------------------------------------------------------------------- tampering, key by key

ONE_OF_EACH = {certificate["kind"]: certificate for certificate in TRUE.values()}
# May be absent: that means what these certificates say, or (the class of a rank) less, which is true too.
OPTIONAL = {("about", "kernel"), ("about", "unique"), ("about", "class")}
LABELS = {("claim",), ("about", "update", "name"), ("about", "update", "steps", "*")}
JUNK: list[Json] = [
    *(0.5, 1e400, float("nan"), True, None, [], {}, [[]], -1, 10**30, "", "2/4", "1e400", "-0", "0/3", "1/1", "3/0"),
    *("0.5", "+1", "01", "1/-2", " 1", "1\n", "1_0", "\u0663", "\ud800", "NaN", "0x1", "x" * 10_000),
]


@pytest.mark.parametrize("name", later(TRUE, lambda name: TRUE[name] not in ONE_OF_EACH.values()))
def test_every_key_is_needed_and_no_other_is_allowed(name: str) -> None:
    certificate = TRUE[name]
    objects = [((), certificate), *((p, x) for p, x in leaves(certificate) if isinstance(x, dict))]
    for path, found in objects:
        for key in found:
            if (*path, key) not in OPTIONAL:
                less = copy.deepcopy(certificate)
                at = less
                for step in path:
                    at = at[step]
                del at[key]
                refusal(less)
        refusal(changed(certificate, (*path, "extra"), "1"))


@pytest.mark.parametrize("kind", by_default(10, ONE_OF_EACH))
def test_a_leaf_of_the_wrong_kind_is_rejected(kind: str) -> None:
    """Floats for strings, bools for integers, numbers not in lowest terms ...: once at every place, by default every
    fourth of them, another one at the next place."""
    certificate, seen = ONE_OF_EACH[kind], set()
    for path, value in leaves(certificate):
        place = tuple("*" if isinstance(x, int) else x for x in path)
        if isinstance(value, list | dict) or place in seen or place in LABELS:
            continue
        seen.add(place)
        for junk in JUNK if IN_FULL else JUNK[len(seen) % 4 :: 4]:
            # an interval of the tail without an end says less, and less may be enough
            fits = (
                junk is None
                if place[:2] == ("witness", "tail")
                else isinstance(junk, bool) and place == ("about", "unique")
            )
            if not fits and junk is not value:
                false = copy.deepcopy(certificate)
                at = false
                for step in path[:-1]:
                    at = at[step]
                at[path[-1]] = junk
                refusal(seal(false) if path[0] == "model" and path[1] not in ("actions", "format") else false)


@pytest.mark.parametrize("name", later(TRUE, lambda name: TRUE[name] not in ONE_OF_EACH.values()))
def test_a_list_that_is_cut_or_stretched_is_rejected(name: str) -> None:
    """By default one list of each place, whatever the numbers of rows on the way to it."""
    seen: set[tuple[object, ...]] = set()
    for path, value in leaves(TRUE[name]):
        place = tuple("*" if isinstance(x, int) else x for x in path)
        if place in seen and not IN_FULL:
            continue
        # More walks prove the same period, fewer or repeated relations are true as well, more vectors span the
        # same, a run may go on before it comes to a cycle or after a product is zero, and an update that does less, or
        # divides by nothing, is another one.
        terms = path[:3] == ("about", "update", "moves") and len(path) > 5
        divides = path[:3] == ("about", "update", "moves") and len(path) == 5 and len(value) == 4
        more = path[1:] in (("closed_walks",), ("relations",), ("walk",), ("others",), ("moves",)) or (
            path[1:2] == ("spans",) and len(path) == 3
        )
        if isinstance(value, list) and not more and not terms:
            seen.add(place)
            cut = () if divides else (value[:-1],)
            for damaged in (*cut, [*value, value[-1]]) if value else ([None],):
                refusal({**changed(TRUE[name], path, damaged), "digest": TRUE[name]["digest"]})


@pytest.mark.parametrize("name", TRUE)
def test_a_number_that_must_solve_an_equation_has_no_neighbour(name: str) -> None:
    """Of a law, a mean, a moment, of theta, of where an update rests.  (A factor or X can be moved a little.)"""
    solved = [("witness", key) for key in ("stationary", "theta", "law", "mean", "rest", "moments")]
    solved += [("about", key) for key in ("drift", "noise", "averaged", "at_small_steps", "mean", "covariance")]
    for path, value in leaves(TRUE[name]):
        if path[:2] in solved and isinstance(value, str):
            for step in (F(1, 10**12), F(-1, 7)):
                refusal(changed(TRUE[name], path, text(F(value) + step)))


@pytest.mark.parametrize(
    "name", ["A by factor", "A by rank", "C by factor", "hurwitz A", "hurwitz GTD", "unstable A, spiral"]
)
def test_a_damaged_factor_is_rejected(name: str) -> None:
    """Damage that no slack survives: an entry doubled, two rows exchanged, a minus sign, another's factor."""
    witness = TRUE[name]["witness"]
    for key in (key for key in witness if key.startswith("factor")):
        rows = witness[key]["rows"]
        for i, row in enumerate(rows):
            refusal(changed(TRUE[name], ("witness", key, "rows", i, i), str(2 * int(row[i]))))
        refusal(changed(TRUE[name], ("witness", key, "rows"), [rows[1], rows[0], *rows[2:]]))
        refusal(changed(TRUE[name], ("witness", key, "scale", 0), "-" + witness[key]["scale"][0]))
        refusal(changed(TRUE[name], ("witness", key), TRUE["D(I-M)"]["witness"]["factor"] | {"bits": 3}))


@pytest.mark.parametrize("name", TRUE)
def test_a_certificate_for_another_model_is_rejected(name: str) -> None:
    for other in ("law", "reducible", "singular"):
        if TRUE[other]["digest"] != TRUE[name]["digest"]:
            refusal({**TRUE[name], "model": TRUE[other]["model"]})
            refusal({**TRUE[name], "digest": TRUE[other]["digest"]})


# ---------------------------------------------------------------------------------------------- hostile files


@pytest.mark.parametrize("key", ["format", "model", "witness", "stationary", "actions", "lambdas", "go", "class"])
def test_duplicate_keys_are_rejected(key: str) -> None:
    whole = json.dumps(TRUE["contraction"])
    assert "twice" in refusal(whole.replace(f'"{key}":', f'"{key}": "0", "{key}":', 1))


def test_what_is_no_json_is_rejected() -> None:
    whole = json.dumps(TRUE["law"])
    for cut in range(0, len(whole), 7):
        assert "not JSON" in refusal(whole[:cut])
    assert "not JSON" in refusal(whole + "}")
    assert "not JSON" in refusal("\ufeff" + whole)
    assert "not UTF-8" in refusal(bytes(range(256)))
    assert "not UTF-8" in refusal(whole.encode("utf-16"))
    assert "not JSON" in refusal(b"\0" * 1000)
    for junk in ("null", "[]", "3", '"law"', "[1, 2]"):
        assert "object" in refusal(junk)
    for junk in ("NaN", "-Infinity", "1.0", "1e400", "-3", "9" * 21, "9" * 5000):
        assert "10^20" in refusal(whole.replace("null", junk, 1))


@pytest.mark.parametrize("depth", [limits.MAX_DEPTH + 1, 1_000, 1_000_000])
def test_deep_nesting_is_rejected(depth: int) -> None:
    assert "deeper" in refusal('{"claim": ' + "[" * (depth - 1) + "]" * (depth - 1) + "}")
    assert "deeper" in refusal('{"a":' * depth + "1" + "}" * depth)


def test_bounds_are_named_and_hold_before_the_work_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "200001 digits, and the bound is 200000" in refusal(
        changed(TRUE["law"], ("model", "rewards", "go", 0), "1" * 200_001)
    )
    assert "2,000,000".replace(",", "") in refusal('{"claim": [' + "[]," * 2_000_000 + "[]]}")
    # 20 states, 2,000 lambdas with denominators of 900 digits: the powers of N would take an hour.
    n, start = 20, time.process_time()
    P = [[F(1, n)] * n] * n
    lambdas = ["1/" + str(10**900 + i) for i in range(2000)]
    slow = one_action(P, "1/3", eye(n), ["0"] * n, {"lambdas": lambdas})
    about, stationary = {"modulus": "1", "class": list(range(n))}, [text(F(1, n))] * n
    certificate = certify("contraction", slow, about, {"stationary": stationary, "weights": ["1"] * n})
    with pytest.raises(NotChecked, match="s or more, and 10 s are granted; --patient"):
        check_text(json.dumps(certificate))
    assert time.process_time() - start < 5
    for bound in ("MAX_MEMORY", "MAX_BYTES", "MAX_CONTAINERS", "MAX_DIGITS"):
        with monkeypatch.context() as patch, pytest.raises((NotChecked, Rejected), match="bound"):
            patch.setattr(limits, bound, 10 if bound != "MAX_DIGITS" else 0)
            check_text(json.dumps(changed(TRUE["law"], ("model", "discount"), str(F(9, 10 + time.time_ns())))))


@pytest.mark.parametrize("error", [MemoryError, ZeroDivisionError])
def test_the_last_net(error: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(case: Json) -> str:
        raise error

    monkeypatch.setitem(checker.KINDS, "stationary_law", fail)
    with pytest.raises(NotChecked if error is MemoryError else Rejected):
        check_text(json.dumps(TRUE["law"]))


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from([*JUNK[:-1], "0", "1", "1/2", "-3/7", "1" * 700])
    | st.fractions(max_denominator=50).map(str),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["a", "rank", "factor"]), inner, max_size=3)
    ),
    max_leaves=5,
)
edits = st.tuples(
    st.integers(0, 10**6),
    st.sampled_from(["replace", "delete", "copy", "swap", "nudge", "nudge"]),
    st.integers(0, 10**6),
    json_values,
)


def mutate(certificate: Json, where: int, how: str, other: int, value: Json) -> None:
    """One random edit, in place."""
    paths = list(leaves(certificate))
    if not paths:
        return
    (path, old), (_, far) = paths[where % len(paths)], paths[other % len(paths)]
    at = certificate
    for step in path[:-1]:
        at = at[step]
    if how == "delete":
        del at[path[-1]]
    elif how == "copy" and isinstance(at, list):
        at.insert(other % (len(at) + 1), copy.deepcopy(old))
    elif how == "swap":
        at[path[-1]] = copy.deepcopy(far)
    elif how == "nudge" and isinstance(old, int) and not isinstance(old, bool):
        at[path[-1]] = old + other % 3 - 1
    elif how == "nudge" and isinstance(old, str) and old.lstrip("-").replace("/", "").isdigit() and old[-1] != "0":
        at[path[-1]] = str(F(old) + F(other % 5 - 2, 3))
    else:
        at[path[-1]] = value


def answer(given: str | bytes) -> None:
    """Accepted or rejected with a sentence, soon, and never through the last net."""
    start = time.process_time()
    try:
        assert "(model " in check_text(given)
    except (Rejected, NotChecked) as error:
        assert str(error) and "unexpected" not in str(error) and "\n" not in str(error)
    assert time.process_time() - start < 2


@settings(max_examples=examples(200), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(sorted(TRUE)), st.lists(edits, min_size=1, max_size=3), st.booleans())
def test_random_edits_never_end_in_anything_but_an_answer(name: str, steps: list[Any], sealed: bool) -> None:
    certificate = copy.deepcopy(TRUE[name])
    for step in steps:
        mutate(certificate, *step)
    if sealed and isinstance(certificate, dict) and "model" in certificate:
        certificate = seal(certificate)
    answer(json.dumps(certificate))


@settings(max_examples=examples(150), deadline=None)
@given(st.sampled_from(sorted(TRUE)), st.integers(0, 10**6), st.integers(0, 40), st.binary(max_size=12))
def test_random_bytes_never_end_in_anything_but_an_answer(name: str, at: int, cut: int, put: bytes) -> None:
    whole = json.dumps(TRUE[name]).encode()
    at %= len(whole)
    answer(whole[:at] + put + whole[at + cut :])
    answer(put)


# ----------------------------------------------------------------------------------------------- as a program


@pytest.fixture
def alone(tmp_path: Path) -> Callable[..., tuple[int, list[str]]]:
    """The checker, copied into an empty folder, run there with nothing but the standard library."""
    folder = tmp_path / "alone"
    folder.mkdir()
    shutil.copytree(Path(checker.__file__).parent, folder / "checker")

    def run(*names: str) -> tuple[int, list[str]]:
        command = [sys.executable, "-I", "-S", "checker/", *names]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
        assert "Traceback" not in done.stdout + done.stderr
        return done.returncode, (done.stdout + done.stderr).splitlines()

    return run


def test_it_runs_alone(alone: Callable[..., tuple[int, list[str]]], tmp_path: Path) -> None:
    folder = tmp_path / "alone"
    for i, certificate in enumerate(TRUE.values()):
        (folder / f"{i}.json").write_text(json.dumps(certificate))
    names = [f"{i}.json" for i in range(len(TRUE))]
    code, lines = alone(*names)
    assert code == 0 and len(lines) == len(names)
    for name, line, certificate in zip(names, lines, TRUE.values(), strict=True):
        assert line.startswith(f"accepted: {name}: ") and certificate["digest"][:12] in line
    (folder / "bad.json").write_bytes(b"\x80")
    (folder / "two\nlines \u00e9.json").write_text("{}")
    (folder / "empty").mkdir()
    code, lines = alone("0.json", "bad.json", "absent.json", "empty", "two\nlines \u00e9.json")
    assert code == 1 and len(lines) == 5
    assert lines[0].startswith("accepted: ") and all(line.startswith("rejected: ") for line in lines[1:])
    assert lines[1] == "rejected: bad.json: the file is not UTF-8 text: byte 0 cannot be decoded"
    assert lines[2] == "rejected: absent.json: the file cannot be read: No such file or directory"


def test_no_file_is_not_success(alone: Callable[..., tuple[int, list[str]]]) -> None:
    code, lines = alone()
    assert code == 1 and len(lines) == 1


def test_functions_agree_with_the_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "law.json"
    path.write_text(json.dumps(TRUE["law"]))
    statement = check_file(str(path))
    assert statement == check_text(path.read_text()) == check_text(path.read_bytes())
    assert checker.main([str(path)]) == 0 and capsys.readouterr().out == f"accepted: {path}: {statement}\n"
    with pytest.raises(Rejected, match="cannot be read"):
        check_file(str(tmp_path / "absent.json"))
    with pytest.raises(Rejected, match="cannot be read"):
        check_file("a name with a \0 in it")
    path.write_text(json.dumps(changed(TRUE["law"], ("witness", "stationary", 0), "1")))
    assert checker.main([str(path)]) == 1
    assert capsys.readouterr().out == f"rejected: {path}: witness.stationary: the entries do not sum to one\n"


def test_a_model_that_was_read_last_is_told_from_its_neighbour_and_charged_again() -> None:
    """Two models of one digest as they claim: the second is judged by its own words, whatever was read before."""
    law, costs = TRUE["law"], []
    check_text(json.dumps(law))  # from here on its short numbers are known
    MODELS.last = None
    for _ in range(2):
        said = check_text(json.dumps(law))
        costs.append(list(SPENT.get()))
    assert costs[0] == costs[1]
    other = changed(law, ("model", "transitions", "go", 0), ["1/2", "1/4", "1/4"])
    for bad, why in (
        (other, "d P = d fails"),
        ({**law, "model": other["model"]}, "digest: .* is not that of the model"),
    ):
        with pytest.raises(Rejected, match=why):
            check_text(json.dumps(bad))
        assert check_text(json.dumps(law)) == said


def test_the_text_of_a_model_that_was_read_stands_for_it_as_the_model_alone() -> None:
    """Files around a known model are judged as by a checker that never met it."""
    law = TRUE["law"]
    known, rest = json.dumps(law["model"], sort_keys=True), {k: x for k, x in law.items() if k != "model"}

    def file(model: str, **parts: str) -> str:
        given = {key: parts.get(key, json.dumps(value)) for key, value in rest.items()}
        about = given.pop("about")
        middle = [*given.items(), ("model", model), ("about", about)]
        return "{" + ", ".join(f'"{key}": {value}' for key, value in middle) + "}"

    deep = "[" * (limits.MAX_DEPTH + 1) + "]" * (limits.MAX_DEPTH + 1)
    other = changed(law, ("model", "transitions", "go", 0), ["1/2", "1/4", "1/4"])["model"]
    bad = {
        "known as the claim": (file("NaN", claim=known), "a JSON number"),
        "a model of NaN behind the known one in words": (file("NaN", claim=f'"{known}"'), "not JSON"),
        "a model of NaN before the known one in words": (file("NaN", about=f'"{known}"'), "a JSON number"),
        "the claim NaN": (file(known, claim="NaN"), "a JSON number"),
        "the known one before another": (file(json.dumps(other), claim=known), "claim: an object"),
        "the known one in a list": (file(f"[{known}]"), "model: a list"),
        "two models": (file(known, claim='null, "model": null'), "twice"),
        "digits before it": (file(f"1{known}"), "not JSON"),
        "deep beside it": (file(known, claim=deep), "nests deeper"),
        "another key": (file(known, claim='null, "more": "NaN"'), "the key 'more' is not known here"),
    }
    said = check_text(file(known))
    for name, (forged, why) in bad.items():
        for fresh in (True, False):
            assert check_text(file(known)) == said, name
            if fresh:
                READ[0] = None
            with pytest.raises(Rejected, match=re.escape(why)):
                check_text(forged)


def test_why_a_file_is_refused_does_not_depend_on_the_model_that_was_read_before() -> None:
    file = '{"model": 1e50}'
    for before in (None, ModelRead(0)):  # the text of the second is a digit of the number
        READ[0] = before
        assert "the file holds '1e50': a JSON number must be an integer" in refusal(file)


def test_a_text_with_half_a_character_is_none() -> None:
    """Two halves in a row are another name than the whole, and would be written as it."""
    halves = {"\ud83d\ude00": "0", "\U0001f600": "1"}
    assert len(halves) == 2 and len(json.loads(json.dumps(halves))) == 1
    assert "the file is not UTF-8 text: character 1" in refusal(json.dumps(halves, ensure_ascii=False)[1:])


def test_certificates_that_share_a_regime_are_told_from_each_other_and_charged_the_same() -> None:
    """What an update does in the long run is found once for files that give the same, and for no others."""
    edits: tuple[tuple[str, tuple[str | int, ...], Json], ...] = (
        ("update, rest", ("about", "update", "moves", 0, 0, 2, 0, 1, 0, 3), "1/8"),
        ("update, rest", ("witness", "mean", 0, 0), "1"),
        ("update, two outcomes", ("model", "behaviour", 0), ["1/100", "99/100"]),
    )
    for name, path, value in edits:
        certificate, costs, said = TRUE[name], list[list[int]](), set[str]()
        check_text(json.dumps(certificate))  # from here on its short numbers are known
        for forget in (True, False, True):
            Regime.last.last = None if forget else Regime.last.last
            said.add(check_text(json.dumps(certificate)))
            costs.append(list(SPENT.get()))
        assert costs[0] == costs[1] == costs[2] and len(said) == 1
        with pytest.raises(Rejected):
            check_text(json.dumps(changed(certificate, path, value)))
        assert check_text(json.dumps(certificate)) in said


def test_certificates_that_share_a_set_are_charged_the_same() -> None:
    """Corners of unknown policies are made once, and charged in each file."""
    for name in ("set, stable, one policy", "set, unstable, unknown policy"):
        costs = list[list[int]]()
        check_text(json.dumps(TRUE[name]))  # from here on its short numbers are known
        for forget in (True, False):
            MODEL_SETS.last = None if forget else MODEL_SETS.last
            check_text(json.dumps(TRUE[name]))
            costs.append(list(SPENT.get()))
        assert costs[0] == costs[1]


def test_what_certificates_of_one_model_ask_is_told_from_what_others_asked_and_charged_the_same() -> None:
    """What a class, its law, a kernel, columns, a prime and theta decide is asked again where one of them differs."""
    near = {**SINGLE, "discount": f"{P20 + 1}/{2 * P20 + 1}", "schedule": {"lambdas": []}}  # A = -P20 / (2 P20 + 1)
    other = on_law("nonsingular", CHAIN, {"matrix": "A"}, prime=P20)
    zero = changed(TRUE["fixed point"], ("witness", "theta"), ["0", "0"])
    true, false = TRUE["fixed point, covered"], TRUE["fixed point, uncovered"]
    turned = (changed(true, ("about", "kernel"), "target"), changed(false, ("about", "kernel"), "covered"))
    for name, others, bad in (
        ("fixed point", (other,), (zero,)),
        ("fixed point, covered", (false,), turned),
        ("gradient, covered", (true,), (changed(true, ("about", "kernel"), "target"),)),
    ):
        certificate, costs = TRUE[name], list[list[int]]()
        check_text(json.dumps(certificate))  # from here on its short numbers are known
        for forget in (True, False, True):
            MODELS.last = None if forget else MODELS.last
            check_text(json.dumps(certificate))
            costs.append(list(SPENT.get()))
        assert costs[0] == costs[1] == costs[2]
        for one in (*others, certificate):
            check_text(json.dumps(one))
        for one in bad:
            with pytest.raises(Rejected, match=r"A theta \+ b is not zero"):
                check_text(json.dumps(one))
    modulo = on_law("nonsingular", near, {"matrix": "A"}, prime=P61)
    check_text(json.dumps(modulo))
    assert "the determinant of A is zero modulo" in refusal(changed(modulo, ("witness", "prime"), P20))


def test_it_imports_the_standard_library_alone() -> None:
    files = list(Path(checker.__file__).parent.glob("*.py"))
    lines = [line.strip() for file in files for line in file.read_text().splitlines()]
    imported = {line.split()[1] for line in lines if re.match(r"import |from \S+ import ", line)}
    beside = {name[1:] for name in imported if name.startswith(".")} - {""}
    assert beside <= {file.stem for file in files}
    assert {name.split(".")[0] for name in imported if not name.startswith(".")} <= sys.stdlib_module_names


def test_a_reader_holds_each_file_at_once() -> None:
    for file in Path(checker.__file__).parent.glob("*.py"):
        assert len(file.read_text().splitlines()) <= 450, file.name


@pytest.mark.parametrize("prime", [None, P20])
def test_rows_as_one_integer_make_the_product_entry_by_entry(prime: int | None) -> None:
    """Signs of all kinds, and the largest sums that the sizes of the factors allow, of either sign."""
    rng = random.Random(7)
    SPENT.set([0, 0])
    BUDGET.set(None)
    for n, left, right in ((5, 3, 40), (17, 1, 1), (33, 63, 8), (16, 8, 7)):
        top, bottom = 2**left - 1, 2**right - 1
        for a, b in ((top, bottom), (-top, bottom), (rng.randint(-top, top), None)):
            A = [[a if b else rng.randint(-top, top) for _ in range(n)] for _ in range(n)]
            B = [[b if b else rng.randint(-bottom, bottom) for _ in range(3)] for _ in range(n)]
            found = matrices.Matrix(A, n, 7, prime) @ matrices.Matrix(B, 3, 2, prime)
            sums = [[sum(A[i][k] * B[k][j] for k in range(n)) for j in range(3)] for i in range(n)]
            assert found.dense() == ([[x % prime for x in row] for row in sums] if prime else sums)
            assert found.denominator == 14


def test_the_oldest_python_that_reads_the_checker_is_the_one_that_pages_name() -> None:
    sources = [path.read_text(encoding="utf-8") for path in Path(checker.__file__).parent.glob("*.py")]
    root = Path(__file__).parents[3]
    for source in sources:
        ast.parse(source, feature_version=(3, 10))
    with pytest.raises(SyntaxError, match=r"3\.10"):
        for source in sources:
            ast.parse(source, feature_version=(3, 9))
    said = [
        (root / page).read_text(encoding="utf-8")
        for page in ("README.md", "docs/getting_started.md", "docs/certificates.md")
    ]
    assert all("Python 3.10 or newer" in page for page in (*said, checker.__doc__ or ""))
