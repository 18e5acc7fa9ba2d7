"""The largest questions that an analysis asks: the unit, what the largest takes (processor seconds), and the reason.

Beyond a limit the answer is "undecided", or the question is left out; ``--limits`` multiplies all of them, as those of
:mod:`tdcert.theory.limits`.
"""

from __future__ import annotations

STEP_WORK = 66_000
"""Nodes × D³ on which a step is decided exactly, D numbers in (θ, w); seconds, as in the phase diagram of a model."""
STEP_BOUNDED_WORK = 20_000_000
"""Transitions between nodes × D³ beyond that, where floats with bounded roundings decide a step; a minute."""
NARROWED_WORK = 300_000
"""Transitions between nodes × D³ for that decision to narrow down the largest step; seconds, for it is asked of a
dozen steps."""
LARGEST_STEP_WINDOWS = 2_500
"""Nodes × D² for which the largest step is sought under --steps; seconds: somebody asked for it, so more than of a
row."""
MOMENTS_AT_A_TIME = 20_000
"""Transitions between nodes × (D + 1)² with which moments at a time have a certificate; seconds, for the checker."""
COVARIANCE_ENTRIES = 3_000
"""Contexts × D² for which covariances are computed in fractions, 40 times as many in balls; seconds, half a minute in
balls."""
AVERAGES_WORK = 3e8
"""Multiplications for the exact error of averages under one schedule; a second, for there are several schedules."""
EXACT_LAW_WORK = 5e8
"""Multiplications for one exact law that runs are compared with; seconds."""
ADVICE_ROWS = 1_000
"""States or features of a model of which warnings need numbers; seconds, growing with the cube."""
COMPARED_WINDOWS = 400
"""Nodes × D² for which the largest step is sought under a schedule that is compared; a tenth of a second, for there are
a dozen schedules."""
COMPARED_WORK = 4e10
"""n²d Σ(L + 1) of the schedules that are compared in floats, a solve as n/d + 1 products; half a minute."""
COMPARED_FEATURES = 200
"""Features for which the mean dynamics are asked of every schedule compared; seconds: d³ operations, several times."""
MOMENT_STATES = 64
"""States of a model whose variances under schedules are enclosed in balls, where floats do not show them; seconds."""
ENCLOSED_MOMENTS = 200_000
"""n(L + 1)d² for that; a second or two for each schedule."""
