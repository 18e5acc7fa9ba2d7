"""Small files cannot hold the checker: the work is estimated first, and beyond ten seconds only `--patient` does it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tdcert.reports import cli
from tdcert.theory.certificate import checker
from tdcert.theory.certificate.checker import NotChecked, check_text, limits
from tdcert.theory.certificate.checker.budget import BUDGET, SPENT, Kept, passing, spend
from tdcert.theory.certificate.checker.model import Case, Model, add
from tdcert.theory.certificate.checker.windows import Jumps
from tests.effort import later
from tests.theory.certificate.by_hand import certify, matrix, seal
from tests.theory.certificate.test_checker import (
    CHAIN,
    DOUBLING,
    FORGED,
    SINGLE,
    TRANSIENT,
    TRUE,
    UNCOVERED,
    UNEVEN,
    decimal,
    one_action,
    refusal,
    second,
)

Json = Any

LONG = "7" * 10_000
COIN = one_action(matrix("1/2 1/2", "1/2 1/2"), "9/10", matrix("1", "2"), ["0", "0"], {"lambdas": []})
FOREVER = {**CHAIN, "schedule": {"constant": {"lambda": "3/4"}}}
TD = {"class": [0, 1], "algorithm": "off_policy_td", "step": "1/100"}
POWERS = [[[1 if j == i else k if j == 99 else 0 for j in range(100)], []] for i in range(99) for k in range(12)]
PATH = [0, *[[0, (1, 2, 0)[i % 3]] for i in range(600)]]


def windows(length: int, lam: str = "1/3", model: Json = COIN, **about: str) -> Json:
    model = {**model, "schedule": {"lambdas": [lam] * length}}
    states = list(range(len(model["features"])))
    return second("bounded", model, {**TD, "class": states, **about}, lyapunov=[])


def says(model: Json, *expressions: Json) -> Json:
    """That something is one: the work comes before the answer."""
    theta = ["1"] * len(model["features"][0])
    return certify("relation", model, {}, {"theta": theta, "relations": [[x, "=", "1"] for x in expressions]})


def tower(*powers: int) -> Json:
    value: Json = "3/2"
    for k in powers:
        value = ["^", value, k]
    return value


HEAVY: dict[str, Json] = {
    "windows of two states": windows(13),
    "windows of many states": windows(1_999, lam="1"),
    "windows in one row": windows(2_000, model=SINGLE),
    "windows of tdc": windows(13, algorithm="tdc", eta="1"),
    "windows with long numbers": windows(9, model={**COIN, "discount": f"1/{LONG}"}),
    "paths": says(CHAIN, ["E", "mu", 0, 13, "G"]),
    "paths in paths": says(CHAIN, ["E", "mu", 0, 9, ["E", "mu", 0, 9, "R:1"]]),
    "paths in sums in paths": says(CHAIN, ["E", "pi", 1, 9, ["+", "1", ["*", "2", ["E", "mu", 0, 9, "R:1"]]]]),
    "a long trace": says({**FOREVER, "discount": f"1/{LONG}"}, ["on", PATH, "z:590"]),
    "a long trace of long weights": says(
        {**FOREVER, "schedule": {"constant": {"lambda": f"1/{LONG}"}}}, ["on", PATH, "z:590"]
    ),
    "a long return": says(
        {**CHAIN, "rewards": {"go": [f"1/{LONG}", f"1/{LONG}1", "0"]}, "schedule": {"lambdas": ["3/7"] * 590}},
        ["on", PATH, "G"],
    ),
    "a tower of powers": says(SINGLE, tower(199, 199, 199)),
    "a tower of matrices": says({**CHAIN, "discount": f"{LONG[:30]}/1{'0' * 30}"}, ["^", ["^", "N", 99], 199]),
    "kappa": says({**CHAIN, "discount": f"1/{LONG}", "schedule": {"lambdas": ["1/2"] * 1_000}}, "kappa"),
    "products of lambdas": says({**CHAIN, "schedule": {"lambdas": [f"1/{LONG[:5000]}"] * 100}}, "c:100"),
    "the weight matrix": says({**CHAIN, "schedule": {"lambdas": ["3/7"] * 1_000}}, "Lambda:1100"),
    "large products": says(CHAIN, ["@", *[["@", "ones:700", ["T", "ones:700"]]] * 2]),
    "many phases": {
        **TRUE["update, for ever"],
        "about": {**TRUE["update, for ever"]["about"], "time": 10**6},
        "witness": {
            **TRUE["update, for ever"]["witness"],
            "phases": [{**TRUE["update, for ever"]["witness"]["phases"][0], "start": t} for t in range(15_000)],
        },
    },
    "divisors of a high degree": {
        **TRUE["update, for ever, divided by two"],
        "about": {
            **TRUE["update, for ever, divided by two"]["about"],
            "update": {
                **TRUE["update, for ever, divided by two"]["about"]["update"],
                "moves": [[[0, [], [[[1], [[0, 0, 0, "-1"]]]], [[[0], "1"], [[98], f"1/{x}"]]] for x in (8, 9)]],
            },
        },
        "witness": {**TRUE["update, for ever, divided by two"]["witness"], "rest": ["0"]},
    },
    "many exponents, one of a high degree": {
        **TRUE["update, for ever, divided"],
        "about": {
            **TRUE["update, for ever, divided"]["about"],
            "update": {
                **TRUE["update, for ever, divided"]["about"]["update"],
                "steps": [f"step_{i}" for i in range(100)],
                "moves": [[[0, [], [[[k] * 100, [[0, 0, 0, "-1"]]] for k in (1, 99)] + POWERS]]],
            },
            "ratios": ["1"] * 100,
        },
    },
    "cells under long matrices": {
        **TRUE["paths, cells"],
        "about": {
            **TRUE["paths, cells"]["about"],
            "update": {
                **TRUE["paths, cells"]["about"]["update"],
                "moves": [
                    [[0, [], [[[1], [[0, i, j, f"{x}{LONG}"] for i in (0, 1) for j in (0, 1)]]]] for x in (2, 3)]
                ],
            },
        },
        "witness": {**TRUE["paths, cells"]["witness"], "cells": 4_000, "heights": [["0"] * 4_000]},
    },
    "a large system": says(CHAIN, ["solve", *[["diag", "ones:400"]] * 2]),
    "a power of the denominator": says(CHAIN, ["det", ["*", f"1/{LONG * 5}", ["diag", "ones:100"]]]),
    "pairs of long numbers": says(CHAIN, ["pairs", ["*", LONG * 20, ["@", "ones:60", ["T", "ones:60"]]]]),
    "a large determinant": says(CHAIN, ["det", ["+", ["diag", "ones:400"], ["@", "ones:400", ["T", "ones:400"]]]]),
}


@pytest.mark.parametrize("name", later(HEAVY, lambda name: name in ("many phases", "large products")))
def test_a_small_file_that_asks_for_much_is_refused_at_once(name: str) -> None:
    given = json.dumps(HEAVY[name])
    assert len(given) < 10**6
    start = time.process_time()
    with pytest.raises(NotChecked, match=r"^the work is estimated at \d+ s or more, and 10 s are granted; --patient"):
        check_text(given)
    assert time.process_time() - start < 2


def update(moves: Json, **more: Json) -> Json:
    return {**TRUE["update, stable"]["about"]["update"], "contexts": [0] * len(moves), "moves": moves, **more}


def round_trip(count: int, first: Json) -> Json:
    """Moves of so many contexts of one state, each to the next; the first does something to the memory."""
    return [[[(h + 1) % count, [] if h else first, []]] for h in range(count)]


RING = one_action(
    [[Fraction(int(j == (i + 1) % 12)) for j in range(12)] for i in range(12)],
    "1/2",
    [[Fraction(1)]] * 12,
    ["0"] * 12,
    {"lambdas": []},
)
MANY = 1_999


def square(size: int) -> Json:
    return ["@", f"ones:{size}", ["T", f"ones:{size}"]]


SMALL: dict[str, Json] = {
    # 10 to 20 gibibytes in one operation, each of whose numbers is quickly found
    "a long number times many": says(CHAIN, ["*", LONG * 19, square(500)]),
    "many over a long denominator, added": says(CHAIN, ["+", square(350), ["*", f"1/{LONG * 19}", square(350)]]),
    "many over a long denominator, in a row": says(CHAIN, ["beside", square(400), ["*", f"1/{LONG * 19}", "ones:400"]]),
    # 9 million pairs of a context and an entry of the memory, of which one move names two
    "contexts with a long memory": certify(
        "update_memory_bounded",
        SINGLE,
        {"class": [0], "update": update(round_trip(4_500, [[0, 0, "1/2"]]), memory=MANY)},
        {"lyapunov": []},
    ),
    # 10 million rows, one for each step size and parameter
    "step sizes": certify(
        "update_rest",
        SINGLE,
        {
            "class": [0],
            "update": update([[[0, [], []]]], parameters=MANY, steps=[f"s{i}" for i in range(5_000)]),
            "ratios": ["1"] * 5_000,
        },
        {"law": ["1"], "mean": [[]], "weights": [[]], "rest": ["0"] * MANY},
    ),
    # 12 matrices with 4 million entries
    "second moments from many states": certify(
        "update_moments",
        RING,
        {
            "update": update(
                [[[(s + 1) % 12, [], []]] for s in range(12)], parameters=MANY, contexts=list(range(12)), starts=12
            ),
            **{"steps": ["1"], "start": ["1/12"] * 12, "begin": [str(1_000 + i) for i in range(MANY)], "time": 1},
            **{"mean": ["0"] * MANY, "covariance": []},
        },
        {},
    ),
    # 12,000 vectors are held against as many
    "spans": certify(
        "update_rest",
        SINGLE,
        {
            **{"class": [0], "seen": [0], "ratios": ["1"]},
            "update": update([[[0, [[0, 0, "1/2"], [0, 1, "1"]], []]]], parameters=2, memory=1),
        },
        {
            **{"law": ["1"], "mean": [["2"]], "weights": [["3"]], "coordinates": [["1", "1"]], "rest": ["0"]},
            "spans": [[["2", "1"]] * 12_000],
        },
    ),
}
LIMITED = """
import resource, sys
sys.path.insert(0, sys.argv[1])
import checker
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))
resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
print(checker.answer(sys.argv[2], False)[1])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.parametrize("name", SMALL)
def test_a_small_file_takes_little_memory_and_time(name: str, tmp_path: Path) -> None:
    """In a process that ends at a gibibyte, or at twenty seconds: an answer, and not for want of memory."""
    path = tmp_path / "small.json"
    path.write_text(json.dumps(SMALL[name]))
    assert path.stat().st_size < 200_000
    place = str(Path(checker.__file__).parents[1])
    command = [sys.executable, "-I", "-S", "-c", LIMITED, place, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    said, grown = done.stdout.splitlines()
    assert said.startswith(("rejected", "not checked")) and "more memory than there is" not in said
    assert int(grown) < 300 * 1024, "kibibytes"


def test_what_is_gone_is_not_charged_for_good() -> None:
    """Of 5 or of 40 updates one matrix is left, and what a move needs is gone after it."""
    charged = []
    for count in (5, 40):
        about = {"update": update([[[0, [], TRUE["update, stable"]["about"]["update"]["moves"][0][0][2]]]], starts=1)}
        about |= {"steps": ["1"], "start": ["1"], "begin": ["0"], "time": count, "mean": ["0"], "covariance": [["0"]]}
        assert "about.mean" in refusal(certify("update_moments", SINGLE, about, {}))
        charged.append(SPENT.get()[1])
    assert charged[0] < charged[1] < 1.2 * charged[0]
    third, row = Fraction(1, 3), dict[int, Fraction]()
    SPENT.set([0, 0])
    with passing():
        add(row, 0, third)
        assert SPENT.get()[1] > 0
    assert SPENT.get()[0] > 0 == SPENT.get()[1]
    add(row, 0, third)
    assert row == {0: 2 * third} and 0 < SPENT.get()[1] < 10  # at most the digits that it adds


def test_what_was_asked_for_is_asked_again_where_it_is_not_made_again() -> None:
    """A file is refused for the same time and memory whatever was read before it, also where all came back."""
    inner, outer = Kept[None](), Kept[None]()

    def foreseen() -> None:
        spend(900, ahead=True)
        with passing():
            spend(10, limits.MAX_MEMORY - 5)

    def asked(spent: int, held: int, budget: int) -> list[int] | None:
        SPENT.set([spent, held])
        BUDGET.set(budget)
        try:
            outer.of("outer", lambda: inner.of("inner", foreseen))
        except NotChecked:
            return None
        return list(SPENT.get())

    for warm in ((), ("inner",), ("inner", "outer")):
        for spent, held, granted in ((0, 0, True), (7, 5, True), (7, 6, False), (8, 5, False)):
            outer.last = inner.last = None
            assert asked(0, 0, 907) == [10, 0]
            inner.last, outer.last = inner.last if warm else None, outer.last if "outer" in warm else None
            assert asked(spent, held, 907) == ([spent + 10, held] if granted else None)


# Twelve numbers of 150,000 digits are charged for greatest common divisors, which are soon found where one is 1.
PATIENCE = certify("relation", SINGLE, {}, {"relations": [["1" * 150_000 + str(i), "!=", "1"] for i in range(12)]})


@pytest.mark.thorough
def test_patience_does_the_work() -> None:
    with pytest.raises(NotChecked):
        check_text(json.dumps(PATIENCE))
    assert check_text(json.dumps(PATIENCE), None).startswith("12 relations")
    assert SPENT.get()[0] > limits.MAX_WORK


@pytest.mark.thorough
def test_the_program_tells_what_it_did_not_check_from_what_it_rejects(tmp_path: Path) -> None:
    files = {"true": TRUE["law"], "false": FORGED["definite: A at discount 1"][0], "heavy": PATIENCE}
    for name, certificate in files.items():
        (tmp_path / name).write_text(json.dumps(certificate))

    def run(*names: str) -> tuple[int, list[str]]:
        command = [sys.executable, "-I", "-S", str(Path(checker.__file__).parent), *names]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
        return done.returncode, [line.split(":")[0] for line in (done.stdout + done.stderr).splitlines()]

    assert run("true", "heavy") == (4, ["accepted", "not checked"])
    assert run("heavy", "false", "true") == (1, ["not checked", "rejected", "accepted"])
    assert run("--patient", "true", "heavy") == run("heavy", "true", "--patient") == (0, ["accepted"] * 2)
    assert run("--patient") == (1, ["rejected"])


@pytest.mark.parametrize(
    "certificate",
    [
        *(x for x in TRUE.values() if x["kind"].startswith("mean_square")),
        windows(3),
        windows(3, model=DOUBLING),
        windows(4, model=UNCOVERED),
        windows(2, model=UNEVEN, algorithm="gtd", eta="1"),
        windows(3, model={**UNEVEN, "target": UNEVEN["behaviour"], "discount": "1/2"}),  # two actions, one ratio
        {**windows(3, model=TRANSIENT), "about": TD},
        windows(4, model={**COIN, "discount": {"go": [["0", "1/2"], ["1", "1/2"]]}}),
        windows(3, model={**UNCOVERED, "discount": {"step": ["0", "1/2"], "jump": ["1/2", "0"]}}),
    ],
)
def test_windows_are_counted_before_they_are_made(certificate: Json) -> None:
    SPENT.set([0, 0])
    BUDGET.set(None)
    case = Case(Model(certificate["model"]), "", certificate["about"], certificate["witness"])
    case.about = certificate["about"]
    jumps = Jumps(case)
    assert jumps.foreseen == (jumps.count, len(jumps.moves))


@pytest.mark.thorough
def test_the_first_path_tells_what_the_others_cost() -> None:
    """64 paths, each with products of numbers of 10,000 digits: short by their count, long by their digits."""
    long = {**CHAIN, "rewards": {"go": [f"1/{LONG}", f"1/{LONG}1", f"1/{LONG}3"]}}
    few: Json = ["E", "mu", 0, 1, ["*", "R:0", "R:0"]]
    many: Json = ["E", "mu", 0, 11, ["*", "R:0", "R:1"]]
    assert "is false" in refusal(says(long, few))
    start = time.process_time()
    with pytest.raises(NotChecked):
        check_text(json.dumps(says(long, many)))
    assert time.process_time() - start < 2


@pytest.mark.parametrize("key", ["step", "upto"])
def test_a_step_of_many_digits_has_a_name(key: str) -> None:
    """2 + 10^-5000: below 4, so that second moments stay bounded."""
    step = f"{decimal(2 * 10**5000 + 1)}/{decimal(10**5000)}"
    name = "mean square, one step" if key == "step" else "mean square, every step"
    about = {"class": [0], "algorithm": "off_policy_td", key: step}
    sentence = check_text(json.dumps({**TRUE[name], "about": about}))
    assert "(10003 characters), on the recurrent class" in sentence
    assert refusal({**TRUE[name], "about": {**about, key: step.replace("2", "4", 1)}}).startswith("witness.lyapunov")


@pytest.mark.parametrize("name", TRUE)
def test_every_number_may_have_many_digits(name: str) -> None:
    """Each rational string of `about` in turn has more digits than Python prints: an answer, not a fault."""
    for key, value in TRUE[name]["about"].items():
        if isinstance(value, str) and value.lstrip("-").replace("/", "").isdigit():
            for long in (decimal(10**5000 + 1), f"1/{decimal(10**5000 + 1)}"):
                certificate = seal({**TRUE[name], "about": {**TRUE[name]["about"], key: long}})
                try:
                    assert check_text(json.dumps(certificate))
                except (checker.Rejected, NotChecked) as error:
                    assert "unexpected" not in str(error)


@pytest.mark.thorough
@pytest.mark.usefixtures("sketched")
def test_what_analyze_writes_is_checked_without_patience(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``test_certified`` asks the same of what a verification of everything writes."""
    examples = Path(__file__).resolve().parents[3] / "examples"
    monkeypatch.chdir(tmp_path)
    for model in ("boyan_chain", "random_walk_5", "two_state_theta_2theta"):
        assert cli.main(["analyze", str(examples / f"{model}.json"), "--out", model]) == 0
    written = sorted(tmp_path.glob("*/certificates/**/*.json"))
    assert len(written) > 150
    for path in written:
        assert checker.check_file(str(path))
