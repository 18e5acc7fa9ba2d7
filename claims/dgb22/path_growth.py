r"""Constant steps: mean, mean square and paths are three questions.

Place: §4, the recursions θ_{t+1} = θ_t + α_t(A(X_t)θ_t + b(X_t)), with constant steps.
Statement: let y_t be the difference of two runs along one path, windows being finitely many. If it dies out in mean
square, E|y_t|² → 0 from every start, then in the mean, E y_t → 0, and on almost every path, |y_t| → 0 exponentially. So
what grows in the mean or on paths grows in mean square, and of the eight combinations of signs three never occur. The
other five do, on one state with one feature: none of the three answers is read off the others but by these two
implications. Machine-checked for every size (Coq), with the bound of a path behind certificates of weighted forms.
Hypotheses: none. Starts are runs under way: any difference in any window of a recurrent class.
Model: any; each recurrent class on its own.
Check: at two steps the three signs, each decided on its own, where windows are few; else those of TD(0). A model with
too many windows for that too, or in which nothing moves, is not asked: it is left out and counted, with this condition,
which is none of the statement. Where signs are asked and not decided, so is the model.
Closed form: one state with discount γ and φ = 1 multiplies y by f = 1 − αρ(1 − γ): mean |E f|, mean square E f², paths
exp(E log|f|), each held against 1.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tdcert.algorithms.schedules import OFF_POLICY_TD, declared
from tdcert.claims import kit, models
from tdcert.claims.dgb22.curves import band, curve
from tdcert.claims.kit import COVERAGE, LAMBDAS, Fraction, Model, States, Status, Verdict, holds, refuted, undecided
from tdcert.sims.kernels import simulate
from tdcert.sims.step_sizes import Constant, StepSizes
from tdcert.theory.engine.certificates import mean_at_step_certificate, mean_square_certificate, path_certificates
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.jumps import chain_of
from tdcert.theory.engine.means import stationary
from tdcert.theory.engine.nodes import nodes
from tdcert.theory.engine.second_moments import system_within
from tdcert.theory.errors import BudgetExceededError
from tdcert.theory.figures import Figure
from tdcert.theory.identities import second_moments as identities
from tdcert.theory.laws.mean_at_step import mean_proof, mean_signs
from tdcert.theory.laws.mean_square import show_bounded, show_unbounded
from tdcert.theory.laws.moments import finite_time_moments
from tdcert.theory.laws.path_exponents import decide_paths
from tdcert.theory.verdict import Sign

STEPS = (Fraction(1, 10), Fraction(1))
"""A step at which most differences die out, and one at which many grow."""
WINDOWS, ENTRIES, UNKNOWNS, CELLS = 30, 400, 200, 2_000
"""Most windows, windows × D², windows × D(D + 1)/2 with weights, and moves × cells of directions, for which signs are
decided (a second; the checker takes ten to replay a sum of logarithms over a hundred windows).
"""
TIMES, RUNS = tuple(range(41)), 400
"""The times of the pictures, and the runs in each."""
TOO_LARGE = Verdict(
    Status.HYPOTHESIS_VIOLATED,
    detail=f"no sign is asked of more than {WINDOWS} windows or {ENTRIES} windows × D², or where nothing moves",
    violated=(f"at most {WINDOWS} windows and {ENTRIES} windows × D² of TD(0), and updates that move something",),
)
"""The answer for a model of which nothing is asked: a condition of the check, not of the statement."""
NO_SIGN = "mean square, or mean and paths, are decided at no step, so the model says nothing of the implications"
"""Why a model that is asked is undecided."""
MEAN, SQUARE, PATHS = "in the mean", "in mean square", "on almost every path"
IMPLIED = ((SQUARE, MEAN), (SQUARE, PATHS))
"""What dies out in the first sense dies out in the second."""
DENIED = ((MEAN, SQUARE), (MEAN, PATHS), (PATHS, SQUARE), (PATHS, MEAN))
"""The other pairs, of which this is false."""


@dataclass(frozen=True)
class Signs:
    """What differences of two runs under way do at one step: −1 they die out, 1 they grow from some start, 0 neither,
    None undecided; in the mean, in mean square and on almost every path, each decided on its own.
    """

    of: Mapping[str, Sign]
    certificates: tuple[kit.Certificate, ...]

    def deny(self, premise: str, conclusion: str) -> bool:
        """Whether differences die out in the first sense and not in the second."""
        return self.of[premise] == -1 and self.of[conclusion] in (0, 1)

    @property
    def decide(self) -> bool:
        """Whether they say anything of the implications."""
        return self.of[SQUARE] is not None and (self.of[MEAN], self.of[PATHS]) != (None, None)


def signs_at(model: Model, algorithm: Algorithm, states: States, alpha: Fraction) -> Signs:
    """The three signs of an update with one step size. Raises :class:`BudgetExceededError` where windows are too many,
    and :class:`InputError` where no update depends on the parameters.
    """
    found = stationary(model, algorithm, states, steps={algorithm.steps[0]: alpha})
    system = system_within(found, [Fraction(1)], ENTRIES)
    if len(system.windows) > WINDOWS:
        raise BudgetExceededError(f"there are {len(system.windows)} windows; at most {WINDOWS} are asked")
    chain, sizes = chain_of(system), [alpha]
    square = show_bounded(system, alpha) or show_unbounded(system, alpha)
    mean, paths = mean_signs(system, alpha), decide_paths(system, alpha, UNKNOWNS, CELLS)
    proof = mean_proof(system, mean)
    kept = [] if square is None else [mean_square_certificate(found, chain, [Fraction(1)], square)]
    kept += [] if proof is None else [mean_at_step_certificate(found, chain, sizes, proof)]
    kept += path_certificates(found, chain, sizes, paths)
    grows: Sign = None if square is None else -1 if square.vector is None else 1
    return Signs({MEAN: mean.under_way, SQUARE: grows, PATHS: paths.sign}, tuple(kept))


def prove() -> kit.Proof:
    """Jensen's inequality with its remainder."""
    return kit.proved(
        "Σ p_k |x_k|² − |Σ p_k x_k|² = Σ_{k<l} p_k p_l |x_k − x_l|² for free weights of sum 1 and free vectors, "
        "(vectors, dimension) in (2, 1), (2, 2), (3, 2), (4, 1)",
        kit.shown(identities.jensen_identity, at=((2, 1), (2, 2), (3, 2), (4, 1))),
    )


def check(model: Model) -> Verdict:
    """Neither implication is denied at two steps."""
    return kit.on_each_class(lambda states: _on_class(model, states), model)


def _on_class(model: Model, states: States) -> Verdict:
    own, answer = declared(OFF_POLICY_TD, model), TOO_LARGE
    for algorithm, name in ((own, "TD"), (own.with_options(lambdas=(), tail=()), "TD(0)")):
        try:
            found = [(alpha, signs_at(model, algorithm, states, alpha)) for alpha in STEPS]
        except (BudgetExceededError, kit.InputError):
            continue
        answer = undecided(NO_SIGN)
        for alpha, signs in found:
            for premise, conclusion in IMPLIED:
                if signs.deny(premise, conclusion):
                    detail = f"{name}, α = {alpha}: differences die out {premise}, and not {conclusion}"
                    return refuted(detail, {"α": str(alpha), **signs.of}, by=signs.certificates)
        if any(signs.decide for _, signs in found):
            kept = [one for _, signs in found for one in signs.certificates]
            return holds("; ".join(f"{name}, α = {alpha}: {in_words(signs.of)}" for alpha, signs in found), by=kept)
    return answer


def in_words(of: Mapping[str, Sign]) -> str:
    """What differences do in each of the three senses, those of one sign together."""
    words: Mapping[Sign, str] = {-1: "die out", 1: "grow", 0: "do neither", None: "are not decided"}
    senses = {sign: [sense for sense in of if of[sense] == sign] for sign in of.values()}
    return "; ".join(f"{words[sign]} {', '.join(found)}" for sign, found in senses.items())


def swapped_policies() -> Model:
    """One state, two actions, μ = (⅓, ⅔), π = (⅔, ⅓), γ = ½, TD(0): y is multiplied by 1 − α with probability ⅓, and by
    1 − α/4.

    Mean: 1 − α/2, which dies out for α < 4. Mean square: 1 − α + 3α²/8 < 1 for α < 8/3. Paths: (1 − α)(1 − α/4)² lies
    between −1 and 1 for α < 5.8.
    """
    third = Fraction(1, 3)
    return models.one_state_two_actions("swapped policies", ("a", "b"), (third, 2 * third), (2 * third, third))


FIVE: tuple[tuple[Callable[[], Model], int, tuple[Sign, Sign, Sign]], ...] = (
    (swapped_policies, 2, (-1, -1, -1)),
    (swapped_policies, 3, (-1, 1, -1)),
    (models.coin_flipper, 3, (-1, 1, 1)),
    (swapped_policies, 5, (1, 1, -1)),
    (swapped_policies, 6, (1, 1, 1)),
)
"""A model and a step for each combination of the signs of mean, mean square and paths."""


def facts() -> Sequence[kit.Fact]:
    """The five combinations, and which of :data:`DENIED` they refute."""
    made = []
    for make, alpha, signs in FIVE:
        model, wanted = make(), dict(zip((MEAN, SQUARE, PATHS), signs, strict=True))
        found = signs_at(model, declared(OFF_POLICY_TD, model), (0,), Fraction(alpha))
        decided = undecided if None in found.of.values() else holds if found.of == wanted else refuted
        false = [f" What dies out {one} need not die out {other}." for one, other in DENIED if found.deny(one, other)]
        made.append(
            kit.Fact(
                f"{model.name}, α = {alpha}: differences {in_words(wanted)}.{''.join(false)}",
                model,
                replace(decided(in_words(found.of)), certificates=found.certificates),
            )
        )
    return made


def pictures(seed: int, profile: str) -> Sequence[Figure]:
    """For each of the five the exact mean and root mean square, and runs. Without rewards one run of each pair stays
    at zero, so the other is the difference.
    """
    return [_runs(number, *row, seed) for number, row in enumerate(FIVE, start=1)]


def _runs(number: int, make: Callable[[], Model], alpha: int, signs: tuple[Sign, Sign, Sign], seed: int) -> Figure:
    model, steps = make(), StepSizes(Constant(float(alpha)))
    chain = nodes(model, declared(OFF_POLICY_TD, model), (Fraction(1),), until=TIMES[-1])
    moments = finite_time_moments(chain, steps.arrays(TIMES[-1]), TIMES, chain.first([1]))
    drawn = simulate(
        model, OFF_POLICY_TD, steps, TIMES, RUNS, seed, f"path_growth: {number}", start=(Fraction(1),), theta0=[1.0]
    )
    ordered = np.sort(np.abs(drawn.thetas[:, :, 0]), axis=0)
    said = in_words(dict(zip((MEAN, SQUARE, PATHS), signs, strict=True)))
    return Figure(
        f"path_growth_{number}",
        "path_growth",
        f"{model.name}, α = {alpha}: differences {said}",
        "t",
        "|y|",
        (
            curve("|E y|", TIMES, (abs(found.mean[0]) for found in moments), "line"),
            curve("√E y²", TIMES, (found.second[0, 0] ** 0.5 for found in moments), "line"),
            band(f"{RUNS} runs: median and outer deciles", TIMES, ordered[[RUNS // 10, RUNS // 2, -1 - RUNS // 10]]),
        ),
        f"Off-policy TD(0) from y = 1, {RUNS} runs: the median, and between the first and the last decile.",
        log_y=True,
    )


CLAIM = kit.Claim(
    id="path_growth",
    stated=kit.Reading(
        r"With a constant step and finitely many windows let $y_t$ be the difference of two runs along one path. If "
        r"$E|y_t|^2 \to 0$ from every start, runs under way included, then $E y_t \to 0$, and $|y_t| \to 0$ "
        r"exponentially on almost every path; so what grows in the mean or on paths grows in mean square. Nothing else "
        r"follows: of the signs of mean, mean square and paths all five combinations that are left occur on one state "
        r"with one feature."
    ),
    anchors=(r"$b(X_t) = z_t R_{t+1}$ and $A(X_t) = z_t(\gamma\phi_{t+1}^{T} - \phi_{t}^T)$",),
    check=check,
    prove=prove,
    formal=True,
    facts=facts,
    pictures=pictures,
    ablations=(
        kit.Ablation(COVERAGE, supports=models.uncovered_models),
        kit.Ablation(kit.APERIODIC, supports=models.periodic_models),
        kit.Ablation(kit.DISCOUNTED, supports=models.undiscounted_models),
        kit.Ablation(LAMBDAS, supports=models.signed_lambda_models),
    ),
    notes=(
        "In Coq also the bound that certificates of weighted forms rest on (path_bound): forms X ≥ 0 and weights w > 0 "
        "with Σ p_e w_e BᵀXB ≤ X in each node have, with probability at least 1 − 1/c, yᵀXy ≤ c y_0ᵀX y_0 Π 1/w at all "
        "times at once, from every start. That the product of the 1/w then vanishes exponentially where Σ π log w > 0 "
        "is the ergodic theorem, which is not machine-checked; in its place path_decay asks for numbers that are at "
        "least a root of 1/w and have a mean below one.",
        "Two actions are needed for three of the five: with one outcome a number f is all there is, and |f| decides "
        "all three. With two actions and probabilities in halves paths die out exactly where mean square does; in "
        "thirds all five occur.",
        "The three are about the same starts. With one state, γ = ¾, φ = 2 and λ = (1, 1) the step 1 takes every run "
        "to its fixed point at the first update, while differences of runs under way are multiplied by −21/16: mean "
        "square from time zero and paths under way are not to be held against each other.",
    ),
    rests_on=("mean_square_stability",),
)
