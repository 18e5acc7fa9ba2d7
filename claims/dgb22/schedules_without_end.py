r"""TD(λ)-schedule on-policy converges for every λ_j ∈ [0,1], with or without an end: TD(λ) and Monte Carlo too.

Place: beyond the paper; §2 takes λ_j = λ and λ_j = 1 for every j as special cases, the theorems of §4 ask for λ_j = 0
for j > L.
Statement: under Assumptions 1 to 3 and γ < 1, on-policy, θ_t → −A⁻¹b almost surely for any λ_j ∈ [0,1], with A =
ΦᵀDS(γP − I)Φ, b = ΦᵀDSr, S = Σ_{k≥0} c_k(γP)ᵏ. Machine-checked for every size, with the whole trace (Coq). Off-policy,
and with discounts that depend on the transition, it is proved where |λ_jγρ| ≤ β < 1 on every transition and A has a
Lyapunov matrix.
Hypotheses: those of thm_4_3.
Model: any; λ_j = λ without end where the schedule has no end.
Check: as in thm_4_3; where discounts depend on the transition, λγ < 1 on every transition of an endless schedule.
Closed form: λ_j = λ: S = (I − λγP)⁻¹. Monte Carlo: A = −C, and Φθ* is the projection of V = (I − γP)⁻¹r.
"""

from collections.abc import Sequence

from tdcert.claims import kit, models
from tdcert.claims.dgb22 import thm_4_3
from tdcert.claims.kit import HALF, Fraction, Model, RationalMatrix, Schedule, Status, Verdict, one_state, undecided
from tdcert.theory.check.hypotheses import FINITE_SCHEDULE
from tdcert.theory.identities import forms_and_norms


def prove() -> kit.Proof:
    """The Lyapunov function of the mean dynamics; the convergence itself is proved in Coq."""
    return kit.proved(
        "mean dynamics: dV/dt = (Aθ + b)ᵀ sym(A)(Aθ + b) for symbolic A, b at d = 1, 2, 3",
        kit.shown(forms_and_norms.gradient_lyapunov_identity, at=(1, 2, 3)),
    )


def fades(model: Model) -> bool:
    """Whether the proof covers the trace: one γ < 1, a schedule with an end, or λγ < 1 on every transition taken."""
    if model.schedule.is_finite or (model.gamma is not None and model.gamma < 1):
        return True
    lam = abs(model.schedule.tail)
    tables = zip(model.transitions, model.discounts, model.behaviour.T.rows, strict=True)
    return all(
        lam * abs(discount[s, 0] if discount.shape[1] == 1 else discount[s, j]) < 1
        for P, discount, chosen in tables
        for s in range(model.n)
        for j in range(model.n)
        if chosen[s] != 0 and P[s, j] != 0
    )


def check(model: Model) -> Verdict:
    """Theorem 4.3's check, on traces that fade."""
    found = thm_4_3.check(model)
    if found.status is Status.HOLDS and not fades(model):
        return undecided("λ = 1 without end, and transitions without a discount: not covered")
    return found


def endless() -> Sequence[Model]:
    """Aperiodic chains with endless schedules: TD(λ), Monte Carlo, and discounts that depend on the transition."""
    Phi = RationalMatrix([[1], [2]])
    return (
        one_state(HALF, Schedule.constant(HALF)),
        kit.fair_coin_chain(HALF, Schedule.constant(Fraction(1))).with_features(Phi),
        models.varying_discount_models()[0].with_schedule(Schedule.constant(Fraction(1))),
    )


CLAIM = kit.Claim(
    id="schedules_without_end",
    stated=kit.Reading(
        r"Under Assumptions 1–3, on-policy with $\gamma < 1$, for any $\lambda_j \in [0,1]$, $j = 1, 2, \ldots$, with "
        r"or without an end, $\theta_t \to -A^{-1} b$ almost surely, $A = \Phi^T D S (\gamma P - I) \Phi$, "
        r"$b = \Phi^T D S r$, $S = \sum_{k \geq 0} \lambda_1 \cdots \lambda_k (\gamma P)^k$."
    ),
    anchors=(r"\label{TDLS}",),
    check=check,
    prove=prove,
    formal=True,
    ablations=(*thm_4_3.CLAIM.ablations, kit.Ablation(FINITE_SCHEDULE, supports=endless)),
    notes=(
        "S is any matrix to which the partial sums of the series converge entry by entry.",
        "Not covered: off-policy with γ sup λ max ρ ≥ 1, where the trace need not be bounded.",
        "In Coq also Monte Carlo on a two-state chain with numbers: θ_t → −34/63.",
    ),
    rests_on=("thm_4_3",),
)
