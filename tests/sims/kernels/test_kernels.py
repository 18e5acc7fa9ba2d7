"""The kernels against the readable twins, path by path, to a bound that is derived and shown not to be
vacuous."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from tdcert.sims.algorithms import ALGORITHMS, TD, OffPolicyTD, run, transitions
from tdcert.sims.kernels import CHUNK, DIVERGED, float_schedule, replay, run_kernels, sample, simulate
from tdcert.sims.kernels.records import BLOCKS, CARRIED, DENSE, ENTRIES, LANES, LAZY
from tdcert.sims.kernels.recursions import MEMORY, epoch, recursion, steady
from tdcert.sims.random_models import random_model, schedule
from tdcert.sims.rounding import chain_length, difference_bound, gamma
from tdcert.sims.step_sizes import Constant, Polynomial, StepSizes
from tdcert.sims.streams import generator, run_states
from tdcert.sims.trajectories import Sampler, Trajectory, uniform_start
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.errors import InputError
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.returns import recursive_traces, trace
from tdcert.theory.model.schedule import Schedule, trace_weights
from tests.effort import by_default

STEPS = StepSizes(Polynomial(0.5, 5.0, 0.7), Polynomial(0.4, 3.0, 0.6))
T = 70
"""More than two tiles of the kernels, and several blocks of every recursion below."""
USUAL = STEPS.arrays(T)
Steps = tuple[np.ndarray, np.ndarray]
RUNS = 2

F = Fraction
SCHEDULES = {
    "one-step": Schedule(),
    "5-step": Schedule.n_step(5),
    "constant": Schedule.constant(F(3, 4), 6),
    "constant and negative": Schedule.constant(F(-1, 2), 3),
    "constant above one": Schedule.constant(F(5, 4), 2),
    "EqualWeights(1, 2)": Schedule.equal_weights(1, 2),
    "EqualWeights(1, 7)": Schedule.equal_weights(1, 7),
    "EqualWeights(4, 6)": Schedule.equal_weights(4, 6),
    "EqualWeights(3, 40)": Schedule.equal_weights(3, 40),
    "window": Schedule((F(1, 2), F(9, 10), F(1, 3), F(1), F(2, 3))),
    "window outside [0,1]": Schedule((F(-1, 2), F(3, 2), F(-2), F(1, 4), F(1), F(1), F(1))),
    "without end": Schedule.constant(F(3, 4)),
}
"""Every way in which a trace is found."""
SHAPES = [(2, 1), (3, 2), (4, 4), (6, 5), (10, 9)]
"""States and features: below, at and beyond the four features that stand together."""


def _model(index: int, schedule: str) -> Model:
    n, d = SHAPES[index % len(SHAPES)]
    rng = generator(11, f"twins {index}")
    model = random_model(rng, n, d, 2, gamma=None if index % 2 else F(4, 5), coverage=index % 4 != 3)
    return model.with_schedule(SCHEDULES[schedule])


def _one_hot(schedule: str) -> Model:
    """Ten states, two to a feature: the kernels then update the entries of the trace one by one, where that is less."""
    shared = RationalMatrix([[int(s // 2 == i) for i in range(5)] for s in range(10)])
    return replace(_model(4, schedule), features=shared)


CASES = [(algorithm, index, name) for index, name in enumerate(SCHEDULES) for algorithm in ALGORITHMS]
CASES.sort(key=lambda case: (case[1] + case[1] // 2 + list(ALGORITHMS).index(case[0])) % 2)


def _trajectory(model: Model, steps: int = T, runs: int = RUNS) -> Trajectory:
    return sample(Sampler.of(model, uniform_start(model)), run_states(3, "twins", runs), steps)


def _both(
    algorithm: str, model: Model, trajectory: Trajectory, steps: Steps = USUAL
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(θ, w) of the readable twin and of the kernel, each (T+1, runs, d)."""
    alphas, betas = steps
    theta0 = np.linspace(-1, 1, model.d)
    lambdas, tail = [float(x) for x in model.schedule.lambdas], float(model.schedule.tail)
    thetas, ws = run(ALGORITHMS[algorithm](), trajectory, lambdas, alphas, betas, theta0, tail)
    fast = replay(trajectory, model, algorithm, alphas, betas, range(T + 1), theta0=theta0)
    return thetas, ws, fast.thetas.transpose(1, 0, 2), fast.ws.transpose(1, 0, 2)


def _bounds(
    algorithm: str,
    model: Model,
    trajectory: Trajectory,
    thetas: np.ndarray,
    ws: np.ndarray,
    r: int,
    steps: Steps = USUAL,
) -> tuple[np.ndarray, np.ndarray]:
    c, tail = float_schedule(model)
    way, law = run_kernels.way_of(trajectory.Phi, algorithm, model, trajectory.discounts)
    given = algorithm, trajectory.run(r), c, tail, *steps, thetas[:, r], ws[:, r]
    return difference_bound(*given, carried=law.kind == CARRIED, lazy=law if way == LAZY else None)


def _kind(model: Model, trajectory: Trajectory) -> int:
    """How the kernels find the traces of TD."""
    return int(run_kernels.way_of(trajectory.Phi, "td", model, trajectory.discounts)[1].kind)


def _require_equal(algorithm: str, model: Model, trajectory: Trajectory, steps: Steps = USUAL) -> None:
    thetas, ws, fast_thetas, fast_ws = _both(algorithm, model, trajectory, steps)
    for r in range(len(trajectory.states)):
        theta_bound, w_bound = _bounds(algorithm, model, trajectory, thetas, ws, r, steps)
        assert np.all(np.abs(thetas[:, r] - fast_thetas[:, r]) <= theta_bound)
        assert np.all(np.abs(ws[:, r] - fast_ws[:, r]) <= w_bound)


@pytest.mark.parametrize(("algorithm", "index", "schedule"), by_default(24, CASES))
def test_kernel_agrees_with_the_readable_twin_path_by_path(algorithm: str, index: int, schedule: str) -> None:
    model = _model(index, schedule)
    _require_equal(algorithm, model, _trajectory(model))


@pytest.mark.parametrize("schedule", by_default(4, SCHEDULES))
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_same_with_one_feature_at_a_time(algorithm: str, schedule: str) -> None:
    model = _one_hot(schedule)
    _require_equal(algorithm, model, _trajectory(model))


@pytest.mark.usefixtures("lazily")
@pytest.mark.parametrize("schedule", ["EqualWeights(1, 7)", "5-step", "without end"])
def test_what_is_read_lazily_depends_on_neither_threads_nor_tiles(
    schedule: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = _one_hot(schedule)
    found = []
    for threads, tile in ((1, 16), (3, 16), (1, 4), (1, 12)):
        monkeypatch.setattr(run_kernels, "tile_length", lambda d, tile=tile: tile)
        given = model, "td", STEPS, [3, 60], 3 * LANES + 5, 1, "x"
        found.append(simulate(*given, start=uniform_start(model), threads=threads).thetas)
    assert all(np.array_equal(found[0], other) for other in found[1:])


STEADY = {name: SCHEDULES[name] for name in ("5-step", "constant", "constant and negative", "EqualWeights(1, 7)")} | {
    "EqualWeights(3, 40)": Schedule.equal_weights(3, 40)
}


@pytest.mark.thorough
@pytest.mark.parametrize("schedule", STEADY)
def test_traces_carried_along_with_one_discount_agree_too(schedule: str) -> None:
    """On-policy with one discount, from the first step on and after many windows; not with a discount of another
    transition on the path. The bound still shows a reward off by one part in 10⁶."""
    model = _model(2, schedule)
    path, theta0 = _trajectory(model, 3 * T), np.linspace(-1, 1, model.d)
    assert _kind(model, path) == CARRIED
    steps = STEPS.arrays(3 * T)
    lambdas = [float(x) for x in model.schedule.lambdas]
    thetas, ws = run(ALGORITHMS["td"](), path, lambdas, *steps, theta0)
    fast = replay(path, model, "td", *steps, range(3 * T + 1), theta0=theta0).thetas
    other, _ = run(ALGORITHMS["td"](), _perturbed(path), lambdas, *steps, theta0)
    for r in range(RUNS):
        bound, _ = _bounds("td", model, path, thetas, ws, r, steps)
        assert np.all(np.abs(thetas[:, r] - fast[r]) <= bound)
        assert np.any(np.abs(other[:, r] - fast[r]) > bound)
    ended = _trajectory(model)
    ended.discounts[0, 7] = 0.0
    assert _kind(model, ended) == BLOCKS
    _require_equal("td", model, ended)


def test_where_rounding_would_stay_too_long_traces_are_not_carried() -> None:
    flat, grown = recursion(Schedule.n_step(3)), recursion(Schedule.constant(F(5, 4), 2))
    least = 1 - 2 / MEMORY
    assert steady(flat, least).kind == CARRIED
    assert steady(flat, 1.0) == flat and steady(flat, None) == flat and steady(flat, 1 - 0.5 / MEMORY) == flat
    assert steady(grown, 0.5) == grown  # λ > 1


def test_all_ways_of_one_hot_features_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Entry by entry where the window is short, by features where it is long or without end; on-policy with one
    discount θ is read lazily where features and window are many."""

    def way(name: str, algorithm: str = "off_policy_td", factor: int = 1, model: Model | None = None) -> int:
        model = model or _one_hot(name)
        return run_kernels.way_of(factor * model.features.to_float(), algorithm, model, np.empty(0))[0]

    assert way("5-step") == way("window") == ENTRIES
    assert way("EqualWeights(3, 40)") == way("without end") == DENSE
    assert way("5-step", factor=2) == way("5-step", model=_model(4, "5-step")) == DENSE
    monkeypatch.setattr(run_kernels, "LAZY_FROM", 5)
    monkeypatch.setattr(run_kernels, "TURN", 1)
    assert way("5-step", "td") == way("without end", "td") == LAZY
    assert way("window", "td") == way("EqualWeights(4, 6)", "tdc") == ENTRIES != way("one-step", "td", 2) == DENSE
    monkeypatch.setattr(run_kernels, "TURN", 0)
    assert way("5-step", "td", model=_many("5-step", 2)) == LAZY
    assert way("5-step", "td", model=_many("5-step", 1)) == ENTRIES  # no epoch is short enough
    path = _trajectory(_one_hot("5-step"))
    path.discounts[0, 7] = 0.0
    assert run_kernels.way_of(path.Phi, "td", _one_hot("5-step"), path.discounts)[0] == ENTRIES


@pytest.mark.parametrize(("q", "K"), [(0.9, 39), (-0.9, 39), (0.5, 6), (0.02, 1), (0.01, 0), (0.999, 256), (0.0, 0)])
def test_an_epoch_is_as_long_as_its_growth_allows(q: float, K: int) -> None:
    """|q|^−K ≤ 64 < |q|^−(K + 1), and no more than 256 steps."""
    assert epoch(q) == K


LAZY_SCHEDULES = {
    "EqualWeights(8, 10)": Schedule.equal_weights(8, 10),
    "without end": SCHEDULES["without end"],
} | STEADY


def _exactly(model: Model, path: Trajectory, alphas: np.ndarray, theta0: np.ndarray) -> np.ndarray:
    """θ_t of TD in fractions, rounded once, for φ a single one: by the sum over the window."""
    steps, tail = len(alphas), model.schedule.tail
    c = [tail**k for k in range(steps)] if tail else trace_weights(model.schedule.lambdas)
    gamma = F(float(path.discounts[0]))
    weights = [F(round(x * gamma**k * 2**200), 2**200) for k, x in enumerate(c[:steps])]
    met = [int(s) for s in path.Phi[path.states].argmax(axis=1)]
    theta, found = [F(float(x)) for x in theta0], [theta0]
    for t in range(steps):
        delta = F(float(path.rewards[t])) + gamma * theta[met[t + 1]] - theta[met[t]]
        for k in range(min(len(weights), t + 1)):
            theta[met[t - k]] += F(float(alphas[t])) * delta * weights[k]
        # 2^-201 a step, which grows as the bound does, is nothing beside its own 2^-53
        theta = [F(round(x * 2**200), 2**200) for x in theta]
        found.append(np.array([float(x) for x in theta]))
    return np.array(found)


def _many(schedule: str, percent: int = 40) -> Model:
    """So many features that only those met lately are looked at as an epoch ends; ``percent``: 100 γ."""
    model = random_model(generator(12, "many"), 30, 1, 2, gamma=F(percent, 100), branching=3)
    identity = RationalMatrix([[int(s == i) for i in range(30)] for s in range(30)])
    return replace(model, features=identity, schedule=LAZY_SCHEDULES[schedule])


@pytest.fixture
def lazily(monkeypatch: pytest.MonkeyPatch) -> None:
    """θ is read lazily wherever that is possible, not only where it costs least."""
    monkeypatch.setattr(run_kernels, "LAZY_FROM", 2)
    monkeypatch.setattr(run_kernels, "TURN", 0)


@pytest.mark.usefixtures("lazily")
@pytest.mark.parametrize(("many", "schedule"), by_default(1, [(many, x) for x in LAZY_SCHEDULES for many in (0, 1)]))
def test_theta_read_lazily_agrees_with_fractions(many: int, schedule: str) -> None:
    """At every time, over many windows, and when read at some times only. An error of 10⁻⁶ in one reward shows."""
    model = _many(schedule) if many else replace(_one_hot("5-step"), schedule=LAZY_SCHEDULES[schedule])
    path, theta0 = _trajectory(model, 3 * T), np.linspace(-1, 1, model.d)
    assert run_kernels.way_of(path.Phi, "td", model, path.discounts)[0] == LAZY
    steps = StepSizes(Polynomial(0.5, 50.0, 0.7), Polynomial(0.4, 3.0, 0.6)).arrays(3 * T)
    fast = replay(path, model, "td", *steps, range(3 * T + 1), theta0=theta0).thetas
    some = replay(path, model, "td", *steps, [3, T, 3 * T], theta0=theta0).thetas
    assert np.array_equal(some, fast[:, [3, T, 3 * T]])
    path.rewards[:, T] += 1e-6
    wrong = replay(path, model, "td", *steps, range(3 * T + 1), theta0=theta0).thetas
    path.rewards[:, T] -= 1e-6
    exact = np.stack([_exactly(model, path.run(r), steps[0], theta0) for r in range(RUNS)], axis=1)
    for r in range(RUNS):
        bound, _ = _bounds("td", model, path, exact, 0 * exact, r, steps)
        assert np.all(np.abs(exact[:, r] - fast[r]) <= bound)
        assert np.any(np.abs(exact[:, r] - wrong[r]) > bound)


@pytest.mark.usefixtures("lazily")
@pytest.mark.parametrize("schedule", ["5-step", "EqualWeights(1, 7)"])
def test_where_no_visit_is_left_theta_stays_bit_for_bit(schedule: str) -> None:
    """Not even what rounding left of a trace moves it, whatever rewards come later."""
    model = _many(schedule)
    path = _trajectory(model, 3 * T)
    path.rewards[:, T:] *= 1e12
    thetas = replay(path, model, "td", *STEPS.arrays(3 * T), range(3 * T + 1)).thetas
    _, law = run_kernels.way_of(path.Phi, "td", model, path.discounts)
    span, kept = law.flat + (law.m if law.m > 1 else 0), 0
    assert model.d > 2 * (span + law.epoch)
    for r in range(RUNS):
        for s in range(model.d):
            (visits,) = np.nonzero(path.states[r] == s)
            for visit, following in pairwise([*visits, 3 * T]):
                over = -(-(visit + span + 1) // law.epoch) * law.epoch  # the end of the epoch in which it leaves
                assert np.all(thetas[r, over : following + 1, s] == thetas[r, min(over, 3 * T), s])
                kept += max(0, following - over)
    assert kept > 1000


@pytest.mark.parametrize("one_hot", [False, True])
@pytest.mark.parametrize("schedule", ["5-step", "EqualWeights(4, 6)", "window", "without end"])
def test_ratios_of_zero_and_huge_ones_do_no_harm(schedule: str, one_hot: bool) -> None:
    """Huge ratios up to t = 40, one ρ = 0, small ones after; updates from t = 50 on. By then nothing may remain of the
    huge products, not even what rounding made of them."""
    model = _one_hot(schedule) if one_hot else _model(2, schedule)
    path = _trajectory(model)
    rng = generator(4, "ratios")
    path.rho[:, :40] = rng.choice([0.5, 3.0, 1e6], size=(RUNS, 40))
    path.rho[:, 40:] = rng.choice([0.0, 0.5, 1.0], size=(RUNS, T - 40))
    path.rho[:, 41] = 0.0
    path.discounts[:, ::9] = 0.0
    late = np.where(np.arange(T) < 50, 0.0, 0.1)
    _require_equal("off_policy_td", model, path, (late, late))


def _perturbed(trajectory: Trajectory) -> Trajectory:
    """The same path with one reward changed by one part in 10⁶."""
    rewards = trajectory.rewards.copy()
    rewards[:, 0] += 1e-6 * (1 + np.abs(rewards[:, 0]))
    return Trajectory(
        trajectory.states, trajectory.actions, rewards, trajectory.discounts, trajectory.rho, trajectory.Phi
    )


@pytest.mark.parametrize(("index", "schedule"), by_default(4, enumerate(SCHEDULES)))
def test_the_bound_is_not_vacuous(index: int, schedule: str) -> None:
    """Without ρ, and even with a single reward off by 1e-6, the difference exceeds the bound."""
    model = _model(index, schedule)
    trajectory = _trajectory(model)
    alphas, betas = STEPS.arrays(T)
    theta0 = np.linspace(-1, 1, model.d)
    lambdas, tail = [float(x) for x in model.schedule.lambdas], float(model.schedule.tail)
    thetas, ws, fast_thetas, _ = _both("off_policy_td", model, trajectory)
    for wrong, path in ((TD(), trajectory), (OffPolicyTD(), _perturbed(trajectory))):
        other, _ = run(wrong, path, lambdas, alphas, betas, theta0, tail)
        for r in range(RUNS):
            bound, _ = _bounds("off_policy_td", model, trajectory, thetas, ws, r)
            assert np.any(np.abs(other[:, r] - fast_thetas[:, r]) > bound)


@pytest.mark.parametrize(("index", "schedule"), list(enumerate(SCHEDULES)))
def test_traces_of_the_readable_twin_are_those_of_the_theory(index: int, schedule: str) -> None:
    """Against the fractions of theory.model.returns, within γ_m times the same trace of magnitudes
    (sims.rounding)."""
    model = _model(index, schedule)
    trajectory = _trajectory(model, steps=12, runs=1).run(0)
    phi = [[Fraction(float(x)) for x in row] for row in trajectory.Phi[trajectory.states]]
    sizes = [[abs(x) for x in row] for row in phi]
    gammas = [Fraction(float(x)) for x in trajectory.discounts]
    rhos = [Fraction(float(x)) for x in trajectory.rho]
    lambdas, tail = model.schedule.lambdas, model.schedule.tail
    twin = OffPolicyTD()
    twin.reset(lambdas=[float(x) for x in lambdas], theta0=np.zeros(model.d), tail=float(tail))
    relative = Fraction(gamma(chain_length(model.d, 40)))
    for t, transition in enumerate(transitions(trajectory)):
        if tail:
            exact, plain = (recursive_traces(given[:12], gammas, tail, rhos)[t] for given in (phi, sizes))
        else:
            exact = trace(phi, gammas, lambdas, t, rhos)
            plain = trace(sizes, gammas, [abs(x) for x in lambdas], t, rhos)
        for found, z, size in zip(twin.trace(transition), exact, plain, strict=True):
            assert abs(Fraction(float(found)) - z) <= relative * size


@pytest.mark.parametrize(("algorithm", "index", "schedule"), CASES)
def test_a_run_does_not_depend_on_what_runs_beside_it(algorithm: str, index: int, schedule: str) -> None:
    """Bit for bit: runs drawn and updated together, one thread or three, and the same runs recorded, then replayed
    in other company."""
    model = _model(index, schedule)
    start, times = uniform_start(model), [0, 3, 50]
    together = simulate(model, algorithm, STEPS, times, 3 * LANES + 5, 1, "x", start=start, threads=1)
    shared = simulate(model, algorithm, STEPS, times, 3 * LANES + 5, 1, "x", start=start, threads=3)
    alone = sample(Sampler.of(model, start), run_states(1, "x", 2 * LANES)[LANES - 3 : LANES + 3], 50)
    again = replay(alone, model, algorithm, *STEPS.arrays(50), times)
    assert np.array_equal(together.thetas, shared.thetas) and np.array_equal(together.ws, shared.ws)
    assert np.array_equal(together.thetas[LANES - 3 : LANES + 3], again.thetas)
    assert np.array_equal(together.ws[LANES - 3 : LANES + 3], again.ws)
    assert np.all(together.thetas[:, 0] == 0) and together.thetas.shape == (3 * LANES + 5, 3, model.d)


def test_results_do_not_depend_on_the_number_of_chunks() -> None:
    model = _model(2, "5-step")
    many = simulate(model, "tdc", STEPS, [9], 9 * CHUNK + 5, 1, "x", start=uniform_start(model), threads=2)
    few = simulate(model, "tdc", STEPS, [9], 4, 1, "x", start=uniform_start(model))
    assert np.array_equal(many.thetas[:4], few.thetas) and len(many.thetas) == 9 * CHUNK + 5


@pytest.mark.parametrize("tile", [4, 12])
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_results_do_not_depend_on_the_length_of_a_tile(
    schedule: str, tile: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = _model(3, schedule)
    trajectory = _trajectory(model)
    usual = replay(trajectory, model, "tdc", *STEPS.arrays(T), [T])
    monkeypatch.setattr(run_kernels, "tile_length", lambda d: tile)
    assert np.array_equal(usual.thetas, replay(trajectory, model, "tdc", *STEPS.arrays(T), [T]).thetas)


def test_an_episode_restarts_the_trace_by_its_discount_of_zero() -> None:
    """After a transition with discount zero the rest of the path behaves as if it were the whole path."""
    rng = generator(5, "restart")
    model = random_model(rng, 3, 2, 3, gamma=None)
    trajectory = _trajectory(model, steps=6, runs=1)
    trajectory.discounts[:, 2] = 0.0
    tail = Trajectory(
        trajectory.states[:, 3:],
        trajectory.actions[:, 3:],
        trajectory.rewards[:, 3:],
        trajectory.discounts[:, 3:],
        trajectory.rho[:, 3:],
        trajectory.Phi,
    )
    middle = replay(trajectory, model, "off_policy_td", [0.1] * 6, [0.0] * 6, [3, 6])
    again = replay(tail, model, "off_policy_td", [0.1] * 3, [0.0] * 3, [3], theta0=middle.thetas[0, 0])
    assert np.array_equal(middle.thetas[0, 1], again.thetas[0, 0])


def test_a_flag_on_the_first_transition_restarts_the_trace_of_the_twin() -> None:
    model = random_model(generator(6, "flag"), 3, 2, 3)
    path = transitions(_trajectory(model, steps=5, runs=1).run(0))
    flagged = [*path[:3], replace(path[3], first=True), path[4]]
    whole, fresh = OffPolicyTD(), OffPolicyTD()
    for twin in (whole, fresh):
        twin.reset(lambdas=[float(x) for x in model.schedule.lambdas], theta0=np.zeros(2))
    traces = [whole.trace(t) for t in flagged]
    assert np.array_equal(traces[3:], [fresh.trace(t) for t in path[3:]])


def test_divergence_is_reported_with_its_step() -> None:
    """One state, γ = 1/2, r = 1, constant step 10: θ_t = 2(1 − (−4)^t) passes 1e100 first at t = 166."""
    one = Model.reward_process(RationalMatrix([[1]]), RationalMatrix.column([1]), Fraction(1, 2))
    expected = next(t for t in range(1000) if abs(2 * (1 - (-4) ** t)) > 10**100)
    times = [1, expected - 1, expected, 1000]
    out = simulate(one, "td", StepSizes(Constant(10.0)), times, 2, 0, "diverge", start=[Fraction(1)])
    assert list(out.diverged_at) == [expected] * 2
    assert np.all(out.thetas[:, 0] == 10.0) and np.all(np.isfinite(out.thetas))
    assert np.array_equal(out.thetas[:, 2:], out.thetas[:, [1, 1]]) and np.all(out.thetas[:, 1] > 1e99)


@pytest.mark.usefixtures("lazily")
@pytest.mark.parametrize("one_hot", [False, True])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_each_run_diverges_on_its_own(algorithm: str, one_hot: bool) -> None:
    """With huge steps, when the readable twin passes the bound; the runs beside it go on, what was recorded stays. TD
    reads one-hot features lazily here."""
    model = _one_hot("5-step") if one_hot else _model(2, "5-step")
    path = _trajectory(model, 300, 5)
    path.rewards[3] = path.rho[4, 1:] = 0.0  # without a reward θ and w stay zero
    steps = StepSizes(Constant(40.0)).arrays(300)
    found = replay(path, model, algorithm, *steps, range(0, 301, 20))
    lambdas = [float(x) for x in model.schedule.lambdas]
    with np.errstate(over="ignore", invalid="ignore"):
        thetas, ws = run(ALGORITHMS[algorithm](), path, lambdas, *steps)
        beyond = ~((np.abs(thetas) <= DIVERGED).all(axis=2) & (np.abs(ws) <= DIVERGED).all(axis=2))
    expected = np.where(beyond.any(axis=0), beyond.argmax(axis=0), -1)
    assert list(found.diverged_at) == list(expected) and expected[3] == -1 < expected[0]
    assert len(set(expected[:3])) > 1 and np.all(np.isfinite(found.thetas)) and np.all(np.isfinite(found.ws))
    for r in range(5):
        last = 15 if expected[r] < 0 else (int(expected[r]) - 1) // 20
        alphas, betas = (x[: 20 * last] for x in steps)
        before = replay(path, model, algorithm, alphas, betas, [20 * last]).thetas[r, 0]
        assert np.all(found.thetas[r, last:] == before)


def test_requests_that_make_no_sense_are_refused() -> None:
    model = _model(0, "5-step")
    start = uniform_start(model)
    for times, runs in (([], 3), ([3, 2], 3), ([1], 0), ([-1], 3)):
        with pytest.raises(InputError, match="increasing times"):
            simulate(model, "td", STEPS, times, runs, 0, "x", start=start)
    with pytest.raises(InputError, match="no algorithm 'sarsa'"):
        simulate(model, "sarsa", STEPS, [1], 1, 0, "x", start=start)
    with pytest.raises(InputError, match="give 1 numbers"):
        simulate(model, "td", STEPS, [1], 1, 0, "x", start=start, theta0=[1.0, 2.0])


def test_step_sizes_that_do_not_fit_a_recorded_path_are_refused() -> None:
    model = _model(0, "5-step")
    path = _trajectory(model, 5)
    for alphas, betas, times in (([0.1] * 6, [0.1] * 6, [6]), ([0.1] * 5, [0.1] * 4, [4]), ([0.1] * 3, [0.1] * 3, [4])):
        with pytest.raises(InputError, match="as many α as β"):
            replay(path, model, "td", alphas, betas, times)


def test_schedules_are_drawn_with_their_length() -> None:
    assert schedule(generator(0, "length"), 4).length == 4
