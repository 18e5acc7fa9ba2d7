r"""The covariance of the averaged iterates.

Place: §4, the recursions with Markov noise; averaging is beyond the paper.
Statement: with steps a/(t + t0)^p, ½ < p < 1, √T(θ̄_T − θ*) → N(0, A⁻¹ΣA⁻ᵀ), Σ the long-run covariance of ε_t =
δ_t(θ*)z_t. The θ-block is the same for GTD and TDC at every η (where stable), the w-block is zero. Decided here: Σ
from the Poisson equation, and the blocks; the limit theorem itself is cited.
Hypotheses: one law of the behaviour chain; A (as the algorithm meets it) nonsingular.
Model: any; Σ for finite schedules with few windows.
Check: ε has mean zero at θ*, E[m mᵀ] of the martingale differences equals Σ, and J⁻¹NJ⁻ᵀ has the blocks A⁻¹ΣA⁻ᵀ and 0
for GTD and TDC at η = 1/3, 1, 2.
Closed form: J(A⁻¹ε, 0) is the noise of (θ, w): (0, ηε) for GTD, (ε, ηε) for TDC.
"""

from __future__ import annotations

from fractions import Fraction

from claims.claim import Ablation, Claim, ProofError, Reading
from claims.episodic_discount import count_paths
from claims.models import ON_POLICY_BOX, TWO_CLASSES, undiscounted_models
from theory.arithmetic import RationalMatrix
from theory.check import identities_moments as identities
from theory.check.evidence import about_matrix, fixed_point_certificate, kernel_name, stationary_certificate, strings
from theory.check.hypotheses import A_NONSINGULAR, DISCOUNTED, UNIQUE_LAW
from theory.check.longrun import averaged_covariance, gradient_pieces, long_run_covariance
from theory.check.margins import negative_direction
from theory.errors import BudgetExceededError, SingularMatrixError
from theory.model.key_matrices import behaviour_matrices
from theory.model.mdp import Model
from theory.verdict import Certificate, Grade, Scope, ScopedEvidence, Status, Verdict

RATIOS = (Fraction(1, 3), Fraction(1), Fraction(2))
WINDOWS = 120
"""Most paths of L + 1 states for which the Poisson equation is tried."""


def prove() -> tuple[ScopedEvidence, ...]:
    """The blocks, symbolic; and Σ = E[m mᵀ] for a chain of two states."""
    sizes = (1, 2)
    if not all(identities.same_theta_block_identity(d) for d in sizes):
        raise ProofError("J(A⁻¹ε, 0) is not the noise of (θ, w)")
    if not identities.poisson_identity():
        raise ProofError("E[εε] + 2E[εH'] is not E[m²]")
    return (
        ScopedEvidence(
            Scope.SIZES, Grade.PROVED, len(sizes) + 1,
            "J(A⁻¹ε, 0) = (0, ηε) for GTD and (ε, ηε) for TDC, free A, C, ε, η at d = 1, 2; E[ε²] + 2E[εH'] = E[(ε + "
            "H' − H)²] for two windows with "
            "free law, weights, ε and H subject to the Poisson equation",
        ),
    )  # fmt: skip


def check(model: Model) -> Verdict:
    """One rest point; its long-run covariance; the blocks."""
    classes = model.behaviour_chain.recurrent_classes
    certificates: list[Certificate] = []
    limits: list[RationalMatrix] = []
    details: list[str] = []
    for states in classes:
        keys = behaviour_matrices(model, states)
        try:
            theta = keys.theta_star
        except SingularMatrixError:
            null = keys.A.null_vector()
            assert null is not None
            about = about_matrix(states, kernel_name(model), matrix="A")
            kept = Certificate("singular", about, {"stationary": strings(keys.d), "vector": strings(null)})
            return Verdict(
                Status.REFUTED,
                Grade.CERTIFIED,
                "A is singular: there is no θ*",
                {"x": strings(null)},
                certificates=(kept,),
            )
        limits.append(theta)
        if theta != limits[0]:
            shown = {"first class": strings(limits[0]), "other class": strings(theta)}
            return Verdict(Status.REFUTED, Grade.CERTIFIED, "each class has a θ* of its own: no one limit", shown)
        verdict = _covariances(model, states)
        if verdict.status is not Status.HOLDS:
            return verdict
        details.append(verdict.detail)
        fixed = fixed_point_certificate(keys, states, kernel_name(model), theta)
        certificates += [c for c in (fixed, stationary_certificate(model.behaviour_chain, states)) if c is not None]
    return Verdict(Status.HOLDS, Grade.CERTIFIED, "; ".join(dict.fromkeys(details)), certificates=tuple(certificates))


def _covariances(model: Model, states: tuple[int, ...]) -> Verdict:
    keys = behaviour_matrices(model, states)
    S, detail = keys.C.identity(model.d), "the blocks, for Σ = I in the place of Σ"
    length = model.schedule.length
    if length is not None and count_paths(model, states, length) <= WINDOWS and model.d <= 4:
        try:
            found = long_run_covariance(model, states)
        except BudgetExceededError:
            found = None
        if found is not None:
            if not found.mean.is_zero():
                return Verdict(Status.REFUTED, Grade.CERTIFIED, "ε has a mean at θ*", {"mean": strings(found.mean)})
            if found.covariance != found.martingale or negative_direction(found.covariance) is not None:
                shown = {"Σ": str(found.covariance.to_strings()), "E mmᵀ": str(found.martingale.to_strings())}
                return Verdict(
                    Status.REFUTED, Grade.CERTIFIED, "Σ is not the covariance of martingale differences", shown
                )
            S, detail = found.covariance, "Σ from the Poisson equation, and the blocks"
    limit = averaged_covariance(keys.A, S)
    for algorithm in ("gtd", "tdc"):
        for eta in RATIOS:
            joint = averaged_covariance(*gradient_pieces(algorithm, keys.A, keys.C, S, eta))
            theta_block = joint.take(range(model.d), range(model.d))
            rest = joint - theta_block.block(
                right=RationalMatrix.zeros(model.d, model.d), below=RationalMatrix.zeros(model.d, model.d),
                corner=RationalMatrix.zeros(model.d, model.d),
            )  # fmt: skip
            if theta_block != limit or not rest.is_zero():
                shown = {"algorithm": algorithm, "η": str(eta)}
                return Verdict(Status.REFUTED, Grade.CERTIFIED, "the joint covariance has other blocks", shown)
    return Verdict(Status.HOLDS, Grade.CERTIFIED, detail)


CLAIM = Claim(
    id="clt_covariance",
    stated=Reading(
        r"$\sqrt{T} (\bar\theta_T - \theta^*) \to N(0, A^{-1} \Sigma A^{-T})$ for averages under steps $a / (t + "
        r"t_0)^p$, $\frac12 < p < 1$ (limit theorem cited), with $\Sigma$ the "
        r"long-run covariance of $\delta_t(\theta^*) z_t$ from the Poisson equation; the $\theta$-block is the same "
        r"for GTD and TDC at every stable $\eta$, the $w$-block is $0$."
    ),
    hypotheses=(UNIQUE_LAW, A_NONSINGULAR),
    anchors=(r"$b(X_t) = z_t R_{t+1}$ and $A(X_t) = z_t(\gamma\phi_{t+1}^{T} - \phi_{t}^T)$", r"\label{arunSA}"),
    check=check,
    prove=prove,
    ablations=(
        Ablation(UNIQUE_LAW, box=TWO_CLASSES),
        Ablation(A_NONSINGULAR, box=ON_POLICY_BOX),
        Ablation(DISCOUNTED, supports=undiscounted_models, note="A nonsingular is enough"),
    ),
    notes=(
        "The central limit theorem for averaged stochastic approximation with Markov noise is cited, not proved here.",
    ),
)
