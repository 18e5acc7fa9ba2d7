r"""The covariance of the averaged iterates.

Place: §4, the recursions with Markov noise; averaging is beyond the paper.
Statement: with steps a/(t + t0)^p, ½ < p < 1, √T(θ̄_T − θ*) → N(0, A⁻¹ΣA⁻ᵀ), Σ the long-run covariance of ε_t =
δ_t(θ*)z_t. The θ-block is the same for GTD and TDC at every η (where stable), the w-block is zero. Decided here: Σ
from the Poisson equation, and the blocks; the limit theorem itself is cited.
Hypotheses: one law of the behaviour chain; A (as the algorithm meets it) nonsingular.
Model: any, whatever its windows; in fractions while n(L + 1) is moderate, and where z has second moments.
Check: ε has mean zero at θ*, E[m mᵀ] of the martingale differences equals Σ, the variance of two steps is its mean over
all paths, and J⁻¹NJ⁻ᵀ has the blocks A⁻¹ΣA⁻ᵀ and 0 for GTD and TDC at η = 1/3, 1, 2.
Closed form: H = X(s) + Σ_l p_l φ(s_{−l}) q_l(s), q_l = c_l g + N q_{l+1}, (I − P)X = diag(q_0)Φ; J(A⁻¹ε, 0) is the
noise of (θ, w): (0, ηε) for GTD, (ε, ηε) for TDC.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from tdcert.algorithms.schedules import scheduled
from tdcert.claims import kit, models
from tdcert.claims.dgb22.curves import curve
from tdcert.claims.dgb22.episodic_discount import count_paths
from tdcert.claims.dgb22.simulated_limit import SAMPLES, SHARE, ring_walk, summary
from tdcert.claims.kit import Fraction, Model, RationalMatrix, States, Verdict, decide_relations, its, refuted, shown
from tdcert.sims.comparison_frame import Sampling
from tdcert.sims.judge.agreement import ErrorBudget
from tdcert.sims.kernels import simulate as run_kernel
from tdcert.sims.stationary_comparison import simulate_noise
from tdcert.sims.step_sizes import Polynomial, StepSizes
from tdcert.sims.trajectories import stationary_start
from tdcert.theory.certificate.bodies import fixed_point_certificate, kernel_name, strings
from tdcert.theory.check.hypotheses import A_AS_MET_NONSINGULAR, UNIQUE_LAW
from tdcert.theory.check.trace_law import has_second_moments
from tdcert.theory.figures import Figure
from tdcert.theory.identities import propagation as identities
from tdcert.theory.identities.covariance import sum_ahead_identity
from tdcert.theory.laws import long_run_covariance
from tdcert.theory.model.key_matrices import behaviour_matrices

RATIOS = (Fraction(1, 3), Fraction(1), Fraction(2))
STATES_AND_LAGS = 120
"""Largest n(L + 1) for which Σ is found in fractions, whose digits grow with both (seconds)."""
ENCLOSED = 4_100
"""Largest n(L + 1) for which Σ is enclosed in balls (seconds)."""
SQUARED = 60
"""Largest n(L + 1) for which E[m mᵀ], quadratic in L, is compared with it."""
PATHS = 200
"""Most paths that are walked for one mean."""
LAGS = 4
"""Lags whose autocovariances are simulated."""
AVERAGED, AVERAGED_RUNS = 10_000, 300
"""Length and number of the averaged runs that are drawn."""


def prove() -> kit.Proof:
    """The blocks, symbolic; and Σ = E[m mᵀ] for a chain of two states."""
    cases = [(length, steps) for length in range(3) for steps in (1, 2, 3)]
    return kit.proved(
        "J(A⁻¹ε, 0) = (0, ηε) for GTD and (ε, ηε) for TDC, free A, C, ε, η at d = 1, 2; E[ε²] + 2E[εH'] = E[(ε + "
        "H' − H)²] for two windows with free law, weights, ε and H subject to the Poisson equation; H_T(x) − E "
        "H_{T−1}(x') = E[ε | x] for free P, N, g, φ, λ and window, L = 0, 1, 2, T = 1, 2, 3",
        shown(identities.same_theta_block_identity, at=(1, 2)),
        shown(identities.poisson_identity),
        shown(sum_ahead_identity, at=cases),
    )


def check(model: Model) -> Verdict:
    """One rest point; its long-run covariance; the blocks."""
    kernel = kernel_name(model)
    limits: list[RationalMatrix] = []
    rests: list[kit.Certificate | None] = []

    def decide(states: States) -> Verdict:
        keys = behaviour_matrices(model, states)
        try:
            limits.append(keys.theta_star)
        except kit.SingularMatrixError:
            return kit.refuted_where_singular(keys, states, kernel)
        rests.append(fixed_point_certificate(keys, states, kernel, limits[-1]))
        if limits[-1] != limits[0]:
            others = {"first class": strings(limits[0]), "other class": strings(limits[-1])}
            return refuted("each class has a θ* of its own: no one limit", others, by=rests)
        found = _covariances(model, states)
        return replace(found, certificates=(*found.certificates, *(c for c in rests[-1:] if c is not None)))

    return kit.on_each_class(decide, model, with_law=True)


def walked_model(on_policy: bool) -> Model:
    """A ring of four states that is walked slowly, so that ε remembers."""
    return ring_walk("ring of four", 4, 2, kit.Schedule.equal_weights(1, 3), on_policy=on_policy, gamma=Fraction(3, 4))


def simulate(seed: int, budget: ErrorBudget) -> Sequence[kit.Simulated]:
    """The autocovariances of ε at θ*, of which Σ is the sum, on- and off-policy; and averaged iterates, drawn."""
    found = []
    for model, where in ((walked_model(True), "on-policy"), (walked_model(False), "off-policy")):
        states = tuple(range(model.n))
        agreement = simulate_noise(model, states, LAGS, Sampling(f"ε at θ*, {where}", SAMPLES, seed, budget, SHARE))
        what = summary(agreement, f"E ε and E ε_0 ε_kᵀ, k ≤ {LAGS}, {where}")
        found.append(kit.Simulated(agreement, f"autocovariances of ε, {where}", what))
    return (replace(found[0], figures=(averaged_figure(walked_model(True), seed),)), *found[1:])


def averaged_figure(model: Model, seed: int) -> Figure:
    """E ‖θ̄_T − θ*‖² over runs beside tr(A⁻¹ΣA⁻ᵀ)/T: the limit is asymptotic, so nothing is decided by it."""
    states = tuple(range(model.n))
    keys = behaviour_matrices(model, states)
    limit = (
        long_run_covariance.averaged_covariance(keys.A, long_run_covariance.ExactNoise(model, states).long_run())
        .to_float()
        .trace()
    )
    rest = long_run_covariance.at_rest(model, keys.theta_star)  # iterates minus θ*
    steps = StepSizes(Polynomial(0.3, 10.0, 0.55))
    times = range(1, AVERAGED + 1)
    out = run_kernel(
        rest,
        "td",
        steps,
        times,
        AVERAGED_RUNS,
        seed,
        "averaged iterates",
        start=stationary_start(rest),
        theta0=[2.0] * model.d,
    )
    averages = np.cumsum(out.thetas, axis=1) / np.array(times)[:, None]
    squares = (averages**2).sum(axis=2).mean(axis=0)
    shown = [round(10 ** (k / 8)) for k in range(8, 33)]
    seen = curve(f"E ‖θ̄_T − θ*‖² over {AVERAGED_RUNS} runs", shown, [squares[t - 1] for t in shown])
    line = curve("tr(A⁻¹ΣA⁻ᵀ)/T", shown, [limit / t for t in shown])
    caption = (
        f"{model.name}, EqualWeights(1, 3), TD with steps 0.3/(t + 10)^{{0.55}} from θ* + (2, 2): "
        "simulated averages beside the exact limit. The limit theorem says nothing about a finite T: drawn, not judged."
    )
    return Figure(
        "averaged_iterates",
        "clt_covariance",
        "Averaged iterates spread as the limit says",
        "T",
        "mean square",
        (seen, line),
        caption,
        log_x=True,
        log_y=True,
    )


def _covariances(model: Model, states: States) -> Verdict:
    """Σ, its blocks and A⁻¹ΣA⁻ᵀ on one class."""
    keys = behaviour_matrices(model, states)
    noise, detail = long_run_covariance.ExactNoise(model, states), "the blocks, for Σ = I in the place of Σ"
    S, witness = keys.C.identity(model.d), {}
    certificates: tuple[kit.Certificate, ...] = ()
    size = model.n * (len(model.schedule.lambdas) + 1)
    in_fractions = size <= STATES_AND_LAGS and has_second_moments(model, states)
    if in_fractions:
        S, detail = noise.long_run(), "Σ from the Poisson equation through P, and the blocks"
        if not noise.mean.is_zero():
            return refuted("ε has a mean at θ*", {"mean": strings(noise.mean)})
        martingale = noise.martingale() if size <= SQUARED else S
        if martingale != S:
            both = {"Σ": str(S.to_strings()), "E mmᵀ": str(martingale.to_strings())}
            return refuted("Σ is not the covariance of martingale differences", both)
        walked = _two_steps(model, states, noise)
        if walked is not None:
            if walked.status is not kit.Status.HOLDS:
                return walked
            certificates, detail = walked.certificates, f"{detail}; two steps over all paths"
    limit, zero = long_run_covariance.averaged_covariance(keys.A, S), RationalMatrix.zeros(model.d, model.d)
    for algorithm, eta in product(map(scheduled, ("gtd", "tdc")), RATIOS):
        joint = limit.block(right=zero, below=zero, corner=zero)
        if not long_run_covariance.is_averaged_covariance(
            joint, algorithm.mean(keys.A, keys.C, eta), algorithm.noise(S, eta)
        ):
            return refuted("the joint covariance has other blocks", {"algorithm": algorithm.name, "η": str(eta)})
    if in_fractions:
        witness = {"A⁻¹ΣA⁻ᵀ": str(limit.to_strings()).replace("'", "")}
    elif size <= ENCLOSED and has_second_moments(model, states):
        # too many digits for fractions: numbers with their error bounds, on which no verdict rests
        _, about = long_run_covariance.enclosed_long_run(model, states)
        error = f"{about.radius.max():.1e}"
        witness = {"A⁻¹ΣA⁻ᵀ, enclosed": str(about.middle.tolist()), "error of each entry at most": error}
    return kit.holds(detail, witness, by=certificates)


def _two_steps(model: Model, states: kit.States, noise: long_run_covariance.ExactNoise) -> Verdict | None:
    """Var Σ_i (ε_0 + ε_1)_i = 1ᵀ(2S_0 + Γ_1 + Γ_1ᵀ)1 over all paths; None where they are too many or have no end."""
    length = model.schedule.length
    if length is None or count_paths(model, states, length + 2) > PATHS:
        return None
    summed: kit.Expression = kit.Expr(("+", *(its.delta(t) * its.z_rho(t) for t in (length, length + 1))))
    walked = kit.expected("mu", "d", length + 2, kit.sum_of(summed) ** 2)
    ones = RationalMatrix.column([1] * model.d)
    value = noise.of_sum(2).quadratic_form(ones)
    theta = noise.keys.theta_star.column_entries()
    return decide_relations(model, [(walked, "=", str(value))], states=states, kernel=kernel_name(model), theta=theta)


CLAIM = kit.Claim(
    id="clt_covariance",
    stated=kit.Reading(
        r"$\sqrt{T} (\bar\theta_T - \theta^*) \to N(0, A^{-1} \Sigma A^{-T})$ for averages under steps $a / (t + "
        r"t_0)^p$, $\frac12 < p < 1$ (limit theorem cited), with $\Sigma$ the "
        r"long-run covariance of $\delta_t(\theta^*) z_t$ from the Poisson equation; the $\theta$-block is the same "
        r"for GTD and TDC at every stable $\eta$, the $w$-block is $0$."
    ),
    decides="covariance",
    anchors=(r"$b(X_t) = z_t R_{t+1}$ and $A(X_t) = z_t(\gamma\phi_{t+1}^{T} - \phi_{t}^T)$", r"\label{arunSA}"),
    check=check,
    prove=prove,
    simulate=simulate,
    ablations=(
        kit.Ablation(UNIQUE_LAW, box=models.TWO_CLASSES),
        kit.Ablation(A_AS_MET_NONSINGULAR, box=models.ON_POLICY_BOX),
        kit.Ablation(kit.DISCOUNTED, supports=models.undiscounted_models, note="A nonsingular is enough"),
    ),
    notes=(
        "The central limit theorem for averaged stochastic approximation with Markov noise is cited, not proved here.",
    ),
)
