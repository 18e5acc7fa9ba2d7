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

from tdcert.claims import kit, models
from tdcert.claims.dgb22.limit import refute_hurwitz
from tdcert.claims.kit import COVERAGE, HALF, LAMBDAS, Model, States, Verdict, holds, one_state, refuted, undecided
from tdcert.theory.certificate.bodies import about_matrix, strings
from tdcert.theory.check.mean_dynamics import gradient_dynamics
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.check.stability import certificate_of, prove_stable
from tdcert.theory.forms import GTD_HURWITZ
from tdcert.theory.identities import forms_and_norms
from tdcert.theory.model.key_matrices import gtd_matrix, theorem_matrices

LYAPUNOV_SIZE = 12
"""Features up to which a Lyapunov matrix of G is written beside the rank certificate."""


def prove() -> kit.Proof:
    """ξᵀGξ = −√η wᵀCw, symbolic; the rest is the argument of the closed form."""
    return kit.proved(
        "ξᵀGξ = −s wᵀCw for symbolic A, C, s at d = 1, 2, 3: Re(eigenvalue)·‖ξ‖² = −s w*Cw ≤ 0, and on the "
        "axis w = 0, Aθ = 0",
        kit.shown(forms_and_norms.saddle_form_identity, at=(1, 2, 3)),
    )


def check(model: Model) -> Verdict:
    """G is Hurwitz on every recurrent class."""

    def decide(states: States) -> Verdict:
        keys = theorem_matrices(model, states)
        gtd, _ = gradient_dynamics(model, states, "target")
        if keys.A.null_vector() is not None:
            return refute_hurwitz(model, states, "gtd", "A x = 0, so G (0, x) = 0: G has the eigenvalue 0")
        if gtd.mean_dynamics is not MeanDynamics.STABLE:
            return refuted(gtd.reason, {"A": keys.A.to_strings()}, by=[gtd.certificate])
        certificates = [gtd.certificate]
        proof = prove_stable(gtd_matrix(keys.A, keys.C)) if model.d <= LYAPUNOV_SIZE else None
        if proof is not None:
            about = about_matrix(states, "target", matrix="GTD", eta="1")
            certificates.append(certificate_of(proof, about, {"stationary": strings(keys.d)}))
        return holds("G is Hurwitz", by=certificates)

    return kit.on_each_class(decide, model, with_law=True)


def judge_stated() -> kit.Refutation:
    """One state, φ = 1, γ = ½, TD(0), η = 1: G = [[−1, −½], [½, 0]] and x = (0, 1)."""
    model = one_state(HALF)
    keys = theorem_matrices(model, (0,))
    G = gtd_matrix(keys.A, keys.C)
    x = kit.RationalMatrix.column([0, 1])
    value = G.quadratic_form(x)
    if value < 0:
        return kit.Refutation(undecided("x = (0, 1) does not refute it"), model)
    about = about_matrix((0,), "target", matrix="GTD", sign="negative", eta="1")
    witness = {"stationary": strings(keys.d), "vector": strings(x)}
    return kit.Refutation(
        refuted(
            "xᵀGx = 0 at x = (0, θ), whatever A and C are",
            {"G": G.to_strings(), "x": ["0", "1"], "xᵀGx": str(value)},
            by=[kit.Certificate("not_definite", about, witness)],
        ),
        model,
    )


CLAIM = kit.Claim(
    id="thm_4_4_g_negative_definite",
    stated=kit.Reading(
        r"$G = \begin{pmatrix} -\sqrt{\eta}\, C & A \\ -A^T & 0 \end{pmatrix}$ is negative definite.",
        quote="can be easily shown to be negative definite",
        place="A4.2, of the matrix G",
    ),
    corrected=kit.Reading(
        r"$G$ is Hurwitz for every $\eta > 0$ when $A$ is nonsingular; its symmetric part is only negative "
        r"semidefinite.",
        added_hypotheses=("A nonsingular",),
    ),
    correction=kit.Finding.FALSE,
    judge_stated=judge_stated,
    anchors=(r"-\sqrt{\eta}C  &  A",),
    form=GTD_HURWITZ,
    check=check,
    prove=prove,
    asked_of_large_exact_models=True,
    ablations=(
        kit.Ablation(kit.A_NONSINGULAR, box=models.ON_POLICY_BOX),
        kit.Ablation(COVERAGE, supports=models.uncovered_models, note="it only identifies A with ΦᵀD(M − I)Φ"),
        kit.Ablation(kit.DISCOUNTED, supports=models.undiscounted_models),
        kit.Ablation(LAMBDAS, supports=models.signed_lambda_models),
    ),
)
