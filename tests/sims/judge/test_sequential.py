"""The judge that looks early, on trial: calibrated whenever it looks, even at the worst times and long past the planned
number of samples; what it declares it catches; and easy cases stop early.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from tdcert.sims.judge.agreement import MISS, ErrorBudget, MeanTest, judge_mean
from tdcert.sims.judge.catoni import best_rate, detectable
from tdcert.sims.judge.sequential import Draw, Exclusion, judge_sequentially, usual_looks
from tdcert.sims.streams import generator
from tests.effort import by_default
from tests.sims.judge.judged import LAWS, chunks, least, most

SEED = 20240229
N = 400
REPEATS = [4000, pytest.param(20_000, marks=pytest.mark.thorough)]
EVERY = 8
ALWAYS = tuple(range(EVERY, N + 1, EVERY))


def outcome(samples: np.ndarray, nominal: float, looks: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """(contradicted, looks used) of the columns, each judged alone; planned for N samples, as the default is."""
    repeats = samples.shape[1]
    test = MeanTest("side by side", repeats, N, 0.0, 1.0, nominal, shared_by=1)
    exclusion = Exclusion(test, test.detectable(MISS / 2))
    contradicted = np.zeros(repeats, dtype=bool)
    used = np.zeros(repeats, dtype=np.int64)
    for first, last in zip((0, *looks), looks, strict=False):
        test.add(samples[first:last], 0.0)
        running = used == 0
        contradicted |= running & test.contradicted
        exclusion.add(samples[first:last])
        stops = test.contradicted | exclusion.complete | (last == looks[-1])
        used = np.where(running & stops, last, used)
        if used.all():
            break
    return contradicted, used


def drawing(rows: np.ndarray) -> Draw:
    """Hands out the rows as they are asked for."""
    return lambda first, last: (rows[first:last], 0.0)


def test_columns_side_by_side_are_judged_as_alone() -> None:
    (samples,) = chunks("ratios", 60, N, SEED, "sequential alone")
    samples = samples + np.linspace(-1.3, 1.3, 60) ** 3
    contradicted, used = outcome(samples, 1e-2, usual_looks(N))
    for column, x in enumerate(samples.T):
        found = judge_sequentially(drawing(x[:, None]), 0.0, 1.0, alpha=1e-2, max_samples=N, name="alone")
        assert (not found.agrees, found.n) == (contradicted[column], used[column])
    assert 10 < contradicted.sum() < 50 and len(set(used.tolist())) == 4


@pytest.mark.parametrize("repeats", REPEATS)
@pytest.mark.parametrize("law", LAWS)
def test_null_repetitions_are_contradicted_at_most_at_the_nominal_rate(
    law: str, repeats: int, error_budget: ErrorBudget
) -> None:
    found = {1e-2: 0, 1e-3: 0}
    for samples in chunks(law, repeats, N, SEED, "sequential null"):
        for nominal in found:
            found[nominal] += int(outcome(samples, nominal, usual_looks(N))[0].sum())
    for nominal, count in found.items():
        share = error_budget.spend(f"sequential judge, {repeats} nulls, {law} at {nominal}", 5e-10)
        assert count <= most(repeats, nominal, share)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("law", "repeats"),
    [
        *by_default(1, [(law, 4000) for law in LAWS]),
        *(pytest.param(law, 20_000, marks=pytest.mark.thorough) for law in LAWS),
    ],
)
def test_an_adversary_who_waits_for_a_contradiction_gains_nothing(
    law: str, repeats: int, error_budget: ErrorBudget
) -> None:
    """Looks all the time, and on to four times the planned number: ever contradicted, at most α.

    And no less than it must: for normal samples the bound is met up to the overshoot of a step, and to what ψ and
    1 + x ≤ eˣ give away: a factor exp(−0.583 a√8) for a look every 8 samples (Siegmund 1985, §10.3) and exp(−ℓa²),
    with a² = 2ℓ/N, together 0.82 at α = 1/5. Half of α is asked for.
    """
    count = {0.2: 0, 1e-2: 0}
    for samples in chunks(law, repeats, 4 * N, SEED, "sequential adversary"):
        for nominal in count:
            test = MeanTest("ever", samples.shape[1], N, 0.0, 1.0, nominal, shared_by=1)
            ever = np.zeros(samples.shape[1], dtype=bool)
            for first in range(0, 4 * N, EVERY):
                test.add(samples[first : first + EVERY], 0.0)
                ever |= test.contradicted
            count[nominal] += int(ever.sum())
    share = error_budget.spend(f"sequential judge, {repeats} nulls, {law}, adversary", 1e-9) / 3
    assert all(found <= most(repeats, nominal, share) for nominal, found in count.items())
    if law == "normal":
        assert count[0.2] >= least(repeats, 0.2 / 2, share) > 0.05 * repeats


@pytest.mark.parametrize("repeats", REPEATS)
@pytest.mark.parametrize("law", LAWS)
def test_deviations_of_the_declared_size_are_caught(law: str, repeats: int, error_budget: ErrorBudget) -> None:
    """At exactly the declared size, both signs, though fifty looks might let it pass."""
    size = judge_mean(np.zeros((N, 1)), 0.0, 1.0, alpha=1e-2, name="size").detectable[0]
    test = MeanTest("size", 1, N, 0.0, 1.0, 1e-2)
    declared = float(test.detectable(MISS / 2)[0])
    assert size < declared < 1.05 * size  # what the early looks cost
    missed = dict.fromkeys((usual_looks(N), ALWAYS), 0)
    for samples in chunks(law, repeats, N, SEED, "sequential planted"):
        shifted = samples + declared * (-1.0) ** np.arange(samples.shape[1])
        for looks in missed:
            missed[looks] += int((~outcome(shifted, 1e-2, looks)[0]).sum())
    for looks, count in missed.items():
        share = error_budget.spend(f"sequential judge, {repeats} planted, {law}, {len(looks)} looks", 5e-10)
        assert count <= most(repeats, MISS, share)


def test_early_agreement_lets_pass_what_the_declared_deviation_allows(error_budget: ErrorBudget) -> None:
    """The promise of power is for early stops too, not only for those that go on: shifts by the declared size are
    let pass early in fewer than MISS/2 of the cases, shifts by a quarter of it mostly pass, and early.
    """
    (samples,) = chunks("normal", 4000, N, SEED, "sequential early")
    declared = float(MeanTest("size", 1, N, 0.0, 1.0, 1e-2).detectable(MISS / 2)[0])
    share = error_budget.spend("sequential judge, planted, let pass early", 5e-10)
    contradicted, used = outcome(samples + declared, 1e-2, ALWAYS)
    assert (~contradicted & (used < N)).sum() <= most(4000, MISS / 2, share)
    contradicted, used = outcome(samples + declared / 4, 1e-2, ALWAYS)
    assert (~contradicted & (used < N)).sum() > 3000


def test_one_coordinate_that_is_off_is_not_outvoted(error_budget: ErrorBudget) -> None:
    """Two coordinates agree at once; the third, off by what is declared, must be waited for."""
    repeats, missed = 200, 0
    rng = generator(SEED, "outvoted")
    size = float(MeanTest("size", 3, N, 0.0, 1.0, 1e-2).detectable(MISS / 2)[0])
    for _ in range(repeats):
        x = rng.standard_normal((N, 3)) * [0.01, 0.01, 1.0] + [0.0, 0.0, size]
        found = judge_sequentially(drawing(x), [0.0] * 3, 1.0, alpha=1e-2, max_samples=N, name="one", looks=[120, N])
        missed += found.agrees
    assert missed <= most(repeats, MISS, error_budget.spend("sequential judge, one coordinate off", 5e-10))


def test_easy_cases_stop_early() -> None:
    """Without deviation agreement takes well under half of the samples; a gross mistake shows at the first look."""
    (samples,) = chunks("normal", 1000, N, SEED, "sequential easy")
    _, used = outcome(samples, 1e-9, ALWAYS)
    assert used.mean() < N / 2.5
    plain = judge_sequentially(drawing(samples[:, :1]), 0.0, 1.0, alpha=1e-9, max_samples=N, name="plain")
    assert plain.agrees and plain.n <= N / 2
    rows = samples[:, :3] + [0.0, 0.0, 5.0]
    gross = judge_sequentially(
        drawing(rows), [0.0] * 3, 1.0, alpha=1e-9, max_samples=N, name="gross", labels=["a", "b", "c"]
    )
    assert not gross.agrees and gross.n == usual_looks(N)[0] and gross.worst == "c"
    assert f"{gross.n} of at most {N} independent samples" in gross.sentence()


def test_the_last_look_is_the_test_that_looks_once() -> None:
    x = generator(SEED, "once").standard_normal((N, 2))
    once = judge_mean(x, 0.0, 1.0, alpha=1e-3, name="x", covariance=np.eye(2))
    last = judge_sequentially(
        drawing(x), [0.0, 0.0], 1.0, alpha=1e-3, max_samples=N, name="x", looks=[N], covariance=np.eye(2)
    )
    assert (once.deviation, once.radius, once.statistic, once.chi_square) == (
        last.deviation,
        last.radius,
        last.statistic,
        last.chi_square,
    )
    assert all(a < b for a, b in zip(once.detectable, last.detectable, strict=True))  # MISS, and half of it


def test_a_larger_declared_deviation_needs_fewer_samples() -> None:
    x = generator(SEED, "larger").standard_normal((4000, 1))
    ample = judge_sequentially(
        drawing(x), 0.0, 1.0, alpha=1e-9, max_samples=4000, name="ample", deviation=1.0, looks=range(50, 4001, 50)
    )
    tight = judge_sequentially(
        drawing(x), 0.0, 1.0, alpha=1e-9, max_samples=4000, name="tight", looks=range(50, 4001, 50)
    )
    assert ample.agrees and tight.agrees and ample.n < tight.n / 4 and ample.detectable == (1.0,)


def test_coordinates_without_variance_are_settled_by_the_first_look() -> None:
    still, moving = np.ones((N, 1)), generator(SEED, "still").standard_normal((N, 1))
    found = judge_sequentially(drawing(still), [1.0], 0.0, alpha=1e-3, max_samples=N, name="still")
    assert found.agrees and found.n == usual_looks(N)[0]
    off = still.copy()
    off[-1] += 1e-9
    found = judge_sequentially(
        drawing(np.concatenate([moving, off], axis=1)),
        [0.0, 1.0],
        [1.0, 0.0],
        alpha=1e-3,
        max_samples=N,
        name="off",
        looks=[N],
    )
    assert not found.agrees and found.worst == "1" and found.deviation[1] == pytest.approx(1e-9, rel=1e-6)


def test_too_few_samples_to_promise_anything_are_all_used() -> None:
    x = generator(SEED, "few").standard_normal((20, 1))
    found = judge_sequentially(drawing(x), 0.0, 1.0, alpha=1e-9, max_samples=20, name="few")
    assert found.agrees and found.n == 20 and found.detectable == (float("inf"),)


def test_slack_is_taken_off_on_both_sides() -> None:
    """A slack of the size of the deviation: contradiction is no longer certain, and agreement no longer possible."""
    x = generator(SEED, "slack").standard_normal((N, 1))
    level = MeanTest("level", 1, N, 0.0, 1.0, 1e-2).level
    size = float(detectable(level, N, np.ones(1), MISS / 2, np.zeros(1))[0])
    blurred: Draw = lambda first, last: (x[first:last], size)  # noqa: E731
    looks = range(10, N + 1, 10)
    sharp = judge_sequentially(drawing(x), 0.0, 1.0, alpha=1e-2, max_samples=N, name="sharp", looks=looks)
    found = judge_sequentially(blurred, 0.0, 1.0, alpha=1e-2, max_samples=N, name="blurred", looks=looks)
    assert sharp.n < N and found.n == N and found.agrees
    assert found.radius[0] > sharp.sampling_radius[0] * N**-0.5 + size and found.detectable[0] > 2 * size


def test_the_slack_of_every_batch_counts() -> None:
    """The first batch is known to 0.5 only; what comes later cannot make up for it."""
    x = generator(SEED, "batches").standard_normal((N, 1))
    coarse: Draw = lambda first, last: (x[first:last], 0.5 if first == 0 else 0.0)  # noqa: E731
    fine = judge_sequentially(drawing(x), 0.0, 1.0, alpha=1e-9, max_samples=N, name="fine", looks=[10, N])
    found = judge_sequentially(coarse, 0.0, 1.0, alpha=1e-9, max_samples=N, name="coarse", looks=[10, N])
    assert found.n == fine.n == N and found.radius[0] - fine.radius[0] == pytest.approx(0.5, rel=1e-12)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"looks": [100, 100, N]}, "increase to 400"),
        ({"looks": [100, 200]}, "increase to 400"),
        ({"deviation": 0.01}, "is to notice a deviation of 0.01 in 0, but 400 samples promise only"),
        ({"law_distance": 0.5}, "law_distance"),
    ],
    ids=["looks repeat", "looks end early", "a deviation too small", "a law too far"],
)
def test_what_cannot_be_promised_is_refused(given: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        judge_sequentially(
            drawing(np.zeros((N, 1))),
            0.0,
            1.0,
            alpha=1e-3,
            max_samples=N,
            name="refused",
            **given,  # type: ignore[arg-type]
        )


def test_draws_of_the_wrong_shape_or_without_a_mean_are_refused() -> None:
    with pytest.raises(ValueError, match=r"shape \(25, 2\); 25 rows of 1"):
        judge_sequentially(drawing(np.zeros((N, 2))), [0.0], 1.0, alpha=1e-3, max_samples=N, name="wide")
    with pytest.raises(ValueError, match="not finite"):
        judge_sequentially(drawing(np.full((N, 1), np.inf)), 0.0, 1.0, alpha=1e-3, max_samples=N, name="inf")


def test_the_rate_is_the_one_for_the_planned_number() -> None:
    """a = √(2ℓ/(Nσ²)): a known answer, ℓ = 8, N = 16, σ = 2: a = 1/2; the radius there is smallest at N."""
    a = float(best_rate(8.0, 16, np.array([4.0]))[0])
    assert a == 0.5
    radius = [a * 4 / 2 + 8 / (a * 16), *(x * 4 / 2 + 8 / (x * 16) for x in (0.45, 0.55))]
    assert radius[0] == 2.0 == 2 * np.sqrt(2 * 8 / 16) and min(radius[1:]) > 2.0
