"""Models: kernels entry by entry, canonical form and digest, and the sentences for what is not a model."""

from __future__ import annotations

import copy
import hashlib
import json
import pickle
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings

from tdcert.sims.strategies import models
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.errors import InputError
from tdcert.theory.files import LoadedModel
from tdcert.theory.model import gallery
from tdcert.theory.model.mdp import Kernel, Model
from tdcert.theory.model.schedule import Schedule
from tests.effort import examples

F = Fraction
some = settings(max_examples=examples(40), deadline=None)


def entry(values: RationalMatrix, s: int, after: int) -> Fraction:
    return values[s, after if values.shape[1] > 1 else 0]


def assert_kernel(model: Model, kernel: Kernel, weights: list[list[Fraction]]) -> None:
    """N, P, r and mass of these action weights, summed entry by entry."""
    actions, n = range(len(model.actions)), range(model.n)
    for s in n:
        assert kernel.mass[s, 0] == sum(weights[s])
        reward = F(0)
        for after in n:
            p = [weights[s][a] * model.transitions[a][s, after] for a in actions]
            assert kernel.P[s, after] == sum(p)
            assert kernel.N[s, after] == sum(p[a] * entry(model.discounts[a], s, after) for a in actions)
            reward += sum((p[a] * entry(model.rewards[a], s, after) for a in actions), F(0))
        assert kernel.r[s, 0] == reward


@some
@given(models(policy="any", discount="any"))
def test_kernels_under_coverage(model: Model) -> None:
    target = [list(row) for row in model.target.rows]
    assert not model.uncovered
    assert_kernel(model, model.target_kernel, target)
    assert_kernel(model, model.covered_kernel, target)
    for s, row in enumerate(model.behaviour.rows):
        for after in range(model.n):
            p = sum((mu * P[s, after] for mu, P in zip(row, model.transitions, strict=True)), F(0))
            assert model.behaviour_chain.P[s, after] == p


@some
@given(models(policy="uncovered", discount="any"))
def test_kernels_without_coverage(model: Model) -> None:
    covered = [
        [p if mu > 0 else F(0) for p, mu in zip(pi, behaviour, strict=True)]
        for pi, behaviour in zip(model.target.rows, model.behaviour.rows, strict=True)
    ]
    pairs = tuple(
        (s, a)
        for s in range(model.n)
        for a in range(len(model.actions))
        if model.target[s, a] > 0 and model.behaviour[s, a] == 0
    )
    assert model.uncovered == pairs and pairs
    assert_kernel(model, model.target_kernel, [list(row) for row in model.target.rows])
    assert_kernel(model, model.covered_kernel, covered)


def test_rewards_per_transition() -> None:
    """r(s) = Σ_s' P(s, s') R(s, s'): ½·2 + ½·4 = 3 in the first state, 5 in the second."""
    P = RationalMatrix([[F(1, 2), F(1, 2)], [1, 0]])
    model = Model.reward_process(P, RationalMatrix([[2, 4], [5, 7]]), F(1, 2))
    assert model.target_kernel.r.column_entries() == (3, 5)


# ---- discounts ------------------------------------------------------------------------------------


def test_gamma_and_kappa_where_they_exist() -> None:
    half = gallery.flip_chain(F(1, 2), Schedule((F(1, 3),)))
    assert half.gamma == F(1, 2)
    assert half.kappa == F(2, 3) * F(1, 2) + F(1, 3) * F(1, 4)
    varying = gallery.flip_chain(RationalMatrix([[1, 1], [0, 0]]))
    assert varying.gamma is None and varying.kappa is None
    no_sum = gallery.flip_chain(1, Schedule.constant(F(1)))
    assert no_sum.gamma == 1 and no_sum.kappa is None


def test_on_policy_means_equal_policies() -> None:
    assert gallery.flip_chain().is_on_policy
    assert not gallery.theta_to_two_theta(F(1, 2)).is_on_policy


# ---- canonical form and digest --------------------------------------------------------------------


def test_canonical_form_of_a_small_model() -> None:
    """docs/certificates.md, "Canonical model": lowest terms, columns where rows are constant, no name."""
    model = gallery.flip_chain(F(2, 4), Schedule((F(3, 9), F(0))))
    expected: dict[str, Any] = {
        "format": "tdcert-model/1",
        "actions": ["only"],
        "transitions": {"only": [["0", "1"], ["1", "0"]]},
        "rewards": {"only": ["1", "0"]},
        "discount": "1/2",
        "behaviour": [["1"], ["1"]],
        "target": [["1"], ["1"]],
        "features": [["1"], ["1"]],
        "schedule": {"lambdas": ["1/3"]},
    }
    assert model.canonical == expected
    text = json.dumps(expected, sort_keys=True, separators=(",", ":"))
    assert model.digest == hashlib.sha256(text.encode()).hexdigest()
    endless = model.with_schedule(Schedule.constant(F(1, 3)))
    assert endless.canonical["schedule"] == {"constant": {"lambda": "1/3"}}
    varying = gallery.flip_chain(RationalMatrix([[1, F(1, 2)], [0, 0]]))
    assert varying.canonical["discount"] == {"only": [["1", "1/2"], ["0", "0"]]}
    by_state = gallery.flip_chain(RationalMatrix([[1, 1], [0, 0]]))
    assert by_state.canonical["discount"] == {"only": ["1", "0"]}


@some
@given(models(policy="any", discount="any"))
def test_equal_models_have_equal_digests(model: Model) -> None:
    """However written: values per state or per transition, another name, zeros at the end of the schedule."""
    n = model.n

    def spread(values: RationalMatrix) -> RationalMatrix:
        return RationalMatrix([[entry(values, s, after) for after in range(n)] for s in range(n)])

    rewritten = replace(
        model,
        rewards=tuple(map(spread, model.rewards)),
        discounts=tuple(map(spread, model.discounts)),
        schedule=Schedule((*model.schedule.lambdas, F(0))),
        name="another",
    )
    assert rewritten.digest == model.digest
    assert json.loads(json.dumps(model.canonical)) == model.canonical


def test_different_models_have_different_digests() -> None:
    model = gallery.theta_to_two_theta(F(1, 2))
    others = [
        gallery.theta_to_two_theta(F(1, 3)),
        gallery.theta_to_two_theta(F(1, 2), rewards=(0, 1)),
        model.with_schedule(Schedule.n_step(2)),
        model.with_features(RationalMatrix([[1], [3]])),
        replace(model, target=model.behaviour),
        replace(model, behaviour=model.target),
        replace(model, actions=("to 2", "to 1")),
        replace(model, transitions=model.transitions[::-1]),
    ]
    assert len({other.digest for other in [model, *others]}) == len(others) + 1


def test_features_default_to_tabular() -> None:
    model = Model.reward_process(RationalMatrix([[0, 1], [1, 0]]), RationalMatrix.zeros(2, 1), F(1, 2))
    assert model.features.rows == ((1, 0), (0, 1)) and model.schedule == Schedule()


# ---- what is not a model --------------------------------------------------------------------------

GOOD = gallery.theta_to_two_theta(F(1, 2))
COLUMN = RationalMatrix.column


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"actions": ()}, "must each be given for every action, at least one"),
        ({"rewards": GOOD.rewards[:1]}, "must each be given for every action, at least one"),
        ({"actions": ("to 1", "to 1")}, "two actions have the same name; give each its own"),
        ({"transitions": (GOOD.transitions[0], RationalMatrix([[1]]))}, "'to 2' has shape 1×1; give 2×2"),
        (
            {"transitions": (GOOD.transitions[0], RationalMatrix([[1, 0], [F(1, 2), 0]]))},
            r"row s1 of the transition matrix of action 'to 2' sums to 1/2 \(about 0\.5\), not to exactly one",
        ),
        ({"rewards": (COLUMN([1, 2, 3]),) * 2}, "the rewards have shape 3×1; give 2×2, or 2 numbers"),
        ({"discounts": (RationalMatrix([[1, 1]]),) * 2}, "the discounts have shape 1×2; give 2×2"),
        ({"discounts": (COLUMN([F(1, 2), F(3, 2)]),) * 2}, r"the discount 3/2 .* lies outside \[0, 1\]"),
        ({"discounts": (COLUMN([F(-1, 2), 0]),) * 2}, r"the discount -1/2 .* lies outside \[0, 1\]"),
        ({"behaviour": RationalMatrix([[1], [1]])}, r"behaviour policy has shape 2×1; give 2×2 \(states"),
        ({"target": RationalMatrix([[1, 0], [1, 1]])}, "row s1 of the target policy sums to 2, not"),
        ({"target": RationalMatrix([[1, 0], [2, -1]])}, "target policy has the negative entry -1 in row s1"),
        ({"features": COLUMN([1])}, "the features have shape 1×1; give one row for each of the 2 states"),
        ({"features": RationalMatrix.zeros(2, 0)}, "at least one column"),
    ],
    ids=str,
)
def test_what_is_not_a_model_is_refused_in_one_sentence(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence) as caught:
        replace(GOOD, **change)
    assert "\n" not in str(caught.value)


def test_an_empty_state_space_is_refused() -> None:
    nothing = RationalMatrix.zeros(0, 0)
    with pytest.raises(InputError, match="at least one state"):
        Model.reward_process(nothing, RationalMatrix.zeros(0, 1), F(1, 2), RationalMatrix.zeros(0, 1))


COPIES = (lambda given: pickle.loads(pickle.dumps(given)), copy.copy, copy.deepcopy)


@pytest.mark.parametrize("again", COPIES, ids=["pickle", "copy", "deepcopy"])
def test_models_and_matrices_are_pickled_and_copied(again: Callable[[Any], Any]) -> None:
    """Numbers longer than 64 bits, an empty matrix, and a model whose chain, kernels and law were computed before."""
    long = RationalMatrix([[F(-(10**40), 3), 0, F(1, 7)]])
    for matrix in (long, RationalMatrix.zeros(0, 3), RationalMatrix.zeros(2, 0)):
        made = again(matrix)
        assert made == matrix and made.shape == matrix.shape and made.to_strings() == matrix.to_strings()
        assert made.rank == matrix.rank and hash(made) == hash(matrix)
    model = gallery.theta_to_two_theta(F(9, 10), Schedule.n_step(3))
    assert model.behaviour_chain.stationary_law((0, 1)).shape == (2, 1) and model.digest and model.target_kernel.N
    loaded = LoadedModel(model, ("left", "right"), ["a default"], [], "made here")
    copied = again(loaded)
    assert copied.model.digest == model.digest and copied.model.schedule == model.schedule
    assert copied.state_names == loaded.state_names and copied.defaults_used == ["a default"]
    assert copied.model.behaviour_chain.stationary_law((0, 1)) == model.behaviour_chain.stationary_law((0, 1))
    assert copied.model.with_schedule(Schedule()).digest == model.with_schedule(Schedule()).digest


def test_another_schedule_forgets_what_was_of_the_first() -> None:
    """κ = γ² and γ for two-step returns and TD(0); what does not depend on λ is the same object."""
    P = RationalMatrix([[Fraction(1, 2), Fraction(1, 2)], [Fraction(1), Fraction(0)]])
    first = Model.reward_process(P, RationalMatrix.column([0, 1]), Fraction(1, 2), schedule=Schedule.n_step(2))
    assert first.kappa == Fraction(1, 4) and first.has_trace_sum and first.digest and first.target_kernel
    second = first.with_schedule(Schedule())
    fresh = replace(first, schedule=Schedule())
    assert second.kappa == fresh.kappa == Fraction(1, 2) and second.digest == fresh.digest != first.digest
    assert second.target_kernel is first.target_kernel and first.kappa == Fraction(1, 4)
    without_end = Model.reward_process(P, RationalMatrix.column([0, 1]), Fraction(1))
    assert without_end.has_trace_sum and not without_end.with_schedule(Schedule.constant(Fraction(1))).has_trace_sum
