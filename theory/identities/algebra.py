r"""Identities of linear algebra behind J, GTD's block inverse, norms and fixed points, with free entries."""

from __future__ import annotations

from typing import Any

from tdcert.theory.arithmetic import SymbolicMatrix, SymbolicRing
from tdcert.theory.identities.forms_and_norms import stochastic_matrix, stochastic_symbols
from tdcert.theory.model.key_matrices import KeyMatrices


def free_matrix(ring: SymbolicRing, entries: list[Any], rows: int, columns: int) -> SymbolicMatrix:
    """The first rows·columns entries, taken off the list."""
    taken = [[entries.pop(0) for _ in range(columns)] for _ in range(rows)]
    return ring.matrix(taken)


def symmetric_matrix(ring: SymbolicRing, entries: list[Any], d: int) -> SymbolicMatrix:
    """A free symmetric matrix; takes d(d + 1)/2 entries off the list."""
    lower = [[entries.pop(0) for _ in range(i + 1)] for i in range(d)]
    return ring.matrix([[lower[max(i, j)][min(i, j)] for j in range(d)] for i in range(d)])


def free_symbols(count: int) -> tuple[SymbolicRing, list[Any]]:
    """A ring in that many symbols, and the list of them."""
    ring = SymbolicRing(*(f"x{k}" for k in range(count)))
    return ring, list(ring.symbols)


def projected_error_identity(n: int, d: int) -> bool:
    """With Π = ΦC⁻¹ΦᵀD: V_θ − ΠU = −Π(U − V_θ), and ‖V_θ − ΠU‖²_D = mᵀC⁻¹m, m = ΦᵀD(U − V_θ); free Φ, d, U, θ."""
    ring, entries = free_symbols(n * d + 2 * n + d)
    Phi = free_matrix(ring, entries, n, d)
    law, U, theta = (free_matrix(ring, entries, k, 1) for k in (n, n, d))
    C, V = Phi.T @ Phi.scale_rows(law), Phi @ theta

    def project(X: SymbolicMatrix) -> SymbolicMatrix:
        return Phi @ C.solve(Phi.T @ X.scale_rows(law))

    error, m = V - project(U), Phi.T @ (U - V).scale_rows(law)
    return (error + project(U - V)).is_zero() and (error.T @ error.scale_rows(law) - m.T @ C.solve(m)).is_zero()


def mspbe_gradient_identity(d: int) -> bool:
    """J(θ + h) − J(θ − h) = 4hᵀAᵀC⁻¹(Aθ + b): free A, b, θ, h, free symmetric C, J by its formula (Aθ + b)ᵀC⁻¹(Aθ +
    b)."""
    ring, entries = free_symbols(d * d + d * (d + 1) // 2 + 3 * d)
    A, C = free_matrix(ring, entries, d, d), symmetric_matrix(ring, entries, d)
    b, theta, h = (free_matrix(ring, entries, d, 1) for _ in range(3))

    def J(x: SymbolicMatrix) -> SymbolicMatrix:
        return (A @ x + b).T @ C.solve(A @ x + b)

    slope = (h.T @ A.T @ C.solve(A @ theta + b)).scaled(4)
    return (J(theta + h) - J(theta - h) - slope).is_zero()


def tdc_split_identity(d: int) -> bool:
    """u − (Aᵀ + C)C⁻¹u = −AᵀC⁻¹u for free A, u and free symmetric C: the two forms of −½∇J."""
    ring, entries = free_symbols(d * d + d * (d + 1) // 2 + d)
    A, C = free_matrix(ring, entries, d, d), symmetric_matrix(ring, entries, d)
    u = free_matrix(ring, entries, d, 1)
    return (u - (A.T + C) @ C.solve(u) + A.T @ C.solve(u)).is_zero()


def block_inverse_identity(d: int) -> bool:
    """[[A_11, A_12], [A_21, 0]] has the inverse [[0, X], [Y, −Y A_11 X]], X = A_21⁻¹, Y = A_12⁻¹; free blocks.

    Multiplied out: A_12 Y = 1, A_11 X − A_12 Y A_11 X = 0, A_21 X = 1.
    """
    ring, entries = free_symbols(3 * d * d)
    A11, A12, A21 = (free_matrix(ring, entries, d, d) for _ in range(3))
    one = A11.identity(d)
    X, Y = A21.solve(one), A12.solve(one)
    products = (A12 @ Y - one, A11 @ X - A12 @ (Y @ A11 @ X), A21 @ X - one)
    return all(product.is_zero() for product in products)


def norm_defect_identity(n: int) -> bool:
    """For Z = D − PᵀDP with P1 = 1, free P, d: 1ᵀZ1 = 0 and Z1 = d − Pᵀd, so Z ≥ 0 forces Z1 = 0, that is dP = d.

    Along V = 1 − εZ1: VᵀZV = −2ε‖Z1‖² + ε²(Z1)ᵀZ(Z1), negative for small ε > 0 unless Z1 = 0.
    """
    ring = SymbolicRing(*stochastic_symbols(n), *(f"d{i}" for i in range(n)), "e")
    free = list(ring.symbols)
    P = stochastic_matrix(ring, free[: n * (n - 1)], n)
    d, epsilon = ring.matrix([[x] for x in free[n * (n - 1) : -1]]), free[-1]
    ones = ring.matrix([[1]] * n)

    def form(x: SymbolicMatrix) -> Any:
        return (x.T @ x.scale_rows(d) - (P @ x).T @ (P @ x).scale_rows(d))[0, 0]

    u = d - P.T @ d  # = Z1
    expected = epsilon**2 * form(u) - 2 * epsilon * (u.T @ u)[0, 0]
    return bool(form(ones) == 0 and form(ones - u.scaled(epsilon)) == expected)


def dependent_features_identity(n: int, r: int, d: int, length: int) -> bool:
    """With Φ = Φ_B T: A = TᵀA_B T and b = Tᵀb_B, by the suite's own A and b; so u = Tθ obeys u' = TTᵀ(A_B u + b_B)."""
    names = n * n + n + n + n * r + r * d + length
    ring, entries = free_symbols(names)
    N, law, reward = (free_matrix(ring, entries, n, k) for k in (n, 1, 1))
    basis, T = free_matrix(ring, entries, n, r), free_matrix(ring, entries, r, d)
    lambdas = tuple(entries)
    inner = KeyMatrices(d=law, N=N, r=reward, Phi=basis, lambdas=lambdas, tail=0)
    whole = KeyMatrices(d=law, N=N, r=reward, Phi=basis @ T, lambdas=lambdas, tail=0)
    return (whole.A - T.T @ inner.A @ T).is_zero() and (whole.b - T.T @ inner.b).is_zero()


def residual_identity(n: int, length: int) -> bool:
    """Aθ + b = Σ_k c_k ΦᵀDNᵏ(r + NΦθ − Φθ), by the suite's own A and b, everything free (one feature)."""
    ring, entries = free_symbols(n * n + 3 * n + 1 + length)
    N = free_matrix(ring, entries, n, n)
    law, reward, Phi = (free_matrix(ring, entries, n, 1) for _ in range(3))
    theta, lambdas = free_matrix(ring, entries, 1, 1), tuple(entries)
    keys = KeyMatrices(d=law, N=N, r=reward, Phi=Phi, lambdas=lambdas, tail=0)
    residual = reward + N @ (Phi @ theta) - Phi @ theta
    left, c = keys.A @ theta + keys.b, ring.element(1)
    for k in range(length + 1):
        left = left - (Phi.T @ residual.scale_rows(law)).scaled(c)
        residual, c = N @ residual, c * (lambdas[k] if k < length else 0)
    return left.is_zero()


def lag_correlation_identity(n: int, m: int) -> bool:
    """Σ over paths d(s_0)p…p φ(s_0)ψ(s_m) = φᵀDPᵐψ for free d, P, φ, ψ: Lemma A4.1 by the rule of total probability."""
    ring, entries = free_symbols(n * n + 3 * n)
    P = free_matrix(ring, entries, n, n)
    law, phi, psi = (free_matrix(ring, entries, n, 1) for _ in range(3))
    weights = [law[s, 0] * phi[s, 0] for s in range(n)]
    paths: list[tuple[int, Any]] = list(enumerate(weights))  # (last state, weight of the path so far)
    for _ in range(m):
        paths = [(j, weight * P[i, j]) for i, weight in paths for j in range(n)]
    summed = sum((weight * psi[s, 0] for s, weight in paths), start=ring.element(0))
    image = psi
    for _ in range(m):
        image = P @ image
    return bool(summed == (phi.T @ image.scale_rows(law))[0, 0])
