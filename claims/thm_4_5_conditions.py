r"""Theorem 4.5: (C1)–(C6) suffice, and hold for TDC(λ)-schedule.

Place: §4, Theorem 4.5 and the proof after it.
Statement: printed, (C1)–(C6) give (θ_t, w_t) → (θ*, λ(θ*)). False: they speak of one law ν and nothing says that X_t
has only one; the regularity of the steps is missing as in Theorem 4.2. Corrected: with one law and such steps the
theorem is cited theory; for TDC(λ)-schedule the conditions hold, each on its own, if A is nonsingular and μ covers π.
(C1) as (B1); (C2) is Assumptions 1 and 5; (C3), (C5) need C > 0, (C4), (C6) A nonsingular.
Hypotheses: one stationary law, coverage, A nonsingular (then C > 0).
Model: any.
Check: one law; C > 0 and A nonsingular; h̄(θ, λ(θ)) = −AᵀC⁻¹(Aθ + b) and h̄_∞(θ) = −AᵀC⁻¹Aθ at one θ; the rest point
−A⁻¹b. All exactly.
Closed form: λ(θ) = C⁻¹(Aθ + b), λ_∞(θ) = C⁻¹Aθ, and (Aθ + b) − (Aᵀ + C)λ(θ) = −AᵀC⁻¹(Aθ + b).
"""

from __future__ import annotations

from collections.abc import Iterator

from claims.claim import Ablation, Claim, Finding, ProofError, Reading, Refutation
from claims.gradient import check_limit
from claims.models import (
    ON_POLICY_BOX,
    TWO_CLASSES,
    UNCOVERED,
    signed_lambda_models,
    two_absorbing_states,
    undiscounted_models,
)
from claims.mspbe_gradient import HALF_DESCENT
from theory.check import identities, identities_algebra
from theory.check.evidence import fixed_point_certificate
from theory.check.hypotheses import A_NONSINGULAR, COVERAGE, DISCOUNTED, LAMBDAS, UNIQUE_LAW
from theory.check.mean_dynamics import MeanDynamics, gradient_dynamics
from theory.check.paths import on_each_class, some_theta, together
from theory.check.relations import Expression, Path, Relation, decide_relations
from theory.check.views import BACKWARD
from theory.model.key_matrices import theorem_matrices
from theory.model.mdp import Model
from theory.verdict import Grade, Scope, ScopedEvidence, Status, Verdict


def prove() -> tuple[ScopedEvidence, ...]:
    """h̄ along the fast equilibrium, and the form of AᵀC⁻¹A, on symbols."""
    splits, forms = (1, 2, 3), (1, 2)
    if not all(identities_algebra.tdc_split_identity(d) for d in splits):
        raise ProofError("h̄(θ, λ(θ)) is not −AᵀC⁻¹(Aθ + b)")
    if not all(identities.tdc_form_identity(d) for d in forms):
        raise ProofError("xᵀAᵀC⁻¹Ax is not (Ax)ᵀC⁻¹(Ax)")
    return (
        ScopedEvidence(
            Scope.SIZES, Grade.PROVED, len(splits) + len(forms),
            "(C3), (C5): λ(θ) = C⁻¹(Aθ + b) is linear, and stable as C > 0; (C4), (C6): u − (Aᵀ + C)C⁻¹u = −AᵀC⁻¹u and "
            "xᵀAᵀC⁻¹Ax = (Ax)ᵀC⁻¹(Ax) > 0 for Ax ≠ 0, free A, u and symmetric C at d = 1, 2 (the first also at d = 3)",
        ),
    )  # fmt: skip


def along_equilibrium(u: Expression) -> Relation:
    """u − (Aᵀ + C)C⁻¹u = −AᵀC⁻¹u, for u = Aθ + b or Aθ."""
    fast = ("solve", "C", u)
    return ("-", u, ("@", ("+", ("T", "A"), "C"), fast)), "=", ("-", ("@", ("T", "A"), fast))


def check(model: Model) -> Verdict:
    """The limit and its stability with one law (as Theorem 4.6), and h̄, h̄_∞ along the fast equilibrium."""

    def decide(states: tuple[int, ...]) -> Verdict:
        relations = [along_equilibrium(BACKWARD), along_equilibrium(("@", "A", "theta"))]
        relations.append((along_equilibrium(BACKWARD)[0], "=", HALF_DESCENT))
        return decide_relations(model, relations, states=states, theta=some_theta(model.d))

    def parts() -> Iterator[Verdict]:
        yield check_limit(model, lambda m, states: gradient_dynamics(m, states)[1])
        yield on_each_class(decide, model)

    return together(parts(), "(C3)–(C6) with one law; (C1) holds as (B1), (C2) is Assumptions 1 and 5")


def judge_stated() -> Refutation:
    """Two absorbing states, φ = 1, γ = ½, rewards 1 and 0, ν the law of the first: from the second, θ = w = 0 never
    moves."""
    model = two_absorbing_states()
    first, second = model.behaviour_chain.recurrent_classes
    keys = theorem_matrices(model, first)
    _, tdc = gradient_dynamics(model, first)  # (C3)–(C6) with ν = (1, 0): C > 0 and A nonsingular
    (s,) = second
    # θ = w = 0 in the second state: δ = 0, so both updates vanish, for ever.
    still = decide_relations(model, [(("on", Path((s, s), (0,)), "delta:0"), "=", "0")], theta=[0])
    moved = keys.theta_star[0, 0]
    if (
        tdc.mean_dynamics is not MeanDynamics.STABLE
        or tdc.certificate is None
        or still.status is not Status.HOLDS
        or moved == 0
    ):
        return Refutation(Verdict(Status.UNDECIDED, detail="the witness does not refute it"), model)
    fixed = fixed_point_certificate(keys, first, "target", keys.theta_star)
    assert fixed is not None
    witness = {"ν": ["1", "0"], "θ*": str(moved), "start": "second state, θ = w = 0", "θ_t, w_t": ["0", "0"]}
    detail = "(C1)–(C6) hold with ν the law of the first state; started in the second, θ_t = 0 for all t, not θ* = 2"
    certificates = (*still.certificates, tdc.certificate, fixed)
    return Refutation(Verdict(Status.REFUTED, Grade.CERTIFIED, detail, witness, certificates=certificates), model)


CLAIM = Claim(
    id="thm_4_5_conditions",
    stated=Reading(
        r"Under (C1)–(C6), $(\theta_t, w_t) \to (\theta^*, \lambda(\theta^*))$ almost surely; and "
        r"TDC($\lambda$)-schedule satisfies (C1)–(C6)."
    ),
    corrected=Reading(
        r"If $X_t$ is a finite chain with one stationary law, $\mu$ covers $\pi$ and $A$ is nonsingular, "
        r"TDC($\lambda$)-schedule satisfies (C1)–(C6), with $\lambda(\theta) = C^{-1}(A\theta + b)$ and $\theta^* = "
        r"-A^{-1} b$. That they suffice is cited theory, for steps that are non-increasing or of summable variation.",
        added_hypotheses=(
            "one stationary law of X_t",
            "A nonsingular",
            "coverage",
            "step sizes non-increasing, or of summable variation",
        ),
    ),
    correction=Finding.FALSE,
    judge_stated=judge_stated,
    hypotheses=(UNIQUE_LAW, COVERAGE, A_NONSINGULAR),
    anchors=(r"Under (C1)-(C6), the recursions", r"we need to verify that conditions (C1)-(C6) hold"),
    check=check,
    prove=prove,
    ablations=(
        Ablation(A_NONSINGULAR, box=ON_POLICY_BOX),
        Ablation(UNIQUE_LAW, box=TWO_CLASSES),
        Ablation(COVERAGE, box=UNCOVERED, note="the algorithm then has another rest point"),
        Ablation(DISCOUNTED, supports=undiscounted_models, note="A nonsingular is enough"),
        Ablation(LAMBDAS, supports=signed_lambda_models, note="A nonsingular is enough"),
    ),
    notes=(
        "The proof takes A negative definite from Proposition 4.1, which is not available off-policy; A nonsingular is "
        "all that (C4) and (C6) need.",
    ),
    rests_on=("mspbe_gradient", "thm_4_2", "window_chain"),
)
