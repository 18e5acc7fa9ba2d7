"""Model files: what is read, exactly; what is refused, in one sentence on one line that names the offence."""

from __future__ import annotations

import builtins
import json
import random
from collections.abc import Callable
from copy import deepcopy
from dataclasses import fields
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.errors import InputError
from tdcert.theory.files import Overrides, limits, load_model, loads_model
from tdcert.theory.files.given import array_file
from tdcert.theory.model import gallery
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

EXAMPLES = Path(__file__).parents[3] / "examples"
GOOD: dict[str, Any] = {
    "format": "tdcert-model/1",
    "name": "two actions",
    "actions": ["stay", "go"],
    "transitions": {"go": [[0, 1], ["1/3", "2/3"]], "stay": [[1, 0], [0, 1]]},
    "rewards": {"stay": [1, 2], "go": [[0, 0.1], [-1, 0]]},
    "discount": 0.9,
    "behaviour": [[0.5, 0.5], [0.5, 0.5]],
    "target": [[1, 0], [0.25, 0.75]],
    "features": [[1], [2]],
    "schedule": {"equal_weights": [1, 3]},
}


def changed(**changes: Any) -> dict[str, Any]:
    """The good model with some keys replaced; None leaves a key out."""
    document = {**deepcopy(GOOD), **changes}
    return {key: value for key, value in document.items() if value is not None}


def parts(model: Model) -> dict[str, object]:
    """Every field of a model but its name: what two equal models share."""
    return {field.name: getattr(model, field.name) for field in fields(model) if field.name != "name"}


def refusal(action: Callable[[], object]) -> str:
    """The sentence with which ``action`` is refused: one line, no more than a screenful."""
    with pytest.raises(InputError) as caught:
        action()
    message = str(caught.value)
    assert message.isprintable() and 0 < len(message) < 700
    return message


def refused(text: str | dict[str, Any]) -> str:
    return refusal(lambda: loads_model(text if isinstance(text, str) else json.dumps(text)))


# ---- what is read ---------------------------------------------------------------------------------


def test_a_model_is_read_exactly() -> None:
    loaded = loads_model(json.dumps(GOOD))
    third, tenth = Fraction(1, 3), Fraction(1, 10)
    expected = Model(
        actions=("stay", "go"),
        transitions=(RationalMatrix([[1, 0], [0, 1]]), RationalMatrix([[0, 1], [third, 2 * third]])),
        rewards=(RationalMatrix([[1], [2]]), RationalMatrix([[0, tenth], [-1, 0]])),
        discounts=(RationalMatrix([[9 * tenth]] * 2),) * 2,
        behaviour=RationalMatrix([[Fraction(1, 2)] * 2] * 2),
        target=RationalMatrix([[1, 0], [Fraction(1, 4), Fraction(3, 4)]]),
        features=RationalMatrix([[1], [2]]),
        schedule=Schedule((Fraction(2, 3), Fraction(1, 2))),
        name="two actions",
    )
    assert parts(loaded.model) == parts(expected) and loaded.model.name == "two actions"
    assert loaded.state_names == ("s0", "s1")
    assert loaded.defaults_used == [] and loaded.notes == []


def test_examples_are_the_gallery() -> None:
    expected = {
        "boyan_chain.json": gallery.boyan_chain(Schedule.equal_weights(2, 4)),
        "random_walk_5.json": gallery.random_walk_5(Schedule.constant(Fraction(9, 10), 10)),
        "two_state_theta_2theta.json": gallery.theta_to_two_theta(Fraction(9, 10)),
    }
    for name, model in expected.items():
        loaded = load_model(str(EXAMPLES / name))
        assert parts(loaded.model) == parts(model) and loaded.model.name == model.name
        assert loaded.source.endswith(name)


GALLERY = {
    "θ→2θ": gallery.theta_to_two_theta(Fraction(9, 10), rewards=(1, 0)),
    "Baird": gallery.bairds_star(Fraction(99, 100), Schedule.equal_weights(4, 6)),
    "Boyan": gallery.boyan_chain(Schedule.constant(Fraction(2, 3))),
    "random walk": gallery.random_walk_5(Schedule.n_step(4)),
    "random chain": gallery.random_chain(),
    "uncovered": gallery.uncovered_action(),
    "two actions": loads_model(json.dumps(GOOD)).model,
    "discount by transition": gallery.flip_chain(RationalMatrix([[1, 0], [Fraction(1, 3), 1]])),
}


@pytest.mark.parametrize("model", GALLERY.values(), ids=GALLERY.keys())
def test_canonical_form_reads_back_as_the_same_model(model: Model) -> None:
    loaded = loads_model(json.dumps(model.canonical))
    assert loaded.model.digest == model.digest
    assert parts(loaded.model) == parts(model)
    assert loaded.defaults_used == []


def test_defaults_are_named() -> None:
    flip = {"format": "tdcert-model/1", "transitions": [[0, 1], [1, 0]], "rewards": [1, 0], "discount": 0.5}
    loaded = loads_model(json.dumps(flip))
    assert parts(loaded.model) == parts(gallery.flip_chain(features=((1, 0), (0, 1))))
    named = [default.split(" = ")[0] for default in loaded.defaults_used]
    assert named == ["behaviour", "features", "schedule"]
    on_policy = loads_model(json.dumps(changed(target=None)))
    assert on_policy.model.is_on_policy and on_policy.defaults_used == ["target = behaviour"]


def test_action_order() -> None:
    """Policies refer to ``actions``; without it, to the order in which ``transitions`` is written."""
    assert loads_model(json.dumps(GOOD)).model.actions == ("stay", "go")
    assert loads_model(json.dumps(changed(actions=None))).model.actions == ("go", "stay")


NUMBERS = [
    ("0.1", Fraction(1, 10)),
    ("1e-3", Fraction(1, 1000)),
    ("-2.50E+2", Fraction(-250)),
    ("-0", Fraction(0)),
    ("0.30000000000000004", Fraction(30000000000000004, 10**17)),
    ("1e308", Fraction(10**308)),
    ("1e-308", Fraction(1, 10**308)),
    ("9" * 400, Fraction(10**400 - 1)),
    ('"1/3"', Fraction(1, 3)),
    ('"-4/6"', Fraction(-2, 3)),
    ('"7"', Fraction(7)),
    ('"0.25"', Fraction(1, 4)),
]


@pytest.mark.parametrize(("printed", "value"), NUMBERS, ids=[text[:24] for text, _ in NUMBERS])
def test_a_number_is_the_decimal_that_it_prints(printed: str, value: Fraction) -> None:
    text = json.dumps(changed(rewards=["@", 0])).replace('"@"', printed)
    assert loads_model(text).model.rewards[0][0, 0] == value


SCHEDULES = [
    ({"lambdas": [1, "1/2", 0]}, Schedule((Fraction(1), Fraction(1, 2)))),
    ({"lambdas": []}, Schedule()),
    ({"equal_weights": [4, 6]}, Schedule.equal_weights(4, 6)),
    ({"n_step": 3}, Schedule((Fraction(1),) * 2)),
    ({"n_step": 1}, Schedule()),
    ({"constant": {"lambda": 0.9, "length": 2}}, Schedule((Fraction(9, 10),) * 2)),
    ({"constant": {"lambda": 0.9}}, Schedule((), Fraction(9, 10))),
    ({"weights": [0, 0.5, 0.5]}, Schedule((Fraction(1), Fraction(1, 2)))),
]


@pytest.mark.parametrize(("written", "schedule"), SCHEDULES, ids=[json.dumps(form) for form, _ in SCHEDULES])
def test_every_form_of_schedule(written: dict[str, Any], schedule: Schedule) -> None:
    assert loads_model(json.dumps(changed(schedule=written))).model.schedule == schedule
    as_option = Overrides(schedule=json.dumps(written))
    assert loads_model(json.dumps(GOOD), as_option).model.schedule == schedule


SHORT_SCHEDULES = [
    ("td0", Schedule()),
    ("n_step:3", Schedule.n_step(3)),
    ("equal_weights:4,6", Schedule.equal_weights(4, 6)),
    ("constant:0.9", Schedule.constant(Fraction(9, 10))),
    ("constant:0.9,20", Schedule.constant(Fraction(9, 10), 20)),
    ("lambdas:1,1/2", Schedule((Fraction(1), Fraction(1, 2)))),
    ("weights:1/2, 1/2", Schedule((Fraction(1, 2),))),
]


@pytest.mark.parametrize(("text", "schedule"), SHORT_SCHEDULES, ids=[text for text, _ in SHORT_SCHEDULES])
def test_short_forms_of_schedules(text: str, schedule: Schedule) -> None:
    assert loads_model(json.dumps(GOOD), Overrides(schedule=text)).model.schedule == schedule


def test_discount_by_transition_and_by_state() -> None:
    by_state = [0, "1/2"]
    by_transition = [[0, 0], [0.5, 0.5]]
    models = [
        loads_model(json.dumps(changed(discount=discount))).model
        for discount in (by_state, by_transition, {"stay": by_state, "go": by_transition})
    ]
    assert parts(models[0]) == parts(models[1]) == parts(models[2])
    assert models[0].gamma is None
    assert models[0].discounts[0].column_entries() == (0, Fraction(1, 2))


def test_normalise_divides_by_the_exact_sum_and_says_by_how_much() -> None:
    document = changed(
        normalise=True,
        transitions={"stay": [[2, 0], [0, 1]], "go": [[0.3, 0.6], ["1/3", "2/3"]]},
        behaviour=[[1, 3], [0.5, 0.5]],
    )
    loaded = loads_model(json.dumps(document))
    assert loaded.model.transitions[1].rows[0] == (Fraction(1, 3), Fraction(2, 3))
    assert loaded.model.behaviour.rows[0] == (Fraction(1, 4), Fraction(3, 4))
    (note,) = loaded.notes  # sums 2, 9/10 and 4: the largest correction is 3
    assert "largest correction of a sum: 3, in the behaviour policy" in note


# ---- overrides ------------------------------------------------------------------------------------


def test_overrides_complete_and_replace(tmp_path: Path) -> None:
    (tmp_path / "features.json").write_text("[[1, 0.5], [0, 1]]")
    (tmp_path / "policy.json").write_text('[["1/4", "3/4"], [1, 0]]')
    given = Overrides(
        discount="2/3",
        schedule="n_step:2",
        features=str(tmp_path / "features.json"),
        policy="uniform",
        target=str(tmp_path / "policy.json"),
    )
    bare = changed(discount=None, schedule=None, features=None, behaviour=None, target=None)
    for document in (bare, GOOD):
        loaded = loads_model(json.dumps(document), given)
        assert loaded.model.gamma == Fraction(2, 3)
        assert loaded.model.schedule == Schedule.n_step(2)
        assert loaded.model.features == RationalMatrix([[1, Fraction(1, 2)], [0, 1]])
        assert loaded.model.behaviour == RationalMatrix([[Fraction(1, 2)] * 2] * 2)
        assert loaded.model.target == RationalMatrix([[Fraction(1, 4), Fraction(3, 4)], [1, 0]])
        assert loaded.defaults_used == []
    tabular = loads_model(json.dumps(GOOD), Overrides(features="tabular")).model
    assert tabular.features == RationalMatrix([[1, 0], [0, 1]])


def test_discount_override_keeps_the_restarts() -> None:
    loaded = load_model(EXAMPLES / "random_walk_5.json", Overrides(discount="0.8"))
    assert loaded.model.discounts[0].column_entries() == (0, *[Fraction(4, 5)] * 5, 0)
    assert "zero" in loaded.notes[0]
    constant = loads_model(json.dumps(changed(discount=0)), Overrides(discount="0.8"))
    assert constant.model.gamma == Fraction(4, 5)


BAD_OVERRIDES = [
    (Overrides(discount="1.5"), ["--discount", "3/2"]),
    (Overrides(discount="nine"), ["--discount", "nine"]),
    (Overrides(discount="1/0"), ["--discount", "1/0", "zero"]),
    (Overrides(schedule="n_steps:3"), ["--schedule", "n_steps:3"]),
    (Overrides(schedule="td0:1"), ["--schedule", "td0:1"]),
    (Overrides(schedule="n_step"), ["--schedule", "n_step"]),
    (Overrides(schedule="n_step:1,2"), ["--schedule", "n_step", "list"]),
    (Overrides(schedule="equal_weights:6,4"), ["--schedule", "n1 = 6", "n2 = 4"]),
    (Overrides(schedule="equal_weights:6"), ["--schedule", "equal_weights"]),
    (Overrides(schedule="constant:1.2"), ["--schedule", "6/5"]),
    (Overrides(schedule="lambdas:1,-1/2"), ["--schedule", "λ_2", "-1/2"]),
    (Overrides(schedule='{"n_step": 1'), ["--schedule", "JSON"]),
    (Overrides(features="nowhere.json"), ["--features", "nowhere.json"]),
    (Overrides(policy="nowhere.json"), ["--policy", "nowhere.json"]),
    (Overrides(target="nowhere.json"), ["--target", "nowhere.json"]),
]


@pytest.mark.parametrize(("overrides", "named"), BAD_OVERRIDES, ids=[str(o)[10:] for o, _ in BAD_OVERRIDES])
def test_bad_overrides_name_the_option_and_not_the_model(overrides: Overrides, named: list[str]) -> None:
    message = refusal(lambda: load_model(EXAMPLES / "boyan_chain.json", overrides))
    assert all(part in message for part in named), message
    assert "boyan_chain" not in message


def test_target_override_alone_is_refused() -> None:
    document = json.dumps(changed(behaviour=None, target=None))
    assert "behaviour" in refusal(lambda: loads_model(document, Overrides(target="uniform")))


# ---- what is refused ------------------------------------------------------------------------------

BIG = "1" + "0" * 400
BAD_NUMBERS = [
    ("NaN", "NaN"),
    ("Infinity", "Infinity"),
    ("-Infinity", "-Infinity"),
    ("1e400", "1e400"),
    ("1e-309", "1e-309"),
    ("1e" + "9" * 5000, "1e999"),
    (BIG, "400 digits"),
    ("0." + "1" * 400, "400 digits"),
    ("9" * 10_000, "400 digits"),
    (f'"1/{BIG}"', "400 digits"),
    ('"1/0"', "'1/0'"),
    ('"0/0"', "'0/0'"),
    ('"1/-2"', "'1/-2'"),
    ('"1/2/3"', "'1/2/3'"),
    ('"½"', "½"),
    ('"١/٢"', "١/٢"),
    ('" 1"', "' 1'"),
    ('"1\\n"', "1\\n"),
    ('"NaN"', "'NaN'"),
    ('"inf"', "'inf'"),
    ('"0x10"', "'0x10'"),
    ('""', "''"),
    ("true", "true"),
    ("false", "false"),
    ("null", "null"),
    ("[]", "a"),
    ("{}", "an object"),
]
PLACES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "transitions": (
        {"transitions": {"stay": [[1, 0], ["@", 1]], "go": [[0, 1], [1, 0]]}},
        ["column 0", "row s1", "stay"],
    ),
    "rewards": ({"rewards": {"stay": [1, 2], "go": [[0, 0], [0, "@"]]}}, ["column 1", "row s1", "go"]),
    "behaviour": ({"behaviour": [["@", 0.5], [0.5, 0.5]]}, ["column 0", "row s0", "behaviour"]),
    "features": ({"features": [[1], ["@"]]}, ["column 0", "row s1", "features"]),
    "discount": ({"discount": "@"}, ["discount"]),
    "lambdas": ({"schedule": {"lambdas": [1, "@"]}}, ["λ_2", "schedule"]),
    "n_step": ({"schedule": {"n_step": "@"}}, ["n_step"]),
    "weights": ({"schedule": {"weights": ["@"]}}, ["weight 1"]),
    "equal_weights": ({"schedule": {"equal_weights": [1, "@"]}}, ["n2"]),
    "constant": ({"schedule": {"constant": {"lambda": "@"}}}, ["λ", "constant"]),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("printed", "named"), BAD_NUMBERS, ids=[text[:16] for text, _ in BAD_NUMBERS])
def test_what_is_no_number_is_named_with_its_place(place: str, printed: str, named: str) -> None:
    changes, where = PLACES[place]
    message = refused(json.dumps(changed(**changes)).replace('"@"', printed))
    # A list where the discount should be a number is read as rows, and misses them.
    assert named in message or (place == "discount" and printed in ("[]", "{}")), message
    assert all(part in message for part in where), message


BAD_MODELS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "row sum": ({"behaviour": [[0.5, 0.4], [0.5, 0.5]]}, ["row s0", "behaviour", "9/10"]),
    "row sum of transitions": (
        {"transitions": {"stay": [[1, 0], [0, 1]], "go": [[0, 1], [0.333, 0.666]]}},
        ["row s1", "go", "999/1000"],
    ),
    "negative entry": ({"target": [[1, 0], [-0.25, 1.25]]}, ["row s1", "column 0", "-1/4", "target"]),
    "negative transition": (
        {"transitions": {"stay": [[1, 0], [0, 1]], "go": [[2, -1], [0, 1]]}, "normalise": True},
        ["row s0", "column 1", "-1"],
    ),
    "normalised zero row": ({"behaviour": [[0, 0], [1, 0]], "normalise": True}, ["row s0", "behaviour", "0"]),
    "normalise is not a boolean": ({"normalise": 1}, ["normalise", "1"]),
    "discount above one": ({"discount": 1.01}, ["discount", "101/100"]),
    "discount below zero": ({"discount": "-1/2"}, ["discount", "-1/2"]),
    "discount of a transition": ({"discount": [[1, 1], [1, 2]]}, ["discount", "2"]),
    "discount of a state": ({"discount": [1, 2]}, ["discount", "2"]),
    "discount of too few states": ({"discount": [1]}, ["discount", "1 entry", "2"]),
    "λ above one": ({"schedule": {"lambdas": [1, 1.5]}}, ["λ_2", "3/2"]),
    "λ below zero": ({"schedule": {"lambdas": [-0.5]}}, ["λ_1", "-1/2"]),
    "constant λ": ({"schedule": {"constant": {"lambda": 2}}}, ["λ", "2"]),
    "constant length": ({"schedule": {"constant": {"lambda": 1, "length": -1}}}, ["length -1"]),
    "constant length 1/2": ({"schedule": {"constant": {"lambda": 1, "length": 0.5}}}, ["length", "1/2"]),
    "constant without λ": ({"schedule": {"constant": {"length": 2}}}, ["constant", "lambda"]),
    "constant with more": ({"schedule": {"constant": {"lambda": 1, "L": 2}}}, ["constant", "length"]),
    "constant is a number": ({"schedule": {"constant": 0.9}}, ["constant", "lambda"]),
    "n1 above n2": ({"schedule": {"equal_weights": [5, 3]}}, ["n1 = 5", "n2 = 3"]),
    "n1 zero": ({"schedule": {"equal_weights": [0, 3]}}, ["n1 = 0"]),
    "one bound": ({"schedule": {"equal_weights": [3]}}, ["equal_weights", "n1 ≤ n2"]),
    "n2 huge": ({"schedule": {"equal_weights": [1, 10**9]}}, ["1000000000"]),
    "zero steps": ({"schedule": {"n_step": 0}}, ["n_step", "0"]),
    "huge n": ({"schedule": {"n_step": 10**12}}, ["n_step", "1000000000000"]),
    "2.5 steps": ({"schedule": {"n_step": 2.5}}, ["n_step", "5/2"]),
    "weights below one": ({"schedule": {"weights": [0.5, 0.4]}}, ["weights", "9/10"]),
    "negative weight": ({"schedule": {"weights": [1.5, -0.5]}}, ["2-step", "-1/2"]),
    "no weights": ({"schedule": {"weights": []}}, ["weights", "0"]),
    "too many λ's": ({"schedule": {"lambdas": [1] * 3000}}, ["3000", "2000"]),
    "unknown schedule": ({"schedule": {"lambda": [1]}}, ["schedule", "'lambda'"]),
    "two schedules": ({"schedule": {"n_step": 1, "lambdas": []}}, ["schedule", "n_step, lambdas"]),
    "empty schedule": ({"schedule": {}}, ["schedule", "n_step"]),
    "schedule is a list": ({"schedule": [1]}, ["schedule", "a list"]),
    "lambdas is a number": ({"schedule": {"lambdas": 1}}, ["lambdas", "'1'"]),
    "policy too wide": ({"behaviour": [[0.5, 0.5, 0], [0.5, 0.5]]}, ["row s0", "behaviour", "3 entries", "2"]),
    "policy too short": ({"behaviour": [[0.5, 0.5]]}, ["behaviour", "1 row", "2"]),
    "policy is a name": ({"behaviour": "uniform"}, ["behaviour", "uniform"]),
    "policy row is a number": ({"target": [1, 0]}, ["target", "row s0"]),
    "target alone": ({"behaviour": None}, ["target", "behaviour"]),
    "no policy": ({"behaviour": None, "target": None}, ["behaviour", "2 actions"]),
    "ragged transitions": (
        {"transitions": {"stay": [[1, 0], [0, 1]], "go": [[0, 1], [1]]}},
        ["row s1", "go", "1 entry", "2"],
    ),
    "transitions of two sizes": (
        {"transitions": {"stay": [[1]], "go": [[0, 1], [1, 0]]}},
        ["go", "2 rows", "1"],
    ),
    "transitions not square": ({"transitions": {"stay": [[1, 0, 0]], "go": [[1]]}}, ["row s0", "3 entries"]),
    "no state": ({"transitions": [], "actions": None}, ["transitions", "empty state space"]),
    "no state for an action": ({"transitions": {"stay": [], "go": []}}, ["stay", "empty state space"]),
    "no entries": ({"transitions": [[]], "actions": None}, ["row s0", "transitions", "0 entries"]),
    "no action": ({"transitions": {}, "actions": None}, ["transitions", "no action"]),
    "transitions is a string": ({"transitions": "P", "actions": None}, ["transitions", "'P'"]),
    "rewards too short": ({"rewards": [1]}, ["rewards", "1 entry", "2"]),
    "rewards too long": ({"rewards": [[1, 0], [0, 1], [0, 0]]}, ["rewards", "3 rows", "2"]),
    "rewards mixed": ({"rewards": [[1, 0], 2]}, ["rewards", "row s1"]),
    "rewards mixed the other way": ({"rewards": [1, [1, 0]]}, ["rewards", "entry s1", "a list"]),
    "rewards is a number": ({"rewards": 1}, ["rewards", "'1'"]),
    "rewards of an unknown action": ({"rewards": {"stay": [1, 2], "run": [0, 0]}}, ["rewards", "'go'"]),
    "rewards of one action": ({"rewards": {"stay": [1, 2]}}, ["rewards", "'go'"]),
    "features too short": ({"features": [[1]]}, ["features", "1 row", "2"]),
    "features ragged": ({"features": [[1, 2], [3]]}, ["features", "row s1", "1 entry", "2"]),
    "features without columns": ({"features": [[], []]}, ["features", "row s0", "0 entries"]),
    "features of an unknown kind": ({"features": "one-hot"}, ["features", "one-hot", "tabular"]),
    "features is a number": ({"features": 3}, ["features", "'3'"]),
    "unknown key": ({"reward": [0, 0]}, ["'reward'", "rewards"]),
    "no transitions": ({"transitions": None}, ["'transitions'", "missing"]),
    "no rewards": ({"rewards": None}, ["'rewards'", "missing"]),
    "no discount": ({"discount": None}, ["'discount'", "missing"]),
    "no format": ({"format": None}, ["format", "tdcert-model/1"]),
    "other format": ({"format": "tdcert-model/2"}, ["tdcert-model/2", "tdcert-model/1"]),
    "format is a number": ({"format": 1}, ["format", "'1'"]),
    "actions twice": ({"actions": ["go", "go"]}, ["'go'", "twice"]),
    "actions and transitions differ": ({"actions": ["go", "run"]}, ["'run'"]),
    "actions for one matrix": ({"transitions": [[1, 0], [0, 1]]}, ["actions", "2 names"]),
    "actions is a string": ({"actions": "go"}, ["actions", "list"]),
    "actions are numbers": ({"actions": [0, 1]}, ["actions", "string"]),
    "unprintable action": ({"transitions": {"a\nb": [[1]]}, "actions": None}, ["a\\nb"]),
    "lone surrogate": ({"transitions": {"\ud800": [[1]]}, "actions": None}, ["\\ud800"]),
    "name is a number": ({"name": 5}, ["name", "'5'"]),
    "name of two lines": ({"name": "a\nb"}, ["name", "a\\nb"]),
}


@pytest.mark.parametrize("case", BAD_MODELS)
def test_bad_models_are_refused_by_name_and_place(case: str) -> None:
    changes, named = BAD_MODELS[case]
    message = refused(changed(**changes))
    assert all(part in message for part in named), message


def test_sums_beyond_floats_and_printable_integers() -> None:
    """Exact sums that no float holds, and that Python refuses to print (more than 4,300 digits)."""
    assert "about 2e+308" in refused(changed(behaviour=[[10**308, 10**308], [1, 0]]))
    # Odd numbers near 10^399 have few common factors: the sum of 24 inverses has thousands of digits.
    row = [f"1/{10**399 + 2 * k + 1}" for k in range(24)]
    n = len(row)
    document = {
        "format": "tdcert-model/1",
        "transitions": [row] * n,
        "rewards": [0] * n,
        "discount": 0.5,
    }
    assert "row s0" in refused(document)


DUPLICATES = [
    ('{"format": "tdcert-model/1", "discount": 1, "discount": 0.5}', "'discount'"),
    (json.dumps(GOOD).replace('"go": [[0, 1]', '"stay": [[0, 1]'), "'stay'"),
    (json.dumps(changed(schedule="@")).replace('"@"', '{"n_step": 1, "n_step": 2}'), "'n_step'"),
]


@pytest.mark.parametrize(("text", "named"), DUPLICATES, ids=[named for _, named in DUPLICATES])
def test_duplicate_keys_are_refused(text: str, named: str) -> None:
    message = refused(text)
    assert named in message and "twice" in message


@pytest.mark.parametrize("text", ["[]", "3", '"x"', "null", "true", "NaN"])
def test_documents_that_are_no_objects(text: str) -> None:
    assert "object" in refused(text)


BAD_BYTES: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "empty"),
    "blank": (b" \n\t\n", "empty"),
    "truncated": (json.dumps(GOOD).encode()[:-20], "JSON"),
    "two documents": (json.dumps(GOOD).encode() * 2, "JSON"),
    "not JSON": (b"transitions:\n  - [0, 1]\n", "line 1"),
    "binary": (bytes(range(256)), "UTF-8"),
    "NUL": (b"\0" * 100, "JSON"),
    "UTF-16": (json.dumps(GOOD).encode("utf-16"), "UTF-8"),
    "deep list": (b"[" * 200_000 + b"]" * 200_000, "deep"),
    "deep object": (b'{"a":' * 200_000 + b"1" + b"}" * 200_000, "deep"),
    "deep and truncated": (b"[" * 200_000, "deep"),
    "deep entry": (json.dumps(GOOD).replace("[[1], [2]]", "[" * 900 + "]" * 900).encode(), "features"),
}


@pytest.mark.parametrize("case", BAD_BYTES)
def test_unreadable_content(case: str, tmp_path: Path) -> None:
    content, named = BAD_BYTES[case]
    path = tmp_path / "model.json"
    path.write_bytes(content)
    message = refusal(lambda: load_model(path))
    assert named in message and "model.json" in message, message


def test_a_byte_order_mark_is_accepted(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text(json.dumps(GOOD), encoding="utf-8-sig")
    assert load_model(path).model.digest == loads_model(json.dumps(GOOD)).model.digest


def test_unreadable_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = tmp_path / "no such\nmodel.json"
    assert "there is no file" in refusal(lambda: load_model(missing))
    assert "give the path of a CSV file" in refusal(lambda: array_file(str(tmp_path / "law.csv")))
    assert "directory" in refusal(lambda: load_model(tmp_path))
    assert "cannot be read" in refusal(lambda: load_model("a\0b"))
    assert "cannot be read" in refusal(lambda: load_model("x" * 5000 + ".json"))
    assert "cannot be read" in refusal(lambda: load_model(EXAMPLES / "boyan_chain.json" / "below"))

    def denied(*_: object, **__: object) -> None:  # root may read everything: permission is taken away here
        raise PermissionError

    monkeypatch.setattr(builtins, "open", denied)
    message = refusal(lambda: load_model(EXAMPLES / "boyan_chain.json"))
    assert "permission" in message and "boyan_chain.json" in message


def test_huge_files_are_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.truncate(limits.MAX_BYTES + 1)  # sparse: takes no room on the disk
    message = refusal(lambda: load_model(path))
    assert "256 MiB" in message and "huge.json" in message


def test_errors_inside_a_file_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text(json.dumps(changed(discount=2)))
    assert refusal(lambda: load_model(str(path))).startswith(f"'{path}'")


LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.just([]),
    st.just({}),
    st.lists(st.integers(0, 1), max_size=3),
    st.sampled_from(["1/0", "1/2", "uniform", [[1]], [[1, 0], [0, 1]]]),
)


@settings(deadline=None)
@given(st.sampled_from(sorted(GOOD)), LEAVES)
def test_any_value_under_any_key_is_read_or_refused(key: str, value: Any) -> None:
    """Nothing but a model or one line comes back, whatever JSON can hold stands under a key."""
    text = json.dumps({**GOOD, key: value})
    try:
        assert loads_model(text).model.n == 2
    except InputError as error:
        assert str(error).isprintable() and str(error)


@given(st.integers(0, 2**32))
def test_damaged_text_is_read_or_refused(seed: int) -> None:
    """Cut, doubled and overwritten pieces of a model: a model or one line, never anything else."""
    generator = random.Random(seed)
    text = json.dumps(GOOD)
    for _ in range(generator.randint(1, 3)):
        i, j = sorted(generator.sample(range(len(text)), 2))
        overwritten = text[:i] + generator.choice('[]{}",:-1e.') + text[i + 1 :]
        text = generator.choice([text[:i] + text[j:], text[:j] + text[i:], overwritten])
    try:
        loads_model(text)
    except InputError as error:
        assert str(error).isprintable() and str(error)
