r"""GTD's matrix G is negative definite.

Place: A4.2, proof of Theorem 4.4.
Statement: printed, G = [[−√η C, A], [−Aᵀ, 0]] is negative definite. It never is: ξᵀGξ = −√η wᵀCw for ξ = (w, θ) is
blind to θ.
Corrected: G is Hurwitz for every η > 0 when A is nonsingular (then C > 0 as well).
Hypotheses: A nonsingular.
Model: any; each recurrent class on its own.
Check: a Lyapunov matrix for G at η = 1, accepted exactly, and the rank certificate that serves every η.
Closed form: an eigenvalue on the axis needs wᵀCw = 0, so w = 0, so Aθ = 0, so θ = 0.
"""

from __future__ import annotations

from claims.claim import Ablation, Claim, Finding, ProofError, Reading, Refutation
from claims.models import ON_POLICY_BOX, signed_lambda_models, uncovered_models, undiscounted_models
from theory.arithmetic import RationalMatrix
from theory.check import identities
from theory.check.evidence import about_matrix, stationary_certificate, strings
from theory.check.hypotheses import A_NONSINGULAR, COVERAGE, DISCOUNTED, LAMBDAS
from theory.check.mean_dynamics import MeanDynamics, gradient_dynamics
from theory.check.stability import certificate_of, prove_stable
from theory.model.gallery import HALF, one_state
from theory.model.key_matrices import gtd_matrix, theorem_matrices
from theory.model.mdp import Model
from theory.verdict import Certificate, Grade, Scope, ScopedEvidence, Status, Verdict

LYAPUNOV_SIZE = 12
"""Features up to which a Lyapunov matrix of G is written beside the rank certificate."""


def prove() -> tuple[ScopedEvidence, ...]:
    """ξᵀGξ = −√η wᵀCw, symbolic; the rest is the argument of the closed form."""
    sizes = (1, 2, 3)
    if not all(identities.saddle_form_identity(d) for d in sizes):
        raise ProofError("ξᵀGξ is not −s wᵀCw")
    return (
        ScopedEvidence(
            Scope.SIZES, Grade.PROVED, len(sizes),
            "ξᵀGξ = −s wᵀCw for symbolic A, C, s at d = 1, 2, 3: Re(eigenvalue)·‖ξ‖² = −s w*Cw ≤ 0, and on the "
            "axis w = 0, Aθ = 0",
        ),
    )  # fmt: skip


def check(model: Model) -> Verdict:
    """G is Hurwitz on every recurrent class."""
    certificates: list[Certificate] = []
    for states in model.behaviour_chain.recurrent_classes:
        keys = theorem_matrices(model, states)
        gtd, _ = gradient_dynamics(model, states, "target")
        if gtd.mean_dynamics is not MeanDynamics.STABLE:
            kept = () if gtd.certificate is None else (gtd.certificate,)
            return Verdict(
                Status.REFUTED, Grade.CERTIFIED, gtd.reason, witness={"A": keys.A.to_strings()}, certificates=kept
            )
        if gtd.certificate is not None:
            certificates.append(gtd.certificate)
        if model.d <= LYAPUNOV_SIZE:
            proof = prove_stable(gtd_matrix(keys.A, keys.C))
            if proof is not None:
                about = about_matrix(states, "target", matrix="GTD", eta="1")
                certificates.append(certificate_of(proof, about, {"stationary": strings(keys.d)}))
        certificates.append(stationary_certificate(model.behaviour_chain, states))
    return Verdict(Status.HOLDS, Grade.CERTIFIED, "G is Hurwitz", certificates=tuple(certificates))


def judge_stated() -> Refutation:
    """One state, φ = 1, γ = ½, TD(0), η = 1: G = [[−1, −½], [½, 0]] and x = (0, 1)."""
    model = one_state(HALF)
    keys = theorem_matrices(model, (0,))
    G = gtd_matrix(keys.A, keys.C)
    x = RationalMatrix.column([0, 1])
    value = G.quadratic_form(x)
    if value < 0:
        return Refutation(Verdict(Status.UNDECIDED, detail="x = (0, 1) does not refute it"), model)
    about = about_matrix((0,), "target", matrix="GTD", sign="negative", eta="1")
    witness = {"stationary": strings(keys.d), "vector": strings(x)}
    return Refutation(
        Verdict(
            Status.REFUTED, Grade.CERTIFIED, "xᵀGx = 0 at x = (0, θ), whatever A and C are",
            witness={"G": G.to_strings(), "x": ["0", "1"], "xᵀGx": str(value)},
            certificates=(Certificate("not_definite", about, witness),),
        ),
        model,
    )  # fmt: skip


CLAIM = Claim(
    id="thm_4_4_g_negative_definite",
    stated=Reading(r"$G = \begin{pmatrix} -\sqrt{\eta}\, C & A \\ -A^T & 0 \end{pmatrix}$ is negative definite."),
    corrected=Reading(
        r"$G$ is Hurwitz for every $\eta > 0$ when $A$ is nonsingular; its symmetric part is only negative "
        r"semidefinite.",
        added_hypotheses=("A nonsingular",),
    ),
    correction=Finding.FALSE,
    judge_stated=judge_stated,
    hypotheses=(A_NONSINGULAR,),
    anchors=(r"can be easily shown to be negative definite", r"-\sqrt{\eta}C  &  A"),
    check=check,
    prove=prove,
    asked_of_large_models=True,
    ablations=(
        Ablation(A_NONSINGULAR, box=ON_POLICY_BOX),
        Ablation(COVERAGE, supports=uncovered_models, note="it only identifies A with ΦᵀD(M − I)Φ"),
        Ablation(DISCOUNTED, supports=undiscounted_models),
        Ablation(LAMBDAS, supports=signed_lambda_models),
    ),
)
