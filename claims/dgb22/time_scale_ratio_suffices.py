r"""TDC needs two time scales no further than a bound on the ratio of its steps.

Place: beyond the paper; Assumption 5 asks for α_t/β_t → 0.
Statement: θ_t → −A⁻¹b and w_t → 0 almost surely under the hypotheses of Theorem 4.6, with limsup α_t/β_t < ε̄ in place
of α_t/β_t → 0, where ε̄ = 2c/(K₁²/(Bτ) + 2K₂) for some τ > 0 and, with K = C⁻¹A, c|x|² ≤ xᵀCx, B|x|² ≤ xᵀAᵀC⁻¹Ax,
|(KAᵀK − τ(A + C))ᵀx| ≤ K₁|x|, xᵀK(Aᵀ + C)x ≤ K₂|x|². Neither α nor β has to be regular, nor α/β convergent.
Machine-checked for every size (Coq). Some bound is needed: one state, γ = ½, λ_1 = −3 (A = ¼, C = 1): with α_t = 10β_t,
whatever the β_t are, (θ − θ*)² − 18(θ − θ*)w + 104w² never falls.
Hypotheses: those of Theorem 4.6.
Model: any; ε̄ from A and C.
Check: as in thm_4_6; c, B, τ, K₁, K₂ and ε̄, exactly; at a fixed ratio just below ε̄ the joint mean matrix of
two_timescale_ratio has to be Hurwitz.
Closed form: V = |w − K(θ − θ*)|² + τ|θ − θ*|² descends in the mean by αBτ|θ − θ*|² + (2βc − α(K₁²/(Bτ) + 2K₂))|w −
K(θ − θ*)|², to first order.
"""

from collections.abc import Sequence
from dataclasses import replace

from tdcert.algorithms.schedules import chain_of, scheduled
from tdcert.claims import kit
from tdcert.claims.dgb22 import thm_4_6
from tdcert.claims.dgb22.limit import CONVERGENCE_ABLATIONS, NEEDS_LIMIT_LAW
from tdcert.claims.dgb22.simulated_limit import CONVERGENCE_TIMES, RUNS, SHARE, STEPS, TIME, summary
from tdcert.claims.dgb22.two_timescale_ratio import lyapunov_of_ratio
from tdcert.claims.kit import Expression, Fraction, Model, Name, Relation, Schedule, Status, Verdict, its, solution
from tdcert.sims.comparison_frame import Sampling, Target
from tdcert.sims.finite_time_comparison import simulate_against_moments
from tdcert.sims.judge.agreement import ErrorBudget
from tdcert.sims.step_sizes import StepSizes
from tdcert.sims.trajectories import uniform_start
from tdcert.theory.check.step_size_ratio import RatioBound, is_stable, ratio_bound, simplest_between, stable_intervals
from tdcert.theory.figures import Figure, Series
from tdcert.theory.identities import step_noise as identities
from tdcert.theory.laws.moments import convergence_series
from tdcert.theory.limits import POLYNOMIAL_ROWS, RATIO_FEATURES
from tdcert.theory.model.key_matrices import behaviour_matrices, theorem_matrices

TOO_FAST = 10
"""α_t/β_t in the witness."""
FEATURES = 12
"""Up to so many features the numbers of ε̄ go into a certificate."""
LONG = 40
"""Characters of the longest fraction that is shown whole."""
ANY_RATIO = Fraction(1000)
"""The ratio that is tried where every one is enough."""


def prove() -> kit.Proof:
    """The witness for all t; the convergence is proved in Coq."""
    return kit.proved_for_all(
        "one state, γ = ½, λ_1 = −3, A = ¼, C = 1, α_t = 10β_t, x = θ − θ*: V = (x − 9w)² + 23w² grows by (β/2)(x² + "
        "34w²) + β²V(10(x − 5w)/4, (x − 4w)/4) a step, for free x, w, β ≥ 0: no such steps converge, but from x = w = "
        "0",
        kit.shown(identities.fast_ratio_step, at=(scheduled("tdc"),)),
    )


def check(model: Model) -> Verdict:
    """Theorem 4.6's check, ε̄, and the joint mean matrix at a ratio just below it."""
    found = thm_4_6.check(model)
    if found.status is not Status.HOLDS:
        return found
    classes = model.behaviour_chain.recurrent_classes
    if len(classes) > 1:
        return Verdict(Status.UNDECIDED, detail="several recurrent classes: each has an ε̄ of its own")
    return _below_the_bound(model, classes[0], found)


def _below_the_bound(model: Model, states: kit.States, found: Verdict) -> Verdict:
    keys = theorem_matrices(model, states)
    bound = ratio_bound(keys.A, keys.C)
    limit = bound.epsilon
    kept = [*found.certificates]
    if model.d <= FEATURES:
        numbers = kit.decide_relations(model, relations(bound, model.d), states=states)
        if numbers.status is not Status.HOLDS:
            return numbers
        kept += numbers.certificates
    ratio = ANY_RATIO if limit is None else simplest_between(limit * Fraction(9, 10), limit)
    if 2 * model.d <= POLYNOMIAL_ROWS:
        if not is_stable(keys.A, keys.C, 1 / ratio):
            witness = {"ε̄": "∞" if limit is None else str(limit), "α/β": str(ratio)}
            detail = "α/β < ε̄, but the joint mean matrix is not Hurwitz"
            return Verdict(Status.REFUTED, kit.Grade.CERTIFIED, detail, witness, certificates=tuple(kept))
        at_ratio = lyapunov_of_ratio(model, states, 1 / ratio, stable=True)
        kept += [] if at_ratio is None else [at_ratio]
    said = "every ratio is enough" if limit is None else f"limsup α_t/β_t < ε̄ = {float(limit):.4g} is enough"
    numbers_shown = {"c": bound.c, "B": bound.B, "τ": bound.tau, "K₁²": bound.K1_squared, "K₂": bound.K2}
    written = "∞" if limit is None else str(limit)
    witness = {"ε̄": written if limit is None or len(written) <= LONG else f"{float(limit):.6g}, rounded"}
    witness |= {name: f"{float(x):.4g}" for name, x in numbers_shown.items()}
    if model.d <= min(RATIO_FEATURES, 3):
        (*_, last) = stable_intervals(keys.A, keys.C)
        end = "every α/β" if last.left[1] == 0 else f"α/β < {float(1 / last.left[1]):.4g}"
        witness["Hurwitz at a fixed ratio"] = f"{end}" + ("" if last.left[1] == 0 else ", and not at it")
        said += f" (at a fixed ratio the mean dynamics is stable for {end})"
    return replace(found, detail=said, witness=witness, certificates=tuple(kept))


def relations(bound: RatioBound, d: int) -> list[Relation]:
    """What a bound claims of A and C, as the checker evaluates it."""
    one: Expression = solution(its.C, its.C)
    K: Expression = solution(its.C, its.A)
    slow: Expression = its.A.T @ K
    cross: Expression = K @ slow - Name(bound.tau) * (its.A + its.C)
    once: Expression = K @ (its.A.T + its.C)
    S: Expression = Name("1/2") * (once + once.T)
    mean: Expression = Name(Fraction(1, d)) * _trace(S, d)
    spread = _trace(S @ S, d) - Name(d) * (mean * mean)
    above: Expression = Name(bound.K2) - mean
    found: list[Relation] = [
        (Name(bound.c) * _trace(solution(its.C, one), d), "<=", "1"),
        (Name(bound.B) * _trace(solution(slow, one), d), "<=", "1"),
        (_trace(cross @ cross.T, d), "<=", str(bound.K1_squared)),
        ("0", "<=", above),
        (Name(Fraction(d - 1, d)) * spread, "<=", above * above),
    ]
    slope = Name(bound.K1_squared / (bound.B * bound.tau)) + 2 * Name(bound.K2)
    if bound.epsilon is None:
        return [*found, (slope, "<=", "0")]
    return [*found, (Name(bound.epsilon) * slope, "<=", 2 * Name(bound.c))]


def _trace(X: Expression, d: int) -> Expression:
    return kit.total([kit.entry_of(X, k, k) for k in range(d)])


def too_fast() -> Model:
    """One state, γ = ½, λ_1 = −3: A = ¼ and C = 1, so that α/β < 4 is needed in the mean, and ε̄ = 16/5."""
    return kit.one_state(kit.HALF, Schedule((Fraction(-3),)))


def facts() -> Sequence[kit.Fact]:
    """The numbers of the witness: its A and C, and the growth of its joint mean matrix at α = 10β."""
    model = too_fast()
    matrices = kit.decide_relations(model, [(its.A, "=", "1/4"), (its.C, "=", "1")])
    grows = lyapunov_of_ratio(model, (0,), Fraction(1, TOO_FAST), stable=False)
    certificates = matrices.certificates if grows is None else (*matrices.certificates, grows)
    sentence = (
        f"One state with γ = ½ and λ_1 = −3, so A = ¼ and C = 1: with α_t = {TOO_FAST}β_t TDC's joint mean matrix is "
        "unstable; (θ − θ*)² − 18(θ − θ*)w + 104w² never falls, whatever the β_t > 0 are."
    )
    status = Status.UNDECIDED if grows is None else matrices.status
    return (kit.Fact(sentence, model, replace(matrices, status=status, certificates=certificates)),)


def simulate(seed: int, budget: ErrorBudget) -> Sequence[kit.Simulated]:
    """θ→2θ at γ = 9/10 (ε̄ = 625/54, 25/2 at a fixed ratio): α = 10β and α = 50β against the exact law."""
    model = kit.theta_to_two_theta(Fraction(9, 10), Schedule(), (1, 0))
    found = []
    for ratio in (10, 50):
        steps = _steps(ratio)
        sampling = Sampling(f"TDC at α = {ratio}β", RUNS, seed, budget, alpha=SHARE)
        agreement = simulate_against_moments(Target(model, "tdc", steps, theta0=[1.0]), TIME, sampling)
        what = f"mean and covariance at t = {TIME}, α_t = {ratio}β_t"
        found.append(kit.Simulated(agreement, f"law of TDC's iterates at α = {ratio}β", summary(agreement, what)))
    return (replace(found[0], figures=(_figure(model),)), *found[1:])


def _steps(ratio: int) -> StepSizes:
    """α_t as in the other simulations of limits, β_t = α_t/ratio."""
    alpha = STEPS.alpha
    return StepSizes(alpha, lambda t: alpha(t) / ratio)


def _figure(model: Model) -> Figure:
    series, chain = [], chain_of(model, "tdc", uniform_start(model))
    star = behaviour_matrices(model, model.behaviour_chain.recurrent_classes[0]).theta_star.to_float()[:, 0]
    for ratio in (10, 1, 50):
        arrays = _steps(ratio).arrays(CONVERGENCE_TIMES[-1])
        found = convergence_series(chain, arrays, CONVERGENCE_TIMES, star, [1.0])
        points = [(float(t), y) for t, y in zip(found.times, found.distance, strict=True) if 0 < y < 1e6]
        series.append(Series(f"α = {ratio}β", tuple(t for t, _ in points), tuple(y for _, y in points)))
    return Figure(
        "time_scale_ratio_suffices",
        "time_scale_ratio_suffices",
        "TDC without two time scales: a bounded ratio is enough",
        "t",
        "‖E θ_t − θ*‖",
        tuple(series),
        "θ→2θ, γ = 9/10, α_t = 10/(t + 100)^¾: ε̄ = 625/54, and 25/2 is critical at a fixed ratio. The mean is "
        "propagated exactly, no simulation.",
        log_x=True,
        log_y=True,
    )


CLAIM = kit.Claim(
    id="time_scale_ratio_suffices",
    stated=kit.Reading(
        r"If $A$ is nonsingular, $\mu$ covers $\pi$, and the behaviour chain has a limit law $d^\mu$, then $\theta_t$ "
        r"of TDC($\lambda$)-schedule converges almost surely to $-A^{-1} b$, and $w_t$ to zero, for all deterministic "
        r"steps with $\sum \alpha_t = \infty$, $\sum \alpha_t^2 < \infty$, $\sum \beta_t^2 < \infty$ and $\limsup "
        r"\alpha_t / \beta_t < \bar\varepsilon$; with $K = C^{-1} A$, $\bar\varepsilon = 2c / (K_1^2 / (B \tau) + 2 "
        r"K_2)$, where $c |x|^2 \leq x^T C x$, $B |x|^2 \leq x^T A^T K x$, $|(K A^T K - \tau (A + C))^T x| \leq K_1 "
        r"|x|$, $x^T K (A^T + C) x \leq K_2 |x|^2$. Without any bound on the ratio it is false."
    ),
    anchors=(r"\label{TDCLambdaScehdule}",),
    check=check,
    prove=prove,
    formal=True,
    facts=facts,
    simulate=simulate,
    ablations=(replace(NEEDS_LIMIT_LAW, note="for arbitrary steps"), *CONVERGENCE_ABLATIONS[1:]),
    notes=(
        "ε̄ is sufficient, and near necessary on small models: for one feature with A > 0 it is (C/A)·C/(A + C), while "
        "α/β < C/A is what a fixed ratio needs.",
        "At a fixed ratio, convergence for every ratio at which the joint mean matrix is Hurwitz: two_timescale_ratio.",
        "Mahadevan, Chen, Liu and Zhang (ICML 2026, arXiv 2605.31172, its abstract was read) prove almost-sure "
        "convergence of two-time-scale recursions with Markovian noise, TDC with traces among them.",
    ),
    rests_on=("thm_4_6",),
)
