r"""The second moment of the off-policy trace, exact.

In the stationary regime on a recurrent class, z_t = ρ_t z̃_t with z̃_t = Σ_k c_k p_k φ(s_{t−k}), p_k =
Π_{i=t−k}^{t−1} ρ_i Γ_i. For j ≤ k

    E[1{s_t = s} p_j p_k φ(s_{t−j}) φ(s_{t−k})ᵀ]

takes k − j steps of the kernel N (weights ρΓ), then j steps of N₂ (weights (ρΓ)²): N₂(s, s') = Σ_a π(a|s)²/μ(a|s)
P_a(s, s') Γ_a(s, s')². For a constant λ without end, U_s = E[1{s_t = s} z̃ z̃ᵀ] solves U = F + λ²N₂ᵀU, which has a
solution that is a mean of squares if the spectral radius of λ²N₂ is below one on the states that N₂ reaches from {φ ≠
0}.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from theory.arithmetic import RationalMatrix
from theory.errors import SingularMatrixError
from theory.model.chain import Chain
from theory.model.key_matrices import behaviour_matrices
from theory.model.mdp import Model
from theory.model.schedule import trace_weights


def squared_kernel(model: Model) -> RationalMatrix:
    """N₂ (n×n): transitions weighted with (ρΓ)² under the behaviour policy."""
    rows = [[Fraction(0)] * model.n for _ in range(model.n)]
    for a, P in enumerate(model.transitions):
        discounts = model.discounts[a].rows
        for s in range(model.n):
            mu, pi = model.behaviour[s, a], model.target[s, a]
            if mu == 0 or pi == 0:
                continue
            for j, p in enumerate(P.rows[s]):
                discount = discounts[s][j if len(discounts[s]) > 1 else 0]
                rows[s][j] += pi * pi / mu * p * discount**2
    return RationalMatrix(rows)


def squared_ratios(model: Model) -> RationalMatrix:
    """E[ρ² | s] = Σ_a π²/μ (n×1)."""
    pairs = [zip(mu, pi, strict=True) for mu, pi in zip(model.behaviour.rows, model.target.rows, strict=True)]
    return RationalMatrix.column([sum((p * p / m for m, p in row if m), start=Fraction(0)) for row in pairs])


def trace_second_moment(model: Model, states: Sequence[int]) -> RationalMatrix:
    """E[z zᵀ] (d×d) on a recurrent class, by Horner's rule in N₂; for a constant λ without end by one linear system.

    Raises SingularMatrixError where that system is singular; where the radius is not below one its solution means
    nothing.
    """
    chosen = tuple(states)
    keys, n, d = behaviour_matrices(model, chosen), model.n, model.d
    N2, back = squared_kernel(model), keys.N.T
    H = [keys.Phi.scale_rows(keys.d)]
    tail = model.schedule.tail
    c = trace_weights(model.schedule.lambdas)
    if tail:
        # on the reached states alone: what is never reached has no part in z
        inside = reached(model, chosen)
        if not inside:
            return RationalMatrix.zeros(d, d)
        start, Phi = H[0].take(rows=inside), keys.Phi.take(rows=inside)
        eye, inner = back.identity(len(inside)), N2.take(inside, inside)
        # Σ_{m≥1} λᵐ (Nᵀ)ᵐ DΦ
        older = (eye - back.take(inside, inside).scaled(tail)).solve(start) - start
        flat = (eye - inner.T.scaled(tail * tail)).solve(_pairs(start, older, Phi))
        total = squared_ratios(model).take(rows=inside).T @ flat
    else:
        for _ in c[1:]:
            H.append(back @ H[-1])
        flat = RationalMatrix.zeros(n, d * d)
        for j in reversed(range(len(c))):
            older = RationalMatrix.zeros(n, d)
            for m in range(1, len(c) - j):
                older = older + H[m].scaled(c[j] * c[j + m])
            flat = _pairs(H[0].scaled(c[j] ** 2), older, keys.Phi) + N2.T @ flat
        total = squared_ratios(model).T @ flat
    return RationalMatrix([[total[0, i * d + j] for j in range(d)] for i in range(d)])


def trace_second_moment_by_lags(model: Model, states: Sequence[int]) -> RationalMatrix:
    """The same for a finite schedule, one pair of lags after another: Σ_jk c_j c_k E[ρ² p_j p_k φ φᵀ]."""
    keys, N2 = behaviour_matrices(model, tuple(states)), squared_kernel(model)
    c, weights = trace_weights(model.schedule.lambdas), squared_ratios(model)
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
    """The states that N₂ reaches from those of the class with φ ≠ 0, themselves included."""
    N2 = squared_kernel(model)
    found = {s for s in states if any(model.features.rows[s])}
    waiting = list(found)
    while waiting:
        s = waiting.pop()
        new = {j for j, x in enumerate(N2.rows[s]) if x != 0} - found
        found |= new
        waiting += new
    return tuple(sorted(found))


def radius_below_one(B: RationalMatrix) -> bool:
    """Whether the non-negative B (n×n) has a spectral radius below one.

    Then, and only then, (I − B)y = 1 has a solution y ≥ 1.
    """
    n = B.shape[0]
    try:
        y = (B.identity(n) - B).solve(RationalMatrix.column([1] * n))
    except SingularMatrixError:
        return False
    return all(x >= 1 for x in y.column_entries())


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


def _pairs(own: RationalMatrix, older: RationalMatrix, Phi: RationalMatrix) -> RationalMatrix:
    """Row s: the entries of own φᵀ + older φᵀ + φ olderᵀ in state s (n×d²)."""
    d = range(Phi.shape[1])
    rows = []
    for a, b, phi in zip(own.rows, older.rows, Phi.rows, strict=True):
        rows.append([(a[i] + b[i]) * phi[j] + phi[i] * b[j] for i in d for j in d])
    return RationalMatrix(rows)
