"""Warnings: the numbers behind them against closed forms; for each a model where it fires, and one where it does not.

Every threshold is met from both sides by models of one family, so that neither the number nor the threshold can move
without a test.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from claims.advice.advise import nothing
from claims.advice.candidates import Candidate
from claims.advice.comparison import Comparison
from claims.advice.facts import Facts
from claims.advice.quantity import Quantity
from claims.advice.rows import Common, exact_row
from claims.advice.warnings import warnings
from claims.models import two_absorbing_states, uncovered_rewards
from theory.arithmetic import RationalMatrix
from theory.arithmetic.midrad import MidRadMatrix
from theory.check.conditioning import condition_number, inflation, slow_function, updates_per_e_fold
from theory.check.mean_dynamics import gradient_dynamics, td_dynamics
from theory.errors import SingularMatrixError
from theory.model import gallery
from theory.model.mdp import Model
from theory.model.schedule import Schedule

HALF = Fraction(1, 2)


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


def asked(model: Model, value: str | None = "asked elsewhere") -> dict[str, Any]:
    """The warnings of a model, with what they read of the document; of schedules its own alone is compared."""
    classes = model.behaviour_chain.recurrent_classes
    parts = []
    for states in classes if model.has_trace_sum else ():
        td = td_dynamics(model, states)
        gtd, tdc = gradient_dynamics(model, states)
        rows = {"td": td if model.is_on_policy else None, "off_policy_td": td, "gtd": gtd, "tdc": tdc}
        parts.append({"algorithms": {k: row and {"mean_dynamics": row.mean_dynamics} for k, row in rows.items()}})
    document: dict[str, Any] = {"classes": parts if len(parts) != 1 else [], "value": value}
    document["algorithms"] = parts[0]["algorithms"] if len(parts) == 1 else None
    compared = Comparison(())
    if len(classes) == 1 and not model.uncovered:
        about = Common.of(model, classes[0])
        left = None if about.projected is None else Quantity.exact(about.projected)
        row = exact_row(model, Candidate(model.schedule, True), classes[0], about)
        compared = Comparison((row,), None, left)
    return warnings(Facts(model, document, exactly=True), compared)


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
    return Model.reward_process(P, RationalMatrix.column([1, 0]), 0, RationalMatrix([[1, 0], [0, size]]))


def ratio(mu: Fraction, gamma: Fraction = Fraction(0), schedule: Schedule | None = None, sign: int = 1) -> Model:
    """One state, two actions, the target policy takes the first one, the behaviour with probability ``mu``."""
    one = RationalMatrix([[1]])
    return Model(
        ("wanted", "other"), (one, one), (one, one), (one.scaled(gamma),) * 2, RationalMatrix([[mu, 1 - mu]]),
        RationalMatrix([[1, 0]]), one.scaled(sign), schedule or Schedule(), "one state, two actions",
    )  # fmt: skip


def amplified(off: Fraction) -> Model:
    """θ→2θ with rewards (1, 0) has A = ½(6γ − 5): θ* runs away as γ comes near 5/6."""
    return gallery.theta_to_two_theta(Fraction(5, 6) + off, Schedule(), (1, 0))


def pulled(gamma: Fraction) -> Model:
    """θ→2θ, tabular: A = ½ [[−1, γ], [0, γ − 1]] is stable, and −sym A ≻ 0 exactly if 1 − γ > γ²/4."""
    return gallery.theta_to_two_theta(gamma).with_features(RationalMatrix([[1, 0], [0, 1]]))


def endless(mu: Fraction, sign: int = 1) -> Model:
    """λ = 1 without end, γ = ½: z̃' = ½ρz̃ + φ, E z̃² = 3/(1 − 1/(4μ)) for μ > ¼, E z² = E z̃²/μ; on-policy z = 2φ."""
    return ratio(mu, HALF, Schedule.constant(Fraction(1)), sign)


CASES: list[tuple[str, str, Callable[[], Model], Callable[[], Model]]] = [
    ("several_classes", "warning", two_absorbing_states, lambda: sticky(HALF)),
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
    found = {w["id"]: w for w in asked(bad())["warnings"]}
    assert found[name]["severity"] == severity and found[name]["text"].endswith(".")
    document = asked(good())
    assert name not in {w["id"] for w in document["warnings"]}
    assert name in document["warnings_asked"]


def test_the_second_moment_of_an_endless_trace() -> None:
    """μ = 3/10: E z̃² = 18, E z² = 60, against 4 on-policy."""
    (found,) = [w for w in asked(endless(Fraction(3, 10)))["warnings"] if w["id"] == "trace_variance"]
    assert found["numbers"] == {"times_at_least": "15"}


def test_an_undetermined_value() -> None:
    assert [w["id"] for w in asked(gallery.fair_coin_chain(1), value=None)["warnings"]] == ["value_not_unique"]


def test_the_serious_ones_come_first() -> None:
    order = ["serious", "warning", "note"]
    found = [w["severity"] for w in asked(gallery.theta_to_two_theta(Fraction(9, 10), Schedule(), (1, 0)))["warnings"]]
    assert found == sorted(found, key=order.index)


def test_what_is_not_asked_says_why() -> None:
    several = asked(two_absorbing_states())
    assert {entry["id"] for entry in several["warnings_not_asked"]} & set(several["warnings_asked"]) == set()
    assert all(entry["why"] for entry in several["warnings_not_asked"])
    assert nothing("too large")["warnings_not_asked"] == [{"id": "all", "why": "too large"}]
    assert nothing("too large")["schedules_missing"] == "too large"


@pytest.mark.parametrize("model", [sticky(Fraction(1, 200)), rare(Fraction(1, 10**5)), scaled(200)])
def test_enclosures_warn_as_fractions_do(model: Model) -> None:
    exact, about = Facts(model, {}, exactly=True), Facts(model, {}, exactly=False)
    for which in (0, 1):
        sure, near = exact.condition(which), about.condition(which)
        assert sure is not None and near is not None and near[0] <= sure[0] <= near[1]
        assert near[1] - near[0] <= sure[0] / 10**6
    assert exact.inflation is not None and about.inflation is not None
    assert about.inflation[0] <= about.inflation[1] <= (1 + Fraction(1, 10**6)) * about.inflation[0]
    assert exact.rarest is not None and about.rarest is not None
    assert about.rarest[1][0] <= exact.rarest[1][0] <= about.rarest[1][1]
