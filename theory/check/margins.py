r"""By how much: margins of −sym A, semidefiniteness decided exactly, and norms enclosed by rationals.

A symmetric Z with non-positive entries off the diagonal and row sums Z1 ≥ 0 is positive semidefinite:

    xᵀZx = Σ_i (Z1)_i x_i² + ½ Σ_{i≠j} (−Z_ij)(x_i − x_j)².

Z = κD − sym DM is such a matrix on-policy, with λ's in [0,1], for γ the largest discount: DM ≥ 0, M1 ≤ κ1 and
dM ≤ κd. It says that −sym A − (1 − κ)C = ΦᵀZΦ is positive semidefinite. Both facts about Z are relations that the
independent checker evaluates. Any other semidefinite question is settled exactly (:func:`negative_direction`).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.certificate.bodies import stationary_certificate, strings
from tdcert.theory.check.definiteness import decide_positive_definite, roundings
from tdcert.theory.check.semidefiniteness import decide_positive_semidefinite
from tdcert.theory.errors import BudgetExceededError
from tdcert.theory.expressions.notation import Name, its
from tdcert.theory.expressions.relations import Context, Expression, Relation, decide_relations, relation_certificate
from tdcert.theory.forms import Form, norm_gap
from tdcert.theory.model.key_matrices import theorem_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.verdict import Grade, Status, Verdict

WHOLE_MATRIX_LIMIT = 40
"""Up to this many states n×n matrices are written into certificates."""


def largest_discount(model: Model) -> Fraction:
    """The largest discount of any transition: γ where it is constant."""
    return max((entry for G in model.discounts for row in G.rows for entry in row), default=Fraction(0))


def largest_kappa(model: Model) -> Fraction:
    """κ = Σ w_n γⁿ with γ the largest discount; 0 for λ = 1 without an end, whose weights w_n are all zero."""
    return Fraction(0) if model.schedule.tail == 1 else model.schedule.kappa(largest_discount(model))


def kappa_name(model: Model) -> Expression:
    """κ in a relation: its name where there is one discount (the checker then sums it itself), else its value."""
    return its.kappa if model.gamma is not None else Name(largest_kappa(model))


def negative_direction(S: RationalMatrix) -> RationalMatrix | None:
    """An x with xᵀSx < 0, or None where the symmetric S (n×n) is positive semidefinite. Exact.

    Raises :class:`BudgetExceededError` where the margin is too thin (see ``decide_positive_definite``).
    """
    floats = S.scaled(Fraction(2) ** -S.magnitude).to_float()
    direction = np.linalg.eigh(floats)[1][:, 0]
    vectors = roundings(direction, (1, 2, 3, 4, 5, 6, 8, 12, 16, 64, 2**12, 2**20, 2**40))
    found = next((x for x in vectors if S.quadratic_form(x) < 0), None)
    return decide_positive_semidefinite(S).vector if found is None else found


def margin_expression(kappa: Expression) -> Expression:
    """−sym A − (1 − κ)C as an expression."""
    symmetric = Name("1/2") * (its.A + its.A.T)
    return -symmetric - (1 - kappa) * its.C


def margin_relations(model: Model) -> list[Relation]:
    """Z = κD − sym DM has no positive entry off its diagonal, Z1 ≥ 0, and −sym A − (1 − κ)C = ΦᵀZΦ."""
    kappa = kappa_name(model)
    DM = its.D @ its.M
    Z = kappa * its.D - Name("1/2") * (DM + DM.T)
    return [
        (0 * DM, "<=", DM),
        (0 * its.d, "<=", Z @ its.ones),
        (margin_expression(kappa), "=", its.Phi.T @ Z @ its.Phi),
    ]


def decide_margin(
    form: Form, model: Model, states: Sequence[int], relations: Sequence[Relation], detail: str
) -> Verdict:
    """Whether ``form``, −sym A − (1 − κ)C, is positive semidefinite on a recurrent class, κ for the largest discount.

    ``relations``: what proves it on a good model, for the certificate; empty where the model is too large to write it
    down. ``refuted`` comes with an x for which xᵀ(A + (1 − κ)C)x > 0, in the certificate as θ.
    """
    chosen, kappa = tuple(states), largest_kappa(model)
    keys = theorem_matrices(model, chosen)
    try:
        x = negative_direction(form.matrix(keys, largest_discount(model), kappa))
    except BudgetExceededError as error:
        return Verdict(Status.UNDECIDED, detail=str(error))
    if x is not None:
        context = Context(model, chosen, theta=x)
        name = kappa_name(model)
        excess = its.theta.T @ (its.A + (1 - name) * its.C) @ its.theta
        value = -form.matrix(keys, largest_discount(model), kappa).quadratic_form(x)
        return Verdict(
            Status.REFUTED,
            Grade.CERTIFIED,
            f"xᵀAx > −(1 − κ) xᵀCx for x = ({', '.join(strings(x))}), κ = {kappa}",
            {"x": strings(x), "κ": str(kappa), "xᵀAx + (1 − κ)xᵀCx": str(value)},
            certificates=(relation_certificate(context, [("0", "<", excess)]),),
        )
    if relations:
        proof = decide_relations(model, relations, states=chosen, detail=detail)
        if proof.status is Status.HOLDS:
            return proof
    plain = f"{form.name} is positive semidefinite by elimination, κ = {kappa}"
    return Verdict(
        Status.HOLDS, Grade.CERTIFIED, plain, certificates=(stationary_certificate(model.behaviour_chain, chosen),)
    )


def norm_bound(T: RationalMatrix, D: RationalMatrix, bits: int = 20) -> Fraction:
    """A rational q ≥ ‖T‖_D, exact, usually within 2^−bits of it: q²D − TᵀDT ≻ 0 (D diagonal, positive; all n×n)."""
    root = np.sqrt(D.to_float().diagonal())
    guess = float(np.linalg.norm(root[:, None] * T.to_float() / root[None, :], 2))
    unit = Fraction(1, 2**bits)
    q = (int(guess / unit) + 1) * unit
    while not decide_positive_definite(norm_gap(T, D, q)).positive:
        q, unit = q + unit, 2 * unit
    return q
