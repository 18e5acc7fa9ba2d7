"""Plausible mistakes, each a variant of the readable twins with the words of the mistake.

They serve to *name* what an implementation does wrong, never to decide that it is wrong. Most variants replace one
hook of ``variant.Variant`` (what the schedule is, what the trace sees, what δ sees, the step sizes) or, for GTD and
TDC, some terms of ``gradient.Gradient``; those are rows of a table. Those with a memory of their own are classes.
Several variants may share their words. Each mistake is also a mutant of ``sims/algorithms.py`` under the same words
(``tests/quality/mutants_of_algorithms.py``), so it has been seen to break the law of the iterates.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from tdcert.sims.algorithms import Algorithm
from tdcert.sims.experiments.gtd_lambda import any_algorithm_named
from tdcert.sims.mistakes.gradient import IN_GRADIENT
from tdcert.sims.mistakes.traces import IN_RATIOS, IN_SCHEDULE, IN_TRACE
from tdcert.sims.mistakes.updates import IN_DELTA, IN_STEP_SIZES, IN_UPDATE

VARIANTS = (*IN_DELTA, *IN_SCHEDULE, *IN_TRACE, *IN_RATIOS, *IN_STEP_SIZES, *IN_UPDATE, *IN_GRADIENT)
"""In the order in which they are tried: where two cannot be told apart, the first gives its words."""


@dataclass(frozen=True)
class Mistake:
    """``words`` complete "it looks like …"; ``variant`` does what they say."""

    words: str
    variant: type[Algorithm]


@cache
def mistakes_in(algorithm: str) -> tuple[Mistake, ...]:
    """All known mistakes in one of the algorithms; InputError for another name."""
    base = any_algorithm_named(algorithm)
    return tuple(
        Mistake(variant.words, type(variant.__name__, (variant, base), {}))
        for variant in VARIANTS
        if algorithm in variant.made_for
    )
