r"""Steps a/(t + t0), and ratios of step sizes, for which the certified N is small: a search in floats that decides
nothing. What it proposes is certified or refused as steps that a user gives.

**a.** With decay c and noise n the bound of the chance from N on is about n a²/N · ca/(ca − 1) (``for_ever``), least at
ca = 3/2. c is at most −2r, with r the spectral abscissa of the mean matrix J, and falls short of it where one form has
to serve all directions: so a = x/(−2r) for the x of :data:`SHARES`.

**Ratios.** N is foreseen, by the phases that floats propose, for all of :data:`RATIOS` at one a: a large ratio makes
the noise of θ small, and T0 large.

**t0.** At first the smallest power of two times the size of one update at which the inequality holds from t = 0 on.
From there a and t0 move while the certified N falls: with a smaller t0 the start of the inequality is waited for, while
the first steps forget the beginning faster.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import ceil, inf

import numpy as np

from tdcert.theory.check.stability import spectral_abscissa
from tdcert.theory.engine.error_process import Array, ErrorProcess
from tdcert.theory.engine.for_ever import (
    FLOORS,
    Envelope,
    NotCertifiedError,
    Phase,
    SecondMomentBounds,
    abscissa,
    best_form,
    least_time,
    propose_family,
    propose_phase,
    require_divisors,
    require_small,
    require_stable,
    starts,
)
from tdcert.theory.errors import BudgetExceededError
from tdcert.theory.laws.decreasing_steps import DecreasingSteps
from tdcert.theory.progress import Progress, silently

SHARES = (Fraction(2), Fraction(3, 2), Fraction(3), Fraction(4))
"""The values of −2ra that are tried, the first with every ratio."""
RATIOS = tuple(Fraction(2) ** k for k in range(-2, 7))
"""The ratios of the later step sizes to the first that are tried; all later ones have the same ratio."""
DECIDED, LEAST, MOST = 20_000, 4, 30
"""Entries, moves × (D + 1)², of all proposals that exact arithmetic decides (half a minute); least and most of them."""
MOVES = [
    (Fraction(1), Fraction(1, 2)),
    (Fraction(3, 4), Fraction(1)),
    (Fraction(4, 3), Fraction(1)),
    (Fraction(1), Fraction(3, 2)),
]
"""What a and t0 are multiplied by, while N falls."""
DOUBLED = 40
"""How often t0 is doubled."""


@dataclass(frozen=True)
class Proposal:
    """Steps, and what N is foreseen for them; infinite where none is."""

    process: ErrorProcess
    steps: DecreasingSteps
    foreseen: float


def propose(
    processes: Sequence[ErrorProcess], within: Fraction, probability: Fraction, on_progress: Progress = silently
) -> tuple[ErrorProcess, DecreasingSteps]:
    """The ratios and steps whose certified N is the least of those decided, or those foreseen to be best if none is.

    ``processes``: of the same algorithm, one for each choice of ratios. Raises :class:`NotCertifiedError` where none
    has a stable mean matrix, the model is too large, or no steps were found.
    """
    found = sorted(_proposals(processes, within, probability, on_progress), key=lambda one: one.foreseen)
    if not found:
        raise NotCertifiedError("no T0 was found at which the inequality holds")
    process = found[0].process
    tries = min(max(DECIDED // (len(process.moves) * (process.size + 1) ** 2), LEAST), MOST)
    known = dict[DecreasingSteps, float]()

    def decided(steps: DecreasingSteps) -> float:
        if steps not in known:
            on_progress(len(known), tries, f"deciding the steps {steps}")
            try:
                known[steps] = least_time(process, steps, within, probability).time
            except BudgetExceededError:
                known[steps] = inf
        return known[steps]

    best = min([one.steps for one in found if one.process is process][:2], key=decided)
    improved = True
    while improved:
        improved = False
        for a, t0 in MOVES:
            near = replace(best, a=best.a * a, t0=best.t0 * t0)
            if len(known) < tries and decided(near) < decided(best):
                best, improved = near, True
    return process, best


def _proposals(
    processes: Sequence[ErrorProcess], within: Fraction, probability: Fraction, on_progress: Progress
) -> list[Proposal]:
    """Each of the processes at one a, and the best of them at the others."""
    require_small(processes[0])
    stable = [one for one in processes if spectral_abscissa(one.J, bits=8).sign < 0]
    if not stable:
        require_stable(processes[0])
    found, count = list[Proposal](), len(stable) + len(SHARES)
    for k, process in enumerate(stable):
        on_progress(k, count, "looking for steps")
        found += _of_a(process, SHARES[0], within, probability)
    if found:
        best = min(found, key=lambda one: one.foreseen).process
        for k, share in enumerate(SHARES[1:], start=len(stable)):
            on_progress(k, count, "looking for steps")
            found += _of_a(best, share, within, probability)
    return found


def _of_a(process: ErrorProcess, share: Fraction, within: Fraction, probability: Fraction) -> list[Proposal]:
    """With the smallest t0 found; none where none is."""
    a = Fraction(f"{float(share) / (-2 * abscissa(process)):.2g}")
    size = float(np.abs(process.floats[3]).max())
    steps = DecreasingSteps(a, Fraction(max(1, ceil(float(a) * size / 2))))
    form = best_form(process, steps)
    for _ in range(DOUBLED):
        foreseen = _foreseen(process, steps, form, within, probability)
        if foreseen is not None:
            return [Proposal(process, steps, foreseen)]
        steps = DecreasingSteps(a, 2 * steps.t0)
    return []


def _foreseen(
    process: ErrorProcess, steps: DecreasingSteps, form: Array, within: Fraction, probability: Fraction
) -> float | None:
    """N by the phases that floats propose from t = 0 on; None where none begins there."""
    try:
        require_divisors(process, steps)
    except NotCertifiedError:
        return None
    family = propose_family(process, steps, form)
    phases: tuple[Phase, ...] = ()
    first = SecondMomentBounds(process, steps).mean(family)
    for t, end in pairwise(starts(steps)):
        phase = propose_phase(family, steps, t)
        if phase is None and not phases:
            return None
        if phase is not None:
            phases = (*phases, phase)
        known = Envelope(process, steps, family, phases, first, t, end)

        def enough(time: int, known: Envelope = known) -> bool:
            return 2 * (time + steps.t0) > 1 and known.chance(time, FLOORS[0], within) <= 1 - probability

        if enough(end):
            return float(t + bisect_left(range(t, end), True, key=enough))
    return inf
