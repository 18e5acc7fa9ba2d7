r"""Identities of linear algebra behind J, GTD's block inverse, norms and fixed points, with free entries."""

from __future__ import annotations

from typing import Any

from tdcert.theory.arithmetic import SymbolicMatrix
from tdcert.theory.identities.symbols import free, inner
from tdcert.theory.model.key_matrices import KeyMatrices, mspbe
from tdcert.theory.model.schedule import trace_weights


def projected_error_identity(n: int, d: int) -> bool:
    """With Π = ΦC⁻¹ΦᵀD: V_θ − ΠU = −Π(U − V_θ), and ‖V_θ − ΠU‖²_D = mᵀC⁻¹m, m = ΦᵀD(U − V_θ); free Φ, d, U, θ."""
    _, Phi, law, U, theta = free(f=(n, d), d=(n, 1), u=(n, 1), t=(d, 1))
    C, V = Phi.T @ Phi.scale_rows(law), Phi @ theta

    def project(X: SymbolicMatrix) -> Any:
        return Phi @ C.solve(Phi.T @ X.scale_rows(law))

    error, m = V - project(U), Phi.T @ (U - V).scale_rows(law)
    return (error + project(U - V)).is_zero() and bool(inner(error, error, law) == inner(m, C.solve(m)))


def mspbe_gradient_identity(d: int) -> bool:
    """J(θ + h) − J(θ − h) = 4hᵀAᵀC⁻¹(Aθ + b): free A, b, θ, h, symmetric C, J by its formula (Aθ + b)ᵀC⁻¹(Aθ + b)."""
    _, A, C, b, theta, h = free(a=(d, d), c=("symmetric", d), b=(d, 1), t=(d, 1), h=(d, 1))

    change = mspbe(A, b, C, theta + h) - mspbe(A, b, C, theta - h)
    return bool(change[0, 0] == 4 * inner(A @ h, C.solve(A @ theta + b)))


def tdc_split_identity(d: int) -> bool:
    """u − (Aᵀ + C)C⁻¹u = −AᵀC⁻¹u for free A, u and free symmetric C: the two forms of −½∇J."""
    _, A, C, u = free(a=(d, d), c=("symmetric", d), u=(d, 1))
    return bool((u - (A.T + C) @ C.solve(u) + A.T @ C.solve(u)).is_zero())


def block_inverse_identity(d: int) -> bool:
    """[[A_11, A_12], [A_21, 0]] has the inverse [[0, X], [Y, −Y A_11 X]], X = A_21⁻¹, Y = A_12⁻¹; free blocks.

    Multiplied out: A_12 Y = 1, A_11 X − A_12 Y A_11 X = 0, A_21 X = 1.
    """
    _, A11, A12, A21 = free(a=(d, d), b=(d, d), c=(d, d))
    one = A11.identity(d)
    X, Y = A21.solve(one), A12.solve(one)
    products = (A12 @ Y - one, A11 @ X - A12 @ (Y @ A11 @ X), A21 @ X - one)
    return all(product.is_zero() for product in products)


def norm_defect_identity(n: int) -> bool:
    """For Z = D − PᵀDP with P1 = 1, free P, d: 1ᵀZ1 = 0 and Z1 = d − Pᵀd, so Z ≥ 0 forces Z1 = 0, that is dP = d.

    Along V = 1 − εZ1: VᵀZV = −2ε‖Z1‖² + ε²(Z1)ᵀZ(Z1), negative for small ε > 0 unless Z1 = 0.
    """
    ring, P, d, epsilon = free(p=("stochastic", n), d=(n, 1), e=())
    ones, u = ring.matrix([[1]] * n), d - P.T @ d  # u = Z1

    def form(x: SymbolicMatrix) -> Any:
        return inner(x, x, d) - inner(P @ x, P @ x, d)

    expected = epsilon**2 * form(u) - 2 * epsilon * inner(u, u)
    return bool(form(ones) == 0 and form(ones - u.scaled(epsilon)) == expected)


def dependent_features_identity(n: int, r: int, d: int, length: int) -> bool:
    """With Φ = Φ_B T: A = TᵀA_B T and b = Tᵀb_B, by the suite's own A and b; so u = Tθ obeys u' = TTᵀ(A_B u + b_B)."""
    shapes = {"N": (n, n), "d": (n, 1), "r": (n, 1), "f": (n, r), "t": (r, d), "l": length}
    _, N, law, reward, basis, T, lambdas = free(**shapes)
    independent = KeyMatrices(law, N, reward, basis, tuple(lambdas), 0)
    whole = KeyMatrices(law, N, reward, basis @ T, tuple(lambdas), 0)
    return bool((whole.A - T.T @ independent.A @ T).is_zero() and (whole.b - T.T @ independent.b).is_zero())


def residual_identity(n: int, length: int) -> bool:
    """Aθ + b = Σ_k c_k ΦᵀDNᵏ(r + NΦθ − Φθ), by the suite's own A and b, everything free (one feature)."""
    shapes = {"N": (n, n), "d": (n, 1), "r": (n, 1), "f": (n, 1), "t": (1, 1), "l": length}
    _, N, law, reward, Phi, theta, lambdas = free(**shapes)
    keys = KeyMatrices(law, N, reward, Phi, tuple(lambdas), 0)
    residual = reward + N @ (Phi @ theta) - Phi @ theta
    left = keys.A @ theta + keys.b
    for c in trace_weights(lambdas):
        left = left - (Phi.T @ residual.scale_rows(law)).scaled(c)
        residual = N @ residual
    return bool(left.is_zero())


def lag_correlation_identity(n: int, m: int) -> bool:
    """Σ over paths d(s_0)p…p φ(s_0)ψ(s_m) = φᵀDPᵐψ for free d, P, φ, ψ: Lemma A4.1 by the rule of total probability."""
    _, P, law, phi, psi = free(p=(n, n), d=(n, 1), f=(n, 1), g=(n, 1))
    paths = [(s, law[s, 0] * phi[s, 0]) for s in range(n)]  # (last state, weight of the path so far)
    image = psi
    for _ in range(m):
        paths = [(j, weight * P[i, j]) for i, weight in paths for j in range(n)]
        image = P @ image
    return bool(sum(weight * psi[s, 0] for s, weight in paths) == inner(phi, image, law))
