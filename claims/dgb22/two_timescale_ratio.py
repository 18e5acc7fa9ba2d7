r"""Decides for which step-size ratios TDC is stable.

Place: Assumptions 4 and 5, and A5.2 with its constant steps at a fixed ratio.
Statement: for a fixed η = β/α the joint mean matrix of TDC(λ)-schedule is J(η) = [[A, −(Aᵀ + C)], [ηA, −ηC]]. With A
nonsingular it is Hurwitz for every η > max(0, λ_max(C⁻¹ sym A)), hence on-policy for every η > 0. The stable η form
an open set, a union of finitely many intervals, not always one.
Hypotheses: A nonsingular (then C > 0).
Model: any; each recurrent class on its own.
Check: the critical η are the positive roots of one Hurwitz determinant, a polynomial in η; each interval between them
is decided exactly, and a Lyapunov matrix at its simplest η is kept for the checker.
Closed form: d/dt (|v|² + η|w|²) = 2η wᵀ(A − ηC)w with v = ηθ − w.
"""

from collections.abc import Sequence
from dataclasses import replace

from tdcert.algorithms.schedules import chain_of
from tdcert.claims import kit, models
from tdcert.claims.dgb22.limit import refute_hurwitz
from tdcert.claims.dgb22.simulated_limit import RUNS, SHARE, TIME, summary
from tdcert.claims.kit import COVERAGE, HALF, LAMBDAS, Fraction, Model, Schedule, Verdict, holds, refuted, shown
from tdcert.sims.comparison_frame import Sampling, Target
from tdcert.sims.finite_time_comparison import simulate_against_moments
from tdcert.sims.judge.agreement import ErrorBudget
from tdcert.sims.step_sizes import Constant, StepSizes
from tdcert.sims.trajectories import uniform_start
from tdcert.theory.certificate.bodies import about_matrix, strings
from tdcert.theory.check.definiteness import decide_positive_definite
from tdcert.theory.check.mean_dynamics import gradient_dynamics
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.check.stability import certificate_of, prove_stable, prove_unstable
from tdcert.theory.check.step_size_ratio import RatioInterval, is_stable, stable_intervals
from tdcert.theory.figures import Figure, Series
from tdcert.theory.forms import Form, Hurwitz, Implications, symmetric
from tdcert.theory.identities import propagation as identities
from tdcert.theory.laws.constant_steps import distances_at_constant_steps
from tdcert.theory.limits import POLYNOMIAL_ROWS, RATIO_FEATURES
from tdcert.theory.model.key_matrices import behaviour_matrices, joint_matrix, theorem_matrices

FORM = Implications(
    (
        Form(lambda k, gamma, kappa: k.C - symmetric(k.A), "C − sym A"),
        Hurwitz(lambda k, gamma, kappa: joint_matrix(k.A, k.C, Fraction(1)), "J(1)"),
    )
)
"""What is stated of η = 1."""


def six_state_model() -> Model:
    """Six states, target i ↔ i + 3, d_μ = (1 − 3ε)/3 on states 1–3 and ε = 1/10000 on 4–6, γ = ½: the stable η are no
    interval.
    """
    epsilon = Fraction(1, 10**4)
    law = [(1 - 3 * epsilon) / 3] * 3 + [epsilon] * 3
    Phi = kit.RationalMatrix([[1, 0, 0], [0, 1, 0], [0, 0, 1], [-1, 0, -2], [-1, 3, 0], [2, -1, 3]])
    return models.jumps("six states in pairs", law, (3, 4, 5, 0, 1, 2), Phi, HALF)


def prove() -> kit.Proof:
    """The Lyapunov function for large η, symbolic; the six states on which the stable η are not an interval."""
    keys = theorem_matrices(six_state_model(), tuple(range(6)))
    verdicts = [is_stable(keys.A, keys.C, Fraction(1, q)) for q in (10, 5, 4)]
    kit.require(verdicts == [True, False, True], "the six states do not lose and regain stability")
    return kit.proved(
        "d/dt (|v|² + η|w|²) = 2η wᵀ(A − ηC)w, v = ηθ − w, for free A, symmetric C, η at d = 1, 2, 3: negative "
        "unless w = 0 once ηC > sym A, and w = 0 for good needs Av = 0; on-policy sym A < 0",
        shown(identities.ratio_form_identity, at=(1, 2, 3)),
    )


def simulate(seed: int, budget: ErrorBudget) -> Sequence[kit.Simulated]:
    """θ→2θ at γ = 9/10, where η = 2/25 is critical: constant steps on both sides of it against the exact law."""
    model = kit.theta_to_two_theta(Fraction(9, 10), Schedule(), (1, 0))
    found = []
    for eta, side in ((Fraction(1, 4), "decay"), (Fraction(1, 50), "growth")):
        steps = StepSizes(Constant(0.1), Constant(0.1 * float(eta)))
        agreement = simulate_against_moments(
            Target(model, "tdc", steps, theta0=[1.0]), TIME, Sampling(f"TDC at η = {eta}", RUNS, seed, budget, SHARE)
        )
        what = f"mean and covariance at t = {TIME}, η = {eta} ({side} of the mean)"
        found.append(kit.Simulated(agreement, f"law of TDC's iterates at η = {eta}", summary(agreement, what)))
    return (replace(found[0], figures=(_figure(),)), *found[1:])


def _figure() -> Figure:
    """The mean iterates of the six states at ratios from three neighbouring intervals."""
    model, alpha, interval, count = six_state_model(), 0.003, 1_500, 401
    times = tuple(float(interval * k) for k in range(count))
    series, chain = [], chain_of(model, "tdc", uniform_start(model))
    star = behaviour_matrices(model, model.behaviour_chain.recurrent_classes[0]).theta_star.to_float()[:, 0]
    for eta in (Fraction(1, 4), Fraction(3, 20), Fraction(1, 10)):
        sizes = alpha, alpha * float(eta)
        found = distances_at_constant_steps(chain, sizes, star, interval, count, [1.0] * model.d)
        series.append(Series(f"η = {eta}", times, found))
    caption = (
        f"{model.name}, constant steps α = {alpha}, β = ηα; J(η) is Hurwitz at 1/4 and 1/10, not at 3/20. The mean is "
        "computed as a matrix power, no simulation."
    )
    return Figure(
        "two_timescale_ratio",
        "two_timescale_ratio",
        "TDC loses and regains stability as η grows",
        "t",
        "‖E θ_t − θ*‖",
        tuple(series),
        caption,
        log_y=True,
    )


def check(model: Model) -> Verdict:
    """The intervals of η on every recurrent class; for many features one η above the bound."""
    return kit.on_each_class(lambda states: _check_class(model, states), model, with_law=True)


def _check_class(model: Model, states: kit.States) -> Verdict:
    keys = theorem_matrices(model, states)
    gtd, _ = gradient_dynamics(model, states, "target")
    kept = () if gtd.certificate is None else (gtd.certificate,)
    if gtd.mean_dynamics is not MeanDynamics.STABLE:
        return refute_hurwitz(model, states, "tdc", "A x = 0, so J(η) (x, 0) = 0: no J(η) is Hurwitz")
    sym = keys.A.symmetric_part()

    def above(eta: Fraction) -> bool:
        return decide_positive_definite(keys.C.scaled(eta) - sym).positive

    if model.d > RATIO_FEATURES:
        eta = Fraction(1)
        while not above(eta):
            eta *= 2
        if 2 * model.d > POLYNOMIAL_ROWS:
            return holds(f"ηC > sym A from η = {eta} on", by=kept)
        if not is_stable(keys.A, keys.C, eta):
            return refuted("ηC > sym A, but J(η) is not Hurwitz", {"η": str(eta)}, by=kept)
        at_eta = lyapunov_of_ratio(model, states, eta, stable=True)
        certificates = kept if at_eta is None else (*kept, at_eta)
        found = {"Hurwitz at η": [str(eta)]}
        return holds(f"J(η) is Hurwitz at η = {eta}", found, by=certificates)
    intervals = stable_intervals(keys.A, keys.C)
    for interval in intervals:
        # in an unstable interval no η may have ηC > sym A, not even one just below its right end
        last = interval.sample if interval.right is None else interval.right[0]
        if not interval.stable and (interval.right is None or above(last)):
            shown = {"η": str(interval.sample)}
            return refuted("ηC > sym A, but J(η) is not Hurwitz", shown, by=kept)
    if decide_positive_definite(-sym).positive and [i.stable for i in intervals] != [True]:
        shown = {"critical η": ", ".join(_shown(i.left) for i in intervals[1:])}
        return refuted("A < 0, but some J(η) is not Hurwitz", shown, by=kept)
    stable = [f"({_shown(i.left)}, {'∞' if i.right is None else _shown(i.right)})" for i in intervals if i.stable]
    at_samples = [lyapunov_of_ratio(model, states, i.sample, i.stable) for i in intervals]
    return holds(
        "Hurwitz for η in " + " ∪ ".join(stable),
        _witness(intervals),
        by=[*kept, *(c for c in at_samples if c is not None)],
    )


def lyapunov_of_ratio(model: Model, states: kit.States, eta: Fraction, stable: bool) -> kit.Certificate | None:
    """A Lyapunov matrix that shows J(η) Hurwitz, or unstable; None where none was found, which refutes nothing."""
    keys = theorem_matrices(model, states)
    J = joint_matrix(keys.A, keys.C, eta)
    proof = prove_stable(J) if stable else prove_unstable(J)
    if proof is None:
        return None
    about = about_matrix(states, "target", matrix="TDC joint", eta=str(eta))
    return certificate_of(proof, about, {"stationary": strings(keys.d)})


def _witness(intervals: Sequence[RatioInterval]) -> dict[str, list[str]]:
    """The critical ratios between two rationals each, and one ratio of every interval."""
    return {
        "critical η between": [f"{i.left[0]} and {i.left[1]}" for i in intervals[1:]],
        "Hurwitz at η": [str(i.sample) for i in intervals if i.stable],
        "not Hurwitz at η": [str(i.sample) for i in intervals if not i.stable],
    }


def _shown(end: tuple[Fraction, Fraction]) -> str:
    """An end of an interval to five digits."""
    return f"{float(end[0]):.5g}"


CLAIM = kit.Claim(
    id="two_timescale_ratio",
    stated=kit.Reading(
        r"For a fixed $\eta = \beta / \alpha$ and $A$ nonsingular, TDC's joint mean matrix $\begin{pmatrix} A & -(A^T "
        r"+ C) \\ \eta A & -\eta C \end{pmatrix}$ is Hurwitz for every $\eta > \max(0, \lambda_{\max}(C^{-1} \frac12 "
        r"(A + A^T)))$, on-policy for every $\eta > 0$; the stable $\eta$ form a finite union of open intervals, not "
        "always one."
    ),
    anchors=(r"\label{TDCLambdaScehdule}",),
    form=FORM,
    form_is_part=True,
    check=check,
    prove=prove,
    simulate=simulate,
    ablations=(
        kit.Ablation(kit.A_NONSINGULAR, box=models.ON_POLICY_BOX),
        kit.Ablation(COVERAGE, supports=models.uncovered_models, note="A of the theorem, not what the algorithm meets"),
        kit.Ablation(kit.DISCOUNTED, supports=models.undiscounted_models, note="A nonsingular is enough"),
        kit.Ablation(LAMBDAS, supports=models.signed_lambda_models, note="A nonsingular is enough"),
    ),
    notes=("Six states in pairs, γ = ½, λ = 0: Hurwitz for η = 1/10, not for 1/5, again for 1/4.",),
)
