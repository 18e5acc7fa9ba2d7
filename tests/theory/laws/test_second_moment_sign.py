"""The sign of the second moments with bounded roundings: against exact decisions, and where it may not decide."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tdcert.algorithms.schedules import declared, scheduled
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.rational import to_fraction
from tdcert.theory.engine.near_nodes import bound_of, near_nodes, off_by, recursion
from tdcert.theory.engine.terms import Terms, traced
from tdcert.theory.laws import second_moment_sign as laws
from tdcert.theory.laws.mean_square import show_bounded, show_unbounded
from tdcert.theory.laws.second_moment_sign import decide_sign
from tdcert.theory.model.gallery import HALF, bairds_star, theta_to_two_theta
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule
from tests.chains import mean_square_sign, quotient_system, second_moments
from tests.effort import examples

F = Fraction


def endless(model: Model, name: str) -> Terms:
    """The terms from all states."""
    return traced(model, declared(name, model), range(model.n), stationary=False)


STAR = tuple(range(7))
WORK = 2_000_000


@settings(max_examples=examples(12), deadline=None)
@given(
    gamma=st.sampled_from([F(1, 4), F(3, 4), F(19, 20)]),
    schedule=st.sampled_from([Schedule(), Schedule.n_step(2), Schedule.equal_weights(2, 4)]),
    algorithm=st.sampled_from(["off_policy_td", "gtd", "tdc"]),
    alpha=st.sampled_from([F(1, 50), F(1, 10), F(1, 2), F(3, 2)]),
    eta=st.sampled_from([F(1, 8), F(1), F(10)]),
)
def test_it_says_what_exact_arithmetic_says(
    gamma: Fraction, schedule: Schedule, algorithm: str, alpha: Fraction, eta: Fraction
) -> None:
    model = theta_to_two_theta(gamma, schedule)
    system = quotient_system(model, scheduled(algorithm), eta, (0, 1))
    exact = -1 if show_bounded(system, alpha) else 1 if show_unbounded(system, alpha) else None
    assert mean_square_sign(model, algorithm, alpha, eta, (0, 1), WORK) == (exact, "")


@pytest.mark.parametrize(("gamma", "sign"), [(F(1, 4), -1), (F(99, 100), 1)])
def test_on_the_quotient_of_bairds_star(gamma: Fraction, sign: int) -> None:
    model = bairds_star(gamma)
    system = quotient_system(model, scheduled("off_policy_td"), F(10), STAR)
    shown = show_bounded(system, F(1, 200)) if sign < 0 else show_unbounded(system, F(1, 200))
    assert shown is not None
    assert mean_square_sign(model, "off_policy_td", F(1, 200), F(10), STAR, WORK) == (sign, "")


def test_the_operator_is_the_exact_one() -> None:
    """𝓛X against the exact family on a random X, within the radius that decisions allow for."""
    model = theta_to_two_theta(F(9, 10), Schedule.equal_weights(2, 4))
    alpha, eta = F(1, 10), F(3)
    system, moments = (
        quotient_system(model, scheduled("tdc"), eta, (0, 1)),
        second_moments(model, "tdc", eta, (0, 1), WORK),
    )
    draw = np.random.default_rng(7).integers(-9, 10, (moments.count, 2, 2))
    X = (draw + draw.transpose(0, 2, 1)).astype(float)
    family = tuple(system.J.identity(2).from_rationals([[F(int(x)) for x in row] for row in matrix]) for matrix in X)
    exact = np.array([matrix.to_float() for matrix in system.decrease(family, alpha)])
    B = np.eye(2) + float(alpha) * moments.K
    assert np.abs(exact - (X - moments.apply(X, B))).max() <= 1e-12 * np.abs(X).max()


@pytest.mark.parametrize("lam", [F(1, 4), HALF])
@pytest.mark.parametrize("alpha", [F(1, 40), F(2)])
def test_a_schedule_without_end_against_a_very_long_one(lam: Fraction, alpha: Fraction) -> None:
    """ρΓ ≤ 2γ: after sixty steps (2γλ)⁶⁰ of the trace is missing, which changes no sign here."""
    endless = theta_to_two_theta(F(4, 5), Schedule.constant(lam))
    long = theta_to_two_theta(F(4, 5), Schedule.constant(lam, 60))
    system = quotient_system(long, scheduled("off_policy_td"), F(1), (0, 1))
    exact = -1 if show_bounded(system, alpha) else 1 if show_unbounded(system, alpha) else None
    assert exact is not None
    assert mean_square_sign(endless, "off_policy_td", alpha, F(1), (0, 1), WORK) == (exact, "")


def test_a_trace_without_a_bound_is_never_called_bounded() -> None:
    """λ = 9/10: ρΓλ = 81/50 along one path, so only growth may be concluded; at small steps none is found."""
    model = theta_to_two_theta(F(9, 10), Schedule.constant(F(9, 10)))
    moments = second_moments(model, "off_policy_td", F(1), (0, 1), WORK, depth=5)
    assert not moments.is_whole
    sign, why = mean_square_sign(model, "off_policy_td", F(1, 1000), F(1), (0, 1), WORK)
    assert sign is None and "no bound" in why
    assert mean_square_sign(model, "off_policy_td", F(2), F(1), (0, 1), WORK) == (1, "")


def test_what_is_missing_of_a_trace_is_counted() -> None:
    """Traces far from each other taken as one can change the sign: undecided there, decided where they are near."""
    model = theta_to_two_theta(F(4, 5), Schedule.constant(HALF))
    coarse, fine = (second_moments(model, "off_policy_td", F(1), (0, 1), WORK, spacing=x) for x in (0.5, 2.0**-12))
    assert decide_sign(coarse, F(1, 40)) is None
    assert decide_sign(fine, F(1, 40)) == -1
    assert (
        decide_sign(replace(coarse, off=(0.0 * coarse.off).astype(np.float64)), F(1, 40)) is not None
    )  # they are what is missing


def test_the_missing_part_is_bounded_by_the_true_one() -> None:
    """Every path of 14 more steps: Σ_{j≥1} λʲ Πρ Γ is at most the bound, and the bound is not idle."""
    model = theta_to_two_theta(F(4, 5), Schedule.constant(HALF))
    found = endless(model, "off_policy_td")
    moved = recursion(found)
    assert moved is not None
    sizes = list(zip(found.passages, moved[1], strict=True))
    largest = dict.fromkeys(range(2), 0.0)
    for _ in range(14):
        largest = {s: max(c * (1 + largest[p.target]) for p, c in sizes if p.source == s) for s in range(2)}
    assert max(largest.values()) <= bound_of(found) <= 1.1 * 0.8 / (1 - 0.8)
    further = model.with_schedule(Schedule.constant(F(9, 10)))
    assert bound_of(endless(further, "off_policy_td")) == float("inf")


@pytest.mark.parametrize("spacing", [0.5, 0.125, 2.0**-7])
@pytest.mark.parametrize("lam", [F(-1, 3), HALF, pytest.param(F(9, 10), marks=pytest.mark.thorough)])
def test_every_trace_lies_within_the_radius_of_its_node(lam: Fraction, spacing: float) -> None:
    """Exact traces of all paths of six steps, followed from node to node."""
    third, rows = F(1, 3), [[F(1), F(1, 7)], [F(-2), F(1)], [F(1, 3), F(0)]]
    P = RationalMatrix([[third] * 3, [HALF, F(0), HALF], [F(0), F(1), F(0)]])
    model = Model.reward_process(
        P, RationalMatrix.column([0, 1, 2]), F(9, 10), RationalMatrix(rows), Schedule.constant(lam)
    )
    chain = near_nodes(endless(model, "td"), spacing, 100_000)
    leaving: dict[int, list[int]] = {}
    for h, g in zip(chain.source, chain.target, strict=True):
        leaving.setdefault(int(h), []).append(int(g))

    def follow(h: int, memory: list[Fraction], steps: int) -> None:
        state, (k,) = chain.nodes[h]
        apart = sum((x - to_fraction(c)) ** 2 for x, c in zip(memory, chain.memory[k], strict=True))
        assert apart <= F(float(chain.radius[h])) ** 2
        for g in leaving[h] if steps else ():
            follow(g, [F(9, 10) * (y + lam * x) for x, y in zip(memory, rows[state], strict=True)], steps - 1)

    for s in range(3):
        follow(s, [F(0), F(0)], 6)
    assert float(chain.radius.max()) <= 10 * spacing * 2 / (1 - 0.9 * abs(float(lam)))  # and the bound is not idle


@pytest.mark.parametrize("name", ["off_policy_td", "gtd", "tdc"])
def test_the_matrix_at_a_node_is_off_by_at_most_what_is_said(name: str) -> None:
    """K is affine in the memory: moved by r in random directions, by hand, it changes by at most e; and by half of it
    or more somewhere.
    """
    features = RationalMatrix([[1, HALF], [2, -1]])
    model = theta_to_two_theta(F(4, 5), Schedule.constant(HALF)).with_features(features)
    chain = near_nodes(endless(model, name), 0.25, 10_000)
    ratios, Phi, draw = [F(1), F(3)][: len(chain.of.algorithm.steps)], features.to_float(), np.random.default_rng(3)
    off, widest = off_by(chain, ratios), 0.0
    for e, k in enumerate(chain.edge.tolist()):
        outcome, r = chain.edges[k].outcome, chain.radius[chain.source[e]]
        x = float(outcome.discount) * Phi[outcome.after] - Phi[outcome.state]
        for _ in range(20):
            u = draw.normal(size=2)
            z = float(outcome.rho) * 0.5 * r * u / np.linalg.norm(u)  # z_t = ρ(φ + λe)
            zx, xz = np.outer(z, x), np.outer(x, z)
            moved = {
                "off_policy_td": zx,
                "gtd": np.block([[0 * zx, -xz], [3 * zx, 0 * zx]]),
                "tdc": np.block([[zx, -xz], [3 * zx, 0 * zx]]),
            }[name]
            size = float(np.linalg.norm(moved, 2))
            assert size <= off[e]
            widest = max(widest, size / off[e] if off[e] else 0.0)
    assert widest > 0.5


@pytest.mark.thorough
def test_a_family_that_is_said_to_shrink_does_so_whatever_is_unknown() -> None:
    """2,000 errors of the largest norm that is allowed for, those that hurt most among them, at several sizes."""
    model, draw = theta_to_two_theta(F(4, 5), Schedule.constant(HALF)), np.random.default_rng(5)
    moments, alpha, said = second_moments(model, "tdc", F(1), (0, 1), WORK, spacing=2.0**-4), 0.25, 0
    B, plain = np.eye(2) + alpha * moments.K, np.eye(2) + alpha * moments.K_plain
    for size in (1e-4, 1e-3, 1e-2, 0.1, 1.0):
        told = replace(moments, off=np.where(moments.off > 0, size, 0.0))
        for X in laws._proposed(moments, B):
            decrease = X - moments.apply(X, B)
            if not laws._despite_unknown(told, X, B, plain, alpha, decrease, np.zeros_like(X)):
                continue
            said += 1
            top = np.linalg.eigh(np.abs(X[moments.target]))[1][:, :, -1]
            for k in range(400):
                E = draw.normal(size=B.shape) if k else top[:, :, None] * np.array([1.0, 0.0])
                E *= (told.off * draw.choice([-1, 1], len(E)) / np.linalg.norm(E, ord=2, axis=(1, 2)))[:, None, None]
                assert np.linalg.eigvalsh(X - moments.apply(X, B + alpha * E)).min() > 0
    assert said >= 2


@pytest.mark.parametrize(
    ("B", "e", "shrinks"), [(0.0, 0.9, True), (0.0, 1.1, False), (0.5, 0.4, True), (0.5, 0.6, False)]
)
def test_what_is_unknown_of_one_window(B: float, e: float, shrinks: bool) -> None:
    """y' = (B + E)y with |E| ≤ e: the square shrinks for every E where (|B| + e)² < 1."""
    one, zero = np.ones((1, 1, 1)), np.zeros(1, dtype=np.int64)
    moments = laws.SecondMoments(zero, zero, zero, np.ones(1), (B - 1) * one, one, e * np.ones(1))
    decrease = one - moments.apply(one, B * one)
    assert laws._despite_unknown(moments, one, B * one, 2 * one, 1.0, decrease, 0 * one) is shrinks


def test_nodes_are_far_fewer_than_windows() -> None:
    """On-policy with λ = 9/10 on a chain whose windows of 24 states are half a million: each cell takes seconds."""
    P = RationalMatrix([[HALF, HALF], [F(1), F(0)]])
    for gamma in (F(9, 10), F(19, 20), F(99, 100)):
        model = Model.reward_process(
            P, RationalMatrix.column([0, 1]), gamma, RationalMatrix.column([1, 2]), Schedule.constant(F(9, 10))
        )
        assert mean_square_sign(model, "td", F(1, 160), F(10), (0, 1), WORK) == (-1, "")
        assert len(near_nodes(endless(model, "td"), 2.0**-6, 5_000).nodes) < 1_000


def test_too_much_work_and_no_features_are_told() -> None:
    model = theta_to_two_theta(F(4, 5), Schedule.equal_weights(2, 4))
    assert mean_square_sign(model, "off_policy_td", F(1, 10), F(1), (0, 1), 3) == (
        None,
        "too many windows for the budget",
    )


def matrices(*entries: Any) -> Any:
    return np.array(entries, dtype=float)


def test_positive_definiteness_is_claimed_only_with_room_for_the_radii() -> None:
    S = matrices([[2.0, 1.0], [1.0, 2.0]], [[1e-8, 0.0], [0.0, 1e8]])
    zero = np.zeros_like(S)
    assert laws._positive(S, zero)
    assert laws._positive(S, matrices([[0.4, 0.4], [0.4, 0.4]], [[0.0, 0.0], [0.0, 0.0]]))
    assert not laws._positive(S, matrices([[0.6, 0.6], [0.6, 0.6]], [[0.0, 0.0], [0.0, 0.0]]))  # 2 − 1 < 2 · 0.6
    assert not laws._positive(S, matrices([[0.0, 0.0], [0.0, 0.0]], [[2e-8, 0.0], [0.0, 0.0]]))
    assert not laws._positive(matrices([[1.0, 1.0], [1.0, 1.0]]), zero[:1])  # singular
    assert not laws._positive(matrices([[1.0, 2.0], [2.0, 1.0]]), zero[:1])
    assert not laws._positive(matrices([[1.0, 0.0], [0.0, np.nan]]), zero[:1])


def test_norms_are_bounds(seed: int = 3) -> None:
    draw = np.random.default_rng(seed).normal(size=(50, 9, 9)) * 10.0 ** np.arange(-25, 25)[:, None, None]
    true, found = np.linalg.norm(draw, ord=2, axis=(1, 2)), laws.spectral_norms(draw)
    assert (found >= true * (1 - 1e-12)).all() and (found <= 1.4 * true).all()


@pytest.mark.thorough
@pytest.mark.parametrize("algorithm", ["gtd", "tdc"])
def test_long_windows_of_bairds_star_are_decided(algorithm: str) -> None:
    """42 windows of EqualWeights(4, 6) with 14 numbers each: exact arithmetic agrees, many times slower."""
    for gamma in (F(1, 4), F(99, 100)):
        model: Model = bairds_star(gamma, Schedule.equal_weights(4, 6))
        assert mean_square_sign(model, algorithm, F(1, 200), F(10), STAR, WORK) == (1, "")
        system = quotient_system(model, scheduled(algorithm), F(10), STAR, entries=100_000)
        assert show_unbounded(system, F(1, 200)) is not None
