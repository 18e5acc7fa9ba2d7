r"""The fast twins (numba): sample, trace, update, for many independent runs side by side.

:func:`simulate` draws and updates tile by tile and keeps nothing of a trajectory; :func:`sample` records one,
:func:`replay` updates along a recorded one, with the same compiled loops. Every run owns its generator and every
operation acts run by run, so that a result depends on the seed and the name alone: not on how many runs share a
register, a chunk or a thread, nor on the length of a tile. Tests hold all of it equal to the readable twins.
"""

from tdcert.sims.kernels.records import DIVERGED
from tdcert.sims.kernels.run_kernels import CHUNK, Replicates, float_schedule, replay, sample, simulate

__all__ = ["CHUNK", "DIVERGED", "Replicates", "float_schedule", "replay", "sample", "simulate"]
