"""Where nothing is compiled (``NUMBA_DISABLE_JIT=1``, and for mutants), the kernels' lanes are NumPy arrays."""

from __future__ import annotations

import numba

if vars(numba.config)["DISABLE_JIT"]:
    from tests.sims.plain_lanes import install

    install()
