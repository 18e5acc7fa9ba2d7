"""Updates on sparse models: enclosures hold what exact arithmetic finds, and nothing is claimed beyond."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from tdcert.algorithms import NAMES, for_model, named
from tdcert.analysis.choose_arithmetic import in_floats
from tdcert.analysis.request import Arithmetic, Request
from tdcert.analysis.row import AlgorithmRow
from tdcert.analysis.updates import analyse_updates
from tdcert.sims.strategies import models
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.float_enclosures import MidRadMatrix
from tdcert.theory.check.fixed_point import differential_value
from tdcert.theory.check.mean_dynamics import MEANS
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.enclose import sparse_law, sparse_value
from tdcert.theory.enclose.sparse import analyse_sparse
from tdcert.theory.engine import sparse_terms
from tdcert.theory.engine.declare import Algorithm, Estimate, algorithm
from tdcert.theory.engine.dynamics import at_ratios, rest_of, two_time_scales
from tdcert.theory.engine.first_order import with_mean_dynamics
from tdcert.theory.engine.sparse_regime import SparseRegime, sparse_regime
from tdcert.theory.engine.terms import DOTS, NEXT, NO_NUMBER, NUMBERS, PHI
from tdcert.theory.errors import InputError
from tdcert.theory.model.gallery import boyan_chain, flip_chain, theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.model.sparse_model import SparseModel
from tdcert.theory.progress import silently
from tests.effort import by_default, examples
from tests.theory.enclose.test_sparse import SEED, random_model

F = Fraction


@algorithm(parameters={"theta": "d"}, memory={"z": "d"}, steps=("alpha",))
def reads_before(t: Any, theta: Any, z: Any, alpha: Any, *, lam: Any = 0.5) -> Any:
    """What was before in a link, in a source, and in an increment; λ is larger than one where ρ is small."""
    z = t.discount_before * t.rho_before * lam * z + t.rho_before * t.phi
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    return theta + alpha * (delta * z - t.discount_before * (t.phi @ theta) * t.phi_next), z


@algorithm(parameters={"theta": "d", "c": 1}, memory={"x": "d", "y": "d", "f": 1, "g": 1}, steps=("alpha",))
def turns(t: Any, theta: Any, c: Any, x: Any, y: Any, f: Any, g: Any, alpha: Any) -> Any:
    """Two vectors, and two numbers, of the memory that depend on each other; one of each is negative."""
    x, y = t.phi_next - y * F(1, 2), x * t.discount + f * t.expected_phi_next * F(1, 4)
    f, g = t.reward - g * F(1, 2), f * F(1, 2) + t.rho
    delta = t.reward - c + t.discount * (t.expected_phi_next @ theta) - t.phi @ theta
    near = t.phi @ t.phi * (t.expected_phi_next @ theta)
    moved = delta * x + (y @ theta) * t.phi + g * (t.phi_next @ theta) * t.phi_next - near * t.expected_phi_next
    return theta + alpha * (moved - g * theta), c + alpha * (g * c + f * (t.phi @ theta) - delta), x, y, f, g


@algorithm(parameters={"theta": "d"}, memory={"z": "d"}, steps=("alpha",))
def until_the_end(t: Any, theta: Any, z: Any, alpha: Any) -> Any:
    """λ = 1: the trace is forgotten where an episode ends alone."""
    z = z + t.phi
    return theta + alpha * (t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta) * z, t.discount * z


@algorithm(parameters={"theta": "d"}, memory={"z": "d", "f": 1}, steps=("alpha",))
def ahead(t: Any, theta: Any, z: Any, f: Any, alpha: Any) -> Any:
    """Dot products with φ', alone and multiplied, in increments, links and sources; φ' = 0 is a case of its own."""
    near, size = t.phi @ t.phi_next, t.phi_next @ t.phi_next
    if size == 0:
        return theta - alpha * (t.phi @ theta) * (t.phi + z), t.phi + 0 * z, f / 2
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    moved = delta * z + near * size * (t.phi @ theta) * t.phi_next + (f + near) * (t.phi_next @ theta) * t.phi_next
    return theta + alpha * moved, t.discount * z / 2 + near * t.rho * t.phi + t.phi_next, f / 3 + near * near


def regimes(model: Model, declared: Algorithm) -> list[SparseRegime]:
    """On each recurrent class."""
    sparse = in_floats(model)
    chain = sparse_law.structure(sparse.behaviour_kernel.weights)
    found = []
    for states in chain.recurrent:
        law, why = sparse_law.stationary_law(sparse.behaviour_kernel, states)
        assert law is not None, why
        found.append(sparse_regime(sparse, declared, states, law))
    return found


def holds_the_exact(model: Model, declared: Algorithm, least: float = np.inf) -> None:
    """Means and rest points lie in their enclosures, no wider than ``least``; verdicts agree."""
    ones = [F(1)] * len(declared.steps)
    for found in regimes(model, declared):
        exact = with_mean_dynamics(model, declared, tuple(found.states.tolist()))
        assert found.D == exact.D and found.cut >= exact.cut  # at φ = 0 implicit TD divides by one
        if found.has_mean is None:
            assert at_ratios(found, ones).mean_dynamics is MeanDynamics.UNDECIDED
            continue
        assert exact.has_mean
        for one, other in zip(found.means, exact.means, strict=True):
            assert one.contains(other) and one.rad.max() <= least
        said, truth = at_ratios(found, ones), at_ratios(exact, ones)
        assert said.mean_dynamics in (truth.mean_dynamics, MeanDynamics.UNDECIDED)
        scales, true_scales = two_time_scales(found), two_time_scales(exact)
        assert (scales is None) == (true_scales is None)
        if scales is not None and true_scales is not None:
            assert scales.mean_dynamics in (true_scales.mean_dynamics, MeanDynamics.UNDECIDED)
        rest, true_rest = rest_of(found, ones), rest_of(exact, ones)
        if rest.parameters is not None:
            assert true_rest.parameters is not None and rest.parameters.contains(true_rest.parameters)


OWN = {"reads_before": reads_before, "turns": turns, "ahead": ahead}


@pytest.mark.parametrize("name", [*NAMES, *OWN])
@settings(max_examples=examples(6), deadline=None)
@given(model=models(policy="any") | models(policy="uncovered") | models(rank="deficient"))
def test_enclosures_hold_the_exact_means(name: str, model: Model) -> None:
    holds_the_exact(model, for_model(OWN.get(name) or named(name), model)[0])


@pytest.mark.parametrize("schedule", [Schedule((F(1, 2), F(1, 3))), Schedule((), F(2, 3)), Schedule()])
@pytest.mark.parametrize("name", by_default(4, [*NAMES, *OWN]))
def test_enclosures_are_narrow(name: str, schedule: Schedule) -> None:
    for sparse in drawn():
        narrow(replace(sparse, schedule=schedule), name)


def drawn() -> list[SparseModel]:
    """With one discount, and with one for each state; several actions, policies that differ; the last one on-policy."""
    found = [random_model(np.random.default_rng(SEED + seed), trial) for seed, trial in ((6, 1), (9, 2), (2, 3))]
    assert [sparse.is_on_policy for sparse in found] == [False, False, True]
    assert all(len(sparse.actions) > 1 for sparse in found[:2]) and all(sparse.d > 1 for sparse in found)
    return found


def narrow(sparse: SparseModel, name: str) -> None:
    """Means lie in their enclosures, of at least nine digits."""
    states, declared = np.arange(sparse.n), for_model(OWN.get(name) or named(name), sparse)[0]
    law, _ = sparse_law.stationary_law(sparse.behaviour_kernel, states)
    assert law is not None
    found = sparse_regime(sparse, declared, states, law)
    exact = with_mean_dynamics(sparse.exact(), declared, range(sparse.n))
    assert found.has_mean is True and len(found.means) == len(exact.means)
    for one, other in zip(found.means, exact.means, strict=True):
        assert one.contains(other)
        assert one.rad.max() <= 1e-9 * max(1.0, float(np.abs(one.mid).max()))


@pytest.mark.parametrize("name", ["ahead", "categorical_td", "direct_gtd"])
def test_next_states_without_features_and_next_to_each_other(name: str) -> None:
    """Every third state has φ = 0, as where an episode has ended; φ' is a number of its own in each transition."""
    for sparse in drawn():
        features = sparse.features.copy()
        features[::3] = 0
        ratios = {key: part for key, part in sparse.ratios.items() if key != "features"}
        narrow(replace(sparse, features=features, ratios=ratios), name)


def test_dot_products_with_the_next_features_are_enclosed() -> None:
    """(φᵀφ')(φ'ᵀφ')² of each stored transition in fractions; what was rounded has a radius."""
    states = np.arange(drawn()[0].n)
    features = np.random.default_rng(SEED).standard_normal((len(states), 8))  # of all bits, with sums that cancel
    sparse = replace(drawn()[0], features=features, ratios={})
    terms = sparse_terms.sparsely_traced(sparse, ahead, states)
    dots = [0] * len(NO_NUMBER)
    dots[len(NUMBERS) + DOTS.index((PHI, NEXT))], dots[len(NUMBERS) + DOTS.index((NEXT, NEXT))] = 1, 2
    P = sparse.transitions[0]
    mid, rad = terms._dots(P, tuple(dots))
    Phi = sparse.exact().features.rows
    rows = np.repeat(states, np.diff(P.indptr)).tolist()
    for s, after, middle, radius in zip(rows, P.indices.tolist(), mid.tolist(), rad.tolist(), strict=True):
        near, size = (sum(x * y for x, y in zip(Phi[k], Phi[after], strict=True)) for k in (s, after))
        off = abs(F(middle) - near * size**2)
        assert off <= F(radius) <= 1e-12 * (1 + abs(middle))
    assert rad.min() > 0


@pytest.mark.thorough
def test_what_was_before_and_what_turns() -> None:
    for sparse in drawn():
        for name in (*OWN, "retrace"):
            narrow(sparse, name)


def test_a_trace_that_only_the_end_forgets_has_a_mean() -> None:
    """Rows of |K| sum to one but where episodes end: another vector than 1 shows that the trace contracts."""
    holds_the_exact(boyan_chain(), until_the_end, 1e-9)
    found = regimes(boyan_chain(), until_the_end)[0]
    assert found.has_mean is True


def test_a_trace_that_nothing_forgets_has_none() -> None:
    model = replace(flip_chain(), discounts=(RationalMatrix([[F(1)]] * flip_chain().n),) * len(flip_chain().actions))
    found = regimes(model, until_the_end)[0]
    assert found.has_mean is None
    verdict = at_ratios(found, [F(1)])
    assert verdict.mean_dynamics is MeanDynamics.UNDECIDED and "not decided" in verdict.reason


@pytest.mark.parametrize("trial", range(6))
def test_the_paper_s_three_agree_with_their_own_enclosures(trial: int) -> None:
    """Two ways to A, b and C: enclosures of J and g overlap, and so do rates; verdicts do not contradict."""
    sparse = random_model(np.random.default_rng(SEED + trial), trial)
    part = analyse_sparse(sparse).classes[0]
    assert part.law is not None and part.A is not None and part.b is not None and part.C is not None
    A, b, C = part.A, part.b, part.C
    nothing = MidRadMatrix(np.zeros(A.shape))
    expected = {
        "off_policy_td": A.beside(b),
        "gtd": nothing.block(right=-A.T, below=A, corner=-C).beside(nothing.take(columns=[0]).T.beside(b.T).T),
    }
    for name, mean in zip(("off_policy_td", "gtd", "tdc"), MEANS, strict=True):
        declared = for_model(named(name), sparse)[0]
        found = sparse_regime(sparse, declared, part.states, part.law)
        ones = [F(1)] * len(declared.steps)
        if name in expected:
            joint, other = found.joint(ones), expected[name]
            assert (np.abs(joint.mid - other.mid) <= joint.rad + other.rad).all()
        mine, own = two_time_scales(found) if name == "tdc" else at_ratios(found, ones), part.dynamics[mean]
        assert mine is not None
        if MeanDynamics.UNDECIDED not in (mine.mean_dynamics, own.mean_dynamics):
            assert mine.mean_dynamics is own.mean_dynamics


CENTRED = replace(named("td"), estimates=Estimate.CENTRED)
DIFFERENTIAL = [named("average_reward_td"), named("differential_td")]


def test_differential_values_are_enclosed_up_to_a_constant() -> None:
    """As those of a linear system in fractions; not where the target policy stays in one of two classes."""
    for sparse in drawn():
        model = sparse.exact()
        exact, found = differential_value(model, range(model.n)), sparse_value.differential_value(sparse)
        assert exact is not None and found is not None
        value, error = [F(x) for x in found.mid[:, 0].tolist()], F(float(found.error[0]))
        apart = [x - y for x, (y,) in zip(value, exact.rows, strict=True)]
        assert max(apart) - min(apart) <= 2 * error <= F(1, 10**9)
    stays = RationalMatrix([[F(1), F(0)], [F(0), F(1)]])
    two = in_floats(
        Model.reward_process(stays, RationalMatrix([[1], [2]]), F(1, 2), features=RationalMatrix([[1], [3]]))
    )
    assert sparse_value.differential_value(two) is None


def row(model: Any, declared: Algorithm, **more: Any) -> AlgorithmRow:
    return analyse_updates(model, [declared], silently, request=Request(Arithmetic.SPARSE), **more).rows[0]


@pytest.mark.parametrize(
    "declared",
    by_default(3, map(named, ("td", "tdc", "averaging_target", "implicit_td", "vmtdc")))
    + by_default(1, [CENTRED, *DIFFERENTIAL]),
)
def test_rows_hold_the_exact_ones(declared: Algorithm) -> None:
    sparse = random_model(np.random.default_rng(SEED + 6), 1)
    assert sparse.d < sparse.n
    found, exact = row(sparse, declared), analyse_updates(sparse.exact(), [declared], silently).rows[0]
    assert (found.states, found.first_order, found.memory_mean) == (exact.states, exact.first_order, exact.memory_mean)
    assert found.verdict is not None and exact.verdict is not None
    assert found.verdict.mean_dynamics is exact.verdict.mean_dynamics
    assert found.rest is not None and exact.rest is not None
    if exact.rest.parameters is not None:
        assert found.rest.parameters.contains(exact.rest.parameters)
    assert isinstance(found.error_squared, MidRadMatrix) and isinstance(exact.error_squared, Fraction)
    assert found.error_squared.contains(RationalMatrix([[exact.error_squared]]))
    assert found.error_squared.rad[0, 0] <= 1e-9 * exact.error_squared


def test_what_sparse_arithmetic_does_not_answer_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    @algorithm(parameters={"theta": "d"})
    def near(t: Any, theta: Any, alpha: Any) -> Any:
        return theta - alpha * min(1, t.phi @ t.phi_next) * (t.phi @ theta) * t.phi

    with pytest.raises(InputError, match=r"t\.phi @ t\.phi_next, which differs from transition to transition"):
        regimes(boyan_chain(), near)
    monkeypatch.setattr(sparse_terms, "EVALUATIONS", 3)
    sparse = random_model(np.random.default_rng(SEED + 6), 1)
    assert sparse.n * len(sparse.actions) > 3
    assert row(sparse, named("retrace")).why_not == ""  # cases of min(1, ρ), not values of ρ
    said = row(sparse, named("abtd")).why_not
    assert "compares, or divides by, t." in said and "up to 3 of them" in said


def test_a_quotient_of_one_is_told_in_fractions() -> None:
    """ρ is one, or nearly one, in some actions: floats do not tell, and enclosures stay narrow."""

    @algorithm(parameters={"theta": "d"})
    def above_one(t: Any, theta: Any, alpha: Any) -> Any:
        return theta - alpha * (3 if t.rho > 1 else 2 if t.rho == 1 else 1) * (t.phi @ theta) * t.phi

    model, little = theta_to_two_theta(F(1, 2)), F(1, 2**59)
    target = [F(1, 4), F(1, 4) + little, F(3, 8), F(1, 8) - little]
    names = ("a", "b", "c", "d")
    four = Model(
        names,
        model.transitions[:1] * 4,
        model.rewards[:1] * 4,
        model.discounts[:1] * 4,
        RationalMatrix([[F(1, 4)] * 4] * 2),
        RationalMatrix([target] * 2),
        model.features,
        Schedule(),
    )
    found = regimes(four, above_one)[0]
    assert len(found.terms.evaluations) == 3
    holds_the_exact(four, above_one, 1e-9)
