"""Warnings: the numbers behind them against closed forms; for each a model where it fires, and one where it does not.

Every threshold is met from both sides by models of one family, so that neither the number nor the threshold can move
without a test.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import tdcert
from tdcert.analysis.advice.advise import nothing
from tdcert.analysis.advice.answer import answer
from tdcert.analysis.advice.compare_schedules import compare, exact_row
from tdcert.analysis.advice.compared_schedules import Candidate, ScheduleComparison
from tdcert.analysis.advice.model_numbers import ModelNumbers
from tdcert.analysis.advice.warnings import Warned, Warnings, about, ask, at_least
from tdcert.analysis.choose_arithmetic import in_floats
from tdcert.analysis.exact_analysis import exact_facts
from tdcert.analysis.facts import Quantity
from tdcert.analysis.request import Arithmetic
from tdcert.claims.claim import decide
from tdcert.claims.models import two_absorbing_states, uncovered_rewards
from tdcert.claims.paper import ENTRIES, asked_in_enclosures
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.float_enclosures import MidRadMatrix
from tdcert.theory.check.conditioning import condition_number, inflation, slow_function, updates_per_e_fold
from tdcert.theory.check.mean_dynamics import MEAN_G
from tdcert.theory.check.trace_law import trace_second_moment
from tdcert.theory.enclose.dense import analyse_enclosed
from tdcert.theory.enclose.sparse import analyse_sparse
from tdcert.theory.errors import SingularMatrixError
from tdcert.theory.model import gallery
from tdcert.theory.model.key_matrices import behaviour_matrices, theorem_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.verdict import Status

HALF = Fraction(1, 2)
ONES, TABULAR = RationalMatrix([[1], [1]]), RationalMatrix([[1, 0], [0, 1]])


# ---- the numbers -----------------------------------------------------------------------------------------


def test_the_condition_number_by_hand() -> None:
    """[[1, 2], [3, 4]]: ‖A‖_∞ = 7, its inverse [[−2, 1], [3/2, −1/2]] has the norm 3."""
    A = RationalMatrix([[1, 2], [3, 4]])
    assert condition_number(A) == (21, 21)
    low, high = condition_number(MidRadMatrix.enclosing(A))
    assert low <= 21 <= high and high - low < Fraction(1, 10**9)
    with pytest.raises(SingularMatrixError):
        condition_number(RationalMatrix([[1, 2], [2, 4]]))


@pytest.mark.parametrize("p", [HALF, Fraction(1, 100), Fraction(99, 100)])
def test_the_inflation_of_two_states(p: Fraction) -> None:
    """A state is left with probability p: λ = 1 − 2p, and (1 + λ)/(1 − λ) = (1 − p)/p, whatever the function."""
    P, d = RationalMatrix([[1 - p, p], [p, 1 - p]]), RationalMatrix.column([HALF, HALF])
    f = slow_function(P.to_float(), d.to_float()[:, 0])
    long_run, square = inflation(P, d, f)
    assert long_run[0, 0] / square[0, 0] == (1 - p) / p
    off_centre, its_square = inflation(P, d, RationalMatrix.column([1, 0]))
    assert off_centre[0, 0] / its_square[0, 0] == (1 - p) / p
    above, below = inflation(MidRadMatrix.enclosing(P), MidRadMatrix.enclosing(d), f)
    assert above.contains(long_run) and below.contains(square)


def test_the_slowest_function_is_proposed() -> None:
    """A ring of nine, walked both ways: λ = cos(2π/9) is the second eigenvalue; the chain is reversible."""
    P = RationalMatrix([[HALF if (i - j) % 9 in (1, 8) else 0 for j in range(9)] for i in range(9)])
    d = RationalMatrix.column([Fraction(1, 9)] * 9)
    long_run, square = inflation(P, d, slow_function(P.to_float(), d.to_float()[:, 0]))
    lam = np.cos(2 * np.pi / 9)
    assert float(long_run[0, 0] / square[0, 0]) == pytest.approx((1 + lam) / (1 - lam), rel=1e-9)


def test_updates_before_an_error_has_shrunk() -> None:
    """J = diag(−1, −ε): a step below 2/(1 + ε) shrinks the slow part by 1 − 2ε/(1 + ε) at most."""
    eps = Fraction(1, 1000)
    least = updates_per_e_fold(-(1 + eps), 2, -eps)
    assert least == (1 + eps) / (4 * eps) - 1
    for alpha in np.linspace(0.01, 2.0, 200):
        factor = max(abs(1 - alpha), abs(1 - alpha * float(eps)))
        assert factor >= 1 or -1 / np.log(factor) >= float(least)


# ---- each warning fires, and does not ---------------------------------------------------------------------


def numbers_of(model: Model, arithmetic: Arithmetic = Arithmetic.EXACT) -> ModelNumbers:
    """What advice about a model is made from; the facts are exact, whatever arithmetic they are said to come from."""
    return ModelNumbers(replace(exact_facts(model), arithmetic=arithmetic))


def asked(model: Model) -> Warnings:
    """The warnings of a model; of schedules its own alone is compared."""
    numbers = numbers_of(model)
    compared = ScheduleComparison(())
    if numbers.facts.single is not None and not model.uncovered_when_recurrent:
        row = exact_row(model, numbers.facts, Candidate(model.schedule, True))
        compared = ScheduleComparison((row,), None, numbers.facts.single.projection_error_squared)
    return ask(numbers, compared)


def sticky(p: Fraction) -> Model:
    """Two states, each left with probability p; φ = (1, 2)."""
    P = RationalMatrix([[1 - p, p], [p, 1 - p]])
    return Model.reward_process(P, RationalMatrix.column([1, 0]), HALF, RationalMatrix.column([1, 2]))


def rare(q: Fraction) -> Model:
    """State 1 is entered with probability q and left at once: its law is q/(1 + q)."""
    P = RationalMatrix([[1 - q, q], [1, 0]])
    return Model.reward_process(P, RationalMatrix.column([1, 0]), HALF, RationalMatrix.column([1, 1]))


def scaled(size: int) -> Model:
    """A fair coin; features 1 in one state and ``size`` in the other: C = diag(1, size²)/2, cond_∞ = size²."""
    P = RationalMatrix([[HALF, HALF]] * 2)
    return Model.reward_process(P, RationalMatrix.column([1, 0]), Fraction(0), RationalMatrix([[1, 0], [0, size]]))


def ratio(mu: Fraction, gamma: Fraction = Fraction(0), schedule: Schedule | None = None, sign: int = 1) -> Model:
    """One state, two actions, the target policy takes the first one, the behaviour with probability ``mu``."""
    one = RationalMatrix([[1]])
    return Model(
        ("wanted", "other"),
        (one, one),
        (one, one),
        (one.scaled(gamma),) * 2,
        RationalMatrix([[mu, 1 - mu]]),
        RationalMatrix([[1, 0]]),
        one.scaled(sign),
        schedule or Schedule(),
        "one state, two actions",
    )


def amplified(off: Fraction) -> Model:
    """θ→2θ with rewards (1, 0) has A = ½(6γ − 5): θ* runs away as γ comes near 5/6."""
    return gallery.theta_to_two_theta(Fraction(5, 6) + off, Schedule(), (1, 0))


def pulled(gamma: Fraction) -> Model:
    """θ→2θ, tabular: A = ½ [[−1, γ], [0, γ − 1]] is stable, and −sym A ≻ 0 exactly if 1 − γ > γ²/4."""
    return gallery.theta_to_two_theta(gamma).with_features(RationalMatrix([[1, 0], [0, 1]]))


def endless(mu: Fraction, sign: int = 1) -> Model:
    """λ = 1 without end, γ = ½: z̃' = ½ρz̃ + φ, E z̃² = 3/(1 − 1/(4μ)) for μ > ¼, E z² = E z̃²/μ; on-policy z = 2φ."""
    return ratio(mu, HALF, Schedule.constant(Fraction(1)), sign)


def ended(features: RationalMatrix, reward: int = 0) -> Model:
    """State 0 leads to state 1, which ends the episode: reward 1 on the way, ``reward`` and discount 0 behind it."""
    P, G = RationalMatrix([[0, 1], [1, 0]]), RationalMatrix.column([HALF, 0])
    return Model.reward_process(
        P, RationalMatrix.column([1, reward]), RationalMatrix([row * 2 for row in G.rows]), features
    )


CASES: list[tuple[str, str, Callable[[], Model], Callable[[], Model]]] = [
    ("several_classes", "warning", two_absorbing_states, lambda: sticky(HALF)),
    ("terminal_features", "serious", lambda: ended(ONES), lambda: ended(RationalMatrix([[1], [0]]))),
    ("terminal_features", "note", lambda: ended(TABULAR), lambda: ended(TABULAR, reward=1)),
    ("absorbing_state", "serious", lambda: gallery.absorbing_pair(((0,), (1,))), gallery.absorbing_pair),
    ("coverage", "serious", uncovered_rewards, lambda: ratio(HALF)),
    ("mean_dynamics", "serious", lambda: amplified(Fraction(1, 15)), lambda: amplified(Fraction(-1, 3))),
    ("transient_states", "note", lambda: gallery.absorbing_pair(((0,), (1,))), lambda: gallery.flip_chain()),
    ("not_unique", "note", lambda: gallery.one_state(HALF, features=(1, 2)), lambda: gallery.one_state(HALF)),
    ("slow_mixing", "warning", lambda: sticky(Fraction(1, 101)), lambda: sticky(Fraction(1, 100))),
    ("slow_mixing", "serious", lambda: sticky(Fraction(1, 10_001)), lambda: sticky(HALF)),
    ("rare_states", "warning", lambda: rare(Fraction(1, 9_999)), lambda: rare(Fraction(1, 9_998))),
    ("rare_states", "serious", lambda: rare(Fraction(1, 10**8 - 1)), lambda: rare(HALF)),
    ("condition_of_C", "warning", lambda: scaled(100), lambda: scaled(99)),
    ("condition_of_C", "serious", lambda: scaled(10_000), lambda: scaled(99)),
    ("condition_of_A", "warning", lambda: scaled(100), lambda: scaled(99)),
    ("large_ratio", "warning", lambda: ratio(Fraction(1, 10)), lambda: ratio(Fraction(1, 9))),
    ("large_ratio", "serious", lambda: ratio(Fraction(1, 100)), lambda: ratio(HALF)),
    ("slow_dynamics", "warning", lambda: scaled(64), lambda: scaled(63)),
    ("error_amplified", "warning", lambda: amplified(Fraction(-1, 50)), lambda: amplified(Fraction(-1, 3))),
    ("error_amplified", "serious", lambda: amplified(Fraction(1, 10**4)), lambda: amplified(Fraction(-1, 3))),
    ("transient_growth", "note", lambda: pulled(Fraction(9, 10)), lambda: pulled(HALF)),
    ("trace_variance", "serious", lambda: endless(Fraction(1, 4)), lambda: endless(Fraction(1, 3))),
    ("trace_variance", "warning", lambda: endless(Fraction(3, 10)), lambda: endless(Fraction(1, 3))),
    ("trace_variance", "warning", lambda: endless(Fraction(1, 4), -1), lambda: endless(Fraction(1, 3), -1)),
]


@pytest.mark.parametrize(("name", "severity", "bad", "good"), CASES, ids=[f"{c[0]}-{c[1]}" for c in CASES])
def test_it_fires_where_it_should(
    name: str, severity: str, bad: Callable[[], Model], good: Callable[[], Model]
) -> None:
    found = fired(bad())[name]
    assert found.severity == severity and found.text.endswith(".")
    warnings = asked(good())
    assert name not in {w.id for w in warnings.fired} and name in warnings.asked


def test_the_second_moment_of_an_endless_trace() -> None:
    """μ = 3/10: E z̃² = 18, E z² = 60, against 4 on-policy."""
    assert fired(endless(Fraction(3, 10)))["trace_variance"].numbers == {"times_at_least": 15}


def test_an_undetermined_value() -> None:
    assert [*fired(gallery.fair_coin_chain(1))] == ["value_not_unique"]


def test_a_value_that_is_undetermined_at_a_transient_state_alone() -> None:
    """Two states lead to each other, discounted; from the third the target policy stays for ever, undiscounted."""
    leave = RationalMatrix([[HALF, HALF, 0], [HALF, HALF, 0], [1, 0, 0]])
    stay = RationalMatrix([[HALF, HALF, 0], [HALF, HALF, 0], [0, 0, 1]])
    discount, rewards = RationalMatrix.column([HALF, HALF, 1]), RationalMatrix.column([1, 0, 1])
    mu, pi = RationalMatrix([[HALF, HALF]] * 3), RationalMatrix([[HALF, HALF], [HALF, HALF], [0, 1]])
    Phi = RationalMatrix([[1], [2], [1]])
    model = Model(("leave", "stay"), (leave, stay), (rewards,) * 2, (discount,) * 2, mu, pi, Phi, Schedule())
    found = fired(model)["value_not_unique"]
    assert found.severity == "note" and found.text.endswith("At the recurrent states it is determined.")
    met = replace(model, discounts=(RationalMatrix.column([1, 1, 1]),) * 2)
    assert fired(met)["value_not_unique"].severity == "serious"


def test_the_serious_ones_come_first() -> None:
    order = ["serious", "warning", "note"]
    found = [w.severity for w in asked(gallery.theta_to_two_theta(Fraction(9, 10), Schedule(), (1, 0))).fired]
    assert found == sorted(found, key=order.index)


def test_what_is_not_asked_says_why() -> None:
    several = asked(two_absorbing_states())
    assert several.not_asked and {name for name, _ in several.not_asked} & set(several.asked) == set()
    assert all(why for _, why in several.not_asked)
    assert nothing("too large").warnings.not_asked == (("all", "too large"),)
    assert nothing("too large").comparison.why == "too large"


def test_features_of_terminal_states_are_asked_about_in_every_arithmetic() -> None:
    """Rounding does not show that a prediction is exactly zero: then the warning stays a serious one."""
    for arithmetic in ("exact", "enclosed", "sparse"):
        found = tdcert.analyze(ended(ONES), arithmetic=arithmetic, what="warnings")
        said = {w["id"]: w for w in found["warnings"]}["terminal_features"]
        assert said["severity"] == "serious" and said["numbers"] == {"states": [1]}
        assert said["text"].startswith("State s1 is left") and '"terminal"' in said["text"]
        good = tdcert.analyze(ended(RationalMatrix([[1], [0]])), arithmetic=arithmetic, what="warnings")
        assert "terminal_features" in good["warnings_asked"]
        assert "terminal_features" not in {w["id"] for w in good["warnings"]}


def walk_to_the_ends(**changed: Any) -> Any:
    """A walk on four states; the outer two keep what enters them, as tables of transitions are often written."""
    P = [[1, 0, 0, 0], ["1/2", 0, "1/2", 0], [0, "1/2", 0, "1/2"], [0, 0, 0, 1]]
    rewards = [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]]
    made = {"P": P, "rewards": rewards, "discount": 0.5, "features": [[1, 0], [1, 1], [1, 2], [1, 3]], **changed}
    return tdcert.analyze(**made, what="warnings")


def said_of_ends(found: Any) -> dict[str, Any]:
    return {w.id: w.numbers["states"] for w in found.warnings if w.id in ("absorbing_state", "terminal_features")}


def test_ends_of_episodes_that_are_written_as_absorbing_states() -> None:
    found = walk_to_the_ends()
    assert said_of_ends(found) == {"absorbing_state": [0, 3]}
    (warned,) = [w for w in found.warnings if w.id == "absorbing_state"]
    assert warned.severity == "serious" and '"terminal"' in warned.text
    start = [[0, "1/2", "1/2", 0], ["1/2", 0, "1/2", 0], [0, "1/2", 0, "1/2"], [0, "1/2", "1/2", 0]]
    assert said_of_ends(walk_to_the_ends(P=start, terminal=[0, 3], features="tabular")) == {}
    # Rewarded stays, ends that are nowhere entered, and an end that one action leaves are meant as they are.
    paid = [[1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 1]]
    assert said_of_ends(walk_to_the_ends(rewards=paid)) == {}
    alone = [[1, 0, 0, 0], [0, "1/2", "1/2", 0], [0, "1/2", "1/2", 0], [0, 0, 0, 1]]
    assert said_of_ends(walk_to_the_ends(P=alone)) == {}
    left = {"walk": start, "stay": alone}
    assert said_of_ends(walk_to_the_ends(P=left, behaviour="uniform")) == {}


def test_ends_are_found_in_sparse_arrays_too() -> None:
    for arithmetic in ("enclosed", "sparse"):
        assert said_of_ends(walk_to_the_ends(arithmetic=arithmetic)) == {"absorbing_state": [0, 3]}


def test_features_given_for_terminal_states_are_a_serious_warning() -> None:
    """A note where a function of the state gives them: it is asked for every state, and docs/recipes.md teaches it."""
    start = [[0, 1, 0, 0], ["1/2", 0, "1/2", 0], [0, "1/2", 0, "1/2"], [0, 1, 0, 0]]
    for arithmetic in ("exact", "sparse"):
        found = walk_to_the_ends(P=start, terminal=[0, 3], arithmetic=arithmetic)
        assert said_of_ends(found) == {"terminal_features": [0, 3]}
        assert found.warnings[0].severity == "serious" and "2 terminal states" in found.warnings[0].text
        taught = walk_to_the_ends(P=start, terminal=[0, 3], arithmetic=arithmetic, features=lambda s: [1, s])
        assert said_of_ends(taught) == {"terminal_features": [0, 3]} and {w.severity for w in taught.warnings} == {
            "note"
        }
        assert taught.warnings[-1].text == found.warnings[0].text  # the same is said, as no fault
    zeros = [[0, 0], [1, 1], [1, 2], [0, 0]]
    assert said_of_ends(walk_to_the_ends(P=start, terminal=[0, 3], features=zeros)) == {}


def fired(model: Model) -> dict[str, Warned]:
    """What fires, by id."""
    return {w.id: w for w in asked(model).fired}


def test_the_trace_of_dependent_features_is_that_of_the_features_given() -> None:
    """Φ rows (1, 10), TD(0): z = φ has the square 101 in both rows, whatever columns span the features."""
    P = RationalMatrix([[HALF, HALF]] * 2)
    model = Model.reward_process(P, RationalMatrix.column([1, 0]), HALF, RationalMatrix([[1, 10], [1, 10]]))
    (row,) = [row for row in compare(numbers_of(model)).rows if row.candidate.own]
    assert row.trace_square == Quantity.exact(Fraction(101))
    assert trace_second_moment(model, (0, 1)) == RationalMatrix([[1, 10], [10, 100]])
    # twice the feature (1, 2) off-policy: as large against the bound on-policy as for one column
    one, two = (fired(endless(Fraction(3, 10)).with_features(RationalMatrix([[1, 2][:d]]))) for d in (1, 2))
    assert one["trace_variance"].numbers == two["trace_variance"].numbers == {"times_at_least": 15}


def test_the_trace_is_known_where_A_is_singular() -> None:
    """θ→2θ at γ = 5/6: A = 0. z = ρφ, E ρ² = 2, E φ² = 5/2."""
    model = gallery.theta_to_two_theta(Fraction(5, 6), Schedule(), (1, 0))
    (row,) = [row for row in compare(numbers_of(model)).rows if row.candidate.own]
    assert row.variance is None and row.trace_square == Quantity.exact(Fraction(5))


def test_slow_dynamics_speak_of_the_recursions_that_they_name() -> None:
    """One state, γ = 999/1000, A = −1/1000: at α = 250,000 and β = 1 GTD has the double eigenvalue ½, so that the mean
    error shrinks by e every 1.44 updates; with β = α no step does it in fewer than 249,999.
    """
    found = fired(gallery.one_state(Fraction(999, 1000)))["slow_dynamics"]
    assert "249,998 (GTD with β = α)" in found.text and "Of other β this says nothing." in found.text

    def radius(alpha: float, beta: float) -> float:
        a = 0.001
        return float(np.abs(np.linalg.eigvals(np.array([[1 - beta, -beta * a], [alpha * a, 1.0]]))).max())

    assert radius(250_000, 1) == pytest.approx(0.5, abs=1e-6)
    gtd = found.numbers["gtd"]
    assert isinstance(gtd, Fraction)
    least = float(gtd)
    for alpha in np.geomspace(1e-4, 3, 300):
        assert radius(alpha, alpha) >= np.exp(-1 / least) * (1 - 1e-12)


COVERED = (
    *("thm_3_2", "thm_3_4", "thm_4_4", "thm_4_5_conditions", "thm_4_6", "mean_square_stability"),
    "off_policy_expansion",
)
"""Claims that assume coverage."""


def transient_gap() -> Model:
    """State 1 leads to the absorbing state 2; the target takes an action there that the behaviour never takes."""
    go, stay = RationalMatrix([[0, 1], [0, 1]]), RationalMatrix([[1, 0], [0, 1]])
    zero, discount, even = RationalMatrix.zeros(2, 1), RationalMatrix.column([HALF] * 2), [HALF, HALF]
    return Model(
        ("go", "stay"),
        (go, stay),
        (RationalMatrix.column([0, 1]), zero),
        (discount,) * 2,
        RationalMatrix([[1, 0], even]),
        RationalMatrix([even, even]),
        RationalMatrix.column([1, 1]),
        Schedule(),
        "gap",
    )


@pytest.mark.thorough
def test_a_pair_that_is_missing_in_a_transient_state_changes_nothing() -> None:
    """Reward ½ in state 2 on average and γ = ½: θ* = 1, where the algorithms rest as well."""
    model = transient_gap()
    assert model.uncovered == ((0, 1),) and theorem_matrices(model, (1,)).theta_star == RationalMatrix([[1]])
    assert "coverage" not in fired(model) and compare(numbers_of(model)).rows
    verdicts = {row.id: decide(row.load(), model).verdict.status for row in ENTRIES if row.id in COVERED}
    assert set(verdicts.values()) == {Status.HOLDS} and len(verdicts) == len(COVERED)
    enclosed = analyse_enclosed(model, statements=asked_in_enclosures()).verdicts
    assert enclosed["thm_4_4"].status is enclosed["thm_4_6"].status is Status.HOLDS
    (part,) = analyse_sparse(in_floats(model)).classes
    gtd = part.dynamics[MEAN_G]
    assert part.hypotheses["coverage"].holds and gtd.mean_dynamics == "stable"


def test_what_missing_coverage_changes() -> None:
    """Rewards 1 and 0: the algorithms rest at 2 where θ* = 1. Equal rewards of zero: both rest at 0."""
    apart = fired(uncovered_rewards())["coverage"]
    assert apart.numbers == {"pairs": 1, "distance_squared": 1} and "is not θ*" in apart.text
    silent = replace(uncovered_rewards(), rewards=(RationalMatrix([[0]]),) * 2)
    same = fired(silent)["coverage"]
    assert same.severity == "warning" and "with the same fixed point" in same.text
    unseen = fired(silent.with_features(RationalMatrix([[0]])))["coverage"]
    assert unseen.severity == "note" and "A and b are the same" in unseen.text


def test_a_ratio_in_a_transient_state_multiplies_few_updates() -> None:
    model = replace(transient_gap(), behaviour=RationalMatrix([[Fraction(999, 1000), Fraction(1, 1000)], [HALF, HALF]]))
    assert "large_ratio" not in fired(model)


def absorbing(rewards: tuple[int, int], gamma: Fraction | int = HALF, tabular: bool = False) -> Model:
    """Two absorbing states."""
    one = RationalMatrix([[1, 0], [0, 1]])
    features = one if tabular else RationalMatrix.column([1, 1])
    return Model.reward_process(one, RationalMatrix.column(rewards), Fraction(gamma), features)


@pytest.mark.parametrize(
    ("model", "severity", "words"),
    [
        (absorbing((1, 0)), "warning", "no θ is a fixed point in all of them"),
        (absorbing((1, 1)), "note", "all have the same fixed point"),
        (absorbing((1, 0), tabular=True), "note", "some θ is a fixed point in all of them"),
        (absorbing((1, 0), 1), "warning", "in 1 of them Aθ + b = 0 has no solution"),
        (absorbing((1, 1), 1), "warning", "in each Aθ + b = 0 has no solution"),
        (absorbing((0, 0), 1), "note", "some θ is a fixed point in all of them"),
    ],
)
def test_fixed_points_of_several_classes(model: Model, severity: str, words: str) -> None:
    found = fired(model)["several_classes"]
    assert found.severity == severity and words in found.text


def test_each_class_is_counted_where_dynamics_are_not_stable() -> None:
    """γ = 1 in one class of two: there the mean dynamics of all three are marginal."""
    one = RationalMatrix([[1, 0], [0, 1]])
    discount = RationalMatrix([[1, 1], [HALF, HALF]])
    model = Model.reward_process(one, RationalMatrix.column([0, 1]), discount, RationalMatrix.column([1, 1]))
    found = fired(model)["mean_dynamics"]
    assert found.numbers == {name: {"marginal": 1} for name in ("td", "gtd", "tdc")}
    assert "TD (in 1 of 2 classes)" in found.text


def test_no_growth_where_the_form_is_never_positive() -> None:
    """θ→2θ, tabular: −sym A = ½ [[1, −γ/2], [−γ/2, 1 − γ]] is singular at γ² = 4(1 − γ), an irrational γ; discounts
    γ_1 = 4/5 and γ_2 = 21/25 have γ_1² = 4(1 − γ_2): sym A ≤ 0 is singular, and A is stable.
    """
    model = replace(pulled(HALF), discounts=(RationalMatrix.column([Fraction(4, 5), Fraction(21, 25)]),) * 2)
    A = behaviour_matrices(model, (0, 1)).A
    assert A.symmetric_part().rank == 1 and A.rank == 2
    assert "transient_growth" not in fired(model) and "transient_growth" in asked(model).asked


@pytest.mark.thorough
def test_bounds_are_called_inapplicable_and_not_unknown() -> None:
    """Off-policy: ‖M‖_D < 1 would give one, so nothing is said about what is known."""
    sentences = answer(compare(numbers_of(gallery.theta_to_two_theta(Fraction(1, 10)))).rows)
    assert not any("is known for any schedule" in line for line in sentences)
    loud = answer(compare(numbers_of(gallery.theta_to_two_theta(HALF, Schedule(), (1, 3)))).rows)
    (line,) = [line for line in loud if line.startswith("The error bound applies to none")]
    assert line.endswith("is for equal policies, λ's in [0, 1] and κ < 1.")


def test_a_transient_state_that_the_others_determine_and_one_that_they_do_not() -> None:
    P = RationalMatrix([[0, 1], [0, 1]])
    for features, words in (
        (RationalMatrix.column([3, 1]), "The predictions in the recurrent states determine those there as well."),
        (RationalMatrix([[1, 0], [0, 1]]), "do not determine that in state s0."),
    ):
        model = Model.reward_process(P, RationalMatrix.column([0, 1]), HALF, features)
        found = fired(model)["transient_states"]
        assert found.text.endswith(words)


def test_numbers_in_sentences_are_rounded_to_the_side_they_claim() -> None:
    assert [at_least(F) for F in map(Fraction, ("1.2399", "999.99", "1999.9", "12399999", "1/3"))] == [
        "1.23",
        "999",
        "1,999",
        "1.23e+7",
        "0.333",
    ]
    assert [about(F) for F in map(Fraction, ("10", "10.04", "1999.9"))] == ["10", "about 10", "about 2,000"]
    assert at_least(Fraction(10) ** 400) == "1e+400"


@pytest.mark.parametrize("model", [sticky(Fraction(1, 200)), rare(Fraction(1, 10**5)), scaled(200)])
def test_enclosures_warn_as_fractions_do(model: Model) -> None:
    exact, about = numbers_of(model), numbers_of(model, Arithmetic.ENCLOSED)
    for which in (0, 1):
        sure, near = exact.condition(which), about.condition(which)
        assert sure is not None and near is not None and near[0] <= sure[0] <= near[1]
        assert near[1] - near[0] <= sure[0] / 10**6
    assert exact.inflation is not None and about.inflation is not None
    assert about.inflation[0] <= about.inflation[1] <= (1 + Fraction(1, 10**6)) * about.inflation[0]
    assert exact.rarest is not None and about.rarest is not None
    assert about.rarest[1][0] <= exact.rarest[1][0] <= about.rarest[1][1]
