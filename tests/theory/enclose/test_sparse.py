"""Large sparse models: enclosures hold the exact values, bounds are tight, and what is not known is not claimed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array, diags_array

from tdcert.claims.claim import decide
from tdcert.claims.paper import asked_in_enclosures, entry
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.float_enclosures import MidRadMatrix
from tdcert.theory.arithmetic.sparse_products import Columns
from tdcert.theory.check.hypotheses import APERIODIC
from tdcert.theory.check.margins import largest_discount
from tdcert.theory.check.mean_dynamics import MEAN_A, MEAN_G, td_dynamics
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.enclose import sparse_elimination, sparse_law, sparse_matrices
from tdcert.theory.enclose.dense import analyse_enclosed
from tdcert.theory.enclose.sparse import analyse_sparse
from tdcert.theory.enclose.sparse_law import law_error, stationary_law, structure
from tdcert.theory.enclose.sparse_result import SparseClass
from tdcert.theory.errors import InputError
from tdcert.theory.limits import MOST_CLASSES
from tdcert.theory.model.chain import Chain
from tdcert.theory.model.key_matrices import KeyMatrices, theorem_matrices, value_function
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.model.sparse_model import Ratios, SparseModel
from tdcert.theory.verdict import Grade, Status, Verdict

SEED = 20261121


def random_chain(rng: np.random.Generator, n: int, density: float = 0.6) -> Any:
    """Random rows on a random pattern that holds a cycle through all states."""
    W = rng.random((n, n)) * (rng.random((n, n)) < density)
    W[np.arange(n), (np.arange(n) + 1) % n] += 0.1
    return csr_array(W / W.sum(axis=1, keepdims=True))


def random_policy(rng: np.random.Generator, n: int, m: int) -> Any:
    weights = rng.random((n, m)) ** 3 + 0.01
    return weights / weights.sum(axis=1, keepdims=True)


def random_model(rng: np.random.Generator, trial: int) -> SparseModel:
    n, m = int(rng.integers(2, 8)), int(rng.integers(1, 4))
    d = int(rng.integers(1, n + 1))
    behaviour = random_policy(rng, n, m)
    lambdas = tuple(Fraction(float(x)) for x in rng.random(int(rng.integers(0, 4))))
    return SparseModel(
        tuple(f"a{i}" for i in range(m)),
        tuple(random_chain(rng, n) for _ in range(m)),
        rng.normal(size=(n, m)),
        Fraction(9, 10) if trial % 2 else rng.random(n),
        behaviour,
        behaviour if trial % 3 == 0 else random_policy(rng, n, m),
        rng.normal(size=(n, d)),
        Schedule(lambdas) if trial % 5 else Schedule((), Fraction(1, 3)),
    )


def walk(n: int, up: float = 0.5) -> Any:
    """The walk on a line that stays put where it would leave; its law is geometric with ratio up/(1 − up)."""
    stay = np.zeros(n)
    stay[0], stay[-1] = 1 - up, up
    return csr_array(diags_array([np.full(n - 1, 1 - up), stay, np.full(n - 1, up)], offsets=[-1, 0, 1]))


def two_blocks(rng: np.random.Generator, size: int, out: float, back: float) -> Any:
    """Two blocks that are left with probabilities ``out`` and ``back``; the second eigenvalue is 1 − out − back."""
    top, bottom = (random_chain(rng, size, 1.0).toarray() for _ in range(2))
    P = np.zeros((2 * size, 2 * size))
    P[:size, :size], P[size:, size:] = top * (1 - out), bottom * (1 - back)
    P[size - 1, :size], P[size - 1, size] = top[size - 1] * (1 - out * size), out * size
    P[: size - 1, :size] = top[: size - 1]
    P[size:, size:], P[size, size:] = bottom, bottom[0] * (1 - back * size)
    P[size, 0] = back * size
    return csr_array(P / P.sum(axis=1, keepdims=True))


def process(P: Any, features: Any | None = None, discount: Fraction = Fraction(9, 10)) -> SparseModel:
    n = P.shape[0]
    Phi = np.ones((n, 1)) if features is None else features
    return SparseModel.reward_process(P, np.arange(n, dtype=float) / n, discount, Phi, Schedule())


def single(model: SparseModel) -> SparseClass:
    """The only recurrent class of a model, analysed."""
    (found,) = analyse_sparse(model).classes
    return found


def verdicts(model: SparseModel) -> Mapping[str, Verdict]:
    return analyse_sparse(model, asked_in_enclosures()).verdicts


def assert_encloses(found: SparseClass, model: SparseModel) -> None:
    exact = model.exact()
    keys = theorem_matrices(exact, exact.behaviour_chain.recurrent_classes[0])
    assert found.law is not None
    assert MidRadMatrix(found.law.mid[:, None], found.law.entrywise[:, None]).contains(keys.d)
    for mine, theirs in ((found.A, keys.A), (found.b, keys.b), (found.C, keys.C), (found.theta_star, keys.theta_star)):
        assert mine is not None and mine.contains(theirs)


@pytest.mark.thorough
def test_enclosures_hold_the_exact_matrices_and_verdicts_never_contradict() -> None:
    rng = np.random.default_rng(SEED)
    decided = 0
    for trial in range(30):
        model = random_model(rng, trial)
        found = single(model)
        assert_encloses(found, model)
        exact = model.exact()
        dynamics = found.dynamics[MEAN_A]
        assert dynamics is not None
        if dynamics.mean_dynamics is not MeanDynamics.UNDECIDED:
            decided += 1
            truth = td_dynamics(exact, exact.behaviour_chain.recurrent_classes[0])
            assert truth.mean_dynamics is dynamics.mean_dynamics
        assert found.A is not None and found.law is not None
        assert float(found.A.rad.max()) < 1e-11 * float(np.abs(found.A.mid).max())  # tight, not only true
    assert decided >= 25


@pytest.mark.parametrize("method", ["Krylov", "elimination"])
def test_laws_by_either_method_hold_the_exact_law(monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    monkeypatch.setattr(sparse_law, "SMALL_STATES", 2 if method == "Krylov" else 40)
    rng = np.random.default_rng(SEED)
    for n in (3, 8, 40):
        model = process(random_chain(rng, n, 0.3))
        law, why = stationary_law(model.behaviour_kernel, np.arange(n))
        assert law is not None and method in why
        exact = Chain(model.exact().transitions[0]).stationary_law(tuple(range(n)))
        away = sum(abs(Fraction(float(x)) - d) for x, (d,) in zip(law.mid, exact.rows, strict=True))
        assert away <= Fraction(law.distance) < Fraction(1, 10**10)


def test_a_wrong_law_is_never_covered_however_small_its_residual() -> None:
    # Nearly decomposable with asymmetric coupling: (3, 1)/4 between the blocks; an even mixture has residual 1e-11.
    P = two_blocks(np.random.default_rng(SEED), 6, 1e-11, 3e-11)
    model = process(P)
    chain = model.behaviour_kernel
    law, _ = stationary_law(chain, np.arange(12))
    assert law is not None and abs(law.mid[:6].sum() - 0.75) < 0.2 and law.distance < 1e-12
    wrong = np.concatenate([law.mid[:6] / law.mid[:6].sum(), law.mid[6:] / law.mid[6:].sum()]) / 2
    assert np.abs(P.T @ wrong - wrong).sum() < 1e-9
    s = int(wrong.argmax())
    others = np.arange(12) != s
    hitting = np.zeros(12)
    hitting[others] = np.linalg.solve(np.eye(11) - P.toarray()[np.ix_(others, others)], np.ones(11))
    bound = law_error(chain, wrong, s, hitting)
    assert bound is not None and bound > np.abs(wrong - law.mid).sum() > 0.1
    assert law_error(chain, wrong, s, np.ones(12)) is None  # a test vector that proves nothing


def test_nearly_decomposable_chains_have_right_digits() -> None:
    rng = np.random.default_rng(SEED)
    model = process(two_blocks(rng, 15, 1e-10, 5e-10))
    law, why = stationary_law(model.behaviour_kernel, np.arange(30))
    exact = Chain(model.exact().transitions[0]).stationary_law(tuple(range(30)))
    assert law is not None and "without subtraction" in why
    for x, r, (d,) in zip(law.mid, law.entrywise, exact.rows, strict=True):
        assert abs(Fraction(float(x)) - d) <= Fraction(float(r)) <= d / 10**11


@pytest.mark.thorough
def test_chains_that_mix_too_slowly_are_told_not_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sparse_elimination, "ELIMINATION_BYTES", 0)
    monkeypatch.setattr(sparse_law, "KRYLOV_RESTARTS", 1)
    model = process(walk(3000))
    found = single(model)
    assert found.law is None and "a residual is not a bound" in found.law_method
    assert "no small separators" in found.law_method
    assert {verdict.status for verdict in verdicts(model).values()} == {Status.UNDECIDED}


def test_structure_of_periodic_and_reducible_chains() -> None:
    cycle = csr_array((np.ones(6), (np.arange(6), (np.arange(6) + 1) % 6)), shape=(6, 6))
    assert structure(process(cycle).behaviour_kernel.weights).periods == (6,)
    assert structure(process(walk(5)).behaviour_kernel.weights).periods == (1,)
    absorbing = csr_array(np.array([[0.5, 0.5, 0], [0, 0, 1], [0, 1, 0]]))
    found = structure(process(absorbing).behaviour_kernel.weights)
    assert not found.irreducible and found.periods == (2,) and list(found.transient) == [0]
    assert [list(x) for x in found.recurrent] == [[1, 2]]
    transient = single(process(absorbing))
    assert_encloses(transient, process(absorbing))
    assert verdicts(process(absorbing))["prop_4_1"].violated == ("irreducible",)


def theta_2theta(discount: Fraction) -> SparseModel:
    """Off-policy, features 1 and 2: A = (6γ − 5)/2 with the target that always moves to the second state."""
    to = [csr_array(np.array([[1.0, 0.0]] * 2)), csr_array(np.array([[0.0, 1.0]] * 2))]
    return SparseModel(
        ("first", "second"),
        tuple(to),
        np.zeros((2, 2)),
        discount,
        np.full((2, 2), 0.5),
        np.array([[0.0, 1.0]] * 2),
        np.array([[1.0], [2.0]]),
        Schedule(),
    )


def test_off_policy_verdicts_on_both_sides_of_the_singularity() -> None:
    # A = ½(1·(2γ − 1) + 2·(2γ − 2)) = (6γ − 5)/2, singular at γ = 5/6.
    for gap, expected in ((-1e-6, MeanDynamics.STABLE), (1e-6, MeanDynamics.UNSTABLE), (0.0, MeanDynamics.UNDECIDED)):
        model = theta_2theta(Fraction(5, 6) + Fraction(gap))
        found = single(model)
        row, gradient = found.dynamics[MEAN_A], found.dynamics[MEAN_G]
        assert row is not None and row.mean_dynamics is expected
        assert gradient is not None
        assert gradient.mean_dynamics is (MeanDynamics.UNDECIDED if gap == 0 else MeanDynamics.STABLE)
        assert verdicts(model)["prop_4_1"].violated == ("on_policy",)


def test_the_off_policy_norm_is_a_bound_and_decides() -> None:
    # dP = (0, 1) against d = (½, ½): ‖P‖²_D = 2, so γ‖P‖_D < 1 exactly below 1/√2.
    low, high = single(theta_2theta(Fraction(7, 10))), single(theta_2theta(Fraction(71, 100)))
    assert low.off_policy_norm == pytest.approx(0.7 * 2**0.5, rel=1e-8) and high.off_policy_norm is not None
    assert verdicts(theta_2theta(Fraction(7, 10)))["off_policy_margin"].status is Status.HOLDS
    open_ = verdicts(theta_2theta(Fraction(71, 100)))["off_policy_margin"]
    assert high.off_policy_norm > 1 and open_.status is Status.UNDECIDED


def test_margins_are_numbers_that_hold() -> None:
    rng = np.random.default_rng(SEED)
    model = process(random_chain(rng, 12), rng.normal(size=(12, 3)))
    found = single(model)
    assert found.A is not None and found.C is not None and found.smallest_of_c is not None
    low, high = found.smallest_of_c
    radius = float(found.C.rad.sum(axis=1).max())  # moves no eigenvalue further
    assert abs(float(np.linalg.eigvalsh(found.C.mid)[0]) - (low + high) / 2) <= high - low <= 8 * radius < 1e-10
    assert found.largest_of_a is not None
    top = float(np.linalg.eigvalsh((found.A.mid + found.A.mid.T) / 2)[-1])
    assert found.largest_of_a[0] <= top + 1e-13 and found.largest_of_a[1] >= top - 1e-13
    assert found.largest_of_a[1] <= -(1 - 0.9) * low + 1e-15 and analyse_sparse(model).kappa == Fraction(9, 10)


def shown(enclosure: MidRadMatrix | None, exact: Fraction) -> bool:
    """Whether a 1×1 enclosure holds a number, and to eight digits."""
    assert enclosure is not None
    return enclosure.contains(RationalMatrix([[exact]])) and enclosure.rad[0, 0] <= 1e-8 * max(exact, Fraction(1, 100))


def test_the_value_and_the_distances_from_it_are_enclosed() -> None:
    """Against exact arithmetic, on- and off-policy, with and without episodes."""
    rng = np.random.default_rng(SEED)
    for trial in range(6):
        model = random_model(rng, trial)
        result, exact = analyse_sparse(model), model.exact()
        (states,) = exact.behaviour_chain.recurrent_classes
        keys, V = theorem_matrices(exact, states), value_function(exact)
        (part,) = result.classes
        assert result.value is not None
        assert MidRadMatrix(result.value.mid, result.value.error[0]).contains(V)
        assert result.value.error[0] < 1e-10 * np.abs(result.value.mid).max()

        def squared(v: RationalMatrix, keys: KeyMatrices[RationalMatrix] = keys) -> Fraction:
            return (v.T @ v.scale_rows(keys.d))[0, 0]

        errors, Phi = part.errors, exact.features
        best = keys.C.solve(Phi.T @ V.scale_rows(keys.d))
        left = squared(Phi @ best - V)
        assert shown(errors.projection, left) and shown(errors.fixed_point, squared(Phi @ keys.theta_star - V))
        kappa = exact.schedule.kappa(largest_discount(exact))
        assert shown(errors.bound, left / (1 - kappa**2)) if exact.is_on_policy else errors.bound is None


@pytest.mark.thorough
def test_a_value_that_is_not_unique_is_not_given() -> None:
    """γ = 1 everywhere: I − N is singular. With one end of episodes in reach the value is that of hitting it."""
    n = 40
    endless, ending = np.ones(n), np.ones(n)
    ending[-1] = 0.0
    Phi = np.ones((n, 1))
    given = SparseModel.reward_process(walk(n), np.ones(n), endless, Phi, Schedule())
    assert analyse_sparse(given).value is None and "not be unique" in analyse_sparse(given).value_method
    found = analyse_sparse(SparseModel.reward_process(walk(n), np.ones(n), ending, Phi, Schedule())).value
    # One step from n − 1; the walk takes 2(k + 1) steps on average from k to k + 1.
    steps = [1 + sum(2 * (k + 1) for k in range(s, n - 1)) for s in range(n)]
    assert found is not None and np.abs(found.mid[:, 0] - steps).max() <= found.error[0] < 1e-6


def test_several_classes_each_have_their_law_and_too_many_are_told() -> None:
    P = np.zeros((5, 5))
    P[0, :] = [0.25, 0.25, 0, 0.5, 0]
    P[1:3, 1:3], P[3:, 3:] = [[0.5, 0.5], [0.25, 0.75]], [[0, 1], [1, 0]]
    model = process(csr_array(P), np.array([[1.0], [2.0], [1.0], [3.0], [0.5]]))
    result, exact = analyse_sparse(model), model.exact()
    assert len(result.classes) == 2 and result.chain.periods == (1, 2) and list(result.chain.transient) == [0]
    assert [part.states.tolist() for part in result.classes] == [[1, 2], [3, 4]]
    for part in result.classes:
        keys = theorem_matrices(exact, tuple(part.states.tolist()))
        assert part.law is not None and part.A is not None and part.A.contains(keys.A)
        assert MidRadMatrix(part.law.mid[:, None], part.law.entrywise[:, None]).contains(keys.d)
        td = part.dynamics[MEAN_A]
        assert td is not None and td.mean_dynamics is MeanDynamics.STABLE
    assert verdicts(model)["prop_4_1"].violated == ("irreducible",)
    assert verdicts(model)["negative_margin"].status is Status.HOLDS
    many = analyse_sparse(process(csr_array(np.eye(MOST_CLASSES + 1))), asked_in_enclosures())
    assert many.classes == () and all("21 recurrent classes" in verdict.detail for verdict in many.verdicts.values())
    assert many.verdicts["prop_4_1"].violated == ("irreducible",) and many.verdicts["thm_4_6"].violated == (
        "unique_law",
    )
    assert many.verdicts["negative_margin"].status is Status.UNDECIDED


def test_episodes_satisfy_the_discount_hypothesis_and_dependent_features_are_no_refutation() -> None:
    rng = np.random.default_rng(SEED)
    episodes = SparseModel.reward_process(
        random_chain(rng, 6), np.ones(6), np.array([0.0, 1, 1, 1, 1, 1]), rng.normal(size=(6, 2)), Schedule()
    )
    assert verdicts(episodes)["prop_4_1"].status is Status.HOLDS and analyse_sparse(episodes).kappa is None
    whole = process(random_chain(rng, 6), rng.normal(size=(6, 2)), Fraction(1))
    assert verdicts(whole)["prop_4_1"].violated == ("discount_below_one",)
    column = np.arange(1.0, 7.0)[:, None]
    model = process(random_chain(rng, 6), np.hstack([column, 3 * column]))
    dependent, verdict = single(model), verdicts(model)["prop_4_1"]
    assert verdict.status is Status.HYPOTHESIS_VIOLATED and "x_0 = -3, x_1 = 1, other" in verdict.detail
    gradient = dependent.dynamics[MEAN_G]
    assert gradient is not None and gradient.mean_dynamics is MeanDynamics.STABLE_MODULO_NULL_SPACE


def test_a_residual_that_rounds_to_zero_is_not_taken_for_one() -> None:
    a, b = 2.0**-30, 3 * 2.0**-30  # law (3, 1)/4
    chain = process(csr_array(np.array([[1 - a, a], [b, 1 - b]]))).behaviour_kernel
    for shift in (1e-9, -1e-9, 2e-9):
        x = np.array([0.75 + shift, 0.25 - shift])
        bound = law_error(chain, x, 0, np.array([1.0, 1 / b]))
        assert bound is not None and bound >= 2 * abs(shift)


def test_rounding_never_makes_a_state_reachable() -> None:
    # In floats some rows of a closed class sum to less than one, and h = 1 would seem to prove a return.
    rng = np.random.default_rng(SEED)
    for _ in range(40):
        P = np.zeros((6, 6))
        P[0, 1] = 1
        P[1:, 1:] = random_chain(rng, 5, 1.0).toarray()
        chain = process(csr_array(P)).behaviour_kernel
        for scale in (1.0, 1 / 3, 1e9):
            assert law_error(chain, np.full(6, 1 / 6), 0, np.full(6, scale)) is None
    rows = np.full((4, 4), 0.25) + np.array([[0, 0, 0, -(2.0**-53)]])
    P = np.zeros((5, 5))
    P[0, 1], P[1:, 1:] = 1, rows
    assert (rows.sum(axis=1) < 1).all()
    assert law_error(process(csr_array(P)).behaviour_kernel, np.full(5, 0.2), 0, np.ones(5)) is None


def test_sums_over_states_hold_every_member_of_their_blocks() -> None:
    rng = np.random.default_rng(SEED)
    Phi, Y, error = rng.normal(size=(7, 2)), rng.normal(size=(7, 3)), np.array([0.0, 1e-3, 0.1])
    law = rng.random(7)
    law /= law.sum()
    found = sparse_matrices.Weigher(Phi, sparse_law.EnclosedLaw(law, 0.0, np.zeros(7), "")).sum(Columns(Y, error))
    corner = np.sign(Phi[:, :1])
    for sign in (1, -1):
        member = Phi.T @ (law[:, None] * (Y + sign * corner * error))
        assert (np.abs(member - found.mid) <= found.rad + 1e-15).all()
    assert found.rad[0, 2] == pytest.approx(0.1 * float(law @ np.abs(Phi[:, 0])), rel=1e-6)  # and no more than that


def test_products_carry_their_errors_and_add_their_roundings() -> None:
    rng = np.random.default_rng(SEED)
    model = process(random_chain(rng, 8, 1.0), discount=Fraction(1, 3))
    X = rng.normal(size=(8, 2))
    exact_N = model.exact().target_kernel.N
    product = model.target_kernel @ Columns.exactly(X)
    truth = exact_N @ RationalMatrix([[Fraction(float(x)) for x in row] for row in X])
    assert MidRadMatrix(product.mid, np.tile(product.error, (8, 1))).contains(truth)
    assert (product.error > 0).all()
    carried = model.target_kernel @ Columns(X, np.array([1.0, 2.0]))
    assert carried.error == pytest.approx([1 / 3, 2 / 3], rel=1e-8)


def test_long_sums_of_roundings_are_covered() -> None:
    # 300 undiscounted steps of a walk whose rows are rounded: the error of the powers shows in A.
    rng = np.random.default_rng(SEED)
    model = SparseModel.reward_process(
        random_chain(rng, 4), rng.normal(size=4), Fraction(999, 1000), 1 / 3 + np.eye(4)[:, :2], Schedule.n_step(200)
    )
    found = single(model)
    assert_encloses(found, model)


def test_missing_coverage_leaves_the_algorithms_open() -> None:
    given = theta_2theta(Fraction(3, 10))  # A = 2γ − 1 < 0, which is not what the algorithms meet
    never = np.array([[1.0, 0.0], [0.5, 0.5]])
    model = SparseModel(
        given.actions, given.transitions, given.rewards, given.discount, never, given.target, given.features, Schedule()
    )
    found = single(model)
    assert found.hypotheses["coverage"].holds is False
    assert all(row.mean_dynamics is MeanDynamics.UNDECIDED for row in found.dynamics.values())


def test_kernels_lie_within_their_entry_errors_of_the_exact_ones() -> None:
    rng = np.random.default_rng(SEED)
    u = 2.0**-53
    moves = tuple(csr_array(np.eye(3)[rng.permutation(3)]) for _ in range(3))
    heavy = np.tile([0.25, 0.25, 0.5 + 7 * u], (3, 1))  # sums to 1 + 7u, as three rounded quotients may
    uneven = csr_array(np.array([[0.5 + 2 * u, 0.5 + 2 * u, 0.0], [0.25, 0.25, 0.5 - 3 * u], [0.0, 0.0, 1.0]]))
    for transitions, policy in ((moves, heavy), ((uneven,), np.ones((3, 1))), ((uneven, *moves[:2]), heavy)):
        m = len(transitions)
        names = tuple(map(str, range(m)))
        model = SparseModel(
            names, transitions, np.zeros((3, m)), Fraction(1, 2), policy, policy, np.ones((3, 1)), Schedule()
        )
        kernel, exact = model.behaviour_kernel, model.exact().behaviour_chain.P
        W = kernel.weights.toarray()
        for i in range(3):
            for j in range(3):
                entry = Fraction(float(W[i, j]))
                assert abs(exact[i, j] - entry) <= entry * Fraction(float(kernel.entry_error[i]))
        assert float(kernel.entry_error.max()) < 40 * u


def test_a_margin_is_decided_on_the_model_and_an_equality_by_the_theorem_alone() -> None:
    """−sym A − (1 − κ)C of φ = 1 is zero, whatever the chain: no enclosure tells; of another feature it is positive."""
    P = csr_array(np.array([[0.5, 0.5], [0.25, 0.75]]))
    plain = verdicts(process(P, np.array([[1.0], [2.0]])))["negative_margin"]
    assert (plain.status, plain.grade) == (Status.HOLDS, Grade.ENCLOSED) and "theorem" not in plain.detail
    equal = verdicts(process(P, np.array([[1.0], [1.0]])))["negative_margin"]
    assert (equal.status, equal.grade) == (Status.HOLDS, Grade.PROVED) and "TD.negative_margin" in equal.detail
    unproved = {name: replace(asked, theorem="") for name, asked in asked_in_enclosures().items()}
    left_open = analyse_sparse(process(P, np.array([[1.0], [1.0]])), unproved).verdicts["negative_margin"]
    assert left_open.status is Status.UNDECIDED


def test_a_statement_is_not_decided_by_the_theorem_that_it_is() -> None:
    """φ = 1 has A = γ − 1. At γ = 1 − 2⁻⁵³ the enclosure of A reaches zero: that TD is stable follows from the margin,
    which is Proposition 4.1; the proposition itself is not decided by it. At γ = ½ the enclosure of A decides both.
    The norm's bound does not help at 1 − 2⁻⁵³: κ rounded up is one.
    """
    P = csr_array(np.array([[0.5, 0.5], [0.25, 0.75]]))
    enclosed, left_open = (Status.HOLDS, Grade.ENCLOSED), (Status.UNDECIDED, None)
    for gamma, expected in ((Fraction(1, 2), enclosed), (1 - Fraction(1, 2**53), left_open)):
        model = process(P, np.array([[1.0], [1.0]]), gamma)
        found, row = verdicts(model)["prop_4_1"], single(model).dynamics[MEAN_A]
        assert row is not None and row.mean_dynamics is MeanDynamics.STABLE
        assert (found.status, found.grade) == expected


@pytest.mark.parametrize("period", [1, 2])
def test_statements_about_aperiodic_chains_are_decided_in_enclosures(period: int) -> None:
    """Dense and sparse: what a period takes away is a hypothesis violated, and without one the statement holds."""
    P = csr_array(np.array([[0.0, 1.0], [1.0, 0.0]] if period == 2 else [[0.5, 0.5], [0.25, 0.75]]))
    model = process(P, np.array([[1.0], [2.0]]))
    asked = {name: a for name, a in asked_in_enclosures().items() if APERIODIC in a.hypotheses}
    expected = (Status.HOLDS, ()) if period == 1 else (Status.HYPOTHESIS_VIOLATED, (APERIODIC.id,))
    assert {"thm_4_3", "thm_4_4", "thm_4_6"} <= set(asked)
    for found in (analyse_sparse(model, asked), analyse_enclosed(model.exact(), statements=asked)):
        assert {(verdict.status, verdict.violated) for verdict in found.verdicts.values()} == {expected}


@pytest.mark.thorough
def test_every_form_is_asked_of_sparse_models_and_contradicts_no_exact_verdict() -> None:
    rng = np.random.default_rng(SEED)
    statuses = set()
    for trial in range(12):
        model = random_model(rng, trial)
        exact = model.exact()
        for name, verdict in verdicts(model).items():
            statuses.add((name, verdict.status))
            if verdict.status is not Status.UNDECIDED:
                assert verdict.status is decide(entry(name).load(), exact).verdict.status, (trial, name)
    decided = {name for name, status in statuses if status is not Status.UNDECIDED}
    assert decided == set(asked_in_enclosures())


def test_fractions_are_enclosed_with_their_rounding() -> None:
    """r = 1/3 lies outside a bound of zero; a discount of 1 − 2⁻⁶⁰ rounds to one, and is below it."""
    p, q = np.array([[1], [-2], [10**15]]), np.array([[3], [7], [10**15 + 1]])
    rewards, features = Ratios(p, q), Ratios(np.array([[1, 0], [2, 1], [5, 1]]), np.array([[3, 1], [7, 3], [11, 9]]))
    discount = Ratios(np.array([2**60 - 1, 1, 2]), np.array([2**60, 3, 3]))
    P = random_chain(np.random.default_rng(SEED), 3)
    ones = np.ones((3, 1))
    given = {"rewards": rewards, "features": features, "discount": discount}
    model = SparseModel(
        ("only",), (P,), rewards.nearest(), discount.nearest(), ones, ones, features.nearest(), Schedule(), "", given
    )
    r, error = model.expected_reward
    wrong = max(abs(Fraction(float(x)) - y) for x, y in zip(r[:, 0], rewards.exact(), strict=True))
    assert 0 < wrong <= Fraction(error) < Fraction(1, 2**52)
    assert_encloses(single(model), model)
    assert verdicts(model)["prop_4_1"].status is Status.HOLDS and single(model).hypotheses["discount_below_one"].holds
    near_one = replace(
        model, discount=np.ones(3), ratios={"discount": Ratios(np.full(3, 2**60 - 1), np.full(3, 2**60))}
    )
    assert single(near_one).hypotheses["discount_below_one"].holds and near_one.gamma is None
    with pytest.raises(InputError, match="features is not what its ratios round to"):
        replace(model, features=features.nearest() * (1 + 2.0**-52))
