"""``python -m benchmarks.scale``: large sparse models. Stationary laws beside QuantEcon's elimination, a dense solve,
SciPy's eigenvectors, sparse LU and power iteration, with the digits that are right; then whole analyses, with fitted
exponents in n, d and L.

Every job runs in a fresh process, so that its memory is its own. ``--write`` puts tables and plot into ``docs/``.
"""

from __future__ import annotations

import argparse
import importlib.util
import multiprocessing
import os
import resource
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from math import log10
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csc_array, csr_array, eye_array
from scipy.sparse.linalg import ArpackError, eigs, splu

from benchmarks import results
from benchmarks.scale_chains import CHAINS, model, walk_law
from tdcert.claims.paper import asked_in_enclosures
from tdcert.theory.enclose.sparse import analyse_sparse
from tdcert.theory.enclose.sparse_law import stationary_law
from tdcert.theory.model.chain import Chain
from tdcert.theory.model.schedule import Schedule
from tdcert.theory.model.sparse_model import SparseModel

POWER_STEPS = 3_000
ARNOLDI_RESTARTS = 100
DENSE_PEERS = 2_000
"""Largest chain given to peers that work on the full matrix."""
EXACT_REFERENCE = 300
"""Largest chain whose law is solved exactly, to count the digits of all."""
DOCS = Path(__file__).parent.parent / "docs"

LAW_JOBS = [
    ("scattered", 300),
    ("scattered", 2_000),
    ("scattered", 100_000),
    ("scattered", 1_000_000),
    ("walk", 300),
    ("walk", 20_000),
    ("coupled", 300),
    ("coupled", 2_000),
    ("grid", 10_000),
    ("grid", 90_000),
    ("nearly decomposable", 100_000),
    ("two blocks", 100_000),
]
MODEL_JOBS = [
    *((n, 50, 5) for n in (10_000, 30_000, 100_000, 1_000_000)),
    *((100_000, d, 5) for d in (10, 25)),
    *((100_000, 50, length) for length in (1, 10, 20)),
]


@dataclass(frozen=True)
class Cost:
    """Seconds of processor time and MiB of one job in a process of its own, beyond what the input takes."""

    seconds: float
    mebibytes: float


def ours(P: Any) -> tuple[Any, float | None]:
    """Law and proven bound of ‖x − d‖_1."""
    n = P.shape[0]
    chain = SparseModel.reward_process(P, np.zeros(n), Fraction(0), np.ones((n, 1)), Schedule()).behaviour_kernel
    law, _ = stationary_law(chain, np.arange(n))
    return (None, None) if law is None else (law.mid, law.distance)


def quantecon(P: Any) -> tuple[Any, float | None]:
    from quantecon.markov import gth_solve

    return gth_solve(P.toarray()), None


def eigenvector(P: Any) -> tuple[Any, float | None]:
    try:
        x = np.abs(eigs(P.T, k=1, which="LR", v0=np.ones(P.shape[0]), maxiter=ARNOLDI_RESTARTS)[1][:, 0].real)
    except ArpackError:
        return None, None
    return x / x.sum(), None


def dense_solve(P: Any) -> tuple[Any, float | None]:
    n = P.shape[0]
    system = np.eye(n) - P.toarray().T
    system[-1] = 1.0
    right = np.zeros(n)
    right[-1] = 1.0
    return np.linalg.solve(system, right), None


def sparse_lu(P: Any) -> tuple[Any, float | None]:
    """Without the last state, whose weight is one; the order is SuperLU's minimum degree."""
    n = P.shape[0]
    inner = csc_array(eye_array(n - 1) - P[: n - 1, : n - 1])
    options = {"permc_spec": "MMD_AT_PLUS_A", "diag_pivot_thresh": 0.0, "options": {"SymmetricMode": True}}
    x = np.append(splu(inner, **options).solve(P[[n - 1]].toarray()[0, : n - 1], trans="T"), 1.0)
    return x / x.sum(), None


def power(P: Any) -> tuple[Any, float | None]:
    transposed = P.T.tocsr()
    x = np.full(P.shape[0], 1 / P.shape[0])
    for _ in range(POWER_STEPS):
        moved = (x + transposed @ x) / 2
        if np.abs(moved - x).sum() < 1e-14:
            break
        x = moved
    return x / x.sum(), None


METHODS: dict[str, Callable[[Any], tuple[Any, float | None]]] = {
    "tdcert": ours,
    "quantecon.gth_solve": quantecon,
    "numpy solve": dense_solve,
    "scipy eigs": eigenvector,
    "scipy splu": sparse_lu,
    "power iteration": power,
}
ON_FULL_MATRICES = ("quantecon.gth_solve", "numpy solve")
ON_SEPARATORS = ("walk", "grid")
"""Chains that sparse LU is tried on: on the others SuperLU's order takes many minutes, or the factors fill up."""


def law_job(kind: str, n: int, method: str) -> tuple[Any, float | None, Cost]:
    """One law by one method."""
    P = CHAINS[kind](n)
    if method == "quantecon.gth_solve":
        METHODS[method](csr_array(np.full((2, 2), 0.5)))  # compiled before the clock starts
    before = _peak()
    start = time.process_time()
    x, bound = METHODS[method](P)
    return x, bound, Cost(time.process_time() - start, _peak() - before)


def exact_law(kind: str, n: int) -> Any:
    """The exact law, rounded in the end."""
    P = CHAINS[kind](n)
    exact = SparseModel.reward_process(P, np.zeros(n), Fraction(0), np.ones((n, 1)), Schedule()).exact()
    return Chain(exact.transitions[0]).stationary_law(tuple(range(n))).to_float()[:, 0]


def model_job(n: int, d: int, length: int) -> tuple[Cost, dict[str, str]]:
    """One analysis, and the widths that it ends with."""
    given = model(n, d, length)
    start = time.process_time()
    result = analyse_sparse(given, asked_in_enclosures())
    seconds = time.process_time() - start
    (found,), V = result.classes, result.value
    if found.law is None or found.A is None or found.theta_star is None:
        return Cost(seconds, _peak()), {"outcome": found.law_method}
    theta = found.theta_star
    return Cost(seconds, _peak()), {
        "law": f"{found.law.distance:.0e}",
        "theta": f"{float(theta.rad.max() / np.abs(theta.mid).max()):.0e}",
        "value": "–" if V is None else f"{float(V.error[0] / np.abs(V.mid).max()):.0e}",
        "prop_4_1": str(result.verdicts["prop_4_1"].status),
    }


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def alone(job: Callable[..., Any], *arguments: Any) -> Any:
    """The job's result from a fresh process."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(job, *arguments).result()


def digits(x: Any, law: Any) -> str:
    """−log10 ‖x − d‖_1."""
    away = float(np.abs(x - law).sum())
    return f"{-log10(max(away, 1e-17)):.1f}"


def law_table(jobs: Sequence[tuple[str, int]]) -> list[str]:
    """Rows of markdown: each chain by each method."""
    lines = ["| chain | n | method | seconds | MiB | digits right | proven |", "|---|---|---|---|---|---|---|"]
    for kind, n in jobs:
        mine, bound, cost = alone(law_job, kind, n, "tdcert")
        reference, name = (alone(exact_law, kind, n), "") if n <= EXACT_REFERENCE else (mine, "≈ ")
        if kind == "walk" and n > EXACT_REFERENCE:
            reference, name = walk_law(n), ""
        for method in METHODS:
            if method in ON_FULL_MATRICES and n > DENSE_PEERS:
                continue
            if method == "scipy splu" and kind not in ON_SEPARATORS:
                continue
            if method == "quantecon.gth_solve" and importlib.util.find_spec("quantecon") is None:
                continue
            x, found, spent = (mine, bound, cost) if method == "tdcert" else alone(law_job, kind, n, method)
            if x is None or reference is None:
                right = "none" if x is None else "unknown"
            elif method == "tdcert" and reference is mine:
                right = f"≥ {-log10(bound):.1f}"
            else:
                right = name + digits(x, reference)
            proven = "undecided" if method == "tdcert" and found is None else f"{found:.0e}" if found else "nothing"
            lines.append(
                f"| {kind} | {n:,} | {method} | {spent.seconds:.2f} | {spent.mebibytes:.0f} | {right} | {proven} |"
            )
            print(lines[-1], flush=True)
    return lines


def model_table(jobs: Sequence[tuple[int, int, int]]) -> tuple[list[str], dict[tuple[int, int, int], Cost]]:
    """Rows of markdown, and the costs behind them."""
    lines = [
        "| n | transitions | d | L | seconds | MiB in all | distance of d | relative radius of θ* | of V | prop_4_1 |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    costs = {}
    for n, d, length in jobs:
        cost, found = alone(model_job, n, d, length)
        costs[n, d, length] = cost
        widths = found.get("outcome") or f"{found['law']} | {found['theta']} | {found['value']} | {found['prop_4_1']}"
        lines.append(f"| {n:,} | {10 * n:,} | {d} | {length} | {cost.seconds:.1f} | {cost.mebibytes:.0f} | {widths} |")
        print(lines[-1], flush=True)
    return lines, costs


def growth(costs: dict[tuple[int, int, int], Cost]) -> str:
    """Fitted exponents where at least three sizes were measured, the others fixed at d = 50, L = 5, n = 100,000."""
    found = []
    for name, place, fixed in (("n", 0, (None, 50, 5)), ("d", 1, (100_000, None, 5)), ("L", 2, (100_000, 50, None))):
        chosen = [k for k in costs if all(f is None or f == x for f, x in zip(fixed, k, strict=True))]
        if len(chosen) >= 3:
            found.append(
                f"{name}: {results.exponent([k[place] for k in chosen], [costs[k].seconds for k in chosen]):.2f}"
            )
    return "Fitted exponents of the time, " + ", ".join(found) + "."


def plot(costs: dict[tuple[int, int, int], Cost], path: Path) -> None:
    """Time and memory against n."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    sizes = sorted(n for n, d, length in costs if (d, length) == (50, 5))
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    left.loglog(sizes, [costs[n, 50, 5].seconds for n in sizes], "o-")
    left.set(title="Time of an analysis", xlabel="states (10 transitions each)", ylabel="seconds")
    right.loglog(sizes, [costs[n, 50, 5].mebibytes for n in sizes], "s-", color="C1")
    right.set(title="Memory", xlabel="states (10 transitions each)", ylabel="MiB")
    for axes in (left, right):
        axes.grid(True, which="both", alpha=0.3)
    figure.savefig(path, dpi=110)


def ratios() -> results.Ratios:
    """Exponents in n of time and memory of an analysis, d = 50 and L = 5, from 2,000 to 20,000 states; and two laws."""
    sizes = (2_000, 6_000, 20_000)
    costs = [alone(model_job, n, 50, 5)[0] for n in sizes]
    elimination, lu = (alone(law_job, "grid", 10_000, method)[2].seconds for method in ("tdcert", "scipy splu"))
    blocks, arnoldi = (alone(law_job, "two blocks", 20_000, method)[2].seconds for method in ("tdcert", "scipy eigs"))
    return {
        "law of two scattered blocks, 20,000 states in all: seconds beside eigenvectors": blocks / arnoldi,
        "law of a grid of 10,000 states: seconds beside sparse LU": elimination / lu,
        "exponent of the time in n": results.exponent(sizes, [cost.seconds for cost in costs]),
        "exponent of the memory in n": results.exponent(sizes, [cost.mebibytes for cost in costs]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Large sparse models beside the obvious alternatives.")
    parser.add_argument("--largest", type=int, default=1_000_000, help="leave out larger models")
    parser.add_argument("--write", action="store_true", help="write the tables and the plot into docs/")
    results.add_options(parser)
    size = parser.parse_args()
    if results.asked("scale", size, ratios):
        return
    print(f"{os.cpu_count()} cores", flush=True)
    laws = law_table([job for job in LAW_JOBS if job[1] <= size.largest])
    models, costs = model_table([job for job in MODEL_JOBS if job[0] <= size.largest])
    print(growth(costs))
    if importlib.util.find_spec("quantecon") is None:
        print("quantecon: not installed, not compared")
    if size.write:
        text = (DOCS / "benchmarks-scale.md").read_text(encoding="utf-8")
        begin, end = "<!-- tables: begin -->", "<!-- tables: end -->"
        head, tail = text.split(begin)[0], text.split(end)[1]
        tables = "\n\n".join(["\n".join(laws), "\n".join(models), growth(costs)])
        (DOCS / "benchmarks-scale.md").write_text(f"{head}{begin}\n{tables}\n{end}{tail}", encoding="utf-8")
        plot(costs, DOCS / "images" / "scale.png")


if __name__ == "__main__":
    main()
