r"""Theorem 4.6 (printed again as 4.7): TDC(λ)-schedule converges to −A⁻¹b.

Place: §4, under Assumptions 1–3 and 5.
Statement: θ_t → −A⁻¹b almost surely. Off-policy false as stated, as Theorem 4.4. What is decided here is the mean
dynamics on the slow time
scale, θ' = −AᵀC⁻¹(Aθ + b), on the fast one, w' = Aθ + b − Cw, and the agreement of simulations with the exact law of
the iterates.
Hypotheses: A nonsingular (which includes C_μ > 0), one law of the behaviour chain, coverage; D from μ.
Model: any.
Check: −AᵀC⁻¹A negative definite and Aθ* + b = 0, exactly.
Closed form: xᵀAᵀC⁻¹Ax = (Ax)ᵀC⁻¹(Ax) > 0 unless Ax = 0: negative definite exactly if A is nonsingular, with no need
of A < 0.
"""

from __future__ import annotations

from collections.abc import Sequence

from claims.claim import Ablation, Claim, Finding, ProofError, Reading, Refutation, Simulated
from claims.gradient import check_limit
from claims.models import (
    ON_POLICY_BOX,
    TWO_CLASSES,
    UNCOVERED,
    signed_lambda_models,
    undiscounted_models,
)
from claims.simulation import simulate_limit
from claims.thm_4_4 import singular_model
from sims.agreement import ErrorBudget
from theory.check import identities
from theory.check.hypotheses import A_NONSINGULAR, COVERAGE, DISCOUNTED, LAMBDAS, UNIQUE_LAW
from theory.check.mean_dynamics import gradient_dynamics
from theory.model.mdp import Model
from theory.verdict import Grade, Scope, ScopedEvidence, Verdict


def prove() -> tuple[ScopedEvidence, ...]:
    """xᵀ(AᵀC⁻¹A)x = (Ax)ᵀC⁻¹(Ax), symbolic, by the suite's own formula."""
    sizes = (1, 2, 3)
    if not all(identities.tdc_form_identity(d) for d in sizes):
        raise ProofError("xᵀAᵀC⁻¹Ax is not (Ax)ᵀC⁻¹(Ax)")
    return (
        ScopedEvidence(
            Scope.SIZES, Grade.PROVED, len(sizes),
            "mean dynamics: xᵀAᵀC⁻¹Ax = (Ax)ᵀC⁻¹(Ax) for symbolic A, symmetric C at d = 1, 2, 3; with C > 0 it is "
            "zero only where Ax = 0",
        ),
    )  # fmt: skip


def check(model: Model) -> Verdict:
    """The slow mean dynamics of TDC is globally stable at −A⁻¹b."""
    return check_limit(model, lambda m, states: gradient_dynamics(m, states)[1])


def simulate(seed: int, budget: ErrorBudget) -> Sequence[Simulated]:
    """TDC(λ)-schedule against its exact finite-time law and the fixed-point equation."""
    return simulate_limit("tdc", seed, budget)


def judge_stated() -> Refutation:
    """Off-policy, Assumptions 1–3 and 5 in force, and −A⁻¹b does not exist."""
    model = singular_model()
    return Refutation(check(model), model)


CLAIM = Claim(
    id="thm_4_6",
    stated=Reading(
        r"Under Assumptions 1–3 and 5, $\theta_t$ of TDC($\lambda$)-schedule converges almost surely to $-A^{-1} b$."
    ),
    corrected=Reading(
        r"If $A$ is nonsingular (then $C_\mu$ is positive definite), the behaviour chain has one law $d^\mu$, and "
        r"$\mu$ covers $\pi$, then "
        r"$-A^T C^{-1} A$ is negative definite and $-A^{-1} b$ is the globally asymptotically stable point of the "
        r"slow mean dynamics, $w = 0$ there.",
        added_hypotheses=("A nonsingular", "coverage", "D from the behaviour policy"),
    ),
    correction=Finding.IMPLICIT_HYPOTHESIS,
    judge_stated=judge_stated,
    hypotheses=(UNIQUE_LAW, COVERAGE, A_NONSINGULAR),
    anchors=(r"\label{thm4.5}", r"\label{TDC_app}"),
    check=check,
    prove=prove,
    asked_of_large_models=True,
    ablations=(
        Ablation(A_NONSINGULAR, box=ON_POLICY_BOX),
        Ablation(UNIQUE_LAW, box=TWO_CLASSES),
        Ablation(COVERAGE, box=UNCOVERED, note="the algorithm then has another rest point"),
        Ablation(DISCOUNTED, supports=undiscounted_models, note="A nonsingular is enough"),
        Ablation(LAMBDAS, supports=signed_lambda_models, note="A nonsingular is enough"),
    ),
    simulate=simulate,
    rests_on=("thm_4_5_conditions",),
)
