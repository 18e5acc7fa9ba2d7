r"""The second moment of the off-policy trace.

Place: §3, z_t with its products of importance ratios.
Statement: for finite L, E[z_t z_tᵀ] is a finite sum, exactly computable. For a constant λ without end it is infinite,
as first stated, iff λ² times the spectral radius of N₂ = Σ_a π²/μ P_a Γ_a² on the states reached from {φ ≠ 0} is at
least one. That needs features without cancellation: with Φ ≥ 0 it is so; with signs the trace may be a bounded
function of the state although the radius exceeds one.
Hypotheses: Φ ≥ 0 on the recurrent states, for the "infinite" half: asked where there is no end and the radius is at
least one.
Model: any; each recurrent class on its own, in its stationary regime.
Check: finite L: the formula against the mean over all paths, or against the sum over pairs of lags where paths are
many; no end: the radius decided exactly.
Closed form: U = F + λ²N₂ᵀU for U_s = E[1{s_t = s} z̃z̃ᵀ], z_t = ρ_t z̃_t; γ²λ²·radius(Σ_a π²P/μ) for a constant
discount.
"""

from collections.abc import Sequence
from dataclasses import replace

from tdcert.claims import kit, models
from tdcert.claims.dgb22.curves import curve
from tdcert.claims.dgb22.episodic_discount import count_paths
from tdcert.claims.dgb22.simulated_limit import SAMPLES, SHARE, summary
from tdcert.claims.kit import Expression, Fraction, Model, Name, RationalMatrix, Relation, Verdict, its, shown, total
from tdcert.sims.comparison_frame import Sampling
from tdcert.sims.judge.agreement import ErrorBudget
from tdcert.sims.random_models import random_model
from tdcert.sims.stationary_comparison import simulate_trace
from tdcert.sims.streams import generator
from tdcert.theory.certificate.bodies import kernel_name, strings
from tdcert.theory.check import trace_law
from tdcert.theory.check.hypotheses import NONNEGATIVE_FEATURES
from tdcert.theory.check.margins import negative_direction
from tdcert.theory.expressions.relations import relation_certificate
from tdcert.theory.figures import Figure
from tdcert.theory.identities import propagation as identities
from tdcert.theory.model.key_matrices import behaviour_matrices

PATHS = 200
"""Most paths that are walked for one mean."""


def prove() -> kit.Proof:
    """One step of the recursion on symbols.

    What the trace does at a transition, and what its second moment then does.
    """
    return kit.proved(
        "z̃' = λΓρz̃ + φ' squared and averaged is U' = λ²N₂ᵀU + cross + φφᵀ, two states, free weights; (Σ c_k p_k "
        "φ_k)² is the sum over pairs of lags, symbolic, L = 0 … 4; with Φ ≥ 0 every term is non-negative, so the "
        "series of squares Σ λ^{2k} dᵀφ²N₂ᵏ decides",
        shown(identities.trace_step_identity),
        shown(identities.trace_square_identity, at=range(5)),
    )


def check(model: Model) -> Verdict:
    """The second moment on every recurrent class."""
    decide = _finite if model.schedule.is_finite else _endless
    return kit.on_each_class(lambda states: decide(model, states), model)


def _finite(model: Model, states: kit.States) -> Verdict:
    """The formula against paths or lags, at the vector (1, 2, …)."""
    moment = trace_law.trace_second_moment(model, states)
    if moment != trace_law.trace_second_moment_by_lags(model, states):
        return kit.refuted("Horner's rule in time and the sum over lags differ", {"E zzᵀ": str(moment.to_strings())})
    length = len(model.schedule.lambdas)
    theta = RationalMatrix.column([k + 1 for k in range(model.d)])
    if count_paths(model, states, length + 1) > PATHS:
        relations = _by_lags(model, states, theta, moment.quadratic_form(theta))
        lags = kit.decide_relations(
            model, relations, states=states, kernel=kernel_name(model), theta=theta.column_entries()
        )
        shown = _shown(moment) if lags.status is kit.Status.HOLDS else lags.witness
        return replace(lags, detail="E zzᵀ as the sum over pairs of lags", witness=shown)
    context = kit.Context(model, states, theta=theta)
    walked = kit.expected("mu", "d", length + 1, (its.theta.T @ its.z_rho(length)) ** 2)
    value = moment.quadratic_form(theta)
    found = kit.evaluate(walked, context)[0, 0]
    if found != value:
        shown = {"over all paths": str(found), "by the formula": str(value)}
        return kit.refuted("the mean over all paths differs", shown)
    certificate = relation_certificate(context, [(walked, "=", str(value))])
    return kit.holds("E zzᵀ over all paths", _shown(moment), by=[certificate])


def _by_lags(model: Model, states: kit.States, theta: RationalMatrix, value: Fraction) -> list[Relation]:
    """θᵀE[zzᵀ]θ = Σ_jm c_j c_{j+m} (1 + [m > 0]) fᵀDNᵐ diag(N₂ʲE[ρ²]) f with f = Φθ: each mean, and their sum."""
    N2 = total([_after_one_step(s, its.state(0) @ its.state(1).T) for s in states])
    square: Expression = total([kit.expected("mu", s, 1, its.rho(0) * its.rho(0) * its.state(0)) for s in states])
    f, keys, kernel = its.Phi @ its.theta, behaviour_matrices(model, states), trace_law.ratio_kernel(model, 2)
    values, weights = model.features @ theta, trace_law.ratio_moments(model, 2)
    found: list[Relation] = []
    terms: list[Expression] = []
    for j in range(len(model.schedule.lambdas) + 1):
        inner = values.scale_rows(weights)
        for m in range(len(model.schedule.lambdas) + 1 - j):
            mean = str((values.T @ inner.scale_rows(keys.d))[0, 0])
            term = f.T @ its.D @ its.N**m @ kit.diagonal(N2**j @ square) @ f
            found.append((term, "=", mean))
            terms.append(its.c(j) * its.c(j + m) * Name(Fraction(mean) * (1 if m == 0 else 2)))
            inner = keys.N @ inner
        weights = kernel @ weights
    return [*found, (total(terms), "=", str(value))]


def _after_one_step(state: int, inner: Expression) -> Expression:
    """E[ρ²Γ² inner] over one step of the behaviour policy from a state."""
    ratio: Expression = its.rho(0) * its.discount(0)
    return kit.expected("mu", state, 1, ratio * ratio * inner)


def _growth(model: Model, inside: Sequence[int], values: Sequence[Fraction], sign: str) -> list[Relation]:
    """λ²N₂ applied to a vector on these states, and no entry left out: "=": y = 1 + λ²N₂y; "<=": x ≤ λ²N₂x."""
    place = dict(zip(inside, map(Name, values), strict=True))
    found: list[Relation] = []
    for s in inside:
        ahead = total([kit.entry_of(its.state(1), j) * place.get(j, Name(1)) for j in range(model.n)])
        if sign == "<=":  # what lies elsewhere has x = 0
            ahead = total([kit.entry_of(its.state(1), j) * x for j, x in place.items()])
        moved: Expression = its.lambda_(1) * its.lambda_(1) * _after_one_step(s, ahead)
        found.append((place[s], sign, 1 + moved if sign == "=" else moved))
    return found


def _shown(moment: RationalMatrix) -> dict[str, str]:
    """The moment, for the reader of a verdict."""
    return {"E zzᵀ": str(moment.to_strings()).replace("'", "")}


def _endless(model: Model, states: kit.States) -> Verdict:
    """Whether the radius is below one on the reached states, and what follows."""
    inside, lam = trace_law.reached(model, states), model.schedule.tail
    if not inside:
        zero: Relation = (its.D @ its.Phi, "=", 0 * its.Phi)
        return kit.decide_relations(model, [zero], states=states, detail="φ = 0 on the class: z = 0")
    B = trace_law.ratio_kernel(model, 2).take(inside, inside).scaled(lam * lam)
    if trace_law.radius_below_one(B):
        moment = trace_law.trace_second_moment(model, states)
        x = negative_direction(moment)
        if x is not None:
            shown = {"x": ", ".join(strings(x))}
            return kit.refuted("the solution is not a second moment: xᵀE[zzᵀ]x < 0", shown)
        y = (B.identity(len(inside)) - B).solve(RationalMatrix.column([1] * len(inside))).column_entries()
        finite = kit.decide_relations(model, _growth(model, inside, y, "="), states=states)
        return replace(finite, detail="the radius is below one: E zzᵀ is finite", witness=_shown(moment))
    function = trace_law.bounded_trace(model, states)
    if function is not None:
        shown = {"z̃ in each state": str(function.to_strings()).replace("'", "")}
        detail = "the radius is at least one, but z̃_t is a function of s_t: E zzᵀ is finite"
        return kit.refuted(detail, shown, by=[_function_certificate(model, function)])
    if lam < 0 or not all(x >= 0 for s in states for x in model.features.rows[s]):
        return kit.undecided("the radius is at least one, and features or λ have signs: nothing is decided")
    x = trace_law.growing_vector(B)
    if x is None:
        return kit.undecided("no vector was found that shows the radius to be at least one")
    grown = [(s, value) for s, value in zip(inside, x.column_entries(), strict=True) if value]
    relations = _growth(model, [s for s, _ in grown], [value for _, value in grown], "<=")
    detail = "the radius is at least one and Φ ≥ 0: E zzᵀ is infinite"
    return kit.decide_relations(model, relations, states=states, detail=detail)


def _function_certificate(model: Model, function: RationalMatrix) -> kit.Certificate:
    """g(s') = λΓρ g(s) + φ(s'), first feature, along every transition of the first recurrent class."""
    states = model.behaviour_chain.recurrent_classes[0]
    relations: list[Relation] = []
    for s in states:
        for a, P in enumerate(model.transitions):
            if model.behaviour[s, a] == 0:
                continue
            for j, p in enumerate(P.rows[s]):
                if p != 0:
                    factor = its.lambda_(1) * (its.discount(0) * its.rho(0))
                    moved = factor * Name(function[s, 0]) + kit.entry_of(its.phi(1), 0)
                    relations.append((kit.along(kit.Path((s, j), (a,)), moved), "=", str(function[j, 0])))
    return relation_certificate(kit.Context(model, states), relations)


def simulated_models() -> dict[str, Model]:
    """Off-policy: θ→2θ under EqualWeights(2, 5), whose ratios are 0 and 2; eight random states, constant λ cut at 4."""
    model = random_model(generator(5, "claims/trace_variance"), 8, 2, 0)
    return {
        "θ→2θ": kit.theta_to_two_theta(Fraction(9, 10), kit.Schedule.equal_weights(2, 5)),
        "eight states": model.with_schedule(kit.Schedule.constant(Fraction(3, 4), 4)),
    }


def simulate(seed: int, budget: ErrorBudget) -> Sequence[kit.Simulated]:
    """E z and E zzᵀ of sampled traces, the variance of every product known from exact fourth moments."""
    found = []
    for label, model in simulated_models().items():
        (states,) = model.behaviour_chain.recurrent_classes
        agreement = simulate_trace(model, states, Sampling(f"trace, {label}", SAMPLES, seed, budget, SHARE))
        what = summary(agreement, f"E z and E zzᵀ, {label}")
        found.append(kit.Simulated(agreement, f"moments of the trace, {label}", what))
    return (replace(found[0], figures=(_figure(),)), *found[1:])


def _figure() -> Figure:
    """E z² as the window grows: with a radius below one it has a limit, from one on it grows for ever."""
    model, lengths = kit.theta_to_two_theta(Fraction(9, 10)), range(0, 61, 3)
    small, large = kit.HALF, Fraction(1)
    limit = trace_law.trace_second_moment(model.with_schedule(kit.Schedule.constant(small)), (0, 1))[0, 0]

    def second(lam: Fraction, length: int) -> Fraction:
        return trace_law.trace_second_moment(model.with_schedule(kit.Schedule.constant(lam, length)), (0, 1))[0, 0]

    series = (
        curve("λ = 1/2: limit − E z²", lengths, [limit - second(small, L) for L in lengths]),
        curve("λ = 1: E z²", lengths, [second(large, L) for L in lengths]),
    )
    return Figure(
        "trace_second_moment",
        "trace_variance",
        "The second moment of the off-policy trace",
        "L",
        "E z²",
        series,
        "θ→2θ at γ = 9/10, constant λ cut at L; exact, no simulation. The radius 2γ²λ² is 0.41 and 1.62.",
        log_y=True,
    )


def cancelling_model() -> Model:
    """θ→2θ with features 2 and −1, γ = 3/4, λ = 1 without end: 2γ²λ² = 9/8, and z̃_t = 2 all the time."""
    return kit.theta_to_two_theta(Fraction(3, 4), kit.Schedule.constant(Fraction(1))).with_features(
        RationalMatrix.column([2, -1])
    )


def judge_stated() -> kit.Refutation:
    """ρ is 0 on the way to state 1 and 2 on the way to state 2: 2 = 0·2 + 2 and 2 = ¾·2·2 − 1."""
    model = cancelling_model()
    return kit.Refutation(check(model), model)


CLAIM = kit.Claim(
    id="trace_variance",
    stated=kit.Reading(
        r"For finite $L$, $E[z_t z_t^T]$ is finite; for a constant $\lambda$ and $L = \infty$ it is infinite iff "
        r"$\gamma^2 \lambda^2$ times the spectral radius of "
        r"$\sum_a \pi(a|s)^2 P_a / \mu(a|s)$ on the reached states is at least one."
    ),
    corrected=kit.Reading(
        r"For finite $L$, $E[z_t z_t^T]$ is finite; for a constant $\lambda$ and $L = \infty$ it is finite if "
        r"$\gamma^2 \lambda^2$ times the spectral radius of $\sum_a \pi(a|s)^2 P_a / \mu(a|s)$ on the reached states "
        r"is below one, and infinite if it is at least one and $\Phi \geq 0$.",
        added_hypotheses=("no negative feature, for the infinite half",),
    ),
    correction=kit.Finding.IMPLICIT_HYPOTHESIS,
    judge_stated=judge_stated,
    anchors=(r"Define the eligibility trace vector $z_{t} =",),
    check=check,
    prove=prove,
    simulate=simulate,
    ablations=(
        kit.Ablation(NONNEGATIVE_FEATURES, counterexample=cancelling_model, note="only for the infinite half"),
        kit.Ablation(kit.COVERAGE, supports=models.uncovered_models, note="actions that are never taken have no ratio"),
    ),
    notes=(
        "In the witness the trace started from zero does have second moments that grow for ever, although it tends "
        "to the bounded one with probability one.",
    ),
)
