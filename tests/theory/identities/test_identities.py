"""Symbolic identities: each holds, and each notices when what it is about is changed."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import pytest

from tdcert.theory.identities import forms_and_norms, symbols
from tdcert.theory.model import key_matrices

F = Fraction

EVERY = [
    pytest.param(lambda: forms_and_norms.telescoping_step(), id="telescoping step"),
    pytest.param(lambda: forms_and_norms.telescoping_base(), id="telescoping base"),
    *[
        pytest.param(lambda n=n: forms_and_norms.horner_equals_printed_sums(n), id=f"printed sums, L = {n}")
        for n in (0, 1, 4)
    ],
    *[
        pytest.param(lambda n=n: forms_and_norms.stationary_norm_identity(n), id=f"stationary norm, n = {n}")
        for n in (1, 2, 3)
    ],
    *[
        pytest.param(lambda n=n: forms_and_norms.dirichlet_identity(n), id=f"Dirichlet form, n = {n}")
        for n in (1, 2, 3)
    ],
    *[
        pytest.param(lambda n=n: forms_and_norms.powers_keep_row_sums_and_law(n), id=f"powers, n = {n}")
        for n in (1, 2, 3)
    ],
    *[pytest.param(lambda n=n: forms_and_norms.modulus_identity(n), id=f"modulus, L = {n}") for n in (0, 1, 5)],
    *[
        pytest.param(lambda n=n, k=k: forms_and_norms.key_matrix_identity(n, k), id=f"key matrix, n = {n}, L = {k}")
        for n, k in ((1, 0), (1, 2), (2, 0), (2, 1))
    ],
    *[
        pytest.param(lambda d=d, f=f: f(d), id=f"{f.__name__}, d = {d}")
        for f in (
            forms_and_norms.saddle_form_identity,
            forms_and_norms.tdc_form_identity,
            forms_and_norms.gradient_lyapunov_identity,
        )
        for d in (1, 2, 3)
    ],
]


@pytest.mark.parametrize("identity", EVERY)
def test_identities_hold(identity: Callable[[], bool]) -> None:
    assert identity() is True


# ---- wrong formulas of the model are noticed -------------------------------------------------------


def wrong_horner_M(N: Any, lam: Any, X: Any, inner: Any) -> Any:
    """(1 + λ) for (1 − λ)."""
    return N @ (X.scaled(1 + lam) + inner.scaled(lam))


def wrong_horner_S(N: Any, lam: Any, X: Any, inner: Any) -> Any:
    """λ forgotten."""
    return X + N @ inner


def shifted_weights(lambdas: Sequence[Any]) -> list[Any]:
    """c_n − c_{n+1} for c_{n−1} − c_n: the weights of the returns one step too late."""
    c = [*plain_trace_weights(lambdas), 0]
    return [c[k] - c[k + 1] for k in range(1, len(c) - 1)] + [1 - c[1]]


def plain_trace_weights(lambdas: Sequence[Any]) -> list[Any]:
    weights: list[Any] = [F(1)]
    for lam in lambdas:
        weights.append(weights[-1] * lam)
    return weights


def reversed_lambdas(lambdas: Sequence[Any]) -> list[Any]:
    """c_k = λ_L…λ_{L−k+1}: the schedule read from its far end."""
    return plain_trace_weights(list(lambdas)[::-1])


def identity_for_base(N: Any, lambdas: Any, tail: Any, X: Any) -> Any:
    """M X = X where L = 0: one product with N too few."""
    return X


WRONG = [
    ("horner_M", wrong_horner_M, lambda: forms_and_norms.telescoping_step()),
    ("horner_S", wrong_horner_S, lambda: forms_and_norms.telescoping_step()),
    ("apply_M", identity_for_base, lambda: forms_and_norms.telescoping_base()),
    ("horner_M", wrong_horner_M, lambda: forms_and_norms.horner_equals_printed_sums(2)),
    ("horner_S", wrong_horner_S, lambda: forms_and_norms.horner_equals_printed_sums(2)),
    ("horner_M", wrong_horner_M, lambda: forms_and_norms.key_matrix_identity(2, 1)),
    ("return_weights", shifted_weights, lambda: forms_and_norms.modulus_identity(2)),
    ("trace_weights", reversed_lambdas, lambda: forms_and_norms.modulus_identity(2)),
    ("return_weights", shifted_weights, lambda: forms_and_norms.key_matrix_identity(2, 1)),
]


@pytest.mark.parametrize(("name", "wrong", "identity"), WRONG, ids=lambda v: getattr(v, "__name__", v))
def test_wrong_formulas_are_noticed(
    monkeypatch: pytest.MonkeyPatch, name: str, wrong: Callable[..., Any], identity: Callable[[], bool]
) -> None:
    """The formula of the model itself is run: changed there, the identity fails."""
    assert identity() is True
    for module in (forms_and_norms, symbols, key_matrices):
        if hasattr(module, name):
            monkeypatch.setattr(module, name, wrong)
    assert identity() is False


def test_A_with_a_wrong_law_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Weighted by (1, 0) instead of the stationary law, −xᵀAx is not the sum of squares."""

    def first_state(P: Any) -> Any:
        return P.ring.matrix([[int(i == 0)] for i in range(P.shape[0])])

    monkeypatch.setattr(forms_and_norms, "stationary_law", first_state)
    assert forms_and_norms.key_matrix_identity(2, 1) is False


# ---- wrong statements are noticed ------------------------------------------------------------------


def variant(function: Callable[..., bool], old: str, new: str) -> Callable[..., bool]:
    """The function with one expression of its source replaced."""
    source = inspect.getsource(function)
    assert source.count(old) == 1, f"{function.__name__} has {source.count(old)} times: {old}"
    namespace = dict(vars(forms_and_norms))
    exec(source.replace(old, new), namespace)
    made: Callable[..., bool] = namespace[function.__name__]
    return made


@pytest.mark.parametrize(
    ("function", "argument", "old", "new"),
    [
        (forms_and_norms.stationary_norm_identity, 2, "d - P.T @ d", "d + P.T @ d"),
        (forms_and_norms.stationary_norm_identity, 2, "P.T @ P.scale_rows(d)", "P @ P.scale_rows(d)"),
        (forms_and_norms.stationary_norm_identity, 2, "HALF * spread", "spread"),
        (forms_and_norms.dirichlet_identity, 2, "HALF * spread", "spread"),
        (forms_and_norms.dirichlet_identity, 2, "d - Q.T @ d", "d - Q @ d"),
        (forms_and_norms.powers_keep_row_sums_and_law, 2, "d @ Q @ P - d", "d @ P @ Q - d"),
        (forms_and_norms.powers_keep_row_sums_and_law, 2, "Q @ P @ ones", "P @ Q @ ones"),
        (forms_and_norms.modulus_identity, 2, "gamma * (1 - gamma) * gap", "gamma * gap"),
        (forms_and_norms.key_matrix_identity, 2, "(1 - kappa_of(gamma, lambdas))", "(1 - gamma)"),
        (forms_and_norms.saddle_form_identity, 2, "A.T.scaled(-1)", "A.T"),
        (forms_and_norms.saddle_form_identity, 2, "== -s *", "== s *"),
        (forms_and_norms.tdc_form_identity, 2, "inner(A @ x,", "inner(A.T @ x,"),
        (forms_and_norms.gradient_lyapunov_identity, 2, "(A + A.T)", "(A - A.T)"),
    ],
)
def test_wrong_statements_are_noticed(function: Callable[..., bool], argument: int, old: str, new: str) -> None:
    more = (1,) if function is forms_and_norms.key_matrix_identity else ()
    assert function(argument, *more) is True
    assert variant(function, old, new)(argument, *more) is False


# ---- the parts --------------------------------------------------------------------------------------


def test_symbolic_chains_are_stochastic_with_the_law_of_two_states() -> None:
    """Two states with P = [[p, 1 − p], [q, 1 − q]]: the law is (q, 1 − p)/(1 − p + q)."""
    ring, P = symbols.free(p=("stochastic", 2))
    p, q = ring.symbols
    assert [P[0, 0], P[0, 1], P[1, 0], P[1, 1]] == [p, 1 - p, q, 1 - q]
    assert symbols.stationary_law(P).rows == ((q / (1 - p + q),), ((1 - p) / (1 - p + q),))


def test_symbolic_law_of_three_states_is_stationary() -> None:
    ring, P = symbols.free(p=("stochastic", 3))
    law = symbols.stationary_law(P).T
    ones = ring.matrix([[1]] * 3)
    assert (P @ ones - ones).is_zero() and (law @ P - law).is_zero()
    assert (law @ ones)[0, 0] == 1
