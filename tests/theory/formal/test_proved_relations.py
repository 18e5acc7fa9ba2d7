"""Relations in the checker that is proved correct: each word means there what it means in the tests of the Python
checker, and whatever is asked, the two answer alike.

The expected values are those of ``Naive`` in ``test_relations.py``, sums over powers and over paths as the paper writes
them.
"""

from __future__ import annotations

import json
import random
import shutil
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tdcert.reports.proved_checker import ProvedChecker, reads
from tdcert.theory.certificate.checker import Rejected, check_text, limits
from tdcert.theory.certificate.checker.relation import count_nodes
from tdcert.theory.expressions.relations import Path, decide_relations, list_form
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Certificate
from tests.effort import by_default, examples, later
from tests.theory.certificate.by_hand import Json, Rows, add, column, diag, eye, mul, solve, times, tr
from tests.theory.certificate.convergence_by_hand import damaged
from tests.theory.certificate.test_relations import (
    ABSENT_SOMEWHERE,
    CASES,
    ENDLESS,
    HOSTILE,
    MISSING,
    OFF,
    SENTENCES,
    SETTINGS,
    Setting,
    by_permutations,
    certify,
    expectations,
    on_alternating,
    questions,
    written,
)

F = Fraction
NO_SUM = "not read: the powers of the kernel have no sum at some state"
pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed here")


def answer(checker: ProvedChecker, certificate: Json) -> str:
    """``accepted`` or ``refused``, as the Python checker says, in the same words where it is accepted; or why the
    proved one does not read it."""
    text = json.dumps(certificate).encode()
    said = checker.ask(text)
    if said.startswith("not read: "):
        assert not reads(certificate)
        return said
    try:
        assert said == f"accepted: {check_text(text).rpartition(' (model ')[0]}"
    except Rejected as error:
        assert said.startswith("refused: no conclusion; ") and "unexpected" not in str(error), (said, text)
        return "refused"
    return "accepted"


def has_values(checker: ProvedChecker, setting: Setting, expected: list[tuple[Any, Rows]]) -> None:
    """These are the values, entry by entry, and shape by shape; none is another number, as one of four signs says."""
    relations: list[Any] = []
    for k, (expression, rows) in enumerate(expected):
        cells = [(("entry", expression, i, j), x) for i, row in enumerate(rows) for j, x in enumerate(row)]
        relations += [(cell, "=", str(x)) for cell, x in cells]
        total = sum((x for row in rows for x in row), F(0))
        relations.append((("@", ("T", f"ones:{len(rows)}"), expression, f"ones:{len(rows[0])}"), "=", str(total)))
        cell, x = cells[-1]
        sign, other = (("=", x + F(1, 10**9)), ("!=", x), ("<", x), ("<=", x - F(1, 10**9)))[k % 4]
        assert answer(checker, setting.certificate([(cell, sign, str(other))])) == "refused", expression
        for sign, other in (("!=", x + F(1, 10**9)), ("<", x + F(1, 10**9)), ("<=", x)):
            relations.append((cell, sign, str(other)))
    for start in range(0, len(relations), 60):
        assert answer(checker, setting.certificate(relations[start : start + 60])) == "accepted"


@pytest.mark.parametrize("name", later(CASES, lambda name: name != "endless"))
def test_every_name(node: ProvedChecker, name: str) -> None:
    setting = SETTINGS[name]
    values = setting.naive.named()
    assert all(reads(setting.certificate([(word, "=", word)])) for word in values)
    has_values(node, setting, list(values.items()))


# One product is not zero, 5/2 1 2 4 3, with five inversions of the columns 5 1 2 4 3; nearly no pivot is in its place.
NO_PIVOTS = [
    ["0", "0", "0", "0", "5/2"],
    ["1", "0", "0", "0", "7"],
    ["-1", "2", "0", "0", "0"],
    ["0", "0", "0", "4", "1"],
    ["0", "0", "3", "0", "1/3"],
]
# The first column is zero, and the last row the difference of the others: no pivot is left for the last one.
RANK_TWO = [["0", "1", "2", "0"], ["0", "0", "3", "0"], ["0", "2", "1", "0"], ["0", "1", "-1", "0"]]


@pytest.mark.parametrize("name", later(CASES, lambda name: name != "endless"))
def test_every_operation(node: ProvedChecker, name: str) -> None:
    setting = SETTINGS[name]
    naive = setting.naive
    n, Phi, N, r = naive.n, naive.Phi, naive.N, naive.r
    has_values(
        node,
        setting,
        [
            ("-7/3", [[F(-7, 3)]]),
            (("+", "N", "I", "P_mu", "N"), add(add(add(N, eye(n)), naive.P_mu), N)),
            (("-", "N", "P_pi"), add(N, naive.P_pi, -1)),
            (("-", "r"), times(-1, r)),
            (("*", ("entry", "N", 0, 1), "theta"), times(N[0][1], column(naive.theta))),
            (("@", ("T", "Phi"), "D", "N", "Phi"), mul(mul(mul(tr(Phi), diag(naive.d)), N), Phi)),
            (("@", "M", "S", "r"), mul(naive.M, mul(naive.S, r))),
            (("@", ("T", "r"), "M"), mul(tr(r), naive.M)),
            (("@", "S", "M"), mul(naive.S, naive.M)),
            (("^", "N", 0), eye(n)),
            (("^", "N", 3), mul(N, mul(N, N))),
            (("^", "-1/2", 5), [[F(-1, 32)]]),
            (("T", "Phi"), tr(Phi)),
            (("sum", "N"), [[sum((x for row in N for x in row), F(0))]]),
            (("entry", "Phi", n - 1, 0), [[Phi[n - 1][0]]]),
            (("diag", "r"), diag([x for (x,) in r])),
            (("solve", ("+", "I", ("@", "N", ("T", "N"))), "Phi"), solve(add(eye(n), mul(N, tr(N))), Phi)),
            (("solve", "-3/2", "7"), [[F(-14, 3)]]),
            (("beside", "r", "N", "Phi"), [[*a, *b, *c] for a, b, c in zip(r, N, Phi, strict=True)]),
            (("over", ("T", "r"), "N", ("T", "ones")), [*tr(r), *N, [F(1)] * n]),
            (("beside", "r"), r),
            (("pairs", "N"), on_alternating(N)),
            (("det", "-7/3"), [[F(-7, 3)]]),
            (("det", ("+", "I", ("@", "N", ("T", "N")))), [[by_permutations(add(eye(n), mul(N, tr(N))))]]),
            (("det", ("over", ("beside", "0", "1/2"), ("beside", "3", "1"))), [[F(-3, 2)]]),
            (("det", ("over", *(("beside", *row) for row in NO_PIVOTS))), [[F(-60)]]),
            (("det", ("over", *(("beside", *row) for row in RANK_TWO))), [[F(0)]]),
        ],
    )


def test_an_entry_may_lie_beyond_the_longest_name(node: ProvedChecker) -> None:
    row = ("T", "ones:2002")
    for place, expected in ((4003, "accepted"), (4004, "refused")):
        found = ("entry", ("beside", row, row), 0, place)
        assert answer(node, SETTINGS["endless"].certificate([(found, "=", "1")])) == expected


@pytest.mark.thorough
@pytest.mark.parametrize("name", CASES)
def test_every_name_along_short_paths(node: ProvedChecker, name: str) -> None:
    setting = SETTINGS[name]
    naive = setting.naive
    for steps, start in ((0, 1), (2, 0), (3, 1)):
        for walk in naive.walks(start, steps)[:: 3 + 7 * steps]:
            path, found = Path(*walk), naive.on_path(walk)
            has_values(node, setting, [(("on", path, word), rows) for word, rows in found.items()])
            for word in sorted(ABSENT_SOMEWHERE - set(found)):
                assert answer(node, setting.certificate([(("on", path, word), "=", ("on", path, word))])) == "refused"


def test_the_ratio_matters_in_the_window_of_the_trace_alone(node: ProvedChecker) -> None:
    setting = Setting({**MISSING, "schedule": {"lambdas": []}}, "target")
    walk = (0, 1, 0), (1, 0)
    path = Path(*walk)
    has_values(node, setting, [(("on", path, "zrho:1"), setting.naive.on_path(walk)["zrho:1"])])
    for word in ("rho:0", "zrho:0"):
        assert answer(node, setting.certificate([(("on", path, word), "=", ("on", path, word))])) == "refused"


@pytest.mark.parametrize("name", later(CASES, lambda name: name != "endless"))
def test_expectations(node: ProvedChecker, name: str) -> None:
    has_values(node, SETTINGS[name], expectations(SETTINGS[name].naive))


def test_paths_inside_paths_and_plain_names_on_paths(node: ProvedChecker) -> None:
    setting = SETTINGS["constant discount"]
    naive, outer, short = setting.naive, Path((0, 1), (0,)), Path((1,), ())
    value = naive.on_path(((0, 1), (0,)))["v:1"]
    has_values(
        node,
        setting,
        [
            (("on", outer, ("+", "v:1", ("on", short, "v:0"))), times(2, value)),
            (("on", short, "gamma"), [[F(9, 10)]]),
            (("on", outer, ("*", "kappa", "Phi")), times(naive.named()["kappa"][0][0], naive.Phi)),
            (("on", outer, ("solve", ("+", "2", ("*", "R:0", "R:0")), "1")), [[1 / (2 + naive.R[0][0][1] ** 2)]]),
            (("E", "mu", 0, 1, ("E", "pi", "d", 0, "1")), [[F(1)]]),
            (("E", "mu", 0, 1, ("on", outer, "v:1")), value),
            (("on", outer, ("E", "pi", 1, 0, "v:0")), value),
        ],
    )


@pytest.mark.parametrize("part", by_default(1, range(4)))
def test_a_hostile_expression_is_refused_or_not_read(node: ProvedChecker, part: int) -> None:
    told = {"refused": 0, "not read": 0}
    for name, expression, words in HOSTILE[part::4]:
        for relations in ([[expression, "=", "1"]], [["1", "=", "1"], ["1", "<=", expression]]):
            if words != "--patient":
                text = json.dumps(SETTINGS[name].certificate(relations)).encode()
                told[node.ask(text, 30).partition(":")[0]] += 1
    assert told["refused"] > 40


def test_what_is_given_is_verified_whether_used_or_not(node: ProvedChecker) -> None:
    law, same = SETTINGS["off-policy"].witness["stationary"], [["I", "=", "I"]]
    about = {"class": [0, 1, 2]}
    for certificate in (
        certify(OFF, same),
        certify(OFF, same, about),
        certify(OFF, same * 2, about, stationary=law, theta=["1", "2"]),
        certify(OFF, [["d", "<", "ones"]], {**about, "kernel": "covered"}, stationary=law),
    ):
        assert answer(node, certificate) == "accepted"
    for certificate in (
        certify(OFF, same, stationary=law),
        certify(OFF, same, {"class": [0]}),
        certify(OFF, same, {"class": [0, 1]}, stationary=law),
        certify(OFF, same, {"class": [0, 2, 1]}, stationary=law),
        certify(OFF, same, about, stationary=["1/3"] * 3),
        certify(OFF, same, about, stationary=law[:2]),
        certify(OFF, same, {"kernel": "both"}),
        certify(OFF, same, {"eta": "1"}),
        certify(OFF, same, vector=["1", "2"]),
        certify(OFF, same, theta=["1"]),
        certify(OFF, same, theta=["1", "2/4"]),
        certify(OFF, [["d", "=", "d"]], about),
        certify(OFF, [["A", "=", "A"]], about),
        certify(OFF, [["theta", "=", "theta"]]),
        certify(OFF, [["gamma", "=", "gamma"]]),
        certify(OFF, []),
        certify(OFF, {}),
        certify(OFF, [["I", "=", "I", "="]]),
        certify(OFF, [["I", ">", "I"]]),
        certify(OFF, [["1", "=", "1"]] * 501),
    ):
        assert answer(node, certificate) == "refused"


def test_the_sentence_names_the_kernel_and_theta(node: ProvedChecker) -> None:
    short = certify(MISSING, [[["@", "P_pi", "ones"], "!=", "ones"]], {"kernel": "covered"}, theta=["1", "-1/2"])
    assert answer(node, short) == "accepted"  # in the same words as the Python checker
    assert node.ask(json.dumps(short).encode()).endswith(", on all states, kernel covered, theta = (1, -1/2)")


@pytest.mark.parametrize("relations", SENTENCES.values())
def test_the_sentence_holds_all_relations_or_says_how_many_follow(node: ProvedChecker, relations: Json) -> None:
    assert answer(node, certify(OFF, relations)) == "accepted"  # in the same words as the Python checker


def test_the_prime_that_the_python_checker_works_with_first_is_a_number_like_others(node: ProvedChecker) -> None:
    for factor in (2**521 - 1, (2**521 - 1) ** 2, 2**521 + 1):
        assert answer(node, certify(OFF, [[["solve", str(factor), "1"], "=", f"1/{factor}"]])) == "accepted"
        assert answer(node, certify(OFF, [[["solve", str(factor), "1"], "=", f"1/{factor + 1}"]])) == "refused"
    assert answer(node, certify(OFF, [[["solve", "0", "1"], "=", "0"]])) == "refused"


def test_a_discount_that_happens_to_be_the_same_has_no_name(node: ProvedChecker) -> None:
    """The theorem would not mind, but the Python checker asks for one number."""
    rows = {a: [["4/5", "4/5"], ["4/5", "4/5"]] for a in ("x", "y")}
    for discount, told in (("4/5", "accepted"), (rows, "refused")):
        assert answer(node, certify({**ENDLESS, "discount": discount}, [["gamma", "=", "4/5"]])) == told


def test_series_without_a_sum(node: ProvedChecker) -> None:
    forever = {**ENDLESS, "discount": "1", "schedule": {"constant": {"lambda": "1"}}}
    assert answer(node, certify(forever, [["V", "=", "V"]])) == "refused"
    assert answer(node, certify(forever, [["S", "=", "S"]])) == "refused"
    assert answer(node, certify(forever, [["kappa", "=", "kappa"]])) == "refused"
    assert answer(node, certify({**forever, "discount": "1/2"}, [["kappa", "=", "0"]])) == "accepted"
    # A law is read where nothing is summed, and A is not.
    everywhere, half = {"class": [0, 1]}, ["1/2", "1/2"]
    swapped = {**forever, "transitions": {a: [["0", "1"], ["1", "0"]] for a in ("x", "y")}}
    swapped |= {"target": swapped["behaviour"]}
    for relation, told in (
        (["@", ["T", "N"], "d"], "accepted"),
        (["+", "d", ["*", "0", ["@", "D", "r"]]], "accepted"),
        (["+", "d", ["*", "0", ["@", "Phi", "b"]]], "refused"),
        (["+", "d", ["*", "0", ["@", "Phi", "A", "theta"]]], "refused"),
    ):
        given = certify(swapped, [[relation, "=", "d"]], everywhere, stationary=half, theta=["1"])
        assert reads(given) and answer(node, given) == told
    assert answer(node, certify(forever, [["w:7", "=", "0"], ["c:2002", "=", "1"]])) == "accepted"
    # State 1 is left for ever and has no part in the sums from the class {0}: A needs no more, and a bare S does.
    leaves = {**forever, "transitions": {a: [["1", "0"], ["0", "1"]] for a in ("x", "y")}}
    leaves |= {"discount": {a: [["1/2", "0"], ["0", "1"]] for a in ("x", "y")}}
    about, law = {"class": [0]}, ["1", "0"]
    assert answer(node, certify(leaves, [["A", "=", "-1"]], about, stationary=law)) == "accepted"
    assert answer(node, certify(leaves, [["A", "=", "1"]], about, stationary=law)) == "refused"
    sums = [[["@", ["T", "Phi"], "D", "S", ["-", "N", "I"], "Phi"], "=", "A"]]
    assert answer(node, certify(leaves, sums, about, stationary=law)) == NO_SUM


UNDER_A_MEAN: Json = ["E", "mu", 0, 1, ["solve", ["+", "1", ["*", "R:0", "R:0"]], "1"]]


DETERMINANT: Json = ["E", "mu", 0, 1, ["det", ["*", "R:0", "I"]]]


@pytest.mark.parametrize("expression", [UNDER_A_MEAN, DETERMINANT])
def test_what_is_outside_its_language_is_not_read(node: ProvedChecker, expression: Json) -> None:
    certificate = certify(OFF, [[["*", "2", expression], "=", ["+", expression, expression]]])
    assert not reads(certificate) and answer(node, certificate).startswith("not read: it ")
    assert check_text(json.dumps(certificate)).startswith("1 relation")


TRUE_EVERYWHERE: Json = [
    [["@", ["T", "Phi"], "D", "S", ["-", ["@", "N", "Phi"], ["@", ["diag", "q"], "Phi"]]], "=", "A"],
    [["@", ["T", "Phi"], "D", "S", "r"], "=", "b"],
    [["@", ["T", "Phi"], "D", "Phi"], "=", "C"],
    [["@", "S", ["-", "N", "I"]], "=", ["-", "M", "I"]],
    [["+", ["@", "S", "r"], ["@", "M", "V"]], "=", "V"],
    [["@", ["T", "P_mu"], "d"], "=", "d"],
    [["@", "C", ["solve", "C", "b"]], "=", "b"],
    [["+", "w:1", "c:1"], "=", "1"],
    [["@", "Lambda:3", "ones:3"], "=", "ones:3"],
    [["entry", "Lambda:3", 1, 1], "=", "lambda:1"],
    [["^", "N", 2], "=", ["@", "N", "N"]],
    ["theta", "!=", ["*", "0", "theta"]],
    [["*", "0", "P_pi"], "<=", "P_pi"],
    ["0", "<", ["entry", "d", 0, 0]],
    [["sum", "d"], "=", "1"],
    [["@", ["beside", "I", "N"], ["over", "r", "V"]], "=", ["+", "r", ["@", "N", "V"]]],
    [["det", ["+", "I", "P_mu"]], "=", ["det", ["T", ["+", "P_mu", "I"]]]],
    [["pairs", ["T", "P_pi"]], "=", ["T", ["pairs", "P_pi"]]],
    [["E", "mu", "d", 1, ["*", "delta:0", "z:0"]], "=", ["E", "mu", "d", 1, ["*", "delta:0", "phi:0"]]],
    [["on", [0, [0, 1]], ["-", "delta:0", "R:0"]], "=", ["on", [0, [0, 1]], ["-", ["*", "gamma:0", "v:1"], "v:0"]]],
]


@pytest.mark.thorough
@pytest.mark.parametrize("name", later(CASES, lambda name: name != "endless"))
def test_both_checkers_agree_about_mutants(node: ProvedChecker, name: str) -> None:
    """A word, a number or a list is another one, of one relation or of the model; or a relation is turned round."""
    rng, setting, found = random.Random(name), SETTINGS[name], Counter[str]()
    for relation in TRUE_EVERYWHERE:
        genuine = setting.certificate([relation])
        assert answer(node, genuine) == "accepted"
        left, sign, right = relation
        contrary = {"=": "!=", "!=": "=", "<": "<=", "<=": "<"}[sign]
        turned = [[left, contrary, right] if sign in ("=", "!=") else [right, contrary, left]]
        assert answer(node, setting.certificate(turned)) == "refused"
        for _ in range(examples(25)):
            found[answer(node, damaged(rng, genuine)).partition(":")[0]] += 1
    assert found["refused"] > 30 and found["accepted"] > 3


@pytest.mark.thorough
@settings(max_examples=examples(500), deadline=None, suppress_health_check=list(HealthCheck))
@given(questions(), st.sampled_from(["=", "!=", "<", "<="]), st.sampled_from(["other", "same", "zero added"]))
def test_answers_and_their_contraries(
    node: ProvedChecker, question: tuple[Model, str, list[F], Any, Any], sign: str, how: str
) -> None:
    """The certificate of the answer is accepted by both, that of the contrary is refused by both."""
    model, kernel, theta, left, other = question
    right = {"other": other, "same": left, "zero added": ("+", left, ("*", "0", other))}[how]
    assume(count_nodes(*list_form([left, right])) < limits.MAX_NODES - 10)
    (found,) = decide_relations(model, [(left, sign, right)], kernel=kernel, theta=theta).certificates
    ((a, told, b),) = found.witness["relations"]
    contrary = {"=": [a, "!=", b], "!=": [a, "=", b], "<": [b, "<=", a], "<=": [b, "<", a]}[told]
    false = Certificate("relation", found.about, {**found.witness, "relations": [contrary]})
    true = json.loads(written(found, model))
    assume(reads(true))
    assert answer(node, true) == "accepted"
    assert answer(node, json.loads(written(false, model))) == "refused"
