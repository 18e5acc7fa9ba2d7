r"""How fast TD(λ)-schedule converges almost surely with steps a/(t + t_0), and from when on for ever.

Place: beyond the paper; §4 proves convergence without a rate.
Statement: let θ_{t+1} = θ_t + α_t(A(X_t)θ_t + b(X_t)), with given bounded solutions of the Poisson equations of A(X_t)
and A(X_t)θ* + b(X_t), xᵀ(A + Aᵀ)x ≤ −c|x|² and α_t = a/(t + t_0) with ca > 1. Then, with numbers γ_0, κ_0, M and t_0 as
in ``theory/laws/rate.py``, E|θ_t − θ*|² ≤ 6(M + κ_0)/(t + t_0) for every t, and P(|θ_t − θ*|² ≥ ε for some t ≥ N) ≤
24(M + 600κ_0)/(ε(N + t_0 − 1)) once N + t_0 − 1 ≥ 1200κ_0 and ε(N + t_0)² ≥ 12κ_0. So for TD(λ)-schedule, all a, t_0 >
0 with ca > 1 and every θ_0, some K has E|θ_t − θ*|² ≤ K/(t + t_0) for every t, and P(|θ_t − θ*|² ≥ ε for some t ≥ N) ≤
K/(ε(N + t_0)) for all N and ε > 0. Both are machine-checked for every size (Coq): the first with any weight Q in place
of I, the second for TD by name, on every chain of the hypotheses, with no solution given. The numbers are of one model.
Neither part of the step can be spared. TD(0) on two equally likely states (φ = 1, γ = ½,
reward 1 on leaving the first, c = 1, θ_0 = 0, θ* = 1): with α_t = a/(t + t_0), a ≤ 1 ≤ t_0, (t + t_0 − 1)E(θ_t − 1)² ≥
(a²/4) Σ_{i<t} 1/(i + t_0) → ∞; with non-increasing α_t ≤ 1, E(θ_t − 1)² ≥ α_t/4, so slower steps are slower than 1/t.
Hypotheses: those of Theorem 4.3, less the aperiodic chain (these steps vary summably).
Model: any; schedules without end where the trace fades.
Check: the limit, one law, Poisson equations and that c exists, exactly; where windows are few, c, γ_0, κ_0, M, t_0 and
E|θ_t − θ*|² at the first times, over all paths, against the bound.
Closed form: e_t = E V(v_t) of the corrected state v = x + α_t(ĝx + f̂) has e_{t+1} ≤ (1 − ca/s + 600κ_0/s²)e_t +
600κ_0/s², s = t + t_0, so e_t ≤ M/s; Ville's inequality gives the rest.
"""

from collections.abc import Sequence
from dataclasses import replace

from tdcert.algorithms.schedules import chain_of
from tdcert.claims import kit, models
from tdcert.claims.dgb22 import deterministic_steps, finite_time_moments, schedules_without_end, thm_4_2, thm_4_3
from tdcert.claims.dgb22.episodic_discount import count_paths
from tdcert.claims.dgb22.limit import check_limit
from tdcert.claims.dgb22.simulated_limit import RUNS, SHARE, summary
from tdcert.claims.kit import APERIODIC, Expression, Fraction, Model, Name, Relation, Status, Verdict, its, solution
from tdcert.sims.comparison_frame import Sampling, Target
from tdcert.sims.finite_time_comparison import simulate_against_moments
from tdcert.sims.judge.agreement import ErrorBudget
from tdcert.sims.step_sizes import Polynomial, StepSizes
from tdcert.theory.check.hypotheses import FINITE_SCHEDULE
from tdcert.theory.check.mean_dynamics import td_dynamics
from tdcert.theory.errors import BudgetExceededError
from tdcert.theory.figures import Figure, Series
from tdcert.theory.identities import step_noise as identities
from tdcert.theory.laws.moments import finite_time_moments as propagate
from tdcert.theory.laws.rate import Rate, rate_of_td
from tdcert.theory.limits import RATE_NODES
from tdcert.theory.model.key_matrices import behaviour_matrices, theorem_matrices

FIRST_TIMES = (1, 2)
"""Times at which E|θ_t − θ*|² is taken over all paths."""
SUMMED_TIMES = 3
"""Up to this time the error of the witness is taken over all paths."""
TIME, FIRST = 40, 10
"""Time of the simulated comparison, and t_0 there."""
PLOTTED = tuple(round(10 ** (k / 6)) for k in range(6, 21))
"""Times of the plot."""


def prove() -> kit.Proof:
    """What slower steps cost, for all t; the bounds themselves are proved in Coq."""
    return kit.proved_for_all(
        "induction over t: TD(0) on two equally likely states, φ = 1, γ = ½, α_t = a/(t + t_0), ca = a ≤ 1 ≤ t_0: "
        "(t + t_0 − 1)E(θ_t − 1)² ≥ (a²/4) Σ_{i<t} 1/(i + t_0), which has no bound: no rate 1/t",
        kit.shown(identities.even_update, identities.slow_drift_step),
    ) + kit.proved_for_all(
        "induction over t, the same chain, θ_0 = 0: E(θ_t − 1)² ≥ α_t/4 for all non-increasing α_t ≤ 1: steps of "
        "order t^−p, p < 1, give no rate 1/t, and steps a/(t + t_0) none beyond it",
        kit.shown(identities.even_update, identities.slow_steps_step),
    )


def check(model: Model) -> Verdict:
    """The hypotheses of the bound; its numbers, and the first mean squares against it, where windows are few."""
    limit = check_limit(model, td_dynamics)
    if limit.status is not Status.HOLDS:
        return limit
    averages = thm_4_2.check_averages(model)
    if averages.status is not Status.HOLDS:
        return Verdict(Status.UNDECIDED, detail="several recurrent classes: the windows have no one Poisson equation")
    if not schedules_without_end.fades(model):
        return Verdict(Status.UNDECIDED, detail="λ = 1 without end, and transitions without a discount: not covered")
    (states,) = model.behaviour_chain.recurrent_classes
    A = theorem_matrices(model, states).A
    if behaviour_matrices(model, states).A != A:
        return Verdict(Status.UNDECIDED, detail="actions of the target policy are never taken: updates do not meet A")
    if not kit.is_positive_definite(-A.symmetric_part()):
        return Verdict(Status.UNDECIDED, detail="A is stable, but A + Aᵀ is not negative definite: there is no such c")
    found = replace(limit, certificates=(*limit.certificates, *averages.certificates))
    try:
        rate = _rate(model, states)
    except BudgetExceededError as error:
        detail = f"every a > 1/c has numbers κ_0, M and t_0; they are not computed: {error}"
        return replace(found, detail=detail)
    return _with_numbers(model, found, rate)


def _rate(model: Model, states: kit.States) -> Rate:
    """The numbers from state 1. Raises :class:`BudgetExceededError` where windows are too many, or have no end."""
    if not model.schedule.is_finite:
        raise BudgetExceededError("windows have no end")
    keys, first = theorem_matrices(model, states), [Fraction(int(s == 0)) for s in range(model.n)]
    try:
        chain = chain_of(model, "off_policy_td", first, most=RATE_NODES * model.n * len(model.actions))
        return rate_of_td(chain, keys.A, keys.theta_star)
    except BudgetExceededError:
        raise BudgetExceededError(f"there are more than {RATE_NODES} windows") from None


def _with_numbers(model: Model, found: Verdict, rate: Rate) -> Verdict:
    """The numbers of the bound, and E|θ_t − θ*|² from θ_0 = 0 in state 1 at the first times against it."""
    if rate.unmet():
        return Verdict(Status.UNDECIDED, detail=f"the numbers found do not meet {', '.join(rate.unmet())}")
    (states,) = model.behaviour_chain.recurrent_classes
    theta = theorem_matrices(model, states).theta_star.column_entries()
    definite: Expression = Name("-1/2") * (its.A + its.A.T)
    inverse: Expression = solution(definite, solution(its.A, its.A))
    trace = kit.total([kit.entry_of(inverse, k, k) for k in range(model.d)])
    relations: list[Relation] = [(Name(rate.c) * trace, "<=", "2")]
    times = [t for t in FIRST_TIMES if count_paths(model, (0,), t) <= finite_time_moments.PATHS]
    relations += [(error_of_td(rate, t, 0), "<=", str(rate.mean_square(t))) for t in times]
    verdict = kit.decide_relations(model, relations, states=states, theta=theta)
    if verdict.status is not Status.HOLDS:
        return verdict
    bound, steps = rate.mean_square(0) * rate.t0, f"({rate.a})/(t + {rate.t0})"
    within = rate.ever_after(Fraction(1), Fraction(1, 10))
    witness = {
        "α_t": steps,
        "c, γ_0, κ_0, M": f"{rate.c}, {float(rate.gamma0):.4g}, {rate.kappa0}, {rate.M}",
        "E|θ_t − θ*|²": f"at most {bound}/(t + {rate.t0})",
        "|θ_t − θ*| < 1 for ever": f"from t = {within} on, with probability at least 9/10",
    }
    detail = f"E|θ_t − θ*|² ≤ {bound}/(t + {rate.t0}) for α_t = {steps}, θ_0 = 0, s_0 = 1"
    return replace(found, detail=detail, witness=witness, certificates=(*found.certificates, *verdict.certificates))


def error_of_td(rate: Rate, t: int, start: int | str) -> Expression:
    """E|θ_t − θ*|² over all paths from ``start`` ("d": the stationary law), θ_0 = 0, θ* the θ of the expressions."""
    alphas = [rate.step(k) for k in range(t)]
    apart = finite_time_moments.iterate("off_policy_td", t, (alphas, alphas), 0 * its.theta) - its.theta
    return kit.expected("mu", start, t, apart.T @ apart)


def facts() -> Sequence[kit.Fact]:
    """The witness against ca ≤ 1 over all paths: e_{t+1} = (1 − α_t/2)²e_t + α_t²/4, and the lower bound."""
    model = deterministic_steps.two_states()
    a, t0 = Fraction(1), 1
    slow = Rate(Fraction(1), Fraction(0), Fraction(1), a, t0, 0, 0)
    error, lower = Fraction(1), Fraction(0)
    relations: list[Relation] = []
    for t in range(1, SUMMED_TIMES + 1):
        alpha = slow.step(t - 1)
        error = (1 - alpha / 2) ** 2 * error + alpha**2 / 4
        lower += a**2 / (4 * (t - 1 + t0))
        walked = error_of_td(slow, t, "d")
        relations += [(walked, "=", str(error)), (str(lower / (t + t0 - 1)), "<=", walked)]
    verdict = kit.decide_relations(model, relations, theta=[1])
    sentence = (
        "With ca = 1, α_t = 1/(t + 1): tE(θ_t − 1)² ≥ ¼(1 + ½ + … + 1/t), over all paths up to "
        f"t = {SUMMED_TIMES}, by induction for every t."
    )
    return (kit.Fact(sentence, model, verdict),)


def simulate(seed: int, budget: ErrorBudget) -> Sequence[kit.Simulated]:
    """Steps with ca = 2 and ca = ½ on two equally likely states against the exact law; the mean squares drawn."""
    model = deterministic_steps.two_states()
    found = []
    for a in (Fraction(2), Fraction(1, 2)):
        steps = StepSizes(Polynomial(float(a), FIRST, 1.0))
        sampling = Sampling(f"rate at ca = {a}", RUNS, seed, budget, alpha=SHARE)
        agreement = simulate_against_moments(Target(model, "td", steps), TIME, sampling)
        what = f"mean and covariance at t = {TIME}, α_t = {a}/(t + {FIRST})"
        found.append(kit.Simulated(agreement, f"law of TD(0)'s iterates at ca = {a}", summary(agreement, what)))
    return (replace(found[0], figures=(_figure(model),)), *found[1:])


def _figure(model: Model) -> Figure:
    """E(θ_t − 1)²: as 1/t for ca > 1, more slowly for ca ≤ 1 and for slower steps."""
    series = []
    shapes = (("2/(t + 10)", 2.0, 1.0), ("1/(t + 10)", 1.0, 1.0), ("½/(t + 10)", 0.5, 1.0), ("1/(t + 10)^¾", 1.0, 0.75))
    for name, a, p in shapes:
        steps = StepSizes(Polynomial(a, FIRST, p)).arrays(PLOTTED[-1])
        moments = propagate(chain_of(model, "td", [Fraction(1, 2)] * 2), steps, PLOTTED)
        errors = [float(m.second[0, 0] - 2 * m.second[0, 1] + 1) for m in moments]
        series.append(Series(f"α_t = {name}", tuple(map(float, PLOTTED)), tuple(errors)))
    return Figure(
        "almost_sure_rate",
        "almost_sure_rate",
        "The rate 1/t needs ca > 1",
        "t",
        "E|θ_t − θ*|²",
        tuple(series),
        "TD(0) on two equally likely states, c = 1, θ_0 = 0; exactly propagated second moments, no simulation.",
        log_x=True,
        log_y=True,
    )


CLAIM = kit.Claim(
    id="almost_sure_rate",
    stated=kit.Reading(
        r"Let $\theta_{t+1} = \theta_t + \alpha_t (A(X_t) \theta_t + b(X_t))$, $x^T (A + A^T) x \leq -c |x|^2$, "
        r"$\alpha_t = a / (t + t_0)$, $ca > 1$, let the Poisson equations of $A(X_t)$ and of the noise $A(X_t) "
        r"\theta^* + b(X_t)$ have given solutions, and let $\gamma_0$ bound the squared norms of $A$, of $A(X_t)$, of "
        r"the noise and of these solutions. If $\kappa_0 \geq \gamma_0 a^2$, $\kappa_0^2 \geq \gamma_0 a^2$, $t_0 \geq"
        r" ca$, $t_0^2 \geq 6 \kappa_0$, $(ca - 1) t_0 \geq 1200 \kappa_0$, $(ca - 1) M \geq 1200 \kappa_0$ and $M "
        r"\geq 3 (2 |\theta_0 - \theta^*|^2 + \kappa_0 / t_0^2) t_0$, then $E |\theta_t - \theta^*|^2 \leq 6 (M + "
        r"\kappa_0) / (t + t_0)$ for every $t$, and $|\theta_t - \theta^*|^2 \geq \varepsilon$ for some $t \geq N$ has"
        r" probability at most $24 (M + 600 \kappa_0) / (\varepsilon (N + t_0 - 1))$, where $N + t_0 - 1 \geq 1200 "
        r"\kappa_0$ and $\varepsilon (N + t_0)^2 \geq 12 \kappa_0$. TD($\lambda$)-schedule on-policy, on an "
        r"irreducible chain, under Assumption 3 and $\gamma < 1$: some $c > 0$ exists, and for $a, t_0 > 0$ with $ca >"
        r" 1$ some $K$ has $E |\theta_t - \theta^*|^2 \leq K / (t + t_0)$ for every $t$, and $|\theta_t - \theta^*|^2 "
        r"\geq \varepsilon$ for some $t \geq N$ has probability at most $K / (\varepsilon (N + t_0))$ for all $N$ and "
        r"$\varepsilon > 0$. With $ca \leq 1$, or non-increasing steps of order $t^{-p}$, $p < 1$, there is a chain on"
        r" which no rate $1/t$ holds."
    ),
    anchors=(r"\label{TDLS}",),
    check=check,
    prove=prove,
    formal=True,
    simulate=simulate,
    facts=facts,
    ablations=(
        *(a for a in thm_4_3.CLAIM.ablations if a.hypothesis is not APERIODIC),
        kit.Ablation(APERIODIC, supports=models.periodic_models, note="steps a/(t + t_0) vary summably"),
        kit.Ablation(FINITE_SCHEDULE, supports=schedules_without_end.endless),
    ),
    notes=(
        "What is proved for all sizes, in Coq: the bounds with numbers, of a recursion of this form with given "
        "solutions of its Poisson equations, for any weight Q and any start of bounded V (a two-state chain: α_t = "
        "4/(t + 1600), κ_0 = 4, M = 9601); and of TD by name the bounds with some K, which is not computed: "
        "on-policy, with a discount for every transition, without an end of λ, and off-policy with coverage at the "
        "recurrent states where A is Hurwitz. On chains with transient states it asks that the recurrent ones are one"
        " class.",
        "On schedules without end the Poisson equations are solved lag by lag, as many lags as have been observed: "
        "the solution for lag k is bounded by a multiple of (k + 1)β^k, where λγρ is at most β < 1, and what is left "
        "falls faster than any power of t (fading_correction, in Coq).",
        "The constants 6, 24 and 600 serve every chain: N is a proof, not an advice.",
        "That mean squares with steps a/(t + t_0) fall as 1/t is well known (Bhandari, Russo and Singal 2018; Srikant "
        "and Ying 2019, for TD with Markovian noise).",
    ),
    rests_on=("thm_4_3", "thm_4_2"),
)
