"""Updates by terms: what the checker makes of them on a model, entry by entry."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tdcert
from tdcert.algorithms import find, for_model
from tdcert.sims.strategies import models
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.certificate import write
from tdcert.theory.certificate.checker.budget import BUDGET, SPENT, Rejected
from tdcert.theory.certificate.checker.matrices import Matrix, integers
from tdcert.theory.certificate.checker.model import Case
from tdcert.theory.certificate.checker.model import Model as Read
from tdcert.theory.certificate.checker.update import Update
from tdcert.theory.certificate.checker.whole import Whole
from tdcert.theory.engine.certificates import tables_of
from tdcert.theory.engine.tables import tables
from tdcert.theory.engine.written_terms import written_update
from tdcert.theory.model.gallery import theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Certificate
from tests.effort import examples

HALF = Fraction(1, 2)
DIVERGES = theta_to_two_theta(Fraction(9, 10))
"""Two states, each followed by either with its own action; φ = 1, 2, R = 0; ρ is 0 or 2."""


@tdcert.algorithm(parameters={"theta": "d"}, memory={"z": "d"}, steps=("alpha",))
def reads_before(t: Any, theta: Any, z: Any, alpha: Any) -> Any:
    """All that can be read of the transition before, and a case for the first."""
    kept = t.phi_next if t.first else t.rho_before * z + t.discount_before * t.phi
    return theta + alpha * (t.reward - t.phi @ theta) * kept, kept / 2


OF_A_STEP = {"implicit_td", "true_online_td"}
"""They have tables only where the step is a number."""


def update(model: Model, about: dict[str, Any], starts: list[int] | None = None) -> Update:
    """What the checker reads of an update on the model, all of it a class; ``starts``: runs from time zero."""
    SPENT.set([0, 0])
    BUDGET.set(None)
    document = json.loads(write.text(write.document(Certificate("irreducible", {}, {}), model, None)))
    case = Case(Read(document["model"]), "", {}, {})
    case.about = {"class": list(range(model.n)), "update": about}
    return Update(case, starts or [], range(model.n))


def entries(found: Update) -> list[Any]:
    """All that it says, without zeros."""
    return [
        (
            move.target,
            move.p,
            {place: x for place, x in move.R.items() if x},
            {i: x for i, x in move.s.items() if x},
            {(powers, *place): x for powers, part in move.increments.items() for place, x in part.items() if x},
        )
        for moves in found.moves
        for move in moves
    ]


@pytest.mark.thorough
@settings(max_examples=examples(25), deadline=None)
@given(models(discount="any", policy="any", endless=True), st.booleans(), st.booleans())
def test_terms_are_the_tables(model: Model, stationary: bool, numbers: bool) -> None:
    """Of every algorithm that is shipped: each coefficient of each entry on each transition."""
    for declared in (reads_before, *find("all")):
        algorithm, _ = for_model(declared, model)
        steps = dict.fromkeys(algorithm.steps, Fraction(1, 10)) if numbers or algorithm.name in OF_A_STEP else None
        found = tables(model, algorithm, range(model.n), stationary=stationary, steps=steps)
        by_terms = written_update(found)
        assert by_terms is not None, algorithm.name
        starts = [] if stationary else list(range(model.n))
        ours, theirs = (update(model, about, starts) for about in (by_terms, tables_of(found)))
        assert (ours.contexts, ours.starts, ours.size, ours.held) == (
            theirs.contexts,
            theirs.starts,
            theirs.size,
            theirs.held,
        )
        assert entries(ours) == entries(theirs), algorithm.name


def by_hand(**changes: Any) -> dict[str, Any]:
    """One parameter vector, a trace, a number F and an average, with one case."""
    rows: dict[str, Any] = {"theta": [], "average": [], "z": [], "F": [], "when": {}}
    rows |= changes.pop("rows", {})
    return {
        "name": "by hand",
        "parameters": [["theta", "d"], ["average", 1]],
        "memory": [["z", "d"], ["F", 1]],
        "steps": ["alpha", "beta"],
        "at": None,
        "reads": [],
        "terms": [rows],
        **changes,
    }


ROWS: list[tuple[str, str, dict[tuple[int, ...], str]]] = [
    # from state 0 to 1 of θ→2θ φ = 1, φ' = 2, E φ' = 2, γ = 9/10, ρ = 2; entries z, F, none; columns θ, average, g
    ("theta", "alpha * t.phi", {(1, 0, 2, 0, 2): "1"}),
    ("theta", "-alpha * beta^2 * t.phi_next", {(1, 2, 2, 0, 2): "-2"}),
    ("theta", "3/4 * alpha * t.discount^2 * t.rho * t.expected_phi_next", {(1, 0, 2, 0, 2): "243/100"}),
    ("theta", "(t.phi @ t.phi_next)^2 * (t.phi_next @ theta) * t.phi", {(0, 0, 2, 0, 0): "8"}),
    ("theta", "alpha * (z @ theta) * t.phi_next", {(1, 0, 0, 0, 0): "2"}),
    ("theta", "alpha * (t.phi_next @ theta) * z", {(1, 0, 0, 0, 0): "2"}),
    ("theta", "alpha * F * (t.phi_next @ theta) * t.phi_next", {(1, 0, 1, 0, 0): "4"}),
    ("theta", "alpha * (t.phi_next @ z) * average * t.phi", {(1, 0, 0, 0, 1): "2"}),
    ("theta", "-1/3 * beta * theta", {(0, 1, 2, 0, 0): "-1/3"}),
    ("theta", "beta * F * theta", {(0, 1, 1, 0, 0): "1"}),
    ("average", "alpha * t.mu * t.pi", {(1, 0, 2, 1, 2): "1/2"}),
    ("average", "alpha * t.interest * average", {(1, 0, 2, 1, 1): "1"}),
    ("average", "alpha * (z @ theta)", {(1, 0, 0, 1, 0): "1"}),
    ("average", "alpha * t.next_state * (t.phi @ theta)", {(1, 0, 2, 1, 0): "1"}),
    ("average", "alpha * t.state * (t.phi @ theta)", {}),
]


@pytest.mark.parametrize(("row", "term", "wanted"), ROWS)
def test_a_term_is_worth_what_it_says(row: str, term: str, wanted: dict[tuple[int, ...], str]) -> None:
    """Keys of what is wanted: exponents of α and β, entry of the memory, row and column."""
    found = update(DIVERGES, by_hand(rows={row: [term]}))
    (move,) = (move for move in found.moves[found.contexts.index(0)] if found.contexts[move.target] == 1)
    parts = {(*powers, *place): x for powers, part in move.increments.items() for place, x in part.items() if x}
    assert parts == {place: Fraction(x) for place, x in wanted.items()} and not move.R and not move.s


def test_what_the_memory_keeps() -> None:
    """From state 0 to state 1: z' = φ' + γ z + F φ + (φ'ᵀz) φ, F' = 1 + 2 F."""
    terms = ["t.phi_next", "t.discount * z", "F * t.phi", "(t.phi_next @ z) * t.phi"]
    found = update(DIVERGES, by_hand(rows={"z": terms, "F": ["1", "2 * F"]}))
    (move,) = (move for move in found.moves[found.contexts.index(0)] if found.contexts[move.target] == 1)
    assert {(0, 0): Fraction(29, 10), (0, 1): 1, (1, 1): 2} == move.R and move.s == {0: 2, 1: 1}


SHARED: list[tuple[dict[str, Any], dict[tuple[int, int], int]]] = [
    ({"rows": {"z": ["t.phi"]}}, {(0, 0): 1, (0, 1): 1, (1, 0): 2, (1, 1): 2}),
    ({"rows": {"z": ["t.phi_next"]}}, {(0, 0): 1, (0, 1): 2, (1, 0): 1, (1, 1): 2}),
    ({"rows": {"z": ["t.rho * t.phi"]}}, {(0, 0): 0, (0, 1): 2, (1, 0): 0, (1, 1): 4}),
    (
        {
            "terms": [
                {"when": {"t.rho": "2"}, "theta": [], "average": [], "z": ["3 * t.phi"], "F": []},
                {"when": {}, "theta": [], "average": [], "z": ["t.phi"], "F": []},
            ]
        },
        {(0, 0): 1, (0, 1): 3, (1, 0): 2, (1, 1): 6},
    ),
]


@pytest.mark.parametrize(("changes", "wanted"), SHARED, ids=["state", "next state", "number", "case"])
def test_moves_share_what_the_memory_becomes_only_where_it_is_the_same(
    changes: dict[str, Any], wanted: dict[tuple[int, int], int]
) -> None:
    """What is added to z on the move from one state to another: φ = 1, 2, and ρ = 0, 2 by the state moved to."""
    found = update(DIVERGES, by_hand(**changes))
    added = {
        (found.contexts[h], found.contexts[move.target]): move.s.get(0, 0)
        for h, moves in enumerate(found.moves)
        for move in moves
    }
    assert added == wanted


def test_contexts_hold_what_is_read_of_the_transition_before() -> None:
    """ρ is 0 or 2, so both states follow both; at time zero it is 1 and the discount 0."""
    read = ["t.discount_before", "t.rho_before"]
    about = by_hand(reads=read, rows={"average": ["alpha * t.discount_before", "beta * t.rho_before"]})
    found = update(DIVERGES, about, [0, 1])
    assert found.contexts == [0, 1, 0, 1] and found.starts == 2
    values = [
        {powers: x for powers, part in moves[0].increments.items() for x in part.values() if x} for moves in found.moves
    ]
    after = [{(1, 0): Fraction(9, 10), (0, 1): 2} if s else {(1, 0): Fraction(9, 10)} for s in (0, 1)]
    assert values == [{(0, 1): 1}, {(0, 1): 1}, *after]
    assert update(DIVERGES, about).contexts == [0, 1]


def test_the_first_case_that_fits_is_meant() -> None:
    """An update may do something else by numbers of the transition, as Retrace does by ρ."""
    cases = [
        {"when": {"t.rho": "2", "(t.phi @ t.phi)": "1"}, "theta": [], "average": ["1"], "z": [], "F": []},
        {"when": {"t.rho": "2"}, "theta": [], "average": ["2"], "z": [], "F": []},
        {"when": {}, "theta": [], "average": ["3"], "z": [], "F": []},
    ]
    found = update(DIVERGES, by_hand(terms=cases))
    values = [
        (
            found.contexts[h],
            found.contexts[move.target],
            *(x for part in move.increments.values() for x in part.values()),
        )
        for h, moves in enumerate(found.moves)
        for move in moves
    ]
    assert sorted(values) == [(0, 0, 3), (0, 1, 1), (1, 0, 3), (1, 1, 2)]
    with pytest.raises(Rejected, match="none of them speaks of action 0 in state 0 to state 0"):
        update(DIVERGES, by_hand(terms=cases[:2]))


def test_cases_are_charged_for_on_every_move() -> None:
    """Long lists of cases take long: a hundred that do not fit cost their conditions on each of four moves."""
    other = {"when": {"t.rho": "7"}, "theta": [], "average": [], "z": [], "F": []}
    spent = []
    for cases in ([other] * 100 + [{**other, "when": {}}], [{**other, "when": {}}] + [other] * 100):
        update(DIVERGES, by_hand(terms=cases))
        spent.append(SPENT.get()[0])
    assert spent[0] - spent[1] >= 4 * 100 * 6_000


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"rows": {"theta": ["alpha * t.phi * t.phi_next"]}}, "takes one vector, and at most one factor of"),
    ({"rows": {"theta": ["alpha * t.reward"]}}, "takes one vector"),
    ({"rows": {"average": ["alpha * t.phi"]}}, "takes no vector alone"),
    ({"rows": {"theta": ["(z @ theta) * z"]}}, "at most one factor of parameters and of memory each"),
    ({"rows": {"theta": ["F * (z @ theta) * t.phi"]}}, "at most one factor"),
    ({"rows": {"theta": ["average * theta"]}}, "at most one factor"),
    ({"rows": {"theta": ["F^2 * t.phi"]}}, r"'F\^2' is not a number of the transition, or a step size"),
    ({"rows": {"average": ["average^2"]}}, r"'average\^2' is not a number of the transition, or a step size"),
    ({"rows": {"theta": ["gamma * t.phi"]}}, "'gamma' is not a factor here"),
    ({"rows": {"theta": ["t.rho_before * t.phi"]}}, "'t.rho_before' is not a factor here"),
    ({"rows": {"theta": ["(theta @ theta) * t.phi"]}}, "a dot product is of a vector that is not known here"),
    ({"rows": {"theta": ["(F @ theta) * t.phi"]}}, "a dot product is of a vector that is not known here"),
    ({"rows": {"theta": ["(t.phi @ average) * t.phi"]}}, r"'\(t.phi @ average\)' is not a factor here"),
    ({"rows": {"theta": ["(z @ z) * t.phi"]}}, r"'\(z @ z\)' is not a factor here"),
    ({"rows": {"theta": ["t.phi*alpha"]}}, "is not a factor here"),
    ({"rows": {"theta": ["t.phi * 2"]}}, "'2' is not a factor here"),
    ({"rows": {"theta": ["2/4 * t.phi"]}}, "theta.0.: .*lowest terms"),
    ({"rows": {"theta": [1]}}, "1 stands where a product is needed"),
    ({"rows": {"z": ["alpha * t.phi"]}}, "the memory would depend on parameters or on step sizes"),
    ({"rows": {"F": ["(t.phi @ theta)"]}}, "the memory would depend on parameters or on step sizes"),
    ({"rows": {"when": {"t.rho_before": "1"}}}, "'t.rho_before' is not a number of the transition"),
    ({"rows": {"when": {"(t.phi @ z)": "1"}}}, "is not a number of the transition"),
    ({"rows": {"other": []}}, "the key 'other' is not known here"),
    ({"reads": ["t.rho"]}, "about.update.reads: this is not a list of distinct names among"),
    ({"reads": ["t.first", "t.first"]}, "about.update.reads: this is not a list of distinct names among"),
    ({"parameters": [["theta", "d"], ["average", 2]]}, "or 2 is neither 'd' nor 1"),
    ({"parameters": [["theta", "d"], ["theta", 1]]}, "'theta' is not a name of its own"),
    ({"parameters": [["theta", "d"], ["t.average", 1]]}, "'t.average' is taken"),
    ({"steps": ["alpha", "average"]}, "two parts or step sizes have one name"),
    ({"parameters": [], "terms": []}, "there are no parameters"),
    ({"contexts": [0, 1]}, "the key 'contexts' is not known here"),
]


@pytest.mark.parametrize(("changes", "why"), WRONG)
def test_what_is_not_a_term_is_rejected(changes: dict[str, Any], why: str) -> None:
    with pytest.raises(Rejected, match=why):
        update(DIVERGES, by_hand(**changes))


def by_entries(found: Update, law: list[Fraction], u: list[dict[int, Fraction]]) -> dict[Any, Fraction]:
    """The mean of each entry of the increments, by exponents, row and column; without zeros."""
    total: dict[Any, Fraction] = {}
    for h, moves in enumerate(found.moves):
        for move in moves:
            for powers, part in move.increments.items():
                for (entry, row, column), x in part.items():
                    weight = law[h] if entry == found.held else u[h].get(entry, Fraction(0))
                    total[powers, row, column] = total.get((powers, row, column), Fraction(0)) + move.p * x * weight
    return {place: x for place, x in total.items() if x}


def of_whole(found: Update, law: list[Fraction], u: list[dict[int, Fraction]]) -> dict[Any, Fraction]:
    """The same by matrices."""
    flat = [(h, move) for h, moves in enumerate(found.moves) for move in moves]
    p, over = integers([move.p for _, move in flat])
    assert found.expansion is not None
    flows = [(h, move, x) for (h, move), x in zip(flat, p, strict=True)]
    units = [tuple(int(i == k) for i in range(len(found.steps))) for k in range(len(found.steps))]
    means = Whole(found.expansion, flows, over, law, u).means(units)
    rows = [(unit, i, row) for unit, mean in zip(units, means, strict=True) for i, row in enumerate(mean)]
    return {(unit, i, j): x for unit, i, row in rows for j, x in row.items() if x}


def drawn(found: Update, seed: int) -> tuple[list[Fraction], list[dict[int, Fraction]]]:
    """Numbers in the place of a law and of a mean of the memory: the sums are the same whatever they are."""
    rng = random.Random(seed)
    law = [Fraction(rng.randint(-9, 9), 7) for _ in found.contexts]
    return law, [{i: Fraction(rng.randint(-9, 9), 5) for i in range(found.held) if rng.random() < 0.8} for _ in law]


@pytest.mark.thorough
@settings(max_examples=examples(10), deadline=None)
@given(models(discount="any", policy="any", endless=True), st.integers(0, 99), st.booleans())
def test_means_of_whole_vectors_are_those_of_entries(model: Model, seed: int, independent: bool) -> None:
    """Of every algorithm that is shipped, and that is linear in its steps."""
    if independent:
        model = replace(model, sampling=RationalMatrix.column([Fraction(1, model.n)] * model.n))
    for declared in (reads_before, *find("all")):
        algorithm, _ = for_model(declared, model)
        if algorithm.name in OF_A_STEP or (independent and algorithm.memory):
            continue
        about = written_update(tables(model, algorithm, range(model.n), stationary=True))
        assert about is not None
        found = update(model, about)
        law, u = drawn(found, seed)
        if any(sum(powers) != 1 for powers in found.exponents):
            with pytest.raises(Rejected, match="not linear in the step sizes"):
                of_whole(found, law, u)
        else:
            assert of_whole(found, law, u) == by_entries(found, law, u), algorithm.name


@pytest.mark.parametrize(
    "term", ["t.phi", "(t.phi_next @ theta) * t.phi_next", "(t.phi @ z) * (t.phi_next @ theta) * t.phi"]
)
def test_matrices_are_turned_once(term: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many terms hold them: it goes through all places, and products through entries that are not zero."""
    turned, turn = list[int](), Matrix.T.fget  # type: ignore[attr-defined]

    def counted(matrix: Matrix) -> Any:
        turned.append(1)
        return turn(matrix)

    monkeypatch.setattr(Matrix, "T", property(counted))
    for count in (1, 30):
        found = update(DIVERGES, by_hand(rows={"theta": [f"alpha * t.rho * {term}"] * count, "z": ["1/2 * t.phi"]}))
        turned.clear()
        of_whole(found, *drawn(found, 1))
        assert 0 < len(turned) <= 3


def test_a_turn_is_charged() -> None:
    found = update(DIVERGES, by_hand())
    assert found.expansion is not None
    whole, given = Whole(found.expansion, [], 1, *drawn(found, 1)), Matrix.identity(40)
    SPENT.set([0, 0])
    assert whole.turned(given) is whole.turned(given) and SPENT.get()[0] == 300 * 40**2


def test_the_mean_of_each_form_of_a_term() -> None:
    """All that a term of a vector or of a number can hold: f, a and b."""
    vectors = ("t.phi", "t.phi_next", "t.expected_phi_next")
    weights = ("", " * F", *(f" * ({known} @ z)" for known in vectors))
    columns = ("", " * average", *(f" * ({known} @ theta)" for known in vectors))
    products = [f"alpha * t.rho{f}{y} * {a}" for f in weights for y in columns for a in vectors]
    forms = [
        ("theta", products[::2]),  # with each vector, factor and column all of the others in turn
        ("theta", [f"2/3 * alpha{y} * z" for y in columns] + [f"beta * (z @ theta) * {a}" for a in vectors]),
        ("theta", [f"-1/5 * alpha * t.reward{f} * theta" for f in weights]),
        ("average", [f"beta * t.discount{f}{y}" for f in weights for y in columns] + ["beta * (z @ theta)"]),
    ]
    rewards, features = (RationalMatrix([[1, 2], [3, 5]]),) * 2, RationalMatrix([[1, -2], [3, 1]])
    model = replace(DIVERGES, rewards=rewards, features=features)
    for row, terms in forms:
        found = update(model, by_hand(rows={row: terms}))
        law, u = drawn(found, 0)
        assert of_whole(found, law, u) == by_entries(found, law, u), row
    found = update(model, by_hand(rows={"theta": ["alpha * beta * t.phi"]}))
    with pytest.raises(Rejected, match="an increment is not linear in the step sizes, so there is no mean"):
        of_whole(found, *drawn(found, 0))
