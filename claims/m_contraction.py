r"""M contracts the D-norm by γ.

Place: A4.1, the chain of inequalities before Proposition 4.1's conclusion.
Statement: ‖MV‖_D ≤ γ‖V‖_D for all V.
Hypotheses: D is the law of the chain that M is built from (on-policy); λ_j ∈ [0,1]. For a discount that depends on
the transition,
γ stands for the largest one.
Model: any; each recurrent class on its own.
Check: γ²D − MᵀDM is positive semidefinite, exactly.
Closed form: ‖MV‖_D ≤ Σ w_n γⁿ ‖PⁿV‖_D ≤ κ‖V‖_D, and γ − κ = γ(1 − γ) Σ_k γ^{k−1} c_k ≥ 0.
"""

from __future__ import annotations

from fractions import Fraction

from claims.claim import Ablation, Claim, ProofError, Reading
from claims.models import OFF_POLICY, SIGNED_LAMBDAS, reducible_models
from theory.check import identities
from theory.check.evidence import stationary_certificate
from theory.check.hypotheses import IRREDUCIBLE, LAMBDAS, ON_POLICY
from theory.check.norms import decide_contraction
from theory.model.mdp import Model
from theory.verdict import Grade, Scope, ScopedEvidence, Status, Verdict


def prove() -> tuple[ScopedEvidence, ...]:
    """‖PV‖ ≤ ‖V‖ as a sum of squares, powers by composition, the triangle inequality, κ ≤ γ by an identity."""
    sizes, lengths = (1, 2, 3, 4), range(7)
    if not all(identities.stationary_norm_identity(n) for n in sizes):
        raise ProofError("‖V‖² − ‖PV‖² is not the sum of squares")
    if not all(identities.powers_keep_row_sums_and_law(n) for n in sizes):
        raise ProofError("powers of P do not keep row sums and law")
    if not all(identities.modulus_identity(length) for length in lengths):
        raise ProofError("γ − κ is not the non-negative sum")
    return (
        ScopedEvidence(
            Scope.SIZES, Grade.PROVED, len(sizes) * 2 + len(lengths),
            "symbolic P, d at n = 1 … 4: ‖V‖² − ‖PV‖² = ½ Σ d_i p_ij p_ik (V_j − V_k)², and Pⁿ keeps row sums and law; "
            "symbolic γ, λ at L = 0 … 6: γ − κ = γ(1 − γ) Σ γ^{k−1} c_k; joined by the triangle inequality",
        ),
    )  # fmt: skip


def check(model: Model) -> Verdict:
    """‖MV‖_D ≤ γ‖V‖_D on every recurrent class, γ the largest discount."""
    gamma = max((entry for G in model.discounts for row in G.rows for entry in row), default=Fraction(0))
    certificates = []
    for states in model.behaviour_chain.recurrent_classes:
        verdict = decide_contraction(model, states, gamma)
        if verdict.status is not Status.HOLDS:
            return verdict
        certificates += [*verdict.certificates, stationary_certificate(model.behaviour_chain, states)]
    return Verdict(Status.HOLDS, Grade.CERTIFIED, f"modulus {gamma}", certificates=tuple(certificates))


CLAIM = Claim(
    id="m_contraction",
    stated=Reading(r"$\|MV\|_D \leq \gamma \|V\|_D$ for all $V$."),
    hypotheses=(ON_POLICY, LAMBDAS),
    anchors=(r"||MV||_{D} \leq [\gamma(1-\lambda_{1})", r"= \gamma||V||_{D}"),
    check=check,
    prove=prove,
    asked_of_large_models=True,
    ablations=(
        Ablation(ON_POLICY, box=OFF_POLICY),
        Ablation(LAMBDAS, box=SIGNED_LAMBDAS),
        Ablation(IRREDUCIBLE, supports=reducible_models, note="the law of one recurrent class is enough"),
    ),
    notes=("The sharp modulus is κ ≤ γ, with equality only for λ_1 = 0 (0 < γ < 1): M1 = κ1.",),
    rests_on=("stationary_norm",),
)
