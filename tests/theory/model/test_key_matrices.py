"""Key matrices against the stationary expectations they stand for, summed over all windows in fractions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from tdcert.sims.strategies import full_rank_features, models, schedules
from tdcert.theory.arithmetic import FloatMatrix, RationalMatrix, SymbolicRing
from tdcert.theory.errors import SingularMatrixError
from tdcert.theory.model import gallery
from tdcert.theory.model.key_matrices import (
    KeyMatrices,
    apply_M,
    apply_S,
    behaviour_matrices,
    gtd_matrix,
    mspbe,
    tdc_matrix,
    theorem_matrices,
    value_function,
)
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tests.effort import examples

F = Fraction
Vector = list[Fraction]
Rows = list[Vector]

some = settings(max_examples=examples(60), deadline=None)


# ---- the definitions, summed over windows ---------------------------------------------------------


@dataclass(frozen=True)
class Step:
    """One transition of a path: where from, with which ratio, reward and discount."""

    state: int
    rho: Fraction
    reward: Fraction
    gamma: Fraction


def number(values: RationalMatrix, s: int, after: int) -> Fraction:
    """A reward or discount, given per transition or per state left."""
    return values[s, after if values.shape[1] > 1 else 0]


def outcomes(model: Model, policy: RationalMatrix, s: int) -> Iterator[tuple[Fraction, int, Step]]:
    """(probability, next state, transition) of one step under the policy, action by action."""
    for a in range(len(model.actions)):
        for after in range(model.n):
            p = policy[s, a] * model.transitions[a][s, after]
            if p:
                rho = model.target[s, a] / model.behaviour[s, a] if model.behaviour[s, a] else F(0)
                reward, gamma = number(model.rewards[a], s, after), number(model.discounts[a], s, after)
                yield p, after, Step(s, rho, reward, gamma)


def windows(
    model: Model, policy: RationalMatrix, law: Vector, steps: int
) -> Iterator[tuple[Fraction, list[Step], int]]:
    """(probability, transitions, last state) of every path of so many steps."""
    started: list[tuple[Fraction, list[Step], int]] = [(p, [], s) for s, p in enumerate(law) if p]
    for _ in range(steps):
        started = [
            (p * q, [*path, step], after) for p, path, s in started for q, after, step in outcomes(model, policy, s)
        ]
    yield from started


def stationary_expectations(model: Model, law: Vector) -> tuple[Rows, Vector, Rows]:
    """E_0[z_t(Γ_tφ_{t+1} − φ_t)ᵀ], E_0[z_t R_{t+1}], E_0[φ_tφ_tᵀ] under the behaviour policy, from the start.

    The window starts L steps before t, from the stationary law;
    z_t = Σ_k λ_1…λ_{t−k} Γ_k…Γ_{t−1} ρ_k…ρ_t φ(s_k).
    """
    phi, d, lambdas = model.features.rows, range(model.d), model.schedule.lambdas
    A, b, C = [[F(0)] * model.d for _ in d], [F(0)] * model.d, [[F(0)] * model.d for _ in d]
    for p, path, after in windows(model, model.behaviour, law, len(lambdas) + 1):
        last = path[-1]
        z, weight = [F(0)] * model.d, F(1)
        for back, step in enumerate(reversed(path)):
            if back > 0:
                weight *= lambdas[back - 1] * step.gamma
            weight *= step.rho
            z = [x + weight * y for x, y in zip(z, phi[step.state], strict=True)]
        for i in d:
            b[i] += p * z[i] * last.reward
            for j in d:
                A[i][j] += p * z[i] * (last.gamma * phi[after][j] - phi[last.state][j])
                C[i][j] += p * phi[last.state][i] * phi[last.state][j]
    return A, b, C


def on_each_class(model: Model) -> Iterator[tuple[tuple[int, ...], Vector]]:
    for states in model.behaviour_chain.recurrent_classes:
        yield states, list(model.behaviour_chain.stationary_law(states).column_entries())


def assert_same(keys: KeyMatrices[RationalMatrix], expected: tuple[Rows, Vector, Rows]) -> None:
    A, b, C = expected
    assert [list(row) for row in keys.A.rows] == A
    assert list(keys.b.column_entries()) == b
    assert [list(row) for row in keys.C.rows] == C


@some
@given(models(policy="on", discount="any"))
def test_on_policy_matrices_are_the_stationary_expectations(model: Model) -> None:
    for states, law in on_each_class(model):
        assert_same(theorem_matrices(model, states), stationary_expectations(model, law))


@some
@given(models(policy="off", discount="any"))
def test_off_policy_matrices_are_the_stationary_expectations(model: Model) -> None:
    """With coverage, importance ratios give the target policy's matrices under the behaviour's law."""
    for states, law in on_each_class(model):
        expected = stationary_expectations(model, law)
        assert_same(theorem_matrices(model, states), expected)
        assert_same(behaviour_matrices(model, states), expected)


@some
@given(models(policy="uncovered", discount="any"))
def test_without_coverage_the_algorithm_sees_the_covered_kernel(model: Model) -> None:
    assert model.uncovered
    for states, law in on_each_class(model):
        assert_same(behaviour_matrices(model, states), stationary_expectations(model, law))


def test_without_coverage_the_theorem_speaks_of_another_matrix() -> None:
    """One state, γ = ½, only half of the target's mass covered: A = ½(½ − 1), the theorem's ½ − 1."""
    model = gallery.uncovered_action()
    assert theorem_matrices(model, (0,)).A[0, 0] == F(-1, 2)
    assert behaviour_matrices(model, (0,)).A[0, 0] == F(-1, 4)


def test_rewards_and_discounts_per_transition_on_a_chain_with_two_classes() -> None:
    """Two closed classes and a transient state; everything depends on action, state and next state."""
    third = F(1, 3)
    first = RationalMatrix([[third, 2 * third, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0], [third, 0, third, third]])
    second = RationalMatrix([[0, 1, 0, 0], [F(1, 4), F(3, 4), 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    table = [[F((3 * i - 2 * j) % 7, 4) for j in range(4)] for i in range(4)]
    discount = [[F((2 * i + 3 * j) % 5, 4) for j in range(4)] for i in range(4)]
    model = Model(
        ("a", "b"),
        (first, second),
        (RationalMatrix(table), RationalMatrix([row[::-1] for row in table])),
        (RationalMatrix(discount), RationalMatrix([[1 - x for x in row] for row in discount])),
        RationalMatrix([[F(1, 2), F(1, 2)], [F(1, 5), F(4, 5)], [F(2, 3), F(1, 3)], [1, 0]]),
        RationalMatrix([[F(3, 4), F(1, 4)], [F(1, 2), F(1, 2)], [0, 1], [1, 0]]),
        RationalMatrix([[1, 2], [-1, 1], [2, 0], [1, 1]]),
        Schedule((F(2, 3), F(3, 5), F(1, 2))),
    )
    assert model.behaviour_chain.recurrent_classes == ((0, 1), (2,))
    for states, law in on_each_class(model):
        assert_same(theorem_matrices(model, states), stationary_expectations(model, law))


# ---- S and M ----------------------------------------------------------------------------------------


def plus(left: Rows, right: Rows, factor: Fraction) -> Rows:
    return [[a + factor * b for a, b in zip(p, q, strict=True)] for p, q in zip(left, right, strict=True)]


def times(left: Rows, right: Rows) -> Rows:
    columns = list(zip(*right, strict=True))
    return [[sum((a * b for a, b in zip(row, c, strict=True)), F(0)) for c in columns] for row in left]


def listed(matrix: RationalMatrix) -> Rows:
    return [list(row) for row in matrix.rows]


NUMBERS = st.builds(Fraction, st.integers(-4, 4), st.integers(1, 3))


@st.composite
def squares(draw: st.DrawFn) -> RationalMatrix:
    n = draw(st.integers(1, 3))
    return RationalMatrix([[draw(NUMBERS) for _ in range(n)] for _ in range(n)])


@some
@given(squares(), st.lists(NUMBERS, max_size=4))
def test_horner_against_powers(N: RationalMatrix, lambdas: Vector) -> None:
    """S = Σ c_k N^k and M = Σ w_n N^n, whatever N and the λ's are; S(N − I) = M − I."""
    identity = N.identity(N.shape[0])
    power, total_S, total_M = listed(identity), listed(identity.scaled(0)), listed(identity.scaled(0))
    c = F(1)
    for k in range(len(lambdas) + 1):
        following = c * lambdas[k] if k < len(lambdas) else F(0)
        total_S = plus(total_S, power, c)
        power = times(power, listed(N))
        total_M = plus(total_M, power, c - following)
        c = following
    S, M = apply_S(N, lambdas, 0, identity), apply_M(N, lambdas, 0, identity)
    assert listed(S) == total_S and listed(M) == total_M
    assert S @ (N - identity) == M - identity


@some
@given(models(policy="any", discount="any"), st.integers(0, 3))
def test_padding_with_zeros_changes_nothing(model: Model, zeros: int) -> None:
    for states, _ in on_each_class(model):
        keys = theorem_matrices(model, states)
        padded = replace(keys, lambdas=(*keys.lambdas, *[F(0)] * zeros))
        assert (padded.A, padded.b, padded.C) == (keys.A, keys.b, keys.C)


@some
@given(models(policy="any", discount="any"), st.sampled_from([F(1, 3), F(9, 10), F(1)]))
def test_a_constant_lambda_without_end(model: Model, lam: Fraction) -> None:
    """S solves (I − λN)S = I, M = (1 − λ)SN; and S_L = Σ_{k≤L} (λN)^k falls short by (λN)^{L+1}S exactly."""
    endless = model.with_schedule(Schedule.constant(lam))
    N, X = endless.target_kernel.N, endless.features
    identity = N.identity(model.n)
    (states, _) = next(on_each_class(endless))
    keys = theorem_matrices(endless, states)
    try:
        S = keys.S(X)
    except SingularMatrixError:
        assert (identity - N.scaled(lam)).rank < model.n
        return
    assert S - (N @ S).scaled(lam) == X
    assert keys.M(X) == (N @ S).scaled(1 - lam)
    assert keys.K_Phi == keys.M(X) - X
    assert keys.K_Phi == keys.S(N @ X - X)
    short_of = S - apply_S(N, (lam,) * 2, 0, X)
    assert short_of == (N @ N @ N @ S).scaled(lam**3)
    assert X.T @ (keys.K(identity) @ X).scale_rows(keys.d) == keys.A


@some
@given(models(policy="any", discount="any"))
def test_D_I_minus_M_is_minus_A_of_tabular_features(model: Model) -> None:
    for states, _ in on_each_class(model):
        keys = theorem_matrices(model, states)
        tabular = theorem_matrices(model.with_features(RationalMatrix.zeros(1, 1).identity(model.n)), states)
        assert keys.D_I_minus_M() == tabular.A.scaled(-1)
        assert tabular.C.rows == tuple(
            tuple(keys.d[i, 0] if i == j else 0 for j in range(model.n)) for i in range(model.n)
        )


# ---- fixed points ---------------------------------------------------------------------------------


@some
@given(models(policy="any", discount="any"))
def test_theta_star_is_the_only_zero_of_the_projected_error(model: Model) -> None:
    for states, _ in on_each_class(model):
        keys = theorem_matrices(model, states)
        if keys.A.rank < model.d:
            with pytest.raises(SingularMatrixError):
                _ = keys.theta_star
            continue
        assert (keys.A @ keys.theta_star + keys.b).is_zero()


@some
@given(st.data(), models(policy="any", discount="any"))
def test_mspbe_is_the_norm_of_the_projected_bellman_error(data: st.DataObject, model: Model) -> None:
    """J(θ) = ‖Π(E_π[G_t] − V)‖²_D with the mean return summed over paths of the target policy, L + 1 steps.

    Π e = Φu where Φᵀ D(e − Φu) = 0, so that J = ⟨e, Φu⟩_D. It is ≥ 0, and 0 exactly at θ*.
    """
    theta = [F(data.draw(st.integers(-3, 3)), 2) for _ in range(model.d)]
    phi = model.features.rows
    V = [sum((x * y for x, y in zip(row, theta, strict=True)), F(0)) for row in phi]
    lambdas = [*model.schedule.lambdas, F(0)]
    for states, law in on_each_class(model):
        keys = theorem_matrices(model, states)
        error = []
        for s in range(model.n):
            start = [F(int(k == s)) for k in range(model.n)]
            mean = F(0)
            for p, path, after in windows(model, model.target, start, len(lambdas)):
                ahead = [*(step.state for step in path[1:]), after]
                result = F(0)
                for step, state, lam in reversed(list(zip(path, ahead, lambdas, strict=True))):
                    result = step.reward + step.gamma * ((1 - lam) * V[state] + lam * result)
                mean += p * result
            error.append(mean - V[s])
        seen = [sum((law[s] * phi[s][i] * error[s] for s in range(model.n)), F(0)) for i in range(model.d)]
        column = RationalMatrix.column(theta)
        assert list((keys.A @ column + keys.b).column_entries()) == seen
        if keys.C.rank < model.d:
            continue
        u = keys.C.solve(RationalMatrix.column(seen)).column_entries()
        A, b, C = keys.A, keys.b, keys.C
        J = mspbe(A, b, C, column)[0, 0]
        assert sum((x * y for x, y in zip(u, seen, strict=True)), F(0)) == J >= 0
        assert (J == 0) == (not any(seen))
        if keys.A.rank == model.d:
            assert (J == 0) == (column == keys.theta_star) and mspbe(A, b, C, keys.theta_star).is_zero()


@some
@given(st.data(), models(policy="any", discount="constant"))
def test_a_value_within_the_span_is_every_fixed_point(data: st.DataObject, model: Model) -> None:
    """Rewards (I − N)Φθ_0 make V^π = Φθ_0, unique as γ < 1. Then θ* = θ_0 where A is nonsingular."""
    phi = data.draw(full_rank_features(model.n))
    theta = RationalMatrix.column([data.draw(st.integers(-3, 3)) for _ in range(phi.shape[1])])
    V = phi @ theta
    reward = V - model.target_kernel.N @ V
    posed = replace(model, features=phi, rewards=(reward,) * len(model.actions))
    assert value_function(posed) == V
    for schedule in (Schedule(), Schedule.n_step(3), data.draw(schedules()), Schedule.constant(F(2, 3))):
        for states, _ in on_each_class(posed):
            keys = theorem_matrices(posed.with_schedule(schedule), states)
            assert (keys.A @ theta + keys.b).is_zero()
            if keys.A.rank == phi.shape[1]:
                assert keys.theta_star == theta


def test_no_value_without_discount() -> None:
    with pytest.raises(SingularMatrixError):
        value_function(gallery.one_state(1))


# ---- matrices of the gradient methods -------------------------------------------------------------


def test_gtd_matrix_is_similar_to_the_papers() -> None:
    """A4.2 scales w by 1/√η: with η = 4, T = diag(½I, I), T·gtd·T⁻¹ = √η G, G = [[−√ηC, A], [−Aᵀ, 0]]."""
    A, C = RationalMatrix([[1, 2], [-3, 5]]), RationalMatrix([[2, 1], [1, 4]])
    root = F(2)
    found = gtd_matrix(A, C, root**2)
    n = 2
    G = [
        *[[-root * C[i, j] for j in range(n)] + [A[i, j] for j in range(n)] for i in range(n)],
        *[[-A[j, i] for j in range(n)] + [F(0)] * n for i in range(n)],
    ]
    T = [1 / root, 1 / root, F(1), F(1)]
    scaled = [[T[i] * found[i, j] / T[j] for j in range(4)] for i in range(4)]
    assert scaled == [[root * x for x in row] for row in G]
    at_one = [[x / root if i < n and j < n else x for j, x in enumerate(row)] for i, row in enumerate(G)]
    assert listed(gtd_matrix(A, C)) == at_one


def test_tdc_matrix_by_hand() -> None:
    """A = [[1, 2], [0, 1]], C = diag(2, 4): AᵀC⁻¹A = [[½, 1], [1, 2 + ¼]]."""
    A, C = RationalMatrix([[1, 2], [0, 1]]), RationalMatrix([[2, 0], [0, 4]])
    assert tdc_matrix(A, C) == RationalMatrix([[F(-1, 2), -1], [-1, F(-9, 4)]])


# ---- one formula, three number systems ------------------------------------------------------------


def two_states(wrap: Any, p: Any, q: Any, gamma: Any, lambdas: tuple[Any, ...]) -> Any:
    """Two states left with p and q, φ = (1, 2) and (1, −1), r = (1, 3); its law is (q, p)/(p + q)."""
    N = wrap([[gamma * (1 - p), gamma * p], [gamma * q, gamma * (1 - q)]])
    return KeyMatrices(
        d=wrap([[q / (p + q)], [p / (p + q)]]),
        N=N,
        r=wrap([[1], [3]]),
        Phi=wrap([[1, 2], [1, -1]]),
        lambdas=lambdas,
    )


def test_one_formula_for_fractions_symbols_and_floats() -> None:
    """Symbols evaluated at a point give the fractions of that point; floats agree to their rounding.

    All entries are below 10, A and b take fewer than 100 roundings: 100 · 10² · 2^−53 < 1e-11 for each. The
    solve for θ* multiplies it by the condition number of A, below 10² (checked), and |θ*| < 10: 1e-8.
    """
    point = {"p": F(1, 3), "q": F(3, 4), "g": F(4, 5), "a": F(1, 2), "b": F(2, 3)}
    p, q, g, a, b = point.values()
    exact = two_states(RationalMatrix, p, q, g, (a, b))
    ring = SymbolicRing(*point)
    s = dict(zip(point, ring.symbols, strict=True))
    symbolic = two_states(ring.matrix, s["p"], s["q"], s["g"], (s["a"], s["b"]))
    values = [fmpq(v.numerator, v.denominator) for v in point.values()]

    def evaluated(matrix: Any) -> Rows:
        entries = [[x.numer(*values) / x.denom(*values) for x in row] for row in matrix.rows]
        return [[F(int(x.p), int(x.q)) for x in row] for row in entries]

    def array(rows: Any) -> FloatMatrix:
        return FloatMatrix(np.array(rows, dtype=np.float64))

    floats = two_states(array, float(p), float(q), float(g), (float(a), float(b)))
    assert np.linalg.cond(exact.A.to_float()) < 100
    for name, tolerance in (("A", 1e-11), ("b", 1e-11), ("C", 1e-11), ("theta_star", 1e-8)):
        expected = getattr(exact, name)
        assert evaluated(getattr(symbolic, name)) == listed(expected)
        assert np.max(np.abs(getattr(floats, name).array - expected.to_float())) < tolerance
    theta = [[F(1)], [F(-2)]]
    J = mspbe(exact.A, exact.b, exact.C, RationalMatrix(theta))
    assert evaluated(mspbe(symbolic.A, symbolic.b, symbolic.C, ring.matrix(theta))) == listed(J)


def test_endless_schedule_with_symbols() -> None:
    """One state: S = 1/(1 − λγ), so A = (γ − 1)φ²/(1 − λγ) and θ* = r/((1 − γ)φ), whatever λ is."""
    ring = SymbolicRing("g", "l", "phi", "r")
    g, lam, phi, r = ring.symbols
    one = ring.matrix([[1]])
    keys = KeyMatrices(d=one, N=one.scaled(g), r=one.scaled(r), Phi=one.scaled(phi), lambdas=(), tail=lam)
    assert keys.A[0, 0] == (g - 1) * phi**2 / (1 - lam * g)
    assert keys.theta_star[0, 0] == r / ((1 - g) * phi)
    assert keys.M(one)[0, 0] == g * (1 - lam) / (1 - lam * g)
