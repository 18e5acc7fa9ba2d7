"""The C peer: ``peer.c``, compiled for each setting."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tdcert.sims.kernels.records import BLOCKS, CARRIED, ENDLESS, LAZY, DrawLaw, TraceRecursion

Array = NDArray[np.float64]
FLAGS = ("-O3", "-march=native", "-ffast-math", "-fPIC", "-shared")
SOURCE = Path(__file__).with_name("peer.c")


class Peer:
    """The loop for one algorithm (0 … 3) and one kind of trace; ``d``: the number of features if it is compiled in."""

    def __init__(self, algorithm: int, trace: TraceRecursion, way: int, d: int | None = None):
        one_step = len(trace.c) == 1 and trace.kind != ENDLESS
        kind = 0 if one_step else {ENDLESS: 1, BLOCKS: 2, CARRIED: 5}.get(trace.kind, 3)
        defined = [f"-DALGORITHM={algorithm}", f"-DTRACE={6 if way == LAZY else 4 if way else kind}"]
        defined += [] if d is None else [f"-DD={d}"]
        self.trace, self.way = trace, way
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder) / "peer.so"
            subprocess.run(["gcc", *FLAGS, *defined, str(SOURCE), "-o", str(target)], check=True)
            self.function = ctypes.CDLL(str(target)).peer
        self.function.restype = None

    def run(self, law: DrawLaw, Phi: Array, alphas: Array, betas: Array, seeds: NDArray[np.uint64]) -> Array:
        """θ (runs, d) after one run from state 0 for each of the ``seeds`` (runs, 4)."""
        W, m, lam, c = int(self.trace.flat), int(self.trace.m), float(self.trace.lam), self.trace.c
        weights = self.trace.steady if self.trace.kind == CARRIED or self.way == LAZY else c
        m = 0 if self.way == LAZY and self.trace.kind == ENDLESS else m
        thetas = np.empty((len(seeds), Phi.shape[1]))
        table, values, features = (_pointer(x) for x in (law.picks, law.values, Phi))
        self.function(
            table,
            law.bits,
            values,
            features,
            Phi.shape[1],
            W,
            m,
            ctypes.c_double(lam),
            _pointer(weights),
            len(c) - 1,
            _pointer(alphas),
            _pointer(betas),
            _pointer(seeds),
            len(seeds),
            ctypes.c_long(len(alphas)),
            _pointer(thetas),
        )
        return thetas


def compiler() -> str | None:
    """The first line of ``gcc --version``; None without gcc."""
    if shutil.which("gcc") is None:
        return None
    return subprocess.run(["gcc", "--version"], check=True, capture_output=True, text=True).stdout.splitlines()[0]


def _pointer(array: NDArray[np.generic]) -> ctypes.c_void_p:
    assert array.flags.c_contiguous
    return array.ctypes.data_as(ctypes.c_void_p)
