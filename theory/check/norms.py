r"""Does M contract in the D-norm, and by how much? (A4.1)

‖MV‖_D ≤ q‖V‖_D for all V says that Z = q²D − MᵀDM is positive semidefinite. With λ's in [0,1], M has no
negative entry, so the off-diagonal entries of Z are not positive; if Z y ≥ 0 for some y > 0, then Z is
positive semidefinite: with u_i = x_i / y_i,

    xᵀZx = Σ_i u_i² y_i (Zy)_i + ½ Σ_{i≠j} (−Z_ij) y_i y_j (u_i − u_j)² ≥ 0.

Where M has negative entries, or no y is found, semidefiniteness is decided as such.

For one discount γ and one law, on-policy, y = 1 serves for every q ≥ κ: Z1 = (q² − κ²) d. The same vector
shows that κ is sharp, M1 = κ1.
"""

from __future__ import annotations

import contextlib
from fractions import Fraction

import numpy as np

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.certificate.bodies import about_matrix, strings
from tdcert.theory.check.margins import negative_direction
from tdcert.theory.check.semidefiniteness import decide_positive_semidefinite
from tdcert.theory.errors import BudgetExceededError
from tdcert.theory.forms import norm_gap, operator_M
from tdcert.theory.model.key_matrices import theorem_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Certificate, Grade, Status, Verdict


def decide_contraction(model: Model, states: tuple[int, ...], modulus: Fraction) -> Verdict:
    """Whether ‖MV‖_D ≤ modulus·‖V‖_D on the recurrent class ``states``, D the behaviour chain's law there.

    ``refuted`` comes with a vector V (length n, zero outside the class). Where the target policy leaves the
    class, V outside it is free while ‖V‖_D does not see it, so the statement fails as soon as M has an entry
    that leaves; V is then a unit vector outside the class.
    """
    keys = theorem_matrices(model, states)
    M = operator_M(keys)
    law = strings(keys.d)
    about = about_matrix(states, "target", modulus=str(modulus))

    def refuted(vector: list[int], detail: str) -> Verdict:
        certificate = Certificate("not_contraction", about, {"stationary": law, "vector": [str(x) for x in vector]})
        witness = {"V": "(" + ", ".join(map(str, vector)) + ")"}
        return Verdict(Status.REFUTED, Grade.CERTIFIED, detail, witness=witness, certificates=(certificate,))

    outside = [s for s in range(model.n) if s not in set(states)]
    if outside:
        leak = M.take(rows=states, columns=outside)
        if not leak.is_zero():
            column = next(j for j in range(len(outside)) if not leak.take(columns=[j]).is_zero())
            vector = [int(s == outside[column]) for s in range(model.n)]
            return refuted(vector, "‖V‖_D = 0 but MV is not zero on the class")
    inner = M.take(states, states)
    D = inner.identity(len(states)).scale_rows(keys.d.take(rows=states))
    Z = norm_gap(inner, D, modulus)
    for weights in _candidates(Z, D):
        if inner.is_nonnegative() and (Z @ weights).is_nonnegative():
            witness = {"stationary": law, "weights": strings(weights)}
            certificate = Certificate("contraction", about, witness)
            detail = f"‖MV‖_D ≤ {modulus}·‖V‖_D"
            return Verdict(Status.HOLDS, Grade.CERTIFIED, detail, certificates=(certificate,))
    try:
        direction = negative_direction(Z)
        found = None if direction is not None else decide_positive_semidefinite(Z)
    except BudgetExceededError as error:
        return Verdict(Status.UNDECIDED, detail=str(error))
    if direction is not None:
        vector = [0] * model.n
        for s, x in zip(states, direction.column_entries(), strict=True):
            vector[s] = int(x)
        return refuted(vector, f"‖MV‖_D > {modulus}·‖V‖_D")
    assert found is not None
    certificate = Certificate("contraction", about, {"stationary": law, "semidefinite": found.as_witness})
    return Verdict(Status.HOLDS, Grade.CERTIFIED, f"‖MV‖_D ≤ {modulus}·‖V‖_D", certificates=(certificate,))


def _candidates(Z: RationalMatrix, D: RationalMatrix) -> list[RationalMatrix]:
    """Positive vectors y for which Zy ≥ 0 may hold: all ones, lowest eigenvector, solution of Zy = D1.

    The last one is positive wherever Z is positive definite (Z is then a Stieltjes matrix, Z⁻¹ ≥ 0).
    """
    floats = Z.to_float()
    proposals = [np.abs(np.linalg.eigh(floats)[1][:, 0])]
    with contextlib.suppress(np.linalg.LinAlgError):
        proposals.append(np.linalg.solve(floats, np.diag(D.to_float())))
    found = [RationalMatrix.column([1] * Z.shape[0])]
    for vector in proposals:
        if np.min(vector) > 0:
            scaled = np.rint(vector / np.min(vector) * 2**20)
            if np.max(scaled) < 2**52:
                found.append(RationalMatrix.column([int(x) for x in scaled]))
    return found
