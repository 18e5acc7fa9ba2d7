r"""Assumption 1 has to be read with deterministic steps: steps that follow the path lead elsewhere.

Place: beyond the paper; Assumption 1 does not say whether α_t may depend on the states seen so far.
Statement: let some state i move θ* = −A⁻¹b in the mean: E[w(s_t)δ_tz_t] ≠ 0 at θ* with w = 2 in i and 1 elsewhere.
Then with α_t = w(s_t)/(t + 1), for which Σα_t = ∞ and Σα_t² < ∞ on every path, θ_t converges to θ* with probability
zero. Machine-checked for one chain (Coq, ``step_ablations.v``): two states, each next state drawn evenly, φ = 1, γ =
½, reward 1 on leaving the first, TD(0): θ_t → 4/3 almost surely from every θ_0, while −A⁻¹b = 1. Argued, not
machine-checked, for other models: at θ* the averages of w(s_t)δ_tz_t tend to E[w(s_t)δ_tz_t] ≠ 0 almost surely
(ergodic theorem; E|z_t| is bounded where the trace has a law), so Σ w(s_t)δ_tz_t/(t + 1) grows as log T; if θ_t → θ*,
the terms differ from these by o(1)|z_t|, whose sum is o(log T), and θ_T − θ_0 is not bounded: a contradiction.
Hypotheses: A nonsingular, and some state moves θ*. Neither an aperiodic chain nor μ = π nor an end of the schedule is
used.
Model: any; one recurrent class with such a state is enough (the chain starts there).
Check: E[w(s_t)δ_tz_t] from its closed form, exactly. Where no state moves θ*, the statement is refuted on one state
(its steps are deterministic, and Theorem 4.3 applies) and undecided on several.
Closed form: E[δ_tz_t; s_t = i] is column i of ΦᵀDS diag(r + NΦθ* − q∘Φθ*), with the covered kernel; the columns sum to
Aθ* + b = 0. On-policy they are zero where Φθ* = V^π.
"""

from collections.abc import Sequence
from dataclasses import replace

from tdcert.claims import kit, models
from tdcert.claims.dgb22.limit import check_limit, refute_limit
from tdcert.claims.kit import HALF, Fraction, Model, Schedule, Status, Verdict, decide_relations, its, undecided
from tdcert.theory.certificate.bodies import fixed_point_certificate, strings
from tdcert.theory.check.hypotheses import FINITE_SCHEDULE, MOVED_REST_POINT, moving_state
from tdcert.theory.check.mean_dynamics import td_dynamics
from tdcert.theory.expressions.forward_views import BACKWARD, MOVES, moved_by
from tdcert.theory.identities import step_noise
from tdcert.theory.model.key_matrices import theorem_matrices


def prove() -> kit.Proof:
    """The mean update of the two-state chain; its limit is proved in Coq."""
    return kit.proved(
        "two equally likely states, φ = 1, γ = ½, reward 1 in the first, TD(0): with steps in the ratio a : b the "
        "mean update is zero at 2a/(a + b), for symbolic a, b: 4/3 for 2 : 1, and −A⁻¹b = 1 for a = b",
        kit.shown(step_noise.weighted_rest_point),
    )


def check(model: Model) -> Verdict:
    """Whether some state moves θ*, exactly."""
    if not 0 <= model.schedule.tail <= 1:
        return undecided("λ outside [0,1] without end: the trace need not have a mean")
    try:
        found = moving_state(model)
    except kit.SingularMatrixError:
        classes = model.behaviour_chain.recurrent_classes
        return refute_limit(model, next(c for c in classes if theorem_matrices(model, c).A.rank < model.d))
    if found is None:
        return _on_one_state(model)
    states, state, feature = found
    keys = theorem_matrices(model, states)
    theta = keys.theta_star
    moved = decide_relations(
        model,
        [(moved_by(state, feature), "!=", "0")],
        states=states,
        kernel="covered",
        theta=theta.column_entries(),
        detail=f"α_t = 2/(t + 1) in state {state + 1} and 1/(t + 1) elsewhere: θ_t does not converge to −A⁻¹b",
    )
    fixed = fixed_point_certificate(keys, states, "target", theta)
    return replace(moved, certificates=(*moved.certificates, *((fixed,) if fixed is not None else ())))


def _on_one_state(model: Model) -> Verdict:
    """No state moves θ*: with one state alone, the steps are deterministic."""
    limit = check_limit(model, td_dynamics)
    if model.n > 1 or limit.status is not Status.HOLDS:
        return undecided("no state moves −A⁻¹b in the mean: these steps show nothing")
    theta = theorem_matrices(model, (0,)).theta_star
    rests = decide_relations(
        model, [(BACKWARD + MOVES, "=", 0 * its.theta)], kernel="covered", theta=theta.column_entries()
    )
    assert rests.status is Status.HOLDS
    return replace(
        rests,
        status=Status.REFUTED,
        detail="one state: steps that follow the path are deterministic, and θ_t → −A⁻¹b by Theorem 4.3",
        witness={"−A⁻¹b": strings(theta)},
        certificates=(*rests.certificates, *limit.certificates),
    )


def two_states() -> Model:
    """Each next state drawn evenly, φ = 1, γ = ½, rewards 1 and 0 on leaving the states, TD(0): −A⁻¹b = 1."""
    return kit.fair_coin_chain(HALF).with_features(kit.RationalMatrix([[1], [1]]))


def facts() -> Sequence[kit.Fact]:
    """Where the steps 2/(t + 1) and 1/(t + 1) lead on the machine-checked chain."""
    model = two_states()
    rest = decide_relations(model, [(moved_by(0, 0), "=", "0")], kernel="covered", theta=[Fraction(4, 3)])
    return (
        kit.Fact(
            "With the first state weighted double, the mean update is zero at 4/3, not at −A⁻¹b = 1.", model, rest
        ),
    )


CLAIM = kit.Claim(
    id="deterministic_steps",
    stated=kit.Reading(
        r"Assumption 1 has to be read with deterministic steps: where some state moves $\theta^* = -A^{-1} b$ in the "
        r"mean, there are $\alpha_t > 0$ that depend on $s_t$, with $\sum_t \alpha_t = \infty$ and $\sum_t \alpha_t^2 "
        r"< \infty$ on every path, for which $\theta_t$ does not converge to $\theta^*$, even for independent states."
    ),
    anchors=(r"\label{TDLS}",),
    check=check,
    prove=prove,
    decides="the mean update with such steps",
    ablations=(
        kit.Ablation(kit.A_NONSINGULAR, box=models.ON_POLICY_BOX),
        kit.Ablation(MOVED_REST_POINT, box=models.ON_POLICY_BOX, note="on one state all steps are deterministic"),
        kit.Ablation(kit.APERIODIC, supports=lambda: (kit.flip_chain(),)),
        kit.Ablation(kit.ON_POLICY, supports=lambda: (kit.theta_to_two_theta(Fraction(9, 10), Schedule(), (1, 0)),)),
        kit.Ablation(FINITE_SCHEDULE, supports=lambda: (two_states().with_schedule(Schedule.constant(HALF)),)),
    ),
    facts=facts,
    notes=(
        "Machine-checked on the two-state chain, with its limit 4/3 "
        "(deterministic_steps_ablation_deterministic_every_path); on other models the criterion is decided exactly, "
        "and that θ_t does not converge is argued by the ergodic theorem.",
        "Deterministic steps with Σα_t = ∞ and Σα_t² < ∞ suffice on an aperiodic chain (thm_4_3).",
    ),
    rests_on=("thm_4_3",),
)
