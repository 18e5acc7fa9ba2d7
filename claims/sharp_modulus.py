r"""The norm of M is exactly κ.

Place: A4.1, the chain of inequalities ‖MV‖_D ≤ γ‖V‖_D, sharpened.
Statement: ‖M‖_D = κ = Σ w_n γⁿ, attained at V = 1. κ ≤ γ; for 0 < γ < 1 with equality iff λ_1 = 0; κ is
non-increasing in each λ_j, strictly iff c_{j−1} > 0.
Hypotheses: on-policy, λ_j ∈ [0,1], one discount γ. (In the check γ stands for the largest discount where there are
several.)
Model: any; each recurrent class on its own.
Check: κ²D − MᵀDM positive semidefinite, M1 = κ1, and κ against its value with λ_j put to zero, j ≤ L.
Closed form: κ = γ − (1 − γ) Σ_{k≥1} γᵏ c_k; ∂κ/∂λ_j = −(1 − γ) c_{j−1} Σ_{k≥j} γᵏ λ_{j+1}…λ_k.
"""

from __future__ import annotations

from claims.box import StateDiscountBox
from claims.claim import Ablation, Claim, ProofError, Reading
from claims.m_contraction import prove as prove_contraction
from claims.models import HALF, OFF_POLICY, SIGNED_LAMBDAS, reducible_models
from theory.check import identities_margins as identities
from theory.check.hypotheses import CONSTANT_DISCOUNT, IRREDUCIBLE, LAMBDAS, ON_POLICY
from theory.check.margins import kappa_name, largest_discount, largest_kappa
from theory.check.norms import decide_contraction
from theory.check.relations import Expression, Relation, decide_relations
from theory.model.mdp import Model
from theory.verdict import Grade, Scope, ScopedEvidence, Status, Verdict

COMPARED = 8
"""Most λ's that are put to zero in turn."""

UNEQUAL_DISCOUNTS = StateDiscountBox(states=2, entries=(1,), gammas=(HALF, HALF / 2))


def prove() -> tuple[ScopedEvidence, ...]:
    """‖M‖ ≤ κ as in the paper, M1 = κ1, and the slope of κ."""
    prove_contraction()
    shapes = [(n, length) for n in (2, 3) for length in range(3)]
    if not all(identities.ones_are_an_eigenvector(n, length) for n, length in shapes):
        raise ProofError("M1 is not κ1")
    slopes = [(length, j) for length in range(1, 6) for j in range(1, length + 1)]
    if not all(identities.kappa_slope(length, j) for length, j in slopes):
        raise ProofError("the slope of κ is another")
    return (
        ScopedEvidence(
            Scope.SIZES, Grade.PROVED, len(shapes),
            "‖MV‖ ≤ Σ w_n γⁿ ‖PⁿV‖ ≤ κ‖V‖ by the lemmas of m_contraction; M1 = κ1 for symbolic P, γ, λ at n = 2, 3 "
            "and L = 0, 1, 2",
        ),
        ScopedEvidence(
            Scope.SIZES, Grade.PROVED, len(slopes),
            "κ is affine in λ_j with slope −(1 − γ) c_{j−1} Σ γᵏ λ_{j+1}…λ_k ≤ 0, symbolic γ, λ, L = 1 … 5, each j ≤ "
            "L; "
            "its first term −(1 − γ) γʲ c_{j−1} is negative exactly if c_{j−1} > 0 (0 < γ < 1)",
        ),
    )  # fmt: skip


def check(model: Model) -> Verdict:
    """κ ≥ 0, M1 = κ1 and ‖MV‖_D ≤ κ‖V‖_D on every class; κ falls short of its value with λ_j = 0 wherever c_j > 0."""
    kappa = largest_kappa(model)
    certificates = []
    for states in model.behaviour_chain.recurrent_classes:
        attained = decide_relations(model, _relations(model), states=states)
        if attained.status is not Status.HOLDS:
            return attained
        bounded = decide_contraction(model, states, kappa)
        if bounded.status is not Status.HOLDS:
            return bounded
        certificates += [*attained.certificates, *bounded.certificates]
    return Verdict(Status.HOLDS, Grade.CERTIFIED, f"‖M‖_D = κ = {kappa}", certificates=tuple(certificates))


def _relations(model: Model) -> list[Relation]:
    """κ ≥ 0, M1 = κ1, κ ≤ γ, and the comparisons with λ_j = 0: κ is then Σ_{n<j} w_n γⁿ + c_{j−1} γʲ."""
    gamma, kappa = largest_discount(model), kappa_name(model)
    found: list[Relation] = [("0", "<=", kappa), (("@", "M", "ones"), "=", ("*", kappa, "ones"))]
    length = model.schedule.length
    if length == 0:
        found.append((kappa, "=", str(gamma)))
    less = "<" if 0 < gamma < 1 else "<="
    for j in range(1, min(COMPARED, COMPARED if length is None else length) + 1):
        without: Expression = ("*", f"c:{j - 1}", str(gamma**j))
        for n in range(1, j):
            without = ("+", ("*", f"w:{n}", str(gamma**n)), without)
        found.append((kappa, less, without))
    return found


CLAIM = Claim(
    id="sharp_modulus",
    stated=Reading(
        r"$\|M\|_D = \kappa = \sum_n w_n \gamma^n$, attained at $V = \mathbf{1}$; $\kappa \leq \gamma$, for $0 < "
        r"\gamma < 1$ with equality iff "
        r"$\lambda_1 = 0$; $\kappa$ is non-increasing in each $\lambda_j$, for $0 < \gamma < 1$ strictly iff "
        r"$c_{j-1} > 0$."
    ),
    hypotheses=(ON_POLICY, LAMBDAS, CONSTANT_DISCOUNT),
    anchors=(r"||MV||_{D} \leq [\gamma(1-\lambda_{1})", r"= \gamma||V||_{D}"),
    check=check,
    prove=prove,
    ablations=(
        Ablation(ON_POLICY, box=OFF_POLICY),
        Ablation(LAMBDAS, box=SIGNED_LAMBDAS),
        Ablation(
            CONSTANT_DISCOUNT,
            box=UNEQUAL_DISCOUNTS,
            note="with κ for the largest discount ‖M‖_D ≤ κ remains, equality at 1 does not",
        ),
        Ablation(IRREDUCIBLE, supports=reducible_models, note="the law of one recurrent class is enough"),
    ),
    rests_on=("m_contraction",),
)
