"""Every algorithm that ships: its mean against one written by hand, its runs against its moments, and something that
is published about it.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from math import prod
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from tdcert.algorithms import NAMES, find, find_all, named
from tdcert.sims.comparison_frame import Sampling
from tdcert.sims.judge.agreement import ErrorBudget
from tdcert.sims.strategies import models
from tdcert.sims.updates.comparison import simulate_update
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.fixed_point import true_value
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.engine.declare import Algorithm
from tdcert.theory.engine.dynamics import at_ratios, ratio_set, rest_of, two_time_scales
from tdcert.theory.engine.means import Stationary, stationary
from tdcert.theory.engine.tables import tables
from tdcert.theory.errors import InputError, SingularMatrixError
from tdcert.theory.files.load import loads_model
from tdcert.theory.model.gallery import HALF, bairds_star, one_state, theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tests.effort import examples

F = Fraction
ONE = F(1)
GAMMA = F(9, 10)
some = settings(max_examples=examples(20), deadline=None)
FOUR = ("td", "off_policy_td", "gtd", "tdc")
STABLE, UNSTABLE, MARGINAL = MeanDynamics.STABLE, MeanDynamics.UNSTABLE, MeanDynamics.MARGINAL
LAM = F(2, 3)

Weight = Callable[[Fraction, Fraction], Fraction]
"""Of π(a|s) and μ(a|s) > 0."""


def on_class(model: Model, declared: Algorithm | str, **options: Any) -> Stationary[RationalMatrix]:
    chosen = named(declared) if isinstance(declared, str) else declared
    return stationary(model, chosen.with_options(**options), model.behaviour_chain.recurrent_classes[0])


def verdict(model: Model, name: str, ratio: Fraction = ONE, **options: Any) -> MeanDynamics:
    found = on_class(model, name, **options)
    return at_ratios(found, [ONE, ratio][: len(found.algorithm.steps)]).mean_dynamics


# ---- the one formula, by hand: it shares no code with the engine ----------------------------------------------------


class ByHand:
    """Matrices of a model with μ > 0, from its arrays alone: Σ_a μ c P_a ∘ Γ, and laws."""

    def __init__(self, model: Model) -> None:
        self.model, self.n = model, model.n
        self.Phi = model.features
        self.d = model.behaviour_chain.stationary_law(tuple(range(model.n)))
        self.I = self.Phi.identity(self.n)
        self.ones = RationalMatrix.column([1] * self.n)

    def kernel(self, weight: Weight, *, discounted: bool = True, decay: Fraction | None = None) -> RationalMatrix:
        """Σ_a μ w P_a ∘ Γ; with ``decay``, that wherever Γ is not zero."""
        total = [[F(0)] * self.n for _ in range(self.n)]
        for s, a, after, p in self._moves():
            gammas = self.model.discounts[a].rows[s]
            gamma = gammas[after if len(gammas) > 1 else 0] if discounted else ONE
            gamma = gamma if decay is None else decay * (gamma > 0)
            total[s][after] += p * gamma * weight(self.model.target[s, a], self.model.behaviour[s, a])
        return RationalMatrix(total)

    def reward(self, weight: Weight) -> RationalMatrix:
        """Σ_a μ w P_a R."""
        total = [F(0)] * self.n
        for s, a, after, p in self._moves():
            rewards = self.model.rewards[a].rows[s]
            reward = rewards[after if len(rewards) > 1 else 0]
            total[s] += p * reward * weight(self.model.target[s, a], self.model.behaviour[s, a])
        return RationalMatrix.column(total)

    def _moves(self) -> Iterator[tuple[int, int, int, Fraction]]:
        for s in range(self.n):
            for a, P in enumerate(self.model.transitions):
                for after in range(self.n):
                    if self.model.behaviour[s, a]:
                        yield s, a, after, self.model.behaviour[s, a] * P[s, after]

    def mean(
        self, trace: Weight, error: Weight, emphasis: RationalMatrix | None = None, *, discounted: bool = True
    ) -> tuple[RationalMatrix, RationalMatrix]:
        """A = Φᵀ diag(m) (I − T_c)⁻¹ (N_w − diag q_w) Φ, and b with the rewards in the place of the last factors."""
        T, N = self.kernel(trace, discounted=discounted), self.kernel(error, discounted=discounted)
        q = self.kernel(error, discounted=False) @ self.ones
        m = self.d if emphasis is None else emphasis
        inner = self.I - T
        A = self.Phi.T @ inner.solve((N - self.I.scale_rows(q)) @ self.Phi).scale_rows(m)
        return A, self.Phi.T @ inner.solve(self.reward(error)).scale_rows(m)

    @property
    def C(self) -> RationalMatrix:
        return self.Phi.T @ self.Phi.scale_rows(self.d)

    def follow_on(self, lam: Fraction, decay: Fraction | None = None) -> RationalMatrix:
        """m = λd∘i + (1 − λ)f, f = d∘i + (the kernel of ρΓ, or of ρ·decay)ᵀ f."""
        f = (self.I - self.kernel(ratio, decay=decay).T).solve(self.d)
        return self.d.scaled(lam) + f.scaled(1 - lam)


def ratio(pi: Fraction, mu: Fraction) -> Fraction:
    return pi / mu


def one(pi: Fraction, mu: Fraction) -> Fraction:
    return ONE


def scaled(weight: Weight, factor: Fraction) -> Weight:
    return lambda pi, mu: factor * weight(pi, mu)


def stacked(*rows: tuple[RationalMatrix, ...]) -> RationalMatrix:
    """A matrix of blocks."""
    found: list[list[Fraction]] = []
    for row in rows:
        found += [[x for part in parts for x in part] for parts in zip(*(block.rows for block in row), strict=True)]
    return RationalMatrix(found)


PSI = F(3, 2)
ONE_VECTOR: dict[str, tuple[dict[str, Any], Weight, Weight]] = {
    "tree_backup": ({"lam": LAM}, lambda pi, mu: LAM * pi, ratio),
    "retrace": ({"lam": LAM}, lambda pi, mu: LAM * min(ONE, pi / mu), ratio),
    "vtrace": (
        {"lam": LAM, "clip_trace": F(1, 2), "clip_error": F(3, 2)},
        lambda pi, mu: LAM * min(F(1, 2), pi / mu),
        lambda pi, mu: min(F(3, 2), pi / mu),
    ),
    "abtd": ({"psi": PSI}, lambda pi, mu: pi * min(PSI, 1 / max(mu, pi)), ratio),
    "q_sigma": ({"lam": LAM, "sigma": F(1, 4)}, lambda pi, mu: LAM * (pi / mu / 4 + pi * 3 / 4), ratio),
    "td": ({"tail": (LAM,)}, lambda pi, mu: LAM, one),
    "off_policy_td": ({"tail": (LAM,)}, scaled(ratio, LAM), ratio),
}
"""Options, trace coefficient and error weight."""


@pytest.mark.parametrize("name", ONE_VECTOR)
def test_means_by_the_one_formula(name: str) -> None:
    options, trace, error = ONE_VECTOR[name]

    @some
    @given(models(policy="off", discount="any"))
    def holds(model: Model) -> None:
        found, hand = on_class(model, name, **options), ByHand(model)
        if found.memory.exists:
            assert found.means[0] == stacked(hand.mean(trace, error))

    holds()


def expected_means(name: str, hand: ByHand, options: dict[str, Any]) -> list[RationalMatrix]:
    """Of the algorithms with more blocks than one: [A_k b_k] for each step."""
    lam = options.get("lam", options.get("tail", (F(0),))[0])
    A, b = hand.mean(scaled(ratio, lam), ratio)
    C, zero, none = hand.C, A.scaled(0), b.scaled(0)
    unit, still = A.identity(A.shape[0]), (zero, zero, none)
    width = A.shape[0]
    ahead = hand.Phi.T @ (
        (hand.I - hand.kernel(scaled(ratio, lam))).solve(hand.kernel(ratio) @ hand.Phi).scale_rows(hand.d)
    )  # E[z γφ'ᵀ]
    correction = ahead.T.scaled(lam - 1)
    match name:
        case "gtd" | "gtd2":
            return [stacked((zero, -A.T, none), still), stacked(still, (A, -C, b))]
        case "tdc":
            return [stacked((A, -(A.T + C), b), still), stacked(still, (A, -C, b))]
        case "gtd_2008":
            return [stacked((zero, -A.T, none), still), stacked(still, (A, -unit, b))]
        case "gtd_lambda":
            return [stacked((A, correction, b), still), stacked(still, (A, -C, b))]
        case "gtd2_lambda":
            return [stacked((zero, C + correction, none), still), stacked(still, (A, -C, b))]
        case "direct_gtd":
            return [stacked(_gap_of_one(hand))]
        case "vmtdc":
            row, number = RationalMatrix.zeros(1, width), RationalMatrix([[0]])
            phi = hand.Phi.T @ hand.d
            change = hand.d.T @ (hand.kernel(ratio) - hand.I) @ hand.Phi
            reward = hand.d.T @ hand.reward(ratio)
            empty = (zero, none, zero, none)
            middle = (row, number, row, number)
            return [
                stacked((A, -phi, correction, b), middle, empty),
                stacked(empty, (change, RationalMatrix([[-1]]), row, reward), empty),
                stacked(empty, middle, (A, -phi, -C, b)),
            ]
        case "tdrc":
            ridge = unit.scaled(options["ridge"])
            return [stacked((A, correction, b), still), stacked(still, (A, -(C + ridge), b))]
        case "htd":
            own, _ = hand.mean(scaled(one, lam), one)
            return [stacked((A, own.T - A.T, b), still), stacked(still, (A, own.T, b))]
        case "etd" | "etd_beta":
            emphasis = hand.follow_on(lam, options.get("decay"))
            return [stacked(hand.mean(scaled(ratio, lam), ratio, emphasis))]
        case "residual_gradient":
            return [stacked(_residual(hand))]
        case "ridge_td":
            return [stacked((A - unit.scaled(options["ridge"]), b))]
        case "averaging_target":
            return [stacked((-unit, unit, none), still), stacked(still, (A + C, -C, b))]
        case "average_reward_td":
            A, b = hand.mean(scaled(one, lam), one, discounted=False)
            z = (hand.I - hand.kernel(scaled(one, lam), discounted=False)).solve(hand.ones)  # E[z] = Φᵀdiag(d)(…)1
            row, number = RationalMatrix.zeros(1, width), RationalMatrix([[0]])
            average = hand.d.T @ hand.reward(one)
            return [
                stacked((A, -(hand.Phi.T @ z.scale_rows(hand.d)), b), (row, number, number)),
                stacked((zero, none, none), (row, RationalMatrix([[-1]]), average)),
            ]
        case "differential_td":
            A, b = hand.mean(scaled(one, F(0)), ratio, discounted=False)
            row, number = RationalMatrix.zeros(1, width), RationalMatrix([[0]])
            change = hand.d.T @ (hand.kernel(ratio, discounted=False) - hand.I) @ hand.Phi
            return [
                stacked((A, -(hand.Phi.T @ hand.d), b), (row, number, number)),
                stacked((zero, none, none), (change, RationalMatrix([[-1]]), hand.d.T @ hand.reward(ratio))),
            ]
    raise AssertionError(name)


def _residual(hand: ByHand) -> tuple[RationalMatrix, RationalMatrix]:
    """−E[ρ(φ − γφ')(φ − γφ')ᵀ] and E[ρR(φ − γφ')], a sum over all transitions."""
    model, d = hand.model, hand.model.d
    A, b = [[F(0)] * d for _ in range(d)], [F(0)] * d
    for s, a, after, p in hand._moves():
        gammas, rewards = model.discounts[a].rows[s], model.rewards[a].rows[s]
        gamma = gammas[after if len(gammas) > 1 else 0]
        reward = rewards[after if len(rewards) > 1 else 0]
        x = [u - gamma * v for u, v in zip(model.features.rows[s], model.features.rows[after], strict=True)]
        weight = hand.d[s, 0] * p * model.target[s, a] / model.behaviour[s, a]
        for i in range(d):
            b[i] += weight * reward * x[i]
            for j in range(d):
                A[i][j] -= weight * x[i] * x[j]
    return RationalMatrix(A), RationalMatrix.column(b)


def _gap_of_one(hand: ByHand) -> tuple[RationalMatrix, RationalMatrix]:
    """E[ρ'(φ' − γ'φ'')φ'ᵀ ρδφ], two transitions one after the other: a sum over all pairs of them."""
    model, d = hand.model, hand.model.d
    moves, A, b = list(_numbered(hand)), [[F(0)] * d for _ in range(d)], [F(0)] * d
    for s, after, p, rho, gamma, reward in moves:
        here, ahead = model.features.rows[s], model.features.rows[after]
        inner = hand.d[s, 0] * p * rho * sum((x * y for x, y in zip(here, ahead, strict=True)), F(0))
        for second, then, q, rho_then, gamma_then, _ in moves:
            if second != after:
                continue
            for i in range(d):
                change = q * rho_then * (ahead[i] - gamma_then * model.features[then, i])
                b[i] += inner * change * reward
                for j in range(d):
                    A[i][j] += inner * change * (gamma * ahead[j] - here[j])
    return RationalMatrix(A), RationalMatrix.column(b)


def _numbered(hand: ByHand) -> Iterator[tuple[int, int, Fraction, Fraction, Fraction, Fraction]]:
    """State, next state, probability, ρ, γ and R of each transition."""
    model = hand.model
    for s, a, after, p in hand._moves():
        gammas, rewards = model.discounts[a].rows[s], model.rewards[a].rows[s]
        gamma = gammas[after if len(gammas) > 1 else 0]
        yield s, after, p, model.target[s, a] / model.behaviour[s, a], gamma, rewards[after if len(rewards) > 1 else 0]


BLOCKS: dict[str, dict[str, Any]] = {
    "gtd2_lambda": {"lam": LAM},
    "vmtdc": {},
    "direct_gtd": {},
    "gtd": {"tail": (LAM,)},
    "tdc": {"tail": (LAM,)},
    "gtd_2008": {},
    "gtd2": {},
    "gtd_lambda": {"lam": LAM},
    "tdrc": {"lam": LAM, "ridge": F(3, 4)},
    "htd": {"lam": LAM},
    "etd": {"lam": LAM},
    "etd_beta": {"lam": LAM, "decay": F(1, 3)},
    "average_reward_td": {"lam": LAM},
    "differential_td": {},
    "averaging_target": {},
    "residual_gradient": {},
    "ridge_td": {"lam": LAM, "ridge": F(1, 5)},
}


@pytest.mark.parametrize("name", BLOCKS)
def test_means_by_blocks(name: str) -> None:
    options = BLOCKS[name]

    @some
    @given(models(policy="off", discount="any"))
    def holds(model: Model) -> None:
        found = on_class(model, name, **options)
        if not found.memory.exists:
            return
        try:
            wanted = expected_means(name, ByHand(model), options)
        except SingularMatrixError:
            return
        assert list(found.means) == wanted

    holds()


@some
@given(models(policy="off", discount="constant"))
def test_the_mean_of_categorical_td_is_that_of_td(model: Model) -> None:
    """Lyle, Bellemare and Castro (2019): with the atoms' values as weights it is TD, as long as nothing is clipped.

    Σ_k x_k p_k obeys A(Σ_k x_k θ_k) + E[ρφRφ'ᵀ] Σ_k θ_k, and Σ_k θ_k obeys the mean of TD at discount one. Where γ or
    φ' is zero the mass of the target is one at R.
    """
    hand, d = ByHand(model), model.d
    # rewards are at most 2, and atoms from −8 to 8 with discount at most one half leave room
    model = replace(model, discounts=tuple(G.scaled(HALF) for G in model.discounts))
    hand = ByHand(model)
    atoms = (-8, -4, 0, 4, 8)
    found = on_class(model, "categorical_td", atoms=tuple(F(x) for x in atoms)).means[0]
    J, g = found.take(columns=range(5 * d)), found.take(columns=[5 * d])
    unit = hand.C.identity(d)
    values, sums = (
        RationalMatrix([[w * x for w in weights for x in row] for row in unit.rows]) for weights in (atoms, (1,) * 5)
    )
    A, _ = hand.mean(scaled(one, F(0)), ratio)
    plain, gained = ([[F(0)] * d for _ in range(d)] for _ in range(2))
    mass, ended = ([[F(0)] for _ in range(d)] for _ in range(2))
    for s, a, after, p in hand._moves():
        weight = hand.d[s, 0] * p * model.target[s, a] / model.behaviour[s, a]
        phi, ahead, reward = model.features.rows[s], model.features.rows[after], model.rewards[a].rows[s][0]
        ends = model.gamma == 0 or not any(ahead)
        for i in range(d):
            mass[i][0] += weight * phi[i] * ends
            ended[i][0] += weight * phi[i] * ends * reward
            for j in range(d):
                plain[i][j] += weight * phi[i] * (ahead[j] * (not ends) - phi[j])
                gained[i][j] += weight * phi[i] * ahead[j] * (not ends) * reward
    assert sums @ J == RationalMatrix(plain) @ sums and sums @ g == RationalMatrix(mass)
    assert values @ J == A @ values + RationalMatrix(gained) @ sums and values @ g == RationalMatrix(ended)


def test_categorical_td_where_episodes_end() -> None:
    """The value of a terminal state is zero for certain: the target of the step into it is the point mass at R."""
    one: dict[str, Any] = {
        "transitions": [[0, 1], [1, 0]],
        "rewards": [[0, "x"], [0, 0]],
        "discount": "9/10",
        "terminal": [1],
    }

    def at_rest(model: dict[str, Any]) -> list[str]:
        found = loads_model(json.dumps({"format": "tdcert-model/1", **model})).model
        rest = rest_of(on_class(found, "categorical_td"), [ONE]).parameters
        assert rest is not None
        return [row[0] for row in rest.to_strings()]

    for reward, masses in (("1", ["0", "0", "1"]), ("1/2", ["0", "1/2", "1/2"]), ("-1/4", ["1/4", "3/4", "0"])):
        assert at_rest({**one, "rewards": [[0, reward], [0, 0]]}) == masses
    assert at_rest({**one, "rewards": [[0, 3], [0, 0]]}) == ["0", "0", "1"]  # clipped to the last atom
    # atoms that are not evenly spaced: 1/2 lies two thirds of the way from 0 to 3/4
    uneven = loads_model(json.dumps({"format": "tdcert-model/1", **one, "rewards": [[0, "1/2"], [0, 0]]})).model
    rest = rest_of(on_class(uneven, "categorical_td", atoms=(F(-1), F(0), F(3, 4))), [ONE]).parameters
    assert rest is not None and [row[0] for row in rest.to_strings()] == ["0", "1/3", "2/3"]
    for atoms in ((F(1),), (F(1), F(1)), (F(1), F(0))):
        with pytest.raises(InputError, match="give two atoms or more, in increasing order"):
            on_class(uneven, "categorical_td", atoms=atoms)
    # an end that is written as a discount of zero: into the state itself
    assert at_rest({"transitions": [[1]], "rewards": [[1]], "discount": 0}) == ["0", "0", "1"]
    # Z_1 = 1 and Z_0 = γ Z_1 = 1/2, half of it at 0 and half at 1
    two = {"transitions": [[0, 1, 0], [0, 0, 1], [1, 0, 0]], "rewards": [[0] * 3, [0, 0, 1], [0] * 3]}
    assert at_rest({**two, "discount": "1/2", "terminal": [2]}) == ["0", "0", "1/2", "0", "1/2", "1"]
    # to the end with the reward 1, or on with discount 1/2, evenly: p_1 = 1/2 + p_1/4
    split = {"transitions": [["1/2", "1/2"], [1, 0]], "rewards": [[0, 1], [0, 0]], "terminal": [1]}
    assert at_rest({**split, "discount": [["1/2", "1/2"], [0, 0]]}) == ["0", "1/3", "2/3"]
    # off-policy: an action for 1 and one for −1, taken evenly, that the target takes in 3 of 4 cases
    choose: dict[str, Any] = {
        "transitions": {"up": [[0, 1], [1, 0]], "down": [[0, 1], [1, 0]]},
        "terminal": [1],
        "discount": "9/10",
    }
    choose |= {"rewards": {"up": [[0, 1], [0, 0]], "down": [[0, -1], [0, 0]]}}
    policies = {"behaviour": [["1/2", "1/2"]] * 2, "target": [["3/4", "1/4"]] * 2}
    assert at_rest({**choose, **policies}) == ["1/4", "0", "3/4"]


# ---- published facts ------------------------------------------------------------------------------------------------


def test_what_is_said_of_theta_to_two_theta() -> None:
    """A = 1/5 and C = 5/2: off-policy TD diverges, and every algorithm against its condition on these two numbers."""
    model = theta_to_two_theta(GAMMA)
    for name in ("off_policy_td", "tree_backup", "retrace", "vtrace", "q_sigma", "etd_beta"):
        assert verdict(model, name) is UNSTABLE  # at λ = 0 all of them are TD, or nearly
    for name in ("gtd", "gtd_2008", "gtd2"):  # for every ratio: Sutton et al. 2008, 2009
        ratios = ratio_set(on_class(model, name))
        assert ratios is not None and [part.stable for part in ratios] == [True]
    # Sutton, Mahmood and White (2016), §8: the emphasis turns A = 1/5 into −17/5
    assert on_class(model, "etd").means[0] == RationalMatrix([[F(-17, 5), 0]])
    assert verdict(model, "etd") is STABLE and verdict(model, "etd_beta", decay=GAMMA) is STABLE
    # TDC: J(η) has trace A − ηC and determinant ηA²: stable for η > A/C = 2/25 (Maei 2011: for η large enough)
    assert verdict(model, "tdc", F(81, 1000)) is STABLE and verdict(model, "tdc", F(79, 1000)) is UNSTABLE
    # TDRC: determinant ηA(A − ridge): where A > 0 the ridge must be smaller (Ghiassian et al. 2020, its condition on β)
    assert verdict(model, "tdrc", ridge=F(1, 10)) is STABLE and verdict(model, "tdrc", ridge=F(3, 10)) is UNSTABLE
    assert verdict(model, "tdrc", ridge=F(1, 5)) is MARGINAL
    # ridge TD: A − ridge
    assert verdict(model, "ridge_td", ridge=F(19, 100)) is UNSTABLE and verdict(model, "ridge_td", ridge=1) is STABLE
    # averaging TD converges with a slow target where TD does (Lee and He 2019), and here TD does not
    slow = two_time_scales(on_class(model, "averaging_target"))
    assert slow is not None and slow.mean_dynamics is UNSTABLE and slow.reason.startswith("the fast time scale is st")


def test_tree_backup_and_retrace_diverge_with_features() -> None:
    """Touati et al. (2018) on θ→2θ, whatever λ: both coefficients are λ on the action that the target takes, so

    A = (x_1 + 2x_2)/2 with x_2 = (2γ − 2)/(1 − γλ/2) and x_1 = 2γ − 1 + (γλ/2)x_2.
    """
    gamma = F(99, 100)
    model = theta_to_two_theta(gamma)
    for lam in (F(0), HALF, F(9, 10), ONE):
        second = (2 * gamma - 2) / (1 - gamma * lam / 2)
        first = 2 * gamma - 1 + gamma * lam / 2 * second
        for name in ("tree_backup", "retrace"):
            assert on_class(model, name, lam=lam).means[0] == RationalMatrix([[(first + 2 * second) / 2, 0]])
            assert verdict(model, name, lam=lam) is UNSTABLE


def test_bairds_star() -> None:
    """Baird (1995), and Sutton and Barto (2018), §11.7–8: TD diverges, gradient and emphatic TD do not."""
    model = bairds_star(F(99, 100))
    modulo = MeanDynamics.STABLE_MODULO_NULL_SPACE
    assert verdict(model, "off_policy_td") is UNSTABLE
    for name in ("gtd", "gtd2", "gtd_lambda", "etd", "residual_gradient"):
        assert verdict(model, name) is modulo
    assert on_class(model, "etd").memory.has_second_moments is False  # "in theory it converges, but the variance …"


@some
@given(models(policy="off"))
def test_what_holds_on_every_model(model: Model) -> None:
    hand = ByHand(model)
    # Q(σ) unifies: σ = 1 off-policy TD(λ), σ = 0 tree-backup (De Asis et al. 2018)
    assert on_class(model, "q_sigma", lam=LAM, sigma=0).means == on_class(model, "tree_backup", lam=LAM).means
    sampled = on_class(model, "q_sigma", lam=LAM, sigma=1)
    if sampled.memory.exists:
        assert sampled.means == on_class(model, "off_policy_td", tail=(LAM,)).means
    # β of ETD(λ, β): 0 is TD, γ is ETD (Hallak et al. 2016)
    assert on_class(model, "etd_beta", decay=0).means == on_class(model, "off_policy_td").means
    assert model.gamma is not None
    emphatic = on_class(model, "etd")
    if emphatic.memory.exists:
        assert on_class(model, "etd_beta", decay=model.gamma).means == emphatic.means
        # positive interest makes the key matrix negative definite (Sutton, Mahmood and White 2016, Theorem 1)
        assert at_ratios(emphatic, [ONE]).mean_dynamics is STABLE
    # residual gradient is a gradient: never unstable, and stable where TD's features are independent (Baird 1995)
    assert verdict(model, "residual_gradient") is STABLE
    # GTD2 is stable at every ratio exactly where A is nonsingular (Sutton et al. 2009, Theorem 1)
    A, _ = hand.mean(scaled(ratio, F(0)), ratio)
    ratios = ratio_set(on_class(model, "gtd2"))
    assert ratios is not None and {part.stable for part in ratios} == {A.rank == model.d}
    # TDC, GTD2, GTD and TD rest in the same place
    if A.rank == model.d:
        rests = [rest_of(on_class(model, name), [ONE, F(2)]) for name in ("gtd2", "gtd_lambda", "gtd_2008")]
        assert all(rest.predictions == rests[0].predictions for rest in rests)


@some
@given(models(policy="on"))
def test_on_policy_all_that_should_be_td_is_td(model: Model) -> None:
    """HTD(λ) then does not read w (White and White 2016); Retrace, V-trace and TD(λ) have the same coefficients."""
    td = on_class(model, "td", tail=(LAM,)).means
    assert on_class(model, "retrace", lam=LAM).means == td == on_class(model, "vtrace", lam=LAM).means
    first = on_class(model, "htd", lam=LAM).means[0]
    d = model.d
    assert first.take(range(d), [*range(d), 2 * d]) == td[0] and first.take(range(d), range(d, 2 * d)).is_zero()
    assert verdict(model, "td", tail=(LAM,)) is STABLE  # Tsitsiklis and Van Roy 1997


@some
@given(models(policy="off"))
def test_tabular_contractions(model: Model) -> None:
    """Munos et al. (2016), Theorem 1: with tables Retrace and tree-backup find V^π from any behaviour; V-trace finds
    the value of the policy min(ρ̄μ, π), made a law (Espeholt et al. 2018, Remark 1)."""
    model = model.with_features(RationalMatrix.zeros(0, 0).identity(model.n))
    for name in ("retrace", "tree_backup"):
        found = on_class(model, name, lam=LAM)
        assert at_ratios(found, [ONE]).mean_dynamics is STABLE
        assert rest_of(found, [ONE]).parameters == true_value(model)
    clip = HALF
    clipped = [
        [min(clip * mu, pi) for mu, pi in zip(*rows, strict=True)]
        for rows in zip(model.behaviour.rows, model.target.rows, strict=True)
    ]
    policy = RationalMatrix([[x / sum(row) for x in row] for row in clipped])
    found = on_class(model, "vtrace", clip_error=clip, clip_trace=clip, lam=LAM)
    assert at_ratios(found, [ONE]).mean_dynamics is STABLE
    assert rest_of(found, [ONE]).parameters == true_value(replace(model, target=policy))


@some
@given(models(policy="on"))
def test_average_rewards(model: Model) -> None:
    """The average found is Σ d r (Tsitsiklis and Van Roy 1999), and differences of values obey Poisson's equation."""
    found = on_class(model, "average_reward_td", lam=LAM)
    hand = ByHand(model)
    ones = RationalMatrix([[1]] * model.n)
    sees_constants = RationalMatrix([[*a, *b] for a, b in zip(model.features.rows, ones.rows, strict=True)]).rank
    if sees_constants == model.d:
        assert at_ratios(found, [ONE, ONE]).mean_dynamics is MARGINAL
        return
    rest = rest_of(found, [ONE, F(1, 3)])
    assert at_ratios(found, [ONE, ONE]).mean_dynamics is STABLE and rest.parameters is not None
    average = (hand.d.T @ hand.reward(one))[0, 0]
    assert rest.parameters[model.d, 0] == average
    if model.d == model.n - 1:  # features and constants span everything
        v = model.features @ rest.parameters.take(rows=range(model.d))
        assert v - hand.kernel(one, discounted=False) @ v == hand.reward(one) - ones.scaled(average)


def test_residual_gradient_rests_elsewhere() -> None:
    """Baird (1995), Sutton and Barto (2018), §11.5: with one sample for both factors the variance of the next value is
    paid for; without chance it is V."""
    certain = one_state(HALF)
    assert rest_of(on_class(certain, "residual_gradient"), [ONE]).predictions == true_value(certain)
    even = RationalMatrix([[HALF, HALF], [HALF, HALF]])
    chance = Model.reward_process(even, RationalMatrix([[0], [1]]), GAMMA)
    assert rest_of(on_class(chance, "residual_gradient"), [ONE]).predictions != true_value(chance)
    assert rest_of(on_class(chance, "td"), [ONE]).predictions == true_value(chance)


def test_mirror_prox_is_an_extragradient_step() -> None:
    """Liu et al. (2015): at fixed steps the new θ is θ + αρ(φ − γφ')φᵀw_m; and it has no mean dynamics."""
    model = theta_to_two_theta(GAMMA, rewards=(3, 5))
    steps = {"alpha": F(1, 10), "beta": F(1, 5)}
    found = tables(model, named("gtd2_mp"), steps=steps)
    (edge,) = [e for e in found.edges if e.source == 1 and e.outcome.after == 1]
    theta, w, x, phi, rho = F(7), F(11), F(2) - GAMMA * 2, F(2), F(2)
    alpha, beta = steps["alpha"], steps["beta"]
    w_middle = w + beta * (rho * (5 - x * theta) - phi * w) * phi
    theta_middle = theta + alpha * rho * x * phi * w
    wanted = [
        theta + alpha * rho * x * phi * w_middle,
        w + beta * (rho * (5 - x * theta_middle) - phi * w_middle) * phi,
    ]
    part = edge.increments[0, 0]
    y = [theta, w, ONE]
    moved = [
        sum((F(int(v.p), int(v.q)) * y[column] for (_, r, column), v in part.items() if r == row), y[row])
        for row in range(2)
    ]
    assert moved == wanted
    with pytest.raises(
        InputError, match=r"not linear in its step sizes \(a term with (alpha|beta)·beta, gtd2_mp.py, line"
    ):
        _ = on_class(model, "gtd2_mp").means


def at_steps(name: str, model: Model, steps: dict[str, Fraction], **options: Any) -> RationalMatrix:
    """[J g] of E[y' − y] where step sizes are numbers."""
    declared = named(name).with_options(**options)
    found = stationary(model, declared, model.behaviour_chain.recurrent_classes[0], steps=steps)
    mean: RationalMatrix
    (mean,) = found.by_exponents.values()
    return mean


@some
@given(models(policy="off"))
def test_momentum_by_blocks(model: Model) -> None:
    """Deb and Bhatnagar (2022): θ_{t+1} − θ_t = α·(the update of GTD, or of TDC) + η(θ_t − θ_{t−1})."""
    alpha, beta, eta = F(1, 8), F(1, 3), F(2, 5)
    hand = ByHand(model)
    (A, b), C = hand.mean(scaled(ratio, F(0)), ratio), hand.C
    unit, zero, none = A.identity(A.shape[0]), A.scaled(0), b.scaled(0)
    blocks = {
        "gtd_momentum": ((zero, -A.T, none), (A, -unit, b)),
        "tdc_momentum": ((A, -(A.T + C), b), (A, -C, b)),
    }
    for name, ((theta, w, gain), (up, down, add)) in blocks.items():
        found = at_steps(name, model, {"alpha": alpha, "beta": beta}, momentum=eta)
        assert found == stacked(
            (theta.scaled(alpha) + unit.scaled(eta), unit.scaled(-eta), w.scaled(alpha), gain.scaled(alpha)),
            (unit, -unit, zero, none),
            (up.scaled(beta), zero, down.scaled(beta), add.scaled(beta)),
        )
        # without momentum it is the algorithm, whose rest it shares at any
        plain = on_class(model, {"gtd_momentum": "gtd_2008", "tdc_momentum": "gtd_lambda"}[name])
        if A.rank == model.d:
            y = rest_of(plain, [ONE, ONE]).parameters
            assert y is not None
            d = range(model.d)
            whole = stacked((y.take(rows=d),), (y.take(rows=d),), (y.take(rows=range(model.d, 2 * model.d)),))
            width = 3 * model.d
            moved = found.take(columns=range(width)) @ whole + found.take(columns=[width])
            assert moved.is_zero()


@some
@given(models(policy="on"))
def test_the_implicit_step(model: Model) -> None:
    """Tamar et al. (2014): TD with the gain α/(1 + α‖φ‖²), so the mean is that of TD with states weighted by it; on one
    state it comes to rest at any step."""
    alpha = F(3, 7)
    hand = ByHand(model)
    gain = [alpha / (1 + alpha * sum((x * x for x in row), F(0))) for row in model.features.rows]
    emphasis = hand.d.scale_rows(RationalMatrix.column(gain))
    assert at_steps("implicit_td", model, {"alpha": alpha}) == stacked(hand.mean(scaled(one, F(0)), one, emphasis))
    single = one_state(HALF)
    for step in (F(1, 10), F(5), F(1000)):
        J = at_steps("implicit_td", single, {"alpha": step})[0, 0]
        assert -1 < J < 0


@pytest.mark.parametrize("lambdas", [(F(2, 3),) * 5, (F(5), F(1, 3), F(1), F(1, 2), F(0))], ids=["one", "by state"])
def test_true_online_td_is_the_online_lambda_return_algorithm(lambdas: Sequence[F]) -> None:
    """van Seijen et al. (2016), Theorem 1: θ_T is what the online λ-return algorithm has at time T, for every T.

    By hand: θ^T_T = θ_0 + Σ α(G_k − φᵀθ^T_k)φ_k with the λ-returns that stop at T, bootstrapped from θ_k at time k + 1.
    The return from k goes on beyond the state at time k + n with λ of that state; λ of the first state counts nowhere.
    """
    gamma, alpha = F(3, 4), F(1, 5)
    phi = [[F(1), F(0)], [F(2), F(-1)], [F(1), F(3)], [F(0), F(1)], [F(-1), F(2)]]
    rewards, start = [F(1), F(-2), F(3), F(1, 2)], [F(1), F(-1)]

    def dot(x: Any, y: Any) -> Any:
        return sum((a * b for a, b in zip(x, y, strict=True)), F(0))

    online = [start]
    for T in range(1, 5):
        theta = start
        for k in range(T):
            n_step = [
                sum((gamma**i * rewards[k + i] for i in range(n)), F(0)) + gamma**n * dot(phi[k + n], online[k + n - 1])
                for n in range(1, T - k + 1)
            ]
            goes_on = [prod(lambdas[k + 1 : k + n], start=F(1)) for n in range(1, T - k + 1)]
            G = sum(((1 - lambdas[k + n]) * goes_on[n - 1] * n_step[n - 1] for n in range(1, T - k)), F(0))
            G += goes_on[-1] * n_step[-1]
            error = alpha * (G - dot(phi[k], theta))
            theta = [x + error * y for x, y in zip(theta, phi[k], strict=True)]
        online.append(theta)

    declared = named("true_online_td")
    held: list[Any] = [np.array(start), np.array(start), np.array([F(0), F(0)])]
    for k in range(4):
        t = SimpleNamespace(phi=np.array(phi[k]), phi_next=np.array(phi[k + 1]), reward=rewards[k], discount=gamma)
        t.at_next = lambda lam, k=k: lambdas[k + 1]
        held = list(declared.function(t, *held, alpha, lam=lambdas[k]))
        assert list(held[0]) == online[k + 1]


@some
@given(models(policy="on"))
def test_true_online_td_without_a_trace_is_td(model: Model) -> None:
    alpha = F(1, 8)
    hand, d = ByHand(model), model.d
    A, b = hand.mean(scaled(one, F(0)), one)
    found = at_steps("true_online_td", model, {"alpha": alpha}, lam=0)
    assert found.take(rows=range(d), columns=[*range(d), 2 * d]) == stacked((A.scaled(alpha), b.scaled(alpha)))
    assert found.take(rows=range(d), columns=range(d, 2 * d)).is_zero()


@some
@given(models(policy="off"))
def test_what_newer_papers_say(model: Model) -> None:
    """GTD2(λ) and GTD(λ) are two gradients of one objective (Maei 2011), so they rest in one place; with ω at rest
    VMTDC is TDC with A less E[φ]E[ρ(γφ' − φ)]ᵀ (Chen et al. 2024, its key matrix)."""
    lam = HALF
    first, second = (on_class(model, name, lam=lam) for name in ("gtd2_lambda", "gtd_lambda"))
    if first.memory.exists:
        rests = [rest_of(found, [ONE, ONE]).parameters for found in (first, second)]
        if None not in rests:
            assert rests[0] == rests[1]
    hand, d = ByHand(model), model.d
    A, _ = hand.mean(scaled(ratio, F(0)), ratio)
    theta, omega, _ = on_class(model, "vmtdc").means
    own = theta.take(rows=range(d), columns=range(d))
    column, row = theta.take(rows=range(d), columns=[d]), omega.take(rows=[d], columns=range(d))
    change = hand.d.T @ (hand.kernel(ratio) - hand.I) @ hand.Phi
    assert own + column @ row == A - (hand.Phi.T @ hand.d) @ change


def test_a_gap_without_memory_is_a_gradient() -> None:
    """Qian and Zhang (2025): if the two transitions are independent the mean is −AᵀA, −Aᵀb; else the gap must grow."""
    single = one_state(HALF)
    A, b = ByHand(single).mean(scaled(one, F(0)), one)
    assert on_class(single, "direct_gtd").means[0] == stacked((-(A.T @ A), -(A.T @ b)))
    rows = RationalMatrix([[HALF, HALF], [HALF, HALF]])
    model = Model.reward_process(rows, RationalMatrix([[0], [1]]), GAMMA, features=RationalMatrix([[1], [3]]))
    A, b = ByHand(model).mean(scaled(one, F(0)), one)
    assert on_class(model, "direct_gtd").means[0] != stacked((-(A.T @ A), -(A.T @ b)))


# ---- runs -----------------------------------------------------------------------------------------------------------

SMALL = theta_to_two_theta(GAMMA, rewards=(1, -1))
RUN_WITH: dict[str, dict[str, Any]] = {
    **{name: {"lambdas": (HALF, F(1, 3))} for name in FOUR},
    **{name: options for name, (options, _, _) in ONE_VECTOR.items() if name not in FOUR},
    **{name: options for name, options in BLOCKS.items() if name not in FOUR},
    "categorical_td": {"atoms": (F(-1), F(0), F(1))},
    "true_online_td": {"lam": LAM},
    **{name: {"momentum": F(2, 5)} for name in ("gtd_momentum", "tdc_momentum")},
    **{name: {} for name in ("gtd2_mp", "implicit_td")},
}
CONSTANT_ONLY = ("gtd2_mp", "gtd_momentum", "tdc_momentum", "true_online_td", "implicit_td")


def compared(name: str, budget: ErrorBudget, drawn: Algorithm | None = None) -> Any:
    declared = named(name).with_options(**RUN_WITH[name])
    size = sum(slot.size for slot in declared.slots(SMALL.d)[0])
    ratios = [ONE, F(3, 2), F(3, 4)][: len(declared.steps)]
    constant = name in CONSTANT_ONLY
    sizes = [0.25] * 3 if constant else [0.25, 0.125, 0.25]
    sampling = Sampling(f"{name} as declared", 4_000, 5, budget, 1e-9)
    y0 = [1.0 + k / 2 for k in range(size)]
    return simulate_update(SMALL, declared, ratios, sizes, sampling, y0=y0, drawn=drawn, constant=constant)


@pytest.mark.parametrize("name", NAMES)
def test_runs_agree_with_moments(name: str, error_budget: ErrorBudget) -> None:
    found = compared(name, error_budget)
    assert found.agrees and np.isfinite(found.statistic), found.sentence()


def test_runs_of_another_update_do_not(error_budget: ErrorBudget) -> None:
    """Off-policy TD without its ratio, and with a trace that forgets."""
    for wrong in (named("td").with_options(**RUN_WITH["td"]), named("off_policy_td").with_options(lambdas=())):
        assert compared(
            "off_policy_td", error_budget.part(f"{wrong.name} in the place of off_policy_td", 1e-8), wrong
        ).contradicts


# ---- the shelf ------------------------------------------------------------------------------------------------------


def test_each_has_a_file_a_source_and_few_lines() -> None:
    for name in NAMES:
        declared = named(name)
        source = inspect.getsource(declared.function).split('"""')
        lines = [line for line in source[-1].splitlines() if line.strip()]
        assert declared.name == name and Path(inspect.getfile(declared.function)).stem == name
        assert len(lines) <= 15 and declared.description.endswith(".")
        assert any(character.isdigit() for character in declared.description), f"{name} names no year"


def test_lists_and_options_and_files(tmp_path: Path) -> None:
    own = tmp_path / "mine.py"
    own.write_text(
        "import tdcert\n"
        "@tdcert.algorithm(parameters={'theta': 'd'})\n"
        "def mine(t, theta, alpha, *, by=1):\n"
        "    return theta - alpha * by * theta\n"
        "other = 3\n"
    )
    found = find(f"tdrc[ridge=1/2, lam=0], {own}:mine[by=3],categorical_td[atoms=-1:0:1/2]")
    assert [one.name for one in found] == ["tdrc", "mine", "categorical_td"]
    assert found[0].options == {"ridge": HALF, "lam": 0} and found[2].options == {"atoms": (-1, 0, HALF)}
    assert find("td[tail=1/2,lambdas=1]")[0].options == {"tail": (HALF,), "lambdas": (1,)}  # lists of one
    assert [one.name for one in find("all")] == list(NAMES)
    twice = find(f"td, {own}:mine,td[lambdas=1/2],td,{own}:mine,td[lambdas=1/2],all")
    assert [one.name for one in twice] == ["td", "mine", "td", *(name for name in NAMES if name != "td")]
    (td,) = find_all(["td", find("td")[0], "td"])
    assert find_all([td, twice[2], td]) == [td, twice[2]] and twice[2].options["lambdas"] == (HALF,)
    (tmp_path / "td.py").write_text(own.read_text().replace("mine", "td"))
    for both in (f"{tmp_path}/td.py:td,td", ["td", *find(f"{tmp_path}/td.py:td")]):
        with pytest.raises(InputError, match="two different updates are called 'td'"):
            find_all(both)
    assert len(find(f"{tmp_path}/td.py:td[by=2],td")) == 2
    (tmp_path / "second.py").write_text(own.read_text())
    with pytest.raises(InputError, match="two different updates are called 'mine'; give one of them another name"):
        find(f"{own}:mine,{tmp_path}/second.py:mine")  # answers say names, so of two only the last would be told
    assert len(find(f"{own}:mine[by=2],{tmp_path}/second.py:mine")) == 2
    (tmp_path / "broken.py").write_text("import nothing_of_this_name\n")
    (tmp_path / "empty.py").write_text("")
    for words, said in (
        ("nobody", "there is no algorithm 'nobody'"),
        ("", "no algorithm is named"),
        ("tdrc[ridge=1", "have no end"),
        ("tdrc[ridge=x]", "'x' in 'tdrc[ridge=x]' is not a number"),
        ("tdrc[beta=1]", "has no option 'beta'"),
        (f"{tmp_path}/none.py:mine", "there is no file"),
        (f"{own}:other", "'other' in '.*' is not declared by @tdcert.algorithm; the file declares mine"),
        (f"{tmp_path}/empty.py:x", "put that line above the function"),
        (f"{tmp_path}/broken.py:x", "cannot be imported \\(ModuleNotFoundError"),
    ):
        with pytest.raises(InputError, match=said.replace("[", "\\[").replace("]", "\\]")):
            find(words)
