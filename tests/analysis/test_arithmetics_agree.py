"""Three arithmetics, one set of generated models: what two of them decide, they decide alike; each may be undecided.

A verdict of the exact analysis is the reference. Enclosures contain its numbers, as texts that are read back exactly.
A tenth of the models has a singular A by construction, and three tenths miss that by 2⁻ᵏ, k from 5 to 120: some within
reach of floats, some not.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

from tdcert.analysis.analyse import Arithmetic, Request, analyse
from tdcert.analysis.request import Part
from tdcert.claims.claim import decide
from tdcert.claims.paper import ENTRIES
from tdcert.reports.analysis_json import analysis_document
from tdcert.sims import random_models, streams
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.mean_dynamics import gradient_dynamics, td_dynamics
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.errors import InputError
from tdcert.theory.files import LoadedModel
from tdcert.theory.model.gallery import HALF, one_state
from tdcert.theory.model.key_matrices import theorem_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.verdict import Status
from tests.effort import IN_FULL, by_default
from tests.rows import dynamics

SEED = 20261121
ALL, SLICE = 250, 30 if IN_FULL else 10

Generator = np.random.Generator


def draw(rng: Generator, **given: Any) -> Model:
    """An irreducible model of two to five states whose numbers are floats; ``given`` replaces what is drawn."""
    n = int(rng.integers(2, 6))
    d = int(rng.integers(1, n + 1))
    model = random_models.random_model(rng, n, **{"d": d, "length": int(rng.integers(0, 4)), "actions": 2, **given})
    return replace(
        model,
        transitions=tuple(map(dyadic, model.transitions)),
        behaviour=dyadic(model.behaviour),
        target=dyadic(model.target),
        discounts=tuple(in_64ths(G) for G in model.discounts),
    )


def dyadic(laws: RationalMatrix) -> RationalMatrix:
    """Rows rounded down to multiples of 2⁻¹⁰, what is missing added to the largest entry."""
    made = []
    for row in laws.rows:
        rounded = [Fraction(int(x * 1024), 1024) for x in row]
        rounded[row.index(max(row))] += 1 - sum(rounded)
        made.append(rounded)
    return RationalMatrix(made)


def in_64ths(values: RationalMatrix) -> RationalMatrix:
    return RationalMatrix([[Fraction(int(x * 64), 64) for x in row] for row in values.rows])


def eager(rng: Generator, length: int) -> Model:
    """θ → 3θ on a larger chain: one feature, and a target that always goes to the state where it is largest. A > 0."""
    n = int(rng.integers(2, 6))
    to_last = RationalMatrix([[int(j == n - 1) for j in range(n)]] * n)
    wander = dyadic(random_models.connected(random_models.garnet(rng, n, 1, n)[0], Fraction(1, 2)))
    rows = [[int(rng.integers(1, 4))] for _ in range(n - 1)] + [[9]]
    half, second = RationalMatrix([[Fraction(1, 2)] * 2] * n), RationalMatrix([[0, 1]] * n)
    return random_models.assemble(
        (wander, to_last),
        random_models.rewards(rng, n, 2),
        Fraction(63, 64),
        half,
        second,
        RationalMatrix(rows),
        random_models.schedule(rng, length),
    )


def at_discount(model: Model, gamma: Fraction) -> Model:
    """The same model with one discount for all transitions."""
    return replace(model, discounts=(RationalMatrix.column([gamma] * model.n),) * len(model.actions))


def at_first_lambda(model: Model, lam: Fraction) -> Model:
    """The same model with another λ_1."""
    return model.with_schedule(Schedule((lam, *model.schedule.lambdas[1:])))


def root(family: Callable[[Fraction], Model]) -> Fraction | None:
    """Where A, one number and affine in the parameter, is zero; None unless within (0, 1)."""
    low, high = (theorem_matrices(family(x), _states(family(x))).A[0, 0] for x in (Fraction(1, 64), Fraction(63, 64)))
    if low == high:
        return None
    found = Fraction(1, 64) + Fraction(62, 64) * low / (low - high)
    return found if Fraction(1, 64) < found < Fraction(63, 64) else None


def singular_by_discount(rng: Generator) -> Callable[[Fraction], Model]:
    """Off-policy TD(0), x ↦ the model with γ = root·(1 + x): A is singular at x = 0."""
    return _around_root(lambda: partial(at_discount, eager(rng, 0)))


def singular_by_lambda(rng: Generator) -> Callable[[Fraction], Model]:
    """The same by λ_1 of a schedule of length 2 or 3."""
    return _around_root(lambda: partial(at_first_lambda, eager(rng, int(rng.integers(2, 4)))))


def _around_root(draw_family: Callable[[], Callable[[Fraction], Model]]) -> Callable[[Fraction], Model]:
    for _ in range(200):
        family = draw_family()
        centre = root(family)
        if centre is not None:
            return lambda x, centre=centre, family=family: family(centre * (1 + x))  # type: ignore[misc]
    raise AssertionError("no model with a singular A among 200")


def nearly_dependent(rng: Generator) -> Callable[[Fraction], Model]:
    """On-policy, x ↦ the model whose last column of Φ is the sum of the others but for x in one state."""
    model = draw(rng, d=2, on_policy=True, kind="deficient")

    def at(x: Fraction) -> Model:
        rows = [list(row) for row in model.features.rows]
        rows[-1][-1] += x
        return model.with_features(RationalMatrix(rows))

    return at


FAMILIES = (singular_by_discount, singular_by_lambda, nearly_dependent)


def model_number(k: int) -> Model:
    """The k-th model of the common set; each ten run through all kinds."""
    rng = streams.generator(SEED, f"agreement {k}")
    kind, turn = k % 10, k // 10
    if kind == 0:
        return draw(rng, on_policy=True)
    if kind == 1:
        return draw(rng)
    if kind == 2:
        return draw(rng, gamma=None, on_policy=bool(turn % 2))
    if kind == 3:
        return draw(rng, coverage=False)
    if kind == 4:
        return draw(rng, kind="deficient", d=2, on_policy=bool(turn % 2))
    if kind == 5:
        return draw(rng).with_schedule(Schedule.constant(Fraction(int(rng.integers(1, 9)), 8)))
    family = FAMILIES[turn % 3](rng)
    if kind == 6:
        return family(Fraction(0))
    sign = -1 if rng.integers(2) else 1
    return family(Fraction(sign, 2 ** int(rng.integers(*{7: (5, 30), 8: (30, 60), 9: (60, 121)}[kind]))))


def _states(model: Model) -> tuple[int, ...]:
    (states,) = model.behaviour_chain.recurrent_classes
    return states


WITHOUT_SCHEDULES = frozenset(Part) - {Part.SCHEDULES}
"""Their comparison has tests of its own."""


def analysed(model: Model, arithmetic: Arithmetic, bits: int = 53) -> dict[str, Any] | None:
    """The document; None where this arithmetic refuses the model with a sentence."""
    loaded = LoadedModel(model, tuple(f"s{s}" for s in range(model.n)), [], [], "generated")
    try:
        return analysis_document(
            analyse(loaded, lambda done, total, what: None, Request(arithmetic, bits, parts=WITHOUT_SCHEDULES))
        )
    except InputError:
        return None


def exact_dynamics(model: Model) -> dict[str, MeanDynamics | None]:
    td = td_dynamics(model, _states(model)).mean_dynamics
    gtd, tdc = (found.mean_dynamics for found in gradient_dynamics(model, _states(model)))
    return {"td": td if model.is_on_policy else None, "off_policy_td": td, "gtd": gtd, "tdc": tdc}


def contradictions(model: Model, document: dict[str, Any]) -> list[str]:
    """Where an analysis says something else than the exact one; undecided is not a contradiction."""
    found = []
    claims = {entry.id: entry for entry in ENTRIES}
    for row in document["claims"]:
        verdict = decide(claims[row["id"]].load(), model).verdict
        if Status.UNDECIDED in (row["status"], verdict.status):
            continue
        if row["status"] != verdict.status or not set(row["violated"]) <= set(verdict.violated):
            found.append(f"{row['id']}: {row['status']} {row['violated']}, exactly {verdict.status} {verdict.violated}")
    for name, exact in exact_dynamics(model).items():
        row = dynamics(document).get(name)
        if (row is None) != (exact is None):
            found.append(f"{name}: {row}, exactly {exact}")
        elif row is not None and row["verdict"] not in (exact, MeanDynamics.UNDECIDED):
            found.append(f"{name}: {row['verdict']}, exactly {exact}")
    return found + outside(model, document)


def outside(model: Model, document: dict[str, Any]) -> list[str]:
    """The matrices of which an exact entry is not in its enclosure."""
    keys = theorem_matrices(model, _states(model))
    exact = {"stationary": keys.d, "A": keys.A, "b": keys.b, "C": keys.C}
    if document["theta_star"] is not None:
        exact["theta_star"] = keys.theta_star
    found = []
    for name, matrix in exact.items():
        shown = document[name]
        if shown is None:
            continue
        pairs = zip(_flat(shown), (x for row in matrix.rows for x in row), strict=True)
        if not all(text is None or encloses(text, x) for text, x in pairs):
            found.append(f"{name} is not enclosed")
    return found


def encloses(text: str, x: Fraction) -> bool:
    """Whether ``m +/- r`` (or a number alone) holds x, in exact arithmetic."""
    middle, _, radius = text.partition(" +/- ")
    return abs(Fraction(middle) - x) <= Fraction(radius or 0)


def _flat(value: list[Any]) -> list[Any]:
    return [x for row in value for x in row] if value and isinstance(value[0], list) else value


def disagreements(numbers: range) -> tuple[list[str], Counter[tuple[Arithmetic, int, str]]]:
    """All contradictions, and how often each arithmetic decided whether GTD is stable, by kind of model."""
    found: list[str] = []
    decided: Counter[tuple[Arithmetic, int, str]] = Counter()
    for k in numbers:
        model = model_number(k)
        for arithmetic in (Arithmetic.ENCLOSED, Arithmetic.SPARSE):
            document = analysed(model, arithmetic)
            if document is None:
                decided[arithmetic, k % 10, "refused"] += 1
                continue
            found += [f"model {k}, {arithmetic}: {line}" for line in contradictions(model, document)]
            gtd = dynamics(document)["gtd"]["verdict"]
            decided[arithmetic, k % 10, "undecided" if gtd == MeanDynamics.UNDECIDED else "decided"] += 1
    return found, decided


def expect_agreement(models: int) -> None:
    """No contradiction; what is far from singular is decided, and some margins are beyond floats."""
    found, decided = disagreements(range(models))
    assert found == []
    each = models // 10
    assert all(decided[Arithmetic.ENCLOSED, kind, "decided"] == each for kind in (0, 1, 2, 3, 5, 7))
    assert all(decided[Arithmetic.SPARSE, kind, "decided"] == each for kind in (0, 1, 5))
    assert all(decided[arithmetic, 9, "undecided"] > 0 for arithmetic in (Arithmetic.ENCLOSED, Arithmetic.SPARSE))


def test_no_arithmetic_contradicts_another() -> None:
    expect_agreement(SLICE)


@pytest.mark.thorough
def test_no_arithmetic_contradicts_another_on_all_models() -> None:
    expect_agreement(ALL)


@pytest.mark.parametrize("k", by_default(2, [8, 19, 9, 18, 28, 29]))
def test_a_thin_margin_is_decided_with_the_bits_that_are_named(k: int) -> None:
    """At most four times; each time the verdict says what to try next, or it is there and right."""
    model, bits = model_number(k), 53
    for _ in range(4):
        document = analysed(model, Arithmetic.ENCLOSED, bits)
        assert document is not None and contradictions(model, document) == []
        row = dynamics(document)["gtd"]
        if row["verdict"] == MeanDynamics.STABLE:
            return
        assert row["precision_needed"] > bits
        bits = row["precision_needed"]
    raise AssertionError(f"undecided with {bits} bits")


def test_where_no_enclosure_exists_everything_is_undecided_with_the_reason() -> None:
    """λ = 1 without a length at γ = 1: the trace has no sum, and no precision changes that."""
    model = one_state(1, Schedule.constant(Fraction(1)))
    document, usual = analysed(model, Arithmetic.ENCLOSED), analysed(model_number(0), Arithmetic.ENCLOSED)
    assert document is not None and usual is not None
    assert [row["id"] for row in document["claims"]] == [row["id"] for row in usual["claims"]]
    assert {row["status"] for row in document["claims"]} == {"undecided"} and document["A"] is None
    assert all("may have no sum" in row["reason"] for row in dynamics(document).values())
    assert document.keys() == usual.keys() and document["chain"]["irreducible"]


def test_a_contradiction_would_be_seen() -> None:
    """A wrong verdict, wrong dynamics and a number outside its enclosure, one at a time."""
    model = model_number(0)
    right = analysed(model, Arithmetic.ENCLOSED)
    assert right is not None and contradictions(model, right) == []
    wrong = copy.deepcopy(right)
    next(row for row in wrong["claims"] if row["id"] == "prop_4_1")["status"] = "refuted"
    dynamics(wrong)["gtd"]["verdict"] = "unstable"
    wrong["A"][0][0] = "1 +/- 1e-9"
    assert [line.split()[0] for line in contradictions(model, wrong)] == ["prop_4_1:", "gtd:", "A"]


@pytest.mark.thorough
def test_what_exact_arithmetic_leaves_open_has_its_reason() -> None:
    """A window of 101 λ's: paths through it are longer than certificates hold, which some checks need."""
    document = analysed(one_state(HALF, Schedule.constant(HALF, 101)), Arithmetic.EXACT)
    assert document is not None
    left = {row["id"]: row["detail"] for row in document["claims"] if row["status"] == "undecided"}
    assert left and all("certificates hold at most" in why for why in left.values())
    assert len(left) < len(document["claims"]) / 2
