r"""Theorem 4.3: TD(λ)-schedule converges to θ* = −A⁻¹b.

Place: §4, under Assumptions 1–3.
Statement: θ_t → −A⁻¹b almost surely, as printed: for every deterministic α_t > 0 with Σα_t = ∞ and Σα_t² < ∞, from
every θ_0 and every law of the first state. Machine-checked for every size, with the paper's trace, A and b (Coq). The
proof does not pass through Theorem 4.2, which is false as printed (``thm_4_2``).
Hypotheses: those of Proposition 4.1, and an aperiodic chain (Assumption 2: P(s_t = j | s_0 = i) has a limit). On chains
of any period the theorem holds for steps with Σ|α_{t+1} − α_t| < ∞, non-increasing ones for example
(``regular_steps.v``). "Deterministic" has to be read into Assumption 1: steps that follow the path fail even for
independent states (``step_ablations.v``).
Model: any.
Check: A Hurwitz and Aθ* + b = 0, exactly; where the chain has a period, steps that follow its clock.
Closed form: the mean dynamics has the Lyapunov function of the proof, V(θ) = ½‖Aθ + b‖²: dV/dt = (Aθ + b)ᵀ sym(A)(Aθ +
b) < 0 away from θ*.
"""

from collections.abc import Sequence

from tdcert.claims import kit, models
from tdcert.claims.dgb22.limit import NEEDS_LIMIT_LAW, check_convergence
from tdcert.claims.dgb22.prop_4_1 import prove as prove_negative_definite
from tdcert.claims.dgb22.simulated_limit import simulate_limit
from tdcert.claims.kit import DISCOUNTED, FULL_COLUMN_RANK, IRREDUCIBLE, LAMBDAS, ON_POLICY, Model, Verdict
from tdcert.sims.judge.agreement import ErrorBudget
from tdcert.theory.check.mean_dynamics import td_dynamics
from tdcert.theory.forms import A_HURWITZ
from tdcert.theory.identities import forms_and_norms


def prove() -> kit.Proof:
    """The Lyapunov derivative, symbolic; A < 0 comes from Proposition 4.1."""
    prove_negative_definite()
    return kit.proved(
        "mean dynamics: dV/dt = (Aθ + b)ᵀ sym(A)(Aθ + b) for symbolic A, b at d = 1, 2, 3, negative by Proposition 4.1",
        kit.shown(forms_and_norms.gradient_lyapunov_identity, at=(1, 2, 3)),
    )


def check(model: Model) -> Verdict:
    """θ' = Aθ + b is globally stable at −A⁻¹b, and no steps follow a clock of the chain."""
    return check_convergence(model, td_dynamics, "td" if model.is_on_policy else "off_policy_td")


def simulate(seed: int, budget: ErrorBudget) -> Sequence[kit.Simulated]:
    """TD(λ)-schedule against its exact finite-time law and the fixed-point equation."""
    return simulate_limit("td", seed, budget)


CLAIM = kit.Claim(
    id="thm_4_3",
    stated=kit.Reading(
        r"Under Assumptions 1–3, $\theta_t \to \theta^* = -A^{-1} b$ almost surely.",
        quote=(
            r"satisfies $\theta_t \rightarrow \theta^*\stackrel{\triangle}{=} -A^{-1}b$ almost surely as "
            r"$t\rightarrow\infty$"
        ),
        place="§4, Theorem 4.3, under Assumptions 1 to 3",
    ),
    anchors=(r"\label{TDLS}", r"V(\theta) = \frac{1}{2} (A\theta+b)^T"),
    form=A_HURWITZ,
    check=check,
    prove=prove,
    formal=True,
    asked_of_large_exact_models=True,
    ablations=(
        kit.Ablation(IRREDUCIBLE, box=models.ON_POLICY_BOX),
        kit.Ablation(ON_POLICY, box=models.OFF_POLICY),
        kit.Ablation(FULL_COLUMN_RANK, box=models.ON_POLICY_BOX),
        kit.Ablation(DISCOUNTED, box=models.UNDISCOUNTED),
        kit.Ablation(LAMBDAS, box=models.SIGNED_LAMBDAS),
        NEEDS_LIMIT_LAW,
    ),
    simulate=simulate,
    notes=(
        "Assumption 1 is read with deterministic steps. Steps that follow the path fail even for independent states: "
        "with two equally likely states, α_t = 1/(t + 2) in the first and 1/(t + 2)² in the second, θ_t → 2 and not 1.",
        "On a chain of any period it holds for steps of summable variation, Σ|α_{t+1} − α_t| < ∞ "
        "(thm_4_3_regular_steps).",
        "What others prove: Tsitsiklis and Van Roy (1997) for TD(λ) with regular steps; Liu, Chen and Zhang (JMLR 26, "
        "2025) and Mahadevan et al. (ICML 2026) for recursions with Markovian noise, off-policy and with endless "
        "traces; rl-theory-in-lean (arXiv 2511.03618) machine-checks linear TD(0) with steps (t + 2)^−ν, 2/3 < ν < 1. "
        "The statement with arbitrary square-summable steps on an aperiodic chain was not found in print; the "
        "technique is classical.",
    ),
    rests_on=("prop_4_1", "lemma_a4_1"),
)
