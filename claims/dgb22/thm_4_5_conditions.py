r"""Theorem 4.5: (C1)–(C6) suffice, and hold for TDC(λ)-schedule.

Place: §4, Theorem 4.5 and the proof after it.
Statement: printed, (C1)–(C6) give sup (‖θ_t‖ + ‖w_t‖) < ∞ and (θ_t, w_t) → (θ*, λ(θ*)). False, for the reason for which
Theorem 4.2 is: nothing keeps the steps from following the chain. Two states that alternate, φ = 1, γ = ½, reward 1 on
leaving the first, TDC with steps that are large in the first state and small in the second: (C1)–(C6) hold with the one
law ν = (½, ½), θ* = 1, and θ_t ≥ 7/4 for all t. Corrected, for what is decided here: (C3)–(C6) hold for
TDC(λ)-schedule, each on its own, if A is nonsingular and μ covers π. (C3), (C5) need C > 0, (C4), (C6) A nonsingular.
Hypotheses: one stationary law, coverage, A nonsingular (then C > 0).
Model: any.
Check: one law; C > 0 and A nonsingular; h̄(θ, λ(θ)) = −AᵀC⁻¹(Aθ + b) and h̄_∞(θ) = −AᵀC⁻¹Aθ at one θ; the rest point
−A⁻¹b. All exactly.
Closed form: λ(θ) = C⁻¹(Aθ + b), λ_∞(θ) = C⁻¹Aθ, and (Aθ + b) − (Aᵀ + C)λ(θ) = −AᵀC⁻¹(Aθ + b).
"""

from collections.abc import Iterator
from functools import partial

from tdcert.algorithms.schedules import scheduled
from tdcert.claims import kit
from tdcert.claims.dgb22 import window_chain
from tdcert.claims.dgb22.limit import GRADIENT_ABLATIONS, check_limit
from tdcert.claims.dgb22.mspbe_gradient import HALF_DESCENT
from tdcert.claims.kit import Fraction, Model, Path, Relation, Status, Verdict, along, decide_relations, its, refuted
from tdcert.theory.certificate.bodies import fixed_point_certificate, period_certificate, stationary_certificate
from tdcert.theory.check.hypotheses import FINITE_SCHEDULE
from tdcert.theory.check.mean_dynamics import gradient_dynamics
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.expressions.forward_views import BACKWARD
from tdcert.theory.forms import TDC_DEFINITE
from tdcert.theory.identities import algebra, forms_and_norms, step_noise
from tdcert.theory.model.key_matrices import theorem_matrices

ROUNDS = 30
"""Rounds of two steps that the witness is iterated exactly."""
BOUND = Fraction(1, 4)
"""|θ_t − 2| and |w_t| stay below it."""


def prove() -> kit.Proof:
    """h̄ along the fast equilibrium, and the form of AᵀC⁻¹A, on symbols."""
    return kit.proved(
        "(C3), (C5): λ(θ) = C⁻¹(Aθ + b) is linear, and stable as C > 0; (C4), (C6): u − (Aᵀ + C)C⁻¹u = −AᵀC⁻¹u and "
        "xᵀAᵀC⁻¹Ax = (Ax)ᵀC⁻¹(Ax) > 0 for Ax ≠ 0, free A, u and symmetric C at d = 1, 2 (the first also at d = 3)",
        kit.shown(algebra.tdc_split_identity, at=(1, 2, 3)),
        kit.shown(forms_and_norms.tdc_form_identity, at=(1, 2)),
    )


def along_equilibrium(u: kit.Expression) -> Relation:
    """u − (Aᵀ + C)C⁻¹u = −AᵀC⁻¹u, for u = Aθ + b or Aθ."""
    fast = kit.solution(its.C, u)
    return u - (its.A.T + its.C) @ fast, "=", -(its.A.T @ fast)


def check(model: Model) -> Verdict:
    """The limit and its stability with one law (as Theorem 4.6), and h̄, h̄_∞ along the fast equilibrium."""

    def decide(states: kit.States) -> Verdict:
        relations = [along_equilibrium(BACKWARD), along_equilibrium(its.A @ its.theta)]
        relations.append((along_equilibrium(BACKWARD)[0], "=", HALF_DESCENT))
        return decide_relations(model, relations, states=states, theta=kit.some_theta(model.d))

    def parts() -> Iterator[Verdict]:
        yield check_limit(model, lambda m, states: gradient_dynamics(m, states)[1])
        yield kit.on_each_class(decide, model)
        if model.schedule.length is None:  # then there is no window X_t
            yield window_chain.check(model)

    return kit.together(parts(), "(C3)–(C6) with the one law")


def slow_and_fast(t: int) -> tuple[Fraction, Fraction]:
    """α_t and β_t of the witness: 1/t and 1/⌈t^(2/3)⌉ for even t, spent in the first state; 1/t³ and 1/t² for odd t."""
    if t % 2:
        return Fraction(1, t**3), Fraction(1, t**2)
    root = next(m for m in range(1, t + 1) if m**3 >= t**2)
    return Fraction(1, t), Fraction(1, root)


def witness_path(theta: Fraction, w: Fraction, rounds: int) -> list[tuple[Fraction, Fraction]]:
    """(θ, w) at the times 2, 3, … of the witness, exactly: TDC with φ = 1, γ = ½, rewards 1 and 0 in turn."""
    path = [(theta, w)]
    for t in range(2, 2 + 2 * rounds):
        alpha, beta = slow_and_fast(t)
        delta = (1 - t % 2) - theta / 2
        theta, w = theta + alpha * (delta - w / 2), w + beta * (delta - w)
        path.append((theta, w))
    return path


def judge_stated() -> kit.Refutation:
    """The flip chain with steps that follow it: from θ = 2, w = 0 both stay within ¼ of it, and θ* = 1."""
    model = kit.flip_chain()
    (states,) = model.behaviour_chain.recurrent_classes
    keys = theorem_matrices(model, states)
    _, tdc = gradient_dynamics(model, states)  # (C3)–(C6): C > 0 and A nonsingular
    bounds = (
        partial(step_noise.tdc_flip_update, scheduled("tdc")),
        step_noise.maximum_does_not_grow,
        step_noise.odd_steps_are_small,
    )
    # One round at θ = 2, w = 0, as the checker sees it: δ = 0 in the first state, −1 in the second.
    first, second = (along(Path(path, (0,)), its.delta(0)) for path in ((0, 1), (1, 0)))
    steps = decide_relations(model, [(first, "=", "0"), (second, "=", "-1")], theta=[2])
    path = witness_path(Fraction(2), Fraction(0), ROUNDS)
    stays = all(max(abs(2 - theta), abs(w)) < BOUND for theta, w in path)
    target = keys.theta_star[0, 0]
    fixed = fixed_point_certificate(keys, states, "target", keys.theta_star)
    if (
        not all(bound() for bound in bounds)
        or not stays
        or steps.status is not Status.HOLDS
        or tdc.mean_dynamics is not MeanDynamics.STABLE
        or tdc.certificate is None
        or fixed is None
        or target >= 2 - BOUND
    ):
        return kit.Refutation(kit.undecided("the bounds of the witness fail"), model)
    chain = model.behaviour_chain
    certificates = (
        *steps.certificates,
        tdc.certificate,
        fixed,
        stationary_certificate(chain, states),
        period_certificate(chain, states),
    )
    witness = {
        "α_t": "1/t for even t, 1/t³ for odd t, from t = 2 on",
        "β_t": "1/⌈t^(2/3)⌉ for even t, 1/t² for odd t",
        "ν": ["1/2", "1/2"],
        "start": "first state, θ = 2, w = 0",
        "θ_2, θ_3, θ_4": [str(theta) for theta, _ in path[:3]],
        "w_2, w_3, w_4": [str(w) for _, w in path[:3]],
        "θ_t for all t": "at least 7/4",
        "θ*": str(target),
    }
    detail = (
        "(C1)–(C6) hold with the one law ν (Σα = Σβ = ∞, Σα² + Σβ² < ∞, α/β → 0, C = 1, A = −½), and θ_t ≥ 7/4 for all "
        "t while θ* = 1: max(|2 − θ|, |w|) never grows in the first state, and by at most Σ 1/t² < ¼ in the second"
    )
    return kit.Refutation(refuted(detail, witness, by=certificates), model)


CLAIM = kit.Claim(
    id="thm_4_5_conditions",
    stated=kit.Reading(
        r"Under (C1)–(C6), $\sup_t (\|\theta_t\| + \|w_t\|) < \infty$ and $(\theta_t, w_t) \to (\theta^*, "
        r"\lambda(\theta^*))$ almost surely; and TDC($\lambda$)-schedule satisfies (C1)–(C6).",
        quote=(
            r"(a) $\sup_{n} (||\theta_n|| + ||w_n||)<\infty$ and (b) $(\theta_n,w_n) \rightarrow (\theta^*, "
            r"\lambda(\theta^*))$ almost surely"
        ),
        place="§4, Theorem 4.5, under (C1) to (C6)",
    ),
    corrected=kit.Reading(
        r"If $A$ is nonsingular and $\mu$ covers $\pi$, (C3)–(C6) hold for TDC($\lambda$)-schedule with the one law "
        r"of $X_t$, with $\lambda_\infty(\theta) = C^{-1} A \theta$, $\lambda(\theta) = C^{-1}(A\theta + b)$ and "
        r"$\theta^* = -A^{-1} b$.",
        added_hypotheses=("A nonsingular", "coverage"),
    ),
    correction=kit.Finding.FALSE,
    judge_stated=judge_stated,
    decides="conditions (C1)–(C6)",
    anchors=(r"Under (C1)-(C6), the recursions", r"we need to verify that conditions (C1)-(C6) hold"),
    form=TDC_DEFINITE,
    form_is_part=True,
    check=check,
    prove=prove,
    ablations=(
        *GRADIENT_ABLATIONS,
        kit.Ablation(FINITE_SCHEDULE, box=window_chain.ENDLESS, note="without an end X_t is not a finite window"),
    ),
    notes=(
        "The proof takes A negative definite from Proposition 4.1, which is not available off-policy; A nonsingular is "
        "all that (C4) and (C6) need.",
        "(C1) asks nothing of TDC(λ)-schedule, whose h and g are affine in (θ, w) for each X, and (C2) is Assumptions "
        "1 and 5.",
        "For TDC(λ)-schedule the conclusion is proved, with A nonsingular, coverage and a limit law (Theorem 4.6, "
        "corrected). For other h and g, whether (C1)–(C6) suffice once the steps are also of summable variation is not "
        "decided here: Theorem 4.5 allows maps that are not linear, and the proofs are about linear recursions.",
    ),
    rests_on=("mspbe_gradient", "thm_4_2", "window_chain"),
)
