"""All values of γ, of λ, of the ratio of steps: by hand, against formulas in SymPy, and against analyses at values."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any

import pytest
import sympy

from tdcert.algorithms import NAMES, for_model, named
from tdcert.analysis.updates import analyse_updates
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.stable_values import Stretch
from tdcert.theory.engine import for_all_values as file
from tdcert.theory.engine.declare import algorithm
from tdcert.theory.engine.for_all_values import ForAllValues, Varied, for_all_values
from tdcert.theory.engine.robustness import dynamics_on
from tdcert.theory.errors import InputError
from tdcert.theory.limits import TIMES
from tdcert.theory.model.gallery import bairds_star, fair_coin_chain, one_state, theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.progress import silently
from tests.abilities_model import two_policies

F = Fraction
GAMMA, LAMBDA, RATIO = Varied
THETA_2THETA = theta_to_two_theta(F(9, 10))
STAR = bairds_star(F(9, 10))


def asked(model: Model, update: Any, varied: Varied) -> ForAllValues | str:
    """The answer about an update, shipped or not, on the first recurrent class."""
    found = for_model(named(update) if isinstance(update, str) else update, model)[0]
    ratios = [F(1)] * len(found.steps)
    return for_all_values(model, found, model.classes[0], varied, ratios)


def told(found: ForAllValues | str) -> list[tuple[str, bool | None]]:
    """Each stretch as an interval with its answer; irrational ends by their polynomials."""
    assert isinstance(found, ForAllValues), found

    def end(one: Any) -> str:
        return "∞" if one is None else str(one.exact or 0 if one.exact is not None else one.polynomial)

    def text(one: Stretch) -> str:
        if one.left == one.right:
            return end(one.left)
        return f"{'[' if one.left_in else '('}{end(one.left)}, {end(one.right)}{']' if one.right_in else ')'}"

    return [(text(one), one.stable) for one in found.stretches]


# ---- by hand --------------------------------------------------------------------------------------

BUT_5_6 = [("[0, 5/6)", True), ("5/6", False), ("(5/6, 1)", True)]


@pytest.mark.parametrize(
    ("update", "varied", "wanted"),
    [
        ("td", GAMMA, [("[0, 1)", True)]),
        ("off_policy_td", GAMMA, [("[0, 5/6)", True), ("[5/6, 1)", False)]),
        ("gtd", GAMMA, BUT_5_6),
        ("tdc", GAMMA, BUT_5_6),
        ("off_policy_td", LAMBDA, [("[0, 4/9]", False), ("(4/9, 1]", True)]),
        ("etd", GAMMA, [("[0, 1)", True)]),
        ("gtd", RATIO, [("(0, ∞)", True)]),
        ("tdc", RATIO, [("(0, 2/25]", False), ("(2/25, ∞)", True)]),
    ],
)
def test_theta_to_two_theta(update: str, varied: Varied, wanted: list[tuple[str, bool]]) -> None:
    """A = 3γ − 5/2 + (3/2)(2γ − 2)γλ/(1 − γλ) and C = 5/2, by hand: half of the time θ is moved by φ = 1 and by φ = 2,
    each towards γ·2θ. At λ = 0 its sign changes at γ = 5/6, at γ = 9/10 with λ at 4/9; det of GTD's and TDC's matrix is
    A² times a positive number, and the trace of TDC's, A − ηC, is negative from η = A/C = 2/25 on.
    """
    model = replace(THETA_2THETA, target=THETA_2THETA.behaviour) if update == "td" else THETA_2THETA
    assert told(asked(model, update, varied)) == wanted


def test_gamma_is_the_largest_discount_and_the_others_keep_their_proportion() -> None:
    """θ→2θ with half the discount on leaving the first state: A = (γ − 1)/2 + (2γ − 2) < 0 for every γ < 1."""
    discounts = tuple(
        RationalMatrix([[x / (2 if s == 0 else 1) for x in row] for s, row in enumerate(G.rows)])
        for G in THETA_2THETA.discounts
    )
    assert told(asked(replace(THETA_2THETA, discounts=discounts), "off_policy_td", GAMMA)) == [("[0, 1)", True)]


def test_discounts_of_zero_are_no_proportions() -> None:
    assert told(asked(theta_to_two_theta(0), "off_policy_td", GAMMA)) == [("[0, 5/6)", True), ("[5/6, 1)", False)]


def test_a_discount_of_one_is_a_value_where_the_model_has_it() -> None:
    """The fair coin's two states, features 1 and 1: the mean is γ − 1, which is zero at 1."""
    model = fair_coin_chain()
    assert model.gamma == 1
    found = asked(replace(model, features=RationalMatrix([[1], [1]])), "td", GAMMA)
    assert told(found) == [("[0, 1)", True), ("1", False)]


@pytest.mark.thorough
def test_bairds_star_has_more_features_than_updates_see() -> None:
    """Seven of eight directions are seen, for every γ."""
    assert told(asked(STAR, "off_policy_td", GAMMA)) == [("[0, 15/17)", True), ("[15/17, 1)", False)]


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["gtd_momentum", "averaging_target"])
def test_what_the_star_hides_is_left_out_of_two_vectors_too(name: str) -> None:
    assert told(asked(STAR, name, GAMMA)) == [("[0, 1)", True)]


def test_what_is_singular_for_every_value_is_stable_for_none() -> None:
    """vmtdc in tables: θ = 1/(γ − 1) times ω = 1 at every state moves nothing, and predictions depend on it."""
    model = replace(THETA_2THETA, features=RationalMatrix([[1, 0], [0, 1]]))
    assert told(asked(model, "vmtdc", GAMMA)) == [("[0, 1)", False)]
    assert told(asked(model, "average_reward_td", GAMMA)) == [("[0, 1)", False)]


# ---- updates of one's own -------------------------------------------------------------------------

ONE = one_state(F(1, 2))


def test_two_time_scales_are_those_that_a_function_declares() -> None:
    """TDC whose second step is a twenty-fifth: from there on as ``tdc`` in units of that step. On θ→2θ with γ = 9/10
    its matrix has the trace A − C/25 = 1/10 > 0, for much smaller first steps A²/−C < 0 decides.
    """

    def own(t: Any, theta: Any, w: Any, alpha: Any, beta: Any) -> Any:
        delta, seen = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta, t.phi @ w
        theta = theta + alpha * t.rho * (delta * t.phi - seen * t.discount * t.phi_next)
        return theta, w + beta / 25 * (t.rho * delta - seen) * t.phi

    shape = {"theta": "d", "w": "d"}
    plain, apart = (algorithm(parameters=shape, steps=("alpha", "beta"), two_scales=two)(own) for two in (False, True))
    assert told(asked(THETA_2THETA, apart, GAMMA)) == BUT_5_6
    found = asked(THETA_2THETA, plain, GAMMA)
    assert isinstance(found, ForAllValues) and answer_at(found, F(9, 10)) is False
    rows = analyse_updates(THETA_2THETA, [plain, apart], silently).rows
    assert [row.answer and row.answer.is_stable for row in rows] == [False, True]


def test_scales_that_are_not_seen_apart_are_undecided_for_all_values_as_at_one() -> None:
    """Both steps move by (γ − 1)θ − w alone: at each γ one number is seen, which neither step moves by itself."""

    @algorithm(parameters={"theta": "d", "w": "d"}, steps=("alpha", "beta"), two_scales=True)
    def mixed(t: Any, theta: Any, w: Any, alpha: Any, beta: Any) -> Any:
        seen = t.discount * (t.phi_next @ theta) - t.phi @ theta - t.phi @ w
        return theta + alpha * seen * t.phi, w + beta * seen * t.phi

    assert dynamics_on(ONE, mixed, (0,), [F(1), F(1)], True).reason == "slow and fast parameters are not seen apart"
    assert told(asked(ONE, mixed, GAMMA)) == [("[0, 1)", None)]


def test_two_time_scales_are_of_two_steps() -> None:
    with pytest.raises(
        InputError, match="two time scales are declared of one step size; give two, or leave two_scales"
    ):
        algorithm(parameters={"theta": "d"}, two_scales=True)


@algorithm(parameters={"theta": "d"}, steps=("alpha",))
def turns(t: Any, theta: Any, alpha: Any) -> Any:
    """Moves away where the discount is above ½."""
    return theta + alpha * (t.phi if t.discount > F(1, 2) else -t.phi) * (t.phi @ theta)


@algorithm(parameters={"theta": "d"}, steps=("alpha",))
def turns_late(t: Any, theta: Any, alpha: Any) -> Any:
    """Moves away where the square of the discount is above ½, where what it does is not asked."""
    return theta + alpha * (t.phi if 2 * t.discount**2 > 1 else -t.phi) * (t.phi @ theta)


@algorithm(parameters={"theta": "d"}, memory={"c": 1}, steps=("alpha",))
def remembers(t: Any, theta: Any, c: Any, alpha: Any) -> Any:
    """c' = (4γ − 2)c + 1: sizes contract for ¼ < γ < ¾ alone."""
    return theta - alpha * c * t.phi * (t.phi @ theta), (4 * t.discount - 2) * c + 1


@algorithm(parameters={"theta": "d"}, memory={"c": 1}, steps=("alpha",))
def squares(t: Any, theta: Any, c: Any, alpha: Any) -> Any:
    """c' = 2γ²c + 1: sizes contract for γ² < ½ alone."""
    return theta - alpha * c * t.phi * (t.phi @ theta), 2 * t.discount * t.discount * c + 1


@algorithm(parameters={"theta": "d"}, memory={"c": 1}, steps=("alpha",))
def signs(t: Any, theta: Any, c: Any, alpha: Any) -> Any:
    """c' = (γ² − ½)c + 1: sizes contract everywhere, also at √½, where a sign changes; the mean of c is positive."""
    return theta - alpha * c * t.phi * (t.phi @ theta), (t.discount * t.discount - F(1, 2)) * c + 1


@algorithm(parameters={"theta": "d"}, steps=("alpha",))
def two_cases(t: Any, theta: Any, alpha: Any) -> Any:
    """−1 up to ½, and γ − ¾ beyond."""
    factor = t.discount - F(3, 4) if t.discount > F(1, 2) else -1
    return theta + alpha * factor * t.phi * (t.phi @ theta)


@algorithm(parameters={"theta": "d"}, memory={"c": 1}, steps=("alpha",))
def touches(t: Any, theta: Any, c: Any, alpha: Any) -> Any:
    """c' = (1 − (2γ² − 1)²/2)c + 1, which has no mean at √½ alone."""
    gap = 2 * t.discount**2 - 1
    return theta - alpha * t.phi * (t.phi @ theta), (1 - gap * gap / 2) * c + 1


@algorithm(parameters={"a": 1, "b": 1}, steps=("alpha",))
def spirals(t: Any, a: Any, b: Any, alpha: Any) -> Any:
    """The eigenvalues 2γ² − 1 ± i."""
    real = 2 * t.discount**2 - 1
    return a + alpha * (real * a + b), b + alpha * (real * b - a)


@algorithm(parameters={"a": 1, "b": 1}, steps=("alpha",))
def rotates(t: Any, a: Any, b: Any, alpha: Any) -> Any:
    """The eigenvalues ±γi, never on the left."""
    return a + alpha * t.discount * b, b - alpha * t.discount * a


@algorithm(parameters={"theta": "d"}, steps=("alpha",))
def root(t: Any, theta: Any, alpha: Any) -> Any:
    """2γ² − 1, negative up to √½; the discount of the next state stands for γ twice."""
    return theta + alpha * (2 * t.discount * t.discount - 1) * t.phi * (t.phi @ theta)


@algorithm(parameters={"theta": "d"}, steps=("alpha",))
def divides(t: Any, theta: Any, alpha: Any) -> Any:
    """1/(1 + γ)."""
    return theta - alpha * t.phi * (t.phi @ theta) / (1 + t.discount)


@algorithm(parameters={"theta": "d"}, memory={"e": "d"}, steps=("alpha",), schedule="lam")
def cut(t: Any, theta: Any, e: Any, alpha: Any, *, lam: Any = 0) -> Any:
    """Moves away where λ is above ⅓."""
    e = e + t.phi
    return theta - alpha * (1 if 3 * lam <= 1 else -1) * e * (t.phi @ theta), lam * t.discount * e


@pytest.mark.parametrize(
    ("update", "varied", "wanted"),
    [
        (turns, GAMMA, [("[0, 1/2]", True), ("(1/2, 1)", False)]),
        (turns_late, GAMMA, [("[0, (-1, 0, 2))", True), ("(-1, 0, 2)", None), ("((-1, 0, 2), 1)", False)]),
        (remembers, GAMMA, [("[0, 1/4]", None), ("(1/4, 3/4)", True), ("3/4", None), ("(3/4, 1)", None)]),
        (squares, GAMMA, [("[0, (-1, 0, 2))", True), ("[(-1, 0, 2), 1)", None)]),
        (signs, GAMMA, [("[0, 1)", True)]),
        (two_cases, GAMMA, [("[0, 3/4)", True), ("[3/4, 1)", False)]),
        (touches, GAMMA, [("[0, (-1, 0, 2))", True), ("(-1, 0, 2)", None), ("((-1, 0, 2), 1)", True)]),
        (spirals, GAMMA, [("[0, (-1, 0, 2))", True), ("[(-1, 0, 2), 1)", False)]),
        (rotates, GAMMA, [("[0, 1)", False)]),
        (root, GAMMA, [("[0, (-1, 0, 2))", True), ("[(-1, 0, 2), 1)", False)]),
        (cut, LAMBDA, [("[0, 1/3]", True), ("(1/3, 1]", False)]),
    ],
)
def test_an_update_of_ones_own(update: Any, varied: Varied, wanted: list[tuple[str, bool | None]]) -> None:
    """On one state with the feature 1: what is written in each of them."""
    assert told(asked(ONE, update, varied)) == wanted


def test_a_memory_without_a_mean_says_so() -> None:
    found = asked(ONE, remembers, GAMMA)
    assert isinstance(found, ForAllValues)
    assert [one.why.partition(" (")[0] for one in found.stretches] == [
        "whether the memory has a mean is not decided",
        "",
        "the memory has no mean: its size grows without bound in expectation",
        "whether the memory has a mean is not decided",
    ]


@algorithm(parameters={"theta": "d"}, steps=("alpha",))
def apart(t: Any, theta: Any, alpha: Any) -> Any:
    """Takes a vector apart."""
    return theta - alpha * t.phi * t.phi[0] * theta[0]


@algorithm(parameters={"theta": "d"}, memory={"m": "d"}, steps=("alpha",))
def moments(t: Any, theta: Any, m: Any, alpha: Any) -> Any:
    """Remembers a vector along φ' by its product with φ."""
    return theta - alpha * t.phi * (m @ theta), t.discount * (m @ t.phi) * t.phi_next + t.phi


@algorithm(parameters={"theta": "d", "m": "d"}, steps=("alpha",))
def heavy(t: Any, theta: Any, m: Any, alpha: Any) -> Any:
    """Momentum that decays with γ."""
    m = t.discount * m - alpha * t.phi * (t.phi @ theta)
    return theta + m, m


@pytest.mark.parametrize(
    ("update", "varied", "why"),
    [
        ("td", RATIO, "one step size"),
        ("gtd2", LAMBDA, "the update takes no schedule: it is the same update under each"),
        (named("off_policy_td").with_options(lambdas=(F(1, 2),)), LAMBDA, "λ was given as an option of the update"),
        (divides, GAMMA, "'divides' divides by γ, which is not yet a number"),
        (apart, GAMMA, "takes a vector apart"),
        (moments, GAMMA, "the update remembers products of vectors"),
        (heavy, GAMMA, "at steps of zero differs between transitions or values"),
    ],
)
def test_what_has_no_answer_says_why(update: Any, varied: Varied, why: str) -> None:
    assert why in str(asked(THETA_2THETA, update, varied))


def test_a_memory_without_a_mean_at_any_value_is_no_error() -> None:
    """At λ = 1 average-reward TD adds all features up, whatever γ is; at γ = 1 so does the follow-on of ETD, whatever
    λ is. (I − C of the memory's mean is then singular for every value.)
    """
    sums = THETA_2THETA.with_schedule(Schedule((), F(1)))
    assert "the memory has no mean" in str(asked(sums, "average_reward_td", GAMMA))
    assert "the memory has no mean" in str(asked(theta_to_two_theta(1), "etd", LAMBDA))


@algorithm(parameters={"theta": "d"}, steps=("alpha",))
def bends(t: Any, theta: Any, alpha: Any) -> Any:
    """Linear in its step where the discount is the sample, and nowhere else."""
    return theta - alpha * (1 + (t.discount - file.SAMPLE) * alpha) * t.phi * (t.phi @ theta)


def test_what_the_first_value_hides_is_seen() -> None:
    assert "is not linear in its step sizes" in str(asked(ONE, bends, GAMMA))


@pytest.mark.parametrize(
    ("limit", "value", "update", "why"),
    [
        ("VARIED_CONTEXTS", 1, "off_policy_td", "up to 1 contexts, and there are 2; give --limits 2"),
        ("VARIED_ROWS", 1, "gtd", "of up to 1 parameters that updates see, and there are 2; give --limits 2"),
        ("VARIED_PIECES", 1, turns, "more than 1 cases by its comparisons; give --limits 2"),
    ],
)
def test_beyond_the_limits_nothing_is_said(
    monkeypatch: pytest.MonkeyPatch, limit: str, value: int, update: Any, why: str
) -> None:
    monkeypatch.setattr(file, limit, value)
    model = ONE if update is turns else THETA_2THETA
    assert why in str(asked(model, update, GAMMA))
    token = TIMES.set(2)
    try:
        assert isinstance(asked(model, update, GAMMA), ForAllValues)
    finally:
        TIMES.reset(token)


# ---- second implementations -----------------------------------------------------------------------


def drawn(seed: int) -> Model:
    """Three states, two features, two policies."""
    draw = Random(seed)

    def law(count: int, least: int) -> list[Fraction]:
        weights = [draw.randint(least, 4) for _ in range(count)]
        return [F(w, sum(weights)) for w in weights]

    model = two_policies(F(9, 10), Schedule())
    return replace(
        model,
        transitions=tuple(RationalMatrix([law(3, 1) for _ in range(3)]) for _ in range(2)),
        target=RationalMatrix([law(2, 1) for _ in range(3)]),
        behaviour=RationalMatrix([law(2, 1) for _ in range(3)]),
        features=RationalMatrix([[draw.randint(-3, 3) for _ in range(2)] for _ in range(3)]),
    )


def in_sympy(matrix: RationalMatrix) -> sympy.Matrix:
    """The same entries."""
    return sympy.Matrix([[sympy.Rational(x.numerator, x.denominator) for x in row] for row in matrix.rows])


@pytest.mark.thorough
@pytest.mark.parametrize("varied", [GAMMA, LAMBDA])
@pytest.mark.parametrize("seed", [1, 6, 9, 11, 23])
def test_off_policy_td_is_that_of_its_formula_in_sympy(seed: int, varied: Varied) -> None:
    """A = Φᵀ D (I − γλP)⁻¹ (γP − I) Φ, P the target's, D the law of the behaviour: 2×2, so the signs of tr A and det A
    decide, whose numerators SymPy isolates.
    """
    model, x = drawn(seed), sympy.Symbol("x")
    gamma, lam = (x, sympy.Rational(1, 2)) if varied is GAMMA else (sympy.Rational(9, 10), x)
    held = model if varied is LAMBDA else model.with_schedule(Schedule((), F(1, 2)))
    P, Phi = in_sympy(model.target_kernel.P), in_sympy(model.features)
    D = sympy.diag(*in_sympy(model.law_of((0, 1, 2))))
    A = (Phi.T * D * (sympy.eye(3) - gamma * lam * P).inv() * (gamma * P - sympy.eye(3)) * Phi).applyfunc(sympy.cancel)
    signs = [sympy.cancel(A.trace()), sympy.cancel(A.det())]
    roots = {root for sign in signs for root in sympy.Poly(sympy.numer(sympy.together(sign)), x).real_roots()}
    inner = sorted(F(str(sympy.Rational(str(r.evalf(40))))) for r in roots if 0 < r < 1)
    ends = [F(0), *inner, F(1)]
    found = asked(held, "off_policy_td", varied)
    assert isinstance(found, ForAllValues)
    for low, high in pairwise(ends):
        middle = (low + high) / 2
        at = [sign.subs(x, sympy.Rational(str(middle))) for sign in signs]
        assert answer_at(found, middle) is bool(at[0] < 0 < at[1])
    irrational = [one.left for one in found.stretches if one.left.exact is None]
    for end in irrational:
        divisor = sympy.Poly(end.polynomial[::-1], x)
        assert any(sympy.Poly(sympy.numer(sympy.together(sign)), x).rem(divisor).is_zero for sign in signs)


def answer_at(found: ForAllValues, x: Fraction) -> bool | None:
    """The answer at a rational value."""
    held = [
        one
        for one in found.stretches
        if (one.left.high < x or (one.left.exact == x and one.left_in))
        and (one.right is None or one.right.low > x or (one.right.exact == x and one.right_in))
    ]
    (only,) = held
    return only.stable


@pytest.mark.thorough
@pytest.mark.parametrize("varied", list(Varied))
@pytest.mark.parametrize("name", NAMES)
def test_every_algorithm_is_answered_as_analyses_at_values_do(name: str, varied: Varied) -> None:
    """At sixteen values, none of them an end of an interval, on two models: exact analyses, made one by one."""
    for model in (THETA_2THETA, drawn(6), drawn(9)):
        update = for_model(named(name), model)[0]
        found = asked(model, name, varied)
        if isinstance(found, str):
            assert varied is not GAMMA and found in (
                "one step size",
                "the update takes no schedule: it is the same update under each",
            )
            continue
        apart = name == "tdc" and varied is not RATIO
        for k in range(1, 17):
            x = F(k, 17) if varied is not RATIO else F(k, 17 - k or 1)
            largest = max(max(row) for G in model.discounts for row in G.rows)
            held, one = model, update
            if varied is GAMMA:
                held = replace(model, discounts=tuple(G.scaled(x / largest) for G in model.discounts))
            if varied is LAMBDA:
                held = model.with_schedule(Schedule((), x))
                one = for_model(named(name), held)[0]
            ratios = [F(1), *[x if varied is RATIO else F(1)] * (len(update.steps) - 1)]
            exact = dynamics_on(held, one, model.classes[0], ratios, apart).mean_dynamics
            assert answer_at(found, x) is exact.is_stable


def test_a_root_at_which_an_eigenvalue_is_zero_is_not_stable() -> None:
    """direct_gtd on the ring: predictions depend on what its matrix takes to zero, at an irrational γ."""
    found = asked(two_policies(F(1, 2), Schedule()), "direct_gtd", GAMMA)
    (text, stable), (rest, unstable) = told(found)
    assert stable is True and unstable is False and text.endswith(", (-576, 2856, -3544, 460, 443))") and "1)" in rest


def test_draws_are_asked_with_an_empty_memory() -> None:
    """Draws from the law of the path have the same mean at λ = 0."""
    assert told(asked(THETA_2THETA.drawn_independently(), "off_policy_td", GAMMA)) == [
        ("[0, 5/6)", True),
        ("[5/6, 1)", False),
    ]
