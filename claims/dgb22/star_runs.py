"""What the two experiments on Baird's star share (A5.3): its steps, the mean at one discount, and which way runs go."""

from collections.abc import Sequence

from tdcert.claims import kit
from tdcert.claims.dgb22.curves import band
from tdcert.claims.kit import Fraction, Grade, Model, Status, Verdict, undecided
from tdcert.sims.experiments.baird import ALPHA, BETA, ETA, error_bands
from tdcert.sims.growth_signs import Round, SignQuestion, ask
from tdcert.sims.judge.agreement import ErrorBudget
from tdcert.theory.check.mean_dynamics import gradient_dynamics, td_dynamics
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.figures import Figure, Series

RUNS = 60
"""Runs behind a curve."""


def in_the_mean(model: Model, name: str, expected: MeanDynamics, more: str = "") -> kit.Fact:
    """What the mean of TD or of a gradient algorithm (by ``name``) does on the star of seven features."""
    states = tuple(range(7))
    found = td_dynamics(model, states) if name.startswith("TD") else gradient_dynamics(model, states)[0]
    sentence = f"γ = {model.gamma}: {name} is {expected} in the mean{more}"
    if found.mean_dynamics is MeanDynamics.UNDECIDED or found.certificate is None:
        return kit.Fact(sentence, model, undecided(found.reason))
    status = Status.HOLDS if found.mean_dynamics is expected else Status.REFUTED
    return kit.Fact(sentence, model, Verdict(status, Grade.CERTIFIED, found.reason, certificates=(found.certificate,)))


def which_way(
    claim: str,
    gamma: Fraction,
    asked: Sequence[tuple[str, Model, str, int]],
    plan: Round,
    seed: int,
    budget: ErrorBudget,
    figures: tuple[Figure, ...],
) -> kit.Simulated:
    """Whether most runs grow or shrink at one discount; ``asked``: (label, model, algorithm, the sign expected)."""
    name = f"{claim}: paths at γ = {gamma}"
    questions = [
        (SignQuestion(label, model, algorithm, float(ALPHA), float(ETA)), sign)
        for label, model, algorithm, sign in asked
    ]
    signs = ask(name, questions, plan, seed=seed, alpha=budget.spend(name, 1e-9))
    what = f"whether most runs grow or shrink at γ = {gamma}"
    return kit.Simulated(signs, what, f"γ = {gamma}: {signs.summary()}", figures=figures)


def error_curve_of(label: str, model: Model, algorithm: str, times: Sequence[int], seed: int, claim: str) -> Series:
    """The RMSPBE along common runs: the median, and between the first and the last decile."""
    return band(label, times, error_bands(model, algorithm, times, RUNS, seed, f"{claim}: curves"))


def caption(drawn: str, rest: str) -> str:
    """``drawn``: the algorithm or the schedule; ``rest``: what is said of the RMSPBE."""
    return (
        f"Baird's star, {drawn}, α = {ALPHA}, β = {BETA}, θ_0 = (1, …, 1, 10, 1), {RUNS} runs: the median, and between "
        f"the first and the last decile. {rest}"
    )
