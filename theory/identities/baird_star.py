r"""Baird's star in symbols: what every schedule, every discount and GTD(λ) do in the mean (A5.3).

The target policy always goes to state 7, so P = 1e₇ᵀ is idempotent, and M = κP for *every* schedule: κ alone acts. In
predictions v = Φθ, u = Φw, with Gram = ΦΦᵀ and D = I/7, the mean dynamics are

    TD    v' = Gram D(M − I) v,
    GTD   v' = −Gram (M − I)ᵀD u,                      u' = η Gram D((M − I) v − u),
    TDC   v' = Gram D(M − I) v − Gram MᵀD u,           u' as for GTD.

What Φ does not see has no part in v and u. The six outer states are alike: on differences between them all matrices
are scalars, and what is left acts on (v₁ = … = v₆, v₇). There TD has trace (17κ − 15)/7 and determinant 26(1 − κ)/49,
so on κ < 1 it is Hurwitz exactly if κ < 15/17. Stability of the polynomials: Hurwitz's determinants, as polynomials in
κ without a root in [0, 1). Each function returns True exactly if its statement holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from flint import fmpq, fmpq_poly

from tdcert.theory.arithmetic import SymbolicRing
from tdcert.theory.arithmetic.symbolic import SymbolicMatrix
from tdcert.theory.check.schedule_symbol import radical, roots_inside
from tdcert.theory.identities.symbols import free
from tdcert.theory.laws.schedule_update import ScheduleUpdate
from tdcert.theory.model.gallery import bairds_star
from tdcert.theory.model.key_matrices import KeyMatrices, apply_M, gtd_lambda_correction, horner_M

CRITICAL_KAPPA = Fraction(15, 17)
"""Off-policy TD is stable in the mean on Baird's star exactly below this κ (proved here)."""

Rows = list[list[Any]]


def kappa_alone_identity() -> bool:
    """M = κP for every schedule: the start, the step of the induction over its length, and λ without end.

    Start: M = γP for TD(0). Step: horner_M takes κP to γ((1 − λ) + λκ)P. No end: M = γ(1 − λ)/(1 − γλ)·P.
    """
    ring = SymbolicRing("g", "l", "k")
    g, lam, kappa = ring.symbols
    P = _star(ring)[1]
    N, X = P.scaled(g), P.identity(7)
    start = N - P.scaled(g)
    step = horner_M(N, lam, X, P.scaled(kappa)) - P.scaled(g * ((1 - lam) + lam * kappa))
    endless = apply_M(N, (), lam, X) - P.scaled(g * (1 - lam) / (1 - g * lam))
    return start.is_zero() and step.is_zero() and endless.is_zero()


def td_spectrum_identity() -> bool:
    """Off-policy TD: x + 4/7 five times, and x² − (17κ − 15)x/7 + 26(1 − κ)/49."""
    ring = SymbolicRing("k")
    (kappa,) = ring.symbols
    (outer,), inner = _blocks(ring, kappa)["A"]
    expected = [ring.element(1), (15 - 17 * kappa) / 7, 26 * (1 - kappa) / 49]
    return bool(outer == [ring.element(Fraction(-4, 7))] and _characteristic(ring, inner) == expected)


def joint_dynamics_stable(algorithm: ScheduleUpdate, eta: Fraction) -> bool:
    """Whether the mean matrix of an algorithm with θ and w at β = ηα is Hurwitz for every κ in [0, 1), on the quotient
    by the null space of Φ.
    """
    ring = SymbolicRing("k")
    blocks = _blocks(ring, ring.symbols[0])
    return all(
        positive_below_one(ring, determinant)
        for place in (0, 1)
        for determinant in hurwitz_determinants(
            _characteristic(ring, _joint(ring, algorithm, {name: parts[place] for name, parts in blocks.items()}, eta))
        )
    )


def gradient_is_regular() -> bool:
    """A and C are nonsingular on the quotient for κ ≠ 1: GTD is stable at every η, TDC on its slow time scale."""
    ring = SymbolicRing("k")
    kappa = ring.symbols[0]
    blocks = _blocks(ring, kappa)
    last = {name: [_characteristic(ring, part)[-1] for part in blocks[name]] for name in ("A", "C")}
    expected: dict[str, list[Any]] = {
        "A": [Fraction(4, 7), 26 * (1 - kappa) / 49],
        "C": [Fraction(-4, 7), Fraction(26, 49)],
    }
    return all(last[name] == [ring.element(x) for x in expected[name]] for name in last)


def printed_gtd_lambda_identity(states: int) -> bool:
    """GTD(λ) as A5.3 prints it has TDC's mean matrix: two features, everything free.

    (1 − λ)SN = M for λ without end, and A + C = ΦᵀDMΦ.
    """
    _, lam, N, d, Phi = free(l=(), n=(states, states), d=(states, 1), f=(states, 2))
    keys = KeyMatrices(d=d, N=N, r=d.scaled(0), Phi=Phi, lambdas=(), tail=lam)
    return bool((gtd_lambda_correction(keys) - keys.A.T - keys.C).is_zero())


def hurwitz_determinants(coefficients: Sequence[Any]) -> list[Any]:
    """Δ_1 … Δ_m of x^m + a_1 x^{m−1} + … + a_m for m ≤ 4: all positive exactly if every root has Re x < 0."""
    m = len(coefficients) - 1
    a = [*coefficients, 0, 0, 0, 0]
    second = a[1] * a[2] - a[3]
    third = a[3] * second - a[1] * a[1] * a[4]
    return [a[1], second, third, a[4] * third][:m]


def positive_below_one(ring: SymbolicRing, value: Any) -> bool:
    """Whether a polynomial in κ is positive on [0, 1): at 0, and without a root in (0, 1), as κ = (1 + x)/2."""
    half, moved = fmpq_poly([fmpq(1, 2), fmpq(1, 2)]), fmpq_poly()
    for (degree,), coefficient in ring.element(value).numer.terms():
        moved += coefficient * half**degree
    return bool(moved(fmpq(-1)) > 0 and roots_inside(radical(moved)) == 0)


def _star(ring: SymbolicRing) -> tuple[SymbolicMatrix, SymbolicMatrix]:
    """ΦΦᵀ and P of the target policy, 7×7."""
    model = bairds_star(1)
    Phi = ring.matrix(model.features.rows)
    return Phi @ Phi.T, ring.matrix(model.target_kernel.P.rows)


def _blocks(ring: SymbolicRing, kappa: Any) -> dict[str, tuple[Rows, Rows]]:
    """The blocks of Gram D(M − I), Gram (M − I)ᵀD and Gram D, by the names ``A``, ``AT`` and ``C``: the scalar (1×1) by
    which each acts on differences of outer states, and the rest (2×2).

    Raises AssertionError where the basis does not split them so.
    """
    gram, P = _star(ring)
    K = P.scaled(kappa) - P.identity(7)
    basis = ring.matrix([[int(i == j) - int(i == 5) for j in range(5)] + [int(i < 6), int(i == 6)] for i in range(7)])
    found = {}
    for name, inner in (("A", K), ("AT", K.T), ("C", K.identity(7))):
        rows = basis.solve((gram @ inner).scaled(Fraction(1, 7)) @ basis).rows
        scalar = all(rows[i][j] == (rows[0][0] if i == j else 0) for i in range(5) for j in range(5))
        assert scalar and not any(rows[i][j] or rows[j][i] for i in range(5) for j in (5, 6)), "no such split"
        found[name] = ([[rows[0][0]]], [[rows[i][j] for j in (5, 6)] for i in (5, 6)])
    return found


def _joint(ring: SymbolicRing, algorithm: ScheduleUpdate, block: dict[str, Rows], eta: Fraction) -> Rows:
    """The mean matrix of (v, u): see the module docstring."""
    A, AT, C = (ring.matrix(block[name]) for name in ("A", "AT", "C"))
    rows = algorithm.mean_blocks(A, AT, C, eta)
    return [[x for part in parts for x in part] for row in rows for parts in zip(*(b.rows for b in row), strict=True)]


def _characteristic(ring: SymbolicRing, rows: Rows) -> list[Any]:
    """The coefficients of det(xI − rows), leading one first."""
    matrix = power = ring.matrix(rows)  # Faddeev and LeVerrier's recursion
    found = [ring.one]
    for k in range(1, len(rows) + 1):
        found.append(sum((power[i, i] for i in range(len(rows))), ring.zero) / -k)
        power = matrix @ (power + power.identity(len(rows)).scaled(found[-1]))
    return found
