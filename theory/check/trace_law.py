r"""Moments of the off-policy trace, exact.

In the stationary regime on a recurrent class, z_t = ρ_t z̃_t with z̃_t = Σ_k c_k p_k φ(s_{t−k}), p_k =
Π_{i=t−k}^{t−1} ρ_i Γ_i. Since c_k = λ_1 … λ_k, the trace is a Horner scheme in time: with z̃⁽ˡ⁾ the trace of the
schedule λ_{l+1}, λ_{l+2}, …,

    z̃⁽ˡ⁾_t = φ(s_t) + λ_{l+1} ρ_{t−1} Γ_{t−1} z̃⁽ˡ⁺¹⁾_{t−1},        z̃_t = z̃⁽⁰⁾_t.

So the moments U_k⁽ˡ⁾(s) = E[1{s_t = s} z̃⁽ˡ⁾ ⊗ … ⊗ z̃⁽ˡ⁾] (k factors) follow from those of l + 1 by expanding a product
of k sums: a term that takes j factors from the past carries λʲ N_jᵀ U_j, where

    N_j(s, s') = Σ_a μ(a|s) P_a(s, s') (ρ Γ)ʲ

(N_0 the behaviour chain, N_1 the discounted kernel, N_2 with π²/μ). For a constant λ without end both sides are the
same moments, and U_k = F + λᵏ N_kᵀ U_k is a linear system, whose solution is a moment if the spectral radius of λᵏ N_k
is below one on the states that are reached from {φ ≠ 0}.

Sources: trace (offPolicy_z) of §3, its window in §4.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from typing import TypeVar

import numpy as np

from tdcert.theory.arithmetic import BallMatrix, RationalMatrix
from tdcert.theory.arithmetic.float_enclosures import MidRadMatrix
from tdcert.theory.arithmetic.protocol import Dense
from tdcert.theory.errors import SingularMatrixError
from tdcert.theory.model.chain import Chain
from tdcert.theory.model.key_matrices import behaviour_matrices
from tdcert.theory.model.mdp import Model, spread
from tdcert.theory.model.schedule import trace_weights

Mat = TypeVar("Mat", RationalMatrix, BallMatrix, MidRadMatrix)


def ratio_kernel(model: Model, power: int) -> RationalMatrix:
    """N_k (n×n): transitions under the behaviour policy, weighted with (ρΓ)^``power``."""
    if power in model.ratio_kernels:
        return model.ratio_kernels[power]
    total = RationalMatrix.zeros(model.n, model.n)
    for a, P in enumerate(model.transitions):
        pairs = zip(model.behaviour.column_entries(a), model.target.column_entries(a), strict=True)
        part = P.scale_rows(RationalMatrix.column([mu * (pi / mu) ** power if mu else Fraction(0) for mu, pi in pairs]))
        for _ in range(power):
            part = spread(part, model.discounts[a])
        total = total + part
    model.ratio_kernels[power] = total
    return total


def ratio_moments(model: Model, power: int) -> RationalMatrix:
    """E[ρ^``power`` | s] under the behaviour policy (n×1)."""
    pairs = [zip(mu, pi, strict=True) for mu, pi in zip(model.behaviour.rows, model.target.rows, strict=True)]
    return RationalMatrix.column([sum((m * (p / m) ** power for m, p in row if m), Fraction(0)) for row in pairs])


def monomials(d: int, order: int) -> list[tuple[int, ...]]:
    """The entries of a symmetric tensor: increasing index tuples, the columns of :func:`trace_moments`."""
    return list(combinations_with_replacement(range(d), order))


def trace_moments(model: Model, states: Sequence[int], order: int) -> list[RationalMatrix]:
    """E[1{s_t = s} Π z̃_i] on a recurrent class for every product of up to ``order`` entries of z̃_t.

    Entry k has one row per state and one column for each of :func:`monomials` (d, k); z̃ is the trace without its last
    ρ_t. Raises SingularMatrixError where, for a λ without end, a linear system has no unique solution; where the radius
    of λᵏN_k on the reached states is not below one its solution means nothing.
    """
    law, Phi = behaviour_matrices(model, tuple(states)).d, model.features
    kernels = [ratio_kernel(model, k).T for k in range(order + 1)]
    found = [law]
    for k in range(1, order + 1):
        found.append(RationalMatrix.zeros(model.n, len(monomials(model.d, k))))
    tail = model.schedule.tail
    inside = reached(model, states)
    if tail and inside:
        # from low to high order: the terms that take fewer factors from the past are known
        places = RationalMatrix([[int(s == i) for i in inside] for s in range(model.n)])
        pushed = [kernels[0] @ law]
        for k in range(1, order + 1):
            pushed.append(found[k])
            known = _expanded(Phi, pushed, k).take(rows=inside)
            inner = kernels[k].take(inside, inside).scaled(tail**k)
            found[k] = places @ (inner.identity(len(inside)) - inner).solve(known)
            pushed[k] = kernels[k].scaled(tail**k) @ found[k]
    elif not tail:
        # the innermost trace is φ(s_t) alone
        found = _stepped(Phi, found, order)
    for lam in reversed(model.schedule.lambdas):
        found = _stepped(Phi, [(kernels[k] @ found[k]).scaled(lam**k) for k in range(order + 1)], order)
    return found


def exact(matrix: RationalMatrix) -> RationalMatrix:
    """The number system of the rationals: itself."""
    return matrix


def _stepped(Phi: RationalMatrix, pushed: list[RationalMatrix], order: int) -> list[RationalMatrix]:
    """The moments of φ + x from those of x (n rows each), state by state."""
    found = [pushed[0]]
    for k in range(1, order + 1):
        found.append(_expanded(Phi, pushed, k))
    return found


def _expanded(Phi: RationalMatrix, pushed: list[RationalMatrix], k: int) -> RationalMatrix:
    """Π_{i ∈ monomial} (φ_i + x_i) in the mean, for every monomial of order k."""
    d = Phi.shape[1]
    columns = monomials(d, k)
    total = None
    for j in range(k + 1):
        place = {m: c for c, m in enumerate(monomials(d, j))}
        for past in combinations(range(k), j):
            taken = pushed[j].take(columns=[place[tuple(m[i] for i in past)] for m in columns])
            for i in set(range(k)) - set(past):
                taken = taken.hadamard(Phi.take(columns=[m[i] for m in columns]))
            total = taken if total is None else total + taken
    assert total is not None
    return total


def symmetric(entries: RationalMatrix, d: int) -> RationalMatrix:
    """The symmetric d×d matrix with the one row ``entries`` on and above its diagonal, ordered as :func:`monomials`."""
    place = {m: c for c, m in enumerate(monomials(d, 2))}
    rows = [entries.take(columns=[place[min(i, j), max(i, j)] for j in range(d)]).T for i in range(d)]
    return rows[0].beside(*rows[1:])


def stationary_trace(model: Model, states: Sequence[int], order: int) -> list[tuple[Fraction, ...]]:
    """E Π z_i over :func:`monomials` of every order up to the given one. Raises as :func:`trace_moments`."""
    moments = trace_moments(model, states, order)
    return [(ratio_moments(model, k).T @ moments[k]).rows[0] for k in range(order + 1)]


def trace_second_moment(model: Model, states: Sequence[int]) -> RationalMatrix:
    """E[z zᵀ] (d×d) on a recurrent class. Raises as :func:`trace_moments`."""
    return symmetric(RationalMatrix([stationary_trace(model, states, 2)[2]]), model.d)


def trace_second_moment_by_lags(model: Model, states: Sequence[int]) -> RationalMatrix:
    """E[z zᵀ] for a finite schedule, one pair of lags after another: Σ_jk c_j c_k E[ρ² p_j p_k φ φᵀ]."""
    keys, N2 = behaviour_matrices(model, tuple(states)), ratio_kernel(model, 2)
    c, weights = trace_weights(model.schedule.lambdas), ratio_moments(model, 2)
    total = RationalMatrix.zeros(model.d, model.d)
    for j in range(len(c)):
        # weights = N₂ʲ E[ρ²|·]; then φ_{t−j} weighs in, then m steps of N back to φ_{t−j−m}
        inner = keys.Phi.scale_rows(weights)
        for m in range(len(c) - j):
            term = (keys.Phi.T @ inner.scale_rows(keys.d)).scaled(c[j] * c[j + m])
            total = total + (term if m == 0 else term + term.T)
            inner = keys.N @ inner
        weights = N2 @ weights
    return total


def reached(model: Model, states: Sequence[int]) -> tuple[int, ...]:
    """The states that are reached from those of the class with φ ≠ 0 through ρΓ ≠ 0, themselves included."""
    N = ratio_kernel(model, 1)
    found = {s for s in states if any(model.features.rows[s])}
    waiting = list(found)
    while waiting:
        s = waiting.pop()
        new = {j for j, x in enumerate(N.rows[s]) if x != 0} - found
        found |= new
        waiting += new
    return tuple(sorted(found))


def radius_below_one(B: Dense) -> bool | None:
    """Whether the non-negative B (n×n) has a spectral radius below one; None where its balls leave it open.

    Then, and only then, (I − B)y = 1 has a solution y > 0 (Berman, Plemmons 1994, theorem 6.2.3).
    """
    one = B.from_rationals([[Fraction(1)]] * B.shape[0])
    try:
        y = (B.identity(B.shape[0]) - B).solve(one)
    except SingularMatrixError:
        return False if isinstance(B, RationalMatrix) else None
    entries = [x for row in y.scalars for x in row]
    if all(x > 0 for x in entries):
        return True
    return False if any(x <= 0 for x in entries) else None


def growing_vector(B: RationalMatrix) -> RationalMatrix | None:
    """An integer x ≥ 0, x ≠ 0, with Bx ≥ x: shows that the non-negative B has a spectral radius of at least one.

    None if not found.
    """
    n = B.shape[0]
    graph = [[Fraction(int(x != 0)) for x in row] for row in B.rows]
    for i in range(n):  # a row without entries would be no law; give it a loop
        if not any(graph[i]):
            graph[i][i] = Fraction(1)
    chain = Chain(RationalMatrix([[x / sum(row) for x in row] for row in graph]))
    for states in chain.classes:
        inner = B.take(states, states)
        singular = (inner.identity(len(states)) - inner).null_vector()
        values, vectors = np.linalg.eig(inner.to_float())
        lead = np.abs(vectors[:, int(np.argmax(values.real))].real)
        proposals = [] if singular is None else [[abs(x) for x in singular.column_entries()]]
        for scale in (1, 16, 2**20, 2**40):
            proposals.append([Fraction(int(x)) for x in np.rint(lead / max(lead.max(), 1e-300) * scale)])
        for entries in proposals:
            x = RationalMatrix.column(entries)
            if any(entries) and (inner @ x - x).is_nonnegative():
                full = [Fraction(0)] * n
                for s, value in zip(states, entries, strict=True):
                    full[s] = value
                return RationalMatrix.column(full)
    return None


def has_second_moments(model: Model, states: tuple[int, ...]) -> bool:
    """Whether the trace has second moments: always for a finite schedule, else by the radius (``trace_variance``)."""
    lam = model.schedule.tail
    if not lam:
        return True
    inside = reached(model, states)
    return not inside or radius_below_one(ratio_kernel(model, 2).take(inside, inside).scaled(lam * lam)) is True


def bounded_trace(model: Model, states: tuple[int, ...]) -> RationalMatrix | None:
    """g (n×d, zero outside the class) with g(s') = λ Γ ρ g(s) + φ(s') along every transition under μ, if there is one.

    Then z̃_t = g(s_t): E log(λΓρ) ≤ log E λΓρ < 0 makes the products, and with them the difference, go to zero.
    """
    lam, n = model.schedule.tail, len(states)
    place = {s: i for i, s in enumerate(states)}
    left, right = [], []
    for s in states:
        for a, P in enumerate(model.transitions):
            mu = model.behaviour[s, a]
            if mu == 0:
                continue
            discounts = model.discounts[a].rows[s]
            for j, p in enumerate(P.rows[s]):
                if p == 0:
                    continue
                row = [Fraction(0)] * n
                row[place[j]] += 1
                row[place[s]] -= lam * discounts[j if len(discounts) > 1 else 0] * model.target[s, a] / mu
                left.append(row)
                right.append(model.features.rows[j])
    system, wanted = RationalMatrix(left), RationalMatrix(right)
    columns = system.independent_columns()
    if len(columns) < n:
        return None
    inner = (system.T @ system).solve(system.T @ wanted)
    if system @ inner != wanted:
        return None
    rows = [inner.rows[place[s]] if s in place else (Fraction(0),) * model.d for s in range(model.n)]
    return RationalMatrix(rows)
