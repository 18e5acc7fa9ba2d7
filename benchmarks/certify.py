"""``python -m benchmarks.certify``: how far certified times are above simulated ones, on models of the gallery.

For each: N with P(|θ_t − θ*| ≤ ε for all t ≥ N) ≥ 0.9, certified, against the first time from which 90 % of the runs
stay within ε as far as they are simulated. Steps and ratios are those that ``--steps auto`` proposes.
Writes ``build/certify.json``; see docs/certify.md.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from tdcert.algorithms import named
from tdcert.analysis.certify import process_of
from tdcert.sims.last_exit import distances
from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.engine.for_ever import least_time
from tdcert.theory.engine.proposed_steps import RATIOS, propose
from tdcert.theory.files import LoadedModel
from tdcert.theory.files.load import load_any
from tdcert.theory.model import gallery
from tdcert.theory.model.mdp import Model
from tdcert.theory.model.schedule import Schedule

F = Fraction
HALF, ONE = F(1, 2), F(1)
SHARE, RUNS, SEED = F(9, 10), 200, 1
LONGEST = 400_000
"""No run is longer: then a late exit may be missed, which makes the ratio larger."""


def hats(model: Model, count: int) -> Model:
    """The model with ``count`` hat functions over its states as features."""
    width = F(model.n - 1, count - 1)
    rows = [[max(F(0), 1 - abs(s - k * width) / width) for k in range(count)] for s in range(model.n)]
    return model.with_features(RationalMatrix(rows))


def walk_of_seven() -> Model:
    """A walk that steps left and right evenly and stays where it would leave; the last state pays, γ = 9/10."""
    P = [[F(0)] * 7 for _ in range(7)]
    for s in range(7):
        for t in (s - 1, s + 1):
            P[s][min(max(t, 0), 6)] += HALF
    rewards = RationalMatrix([[F(int(s == 6))] for s in range(7)])
    discounts = RationalMatrix([[F(9, 10)]] * 7)
    policy = RationalMatrix([[F(1)]] * 7)
    eye = rewards.identity(7)
    return Model(("go",), (RationalMatrix(P),), (rewards,), (discounts,), policy, policy, eye, Schedule(()))


def frozen_lake() -> Model:
    """Gymnasium's under the uniform policy, with a feature for each state that is not terminal."""
    loaded = load_any("gymnasium:FrozenLake-v1")
    assert isinstance(loaded, LoadedModel)
    return loaded.model.with_schedule(Schedule(()))


def cases() -> list[tuple[str, Model, str, Fraction]]:
    """Name, model, algorithm, ε."""
    coin, walk = gallery.fair_coin_chain(HALF), gallery.random_walk_5()
    two = gallery.theta_to_two_theta(F(1, 2), rewards=(1, 0))
    lam = Schedule((HALF,))
    return [
        ("fair coin, TD(0)", coin, "td", F(1, 4)),
        ("fair coin, λ_1 = 1/2", gallery.fair_coin_chain(HALF, lam), "td", F(1, 4)),
        ("fair coin, GTD", coin, "gtd", F(1, 4)),
        ("flip chain, TD(0)", gallery.flip_chain(HALF), "td", F(1, 4)),
        ("random walk of five states, d = 7, TD(0)", walk, "td", F(1, 4)),
        ("random walk, three hats, λ_1 = 1/2", hats(walk.with_schedule(lam), 3), "td", F(1, 4)),
        ("Boyan's chain, d = 4, TD(0)", gallery.boyan_chain(), "td", F(2)),
        ("Boyan's chain, eight hats, d = 8, TD(0)", hats(gallery.boyan_chain(), 8), "td", F(4)),
        ("random chain, three hats, off-policy TD", hats(gallery.random_chain(), 3), "off_policy_td", F(1, 2)),
        ("θ→2θ, γ = 1/2, GTD", two, "gtd", F(1, 8)),
        ("θ→2θ, γ = 1/2, TDC", two, "tdc", F(1, 8)),
        ("fair coin, TDC", coin, "tdc", F(1, 4)),
        ("random walk, three hats, TDC", hats(walk, 3), "tdc", F(1, 2)),
        ("walk of seven states, d = 7, γ = 9/10, TD(0)", walk_of_seven(), "td", F(1, 4)),
        ("FrozenLake-v1, d = 11, TD(0)", frozen_lake(), "td", F(1, 4)),
    ]


def measured(name: str, model: Model, algorithm: str, within: Fraction) -> dict[str, Any]:
    """One row: certified and simulated times, and their ratio."""
    update, begin = named(algorithm), time.process_time()
    ratios = [()] if len(update.steps) == 1 else [(x,) for x in RATIOS]
    process, steps = propose([process_of(model, update, (ONE, *x)) for x in ratios], within, SHARE)
    found = least_time(process, steps, within, SHARE)
    seconds = time.process_time() - begin
    horizon = min(LONGEST, max(2 * found.time, 1_000))
    seen = distances(process, steps, horizon, RUNS, SEED).least_time(float(within), float(SHARE))
    return {
        "model": name,
        "d": model.d,
        "within": str(within),
        "probability": str(SHARE),
        "steps": str(steps),
        "ratio_of_steps": ",".join(map(str, process.ratios[1:])) or None,
        "certified": found.time,
        "simulated": seen,
        "ratio": round(found.time / max(seen, 1), 1),
        "seconds": round(seconds, 1),
    }


def main(argv: Sequence[str] | None = None) -> None:
    """Prints a line for each model and writes all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/certify.json"))
    parser.add_argument("--only", default="", metavar="TEXT", help="rows whose name holds the text")
    given = parser.parse_args(argv)
    out, rows = given.out, []
    for case in (one for one in cases() if given.only in one[0]):
        row = measured(*case)
        rows.append(row)
        told = f"N = {row['certified']}, simulated {row['simulated']}, ratio {row['ratio']}, {row['seconds']} s"
        beta = row["ratio_of_steps"]
        print(f"{row['model']}: {row['steps']}{f', β/α = {beta}' if beta else ''}: {told}", flush=True)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
