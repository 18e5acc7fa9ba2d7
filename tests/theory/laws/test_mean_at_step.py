"""The mean at a constant step, against exact moments of runs that share no code with it, and by hand.

``Runs`` moves E[θ_t 1{the last L + 1 states}] from the definition of TD in fractions, and the poles of E[θ_t] are the
roots of its shortest linear recurrence (Berlekamp and Massey): no window, operator or quotient of the product is used.
"""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tdcert.algorithms import find
from tdcert.algorithms.schedules import scheduled
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.engine.finite_times import moments_in_time
from tdcert.theory.engine.second_moments import at_constant_step
from tdcert.theory.laws.mean_at_step import first_moment, mean_proof, mean_signs, radius_sign
from tdcert.theory.laws.mean_square import JumpSystem, WindowMove
from tdcert.theory.laws.step_signs import StepSigns, signs_at
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.verdict import Sign
from tests.chains import quotient_system

F, HALF, NINE_TENTHS = Fraction, Fraction(1, 2), Fraction(9, 10)
Vector = tuple[Fraction, ...]
History = tuple[int, ...]
SEED = 20_240_817


def process(P: Any, Phi: Any, schedule: Schedule, R: Any = None, gamma: Fraction = NINE_TENTHS) -> Model:
    rewards = RationalMatrix.column([0] * len(P) if R is None else R)
    return Model.reward_process(RationalMatrix(P), rewards, gamma, RationalMatrix(Phi), schedule)


def signed_coin() -> Model:
    """A fair coin with the features ±1, without rewards."""
    return process([[HALF, HALF]] * 2, [[1], [-1]], Schedule(()))


def by_hand(starts: int, *moves: tuple[int, int, Fraction, Any, Any]) -> JumpSystem:
    """Of (from, to, p, I + K, k), at the step one."""
    size = len(moves[0][3])
    unit = RationalMatrix.zeros(size, size).identity(size)
    windows = tuple(range(1 + max(move[1] for move in moves)))
    found = [WindowMove(a, b, p, RationalMatrix(B) - unit, RationalMatrix.column(k)) for a, b, p, B, k in moves]
    return JumpSystem("by hand", None, (0,), windows, tuple(found), unit, starts)


def said(found: StepSigns) -> tuple[Sign, Sign, tuple[Sign, Sign]]:
    return found.mean, found.mean_square, found.under_way


def of_td(model: Model) -> JumpSystem:
    return quotient_system(model, scheduled("td"), F(1), model.behaviour_chain.recurrent_classes[0])


class Runs:
    """TD with a schedule that ends on a reward process whose discount is one number, by the states it remembers."""

    def __init__(self, model: Model, gamma: Fraction, alpha: Fraction):
        self.P, self.R, self.Phi = model.behaviour_chain.P.rows, model.rewards[0].rows, model.features.rows
        self.gamma, self.alpha, lambdas = gamma, alpha, model.schedule.lambdas
        self.weights = [F(1)]
        for lam in lambdas:
            self.weights.append(self.weights[-1] * lam * gamma)

    def moved(self, now: dict[History, list[Fraction]], law: dict[History, Fraction]) -> tuple[Any, Any]:
        """E[θ 1{history}] and the law of the histories, one update later; with no law, of differences."""
        after: dict[History, list[Fraction]] = {}
        later: dict[History, Fraction] = {}
        for history, y in now.items():
            s, d = history[-1], len(y)
            traced = list(zip(self.weights, reversed(history), strict=False))
            z = [sum(w * self.Phi[j][i] for w, j in traced) for i in range(d)]
            for t, p in enumerate(self.P[s]):
                if not p:
                    continue
                change = sum((self.gamma * self.Phi[t][i] - self.Phi[s][i]) * y[i] for i in range(d))
                if history in law:
                    change += law[history] * self.R[s][0]
                key = (*history, t)[-len(self.weights) :]
                into = after.setdefault(key, [F(0)] * d)
                for i in range(d):
                    into[i] += p * (y[i] + self.alpha * z[i] * change)
                if history in law:
                    later[key] = later.get(key, F(0)) + p * law[history]
        return after, later

    def histories(self) -> list[History]:
        found: list[History] = [(s,) for s in range(len(self.P))]
        for history in found:  # grows while it is read
            for t, p in enumerate(self.P[history[-1]]):
                key = (*history, t)[-len(self.weights) :]
                if p and key not in found:
                    found.append(key)
        return found

    def means(self, start: dict[History, list[Fraction]], law: dict[History, Fraction], length: int) -> list[Fraction]:
        """A combination of the entries of E[θ_t] for t = 0, 1, …"""
        found = []
        for _ in range(length):
            found.append(sum((F(7 * i + 3) * y[i] for y in start.values() for i in range(len(y))), F(0)))
            start, law = self.moved(start, law)
        return found


def poles(sequence: list[Fraction]) -> float:
    """The largest modulus of a root of the shortest linear recurrence (zero for none); exact up to these roots."""
    C, B, L, m, b = [F(1)], [F(1)], 0, 1, F(1)
    for n, x in enumerate(sequence):
        d = x + sum((C[i] * sequence[n - i] for i in range(1, min(L, len(C) - 1) + 1)), F(0))
        if not d:
            m += 1
            continue
        kept = list(C)
        C += [F(0)] * (len(B) + m - len(C))
        for i, y in enumerate(B):
            C[i + m] -= d / b * y
        if n >= 2 * L:
            L, B, b, m = n + 1 - L, kept, d, 1
        else:
            m += 1
    assert len(sequence) >= 2 * L, "the sequence is too short for its recurrence"
    roots = np.roots([float(x) for x in [*C, *[F(0)] * (L + 1 - len(C))][: L + 1]]) if L else np.zeros(1)
    return float(np.abs(roots).max())


def random_process(rng: random.Random) -> tuple[Model, Fraction]:
    """Half of them with symmetries, under which terms cancel: coins, chains that turn, features ±1 in pairs."""
    n, d = rng.choice((2, 2, 3, 4)), rng.choice((1, 1, 2))
    if rng.random() < 0.5:
        weights = [rng.randint(0, 2) for _ in range(n)]
        weights[1] += 1
        rows = [[weights[(j - i) % n] for j in range(n)] for i in range(n)] if rng.random() < 0.5 else [[1] * n] * n
        Phi = [[(-1) ** (i + k * (i // 2)) for k in range(d)] for i in range(n)]
    else:
        rows = [[rng.randint(0, 2) + (j == (i + 1) % n) for j in range(n)] for i in range(n)]
        Phi = [[rng.choice((-1, 0, 1, 2)) for _ in range(d)] for _ in range(n)]
        Phi[0][0] = 1
    P = [[F(x, sum(row)) for x in row] for row in rows]
    R = [rng.choice((0, 0, 1, -1)) for _ in range(n)]
    gamma = rng.choice((F(9, 10), HALF))
    schedule = Schedule(()) if n > 2 else rng.choice((Schedule(()), Schedule.n_step(2), Schedule((HALF,))))
    return process(P, Phi, schedule, R, gamma), gamma


def expected(model: Model, gamma: Fraction, alpha: Fraction) -> tuple[float, float, float]:
    """Largest poles of means: of differences from time zero, of runs from time zero, of differences under way."""
    runs, d = Runs(model, gamma, alpha), model.d
    histories = runs.histories()
    length = 2 * (len(histories) * (d + 1) + 2)
    begun = [h for h in histories if len(h) == 1 and h[0] in model.behaviour_chain.recurrent_classes[0]]

    def odd(h: History, i: int) -> Fraction:
        return F(11 + 13 * histories.index(h) ** 2 + 17 * i)

    from_zero: dict[History, list[Fraction]] = {h: [odd(h, i) for i in range(d)] for h in begun}
    law: dict[History, Fraction] = {h: odd(h, 5) for h in begun}
    under_way = {h: [odd(h, i) for i in range(d)] for h in histories}
    return (
        poles(runs.means(from_zero, {}, length)),
        poles(runs.means(from_zero, law, length)),
        poles(runs.means(under_way, {}, length)),
    )


def by_poles(of_differences: float, of_runs: float) -> int | None:
    """−1 differences die out and means of runs stay bounded, 1 one of them grows, None too near to one to say."""
    if max(of_differences, of_runs) > 1 + 1e-4:
        return 1
    return -1 if of_differences < 1 - 1e-4 else None


def seen(count: int, seed: int) -> Counter[str]:
    rng, found = random.Random(seed), Counter[str]()
    for _ in range(count):
        model, gamma = random_process(rng)
        alpha = rng.choice((HALF, F(1), F(5, 4), F(3, 2), F(7, 4), F(3)))
        if len(model.behaviour_chain.recurrent_classes) > 1 or model.features.rank < model.d:
            continue
        system = of_td(model)
        signs = mean_signs(system, alpha)
        zero, runs, under_way = expected(model, gamma, alpha)
        for sign, other in ((signs.time_zero, by_poles(zero, runs)), (signs.under_way, by_poles(under_way, 0))):
            assert None in (sign, other) or 0 in (sign, other) or sign == other, (model.canonical, alpha)
        found[f"mean {signs.under_way}"] += 1
        if signs.under_way == -1 and radius_sign(first_moment(system, alpha)) == 1:
            found["cancels"] += 1
        proof = mean_proof(system, signs)
        found["proved"] += proof is not None and (proof.vector is None) == (signs.under_way == -1)
    return found


@pytest.mark.thorough
def test_the_mean_is_that_of_exact_moments() -> None:
    found = seen(40, SEED)
    assert found["cancels"] >= 2 and found["mean 1"] >= 8 and found["mean -1"] >= 8 and found["proved"] >= 20, found


@pytest.mark.thorough
def test_the_mean_is_that_of_exact_moments_on_many() -> None:
    found = seen(400, SEED + 1)
    assert found["cancels"] >= 20 and found["mean 1"] >= 80 and found["proved"] >= 250, found


@pytest.mark.parametrize(("alpha", "mean", "square"), [("1", -1, -1), ("3/2", -1, 1), ("2", 0, 1), ("5/2", 1, 1)])
def test_what_cancels_between_states(alpha: str, mean: int, square: int) -> None:
    """On a fair coin with features ±1 E[y_{t+1} | s_t, y_t] = (1 − α)y_t: the next state is ±1, evenly. By states the
    means of y and yφ(s) part, and the latter is multiplied by 9α/10: it grows from α = 10/9 on, and the mean square
    with it.
    """
    model, step = signed_coin(), F(alpha)
    found = signs_at(of_td(model), step)
    assert said(found) == (mean, square, (mean, square))
    (td,) = find("td")
    answer = at_constant_step(model, td, (0, 1), [F(1)], step, 1_000)
    assert (answer.mean, answer.mean_square) == (mean, square) and answer.under_way is None
    for t, at in enumerate(moments_in_time(answer.own, [HALF, HALF], [F(1)], 6), start=1):
        assert at.mean[0, 0] == (1 - step) ** t  # the suite's own exact moments, without rewards
    if square == 1:
        assert radius_sign(first_moment(of_td(model), step)) == 1


def test_a_mean_that_is_zero_from_the_first_update_on() -> None:
    """y' = 2y or −2y, evenly: E y_1 = 0, and E y_t² = 4^t y_0²."""
    system = by_hand(1, (0, 0, HALF, [[2]], [0]), (0, 0, HALF, [[-2]], [0]))
    found = signs_at(system, F(1))
    assert said(found) == (-1, 1, (-1, 1)) and found.means is not None
    proof = mean_proof(system, found.means)
    assert proof is not None and proof.vector is None and proof.recursion.matrix.is_zero()


def test_eigenvalues_that_are_roots_of_unity() -> None:
    """A quarter turn, which a square does not take off −1, and half of one: the radius is one, or two."""
    for factor, sign in ((1, 0), (2, 1)):
        turn = [[0, -factor, 0], [factor, 0, 0], [0, 0, -1]]
        assert radius_sign(RationalMatrix(turn)) == sign


@pytest.mark.parametrize("noise", [False, True])
def test_what_the_first_update_takes_and_noise_brings_back(noise: bool) -> None:
    """The first update sets the second parameter to zero; later ones multiply it by three, and add to it, or do not."""
    steps = [[HALF, 0], [0, 3]]
    system = by_hand(1, (0, 1, F(1), [[1, 0], [0, 0]], [0, 0]), (1, 1, F(1), steps, [1, int(noise)]))
    found = signs_at(system, F(1))
    assert found.is_confined == (not noise)
    assert said(found) == ((1, 1, (1, 1)) if noise else (-1, -1, (1, 1)))


def test_runs_that_stand_at_the_fixed_point_from_the_first_update_on() -> None:
    """3-step TD, φ = 1, γ = 9/10, α = 10: 1 − α(1 − γ) = 0, so that θ_1 = θ* where all rewards are one; with the past
    of later times the factors are 1 − 19/10 and 1 − 271/100. If rewards are 0 or 1, evenly, noise brings it about that
    these grow; E[θ_t | s_0] as well, as θ_1 = 10R(s_0).
    """
    ones = [[1], [1]]
    for R, signs in (([1, 1], (-1, -1, (1, 1))), ([0, 1], (1, 1, (1, 1)))):
        system = of_td(process([[HALF, HALF]] * 2, ones, Schedule.n_step(3), R))
        assert said(signs_at(system, F(10))) == signs and mean_signs(system, F(10)).time_zero == signs[0]


def test_the_proof_of_growth_begins_at_time_zero_where_it_can() -> None:
    """The coin at the step 3: y_0 itself. Where the first update takes everything, a run under way."""
    found = mean_proof(system := of_td(signed_coin()), mean_signs(system, F(3)))
    assert found is not None and found.vector is not None and (found.window, found.after) == (0, 0)
    still = of_td(process([[1]], [[1]], Schedule.n_step(3), [1]))
    later = mean_proof(still, mean_signs(still, F(10)))
    assert later is not None and later.vector is not None and later.window > 0
    # at time zero the second entry, which grows, is 1/50 of the first: z'Xz > 0 comes later
    fed = by_hand(1, (0, 1, F(1), [[1, 0], [F(1, 50), 0]], [0, 0]), (1, 1, F(1), [[HALF, 0], [0, 3]], [0, 0]))
    found = mean_proof(fed, mean_signs(fed, F(1)))
    assert found is not None and found.window == 0 and found.after > 0
