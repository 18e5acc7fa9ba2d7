"""Updates by terms at constant steps in the checker that is proved correct: certificates of second moments and of means
are answered in the words of the Python checker, and what is not true of them is refused by both.
"""

from __future__ import annotations

import copy
import json
import random
import shutil
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

import tdcert
from tdcert.algorithms import named
from tdcert.analysis.updates import analyse_updates
from tdcert.reports.proved_checker import ProvedChecker, reads
from tdcert.theory.certificate.write import document
from tdcert.theory.model.gallery import HALF, fair_coin_chain, theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.progress import silently
from tests.theory.certificate.by_hand import Json, seal
from tests.theory.certificate.convergence_by_hand import damaged
from tests.theory.certificate.test_checker import changed
from tests.theory.formal.test_program import agree, compilers, native
from tests.theory.formal.test_proved_squares import said

__all__ = ["native"]  # a fixture

F = Fraction
SQUARES = ("update_mean_square_bounded", "update_mean_square_unbounded")
KINDS = frozenset({*SQUARES, "update_mean_bounded", "update_mean_unbounded"})
TWO = Schedule((HALF, F(1, 3)))
MODELS: dict[str, Model] = {"zero ratios": theta_to_two_theta(HALF, TWO), "two states": fair_coin_chain(HALF, TWO)}
pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed here"),
]


@tdcert.algorithm(parameters={"theta": "d", "b": 1}, memory={"z": "d", "k": 1}, steps=("alpha",))
def looks_back(t: Any, theta: Any, b: Any, z: Any, k: Any, alpha: Any) -> Any:
    """A trace of two states, a number that is learnt and one that is kept, and a case for the first transition."""
    error = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    more = t.phi if t.first else t.phi + t.rho_before * t.discount_before / 4 * z
    theta = theta + alpha * t.rho * error * more - alpha * k / 2 * b * t.phi
    return theta, b + alpha * (t.expected_phi_next @ theta - 2 * b) / 4, t.phi, t.pi


@cache
def certificates(name: str, algorithm: str) -> tuple[Json, ...]:
    """At a small step and at a large one, and at every step up to one."""
    model, found = MODELS[name], list[Json]()
    for step in (F(1, 8), F(4)):
        update = looks_back if algorithm == "looks_back" else named(algorithm)
        row = analyse_updates(model, [update], silently, step=step, certify=True).rows[0]
        found += [document(one, model, None) for one in row.certificates if one.kind in KINDS]
    return tuple(json.loads(json.dumps(one)) for one in found)


def of(kind: str, algorithm: str = "looks_back", upto: bool = False) -> Json:
    some = certificates("zero ratios", algorithm)
    return copy.deepcopy(next(one for one in some if one["kind"] == kind and ("upto" in one["about"]) == upto))


@pytest.mark.parametrize(
    ("name", "algorithm"),
    [("zero ratios", "td"), ("zero ratios", "tdc"), ("zero ratios", "looks_back"), ("two states", "looks_back")],
)
def test_certificates_of_updates_are_read_alike(node: ProvedChecker, name: str, algorithm: str) -> None:
    some = certificates(name, algorithm)
    kinds = KINDS if (name, algorithm) == ("zero ratios", "looks_back") else SQUARES
    assert {one["kind"] for one in some} >= set(kinds) and all(reads(one) and said(node, one) for one in some)
    for one in some:
        if "window" in one["witness"]:  # at time zero or under way, as the sentence says
            for window in range(len(one["witness"]["lyapunov"])):
                said(node, changed(one, ("witness", "window"), window))
        for steps in (["1/1000"], ["1"], ["4"], ["1000"]):
            given = one["about"].get("steps")
            if given is not None and one["about"]["update"]["at"] is None:
                said(node, changed(one, ("about", "steps"), steps * len(given)))


def case(one: Json) -> Json:
    return one["about"]["update"]["terms"][0]


def term(row: str, *terms: str) -> Callable[[Json], None]:
    return lambda one: case(one).update({row: [*case(one)[row], *terms]})


def told(**new: Json) -> Callable[[Json], None]:
    return lambda one: one["about"]["update"].update(copy.deepcopy(new))


def witness(key: str, change: Callable[[Json], object]) -> Callable[[Json], None]:
    def do(one: Json) -> None:
        change(one["witness"][key])

    return do


def never(one: Json) -> None:
    case(one)["when"] = {"t.state": "7"}


def twice(one: Json) -> None:
    case(one)["theta"] = [f"2 * {x}" if x[0] == "t" else x for x in case(one)["theta"]] * 3


def unused(one: Json) -> None:
    """A case that no move is has a number of other models."""
    terms = one["about"]["update"]["terms"]
    terms.insert(0, {**copy.deepcopy(terms[0]), "when": {"t.state": "7"}})
    term("theta", "t.lam * t.phi")(one)


def a_hundred_steps(one: Json) -> None:
    """And one more; they change nothing."""
    one["about"]["update"]["steps"] += [f"s{i}" for i in range(100)]
    one["about"]["steps"] += ["1"] * 100


DAMAGES: dict[str, tuple[str, Callable[[Json], None]]] = {
    "three times the update": (SQUARES[0], twice),
    "of the parameters twice": (SQUARES[0], term("theta", "(t.phi @ theta) * (t.phi @ theta) * t.phi")),
    "no vector": (SQUARES[0], term("theta", "t.reward")),
    "two vectors": (SQUARES[0], term("theta", "t.reward * t.phi * t.phi_next")),
    "a factor that there is not": (SQUARES[0], term("theta", "t.regret * t.phi")),
    "numbers that it does not read": (SQUARES[0], told(reads=["t.first"])),
    "lambda of a state": (SQUARES[0], term("theta", "t.lam * t.phi")),
    "lambda of a state in a case that no move is": (SQUARES[0], unused),
    "more steps than are read": (SQUARES[0], a_hundred_steps),
    "a sum in a term": (SQUARES[0], term("theta", "t.reward + t.phi")),
    "a memory of the parameters": (SQUARES[0], term("z", "(t.phi @ theta) * t.phi")),
    "a memory of steps": (SQUARES[0], term("z", "alpha * t.phi")),
    "the memory twice": (SQUARES[0], term("theta", "(t.phi @ z) * z")),
    "no case for a move": (SQUARES[0], never),
    "a case of a power": (SQUARES[0], lambda one: case(one).update(when={"t.rho^2": "4"})),
    "no parameters": (SQUARES[0], told(parameters=[])),
    "two parts of one name": (SQUARES[0], told(memory=[["theta", "d"]])),
    "a name of the transition": (SQUARES[0], told(parameters=[["t.phi", "d"]])),
    "two steps of one name": (SQUARES[0], told(steps=["alpha", "alpha"])),
    "reads what there is not": (SQUARES[0], told(reads=["t.reward_before"])),
    "about other step sizes": (SQUARES[0], told(at=["1/3"])),
    "a node too many": (SQUARES[0], witness("lyapunov", lambda x: x.append(x[0]))),
    "a node too few": (SQUARES[0], witness("lyapunov", lambda x: x.pop())),
    "no growth from zero": (SQUARES[1], lambda one: one["witness"].update(vector=["0"])),
    "rows that are not followed": ("update_mean_bounded", witness("rows", lambda x: x[0].__setitem__(-1, "7/5"))),
    "a column of another row": ("update_mean_bounded", witness("columns", lambda x: x.insert(0, x.pop()))),
    "other means in each row": ("update_mean_unbounded", witness("entries", lambda x: x.__setitem__(0, x[-1]))),
    "a form of other rows": ("update_mean_unbounded", witness("lyapunov", lambda x: x[0].__setitem__(0, "-1"))),
    "later than can be": ("update_mean_unbounded", lambda one: one["witness"].update(after=1000)),
    "more nodes than there are": ("update_mean_unbounded", lambda one: one["witness"].update(nodes=9)),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_damaged_is_refused_by_both(node: ProvedChecker, damage: str) -> None:
    kind, do = DAMAGES[damage]
    one = of(kind)
    before = json.dumps(one)
    do(one)
    assert json.dumps(one) != before and not said(node, seal(one))


@pytest.mark.parametrize("power", ["alpha^2", "alpha * alpha"])
def test_products_of_steps_are_refused_at_every_step(node: ProvedChecker, power: str) -> None:
    one = of(SQUARES[0], "td", upto=True)
    term("theta", f"0 * {power} * t.phi")(one)
    assert not said(node, one)


def test_what_is_not_modelled_is_not_read(node: ProvedChecker) -> None:
    """What an update sees of its parameters, and tables; lambda by state, interest and draws."""
    seen, tables, drawn = (of(SQUARES[0]) for _ in range(3))
    seen["about"]["seen"], seen["witness"]["coordinates"] = [0], [["1"]]
    tables["about"]["update"] = {"name": "tables"}
    drawn["model"]["interest"] = ["1"] * len(drawn["model"]["features"])
    for one in (seen, tables, seal(drawn)):
        assert node.ask(json.dumps(one).encode()).startswith("not read: ") and not reads(one)


@compilers
@pytest.mark.parametrize("name", ["", "it's", "'" * 60, "it's " + "x" * 70, "x" * 50 + "'" * 20])
def test_the_file_is_told_by_its_name_in_the_same_quotes(native: ProvedChecker, name: str) -> None:
    one = of(SQUARES[0])
    one["about"]["update"]["name"] = name
    assert said(native, one)


def some_damaged(seed: int) -> Iterator[Json]:
    rng = random.Random(seed)
    every = [*certificates("zero ratios", "looks_back"), *certificates("zero ratios", "td")]
    while True:
        for kind in sorted(KINDS):
            yield damaged(rng, rng.choice([one for one in every if one["kind"] == kind]))


@compilers
def test_the_native_program_agrees_about_a_thousand_mutants_of_updates(native: ProvedChecker) -> None:
    found = agree(native, some_damaged(0), 1_000)
    assert found[True] > 100 and found[False] > 500
