r"""Baird's star: "off-policy TD diverges, GTD and TDC converge".

Place: A5.3, plot (a): EqualWeights(4, 6), α = 0.005, β = 0.05. The discount is not given.
Statement: printed without γ, which decides; mean, mean square and paths disagree. In the mean every schedule acts
through κ alone: TD is stable exactly if κ < 15/17 (under EqualWeights(4, 6): γ < 0.97523…), GTD at every η and TDC at η
= 10 for every κ < 1. Of most runs, up to 100,000 updates, the sentence holds at γ = 49/50; at γ = 9/10 most runs of
TD shrink, and most of GTD and TDC grow. In mean square all three grow from some start at γ = 49/50, and TD does not at
γ = 1/10. So the printed sentence is not decided.
Hypotheses: A nonsingular, for the general half; on the star predictions are meant, since rank Φ = 7 < 8.
Model: any, for GTD and TDC in the mean; the star by its seven independent features, in the numbers.
Check: symbols in κ; Lyapunov matrices and second moments of windows, exact; whether most runs grow, simulated.
Closed form: P = 1e₇ᵀ, M = κP; on (v₁ = … = v₆, v₇) TD has trace (17κ − 15)/7 and determinant 26(1 − κ)/49.
"""

from collections.abc import Sequence
from dataclasses import replace

from tdcert.algorithms.schedules import certificate, jump_system, scheduled
from tdcert.claims import kit, models
from tdcert.claims.dgb22.limit import refute_hurwitz
from tdcert.claims.dgb22.star_runs import caption, error_curve_of, in_the_mean, which_way
from tdcert.claims.kit import A_NONSINGULAR, Fraction, Model, Verdict, holds, on_each_class, refuted, undecided
from tdcert.sims.experiments.baird import ALPHA, ETA, SCHEDULE
from tdcert.sims.growth_signs import Round
from tdcert.sims.judge.agreement import ErrorBudget
from tdcert.sims.phases.baird_diagram import star_diagram
from tdcert.theory.certificate.bodies import stationary_certificate
from tdcert.theory.check.critical_discount import critical_discounts
from tdcert.theory.check.mean_dynamics import gradient_dynamics, td_dynamics
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.figures import Figure, Picture
from tdcert.theory.identities import baird_star as identities
from tdcert.theory.laws.mean_square import show_bounded, show_unbounded
from tdcert.theory.model.gallery import STAR_SCALE, bairds_star, bairds_star_of_full_rank

LOW, STABLE, BAND, FAR = Fraction(1, 10), Fraction(97, 100), Fraction(49, 50), Fraction(199, 200)
"""Discounts: TD's second moment bounded; its mean stable; the paper's picture; beyond it."""
OTHER_WAY = Fraction(9, 10)
SIGNS = {OTHER_WAY: {"off_policy_td": -1, "gtd": 1, "tdc": 1}, BAND: {"off_policy_td": 1, "gtd": -1, "tdc": -1}}
"""What paths do, by discount."""
PLAN = Round(runs=160, steps=100_000)
TIMES = tuple(range(0, 20_001, 400))
"""The times of the curves."""
NAMES = {"off_policy_td": "TD", "gtd": "GTD", "tdc": "TDC"}


def prove() -> kit.Proof:
    """κ alone, TD's spectrum, and GTD and TDC for every κ < 1."""
    (low, high), *others = critical_discounts(SCHEDULE, identities.CRITICAL_KAPPA)
    kit.require(not others and high - low <= Fraction(1, 10**9), "κ = 15/17 at more than one discount")
    return kit.proved_for_all(
        "M = κP on the star for schedules of every length and without end: start and step of the induction, "
        "symbolic γ, λ, κ",
        kit.shown(identities.kappa_alone_identity),
    ) + kit.proved(
        "characteristic polynomials symbolic in κ: TD has −4/7 five times and x² − (17κ − 15)x/7 + 26(1 − κ)/49, "
        "Hurwitz on κ < 1 exactly below 15/17; A and C regular for κ < 1; at η = 10 all Hurwitz determinants of "
        f"GTD and TDC positive on 0 ≤ κ < 1; κ = 15/17 at γ = {float(low):.10f}… under EqualWeights(4, 6), alone",
        kit.shown(identities.td_spectrum_identity, identities.gradient_is_regular),
        kit.shown(identities.joint_dynamics_stable, at=((scheduled("gtd"), ETA), (scheduled("tdc"), ETA))),
    )


def check(model: Model) -> Verdict:
    """GTD at every η, and TDC on its slow time scale, are stable in the mean, whatever TD is."""
    return on_each_class(lambda states: _on_class(model, states), model)


def _on_class(model: Model, states: kit.States) -> Verdict:
    gtd, _ = gradient_dynamics(model, states, "target")
    kept = tuple(c for c in (gtd.certificate, stationary_certificate(model.behaviour_chain, states)) if c is not None)
    if gtd.mean_dynamics is MeanDynamics.MARGINAL:
        if model.features.take(rows=states).rank < model.d:
            return refuted(gtd.reason, by=kept)
        detail = "A x = 0: the mean of GTD keeps the difference (0, x) for ever"
        return refute_hurwitz(model, states, "gtd", detail)
    if not gtd.mean_dynamics.is_stable:
        return undecided(gtd.reason)
    detail = f"GTD and TDC stable in the mean, off-policy TD {td_dynamics(model, states).mean_dynamics}"
    return holds(detail, by=kept)


def facts() -> Sequence[kit.Fact]:
    """Mean and mean square of EqualWeights(4, 6) at single discounts, each with its certificate."""
    found = [
        _mean(STABLE, "off_policy_td", MeanDynamics.STABLE),
        _mean(BAND, "off_policy_td", MeanDynamics.UNSTABLE),
        _mean(BAND, "gtd", MeanDynamics.STABLE),
        _mean_square(LOW, "off_policy_td", bounded=True),
    ]
    return [*found, *(_mean_square(BAND, algorithm, bounded=False) for algorithm in NAMES)]


def star(gamma: Fraction) -> Model:
    """The star of A5.3 by its seven independent features; steps are to be divided by STAR_SCALE."""
    return bairds_star_of_full_rank(gamma, SCHEDULE)


def _mean(gamma: Fraction, algorithm: str, expected: MeanDynamics) -> kit.Fact:
    return in_the_mean(star(gamma), NAMES[algorithm], expected)


def _mean_square(gamma: Fraction, algorithm: str, bounded: bool) -> kit.Fact:
    model, show = star(gamma), show_bounded if bounded else show_unbounded
    does = "goes to zero from every start" if bounded else "grows without bound from some start (a run under way, say)"
    sentence = f"γ = {gamma}, α = {ALPHA}: the second moment of differences of {NAMES[algorithm]} {does}"
    system = jump_system(model, scheduled(algorithm), ETA, tuple(range(7)))
    found = show(system, ALPHA / STAR_SCALE)
    if found is None:
        return kit.Fact(sentence, model, undecided("no quadratic form was found that shows it"))
    kept: tuple[kit.Certificate, ...] = (certificate(system, found),)
    return kit.Fact(sentence, model, holds(sentence, by=kept))


def simulate(seed: int, budget: ErrorBudget) -> Sequence[kit.Simulated]:
    """Which way most runs go where the sentence fails and where it holds; runs from three regions as figures."""
    found: list[kit.Simulated] = []
    for gamma, expected in SIGNS.items():
        model = bairds_star(gamma, SCHEDULE)
        asked = [(NAMES[algorithm], model, algorithm, sign) for algorithm, sign in expected.items()]
        drawn = (curves(gamma, seed), curves(FAR, seed)) if gamma == BAND else (curves(gamma, seed),)
        found.append(which_way(CLAIM.id, gamma, asked, PLAN, seed, budget, drawn))
    return [replace(found[0], stated=judged(found)), *found[1:]]


def judged(found: Sequence[kit.Simulated]) -> Verdict:
    """The printed sentence, of which no γ is known: not decided, and where the signs were found it is known why."""
    why = "γ is not given"
    if all(one.agreement.agrees for one in found):
        why += (
            f", and it decides: at γ = {BAND} most runs of TD grow and most of GTD and TDC shrink, as printed; at γ = "
        )
        why += f"{OTHER_WAY} it is the other way round"
    return undecided(why)


def pictures(seed: int, profile: str) -> Sequence[Picture]:
    """The phase diagram."""
    return [star_diagram(seed, profile, CLAIM.id)]


def curves(gamma: Fraction, seed: int) -> Figure:
    """The RMSPBE of the three algorithms along common runs."""
    model = bairds_star(gamma, SCHEDULE)
    series = [error_curve_of(name, model, algorithm, TIMES, seed, CLAIM.id) for algorithm, name in NAMES.items()]
    said = caption("EqualWeights(4, 6)", "C has rank 7 of 8, so its pseudo-inverse stands in the RMSPBE.")
    name, title = f"baird_runs_{str(gamma).replace('/', '_')}", f"What a user sees at γ = {gamma}"
    return Figure(name, CLAIM.id, title, "t", "RMSPBE", tuple(series), said, log_y=True)


CLAIM = kit.Claim(
    id="exp_baird",
    stated=kit.Reading(
        r"On Baird's star, with EqualWeights(4, 6), $\alpha = 0.005$ and $\beta = 0.05$, off-policy TD diverges while "
        r"GTD and TDC converge. ($\gamma$ is not given.)",
        quote=(
            r"Plot (a) shows that Off-Policy TD($\lambda$)-Schedule diverges while both the gradient-based "
            r"algorithms, GTD($\lambda$)-schedule and TDC($\lambda$)-schedule converge"
        ),
        place="A5.3, caption of the figure",
    ),
    corrected=kit.Reading(
        r"It depends on $\gamma$, and on what is meant. In the mean TD diverges exactly if $\kappa > 15/17$: $\gamma > "
        r"0.97523...$; GTD and TDC converge at $\eta = 10$, up to what the features do not see, for every $\kappa < "
        r"1$. Of runs at these constant steps, from update 20,000 to 100,000: at $\gamma = 49/50$ more than half of "
        r"those of TD grow, of GTD and of TDC shrink; at $\gamma = 9/10$ it is the other way round. In mean square all "
        r"three grow from some start at $\gamma = 49/50$, and TD converges at $\gamma = 1/10$.",
        added_hypotheses=(r"$\gamma$: of most runs it is so at $49/50$, not at $9/10$",),
    ),
    empirical=True,
    anchors=(
        r"Plot (a) shows that Off-Policy TD($\lambda$)-Schedule diverges while both the gradient-based algorithms",
        r"The $\lambda$-Schedule chosen in all the three cases is EqualWeights(4,6)",
    ),
    check=check,
    prove=prove,
    facts=facts,
    simulate=simulate,
    pictures=pictures,
    ablations=(kit.Ablation(A_NONSINGULAR, box=models.UNDISCOUNTED),),
    notes=(
        "The sentence as printed cannot be decided, because γ is not printed and both answers occur: a γ chosen now "
        "would decide it. Decided beside it are the mean at every γ, and runs at γ = 49/50 and γ = 9/10.",
        "rank Φ = 7 < 8: what Φ does not see never moves, and everything here is about predictions. Seven features "
        "with 104 times the inner products give the same predictions at steps divided by 104; certificates speak of "
        "them.",
        "Exponents are those of constant steps; under steps that go to zero the mean decides (Theorems 4.3, 4.4, 4.6).",
    ),
    rests_on=("thm_4_4", "two_timescale_ratio", "mean_square_stability"),
)
