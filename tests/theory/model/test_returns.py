"""Forward view, δ-expansion and traces: identities that hold along every single path, checked in
fractions."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from tdcert.theory.errors import InputError
from tdcert.theory.model.returns import (
    control_variate_gap,
    delta_expansion,
    recursive_traces,
    schedule_return,
    td_errors,
    trace,
)
from tdcert.theory.model.schedule import return_weights, trace_weights

PATHS = range(40)


class Path:
    """A random rational path with a random schedule; short ones are cut before the schedule ends."""

    def __init__(self, seed: int) -> None:
        rng = random.Random(seed)
        self.T, self.L, d = rng.randint(1, 7), rng.randint(0, 4), rng.randint(1, 3)

        def numbers(count: int, low: int, high: int) -> list[Fraction]:
            return [Fraction(rng.randint(low, high), rng.randint(1, 5)) for _ in range(count)]

        self.rewards, self.discounts = numbers(self.T, -5, 5), numbers(self.T, 0, 5)
        self.values, self.rhos = numbers(self.T + 1, -5, 5), numbers(self.T, 0, 6)
        self.lambdas = [Fraction(rng.randint(0, 4), 4) for _ in range(self.L)]
        self.features = [numbers(d, -3, 3) for _ in range(self.T + 1)]

    def forward(self, t: int, rhos: list[Fraction] | None) -> Fraction:
        result: Fraction = schedule_return(
            self.rewards[t:], self.discounts[t:], self.values[t:], self.lambdas, rhos[t:] if rhos else None
        )
        return result


@pytest.mark.parametrize("seed", PATHS)
def test_return_minus_value_is_the_delta_expansion(seed: int) -> None:
    p = Path(seed)
    expansion = delta_expansion(p.rewards, p.discounts, p.values, p.lambdas)
    assert p.forward(0, None) - p.values[0] == expansion


@pytest.mark.parametrize("seed", PATHS)
def test_off_policy_return_differs_from_the_expansion_by_the_control_variates(seed: int) -> None:
    p = Path(seed)
    gap = p.forward(0, p.rhos) - p.values[0] - delta_expansion(p.rewards, p.discounts, p.values, p.lambdas, p.rhos)
    assert gap == control_variate_gap(p.discounts, p.values, p.lambdas, p.rhos)


def test_the_display_of_section_3_is_not_the_return_along_a_path() -> None:
    """Smallest witness: one step, ρ = 2, V = 1: the two sides differ by (ρ − 1)V = 1."""
    args = [Fraction(0)], [Fraction(1, 2)], [Fraction(1), Fraction(1)]
    forward = schedule_return(*args, [], [Fraction(2)]) - 1
    assert forward - delta_expansion(*args, [], [Fraction(2)]) == 1


@pytest.mark.parametrize("seed", PATHS)
def test_return_is_the_weighted_mean_of_the_n_step_returns(seed: int) -> None:
    """G^λ = Σ w_n G^(n), the weights of Λ, with each n-step return summed directly."""
    p = Path(seed)
    if p.T < p.L + 1:
        p.lambdas, p.L = p.lambdas[: p.T - 1], p.T - 1
    n_step = []
    for n in range(1, p.L + 2):
        total, product = Fraction(0), Fraction(1)
        for k in range(n):
            total += product * p.rewards[k]
            product *= p.discounts[k]
        n_step.append(total + product * p.values[n])
    weights = return_weights(p.lambdas)
    assert p.forward(0, None) == sum(w * g for w, g in zip(weights, n_step, strict=True))


@pytest.mark.parametrize("off_policy", [False, True])
@pytest.mark.parametrize("seed", PATHS)
def test_forward_and_backward_view_have_the_same_sum(seed: int, off_policy: bool) -> None:
    """Σ_t (expansion at t) φ_t = Σ_t δ_t z_t over a whole path, for values held fixed."""
    p = Path(seed)
    rhos = p.rhos if off_policy else None
    deltas = td_errors(p.rewards, p.discounts, p.values)
    d = len(p.features[0])
    forward, backward = [Fraction(0)] * d, [Fraction(0)] * d
    for t in range(p.T):
        expansion = delta_expansion(p.rewards[t:], p.discounts[t:], p.values[t:], p.lambdas, rhos[t:] if rhos else None)
        z = trace(p.features, p.discounts, p.lambdas, t, rhos)
        for i in range(d):
            forward[i] += expansion * p.features[t][i]
            backward[i] += deltas[t] * z[i]
    assert forward == backward


@pytest.mark.parametrize("seed", PATHS)
def test_trace_is_the_printed_window_sum(seed: int) -> None:
    """z_t = Σ_k ρ_t (Π_{j=1}^{t−k} ρ_{t−j} γ λ_j) φ(s_k), equation (offPolicy_z), product by product."""
    p = Path(seed)
    gamma = Fraction(2, 3)
    for t in range(p.T):
        expected = [Fraction(0)] * len(p.features[0])
        for k in range(max(0, t - p.L), t + 1):
            weight = p.rhos[t]
            for j in range(1, t - k + 1):
                weight *= p.rhos[t - j] * gamma * p.lambdas[j - 1]
            expected = [z + weight * x for z, x in zip(expected, p.features[k], strict=True)]
        assert trace(p.features, [gamma] * p.T, p.lambdas, t, p.rhos) == expected


@pytest.mark.parametrize("seed", PATHS)
def test_recursive_trace_is_the_window_trace_of_a_long_constant_schedule(seed: int) -> None:
    p = Path(seed)
    lam = Fraction(3, 4)
    features = p.features[: p.T]
    for rhos in (None, p.rhos):
        recursive = recursive_traces(features, p.discounts, lam, rhos)
        windows = [trace(features, p.discounts, [lam] * p.T, t, rhos) for t in range(p.T)]
        assert recursive == windows


def test_rlax_known_answer() -> None:
    """rlax, multistep_test: λ = 0.75 over five steps; printed to seven digits, hence half a unit of the last
    one."""
    rewards = [Fraction(x) for x in (1, 0, -1, 0, 1)]
    discounts = [Fraction(x) for x in ("1/2", "9/10", "1", "1/2", "4/5")]
    following = [Fraction(x) for x in (3, 1, 5, -5, 3)]
    expected = ["1.6460547", "0.7228125", "0.7375", "0.65", "3.4"]
    for t, printed in enumerate(expected):
        values = [Fraction(0), *following[t:]]  # V(s_t) itself does not enter the return
        found = schedule_return(rewards[t:], discounts[t:], values, [Fraction(3, 4)] * 5)
        assert abs(found - Fraction(printed)) <= Fraction(1, 2 * 10**7)


def test_floats_work_too() -> None:
    """The same lines in floats: one step, exactly representable."""
    assert schedule_return([1.0], [0.5], [0.0, 4.0], []) == 3.0
    assert trace([[1.0, 2.0]], [], [], 0) == [1.0, 2.0]


def test_lengths_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InputError, match="a path with 2 rewards has 1 discounts, 3 values; give 2, 3"):
        schedule_return([1, 1], [1], [0, 0, 0], [])


def test_weights_are_those_of_the_schedule() -> None:
    """c_k and the window of a trace agree: the weight of φ_{t−k} is c_k γᵏ."""
    lambdas = [Fraction(1, 2), Fraction(1, 3)]
    one_hot = [[Fraction(int(i == j)) for j in range(4)] for i in range(4)]
    z = trace(one_hot, [Fraction(1, 5)] * 4, lambdas, 3)
    c = trace_weights(lambdas)
    assert z == [0, c[2] / 25, c[1] / 5, c[0]]
