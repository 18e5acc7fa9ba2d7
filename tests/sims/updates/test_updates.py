"""Runs of declared updates: numbers side by side are what they are one by one, and rounding is bounded."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tdcert.algorithms import named
from tdcert.sims.updates.lanes import DependsOnRun, Lanes
from tdcert.sims.updates.runs import UpdateRuns
from tdcert.theory.engine.declare import algorithm
from tdcert.theory.errors import InputError
from tdcert.theory.model.gallery import theta_to_two_theta

F = Fraction
MODEL = theta_to_two_theta(F(9, 10), rewards=(1, -1))
EVEN = [F(1, 2), F(1, 2)]


def exactly(values: Any) -> Lanes:
    array = np.asarray(values, dtype=np.float64)
    return Lanes(array, np.zeros_like(array))


def test_arithmetic_is_done_run_by_run_and_its_rounding_is_bounded() -> None:
    """Against fractions: every formula, run by run, lies within its bound, and the bound is a few roundings."""
    rng = np.random.default_rng(1)
    x, y, a, M = rng.normal(size=(3, 5)), rng.normal(size=(3, 5)), rng.normal(size=5), rng.normal(size=(2, 3, 5))
    third = Lanes(np.array([1 / 3]), np.array([2.0**-54]))

    def formulas(x: Any, y: Any, a: Any, M: Any, third: Any) -> list[Any]:
        return [
            x @ y,
            M @ x,
            (M @ x) @ M,
            M @ M.T,
            np.outer(x, y),
            a * x - third * y + 0.1,
            (1 - x) / (a * a + 2),
            -x,
            a**3,
            1 / (2 + a * a),
            np.eye(3) @ x,
            x.sum(),
            np.maximum(x, y),
            abs(a),
            x[1],
            M[:, 1],
        ]

    found = formulas(exactly(x), exactly(y), exactly(a), exactly(M), third)
    for run in range(5):
        u, v, b, N = (np.vectorize(F, otypes=[object])(part[..., run]) for part in (x, y, a, M))
        for lanes, exact in zip(found, formulas(u, v, b, N, F(1, 3)), strict=True):
            wanted = np.asarray(exact, dtype=object)
            value, error = lanes.value[..., run], lanes.error[..., run]
            assert value.shape == wanted.shape
            for seen, e, w in zip(np.ravel(value), np.ravel(error), wanted.ravel().tolist(), strict=True):
                assert abs(F(float(seen)) - F(w)) <= F(float(e)) * (1 + F(1, 2**20)) + F(1, 2**60)
                assert e <= 1e-14
    assert formulas(Lanes(x), Lanes(y), Lanes(a), Lanes(M), F(1, 3))[0].error is None


def test_questions_take_runs_apart() -> None:
    numbers = exactly([1.0, 2.0, 2.0])
    with pytest.raises(DependsOnRun) as asked:
        _ = numbers > 1
    assert asked.value.which.tolist() == [False, True, True]
    same = exactly([2.0, 2.0])
    assert same > 1 and same >= 2 and same == 2 and not same < 2 and same <= F(2) and same != 3 and bool(same)
    assert [10, 20, 30][same] == 30 and hash(same) == hash(2)
    with pytest.raises(TypeError, match="only states and actions"):
        _ = [1][exactly([0.5])]
    with pytest.raises(TypeError, match="only numbers are compared"):
        _ = exactly([[1.0], [2.0]]) > 1
    with pytest.raises(ZeroDivisionError):
        _ = same / exactly([0.0, 1.0])


@algorithm(parameters={"theta": "d", "seen": 1}, memory={"last": 1})
def looks_up(t: Any, theta: Any, seen: Any, last: Any, alpha: Any, *, table: Any = (1, 2)) -> Any:
    """Branches on everything that an update may branch on."""
    gain = table[t.state] if t.action == 1 else -1
    if t.rho > 1 and not t.first:
        gain = gain * t.rho_before
    return theta + alpha * gain * t.phi * min(1, t.reward), seen + alpha * (last - seen), max(t.discount, 0) + t.state


def test_runs_are_those_of_one_run_after_another() -> None:
    """The same function on plain floats, along the same draws."""
    simulation = UpdateRuns(MODEL, looks_up, [F(1)], EVEN, followed=True)
    found = simulation.run([0.5, 0.25, 0.125], 64, 7, "looked up")
    assert found.rounding is not None and found.rounding.max() < 1e-14
    from tdcert.sims.streams import generator
    from tdcert.sims.updates.runs import _drawn

    words, sampler = generator(7, "looked up"), simulation.sampler
    state = _drawn(sampler.start, np.zeros(64, dtype=np.int64), words)
    theta, seen, last, rho_before = np.zeros(64), np.zeros(64), np.zeros(64), np.ones(64)
    for k, alpha in enumerate((0.5, 0.25, 0.125)):
        outcome = _drawn(sampler.steps, state, words)
        for run, (s, o) in enumerate(zip(state, outcome, strict=True)):
            gain = (1.0, 2.0)[s] if sampler.actions[s, o] == 1 else -1.0
            if sampler.rho[s, o] > 1 and k:
                gain *= rho_before[run]
            theta[run] += alpha * gain * sampler.Phi[s, 0] * min(1.0, sampler.rewards[s, o])
            seen[run] += alpha * (last[run] - seen[run])
            last[run], rho_before[run] = sampler.discounts[s, o] + s, sampler.rho[s, o]
        state = sampler.next_states[state, outcome]
    assert np.allclose(found.parameters, np.stack([theta, seen], axis=1), atol=1e-14)


def test_a_start_and_many_shapes() -> None:
    @algorithm(parameters={"W": ("d", 2), "b": 1}, steps=("alpha", "beta"))
    def shaped(t: Any, W: Any, b: Any, alpha: Any, beta: Any) -> Any:
        return W + alpha * t.phi[0], [b + beta][0]

    simulation = UpdateRuns(MODEL, shaped, [F(1), F(3)], EVEN)
    found = simulation.run([0.5], 4, 0, "shapes", y0=[1.0, 2.0, 3.0])
    assert found.rounding is None and found.parameters.shape == (4, 3) and set(found.parameters[:, 2]) == {4.5}
    assert set(found.parameters[:, 1] - found.parameters[:, 0]) == {1.0}


def test_what_cannot_be_run_on_floats_is_one_sentence() -> None:
    @algorithm(parameters={"theta": "d"})
    def sorts(t: Any, theta: Any, alpha: Any) -> Any:
        return np.sort(t.phi)

    with pytest.raises(InputError, match="the update 'sorts', run on floats, fails"):
        UpdateRuns(MODEL, sorts, [F(1)], EVEN).run([0.5], 2, 0, "sorts")
    steps = [1e200] * 4
    with (
        np.errstate(all="ignore"),
        pytest.raises(InputError, match="runs of 'off_policy_td' leave the range of floats"),
    ):
        UpdateRuns(MODEL, named("off_policy_td"), [F(1)], EVEN).run(steps, 8, 0, "far", y0=[1.0])
