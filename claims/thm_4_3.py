r"""Theorem 4.3: TD(λ)-schedule converges to θ* = −A⁻¹b.

Place: §4, under Assumptions 1–3.
Statement: θ_t → −A⁻¹b almost surely. What is decided here: θ* is the only rest point of θ' = Aθ + b and globally
stable, with the Lyapunov function V(θ) = ½‖Aθ + b‖² of the proof; and simulations agree with the exact law of the
iterates.
Hypotheses: those of Proposition 4.1, and steps more regular than Assumption 1 (say non-increasing): the proof rests on
Theorem 4.2, which is false as printed (see ``thm_4_2``), and no proof or counterexample is known here for Assumption 1
alone on an aperiodic chain. With non-increasing steps periodic chains converge too.
Model: any.
Check: A Hurwitz and Aθ* + b = 0, exactly.
Closed form: dV/dt = (Aθ + b)ᵀ sym(A) (Aθ + b) < 0 away from θ*.
"""

from __future__ import annotations

from collections.abc import Sequence

from claims.claim import Ablation, Claim, Finding, ProofError, Reading, Refutation, Simulated
from claims.gradient import check_limit
from claims.models import OFF_POLICY, ON_POLICY_BOX, SIGNED_LAMBDAS, UNDISCOUNTED, periodic_models
from claims.prop_4_1 import prove as prove_negative_definite
from claims.simulation import simulate_limit
from sims.agreement import ErrorBudget
from theory.check import identities
from theory.check.hypotheses import APERIODIC, DISCOUNTED, FULL_COLUMN_RANK, IRREDUCIBLE, LAMBDAS, ON_POLICY
from theory.check.mean_dynamics import td_dynamics
from theory.model.mdp import Model
from theory.verdict import Grade, Scope, ScopedEvidence, Status, Verdict


def prove() -> tuple[ScopedEvidence, ...]:
    """The Lyapunov derivative, symbolic; A < 0 comes from Proposition 4.1."""
    sizes = (1, 2, 3)
    if not all(identities.gradient_lyapunov_identity(d) for d in sizes):
        raise ProofError("dV/dt is not the form of sym A")
    prove_negative_definite()
    return (
        ScopedEvidence(
            Scope.SIZES, Grade.PROVED, len(sizes),
            "mean dynamics: dV/dt = (Aθ + b)ᵀ sym(A)(Aθ + b) for symbolic A, b at d = 1, 2, 3, negative by "
            "Proposition 4.1",
        ),
    )  # fmt: skip


def check(model: Model) -> Verdict:
    """θ' = Aθ + b is globally stable at −A⁻¹b."""
    return check_limit(model, td_dynamics)


def simulate(seed: int, budget: ErrorBudget) -> Sequence[Simulated]:
    """TD(λ)-schedule against its exact finite-time law and the fixed-point equation."""
    return simulate_limit("td", seed, budget)


def judge_stated() -> Refutation:
    """Assumption 1 alone: neither proved nor refuted."""
    return Refutation(
        Verdict(
            Status.UNDECIDED,
            detail="under Assumption 1 alone the proof needs Theorem 4.2, which is false as printed (step sizes "
            "may follow "
            "a periodic chain); "
            "on an aperiodic chain neither a proof nor a counterexample is known here. The mean dynamics is "
            "decided in the corrected reading.",
        )
    )  # fmt: skip


CLAIM = Claim(
    id="thm_4_3",
    stated=Reading(r"Under Assumptions 1–3, $\theta_t \to \theta^* = -A^{-1} b$ almost surely."),
    corrected=Reading(
        r"$\theta^* = -A^{-1} b$ is the globally asymptotically stable point of the mean dynamics $\dot\theta = "
        r"A\theta + b$, with Lyapunov "
        r"function $\frac12 \|A\theta + b\|^2$, on periodic chains too. This is what is decided here.",
        added_hypotheses=("step sizes non-increasing, or of summable variation",),
    ),
    correction=Finding.IMPLICIT_HYPOTHESIS,
    judge_stated=judge_stated,
    hypotheses=(IRREDUCIBLE, ON_POLICY, FULL_COLUMN_RANK, DISCOUNTED, LAMBDAS),
    anchors=(r"\label{TDLS}", r"V(\theta) = \frac{1}{2} (A\theta+b)^T"),
    check=check,
    prove=prove,
    asked_of_large_models=True,
    ablations=(
        Ablation(IRREDUCIBLE, box=ON_POLICY_BOX),
        Ablation(ON_POLICY, box=OFF_POLICY),
        Ablation(FULL_COLUMN_RANK, box=ON_POLICY_BOX),
        Ablation(DISCOUNTED, box=UNDISCOUNTED),
        Ablation(LAMBDAS, box=SIGNED_LAMBDAS),
        Ablation(APERIODIC, supports=periodic_models, note="with non-increasing steps"),
    ),
    simulate=simulate,
    notes=(
        "That the iterates follow the mean dynamics almost surely, with steps that satisfy Assumption 1 and are "
        "non-increasing (or of "
        "summable variation), is stochastic approximation: cited, neither proved nor observable here. Simulation "
        "gives 'consistent' at most.",
    ),
    rests_on=("prop_4_1", "thm_4_2", "thm_4_2_conditions"),
)
