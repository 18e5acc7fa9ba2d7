"""Terms of whole vectors against the entry-by-entry tables, and means made of either."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from tdcert.algorithms import NAMES, for_model, named
from tdcert.sims.strategies import models
from tdcert.theory.arithmetic import BallMatrix, RationalMatrix
from tdcert.theory.arithmetic.ball import precision
from tdcert.theory.arithmetic.rational import to_fmpq
from tdcert.theory.engine import means
from tdcert.theory.engine.certificates import stability_certificates
from tdcert.theory.engine.declare import Algorithm, algorithm
from tdcert.theory.engine.dynamics import at_ratios, rest_of
from tdcert.theory.engine.first_order import first_order, with_mean_dynamics
from tdcert.theory.engine.means import means_of_tables, stationary
from tdcert.theory.engine.tables import tables
from tdcert.theory.engine.terms import AHEAD, KNOWN, NEXT, ONE, PHI, SAME, Passage, Terms, traced
from tdcert.theory.engine.transition import BEFORE
from tdcert.theory.errors import InputError
from tdcert.theory.model.gallery import HALF, flip_chain, theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tests.effort import examples

F = Fraction
ONE_STEP = F(1)
GAMMA = F(9, 10)
some = settings(max_examples=examples(60), deadline=None)
FIRST = ("implicit_td", "true_online_td", "gtd_momentum", "tdc_momentum", "gtd2_mp")
WHOLE = list(NAMES)

Entries = dict[Any, fmpq]


def expanded(found: Terms, passage: Passage) -> tuple[dict[Any, Entries], tuple[Entries, Entries]]:
    """The terms there, entry by entry, as an edge of tables has them: increments, and R and s of the memory."""
    d, D = found.model.d, sum(place.width for place in found.parameters)
    s, after = passage.outcome.state, passage.outcome.after
    known = {
        PHI: [to_fmpq(x) for x in found.model.features.rows[s]],
        NEXT: [to_fmpq(x) for x in found.model.features.rows[after]],
        AHEAD: [to_fmpq(x) for x in found.ahead.rows[s]],
        ONE: [fmpq(1)],
    }

    def entries(v: int) -> list[tuple[int | None, fmpq]]:
        """(entry of the memory or None, factor) of each entry of a vector."""
        if v >= len(KNOWN):
            return [(found.memory[v - len(KNOWN)].at + i, fmpq(1)) for i in range(d)]
        return [(None, x) for x in known[v]]

    increments: dict[Any, Entries] = defaultdict(lambda: defaultdict(fmpq))
    R: Entries = defaultdict(fmpq)
    s_: Entries = defaultdict(fmpq)
    for term in found.evaluations[passage.evaluation]:
        c = found.value(passage, term)
        places = (*found.parameters, *found.memory)
        row = places[term.row]
        weights: list[tuple[int | None, fmpq]] = [(None, fmpq(1))]
        if term.weight is not None:
            place, b = found.memory[term.weight[0]], term.weight[1]
            weights = [(place.at + i, x) for i, x in enumerate(known[b])]
        column = None if term.column < 0 else found.parameters[term.column]
        if term.a == SAME:
            assert column is not None
            products: list[tuple[int | None, int, int, fmpq]]
            products = [(None, i, column.at + i, fmpq(1)) for i in range(row.width)]
        else:
            start = D if column is None else column.at
            products = [
                (m if m is not None else n, i, start + j, x * y)
                for i, (m, x) in enumerate(entries(term.a))
                for j, (n, y) in enumerate(entries(term.b))
            ]
        for entry, i, j, x in products:
            for m, y in weights:
                held, value = (m if m is not None else entry), c * x * y
                if term.row < len(found.parameters):
                    increments[term.powers][held, row.at + i, j] += value
                elif held is None:
                    s_[row.at + i] += value
                else:
                    R[row.at + i, held] += value
    parts = {powers: kept for powers, part in increments.items() if (kept := without_zeros(part))}
    return parts, (without_zeros(R), without_zeros(s_))


def without_zeros(part: Mapping[Any, fmpq]) -> Entries:
    return {key: x for key, x in part.items() if x != 0}


def same_as_tables(model: Model, declared: Algorithm, **more: Any) -> Terms:
    states = model.behaviour_chain.recurrent_classes[0]
    found, wanted = traced(model, declared, states, **more), tables(model, declared, states, stationary=True, **more)
    assert (found.fields, found.contexts) == (wanted.fields, wanted.contexts)
    edges = {(e.source, e.outcome): e for e in wanted.edges}
    assert len(edges) == len(found.passages)
    for passage in found.passages:
        edge = edges[passage.source, passage.outcome]
        assert passage.target == edge.target
        assert expanded(found, passage) == (edge.increments, edge.recursion)
    return found


# ---- what is traced -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", WHOLE)
@settings(max_examples=examples(10), deadline=None)
@given(models(discount="any", policy="any", endless=True), st.sampled_from((HALF, None)))
def test_terms_are_the_tables(name: str, model: Model, lam: Fraction | None) -> None:
    declared = for_model(named(name), model)[0]
    if lam is not None and "lam" in declared.options:
        declared = declared.with_options(lam=lam)
    sizes = {step: F(1, k + 3) for k, step in enumerate(declared.steps)}
    same_as_tables(model, declared, steps=sizes)
    if name not in ("true_online_td", "implicit_td"):
        same_as_tables(model, declared)


@algorithm(parameters={"theta": "d", "bias": 1, "rows": ("count", "d")}, memory={"z": "d", "f": 1, "pair": (2, "d")})
def all_forms(
    t: Any, theta: Any, bias: Any, rows: Any, z: Any, f: Any, pair: Any, alpha: Any, *, count: Any = 2
) -> Any:
    """Each form of a term, with every number of a transition."""
    f = t.rho * t.discount * f / 3 + t.interest
    z = t.pi * z / 2 + f * t.phi - (t.phi @ t.phi_next) * t.expected_phi_next + (1 - t.mu) * pair[1]
    delta = t.reward - bias + t.discount * (t.expected_phi_next @ theta) - t.phi @ rows[0]
    new = theta + alpha * (delta * z - f * rows[1] + f * bias * t.phi_next - (z @ theta) * t.phi - theta / 3)
    second = [rows[0] + alpha * f * (t.phi_next @ rows[1]) * t.phi_next, rows[1] - alpha * t.rho**2 * (theta - rows[1])]
    bias = bias + alpha * (f * (t.phi @ theta) - bias + (z @ rows[0]) + f)
    return new, bias, second, z, f, [t.phi_next / 4 + t.discount_before * pair[1] / 5, t.rho_before * pair[0] / 7]


@algorithm(parameters={"theta": "d"}, memory={"z": "d", "f": 1})
def dots_of_memory(t: Any, theta: Any, z: Any, f: Any, alpha: Any) -> Any:
    """Products of a vector of the memory with what is known, as a factor and in the memory."""
    new = theta + alpha * ((t.phi_next @ z) * t.phi - (t.phi @ z) * (t.phi @ theta) * t.phi_next - (t.phi @ z) * theta)
    return new, z / 3 + t.phi - (z @ t.phi) * t.phi / 40, f / 2 + t.expected_phi_next @ z


@algorithm(parameters={"theta": "d"})
def looks_up(t: Any, theta: Any, alpha: Any) -> Any:
    """By state, action and next state, with comparisons of numbers and of products, and a quotient."""
    weight = (2, 3)[t.action] if t.state == 0 else 5 - t.next_state
    weight = weight + max(t.reward, 0) / (1 + t.mu) + abs(t.phi @ t.phi_next)
    return theta - alpha * weight * (t.phi @ theta) * (t.phi if not t.first else 0 * t.phi)


FORMS = (all_forms, dots_of_memory, looks_up)


@pytest.mark.parametrize("declared", FORMS, ids=lambda declared: declared.name)
@settings(max_examples=examples(15), deadline=None)
@given(models(discount="any", policy="any"))
def test_every_form_of_a_term(declared: Algorithm, model: Model) -> None:
    found = same_as_tables(model, declared)
    assert found.fields == {"all_forms": BEFORE[:2], "looks_up": ("first",)}.get(declared.name, ())
    interest = [F(k + 1, 2) for k in range(model.n)]
    same_as_tables(model, declared, interest=interest)
    same_as_tables(model, declared, steps={"alpha": F(1, 7)})


def test_a_function_is_evaluated_once_for_all_transitions() -> None:
    """Unless a number is looked at; then for each of its values, and the first one once more."""
    calls: list[int] = []

    def counted(change: Any) -> int:
        @algorithm(parameters={"theta": "d"})
        def moves(t: Any, theta: Any, alpha: Any) -> Any:
            calls.append(0)
            return theta + alpha * change(t) * (t.reward - t.phi @ theta) * t.phi

        calls.clear()
        found = traced(theta_to_two_theta(GAMMA, rewards=(3, 5)), moves, (0, 1))
        assert len(found.passages) == 4
        return len(calls)

    assert counted(lambda t: t.rho * t.discount * t.pi) == 2
    assert counted(lambda t: min(1, t.rho)) == 1 + 2 + 1  # ρ is 0 or 2
    assert counted(lambda t: 1 / t.discount) == 1 + 1 + 1
    assert counted(lambda t: t.state + t.action) == 2 + 4 + 1  # one call for each number that is missing
    assert counted(lambda t: abs(t.phi @ t.phi_next)) == 1 + 3 + 1  # 1, 2 twice, 4


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda t, y, z: y[0] * t.phi, "takes a vector apart"),
        (lambda t, y, z: sum(y) * t.phi, "takes a vector apart"),
        (lambda t, y, z: t.phi * y, "takes a vector apart"),
        (lambda t, y, z: len(y) * t.phi, "takes a vector apart"),
        (lambda t, y, z: y + 1, "takes a vector apart"),
        (lambda t, y, z: y / y, "takes a vector apart"),
        (lambda t, y, z: y if y > 0 else z, "takes a vector apart"),
        (lambda t, y, z: np.asarray(y), "takes a vector apart"),
        (lambda t, y, z: (y @ y) * t.phi, "multiplies two parameters, theta and theta"),
        (lambda t, y, z: (t.phi @ y) * y, "multiplies two parameters"),
        (lambda t, y, z: (z @ z) * t.phi, "multiplies two entries of the memory, z and z"),
        (lambda t, y, z: (t.phi @ z) * z, "multiplies two entries of the memory"),
        (lambda t, y, z: max(t.phi @ y, 0) * t.phi, r"compares t.phi @ theta"),
        (lambda t, y, z: t.nothing * y, "fails .AttributeError: a transition has no 'nothing'"),
    ],
)
def test_what_keeps_no_vector_whole_is_refused(change: Any, said: str) -> None:
    """In one sentence with the line; tables then answer, or say it in theirs."""

    @algorithm(parameters={"theta": "d"}, memory={"z": "d"})
    def refused(t: Any, theta: Any, z: Any, alpha: Any) -> Any:
        return theta + alpha * change(t, theta, z), t.phi

    model = theta_to_two_theta(GAMMA)
    with pytest.raises(InputError, match=rf"the update 'refused' {said}.*\(test_terms\.py, line \d+\); "):
        traced(model, refused, (0, 1))


def test_what_is_returned_is_what_is_declared() -> None:
    def returns(what: Any) -> Algorithm:
        @algorithm(parameters={"theta": "d", "bias": 1})
        def moves(t: Any, theta: Any, bias: Any, alpha: Any) -> Any:
            return what(t, theta, bias)

        return moves

    for what, said in (
        (lambda t, y, b: (t.phi @ y, b), "returns arrays of other shapes than it declares"),
        (lambda t, y, b: (y, [b, b]), "returns arrays of other shapes than it declares"),
        (lambda t, y, b: y, "returns other parts than it declares"),
        (lambda t, y, b: (y, "one"), "returns something of type str"),
    ):
        with pytest.raises(InputError, match=said):
            traced(theta_to_two_theta(GAMMA), returns(what), (0, 1))


def test_memory_that_is_not_free_of_parameters_is_refused() -> None:
    def remembers(new: Any) -> Algorithm:
        @algorithm(parameters={"theta": "d"}, memory={"z": "d"})
        def moves(t: Any, theta: Any, z: Any, alpha: Any) -> Any:
            return theta, new(t, theta, alpha)

        return moves

    model = theta_to_two_theta(GAMMA)
    for new, said in (
        (lambda t, y, a: y, "returns a memory that depends on its parameters"),
        (lambda t, y, a: a * t.phi, "returns a memory that depends on its step sizes"),
        (lambda t, y, a: (t.phi @ y) * t.phi, "returns a memory that depends on its parameters"),
    ):
        with pytest.raises(InputError, match=said):
            traced(model, remembers(new), (0, 1))
    with pytest.raises(InputError, match="depends on its parameters"):  # to first order, too
        traced(model, remembers(lambda t, y, a: t.phi + a * y), (0, 1), first_order=True)


def test_what_is_kept_between_calls_shows() -> None:
    kept: list[Any] = []

    @algorithm(parameters={"theta": "d"})
    def keeps(t: Any, theta: Any, alpha: Any) -> Any:
        kept.append(t.phi)
        return theta + alpha * len(kept) * t.phi

    @algorithm(parameters={"theta": "d"})
    def reuses(t: Any, theta: Any, alpha: Any) -> Any:
        kept.append(theta)
        return theta + alpha * (t.phi @ kept[0]) * t.phi

    for declared in (keeps, reuses):
        kept.clear()
        with pytest.raises(InputError, match="gives another answer when it is asked again"):
            traced(theta_to_two_theta(GAMMA), declared, (0, 1))


# ---- means ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("declared", [*map(named, WHOLE), *FORMS], ids=lambda declared: declared.name)
@settings(max_examples=examples(8), deadline=None)
@given(models(discount="any", policy="any", endless=True), st.sampled_from((HALF, F(0))))
def test_means_of_terms_are_means_of_entries(declared: Algorithm, model: Model, lam: Fraction) -> None:
    """Exactly; and balls hold them, where they are not alike."""
    declared = for_model(declared, model)[0]
    if "lam" in declared.options:
        declared = declared.with_options(lam=lam)
    cut = declared.name in ("true_online_td", "implicit_td")
    states = model.behaviour_chain.recurrent_classes[0]
    found = first_order(model, declared, states, RationalMatrix) if cut else stationary(model, declared, states)
    products = found._products
    if products is None:
        assert declared.name == "dots_of_memory" or found._whole is None or not found._whole.contracts
        return
    wanted = means_of_tables(found.tables, found.memory)
    assert found.memory.exists is True
    assert all(mean == wanted.get(powers, mean.scaled(0)) for powers, mean in found.by_exponents.items())
    assert found.by_exponents.keys() >= wanted.keys()
    with precision(128):
        enclosed = (first_order if cut else stationary)(model, declared, states, kind=BallMatrix)
        assert enclosed._products is not None and enclosed.by_exponents.keys() == found.by_exponents.keys()
        for powers, ball in enclosed.by_exponents.items():
            assert ball.contains(found.by_exponents[powers])
            assert max((float(x.rad()) for row in ball.scalars for x in row), default=0) < 2.0**-60


def test_the_law_of_contexts_by_hand() -> None:
    """Two states: from the first one to either, γ = 1/2; from the second one to the first, γ = 1/4. So the law is
    (2/3, 1/3), and γ of the transition before is 1/2 in 2/3 of the time, 1/4 in 1/3.
    """
    two = Model.reward_process(
        RationalMatrix([[HALF, HALF], [1, 0]]),
        RationalMatrix([[1], [1]]),
        RationalMatrix([[HALF], [F(1, 4)]]),
        RationalMatrix([[1], [1]]),
    )

    @algorithm(parameters={"theta": "d"})
    def before(t: Any, theta: Any, alpha: Any) -> Any:
        return theta + alpha * (t.discount_before * t.phi - theta)

    found = stationary(two, before, (0, 1))
    assert found.terms is not None and found.terms.fields == ("discount_before",)
    assert sorted(found.terms.contexts) == [(0, F(1, 4)), (0, HALF), (1, HALF)]
    assert found.means == (RationalMatrix([[-1, HALF * F(2, 3) + F(1, 4) * F(1, 3)]]),)


def test_sizes_that_grow_are_left_to_entries() -> None:
    """z' = ±2z + φ, evenly: E z' = φ, but |z| grows; what is never fed need not contract."""

    @algorithm(parameters={"theta": "d"}, memory={"z": "d", "f": 1})
    def signs(t: Any, theta: Any, z: Any, f: Any, alpha: Any, *, fed: Any = 1) -> Any:
        z = 4 * (t.rho - 1) * z + fed * t.phi
        return theta + alpha * (t.reward - t.phi @ theta) * (z + t.phi), z, 0 * f + 1

    one = RationalMatrix([[1]])
    policies = RationalMatrix([[F(1, 4), F(3, 4)]]), RationalMatrix([[HALF, HALF]])
    model = Model(("left", "right"), (one,) * 2, (one,) * 2, (one.scaled(HALF),) * 2, *policies, one, Schedule(()))
    grown, idle = (stationary(model, signs.with_options(fed=fed), (0,)) for fed in (1, 0))
    assert grown._products is None and grown.has_mean is None
    assert idle._products is None and idle.has_mean is True
    assert idle.means == (RationalMatrix([[-1, 1]]),)


def test_terms_that_a_model_does_not_have_are_no_terms() -> None:
    """ρ² − ρ is zero on-policy, so the product of steps is nowhere, and the update is linear."""

    @algorithm(parameters={"theta": "d"})
    def squares(t: Any, theta: Any, alpha: Any) -> Any:
        return theta - alpha * (1 + alpha * (t.rho**2 - t.rho)) * (t.phi @ theta) * t.phi

    on, off = flip_chain(HALF), theta_to_two_theta(GAMMA)
    assert stationary(on, squares, (0, 1)).powers == ((1,),)
    assert set(stationary(off, squares, (0, 1)).powers) == {(1,), (2,)}
    with pytest.raises(InputError, match="not linear in its step sizes"):
        _ = stationary(off, squares, (0, 1)).means


def test_no_table_is_made_for_a_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor for the verdict, where every parameter is seen."""

    def never(*_: Any, **__: Any) -> Any:
        raise InputError("a table was made")

    monkeypatch.setattr(means, "tables", never)
    model = theta_to_two_theta(GAMMA)
    for name in WHOLE:
        if name not in ("average_reward_td", "differential_td", "categorical_td"):  # they have directions unseen
            found = with_mean_dynamics(model, named(name), (0, 1))
            ratios = [ONE_STEP] * len(found.algorithm.steps)
            assert found.cut == (name in FIRST)
            assert at_ratios(found, ratios).rate is not None and rest_of(found, ratios).parameters is not None


@algorithm(parameters={"theta": "d"}, memory={"z": (2, "d"), "f": 1, "g": 1})
def remembers_two(t: Any, theta: Any, z: Any, f: Any, g: Any, alpha: Any) -> Any:
    """A memory of two transitions, of vectors and numbers."""
    first = t.discount * z[1] - (t.rho / 2) * z[1] + f * t.phi_next + g * t.expected_phi_next
    new = theta + alpha * ((t.reward - t.phi @ theta) * (z[0] + t.phi) - f * theta)
    return new, [first, (1 - t.reward) * t.phi + t.rho * t.phi_next], t.rho * g - 1, t.reward


@pytest.mark.thorough
@pytest.mark.parametrize("declared", [*map(named, ("td", "gtd")), remembers_two], ids=lambda declared: declared.name)
@settings(max_examples=examples(8), deadline=None)
@given(models(discount="any", policy="any", max_length=4))
def test_a_whole_memory_that_ends_is_that_of_entries(declared: Algorithm, model: Model) -> None:
    """Its mean; weights with B w < w on all that is reached; and that it ends."""
    states = model.behaviour_chain.recurrent_classes[0]
    found = stationary(model, for_model(declared, model)[0], states)
    whole, memory = found.whole_memory, found.memory
    assert whole is not None and memory.without_end is None and memory.exists and memory.has_second_moments
    at = [(k, i) for k, width in enumerate(whole.widths) for i in range(width)]
    assert found.extent == (len(memory.law), len(at)) == (len(found.tables.contexts), found.tables.M)
    for h in range(len(memory.law)):
        mean = [to_fmpq(whole.mean[k][h, i]) for k, i in at]
        assert mean == [memory.mean.get((h, i), 0) for i in range(len(at))]
    weights, sizes = whole.weights, defaultdict[Any, fmpq](fmpq)
    assert weights is not None
    for (to, (h, i)), x in memory.sizes.items():
        sizes[to] += x * to_fmpq(weights[at[i][0]][h, 0])
    assert all(sizes[g, i] < to_fmpq(weights[at[i][0]][g, 0]) for g, i in memory.reached)


def test_no_table_is_made_for_the_witness_of_a_memory_that_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a schedule of three steps: all certificates of the mean dynamics."""

    def never(*_: Any, **__: Any) -> Any:
        raise InputError("a table was made")

    monkeypatch.setattr(means, "tables", never)
    model = replace(theta_to_two_theta(GAMMA), schedule=Schedule((HALF, HALF, HALF)))
    found = stationary(model, for_model(named("tdc"), model)[0], (0, 1))
    assert len(stability_certificates(found, [F(1), F(1)])) == 1 and found.extent == (2, 3)
