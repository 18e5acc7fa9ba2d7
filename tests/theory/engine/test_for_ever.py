"""Certificates for ever: numbers by hand on models of one and two states, and against exhausted paths."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tdcert.algorithms import named
from tdcert.algorithms.schedules import scheduled
from tdcert.analysis import certify as certified
from tdcert.analysis.certify import Question, certify
from tdcert.sims.last_exit import distances
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.float_enclosures import Floats
from tdcert.theory.certificate import checker
from tdcert.theory.certificate.write import document, text
from tdcert.theory.check.definiteness import is_positive_definite
from tdcert.theory.engine import for_ever
from tdcert.theory.engine.certificates import difference, tables_of
from tdcert.theory.engine.declare import Algorithm, algorithm
from tdcert.theory.engine.error_process import ErrorProcess
from tdcert.theory.engine.for_ever import (
    Envelope,
    Family,
    ForEver,
    NotCertifiedError,
    Phase,
    Scaled,
    SecondMomentBounds,
    envelopes,
    floor_holds,
    least_exponent,
    least_time,
    least_time_once,
    mean,
    no_start,
    propose_family,
    step_holds,
)
from tdcert.theory.engine.nodes import nodes
from tdcert.theory.engine.tables import tables
from tdcert.theory.errors import InputError
from tdcert.theory.files.load import loads_model
from tdcert.theory.laws.decreasing_steps import DecreasingSteps, _root, power, rounded
from tdcert.theory.laws.windows import state_outcomes
from tdcert.theory.model.gallery import (
    HALF,
    absorbing_pair,
    fair_coin_chain,
    flip_chain,
    one_state,
    theta_to_two_theta,
)
from tdcert.theory.model.key_matrices import behaviour_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule, trace_weights
from tests.chains import finite_time_moments
from tests.theory.certificate.test_checker import TRUE
from tests.theory.certificate.test_soundness import Truth, for_ever_forged, stays

F = Fraction
ONE = F(1)
HARMONIC = DecreasingSteps(F(2), F(10))


def process_of(model: Model, algorithm: str, ratio: Fraction) -> ErrorProcess:
    update = named(algorithm)
    return certified.process_of(model, update, (ONE, *[ratio] * (len(update.steps) - 1)))


def coin(algorithm: str = "td") -> ErrorProcess:
    return process_of(fair_coin_chain(HALF), algorithm, ONE)


@pytest.fixture(scope="module")
def found() -> ForEver:
    return least_time(coin(), HARMONIC, F(1, 4), F(9, 10))


def body(known: ForEver) -> dict[str, Any]:
    return dict(document(known.certificate(), known.envelope.process.model, None))


def by_tables(known: ForEver) -> dict[str, Any]:
    """The certificate with the update entry by entry, as the second decision reads it; terms are held equal to tables
    in tests/theory/certificate/test_update_terms.py.
    """
    found = body(known)
    return {**found, "about": {**found["about"], "update": tables_of(known.envelope.process.tables)}}


def accepts(certificate: dict[str, Any]) -> bool:
    try:
        checker.check_text(text(certificate), None)
    except checker.Rejected:
        return False
    return True


def holds(certificate: dict[str, Any]) -> bool:
    """The second decision, which shares nothing with the checker; False where it makes no sense of the certificate."""
    try:
        return stays(Truth(certificate))
    except AssertionError:
        return False


# ---- steps


def test_powers_are_enclosed_and_exact_where_they_can_be() -> None:
    assert power(F(4), F(1, 2), False) == 2 and power(F(4), F(1, 2), True) > 2
    for base, exponent in ((F(7, 3), F(3, 4)), (F(10**12), F(-9, 10)), (F(1, 10**9), F(51, 100))):
        low, high = (power(base, exponent, up) for up in (False, True))
        v, u = exponent.denominator, exponent.numerator
        assert low**v <= base**u <= high**v and high - low <= low * F(1, 2**60)
    assert power(F(5), F(0), True) == 1 and power(F(5), F(-1), True) == F(1, 5)
    assert rounded(F(1, 3)) >= F(1, 3) and rounded(F(1, 3)) - F(1, 3) < F(1, 2**60)


@pytest.mark.parametrize("root", [_root, checker.for_ever.whole_root])
def test_whole_roots(root: Any) -> None:
    """By their definition: below, at and above powers, and of numbers with many digits."""
    rng = random.Random(0)
    for v in (2, 3, 50, 100):
        bases = [rng.getrandbits(bits) + 1 for bits in (1, 4, 9, 30, 64, 70)]
        for x in [base**v + k for base in bases for k in (-1, 0, 1)] + [rng.getrandbits(66 * v) + 1 for _ in range(5)]:
            if x > 0:
                assert root(x, v) ** v <= x < (root(x, v) + 1) ** v


@pytest.mark.parametrize("p", [F(1), F(3, 4)])
def test_the_numbers_of_the_steps_bound_the_steps(p: Fraction) -> None:
    steps = DecreasingSteps(F(3), F(5), p)
    for t in (0, 7, 300):
        now, after = steps.at(t, False), steps.at(t + 1, True)
        theta = (1 - after / steps.at(t, True)) / now
        assert theta <= steps.variation(t) + F(1, 2**50)
        assert float(steps.variation(t)) < 1.25 * float(theta)
    squares = sum(steps.at(t, True) ** 2 for t in range(50, 4_000))
    assert squares <= steps.squares_from(50) < squares * (F(11, 10) if p == 1 else 2)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("1,10,3/2", "Σ α_t = ∞ fails"),
        ("1,10,1/2", "Σ α_t² < ∞ fails"),
        ("1,10,0.3", "Σ α_t² < ∞ fails"),
        ("0.1", "Σ α_t² < ∞ fails"),
        ("0,10", "give A > 0"),
        ("1,0", "T0 > 0"),
        ("1,10,0.777", "denominator is at most 100"),
        ("1,2,3,4", "give A,T0"),
        ("fast", "is not a finite number"),
    ],
)
def test_steps_that_are_refused_name_the_hypothesis(words: str, says: str) -> None:
    with pytest.raises(InputError, match=says.replace("?", r"\?")):
        DecreasingSteps.of_words(words)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"within": "0"}, "above zero"),
        ({"within": "-1"}, "above zero"),
        ({"probability": "1"}, "between 0 and 1"),
        ({"probability": "0"}, "between 0 and 1"),
        ({"algorithm": "gtd", "ratio": "0"}, "above zero"),
        ({"ratio": "2"}, "td has one step size"),
        ({"algorithm": "off_policy_td", "ratio": "1"}, "off_policy_td has one step size"),
        ({"algorithm": "sarsa"}, "no algorithm 'sarsa'"),
        ({"algorithm": "vmtdc", "ratio": "1"}, "takes 2 ratios of step sizes, beta/alpha, zeta/alpha, not 1"),
        ({"theta0": "1,2"}, "give 1, one for each feature"),
    ],
)
def test_questions_without_an_answer_are_refused(change: dict[str, str], says: str) -> None:
    words = {"algorithm": "td", "steps": "2,10", "within": "1/4", "probability": "9/10", **change}
    with pytest.raises(InputError, match=says):
        certify(fair_coin_chain(HALF), Question.of_words(**words))


def test_models_without_one_limit_are_refused() -> None:
    with pytest.raises(InputError, match="the mean matrix of 'td' is singular"):
        process_of(absorbing_pair(((1,), (0,))), "td", ONE)
    identity = RationalMatrix([[1, 0], [0, 1]])
    two = Model.reward_process(identity, RationalMatrix.column([1, 0]), HALF, None, None, "two classes")
    with pytest.raises(InputError, match="2 recurrent classes"):
        process_of(two, "td", ONE)
    with pytest.raises(InputError, match="give the schedule a length"):
        process_of(fair_coin_chain(HALF, Schedule.constant(HALF, None)), "td", ONE)


# ---- the process


def test_the_coin_by_hand() -> None:
    """φ = (1, −1), γ = ½, reward 1 on leaving the first: θ* = ½, and with x = θ − ½ and φ' = ±1 the update adds
    α φ(r + ½φ'/2 − φ/2 + (φ'/2 − φ)x): f = ½ ± ¼ from the first, ½ ± … from the second; E f = ½ and −½, so f̂ = ± ½."""
    process = coin()
    assert process.theta_star == (HALF,)
    moves = {(m.source, m.target): m.H.rows[0] for m in process.moves}
    assert moves == {
        (0, 0): (-HALF, F(3, 4)),
        (0, 1): (-F(3, 2), F(1, 4)),
        (1, 0): (-F(3, 2), -F(3, 4)),
        (1, 1): (-HALF, -F(1, 4)),
    }
    f = process.correction.column_entries()
    assert f[0] - f[1] == 1  # f̂ − E f̂' = E f


@pytest.mark.parametrize("algorithm", ["td", "gtd", "tdc"])
def test_second_moments_are_those_of_the_exact_propagation(algorithm: str) -> None:
    model, t = fair_coin_chain(HALF, Schedule((HALF,))), 6
    process = process_of(model, algorithm, F(2))
    moments = SecondMomentBounds(process, HARMONIC)
    moments.advance(t)
    alphas = [HARMONIC.at(i, True) for i in range(t)]
    sizes = (alphas, [2 * x for x in alphas])
    [exact] = finite_time_moments(model, algorithm, sizes, [t], start=process.start, exact=True)
    star = process.theta_star[0]
    wanted = exact.second[0, 0] - 2 * star * exact.second[0, -1] + star**2
    assert wanted <= moments.squared_error() <= wanted + F(1, 2**60)


def test_irrational_steps_round_upwards_and_not_far() -> None:
    steps = DecreasingSteps(F(2), F(10), F(3, 4))
    moments = SecondMomentBounds(coin(), steps)
    moments.advance(20)
    alphas = steps.floats(20)
    [floats] = finite_time_moments(fair_coin_chain(HALF), "td", (alphas, alphas), [20], start=(HALF, HALF))
    wanted = float(floats.second[0, 0] - floats.second[0, -1] + 0.25)
    assert wanted * (1 - 1e-12) <= float(moments.squared_error()) <= wanted * (1 + 1e-6)


# ---- the inequality


def form_at(family: Family, steps: DecreasingSteps, t: int, h: int) -> RationalMatrix:
    alpha = steps.at(t, True)
    return family.Q + family.T[h].scaled(alpha) + family.S[h].scaled(alpha**2)


@pytest.mark.parametrize(("algorithm", "ratio"), [("td", 1), ("gtd", 1), ("tdc", 2)])
def test_the_inequality_is_that_of_the_conditional_mean(algorithm: str, ratio: int) -> None:
    """At some t and y: E[W_{t+1}(y')] from the moves themselves against (1 − cα)W_t(y) + nα²."""
    process = process_of(fair_coin_chain(HALF), algorithm, F(ratio))
    steps = DecreasingSteps(F(8), F(100))
    known = next(envelopes(process, steps))
    family, phase = known.family, known.phases[0]
    rng = np.random.default_rng(1)
    for t in (phase.start, phase.start + 1, 3 * phase.start + 50):
        alpha = steps.at(t, True)
        for _ in range(20):
            x = [F(int(k), 7) for k in rng.integers(-20, 20, process.size)]
            y = RationalMatrix.column([*x, ONE])
            for h in range(process.count):
                after = F(0)
                for move in process.moves:
                    if move.source == h:
                        moved = y + (move.H @ y).scaled(alpha)
                        after += move.p * form_at(family, steps, t + 1, move.target).quadratic_form(moved)
                before = form_at(family, steps, t, h).quadratic_form(y)
                assert 0 <= after <= (1 - phase.decay * alpha) * before + phase.noise * alpha**2


def test_the_phases_are_not_idle() -> None:
    """Neither more decay, nor much less noise, nor an earlier start is accepted."""
    known = next(envelopes(coin(), HARMONIC))
    family, phase = known.family, known.phases[-1]
    assert step_holds(family, HARMONIC, phase)
    assert not step_holds(family, HARMONIC, replace(phase, decay=2 * phase.decay))
    assert not step_holds(family, HARMONIC, replace(phase, noise=phase.noise / 2))
    assert not floor_holds(family, HARMONIC, phase.start, F(2))


def test_a_correction_that_does_not_solve_its_equation_leaves_an_order() -> None:
    process = coin()
    family = propose_family(process, HARMONIC)
    wrong = [X.scaled(F(-1)) for X in family.T]
    with pytest.raises(ValueError, match="does not vanish"):
        Scaled(Family(process, family.Q, wrong, family.S).change, (1, 2, 2), 1)


@pytest.mark.parametrize("steps", [HARMONIC, DecreasingSteps(F(2), F(20), F(3, 4))], ids=["p = 1", "p = 3/4"])
@pytest.mark.parametrize("name", ["td", "tdc"])
def test_the_slope_of_the_search_is_that_of_its_cost(
    name: str, steps: DecreasingSteps, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By central differences, at the start and away from it; their error is h² at most some hundreds."""
    seen = []

    def looked_at(cost: Callable[[Floats], tuple[float, Floats]], start: Floats, **limits: float) -> Floats:
        for z in (start, start + 0.1 * np.arange(1, 1 + len(start)) / len(start)):
            apart = [(cost(z + e)[0] - cost(z - e)[0]) / 2e-5 for e in 1e-5 * np.eye(len(z))]
            seen.append(np.abs(cost(z)[1] - apart).max() / np.abs(apart).max())
        return start

    monkeypatch.setattr(for_ever, "least_near", looked_at)
    for_ever.best_form(coin(name), steps)
    assert len(seen) == 2 and max(seen) < 1e-6


def test_the_noise_is_its_long_run_mean() -> None:
    """Coin chain: per unit of Q the noise tends to the variance of f + f̂' − f̂, a martingale difference. From the first
    state f + f̂' is ¾ + ½ or ¼ − ½ with mean ½, variance 9/16; from the second −¾ + ½ or −¼ − ½, mean −½, variance 1/16:
    (9/16 + 1/16)/2 = 5/16. The worst window has 9/16."""
    late = DecreasingSteps(F(2), F(10**7))
    known = next(envelopes(coin(), late))
    share = known.phases[0].noise / known.family.Q[0, 0]
    assert F(5, 16) <= share < F(5, 16) * F(101, 100)


def test_means_obey_their_recursion() -> None:
    """e' = (1 − cα)e + nα², iterated, stays below the closed form, which is not far above it in the end."""
    for p in (F(1), F(3, 4)):
        steps = DecreasingSteps(F(4), F(20), p)
        phases = [Phase(0, F(1), F(3), F(2)), Phase(40, F(3, 2), F(5, 2), F(3))]
        e = F(7)
        for t in range(400):
            if t in (1, 10, 39, 40, 41, 100, 399):
                bound = mean(steps, [phase for phase in phases if phase.start <= t], F(7), t)
                assert e <= bound
            phase = phases[0] if t < 40 else phases[1]
            alpha = steps.at(t, True)
            e = rounded((1 - phase.decay * alpha) * e + phase.noise * alpha**2)
        assert mean(steps, phases, F(7), 400) < 2 * e


# ---- the answer


def test_one_time_by_hand() -> None:
    """One state, φ = 1, γ = ½, reward 1: θ* = 2, x' = (1 − α/2)x without noise. α_t = 1/(t + 1), so |x_t| = 2 Π(1 −
    1/(2(t + 1))) = 2, 1, ¾, 5/8, …; P(|x_T| > ε) ≤ |x_T|²/ε² ≤ 1/10 at ε = 2 for |x_T| ≤ 0.632: T = 3."""
    process = process_of(one_state(HALF), "td", ONE)
    assert least_time_once(process, DecreasingSteps(ONE, ONE), F(2), F(9, 10)) == (3, True)


def test_the_chance_by_hand() -> None:
    """One phase from t = 0, c = 1, n = 3, α = 2/(t + 10), so ϑ = ½ and M = 3/(1 − ½) = 6; Mα_0 = 6/5 is above e_0 = 1.
    The squares sum to at most 4/9½ = 8/19: (6/5 + 24/19)/(λε²) for ever, (6/5)/(λε²) once."""
    family = propose_family(coin(), HARMONIC)
    known = Envelope(coin(), HARMONIC, family, (Phase(0, ONE, F(3), ONE),), ONE, 0, 10)
    once, ever = F(6, 5), F(6, 5) + F(24, 19)
    for floor, within in ((ONE, ONE), (HALF, F(3)), (F(1, 4), F(1, 3))):
        assert abs(known.chance(0, floor, within) - ever / (floor * within**2)) < F(1, 2**50)
        assert abs(known.chance(0, floor, within, once=True) - once / (floor * within**2)) < F(1, 2**50)
    above = Envelope(coin(), HARMONIC, family, (Phase(0, ONE, F(3), F(2)),), F(2), 0, 20)
    # e_10 ≤ 6/10 + (2 − 6/5)(½)²
    assert abs(mean(HARMONIC, above.phases, F(2), 10) - F(4, 5)) < F(1, 2**50)


def test_periodic_chains_are_certified_for_regular_steps() -> None:
    known = least_time(process_of(flip_chain(HALF), "td", ONE), DecreasingSteps(F(4), F(10)), F(1, 4), F(9, 10))
    assert accepts(body(known))


@pytest.mark.parametrize(
    ("algorithm", "steps", "says"),
    [("off_policy_td", "1,100", "real part ≥ 0"), ("gtd", "10,1000", "too small for this bound: .* give A above 31")],
)
def test_the_reason_says_what_to_change(algorithm: str, steps: str, says: str) -> None:
    process = process_of(theta_to_two_theta(F(9, 10), rewards=(1, 0)), algorithm, ONE)
    with pytest.raises(NotCertifiedError, match=says):
        least_time(process, DecreasingSteps.of_words(steps), ONE, F(9, 10))


def test_a_hopeless_power_is_told_at_once() -> None:
    """v = 5/16 on the coin (:func:`test_the_noise_is_its_long_run_mean`), so with A = 2, ε = ¼ and p = 0.9

        N + T0 ≥ (4 · 5/16 / ((2P − 1)/160))^(1/(2P − 1)) = (200/(2P − 1))^(1/(2P − 1)),

    200 at P = 1 and 10,000^50 at P = 0.51.
    """
    asked = F(1, 4), F(9, 10)
    assert least_exponent(coin(), DecreasingSteps(F(2), F(10), F(51, 100)), *asked) == pytest.approx(200)
    assert 10 ** least_exponent(coin(), HARMONIC, *asked) == pytest.approx(200)
    with pytest.raises(
        NotCertifiedError, match=r"beyond 10\^.* P = 51/100 .* give P from 0\.6 to 1, or a distance above"
    ) as no:
        least_time(coin(), DecreasingSteps(F(2), F(10), F(51, 100)), *asked, known=())
    enough = F(2 * float(str(no.value).rpartition(" ")[2]))
    assert least_exponent(coin(), DecreasingSteps(F(2), F(10), F(51, 100)), enough, F(9, 10)) < 19


def test_no_n_is_below_its_lower_estimate(found: ForEver) -> None:
    estimate = 10 ** least_exponent(coin(), HARMONIC, found.within, found.probability)
    assert estimate - float(HARMONIC.t0) < found.time


def test_steps_that_stay_too_small_are_told_apart() -> None:
    steps = DecreasingSteps(F(1, 100), F(10), F(9, 10))
    with pytest.raises(NotCertifiedError, match=r"too small for too long: .* give A above") as no:
        least_time(coin(), steps, F(1), F(1, 2))
    least = F(str(no.value).rpartition(" ")[2])
    assert next(envelopes(coin(), replace(steps, a=2 * least))).phases


@pytest.mark.thorough
def test_a_phase_that_gains_little_is_left_out_and_costs_little(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the power that was named above for 0.51. There N is the fifth power of what the phases bound."""
    asked = DecreasingSteps(F(2), F(10), F(3, 5)), F(1, 4), F(9, 10)
    few = least_time(coin(), *asked)
    monkeypatch.setattr(for_ever, "GAIN", F(0))
    all_of_them = least_time(coin(), *asked)
    assert len(few.envelope.phases) < len(all_of_them.envelope.phases) / 2
    assert few.time <= F(105, 100) * all_of_them.time < 10**16


def test_budgets_end_with_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(for_ever, "MOST_BITS", 400)
    with pytest.raises(NotCertifiedError, match=r"by t = \d+ the second moment of the error has grown beyond 2\^320"):
        SecondMomentBounds(coin(), DecreasingSteps(F(10**6), F(1))).advance(1_000)
    monkeypatch.setattr(for_ever, "FOR_EVER_ENTRIES", 15)
    with pytest.raises(NotCertifiedError, match=r"4 transitions between nodes with 2² entries each are 16, .* 15"):
        least_time(coin(), HARMONIC, F(1, 4), F(9, 10))
    assert least_time_once(coin(), HARMONIC, F(1, 4), F(9, 10)) == (59, True)


def test_products_of_random_factors_have_a_time_too() -> None:
    """φ = 1, 2 and r = φ(s) − φ(s')/2: every TD error vanishes at θ* = 1, where nothing is random; elsewhere it is."""
    half = RationalMatrix([[HALF, HALF], [HALF, HALF]])
    features = RationalMatrix([[1], [2]])
    rewards = RationalMatrix([[HALF, 0], [F(3, 2), 1]])
    process = process_of(Model.reward_process(half, rewards, HALF, features, None, "quiet"), "td", ONE)
    assert process.theta_star == (1,) and len({move.H[0, 0] for move in process.moves}) == 4
    assert all(move.H[0, 1] == 0 for move in process.moves)
    known = least_time(process, DecreasingSteps(F(4), F(100)), F(1, 4), F(9, 10))
    certificate = body(known)
    assert accepts(certificate)
    certificate["about"]["time"] = known.time // 2
    assert not accepts(certificate)


@pytest.mark.thorough
def test_steps_that_stay_too_large_are_told_apart() -> None:
    process = process_of(theta_to_two_theta(F(9, 10), rewards=(1, 0)), "gtd", ONE)
    with pytest.raises(NotCertifiedError, match="give a larger T0"):
        least_time(process, DecreasingSteps(F(10**6), F(1)), ONE, F(9, 10))


@pytest.mark.thorough
def test_a_t0_that_is_large_enough_is_named() -> None:
    process = process_of(theta_to_two_theta(F(9, 10), rewards=(1, 0)), "gtd", ONE)
    told = no_start(process, DecreasingSteps(F(100), F(1)), most=0)
    enough = int(told.rpartition("give a larger T0, about ")[2].replace(",", ""))
    assert "up to t = 0 no time was found" in told
    assert next(envelopes(process, DecreasingSteps(F(100), F(enough)))).phases[0].start == 0
    assert not list(envelopes(process, DecreasingSteps(F(100), F(enough, 8)), most=0))


@pytest.mark.thorough
def test_a_form_sees_every_direction() -> None:
    """On the coin TDC's θ does not feel w in the mean: a form that ignores w is best in the end, and holds late."""
    process = process_of(fair_coin_chain(HALF), "tdc", ONE)
    assert least_time(process, DecreasingSteps(F(32), F(800)), F(1, 4), F(9, 10)).time < 100_000


# ---- the certificate


def test_the_checker_accepts_and_not_one_step_earlier(found: ForEver) -> None:
    certificate = body(found)
    assert accepts(certificate)
    assert found.time > found.envelope.phases[-1].start
    certificate["about"]["time"] -= 1
    assert not accepts(certificate)


def scaled(words: str, factor: Fraction) -> str:
    return str(F(words) * factor)


def tamper(certificate: dict[str, Any], where: str) -> None:
    about, witness = certificate["about"], certificate["witness"]
    match where:
        case "within":
            about["within"] = scaled(about["within"], F(9, 10))
        case "probability":
            about["probability"] = "19/20"
        case "larger steps":
            about["steps"][0] = "3"
        case "other start":
            about["begin"] = ["1000000"]
        case "steps that are summable":
            about["steps"][2] = "3/2"
        case "steps that are not square summable":
            about["steps"][2] = "1/2"
        case "another theta":
            witness["rest"] = ["3/4"]
        case "no correction":
            witness["first"] = [[["0", "0"], ["0", "0"]]] * 2
        case "the other sign":
            witness["first"] = [[[scaled(x, F(-1)) for x in row] for row in X] for X in witness["first"]]
        case "no second order":
            witness["second"] = [[["0", "0"], ["0", "0"]]] * 2
        case "less Q":
            witness["lyapunov"] = [[scaled(x, HALF) for x in row] for row in witness["lyapunov"]]
        case "negative Q":
            witness["lyapunov"] = [[scaled(x, F(-1)) for x in row] for row in witness["lyapunov"]]
        case "a higher floor":
            witness["floor"] = "2"
        case "a floor of zero":
            witness["floor"] = "0"
        case "less noise":
            witness["phases"][-1]["noise"] = scaled(witness["phases"][-1]["noise"], HALF)
        case "negative noise":
            witness["phases"][-1]["noise"] = "-1"
        case "more decay":
            witness["phases"][-1]["decay"] = scaled(witness["phases"][-1]["decay"], F(3, 2))
        case "less decay than the steps vary":
            witness["phases"][-1]["decay"] = "1/2"
        case "a higher order":
            witness["phases"][-1]["order"] = "8"
        case "an order below one":
            witness["phases"][-1]["order"] = "1/2"
        case "no phases":
            witness["phases"] = []
        case "phases out of order":
            witness["phases"] = witness["phases"] * 2
        case "a phase after the time":
            witness["phases"][-1]["start"] = about["time"] + 1
        case "no such start law":
            about["start"] = ["1/2", "1/3"]


TAMPERED = (
    "within", "probability", "larger steps", "other start", "steps that are summable",
    "steps that are not square summable", "another theta", "no correction", "the other sign", "no second order",
    "less Q", "negative Q", "a higher floor", "a floor of zero", "less noise", "negative noise", "more decay",
    "less decay than the steps vary", "a higher order", "an order below one", "no phases", "phases out of order",
    "a phase after the time", "no such start law",
)  # fmt: skip


@pytest.mark.parametrize("where", TAMPERED)
def test_tampered_certificates_are_rejected(found: ForEver, where: str) -> None:
    certificate = json.loads(json.dumps(body(found)))
    before = json.dumps(certificate)
    tamper(certificate, where)
    assert json.dumps(certificate) != before
    assert not accepts(certificate)


@pytest.mark.thorough
@pytest.mark.parametrize("where", TAMPERED)
def test_the_second_decision_rejects_them_too(found: ForEver, where: str) -> None:
    """But for the order m: it bounds the recursion of the means, which is iterated there."""
    certificate = json.loads(json.dumps(by_tables(found)))
    tamper(certificate, where)
    assert holds(certificate) == (where in ("a higher order", "an order below one"))


def test_the_checker_charges_what_it_does(found: ForEver) -> None:
    """The estimate is of the size of the work: ten thousand propagated steps are refused without patience."""
    certificate = body(found)
    certificate["witness"]["phases"][0]["start"] = certificate["about"]["time"] = 10**7
    with pytest.raises(checker.NotChecked):
        checker.check_text(text(certificate))


@pytest.mark.parametrize("algorithm", ["gtd", "tdc"])
def test_gradient_methods_have_certificates_too(algorithm: str) -> None:
    known = least_time(
        process_of(fair_coin_chain(HALF), algorithm, F(2)), DecreasingSteps(F(8), F(200)), F(1, 2), F(9, 10)
    )
    certificate = body(known)
    assert accepts(certificate)
    certificate["about"]["ratios"] = ["1", "1"]
    assert not accepts(certificate)


CASES = {
    "td": (fair_coin_chain(HALF), "td", HARMONIC, F(1, 4)),
    "a window": (fair_coin_chain(HALF, Schedule((HALF,))), "td", DecreasingSteps(F(2), F(8)), F(1, 4)),
    "period 2": (flip_chain(HALF), "td", DecreasingSteps(F(4), F(10)), F(1, 4)),
    "gtd": (fair_coin_chain(HALF), "gtd", DecreasingSteps(F(8), F(200)), F(1, 2)),
    "tdc": (fair_coin_chain(HALF), "tdc", DecreasingSteps(F(8), F(200)), F(1, 2)),
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", CASES)
def test_the_second_decision_accepts_what_is_found_and_not_much_less(name: str) -> None:
    model, algorithm, steps, within = CASES[name]
    known = least_time(process_of(model, algorithm, F(1 + (algorithm != "td"))), steps, within, F(9, 10))
    certificate = by_tables(known)
    assert accepts(certificate) and holds(certificate)
    certificate["about"]["within"] = str(within * F(4, 5))
    assert not accepts(certificate) and not holds(certificate)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(3))
def test_forgeries_that_are_accepted_hold(found: ForEver, seed: int) -> None:
    rng, seen = random.Random(seed), 0
    for _ in range(60):
        certificate = for_ever_forged(rng, by_tables(found))
        if accepts(certificate):
            seen += 1
            assert holds(certificate), json.dumps(certificate)
    assert 3 < seen < 57


# ---- any update


@algorithm(parameters={"w": 1, "theta": "d"}, steps=("alpha", "beta"))
def slow_to_believe(t: Any, w: Any, theta: Any, alpha: Any, beta: Any) -> Any:
    """θ follows w, which is learnt: no algorithm that ships; the first parameter is a number."""
    return w + alpha * (t.reward - w), theta + beta * (w - theta[0]) * t.phi * t.phi


def test_the_error_of_a_declared_update_by_hand() -> None:
    """On the coin w* = E r = ½ and φ² = 1, so θ* = ½: (w, θ)' = (w + α(r − w), θ + 3α(w − θ)) at the ratio 3."""
    process = certified.process_of(fair_coin_chain(HALF), slow_to_believe, (ONE, F(3)), (F(2),))
    assert process.rest == (HALF, HALF) and process.measured == range(1, 2)
    assert process.y0 == (-HALF, F(3, 2), ONE) and process.theta0 == (2,) and process.theta_star == (HALF,)
    assert {(m.source, m.H.rows) for m in process.moves} == {
        (h, ((F(-1), F(0), r - HALF), (F(3), F(-3), F(0)), (F(0),) * 3)) for h, r in ((0, F(1)), (1, F(0)))
    }


OF_TERMS = [
    (fair_coin_chain(HALF, Schedule((HALF,))), "td"),
    (fair_coin_chain(HALF, Schedule((HALF, F(1, 3)))), "tdc"),
    (theta_to_two_theta(F(9, 10), Schedule((HALF,)), rewards=(1, 0)), "gtd"),
    (theta_to_two_theta(F(9, 10), Schedule((HALF,)), rewards=(1, 0)), "off_policy_td"),
]


@pytest.mark.parametrize(("model", "name"), OF_TERMS)
def test_the_tables_give_the_process_that_terms_give(model: Model, name: str) -> None:
    """Moves between nodes of the tables against those of traces written here, whose updates are made of the
    algorithm's terms (``theory/laws/schedule_update.py``): the same laws of (I + αH)…(I + αH) along three moves, for
    states and matrices.
    """
    ratio, star = F(3), behaviour_matrices(model, model.behaviour_chain.recurrent_classes[0]).theta_star
    process = process_of(model, name, ratio)
    assert process.theta_star == star.column_entries()
    rest = [*star.column_entries(), *[F(0)] * (process.size - model.d)]
    start, by_hand = moves_of_traces(model, name, ratio, rest, process.start)
    moves = [(m.source, m.target, m.p, m.H) for m in process.moves]
    assert laws(moves, process.first) == laws(by_hand, start)


def moves_of_traces(
    model: Model, name: str, ratio: Fraction, rest: list[Fraction], start: Sequence[Fraction]
) -> tuple[tuple[Fraction, ...], list[tuple[int, int, Fraction, RationalMatrix]]]:
    """The law of the first trace, and the moves between the windows of a state and L pairs (state, product)."""
    update, Phi, c = scheduled(name), model.features.rows, trace_weights(model.schedule.lambdas)
    windows: dict[Any, int] = {(s, ()): s for s in range(model.n)}
    waiting: list[Any] = list(windows)
    found = []
    for place, (s, past) in enumerate(waiting):
        lags = list(zip(c, [(s, F(1)), *past], strict=False))
        z = [sum((w * p * Phi[j][i] for w, (j, p) in lags), F(0)) for i in range(model.d)]
        for o in state_outcomes(model, importance=update.off_policy)[s]:
            factor = o.rho * o.discount
            held = ((s, factor), *((j, p * factor) for j, p in past))[: len(c) - 1] if factor else ()
            if (o.after, held) not in windows:
                windows[o.after, held] = len(waiting)
                waiting.append((o.after, held))
            x = [o.discount * a - b for a, b in zip(Phi[o.after], Phi[s], strict=True)]
            z_t, x_t, phi = (np.array([v], dtype=object) for v in ([o.rho * y for y in z], x, list(Phi[s])))
            U, V = update.matrices(z_t, x_t, phi, np.array([o.reward], dtype=object))
            rows = [
                [*row[:-1], row[-1] + sum(x * y for x, y in zip(row, rest, strict=False))]
                for row in (U + ratio * V)[0].tolist()
            ]
            found.append((place, windows[o.after, held], o.probability, RationalMatrix(rows)))
    return (*start, *[F(0)] * (len(waiting) - len(start))), found


def laws(moves: list[tuple[int, int, Fraction, RationalMatrix]], first: tuple[Fraction, ...]) -> dict[Any, Fraction]:
    """The probability of each sequence of three matrices."""
    found: dict[Any, Fraction] = {(h, ()): p for h, p in enumerate(first) if p}
    for _ in range(3):
        later: dict[Any, Fraction] = defaultdict(Fraction)
        for (at, seen), mass in found.items():
            for h, g, p, H in moves:
                if h == at:
                    later[g, (*seen, H.rows)] += mass * p
        found = later
    total: dict[Any, Fraction] = defaultdict(Fraction)
    for (_, seen), mass in found.items():
        total[seen] += mass
    return total


UNCOVERED = {
    "format": "tdcert-model/1",
    "actions": ["left", "right"],
    "transitions": {"left": [["1/2", "1/2"]] * 2, "right": [[1, 0], [0, 1]]},
    "rewards": {"left": [0, 0], "right": [1, 1]},
    "discount": "1/2",
    "features": [[1], [2]],
    "behaviour": [[1, 0]] * 2,
    "target": [["1/2", "1/2"]] * 2,
}


def declared(words: str | Algorithm, ratio: str | None = None) -> Question:
    """About the coin, from θ_0 = 2, A above what the slowest of them needs."""
    return Question.of_words(words, "8,100", "1/2", "9/10", ratio, "2")


@pytest.mark.parametrize(
    ("words", "ratio"),
    [
        ("averaging_target", "2"),
        pytest.param("gtd2", "2", marks=pytest.mark.thorough),
        pytest.param("vmtdc", "1,1/2", marks=pytest.mark.thorough),
        pytest.param("tdrc", None, marks=pytest.mark.thorough),
        pytest.param("residual_gradient", None, marks=pytest.mark.thorough),
        pytest.param("ridge_td", None, marks=pytest.mark.thorough),
        pytest.param("direct_gtd", None, marks=pytest.mark.thorough),
    ],
)
def test_shipped_updates_have_certificates_and_runs_keep_them(words: str, ratio: str | None) -> None:
    """Runs are of the function itself, in floats: the certified N is not before the quantile of 40 runs."""
    found = certify(fair_coin_chain(HALF), declared(words, ratio))
    assert found.ever_after is not None and found.one_time is not None
    certificate = body(found.ever_after)
    assert accepts(certificate) and certificate["about"]["update"]["name"] == words
    assert difference(certificate, fair_coin_chain(HALF), named(words)) == ""
    elsewhere = difference(certificate, fair_coin_chain(F(1, 3)), named(words))
    (terms,) = certificate["about"]["update"].get("terms", [{}])
    assert bool(elsewhere) == (not terms), "terms do not speak of the model's numbers, and tables do"
    if terms:
        terms["theta"].pop()
        assert "does something else to theta" in difference(certificate, fair_coin_chain(HALF), named(words))
    N = found.ever_after.time
    seen = distances(found.process, found.ever_after.envelope.steps, N, 40, 1)
    assert 0 < seen.least_time(0.5, 0.9) <= N
    certificate["about"]["time"] -= 1
    assert not accepts(certificate)


def test_a_kernel_is_used_for_the_very_update_alone() -> None:
    """The same runs in law: quantiles of distances of TD by its kernel, and of a twin under another name."""
    model, steps = fair_coin_chain(HALF, Schedule((HALF,))), DecreasingSteps(F(2), F(8))
    ours, twin = (
        certified.process_of(model, update, (ONE,)) for update in (named("td"), replace(named("td"), name="twin"))
    )
    by_kernel, by_function = (distances(x, steps, 200, 400, 3) for x in (ours, twin))
    assert np.array_equal(by_kernel.times, by_function.times)
    # medians of 400 runs: between them lies no more than the middle fifth of either, but with chance 2·10⁻⁴ a point
    for k in (20, -1):
        low, high = np.quantile(by_kernel.distance[:, k], (0.35, 0.65))
        assert low <= np.median(by_function.distance[:, k]) <= high


@algorithm(parameters={"theta": "d"}, memory={"m": "d"}, steps=("alpha",))
def remembers_steps(t: Any, theta: Any, m: Any, alpha: Any) -> Any:
    """What is remembered depends on the last step size."""
    return theta + alpha * (t.reward * t.phi - theta) + alpha * m, alpha * t.phi


@algorithm(parameters={"theta": "d"}, steps=("alpha",))
def starts_at_a_pole(t: Any, theta: Any, alpha: Any) -> Any:
    """Small steps are no small changes."""
    return theta + alpha / (alpha + alpha * alpha) * (t.reward - t.phi @ theta) * t.phi


@algorithm(parameters={"theta": "d"}, steps=("alpha",))
def divides_by_less(t: Any, theta: Any, alpha: Any) -> Any:
    """TD(0) with the step α/(1 − α|φ|²)."""
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    return theta + alpha / (1 - alpha * (t.phi @ t.phi)) * delta * t.phi


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("tdrc[lam=1/2]", r"the memory of 'tdrc' has no end, as z\[0\] depends on itself: .* \(with a second moment\)"),
        ("etd", "the memory of 'etd' has no end, as follow_on"),
        ("true_online_td", "the parameters of 'true_online_td' move where its step sizes are zero"),
        ("gtd_momentum", "the parameters of 'gtd_momentum' move where its step sizes are zero"),
        (remembers_steps, r"returns a memory whose entry m\[0\] depends on alpha"),
        (starts_at_a_pole, "divides by what vanishes with its step sizes"),
    ],
)
def test_an_update_without_an_answer_is_refused_with_what_is_missing(words: str | Algorithm, says: str) -> None:
    with pytest.raises(InputError, match=says):
        certify(fair_coin_chain(HALF), declared(words))


@algorithm(parameters={"theta": "d"}, steps=("alpha",))
def begins_anew(t: Any, theta: Any, alpha: Any) -> Any:
    """TD(0) that forgets θ on leaving state 2."""
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    return (0 if t.state == 2 else 1) * theta + alpha * delta * t.phi


def test_states_on_the_way_to_the_class_are_asked_too() -> None:
    """State 2 is transient, and runs start there."""
    P = RationalMatrix([[HALF, HALF, 0]] * 3)
    model = Model.reward_process(P, RationalMatrix.column([1, 0, 2]), HALF, RationalMatrix([[1], [-1], [1]]))
    with pytest.raises(InputError, match="the parameters of 'begins_anew' move where its step sizes are zero"):
        certify(model, declared(begins_anew))


# ---- updates that are not linear in their steps


@algorithm(parameters={"theta": "d"}, memory={"m": "d"}, steps=("alpha",))
def remembers_the_last(t: Any, theta: Any, m: Any, alpha: Any) -> Any:
    """TD(0) over divisors that differ from transition to transition, with α² times what is remembered of the last."""
    delta = t.reward + t.discount * (t.phi_next @ theta) - t.phi @ theta
    share = 2 * alpha / (2 + alpha * (3 + t.phi_next[0]))
    return theta + share * delta * t.phi + share * alpha * (m - theta / 2), t.reward * t.phi


@algorithm(parameters={"w": 1, "theta": "d"}, steps=("alpha", "beta"))
def believes_implicitly(t: Any, w: Any, theta: Any, alpha: Any, beta: Any) -> Any:
    """:func:`slow_to_believe`, over 1 + β, and 1 + αβ."""
    return w + alpha * (t.reward - w) / (1 + alpha * beta), theta + beta * (w - theta[0]) * t.phi * t.phi / (1 + beta)


OTHERS = {
    "implicit_td": (fair_coin_chain(HALF), named("implicit_td"), ONE),
    "gtd2_mp": (fair_coin_chain(HALF), named("gtd2_mp"), F(2)),
    "of two states": (theta_to_two_theta(F(1, 2), rewards=(1, 0)), named("gtd2_mp"), F(1, 2)),
    "remembers": (fair_coin_chain(HALF), remembers_the_last, ONE),
    "believes": (fair_coin_chain(HALF), believes_implicitly, F(3)),
}
STEPS = DecreasingSteps(F(8), F(64))


def sizes_of(update: Algorithm, alpha: Fraction, ratio: Fraction) -> dict[str, Fraction]:
    return dict(zip(update.steps, (alpha, ratio * alpha), strict=False))


def moves_at(
    process: ErrorProcess, alpha: Fraction, ratio: Fraction
) -> list[tuple[int, int, Fraction, RationalMatrix]]:
    """Source, target, p and B of each transition, from the function itself at this step size."""
    sizes = sizes_of(process.algorithm, alpha, ratio)
    chain = nodes(process.model, process.algorithm, process.start, steps=sizes)
    D, found = process.size, []
    for source, target, p, matrix in chain.moves([ONE] + [F(0)] * (len(sizes) - 1)):
        rows = [[x * alpha for x in row] for row in matrix.rows]
        rows = [[*row[:D], row[D] + sum(x * y for x, y in zip(row, process.rest, strict=False))] for row in rows]
        B = RationalMatrix([*rows, [F(0)] * (D + 1)])
        found.append((source, target, p, B + B.identity(D + 1)))
    return found


@pytest.mark.parametrize("name", OTHERS)
def test_the_polynomials_are_the_update_at_every_step(name: str) -> None:
    """H_1, H_2, … and divisors against the function, evaluated at numbers."""
    model, update, ratio = OTHERS[name]
    process = certified.process_of(model, update, (ONE, ratio)[: len(update.steps)])
    for alpha in (F(1, 3), F(2, 7), F(5)):
        found = []
        for move in process.moves:
            assert move.divisor[0] == 1
            q = sum(x * alpha**i for i, x in enumerate(move.divisor))
            B = RationalMatrix.zeros(*move.H.shape)
            for i, part in enumerate(move.numerator):
                B = B + part.scaled(alpha**i / q)
            found.append((move.source, move.target, move.p, B))
        assert found == moves_at(process, alpha, ratio)
    assert any(move.higher or len(move.divisor) > 1 for move in process.moves)


@pytest.mark.thorough
@pytest.mark.parametrize("name", OTHERS)
def test_the_inequality_holds_for_the_update_at_any_step_of_the_box(name: str) -> None:
    """(1 − cα)W + nα²E − Σ p BᵀW'B ≻ 0 exactly, B from the function at rational α and α' = α(1 − ϑα); with an eighth of
    the noise, or four times the decay, it fails somewhere.
    """
    model, update, ratio = OTHERS[name]
    process = certified.process_of(model, update, (ONE, ratio)[: len(update.steps)])
    known = next(envelopes(process, STEPS))
    family, phase, width = known.family, known.phases[0], process.size + 1
    last = RationalMatrix([[int(i == j == width - 1) for j in range(width)] for i in range(width)])
    rng, failed = random.Random(name), {"noise": 0, "decay": 0}
    top, most = STEPS.at(phase.start, True), STEPS.variation(phase.start)

    def form(h: int, alpha: Fraction) -> RationalMatrix:
        return family.Q + family.T[h].scaled(alpha) + family.S[h].scaled(alpha**2)

    for _ in range(25):
        alpha, theta = top * F(rng.randint(1, 64), 64), most * F(rng.randint(0, 8), 8)
        after = [RationalMatrix.zeros(width, width)] * process.count
        for source, target, p, B in moves_at(process, alpha, ratio):
            after[source] = after[source] + (B.T @ form(target, alpha * (1 - theta * alpha)) @ B).scaled(p)

        def holds_with(c: Fraction, n: Fraction, h: int, alpha: Fraction = alpha, after: Any = after) -> bool:
            before = form(h, alpha).scaled(1 - c * alpha) + last.scaled(n * alpha**2)
            return is_positive_definite(before - after[h])

        for h in range(process.count):
            assert holds_with(phase.decay, phase.noise, h)
            failed["noise"] += not holds_with(phase.decay, phase.noise / 8, h)
            failed["decay"] += not holds_with(4 * phase.decay, phase.noise, h)
    assert min(failed.values()) > 0


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("p", [F(1), F(3, 4)])
def test_second_moments_are_those_of_the_update_itself(name: str, p: Fraction) -> None:
    """Propagated with the function at each step; where steps are irrational, at rationals near them."""
    model, update, ratio = OTHERS[name]
    process = certified.process_of(model, update, (ONE, ratio)[: len(update.steps)])
    steps, t = DecreasingSteps(F(1), F(2), p), 5
    moments = SecondMomentBounds(process, steps)
    moments.advance(t)
    y0, width = RationalMatrix.column(process.y0), process.size + 1
    Y = [(y0 @ y0.T).scaled(x) for x in process.first]
    for i in range(t):
        after = [RationalMatrix.zeros(width, width)] * process.count
        for source, target, x, B in moves_at(process, steps.at(i, True), ratio):
            after[target] = after[target] + (B @ Y[source] @ B.T).scaled(x)
        Y = after
    wanted = sum((X[i, i] for X in Y for i in process.measured), F(0))
    if p == 1:
        assert wanted <= moments.squared_error() <= wanted + F(1, 2**60)
    else:
        assert wanted * (1 - F(1, 2**40)) <= moments.squared_error() <= wanted * (1 + F(1, 2**20))


def test_divisors_are_decided_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not before each step: most updates have none, and propagation takes thousands of steps."""
    asked = list[Any]()
    monkeypatch.setattr(for_ever, "require_divisors", lambda *given: asked.append(given))
    moments = SecondMomentBounds(coin(), HARMONIC)
    for t in range(1, 6):
        moments.advance(t)
    assert len(asked) == 1


def test_a_divisor_below_what_is_known_of_steps_is_told() -> None:
    """q = (1 − α/α_0)² + ε(2α/α_0 − (α/α_0)²) is ε at α_0, and steps with p < 1 are known to 2^-64."""
    steps, share = DecreasingSteps(F(2), F(16), F(9, 10)), F(1, 2**70)
    top = steps.enclosed(0)[1]
    q = (ONE, -2 * (1 - share) / top, (1 - share) / top**2)
    process = coin()
    process = replace(process, moves=tuple(replace(move, divisor=q) for move in process.moves))
    for_ever.require_divisors(process, steps)
    with pytest.raises(NotCertifiedError, match=r"may divide by zero at a step size up to 0\.165"):
        SecondMomentBounds(process, steps).advance(1)


@pytest.mark.thorough
def test_moments_are_rounded_once_for_each_divisor_that_leads_to_a_node(monkeypatch: pytest.MonkeyPatch) -> None:
    """A ring of five states with features 1 to 5: a divisor in each, and one way into each."""
    ring = {
        **{"format": "tdcert-model/1", "actions": ["go"], "behaviour": [[1]] * 5, "target": [[1]] * 5},
        **{"transitions": {"go": [[int(t == (s + 1) % 5) for t in range(5)] for s in range(5)]}, "discount": "1/2"},
        **{"rewards": {"go": [1] * 5}, "features": [[s] for s in range(1, 6)], "schedule": {"lambdas": []}},
    }
    model = loads_model(json.dumps(ring)).model
    assert isinstance(model, Model)
    rounded_at, once = list[Any](), for_ever._on_grid

    def counted(X: Any, unit: Any) -> Any:
        rounded_at.append(unit)
        return once(X, unit)

    moments = SecondMomentBounds(process_of(model, "implicit_td", ONE), HARMONIC)
    monkeypatch.setattr(for_ever, "_on_grid", counted)
    moments.advance(3)
    assert len(moments.divisors) == 5 and len(rounded_at) == 15


def test_conjugates_by_hand() -> None:
    """(1 + 2α + 3α²)² 5, and with S = [[1, α], [0, 1]] and X = [[1, 2], [2, 3]]: α² + 4α + 3 in the last place."""
    numbers = [RationalMatrix([[x]]) for x in (1, 2, 3)]
    assert [X[0, 0] for X in for_ever.conjugates(numbers, RationalMatrix([[5]]))] == [5, 20, 50, 60, 45]
    checker.budget.SPENT.set([0, 0])
    checker.budget.BUDGET.set(None)
    of = checker.matrices.Matrix
    plain = checker.errors.conjugates([of([[x]], 1) for x in (1, 2, 3)], of([[5]], 1))
    assert [X.dense() for X in plain] == [[[5]], [[20]], [[50]], [[60]], [[45]]]
    parts, X = ([[1, 0], [0, 1]], [[0, 1], [0, 0]]), [[1, 2], [2, 3]]
    wanted = [[[1, 2], [2, 3]], [[0, 1], [1, 4]], [[0, 0], [0, 1]]]
    exact = for_ever.conjugates([RationalMatrix(part) for part in parts], RationalMatrix(X))
    assert [RationalMatrix(rows) for rows in wanted] == exact
    assert wanted == [Y.dense() for Y in checker.errors.conjugates([of(part, 2) for part in parts], of(X, 2))]


@pytest.mark.parametrize(
    ("does", "says"),
    [
        (lambda t, theta, alpha: theta + t.phi / alpha, "divides by what vanishes with its step sizes"),
        (lambda t, theta, alpha: theta + t.phi / (alpha - alpha), "divides by zero"),
        (lambda t, theta, alpha: theta / (1 + alpha * theta[0]), "divides by a symbol"),
        (lambda t, theta, alpha: theta + t.phi * alpha**0.5, "raises a step size to the power 0.5"),
        (lambda t, theta, alpha: theta + alpha * t.phi * (1 / (1 + alpha) > 0), "asks for the value of what depends"),
    ],
)
def test_what_steps_may_not_do(does: Any, says: str) -> None:
    def update(t: Any, theta: Any, alpha: Any) -> Any:
        """Does it."""
        return does(t, theta, alpha)

    with pytest.raises(InputError, match=says):
        tables(fair_coin_chain(HALF), algorithm(parameters={"theta": "d"}, steps=("alpha",))(update), divided=True)


@algorithm(parameters={"theta": "d"}, steps=("alpha",))
def curved(t: Any, theta: Any, alpha: Any) -> Any:
    """The update of "update, for ever, of a square" (tests/theory/certificate/updates_by_hand.py)."""
    return theta + alpha * (1 - theta / 2) + alpha**2 * t.phi / 8


@algorithm(parameters={"theta": "d"}, steps=("alpha",))
def divided(t: Any, theta: Any, alpha: Any) -> Any:
    """The update of "update, for ever, divided" there."""
    return theta + alpha * (t.phi - theta / 2) / (1 + alpha / 2)


class Wide:
    """A step size known to lie between 1 and 3/2."""

    p = HALF

    def at(self, t: int, up: bool) -> Fraction:
        return F(3, 2) if up else ONE

    def enclosed(self, t: int) -> tuple[Fraction, Fraction]:
        return ONE, F(3, 2)


@pytest.mark.parametrize(
    ("update", "file", "bound", "corner"),
    [
        # x = −2, B = [[½, 1/8], [0, 1]] at the lower end, d_1 = ½ and d_2 = 5/4, n = 2
        (curved, "of a square", F(3, 2) * F(49, 64) + 3 * 2 * (F(1, 4) + F(25, 16) * F(1, 64)), F(3, 2)),
        # B = ⅔ at the lower end, M_1 = 0 − ½ · ⅔, d_1 = ½, and 1 + α/2 is 3/2 − ¼ or more
        (divided, "divided", F(3, 2) * F(16, 9) + 3 * (F(1, 2) / F(5, 4)) ** 2 * F(4, 9), F(3, 2)),
    ],
)
def test_a_step_that_is_hardly_known_by_hand(
    update: Algorithm, file: str, bound: Fraction, corner: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    """(1 + κ)BYBᵀ + (1 + 1/κ) n Σ (d_i/q)² M_i Y M_iᵀ for κ = ½, by both."""
    for module in (for_ever, checker.for_ever):
        monkeypatch.setattr(module, "LOSS", HALF)
    moments = SecondMomentBounds(certified.process_of(one_state(HALF), update, (ONE,)), Wide())  # type: ignore[arg-type]
    moments.advance(1)
    assert bound <= moments.squared_error() <= bound + F(1, 2**70)
    found = list[Any]()
    monkeypatch.setattr(checker.for_ever, "mean", lambda *given, of=checker.for_ever.mean: found.append((of, given)))
    accepts(TRUE[f"update, for ever, {file}"])
    ((mean_of, (errors, _, parts, _)),) = found
    wanted = bound + F(9, 4) / 8 * corner  # W = x² + α²/8 at α = 3/2
    assert wanted <= mean_of(errors, Wide(), parts, 1) <= wanted + F(1, 2**60)


@pytest.mark.thorough
@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("p", ["1", "9/10"])
def test_other_updates_have_certificates_and_runs_keep_them(name: str, p: str) -> None:
    """The checker accepts what is found and nothing sooner; runs are of the function itself."""
    model, update, ratio = OTHERS[name]
    others = None if len(update.steps) == 1 else str(ratio)
    found = certify(model, Question.of_words(update, f"8,64,{p}", "1", "9/10", others))
    assert found.ever_after is not None, found.why
    certificate = body(found.ever_after)
    assert accepts(certificate) and difference(certificate, model, update) == ""
    if p == "1":
        assert holds(by_tables(found.ever_after))
    N = found.ever_after.time
    seen = distances(found.process, found.ever_after.envelope.steps, min(N, 20_000), 40, 1)
    assert seen.least_time(1.0, 0.9) <= N
    certificate["about"]["time"] -= 1
    assert not accepts(certificate)


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["implicit_td", "gtd2_mp", "remembers"])
def test_forgeries_of_other_updates_that_are_accepted_hold(name: str) -> None:
    model, update, ratio = OTHERS[name]
    process = certified.process_of(model, update, (ONE, ratio)[: len(update.steps)])
    true = by_tables(least_time(process, STEPS, F(1), F(9, 10)))
    rng, seen = random.Random(name), 0
    for _ in range(30):
        certificate = for_ever_forged(rng, true)
        if accepts(certificate):
            seen += 1
            assert holds(certificate), json.dumps(certificate)
    assert 1 < seen < 29


@pytest.mark.thorough
def test_a_divisor_that_may_vanish_is_told() -> None:
    found = certify(fair_coin_chain(HALF), Question.of_words(divides_by_less, "8,4", "1/2", "9/10"))
    assert found.ever_after is None and found.one_time is None
    assert str(found.why).endswith("may divide by zero at a step size up to 2; give a larger T0")
    later = certify(fair_coin_chain(HALF), Question.of_words(divides_by_less, "8,100", "1/2", "9/10"))
    assert later.ever_after is not None and accepts(body(later.ever_after))
    proposed = certify(fair_coin_chain(HALF), Question.of_words(divides_by_less, "auto", "1/2", "9/10"))
    assert proposed.ever_after is not None and proposed.steps.at(0, True) < 1


def test_a_certificate_is_not_of_another_divisor() -> None:
    model = fair_coin_chain(HALF)
    found = certify(model, Question.of_words(divides_by_less, "8,100", "1/2", "9/10")).ever_after
    assert found is not None
    certificate = body(found)
    assert difference(certificate, model, divides_by_less) == ""
    for move in certificate["about"]["update"]["moves"][0]:
        move[3][-1][1] = "-1/2"
    assert "the function does something else on move 0" in difference(certificate, model, divides_by_less)


@algorithm(parameters={"theta": "d"}, steps=("alpha",))
def divides_in_vain(t: Any, theta: Any, alpha: Any) -> Any:
    """Linear in its step size, whatever it divides by."""
    return theta + (alpha + alpha * alpha) / (1 + alpha) * (t.reward - theta)


@pytest.mark.thorough
def test_a_function_that_divides_is_compared_with_tables_and_terms_without_divisors() -> None:
    model, update, words = fair_coin_chain(HALF), divides_in_vain, ("8,100", "1/2", "9/10")
    found = certify(model, Question.of_words(update, *words)).ever_after
    assert found is not None
    certificate = body(found)
    assert {len(move) for moves in certificate["about"]["update"]["moves"] for move in moves} == {3}
    assert difference(certificate, model, update) == ""
    assert "the function does something else on move 0" in difference(certificate, model, divides_by_less)
    found = certify(model, Question.of_words("td", *words)).ever_after
    assert found is not None
    assert "divides by its steps" in difference(body(found), model, divides_by_less)


def test_an_update_that_ignores_the_target_policy_needs_no_coverage() -> None:
    model = loads_model(json.dumps(UNCOVERED)).model
    assert isinstance(model, Model)
    assert process_of(model, "td", ONE).theta_star
    for name in ("off_policy_td", "residual_gradient", "gtd2"):
        with pytest.raises(InputError, match="without coverage"):
            process_of(model, name, ONE)


def test_an_unstable_update_is_not_certified() -> None:
    """θ→2θ at γ = 9/10: A = (9/10·2·3 − 5)/2 > 0 off-policy, and and so have averaged targets."""
    model = theta_to_two_theta(F(9, 10), rewards=(1, 0))
    for name in ("off_policy_td", "averaging_target"):
        with pytest.raises(NotCertifiedError, match=f"the mean matrix of {name} has an eigenvalue with real part ≥ 0"):
            least_time(process_of(model, name, ONE), DecreasingSteps(F(1), F(100)), ONE, F(9, 10))


def test_a_decay_that_rounds_to_the_least_is_passed_over() -> None:
    """A barely above 1/(2r): the search for a form meets c = 1/A, and nothing is divided by zero (warnings fail)."""
    model = theta_to_two_theta(Fraction(1, 2), rewards=(1, 0))
    process = certified.process_of(model, named("gtd"), (Fraction(1), Fraction(64)))
    a = Fraction(f"{1.1 / (-2 * for_ever.abscissa(process)):.2g}")
    form = for_ever.best_form(process, DecreasingSteps(a, Fraction(1_000)))
    assert (np.linalg.eigvalsh(form) > 0).all()
