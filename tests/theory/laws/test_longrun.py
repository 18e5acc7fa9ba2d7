"""The long-run covariance: known sums, paths written out, and a second writing through the chain of windows."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product

import pytest

from tdcert.algorithms.schedules import chain_of
from tdcert.sims.random_models import random_model
from tdcert.sims.streams import generator
from tdcert.theory.arithmetic import BallMatrix, RationalMatrix
from tdcert.theory.arithmetic.ball import precision
from tdcert.theory.arithmetic.float_enclosures import MidRadMatrix
from tdcert.theory.arithmetic.rational import to_fraction
from tdcert.theory.check.trace_law import has_second_moments
from tdcert.theory.enclose.dense_class import ClassInEnclosures
from tdcert.theory.enclose.dense_model import EnclosedModel
from tdcert.theory.errors import SingularMatrixError
from tdcert.theory.laws.long_run_covariance import (
    ExactNoise,
    InNumbers,
    NoiseIn,
    averaged_covariance,
    enclosed_long_run,
    is_averaged_covariance,
    shows_second_moments,
)
from tdcert.theory.model.chain import Chain
from tdcert.theory.model.gallery import flip_chain, theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

HALF = Fraction(1, 2)


def random(n: int, d: int, *lambdas: Fraction | int, **kind: object) -> Model:
    rng = generator(5, f"long run {n} {d} {lambdas} {kind}")
    return random_model(rng, n, d, 0, **kind).with_schedule(Schedule(tuple(map(Fraction, lambdas))))  # type: ignore[arg-type]


MODELS = [
    random(3, 2, on_policy=True),
    random(3, 2, HALF, Fraction(1, 3), on_policy=True, gamma=None),
    random(2, 2, 1, HALF, HALF, on_policy=True),
    random(3, 2, Fraction(3, 4)),
    random(2, 1, HALF, -2, gamma=None),
    random(3, 1, 1, coverage=False),
    flip_chain(HALF, Schedule.equal_weights(1, 2)),
]
"""On- and off-policy, discounts that vary, actions not covered, λ outside [0, 1], a periodic chain."""


def through_windows(model: Model, states: tuple[int, ...]) -> RationalMatrix:
    """Σ from the Poisson equation of the chain of nodes, as it stands in textbooks."""
    noise = ExactNoise(model, states)
    start = [Fraction(int(s == states[0])) for s in range(model.n)]
    windows = chain_of(model, "off_policy_td", start)
    y = [*noise.keys.theta_star.column_entries(), Fraction(1)]
    epsilon = [
        [sum((to_fraction(U[i, k]) * y[k] for k in range(model.d + 1)), Fraction(0)) for i in range(model.d)]
        for U in windows.exact.parts[0]
    ]
    edges = list(zip(windows.source.tolist(), windows.target.tolist(), windows.probabilities, epsilon, strict=True))
    count = len(windows.nodes)
    rows = [[Fraction(0)] * count for _ in range(count)]
    for g, h, p, _ in edges:
        rows[g][h] += p
    chain = Chain(RationalMatrix(rows))
    (inside,) = chain.recurrent_classes
    law = chain.stationary_law(inside).take(rows=inside)
    place = {g: i for i, g in enumerate(inside)}
    drift = [[Fraction(0)] * model.d for _ in inside]
    for g, _, p, e in edges:
        if g in place:
            drift[place[g]] = [x + p * y for x, y in zip(drift[place[g]], e, strict=True)]
    eye = RationalMatrix.zeros(1, 1).identity(len(inside))
    pinned = eye - chain.P.take(inside, inside) + RationalMatrix.column([1] * len(inside)) @ law.T
    H = pinned.solve(RationalMatrix(drift)).rows
    total = [[Fraction(0)] * model.d for _ in range(model.d)]
    for g, h, p, e in edges:
        if g in place:
            ahead = H[place[h]]
            for i, j in product(range(model.d), repeat=2):
                total[i][j] += law[place[g], 0] * p * (e[i] * e[j] + e[i] * ahead[j] + ahead[i] * e[j])
    return RationalMatrix(total)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: f"{model.name or 'random'}, L={model.schedule.length}")
def test_it_is_what_the_chain_of_windows_gives(model: Model) -> None:
    (states,) = model.behaviour_chain.recurrent_classes
    noise = ExactNoise(model, states)
    assert noise.mean.is_zero()
    assert noise.long_run() == through_windows(model, states) == noise.martingale()


def test_sums_have_their_variance_over_all_paths() -> None:
    """L = 1, d = 1, two states: Var(ε_1 + … + ε_T) written out, and E[ε_1 (ε_2 + … + ε_T)] with it."""
    lam, gamma, phi, r = Fraction(2, 3), HALF, (1, 2), (1, 0)
    P = RationalMatrix([[Fraction(3, 4), Fraction(1, 4)], [HALF, HALF]])
    model = Model.reward_process(P, RationalMatrix.column(r), gamma, RationalMatrix.column(phi), Schedule((lam,)))
    noise = ExactNoise(model, (0, 1))
    theta = noise.keys.theta_star[0, 0]

    def epsilon(before: int, s: int, after: int) -> Fraction:
        return (phi[s] + lam * gamma * phi[before]) * (r[s] + gamma * phi[after] * theta - phi[s] * theta)

    for T in (1, 2, 5):
        variance = with_first = Fraction(0)
        for path in product(range(2), repeat=T + 2):
            weight = noise.keys.d[path[0], 0]
            for s, t in pairwise(path):
                weight *= P[s, t]
            noises = [epsilon(*path[t : t + 3]) for t in range(T)]
            variance += weight * sum(noises) ** 2
            with_first += weight * noises[0] * sum(noises[1:])
        assert noise.of_sum(T)[0, 0] == variance
        assert T == 1 or noise.cross(noise.horizon(T - 1)[-1])[0, 0] == with_first


def test_the_variance_of_sums_grows_by_it_in_the_end() -> None:
    """TD(0): V_{T+1} − V_T − Σ is the tail of the autocovariances, geometric with the second eigenvalue 1/4 of P."""
    P = RationalMatrix([[Fraction(3, 4), Fraction(1, 4)], [HALF, HALF]])
    model = Model.reward_process(P, RationalMatrix.column([1, 0]), HALF, RationalMatrix.column([1, 2]))
    noise = ExactNoise(model, (0, 1))
    sums = [noise.of_sum(T)[0, 0] for T in (4, 5, 6, 7)]
    gaps = [b - a - noise.long_run()[0, 0] for a, b in pairwise(sums)]
    assert gaps[1] == gaps[0] / 4 and gaps[2] == gaps[1] / 4 and gaps[0] != 0


def test_a_deterministic_chain_has_none() -> None:
    """On the flip chain sums of ε stay bounded."""
    assert ExactNoise(flip_chain(), (0, 1)).long_run().is_zero()


def test_without_end_it_is_the_limit_of_long_schedules() -> None:
    model = MODELS[0]
    endless = ExactNoise(model.with_schedule(Schedule.constant(HALF)), (0, 1, 2))
    gaps = [
        (
            endless.long_run() - ExactNoise(model.with_schedule(Schedule.constant(HALF, L)), (0, 1, 2)).long_run()
        ).to_float()
        for L in (6, 12, 24)
    ]
    sizes = [abs(gap).max() for gap in gaps]
    # what is cut off weighs (λγ)^L at most in mean, and 1/2^L at least falls off
    assert endless.long_run() == endless.martingale()
    assert sizes[1] < sizes[0] / 2**5 and sizes[2] < sizes[1] / 2**11


@pytest.mark.parametrize("model", MODELS, ids=lambda model: f"{model.name or 'random'}, L={model.schedule.length}")
def test_balls_contain_the_exact_covariance(model: Model) -> None:
    (states,) = model.behaviour_chain.recurrent_classes
    exact = ExactNoise(model, states)
    with precision(100):
        enclosed = NoiseIn(model, states, BallMatrix.enclosing)
        assert enclosed.long_run().contains(exact.long_run())
        # tight too: what a hundred bits lose in some hundred operations stays far below a float
        assert enclosed.long_run().radius().max() < 1e-12


@pytest.mark.parametrize("model", MODELS, ids=lambda model: f"{model.name or 'random'}, L={model.schedule.length}")
def test_floats_contain_it_too_and_share_what_no_schedule_changes(model: Model) -> None:
    """Under three schedules one after another, and with a law that is itself enclosed."""
    (states,) = model.behaviour_chain.recurrent_classes
    law = ClassInEnclosures(EnclosedModel.of_model(model), states, 53).full_law
    shared = InNumbers(model, states, MidRadMatrix.enclosing, law)
    for schedule in (model.schedule, Schedule.n_step(3), Schedule.constant(Fraction(1, 8))):
        inner = model.with_schedule(schedule)
        if schedule.tail and not shows_second_moments(shared, schedule.tail):
            continue
        exact = ExactNoise(inner, states)
        enclosed = NoiseIn(inner, states, MidRadMatrix.enclosing, None, shared)
        assert enclosed.long_run().contains(exact.long_run())
        assert enclosed.lifted.A.contains(exact.keys.A)
        assert enclosed.long_run().rad.max() < 1e-9 * (1 + abs(enclosed.long_run().mid).max())


def test_second_moments_of_endless_traces_are_shown_only_where_they_exist() -> None:
    """θ→2θ: N₂ has the row sums 2γ², so that they exist exactly for 2λ²γ² < 1."""
    model = theta_to_two_theta(Fraction(9, 10))
    shared = InNumbers(model, (0, 1), MidRadMatrix.enclosing)
    assert shows_second_moments(shared, Fraction(78, 100)) and not shows_second_moments(shared, Fraction(79, 100))
    for lam in (Fraction(78, 100), Fraction(79, 100)):
        endless = model.with_schedule(Schedule.constant(lam))
        assert has_second_moments(endless, (0, 1)) == shows_second_moments(shared, lam)


def test_endless_schedules_are_enclosed_too() -> None:
    model = MODELS[0].with_schedule(Schedule.constant(HALF))
    Sigma, limit = enclosed_long_run(model, (0, 1, 2))
    exact = ExactNoise(model, (0, 1, 2))
    assert (abs(Sigma.middle - exact.long_run().to_float()) <= Sigma.radius + 1e-15).all()
    wanted = averaged_covariance(exact.keys.A, exact.long_run()).to_float()
    assert (abs(limit.middle - wanted) <= limit.radius + 1e-15 * abs(wanted)).all()


def test_thirty_states_and_ten_lags_off_policy() -> None:
    """Far too many windows to enumerate. A longer schedule that adds next to nothing changes next to nothing."""
    model = random(30, 2, *[Fraction(3, 4)] * 10)
    longer = model.with_schedule(Schedule.constant(Fraction(3, 4), 11))
    (states,) = model.behaviour_chain.recurrent_classes
    (one, _), (two, _) = enclosed_long_run(model, states), enclosed_long_run(longer, states)
    assert one.radius.max() < 1e-13
    difference = abs(one.middle - two.middle).max()
    # γλ = 3/5: the next term weighs (3/5)^11 = 0.004 of the first
    assert 0 < difference < 0.02 * abs(one.middle).max()


def test_covariances_of_averages_are_told_by_multiplying_back() -> None:
    J, noise = RationalMatrix([[-1, 2], [0, -3]]), RationalMatrix([[2, 1], [1, 5]])
    limit = averaged_covariance(J, noise)
    assert is_averaged_covariance(limit, J, noise)
    assert not is_averaged_covariance(limit.scaled(2), J, noise)
    with pytest.raises(SingularMatrixError):
        is_averaged_covariance(limit, RationalMatrix([[1, 2], [2, 4]]), noise)
