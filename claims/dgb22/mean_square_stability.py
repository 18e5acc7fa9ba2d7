r"""Constant steps: the second moment of the iterates.

Place: §4, the recursions θ_{t+1} = θ_t + α_t(A(X_t)θ_t + b(X_t)), and A5.2, A5.3 with their constant steps.
Statement: with steps α and ηα the second moment of (θ_t, w_t) stays bounded from every start if the second-moment
operator of the jump linear system on windows has spectral radius r < 1, and grows from some start if r > 1. Where
the mean matrix J (A for TD) is Hurwitz, r < 1 for every α up to some α_0 > 0 and r > 1 for every large α; so there is
a smallest α with r = 1. Where J has an eigenvalue with positive real part, r > 1 for every small α. With A
nonsingular, J is Hurwitz for GTD at every η and for TDC at every large η. Paths follow the top Lyapunov exponent of
the products, which may have either sign whatever mean and mean square do.
Hypotheses: A nonsingular, coverage, and a schedule that ends.
Model: any; each recurrent class on its own.
Check: where windows are few, all α in (0, α_0] at once, two steps around the crossing exactly, and the crossing itself
enclosed as a root of det(I − 𝓛). Where they are many, J alone, and no step is named.
Closed form: X + αT_h with JᵀX + XJ ≺ 0 and T from the Poisson equation; for large α E log|det(I + αK)| → ∞.
"""

from collections.abc import Sequence
from math import log

from tdcert.algorithms.schedules import certificate, jump_system, scheduled
from tdcert.claims import kit, models
from tdcert.claims.kit import HALF, Fraction, Model, Name, RationalMatrix, Status, Verdict, along, its, shown, undecided
from tdcert.sims.judge.agreement import ErrorBudget, judge_mean
from tdcert.theory.certificate.bodies import kernel_name, singular_certificate, strings
from tdcert.theory.check.definiteness import decide_positive_definite
from tdcert.theory.check.hypotheses import FINITE_SCHEDULE
from tdcert.theory.check.mean_dynamics import gradient_dynamics
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.check.stability import spectral_abscissa
from tdcert.theory.errors import BudgetExceededError
from tdcert.theory.expressions.forward_views import summable
from tdcert.theory.identities import second_moments as identities
from tdcert.theory.laws.mean_square import JumpSystem, decide_near_zero, largest_step
from tdcert.theory.model.key_matrices import behaviour_matrices

ALGORITHMS = ("off_policy_td", "gtd", "tdc")
ENTRIES = 100
"""Most windows × D² for which steps are named (a tenth of a second)."""
RUNS, STEPS = 1_000, 1_000
"""Independent paths, enough for the judge to promise a power, and their steps."""


def prove() -> kit.Proof:
    """All small steps, and all large ones."""
    shown(identities.concavity_identity)
    return kit.proved(
        "small steps: X(α) − 𝓛X(α) = α(F − αG − α²H) for X + αT_h, two windows, free weights and maps, D = 1, 2; "
        "concave in α as H ⪰ 0, and F = −(JᵀX + XJ) once T solves the Poisson equation",
        shown(identities.small_step_identity, at=(1, 2)),
    ) + kit.proved(
        "large steps: det(I + αK) = 1 + α tr K + … for a free K at D = 1, 2, 3, so |det| → ∞ with α where tr K ≠ 0 "
        "and is 1 where it is constant; E tr K = tr J < 0, so E log|det| → ∞, and by Hadamard's and Jensen's "
        "inequalities E|y_t|² grows",
        shown(identities.determinant_identity, at=(1, 2, 3)),
    )


def check(model: Model) -> Verdict:
    """The three algorithms on every recurrent class."""
    if not model.schedule.is_finite:
        return kit.on_each_class(lambda states: _endless(model, states), model)
    return kit.on_each_class(lambda states: _on_class(model, states), model)


def _on_class(model: Model, states: kit.States) -> Verdict:
    keys = behaviour_matrices(model, states)
    certificates: list[kit.Certificate] = []
    details: list[str] = []
    for algorithm in ALGORITHMS:
        eta = ratio(keys.A, keys.C) if algorithm == "tdc" else Fraction(1)
        try:
            system = jump_system(model, scheduled(algorithm), eta, states, entries=ENTRIES)
        except BudgetExceededError:
            continue
        verdict = _system(model, system)
        if verdict.status is not Status.HOLDS:
            return verdict
        certificates += verdict.certificates
        details.append(verdict.detail)
    if not certificates:
        gtd, _ = gradient_dynamics(model, states)
        if gtd.mean_dynamics is not MeanDynamics.STABLE or gtd.certificate is None:
            return undecided("too many windows, and J of GTD is not shown to be Hurwitz")
        certificates.append(gtd.certificate)
        details.append("too many windows to name a step; gtd: J is Hurwitz, so all small steps are bounded")
    return kit.holds("; ".join(details), by=certificates)


def _system(model: Model, system: JumpSystem) -> Verdict:
    """All small steps, and the largest ones, of one algorithm."""
    near = decide_near_zero(system)
    if near is None:
        return _marginal(model, system)
    shown = certificate(system, near)
    if near.vector is not None:
        detail = f"{system.algorithm}: unbounded from some start for every α ≤ {near.upto}"
        status = Status.REFUTED if system.algorithm == "gtd" else Status.HOLDS
        witness = {"α": f"every one up to {near.upto}", "difference of two runs": strings(near.vector)}
        return Verdict(status, kit.Grade.CERTIFIED, detail, witness, certificates=(shown,))
    found = largest_step(system, near=near)
    if found is None:
        return undecided(f"{system.algorithm}: the search for the largest step failed")
    bounded, unbounded = found.bounded, found.unbounded
    crossing = "" if found.crossing is None else f", the first crossing at {float(found.crossing[0]):.6g}"
    return kit.holds(
        f"{system.algorithm}: bounded for every α ≤ {near.upto} and at {bounded.alpha}, unbounded from some start at "
        f"{unbounded.alpha}{crossing}",
        by=[shown, certificate(system, bounded), certificate(system, unbounded)],
    )


def _marginal(model: Model, system: JumpSystem) -> Verdict:
    """A difference that no update ever changes refutes r < 1; otherwise J is too close to the imaginary axis."""
    rows = [row for move in system.moves for row in move.K.rows]
    kept = RationalMatrix(rows).null_vector()
    if kept is None or system.algorithm == "tdc":
        if system.algorithm == "gtd":
            return undecided("gtd: nothing is decided for small steps")
        return kit.holds(f"{system.algorithm}: J is not Hurwitz, nothing is claimed")
    # K y = 0 for all of them makes J y = 0, and J is singular where A is
    shown = [singular_certificate(behaviour_matrices(model, system.states), system.states, kernel_name(model))]
    if system.algorithm == "off_policy_td":
        shown += _unmoved(model, system.states, kept)
    detail = f"{system.algorithm}: this difference of two runs stays for ever, whatever the step"
    return kit.refuted(detail, {"difference of two runs": strings(kept)}, by=shown)


def _unmoved(model: Model, states: kit.States, y: RationalMatrix) -> tuple[kit.Certificate, ...]:
    """E|z_t(Γφ_{t+1} − φ_t)ᵀy|² = 0 over all paths: TD's update changes the difference y on none of them."""
    t = summable(model, states)
    if t is None:
        return ()
    ahead = (its.discount(t) * its.phi(t + 1) - its.phi(t)).T
    change = its.z_rho(t) @ ahead @ its.theta
    mean: kit.Relation = (kit.expected("mu", "d", t + 1, change.T @ change), "=", "0")
    nonzero: kit.Relation = (its.theta, "!=", 0 * its.theta)
    return kit.decide_relations(
        model, [mean, nonzero], states=states, kernel=kernel_name(model), theta=y.column_entries()
    ).certificates


def ratio(A: RationalMatrix, C: RationalMatrix) -> Fraction:
    """A power of two η ≥ 1 with ηC ≻ sym A, where C ≻ 0: TDC's J is then Hurwitz (``two_timescale_ratio``)."""
    eta = Fraction(1)
    if decide_positive_definite(C).positive:
        while not decide_positive_definite(C.scaled(eta) - A.symmetric_part()).positive:
            eta *= 2
    return eta


def _endless(model: Model, states: kit.States) -> Verdict:
    """A loop on which the trace grows without bound: TD's second moment is unbounded for every step.

    While (s, a, s) repeats, with probability p a step, z = c_k φ with c_k = ρ Σ_{j≤k} (λρΓ)ʲ → ∞ if λρΓ ≥ 1, after a
    start there without a past. The difference φ of two runs is then multiplied by 1 − α(1 − Γ)c_k|φ|², beyond
    2/√p in size from some k on.
    """
    lam, Phi = model.schedule.tail, model.features.rows
    A = behaviour_matrices(model, states).A
    hurwitz = spectral_abscissa(A, bits=8).sign < 0
    for s in states:
        for a, P in enumerate(model.transitions):
            if not hurwitz or P[s, s] == 0 or model.behaviour[s, a] == 0 or not any(Phi[s]):
                continue
            loop = kit.Path((s, s), (a,))
            growth = its.discount(0) * (its.rho(0) * Name(lam))
            relations: list[kit.Relation] = [
                ("1", "<=", along(loop, growth)),
                (along(loop, its.discount(0)), "<", "1"),
                ("0", "<", along(loop, its.phi(0).T @ its.phi(0))),
            ]
            verdict = kit.decide_relations(model, relations, states=states)
            if verdict.status is Status.HOLDS:
                p = P[s, s] * model.behaviour[s, a]
                witness = {"state": f"s{s}", "action": model.actions[a], "probability": str(p)}
                detail = "while this action repeats the trace grows without bound, and TD's second moment too"
                return kit.refuted(detail, witness, by=verdict.certificates)
    return undecided("without an end there are no windows, and no loop with a growing trace")


def three_verdicts() -> Model:
    """One state, two actions, μ = (½, ½), π = (¾, ¼), γ = 0: θ is multiplied by 1 − 3α/2 or 1 − α/2, evenly.

    Mean: 1 − α, stable for α < 2. Mean square: 1 − 2α + 5α²/4 < 1 for α < 8/5. Paths: the product of both
    factors, 1 − 2α + 3α²/4, lies between −1 and 1 for α < 8/3.
    """
    target = Fraction(3, 4), Fraction(1, 4)
    return models.one_state_two_actions("three verdicts", ("a", "b"), (HALF, HALF), target, gamma=Fraction(0))


def simulate(seed: int, budget: ErrorBudget) -> Sequence[kit.Simulated]:
    """Paths: mean growth of differences on the model above, where its mean and variance are known, at two steps."""
    return [_paths(alpha, seed, budget) for alpha in (Fraction(9, 5), Fraction(11, 5))]


def _paths(alpha: Fraction, seed: int, budget: ErrorBudget) -> kit.Simulated:
    from tdcert.sims.growth import log_growth  # imports Numba, which deciding the claim does not need

    name = f"mean_square_stability: paths at α = {alpha}"
    logs = log_growth(
        three_verdicts(), "off_policy_td", float(alpha), eta=1.0, steps=STEPS, runs=RUNS, seed=seed, name=name
    )
    factors = [log(abs(1 - 1.5 * float(alpha))), log(abs(1 - 0.5 * float(alpha)))]
    mean, spread = (factors[0] + factors[1]) / 2, (factors[0] - factors[1]) ** 2 / 4
    found = judge_mean(
        logs[:, -1:] / STEPS,
        [mean],
        [spread / STEPS],
        alpha=budget.spend(name, 1e-8),
        name=name,
        labels=["top Lyapunov exponent"],
        # A factor near 1/10 is a difference of numbers below 4, of six roundings: 6·4·10 u < 3e-14 in its logarithm;
        # the sum of up to 1e3 of them rounds 125 times, 1e2 u a step; both logarithms here 80 u. Halves are exact.
        data_slack=1e-12,
        mean_slack=1e-14,
        variance_slack=1e-12 * spread / STEPS,
        law_distance=0.0,
    )
    moments = "the mean is stable, the mean square is not" if alpha < 2 else "neither mean nor mean square is stable"
    return kit.Simulated(
        found,
        "the growth of differences along paths",
        f"λ_1 = {mean:.4f} at α = {alpha}: paths forget; {moments}; {found.summary()}",
    )


def growing_trace() -> Model:
    """One state, two actions, μ = (½, ½), π = (1, 0), γ = ½, λ = 1 without end: λρΓ = 1, and A = −1."""
    return models.coin_flipper().with_schedule(kit.Schedule.constant(Fraction(1)))


CLAIM = kit.Claim(
    id="mean_square_stability",
    stated=kit.Reading(
        r"With constant steps $\alpha$ and $\beta = \eta \alpha$ let $r(\alpha)$ be the spectral radius of $Y \to \sum "
        r"p \, (I + \alpha K) Y (I + \alpha K)^T$ on windows: $E|\theta_t|^2$ stays bounded from every start, runs "
        r"under way included, if $r < 1$, and from some start not if $r > 1$. If the mean matrix $J$ is Hurwitz, "
        r"$r < 1$ for every $\alpha$ up to some $\alpha_0 > 0$ and $r > 1$ for every large one; if $J$ has an "
        r"eigenvalue with positive real part, $r > 1$ for every small $\alpha$. With $A$ nonsingular $J$ is Hurwitz "
        r"for GTD at every $\eta$. Paths are a matter of the top Lyapunov exponent of the products; mean, mean square "
        "and paths may all disagree."
    ),
    anchors=(r"$b(X_t) = z_t R_{t+1}$ and $A(X_t) = z_t(\gamma\phi_{t+1}^{T} - \phi_{t}^T)$",),
    check=check,
    prove=prove,
    simulate=simulate,
    ablations=(
        kit.Ablation(FINITE_SCHEDULE, counterexample=growing_trace),
        kit.Ablation(kit.COVERAGE, box=models.UNCOVERED),
        kit.Ablation(kit.A_NONSINGULAR, box=models.ON_POLICY_BOX),
        kit.Ablation(kit.DISCOUNTED, supports=models.undiscounted_models, note="A nonsingular is enough"),
        kit.Ablation(kit.LAMBDAS, supports=models.signed_lambda_models, note="A nonsingular is enough"),
    ),
    notes=(
        "A start is any window of a recurrent class with any θ and w, a run that goes on included. From empty windows "
        "alone a step that makes an update singular may lose the direction that grows: one state, γ = 9/10, "
        "λ = (1, 1), α = 10 has r > 1, and every difference is zero after one update. Transient states are left out.",
        "Bounded steps need not form an interval: between two named steps boundedness is claimed only up to the first "
        "crossing, where that was enclosed.",
        "Mean, mean square and paths disagree: one state, μ = (½, ½), π = (¾, ¼), γ = 0: the mean is stable for α < 2, "
        "the mean square for α < 8/5, and almost every path for α < 8/3.",
    ),
    rests_on=("finite_time_moments",),
)
