"""What Theorems 4.3, 4.4 and 4.6 share: instance checks of the limit, and what a singular A or a period does to them.

Steps that follow the clock of a periodic chain satisfy Assumption 1 and may lead elsewhere. Let the chain have the
period p and let α_t = 1/t where s_t is in the phase S_j, 1/t² elsewhere, θ* = −A⁻¹b, and let m_j = E[δ_t z_t | s_t ∈
S_j] at θ*. If m_j ≠ 0, then almost surely θ_t does not converge to θ*: along S_j the chain watched every p steps has a
limit law, so Σ (1/t)(δ_t z_t − m_j) at θ* converges over these t; Σ 1/t² converges over the others; if θ_t → θ*, the
terms differ from those at θ* by o(1), and θ_T − θ_0 = Σ α_tδ_tz_t grows as m_j log T: a contradiction. The same holds
for w_t → 0 of GTD and TDC, whose w moves by β_t(δ_tz_t − φ_tφ_tᵀw_t). For TD on the
flip chain this is proved in Coq (``step_ablations.v``).

A schedule without an end has no bounded trace off-policy. Let a transition s → s, of one action, have the probability p
and q = γλρ, with features that are not negative and φ(s) ≠ 0. A run of m such transitions makes |z_t| at least a
positive multiple of q^m. Of the disjoint stretches of log_{1/p} T steps up to 2T, about T/log T begin in s, and each is
such a run with probability about 1/T, independently: the sum over T = 2^k diverges, so runs as long as log_{1/p} t end
at infinitely many t, almost surely. If q² > 1/p, steps t^(−e) with ½ < e < log q/log(1/p) are square summable, and
α_tz_t is unbounded there. If δ ≠ 0 on that transition at −A⁻¹b, the moves α_tδ_tz_t cannot go to zero, as they would if
θ_t → −A⁻¹b and, for GTD and TDC, w_t → 0.
"""

from collections.abc import Callable
from dataclasses import replace

from tdcert.claims import kit, models
from tdcert.claims.kit import LAMBDAS, Expression, Fraction, Grade, Model, Status, Verdict, along, decide_relations, its
from tdcert.theory.certificate import bodies
from tdcert.theory.check.convergence import convergence_certificate
from tdcert.theory.check.hypotheses import FINITE_SCHEDULE, UNIQUE_LAW
from tdcert.theory.check.mean_dynamics import td_dynamics
from tdcert.theory.check.mean_matrix import Dynamics, MeanDynamics
from tdcert.theory.expressions.forward_views import summable
from tdcert.theory.model.key_matrices import behaviour_matrices, theorem_matrices

GRADIENT_ABLATIONS = (
    kit.Ablation(UNIQUE_LAW, box=models.TWO_CLASSES),
    kit.Ablation(kit.COVERAGE, box=models.UNCOVERED, note="the algorithm then has another rest point"),
    kit.Ablation(kit.A_NONSINGULAR, box=models.ON_POLICY_BOX),
    kit.Ablation(kit.DISCOUNTED, supports=models.undiscounted_models, note="A nonsingular is enough"),
    kit.Ablation(LAMBDAS, supports=models.signed_lambda_models, note="A nonsingular is enough"),
)
"""What GTD and TDC need in the mean, and what they do not: the same in Theorems 4.4, 4.5 and 4.6."""
NEEDS_LIMIT_LAW = kit.Ablation(
    kit.APERIODIC,
    counterexample=kit.flip_chain,
    note="for arbitrary steps; not for steps of summable variation (non-increasing ones, say)",
)
"""What almost-sure convergence needs beyond that: with a period, steps may follow the clock."""


def long_runs_model() -> Model:
    """θ→2θ at γ = ¾ and λ = 1: from the second state to itself p = ½ and q = 3/2, so p q² = 9/8."""
    return kit.theta_to_two_theta(Fraction(3, 4), kit.Schedule.constant(Fraction(1)), (1, 0))


CONVERGENCE_ABLATIONS = (
    NEEDS_LIMIT_LAW,
    kit.Ablation(FINITE_SCHEDULE, counterexample=long_runs_model, note="off-policy the trace may then be unbounded"),
    *GRADIENT_ABLATIONS[:-1],
    kit.Ablation(LAMBDAS, supports=lambda: models.signed_lambda_models()[:1], note="A nonsingular is enough"),
)
"""What Theorems 4.4 and 4.6 need, and what they do not; each model violates its hypothesis alone."""


def check_limit(model: Model, dynamics: Callable[[Model, tuple[int, ...]], Dynamics[Fraction]]) -> Verdict:
    """The algorithm's mean dynamics has the theorem's θ* = −A⁻¹b as its globally stable point, the same on every class.

    A and b are the theorem's (target kernel); stability and rest point are those of what the algorithm meets
    (covered kernel).
    """
    limits: list[kit.RationalMatrix] = []
    certificates: list[kit.Certificate] = []
    for states in model.behaviour_chain.recurrent_classes:
        keys = theorem_matrices(model, states)
        found = dynamics(model, states)
        kept = (found.certificate,) if found.certificate is not None else ()
        try:
            theta = keys.theta_star
        except kit.SingularMatrixError:
            if found.mean_dynamics is MeanDynamics.UNDECIDED:
                return Verdict(Status.UNDECIDED, detail=found.reason)
            return refute_limit(model, states)
        if found.mean_dynamics is MeanDynamics.UNDECIDED:
            return Verdict(Status.UNDECIDED, detail=found.reason)
        if found.mean_dynamics is not MeanDynamics.STABLE:
            rate = ["unknown"] if found.rate is None else [str(end) for end in found.rate]
            witness = {"matrix": found.matrix, "rate": rate}
            return Verdict(Status.REFUTED, Grade.CERTIFIED, found.reason, witness, certificates=kept)
        met = behaviour_matrices(model, states)
        fixed = bodies.fixed_point_certificate(keys, states, "target", theta)
        if not (met.A @ theta + met.b).is_zero():
            point = met.theta_star
            witness = {"theta_star": bodies.strings(theta), "rest point": bodies.strings(point)}
            both = (fixed, bodies.fixed_point_certificate(met, states, "covered", point))
            return Verdict(
                Status.REFUTED,
                Grade.CERTIFIED,
                "the mean dynamics under μ rests elsewhere",
                witness,
                certificates=tuple(c for c in both if c is not None),
            )
        certificates += [
            c for c in (*kept, fixed, bodies.stationary_certificate(model.behaviour_chain, states)) if c is not None
        ]
        limits.append(theta)
        if theta != limits[0]:
            witness = {"first class": bodies.strings(limits[0]), "other class": bodies.strings(theta)}
            return Verdict(
                Status.REFUTED,
                Grade.CERTIFIED,
                "the limit depends on the class that is entered",
                witness,
                certificates=tuple(certificates),
            )
    return Verdict(
        Status.HOLDS, Grade.CERTIFIED, "the mean dynamics is stable at −A⁻¹b", certificates=tuple(certificates)
    )


def refute_limit(model: Model, states: kit.States) -> Verdict:
    """A is singular: there is no −A⁻¹b."""
    keys = theorem_matrices(model, states)
    shown = bodies.singular_certificate(keys, states, "target")
    witness = {"A": keys.A.to_strings(), "b": bodies.strings(keys.b)} if model.d <= 3 else {}
    witness["x"] = shown.witness["vector"]
    return Verdict(
        Status.REFUTED,
        Grade.CERTIFIED,
        "A is singular: −A⁻¹b does not exist",
        witness,
        certificates=(shown,),
        undefined="−A⁻¹b",
    )


def check_convergence(
    model: Model,
    dynamics: Callable[[Model, tuple[int, ...]], Dynamics[Fraction]],
    algorithm: str,
    steps: str = "Assumption 1",
) -> Verdict:
    """Almost-sure convergence to −A⁻¹b for all deterministic steps that the assumptions named by ``steps`` allow.

    On an aperiodic chain that is :func:`check_limit` (machine-checked for every size, for the starts of
    :func:`starts`). A periodic chain is refuted
    where steps that follow its clock lead elsewhere (see the module), and undecided where that is not shown. So is a
    schedule without an end, but for TD on-policy (schedules_without_end, machine-checked too).
    """
    found = check_limit(model, dynamics)
    chain = model.behaviour_chain
    if found.status is not Status.HOLDS:
        return found
    for states in chain.recurrent_classes:
        if chain.period(states).period > 1:
            return _against_the_clock(model, states)
    if model.schedule.length is None and not (dynamics is td_dynamics and model.is_on_policy_when_recurrent):
        return _in_long_runs(model, chain.recurrent_classes[0])
    detail = f"{found.detail}; the chain is aperiodic, so θ_t → −A⁻¹b almost surely for all steps of {steps}"
    whole = convergence_certificate(model, algorithm)
    certificates = found.certificates if whole is None else (*found.certificates, whole)
    return replace(found, detail=f"{detail}{starts(model)}", certificates=certificates)


def starts(model: Model) -> str:
    """From where the theorem in Coq about schedules without an end speaks: it asks for coverage at every state, those
    about finite schedules at the recurrent ones. Where a transient state lacks it, that theorem speaks of the chain on
    the recurrent states alone.
    """
    if not model.uncovered or model.schedule.is_finite:
        return ""
    state, action = model.uncovered[0]
    return (
        ", from every start in a recurrent class (the theorem asks for coverage at every state, and μ never takes "
        f"'{model.actions[action]}' in the transient state s{state}: for such starts it is not machine-checked)"
    )


def _in_long_runs(model: Model, states: kit.States) -> Verdict:
    """Whether runs of one transition make the moves unbounded under some steps: see the module."""
    undecided = "for a schedule without an end almost-sure convergence under all these steps is not decided"
    if any(x < 0 for s in states for x in model.features.rows[s]):
        return Verdict(Status.UNDECIDED, detail=undecided)
    keys = theorem_matrices(model, states)
    theta = keys.theta_star
    for s in states:
        taken = [a for a, P in enumerate(model.transitions) if model.behaviour[s, a] * P[s, s] > 0]
        if len(taken) != 1 or not any(model.features.rows[s]):
            continue
        path = kit.Path((s, s), (taken[0],))
        p: Expression = kit.entry_of(its.P_mu, s, s)
        q: Expression = along(path, its.lambda_(1) * (its.discount(0) * its.rho(0)))
        relations: list[kit.Relation] = [
            ("1", "<", p * (q * q)),
            (along(path, its.delta(0)), "!=", "0"),
            (its.A @ its.theta + its.b, "=", 0 * its.b),
        ]
        found = decide_relations(model, relations, states=states, theta=theta.column_entries())
        if found.status is Status.HOLDS:
            growth = kit.evaluate(q, kit.Context(model, states))[0, 0]
            probability = model.behaviour_chain.P[s, s]
            witness = {
                "the larger step": f"t^(−e), 1/2 < e < log {growth}/log {1 / probability}",
                "−A⁻¹b": bodies.strings(theta),
                "transition": f"s{s}→s{s}",
                "its probability": str(probability),
                "growth of the trace": str(growth),
            }
            detail = (
                f"in runs of s{s}→s{s} the trace grows by {growth} per step, and with steps that fall slowly the "
                "moves are unbounded, almost surely: there is no convergence to −A⁻¹b"
            )
            return Verdict(Status.REFUTED, Grade.CERTIFIED, detail, witness, certificates=found.certificates)
    return Verdict(Status.UNDECIDED, detail=undecided)


def _against_the_clock(model: Model, states: kit.States) -> Verdict:
    """Whether some phase has E[δz | phase] ≠ 0 at −A⁻¹b."""
    evidence = model.behaviour_chain.period(states)
    keys = theorem_matrices(model, states)
    theta = keys.theta_star
    length = summable(model, states)
    if length is None:
        detail = f"the chain has the period {evidence.period}; steps that follow it were not tried: too many paths"
        return Verdict(Status.UNDECIDED, detail=detail)
    zero: Expression = 0 * its.theta
    for first in range(evidence.period):
        begun = [s for s, phase in zip(states, evidence.phase, strict=True) if phase == first]
        update = its.delta(length) * its.z_rho(length)
        terms = [kit.entry_of(its.d, s) * kit.expected("mu", s, length + 1, update) for s in begun]
        moved: Expression = kit.Expr(("+", *terms)) if len(terms) > 1 else terms[0]
        found = decide_relations(model, [(moved, "!=", zero)], states=states, theta=theta.column_entries())
        if found.status is Status.HOLDS:
            phase = (first + length) % evidence.period
            there = ", ".join(f"s{s}" for s, p in zip(states, evidence.phase, strict=True) if p == phase)
            witness = {
                "α_t": f"1/t where s_t is in {{{there}}}, 1/t² elsewhere",
                "−A⁻¹b": bodies.strings(theta),
                "period": str(evidence.period),
            }
            detail = (
                f"the chain has the period {evidence.period}; with steps that are large in one phase alone the mean "
                "update at −A⁻¹b is not zero, and θ_t does not converge to it"
            )
            fixed = bodies.fixed_point_certificate(keys, states, "target", theta)
            shown = (bodies.period_certificate(model.behaviour_chain, states), *((fixed,) if fixed is not None else ()))
            return Verdict(Status.REFUTED, Grade.CERTIFIED, detail, witness, certificates=(*found.certificates, *shown))
    detail = f"the chain has the period {evidence.period}, and no phase moves −A⁻¹b in the mean: not decided"
    return Verdict(Status.UNDECIDED, detail=detail)


def refute_hurwitz(model: Model, states: kit.States, algorithm: str, detail: str) -> Verdict:
    """Where Ax = 0 and x ≠ 0, the mean matrix of ``gtd``, ``tdc`` has the eigenvalue 0: it is not Hurwitz.

    GTD's [[−ηC, ηA], [−Aᵀ, 0]] takes (w, θ) = (0, x) to zero, TDC's [[A, −(Aᵀ + C)], [ηA, −ηC]] takes (θ, w) = (x, 0)
    to zero. The certificate says so at η = 1; A x = 0 makes it so at every η.
    """
    null = theorem_matrices(model, states).A.null_vector()
    assert null is not None
    zero = 0 * its.theta
    moved = its.A @ its.theta
    rows = {
        "gtd": (moved - its.C @ zero, -(its.A.T @ zero)),
        "tdc": (moved - (its.A.T + its.C) @ zero, moved - its.C @ zero),
    }
    relations: list[kit.Relation] = [(its.theta, "!=", zero), *((row, "=", zero) for row in rows[algorithm])]
    found = decide_relations(model, relations, states=states, theta=null.column_entries())
    assert found.status is Status.HOLDS
    return Verdict(
        Status.REFUTED, Grade.CERTIFIED, detail, {"x": bodies.strings(null)}, certificates=found.certificates
    )
