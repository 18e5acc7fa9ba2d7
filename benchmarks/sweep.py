"""``python -m benchmarks.sweep``: what sweeps cost: models screened in floats, models decided exactly, the engine.

Models of four states and two features, on-policy, as a hunt draws them. Each line beside the obvious alternative on the
same models, whose answers are compared. Seconds of processor time of one core; other work on the machine moves all
columns.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import results
from benchmarks.sweep_engine import engine_lines
from tdcert.claims.paper import entry
from tdcert.sweeps import exact
from tdcert.sweeps.batch import Batch
from tdcert.sweeps.draws import Draws
from tdcert.sweeps.families import Freedom, ModelFamily, discounts
from tdcert.sweeps.hunt import CHUNK
from tdcert.sweeps.screen import margins
from tdcert.theory.verdict import Status

SCREENED = ("prop_4_1", "negative_margin", "m_contraction")
DECIDED = ("prop_4_1", "negative_margin", "thm_4_3")
KEPT = (
    "on_policy",
    "lambda_in_unit_interval",
    "discount_below_one",
    "constant_discount",
    "irreducible",
    "full_column_rank",
)


def family() -> ModelFamily:
    """n = 4, d = 2: weights 1 … 16, features −3 … 3, four discounts, schedules of up to three λ's."""
    freedom = Freedom(frozenset(KEPT))
    return ModelFamily("uniform", 4, 2, freedom, discounts(freedom, tiny=False), freedom.schedules(tiny=False))


def per_second(count: int, job: Callable[[], Any], repeats: int = 3) -> tuple[float, Any]:
    """Models per second of processor time, the best of the repeats, and what the job gave."""
    best, found = float("inf"), None
    for _ in range(repeats):
        begin = time.process_time()
        found = job()
        best = min(best, time.process_time() - begin)
    return count / best, found


def screened(claim: str, count: int) -> NDArray[np.float64]:
    """Draw and screen, chunk by chunk, as a hunt does."""
    parts, form = range(0, count, CHUNK), entry(claim).load().form
    assert form is not None
    return np.concatenate([margins(form, family().batch(Draws("benchmark", first, CHUNK))) for first in parts])


def plain_loop(claim: str, batch: Batch) -> NDArray[np.float64]:
    """The same margins as one writes them for one model, over a loop of models."""
    found = []
    for k in range(batch.size):
        weights = batch.transitions[k, 0].astype(float)
        P = weights / weights.sum(axis=1, keepdims=True)
        gamma = float(batch.gammas[batch.discounts[k, 0, 0]])
        Phi = batch.features[k].astype(float)
        lambdas = [float(x) for x in batch.schedules[batch.schedule[k]].lambdas]
        equations = np.vstack([(P.T - np.eye(4))[:-1], np.ones(4)])
        d = np.linalg.solve(equations, [0.0, 0.0, 0.0, 1.0])
        M, kappa = gamma * P, gamma
        for lam in reversed(lambdas):
            M = gamma * P @ ((1 - lam) * np.eye(4) + lam * M)
            kappa = gamma * ((1 - lam) + lam * kappa)
        if claim == "m_contraction":
            X = np.sqrt(d)[:, None] * M / np.sqrt(d)
            found.append(np.linalg.eigvalsh(gamma**2 * np.eye(4) - X.T @ X)[0])
            continue
        A, C = Phi.T @ (d[:, None] * (M @ Phi - Phi)), Phi.T @ (d[:, None] * Phi)
        S = -(A + A.T) / 2 - (0.0 if claim == "prop_4_1" else 1 - kappa) * C
        found.append(np.linalg.eigvalsh(S)[0] / (np.trace(C) / 2))
    return np.array(found)


def screening_lines(count: int, plain: int) -> list[str]:
    """Margins of whole batches, draws included, beside the loop, draws left out."""
    lines = [f"{'float margins':<22} {'batches':>12} {'plain loop':>12} {'ratio':>7}   models per second and core"]
    for claim in SCREENED:
        fast, found = per_second(count, lambda claim=claim: screened(claim, count))
        batch = family().batch(Draws("benchmark", 0, plain))
        slow, same = per_second(plain, lambda claim=claim, batch=batch: plain_loop(claim, batch))
        fine = np.isfinite(same)
        assert np.abs(found[:plain][fine] - same[fine]).max() < 1e-9, "the two disagree"
        lines.append(f"{claim:<22} {fast:>12,.0f} {slow:>12,.0f} {fast / slow:>6.0f}×")
    return lines


def exact_lines(count: int, checked: int) -> list[str]:
    """Integers and determinants beside the claim's own check, certificates included."""
    lines = [f"{'exact decisions':<22} {'integers':>12} {'own check':>12} {'ratio':>7}   models per second and core"]
    for claim in DECIDED:
        batch = family().batch(Draws("benchmark", 0, count))
        asked = entry(claim).load()
        fast, found = per_second(count, lambda c=asked, b=batch: [exact.refuted(c, b, k) for k in range(count)])
        check = asked.check
        slow, same = per_second(
            checked, lambda c=check, b=batch: [c(b.model(k)).status is Status.REFUTED for k in range(checked)]
        )
        assert found[:checked] == same, "the two disagree"
        lines.append(f"{claim:<22} {fast:>12,.0f} {slow:>12,.0f} {fast / slow:>6.1f}×")
    return lines


def ratios() -> results.Ratios:
    """The plain loop's and the own check's pace over ours, on the first claim of each list."""
    first, count, checked = SCREENED[0], 2 * CHUNK, 50
    fast, _ = per_second(count, lambda: screened(first, count))
    batch = family().batch(Draws("benchmark", 0, 400))
    slow, _ = per_second(400, lambda: plain_loop(first, batch))
    claim = entry(DECIDED[0]).load()
    integers, _ = per_second(400, lambda: [exact.refuted(claim, batch, k) for k in range(400)])
    own, _ = per_second(checked, lambda: [claim.check(batch.model(k)) for k in range(checked)])
    return {
        f"pace of a plain loop over batches: margins of {first}": slow / fast,
        f"pace of the own check over integers: {DECIDED[0]}": own / integers,
    }


def main() -> None:
    """Prints the lines; ``--quick`` for a look."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer models, and no engine")
    results.add_options(parser)
    given = parser.parse_args()
    if results.asked("sweep", given, ratios):
        return
    quick = given.quick
    for line in screening_lines(CHUNK * (2 if quick else 25), 200 if quick else 2_000):
        print(line, flush=True)
    for line in exact_lines(50 if quick else 1_000, 20 if quick else 200):
        print(line, flush=True)
    if not quick:
        for line in engine_lines():
            print(line, flush=True)


if __name__ == "__main__":
    main()
