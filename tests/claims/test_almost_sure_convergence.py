"""Almost-sure convergence: steps that follow a period, the rate with its numbers, a bounded ratio for TDC, Theorem 4.2.

Nothing here takes an expected number from the code under test: runs, eigenvalues and long sums are made again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from tdcert.algorithms.schedules import chain_of, scheduled
from tdcert.claims.claim import decide
from tdcert.claims.dgb22 import (
    almost_sure_rate,
    deterministic_steps,
    thm_4_2,
    thm_4_3,
    thm_4_6,
    time_scale_ratio_suffices,
)
from tdcert.claims.dgb22.limit import long_runs_model
from tdcert.claims.models import SCHEDULES, periodic_models, two_absorbing_states, varying_discount_models
from tdcert.claims.paper import entry
from tdcert.sims.random_models import random_model
from tdcert.sims.streams import generator
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.step_size_ratio import RatioBound, is_stable, ratio_bound, root_above
from tdcert.theory.engine.nodes import Nodes
from tdcert.theory.identities import step_noise
from tdcert.theory.laws import rate as rates
from tdcert.theory.model.gallery import boyan_chain, flip_chain, one_state, theta_to_two_theta
from tdcert.theory.model.key_matrices import behaviour_matrices, joint_matrix, theorem_matrices
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.returns import td_errors
from tdcert.theory.model.schedule import Schedule, trace_weights
from tdcert.theory.verdict import Status
from tests.chains import finite_time_moments
from tests.replay import replay

HALF = Fraction(1, 2)


def cycle_run(model: Model, steps: Callable[[int, int], float], rounds: int) -> float:
    """θ of TD(λ)-schedule with one feature on a chain that moves along one cycle, from state 1 and θ = 0."""
    chain, gamma = model.behaviour_chain, float(model.gamma or 0)
    c = [float(x) for x in trace_weights(model.schedule.lambdas)]
    Phi = [float(row[0]) for row in model.features.rows]
    rewards = [float(model.rewards[0].rows[s][0]) for s in range(model.n)]
    seen, theta = [0], 0.0
    for t in range(rounds):
        s = seen[-1]
        after = next(j for j in range(model.n) if chain.P[s, j] == 1)
        z = sum(c[k] * gamma**k * Phi[seen[-1 - k]] for k in range(min(len(c), len(seen))))
        theta += steps(t, s) * (rewards[s] + gamma * Phi[after] * theta - Phi[s] * theta) * z
        seen.append(after)
    return theta


@pytest.mark.parametrize("schedule", [Schedule(), Schedule((HALF,)), Schedule((Fraction(1), HALF))], ids=str)
@pytest.mark.parametrize("rewards", [(1, 0), (0, 1), (0, 1, 2), (1, 0, 2)], ids=str)
def test_thm_4_3_steps_that_follow_the_clock_lead_elsewhere(schedule: Schedule, rewards: tuple[int, ...]) -> None:
    """The witness's own steps, run on rings: θ_t is far from −A⁻¹b; non-increasing steps go there.

    On the rings of three the phase with reward 1 does not move θ* = 2: large steps there would lead to θ*.
    """
    n = len(rewards)
    ring = RationalMatrix([[int(j == (s + 1) % n) for j in range(n)] for s in range(n)])
    ones = RationalMatrix.column([1] * n)
    model = Model.reward_process(ring, RationalMatrix.column(rewards), HALF, ones, schedule, "ring")
    verdict = thm_4_3.check(model)
    assert verdict.status is Status.REFUTED
    there = {int(s) for s in re.findall(r"s(\d+)", verdict.witness["α_t"])}
    (star,) = (float(Fraction(x)) for x in verdict.witness["−A⁻¹b"])
    assert star == 2 * sum(rewards) / n
    followed = cycle_run(model, lambda t, s: 1 / (t + 2) if s in there else 1 / (t + 2) ** 2, 6_000)
    assert abs(followed - star) > 0.2
    assert abs(cycle_run(model, lambda t, s: 1 / (t + 2), 6_000) - star) < 0.05


def test_thm_4_3_is_decided_by_the_mean_update_of_each_phase() -> None:
    """A ring of three whose value is representable: no phase moves θ*, and the clock shows nothing."""
    ring = RationalMatrix([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    tabular = Model.reward_process(ring, RationalMatrix.column([1, 0, 2]), HALF, None, Schedule(), "ring")
    verdict = thm_4_3.check(tabular)
    assert verdict.status is Status.UNDECIDED and "period 3" in verdict.detail


def test_thm_4_2_says_for_which_steps() -> None:
    for model in periodic_models():
        verdict = thm_4_2.check(model)
        assert verdict.status is Status.HOLDS and "steps of summable variation" in verdict.detail
        assert any(c.kind == "period" for c in verdict.certificates)
    verdict = thm_4_2.check(boyan_chain(SCHEDULES[1]))
    assert verdict.status is Status.HOLDS and "all steps of (B4)" in verdict.detail
    assert thm_4_2.CLAIM.formal and not thm_4_2.CLAIM.decides


# ---- the rate ------------------------------------------------------------------------------------------


def models_with_rates() -> list[Model]:
    """Small on-policy models, of period one and two, of one and of two features."""
    drawn = random_model(generator(3, "tests/rates"), 3, 2, 2, on_policy=True, gamma=HALF)
    return [
        deterministic_steps.two_states(),
        flip_chain(),
        varying_discount_models()[0],
        drawn.with_schedule(Schedule((HALF,))),
    ]


@pytest.mark.parametrize("model", models_with_rates(), ids=lambda model: model.name or "drawn")
def test_almost_sure_rate_has_the_constants_that_its_theorem_asks_for(model: Model) -> None:
    """c below the eigenvalue, γ_0 above every norm; the Poisson equations by simulation-free long sums in floats."""
    found = _rate(model)
    assert found.unmet() == []
    (states,) = model.behaviour_chain.recurrent_classes
    keys = theorem_matrices(model, states)
    A, theta = keys.A.to_float(), keys.theta_star.to_float()[:, 0]
    lowest = np.linalg.eigvalsh(-(A + A.T)).min()
    assert lowest / (2 * model.d) <= float(found.c) <= lowest * (1 + 1e-12)
    assert abs(float(found.start) - theta @ theta) <= 1e-9 * (1 + theta @ theta)

    chain = _chain(model)
    d, count = model.d, len(chain.nodes)
    p, U = chain.floats.probability, chain.floats.parts[0]
    G = U[:, :d, :d].reshape(-1, d * d)
    f = U[:, :d, :d] @ theta + U[:, :d, -1]
    P = np.zeros((count, count))
    np.add.at(P, (chain.source, chain.target), p)
    for values in (G, f):
        solved = rates.poisson_solution(chain, _exact(values)).astype(float)
        expected = np.zeros((count, values.shape[1]))
        np.add.at(expected, chain.source, p[:, None] * values)
        # Cesàro: (1/T) Σ_{t<T} Σ_{k<t} Pᵏ(v − v̄) is a solution, up to a constant, on chains of any period
        mean = np.linalg.matrix_power((P + np.eye(count)) / 2, 4096) @ expected
        sums, total = np.zeros_like(expected), np.zeros_like(expected)
        for _ in range(4_000):
            sums, total = expected - mean + P @ sums, total + sums
        long = total / 4_000
        assert np.abs((long - long[0]) - (solved - solved[0])).max() < 0.02
        assert float(found.gamma0) >= (solved**2).sum(axis=1).max() * (1 - 1e-9)
    assert float(found.gamma0) >= max((G**2).sum(axis=1).max(), (f**2).sum(axis=1).max(), (A**2).sum()) * (1 - 1e-9)


def _chain(model: Model) -> Nodes:
    return chain_of(model, "off_policy_td", [Fraction(int(s == 0)) for s in range(model.n)])


def _rate(model: Model) -> rates.Rate:
    (states,) = model.behaviour_chain.recurrent_classes
    keys = theorem_matrices(model, states)
    return rates.rate_of_td(_chain(model), keys.A, keys.theta_star)


def _exact(values: np.ndarray) -> np.ndarray:
    return np.array([[Fraction(float(x)) for x in row] for row in values], dtype=object)


@pytest.mark.thorough
def test_almost_sure_rate_bounds_the_exact_mean_square() -> None:
    """E|θ_t − θ*|² by propagation, up to t = 2000, below the bound; tE at ca = ½ leaves every level behind."""
    model = deterministic_steps.two_states()
    found = _rate(model)
    times = [1, 10, 100, 1_000, 2_000]

    def errors(step: Callable[[int], float]) -> list[float]:
        steps = [step(t) for t in range(times[-1])]
        law = finite_time_moments(model, "td", (steps, steps), times, start=[HALF, HALF])
        return [float(m.second[0, 0] - 2 * m.second[0, 1] + 1) for m in law]

    fast = errors(lambda t: float(found.step(t)))
    assert all(error <= float(found.mean_square(t)) for t, error in zip(times, fast, strict=True))
    slow = [(t + 1) * error for t, error in zip(times, errors(lambda t: 0.5 / (t + 1)), strict=True)]
    assert slow[3] > 2 * slow[2] > 4 * slow[1]  # as √t, so by √10 from one to the next
    harmonic = np.cumsum([1 / (t + 1) for t in range(times[-1])])
    for t, error in zip(times, errors(lambda t: 1 / (t + 1)), strict=True):
        assert t * error >= harmonic[t - 1] / 4 * (1 - 1e-9)
    for t, error in zip(times, errors(lambda t: (t + 1) ** -0.75), strict=True):
        assert error >= (t + 1) ** -0.75 / 4


@pytest.mark.parametrize(("epsilon", "delta"), [(1, HALF), (Fraction(1, 100), Fraction(1, 20)), (1_000, HALF)])
def test_almost_sure_rate_the_time_for_ever_after_is_the_least(epsilon: Fraction, delta: Fraction) -> None:
    found = replace(_rate(deterministic_steps.two_states()), M=8_400)

    def will_do(N: int) -> bool:
        s = N + found.t0
        enough = 24 * (found.M + 600 * found.kappa0) <= delta * epsilon * (s - 1)
        return enough and s - 1 >= 1200 * found.kappa0 and epsilon * s**2 >= 12 * found.kappa0

    N = found.ever_after(Fraction(epsilon), delta)
    assert will_do(N) and (N == 0 or not will_do(N - 1))


def test_almost_sure_rate_judges_the_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers that the theorem refuses decide nothing; a bound below E|θ_1 − θ*|² is refuted by the paths."""
    model = deterministic_steps.two_states()
    right = _rate(model)
    assert right.step(0) * right.t0 == right.step(5) * (right.t0 + 5) == right.a
    halves = replace(right, gamma0=Fraction(2, 5) / right.a**2, kappa0=HALF)  # type: ignore[arg-type]
    assert halves.unmet() == ["γ_0a² ≤ κ_0²"]
    assert replace(right, start=Fraction(0), M=10).unmet() == ["(ca − 1)M ≥ 1200κ_0"]
    assert almost_sure_rate.check(model).status is Status.HOLDS
    for wrong in ({"M": 10}, {"a": Fraction(1, 2)}, {"kappa0": 1}, {"t0": 100}):
        bad = replace(right, **wrong)
        assert bad.unmet()
        monkeypatch.setattr(almost_sure_rate, "rate_of_td", lambda *given, bad=bad: bad)
        assert almost_sure_rate.check(model).status is Status.UNDECIDED
    monkeypatch.setattr(rates.Rate, "unmet", lambda self: [])
    for wrong in ({"M": 10, "kappa0": 1}, {"c": right.c * 2}):
        bad = replace(right, **wrong)
        monkeypatch.setattr(almost_sure_rate, "rate_of_td", lambda *given, bad=bad: bad)
        assert almost_sure_rate.check(model).status is Status.REFUTED


def test_almost_sure_rate_off_its_hypotheses() -> None:
    """Two classes have two limits; Monte Carlo without discount is not covered; many windows leave the numbers out."""
    assert almost_sure_rate.check(two_absorbing_states()).status is Status.REFUTED
    assert almost_sure_rate.check(boyan_chain(Schedule.constant(Fraction(1)))).status is Status.UNDECIDED
    many = almost_sure_rate.check(boyan_chain(Schedule.constant(HALF, 12)))
    assert many.status is Status.HOLDS and "not computed" in many.detail


STABLE_NOT_DEFINITE = Model(
    transitions=(RationalMatrix([[0, 1, 0], [HALF, 0, HALF], [HALF, 0, HALF]]),),
    rewards=(RationalMatrix([[0]] * 3),),
    discounts=(RationalMatrix([[HALF]] * 3),),
    behaviour=RationalMatrix([[1]] * 3),
    target=RationalMatrix([[1]] * 3),
    features=RationalMatrix([[1, 0], [2, -1], [0, 0]]),
    schedule=Schedule((Fraction(3),)),
    actions=("on",),
)
"""TD's A with λ_1 = 3 has eigenvalues in the left half-plane, and A + Aᵀ is not negative definite."""
NEVER_TAKEN = Model(
    transitions=(RationalMatrix([[1]]),) * 2,
    rewards=(RationalMatrix([[0]]),) * 2,
    discounts=(RationalMatrix([[0]]), RationalMatrix([[Fraction(9, 10)]])),
    behaviour=RationalMatrix([[1, 0]]),
    target=RationalMatrix([[HALF, HALF]]),
    features=RationalMatrix([[1]]),
    schedule=Schedule((Fraction(2),)),
    actions=("taken", "not taken"),
)
"""N = 9/20 for the target policy, and 0 in the updates; both rest at θ = 0."""


@pytest.mark.parametrize(
    ("model", "why"), [(STABLE_NOT_DEFINITE, "not negative definite"), (NEVER_TAKEN, "never taken")]
)
def test_almost_sure_rate_asks_of_the_updates_that_c_exists(model: Model, why: str) -> None:
    """Where it does not, the numbers of the bound say nothing for the statement, and nothing against it."""
    A, met = theorem_matrices(model, tuple(range(model.n))).A, behaviour_matrices(model, tuple(range(model.n))).A
    assert np.linalg.eigvals(met.to_float()).real.max() < 0
    assert (met != A) if model is NEVER_TAKEN else np.linalg.eigvalsh((A + A.T).to_float()).max() > 0
    found = almost_sure_rate.check(model)
    assert found.status is Status.UNDECIDED and why in found.detail


def test_almost_sure_rate_the_fact_is_over_all_paths() -> None:
    (fact,) = almost_sure_rate.facts()
    assert fact.verdict.status is Status.HOLDS and fact.verdict.certificates


def test_almost_sure_rate_induction_steps_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    assert step_noise.even_update() and step_noise.slow_drift_step() and step_noise.slow_steps_step()
    right = td_errors
    monkeypatch.setattr(step_noise, "td_errors", lambda R, gamma, V: right(R, [g * g for g in gamma], V))
    assert not step_noise.even_update()


# ---- a bounded ratio -----------------------------------------------------------------------------------


def pairs(count: int) -> list[tuple[RationalMatrix, RationalMatrix]]:
    """A nonsingular, of any sign, and C positive definite, with small entries."""
    rng = np.random.default_rng(5)
    found: list[tuple[RationalMatrix, RationalMatrix]] = []
    while len(found) < count:
        d = int(rng.integers(1, 4))
        A = rng.integers(-6, 7, (d, d))
        B = rng.integers(-4, 5, (d, d))
        C = B @ B.T + np.eye(d, dtype=int)
        if abs(np.linalg.det(A)) > 0.5:
            found.append((RationalMatrix([[int(x) for x in r] for r in A]), RationalMatrix(C.tolist())))
    return found


@pytest.mark.parametrize(("A", "C"), pairs(12))
def test_time_scale_ratio_suffices_bounds_are_bounds(A: RationalMatrix, C: RationalMatrix) -> None:
    """c, B, K₁, K₂ against eigenvalues in floats; at α/β = ε̄ the Lyapunov function of the proof still descends."""
    bound = ratio_bound(A, C)
    a, c = A.to_float(), C.to_float()
    K = np.linalg.solve(c, a)
    slow, cross, once = a.T @ K, K @ a.T @ K - float(bound.tau) * (a + c), K @ (a.T + c)
    assert float(bound.c) <= np.linalg.eigvalsh(c).min() * (1 + 1e-9)
    assert float(bound.B) <= np.linalg.eigvalsh(slow).min() * (1 + 1e-9)
    assert float(bound.K1_squared) >= np.linalg.norm(cross, 2) ** 2 * (1 - 1e-9) - 1e-9
    assert float(bound.K2) >= np.linalg.eigvalsh((once + once.T) / 2).max() - 1e-9
    limit = bound.epsilon
    ratio = 1_000.0 if limit is None else float(limit)
    d = len(a)
    # (θ, w) per step of β: θ' = ratio·(Aθ − (Aᵀ + C)w), w' = Aθ − Cw
    J = np.block([[ratio * a, -ratio * (a.T + c)], [a, -c]])
    T = np.block([[np.zeros((d, d)), np.eye(d)], [np.eye(d), np.zeros((d, d))]])
    T[:d, :d] = -K  # z = w − Kθ
    Q = T.T @ np.diag([1.0] * d + [float(bound.tau)] * d) @ T
    drift = Q @ J + J.T @ Q
    assert np.linalg.eigvalsh(drift).max() <= 1e-9 * np.abs(drift).max()
    assert is_stable(A, C, 1 / (Fraction(1000) if limit is None else limit * Fraction(99, 100)))


@pytest.mark.parametrize(("a", "c"), [(1, 5), (2, 1), (Fraction(1, 5), Fraction(5, 2))])
def test_time_scale_ratio_suffices_loses_nothing_for_one_feature(a: Fraction, c: Fraction) -> None:
    """With A > 0, K₁ = 0 and ε̄ = C²/(A(A + C)); below C/A, where the trace of the joint matrix changes sign."""
    limit = ratio_bound(RationalMatrix([[a]]), RationalMatrix([[c]])).epsilon
    assert limit == Fraction(c) ** 2 / (Fraction(a) * (Fraction(a) + c))
    assert limit < Fraction(c) / a


def test_time_scale_ratio_suffices_the_root_is_above() -> None:
    for x in (Fraction(0), Fraction(4, 9), Fraction(2), Fraction(1, 10**9), Fraction(7, 3) * 10**12):
        y = root_above(x)
        assert x <= y * y <= x * Fraction(101, 100)
    assert root_above(Fraction(4, 9)) == Fraction(2, 3)


def test_time_scale_ratio_suffices_the_witness_runs_away() -> None:
    """TDC as §3 prints it, in one state, θ_0 = 1, reward 0, β_t = 1/(t + 1), α_t = 10β_t, in fractions."""
    theta, w, z, values = Fraction(1), Fraction(0), Fraction(1), []
    for t in range(60):
        beta = Fraction(1, t + 1)
        delta = HALF * theta - theta
        theta, w = (
            theta + 10 * beta * (delta * z - (HALF - 1) * z * w - w),
            w + beta * (delta * z - w),
        )
        z = 1 - Fraction(3, 2)  # φ + γλ_1φ from the second step on
        values.append(theta**2 - 18 * theta * w + 104 * w**2)
    assert all(b >= a for a, b in pairwise(values)) and values[-1] > 10 * values[0]
    model = time_scale_ratio_suffices.too_fast()
    keys = theorem_matrices(model, (0,))
    assert keys.A[0, 0] == (HALF - 1) * (1 - Fraction(3, 2))
    assert not is_stable(keys.A, keys.C, Fraction(1, time_scale_ratio_suffices.TOO_FAST))
    (fact,) = time_scale_ratio_suffices.facts()
    assert fact.verdict.status is Status.HOLDS and {c.kind for c in fact.verdict.certificates} == {
        "relation",
        "unstable",
    }
    assert step_noise.fast_ratio_step(scheduled("tdc"))


def test_time_scale_ratio_suffices_judges_its_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bound that promises too much is refuted: by its own inequalities, or by a joint matrix that is not Hurwitz."""
    model = theta_to_two_theta(Fraction(9, 10), Schedule(), (1, 0))
    assert time_scale_ratio_suffices.check(model).status is Status.HOLDS
    (states,) = model.behaviour_chain.recurrent_classes
    keys = theorem_matrices(model, states)
    right = ratio_bound(keys.A, keys.C)
    for wrong in (
        {"c": right.c * 2},
        {"B": right.B * 2},
        {"K1_squared": Fraction(-1, 100)},
        {"K2": right.K2 / 2},
    ):
        bad = replace(right, **wrong)
        monkeypatch.setattr(time_scale_ratio_suffices, "ratio_bound", lambda A, C, bad=bad: bad)
        assert time_scale_ratio_suffices.check(model).status is Status.REFUTED
    monkeypatch.setattr(time_scale_ratio_suffices, "FEATURES", 0)
    monkeypatch.setattr(time_scale_ratio_suffices, "ratio_bound", lambda A, C: replace(right, K2=right.K2 / 2))
    verdict = time_scale_ratio_suffices.check(model)
    assert verdict.status is Status.REFUTED and "not Hurwitz" in verdict.detail
    assert not is_stable(keys.A, keys.C, 1 / Fraction(verdict.witness["α/β"]))


def test_time_scale_ratio_suffices_every_ratio() -> None:
    """K₂ < 0 and K₁ = 0: no bound is needed, and none is asked of TDC in Theorem 4.6 either."""
    assert RatioBound(Fraction(1), Fraction(1), Fraction(1), Fraction(0), Fraction(-1)).epsilon is None
    assert RatioBound(Fraction(1), Fraction(2), Fraction(3), Fraction(6), Fraction(1)).epsilon == Fraction(2, 3)
    assert thm_4_6.check(one_state(HALF)).status is Status.HOLDS
    assert time_scale_ratio_suffices.check(one_state(HALF)).status is Status.HOLDS
    assert joint_matrix(RationalMatrix([[1]]), RationalMatrix([[1]]), HALF).rows[1][0] == HALF


@pytest.mark.parametrize("claim_id", ["thm_4_4", "thm_4_6", "time_scale_ratio_suffices"])
def test_without_an_end_the_trace_may_outgrow_the_steps(claim_id: str) -> None:
    """θ→2θ, from state 2 to itself: p = ½ and q = 2γλ, and at θ* = 1/5 (γ = ¾, λ = 1) the error there is −1/10."""
    claim, model = entry(claim_id).load(), long_runs_model()
    assert decide(claim, model).verdict.violated == ("finite_schedule",)
    found = claim.check(model)
    assert found.status is Status.REFUTED and found.witness["growth of the trace"] == "3/2"
    assert "log 3/2/log 2" in found.witness["the larger step"] and found.witness["−A⁻¹b"] == ["1/5"]
    for certificate in found.certificates:
        assert replay(certificate, model, claim.id)


@pytest.mark.parametrize(
    "change",
    [
        lambda model: model.with_schedule(Schedule.constant(Fraction(9, 10))),  # p q² = 729/800
        lambda model: model.with_features(RationalMatrix([[-1], [2]])),  # the trace may cancel
        lambda model: theta_to_two_theta(Fraction(3, 4), model.schedule, (1, 1)).with_features(
            RationalMatrix([[1], [0]])  # no trace from state 2
        ),
        lambda model: theta_to_two_theta(Fraction(3, 4), model.schedule),  # no error anywhere
        lambda model: replace(model, target=model.behaviour),  # on-policy q ≤ 1
    ],
    ids=["slower", "negative", "unseen", "silent", "on-policy"],
)
def test_where_that_is_not_shown_nothing_is_said_of_a_schedule_without_an_end(change: Callable[[Model], Model]) -> None:
    found = entry("thm_4_4").load().check(change(long_runs_model()))
    assert found.status is Status.UNDECIDED and "without an end" in found.detail


def test_td_on_policy_converges_without_an_end() -> None:
    model = replace(long_runs_model(), target=long_runs_model().behaviour)
    found = decide(entry("thm_4_3").load(), model).verdict
    assert found.status is Status.HOLDS and found.detail.endswith("all steps of Assumption 1")
