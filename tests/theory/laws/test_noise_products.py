"""Second moments of one update and the variances of their empirical values, against all paths of L + 1 steps."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest

from tdcert.algorithms.schedules import scheduled
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.laws.increments import increment_moments
from tdcert.theory.laws.long_run_covariance import ExactNoise
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

F = Fraction
Path = tuple[Fraction, list[tuple[int, int, int]]]


def model(length: int, discounts: list[list[Fraction]] | None = None) -> Model:
    """Two states, two actions, two features; ρ is 1/2, 3/2, 0 or 4/3."""
    swap, mix = RationalMatrix([[0, 1], [1, 0]]), RationalMatrix([[F(1, 2), F(1, 2)], [1, 0]])
    reward = RationalMatrix([[1, -1], [2, 0]])
    discount = RationalMatrix(discounts or [[F(1, 2), F(1, 2)], [F(1, 2), F(1, 2)]])
    return Model(
        ("swap", "mix"),
        (swap, mix),
        (reward, -reward),
        (discount, discount),
        RationalMatrix([[F(1, 2), F(1, 2)], [F(1, 4), F(3, 4)]]),
        RationalMatrix([[F(1, 4), F(3, 4)], [0, 1]]),
        RationalMatrix([[1, -1], [0, 2]]),
        Schedule((F(3, 4), F(1, 3))[:length]),
    )


def paths(given: Model, steps: int) -> Iterator[Path]:
    """Every path (s, a, s') of so many steps from the stationary law, with its probability."""
    grown: list[Path] = [
        (p, [(0, 0, s)]) for s, p in enumerate(given.behaviour_chain.stationary_law((0, 1)).column_entries())
    ]
    for _ in range(steps):
        grown = [
            (p * given.behaviour[s, a] * given.transitions[a][s, after], [*path, (s, a, after)])
            for p, path in grown
            for s in [path[-1][2]]
            for a in range(2)
            for after in range(2)
        ]
    return ((p, path[1:]) for p, path in grown if p)


def update(given: Model, theta: list[Fraction], path: list[tuple[int, int, int]]) -> list[Fraction]:
    """δ z in the last step of the path, as the definitions say."""
    phi = given.features.rows
    rho = [given.target[s, a] / given.behaviour[s, a] for s, a, _ in path]
    gamma = [given.discounts[a].rows[s][after if given.gamma is None else 0] for s, a, after in path]
    s, a, after = path[-1]
    value = [sum(x * y for x, y in zip(row, theta, strict=True)) for row in phi]
    delta = given.rewards[a][s, after] + gamma[-1] * value[after] - value[s]
    z, weight = [F(0), F(0)], rho[-1]
    for k in range(len(path)):
        if k > 0:
            weight *= given.schedule.lambdas[k - 1] * rho[-1 - k] * gamma[-1 - k]
        z = [entry + weight * x for entry, x in zip(z, phi[path[-1 - k][0]], strict=True)]
    return [delta * entry for entry in z]


@pytest.mark.parametrize("length", [0, 1, 2])
@pytest.mark.parametrize("discounts", [None, [[0, F(1, 3)], [F(3, 4), 1]]], ids=["one γ", "γ by transition"])
def test_products_equal_the_sum_over_stationary_paths(length: int, discounts: list[list[Fraction]] | None) -> None:
    given, theta = model(length, discounts), [F(1, 2), F(-2)]
    found_mean, found_variance = ExactNoise(given, (0, 1), RationalMatrix.column(theta)).products()
    drawn = [(p, update(given, theta, path)) for p, path in paths(given, length + 1)]
    for place, (i, j) in enumerate([(0, 0), (0, 1), (1, 1)]):
        mean = sum(p * y[i] * y[j] for p, y in drawn)
        assert found_mean[place] == mean
        assert found_variance[place] == sum(p * (y[i] * y[j] - mean) ** 2 for p, y in drawn) > 0


def test_the_mean_is_the_covariance_that_increments_have_in_floats() -> None:
    given, theta = model(2), [F(1, 2), F(-2)]
    floats = increment_moments(given, scheduled("off_policy_td"), [float(x) for x in theta])
    second = floats.covariance + np.outer(floats.mean, floats.mean)
    mean, _ = ExactNoise(given, (0, 1), RationalMatrix.column(theta)).products()
    for x, (i, j) in zip(mean, [(0, 0), (0, 1), (1, 1)], strict=True):
        assert float(x) == pytest.approx(second[i, j], rel=1e-12)
