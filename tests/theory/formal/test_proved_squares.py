"""Second moments at constant steps in the checker that is proved correct: certificates over many windows are answered
in the words of the Python checker, and what is not true of them is refused by both.
"""

from __future__ import annotations

import copy
import json
import random
import shutil
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache

import pytest

from tdcert.algorithms.schedules import certificate, jump_system, scheduled
from tdcert.reports.proved_checker import ProvedChecker
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.certificate.checker import check_text
from tdcert.theory.certificate.write import document
from tdcert.theory.laws.mean_square import largest_step
from tdcert.theory.model.gallery import HALF, boyan_chain, fair_coin_chain, flip_chain, theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.verdict import Certificate
from tests.theory.certificate.by_hand import Json
from tests.theory.certificate.test_checker import TRUE, changed
from tests.theory.certificate.test_soundness import edited, second_moments_forged
from tests.theory.formal.test_program import agree, compilers, false_ones, mutants, native, python_accepts

__all__ = ["native"]  # a fixture

F = Fraction
KINDS = frozenset({"mean_square_bounded", "mean_square_unbounded"})
TWO = Schedule((HALF, F(1, 3)))
MODELS: dict[str, Model] = {
    "zero ratios": theta_to_two_theta(HALF, TWO),
    "equal features": fair_coin_chain(HALF, TWO).with_features(RationalMatrix([[1], [1]])),
    "two states": fair_coin_chain(HALF, TWO),
    "episodes": boyan_chain(),
}
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed here")


@cache
def certificates(name: str, algorithm: str) -> tuple[Json, ...]:
    """At every step up to one, at a step that is bounded and at one that is not."""
    model = MODELS[name]
    system = jump_system(model, scheduled(algorithm), F(2), model.behaviour_chain.recurrent_classes[0])
    found = largest_step(system)
    assert found is not None
    return tuple(
        json.loads(json.dumps(document(certificate(system, each), model, None)))
        for each in (found.near, found.bounded, found.unbounded)
    )


def said(checker: ProvedChecker, one: Json) -> bool:
    """Whether it is accepted; the two checkers agree, in the same words."""
    text = json.dumps(one).encode()
    accepted, answer = python_accepts(text), checker.ask(text)
    expected = f"accepted: {check_text(text).rpartition(' (model ')[0]}" if accepted else "refused: no conclusion; "
    assert answer == expected if accepted else answer.startswith(expected), (answer, one)
    return accepted


@needs_node
@pytest.mark.parametrize(
    ("name", "algorithm"),
    [
        pytest.param("zero ratios", "off_policy_td", marks=pytest.mark.thorough),
        pytest.param("zero ratios", "gtd", marks=pytest.mark.thorough),
        ("zero ratios", "tdc"),
        pytest.param("equal features", "off_policy_td", marks=pytest.mark.thorough),
        pytest.param("two states", "tdc", marks=pytest.mark.thorough),
        pytest.param("episodes", "gtd", marks=pytest.mark.thorough),
    ],
)
def test_certificates_over_many_windows_are_read_alike(node: ProvedChecker, name: str, algorithm: str) -> None:
    some = certificates(name, algorithm)
    assert all(said(node, one) for one in some)
    growing = some[2]
    for window in range(len(growing["witness"]["lyapunov"])):  # at time zero or under way, as the sentence says
        said(node, changed(growing, ("witness", "window"), window))
    for step in ("1/1000", "1", "4", "1000"):
        for one in some:
            said(node, changed(one, ("about", "step" if "step" in one["about"] else "upto"), step))


def without(part: str, key: str) -> Callable[[Json], None]:
    return lambda one: one[part].pop(key)


def put(part: str, **new: Json) -> Callable[[Json], None]:
    return lambda one: one[part].update(copy.deepcopy(new))


def one_more(one: Json) -> None:
    one["witness"]["lyapunov"].append(one["witness"]["lyapunov"][0])


def one_less(one: Json) -> None:
    one["witness"]["lyapunov"].pop()


def not_symmetric(one: Json) -> None:
    one["witness"]["lyapunov"][0][0][1] += "1"


DAMAGES: dict[str, tuple[int, str, Callable[[Json], None]]] = {
    "a matrix too many": (1, "gtd", one_more),
    "a matrix too few": (1, "gtd", one_less),
    "a matrix too many, of growth": (2, "gtd", one_more),
    "not symmetric": (1, "gtd", not_symmetric),
    "not symmetric, of growth": (2, "gtd", not_symmetric),
    "no eta": (1, "gtd", without("about", "eta")),
    "eta for td": (1, "off_policy_td", put("about", eta="1")),
    "eta of zero": (1, "gtd", put("about", eta="0")),
    "a negative step": (1, "gtd", put("about", step="-1/1000")),
    "another algorithm": (1, "gtd", put("about", algorithm="emphatic_td")),
    "a step and a bound": (1, "gtd", put("about", upto="1/1000")),
    "not a class": (1, "gtd", put("about", **{"class": [0]})),
    "no window of that number": (2, "off_policy_td", put("witness", window=6)),
    "a vector of zeros": (2, "off_policy_td", put("witness", vector=["0"])),
    "no window": (2, "off_policy_td", without("witness", "window")),
    "a window of boundedness": (1, "off_policy_td", put("witness", window=0)),
    "a window of every step": (0, "off_policy_td", put("witness", window=0)),
    "a step of growth in the file of a bound": (0, "off_policy_td", put("about", step="1")),
}


@needs_node
@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_damaged_is_refused_by_both(node: ProvedChecker, damage: str) -> None:
    which, algorithm, do = DAMAGES[damage]
    one = copy.deepcopy(certificates("zero ratios", algorithm)[which])
    do(one)
    assert not said(node, one)


@needs_node
def test_growth_begins_in_the_window_that_is_named(node: ProvedChecker) -> None:
    """Two states take turns, each with a feature of its own: at the step 3 one entry is doubled in one state, the other
    one divided by 4 in the other. xᵀX_h x is 3 − 9/4 in the first window, and 1 − 9/8 in the second.
    """
    model = flip_chain(F(0), features=((1, 0), (0, HALF)))
    about = {"class": [0, 1], "algorithm": "off_policy_td", "step": "3"}
    forms = [[["3", "0"], ["0", "-1"]], [["1", "0"], ["0", "-1/2"]]]
    witness = {"lyapunov": forms, "vector": ["1", "3/2"], "window": 0}
    one = json.loads(json.dumps(document(Certificate("mean_square_unbounded", about, witness), model, None)))
    assert said(node, one) and not said(node, changed(one, ("witness", "window"), 1))


@needs_node
def test_a_window_is_not_named_where_growth_begins_in_all(node: ProvedChecker) -> None:
    one = TRUE["mean square grows, every step"]
    assert said(node, one) and not said(node, changed(one, ("witness", "window"), 0))


@needs_node
def test_a_schedule_without_an_end_has_no_windows(node: ProvedChecker) -> None:
    one = copy.deepcopy(certificates("zero ratios", "off_policy_td")[1])
    one = changed(one, ("model", "schedule"), {"constant": {"lambda": "1/2"}})
    assert not said(node, one) and "without an end" in node.ask(json.dumps(one).encode())


@needs_node
def test_windows_without_number_are_not_waited_for(node: ProvedChecker) -> None:
    """There are 2^200 of them, and the witness speaks of a few."""
    one = copy.deepcopy(certificates("two states", "off_policy_td")[1])
    one = changed(one, ("model", "schedule"), {"lambdas": ["1/2"] * 200})
    assert node.ask(json.dumps(one).encode(), 20) == "refused: no conclusion; witness: there are more windows"


def some_mutants(seed: int) -> Iterator[Json]:
    """Of certificates over many windows and of small ones: a part is that of another one, or a number another one."""
    rng = random.Random(seed)
    while True:
        for kind in sorted(KINDS):
            one = second_moments_forged(rng, kind)
            for _ in range(rng.choice((0, 0, 1, 2))):
                one = edited(rng, one)
            yield one


@compilers
@pytest.mark.thorough
def test_the_native_program_agrees_about_forged_ones(native: ProvedChecker) -> None:
    for some in (mutants(3, KINDS), some_mutants(3)):
        found = agree(native, some, 500)
        assert found[True] > 50 and found[False] > 250
    assert agree(native, false_ones(3, KINDS), 200) == {True: 0, False: 200}
