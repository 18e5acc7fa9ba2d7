r"""GTD(λ) "does not converge for high λ, since it tends to TD(λ), which is known to diverge".

Place: A5.3, (gtd_theta) and plot (b); A5.2 leaves GTD(λ) out for that reason. The discount is not given.
Statement: in the mean GTD(λ) as printed is TDC (E[γ(1 − λ)φ_{t+1}z_tᵀ] = Aᵀ + C), stable on Baird's star for every λ
in [0, 1] and γ < 1 at η = 10; and TD(λ) is stable there once κ < 15/17, as κ = γ(1 − λ)/(1 − γλ) → 0: TD(1) has
A = −C. So the reason given is none. What is seen are paths: at γ = 9/10 those of GTD(9/10) grow, those of TD(9/10),
TD(1) and GTD(1) die out; at γ = 99/100 all of them grow. E|z_t|² is infinite once 7γ²λ² ≥ 1.
Hypotheses: λ's equal up to the end (a schedule with an end lacks the term λ^{L+1}N^{L+1}).
Model: any; the star in the numbers.
Check: the relation with (1 − λ)ΦᵀDSNΦ on each recurrent class; symbols in κ; signs of Lyapunov exponents, simulated.
Closed form: (1 − λ)SN = M for λ without end, and A + C = ΦᵀDMΦ.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from claims import trace_variance
from claims.claim import Ablation, Claim, Fact, ProofError, Reading, Refutation, Simulated
from claims.figures import Figure, Series
from claims.models import SHORT_SCHEDULES
from sims.agreement import ErrorBudget
from sims.experiments.baird import ALPHA, BETA, ETA, error_bands
from sims.experiments.gtd_lambda import GTD_LAMBDA
from sims.signs import Question, Round, ask
from theory.check import identities_star as identities
from theory.check.hypotheses import CONSTANT_UP_TO_END
from theory.check.mean_dynamics import MeanDynamics, gradient_dynamics, td_dynamics
from theory.check.paths import on_each_class
from theory.check.relations import Expression, decide_relations
from theory.errors import BudgetExceededError
from theory.model.gallery import bairds_star, bairds_star_of_full_rank
from theory.model.mdp import Model
from theory.model.schedule import Schedule
from theory.verdict import Grade, Scope, ScopedEvidence, Status, Verdict

HIGH, ONE = Fraction(9, 10), Fraction(1)
MIDDLE, FAR = Fraction(9, 10), Fraction(99, 100)
"""The two discounts at which paths are simulated."""
SIGNS = {
    MIDDLE: {(GTD_LAMBDA, HIGH): 1, ("off_policy_td", HIGH): -1, (GTD_LAMBDA, ONE): -1, ("off_policy_td", ONE): -1},
    FAR: {(GTD_LAMBDA, HIGH): 1, ("off_policy_td", HIGH): 1, (GTD_LAMBDA, ONE): 1, ("off_policy_td", ONE): 1},
}
"""What paths do, by discount, algorithm and λ."""
PLAN = Round(runs=80, steps=50_000)
TIMES, RUNS = tuple(range(0, 4_001, 100)), 60
"""Of the curves."""
LONGEST = 100
"""Longest schedule for which N^{L+1} is formed."""
NAMES = {"off_policy_td": "TD", GTD_LAMBDA: "GTD"}


def prove() -> tuple[ScopedEvidence, ...]:
    """The mean of GTD(λ), and its stability on the star for every λ at once, as κ ranges over [0, 1)."""
    sizes = (1, 2, 3)
    if not all(identities.printed_gtd_lambda_identity(n) for n in sizes):
        raise ProofError("GTD(λ) as printed does not have TDC's mean")
    if not identities.kappa_alone_identity() or not identities.td_spectrum_identity():
        raise ProofError("TD on Baird's star is not what κ makes it")
    if not identities.joint_dynamics_stable("tdc", ETA):
        raise ProofError("TDC at η = 10 is unstable in the mean for some κ in [0, 1)")
    return (
        ScopedEvidence(
            Scope.SIZES, Grade.PROVED, len(sizes),
            "(1 − λ)(ΦᵀDSNΦ)ᵀ = Aᵀ + C for free λ, N, D and two features, n = 1, 2, 3 states",
        ),
        ScopedEvidence(
            Scope.ALL_SIZES, Grade.PROVED, 1,
            "on the star λ acts through κ = γ(1 − λ)/(1 − γλ) alone, which is in [0, 1) for λ in [0, 1] and γ < 1: "
            "there TDC's joint matrix at η = 10, hence GTD(λ)'s, is Hurwitz up to what Φ does not see, and TD's below "
            "15/17",
        ),
    )  # fmt: skip


def check(model: Model) -> Verdict:
    """(1 − λ)ΦᵀDSNΦ = A + C, less what a schedule with an end leaves out, on every recurrent class."""
    length = model.schedule.length
    if length is not None and length > LONGEST:
        raise BudgetExceededError(f"the schedule has {length} λ's; the power of N is formed up to {LONGEST}")
    sides = ("T", "Phi")
    printed: Expression = ("*", ("-", "1", "lambda:1"), ("@", sides, "D", "S", "N", "Phi"))
    if length is not None:
        lost = ("@", sides, "D", ("^", "N", length + 1), "Phi")
        printed = ("+", printed, ("*", ("^", "lambda:1", length + 1), lost))
    relation = (printed, "=", ("+", "A", "C"))
    detail = "the mean of GTD(λ) is that of TDC"
    return on_each_class(lambda states: decide_relations(model, [relation], states=states, detail=detail), model)


def facts() -> Sequence[Fact]:
    """The star without its null space: TD and GTD(λ) in the mean at single discounts; moments of the trace."""
    return [
        *(_mean(gamma, lam, "TD") for gamma in (MIDDLE, FAR) for lam in (HIGH, ONE) if gamma < FAR or lam == ONE),
        *(_mean(FAR, lam, "GTD") for lam in (HIGH, ONE)),
        _trace(MIDDLE, Fraction(2, 5), "finite"),
        _trace(MIDDLE, Fraction(3, 7), "infinite"),
    ]


def _mean(gamma: Fraction, lam: Fraction, name: str) -> Fact:
    model, states = bairds_star_of_full_rank(gamma, Schedule.constant(lam)), tuple(range(7))
    found = td_dynamics(model, states) if name == "TD" else gradient_dynamics(model, states)[0]
    sentence = f"γ = {gamma}: {name}({lam}) is stable in the mean"
    if found.mean_dynamics is MeanDynamics.UNDECIDED or found.certificate is None:
        return Fact(sentence, model, Verdict(Status.UNDECIDED, detail=found.reason))
    status = Status.HOLDS if found.mean_dynamics is MeanDynamics.STABLE else Status.REFUTED
    return Fact(sentence, model, Verdict(status, Grade.CERTIFIED, found.reason, certificates=(found.certificate,)))


def _trace(gamma: Fraction, lam: Fraction, moment: str) -> Fact:
    """7γ²λ² against one, as ``trace_variance`` decides it."""
    model = bairds_star(gamma, Schedule.constant(lam))
    verdict = trace_variance.check(model)
    sentence = f"γ = {gamma}, λ = {lam}: the second moment of the trace is {moment}"
    if verdict.status is Status.HOLDS and not verdict.detail.endswith(f" is {moment}"):
        verdict = Verdict(Status.REFUTED, Grade.CERTIFIED, verdict.detail, certificates=verdict.certificates)
    return Fact(sentence, model, verdict)


def judge_stated() -> Refutation:
    """At γ = 9/10 TD(9/10), to which GTD(9/10) is near, is stable in the mean: κ = 9/19 < 15/17."""
    fact = _mean(MIDDLE, HIGH, "TD")
    if fact.verdict.status is not Status.HOLDS:
        return Refutation(Verdict(Status.UNDECIDED, detail="TD(λ) is not shown to be stable"), fact.model)
    detail = "TD(λ), which is said to be known to diverge, is stable in the mean"
    witness = {"γ": str(MIDDLE), "λ": str(HIGH), "κ": str(fact.model.kappa), "stable below": "15/17"}
    verdict = Verdict(Status.REFUTED, Grade.CERTIFIED, detail, witness, certificates=fact.verdict.certificates)
    return Refutation(verdict, fact.model)


def simulate(seed: int, budget: ErrorBudget) -> Sequence[Simulated]:
    """Signs of the top exponents of TD(λ) and GTD(λ) as printed, at two discounts; runs as a figure."""
    found = []
    for gamma, expected in SIGNS.items():
        name = f"exp_gtd_lambda: paths at γ = {gamma}"
        asked = [
            (Question(f"{NAMES[algorithm]}({lam})", star(gamma, lam), algorithm, float(ALPHA), float(ETA)), sign)
            for (algorithm, lam), sign in expected.items()
        ]
        signs = ask(name, asked, PLAN, seed=seed, alpha=budget.spend(name, 1e-9))
        summary = f"γ = {gamma}: {signs.summary()}"
        figures = (curves(gamma, seed),) if gamma == MIDDLE else ()
        found.append(Simulated(signs, f"which paths die out at γ = {gamma}", summary, figures=figures))
    return found


def star(gamma: Fraction, lam: Fraction) -> Model:
    """The star under a constant λ without end."""
    return bairds_star(gamma, Schedule.constant(lam))


def curves(gamma: Fraction, seed: int) -> Figure:
    """The RMSPBE of GTD(λ) as printed, for three λ's, along common runs."""
    series = []
    for lam in (Fraction(1, 10), HIGH, ONE):
        bands = error_bands(star(gamma, lam), GTD_LAMBDA, TIMES, RUNS, seed, "exp_gtd_lambda: curves")
        low, middle, high = (tuple(map(float, y)) for y in bands)
        series.append(Series(f"GTD({lam})", tuple(map(float, TIMES)), middle, low, high, "line"))
    caption = (
        f"Baird's star, GTD(λ) as A5.3 prints it, α = {ALPHA}, β = {BETA}, θ_0 = (1, …, 1, 10, 1), {RUNS} runs: the "
        "median, and between the first and the last decile. The RMSPBE is that of each λ, with the pseudo-inverse of C."
    )
    title = f"GTD(λ) at γ = {gamma}: high λ diverges, and λ = 1 does not"
    return Figure("gtd_lambda_runs", "exp_gtd_lambda", title, "t", "RMSPBE", tuple(series), caption, log_y=True)


CLAIM = Claim(
    id="exp_gtd_lambda",
    stated=Reading(
        r"On Baird's star GTD($\lambda$) does not converge for high $\lambda$, because it tends to TD($\lambda$) as "
        r"$\lambda \to 1$, which is known to diverge off-policy."
    ),
    corrected=Reading(
        r"In the mean GTD($\lambda$) as printed is TDC, and converges on Baird's star, up to what the features do not "
        r"see, for every $\lambda \in [0, 1]$, $\gamma < 1$ and $\eta = 10$; TD($\lambda$) too, once "
        r"$\kappa < 15/17$, and TD(1) always. What diverges are paths at constant steps: at $\gamma = 9/10$ those of "
        r"GTD(9/10), while those of TD(9/10), TD(1) and GTD(1) die out; at $\gamma = 99/100$ all four."
    ),
    judge_stated=judge_stated,
    empirical=True,
    hypotheses=(CONSTANT_UP_TO_END,),
    anchors=(r"shows that GTD($\lambda$) diverges for high values of $\lambda$",),
    check=check,
    prove=prove,
    facts=facts,
    simulate=simulate,
    ablations=(Ablation(CONSTANT_UP_TO_END, box=SHORT_SCHEDULES),),
    notes=(
        "Once 7γ²λ² ≥ 1 the trace has no second moment, so averages over runs tell little: deciles are drawn.",
    ),
    rests_on=("exp_baird", "trace_variance", "two_timescale_ratio"),
)
