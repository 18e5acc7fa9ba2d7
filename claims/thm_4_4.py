r"""Theorem 4.4: GTD(λ)-schedule converges to −A⁻¹b.

Place: §4, under Assumptions 1–4; proof in A4.2.
Statement: θ_t → −A⁻¹b almost surely. Off-policy it is false as stated: Proposition 4.1 is not available there, A may
be singular. What is
decided here is the mean dynamics of (w, θ), and the agreement of simulations with the exact law of the iterates.
Hypotheses: A nonsingular (which includes C_μ > 0), one law of the behaviour chain, coverage; D from μ.
Model: any.
Check: [[−ηC, ηA], [−Aᵀ, 0]] Hurwitz at the rest point (0, −A⁻¹b), exactly.
Closed form: see ``thm_4_4_g_negative_definite``; the rest point is w = 0, Aθ + b = 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from claims.claim import Ablation, Claim, Finding, Reading, Refutation, Simulated
from claims.gradient import check_limit
from claims.models import (
    ON_POLICY_BOX,
    TWO_CLASSES,
    UNCOVERED,
    signed_lambda_models,
    undiscounted_models,
)
from claims.simulation import simulate_limit
from claims.thm_4_4_g_negative_definite import prove as prove_hurwitz
from sims.agreement import ErrorBudget
from theory.check.hypotheses import A_NONSINGULAR, COVERAGE, DISCOUNTED, LAMBDAS, UNIQUE_LAW
from theory.check.mean_dynamics import gradient_dynamics
from theory.model.gallery import theta_to_two_theta
from theory.model.mdp import Model
from theory.model.schedule import Schedule
from theory.verdict import ScopedEvidence, Verdict


def prove() -> tuple[ScopedEvidence, ...]:
    """The mean dynamics: G Hurwitz."""
    return prove_hurwitz()


def check(model: Model) -> Verdict:
    """The mean dynamics of GTD is globally stable at −A⁻¹b."""
    return check_limit(model, lambda m, states: gradient_dynamics(m, states)[0])


def simulate(seed: int, budget: ErrorBudget) -> Sequence[Simulated]:
    """GTD(λ)-schedule against its exact finite-time law and the fixed-point equation."""
    return simulate_limit("gtd", seed, budget)


def singular_model() -> Model:
    """θ→2θ at κ = γ = 5/6 with rewards 1: A = 0 while b ≠ 0."""
    return theta_to_two_theta(Fraction(5, 6), Schedule(), (1, 1))


def judge_stated() -> Refutation:
    """Off-policy, Assumptions 1–4 in force, and −A⁻¹b does not exist."""
    model = singular_model()
    return Refutation(check(model), model)


CLAIM = Claim(
    id="thm_4_4",
    stated=Reading(
        r"Under Assumptions 1–4, $\theta_t$ of GTD($\lambda$)-schedule converges almost surely to $-A^{-1} b$."
    ),
    corrected=Reading(
        r"If $A$ is nonsingular (then $C_\mu$ is positive definite), the behaviour chain has one law $d^\mu$, and "
        r"$\mu$ covers $\pi$, then "
        r"$(0, -A^{-1} b)$ is the globally asymptotically stable point of the mean dynamics of $(w, \theta)$ for "
        r"every $\eta > 0$.",
        added_hypotheses=("A nonsingular", "coverage", "D from the behaviour policy"),
    ),
    correction=Finding.IMPLICIT_HYPOTHESIS,
    judge_stated=judge_stated,
    hypotheses=(UNIQUE_LAW, COVERAGE, A_NONSINGULAR),
    anchors=(r"\label{gtd_thm}",),
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
    notes=("On-policy, Proposition 4.1 supplies a nonsingular A.",),
    rests_on=("thm_4_4_g_negative_definite", "thm_4_4_block_inverse", "prop_4_1", "thm_4_2"),
)
