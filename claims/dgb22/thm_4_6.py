r"""Theorem 4.6 (printed again as 4.7): TDC(λ)-schedule converges to −A⁻¹b.

Place: §4, under Assumptions 1–3 and 5.
Statement: θ_t → −A⁻¹b almost surely, and w_t → 0, for all deterministic steps with Σα_t = ∞, Σβ_t² < ∞, α_t/β_t → 0.
Off-policy false as stated, as Theorem 4.4; with A nonsingular it holds, on-policy as printed. α_t/β_t → 0 may be
weakened to an explicit bound of limsup α_t/β_t. Machine-checked for every size (Coq).
Hypotheses: A nonsingular (which includes C_μ > 0), coverage at the recurrent states, a behaviour
chain with a limit law (one law, aperiodic); D from μ.
Model: any.
Check: −AᵀC⁻¹A negative definite and Aθ* + b = 0, exactly.
Closed form: xᵀAᵀC⁻¹Ax = (Ax)ᵀC⁻¹(Ax) > 0 unless Ax = 0: negative definite exactly if A is nonsingular, with no need
of A < 0.
"""

from collections.abc import Sequence

from tdcert.claims import kit
from tdcert.claims.dgb22.limit import CONVERGENCE_ABLATIONS, check_convergence
from tdcert.claims.dgb22.simulated_limit import simulate_limit
from tdcert.claims.dgb22.thm_4_4 import singular_model
from tdcert.claims.kit import Model, Verdict
from tdcert.sims.judge.agreement import ErrorBudget
from tdcert.theory.check.mean_dynamics import gradient_dynamics
from tdcert.theory.forms import TDC_DEFINITE
from tdcert.theory.identities import forms_and_norms


def prove() -> kit.Proof:
    """xᵀ(AᵀC⁻¹A)x = (Ax)ᵀC⁻¹(Ax), symbolic, by the suite's own formula."""
    return kit.proved(
        "mean dynamics: xᵀAᵀC⁻¹Ax = (Ax)ᵀC⁻¹(Ax) for symbolic A, symmetric C at d = 1, 2, 3; with C > 0 it is "
        "zero only where Ax = 0",
        kit.shown(forms_and_norms.tdc_form_identity, at=(1, 2, 3)),
    )


def check(model: Model) -> Verdict:
    """The slow mean dynamics of TDC is globally stable at −A⁻¹b, and no steps follow a clock of the chain."""
    return check_convergence(model, lambda m, states: gradient_dynamics(m, states)[1], "tdc", "Assumptions 1 and 5")


def simulate(seed: int, budget: ErrorBudget) -> Sequence[kit.Simulated]:
    """TDC(λ)-schedule against its exact finite-time law and the fixed-point equation."""
    return simulate_limit("tdc", seed, budget)


def judge_stated() -> kit.Refutation:
    """Off-policy, Assumptions 1–3 and 5 in force, and −A⁻¹b does not exist."""
    model = singular_model()
    return kit.Refutation(check(model), model)


CLAIM = kit.Claim(
    id="thm_4_6",
    stated=kit.Reading(
        r"Under Assumptions 1–3 and 5, $\theta_t$ of TDC($\lambda$)-schedule converges almost surely to $-A^{-1} b$.",
        quote=r"satisfies $\theta_{t}\rightarrow\theta^*=-A^{-1}b$ almost surely as $t\rightarrow\infty$",
        place="§4, Theorem 4.6, under Assumptions 1 to 3 and 5",
    ),
    corrected=kit.Reading(
        r"If $A$ is nonsingular (then $C_\mu$ is positive definite), $\mu$ covers $\pi$, and the behaviour chain has a "
        r"limit law $d^\mu$, then $\theta_t \to -A^{-1} b$ and $w_t \to 0$ almost surely for all deterministic steps "
        r"with $\sum \alpha_t = \infty$, $\sum \beta_t^2 < \infty$ and $\alpha_t / \beta_t \to 0$.",
        added_hypotheses=("A nonsingular", "coverage", "D from the behaviour policy"),
    ),
    correction=kit.Finding.IMPLICIT_HYPOTHESIS,
    judge_stated=judge_stated,
    anchors=(r"\label{thm4.5}", r"\label{TDC_app}"),
    form=TDC_DEFINITE,
    check=check,
    prove=prove,
    formal=True,
    asked_of_large_exact_models=True,
    ablations=CONVERGENCE_ABLATIONS,
    simulate=simulate,
    rests_on=("thm_4_5_conditions",),
)
