r"""Theorem 4.4: GTD(λ)-schedule converges to −A⁻¹b.

Place: §4, under Assumptions 1–4; proof in A4.2.
Statement: θ_t → −A⁻¹b almost surely, and w_t → 0, for every deterministic α_t > 0 with Σα_t = ∞, Σα_t² < ∞ and β_t =
ηα_t. Off-policy it is false as stated: Proposition 4.1 is not available there, A may be singular. With A nonsingular it
holds; on-policy it holds as printed. Machine-checked for every size (Coq).
Hypotheses: A nonsingular (which includes C_μ > 0), coverage at the recurrent states, a behaviour
chain with a limit law (one law, aperiodic); D from μ.
Model: any.
Check: [[−ηC, ηA], [−Aᵀ, 0]] Hurwitz at the rest point (0, −A⁻¹b), exactly.
Closed form: see ``thm_4_4_g_negative_definite``; the rest point is w = 0, Aθ + b = 0.
"""

from collections.abc import Sequence

from tdcert.claims import kit
from tdcert.claims.dgb22.limit import CONVERGENCE_ABLATIONS, check_convergence
from tdcert.claims.dgb22.simulated_limit import simulate_limit
from tdcert.claims.dgb22.thm_4_4_g_negative_definite import prove as prove_hurwitz
from tdcert.claims.kit import Fraction, Model, Schedule, Verdict, theta_to_two_theta
from tdcert.sims.judge.agreement import ErrorBudget
from tdcert.theory.check.mean_dynamics import gradient_dynamics
from tdcert.theory.forms import GTD_HURWITZ


def prove() -> kit.Proof:
    """The mean dynamics: G Hurwitz."""
    return prove_hurwitz()


def check(model: Model) -> Verdict:
    """The mean dynamics of GTD is globally stable at −A⁻¹b, and no steps follow a clock of the chain."""
    return check_convergence(model, lambda m, states: gradient_dynamics(m, states)[0], "gtd", "Assumptions 1 and 4")


def simulate(seed: int, budget: ErrorBudget) -> Sequence[kit.Simulated]:
    """GTD(λ)-schedule against its exact finite-time law and the fixed-point equation."""
    return simulate_limit("gtd", seed, budget)


def singular_model() -> Model:
    """θ→2θ at κ = γ = 5/6 with rewards 1: A = 0 while b ≠ 0."""
    return theta_to_two_theta(Fraction(5, 6), Schedule(), (1, 1))


def judge_stated() -> kit.Refutation:
    """Off-policy, Assumptions 1–4 in force, and −A⁻¹b does not exist."""
    model = singular_model()
    return kit.Refutation(check(model), model)


CLAIM = kit.Claim(
    id="thm_4_4",
    stated=kit.Reading(
        r"Under Assumptions 1–4, $\theta_t$ of GTD($\lambda$)-schedule converges almost surely to $-A^{-1} b$.",
        quote="converges almost surely to $-A^{-1}b$",
        place="§4, Theorem 4.4, under Assumptions 1 to 4",
    ),
    corrected=kit.Reading(
        r"If $A$ is nonsingular (then $C_\mu$ is positive definite), $\mu$ covers $\pi$, and the behaviour chain has a "
        r"limit law $d^\mu$, then $\theta_t \to -A^{-1} b$ and $w_t \to 0$ almost surely for every $\eta > 0$ and all "
        r"deterministic $\alpha_t > 0$ with $\sum \alpha_t = \infty$, $\sum \alpha_t^2 < \infty$.",
        added_hypotheses=("A nonsingular", "coverage", "D from the behaviour policy"),
    ),
    correction=kit.Finding.IMPLICIT_HYPOTHESIS,
    judge_stated=judge_stated,
    anchors=(r"\label{gtd_thm}",),
    form=GTD_HURWITZ,
    check=check,
    prove=prove,
    formal=True,
    asked_of_large_exact_models=True,
    ablations=CONVERGENCE_ABLATIONS,
    simulate=simulate,
    notes=("On-policy, Proposition 4.1 supplies a nonsingular A.",),
    rests_on=("thm_4_4_g_negative_definite", "thm_4_4_block_inverse", "prop_4_1", "lemma_a4_1"),
)
