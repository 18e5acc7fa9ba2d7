"""``python -m benchmarks.spectra``: rates of TD, GTD and TDC with d features, one for each state of a slow chain: how
wide the enclosures are, and how long they take beside NumPy's eigenvectors of the same matrix, which prove nothing.

A = −D(I − γP), C = D, G at η = 1 (2d×2d) and −AᵀC⁻¹A, for γ = 0.95 and a grid with random weights.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks import results
from benchmarks.scale_chains import grid
from tdcert.theory.arithmetic.float_enclosures import MidRadMatrix
from tdcert.theory.check.spectrum import abscissa_bounds, gtd_abscissa_bounds, tdc_abscissa_bounds
from tdcert.theory.enclose.dense_law import stationary_enclosure
from tdcert.theory.model.key_matrices import gtd_matrix

GAMMA = 0.95
SIZES = (49, 100, 225, 484)
RECORDED = 225


def timed(job: Callable[[], Any]) -> tuple[Any, float]:
    """What it gives, and seconds of processor time."""
    start = time.process_time()
    found = job()
    return found, time.process_time() - start


def measured(d: int) -> dict[str, dict[str, float]]:
    """By algorithm: both ends, their relative distance, seconds, and those of the eigenvectors of its matrix."""
    P = grid(d).toarray()
    law = stationary_enclosure(MidRadMatrix(P, P * 2.0**-50))
    A = MidRadMatrix(GAMMA * P - np.eye(d), 2.0**-52).scale_rows(law)
    C = MidRadMatrix(np.eye(d)).scale_rows(law)
    H = (A.T @ C.solve(A)).scaled(-1)
    jobs: dict[str, tuple[Callable[[], tuple[float, float]], Any]] = {
        "td": (lambda: abscissa_bounds(A), A),
        "gtd": (lambda: gtd_abscissa_bounds(A, C), gtd_matrix(A, C)),
        "tdc": (lambda: tdc_abscissa_bounds(A, C), H),
    }
    rows = {}
    for name, (job, matrix) in jobs.items():
        (low, high), seconds = timed(job)
        _, peer = timed(lambda B=matrix: np.linalg.eig(B.mid))
        rows[name] = {"lower": low, "upper": high, "width": (high - low) / abs(low), "seconds": seconds, "eig": peer}
    return rows


def ratios() -> results.Ratios:
    """Seconds beside NumPy's eigenvectors, and widths as parts of 1 %, with 225 features."""
    rows = measured(RECORDED)
    beside = {f"{name}: seconds beside eigenvectors": row["seconds"] / row["eig"] for name, row in rows.items()}
    return beside | {f"{name}: relative width, in %": 100 * row["width"] for name, row in rows.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    results.add_options(parser)
    if results.asked("spectra", parser.parse_args(), ratios):
        return
    print("| d | algorithm | abscissa between | and | relative width | seconds | eigenvectors alone |")
    print("|---|---|---|---|---|---|---|")
    for d in SIZES:
        for name, row in measured(d).items():
            ends = f"{row['lower']:.8g} | {row['upper']:.8g} | {row['width']:.0e}"
            print(f"| {d} | {name} | {ends} | {row['seconds']:.2f} | {row['eig']:.2f} |", flush=True)


if __name__ == "__main__":
    main()
