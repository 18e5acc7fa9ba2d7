"""Certificates of verdicts over sets: every kind of answer is replayed by the checker, and what is changed is not."""

from __future__ import annotations

import copy
import json
from fractions import Fraction
from typing import Any

import pytest

from tdcert.sims.streams import generator
from tdcert.theory.certificate import checker, write
from tdcert.theory.certificate.checker.budget import BUDGET, SPENT
from tdcert.theory.certificate.checker.row_sets import Products, Row, Size
from tdcert.theory.check.mean_matrix import MeanDynamics
from tdcert.theory.samples.certificate import certificates
from tdcert.theory.samples.row_set import RowSet
from tdcert.theory.samples.sampled_model import SampledModel
from tdcert.theory.samples.verdict import form_of, verdicts
from tests.effort import by_default
from tests.theory.certificate.by_hand import seal
from tests.theory.certificate.sets_by_hand import excluded, halves, mixture
from tests.theory.samples.sampled import EPISODES, walk
from tests.theory.samples.test_sampled_model import episodes, noisy_two

F = Fraction
SEED = 31


def filed(found: SampledModel) -> dict[str, Any]:
    """The certificates by algorithm, each accepted; an answer has one."""
    said = verdicts(found)
    files, digest = certificates(found, said)
    for one in said:
        if str(one.update) in files:
            assert files[str(one.update)]["digest"] == digest
            assert f"1 - {found.delta} or more" in checker.check_text(write.text(files[str(one.update)]))
        else:
            assert one.answer is MeanDynamics.UNDECIDED and not one.disagree
    return files


def kinds(found: SampledModel) -> list[str]:
    return [one["kind"] for one in filed(found).values()]


STABLE, UNSTABLE = ["set_stable", "set_regular", "set_regular"], ["set_unstable", "set_regular", "set_regular"]
ASKED = [
    (lambda: noisy_two(3000), UNSTABLE),
    (lambda: noisy_two(100), ["set_undecided"] * 3),
    (lambda: noisy_two(60, target=None, schedule="constant:1/2"), ["set_on_policy"] * 3),
    (lambda: noisy_two(150, behaviour="fixed"), ["set_undecided"] * 3),
    (lambda: episodes(2000, schedule="lambdas:1/2,1/3"), STABLE),
    (lambda: noisy_two(200, behaviour="fixed", target=None), ["set_on_policy"] * 3),
    (lambda: noisy_two(6000, behaviour="fixed"), UNSTABLE),
    (lambda: noisy_two(6000, behaviour="fixed", target=None, discount=1), STABLE),
    (lambda: noisy_two(3000, features=[[10**200], [2 * 10**200]]), UNSTABLE),
    (lambda: episodes(3000, schedule="n_step:2"), STABLE),
]


@pytest.mark.parametrize(("found", "expected"), by_default(5, ASKED))
def test_every_answer_is_replayed(found: Any, expected: list[str]) -> None:
    assert kinds(found()) == expected


@pytest.mark.parametrize("schedule", [None, "n_step:2"])
def test_a_regular_matrix_without_a_form_is_replayed(schedule: str | None) -> None:
    """TD is not decided, and R near the inverse of A shows that A is regular."""
    found = noisy_two(800, features=[[1, 0], [1, 1]], schedule=schedule)
    assert form_of(found) is None
    files = filed(found)
    assert "TD" not in files and "inverse" in files["GTD"]["witness"]
    forged = copy.deepcopy(files["GTD"])
    forged["model"]["discount"] = "1"  # A is singular there: tabular features, and A 1 = 0
    with pytest.raises(checker.Rejected, match="E y < y"):
        checker.check_text(json.dumps(seal(forged)))


@pytest.mark.parametrize("what", ["counts", "low", "high"])
def test_intervals_that_do_not_follow_are_rejected(what: str) -> None:
    """Of counts, ten times fewer visits; of ends, the frequency in place of what excludes less."""
    files = filed(noisy_two(3000))
    forged = copy.deepcopy(files["TD"])
    row = forged["model"]["rows"][0][1]
    n = sum(row["counts"])
    row[what][0] = row[what][0] // 10 if what == "counts" else str(F(row["counts"][0], n))
    with pytest.raises(checker.Rejected, match="follow from the counts"):
        checker.check_text(json.dumps(seal(forged)))


@pytest.mark.parametrize("counts", [[3, 4], [0, 5, 1], [7, 0, 0, 2, 1]])
def test_products_are_enclosed(counts: list[int]) -> None:
    """n!, H(n), rising products and Q, against products of fractions."""
    SPENT.set([0, 0])
    BUDGET.set(None)
    products, n, k = Products(), sum(counts), len(counts)

    def holds(found: Size, x: F) -> bool:
        unit = F(2) ** found.e
        return found.low * unit <= x <= found.high * unit <= x * (1 + F(1, 2**180))

    assert holds(Size.of(1) / Size.of(2**192 - 2), F(1, 2**192 - 2))  # rounded down, it would stay so
    assert holds(Size.of(1) / Size.of(3), F(1, 3)) and holds(Size.of(2, 7) + Size.of(1, 3), F(13, 21))
    assert holds(products.halves(n), halves(n)) and holds(products.halves(600), halves(600))
    rising = F(1)
    for i in range(n):
        rising *= i + F(k, 2)
    assert holds(products.rising(n, k), rising)
    whole, possible = RowSet(tuple(counts), tuple(range(k)), F(1, 20)), list(range(k))
    low, high = zip(*whole.bounds, strict=True)
    value = {
        "possible": possible,
        "counts": counts,
        "low": [*map(str, low)],
        "high": [*map(str, high)],
    }
    assert holds(Row(value, "row", k, F(1, 20), products).mixture(products), mixture(counts))
    for j, (a, b) in enumerate(whole.bounds):
        assert (a == 0 or excluded(a, j, counts, F(1, 20))) and (b == 1 or excluded(b, j, counts, F(1, 20)))


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(4))
def test_random_sets_are_replayed(seed: int) -> None:
    rng = generator(SEED, f"certificates {seed}")
    said = set()
    for steps in (50, 400, 3000):
        for schedule in (None, "n_step:3", "constant:1/2"):
            log = walk(EPISODES, rng, steps, [3])
            given = {"features": rng.integers(-3, 9, size=(4, 2)).tolist(), "schedule": schedule, "terminal": [3]}
            given["features"][3] = [0, 0]
            target = [[1, 0]] * 4 if schedule != "constant:1/2" else None
            found = log.sampled(EPISODES, delta="1/10", discount="9/10", behaviour="uniform", target=target, **given)
            said |= {one["kind"] for one in filed(found).values()}
    assert "set_on_policy" in said and len(said) >= 3
