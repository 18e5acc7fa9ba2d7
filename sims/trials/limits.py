"""What a trial tries and for how long: the unit, the processor seconds that it takes, and the reason."""

from __future__ import annotations

CLASS_SECONDS = 60.0
"""Seconds for each process that a class runs in: 0.5 s are usual, and its libraries are imported besides."""
FUNCTION_SECONDS = 120.0
"""Seconds for each process that a function runs in: 0.3 s are usual, and ``jax.jit`` compiles each shape anew."""
LONGEST_PRINT = 80
"""Characters that are kept of the first line that the code prints: a note is one line."""

RUNS = 10_000
"""Independent runs of a class whose paths are random, for each of two models; 11 s together, 2 s with a tenth of them.
The deviation that is noticed falls with the root of their number."""
LARGEST_BATCH = 6
"""Updates held back and made at once: longer batches would leave short trajectories without an update to compare."""
SAMPLED_PATHS = 24
"""Wrong paths, about, on which a mistake that explains most of them is looked for; each variant is run on each."""

PATTERNS = 750
"""Patterns of cuts, ratios, λ and γ that are tried of rows of one length; 2 s for GAE, 0.6 s with 40 of them. With 750
nothing is left out up to four steps where a row is one episode."""
CALLED_AT_ONCE = 256
"""Rows in one call where the contract has a batch axis: a call costs more than its rows, and a failure is sought among
them."""
LONG_ROW_SETTINGS = 6
"""Settings (γ above 0, λ) that long rows are asked for: a mistake in small powers of γλ shows at small ones alone."""
SAMPLED_ROWS = 60
"""Wrong and right rows, about, on which each of some 90 known mistakes is tried."""
